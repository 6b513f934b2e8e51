// SPDX-License-Identifier: GPL-2.0
/*
 * Rare operands of vector operations, in random modes: constants, selected halves,
 * CLAMP, the half of the destination that is not written, denormals, NaNs. A model
 * is a line of C on the bits of its operands, after the manuals of AMD's and what
 * compilers rely on; see "Instructions" of Documentation/gpubp/driver/sim.rst.
 */
#include <fenv.h>
#include "unit.h"

#define MODES		0x3ff	/* rounding, denormals, DX10_CLAMP, IEEE */

/* operands a, b, c, what the destination held, and MODE */
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
	X(v_cvt_flr_i32_f32, to_s32(floor(fl(input32(a, mode)))))	\
	X(cvt_flr_minus, to_s32(floor(-fabs(fl(input32(a, mode))))))	\
	X(v_cvt_rpi_i32_f32, to_s32(floor((double)fl(a) + 0.5)))	\
	X(cvt_i32_clamp, to_s32(trunc(fl(a))))				\
	X(cvt_u32_f64_clamp, to_u32(dbl((u64)c << 32 | b)))		\
	X(cvt_i16_f16_clamp, (u16)sat(half_to_s64(a), -32768, 32767))	\
	X(class_f32, (class_of(a, 8, 23) & b) != 0)			\
	X(class_f32_minus, (class_of(a | 1u << 31, 8, 23) & b) != 0)	\
	X(class_f16, (class_of(a, 5, 10) & b) != 0)			\
	X(class_f64, (class_of((u64)c << 32 | b, 11, 52) & a) != 0)	\
	X(lds_min_f32, lesser_float(a, b, 8, 23, mode & 0x10))		\
	X(lds_max_f32, larger_float(a, b, 8, 23, mode & 0x10))		\
	X(lds_cmpst_f32, equal32(input32(a, mode), input32(b, mode)) ?	\
			 input32(c, mode) : a)				\
	X(lds_min_f64_low, lesser_float(LDS64, 11, 52, mode & 0x40))	\
	X(lds_min_f64_high, lesser_float(LDS64, 11, 52, mode & 0x40) >> 32) \
	X(lds_max_f64_low, larger_float(LDS64, 11, 52, mode & 0x40))	\
	X(lds_max_f64_high, larger_float(LDS64, 11, 52, mode & 0x40) >> 32) \
	X(lds_add_f64_low, sum_double(LDS64))				\
	X(lds_add_f64_high, sum_double(LDS64) >> 32)			\
	X(flat_lds_min_f64, lesser_float(LDS64, 11, 52, mode & 0x40) >> 32) \
	X(v_min3_f32, least_of(a, b, c, &(struct fmt){ 8, 23, 0x10, mode })) \
	X(v_max3_f32, most_of(a, b, c, &(struct fmt){ 8, 23, 0x10, mode })) \
	X(v_med3_f32, median_of(a, b, c, &(struct fmt){ 8, 23, 0x10, mode })) \
	X(half_min3, low(old, least_of((u16)a, (u16)b, (u16)c,		\
				       &(struct fmt){ 5, 10, 0x40, mode }))) \
	X(half_max3, low(old, most_of((u16)a, (u16)b, (u16)c,		\
				      &(struct fmt){ 5, 10, 0x40, mode }))) \
	X(half_med3, low(old, median_of((u16)a, (u16)b, (u16)c,		\
					&(struct fmt){ 5, 10, 0x40, mode }))) \
	X(div_fmas, host_fma(a, b, c, mode))				\
	X(div_fmas_clamp, clamped(host_fma(a, b, c, mode), mode))	\
	X(div_fixup_clamp, clamped(fixup(a, b, c), mode))

/* a result of 16 bits that does not change the other half */
static u32 low(u32 old, u32 val)
{
	return (old & 0xffff0000) | (val & 0xffff);
}

static u32 lower16(u32 x)
{
	return x & 0xffff;
}

static u32 high(u32 old, u32 val)
{
	return (old & 0xffff) | val << 16;
}

static u32 lesser(u32 a, u32 b)
{
	return a < b ? a : b;
}

/* an operand as MODE says: denormals are zero, or not */
static u32 input32(u32 x, u32 mode)
{
	return x << 1 >> 24 || mode & 0x10 ? x : x & 0x80000000;
}

/*
 * Bits of v_cmp_class: signalling, quiet, then from minus to plus infinity. @exp and
 * @frac are the bits of the exponent and the fraction.
 */
static u32 class_of(u64 x, int exp, int frac)
{
	u64 e = x >> frac & ((1u << exp) - 1), f = x & ((1ull << frac) - 1);
	bool minus = x >> (exp + frac) & 1;
	int n;

	if (e == (1u << exp) - 1 && f)
		return f >> (frac - 1) ? 2 : 1;
	n = e == (1u << exp) - 1 ? 0 : e ? 1 : f ? 2 : 3;
	return 1u << (minus ? 2 + n : 9 - n);
}

/* memory, and what is combined with it */
#define LDS64		(u64)c << 32 | b, (u64)a << 32 | old

static bool is_nan_class(u64 x, int exp, int frac)
{
	return class_of(x, exp, frac) <= 2;
}

/* for comparison: zeros and NaNs apart, denormals are kept or zero */
static s64 rank(u64 x, int exp, int frac, bool denormals)
{
	u64 size = x & ((1ull << (exp + frac)) - 1);

	if (!denormals && !(size >> frac))
		size = 0;
	return x >> (exp + frac) & 1 ? -(s64)size - 1 : (s64)size;
}

/* of atomics: signalling NaNs win, others lose; the number is stored as it is */
static bool by_nan(u64 *res, u64 mem, u64 val, int exp, int frac)
{
	u64 quiet = 1ull << (frac - 1);

	if (class_of(mem, exp, frac) == 1)
		*res = mem | quiet;
	else if (class_of(val, exp, frac) == 1)
		*res = val | quiet;
	else if (is_nan_class(val, exp, frac))
		*res = mem;
	else if (is_nan_class(mem, exp, frac))
		*res = val;
	else
		return false;
	return true;
}

static u64 lesser_float(u64 mem, u64 val, int exp, int frac, bool denormals)
{
	u64 res;

	if (by_nan(&res, mem, val, exp, frac))
		return res;
	return rank(val, exp, frac, denormals) < rank(mem, exp, frac, denormals) ?
		val : mem;
}

static u64 larger_float(u64 mem, u64 val, int exp, int frac, bool denormals)
{
	u64 res;

	if (by_nan(&res, mem, val, exp, frac))
		return res;
	return rank(val, exp, frac, denormals) > rank(mem, exp, frac, denormals) ?
		val : mem;
}

/* a format, and the bit of MODE that keeps denormal operands */
struct fmt {
	int exp, frac;
	u32 denormals, mode;
};

static u64 input(u64 x, const struct fmt *f)
{
	return (x >> f->frac & ((1u << f->exp) - 1)) || (f->mode & f->denormals) ?
		x : x >> (f->exp + f->frac) << (f->exp + f->frac);
}

/* v_min and v_max as the manuals spell them */
static u64 extreme(u64 a, u64 b, const struct fmt *f, bool larger)
{
	u64 quiet = 1ull << (f->frac - 1);

	a = input(a, f);
	b = input(b, f);
	if ((f->mode & MODE_IEEE) && class_of(a, f->exp, f->frac) == 1)
		return a | quiet;
	if ((f->mode & MODE_IEEE) && class_of(b, f->exp, f->frac) == 1)
		return b | quiet;
	if (is_nan_class(a, f->exp, f->frac))
		return b;
	if (is_nan_class(b, f->exp, f->frac))
		return a;
	return (rank(a, f->exp, f->frac, true) > rank(b, f->exp, f->frac, true)) ==
		larger ? a : b;
}

static u64 least_of(u64 a, u64 b, u64 c, const struct fmt *f)
{
	return extreme(extreme(a, b, f, false), c, f, false);
}

static u64 most_of(u64 a, u64 b, u64 c, const struct fmt *f)
{
	return extreme(extreme(a, b, f, true), c, f, true);
}

/* two numbers, of which zeros are equal */
static bool equal_in(u64 a, u64 b, const struct fmt *f)
{
	u64 size = (1ull << (f->exp + f->frac)) - 1;

	a = input(a, f);
	b = input(b, f);
	return a == b || !((a | b) & size);
}

/* likewise: which of the others is larger */
static u64 median_of(u64 a, u64 b, u64 c, const struct fmt *f)
{
	u64 most = most_of(a, b, c, f);

	if (is_nan_class(a, f->exp, f->frac) || is_nan_class(b, f->exp, f->frac) ||
	    is_nan_class(c, f->exp, f->frac))
		return least_of(a, b, c, f);
	if (equal_in(most, a, f))
		return extreme(b, c, f, true);
	return equal_in(most, b, f) ? extreme(a, c, f, true) :
				      extreme(a, b, f, true);
}

/* in the rounding mode of MODE; operands are as they are, results may be flushed */
static u32 host_fma(u32 a, u32 b, u32 c, u32 mode)
{
	static const int modes[] = {
		FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO,
	};
	volatile float x = fl(a), y = fl(b), z = fl(c), r;

	fesetround(modes[mode & 3]);
	r = fmaf(x, y, z);
	fesetround(FE_TONEAREST);
	if (!(mode & 0x20) && fabsf(r) < 0x1p-126f)
		r = copysignf(0, r);
	return float_bits(r);
}

/* the last step of c / b, a being about that */
static u32 fixup(u32 a, u32 b, u32 c)
{
	u32 sign = (b ^ c) & 1u << 31, den = b << 1 >> 1, num = c << 1 >> 1;

	if (isnan(fl(b)) || isnan(fl(c)))
		return 0x7fc00000;
	if (den == num && (!den || den == 0x7f800000))
		return 0x7fc00000;
	if (!den || num == 0x7f800000)
		return sign | 0x7f800000;
	if (!num || den == 0x7f800000)
		return sign;
	return sign | (isnan(fl(a)) ? 0x7f800000 : a << 1 >> 1);
}

static u32 clamped(u32 x, u32 mode)
{
	if (isnan(fl(x)))
		return mode & MODE_DX10_CLAMP ? 0 : x;
	return x >> 31 ? 0 : fl(x) > 1 ? 0x3f800000 : x;
}

static bool equal32(u32 a, u32 b)
{
	return fl(a) == fl(b);
}

static u64 sum_double(u64 mem, u64 val)
{
	if (is_nan_class(mem, 11, 52))
		return mem | 1ull << 51;
	if (is_nan_class(val, 11, 52))
		return val | 1ull << 51;
	return isnan(dbl(mem) + dbl(val)) ? 0x7ff8000000000000 :
					    double_bits(dbl(mem) + dbl(val));
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

#define MODEL(name, expr)						\
	static u32 m_##name(u32 a, u32 b, u32 c, u32 old, u32 mode)	\
	{								\
		return expr;						\
	}
ROWS(MODEL)

static const struct row {
	const char *name;
	u32 (*model)(u32 a, u32 b, u32 c, u32 old, u32 mode);
} rows[] = {
#define ROW(name, expr) { #name, m_##name },
	ROWS(ROW)
};

#define NR_ROWS		(sizeof(rows) / sizeof(rows[0]))

/* zeros, denormals, their neighbours, infinities, NaNs of binary32 and binary16 */
static const u32 specials[] = {
	0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
	0x80800000, 0x3f000000, 0xbf000000, 0x3effffff, 0x3f800000, 0xbf800000,
	0x4b000001, 0xcb000001, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000,
	0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
	0x7f800001, 0xffa00000, 0x80007c00, 0xfc000001, 0x7e008000, 0x7c0103ff,
	0x83ff0400, 0x84003c00, 0xbc003800, 0x77ff7bff, 0xfbfff7ff, 0x7fff8000,
	0xffff0001, 0x00017fff, 0x8000ffff, 0x00ff0100, 0x01008001,
	/* upper halves of binary64 */
	0x7ff00000, 0xfff00000, 0x7ff00001, 0xfff80000, 0x000fffff, 0x800fffff,
	0x00100000, 0x7fefffff,
};

static u32 special(void)
{
	u64 r = rnd();

	/* often zeros: the sign of a median is that of several operands */
	return r & 1 ? specials[r & 14 ? (r >> 8) % (sizeof(specials) / sizeof(specials[0])) :
				   r >> 8 & 3] : operand();
}

/* v8: an address in LDS, v[8:9] the same in the flat aperture */
static void prepare_mode(u64 exec)
{
	unsigned int reg, lane;

	prepare(exec);
	w->mode = rnd() & MODES;
	for (reg = 0; reg < 8; reg++)
		for (lane = 0; lane < SIM_LANES; lane++)
			w->v[reg][lane] = special();
	for (lane = 0; lane < SIM_LANES; lane++)
		set_vpair(8, lane, (1ull << 48) + 8 * lane);
	set_pair(VCC, 0);
}

static bool row_round(const struct row *row, u64 exec)
{
	u32 in[4][SIM_LANES], want;
	unsigned int lane;

	prepare_mode(exec);
	memcpy(in, w->v, sizeof(in));
	if (!run(row->name)) {
		tap_note("%s did not run", row->name);
		return false;
	}
	for (lane = 0; lane < SIM_LANES; lane++) {
		want = active(exec, lane) ?
			row->model(in[1][lane], in[2][lane], in[3][lane],
				   in[0][lane], w->mode) : in[0][lane];
		if (same_value(w->v[0][lane], want))
			continue;
		tap_note("%s(%08x, %08x, %08x), old %08x, mode %03x: %08x, want %08x",
			 row->name, in[1][lane], in[2][lane], in[3][lane],
			 in[0][lane], w->mode, w->v[0][lane], want);
		return false;
	}
	return true;
}

static void all_rows(void)
{
	unsigned int n, r;
	bool ok;

	for (n = 0; n < NR_ROWS; n++) {
		ok = row_round(&rows[n], ~0ull);
		for (r = 0; r < 4 * ROUNDS && ok; r++)
			ok = row_round(&rows[n], rnd());
		tap_ok(ok, "%s", rows[n].name);
	}
}

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

/* AMD's examples: what a function makes of an operand for which it is not defined */
static const struct {
	const char *name;
	u32 a, want;
} undefined[] = {
	{ "v_sqrt_f32", 0xff800000, 0xffc00000 },
	{ "v_rsq_f32", 0xff800000, 0xffc00000 },
	{ "v_log_f32", 0xff800000, 0xffc00000 },
	{ "v_log_f32", 0xbf800000, 0xffc00000 },
	{ "v_sin_f32", 0xff800000, 0xffc00000 },
	{ "v_cos_f32", 0x7f800000, 0xffc00000 },
	{ "v_sqrt_f16", 0xfc00, 0xfe00 }, { "v_rsq_f16", 0xfc00, 0xfe00 },
	{ "v_log_f16", 0xbc00, 0xfe00 }, { "v_sin_f16", 0x7c00, 0xfe00 },
	/* and where it is */
	{ "v_sqrt_f32", 0x80000000, 0x80000000 },
	{ "v_rsq_f32", 0x80000000, 0xff800000 },
	{ "v_log_f32", 0x80000000, 0xff800000 },
	{ "v_sin_f32", 0xff7fffff, 0 }, { "v_sin_f32", 0x80000000, 0x80000000 },
	{ "v_cos_f32", 0x3e800000, 0 }, { "v_rcp_f32", 0xff800000, 0x80000000 },
	{ "v_exp_f32", 0xff800000, 0 },
};

static void functions(void)
{
	unsigned int n;
	bool ok = true;

	for (n = 0; n < sizeof(undefined) / sizeof(undefined[0]); n++) {
		prepare(1);
		w->mode = MODE_FP_DENORM | MODE_IEEE;
		w->v[1][0] = undefined[n].a;
		if (run(undefined[n].name) && w->v[0][0] == undefined[n].want)
			continue;
		tap_note("%s(%08x): %08x, want %08x", undefined[n].name,
			 undefined[n].a, w->v[0][0], undefined[n].want);
		ok = false;
	}
	tap_ok(ok, "functions of AMD's examples");
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

/* what MODE says of denormals of binary16 is ignored on gfx900 */
static bool mixed_denormals(enum gfx9_arch arch)
{
	bool keeps = arch != GFX9_GFX900, ok;

	prepare(1);
	w->arch = arch;
	w->mode = MODE_FP_DENORM;
	w->v[1][0] = float_bits(-0x1p-20);
	w->v[2][0] = float_bits(1);
	w->v[3][0] = 0x80000000;
	ok = run("mix_low") && lower16(w->v[0][0]) == (keeps ? 0x8010 : 0x8000);
	ok &= run("mix_high") && w->v[0][0] >> 16 == (keeps ? 0x8010 : 0x8000);
	w->v[1][0] = 0x0200;
	w->v[2][0] = 0x6400;	/* 1024 */
	w->v[3][0] = 0;
	ok &= run("mix_halves") && w->v[0][0] == (keeps ? float_bits(0x1p-5) : 0);
	w->arch = GFX9_GFX90A;
	return ok;
}

int main(int argc, char **argv)
{
	if (!set_up(argc, argv))
		return 2;
	tap_plan(NR_ROWS + NR_HALVES + 6 + 1 + 3);
	all_rows();
	upper_halves();
	inexact_conversions();
	functions();
	tap_ok(shift_add(), "v_lshl_add_u64 shifts by four at most");
	tap_ok(mixed_denormals(GFX9_GFX90A), "v_fma_mix: denormals of binary16");
	tap_ok(mixed_denormals(GFX9_GFX900), "v_mad_mix: no denormals of binary16");
	machine_reset();
	return tap_status();
}
