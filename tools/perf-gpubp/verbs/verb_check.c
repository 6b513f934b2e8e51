// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp check: would the kernel open this event? And why not?
 */
#include <stdio.h>
#include <unistd.h>
#include <subcmd/parse-options.h>
#include "event_string.h"
#include "refusal.h"
#include "verb.h"

static bool check_event(const char *event, int pid)
{
	struct perf_event_attr attr;
	struct grun_err err;
	int fd;

	if (event_string_parse(&attr, "", event, &err)) {
		printf("%s: %s\n", event, err.text);
		return false;
	}
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	fd = refusal_open(&attr, pid, -1, -1, &err);
	printf("%s: %s\n", event, fd < 0 ? err.text : "ok");
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int verb_check(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp check [-p PID] EVENT...", NULL
	};
	int pid = 0, refused = 0;
	const struct option options[] = {
		OPT_INTEGER('p', "pid", &pid,
			    "target; default: perf-gpubp itself"),
		OPT_END()
	};

	argc = parse_options(argc, argv, options, usage, 0);
	if (!argc)
		return misuse("check needs an event, such as gpubp/watch_w,addr=0x1000,len=4/");
	for (; argc; argc--, argv++)
		refused += !check_event(argv[0], pid);
	return refused ? EXIT_FOUND : EXIT_OK;
}
