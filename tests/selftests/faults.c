// SPDX-License-Identifier: GPL-2.0
/*
 * Fault injection: each kind of fault occurs one time in so many, while
 * contexts are created, watched, hit and destroyed: programs end, the
 * statistics balance, and afterwards everything works as before.
 *
 * environment:
 *	GPUBP_STORM	rounds, default 30, on a debug kernel 12
 */
#include <inttypes.h>
#include <stdlib.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "simdev.h"

#define SIZE		4096
#define PATIENCE	60	/* s */
#define STORES		5
#define NR_EVENTS	2
#define STRIDE		128	/* bytes between the watched words: two comparators */
#define ALL_SLOTS	0xf
#define LOG		"/sys/kernel/debug/gpubp/gpubp_sim0/log"

static int rounds(void)
{
	return env_number("GPUBP_STORM", debug_kernel() ? 12 : 30);
}

/**
 * struct round - what the first event of a round counted
 * @value: its value
 * @va: what it watches
 * @began: when the dispatch began, ns
 * @ended: when it ended
 * @explained: it is known why stores are missing, if there are any
 */
struct round {
	struct event_value value;
	uint64_t va, began, ended;
	bool explained;
};

static bool log_has_move(const struct round *round)
{
	uint64_t time, start;
	bool found = false;
	char line[256];
	FILE *f = fopen(LOG, "re");

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f))
		found |= sscanf(line, "%*u %*u %" SCNu64 " %*u %*u %" SCNx64,
				&time, &start) == 2 &&
			 start == round->va && time >= round->began &&
			 time <= round->ended;
	fclose(f);
	return found;
}

/*
 * A watch that a commit takes from its comparator counts as armed until the commit
 * is over, which may be after the dispatch. Wait for that; false: no such commit
 * began during the dispatch.
 */
static bool was_moved(const struct round *round)
{
	int ms;

	for (ms = 0; ms < PATIENCE * 1000; ms += 5) {
		if (log_has_move(round))
			return true;
		usleep(5000);
	}
	return false;
}

/* stores that are missing were made while the watch was not armed */
static bool round_is_explained(const struct round *round)
{
	return round->value.count == STORES ||
	       round->value.running < round->value.enabled || was_moved(round);
}

/*
 * 0, or the error of a call that must not fail. @moves: comparators that fail move
 * the watch.
 */
static int one_round(struct round *round, bool moves)
{
	int fd[NR_EVENTS], i, ret = -1;
	struct grun_mem mem;
	struct gpu gpu;

	if (gpu_open(&gpu, "loop"))
		return -1;
	if (gpu_buffer(&gpu, &mem, SIZE, 0))
		goto close_gpu;
	for (i = 0; i < NR_EVENTS; i++) {
		struct perf_event_attr attr =
			event_watch(mem.va + i * STRIDE, 4, EVENT_STORES);

		fd[i] = event_open(&attr, 0, -1);
		if (fd[i] < 0)
			goto close_events;
	}
	round->va = mem.va;
	round->began = now_ns();
	ret = gpu_run(&gpu, "repeat", 1, GPU_ARGS(mem.va, STORES));
	round->ended = now_ns();
	/* without waiting: hits are delivered before their waves resume */
	if (!ret)
		ret = event_read(fd[0], &round->value);
	if (!ret && moves)
		round->explained = round_is_explained(round);
close_events:
	while (i)
		close(fd[--i]);
close_gpu:
	gpu_close(&gpu);
	return ret;
}

/* without injected faults the count is exact */
static int64_t calm_count(void)
{
	struct perf_event_attr attr;
	int64_t count = -1;
	struct grun_mem mem;
	struct gpu gpu;
	int fd;

	if (gpu_open(&gpu, "loop"))
		return -1;
	if (!gpu_buffer(&gpu, &mem, SIZE, 0)) {
		attr = event_watch(mem.va, 4, EVENT_STORES);
		fd = event_open(&attr, 0, -1);
		if (fd >= 0 && !gpu_run(&gpu, "repeat", 1,
					GPU_ARGS(mem.va, STORES)) &&
		    books_settle(PATIENCE))
			count = event_count(fd);
		close(fd);
	}
	gpu_close(&gpu);
	return count;
}

/* wait until all comparators work, or not all; false: timeout */
static bool await_usable(bool all)
{
	int ms;

	for (ms = 0; ms < PATIENCE * 1000; ms += 5) {
		if ((books_state("usable_slots") == ALL_SLOTS) == all)
			return true;
		usleep(5000);
	}
	return false;
}

FIXTURE(faults) {
	int nr_planted;
};

FIXTURE_VARIANT(faults) {
	const char *fault;
	unsigned int every;
};

#define PLANT(_fault)							\
	FIXTURE_VARIANT_ADD(faults, _fault##_3) {			\
		.fault = #_fault, .every = 3,				\
	};								\
	FIXTURE_VARIANT_ADD(faults, _fault##_10) {			\
		.fault = #_fault, .every = 10,				\
	}

PLANT(program);
PLANT(slow);
PLANT(undrained);
PLANT(install);
PLANT(alloc);
PLANT(read);
FIXTURE_VARIANT_ADD(faults, read_1) {
	.fault = "read", .every = 1,
};

FIXTURE_SETUP(faults)
{
	self->nr_planted = simdev_planted(0, variant->fault);
	ASSERT_LE(0, self->nr_planted);
	ASSERT_EQ(0, simdev_fault(0, variant->fault, variant->every));
}

FIXTURE_TEARDOWN(faults)
{
	EXPECT_EQ(0, simdev_fault(0, variant->fault, 0));
	/* after another owner used them, comparators that failed work again */
	EXPECT_EQ(0, simdev_take(0, ALL_SLOTS));
	EXPECT_EQ(0, simdev_take(0, 0));
}

static bool is_fault(const FIXTURE_VARIANT(faults) *variant, const char *fault)
{
	return !strcmp(variant->fault, fault);
}

/* these faults lose no hit: the dispatch waits until all is armed */
static bool is_harmless(const FIXTURE_VARIANT(faults) *variant)
{
	return is_fault(variant, "slow") || is_fault(variant, "undrained");
}

/* what became of the stores that are missing */
static void show_round(const struct event_value *value)
{
	printf("# %lu stores, armed %lu of %lu ns\n", value->count,
	       value->running, value->enabled);
	books_print();
	fflush(stdout);
	if (system("sed 's/^/# /' /sys/kernel/debug/gpubp/gpubp_sim0/log | tail -n 40"))
		printf("# no log\n");
}

TEST_F(faults, storm)
{
	int64_t undrained = books_device("undrained");
	int64_t unread = books_get("possible") + books_get("drop_record");
	const struct event_value *value;
	struct round round;
	int i, planted, exact = 0;

	for (i = 0; i < rounds(); i++) {
		ASSERT_EQ(0, one_round(&round, is_fault(variant, "program")))
			TH_LOG("round %d", i);
		value = &round.value;
		EXPECT_GE(STORES, value->count);
		/* a commit may arm another comparator, or the other watch */
		if (is_fault(variant, "program")) {
			EXPECT_TRUE(round.explained)
				show_round(value);
		} else if (is_harmless(variant)) {
			EXPECT_EQ(STORES, value->count);
		} else if (!is_fault(variant, "read")) {
			EXPECT_TRUE(value->count == STORES || !value->count);
		}
		exact += value->count == STORES;
	}
	TH_LOG("%d rounds of %d were exact", exact, rounds());
	EXPECT_EQ(0, simdev_fault(0, variant->fault, 0));
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();

	planted = simdev_planted(0, variant->fault) - self->nr_planted;
	undrained = books_device("undrained") - undrained;
	unread = books_get("possible") + books_get("drop_record") - unread;
	TH_LOG("%d planted", planted);
	/* each fault can occur in each round, while comparators work */
	if (!is_fault(variant, "program")) {
		EXPECT_LE(rounds() / variant->every, planted);
		EXPECT_LE(rounds() - planted, exact);
	}
	EXPECT_LT(0, planted);
	if (is_fault(variant, "undrained"))
		EXPECT_LE(planted, undrained);
	/*
	 * Without the wave's registers the owner of the record is unknown; if
	 * they cannot be read later on, the address within the block is. The record
	 * is read once more, from other registers, if it is not known to be its own.
	 */
	if (is_fault(variant, "read"))
		EXPECT_LE(unread, planted);
	if (is_fault(variant, "read") && variant->every == 1)
		EXPECT_LT(0, unread);
	/* what failed is given back by the run after the last event */
	EXPECT_TRUE(await_usable(true));
	EXPECT_EQ(STORES, calm_count());
}

/* A comparator that failed is not used until another owner has had it. */
TEST(quarantine)
{
	struct perf_event_attr attr;
	int fd[NR_EVENTS], i;
	struct grun_mem mem;
	struct gpu gpu;

	ASSERT_EQ(0, gpu_open(&gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &mem, SIZE, 0));
	ASSERT_EQ(0, simdev_fault(0, "program", 1));
	for (i = 0; i < NR_EVENTS; i++) {
		attr = event_watch(mem.va + i * STRIDE, 4, EVENT_STORES);
		fd[i] = event_open(&attr, 0, -1);
		ASSERT_LE(0, fd[i]);
	}
	EXPECT_TRUE(await_usable(false));
	EXPECT_EQ(0, simdev_fault(0, "program", 0));
	EXPECT_NE(ALL_SLOTS, books_state("usable_slots"));
	EXPECT_EQ(0, simdev_take(0, ALL_SLOTS));
	EXPECT_EQ(0, books_state("usable_slots"));
	EXPECT_EQ(0, simdev_take(0, 0));
	EXPECT_EQ(ALL_SLOTS, books_state("usable_slots"));
	for (i = 0; i < NR_EVENTS; i++)
		close(fd[i]);
	gpu_close(&gpu);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
	EXPECT_EQ(STORES, calm_count());
}

TEST_HARNESS_MAIN
