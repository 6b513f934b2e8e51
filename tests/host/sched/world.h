/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A device whose watches of one block each take turns: what the simulations
 * share. The policy is the kernel's; around it is the least that it needs.
 */
#ifndef _SCHED_WORLD_H
#define _SCHED_WORLD_H

#include "lib/policy.h"

#define QUANTUM_US	10000

/**
 * struct watch - a watch
 * @fq: its entry in the fair queue
 * @slots: bitmap of the slots that compare it
 * @armed: quanta in which it was armed
 * @last: the last of them, 0 none
 * @before: the last before @last, 0 none
 */
struct watch {
	struct gpubp_fairq_entry fq;
	u32 slots;
	u64 armed;
	u64 last;
	u64 before;
};

/**
 * struct world - a device
 * @policy: the policy's
 * @caps: likewise
 * @watches: all that were added
 * @nr: entries of it
 * @armed: candidates of the present quantum
 * @pool: candidates not in use
 * @quantum: number of the present one, from 1
 * @described: calls of ops->describe
 */
struct world {
	struct gpubp_policy policy;
	struct gpubp_policy_caps caps;
	struct watch *watches;
	u32 nr;
	struct list_head armed;
	struct list_head pool;
	u64 quantum;
	u64 described;
};

#define for_each_armed(w, world, pos)					\
	list_for_each_entry(pos, &(world)->armed, node)			\
		if (((w) = pos->priv))

/*
 * The seed of this run: a fixed one, GPUBP_SEED, or, if that is "random", a
 * new one. It is printed.
 */
u64 world_seed(void);

/* room for @max watches; a world is like any other of the same seed */
void world_init(struct world *w, unsigned int slots, u8 kind, u32 max,
		u64 seed);
void world_exit(struct world *w);

/* one more watch for @share */
struct watch *world_add(struct world *w, struct gpubp_fairq_flow *flow);

/* another quantum; its length in us */
u32 world_quantum(struct world *w);

static inline bool watch_is_armed(const struct world *w, u32 i)
{
	return w->watches[i].slots;
}

#endif /* _SCHED_WORLD_H */
