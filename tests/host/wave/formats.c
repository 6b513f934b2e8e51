// SPDX-License-Identifier: GPL-2.0
/*
 * Software floating point of any format. binary64 against the host's, binary16
 * against binary128 rounded once, binary32 against the dedicated functions; in
 * each rounding mode.
 */
#include <fenv.h>
#include <math.h>
#include <string.h>
#include "../tap.h"
#include "host_float.h"
#include "providers/sim/softfloat/softfloat.h"

#define NR_RANDOM	100000

typedef __float128 quad;

static unsigned long long seed = 0x9e3779b97f4a7c15;

static u64 rnd(void)
{
	return tap_random(&seed);
}

static _Float16 h(u16 x)
{
	_Float16 r;

	memcpy(&r, &x, sizeof(r));
	return r;
}

static u16 half_bits(_Float16 x)
{
	u16 r;

	memcpy(&r, &x, sizeof(r));
	return r;
}

/* exponents close to each other produce the interesting sums */
static u64 number(const struct sf_format *f)
{
	u64 r = rnd(), all = (sfa_sign(f) << 1) - 1, near;

	if (!(r & 7))
		return edge(f, (r >> 8) % NR_EDGES);
	if (r & 8)
		return rnd() & all;
	near = (1 << (f->exp_bits - 1)) - 4 + (r >> 8 & 7);
	return (rnd() & ~sfa_inf(f) & all) | near << f->frac_bits;
}

static bool same(const struct sf_format *f, u64 got, u64 want)
{
	return got == want || (sfa_is_nan(f, got) && sfa_is_nan(f, want));
}

enum op { ADD, MUL, FMA, DIV, SQRT, RINT, MIN, MAX, CMP, NR_OPS };

static const char *const op_names[] = {
	"add", "mul", "fma", "div", "sqrt", "rint", "min", "max", "cmp",
};

static const int modes[] = {
	[SF_NEAREST] = FE_TONEAREST, [SF_UP] = FE_UPWARD,
	[SF_DOWN] = FE_DOWNWARD, [SF_ZERO] = FE_TOWARDZERO,
};

static u64 soft(const struct sf_format *f, enum op op, u64 a, u64 b, u64 c,
		unsigned long fm)
{
	switch (op) {
	case ADD:	return sfa_add(f, a, b, fm);
	case MUL:	return sfa_mul(f, a, b, fm);
	case FMA:	return sfa_fma(f, a, b, c, fm);
	case DIV:	return sfa_div(f, a, b, fm);
	case SQRT:	return sfa_sqrt(f, a, fm);
	case RINT:	return sfa_rint(f, a, fm);
	case MIN:	return sfa_min(f, a, b, fm);
	case MAX:	return sfa_max(f, a, b, fm);
	default:	return sfa_cmp(f, a, b, fm);
	}
}

static u64 host_min(u64 a, u64 b)
{
	bool swap = isnan(dbl(a)) || dbl(b) < dbl(a) || (dbl(a) == dbl(b) && b >> 63);

	return swap ? b : a;
}

static u64 host_max(u64 a, u64 b)
{
	bool swap = isnan(dbl(a)) || dbl(b) > dbl(a) || (dbl(a) == dbl(b) && a >> 63);

	return swap ? b : a;
}

static u64 host(enum op op, u64 a, u64 b, u64 c)
{
	volatile double x = dbl(a), y = dbl(b), z = dbl(c), r;

	switch (op) {
	case ADD:	r = x + y; break;
	case MUL:	r = x * y; break;
	case FMA:	r = fma(x, y, z); break;
	case DIV:	r = x / y; break;
	case SQRT:	r = sqrt(x); break;
	case RINT:	r = rint(x); break;
	case MIN:	return host_min(a, b);
	case MAX:	return host_max(a, b);
	default:
		return x < y ? SF_LESS : x == y ? SF_EQUAL :
		       x > y ? SF_GREATER : SF_UNORDERED;
	}
	return dbl_bits(r);
}

static bool agree(const struct sf_format *f, enum op op, const u64 in[3],
		  unsigned long fm, u64 want)
{
	u64 got = soft(f, op, in[0], in[1], in[2], fm);

	if (op == CMP ? got == want : same(f, got, want))
		return true;
	tap_note("%s(%llx, %llx, %llx) mode %lx: %llx, want %llx", op_names[op],
		 (unsigned long long)in[0], (unsigned long long)in[1],
		 (unsigned long long)in[2], fm, (unsigned long long)got,
		 (unsigned long long)want);
	return false;
}

static bool doubles_agree(enum op op, unsigned long fm, unsigned int nr)
{
	u64 in[3];
	unsigned int n;

	for (n = 0; n < nr; n++) {
		in[0] = n < NR_EDGES * NR_EDGES ?
			edge(&sf_double, n % NR_EDGES) : number(&sf_double);
		in[1] = n < NR_EDGES * NR_EDGES ?
			edge(&sf_double, n / NR_EDGES) : number(&sf_double);
		in[2] = number(&sf_double);
		if (!agree(&sf_double, op, in, fm, host(op, in[0], in[1], in[2])))
			return false;
	}
	return true;
}

static void doubles(void)
{
	unsigned int m;
	enum op op;
	bool ok;

	for (op = 0; op < NR_OPS; op++) {
		for (ok = true, m = 0; m < 4 && ok; m++) {
			fesetround(modes[m]);
			ok = doubles_agree(op, m, NR_RANDOM);
			fesetround(FE_TONEAREST);
		}
		tap_ok(ok, "binary64 %s", op_names[op]);
	}
}

/* products close to the third operand, so that most of the sum cancels */
static void cancelling(void)
{
	unsigned int n;
	bool ok = true;

	for (n = 0; n < NR_RANDOM && ok; n++) {
		u64 a = number(&sf_double), b = number(&sf_double);
		u64 in[3] = { a, b, dbl_bits(-(dbl(a) * dbl(b))) + (rnd() >> 62) };

		ok = agree(&sf_double, FMA, in, 0, host(FMA, a, b, in[2]));
	}
	tap_ok(ok, "binary64 fma with cancellation");
}

/* exact, or with enough bits that rounding to binary16 is correct */
static u64 half_model(enum op op, u16 a, u16 b, u16 c)
{
	quad x = h(a), y = h(b), z = h(c), r;

	switch (op) {
	case ADD:	r = x + y; break;
	case MUL:	r = x * y; break;
	case FMA:	r = x * y + z; break;
	case DIV:	r = x / y; break;
	case SQRT:	return half_bits((_Float16)sqrtf(h(a)));
	default:	return half_bits((_Float16)rintf(h(a)));
	}
	return half_bits((_Float16)r);
}

static void halves(void)
{
	enum op op;
	unsigned int n;
	u64 in[3];
	bool ok;

	for (op = ADD; op <= RINT; op++) {
		for (ok = true, n = 0; n < NR_RANDOM && ok; n++) {
			in[0] = n < 0x10000 ? n : number(&sf_half);
			in[1] = number(&sf_half);
			in[2] = number(&sf_half);
			ok = agree(&sf_half, op, in, SF_NEAREST,
				   half_model(op, in[0], in[1], in[2]));
		}
		tap_ok(ok, "binary16 %s", op_names[op]);
	}
}

static u64 single(enum op op, u32 a, u32 b, u32 c, unsigned long fm)
{
	switch (op) {
	case ADD:	return sf_add(a, b, fm);
	case MUL:	return sf_mul(a, b, fm);
	case FMA:	return sf_fma(a, b, c, fm);
	case RINT:	return sf_rint(a, fm);
	case MIN:	return sf_min(a, b, fm);
	case MAX:	return sf_max(a, b, fm);
	default:	return sf_cmp(a, b, fm);
	}
}

/* all modes, with flushing and IEEE, and NaN payloads */
static void singles(void)
{
	enum op op;
	unsigned int n, fm;
	u64 in[3], want;
	bool ok;

	for (op = 0; op < NR_OPS; op++) {
		/* these have only the implementation for any format */
		if (op == DIV || op == SQRT)
			continue;
		for (ok = true, n = 0; n < NR_RANDOM && ok; n++) {
			fm = n & 31;
			in[0] = number(&sf_single);
			in[1] = number(&sf_single);
			in[2] = number(&sf_single);
			want = single(op, in[0], in[1], in[2], fm);
			ok = agree(&sf_single, op, in, fm, want) &&
			     soft(&sf_single, op, in[0], in[1], in[2], fm) == want;
		}
		tap_ok(ok, "binary32 %s, as of any format", op_names[op]);
	}
}

static s32 host_s32(double x)
{
	return isnan(x) ? 0 : x >= 0x1p31 ? INT32_MAX : x < -0x1p31 ? INT32_MIN :
		(s32)x;
}

static u32 host_u32(double x)
{
	return isnan(x) || x <= 0 ? 0 : x >= 0x1p32 ? UINT32_MAX : (u32)x;
}

static bool converts(u64 x)
{
	float f = (float)dbl(x), g;
	u32 low = (u32)x, fbits;

	memcpy(&fbits, &f, 4);
	memcpy(&g, &low, 4);
	return sfa_to_s32(&sf_double, x, SF_ZERO) == host_s32(dbl(x)) &&
	       sfa_to_u32(&sf_double, x, SF_ZERO) == host_u32(dbl(x)) &&
	       sfa_from_u32(&sf_double, low, 0) == dbl_bits(low) &&
	       sfa_from_s32(&sf_double, low, 0) == dbl_bits((s32)low) &&
	       same(&sf_single, sfa_convert(&sf_single, &sf_double, x, 0), fbits) &&
	       same(&sf_double, sfa_convert(&sf_double, &sf_single, low, 0),
		    dbl_bits(g)) &&
	       same(&sf_half, sfa_convert(&sf_half, &sf_double, x, 0),
		    half_bits((_Float16)dbl(x)));
}

static void conversions(void)
{
	unsigned int n;
	bool ok = true;
	u64 x;

	for (n = 0; n < NR_RANDOM && ok; n++) {
		x = n < NR_EDGES ? edge(&sf_double, n) : number(&sf_double);
		/* most doubles are neither int nor float */
		if (n & 1)
			x = dbl_bits(ldexp(dbl(x & ~sfa_inf(&sf_double)) * 0x1p1022,
					   (int)(rnd() >> 56) - 128));
		ok = converts(x);
		if (!ok)
			tap_note("%llx", (unsigned long long)x);
	}
	tap_ok(ok, "conversions");
}

static void parts(void)
{
	unsigned int n;
	bool ok = true;
	int e, k;

	for (n = 0; n < NR_RANDOM && ok; n++) {
		u64 x = number(&sf_double);
		double m = frexp(dbl(x), &e), whole;

		k = (int)(rnd() >> 53) - 1024;
		if (!isfinite(dbl(x)))
			continue;
		ok = sfa_frexp_mant(&sf_double, x, 0) == dbl_bits(m) &&
		     sfa_frexp_exp(&sf_double, x, 0) == e &&
		     sfa_ldexp(&sf_double, x, k, 0) == dbl_bits(ldexp(dbl(x), k));
		whole = dbl(x) - floor(dbl(x));
		ok &= sfa_fract(&sf_double, x, 0) ==
			(whole == 1 ? 0x3fefffffffffffff : dbl_bits(whole));
		if (!ok)
			tap_note("%llx", (unsigned long long)x);
	}
	tap_ok(ok, "frexp, ldexp, fract");
}

static void flushing(void)
{
	const u64 tiny = 0x000fffffffffffff, small = 0x0010000000000000;
	const u64 half = 0x3fe0000000000000, sign = 1ull << 63;

	tap_ok(sfa_add(&sf_double, tiny, 0, SF_FLUSH_IN) == 0 &&
	       sfa_mul(&sf_double, small | sign, half, SF_FLUSH_OUT) == sign &&
	       sfa_mul(&sf_double, small, half, SF_FLUSH_IN) == small >> 1 &&
	       sfa_add(&sf_double, tiny, 0, SF_FLUSH_OUT) == 0 &&
	       sfa_add(&sf_double, tiny, 1, SF_FLUSH_OUT) == small &&
	       sfa_cmp(&sf_double, tiny, 0, SF_FLUSH_IN) == SF_EQUAL &&
	       sfa_class(&sf_double, tiny, SF_FLUSH_IN) == 0x40 &&
	       sfa_class(&sf_double, tiny | sign, 0) == 0x10,
	       "denormals in and out");
}

static void nans(void)
{
	const u64 snan = 0x7ff0000000000001, one = 0x3ff0000000000000;
	const u64 quiet = 0x7ff8000000000001;

	tap_ok(sfa_min(&sf_double, snan, one, SF_IEEE) == quiet &&
	       sfa_max(&sf_double, one, snan, SF_IEEE) == quiet &&
	       sfa_min(&sf_double, snan, one, 0) == one &&
	       sfa_max(&sf_double, one, quiet, SF_IEEE) == one,
	       "signalling NaNs in min and max, with IEEE and without");
	tap_ok(sfa_add(&sf_double, snan, one, 0) == quiet &&
	       sfa_mul(&sf_double, one, snan | 1ull << 63, 0) ==
			(quiet | 1ull << 63) &&
	       sfa_convert(&sf_single, &sf_double, 0xfff4000000000000, 0) ==
			0xffe00000 &&
	       sfa_mul(&sf_double, 0, 0x7ff0000000000000, 0) ==
			0x7ff8000000000000,
	       "NaNs are quieted and keep their payload");
}

int main(void)
{
	tap_plan(NR_OPS + 1 + 6 + NR_OPS - 2 + 5);
	doubles();
	cancelling();
	halves();
	singles();
	conversions();
	parts();
	flushing();
	nans();
	return tap_status();
}
