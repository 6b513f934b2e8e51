/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Agents that the kernel knows, by gpubp_agents of debugfs: for root.
 */
#ifndef PERF_GPUBP_AGENTS_H
#define PERF_GPUBP_AGENTS_H

#include <stdint.h>

#define AGENTS_DEVICES	256	/* numbers of devices */

/**
 * agents_paused() - a process whose agent gives way to a debugger of the GPU
 * @root: directory in front of paths, "" none
 * @devices: bitmap of AGENTS_DEVICES numbers of devices, of which it is one; NULL: of any
 *
 * Return: it, or 0.
 */
int agents_paused(const char *root, const uint32_t *devices);

#endif /* PERF_GPUBP_AGENTS_H */
