/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verbs of perf-gpubp: a file for each, verb_NAME.c.
 */
#ifndef PERF_GPUBP_VERB_H
#define PERF_GPUBP_VERB_H

#include <stdio.h>

/* exit statuses; a verb that runs a command exits with the command's */
enum {
	EXIT_OK = 0,
	EXIT_FOUND = 1,		/* what the verb looks for was found */
	EXIT_NO_COMMAND = 127,	/* the command could not be started, as a shell */
	EXIT_USAGE = 129,	/* wrong command line, as perf */
	EXIT_ERROR = 255,	/* anything else, as perf */
};

/**
 * struct verb - a verb
 * @name: its name
 * @purpose: a few words for the list of verbs
 * @run: gets the arguments from the verb on; returns the exit status
 */
struct verb {
	const char *name;
	const char *purpose;
	int (*run)(int argc, const char **argv);
};

int verb_agent(int argc, const char **argv);
int verb_annotate(int argc, const char **argv);
int verb_check(int argc, const char **argv);
int verb_doctor(int argc, const char **argv);
int verb_events(int argc, const char **argv);
int verb_explain(int argc, const char **argv);
int verb_guard(int argc, const char **argv);
int verb_inject(int argc, const char **argv);
int verb_list(int argc, const char **argv);
int verb_record(int argc, const char **argv);
int verb_report(int argc, const char **argv);
int verb_run(int argc, const char **argv);
int verb_script(int argc, const char **argv);
int verb_stat(int argc, const char **argv);
int verb_timeline(int argc, const char **argv);
int verb_top(int argc, const char **argv);

/** complain() - print one sentence to stderr; returns EXIT_ERROR */
int complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** misuse() - likewise, but returns EXIT_USAGE */
int misuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** finish_output() - complain if not all that was printed to @out, which is @path, was written */
int finish_output(FILE *out, const char *path);

#endif /* PERF_GPUBP_VERB_H */
