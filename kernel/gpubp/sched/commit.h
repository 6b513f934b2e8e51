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
 * @caps: the device as the policy sees it in this run
 * @pinned: candidates for pinned watches that are not armed
 * @armed: candidates to be armed (gpubp_candidate.node)
 * @fresh: watches that the worker has not seen before (gpubp_watch.node)
 * @nr_armed: entries of @armed
 * @nr_wanted: entries of the fair queue
 * @idle: there is no watch: no slot is programmed after this run
 * @rotates: the next quantum may differ: run again after this one
 * @nr_examined: watches examined in the search for those that share a slot
 * @prog: program for the provider
 * @ctxs: the contexts of @prog.ctxs
 * @max_ctxs: allocated entries of both
 * @from: when the commit began, ns of CLOCK_MONOTONIC
 * @to: when the last hit of the old program can have been raised, likewise
 * @barrier: the provider is called although nothing differs: waves must leave the
 *	handler
 * @unreachable: a context with a handler that cannot be written
 * @busy: a handler cannot be written now: try again soon
 * @unsettled: a wave may be in the handler that has not seen a filter on
 * @committed: the provider was called, as something differs
 * @drained: if @committed: no hit of the old program is in flight
 * @cost: time that the choice of watches and the provider took, ns
 * @breaks_cost: time to remove and insert breaks, ns
 * @failed: slots that could not be programmed
 * @lost: the hardware lost the old program
 * @forgotten: slots whose old content is unknown
 */
struct gpubp_commit {
	struct gpubp_device *dev;
	struct gpubp_policy_caps caps;
	struct list_head pinned;
	struct list_head armed;
	struct list_head fresh;
	unsigned int nr_armed;
	unsigned int nr_wanted;
	bool idle;
	bool rotates;
	unsigned int nr_examined;
	struct gpubp_program prog;
	struct gpubp_ctx **ctxs;
	unsigned int max_ctxs;
	u64 from;
	u64 to;
	bool barrier;
	struct gpubp_ctx *unreachable;
	bool busy;
	bool unsettled;
	bool committed;
	bool drained;
	u64 cost;
	u64 breaks_cost;
	u32 failed;
	bool lost;
	u32 forgotten;
};

/**
 * enum gpubp_rerun - when the worker runs again
 * @GPUBP_RERUN_NEVER: on the next request only
 * @GPUBP_RERUN_ROTATE: after a quantum, as more watches or breaks are wanted
 *	than can be armed
 * @GPUBP_RERUN_NOW: at once, without the slot or context that failed
 * @GPUBP_RERUN_NOMEM: a quantum later, as memory was short
 * @GPUBP_RERUN_BUSY: soon, as the memory of a trap handler was busy
 */
enum gpubp_rerun {
	GPUBP_RERUN_NEVER,
	GPUBP_RERUN_ROTATE,
	GPUBP_RERUN_NOW,
	GPUBP_RERUN_NOMEM,
	GPUBP_RERUN_BUSY,
};

enum gpubp_rerun gpubp_commit(struct gpubp_device *dev, u64 *cost);
void gpubp_commit_begin_again(struct gpubp_device *dev);

#endif /* _GPUBP_SCHED_COMMIT_H */
