// SPDX-License-Identifier: GPL-2.0
/* Catches at watches and exceptions, of compiled kernels: what a caught wave shows. */
#include <signal.h>
#include <stdlib.h>
#include "harness.h"
#include "books.h"
#include "catch.h"
#include "event.h"
#include "gpu.h"
#include "roles.h"

#define PATIENCE	60	/* s */
#define LANES		64
#define GROUPS		4
#define LANE		5
#define ROUNDS		4
#define SIZE		(GROUPS * LANES * sizeof(uint32_t))
#define UNMAPPED	0x400000000000ULL
#define S_EXEC		126

FIXTURE(kinds) {
	struct gpu gpu;
	struct grun_mem out;
	struct owner o;
	struct gpubp_wave_entry w[MAX_WAVES];
	struct ring ring;
	int fd;
};

FIXTURE_SETUP(kinds)
{
	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	ASSERT_EQ(0, gpu_open(&self->gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, SIZE, 0));
	ASSERT_EQ(0, owner_open(&self->o, 0, true));
	self->fd = -1;
}

FIXTURE_TEARDOWN(kinds)
{
	owner_close(&self->o);
	if (self->ring.page)
		ring_unmap(&self->ring);
	close(self->fd);
	gpu_close(&self->gpu);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

static int open_caught(FIXTURE_DATA(kinds) *self, struct perf_event_attr *attr)
{
	self->fd = event_open(attr, 0, -1);
	if (self->fd < 0)
		return self->fd;
	return catch(&self->o, self->fd) ?:
	       session_sync(self->o.session, self->fd, PATIENCE, NULL);
}

static uint64_t word(const FIXTURE_DATA(kinds) *self, unsigned int item)
{
	return self->out.va + item * sizeof(uint32_t);
}

static int start(FIXTURE_DATA(kinds) *self)
{
	return gpu_start(&self->gpu, "repeat", GROUPS, GPU_ARGS(self->out.va, ROUNDS));
}

/* ---- watches ------------------------------------------------------------- */

TEST_F(kinds, behind_the_access_of_a_watch)
{
	struct perf_event_attr attr = event_watch(word(self, LANE), 4, EVENT_STORES);
	struct sample s;
	unsigned int i;

	event_sample(&attr, 1);
	ASSERT_EQ(0, open_caught(self, &attr));
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, 8));
	ASSERT_EQ(0, start(self));
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(1, await_caught(&self->o, self->w, 1));
		while (!ring_next(&self->ring, &s))
			usleep(1000);
		/* it has stored, and nothing else of it was lost or came twice */
		EXPECT_EQ(i, ((volatile uint32_t *)self->out.cpu)[LANE]);
		EXPECT_EQ(0, ring_drain(&self->ring));
		EXPECT_EQ(i + 1, event_count(self->fd));
		/* the sample names the wave, the lane and the address */
		EXPECT_EQ(self->w[0].wave, s.rec.wave);
		EXPECT_EQ(1ULL << LANE, s.rec.lanes);
		EXPECT_EQ(GPUBP_ADDR_EXACT, s.rec.addr_state);
		EXPECT_EQ(word(self, LANE), s.addr);
		EXPECT_LT(s.rec.pc, self->w[0].pc);
		EXPECT_GE(s.rec.pc + 8, self->w[0].pc);
		ASSERT_EQ(0, resume(&self->o, self->w[0].wave));
	}
	EXPECT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
	EXPECT_EQ(ROUNDS - 1, ((volatile uint32_t *)self->out.cpu)[LANE]);
	EXPECT_EQ(ROUNDS, books_count(self->fd, PATIENCE));
}

/* hits that the trap handler would count, or record, without a stop */
static void expect_stops(struct __test_metadata *_metadata, FIXTURE_DATA(kinds) *self,
			 struct perf_event_attr *attr)
{
	struct gpubp_event_stats stats;

	self->fd = event_open(attr, 0, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, session_sync(self->o.session, self->fd, PATIENCE, NULL));
	ASSERT_EQ(0, gpu_run(&self->gpu, "repeat", GROUPS,
			     GPU_ARGS(self->out.va, ROUNDS)));
	ASSERT_EQ(0, session_sync(self->o.session, self->fd, PATIENCE, NULL));
	ASSERT_EQ(0, session_stats(self->o.session, self->fd, &stats));
	EXPECT_EQ(GROUPS * ROUNDS, stats.metered + stats.recorded);
	/* nothing but CATCH says that they are to stop */
	ASSERT_EQ(0, catch(&self->o, self->fd));
	ASSERT_EQ(0, start(self));
	ASSERT_EQ(GROUPS, await_caught(&self->o, self->w, GROUPS));
	EXPECT_EQ(GROUPS * ROUNDS + GROUPS, event_count(self->fd));
	ASSERT_EQ(0, uncatch(&self->o, self->fd));
	ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
	ASSERT_EQ(0, session_sync(self->o.session, self->fd, PATIENCE, NULL));
	EXPECT_EQ(2 * GROUPS * ROUNDS, event_count(self->fd));
	/* and that they need not any more */
	ASSERT_EQ(0, gpu_run(&self->gpu, "repeat", GROUPS,
			     GPU_ARGS(self->out.va, ROUNDS)));
	ASSERT_EQ(0, session_sync(self->o.session, self->fd, PATIENCE, NULL));
	EXPECT_EQ(3 * GROUPS * ROUNDS, event_count(self->fd));
	stats.metered += stats.recorded;
	attr->config1 = stats.metered;
	ASSERT_EQ(0, session_stats(self->o.session, self->fd, &stats));
	EXPECT_LE(attr->config1 + GROUPS * ROUNDS, stats.metered + stats.recorded);
}

TEST_F(kinds, an_event_that_the_handler_counts)
{
	struct perf_event_attr attr = event_watch(self->out.va, SIZE, EVENT_STORES);

	attr.config |= GPUBP_CONFIG_METER;
	expect_stops(_metadata, self, &attr);
}

TEST_F(kinds, an_event_that_waves_record)
{
	struct perf_event_attr attr = event_watch(self->out.va, SIZE, EVENT_STORES);

	expect_stops(_metadata, self, &attr);
}

/* the event's own filter says which hits hold */
TEST_F(kinds, only_of_one_work_item)
{
	const struct gpubp_condition c = {
		.places = GPUBP_PLACE_WG_X | GPUBP_PLACE_ITEM, .wg_x = 2, .item = LANE,
	};
	struct perf_event_attr attr = event_watch(self->out.va, SIZE, EVENT_STORES);
	struct sample s;
	uint32_t id;

	ASSERT_EQ(0, session_condition_create(self->o.session, &c, &id));
	event_if(&attr, id);
	event_sample(&attr, 1);
	ASSERT_EQ(0, open_caught(self, &attr));
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, 8));
	ASSERT_EQ(0, start(self));
	ASSERT_EQ(1, await_caught(&self->o, self->w, 1));
	while (!ring_next(&self->ring, &s))
		usleep(1000);
	EXPECT_EQ(2, s.rec.wg_x);
	EXPECT_EQ(1ULL << LANE, s.rec.lanes);
	/* the other waves end */
	while (list(&self->o, NULL, 0) > 1)
		usleep(1000);
	EXPECT_EQ(1, nr_caught(&self->o, self->w));
	EXPECT_EQ(1, event_count(self->fd));
	ASSERT_EQ(0, uncatch(&self->o, self->fd));
	ASSERT_EQ(0, resume(&self->o, self->w[0].wave));
	EXPECT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
	EXPECT_EQ(ROUNDS, books_count(self->fd, PATIENCE));
}

/* so does the period of one that samples: each hit is caught, some are sampled */
TEST_F(kinds, of_a_period)
{
	struct perf_event_attr attr = event_watch(word(self, LANE), 4, EVENT_STORES);
	unsigned int i;

	event_sample(&attr, ROUNDS);
	ASSERT_EQ(0, open_caught(self, &attr));
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, 8));
	ASSERT_EQ(0, start(self));
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(1, await_caught(&self->o, self->w, 1));
		ASSERT_EQ(0, resume(&self->o, self->w[0].wave));
	}
	EXPECT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
	EXPECT_EQ(ROUNDS, books_count(self->fd, PATIENCE));
	EXPECT_EQ(1, ring_drain(&self->ring));
}

/* ---- exceptions ---------------------------------------------------------- */

TEST(at_a_memory_violation)
{
	struct perf_event_attr attr = event_watch(0, 0, 0);
	struct gpubp_wave_entry w[MAX_WAVES];
	struct gpubp_wave_dump d;
	struct ring ring;
	struct sample s;
	struct gpu gpu;
	struct owner o;
	struct {
		struct gpubp_notice_context context;
		struct gpubp_notice_fault fault;
		struct gpubp_notice_stop stop;
	} notice;
	uint32_t exec[2], code[2];
	int fd;

	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	ASSERT_EQ(0, gpu_open(&gpu, "fault"));
	ASSERT_EQ(0, owner_open(&o, 0, true));
	attr.config = GPUBP_KIND_EXCEPTION |
		      (uint64_t)GPUBP_EXC_MEM_VIOL << GPUBP_CONFIG_CODE_SHIFT;
	event_sample(&attr, 1);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, 8));
	ASSERT_EQ(0, catch(&o, fd));
	ASSERT_EQ(0, session_sync(o.session, fd, PATIENCE, NULL));
	ASSERT_EQ(0, gpu_start(&gpu, "wild", 1, GPU_ARGS(UNMAPPED)));
	ASSERT_EQ(1, await_caught(&o, w, 1));
	while (!ring_next(&ring, &s))
		usleep(1000);
	EXPECT_EQ(w[0].wave, s.rec.wave);
	EXPECT_EQ(GPUBP_EXC_MEM_VIOL, s.rec.exceptions);
	/* the session can read what it accessed, and then which wave it is */
	ASSERT_EQ(sizeof(notice), read(o.session, &notice, sizeof(notice)));
	EXPECT_EQ(GPUBP_NOTICE_CONTEXT, notice.context.head.type);
	EXPECT_EQ(GPUBP_NOTICE_FAULT, notice.fault.head.type);
	EXPECT_EQ(w[0].wave, notice.fault.wave);
	EXPECT_EQ(s.addr, notice.fault.addr);
	EXPECT_EQ(s.rec.lanes, notice.fault.lanes);
	EXPECT_EQ(s.rec.addr_state, notice.fault.addr_state);
	EXPECT_EQ(GPUBP_ACCESS_STORE, notice.fault.access);
	EXPECT_EQ(4, notice.fault.width);
	EXPECT_EQ(GPUBP_NOTICE_STOP, notice.stop.head.type);
	EXPECT_EQ(GPUBP_WHY_CATCH, notice.stop.why);
	EXPECT_EQ(session_id(fd), notice.stop.caught);
	EXPECT_EQ(s.rec.pc, notice.stop.pc);
	/* the wave can be looked at: registers, code, place */
	ASSERT_EQ(0, regs(&o, GPUBP_READ_REGS, w[0].wave,
			  range(GPUBP_REGS_SCALAR, S_EXEC, 2), exec, 2));
	EXPECT_EQ(0xffffffff, exec[0]);
	EXPECT_EQ(0xffffffff, exec[1]);
	ASSERT_EQ(0, dump(&o, w[0].wave, &d));
	EXPECT_EQ(w[0].pc, d.pc);
	EXPECT_EQ(sizeof(code), peek(&o, s.rec.pc, code, sizeof(code)));
	EXPECT_EQ(0x37, code[0] >> 26);		/* FLAT, GLOBAL */
	/* the program is still waiting for it */
	EXPECT_EQ(1, event_count(fd));
	EXPECT_EQ(1, nr_caught(&o, w));
	ASSERT_EQ(0, resume(&o, w[0].wave));
	EXPECT_NE(0, gpu_wait(&gpu, PATIENCE));
	EXPECT_EQ(1, event_count(fd));
	ring_unmap(&ring);
	owner_close(&o);
	close(fd);
	gpu_close(&gpu);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

TEST_HARNESS_MAIN
