/* SPDX-License-Identifier: GPL-2.0 */
/* Definition of kernel models: waves and their instructions. */
#ifndef TESTS_GPU_MODEL_WAVE_H
#define TESTS_GPU_MODEL_WAVE_H

#include "model.h"

/* one value per lane */
typedef uint64_t lanes[MODEL_LANES];

/**
 * struct model_wave - a wave about to run
 * @m: memory and watches
 * @exec: lanes with a work-item
 * @x: global id of each lane
 * @y: likewise
 * @z: likewise
 * @size: work-items of a workgroup
 * @groups: workgroups of the grid
 * @group: workgroup
 * @number: of the wave in its workgroup
 * @args: of the kernel
 */
struct model_wave {
	struct model *m;
	uint64_t exec;
	uint32_t x[MODEL_LANES];
	uint32_t y[MODEL_LANES];
	uint32_t z[MODEL_LANES];
	uint32_t size[3];
	uint32_t groups[3];
	uint32_t group[3];
	unsigned int number;
	const uint64_t *args;
};

/* executes a wave of a kernel */
typedef void (*model_fn)(struct model_wave *w);

/**
 * struct model_kernel - a kernel with a model
 * @name: of the kernel
 * @workgroup: its fixed workgroup size; 0 is 1
 * @run: model
 */
struct model_kernel {
	const char *name;
	uint32_t workgroup[3];
	model_fn run;
};

/* the tables, one per file, each terminated by a NULL name */
extern const struct model_kernel model_compute[];
extern const struct model_kernel model_stores[];
extern const struct model_kernel model_loads[];
extern const struct model_kernel model_values[];
extern const struct model_kernel model_hip[];
extern const struct model_kernel model_hip_paths[];
extern const struct model_kernel model_hip_waves[];

#define FOR_LANES(lane, mask) \
	for (unsigned int lane = 0; lane < MODEL_LANES; lane++) \
		if ((mask) >> lane & 1)

/*
 * Vector memory instructions. @exec: active lanes; @addr: one address per lane;
 * @width: bytes per lane. Values of more than 8 bytes take @width / 8, rounded
 *	up,
 * rows of lanes.
 */
void wave_load(struct model_wave *w, uint64_t exec, const lanes addr,
	       unsigned int width, enum model_addr kept, lanes *value);
void wave_store(struct model_wave *w, uint64_t exec, const lanes addr,
		unsigned int width, const lanes *value);

/* new value of an atomic, from the old one and two operands */
typedef uint64_t (*atomic_fn)(uint64_t old, uint64_t a, uint64_t b);

/* some that several files need; the second operand is that of a comparison */
uint64_t op_add(uint64_t old, uint64_t a, uint64_t b);
uint64_t op_or(uint64_t old, uint64_t a, uint64_t b);
uint64_t op_smax(uint64_t old, uint64_t a, uint64_t b);
uint64_t op_cmpswap(uint64_t old, uint64_t a, uint64_t b);
uint64_t op_cmpswap64(uint64_t old, uint64_t a, uint64_t b);
uint64_t op_swap(uint64_t old, uint64_t a, uint64_t b);

/* lane by lane; @old may be NULL; @b NULL is 0 */
void wave_atomic(struct model_wave *w, uint64_t exec, const lanes addr,
		 unsigned int width, enum model_addr kept, atomic_fn fn,
		 const lanes a, const lanes b, lanes old);

/** wave_load_words() - a dword a lane, @value[lane] = @base[x[lane]] */
void wave_load_words(struct model_wave *w, uint64_t exec, uint64_t base, lanes value);

/** wave_store_words() - likewise */
void wave_store_words(struct model_wave *w, uint64_t exec, uint64_t base,
		      const lanes value);

/** wave_peek() - a dword of memory that is no access of this wave: another one loaded it */
uint32_t wave_peek(const struct model_wave *w, uint64_t addr);

/** lanes_at() - @out[lane] = @base + @scale * x[lane] */
void lanes_at(const struct model_wave *w, uint64_t base, uint64_t scale,
	      lanes out);

/** lanes_x() - @out[lane] = @scale * x[lane] + @plus, 32 bits */
void lanes_x(const struct model_wave *w, uint32_t scale, uint32_t plus,
	     lanes out);

/** lanes_below() - the lanes of the wave whose x, as int, is below @n */
uint64_t lanes_below(const struct model_wave *w, int32_t n);

/** float_of() - what model_float() made of a float */
float float_of(uint64_t bits);

#endif /* TESTS_GPU_MODEL_WAVE_H */
