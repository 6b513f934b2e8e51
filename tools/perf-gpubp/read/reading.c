// SPDX-License-Identifier: GPL-2.0
/*
 * What the verbs that read a recording have in common.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <subcmd/pager.h>
#include "reading.h"
#include "sysfile.h"
#include "verb.h"

#define PROGRESS_HITS	65536

static int open_output(struct reading *r)
{
	/* opening it empties it */
	if (r->output && sys_same_file(r->input, r->output))
		return misuse("%s cannot be both input and output", r->output);
	if (r->output && strcmp(r->output, "-") &&
	    !freopen(r->output, "we", stdout))
		return complain("%s: %s", r->output, strerror(errno));
	/* of several recordings the first one has begun it */
	if (!r->output && !pager_in_use())
		setup_pager();
	r->show.color = isatty(STDOUT_FILENO) || pager_in_use();
	return EXIT_OK;
}

int reading_begin(struct reading *r, int argc, const char **argv)
{
	struct grun_err err;

	if (argc > 1 || (argc && r->input))
		return misuse("one recording at a time");
	if (r->json && r->csv)
		return misuse("--json and --csv exclude each other");
	r->format = r->json ? FORMAT_JSON : r->csv ? FORMAT_CSV : FORMAT_LINES;
	if (!r->input)
		r->input = argc ? argv[0] : "perf.data";
	if (r->code) {
		r->show.code = object_get(r->code, &err);
		if (!r->show.code)
			return complain("%s", err.text);
	}
	if (r->show.map_file && show_read_map(&r->show, &err))
		return complain("%s", err.text);
	recorded_read(&r->show.recorded, strcmp(r->input, "-") ? r->input :
						 "/dev/stdin");
	return open_output(r);
}

/* on a terminal, while nothing else is printed there */
static void print_progress(uint64_t nr, bool end)
{
	if (nr < PROGRESS_HITS || (!end && nr % PROGRESS_HITS) ||
	    !isatty(STDERR_FILENO) || isatty(STDOUT_FILENO) || pager_in_use())
		return;
	fprintf(stderr, "\r%" PRIu64 " hits%s", nr, end ? "\n" : "");
}

int reading_hits(struct reading *r,
		 int (*each)(struct reading *r, const struct hit *hit))
{
	int ret, status = EXIT_OK;
	struct grun_err err;
	struct hits *hits;
	uint64_t nr = 0;
	struct hit hit;

	if (hits_open(&hits, r->input, r->force, &err))
		return complain("%s: %s", r->input, err.text);
	while (!status && (ret = hits_next(hits, &hit, &err)) > 0) {
		status = each(r, &hit);
		print_progress(++nr, false);
	}
	print_progress(nr, true);
	if (!status && ret < 0)
		status = complain("%s: %s", r->input, err.text);
	r->lost = hits_lost(hits);
	hits_close(hits);
	return status;
}

int reading_end(struct reading *r, int status)
{
	show_free(&r->show);
	return finish_output(stdout, r->output ? r->output : "standard output") ?: status;
}
