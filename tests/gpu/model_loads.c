// SPDX-License-Identifier: GPL-2.0
/*
 * Models of loads.cl and atomics.cl.
 */
#include "model_wave.h"

/* out[i] = value */
static void store_out(struct model_wave *w, uint64_t out, const lanes value)
{
	lanes at;

	lanes_at(w, out, 4, at);
	wave_store(w, w->exec, at, 4, (const lanes *)value);
}

static void ld_keep(struct model_wave *w)
{
	lanes at, value;

	lanes_at(w, w->args[0], 4, at);
	wave_load(w, w->exec, at, 4, ADDR_KEPT, &value);
	FOR_LANES(lane, w->exec)
		value[lane]++;
	wave_store(w, w->exec, at, 4, &value);
}

/* adds the dwords loaded by each lane */
static void load_and_add(struct model_wave *w, uint64_t offset,
			 unsigned int width, lanes sum)
{
	lanes at, value[2];
	unsigned int row;

	lanes_at(w, w->args[0] + offset, 64, at);
	wave_load(w, w->exec, at, width, ADDR_KEPT, value);
	FOR_LANES(lane, w->exec)
		for (row = 0; 8 * row < width; row++)
			sum[lane] += (value[row][lane] & 0xffffffff) +
				     (value[row][lane] >> 32);
}

static void ld_widths(struct model_wave *w)
{
	lanes sum = {};

	load_and_add(w, 0, 1, sum);
	load_and_add(w, 2, 2, sum);
	load_and_add(w, 4, 4, sum);
	load_and_add(w, 8, 8, sum);
	load_and_add(w, 16, 16, sum);
	store_out(w, w->args[1], sum);
}

static void ld_eat(struct model_wave *w)
{
	lanes at, value;

	lanes_at(w, w->args[0], 4, at);
	wave_load(w, w->exec, at, 4, ADDR_EATEN, &value);
	store_out(w, w->args[1], value);
}

static void ld_chase(struct model_wave *w)
{
	uint32_t steps = (uint32_t)w->args[2];
	lanes at, value;

	lanes_x(w, 1, 0, value);
	while (steps--) {
		FOR_LANES(lane, w->exec)
			at[lane] = w->args[0] + 4 * value[lane];
		wave_load(w, w->exec, at, 4, ADDR_ANY, &value);
	}
	store_out(w, w->args[1], value);
}

uint64_t op_add(uint64_t old, uint64_t a, uint64_t b)
{
	return old + a;
}

static uint64_t op_sub(uint64_t old, uint64_t a, uint64_t b)
{
	return old - a;
}

static uint64_t op_and(uint64_t old, uint64_t a, uint64_t b)
{
	return old & a;
}

uint64_t op_or(uint64_t old, uint64_t a, uint64_t b)
{
	return old | a;
}

static uint64_t op_xor(uint64_t old, uint64_t a, uint64_t b)
{
	return old ^ a;
}

static uint64_t op_smin(uint64_t old, uint64_t a, uint64_t b)
{
	return (int32_t)a < (int32_t)old ? a : old;
}

uint64_t op_smax(uint64_t old, uint64_t a, uint64_t b)
{
	return (int32_t)a > (int32_t)old ? a : old;
}

static uint64_t op_umin(uint64_t old, uint64_t a, uint64_t b)
{
	return (uint32_t)a < (uint32_t)old ? a : old;
}

static uint64_t op_umax(uint64_t old, uint64_t a, uint64_t b)
{
	return (uint32_t)a > (uint32_t)old ? a : old;
}

uint64_t op_cmpswap(uint64_t old, uint64_t a, uint64_t b)
{
	return (uint32_t)old == (uint32_t)b ? a : old;
}

uint64_t op_cmpswap64(uint64_t old, uint64_t a, uint64_t b)
{
	return old == b ? a : old;
}

uint64_t op_swap(uint64_t old, uint64_t a, uint64_t b)
{
	return a;
}

static void at_add(struct model_wave *w)
{
	lanes at, value;

	lanes_x(w, 1, 0, value);
	FOR_LANES(lane, w->exec)
		at[lane] = w->args[0] + 4 * (w->x[lane] & (uint32_t)w->args[1]);
	wave_atomic(w, w->exec, at, 4, ADDR_KEPT, op_add, value, NULL, NULL);
}

static void returning_add(struct model_wave *w, enum model_addr kept)
{
	lanes at, value, old;

	lanes_at(w, w->args[0], 4, at);
	lanes_x(w, 1, 0, value);
	wave_atomic(w, w->exec, at, 4, kept, op_add, value, NULL, old);
	store_out(w, w->args[1], old);
}

static void at_ret(struct model_wave *w)
{
	returning_add(w, ADDR_KEPT);
}

static void at_eat(struct model_wave *w)
{
	returning_add(w, ADDR_EATEN);
}

static void at_cmpswap(struct model_wave *w)
{
	lanes at, new, compare, old;

	lanes_at(w, w->args[0], 4, at);
	lanes_x(w, 1, 1000, new);
	FOR_LANES(lane, w->exec)
		compare[lane] = w->x[lane] | 1;
	wave_atomic(w, w->exec, at, 4, ADDR_KEPT, op_cmpswap, new, compare, old);
	store_out(w, w->args[1], old);
}

static void at_wide(struct model_wave *w)
{
	lanes at, value;

	lanes_at(w, w->args[0], 8, at);
	FOR_LANES(lane, w->exec)
		value[lane] = 0x100000001 * w->x[lane];
	wave_atomic(w, w->exec, at, 8, ADDR_KEPT, op_add, value, NULL, NULL);
}

static void at_ops(struct model_wave *w)
{
	static const struct {
		atomic_fn fn;
		int32_t plus;
	} ops[] = {
		{ op_sub, 0 }, { op_and, 0 }, { op_or, 0 }, { op_xor, 0 },
		{ op_smin, -32 }, { op_smax, -32 }, { op_umin, 0 }, { op_umax, 0 },
	};
	lanes at, value;
	unsigned int n;

	for (n = 0; n < 8; n++) {
		lanes_at(w, w->args[0] + 4 * n, 32, at);
		lanes_x(w, 1, (uint32_t)ops[n].plus, value);
		wave_atomic(w, w->exec, at, 4, ADDR_KEPT, ops[n].fn, value, NULL, NULL);
	}
}

const struct model_kernel model_loads[] = {
	{ "ld_keep", { 64, 1 }, ld_keep },
	{ "ld_widths", { 64, 1 }, ld_widths },
	{ "ld_eat", { 64, 1 }, ld_eat },
	{ "ld_chase", { 64, 1 }, ld_chase },
	{ "at_add", { 64, 1 }, at_add },
	{ "at_ret", { 64, 1 }, at_ret },
	{ "at_eat", { 64, 1 }, at_eat },
	{ "at_cmpswap", { 64, 1 }, at_cmpswap },
	{ "at_wide", { 64, 1 }, at_wide },
	{ "at_ops", { 64, 1 }, at_ops },
	{}
};
