// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of libclc in kernels that gpubp-cc compiled, on the software GPU of
 * tests/gpu/emu, compared with the C library's in double, as exactly as OpenCL
 * demands.
 *
 * usage: test_library FILE.elf
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gpubp_run.h"
#include "tap.h"

#define ITEMS	256

typedef double (*library_model)(const float *a, const float *b, unsigned int i);

#define MODEL(name, value)							\
static double name(const float *a, const float *b, unsigned int i)		\
{										\
	double x = a[i], y = b[i];						\
										\
	(void)x, (void)y;							\
	return value;								\
}

static double smooth(double t)
{
	t = fmin(fmax(t, 0), 1);
	return t * t * (3 - 2 * t);
}

static double saturated(double x)
{
	return isnan(x) ? 0 : trunc(fmin(fmax(x, 0), 255));
}

static int bits_of(double x)
{
	return __builtin_popcount((unsigned int)(int)x);
}

static double rotated(double x)
{
	unsigned int n = (unsigned int)(int)x;

	return (n << 3 | n >> 29) >> 8;
}

MODEL(k_exp, exp(x))
MODEL(k_exp2, exp2(x))
MODEL(k_log, log(x))
MODEL(k_log2, log2(x))
MODEL(k_pow, pow(x, y))
MODEL(k_pown, pow(x, trunc(y)))
MODEL(k_sin, sin(x))
MODEL(k_cos, cos(x))
MODEL(k_tan, tan(x))
MODEL(k_asin, asin((float)x / 50))
MODEL(k_atan2, atan2(x, y))
MODEL(k_tanh, tanh(x))
MODEL(k_fmod, fmod(x, y))
MODEL(k_hypot, hypot(x, y))
MODEL(k_step, y < x ? 0 : 1)
MODEL(k_smoothstep, smooth((x + 10) / 30))
MODEL(k_sign, (x > 0 ? 2 : x < 0 ? -2 : 0) * (signbit(y) ? -1 : 1))
MODEL(k_ldexp, ldexp(x, (int)floor(y)))
MODEL(k_select, x < y ? y : x)
MODEL(k_normalize, y / sqrt(x * x + y * y + 5))
MODEL(k_cross, y - x * x)
MODEL(k_fma, fma(x, y, x))
MODEL(k_vload4, a[i ^ 3])
MODEL(k_popcount, bits_of(x) + 14)
MODEL(k_rotate, rotated(x))
MODEL(k_abs, fabs(trunc(x)) + fabs(trunc(x) - trunc(y)))
MODEL(k_isnan, (x < 0) + !!isinf((float)x * 2))
MODEL(k_convert, saturated(x) + rint(y))
MODEL(k_native, exp(x / 50) * cos(y / 500))
MODEL(k_double, exp(x) * sin(y))
MODEL(k_vstore4, i % 4 ? a[i - 1] : y)
MODEL(k_sincos, sin(x) * cos(x) + y)

/*
 * @ulps: units in the last place that the result may differ by; 0.5 is as rounded
 * @slack: and, where sums cancel or a function is native, so much
 */
static const struct library_case {
	const char *name;
	library_model model;
	double ulps;
	double slack;
} cases[] = {
#define CASE(name, ulps, slack)	{ #name, name, ulps, slack }
	CASE(k_exp, 3, 0), CASE(k_exp2, 3, 0), CASE(k_log, 3, 0),
	CASE(k_log2, 3, 0), CASE(k_pow, 16, 0), CASE(k_pown, 16, 0),
	CASE(k_sin, 4, 0), CASE(k_cos, 4, 0), CASE(k_tan, 5, 0),
	CASE(k_asin, 4 + 3, 0), CASE(k_atan2, 6, 0), CASE(k_tanh, 5, 0),
	CASE(k_fmod, 0.5, 0), CASE(k_hypot, 4, 0), CASE(k_step, 0.5, 0),
	CASE(k_smoothstep, 8, 1e-6), CASE(k_sign, 0.5, 0), CASE(k_ldexp, 0.5, 0),
	CASE(k_select, 0.5, 0), CASE(k_normalize, 4, 0), CASE(k_cross, 1, 1e-3),
	CASE(k_fma, 0.5, 0), CASE(k_vload4, 0.5, 0), CASE(k_popcount, 0.5, 0),
	CASE(k_rotate, 0.5, 0), CASE(k_abs, 0.5, 0), CASE(k_isnan, 0.5, 0),
	CASE(k_convert, 0.5, 0), CASE(k_native, 32, 1e-5),
	CASE(k_double, 0.5000001, 0), CASE(k_vstore4, 0.5, 0),
	CASE(k_sincos, 8, 1e-5),
};

#define NR_CASES	(sizeof(cases) / sizeof(cases[0]))

static struct grun_device *dev;
static struct grun_code *code;
static struct grun_mem mem[3];

/* @want in float: its last place */
static double library_ulp(double want)
{
	float near = fabsf((float)want);

	return near < 1e38f ? (double)nextafterf(near, INFINITY) - near : 1e31;
}

static bool library_agrees(const struct library_case *c, float got, double want)
{
	if (isnan(want) || isinf((float)want) || isinf(got))
		return isnan(want) ? isnan(got) : got == (float)want;
	return fabs(got - want) <= c->ulps * library_ulp(want) + c->slack;
}

static bool library_launch(const char *name)
{
	const struct grun_kernel *kernel = grun_code_find(code, name);
	const struct grun_launch launch = { { ITEMS, 1, 1 }, { 64, 1, 1 } };
	union grun_value args[3] = { { .va = mem[0].va }, { .va = mem[1].va },
				     { .va = mem[2].va } };
	struct grun_err err = { "no such kernel" };

	memset(mem[2].cpu, 0xa5, ITEMS * sizeof(float));
	if (kernel && !grun_dispatch(dev, code, kernel, &launch, args, 3, NULL, &err) &&
	    !grun_wait(dev, 0, -1, &err))
		return true;
	tap_note("%s: %s", name, err.text);
	return false;
}

static bool library_test(const struct library_case *c)
{
	const float *a = mem[0].cpu, *b = mem[1].cpu, *got = mem[2].cpu;
	unsigned int i;

	if (!library_launch(c->name))
		return false;
	for (i = 0; i < ITEMS; i++) {
		double want = c->model(a, b, i);

		if (library_agrees(c, got[i], want))
			continue;
		tap_note("%s of %.9g, %.9g is %.9g, should be %.9g", c->name, a[i],
			 b[i], got[i], want);
		return false;
	}
	return true;
}

/* of both signs, and up to what conversions to integers take */
static void library_fill(float *a, float *b)
{
	static const float special[] = { 0, 1, -1, 0.5f, 2, 100000, -40000.5f, 1e-6f };
	unsigned int i, state = 1;

	for (i = 0; i < ITEMS; i++) {
		state = state * 1664525 + 1013904223;
		a[i] = i < 8 ? special[i] : (float)((int)(state >> 8) % 40000 - 20000) / 512;
		state = state * 1664525 + 1013904223;
		b[i] = i < 64 ? special[1 + i / 8 % 5] : (float)((int)(state >> 8) % 9000 - 4500) / 512;
	}
}

int main(int argc, char **argv)
{
	struct grun_err err = { "usage: test_library FILE.elf" };
	unsigned int i;
	int ret = argc != 2 || grun_code_open(&code, argv[1], &err) ||
		  grun_open(&dev, NULL, &err) || grun_load(dev, code, NULL, &err);

	for (i = 0; !ret && i < 3; i++)
		ret = grun_alloc(dev, &mem[i], ITEMS * sizeof(float), 0, &err);
	if (ret) {
		fprintf(stderr, "test_library: %s\n", err.text);
		return 2;
	}
	library_fill(mem[0].cpu, mem[1].cpu);
	tap_plan(NR_CASES);
	for (i = 0; i < NR_CASES; i++)
		tap_ok(library_test(&cases[i]), "%s", cases[i].name + 2);
	grun_close(dev);
	grun_code_free(code);
	return tap_status();
}
