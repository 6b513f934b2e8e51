// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "oss/osssys_4_2_0_sh_mask.h"
#include "gc/gc_9_4_2_sh_mask.h"
#include "soc15_ih_clientid.h"
#include "ivsrcid/vmc/irqsrcs_vmc_1_0.h"

#include "field.h"
#include "ih.h"

#define ENTRY_DWORDS	8
#define ENTRY_BYTES	(ENTRY_DWORDS * 4)
/* IH_RB_CNTL.MC_SPACE: addresses of the ring are the GPU's; else, the bus's */
#define SPACE_GPU	4

static bool ring_write(struct ih *ih, uint64_t address, const void *buf,
		       size_t len)
{
	uint32_t cntl = reg_get(ih->regs, R_OSSSYS_IH_RB_CNTL);
	void *at;

	if (FIELD_GET(cntl, IH_RB_CNTL, MC_SPACE) == SPACE_GPU)
		return vm_write(ih->access, &vm_kernel, address, buf, len);
	at = dma_at(&ih->access->mem->dma, address, len, true);
	if (at)
		memcpy(at, buf, len);
	return at;
}

static uint32_t ring_bytes(uint32_t cntl)
{
	uint32_t order = FIELD_GET(cntl, IH_RB_CNTL, RB_SIZE);

	return order > 24 ? 4u << 24 : 4u << order;
}

/* the others that interrupt are SDMA engines, which belong to no graphics core */
static bool is_of_gc(const struct ih_entry *entry)
{
	switch (entry->client) {
	case SOC15_IH_CLIENTID_GRBM_CP:
	case SOC15_IH_CLIENTID_UTCL2:
	case SOC15_IH_CLIENTID_SE0SH:
	case SOC15_IH_CLIENTID_SE1SH:
	case SOC15_IH_CLIENTID_SE2SH:
	case SOC15_IH_CLIENTID_SE3SH:
		return true;
	default:
		return false;
	}
}

static void entry_pack(const struct ih *ih, const struct ih_entry *entry,
		       uint32_t dw[ENTRY_DWORDS])
{
	uint64_t now = clock_ticks();

	memset(dw, 0, ENTRY_BYTES);
	dw[0] = entry->client | entry->source << 8 | entry->ring << 16 |
		(uint32_t)entry->vmid << 24;
	dw[1] = now;
	dw[2] = now >> 32 & 0xffff;
	dw[3] = entry->pasid | (is_of_gc(entry) ? ih->gc_node : 0) << 16;
	memcpy(dw + 4, entry->data, sizeof(entry->data));
}

static bool ih_lose(struct ih *ih, const struct ih_entry *entry, const char *why)
{
	ih->lost++;
	log_line(ih->log, "ih", "lost: client 0x%02x source %u: %s",
		 entry->client, entry->source, why);
	return false;
}

bool ih_raise(struct ih *ih, const struct ih_entry *entry)
{
	uint32_t cntl = reg_get(ih->regs, R_OSSSYS_IH_RB_CNTL);
	uint32_t size = ring_bytes(cntl);
	uint32_t rptr = reg_get(ih->regs, R_OSSSYS_IH_RB_RPTR) % size;
	/* whatever was written there: entries do not go over the end */
	uint32_t wptr = reg_get(ih->regs, R_OSSSYS_IH_RB_WPTR) % size /
			ENTRY_BYTES * ENTRY_BYTES;
	uint32_t next = (wptr + ENTRY_BYTES) % size;
	uint32_t dw[ENTRY_DWORDS];

	if (!FIELD_GET(cntl, IH_RB_CNTL, RB_ENABLE) || size < 2 * ENTRY_BYTES)
		return ih_lose(ih, entry, "the ring is off");
	if (next == rptr)
		return ih_lose(ih, entry, "the ring is full");
	entry_pack(ih, entry, dw);
	if (!ring_write(ih, ((uint64_t)reg_get(ih->regs, R_OSSSYS_IH_RB_BASE) |
			     (uint64_t)reg_get(ih->regs, R_OSSSYS_IH_RB_BASE_HI)
				     << 32) * 256 + wptr, dw, ENTRY_BYTES))
		return ih_lose(ih, entry, "the ring is not in memory");
	reg_set(ih->regs, R_OSSSYS_IH_RB_WPTR, next);
	if (FIELD_GET(cntl, IH_RB_CNTL, WPTR_WRITEBACK_ENABLE))
		ring_write(ih, reg_get64(ih->regs, R_OSSSYS_IH_RB_WPTR_ADDR_LO,
					 R_OSSSYS_IH_RB_WPTR_ADDR_HI), &next, 4);
	ih->delivered++;
	if (FIELD_GET(cntl, IH_RB_CNTL, ENABLE_INTR))
		irq_raise(ih->irq);
	return true;
}

void ih_raise_fault(struct ih *ih, const struct vm *vm,
		    const struct vm_fault *fault)
{
	uint64_t page = fault->va >> 12;
	struct ih_entry entry = {
		.client = SOC15_IH_CLIENTID_UTCL2,
		.source = VMC_1_0__SRCID__VM_FAULT,
		.vmid = vm->vmid,
		.pasid = vm->pasid,
		.data = { page, (page >> 32 & 0xf) | (fault->write ? 0x20 : 0) },
	};

	reg_set(ih->regs, R_GC_VM_L2_PROTECTION_FAULT_STATUS,
		FIELD_PUT(VM_L2_PROTECTION_FAULT_STATUS, VMID, vm->vmid) |
		FIELD_PUT(VM_L2_PROTECTION_FAULT_STATUS, RW, fault->write) |
		FIELD_PUT(VM_L2_PROTECTION_FAULT_STATUS, WALKER_ERROR,
			  fault->level < 0 ? 0 : fault->level + 1));
	ih_raise(ih, &entry);
}
