// SPDX-License-Identifier: GPL-2.0
/*
 * Precise points: loads and atomics whose results overwrite their addresses,
 * and GPUs whose waves stop some instructions after the access. Once the kernel
 * has inspected the instruction, each of its executions is reported exactly.
 *
 * environment: GPUBP_AGAIN, seconds for which events are opened again and again; GPUBP_SEED
 *
 * Runs machine words of its own: in a loop, a load and an atomic with return, 8
 * bytes apart from lane to lane.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <linux/gpubp.h>
#include <linux/gpubp_sim.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "rawgpu.h"
#include "simdev.h"

#define PATIENCE	120	/* s */
#define NEVER_MS	3600000	/* longer than any test */
#define SECOND		1000000000LL
#define PAGE		4096
#define DATA_VA		0x200000000ULL
#define CODE_VA		0x300000000ULL
#define CODE_OFFSET	256	/* of the code from the descriptor */
#define ARGS_OFFSET	2048
#define LANES		64
#define STRIDE		8	/* bytes from one lane's word to the next lane's */
#define ATOMICS		1024	/* offset of the words that atomics add to */
#define SUMS		2048	/* offset of the sums that the waves store */
#define RING_PAGES	64
#define AGAIN_SECONDS	3000	/* for all of GPUBP_AGAIN */

#define LOAD_AT		0x1c
#define ATOMIC_AT	0x30
#define PC(at)		(CODE_VA + CODE_OFFSET + (at))

static const uint32_t code[] = {
	0xc00a0100, 0x00000000,	/* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
	0x24000083,		/* v_lshlrev_b32 v0, 3, v0 */
	0x7e040281,		/* v_mov_b32 v2, 1 */
	0x7e060280,		/* v_mov_b32 v3, 0 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	/* loop: */
	0x7e020300,		/* v_mov_b32 v1, v0 */
	0xdc508000, 0x01040001,	/* global_load_dword v1, v1, s[4:5] */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0x68060303,		/* v_add_u32 v3, v3, v1 */
	0x7e020300,		/* v_mov_b32 v1, v0 */
	0xdd098400, 0x01040201,	/* global_atomic_add v1, v1, v2, s[4:5] offset:1024 glc */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0x80868106,		/* s_sub_u32 s6, s6, 1 */
	0xbf078006,		/* s_cmp_lg_u32 s6, 0 */
	0xbf85fff4,		/* s_cbranch_scc1 loop */
	0xdc708800, 0x00040300,	/* global_store_dword v0, v3, s[4:5] offset:2048 */
	0xbf810000,		/* s_endpgm */
};

/* 8 vector registers, kernel arguments in s[0:1], one id of three */
static const struct raw_descriptor descriptor = {
	.kernarg_size = 16,
	.entry = CODE_OFFSET,
	.rsrc3 = 1,
	.rsrc1 = 0x00af0041,
	.rsrc2 = 2 << 1 | 1 << 7,
	.properties = 0x8,
};

struct args {
	uint64_t addr;
	uint64_t loops;
};

/**
 * struct context - a context with the program loaded
 * @fd: the open device
 * @queue: its queue
 * @code: descriptor, code and arguments
 * @data: what the kernel reads and writes
 * @executed: loops of all waves so far
 */
struct context {
	int fd;
	uint32_t queue;
	uint8_t *code;
	volatile uint8_t *data;
	uint32_t executed;
};

static volatile uint32_t *word(const struct context *c, unsigned int at,
			       unsigned int lane)
{
	return (volatile uint32_t *)(c->data + at + lane * STRIDE);
}

static uint32_t input(unsigned int lane)
{
	return 1000 + 7 * lane;
}

static int context_open(struct context *c, unsigned int device)
{
	struct gpubp_sim_name name = {
		.va = PC(0), .size = sizeof(code),
		.flags = GPUBP_SIM_NAME_CODE, .name = "escalate",
	};
	struct gpubp_sim_queue queue = {};
	char path[32];
	unsigned int i;

	snprintf(path, sizeof(path), "/dev/gpubp_sim%u", device);
	c->fd = open(path, O_RDWR | O_CLOEXEC);
	if (c->fd < 0)
		return -errno;
	c->executed = 0;
	c->data = raw_bo(c->fd, DATA_VA, PAGE);
	c->code = raw_bo(c->fd, CODE_VA, PAGE);
	if (!c->data || !c->code || raw_call(c->fd, GPUBP_SIM_QUEUE_CREATE, &queue))
		return -EIO;
	c->queue = queue.id;
	memcpy(c->code, &descriptor, sizeof(descriptor));
	memcpy(c->code + CODE_OFFSET, code, sizeof(code));
	for (i = 0; i < LANES; i++)
		*word(c, 0, i) = input(i);
	return raw_call(c->fd, GPUBP_SIM_NAME, &name);
}

static void context_close(struct context *c)
{
	munmap(c->code, PAGE);
	munmap((void *)c->data, PAGE);
	close(c->fd);
}

/* run @waves waves of all lanes, with @loops iterations each; 0 or a negative errno */
static int run(struct context *c, uint32_t loops, unsigned int waves)
{
	struct args args = { DATA_VA, loops };
	struct gpubp_sim_dispatch d = {
		.kernel_object = CODE_VA,
		.kernarg = CODE_VA + ARGS_OFFSET,
		.grid = { waves * LANES, 1, 1 },
		.workgroup = { LANES, 1, 1 },
		.queue = c->queue,
	};
	struct gpubp_sim_wait wait = {
		.queue = c->queue, .timeout_ns = PATIENCE * SECOND,
	};
	int ret;

	memcpy(c->code + ARGS_OFFSET, &args, sizeof(args));
	c->executed += loops * waves;
	ret = raw_call(c->fd, GPUBP_SIM_DISPATCH, &d);
	wait.seq = d.seq;
	return ret ?: raw_call(c->fd, GPUBP_SIM_WAIT, &wait) ?: -(int)wait.status;
}

/* true if the results are those of a run without events */
static bool is_right(const struct context *c, uint32_t loops)
{
	unsigned int i;

	for (i = 0; i < LANES; i++)
		if (*word(c, ATOMICS, i) != c->executed ||
		    *word(c, SUMS, i) != loops * input(i))
			return false;
	return true;
}

static bool is_original(const struct context *c)
{
	return !memcmp(c->code + CODE_OFFSET, code, sizeof(code));
}

static bool wait_for(const char *name, int64_t least, int64_t most)
{
	int64_t is = -1;
	int i;

	for (i = 0; i < PATIENCE * 100; i++) {
		is = books_state(name);
		if (is >= least && is <= most)
			return true;
		usleep(10000);
	}
	printf("# %s: %lld, not %lld\n", name, (long long)is,
	       (long long)least);
	return false;
}

static bool wait_state(const char *name, int64_t value)
{
	return wait_for(name, value, value);
}

/**
 * struct expected - expected values of each sample
 * @pc: instruction
 * @addr: of the lowest lane
 * @lanes: lanes that access the watched bytes
 * @access: of the instruction
 */
struct expected {
	uint64_t pc;
	uint64_t addr;
	uint64_t lanes;
	unsigned int access;
};

static bool is_exact(const struct sample *s, const struct expected *e)
{
	const struct gpubp_hit_record *rec = &s->rec;

	return rec->addr_state == GPUBP_ADDR_EXACT &&
	       !(rec->flags & GPUBP_HIT_POSSIBLE) &&
	       (rec->flags & GPUBP_HIT_PC_EXACT) && rec->pc == e->pc &&
	       s->ip == e->pc && s->addr == e->addr && rec->addr == e->addr &&
	       rec->lanes == e->lanes && rec->access == e->access &&
	       rec->width == 4;
}

static unsigned int count_exact(struct ring *ring, const struct expected *e,
				unsigned int *nr)
{
	unsigned int n = 0;
	struct sample s;

	for (*nr = 0; ring_next(ring, &s); ++*nr)
		n += is_exact(&s, e);
	return n;
}

/* sampling event with the given attr.precise_ip */
static int open_precise(uint64_t addr, uint64_t len, unsigned int access,
			unsigned int precise_ip, struct ring *ring)
{
	struct perf_event_attr attr = event_watch(addr, len, access);
	int fd;

	attr.precise_ip = precise_ip;
	event_sample(&attr, 1);
	fd = event_open(&attr, 0, -1);
	if (fd >= 0 && ring_map(ring, fd, RING_PAGES))
		return -1;
	return fd;
}

static int open_event(uint64_t addr, uint64_t len, unsigned int access,
		      struct ring *ring)
{
	return open_precise(addr, len, access, 0, ring);
}

static void close_event(int fd, struct ring *ring)
{
	ring_unmap(ring);
	close(fd);
}

#define NAME	"escalate"

FIXTURE(escalate) {
	struct context gpu;
	unsigned int device;
	long idle;
	long max;
};

FIXTURE_SETUP(escalate)
{
	self->device = 0;
	books_of(0);
	self->max = event_parameter("escalations", 8);
	self->idle = event_parameter("escalation_idle_ms", NEVER_MS);
	ASSERT_LE(0, self->max);
	ASSERT_LE(0, self->idle);
	self->gpu.fd = -1;
}

FIXTURE_TEARDOWN(escalate)
{
	event_parameter("escalations", self->max);
	event_parameter("escalation_idle_ms", self->idle);
	simdev_fault(0, "slow", 0);
	simdev_fault(0, "undrained", 0);
	if (self->gpu.fd >= 0) {
		EXPECT_TRUE(books_idle(PATIENCE));
		EXPECT_TRUE(is_original(&self->gpu));
		context_close(&self->gpu);
	}
	if (self->device)
		EXPECT_EQ(0, simdev_rmdir(NAME));
	books_of(0);
}

/* ---- exact from the second execution on ---------------------------------- */

#define WAVES	4
#define LOOPS	25

static const struct expected load = {
	PC(LOAD_AT), DATA_VA + 5 * STRIDE, 1ULL << 5, GPUBP_ACCESS_LOAD,
};

/* the end of one lane's word and the beginning of the next one's */
static const struct expected atomic = {
	PC(ATOMIC_AT), DATA_VA + ATOMICS + 9 * STRIDE, 3ULL << 9,
	GPUBP_ACCESS_ATOMIC,
};

/* one run; the kernel may inspect the instructions that hit only after its end */
static int run_until(struct context *gpu, int64_t escalations)
{
	int ret = run(gpu, 3, 1);

	return ret ?: wait_state("escalations", escalations) ? 0 : -ETIME;
}

#define EXPECT_ALL_EXACT(ring, what)					\
do {									\
	unsigned int nr, exact = count_exact(ring, what, &nr);		\
	EXPECT_EQ(WAVES * LOOPS, nr);					\
	EXPECT_EQ(nr, exact);						\
} while (0)

static void each_is_exact(struct __test_metadata *_metadata,
			  struct context *gpu)
{
	struct ring loads, atomics;
	int64_t count[2], hits;
	int fd[2];

	fd[0] = open_event(load.addr, 4, GPUBP_ACCESS_LOAD, &loads);
	fd[1] = open_event(atomic.addr, STRIDE + 4, GPUBP_ACCESS_ATOMIC,
			   &atomics);
	ASSERT_LE(0, fd[0]);
	ASSERT_LE(0, fd[1]);
	ASSERT_EQ(0, run_until(gpu, 2));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_LT(0, ring_drain(&loads));
	EXPECT_LT(0, ring_drain(&atomics));
	count[0] = event_count(fd[0]);
	count[1] = event_count(fd[1]);
	hits = books_state("escalation_hits");

	ASSERT_EQ(0, run(gpu, LOOPS, WAVES));
	EXPECT_TRUE(is_right(gpu, LOOPS));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_ALL_EXACT(&loads, &load);
	EXPECT_ALL_EXACT(&atomics, &atomic);
	EXPECT_EQ(WAVES * LOOPS, event_count(fd[0]) - count[0]);
	EXPECT_EQ(WAVES * LOOPS, event_count(fd[1]) - count[1]);
	EXPECT_EQ(2 * WAVES * LOOPS, books_state("escalation_hits") - hits);
	EXPECT_EQ(0, books_state("notes_in_use"));
	EXPECT_EQ(0, books_state("notes_lost"));
	EXPECT_FALSE(is_original(gpu));

	close_event(fd[0], &loads);
	EXPECT_TRUE(wait_state("escalations", 1));
	close_event(fd[1], &atomics);
	EXPECT_TRUE(wait_state("escalations", 0));
}

TEST_F(escalate, precise_memory)
{
	ASSERT_EQ(0, context_open(&self->gpu, 0));
	each_is_exact(_metadata, &self->gpu);
}

TEST_F(escalate, waves_that_skid)
{
	int nr;

	ASSERT_EQ(0, simdev_mkdir(NAME));
	ASSERT_EQ(0, simdev_set(NAME, "personality", "gfx900"));
	ASSERT_EQ(0, simdev_set(NAME, "skid", "4"));
	ASSERT_EQ(0, simdev_set(NAME, "live", "1"));
	nr = simdev_get(NAME, "number");
	ASSERT_LT(0, nr);
	self->device = nr;
	books_of(nr);
	ASSERT_EQ(0, context_open(&self->gpu, nr));
	each_is_exact(_metadata, &self->gpu);
}

/* ---- exact, but in no event's bytes ---------------------------------------- */

/* the comparator compares both words of a lane, the program accesses the first one */
TEST_F(escalate, other_bytes_of_the_block)
{
	struct context *gpu = &self->gpu;
	int64_t strays, misses, count;
	struct ring ring;
	int fd, i;

	ASSERT_EQ(0, context_open(gpu, 0));
	fd = open_event(DATA_VA + 4, 4, GPUBP_ACCESS_LOAD, &ring);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, run_until(gpu, 1));
	EXPECT_TRUE(books_settle(PATIENCE));
	count = event_count(fd);
	EXPECT_LT(0, count);
	strays = books_get("stray_bytes");
	misses = books_state("escalation_misses");
	ASSERT_EQ(0, run(gpu, LOOPS, 1));
	EXPECT_EQ(count, event_count(fd));
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(LOOPS, books_get("stray_bytes") - strays);
	EXPECT_EQ(LOOPS, books_state("escalation_misses") - misses);

	/*
	 * the precise point also stays while it is requested, however long it
	 * is not executed
	 */
	event_parameter("escalation_idle_ms", 10);
	for (i = 0; i < 4; i++) {
		usleep(300000);
		ASSERT_EQ(0, run(gpu, LOOPS, 1));
		EXPECT_EQ(count, event_count(fd));
	}
	EXPECT_EQ(1, books_state("escalations"));
	close_event(fd, &ring);
}

/* ---- precise points from the start ------------------------------------------- */

static int open_exact(const struct expected *what, uint64_t len,
		      struct ring *ring)
{
	return open_precise(what->addr, len, what->access, 2, ring);
}

/* opened before any context or code exists */
TEST_F(escalate, precise_from_the_first_execution)
{
	struct context *gpu = &self->gpu;
	struct ring loads, atomics;
	int fd[2];

	fd[0] = open_exact(&load, 4, &loads);
	fd[1] = open_exact(&atomic, STRIDE + 4, &atomics);
	ASSERT_LE(0, fd[0]);
	ASSERT_LE(0, fd[1]);
	ASSERT_EQ(0, context_open(gpu, 0));
	ASSERT_EQ(0, run(gpu, LOOPS, WAVES));
	EXPECT_EQ(WAVES * LOOPS, event_count(fd[0]));
	EXPECT_EQ(WAVES * LOOPS, event_count(fd[1]));
	EXPECT_ALL_EXACT(&loads, &load);
	EXPECT_ALL_EXACT(&atomics, &atomic);
	EXPECT_TRUE(is_right(gpu, LOOPS));
	close_event(fd[0], &loads);
	/* one precise point serves both events */
	EXPECT_EQ(2, books_state("escalations"));
	close_event(fd[1], &atomics);
	EXPECT_TRUE(wait_state("escalations", 0));
}

#define MAX_MISSES	256	/* stops of a precise point without a match, in a second */

/* an instruction that never accesses the watched bytes stops no more waves than that */
TEST_F(escalate, precise_points_without_a_match)
{
	struct expected elsewhere = load;
	struct context *gpu = &self->gpu;
	uint32_t loops = slow_kernel() ? 600 : 4000;
	struct timespec begin, end;
	struct ring ring;
	int64_t stops;
	int fd;

	elsewhere.addr = DATA_VA + 3 * 1024;
	ASSERT_EQ(0, context_open(gpu, 0));
	fd = open_exact(&elsewhere, 4, &ring);
	ASSERT_LE(0, fd);
	stops = books_state("escalation_stops");
	clock_gettime(CLOCK_MONOTONIC, &begin);
	ASSERT_EQ(0, run(gpu, loops, 1));
	clock_gettime(CLOCK_MONOTONIC, &end);
	EXPECT_TRUE(is_right(gpu, loops));
	stops = books_state("escalation_stops") - stops;
	EXPECT_LT(0, stops);
	/* the first burst, then one in each second, at two precise points */
	EXPECT_GE(2 * MAX_MISSES * (end.tv_sec - begin.tv_sec + 2), stops);
	EXPECT_EQ(0, event_count(fd));
	close_event(fd, &ring);
}

/* ---- again and again ---------------------------------------------------------- */

/* in turns; each overwrites the register that has its address, and the wave ends soon */
static const struct expected *const again[] = { &load, &atomic };

/*
 * Each round has the first hits of an event that wants exact ones only: its precise points
 * are made for the dispatch, while those of the round before are being removed.
 */
static void exact_again(struct __test_metadata *_metadata, FIXTURE_DATA(escalate) *self,
			unsigned int waves)
{
	uint64_t end = now_ns() + env_number("GPUBP_AGAIN", 20) / 2 * (uint64_t)SECOND;
	unsigned int i, missing = 0, partly = 0;
	struct event_value value;
	int fd;

	event_parameter("escalations", 64);
	ASSERT_EQ(0, context_open(&self->gpu, 0));
	srand(env_number("GPUBP_SEED", 1));
	for (i = 0; now_ns() < end; i++) {
		const struct expected *what = again[i % 2];
		struct perf_event_attr attr = event_watch(what->addr, 4, what->access);

		attr.precise_ip = 2;
		fd = event_open(&attr, 0, -1);
		ASSERT_LE(0, fd);
		if (rand() % 2)
			usleep(rand() % 5000);
		ASSERT_EQ(0, run(&self->gpu, 1, waves));
		ASSERT_EQ(0, event_read(fd, &value));
		partly += value.running < value.enabled;
		missing += value.count != waves && value.running == value.enabled;
		if (value.count != waves)
			TH_LOG("round %u: %llu of %u hits, enabled %llu, running %llu", i,
			       (unsigned long long)value.count, waves,
			       (unsigned long long)value.enabled,
			       (unsigned long long)value.running);
		close(fd);
		if (rand() % 2)
			usleep(rand() % 2000);
	}
	TH_LOG("%u rounds, in %u of them armed in a part of the time", i, partly);
	EXPECT_EQ(0, missing);
}

TEST_F_TIMEOUT(escalate, the_first_hit_of_each_event, AGAIN_SECONDS)
{
	exact_again(_metadata, self, 1);
}

TEST_F_TIMEOUT(escalate, the_first_hit_with_slow_commits, AGAIN_SECONDS)
{
	ASSERT_EQ(0, simdev_fault(0, "slow", 2));
	ASSERT_EQ(0, simdev_fault(0, "undrained", 3));
	exact_again(_metadata, self, WAVES);
}

/* ---- without precise points ------------------------------------------------ */

TEST_F(escalate, none_where_none_are_allowed)
{
	struct context *gpu = &self->gpu;
	struct ring ring;
	int64_t made;
	int fd;

	event_parameter("escalations", 0);
	made = books_state("escalations_made");
	ASSERT_EQ(0, context_open(gpu, 0));
	fd = open_event(load.addr, 4, GPUBP_ACCESS_LOAD, &ring);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, run(gpu, LOOPS, 1));
	EXPECT_EQ(LOOPS, event_count(fd));
	EXPECT_EQ(LOOPS, ring_drain(&ring));
	EXPECT_EQ(made, books_state("escalations_made"));
	EXPECT_TRUE(is_original(gpu));
	close_event(fd, &ring);
}

static int open_part(uint64_t addr, uint64_t bit, int leader)
{
	struct perf_event_attr attr = event_watch(addr, 4, GPUBP_ACCESS_LOAD);

	attr.config |= bit;
	return syscall(SYS_perf_event_open, &attr, 0, -1, leader,
		       PERF_FLAG_FD_CLOEXEC);
}

/*
 * the count of possible hits alone: of 8 bytes the first word is loaded, the
 * second one is not
 */
TEST_F(escalate, possible_hits_by_themselves)
{
	struct context *gpu = &self->gpu;
	int of_first[3], of_second[3], i;

	event_parameter("escalations", 0);
	ASSERT_EQ(0, context_open(gpu, 0));
	for (i = 0; i < 3; i++) {
		uint64_t bit = i == 1 ? GPUBP_CONFIG_POSSIBLE :
			       i == 2 ? GPUBP_CONFIG_LOST : 0;

		of_first[i] = open_part(DATA_VA + SUMS, bit,
					i ? of_first[0] : -1);
		of_second[i] = open_part(DATA_VA + 4, bit, i ? of_second[0] : -1);
		ASSERT_LE(0, of_first[i]);
		ASSERT_LE(0, of_second[i]);
	}
	ASSERT_EQ(0, run(gpu, LOOPS, 1));
	/* the program only stores these words, it never loads them */
	EXPECT_EQ(0, event_count(of_first[0]));
	EXPECT_EQ(0, event_count(of_first[1]));
	EXPECT_EQ(LOOPS, event_count(of_second[0]));
	EXPECT_EQ(LOOPS, event_count(of_second[1]));
	EXPECT_EQ(0, event_count(of_second[2]));
	for (i = 0; i < 3; i++) {
		close(of_first[i]);
		close(of_second[i]);
	}
}

TEST_HARNESS_MAIN
