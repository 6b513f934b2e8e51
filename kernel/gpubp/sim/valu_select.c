// SPDX-License-Identifier: GPL-2.0
/*
 * Operands of vector instructions: which there are, and where their lanes
 * come from: registers, broadcast scalars, or copies that modifiers, SDWA and
 * DPP make.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "valu.h"
#include "vmem.h"

#define INT2	{ VG_INT, 2, 0 }
#define INT2C	{ VG_INT, 2, VF_CLAMP }
#define INT1	{ VG_INT, 1, 0 }
#define INT3	{ VG_INT3, 3, 0 }
#define CARRY	{ VG_CARRY, 2, 0 }
#define HALF2	{ VG_B16, 2, 0 }
#define HALF2C	{ VG_B16, 2, VF_CLAMP }
#define HALF3	{ VG_B16, 3, 0 }
#define HALF3S	{ VG_B16, 3, VF_OP_SEL }
#define FLT1	{ VG_FLOAT, 1, VF_MODS | VF_CLAMP }
#define FLT2	{ VG_FLOAT, 2, VF_MODS | VF_CLAMP }
#define FLT3	{ VG_FLOAT, 3, VF_MODS | VF_CLAMP }
#define FLTMAC	{ VG_FLOAT, 2, VF_MODS | VF_CLAMP | VF_DST_IN }
#define CVTINT	{ VG_CVT, 1, VF_CLAMP }	/* integer to float */
#define CVTFLT	{ VG_CVT, 1, VF_MODS }	/* float to something */
#define SHIFT64	{ VG_WIDE, 2, VF_WIDE1 | VF_WIDED }
#define MAD64	{ VG_WIDE, 3, VF_WIDE2 | VF_WIDED }
#define LANE	{ VG_LANE, 0, 0 }

static const struct vop_info infos[] = {
	[V_CMP_CLASS_F32 ... V_CMPX_CLASS_F32] = { VG_CMP, 2, VF_MODS },
	[V_CMP_F32 ... V_CMP_F64 - 1] = { VG_CMP, 2, VF_MODS },
	[V_CMP_I16 ... V_CMP_I64 - 1] = { VG_CMP, 2, 0 },
	[V_CMP_I64 ... VOP2_BASE - 1] = { VG_CMP, 2, VF_WIDE0 | VF_WIDE1 },
	[V_CNDMASK_B32] = { VG_CARRY, 2, VF_MODS },
	[V_ADD_F32 ... V_SUBREV_F32] = FLT2,
	[V_MUL_F32] = FLT2,
	[V_MUL_I32_I24 ... V_MUL_HI_U32_U24] = INT2,
	[V_MIN_F32 ... V_MAX_F32] = FLT2,
	[V_MIN_I32 ... V_XOR_B32] = INT2,
	[V_MAC_F32] = FLTMAC,
	[V_MADMK_F32 ... V_MADAK_F32] = { VG_FLOAT, 2, 0 },
	[V_ADD_CO_U32 ... V_SUBBREV_CO_U32] = CARRY,
	[V_ADD_U16 ... V_SUBREV_U16] = HALF2C,
	[V_MUL_LO_U16 ... V_ASHRREV_I16] = HALF2,
	[V_MAX_U16 ... V_MIN_I16] = HALF2,
	[V_ADD_U32 ... V_SUBREV_U32] = INT2C,
	[V_FMAC_F32] = FLTMAC,
	[V_XNOR_B32] = INT2,
	[V_NOP] = LANE,
	[V_MOV_B32] = INT1,
	[V_READFIRSTLANE_B32] = LANE,
	[V_CVT_F32_I32 ... V_CVT_F32_U32] = CVTINT,
	[V_CVT_U32_F32 ... V_CVT_I32_F32] = CVTFLT,
	[V_CVT_F16_F32] = CVTFLT,
	[V_CVT_F32_F16] = { VG_CVT, 1, VF_CLAMP },
	[V_CVT_RPI_I32_F32 ... V_CVT_FLR_I32_F32] = CVTFLT,
	[V_CVT_F32_UBYTE0 ... V_CVT_F32_UBYTE3] = CVTINT,
	[V_FRACT_F32 ... V_FLOOR_F32] = FLT1,
	[V_RCP_F32 ... V_RCP_IFLAG_F32] = FLT1,
	[V_SQRT_F32] = FLT1,
	[V_NOT_B32 ... V_FFBH_I32] = INT1,
	[V_FREXP_EXP_I32_F32] = CVTFLT,
	[V_FREXP_MANT_F32] = FLT1,
	[V_CLREXCP] = LANE,
	[V_SAT_PK_U8_I16] = INT1,
	[V_SWAP_B32 ... V_ACCVGPR_MOV_B32] = LANE,
	[V_MAD_F32] = FLT3,
	[V_MAD_I32_I24 ... V_MAD_U32_U24] = INT3,
	[V_BFE_U32 ... V_BFI_B32] = INT3,
	[V_FMA_F32] = FLT3,
	[V_LERP_U8 ... V_ALIGNBYTE_B32] = INT3,
	[V_MIN3_F32] = FLT3,
	[V_MIN3_I32 ... V_MIN3_U32] = INT3,
	[V_MAX3_F32] = FLT3,
	[V_MAX3_I32 ... V_MAX3_U32] = INT3,
	[V_MED3_F32] = FLT3,
	[V_MED3_I32 ... V_SAD_U32] = INT3,
	[V_DIV_FIXUP_F32] = { VG_DIV, 3, VF_MODS },
	[V_DIV_SCALE_F32] = { VG_DIV, 3, 0 },
	[V_DIV_FMAS_F32] = { VG_DIV, 3, VF_MODS },
	[V_MAD_U64_U32 ... V_MAD_I64_I32] = MAD64,
	[V_MAD_LEGACY_U16 ... V_MAD_LEGACY_I16] = HALF3,
	[V_PERM_B32] = INT3,
	[V_MAD_U32_U16 ... V_MAD_I32_I16] = INT3,
	[V_XAD_U32] = INT3,
	[V_MIN3_I16 ... V_MIN3_U16] = HALF3S,
	[V_MAX3_I16 ... V_MAX3_U16] = HALF3S,
	[V_MED3_I16 ... V_MED3_U16] = HALF3S,
	[V_LSHL_ADD_U32 ... V_OR3_B32] = INT3,
	[V_MAD_U16 ... V_MAD_I16] = HALF3S,
	[V_MUL_LO_U32 ... V_MUL_HI_I32] = INT2,
	[V_LDEXP_F32] = { VG_CVT, 2, VF_MODS | VF_CLAMP },
	[V_READLANE_B32 ... V_WRITELANE_B32] = LANE,
	[V_BCNT_U32_B32] = INT2,
	[V_MBCNT_LO_U32_B32 ... V_MBCNT_HI_U32_B32] = INT2,
	[V_LSHLREV_B64 ... V_ASHRREV_I64] = SHIFT64,
	[V_BFM_B32] = INT2,
	[V_CVT_PKRTZ_F16_F32] = { VG_CVT, 2, VF_MODS },
	[V_CVT_PK_U16_U32 ... V_CVT_PK_I16_I32] = INT2,
	[V_ADD_I32 ... V_SUB_I32] = INT2C,
	[V_ADD_I16 ... V_SUB_I16] = { VG_B16, 2, VF_OP_SEL | VF_CLAMP },
	[V_PACK_B32_F16] = { VG_B16, 2, VF_OP_SEL },
};

/*
 * sim_vop_info() - operands of an operation; group VG_NONE if there is none
 */
struct vop_info sim_vop_info(unsigned int op)
{
	return op < ARRAY_SIZE(infos) ? infos[op] : (struct vop_info){};
}

/* SDWA dword */
#define SDWA_DST_SEL(x)		(((x) >> 8) & 7)
#define SDWA_DST_UNUSED(x)	(((x) >> 11) & 3)
#define SDWA_SRC_SEL(x, n)	(((x) >> ((n) ? 24 : 16)) & 7)
#define SDWA_SRC_SEXT(x, n)	(((x) >> ((n) ? 27 : 19)) & 1)
#define SEL_WORD0		4
#define SEL_WORD1		5
#define SEL_DWORD		6

enum { UNUSED_PAD, UNUSED_SEXT, UNUSED_PRESERVE };

/* DPP dword */
#define DPP_CTRL(x)		(((x) >> 8) & 0x1ff)
#define DPP_BOUND_CTRL		0x00080000u
#define DPP_BANK_MASK(x)	(((x) >> 24) & 15)
#define DPP_ROW_MASK(x)		((x) >> 28)

#define GPR_IDX_SHIFT		12

static unsigned int gpr_index(const struct sim_wave *w, unsigned int operand)
{
	u32 m0 = w->s[GFX9_SRC_M0];

	if (!(w->mode & MODE_GPR_IDX_EN) ||
	    !(m0 >> (GPR_IDX_SHIFT + operand) & 1))
		return 0;
	return m0 & 0xff;
}

/**
 * sim_vsrc() - lanes of source @n as they stand in the registers
 * @w: wave
 * @i: instruction
 * @n: source
 * @wide: it has 64 bits
 * @s: the result
 *
 * Return: 0 or -EILSEQ.
 */
int sim_vsrc(struct sim_wave *w, const struct gfx9_inst *i, unsigned int n,
	     bool wide, struct sim_vsrc *s)
{
	unsigned int code = i->src[n], row;
	u64 val;

	if (code >= GFX9_SRC_VGPR) {
		code += gpr_index(w, n) - GFX9_SRC_VGPR;
		if (sim_vreg(w, code, wide ? 2 : 1, false, &row))
			return -EILSEQ;
		s->lo = w->v[row];
		s->hi = wide ? w->v[row + 1] : w->work.zero;
		s->mask = SIM_LANES - 1;
		return 0;
	}
	s->scalar[1] = 0;
	if (!wide && sim_sread(w, i, code, &s->scalar[0]))
		return -EILSEQ;
	if (wide && sim_sread64(w, i, code, &val))
		return -EILSEQ;
	if (wide) {
		s->scalar[0] = (u32)val;
		s->scalar[1] = val >> 32;
	}
	s->lo = &s->scalar[0];
	s->hi = &s->scalar[1];
	s->mask = 0;
	return 0;
}

/* a source that may be changed lane by lane */
static u32 *own_copy(struct sim_wave *w, struct sim_vsrc *s, unsigned int n)
{
	u32 *copy = w->work.copy[n];
	unsigned int lane;

	if (s->lo == copy)
		return copy;
	for (lane = 0; lane < SIM_LANES; lane++)
		copy[lane] = s->lo[lane & s->mask];
	s->lo = copy;
	s->mask = SIM_LANES - 1;
	return copy;
}

static u32 sdwa_part(u32 x, unsigned int sel, bool sext)
{
	if (sel == SEL_DWORD)
		return x;
	if (sel >= SEL_WORD0) {
		x >>= 16 * (sel - SEL_WORD0);
		return sext ? (u32)(s16)x : x & 0xffff;
	}
	x >>= 8 * sel;
	return sext ? (u32)(s8)x : x & 0xff;
}

static int sdwa_source(struct sim_wave *w, struct sim_vop *o, unsigned int n)
{
	unsigned int sel = SDWA_SRC_SEL(o->i->literal, n), lane;
	bool sext = SDWA_SRC_SEXT(o->i->literal, n);
	u32 *copy;

	if (sel > SEL_DWORD)
		return -EILSEQ;
	if (sel == SEL_DWORD)
		return 0;
	copy = own_copy(w, &o->s[n], n);
	for (lane = 0; lane < SIM_LANES; lane++)
		copy[lane] = sdwa_part(copy[lane], sel, sext);
	return 0;
}

static bool dpp_known(unsigned int ctrl, enum gfx9_arch arch)
{
	switch (ctrl) {
	case 0x000 ... 0x0ff:	/* quad_perm */
	case 0x101 ... 0x10f:	/* row_shl */
	case 0x111 ... 0x11f:	/* row_shr */
	case 0x121 ... 0x12f:	/* row_ror */
	case 0x130: case 0x134: case 0x138: case 0x13c:	/* wave_* */
	case 0x140 ... 0x143:	/* row_mirror, row_half_mirror, row_bcast */
		return true;
	case 0x150 ... 0x15f:	/* row_newbcast */
		return arch == GFX9_GFX90A;
	default:
		return false;
	}
}

/* the lane that @lane reads from, or a number that is no lane */
static unsigned int dpp_from_row(unsigned int ctrl, unsigned int lane)
{
	unsigned int row = lane & ~15u, in = lane & 15, n = ctrl & 15;

	switch (ctrl & 0x1f0) {
	case 0x100:
		return in + n < 16 ? lane + n : SIM_LANES;
	case 0x110:
		return in >= n ? lane - n : SIM_LANES;
	case 0x120:
		return row + ((in - n) & 15);
	default:
		return row + n;	/* row_newbcast */
	}
}

static unsigned int dpp_from(unsigned int ctrl, unsigned int lane)
{
	switch (ctrl) {
	case 0x000 ... 0x0ff:
		return (lane & ~3u) + (ctrl >> (2 * (lane & 3)) & 3);
	case 0x130:
		return lane + 1;
	case 0x134:
		return (lane + 1) & 63;
	case 0x138:
		return lane ? lane - 1 : SIM_LANES;
	case 0x13c:
		return (lane - 1) & 63;
	case 0x140:
		return lane ^ 15;
	case 0x141:
		return lane ^ 7;
	case 0x142:
		return lane >= 16 ? (lane & ~15u) - 1 : SIM_LANES;
	case 0x143:
		return lane >= 32 ? 31 : SIM_LANES;
	default:
		return dpp_from_row(ctrl, lane);
	}
}

static bool dpp_selected(u32 dpp, unsigned int lane)
{
	return (DPP_ROW_MASK(dpp) >> (lane / 16) & 1) &&
	       (DPP_BANK_MASK(dpp) >> (lane / 4 % 4) & 1);
}

/* lanes without a valid source are not written, or read zero */
static int dpp_source(struct sim_wave *w, struct sim_vop *o)
{
	u32 dpp = o->i->literal, *copy = w->work.copy[0];
	unsigned int lane, from;
	u64 exec = sim_exec(w);
	const struct sim_vsrc in = o->s[0];

	if (!dpp_known(DPP_CTRL(dpp), w->arch))
		return -EILSEQ;
	for (lane = 0; lane < SIM_LANES; lane++) {
		from = dpp_from(DPP_CTRL(dpp), lane);
		copy[lane] = 0;
		if (from < SIM_LANES && (exec >> from & 1))
			copy[lane] = in.lo[from & in.mask];
		else if (!(dpp & DPP_BOUND_CTRL))
			o->lanes &= ~(1ull << lane);
		if (!dpp_selected(dpp, lane))
			o->lanes &= ~(1ull << lane);
	}
	o->s[0].lo = copy;
	o->s[0].mask = SIM_LANES - 1;
	return 0;
}

static void float_mods(struct sim_wave *w, struct sim_vop *o, unsigned int n)
{
	u32 and = o->i->abs >> n & 1 ? 0x7fffffff : ~0u;
	u32 xor = o->i->neg >> n & 1 ? 0x80000000 : 0;
	unsigned int lane;
	u32 *copy;

	if (and == ~0u && !xor)
		return;
	copy = own_copy(w, &o->s[n], n);
	for (lane = 0; lane < SIM_LANES; lane++)
		copy[lane] = (copy[lane] & and) ^ xor;
}

static void upper_half(struct sim_wave *w, struct sim_vop *o, unsigned int n)
{
	unsigned int lane;
	u32 *copy;

	if (!(o->i->op_sel >> n & 1))
		return;
	copy = own_copy(w, &o->s[n], n);
	for (lane = 0; lane < SIM_LANES; lane++)
		copy[lane] >>= 16;
}

static int one_source(struct sim_wave *w, struct sim_vop *o, unsigned int n)
{
	bool wide = o->info.flags & (VF_WIDE0 << n);

	if (sim_vsrc(w, o->i, n, wide, &o->s[n]))
		return -EILSEQ;
	if (n == 0 && o->i->dpp && dpp_source(w, o))
		return -EILSEQ;
	if (o->i->sdwa && sdwa_source(w, o, n))
		return -EILSEQ;
	if (o->info.flags & VF_OP_SEL)
		upper_half(w, o, n);
	if (o->info.flags & VF_MODS)
		float_mods(w, o, n);
	return 0;
}

/* inline float constants of 16-bit operations are half floats: not here */
static bool half_const(const struct sim_vop *o, unsigned int n)
{
	return o->info.group == VG_B16 && o->i->src[n] >= 240 &&
	       o->i->src[n] <= 248;
}

static void no_source(struct sim_wave *w, struct sim_vsrc *s)
{
	s->lo = w->work.zero;
	s->hi = w->work.zero;
	s->mask = 0;
}

/* bits that mean nothing here might mean something on hardware: refuse */
static bool bad_modifiers(const struct sim_vop *o)
{
	const struct gfx9_inst *i = o->i;
	u8 flags = o->info.flags;

	if ((i->abs || i->neg || i->omod) && !(flags & VF_MODS))
		return true;
	if (i->clamp && !(flags & VF_CLAMP))
		return true;
	if ((i->sdwa || i->dpp) && (flags & (VF_WIDE0 | VF_WIDE1 | VF_WIDE2)))
		return true;
	return i->op_sel && !(flags & VF_OP_SEL);
}

/**
 * sim_vop_sources() - set up @o->s
 * @w: wave
 * @o: instruction; @o->i, @o->op, @o->info, @o->lanes are set
 *
 * Return: 0 or -EILSEQ.
 */
int sim_vop_sources(struct sim_wave *w, struct sim_vop *o)
{
	unsigned int n;

	if (bad_modifiers(o) ||
	    (o->i->sdwa && SDWA_DST_SEL(o->i->literal) > SEL_DWORD &&
	     o->i->fmt != GFX9_VOPC))
		return -EILSEQ;
	for (n = 0; n < 3; n++) {
		if (n >= o->info.nr_src)
			no_source(w, &o->s[n]);
		else if (half_const(o, n) || one_source(w, o, n))
			return -EILSEQ;
	}
	return 0;
}

static bool sdwa_partial(const struct sim_vop *o)
{
	return o->i->sdwa && o->i->fmt != GFX9_VOPC &&
	       SDWA_DST_SEL(o->i->literal) != SEL_DWORD;
}

static bool writes_upper_half(const struct sim_vop *o)
{
	return (o->info.flags & VF_OP_SEL) && (o->i->op_sel & 8);
}

/*
 * sim_vop_merged() - is the result only a part of the destination?
 *
 * Then executors write to work.out, and sim_vop_merge() follows.
 */
bool sim_vop_merged(const struct sim_vop *o)
{
	return sdwa_partial(o) || writes_upper_half(o);
}

static u32 sdwa_merge(u32 sdwa, u32 old, u32 val)
{
	unsigned int sel = SDWA_DST_SEL(sdwa);
	unsigned int bits = sel >= SEL_WORD0 ? 16 : 8;
	unsigned int shift = sel >= SEL_WORD0 ? 16 * (sel - SEL_WORD0) : 8 * sel;
	u32 ones = (1u << bits) - 1, field = (val & ones) << shift;

	switch (SDWA_DST_UNUSED(sdwa)) {
	case UNUSED_SEXT:
		/* below the field: zero */
		return (u32)sign_extend32(val & ones, bits - 1) << shift;
	case UNUSED_PRESERVE:
		return (old & ~(ones << shift)) | field;
	default:
		return field;
	}
}

/**
 * sim_vop_merge() - work.out into the destination
 * @w: wave
 * @o: instruction
 * @dst: lanes of the destination
 */
void sim_vop_merge(struct sim_wave *w, const struct sim_vop *o, u32 *dst)
{
	const u32 *out = w->work.out;
	unsigned int lane;
	u64 left;

	sim_for_each_lane(lane, left, o->lanes) {
		if (sdwa_partial(o))
			dst[lane] = sdwa_merge(o->i->literal, dst[lane],
					       out[lane]);
		else
			dst[lane] = (dst[lane] & 0xffff) | out[lane] << 16;
	}
}
