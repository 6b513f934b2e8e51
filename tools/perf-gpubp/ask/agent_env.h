/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The environment of a command whose GPU is watched by an agent in its process
 * (libgpubp-rocr.so).
 */
#ifndef PERF_GPUBP_AGENT_ENV_H
#define PERF_GPUBP_AGENT_ENV_H

#include <stdbool.h>

/** agent_library() - where the library is installed, or what GPUBP_ROCR says */
const char *agent_library(void);

/**
 * agent_env_set() - have programs that this process executes load the library
 * @asker: who asks it for watches: GPUBP_AGENT
 */
void agent_env_set(const char *asker);

/**
 * agent_env_is_asked() - does the kernel watch AMD's GPUs by agents here?
 * @root: directory in front of paths, "" none
 *
 * It does not where the driver has a provider.
 */
bool agent_env_is_asked(const char *root);

/**
 * agent_env_for_kernel() - agent_env_set() for such a kernel
 * @root: directory in front of all paths but the library's, "" none
 *
 * Nothing is done if the library is missing, or GPUBP_AGENT is set.
 */
void agent_env_for_kernel(const char *root);

#endif /* PERF_GPUBP_AGENT_ENV_H */
