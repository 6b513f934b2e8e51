// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp annotate: the code of GPU kernels with hits, disassembled by LLVM.
 */
#include <stdio.h>
#include "annotate.h"
#include "reading.h"
#include "verb.h"

static struct culprits culprits;

static int add_hit(struct reading *r, const struct hit *hit)
{
	return culprits_add(&culprits, hit, 0, 0) ? complain("out of memory") : EXIT_OK;
}

static int print_code(struct reading *r, const char *only)
{
	int status = reading_hits(r, add_hit);
	struct grun_err err;
	char more[128];

	culprits_sort(&culprits);
	if (*culprits_more(&culprits, more, sizeof(more)))
		complain("%s", more);
	if (!status && !annotate_functions(&r->show, &culprits, only, &err))
		status = complain("%s: %s", r->input, err.text);
	culprits_free(&culprits);
	return status;
}

int verb_annotate(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp annotate [<options>] [perf.data]", NULL
	};
	struct reading r = {};
	const char *only = NULL;
	const struct option options[] = {
		READING_INPUTS(&r),
		OPT_STRING('s', "symbol", &only, "KERNEL", "this one alone"),
		OPT_END()
	};
	int status;

	argc = parse_options(argc, argv, options, usage, 0);
	status = reading_begin(&r, argc, argv);
	return reading_end(&r, status ? status : print_code(&r, only));
}
