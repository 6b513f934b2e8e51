// SPDX-License-Identifier: GPL-2.0
/*
 * The exceptions of the software floating point against the host's, which
 * numbers them the same way: edge operands with each other and random ones, in
 * each rounding mode, with and without denormals. binary16 against a model, and
 * the two implementations of binary32 against each other.
 */
#include <math.h>
#include <string.h>
#include <xmmintrin.h>
#include "../tap.h"
#include "host_float.h"
#include "providers/sim/softfloat/softfloat.h"

#define NR_RANDOM	50000
#define CSR_FLAGS	0x003f
#define CSR_ROUND_SHIFT	13
#define CSR_DAZ_FTZ	0x8040

typedef __float128 quad;

static unsigned long long seed = 0x5bd1e9952f2f2f2f;
static const struct sf_format *const f16 = &sf_half, *const f32 = &sf_single,
			      *const f64 = &sf_double;

/* SF_ROUND in the encoding of the host's MXCSR */
static const unsigned int host_rounds[] = {
	[SF_NEAREST] = 0, [SF_UP] = 2, [SF_DOWN] = 1, [SF_ZERO] = 3,
};

enum op { ADD, MUL, FMA, DIV, SQRT, CMP, NR_OPS };

static const char *const op_names[] = {
	"add", "mul", "fma", "div", "sqrt", "cmp"
};

static u64 rnd(void)
{
	return tap_random(&seed);
}

/* many results should be tiny or huge */
static u64 number(const struct sf_format *f)
{
	u64 r = rnd(), all = (sfa_sign(f) << 1) - 1;
	u64 bias = (1 << (f->exp_bits - 1)) - 1, e;

	if (!(r & 7))
		return edge(f, (r >> 8) % NR_EDGES);
	if (r & 8)
		return rnd() & all;
	e = r & 16 ? bias / 2 + (r >> 8) % 8 - 4 :
	    r & 32 ? bias + bias / 2 + (r >> 8) % 8 - 4 : (r >> 8) % 4;
	return (rnd() & ~sfa_inf(f) & all) | e << f->frac_bits;
}

static bool is_quiet_nan(const struct sf_format *f, u64 x)
{
	return sfa_is_nan(f, x) && (x >> (f->frac_bits - 1) & 1);
}

/* ---- the host ------------------------------------------------------------ */

__attribute__((target("fma")))
static void fused(const volatile float *in, volatile float *out)
{
	*out = __builtin_fmaf(in[0], in[1], in[2]);
}

__attribute__((target("fma")))
static void fused_double(const volatile double *in, volatile double *out)
{
	*out = __builtin_fma(in[0], in[1], in[2]);
}

static void host_single(enum op op, const u64 *bits)
{
	volatile float in[3] = { flt(bits[0]), flt(bits[1]), flt(bits[2]) };
	volatile float r = 0;
	volatile bool equal = false;

	_mm_setcsr(_mm_getcsr() & ~CSR_FLAGS);
	switch (op) {
	case ADD:	r = in[0] + in[1]; break;
	case MUL:	r = in[0] * in[1]; break;
	case FMA:	fused(in, &r); break;
	case DIV:	r = in[0] / in[1]; break;
	case SQRT:	r = __builtin_sqrtf(in[0]); break;
	default:	equal = in[0] == in[1]; break;
	}
	(void)r;
	(void)equal;
}

static void host_double(enum op op, const u64 *bits)
{
	volatile double in[3] = { dbl(bits[0]), dbl(bits[1]), dbl(bits[2]) };
	volatile double r = 0;
	volatile bool equal = false;

	_mm_setcsr(_mm_getcsr() & ~CSR_FLAGS);
	switch (op) {
	case ADD:	r = in[0] + in[1]; break;
	case MUL:	r = in[0] * in[1]; break;
	case FMA:	fused_double(in, &r); break;
	case DIV:	r = in[0] / in[1]; break;
	case SQRT:	r = __builtin_sqrt(in[0]); break;
	default:	equal = in[0] == in[1]; break;
	}
	(void)r;
	(void)equal;
}

static u32 host_flags(const struct sf_format *f, enum op op, const u64 *in,
		      unsigned int fm)
{
	unsigned int csr = _mm_getcsr();
	u32 flags;

	_mm_setcsr((csr & ~(3 << CSR_ROUND_SHIFT)) |
		   host_rounds[fm & SF_ROUND] << CSR_ROUND_SHIFT |
		   (fm & SF_FLUSH ? CSR_DAZ_FTZ : 0));
	if (f == f32)
		host_single(op, in);
	else
		host_double(op, in);
	flags = _mm_getcsr() & CSR_FLAGS;
	_mm_setcsr(csr & ~CSR_FLAGS);
	return flags;
}

/* ---- ours ---------------------------------------------------------------- */

static u64 any_format(const struct sf_format *f, enum op op, const u64 *in,
		      unsigned long fm)
{
	switch (op) {
	case ADD:	return sfa_add(f, in[0], in[1], fm);
	case MUL:	return sfa_mul(f, in[0], in[1], fm);
	case FMA:	return sfa_fma(f, in[0], in[1], in[2], fm);
	case DIV:	return sfa_div(f, in[0], in[1], fm);
	case SQRT:	return sfa_sqrt(f, in[0], fm);
	default:	return sfa_cmp(f, in[0], in[1], fm);
	}
}

static u64 single(enum op op, const u64 *in, unsigned long fm)
{
	switch (op) {
	case ADD:	return sf_add(in[0], in[1], fm);
	case MUL:	return sf_mul(in[0], in[1], fm);
	case FMA:	return sf_fma(in[0], in[1], in[2], fm);
	case DIV:	return sfa_div(f32, in[0], in[1], fm);
	case SQRT:	return sfa_sqrt(f32, in[0], fm);
	default:	return sf_cmp(in[0], in[1], fm);
	}
}

/* without a pointer for exceptions the result is the same */
static u32 soft_flags(const struct sf_format *f, enum op op, const u64 *in,
		      unsigned int fm, u64 *res)
{
	struct sf_flags flags = {};
	u64 again;

	*res = f == f32 ? single(op, in, sf_gather(fm, &flags)) :
			  any_format(f, op, in, sf_gather(fm, &flags));
	again = f == f32 ? single(op, in, fm) : any_format(f, op, in, fm);
	return *res == again ? flags.raised : ~0u;
}

/* ---- comparison ---------------------------------------------------------- */

/*
 * The host checks denormal operands last, and not at all after a worse
 * exception. 0 * inf + NaN may be invalid or not.
 */
static u32 comparable(const struct sf_format *f, enum op op, const u64 *in,
		      u32 host)
{
	unsigned int n, nr = op == FMA ? 3 : op == SQRT ? 1 : 2;
	u32 mask = host & (SF_INVALID | SF_DIV0) ? ~SF_DENORMAL : ~0u;

	for (n = 0; n < nr; n++)
		if (sfa_is_nan(f, in[n]))
			mask &= ~SF_DENORMAL;
	if (op == FMA && is_quiet_nan(f, in[2]))
		mask &= ~SF_INVALID;
	return mask;
}

/* flushed: before or after rounding to the smallest normal number */
static bool either_is_right(const struct sf_format *f, enum op op, u64 res,
			    unsigned int fm)
{
	u64 mag = res & (sfa_sign(f) - 1);

	return op != CMP && (fm & SF_FLUSH) && mag == 1ull << f->frac_bits;
}

static bool agree(const struct sf_format *f, enum op op, const u64 *in,
		  unsigned int fm)
{
	u64 res;
	u32 got = soft_flags(f, op, in, fm, &res);
	u32 want = host_flags(f, op, in, fm), mask = comparable(f, op, in, want);

	if ((got & mask) == (want & mask) || either_is_right(f, op, res, fm))
		return true;
	tap_note("%s(%llx, %llx, %llx) mode %x: %x, host %x", op_names[op],
		 (unsigned long long)in[0], (unsigned long long)in[1],
		 (unsigned long long)in[2], fm, got, want);
	return false;
}

static bool all_agree(const struct sf_format *f, enum op op, unsigned int fm)
{
	unsigned int n;
	u64 in[3];

	for (n = 0; n < NR_RANDOM; n++) {
		in[0] = n < NR_EDGES * NR_EDGES ? edge(f, n % NR_EDGES) :
						  number(f);
		in[1] = n < NR_EDGES * NR_EDGES ? edge(f, n / NR_EDGES) :
						  number(f);
		in[2] = number(f);
		if (!agree(f, op, in, fm))
			return false;
	}
	return true;
}

static void like_the_host(const struct sf_format *f, const char *name)
{
	bool fma = __builtin_cpu_supports("fma");
	unsigned int m;
	enum op op;
	bool ok;

	for (op = 0; op < NR_OPS; op++) {
		if (op == FMA && !fma) {
			tap_ok(true, "%s fma # SKIP the host has none", name);
			continue;
		}
		for (ok = true, m = 0; m < 8 && ok; m++)
			ok = all_agree(f, op, (m & 3) | (m & 4 ? SF_FLUSH : 0));
		tap_ok(ok, "%s %s", name, op_names[op]);
	}
}

/* ---- binary16 ------------------------------------------------------------ */

static _Float16 half(u16 x)
{
	_Float16 r;

	memcpy(&r, &x, sizeof(r));
	return r;
}

static bool is_denormal(u16 x)
{
	return !(x & 0x7c00) && (x & 0x3ff);
}

static u32 operand_flags(u16 x)
{
	return (is_denormal(x) ? SF_DENORMAL : 0) |
	       (sfa_is_nan(f16, x) && !is_quiet_nan(f16, x) ? SF_INVALID : 0);
}

/* @r: exact, or with enough additional bits; round to nearest */
static u32 rounding_flags(quad r)
{
	_Float16 h = (_Float16)r, scaled;
	u32 flags = (quad)h == r ? 0 : SF_INEXACT;

	if (r != r || r - r != 0)
		return 0;
	if (!__builtin_isfinite((float)h))
		return SF_OVERFLOW | SF_INEXACT;
	scaled = (_Float16)(r * 1024);
	if (flags && __builtin_fabsf((float)scaled) < 0x1p-4f)
		flags |= SF_UNDERFLOW;
	return flags;
}

static quad half_result(enum op op, const u64 *in, u32 *flags)
{
	quad a = half(in[0]), b = half(in[1]), c = half(in[2]);

	switch (op) {
	case ADD:
		return a + b;
	case MUL:
		return a * b;
	case FMA:
		*flags |= operand_flags(in[2]);
		return a * b + c;
	case DIV:
		if (!b && a && __builtin_isfinite((float)a))
			*flags |= SF_DIV0;
		return a / b;
	default:	/* 53 bits of a root show whether 11 are exact */
		return sqrt((double)a);
	}
}

static u32 half_flags(enum op op, const u64 *in)
{
	bool nan = sfa_is_nan(f16, in[0]);
	u32 flags = operand_flags(in[0]);
	quad r;

	if (op != SQRT) {
		flags |= operand_flags(in[1]);
		nan |= sfa_is_nan(f16, in[1]);
	}
	r = half_result(op, in, &flags);
	if (op == FMA)
		nan |= sfa_is_nan(f16, in[2]);
	if (r != r && !nan)
		flags |= SF_INVALID;
	return flags & SF_DIV0 ? flags : flags | rounding_flags(r);
}

static void halves(void)
{
	unsigned int n;
	u64 in[3], res;
	u32 got, want;
	enum op op;
	bool ok;

	for (op = ADD; op <= SQRT; op++) {
		for (ok = true, n = 0; n < NR_RANDOM && ok; n++) {
			in[0] = n < 0x10000 ? n : number(f16);
			in[1] = number(f16);
			in[2] = number(f16);
			got = soft_flags(f16, op, in, SF_NEAREST, &res);
			want = half_flags(op, in);
			/* 0 * inf + NaN, as above */
			ok = got == want || (op == FMA &&
					     is_quiet_nan(f16, in[2]));
			if (!ok)
				tap_note("%s(%llx, %llx, %llx): %x, model %x",
					 op_names[op], in[0], in[1], in[2], got,
					 want);
		}
		tap_ok(ok, "binary16 %s, as a model says", op_names[op]);
	}
}

/* ---- binary32 alone and among all formats -------------------------------- */

static void both(void)
{
	struct sf_flags one, other;
	unsigned int n, fm;
	u64 in[3];
	enum op op;
	bool ok;

	for (op = 0; op < NR_OPS; op++) {
		if (op == DIV || op == SQRT)
			continue;
		for (ok = true, n = 0; n < NR_RANDOM && ok; n++) {
			fm = n & (SF_MODE & ~SF_KNOWN_INEXACT);
			in[0] = number(f32);
			in[1] = number(f32);
			in[2] = number(f32);
			one.raised = other.raised = 0;
			single(op, in, sf_gather(fm, &one));
			any_format(f32, op, in, sf_gather(fm, &other));
			ok = one.raised == other.raised;
			if (!ok)
				tap_note("%s(%llx, %llx, %llx) mode %x: %x and %x",
					 op_names[op], in[0], in[1], in[2], fm,
					 one.raised, other.raised);
		}
		tap_ok(ok, "binary32 %s, as of any format", op_names[op]);
	}
}

/* ---- conversions --------------------------------------------------------- */

#define HOST(_type, _expr)						\
	({								\
		volatile _type r_;					\
									\
		_mm_setcsr(_mm_getcsr() & ~CSR_FLAGS);			\
		r_ = (_expr);						\
		(void)r_;						\
		_mm_getcsr() & CSR_FLAGS;				\
	})

#define SOFT(_expr)							\
	({								\
		struct sf_flags flags_ = {};				\
		unsigned long fm = sf_gather(0, &flags_);		\
									\
		(void)(_expr);						\
		flags_.raised;						\
	})

static bool to_integers(u32 x, u64 y)
{
	volatile float f = flt(x);
	volatile double d = dbl(y);
	unsigned long zero = SF_ZERO;

	return SOFT(sf_to_s32(x, fm)) == HOST(s32, _mm_cvttss_si32(
						_mm_set_ss(f))) &&
	       SOFT(sfa_to_s32(f64, y, fm | zero)) ==
	       (HOST(s32, __builtin_ia32_cvttsd2si(
				(__v2df){ d, 0 })) |
		/* unlike the host, ours raises it for the operand as well */
		(SOFT(sfx_unpack(f64, y, fm)) & SF_DENORMAL)) &&
	       SOFT(sf_to_u32(x, fm)) ==
	       (SOFT(sfa_to_u32(f32, x, fm | zero)) & ~SF_DENORMAL);
}

static bool from_integers(u32 x)
{
	volatile u32 u = x;
	volatile s32 s = x;

	return SOFT(sf_from_u32(x, fm)) == HOST(float, (float)u) &&
	       SOFT(sf_from_s32(x, fm)) == HOST(float, (float)s) &&
	       !SOFT(sfa_from_u32(f64, x, fm)) && !SOFT(sfa_from_s32(f64, x, fm));
}

static bool between_formats(u32 x, u64 y)
{
	volatile float f = flt(x);
	volatile double d = dbl(y);

	return SOFT(sfa_convert(f64, f32, x, fm)) == HOST(double, (double)f) &&
	       SOFT(sfa_convert(f32, f64, y, fm)) == HOST(float, (float)d) &&
	       SOFT(sf_to_half(x, fm)) == SOFT(sfa_convert(f16, f32, x, fm)) &&
	       SOFT(sf_from_half(x, fm)) ==
	       SOFT(sfa_convert(f32, f16, (u16)x, fm));
}

static void conversions(void)
{
	bool to = true, from = true, between = true;
	unsigned int n;

	for (n = 0; n < NR_RANDOM; n++) {
		u32 x = n < NR_EDGES ? edge(f32, n) : number(f32);
		u64 y = n < NR_EDGES ? edge(f64, n) : number(f64);

		/* magnitudes of integers and of halves */
		if (n & 1) {
			x = (x & 0x80ffffff) | (90 + (rnd() & 127) % 80) << 23;
			y = (y & ~0x7ff0000000000000) |
			    (1000 + (rnd() & 127) % 80) << 52;
		}
		to &= to_integers(x, y);
		from &= from_integers(x);
		between &= between_formats(x, y);
		if (!to || !from || !between) {
			tap_note("%x %llx", x, (unsigned long long)y);
			break;
		}
	}
	tap_ok(to, "to integers");
	tap_ok(from, "from integers");
	tap_ok(between, "between formats");
}

/* ---- functions ----------------------------------------------------------- */

#define ZERO		0x00000000u
#define MINUS_ONE	0xbf800000u
#define TWO		0x40000000u
#define SNAN		0x7f800001u

static u32 of(struct sfx (*fn)(const struct sfx *x, unsigned long fm), u32 a)
{
	struct sf_flags flags = {};
	unsigned long fm = sf_gather(0, &flags);
	struct sfx x = sfx_unpack(f32, a, fm), r = fn(&x, fm);

	sfx_pack(f32, &r, fm);
	return flags.raised;
}

static void functions(void)
{
	tap_ok(of(sfx_rsq, ZERO) == SF_DIV0 && of(sfx_log2, ZERO) == SF_DIV0,
	       "a pole is a division by zero");
	tap_ok(of(sfx_rsq, MINUS_ONE) == SF_INVALID &&
	       of(sfx_log2, MINUS_ONE) == SF_INVALID &&
	       of(sfx_sin, SF_INF) == SF_INVALID &&
	       of(sfx_cos, SF_INF) == SF_INVALID &&
	       of(sfx_exp2, SNAN) == SF_INVALID,
	       "what has no value is invalid, and so are signalling NaNs");
	tap_ok(of(sfx_exp2, 0x43160000 /* 150 */) == (SF_OVERFLOW | SF_INEXACT) &&
	       of(sfx_exp2, 0xc3480000 /* -200 */) == (SF_UNDERFLOW | SF_INEXACT) &&
	       of(sfx_exp2, 0x49800000 /* 2^20 */) == (SF_OVERFLOW | SF_INEXACT),
	       "powers overflow and underflow");
	tap_ok(!of(sfx_exp2, TWO) && !of(sfx_log2, TWO) && !of(sfx_exp2, SF_INF),
	       "what is exact raises nothing");
	tap_ok(of(sfx_sin, SF_ONE - 1) == SF_INEXACT, "a sine is inexact");
	tap_ok(SOFT(sf_min(SNAN, SF_ONE, fm)) == SF_INVALID &&
	       SOFT(sf_max(SF_ONE, SNAN, fm)) == SF_INVALID &&
	       !SOFT(sf_min(SF_NAN, SF_ONE, fm)) &&
	       SOFT(sfa_min(f64, 1, 0, fm)) == SF_DENORMAL &&
	       !SOFT(sfa_max(f64, 1, 0, fm | SF_FLUSH_IN)),
	       "minimum and maximum look at their operands");
	tap_ok(SOFT(sf_rint(SNAN, fm)) == SF_INVALID &&
	       !SOFT(sf_rint(0x3f000000, fm)) &&
	       SOFT(sf_fract(SF_INF, fm)) == SF_INVALID &&
	       !SOFT(sf_fract(0x40100000, fm)),
	       "integral values and fractions are exact");
	tap_ok(SOFT(sf_ldexp(SF_ONE, 128, fm)) == (SF_OVERFLOW | SF_INEXACT) &&
	       !SOFT(sf_ldexp(SF_ONE, -149, fm)) &&
	       SOFT(sf_ldexp(SF_ONE, -150, fm)) == (SF_UNDERFLOW | SF_INEXACT) &&
	       SOFT(sf_ldexp(SF_ONE, -149, fm | SF_FLUSH_OUT)) ==
	       (SF_UNDERFLOW | SF_INEXACT),
	       "a denormal that is exact is no underflow, unless it is flushed");
}

int main(void)
{
	tap_plan(2 * NR_OPS + SQRT + 1 + NR_OPS - 2 + 3 + 8);
	like_the_host(f32, "binary32");
	like_the_host(f64, "binary64");
	halves();
	both();
	conversions();
	functions();
	return tap_status();
}
