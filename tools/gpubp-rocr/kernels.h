/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernels of the code objects that ROCr has loaded. The functions may be called by any thread.
 */
#ifndef GPUBP_ROCR_KERNELS_H
#define GPUBP_ROCR_KERNELS_H

#include "names.h"

/** kernels_add() - a code object is loaded, at @code->mem.va; it is freed in here */
void kernels_add(struct grun_code *code);

/** kernels_remove() - the one at @va is unloaded */
void kernels_remove(uint64_t va);

/**
 * kernels_find() - the kernel of a packet
 * @descriptor: GPU address of its descriptor
 * @kernel: out: it
 *
 * Return: false if it is not known.
 */
bool kernels_find(uint64_t descriptor, struct grun_kernel *kernel);

#define KERNELS_BLOCK	4096	/* bytes of arguments at most */

/**
 * kernels_read_block() - arguments of a packet
 * @kernel: its kernel
 * @from: where they are
 * @block: out: KERNELS_BLOCK bytes
 *
 * Return: false if the host cannot read them.
 */
bool kernels_read_block(const struct grun_kernel *kernel, const void *from, void *block);

/** kernels_word_may_point() - may a word of a value be an address that a kernel can access? */
bool kernels_word_may_point(uint64_t word);

#endif /* GPUBP_ROCR_KERNELS_H */
