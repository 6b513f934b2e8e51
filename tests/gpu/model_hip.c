// SPDX-License-Identifier: GPL-2.0
/*
 * Models of hip/arrays.hip and hip/types.hip.
 */
#include <math.h>
#include <string.h>
#include "model_wave.h"

/* ---- arrays.hip ---------------------------------------------------------- */

static void hip_vadd(struct model_wave *w)
{
	uint64_t exec = lanes_below(w, (int32_t)w->args[3]);
	lanes a, b, c;

	wave_load_words(w, exec, w->args[0], a);
	wave_load_words(w, exec, w->args[1], b);
	FOR_LANES(lane, exec)
		c[lane] = model_float(float_of(a[lane]) + float_of(b[lane]));
	wave_store_words(w, exec, w->args[2], c);
}

/* the next round of a loop over all of @n by the items of the grid; its lanes, 0: none left */
static uint64_t next_round(struct model_wave *w, int32_t n)
{
	FOR_LANES(lane, w->exec)
		w->x[lane] += w->groups[0] * w->size[0];
	return lanes_below(w, n);
}

static void hip_saxpy(struct model_wave *w)
{
	int32_t n = (int32_t)w->args[3];
	uint64_t exec;
	lanes x, y;

	for (exec = lanes_below(w, n); exec; exec = next_round(w, n)) {
		wave_load_words(w, exec, w->args[1], x);
		wave_load_words(w, exec, w->args[2], y);
		FOR_LANES(lane, exec)
			y[lane] = model_float(fmaf(float_of(w->args[0]), float_of(x[lane]),
						   float_of(y[lane])));
		wave_store_words(w, exec, w->args[2], y);
	}
}

static void hip_overrun(struct model_wave *w)
{
	int32_t n = (int32_t)w->args[2];
	uint64_t exec = lanes_below(w, n + 1);
	lanes at, left, right, mean;

	FOR_LANES(lane, exec)
		at[lane] = w->args[0] + 4ULL * (w->x[lane] ? w->x[lane] - 1 : 0);
	wave_load(w, exec, at, 4, ADDR_ANY, &left);
	FOR_LANES(lane, exec)
		at[lane] = w->args[0] + 4ULL * (w->x[lane] - ((int32_t)w->x[lane] == n));
	wave_load(w, exec, at, 4, ADDR_ANY, &right);
	FOR_LANES(lane, exec)
		mean[lane] = model_float((float_of(left[lane]) + float_of(right[lane])) / 2);
	wave_store_words(w, exec, w->args[1], mean);
}

static bool is_inside(const struct model_wave *w, unsigned int lane)
{
	return w->x[lane] && w->x[lane] + 1 < w->args[2] &&
	       w->y[lane] && w->y[lane] + 1 < w->args[3] &&
	       w->z[lane] && w->z[lane] + 1 < w->args[4];
}

/* as its neighbours are loaded in any order, no case watches loads */
static void hip_stencil(struct model_wave *w)
{
	const uint32_t row = (uint32_t)w->args[2], plane = row * (uint32_t)w->args[3];
	const uint32_t steps[6] = { -1U, 1, -row, row, -plane, plane };
	lanes index, sum, at, value;
	unsigned int n;

	FOR_LANES(lane, w->exec) {
		index[lane] = w->z[lane] * plane + w->y[lane] * row + w->x[lane];
		at[lane] = w->args[0] + 4 * index[lane];
	}
	wave_load(w, w->exec, at, 4, ADDR_ANY, &sum);
	FOR_LANES(lane, w->exec)
		if (is_inside(w, lane))
			sum[lane] = -6 * sum[lane];
	for (n = 0; n < 6; n++)
		FOR_LANES(lane, w->exec)
			if (is_inside(w, lane))
				sum[lane] += wave_peek(w, w->args[0] + 4ULL *
						       ((uint32_t)index[lane] + steps[n]));
	FOR_LANES(lane, w->exec) {
		at[lane] = w->args[1] + 4 * index[lane];
		value[lane] = (uint32_t)sum[lane];
	}
	wave_store(w, w->exec, at, 4, &value);
}

static void hip_memcpy(struct model_wave *w)
{
	int32_t n = (int32_t)w->args[2];
	lanes at, value[2];
	uint64_t exec;

	for (exec = lanes_below(w, n); exec; exec = next_round(w, n)) {
		lanes_at(w, w->args[0], 16, at);
		wave_load(w, exec, at, 16, ADDR_ANY, value);
		lanes_at(w, w->args[1], 16, at);
		wave_store(w, exec, at, 16, (const lanes *)value);
	}
}

static void hip_memset(struct model_wave *w)
{
	int32_t n = (int32_t)w->args[2];
	lanes at, value;
	uint64_t exec;

	for (exec = lanes_below(w, n); exec; exec = next_round(w, n)) {
		lanes_at(w, w->args[0], 1, at);
		lanes_x(w, 0, (uint32_t)w->args[1], value);
		wave_store(w, exec, at, 1, &value);
	}
}

/* ---- types.hip ----------------------------------------------------------- */

static void put_pixel(struct model_wave *w)
{
	uint64_t exec = lanes_below(w, (int32_t)w->args[1]);
	lanes at, value;
	unsigned int n;

	for (n = 0; n < 3; n++) {
		lanes_at(w, w->args[0] + n, 3, at);
		lanes_x(w, 1, n, value);
		wave_store(w, exec, at, 1, &value);
	}
}

static uint64_t word_pair(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

static void put_point(struct model_wave *w)
{
	uint64_t exec = lanes_below(w, (int32_t)w->args[1]);
	lanes at, value[2];

	lanes_at(w, w->args[0], 12, at);
	FOR_LANES(lane, exec) {
		value[0][lane] = word_pair(w->x[lane], 2 * w->x[lane]);
		value[1][lane] = 3 * w->x[lane];
	}
	wave_store(w, exec, at, 12, (const lanes *)value);
}

static void put_quad(struct model_wave *w)
{
	uint64_t exec = lanes_below(w, (int32_t)w->args[1]);
	lanes at, value[2];

	lanes_at(w, w->args[0], 16, at);
	FOR_LANES(lane, exec) {
		value[0][lane] = word_pair(w->x[lane], -w->x[lane]);
		value[1][lane] = word_pair(w->x[lane] * w->x[lane], 7);
	}
	wave_store(w, exec, at, 16, (const lanes *)value);
}

static void hip_fields(struct model_wave *w)
{
	const uint32_t middle = 0xfffff << 5;
	lanes word;

	wave_load_words(w, w->exec, w->args[0], word);
	FOR_LANES(lane, w->exec)
		word[lane] = (word[lane] & ~middle) |
			     ((w->x[lane] + (uint32_t)w->args[1]) << 5 & middle);
	wave_store_words(w, w->exec, w->args[0], word);
}

/*
 * The libraries differ in the last bits of 53. After the point 24 are left, so that for
 * these angles the result is the same.
 */
static void hip_trig(struct model_wave *w)
{
	lanes from, at, value;
	double scale, angle;

	memcpy(&scale, &w->args[2], sizeof(scale));
	wave_load_words(w, w->exec, w->args[0], from);
	FOR_LANES(lane, w->exec) {
		angle = (int32_t)from[lane] * scale;
		value[lane] = (uint64_t)llrint(ldexp(sin(angle) * cos(2 * angle), 24));
	}
	lanes_at(w, w->args[1], 8, at);
	wave_store(w, w->exec, at, 8, &value);
}

static void hip_long(struct model_wave *w)
{
	lanes at, value;

	lanes_at(w, w->args[0], 8, at);
	wave_load(w, w->exec, at, 8, ADDR_ANY, &value);
	FOR_LANES(lane, w->exec)
		value[lane] = value[lane] * w->args[2] +
			      (uint64_t)(((int64_t)value[lane] >> 3) / 1000);
	lanes_at(w, w->args[1], 8, at);
	wave_store(w, w->exec, at, 8, &value);
}

/* of a positive number that has one */
static uint64_t exact_half(float f)
{
	uint64_t bits = model_float(f);

	return ((bits >> 23) - 127 + 15) << 10 | (bits >> 13 & 0x3ff);
}

static void hip_half(struct model_wave *w)
{
	lanes from, at, value;

	wave_load_words(w, w->exec, w->args[0], from);
	FOR_LANES(lane, w->exec)
		value[lane] = exact_half(float_of(from[lane]) + 0.25f);
	lanes_at(w, w->args[1], 2, at);
	wave_store(w, w->exec, at, 2, &value);
}

const struct model_kernel model_hip[] = {
	{ "hip_vadd", { 128 }, hip_vadd },
	{ "hip_saxpy", { 64 }, hip_saxpy },
	{ "hip_overrun", { 64 }, hip_overrun },
	{ "hip_stencil", { 8, 4, 4 }, hip_stencil },
	{ "hip_memcpy", { 64 }, hip_memcpy },
	{ "hip_memset", { 64 }, hip_memset },
	{ "_Z7hip_putI5pixelEvPT_i", { 64 }, put_pixel },
	{ "_Z7hip_putI5pointEvPT_i", { 64 }, put_point },
	{ "_Z7hip_putI4quadEvPT_i", { 64 }, put_quad },
	{ "hip_fields", { 64 }, hip_fields },
	{ "hip_trig", { 64 }, hip_trig },
	{ "hip_long", { 96 }, hip_long },
	{ "hip_half", { 64 }, hip_half },
	{}
};
