/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bring the agent (libgpubp-rocr.so) into a process that runs without it.
 */
#ifndef PERF_GPUBP_ATTACH_H
#define PERF_GPUBP_ATTACH_H

#include <sys/types.h>
#include "gpubp_run.h"

/**
 * attach_agent() - have a process load the library, if it has not, and start its agent
 * @pid: process
 * @asker: who asks the agent, as GPUBP_AGENT
 * @tool: name of a socket, as of link_begin() or listen_at(): to what the agent connects for its
 *	names and, if the kernel asks, to say whether it has begun; "" none
 * @err: error
 *
 * The agent begins when this has returned: it says so to who asks, or to @tool.
 *
 * Return: 0 or a negative errno; what was said in @err is one sentence.
 */
int attach_agent(pid_t pid, const char *asker, const char *tool, struct grun_err *err);

/** attach_for_kernel() - likewise to each of a list of processes, for gpubp.ko
 * @pids: numbers with commas in between, NULL none
 * @err: error
 *
 * Nothing is done where agent_env_is_asked() says that the driver does not need it, where
 * the library is not installed, and to processes without an AMD GPU, or with an agent.
 *
 * Return: 0 or a negative errno.
 */
int attach_for_kernel(const char *pids, struct grun_err *err);

#endif /* PERF_GPUBP_ATTACH_H */
