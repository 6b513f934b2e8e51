// SPDX-License-Identifier: GPL-2.0
/*
 * Very many hits on events with sigtrap, where each store hits several of them:
 * all are counted, and perf core prints no warning.
 *
 * environment:
 *	GPUBP_SIGTRAPS	hits of events, all together; default 100000
 */
#include <signal.h>
#include <stdlib.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "repeater.h"
#include "trap.h"

#define EVENTS		48	/* all hit by each store */
#define CHUNK		60	/* stores at once, below the limit of pending hits for a task */
#define HITS		100000
#define PATIENCE	120
#define SECONDS		1400
#define DATA(i)		(0x5100000000ULL + (i))

static struct {
	volatile int traps;
	volatile int strange;
} seen;

static void on_trap(int sig, siginfo_t *siginfo, void *context)
{
	const struct trap_info *info = trap_info(siginfo);
	uint64_t i = info->data - DATA(0);

	/* TRAP_ASYNC: during the handler of another event */
	if (info->code != TRAP_PERF || i >= EVENTS ||
	    info->flags & ~TRAP_ASYNC || info->type != event_type() ||
	    info->addr != REPEATER_VA + 4 * i)
		seen.strange++;
	seen.traps++;
}

FIXTURE(sigstorm) {
	struct gpu gpu;
	struct grun_mem out;
	int fd[EVENTS];
	unsigned int chunks;
};

FIXTURE_VARIANT(sigstorm) {
	bool runs;
};

FIXTURE_VARIANT_ADD(sigstorm, of_one_asleep) { .runs = false };
FIXTURE_VARIANT_ADD(sigstorm, of_one_running) { .runs = true };

/* number of chunks; the other variant does the other half */
static unsigned int plan(void)
{
	return env_number("GPUBP_SIGTRAPS", HITS) / 2 / EVENTS / CHUNK + 1;
}

FIXTURE_SETUP(sigstorm)
{
	int i;

	self->chunks = plan();
	ASSERT_EQ(0, trap_handle(on_trap, SA_RESTART));
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, REPEATER_SIZE,
				REPEATER_VA));
	for (i = 0; i < EVENTS; i++) {
		struct perf_event_attr attr = trap_watch(REPEATER_VA + 4 * i,
							 EVENT_STORES, DATA(i));

		self->fd[i] = event_open(&attr, 0, -1);
		ASSERT_LE(0, self->fd[i]);
	}
}

FIXTURE_TEARDOWN(sigstorm)
{
	int i;

	for (i = 0; i < EVENTS; i++)
		close(self->fd[i]);
	gpu_close(&self->gpu);
}

/* in user mode without system calls, until the last store */
static int store_and_run(struct gpu *gpu, struct grun_mem *out)
{
	volatile uint32_t *word = out->cpu;
	int ret;

	*word = 0;
	ret = gpu_start(gpu, "repeat", 1, GPU_ARGS(out->va, CHUNK));
	while (!ret && *word != CHUNK - 1)
		;
	return ret ?: gpu_wait(gpu, PATIENCE);
}

static int64_t dropped(void)
{
	return books_get("drop_cells") + books_get("drop_unreachable") +
	       books_get("drop_exited");
}

TEST_F_TIMEOUT(sigstorm, all_are_counted, SECONDS)
{
	int64_t before = dropped();
	unsigned int chunk;
	int i;

	for (chunk = 0; chunk < self->chunks; chunk++) {
		ASSERT_EQ(0, variant->runs ?
			  store_and_run(&self->gpu, &self->out) :
			  repeat(&self->gpu, REPEATER_VA, CHUNK));
		ASSERT_TRUE(books_settle(PATIENCE)) books_print();
	}
	TH_LOG("%u hits, %d signals", chunk * CHUNK * EVENTS, seen.traps);
	for (i = 0; i < EVENTS; i++)
		EXPECT_EQ(chunk * CHUNK, event_count(self->fd[i]));
	EXPECT_EQ(before, dropped());
	EXPECT_EQ(0, seen.strange);
	/* one signal may represent many hits, but not all of a chunk */
	EXPECT_LE(chunk, seen.traps);
	EXPECT_GE(chunk * CHUNK * EVENTS, seen.traps);
}

TEST_HARNESS_MAIN
