// SPDX-License-Identifier: GPL-2.0
/*
 * More watches than comparators: all are accepted and each has its turn.
 */
#include <time.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"

#define GRANULE		64
#define SLOTS		4	/* of the software GPU */
#define MAX_WATCHES	64
#define ROUNDS		50
#define PATIENCE	120	/* s */

/* one watch a granule; a wave of 64 dwords stores to four of them */
#define SIZE	(MAX_WATCHES * GRANULE)
#define GROUPS	(SIZE / 256)

FIXTURE(rotate) {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem stop;
	int fd[MAX_WATCHES];
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
	int i;

	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, SIZE, 0));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->stop, 4, 0));
	for (i = 0; i < variant->watches; i++) {
		struct perf_event_attr attr =
			event_watch(self->out.va + i * GRANULE + 8, 4, EVENT_STORES);

		self->fd[i] = event_open(&attr, 0, -1);
		ASSERT_LE(0, self->fd[i]) TH_LOG("watch %d", i);
	}
}

FIXTURE_TEARDOWN(rotate)
{
	int i;

	gpu_close(&self->gpu);
	for (i = 0; i < variant->watches; i++)
		close(self->fd[i]);
}

static unsigned int nr_counted(const int *fd, int n)
{
	unsigned int counted = 0;

	while (n--)
		counted += event_count(fd[n]) > 0;
	return counted;
}

static uint32_t stores_to(const struct grun_mem *out, int watch)
{
	volatile uint32_t *words = out->cpu;

	return words[watch * GRANULE / 4 + 2];
}

/* the kernel counts its own stores, lane by lane */
TEST_F(rotate, each_has_its_turn)
{
	time_t end = time(NULL) + PATIENCE;
	int i;

	ASSERT_EQ(0, gpu_start(&self->gpu, "until", GROUPS,
			       GPU_ARGS(self->out.va, self->stop.va)));
	while (nr_counted(self->fd, variant->watches) < variant->watches &&
	       time(NULL) < end)
		usleep(20000);
	*(volatile uint32_t *)self->stop.cpu = 1;
	ASSERT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
	ASSERT_TRUE(books_settle(PATIENCE));
	for (i = 0; i < variant->watches; i++) {
		EXPECT_LT(0, event_count(self->fd[i])) TH_LOG("watch %d", i);
		EXPECT_GE(stores_to(&self->out, i), event_count(self->fd[i]));
		if (variant->watches <= SLOTS)
			EXPECT_EQ(stores_to(&self->out, i), event_count(self->fd[i]));
	}
}

/* no more watches than comparators: every store of many dispatches counts */
TEST_F(rotate, exact_if_all_fit)
{
	int i;

	if (variant->watches > SLOTS)
		SKIP(return, "more watches than comparators");
	for (i = 0; i < ROUNDS; i++)
		ASSERT_EQ(0, gpu_run(&self->gpu, "repeat", GROUPS,
				     GPU_ARGS(self->out.va, 2)));
	ASSERT_TRUE(books_settle(PATIENCE));
	for (i = 0; i < variant->watches; i++)
		EXPECT_EQ(2 * ROUNDS, event_count(self->fd[i])) TH_LOG("watch %d", i);
}

TEST_HARNESS_MAIN
