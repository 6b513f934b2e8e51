/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The register file: 32-bit registers by their address in dwords, with what
 * amdgpu calls them. Some are banked: one for each queue or VMID, selected by
 * GRBM_GFX_CNTL.
 *
 * A register is modelled if the model does something with it, or if it is
 * plain, that is, known to do nothing that a driver could see. Others are storage,
 * too, but every access is counted, and the first ones are logged.
 */
#ifndef AMDGPU_MODEL_REGISTERS_H
#define AMDGPU_MODEL_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "log.h"
#include "personality.h"

/* X(block, name, banked by, told: each access is in the log) */
#define MODEL_REGISTERS(X)						\
	X(GC, GRBM_GFX_CNTL, NOTHING, false)				\
	X(GC, GRBM_GFX_INDEX, NOTHING, false)				\
	X(GC, SCRATCH_REG0, NOTHING, false)				\
	X(GC, RLC_SAFE_MODE, NOTHING, false)				\
	X(GC, RLC_CAPTURE_GPU_CLOCK_COUNT, NOTHING, false)		\
	X(GC, RLC_GPU_CLOCK_COUNT_LSB, NOTHING, false)			\
	X(GC, RLC_GPU_CLOCK_COUNT_MSB, NOTHING, false)			\
	X(GC, SH_MEM_CONFIG, VMID, false)				\
	X(GC, SH_MEM_BASES, VMID, false)				\
	X(GC, SQ_SHADER_TBA_LO, VMID, true)				\
	X(GC, SQ_SHADER_TBA_HI, VMID, true)				\
	X(GC, SQ_SHADER_TMA_LO, VMID, true)				\
	X(GC, SQ_SHADER_TMA_HI, VMID, true)				\
	X(GC, SPI_GDBG_PER_VMID_CNTL, VMID, true)			\
	X(GC, SPI_GDBG_WAVE_CNTL, NOTHING, true)			\
	X(GC, SPI_GDBG_TRAP_CONFIG, NOTHING, true)			\
	X(GC, TCP_WATCH0_ADDR_H, NOTHING, true)				\
	X(GC, TCP_WATCH0_ADDR_L, NOTHING, true)				\
	X(GC, TCP_WATCH0_CNTL, VMID, true)				\
	X(GC, TCP_WATCH1_ADDR_H, NOTHING, true)				\
	X(GC, TCP_WATCH1_ADDR_L, NOTHING, true)				\
	X(GC, TCP_WATCH1_CNTL, VMID, true)				\
	X(GC, TCP_WATCH2_ADDR_H, NOTHING, true)				\
	X(GC, TCP_WATCH2_ADDR_L, NOTHING, true)				\
	X(GC, TCP_WATCH2_CNTL, VMID, true)				\
	X(GC, TCP_WATCH3_ADDR_H, NOTHING, true)				\
	X(GC, TCP_WATCH3_ADDR_L, NOTHING, true)				\
	X(GC, TCP_WATCH3_CNTL, VMID, true)				\
	X(GC, SQ_CMD, NOTHING, true)					\
	X(GC, SQ_IND_INDEX, NOTHING, false)				\
	X(GC, SQ_IND_DATA, NOTHING, false)				\
	X(GC, CP_HQD_ACTIVE, QUEUE, false)				\
	X(GC, CP_HQD_VMID, QUEUE, false)				\
	X(GC, CP_HQD_PQ_BASE, QUEUE, false)				\
	X(GC, CP_HQD_PQ_BASE_HI, QUEUE, false)				\
	X(GC, CP_HQD_PQ_RPTR, QUEUE, false)				\
	X(GC, CP_HQD_PQ_RPTR_REPORT_ADDR, QUEUE, false)			\
	X(GC, CP_HQD_PQ_RPTR_REPORT_ADDR_HI, QUEUE, false)		\
	X(GC, CP_HQD_PQ_WPTR_POLL_ADDR, QUEUE, false)			\
	X(GC, CP_HQD_PQ_WPTR_POLL_ADDR_HI, QUEUE, false)		\
	X(GC, CP_HQD_PQ_DOORBELL_CONTROL, QUEUE, false)			\
	X(GC, CP_HQD_PQ_CONTROL, QUEUE, false)				\
	X(GC, CP_HQD_PQ_WPTR_LO, QUEUE, false)				\
	X(GC, CP_HQD_PQ_WPTR_HI, QUEUE, false)				\
	X(GC, CP_HQD_DEQUEUE_REQUEST, QUEUE, false)			\
	X(GC, CP_MQD_BASE_ADDR, QUEUE, false)				\
	X(GC, CP_MQD_BASE_ADDR_HI, QUEUE, false)			\
	X(GC, CP_ME1_PIPE0_INT_CNTL, NOTHING, false)			\
	X(GC, MC_VM_FB_LOCATION_BASE, NOTHING, false)			\
	X(GC, MC_VM_FB_LOCATION_TOP, NOTHING, false)			\
	X(GC, VM_CONTEXT0_CNTL, NOTHING, false)				\
	X(GC, VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32, NOTHING, false)	\
	X(GC, VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32, NOTHING, false)	\
	X(GC, VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32, NOTHING, false)	\
	X(GC, VM_CONTEXT0_PAGE_TABLE_START_ADDR_HI32, NOTHING, false)	\
	X(GC, VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32, NOTHING, false)	\
	X(GC, VM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32, NOTHING, false)	\
	X(GC, VM_INVALIDATE_ENG0_SEM, NOTHING, false)			\
	X(GC, VM_INVALIDATE_ENG0_REQ, NOTHING, false)			\
	X(GC, VM_INVALIDATE_ENG0_ACK, NOTHING, false)			\
	X(GC, VM_L2_PROTECTION_FAULT_CNTL, NOTHING, false)		\
	X(GC, VM_L2_PROTECTION_FAULT_STATUS, NOTHING, false)		\
	X(MMHUB, MC_VM_FB_LOCATION_BASE, NOTHING, false)		\
	X(MMHUB, MC_VM_FB_LOCATION_TOP, NOTHING, false)			\
	X(MMHUB, VM_INVALIDATE_ENG0_SEM, NOTHING, false)		\
	X(MMHUB, VM_INVALIDATE_ENG0_REQ, NOTHING, false)		\
	X(MMHUB, VM_INVALIDATE_ENG0_ACK, NOTHING, false)		\
	X(ATHUB, ATC_VMID0_PASID_MAPPING, NOTHING, false)		\
	X(OSSSYS, IH_RB_CNTL, NOTHING, false)				\
	X(OSSSYS, IH_RB_BASE, NOTHING, false)				\
	X(OSSSYS, IH_RB_BASE_HI, NOTHING, false)			\
	X(OSSSYS, IH_RB_RPTR, NOTHING, false)				\
	X(OSSSYS, IH_RB_WPTR, NOTHING, false)				\
	X(OSSSYS, IH_RB_WPTR_ADDR_LO, NOTHING, false)			\
	X(OSSSYS, IH_RB_WPTR_ADDR_HI, NOTHING, false)			\
	X(OSSSYS, IH_DOORBELL_RPTR, NOTHING, false)			\
	X(NBIO, GPU_HDP_FLUSH_REQ, NOTHING, false)			\
	X(NBIO, GPU_HDP_FLUSH_DONE, NOTHING, false)			\
	X(NBIO, MM_INDEX, NOTHING, false)				\
	X(NBIO, MM_INDEX_HI, NOTHING, false)				\
	X(NBIO, MM_DATA, NOTHING, false)				\
	X(NBIO, PCIE_INDEX2, NOTHING, false)				\
	X(NBIO, PCIE_DATA2, NOTHING, false)				\
	X(NBIO, RCC_CONFIG_MEMSIZE, NOTHING, false)

enum model_register {
	R_NONE,
#define X(block, name, bank, told) R_##block##_##name,
	MODEL_REGISTERS(X)
#undef X
	R_NR
};

/* how many invalidation engines a hub has; their registers follow each other */
#define MODEL_NR_INVALIDATE	18

/* dwords that the register BAR covers */
#define MODEL_NR_REGISTERS	(0x80000 / 4)
#define MODEL_NR_VMIDS		16
/* me, pipe, queue: 2, 2 and 3 bits */
#define MODEL_NR_QUEUES		128

enum register_bank { BANK_NOTHING, BANK_QUEUE, BANK_VMID };

/**
 * struct register_cell - a register
 * @name: "BLOCK NAME", NULL unknown
 * @value: what it holds, if it is not banked
 * @banks: what it holds, if it is
 * @reads: how often it was read
 * @writes: how often it was written
 * @id: enum model_register
 * @bank: enum register_bank
 * @modelled: it is
 * @told: each access is in the log
 */
struct register_cell {
	char *name;
	uint32_t value;
	uint32_t *banks;
	uint32_t reads;
	uint32_t writes;
	uint16_t id;
	uint8_t bank;
	bool modelled;
	bool told;
};

/**
 * struct register_poll - whether the driver waits for a register
 * @index: that was read last
 * @value: and what it got
 * @since_ns: when it was read so for the first time
 * @reads: how often since
 * @told: it is in the log
 */
struct register_poll {
	uint32_t index;
	uint32_t value;
	uint64_t since_ns;
	uint64_t reads;
	bool told;
};

/**
 * struct registers - the file
 * @log: for accesses
 * @cell: registers
 * @index: where those are that the model does something with
 * @me: selected by GRBM_GFX_CNTL
 * @pipe: same
 * @queue: same
 * @vmid: same
 * @poll: what the driver waits for
 * @polls: how often it waited for a second
 * @unmodelled: accesses to registers that are not modelled
 */
struct registers {
	struct log *log;
	struct register_cell cell[MODEL_NR_REGISTERS];
	uint32_t index[R_NR];
	uint8_t me, pipe, queue, vmid;
	struct register_poll poll;
	uint64_t polls;
	uint64_t unmodelled;
};

/** registers_create() - of @personality; NULL: out of memory, or it lacks one (see the log) */
struct registers *registers_create(const struct personality *personality,
				   struct log *log);

/** registers_destroy() - NULL is ignored */
void registers_destroy(struct registers *regs);

/** registers_reset() - values after power-on */
void registers_reset(struct registers *regs, const struct personality *personality);

/** registers_find() - address of "BLOCK NAME", or MODEL_NR_REGISTERS */
uint32_t registers_find(const struct registers *regs, const char *name);

/** register_id() - which of enum model_register is at @index */
enum model_register register_id(const struct registers *regs, uint32_t index);

/** register_name() - for the log; @buf is used where the register is unknown */
const char *register_name(const struct registers *regs, uint32_t index,
			  char buf[16]);

/** register_get() - value at @index in the selected bank, not counted */
uint32_t register_get(const struct registers *regs, uint32_t index);

/** register_set() - same */
void register_set(struct registers *regs, uint32_t index, uint32_t value);

/** reg_get() - of a modelled one */
uint32_t reg_get(const struct registers *regs, enum model_register id);

/** reg_set() - same */
void reg_set(struct registers *regs, enum model_register id, uint32_t value);

/** reg_get64() - two of them, the low half first */
uint64_t reg_get64(const struct registers *regs, enum model_register lo,
		   enum model_register hi);

/** reg_get_of_vmid() - of another VMID than the selected one */
uint32_t reg_get_of_vmid(const struct registers *regs, enum model_register id,
			 unsigned int vmid);

/** reg_set_of_vmid() - same */
void reg_set_of_vmid(struct registers *regs, enum model_register id,
		     unsigned int vmid, uint32_t value);

/** registers_bank() - number of the selected queue */
unsigned int registers_bank(const struct registers *regs);

/** registers_count_read() - the driver read @value at @index */
void registers_count_read(struct registers *regs, uint32_t index, uint32_t value);

/** registers_count_write() - the driver writes @value to @index */
void registers_count_write(struct registers *regs, uint32_t index,
			   uint32_t value);

/** registers_summary() - tell what was accessed without being modelled */
void registers_summary(const struct registers *regs);

#endif /* AMDGPU_MODEL_REGISTERS_H */
