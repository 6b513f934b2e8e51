/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run one program of unit.S on random registers. The operands distinguish
 * signed from unsigned, carry from no carry and 31 from 32.
 */
#ifndef TESTS_WAVE_UNIT_H
#define TESTS_WAVE_UNIT_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../tap.h"
#include "displace.h"

#define CODE		0x100000000ull
#define DATA		0x7f00aaaa0000ull
#define DATA_SIZE	0x10000
#define NR_VGPRS	32
#define ACC		16	/* first accumulation register */
#define ROUNDS		40
#define MARK		0xdeadbeefu
#define VCC		GFX9_SRC_VCC
#define EXEC		GFX9_SRC_EXEC

static struct sim_wave *w;
static u8 *data __attribute__((unused));
static unsigned long long seed = 0x1234567890abcdef;

static inline u64 rnd(void)
{
	return tap_random(&seed);
}

static const u32 edges[] = {
	0, 1, 2, 7, 15, 16, 31, 32, 33, 0x7f, 0x80, 0xff, 0x100, 0x7fff,
	0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff, 0x1000000,
	0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
	0x3f800000, 0xbf800000, 0x7f800000, 0xffc00000, 0x00000c0d, 0x08090a0b,
};

static inline u32 operand(void)
{
	u64 r = rnd();

	return r & 1 ? edges[(r >> 8) % (sizeof(edges) / sizeof(edges[0]))] :
		       r >> 32;
}

static inline u64 pair(unsigned int reg)
{
	return w->s[reg] | (u64)w->s[reg + 1] << 32;
}

static inline void set_pair(unsigned int reg, u64 val)
{
	w->s[reg] = val;
	w->s[reg + 1] = val >> 32;
}

static inline u64 vpair(unsigned int reg, unsigned int lane)
{
	return w->v[reg][lane] | (u64)w->v[reg + 1][lane] << 32;
}

static inline void set_vpair(unsigned int reg, unsigned int lane, u64 val)
{
	w->v[reg][lane] = val;
	w->v[reg + 1][lane] = val >> 32;
}

static inline bool active(u64 exec, unsigned int lane)
{
	return exec >> lane & 1;
}

/* random registers; marks the results */
static inline void prepare(u64 exec)
{
	unsigned int reg, lane;

	for (reg = 0; reg < NR_VGPRS; reg++)
		for (lane = 0; lane < SIM_LANES; lane++)
			w->v[reg][lane] = reg ? operand() : MARK;
	for (reg = 0; reg < 40; reg++)
		w->s[reg] = operand();
	set_pair(EXEC, exec);
	set_pair(VCC, rnd());
	w->status = STATUS_VALID;
	w->trapsts = 0;
	w->pending = 0;
}

static inline bool run(const char *name)
{
	w->pc = elf_symbol(name);
	if (!w->pc) {
		tap_note("no program %s", name);
		return false;
	}
	return displace_run(w, 1000) == SIM_STOP_ENDED;
}

static inline bool fails(const char *name, u32 trapsts)
{
	w->pc = elf_symbol(name);
	w->pending = 0;
	return w->pc && displace_run(w, 1000) == SIM_STOP_FATAL &&
	       w->fatal_trapsts == trapsts && w->fatal_pc == elf_symbol(name);
}

static inline u32 reverse(u32 x)
{
	u32 r = 0;
	int n;

	for (n = 0; n < 32; n++)
		r |= (x >> n & 1) << (31 - n);
	return r;
}

static inline u32 sign_bits(u32 x)
{
	int n;

	for (n = 1; n < 32; n++)
		if ((x >> (31 - n) & 1) != x >> 31)
			return n;
	return -1;
}

static inline float fl(u32 x)
{
	float f;

	memcpy(&f, &x, 4);
	return f;
}

static inline u32 float_bits(float f)
{
	u32 x;

	memcpy(&x, &f, 4);
	return isnan(f) ? 0x7fc00000 : x;
}

static inline u32 bfe_i32(u32 x, unsigned int shift, unsigned int width)
{
	u64 wide = (u64)((s64)(s32)x >> shift);

	if (!width)
		return 0;
	wide &= (1ull << width) - 1;
	return wide >> (width - 1) ? wide | ~0ull << width : wide;
}

static inline double dbl(u64 x)
{
	double d;

	memcpy(&d, &x, 8);
	return d;
}

static inline u64 double_bits(double d)
{
	u64 x;

	memcpy(&x, &d, 8);
	return x;
}

static inline _Float16 half(u16 x)
{
	_Float16 h;

	memcpy(&h, &x, 2);
	return h;
}

static inline u16 half_bits(_Float16 h)
{
	u16 x;

	memcpy(&x, &h, 2);
	return x;
}

/* all NaNs are equal */
static inline bool same_value(u32 got, u32 want)
{
	return got == want || (want == 0x7fc00000 && isnan(fl(got)));
}

static inline bool int_condition(const char *cond, bool lt, bool eq)
{
	static const struct { const char *name; bool lt, eq, gt; } conds[] = {
		{ "lt", 1, 0, 0 }, { "eq", 0, 1, 0 }, { "le", 1, 1, 0 },
		{ "gt", 0, 0, 1 }, { "ne", 1, 0, 1 }, { "ge", 0, 1, 1 },
		{ "t", 1, 1, 1 }, { "f", 0, 0, 0 },
	};
	unsigned int n;

	for (n = 0; strcmp(conds[n].name, cond); n++)
		;
	return lt ? conds[n].lt : eq ? conds[n].eq : conds[n].gt;
}

static inline void fill_data(void)
{
	unsigned int n;

	for (n = 0; n < DATA_SIZE; n++)
		data[n] = rnd();
}

static inline u32 word(u64 off)
{
	u32 x;

	memcpy(&x, data + off, 4);
	return x;
}

/* a machine with the programs, a wave, some memory */
static inline bool set_up(int argc, char **argv)
{
	if (argc < 2 || !elf_load(argv[1], CODE))
		return false;
	data = machine_map(DATA, DATA_SIZE);
	w = machine_wave(NR_VGPRS);
	w->acc_offset = ACC;
	return true;
}

#endif /* TESTS_WAVE_UNIT_H */
