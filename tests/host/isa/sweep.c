// SPDX-License-Identifier: GPL-2.0
/*
 * sweep ops32|ops64: print assembler source of instruction words for LLVM to
 * disassemble. Every case takes CASE dwords: two that are compared, then s_nops
 * that bring the disassembler back into step. million.c has random words.
 *
 * ops32: each opcode number of each 32-bit encoding with plain operands, a
 * literal, an SDWA and a DPP dword. ops64: each opcode number of each 64-bit
 * encoding, NR_PATTERNS cases each, so that an opcode exists if any of its
 * cases does.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "gfx9.h"

#define CASE	8
#define S_NOP	0xbf800000U

static void emit(u32 w0, u32 w1)
{
	int n;

	printf(".long 0x%08x, 0x%08x", w0, w1);
	for (n = 2; n < CASE; n++)
		printf(", 0x%08x", S_NOP);
	printf("\n");
}

#define V(n)		(0x100U | (n))
#define VVV		(V(0) | V(0) << 9 | V(0) << 18)
#define NR_PATTERNS	6

struct pattern {
	u32 w0, w1;
};

struct sweep {
	u32 base;
	unsigned int shift, nr;
	struct pattern pattern[NR_PATTERNS];
};

static const struct sweep sweeps32[] = {
	/* VOP2, VOPC, VOP1: SGPR, VGPR, literal, SDWA, DPP */
	{ 0x00000000, 25, 62, { {0, 0}, {V(0), 0}, {255, 0}, {249, 0x06060600},
				{250, 0xff00e400} } },
	{ 0x7c000000, 17, 256, { {0, 0}, {V(0), 0}, {255, 0}, {249, 0x06060000},
				 {250, 0xff00e400} } },
	{ 0x7e000000, 9, 256, { {0, 0}, {V(0), 0}, {255, 0}, {249, 0x00060600},
				{250, 0xff00e400} } },
	/* SOP2, SOPK, SOP1, SOPC, SOPP */
	{ 0x80000000, 23, 96, { {0, 0}, {255, 0}, {0xff00, 0}, {0xffff, 0} } },
	{ 0xb0000000, 23, 29, { {0, 0}, {1, 0}, {0xf801, 0} } },
	{ 0xbe800000, 8, 256, { {0, 0}, {128, 0}, {255, 0} } },
	{ 0xbf000000, 16, 128, { {0, 0}, {255, 0}, {0xff00, 0} } },
	{ 0xbf800000, 16, 128, { {0, 0} } },
	{ }
};

static const struct sweep sweeps64[] = {
	/* SMEM: immediate, SGPR offset, glc */
	{ 0xc0000000, 18, 256, { {0x20000, 0x40}, {0, 2}, {0x30000, 0},
				 {0, 0} } },
	/* VOP3 with VOP3P: three, two, one operands, each scalar or vector */
	{ 0xd0000000, 16, 1024, { {0, VVV}, {0, V(0) | V(0) << 9}, {0, V(0)},
				  {0, 0}, {0, V(0) | V(0) << 9 | 128 << 18},
				  {0, 128 | V(0) << 9} } },
	/* DS, GDS; FLAT, SCRATCH, GLOBAL without and with SADDR */
	{ 0xd8000000, 17, 256, { {0, 0}, {0x10000, 0} } },
	{ 0xdc000000, 18, 128, { {0, 0}, {0x10000, 0} } },
	{ 0xdc004000, 18, 128, { {0, 0x7f0000}, {0, 0} } },
	{ 0xdc008000, 18, 128, { {0, 0x7f0000}, {0, 0}, {0x10000, 0} } },
	/* MUBUF: off, idxen, lds */
	{ 0xe0000000, 18, 128, { {0, 0}, {0x2000, 0}, {0x10000, 0} } },
	{ }
};

static void sweep_one(const struct sweep *s)
{
	unsigned int op, n;

	for (op = 0; op < s->nr; op++)
		for (n = 0; n < NR_PATTERNS; n++)
			emit(s->base | op << s->shift | s->pattern[n].w0,
			     s->pattern[n].w1);
}

static int sweep_ops(const struct sweep *s)
{
	for (; s->nr; s++)
		sweep_one(s);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "ops32"))
		return sweep_ops(sweeps32);
	if (!strcmp(what, "ops64"))
		return sweep_ops(sweeps64);
	return 2;
}
