// SPDX-License-Identifier: GPL-2.0
/*
 * MODE: rounding and denormals of binary32, separately of binary64 and
 * binary16, IEEE, DX10_CLAMP; and which of them enable OMOD.
 */
#include <fenv.h>
#include "unit.h"

#define DENORM32	0x30
#define DENORM64	0xc0
#define QUIET		0x00400000

static const int fenv_modes[] = {
	FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO,
};

static float host_add(float a, float b, int mode)
{
	volatile float x = a, y = b, r;

	fesetround(mode);
	r = x + y;
	fesetround(FE_TONEAREST);
	return r;
}

static double host_add64(double a, double b, int mode)
{
	volatile double x = a, y = b, r;

	fesetround(mode);
	r = x + y;
	fesetround(FE_TONEAREST);
	return r;
}

/* sums that are not exact */
static void inexact(void)
{
	unsigned int lane;

	prepare(~0ull);
	for (lane = 0; lane < SIM_LANES; lane++) {
		w->v[1][lane] = float_bits(1 + (rnd() >> 40) * 0x1p-24);
		set_vpair(2, lane, double_bits(-1 - (rnd() >> 10) * 0x1p-54));
		set_vpair(4, lane, double_bits(0x1p-54 * (rnd() >> 60) / 5));
	}
}

static bool rounds(unsigned int single, unsigned int twice)
{
	unsigned int lane;
	bool ok;

	inexact();
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[2][lane] = float_bits(-(rnd() >> 40) * 0x1p-40);
	w->mode = DENORM32 | DENORM64 | single | twice << 2;
	ok = run("v_add_f32");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= fl(w->v[0][lane]) ==
		      host_add(fl(w->v[1][lane]), fl(w->v[2][lane]),
			       fenv_modes[single]);
	inexact();
	ok &= run("v_add_f64");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= dbl(vpair(0, lane)) ==
		      host_add64(dbl(vpair(2, lane)), dbl(vpair(4, lane)),
				 fenv_modes[twice]);
	return ok;
}

static void rounding(void)
{
	unsigned int single, twice;

	for (single = 0; single < 4; single++)
		for (twice = 0; twice < 4; twice++)
			tap_ok(rounds(single, twice),
			       "rounding %u of binary32, %u of binary64",
			       single, twice);
}

/* binary16 follows binary64's field; approximations always round to nearest */
static void rounding_others(void)
{
	bool ok;

	prepare(~0ull);
	w->mode = MODE_FP_DENORM | 1 << 2;	/* up */
	w->v[1][0] = 0x3c00;
	w->v[2][0] = 0x0001;
	ok = run("v_add_f16") && w->v[0][0] == 0x3c01;
	w->mode = MODE_FP_DENORM | 1;
	ok &= run("v_add_f16") && w->v[0][0] == 0x3c00;
	tap_ok(ok, "rounding of binary16");
	prepare(~0ull);
	w->v[1][0] = float_bits(3);
	w->mode = MODE_FP_DENORM;
	ok = run("v_rcp_f32");
	w->v[4][0] = w->v[0][0];
	w->mode |= 1;
	ok &= run("v_rcp_f32") && w->v[4][0] == w->v[0][0];
	tap_ok(ok, "rounding of approximations");
}

/* a denormal and half of the smallest normal number, with and without */
static bool denormals(unsigned int mode)
{
	bool in32 = mode & 0x10, out32 = mode & 0x20;
	bool in64 = mode & 0x40, out64 = mode & 0x80;
	bool ok;

	prepare(~0ull);
	w->mode = mode;
	w->v[1][0] = 0x00000123;
	w->v[2][0] = float_bits(0x1p40);
	w->v[1][1] = 0x00800000;
	w->v[2][1] = float_bits(-0.5);
	ok = run("v_mul_f32") &&
	     w->v[0][0] == (in32 ? float_bits(0x123p-109) : 0) &&
	     w->v[0][1] == (out32 ? 0x80400000 : 0x80000000);
	set_vpair(2, 0, 0x123);
	set_vpair(4, 0, double_bits(0x1p100));
	set_vpair(2, 1, 0x0010000000000000);
	set_vpair(4, 1, double_bits(-0.5));
	return ok && run("v_mul_f64") &&
	       vpair(0, 0) == (in64 ? double_bits(0x123p-974) : 0) &&
	       vpair(0, 1) == (out64 ? 0x8008000000000000 : 1ull << 63);
}

static bool half_denormals(unsigned int mode)
{
	bool in = mode & 0x40, out = mode & 0x80;

	prepare(~0ull);
	w->mode = mode;
	w->v[1][0] = 0x0123;
	w->v[2][0] = 0x6400;	/* 1024 */
	w->v[1][1] = 0x0400;
	w->v[2][1] = 0xb800;
	return run("v_mul_f16") &&
	       w->v[0][0] == (in ? half_bits(0x123p-14) : 0) &&
	       w->v[0][1] == (out ? 0x8200 : 0x8000);
}

static void denormal_modes(void)
{
	unsigned int m;

	for (m = 0; m < 16; m++)
		tap_ok(denormals(m << 4) && half_denormals(m << 4),
		       "denormal mode %x", m);
}

/* OMOD works if results cannot be denormal and IEEE is off */
static bool output_modifier(unsigned int mode)
{
	bool works = !(mode & 0x20) && !(mode & MODE_IEEE);
	bool works64 = !(mode & 0x80) && !(mode & MODE_IEEE);
	bool ok;

	prepare(~0ull);
	w->mode = mode;
	w->v[1][0] = float_bits(3);
	w->v[2][0] = float_bits(4);
	w->v[1][1] = w->v[2][1] = 0x80000000;		/* -0 */
	w->v[1][2] = float_bits(0x1p126);
	w->v[2][2] = float_bits(0x1p126);
	ok = run("v_add_mul2") && fl(w->v[0][0]) == (works ? 14 : 7) &&
	     w->v[0][1] == (works ? 0 : 0x80000000) &&
	     w->v[0][2] == (works ? 0x7f800000 : float_bits(0x1p127));
	ok &= run("v_add_div2") && fl(w->v[0][0]) == (works ? 3.5 : 7);
	set_vpair(2, 0, double_bits(3));
	set_vpair(4, 0, double_bits(4));
	return ok && run("v_add_f64_mul2") &&
	       dbl(vpair(0, 0)) == (works64 ? 14 : 7);
}

static void output_modifiers(void)
{
	static const unsigned int modes[] = {
		0, MODE_IEEE, 0x20, 0x20 | MODE_IEEE, 0x80, 0x10, 0x40,
		0xf0 | MODE_IEEE, 0xf0,
	};
	unsigned int n;

	for (n = 0; n < sizeof(modes) / sizeof(modes[0]); n++)
		tap_ok(output_modifier(modes[n]), "output modifier, mode %03x",
		       modes[n]);
}

static void clamping(void)
{
	bool ok;

	prepare(~0ull);
	w->mode = MODE_FP_DENORM | MODE_DX10_CLAMP;
	w->v[1][0] = w->v[1][1] = 0x7fc00000;
	w->v[2][0] = 0;
	w->v[1][2] = float_bits(7);
	w->v[2][2] = float_bits(-8);
	set_vpair(2, 3, 0x7ff8000000000000);
	ok = run("v_add_clamp") && w->v[0][0] == 0 && w->v[0][2] == 0;
	w->mode = MODE_FP_DENORM;
	ok &= run("v_add_clamp") && isnan(fl(w->v[0][0])) && w->v[0][2] == 0;
	ok &= run("v_add_f64_clamp") && isnan(dbl(vpair(0, 3)));
	w->mode = MODE_FP_DENORM | MODE_DX10_CLAMP;
	ok &= run("v_add_f64_clamp") && vpair(0, 3) == 0;
	tap_ok(ok, "DX10_CLAMP: a NaN becomes zero");
}

static void signalling(void)
{
	const u32 snan = 0x7f800123;
	bool ok;

	prepare(~0ull);
	w->mode = MODE_FP_DENORM | MODE_IEEE;
	w->v[1][0] = snan;
	w->v[2][0] = float_bits(1);
	ok = run("v_min_f32") && w->v[0][0] == (snan | QUIET) &&
	     run("v_max_f32") && w->v[0][0] == (snan | QUIET);
	w->mode = MODE_FP_DENORM;
	ok &= run("v_min_f32") && w->v[0][0] == float_bits(1) &&
	      run("v_add_f32") && w->v[0][0] == (snan | QUIET);
	tap_ok(ok, "IEEE: minimum and maximum of a signalling NaN");
}

int main(int argc, char **argv)
{
	if (!set_up(argc, argv))
		return 2;
	tap_plan(16 + 2 + 16 + 9 + 2);
	rounding();
	rounding_others();
	denormal_modes();
	output_modifiers();
	clamping();
	signalling();
	machine_reset();
	return tap_status();
}
