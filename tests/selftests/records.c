// SPDX-License-Identifier: GPL-2.0
/*
 * Recorded hits: waves record what their events count and sample, and none stops for
 * it; all of that is there when the dispatch has ended. What a ring has no place for
 * stops as ever.
 *
 * environment:
 *	GPUBP_HITS	of each storm, default 16000, on a debug kernel 640
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define PATIENCE	120	/* s */
#define LONG		7000	/* s */
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

/* with handler_check a wave that has recorded stops, which is reported */
static int64_t interrupts(void)
{
	return books_state("notices") + books_checks();
}

/* of a dispatch that has not ended: the first wave that records says so */
TEST_F(records, a_reader_sleeps)
{
	struct perf_event_attr attr = event_watch(word(self, 0), 4, EVENT_STORES);
	int64_t before = interrupts();
	struct pollfd poll_fd = { .events = POLLIN };
	struct grun_mem stop;
	struct ring ring;
	int woken;

	event_sample(&attr, 1);
	attr.wakeup_events = 1;
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &stop, 4096, 0));
	ASSERT_EQ(0, watch(self, &attr));
	ASSERT_EQ(0, ring_map(&ring, self->fd, RING_PAGES));
	ASSERT_EQ(0, gpu_start(&self->gpu, "paced", 1,
			       GPU_ARGS(self->out.va, stop.va, 1000)));
	poll_fd.fd = self->fd;
	woken = poll(&poll_fd, 1, PATIENCE * 1000);
	*(volatile uint32_t *)stop.cpu = 1;
	EXPECT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
	EXPECT_EQ(1, woken);
	EXPECT_LT(before, interrupts());
	ring_unmap(&ring);
}

/* as many waves as the device has, at once, until there are GPUBP_HITS */
#define STORM_GROUPS	64U
#define STORM_SIZE	(STORM_GROUPS * WAVE_BYTES)

struct storm {
	struct grun_mem out;
	unsigned int rounds;
	int64_t hits;
	int64_t raised, dropped;	/* before it */
};

static int64_t raised(void)
{
	return books_get("raised") - books_checks();
}

static int64_t dropped(void)
{
	return books_get("drop_cells") + books_get("drop_record") +
	       books_get("drop_stall") + books_get("drop_exited") +
	       books_get("drop_unreachable");
}

static int storm_start(FIXTURE_DATA(records) *self, struct storm *storm,
		       long places, uint32_t period, struct ring *ring,
		       unsigned int pages)
{
	int hits = env_number("GPUBP_HITS", slow_kernel() ? 640 : 16000);
	struct perf_event_attr attr;
	int err;

	event_parameter("record_places", places);
	storm->rounds = hits / STORM_GROUPS;
	storm->hits = (int64_t)STORM_GROUPS * storm->rounds;
	err = gpu_buffer(&self->gpu, &storm->out, STORM_SIZE, 0);
	if (err)
		return err;
	attr = event_watch(storm->out.va, STORM_SIZE, EVENT_STORES);
	if (period)
		event_sample(&attr, period);
	err = watch(self, &attr) ?: (ring ? ring_map(ring, self->fd, pages) : 0);
	self->stopped = books_device("raised") - books_checks();
	self->recorded = books_state("recorded");
	storm->raised = raised();
	storm->dropped = dropped();
	return err ?: gpu_start(&self->gpu, "repeat", STORM_GROUPS,
				GPU_ARGS(storm->out.va, storm->rounds));
}

static void storm_print(const FIXTURE_DATA(records) *self,
			const struct storm *storm, uint64_t since)
{
	printf("# %lld hits, %lld recorded, %lld stopped, %.1f s\n",
	       (long long)storm->hits, (long long)recorded(self),
	       (long long)stopped(self), (now_ns() - since) / 1e9);
}

static int storm_count(FIXTURE_DATA(records) *self, struct storm *storm,
		       long places)
{
	uint64_t since = now_ns();
	int err = storm_start(self, storm, places, 0, NULL, 0) ?:
		  gpu_wait(&self->gpu, -1);

	storm_print(self, storm, since);
	return err;
}

/* more waves at a time than a ring has places for: none is lost, or counted twice */
TEST_F_TIMEOUT(records, a_full_ring_stops, LONG)
{
	struct storm storm;

	ASSERT_EQ(0, storm_count(self, &storm, FEW_PLACES));
	EXPECT_EQ(storm.hits, event_count(self->fd));
	EXPECT_EQ(storm.hits, recorded(self) + stopped(self));
	EXPECT_LT(0, recorded(self));
}

TEST_F_TIMEOUT(records, a_large_ring, LONG)
{
	struct storm storm;

	ASSERT_EQ(0, storm_count(self, &storm, MANY_PLACES));
	EXPECT_EQ(storm.hits, event_count(self->fd));
	EXPECT_EQ(storm.hits, recorded(self) + stopped(self));
}

/* what a reader found of the hits of each wave, of which each stores its number */
struct storm_found {
	int64_t samples;
	int64_t skipped;	/* numbers without a sample */
	unsigned int wrong;
	uint32_t next[STORM_GROUPS];
};

static bool storm_sample_is_right(const struct storm *storm,
				  const struct sample *s)
{
	const struct gpubp_hit_record *r = &s->rec;

	return record_is_clean(r) && r->wg_x < STORM_GROUPS &&
	       r->lanes == ~0ull && r->exec == ~0ull &&
	       r->access == GPUBP_ACCESS_STORE && r->width == 4 &&
	       r->hit_addr == storm->out.va + r->wg_x * WAVE_BYTES &&
	       (r->flags & GPUBP_HIT_PC_EXACT) && (r->flags & GPUBP_HIT_COORDS) &&
	       (r->flags & GPUBP_HIT_DATA) && r->data < storm->rounds &&
	       (!(r->flags & GPUBP_HIT_NOW) || r->now == r->data);
}

/* a torn one is wrong, of a doubled one the number is not the next of its wave */
static void storm_take(const struct storm *storm, struct storm_found *found,
		       const struct sample *s)
{
	uint32_t *next;

	found->samples++;
	if (!storm_sample_is_right(storm, s) ||
	    s->rec.data < found->next[s->rec.wg_x]) {
		if (found->wrong++ < 10)
			record_print(&s->rec);
		return;
	}
	next = &found->next[s->rec.wg_x];
	found->skipped += s->rec.data - *next;
	*next = s->rec.data + 1;
}

static void storm_read(const struct storm *storm, struct storm_found *found,
		       struct ring *ring)
{
	struct sample s;

	while (ring_next(ring, &s))
		storm_take(storm, found, &s);
}

static void storm_found_end(const struct storm *storm, struct storm_found *found)
{
	unsigned int i;

	for (i = 0; i < STORM_GROUPS; i++)
		found->skipped += storm->rounds - found->next[i];
}

#define STOP_US		20000
#define READS		50U	/* between stops of the reader */

/* reads for a while, and then not for a while, until the dispatch has ended */
static int storm_follow(FIXTURE_DATA(records) *self, const struct storm *storm,
			struct storm_found *found, struct ring *ring)
{
	struct pollfd fd = { .fd = self->fd, .events = POLLIN };
	unsigned int reads;
	int err;

	for (reads = 1; (err = gpu_wait(&self->gpu, 0)) == -ETIME; reads++) {
		poll(&fd, 1, 10);
		storm_read(storm, found, ring);
		if (!(reads % READS))
			usleep(STOP_US);
	}
	return err ?: sync_event(self, self->fd);
}

/*
 * @pages: of perf's buffer. Each hit is a sample once, or lost by perf for want of room,
 * which says how many. On a machine that is too slow for its owner to get it, a hit may be
 * dropped: it is in the statistics, and lost for the event.
 */
static void storm_samples(struct __test_metadata *_metadata,
			  FIXTURE_DATA(records) *self, long places,
			  unsigned int pages, bool follow)
{
	struct storm_found found = {};
	uint64_t since = now_ns();
	struct event_value value;
	struct storm storm;
	struct ring ring;

	ASSERT_EQ(0, storm_start(self, &storm, places, 1, &ring, pages));
	if (follow) {
		ASSERT_EQ(0, storm_follow(self, &storm, &found, &ring));
	} else {
		ASSERT_EQ(0, gpu_wait(&self->gpu, -1));
		ASSERT_EQ(0, sync_event(self, self->fd));
	}
	storm_print(self, &storm, since);
	ASSERT_EQ(0, event_read(self->fd, &value));
	storm_read(&storm, &found, &ring);
	storm_found_end(&storm, &found);
	printf("# %lld samples, %llu lost, %lld of them dropped\n",
	       (long long)found.samples, (unsigned long long)value.lost,
	       (long long)(dropped() - storm.dropped));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(storm.hits, raised() - storm.raised);
	EXPECT_EQ(storm.hits, value.count + dropped() - storm.dropped);
	EXPECT_EQ(storm.hits, found.samples + value.lost);
	EXPECT_EQ(value.lost, found.skipped);
	EXPECT_EQ(0, found.wrong);
	EXPECT_EQ(0, ring.bad);
	EXPECT_LT(0, found.samples);
	ring_unmap(&ring);
}

/* no task reads: perf has no room for most samples, and says how many it lost */
TEST_F_TIMEOUT(records, a_reader_that_stops, LONG)
{
	storm_samples(_metadata, self, FEW_PLACES, 1, false);
}

TEST_F_TIMEOUT(records, a_reader_that_pauses, LONG)
{
	storm_samples(_metadata, self, FEW_PLACES, RING_PAGES, true);
}

TEST_F_TIMEOUT(records, a_reader_of_a_large_ring, LONG)
{
	storm_samples(_metadata, self, MANY_PLACES, RING_PAGES, true);
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
