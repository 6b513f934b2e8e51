/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Workers. Each has a process that makes calls until it has made MAX_LIFE,
 * exits or is killed, and is replaced by another one then. The monitor, as
 * root, starts the processes, continues those that were stopped and kills those
 * that are stuck.
 */
#ifndef FUZZ_WORKER_H
#define FUZZ_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "state.h"

/**
 * worker_monitor() - run until state->stop
 * @nr: number of the worker
 * @uid: its user
 * @seed: seed of its choices
 * @guided: coverage decides which programs are kept
 */
void worker_monitor(unsigned int nr, uid_t uid, uint64_t seed, bool guided);

/**
 * worker_replay() - repeat the calls of the worker's first life, print them to
 *	@file
 */
void worker_replay(unsigned int nr, FILE *file);

#endif /* FUZZ_WORKER_H */
