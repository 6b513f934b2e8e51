/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The GPU in the process: memory, a queue, the thread that executes it, and the thread
 * that takes programs from the kernel. Compiled with tools/Makefile.isa.
 *
 * One lock protects all of it, but in the turn of a wave: then memory, comparators and the
 * first dispatch are the executor's, which does not have the lock. Others wait until the
 * turn is over (inproc_lock()), and no other one begins until then: that is when a new
 * program is taken, or memory is mapped.
 */
#ifndef INPROC_GPU_H
#define INPROC_GPU_H

#include <pthread.h>
#include <linux/gpubp_sim.h>
#include "door.h"
#include "grid.h"
#include "inproc.h"

#define INPROC_DEPTH		64	/* dispatches that have not ended, at most */

/**
 * struct inproc_gpu - a GPU
 * @lock: what follows
 * @work: the executor waits for what others change
 * @idle: others wait for the end of a turn
 * @done: they wait for the end of a dispatch; CLOCK_MONOTONIC
 * @runs: it is the turn of a wave
 * @asks: threads that wait until it is not
 * @memory: of the process, for waves
 * @door: the kernel; its file is used without @lock, too
 * @watched: 0, or the errno for which there is none
 * @unit: executes
 * @packets: packets of dispatches, a page
 * @grid: dispatches that have not ended, by number
 * @submitted: number of the last one
 * @ended: number of the last one that has ended
 * @end: the first exception; .status 0: none yet
 * @flushed: when counts were written last, ns
 * @ending: threads are to end
 * @wake: eventfd, which wakes the agent at the end
 * @executor: thread
 * @agent: thread
 * @threads: how many of these there are
 */
struct inproc_gpu {
	pthread_mutex_t lock;
	pthread_cond_t work;
	pthread_cond_t idle;
	pthread_cond_t done;
	bool runs;
	unsigned int asks;
	struct inproc_memory memory;
	struct inproc_door door;
	int watched;
	struct inproc_unit unit;
	char *packets;
	struct inproc_grid *grid[INPROC_DEPTH];
	u64 submitted;
	u64 ended;
	struct gpubp_sim_wait end;
	u64 flushed;
	bool ending;
	int wake;
	pthread_t executor;
	pthread_t agent;
	unsigned int threads;
};

/** inproc_lock() - have the lock, while no wave has a turn */
void inproc_lock(struct inproc_gpu *gpu);

/** inproc_unlock() - the executor goes on */
void inproc_unlock(struct inproc_gpu *gpu);

/** inproc_flush() - write what was counted; under the lock */
void inproc_flush(struct inproc_gpu *gpu);

/* executor.c, agent.c: what the threads do; @gpu is an inproc_gpu */
void *inproc_executor(void *gpu);
void *inproc_agent(void *gpu);

#endif /* INPROC_GPU_H */
