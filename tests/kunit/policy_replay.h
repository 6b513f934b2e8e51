/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fixed device whose every quantum is known, for tests in the kernel and in
 * user space: with the key of the random numbers, the schedule can be replayed.
 */
#ifndef _POLICY_REPLAY_H
#define _POLICY_REPLAY_H

#include <linux/bits.h>
#include <linux/kernel.h>

#include "lib/policy.h"

#define REPLAY_KEY	{ { 0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL } }
#define REPLAY_WATCHES	12
#define REPLAY_QUANTA	8

/* random numbers of that key, modulo 1000 */
static const u16 replay_numbers[] = {
	225, 170, 175, 242, 734, 36, 62, 390,
};

/* bitmaps of the armed watches, for three slots */
static const u16 replay_armed[REPLAY_QUANTA] = {
	0x806, 0x841, 0x601, 0x150, 0x620, 0x288, 0x2c0, 0x209,
};

struct replay {
	struct gpubp_policy p;
	struct gpubp_fairq_flow flow;
	struct gpubp_fairq_entry entries[REPLAY_WATCHES];
	struct gpubp_candidate cands[REPLAY_WATCHES];
};

static inline struct gpubp_candidate *
replay_describe(struct gpubp_fairq_entry *entry, void *arg)
{
	struct replay *r = arg;
	unsigned int i = entry - r->entries;

	r->cands[i] = (struct gpubp_candidate) {
		.mode = GPUBP_MODE_NONREAD,
		.nr_blocks = 1,
		.block[0] = { 0x1000ULL * i, 0xfffffffff000ULL },
	};
	return &r->cands[i];
}

/* never called: all candidates fit */
static inline void replay_drop(struct gpubp_candidate *cand, void *arg)
{
	(void)arg;
	cand->armed = false;
}

static inline int replay_init(struct replay *r)
{
	static const siphash_key_t key = REPLAY_KEY;
	unsigned int i;
	int err = 0;

	gpubp_policy_init(&r->p, &key);
	gpubp_fairq_flow_init(&r->flow, 1, 1);
	for (i = 0; i < REPLAY_WATCHES && !err; i++)
		err = gpubp_fairq_add(&r->p.fairq, &r->flow, &r->entries[i], 1);
	return err;
}

static inline void replay_exit(struct replay *r)
{
	unsigned int i;

	for (i = 0; i < REPLAY_WATCHES; i++)
		gpubp_fairq_remove(&r->p.fairq, &r->entries[i]);
	gpubp_fairq_flow_exit(&r->flow);
}

/* runs one quantum; returns the bitmap of armed watches */
static inline u16 replay_next(struct replay *r)
{
	static const struct gpubp_policy_caps caps = {
		.usable = 0x7,
		.modes = BIT(GPUBP_MODE_NONREAD),
	};
	static const struct gpubp_policy_ops ops = {
		.describe = replay_describe,
		.drop = replay_drop,
	};
	LIST_HEAD(pinned);
	LIST_HEAD(armed);
	struct gpubp_candidate *c;
	u16 map = 0;

	gpubp_policy_next(&r->p, &caps, &ops, r, &pinned, &armed);
	list_for_each_entry(c, &armed, node)
		map |= BIT(c->fq - r->entries);
	return map;
}

#endif /* _POLICY_REPLAY_H */
