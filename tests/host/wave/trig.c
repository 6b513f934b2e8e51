// SPDX-License-Identifier: GPL-2.0
/*
 * v_trig_preop_f64 against digits of 2/pi that are computed here: pi by Machin's
 * formula, and a division with pencil and paper.
 */
#include "unit.h"

#define WORDS		44	/* the first is the integer part */
#define NR_DIGITS	1201

static unsigned char digits[NR_DIGITS];

static void big_add(u32 *a, const u32 *b)
{
	u64 sum = 0;
	int i;

	for (i = WORDS - 1; i >= 0; i--) {
		sum += (u64)a[i] + b[i];
		a[i] = sum;
		sum >>= 32;
	}
}

static void big_sub(u32 *a, const u32 *b)
{
	s64 diff = 0;
	int i;

	for (i = WORDS - 1; i >= 0; i--) {
		diff += (s64)a[i] - b[i];
		a[i] = diff;
		diff >>= 32;
	}
}

static void big_div(u32 *a, u32 by)
{
	u64 rest = 0;
	int i;

	for (i = 0; i < WORDS; i++) {
		rest = rest << 32 | a[i];
		a[i] = rest / by;
		rest %= by;
	}
}

static bool big_is_zero(const u32 *a)
{
	int i;

	for (i = 0; i < WORDS; i++)
		if (a[i])
			return false;
	return true;
}

/* a >= b; the first word that differs decides */
static bool big_ge(const u32 *a, const u32 *b)
{
	int i;

	for (i = 0; i < WORDS - 1 && a[i] == b[i]; i++)
		;
	return a[i] >= b[i];
}

/* sum += factor * arctan(1 / x), or minus that */
static void add_arctan(u32 *sum, u32 factor, u32 x, bool minus)
{
	u32 power[WORDS] = { factor }, term[WORDS];
	u32 n;

	big_div(power, x);
	for (n = 1; !big_is_zero(power); n += 2, minus = !minus) {
		memcpy(term, power, sizeof(term));
		big_div(term, n);
		if (minus)
			big_sub(sum, term);
		else
			big_add(sum, term);
		big_div(power, x * x);
	}
}

static void divide_two_by_pi(void)
{
	u32 pi[WORDS] = { 0 }, rest[WORDS] = { 2 }, twice[WORDS];
	int i;

	add_arctan(pi, 16, 5, false);
	add_arctan(pi, 4, 239, true);
	for (i = 0; i < NR_DIGITS; i++) {
		memcpy(twice, rest, sizeof(twice));
		big_add(rest, twice);
		digits[i] = big_ge(rest, pi);
		if (digits[i])
			big_sub(rest, pi);
	}
}

/* the manual's: 53 digits of those, which digits depends on the exponent */
static double expected(u64 a, u32 segment)
{
	int exponent = a >> 52 & 0x7ff, first = (segment & 31) * 53, i;
	double sum = 0;

	if (isnan(dbl(a)))
		return dbl(a);
	if (exponent > 1077)
		first += exponent - 1077;
	for (i = 0; i < 53; i++)
		if (first + i < NR_DIGITS && digits[first + i])
			sum += ldexp(1, 52 - i);
	return ldexp(sum, -53 - first + (exponent >= 1968 ? 128 : 0));
}

/* all exponents matter alike */
static bool round_is_right(u64 exec)
{
	unsigned int lane;
	u64 a, want;

	prepare(exec);
	for (lane = 0; lane < SIM_LANES; lane++) {
		set_vpair(2, lane, rnd());
		if (rnd() & 1)
			w->v[4][lane] = rnd() % 5;
	}
	if (!run("v_trig_preop_f64"))
		return false;
	for (lane = 0; lane < SIM_LANES; lane++) {
		a = vpair(2, lane);
		want = double_bits(expected(a, w->v[4][lane]));
		if (!active(exec, lane) || vpair(0, lane) == want ||
		    (isnan(dbl(a)) && isnan(dbl(vpair(0, lane)))))
			continue;
		tap_note("v_trig_preop_f64(%llx, %x): %llx, want %llx",
			 (unsigned long long)a, w->v[4][lane],
			 (unsigned long long)vpair(0, lane), (unsigned long long)want);
		return false;
	}
	return true;
}

/* the fraction that is left of a large number of quadrants, as device libraries do it */
static bool reduces(double x)
{
	double product[3], sum = 0;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		prepare(~0ull);
		set_vpair(2, 0, double_bits(x));
		w->v[4][0] = i;
		if (!run("v_trig_preop_f64"))
			return false;
		product[i] = dbl(vpair(0, 0));
	}
	for (i = 0; i < 3; i++)
		sum += fmod(x * product[i], 4) + fma(x, product[i], -(x * product[i]));
	return fabs(sin(x) - sin(sum * M_PI_2)) < 1e-12;
}

int main(int argc, char **argv)
{
	unsigned int i;
	bool ok;

	if (!set_up(argc, argv))
		return 2;
	tap_plan(3);
	divide_two_by_pi();
	tap_ok(fabs(expected(0, 0) - M_2_PI) <= 0x1p-53, "2/pi begins well");
	ok = round_is_right(~0ull);
	for (i = 0; i < 20 * ROUNDS && ok; i++)
		ok = round_is_right(rnd());
	tap_ok(ok, "v_trig_preop_f64");
	tap_ok(reduces(12345.678) && reduces(0x1p60) && reduces(1e22) && reduces(3e100),
	       "an argument is reduced");
	machine_reset();
	return tap_status();
}
