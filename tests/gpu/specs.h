/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dispatches of the test kernels that have a model (model.h), with arguments: what
 * compares a GPU with the models runs all of them.
 */
#ifndef TESTS_GPU_SPECS_H
#define TESTS_GPU_SPECS_H

#include <stdbool.h>
#include <stdint.h>

#define SPEC_ARGS	6
/* bytes that the buffers of a dispatch take at most, in all */
#define SPEC_MEMORY	(64 * 1024)

/**
 * enum spec_fill - what an argument is
 * @SPEC_END: none, the end of the arguments
 * @SPEC_BITS: a buffer of random bits
 * @SPEC_FLOATS: of random floats
 * @SPEC_IOTA: of 0, 1, 2, ...
 * @SPEC_CHAIN: of indices into itself
 * @SPEC_NUMBER: a number
 */
enum spec_fill {
	SPEC_END,
	SPEC_BITS,
	SPEC_FLOATS,
	SPEC_IOTA,
	SPEC_CHAIN,
	SPEC_NUMBER,
};

/**
 * struct spec_arg - an argument
 * @fill: what it is
 * @n: bytes of the buffer, or the number
 */
struct spec_arg {
	enum spec_fill fill;
	uint64_t n;
};

/**
 * struct spec - a dispatch
 * @file: code object, without ".elf"; NULL ends the list
 * @kernel: kernel
 * @grid: work-items
 * @workgroup: work-items
 * @args: arguments
 */
struct spec {
	const char *file;
	const char *kernel;
	uint32_t grid[2];
	uint32_t workgroup[2];
	struct spec_arg args[SPEC_ARGS];
};

extern const struct spec specs[];

/**
 * spec_place() - fill the buffers of a dispatch, one after the other
 * @spec: dispatch
 * @va: GPU address of the first one
 * @bytes: its memory, SPEC_MEMORY bytes
 * @args: out: addresses and numbers, SPEC_ARGS of them
 * @seed: of random bits
 *
 * Return: bytes used.
 */
uint64_t spec_place(const struct spec *spec, uint64_t va, char *bytes,
		    uint64_t *args, unsigned long long *seed);

/** spec_same_memory() - is @got, SPEC_MEMORY bytes, what a model left; else a comment of TAP */
bool spec_same_memory(const char *want, const char *got);

#endif /* TESTS_GPU_SPECS_H */
