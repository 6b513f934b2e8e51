// SPDX-License-Identifier: GPL-2.0
/*
 * Data: which bytes the record of a hit names, and what it says that the first
 * lane stored there, loaded, or found there. Each other byte of it is 0.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/unaligned.h>

#include "core/cell.h"
#include "event/event.h"
#include "event/set.h"
#include "mock.h"

#define BLOCK	(MOCK_VA + 0x1000)	/* of a comparator */
#define AT(n)	(BLOCK + (n))
#define ALL	(GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC)
#define STS_INVALID	BIT(0)		/* gfx90a: isa/gfx9/regs.h */
#define SIZE	128	/* bytes of memory that tests use */
#define LANES	4	/* lanes that they use */
#define FIRST	2	/* register that has data, like those behind it */
#define NR_DATA	4

#define BYTES	GPUBP_HIT_BYTES
#define DATA	GPUBP_HIT_DATA
#define BEFORE	GPUBP_HIT_BEFORE
#define VALUES	(GPUBP_HIT_SEEN | GPUBP_HIT_NOW)
#define CHECKED	(BYTES | DATA | BEFORE | VALUES)

/* struct gpubp_isa gfx90a: address in v[0:1], data in v2, unless noted */
#define INSN_STORE_X4	0xdc7c8000, 0x007f0200	/* global_store_dwordx4 */
#define INSN_STORE_HI	0xdc648000, 0x007f0200	/* store_byte_d16_hi */
#define INSN_LOAD_X4	0xdc5c8000, 0x057f0000	/* load_dwordx4 v[5:8] */
#define INSN_CMPSWAP	0xdd048000, 0x007f0200	/* the comparand in v3 */
#define INSN_RETURNS	0xdd098000, 0x057f0200	/* global_atomic_add v5 */
#define INSN_OVERWRITES	0xdd098000, 0x027f0200	/* likewise v2 */
#define INSN_BUFFER	0xe0701000, 0x80000200	/* offen, v0, s[0:3], 0 */
#define INSN_BUFFER_LD	0xe0501000, 0x80000500	/* likewise, load to v5 */

/* ---- the provider -------------------------------------------------------- */

/**
 * struct provider - what this suite adds to the mock
 * @scalars: s[0:3]
 * @unreadable: register with data, which cannot be read; 0 none
 * @asked: reads of registers with data, or of none
 */
static struct provider {
	u32 scalars[4];
	unsigned int unreadable;
	unsigned int asked;
} provider;

static int read_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
		     unsigned int nr, u32 *out)
{
	if (nr && req->file == GPUBP_REG_VECTOR &&
	    (req->first >= FIRST || !req->count)) {
		provider.asked++;
		if (req->first == provider.unreadable)
			return -ESRCH;
	}
	if (req->file != GPUBP_REG_SCALAR || req->first)
		return mock_ops.read_wave(dev, wave, req, nr, out);
	memcpy(out, provider.scalars, sizeof(provider.scalars));
	return nr == 1 ? 0 : mock_ops.read_wave(dev, wave, req + 1, nr - 1,
						out + req->count);
}

static struct gpubp_ops ops;

/*
 * of register v(2 + r), lane l, byte b is 0x10 + 4 * r + b + 0x40 * l: so the
 * bytes of v[2:5] are 10, 11, 12, ... 1f
 */
static void set_regs(struct mock *m)
{
	unsigned int reg, lane;

	for (reg = 0; reg < NR_DATA; reg++)
		for (lane = 0; lane < LANES; lane++)
			m->vgprs[FIRST + reg][lane] =
				0x13121110 + 0x04040404 * reg +
				0x40404040 * lane;
}

static int data_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;
	int err;

	caps.exceptions = GPUBP_EXC_FP;
	ops = mock_ops;
	ops.read_wave = read_wave;
	provider = (struct provider) {
		.scalars = { BLOCK, 0, SIZE },
	};
	err = mock_init_ops(test, &ops, &caps);
	if (!err)
		set_regs(test->priv);
	return err;
}

/* ---- what tests do ------------------------------------------------------- */

static struct mock_kept *open_attr(struct kunit *test,
				   struct perf_event_attr *attr)
{
	struct mock_kept *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, k);
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_RAW;
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mock_open_attr(test, attr, current,
							  mock_keep, k));
	return k;
}

static struct mock_kept *open_sampled(struct kunit *test, u64 start, u64 len)
{
	struct perf_event_attr attr = mock_attr(start, len, ALL);

	return open_attr(test, &attr);
}

static u8 old_byte(unsigned int at)
{
	return at * 37 + 1;
}

static u8 new_byte(unsigned int at)
{
	return at * 37 + 8;
}

static void fill(struct mock_ctx *c, u8 (*byte)(unsigned int at))
{
	unsigned int i;

	for (i = 0; i < SIZE; i++)
		c->mem[BLOCK - MOCK_VA + i] = byte(i);
}

static struct mock_ctx *filled_ctx(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	fill(c, old_byte);
	return c;
}

static u64 word_of(u8 (*byte)(unsigned int at), u64 addr, unsigned int len)
{
	u8 bytes[8] = {};
	unsigned int i;

	for (i = 0; i < min(len, 8u); i++)
		bytes[i] = byte(addr - BLOCK + i);
	return get_unaligned_le64(bytes);
}

static u32 all_slots(struct mock_ctx *c)
{
	u32 slots = 0;
	unsigned int i;

	for (i = 0; i < SIZE; i++)
		slots |= mock_slots(c, BLOCK + i);
	return slots;
}

/* a wave executes the instruction, which changes memory, and stops behind it */
static void execute(struct kunit *test, struct mock_ctx *c, const u32 *insn,
		    u64 exec)
{
	struct mock_stop stop = {
		.pc = mock_put_insn(c, insn[0], insn[1]),
		.exec = exec,
	};

	mock_settle(c->m);
	stop.slots = all_slots(c);
	fill(c, new_byte);
	KUNIT_EXPECT_EQ(test, mock_raise(c, &stop), GPUBP_TAKEN);
	mock_quiesce(test);
}

static void store_at(struct kunit *test, struct mock_ctx *c, u64 addr)
{
	static const u32 store[] = { INSN_STORE };

	mock_lane_addr(c->m, 0, addr);
	execute(test, c, store, 1);
}

/* the old and new values of the record's bytes are those of memory */
static void expect_values(struct kunit *test, const struct gpubp_hit_record *r)
{
	bool valid = r->flags & VALUES;

	KUNIT_EXPECT_EQ(test, r->seen, valid ?
			word_of(old_byte, r->hit_addr, r->hit_len) : 0);
	KUNIT_EXPECT_EQ(test, r->now, valid ?
			word_of(new_byte, r->hit_addr, r->hit_len) : 0);
}

struct want {
	u16 flags;
	u64 addr;
	u8 len;
	u64 data, before;
};

static void expect_record(struct kunit *test, const struct mock_kept *k,
			  const struct want *want)
{
	const struct gpubp_hit_record *r = &k->rec;

	KUNIT_ASSERT_EQ(test, k->nr, 1);
	KUNIT_EXPECT_EQ(test, r->flags & CHECKED, want->flags);
	KUNIT_EXPECT_EQ(test, r->hit_addr, want->addr);
	KUNIT_EXPECT_EQ(test, r->hit_len, want->len);
	KUNIT_EXPECT_EQ(test, r->data, want->data);
	KUNIT_EXPECT_EQ(test, r->before, want->before);
	expect_values(test, r);
	KUNIT_EXPECT_NULL(test, memchr_inv(r->unused, 0, sizeof(r->unused)));
	KUNIT_EXPECT_EQ(test, r->unused2, 0);
}

/* ---- one of each kind ---------------------------------------------------- */

/**
 * struct data_case - an instruction that hits a watch
 * @name: of the test
 * @insn: the instruction
 * @start: first watched byte
 * @watched: watched bytes
 * @at: addresses of the lanes: on are lane 0, and those up to the last address
 * @v2: its values, if they are not those of set_regs(); 0: that of set_regs()
 * @unreadable: a register that cannot be read
 * @want: expected
 */
struct data_case {
	const char *name;
	u32 insn[2];
	u64 start, watched;
	u64 at[LANES];
	u32 v2[LANES];
	unsigned int unreadable;
	struct want want;
};

#define ELSEWHERE	AT(4096)

static const struct data_case data_cases[] = {
	/* the bytes */
	{ "exactly", { INSN_STORE }, AT(16), 4, { AT(16) }, .want = {
	  BYTES | DATA | VALUES, AT(16), 4, 0x13121110 } },
	{ "a_byte_in_a_dword", { INSN_STORE }, AT(18), 1, { AT(16) }, .want = {
	  BYTES | DATA | VALUES, AT(18), 1, 0x12 } },
	{ "its_first_byte", { INSN_STORE }, AT(16), 4, { AT(13) }, .want = {
	  BYTES | DATA | VALUES, AT(16), 1, 0x13 } },
	{ "its_last_byte", { INSN_STORE }, AT(16), 4, { AT(19) }, .want = {
	  BYTES | DATA | VALUES, AT(19), 1, 0x10 } },
	{ "over_its_start", { INSN_STORE_X4 }, AT(16), 16, { AT(8) }, .want = {
	  BYTES | DATA | VALUES, AT(16), 8, 0x1f1e1d1c1b1a1918 } },
	{ "over_its_end", { INSN_STORE_X4 }, AT(12), 10, { AT(16) }, .want = {
	  BYTES | DATA | VALUES, AT(16), 6, 0x151413121110 } },
	{ "over_both", { INSN_STORE_X4 }, AT(21), 6, { AT(16) }, .want = {
	  BYTES | DATA | VALUES, AT(21), 6, 0x1a1918171615 } },
	{ "more_than_a_word", { INSN_STORE_X4 }, AT(16), 16, { AT(16) },
	  .want = { BYTES | DATA | VALUES, AT(16), 16, 0x1716151413121110 } },
	{ "eleven_bytes", { INSN_STORE_X4 }, AT(21), 16, { AT(16) }, .want = {
	  BYTES | DATA | VALUES, AT(21), 11, 0x1c1b1a1918171615 } },
	{ "upper_half_of_a_register", { INSN_STORE_HI }, AT(16), 4, { AT(17) },
	  .want = { BYTES | DATA | VALUES, AT(17), 1, 0x12 } },

	/* of a long watch 64 bytes are kept */
	{ "in_the_middle", { INSN_STORE }, AT(0), 64, { AT(32) }, .want = {
	  BYTES | DATA | VALUES, AT(32), 4, 0x13121110 } },
	{ "last_of_64", { INSN_STORE }, AT(0), 64, { AT(60) }, .want = {
	  BYTES | DATA | VALUES, AT(60), 4, 0x13121110 } },
	{ "over_the_end_of_64", { INSN_STORE }, AT(0), 64, { AT(62) }, .want = {
	  BYTES | DATA | VALUES, AT(62), 2, 0x1110 } },
	{ "last_of_those_kept", { INSN_STORE }, AT(0), 100, { AT(60) },
	  .want = { BYTES | DATA | VALUES, AT(60), 4, 0x13121110 } },
	{ "one_more_than_is_kept", { INSN_STORE }, AT(0), 100, { AT(61) },
	  .want = { BYTES | DATA, AT(61), 4, 0x13121110 } },
	{ "not_kept", { INSN_STORE }, AT(0), 100, { AT(70) }, .want = {
	  BYTES | DATA, AT(70), 4, 0x13121110 } },
	{ "the_first_word_is_kept", { INSN_STORE_X4 }, AT(0), 100, { AT(56) },
	  .want = { BYTES | DATA | VALUES, AT(56), 16, 0x1716151413121110 } },

	/* several lanes */
	{ "another_lane_elsewhere", { INSN_STORE }, AT(16), 4,
	  { AT(16), ELSEWHERE }, .want = {
	  BYTES | DATA | VALUES, AT(16), 4, 0x13121110 } },
	{ "the_second_lane", { INSN_STORE }, AT(16), 4, { ELSEWHERE, AT(16) },
	  .want = { BYTES | DATA | VALUES, AT(16), 4, 0x53525150 } },
	{ "the_same_value", { INSN_STORE }, AT(16), 4,
	  { AT(16), AT(16), AT(16) }, { 0xabcd, 0xabcd, 0xabcd }, .want = {
	  BYTES | DATA | VALUES, AT(16), 4, 0xabcd } },
	{ "different_values", { INSN_STORE }, AT(16), 4, { AT(16), AT(16) },
	  .want = { BYTES | VALUES, AT(16), 4 } },
	{ "the_third_lane_differs", { INSN_STORE }, AT(16), 4,
	  { AT(16), AT(16), AT(16) }, { 0xabcd, 0xabcd, 0x10abcd }, .want = {
	  BYTES | VALUES, AT(16), 4 } },
	{ "watched_bytes_are_the_same", { INSN_STORE }, AT(18), 1,
	  { AT(16), AT(16) }, { 0x11223344, 0x55226677 }, .want = {
	  BYTES | DATA | VALUES, AT(18), 1, 0x22 } },
	{ "beside_each_other", { INSN_STORE }, AT(16), 8, { AT(20), AT(16) },
	  .want = { BYTES | DATA | VALUES, AT(20), 4, 0x13121110 } },
	{ "both_in_bytes_not_watched", { INSN_STORE }, AT(16), 4,
	  { AT(14), AT(12) }, .want = {
	  BYTES | DATA | VALUES, AT(16), 2, 0x1312 } },
	{ "both_in_one_byte", { INSN_STORE }, AT(16), 8, { AT(16), AT(19) },
	  .want = { BYTES | VALUES, AT(16), 4 } },
	{ "both_in_one_byte_from_below", { INSN_STORE }, AT(16), 8,
	  { AT(19), AT(16) }, .want = { BYTES | VALUES, AT(19), 4 } },
	{ "first_one_over_the_start", { INSN_STORE }, AT(16), 4,
	  { AT(14), AT(16) }, .want = { BYTES | VALUES, AT(16), 2 } },
	{ "the_same_over_the_start", { INSN_STORE }, AT(16), 4,
	  { AT(14), AT(16) }, { 0xbbaa1234, 0x5678bbaa }, .want = {
	  BYTES | DATA | VALUES, AT(16), 2, 0xbbaa } },
	{ "both_behind_the_first_word", { INSN_STORE_X4 }, AT(16), 32,
	  { AT(16), AT(24) }, .want = {
	  BYTES | DATA | VALUES, AT(16), 16, 0x1716151413121110 } },
	{ "both_in_the_first_word", { INSN_STORE_X4 }, AT(16), 32,
	  { AT(16), AT(23) }, .want = { BYTES | VALUES, AT(16), 16 } },

	/* loads */
	{ "load", { INSN_LOAD }, AT(16), 4, { AT(16) }, .want = {
	  BYTES | DATA | BEFORE | VALUES, AT(16), 4, 0x1f1e1d1c, 0x1f1e1d1c } },
	{ "part_of_a_load", { INSN_LOAD }, AT(16), 2, { AT(15) }, .want = {
	  BYTES | DATA | BEFORE | VALUES, AT(16), 2, 0x1e1d, 0x1e1d } },
	{ "second_register_of_a_load", { INSN_LOAD_X4 }, AT(20), 4, { AT(16) },
	  .want = { BYTES | DATA | BEFORE | VALUES, AT(20), 4, 0x60606060,
	  0x60606060 } },
	{ "two_lanes_load", { INSN_LOAD }, AT(16), 4, { AT(16), AT(16) },
	  .want = { BYTES | DATA | BEFORE | VALUES, AT(16), 4, 0x1f1e1d1c,
	  0x1f1e1d1c } },
	{ "overwritten_address", { INSN_LOAD_CLOBBER }, AT(16), 4, { AT(16) } },
	{ "overwritten_address_whole_block", { INSN_LOAD_CLOBBER }, AT(0), 64,
	  { AT(16) } },

	/* atomics */
	{ "atomic", { INSN_ATOMIC }, AT(16), 4, { AT(16) }, .want = {
	  BYTES | DATA | VALUES, AT(16), 4, 0x13121110 } },
	{ "two_lanes_of_an_atomic", { INSN_ATOMIC }, AT(16), 4,
	  { AT(16), AT(16) }, .want = {
	  BYTES | DATA | VALUES, AT(16), 4, 0x13121110 } },
	{ "compare_and_swap", { INSN_CMPSWAP }, AT(16), 4, { AT(16) }, .want = {
	  BYTES | DATA | VALUES, AT(16), 4, 0x13121110 } },
	{ "atomic_that_returns", { INSN_RETURNS }, AT(16), 4, { AT(16) },
	  .want = { BYTES | DATA | BEFORE | VALUES, AT(16), 4, 0x13121110,
	  0x1f1e1d1c } },
	{ "part_of_an_atomic", { INSN_RETURNS }, AT(18), 8, { AT(16) },
	  .want = { BYTES | DATA | BEFORE | VALUES, AT(18), 2, 0x1312,
	  0x1f1e } },
	{ "overwritten_operand", { INSN_OVERWRITES }, AT(16), 4, { AT(16) },
	  .want = { BYTES | BEFORE | VALUES, AT(16), 4, 0, 0x13121110 } },

	/* a range check may drop a part of it */
	{ "buffer_store", { INSN_BUFFER }, AT(16), 4, { 16 }, .want = {
	  BYTES | VALUES, AT(16), 4 } },
	{ "buffer_load", { INSN_BUFFER_LD }, AT(16), 4, { 16 }, .want = {
	  BYTES | VALUES, AT(16), 4 } },

	/* registers that cannot be read */
	{ "unreadable_store", { INSN_STORE }, AT(16), 4, { AT(16) },
	  .unreadable = 2, .want = { BYTES | VALUES, AT(16), 4 } },
	{ "unreadable_load", { INSN_LOAD }, AT(16), 4, { AT(16) },
	  .unreadable = 5, .want = { BYTES | VALUES, AT(16), 4 } },
	{ "unreadable_operand", { INSN_RETURNS }, AT(16), 4, { AT(16) },
	  .unreadable = 2, .want = {
	  BYTES | BEFORE | VALUES, AT(16), 4, 0, 0x1f1e1d1c } },
	{ "unreadable_result", { INSN_RETURNS }, AT(16), 4, { AT(16) },
	  .unreadable = 5, .want = {
	  BYTES | DATA | VALUES, AT(16), 4, 0x13121110 } },
};
KUNIT_ARRAY_PARAM_DESC(data, data_cases, name);

/* lane 0, and those behind it that have an address; returns which */
static u64 set_lanes(struct mock *m, const struct data_case *p)
{
	unsigned int lane, nr = 0;

	for (lane = 0; lane < LANES; lane++) {
		mock_lane_addr(m, lane, p->at[lane]);
		if (p->v2[lane])
			m->vgprs[FIRST][lane] = p->v2[lane];
		if (p->at[lane])
			nr = lane + 1;
	}
	return BIT_ULL(nr) - 1;
}

static void record_of(struct kunit *test)
{
	const struct data_case *p = test->param_value;
	struct mock_ctx *c = filled_ctx(test);
	struct mock_kept *k = open_sampled(test, p->start, p->watched);
	u64 exec = set_lanes(c->m, p);

	memset32(c->m->vgprs[6], 0x60606060, LANES);
	provider.unreadable = p->unreadable;
	execute(test, c, p->insn, exec);
	expect_record(test, k, &p->want);
}

static const struct want dword = {
	BYTES | DATA | VALUES, AT(16), 4, 0x13121110,
};

static void a_lane_that_is_off(struct kunit *test)
{
	static const u32 store[] = { INSN_STORE };
	struct mock_ctx *c = filled_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), 4);
	unsigned int lane;

	for (lane = 0; lane < LANES; lane++)
		mock_lane_addr(c->m, lane, AT(16));
	execute(test, c, store, BIT(0));
	expect_record(test, k, &dword);
}

/* 63 lanes store the same */
static void the_last_lane_differs(struct kunit *test)
{
	static const struct want want = { BYTES | VALUES, AT(16), 4 };
	static const u32 store[] = { INSN_STORE };
	struct mock_ctx *c = filled_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), 4);
	unsigned int lane;

	for (lane = 0; lane < GPUBP_MAX_LANES; lane++) {
		mock_lane_addr(c->m, lane, AT(16));
		c->m->vgprs[FIRST][lane] = 0x13121110;
	}
	c->m->vgprs[FIRST][63] ^= BIT(31);
	execute(test, c, store, U64_MAX);
	expect_record(test, k, &want);
}

/* the device reports that a lane stored @width bytes at AT(16) */
static void store_reported(struct kunit *test, struct mock_ctx *c,
			   const u32 *insn, u64 exec, u16 width)
{
	struct mock_stop stop = {
		.pc = mock_put_insn(c, insn[0], insn[1]), .exec = exec,
	};
	struct gpubp_hit hit;

	mock_settle(c->m);
	stop.slots = all_slots(c);
	fill(c, new_byte);
	hit = mock_hit(c, &stop);
	hit.valid |= GPUBP_HITF_ADDR;
	hit.addr = AT(16);
	hit.width = width;
	hit.access = GPUBP_ACCESS_STORE;
	KUNIT_EXPECT_EQ(test, mock_report(c->m, &hit), GPUBP_TAKEN);
	mock_quiesce(test);
}

/**
 * struct report_case - the instruction before the pc of such a report
 * @name: of the test
 * @insn: the instruction
 * @exec: active lanes
 * @width: bytes reported, of which all are watched
 * @known: it is known what was stored
 */
struct report_case {
	const char *name;
	u32 insn[2];
	u64 exec;
	u16 width;
	bool known;
};

static const struct report_case report_cases[] = {
	{ "only_lane", { INSN_STORE }, BIT(0), 4, true },
	{ "one_of_two_lanes", { INSN_STORE }, BIT(0) | BIT(1), 4 },
	{ "wider_than_the_instruction", { INSN_STORE }, BIT(0), 8 },
	{ "another_instruction", { INSN_NOPS }, BIT(0), 4 },
};
KUNIT_ARRAY_PARAM_DESC(report, report_cases, name);

static void the_device_reports_the_address(struct kunit *test)
{
	const struct report_case *p = test->param_value;
	struct mock_ctx *c = filled_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), p->width);
	struct want unknown = { BYTES | VALUES, AT(16), p->width };

	store_reported(test, c, p->insn, p->exec, p->width);
	expect_record(test, k, p->known ? &dword : &unknown);
}

/* ---- many matches -------------------------------------------------------- */

/* each with its own bytes, in several cells */
static void many_watches_of_one_store(struct kunit *test)
{
	static const u32 store[] = { INSN_STORE_X4 };
	struct mock_kept *k[2 * GPUBP_CELL_MATCHES];
	struct mock_ctx *c = filled_ctx(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(k); i++)
		k[i] = open_sampled(test, AT(16 + i), 1);
	mock_lane_addr(c->m, 0, AT(16));
	execute(test, c, store, 1);
	for (i = 0; i < ARRAY_SIZE(k); i++)
		expect_record(test, k[i], &(struct want) {
			BYTES | DATA | VALUES, AT(16 + i), 1, 0x10 + i });
}

/* of an atomic that returns, only the lanes of a watch matter to it */
static void many_watches_of_one_atomic(struct kunit *test)
{
	static const struct want want[] = {
		{ BYTES | DATA | BEFORE | VALUES, AT(16), 4, 0x13121110,
		  0x1f1e1d1c },
		{ BYTES | DATA | BEFORE | VALUES, AT(24), 4, 0x53525150,
		  0x5f5e5d5c },
	};
	static const u32 atomic[] = { INSN_RETURNS };
	struct mock_ctx *c = filled_ctx(test);
	struct mock_kept *k[] = {
		open_sampled(test, AT(16), 4), open_sampled(test, AT(24), 4),
	};

	mock_lane_addr(c->m, 0, AT(16));
	mock_lane_addr(c->m, 1, AT(24));
	execute(test, c, atomic, 3);
	expect_record(test, k[0], &want[0]);
	expect_record(test, k[1], &want[1]);
}

/* an event of the same stop that has no data claims none */
static void an_exception_at_the_same_stop(struct kunit *test)
{
	static const u32 insns[][2] = { { INSN_STORE }, { INSN_RETURNS } };
	struct perf_event_attr attr = mock_attr(0, 0, 0);
	struct mock_ctx *c = filled_ctx(test);
	struct mock_kept *watch = open_sampled(test, AT(16), 4), *exception;
	struct mock_stop stop = { .exec = 1, .trapsts = STS_INVALID };
	static const struct want nothing;
	unsigned int i;

	attr.config = GPUBP_KIND_EXCEPTION;
	exception = open_attr(test, &attr);
	mock_lane_addr(c->m, 0, AT(16));
	mock_settle(c->m);
	stop.slots = all_slots(c);
	for (i = 0; i < ARRAY_SIZE(insns); i++) {
		stop.pc = mock_put_insn(c, insns[i][0], insns[i][1]);
		watch->nr = 0;
		exception->nr = 0;
		KUNIT_EXPECT_EQ(test, mock_raise(c, &stop), GPUBP_TAKEN);
		mock_quiesce(test);
		KUNIT_EXPECT_EQ(test, watch->nr, 1);
		KUNIT_EXPECT_EQ(test, watch->rec.data, 0x13121110ULL);
		expect_record(test, exception, &nothing);
	}
}

/* ---- watch sets ---------------------------------------------------------- */

static void destroy_set(void *set)
{
	gpubp_set_destroy(set);
}

/* a set with AT(16) to AT(19) as its only member */
static struct gpubp_watch_set *make_set(struct kunit *test)
{
	struct gpubp_set_watch w = { .addr = AT(16), .len = 4, .access = ALL };
	struct gpubp_watch_set *set = gpubp_set_create();
	unsigned int bad;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, set);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, destroy_set, set),
			0);
	KUNIT_ASSERT_EQ(test, gpubp_set_update(set, &w, 1, &bad, NULL, NULL),
			0);
	return set;
}

static void a_member_of_a_set(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(0, 0, 0);
	struct mock_ctx *c = filled_ctx(test);
	struct mock_kept *k;

	attr.config = GPUBP_KIND_WATCH_SET |
		      (u64)make_set(test)->id << GPUBP_CONFIG_CODE_SHIFT;
	k = open_attr(test, &attr);
	store_at(test, c, AT(16));
	expect_record(test, k, &dword);
	KUNIT_EXPECT_EQ(test, k->rec.kind, GPUBP_KIND_WATCH_SET);
}

static void beside_a_member_of_a_set(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(0, 0, 0);
	struct mock_ctx *c = filled_ctx(test);
	struct mock_kept *k[2];

	attr.config = GPUBP_KIND_WATCH_SET |
		      (u64)make_set(test)->id << GPUBP_CONFIG_CODE_SHIFT;
	k[0] = open_attr(test, &attr);
	k[1] = open_sampled(test, AT(16), 4);
	store_at(test, c, AT(16));
	expect_record(test, k[0], &dword);
	expect_record(test, k[1], &dword);
}

/* ---- who wants to know --------------------------------------------------- */

/* waves wait for each read */
static void nobody_samples(struct kunit *test)
{
	struct mock_ctx *c = filled_ctx(test);
	struct perf_event *event = mock_open(test, AT(16), 4, ALL);
	struct perf_event *other;

	store_at(test, c, AT(16));
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, provider.asked, 0u);
	/* nor does the sampling of other bytes matter */
	open_sampled(test, AT(64), 4);
	other = mock_open(test, AT(16), 4, ALL);
	store_at(test, c, AT(16));
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	KUNIT_EXPECT_EQ(test, mock_count(other), 1);
	KUNIT_EXPECT_EQ(test, provider.asked, 0u);
}

static void an_event_that_samples_joins(struct kunit *test)
{
	struct mock_ctx *c = filled_ctx(test);
	struct mock_kept *k;

	mock_open(test, AT(16), 4, ALL);
	store_at(test, c, AT(16));
	KUNIT_EXPECT_EQ(test, provider.asked, 0u);
	k = open_sampled(test, AT(16), 4);
	store_at(test, c, AT(16));
	KUNIT_EXPECT_EQ(test, provider.asked, 1u);
	KUNIT_ASSERT_EQ(test, k->nr, 1);
	KUNIT_EXPECT_EQ(test, k->rec.data, 0x13121110ULL);
}

static void an_event_that_counts_joins(struct kunit *test)
{
	struct mock_ctx *c = filled_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), 4);

	mock_settle(c->m);
	mock_open(test, AT(16), 4, ALL);
	store_at(test, c, AT(16));
	expect_record(test, k, &dword);
}

/* before or behind the watch whose event samples */
static void beside_watches_that_nobody_samples(struct kunit *test)
{
	struct mock_ctx *c = filled_ctx(test);
	struct mock_kept *k;

	mock_open(test, AT(16), 2, ALL);
	k = open_sampled(test, AT(16), 4);
	mock_open(test, AT(16), 8, ALL);
	mock_open(test, AT(19), 1, ALL);
	store_at(test, c, AT(16));
	expect_record(test, k, &dword);
}

/* nothing can be found without registers: none are read */
static void nothing_to_read(struct kunit *test)
{
	static const u32 load[] = { INSN_LOAD_CLOBBER };
	static const u32 buffer[] = { INSN_BUFFER };
	struct mock_ctx *c = filled_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), 4);

	mock_lane_addr(c->m, 0, AT(16));
	execute(test, c, load, 1);
	mock_lane_addr(c->m, 0, 16);
	execute(test, c, buffer, 1);
	mock_lane_addr(c->m, 0, AT(24));
	store_at(test, c, AT(24));
	KUNIT_EXPECT_EQ(test, k->nr, 2);
	KUNIT_EXPECT_EQ(test, provider.asked, 0u);
}

static struct tracepoint *hit_point;

static void find_point(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "gpubp_hit"))
		hit_point = tp;
}

#ifdef CONFIG_MODULES
static int find_module_point(struct notifier_block *nb, unsigned long event,
			     void *data)
{
	struct tp_module *module = data;
	tracepoint_ptr_t *points = module->mod->tracepoints_ptrs;
	unsigned int i;

	for (i = 0; i < module->mod->num_tracepoints; i++)
		find_point(tracepoint_ptr_deref(points + i), NULL);
	return NOTIFY_OK;
}

/* it is called for each module that is loaded already */
static void find_module_points(void)
{
	static struct notifier_block nb = {
		.notifier_call = find_module_point,
	};

	register_tracepoint_module_notifier(&nb);
	unregister_tracepoint_module_notifier(&nb);
}
#else
static void find_module_points(void)
{
}
#endif

static void keep_trace(void *data, const struct gpubp_hit_record *rec,
		       const struct task_struct *owner, int cpu)
{
	struct mock_kept *k = data;

	k->rec = *rec;
	k->nr++;
}

static void stop_trace(void *k)
{
	tracepoint_probe_unregister(hit_point, keep_trace, k);
	tracepoint_synchronize_unregister();
}

static void the_tracepoint_alone(struct kunit *test)
{
	struct mock_kept *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);
	struct mock_ctx *c = filled_ctx(test);

	KUNIT_ASSERT_NOT_NULL(test, k);
	hit_point = NULL;
	for_each_kernel_tracepoint(find_point, NULL);
	find_module_points();
	KUNIT_ASSERT_NOT_NULL(test, hit_point);
	KUNIT_ASSERT_EQ(test, tracepoint_probe_register(hit_point, keep_trace,
							k), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_trace, k),
			0);
	mock_open(test, AT(16), 4, ALL);
	store_at(test, c, AT(16));
	expect_record(test, k, &dword);
}

/* who may not read the memory learns where it was hit, and no content */
static void values_are_hidden(struct kunit *test)
{
	static const struct want where = { BYTES, AT(16), 4 };
	static const u32 atomic[] = { INSN_RETURNS };
	struct mock_ctx *c = filled_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), 4);
	struct gpubp_event *gev = c->m->events[0]->pmu_private;

	gev->blind = true;
	mock_lane_addr(c->m, 0, AT(16));
	execute(test, c, atomic, 1);
	expect_record(test, k, &where);
	KUNIT_EXPECT_EQ(test, k->rec.flags &
			(GPUBP_HIT_OLD_VALUE | GPUBP_HIT_NEW_VALUE), 0);
	KUNIT_EXPECT_EQ(test, k->rec.old_value | k->rec.new_value, 0);
	KUNIT_EXPECT_EQ(test, k->rec.value_len, 0);
}

static struct kunit_case data_test_cases[] = {
	KUNIT_CASE_PARAM(record_of, data_gen_params),
	KUNIT_CASE(a_lane_that_is_off),
	KUNIT_CASE(the_last_lane_differs),
	KUNIT_CASE_PARAM(the_device_reports_the_address, report_gen_params),
	KUNIT_CASE(many_watches_of_one_store),
	KUNIT_CASE(many_watches_of_one_atomic),
	KUNIT_CASE(an_exception_at_the_same_stop),
	KUNIT_CASE(a_member_of_a_set),
	KUNIT_CASE(beside_a_member_of_a_set),
	KUNIT_CASE(nobody_samples),
	KUNIT_CASE(an_event_that_samples_joins),
	KUNIT_CASE(an_event_that_counts_joins),
	KUNIT_CASE(beside_watches_that_nobody_samples),
	KUNIT_CASE(nothing_to_read),
	KUNIT_CASE(the_tracepoint_alone),
	KUNIT_CASE(values_are_hidden),
	{}
};

static struct kunit_suite data_test_suite = {
	.name = "gpubp_data",
	.init = data_init,
	.exit = mock_exit,
	.test_cases = data_test_cases,
};
kunit_test_suite(data_test_suite);
