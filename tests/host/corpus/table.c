// SPDX-License-Identifier: GPL-2.0
/*
 * All kernels of the corpus. Grids need not be multiples of workgroups, nor n
 * be as large as the grid.
 */
#include "corpus_run.h"

/* one kernel, by default 200 work-items in groups of 64, 190 of them busy */
#define NATIVE(file_, name_, ...)					\
	{ .file = #file_, .name = #name_, .native = name_, .n = 190,	\
	  .grid = { 200, 1, 1 }, .wg = { 64, 1, 1 }, ##__VA_ARGS__ },
#define NATIVE_DECLARE(file_, name_, ...)	corpus_fn name_;
/* compared with ref_NAME() of refs_*.c */
#define REF(file_, name_, ...)						\
	{ .file = #file_, .name = #name_, .ref = ref_##name_, .n = 256,	\
	  .grid = { 256, 1, 1 }, .wg = { 64, 1, 1 }, ##__VA_ARGS__ },
#define REF_DECLARE(file_, name_, ...)	corpus_fn ref_##name_;

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
	N(flow, uniform)

ALL(NATIVE_DECLARE, REF_DECLARE)

const struct corpus_kernel corpus_kernels[] = { ALL(NATIVE, REF) };
const unsigned int corpus_nr_kernels =
	sizeof(corpus_kernels) / sizeof(*corpus_kernels);
