/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opcode tables of gfx9: mnemonics, the processors that have an opcode, and
 * what its encoding allows.
 */
#ifndef _GPUBP_ISA_GFX9_OPS_H
#define _GPUBP_ISA_GFX9_OPS_H

#include <linux/bits.h>
#include <linux/types.h>
#include "gfx9.h"

#define GFX9_OPF_SDWA		BIT(0)	/* source code 249 allowed */
#define GFX9_OPF_DPP		BIT(1)	/* source code 250 allowed */
#define GFX9_OPF_DPP90A		BIT(2)	/* ... from gfx90a on */
#define GFX9_OPF_E64		BIT(3)	/* can be encoded as VOP3 */
#define GFX9_OPF_LITERAL	BIT(4)	/* a literal dword always follows */
#define GFX9_OPF_NO_SRC		BIT(5)	/* SRC0 ignored, or a register */
#define GFX9_OPF_SDST		BIT(6)	/* scalar destination: VCC, or VOP3B */
#define GFX9_OPF_CARRY_IN	BIT(7)	/* third source: VCC unless VOP3 */

enum gfx9_mem_kind {
	GFX9_MEM_NONE,
	GFX9_MEM_LOAD,
	GFX9_MEM_STORE,
	GFX9_MEM_ATOMIC,
};

/**
 * struct gfx9_op - a row
 * @name: mnemonic without encoding suffix
 * @arch: bit mask of enum gfx9_arch, 0 no such opcode
 * @flags: GFX9_OPF_*
 * @kind: enum gfx9_mem_kind
 * @width: bytes that a lane accesses; 0 none, or by the buffer's format
 * @regs: data registers
 * @high: the data is in the upper half of the register
 */
struct gfx9_op {
	const char *name;
	u8 arch;
	u8 flags;
	u8 kind;
	u8 width;
	u8 regs;
	bool high;
};

/**
 * struct gfx9_op_table - rows by opcode
 * @ops: most rows
 * @other: rows that replace those of @ops on their processors, or NULL
 * @nr: rows in @ops
 * @nr_other: rows in @other
 */
struct gfx9_op_table {
	const struct gfx9_op *ops;
	const struct gfx9_op *other;
	u16 nr;
	u16 nr_other;
};

#define GFX9_OP_TABLE(o)	{ .ops = (o), .nr = ARRAY_SIZE(o) }
#define GFX9_OP_TABLE_OTHER(o, x) \
	{ .ops = (o), .nr = ARRAY_SIZE(o), \
	  .other = (x), .nr_other = ARRAY_SIZE(x) }

#define GFX9_FROM_90A		(GFX9_GFX90A | GFX9_GFX942)
#define GFX9_ANY		(GFX9_GFX900 | GFX9_FROM_90A)
#define GFX9_TO_90A		(GFX9_GFX900 | GFX9_GFX90A)

/* rows of the tables */
#define OP_ON(a, n, f)		{ .name = (n), .arch = (a), .flags = (f) }
#define OP(n, f)		OP_ON(GFX9_ANY, n, f)
#define OP900(n, f)		OP_ON(GFX9_GFX900, n, f)
#define OP90A(n, f)		OP_ON(GFX9_FROM_90A, n, f)
#define OP942(n, f)		OP_ON(GFX9_GFX942, n, f)
#define MEM_ON(a, n, k, w, r) \
	{ .name = (n), .arch = (a), .kind = (k), .width = (w), .regs = (r) }
#define MEM(n, k, w, r)		MEM_ON(GFX9_ANY, n, k, w, r)
#define MEM_HIGH(n, k, w, r) \
	{ .name = (n), .arch = GFX9_ANY, .kind = (k), .width = (w), \
	  .regs = (r), .high = true }
#define MEM90A(n, k, w, r)	MEM_ON(GFX9_FROM_90A, n, k, w, r)
#define MEM942(n, k, w, r)	MEM_ON(GFX9_GFX942, n, k, w, r)

extern const struct gfx9_op_table gfx9_sop1_table, gfx9_sop2_table,
	gfx9_sopk_table, gfx9_sopc_table, gfx9_sopp_table, gfx9_smem_table,
	gfx9_vop1_table, gfx9_vop2_table, gfx9_vopc_table, gfx9_vop3_table,
	gfx9_vop3p_table, gfx9_ds_table, gfx9_mubuf_table;
extern const struct gfx9_op_table gfx9_flat_tables[3];

/**
 * gfx9_op_find() - the row of an opcode
 * @arch: processor
 * @fmt: encoding, not GFX9_ILLEGAL
 * @seg: segment of GFX9_FLAT
 * @op: opcode in @fmt
 *
 * Return: the row or NULL if @arch has no such instruction.
 */
const struct gfx9_op *gfx9_op_find(enum gfx9_arch arch, enum gfx9_fmt fmt,
				   unsigned int seg, unsigned int op);

#endif /* _GPUBP_ISA_GFX9_OPS_H */
