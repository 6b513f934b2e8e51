// SPDX-License-Identifier: GPL-2.0
/*
 * binary16 vector operations, against _Float16 of the host where it rounds
 * once, and approximations of binary32 and binary16.
 */
#include "unit.h"

#define HALVES(X)							\
	X(v_rcp_f16, 1 / x) X(v_sqrt_f16, sqrtf(x))			\
	X(v_floor_f16, floorf(x)) X(v_ceil_f16, ceilf(x))		\
	X(v_trunc_f16, truncf(x)) X(v_rndne_f16, rintf(x))		\
	X(v_cvt_f16_u16, (u16)a) X(v_cvt_f16_i16, (s16)a)		\
	X(v_add_f16, x + y) X(v_sub_f16, x - y) X(v_subrev_f16, y - x)	\
	X(v_mul_f16, x * y)						\
	X(v_add_f16_const, x + 1)					\
	X(v_fma_f16, (__float128)x * y + z)				\
	X(v_exp_f16, exp2l(x)) X(v_log_f16, log2l(x))			\
	X(v_rsq_f16, 1 / sqrtl(x))					\
	X(v_sin_f16, isinf(x) ? NAN : fabsf(x) > 256 ? 0 :		\
	  fmodf(2 * x, 1) ? sinl(fmodl(x, 1) * 2 * M_PIl) : copysignf(0, x))

#ifndef M_PIl
#define M_PIl		3.141592653589793238462643383279502884L
#endif

#define MODEL(name, expr)						\
	static _Float16 h_##name(u32 a, u32 b, u32 c)			\
	{								\
		float x = half(a), y = half(b), z = half(c);		\
									\
		(void)x, (void)y, (void)z;				\
		return (_Float16)(expr);				\
	}
HALVES(MODEL)

static const struct row {
	const char *name;
	_Float16 (*model)(u32 a, u32 b, u32 c);
} rows[] = {
#define ROW(name, expr) { #name, h_##name },
	HALVES(ROW)
};

#define NR_ROWS		(sizeof(rows) / sizeof(rows[0]))

static bool is_nan16(u16 x)
{
	return (x & 0x7fff) > 0x7c00;
}

static bool same_half(u16 got, u16 want)
{
	return got == want || (is_nan16(got) && is_nan16(want));
}

static bool row_round(const struct row *row, u64 exec)
{
	unsigned int lane;
	u32 want;

	prepare(exec);
	if (!run(row->name))
		return false;
	for (lane = 0; lane < SIM_LANES; lane++) {
		want = half_bits(row->model(w->v[1][lane], w->v[2][lane],
					    w->v[3][lane]));
		if (!active(exec, lane))
			want = MARK;
		if (w->v[0][lane] == want ||
		    (active(exec, lane) && same_half(w->v[0][lane], want)))
			continue;
		tap_note("%s(%08x, %08x, %08x): %08x, want %08x", row->name,
			 w->v[1][lane], w->v[2][lane], w->v[3][lane],
			 w->v[0][lane], want);
		return false;
	}
	return true;
}

static void arithmetic(void)
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

static s32 saturated(float x, s32 low, s32 high)
{
	return isnan(x) ? 0 : x < low ? low : x > high ? high : (s32)x;
}

static bool integers(const char *name, s32 low, s32 high)
{
	unsigned int lane, r;

	for (r = 0; r < ROUNDS; r++) {
		prepare(~0ull);
		if (!run(name))
			return false;
		for (lane = 0; lane < SIM_LANES; lane++)
			if (w->v[0][lane] !=
			    (u16)saturated(half(w->v[1][lane]), low, high))
				return false;
	}
	return true;
}

static u16 lower(u32 x)
{
	return x;
}

static u16 upper(u32 x)
{
	return x >> 16;
}

/* upper halves of sources 0 and 2 and of the destination */
static void selectors(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	ok = run("v_fma_f16_sel");
	for (lane = 0; lane < SIM_LANES; lane++) {
		__float128 a = half(upper(w->v[1][lane]));
		__float128 b = half(lower(w->v[2][lane]));
		__float128 c = half(upper(w->v[3][lane]) & 0x7fff);
		u16 want = half_bits((_Float16)(a * -b + c));

		ok &= same_half(upper(w->v[0][lane]), want) &&
		      lower(w->v[0][lane]) == (u16)MARK;
	}
	tap_ok(ok, "v_fma_f16 with op_sel and modifiers");
	prepare(~0ull);
	ok = run("v_add_f16_sdwa");
	for (lane = 0; lane < SIM_LANES; lane++) {
		float sum = (float)half(upper(w->v[1][lane])) +
			    (float)half(lower(w->v[2][lane]));

		ok &= same_half(upper(w->v[0][lane]),
				   half_bits((_Float16)sum)) &&
		      lower(w->v[0][lane]) == (u16)MARK;
	}
	tap_ok(ok, "v_add_f16_sdwa");
}

static u32 two(_Float16 low, _Float16 high)
{
	return half_bits(low) | (u32)half_bits(high) << 16;
}

static _Float16 top(u32 x)
{
	return half(x >> 16);
}

static bool same_two(u32 got, u32 want)
{
	return same_half(got, want) && same_half(got >> 16, want >> 16);
}

static _Float16 larger(_Float16 x, _Float16 y)
{
	if (x != x || y != y)
		return x != x ? y : x;
	return x > y || (x == y && !(half_bits(x) >> 15)) ? x : y;
}

/* quiet NaNs only, and numbers of similar magnitude */
static void halves(void)
{
	unsigned int lane, reg;

	prepare(~0ull);
	for (lane = 0; lane < SIM_LANES; lane++)
		for (reg = 1; reg <= 3; reg++)
			w->v[reg][lane] = (rnd() & 0x83ff83ff) |
				(12 + rnd() % 7) << 10 | (12 + rnd() % 7) << 26;
}

static bool packed_round(void)
{
	unsigned int lane;
	u32 a, b, c;
	bool ok;

	halves();
	ok = run("pk_add_f16");
	for (lane = 0; lane < SIM_LANES; lane++) {
		a = w->v[1][lane], b = w->v[2][lane];
		ok &= same_two(w->v[0][lane],
			       two((float)half(a) + half(b),
				   (float)top(a) + top(b)));
	}
	ok &= run("pk_mul_f16_const");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= same_two(w->v[0][lane],
			       two(half(w->v[1][lane]) * 2.0f,
				   top(w->v[1][lane]) * 2.0f));
	ok &= run("pk_max_f16");
	for (lane = 0; lane < SIM_LANES; lane++) {
		a = w->v[1][lane], b = w->v[2][lane];
		ok &= same_two(w->v[0][lane], two(larger(half(a), half(b)),
						  larger(top(a), top(b))));
	}
	ok &= run("pk_fma_f16");
	for (lane = 0; lane < SIM_LANES; lane++) {
		a = w->v[1][lane], b = w->v[2][lane], c = w->v[3][lane];
		ok &= same_two(w->v[0][lane],
			       two((_Float16)((__float128)top(a) * -half(b) +
					      half(c)),
				   (_Float16)((__float128)half(a) * top(b) -
					      top(c))));
	}
	return ok;
}

static float clamp1(float x)
{
	return isnan(x) || x < 0 ? 0 : x > 1 ? 1 : x;
}

static bool mixed_round(void)
{
	unsigned int lane;
	float want;
	bool ok;

	halves();
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[3][lane] = float_bits((float)(s32)rnd() * 0x1p-31f);
	ok = run("fma_mix");
	for (lane = 0; lane < SIM_LANES; lane++) {
		want = fmaf(top(w->v[1][lane]), -(float)half(w->v[2][lane]),
			    fabsf(fl(w->v[3][lane])));
		ok &= same_value(w->v[0][lane], float_bits(want));
	}
	for (lane = 0; lane < SIM_LANES; lane++) {
		w->v[1][lane] = float_bits((float)(s32)rnd() * 0x1p-30f);
		w->v[2][lane] = float_bits((float)(s32)rnd() * 0x1p-30f);
	}
	ok &= run("mix_both");
	for (lane = 0; lane < SIM_LANES; lane++) {
		want = fmaf(fl(w->v[1][lane]), fl(w->v[2][lane]),
			    fl(w->v[3][lane]));
		ok &= same_two(w->v[0][lane], two(want, clamp1(want)));
	}
	return ok;
}

static void packed(void)
{
	bool pk = true, mixed = true;
	unsigned int r;

	for (r = 0; r < ROUNDS; r++) {
		pk = pk && packed_round();
		mixed = mixed && mixed_round();
	}
	tap_ok(pk, "v_pk_add, mul, fma, max_f16");
	tap_ok(mixed, "v_fma_mix_f32, mixlo, mixhi");
}

static void comparison(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	ok = run("v_cmp_lt_f16");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= (pair(VCC) >> lane & 1) ==
		      (half(w->v[1][lane]) < half(w->v[2][lane]));
	tap_ok(ok, "v_cmp_lt_f16");
}

static double rsq(double x)
{
	return 1 / sqrt(x);
}

static double rcp(double x)
{
	return 1 / x;
}

static double sine(double x)
{
	return isinf(x) ? NAN : fabs(x) > 256 ? 0 : sin(fmod(x, 1) * 2 * M_PI);
}

static double cosine(double x)
{
	return isinf(x) ? NAN : fabs(x) > 256 ? 1 : cos(fmod(x, 1) * 2 * M_PI);
}

/* within a unit of the last place; denormals are zero, before and after */
static bool near(float got, double want, bool flushes)
{
	int e;

	if (isnan(want) || isinf(want))
		return isnan(want) ? isnan(got) : got == want;
	if (flushes && fabs(want) < 0x1p-126)
		return got == 0;
	if (isinf(got))
		return fabs(want) >= 0x1.ffffffp127;
	frexp(want, &e);
	return fabs(got - want) <= ldexp(1, (e < -125 ? -125 : e) - 24) + 1e-16;
}

static const struct function {
	const char *name;
	double (*model)(double x);
	bool flushes;
} functions[] = {
	{ "v_exp_f32", exp2, true }, { "v_log_f32", log2, true },
	{ "v_rcp_f32", rcp, true }, { "v_rcp_iflag_f32", rcp, true },
	{ "v_rsq_f32", rsq, true }, { "v_sqrt_f32", sqrt, true },
	{ "v_sin_f32", sine, false }, { "v_cos_f32", cosine, false },
};

#define NR_FUNCTIONS	(sizeof(functions) / sizeof(functions[0]))

static bool function_round(const struct function *fn)
{
	unsigned int lane;
	float x;

	prepare(~0ull);
	/* most floats are outside of the range of exp, sin and cos */
	for (lane = 0; lane < SIM_LANES; lane += 2)
		w->v[1][lane] = (rnd() & 0x807fffff) |
				(110 + rnd() % 26) << 23;
	if (!run(fn->name))
		return false;
	for (lane = 0; lane < SIM_LANES; lane++) {
		x = fl(w->v[1][lane]);
		if (fn->flushes && fabsf(x) < 0x1p-126f)
			x = copysignf(0, x);
		if (near(fl(w->v[0][lane]), fn->model(x), fn->flushes))
			continue;
		tap_note("%s(%08x): %08x", fn->name, w->v[1][lane],
			 w->v[0][lane]);
		return false;
	}
	return true;
}

static void approximations(void)
{
	unsigned int n, r;
	bool ok;

	for (n = 0; n < NR_FUNCTIONS; n++) {
		for (ok = true, r = 0; r < 4 * ROUNDS && ok; r++)
			ok = function_round(&functions[n]);
		tap_ok(ok, "%s", functions[n].name);
	}
}

static void legacy(void)
{
	bool ok;

	prepare(~0ull);
	w->v[1][0] = 0x7f800000;
	w->v[2][0] = 0x80000000;
	w->v[1][1] = float_bits(3);
	w->v[2][1] = float_bits(-2);
	ok = run("v_mul_legacy") && w->v[0][0] == 0 &&
	     w->v[0][1] == float_bits(-6);
	tap_ok(ok, "v_mul_legacy_f32: zero times infinity is zero");
}

int main(int argc, char **argv)
{
	if (!set_up(argc, argv))
		return 2;
	tap_plan(NR_ROWS + 2 + 2 + 2 + 1 + NR_FUNCTIONS + 1);
	arithmetic();
	tap_ok(integers("v_cvt_i16_f16", -32768, 32767), "v_cvt_i16_f16");
	tap_ok(integers("v_cvt_u16_f16", 0, 65535), "v_cvt_u16_f16");
	selectors();
	packed();
	comparison();
	approximations();
	legacy();
	machine_reset();
	return tap_status();
}
