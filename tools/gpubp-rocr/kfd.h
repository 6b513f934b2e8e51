/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ROCr asks amdkfd for: its GPUs, and its trap handler.
 */
#ifndef GPUBP_ROCR_KFD_H
#define GPUBP_ROCR_KFD_H

#include <stdbool.h>
#include <stdint.h>

#define KFD_MAX_GPUS	64

/**
 * struct kfd_gpu - a GPU of the process
 * @id: KFD's
 * @drm_fd: ROCr's file of its render node
 * @render: that node's minor number, if it was found later; then other files of it may be there
 * @tba: the second-level trap handler that ROCr wants, 0 none yet
 * @tma: its memory
 * @keep: NULL, or what is called in place of setting it: another handler is there
 */
struct kfd_gpu {
	uint32_t id;
	int drm_fd;
	uint32_t render;
	uint64_t tba;
	uint64_t tma;
	void (*keep)(const struct kfd_gpu *gpu);
};

/** kfd_gpu_at() - GPU number @n of those that ROCr has; NULL behind the last */
struct kfd_gpu *kfd_gpu_at(unsigned int n);

/**
 * kfd_gpu_add() - one of which ROCr's ioctls were not seen
 *
 * Return: it, new or not; NULL if there are too many.
 */
struct kfd_gpu *kfd_gpu_add(uint32_t id);

/**
 * kfd_is() - an ioctl is the one of number @like
 *
 * Its structure may be longer: of another version of KFD's ABI, with the same members first.
 */
bool kfd_is(unsigned long request, unsigned long like);

/**
 * kfd_asked() - an ioctl of ROCr's is about to be done
 *
 * Return: true if it need not be done any more, and succeeds.
 */
bool kfd_asked(unsigned long request, void *arg);

/** kfd_answered() - it was done, with success */
void kfd_answered(unsigned long request, const void *arg);

/** kfd_ioctl() - ioctl() of the kernel; 0 or a negative errno */
int kfd_ioctl(int fd, unsigned long request, void *arg);

/** kfd_on_queue() - @begin is called before ROCr makes a queue, once it has set its trap handler */
void kfd_on_queue(void (*begin)(void));

/**
 * kfd_on_queue_made() - @made is called after ROCr has made a queue of kernels, by the thread
 *	that did: KFD's number of it, and its doorbell as waves have it; NULL: not any more
 */
void kfd_on_queue_made(void (*made)(uint32_t id, uint32_t doorbell));

/**
 * kfd_on_end() - @end is called before ROCr's runtime ends
 *
 * A process that is debugged would wait for its debugger there.
 */
void kfd_on_end(void (*end)(void));

#endif /* GPUBP_ROCR_KFD_H */
