// SPDX-License-Identifier: GPL-2.0
/*
 * Coordinates of a hit: a wave receives its workgroup and the number of its
 * dispatch at launch, if the device supports that and a watch existed by then.
 * Samples of other waves report both as unknown, not as 0.
 */
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "session.h"
#include "simdev.h"

#define NAME		"coords"
#define SIZE		4096
#define GROUPS		3
#define LANES		64
#define PATIENCE	60	/* s */
#define KNOWN		(GPUBP_HIT_COORDS | GPUBP_HIT_DISPATCH)

FIXTURE(coords) {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem stop;
	int nr;
};

FIXTURE_VARIANT(coords) {
	const char *ttmps;
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(coords, reported) {
	.ttmps = "1",
	.flags = KNOWN,
};

FIXTURE_VARIANT_ADD(coords, not_reported) {
	.ttmps = "0",
};

static int make(const char *ttmps)
{
	return simdev_mkdir(NAME) ?: simdev_set(NAME, "ttmps", ttmps) ?:
	       simdev_set(NAME, "live", "1") ?: simdev_get(NAME, "number");
}

FIXTURE_SETUP(coords)
{
	simdev_rmdir(NAME);	/* left by a failed test */
	self->nr = make(variant->ttmps);
	ASSERT_LT(0, self->nr);
	books_of(self->nr);
	ASSERT_EQ(0, gpu_open_on(&self->gpu, self->nr, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, SIZE, 0));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->stop, SIZE, 0));
}

FIXTURE_TEARDOWN(coords)
{
	gpu_close(&self->gpu);
	books_of(0);
	EXPECT_EQ(0, simdev_rmdir(NAME));
}

/* sample stores of the last group's first lane */
static int open_event(FIXTURE_DATA(coords) *self, struct ring *ring)
{
	struct perf_event_attr attr =
		event_watch(self->out.va + 4 * LANES * (GROUPS - 1), 4,
			    EVENT_STORES);
	int fd;

	event_sample(&attr, 1);
	fd = event_open(&attr, 0, -1);
	if (fd >= 0 && ring_map(ring, fd, 8)) {
		close(fd);
		return -1;
	}
	return fd;
}

TEST_F(coords, of_a_dispatch)
{
	struct sample sample;
	unsigned int i, nr;
	struct ring ring;
	int fd = open_event(self, &ring);

	ASSERT_LE(0, fd);
	for (i = 1; i <= 2; i++) {
		ASSERT_EQ(0, gpu_run(&self->gpu, "repeat", GROUPS,
				     GPU_ARGS(self->out.va, 3)));
		ASSERT_TRUE(books_settle(PATIENCE)) books_print();
		for (nr = 0; ring_next(&ring, &sample); nr++) {
			EXPECT_EQ(variant->flags, sample.rec.flags & KNOWN);
			EXPECT_EQ(variant->flags ? GROUPS - 1 : 0,
				  sample.rec.wg_x);
			EXPECT_EQ(variant->flags ? i : 0, sample.rec.dispatch);
		}
		EXPECT_EQ(3, nr);
	}
	ring_unmap(&ring);
	close(fd);
}

/* of the last group, to which the hits belong */
static bool wave_runs(FIXTURE_DATA(coords) *self)
{
	volatile uint32_t *word = self->out.cpu;
	unsigned int ms;

	for (ms = 0; !word[LANES * (GROUPS - 1)]; ms++) {
		if (ms == PATIENCE * 1000)
			return false;
		usleep(1000);
	}
	return true;
}

/* the wave was launched before any watch existed */
TEST_F(coords, of_a_wave_that_ran_before)
{
	int session = session_open(), fd;
	struct sample sample;
	unsigned int nr;
	struct ring ring;

	ASSERT_LE(0, session);
	ASSERT_EQ(0, gpu_start(&self->gpu, "until", GROUPS,
			       GPU_ARGS(self->out.va, self->stop.va)));
	/* work already submitted is launched like later work */
	ASSERT_TRUE(wave_runs(self));
	fd = open_event(self, &ring);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, session_sync(session, fd, PATIENCE, NULL));
	while (event_count(fd) < 2)
		usleep(1000);
	*(volatile uint32_t *)self->stop.cpu = 1;
	EXPECT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
	EXPECT_TRUE(books_settle(PATIENCE)) books_print();
	for (nr = 0; ring_next(&ring, &sample); nr++) {
		EXPECT_EQ(0, sample.rec.flags & KNOWN);
		EXPECT_EQ(0, sample.rec.wg_x);
		EXPECT_EQ(0, sample.rec.dispatch);
	}
	EXPECT_LT(0, nr);
	ring_unmap(&ring);
	close(fd);
	close(session);
}

TEST_HARNESS_MAIN
