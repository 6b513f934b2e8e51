// SPDX-License-Identifier: GPL-2.0
/*
 * Several software GPUs at once, created through configfs: of all sizes, each
 * with events of its own and with those for any device; also removed while in
 * use.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <linux/gpubp_sim.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "simdev.h"

#define SIZE		4096
#define PATIENCE	60	/* s */
#define STORES		5
#define NR_DEVICES	4
#define MAX_DEVICES	16

static const struct {
	const char *name;
	const char *watches;
	const char *granule;
	const char *cus;
	unsigned int slots;
} sizes[NR_DEVICES] = {
	{ "one",	"1",	"64",	"1",	0x1 },
	{ "four",	"4",	"128",	"3",	0xf },
	{ "sixteen",	"16",	"64",	"1",	0xffff },
	{ "wide",	"2",	"128",	"2",	0x3 },
};

/* remove all leftovers of a failed test, several at a time */
static void remove_all(void)
{
	unsigned int i;

	for (i = 0; i < NR_DEVICES; i++)
		simdev_rmdir(sizes[i].name);
}

static int make(unsigned int i)
{
	const char *name = sizes[i].name;

	return simdev_mkdir(name) ?:
	       simdev_set(name, "watches", sizes[i].watches) ?:
	       simdev_set(name, "granule", sizes[i].granule) ?:
	       simdev_set(name, "cus", sizes[i].cus) ?:
	       simdev_set(name, "live", "1");
}

/* an event for the device with number @field - 1, for any device if @field is 0 */
static int open_for(unsigned int field, uint64_t va)
{
	struct perf_event_attr attr = event_watch(va, 4, EVENT_STORES);

	attr.config |= (uint64_t)field << GPUBP_CONFIG_DEVICE_SHIFT;
	return event_open(&attr, 0, -1);
}

static bool all_settle(const unsigned int *nr)
{
	unsigned int i;
	bool all = true;

	for (i = 0; i < NR_DEVICES; i++) {
		books_of(nr[i]);
		all &= books_settle(PATIENCE);
	}
	books_of(0);
	return all;
}

FIXTURE(devices) {
	unsigned int nr[NR_DEVICES];
	struct gpu gpu[NR_DEVICES];
	struct grun_mem mem[NR_DEVICES];
};

FIXTURE_SETUP(devices)
{
	unsigned int i;
	int nr;

	remove_all();
	for (i = 0; i < NR_DEVICES; i++) {
		ASSERT_EQ(0, make(i)) remove_all();
		nr = simdev_get(sizes[i].name, "number");
		ASSERT_LT(0, nr) remove_all();
		self->nr[i] = nr;
	}
}

FIXTURE_TEARDOWN(devices)
{
	remove_all();
}

#define VA	0x7000000000ULL

/* the same address on all: only the device distinguishes them */
static int open_all(struct __test_metadata *_metadata,
		    FIXTURE_DATA(devices) *self)
{
	unsigned int i;

	for (i = 0; i < NR_DEVICES; i++)
		if (gpu_open_on(&self->gpu[i], self->nr[i], "loop") ||
		    gpu_buffer(&self->gpu[i], &self->mem[i], SIZE, VA))
			return -1;
	return 0;
}

TEST_F(devices, sizes)
{
	unsigned int i;

	for (i = 0; i < NR_DEVICES; i++) {
		books_of(self->nr[i]);
		EXPECT_EQ(sizes[i].slots, books_state("usable_slots"))
			TH_LOG("%s", sizes[i].name);
	}
	books_of(0);
}

/* an event counts hits of its device only */
TEST_F(devices, hits_of_each)
{
	int own[NR_DEVICES], any;
	unsigned int i;

	ASSERT_EQ(0, open_all(_metadata, self));
	any = open_for(0, VA);
	ASSERT_LE(0, any);
	for (i = 0; i < NR_DEVICES; i++) {
		own[i] = open_for(grun_info(self->gpu[i].dev)->device + 1, VA);
		ASSERT_LE(0, own[i]);
	}
	for (i = 0; i < NR_DEVICES; i++)
		ASSERT_EQ(0, gpu_run(&self->gpu[i], "repeat", 1,
				     GPU_ARGS(VA, STORES + i)));
	EXPECT_TRUE(all_settle(self->nr));
	for (i = 0; i < NR_DEVICES; i++) {
		EXPECT_EQ(STORES + i, event_count(own[i]))
			TH_LOG("%s", sizes[i].name);
		close(own[i]);
		gpu_close(&self->gpu[i]);
	}
	EXPECT_EQ(NR_DEVICES * STORES + 0 + 1 + 2 + 3, event_count(any));
	close(any);
}

/* granules: the watched byte, not its neighbours */
TEST_F(devices, neighbours)
{
	unsigned int i;
	int fd;

	ASSERT_EQ(0, open_all(_metadata, self));
	for (i = 0; i < NR_DEVICES; i++) {
		/* lanes store to 256 bytes; the watched bytes lie behind those */
		fd = open_for(grun_info(self->gpu[i].dev)->device + 1, VA + 256);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, gpu_run(&self->gpu[i], "repeat", 1,
				     GPU_ARGS(VA, STORES)));
		EXPECT_TRUE(all_settle(self->nr));
		EXPECT_EQ(0, event_count(fd));
		ASSERT_EQ(0, gpu_run(&self->gpu[i], "repeat", 2,
				     GPU_ARGS(VA, STORES)));
		EXPECT_TRUE(all_settle(self->nr));
		EXPECT_EQ(STORES, event_count(fd)) TH_LOG("%s", sizes[i].name);
		close(fd);
		gpu_close(&self->gpu[i]);
	}
}

/* its events stay and count nothing; its number is not reused */
TEST_F(devices, removed_under_events)
{
	unsigned int field;
	int fd, any;

	ASSERT_EQ(0, open_all(_metadata, self));
	field = grun_info(self->gpu[0].dev)->device + 1;
	fd = open_for(field, VA);
	any = open_for(0, VA);
	ASSERT_LE(0, fd);
	ASSERT_LE(0, any);
	ASSERT_EQ(0, gpu_run(&self->gpu[0], "repeat", 1, GPU_ARGS(VA, STORES)));
	EXPECT_EQ(-EBUSY, simdev_set(sizes[0].name, "live", "0"));
	gpu_close(&self->gpu[0]);
	books_of(self->nr[0]);
	books_of(0);
	EXPECT_EQ(0, simdev_set(sizes[0].name, "live", "0"));
	EXPECT_EQ(STORES, event_count(fd));
	EXPECT_EQ(-ENODEV, open_for(field, VA));

	/* the same name, but another device */
	EXPECT_EQ(0, simdev_set(sizes[0].name, "live", "1"));
	EXPECT_EQ((int)self->nr[0], simdev_get(sizes[0].name, "number"));
	ASSERT_EQ(0, gpu_open_on(&self->gpu[0], self->nr[0], "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu[0], &self->mem[0], SIZE, VA));
	EXPECT_LT(field, grun_info(self->gpu[0].dev)->device + 1);
	ASSERT_EQ(0, gpu_run(&self->gpu[0], "repeat", 1, GPU_ARGS(VA, STORES)));
	EXPECT_TRUE(all_settle(self->nr));
	EXPECT_EQ(STORES, event_count(fd));
	EXPECT_EQ(2 * STORES, event_count(any));
	close(fd);
	close(any);
	gpu_close(&self->gpu[0]);
}

TEST_F(devices, fields)
{
	static const char * const bad[][2] = {
		{ "personality", "gfx901" }, { "residency", "none" },
		{ "cus", "0" }, { "cus", "17" }, { "simd_slots", "11" },
		{ "watches", "0" }, { "watches", "17" }, { "granule", "96" },
		{ "granule", "256" }, { "vmids", "16" }, { "ih_entries", "0" },
		{ "skid", "65" }, { "quantum_ms", "0" }, { "preempt_ms", "-1" },
		{ "ternary", "2" }, { "cus", "2x" },
	};
	unsigned int i;

	EXPECT_EQ(-EBUSY, simdev_set(sizes[0].name, "cus", "2"));
	ASSERT_EQ(0, simdev_set(sizes[0].name, "live", "0"));
	EXPECT_EQ(-1, simdev_get(sizes[0].name, "number"));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(-EINVAL,
			  simdev_set(sizes[0].name, bad[i][0], bad[i][1]))
			TH_LOG("entry %u", i);
	EXPECT_EQ(1, simdev_get(sizes[0].name, "cus"));
	EXPECT_EQ(0, simdev_set(sizes[0].name, "cus", "2"));
	EXPECT_EQ(2, simdev_get(sizes[0].name, "cus"));
	EXPECT_EQ(0, simdev_set(sizes[0].name, "live", "1"));
}

/* another instruction set */
TEST_F(devices, personality)
{
	struct gpubp_sim_info info = {};
	char path[32];
	int fd;

	ASSERT_EQ(0, simdev_set(sizes[0].name, "live", "0"));
	ASSERT_EQ(0, simdev_set(sizes[0].name, "personality", "gfx900"));
	ASSERT_EQ(0, simdev_set(sizes[0].name, "live", "1"));
	snprintf(path, sizeof(path), "/dev/gpubp_sim%u", self->nr[0]);
	fd = open(path, O_RDWR);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, ioctl(fd, GPUBP_SIM_INFO, &info));
	EXPECT_STREQ("gfx900", info.isa);
	close(fd);
}

/* the lowest free number is used, of sixteen */
TEST_F(devices, as_many_as_there_can_be)
{
	int i, err = 0, made = 0;
	char name[32];

	for (i = 0; !err && i < MAX_DEVICES; i++) {
		snprintf(name, sizeof(name), "more%d", i);
		ASSERT_EQ(0, simdev_mkdir(name));
		EXPECT_EQ(0, simdev_set(name, "cus", "1"));
		err = simdev_set(name, "live", "1");
		if (err)
			break;
		EXPECT_EQ(1 + NR_DEVICES + i, simdev_get(name, "number"));
		made++;
	}
	EXPECT_EQ(-ENOSPC, err);
	EXPECT_EQ(MAX_DEVICES - 1 - NR_DEVICES, made);
	for (; i >= 0; i--) {
		snprintf(name, sizeof(name), "more%d", i);
		EXPECT_EQ(0, simdev_rmdir(name));
	}
}

TEST_HARNESS_MAIN
