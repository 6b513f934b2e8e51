// SPDX-License-Identifier: GPL-2.0
/*
 * Element types of buffers.
 */
#include <stdio.h>
#include <string.h>
#include "types.h"

static const struct elem_type elem_types[] = {
	{ "i8", "char", ELEM_SIGNED, 1 },
	{ "u8", "uchar", ELEM_UNSIGNED, 1 },
	{ "i16", "short", ELEM_SIGNED, 2 },
	{ "u16", "ushort", ELEM_UNSIGNED, 2 },
	{ "i32", "int", ELEM_SIGNED, 4 },
	{ "u32", "uint", ELEM_UNSIGNED, 4 },
	{ "i64", "long", ELEM_SIGNED, 8 },
	{ "u64", "ulong", ELEM_UNSIGNED, 8 },
	{ "f32", "float", ELEM_FLOAT, 4 },
	{ "f64", "double", ELEM_FLOAT, 8 },
};

#define NR_TYPES	(sizeof(elem_types) / sizeof(elem_types[0]))

const struct elem_type *elem_find(const char *name)
{
	size_t i;

	for (i = 0; i < NR_TYPES; i++)
		if (!strcmp(elem_types[i].name, name))
			return &elem_types[i];
	return NULL;
}

const struct elem_type *elem_find_c(const char *c_name)
{
	size_t i;

	for (i = 0; i < NR_TYPES; i++)
		if (!strcmp(elem_types[i].c_name, c_name))
			return &elem_types[i];
	return NULL;
}

const char *elem_names(void)
{
	return "i8, u8, i16, u16, i32, u32, i64, u64, f32 or f64";
}

static bool elem_put_float(const struct elem_type *type, void *p, double real)
{
	float single = (float)real;

	if (type->size == sizeof(single))
		memcpy(p, &single, sizeof(single));
	else
		memcpy(p, &real, sizeof(real));
	return true;
}

static bool elem_fits(const struct elem_type *type, const struct number *n)
{
	unsigned int bits = 8 * type->size;

	/* a pattern of all bits is fine for a signed type, as 0xffffffff */
	if (!n->negative)
		return bits == 64 || n->num >> bits == 0;
	return type->kind == ELEM_SIGNED &&
	       (int64_t)n->num >= INT64_MIN >> (64 - bits);
}

bool elem_put(const struct elem_type *type, void *p, const struct number *n)
{
	if (type->kind == ELEM_FLOAT)
		return elem_put_float(type, p, n->real);
	if (n->is_float || !elem_fits(type, n))
		return false;
	/* little-endian, as the GPU */
	memcpy(p, &n->num, type->size);
	return true;
}

static double elem_get_float(const struct elem_type *type, const void *p)
{
	double real;
	float single;

	if (type->size == sizeof(single)) {
		memcpy(&single, p, sizeof(single));
		return single;
	}
	memcpy(&real, p, sizeof(real));
	return real;
}

struct number elem_get(const struct elem_type *type, const void *p)
{
	unsigned int shift = 64 - 8 * type->size;
	struct number n = {};

	if (type->kind == ELEM_FLOAT) {
		n.is_float = true;
		n.real = elem_get_float(type, p);
		return n;
	}
	memcpy(&n.num, p, type->size);
	if (type->kind == ELEM_SIGNED) {
		n.num = (uint64_t)((int64_t)(n.num << shift) >> shift);
		n.negative = (int64_t)n.num < 0;
	}
	n.real = n.negative ? (double)(int64_t)n.num : (double)n.num;
	return n;
}

void elem_format(const struct elem_type *type, const void *p, char *out,
		 size_t len)
{
	struct number n = elem_get(type, p);

	if (n.is_float)
		snprintf(out, len, "%.*g", type->size == 4 ? 9 : 17, n.real);
	else if (n.negative)
		snprintf(out, len, "%lld", (long long)n.num);
	else
		snprintf(out, len, "%llu", (unsigned long long)n.num);
}
