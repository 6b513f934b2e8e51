// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel whose waves are stopped by hits nearly all the time: over the stall
 * budget the watch that stops them is throttled for a while, repeatedly, and
 * its event reports that; other watches continue.
 */
#include <errno.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define SIZE		4096
#define GROUPS		4
#define LANES		64
#define STORES		20	/* of each lane */
#define PATIENCE	60	/* s */
#define DEFAULT		6400	/* max_stall_percent by default */

static long set_percent(long value)
{
	return event_parameter("max_stall_percent", value);
}

FIXTURE(stall) {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem stop;
	int session;
	long percent;
	int hot;
	int cold;
};

/* @hot counts what the kernels store, @cold is never hit */
FIXTURE_SETUP(stall)
{
	struct perf_event_attr attr;

	self->percent = set_percent(0);
	ASSERT_LE(0, self->percent);
	self->session = session_open();
	ASSERT_LE(0, self->session);
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, SIZE, 0));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->stop, SIZE, 0));
	attr = event_watch(self->out.va, GROUPS * LANES * sizeof(uint32_t),
			   EVENT_STORES);
	self->hot = event_open(&attr, 0, -1);
	attr = event_watch(self->out.va + SIZE / 2, 4, EVENT_STORES);
	self->cold = event_open(&attr, 0, -1);
	ASSERT_LE(0, self->hot);
	ASSERT_LE(0, self->cold);
	ASSERT_EQ(0, session_sync(self->session, self->cold, PATIENCE, NULL));
}

FIXTURE_TEARDOWN(stall)
{
	close(self->hot);
	close(self->cold);
	gpu_close(&self->gpu);
	close(self->session);
	set_percent(self->percent);
}

/* us that waves were stopped by hits, over all contexts */
static int64_t stalled_total(void)
{
	FILE *file = fopen("/sys/kernel/debug/gpubp/gpubp_sim0/state", "re");
	long long us, sum = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "stalled_us context %*u: %lld", &us) == 1)
			sum += us;
	if (file)
		fclose(file);
	return sum;
}

static bool wait_throttled(int session, int fd, int64_t times)
{
	int i;

	for (i = 0; i < PATIENCE * 100; i++) {
		if (session_stall_throttled(session, fd) >= times)
			return true;
		usleep(10000);
	}
	return false;
}

#define WINDOWS	(debug_kernel() ? 2 : 15)

/* for about two seconds: how long waves were stopped, and the time itself, in us */
static int64_t stalled_in_window(int fd, int64_t *stalled)
{
	struct event_value begin, end;
	int64_t before = stalled_total();
	int i;

	if (event_read(fd, &begin))
		return -1;
	for (i = 0; i < PATIENCE * 100; i++) {
		usleep(10000);
		if (event_read(fd, &end) ||
		    end.enabled - begin.enabled > 2000000000)
			break;
	}
	*stalled = stalled_total() - before;
	return (end.enabled - begin.enabled) / 1000;
}

/* stores of all waves: each counts its own */
static uint64_t stores(const struct grun_mem *out)
{
	const volatile uint32_t *word = out->cpu;
	uint64_t sum = 0;
	int i;

	for (i = 0; i < GROUPS; i++)
		sum += word[i * LANES];
	return sum;
}

/* several waves are stopped at a time on average, with a limit of a tenth of one */
TEST_F(stall, a_hot_address)
{
	struct event_value hot[2], cold[2];
	int64_t stalled, us;
	int i;

	ASSERT_EQ(0, gpu_start(&self->gpu, "until", GROUPS,
			       GPU_ARGS(self->out.va, self->stop.va)));
	us = stalled_in_window(self->hot, &stalled);
	TH_LOG("no limit: stalled for %ld of %ld us", stalled, us);
	/* with the limit it must be less than that */
	EXPECT_LT(us / 5, stalled);

	set_percent(10);
	ASSERT_EQ(0, event_read(self->cold, &cold[0]));
	EXPECT_TRUE(wait_throttled(self->session, self->hot, 1));
	ASSERT_EQ(0, event_read(self->hot, &hot[0]));
	/* it was armed again in between, and hit again */
	EXPECT_TRUE(wait_throttled(self->session, self->hot, 3));
	/* it is throttled for longer each time; the time in between depends on commits */
	for (i = 0; i < WINDOWS; i++) {
		us = stalled_in_window(self->hot, &stalled);
		TH_LOG("10%%: stalled for %ld of %ld us", stalled, us);
		if (stalled < us / 5)
			break;
	}
	if (!debug_kernel())	/* commits of a debug kernel take most of the time */
		EXPECT_GT(us / 5, stalled);
	ASSERT_EQ(0, event_read(self->hot, &hot[1]));
	ASSERT_EQ(0, event_read(self->cold, &cold[1]));
	*(volatile uint32_t *)self->stop.cpu = 1;
	EXPECT_EQ(0, gpu_wait(&self->gpu, PATIENCE));

	EXPECT_LT(0, hot[0].count);
	EXPECT_LT(hot[0].count, hot[1].count);
	/*
	 * missed hits are not estimated from the counted ones: the count is
	 * marked as incomplete
	 */
	EXPECT_GT(hot[1].enabled / 1000,
		  hot[1].enabled - hot[1].running);
	EXPECT_GT(stores(&self->out), hot[1].count);
	EXPECT_LE(3, hot[1].lost);
	EXPECT_EQ(session_stall_throttled(self->session, self->hot), hot[1].lost);
	EXPECT_EQ(0, cold[1].lost);
	EXPECT_LE(3, books_state("stall_throttled"));
	EXPECT_EQ(0, session_stall_throttled(self->session, self->cold));
	EXPECT_EQ(cold[1].enabled - cold[0].enabled,
		  cold[1].running - cold[0].running);
}

static void expect_exact(struct __test_metadata *_metadata, int session, int fd,
			 struct gpu *gpu, uint64_t va)
{
	struct event_value value;

	ASSERT_EQ(0, gpu_run(gpu, "repeat", GROUPS, GPU_ARGS(va, STORES)));
	ASSERT_EQ(0, event_read(fd, &value));
	EXPECT_EQ(GROUPS * STORES, value.count);
	EXPECT_EQ(value.enabled, value.running);
	EXPECT_EQ(0, session_stall_throttled(session, fd));
}

TEST_F(stall, no_limit)
{
	expect_exact(_metadata, self->session, self->hot, &self->gpu,
		     self->out.va);
}

/* a few waves that are stopped all the time stay below the limit */
TEST_F(stall, the_default)
{
	set_percent(DEFAULT);
	expect_exact(_metadata, self->session, self->hot, &self->gpu,
		     self->out.va);
}

TEST_HARNESS_MAIN
