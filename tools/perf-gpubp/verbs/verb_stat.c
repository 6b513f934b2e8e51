// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp stat: count hits, and estimate those that were not seen.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "live_options.h"
#include "stat_figures.h"
#include "verb.h"

/* a turn of a watch is as long as a quantum, of 10 ms unless that is changed */
#define READ_MS		10
#define READ_EVENTS	64	/* for more events, longer */

/* what the kernel says of the trap handler is rough */
#define HANDLER_FACTOR	2

/**
 * struct tally - what is known of an event
 * @base: at the begin of the interval that is printed
 * @last: when it was read last
 * @turns: its turns in that interval
 */
struct tally {
	struct gpubp_event_stats base;
	struct gpubp_event_stats last;
	struct turns turns;
};

/**
 * struct stat_run - the verb
 * @target: target
 * @picks: events
 * @places: a row for each place of a line of source
 * @total: a row for the sum of all events
 * @style: how to print
 * @interval: ms, 0 once at the end
 * @path: output file
 * @out: output
 * @live: open events
 * @tallies: one for each event
 * @turns: of all events together, in the interval that is printed
 * @figures: rows, at most one more
 * @start: time of the start
 */
struct stat_run {
	struct live_target target;
	struct picks picks;
	bool places;
	bool total;
	struct stat_style style;
	unsigned int interval;
	const char *path;
	FILE *out;
	struct live *live;
	struct tally *tallies;
	struct turns turns;
	struct figures *figures;
	double start;
};

/* what happened between two reads */
static struct watch_reading tally_reading(const struct gpubp_event_stats *last,
					  const struct gpubp_event_stats *now)
{
	struct watch_reading r = {
		.hits = now->matched - last->matched,
		.armed = now->armed_ns - last->armed_ns,
		.quanta = now->armed_quanta - last->armed_quanta,
		.slowed = now->stopped_armed_ns - last->stopped_armed_ns,
	};
	uint64_t stopped = now->stopped_ns - last->stopped_ns;

	r.slowed_else = stopped > r.slowed ? stopped - r.slowed : 0;
	r.slowed += r.hits * HANDLER_FACTOR * now->handler_ns;
	return r;
}

static void reading_add(struct watch_reading *sum, const struct watch_reading *r)
{
	sum->hits += r->hits;
	sum->armed += r->armed;
	sum->quanta += r->quanta;
	sum->slowed += r->slowed;
	sum->slowed_else += r->slowed_else;
}

static void tally_read(struct stat_run *run, unsigned int event,
		       struct watch_reading *sum)
{
	struct tally *tally = &run->tallies[event];
	struct gpubp_event_stats now;
	struct watch_reading r;

	if (live_stats(run->live, event, &now))
		return;
	r = tally_reading(&tally->last, &now);
	turns_add(&tally->turns, &r);
	reading_add(sum, &r);
	tally->last = now;
}

static void read_all(struct stat_run *run)
{
	struct watch_reading sum = {};
	unsigned int i;

	for (i = 0; i < run->picks.nr; i++)
		tally_read(run, i, &sum);
	turns_add(&run->turns, &sum);
}

/* @now - @base, member by member; a gap is the longest ever */
static struct gpubp_event_stats stats_since(const struct gpubp_event_stats *now,
					    const struct gpubp_event_stats *base)
{
	struct gpubp_event_stats since = *now;

	since.resident_ns -= base->resident_ns;
	since.armed_ns -= base->armed_ns;
	since.matched -= base->matched;
	since.possible -= base->possible;
	since.throttled -= base->throttled;
	since.stall_throttled -= base->stall_throttled;
	since.lost -= base->lost;
	since.stopped_ns -= base->stopped_ns;
	return since;
}

static bool figures_lost(const struct figures *f)
{
	return f->stats.lost || f->stats.stall_throttled;
}

/**
 * struct total - of all events
 * @figures: its row
 * @seen: sum of what was seen
 * @shares: of the time
 */
struct total {
	struct figures figures;
	struct watch_reading seen;
	struct shares shares;
};

static void total_add(struct total *total, const struct gpubp_event_stats *stats,
		      const struct watch_reading *seen)
{
	reading_add(&total->seen, seen);
	shares_add(&total->shares, seen->quanta, seen->armed, stats->resident_ns);
	live_add_stats(&total->figures.stats, stats);
}

/* those of an event since they were taken last */
static struct figures figures_take(struct stat_run *run, unsigned int event,
				   struct total *total)
{
	struct tally *tally = &run->tallies[event];
	const struct pick *pick = &run->picks.list[event];
	struct figures f = {
		.name = pick->text, .place = run->places ? pick->place : "",
		.stats = stats_since(&tally->last, &tally->base),
	};
	struct watch_reading seen = tally_reading(&tally->base, &tally->last);

	f.known = estimate_hits(&f.estimate, f.stats.resident_ns, &seen,
				&tally->turns, figures_lost(&f));
	total_add(total, &f.stats, &seen);
	tally->base = tally->last;
	tally->turns = (struct turns) {};
	return f;
}

static struct figures total_take(struct stat_run *run, struct total *total)
{
	struct figures *f = &total->figures;

	f->name = "total";
	f->place = "";
	f->known = estimate_hits(&f->estimate, f->stats.resident_ns, &total->seen,
				 &run->turns, figures_lost(f));
	if (f->known && !f->estimate.bound && !shares_are_equal(&total->shares))
		f->estimate.bound = ESTIMATE_UNEQUAL;
	run->turns = (struct turns) {};
	return *f;
}

static void print_all(struct stat_run *run)
{
	struct total total = {};
	unsigned int i, nr = 0;
	struct figures f;

	for (i = 0; i < run->picks.nr; i++) {
		f = figures_take(run, i, &total);
		if (!run->places && picks_is_same(&run->picks, i))
			figures_add(&run->figures[nr - 1], &f);
		else
			run->figures[nr++] = f;
	}
	if (run->total)
		run->figures[nr++] = total_take(run, &total);
	stat_print(run->out, &run->style, run->figures, nr, live_now() - run->start);
}

static bool goes_on(struct stat_run *run)
{
	return live_running(run->live) && !live_interrupted();
}

/* once, or once for each interval */
static void count_hits(struct stat_run *run)
{
	int read_ms = (int)(READ_MS * (1 + run->picks.nr / READ_EVENTS));
	double next = run->start;
	bool more;

	do {
		next += run->interval / 1e3;
		do {
			live_wait(run->live, read_ms);
			/* before the last figures are read */
			more = goes_on(run);
			read_all(run);
		} while (more && (!run->interval || live_now() < next));
		print_all(run);
	} while (more);
}

static int run_open(struct stat_run *run)
{
	struct grun_err err;
	int ret = live_pick(&run->live, &run->target, &run->picks, false);

	if (ret)
		return ret;
	run->tallies = calloc(run->picks.nr, sizeof(*run->tallies));
	run->figures = calloc(run->picks.nr + 1, sizeof(*run->figures));
	if (!run->tallies || !run->figures)
		return complain("out of memory");
	ret = live_need_session(run->live);
	if (ret)
		return ret;
	live_signals();
	read_all(run);
	run->start = live_now();
	if (live_start(run->live, &err))
		return complain("%s", err.text);
	return 0;
}

static int run_stat(struct stat_run *run)
{
	int status, ret = run_open(run);

	if (!ret)
		count_hits(run);
	/* as perf does */
	if (live_interrupted() && live_command(run->live))
		kill(live_command(run->live), SIGTERM);
	status = run->live ? live_close(run->live) : 0;
	free(run->tallies);
	free(run->figures);
	picks_free(&run->picks);
	if (finish_output(run->out, run->path ? run->path : "standard error"))
		return EXIT_ERROR;
	return ret ? ret : status;
}

int verb_stat(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp stat -w WATCH [<options>] [--] [<command>]", NULL
	};
	struct stat_run run = { .out = stderr };
	bool csv = false;
	const struct option options[] = {
		PICK_OPTIONS(&run.picks, 'c'),
		TARGET_OPTIONS(&run.target),
		OPT_UINTEGER('I', "interval-print", &run.interval,
			     "print every so many ms"),
		OPT_BOOLEAN(0, "places", &run.places,
			    "a line for each instruction of a line of source"),
		OPT_BOOLEAN(0, "total", &run.total, "a last line: all events together"),
		OPT_STRING('o', "output", &run.path, "FILE", "print there, - is the standard output"),
		OPT_STRING('x', "field-separator", &run.style.separator, "SEP",
			   "values separated by SEP"),
		OPT_BOOLEAN(0, "csv", &csv, "as -x,"),
		OPT_BOOLEAN('j', "json", &run.style.json,
			    "a JSON object in a line for each event"),
		OPT_END()
	};

	argc = parse_options(argc, argv, options, usage,
			     PARSE_OPT_STOP_AT_NON_OPTION);
	if (csv && !run.style.separator)
		run.style.separator = ",";
	if (run.style.json && run.style.separator)
		return misuse("--json and -x are two formats: use one of them");
	run.style.intervals = run.interval;
	run.target.command = argc ? argv : NULL;
	if (run.path)
		run.out = strcmp(run.path, "-") ? fopen(run.path, "we") : stdout;
	if (!run.out)
		return complain("%s: %s", run.path, strerror(errno));
	return run_stat(&run);
}
