// SPDX-License-Identifier: GPL-2.0
/*
 * Models of vadd.cl, aos.cl, histogram.cl, stencil.cl, diverge.cl, loop.cl,
 * copy.cl, private.cl and nop.cl.
 */
#include <math.h>
#include "model_wave.h"

static uint64_t add_f32(uint64_t a, uint64_t b)
{
	return model_float(float_of(a) + float_of(b));
}

static uint64_t mul_f32(uint64_t a, uint64_t b)
{
	return model_float(float_of(a) * float_of(b));
}

static uint64_t fma_f32(uint64_t a, uint64_t b)
{
	return model_float(fmaf(float_of(a), float_of(b), 0.5f));
}

static uint64_t xor_u32(uint64_t a, uint64_t b)
{
	return a ^ b;
}

/* c[i] = fn(a[i], b[i]) */
static void binary(struct model_wave *w, uint64_t exec,
		   uint64_t (*fn)(uint64_t a, uint64_t b))
{
	lanes at, a, b, c;

	lanes_at(w, w->args[0], 4, at);
	wave_load(w, exec, at, 4, ADDR_ANY, &a);
	lanes_at(w, w->args[1], 4, at);
	wave_load(w, exec, at, 4, ADDR_ANY, &b);
	FOR_LANES(lane, exec)
		c[lane] = fn(a[lane], b[lane]);
	lanes_at(w, w->args[2], 4, at);
	wave_store(w, exec, at, 4, &c);
}

static void vadd(struct model_wave *w)
{
	binary(w, lanes_below(w, (int32_t)w->args[3]), add_f32);
}

static void vmul(struct model_wave *w)
{
	binary(w, lanes_below(w, (int32_t)w->args[3]), mul_f32);
}

static void vfma(struct model_wave *w)
{
	binary(w, lanes_below(w, (int32_t)w->args[3]), fma_f32);
}

static void vxor(struct model_wave *w)
{
	binary(w, w->exec, xor_u32);
}

/* struct particle */
#define PARTICLE	20
#define PARTICLE_Z	8
#define PARTICLE_MASS	12

static void aos_member(struct model_wave *w, uint64_t offset, float plus)
{
	lanes at, value;

	lanes_at(w, w->args[0] + offset, PARTICLE, at);
	FOR_LANES(lane, w->exec)
		value[lane] = model_float((float)(int32_t)w->x[lane] + plus);
	wave_store(w, w->exec, at, 4, &value);
}

static void aos(struct model_wave *w)
{
	aos_member(w, 0, float_of(w->args[1]));
	aos_member(w, PARTICLE_Z, float_of(w->args[2]));
}

static void aos_pair(struct model_wave *w)
{
	lanes at, value;

	lanes_at(w, w->args[0] + PARTICLE_MASS, PARTICLE, at);
	FOR_LANES(lane, w->exec)
		value[lane] = (uint64_t)w->x[lane] << 32 | (uint32_t)w->args[1];
	wave_store(w, w->exec, at, 8, &value);
}

static uint64_t add_u32(uint64_t old, uint64_t a, uint64_t b)
{
	return (uint32_t)(old + a);
}

static void histogram(struct model_wave *w)
{
	lanes at, bin, one;

	lanes_at(w, w->args[0], 4, at);
	wave_load(w, w->exec, at, 4, ADDR_ANY, &bin);
	FOR_LANES(lane, w->exec) {
		at[lane] = w->args[1] + 4 * (bin[lane] & (w->args[2] - 1));
		one[lane] = 1;
	}
	wave_atomic(w, w->exec, at, 4, ADDR_KEPT, add_u32, one, NULL, NULL);
}

static void stencil_at(struct model_wave *w, uint64_t exec, const int32_t *i,
		       int32_t plus, int32_t end, float *out)
{
	lanes at, value;

	FOR_LANES(lane, exec) {
		int32_t n = i[lane] + plus;

		n = n < 0 ? 0 : n < end ? n : end - 1;
		at[lane] = w->args[0] + 4ULL * (uint32_t)n;
	}
	wave_load(w, exec, at, 4, ADDR_ANY, &value);
	FOR_LANES(lane, exec)
		out[lane] = float_of(value[lane]);
}

/* weights are powers of two: only the order of operations matters */
static void stencil(struct model_wave *w)
{
	int32_t width = (int32_t)w->args[2], height = (int32_t)w->args[3];
	int32_t i[MODEL_LANES], step[] = { 0, -1, 1, -width, width };
	float sum[MODEL_LANES] = {}, value[MODEL_LANES];
	uint64_t exec = 0;
	unsigned int n;
	lanes at, out;

	FOR_LANES(lane, w->exec) {
		i[lane] = (int32_t)w->y[lane] * width + (int32_t)w->x[lane];
		if ((int32_t)w->x[lane] <= width && (int32_t)w->y[lane] < height)
			exec |= 1ULL << lane;
	}
	for (n = 0; n < 5; n++) {
		stencil_at(w, exec, i, step[n], width * height, value);
		FOR_LANES(lane, exec)
			sum[lane] += (n ? 0.125f : 0.5f) * value[lane];
	}
	FOR_LANES(lane, exec) {
		at[lane] = w->args[1] + 4ULL * (uint32_t)i[lane];
		out[lane] = model_float(sum[lane]);
	}
	wave_store(w, exec, at, 4, &out);
}

static void diverge(struct model_wave *w)
{
	const uint64_t odd = 0xaaaaaaaaaaaaaaaa;
	uint64_t low = lanes_below(w, 96);
	lanes at, value;

	lanes_at(w, w->args[0], 4, at);
	lanes_x(w, 1, 0, value);
	wave_store(w, w->exec & odd, at, 4, &value);
	lanes_x(w, -1U, -1U, value);
	wave_store(w, w->exec & ~odd, at, 4, &value);
	lanes_x(w, 3, 0, value);
	wave_store(w, w->exec & ~low, at, 4, &value);
}

static void rounds(struct model_wave *w)
{
	lanes at, nr, value;
	uint32_t k;

	lanes_at(w, w->args[1], 4, at);
	wave_load(w, w->exec, at, 4, ADDR_ANY, &nr);
	for (k = 0; k < 7; k++) {
		uint64_t exec = 0;

		FOR_LANES(lane, w->exec)
			if (k < (nr[lane] & 7))
				exec |= 1ULL << lane;
		lanes_at(w, w->args[0] + 4 * k, 32, at);
		lanes_x(w, 1, k, value);
		wave_store(w, exec, at, 4, &value);
	}
}

static void even_groups(struct model_wave *w)
{
	lanes at, value;

	if (w->group[0] & 1)
		return;
	lanes_at(w, w->args[0], 4, at);
	lanes_x(w, 0, w->group[0], value);
	wave_store(w, w->exec, at, 4, &value);
}

static void spin(struct model_wave *w)
{
	uint32_t k, n = (uint32_t)w->args[1];
	lanes at, value;

	lanes_at(w, w->args[0], 4, at);
	lanes_x(w, 1, 0, value);
	FOR_LANES(lane, w->exec)
		for (k = 0; k < n; k++)
			value[lane] = (uint32_t)value[lane] * 1664525U + 1013904223U;
	wave_store(w, w->exec, at, 4, &value);
}

static void repeat(struct model_wave *w)
{
	uint32_t k, n = (uint32_t)w->args[1];
	lanes at, value;

	lanes_at(w, w->args[0], 4, at);
	for (k = 0; k < n; k++) {
		lanes_x(w, 0, k, value);
		wave_store(w, w->exec, at, 4, &value);
	}
}

static void copy(struct model_wave *w)
{
	uint64_t exec = 0;
	lanes at, value;

	FOR_LANES(lane, w->exec)
		if (w->x[lane] < (uint32_t)w->args[2])
			exec |= 1ULL << lane;
	lanes_at(w, w->args[0], 4, at);
	wave_load(w, exec, at, 4, ADDR_ANY, &value);
	lanes_at(w, w->args[1], 4, at);
	wave_store(w, exec, at, 4, &value);
}

#define PRIVATE_NR	24

static uint32_t private_value(uint32_t x)
{
	uint32_t a = x % PRIVATE_NR, b = (x >> 8) % PRIVATE_NR;

	return x + a * a + x + b * b;
}

static void private_array(struct model_wave *w)
{
	lanes at, value;

	lanes_at(w, w->args[0], 4, at);
	wave_load(w, w->exec, at, 4, ADDR_ANY, &value);
	FOR_LANES(lane, w->exec)
		value[lane] = private_value((uint32_t)value[lane]);
	lanes_at(w, w->args[1], 4, at);
	wave_store(w, w->exec, at, 4, &value);
}

static void nop(struct model_wave *w)
{
}

const struct model_kernel model_compute[] = {
	{ "vadd", { 64, 1 }, vadd },
	{ "vmul", { 64, 1 }, vmul },
	{ "vfma", { 64, 1 }, vfma },
	{ "vxor", { 128, 1 }, vxor },
	{ "aos", { 64, 1 }, aos },
	{ "aos_pair", { 64, 1 }, aos_pair },
	{ "histogram", { 64, 1 }, histogram },
	{ "stencil", { 16, 16 }, stencil },
	{ "diverge", { 64, 1 }, diverge },
	{ "rounds", { 64, 1 }, rounds },
	{ "even_groups", { 64, 1 }, even_groups },
	{ "spin", { 64, 1 }, spin },
	{ "repeat", { 64, 1 }, repeat },
	{ "copy", { 64, 1 }, copy },
	{ "private_array", { 64, 1 }, private_array },
	{ "nop", { 64, 1 }, nop },
	{}
};
