/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A library that comes when ROCr has begun: what it did not see.
 */
#ifndef GPUBP_ROCR_LATE_H
#define GPUBP_ROCR_LATE_H

#include <stdbool.h>
#include <stdint.h>

struct kfd_gpu;

/** late_is() - was the library loaded later than the program? */
bool late_is(void);

/** late_find_gpus() - GPUs of ROCr, and its trap handler, as by the ioctls that were not seen */
void late_find_gpus(void);

/**
 * late_next_file() - another file of a GPU's render node
 * @gpu: GPU; its .drm_fd becomes that
 *
 * Memory of the process can be mapped by the one that ROCr gave to KFD only.
 *
 * Return: false if there is none.
 */
bool late_next_file(struct kfd_gpu *gpu);

/**
 * late_doorbell() - the doorbell of a queue of ROCr
 * @read_pointer: where its packet processor writes how far it is
 * @doorbell: out: as waves have it
 *
 * Return: false if it is not found.
 */
bool late_doorbell(uint64_t read_pointer, uint32_t *doorbell);

#endif /* GPUBP_ROCR_LATE_H */
