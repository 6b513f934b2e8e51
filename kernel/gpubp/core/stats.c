// SPDX-License-Identifier: GPL-2.0
/* Statistics of hits: names of the counters and how they are printed. */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>

#include "stats.h"

static const char * const stat_names[] = {
	[GPUBP_STAT_RAISED]		= "raised",
	[GPUBP_STAT_DELIVERED]		= "delivered",
	[GPUBP_STAT_POSSIBLE]		= "possible",
	[GPUBP_STAT_STEP]		= "step",
	[GPUBP_STAT_STRAY_BYTES]	= "stray_bytes",
	[GPUBP_STAT_STRAY_STALE]	= "stray_stale",
	[GPUBP_STAT_STRAY_KIND]		= "stray_kind",
	[GPUBP_STAT_STRAY_OWNER]	= "stray_owner",
	[GPUBP_STAT_STRAY_VALUE]	= "stray_value",
	[GPUBP_STAT_STRAY_TRAP]		= "stray_trap",
	[GPUBP_STAT_STRAY_FILTERED]	= "stray_filtered",
	[GPUBP_STAT_CHECKED]		= "checked",
	[GPUBP_STAT_DIFFERED]		= "differed",
	[GPUBP_STAT_DROP_CELLS]		= "drop_cells",
	[GPUBP_STAT_DROP_UNKNOWN]	= "drop_unknown",
	[GPUBP_STAT_DROP_SUSPENDED]	= "drop_suspended",
	[GPUBP_STAT_DROP_STALL]		= "drop_stall",
	[GPUBP_STAT_DROP_RECORD]	= "drop_record",
	[GPUBP_STAT_DROP_EXITED]	= "drop_exited",
	[GPUBP_STAT_DROP_UNREACHABLE]	= "drop_unreachable",
};
static_assert(ARRAY_SIZE(stat_names) == GPUBP_NR_STATS);

/** gpubp_stat_name() - name of a counter */
const char *gpubp_stat_name(enum gpubp_stat s)
{
	return stat_names[s];
}

/**
 * gpubp_stats_show() - one "name value" line for each counter
 * @stats: counters
 * @m: output
 */
void gpubp_stats_show(struct gpubp_stats *stats, struct seq_file *m)
{
	int i;

	for (i = 0; i < GPUBP_NR_STATS; i++)
		seq_printf(m, "%s %lld\n", stat_names[i],
			   atomic64_read(&stats->v[i]));
}
