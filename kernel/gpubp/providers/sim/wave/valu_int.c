// SPDX-License-Identifier: GPL-2.0
/*
 * 32-bit and 16-bit integer operations of vectors.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include "valu.h"

static s32 sext_24(u32 x)
{
	return (s32)(x << 8) >> 8;
}

static u32 zext_24(u32 x)
{
	return x & 0xffffff;
}

static u32 leading_zeros(u32 x)
{
	return x ? 32 - fls(x) : -1;
}

static u32 sat_u32(s64 x)
{
	return clamp_t(s64, x, 0, U32_MAX);
}

static u32 sat_s32(s64 x)
{
	return clamp_t(s64, x, S32_MIN, S32_MAX);
}

static u32 sat_u8(u32 x)
{
	return clamp((s16)x, 0, 255);
}

/* active lanes below the lane, of half the wave */
static u32 lanes_below(unsigned int lane, u32 mask, bool high)
{
	unsigned int in_half = high ? (lane > 32 ? lane - 32 : 0) :
				      min(lane, 32u);

	return hweight32(in_half == 32 ? mask : mask & ((1u << in_half) - 1));
}

static int int_mbcnt(struct sim_vop *o, bool high)
{
	unsigned int lane;
	u64 left;

	sim_for_each_lane(lane, left, o->lanes)
		o->d[lane] = lanes_below(lane, sim_src(o, 0, lane), high) +
			     sim_src(o, 1, lane);
	return 0;
}

static int int_saturating(struct sim_vop *o)
{
	switch (o->op) {
	case V_ADD_U32:		VOP_LANES(o, sat_u32((s64)a + b));
	case V_SUB_U32:		VOP_LANES(o, sat_u32((s64)a - b));
	case V_SUBREV_U32:	VOP_LANES(o, sat_u32((s64)b - a));
	case V_ADD_I32:		VOP_LANES(o, sat_s32((s64)(s32)a + (s32)b));
	case V_SUB_I32:		VOP_LANES(o, sat_s32((s64)(s32)a - (s32)b));
	case V_MUL_I32_I24:
		VOP_LANES(o, sat_s32((s64)sext_24(a) * sext_24(b)));
	case V_MUL_U32_U24:
		VOP_LANES(o, sat_u32((s64)zext_24(a) * zext_24(b)));
	default:		return -EILSEQ;
	}
}

static int int_one_source(struct sim_vop *o)
{
	switch (o->op) {
	case V_MOV_B32:		VOP_LANES(o, a);
	case V_NOT_B32:		VOP_LANES(o, ~a);
	case V_BFREV_B32:	VOP_LANES(o, sim_brev32(a));
	case V_FFBH_U32:	VOP_LANES(o, leading_zeros(a));
	case V_FFBL_B32:	VOP_LANES(o, a ? (u32)__ffs64(a) : -1);
	case V_FFBH_I32:
		VOP_LANES(o, leading_zeros(a ^ (u32)((s32)a >> 31)));
	case V_SAT_PK_U8_I16:	VOP_LANES(o, sat_u8(a) | sat_u8(a >> 16) << 8);
	default:		return -EILSEQ;
	}
}

static int int_multiply(struct sim_vop *o)
{
	switch (o->op) {
	case V_MUL_I32_I24:
		VOP_LANES(o, (u32)((s64)sext_24(a) * sext_24(b)));
	case V_MUL_HI_I32_I24:
		VOP_LANES(o, (u64)((s64)sext_24(a) * sext_24(b)) >> 32);
	case V_MUL_U32_U24:	VOP_LANES(o, zext_24(a) * zext_24(b));
	case V_MUL_HI_U32_U24:
		VOP_LANES(o, (u64)zext_24(a) * zext_24(b) >> 32);
	case V_MUL_LO_U32:	VOP_LANES(o, a * b);
	case V_MUL_HI_U32:	VOP_LANES(o, (u64)a * b >> 32);
	case V_MUL_HI_I32:
		VOP_LANES(o, (u64)((s64)(s32)a * (s32)b) >> 32);
	default:
		return -EILSEQ;
	}
}

static int int_two_sources(struct sim_vop *o)
{
	switch (o->op) {
	case V_MIN_I32:		VOP_LANES(o, (s32)a < (s32)b ? a : b);
	case V_MAX_I32:		VOP_LANES(o, (s32)a > (s32)b ? a : b);
	case V_MIN_U32:		VOP_LANES(o, a < b ? a : b);
	case V_MAX_U32:		VOP_LANES(o, a > b ? a : b);
	case V_LSHRREV_B32:	VOP_LANES(o, b >> (a & 31));
	case V_ASHRREV_I32:	VOP_LANES(o, (s32)b >> (a & 31));
	case V_LSHLREV_B32:	VOP_LANES(o, b << (a & 31));
	case V_AND_B32:		VOP_LANES(o, a & b);
	case V_OR_B32:		VOP_LANES(o, a | b);
	case V_XOR_B32:		VOP_LANES(o, a ^ b);
	case V_XNOR_B32:	VOP_LANES(o, ~(a ^ b));
	case V_ADD_U32:
	case V_ADD_I32:		VOP_LANES(o, a + b);
	case V_SUB_U32:
	case V_SUB_I32:		VOP_LANES(o, a - b);
	case V_SUBREV_U32:	VOP_LANES(o, b - a);
	case V_BCNT_U32_B32:	VOP_LANES(o, hweight32(a) + b);
	case V_BFM_B32:
		VOP_LANES(o, ((1u << (a & 31)) - 1) << (b & 31));
	case V_CVT_PK_U16_U32:
		VOP_LANES(o, min(a, 0xffffu) | min(b, 0xffffu) << 16);
	case V_CVT_PK_I16_I32:
		VOP_LANES(o, (clamp((s32)a, -32768, 32767) & 0xffff) |
			  (u32)clamp((s32)b, -32768, 32767) << 16);
	case V_MBCNT_LO_U32_B32:
	case V_MBCNT_HI_U32_B32:
		return int_mbcnt(o, o->op == V_MBCNT_HI_U32_B32);
	default:
		return -EILSEQ;
	}
}

/*
 * sim_vop_int() - one or two 32-bit sources
 */
int sim_vop_int(struct sim_wave *w, struct sim_vop *o)
{
	int ret;

	if (o->i->clamp)
		return int_saturating(o);
	if (o->info.nr_src == 1)
		return int_one_source(o);
	ret = int_two_sources(o);
	return ret ? int_multiply(o) : 0;
}

static u32 int_bit_field(u32 x, u32 shift, u32 width, bool is_signed)
{
	shift &= 31;
	width &= 31;
	if (!width)
		return 0;
	if (is_signed)
		x = (s32)x >> shift;
	else
		x >>= shift;
	if (is_signed && shift + width >= 32)
		return x;
	x &= (1u << width) - 1;
	return is_signed ? sign_extend32(x, width - 1) : x;
}

static u32 int_smed3(s32 a, s32 b, s32 c)
{
	return max(min(a, b), min(max(a, b), c));
}

static u32 int_umed3(u32 a, u32 b, u32 c)
{
	return max(min(a, b), min(max(a, b), c));
}

static u32 perm_byte(u64 bytes, unsigned int sel)
{
	if (sel >= 13)
		return 0xff;
	if (sel == 12)
		return 0;
	if (sel >= 8)	/* sign of a 16-bit part */
		return bytes >> (16 * (sel - 8) + 15) & 1 ? 0xff : 0;
	return bytes >> (8 * sel) & 0xff;
}

/* four bytes chosen among the eight of {a, b} */
static u32 perm_bytes(u32 a, u32 b, u32 sel)
{
	u64 bytes = (u64)a << 32 | b;
	u32 r = 0;
	int n;

	for (n = 0; n < 4; n++)
		r |= perm_byte(bytes, sel >> (8 * n) & 0xff) << (8 * n);
	return r;
}

static u32 unsigned_diff(u32 a, u32 b)
{
	return a > b ? a - b : b - a;
}

static u32 sad_bytes(u32 a, u32 b)
{
	u32 sum = 0;
	int n;

	for (n = 0; n < 32; n += 8)
		sum += unsigned_diff(a >> n & 0xff, b >> n & 0xff);
	return sum;
}

/* bytes whose reference in @b is zero are ignored */
static u32 masked_sad_bytes(u32 a, u32 b)
{
	unsigned int n;
	u32 mask = 0;

	for (n = 0; n < 32; n += 8)
		if (b >> n & 0xff)
			mask |= 0xffu << n;
	return sad_bytes(a & mask, b);
}

static u32 lerp_bytes(u32 a, u32 b, u32 c)
{
	u32 r = 0;
	int n;

	for (n = 0; n < 32; n += 8)
		r |= (((a >> n & 0xff) + (b >> n & 0xff) + (c >> n & 1)) >> 1)
		     << n;
	return r;
}

static int int_minmax3(struct sim_vop *o)
{
	switch (o->op) {
	case V_MIN3_I32:
		VOP_LANES(o, min(min((s32)a, (s32)b), (s32)c));
	case V_MIN3_U32:
		VOP_LANES(o, min(min(a, b), c));
	case V_MAX3_I32:
		VOP_LANES(o, max(max((s32)a, (s32)b), (s32)c));
	case V_MAX3_U32:
		VOP_LANES(o, max(max(a, b), c));
	case V_MED3_I32:
		VOP_LANES(o, int_smed3(a, b, c));
	case V_MED3_U32:
		VOP_LANES(o, int_umed3(a, b, c));
	default:
		return -EILSEQ;
	}
}

static int int_bytes3(struct sim_vop *o)
{
	switch (o->op) {
	case V_PERM_B32:	VOP_LANES(o, perm_bytes(a, b, c));
	case V_SAD_U8:		VOP_LANES(o, sad_bytes(a, b) + c);
	case V_MSAD_U8:		VOP_LANES(o, masked_sad_bytes(a, b) + c);
	case V_SAD_HI_U8:	VOP_LANES(o, (sad_bytes(a, b) << 16) + c);
	case V_SAD_U16:
		VOP_LANES(o, unsigned_diff(a & 0xffff, b & 0xffff) +
			  unsigned_diff(a >> 16, b >> 16) + c);
	case V_SAD_U32:		VOP_LANES(o, unsigned_diff(a, b) + c);
	case V_LERP_U8:		VOP_LANES(o, lerp_bytes(a, b, c));
	case V_ALIGNBIT_B32:
		VOP_LANES(o, ((u64)a << 32 | b) >> (c & 31));
	case V_ALIGNBYTE_B32:
		VOP_LANES(o, ((u64)a << 32 | b) >> (8 * (c & 3)));
	default:
		return int_minmax3(o);
	}
}

/* the sums of int_three_sources(), saturated */
static int int3_saturating(struct sim_vop *o)
{
	switch (o->op) {
	case V_MAD_I32_I24:
		VOP_LANES(o, sat_s32((s64)sext_24(a) * sext_24(b) + (s32)c));
	case V_MAD_U32_U24:
		VOP_LANES(o, sat_u32((s64)zext_24(a) * zext_24(b) + c));
	case V_MAD_U32_U16:
		VOP_LANES(o, sat_u32((s64)(a & 0xffff) * (b & 0xffff) + c));
	case V_MAD_I32_I16:
		VOP_LANES(o, sat_s32((s64)(s16)a * (s16)b + (s32)c));
	case V_SAD_U8:		VOP_LANES(o, sat_u32((s64)sad_bytes(a, b) + c));
	case V_MSAD_U8:
		VOP_LANES(o, sat_u32((s64)masked_sad_bytes(a, b) + c));
	case V_SAD_HI_U8:
		VOP_LANES(o, sat_u32(((s64)sad_bytes(a, b) << 16) + c));
	case V_SAD_U16:
		VOP_LANES(o, sat_u32((s64)unsigned_diff(a & 0xffff, b & 0xffff) +
				     unsigned_diff(a >> 16, b >> 16) + c));
	case V_SAD_U32:
		VOP_LANES(o, sat_u32((s64)unsigned_diff(a, b) + c));
	default:
		return -EILSEQ;
	}
}

static int int_three_sources(struct sim_vop *o)
{
	switch (o->op) {
	case V_MAD_I32_I24:
		VOP_LANES(o, (u32)((s64)sext_24(a) * sext_24(b)) + c);
	case V_MAD_U32_U24:	VOP_LANES(o, zext_24(a) * zext_24(b) + c);
	case V_MAD_U32_U16:	VOP_LANES(o, (a & 0xffff) * (b & 0xffff) + c);
	case V_MAD_I32_I16:	VOP_LANES(o, (u32)((s16)a * (s16)b) + c);
	case V_BFE_U32:		VOP_LANES(o, int_bit_field(a, b, c, false));
	case V_BFE_I32:		VOP_LANES(o, int_bit_field(a, b, c, true));
	case V_BFI_B32:		VOP_LANES(o, (a & b) | (~a & c));
	case V_XAD_U32:		VOP_LANES(o, (a ^ b) + c);
	case V_LSHL_ADD_U32:	VOP_LANES(o, (a << (b & 31)) + c);
	case V_ADD_LSHL_U32:	VOP_LANES(o, (a + b) << (c & 31));
	case V_ADD3_U32:	VOP_LANES(o, a + b + c);
	case V_LSHL_OR_B32:	VOP_LANES(o, (a << (b & 31)) | c);
	case V_AND_OR_B32:	VOP_LANES(o, (a & b) | c);
	case V_OR3_B32:		VOP_LANES(o, a | b | c);
	default:		return int_bytes3(o);
	}
}

/*
 * sim_vop_int3() - three 32-bit sources
 */
int sim_vop_int3(struct sim_wave *w, struct sim_vop *o)
{
	return o->i->clamp ? int3_saturating(o) : int_three_sources(o);
}

static u32 sat_u16(s64 x)
{
	return clamp_t(s64, x, 0, 0xffff);
}

static u32 sat_s16(s32 x)
{
	return clamp(x, -32768, 32767) & 0xffff;
}

static int b16_three_sources(struct sim_vop *o)
{
	switch (o->op) {
	case V_MAD_LEGACY_U16:
	case V_MAD_LEGACY_I16:
	case V_MAD_U16:
	case V_MAD_I16:		VOP_LANES(o, (u16)(a * b + c));
	case V_MIN3_I16:
		VOP_LANES(o, (u16)min(min((s16)a, (s16)b), (s16)c));
	case V_MIN3_U16:
		VOP_LANES(o, min(min((u16)a, (u16)b), (u16)c));
	case V_MAX3_I16:
		VOP_LANES(o, (u16)max(max((s16)a, (s16)b), (s16)c));
	case V_MAX3_U16:
		VOP_LANES(o, max(max((u16)a, (u16)b), (u16)c));
	case V_MED3_I16:
		VOP_LANES(o, (u16)int_smed3((s16)a, (s16)b, (s16)c));
	case V_MED3_U16:	VOP_LANES(o, int_umed3((u16)a, (u16)b, (u16)c));
	default:
		return -EILSEQ;
	}
}

static int b16_plain(struct sim_vop *o)
{
	switch (o->op) {
	case V_ADD_U16:
	case V_ADD_I16:		VOP_LANES(o, (u16)(a + b));
	case V_SUB_U16:
	case V_SUB_I16:		VOP_LANES(o, (u16)(a - b));
	case V_SUBREV_U16:	VOP_LANES(o, (u16)(b - a));
	case V_MUL_LO_U16:	VOP_LANES(o, (u16)(a * b));
	case V_LSHLREV_B16:	VOP_LANES(o, (u16)(b << (a & 15)));
	case V_LSHRREV_B16:	VOP_LANES(o, (u16)b >> (a & 15));
	case V_ASHRREV_I16:	VOP_LANES(o, (u16)((s16)b >> (a & 15)));
	case V_MAX_U16:		VOP_LANES(o, max((u16)a, (u16)b));
	case V_MAX_I16:		VOP_LANES(o, (u16)max((s16)a, (s16)b));
	case V_MIN_U16:		VOP_LANES(o, min((u16)a, (u16)b));
	case V_MIN_I16:		VOP_LANES(o, (u16)min((s16)a, (s16)b));
	case V_PACK_B32_F16:	VOP_LANES(o, (a & 0xffff) | b << 16);
	default:		return b16_three_sources(o);
	}
}

/* results that fit in any case are not listed */
static int b16_saturating(struct sim_vop *o)
{
	switch (o->op) {
	case V_ADD_U16:		VOP_LANES(o, sat_u16((u16)a + (u16)b));
	case V_SUB_U16:		VOP_LANES(o, sat_u16((u16)a - (u16)b));
	case V_SUBREV_U16:	VOP_LANES(o, sat_u16((u16)b - (u16)a));
	case V_ADD_I16:		VOP_LANES(o, sat_s16((s16)a + (s16)b));
	case V_SUB_I16:		VOP_LANES(o, sat_s16((s16)a - (s16)b));
	case V_MAD_LEGACY_U16:
	case V_MAD_U16:
		VOP_LANES(o, sat_u16((s64)(u16)a * (u16)b + (u16)c));
	case V_MAD_LEGACY_I16:
	case V_MAD_I16:
		VOP_LANES(o, sat_s16((s16)a * (s16)b + (s16)c));
	default:
		return b16_plain(o);
	}
}

/*
 * sim_vop_b16() - 16-bit sources; the upper half of the result is zero
 */
int sim_vop_b16(struct sim_wave *w, struct sim_vop *o)
{
	return o->i->clamp ? b16_saturating(o) : b16_plain(o);
}
