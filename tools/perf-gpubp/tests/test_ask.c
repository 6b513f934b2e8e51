// SPDX-License-Identifier: GPL-2.0
/* Which bytes are watched without the kernel, by which comparators, and what was counted. */
#include <errno.h>
#include <string.h>
#include "ask.h"
#include "tap.h"

static const struct agent_hello hello = { .granule = 64, .largest = 1ull << 30 };

static struct ask ask;
static struct agent_program program;

/* what is refused, and with a sentence that has these words */
static bool refused(const char *text, int err, const char *words)
{
	struct grun_err why = { .text = "" };

	memset(&ask, 0, sizeof(ask));
	return ask_add(&ask, text, &why) == err && strstr(why.text, words) && !ask.nr;
}

static bool begin(const char *first, const char *second)
{
	struct grun_err why;

	memset(&ask, 0, sizeof(ask));
	if (ask_add(&ask, first, &why) || (second && ask_add(&ask, second, &why)))
		return false;
	ask_begin(&ask, &hello);
	return true;
}

static const struct agent_slot *slot(unsigned int n)
{
	ask_program(&ask, &program);
	return &program.slot[n];
}

static bool slot_is(unsigned int n, uint64_t first, uint64_t last, unsigned int kinds,
		    uint64_t block)
{
	const struct agent_slot *s = slot(n);

	return s->on && s->nr == 1 && s->range[0].first == first &&
	       s->range[0].last == (last | (uint64_t)kinds << AGENT_KINDS_SHIFT) &&
	       s->value == (first & -block) && s->mask == -block;
}

static bool mode_is(const char *text, uint32_t mode)
{
	return begin(text, NULL) && slot(0)->on && slot(0)->mode == mode;
}

static bool four_watches(void)
{
	struct grun_err why = { .text = "" };
	unsigned int n;

	memset(&ask, 0, sizeof(ask));
	for (n = 0; n < 4; n++)
		if (ask_add(&ask, "a", &why))
			return false;
	return ask_add(&ask, "b[7]", &why) == -E2BIG && ask.nr == 4 &&
	       strstr(why.text, "'b[7]' is one watch too many");
}

/* aligned blocks of a power of two, from the granule on */
static bool blocks(void)
{
	return begin("0x1000/4:w", "0x103c/8:w") &&
	       slot_is(0, 0x1000, 0x1003, GPUBP_ACCESS_STORE, 64) &&
	       slot_is(1, 0x103c, 0x1043, GPUBP_ACCESS_STORE, 128) &&
	       begin("0x7ffc/8:w", "0x1000/4096:w") &&
	       slot_is(0, 0x7ffc, 0x8003, GPUBP_ACCESS_STORE, 0x10000) &&
	       slot_is(1, 0x1000, 0x1fff, GPUBP_ACCESS_STORE, 0x1000);
}

/* over a boundary of the largest one */
static bool no_block(void)
{
	return begin("0x3ffffffc/8:w", NULL) && !slot(0)->on && ask.watch[0].err == -ERANGE;
}

static bool named(void)
{
	bool ok = begin("grid:u32[4]:w", "grid+0x40,16:a");

	ok &= !slot(0)->on && !slot(1)->on;
	ask_buffer(&ask, 0x10000, 0x1000, "other");
	ask_buffer(&ask, 0x20000, 0x1000, "grid");
	ok &= slot_is(0, 0x20010, 0x20013, GPUBP_ACCESS_STORE, 64) &&
	      slot_is(1, 0x20040, 0x2004f, GPUBP_ACCESS_ATOMIC, 64);
	/* the first one of a name; another one may be next when it has gone */
	ask_buffer(&ask, 0x30000, 0x1000, "grid");
	ok &= slot_is(0, 0x20010, 0x20013, GPUBP_ACCESS_STORE, 64) && ask.watch[0].missed == 1;
	ask_buffer(&ask, 0x20000, 0, "-");
	ok &= !slot(0)->on && !slot(1)->on;
	ask_buffer(&ask, 0x40000, 0x1000, "grid");
	return ok && slot_is(0, 0x40010, 0x40013, GPUBP_ACCESS_STORE, 64);
}

/* another name where it was, without a message that it has gone */
static bool renamed(void)
{
	bool ok = begin("grid", NULL);

	ask_buffer(&ask, 0x20000, 0x1000, "grid");
	ok &= slot_is(0, 0x20000, 0x20fff, GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC, 0x1000);
	ask_buffer(&ask, 0x20000, 0x800, "other");
	return ok && !slot(0)->on && ask.watch[0].was_bound;
}

static bool too_small(void)
{
	bool ok = begin("grid:u32[4]:w", "grid:u32[3]:w");

	ask_buffer(&ask, 0x20000, 16, "grid");
	return ok && !slot(0)->on && ask.watch[0].small == 1 && !ask.watch[0].was_bound &&
	       slot_is(1, 0x2000c, 0x2000f, GPUBP_ACCESS_STORE, 64);
}

static void answer(uint64_t counted, int err)
{
	struct agent_program next;
	struct agent_ack ack = { .type = AGENT_ACK };

	ask_program(&ask, &next);
	ack.seq = next.seq;
	ack.err[0] = err;
	ack.counts[0].counted = counted;
	ask_answered(&ask, &next, &ack);
}

/* of a slot that changes, what it counted before; of one that stays, up to now */
static bool counts(void)
{
	const struct agent_ack bye = { .type = AGENT_BYE, .counts[0].counted = 9 };
	bool ok = begin("grid[0]", NULL);

	answer(77, 0);		/* it had nothing */
	ok &= !ask.watch[0].total.counted && !ask.watch[0].now.counted;
	ask_buffer(&ask, 0x20000, 64, "grid");
	answer(77, 0);
	ok &= !ask.watch[0].total.counted && !ask.watch[0].now.counted;
	answer(3, 0);
	ok &= !ask.watch[0].total.counted && ask.watch[0].now.counted == 3;
	answer(5, 0);
	ok &= !ask.watch[0].total.counted && ask.watch[0].now.counted == 5;
	ask_buffer(&ask, 0x20000, 0, "-");
	answer(6, 0);
	ok &= ask.watch[0].total.counted == 6 && !ask.watch[0].now.counted;
	ask_buffer(&ask, 0x30000, 64, "grid");
	answer(1, -ENOMEM);
	ok &= ask.watch[0].total.counted == 6 && ask.watch[0].err == -ENOMEM;
	ask_ended(&ask, &bye, 0);
	return ok && ask.watch[0].total.counted == 15 && !ask.watch[0].now.counted;
}

/* a process that was killed: what it said last */
static bool torn(void)
{
	bool ok = begin("0x1000/4", NULL);

	answer(0, 0);
	answer(4, 0);
	ask_ended(&ask, NULL, 0);
	return ok && ask.watch[0].total.counted == 4;
}

int main(void)
{
	tap_plan(17);
	tap_ok(four_watches(), "four watches, and no fifth");
	tap_ok(refused("grid:f32[*]:w if isnan", -EOPNOTSUPP, "condition needs gpubp.ko"),
	       "no conditions");
	tap_ok(refused("grid[0]:w:changed", -EOPNOTSUPP, "need gpubp.ko"), "no options");
	tap_ok(refused("0xffffffffffff/2", -EINVAL, "48 bits"), "addresses have 48 bits");
	tap_ok(refused("grid[", -EINVAL, ""), "no watch");
	tap_ok(mode_is("0x1000/4:r", 0), "loads");
	tap_ok(mode_is("0x1000/4:w", 1), "stores");
	tap_ok(mode_is("0x1000/4", 1), "stores and atomics");
	tap_ok(mode_is("0x1000/4:a", 2), "atomics");
	tap_ok(mode_is("0x1000/4:rw", 3), "all");
	tap_ok(blocks(), "blocks");
	tap_ok(no_block(), "no block is large enough");
	tap_ok(named(), "names");
	tap_ok(renamed(), "another name at the same address");
	tap_ok(too_small(), "a buffer without the bytes");
	tap_ok(counts(), "counts");
	tap_ok(torn(), "counts of a process that was killed");
	return tap_status();
}
