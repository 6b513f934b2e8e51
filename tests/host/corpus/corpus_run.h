/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The corpus on the host: a table of kernels with their inputs and the
 * references for their outputs.
 */
#ifndef TESTS_CORPUS_RUN_H
#define TESTS_CORPUS_RUN_H

#include <linux/types.h>

#define BUF_SIZE	0x8000

/* a kernel or its reference; n is the kernel's argument n */
typedef void corpus_fn(const void *a, const void *b, void *o, unsigned int n);

/* initial contents of a buffer */
enum corpus_fill {
	FILL_BITS,		/* uniform random bits */
	FILL_FLOATS,		/* floats of all kinds: NaN, denormals, ... */
	FILL_DOUBLES,
	FILL_TAME,		/* floats between -8 and 8 */
	FILL_TAME64,
	FILL_TEXT,		/* bytes of a small alphabet, long repeats */
	FILL_ZERO,
	FILL_BYTES,		/* words below 256 */
	FILL_POINTERS,		/* addresses of 8 byte cells of this buffer */
};

/**
 * struct corpus_kernel - an entry of the table
 * @file: code object
 * @name: kernel
 * @native: the same source compiled for the host; called for each work-item
 * @ref: reference for the whole grid, if @native is not set
 * @a: input
 * @b: input
 * @o: output; its initial contents are an input as well
 * @grid: work-items
 * @wg: work-items per workgroup
 * @n: argument n
 * @ulp: output is floats, with an allowed error in units in the last place
 */
struct corpus_kernel {
	const char *file, *name;
	corpus_fn *native, *ref;
	enum corpus_fill a, b, o;
	u32 grid[3], wg[3];
	u32 n;
	u32 ulp;
};

/* OpenCL's layout; most kernels have no argument after n */
struct corpus_args {
	u64 a, b, o;
	u32 n;
	s8 c;
	s16 s;
	float f;
	double d;
	u32 v[4];
	u32 first;
	u64 second, l;
};

extern const struct corpus_args corpus_args;

extern const struct corpus_kernel corpus_kernels[];
extern const unsigned int corpus_nr_kernels;

/* native.c: run @k for each work-item of its grid, or its reference */
void corpus_native(const struct corpus_kernel *k, const void *a,
		   const void *b, void *o);

/* fill.c */
void corpus_fill(enum corpus_fill kind, void *buf, u64 *seed);

#endif /* TESTS_CORPUS_RUN_H */
