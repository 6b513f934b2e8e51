// SPDX-License-Identifier: GPL-2.0
/*
 * All kernels of the corpus. Grids need not be multiples of workgroups, and n
 * may be smaller than the grid.
 */
#include "refs.h"

/* one kernel, by default 200 work-items in groups of 64, 190 of them active */
#define NATIVE(file_, name_, ...)					\
	{ .file = #file_, .name = #name_, .native = name_, .n = 190,	\
	  .grid = { 200, 1, 1 }, .wg = { 64, 1, 1 }, ##__VA_ARGS__ },
#define NATIVE_DECLARE(file_, name_, ...)	corpus_fn name_;
/* compared with ref_NAME() of refs_*.c */
#define REF(file_, name_, ...)						\
	{ .file = #file_, .name = #name_, .ref = ref_##name_, .n = 256,	\
	  .grid = { 256, 1, 1 }, .wg = { 64, 1, 1 }, ##__VA_ARGS__ },
#define REF_DECLARE(file_, name_, ...)	

#define F32	.a = FILL_FLOATS, .b = FILL_FLOATS
#define F64	.a = FILL_DOUBLES, .b = FILL_DOUBLES

#define TAME	.a = FILL_TAME, .b = FILL_TAME
#define SHAPE(x, y, wx, wy)	.grid = { x, y, 1 }, .wg = { wx, wy, 1 }

#define ALL(N, R)							\
	N(ints, int8_mix)						\
	N(ints, int16_mix)						\
	N(ints, int32_mix)						\
	N(ints, int64_mix)						\
	N(ints, div_small)						\
	N(ints, div32)							\
	N(ints, div64)							\
	N(ints, shifts)							\
	N(ints, bit_counts)						\
	N(ints, mul_high)						\
	N(ints, saturating)						\
	N(ints, vectors)						\
	N(flow, nested)							\
	N(flow, switch_dense)						\
	N(flow, switch_sparse)						\
	N(flow, irreducible)						\
	N(flow, collatz)						\
	N(flow, uniform)						\
	N(flow, scalars)						\
	N(floats, f32_arith, F32)					\
	N(floats, f32_compare, F32)					\
	N(floats, f32_min_max, F32)					\
	N(floats, f32_to_int, F32)					\
	N(floats, int_to_f32)						\
	N(floats, f32_round, F32)					\
	N(floats, f32_divide, F32)					\
	N(floats, f32_share, F32)					\
	N(floats, f32_root, F32, .ulp = 1)				\
	N(floats, f64_arith, F64)					\
	N(floats, f64_divide, F64)					\
	N(floats, f64_convert, .a = FILL_DOUBLES)			\
	N(floats, horner, .a = FILL_TAME, .b = FILL_TAME64)		\
	N(memory, widths)						\
	N(memory, struct_copy)						\
	N(memory, unaligned)						\
	N(memory, gather_scatter)					\
	N(memory, pointer_chase, .a = FILL_POINTERS)			\
	N(memory, byte_strings, .a = FILL_TEXT)				\
	N(memory, constant_tables)					\
	N(memory, flat_select)						\
	N(memory, matrix_walk, .a = FILL_TAME)				\
	N(atomics, atomics32)						\
	N(atomics, atomics64)						\
	N(atomics, tickets)						\
	N(atomics, cas_loops, .o = FILL_ZERO)				\
	N(atomics, bump_allocator, .o = FILL_ZERO)			\
	N(atomics, byte_flags)						\
	N(atomics, wrapping_counters, .o = FILL_ZERO)			\
	N(private, dynamic_index)					\
	N(private, quicksort)						\
	N(private, calls)						\
	N(private, big_frame)						\
	N(private, bytecode)						\
	R(lds, reduce, SHAPE(1024, 1, 256, 1), .n = 900)		\
	R(lds, scan, SHAPE(1024, 1, 256, 1), .n = 1024)			\
	R(lds, transpose, SHAPE(64, 64, 16, 16))			\
	R(lds, histogram, SHAPE(384, 1, 128, 1), .n = 5000)		\
	R(lds, bitonic_sort, SHAPE(1024, 1, 512, 1), .n = 1024)		\
	R(lds, matmul_tiled, SHAPE(64, 64, 16, 16), TAME)		\
	R(lds, life, SHAPE(48, 48, 16, 8), .n = 48)			\
	R(lds, heat, SHAPE(64, 32, 32, 32), TAME, .n = 5)		\
	R(lds, floyd_warshall, SHAPE(72, 24, 24, 24), .n = 3)		\
	R(lds, lds_atomics, SHAPE(512, 1, 128, 1), .n = 4)		\
	R(lds, lds_widths, SHAPE(512, 1, 128, 1), .n = 512)		\
	R(lds, lds_floats, SHAPE(1024, 1, 256, 1), .n = 4)		\
	R(lds, fft, SHAPE(384, 1, 128, 1), TAME, .n = 3)		\
	R(lds, relay, SHAPE(1024, 1, 1024, 1), .n = 13)			\
	R(lanes, ballots)						\
	R(lanes, compaction)						\
	R(lanes, permutes)						\
	R(lanes, scalar_reads)						\
	R(lanes, waterfall)						\
	R(lanes, dpp_reduce)						\
	R(lanes, dpp_moves)						\
	N(hash, sha256)							\
	N(hash, md5)							\
	N(hash, aes128)							\
	N(hash, chacha20)						\
	N(hash, crc32)							\
	N(hash, siphash)						\
	N(hash, generators)						\
	N(apps, mandelbrot)						\
	N(apps, nbody, TAME)						\
	N(apps, string_search, .a = FILL_TEXT, .b = FILL_TEXT)		\
	N(apps, big_multiply)						\
	N(apps, sieve)							\
	N(apps, run_length, .a = FILL_TEXT)				\
	N(apps, lz_match, .a = FILL_TEXT)				\
	N(apps, bit_matrix)						\
	N(apps, edit_distance, .a = FILL_TEXT, .b = FILL_TEXT)		\
	N(apps, queens)							\
	N(apps, base64)							\
	N(apps, dot_products, TAME)					\
	N(apps, heap)							\
	N(apps, utf8)							\
	N(shapes, odd_groups, SHAPE(950, 1, 100, 1))			\
	N(shapes, image, SHAPE(63, 41, 24, 6), .n = 63)			\
	N(shapes, volume, .grid = { 18, 17, 14 }, .wg = { 4, 5, 6 })	\
	N(shapes, full_group, SHAPE(2500, 1, 1024, 1), .n = 2400)	\
	N(shapes, lonely, SHAPE(8, 3, 1, 1))				\
	N(shapes, grid_stride, SHAPE(300, 1, 128, 1), .n = 3000)	\
	N(shapes, any_size, SHAPE(90, 11, 40, 3))			\
	N(builtins, bit_fields)						\
	N(builtins, byte_permutes)					\
	N(builtins, byte_distances)					\
	N(builtins, float_parts, .a = FILL_FLOATS)			\
	N(builtins, medians, .a = FILL_TAME)				\
	N(builtins, f32_special, TAME, .ulp = 1)			\
	N(builtins, packed16)						\
	N(builtins, triples)						\
	N(deep, pressure, SHAPE(1100, 1, 1024, 1), .n = 1090)		\
	N(deep, function_pointers)					\
	N(deep, call_tree)						\
	N(deep, state_machine)						\
	R(half, half_arith)						\
	R(half, half_convert, .a = FILL_FLOATS)				\
	R(half, half_pairs)						\
	R(half, half_packs)						\
	R(args, scalar_arguments)

ALL(NATIVE_DECLARE, REF_DECLARE)

const struct corpus_kernel corpus_kernels[] = { ALL(NATIVE, REF) };
const unsigned int corpus_nr_kernels =
	sizeof(corpus_kernels) / sizeof(*corpus_kernels);
