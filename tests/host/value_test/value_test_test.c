// SPDX-License-Identifier: GPL-2.0
/*
 * Value tests against C's own comparisons: all values of 8 bits with all bounds,
 * all of 16 bits with many, and those of 32 and 64 bits around what is special.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <math.h>
#include <uapi/linux/gpubp.h>

#include "../tap.h"
#include "lib/value_test.h"

static double decode_f32(u64 bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double decode_f16(u64 bits)
{
	double value = bits & 0x3ff;
	int exponent = bits >> 10 & 0x1f;

	if (exponent == 0x1f)
		value = value ? NAN : INFINITY;
	else if (exponent)
		value += 0x400;
	for (exponent = (exponent ?: 1) - 25; exponent > 0; exponent--)
		value *= 2;
	for (; exponent < 0; exponent++)
		value /= 2;
	return bits & 0x8000 ? -value : value;
}

static double decode_f64(u64 bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double decode(unsigned int type, u64 bits)
{
	switch (type) {
	case GPUBP_VALUE_F16:
		return decode_f16(bits);
	case GPUBP_VALUE_BF16:
		return decode_f32(bits << 16);
	case GPUBP_VALUE_F32:
		return decode_f32(bits);
	default:
		return decode_f64(bits);
	}
}

static bool is_float(unsigned int type)
{
	return type >= GPUBP_VALUE_F16;
}

static bool is_signed(unsigned int type)
{
	return type >= GPUBP_VALUE_I8 && type <= GPUBP_VALUE_I64;
}

static s64 decode_signed(unsigned int type, u64 bits)
{
	switch (type) {
	case GPUBP_VALUE_I8:
		return (s8)bits;
	case GPUBP_VALUE_I16:
		return (s16)bits;
	case GPUBP_VALUE_I32:
		return (s32)bits;
	default:
		return (s64)bits;
	}
}

static bool naive_not_above(unsigned int type, u64 a, u64 b)
{
	if (is_float(type))
		return decode(type, a) <= decode(type, b);
	if (is_signed(type))
		return decode_signed(type, a) <= decode_signed(type, b);
	return a <= b;
}

static u64 nr_checked;

static bool check(unsigned int type, u64 low, u64 high, u64 value)
{
	struct gpubp_value_test t = { .type = type, .low = low, .high = high };
	bool inside = naive_not_above(type, low, value) &&
		      naive_not_above(type, value, high);
	bool valid = naive_not_above(type, low, high);

	nr_checked++;
	if (gpubp_value_test_valid(&t) != valid) {
		tap_note("type %u: [%#llx, %#llx] is %svalid", type, low, high,
			 valid ? "" : "not ");
		return false;
	}
	if (valid && gpubp_value_passes(&t, value) == inside) {
		t.test = GPUBP_TEST_OUTSIDE;
		if (gpubp_value_passes(&t, value) != inside)
			return true;
	} else if (!valid) {
		return true;
	}
	tap_note("type %u: %#llx in [%#llx, %#llx]", type, value, low, high);
	return false;
}

static bool all_bytes(unsigned int type)
{
	unsigned int low, high, value;

	for (low = 0; low < 256; low++)
		for (high = 0; high < 256; high++)
			for (value = 0; value < 256; value++)
				if (!check(type, low, high, value))
					return false;
	return true;
}

static unsigned int size_of(unsigned int type)
{
	static const u8 sizes[] = { 0, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 2 };

	return sizes[type];
}

/* the smallest and largest of each kind, and their neighbours */
static u64 special(unsigned int type, unsigned int n)
{
	static const u64 edges[] = {
		0, 1, 0x03ff, 0x0400, 0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7e00,
		0x007f, 0x0080, 0x3f80, 0x7f7f, 0x7f80, 0x7f81,
		0x3f800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000,
		0x3ff0000000000000ULL, 0x7fefffffffffffffULL,
		0x7ff0000000000000ULL, 0x7ff0000000000001ULL,
		0x7fffffffffffffffULL, 0x7fffffff, 0x7fff,
	};
	unsigned int bits = 8 * size_of(type);
	u64 value = edges[n % ARRAY_SIZE(edges)];

	if (n / ARRAY_SIZE(edges) % 2)
		value |= 1ULL << (bits - 1);
	return bits == 64 ? value : value & ((1ULL << bits) - 1);
}

static bool around_edges(unsigned int type)
{
	const unsigned int nr = 54;
	unsigned int a, b, c;

	for (a = 0; a < nr; a++)
		for (b = 0; b < nr; b++)
			for (c = 0; c < nr; c++)
				if (!check(type, special(type, a),
					   special(type, b), special(type, c)))
					return false;
	return true;
}

static bool all_halves(unsigned int type)
{
	unsigned int a, b, value;

	for (a = 0; a < 54; a++)
		for (b = 0; b < 54; b++)
			for (value = 0; value < 65536; value += 31)
				if (!check(type, special(type, a),
					   special(type, b), value))
					return false;
	return true;
}

static bool random_values(unsigned int type)
{
	unsigned long long state = 88172645463325252ULL + type;
	unsigned int bits = 8 * size_of(type);
	u64 mask = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
	int i;

	for (i = 0; i < 1000000; i++)
		if (!check(type, tap_random(&state) & mask,
			   tap_random(&state) & mask, tap_random(&state) & mask))
			return false;
	return true;
}

static bool nans_are_found(unsigned int type)
{
	struct gpubp_value_test t = { .type = type, .test = GPUBP_TEST_NAN };
	unsigned int n;

	if (gpubp_value_test_valid(&t) != is_float(type))
		return false;
	for (n = 0; is_float(type) && n < 54; n++)
		if (gpubp_value_passes(&t, special(type, n)) !=
		    !!isnan(decode(type, special(type, n))))
			return false;
	return true;
}

static void refusals(void)
{
	static const struct gpubp_value_test bad[] = {
		{ .type = GPUBP_VALUE_NONE },
		{ .type = GPUBP_VALUE_BF16 + 1 },
		{ .type = 255 },
		{ .type = GPUBP_VALUE_U32, .test = GPUBP_TEST_NAN + 1 },
		{ .type = GPUBP_VALUE_U8, .high = 256 },
		{ .type = GPUBP_VALUE_I32, .low = ~0ULL },
		{ .type = GPUBP_VALUE_F32, .high = 1ULL << 32 },
		{ .type = GPUBP_VALUE_F16, .test = GPUBP_TEST_NAN, .low = 1 },
		{ .type = GPUBP_VALUE_F16, .test = GPUBP_TEST_NAN, .high = 1 },
		{ .type = GPUBP_VALUE_F32, .low = 0x7fc00000,
		  .high = 0x7fc00000 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		tap_ok(!gpubp_value_test_valid(&bad[i]), "refused %u", i);
}

int main(void)
{
	unsigned int type;

	tap_plan(10 + 13 + 12 * 3 + 4);
	refusals();
	for (type = 0; type <= GPUBP_VALUE_BF16; type++) {
		tap_ok(gpubp_value_size(type) == size_of(type), "size of %u",
		       type);
		if (!type)
			continue;
		tap_ok(around_edges(type), "edges of %u", type);
		tap_ok(random_values(type), "random of %u", type);
		tap_ok(nans_are_found(type), "nans of %u", type);
	}
	tap_ok(all_bytes(GPUBP_VALUE_U8), "all_unsigned_bytes");
	tap_ok(all_bytes(GPUBP_VALUE_I8), "all_signed_bytes");
	tap_ok(all_halves(GPUBP_VALUE_F16), "many_halves");
	tap_ok(all_halves(GPUBP_VALUE_BF16), "many_bfloats");
	tap_note("%llu comparisons", nr_checked);
	return tap_status();
}
