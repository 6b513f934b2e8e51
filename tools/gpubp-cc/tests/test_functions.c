// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels that gpubp-cc compiled, on the software GPU of tests/gpu/emu, compared with
 * models of what OpenCL demands.
 *
 * usage: test_functions FILE.elf
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gpubp_run.h"
#include "tap.h"

#define GUARD	0x5a5a5a5a
#define MAX	8192
#define ITEMS	200

static struct grun_device *dev;
static struct grun_code *code;
static struct grun_err err;

static int32_t *buffer(struct grun_mem *mem)
{
	unsigned int i;
	int32_t *p;

	if (grun_alloc(dev, mem, MAX * 4, 0, &err))
		return NULL;
	p = mem->cpu;
	for (i = 0; i < MAX; i++)
		p[i] = GUARD;
	return p;
}

static bool launch(const char *name, const struct grun_launch *launch,
		   const union grun_value *args, unsigned int nr)
{
	const struct grun_kernel *kernel = grun_code_find(code, name);

	err.text[0] = 0;
	if (kernel && !grun_dispatch(dev, code, kernel, launch, args, nr, NULL, &err) &&
	    !grun_wait(dev, 0, -1, &err))
		return true;
	tap_note("%s: %s", name, kernel ? err.text : "no such kernel");
	return false;
}

static bool same(const char *what, const int32_t *got, const int32_t *want,
		 unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (got[i] == want[i])
			continue;
		tap_note("%s[%u] is %#x, should be %#x", what, i, got[i], want[i]);
		return false;
	}
	return true;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* one work-item at @id */
static void ids_model(const struct grun_launch *l, const uint32_t *id, int32_t *out)
{
	unsigned int dim;

	for (dim = 0; dim < 3; dim++, out += 8) {
		uint32_t grid = l->grid[dim], wg = l->workgroup[dim];
		uint32_t group = id[dim] / wg;

		out[0] = id[dim];
		out[1] = id[dim] % wg;
		out[2] = group;
		out[3] = grid;
		out[4] = smaller(wg, grid - group * wg);
		out[5] = wg;
		out[6] = (grid + wg - 1) / wg;
		out[7] = 0;
	}
	memcpy(out, (int32_t[]){ 0, 0, 0, 1, 1, 1, 1, 0 }, 32);
	out[8] = l->grid[2] > 1 ? 3 : l->grid[1] > 1 ? 2 : 1;
}

static bool ids(const struct grun_launch *l)
{
	uint32_t id[3], n = l->grid[0] * l->grid[1] * l->grid[2];
	static int32_t want[MAX];
	struct grun_mem out;
	int32_t *got = buffer(&out), *p = want;

	memcpy(want, got, sizeof(want));
	for (id[2] = 0; id[2] < l->grid[2]; id[2]++)
		for (id[1] = 0; id[1] < l->grid[1]; id[1]++)
			for (id[0] = 0; id[0] < l->grid[0]; id[0]++, p += 33)
				ids_model(l, id, p);
	if (n * 33 > MAX)
		return false;
	return launch("ids", l, &(union grun_value){ .va = out.va }, 1) &&
	       same("ids", got, want, MAX);
}

static bool guarded(void)
{
	static int32_t want[MAX];
	struct grun_mem in, out;
	int32_t *from = buffer(&in), *got = buffer(&out), i, n = 77;
	union grun_value args[3] = { { .va = in.va }, { .va = out.va } };

	memcpy(args[2].bytes, &n, sizeof(n));
	memcpy(want, got, sizeof(want));
	for (i = 0; i < MAX; i++)
		from[i] = 3 * i;
	for (i = 0; i < n; i++)
		want[i] = 3 * i + 1;
	return launch("guarded", &(struct grun_launch){ { 128, 1, 1 }, { 64, 1, 1 } },
		      args, 3) && same("guarded", got, want, MAX);
}

static bool sums(void)
{
	static int32_t want[MAX];
	struct grun_mem in, out;
	int32_t *from = buffer(&in), *got = buffer(&out), i;
	union grun_value args[2] = { { .va = in.va }, { .va = out.va } };

	memcpy(want, got, sizeof(want));
	memset(want, 0, 12);
	for (i = 0; i < 600; i++) {
		from[i] = i * i - 1000;
		want[i / 256] += from[i];
	}
	return launch("sums", &(struct grun_launch){ { 600, 1, 1 }, { 256, 1, 1 } },
		      args, 2) && same("sums", got, want, MAX);
}

/* each exchange returns what another one or the start had put there */
static bool exchanges(const int32_t *olds, int32_t last)
{
	bool seen[ITEMS + 1] = {};
	unsigned int i;

	seen[last] = true;
	for (i = 0; i < ITEMS; i++) {
		if (olds[i] < 0 || olds[i] > ITEMS || seen[olds[i]])
			return false;
		seen[olds[i]] = true;
	}
	return olds[ITEMS] == GUARD;
}

static bool atomics(void)
{
	struct grun_mem mem[5];
	int32_t *p[5], i, sum = 0, xored = 0;
	union grun_value args[5];

	for (i = 0; i < 5; i++) {
		p[i] = buffer(&mem[i]);
		args[i].va = mem[i].va;
	}
	for (i = 0; i < ITEMS; i++) {
		sum += i;
		xored ^= i * 0x9e3779b9;
	}
	memset(p[0], 0, 16);
	memcpy(p[1], (int32_t[]){ -1, 0, 0, -1, 0, 1000, 0, ITEMS, 7, 0, 0 }, 44);
	memset(p[2], 0, 24);
	if (!launch("atomics", &(struct grun_launch){ { ITEMS, 1, 1 }, { 64, 1, 1 } },
		    args, 5) || !exchanges(p[3], p[1][7]))
		return false;
	p[1][7] = 0;
	return same("i", p[0], (int32_t[]){ sum, -sum, 51 - ITEMS, ITEMS - 51, GUARD }, 5) &&
	       same("u", p[1], (int32_t[]){ 0xffff0000, -1, xored, -ITEMS,
			0x80000000 + ITEMS - 1, 1000 - ITEMS, ITEMS, 0, 8, 1, ITEMS,
			GUARD }, 12) &&
	       same("q", p[2], (int32_t[]){ 0, ITEMS << 8, 0, (ITEMS - 1) << 1,
			ITEMS, 0, GUARD }, 7) &&
	       same("f", p[4], (int32_t[]){ 0x40200000, GUARD }, 2);
}

static int32_t random_int(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return (int32_t)(state ^ state >> 15) >> (state >> 27);
}

static float random_float(unsigned int i)
{
	static const float special[] = { 0, -0.0f, 0.5f, -0.5f, 1.5f, 2.5f, -2.5f,
					 INFINITY, NAN, 8388609 };

	return i % 5 || i / 5 >= 10 ? (float)(random_int() % 100000) / 256 : special[i / 5];
}

static float clampf(float x, float low, float high)
{
	return x < low ? low : x > high ? high : x;
}

static void floats_model(const float *in, float *out)
{
	float a = in[0], b = in[1], c = in[2];
	double pa = a > 0 ? a : 0, pb = b > 0 ? b : 0, pc = c > 0 ? c : 0;

	out[0] = fabsf(a);
	out[1] = sqrtf(fabsf(a));
	out[2] = floorf(a);
	out[3] = ceilf(a);
	out[4] = truncf(a);
	out[5] = rintf(a);
	out[6] = roundf(a);
	out[7] = (float)((double)a * b + c);
	out[8] = (float)(a + (b - a) * .25);
	out[9] = fminf(a, b);
	out[10] = fmaxf(a, b);
	out[11] = clampf(a, -1, 1);
	out[12] = b < a ? b : a;
	out[13] = fmaf(a, b, c);
	out[14] = (float)(a * pa + b * pb + c * pc + 1);
	out[15] = (float)sqrt((double)a * a + (double)b * b);
	out[16] = truncf(a);
	out[17] = fabsf(b) + clampf(c, -2, 2);
	out[18] = (float)(2 * !!isinf(a) + !!isnan(a));
	out[19] = (float)(1 / sqrt(fabs((double)a) + 1));
}

/* OpenCL demands less exact results of sums of products, roots and quotients */
static bool close_enough(float got, float want, float scale)
{
	return (isnan(got) && isnan(want)) || got == want ||
	       fabsf(got - want) <= scale * 1e-6f;
}

static bool floats(void)
{
	struct grun_mem in, out;
	float *from = (float *)buffer(&in), *got = (float *)buffer(&out);
	union grun_value args[2] = { { .va = in.va }, { .va = out.va } };
	float want[20], scale;
	unsigned int i, k;

	for (i = 0; i < 3 * ITEMS; i++)
		from[i] = i % 3 ? (float)(random_int() % 1000) / 8 : random_float(i / 3);
	if (!launch("floats", &(struct grun_launch){ { ITEMS, 1, 1 }, { 64, 1, 1 } },
		    args, 2))
		return false;
	for (i = 0; i < ITEMS; i++) {
		floats_model(from + 3 * i, want);
		for (k = 0; k < 20; k++, got++) {
			scale = fabsf(from[3 * i] * from[3 * i + 1]) + fabsf(want[k]) + 300;
			if (k == 16 && !(fabsf(from[3 * i]) < 1e9f))
				continue;	/* the conversion is undefined */
			if (close_enough(*got, want[k], k == 7 || k == 8 || k >= 13 ? scale :
					 k == 1 ? want[k] : 0))
				continue;
			tap_note("%u of %.9g %.9g %.9g is %.9g, should be %.9g", k,
				 from[3 * i], from[3 * i + 1], from[3 * i + 2], *got, want[k]);
			return false;
		}
	}
	return *(int32_t *)got == GUARD;
}

static int32_t low24(int32_t a)
{
	return (int32_t)((uint32_t)a << 8) >> 8;
}

static int32_t minimum(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static int32_t maximum(int32_t a, int32_t b)
{
	return a < b ? b : a;
}

static int64_t clamp64(int64_t x, int64_t low, int64_t high)
{
	x = x < low ? low : x;
	return x < high ? x : high;
}

static int32_t vector_model(int32_t a, int32_t b, int32_t c)
{
	return (int32_t)((uint32_t)maximum((int32_t)(float)(a >> 9), 0) +
		(uint32_t)minimum((int32_t)(float)(b >> 9), (int32_t)(float)(c >> 9)));
}

static void ints_model(const int32_t *in, int32_t *out)
{
	int32_t a = in[0], b = in[1], c = in[2];
	uint32_t ua = (uint32_t)a, ub = (uint32_t)b;

	out[0] = minimum(a, b);
	out[1] = maximum(a, b);
	out[2] = maximum(-1000, minimum(a, 1000));
	out[3] = (int32_t)(ua < ub ? ua : ub);
	out[4] = (int32_t)(ua < ub ? ub : ua);
	out[5] = (int32_t)((int64_t)low24(a) * low24(b));
	out[6] = (int32_t)((uint32_t)out[5] + (uint32_t)c);
	out[7] = (int32_t)(a < 0 ? -ua : ua);
	out[8] = __builtin_popcount(ua);
	out[9] = ua ? __builtin_clz(ua) : 32;
	out[10] = (int32_t)(ua << (ub & 31) | ua >> (-ub & 31));
	out[11] = (int32_t)((int64_t)a * b >> 32);
	out[12] = (int32_t)((uint64_t)ua * ub >> 32);
	out[13] = vector_model(a, b, c);
	out[14] = (int32_t)(clamp64((int64_t)a * b, -5, c) >> 1);
	out[15] = abs((int16_t)a) + (b ? __builtin_clzl((uint64_t)(int64_t)b) : 64);
}

static bool ints(void)
{
	struct grun_mem in, out;
	int32_t *from = buffer(&in), *got = buffer(&out), want[16], i;
	union grun_value args[2] = { { .va = in.va }, { .va = out.va } };

	for (i = 0; i < 3 * ITEMS; i++)
		from[i] = i < 3 ? 0 : i < 6 ? INT32_MIN : random_int();
	if (!launch("ints", &(struct grun_launch){ { ITEMS, 1, 1 }, { 64, 1, 1 } },
		    args, 2))
		return false;
	for (i = 0; i < ITEMS; i++) {
		ints_model(from + 3 * i, want);
		if (same("ints", got + 16 * i, want, 16))
			continue;
		tap_note("of %d %d %d", from[3 * i], from[3 * i + 1], from[3 * i + 2]);
		return false;
	}
	return got[16 * ITEMS] == GUARD;
}

int main(int argc, char **argv)
{
	static const struct grun_launch grids[] = {
		{ { 128, 1, 1 }, { 64, 1, 1 } },
		{ { 100, 1, 1 }, { 64, 1, 1 } },
		{ { 20, 7, 1 }, { 16, 4, 1 } },
		{ { 5, 6, 7 }, { 4, 4, 2 } },
		{ { 3, 1, 9 }, { 2, 1, 4 } },
	};
	unsigned int i;

	if (argc != 2 || grun_code_open(&code, argv[1], &err) ||
	    grun_open(&dev, NULL, &err) || grun_load(dev, code, NULL, &err)) {
		fprintf(stderr, "test_functions: %s\n", err.text);
		return 2;
	}
	tap_plan(10);
	for (i = 0; i < 5; i++)
		tap_ok(ids(&grids[i]), "work-items of %ux%ux%u, workgroups of %ux%ux%u",
		       grids[i].grid[0], grids[i].grid[1], grids[i].grid[2],
		       grids[i].workgroup[0], grids[i].workgroup[1],
		       grids[i].workgroup[2]);
	tap_ok(guarded(), "more work-items than elements");
	tap_ok(sums(), "local memory and barriers");
	tap_ok(atomics(), "atomics");
	tap_ok(floats(), "floating point");
	tap_ok(ints(), "integers");
	grun_close(dev);
	grun_code_free(code);
	return tap_status();
}
