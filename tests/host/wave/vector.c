// SPDX-License-Identifier: GPL-2.0
/*
 * 32-bit and 16-bit vector operations, including SDWA and modifiers, against a
 * line of C each. Inactive lanes keep their values.
 */
#include "unit.h"

#define VOPS(X)								\
	X(v_mov_b32, a) X(v_not_b32, ~a) X(v_bfrev_b32, reverse(a))	\
	X(v_ffbh_u32, a ? __builtin_clz(a) : -1)			\
	X(v_ffbl_b32, a ? __builtin_ctz(a) : -1)			\
	X(v_ffbh_i32, sign_bits(a))					\
	X(v_cvt_f32_ubyte1, float_bits(a >> 8 & 255))			\
	X(v_cvt_f32_ubyte3, float_bits(a >> 24))			\
	X(v_sat_pk_u8_i16, sat((s16)a, 0, 255) | sat((s16)(a >> 16), 0, 255) << 8) \
	X(v_add_u32, a + b) X(v_sub_u32, a - b) X(v_subrev_u32, b - a)	\
	X(v_min_i32, (s32)a < (s32)b ? a : b)				\
	X(v_max_i32, (s32)a > (s32)b ? a : b)				\
	X(v_min_u32, a < b ? a : b) X(v_max_u32, a > b ? a : b)		\
	X(v_lshrrev_b32, b >> (a % 32))					\
	X(v_ashrrev_i32, (s32)b >> (a % 32))				\
	X(v_lshlrev_b32, b << (a % 32))					\
	X(v_and_b32, a & b) X(v_or_b32, a | b) X(v_xor_b32, a ^ b)	\
	X(v_xnor_b32, ~a ^ b)						\
	X(v_mul_i32_i24, (s64)sext24(a) * sext24(b))			\
	X(v_mul_hi_i32_i24, ((s64)sext24(a) * sext24(b)) >> 32)		\
	X(v_mul_u32_u24, (a & 0xffffff) * (b & 0xffffff))		\
	X(v_mul_hi_u32_u24, ((u64)(a & 0xffffff) * (b & 0xffffff)) >> 32) \
	X(v_mul_lo_u32, a * b) X(v_mul_hi_u32, (u64)a * b >> 32)	\
	X(v_mul_hi_i32, ((s64)(s32)a * (s32)b) >> 32)			\
	X(v_add_u16, (a + b) & 0xffff) X(v_sub_u16, (a - b) & 0xffff)	\
	X(v_subrev_u16, (b - a) & 0xffff)				\
	X(v_mul_lo_u16, (a * b) & 0xffff)				\
	X(v_lshlrev_b16, b << (a % 16) & 0xffff)			\
	X(v_lshrrev_b16, (b & 0xffff) >> (a % 16))			\
	X(v_ashrrev_i16, ((s16)b >> (a % 16)) & 0xffff)			\
	X(v_max_i16, ((s16)a > (s16)b ? a : b) & 0xffff)		\
	X(v_min_u16, (u16)a < (u16)b ? a & 0xffff : b & 0xffff)		\
	X(v_bcnt_u32_b32, __builtin_popcount(a) + b)			\
	X(v_bfm_b32, ((1u << (a % 32)) - 1) << (b % 32))		\
	X(v_cvt_pk_u16_u32, (a > 65535 ? 65535 : a) | (b > 65535 ? 65535 : b) << 16) \
	X(v_cvt_pk_i16_i32, (sat((s32)a, -32768, 32767) & 0xffff) |	\
	  (u32)sat((s32)b, -32768, 32767) << 16)			\
	X(v_add_i32, a + b)						\
	X(v_sub_i16, (MARK & 0xffff0000) | ((a - b) & 0xffff))		\
	X(v_pack_b32_f16, (a & 0xffff) | b << 16)			\
	X(v_mad_i32_i24, (s64)sext24(a) * sext24(b) + c)		\
	X(v_mad_u32_u24, (a & 0xffffff) * (b & 0xffffff) + c)		\
	X(v_bfe_u32, c % 32 ? a >> (b % 32) & ((1u << (c % 32)) - 1) : 0) \
	X(v_bfe_i32, bfe_i32(a, b % 32, c % 32))			\
	X(v_bfi_b32, (a & b) | (~a & c))				\
	X(v_alignbit_b32, (((u64)a << 32) + b) >> (c % 32))		\
	X(v_alignbyte_b32, (((u64)a << 32) + b) >> (c % 4 * 8))		\
	X(v_min3_i32, least(least(a, b), c))				\
	X(v_max3_u32, a > b ? (a > c ? a : c) : (b > c ? b : c))	\
	X(v_med3_i32, median(a, b, c))					\
	X(v_med3_u32, median(a ^ 1u << 31, b ^ 1u << 31, c ^ 1u << 31) ^ 1u << 31) \
	X(v_perm_b32, perm(a, b, c))					\
	X(v_lshl_add_u32, (a << (b % 32)) + c)				\
	X(v_add_lshl_u32, (a + b) << (c % 32)) X(v_add3_u32, a + b + c)	\
	X(v_lshl_or_b32, a << (b % 32) | c) X(v_and_or_b32, (a & b) | c) \
	X(v_or3_b32, a | b | c) X(v_xad_u32, (a ^ b) + c)		\
	X(v_sad_u32, (a > b ? a - b : b - a) + c)			\
	X(v_sad_u8, sad8(a, b) + c)					\
	X(v_mad_u16, (MARK & 0xffff0000) | ((a * b + c) & 0xffff))	\
	X(v_mad_legacy_u16, (a * b + c) & 0xffff)			\
	X(v_med3_i16, (MARK & 0xffff0000) |				\
	  (median((s16)a, (s16)b, (s16)c) & 0xffff))			\
	X(v_mad_u32_u16, (a & 0xffff) * (b & 0xffff) + c)		\
	X(v_mad_i32_i16, (s16)a * (s16)b + c)				\
	X(v_add_u32_clamp, sat((s64)a + b, 0, 0xffffffff))		\
	X(v_sub_u32_clamp, a > b ? a - b : 0)				\
	X(v_add_i32_clamp, sat((s64)(s32)a + (s32)b, INT32_MIN, INT32_MAX)) \
	X(v_sub_u16_clamp, sat((u16)a - (u16)b, 0, 65535))		\
	X(v_literal, a + 0x12345678) X(v_inline, -16 - a)		\
	X(v_scalar, w->s[2] ^ a)					\
	X(v_mad_u16_hi, (MARK & 0xffff) |				\
	  ((a >> 16) * (b & 0xffff) + (c >> 16)) << 16)			\
	X(v_madmk, float_bits(flushed(flushed(flushed(fl(a)) *		\
	  0x1.921fb6p1f) + flushed(fl(b)))))				\
	X(sdwa_b1_w1, (a >> 8 & 255) + (b >> 16))			\
	X(sdwa_sext, (s8)(a >> 24) + (s16)b)				\
	X(sdwa_preserve, (MARK & 0xff00ffff) | ((a | b >> 24) & 255) << 16) \
	X(sdwa_byte, ((a + b) & 255) << 8)				\
	X(sdwa_keep, (MARK & 0xffff0000) | ((a + b) & 0xffff))		\
	X(sdwa_pad, (a >> 16) * (b >> 16 & 255) << 16)			\
	X(sdwa_dsext, (u32)(s8)(a >> 16) << 8)				\
	X(sdwa_sgpr, w->s[2] >> 16 & b)					\
	X(sdwa_neg, float_bits(-fl(a) + fabsf(fl(b))))			\
	X(v_add_f32, float_bits(fl(a) + fl(b)))				\
	X(v_sub_f32, float_bits(fl(a) - fl(b)))				\
	X(v_subrev_f32, float_bits(fl(b) - fl(a)))			\
	X(v_mul_f32, float_bits(fl(a) * fl(b)))				\
	X(v_fma_f32, float_bits(fmaf(fl(a), fl(b), fl(c))))		\
	X(v_fma_mods, float_bits(fmaf(-fl(a), fabsf(fl(b)), -fabsf(fl(c))))) \
	X(v_add_clamp, float_bits(unit(fl(a) + fl(b))))			\
	/* ignored in the initial mode of programs; see modes.c */	\
	X(v_mul_omod, float_bits(fl(a) * fl(b)))			\
	X(v_msad_u8, msad8(a, b) + c)					\
	X(v_mul_half, float_bits(fl(a) * 0.5f))				\
	X(v_fmac, float_bits(fmaf(fl(a), fl(b), fl(MARK))))		\
	X(v_cndmask, 0)							\
	X(pk_add_u16, ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16) \
	X(pk_sub_i16_sat, (sat((s16)a - (s16)b, -32768, 32767) & 0xffff) | \
	  (u32)sat((s16)(a >> 16) - (s16)(b >> 16), -32768, 32767) << 16) \
	X(pk_mad_u16, (((a >> 16) * (b & 0xffff) + c) & 0xffff) |	\
	  ((a & 0xffff) * (b >> 16) + (c >> 16)) << 16)			\
	X(pk_lshl, (b << (a % 16) & 0xffff) | (b >> 16) << (a >> 16) % 16 << 16) \
	X(pk_ashr, ((s16)b >> a % 16 & 0xffff) |			\
	  (u32)((s32)b >> 16 >> (a >> 16) % 16) << 16)			\
	X(acc_trip, a)

/* v_mad and similar flush denormals */
static float flushed(float f)
{
	return fabsf(f) < 0x1p-126f ? copysignf(0, f) : f;
}

static float unit(float f)
{
	return isnan(f) || f <= 0 ? 0 : f > 1 ? 1 : f;
}

static s64 sat(s64 x, s64 lo, s64 hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

static s32 sext24(u32 x)
{
	return (s32)(x << 8) / 256 - ((s32)(x << 8) % 256 < 0);
}

static s32 least(s32 a, s32 b)
{
	return a < b ? a : b;
}

static s32 median(s32 a, s32 b, s32 c)
{
	if ((a <= b && b <= c) || (c <= b && b <= a))
		return b;
	return (b <= a && a <= c) || (c <= a && a <= b) ? a : c;
}

static u32 perm(u32 a, u32 b, u32 sel)
{
	const u8 src[8] = {
		b, b >> 8, b >> 16, b >> 24, a, a >> 8, a >> 16, a >> 24,
	};
	u32 r = 0;
	int n;

	for (n = 0; n < 4; n++) {
		u8 s = sel >> (8 * n);
		u8 byte = s < 8 ? src[s] : s < 12 ? -(src[2 * (s - 8) + 1] >> 7) :
			s == 12 ? 0 : 255;

		r |= (u32)byte << (8 * n);
	}
	return r;
}

static u32 sad8(u32 a, u32 b)
{
	u32 sum = 0;
	int n;

	for (n = 0; n < 4; n++)
		sum += abs((int)(a >> (8 * n) & 255) - (int)(b >> (8 * n) & 255));
	return sum;
}

static u32 msad8(u32 a, u32 b)
{
	u32 sum = 0;
	int n;

	for (n = 0; n < 32; n += 8)
		if (b >> n & 255)
			sum += abs((int)(a >> n & 255) - (int)(b >> n & 255));
	return sum;
}

#define MODEL(name, expr)						\
	static u32 model_##name(u32 a, u32 b, u32 c)			\
	{								\
		return expr;						\
	}
VOPS(MODEL)

static const struct vop {
	const char *name;
	u32 (*model)(u32 a, u32 b, u32 c);
} vops[] = {
#define ROW(name, expr) { #name, model_##name },
	VOPS(ROW)
};

#define NR_VOPS		(sizeof(vops) / sizeof(vops[0]))

static u32 vop_want(const struct vop *op, u32 in[4][SIM_LANES], u64 vcc,
		    unsigned int lane)
{
	if (op->model == model_v_cndmask)
		return vcc >> lane & 1 ? in[2][lane] : in[1][lane];
	return op->model(in[1][lane], in[2][lane], in[3][lane]);
}

static bool vop_round(const struct vop *op, u64 exec)
{
	u32 in[4][SIM_LANES], want;
	unsigned int lane;
	u64 vcc;

	prepare(exec);
	memcpy(in, w->v, sizeof(in));
	vcc = pair(VCC);
	if (!run(op->name))
		return false;
	for (lane = 0; lane < SIM_LANES; lane++) {
		want = active(exec, lane) ? vop_want(op, in, vcc, lane) : MARK;
		if (same_value(w->v[0][lane], want))
			continue;
		tap_note("%s(%08x, %08x, %08x): %08x, want %08x", op->name,
			 in[1][lane], in[2][lane], in[3][lane], w->v[0][lane],
			 want);
		return false;
	}
	return true;
}

static void vector_ops(void)
{
	unsigned int n, r;
	bool ok;

	for (n = 0; n < NR_VOPS; n++) {
		ok = vop_round(&vops[n], ~0ull) && vop_round(&vops[n], 0);
		for (r = 0; r < ROUNDS && ok; r++)
			ok = vop_round(&vops[n], rnd());
		tap_ok(ok, "%s", vops[n].name);
	}
}

int main(int argc, char **argv)
{
	if (!set_up(argc, argv))
		return 2;
	tap_plan(NR_VOPS);
	vector_ops();
	machine_reset();
	return tap_status();
}
