/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The gfx9 instruction set as data: decoded instructions.
 *
 * Pure: no lock, no time, no allocation; compiles in user space. Used by the
 * ISA table that the core sees (isa.c) and by the software GPU's interpreter.
 * Encodings: AMD "Vega", "CDNA2" and "CDNA3" ISA documents; opcode numbers
 * checked against LLVM by tests/host.
 */
#ifndef _GPUBP_ISA_GFX9_GFX9_H
#define _GPUBP_ISA_GFX9_GFX9_H

#include <linux/types.h>

/* processors that share these tables; a bit mask in the opcode tables */
enum gfx9_arch {
	GFX9_GFX900	= 1,
	GFX9_GFX90A	= 2,
	GFX9_GFX942	= 4,
};

enum gfx9_fmt {
	GFX9_ILLEGAL,
	GFX9_SOP1, GFX9_SOP2, GFX9_SOPK, GFX9_SOPC, GFX9_SOPP, GFX9_SMEM,
	GFX9_VOP1, GFX9_VOP2, GFX9_VOPC, GFX9_VOP3, GFX9_VOP3P,
	GFX9_DS, GFX9_FLAT, GFX9_MUBUF,
};

/* source operand codes (9 bits), as encoded */
#define GFX9_SRC_FLAT_SCRATCH	102
#define GFX9_SRC_XNACK		104
#define GFX9_SRC_VCC		106
#define GFX9_SRC_TTMP		108
#define GFX9_SRC_M0		124
#define GFX9_SRC_EXEC		126
#define GFX9_SRC_SDWA		249
#define GFX9_SRC_DPP		250
#define GFX9_SRC_VCCZ		251
#define GFX9_SRC_EXECZ		252
#define GFX9_SRC_SCC		253
#define GFX9_SRC_LITERAL	255
#define GFX9_SRC_VGPR		256

/* FLAT segment */
#define GFX9_SEG_FLAT		0
#define GFX9_SEG_SCRATCH	1
#define GFX9_SEG_GLOBAL		2

#define GFX9_SADDR_OFF		0x7f

/**
 * struct gfx9_inst - one decoded instruction
 * @fmt: encoding
 * @arch: processor it was decoded for
 * @op: opcode field *in that encoding*. A VOP1, VOP2 or VOPC operation encoded
 *	as VOP3 keeps @fmt GFX9_VOP3 and the VOP3 opcode (gfx9_vop3_base())
 * @len: bytes, 4 or 8, literal and SDWA/DPP dword included
 * @seg: GFX9_SEG_* of GFX9_FLAT
 * @src: source operand codes; 256 and up are VGPRs. FLAT/MUBUF/DS: unused.
 *	With @sdwa or @dpp the operands that the extra dword names (SRC0; a
 *	scalar SRC0 or SRC1 of SDWA), never GFX9_SRC_SDWA or GFX9_SRC_DPP.
 *	SOPK: src[0] is SDST too. src[2] of a VOP2 that reads VCC (cndmask,
 *	addc, subb, subbrev) is GFX9_SRC_VCC
 * @dst: SDST (scalar) or VDST (vector). VOPC and VOPC as VOP3: the scalar
 *	destination pair. MUBUF: VDATA
 * @sdst: second (scalar) destination of VOP3B; of a VOP2 that writes a carry,
 *	GFX9_SRC_VCC
 * @literal: value of operand GFX9_SRC_LITERAL (or of madmk, madak,
 *	s_setreg_imm32), or the SDWA/DPP dword
 * @simm16: SOPK, SOPP
 * @offset: SMEM (signed, 0 unless @imm), FLAT (signed), MUBUF (unsigned), DS
 *	(offset1 << 8 | offset0)
 * @vaddr: address VGPR of FLAT, MUBUF, DS
 * @vdata: data VGPR of FLAT, MUBUF, DS (FLAT: DATA, MUBUF: VDATA)
 * @vdata1: DS DATA1
 * @saddr: FLAT SADDR (GFX9_SADDR_OFF none), MUBUF SRSRC * 4, SMEM SBASE * 2
 * @soffset: MUBUF SOFFSET or SMEM SOFFSET operand code (SMEM: used if @soe or
 *	not @imm)
 * @abs: VOP3 modifier, one bit per source, or that of the SDWA/DPP dword
 * @neg: likewise
 * @omod: likewise, of the result
 * @op_sel: VOP3, VOP3P
 * @op_sel_hi: VOP3P
 * @neg_hi: VOP3P
 * @clamp: VOP3, VOP3P, SDWA
 * @glc: FLAT, MUBUF, SMEM; of an atomic: it returns the old value. sc0 of gfx942
 * @slc: FLAT, MUBUF; nt of gfx942
 * @lds: MUBUF loads to LDS (store_lds_dword: from LDS)
 * @imm: SMEM has an offset in the instruction
 * @soe: SMEM has an SGPR offset as well
 * @idxen: MUBUF takes an index from @vaddr
 * @offen: MUBUF takes an offset from @vaddr, or the next VGPR with @idxen
 * @nv: SMEM, FLAT of gfx900
 * @acc: (gfx90a, gfx942) data of FLAT, MUBUF, DS are accumulation registers
 * @tfe: MUBUF of gfx900
 * @gds: DS
 * @sve: FLAT in the scratch segment: @vaddr is used. gfx942 has a bit for it,
 *	the others use it without @saddr
 * @sdwa: @literal is an SDWA dword
 * @dpp: @literal is a DPP dword
 * @has_literal: @literal is a literal
 * @name: mnemonic as LLVM spells it, without _e32/_e64/_sdwa/_dpp
 */
struct gfx9_inst {
	enum gfx9_fmt fmt;
	enum gfx9_arch arch;
	u16 op;
	u8 len;
	u8 seg;
	u16 src[3];
	u16 dst;
	u16 sdst;
	u32 literal;
	u16 simm16;
	s32 offset;
	u8 vaddr, vdata, vdata1;
	u8 saddr;
	u8 soffset;
	u8 abs, neg, omod, op_sel, op_sel_hi, neg_hi;
	bool clamp, glc, slc, lds, imm, soe, idxen, offen, nv, acc, tfe, gds, sve;
	bool sdwa, dpp, has_literal;
	const char *name;
};

/**
 * gfx9_decode() - decode one instruction
 * @arch: processor
 * @words: little-endian dwords; up to two are read
 * @nr_words: dwords available at @words
 * @inst: the result, all of it written
 *
 * Return: its length in bytes; -EILSEQ if LLVM's disassembler finds no
 * instruction of @arch (@inst->fmt is GFX9_ILLEGAL, @inst->len 4); -ENODATA if
 * @nr_words is too small.
 */
int gfx9_decode(enum gfx9_arch arch, const u32 *words, unsigned int nr_words,
		struct gfx9_inst *inst);

/**
 * gfx9_vop3_base() - the operation that a VOP3 opcode encodes
 * @op: opcode of GFX9_VOP3
 * @fmt: GFX9_VOPC, GFX9_VOP2 or GFX9_VOP1
 * @op32: opcode in @fmt
 *
 * Return: false, without output, if the operation exists in VOP3 only.
 */
bool gfx9_vop3_base(unsigned int op, enum gfx9_fmt *fmt, unsigned int *op32);

#endif /* _GPUBP_ISA_GFX9_GFX9_H */
