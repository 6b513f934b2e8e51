/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases of truth.c: kernels of tests/gpu with arguments and watches. Those of HIP kernels
 * are tests/gpu/hip/cases.c, instead of truth_cases.c.
 */
#ifndef SELFTESTS_TRUTH_CASES_H
#define SELFTESTS_TRUTH_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CASE_BUFFERS	3
#define CASE_ARGS	5
#define CASE_TARGETS	3

enum pattern {
	ZERO,
	IOTA,		/* dword i is i */
	FLOATS,		/* dword i is the float i / 2 */
	RANDOM,
	CHASE,		/* dword i is (17 i + 5) modulo their number */
};

/**
 * struct case_buffer - memory of a kernel
 * @size: bytes, 0: buffer is not used
 * @pattern: initial contents
 */
struct case_buffer {
	size_t size;
	enum pattern pattern;
};

/* kinds of arguments */
enum arg_kind { NONE, BUFFER, VALUE, FLOAT, DOUBLE };

struct case_arg {
	enum arg_kind kind;
	double value;	/* number of the buffer, or the value */
};

/**
 * struct case_target - an access that watches of all lengths are placed at
 * @access: GPUBP_ACCESS_*, 0: unused entry
 * @buffer: number of a buffer
 * @at: offset in it that the kernel accesses
 */
struct case_target {
	unsigned int access;
	unsigned int buffer;
	uint64_t at;
};

/**
 * struct case_gap - an unaccessed byte in a granule with accesses
 * @there: the case has one
 * @buffer: number of a buffer
 * @at: offset in it
 */
struct case_gap {
	bool there;
	unsigned int buffer;
	uint64_t at;
};

/**
 * struct truth_case - one kernel
 * @elf: its code object
 * @kernel: name
 * @callee: names of functions that it calls begin so; NULL: it does all accesses
 * @groups: workgroups; 0 is 1
 * @workgroup: work-items of one, likewise, unless the kernel demands a size
 * @buffers: memory
 * @args: arguments
 * @targets: accesses to watch
 * @gap: unaccessed neighbour, for accesses like the first target's
 */
struct truth_case {
	const char *elf;
	const char *kernel;
	const char *callee;
	unsigned int groups[3];
	unsigned int workgroup[3];
	struct case_buffer buffers[CASE_BUFFERS];
	struct case_arg args[CASE_ARGS];
	struct case_target targets[CASE_TARGETS];
	struct case_gap gap;
};

/**
 * struct shape - a watch relative to an access
 * @name: description
 * @at: bytes after case_target.at
 * @len: bytes
 * @granule_end: @at counts from the end of the granule that contains
 *	case_target.at
 */
struct shape {
	const char *name;
	int at;
	unsigned int len;
	bool granule_end;
};

extern const struct truth_case truth_cases[];	/* ends with elf NULL */
extern const struct shape shapes[];		/* ends with name NULL */

#endif /* SELFTESTS_TRUTH_CASES_H */
