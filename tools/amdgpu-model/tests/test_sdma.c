// SPDX-License-Identifier: GPL-2.0
/* SDMA: each packet, where packets end, rings of the kernel, queues of processes. */
#include <string.h>
#include <unistd.h>

#include "amd_compat.h"
#include "soc15_int.h"
#include "v9_structs.h"
#include "vega10_sdma_pkt_open.h"
#include "sdma0/sdma0_4_2_sh_mask.h"

#include "field.h"
#include "tap.h"
#include "world.h"

#define le32_to_cpu(value)	(value)

#define LO(va)		((uint32_t)(va))
#define HI(va)		((uint32_t)((uint64_t)(va) >> 32))
#define VA(at)		LO(GUEST_GART + (at)), HI(GUEST_GART + (at))
#define HOLE		LO(GUEST_GART + GUEST_BYTES), HI(GUEST_GART + GUEST_BYTES)

#define AT_SDMA		0x30000u
#define AT_SDMA_RPTR	0x31000u
#define SDMA_DWORDS	256u
#define SDMA_DOORBELL	0x200u
#define USER_DOORBELL	0x900u

/* two areas of the test's */
#define AT_FROM		0x100000u
#define AT_TO		0x200000u
#define AREA		0x100000u

static struct world w;
static uint64_t wptr;
static unsigned long long seed = 0x5d3a;

/* ---- a ring -------------------------------------------------------------- */

static void ring_register(unsigned int engine, const char *ring, const char *what,
			  uint32_t value)
{
	char name[64];

	snprintf(name, sizeof(name), "SDMA%u %s%s_%s", engine,
		 world_gpu()->sdma_prefix, ring, what);
	mmio_write(&w, name, value);
}

static void sdma_begin(unsigned int engine, const char *ring, uint32_t rptr)
{
	ring_register(engine, ring, "RB_CNTL", 0);
	ring_register(engine, ring, "RB_BASE", (GUEST_GART + AT_SDMA) >> 8);
	ring_register(engine, ring, "RB_BASE_HI", 0);
	ring_register(engine, ring, "RB_RPTR", rptr * 4);
	ring_register(engine, ring, "RB_RPTR_HI", 0);
	ring_register(engine, ring, "RB_RPTR_ADDR_LO", GUEST_GART + AT_SDMA_RPTR);
	ring_register(engine, ring, "RB_RPTR_ADDR_HI", 0);
	ring_register(engine, ring, "DOORBELL_OFFSET",
		      FIELD_PUT(SDMA0_GFX_DOORBELL_OFFSET, OFFSET, SDMA_DOORBELL));
	ring_register(engine, ring, "DOORBELL", FIELD_PUT(SDMA0_GFX_DOORBELL, ENABLE, 1));
	ring_register(engine, ring, "RB_CNTL",
		      FIELD_PUT(SDMA0_GFX_RB_CNTL, RB_ENABLE, 1) |
		      FIELD_PUT(SDMA0_GFX_RB_CNTL, RPTR_WRITEBACK_ENABLE, 1) |
		      FIELD_PUT(SDMA0_GFX_RB_CNTL, RB_SIZE,
				__builtin_ctz(SDMA_DWORDS)));
	wptr = rptr;
	ih_drain(&w);
}

static void sdma_end(unsigned int engine, const char *ring)
{
	ring_register(engine, ring, "RB_CNTL", 0);
	ring_register(engine, ring, "DOORBELL", 0);
}

static void sdma_put(const uint32_t *dw, unsigned int nr)
{
	for (; nr--; dw++)
		*guest32(&w, AT_SDMA + wptr++ % SDMA_DWORDS * 4) = *dw;
}

static void sdma_kick(void)
{
	ring_doorbell(&w, SDMA_DOORBELL, wptr * 4);
}

static struct queue *sdma_queue(void)
{
	return queue_find(&w.gpu->engine, SDMA_DOORBELL);
}

static bool ran_all(const struct queue *q)
{
	return q && !q->stopped && !q->waiting && q->rptr == q->wptr;
}

static bool runs(const uint32_t *dw, unsigned int nr)
{
	sdma_begin(0, "GFX", 0);
	sdma_put(dw, nr);
	sdma_kick();
	return ran_all(sdma_queue()) && *guest64(&w, AT_SDMA_RPTR) == nr * 4;
}

#define RUNS(...)	runs((const uint32_t []){ __VA_ARGS__ },	\
			     sizeof((const uint32_t []){ __VA_ARGS__ }) / 4)

static bool fails(const uint32_t *dw, unsigned int nr)
{
	uint64_t faults = w.gpu->log.faults;

	return !runs(dw, nr) && sdma_queue() && sdma_queue()->stopped &&
	       w.gpu->log.faults == faults + 1;
}

#define FAILS(...)	fails((const uint32_t []){ __VA_ARGS__ },	\
			      sizeof((const uint32_t []){ __VA_ARGS__ }) / 4)

/* ---- packets ------------------------------------------------------------- */

static void fill_areas(void)
{
	unsigned int i;

	for (i = 0; i < AREA; i += 8)
		*guest64(&w, AT_FROM + i) = tap_random(&seed);
	memset(w.guest + AT_TO, 0, AREA);
}

static bool copy(uint32_t from, uint32_t to, uint32_t len)
{
	return RUNS(SDMA_OP_COPY, len - 1, 0, VA(from), VA(to));
}

/* the same copy, by hand; nothing beside it changes */
static bool copy_right(uint32_t from_at, uint32_t to_at, uint32_t len)
{
	static uint8_t expect[AREA];

	memcpy(expect, w.guest + AT_TO, AREA);
	memcpy(expect + to_at, w.guest + AT_FROM + from_at, len);
	return copy(AT_FROM + from_at, AT_TO + to_at, len) &&
	       !memcmp(expect, w.guest + AT_TO, AREA);
}

static void check_copy(void)
{
	static const uint32_t lens[] = { 1, 3, 4, 4095, 4096, 4097, 8191, 0x12345 };
	unsigned int i, bad = 0;

	fill_areas();
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		bad += !copy_right(0, 0, lens[i]) || !copy_right(4095, 1, lens[i]) ||
		       !copy_right(7, 4093, lens[i]);
	tap_ok(!bad, "COPY of any length, over borders of pages");
	tap_ok(copy_right(0, 0, AREA), "of a MiB");
	memmove(w.guest + AT_TO, w.guest + AT_FROM, AREA);
	tap_ok(copy(AT_TO + 0x1234, AT_TO, 0x20000) &&
	       !memcmp(w.guest + AT_TO, w.guest + AT_FROM + 0x1234, 0x20000),
	       "to a place before it that overlaps");
	memmove(w.guest + AT_TO, w.guest + AT_FROM, AREA);
	tap_ok(copy(AT_TO, AT_TO, 0x20000) &&
	       !memcmp(w.guest + AT_TO, w.guest + AT_FROM, AREA), "onto itself");
	/* what overlaps the other way is not defined, but where it is written is */
	tap_ok(copy(AT_TO, AT_TO + 100, 0x20000) &&
	       !memcmp(w.guest + AT_TO, w.guest + AT_FROM, 100) &&
	       !memcmp(w.guest + AT_TO + 100 + 0x20000, w.guest + AT_FROM + 100 + 0x20000,
		       1000), "to a place behind it that overlaps");
	tap_ok(RUNS(SDMA_OP_COPY, 0x3fffff, 0, LO(VRAM_BASE + 0x800000),
		    HI(VRAM_BASE + 0x800000), LO(VRAM_BASE + 0x1000000),
		    HI(VRAM_BASE + 0x1000000)), "of the most bytes");
	*vram64(&w, 0x800000 + 0x3ffff8) = 0x77;
	*vram64(&w, 0x1000000 + 0x400000) = 0x66;
	tap_ok(RUNS(SDMA_OP_COPY, 0x3fffff, 0, LO(VRAM_BASE + 0x800000),
		    HI(VRAM_BASE + 0x800000), LO(VRAM_BASE + 0x1000000),
		    HI(VRAM_BASE + 0x1000000)) &&
	       *vram64(&w, 0x1000000 + 0x3ffff8) == 0x77 &&
	       *vram64(&w, 0x1000000 + 0x400000) == 0x66, "to the last of them");
	tap_ok(FAILS(SDMA_OP_COPY, 0, 0, HOLE, VA(AT_TO)) &&
	       FAILS(SDMA_OP_COPY, 0, 0, VA(AT_FROM), HOLE), "from or to no memory");
	tap_ok(FAILS(SDMA_OP_COPY | 1u << SDMA_PKT_COPY_LINEAR_HEADER_broadcast_shift, 0, 0,
		     VA(AT_FROM), VA(AT_TO), VA(AT_TO)), "to two places is refused");
}

/* a box in images of other sizes */
struct box {
	uint32_t x, y, z, pitch, layer;
};

static size_t box_at(const struct box *b, unsigned int shift, uint32_t x, uint32_t y,
		     uint32_t z)
{
	return ((b->z + z) * b->layer + (b->y + y) * b->pitch + b->x + x) << shift;
}

static bool window_right(unsigned int shift, struct box from, struct box to, uint32_t width,
			 uint32_t height, uint32_t depth)
{
	static uint8_t expect[AREA];
	uint32_t x, y, z;

	memcpy(expect, w.guest + AT_TO, AREA);
	for (z = 0; z < depth; z++)
		for (y = 0; y < height; y++)
			for (x = 0; x < width; x++)
				memcpy(expect + box_at(&to, shift, x, y, z), w.guest +
				       AT_FROM + box_at(&from, shift, x, y, z), 1 << shift);
	return RUNS(SDMA_OP_COPY | 4 << 8 | shift << 29, VA(AT_FROM), from.x | from.y << 16,
		    from.z | (from.pitch - 1) << 13, from.layer - 1, VA(AT_TO),
		    to.x | to.y << 16, to.z | (to.pitch - 1) << 13, to.layer - 1,
		    (width - 1) | (height - 1) << 16, depth - 1) &&
	       !memcmp(expect, w.guest + AT_TO, AREA);
}

static void check_window(void)
{
	fill_areas();
	tap_ok(window_right(0, (struct box){ 1, 2, 3, 100, 5000 },
			    (struct box){ 7, 0, 1, 64, 3000 }, 50, 20, 4),
	       "COPY of a box of bytes");
	tap_ok(window_right(2, (struct box){ 0, 0, 0, 70, 1 },
			    (struct box){ 0, 0, 0, 128, 1 }, 70, 45, 1), "of rows of dwords");
	tap_ok(window_right(4, (struct box){ 3, 5, 0, 40, 1000 },
			    (struct box){ 0, 1, 2, 33, 2000 }, 33, 9, 3),
	       "of elements of 16 bytes");
	tap_ok(FAILS(SDMA_OP_COPY | 4 << 8, HOLE, 0, 0, 0, VA(AT_TO), 0, 0, 0, 0, 0) &&
	       FAILS(SDMA_OP_COPY | 4 << 8, VA(AT_FROM), 0, 0, 0, HOLE, 0, 0, 0, 0, 0),
	       "from or to no memory");
	tap_ok(FAILS(SDMA_OP_COPY | 4 << 8 | 7u << 29, VA(AT_FROM), 0, 0, 0, VA(AT_FROM), 0, 0,
		     0, 0x3fff3fff, 0x7ff), "of too much");
}

static void check_write(void)
{
	uint32_t dw[4 + 64] = { SDMA_OP_WRITE, VA(AT_TO + 0xff0), 63 };
	unsigned int i;

	memset(w.guest + AT_TO, 0, AREA);
	for (i = 0; i < 64; i++)
		dw[4 + i] = i + 1;
	tap_ok(runs(dw, 68) && !*guest32(&w, AT_TO + 0xfec) &&
	       !memcmp(w.guest + AT_TO + 0xff0, dw + 4, 256) &&
	       !*guest32(&w, AT_TO + 0xff0 + 256), "WRITE");
	tap_ok(RUNS(SDMA_OP_WRITE, VA(AT_TO), 0, 5) && *guest64(&w, AT_TO) == 5,
	       "of one dword");
	dw[3] = 64;
	tap_ok(fails(dw, 68), "of more than there is");
	tap_ok(FAILS(SDMA_OP_WRITE, HOLE, 0, 5), "to no memory");
	tap_ok(RUNS(SDMA_OP_FENCE, VA(AT_TO + 8), 0x1234) &&
	       *guest64(&w, AT_TO + 8) == 0x1234, "FENCE");
	tap_ok(FAILS(SDMA_OP_FENCE, HOLE, 0x1234), "to no memory");
}

static bool fill_right(uint32_t header, uint32_t at, uint32_t count, uint32_t bytes)
{
	static uint8_t expect[AREA];
	uint32_t value = tap_random(&seed), i;

	memcpy(expect, w.guest + AT_TO, AREA);
	for (i = 0; i < bytes; i++)
		expect[at + i] = value >> i % 4 * 8;
	return RUNS(header, VA(AT_TO + at), value, count) &&
	       !memcmp(expect, w.guest + AT_TO, AREA);
}

static void check_fill(void)
{
	uint32_t dwords = 2u << SDMA_PKT_CONSTANT_FILL_HEADER_fillsize_shift;

	tap_ok(fill_right(SDMA_OP_CONST_FILL, 0x10, 4 - 1, 4) &&
	       fill_right(SDMA_OP_CONST_FILL, 0xffc, 0x3000 - 1, 0x3000) &&
	       fill_right(SDMA_OP_CONST_FILL, 0, 1 - 1, 1), "CONST_FILL, as amdgpu does");
	tap_ok(fill_right(SDMA_OP_CONST_FILL | dwords, 0x20, 0, 4) &&
	       fill_right(SDMA_OP_CONST_FILL | dwords, 0x1ffc, (5000 - 1) * 4, 20000),
	       "of dwords, as ROCr does");
	tap_ok(FAILS(SDMA_OP_CONST_FILL, HOLE, 1, 0), "to no memory");
}

static void check_entries(void)
{
	unsigned int i, bad = 0;

	memset(w.guest + AT_TO, 0, AREA);
	bad = !RUNS(SDMA_OP_PTEPDE, VA(AT_TO + 0xff0), 0x73, 0x80000000, 0x12340000, 0x5,
		    0x1000, 0, 100 - 1);
	for (i = 0; i < 101; i++)
		bad += *guest64(&w, AT_TO + 0xff0 + i * 8) != (i < 100 ?
			0x8000000512340073 + i * 0x1000ull : 0);
	tap_ok(!bad, "page entries");
	tap_ok(FAILS(SDMA_OP_PTEPDE, HOLE, 0, 0, 0, 0, 0, 0, 0), "to no memory");
}

static void check_interrupts(void)
{
	static const uint8_t clients[] = { SOC15_IH_CLIENTID_SDMA0, SOC15_IH_CLIENTID_SDMA1,
		SOC15_IH_CLIENTID_SDMA2, SOC15_IH_CLIENTID_SDMA3, SOC15_IH_CLIENTID_SDMA4 };
	uint32_t dw[] = { SDMA_OP_TRAP, 0xf0000007 }, entry[8];
	unsigned int engine, page, bad = 0;

	for (engine = 0; engine < world_gpu()->nr_sdma; engine++)
		for (page = 0; page < 2; page++) {
			const char *ring = page ? "PAGE" : "GFX";

			sdma_begin(engine, ring, 0);
			sdma_put(dw, 2);
			sdma_kick();
			bad += !ih_next(&w, entry) ||
			       SOC15_CLIENT_ID_FROM_IH_ENTRY(entry) != clients[engine] ||
			       SOC15_SOURCE_ID_FROM_IH_ENTRY(entry) !=
			       SOC15_INTSRC_SDMA_TRAP ||
			       SOC15_RING_ID_FROM_IH_ENTRY(entry) != (page ? 3 : 0) ||
			       SOC15_NODEID_FROM_IH_ENTRY(entry) ||
			       SOC15_CONTEXT_ID0_FROM_IH_ENTRY(entry) != 7;
			sdma_end(engine, ring);
		}
	tap_ok(!bad, "TRAP of each engine and ring");
}

static void check_poll(void)
{
	uint32_t memory = 1u << SDMA_PKT_POLL_REGMEM_HEADER_mem_poll_shift,
		 equal = 3u << SDMA_PKT_POLL_REGMEM_HEADER_func_shift,
		 hdp = 1u << SDMA_PKT_POLL_REGMEM_HEADER_hdp_flush_shift,
		 scratch = register_index(&w, "GC SCRATCH_REG0") * 4;
	bool good;

	*guest32(&w, AT_TO) = 0x11;
	tap_ok(RUNS(SDMA_OP_POLL_REGMEM | memory | equal, VA(AT_TO), 1, 0xf, 0xfff0004),
	       "POLL_REGMEM");
	good = !RUNS(SDMA_OP_POLL_REGMEM | memory | equal, VA(AT_TO), 2, 0xf, 0xfff0004,
		     SDMA_OP_FENCE, VA(AT_TO + 8), 9);
	*guest32(&w, AT_TO + 8) = 0;
	good &= sdma_queue()->waiting && gpu_look_again(w.gpu) >= 0;
	*guest32(&w, AT_TO) = 2;
	good &= gpu_look_again(w.gpu) < 0 && ran_all(sdma_queue()) &&
		*guest32(&w, AT_TO + 8) == 9;
	tap_ok(good, "it waits, and goes on");
	mmio_write(&w, "GC SCRATCH_REG0", 0);
	good = !RUNS(SDMA_OP_POLL_REGMEM | equal, scratch, 0, 2, 0xf, 0xfff0004) &&
	       sdma_queue()->waiting;
	mmio_write(&w, "GC SCRATCH_REG0", 2);
	good &= gpu_look_again(w.gpu) < 0 && ran_all(sdma_queue());
	tap_ok(good, "for a register, too");
	tap_ok(RUNS(SDMA_OP_POLL_REGMEM | hdp | equal,
		    register_index(&w, "NBIO GPU_HDP_FLUSH_DONE") * 4,
		    register_index(&w, "NBIO GPU_HDP_FLUSH_REQ") * 4, 0x40, 0x40, 10) &&
	       mmio_read(&w, "NBIO GPU_HDP_FLUSH_REQ") == 0x40, "it flushes HDP");
	tap_ok(FAILS(SDMA_OP_POLL_REGMEM | memory | equal, HOLE, 1, 0xf, 0), "no memory");
}

static void check_others(void)
{
	uint32_t scratch = register_index(&w, "GC SCRATCH_REG0");
	uint64_t before = clock_ns() / 10;

	*guest64(&w, AT_TO) = 0xffffffff;
	tap_ok(RUNS(SDMA_OP_ATOMIC | 0x2fu << SDMA_PKT_ATOMIC_HEADER_atomic_op_shift,
		    VA(AT_TO), 2, 1, 0, 0, 0) && *guest64(&w, AT_TO) == 0x200000001,
	       "ATOMIC adds");
	tap_ok(FAILS(SDMA_OP_ATOMIC | 0x2eu << SDMA_PKT_ATOMIC_HEADER_atomic_op_shift,
		     VA(AT_TO), 2, 1, 0, 0, 0), "and nothing else");
	tap_ok(RUNS(SDMA_OP_TIMESTAMP | SDMA_SUBOP_TIMESTAMP_GET_GLOBAL << 8, VA(AT_TO)) &&
	       *guest64(&w, AT_TO) >= before && *guest64(&w, AT_TO) <= clock_ns() / 10,
	       "TIMESTAMP");
	tap_ok(RUNS(SDMA_OP_SRBM_WRITE | 0xfu << 28, scratch, 0x77) &&
	       mmio_read(&w, "GC SCRATCH_REG0") == 0x77, "SRBM_WRITE");
	tap_ok(RUNS(SDMA_OP_NOP | 3 << 16, ~0u, ~0u, ~0u, SDMA_OP_NOP) &&
	       RUNS(SDMA_OP_PRE_EXE, 0), "fillers");
	tap_ok(FAILS(SDMA_OP_SEM, 0, 0) && FAILS(SDMA_OP_COND_EXE, 0, 0, 0, 0) &&
	       FAILS(SDMA_OP_DUMMY_TRAP, 0) && FAILS(0xff) &&
	       FAILS(SDMA_OP_COPY | 4 << 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
	       "packets that are not modelled");
}

static bool indirect(const uint32_t *dw, unsigned int nr)
{
	memcpy(w.guest + AT_FROM, dw, nr * 4);
	*guest64(&w, AT_TO) = 0;
	return RUNS(SDMA_OP_NOP, SDMA_OP_NOP, SDMA_OP_INDIRECT, VA(AT_FROM), nr, 0, 0);
}

static void check_indirect(void)
{
	const uint32_t fence[] = { SDMA_OP_FENCE, VA(AT_TO), 7 };
	const uint32_t call[] = { SDMA_OP_INDIRECT, VA(AT_FROM), 6, 0, 0 };
	const uint32_t poll[] = { SDMA_OP_POLL_REGMEM | 1u << 31 | 3 << 28, VA(AT_TO), 1,
				  0xf, 0 };

	tap_ok(indirect(fence, 4) && *guest32(&w, AT_TO) == 7, "INDIRECT");
	tap_ok(!indirect(fence, 3) && sdma_queue()->stopped && !*guest32(&w, AT_TO),
	       "that ends in a packet");
	tap_ok(!indirect(call, 6) && sdma_queue()->stopped, "that names itself");
	tap_ok(!indirect(poll, 6) && sdma_queue()->stopped, "that waits");
	tap_ok(indirect(fence, 0), "that is empty");
	tap_ok(FAILS(SDMA_OP_INDIRECT, HOLE, 1, 0, 0) &&
	       FAILS(SDMA_OP_INDIRECT, 0, 0, 1, 0, 0), "outside of memory");
}

/* ---- where packets begin and end ----------------------------------------- */

static const struct sample {
	const char *name;
	unsigned int nr;
	uint32_t dw[13];
} samples[] = {
	{ "COPY", 7, { SDMA_OP_COPY, 7, 0, VA(AT_FROM), VA(AT_TO) } },
	{ "COPY of a window", 13, { SDMA_OP_COPY | 4 << 8, VA(AT_FROM), 0, 0, 0,
				    VA(AT_TO), 0, 0, 0, 7, 0 } },
	{ "WRITE", 6, { SDMA_OP_WRITE, VA(AT_TO), 1, 0x11, 0x22 } },
	{ "FENCE", 4, { SDMA_OP_FENCE, VA(AT_TO), 0x11 } },
	{ "CONST_FILL", 5, { SDMA_OP_CONST_FILL, VA(AT_TO), 0x11, 7 } },
	{ "PTEPDE", 10, { SDMA_OP_PTEPDE, VA(AT_TO), 1, 0, 0x1000, 0, 0, 0, 0 } },
	{ "ATOMIC", 8, { SDMA_OP_ATOMIC | 0x2fu << 25, VA(AT_TO), 5 } },
	{ "TIMESTAMP", 3, { SDMA_OP_TIMESTAMP | 2 << 8, VA(AT_TO) } },
	{ "TRAP", 2, { SDMA_OP_TRAP, 5 } },
};

#define NR_SAMPLES	(sizeof(samples) / sizeof(samples[0]))

/* that it did something */
static bool had_effect(void)
{
	bool interrupt = ih_drain(&w), changed = *guest64(&w, AT_TO);

	*guest64(&w, AT_TO) = 0;
	return interrupt || changed;
}

static bool sample_splits(const struct sample *sample)
{
	unsigned int cut;

	for (cut = 1; cut < sample->nr; cut++) {
		sdma_begin(1, "GFX", 0);
		sdma_put(sample->dw, cut);
		sdma_kick();
		if (!sdma_queue()->stopped || had_effect())
			return false;
		sdma_put(sample->dw + cut, sample->nr - cut);
		sdma_kick();
		if (had_effect() || sdma_queue()->rptr)
			return false;
	}
	return true;
}

static bool sample_wraps(const struct sample *sample)
{
	unsigned int rptr;

	for (rptr = SDMA_DWORDS - sample->nr; rptr <= SDMA_DWORDS; rptr++) {
		sdma_begin(1, "GFX", rptr);
		sdma_put(sample->dw, sample->nr);
		sdma_kick();
		if (!ran_all(sdma_queue()) || !had_effect() ||
		    *guest64(&w, AT_SDMA_RPTR) != (rptr + sample->nr) * 4)
			return false;
	}
	return true;
}

static void check_borders(void)
{
	unsigned int i;

	sdma_end(0, "GFX");
	*guest64(&w, AT_FROM) = 0x1234;
	had_effect();
	for (i = 0; i < NR_SAMPLES; i++) {
		tap_ok(sample_splits(&samples[i]), "%s, cut by the write pointer",
		       samples[i].name);
		tap_ok(sample_wraps(&samples[i]), "%s, over the end of the ring",
		       samples[i].name);
	}
	sdma_begin(1, "GFX", 0);
	wptr = SDMA_DWORDS + 1;
	sdma_kick();
	tap_ok(sdma_queue()->stopped, "a write pointer further than the ring is long");
	sdma_end(1, "GFX");
}

/* ---- rings and queues ---------------------------------------------------- */

static void check_rings(void)
{
	const uint32_t fence[] = { SDMA_OP_FENCE, VA(AT_TO), 7 };

	sdma_begin(0, "GFX", 0);
	sdma_put(fence, 4);
	sdma_put(fence, 4);
	sdma_kick();
	/* the driver is loaded once more: the ring is at the same place */
	sdma_begin(0, "GFX", 0);
	tap_ok(!sdma_queue(), "a ring that is turned off is gone");
	had_effect();
	sdma_put(fence, 4);
	sdma_kick();
	tap_ok(ran_all(sdma_queue()) && had_effect() && sdma_queue()->rptr == 4,
	       "and begins where its read pointer says");
	sdma_end(0, "GFX");
	ring_doorbell(&w, SDMA_DOORBELL, 32);
	tap_ok(!sdma_queue() && !had_effect(), "without it a doorbell has no effect");
	sdma_begin(2, "PAGE", 0);
	ring_register(2, "PAGE", "RB_CNTL",
		      FIELD_PUT(SDMA0_GFX_RB_CNTL, RB_ENABLE, 1) |
		      FIELD_PUT(SDMA0_GFX_RB_CNTL, RB_SIZE, __builtin_ctz(SDMA_DWORDS)));
	*guest64(&w, AT_SDMA_RPTR) = 5;
	sdma_put(fence, 4);
	sdma_kick();
	tap_ok(had_effect() && *guest64(&w, AT_SDMA_RPTR) == 5,
	       "the read pointer is reported where it is wanted");
	sdma_end(2, "PAGE");
}

/* a queue of a process, mapped by MAP_QUEUES: @rptr in bytes */
static void map_user(uint64_t rptr, bool first)
{
	struct v9_sdma_mqd *mqd = (struct v9_sdma_mqd *)(w.guest + 0x6fe00);
	uint64_t base = GUEST_USER + AT_SDMA;
	uint32_t map[] = { 3u << 30 | 0xa2 << 8 | 5 << 16, 2u << 26 | 1u << 29,
			   USER_DOORBELL << 2, VA(0x6fe00), VA(0x32000) };
	struct queue *q;

	if (first) {
		memset(mqd, 0, sizeof(*mqd));
		mqd->sdmax_rlcx_rb_cntl = FIELD_PUT(SDMA0_GFX_RB_CNTL, RB_SIZE,
						    __builtin_ctz(SDMA_DWORDS));
		mqd->sdmax_rlcx_rb_base = LO(base >> 8);
		mqd->sdmax_rlcx_rb_base_hi = HI(base >> 8);
		mqd->sdmax_rlcx_rb_rptr = LO(rptr);
		mqd->sdmax_rlcx_rb_rptr_hi = HI(rptr);
		mqd->sdmax_rlcx_rb_rptr_addr_lo = LO(GUEST_USER + 0x33000);
		mqd->sdmax_rlcx_rb_rptr_addr_hi = HI(GUEST_USER + 0x33000);
		mqd->sdma_engine_id = 3;
	}
	/* the page behind the MQD is not mapped */
	*vram64(&w, VRAM_GART + 0x70 * 8) = 0;
	ring_begin(&w, 0);
	ring_put(&w, map, 7);
	ring_kick(&w);
	q = queue_find(&w.gpu->engine, USER_DOORBELL);
	if (!q)
		return;
	/* the process of MAP_PROCESS */
	q->user = true;
	q->vm = (struct vm){ .root = VRAM_ROOT | 1, .vmid = 9, .pasid = 0x8005 };
}

static void unmap_user(void)
{
	ring_put(&w, (const uint32_t []){ 3u << 30 | 0xa3 << 8 | 4 << 16, 2 << 4, 0, 0, 0,
		 0 }, 6);
	ring_kick(&w);
}

static bool user_runs(const uint32_t *dw, unsigned int nr)
{
	uint64_t faults = w.gpu->log.faults;
	struct queue *q;

	*guest64(&w, 0x32000) = 0;
	map_user(0, true);
	q = queue_find(&w.gpu->engine, USER_DOORBELL);
	memcpy(w.guest + AT_SDMA, dw, nr * 4);
	ring_doorbell(&w, USER_DOORBELL, nr * 4);
	/* a program's mistakes are not the driver's */
	return ran_all(q) && w.gpu->log.faults == faults;
}

#define USER_RUNS(...)	user_runs((const uint32_t []){ __VA_ARGS__ },	\
				  sizeof((const uint32_t []){ __VA_ARGS__ }) / 4)
#define USER_VA(at)	LO(GUEST_USER + (at)), HI(GUEST_USER + (at))

static void check_user(void)
{
	uint32_t entry[8], scratch = register_index(&w, "GC SCRATCH_REG0");
	uint64_t faults, behind;
	const struct queue *q;

	had_effect();
	tap_ok(USER_RUNS(SDMA_OP_FENCE, USER_VA(0x10000), 7, SDMA_OP_TRAP, 9) &&
	       *guest32(&w, 0x10000) == 7 && *guest64(&w, 0x33000) == 24 &&
	       ih_next(&w, entry) &&
	       SOC15_CLIENT_ID_FROM_IH_ENTRY(entry) == SOC15_IH_CLIENTID_SDMA3 &&
	       SOC15_PASID_FROM_IH_ENTRY(entry) == 0x8005 &&
	       SOC15_VMID_FROM_IH_ENTRY(entry) == 9, "a queue of a process");
	tap_ok(USER_RUNS(SDMA_OP_POLL_REGMEM, 0, 0x80000000, 0, 0, 0) &&
	       USER_RUNS(SDMA_OP_POLL_REGMEM, scratch * 4, 1, 0xf, 0, 0),
	       "flushes HDP as ROCr does");
	mmio_write(&w, "GC SCRATCH_REG0", 0);
	faults = w.gpu->log.faults;
	tap_ok(!USER_RUNS(SDMA_OP_SRBM_WRITE | 0xfu << 28, scratch, 1) &&
	       !USER_RUNS(SDMA_OP_POLL_REGMEM | 3 << 28, scratch * 4, 0, 0, 0, 0) &&
	       !USER_RUNS(SDMA_OP_POLL_REGMEM | 1 << 26, scratch * 4, scratch * 4, 1, 1, 0) &&
	       !USER_RUNS(SDMA_OP_FENCE, VA(AT_TO), 7) &&
	       !mmio_read(&w, "GC SCRATCH_REG0") && w.gpu->log.faults == faults,
	       "has no registers, nor the kernel's memory");
	*guest64(&w, 0x32000) = 0;
	map_user(0, true);
	unmap_user();
	memcpy(w.guest + AT_SDMA, (const uint32_t []){ SDMA_OP_TRAP, 9 }, 8);
	*guest64(&w, 0x32000) = 0x200000008;
	((struct v9_sdma_mqd *)(w.guest + 0x6fe00))->sdmax_rlcx_rb_rptr_hi = 2;
	ih_drain(&w);
	ring_doorbell(&w, USER_DOORBELL, 0x200000008);
	behind = *guest64(&w, 0x70000);
	map_user(0, false);
	q = queue_find(&w.gpu->engine, USER_DOORBELL);
	tap_ok(q && q->rptr == 0x80000000 && q->wptr == 0x80000002,
	       "an MQD at the end of what is mapped, a doorbell while it was off");
	unmap_user();
	tap_ok(((struct v9_sdma_mqd *)(w.guest + 0x6fe00))->sdmax_rlcx_rb_rptr_hi == 2 &&
	       *guest64(&w, 0x70000) == behind, "what it was at is saved");
}

/* more work than a message may take */
static void check_work(void)
{
	uint32_t fill[7] = { SDMA_OP_COPY, 0x3fffff, 0, LO(VRAM_BASE + 0x800000),
			     HI(VRAM_BASE + 0x800000), LO(VRAM_BASE + 0x1000000),
			     HI(VRAM_BASE + 0x1000000) };
	uint64_t before = clock_ns();
	unsigned int i;

	for (i = 0; i + 7 < AREA / 4; i += 7)
		memcpy(w.guest + AT_FROM + i * 4, fill, sizeof(fill));
	RUNS(SDMA_OP_INDIRECT, VA(AT_FROM), i, 0, 0);
	tap_ok(sdma_queue()->stopped && clock_ns() - before < 20000000000,
	       "a buffer of copies has an end");
	sdma_begin(0, "GFX", 0);
	for (i = 0; i < 20; i++)
		sdma_put(fill, 7);
	sdma_kick();
	tap_ok(sdma_queue()->waiting && sdma_queue()->rptr < 21, "work is done in parts");
	for (i = 0; i < 30 && gpu_look_again(w.gpu) >= 0; i++)
		;
	tap_ok(ran_all(sdma_queue()) && i > 5, "all of them in the end");
}

int main(void)
{
	unsigned int fds = fds_open();

	alarm(60);
	tap_plan(9 + 5 + 6 + 3 + 2 + 1 + 5 + 6 + 6 + 2 * NR_SAMPLES + 1 + 4 + 4 + 4 + 1);
	world_create(&w, true);
	check_copy();
	check_window();
	check_write();
	check_fill();
	check_entries();
	check_interrupts();
	check_poll();
	check_others();
	check_indirect();
	check_borders();
	check_rings();
	check_user();
	check_work();
	world_destroy(&w);
	tap_ok(fds_open() == fds, "no descriptor is left");
	return tap_status();
}
