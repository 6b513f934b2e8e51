// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel descriptors with boundary values: accepted ones can be launched,
 * others are refused. Each pair of dwords with each pair of values, and then
 * all dwords at random, with random workgroups and grids.
 */
#include <stdlib.h>
#include <string.h>
#include "../tap.h"
#include "machine.h"

#define DWORDS		(SIM_DESC_SIZE / 4)
#define RANDOM		200000
#define SIMDS		4
#define SLOTS		10

static unsigned long long seed = 0x0123456789abcdef;

static const u32 values[] = {
	0, 1, 63, 64, 0xff, 0x100, 511, 512, 513, 0xffff, 0x10000, 0x10001,
	0x1ffff, 0x7fffffff, 0x80000000, 0xfffffdff, 0xfffffe00, 0xfffffe01,
	0xffffffc0, 0xffffffff,
};

#define NR_VALUES	(sizeof(values) / sizeof(values[0]))

/* one for each dimension, of 1024 work-items at most in all */
static const u32 workgroups[][3] = {
	{ 1, 1, 1 }, { 64, 1, 1 }, { 65, 1, 1 }, { 1024, 1, 1 }, { 32, 32, 1 },
	{ 1, 1, 1024 }, { 7, 11, 13 },
};

static struct sim_wave *w;
static unsigned long accepted;

static u32 value(void)
{
	return values[tap_random(&seed) % NR_VALUES];
}

/* of the first and of the last workgroup */
static bool launches(struct sim_launch *l)
{
	unsigned int nr = sim_launch_nr_waves(l);
	unsigned int most = sim_launch_max_groups(l, SIMDS, SLOTS);

	if (!nr || most > SIMDS * SLOTS / nr)
		return false;
	for (l->wave = 0; l->wave < nr; l->wave++)
		sim_launch_wave(l, w);
	return w->nr_vgprs <= SIM_NR_VGPRS && w->acc_offset <= w->nr_vgprs &&
	       w->lds_alloc >> 12 <= 2 * SIM_LDS_BLOCKS;
}

static bool try(const u32 *desc, enum gfx9_arch arch)
{
	const u32 *size = workgroups[tap_random(&seed) %
				     (sizeof(workgroups) / sizeof(*workgroups))];
	struct sim_kernel k;
	struct sim_launch l = {
		.kernel = &k, .desc_va = tap_random(&seed),
		.trap_en = tap_random(&seed) & 1, .ttmps = tap_random(&seed) & 1,
	};
	unsigned int i;

	if (sim_kernel_parse(desc, arch, &k))
		return true;
	accepted++;
	sim_kernel_add_stack(&k);
	memcpy(l.workgroup, size, sizeof(l.workgroup));
	for (i = 0; i < 3; i++)
		l.grid[i] = value() ?: 1;
	w->arch = arch;
	if (!launches(&l))
		return false;
	for (i = 0; i < 3; i++)
		l.wg[i] = (l.grid[i] - 1) / l.workgroup[i];
	return launches(&l);
}

static bool pairs(enum gfx9_arch arch)
{
	u32 desc[DWORDS] = {};
	unsigned int i, j, a, b;
	bool ok = true;

	for (i = 0; i < DWORDS; i++)
		for (j = 0; j < i; j++)
			for (a = 0; a < NR_VALUES; a++)
				for (b = 0; b < NR_VALUES; b++) {
					desc[i] = values[a];
					desc[j] = values[b];
					ok &= try(desc, arch);
					desc[i] = desc[j] = 0;
				}
	return ok;
}

static bool at_random(enum gfx9_arch arch)
{
	u32 desc[DWORDS];
	unsigned int i, n;
	bool ok = true;

	for (n = 0; n < RANDOM; n++) {
		for (i = 0; i < DWORDS; i++)
			desc[i] = tap_random(&seed) % 4 ? 0 : value();
		ok &= try(desc, arch);
	}
	return ok;
}

#define PRIVATE		1	/* dwords of a descriptor */
#define PROPERTIES	14
#define DYNAMIC_STACK	0x800

/* private memory of a kernel that says it needs @size bytes */
static u32 private_of(u32 size, u32 properties)
{
	u32 desc[DWORDS] = { [PRIVATE] = size, [PROPERTIES] = properties };
	struct sim_kernel k;

	if (sim_kernel_parse(desc, GFX9_GFX90A, &k))
		return ~0U;
	sim_kernel_add_stack(&k);
	return k.private_size;
}

int main(void)
{
	w = calloc(1, sizeof(*w));
	w->v = calloc(SIM_NR_VGPRS, sizeof(*w->v));
	tap_plan(6);
	tap_ok(pairs(GFX9_GFX90A) && accepted, "pairs of values, gfx90a");
	tap_ok(at_random(GFX9_GFX90A), "random ones, gfx90a");
	accepted = 0;
	tap_ok(pairs(GFX9_GFX900) && accepted, "pairs of values, gfx900");
	tap_ok(at_random(GFX9_GFX900), "random ones, gfx900");
	tap_ok(private_of(48, 0) == 48 && !private_of(0, 0), "a stack of a known size");
	tap_ok(private_of(48, DYNAMIC_STACK) == SIM_STACK_SIZE &&
	       private_of(2 * SIM_STACK_SIZE, DYNAMIC_STACK) == 2 * SIM_STACK_SIZE,
	       "a stack of an unknown size");
	return tap_status();
}
