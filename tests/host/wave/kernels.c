// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels compiled by clang, against C: bit-exact, for both processors. Each
 * runs on a grid of whole workgroups and on one whose last workgroup is
 * partial.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../processor.h"
#include "../tap.h"
#include "machine.h"

#define CODE		0x200000000ull
#define BUF_A		0x7e0000000000ull
#define BUF_B		0x7e0000100000ull
#define BUF_O		0x7e0000200000ull
#define KERNARG		0x7e0000300000ull
#define BUF_SIZE	0x10000
#define ITEMS		1024

static unsigned long long seed = 0xfeedface12345678;
static u8 *a_buf, *b_buf, *o_buf, *args;

#define A(type)		((const type *)a_buf)
#define B(type)		((const type *)b_buf)
#define O(type)		((type *)out)
#define EACH(i, n)	for (int i = 0; i < (n); i++)

static void m_bytes_u8(void *out, int n)
{
	EACH(i, n)
		O(u8)[i] = A(u8)[i] * B(u8)[i] + (A(u8)[i] >> 3) -
			   (B(u8)[i] ^ 0x55);
}

static void m_shorts(void *out, int n)
{
	EACH(i, n) {
		s16 x = A(s16)[i] >> (B(u16)[i] & 7);

		O(u16)[i] = (x > 100 ? x * 3 : x - (s16)B(u16)[i]) +
			    (B(u16)[i] << 2);
	}
}

static void m_saturate(void *out, int n)
{
	EACH(i, n) {
		int v = A(u8)[i] * 3 - 200;

		O(s8)[i] = v > 127 ? 127 : v < -128 ? -128 : v;
	}
}

static void m_wide(void *out, int n)
{
	EACH(i, n) {
		u64 a = A(u64)[i], x;
		s64 b = B(s64)[i];

		x = a * (u64)b + (a >> (b & 63));
		x ^= (u64)(b >> 5) - a;
		O(u64)[i] = b < (s64)a ? x << 13 | x >> 51 : x;
	}
}

static void m_divide(void *out, int n)
{
	EACH(i, n) {
		u32 a = A(u32)[i], b = B(u32)[i] | 1;

		if ((s32)b == -1)	/* -2^31 % -1 */
			O(u32)[i] = a / b;
		else
			O(u32)[i] = a / b + (u32)((s32)a % (s32)b);
	}
}

static void m_divide64(void *out, int n)
{
	EACH(i, n) {
		u64 a = A(u64)[i], b = B(u64)[i];

		O(u64)[i] = a / (b | 1) ^ a % ((b >> 40) | 1);
	}
}

static void m_floats(void *out, int n)
{
	EACH(i, n) {
		float a = A(float)[i], b = B(float)[i];
		float x = a * b - a;

		x = x < b ? x + 0.5f : b * 3.0f;
		O(float)[i] = fmaf(x, a, b) + (float)i;
	}
}

static void m_fdivide(void *out, int n)
{
	EACH(i, n)
		O(float)[i] = A(float)[i] / B(float)[i];
}

static s32 to_s32(float x)
{
	return isnan(x) ? 0 : x >= 0x1p31f ? INT32_MAX :
		x < -0x1p31f ? INT32_MIN : (s32)x;
}

static u32 to_u32(float x)
{
	return isnan(x) ? 0 : x >= 0x1p32f ? UINT32_MAX : (u32)x;
}

static void m_fconvert(void *out, int n)
{
	EACH(i, n) {
		float x = A(float)[i];

		O(u32)[i] = (u32)to_s32(x) + to_u32(fabsf(x)) +
			    (u32)to_s32(floorf(x)) - (u32)to_s32(rintf(x));
	}
}

static void m_collatz(void *out, int n)
{
	EACH(i, n) {
		u32 x = (A(u32)[i] & 1023) + 1, steps = 0;

		while (x != 1) {
			x = x & 1 ? 3 * x + 1 : x >> 1;
			if (++steps > 200)
				break;
		}
		O(u32)[i] = steps;
	}
}

static void m_switches(void *out, int n)
{
	EACH(i, n) {
		u32 x = A(u32)[i];
		const u32 r[] = {
			x + 1, x * 7, __builtin_popcount(x), x >> 9, ~x,
		};

		O(u32)[i] = r[x % 5];
	}
}

static void m_prefix(void *out, int n)
{
	u32 sum = 0;

	EACH(i, n) {
		sum = i % 64 ? sum + A(u32)[i] : A(u32)[i];
		O(u32)[i] = sum;
	}
}

static void m_reduce(void *out, int n)
{
	EACH(i, n)
		O(u32)[i / 256] += A(u32)[i];
}

static void m_private_array(void *out, int n)
{
	EACH(i, n) {
		u32 a = A(u32)[i], j = a % 24, k = (a >> 8) % 24;

		O(u32)[i] = 2 * a + j * j + k * k;
	}
}

static void m_register_array(void *out, int n)
{
	EACH(i, n) {
		u32 t[8];
		int k;

		for (k = 0; k < 8; k++)
			t[k] = A(u32)[i] >> k;
		t[n & 7] ^= 0x1000;
		t[(n + 3) & 7] += t[(n + 5) & 7];
		O(u32)[i] = t[0] + t[1] * 3 + t[2] * 5 + t[3] * 7 + t[4] + t[5] +
			    t[6] + t[7];
	}
}

static void m_pairs(void *out, int n)
{
	EACH(i, 2 * n)
		O(float)[i] = A(float)[i] * B(float)[i] + A(float)[i] -
			      B(float)[i] * 2.0f;
}

static void m_calls(void *out, int n)
{
	EACH(i, n) {
		const u32 *a = A(u32);
		u32 x = a[i], q = i & ~3;

		O(u32)[i] = a[q] + a[q + 1] + a[q + 2] + a[q + 3] + x + (x ^ 1) +
			    (x ^ 2) + (x ^ 3);
	}
}

static void m_halves(void *out, int n)
{
	EACH(i, 2 * n)
		O(u16)[i] = ((u32)A(u16)[i] + B(u16)[i]) * A(u16)[i] -
			    (B(u16)[i] >> 3);
}

/**
 * struct kernel - one kernel and its model
 * @name: of the kernel and, with m_, the model
 * @args: a, b, o: the buffers, n: number of items
 * @workgroup: work-items
 * @floats: buffers hold floats; NaNs are equal
 * @whole: every work-item stores, and workgroups must be complete
 */
static const struct kernel {
	const char *name;
	void (*model)(void *out, int n);
	const char *args;
	u32 workgroup;
	bool floats, whole;
} kernels[] = {
	{ "bytes_u8", m_bytes_u8, "abon", 64 },
	{ "shorts", m_shorts, "abon", 64 },
	{ "saturate", m_saturate, "aon", 64 },
	{ "wide", m_wide, "abon", 64 },
	{ "divide", m_divide, "abon", 64 },
	{ "divide64", m_divide64, "abon", 64 },
	{ "floats", m_floats, "abon", 64, .floats = true },
	{ "fdivide", m_fdivide, "abon", 64, .floats = true },
	{ "fconvert", m_fconvert, "aon", 64 },
	{ "collatz", m_collatz, "aon", 64 },
	{ "switches", m_switches, "aon", 64 },
	{ "prefix", m_prefix, "ao", 64, .whole = true },
	{ "reduce", m_reduce, "ao", 256, .whole = true },
	{ "private_array", m_private_array, "aon", 64, .whole = true },
	{ "register_array", m_register_array, "aon", 64, .whole = true },
	{ "pairs", m_pairs, "abon", 64, .floats = true },
	{ "calls", m_calls, "aon", 64, .whole = true },
	{ "halves", m_halves, "abon", 64 },
};

#define NR_KERNELS	(sizeof(kernels) / sizeof(kernels[0]))

static void put_arg(unsigned int *at, u64 val, unsigned int size)
{
	*at = (*at + size - 1) / size * size;
	memcpy(args + *at, &val, size);
	*at += size;
}

static void put_args(const char *spec, int n)
{
	unsigned int at = 0;

	for (; *spec; spec++) {
		if (*spec == 'n')
			put_arg(&at, n, 4);
		else
			put_arg(&at, *spec == 'a' ? BUF_A : *spec == 'b' ? BUF_B :
				BUF_O, 8);
	}
}

/* ordinary numbers, and sometimes a special one */
static u32 some_float(void)
{
	u64 r = tap_random(&seed);
	u32 x = (r & 0x80ffffff) | (120 + (r >> 32) % 16) << 23;

	return (r >> 40) % 7 ? x : r >> 8;
}

static void fill(u8 *buf, bool floats)
{
	unsigned int n;

	for (n = 0; n < BUF_SIZE / 4; n++) {
		u32 x = floats ? some_float() : tap_random(&seed) >> 32;

		if (!floats && !(n % 5))
			x = (s32)x >> (x & 31);
		memcpy(buf + 4 * n, &x, 4);
	}
}

static bool same_float(u32 x, u32 y)
{
	float f, g;

	memcpy(&f, &x, 4);
	memcpy(&g, &y, 4);
	return isnan(f) && isnan(g);
}

static bool equal(const struct kernel *k, const u8 *got, const u8 *want)
{
	unsigned int n;
	u32 x, y;

	for (n = 0; n < BUF_SIZE; n += 4) {
		memcpy(&x, got + n, 4);
		memcpy(&y, want + n, 4);
		if (x == y || (k->floats && same_float(x, y)))
			continue;
		tap_note("%s at %u: %08x, want %08x", k->name, n, x, y);
		return false;
	}
	return true;
}

static struct grid new_grid(enum gfx9_arch arch, u32 x, u32 wg)
{
	return (struct grid){
		.kernarg = KERNARG, .arch = arch,
		.size = { x, 1, 1 }, .workgroup = { wg, 1, 1 },
	};
}

static bool run(const struct kernel *k, enum gfx9_arch arch, u32 size, int n)
{
	static u8 want[BUF_SIZE];
	struct grid g = new_grid(arch, size, k->workgroup);
	enum sim_stop stop;

	fill(a_buf, k->floats || !strcmp(k->name, "fconvert"));
	fill(b_buf, k->floats);
	memset(o_buf, 0, BUF_SIZE);
	memset(want, 0, BUF_SIZE);
	memset(machine.lds, 0xee, LDS_SIZE);
	put_args(k->args, n);
	k->model(want, n);
	stop = grid_run(&g, k->name);
	if (stop != SIM_STOP_ENDED)
		tap_note("%s stopped: %d", k->name, stop);
	return stop == SIM_STOP_ENDED && equal(k, o_buf, want);
}

static void all_kernels(enum gfx9_arch arch, const char *name)
{
	unsigned int i;

	for (i = 0; i < NR_KERNELS; i++) {
		const struct kernel *k = &kernels[i];
		bool ok = run(k, arch, ITEMS, k->whole ? ITEMS : 1000);

		if (!k->whole)
			ok &= run(k, arch, 997, 997);
		tap_ok(ok, "%s, %s", k->name, name);
	}
}

static bool three_dims(enum gfx9_arch arch)
{
	const u32 w = 21, h = 10, d = 7;
	struct grid g = {
		.kernarg = KERNARG, .arch = arch,
		.size = { w, h, d }, .workgroup = { 8, 4, 4 },
	};
	unsigned int at = 0, n;

	memset(o_buf, 0xff, BUF_SIZE);
	put_arg(&at, BUF_O, 8);
	put_arg(&at, w, 4);
	put_arg(&at, h, 4);
	if (grid_run(&g, "three_dims") != SIM_STOP_ENDED)
		return false;
	for (n = 0; n < w * h * d; n++)
		if (((u32 *)o_buf)[n] != n % w + 100 * (n / w % h) +
		    10000 * (n / w / h))
			return false;
	return ((u32 *)o_buf)[n] == ~0u;
}

static bool cas_max(enum gfx9_arch arch)
{
	struct grid g = new_grid(arch, ITEMS, 64);
	unsigned int at = 0, n;
	u32 best = 0;

	fill(a_buf, false);
	memset(o_buf, 0, 4);
	put_arg(&at, BUF_O, 8);
	put_arg(&at, BUF_A, 8);
	put_arg(&at, 900, 4);
	for (n = 0; n < 900; n++)
		best = A(u32)[n] > best ? A(u32)[n] : best;
	return grid_run(&g, "cas_max") == SIM_STOP_ENDED &&
	       !memcmp(o_buf, &best, 4);
}

static bool damaged_descriptor(enum gfx9_arch arch)
{
	u8 *desc = machine_at(elf_symbol("wide.kd"), SIM_DESC_SIZE);
	struct sim_kernel k;
	u8 copy[SIM_DESC_SIZE];
	bool ok;

	memcpy(copy, desc, sizeof(copy));
	ok = !sim_kernel_parse(copy, arch, &k);
	copy[57] |= 0x04;	/* wave32 */
	ok &= sim_kernel_parse(copy, arch, &k) == -EINVAL;
	copy[57] = desc[57];
	copy[50] |= 0x10;	/* PRIV */
	ok &= sim_kernel_parse(copy, arch, &k) == -EINVAL;
	return ok;
}

static bool one_arch(const char *dir, const char *name)
{
	enum gfx9_arch arch = processor_named(name);
	char path[4096];

	snprintf(path, sizeof(path), "%s/kernels.%s.elf", dir, name);
	machine_reset();
	if (!elf_load(path, CODE))
		return false;
	a_buf = machine_map(BUF_A, BUF_SIZE);
	b_buf = machine_map(BUF_B, BUF_SIZE);
	o_buf = machine_map(BUF_O, BUF_SIZE);
	args = machine_map(KERNARG, 0x1000);
	all_kernels(arch, name);
	tap_ok(three_dims(arch), "three_dims, cut in each, %s", name);
	tap_ok(cas_max(arch), "cas_max, %s", name);
	tap_ok(damaged_descriptor(arch), "descriptors, %s", name);
	return true;
}

int main(int argc, char **argv)
{
	int n;

	tap_plan((argc - 2) * (NR_KERNELS + 3));
	for (n = 2; n < argc; n++)
		if (!one_arch(argv[1], argv[n]))
			return 2;
	machine_reset();
	return tap_status();
}
