// SPDX-License-Identifier: GPL-2.0
/*
 * Value test: see value_test.h.
 *
 * Floating-point values are compared as integers: but for NaNs, magnitudes have
 * the order of their bits.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <uapi/linux/gpubp.h>

#include "value_test.h"

/**
 * struct value_kind - a type
 * @size: bytes
 * @is_signed: two's complement
 * @inf: of floating-point types, the bits of infinity, the largest magnitude that
 *	is a number; else 0
 */
struct value_kind {
	u8 size;
	bool is_signed;
	u64 inf;
};

static const struct value_kind kinds[] = {
	[GPUBP_VALUE_U8]	= { 1 },
	[GPUBP_VALUE_U16]	= { 2 },
	[GPUBP_VALUE_U32]	= { 4 },
	[GPUBP_VALUE_U64]	= { 8 },
	[GPUBP_VALUE_I8]	= { 1, true },
	[GPUBP_VALUE_I16]	= { 2, true },
	[GPUBP_VALUE_I32]	= { 4, true },
	[GPUBP_VALUE_I64]	= { 8, true },
	[GPUBP_VALUE_F16]	= { 2, true, 0x7c00 },
	[GPUBP_VALUE_F32]	= { 4, true, 0x7f800000 },
	[GPUBP_VALUE_F64]	= { 8, true, 0x7ff0000000000000ULL },
	[GPUBP_VALUE_BF16]	= { 2, true, 0x7f80 },
};

/** gpubp_value_size() - bytes of an element; 0 if there is no such type */
unsigned int gpubp_value_size(unsigned int type)
{
	return type < ARRAY_SIZE(kinds) ? kinds[type].size : 0;
}

static u64 sign_bit(const struct value_kind *kind)
{
	return BIT_ULL(8 * kind->size - 1);
}

static bool value_is_nan(const struct value_kind *kind, u64 value)
{
	return kind->inf && (value & ~sign_bit(kind)) > kind->inf;
}

/* a number with the order of the values, which are no NaN */
static u64 value_order(const struct value_kind *kind, u64 value)
{
	u64 sign = sign_bit(kind);

	if (!kind->is_signed)
		return value;
	if (!kind->inf)
		return value ^ sign;
	/* from -inf to -0, which is 0, to inf */
	return value & sign ? sign - (value ^ sign) : sign + value;
}

static bool value_inside(const struct gpubp_value_test *t, u64 value)
{
	const struct value_kind *kind = &kinds[t->type];
	u64 order = value_order(kind, value);

	return !value_is_nan(kind, value) &&
	       order >= value_order(kind, t->low) &&
	       order <= value_order(kind, t->high);
}

/* it has no bits that its type does not have */
static bool bound_valid(const struct value_kind *kind, u64 value)
{
	return value <= GENMASK_ULL(8 * kind->size - 1, 0) &&
	       !value_is_nan(kind, value);
}

static bool bounds_valid(const struct gpubp_value_test *t)
{
	const struct value_kind *kind = &kinds[t->type];

	return bound_valid(kind, t->low) && bound_valid(kind, t->high) &&
	       value_order(kind, t->low) <= value_order(kind, t->high);
}

/** gpubp_value_test_valid() - is it a test, with bounds as the uapi has them */
bool gpubp_value_test_valid(const struct gpubp_value_test *t)
{
	if (!gpubp_value_size(t->type))
		return false;
	switch (t->test) {
	case GPUBP_TEST_INSIDE:
	case GPUBP_TEST_OUTSIDE:
		return bounds_valid(t);
	case GPUBP_TEST_NAN:
		return kinds[t->type].inf && !t->low && !t->high;
	default:
		return false;
	}
}

/**
 * gpubp_value_passes() - test a value
 * @t: valid test
 * @value: the element's bytes, the first the lowest, zero-extended
 */
bool gpubp_value_passes(const struct gpubp_value_test *t, u64 value)
{
	switch (t->test) {
	case GPUBP_TEST_NAN:
		return value_is_nan(&kinds[t->type], value);
	case GPUBP_TEST_INSIDE:
		return value_inside(t, value);
	default:
		return !value_inside(t, value);
	}
}
