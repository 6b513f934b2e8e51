// SPDX-License-Identifier: GPL-2.0
/*
 * Models of values.cl. Its arguments: at, stride, wrap, mask, salt, to.
 */
#include "model_wave.h"

#define ROWS	2

/* addresses and words of the lanes that access; returns these */
static uint64_t values(const struct model_wave *w, lanes at, lanes *value)
{
	uint64_t exec = w->exec & w->args[3];

	FOR_LANES(lane, exec) {
		uint32_t i = w->x[lane], word[2 * ROWS], n;

		at[lane] = w->args[0] + (uint32_t)w->args[1] * (i & (uint32_t)w->args[2]);
		for (n = 0; n < 2 * ROWS; n++)
			word[n] = (i * 4 + n + 1 + (uint32_t)w->args[4]) * 2654435761u;
		for (n = 0; n < ROWS; n++)
			value[n][lane] = word[2 * n] | (uint64_t)word[2 * n + 1] << 32;
	}
	return exec;
}

static void store(struct model_wave *w, unsigned int width)
{
	lanes at, value[ROWS];
	uint64_t exec = values(w, at, value);

	wave_store(w, exec, at, width, (const lanes *)value);
}

static void store8(struct model_wave *w)
{
	store(w, 1);
}

static void store16(struct model_wave *w)
{
	store(w, 2);
}

static void store32(struct model_wave *w)
{
	store(w, 4);
}

static void store64(struct model_wave *w)
{
	store(w, 8);
}

static void store96(struct model_wave *w)
{
	store(w, 12);
}

static void store128(struct model_wave *w)
{
	store(w, 16);
}

static void store16_high(struct model_wave *w)
{
	lanes at, value[ROWS];
	uint64_t exec = values(w, at, value);

	FOR_LANES(lane, exec)
		value[0][lane] >>= 16;
	wave_store(w, exec, at, 2, (const lanes *)value);
}

static void store_same(struct model_wave *w)
{
	lanes at, value[ROWS];
	uint64_t exec = values(w, at, value);

	FOR_LANES(lane, exec)
		value[0][lane] = (1 + (uint32_t)w->args[4]) * 2654435761u;
	wave_store(w, exec, at, 4, (const lanes *)value);
}

/* to[i] = all words of value */
static void keep(struct model_wave *w, uint64_t exec, const lanes *value, unsigned int width)
{
	unsigned int row;
	lanes at, sum;

	lanes_at(w, w->args[5], 4, at);
	FOR_LANES(lane, exec) {
		sum[lane] = 0;
		for (row = 0; 8 * row < width; row++)
			sum[lane] ^= value[row][lane] ^ value[row][lane] >> 32;
	}
	wave_store(w, exec, at, 4, (const lanes *)sum);
}

static uint64_t load_only(struct model_wave *w, unsigned int width, enum model_addr kept,
			  lanes *value)
{
	lanes at;
	uint64_t exec = values(w, at, value);

	wave_load(w, exec, at, width, kept, value);
	return exec;
}

static void load(struct model_wave *w, unsigned int width, enum model_addr kept)
{
	lanes value[ROWS];
	uint64_t exec = load_only(w, width, kept, value);

	keep(w, exec, (const lanes *)value, width);
}

static void load8(struct model_wave *w)
{
	load(w, 1, ADDR_KEPT);
}

static void load16(struct model_wave *w)
{
	load(w, 2, ADDR_KEPT);
}

static void load32(struct model_wave *w)
{
	load(w, 4, ADDR_KEPT);
}

static void load32_eats(struct model_wave *w)
{
	load(w, 4, ADDR_EATEN);
}

static void load64(struct model_wave *w)
{
	load(w, 8, ADDR_KEPT);
}

static void load96(struct model_wave *w)
{
	load(w, 12, ADDR_KEPT);
}

static void load128(struct model_wave *w)
{
	load(w, 16, ADDR_KEPT);
}

static void load8_signed(struct model_wave *w)
{
	lanes value[ROWS];
	uint64_t exec = load_only(w, 1, ADDR_KEPT, value);

	FOR_LANES(lane, exec)
		value[0][lane] = (uint32_t)(int8_t)value[0][lane];
	keep(w, exec, (const lanes *)value, 4);
}

static void load16_high(struct model_wave *w)
{
	lanes value[ROWS];
	uint64_t exec = load_only(w, 2, ADDR_KEPT, value);

	FOR_LANES(lane, exec)
		value[0][lane] <<= 16;
	keep(w, exec, (const lanes *)value, 4);
}

static void atomic(struct model_wave *w, unsigned int width, atomic_fn fn, bool returning)
{
	lanes at, value[ROWS], expected, old;
	uint64_t exec = values(w, at, value);

	FOR_LANES(lane, exec) {
		uint32_t word = w->x[lane] & 1 ? 0 : (uint32_t)value[1][lane];

		expected[lane] = word | (uint64_t)word << 32;
	}
	wave_atomic(w, exec, at, width, ADDR_KEPT, fn, value[0], expected,
		    returning ? old : NULL);
	if (returning)
		keep(w, exec, (const lanes *)old, width);
}

#define ATOMIC(name, width, op)						\
	static void name(struct model_wave *w)				\
	{								\
		atomic(w, width, op, false);				\
	}								\
									\
	static void name##_returning(struct model_wave *w)		\
	{								\
		atomic(w, width, op, true);				\
	}

ATOMIC(add32, 4, op_add)
ATOMIC(add64, 8, op_add)
ATOMIC(swap32, 4, op_swap)
ATOMIC(cmpswap32, 4, op_cmpswap)
ATOMIC(cmpswap64, 8, op_cmpswap64)

#define MODEL(name)		{ #name, { 64, 1 }, name }
#define MODEL_AS(name, other)	{ #name, { 64, 1 }, other }

const struct model_kernel model_values[] = {
	MODEL(store8), MODEL(store16), MODEL(store16_high), MODEL(store32),
	MODEL(store64), MODEL(store96), MODEL(store128), MODEL(store_same),
	MODEL_AS(store64_flat, store64), MODEL_AS(store64_offset, store64),
	MODEL_AS(store32_base, store32),
	MODEL(load8), MODEL(load8_signed), MODEL(load16), MODEL(load16_high),
	MODEL(load32), MODEL(load64), MODEL(load96), MODEL(load128),
	MODEL_AS(load64_flat, load64), MODEL_AS(load32_base, load32), MODEL(load32_eats),
	MODEL(add32), MODEL(add64), MODEL(swap32), MODEL(cmpswap32), MODEL(cmpswap64),
	MODEL(add32_returning), MODEL(add64_returning), MODEL(swap32_returning),
	MODEL(cmpswap32_returning), MODEL(cmpswap64_returning),
	MODEL_AS(add32_loses, add32_returning),
	{}
};
