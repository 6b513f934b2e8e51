/* SPDX-License-Identifier: GPL-2.0 */
/* References of kernels that are not their own: the result of a whole grid. */
#ifndef TESTS_CORPUS_REFS_H
#define TESTS_CORPUS_REFS_H

#include "corpus_run.h"

corpus_fn ref_reduce, ref_scan, ref_transpose, ref_histogram, ref_bitonic_sort,
	ref_matmul_tiled, ref_life, ref_heat, ref_floyd_warshall,
	ref_lds_atomics, ref_lds_widths, ref_lds_floats, ref_fft, ref_relay;
corpus_fn ref_ballots, ref_compaction, ref_permutes, ref_scalar_reads,
	ref_waterfall, ref_dpp_reduce, ref_dpp_moves;

corpus_fn ref_half_arith, ref_half_convert, ref_half_pairs, ref_half_packs;
corpus_fn ref_scalar_arguments;

#endif /* TESTS_CORPUS_REFS_H */
