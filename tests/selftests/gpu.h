/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The GPU side of a test: a context, a code object of tests/gpu, kernels.
 *
 * Errors are printed as TAP comments.
 */
#ifndef SELFTESTS_GPU_H
#define SELFTESTS_GPU_H

#include <stddef.h>
#include <stdint.h>
#include "gpubp_run.h"

#define GPU_MAX_BUFFERS	4

/**
 * struct gpu - a context
 * @dev: its device
 * @code: loaded code object
 * @mem: buffers; their mappings also keep the context alive
 * @nr_mem: entries of @mem
 */
struct gpu {
	struct grun_device *dev;
	struct grun_code *code;
	struct grun_mem mem[GPU_MAX_BUFFERS];
	unsigned int nr_mem;
};

/** gpu_code_path() - where the code object @name is */
void gpu_code_path(char *path, size_t len, const char *name);

/** gpu_open() - create a context with <name>.elf loaded; 0 or a negative errno */
int gpu_open(struct gpu *gpu, const char *name);

/** gpu_open_on() - gpu_open() on GPU <nr>, which is /dev/gpubp_sim<nr>: see gpu_device.h */
int gpu_open_on(struct gpu *gpu, unsigned int nr, const char *name);

/** gpu_open_named() - gpu_open_on(), and publish the code by that name */
int gpu_open_named(struct gpu *gpu, unsigned int nr, const char *name);

/** gpu_close() - destroy the context and its buffers */
void gpu_close(struct gpu *gpu);

/** gpu_code_va() - where its code is; after a dispatch */
uint64_t gpu_code_va(const struct gpu *gpu);

/** gpu_await() - dispatches that follow are watched by an event that is open; 0 or a negative errno */
int gpu_await(int event);

/** gpu_buffer() - allocate zeroed memory at @va, or anywhere if 0 */
int gpu_buffer(struct gpu *gpu, struct grun_mem *mem, size_t size, uint64_t va);

/** gpu_copy() - copy by the copy engine; 0 or a negative errno, which is not printed */
int gpu_copy(const struct gpu *gpu, uint64_t dst, uint64_t src, uint64_t size);

/** gpu_name() - publish a buffer name; size 0 withdraws it */
int gpu_name(struct gpu *gpu, uint64_t va, size_t size, const char *name);

#define GPU_MAX_ARGS	8

#define GPU_ARGS(...)	sizeof((uint64_t []){ __VA_ARGS__ }) / sizeof(uint64_t), \
			(const uint64_t []){ __VA_ARGS__ }

/**
 * gpu_start() - dispatch a one-dimensional grid without waiting
 * @gpu: GPU
 * @kernel: kernel
 * @groups: workgroups, of the size that the kernel requires
 * @nr_args: number of arguments
 * @args: integers and GPU addresses
 */
int gpu_start(struct gpu *gpu, const char *kernel, unsigned int groups,
	      unsigned int nr_args, const uint64_t *args);

/**
 * gpu_start_grid() - gpu_start() of up to three dimensions
 * @gpu: GPU
 * @kernel: kernel
 * @groups: workgroups, 0 is 1
 * @nr_args: number of arguments
 * @args: integers and GPU addresses
 * @launch: in: the workgroup's size, likewise, of a kernel that demands none; out: what
 *	was started
 */
int gpu_start_grid(struct gpu *gpu, const char *kernel,
		   const unsigned int groups[3], unsigned int nr_args,
		   const uint64_t *args, struct grun_launch *launch);

/** gpu_size_grid() - @launch of so many workgroups, for gpu_start_grid() */
static inline void gpu_size_grid(const struct grun_kernel *kernel,
				 const unsigned int groups[3],
				 struct grun_launch *launch)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		launch->workgroup[i] = kernel->required[i] ?: launch->workgroup[i] ?: 1;
		launch->grid[i] = launch->workgroup[i] * (groups[i] ?: 1);
	}
}

/** gpu_wait() - wait until all dispatches have ended, @seconds at most, -1 for ever */
int gpu_wait(struct gpu *gpu, int seconds);

/** gpu_run() - gpu_start() and gpu_wait() */
int gpu_run(struct gpu *gpu, const char *kernel, unsigned int groups,
	    unsigned int nr_args, const uint64_t *args);

#endif /* SELFTESTS_GPU_H */
