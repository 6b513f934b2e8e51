// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp events: what events are open.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <subcmd/parse-options.h>
#include "events.h"
#include "open_events.h"
#include "verb.h"

int verb_events(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp events [--json] [FILE]", NULL
	};
	bool json = false;
	const struct option options[] = {
		OPT_BOOLEAN('j', "json", &json, "an object of JSON a line"),
		OPT_END()
	};
	const char *path;
	FILE *in;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc > 1)
		return misuse("events takes one file");
	path = argc ? argv[0] : OPEN_EVENTS;
	in = fopen(path, "re");
	if (!in)
		return complain("%s: %s", path, strerror(errno));
	if (json)
		open_events_read(in, open_event_json, stdout);
	else
		events_show(in, stdout);
	fclose(in);
	return EXIT_OK;
}
