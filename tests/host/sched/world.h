/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A device on which watches of one block each rotate, shared by the
 * simulations. The policy is the kernel's, with a minimal environment.
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
 * @before: the one before @last, 0 none
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
 * @policy: the policy's state
 * @caps: the policy's view of the device
 * @watches: all watches that were added
 * @nr: entries of @watches
 * @armed: candidates of the current quantum
 * @pool: free candidates
 * @quantum: number of the current quantum, from 1
 * @described: calls of ops->describe
 * @group: the first so many watches are a group of events
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
	u32 group;
};

#define for_each_armed(w, world, pos)					\
	list_for_each_entry(pos, &(world)->armed, node)			\
		if (((w) = pos->priv))

/*
 * The seed of this run: a fixed one, GPUBP_SEED, or, if that is "random", a
 * new one. It is printed.
 */
u64 world_seed(void);

/* room for @max watches; equal seeds give equal results */
void world_init(struct world *w, unsigned int slots, u8 kind, u32 max,
		u64 seed);
void world_exit(struct world *w);

/* adds a watch to @share */
struct watch *world_add(struct world *w, struct gpubp_fairq_flow *flow);

/* runs a quantum; returns its length in us */
u32 world_quantum(struct world *w);

static inline bool watch_is_armed(const struct world *w, u32 i)
{
	return w->watches[i].slots;
}

#endif /* _SCHED_WORLD_H */
