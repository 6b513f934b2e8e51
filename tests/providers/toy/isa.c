// SPDX-License-Identifier: GPL-2.0
/*
 * The toy's instruction set as declared to the core: scalar waves of one lane,
 * instructions of 16 bytes, no trap handler.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/string.h>

#include "toy.h"

static u64 offset_of(const struct gpubp_insn *insn)
{
	return insn->isa_priv[0] | (u64)insn->isa_priv[1] << 32;
}

static void fill_access(const struct toy_insn *code, struct gpubp_insn *insn)
{
	insn->is_access = true;
	insn->access = code->access;
	insn->width = code->width;
	insn->nr_regs = 1;
	insn->regs[0] = (struct gpubp_reg_req) {
		.file = GPUBP_REG_SCALAR,
		.first = code->base,
		.count = 2,
	};
	insn->isa_priv[0] = lower_32_bits(code->offset);
	insn->isa_priv[1] = upper_32_bits(code->offset);
}

static int decode(const void *bytes, size_t avail, struct gpubp_insn *insn)
{
	struct toy_insn code;

	if (avail < sizeof(code))
		return -ENODATA;
	memcpy(&code, bytes, sizeof(code));
	memset(insn, 0, sizeof(*insn));
	insn->len = sizeof(code);
	switch (code.op) {
	case TOY_OP_ACCESS:
		fill_access(&code, insn);
		return 0;
	case TOY_OP_END:
	case TOY_OP_JUMP:
		insn->changes_pc = true;
		return 0;
	case TOY_OP_NOP:
	case TOY_OP_BREAK:
		return 0;
	}
	return -EILSEQ;
}

static int access_before(const void *bytes, size_t avail,
			 struct gpubp_insn *insn)
{
	const u8 *end = bytes + avail;

	if (avail < sizeof(struct toy_insn) ||
	    decode(end - sizeof(struct toy_insn), sizeof(struct toy_insn),
		   insn) || !insn->is_access)
		return -ENOENT;
	return insn->len;
}

static u64 lane_addrs(const struct gpubp_insn *insn, const u32 *regs, u64 exec,
		      u64 addrs[GPUBP_MAX_LANES])
{
	addrs[0] = (regs[0] | (u64)regs[1] << 32) + offset_of(insn);
	if (toy_fault(TOY_FAULT_COARSE))
		addrs[0] &= ~127ULL;
	return exec & 1;
}

/* matches without a stop are no hits: clear them */
static bool trap_edit(u32 *regs, bool watch, u32 exceptions)
{
	if (regs[TOY_CTL_TRAPS] == watch)
		return false;
	regs[TOY_CTL_TRAPS] = watch;
	regs[TOY_CTL_MATCHED] = 0;
	return true;
}

const struct gpubp_isa toy_isa = {
	.name = "toy",
	.nr_lanes = 1,
	.insn_align = sizeof(struct toy_insn),
	.insn_max = sizeof(struct toy_insn),
	.break_word = TOY_BREAK_WORD,
	.break_len = sizeof(u32),
	.decode = decode,
	.access_before = access_before,
	.lane_addrs = lane_addrs,
	.nr_trap_regs = TOY_CTLS,
	.trap_regs = { .file = GPUBP_REG_CONTROL, .count = TOY_CTLS },
	.trap_edit = trap_edit,
};
EXPORT_SYMBOL_GPL(toy_isa);
