// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp script: a line for each hit.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "reading.h"
#include "script.h"
#include "verb.h"

static const char *list;

static int print_hit(struct reading *r, const struct hit *hit)
{
	struct row row = { &r->show, hit, NULL };

	if (r->format == FORMAT_LINES)
		script_hit(&r->show, hit);
	else
		fields_print(&row, list, r->format);
	return ferror(stdout) ? EXIT_ERROR : EXIT_OK;
}

static int print_script(struct reading *r)
{
	int status;

	if (r->format == FORMAT_CSV)
		fields_header(list, false);
	status = reading_hits(r, print_hit);
	if (r->lost)
		fprintf(r->format == FORMAT_LINES ? stdout : stderr,
			"lost %" PRIu64 "\n", r->lost);
	return status;
}

int verb_script(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp script [<options>] [perf.data]", NULL
	};
	struct reading r = {};
	struct grun_err err;
	const struct option options[] = {
		READING_INPUTS(&r),
		OPT_STRING('F', "fields", &list, "LIST",
			   "these fields, separated by commas; 'help' prints all"),
		READING_FORMATS(&r),
		OPT_END()
	};
	int status;

	argc = parse_options(argc, argv, options, usage, 0);
	if (list && !strcmp(list, "help")) {
		fields_help(stdout);
		putchar('\n');
		return reading_end(&r, EXIT_OK);
	}
	if (fields_check(list, &err))
		return misuse("%s", err.text);
	status = reading_begin(&r, argc, argv);
	if (list && r.format == FORMAT_LINES)
		r.format = FORMAT_FIELDS;
	return reading_end(&r, status ? status : print_script(&r));
}
