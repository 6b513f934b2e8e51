// SPDX-License-Identifier: GPL-2.0
/*
 * Filter: which hits an event with a condition gets, and of which lane and element
 * their records are.
 */
#include <linux/bitops.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/minmax.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "core/cell.h"
#include "data_rig.h"
#include "event/event.h"
#include "event/set.h"

/* mock_hit.c: the place of every wave */
#define WG_X	1
#define WG_Y	2
#define WG_Z	3
#define ITEM(lane)	(4 * GPUBP_MAX_LANES + (lane))

#define INSIDE	GPUBP_TEST_INSIDE
#define NAN	GPUBP_TEST_NAN
#define ONE	0x3f800000	/* 1.0 */

#define VALUE(_type, _test, _low, _high)				\
	.type = GPUBP_VALUE_##_type, .test = _test, .low = _low, .high = _high
#define IS(_type, _value)	VALUE(_type, INSIDE, _value, _value)
#define IS_NAN(_type)		VALUE(_type, NAN, 0, 0)

static int filter_init(struct kunit *test)
{
	return rig_init(test, &mock_caps);
}

/* ---- what tests do ------------------------------------------------------- */

/**
 * struct watcher - an event
 * @event: event
 * @gev: ours
 * @k: its samples, if it samples
 */
struct watcher {
	struct perf_event *event;
	struct gpubp_event *gev;
	struct mock_kept *k;
};

static struct watcher watch(struct kunit *test, struct perf_event_attr attr)
{
	struct mock *m = test->priv;
	struct watcher w = { .k = rig_open_attr(test, &attr) };

	w.event = m->events[m->nr_events - 1];
	w.gev = w.event->pmu_private;
	return w;
}

static struct perf_event_attr attr_of(u64 start, u64 len,
				      const struct gpubp_filter *filter)
{
	struct perf_event_attr attr = mock_attr(start, len, ALL);

	if (filter)
		attr.config2 = mock_with_condition(len, filter);
	return attr;
}

static struct watcher watch_if(struct kunit *test, u64 start, u64 len,
			       const struct gpubp_condition *condition)
{
	return watch(test, attr_of(start, len,
				   mock_condition(test, condition)));
}

static struct watcher watch_all(struct kunit *test, u64 start, u64 len)
{
	return watch(test, attr_of(start, len, NULL));
}

static u64 filtered(const struct watcher *w)
{
	return atomic64_read(&w->gev->filtered);
}

static u64 unchanged(const struct watcher *w)
{
	return atomic64_read(&w->gev->unchanged);
}

static const u32 store[] = { INSN_STORE };

/* lane 0 stores a value at AT(16) */
static void store_value(struct kunit *test, struct mock_ctx *c, u32 value)
{
	c->m->vgprs[FIRST][0] = value;
	mock_lane_addr(c->m, 0, AT(16));
	rig_execute(test, c, store, 1);
}

/* four lanes, one behind the other from AT(16) on, each with its value */
static void four_lanes(struct mock *m, const u32 value[LANES])
{
	unsigned int lane;

	for (lane = 0; lane < LANES; lane++) {
		mock_lane_addr(m, lane, AT(16 + 4 * lane));
		m->vgprs[FIRST][lane] = value[lane];
	}
}

/**
 * struct want - expected record
 * @lanes: lanes that meet the condition; 0: none does
 * @lane_addr: address of the first of them
 * @addr: its element
 * @len: bytes of it; 0: not known
 * @data: what it has there
 * @possible: it may meet the condition
 * @no_data: @data is not known
 */
struct want {
	u64 lanes;
	u64 lane_addr;
	u64 addr;
	u8 len;
	u64 data;
	bool possible;
	bool no_data;
};

static void expect_bytes(struct kunit *test, const struct gpubp_hit_record *r,
			 const struct want *want)
{
	KUNIT_EXPECT_EQ(test, r->lanes, want->lanes);
	KUNIT_EXPECT_EQ(test, r->addr, want->lane_addr);
	KUNIT_EXPECT_EQ(test, r->hit_addr, want->addr);
	KUNIT_EXPECT_EQ(test, r->hit_len, want->len);
	KUNIT_EXPECT_EQ(test, r->data, want->data);
	KUNIT_EXPECT_EQ(test, r->flags & GPUBP_HIT_DATA,
			want->no_data ? 0 : GPUBP_HIT_DATA);
	KUNIT_EXPECT_EQ(test, r->flags & GPUBP_HIT_POSSIBLE,
			want->possible ? GPUBP_HIT_POSSIBLE : 0);
	KUNIT_EXPECT_EQ(test, r->flags & GPUBP_HIT_BYTES,
			want->len ? GPUBP_HIT_BYTES : 0);
	KUNIT_EXPECT_EQ(test, !(r->flags & GPUBP_HIT_SEEN), !want->len);
	KUNIT_EXPECT_EQ(test, !(r->flags & GPUBP_HIT_NOW), !want->len);
	rig_expect_values(test, r);
}

/* of the only event, whose only hit it is */
static void expect_hit(struct kunit *test, const struct watcher *w,
		       const struct want *want)
{
	bool hit = want->lanes;
	enum gpubp_stat stat = !hit ? GPUBP_STAT_STRAY_VALUE :
			       want->possible ? GPUBP_STAT_POSSIBLE :
			       GPUBP_STAT_DELIVERED;

	KUNIT_EXPECT_EQ(test, filtered(w), !hit);
	KUNIT_EXPECT_EQ(test, mock_stat(test->priv, stat), 1);
	KUNIT_ASSERT_EQ(test, w->k->nr, hit);
	if (hit)
		expect_bytes(test, &w->k->rec, want);
}

/* ---- one of each kind ---------------------------------------------------- */

/**
 * struct filter_case - an instruction that hits a watch with a condition
 * @name: of the test
 * @insn: the instruction
 * @start: first watched byte
 * @watched: watched bytes
 * @at: addresses of the lanes: on are lane 0, and those up to the last address
 * @condition: the condition
 * @want: expected
 * @v2: values of lanes that are not the rig's; 0: that of the rig
 * @unreadable: a register that cannot be read
 * @records: bytes of the buffer; 0: SIZE
 */
struct filter_case {
	const char *name;
	u32 insn[2];
	u64 start, watched;
	u64 at[LANES];
	struct gpubp_condition condition;
	struct want want;
	u32 v2[LANES];
	unsigned int unreadable;
	unsigned int records;
};

#define IN_A_ROW	{ AT(16), AT(20), AT(24), AT(28) }
#define NOWHERE		{}
#define POSSIBLE(_lanes, _start)	\
	{ _lanes, _start, .possible = true, .no_data = true }

/* of v[2:5] lane 0 has the bytes 10, 11, ... 1f, lane 1 50, 51, ... 5f, and so on */
static const struct filter_case filter_cases[] = {
	/* lanes */
	{ "the_third_lane", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { IS(U32, 0x93929190) }, { BIT(2), AT(24), AT(24), 4, 0x93929190 } },
	{ "the_third_lane_has_a_nan", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { IS_NAN(F32) }, { BIT(2), AT(24), AT(24), 4, 0x7fc00000 },
	  { ONE, ONE, 0x7fc00000, 0x7f800000 } },
	{ "the_first_lane", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { IS(U32, 0x13121110) }, { BIT(0), AT(16), AT(16), 4, 0x13121110 } },
	{ "two_lanes", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { VALUE(U32, INSIDE, 0x50000000, 0x9fffffff) },
	  { BIT(1) | BIT(2), AT(20), AT(20), 4, 0x53525150 } },
	{ "outside", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { VALUE(U32, GPUBP_TEST_OUTSIDE, 0x13121110, 0x53525150) },
	  { BIT(2) | BIT(3), AT(24), AT(24), 4, 0x93929190 } },
	{ "negative", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { VALUE(I32, INSIDE, 0x80000000, 0xffffffff) },
	  { BIT(2) | BIT(3), AT(24), AT(24), 4, 0x93929190 } },
	{ "no_lane", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { IS(U32, 0x13121111) }, NOWHERE },
	{ "a_lane_that_does_not_overlap", { INSN_STORE }, AT(16), 8, IN_A_ROW,
	  { IS(U32, 0x93929190) }, NOWHERE },
	{ "one_lane_stores_over_another", { INSN_STORE }, AT(16), 4,
	  { AT(16), AT(16) }, { IS(U32, 0x53525150) },
	  { BIT(1), AT(16), AT(16), 4, .no_data = true } },
	{ "all_lanes_store_the_same", { INSN_STORE }, AT(16), 4,
	  { AT(16), AT(16), AT(16) }, { IS(U32, 7) },
	  { 7, AT(16), AT(16), 4, 7 }, { 7, 7, 7 } },

	/* elements */
	{ "in_the_middle", { INSN_STORE_X4 }, AT(16), 16, { AT(16) },
	  { IS(U32, 0x1b1a1918) }, { 1, AT(16), AT(24), 4, 0x1b1a1918 } },
	{ "the_last_one", { INSN_STORE_X4 }, AT(16), 16, { AT(16) },
	  { IS(U32, 0x1f1e1d1c) }, { 1, AT(16), AT(28), 4, 0x1f1e1d1c } },
	{ "the_first_one_that_does", { INSN_STORE_X4 }, AT(16), 16, { AT(16) },
	  { VALUE(U8, INSIDE, 0x15, 0x1a) }, { 1, AT(16), AT(21), 1, 0x15 } },
	{ "of_8_bytes", { INSN_STORE_X4 }, AT(16), 16, { AT(16) },
	  { IS(U64, 0x1f1e1d1c1b1a1918) },
	  { 1, AT(16), AT(24), 8, 0x1f1e1d1c1b1a1918 } },
	{ "of_2_bytes", { INSN_STORE }, AT(16), 4, { AT(16) },
	  { IS_NAN(BF16) }, { 1, AT(16), AT(18), 2, 0x7fc0 }, { 0x7fc01234 } },
	{ "none", { INSN_STORE_X4 }, AT(16), 16, { AT(16) },
	  { IS(U32, 0x19181716) }, NOWHERE },
	{ "from_the_first_watched_byte_on", { INSN_STORE_X4 }, AT(18), 8,
	  { AT(16) }, { IS(U32, 0x19181716) },
	  { 1, AT(16), AT(22), 4, 0x19181716 } },
	{ "before_the_watch", { INSN_STORE_X4 }, AT(24), 8, { AT(16) },
	  { IS(U32, 0x17161514) }, NOWHERE },
	{ "behind_the_watch", { INSN_STORE_X4 }, AT(16), 8, { AT(16) },
	  { IS(U32, 0x1b1a1918) }, NOWHERE },
	{ "the_watch_begins_in_the_access", { INSN_STORE_X4 }, AT(16), 16,
	  { AT(8) }, { IS(U32, 0x1f1e1d1c) },
	  { 1, AT(8), AT(20), 4, 0x1f1e1d1c } },
	{ "in_another_lane_further_on", { INSN_STORE_X4 }, AT(16), 48,
	  { AT(16), AT(32), AT(48) }, { IS(U8, 0x9a) },
	  { BIT(2), AT(48), AT(58), 1, 0x9a } },
	{ "upper_half_of_a_register", { INSN_STORE_HI }, AT(16), 4, { AT(17) },
	  { IS(U8, 0x12) }, { 1, AT(17), AT(17), 1, 0x12 } },

	/* elements of which a part is stored */
	{ "its_end", { INSN_STORE }, AT(16), 4, { AT(14) }, { IS(U32, 0) },
	  { 1, AT(14), AT(16), 2, 0x1312, true } },
	{ "its_start", { INSN_STORE }, AT(16), 8, { AT(22) }, { IS(U32, 0) },
	  { 1, AT(22), AT(22), 2, 0x1110, true } },
	{ "its_middle", { INSN_STORE_HI }, AT(16), 4, { AT(17) },
	  { IS(U32, 0) }, { 1, AT(17), AT(17), 1, 0x12, true } },
	{ "a_part_and_whole_ones", { INSN_STORE_X4 }, AT(16), 32, { AT(18) },
	  { IS(U32, 0) }, { 1, AT(18), AT(18), 2, 0x1110, true } },
	{ "whole_ones_and_a_part", { INSN_STORE_X4 }, AT(16), 16, { AT(10) },
	  { IS(U64, 0) }, { 1, AT(10), AT(24), 2, 0x1f1e, true } },
	{ "a_whole_one_behind_a_part", { INSN_STORE_X4 }, AT(16), 32,
	  { AT(18) }, { IS(U32, 0x15141312) },
	  { 1, AT(18), AT(20), 4, 0x15141312 } },
	{ "another_lane_has_a_whole_one", { INSN_STORE }, AT(16), 8,
	  { AT(14), AT(20) }, { IS(U32, 0x53525150) },
	  { BIT(1), AT(20), AT(20), 4, 0x53525150 } },
	{ "only_the_lane_with_a_part", { INSN_STORE }, AT(16), 8,
	  { AT(20), AT(14) }, { IS(U32, 0) },
	  { BIT(1), AT(14), AT(16), 2, 0x5352, true } },
	{ "both_halves_by_two_lanes", { INSN_STORE }, AT(16), 4,
	  { AT(14), AT(18) }, { IS(U32, 0) },
	  { 3, AT(14), AT(16), 2, 0x1312, true } },

	/* loads */
	{ "load", { INSN_LOAD }, AT(16), 16, IN_A_ROW, { IS(U32, 0x9f9e9d9c) },
	  { BIT(2), AT(24), AT(24), 4, 0x9f9e9d9c } },
	{ "load_of_something_else", { INSN_LOAD }, AT(16), 16, IN_A_ROW,
	  { IS(U32, 0x13121110) }, NOWHERE },
	{ "second_register_of_a_load", { INSN_LOAD_X4 }, AT(16), 16,
	  { AT(16) }, { IS(U32, 0x60606060) },
	  { 1, AT(16), AT(20), 4, 0x60606060 } },
	{ "overwritten_address", { INSN_LOAD_CLOBBER }, AT(16), 16,
	  { AT(16), AT(20) }, { IS(U32, 1) }, POSSIBLE(3, AT(16)) },
	{ "overwritten_address_whole_block", { INSN_LOAD_CLOBBER }, AT(0), 64,
	  { AT(16) }, { IS(U32, 1) }, POSSIBLE(1, AT(0)) },

	/* atomics */
	{ "operand", { INSN_ATOMIC }, AT(16), 16, IN_A_ROW,
	  { IS(U32, 0x93929190) }, { BIT(2), AT(24), AT(24), 4, 0x93929190 } },
	{ "two_lanes_of_an_atomic", { INSN_ATOMIC }, AT(16), 4,
	  { AT(16), AT(16) }, { IS(U32, 0x53525150) },
	  { BIT(1), AT(16), AT(16), 4, 0x53525150 } },
	{ "new_value", { INSN_CMPSWAP }, AT(16), 4, { AT(16) },
	  { IS(U32, 0x13121110) }, { 1, AT(16), AT(16), 4, 0x13121110 } },
	{ "comparand", { INSN_CMPSWAP }, AT(16), 4, { AT(16) },
	  { IS(U32, 0x17161514) }, NOWHERE },
	{ "operand_not_result", { INSN_RETURNS }, AT(16), 4, { AT(16) },
	  { IS(U32, 0x1f1e1d1c) }, NOWHERE },
	{ "overwritten_operand", { INSN_OVERWRITES }, AT(16), 4, { AT(16) },
	  { IS(U32, 0) }, { 1, AT(16), AT(16), 4, .possible = true,
	  .no_data = true } },

	/* a range check may drop a part of it */
	{ "buffer_store", { INSN_BUFFER }, AT(16), 16, { 16, 20, 24, 28 },
	  { IS(U32, 0x93929190) }, { BIT(2), AT(24), AT(24), 4, 0x93929190 } },
	{ "buffer_store_of_something_else", { INSN_BUFFER }, AT(16), 16,
	  { 16, 20, 24, 28 }, { IS(U32, 1) }, NOWHERE },
	{ "buffer_load", { INSN_BUFFER_LD }, AT(16), 4, { 16 },
	  { IS(U32, 0x1f1e1d1c) }, { 1, AT(16), AT(16), 4, 0x1f1e1d1c } },
	{ "buffer_store_of_bytes", { INSN_BUFFER }, AT(18), 2, { 16 },
	  { IS(U8, 0x13) }, { 1, AT(16), AT(19), 1, 0x13 } },
	{ "buffer_store_over_the_end", { INSN_BUFFER }, AT(16), 16,
	  { 16, 20, 24, 26 }, { IS(U32, 1) }, { BIT(3), AT(26), AT(26), 2,
	  .possible = true, .no_data = true }, .records = 29 },
	{ "a_lane_before_the_end", { INSN_BUFFER }, AT(16), 16,
	  { 16, 20, 24, 28 }, { IS(U32, 0x93929190) },
	  { BIT(2), AT(24), AT(24), 4, 0x93929190 }, .records = 29 },
	{ "buffer_load_over_the_end", { INSN_BUFFER_LD }, AT(16), 4, { 16 },
	  { IS(U32, 0x1f1e1d1c) }, { 1, AT(16), AT(16), 4, .possible = true,
	  .no_data = true }, .records = 17 },

	/* registers that cannot be read */
	{ "unreadable_store", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { IS(U32, 0) }, { 15, AT(16), AT(16), 4, .possible = true,
	  .no_data = true }, .unreadable = 2 },
	{ "unreadable_load", { INSN_LOAD }, AT(16), 4, { AT(16) },
	  { IS(U32, 0) }, { 1, AT(16), AT(16), 4, .possible = true,
	  .no_data = true }, .unreadable = 5 },
	{ "unreadable_operand", { INSN_RETURNS }, AT(16), 4, { AT(16) },
	  { IS(U32, 0) }, { 1, AT(16), AT(16), 4, .possible = true,
	  .no_data = true }, .unreadable = 2 },
	{ "unreadable_result", { INSN_RETURNS }, AT(16), 4, { AT(16) },
	  { IS(U32, 0x13121110) }, { 1, AT(16), AT(16), 4, 0x13121110 },
	  .unreadable = 5 },

	/* places */
	{ "workgroup_x", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { .places = GPUBP_PLACE_WG_X, .wg_x = WG_X },
	  { 15, AT(16), AT(16), 4, 0x13121110 } },
	{ "another_workgroup_x", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { .places = GPUBP_PLACE_WG_X, .wg_x = WG_X + 1 }, NOWHERE },
	{ "workgroup_y", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { .places = GPUBP_PLACE_WG_Y, .wg_y = WG_Y },
	  { 15, AT(16), AT(16), 4, 0x13121110 } },
	{ "another_workgroup_y", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { .places = GPUBP_PLACE_WG_Y }, NOWHERE },
	{ "workgroup_z", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { .places = GPUBP_PLACE_WG_Z, .wg_z = WG_Z },
	  { 15, AT(16), AT(16), 4, 0x13121110 } },
	{ "another_workgroup_z", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { .places = GPUBP_PLACE_WG_Z, .wg_z = WG_Y }, NOWHERE },
	{ "one_of_three_differs", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { .places = 7, .wg_x = WG_X, .wg_y = WG_X, .wg_z = WG_Z }, NOWHERE },
	{ "item", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { .places = GPUBP_PLACE_ITEM, .item = ITEM(2) },
	  { BIT(2), AT(24), AT(24), 4, 0x93929190 } },
	{ "item_of_another_wave", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { .places = GPUBP_PLACE_ITEM, .item = 2 }, NOWHERE },
	{ "item_that_is_off", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { .places = GPUBP_PLACE_ITEM, .item = ITEM(4) }, NOWHERE },
	{ "item_elsewhere", { INSN_STORE }, AT(16), 8, IN_A_ROW,
	  { .places = GPUBP_PLACE_ITEM, .item = ITEM(2) }, NOWHERE },
	{ "all_places", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { .places = GPUBP_PLACE_ALL, .wg_x = WG_X, .wg_y = WG_Y,
	    .wg_z = WG_Z, .item = ITEM(3) },
	  { BIT(3), AT(28), AT(28), 4, 0xd3d2d1d0 } },
	{ "place_and_value", { INSN_STORE_X4 }, AT(16), 64,
	  { AT(16), AT(32), AT(48) }, { VALUE(U8, INSIDE, 0x14, 0x98),
	  .places = GPUBP_PLACE_ITEM, .item = ITEM(1) },
	  { BIT(1), AT(32), AT(32), 1, 0x50 } },
	{ "value_at_another_place", { INSN_STORE }, AT(16), 16, IN_A_ROW,
	  { IS(U32, 0x93929190), .places = GPUBP_PLACE_ITEM,
	    .item = ITEM(1) }, NOWHERE },
	{ "whole_access_at_the_place", { INSN_STORE_X4 }, AT(16), 48,
	  { AT(16), AT(32) }, { .places = GPUBP_PLACE_ITEM, .item = ITEM(1) },
	  { BIT(1), AT(32), AT(32), 16, 0x5756555453525150 } },

	/* places, of lanes that are not known */
	{ "block_in_the_workgroup", { INSN_LOAD_CLOBBER }, AT(0), 64,
	  { AT(16) }, { .places = GPUBP_PLACE_WG_X, .wg_x = WG_X },
	  { 1, AT(0), .no_data = true } },
	{ "block_in_another_workgroup", { INSN_LOAD_CLOBBER }, AT(0), 64,
	  { AT(16) }, { .places = GPUBP_PLACE_WG_X }, NOWHERE },
	{ "block_of_the_item", { INSN_LOAD_CLOBBER }, AT(0), 64, IN_A_ROW,
	  { .places = GPUBP_PLACE_ITEM, .item = ITEM(2) },
	  POSSIBLE(BIT(2), AT(0)) },
	{ "block_of_other_items", { INSN_LOAD_CLOBBER }, AT(0), 64, IN_A_ROW,
	  { .places = GPUBP_PLACE_ITEM, .item = ITEM(4) }, NOWHERE },
	{ "unknown_value_at_another_place", { INSN_OVERWRITES }, AT(16), 16,
	  IN_A_ROW, { IS(U32, 0), .places = GPUBP_PLACE_ITEM,
	  .item = ITEM(2) }, { BIT(2), AT(24), AT(24), 4, .possible = true,
	  .no_data = true } },
};
KUNIT_ARRAY_PARAM_DESC(filter, filter_cases, name);

static void record_of(struct kunit *test)
{
	const struct filter_case *p = test->param_value;
	struct mock_ctx *c = rig_ctx(test);
	struct watcher w = watch_if(test, p->start, p->watched, &p->condition);
	u64 exec = rig_set_lanes(c->m, p->at, p->v2);

	memset32(c->m->vgprs[6], 0x60606060, LANES);
	data_rig.unreadable = p->unreadable;
	if (p->records)
		data_rig.scalars[2] = p->records;
	rig_execute(test, c, p->insn, exec);
	expect_hit(test, &w, &p->want);
}

static void a_lane_that_is_off(struct kunit *test)
{
	static const struct gpubp_condition nan = { IS_NAN(F32) };
	static const u32 values[] = { 0x7fc00000, ONE, 0x7fc00000, ONE };
	static const struct want want = {
		BIT(2), AT(24), AT(24), 4, 0x7fc00000,
	};
	struct mock_ctx *c = rig_ctx(test);
	struct watcher w = watch_if(test, AT(16), 16, &nan);

	four_lanes(c->m, values);
	rig_execute(test, c, store, BIT(1) | BIT(2) | BIT(3));
	expect_hit(test, &w, &want);
}

/* what an atomic returns is in the sample, as of any event */
static void the_record_of_an_atomic_that_returns(struct kunit *test)
{
	static const struct gpubp_condition second = { IS(U32, 0x53525150) };
	static const struct want want = {
		BIT(1), AT(20), AT(20), 4, 0x53525150,
	};
	static const u32 returns[] = { INSN_RETURNS };
	struct mock_ctx *c = rig_ctx(test);
	struct watcher w = watch_if(test, AT(16), 16, &second);

	mock_lane_addr(c->m, 0, AT(16));
	mock_lane_addr(c->m, 1, AT(20));
	rig_execute(test, c, returns, 3);
	expect_hit(test, &w, &want);
	KUNIT_EXPECT_TRUE(test, w.k->rec.flags & GPUBP_HIT_BEFORE);
	KUNIT_EXPECT_EQ(test, w.k->rec.before, 0x5f5e5d5cULL);
}

/* ---- waves without coordinates, or without lanes -------------------------- */

/**
 * struct stop_case - a store of four lanes in a row, or a load whose address is not
 *	known
 * @name: of the test
 * @condition: condition
 * @want: expected
 * @block: the address is not known
 * @no_coords: nor the place
 * @no_lanes: no lane is active
 */
struct stop_case {
	const char *name;
	struct gpubp_condition condition;
	struct want want;
	bool block, no_coords, no_lanes;
};

static const struct stop_case stop_cases[] = {
	{ "unknown_workgroup", { .places = GPUBP_PLACE_WG_X, .wg_x = 9 },
	  { 15, AT(0), AT(16), 4, 0x13121110, true }, .no_coords = true },
	{ "unknown_item", { .places = GPUBP_PLACE_ITEM, .item = ITEM(2) },
	  { BIT(2), AT(0), AT(24), 4, 0x93929190, true }, .no_coords = true },
	{ "unknown_item_of_no_lane", { .places = GPUBP_PLACE_ITEM,
	  .item = ITEM(5) }, NOWHERE, .no_coords = true },
	{ "unknown_place_of_the_value", { IS(U32, 0x53525150),
	  .places = GPUBP_PLACE_WG_X }, { BIT(1), AT(0), AT(20), 4, 0x53525150,
	  true }, .no_coords = true },
	{ "unknown_place_of_no_value", { IS(U32, 0),
	  .places = GPUBP_PLACE_WG_X }, NOWHERE, .no_coords = true },
	{ "value_anywhere", { IS(U32, 0x53525150) },
	  { BIT(1), AT(0), AT(20), 4, 0x53525150 }, .no_coords = true },
	{ "nothing_is_known", { IS(U32, 0), .places = GPUBP_PLACE_WG_X },
	  POSSIBLE(15, AT(0)), .block = true, .no_coords = true },
	{ "no_lane_has_a_value", { IS(U32, 0) }, { .possible = true },
	  .block = true, .no_lanes = true },
	{ "no_lane_at_the_place", { .places = GPUBP_PLACE_WG_X, .wg_x = WG_X },
	  { .possible = true }, .block = true, .no_lanes = true },
	{ "no_lane_is_the_item", { .places = GPUBP_PLACE_ITEM,
	  .item = ITEM(0) }, { .possible = true },
	  .block = true, .no_lanes = true },
	{ "no_lane_at_another_place", { .places = GPUBP_PLACE_WG_X }, NOWHERE,
	  .block = true, .no_lanes = true },
	{ "no_lane_at_another_place_has_a_value", { IS(U32, 0),
	  .places = GPUBP_PLACE_WG_Y, .wg_y = 7 }, NOWHERE,
	  .block = true, .no_lanes = true },
};
KUNIT_ARRAY_PARAM_DESC(stop, stop_cases, name);

static void stop_of(struct kunit *test)
{
	static const u32 values[] = {
		0x13121110, 0x53525150, 0x93929190, 0xd3d2d1d0,
	};
	static const u32 clobber[] = { INSN_LOAD_CLOBBER };
	const struct stop_case *p = test->param_value;
	struct mock_ctx *c = rig_ctx(test);
	struct watcher w = watch_if(test, AT(0), 64, &p->condition);
	struct want want = p->want;
	struct gpubp_hit hit;

	four_lanes(c->m, values);
	hit = rig_hit(c, p->block ? clobber : store, (struct mock_stop) {
		.exec = p->no_lanes ? 0 : 15, .no_coords = p->no_coords });
	rig_deliver(test, &hit);
	if (!p->no_lanes) {
		if (!p->block && want.lanes)
			want.lane_addr = want.addr;
		expect_hit(test, &w, &want);
		return;
	}
	KUNIT_EXPECT_EQ(test, w.k->nr, want.possible);
	KUNIT_EXPECT_EQ(test, filtered(&w), !want.possible);
	KUNIT_EXPECT_EQ(test, w.k->rec.flags & GPUBP_HIT_POSSIBLE,
			want.possible ? GPUBP_HIT_POSSIBLE : 0);
}

/* ---- devices that report an address -------------------------------------- */

/**
 * struct report_case - a device reports that a lane stored 4 bytes at AT(16)
 * @name: of the test
 * @condition: condition
 * @exec: active lanes
 * @want: expected
 * @skid: the wave may have executed further instructions
 */
struct report_case {
	const char *name;
	struct gpubp_condition condition;
	u64 exec;
	struct want want;
	bool skid;
};

static const struct report_case report_cases[] = {
	{ "only_lane", { IS(U32, 0x53525150) }, BIT(1),
	  { BIT(1), AT(16), AT(16), 4, 0x53525150 } },
	{ "only_lane_has_another_value", { IS(U32, 0x13121110) }, BIT(1),
	  NOWHERE },
	{ "one_of_two_lanes", { IS(U32, 0x13121110) }, BIT(0) | BIT(1),
	  { BIT(0), AT(16), AT(16), 4, .possible = true, .no_data = true } },
	{ "only_item", { .places = GPUBP_PLACE_ITEM, .item = ITEM(1) }, BIT(1),
	  { BIT(1), AT(16), AT(16), 4, 0x53525150 } },
	{ "only_item_is_another", { .places = GPUBP_PLACE_ITEM,
	  .item = ITEM(0) }, BIT(1), NOWHERE },
	{ "one_of_two_items", { .places = GPUBP_PLACE_ITEM, .item = ITEM(1) },
	  BIT(0) | BIT(1),
	  { BIT(0), AT(16), AT(16), 4, .possible = true, .no_data = true } },
	{ "none_of_two_items", { .places = GPUBP_PLACE_ITEM, .item = ITEM(2) },
	  BIT(0) | BIT(1), NOWHERE },
	{ "in_another_wave", { .places = GPUBP_PLACE_ITEM, .item = 1 },
	  BIT(0) | BIT(1), NOWHERE },
	{ "workgroup", { .places = GPUBP_PLACE_WG_X, .wg_x = WG_X },
	  BIT(0) | BIT(1), { BIT(0), AT(16), AT(16), 4, .no_data = true } },
	{ "only_item_at_the_stop", { .places = GPUBP_PLACE_ITEM,
	  .item = ITEM(1) }, BIT(1), { BIT(1), AT(16), AT(16), 4,
	  .possible = true, .no_data = true }, .skid = true },
	{ "item_that_was_active", { .places = GPUBP_PLACE_ITEM,
	  .item = ITEM(2) }, BIT(1), { BIT(1), AT(16), AT(16), 4,
	  .possible = true, .no_data = true }, .skid = true },
	{ "skid_in_another_wave", { .places = GPUBP_PLACE_ITEM, .item = 1 },
	  BIT(1), NOWHERE, .skid = true },
};
KUNIT_ARRAY_PARAM_DESC(report, report_cases, name);

static void the_device_reports_the_address(struct kunit *test)
{
	const struct report_case *p = test->param_value;
	struct mock *m = test->priv;
	struct mock_ctx *c = rig_ctx(test);
	struct watcher w = watch_if(test, AT(16), 4, &p->condition);

	m->dev->desc.caps.precise = !p->skid;
	rig_report(test, c, store, p->exec, 4);
	expect_hit(test, &w, &p->want);
}

/* ---- several events ------------------------------------------------------ */

static const struct gpubp_condition is_1 = { IS(U32, 1) };
static const struct gpubp_condition is_2 = { IS(U32, 2) };

static void beside_an_event_without_one(struct kunit *test)
{
	struct mock_ctx *c = rig_ctx(test);
	struct watcher all = watch_all(test, AT(16), 4);
	struct watcher one = watch_if(test, AT(16), 4, &is_1);

	store_value(test, c, 2);
	KUNIT_EXPECT_EQ(test, all.k->nr, 1);
	KUNIT_EXPECT_EQ(test, one.k->nr, 0);
	store_value(test, c, 1);
	KUNIT_EXPECT_EQ(test, all.k->nr, 2);
	KUNIT_EXPECT_EQ(test, one.k->nr, 1);
	KUNIT_EXPECT_EQ(test, filtered(&all), 0);
	KUNIT_EXPECT_EQ(test, filtered(&one), 1);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 2);
	KUNIT_EXPECT_EQ(test, all.k->rec.watch, one.k->rec.watch);
}

/* each has the lane that meets its own, and the trace has all lanes, once */
static void two_conditions_of_one_watch(struct kunit *test)
{
	static const u32 values[] = { 3, 2, 1, 2 };
	static const struct want want[] = {
		{ BIT(2), AT(24), AT(24), 4, 1 },
		{ BIT(1) | BIT(3), AT(20), AT(20), 4, 2 },
		{ 15, AT(16), AT(16), 4, 3 },
	};
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *trace = rig_trace(test);
	struct watcher w[] = {
		watch_if(test, AT(16), 16, &is_1),
		watch_if(test, AT(16), 16, &is_2),
	};

	four_lanes(c->m, values);
	rig_execute(test, c, store, 15);
	KUNIT_ASSERT_EQ(test, w[0].k->nr, 1);
	KUNIT_ASSERT_EQ(test, w[1].k->nr, 1);
	KUNIT_ASSERT_EQ(test, trace->nr, 1);
	expect_bytes(test, &w[0].k->rec, &want[0]);
	expect_bytes(test, &w[1].k->rec, &want[1]);
	expect_bytes(test, &trace->rec, &want[2]);
}

/* a hit that no event gets has its line, too */
static void the_trace_has_what_is_filtered(struct kunit *test)
{
	struct mock_ctx *c = rig_ctx(test);
	struct mock_kept *trace = rig_trace(test);
	struct watcher w = watch_if(test, AT(16), 4, &is_1);

	store_value(test, c, 2);
	KUNIT_EXPECT_EQ(test, w.k->nr, 0);
	KUNIT_ASSERT_EQ(test, trace->nr, 1);
	KUNIT_EXPECT_EQ(test, trace->rec.flags & GPUBP_HIT_POSSIBLE, 0);
	KUNIT_EXPECT_EQ(test, trace->rec.data, 2);
	/* with an event that gets it, still once */
	watch_all(test, AT(16), 4);
	store_value(test, c, 1);
	KUNIT_EXPECT_EQ(test, trace->nr, 2);
}

/*
 * Copies of events with two conditions, as the threads of a program inherit them
 * one after another: a wave waits for each match that is made.
 */
static void copies_share_a_match(struct kunit *test)
{
	struct gpubp_filter *filter[] = {
		mock_condition(test, &is_1), mock_condition(test, &is_2),
	};
	struct mock_ctx *c = rig_ctx(test);
	struct watcher w[12];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(w); i++)
		w[i] = watch(test, attr_of(AT(16), 4, filter[i % 2]));
	mock_settle(c->m);
	data_rig.copies = 0;
	store_value(test, c, 1);
	KUNIT_EXPECT_EQ(test, data_rig.copies, 2u);
	for (i = 0; i < ARRAY_SIZE(w); i++) {
		KUNIT_EXPECT_EQ(test, w[i].k->nr, i % 2 == 0);
		KUNIT_EXPECT_EQ(test, filtered(&w[i]), i % 2);
	}
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, kref_read(&filter[i]->ref), 7u);
}

#define MANY	(3 * GPUBP_CELL_MATCHES)

static void watch_many(struct kunit *test, struct watcher w[MANY])
{
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		struct gpubp_condition c = { IS(U32, i) };

		w[i] = watch_if(test, AT(16), 4, &c);
	}
}

/* conditions of one watch and user: see struct gpubp_condition */
#define TESTED	8

static u64 lost(const struct watcher *w)
{
	struct gpubp_account acc;

	gpubp_event_time_read(w->gev, &acc);
	return acc.lost;
}

/* others lose the hit */
static void many_conditions(struct kunit *test)
{
	struct mock_ctx *c = rig_ctx(test);
	struct watcher w[MANY];
	unsigned int i, nr = 0;

	watch_many(test, w);
	store_value(test, c, MANY);
	for (i = 0; i < MANY; i++) {
		KUNIT_EXPECT_EQ(test, w[i].k->nr, 0);
		KUNIT_EXPECT_EQ(test, kref_read(&w[i].gev->filter->ref), 2u);
		KUNIT_EXPECT_EQ(test, filtered(&w[i]) + lost(&w[i]), 1);
		nr += filtered(&w[i]);
	}
	KUNIT_EXPECT_EQ(test, nr, TESTED);
}

/* those of a user who was there before, or comes later, make no difference */
static void conditions_of_another_user(struct kunit *test)
{
	struct watcher before, behind, w[MANY];
	struct mock_ctx *c = rig_ctx(test);
	unsigned int i, nr = 0;
	const struct cred *old;
	struct cred *cred;

	before = watch_if(test, AT(16), 4, &is_1);
	old = mock_become(test, KUIDT_INIT(40002), &cred);
	watch_many(test, w);
	mock_become_root(old, cred);
	behind = watch_if(test, AT(16), 4, &is_1);
	store_value(test, c, 1);
	KUNIT_EXPECT_EQ(test, before.k->nr, 1);
	KUNIT_EXPECT_EQ(test, behind.k->nr, 1);
	KUNIT_EXPECT_EQ(test, lost(&before), 0);
	KUNIT_EXPECT_EQ(test, lost(&behind), 0);
	for (i = 0; i < MANY; i++)
		nr += filtered(&w[i]) + w[i].k->nr;
	KUNIT_EXPECT_EQ(test, nr, TESTED);
}

static struct completion hit_reached, hit_may_go;

static void pause_hit(void)
{
	data_rig.on_data = NULL;
	complete(&hit_reached);
	wait_for_completion(&hit_may_go);
}

static struct gpubp_filter *make(struct kunit *test)
{
	struct gpubp_filter *filter = gpubp_filter_create(&is_2);

	KUNIT_ASSERT_FALSE(test, IS_ERR(filter));
	return filter;
}

/* neither its session nor its event is there any more: the hit has it */
static void destroyed_while_a_hit_is_tested(struct kunit *test)
{
	struct gpubp_filter *filter = gpubp_filter_create(&is_1), *other, *next;
	struct mock_ctx *c = rig_ctx(test);
	struct gpubp_hit hit;
	struct watcher w;
	u32 id;

	KUNIT_ASSERT_FALSE(test, IS_ERR(filter));
	id = filter->id;
	init_completion(&hit_reached);
	init_completion(&hit_may_go);
	w = watch(test, attr_of(AT(16), 4, filter));
	mock_settle(c->m);
	c->m->vgprs[FIRST][0] = 1;
	mock_lane_addr(c->m, 0, AT(16));
	hit = rig_hit(c, store, (struct mock_stop) { .exec = 1 });
	data_rig.on_data = pause_hit;
	KUNIT_EXPECT_EQ(test, mock_report(test->priv, &hit), GPUBP_TAKEN);
	wait_for_completion(&hit_reached);
	gpubp_filter_destroy(filter);
	mock_close(c->m, w.event);
	other = make(test);
	KUNIT_EXPECT_NE(test, other->id, id);
	complete(&hit_may_go);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, w.k->nr, 0);
	next = make(test);
	KUNIT_EXPECT_EQ(test, next->id, id);
	gpubp_filter_destroy(other);
	gpubp_filter_destroy(next);
}

static struct gpubp_hit_cell **take_all_cells_but(struct kunit *test,
						  unsigned int nr)
{
	struct mock *m = test->priv;
	struct gpubp_hit_cell **cells;
	unsigned int i, n = m->dev->nr_cells - nr;

	cells = kunit_kcalloc(test, n + 1, sizeof(*cells), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cells);
	for (i = 0; i < n; i++)
		cells[i] = gpubp_cell_alloc(m->dev);
	return cells;
}

static void give_back_cells(struct gpubp_hit_cell **cells)
{
	for (; *cells; cells++) {
		struct gpubp_stats *stats = &(*cells)->dev->stats;

		atomic64_inc(&stats->v[GPUBP_STAT_RAISED]);
		(*cells)->outcome = GPUBP_STAT_STRAY_TRAP;
		gpubp_cell_put(*cells);
	}
}

/* the events that there was no room for lose the hit, and nothing else is lost */
static void too_few_cells(struct kunit *test)
{
	struct mock_ctx *c = rig_ctx(test);
	struct gpubp_hit_cell **cells;
	struct watcher w[MANY], all;
	struct gpubp_hit hit;
	unsigned int i, nr = 0;

	watch_many(test, w);
	all = watch_all(test, AT(16), 4);
	c->m->vgprs[FIRST][0] = MANY;
	mock_lane_addr(c->m, 0, AT(16));
	hit = rig_hit(c, store, (struct mock_stop) { .exec = 1 });
	cells = take_all_cells_but(test, 1);
	KUNIT_EXPECT_EQ(test, mock_report(c->m, &hit), GPUBP_TAKEN);
	kthread_flush_worker(c->m->dev->resolver);
	give_back_cells(cells);
	mock_quiesce(test);
	for (i = 0; i < MANY; i++) {
		nr += filtered(&w[i]);
		KUNIT_EXPECT_EQ(test, kref_read(&w[i].gev->filter->ref), 2u);
	}
	KUNIT_EXPECT_EQ(test, all.k->nr, 1u);
	KUNIT_EXPECT_EQ(test, nr, GPUBP_CELL_MATCHES - 1u);
	KUNIT_EXPECT_EQ(test, atomic64_read(&c->ctx->lost), 1);
}

static void counting_events(struct kunit *test)
{
	struct perf_event_attr attr;
	struct mock_ctx *c = rig_ctx(test);
	struct perf_event *one, *all = mock_open(test, AT(16), 4, ALL);
	struct gpubp_event *gev;

	attr = attr_of(AT(16), 4, mock_condition(test, &is_1));
	one = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, one);
	gev = one->pmu_private;
	store_value(test, c, 1);
	store_value(test, c, 2);
	store_value(test, c, 1);
	KUNIT_EXPECT_EQ(test, mock_count(all), 3);
	KUNIT_EXPECT_EQ(test, mock_count(one), 2);
	KUNIT_EXPECT_EQ(test, atomic64_read(&gev->matched), 2);
	KUNIT_EXPECT_EQ(test, atomic64_read(&gev->filtered), 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&gev->possible), 0);
}

/* ---- one event, several watches ------------------------------------------ */

/* two buffers have the name */
static struct watcher watch_twins(struct kunit *test, struct mock_ctx *c)
{
	struct perf_event_attr attr = attr_of(0, 4,
					      mock_condition(test, &is_1));

	KUNIT_ASSERT_EQ(test, gpubp_buffer_name(c->ctx, AT(16), 4,
						MOCK_TWIN_A), 0);
	KUNIT_ASSERT_EQ(test, gpubp_buffer_name(c->ctx, AT(20), 4,
						MOCK_TWIN_B), 0);
	attr.config |= GPUBP_CONFIG_NAMED |
		       (u64)gpubp_name_hash(MOCK_TWIN_A) <<
		       GPUBP_CONFIG_CODE_SHIFT;
	return watch(test, attr);
}

struct twin_case {
	const char *name;
	u32 values[LANES];
	bool met;
};

static const struct twin_case twin_cases[] = {
	{ "none", { 3, 4 }, false },
	{ "first", { 1, 4 }, true },
	{ "second", { 3, 1 }, true },
	{ "both", { 1, 1 }, true },
};
KUNIT_ARRAY_PARAM_DESC(twin, twin_cases, name);

/* a hit of both is one hit, and filtered once if it meets the condition in none */
static void a_hit_of_two_watches(struct kunit *test)
{
	const struct twin_case *p = test->param_value;
	struct mock_ctx *c = rig_ctx(test);
	struct watcher w = watch_twins(test, c);

	four_lanes(c->m, p->values);
	rig_execute(test, c, store, 3);
	KUNIT_EXPECT_EQ(test, w.k->nr, p->met);
	KUNIT_EXPECT_EQ(test, filtered(&w), !p->met);
	/* and the next one counts again */
	rig_execute(test, c, store, 3);
	KUNIT_EXPECT_EQ(test, w.k->nr, 2 * p->met);
	KUNIT_EXPECT_EQ(test, filtered(&w), 2 * !p->met);
}

/* ---- with other fields of events ----------------------------------------- */

static struct watcher watch_with(struct kunit *test, u64 config,
				 const struct gpubp_condition *condition)
{
	struct perf_event_attr attr;

	attr = attr_of(AT(16), 4, mock_condition(test, condition));
	attr.config |= config;
	return watch(test, attr);
}

/* lane 0 stores a value, which memory has then */
static void store_for_good(struct kunit *test, struct mock_ctx *c, u32 value)
{
	c->m->vgprs[FIRST][0] = value;
	put_unaligned_le32(value, c->mem + AT(16) - MOCK_VA);
	mock_store(c, AT(16));
	mock_quiesce(test);
}

/* changed, and it meets the condition; an event without one makes no difference */
static void only_changes(struct kunit *test)
{
	static const struct gpubp_condition is_small = {
		VALUE(U32, INSIDE, 0, 9),
	};
	struct mock_ctx *c = mock_ctx(test);
	struct watcher w = watch_with(test, GPUBP_CONFIG_CHANGED, &is_small);
	struct watcher all = watch_all(test, AT(16), 4);

	mock_settle(c->m);
	store_for_good(test, c, 1);
	KUNIT_EXPECT_EQ(test, w.k->nr, 1);
	store_for_good(test, c, 1);
	KUNIT_EXPECT_EQ(test, w.k->nr, 1);
	KUNIT_EXPECT_EQ(test, unchanged(&w), 1);
	store_for_good(test, c, 11);
	KUNIT_EXPECT_EQ(test, w.k->nr, 1);
	KUNIT_EXPECT_EQ(test, filtered(&w), 1);
	/* it is one or the other */
	store_for_good(test, c, 11);
	KUNIT_EXPECT_EQ(test, w.k->nr, 1);
	KUNIT_EXPECT_EQ(test, filtered(&w), 2);
	KUNIT_EXPECT_EQ(test, unchanged(&w), 1);
	store_for_good(test, c, 2);
	KUNIT_EXPECT_EQ(test, w.k->nr, 2);
	KUNIT_EXPECT_EQ(test, all.k->nr, 5);
}

static void only_possible_hits(struct kunit *test)
{
	static const struct gpubp_condition here = {
		IS(U32, 1), .places = GPUBP_PLACE_WG_X, .wg_x = WG_X,
	};
	static const u32 overwrites[] = { INSN_OVERWRITES };
	struct mock_ctx *c = rig_ctx(test);
	struct watcher w = watch_with(test, GPUBP_CONFIG_POSSIBLE, &here);

	store_value(test, c, 1);
	store_value(test, c, 2);
	KUNIT_EXPECT_EQ(test, w.k->nr, 0);
	rig_execute(test, c, overwrites, 1);
	KUNIT_EXPECT_EQ(test, w.k->nr, 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&w.gev->possible), 1);
}

static void destroy_set(void *set)
{
	gpubp_set_destroy(set);
}

static struct watcher watch_set(struct kunit *test)
{
	struct gpubp_set_watch member = {
		.addr = AT(16), .len = 4, .access = ALL,
	};
	struct perf_event_attr attr = mock_attr(0, 0, 0);
	struct gpubp_watch_set *set = gpubp_set_create();
	unsigned int bad;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, set);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, destroy_set, set),
			0);
	KUNIT_ASSERT_EQ(test, gpubp_set_update(set, &member, 1, &bad, NULL,
					       NULL), 0);
	attr.config = GPUBP_KIND_WATCH_SET |
		      (u64)set->id << GPUBP_CONFIG_CODE_SHIFT;
	return watch(test, attr);
}

static void beside_a_member_of_a_set(struct kunit *test)
{
	struct mock_ctx *c = rig_ctx(test);
	struct watcher set = watch_set(test);
	struct watcher w = watch_if(test, AT(16), 4, &is_1);

	store_value(test, c, 2);
	KUNIT_EXPECT_EQ(test, set.k->nr, 1);
	KUNIT_EXPECT_EQ(test, w.k->nr, 0);
	store_value(test, c, 1);
	KUNIT_EXPECT_EQ(test, set.k->nr, 2);
	KUNIT_EXPECT_EQ(test, w.k->nr, 1);
	KUNIT_EXPECT_EQ(test, set.k->rec.kind, GPUBP_KIND_WATCH_SET);
	KUNIT_EXPECT_EQ(test, w.k->rec.kind, GPUBP_KIND_WATCH);
	KUNIT_EXPECT_EQ(test, filtered(&w), 1);
}

/* a hit of a slot's other bytes is a stray, and no filtered hit */
static void other_bytes_are_strays(struct kunit *test)
{
	struct mock_ctx *c = rig_ctx(test);
	struct watcher w = watch_if(test, AT(16), 4, &is_1);

	c->m->vgprs[FIRST][0] = 1;
	mock_lane_addr(c->m, 0, AT(24));
	rig_execute(test, c, store, 1);
	KUNIT_EXPECT_EQ(test, w.k->nr, 0);
	KUNIT_EXPECT_EQ(test, filtered(&w), 0);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_BYTES), 1);
}

/* ---- against a model ------------------------------------------------------ */

#define ROUNDS	20	/* conditions */
#define HITS	10	/* of each */

static const u8 types[] = {
	GPUBP_VALUE_U8, GPUBP_VALUE_I8, GPUBP_VALUE_U16, GPUBP_VALUE_I16,
	GPUBP_VALUE_U32, GPUBP_VALUE_I32, GPUBP_VALUE_U64, GPUBP_VALUE_F32,
	GPUBP_VALUE_I64, GPUBP_VALUE_F16, GPUBP_VALUE_F64, GPUBP_VALUE_BF16,
};

struct model {
	u64 start, watched;
	struct gpubp_condition c;
	u64 at[LANES];
	u8 bytes[LANES][16];
	u64 yes, maybe;
};

static unsigned int model_size(const struct model *m)
{
	switch (m->c.type) {
	case GPUBP_VALUE_U8:
	case GPUBP_VALUE_I8:
		return 1;
	case GPUBP_VALUE_U16:
	case GPUBP_VALUE_I16:
	case GPUBP_VALUE_F16:
	case GPUBP_VALUE_BF16:
		return 2;
	case GPUBP_VALUE_U64:
	case GPUBP_VALUE_I64:
	case GPUBP_VALUE_F64:
		return 8;
	default:
		return 4;
	}
}

static bool model_is_signed(const struct model *m)
{
	return m->c.type == GPUBP_VALUE_I8 || m->c.type == GPUBP_VALUE_I16 ||
	       m->c.type == GPUBP_VALUE_I32 || m->c.type == GPUBP_VALUE_I64;
}

/* bits of infinity; 0: an integer */
static u64 model_inf(const struct model *m)
{
	switch (m->c.type) {
	case GPUBP_VALUE_F16:
		return 0x7c00;
	case GPUBP_VALUE_BF16:
		return 0x7f80;
	case GPUBP_VALUE_F32:
		return 0x7f800000;
	case GPUBP_VALUE_F64:
		return 0x7ff0000000000000;
	default:
		return 0;
	}
}

/* @value is not negative in any type that is signed, and low and high are not */
static bool model_test(const struct model *m, u64 value)
{
	u64 sign = BIT_ULL(8 * model_size(m) - 1);
	bool inside;

	if (model_inf(m))
		return (value & ~sign) > model_inf(m);
	inside = value >= m->c.low && value <= m->c.high &&
		 !(model_is_signed(m) && (value & sign));
	return inside == (m->c.test == GPUBP_TEST_INSIDE);
}

/* byte by byte: is this one of the lane's */
static bool model_has(const struct model *m, unsigned int lane, u64 va)
{
	return va >= m->at[lane] && va < m->at[lane] + 16;
}

static void model_element(struct model *m, unsigned int lane, u64 va)
{
	unsigned int i, nr = 0, size = model_size(m);
	u64 value = 0;

	for (i = 0; i < size; i++)
		if (model_has(m, lane, va + i)) {
			nr++;
			value |= (u64)m->bytes[lane][va + i - m->at[lane]] <<
				 (8 * i);
		}
	if (nr == size && model_test(m, value))
		m->yes |= BIT(lane);
	else if (nr && nr < size)
		m->maybe |= BIT(lane);
}

static void model_hit(struct model *m, u64 exec)
{
	unsigned int lane;
	u64 va;

	m->yes = 0;
	m->maybe = 0;
	for (lane = 0; lane < LANES; lane++)
		for (va = m->start; va < m->start + m->watched;
		     va += model_size(m))
			if (exec & BIT(lane))
				model_element(m, lane, va);
	m->maybe &= ~m->yes;
}

/* bytes are 0 to 3 more often than not, so that about half of the hits do */
static u8 random_byte(struct rnd_state *rnd)
{
	u32 value = prandom_u32_state(rnd);

	return value & 0x700 ? value & 3 : value;
}

static void random_watch(struct model *m, struct rnd_state *rnd)
{
	u32 value = prandom_u32_state(rnd);
	u64 top = 0x03 << (value >> 8 & 1);

	*m = (struct model) { .start = AT(value % 48) };
	m->c.type = types[(value >> 16) % ARRAY_SIZE(types)];
	m->watched = model_size(m) * (1 + (value >> 24) % 4);
	if (model_inf(m)) {
		m->c.test = NAN;
		return;
	}
	m->c.test = value >> 30 & 1;
	top <<= 8 * (model_size(m) - 1);
	m->c.low = value >> 20 & 1 ? top >> 2 : 0;
	m->c.high = top;
}

static void random_lanes(struct model *m, struct mock *mock,
			 struct rnd_state *rnd)
{
	unsigned int lane, i;

	for (lane = 0; lane < LANES; lane++) {
		m->at[lane] = m->start + m->watched - 1 -
			      prandom_u32_state(rnd) % (m->watched + 15);
		for (i = 0; i < 16; i++)
			m->bytes[lane][i] = random_byte(rnd);
		/* sometimes a NaN */
		if (prandom_u32_state(rnd) % 8 == 0)
			memset(m->bytes[lane] + 4, 0xff, 8);
		mock_lane_addr(mock, lane, m->at[lane]);
		for (i = 0; i < NR_DATA; i++)
			mock->vgprs[FIRST + i][lane] =
				get_unaligned_le32(m->bytes[lane] + 4 * i);
	}
}

static void expect_model(struct kunit *test, const struct model *m,
			 const struct mock_kept *k)
{
	u64 lanes = m->yes ?: m->maybe;
	const struct gpubp_hit_record *r = &k->rec;

	KUNIT_ASSERT_EQ(test, k->nr, !!lanes);
	if (!lanes)
		return;
	KUNIT_EXPECT_EQ(test, r->lanes, lanes);
	KUNIT_EXPECT_EQ(test, r->addr, m->at[__ffs64(lanes)]);
	KUNIT_EXPECT_EQ(test, !(r->flags & GPUBP_HIT_POSSIBLE), !!m->yes);
	if (m->yes) {
		KUNIT_EXPECT_EQ(test, r->hit_len, model_size(m));
		KUNIT_EXPECT_EQ(test, (r->hit_addr - m->start) % model_size(m),
				0);
	}
}

/* a sampling and a counting event with one condition, and what the model says */
static void as_a_model_says(struct kunit *test)
{
	static const u32 insn[] = { INSN_STORE_X4 };
	struct mock_ctx *c = rig_ctx(test);
	struct perf_event_attr attr;
	struct perf_event *counting;
	struct rnd_state rnd;
	struct watcher w;
	struct model m;
	unsigned int i, met = 0, hits;
	u64 exec;

	prandom_seed_state(&rnd, 20261128);
	for (i = 0; i < ROUNDS * HITS; i++) {
		if (i % HITS == 0) {
			random_watch(&m, &rnd);
			attr = attr_of(m.start, m.watched,
				       mock_condition(test, &m.c));
			counting = mock_open_attr(test, &attr, current, NULL,
						  NULL);
			KUNIT_ASSERT_NOT_ERR_OR_NULL(test, counting);
			w = watch(test, attr);
			hits = 0;
		}
		random_lanes(&m, c->m, &rnd);
		exec = 1 + prandom_u32_state(&rnd) % 15;
		model_hit(&m, exec);
		w.k->nr = 0;
		rig_execute(test, c, insn, exec);
		expect_model(test, &m, w.k);
		hits += w.k->nr;
		KUNIT_EXPECT_EQ(test, mock_count(counting), hits);
		KUNIT_EXPECT_EQ(test, filtered(&w), i % HITS + 1 - hits);
		met += m.yes != 0;
		if (i % HITS == HITS - 1) {
			mock_close(c->m, counting);
			mock_close(c->m, w.event);
		}
	}
	/* the test is worth something */
	KUNIT_EXPECT_GT(test, met, ROUNDS * HITS / 5u);
	KUNIT_EXPECT_LT(test, met, ROUNDS * HITS * 4u / 5);
}

static struct kunit_case filter_test_cases[] = {
	KUNIT_CASE_PARAM(record_of, filter_gen_params),
	KUNIT_CASE(a_lane_that_is_off),
	KUNIT_CASE(the_record_of_an_atomic_that_returns),
	KUNIT_CASE_PARAM(stop_of, stop_gen_params),
	KUNIT_CASE_PARAM(the_device_reports_the_address, report_gen_params),
	KUNIT_CASE(beside_an_event_without_one),
	KUNIT_CASE(two_conditions_of_one_watch),
	KUNIT_CASE(the_trace_has_what_is_filtered),
	KUNIT_CASE(copies_share_a_match),
	KUNIT_CASE(many_conditions),
	KUNIT_CASE(conditions_of_another_user),
	KUNIT_CASE(destroyed_while_a_hit_is_tested),
	KUNIT_CASE(too_few_cells),
	KUNIT_CASE(counting_events),
	KUNIT_CASE_PARAM(a_hit_of_two_watches, twin_gen_params),
	KUNIT_CASE(only_changes),
	KUNIT_CASE(only_possible_hits),
	KUNIT_CASE(beside_a_member_of_a_set),
	KUNIT_CASE(other_bytes_are_strays),
	KUNIT_CASE(as_a_model_says),
	{}
};

static struct kunit_suite filter_test_suite = {
	.name = "gpubp_filter",
	.init = filter_init,
	.exit = mock_exit,
	.test_cases = filter_test_cases,
};
kunit_test_suite(filter_test_suite);
