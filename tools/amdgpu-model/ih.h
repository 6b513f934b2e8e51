/* SPDX-License-Identifier: GPL-2.0 */
/* The interrupt handler (IH): a ring of entries in memory, and an MSI for each. */
#ifndef AMDGPU_MODEL_IH_H
#define AMDGPU_MODEL_IH_H

#include "irq.h"
#include "vm.h"

/**
 * struct ih_entry - an interrupt, before it is an entry of eight dwords
 * @client: enum soc15_ih_clientid
 * @source: number at that client
 * @ring: ring_id
 * @vmid: of its cause
 * @pasid: same
 * @data: src_data, four dwords
 */
struct ih_entry {
	uint8_t client;
	uint8_t source;
	uint8_t ring;
	uint8_t vmid;
	uint16_t pasid;
	uint32_t data[4];
};

/**
 * struct ih - the ring
 * @log: for what is lost
 * @access: memory
 * @regs: IH_*
 * @irq: MSI
 * @gc_node: node ID of what the graphics core raises
 * @delivered: entries
 * @lost: entries that found no room, or no ring
 */
struct ih {
	struct log *log;
	struct vm_access *access;
	struct registers *regs;
	struct irq_line *irq;
	uint8_t gc_node;
	uint64_t delivered;
	uint64_t lost;
};

/** ih_raise() - add @entry to the ring and interrupt; false: it is lost, and counted */
bool ih_raise(struct ih *ih, const struct ih_entry *entry);

/** ih_raise_fault() - tell amdgpu of a page fault of @vm */
void ih_raise_fault(struct ih *ih, const struct vm *vm,
		    const struct vm_fault *fault);

#endif /* AMDGPU_MODEL_IH_H */
