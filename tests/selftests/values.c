// SPDX-License-Identifier: GPL-2.0
/*
 * Values: random accesses of all kinds and widths, at any address, to memory that the
 * CPU writes, too. What each sample says of bytes and values is compared with a copy
 * of the memory that the CPU keeps: it is right, or absent where it cannot be known.
 *
 * environment:
 *	GPUBP_SEED	of the random numbers
 *	GPUBP_ROUNDS	random programs, default 100
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"

#define VA	0x600000000ULL
#define SIZE	8192U		/* what is accessed, and behind it what was loaded */
#define AREA	4096U
#define LANES	64U
#define COPY	64U		/* bytes that the kernel keeps of a watch */
#define PATIENCE 60		/* s */

enum unknown { OPERAND_IS_LOST = 1, ADDRESS_MAY_BE };

static const struct kernel {
	const char *name;
	unsigned int width;
	unsigned int access;
	enum unknown unknown;
} kernels[] = {
	{ "store8", 1, GPUBP_ACCESS_STORE, 0 },
	{ "store16", 2, GPUBP_ACCESS_STORE, 0 },
	{ "store32", 4, GPUBP_ACCESS_STORE, 0 },
	{ "store64", 8, GPUBP_ACCESS_STORE, 0 },
	{ "store128", 16, GPUBP_ACCESS_STORE, 0 },
	{ "store_same", 4, GPUBP_ACCESS_STORE, 0 },
	{ "store_first", 4, GPUBP_ACCESS_STORE, 0 },
	{ "load8", 1, GPUBP_ACCESS_LOAD, 0 },
	{ "load16", 2, GPUBP_ACCESS_LOAD, 0 },
	{ "load32", 4, GPUBP_ACCESS_LOAD, 0 },
	{ "load128", 16, GPUBP_ACCESS_LOAD, ADDRESS_MAY_BE },
	{ "add32", 4, GPUBP_ACCESS_ATOMIC, 0 },
	{ "add32_returning", 4, GPUBP_ACCESS_ATOMIC, OPERAND_IS_LOST },
};

/**
 * struct program - one dispatch of one wave
 * @kernel: what it does
 * @at: where the first lane accesses, from the start of the memory
 * @stride: of the lanes
 * @start: first watched byte, likewise
 * @len: watched bytes
 */
struct program {
	const struct kernel *kernel;
	unsigned int at;
	unsigned int stride;
	unsigned int start;
	unsigned int len;
};

static unsigned int random_below(unsigned int n)
{
	return (unsigned int)random() % n;
}

static bool is(const struct program *p, const char *name)
{
	return !strcmp(p->kernel->name, name);
}

/* what a lane stores, or adds: as VALUE() of values.cl */
static void lane_value(const struct program *p, unsigned int lane, uint8_t *out)
{
	uint32_t word[4];
	unsigned int n;

	if (is(p, "store_same"))
		lane = 0;
	for (n = 0; n < 4; n++)
		word[n] = (lane * 4 + n + 1) * 2654435761u;
	memcpy(out, word, sizeof(word));
}

static unsigned int lane_at(const struct program *p, unsigned int lane)
{
	return p->at + p->stride * lane;
}

static bool lane_has(const struct program *p, unsigned int lane, unsigned int byte)
{
	return byte - lane_at(p, lane) < p->kernel->width &&
	       (!lane || !is(p, "store_first"));
}

static bool lane_hits(const struct program *p, unsigned int lane)
{
	unsigned int i;

	for (i = 0; i < p->kernel->width; i++)
		if (lane_has(p, lane, lane_at(p, lane) + i) &&
		    lane_at(p, lane) + i - p->start < p->len)
			return true;
	return false;
}

static uint64_t lanes_that_hit(const struct program *p)
{
	uint64_t lanes = 0;
	unsigned int lane;

	for (lane = 0; lane < LANES; lane++)
		lanes |= (uint64_t)lane_hits(p, lane) << lane;
	return lanes;
}

static uint64_t number(const uint8_t *bytes, unsigned int len)
{
	uint64_t word = 0;

	memcpy(&word, bytes, len < 8 ? len : 8);
	return word;
}

static unsigned int min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* does any other lane write something else than @word to the bytes of the hit? */
static bool lanes_differ(const struct program *p, unsigned int at, unsigned int len,
			 uint64_t word)
{
	unsigned int lane, i;
	uint8_t value[16];

	for (lane = 0; lane < LANES; lane++)
		for (i = 0; i < len; i++) {
			lane_value(p, lane, value);
			if (lane_has(p, lane, at + i) &&
			    value[at + i - lane_at(p, lane)] != (uint8_t)(word >> 8 * i))
				return true;
		}
	return false;
}

static bool lanes_share(const struct program *p, unsigned int at, unsigned int len)
{
	unsigned int lane, i, nr = 0;

	for (lane = 0; lane < LANES; lane++)
		for (i = 0; i < len; i++)
			if (lane_has(p, lane, at + i)) {
				nr++;
				break;
			}
	return nr > 1;
}

static void program_make(struct program *p)
{
	static const unsigned int lens[] = { 1, 2, 4, 8, 13, 64, 100, 1000 };
	unsigned int width;

	p->kernel = &kernels[random_below(sizeof(kernels) / sizeof(kernels[0]))];
	width = p->kernel->width;
	p->stride = width * random_below(4);
	p->at = random_below(AREA / 4);
	/* an access that is not aligned may be one of the driver's faults, atomics are */
	p->at -= p->at % (p->kernel->access == GPUBP_ACCESS_ATOMIC ? 4 : 1);
	if (p->kernel->access != GPUBP_ACCESS_ATOMIC && !random_below(3))
		p->stride += 1;
	p->len = lens[random_below(sizeof(lens) / sizeof(lens[0]))];
	/* so that some lane meets it */
	p->start = lane_at(p, random_below(LANES)) + random_below(width + 4);
	p->start -= min(p->start, random_below(p->len));
}

/* ---- what a sample may say ------------------------------------------------- */

/**
 * struct memory - the CPU's copies
 * @now: of the memory, after the dispatch
 * @was: before it
 * @seen: of the first watched bytes, when they were last read
 */
struct memory {
	uint8_t now[SIZE];
	uint8_t was[SIZE];
	uint8_t seen[COPY];
};

static const char *check_value(const struct gpubp_hit_record *rec, uint16_t flag,
			       bool known, uint64_t is, uint64_t want)
{
	if (!!(rec->flags & flag) != known)
		return known ? "is absent" : "cannot be known";
	return is == (known ? want : 0) ? NULL : "is wrong";
}

static const char *check_bytes(const struct program *p, const struct gpubp_hit_record *rec)
{
	unsigned int lane = (unsigned int)__builtin_ctzll(rec->lanes);
	unsigned int first = lane_at(p, lane), end = first + p->kernel->width;

	if (rec->lanes != lanes_that_hit(p))
		return "lanes are wrong";
	first = first < p->start ? p->start : first;
	end = min(end, p->start + p->len);
	if (!(rec->flags & GPUBP_HIT_BYTES) || rec->hit_addr != VA + first ||
	    rec->hit_len != end - first)
		return "bytes are wrong";
	return NULL;
}

/* what the first lane stored, loaded or added to the bytes that it hit */
static const char *check_data(const struct program *p, const struct memory *m,
			      const struct gpubp_hit_record *rec)
{
	unsigned int lane = (unsigned int)__builtin_ctzll(rec->lanes);
	unsigned int at = (unsigned int)(rec->hit_addr - VA), len = min(rec->hit_len, 8);
	bool known = p->kernel->unknown != OPERAND_IS_LOST;
	uint8_t value[16];
	uint64_t word;

	if (p->kernel->access == GPUBP_ACCESS_LOAD)
		return check_value(rec, GPUBP_HIT_DATA, true, rec->data,
				   number(m->was + at, len));
	lane_value(p, lane, value);
	word = number(value + at - lane_at(p, lane), len);
	if (p->kernel->access == GPUBP_ACCESS_STORE)
		known = !lanes_differ(p, at, len, word);
	return check_value(rec, GPUBP_HIT_DATA, known, rec->data, word);
}

static const char *check_before(const struct program *p, const struct memory *m,
				const struct gpubp_hit_record *rec)
{
	unsigned int at = (unsigned int)(rec->hit_addr - VA), len = min(rec->hit_len, 8);
	bool known = p->kernel->access == GPUBP_ACCESS_LOAD || is(p, "add32_returning");

	/* the order of its lanes is the GPU's */
	if (is(p, "add32_returning") && lanes_share(p, at, len))
		return rec->flags & GPUBP_HIT_BEFORE ? NULL : "is absent";
	return check_value(rec, GPUBP_HIT_BEFORE, known, rec->before,
			   number(m->was + at, len));
}

static const char *check_copies(const struct program *p, const struct memory *m,
				const struct gpubp_hit_record *rec)
{
	unsigned int at = (unsigned int)(rec->hit_addr - VA), len = min(rec->hit_len, 8);
	bool kept = at + len - p->start <= COPY;

	return check_value(rec, GPUBP_HIT_NOW, kept, rec->now,
			   number(m->now + at, len)) ?:
	       check_value(rec, GPUBP_HIT_SEEN, kept, rec->seen,
			   number(m->seen + (kept ? at - p->start : 0), len));
}

#define VALUES	(GPUBP_HIT_BYTES | GPUBP_HIT_DATA | GPUBP_HIT_BEFORE | \
		 GPUBP_HIT_SEEN | GPUBP_HIT_NOW)

static const char *check_sample(const struct program *p, const struct memory *m,
				const struct gpubp_hit_record *rec)
{
	const char *wrong;

	if (rec->addr_state != GPUBP_ADDR_EXACT)
		return p->kernel->unknown == ADDRESS_MAY_BE && !(rec->flags & VALUES) &&
		       !rec->hit_len && !rec->hit_addr && !rec->data && !rec->before &&
		       !rec->seen && !rec->now ? NULL : "claims too much";
	if (rec->unused[0] || rec->unused[1] || rec->unused[2] || rec->unused2)
		return "has stale bytes";
	wrong = check_bytes(p, rec);
	if (wrong)
		return wrong;
	wrong = check_data(p, m, rec);
	if (wrong)
		return wrong;
	return check_before(p, m, rec) ?: check_copies(p, m, rec);
}

static void print_program(const struct program *p, const struct gpubp_hit_record *rec)
{
	printf("# %s at %u stride %u, watch %u+%u\n", p->kernel->name, p->at, p->stride,
	       p->start, p->len);
	printf("# flags %#x lanes %#llx hit %#llx+%u data %#llx before %#llx seen %#llx now %#llx\n",
	       rec->flags, (unsigned long long)rec->lanes,
	       (unsigned long long)(rec->hit_addr - VA), rec->hit_len,
	       (unsigned long long)rec->data, (unsigned long long)rec->before,
	       (unsigned long long)rec->seen, (unsigned long long)rec->now);
}

/* ---- tests ----------------------------------------------------------------- */

FIXTURE(values) {
	struct gpu gpu;
	struct grun_mem mem;
	struct memory m;
};

FIXTURE_SETUP(values)
{
	ASSERT_EQ(0, gpu_open(&self->gpu, "values"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->mem, 2 * SIZE, VA));
}

FIXTURE_TEARDOWN(values)
{
	gpu_close(&self->gpu);
	EXPECT_TRUE(books_idle(PATIENCE));
}

static int watch(const struct program *p, struct ring *ring, unsigned int pages)
{
	struct perf_event_attr attr = event_watch(VA + p->start, p->len, EVENT_ANY);
	int fd;

	event_sample(&attr, 1);
	fd = event_open(&attr, 0, -1);
	return fd < 0 ? fd : ring_map(ring, fd, pages) ?: fd;
}

static void cpu_writes(FIXTURE_DATA(values) *self)
{
	uint8_t *mem = self->mem.cpu;
	unsigned int n = random_below(8), i;

	while (n--)
		for (i = random_below(SIZE), mem[i] ^= 1; i < SIZE && random_below(16); i++)
			mem[i] = (uint8_t)random();
}

static int run(FIXTURE_DATA(values) *self, const struct program *p)
{
	struct memory *m = &self->m;
	int err;

	memcpy(m->was, self->mem.cpu, SIZE);
	err = gpu_run(&self->gpu, p->kernel->name, 1,
		      p->kernel->access == GPUBP_ACCESS_LOAD || is(p, "add32_returning") ?
		      3 : 2, (const uint64_t []){ VA + p->at, p->stride, VA + SIZE });
	memcpy(m->now, self->mem.cpu, SIZE);
	return err;
}

/* a program, run three times, between which the CPU writes */
TEST_F(values, random_programs)
{
	unsigned int n, i, nr = 0, rounds = env_number("GPUBP_ROUNDS", 100);
	struct memory *m = &self->m;
	struct program p;
	struct sample s;
	struct ring ring;
	int fd, seed = env_number("GPUBP_SEED", time(NULL) ^ getpid());

	printf("# GPUBP_SEED=%d\n", seed);
	srandom((unsigned int)seed);
	for (n = 0; n < rounds; n++) {
		program_make(&p);
		cpu_writes(self);
		fd = watch(&p, &ring, 1);
		ASSERT_LE(0, fd);
		for (i = 0; i < 3; i++) {
			if (!i)
				memcpy(m->seen, (uint8_t *)self->mem.cpu + p.start, COPY);
			ASSERT_EQ(0, run(self, &p));
			ASSERT_TRUE(books_settle(PATIENCE));
			if (!lanes_that_hit(&p))
				break;
			ASSERT_TRUE(ring_next(&ring, &s)) print_program(&p, &s.rec);
			EXPECT_EQ(NULL, check_sample(&p, m, &s.rec)) {
				print_program(&p, &s.rec);
				TH_LOG("%s", check_sample(&p, m, &s.rec));
			}
			EXPECT_FALSE(ring_next(&ring, &s));
			memcpy(m->seen, m->now + p.start, COPY);
			cpu_writes(self);
			nr++;
		}
		ring_unmap(&ring);
		close(fd);
	}
	EXPECT_LT(rounds, nr);
}

/* each wave of many stores a value of its own into the same word */
TEST_F(values, of_waves_that_store_at_once)
{
	struct program p = { .kernel = &kernels[6], .at = 64, .start = 64, .len = 4 };
	unsigned int waves = 500, nr = 0, i;
	uint8_t seen[500] = {};
	struct sample s;
	struct ring ring;
	int fd = watch(&p, &ring, 128);

	ASSERT_LE(0, fd);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, gpu_run(&self->gpu, "store_first", waves,
				     GPU_ARGS(VA + p.at, 0)));
	EXPECT_TRUE(books_settle(PATIENCE));
	for (; ring_next(&ring, &s); nr++) {
		EXPECT_TRUE(s.rec.flags & GPUBP_HIT_DATA);
		EXPECT_EQ((s.rec.wg_x * LANES * 4 + 1) * 2654435761u, s.rec.data);
		EXPECT_FALSE(s.rec.flags & GPUBP_HIT_BEFORE);
		seen[s.rec.wg_x % waves]++;
	}
	EXPECT_EQ(2 * waves, nr);
	for (i = 0; i < waves; i++)
		EXPECT_EQ(2, seen[i]);
	ring_unmap(&ring);
	close(fd);
}

/* ---- memory that belongs to another buffer next ---------------------------- */

#define OTHER	(VA + 0x100000)
#define STORED	2654435761u	/* by the first lane */
#define WAS	(GPUBP_HIT_OLD_VALUE | GPUBP_HIT_SEEN)

/* two stores to the first word at OTHER, whose hits are to be @ring's */
static int store_twice(struct gpu *gpu)
{
	int err = 0, i;

	for (i = 0; !err && i < 2; i++)
		err = gpu_run(gpu, "store32", 1, GPU_ARGS(OTHER, 4));
	return err;
}

static int watch_other(struct ring *ring)
{
	const struct program p = { .start = OTHER - VA, .len = 4 };

	return watch(&p, ring, 1);
}

/* @first: what the first hit knows of the memory before */
static const char *check_other(struct ring *ring, unsigned int first)
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

TEST_F(values, freed_memory_takes_its_values_along)
{
	struct grun_mem mem;
	struct ring ring;
	int i, fd = watch_other(&ring);

	ASSERT_LE(0, fd);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, grun_alloc(self->gpu.dev, &mem, 4096, OTHER, NULL));
		ASSERT_EQ(0, store_twice(&self->gpu));
		ASSERT_TRUE(books_settle(PATIENCE));
		/* what is mapped after the watch was armed is read before the first work */
		EXPECT_EQ(NULL, check_other(&ring, i ? 0 : WAS)) TH_LOG("round %d", i);
		grun_release(self->gpu.dev, &mem);
	}
	ring_unmap(&ring);
	close(fd);
}

TEST_F(values, so_does_a_buffer_whose_name_is_withdrawn)
{
	struct grun_mem mem;
	struct ring ring;
	int i, fd;

	ASSERT_EQ(0, gpu_buffer(&self->gpu, &mem, 4096, OTHER));
	fd = watch_other(&ring);
	ASSERT_LE(0, fd);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, gpu_name(&self->gpu, OTHER, 4096, i % 2 ? "weights" : "act0"));
		ASSERT_EQ(0, store_twice(&self->gpu));
		ASSERT_TRUE(books_settle(PATIENCE));
		EXPECT_EQ(NULL, check_other(&ring, i ? 0 : WAS)) TH_LOG("round %d", i);
		ASSERT_EQ(0, gpu_name(&self->gpu, OTHER, 0, i % 2 ? "weights" : "act0"));
	}
	ring_unmap(&ring);
	close(fd);
}

TEST_HARNESS_MAIN
