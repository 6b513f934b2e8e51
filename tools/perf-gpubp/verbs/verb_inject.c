// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp inject: buffers by name in perf mem report and perf script.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <subcmd/parse-options.h>
#include "inject.h"
#include "recorded.h"
#include "sysfile.h"
#include "verb.h"

static bool is_standard(const char *path)
{
	return !strcmp(path, "-");
}

/* perf must find it from everywhere */
static int make_dir(const char *dir, char path[PATH_MAX])
{
	if (mkdir(dir, 0755) && errno != EEXIST)
		return complain("%s: %s", dir, strerror(errno));
	if (!realpath(dir, path))
		return complain("%s: %s", dir, strerror(errno));
	return EXIT_OK;
}

/* for perf-gpubp on another machine; a copy of a recording with names has them */
static int keep_names(const struct inject *inject, const char *path)
{
	struct grun_err err;

	if (!inject->recorded.len &&
	    recorded_append(path, &inject->recorded.local, &err) < 0)
		return complain("%s: names are not kept in it: %s", path, err.text);
	return EXIT_OK;
}

static int copy(struct inject *inject, const char *input, const char *output)
{
	struct grun_err err;
	int ret;

	inject->in = is_standard(input) ? stdin : fopen(input, "re");
	if (!inject->in)
		return complain("%s: %s", input, strerror(errno));
	if (sys_same_file(input, output))
		return misuse("%s cannot be both input and output", output);
	inject->out = is_standard(output) ? stdout : fopen(output, "we");
	if (!inject->out)
		return complain("%s: %s", output, strerror(errno));
	recorded_read(&inject->recorded, is_standard(input) ? "/dev/stdin" : input);
	ret = inject_copy(inject, &err);
	if (ret)
		return complain("%s: %s", input, err.text);
	if (fflush(inject->out))
		return complain("%s: %s", output, strerror(errno));
	if (!inject->names)
		return complain("%s: no process has names in it or in /tmp/perf-PID.map, give some by -m",
				input);
	fprintf(stderr, "perf-gpubp: %" PRIu64 " names in %s\n", inject->names,
		inject->dir);
	return is_standard(output) ? EXIT_OK : keep_names(inject, output);
}

int verb_inject(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp inject [<options>]", NULL
	};
	const char *input = "perf.data", *output = NULL, *symbols = NULL;
	struct inject inject = {};
	char dir[PATH_MAX], beside[PATH_MAX];
	const struct option options[] = {
		OPT_STRING('i', "input", &input, "FILE",
			   "recording, - is the standard input; default: perf.data"),
		OPT_STRING('o', "output", &output, "FILE",
			   "the copy with names, - is the standard output"),
		OPT_STRING('m', "map", &inject.map_file, "FILE",
			   "names of buffers instead of those in the recording"),
		OPT_STRING(0, "symbols", &symbols, "DIR",
			   "where perf will find the names; default: FILE.symbols"),
		OPT_END()
	};
	int status;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc)
		return misuse("'%s' is no option, see -h", argv[0]);
	if (!output)
		return misuse("-o FILE says where the copy goes");
	if (is_standard(output) && !symbols)
		return misuse("-o - needs --symbols DIR");
	snprintf(beside, sizeof(beside), "%s.symbols", output);
	status = make_dir(symbols ? symbols : beside, dir);
	inject.dir = dir;
	if (!status)
		status = copy(&inject, input, output);
	recorded_free(&inject.recorded);
	return status;
}
