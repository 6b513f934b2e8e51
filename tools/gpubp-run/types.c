// SPDX-License-Identifier: GPL-2.0
/*
 * Element types of buffers.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "types.h"

static const struct elem_type elem_types[] = {
	{ "i8", "char", ELEM_SIGNED, 1, 0 },
	{ "u8", "uchar", ELEM_UNSIGNED, 1, 0 },
	{ "i16", "short", ELEM_SIGNED, 2, 0 },
	{ "u16", "ushort", ELEM_UNSIGNED, 2, 0 },
	{ "i32", "int", ELEM_SIGNED, 4, 0 },
	{ "u32", "uint", ELEM_UNSIGNED, 4, 0 },
	{ "i64", "long", ELEM_SIGNED, 8, 0 },
	{ "u64", "ulong", ELEM_UNSIGNED, 8, 0 },
	{ "f16", "half", ELEM_FLOAT, 2, 10 },
	{ "bf16", "__bf16", ELEM_FLOAT, 2, 7 },
	{ "f32", "float", ELEM_FLOAT, 4, 23 },
	{ "f64", "double", ELEM_FLOAT, 8, 52 },
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
	return "i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32 or f64";
}

/* ---- floats of 16 bits, which C has not everywhere ------------------------ */

static int small_bias(const struct elem_type *type)
{
	return (1 << (14 - type->fraction)) - 1;
}

/* to the nearest, of two the even one */
static uint64_t round_even(double real)
{
	uint64_t n = (uint64_t)real;
	double rest = real - (double)n;

	return n + (rest > 0.5 || (rest == 0.5 && n % 2));
}

static uint16_t small_encode(const struct elem_type *type, double real)
{
	const int bias = small_bias(type), fraction = (int)type->fraction;
	const uint64_t inf = 0x8000U - (1U << fraction);
	uint16_t sign = signbit(real) ? 0x8000 : 0;
	uint64_t bits;
	int exponent;

	if (isnan(real))
		return sign | (uint16_t)inf | (uint16_t)(1U << (fraction - 1));
	if (isinf(real))
		return sign | (uint16_t)inf;
	frexp(real, &exponent);
	/* of 1.x times a power of two; what is smaller has no leading 1 */
	exponent--;
	if (real == 0 || exponent < 1 - bias)
		exponent = 1 - bias;
	bits = round_even(ldexp(fabs(real), fraction - exponent)) +
	       ((uint64_t)(exponent + bias - 1) << fraction);
	return sign | (uint16_t)(bits < inf ? bits : inf);
}

static double small_decode(const struct elem_type *type, uint16_t bits)
{
	const int bias = small_bias(type), fraction = (int)type->fraction;
	const int most = (1 << (15 - fraction)) - 1;
	int exponent = bits >> fraction & most;
	int low = bits & ((1 << fraction) - 1);
	double real;

	if (exponent == most)
		real = low ? NAN : INFINITY;
	else if (exponent)
		real = ldexp(low + (1 << fraction), exponent - bias - fraction);
	else
		real = ldexp(low, 1 - bias - fraction);
	return bits & 0x8000 ? -real : real;
}

static bool elem_put_float(const struct elem_type *type, void *p, double real)
{
	float single = (float)real;
	uint16_t small;

	if (type->size == sizeof(small)) {
		small = small_encode(type, real);
		memcpy(p, &small, sizeof(small));
	} else if (type->size == sizeof(single)) {
		memcpy(p, &single, sizeof(single));
	} else {
		memcpy(p, &real, sizeof(real));
	}
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

/* little-endian, as the GPU; of a size that the compiler knows it is one store */
static void elem_put_bits(void *p, const uint64_t *bits, size_t size)
{
	switch (size) {
	case 1:
		memcpy(p, bits, 1);
		break;
	case 2:
		memcpy(p, bits, 2);
		break;
	case 4:
		memcpy(p, bits, 4);
		break;
	default:
		memcpy(p, bits, 8);
	}
}

bool elem_put(const struct elem_type *type, void *p, const struct number *n)
{
	if (type->kind == ELEM_FLOAT)
		return elem_put_float(type, p, n->real);
	if (n->is_float || !elem_fits(type, n))
		return false;
	elem_put_bits(p, &n->num, type->size);
	return true;
}

static double elem_get_float(const struct elem_type *type, const void *p)
{
	uint16_t small;
	double real;
	float single;

	if (type->size == sizeof(small)) {
		memcpy(&small, p, sizeof(small));
		return small_decode(type, small);
	}
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

/* so many that no other value is printed the same */
static int digits(const struct elem_type *type)
{
	return 2 + (int)(type->fraction + 1) * 30103 / 100000;
}

void elem_format(const struct elem_type *type, const void *p, char *out,
		 size_t len)
{
	struct number n = elem_get(type, p);

	if (n.is_float)
		snprintf(out, len, "%.*g", digits(type), n.real);
	else if (n.negative)
		snprintf(out, len, "%lld", (long long)n.num);
	else
		snprintf(out, len, "%llu", (unsigned long long)n.num);
}
