// SPDX-License-Identifier: GPL-2.0
/*
 * More watches than comparators: all are accepted and each is armed in its
 * turn.
 */
#include <time.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define GRANULE		64
#define SLOTS		4	/* of the software GPU */
#define TURNS		(SLOTS - 1)	/* the last slot is assigned at random */
#define MAX_WATCHES	64
#define ROUNDS		50
#define PATIENCE	120	/* s */

/* one watch a granule; a wave of 64 dwords stores to four of them */
#define SIZE	(MAX_WATCHES * GRANULE)
#define GROUPS	(SIZE / 256)

/**
 * struct watching - a kernel and its watches
 * @gpu: context
 * @out: words that the kernel stores to
 * @stop: word that ends "until"
 * @nr: entries of @fd
 * @fd: events
 */
struct watching {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem stop;
	int nr;
	int fd[MAX_WATCHES];
};

static int begin_watching(struct watching *w, int nr)
{
	int fd;

	if (gpu_open(&w->gpu, "loop") || gpu_buffer(&w->gpu, &w->out, SIZE, 0) ||
	    gpu_buffer(&w->gpu, &w->stop, 4, 0))
		return -1;
	for (w->nr = 0; w->nr < nr; w->nr++) {
		struct perf_event_attr attr =
			event_watch(w->out.va + w->nr * GRANULE + 8, 4, EVENT_STORES);

		fd = event_open(&attr, 0, -1);
		if (fd < 0)
			return fd;
		w->fd[w->nr] = fd;
	}
	return 0;
}

static void end_watching(struct watching *w)
{
	gpu_close(&w->gpu);
	while (w->nr)
		close(w->fd[--w->nr]);
}

static int nr_counted(const struct watching *w)
{
	int i, counted = 0;

	for (i = 0; i < w->nr; i++)
		counted += event_count(w->fd[i]) > 0;
	return counted;
}

/* the longest time between two quanta of a watch, in quanta */
static uint64_t longest_wait(int nr)
{
	return nr > SLOTS ? 2 * ((nr + TURNS - 1) / TURNS) : 1;
}

/* quanta by which each was stored to: waves run in all of them, but not all the time */
static uint64_t enough(int nr)
{
	return 20 * longest_wait(nr) + 20;
}

static uint64_t quanta_of(int session, int fd)
{
	struct gpubp_event_stats stats;

	return session_stats(session, fd, &stats) ? UINT64_MAX :
						    stats.wanted_quanta;
}

/* the kernel counts its own stores, lane by lane */
static uint32_t stores_to(const struct watching *w, int watch)
{
	volatile uint32_t *words = w->out.cpu;

	return words[watch * GRANULE / 4 + 2];
}

FIXTURE(rotate) {
	struct watching w;
};

FIXTURE_VARIANT(rotate) {
	int watches;
};

FIXTURE_VARIANT_ADD(rotate, 1) { .watches = 1 };
FIXTURE_VARIANT_ADD(rotate, 4) { .watches = 4 };
FIXTURE_VARIANT_ADD(rotate, 5) { .watches = 5 };
FIXTURE_VARIANT_ADD(rotate, 16) { .watches = 16 };
FIXTURE_VARIANT_ADD(rotate, 64) { .watches = 64 };

FIXTURE_SETUP(rotate)
{
	ASSERT_EQ(0, begin_watching(&self->w, variant->watches));
}

FIXTURE_TEARDOWN(rotate)
{
	end_watching(&self->w);
}

TEST_F(rotate, each_has_its_turn)
{
	int i, session = session_open();
	struct watching *w = &self->w;
	struct gpubp_event_stats stats;
	time_t end = time(NULL) + PATIENCE;

	ASSERT_EQ(0, gpu_start(&w->gpu, "until", GROUPS,
			       GPU_ARGS(w->out.va, w->stop.va)));
	while (nr_counted(w) < w->nr && time(NULL) < end &&
	       quanta_of(session, w->fd[0]) < enough(w->nr))
		usleep(20000);
	TH_LOG("%lu quanta", quanta_of(session, w->fd[0]));
	*(volatile uint32_t *)w->stop.cpu = 1;
	ASSERT_EQ(0, gpu_wait(&w->gpu, PATIENCE));
	for (i = 0; i < w->nr; i++) {
		EXPECT_LT(0, event_count(w->fd[i])) TH_LOG("watch %d", i);
		EXPECT_GE(stores_to(w, i), event_count(w->fd[i]));
		if (w->nr <= SLOTS)
			EXPECT_EQ(stores_to(w, i), event_count(w->fd[i]));
		ASSERT_EQ(0, session_stats(session, w->fd[i], &stats));
		EXPECT_GE(longest_wait(w->nr), stats.longest_gap)
			TH_LOG("watch %d", i);
	}
	close(session);
}

/* no more watches than comparators: every store of many dispatches counts */
TEST(exact_if_all_fit)
{
	struct watching w;
	int nr, i;

	for (nr = 1; nr <= SLOTS; nr++) {
		ASSERT_EQ(0, begin_watching(&w, nr));
		for (i = 0; i < ROUNDS; i++)
			ASSERT_EQ(0, gpu_run(&w.gpu, "repeat", GROUPS,
					     GPU_ARGS(w.out.va, 2)));
		for (i = 0; i < nr; i++)
			EXPECT_EQ(2 * ROUNDS, event_count(w.fd[i]))
				TH_LOG("watch %d of %d", i, nr);
		end_watching(&w);
	}
}

/* one wave that only stores: it was stopped for no longer than the elapsed time */
TEST(a_wave_is_stopped)
{
	struct gpubp_event_stats stats;
	int i, session = session_open();
	struct watching w;

	ASSERT_EQ(0, begin_watching(&w, 3 * SLOTS));
	ASSERT_EQ(0, gpu_start(&w.gpu, "until", 1,
			       GPU_ARGS(w.out.va, w.stop.va)));
	while (quanta_of(session, w.fd[0]) < enough(w.nr))
		usleep(20000);
	*(volatile uint32_t *)w.stop.cpu = 1;
	ASSERT_EQ(0, gpu_wait(&w.gpu, PATIENCE));
	for (i = 0; i < w.nr; i++) {
		ASSERT_EQ(0, session_stats(session, w.fd[i], &stats));
		EXPECT_GE(stores_to(&w, i), stats.matched);
		/*
		 * also watches that it does not store to: it was stopped while
		 * they were armed
		 */
		EXPECT_LT(0, stats.stopped_armed_ns);
		EXPECT_LE(stats.stopped_armed_ns, stats.armed_ns);
		EXPECT_LT(stats.stopped_armed_ns, stats.stopped_ns);
		EXPECT_LE(stats.stopped_ns, stats.resident_ns);
	}
	end_watching(&w);
	close(session);
}

/* they were armed for all of the time that it was stopped for their hits */
TEST(a_wave_is_stopped_while_armed)
{
	struct gpubp_event_stats stats;
	int i, session = session_open();
	struct watching w;

	ASSERT_EQ(0, begin_watching(&w, SLOTS));
	ASSERT_EQ(0, gpu_run(&w.gpu, "repeat", 1, GPU_ARGS(w.out.va, ROUNDS)));
	for (i = 0; i < w.nr; i++) {
		EXPECT_EQ(ROUNDS, event_count(w.fd[i]));
		ASSERT_EQ(0, session_stats(session, w.fd[i], &stats));
		EXPECT_LT(0, stats.stopped_ns);
		EXPECT_EQ(stats.stopped_ns, stats.stopped_armed_ns);
		EXPECT_LE(stats.stopped_ns, stats.resident_ns);
	}
	end_watching(&w);
	close(session);
}

TEST_HARNESS_MAIN
