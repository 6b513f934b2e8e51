/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A GPU in the process, for programs that know nothing of the interpreter. Functions
 * return 0 or a negative errno, as the software GPU's calls (<linux/gpubp_sim.h>) do.
 */
#ifndef INPROC_H
#define INPROC_H

#include <stdint.h>
#include <linux/gpubp_sim.h>

#define INPROC_QUEUE	1	/* number of its queue */

struct inproc_gpu;

/**
 * inproc_gpu_new() - a GPU of the processor @isa, with its threads
 *
 * Return: 0, -EINVAL (@isa), -ENOMEM, -EAGAIN (no thread).
 */
int inproc_gpu_new(struct inproc_gpu **gpu, const char *isa);

/** inproc_gpu_free() - what still runs is killed */
void inproc_gpu_free(struct inproc_gpu *gpu);

/** inproc_gpu_info() - properties; .context is 0 if gpubp does not watch it */
void inproc_gpu_info(const struct inproc_gpu *gpu, struct gpubp_sim_info *info);

/** inproc_gpu_watched() - 0, or the errno for which gpubp does not watch it */
int inproc_gpu_watched(const struct inproc_gpu *gpu);

/** inproc_gpu_map() - memory of the process at @va, which can be written at @cpu; -EEXIST, -ENOMEM */
int inproc_gpu_map(struct inproc_gpu *gpu, uint64_t va, uint64_t size, void *cpu);

/** inproc_gpu_unmap() - what begins at @va; -ENOENT */
int inproc_gpu_unmap(struct inproc_gpu *gpu, uint64_t va);

/** inproc_gpu_name() - publish a name */
int inproc_gpu_name(struct inproc_gpu *gpu, const struct gpubp_sim_name *name);

/** inproc_gpu_dispatch() - start a kernel */
int inproc_gpu_dispatch(struct inproc_gpu *gpu, struct gpubp_sim_dispatch *args);

/** inproc_gpu_wait() - wait until it has ended; -ETIME */
int inproc_gpu_wait(struct inproc_gpu *gpu, struct gpubp_sim_wait *args);

#endif /* INPROC_H */
