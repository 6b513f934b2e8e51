// SPDX-License-Identifier: GPL-2.0
/*
 * Data: which bytes the record of a hit names, and what it says that the first
 * lane stored there, loaded, or found there. Each other byte of it is 0.
 */
#include <linux/bitops.h>
#include <linux/limits.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "core/cell.h"
#include "data_rig.h"
#include "event/event.h"
#include "event/set.h"

#define STS_INVALID	BIT(0)		/* gfx90a: isa/gfx9/regs.h */

#define BYTES	GPUBP_HIT_BYTES
#define DATA	GPUBP_HIT_DATA
#define BEFORE	GPUBP_HIT_BEFORE
#define VALUES	(GPUBP_HIT_SEEN | GPUBP_HIT_NOW)
#define CHECKED	(BYTES | DATA | BEFORE | VALUES)

static int data_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;

	caps.exceptions = GPUBP_EXC_FP;
	return rig_init(test, &caps);
}

/* ---- what tests do ------------------------------------------------------- */

static struct mock_kept *open_sampled(struct kunit *test, u64 start, u64 len)
{
	struct perf_event_attr attr = mock_attr(start, len, ALL);

	return rig_open_attr(test, &attr);
}

static void store_at(struct kunit *test, struct mock_ctx *c, u64 addr)
{
	static const u32 store[] = { INSN_STORE };

	mock_lane_addr(c->m, 0, addr);
	rig_execute(test, c, store, 1);
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
	rig_expect_values(test, r);
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
 * @v2: its values, if they are not the rig's; 0: that of the rig
 * @unreadable: a register that cannot be read
 * @records: bytes of the buffer; 0: SIZE
 * @want: expected
 */
struct data_case {
	const char *name;
	u32 insn[2];
	u64 start, watched;
	u64 at[LANES];
	u32 v2[LANES];
	unsigned int unreadable;
	unsigned int records;
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
	  BYTES | DATA | VALUES, AT(16), 4, 0x13121110 } },
	{ "buffer_load", { INSN_BUFFER_LD }, AT(16), 4, { 16 }, .want = {
	  BYTES | DATA | BEFORE | VALUES, AT(16), 4, 0x1f1e1d1c, 0x1f1e1d1c } },
	{ "buffer_store_up_to_the_end", { INSN_BUFFER }, AT(16), 4, { 16 },
	  .records = 20, .want = {
	  BYTES | DATA | VALUES, AT(16), 4, 0x13121110 } },
	{ "buffer_store_over_the_end", { INSN_BUFFER }, AT(16), 4, { 16 },
	  .records = 19, .want = { BYTES | VALUES, AT(16), 4 } },
	{ "buffer_load_over_the_end", { INSN_BUFFER_LD }, AT(16), 4, { 16 },
	  .records = 19, .want = { BYTES | VALUES, AT(16), 4 } },
	{ "buffer_store_of_two_lanes", { INSN_BUFFER }, AT(12), 4, { 12, 16 },
	  .records = 19, .want = {
	  BYTES | DATA | VALUES, AT(12), 4, 0x13121110 } },
	{ "another_lane_over_the_end", { INSN_BUFFER }, AT(12), 4, { 12, 14 },
	  .records = 17, .want = { BYTES | VALUES, AT(12), 4 } },
	{ "over_the_end_with_the_same_bytes", { INSN_BUFFER }, AT(12), 4,
	  { 12, 14 }, { 0x11111111, 0x11111111 }, .records = 17, .want = {
	  BYTES | VALUES, AT(12), 4 } },

	{ "a_dword_before_the_end", { INSN_BUFFER_X4 }, AT(16), 8, { 16 },
	  .records = 20, .want = { BYTES | VALUES, AT(16), 4 } },
	{ "of_which_a_part_is_in_range", { INSN_BUFFER_X4 }, AT(16), 8, { 16 },
	  .records = 21, .want = { BYTES | VALUES, AT(16), 8 } },

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

static void record_of(struct kunit *test)
{
	const struct data_case *p = test->param_value;
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k = open_sampled(test, p->start, p->watched);
	u64 exec = rig_set_lanes(c->m, p->at, p->v2);

	memset32(c->m->vgprs[6], 0x60606060, LANES);
	data_rig.unreadable = p->unreadable;
	if (p->records)
		data_rig.scalars[2] = p->records;
	rig_execute(test, c, p->insn, exec);
	expect_record(test, k, &p->want);
}

/* the range check drops what is behind the first dword */
static void what_is_dropped_is_no_hit(struct kunit *test)
{
	static const u32 store[] = { INSN_BUFFER_X4 };
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(24), 4);

	mock_lane_addr(c->m, 0, 16);
	data_rig.scalars[2] = 20;
	rig_execute(test, c, store, 1);
	KUNIT_EXPECT_EQ(test, k->nr, 0);
}

static const struct want dword = {
	BYTES | DATA | VALUES, AT(16), 4, 0x13121110,
};

static void a_lane_that_is_off(struct kunit *test)
{
	static const u32 store[] = { INSN_STORE };
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), 4);
	unsigned int lane;

	for (lane = 0; lane < LANES; lane++)
		mock_lane_addr(c->m, lane, AT(16));
	rig_execute(test, c, store, BIT(0));
	expect_record(test, k, &dword);
}

/* ---- what is read of the wave --------------------------------------------- */

#define HIT	5	/* a lane that stores to the watch */
#define SIMILAR	9	/* and one whose address has the same low half */
#define MANY	16	/* watches that are compared with low halves */

/* all lanes store, two of them to what may be the watch */
static void store_everywhere(struct kunit *test, struct mock_ctx *c)
{
	static const u32 store[] = { INSN_STORE };
	unsigned int lane;

	for (lane = 0; lane < GPUBP_MAX_LANES; lane++)
		mock_lane_addr(c->m, lane, AT(SZ_64K + lane * 4));
	mock_lane_addr(c->m, HIT, AT(16));
	mock_lane_addr(c->m, SIMILAR, AT(16) + BIT_ULL(32));
	rig_execute(test, c, store, U64_MAX);
}

static void lanes_that_store_elsewhere(struct kunit *test)
{
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), 4);

	store_everywhere(test, c);
	KUNIT_ASSERT_EQ(test, k->nr, 1);
	KUNIT_EXPECT_EQ(test, k->rec.flags & CHECKED, BYTES | DATA | VALUES);
	KUNIT_EXPECT_EQ(test, k->rec.hit_addr, AT(16));
	KUNIT_EXPECT_EQ(test, k->rec.lanes, BIT_ULL(HIT));
	KUNIT_EXPECT_EQ(test, data_rig.lanes[0], U64_MAX);
	KUNIT_EXPECT_EQ(test, data_rig.lanes[1], BIT_ULL(HIT) | BIT_ULL(SIMILAR));
	KUNIT_EXPECT_EQ(test, data_rig.lanes[FIRST], BIT_ULL(HIT) | BIT_ULL(SIMILAR));
}

/* a store of others in the block */
static void no_lane_is_near(struct kunit *test)
{
	static const u32 store[] = { INSN_STORE };
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), 4);

	mock_lane_addr(c->m, 0, AT(12));
	mock_lane_addr(c->m, 1, AT(20));
	rig_execute(test, c, store, 3);
	KUNIT_EXPECT_EQ(test, k->nr, 0);
	KUNIT_EXPECT_EQ(test, data_rig.lanes[0], 3ULL);
	KUNIT_EXPECT_EQ(test, data_rig.lanes[1], 0ULL);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_BYTES), 1);
}

static void lanes_and_many_watches(struct kunit *test)
{
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), 4);
	unsigned int i;

	for (i = 0; i < MANY; i++)
		mock_open(test, AT(32 + i), 1, GPUBP_ACCESS_STORE);
	store_everywhere(test, c);
	KUNIT_ASSERT_EQ(test, k->nr, 1);
	KUNIT_EXPECT_EQ(test, k->rec.lanes, BIT_ULL(HIT));
	KUNIT_EXPECT_EQ(test, data_rig.lanes[1], U64_MAX);
}

/* 63 lanes store the same */
static void the_last_lane_differs(struct kunit *test)
{
	static const struct want want = { BYTES | VALUES, AT(16), 4 };
	static const u32 store[] = { INSN_STORE };
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), 4);
	unsigned int lane;

	for (lane = 0; lane < GPUBP_MAX_LANES; lane++) {
		mock_lane_addr(c->m, lane, AT(16));
		c->m->vgprs[FIRST][lane] = 0x13121110;
	}
	c->m->vgprs[FIRST][63] ^= BIT(31);
	rig_execute(test, c, store, U64_MAX);
	expect_record(test, k, &want);
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
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), p->width);
	struct want unknown = { BYTES | VALUES, AT(16), p->width };

	rig_report(test, c, p->insn, p->exec, p->width);
	expect_record(test, k, p->known ? &dword : &unknown);
}

/* ---- many matches -------------------------------------------------------- */

/* each with its own bytes, in several cells */
static void many_watches_of_one_store(struct kunit *test)
{
	static const u32 store[] = { INSN_STORE_X4 };
	struct mock_kept *k[2 * GPUBP_CELL_MATCHES];
	struct mock_ctx *c = rig_ctx(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(k); i++)
		k[i] = open_sampled(test, AT(16 + i), 1);
	mock_lane_addr(c->m, 0, AT(16));
	rig_execute(test, c, store, 1);
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
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k[] = {
		open_sampled(test, AT(16), 4), open_sampled(test, AT(24), 4),
	};

	mock_lane_addr(c->m, 0, AT(16));
	mock_lane_addr(c->m, 1, AT(24));
	rig_execute(test, c, atomic, 3);
	expect_record(test, k[0], &want[0]);
	expect_record(test, k[1], &want[1]);
}

/* an event of the same stop that has no data claims none */
static void an_exception_at_the_same_stop(struct kunit *test)
{
	static const u32 insns[][2] = { { INSN_STORE }, { INSN_RETURNS } };
	struct perf_event_attr attr = mock_attr(0, 0, 0);
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *watch = open_sampled(test, AT(16), 4), *exception;
	struct mock_stop stop = { .exec = 1, .trapsts = STS_INVALID };
	static const struct want nothing;
	unsigned int i;

	attr.config = GPUBP_KIND_EXCEPTION;
	exception = rig_open_attr(test, &attr);
	mock_lane_addr(c->m, 0, AT(16));
	mock_settle(c->m);
	stop.slots = rig_slots(c);
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
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k;

	attr.config = GPUBP_KIND_WATCH_SET |
		      (u64)make_set(test)->id << GPUBP_CONFIG_CODE_SHIFT;
	k = rig_open_attr(test, &attr);
	store_at(test, c, AT(16));
	expect_record(test, k, &dword);
	KUNIT_EXPECT_EQ(test, k->rec.kind, GPUBP_KIND_WATCH_SET);
}

static void beside_a_member_of_a_set(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(0, 0, 0);
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k[2];

	attr.config = GPUBP_KIND_WATCH_SET |
		      (u64)make_set(test)->id << GPUBP_CONFIG_CODE_SHIFT;
	k[0] = rig_open_attr(test, &attr);
	k[1] = open_sampled(test, AT(16), 4);
	store_at(test, c, AT(16));
	expect_record(test, k[0], &dword);
	expect_record(test, k[1], &dword);
}

/* ---- who wants to know --------------------------------------------------- */

/* waves wait for each read */
static void nobody_samples(struct kunit *test)
{
	struct mock_ctx *c = rig_ctx(test);
	struct perf_event *event = mock_open(test, AT(16), 4, ALL);
	struct perf_event *other;

	store_at(test, c, AT(16));
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, data_rig.asked, 0u);
	/* nor does the sampling of other bytes matter */
	open_sampled(test, AT(64), 4);
	other = mock_open(test, AT(16), 4, ALL);
	store_at(test, c, AT(16));
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
	KUNIT_EXPECT_EQ(test, mock_count(other), 1);
	KUNIT_EXPECT_EQ(test, data_rig.asked, 0u);
}

static void an_event_that_samples_joins(struct kunit *test)
{
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k;

	mock_open(test, AT(16), 4, ALL);
	store_at(test, c, AT(16));
	KUNIT_EXPECT_EQ(test, data_rig.asked, 0u);
	k = open_sampled(test, AT(16), 4);
	store_at(test, c, AT(16));
	KUNIT_EXPECT_EQ(test, data_rig.asked, 1u);
	KUNIT_ASSERT_EQ(test, k->nr, 1);
	KUNIT_EXPECT_EQ(test, k->rec.data, 0x13121110ULL);
}

static void an_event_that_counts_joins(struct kunit *test)
{
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), 4);

	mock_settle(c->m);
	mock_open(test, AT(16), 4, ALL);
	store_at(test, c, AT(16));
	expect_record(test, k, &dword);
}

/* before or behind the watch whose event samples */
static void beside_watches_that_nobody_samples(struct kunit *test)
{
	struct mock_ctx *c = rig_ctx(test);
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
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), 4);

	mock_lane_addr(c->m, 0, AT(16));
	rig_execute(test, c, load, 1);
	mock_lane_addr(c->m, 0, 16);
	data_rig.scalars[2] = 19;
	rig_execute(test, c, buffer, 1);
	mock_lane_addr(c->m, 0, AT(24));
	store_at(test, c, AT(24));
	KUNIT_EXPECT_EQ(test, k->nr, 2);
	KUNIT_EXPECT_EQ(test, data_rig.asked, 0u);
}

static void the_tracepoint_alone(struct kunit *test)
{
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k = rig_trace(test);

	mock_open(test, AT(16), 4, ALL);
	store_at(test, c, AT(16));
	expect_record(test, k, &dword);
}

/* who may not read the memory learns where it was hit, and no content */
static void values_are_hidden(struct kunit *test)
{
	static const struct want where = { BYTES, AT(16), 4 };
	static const u32 atomic[] = { INSN_RETURNS };
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *k = open_sampled(test, AT(16), 4);
	struct gpubp_event *gev = c->m->events[0]->pmu_private;

	gev->blind = true;
	mock_lane_addr(c->m, 0, AT(16));
	rig_execute(test, c, atomic, 1);
	expect_record(test, k, &where);
	KUNIT_EXPECT_EQ(test, k->rec.flags &
			(GPUBP_HIT_OLD_VALUE | GPUBP_HIT_NEW_VALUE), 0);
	KUNIT_EXPECT_EQ(test, k->rec.old_value | k->rec.new_value, 0);
	KUNIT_EXPECT_EQ(test, k->rec.value_len, 0);
}

static struct kunit_case data_test_cases[] = {
	KUNIT_CASE_PARAM(record_of, data_gen_params),
	KUNIT_CASE(what_is_dropped_is_no_hit),
	KUNIT_CASE(a_lane_that_is_off),
	KUNIT_CASE(lanes_that_store_elsewhere),
	KUNIT_CASE(no_lane_is_near),
	KUNIT_CASE(lanes_and_many_watches),
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
