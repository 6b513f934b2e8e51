/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ranks: of many processes that a launcher (mpirun, srun) starts, each has its recording,
 * PATH.RANK.HOST.
 */
#ifndef PERF_GPUBP_RANK_H
#define PERF_GPUBP_RANK_H

#include <stdbool.h>
#include <stddef.h>

/** rank_get() - this process's, by its launcher's environment; -1 none */
int rank_get(void);

/** rank_path() - PATH.RANK.HOST of this process; false: it has no rank, or that is too long */
bool rank_path(const char *path, char *out, size_t size);

/** rank_of_path() - "rank 3 on node1" of such a path; false: it is none */
bool rank_of_path(const char *path, char *out, size_t size);

#endif /* PERF_GPUBP_RANK_H */
