// SPDX-License-Identifier: GPL-2.0
#include "truth_table.h"

#define BINARY(k)								\
	{									\
		.elf = "vadd", .kernel = k, .groups = { 3, 1 },			\
		.buffers = { { 1024, FLOATS }, { 1024, FLOATS }, { 1024, ZERO } }, \
		.args = { B(0), B(1), B(2), V(150) },				\
		.targets = { { STORE, 2, 4 * 70 }, { LOAD, 0, 4 * 70 } },	\
		.gap = { true, 2, 4 * 150 },					\
	}

/* lanes of 128 bytes */
#define STORES(k, offset, hole)							\
	{									\
		.elf = "stores", .kernel = k, .groups = { 2, 1 },		\
		.buffers = { { 128 * 128 + 128, ZERO } },			\
		.args = { B(0) },						\
		.targets = { { STORE, 0, 128 * 65 + offset }, { ANY, 0, offset } }, \
		.gap = { true, 0, 128 * 65 + hole },				\
	}

#define RETURNING(k, pattern)							\
	{									\
		.elf = "atomics", .kernel = k, .groups = { 2, 1 },		\
		.buffers = { { 1024, pattern }, { 1024, ZERO } },		\
		.args = { B(0), B(1) },						\
		.targets = { { ATOMIC, 0, 4 * 40 }, { STORE, 1, 4 * 70 },	\
			     { ANY, 0, 4 * 90 } },				\
	}

const struct truth_case truth_cases[] = {
	BINARY("vadd"),
	BINARY("vmul"),
	BINARY("vfma"),
	{
		.elf = "vadd", .kernel = "vxor", .groups = { 2, 1 },
		.buffers = { { 1024, RANDOM }, { 1024, RANDOM }, { 2048, ZERO } },
		.args = { B(0), B(1), B(2) },
		.targets = { { STORE, 2, 4 * 200 } },
	}, {
		.elf = "aos", .kernel = "aos", .groups = { 2, 1 },
		.buffers = { { 128 * 20, ZERO } },
		.args = { B(0), F(0.5), F(1.5) },
		.targets = { { STORE, 0, 20 * 70 } },
		.gap = { true, 0, 20 * 70 + 4 },
	}, {
		.elf = "aos", .kernel = "aos_pair", .groups = { 2, 1 },
		.buffers = { { 128 * 20, ZERO } },
		.args = { B(0), V(77) },
		.targets = { { STORE, 0, 20 * 70 + 12 } },
		.gap = { true, 0, 20 * 70 + 11 },
	}, {
		.elf = "histogram", .kernel = "histogram", .groups = { 3, 1 },
		.buffers = { { 1024, RANDOM }, { 256, ZERO } },
		.args = { B(0), B(1), V(32) },
		.targets = { { ATOMIC, 1, 4 * 7 }, { LOAD, 0, 4 * 100 } },
	}, {
		.elf = "stencil", .kernel = "stencil", .groups = { 3, 2 },
		.buffers = { { 4096, FLOATS }, { 4096, ZERO } },
		.args = { B(0), B(1), V(40), V(20) },
		/* the element one past the end is stored to, the next one is not */
		.targets = { { STORE, 1, 4 * 40 * 20 }, { STORE, 1, 4 * 80 },
			     { LOAD, 0, 4 * 85 } },
		.gap = { true, 1, 4 * 40 * 20 + 4 },
	}, {
		.elf = "diverge", .kernel = "diverge", .groups = { 2, 1 },
		.buffers = { { 1024, ZERO } },
		.args = { B(0) },
		.targets = { { STORE, 0, 4 * 101 } },
	}, {
		.elf = "diverge", .kernel = "rounds", .groups = { 2, 1 },
		.buffers = { { 4096, ZERO }, { 512, RANDOM } },
		.args = { B(0), B(1) },
		.targets = { { STORE, 0, 32 * 70 } },
		/* the eighth word of a lane */
		.gap = { true, 0, 32 * 70 + 28 },
	}, {
		.elf = "diverge", .kernel = "even_groups", .groups = { 4, 1 },
		.buffers = { { 1024, ZERO } },
		.args = { B(0) },
		.targets = { { STORE, 0, 4 * 63 }, { STORE, 0, 4 * 130 } },
	}, {
		.elf = "loop", .kernel = "spin", .groups = { 2, 1 },
		.buffers = { { 1024, ZERO } },
		.args = { B(0), V(100) },
		.targets = { { STORE, 0, 4 * 70 } },
	}, {
		.elf = "loop", .kernel = "repeat", .groups = { 2, 1 },
		.buffers = { { 1024, ZERO } },
		.args = { B(0), V(9) },
		.targets = { { STORE, 0, 4 * 63 } },
	}, {
		.elf = "copy", .kernel = "copy", .groups = { 2, 1 },
		.buffers = { { 1024, RANDOM }, { 1024, ZERO } },
		.args = { B(0), B(1), V(99) },
		.targets = { { STORE, 1, 4 * 80 }, { LOAD, 0, 4 * 80 } },
		.gap = { true, 1, 4 * 99 },
	},
	STORES("st_widths", 4, 1),
	STORES("st_straddle", 60, 72),
	STORES("st_forms", 16, 66),
	{
		.elf = "loads", .kernel = "ld_keep", .groups = { 2, 1 },
		.buffers = { { 1024, IOTA } },
		.args = { B(0) },
		.targets = { { LOAD, 0, 4 * 70 }, { STORE, 0, 4 * 70 },
			     { ANY, 0, 4 * 70 } },
	}, {
		.elf = "loads", .kernel = "ld_widths", .groups = { 2, 1 },
		.buffers = { { 128 * 64, RANDOM }, { 1024, ZERO } },
		.args = { B(0), B(1) },
		.targets = { { LOAD, 0, 64 * 70 }, { LOAD, 0, 64 * 71 + 16 } },
		.gap = { true, 0, 64 * 70 + 1 },
	}, {
		.elf = "loads", .kernel = "ld_eat", .groups = { 2, 1 },
		.buffers = { { 1024, IOTA }, { 1024, ZERO } },
		.args = { B(0), B(1) },
		.targets = { { LOAD, 0, 4 * 70 }, { STORE, 1, 4 * 70 } },
	}, {
		.elf = "loads", .kernel = "ld_chase", .groups = { 1, 1 },
		.buffers = { { 512, CHASE }, { 1024, ZERO } },
		.args = { B(0), B(1), V(5) },
		.targets = { { LOAD, 0, 4 * 40 }, { STORE, 1, 4 * 40 } },
	}, {
		.elf = "atomics", .kernel = "at_add", .groups = { 2, 1 },
		.buffers = { { 512, IOTA } },
		.args = { B(0), V(31) },
		.targets = { { ATOMIC, 0, 4 * 20 } },
	},
	RETURNING("at_ret", RANDOM),
	RETURNING("at_eat", RANDOM),
	RETURNING("at_cmpswap", IOTA),
	{
		.elf = "atomics", .kernel = "at_wide", .groups = { 2, 1 },
		.buffers = { { 2048, RANDOM } },
		.args = { B(0) },
		.targets = { { ATOMIC, 0, 8 * 70 } },
	}, {
		.elf = "atomics", .kernel = "at_ops", .groups = { 2, 1 },
		.buffers = { { 128 * 32, RANDOM } },
		.args = { B(0) },
		.targets = { { ATOMIC, 0, 32 * 70 }, { STORE | ATOMIC, 0, 32 * 70 + 20 } },
	},
	{}
};
