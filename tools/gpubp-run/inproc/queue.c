// SPDX-License-Identifier: GPL-2.0
/* The queue, as the program has it: dispatches begin, and are waited for. */
#include <errno.h>
#include <time.h>
#include "gpu.h"

/* in a queue that had an exception a dispatch ends at once */
static int queue_add(struct inproc_gpu *gpu, struct gpubp_sim_dispatch *args)
{
	u64 seq = gpu->submitted + 1;
	unsigned int place = seq % INPROC_DEPTH;
	int err = inproc_grid_new(&gpu->unit, args, seq,
				  (uintptr_t)gpu->packets + place * INPROC_PACKET,
				  &gpu->grid[place]);

	if (err)
		return err;
	args->seq = gpu->submitted = seq;
	if (gpu->end.status == GPUBP_SIM_DONE)
		return 0;
	inproc_grid_free(gpu->grid[place]);
	gpu->grid[place] = NULL;
	gpu->ended = seq;
	return 0;
}

/* names that the program has published, and events that are open, are armed before */
int inproc_gpu_dispatch(struct inproc_gpu *gpu, struct gpubp_sim_dispatch *args)
{
	int err;

	inproc_door_await(&gpu->door);
	inproc_lock(gpu);
	while (gpu->submitted - gpu->ended == INPROC_DEPTH) {
		pthread_cond_wait(&gpu->done, &gpu->lock);
		inproc_unlock(gpu);
		inproc_lock(gpu);
	}
	err = queue_add(gpu, args);
	inproc_unlock(gpu);
	return err;
}

static struct timespec queue_deadline(s64 timeout_ns)
{
	u64 at = inproc_now();

	at += timeout_ns < INT64_MAX - (s64)at ? timeout_ns : INT64_MAX - (s64)at;
	return (struct timespec){ at / 1000000000, at % 1000000000 };
}

int inproc_gpu_wait(struct inproc_gpu *gpu, struct gpubp_sim_wait *args)
{
	struct timespec deadline = queue_deadline(args->timeout_ns);
	int err = 0;

	pthread_mutex_lock(&gpu->lock);
	while (gpu->ended < args->seq && !err)
		err = args->timeout_ns < 0 ?
		      pthread_cond_wait(&gpu->done, &gpu->lock) :
		      pthread_cond_timedwait(&gpu->done, &gpu->lock, &deadline);
	if (gpu->ended >= args->seq)
		err = 0;
	args->status = gpu->end.status;
	args->pc = gpu->end.pc;
	args->addr = gpu->end.addr;
	pthread_mutex_unlock(&gpu->lock);
	return err ? -ETIME : 0;
}
