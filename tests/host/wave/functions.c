// SPDX-License-Identifier: GPL-2.0
/*
 * Transcendental functions against the host's long double: the error of every
 * 4093rd float, and of floats near special values, in units in the last place.
 * AMD's documents guarantee one unit (for sine and cosine nothing); ours is
 * below 0.51.
 */
#include <math.h>
#include <string.h>
#include "../tap.h"
#include "host_float.h"
#include "providers/sim/softfloat/softfloat.h"

#define STEP		4093
#define BOUND		0.51L

static struct sfx m_rcp(const struct sfx *a, unsigned long fm)
{
	struct sfx one = sfx_from_u64(1, false);

	return sfx_div(&one, a, fm);
}

static long double h_rcp(long double x)
{
	return 1 / x;
}

static long double h_rsq(long double x)
{
	return 1 / sqrtl(x);
}

/* sine of |x| revolutions and some quarters; the argument is reduced exactly */
static long double sine(long double x, int quarters)
{
	long double q = rintl(fabsl(x) * 4), t, r;

	t = (fabsl(x) - q / 4) * 2 * 3.14159265358979323846264338327950288L;
	quarters += (int)q;
	r = quarters & 1 ? cosl(t) : sinl(t);
	return quarters & 2 ? -r : r;
}

static long double h_sin(long double x)
{
	if (isinf(x))
		return NAN;
	if (fabsl(x) > 256)
		return 0;
	return x < 0 ? -sine(x, 0) : sine(x, 0);
}

static long double h_cos(long double x)
{
	if (isinf(x))
		return NAN;
	return fabsl(x) > 256 ? 1 : sine(x, 1);
}

static const struct function {
	const char *name;
	struct sfx (*soft)(const struct sfx *x, unsigned long fm);
	long double (*host)(long double x);
} functions[] = {
	{ "rcp", m_rcp, h_rcp }, { "sqrt", sfx_sqrt, sqrtl },
	{ "rsq", sfx_rsq, h_rsq }, { "exp2", sfx_exp2, exp2l },
	{ "log2", sfx_log2, log2l }, { "sin", sfx_sin, h_sin },
	{ "cos", sfx_cos, h_cos },
};

#define NR_FUNCTIONS	(sizeof(functions) / sizeof(functions[0]))

static u32 soft(const struct function *fn, u32 x)
{
	struct sfx a = sfx_unpack(&sf_single, x, 0), r = fn->soft(&a, SF_NEAREST);

	return sfx_pack(&sf_single, &r, 0);
}

/*
 * distance in units in the last place of @want; 0 if both are the same special
 */
static long double error(u32 got, long double want)
{
	int e;

	if (isnan(want) || isnan(flt(got)))
		return isnan(want) && isnan(flt(got)) ? 0 : INFINITY;
	/* overflow rounds to infinity */
	if (isinf(flt(got)))
		return fabsl(want) >= 0x1.ffffffp127L &&
		       (want > 0) == !(got >> 31) ? 0 : INFINITY;
	if (isinf(want))
		return INFINITY;
	frexpl(want, &e);
	return fabsl(flt(got) - want) / ldexpl(1, (e < -125 ? -125 : e) - 24);
}

static void sweep(const struct function *fn)
{
	long double worst = 0, err;
	u32 at = 0;
	u64 x;

	for (x = 0; x <= 0xffffffff; x += STEP) {
		err = error(soft(fn, x), fn->host(flt(x)));
		if (!(err <= worst)) {
			worst = err;
			at = x;
		}
	}
	tap_ok(worst <= BOUND, "%s: %.6Lf units at %08x", fn->name, worst, at);
}

static const float centres[] = {
	0, 1, -1, 2, 4, 0.5, 0.25, -0.25, 0.125, 0.375, 0.75, 256, -256, 64, 127,
	128, -126, -149, -150, 1.4142135, 0.70710677, 0x1p-126f, 0x1p127f, 10,
	INFINITY, -INFINITY,
};

static void around(const struct function *fn)
{
	unsigned int n;
	bool ok = true;
	int k;

	for (n = 0; n < sizeof(centres) / sizeof(centres[0]); n++)
		for (k = -300; k <= 300; k++) {
			u32 x = flt_bits(centres[n]) + k;

			if (error(soft(fn, x), fn->host(flt(x))) <= BOUND)
				continue;
			if (ok)
				tap_note("%08x: %08x", x, soft(fn, x));
			ok = false;
		}
	tap_ok(ok, "%s, special values", fn->name);
}

int main(void)
{
	unsigned int n;

	tap_plan(2 * NR_FUNCTIONS);
	for (n = 0; n < NR_FUNCTIONS; n++) {
		sweep(&functions[n]);
		around(&functions[n]);
	}
	return tap_status();
}
