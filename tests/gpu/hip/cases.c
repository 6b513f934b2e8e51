// SPDX-License-Identifier: GPL-2.0
/* The cases of the HIP kernels of this folder, for tests/selftests/truth.c. */
#include "truth_table.h"

#define PUT(type, size, number)							\
	{									\
		.elf = "hip/types", .kernel = "_Z7hip_putI" type "EvPT_i",		\
		.groups = { 2 }, .workgroup = { 64 },				\
		.buffers = { { 128 * (size), ZERO } },				\
		.args = { B(0), V(number) },					\
		.targets = { { STORE, 0, (size) * 70 }, { ANY, 0, (size) * 3 } },	\
		.gap = { true, 0, (size) * (number) },				\
	}

const struct truth_case truth_cases[] = {
	{
		.elf = "hip/arrays", .kernel = "hip_vadd", .groups = { 2 }, .workgroup = { 128 },
		.buffers = { { 1024, FLOATS }, { 1024, FLOATS }, { 1024, ZERO } },
		.args = { B(0), B(1), B(2), V(201) },
		.targets = { { STORE, 2, 4 * 150 }, { LOAD, 1, 4 * 150 } },
		.gap = { true, 2, 4 * 201 },
	}, {
		/* three and a half rounds */
		.elf = "hip/arrays", .kernel = "hip_saxpy", .groups = { 2 }, .workgroup = { 64 },
		.buffers = { { 2048, FLOATS }, { 2048, RANDOM } },
		.args = { F(1.5), B(0), B(1), V(450) },
		.targets = { { STORE, 1, 4 * 300 }, { LOAD, 0, 4 * 63 }, { ANY, 1, 4 * 420 } },
		.gap = { true, 1, 4 * 450 },
	}, {
		/* the first element behind the end is stored to, the next one is not */
		.elf = "hip/arrays", .kernel = "hip_overrun", .groups = { 3 }, .workgroup = { 64 },
		.buffers = { { 1024, FLOATS }, { 1024, ZERO } },
		.args = { B(0), B(1), V(128) },
		.targets = { { STORE, 1, 4 * 128 }, { STORE, 1, 4 * 127 } },
		.gap = { true, 1, 4 * 129 },
	}, {
		.elf = "hip/arrays", .kernel = "hip_stencil",
		.groups = { 2, 2, 2 }, .workgroup = { 8, 4, 4 },
		.buffers = { { 4096, RANDOM }, { 4096, ZERO } },
		.args = { B(0), B(1), V(16), V(8), V(8) },
		.targets = { { STORE, 1, 4 * (5 * 128 + 3 * 16 + 9) }, { STORE, 1, 4 * 127 } },
	}, {
		.elf = "hip/arrays", .kernel = "hip_memcpy", .groups = { 2 }, .workgroup = { 64 },
		.buffers = { { 16 * 200, RANDOM }, { 16 * 200, ZERO } },
		.args = { B(0), B(1), V(190) },
		.targets = { { STORE, 1, 16 * 70 + 4 }, { LOAD, 0, 16 * 150 } },
		.gap = { true, 1, 16 * 190 },
	}, {
		.elf = "hip/arrays", .kernel = "hip_memset", .groups = { 1 }, .workgroup = { 64 },
		.buffers = { { 512, IOTA } },
		.args = { B(0), V(0x5a), V(301) },
		.targets = { { STORE, 0, 70 }, { ANY, 0, 299 } },
		.gap = { true, 0, 301 },
	},
	PUT("5pixel", 3, 100),
	PUT("5point", 12, 75),
	PUT("4quad", 16, 90),
	{
		.elf = "hip/types", .kernel = "hip_fields", .groups = { 2 }, .workgroup = { 64 },
		.buffers = { { 512, RANDOM } },
		.args = { B(0), V(0xfffc0) },
		.targets = { { STORE, 0, 4 * 70 }, { LOAD, 0, 4 * 20 }, { ANY, 0, 4 * 80 } },
	}, {
		.elf = "hip/types", .kernel = "hip_trig", .groups = { 2 }, .workgroup = { 64 },
		.buffers = { { 512, RANDOM }, { 1024, ZERO } },
		.args = { B(0), B(1), D(12345.678) },
		.targets = { { STORE, 1, 8 * 70 } },
	}, {
		.elf = "hip/types", .kernel = "hip_long", .groups = { 2 }, .workgroup = { 96 },
		.buffers = { { 8 * 192, RANDOM }, { 8 * 192, ZERO } },
		.args = { B(0), B(1), V(1234567890123) },
		.targets = { { STORE, 1, 8 * 90 }, { STORE, 1, 8 * 70 + 4 } },
	}, {
		.elf = "hip/types", .kernel = "hip_half", .groups = { 2 }, .workgroup = { 64 },
		.buffers = { { 512, FLOATS }, { 256, ZERO } },
		.args = { B(0), B(1) },
		.targets = { { STORE, 1, 2 * 70 }, { LOAD, 0, 4 * 9 } },
	}, {
		.elf = "hip/waves", .kernel = "hip_transpose",
		.groups = { 3, 2 }, .workgroup = { 16, 16 },
		.buffers = { { 4 * 48 * 32, RANDOM }, { 4 * 48 * 32, ZERO } },
		.args = { B(0), B(1), V(48), V(32) },
		.targets = { { STORE, 1, 4 * (32 * 21 + 17) }, { LOAD, 0, 4 * 100 } },
	}, {
		.elf = "hip/waves", .kernel = "hip_reduce", .groups = { 3 }, .workgroup = { 256 },
		.buffers = { { 4 * 768, RANDOM }, { 64, ZERO } },
		.args = { B(0), B(1) },
		.targets = { { STORE, 1, 4 }, { LOAD, 0, 4 * 700 } },
		.gap = { true, 1, 12 },
	}, {
		.elf = "hip/waves", .kernel = "hip_scan", .groups = { 2 }, .workgroup = { 128 },
		.buffers = { { 1024, RANDOM }, { 1024, ZERO } },
		.args = { B(0), B(1) },
		.targets = { { STORE, 1, 4 * 200 } },
	}, {
		.elf = "hip/waves", .kernel = "hip_histogram", .groups = { 2 }, .workgroup = { 128 },
		.buffers = { { 4 * 700, RANDOM }, { 256, ZERO } },
		.args = { B(0), B(1), V(650) },
		.targets = { { ATOMIC, 1, 4 * 7 }, { LOAD, 0, 4 * 400 } },
	}, {
		.elf = "hip/waves", .kernel = "hip_compact", .groups = { 2 }, .workgroup = { 128 },
		.buffers = { { 1024, RANDOM }, { 1024, ZERO }, { 64, ZERO } },
		.args = { B(0), B(1), B(2) },
		.targets = { { STORE, 1, 4 * 70 }, { STORE, 2, 4 }, { LOAD, 0, 4 * 70 } },
	}, {
		.elf = "hip/waves", .kernel = "hip_tile", .groups = { 2 }, .workgroup = { 64 },
		.buffers = { { 512, IOTA }, { 512, ZERO } },
		.args = { B(0), B(1) },
		.targets = { { STORE, 1, 4 * 80 } },
		.gap = { true, 1, 4 * 81 },
	}, {
		.elf = "hip/paths", .kernel = "hip_switch", .groups = { 2 }, .workgroup = { 64 },
		.buffers = { { 4096, ZERO } },
		.args = { B(0) },
		.targets = { { STORE, 0, 70 }, { STORE, 0, 1024 + 2 * 71 }, { STORE, 0, 3072 + 8 * 73 } },
		/* the case without a store */
		.gap = { true, 0, 2048 + 4 * 74 },
	}, {
		.elf = "hip/paths", .kernel = "hip_recurse", .callee = "hip_recurse_level",
		.groups = { 2 }, .workgroup = { 64 },
		.buffers = { { 32 * 128, ZERO }, { 512, ZERO } },
		.args = { B(0), B(1) },
		.targets = { { STORE, 0, 32 * 69 + 8 }, { STORE, 1, 4 * 69 } },
	}, {
		.elf = "hip/paths", .kernel = "hip_table", .callee = "hip_table_",
		.groups = { 2 }, .workgroup = { 64 },
		.buffers = { { 4096, ZERO }, { 512, IOTA } },
		.args = { B(0), B(1) },
		.targets = { { STORE, 0, 69 }, { STORE, 0, 1024 + 4 * 70 }, { STORE, 0, 2048 + 8 * 71 } },
		.gap = { true, 0, 1024 + 4 * 71 },
	}, {
		.elf = "hip/paths", .kernel = "hip_virtual", .callee = "_ZNK",
		.groups = { 2 }, .workgroup = { 64 },
		.buffers = { { 2048, ZERO }, { 512, RANDOM } },
		.args = { B(0), B(1) },
		.targets = { { STORE, 0, 4 * 70 }, { STORE, 0, 1024 + 4 * 71 } },
	}, {
		.elf = "hip/paths", .kernel = "hip_cas", .groups = { 2 }, .workgroup = { 64 },
		.buffers = { { 128, RANDOM } },
		.args = { B(0) },
		.targets = { { ATOMIC, 0, 4 * 20 }, { ANY, 0, 4 * 9 } },
	}, {
		.elf = "hip/paths", .kernel = "hip_atomics", .groups = { 2 }, .workgroup = { 64 },
		.buffers = { { 16 * 128, IOTA }, { 1024, ZERO } },
		.args = { B(0), B(1) },
		.targets = { { ATOMIC, 0, 16 * 70 + 4 }, { STORE | ATOMIC, 1, 8 * 70 } },
		.gap = { true, 0, 16 * 70 + 12 },
	},
	{}
};
