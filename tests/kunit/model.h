/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model check of the scheduler's pure files: policy, fairq, placement and
 * slot set, driven at random like program.c and commit.c do, against a
 * reference that knows the rules only.
 *
 * The same source runs in user space (tests/host/sched) and under KUnit.
 */
#ifndef _GPUBP_MODEL_H
#define _GPUBP_MODEL_H

#include "lib/policy.h"
#include "lib/slotset.h"

#define MODEL_WATCHES	28
#define MODEL_CTXS	4
#define MODEL_USERS	3
#define MODEL_SLOTS	6

/**
 * struct model_watch - a watch
 * @fq: its entry in the fair queue
 * @user: index in model.users
 * @ctx: index in model.ctxs
 * @weight: how often it is scheduled in an epoch
 * @enabled: an enabled event wants it
 * @pinned: a pinned event wants it
 * @unable: it cannot be described now
 * @group: number of its group in its context, 0 none
 * @mode: enum gpubp_mode
 * @nr_blocks: used entries of @block
 * @block: its cover
 * @slots: bitmap of the slots that compare it
 * @slot: slot of each block, if @slots
 * @cand: its candidate in this quantum, or NULL
 * @waited: quanta since it was armed, or since the last change
 */
struct model_watch {
	struct gpubp_fairq_entry fq;
	u8 user;
	u8 ctx;
	u8 weight;
	bool enabled;
	bool pinned;
	bool unable;
	u8 group;
	u8 mode;
	u8 nr_blocks;
	struct gpubp_block block[GPUBP_MAX_BLOCKS];
	u32 slots;
	u8 slot[GPUBP_MAX_BLOCKS];
	struct gpubp_candidate *cand;
	u64 waited;
};

/**
 * struct model_regs - contents of registers
 * @value: by slot, for the device
 * @valid: by context, bitmap of slots
 * @mask: by slot and context
 * @mode: by slot and context
 */
struct model_regs {
	u64 value[MODEL_SLOTS];
	u32 valid[MODEL_CTXS];
	u64 mask[MODEL_CTXS][MODEL_SLOTS];
	u8 mode[MODEL_CTXS][MODEL_SLOTS];
};

/* the owner of a slot, in the reference */
enum model_owner {
	MODEL_THEIRS,
	MODEL_OURS,
	MODEL_BROKEN,
};

/**
 * struct model - a device, its users, and the reference's state
 * @policy: under test
 * @slots: under test
 * @caps: of the device
 * @users: flows
 * @ctxs: bound contexts
 * @watches: open watches, NULL for the others
 * @faulty: bitmap of slots that cannot be programmed
 * @owner: of each slot
 * @forgotten: bitmap of slots that changed owners since the last commit began
 * @regs: contents of the hardware
 * @known: contents that the driver assumes
 * @pinned: candidates of pinned watches
 * @armed: armed candidates of the others
 * @stable: quanta since the last change
 * @calm: number of further steps without a change
 * @random: state of the generator
 * @seed: initial value of @random
 * @step: steps so far
 * @quanta: quanta so far
 * @broken: rule that was broken, or NULL
 */
struct model {
	struct gpubp_policy policy;
	struct gpubp_slotset slots;
	struct gpubp_policy_caps caps;
	struct gpubp_fairq_flow users[MODEL_USERS];
	bool ctxs[MODEL_CTXS];
	struct model_watch *watches[MODEL_WATCHES];
	u32 faulty;
	enum model_owner owner[MODEL_SLOTS];
	u32 forgotten;
	struct model_regs regs;
	struct model_regs known;
	struct list_head pinned;
	struct list_head armed;
	u64 stable;
	unsigned int calm;
	u64 random;
	u64 seed;
	u64 step;
	u64 quanta;
	const char *broken;
};

/* runs a device derived from @seed; false if a rule was broken */
bool model_run(struct model *m, u64 seed, u64 steps);
void model_print(const struct model *m);

/* model_rules.c */
void model_check(struct model *m, u32 failed);

/* as driver and reference define it */
static inline bool model_wanted(const struct model *m,
				const struct model_watch *w)
{
	return w->enabled && m->ctxs[w->ctx];
}

static inline u32 model_random(struct model *m, u32 below)
{
	m->random ^= m->random >> 12;
	m->random ^= m->random << 25;
	m->random ^= m->random >> 27;
	return ((m->random * 0x2545f4914f6cdd1dULL) >> 32) % below;
}

static inline void model_break(struct model *m, const char *rule)
{
	if (!m->broken)
		m->broken = rule;
}

/* the body may continue, not break */
#define for_each_watch(m, w, i)						\
	for ((i) = 0; (i) < MODEL_WATCHES; (i)++)			\
		for ((w) = (m)->watches[i]; (w); (w) = NULL)

#endif /* _GPUBP_MODEL_H */
