// SPDX-License-Identifier: GPL-2.0
/*
 * The software floating point against the host's: edge operands with each
 * other, and a million random ones, in each rounding mode, with and without
 * denormals.
 */
#include <fenv.h>
#include <math.h>
#include <string.h>
#include <xmmintrin.h>
#include "../tap.h"
#include "host_float.h"
#include "providers/sim/softfloat/softfloat.h"

#define NR_RANDOM	1000000
#define MXCSR_DAZ	0x0040
#define MXCSR_FTZ	0x8000

static const u32 edges[] = {
	0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00000002, 0x007fffff,
	0x807fffff, 0x00400000, 0x00800000, 0x80800000, 0x00800001, 0x00ffffff,
	0x01000000, 0x0b800000, 0x0c000000, 0x1f800000, 0x20000000, 0x33000000,
	0x33800000, 0x34000000, 0x3effffff, 0x3f000000, 0xbf000000, 0x3f000001,
	0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x3fffffff, 0x40000000,
	0x3fc00000, 0x40200000, 0x4b000000, 0x4b000001, 0x4a800001, 0x4b7fffff,
	0x4b800000, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000, 0x4f7fffff,
	0x5f000000, 0x5f7fffff, 0x60000000, 0x7e800000, 0x7f000000, 0x7f7fffff,
	0xff7fffff, 0x7f7ffffe, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
	0x7f800001, 0x7fc12345, 0x477fe000, 0x477ff000, 0x38800000, 0x33c00000,
};

#define NR_SINGLES	(sizeof(edges) / sizeof(edges[0]))

static unsigned long long seed;

/* exponents close to each other produce the interesting sums */
static u32 random_float(void)
{
	u32 x = tap_random(&seed) >> 32;

	if (x & 1)
		x = (x & 0x80ffffff) | (100 + (x >> 24 & 63)) << 23;
	return x;
}

static bool same(u32 got, u32 want)
{
	return got == want || (sf_is_nan(got) && isnan(flt(want)));
}

enum op { ADD, MUL, FMA, DIV, SQRT, MIN, MAX, RINT, CMP, NR_OPS };

static const char *const op_names[] = {
	"add", "mul", "fma", "div", "sqrt", "min", "max", "rint", "cmp",
};

static const int op_args[] = { 2, 2, 3, 2, 1, 2, 2, 1, 2 };

static u32 host_min(u32 a, u32 b)
{
	bool swap = isnan(flt(a)) || flt(b) < flt(a) || (flt(a) == flt(b) && b >> 31);

	return swap ? b : a;
}

static u32 host_max(u32 a, u32 b)
{
	bool swap = isnan(flt(a)) || flt(b) > flt(a) || (flt(a) == flt(b) && a >> 31);

	return swap ? b : a;
}

static u32 host_cmp(u32 a, u32 b)
{
	volatile float x = flt(a), y = flt(b);

	return x < y ? SF_LESS : x == y ? SF_EQUAL : x > y ? SF_GREATER :
		SF_UNORDERED;
}

static u32 host(enum op op, u32 a, u32 b, u32 c)
{
	volatile float x = flt(a), y = flt(b), z = flt(c), r;

	switch (op) {
	case ADD:	r = x + y; break;
	case MUL:	r = x * y; break;
	case FMA:	r = fmaf(x, y, z); break;
	case DIV:	r = x / y; break;
	case SQRT:	r = sqrtf(x); break;
	case MIN:	return host_min(a, b);
	case MAX:	return host_max(a, b);
	case RINT:	r = rintf(x); break;
	default:	return host_cmp(a, b);
	}
	return flt_bits(r);
}

static u32 soft(enum op op, u32 a, u32 b, u32 c, unsigned long fm)
{
	switch (op) {
	case ADD:	return sf_add(a, b, fm);
	case MUL:	return sf_mul(a, b, fm);
	case FMA:	return sf_fma(a, b, c, fm);
	case DIV:	return sfa_div(&sf_single, a, b, fm);
	case SQRT:	return sfa_sqrt(&sf_single, a, fm);
	case MIN:	return sf_min(a, b, fm);
	case MAX:	return sf_max(a, b, fm);
	case RINT:	return sf_rint(a, fm);
	default:	return sf_cmp(a, b, fm);
	}
}

static bool signalling(u32 x)
{
	return isnan(flt(x)) && !(x & 0x00400000);
}

/* the host model of min and max does not support signalling NaNs */
static bool in_scope(enum op op, u32 a, u32 b)
{
	return (op != MIN && op != MAX) || !(signalling(a) || signalling(b));
}

static bool agree(enum op op, u32 a, u32 b, u32 c, unsigned long fm)
{
	u32 got, want;

	if (!in_scope(op, a, b))
		return true;
	got = soft(op, a, b, c, fm);
	want = host(op, a, b, c);
	if (op == CMP ? got == want : same(got, want))
		return true;
	tap_note("%s(%08x, %08x, %08x) mode %lx: %08x, host %08x", op_names[op],
		 a, b, c, fm, got, want);
	return false;
}

static bool edges_agree(enum op op, unsigned long fm)
{
	unsigned int a, b, c;
	unsigned int nb = op_args[op] > 1 ? NR_SINGLES : 1;
	unsigned int nc = op_args[op] > 2 ? NR_SINGLES : 1;

	for (a = 0; a < NR_SINGLES; a++)
		for (b = 0; b < nb; b++)
			for (c = 0; c < nc; c++)
				if (!agree(op, edges[a], edges[b], edges[c], fm))
					return false;
	return true;
}

static bool random_agree(enum op op, unsigned long fm, unsigned int nr)
{
	while (nr--)
		if (!agree(op, random_float(), random_float(), random_float(),
			   fm))
			return false;
	return true;
}

/* products close to the third operand, so that most of the sum cancels */
static bool cancelling_fma(unsigned int nr)
{
	while (nr--) {
		u32 a = random_float(), b = random_float();
		u32 c = flt_bits(-(flt(a) * flt(b))) + (tap_random(&seed) >> 62);

		if (!agree(FMA, a, b, c, SF_NEAREST))
			return false;
	}
	return true;
}

static void rounding_modes(void)
{
	static const int modes[] = {
		[SF_NEAREST] = FE_TONEAREST, [SF_UP] = FE_UPWARD,
		[SF_DOWN] = FE_DOWNWARD, [SF_ZERO] = FE_TOWARDZERO,
	};
	static const char *const names[] = { "nearest", "up", "down", "zero" };
	enum op op;
	unsigned int m;
	bool ok;

	for (m = 0; m < 4; m++)
		for (op = 0; op < NR_OPS; op++) {
			fesetround(modes[m]);
			ok = edges_agree(op, m) &&
			     random_agree(op, m, NR_RANDOM / (m ? 8 : 1));
			fesetround(FE_TONEAREST);
			tap_ok(ok, "%s, rounding to %s", op_names[op], names[m]);
		}
	tap_ok(cancelling_fma(NR_RANDOM), "fma with cancellation");
}

/* the host flushes before such rounding, too: compare where both agree */
static bool flush_agrees(enum op op, unsigned int nr)
{
	while (nr--) {
		u32 a = random_float(), b = random_float();
		u32 got, want;

		if (nr & 1)
			a &= 0x80ffffff;
		got = soft(op, a, b, 0, SF_FLUSH);
		want = host(op, a, b, 0);
		/* rounds up to the smallest normal number: either is right */
		if ((got & ~SF_SIGN) == 0x00800000 && !(want & ~SF_SIGN))
			continue;
		if (!same(got, want)) {
			tap_note("%s(%08x, %08x) flushed: %08x, host %08x",
				 op_names[op], a, b, got, want);
			return false;
		}
	}
	return true;
}

static void flushing(void)
{
	unsigned int csr = _mm_getcsr();
	enum op op;
	bool ok;

	for (op = ADD; op <= SQRT; op++) {
		if (op == FMA)
			continue;
		_mm_setcsr(csr | MXCSR_DAZ | MXCSR_FTZ);
		ok = flush_agrees(op, NR_RANDOM / 4);
		_mm_setcsr(csr);
		tap_ok(ok, "%s, denormals are zero", op_names[op]);
	}
}

static s32 host_to_s32(float x)
{
	if (isnan(x))
		return 0;
	return x >= 0x1p31f ? INT32_MAX : x < -0x1p31f ? INT32_MIN : (s32)x;
}

static u32 host_to_u32(float x)
{
	if (isnan(x) || x <= 0)
		return 0;
	return x >= 0x1p32f ? UINT32_MAX : (u32)x;
}

static bool convert_agrees(u32 x)
{
	return sf_to_s32(x, 0) == host_to_s32(flt(x)) &&
	       sf_to_u32(x, 0) == host_to_u32(flt(x)) &&
	       sf_from_u32(x, 0) == flt_bits((float)x) &&
	       sf_from_s32(x, 0) == flt_bits((float)(s32)x);
}

static void conversions(void)
{
	unsigned int n;
	bool ok = true;

	for (n = 0; n < NR_SINGLES; n++)
		ok &= convert_agrees(edges[n]);
	for (n = 0; n < NR_RANDOM; n++)
		ok &= convert_agrees(random_float() >> (n & 31));
	tap_ok(ok, "integers to and from floats");
}

/* every half float, and the floats around and between them */
static void halves(void)
{
	bool to = true, from = true;
	u32 h, n;

	for (h = 0; h < 0x10000; h++) {
		_Float16 host_half;
		u16 x = h;

		memcpy(&host_half, &x, 2);
		from &= same(sf_from_half(x, 0), flt_bits((float)host_half));
	}
	for (n = 0; n < NR_RANDOM; n++) {
		u32 x = random_float();
		_Float16 host_half = (_Float16)flt(x);
		u16 want;

		memcpy(&want, &host_half, 2);
		to &= sf_to_half(x, 0) == want || isnan(flt(x));
	}
	for (n = 0; n < NR_SINGLES; n++) {
		_Float16 host_half = (_Float16)flt(edges[n]);
		u16 want;

		memcpy(&want, &host_half, 2);
		to &= sf_to_half(edges[n], 0) == want || isnan(flt(edges[n]));
	}
	tap_ok(from, "half to float");
	tap_ok(to, "float to half");
}

static void others(void)
{
	bool ok = true;
	unsigned int n;

	for (n = 0; n < NR_RANDOM / 4; n++) {
		u32 x = random_float();
		int e = (int)(tap_random(&seed) >> 56) - 128;

		ok &= same(sf_ldexp(x, e, 0), flt_bits(ldexpf(flt(x), e)));
	}
	tap_ok(ok, "ldexp");
	tap_ok(sf_min(0x7f800001, SF_ONE, SF_IEEE) == 0x7fc00001 &&
	       sf_max(SF_ONE, 0x7f800001, SF_IEEE) == 0x7fc00001,
	       "a signalling NaN is quieted by min and max, with IEEE");
	tap_ok(sf_min(0x7f800001, SF_ONE, 0) == SF_ONE &&
	       sf_max(SF_ONE, 0x7f800001, 0) == SF_ONE,
	       "without it is a NaN like others");
	tap_ok(sf_add(0xffc12345, SF_ONE, 0) == 0xffc12345 &&
	       sf_add(SF_INF, SF_INF | SF_SIGN, 0) == SF_NAN,
	       "NaN operands are kept, new ones are 7fc00000");
	tap_ok(sf_fract(0xb3000000, 0) == 0x3f7fffff &&
	       sf_fract(0x40100000, 0) == 0x3e800000, "fract stays below one");
}

int main(void)
{
	seed = 0x9e3779b97f4a7c15;
	tap_plan(4 * NR_OPS + 1 + 4 + 1 + 2 + 5);
	rounding_modes();
	flushing();
	conversions();
	halves();
	others();
	return tap_status();
}
