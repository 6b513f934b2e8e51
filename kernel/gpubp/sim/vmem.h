/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory instructions: what FLAT, MUBUF, SMEM and DS share.
 */
#ifndef _GPUBP_SIM_VMEM_H
#define _GPUBP_SIM_VMEM_H

#include "interp.h"

/**
 * struct sim_memop - what an opcode of FLAT or MUBUF does
 * @kind: enum sim_access
 * @width: bytes a lane, 0 no such instruction
 * @regs: data registers
 * @is_signed: of what is narrower than a register
 * @d16: the other half of the register is kept
 * @hi: @d16 goes to the upper half; a store takes it from there
 */
struct sim_memop {
	enum sim_access kind;
	u8 width;
	u8 regs;
	bool is_signed, d16, hi;
};

/* operands of an atomic operation */
struct sim_rmw {
	u64 src;
	u64 cmp;
};

typedef u64 (*sim_rmw_fn)(u64 old, const void *data);

/**
 * struct sim_vmem - one vector memory instruction under way
 * @op: what it does
 * @data: first data register in wave->v
 * @dst: first result register
 * @returns: an atomic that returns the old value
 * @rmw: function of an atomic
 * @mem: lanes that access memory, wave->work.addrs their addresses
 * @lds: lanes that access LDS, wave->work.addrs their offsets
 * @zero: lanes out of range: loads return zero, stores are dropped
 * @done: lanes of @mem whose access succeeded
 */
struct sim_vmem {
	struct sim_memop op;
	unsigned int data;
	unsigned int dst;
	bool returns;
	sim_rmw_fn rmw;
	u64 mem, lds, zero;
	u64 done;
};

/* vmem_atomic.c */
sim_rmw_fn sim_rmw_find(unsigned int op);
void sim_vmem_atomic(struct sim_wave *w, struct sim_vmem *m);

/* vmem.c */
int sim_memop_find(unsigned int op, struct sim_memop *m);
int sim_vreg(const struct sim_wave *w, unsigned int reg, unsigned int nr,
	     bool acc, unsigned int *row);
int sim_vmem_run(struct sim_wave *w, struct sim_vmem *m);
void sim_vmem_gather(struct sim_wave *w, const struct sim_vmem *m);
void sim_vmem_scatter(struct sim_wave *w, const struct sim_vmem *m, u64 lanes);

/* vmem_addr.c */
int sim_flat_addrs(struct sim_wave *w, const struct gfx9_inst *i,
		   struct sim_vmem *m);
int sim_mubuf_addrs(struct sim_wave *w, const struct gfx9_inst *i,
		    struct sim_vmem *m);

/* lds.c */
void sim_lds_access(struct sim_wave *w, struct sim_vmem *m);

#endif /* _GPUBP_SIM_VMEM_H */
