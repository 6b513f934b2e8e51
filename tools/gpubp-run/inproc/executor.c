// SPDX-License-Identifier: GPL-2.0
/* The thread that executes the queue. */
#include "gpu.h"

#define FLUSH_NS	10000000	/* counts are not later than that */

static void grid_end(struct inproc_gpu *gpu)
{
	unsigned int place = ++gpu->ended % INPROC_DEPTH;

	inproc_grid_free(gpu->grid[place]);
	gpu->grid[place] = NULL;
}

/* what was counted is written before the program knows that the dispatch has ended */
static void queue_advance(struct inproc_gpu *gpu, bool failed)
{
	inproc_flush(gpu);
	do
		grid_end(gpu);
	while (failed && gpu->ended < gpu->submitted);
	/* code that was written since is executed from the next dispatch on */
	sim_fetch_invalidate(&gpu->unit.icache);
	pthread_cond_broadcast(&gpu->done);
}

/* a turn of a wave, without the lock */
static enum inproc_progress queue_turn(struct inproc_gpu *gpu, struct gpubp_sim_wait *end)
{
	struct inproc_grid *grid = gpu->grid[(gpu->ended + 1) % INPROC_DEPTH];
	enum inproc_progress progress;

	gpu->runs = true;
	pthread_mutex_unlock(&gpu->lock);
	progress = inproc_grid_run(grid, end);
	pthread_mutex_lock(&gpu->lock);
	gpu->runs = false;
	if (gpu->asks)
		pthread_cond_broadcast(&gpu->idle);
	return progress;
}

/* false: none can run until something has changed */
static bool queue_run(struct inproc_gpu *gpu)
{
	struct gpubp_sim_wait end = { };

	if (gpu->asks || gpu->ended == gpu->submitted)
		return false;
	switch (queue_turn(gpu, &end)) {
	case INPROC_STUCK:
		return false;
	case INPROC_ENDED:
		queue_advance(gpu, false);
		break;
	case INPROC_FAILED:
		gpu->end = end;
		queue_advance(gpu, true);
		break;
	case INPROC_RAN:
		if (inproc_now() - gpu->flushed >= FLUSH_NS)
			inproc_flush(gpu);
		break;
	}
	return true;
}

void *inproc_executor(void *arg)
{
	struct inproc_gpu *gpu = arg;

	pthread_mutex_lock(&gpu->lock);
	while (!gpu->ending)
		if (!queue_run(gpu))
			pthread_cond_wait(&gpu->work, &gpu->lock);
	inproc_flush(gpu);
	pthread_mutex_unlock(&gpu->lock);
	return NULL;
}
