// SPDX-License-Identifier: GPL-2.0
/*
 * The files in caps/ of the PMU describe the devices: one word a device, for
 * software GPUs of both personalities and several sizes.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "harness.h"
#include "event.h"
#include "simdev.h"

/*
 * memory violations and illegal instructions; all of ALU with a control word
 * for each VMID
 */
#define FEW		(GPUBP_EXC_MEM_VIOL | GPUBP_EXC_ILLEGAL)
#define MANY		(FEW | GPUBP_EXC_INT_DIV0 | GPUBP_EXC_FP)

/**
 * struct gpu_kind - a device description and its expected capabilities
 * @name: configfs directory
 * @personality: configfs attribute
 * @watches: configfs attribute
 * @granule: configfs attribute
 * @precise: a wave stops at the access, not after it
 * @exceptions: GPUBP_EXC_* that events may name
 */
static const struct gpu_kind {
	const char *name;
	const char *personality;
	const char *watches;
	const char *granule;
	int precise;
	unsigned int exceptions;
} kinds[] = {
	{ "caps_a", "gfx90a", "4", "64", 1, MANY },
	{ "caps_b", "gfx900", "4", "64", 0, FEW },
	{ "caps_c", "gfx900", "2", "128", 0, FEW },
	{ "caps_d", "gfx90a", "16", "128", 1, MANY },
};

#define NR_KINDS	ARRAY_SIZE(kinds)

static int make(const struct gpu_kind *kind)
{
	return simdev_mkdir(kind->name) ?:
	       simdev_set(kind->name, "personality", kind->personality) ?:
	       simdev_set(kind->name, "watches", kind->watches) ?:
	       simdev_set(kind->name, "granule", kind->granule) ?:
	       simdev_set(kind->name, "live", "1");
}

FIXTURE(caps) {
	char words[SIMDEV_MAX][SIMDEV_WORD];
	int place[NR_KINDS];
};

FIXTURE_SETUP(caps)
{
	unsigned int i;

	for (i = 0; i < NR_KINDS; i++)
		ASSERT_EQ(0, make(&kinds[i]));
	for (i = 0; i < NR_KINDS; i++) {
		self->place[i] = simdev_place(kinds[i].name);
		ASSERT_LE(0, self->place[i]) TH_LOG("%s", kinds[i].name);
	}
}

FIXTURE_TEARDOWN(caps)
{
	unsigned int i;

	for (i = 0; i < NR_KINDS; i++)
		EXPECT_EQ(0, simdev_rmdir(kinds[i].name));
}

#define EXPECT_CAP(_file, _want) do {					\
	unsigned int _i;						\
									\
	ASSERT_EQ(NR_KINDS + 1, simdev_caps(_file, self->words));		\
	for (_i = 0; _i < NR_KINDS; _i++) {				\
		const struct gpu_kind *kind = &kinds[_i];		\
									\
		EXPECT_EQ((unsigned long long)(_want),			\
			  strtoull(self->words[self->place[_i]], NULL, 0)) \
			TH_LOG("%s of %s", _file, kind->name);		\
	}								\
} while (0)

TEST_F(caps, slots)
{
	EXPECT_CAP("slots", atoi(kind->watches));
}

TEST_F(caps, granule)
{
	EXPECT_CAP("granule", atoi(kind->granule));
}

/* masks have 24 bits, starting at the granule */
TEST_F(caps, max_block)
{
	EXPECT_CAP("max_block", (unsigned long long)atoi(kind->granule) << 24);
}

TEST_F(caps, precise)
{
	EXPECT_CAP("precise", kind->precise);
}

TEST_F(caps, exceptions)
{
	EXPECT_CAP("exceptions", kind->exceptions);
}

/* one word for each device, and those of two devices differ */
TEST_F(caps, devices)
{
	unsigned int i, j;

	ASSERT_EQ(NR_KINDS + 1, simdev_caps("devices", self->words));
	for (i = 0; i <= NR_KINDS; i++) {
		EXPECT_GE(GPUBP_DEVICE_MAX, strtoul(self->words[i], NULL, 10));
		for (j = 0; j < i; j++)
			EXPECT_STRNE(self->words[i], self->words[j]);
	}
}

TEST_F(caps, isas)
{
	unsigned int i;

	ASSERT_EQ(NR_KINDS + 1, simdev_caps("isas", self->words));
	for (i = 0; i < NR_KINDS; i++)
		EXPECT_STREQ(kinds[i].personality, self->words[self->place[i]]);
}

TEST_F(caps, paths)
{
	unsigned int i;

	ASSERT_EQ(NR_KINDS + 1, simdev_caps("paths", self->words));
	for (i = 0; i < NR_KINDS; i++)
		EXPECT_STREQ("vector", self->words[self->place[i]]);
}

/* ---- the aliases of what they can serve ------------------------------------- */

#define EVENTS		"/sys/bus/event_source/devices/gpubp/events/"
#define ROUNDS		20

/* what one device can serve is listed, though the others cannot */
TEST_F(caps, aliases)
{
	static const char * const served[] = {
		"watch", "watch_r", "watch_w", "watch_rw", "watch_atomic",
		"gpu_break", "gpu_trap", "exc_mem_viol", "exc_illegal_inst",
		"exc_int_div0", "exc_fp", "exc_fp_inexact",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(served); i++) {
		char path[128];

		snprintf(path, sizeof(path), EVENTS "%s", served[i]);
		EXPECT_EQ(0, access(path, R_OK)) TH_LOG("%s", served[i]);
	}
	EXPECT_NE(0, access(EVENTS "exc_wave_start", F_OK));
	EXPECT_NE(0, access(EVENTS "exc_wave_end", F_OK));
}

static volatile bool stop_looking;

/* how often an alias was not there */
static void *look_for_alias(void *arg)
{
	unsigned int *missing = arg;

	while (!stop_looking)
		*missing += !!access(EVENTS "exc_int_div0", R_OK);
	return NULL;
}

TEST_F(caps, an_alias_stays_while_devices_come_and_go)
{
	unsigned int missing = 0, i;
	pthread_t looker;

	stop_looking = false;
	ASSERT_EQ(0, pthread_create(&looker, NULL, look_for_alias, &missing));
	for (i = 0; i < ROUNDS; i++) {
		EXPECT_EQ(0, simdev_rmdir(kinds[i % NR_KINDS].name));
		EXPECT_EQ(0, make(&kinds[i % NR_KINDS]));
	}
	stop_looking = true;
	pthread_join(looker, NULL);
	EXPECT_EQ(0, missing);
}

TEST_F(caps, version)
{
	ASSERT_EQ(1, simdev_caps("version", self->words));
	EXPECT_STREQ("1", self->words[0]);
}

TEST_HARNESS_MAIN
