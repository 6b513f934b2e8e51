// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp top: what hits, live.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "live_options.h"
#include "plural.h"
#include "stat_figures.h"
#include "terminal.h"
#include "top_rows.h"
#include "verb.h"

#define KEY_MS		100	/* keys are read that often */
#define FRAME_LINES	3	/* of a page, which are no rows */

/**
 * struct top - the verb
 * @target: target
 * @picks: events
 * @delay: seconds between refreshes
 * @live: open events
 * @rows: rows
 * @terminal: a page; otherwise one batch of lines after another
 * @paused: the page stays as it is
 * @quit: the user is done
 * @refreshed: when the page was
 * @lost: samples lost before the last reset
 * @dropped: samples for which there was no memory
 */
struct top {
	struct live_target target;
	struct picks picks;
	unsigned int delay;
	struct live *live;
	struct top_rows rows;
	bool terminal;
	bool paused;
	bool quit;
	double refreshed;
	uint64_t lost;
	uint64_t dropped;
};

static void add_hit(const struct live_sample *sample, void *arg)
{
	struct top *top = arg;

	if (!rows_add(&top->rows, sample))
		top->dropped++;
}

static double share_armed(struct top *top, unsigned int event)
{
	struct gpubp_event_stats stats;

	if (live_stats(top->live, event, &stats) || !stats.resident_ns)
		return -1;
	return stat_share(stats.armed_ns, stats.resident_ns);
}

/* names change while the target runs */
static void print_row(FILE *out, struct top *top, const struct top_row *row,
		      int width, double seconds)
{
	struct symmap names;

	live_names(&names, (int)row->pid);
	row_print(out, width, row, &names, top->picks.list[row->event].text,
		  share_armed(top, row->event), seconds);
	symmap_free(&names);
}

static void print_rows(FILE *out, struct top *top, int width, size_t most)
{
	double now = live_now(), seconds = now - top->refreshed;
	uint64_t total = 0;
	char line[128];
	size_t i;

	rows_sort(&top->rows);
	for (i = 0; i < top->rows.nr; i++)
		total += top->rows.rows[i].total;
	snprintf(line, sizeof(line), "%" PRIu64 " hit%s, %" PRIu64 " lost%s",
		 total, plural(total), live_lost(top->live) - top->lost + top->dropped,
		 top->terminal ? "; q quit, p pause, r reset" : "");
	fprintf(out, "%.*s\n", width, line);
	row_head(out, width);
	for (i = 0; i < top->rows.nr && i < most; i++)
		print_row(out, top, &top->rows.rows[i], width,
			  seconds > 0 ? seconds : 1);
	rows_refreshed(&top->rows);
	top->refreshed = now;
}

/* the text with what erases the rest of each line */
static void show_page(const char *text)
{
	const char *end;

	fputs(TERMINAL_HOME, stdout);
	while ((end = strchr(text, '\n'))) {
		printf("%.*s" TERMINAL_EOL "\r\n", (int)(end - text), text);
		text = end + 1;
	}
	fputs(TERMINAL_REST, stdout);
	fflush(stdout);
}

static void refresh(struct top *top)
{
	char *text = NULL;
	size_t size;
	int width, height;
	FILE *out;

	if (!top->terminal) {
		print_rows(stdout, top, INT16_MAX, SIZE_MAX);
		putchar('\n');
		fflush(stdout);
		return;
	}
	terminal_size(&width, &height);
	out = open_memstream(&text, &size);
	if (!out)
		return;
	print_rows(out, top, width, height > FRAME_LINES ?
				    (size_t)(height - FRAME_LINES) : 0);
	fclose(out);
	show_page(text);
	free(text);
}

static void press_key(struct top *top, int key)
{
	switch (key) {
	case 'q':
		top->quit = true;
		break;
	case 'p':
		top->paused = !top->paused;
		break;
	case 'r':
		rows_free(&top->rows);
		top->lost = live_lost(top->live);
		top->dropped = 0;
		top->refreshed = live_now();
		refresh(top);
		break;
	}
}

static void watch_hits(struct top *top)
{
	bool more;

	top->refreshed = live_now();
	do {
		live_wait(top->live, KEY_MS);
		/* before the last hits are read */
		more = live_running(top->live) && !live_interrupted();
		live_drain(top->live, add_hit, top);
		if (top->terminal)
			press_key(top, terminal_key());
		if (!top->paused && live_now() - top->refreshed >= top->delay)
			refresh(top);
	} while (more && !top->quit);
}

/* what the page showed last, for those who read on */
static void leave_top(struct top *top)
{
	terminal_leave();
	top->terminal = false;
	refresh(top);
	if (live_running(top->live) && live_command(top->live))
		kill(live_command(top->live), SIGTERM);
}

static int run_top(struct top *top)
{
	struct grun_err err;
	int status, ret = live_pick(&top->live, &top->target, &top->picks, true);

	if (ret)
		return ret;
	live_signals();
	ret = live_start(top->live, &err) ? complain("%s", err.text) : 0;
	if (!ret) {
		top->terminal = terminal_enter();
		watch_hits(top);
		leave_top(top);
	}
	status = live_close(top->live);
	rows_free(&top->rows);
	return ret ? ret : top->quit ? EXIT_OK : status;
}

int verb_top(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp top -w WATCH [<options>] [--] [<command>]", NULL
	};
	struct top top = { .delay = 2 };
	const struct option options[] = {
		PICK_OPTIONS(&top.picks, 'c'),
		TARGET_OPTIONS(&top.target),
		OPT_UINTEGER('d', "delay", &top.delay,
			     "seconds between refreshes"),
		OPT_END()
	};
	int ret;

	argc = parse_options(argc, argv, options, usage,
			     PARSE_OPT_STOP_AT_NON_OPTION);
	if (!top.delay)
		return misuse("-d takes a number of seconds, at least 1");
	top.target.command = argc ? argv : NULL;
	ret = run_top(&top);
	picks_free(&top.picks);
	return ret;
}
