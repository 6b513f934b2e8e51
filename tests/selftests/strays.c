// SPDX-License-Identifier: GPL-2.0
/*
 * Strays: a store that stops its wave but belongs to no event. Each test makes
 * one store of one lane, which raises one hit; exactly one counter of the
 * statistics gives the reason.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <linux/gpubp_sim.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "rawgpu.h"
#include "session.h"
#include "simdev.h"

#define SIZE		4096
#define LANE		1
#define PATIENCE	60	/* s */
#define STRIDE		64	/* from lane to lane of kernel "chosen" */

/* the registers: isa/gfx9/regs.h */
#define WATCH0_ADDR_H	0x12a0
#define WATCH_STRIDE	3
#define CNTL		2	/* behind ADDR_H and ADDR_L */
#define CNTL_VALID	0x80000000u
#define CNTL_ALL	(3u << 29)
#define CNTL_MASK	0x00ffffffu	/* one granule */
#define NR_WATCH	4
#define NR_VMIDS	16

static const char * const counters[] = {
	"raised", "delivered", "possible", "step", "stray_bytes",
	"stray_stale", "stray_kind", "stray_owner", "stray_value",
	"stray_trap", "stray_filtered", "checked", "differed", "drop_cells",
	"drop_unknown", "drop_suspended", "drop_stall", "drop_record", "drop_exited",
	"drop_unreachable",
};

FIXTURE(strays) {
	int64_t before[ARRAY_SIZE(counters)];
	struct gpu gpu;
	struct grun_mem out;
	int session;
	int fd;
};

FIXTURE_SETUP(strays)
{
	self->fd = -1;
	self->session = session_open();
	ASSERT_LE(0, self->session);
}

FIXTURE_TEARDOWN(strays)
{
	close(self->fd);
	close(self->session);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

static int context(FIXTURE_DATA(strays) *self)
{
	return gpu_open(&self->gpu, "loop") ?:
	       gpu_buffer(&self->gpu, &self->out, SIZE, 0);
}

/* the word to which the lane stores its number */
static uint64_t word(const FIXTURE_DATA(strays) *self)
{
	return self->out.va + LANE * STRIDE;
}

static int watch(FIXTURE_DATA(strays) *self, const struct perf_event_attr *attr,
		 pid_t tid)
{
	struct gpubp_sync sync;

	self->fd = event_open(attr, tid, -1);
	if (self->fd < 0)
		return self->fd;
	return session_sync(self->session, self->fd, PATIENCE, &sync) ?:
	       (int)sync.nr_armed - 1;
}

/* one store with one hit */
static int store(FIXTURE_DATA(strays) *self)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		self->before[i] = books_get(counters[i]);
	err = gpu_run(&self->gpu, "chosen", 1,
		      GPU_ARGS(self->out.va, 1ULL << LANE));
	return err ?: !books_settle(PATIENCE);
}

#define EXPECT_BOOKED(_where) do {					\
	unsigned int _i;						\
									\
	for (_i = 0; _i < ARRAY_SIZE(counters); _i++) {			\
		const char *_name = counters[_i];			\
		bool _one = !strcmp(_name, "raised") ||			\
			    !strcmp(_name, _where);			\
									\
		EXPECT_LE(0, self->before[_i]) TH_LOG("%s", _name);	\
		EXPECT_EQ(self->before[_i] + _one, books_get(_name))	\
			TH_LOG("%s", _name);				\
	}								\
} while (0)

/* the base case, from which each other test differs in one property */
TEST_F(strays, none)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, context(self));
	attr = event_watch(word(self), 4, EVENT_STORES);
	ASSERT_EQ(0, watch(self, &attr, 0));
	ASSERT_EQ(0, store(self));
	EXPECT_BOOKED("delivered");
	EXPECT_EQ(1, event_count(self->fd));
	gpu_close(&self->gpu);
}

/* a comparator compares whole granules: the trap handler finds out */
TEST_F(strays, bytes)
{
	struct gpubp_event_stats stats;
	struct perf_event_attr attr;

	ASSERT_EQ(0, context(self));
	attr = event_watch(word(self) + 8, 4, EVENT_STORES);
	ASSERT_EQ(0, watch(self, &attr, 0));
	ASSERT_EQ(0, store(self));
	EXPECT_BOOKED("stray_filtered");
	EXPECT_EQ(0, event_count(self->fd));
	ASSERT_EQ(0, session_stats(self->session, self->fd, &stats));
	EXPECT_EQ(1, stats.strays);
	gpu_close(&self->gpu);
}

/* no mode covers loads and atomics only: the comparator sees stores, too */
TEST_F(strays, kind)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, context(self));
	attr = event_watch(word(self), 4,
			   GPUBP_ACCESS_LOAD | GPUBP_ACCESS_ATOMIC);
	ASSERT_EQ(0, watch(self, &attr, 0));
	ASSERT_EQ(0, store(self));
	EXPECT_BOOKED("stray_filtered");
	EXPECT_EQ(0, event_count(self->fd));
	gpu_close(&self->gpu);
}

/* without its filters each hit is reported, and the resolver finds out */
TEST_F(strays, bytes_reported)
{
	long filters = event_parameter("handler_filters", 0);
	struct perf_event_attr attr;

	ASSERT_EQ(1, filters);
	ASSERT_EQ(0, context(self));
	attr = event_watch(word(self) + 8, 4, EVENT_STORES);
	ASSERT_EQ(0, watch(self, &attr, 0));
	ASSERT_EQ(0, store(self));
	EXPECT_BOOKED("stray_bytes");
	EXPECT_EQ(0, event_count(self->fd));
	gpu_close(&self->gpu);
	event_parameter("handler_filters", filters);
}

TEST_F(strays, kind_reported)
{
	long filters = event_parameter("handler_filters", 0);
	struct perf_event_attr attr;

	ASSERT_EQ(1, filters);
	ASSERT_EQ(0, context(self));
	attr = event_watch(word(self), 4,
			   GPUBP_ACCESS_LOAD | GPUBP_ACCESS_ATOMIC);
	ASSERT_EQ(0, watch(self, &attr, 0));
	ASSERT_EQ(0, store(self));
	EXPECT_BOOKED("stray_kind");
	EXPECT_EQ(0, event_count(self->fd));
	gpu_close(&self->gpu);
	event_parameter("handler_filters", filters);
}

/* the stored value equals the old one */
TEST_F(strays, value)
{
	struct perf_event_attr attr;

	ASSERT_EQ(0, context(self));
	attr = event_watch(word(self), 4, EVENT_STORES);
	attr.config |= GPUBP_CONFIG_CHANGED;
	ASSERT_EQ(0, watch(self, &attr, 0));
	ASSERT_EQ(0, store(self));
	EXPECT_BOOKED("delivered");
	ASSERT_EQ(0, store(self));
	EXPECT_BOOKED("stray_value");
	EXPECT_EQ(1, event_count(self->fd));
	gpu_close(&self->gpu);
}

/**
 * struct creator - a thread that has a queue of its own in the context
 * @fd: the open device
 * @step: barrier with the test
 * @tid: the thread
 * @err: its error
 */
struct creator {
	int fd;
	pthread_barrier_t step;
	pid_t tid;
	int err;
};

static void *create(void *arg)
{
	struct gpubp_sim_queue queue = {};
	struct creator *creator = arg;

	creator->tid = syscall(SYS_gettid);
	creator->err = raw_call(creator->fd, GPUBP_SIM_QUEUE_CREATE, &queue);
	pthread_barrier_wait(&creator->step);
	pthread_barrier_wait(&creator->step);
	return NULL;
}

/* the event is on a thread that has a queue there; another thread's queue stores */
TEST_F(strays, owner)
{
	struct creator creator = {};
	struct perf_event_attr attr;
	pthread_t thread;

	ASSERT_EQ(0, context(self));
	creator.fd = grun_fd(self->gpu.dev);
	ASSERT_EQ(0, pthread_barrier_init(&creator.step, NULL, 2));
	ASSERT_EQ(0, pthread_create(&thread, NULL, create, &creator));
	pthread_barrier_wait(&creator.step);
	ASSERT_EQ(0, creator.err);
	attr = event_watch(word(self), 4, EVENT_STORES);
	ASSERT_EQ(0, watch(self, &attr, creator.tid));
	ASSERT_EQ(0, store(self));
	EXPECT_BOOKED("stray_owner");
	EXPECT_EQ(0, event_count(self->fd));
	pthread_barrier_wait(&creator.step);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	gpu_close(&self->gpu);
}

static uint32_t cntl(int regs, unsigned int slot, unsigned int vmid)
{
	return simdev_read(regs, WATCH0_ADDR_H + slot * WATCH_STRIDE + CNTL,
			   vmid);
}

/* the only VMID with a valid comparator; 0: none, or several */
static unsigned int find_vmid(int regs, unsigned int *slot)
{
	unsigned int vmid, s, found = 0, n = 0;

	for (vmid = 1; vmid < NR_VMIDS; vmid++)
		for (s = 0; s < NR_WATCH; s++)
			if (cntl(regs, s, vmid) & CNTL_VALID) {
				found = vmid;
				*slot = s;
				n++;
			}
	return n == 1 ? found : 0;
}

static int program(int regs, unsigned int slot, unsigned int vmid,
		   uint64_t addr, uint32_t cntl)
{
	uint32_t reg = WATCH0_ADDR_H + slot * WATCH_STRIDE;

	return simdev_write(regs, reg, vmid, addr >> 32) ?:
	       simdev_write(regs, reg + 1, vmid, addr) ?:
	       simdev_write(regs, reg + CNTL, vmid, cntl);
}

/* a comparator without a watch compares the same, for any kind of access */
TEST_F(strays, stale)
{
	unsigned int slot = 0, other, vmid;
	struct perf_event_attr attr;
	int regs = simdev_regs(0);

	ASSERT_LE(0, regs);
	ASSERT_EQ(0, context(self));
	attr = event_watch(word(self), 4, GPUBP_ACCESS_LOAD);
	ASSERT_EQ(0, watch(self, &attr, 0));
	/* the context keeps its VMID from here on */
	ASSERT_EQ(0, gpu_run(&self->gpu, "chosen", 1, GPU_ARGS(self->out.va, 1)));
	vmid = find_vmid(regs, &slot);
	ASSERT_NE(0, vmid);
	other = (slot + 1) % NR_WATCH;
	ASSERT_EQ(0, program(regs, other, vmid, word(self) & ~(STRIDE - 1ULL),
			     CNTL_VALID | CNTL_ALL | CNTL_MASK));
	ASSERT_EQ(0, store(self));
	EXPECT_EQ(0, program(regs, other, vmid, 0, 0));
	EXPECT_BOOKED("stray_stale");
	EXPECT_EQ(0, event_count(self->fd));
	gpu_close(&self->gpu);
	close(regs);
}

TEST_HARNESS_MAIN
