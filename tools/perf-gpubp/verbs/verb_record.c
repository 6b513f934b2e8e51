// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp record: perf record of events in words.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "live_options.h"
#include "perf_record.h"
#include "picks.h"
#include "verb.h"

/* where the options of perf-gpubp end */
static int own_arguments(int argc, const char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--") || !strcmp(argv[i], "--perf"))
			return i;
	return argc;
}

/* append @more to the @nr arguments that parse_options() left in @argv */
static int append_arguments(const char **argv, int nr, const char **more,
			    int nr_more)
{
	if (nr_more && !strcmp(more[0], "--perf")) {
		more++;
		nr_more--;
	}
	memmove(argv + nr, more, (size_t)nr_more * sizeof(*argv));
	return nr + nr_more;
}

int verb_record(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp record [<options>] [<options of perf record>] -- <command>",
		"perf-gpubp record [<options>] --perf <options of perf record>",
		NULL
	};
	struct picks picks = {};
	const struct option options[] = {
		PICK_OPTIONS(&picks, 0),
		OPT_END()
	};
	int nr, ret, own = own_arguments(argc, argv);
	struct grun_err err;
	const char **args;

	nr = parse_options(own, argv, options, usage, PARSE_OPT_KEEP_UNKNOWN);
	picks.command = argv + own;
	ret = live_complain(picks_resolve(&picks, NULL, &err), &err);
	if (ret)
		return ret;
	nr = append_arguments(argv, nr, argv + own, argc - own);
	args = perf_record_args(&picks, nr, argv);
	if (!args)
		return complain("out of memory");
	/* execvp() changes none of them */
	execvp(args[0], (char **)(uintptr_t)args);
	return complain("%s: %s", args[0], strerror(errno));
}
