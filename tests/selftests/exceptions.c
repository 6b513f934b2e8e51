// SPDX-License-Identifier: GPL-2.0
/*
 * Exceptions: each class of the software GPU, counted as a model counts them.
 * Results are the same as without an event, and a fatal exception still kills
 * its wave.
 *
 * environment:
 *	GPUBP_STORM	rounds, default 60, on a debug kernel 20
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xmmintrin.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "session.h"
#include "simdev.h"
#include "trap.h"

#define PATIENCE	120	/* s */
#define LANES		64
#define GROUPS		3
#define LOOPS		20
#define EACH		(GROUPS * LOOPS)
#define SIZE		(GROUPS * LANES * sizeof(uint32_t))
#define RING_PAGES	64
#define NOWHERE		0x400000000000ULL
#define SIG_DATA	0x600d

#define ONE		0x3f800000
#define TWO		0x40000000
#define HALF		0x3f000000
#define MAX		0x7f7fffff
#define INFINITE	0x7f800000
#define DENORMAL	1
#define SMALL		0x00800001
#define INEXACT		0x3f800001

#define EXC_FP_SHIFT	3	/* bit of GPUBP_EXC_FP; the order is the host's, too */
#define CSR_FLAGS	0x3d	/* the denormal flag is left out: some machines do not report it */

static struct perf_event_attr event_exception(uint32_t classes)
{
	struct perf_event_attr attr = event_watch(0, 0, 0);

	attr.config = GPUBP_KIND_EXCEPTION |
		      (uint64_t)classes << GPUBP_CONFIG_CODE_SHIFT;
	return attr;
}

static int open_exception(uint32_t classes, pid_t pid)
{
	struct perf_event_attr attr = event_exception(classes);

	return event_open(&attr, pid, -1);
}

FIXTURE(exceptions) {
	struct gpu gpu;
	struct grun_mem out, stop;
	int session;
};

static int set_up(struct gpu *gpu, struct grun_mem *out, struct grun_mem *stop)
{
	return gpu_open(gpu, "except") ?: gpu_buffer(gpu, out, SIZE, 0) ?:
	       gpu_buffer(gpu, stop, SIZE, 0);
}

FIXTURE_SETUP(exceptions)
{
	ASSERT_EQ(0, set_up(&self->gpu, &self->out, &self->stop));
	self->session = session_open();
	ASSERT_LE(0, self->session);
}

FIXTURE_TEARDOWN(exceptions)
{
	gpu_close(&self->gpu);
	close(self->session);
	EXPECT_TRUE(books_idle(PATIENCE));
}

static uint32_t word(const struct grun_mem *mem, unsigned int i)
{
	return ((volatile uint32_t *)mem->cpu)[i];
}

/* ---- the model ----------------------------------------------------------- */

static float as_float(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static bool is_denormal(uint32_t bits)
{
	return !(bits & INFINITE) && (bits & MAX);
}

/* GPUBP_EXC_FP_* of a product, computed by this machine */
static uint32_t model(uint32_t a, uint32_t b)
{
	volatile float x = as_float(a), y = as_float(b), product;
	bool denormal = is_denormal(a) || is_denormal(b);

	_mm_setcsr(_mm_getcsr() & ~CSR_FLAGS);
	product = x * y;
	(void)product;
	return (_mm_getcsr() & CSR_FLAGS) << EXC_FP_SHIFT |
	       (denormal ? GPUBP_EXC_FP_DENORMAL : 0);
}

/* ---- counts -------------------------------------------------------------- */

static const struct {
	uint32_t a, b;
} products[] = {
	{ 0, INFINITE }, { DENORMAL, ONE }, { MAX, TWO }, { SMALL, HALF },
	{ INEXACT, INEXACT }, { ONE, TWO },
};

#define NR_PRODUCTS	(sizeof(products) / sizeof(products[0]))

static const uint32_t classes[] = {
	GPUBP_EXC_FP_INVALID, GPUBP_EXC_FP_DENORMAL, GPUBP_EXC_FP_DIV0,
	GPUBP_EXC_FP_OVERFLOW, GPUBP_EXC_FP_UNDERFLOW, GPUBP_EXC_FP_INEXACT,
	GPUBP_EXC_FP, GPUBP_EXC_FP_OVERFLOW | GPUBP_EXC_FP_INVALID,
};

#define NR_CLASSES	(sizeof(classes) / sizeof(classes[0]))

static int multiply(struct gpu *gpu, const struct grun_mem *out, uint32_t a,
		    uint32_t b, bool clamp)
{
	return gpu_run(gpu, "multiply", GROUPS,
		       GPU_ARGS(out->va, a, b, LOOPS, clamp));
}

/* one count for each wave and instruction, however many of its classes were raised */
TEST_F(exceptions, as_the_model_counts)
{
	int fd[NR_CLASSES], session = self->session;
	uint64_t want[NR_CLASSES] = {};
	unsigned int c, p;
	uint32_t sum;

	for (c = 0; c < NR_CLASSES; c++) {
		fd[c] = open_exception(classes[c], 0);
		ASSERT_LE(0, fd[c]);
	}
	for (c = 0; c < NR_CLASSES; c++)
		ASSERT_EQ(0, session_sync(session, fd[c], PATIENCE, NULL));
	for (p = 0; p < NR_PRODUCTS; p++) {
		volatile float x = as_float(products[p].a);
		volatile float y = as_float(products[p].b), z = x * y;
		float product = z;

		ASSERT_EQ(0, multiply(&self->gpu, &self->out, products[p].a,
				      products[p].b, false));
		memcpy(&sum, &product, sizeof(sum));
		/* NaNs of the GPU have no sign */
		if (product != product)
			sum = 0x7fc00000;
		EXPECT_EQ(sum * LOOPS, word(&self->out, p % LANES));
		for (c = 0; c < NR_CLASSES; c++) {
			if (model(products[p].a, products[p].b) & classes[c])
				want[c] += EACH;
			EXPECT_EQ(want[c], event_count(fd[c]));
		}
	}
	for (c = 0; c < NR_CLASSES; c++)
		close(fd[c]);
}

TEST_F(exceptions, of_divisions)
{
	int div0 = open_exception(GPUBP_EXC_FP_DIV0, 0);
	int integer = open_exception(GPUBP_EXC_INT_DIV0, 0);

	ASSERT_LE(0, div0);
	ASSERT_LE(0, integer);
	ASSERT_EQ(0, gpu_run(&self->gpu, "reciprocal", GROUPS,
			     GPU_ARGS(self->out.va, 0, LOOPS)));
	EXPECT_EQ(EACH, event_count(div0));
	EXPECT_EQ(0, event_count(integer));
	ASSERT_EQ(0, gpu_run(&self->gpu, "divide", GROUPS,
			     GPU_ARGS(self->out.va, 7, 0, LOOPS)));
	EXPECT_EQ(EACH, event_count(div0));
	EXPECT_EQ(EACH, event_count(integer));
	ASSERT_EQ(0, gpu_run(&self->gpu, "divide", GROUPS,
			     GPU_ARGS(self->out.va, 7, 2, LOOPS)));
	EXPECT_EQ(3 * LOOPS, word(&self->out, 0));
	EXPECT_EQ(EACH, event_count(integer));
	close(div0);
	close(integer);
}

/*
 * the hardware raises no trap then: the event counts nothing, and results do
 * not change
 */
TEST_F(exceptions, hidden_by_dx10_clamp)
{
	int fd = open_exception(GPUBP_EXC_FP, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, multiply(&self->gpu, &self->out, MAX, TWO, true));
	EXPECT_EQ(0, event_count(fd));
	close(fd);
}

/* ---- fatal exceptions ---------------------------------------------------- */

static int run_fault(const char *kernel)
{
	struct gpu gpu;
	int err = gpu_open(&gpu, "fault");

	if (err)
		return err;
	err = strcmp(kernel, "wild") ? gpu_run(&gpu, kernel, 1, 0, NULL) :
				       gpu_run(&gpu, kernel, 1, GPU_ARGS(NOWHERE));
	gpu_close(&gpu);
	return err;
}

TEST_F(exceptions, faults_kill_as_ever)
{
	static const struct {
		const char *kernel;
		uint32_t class;
	} faults[] = {
		{ "illegal", GPUBP_EXC_ILLEGAL }, { "wild", GPUBP_EXC_MEM_VIOL },
	};
	struct perf_event_attr attr;
	unsigned int i, nr;
	struct sample s;
	struct ring ring;
	int err, fd, all;

	for (i = 0; i < 2; i++) {
		err = run_fault(faults[i].kernel);
		ASSERT_NE(0, err);
		attr = event_exception(faults[i].class);
		event_sample(&attr, 1);
		attr.precise_ip = 2;
		fd = event_open(&attr, 0, -1);
		ASSERT_LE(0, fd);
		all = open_exception(0, 0);
		ASSERT_LE(0, all);
		ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
		EXPECT_EQ(err, run_fault(faults[i].kernel));
		EXPECT_EQ(1, event_count(all));
		for (nr = 0; ring_next(&ring, &s); nr++) {
			EXPECT_EQ(GPUBP_KIND_EXCEPTION, s.rec.kind);
			EXPECT_EQ(faults[i].class, s.rec.exceptions);
			EXPECT_TRUE(s.rec.flags & GPUBP_HIT_PC_EXACT);
			EXPECT_EQ(s.ip, s.rec.pc);
			/* of an illegal instruction there is no other address */
			EXPECT_EQ(i ? NOWHERE : s.ip, s.addr);
			EXPECT_EQ(s.addr, s.rec.addr);
			EXPECT_EQ(GPUBP_ADDR_EXACT, s.rec.addr_state);
			EXPECT_EQ(~0ULL, s.rec.lanes);
		}
		EXPECT_EQ(1, nr);
		ring_unmap(&ring);
		close(fd);
		close(all);
	}
}

/* ---- the address of a memory violation ----------------------------------- */

#define MAPPED		0x500000000ULL	/* two pages, none, one, none */
#define PAGE		4096
#define LAST_PAGE	(MAPPED + 3 * PAGE)

/* as in tests/gpu/fault.cl */
enum { STORE, STORE_X4, LOAD, LOAD_OVER, ADD_X2, NR_KINDS };

#define OP_LOAD		PERF_MEM_OP_LOAD
#define OP_STORE	PERF_MEM_OP_STORE

static const struct {
	uint16_t width;
	uint8_t access;
	uint8_t op;	/* of data_src */
} kinds[NR_KINDS] = {
	[STORE]		= { 4, GPUBP_ACCESS_STORE, OP_STORE },
	[STORE_X4]	= { 16, GPUBP_ACCESS_STORE, OP_STORE },
	[LOAD]		= { 4, GPUBP_ACCESS_LOAD, OP_LOAD },
	[LOAD_OVER]	= { 8, GPUBP_ACCESS_LOAD, OP_LOAD },
	[ADD_X2]	= { 8, GPUBP_ACCESS_ATOMIC, OP_LOAD | OP_STORE },
};

static uint8_t mem_op(const struct sample *s)
{
	union perf_mem_data_src source = { .val = s->data_src };

	return source.mem_op;
}

/**
 * struct wild - a context whose wave accesses memory that is not there
 * @gpu: the context
 * @table: addresses of the lanes
 * @low: memory at MAPPED
 * @high: memory at LAST_PAGE
 */
struct wild {
	struct gpu gpu;
	struct grun_mem table, low, high;
};

static int wild_open(struct wild *w, unsigned int nr, const char *code)
{
	memset(w, 0, sizeof(*w));
	return gpu_open_on(&w->gpu, nr, code) ?:
	       gpu_buffer(&w->gpu, &w->table, LANES * sizeof(uint64_t), 0) ?:
	       gpu_buffer(&w->gpu, &w->low, 2 * PAGE, MAPPED) ?:
	       gpu_buffer(&w->gpu, &w->high, PAGE, LAST_PAGE);
}

static uint64_t *wild_table(const struct wild *w)
{
	return w->table.cpu;
}

/* run it; the only sample of @fd: 0 or a negative errno */
static int wild_sample(struct wild *w, int fd, uint64_t lanes, unsigned int kind,
		       struct sample *s)
{
	struct ring ring;
	int err = ring_map(&ring, fd, RING_PAGES);

	if (err)
		return err;
	/* that the wave is killed is the purpose */
	err = gpu_run(&w->gpu, "lanes", 1, GPU_ARGS(w->table.va, lanes, kind));
	if (!err || !ring_next(&ring, s) || ring_next(&ring, s))
		err = -EIO;
	else
		err = 0;
	ring_unmap(&ring);
	return err;
}

static int open_violations(void)
{
	struct perf_event_attr attr = event_exception(GPUBP_EXC_MEM_VIOL);

	event_sample(&attr, 1);
	return event_open(&attr, 0, -1);
}

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 1103515245 + 12345;
	return (random_state >> 8) % n;
}

/* each lane has a line of its own, so that its bytes say whether it wrote */
static void random_lanes(uint64_t *at, unsigned int align)
{
	static const uint32_t pages[] = { 0, 0, 1, 1, 2, 3, 3, 4 };
	uint32_t lane, offset;

	for (lane = 0; lane < LANES; lane++) {
		offset = lane * 64 + random_below(48 / align) * align;
		at[lane] = MAPPED + pages[random_below(8)] * PAGE + offset;
		/* the last line of a page: some bytes are in the next one */
		if (lane == LANES - 1)
			at[lane] += 16;
	}
}

static bool byte_exists(uint64_t va)
{
	uint64_t page = (va - MAPPED) / PAGE;

	return page < 2 || page == 3;
}

static bool lane_faults(uint64_t va, unsigned int kind)
{
	unsigned int width = kinds[kind].width;

	return !byte_exists(va) || !byte_exists(va + width - 1) ||
	       (kind == ADD_X2 && va % width);
}

static uint64_t lanes_that_fault(const uint64_t *at, uint64_t exec,
				 unsigned int kind)
{
	uint64_t lanes = 0;
	unsigned int lane;

	for (lane = 0; lane < LANES; lane++)
		if ((exec >> lane & 1) && lane_faults(at[lane], kind))
			lanes |= 1ULL << lane;
	return lanes;
}

static bool lane_wrote(const struct wild *w, uint64_t va)
{
	const char *page = va < LAST_PAGE ? w->low.cpu : w->high.cpu;
	uint32_t value;

	memcpy(&value, page + va % (va < LAST_PAGE ? 2 * PAGE : PAGE),
	       sizeof(value));
	return value;
}

/* the same, by what is in memory: all others wrote; a sum is in its low word */
static uint64_t lanes_without_effect(const struct wild *w, const uint64_t *at,
				     uint64_t exec, unsigned int kind)
{
	unsigned int lane, width = kinds[kind].width;
	unsigned int word = kind == ADD_X2 ? 0 : width - 4;
	uint64_t lanes = 0;

	for (lane = 0; lane < LANES; lane++)
		if ((exec >> lane & 1) &&
		    (!byte_exists(at[lane]) ||
		     !byte_exists(at[lane] + width - 1) ||
		     !lane_wrote(w, at[lane] + word)))
			lanes |= 1ULL << lane;
	return lanes;
}

#define ROUNDS	40

TEST_F(exceptions, the_address_that_a_model_says)
{
	unsigned int round, kind;
	uint64_t at[LANES], exec, lanes;
	struct sample s;
	struct wild w;
	int fd;

	for (round = 0; round < ROUNDS; round++) {
		kind = round % NR_KINDS;
		fd = open_violations();
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, wild_open(&w, 0, "fault"));
		random_lanes(at, round / NR_KINDS % 2 ? 8 : 1);
		memcpy(wild_table(&w), at, sizeof(at));
		exec = random_below(1U << 24) | (uint64_t)random_below(1U << 24) << 40;
		lanes = lanes_that_fault(at, exec, kind);
		/* the lanes differ from round to round, but some fault in any */
		ASSERT_NE(0, lanes);
		ASSERT_EQ(0, wild_sample(&w, fd, exec, kind, &s));
		EXPECT_EQ(GPUBP_EXC_MEM_VIOL, s.rec.exceptions);
		EXPECT_EQ(kinds[kind].access, s.rec.access);
		EXPECT_EQ(kinds[kind].width, s.rec.width);
		EXPECT_EQ(kinds[kind].op, mem_op(&s));
		EXPECT_EQ(exec, s.rec.exec);
		EXPECT_TRUE(s.rec.flags & GPUBP_HIT_PC_EXACT);
		if (kind == LOAD_OVER) {
			EXPECT_EQ(GPUBP_ADDR_UNKNOWN, s.rec.addr_state);
			EXPECT_EQ(exec, s.rec.lanes);
			EXPECT_EQ(0, s.addr);
		} else {
			EXPECT_EQ(GPUBP_ADDR_EXACT, s.rec.addr_state);
			EXPECT_EQ(lanes, s.rec.lanes);
			EXPECT_EQ(at[__builtin_ctzll(lanes)], s.addr);
		}
		if (kinds[kind].access != GPUBP_ACCESS_LOAD)
			EXPECT_EQ(lanes_without_effect(&w, at, exec, kind), s.rec.lanes);
		gpu_close(&w.gpu);
		close(fd);
	}
}

/* the mapping does not say which of its pages the process has */
TEST_F(exceptions, a_page_that_the_process_unmapped)
{
	struct grun_mem own;
	struct grun_err err;
	struct sample s;
	struct wild w;
	unsigned int lane;
	int fd = open_violations();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, wild_open(&w, 0, "fault"));
	ASSERT_EQ(0, grun_userptr(w.gpu.dev, &own, 2 * PAGE, 0, &err));
	for (lane = 0; lane < LANES; lane++)
		wild_table(&w)[lane] = MAPPED + 4 * lane;
	wild_table(&w)[7] = own.va + PAGE + 40;
	wild_table(&w)[9] = own.va + PAGE;
	ASSERT_EQ(0, munmap((char *)own.cpu + PAGE, PAGE));
	ASSERT_EQ(0, wild_sample(&w, fd, 0xfff, STORE, &s));
	EXPECT_EQ(GPUBP_ADDR_BLOCK, s.rec.addr_state);
	EXPECT_EQ(own.va + PAGE, s.addr);
	EXPECT_EQ(1U << 7 | 1U << 9, s.rec.lanes);
	gpu_close(&w.gpu);
	close(fd);
}

/* the instruction before the pc is no access that a comparator could see */
TEST_F(exceptions, a_scalar_load)
{
	int fd = open_violations();
	struct sample s;
	struct ring ring;
	struct gpu gpu;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
	ASSERT_EQ(0, gpu_open(&gpu, "fault"));
	EXPECT_NE(0, gpu_run(&gpu, "scalar", 1, GPU_ARGS(NOWHERE)));
	ASSERT_TRUE(ring_next(&ring, &s));
	EXPECT_EQ(GPUBP_EXC_MEM_VIOL, s.rec.exceptions);
	EXPECT_EQ(GPUBP_ADDR_UNKNOWN, s.rec.addr_state);
	EXPECT_EQ(0, s.addr);
	EXPECT_EQ(0, s.rec.access);
	EXPECT_EQ(PERF_MEM_OP_EXEC, mem_op(&s));
	EXPECT_FALSE(s.rec.flags & GPUBP_HIT_PC_EXACT);
	gpu_close(&gpu);
	ring_unmap(&ring);
	close(fd);
}

#define LATE	"exc_late"

/* its waves stop some instructions after an access: nothing is known */
TEST_F(exceptions, without_precise_memory)
{
	int nr, fd = open_violations();
	struct sample s;
	struct wild w;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, simdev_mkdir(LATE));
	ASSERT_EQ(0, simdev_set(LATE, "personality", "gfx900"));
	ASSERT_EQ(0, simdev_set(LATE, "live", "1"));
	nr = simdev_get(LATE, "number");
	ASSERT_LT(0, nr);
	books_of(nr);
	ASSERT_EQ(0, wild_open(&w, nr, "../gfx900/gpu/fault"));
	wild_table(&w)[0] = NOWHERE;
	ASSERT_EQ(0, wild_sample(&w, fd, 1, STORE, &s));
	EXPECT_EQ(GPUBP_EXC_MEM_VIOL, s.rec.exceptions);
	EXPECT_EQ(GPUBP_ADDR_UNKNOWN, s.rec.addr_state);
	EXPECT_EQ(0, s.addr);
	EXPECT_EQ(~0ULL, s.rec.lanes);
	EXPECT_EQ(0, s.rec.access);
	EXPECT_FALSE(s.rec.flags & GPUBP_HIT_PC_EXACT);
	gpu_close(&w.gpu);
	close(fd);
	EXPECT_TRUE(books_idle(PATIENCE));
	books_of(0);
	EXPECT_EQ(0, simdev_rmdir(LATE));
}

/* ---- samples, signals ---------------------------------------------------- */

TEST_F(exceptions, samples)
{
	struct perf_event_attr attr = event_exception(GPUBP_EXC_FP_OVERFLOW);
	unsigned int nr = 0;
	struct sample s;
	struct ring ring;
	int fd;

	event_sample(&attr, 1);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_map(&ring, fd, RING_PAGES));
	ASSERT_EQ(0, multiply(&self->gpu, &self->out, MAX, TWO, false));
	for (; ring_next(&ring, &s); nr++) {
		EXPECT_EQ(GPUBP_KIND_EXCEPTION, s.rec.kind);
		EXPECT_EQ(GPUBP_EXC_FP_OVERFLOW, s.rec.exceptions);
		EXPECT_FALSE(s.rec.flags & GPUBP_HIT_PC_EXACT);
		EXPECT_EQ(0, s.rec.width);
		EXPECT_EQ(~0ULL, s.rec.lanes);
		EXPECT_GT(GROUPS, s.rec.wg_x);
		EXPECT_EQ(getpid(), s.pid);
	}
	EXPECT_EQ(EACH, nr);
	ring_unmap(&ring);
	close(fd);
}

static volatile int traps, strange;

static void on_trap(int sig, siginfo_t *siginfo, void *context)
{
	const struct trap_info *info = trap_info(siginfo);

	if (info->code != TRAP_PERF || info->data != SIG_DATA)
		strange++;
	traps++;
}

TEST_F(exceptions, signal)
{
	struct perf_event_attr attr = trap_watch(0, 0, SIG_DATA);
	int fd;

	attr.config = event_exception(GPUBP_EXC_INT_DIV0).config;
	attr.config1 = 0;
	attr.config2 = 0;
	ASSERT_EQ(0, trap_handle(on_trap, SA_RESTART));
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, gpu_run(&self->gpu, "divide", 1,
			     GPU_ARGS(self->out.va, 7, 0, 1)));
	EXPECT_TRUE(trap_spin(&traps, 1));
	EXPECT_EQ(0, strange);
	close(fd);
}

/* ---- side effects -------------------------------------------------------- */

static int child_multiplies(int sock, void *arg)
{
	struct grun_mem out, stop;
	struct gpu gpu;

	if (set_up(&gpu, &out, &stop))
		return 1;
	say(sock, 1);
	heard(sock);
	if (multiply(&gpu, &out, MAX, TWO, false))
		return 2;
	say(sock, 2);
	heard(sock);
	return 0;
}

TEST_F(exceptions, of_each_process_its_own)
{
	struct child child;
	int own, its;

	ASSERT_EQ(0, child_start(&child, child_multiplies, NULL));
	ASSERT_EQ(1, heard(child.sock));
	own = open_exception(GPUBP_EXC_FP, 0);
	its = open_exception(GPUBP_EXC_FP_OVERFLOW, child.pid);
	ASSERT_LE(0, own);
	ASSERT_LE(0, its);
	say(child.sock, 0);
	ASSERT_EQ(0, multiply(&self->gpu, &self->out, 0, INFINITE, false));
	ASSERT_EQ(2, heard(child.sock));
	EXPECT_EQ(EACH, event_count(own));
	EXPECT_EQ(EACH, event_count(its));
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(own);
	close(its);
}

/* wait until each wave has done so many more multiplications; false: timeout */
static bool goes_on(const struct grun_mem *out)
{
	uint32_t before[GROUPS];
	unsigned int g, ms = 0;

	for (g = 0; g < GROUPS; g++)
		before[g] = word(out, g * LANES);
	for (g = 0; g < GROUPS; g++)
		while (word(out, g * LANES) - before[g] < LOOPS) {
			if (ms++ == PATIENCE / 4 * 1000)
				return false;
			usleep(1000);
		}
	return true;
}

static bool counts(int fd, int64_t count)
{
	unsigned int ms;

	for (ms = 0; event_count(fd) < count; ms++) {
		if (ms == PATIENCE / 4 * 1000)
			return false;
		usleep(1000);
	}
	return true;
}

/* traps of running waves are enabled, and disabled again when they trap next */
TEST_F(exceptions, of_a_kernel_that_runs)
{
	struct gpubp_sync sync;
	int64_t strays;
	int fd, round;

	ASSERT_EQ(0, gpu_start(&self->gpu, "multiply_on", GROUPS,
			       GPU_ARGS(self->out.va, MAX, TWO,
					self->stop.va)));
	ASSERT_TRUE(goes_on(&self->out));
	for (round = 0; round < 2; round++) {
		fd = open_exception(GPUBP_EXC_FP_OVERFLOW, 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
		EXPECT_EQ(1, sync.nr_armed);
		EXPECT_EQ(0, sync.nr_pending);
		EXPECT_TRUE(counts(fd, EACH));
		/* another event keeps the handler installed */
		close(fd);
		fd = open_exception(GPUBP_EXC_ILLEGAL, 0);
		ASSERT_LE(0, fd);
		/* until a commit waves trap for the event that is closed */
		ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
		strays = books_get("stray_trap");
		EXPECT_TRUE(goes_on(&self->out));
		EXPECT_TRUE(goes_on(&self->out));
		EXPECT_TRUE(books_settle(PATIENCE));
		/* an attempt that began before may have enabled the traps once more */
		EXPECT_GE(2 * GROUPS, books_get("stray_trap") - strays);
		strays = books_get("stray_trap");
		EXPECT_TRUE(goes_on(&self->out));
		EXPECT_TRUE(goes_on(&self->out));
		EXPECT_EQ(strays, books_get("stray_trap"));
		EXPECT_EQ(0, event_count(fd));
		close(fd);
	}
	*(volatile uint32_t *)self->stop.cpu = 1;
	EXPECT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
}

static int rounds(void)
{
	return env_number("GPUBP_STORM", debug_kernel() ? 20 : 60);
}

/* multiplications of all waves */
static int64_t made(const struct grun_mem *out)
{
	int64_t sum = 0;
	unsigned int g;

	for (g = 0; g < GROUPS; g++)
		sum += word(out, g * LANES);
	return sum;
}

/* up to that many ms, so that rounds begin at any moment of a wave's stop */
static void pass(unsigned int ms)
{
	usleep(random() % (ms * 1000));
}

/*
 * Do all waves trap? One that does not makes thousands of multiplications in the time
 * of a stop. Each of the others may have made one that is not counted yet.
 */
static bool all_count(int fd, const struct grun_mem *out)
{
	int64_t counted = event_count(fd), begin = made(out), end;

	pass(6);
	end = made(out);
	pass(6);
	counted = event_count(fd) - counted;
	if (counted + GROUPS >= end - begin)
		return true;
	printf("# %ld hits of %ld multiplications\n", counted, end - begin);
	return false;
}

/* events come and go, at any moment of the waves' stops and of attempts to change them */
TEST_F(exceptions, attached_again_and_again)
{
	struct gpubp_sync sync;
	int fd, round;

	ASSERT_EQ(0, gpu_start(&self->gpu, "multiply_on", GROUPS,
			       GPU_ARGS(self->out.va, MAX, TWO,
					self->stop.va)));
	ASSERT_TRUE(goes_on(&self->out));
	for (round = 0; round < rounds(); round++) {
		fd = open_exception(GPUBP_EXC_FP_OVERFLOW, 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, session_sync(self->session, fd, PATIENCE, &sync));
		EXPECT_EQ(0, sync.nr_pending);
		EXPECT_TRUE(all_count(fd, &self->out)) TH_LOG("round %d", round);
		close(fd);
		pass(4);
		if (round % 3)
			continue;
		/* keeps the handler installed */
		fd = open_exception(GPUBP_EXC_ILLEGAL, 0);
		ASSERT_LE(0, fd);
		pass(4);
		close(fd);
	}
	*(volatile uint32_t *)self->stop.cpu = 1;
	EXPECT_EQ(0, gpu_wait(&self->gpu, PATIENCE));
}

/* ---- what cannot be ------------------------------------------------------ */

static int refused(struct perf_event_attr attr)
{
	int fd = event_open(&attr, 0, -1);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

TEST(attrs)
{
	struct perf_event_attr attr = event_exception(GPUBP_EXC_FP);

	EXPECT_EQ(0, refused(event_exception(0)));
	EXPECT_EQ(-EINVAL, refused(event_exception(GPUBP_EXC_ALL + 1)));
	EXPECT_EQ(-EOPNOTSUPP, refused(event_exception(GPUBP_EXC_WAVE_START)));
	EXPECT_EQ(-EOPNOTSUPP, refused(event_exception(GPUBP_EXC_WAVE_END |
						       GPUBP_EXC_ILLEGAL)));
	attr.precise_ip = 1;
	EXPECT_EQ(-EOPNOTSUPP, refused(attr));
	attr = event_exception(GPUBP_EXC_ILLEGAL | GPUBP_EXC_MEM_VIOL);
	attr.precise_ip = 2;
	EXPECT_EQ(0, refused(attr));
	attr.config |= GPUBP_CONFIG_CHANGED;
	EXPECT_EQ(-EINVAL, refused(attr));
	attr = event_exception(0);
	attr.config1 = 4;
	EXPECT_EQ(-EINVAL, refused(attr));
	attr = event_exception(0);
	attr.config2 = 4;
	EXPECT_EQ(-EINVAL, refused(attr));
	attr = event_exception(0);
	attr.config |= GPUBP_ACCESS_STORE << GPUBP_CONFIG_ACCESS_SHIFT;
	EXPECT_EQ(-EINVAL, refused(attr));
}

TEST_HARNESS_MAIN
