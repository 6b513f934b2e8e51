// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include "events.h"
#include "open_events.h"

/* as perf shows it; "-" where nothing was resident or wanted as yet */
static void show_share(uint64_t part, uint64_t whole, FILE *out)
{
	if (whole)
		fprintf(out, " %7.2f%%", 100.0 * (double)part / (double)whole);
	else
		fprintf(out, " %8s", "-");
}

static void show_event(const struct open_event *event, void *data)
{
	const struct gpubp_event_stats *s = &event->stats;
	FILE *out = data;

	fprintf(out, "%8llu %8llu", s->id, event->nr_watches);
	show_share(s->armed_ns, s->resident_ns, out);
	show_share(s->armed_quanta, s->wanted_quanta, out);
	fprintf(out, " %8llu %11.3f", s->longest_gap,
		(double)s->longest_gap_ns / 1e6);
	fprintf(out, " %10llu %10llu %10llu %10llu", s->matched, s->possible,
		s->throttled, s->strays);
	fprintf(out, " %8llu", s->stall_throttled);
	show_share(s->stopped_armed_ns, s->armed_ns, out);
	fprintf(out, " %8s %-15s %s\n", event->pid, event->comm, event->is);
}

static void show_title(FILE *out)
{
	fprintf(out, "%8s %8s %8s %8s %8s %11s %10s %10s %10s %10s %8s %8s %8s %-15s %s\n", "EVENT",
		"WATCHES", "ARMED", "QUANTA", "GAP", "GAP/ms", "HITS",
		"POSSIBLE", "THROTTLED", "STRAYS", "STALLS", "STOPPED", "PID",
		"COMM", "DESCRIPTION");
}

unsigned int events_show(FILE *in, FILE *out)
{
	show_title(out);
	return open_events_read(in, show_event, out);
}
