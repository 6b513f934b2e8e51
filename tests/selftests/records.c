// SPDX-License-Identifier: GPL-2.0
/*
 * Recorded hits: waves record what their events count and sample, and none stops for
 * it; all of that is there when the dispatch has ended. What a ring has no place for
 * stops as ever.
 */
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define PATIENCE	120	/* s */
#define WAVE_BYTES	256
#define GROUPS		16
#define SIZE		(GROUPS * WAVE_BYTES)
#define ROUNDS		20
#define HITS		((int64_t)GROUPS * ROUNDS)
#define RING_PAGES	64
#define LANE		3
#define VA		0x320000000000ULL
#define FEW_PLACES	64
#define MANY_PLACES	4096

FIXTURE(records) {
	struct gpu gpu;
	struct grun_mem out;
	int session;
	int fd;
	long records, places;
	int64_t stopped, recorded;
};

FIXTURE_SETUP(records)
{
	self->fd = -1;
	self->records = event_parameter("handler_records", 1);
	self->places = event_parameter("record_places", 256);
	self->session = session_open();
	ASSERT_LE(0, self->session);
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, SIZE, 0));
}

FIXTURE_TEARDOWN(records)
{
	close(self->fd);
	close(self->session);
	gpu_close(&self->gpu);
	event_parameter("handler_records", self->records);
	event_parameter("record_places", self->places);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

static uint64_t word(const FIXTURE_DATA(records) *self, unsigned int group)
{
	return self->out.va + group * WAVE_BYTES + 4 * LANE;
}

static int sync_event(FIXTURE_DATA(records) *self, int fd)
{
	struct gpubp_sync sync;

	return session_sync(self->session, fd, PATIENCE, &sync) ?:
	       sync.nr_watches - sync.nr_armed;
}

static int watch(FIXTURE_DATA(records) *self, struct perf_event_attr *attr)
{
	self->fd = event_open(attr, 0, -1);
	return self->fd < 0 ? self->fd : sync_event(self, self->fd);
}

static int run(FIXTURE_DATA(records) *self, unsigned int rounds)
{
	self->stopped = books_device("raised") - books_checks();
	self->recorded = books_state("recorded");
	return gpu_run(&self->gpu, "repeat", GROUPS,
		       GPU_ARGS(self->out.va, rounds));
}

static int64_t stopped(const FIXTURE_DATA(records) *self)
{
	return books_device("raised") - books_checks() - self->stopped;
}

static int64_t recorded(const FIXTURE_DATA(records) *self)
{
	return books_state("recorded") - self->recorded;
}

/* without a pause: the dispatch has ended, so the count has all of its hits */
TEST_F(records, no_wave_stops)
{
	struct perf_event_attr attr = event_watch(word(self, 0), 4, EVENT_STORES);
	struct gpubp_event_stats stats;

	ASSERT_EQ(0, watch(self, &attr));
	ASSERT_EQ(0, run(self, ROUNDS));
	EXPECT_EQ(ROUNDS, event_count(self->fd));
	EXPECT_EQ(ROUNDS, recorded(self));
	EXPECT_EQ(0, stopped(self));
	ASSERT_EQ(0, session_stats(self->session, self->fd, &stats));
	EXPECT_EQ(ROUNDS, stats.recorded);
}

/* all bytes of its blocks are watched: these hits are decoded, too */
TEST_F(records, of_a_whole_buffer)
{
	struct perf_event_attr attr = event_watch(self->out.va, SIZE, EVENT_STORES);

	ASSERT_EQ(0, watch(self, &attr));
	ASSERT_EQ(0, run(self, ROUNDS));
	EXPECT_EQ(HITS, event_count(self->fd));
	EXPECT_EQ(HITS, recorded(self) + stopped(self));
	EXPECT_LT(0, recorded(self));
}

/* of each hit what it left there, not what was there when that was looked up */
static bool sample_is_right(const FIXTURE_DATA(records) *self,
			    const struct sample *s, unsigned int nr)
{
	uint16_t exact = GPUBP_HIT_PC_EXACT | GPUBP_HIT_BYTES | GPUBP_HIT_DATA |
			 GPUBP_HIT_COORDS | GPUBP_HIT_DISPATCH |
			 GPUBP_HIT_NEW_VALUE | GPUBP_HIT_NOW | GPUBP_HIT_SEEN;

	return record_is_clean(&s->rec) && s->addr == word(self, 0) &&
	       (s->rec.flags & exact) == exact &&
	       !(s->rec.flags & GPUBP_HIT_POSSIBLE) && !s->rec.wave &&
	       s->rec.lanes == 1ull << LANE && s->rec.exec == ~0ull &&
	       s->rec.hit_addr == word(self, 0) && s->rec.hit_len == 4 &&
	       s->rec.data == nr && s->rec.now == nr && s->rec.new_value == nr &&
	       s->rec.seen == (nr ? nr - 1 : 0) && !s->rec.wg_x &&
	       s->rec.access == GPUBP_ACCESS_STORE && s->rec.width == 4;
}

/* perf record -c 1: each hit, in order, with what was stored */
TEST_F(records, samples)
{
	struct perf_event_attr attr = event_watch(word(self, 0), 4, EVENT_STORES);
	unsigned int nr = 0, wrong = 0;
	uint64_t time = 0;
	struct sample s;
	struct ring ring;

	event_sample(&attr, 1);
	ASSERT_EQ(0, watch(self, &attr));
	ASSERT_EQ(0, ring_map(&ring, self->fd, RING_PAGES));
	ASSERT_EQ(0, run(self, ROUNDS));
	ASSERT_EQ(0, sync_event(self, self->fd));
	while (ring_next(&ring, &s)) {
		if (!sample_is_right(self, &s, nr++) || s.rec.gpu_time < time) {
			wrong++;
			record_print(&s.rec);
		}
		time = s.rec.gpu_time;
	}
	EXPECT_EQ(ROUNDS, nr);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, ring.lost);
	EXPECT_EQ(0, stopped(self));
	ring_unmap(&ring);
}

/* as many waves as the device has, at once, GPUBP_STORM times */
#define STORM_GROUPS	64

static int storm(FIXTURE_DATA(records) *self, long places, uint32_t period,
		 struct ring *ring, int64_t *hits)
{
	unsigned int rounds = env_number("GPUBP_STORM", slow_kernel() ? 10 : 50);
	struct grun_mem out;
	struct perf_event_attr attr;
	int err;

	event_parameter("record_places", places);
	*hits = (int64_t)STORM_GROUPS * rounds;
	err = gpu_buffer(&self->gpu, &out, STORM_GROUPS * WAVE_BYTES, 0);
	if (err)
		return err;
	attr = event_watch(out.va, STORM_GROUPS * WAVE_BYTES, EVENT_STORES);
	if (period)
		event_sample(&attr, period);
	err = watch(self, &attr) ?:
	      (ring ? ring_map(ring, self->fd, 1) : 0);
	self->stopped = books_device("raised") - books_checks();
	self->recorded = books_state("recorded");
	return err ?: gpu_run(&self->gpu, "repeat", STORM_GROUPS,
			      GPU_ARGS(out.va, rounds));
}

/* more waves at a time than a ring has places for: none is lost, or counted twice */
TEST_F(records, a_full_ring_stops)
{
	int64_t hits;

	ASSERT_EQ(0, storm(self, FEW_PLACES, 0, NULL, &hits));
	EXPECT_EQ(hits, event_count(self->fd));
	EXPECT_EQ(hits, recorded(self) + stopped(self));
	EXPECT_LT(0, recorded(self));
}

TEST_F(records, a_large_ring)
{
	int64_t hits;

	ASSERT_EQ(0, storm(self, MANY_PLACES, 0, NULL, &hits));
	EXPECT_EQ(hits, event_count(self->fd));
	EXPECT_EQ(hits, recorded(self) + stopped(self));
}

/* no task reads: perf has no room for most samples, and says how many it lost */
TEST_F(records, a_reader_that_stops)
{
	struct event_value value;
	unsigned int nr;
	struct ring ring;
	int64_t hits;

	ASSERT_EQ(0, storm(self, FEW_PLACES, 1, &ring, &hits));
	ASSERT_EQ(0, sync_event(self, self->fd));
	ASSERT_EQ(0, event_read(self->fd, &value));
	nr = ring_drain(&ring);
	EXPECT_EQ(hits, value.count);
	EXPECT_EQ(hits, nr + value.lost);
	EXPECT_LT(0, nr);
	EXPECT_TRUE(books_settle(PATIENCE));
	ring_unmap(&ring);
}

static int open_second(FIXTURE_DATA(records) *self, struct perf_event_attr *attr)
{
	int fd = event_open(attr, 0, -1);

	return fd < 0 || !sync_event(self, fd) ? fd : -1;
}

/* what one event wants of a hit, it does for all events of the watch */
TEST_F(records, changes_need_a_stop)
{
	struct perf_event_attr attr = event_watch(word(self, 0), 4, EVENT_STORES);
	int fd;

	ASSERT_EQ(0, watch(self, &attr));
	attr.config |= GPUBP_CONFIG_CHANGED;
	fd = open_second(self, &attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, run(self, ROUNDS));
	EXPECT_EQ(ROUNDS, event_count(self->fd));
	EXPECT_EQ(ROUNDS, stopped(self));
	EXPECT_EQ(0, recorded(self));
	close(fd);
	ASSERT_EQ(0, sync_event(self, self->fd));
	ASSERT_EQ(0, run(self, ROUNDS));
	EXPECT_EQ(2 * ROUNDS, event_count(self->fd));
	EXPECT_EQ(ROUNDS, recorded(self));
}

TEST_F(records, off)
{
	struct perf_event_attr attr = event_watch(word(self, 0), 4, EVENT_STORES);

	event_parameter("handler_records", 0);
	ASSERT_EQ(0, watch(self, &attr));
	ASSERT_EQ(0, run(self, ROUNDS));
	EXPECT_EQ(ROUNDS, event_count(self->fd));
	EXPECT_EQ(ROUNDS, stopped(self));
	EXPECT_EQ(0, recorded(self));
}

/* watches come and go while waves record hits of one that stays */
TEST_F(records, while_others_change)
{
	struct perf_event_attr attr = event_watch(word(self, 0), 4, EVENT_STORES);
	struct perf_event_attr more = event_watch(word(self, 1), 4, EVENT_STORES);
	unsigned int i;
	int64_t sum = 0;
	int fd;

	ASSERT_EQ(0, watch(self, &attr));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, gpu_start(&self->gpu, "repeat", GROUPS,
				       GPU_ARGS(self->out.va, ROUNDS)));
		fd = event_open(&more, 0, -1);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
		sum += event_count(fd);
		close(fd);
	}
	EXPECT_EQ(20 * ROUNDS, event_count(self->fd));
	EXPECT_GE(20 * ROUNDS, sum);
	EXPECT_TRUE(books_settle(PATIENCE));
}

/* each has a ring of its own */
TEST_F(records, of_two_contexts)
{
	struct perf_event_attr attr = event_watch(VA + 4 * LANE, 4, EVENT_STORES);
	struct grun_mem mine, other;
	struct gpu gpu;

	ASSERT_EQ(0, gpu_open(&gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &other, SIZE, VA));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &mine, SIZE, VA));
	ASSERT_EQ(0, watch(self, &attr));
	ASSERT_EQ(0, gpu_start(&gpu, "repeat", GROUPS, GPU_ARGS(VA, ROUNDS)));
	self->out.va = VA;
	ASSERT_EQ(0, run(self, ROUNDS));
	ASSERT_EQ(0, gpu_wait(&gpu, PATIENCE));
	EXPECT_EQ(2 * ROUNDS, event_count(self->fd));
	gpu_close(&gpu);
}

TEST_HARNESS_MAIN
