/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Covers: comparators that compare more than is watched, in place of turns.
 *
 * Where the trap handler lets strays go on (handler_filter.h), or the provider
 * (ranges.h), a comparator may compare much more than one watch. If a context has
 * more watches than its share of the comparators, its watches are widened together
 * (coalesce.h), as little as is needed for all of them to be armed all the time:
 * first in how little of a block is watched, then in how large it is. The time that
 * strays take from its waves is charged to a budget of the context; while that is
 * overdrawn its watches take turns, with comparators of their own.
 */
#ifndef _GPUBP_SCHED_COVER_H
#define _GPUBP_SCHED_COVER_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "../lib/budget.h"

struct gpubp_commit;
struct gpubp_ctx;
struct gpubp_device;
struct seq_file;

/**
 * struct gpubp_cover - how far a context's watches are widened
 * @stray: at least one in so many bytes of a block is watched; 0: the watches'
 *	own blocks. Under the device lock
 * @log: logarithm of the bytes of a block, at most; likewise
 * @nr_watches: watches of the context; likewise
 * @wanted: they may have to be widened; likewise
 * @dirty: watches came or went since it was chosen; likewise
 * @share: comparators for which it was chosen; likewise
 * @flexible: comparators of all contexts then; likewise
 * @waits: the run had looked at too many watches of other contexts; likewise
 * @chosen_in: number of the last run that chose; likewise
 * @backoff: until when watches take turns; likewise
 * @turns_ns: how long they had to, since the context was created; likewise
 * @lock: raw, protects the other members; taken by the resolver and the committer
 * @budget: what strays may take
 * @strays_ns: what strays took
 * @over: the budget is exceeded, or hits were lost, and the committer has not
 *	reacted yet; without the lock, by xchg()
 */
struct gpubp_cover {
	u32 stray;
	u32 log;
	unsigned int nr_watches;
	bool wanted;
	bool dirty;
	unsigned int share;
	unsigned int flexible;
	bool waits;
	u64 chosen_in;
	struct gpubp_backoff backoff;
	u64 turns_ns;
	raw_spinlock_t lock;
	struct gpubp_budget budget;
	u64 strays_ns;
	bool over;
};

void gpubp_cover_init_ctx(struct gpubp_ctx *ctx);
void gpubp_cover_watches(struct gpubp_ctx *ctx, int more);
void gpubp_covers_update(struct gpubp_device *dev);
bool gpubp_covers_choose(struct gpubp_commit *c);
void gpubp_cover_charge(struct gpubp_ctx *ctx, u64 ns, u64 span);
void gpubp_cover_strays(struct gpubp_ctx *ctx, u32 nr);
void gpubp_cover_lost(struct gpubp_ctx *ctx);
void gpubp_covers_show(struct gpubp_device *dev, struct seq_file *m);

#endif /* _GPUBP_SCHED_COVER_H */
