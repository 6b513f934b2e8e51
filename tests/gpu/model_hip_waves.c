// SPDX-License-Identifier: GPL-2.0
/*
 * Models of hip/waves.hip. What waves exchange by LDS is a function of what the kernel
 * reads, which it does not write.
 */
#include "model_wave.h"

/* element @i of the work-items of this workgroup */
static uint32_t group_element(const struct model_wave *w, uint32_t i)
{
	return wave_peek(w, w->args[0] + 4ULL * (w->group[0] * w->size[0] + i));
}

static void hip_transpose(struct model_wave *w)
{
	const uint32_t width = (uint32_t)w->args[2], height = (uint32_t)w->args[3];
	const uint32_t side = w->size[0];
	uint32_t row, column, x, y;
	lanes at, value;

	FOR_LANES(lane, w->exec)
		at[lane] = w->args[0] + 4ULL * (w->y[lane] * width + w->x[lane]);
	wave_load(w, w->exec, at, 4, ADDR_ANY, &value);
	FOR_LANES(lane, w->exec) {
		column = w->x[lane] % side;
		row = w->y[lane] % side;
		x = w->group[1] * side + column;
		y = w->group[0] * side + row;
		at[lane] = w->args[1] + 4ULL * (y * height + x);
		value[lane] = wave_peek(w, w->args[0] + 4ULL * (x * width + y));
	}
	wave_store(w, w->exec, at, 4, &value);
}

static void hip_reduce(struct model_wave *w)
{
	lanes own, at = {}, sum = {};
	uint32_t i;

	wave_load_words(w, w->exec, w->args[0], own);
	if (w->number)
		return;
	for (i = 0; i < w->size[0]; i++)
		sum[0] += group_element(w, i);
	at[0] = w->args[1] + 4ULL * w->group[0];
	wave_store(w, 1, at, 4, (const lanes *)sum);
}

static void hip_scan(struct model_wave *w)
{
	lanes own, at, sum = {};
	uint32_t i;

	wave_load_words(w, w->exec, w->args[0], own);
	FOR_LANES(lane, w->exec)
		for (i = 0; i <= w->x[lane] % w->size[0]; i++)
			sum[lane] += group_element(w, i);
	lanes_at(w, w->args[1], 4, at);
	wave_store(w, w->exec, at, 4, (const lanes *)sum);
}

#define BINS	64

/* how many elements of this workgroup are in a bin */
static uint32_t group_bin(const struct model_wave *w, uint32_t bin)
{
	const uint32_t items = w->groups[0] * w->size[0], n = (uint32_t)w->args[2];
	uint32_t first, i, nr = 0;

	for (first = w->group[0] * w->size[0]; first < n; first += items)
		for (i = first; i < first + w->size[0] && i < n; i++)
			nr += wave_peek(w, w->args[0] + 4ULL * i) % BINS == bin;
	return nr;
}

static void hip_histogram(struct model_wave *w)
{
	const uint32_t items = w->groups[0] * w->size[0];
	uint64_t exec;
	lanes at, value;

	while ((exec = lanes_below(w, (int32_t)w->args[2]))) {
		lanes_at(w, w->args[0], 4, at);
		wave_load(w, exec, at, 4, ADDR_ANY, &value);
		FOR_LANES(lane, w->exec)
			w->x[lane] += items;
	}
	if (w->number)
		return;
	FOR_LANES(lane, w->exec) {
		at[lane] = w->args[1] + 4 * lane;
		value[lane] = group_bin(w, lane);
	}
	wave_atomic(w, w->exec, at, 4, ADDR_KEPT, op_add, value, NULL, NULL);
}

static void hip_compact(struct model_wave *w)
{
	uint32_t wave = w->x[0] / MODEL_LANES, nr = 0, big = 0;
	lanes own, at, value;
	uint64_t odd = 0;

	wave_load_words(w, w->exec, w->args[0], own);
	FOR_LANES(lane, w->exec) {
		big += own[lane] > 1;
		if (!(own[lane] & 1))
			continue;
		odd |= 1ULL << lane;
		at[lane] = w->args[1] + 4ULL * (wave * MODEL_LANES + nr++);
	}
	wave_store(w, odd, at, 4, (const lanes *)own);
	at[0] = w->args[2] + 4ULL * wave;
	value[0] = big ? nr : -nr;
	wave_store(w, w->exec & 1, at, 4, (const lanes *)value);
}

#define TILE	16

static void hip_tile(struct model_wave *w)
{
	const uint64_t first = 0x0001000100010001;
	lanes own, at, sum = {};

	wave_load_words(w, w->exec, w->args[0], own);
	FOR_LANES(lane, w->exec)
		sum[lane / TILE * TILE] += own[lane];
	lanes_at(w, w->args[1], 4, at);
	wave_store(w, w->exec & first, at, 4, (const lanes *)sum);
}

const struct model_kernel model_hip_waves[] = {
	{ "hip_transpose", { 16, 16 }, hip_transpose },
	{ "hip_reduce", { 256 }, hip_reduce },
	{ "hip_scan", { 128 }, hip_scan },
	{ "hip_histogram", { 128 }, hip_histogram },
	{ "hip_compact", { 128 }, hip_compact },
	{ "hip_tile", { 64 }, hip_tile },
	{}
};
