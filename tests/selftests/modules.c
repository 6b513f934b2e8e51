// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading modules: with no file open, after use, with events
 * open.
 *
 * environment:
 *	GPUBP_RELOADS	how often all modules are reloaded, default 12
 */
#include <errno.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "reload.h"

#define SIZE	4096
#define RELOADS		12
#define SECONDS	3000

/* the type of the PMU may change with each load */
static struct perf_event_attr fresh(uint64_t va, unsigned int field)
{
	struct perf_event_attr attr = event_watch(va, 4, EVENT_STORES);
	FILE *file = fopen("/sys/bus/event_source/devices/gpubp/type", "re");

	attr.config |= (uint64_t)field << GPUBP_CONFIG_DEVICE_SHIFT;
	if (file) {
		if (fscanf(file, "%u", &attr.type) != 1)
			attr.type = 0;
		fclose(file);
	}
	return attr;
}

static int open_fresh(uint64_t va, unsigned int field)
{
	struct perf_event_attr attr = fresh(va, field);

	return event_open(&attr, 0, -1);
}

/* open a context and an event, store @n times; the event stays open, as @fd */
static int use(int n, int *fd, uint64_t *va)
{
	struct grun_mem mem;
	struct gpu gpu;
	int ret;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &mem, SIZE, 0))
		return -1;
	*va = mem.va;
	*fd = open_fresh(mem.va, 0);
	ret = *fd < 0 || gpu_run(&gpu, "repeat", 1, GPU_ARGS(mem.va, n));
	if (!ret && (!books_settle(60) || event_count(*fd) != n))
		ret = -1;
	gpu_close(&gpu);
	return ret;
}

FIXTURE(modules) {
	int rounds;
};

FIXTURE_SETUP(modules)
{
	self->rounds = env_number("GPUBP_RELOADS", RELOADS);
	ASSERT_EQ(0, modules_load());
}

FIXTURE_TEARDOWN(modules)
{
	EXPECT_EQ(0, modules_load());
}

TEST_F_TIMEOUT(modules, reload, SECONDS)
{
	uint64_t va;
	int i, fd;

	for (i = 0; i < self->rounds; i++) {
		switch (i % 3) {
		case 1:		/* an event was open */
			fd = open_fresh(0x1000, 0);
			ASSERT_LE(0, fd);
			close(fd);
			break;
		case 2:		/* and hits were counted */
			ASSERT_EQ(0, use(3, &fd, &va)) TH_LOG("round %d", i);
			close(fd);
		}
		ASSERT_EQ(0, modules_unload()) TH_LOG("round %d", i);
		ASSERT_EQ(0, modules_load()) TH_LOG("round %d", i);
	}
}

TEST_F(modules, provider_in_use)
{
	struct gpu gpu;

	ASSERT_EQ(0, gpu_open(&gpu, "nop"));
	EXPECT_EQ(-EAGAIN, module_unload_now("gpubp_sim"));
	gpu_close(&gpu);
	EXPECT_EQ(0, module_unload("gpubp_sim"));
}

static bool is_alias(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path),
		 "/sys/bus/event_source/devices/gpubp/events/%s", name);
	return !access(path, R_OK);
}

/* without a device nothing is known that events could not be */
TEST_F(modules, aliases_without_a_device)
{
	EXPECT_FALSE(is_alias("exc_wave_start"));
	ASSERT_EQ(0, module_unload("gpubp_sim"));
	EXPECT_TRUE(is_alias("exc_wave_start"));
	EXPECT_TRUE(is_alias("watch_w"));
	ASSERT_EQ(0, module_load("gpubp_sim"));
	EXPECT_FALSE(is_alias("exc_wave_start"));
	EXPECT_TRUE(is_alias("watch_w"));
}

TEST_F(modules, core_with_an_open_event)
{
	uint64_t va;
	int fd;

	ASSERT_EQ(0, use(5, &fd, &va));
	ASSERT_EQ(0, module_unload("gpubp_agent"));
	ASSERT_EQ(0, module_unload("gpubp_sim"));
	ASSERT_EQ(0, module_unload("gpubp_gfx9"));
	EXPECT_EQ(-EAGAIN, module_unload_now("gpubp"));
	EXPECT_EQ(5, event_count(fd));
	close(fd);
	EXPECT_EQ(0, module_unload("gpubp"));
}

/* the event stops counting, and continues with a new device */
TEST_F(modules, provider_leaves_and_returns)
{
	struct grun_mem mem;
	struct gpu gpu;
	uint64_t va;
	int fd;

	ASSERT_EQ(0, use(5, &fd, &va));
	ASSERT_EQ(0, module_unload("gpubp_sim"));
	EXPECT_EQ(5, event_count(fd));
	ASSERT_EQ(0, module_load("gpubp_sim"));
	ASSERT_EQ(0, gpu_open(&gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &mem, SIZE, va));
	ASSERT_EQ(0, gpu_run(&gpu, "repeat", 1, GPU_ARGS(va, 4)));
	EXPECT_EQ(5 + 4, event_count(fd));
	gpu_close(&gpu);
	close(fd);
}

/* numbers of devices are not reused */
TEST_F(modules, device_numbers)
{
	unsigned int field;
	struct gpu gpu;

	ASSERT_EQ(0, gpu_open(&gpu, "nop"));
	field = grun_info(gpu.dev)->device + 1;
	gpu_close(&gpu);
	ASSERT_EQ(0, module_unload("gpubp_sim"));
	EXPECT_EQ(-ENODEV, open_fresh(0x1000, field));
	ASSERT_EQ(0, module_load("gpubp_sim"));
	EXPECT_EQ(-ENODEV, open_fresh(0x1000, field));
	ASSERT_EQ(0, gpu_open(&gpu, "nop"));
	EXPECT_LT(field, grun_info(gpu.dev)->device + 1);
	gpu_close(&gpu);
}

TEST_F(modules, no_device)
{
	int fd;

	ASSERT_EQ(0, module_unload("gpubp_sim"));
	/* for any device: one may still be added */
	fd = open_fresh(0x1000, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, event_count(fd));
	close(fd);
	EXPECT_EQ(-ENODEV, open_fresh(0x1000, 1));
	EXPECT_EQ(0, books_events());
}

TEST_HARNESS_MAIN
