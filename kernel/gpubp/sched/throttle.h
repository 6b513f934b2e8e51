/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stall: a bound on how many waves of a context stand still for hits.
 *
 * A wave that hits stands still until the hit was looked at. Its process pays
 * for that; but so does everybody else, as it keeps its place on the GPU
 * meanwhile, and the thread that looks at hits is busy. So a context may have
 * so many waves standing still on average and no more: what is armed in the slot
 * that stopped most is left alone then, for a tenth of a second, or longer each
 * time that this is not enough. That counts as armed, and as a lost sample.
 */
#ifndef _GPUBP_SCHED_THROTTLE_H
#define _GPUBP_SCHED_THROTTLE_H

#include <linux/gpubp.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../lib/budget.h"

struct gpubp_ctx;
struct gpubp_device;
struct gpubp_hit_cell;
struct gpubp_step;
struct gpubp_watch;
struct seq_file;

/* slots, and all breaks together (gpubp_trap.stalled says which) */
#define GPUBP_STALL_BREAKS	GPUBP_MAX_SLOTS
#define GPUBP_STALL_PLACES	(GPUBP_STALL_BREAKS + 1)

/**
 * struct gpubp_throttle_ctx - of a context
 * @lock: of what follows; taken by the resolver for each hit
 * @budget: how long its waves may stand still
 * @stall_ns: how long they did, by slot, for what it compares now; the last entry is of
 *	breaks
 * @since: since when it does, by slot
 * @over: longer than they may; until the committer has seen to it
 */
struct gpubp_throttle_ctx {
	raw_spinlock_t lock;
	struct gpubp_budget budget;
	u64 stall_ns[GPUBP_STALL_PLACES];
	u64 since[GPUBP_MAX_SLOTS];
	bool over;
};

/**
 * struct gpubp_throttle - of a device; under its lock
 * @watches: those that are, or were, left alone (gpubp_watch_throttle.node)
 * @nr: how often one was
 * @work: asks for a commit when the next one comes back
 */
struct gpubp_throttle {
	struct list_head watches;
	u64 nr;
	struct delayed_work work;
};

/**
 * struct gpubp_watch_throttle - of a watch that stopped too many waves
 * @node: in gpubp_throttle.watches
 * @watch: the watch
 * @backoff: for how long
 * @on: it is left alone now
 */
struct gpubp_watch_throttle {
	struct list_head node;
	struct gpubp_watch *watch;
	struct gpubp_backoff backoff;
	bool on;
};

extern unsigned int gpubp_max_stall_percent;

void gpubp_throttle_init(struct gpubp_device *dev);
void gpubp_throttle_init_ctx(struct gpubp_ctx *ctx);
void gpubp_throttle_exit(struct gpubp_device *dev);
void gpubp_throttle_hit(struct gpubp_hit_cell *cell, u32 slots,
			const struct gpubp_step *step);
void gpubp_throttle_programmed(struct gpubp_device *dev, u32 slots, u64 from);
void gpubp_throttle_choose(struct gpubp_device *dev);
bool gpubp_watch_is_throttled(const struct gpubp_watch *watch);
void gpubp_throttle_forget(struct gpubp_watch *watch);
void gpubp_throttle_show(struct gpubp_device *dev, struct seq_file *m);

#endif /* _GPUBP_SCHED_THROTTLE_H */
