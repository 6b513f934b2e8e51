/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Books: where every hit of a device went.
 *
 * At quiescence: raised = delivered + possible + step + strays + drops, where
 * "raised" is what gpubp_report() was called with. A software GPU counts what
 * it raised on its own side, so that nothing can get lost on the way here.
 */
#ifndef _GPUBP_CORE_STATS_H
#define _GPUBP_CORE_STATS_H

#include <linux/atomic.h>
#include <linux/types.h>

struct seq_file;

enum gpubp_stat {
	GPUBP_STAT_RAISED,	/* hits that the provider reported */
	GPUBP_STAT_DELIVERED,	/* at least one event got it as certain */
	GPUBP_STAT_POSSIBLE,	/* events got it, all as possible */
	GPUBP_STAT_STEP,	/* an instruction was executed out of line */
	GPUBP_STAT_STRAY_BYTES,	/* no watch wants the bytes that were hit */
	GPUBP_STAT_STRAY_STALE,	/* no watch was armed in a slot that hit */
	GPUBP_STAT_STRAY_KIND,	/* the bytes, but not this kind of access */
	GPUBP_STAT_STRAY_OWNER,	/* a watch, but no event of the owner's */
	GPUBP_STAT_STRAY_VALUE,	/* the bytes did not change */
	GPUBP_STAT_STRAY_TRAP,	/* stopped for something else than a slot */
	GPUBP_STAT_DROP_CELLS,	/* all cells in use */
	GPUBP_STAT_DROP_UNKNOWN, /* no such context or queue (any more) */
	GPUBP_STAT_DROP_SUSPENDED, /* the device has no power */
	GPUBP_STAT_DROP_STALL,	/* the wave would have been stopped too long */
	GPUBP_STAT_DROP_RECORD,	/* the handler's record cannot be read */
	GPUBP_STAT_DROP_EXITED,	/* the owner, or its last event, went */
	GPUBP_STAT_DROP_UNREACHABLE, /* the owner did not come to get it */
	GPUBP_NR_STATS,
};

/**
 * struct gpubp_stats - one counter for each enum gpubp_stat
 * @v: counters; written from any context
 */
struct gpubp_stats {
	atomic64_t v[GPUBP_NR_STATS];
};

static inline void gpubp_stat_inc(struct gpubp_stats *stats, enum gpubp_stat s)
{
	atomic64_inc(&stats->v[s]);
}

const char *gpubp_stat_name(enum gpubp_stat s);
void gpubp_stats_show(struct gpubp_stats *stats, struct seq_file *m);

#endif /* _GPUBP_CORE_STATS_H */
