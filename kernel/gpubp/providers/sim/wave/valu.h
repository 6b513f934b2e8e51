/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Vector arithmetic: operations by their VOP3 opcode, operands as lanes.
 */
#ifndef _GPUBP_PROVIDERS_SIM_WAVE_VALU_H
#define _GPUBP_PROVIDERS_SIM_WAVE_VALU_H

#include "../softfloat/softfloat.h"
#include "interp.h"

/* VOPC is 0-255 in VOP3, VOP2 256 and up, VOP1 320 and up */
#define VOP2_BASE		256
#define VOP1_BASE		320

enum vop {
	V_CMP_CLASS_F32 = 16, V_CMPX_CLASS_F32, V_CMP_CLASS_F64,
	V_CMPX_CLASS_F64, V_CMP_CLASS_F16, V_CMPX_CLASS_F16,
	V_CMP_F16 = 32, V_CMP_F32 = 64, V_CMP_F64 = 96,
	V_CMP_I16 = 160, V_CMP_U16 = 168, V_CMPX_I16 = 176, V_CMPX_U16 = 184,
	V_CMP_I32 = 192, V_CMP_U32 = 200, V_CMPX_I32 = 208, V_CMPX_U32 = 216,
	V_CMP_I64 = 224, V_CMP_U64 = 232, V_CMPX_I64 = 240, V_CMPX_U64 = 248,

	V_CNDMASK_B32 = VOP2_BASE, V_ADD_F32, V_SUB_F32, V_SUBREV_F32,
	V_FMAC_F64,	/* gfx900: v_mul_legacy_f32 */
	V_MUL_F32, V_MUL_I32_I24, V_MUL_HI_I32_I24,
	V_MUL_U32_U24, V_MUL_HI_U32_U24, V_MIN_F32, V_MAX_F32, V_MIN_I32,
	V_MAX_I32, V_MIN_U32, V_MAX_U32, V_LSHRREV_B32, V_ASHRREV_I32,
	V_LSHLREV_B32, V_AND_B32, V_OR_B32, V_XOR_B32, V_MAC_F32,
	V_MADMK_F32, V_MADAK_F32,	/* gfx942: v_fmamk_f32, v_fmaak_f32 */
	V_ADD_CO_U32, V_SUB_CO_U32, V_SUBREV_CO_U32,
	V_ADDC_CO_U32, V_SUBB_CO_U32, V_SUBBREV_CO_U32,
	V_ADD_F16, V_SUB_F16, V_SUBREV_F16, V_MUL_F16, V_MAC_F16, V_MADMK_F16,
	V_MADAK_F16, V_ADD_U16, V_SUB_U16, V_SUBREV_U16, V_MUL_LO_U16,
	V_LSHLREV_B16, V_LSHRREV_B16, V_ASHRREV_I16,
	V_MAX_F16, V_MIN_F16, V_MAX_U16, V_MAX_I16, V_MIN_U16, V_MIN_I16,
	V_LDEXP_F16, V_ADD_U32, V_SUB_U32, V_SUBREV_U32,
	V_FMAC_F32 = VOP2_BASE + 59, V_XNOR_B32 = VOP2_BASE + 61,

	V_NOP = VOP1_BASE, V_MOV_B32, V_READFIRSTLANE_B32, V_CVT_I32_F64,
	V_CVT_F64_I32, V_CVT_F32_I32, V_CVT_F32_U32, V_CVT_U32_F32,
	V_CVT_I32_F32, V_CVT_F16_F32 = VOP1_BASE + 10, V_CVT_F32_F16,
	V_CVT_RPI_I32_F32, V_CVT_FLR_I32_F32, V_CVT_OFF_F32_I4, V_CVT_F32_F64,
	V_CVT_F64_F32, V_CVT_F32_UBYTE0, V_CVT_F32_UBYTE1, V_CVT_F32_UBYTE2,
	V_CVT_F32_UBYTE3, V_CVT_U32_F64, V_CVT_F64_U32, V_TRUNC_F64, V_CEIL_F64,
	V_RNDNE_F64, V_FLOOR_F64,
	V_FRACT_F32, V_TRUNC_F32, V_CEIL_F32, V_RNDNE_F32, V_FLOOR_F32,
	V_EXP_F32, V_LOG_F32, V_RCP_F32, V_RCP_IFLAG_F32, V_RSQ_F32, V_RCP_F64,
	V_RSQ_F64, V_SQRT_F32, V_SQRT_F64, V_SIN_F32, V_COS_F32, V_NOT_B32,
	V_BFREV_B32, V_FFBH_U32, V_FFBL_B32, V_FFBH_I32, V_FREXP_EXP_I32_F64,
	V_FREXP_MANT_F64, V_FRACT_F64, V_FREXP_EXP_I32_F32, V_FREXP_MANT_F32,
	V_CLREXCP, V_MOV_B64 = VOP1_BASE + 56, V_CVT_F16_U16, V_CVT_F16_I16,
	V_CVT_U16_F16, V_CVT_I16_F16, V_RCP_F16, V_SQRT_F16, V_RSQ_F16,
	V_LOG_F16, V_EXP_F16, V_FREXP_MANT_F16, V_FREXP_EXP_I16_F16,
	V_FLOOR_F16, V_CEIL_F16, V_TRUNC_F16, V_RNDNE_F16, V_FRACT_F16,
	V_SIN_F16, V_COS_F16, V_EXP_LEGACY_F32, V_LOG_LEGACY_F32,
	V_SAT_PK_U8_I16 = VOP1_BASE + 79,
	V_SWAP_B32 = VOP1_BASE + 81, V_ACCVGPR_MOV_B32,

	V_MAD_LEGACY_F32 = 448, V_MAD_F32, V_MAD_I32_I24, V_MAD_U32_U24,
	V_BFE_U32 = 456, V_BFE_I32, V_BFI_B32, V_FMA_F32, V_FMA_F64,
	V_LERP_U8, V_ALIGNBIT_B32, V_ALIGNBYTE_B32, V_MIN3_F32,
	V_MIN3_I32, V_MIN3_U32, V_MAX3_F32, V_MAX3_I32, V_MAX3_U32, V_MED3_F32,
	V_MED3_I32, V_MED3_U32, V_SAD_U8, V_SAD_HI_U8, V_SAD_U16, V_SAD_U32,
	V_DIV_FIXUP_F32 = 478, V_DIV_FIXUP_F64, V_DIV_SCALE_F32,
	V_DIV_SCALE_F64, V_DIV_FMAS_F32, V_DIV_FMAS_F64, V_MSAD_U8,
	V_MAD_U64_U32 = 488, V_MAD_I64_I32, V_MAD_LEGACY_F16, V_MAD_LEGACY_U16,
	V_MAD_LEGACY_I16, V_PERM_B32, V_FMA_LEGACY_F16, V_DIV_FIXUP_LEGACY_F16,
	V_MAD_U32_U16 = 497, V_MAD_I32_I16, V_XAD_U32, V_MIN3_F16, V_MIN3_I16,
	V_MIN3_U16, V_MAX3_F16, V_MAX3_I16, V_MAX3_U16, V_MED3_F16, V_MED3_I16,
	V_MED3_U16, V_LSHL_ADD_U32, V_ADD_LSHL_U32,
	V_ADD3_U32, V_LSHL_OR_B32, V_AND_OR_B32, V_OR3_B32,
	V_MAD_F16, V_MAD_U16, V_MAD_I16, V_FMA_F16, V_DIV_FIXUP_F16,
	V_LSHL_ADD_U64,
	V_ADD_F64 = 640, V_MUL_F64, V_MIN_F64, V_MAX_F64, V_LDEXP_F64,
	V_MUL_LO_U32, V_MUL_HI_U32, V_MUL_HI_I32, V_LDEXP_F32,
	V_READLANE_B32, V_WRITELANE_B32, V_BCNT_U32_B32, V_MBCNT_LO_U32_B32,
	V_MBCNT_HI_U32_B32, V_LSHLREV_B64 = 655, V_LSHRREV_B64, V_ASHRREV_I64,
	V_TRIG_PREOP_F64, V_BFM_B32, V_CVT_PKRTZ_F16_F32 = 662, V_CVT_PK_U16_U32,
	V_CVT_PK_I16_I32, V_ADD_I32 = 668, V_SUB_I32, V_ADD_I16, V_SUB_I16,
	V_PACK_B32_F16, V_MUL_LEGACY_F32,
};

/* executor of the operation; those up to VG_WIDE raise no exceptions */
enum vop_group {
	VG_NONE, VG_INT, VG_INT3, VG_CARRY, VG_B16, VG_WIDE, VG_CMP, VG_FLOAT,
	VG_CVT, VG_DIV, VG_LANE, VG_F64, VG_F16, VG_TRANS,
};

#define VF_WIDE0	0x01	/* source 0 has 64 bits */
#define VF_WIDE1	0x02
#define VF_WIDE2	0x04
#define VF_WIDED	0x08	/* the destination has 64 bits */
#define VF_MODS		0x10	/* float modifiers on the sources */
#define VF_CLAMP	0x20	/* CLAMP is supported */
#define VF_OP_SEL	0x40	/* op_sel selects halves of 16-bit sources */
#define VF_DST_IN	0x80	/* the destination is a source, too */
#define VF_HALF		0x100	/* sources are binary16: constants, signs */
#define VF_DOUBLE	0x200	/* wide sources are binary64: literals */
#define VF_SEL_DST	0x400	/* op_sel selects the half that is written */
#define VF_KEEP		0x800	/* the upper half is kept if it is not */
#define VF_INEXACT	0x1000	/* raises inexact only if CLAMP is set */
#define VF_OMOD		0x2000	/* OMOD is supported without VF_MODS */

/**
 * struct vop_info - operands of an operation
 * @group: executor, VG_NONE if there is no such operation
 * @nr_src: sources
 * @flags: VF_*
 */
struct vop_info {
	u8 group;
	u8 nr_src;
	u16 flags;
};

/* values of an operand by lane, and their upper halves */
struct sim_vsrc {
	const u32 *lo, *hi;
};

/**
 * struct sim_vop - one vector instruction in progress
 * @i: instruction
 * @op: operation
 * @exceptions: exceptions of its lanes
 * @info: its operands
 * @lanes: active lanes, except those that DPP masks
 * @merged: the result is only a part of the destination: VF_SEL_DST, VF_KEEP, SDWA
 * @s: sources
 * @d: destination lanes, or work.out if it is merged afterwards
 * @dhi: upper half
 * @fm: modes for binary32, with exception flags; softfloat.h
 * @fm64: modes for binary64 and binary16
 */
struct sim_vop {
	const struct gfx9_inst *i;
	unsigned int op;
	struct sf_flags exceptions;
	struct vop_info info;
	u64 lanes;
	bool merged;
	struct sim_vsrc s[3];
	u32 *d, *dhi;
	unsigned long fm, fm64;
};

static inline u32 sim_src(const struct sim_vop *o, unsigned int n,
			  unsigned int lane)
{
	return o->s[n].lo[lane];
}

static inline u64 sim_src64(const struct sim_vop *o, unsigned int n,
			    unsigned int lane)
{
	return o->s[n].lo[lane] | (u64)o->s[n].hi[lane] << 32;
}

/* a source of any width */
static inline u64 sim_src_any(const struct sim_vop *o, unsigned int n,
			      unsigned int lane)
{
	return o->info.flags & (VF_WIDE0 << n) ? sim_src64(o, n, lane) :
						 sim_src(o, n, lane);
}

static inline void sim_dst64(const struct sim_vop *o, unsigned int lane,
			     u64 val)
{
	o->d[lane] = (u32)val;
	o->dhi[lane] = val >> 32;
}

/*
 * One instruction of the form d = f(a, b, c) for each @lane. Pointers are read once:
 * for the compiler they could change with each lane.
 */
#define VOP_LANES(o, expr)						\
	do {								\
		const u32 *a_ = (o)->s[0].lo, *b_ = (o)->s[1].lo;	\
		const u32 *c_ = (o)->s[2].lo;				\
		u32 *d_ = (o)->d;					\
		unsigned int lane;					\
		u64 left_;						\
									\
		sim_for_each_lane(lane, left_, (o)->lanes) {		\
			u32 a __maybe_unused = a_[lane];		\
			u32 b __maybe_unused = b_[lane];		\
			u32 c __maybe_unused = c_[lane];		\
									\
			d_[lane] = (expr);				\
		}							\
		return 0;						\
	} while (0)

/* valu_info.c, valu_dpp.c, valu_select.c */
struct vop_info sim_vop_info(unsigned int op);
int sim_dpp_source(struct sim_wave *w, struct sim_vop *o);
int sim_vop_sources(struct sim_wave *w, struct sim_vop *o);
void sim_vop_merge(struct sim_wave *w, const struct sim_vop *o, u32 *dst);
int sim_vsrc(struct sim_wave *w, const struct gfx9_inst *i, unsigned int n,
	     bool wide, struct sim_vsrc *s);
void sim_vsrc_fill(struct sim_wave *w, struct sim_vsrc *s, unsigned int n,
		   u64 val);

#define SIM_GPR_IDX_SHIFT	12
#define SIM_GPR_IDX_DST		3

/**
 * sim_gpr_index() - what M0 adds to the number of a vector register
 * @w: wave
 * @operand: source 0 to 2, or SIM_GPR_IDX_DST
 */
static inline unsigned int sim_gpr_index(const struct sim_wave *w,
					 unsigned int operand)
{
	u32 m0 = w->s[GFX9_SRC_M0];

	if (!(w->mode & MODE_GPR_IDX_EN) ||
	    !(m0 >> (SIM_GPR_IDX_SHIFT + operand) & 1))
		return 0;
	return m0 & 0xff;
}

/* valu_out.c */
struct sf_format;
void sim_output_mods(const struct sim_wave *w, const struct sim_vop *o,
		     const struct sf_format *f, unsigned long fm);

/* executors */
int sim_vop_int(struct sim_wave *w, struct sim_vop *o);
int sim_vop_int3(struct sim_wave *w, struct sim_vop *o);
int sim_vop_carry(struct sim_wave *w, struct sim_vop *o);
int sim_vop_b16(struct sim_wave *w, struct sim_vop *o);
int sim_vop_wide(struct sim_wave *w, struct sim_vop *o);
int sim_vop_cmp(struct sim_wave *w, struct sim_vop *o);
int sim_vop_float(struct sim_wave *w, struct sim_vop *o);
int sim_vop_cvt(struct sim_wave *w, struct sim_vop *o);
int sim_vop_div(struct sim_wave *w, struct sim_vop *o);
int sim_vop3p_f16(struct sim_wave *w, struct sim_vop *o);
bool sim_vop3p_is_f16(unsigned int op);
int sim_vop_lane(struct sim_wave *w, const struct gfx9_inst *i,
		 unsigned int op);
int sim_vop_f64(struct sim_wave *w, struct sim_vop *o);
u64 sim_trig_preop(u64 a, u32 segment, unsigned long fm);
int sim_vop_f16(struct sim_wave *w, struct sim_vop *o);
int sim_vop_trans(struct sim_wave *w, struct sim_vop *o);
unsigned int sim_float_mode(const struct sim_wave *w);
unsigned int sim_double_mode(const struct sim_wave *w);
void sim_vop_modes(const struct sim_wave *w, struct sim_vop *o);
void sim_vop_raise(struct sim_wave *w, const struct sim_vop *o);

#endif /* _GPUBP_PROVIDERS_SIM_WAVE_VALU_H */
