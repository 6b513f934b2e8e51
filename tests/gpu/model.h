/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPU models of the test kernels: their effect on memory, and how often their
 * waves access watched bytes.
 *
 * A model runs a kernel wave by wave: 64 consecutive work-items of a workgroup,
 * x fastest. It executes the same vector memory instructions with the same
 * active lanes. A watch counts one for each executed instruction of a watched
 * kind for which the bytes of at least one active lane overlap it.
 */
#ifndef TESTS_GPU_MODEL_H
#define TESTS_GPU_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/gpubp.h>

#define MODEL_LANES	64
#define MODEL_MAX_MAPS	16
#define MODEL_MAX_WATCHES	512

/**
 * struct model_map - memory that the model may access
 * @va: GPU address
 * @bytes: contents, modified by stores
 * @size: bytes
 */
struct model_map {
	uint64_t va;
	unsigned char *bytes;
	size_t size;
};

/**
 * struct model_watch - what to count
 * @addr: first byte
 * @len: bytes
 * @access: GPUBP_ACCESS_*
 * @count: instructions that accessed it
 * @eaten: of these, loads and atomics known to overwrite registers that their
 *	address came from
 * @maybe_eaten: of these, loads where that depends on the compiler
 */
struct model_watch {
	uint64_t addr;
	uint64_t len;
	unsigned int access;
	uint64_t count;
	uint64_t eaten;
	uint64_t maybe_eaten;
};

/**
 * enum model_addr - does an instruction overwrite its own address registers?
 * @ADDR_KEPT: no
 * @ADDR_EATEN: yes
 * @ADDR_ANY: the compiler's choice
 */
enum model_addr {
	ADDR_KEPT,
	ADDR_EATEN,
	ADDR_ANY,
};

/**
 * struct model_hit - an instruction that accessed a watch
 * @watch: the watch
 * @group: workgroup
 * @wave: number of the wave in its workgroup
 * @access: one GPUBP_ACCESS_*
 * @width: bytes per lane
 * @kept: whether the address registers survived
 * @lanes: lanes whose bytes overlap the watch
 * @addr: address of the lowest of them
 * @exec: active lanes
 * @at: addresses of these
 * @data: what each of them stored or loaded, or its operand: a row of lanes for each 8
 *	bytes
 * @old: what each of them found, likewise, if its registers have that; else NULL
 */
struct model_hit {
	const struct model_watch *watch;
	uint32_t group[3];
	unsigned int wave;
	unsigned int access;
	unsigned int width;
	enum model_addr kept;
	uint64_t lanes;
	uint64_t addr;
	uint64_t exec;
	const uint64_t *at;
	const uint64_t (*data)[MODEL_LANES];
	const uint64_t (*old)[MODEL_LANES];
};

/**
 * struct model - memory, watches, and what was counted
 * @maps: memory
 * @nr_maps: entries of @maps
 * @watches: watches
 * @nr_watches: entries of @watches
 * @faults: number of lanes that accessed unmapped memory
 * @fault: the first such address
 * @on_hit: called for each instruction that accessed a watch, in the order of
 *	each wave; may be NULL
 * @arg: for @on_hit
 */
struct model {
	struct model_map maps[MODEL_MAX_MAPS];
	unsigned int nr_maps;
	struct model_watch watches[MODEL_MAX_WATCHES];
	unsigned int nr_watches;
	uint64_t faults;
	uint64_t fault;
	void (*on_hit)(const struct model_hit *hit, void *arg);
	void *arg;
};

/**
 * model_map() - add memory to the model
 * @m: model, zeroed at first
 * @va: GPU address
 * @bytes: contents; used in place
 * @size: bytes
 *
 * Return: false if there are too many, or ranges overlap.
 */
bool model_map(struct model *m, uint64_t va, void *bytes, size_t size);

/**
 * model_watch() - count accesses to a range
 *
 * Return: the watch, whose count starts at 0; NULL if there are too many.
 */
struct model_watch *model_watch(struct model *m, uint64_t addr, uint64_t len,
				unsigned int access);

/**
 * model_run() - run a kernel
 * @m: model
 * @kernel: its name
 * @grid: work-items, a multiple of @workgroup
 * @workgroup: work-items
 * @args: arguments, pointers and values alike; floats by model_float()
 *
 * Return: false if there is no model of @kernel, or the sizes are wrong.
 */
bool model_run(struct model *m, const char *kernel, const uint32_t grid[3],
	       const uint32_t workgroup[3], const uint64_t *args);

/** model_float() - a float as an argument of model_run() */
uint64_t model_float(float f);

/** model_name() - name of modelled kernel number @n, NULL after the last */
const char *model_name(unsigned int n);

#endif /* TESTS_GPU_MODEL_H */
