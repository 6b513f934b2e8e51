/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trap handler that stops no wave, for the GPUs that have precise memory. It is compiled
 * with the kernel's headers in user space (tests/host/shim).
 */
#ifndef GPUBP_ROCR_UNATTENDED_H
#define GPUBP_ROCR_UNATTENDED_H

#include <linux/gpubp_isa.h>

/**
 * struct unattended - a handler, and the comparators of its GPU
 * @gfx: version of the GPU, as KFD's topology has it
 * @layout: of its memory
 * @code: instructions
 * @code_bytes: how long they are
 * @granule: smallest block of a comparator, bytes
 * @largest: largest one
 */
struct unattended {
	u32 gfx;
	const struct gpubp_handler *layout;
	const void *code;
	size_t code_bytes;
	u32 granule;
	u64 largest;
};

/** unattended_find() - of a GPU; false if it has none */
bool unattended_find(u32 gfx, struct unattended *handler);

#endif /* GPUBP_ROCR_UNATTENDED_H */
