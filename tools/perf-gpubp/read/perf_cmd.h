/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Running perf. Its messages are kept, and the first one is the reason if it
 * fails.
 */
#ifndef PERF_GPUBP_PERF_CMD_H
#define PERF_GPUBP_PERF_CMD_H

#include <stdbool.h>
#include <subcmd/run-command.h>
#include "gpubp_run.h"

/** perf_program() - perf, or what the environment's PERF says */
const char *perf_program(void);

/** perf_has_program() - would perf, or a shell, find a program in PATH */
bool perf_has_program(const char *name);

/** perf_filter() - where perf-gpubp-hits.so is; 0 or -1 */
int perf_filter(char *path, size_t len, struct grun_err *err);

/** perf_start() - start_command() of perf; one at a time; 0 or -1 */
int perf_start(struct child_process *perf, struct grun_err *err);

/** perf_finish() - wait for it; -1 if it failed */
int perf_finish(struct child_process *perf, struct grun_err *err);

#endif /* PERF_GPUBP_PERF_CMD_H */
