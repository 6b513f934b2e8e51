// SPDX-License-Identifier: GPL-2.0
/* Values that no hit had left: found, and not where a hit explains them. */
#include <string.h>
#include "strangers.h"
#include "tap.h"

/**
 * struct step - a hit
 * @at: address
 * @before: what it found there, by proof
 * @data: what it stored; of an atomic its operand, 0 not known
 * @now: what was there when it was resolved
 * @lanes: of it
 * @merged: accesses that were merged into it
 * @access: GPUBP_ACCESS_*, 0 a store
 * @len: bytes, 0 four
 * @context: that has the bytes, 0 all
 * @period: of the names there
 */
struct step {
	uint64_t at, before, data, now;
	uint64_t lanes;
	uint32_t merged;
	uint8_t access;
	uint8_t len;
	uint32_t context;
	unsigned int period;
};

#define HIT(_at, _before, _data, _now)					\
	{ .at = (_at), .before = (_before), .data = (_data), .now = (_now),	\
	  .lanes = 1, .merged = 1 }
#define LANES(_at, _before, _data, _now)				\
	{ .at = (_at), .before = (_before), .data = (_data), .now = (_now),	\
	  .lanes = 3, .merged = 1 }
#define MERGED(_at, _before, _data, _now)				\
	{ .at = (_at), .before = (_before), .data = (_data), .now = (_now),	\
	  .lanes = 1, .merged = 3 }
#define LOAD(_at, _before)						\
	{ .at = (_at), .before = (_before), .data = (_before), .now = (_before),	\
	  .lanes = 1, .merged = 1, .access = GPUBP_ACCESS_LOAD }
#define ATOMIC(_at, _before, _data, _now)				\
	{ .at = (_at), .before = (_before), .data = (_data), .now = (_now),	\
	  .lanes = 1, .merged = 1, .access = GPUBP_ACCESS_ATOMIC }
#define REUSED(_at, _before, _data, _now)				\
	{ .at = (_at), .before = (_before), .data = (_data), .now = (_now),	\
	  .lanes = 1, .merged = 1, .period = 2 }
#define LONG(_at, _len, _before, _data, _now)				\
	{ .at = (_at), .len = (_len), .before = (_before), .data = (_data),	\
	  .now = (_now), .lanes = 1, .merged = 1 }
#define OTHER(_at, _before, _data, _now)				\
	{ .at = (_at), .before = (_before), .data = (_data), .now = (_now),	\
	  .lanes = 1, .merged = 1, .context = 2 }
#define NONE	0, 0, 0

static const struct row {
	const char *what;
	struct step steps[4];
	uint64_t nr, value, last;
} rows[] = {
	{ "each finds what the one before left",
	  { HIT(4, 0, 1, 1), HIT(4, 1, 2, 2), HIT(4, 2, 3, 3) }, NONE },
	{ "another value",
	  { HIT(4, 0, 1, 1), HIT(4, 7, 8, 8), HIT(4, 8, 9, 9) }, 1, 7, 1 },
	{ "two other values",
	  { HIT(4, 0, 1, 1), HIT(4, 7, 8, 8), HIT(4, 6, 9, 9) }, 2, 7, 1 },
	{ "the first one is no surprise", { HIT(4, 7, 1, 1) }, NONE },
	{ "other bytes", { HIT(4, 0, 1, 1), HIT(8, 7, 8, 8) }, NONE },
	{ "what a wave left whose hit comes later",
	  { HIT(4, 0, 1, 1), HIT(4, 2, 3, 3), HIT(4, 1, 2, 2) }, NONE },
	{ "what was stored, as something else is there by now",
	  { HIT(4, 0, 1, 2), HIT(4, 1, 2, 2) }, NONE },
	{ "lanes at one address, whose order is not known",
	  { LANES(4, 0, 1, 1), HIT(4, 7, 8, 8) }, NONE },
	{ "what a load finds, and leaves", { LOAD(4, 0), LOAD(4, 7), LOAD(4, 7) }, 1, 7, 0 },
	{ "a load of what was stored",
	  { HIT(4, 0, 1, 1), LOAD(4, 1), HIT(4, 1, 2, 2), LOAD(4, 2) }, NONE },
	{ "a load before the hit of the store",
	  { LOAD(4, 0), LOAD(4, 7), HIT(4, 0, 7, 7) }, NONE },
	{ "an atomic that changed nothing",
	  { ATOMIC(4, 0, 1, 1), ATOMIC(4, 7, 9, 7), ATOMIC(4, 7, 9, 7) }, 1, 7, 1 },
	{ "one that did",
	  { ATOMIC(4, 0, 1, 1), ATOMIC(4, 1, 5, 6), ATOMIC(4, 6, 1, 7) }, NONE },
	{ "what another buffer left, that had the address",
	  { HIT(4, 0, 1, 1), REUSED(4, 7, 8, 8), REUSED(4, 8, 9, 9) }, NONE },
	{ "another value in that which has it now",
	  { HIT(4, 0, 1, 1), REUSED(4, 7, 8, 8), REUSED(4, 6, 9, 9) }, 1, 6, 8 },
	{ "sums of waves whose hits come later",
	  { ATOMIC(4, 0, 3, 9), ATOMIC(4, 3, 3, 9), ATOMIC(4, 6, 3, 9) }, NONE },
	{ "... in another order",
	  { ATOMIC(4, 3, 3, 9), ATOMIC(4, 6, 3, 9), ATOMIC(4, 9, 2, 11) }, NONE },
	{ "maxima", { ATOMIC(4, 2, 8, 9), ATOMIC(4, 8, 9, 9), ATOMIC(4, 9, 1, 9) }, NONE },
	{ "bits", { ATOMIC(4, 0xf0, 0x3f, 7), ATOMIC(4, 0x30, 7, 7) }, NONE },
	{ "differences of 32 bits", { ATOMIC(4, 1, 3, 7), ATOMIC(4, 0xfffffffe, 7, 7) }, NONE },
	{ "sums of floats",
	  { ATOMIC(4, 0x3f800000, 0x3f000000, 7), ATOMIC(4, 0x3fc00000, 7, 7) }, NONE },
	{ "another value between atomics",
	  { ATOMIC(4, 0, 3, 3), ATOMIC(4, 50, 3, 53), ATOMIC(4, 53, 3, 56) }, 1, 50, 3 },
	{ "an atomic whose operand is not known",
	  { ATOMIC(4, 0, 0, 9), ATOMIC(4, 5, 3, 9), ATOMIC(4, 70, 3, 73) }, 1, 70, 9 },
	{ "an access of another length elsewhere",
	  { HIT(4, 0, 1, 1), LONG(8, 8, 0, 1, 1), HIT(4, 7, 8, 8), LONG(8, 8, 6, 1, 1) },
	  2, 7, 1 },
	{ "... of some of these bytes",
	  { HIT(4, 0, 1, 1), LONG(7, 1, 0, 9, 9), HIT(4, 0x09000001, 2, 2) }, NONE },
	{ "... and of more than these",
	  { HIT(4, 0, 1, 1), HIT(8, 0, 1, 1), LONG(4, 8, 0x100000001, 0x700000007, 0x700000007),
	    HIT(8, 7, 8, 8) }, NONE },
	{ "what was found before that",
	  { HIT(8, 0, 1, 1), HIT(8, 7, 8, 8), LONG(0, 8, 0, 1, 1), HIT(8, 6, 9, 9) },
	  2, 7, 1 },
	{ "another context's memory at that address",
	  { HIT(4, 0, 1, 1), OTHER(4, 7, 8, 8), HIT(4, 1, 2, 2), OTHER(4, 8, 9, 9) }, NONE },
	{ "another value in one of both",
	  { HIT(4, 0, 1, 1), OTHER(4, 7, 8, 8), HIT(4, 1, 2, 2), OTHER(4, 6, 9, 9) }, 1, 6, 8 },
	{ "merged accesses",
	  { HIT(4, 0, 1, 1), MERGED(4, 1, 2, 5), HIT(4, 7, 8, 8) }, NONE },
};

#define NR_ROWS	(sizeof(rows) / sizeof(rows[0]))

static void add(struct strangers *strangers, const struct step *step,
		unsigned int n)
{
	struct hit hit = {
		.pid = 1,
		.rec = {
			.gpu_time = n, .hit_addr = step->at, .hit_len = step->len ? step->len : 4,
			.access = step->access ? step->access : GPUBP_ACCESS_STORE,
			.before = step->before,
			.data = step->data, .now = step->now,
			.lanes = step->lanes,
			.nr_merged = step->merged,
			.flags = GPUBP_HIT_BYTES | GPUBP_HIT_BEFORE | GPUBP_HIT_NOW |
				 (step->access == GPUBP_ACCESS_ATOMIC && !step->data ?
				  0 : GPUBP_HIT_DATA),
		},
	};

	strangers_add(strangers, &hit, step->context, step->period);
}

static void test_row(const struct row *row)
{
	struct strangers strangers = {};
	struct stranger found;
	unsigned int i;

	for (i = 0; i < 4 && row->steps[i].lanes; i++)
		add(&strangers, &row->steps[i], i);
	strangers_get(&strangers, &found);
	tap_ok(found.nr == row->nr &&
	       (!found.nr || (found.value == row->value && found.last == row->last)),
	       "%s", row->what);
	strangers_free(&strangers);
}

/* more than are kept: each hit finds a value of the CPU */
static void test_many(void)
{
	struct strangers strangers = {};
	struct stranger found;
	struct step step;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		step = (struct step) HIT(4, 10000 + i, i, i);
		add(&strangers, &step, i);
	}
	strangers_get(&strangers, &found);
	tap_ok(found.nr == 999 && found.value == 10001 && found.last == 0,
	       "each of a thousand");
	strangers_free(&strangers);
}

#define NR_ELEMENTS	1000000

/* one hit of each element, and then another value in the first and in the last one */
static void test_elements(void)
{
	struct strangers strangers = {};
	struct stranger found;
	struct step step;
	unsigned int i;

	for (i = 1; i <= NR_ELEMENTS; i++) {
		step = (struct step) HIT(4 * i, 0, 1, 1);
		add(&strangers, &step, i);
	}
	tap_ok(strangers.nr == SPOTS_MAX && strangers.left_out == NR_ELEMENTS - SPOTS_MAX,
	       "memory of some of a million elements, and how many hits it is without");
	step = (struct step) HIT(4, 7, 8, 8);
	add(&strangers, &step, i);
	step = (struct step) HIT(4 * NR_ELEMENTS, 6, 8, 8);
	add(&strangers, &step, i + 1);
	strangers_get(&strangers, &found);
	tap_ok(found.nr == 1 && found.value == 7 && found.hit.rec.hit_addr == 4 &&
	       found.hit.rec.gpu_time == i, "the values of these are compared");
	strangers_free(&strangers);
}

/* all that is known are bytes that were seen, or nothing */
static void test_seen(void)
{
	struct strangers strangers = {};
	struct stranger found;
	struct hit hit = {
		.rec = { .hit_addr = 4, .hit_len = 4, .lanes = 1, .nr_merged = 1,
			 .flags = GPUBP_HIT_BYTES | GPUBP_HIT_SEEN | GPUBP_HIT_NOW },
	};

	strangers_add(&strangers, &hit, 0, 0);
	hit.rec.seen = 5;
	strangers_add(&strangers, &hit, 0, 0);
	hit.rec.flags = GPUBP_HIT_SEEN;
	hit.rec.seen = 6;
	strangers_add(&strangers, &hit, 0, 0);
	strangers_get(&strangers, &found);
	tap_ok(found.nr == 1 && found.value == 5, "what was seen in between");
	strangers_free(&strangers);
}

/* the access that was first is the second one to be resolved */
static void test_first_later(void)
{
	struct strangers strangers = {};
	struct stranger found;
	struct hit hit = {
		.rec = { .hit_addr = 4, .hit_len = 4, .lanes = 1, .nr_merged = 1,
			 .access = GPUBP_ACCESS_ATOMIC, .before = 12, .data = 1,
			 .seen = 11, .now = 13,
			 .flags = GPUBP_HIT_BYTES | GPUBP_HIT_SEEN | GPUBP_HIT_NOW |
				  GPUBP_HIT_BEFORE | GPUBP_HIT_DATA },
	};

	strangers_add(&strangers, &hit, 0, 0);
	hit.rec.before = 11;
	hit.rec.seen = 13;
	strangers_add(&strangers, &hit, 0, 0);
	strangers_get(&strangers, &found);
	tap_ok(!found.nr, "what was there first, found by a hit that comes later");
	strangers_free(&strangers);
}

int main(void)
{
	size_t i;

	tap_plan(NR_ROWS + 5);
	for (i = 0; i < NR_ROWS; i++)
		test_row(&rows[i]);
	test_many();
	test_elements();
	test_seen();
	test_first_later();
	return tap_status();
}
