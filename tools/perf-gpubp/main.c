// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp: what a GPU programmer needs beyond perf: names, work-items,
 * values, live views and answers.
 */
#include <perf/core.h>
#include <stdio.h>
#include <string.h>
#include <subcmd/exec-cmd.h>
#include <subcmd/pager.h>
#include "verb.h"
#include "workload.h"

static const struct verb verbs[] = {
	{ "agent", "let a process give way to a GPU debugger", verb_agent },
	{ "annotate", "print GPU code with its hits", verb_annotate },
	{ "check", "say why an event is refused", verb_check },
	{ "doctor", "say what this machine lacks", verb_doctor },
	{ "events", "print who watches what", verb_events },
	{ "explain", "say why an event counts what it counts", verb_explain },
	{ "guard", "find accesses out of bounds of buffers", verb_guard },
	{ "inject", "name buffers in a recording, for perf", verb_inject },
	{ "list", "list devices, events and names", verb_list },
	{ "record", "record hits of events in words", verb_record },
	{ "report", "print what hit, from a recording", verb_report },
	{ "run", "record a command, and report what hit", verb_run },
	{ "script", "print a line for each hit of a recording", verb_script },
	{ "stat", "count hits, and estimate those not seen", verb_stat },
	{ "timeline", "draw who held which comparator when", verb_timeline },
	{ "top", "show what hits, live", verb_top },
};

#define NR_VERBS	(sizeof(verbs) / sizeof(verbs[0]))

static void print_verbs(FILE *out)
{
	size_t i;

	fputs("\n usage: perf-gpubp VERB [OPTIONS]\n\n", out);
	for (i = 0; i < NR_VERBS; i++)
		fprintf(out, "   %-10s %s\n", verbs[i].name, verbs[i].purpose);
	fputs("\n See 'perf-gpubp VERB -h' and 'man perf-gpubp-VERB'.\n", out);
}

/* for the completion of shells */
static void list_verbs(void)
{
	size_t i;

	for (i = 0; i < NR_VERBS; i++)
		puts(verbs[i].name);
}

static const struct verb *find_verb(const char *name)
{
	size_t i;

	for (i = 0; i < NR_VERBS; i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

/* what libperf has to say is in the errno, too */
static int discard_print(enum libperf_print_level level, const char *fmt,
			 va_list args)
{
	return 0;
}

int main(int argc, const char **argv)
{
	const struct verb *verb;

	exec_cmd_init("perf-gpubp", "", "", "");
	pager_init("PERF_PAGER");
	libperf_init(discard_print);
	if (argc < 2) {
		print_verbs(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--list-cmds")) {
		list_verbs();
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
		print_verbs(stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], WORKLOAD_EXEC))
		return workload_exec(argc - 1, argv + 1);
	verb = find_verb(argv[1]);
	if (!verb)
		return misuse("'%s' is no verb, see perf-gpubp --help", argv[1]);
	return verb->run(argc - 1, argv + 1);
}
