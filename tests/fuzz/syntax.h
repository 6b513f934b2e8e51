/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Descriptions of calls: the subset of syzkaller's syntax that ours use.
 * Anything unknown makes the program exit with its position in the file.
 */
#ifndef FUZZ_SYNTAX_H
#define FUZZ_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_CALLS	128
#define MAX_ARGS	6
#define MAX_RESOURCES	48

enum dir {
	DIR_IN	= 1,
	DIR_OUT	= 2,
	DIR_INOUT = 3,
};

enum type_kind {
	TYPE_CONST,
	TYPE_INT,
	TYPE_FLAGS,
	TYPE_LEN,
	TYPE_RESOURCE,
	TYPE_PTR,
	TYPE_VMA,
	TYPE_ARRAY,
	TYPE_STRING,
	TYPE_STRUCT,
	TYPE_UNION,
};

/**
 * struct resource - a value that one call makes and others use
 * @name: its name
 * @base: resource that it can be used as, too; or NULL
 * @size: bytes
 * @nr: index among all
 */
struct resource {
	const char *name;
	const struct resource *base;
	unsigned int size;
	unsigned int nr;
};

struct type;

/**
 * struct field - a field of a struct or a union, or an argument
 * @name: its name
 * @type: its type
 * @offset: offset in the struct
 * @dir: direction if it differs from the pointer's, else 0
 */
struct field {
	const char *name;
	const struct type *type;
	unsigned int offset;
	enum dir dir;
};

/**
 * struct type - of a value
 * @kind: determines which other fields are valid
 * @size: bytes; of an array 0 if @lo and @hi differ
 * @align: bytes
 * @lo: smallest value or number of elements; CONST: the value
 * @hi: largest
 * @ranged: INT: @lo and @hi are given
 * @bits: FLAGS: any combination of @values, else one of them
 * @values: FLAGS
 * @strings: STRING
 * @nr: number of @values, @strings or @fields
 * @res: RESOURCE
 * @elem: PTR, ARRAY
 * @dir: PTR
 * @fields: STRUCT, UNION
 * @name: STRUCT, UNION; LEN: the field that is measured
 */
struct type {
	enum type_kind kind;
	unsigned int size;
	unsigned int align;
	uint64_t lo;
	uint64_t hi;
	bool ranged;
	bool bits;
	const uint64_t *values;
	const char *const *strings;
	unsigned int nr;
	const struct resource *res;
	const struct type *elem;
	enum dir dir;
	const struct field *fields;
	const char *name;
};

/**
 * struct call - a system call, or one of the executor's
 * @name: "ioctl$GPUBP_SYNC"
 * @args: its arguments
 * @nr_args: number of arguments
 * @ret: returned resource, or NULL
 * @nr: index among all
 */
struct call {
	const char *name;
	struct field args[MAX_ARGS];
	unsigned int nr_args;
	const struct resource *ret;
	unsigned int nr;
};

/** struct constant - value of a name in the descriptions, from the C headers */
struct constant {
	const char *name;
	uint64_t value;
};

/** constants[] - terminated by a name of NULL; made by the script consts */
extern const struct constant constants[];

/** syntax_load() - read all *.txt of a directory; exits on an error */
void syntax_load(const char *dir);

/** syntax_calls() - all calls; stores their number in @nr */
const struct call *syntax_calls(unsigned int *nr);

/** syntax_call() - by name, or NULL */
const struct call *syntax_call(const char *name);

/** syntax_resource() - by name, or NULL */
const struct resource *syntax_resource(const char *name);

/** syntax_is_a() - true if a value of @res can be used as @wanted */
bool syntax_is_a(const struct resource *res, const struct resource *wanted);

#endif /* FUZZ_SYNTAX_H */
