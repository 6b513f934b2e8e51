// SPDX-License-Identifier: GPL-2.0
/*
 * Waves that store different values into one word at once: each sample has the value of
 * its own wave, and never another's.
 *
 * environment:
 *	GPUBP_RACES	stores of each wave, default 1000
 */
#include <string.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "gpu_device.h"
#include "rawgpu.h"

#define VA	0x600000000ULL
#define PAGE	4096
#define RING_PAGES 512
#define ROUNDS	1000U		/* of a dispatch: as many samples as the ring holds */
#define SALT	1000000U	/* between the numbers of two queues */
#define PATIENCE 60		/* s */
#define LONG	7000		/* s */

FIXTURE(racing) {
	struct gpu gpu;
	struct grun_mem mem;
	struct grun_mem args;
	struct ring ring;
	int fd;
	unsigned int rounds;
};

FIXTURE_SETUP(racing)
{
	struct perf_event_attr attr = event_watch(VA, 4, EVENT_STORES);

	event_sample(&attr, 1);
	self->rounds = env_number("GPUBP_RACES", ROUNDS);
	ASSERT_EQ(0, gpu_open(&self->gpu, "values"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->mem, PAGE, VA));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->args, PAGE, 0));
	self->fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, RING_PAGES));
}

FIXTURE_TEARDOWN(racing)
{
	ring_unmap(&self->ring);
	close(self->fd);
	gpu_close(&self->gpu);
	EXPECT_TRUE(books_idle(PATIENCE));
}

/* as VALUE() of values.cl */
static uint32_t value_of(uint32_t number, uint32_t salt)
{
	return (number * 4 + 1 + salt) * 2654435761u;
}

/**
 * struct turn - how far each of two waves is
 * @done: stores whose samples were there
 * @last: wave of the last sample
 * @changes: samples behind one of the other wave
 * @overtaken: samples whose word had another value already
 */
struct turn {
	unsigned int done[2];
	unsigned int last;
	unsigned int changes;
	unsigned int overtaken;
};

/* the sample of the next store of that wave, which stored @value */
static const char *check_store(const struct gpubp_hit_record *rec, uint32_t value)
{
	if (rec->data != value)
		return "the value is not that of its wave";
	if ((rec->flags & (GPUBP_HIT_BYTES | GPUBP_HIT_DATA | GPUBP_HIT_BEFORE)) !=
	    (GPUBP_HIT_BYTES | GPUBP_HIT_DATA))
		return "it has not what it must have";
	if (rec->hit_addr != VA || rec->hit_len != 4 || rec->lanes != 1 || rec->exec != 1)
		return "the bytes are wrong";
	return record_is_clean(rec) ? NULL : "stale bytes";
}

static void turn_add(struct turn *t, unsigned int wave, const struct gpubp_hit_record *rec)
{
	t->changes += wave != t->last;
	t->last = wave;
	t->overtaken += rec->flags & GPUBP_HIT_NOW && rec->now != rec->data;
	t->done[wave]++;
}

/* they did run at once, and no sample is missing */
static void expect_race(struct __test_metadata *_metadata, FIXTURE_DATA(racing) *self,
			const struct turn *t)
{
	printf("# %u and %u stores, %u changes of the wave, %u overtaken\n", t->done[0],
	       t->done[1], t->changes, t->overtaken);
	EXPECT_EQ(0, self->ring.lost);
	EXPECT_LT(self->rounds / 10, t->changes);
	/* where the word is read at the hit; else it is what the store left */
	EXPECT_EQ(gpu_device_knows_latest(), t->overtaken > 0);
}

/* two waves in one dispatch */
TEST_F_TIMEOUT(racing, of_workgroups, LONG)
{
	unsigned int left, rounds, wave;
	struct turn t = {};
	struct sample s;

	for (left = self->rounds; left; left -= rounds) {
		rounds = left < ROUNDS ? left : ROUNDS;
		t.done[0] = t.done[1] = 0;
		ASSERT_EQ(0, gpu_run(&self->gpu, "race", 2, GPU_ARGS(VA, rounds, left)));
		while (ring_next(&self->ring, &s)) {
			wave = s.rec.wg_x;
			ASSERT_GT(2, wave);
			EXPECT_EQ(NULL, check_store(&s.rec, value_of(wave * rounds + t.done[wave],
								     left)))
				record_print(&s.rec);
			turn_add(&t, wave, &s.rec);
		}
		ASSERT_EQ(rounds, t.done[0]);
		ASSERT_EQ(rounds, t.done[1]);
	}
	expect_race(_metadata, self, &t);
}

/* without the library: it has one queue */
static int dispatch(FIXTURE_DATA(racing) *self, uint32_t queue, unsigned int nr,
		    unsigned int rounds, unsigned int salt, uint64_t *seq)
{
	const struct grun_kernel *kernel = grun_code_find(self->gpu.code, "race");
	struct grun_launch launch = { { 64, 1, 1 }, { 64, 1, 1 } };
	union grun_value values[] = { { .va = VA }, { .va = rounds }, { .va = salt } };
	struct gpubp_sim_dispatch args = {
		.kernel_object = gpu_code_va(&self->gpu) + kernel->descriptor,
		.kernarg = self->args.va + 512 * nr,
		.grid = { 64, 1, 1 },
		.workgroup = { 64, 1, 1 },
		.queue = queue,
	};
	int err;

	grun_pack_args(kernel, &launch, values, (char *)self->args.cpu + 512 * nr);
	err = raw_call(grun_fd(self->gpu.dev), GPUBP_SIM_DISPATCH, &args);
	*seq = args.seq;
	return err;
}

static int await(FIXTURE_DATA(racing) *self, uint32_t queue, uint64_t seq)
{
	struct gpubp_sim_wait args = {
		.seq = seq,
		.timeout_ns = -1,
		.queue = queue,
	};

	return raw_call(grun_fd(self->gpu.dev), GPUBP_SIM_WAIT, &args) ?: (int)args.status;
}

/* one wave in each of two queues */
TEST_F_TIMEOUT(racing, of_queues, LONG)
{
	struct gpubp_sim_queue queue[2] = {};
	unsigned int left, rounds, wave, i;
	struct turn t = {};
	uint64_t seq[2];
	struct sample s;

	if (grun_fd(self->gpu.dev) < 0)
		SKIP(return, "a GPU in a process has one queue");
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, raw_call(grun_fd(self->gpu.dev), GPUBP_SIM_QUEUE_CREATE, &queue[i]));
	for (left = self->rounds; left; left -= rounds) {
		rounds = left < ROUNDS ? left : ROUNDS;
		t.done[0] = t.done[1] = 0;
		for (i = 0; i < 2; i++)
			ASSERT_EQ(0, dispatch(self, queue[i].id, i, rounds, left + SALT * i,
					      &seq[i]));
		for (i = 0; i < 2; i++)
			ASSERT_EQ(0, await(self, queue[i].id, seq[i]));
		while (ring_next(&self->ring, &s)) {
			wave = s.rec.queue == queue[1].id;
			ASSERT_EQ(queue[wave].id, s.rec.queue);
			EXPECT_EQ(NULL, check_store(&s.rec, value_of(t.done[wave],
								     left + SALT * wave)))
				record_print(&s.rec);
			turn_add(&t, wave, &s.rec);
		}
		ASSERT_EQ(rounds, t.done[0]);
		ASSERT_EQ(rounds, t.done[1]);
	}
	expect_race(_metadata, self, &t);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, raw_call(grun_fd(self->gpu.dev), GPUBP_SIM_QUEUE_DESTROY, &queue[i]));
}

TEST_HARNESS_MAIN
