// SPDX-License-Identifier: GPL-2.0
/*
 * The slot set: every sequence of DEPTH calls, against what is known of each slot
 * alone.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "../tap.h"
#include "lib/slotset.h"

#define SLOTS		3
#define DECLARED	0x3u	/* the third is another user's for good */
#define DEPTH		5

enum owner { THEIRS, OURS, BROKEN };

/**
 * struct reference - what is known
 * @owner: of each slot
 * @changed: they changed owners, or may have, since the last commit
 * @acquiring: between acquire and release
 * @held: between acquired and release
 */
struct reference {
	enum owner owner[SLOTS];
	bool changed[SLOTS];
	bool acquiring;
	bool held;
};

struct both {
	struct gpubp_slotset set;
	struct reference ref;
};

static void change(struct reference *r, unsigned int s, enum owner owner)
{
	r->owner[s] = owner;
	r->changed[s] = true;
}

static void acquire(struct both *b, u32 slots)
{
	gpubp_slotset_acquire(&b->set);
	b->ref.acquiring = true;
}

static void acquired(struct both *b, u32 slots)
{
	unsigned int s;

	gpubp_slotset_acquired(&b->set, slots);
	b->ref.acquiring = true;
	b->ref.held = true;
	for (s = 0; s < SLOTS; s++)
		if ((slots & DECLARED & BIT(s)) && b->ref.owner[s] == THEIRS)
			b->ref.owner[s] = OURS;
}

static void release(struct both *b, u32 slots)
{
	unsigned int s;

	gpubp_slotset_release(&b->set);
	b->ref.acquiring = false;
	b->ref.held = false;
	for (s = 0; s < SLOTS; s++)
		b->ref.owner[s] = THEIRS;
}

static void lost(struct both *b, u32 slots)
{
	unsigned int s;

	gpubp_slotset_lost(&b->set, slots);
	for (s = 0; s < SLOTS; s++)
		if (slots & BIT(s))
			change(&b->ref, s, THEIRS);
}

static void returned(struct both *b, u32 slots)
{
	unsigned int s;

	gpubp_slotset_returned(&b->set, slots);
	for (s = 0; s < SLOTS; s++)
		if (slots & DECLARED & BIT(s))
			change(&b->ref, s, b->ref.acquiring || b->ref.owner[s] != THEIRS ?
			       OURS : THEIRS);
}

static void quarantine(struct both *b, u32 slots)
{
	unsigned int s;

	gpubp_slotset_quarantine(&b->set, slots);
	for (s = 0; s < SLOTS; s++)
		if ((slots & BIT(s)) && b->ref.owner[s] == OURS && !b->ref.changed[s])
			b->ref.owner[s] = BROKEN;
}

static void forget(struct both *b, u32 slots)
{
	unsigned int s;

	gpubp_slotset_forget(&b->set, slots);
	for (s = 0; s < SLOTS; s++)
		b->ref.changed[s] |= !!(slots & BIT(s));
}

static const struct {
	void (*call)(struct both *b, u32 slots);
	u32 slots;
} calls[] = {
	{ acquire }, { acquired, 0x1 }, { acquired, 0x7 }, { release },
	{ lost, 0x1 }, { lost, 0x6 }, { returned, 0x1 }, { returned, 0x6 },
	{ quarantine, 0x1 }, { quarantine, 0x7 }, { forget, 0x2 },
};

static bool agree(struct both *b, bool commit)
{
	u32 granted = 0, broken = 0, changed = 0;
	unsigned int s;

	for (s = 0; s < SLOTS; s++) {
		granted |= b->ref.owner[s] != THEIRS ? BIT(s) : 0;
		broken |= b->ref.owner[s] == BROKEN ? BIT(s) : 0;
		changed |= b->ref.changed[s] ? BIT(s) : 0;
	}
	if (!b->ref.held)
		granted = DECLARED;
	if (gpubp_slotset_granted(&b->set) != granted ||
	    gpubp_slotset_usable(&b->set) != (granted & ~broken))
		return false;
	if (!commit)
		return true;
	for (s = 0; s < SLOTS; s++)
		b->ref.changed[s] = false;
	return gpubp_slotset_take_forgotten(&b->set) == changed &&
	       !gpubp_slotset_take_forgotten(&b->set);
}

/* a commit begins behind each call, or behind every second */
static bool run(unsigned int n, unsigned int every)
{
	unsigned int was = n, i;
	struct both b = {};

	gpubp_slotset_init(&b.set, DECLARED);
	for (i = 0; i < DEPTH; i++, n /= ARRAY_SIZE(calls)) {
		calls[n % ARRAY_SIZE(calls)].call(&b, calls[n % ARRAY_SIZE(calls)].slots);
		if (!agree(&b, i % every == every - 1)) {
			tap_note("sequence %u, call %u", was, i);
			return false;
		}
	}
	return true;
}

int main(void)
{
	unsigned int i, n, nr = 1;
	bool ok = true;

	tap_plan(1);
	for (i = 0; i < DEPTH; i++)
		nr *= ARRAY_SIZE(calls);
	for (n = 0; n < nr && ok; n++)
		ok = run(n, 1) && run(n, 2);
	tap_ok(ok, "%u sequences of calls", nr);
	return tap_status();
}
