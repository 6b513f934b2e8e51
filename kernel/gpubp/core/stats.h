/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics of hits: one counter for each outcome of a hit.
 *
 * At quiescence: raised = delivered + possible + step + strays + drops, where
 * "raised" counts calls of gpubp_report(), and strays that the trap handler let
 * go on. A software GPU counts the hits that it raised on its own side, so that
 * lost reports are noticed.
 */
#ifndef _GPUBP_CORE_STATS_H
#define _GPUBP_CORE_STATS_H

#include <linux/atomic.h>
#include <linux/types.h>

struct seq_file;

/*
 * Strays from _BYTES to _VALUE are in ascending order of how much of a watch
 * matched: hit/match.c keeps the largest value.
 */
enum gpubp_stat {
	GPUBP_STAT_RAISED,	/* hits that were reported or filtered */
	GPUBP_STAT_DELIVERED,	/* delivered as exact to at least one event */
	GPUBP_STAT_POSSIBLE,	/* delivered as possible only */
	GPUBP_STAT_STEP,	/* an instruction was executed out of line */
	GPUBP_STAT_STRAY_BYTES,	/* no watch covers the bytes that were hit */
	GPUBP_STAT_STRAY_STALE,	/* no watch was armed in a slot that hit */
	GPUBP_STAT_STRAY_KIND,	/* the bytes, but not this kind of access */
	GPUBP_STAT_STRAY_OWNER,	/* a watch, but no event of the owner's */
	GPUBP_STAT_STRAY_VALUE,	/* the bytes did not change */
	GPUBP_STAT_STRAY_TRAP,	/* stopped for something else than a slot */
	GPUBP_STAT_STRAY_FILTERED, /* found by the trap handler: nothing stopped */
	GPUBP_STAT_CHECKED,	/* decided by it, and again, to the same effect */
	GPUBP_STAT_DIFFERED,	/* decided by it, and again, to another effect */
	GPUBP_STAT_DROP_CELLS,	/* all cells in use */
	GPUBP_STAT_DROP_UNKNOWN, /* no such context or queue (any more) */
	GPUBP_STAT_DROP_SUSPENDED, /* the device has no power */
	GPUBP_STAT_DROP_STALL,	/* the wave would have been stopped too long */
	GPUBP_STAT_DROP_RECORD,	/* the handler's record cannot be read */
	GPUBP_STAT_DROP_EXITED,	/* the owner, or its last event, is gone */
	GPUBP_STAT_DROP_UNREACHABLE, /* the owner did not run to receive it */
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

static inline void gpubp_stat_add(struct gpubp_stats *stats, enum gpubp_stat s,
				  u64 nr)
{
	atomic64_add(nr, &stats->v[s]);
}

const char *gpubp_stat_name(enum gpubp_stat s);
void gpubp_stats_show(struct gpubp_stats *stats, struct seq_file *m);

#endif /* _GPUBP_CORE_STATS_H */
