/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ask the agent of a process to give way to a debugger of the GPU (agent_wire.h).
 */
#ifndef PERF_GPUBP_YIELD_H
#define PERF_GPUBP_YIELD_H

#include <sys/types.h>
#include "agent_wire.h"
#include "gpubp_run.h"

/**
 * yield_ask() - make a request
 * @pid: process
 * @request: what
 * @answer: out
 * @err: error
 *
 * Return: 0, also if the agent cannot do it, see @answer->err; or a negative errno.
 */
int yield_ask(pid_t pid, const struct agent_request *request, struct agent_answer *answer,
	      struct grun_err *err);

#endif /* PERF_GPUBP_YIELD_H */
