/* SPDX-License-Identifier: GPL-2.0 */
/* Common parts of the memory instructions FLAT, MUBUF, SMEM and DS. */
#ifndef _GPUBP_PROVIDERS_SIM_WAVE_VMEM_H
#define _GPUBP_PROVIDERS_SIM_WAVE_VMEM_H

#include "interp.h"

/**
 * struct sim_memop - memory operation of an opcode of FLAT or MUBUF
 * @kind: enum sim_access
 * @width: bytes per lane, 0 if there is no such instruction
 * @regs: data registers
 * @is_signed: sign-extend elements narrower than a register
 * @d16: preserve the other half of the register
 * @hi: @d16 goes to the upper half; a store takes it from there
 */
struct sim_memop {
	enum sim_access kind;
	u8 width;
	u8 regs;
	bool is_signed, d16, hi;
};

/**
 * struct sim_rmw - operands of an atomic operation
 * @src: operand that is stored, added etc.
 * @cmp: operand that is compared, or a second operand
 * @fm: modes of floating-point operations, softfloat.h
 */
struct sim_rmw {
	u64 src;
	u64 cmp;
	unsigned int fm;
};

typedef u64 (*sim_rmw_fn)(u64 old, const void *data);

/**
 * struct sim_vmem - one vector memory instruction in progress
 * @op: memory operation
 * @data: first data register in wave->v
 * @cmp: first register of an atomic's second operand
 * @dst: first result register
 * @to_lds: a load whose result goes to LDS, a dword for each lane
 * @lds_off: offset of lane 0's there
 * @returns: an atomic that returns the old value
 * @rmw: function of an atomic
 * @fm: modes of a floating-point atomic in memory
 * @lds_fm: the same in LDS
 * @mem: lanes that access memory, wave->work.addrs their addresses
 * @lds: lanes that access LDS, wave->work.addrs their offsets
 * @zero: lanes out of range: loads and atomics return zero, stores are dropped
 * @pieces: lanes whose element is moved dword by dword, since it is not
 *	contiguous or partly out of range; work.addrs: its first byte,
 *	work.avail: its bytes
 * @torn: lanes whose atomic operation would be split likewise: they fail
 * @step: distance of its dwords
 * @done: lanes of @mem whose access succeeded
 * @row: register whose lanes are moved as they are, NULL: by work.data
 */
struct sim_vmem {
	struct sim_memop op;
	unsigned int data;
	unsigned int cmp;
	unsigned int dst;
	bool to_lds;
	u32 lds_off;
	bool returns;
	sim_rmw_fn rmw;
	unsigned int fm, lds_fm;
	u64 mem, lds, zero;
	u64 pieces;
	u64 torn;
	u32 step;
	u64 done;
	u32 *row;
};

/* vmem_atomic.c: FLAT's opcodes, and operations that only LDS has */
enum sim_rmw_op {
	SIM_RMW_SWAP = 64, SIM_RMW_CMPSWAP, SIM_RMW_ADD, SIM_RMW_SUB,
	SIM_RMW_SMIN, SIM_RMW_UMIN, SIM_RMW_SMAX, SIM_RMW_UMAX, SIM_RMW_AND,
	SIM_RMW_OR, SIM_RMW_XOR, SIM_RMW_INC, SIM_RMW_DEC, SIM_RMW_ADD_F32,
	SIM_RMW_PK_ADD_F16, SIM_RMW_ADD_F64, SIM_RMW_MIN_F64, SIM_RMW_MAX_F64,
	SIM_RMW_PK_ADD_BF16,
	SIM_RMW_WIDE = 32,	/* added: the 64-bit form */
	SIM_RMW_RSUB = 128, SIM_RMW_MSKOR, SIM_RMW_WRAP, SIM_RMW_CMPSWAP_F32,
	SIM_RMW_MIN_F32, SIM_RMW_MAX_F32, SIM_RMW_CMPSWAP_F64,
};

sim_rmw_fn sim_rmw_find(unsigned int op);
int sim_rmw_memop(unsigned int op, struct sim_memop *m);
void sim_vmem_atomic(struct sim_wave *w, struct sim_vmem *m);

/* vmem.c */
int sim_memop_find(unsigned int op, struct sim_memop *m);
int sim_vmem_run(struct sim_wave *w, struct sim_vmem *m);

/* vmem_addr.c */
int sim_flat_addrs(struct sim_wave *w, const struct gfx9_inst *i,
		   struct sim_vmem *m);
int sim_mubuf_addrs(struct sim_wave *w, const struct gfx9_inst *i,
		    struct sim_vmem *m);

/* lds_access.c */
void sim_lds_access(struct sim_wave *w, struct sim_vmem *m);
void sim_lds_store(struct sim_wave *w, u32 off, u32 val);
int sim_ds_addrs(struct sim_wave *w, const struct gfx9_inst *i, u32 off);
void sim_ds_move_addrs(struct sim_wave *w, s32 delta);

/* lds_atomic.c, lds_lanes.c */
unsigned int sim_lds_float_mode(const struct sim_wave *w, unsigned int op);
int sim_ds_atomic(struct sim_wave *w, const struct gfx9_inst *i);
int sim_ds_permute(struct sim_wave *w, const struct gfx9_inst *i, bool back);
int sim_ds_swizzle(struct sim_wave *w, const struct gfx9_inst *i);

#endif /* _GPUBP_PROVIDERS_SIM_WAVE_VMEM_H */
