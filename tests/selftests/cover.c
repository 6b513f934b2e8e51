// SPDX-License-Identifier: GPL-2.0
/*
 * Covers: many more watches than comparators, all of them armed all the time and
 * exact, because comparators are widened and the trap handler finds the strays; and
 * turns where these would cost too much.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define WATCHES		1000
#define STRIDE		4		/* words from one watch to the next */
#define GROUPS		((WATCHES * STRIDE + 63) / 64)
#define SIZE		(GROUPS * 64 * 4)
#define ROUNDS		3
#define PATIENCE	60		/* s */

FIXTURE(cover) {
	struct gpu gpu;
	struct grun_mem out;
	int session;
	int fd[WATCHES];
	long percent;
};

FIXTURE_SETUP(cover)
{
	const struct rlimit files = { 2 * WATCHES, 2 * WATCHES };
	unsigned int i;

	for (i = 0; i < WATCHES; i++)
		self->fd[i] = -1;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	self->percent = event_parameter("max_filter_percent", 100);
	self->session = session_open();
	ASSERT_LE(0, self->session);
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, SIZE, 0));
}

FIXTURE_TEARDOWN(cover)
{
	unsigned int i;

	for (i = 0; i < WATCHES; i++)
		close(self->fd[i]);
	close(self->session);
	gpu_close(&self->gpu);
	event_parameter("max_filter_percent", self->percent);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

static uint64_t word(const FIXTURE_DATA(cover) *self, unsigned int nr)
{
	return self->out.va + 4 * STRIDE * nr;
}

static int open_events(FIXTURE_DATA(cover) *self)
{
	struct perf_event_attr attr;
	unsigned int i;

	for (i = 0; i < WATCHES; i++) {
		attr = event_watch(word(self, i), 4, EVENT_STORES);
		self->fd[i] = event_open(&attr, 0, -1);
		if (self->fd[i] < 0)
			return self->fd[i];
	}
	return 0;
}

/* without a turn that has to be waited for */
static bool is_armed(FIXTURE_DATA(cover) *self, int fd, unsigned int nr,
		     unsigned int seconds)
{
	struct gpubp_sync sync;

	session_sync(self->session, fd, seconds, &sync);
	return sync.nr_watches == nr && sync.nr_armed == nr && !sync.nr_rotating;
}

static bool await_armed(FIXTURE_DATA(cover) *self, int fd, unsigned int nr)
{
	unsigned int tries = 100 * PATIENCE;

	while (!is_armed(self, fd, nr, PATIENCE) && --tries)
		usleep(10000);
	return tries;
}

/* comparators are widened by the commits that follow those of the watches */
static bool all_armed(FIXTURE_DATA(cover) *self)
{
	unsigned int i;

	if (!await_armed(self, self->fd[WATCHES - 1], 1))
		return false;
	for (i = 0; i < WATCHES; i++)
		if (!is_armed(self, self->fd[i], 1, 0) &&
		    !await_armed(self, self->fd[i], 1))
			return false;
	return true;
}

static int store_to_all(FIXTURE_DATA(cover) *self)
{
	return gpu_run(&self->gpu, "repeat", GROUPS,
		       GPU_ARGS(self->out.va, ROUNDS));
}

/* counted, not estimated: running is enabled */
TEST_F(cover, a_thousand_events)
{
	struct event_value *before = calloc(WATCHES, sizeof(*before));
	int64_t commits;

	ASSERT_TRUE(before);
	ASSERT_EQ(0, open_events(self));
	ASSERT_TRUE(all_armed(self));
	commits = books_state("commits");
	ASSERT_EQ(0, events_read(self->fd, WATCHES, before));
	ASSERT_EQ(0, store_to_all(self));
	ASSERT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(0, events_wrong(self->fd, WATCHES, before, ROUNDS));
	EXPECT_EQ(commits, books_state("commits"));
	free(before);
}

TEST_F(cover, a_thousand_members)
{
	struct gpubp_set_watch *w = calloc(WATCHES, sizeof(*w));
	struct perf_event_attr attr = event_watch(0, 0, 0);
	unsigned int i, wrong = 0;
	uint32_t set;

	ASSERT_TRUE(w);
	for (i = 0; i < WATCHES; i++) {
		w[i].addr = word(self, i);
		w[i].len = 4;
		w[i].access = GPUBP_ACCESS_STORE;
	}
	ASSERT_EQ(0, session_set(self->session, &set));
	ASSERT_EQ(0, session_update(self->session, set, w, WATCHES, NULL));
	attr.config = GPUBP_KIND_WATCH_SET |
		      (uint64_t)set << GPUBP_CONFIG_CODE_SHIFT;
	self->fd[0] = event_open(&attr, 0, -1);
	ASSERT_LE(0, self->fd[0]);
	ASSERT_TRUE(await_armed(self, self->fd[0], WATCHES));
	ASSERT_EQ(0, store_to_all(self));
	ASSERT_TRUE(books_settle(PATIENCE));
	ASSERT_EQ(WATCHES, session_read(self->session, set, 0, w, WATCHES));
	for (i = 0; i < WATCHES; i++)
		wrong += w[i].count != ROUNDS;
	EXPECT_EQ(0, wrong);
	free(w);
}

/* a store between two watches is no hit of any */
TEST_F(cover, strays_count_nowhere)
{
	struct event_value *before = calloc(WATCHES, sizeof(*before));
	int64_t strays;

	ASSERT_TRUE(before);
	ASSERT_EQ(0, open_events(self));
	ASSERT_TRUE(all_armed(self));
	ASSERT_EQ(0, events_read(self->fd, WATCHES, before));
	strays = books_strays();
	/* lane 0 of "chosen" stores to the first of its words */
	ASSERT_EQ(0, gpu_run(&self->gpu, "chosen", 1,
			     GPU_ARGS(word(self, 500) + 8, 1)));
	ASSERT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(strays + 1, books_strays());
	EXPECT_EQ(0, events_wrong(self->fd, WATCHES, before, 0));
	free(before);
}

static bool takes_turns(FIXTURE_DATA(cover) *self)
{
	struct gpubp_sync sync;

	return !session_sync(self->session, self->fd[0], PATIENCE, &sync) &&
	       sync.nr_rotating;
}

#define STRAYS	400	/* of a dispatch: many times as long as they may take */

/* strays between the watches, more than may be, until the watches take turns */
TEST_F(cover, a_hot_array_takes_turns)
{
	unsigned int tries = 500;

	ASSERT_EQ(0, open_events(self));
	ASSERT_TRUE(all_armed(self));
	event_parameter("max_filter_percent", 1);
	while (!takes_turns(self) && --tries)
		ASSERT_EQ(0, gpu_run(&self->gpu, "hot", 1,
				     GPU_ARGS(word(self, 500) + 8, STRAYS)));
	EXPECT_LT(0, tries);
	/* with none any more, all are armed again */
	EXPECT_TRUE(all_armed(self));
}

TEST_HARNESS_MAIN
