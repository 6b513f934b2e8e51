/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Element types of buffers. Pure.
 */
#ifndef GRUN_TYPES_H
#define GRUN_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum elem_kind {
	ELEM_SIGNED,
	ELEM_UNSIGNED,
	ELEM_FLOAT,
};

/**
 * struct elem_type - type of the elements of a buffer
 * @name: in scripts
 * @c_name: in kernel metadata
 * @kind: enum elem_kind
 * @size: bytes
 * @fraction: bits of the fraction of ELEM_FLOAT
 */
struct elem_type {
	const char *name;
	const char *c_name;
	enum elem_kind kind;
	unsigned int size;
	unsigned int fraction;
};

/* a number of a script */
struct number {
	bool is_float;
	bool negative;
	uint64_t num;	/* two's complement */
	double real;	/* same value */
};

/** elem_find() - type by its name in scripts, or NULL */
const struct elem_type *elem_find(const char *name);

/** elem_find_c() - type by its name in C, or NULL */
const struct elem_type *elem_find_c(const char *c_name);

/** elem_names() - "i8, u8, ..." for messages */
const char *elem_names(void);

/** elem_put() - store @n at @p; false if @type cannot hold it */
bool elem_put(const struct elem_type *type, void *p, const struct number *n);

/** elem_get() - load from @p */
struct number elem_get(const struct elem_type *type, const void *p);

/** elem_format() - as text that reads back as the same value */
void elem_format(const struct elem_type *type, const void *p, char *out,
		 size_t len);

#endif /* GRUN_TYPES_H */
