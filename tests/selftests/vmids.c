// SPDX-License-Identifier: GPL-2.0
/*
 * More contexts than VMIDs, all of them permanently busy: each gets its quanta,
 * is suspended in mid-kernel and continues exactly where it was.
 *
 * Each context belongs to one thread and has one workgroup that stores 1, 2, 3
 * ... to a word until the stop request. That word counts its stores; an event
 * of the thread counts them, too. The word has the same address in all
 * contexts, so that one value of one comparator serves all of them all the
 * time.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"

#define DEBUGFS		"/sys/kernel/debug/gpubp_sim0/"
#define VA		0x200000000ULL
#define PAGE		4096
#define NR_CTXS		40
#define NR_VMIDS	15
#define ROUNDS		12	/* enough that one long quantum does not matter */
#define PACE		1000	/* rounds for each store: rarely halted, hence busy */
#define PATIENCE	200	/* s */

/*
 * VMIDs are given to the context that waits longest, so the numbers of quanta
 * of two contexts differ by one at most, two while a context is being switched.
 * A context that is halted when it is next is passed over.
 */
#define MAX_TURNS_APART	2

enum { UNWATCHED, WATCHED };

/**
 * struct busy - a context
 * @thread: its thread
 * @watched: it has an event
 * @start: barrier after the setup of all contexts
 * @ok: no error occurred
 * @stores: stores made
 * @value: value of the event
 * @stop: buffer of the GPU; its first word ends the kernel
 */
struct busy {
	pthread_t thread;
	bool watched;
	pthread_barrier_t *start;
	bool ok;
	uint32_t stores;
	struct event_value value;
	volatile uint32_t *stop;
};

static int count_stores(struct busy *busy)
{
	struct perf_event_attr attr = event_watch(VA, 4, EVENT_STORES);

	return busy->watched ? event_open(&attr, 0, -1) : 0;
}

static bool set_up(struct busy *busy, struct gpu *gpu, struct grun_mem *out,
		   struct grun_mem *stop)
{
	if (gpu_open(gpu, "loop"))
		return false;
	if (gpu_buffer(gpu, out, PAGE, VA) || gpu_buffer(gpu, stop, PAGE, 0))
		return false;
	return true;
}

static void *live(void *arg)
{
	struct busy *busy = arg;
	struct grun_mem out, stop;
	struct gpu gpu;
	int event;

	busy->ok = set_up(busy, &gpu, &out, &stop);
	event = count_stores(busy);
	busy->ok = busy->ok && event >= 0;
	pthread_barrier_wait(busy->start);
	if (!busy->ok)
		return NULL;
	busy->stop = stop.cpu;
	if (gpu_start(&gpu, "paced", 1,
		      GPU_ARGS(out.va, stop.va, PACE)) ||
	    gpu_wait(&gpu, PATIENCE))
		busy->ok = false;
	busy->stores = *(volatile uint32_t *)out.cpu;
	if (busy->watched) {
		busy->ok = busy->ok && books_settle(PATIENCE) &&
			   !event_read(event, &busy->value);
		close(event);
	}
	gpu_close(&gpu);
	return NULL;
}

/* A context's numbers in debugfs. */
struct turns {
	unsigned int vmid;
	uint64_t maps;
	uint64_t ns;
};

static unsigned int read_turns(struct turns *turns, unsigned int max)
{
	FILE *f = fopen(DEBUGFS "contexts", "r");
	unsigned int n = 0;
	char line[256];

	while (f && n < max && fgets(line, sizeof(line), f))
		if (sscanf(line, "context %*u pasid %*u vmid %u maps %" SCNu64
			   " vmid_ns %" SCNu64, &turns[n].vmid,
			   &turns[n].maps, &turns[n].ns) == 3)
			n++;
	if (f)
		fclose(f);
	return n;
}

static uint64_t fewest(const struct turns *turns, unsigned int n)
{
	uint64_t min = UINT64_MAX;

	while (n--)
		if (turns[n].maps < min)
			min = turns[n].maps;
	return min;
}

static uint64_t most(const struct turns *turns, unsigned int n)
{
	uint64_t max = 0;

	while (n--)
		if (turns[n].maps > max)
			max = turns[n].maps;
	return max;
}

static int by_ns(const void *a, const void *b)
{
	const struct turns *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

FIXTURE(ctxs)
{
	struct busy busy[NR_CTXS];
	pthread_barrier_t start;
	struct turns turns[NR_CTXS];
};

FIXTURE_VARIANT(ctxs)
{
	int watched;
};

FIXTURE_VARIANT_ADD(ctxs, unwatched)
{
	.watched = UNWATCHED,
};

FIXTURE_VARIANT_ADD(ctxs, watched)
{
	.watched = WATCHED,
};

FIXTURE_SETUP(ctxs)
{
	int i;

	pthread_barrier_init(&self->start, NULL, NR_CTXS + 1);
	for (i = 0; i < NR_CTXS; i++) {
		self->busy[i] = (struct busy){
			.watched = variant->watched,
			.start = &self->start,
		};
		ASSERT_EQ(0, pthread_create(&self->busy[i].thread, NULL, live,
					    &self->busy[i]));
	}
	pthread_barrier_wait(&self->start);
	for (i = 0; i < NR_CTXS; i++)
		ASSERT_TRUE(self->busy[i].ok);
}

FIXTURE_TEARDOWN(ctxs)
{
	pthread_barrier_destroy(&self->start);
}

/* wait until each has had so many quanta; returns the number of contexts */
static unsigned int wait_turns(struct turns *turns, unsigned int rounds)
{
	unsigned int i, n = 0;

	for (i = 0; i < PATIENCE * 50; i++) {
		n = read_turns(turns, NR_CTXS);
		if (n == NR_CTXS && fewest(turns, n) >= rounds)
			break;
		usleep(20000);
	}
	return n;
}

/*
 * Quanta of each from the moment when all had begun: a watched context's first
 * dispatch waits for a commit. The contexts are listed in order of creation.
 */
static unsigned int let_run(struct turns *turns)
{
	struct turns began[NR_CTXS];
	unsigned int i, n;

	if (wait_turns(began, 1) != NR_CTXS)
		return 0;
	n = wait_turns(turns, most(began, NR_CTXS) + ROUNDS);
	for (i = 0; i < n; i++) {
		turns[i].maps -= began[i].maps;
		turns[i].ns -= began[i].ns;
	}
	return n;
}

static void stop_all(struct busy *busy)
{
	int i;

	for (i = 0; i < NR_CTXS; i++)
		if (busy[i].stop)
			*busy[i].stop = 1;
	for (i = 0; i < NR_CTXS; i++)
		pthread_join(busy[i].thread, NULL);
}

TEST_F(ctxs, take_turns)
{
	unsigned int i, n, resident = 0;

	n = let_run(self->turns);
	stop_all(self->busy);
	ASSERT_EQ(NR_CTXS, n);
	EXPECT_LE(ROUNDS, fewest(self->turns, n));
	if (!variant->watched)
		EXPECT_GE(fewest(self->turns, n) + MAX_TURNS_APART,
			  most(self->turns, n));
	for (i = 0; i < n; i++)
		resident += self->turns[i].vmid != 0;
	EXPECT_GE(NR_VMIDS, resident);
	qsort(self->turns, n, sizeof(*self->turns), by_ns);
	printf("# VMID time %" PRIu64 " to %" PRIu64 " ms, turns %" PRIu64 " to %" PRIu64 "\n",
	       self->turns[0].ns / 1000000, self->turns[n - 1].ns / 1000000,
	       fewest(self->turns, n), most(self->turns, n));
	EXPECT_GE(2 * self->turns[0].ns, self->turns[n - 1].ns);

	for (i = 0; i < NR_CTXS; i++) {
		const struct busy *busy = &self->busy[i];

		EXPECT_TRUE(busy->ok);
		EXPECT_LT(0, busy->stores);
		if (!busy->watched)
			continue;
		EXPECT_EQ(busy->stores, busy->value.count);
		EXPECT_EQ(busy->value.enabled, busy->value.running);
	}
}

TEST_HARNESS_MAIN
