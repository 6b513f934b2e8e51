// SPDX-License-Identifier: GPL-2.0
/*
 * Rare operands of vector operations on integers, and conversions to them: constants,
 * selected halves, CLAMP, the half of the destination that is not written. The models
 * follow AMD's manuals and what compilers rely on; see "Instructions" of
 * Documentation/gpubp/driver/sim.rst.
 */
#include "rows.h"

#define ROWS(X)								\
	X(pack_one, (a & 0xffff) | 0x3c000000)				\
	X(pack_inv_2pi, 0x3118 | b << 16)				\
	X(pack_minus_one, 0xffff | b >> 16 << 16)			\
	X(pack_upper_of_one, b << 16)					\
	X(pack_mods, ((a >> 16) ^ 0x8000) | (b & 0x7fff) << 16)		\
	X(pack_sgpr, (w->s[2] >> 16) | (b ^ 0x8000) << 16)		\
	X(add_u16_half, (a + 0x0000) & 0xffff)				\
	X(mad_u16_upper_half, low(old, 0x3f80 * a + b))	\
	X(max_i16_const, (s16)a > (s16)0xf983 ? a & 0xffff : 0xf983)	\
	X(pk_add_u16_const, (a & 0xffff) | ((a >> 16) + 0x3f80) << 16)	\
	X(mad_u16_clamp, low(old, sat((s64)(u16)a * (u16)b + (u16)c, 0, 65535))) \
	X(mad_i16_clamp,							\
	  low(old, sat((s16)a * (s16)b + (s16)c, -32768, 32767)))	\
	X(mad_legacy_u16_clamp, sat((s64)(u16)a * (u16)b + (u16)c, 0, 65535)) \
	X(mad_legacy_i16_clamp,						\
	  (u16)sat((s16)a * (s16)b + (s16)c, -32768, 32767))		\
	X(med3_u16_clamp, low(old, middle((u16)a, (u16)b, (u16)c)))	\
	X(mad_i32_i24_clamp,						\
	  sat(bits24(a) * bits24(b) + (s32)c, INT32_MIN, INT32_MAX))	\
	X(mad_u32_u24_clamp,						\
	  sat((a % (1 << 24)) * (s64)(b % (1 << 24)) + c, 0, UINT32_MAX)) \
	X(mul_i32_i24_clamp, sat(bits24(a) * bits24(b), INT32_MIN, INT32_MAX)) \
	X(mul_u32_u24_clamp,						\
	  sat((a % (1 << 24)) * (s64)(b % (1 << 24)), 0, UINT32_MAX))	\
	X(mad_u32_u16_clamp, sat((s64)(u16)a * (u16)b + c, 0, UINT32_MAX)) \
	X(mad_i32_i16_clamp,						\
	  sat((s64)(s16)a * (s16)b + (s32)c, INT32_MIN, INT32_MAX))	\
	X(sad_u8_clamp, sat((s64)bytes_apart(a, b, false) + c, 0, UINT32_MAX)) \
	X(msad_u8_clamp, sat((s64)bytes_apart(a, b, true) + c, 0, UINT32_MAX)) \
	X(sad_hi_u8_clamp, sat(((s64)bytes_apart(a, b, false) << 16) + c,	\
			       0, UINT32_MAX))				\
	X(sad_u16_clamp, sat((s64)labs((s64)(u16)a - (u16)b) +		\
			     labs((s64)(a >> 16) - (b >> 16)) + c, 0, UINT32_MAX)) \
	X(sad_u32_clamp, sat(labs((s64)a - b) + c, 0, UINT32_MAX))	\
	X(add_co_clamp, sat((s64)a + b, 0, UINT32_MAX))			\
	X(add_co_clamp_carry, (u64)a + b > UINT32_MAX)			\
	X(subrev_co_clamp, sat((s64)b - a, 0, UINT32_MAX))		\
	X(subb_co_clamp, sat((s64)a - b - (c < a), 0, UINT32_MAX))	\
	X(subb_co_clamp_borrow, (s64)a - b - (c < a) < 0)		\
	X(mad_u64_clamp_low, saturated_u64(a, b, c))			\
	X(mad_u64_clamp_high, saturated_u64(a, b, c) >> 32)		\
	X(mad_i64_clamp_low, saturated_s64(a, b, c))			\
	X(mad_i64_clamp_high, saturated_s64(a, b, c) >> 32)		\
	X(pk_mad_u16_clamp, two(sat((s64)(a >> 16) * (u16)b + (u16)c, 0, 65535), \
				sat((s64)(u16)a * (b >> 16) + (c >> 16), 0, 65535))) \
	X(pk_mad_i16_clamp,						\
	  two(sat((s16)a * (s16)b + (s16)c, -32768, 32767),		\
	      sat((s16)(a >> 16) * (s16)(b >> 16) + (s16)(c >> 16), -32768, 32767))) \
	X(pk_mul_lo_u16_clamp, two(sat((s64)(u16)a * (u16)b, 0, 65535),	\
				   sat((s64)(a >> 16) * (b >> 16), 0, 65535))) \
	X(pk_max_i16_clamp, two((s16)a > (s16)b ? a : b,			\
				(s32)(a | 0xffff) > (s32)(b | 0xffff) ? a >> 16 : b >> 16)) \
	X(mad_i16_low, low(old, a * b + c))				\
	X(mad_u16_high, high(old, (a >> 16) * b + c))			\
	X(mad_legacy_i16, (a * b + c) & 0xffff)				\
	X(add_i16_low, low(old, a + b))					\
	X(sub_i16_high, high(old, (a >> 16) - b))			\
	X(min3_u16_low, low(old, lesser(lesser((u16)a, (u16)b), c >> 16))) \
	X(max3_i16_low, low(old, ~lesser(lesser((u16)(~a ^ 0x8000),	\
		(u16)(~b ^ 0x8000)), (u16)(~c ^ 0x8000)) ^ 0x8000))	\
	X(mad_u32_u16_sel, (a >> 16) * (u16)b + c)			\
	X(mad_i32_i16_sel, ((s16)a) * (s16)(b >> 16) + c)		\
	X(v_lerp_u8, lerp(a, b, c))					\
	X(v_max3_i32, (s32)a > (s32)b ? larger(a, c) : larger(b, c))	\
	X(v_min3_u32, lesser(lesser(a, b), c))				\
	X(max3_u16_sel, low(old, ~lesser(lesser(~a >> 16, ~b >> 16), (u16)~c))) \
	X(min3_i16_low, low(old, lesser(lesser((u16)(a ^ 0x8000),	\
		(u16)(b ^ 0x8000)), (u16)(c ^ 0x8000)) ^ 0x8000))	\
	X(v_max_u16, 65535 - lesser((u16)~a, (u16)~b))			\
	X(v_min_i16, (u16)(lesser((u16)(a ^ 0x8000), (u16)(b ^ 0x8000)) ^ 0x8000)) \
	X(sub_i32_clamp, sat((s64)(s32)a - (s32)b, INT32_MIN, INT32_MAX)) \
	X(add_i16_clamp, low(old, sat((s16)a + (s16)b, -32768, 32767)))	\
	X(pk_min_i16_sel, two(lesser((a >> 16) ^ 0x8000, (b & 0xffff) ^ 0x8000) ^ 0x8000, \
			      lesser((a & 0xffff) ^ 0x8000, (b >> 16) ^ 0x8000) ^ 0x8000)) \
	X(pk_lshrrev, two((b & 0xffff) >> (a & 15), (b >> 16) >> (a >> 16 & 15))) \
	X(pk_sub_u16_clamp, two(sat((s64)(a & 0xffff) - (b & 0xffff), 0, 65535), \
				sat((s64)(a >> 16) - (b >> 16), 0, 65535))) \
	X(pk_add_i16_minus, two(a - 1, (a >> 16) - 1))			\
	X(add_u16_sdwa_clamp, (old & 0xff00ffff) |			\
	  (sat((s64)(a >> 24) + (u16)b, 0, 65535) & 255) << 16)		\
	X(sub_u32_sdwa_sext, (u32)(s16)((s8)(a >> 8) - (s16)(b >> 16)) << 16) \
	X(v_cvt_flr_i32_f32, to_s32(floor(fl(input32(a, mode)))))	\
	X(cvt_flr_minus, to_s32(floor(-fabs(fl(input32(a, mode))))))	\
	X(v_cvt_rpi_i32_f32, to_s32(floor((double)fl(a) + 0.5)))	\
	X(cvt_i32_clamp, to_s32(trunc(fl(a))))				\
	X(cvt_u32_f64_clamp, to_u32(dbl((u64)c << 32 | b)))		\
	X(cvt_i16_f16_clamp, (u16)sat(half_to_s64(a), -32768, 32767))

static u32 high(u32 old, u32 val)
{
	return (old & 0xffff) | val << 16;
}

static u32 lesser(u32 a, u32 b)
{
	return a < b ? a : b;
}

static u32 larger(s32 a, s32 b)
{
	return a > b ? a : b;
}

/* means of bytes; the lowest bit of @c's says which way halves are rounded */
static u32 lerp(u32 a, u32 b, u32 c)
{
	u32 sum = 0;
	int n;

	for (n = 0; n < 32; n += 8)
		sum |= ((a >> n) % 256 + (b >> n) % 256 + (c >> n) % 2) / 2 << n;
	return sum;
}

static s32 to_s32(double x)
{
	return isnan(x) ? 0 : x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : (s32)x;
}

static u32 to_u32(double x)
{
	return isnan(x) || x < 0 ? 0 : x > UINT32_MAX ? UINT32_MAX : (u32)x;
}

static s64 half_to_s64(u32 x)
{
	float f = half(x);

	return isnan(f) ? 0 : isinf(f) ? f > 0 ? INT32_MAX : INT32_MIN : (s64)f;
}

static u32 two(u32 low, u32 high)
{
	return (low & 0xffff) | high << 16;
}

static s64 sat(s64 x, s64 least, s64 most)
{
	return x < least ? least : x > most ? most : x;
}

static s64 bits24(u32 x)
{
	return (s64)(x % (1 << 24)) - (x >> 23 & 1) * (1 << 24);
}

static u32 middle(u32 a, u32 b, u32 c)
{
	return a > b ? middle(b, a, c) : c < a ? a : c > b ? b : c;
}

/* sum of the differences of bytes; those that are zero in @b are left out of msad */
static u32 bytes_apart(u32 a, u32 b, bool masked)
{
	u32 sum = 0;

	for (; a | b; a >>= 8, b >>= 8)
		if (!masked || (u8)b)
			sum += abs((int)(u8)a - (u8)b);
	return sum;
}

/* a * b and the sum with {c, b} */
static u64 saturated_u64(u32 a, u32 b, u32 c)
{
	unsigned __int128 sum = (unsigned __int128)a * b + ((u64)c << 32 | b);

	return sum >> 64 ? ~0ull : sum;
}

static s64 saturated_s64(u32 a, u32 b, u32 c)
{
	__int128 sum = (__int128)(s32)a * (s32)b + (s64)((u64)c << 32 | b);

	return sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : sum;
}

ROWS(ROW_MODEL)

static const struct row rows[] = { ROWS(ROW_ENTRY) };

#define NR_ROWS		(sizeof(rows) / sizeof(rows[0]))

/* operations with op_sel keep the upper half; legacy ones and others make it zero */
static const struct {
	const char *name;
	bool keeps;
} halves[] = {
	{ "half_fma", true }, { "half_mad", true }, { "half_div_fixup", true },
	{ "half_min3", true }, { "half_max3", true }, { "half_med3", true },
	{ "half_fma_legacy" }, { "half_mad_legacy" },
	{ "half_div_fixup_legacy" }, { "v_add_f16" }, { "v_rcp_f16" },
	{ "v_cvt_f16_i16" }, { "v_lshlrev_b16" }, { "v_max_i16" },
};

#define NR_HALVES	(sizeof(halves) / sizeof(halves[0]))

static bool upper_half(const char *name, bool keeps)
{
	u32 old[SIM_LANES];
	unsigned int lane;
	bool ok;

	prepare_mode(~0ull);
	memcpy(old, w->v[0], sizeof(old));
	ok = run(name);
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= w->v[0][lane] >> 16 == (keeps ? old[lane] >> 16 : 0);
	return ok;
}

static void upper_halves(void)
{
	unsigned int n;

	for (n = 0; n < NR_HALVES; n++)
		tap_ok(upper_half(halves[n].name, halves[n].keeps),
		       "%s: the upper half", halves[n].name);
}

static const char *const inexacts[] = {
	"v_cvt_i32_f64", "cvt_u32_f64_clamp", "cvt_i32", "cvt_i32_clamp",
	"v_cvt_i16_f16", "cvt_i16_f16_clamp",
};

/* 1.5 to an integer: CLAMP, of the odd ones, enables the exception */
static bool says_inexact(unsigned int n)
{
	static const u32 low[] = { 0, 0, 0x3fc00000, 0x3fc00000, 0x3e00, 0x3e00 };

	prepare(1);
	w->mode = MODE_FP_DENORM | MODE_IEEE;
	set_vpair(2, 0, double_bits(1.5));
	w->v[1][0] = low[n];
	return run(inexacts[n]) && w->v[0][0] == 1 &&
	       (w->trapsts & 0x1ff) == (n & 1 ? 0x20 : 0);
}

static void inexact_conversions(void)
{
	unsigned int n;

	for (n = 0; n < 6; n++)
		tap_ok(says_inexact(n), "%s is%s inexact", inexacts[n],
		       n & 1 ? "" : " not");
}

/* a shift of more than four is one of zero */
static bool shift_add(void)
{
	unsigned int lane, n;
	u64 shifted;
	bool ok;

	prepare(~0ull);
	w->arch = GFX9_GFX942;
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[6][lane] = lane;
	ok = run("lshl_add_u64");
	for (lane = 0; lane < SIM_LANES; lane++) {
		n = lane % 8;
		shifted = vpair(2, lane) << (n > 4 ? 0 : n);
		ok &= vpair(0, lane) == shifted + vpair(4, lane);
	}
	w->arch = GFX9_GFX90A;
	return ok;
}

int main(int argc, char **argv)
{
	if (!set_up(argc, argv))
		return 2;
	tap_plan(NR_ROWS + NR_HALVES + 6 + 1);
	all_rows(rows, NR_ROWS);
	upper_halves();
	inexact_conversions();
	tap_ok(shift_add(), "v_lshl_add_u64 shifts by four at most");
	machine_reset();
	return tap_status();
}
