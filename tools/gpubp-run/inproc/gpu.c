// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>
#include "gpu.h"

#define PAGE		4096
#define VA_START	0x10000ull
#define VA_END		0x800000000000ull

static const struct {
	const struct gpubp_isa *isa;
	enum gfx9_arch arch;
} processors[] = {
	{ &gpubp_isa_gfx900, GFX9_GFX900 },
	{ &gpubp_isa_gfx90a, GFX9_GFX90A },
	{ &gpubp_isa_gfx942, GFX9_GFX942 },
};

/* ---- the lock ------------------------------------------------------------ */

void inproc_lock(struct inproc_gpu *gpu)
{
	pthread_mutex_lock(&gpu->lock);
	gpu->asks++;
	while (gpu->runs)
		pthread_cond_wait(&gpu->idle, &gpu->lock);
	gpu->asks--;
}

void inproc_unlock(struct inproc_gpu *gpu)
{
	pthread_cond_signal(&gpu->work);
	pthread_mutex_unlock(&gpu->lock);
}

static void gpu_init_lock(struct inproc_gpu *gpu)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&gpu->done, &attr);
	pthread_cond_init(&gpu->work, NULL);
	pthread_cond_init(&gpu->idle, NULL);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&gpu->lock, NULL);
}

/* ---- what the kernel gets ------------------------------------------------ */

static void gpu_hit(void *arg, struct gpubp_agent_hit *hit)
{
	struct inproc_gpu *gpu = arg;

	inproc_door_hit(&gpu->door, hit);
}

void inproc_flush(struct inproc_gpu *gpu)
{
	struct gpubp_agent_counts counts;
	unsigned int n;

	for (n = 0; n < INPROC_SLOTS; n++)
		if (inproc_watch_take(&gpu->unit.watch, n, &counts))
			inproc_door_write(&gpu->door, &counts);
	gpu->flushed = inproc_now();
}

/* ---- beginning and end --------------------------------------------------- */

static int gpu_init_unit(struct inproc_gpu *gpu, const char *isa)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(processors); i++)
		if (!strcmp(processors[i].isa->name, isa))
			break;
	if (i == ARRAY_SIZE(processors))
		return -EINVAL;
	gpu->unit.memory = &gpu->memory;
	gpu->unit.isa = processors[i].isa;
	gpu->unit.arch = processors[i].arch;
	gpu->unit.queue = INPROC_QUEUE;
	return 0;
}

static int gpu_init_packets(struct inproc_gpu *gpu)
{
	gpu->packets = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	if (gpu->packets != MAP_FAILED)
		return inproc_memory_add(&gpu->memory, (uintptr_t)gpu->packets, PAGE,
					 gpu->packets);
	gpu->packets = NULL;
	return -ENOMEM;
}

/* signals are the program's */
static int gpu_start(struct inproc_gpu *gpu)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&gpu->executor, NULL, inproc_executor, gpu);
	gpu->threads = !err;
	if (!err && !gpu->watched) {
		err = -pthread_create(&gpu->agent, NULL, inproc_agent, gpu);
		gpu->threads += !err;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static void gpu_init_door(struct inproc_gpu *gpu)
{
	gpu->watched = inproc_door_open(&gpu->door, gpu->unit.isa->name, INPROC_QUEUE);
	if (gpu->watched)
		return;
	gpu->unit.hit = gpu_hit;
	gpu->unit.hit_arg = gpu;
}

int inproc_gpu_new(struct inproc_gpu **out, const char *isa)
{
	struct inproc_gpu *gpu = calloc(1, sizeof(*gpu));
	int err;

	if (!gpu)
		return -ENOMEM;
	gpu_init_lock(gpu);
	gpu->door.fd = -1;
	gpu->door.names = -1;
	gpu->wake = eventfd(0, EFD_CLOEXEC);
	err = gpu->wake < 0 ? -errno : gpu_init_unit(gpu, isa) ?: gpu_init_packets(gpu);
	if (!err) {
		gpu_init_door(gpu);
		err = gpu_start(gpu);
	}
	if (err)
		inproc_gpu_free(gpu);
	else
		*out = gpu;
	return err;
}

static void gpu_stop(struct inproc_gpu *gpu)
{
	inproc_lock(gpu);
	gpu->ending = true;
	inproc_unlock(gpu);
	eventfd_write(gpu->wake, 1);
	if (gpu->threads > 0)
		pthread_join(gpu->executor, NULL);
	if (gpu->threads > 1)
		pthread_join(gpu->agent, NULL);
}

void inproc_gpu_free(struct inproc_gpu *gpu)
{
	unsigned int n;

	gpu_stop(gpu);
	inproc_door_close(&gpu->door);
	for (n = 0; n < INPROC_DEPTH; n++)
		if (gpu->grid[n])
			inproc_grid_free(gpu->grid[n]);
	inproc_memory_free(&gpu->memory);
	if (gpu->packets)
		munmap(gpu->packets, PAGE);
	if (gpu->wake >= 0)
		close(gpu->wake);
	pthread_cond_destroy(&gpu->idle);
	pthread_cond_destroy(&gpu->work);
	pthread_cond_destroy(&gpu->done);
	pthread_mutex_destroy(&gpu->lock);
	free(gpu);
}

/* ---- properties ---------------------------------------------------------- */

void inproc_gpu_info(const struct inproc_gpu *gpu, struct gpubp_sim_info *info)
{
	*info = (struct gpubp_sim_info) {
		.va_start = VA_START, .va_end = VA_END, .page_size = PAGE,
		.nr_wave_slots = INPROC_GROUPS, .context = gpu->door.join.context,
		.device = gpu->door.join.device,
	};
	strncpy(info->isa, gpu->unit.isa->name, sizeof(info->isa) - 1);
}

int inproc_gpu_watched(const struct inproc_gpu *gpu)
{
	return gpu->watched;
}

/* ---- memory -------------------------------------------------------------- */

int inproc_gpu_map(struct inproc_gpu *gpu, uint64_t va, uint64_t size, void *cpu)
{
	int err;

	inproc_lock(gpu);
	err = inproc_memory_add(&gpu->memory, va, size, cpu);
	inproc_unlock(gpu);
	return err;
}

int inproc_gpu_unmap(struct inproc_gpu *gpu, uint64_t va)
{
	size_t size = 0;
	int err;

	inproc_lock(gpu);
	inproc_memory_at(&gpu->memory, va, &size);
	err = inproc_memory_del(&gpu->memory, va);
	inproc_unlock(gpu);
	if (!err)
		inproc_door_freed(&gpu->door, va, size);
	return err;
}

int inproc_gpu_name(struct inproc_gpu *gpu, const struct gpubp_sim_name *name)
{
	return inproc_door_name(&gpu->door, name);
}
