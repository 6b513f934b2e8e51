/* SPDX-License-Identifier: GPL-2.0 */
/* Commit: one run of a device's worker. */
#ifndef _GPUBP_SCHED_COMMIT_H
#define _GPUBP_SCHED_COMMIT_H

#include <linux/gpubp.h>
#include <linux/list.h>
#include <linux/types.h>

#include "../lib/policy.h"

struct gpubp_ctx;
struct gpubp_device;

/**
 * struct gpubp_commit - one run of the worker
 * @dev: device
 * @caps: what the policy knows of it in this run
 * @pinned: candidates for pinned watches that are not armed
 * @armed: candidates that are to be armed (gpubp_candidate.node)
 * @fresh: watches that this run takes up (gpubp_watch.node)
 * @nr_armed: entries of @armed
 * @nr_wanted: watches that have turns
 * @rotates: another quantum may differ
 * @nr_looked: watches looked at in the search for those that share a slot
 * @prog: for the provider
 * @ctxs: the contexts of @prog.ctxs
 * @from: when the commit began
 * @to: when the last hit of the old program can have been raised
 * @committed: the provider was called, as something differs
 * @drained: if so: none is on its way any more
 * @cost: how long the provider took for it, ns
 * @breaks_cost: how long breaks took to go and come, ns
 * @failed: slots that could not be programmed
 * @lost: the hardware had forgotten the old program
 * @forgotten: slots of which the old program is not known any more
 */
struct gpubp_commit {
	struct gpubp_device *dev;
	struct gpubp_policy_caps caps;
	struct list_head pinned;
	struct list_head armed;
	struct list_head fresh;
	unsigned int nr_armed;
	unsigned int nr_wanted;
	bool rotates;
	unsigned int nr_looked;
	struct gpubp_program prog;
	struct gpubp_ctx **ctxs;
	u64 from;
	u64 to;
	bool committed;
	bool drained;
	u64 cost;
	u64 breaks_cost;
	u32 failed;
	bool lost;
	u32 forgotten;
};

/**
 * enum gpubp_rerun - when a run of the worker is followed by another
 * @GPUBP_RERUN_NEVER: when something is wanted or not wanted any more
 * @GPUBP_RERUN_ROTATE: after a quantum, as more is wanted than can be armed
 * @GPUBP_RERUN_NOW: at once, without the slot or context that cannot serve
 * @GPUBP_RERUN_NOMEM: a bit later: there was no memory for it
 */
enum gpubp_rerun {
	GPUBP_RERUN_NEVER,
	GPUBP_RERUN_ROTATE,
	GPUBP_RERUN_NOW,
	GPUBP_RERUN_NOMEM,
};

enum gpubp_rerun gpubp_commit(struct gpubp_device *dev, u64 *cost);

#endif /* _GPUBP_SCHED_COMMIT_H */
