// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp explain: why events count what they count.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agents.h"
#include "explain_recording.h"
#include "open_events.h"
#include "open_groups.h"
#include "plural.h"
#include "sysfile.h"
#include "verb.h"
#include "why.h"

/**
 * struct explain - what is asked for
 * @ids: events, all if there are none
 * @nr_ids: entries of @ids
 * @nr_found: events that were explained
 * @paths: paths of accesses that the first device's comparators see
 * @groups: those of all events
 */
struct explain {
	const char **ids;
	int nr_ids;
	int nr_found;
	char paths[64];
	struct open_groups groups;
};

static bool is_asked_for(const struct explain *ex,
			 const struct open_event *event)
{
	int i;

	for (i = 0; i < ex->nr_ids; i++)
		if (strtoull(ex->ids[i], NULL, 0) == event->stats.id)
			return true;
	return !ex->nr_ids;
}

/* as event/describe.c of the kernel prints it */
static unsigned int kind_of(const char *is, uint32_t *code)
{
	unsigned int kind = GPUBP_KIND_BREAK;

	*code = 0;
	if (strstr(is, "watch"))
		return GPUBP_KIND_WATCH;
	sscanf(is, "gpubp/kind=%u,code=%x", &kind, code);
	return kind;
}

/* GPUBP_ACCESS_* of a watch, 0 of anything else */
static unsigned int access_of(const char *is)
{
	static const struct {
		const char *begin;
		unsigned int access;
	} aliases[] = {
		{ "gpubp/watch_r,", GPUBP_ACCESS_LOAD },
		{ "gpubp/watch_w,", GPUBP_ACCESS_STORE },
		{ "gpubp/watch_atomic,", GPUBP_ACCESS_ATOMIC },
		{ "gpubp/watch_rw,", GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE |
				     GPUBP_ACCESS_ATOMIC },
	};
	unsigned int i, access = 0;

	for (i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strncmp(is, aliases[i].begin, strlen(aliases[i].begin)))
			return aliases[i].access;
	sscanf(is, "gpubp/kind=1,access=%u", &access);
	return access;
}

static void explain_event(const struct open_event *event, void *data)
{
	struct explain *ex = data;
	double leader_share = 0;
	struct why why = {
		.stats = event->stats,
		.nr_bound = event->nr_bound,
		.nr_pending = event->nr_pending,
		.named = strstr(event->is, "named=1"),
		.access = access_of(event->is),
		.is_part = strstr(event->is, ",possible=1") ||
			   strstr(event->is, ",lost=1"),
		.is_exact = strstr(event->is, "/pp"),
		.paths = ex->paths,
		.group = open_groups_apart(&ex->groups, event, &leader_share),
	};
	uint32_t code;

	if (!is_asked_for(ex, event))
		return;
	why.is_paused = agents_paused("", event->devices);
	why.leader_share = leader_share;
	why_set_kind(&why, kind_of(event->is, &code), code);
	ex->nr_found++;
	printf("%llu %s[%s] %s: %llu hit%s\n", event->stats.id, event->comm,
	       event->pid, event->is, event->stats.matched, plural(event->stats.matched));
	if (!why_print(&why, stdout))
		puts("  * armed all the time, each hit exact");
}

static int explain_file(struct explain *ex, const char *path)
{
	FILE *in = fopen(path, "re");
	char paths[SYS_FILE_MAX];

	if (!in)
		return complain("%s: %s", path, strerror(errno));
	sys_read("", SYS_PMU "/caps/paths", paths);
	sys_word(paths, 0, ex->paths, sizeof(ex->paths));
	open_events_read(in, open_groups_add, &ex->groups);
	rewind(in);
	open_events_read(in, explain_event, ex);
	fclose(in);
	open_groups_free(&ex->groups);
	if (ex->nr_ids && !ex->nr_found)
		return complain("no event with such an id is open");
	if (!ex->nr_found)
		puts("no event is open; perf-gpubp check says why one is refused");
	return EXIT_OK;
}

static int explain_open(const char *file, int argc, const char **argv)
{
	struct explain ex = { .ids = argv, .nr_ids = argc };
	char *end;
	int i;

	for (i = 0; i < argc; i++) {
		strtoull(argv[i], &end, 0);
		if (end == argv[i] || *end)
			return misuse("%s is no id of an event: see perf-gpubp events",
				      argv[i]);
	}
	return explain_file(&ex, file);
}

int verb_explain(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp explain [--events FILE] [ID...]",
		"perf-gpubp explain -i FILE [<options>]",
		NULL
	};
	const char *events = OPEN_EVENTS;
	struct reading r = {};
	const struct option options[] = {
		OPT_STRING(0, "events", &events, "FILE",
			   "a copy of " OPEN_EVENTS),
		READING_INPUTS(&r),
		OPT_END()
	};
	int status;

	argc = parse_options(argc, argv, options, usage, 0);
	if (!r.input)
		return explain_open(events, argc, argv);
	status = reading_begin(&r, argc, argv);
	return reading_end(&r, status ? status : explain_recording(&r));
}
