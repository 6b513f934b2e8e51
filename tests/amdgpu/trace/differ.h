/* SPDX-License-Identifier: GPL-2.0 */
/* Differences that there should be, each with its reason. */
#ifndef _AMDGPU_DIFFER_H
#define _AMDGPU_DIFFER_H

#include "trace.h"

/**
 * enum difference_kind - how two traces differ in one place
 * @DIFF_BITS: the same register, other bits
 * @DIFF_THEIRS: only they touch the register
 * @DIFF_OURS: only we do
 */
enum difference_kind {
	DIFF_BITS,
	DIFF_THEIRS,
	DIFF_OURS,
};

/**
 * struct difference - one that there should be
 * @gens: names of generations, with spaces around each
 * @call: function
 * @reg: register, of comparator 0 if it is one's
 * @nth: the n-th write of it in one call, from 0
 * @kind: how they differ
 * @bits: for DIFF_BITS: those that differ in some input, no more, no fewer
 * @why: the reason
 * @seen: bits that differed; for the other kinds not 0 if it was seen
 */
struct difference {
	const char *gens;
	const char *call;
	const char *reg;
	u8 nth;
	u8 kind;
	u32 bits;
	const char *why;
	u32 seen;
};

extern struct difference differences[];
extern const unsigned int nr_differences;

/**
 * struct pair - what stands side by side
 * @theirs: NULL if only we do it
 * @ours: NULL if only they do
 * @why: the difference that explains it; NULL if they are equal or nothing does
 */
struct pair {
	const struct trace_entry *theirs;
	const struct trace_entry *ours;
	struct difference *why;
};

#define PAIRS_MAX	64

bool traces_align(const struct gpubp_amd_gen *gen, const char *call,
		  const struct trace *theirs, const struct trace *ours,
		  struct pair *pairs, unsigned int *nr);

#endif /* _AMDGPU_DIFFER_H */
