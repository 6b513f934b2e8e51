// SPDX-License-Identifier: GPL-2.0
/*
 * Each class of instructions against a line of C, with operands that tell
 * signed from unsigned, carry from no carry and 31 from 32; inactive lanes
 * must keep what they had. The programs are in unit.s.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../tap.h"
#include "machine.h"

#define CODE		0x100000000ull
#define DATA		0x7f00aaaa0000ull
#define DATA_SIZE	0x10000
#define NR_VGPRS	32
#define ACC		16	/* first accumulation register */
#define MARK		0xdeadbeefu
#define VCC		GFX9_SRC_VCC
#define EXEC		GFX9_SRC_EXEC
#define M0		GFX9_SRC_M0

static struct sim_wave *w;
static u8 *data;
static unsigned long long seed = 0x1234567890abcdef;

static u64 rnd(void)
{
	return tap_random(&seed);
}

static const u32 edges[] = {
	0, 1, 2, 7, 15, 16, 31, 32, 33, 0x7f, 0x80, 0xff, 0x100, 0x7fff,
	0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff, 0x1000000,
	0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
	0x3f800000, 0xbf800000, 0x7f800000, 0xffc00000, 0x00000c0d, 0x08090a0b,
};

static u32 operand(void)
{
	u64 r = rnd();

	return r & 1 ? edges[(r >> 8) % (sizeof(edges) / sizeof(edges[0]))] :
		       r >> 32;
}

static u64 pair(unsigned int reg)
{
	return w->s[reg] | (u64)w->s[reg + 1] << 32;
}

static void set_pair(unsigned int reg, u64 val)
{
	w->s[reg] = val;
	w->s[reg + 1] = val >> 32;
}

static u64 vpair(unsigned int reg, unsigned int lane)
{
	return w->v[reg][lane] | (u64)w->v[reg + 1][lane] << 32;
}

static void set_vpair(unsigned int reg, unsigned int lane, u64 val)
{
	w->v[reg][lane] = val;
	w->v[reg + 1][lane] = val >> 32;
}

static bool active(u64 exec, unsigned int lane)
{
	return exec >> lane & 1;
}

/* random registers; results marked */
static void prepare(u64 exec)
{
	unsigned int reg, lane;

	for (reg = 0; reg < NR_VGPRS; reg++)
		for (lane = 0; lane < SIM_LANES; lane++)
			w->v[reg][lane] = reg < 2 ? MARK : operand();
	for (reg = 0; reg < 40; reg++)
		w->s[reg] = operand();
	set_pair(EXEC, exec);
	set_pair(VCC, rnd());
	w->status = STATUS_VALID;
	w->trapsts = 0;
	w->pending = 0;
}

static bool run(const char *name)
{
	w->pc = elf_symbol(name);
	if (!w->pc) {
		tap_note("no program %s", name);
		return false;
	}
	return sim_wave_run(w, 1000) == SIM_STOP_ENDED;
}

static bool fails(const char *name, u32 trapsts)
{
	w->pc = elf_symbol(name);
	w->pending = 0;
	return w->pc && sim_wave_run(w, 1000) == SIM_STOP_FATAL &&
	       w->fatal_trapsts == trapsts && w->fatal_pc == elf_symbol(name);
}

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
	X(v_add_i32, a + b) X(v_sub_i16, (a - b) & 0xffff)		\
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
	X(v_mad_u16, (a * b + c) & 0xffff)				\
	X(v_mad_legacy_u16, (a * b + c) & 0xffff)			\
	X(v_med3_i16, median((s16)a, (s16)b, (s16)c) & 0xffff)		\
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
	X(v_madmk, float_bits(fl(a) * 0x1.921fb6p1f + fl(b)))		\
	X(sdwa_b1_w1, (a >> 8 & 255) + (b >> 16))			\
	X(sdwa_sext, (s8)(a >> 24) + (s16)b)				\
	X(sdwa_preserve, (MARK & 0xff00ffff) | ((a | b >> 24) & 255) << 16) \
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
	X(v_mul_omod, float_bits(fl(a) * fl(b) * 4))			\
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

static u32 reverse(u32 x)
{
	u32 r = 0;
	int n;

	for (n = 0; n < 32; n++)
		r |= (x >> n & 1) << (31 - n);
	return r;
}

static u32 sign_bits(u32 x)
{
	int n;

	for (n = 1; n < 32; n++)
		if ((x >> (31 - n) & 1) != x >> 31)
			return n;
	return -1;
}

static float fl(u32 x)
{
	float f;

	memcpy(&f, &x, 4);
	return f;
}

static u32 float_bits(float f)
{
	u32 x;

	memcpy(&x, &f, 4);
	return isnan(f) ? 0x7fc00000 : x;
}

static float unit(float f)
{
	return isnan(f) || f < 0 ? 0 : f > 1 ? 1 : f;
}

static s64 sat(s64 x, s64 lo, s64 hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

static s32 sext24(u32 x)
{
	return (s32)(x << 8) / 256 - ((s32)(x << 8) % 256 < 0);
}

static u32 bfe_i32(u32 x, unsigned int shift, unsigned int width)
{
	u64 wide = (u64)((s64)(s32)x >> shift);

	if (!width)
		return 0;
	wide &= (1ull << width) - 1;
	return wide >> (width - 1) ? wide | ~0ull << width : wide;
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
#define ROUNDS		40

/* a NaN is as good as any other */
static bool same_value(u32 got, u32 want)
{
	return got == want || (want == 0x7fc00000 && isnan(fl(got)));
}

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

/* 64-bit vector operations; a carry out is in vcc */
#define WIDE(X)								\
	X(v_lshlrev_b64, b << (a & 63), false)				\
	X(v_lshrrev_b64, b >> (a & 63), false)				\
	X(v_ashrrev_i64, (s64)b >> (a & 63), false)			\
	X(v_mad_u64_u32, (u64)(u32)a * (u32)b + c,			\
	  ((unsigned __int128)(u64)(u32)a * (u32)b + c) >> 64)		\
	X(v_mad_i64_i32, (u64)((s64)(s32)a * (s32)b) + c,		\
	  (((__int128)(s32)a * (s32)b + (s64)c) >> 64) & 1)		\
	X(add64, a + b, a + b < a) X(sub64, a - b, a < b)		\
	X(subrev64, b - a, b < a)					\
	X(pk_add_f32, two(fl(a) + fl(b), fl(a >> 32) + fl(b >> 32)), false) \
	X(pk_mul_sel, two(-fl(a >> 32) * fl(b), fl(a) * -fl(b >> 32)), false) \
	X(pk_fma_f32, two(fmaf(fl(a), fl(b), fl(c)),			\
	  fmaf(fl(a >> 32), fl(b >> 32), fl(c >> 32))), false)		\
	X(pk_add_const, two(fl(a) + 1, fl(a >> 32) + 1), false)		\
	X(pk_mul_sgpr, two(fl(a) * fl(w->s[2]), fl(a >> 32) * fl(w->s[3])), false) \
	X(pk_mov, (a >> 32) | b << 32, false)

static u64 two(float low, float high)
{
	return float_bits(low) | (u64)float_bits(high) << 32;
}

#define WIDE_MODEL(name, expr, out)					\
	static u64 wide_##name(u64 a, u64 b, u64 c, bool *carry)	\
	{								\
		*carry = out;						\
		return expr;						\
	}
WIDE(WIDE_MODEL)

static const struct wide {
	const char *name;
	u64 (*model)(u64 a, u64 b, u64 c, bool *carry);
	bool has_carry;
} wides[] = {
#define WIDE_ROW(name, expr, out) { #name, wide_##name, #out[0] != 'f' },
	WIDE(WIDE_ROW)
};

#define NR_WIDES	(sizeof(wides) / sizeof(wides[0]))

static bool wide_lane(const struct wide *op, const u64 in[3], u64 exec,
		      unsigned int lane)
{
	bool carry, got = pair(VCC) >> lane & 1;
	u64 want = op->model(in[0], in[1], in[2], &carry);

	if (!active(exec, lane))
		return vpair(0, lane) == (MARK | (u64)MARK << 32) &&
		       !(op->has_carry && got);
	if (same_value(vpair(0, lane), want) &&
	    same_value(vpair(0, lane) >> 32, want >> 32) &&
	    (!op->has_carry || got == carry))
		return true;
	tap_note("%s(%llx, %llx, %llx): %llx.%d, want %llx.%d", op->name, in[0],
		 in[1], in[2], vpair(0, lane), got, want, carry);
	return false;
}

static bool wide_round(const struct wide *op, u64 exec)
{
	u64 in[SIM_LANES][3];
	unsigned int lane;

	prepare(exec);
	for (lane = 0; lane < SIM_LANES; lane++) {
		in[lane][0] = vpair(2, lane);
		in[lane][1] = vpair(4, lane);
		in[lane][2] = vpair(6, lane);
	}
	if (!run(op->name))
		return false;
	for (lane = 0; lane < SIM_LANES; lane++)
		if (!wide_lane(op, in[lane], exec, lane))
			return false;
	return true;
}

static void wide_ops(void)
{
	unsigned int n, r;
	bool ok;

	for (n = 0; n < NR_WIDES; n++) {
		ok = wide_round(&wides[n], ~0ull);
		for (r = 0; r < ROUNDS && ok; r++)
			ok = wide_round(&wides[n], rnd());
		tap_ok(ok, "%s", wides[n].name);
	}
}

static bool int_condition(const char *cond, bool lt, bool eq)
{
	static const struct { const char *name; bool lt, eq, gt; } conds[] = {
		{ "lt", 1, 0, 0 }, { "eq", 0, 1, 0 }, { "le", 1, 1, 0 },
		{ "gt", 0, 0, 1 }, { "ne", 1, 0, 1 }, { "ge", 0, 1, 1 },
		{ "t", 1, 1, 1 }, { "f", 0, 0, 0 },
	};
	unsigned int n;

	for (n = 0; strcmp(conds[n].name, cond); n++)
		;
	return lt ? conds[n].lt : eq ? conds[n].eq : conds[n].gt;
}

static bool int_compare(const char *cond, const char *type, unsigned int lane)
{
	u32 a = w->v[1][lane], b = w->v[2][lane];
	u64 x = vpair(2, lane), y = vpair(4, lane);

	if (!strcmp(type, "i32"))
		return int_condition(cond, (s32)a < (s32)b, a == b);
	if (!strcmp(type, "u32"))
		return int_condition(cond, a < b, a == b);
	if (!strcmp(type, "i16"))
		return int_condition(cond, (s16)a < (s16)b, (s16)a == (s16)b);
	if (!strcmp(type, "u16"))
		return int_condition(cond, (u16)a < (u16)b, (u16)a == (u16)b);
	if (!strcmp(type, "i64"))
		return int_condition(cond, (s64)x < (s64)y, x == y);
	return int_condition(cond, x < y, x == y);
}

static bool float_compare(const char *cond, const char *type, unsigned int lane)
{
	static const char *const conds[] = {
		"f", "lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg",
		"ngt", "nle", "neq", "nlt", "tru",
	};
	float a = fl(w->v[1][lane]), b = fl(w->v[2][lane]);
	const bool want[] = {
		false, a < b, a == b, a <= b, a > b, a < b || a > b, a >= b,
		!isnan(a) && !isnan(b), isnan(a) || isnan(b), !(a >= b),
		!(a < b || a > b), !(a > b), !(a <= b), a != b, !(a < b), true,
	};
	unsigned int n;

	for (n = 0; strcmp(conds[n], cond); n++)
		;
	return want[n];
}

static bool compare_round(const char *cond, const char *type, u64 exec,
			  bool (*model)(const char *, const char *, unsigned int))
{
	char name[32];
	unsigned int lane;
	u64 want = 0;

	snprintf(name, sizeof(name), "v_cmp_%s_%s", cond, type);
	prepare(exec);
	for (lane = 0; lane < SIM_LANES; lane += 3)
		memcpy(&w->v[2][lane], &w->v[1][lane], 4);
	for (lane = 0; lane < SIM_LANES; lane += 5)
		set_vpair(4, lane, vpair(2, lane));
	for (lane = 0; lane < SIM_LANES; lane++)
		want |= (u64)(active(exec, lane) && model(cond, type, lane))
			<< lane;
	return run(name) && pair(VCC) == want;
}

static void compares(void)
{
	static const char *const ints[] = {
		"lt", "eq", "le", "gt", "ne", "ge", "t", "f",
	};
	static const char *const types[] = {
		"i32", "u32", "i16", "u16", "i64", "u64",
	};
	static const char *const floats[] = {
		"f", "lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg",
		"ngt", "nle", "neq", "nlt", "tru",
	};
	unsigned int t, c, r;
	bool ok;

	for (t = 0; t < 6; t++) {
		for (ok = true, c = 0; c < 8; c++)
			for (r = 0; r < ROUNDS && ok; r++)
				ok = compare_round(ints[c], types[t], rnd(),
						   int_compare);
		tap_ok(ok, "v_cmp_*_%s", types[t]);
	}
	for (ok = true, c = 0; c < 16; c++)
		for (r = 0; r < ROUNDS && ok; r++)
			ok = compare_round(floats[c], "f32", rnd(),
					   float_compare);
	tap_ok(ok, "v_cmp_*_f32");
}

static bool cmpx_sets_exec(void)
{
	u64 want = 0;
	unsigned int lane;

	prepare(0x00ff00ff00ff00ff);
	for (lane = 0; lane < SIM_LANES; lane++)
		want |= (u64)(w->v[1][lane] > w->v[2][lane]) << lane;
	want &= pair(EXEC);
	return run("v_cmpx") && pair(VCC) == want && pair(EXEC) == want;
}

static bool class_of_floats(void)
{
	static const u32 samples[] = {
		0x7f800001, 0x7fc00000, 0xff800000, 0xc0000000, 0x80000001,
		0x80000000, 0, 1, 0x40000000, 0x7f800000,
	};
	unsigned int n;
	bool ok = true;

	for (n = 0; n < 10; n++) {
		prepare(1);
		w->v[1][0] = samples[n];
		w->v[2][0] = 1 << n;
		ok &= run("v_class") && pair(VCC) == 1;
		w->v[2][0] = ~(1 << n);
		ok &= run("v_class") && pair(VCC) == 0;
	}
	return ok;
}

/* DPP: which lane each reads; -1 invalid */
static int from_quad(int l) { return (l & ~3) + "\2\3\0\1"[l & 3]; }
static int from_shr(int l) { return l % 16 < 3 ? -1 : l - 3; }
static int from_shl(int l) { return l % 16 == 15 ? -1 : l + 1; }
static int from_ror(int l) { return (l & ~15) + (l + 11) % 16; }
static int from_mirror(int l) { return l / 16 * 16 + 15 - l % 16; }
static int from_half(int l) { return l / 8 * 8 + 7 - l % 8; }
static int from_wshr(int l) { return l - 1; }
static int from_bcast15(int l) { return l < 16 ? -1 : l / 16 * 16 - 1; }
static int from_bcast31(int l) { return l < 32 ? -1 : 31; }

static const struct dpp {
	const char *name;
	int (*from)(int lane);
	unsigned int rows, banks;
	bool zero;	/* bound_ctrl: what is invalid reads as zero */
} dpps[] = {
	{ "dpp_quad", from_quad, 15, 15 }, { "dpp_shr", from_shr, 15, 15 },
	{ "dpp_shl0", from_shl, 15, 15, true },
	{ "dpp_ror", from_ror, 5, 6 }, { "dpp_mirror", from_mirror, 15, 15 },
	{ "dpp_half", from_half, 15, 15 }, { "dpp_wshr", from_wshr, 15, 15 },
	{ "dpp_bcast15", from_bcast15, 10, 15 },
	{ "dpp_bcast31", from_bcast31, 12, 15 },
};

static u32 dpp_want(const struct dpp *d, u64 exec, int lane)
{
	int from = d->from(lane);
	bool valid = from >= 0 && active(exec, from);

	if (!active(exec, lane) || !(d->rows >> lane / 16 & 1) ||
	    !(d->banks >> lane / 4 % 4 & 1) || (!valid && !d->zero))
		return MARK;
	return (valid ? w->v[1][from] : 0) + (d->zero ? w->v[2][lane] : 0);
}

static bool dpp_round(const struct dpp *d, u64 exec)
{
	int lane;

	prepare(exec);
	if (!run(d->name))
		return false;
	for (lane = 0; lane < SIM_LANES; lane++)
		if (w->v[0][lane] != dpp_want(d, exec, lane))
			return false;
	return true;
}

static void dpp(void)
{
	unsigned int n;

	for (n = 0; n < sizeof(dpps) / sizeof(dpps[0]); n++)
		tap_ok(dpp_round(&dpps[n], ~0ull) && dpp_round(&dpps[n], rnd()),
		       "%s", dpps[n].name);
}

static bool lanes_and_scalars(void)
{
	bool ok;

	prepare(1ull << 40 | 1ull << 50);
	w->s[2] = 64 + 13;
	ok = run("v_readlane") && w->s[0] == w->v[1][13];
	ok &= run("v_readfirst") && w->s[0] == w->v[1][40];
	set_pair(EXEC, 0);
	ok &= run("v_readfirst") && w->s[0] == w->v[1][0];
	ok &= run("v_writelane") && w->v[0][37] == w->s[3] &&
	      w->v[0][36] == MARK;
	return ok;
}

static bool counts_lanes_below(void)
{
	unsigned int lane;
	u64 mask;

	prepare(~0ull);
	mask = pair(2);
	if (!run("mbcnt"))
		return false;
	for (lane = 0; lane < SIM_LANES; lane++)
		if (w->v[0][lane] != w->v[1][lane] +
		    __builtin_popcountll(mask & ((1ull << lane) - 1)))
			return false;
	return true;
}

static bool carries_from_any_pair(void)
{
	unsigned int lane;
	u64 sel;

	prepare(~0ull);
	sel = pair(4);
	if (!run("v_cndmask64"))
		return false;
	for (lane = 0; lane < SIM_LANES; lane++)
		if (w->v[0][lane] != (sel >> lane & 1 ?
				      w->v[2][lane] & ~0x80000000 :
				      w->v[1][lane] ^ 0x80000000))
			return false;
	return true;
}

static bool overlapping_registers(void)
{
	u32 a[SIM_LANES];
	u64 x[SIM_LANES];
	unsigned int lane;
	bool ok = true;

	prepare(~0ull);
	for (lane = 0; lane < SIM_LANES; lane++) {
		a[lane] = w->v[1][lane];
		x[lane] = vpair(4, lane);
	}
	ok = run("v_in_place") && run("v_shift_overlap");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= w->v[1][lane] == 2 * a[lane] &&
		      vpair(4, lane) == x[lane] << (x[lane] & 63);
	return ok;
}

static bool swaps_registers(void)
{
	u32 a[SIM_LANES], b[SIM_LANES];
	unsigned int lane;
	bool ok;

	prepare(0xffff0000ffff0000);
	memcpy(a, w->v[1], sizeof(a));
	memcpy(b, w->v[2], sizeof(b));
	ok = run("v_swap");
	for (lane = 0; lane < SIM_LANES; lane++) {
		bool on = active(pair(EXEC), lane);

		ok &= w->v[1][lane] == (on ? b[lane] : a[lane]) &&
		      w->v[2][lane] == (on ? a[lane] : b[lane]);
	}
	return ok;
}

static bool indexes_registers(void)
{
	prepare(~0ull);
	w->s[2] = 3;
	w->v[4][9] = 0x44;
	w->v[2][9] = 0x22;
	return run("gpr_idx") && w->v[0][9] == 0x44 && w->v[7][9] == 0x22 &&
	       w->v[4][9] == 0x44 && !(w->mode & 0x08000000);
}

static bool has_accumulation_registers(void)
{
	bool ok;

	prepare(~0ull);
	w->v[1][5] = 77;
	ok = run("acc_move") && w->v[ACC + 3][5] == 77;
	w->v[ACC + 3][5] = 78;
	return ok && run("acc_read") && w->v[0][5] == 78;
}

static void vector_others(void)
{
	tap_ok(cmpx_sets_exec(), "v_cmpx writes exec");
	tap_ok(class_of_floats(), "v_cmp_class_f32");
	tap_ok(lanes_and_scalars(), "readlane, readfirstlane, writelane");
	tap_ok(counts_lanes_below(), "mbcnt");
	tap_ok(carries_from_any_pair(), "cndmask from an SGPR pair, modifiers");
	tap_ok(overlapping_registers(), "result over an operand");
	tap_ok(swaps_registers(), "v_swap_b32");
	tap_ok(indexes_registers(), "s_set_gpr_idx_on");
	tap_ok(has_accumulation_registers(), "accvgpr read and write");
	prepare(~0ull);
	tap_ok(fails("bad_vgpr", TRAPSTS_ILLEGAL_INST) &&
	       fails("bad_acc", TRAPSTS_ILLEGAL_INST),
	       "registers that the wave does not have");
}

/* scalar: expression of a, b, scc_in; scc out, or -1 unchanged */
#define SOPS(X)								\
	X(s_add_u32, a + b, a + b < a) X(s_sub_u32, a - b, a < b)	\
	X(s_add_i32, a + b, out_of_s32((s64)(s32)a + (s32)b))		\
	X(s_sub_i32, a - b, out_of_s32((s64)(s32)a - (s32)b))		\
	X(s_addc_u32, a + b + scc, ((u64)a + b + scc) >> 32)		\
	X(s_subb_u32, a - b - scc, (u64)b + scc > a)			\
	X(s_min_i32, (s32)a < (s32)b ? a : b, (s32)a < (s32)b)		\
	X(s_max_u32, a > b ? a : b, a > b)				\
	X(s_cselect_b32, scc ? a : b, -1)				\
	X(s_and_b32, a & b, (a & b) != 0)				\
	X(s_andn2_b32, a & ~b, (a & ~b) != 0)				\
	X(s_orn2_b32, a | ~b, (a | ~b) != 0)				\
	X(s_nor_b32, ~(a | b), ~(a | b) != 0)				\
	X(s_lshl_b32, a << b % 32, a << b % 32 != 0)			\
	X(s_lshr_b32, a >> b % 32, a >> b % 32 != 0)			\
	X(s_ashr_i32, (s32)a >> b % 32, (s32)a >> b % 32 != 0)		\
	X(s_bfm_b32, ((1u << a % 32) - 1) << b % 32, -1)		\
	X(s_mul_i32, a * b, -1)						\
	X(s_mul_hi_u32, (u64)a * b >> 32, -1)				\
	X(s_mul_hi_i32, ((s64)(s32)a * (s32)b) >> 32, -1)		\
	X(s_bfe_u32, ubfe(a, b), ubfe(a, b) != 0)			\
	X(s_bfe_i32, sbfe(a, b), sbfe(a, b) != 0)			\
	X(s_absdiff_i32, (s32)a > (s32)b ? a - b : b - a, a != b)	\
	X(s_lshl3_add_u32, (a << 3) + b, (((u64)a << 3) + b) >> 32 != 0) \
	X(s_pack_lh_b32_b16, (a & 0xffff) | (b >> 16 << 16), -1)	\
	X(s_pack_ll_b32_b16, (a & 0xffff) | (b << 16), -1)		\
	X(s_pack_hh_b32_b16, (a >> 16) | (b >> 16 << 16), -1)		\
	X(s_brev_b32, reverse(a), -1)					\
	X(s_ff0_b32, ~a ? __builtin_ctz(~a) : -1, -1)			\
	X(s_flbit_i32, sign_bits(a), -1)				\
	X(s_bcnt0_b32, 32 - __builtin_popcount(a), a != ~0u)		\
	X(s_sext_i8, (s8)a, -1)						\
	X(s_abs_i32, (s32)a < 0 ? -a : a, a != 0)			\
	X(s_bitset1, old | 1u << a % 32, -1)				\
	X(s_cmov, scc ? a : old, -1)					\
	X(s_quadmask, quads(a), quads(a) != 0)				\
	X(s_movk, 0xffff8001, -1)

static bool out_of_s32(s64 x)
{
	return x != (s32)x;
}

static u32 ubfe(u32 x, u32 ctl)
{
	unsigned int width = ctl >> 16 & 127;

	x >>= ctl & 31;
	return width >= 32 ? x : x & ((1u << width) - 1);
}

static u32 sbfe(u32 x, u32 ctl)
{
	unsigned int width = ctl >> 16 & 127;

	return bfe_i32(x, ctl & 31, width > 32 ? 32 : width);
}

static u32 quads(u32 x)
{
	u32 r = 0;
	int n;

	for (n = 0; n < 8; n++)
		r |= (x >> (4 * n) & 15 ? 1u : 0) << n;
	return r;
}

#define SOP_MODEL(name, expr, out)					\
	static u32 sop_##name(u32 a, u32 b, u32 old, bool scc, int *scc_out) \
	{								\
		*scc_out = out;						\
		return expr;						\
	}
SOPS(SOP_MODEL)

static const struct sop {
	const char *name;
	u32 (*model)(u32 a, u32 b, u32 old, bool scc, int *scc_out);
} sops[] = {
#define SOP_ROW(name, expr, out) { #name, sop_##name },
	SOPS(SOP_ROW)
};

#define NR_SOPS		(sizeof(sops) / sizeof(sops[0]))

static bool sop_round(const struct sop *op)
{
	u32 a, b, want;
	bool scc = rnd() & 1;
	int scc_out;

	prepare(~0ull);
	a = w->s[2];
	b = w->s[3];
	w->status |= scc;
	want = op->model(a, b, w->s[0], scc, &scc_out);
	if (scc_out < 0)
		scc_out = scc;
	if (run(op->name) && w->s[0] == want && (w->status & 1) == scc_out)
		return true;
	tap_note("%s(%08x, %08x) scc %d: %08x.%d, want %08x.%d", op->name, a, b,
		 scc, w->s[0], w->status & 1, want, scc_out);
	return false;
}

/* the same for 64 bits; the result of the bit counts has 32 */
#define SOPS64(X)							\
	X(s_and_b64, a & b, (a & b) != 0) X(s_or_b64, a | b, (a | b) != 0) \
	X(s_xor_b64, a ^ b, a != b)					\
	X(s_andn2_b64, a & ~b, (a & ~b) != 0)				\
	X(s_nand_b64, ~(a & b), ~(a & b) != 0)				\
	X(s_xnor_b64, ~(a ^ b), ~(a ^ b) != 0)				\
	X(s_cselect_b64, scc ? a : b, -1)				\
	X(s_lshl_b64, a << (b & 63), a << (b & 63) != 0)		\
	X(s_lshr_b64, a >> (b & 63), a >> (b & 63) != 0)		\
	X(s_ashr_i64, (s64)a >> (b & 63), (s64)a >> (b & 63) != 0)	\
	X(s_bfe_u64, bfe64(a, b, false), bfe64(a, b, false) != 0)	\
	X(s_bfe_i64, bfe64(a, b, true), bfe64(a, b, true) != 0)		\
	X(s_not_b64, ~a, ~a != 0) X(s_brev_b64, reverse64(a), -1)	\
	X(s_wqm_b64, wqm(a), a != 0)					\
	X(s_bcnt1_b64, high | __builtin_popcountll(a), a != 0)		\
	X(s_ff1_b64, high | (a ? __builtin_ctzll(a) : 0xffffffff), -1)	\
	X(s_flbit_i64, high | sign_bits64(a), -1)			\
	X(s_bitreplicate, twice(a), -1)					\
	X(s_mov64_neg, -5, -1) X(s_mov64_one, 0x3ff0000000000000, -1)	\
	X(s_mov64_lit, 0x89abcdef, -1)					\
	X(s_ashr64_lit, 0xfffffffff89abcde, 1)

static u64 reverse64(u64 x)
{
	return (u64)reverse(x) << 32 | reverse(x >> 32);
}

static u64 bfe64(u64 x, u32 ctl, bool is_signed)
{
	unsigned int width = ctl >> 16 & 127, shift = ctl & 63;
	unsigned __int128 wide = is_signed ? (__int128)(s64)x : x;

	if (!width)
		return 0;
	if (width > 64)
		width = 64;
	wide >>= shift;
	wide &= ((unsigned __int128)1 << width) - 1;
	if (is_signed && (wide >> (width - 1) & 1))
		wide |= ~(unsigned __int128)0 << width;
	return wide;
}

static u64 wqm(u64 x)
{
	u64 r = 0;
	int n;

	for (n = 0; n < 64; n += 4)
		r |= (x >> n & 15 ? 15ull : 0) << n;
	return r;
}

static u32 sign_bits64(u64 x)
{
	int n;

	for (n = 1; n < 64; n++)
		if ((x >> (63 - n) & 1) != x >> 63)
			return n;
	return -1;
}

static u64 twice(u32 x)
{
	u64 r = 0;
	int n;

	for (n = 0; n < 64; n++)
		r |= (u64)(x >> n / 2 & 1) << n;
	return r;
}

#define SOP64_MODEL(name, expr, out)					\
	static u64 sop64_##name(u64 a, u64 b, u64 high, bool scc, int *scc_out) \
	{								\
		*scc_out = out;						\
		return expr;						\
	}
SOPS64(SOP64_MODEL)

static const struct sop64 {
	const char *name;
	u64 (*model)(u64 a, u64 b, u64 high, bool scc, int *scc_out);
} sops64[] = {
#define SOP64_ROW(name, expr, out) { #name, sop64_##name },
	SOPS64(SOP64_ROW)
};

#define NR_SOPS64	(sizeof(sops64) / sizeof(sops64[0]))

static bool sop64_round(const struct sop64 *op)
{
	bool scc = rnd() & 1;
	int scc_out;
	u64 a, b, want;

	prepare(~0ull);
	a = pair(2);
	b = pair(4);
	w->status |= scc;
	want = op->model(a, b, (u64)w->s[1] << 32, scc, &scc_out);
	if (scc_out < 0)
		scc_out = scc;
	if (run(op->name) && pair(0) == want && (w->status & 1) == scc_out)
		return true;
	tap_note("%s(%llx, %llx) scc %d: %llx.%d, want %llx.%d", op->name, a, b,
		 scc, pair(0), w->status & 1, want, scc_out);
	return false;
}

static void scalar_ops(void)
{
	unsigned int n, r;
	bool ok;

	for (n = 0; n < NR_SOPS; n++) {
		for (ok = true, r = 0; r < 500 && ok; r++)
			ok = sop_round(&sops[n]);
		tap_ok(ok, "%s", sops[n].name);
	}
	for (n = 0; n < NR_SOPS64; n++) {
		for (ok = true, r = 0; r < 500 && ok; r++)
			ok = sop64_round(&sops64[n]);
		tap_ok(ok, "%s", sops64[n].name);
	}
}

static bool scalar_condition(const char *cond, bool lt, bool eq)
{
	return int_condition(!strcmp(cond, "lg") ? "ne" : cond, lt, eq);
}

static bool scalar_compare(const char *form, const char *cond, bool is_signed)
{
	bool imm = form[0] == 'k';
	char name[32];
	u32 a, b;

	snprintf(name, sizeof(name), "s_cmp%s_%s_%c32", form, cond,
		 is_signed ? 'i' : 'u');
	prepare(~0ull);
	if (!(rnd() & 3))
		w->s[3] = w->s[2];
	if (!(rnd() & 7))
		w->s[2] = is_signed ? 0xfffffffe : 0xfffe;
	a = w->s[2];
	b = !imm ? w->s[3] : is_signed ? 0xfffffffe : 0xfffe;
	return run(name) && (w->status & 1) ==
		scalar_condition(cond, is_signed ? (s32)a < (s32)b : a < b,
				 a == b);
}

static bool scalar_compares(void)
{
	static const char *const conds[] = { "eq", "lg", "gt", "ge", "lt", "le" };
	unsigned int c, r;
	bool ok = true;

	for (c = 0; c < 6; c++)
		for (r = 0; r < 200; r++)
			ok &= scalar_compare("", conds[c], r & 1) &&
			      scalar_compare("k", conds[c], r & 1);
	return ok;
}

static bool scalar_bit_tests(void)
{
	unsigned int r;
	bool ok = true;

	for (r = 0; r < 200; r++) {
		prepare(~0ull);
		ok &= run("s_bitcmp0") &&
		      (w->status & 1) == !(w->s[2] >> w->s[3] % 32 & 1);
		ok &= run("s_bitcmp1_64") &&
		      (w->status & 1) == (pair(2) >> w->s[4] % 64 & 1);
		if (r & 1)
			set_pair(4, pair(2));
		ok &= run("s_cmp_eq_u64") &&
		      (w->status & 1) == (pair(2) == pair(4));
	}
	return ok;
}

static bool immediates(void)
{
	unsigned int r;
	bool ok = true;

	for (r = 0; r < 200; r++) {
		u32 a;

		prepare(~0ull);
		a = w->s[2];
		ok &= run("s_addk") && w->s[2] == a + 0x7fff &&
		      (w->status & 1) == out_of_s32((s64)(s32)a + 0x7fff);
		a = w->s[2];
		ok &= run("s_mulk") && w->s[2] == a * -3;
	}
	return ok;
}

static bool divergent_branch(u64 cond)
{
	unsigned int lane;
	u64 exec = 0xfff0fff0fff0ffff;

	prepare(exec);
	set_pair(2, cond);
	if (!run("saveexec") || pair(EXEC) != exec || pair(0) != exec)
		return false;
	for (lane = 0; lane < SIM_LANES; lane++)
		if (w->v[0][lane] != (!active(exec, lane) ? MARK :
				      active(cond, lane) ? 1 : 2))
			return false;
	return true;
}

static bool calls_and_returns(void)
{
	prepare(~0ull);
	w->s[0] = 0;
	return run("call") && w->s[0] == 34;
}

static bool loops(void)
{
	u64 before;

	prepare(~0ull);
	w->s[2] = 101;
	before = w->nr_insts;
	return run("loop") && w->s[0] == 102 &&
	       w->nr_insts - before == 1 + 3 * 51 + 1;
}

static bool wrexec(void)
{
	u64 want;

	prepare(0x123456789abcdef0);
	want = ~pair(2) & pair(EXEC);
	return run("wrexec") && pair(EXEC) == want && pair(0) == want &&
	       (w->status & 1) == !!want;
}

static bool hardware_registers(void)
{
	bool ok;

	prepare(~0ull);
	w->hw_id = 0xabcdef12;
	ok = run("getreg") && w->s[0] == 0xf1;
	w->mode &= ~(0x1ff << MODE_EXCP_EN_SHIFT);
	w->s[2] = ~0u;
	w->tma = 0x123456789a00;
	ok &= run("setreg") && (w->mode & MODE_EXCP_EN_WATCH) &&
	      !(w->status & STATUS_TRAP_EN) && w->s[0] == 0 &&
	      w->trapsts == (TRAPSTS_EXCP_MASK | TRAPSTS_WATCH123);
	w->trapsts = 0;
	return ok;
}

static void scalar_others(void)
{
	tap_ok(scalar_compares(), "s_cmp, s_cmpk");
	tap_ok(scalar_bit_tests(), "s_bitcmp, s_cmp_eq_u64");
	tap_ok(immediates(), "s_addk, s_mulk");
	tap_ok(divergent_branch(rnd()) && divergent_branch(0) &&
	       divergent_branch(~0ull), "s_and_saveexec, s_cbranch_execz");
	tap_ok(calls_and_returns(), "s_getpc, s_swappc, s_call, s_setpc");
	tap_ok(loops(), "s_cbranch_scc1 backwards, counted");
	tap_ok(wrexec(), "s_andn1_wrexec");
	tap_ok(hardware_registers(), "hwreg outside the trap handler");
}

static void fill_data(void)
{
	unsigned int n;

	for (n = 0; n < DATA_SIZE; n++)
		data[n] = rnd();
}

static u32 word(u64 off)
{
	u32 x;

	memcpy(&x, data + off, 4);
	return x;
}

static bool smem_loads(void)
{
	unsigned int n;
	bool ok;

	prepare(~0ull);
	set_pair(2, DATA + 0x100);
	w->s[6] = 0x203;	/* the lowest bits do not count */
	ok = run("smem_load") && w->s[8] == word(0x104) &&
	     w->s[10] == word(0xf8) && w->s[11] == word(0xfc);
	for (n = 0; n < 4; n++)
		ok &= w->s[12 + n] == word(0x300 + 4 * n);
	for (n = 0; n < 8; n++)
		ok &= w->s[16 + n] == word(0x100 + 4 * n);
	for (n = 0; n < 16; n++)
		ok &= w->s[24 + n] == word(0x100 + 4 * n);
	return ok;
}

static bool smem_stores(void)
{
	prepare(~0ull);
	set_pair(2, DATA + 0x100);
	w->s[6] = 0x40;
	return run("smem_store") && word(0x100) == w->s[8] &&
	       word(0x108) == w->s[10] && word(0x10c) == w->s[11] &&
	       word(0x140) == w->s[12] && word(0x14c) == w->s[15];
}

static bool smem_buffer(void)
{
	prepare(~0ull);
	set_pair(4, DATA | 0ull << 48);
	w->s[6] = 16;	/* bytes: dwords 2 and 3 are in, 4 and 5 are not */
	w->s[7] = 0;
	return run("smem_buffer") && w->s[12] == word(8) &&
	       w->s[13] == word(12) && !w->s[14] && !w->s[15];
}

static bool smem_atomics(void)
{
	u32 old, add;

	prepare(~0ull);
	set_pair(2, DATA + 0x40);
	old = word(0x40);
	add = w->s[8];
	w->s[11] = word(0x44);
	return run("smem_atomic") && word(0x40) == old + add &&
	       w->s[8] == old && word(0x44) == w->s[10];
}

static bool smem_times(void)
{
	prepare(~0ull);
	machine.time = 0x100000000;
	return run("smem_time") && pair(0) == 0x100000010 &&
	       pair(2) == 0x100000011;
}

static bool smem_fault(void)
{
	prepare(~0ull);
	set_pair(2, DATA - 0x1000);
	return fails("smem_wild", TRAPSTS_MEM_VIOL) &&
	       w->fatal_addr == DATA - 0x1000 &&
	       (w->trapsts & TRAPSTS_XNACK_ERROR);
}

static void scalar_memory(void)
{
	tap_ok(smem_loads(), "s_load");
	tap_ok(smem_stores(), "s_store");
	tap_ok(smem_buffer(), "s_buffer_load, range check");
	tap_ok(smem_atomics(), "s_atomic");
	tap_ok(smem_times(), "s_memtime, s_memrealtime");
	tap_ok(smem_fault(), "s_load from nowhere");
}

/* lane addresses @stride bytes apart from @off */
static void point(u64 off, int stride)
{
	unsigned int lane;

	for (lane = 0; lane < SIM_LANES; lane++)
		set_vpair(2, lane, DATA + off + (s64)stride * lane);
}

/**
 * struct store - one store instruction
 * @width: bytes
 * @delta: its offset
 * @shift: bits of v4 that are not stored
 */
static const struct store {
	const char *name;
	unsigned int width;
	int delta;
	unsigned int shift;
} stores[] = {
	{ "st_byte", 1, 0, 0 }, { "st_byte_hi", 1, 0, 16 },
	{ "st_short", 2, -2, 0 }, { "st_short_hi", 2, 0, 16 },
	{ "st_x1", 4, 4, 0 }, { "st_x2", 8, 0, 0 }, { "st_x3", 12, 0, 0 },
	{ "st_x4", 16, 0, 0 }, { "st_flat", 8, 16, 0 },
};

static bool store_round(const struct store *s, u64 exec, int stride)
{
	static u8 want[DATA_SIZE];
	unsigned int lane;
	u64 start = 0x8000;
	u32 val[4];

	prepare(exec);
	fill_data();
	memcpy(want, data, DATA_SIZE);
	point(start, stride);
	for (lane = 0; lane < SIM_LANES; lane++) {
		val[0] = w->v[4][lane] >> s->shift;
		val[1] = w->v[5][lane];
		val[2] = w->v[6][lane];
		val[3] = w->v[7][lane];
		if (active(exec, lane))
			memcpy(want + start + stride * (int)lane + s->delta, val,
			       s->width);
	}
	return run(s->name) && !memcmp(want, data, DATA_SIZE);
}

static void vector_stores(void)
{
	static const int strides[] = { 0, 1, 3, 4, 8, 16, 100, -16, -1 };
	unsigned int n, k;
	bool ok;

	for (n = 0; n < sizeof(stores) / sizeof(stores[0]); n++) {
		ok = true;
		for (k = 0; k < 9; k++)
			ok &= store_round(&stores[n], ~0ull, strides[k]) &&
			      store_round(&stores[n], rnd(), strides[k]) &&
			      store_round(&stores[n], 0, strides[k]);
		tap_ok(ok, "%s", stores[n].name);
	}
}

/* what v4 (v[4:7]) must be after a load of @b */
static bool loaded(const char *name, const u8 *b, unsigned int lane, u32 old)
{
	u32 x[4];
	u32 got = w->v[4][lane];

	memcpy(x, b, 16);
	if (!strcmp(name, "ld_ubyte"))
		return got == b[0];
	if (!strcmp(name, "ld_sbyte"))
		return got == (u32)(s8)b[0];
	if (!strcmp(name, "ld_ushort"))
		return got == (x[0] & 0xffff);
	if (!strcmp(name, "ld_sshort"))
		return got == (u32)(s16)x[0];
	if (!strcmp(name, "ld_d16"))
		return got == ((old & 0xffff0000) | (x[0] & 0xffff));
	if (!strcmp(name, "ld_d16_hi"))
		return got == ((old & 0xffff) | (u32)(s8)b[0] << 16);
	if (!strcmp(name, "ld_x2"))
		return vpair(2, lane) == (x[0] | (u64)x[1] << 32);
	if (!strcmp(name, "ld_acc"))
		return w->v[ACC + 1][lane] == x[0];
	if (!strcmp(name, "ld_x3"))
		return got == x[0] && w->v[5][lane] == x[1] &&
		       w->v[6][lane] == x[2];
	if (!strcmp(name, "ld_x4"))
		return got == x[0] && w->v[5][lane] == x[1] &&
		       w->v[6][lane] == x[2] && w->v[7][lane] == x[3];
	return got == x[0];
}

static bool load_round(const char *name, u64 exec, int stride)
{
	u32 before[8][SIM_LANES];
	unsigned int lane;
	bool ok;

	prepare(exec);
	fill_data();
	point(0x8000, stride);
	memcpy(before, w->v, sizeof(before));
	ok = run(name);
	for (lane = 0; lane < SIM_LANES; lane++) {
		if (active(exec, lane))
			ok &= loaded(name, data + 0x8000 + stride * (int)lane,
				     lane, before[4][lane]);
		else
			ok &= w->v[4][lane] == before[4][lane] &&
			      w->v[2][lane] == before[2][lane];
	}
	return ok;
}

static void vector_loads(void)
{
	static const char *const loads[] = {
		"ld_ubyte", "ld_sbyte", "ld_ushort", "ld_sshort", "ld_x1",
		"ld_x2", "ld_x3", "ld_x4", "ld_d16", "ld_d16_hi", "ld_acc",
	};
	static const int strides[] = { 0, 1, 4, 8, 12, 16, -20 };
	unsigned int n, k;
	bool ok;

	for (n = 0; n < sizeof(loads) / sizeof(loads[0]); n++) {
		ok = true;
		for (k = 0; k < 7; k++)
			ok &= load_round(loads[n], ~0ull, strides[k]) &&
			      load_round(loads[n], rnd(), strides[k]);
		tap_ok(ok, "%s", loads[n]);
	}
}

static bool scalar_base(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	set_pair(2, DATA + 0x1000);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[0][lane] = 0x10 * lane;
	ok = run("st_saddr");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= word(0x1008 + 0x10 * lane) == w->v[4][lane];
	return ok;
}

/* the last 16 lanes are behind the end: the others are stored nevertheless */
static bool partial_fault(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	fill_data();
	point(DATA_SIZE - 48 * 4 - 4, 4);
	ok = fails("st_x1", TRAPSTS_MEM_VIOL) &&
	     w->fatal_addr == DATA + DATA_SIZE;
	for (lane = 0; lane < 48; lane++)
		ok &= word(DATA_SIZE - 48 * 4 + 4 * lane) == w->v[4][lane];
	return ok;
}

#define ATOMICS(X)							\
	X(swap, src) X(add, old + src) X(sub, old - src)		\
	X(smin, S(old) < S(src) ? old : src)				\
	X(umin, old < src ? old : src)					\
	X(smax, S(old) > S(src) ? old : src)				\
	X(umax, old > src ? old : src)					\
	X(and, old & src) X(or, old | src) X(xor, old ^ src)		\
	X(inc, old >= src ? 0 : old + 1)				\
	X(dec, old == 0 || old > src ? src : old - 1)

#define S(x)	(sizeof(x) == 4 ? (s32)(x) : (s64)(x))
#define ATOMIC_MODEL(name, expr)					\
	static u64 at_##name(u64 old_, u64 src_, bool wide)		\
	{								\
		if (wide) {						\
			u64 __attribute__((unused)) old = old_, src = src_; \
									\
			return expr;					\
		}							\
		u32 __attribute__((unused)) old = old_, src = src_;	\
									\
		return (u32)(expr);					\
	}
ATOMICS(ATOMIC_MODEL)

static const struct atomic {
	const char *name;
	u64 (*model)(u64 old, u64 src, bool wide);
} atomics[] = {
#define ATOMIC_ROW(name, expr) { #name, at_##name },
	ATOMICS(ATOMIC_ROW)
};

#define NR_ATOMICS	(sizeof(atomics) / sizeof(atomics[0]))

/* lanes share addresses, so their order shows */
static bool atomic_round(const struct atomic *at, bool wide)
{
	u64 mem[4], old, exec = rnd();
	unsigned int lane, size = wide ? 8 : 4;
	char name[32];
	bool ok;

	snprintf(name, sizeof(name), "at_%s%s", at->name, wide ? "_x2" : "");
	prepare(exec);
	for (lane = 0; lane < 4; lane++) {
		mem[lane] = wide ? (u64)operand() << 32 | operand() : operand();
		memcpy(data + 0x40 + lane * size, &mem[lane], size);
	}
	for (lane = 0; lane < SIM_LANES; lane++)
		set_vpair(2, lane, DATA + 0x40 + lane % 4 * size);
	ok = run(name);
	for (lane = 0; lane < SIM_LANES; lane++) {
		if (!active(exec, lane)) {
			ok &= w->v[0][lane] == MARK;
			continue;
		}
		old = mem[lane % 4];
		mem[lane % 4] = at->model(old, wide ? vpair(4, lane) :
					  w->v[4][lane], wide);
		ok &= wide ? vpair(0, lane) == old : w->v[0][lane] == (u32)old;
	}
	for (lane = 0; lane < 4; lane++)
		ok &= !memcmp(data + 0x40 + lane * size, &mem[lane], size);
	return ok;
}

static bool compare_and_swap(void)
{
	bool ok;

	prepare(6);
	point(0x100, 0);
	memcpy(data + 0x100, (u32[]){ 5, 0, 0, 0 }, 16);
	w->v[4][1] = 7;		/* new */
	w->v[5][1] = 5;		/* compared */
	w->v[4][2] = 9;
	w->v[5][2] = 5;
	ok = run("at_cmpswap") && word(0x100) == 7 && w->v[0][1] == 5 &&
	     w->v[0][2] == 7;
	set_vpair(4, 1, 0x1122334455667788);
	set_vpair(6, 1, 7);
	set_vpair(4, 2, 1);
	set_vpair(6, 2, 0x1122334455667788);
	return ok && run("at_cmpswap_x2") && word(0x100) == 1 && !word(0x104) &&
	       vpair(0, 1) == 7 && vpair(0, 2) == 0x1122334455667788;
}

static bool misaligned_atomic(void)
{
	prepare(1);
	point(0x102, 0);
	return fails("at_add", TRAPSTS_MEM_VIOL) &&
	       !(w->trapsts & TRAPSTS_XNACK_ERROR) &&
	       w->fatal_addr == DATA + 0x102;
}

static void vector_atomics(void)
{
	unsigned int n, r;
	bool ok;

	for (n = 0; n < NR_ATOMICS; n++) {
		for (ok = true, r = 0; r < ROUNDS; r++)
			ok &= atomic_round(&atomics[n], r & 1);
		tap_ok(ok, "atomic_%s, _x2", atomics[n].name);
	}
	tap_ok(compare_and_swap(), "atomic_cmpswap, _x2");
	tap_ok(misaligned_atomic(), "misaligned atomic");
	tap_ok(scalar_base(), "global access with scalar base");
	tap_ok(partial_fault(), "lanes that fault do not stop the others");
}

static void descriptor(u64 base, u32 stride, u32 records, u32 word3)
{
	set_pair(4, base | (u64)stride << 48);
	w->s[6] = records;
	w->s[7] = word3;
}

static bool linear_buffer(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	fill_data();
	descriptor(DATA, 0, 0x80, 0);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = 4 * lane;
	ok = run("buf_load");
	/* range is checked without the scalar offset */
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= w->v[0][lane] ==
			(4 * lane + 8 + 4 <= 0x80 ? word(4 * lane + 12) : 0);
	return ok;
}

static bool structured_buffer(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	fill_data();
	descriptor(DATA, 12, 50, 0);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = lane;
	ok = run("buf_store");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= (word(12 * lane) == w->v[4][lane]) == (lane < 50);
	for (lane = 0; lane < SIM_LANES; lane++)
		set_vpair(2, lane, lane | (u64)(lane % 13) << 32);
	w->s[2] = 0x100;
	ok &= run("buf_both");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= w->v[0][lane] == (lane < 50 && lane % 13 + 2 <= 12 ?
			(word(0x100 + 12 * lane + lane % 13) & 0xffff) : 0);
	return ok;
}

/* dword n of all lanes lies together */
static bool private_memory(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	descriptor(DATA, 0, ~0u, 0x00e80000);
	w->s[5] |= 0x80000000;
	w->s[2] = 0x1000;
	set_pair(GFX9_SRC_FLAT_SCRATCH, DATA + 0x4000);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = 8;
	ok = run("buf_scratch") && run("scratch_st");
	for (lane = 0; lane < SIM_LANES; lane++) {
		ok &= word(0x1000 + 12 * 64 + 4 * lane) == w->v[4][lane] &&
		      word(0x4000 + 16 * 64 + 4 * lane) == w->v[4][lane];
		set_vpair(2, lane, SIM_PRIVATE_BASE + 4);
	}
	ok &= run("flat_private");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= word(0x4000 + 4 * 64 + 4 * lane) == w->v[4][lane];
	return ok;
}

static void buffers(void)
{
	tap_ok(linear_buffer(), "MUBUF, linear, range check");
	tap_ok(structured_buffer(), "MUBUF, index and stride");
	tap_ok(private_memory(), "private memory: MUBUF, SCRATCH, FLAT");
}

static u32 lds_word(unsigned int off)
{
	u32 x;

	memcpy(&x, machine.lds + off, 4);
	return x;
}

static bool lds_basics(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = 1024 + 8 * lane;
	ok = run("ds_write") && run("ds_roundtrip");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= vpair(0, lane) == vpair(4, lane) &&
		      lds_word(1024 + 8 * lane) == w->v[4][lane];
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = 4096 + 4 * lane;
	ok &= run("ds_two");
	/* the second read of one lane may see what another one wrote: lane 63 */
	ok &= w->v[0][63] == w->v[5][63] && lds_word(4096 + 4 * 63 + 520) ==
		w->v[5][63];
	return ok;
}

static bool lds_atomics(void)
{
	u32 a, b, c;

	prepare(1);
	w->v[1][0] = 64;
	memcpy(machine.lds + 64, &(u32){ 100 }, 4);
	a = 100;
	b = a + w->v[4][0];
	c = (s32)b > (s32)w->v[5][0] ? b : w->v[5][0];
	if (!run("ds_atomic") || w->v[0][0] != a || w->v[6][0] != c)
		return false;
	return lds_word(64) == (c == w->v[4][0] ? w->v[5][0] : c);
}

static bool lds_range(void)
{
	bool ok;

	prepare(3);
	w->v[1][0] = LDS_SIZE - 1;
	w->v[1][1] = 0xffffffff;
	w->v[4][0] = 0x99;
	ok = run("ds_bytes") && machine.lds[LDS_SIZE - 1] == 0x99;
	ok &= run("ds_read_i8") && w->v[0][0] == 0xffffff99 && !w->v[0][1];
	set_vpair(2, 0, SIM_SHARED_BASE + 128);
	set_vpair(2, 1, SIM_SHARED_BASE + LDS_SIZE);
	return ok && run("flat_lds") && lds_word(128) == w->v[4][0];
}

static bool lane_exchange(void)
{
	unsigned int lane;
	u64 exec = ~0ull << 8;
	bool ok;

	prepare(exec);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = 4 * (lane ^ 9);
	ok = run("ds_bpermute");
	for (lane = 8; lane < SIM_LANES; lane++)
		ok &= w->v[0][lane] == (lane == 8 + 1 || (lane ^ 9) >= 8 ?
			(active(exec, lane ^ 9) ? w->v[4][lane ^ 9] : 0) : 0);
	ok &= run("ds_permute");
	for (lane = 8; lane < SIM_LANES; lane++)
		ok &= w->v[0][lane] == (active(exec, lane ^ 9) ?
					w->v[4][lane ^ 9] : 0);
	return ok;
}

static void lds(void)
{
	tap_ok(lds_basics(), "ds_write, ds_read, two at once");
	tap_ok(lds_atomics(), "ds_add_rtn, ds_max, ds_cmpst");
	tap_ok(lds_range(), "LDS ends; FLAT finds it");
	tap_ok(lane_exchange(), "ds_permute, ds_bpermute");
}

int main(int argc, char **argv)
{
	if (argc < 2 || !elf_load(argv[1], CODE))
		return 2;
	data = machine_map(DATA, DATA_SIZE);
	w = machine_wave(NR_VGPRS);
	w->acc_offset = ACC;
	tap_plan(NR_VOPS + NR_WIDES + 7 + 9 + 10 + NR_SOPS + NR_SOPS64 + 8 +
		 6 + 9 + 11 + NR_ATOMICS + 4 + 3 + 4);
	vector_ops();
	wide_ops();
	compares();
	dpp();
	vector_others();
	scalar_ops();
	scalar_others();
	scalar_memory();
	vector_stores();
	vector_loads();
	vector_atomics();
	buffers();
	lds();
	return tap_status();
}
