/* SPDX-License-Identifier: GPL-2.0 */
/* The SDMA engines: copies, fills and fences, of the kernel's rings and of user queues. */
#ifndef AMDGPU_MODEL_SDMA_H
#define AMDGPU_MODEL_SDMA_H

#include "engine.h"

enum sdma_ring { SDMA_GFX, SDMA_PAGE, SDMA_NR_RINGS };

/**
 * struct sdma_registers - where the registers of a ring of the kernel are
 * @rb_cntl: size, enable
 * @rb_base: address
 * @rb_base_hi: its upper half
 * @rb_rptr: read pointer
 * @rb_rptr_addr_lo: where it is reported
 * @rb_rptr_addr_hi: its upper half
 * @doorbell: enable
 * @doorbell_offset: which
 */
struct sdma_registers {
	uint32_t rb_cntl;
	uint32_t rb_base;
	uint32_t rb_base_hi;
	uint32_t rb_rptr;
	uint32_t rb_rptr_addr_lo;
	uint32_t rb_rptr_addr_hi;
	uint32_t doorbell;
	uint32_t doorbell_offset;
};

/**
 * struct sdma - the engines
 * @nr: how many
 * @ring: registers of each
 */
struct sdma {
	unsigned int nr;
	struct sdma_registers ring[MODEL_NR_SDMA][SDMA_NR_RINGS];
};

/** sdma_init() - find the registers; false, told: a name is missing */
bool sdma_init(struct sdma *sdma, struct registers *regs,
	       const struct personality *personality);

/** sdma_doorbell() - if @doorbell is a ring's of the kernel, execute up to byte @value; false: it is not */
bool sdma_doorbell(struct engine *e, const struct sdma *sdma, uint32_t doorbell,
		   uint64_t value);

/** sdma_written() - the driver wrote register @index: a ring that it switches off is forgotten */
void sdma_written(struct engine *e, const struct sdma *sdma, uint32_t index);

/** sdma_run() - execute what @queue (QUEUE_SDMA) has */
void sdma_run(struct engine *e, struct queue *queue);

#endif /* AMDGPU_MODEL_SDMA_H */
