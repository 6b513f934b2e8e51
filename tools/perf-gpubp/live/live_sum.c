// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of statistics. Pure.
 */
#include "live.h"

static void keep_larger(__u64 *largest, uint64_t value)
{
	if (value > *largest)
		*largest = value;
}

void live_add_stats(struct gpubp_event_stats *sum,
		    const struct gpubp_event_stats *more)
{
	sum->resident_ns += more->resident_ns;
	sum->armed_ns += more->armed_ns;
	sum->matched += more->matched;
	sum->possible += more->possible;
	sum->throttled += more->throttled;
	sum->strays += more->strays;
	sum->wanted_quanta += more->wanted_quanta;
	sum->armed_quanta += more->armed_quanta;
	keep_larger(&sum->longest_gap, more->longest_gap);
	keep_larger(&sum->longest_gap_ns, more->longest_gap_ns);
	sum->stall_throttled += more->stall_throttled;
	sum->metered += more->metered;
	sum->lost += more->lost;
	sum->stopped_ns += more->stopped_ns;
	sum->stopped_armed_ns += more->stopped_armed_ns;
	sum->unchanged += more->unchanged;
	sum->filtered += more->filtered;
	sum->elsewhere += more->elsewhere;
	sum->places += more->places;
	sum->unmapped += more->unmapped;
	sum->recorded += more->recorded;
	keep_larger(&sum->handler_ns, more->handler_ns);
}
