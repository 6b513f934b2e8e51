/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command that perf record runs, kept apart from perf itself: its standard error
 * is ours, perf's is kept, and it is known whether it could be executed. For that
 * perf runs this program, which executes the command (WORKLOAD_EXEC).
 */
#ifndef PERF_GPUBP_WORKLOAD_H
#define PERF_GPUBP_WORKLOAD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include "gpubp_run.h"

/* instead of a verb: FD FD COMMAND... */
#define WORKLOAD_EXEC	"--exec"
#define WORKLOAD_ARGS	4

/**
 * struct workload - a command of perf record
 * @messages: file with perf's standard error
 * @failed: file that has a byte if the command could not be executed
 * @args: what perf executes, in front of the command
 * @self: this program
 * @fds: numbers of our standard error and of @failed
 */
struct workload {
	int messages;
	int failed;
	const char *args[WORKLOAD_ARGS];
	char self[PATH_MAX];
	char fds[2][12];
};

/** workload_init() - before perf is started; 0 or -1 */
int workload_init(struct workload *w, struct grun_err *err);

/** workload_failed() - perf has ended: could its command not be executed? */
bool workload_failed(const struct workload *w);

/**
 * workload_perf_failed() - perf has ended: did it fail itself?
 * @w: its command
 * @sig: signal that ended it, 0 none
 * @text: out: why: the signal, or its first message
 * @len: bytes of @text
 */
bool workload_perf_failed(const struct workload *w, int sig, char *text, size_t len);

/** workload_exec() - main() of WORKLOAD_EXEC; returns an exit status, or never */
int workload_exec(int argc, const char **argv);

#endif /* PERF_GPUBP_WORKLOAD_H */
