// SPDX-License-Identifier: GPL-2.0
/*
 * Counting in the trap handler. The count is that of the model, and waves stop
 * only at the end of a period; watches that the handler cannot count are
 * counted as usual.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define PATIENCE	120	/* s */
#define GRANULE		64
#define GROUPS		4
#define WAVE_BYTES	256
#define SIZE		(GROUPS * WAVE_BYTES)
#define ROUNDS		25
#define HITS		((int64_t)GROUPS * ROUNDS)
#define MANY		12	/* watches; more than comparators */
#define RING_PAGES	64

FIXTURE(meter) {
	struct gpu gpu;
	struct grun_mem out;
	int session;
};

FIXTURE_SETUP(meter)
{
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, SIZE, 0));
	self->session = session_open();
	ASSERT_LE(0, self->session);
}

FIXTURE_TEARDOWN(meter)
{
	gpu_close(&self->gpu);
	close(self->session);
	EXPECT_TRUE(books_idle(PATIENCE));
}

static struct perf_event_attr event_meter(uint64_t addr, uint64_t len)
{
	struct perf_event_attr attr = event_watch(addr, len, EVENT_WRITES);

	attr.config |= GPUBP_CONFIG_METER;
	return attr;
}

static int run(struct gpu *gpu, const struct grun_mem *out, unsigned int rounds)
{
	return gpu_run(gpu, "repeat", GROUPS, GPU_ARGS(out->va, rounds)) ?:
	       !books_settle(PATIENCE);
}

static int sync_event(int session, int fd)
{
	struct gpubp_sync sync;

	return session_sync(session, fd, PATIENCE, &sync) ?:
	       sync.nr_watches - sync.nr_armed;
}

static struct gpubp_event_stats stats_of(int session, int fd)
{
	struct gpubp_event_stats stats = { .id = session_id(fd) };

	if (session_call(session, GPUBP_STATS, &stats))
		stats.matched = -1ULL;
	return stats;
}

/* ---- counted by the handler ---------------------------------------------- */

static void expect_counting(struct __test_metadata *_metadata,
			    FIXTURE_DATA(meter) *self, unsigned int period)
{
	int64_t due = period ? HITS / period : 0, raised;
	struct perf_event_attr attr = event_meter(self->out.va, SIZE);
	struct gpubp_event_stats stats;
	struct ring ring;
	int fd;

	if (period)
		event_sample(&attr, period);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	if (period)
		ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
	ASSERT_EQ(0, sync_event(self->session, fd));
	raised = books_raised();
	ASSERT_EQ(0, run(&self->gpu, &self->out, ROUNDS));
	EXPECT_EQ(due, books_raised() - raised);
	ASSERT_EQ(0, sync_event(self->session, fd));
	EXPECT_EQ(HITS, event_count(fd));
	stats = stats_of(self->session, fd);
	EXPECT_EQ(HITS, stats.matched);
	EXPECT_EQ(HITS - due, stats.metered);
	EXPECT_EQ(0, stats.throttled);
	if (period) {
		EXPECT_EQ(due, ring_drain(&ring));
		ring_unmap(&ring);
	}
	close(fd);
}

TEST_F(meter, count_equals_the_model)
{
	static const unsigned int periods[] = { 0, 2, 7, HITS, HITS + 1 };
	unsigned int i;

	for (i = 0; i < sizeof(periods) / sizeof(*periods); i++) {
		expect_counting(_metadata, self, periods[i]);
		if (!_metadata->exit_code)
			continue;
		TH_LOG("period %u", periods[i]);
		return;
	}
}

/* one after the other, without GPUBP_SYNC: a worker updates the counts */
TEST_F(meter, counts_come_by_themselves)
{
	struct perf_event_attr attr = event_meter(self->out.va, SIZE);
	int n, fd = event_open(&attr, 0, -1);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, sync_event(self->session, fd));
	ASSERT_EQ(0, run(&self->gpu, &self->out, ROUNDS));
	for (n = 0; event_count(fd) < HITS && n < PATIENCE * 50; n++)
		usleep(20000);
	EXPECT_EQ(HITS, event_count(fd));
	EXPECT_EQ(HITS, stats_of(self->session, fd).metered);
	close(fd);
}

/* the context is destroyed with a last value in its counter */
TEST_F(meter, the_last_ones_are_counted)
{
	struct gpu gpu;
	struct grun_mem out;
	struct perf_event_attr attr;
	int fd;

	ASSERT_EQ(0, gpu_open(&gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &out, SIZE, 0));
	attr = event_meter(out.va, SIZE);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, sync_event(self->session, fd));
	ASSERT_EQ(0, run(&gpu, &out, ROUNDS));
	gpu_close(&gpu);
	EXPECT_EQ(HITS, event_count(fd));
	close(fd);
}

/* periods continue from where they were, whatever happens in between */
TEST_F(meter, on_and_off)
{
	struct perf_event_attr attr = event_meter(self->out.va, SIZE);
	int64_t raised = books_raised();
	struct ring ring;
	int i, fd;

	event_sample(&attr, 2 * HITS);
	attr.disabled = 1;
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, 1));
	for (i = 1; i <= 3; i++) {
		ASSERT_EQ(0, run(&self->gpu, &self->out, ROUNDS));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, sync_event(self->session, fd));
		ASSERT_EQ(0, run(&self->gpu, &self->out, ROUNDS));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, sync_event(self->session, fd));
		EXPECT_EQ(i * HITS, event_count(fd)) TH_LOG("round %d", i);
	}
	ring_unmap(&ring);
	close(fd);
	EXPECT_GE(1, books_raised() - raised);
}

/* two contexts, the same addresses: each has a counter for the one event */
TEST_F(meter, two_contexts)
{
	struct perf_event_attr attr = event_meter(self->out.va, SIZE);
	int64_t raised = books_raised();
	struct grun_mem out;
	struct gpu other;
	int fd;

	ASSERT_EQ(0, gpu_open(&other, "loop"));
	ASSERT_EQ(0, gpu_buffer(&other, &out, SIZE, self->out.va));
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, sync_event(self->session, fd));
	ASSERT_EQ(0, gpu_start(&other, "repeat", GROUPS,
			       GPU_ARGS(out.va, ROUNDS)));
	ASSERT_EQ(0, run(&self->gpu, &self->out, ROUNDS));
	ASSERT_EQ(0, gpu_wait(&other, PATIENCE));
	ASSERT_EQ(0, sync_event(self->session, fd));
	EXPECT_EQ(2 * HITS, event_count(fd));
	EXPECT_EQ(0, books_raised() - raised);
	close(fd);
	gpu_close(&other);
}

/* each store hits four comparators: it is reported, and counted once for each */
TEST_F(meter, more_than_one_at_once)
{
	int64_t raised = books_raised();
	struct perf_event_attr attr;
	int i, fd[2];

	for (i = 0; i < 2; i++) {
		attr = event_meter(self->out.va + i * GRANULE, GRANULE);
		fd[i] = event_open(&attr, 0, -1);
		ASSERT_LE(0, fd[i]);
	}
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, sync_event(self->session, fd[i]));
	ASSERT_EQ(0, run(&self->gpu, &self->out, ROUNDS));
	EXPECT_EQ(ROUNDS, books_raised() - raised);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(ROUNDS, event_count(fd[i]));
		EXPECT_EQ(0, stats_of(self->session, fd[i]).metered);
		close(fd[i]);
	}
}

/* ---- not counted by the handler ------------------------------------------ */

/* each hit of this event is reported, and counted */
static void expect_reported(struct __test_metadata *_metadata,
			    FIXTURE_DATA(meter) *self, const char *why,
			    struct perf_event_attr attr, int64_t count)
{
	int64_t raised = books_raised();
	int fd = event_open(&attr, 0, -1);

	ASSERT_LE(0, fd) TH_LOG("%s", why);
	ASSERT_EQ(0, sync_event(self->session, fd)) TH_LOG("%s", why);
	ASSERT_EQ(0, run(&self->gpu, &self->out, ROUNDS));
	ASSERT_EQ(0, sync_event(self->session, fd));
	EXPECT_EQ(count, event_count(fd)) TH_LOG("%s", why);
	EXPECT_EQ(0, stats_of(self->session, fd).metered) TH_LOG("%s", why);
	EXPECT_EQ(HITS, books_raised() - raised) TH_LOG("%s", why);
	close(fd);
}

TEST_F(meter, what_has_to_be_looked_at_is)
{
	struct perf_event_attr attr = event_meter(self->out.va, SIZE);

	attr.config &= ~GPUBP_CONFIG_METER;
	expect_reported(_metadata, self, "without the bit", attr, HITS);
	attr = event_meter(self->out.va, SIZE);
	attr.precise_ip = 2;
	expect_reported(_metadata, self, "exact addresses only", attr, HITS);
	attr = event_meter(self->out.va, SIZE);
	attr.exclude_user = 1;
	expect_reported(_metadata, self, "no waves", attr, 0);
	attr = event_meter(self->out.va, SIZE);
	event_sample(&attr, 1);
	attr.wakeup_events = 0;
	expect_reported(_metadata, self, "each hit", attr, HITS);
}

/* without filters the handler knows no more than the comparator does */
TEST_F(meter, parts_of_a_block_without_filters)
{
	long filters = event_parameter("handler_filters", 0);
	struct perf_event_attr attr = event_meter(self->out.va, SIZE - 4);

	expect_reported(_metadata, self, "fewer bytes than a block", attr, HITS);
	attr = event_watch(self->out.va, SIZE, EVENT_STORES);
	attr.config |= GPUBP_CONFIG_METER;
	expect_reported(_metadata, self, "fewer kinds than a mode", attr, HITS);
	event_parameter("handler_filters", filters);
}

/* no hit of this event is reported, and all are counted; @filtered are strays */
static void expect_counted(struct __test_metadata *_metadata,
			   FIXTURE_DATA(meter) *self, const char *what,
			   struct perf_event_attr attr, int64_t count,
			   int64_t filtered)
{
	int64_t raised, strays;
	int fd = event_open(&attr, 0, -1);

	raised = books_raised();
	strays = books_get("stray_filtered");
	ASSERT_LE(0, fd) TH_LOG("%s", what);
	ASSERT_EQ(0, sync_event(self->session, fd)) TH_LOG("%s", what);
	ASSERT_EQ(0, run(&self->gpu, &self->out, ROUNDS));
	ASSERT_EQ(0, sync_event(self->session, fd));
	EXPECT_EQ(count, event_count(fd)) TH_LOG("%s", what);
	EXPECT_EQ(count, stats_of(self->session, fd).metered)
		TH_LOG("%s", what);
	EXPECT_EQ(filtered, books_raised() - raised) TH_LOG("%s", what);
	EXPECT_EQ(filtered, books_get("stray_filtered") - strays)
		TH_LOG("%s", what);
	close(fd);
}

TEST_F(meter, parts_of_a_block)
{
	struct perf_event_attr attr = event_meter(self->out.va, SIZE - 4);

	expect_counted(_metadata, self, "fewer bytes than a block", attr, HITS, 0);
	attr = event_watch(self->out.va, SIZE, EVENT_STORES);
	attr.config |= GPUBP_CONFIG_METER;
	expect_counted(_metadata, self, "fewer kinds than a mode", attr, HITS, 0);
	attr = event_watch(self->out.va, SIZE, GPUBP_ACCESS_ATOMIC |
						GPUBP_ACCESS_LOAD);
	attr.config |= GPUBP_CONFIG_METER;
	expect_counted(_metadata, self, "kinds that do not come", attr, 0, HITS);
}

/* a second event joins the watch while it is counted, and is closed again */
TEST_F(meter, one_event_only)
{
	struct perf_event_attr attr = event_meter(self->out.va, SIZE);
	int fd[2], i;

	fd[0] = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd[0]);
	ASSERT_EQ(0, sync_event(self->session, fd[0]));
	ASSERT_EQ(0, run(&self->gpu, &self->out, ROUNDS));
	fd[1] = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd[1]);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, sync_event(self->session, fd[i]));
	ASSERT_EQ(0, run(&self->gpu, &self->out, ROUNDS));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, sync_event(self->session, fd[i]));
	EXPECT_EQ(2 * HITS, event_count(fd[0]));
	EXPECT_EQ(HITS, event_count(fd[1]));
	EXPECT_EQ(HITS, stats_of(self->session, fd[0]).metered);
	EXPECT_EQ(0, stats_of(self->session, fd[1]).metered);
	close(fd[1]);
	ASSERT_EQ(0, sync_event(self->session, fd[0]));
	ASSERT_EQ(0, run(&self->gpu, &self->out, ROUNDS));
	ASSERT_EQ(0, sync_event(self->session, fd[0]));
	EXPECT_EQ(3 * HITS, event_count(fd[0]));
	close(fd[0]);
}

/* PERF_EVENT_IOC_PERIOD: no sample is lost, and no hit */
TEST_F(meter, another_period)
{
	struct perf_event_attr attr = event_meter(self->out.va, SIZE);
	uint64_t period = 3;
	struct ring ring;
	int fd;

	event_sample(&attr, 10 * HITS);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
	ASSERT_EQ(0, sync_event(self->session, fd));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
	ASSERT_EQ(0, sync_event(self->session, fd));
	ASSERT_EQ(0, run(&self->gpu, &self->out, ROUNDS));
	ASSERT_EQ(0, sync_event(self->session, fd));
	EXPECT_EQ(HITS, event_count(fd));
	EXPECT_EQ(HITS / period, ring_drain(&ring));
	ring_unmap(&ring);
	close(fd);
}

/* also for watches that rotate: none counts more stores than were made */
TEST_F(meter, taking_turns)
{
	struct perf_event_attr attr;
	int64_t count, sum = 0;
	int i, fd[MANY];

	for (i = 0; i < MANY; i++) {
		attr = event_meter(self->out.va + i * GRANULE, GRANULE);
		fd[i] = event_open(&attr, 0, -1);
		ASSERT_LE(0, fd[i]);
	}
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, run(&self->gpu, &self->out, ROUNDS));
	for (i = 0; i < MANY; i++) {
		struct gpubp_sync sync;

		ASSERT_EQ(0, session_sync(self->session, fd[i], PATIENCE, &sync));
		count = event_count(fd[i]);
		EXPECT_GE(5 * ROUNDS, count) TH_LOG("watch %d", i);
		EXPECT_EQ(count, stats_of(self->session, fd[i]).matched);
		sum += count;
	}
	EXPECT_LT(0, sum);
	for (i = 0; i < MANY; i++)
		close(fd[i]);
}

TEST_HARNESS_MAIN
