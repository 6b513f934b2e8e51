/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf-gpubp run --no-kernel: watches on a driver that knows nothing of gpubp, by the
 * agent in the process (libgpubp-rocr.so).
 */
#ifndef PERF_GPUBP_ALONE_H
#define PERF_GPUBP_ALONE_H

#include <stdbool.h>
#include <sys/types.h>
#include "ask.h"

/**
 * struct alone - what to run
 * @ask: what to watch
 * @json: findings as JSON
 * @path: output file, NULL standard output
 * @command: arguments of the command, ending with NULL; NULL: none
 * @pid: process that runs already, without a command
 */
struct alone {
	struct ask ask;
	bool json;
	const char *path;
	const char **command;
	pid_t pid;
};

/** alone_run() - run it, or follow the process, and print findings; exit status, see perf-gpubp-run(1) */
int alone_run(struct alone *alone);

#endif /* PERF_GPUBP_ALONE_H */
