// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that belongs to another buffer next: its first hit does not say that what
 * the last one had there was there before.
 */
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"

#define VA	0x600000000ULL
#define PAGE	4096
#define STORED	2654435761u	/* by the first lane */
#define WAS	(GPUBP_HIT_OLD_VALUE | GPUBP_HIT_SEEN)
#define PATIENCE 60		/* s */

FIXTURE(freed) {
	struct gpu gpu;
	struct grun_mem mem;
	struct ring ring;
	int fd;
};

FIXTURE_SETUP(freed)
{
	struct perf_event_attr attr = event_watch(VA, 4, EVENT_STORES);

	event_sample(&attr, 1);
	ASSERT_EQ(0, gpu_open(&self->gpu, "values"));
	self->fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, 1));
}

FIXTURE_TEARDOWN(freed)
{
	ring_unmap(&self->ring);
	close(self->fd);
	gpu_close(&self->gpu);
	EXPECT_TRUE(books_idle(PATIENCE));
}

static int store_twice(struct gpu *gpu)
{
	int err = 0, i;

	for (i = 0; !err && i < 2; i++)
		err = gpu_run(gpu, "store32", 1, GPU_ARGS(VA, 4, 63, 1, 0, VA));
	return err;
}

/* @first: what the first hit knows of the memory before */
static const char *check_stores(struct ring *ring, unsigned int first)
{
	struct sample s;

	if (!ring_next(ring, &s))
		return "no first hit";
	if ((s.rec.flags & WAS) != first)
		return "the first hit knows another buffer's values, or not its own";
	if (first && (s.rec.seen || s.rec.old_value))
		return "the first hit saw no zero";
	if (!ring_next(ring, &s))
		return "no second hit";
	if ((s.rec.flags & WAS) != WAS || s.rec.seen != STORED || s.rec.old_value != STORED)
		return "the second hit did not see the first store";
	return ring_next(ring, &s) ? "a third hit" : NULL;
}

TEST_F(freed, memory_that_is_unmapped)
{
	int i;

	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, grun_alloc(self->gpu.dev, &self->mem, PAGE, VA, NULL));
		ASSERT_EQ(0, store_twice(&self->gpu));
		ASSERT_TRUE(books_settle(PATIENCE));
		/* what is mapped after the watch was armed is read before the first work */
		EXPECT_EQ(NULL, check_stores(&self->ring, i ? 0 : WAS)) TH_LOG("round %d", i);
		grun_release(self->gpu.dev, &self->mem);
	}
}

TEST_F(freed, a_buffer_whose_name_is_withdrawn)
{
	const char *name;
	int i;

	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->mem, PAGE, VA));
	for (i = 0; i < 5; i++) {
		name = i % 2 ? "weights" : "act0";
		ASSERT_EQ(0, gpu_name(&self->gpu, VA, PAGE, name));
		ASSERT_EQ(0, store_twice(&self->gpu));
		ASSERT_TRUE(books_settle(PATIENCE));
		EXPECT_EQ(NULL, check_stores(&self->ring, i ? 0 : WAS)) TH_LOG("round %d", i);
		ASSERT_EQ(0, gpu_name(&self->gpu, VA, 0, name));
	}
}

TEST_HARNESS_MAIN
