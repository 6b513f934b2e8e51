/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Value test: does an element, as its bytes are in memory, have a value that a
 * condition asks for.
 *
 * Pure: no lock, no time, no allocation, no floating-point registers; compiles in
 * user space.
 */
#ifndef _GPUBP_LIB_VALUE_TEST_H
#define _GPUBP_LIB_VALUE_TEST_H

#include <linux/types.h>

/**
 * struct gpubp_value_test - a test of elements
 * @type: enum gpubp_value_type
 * @test: enum gpubp_condition_test
 * @low: bits of the lowest value, as in struct gpubp_condition
 * @high: likewise of the highest
 */
struct gpubp_value_test {
	u8 type;
	u8 test;
	u64 low;
	u64 high;
};

unsigned int gpubp_value_size(unsigned int type);
bool gpubp_value_test_valid(const struct gpubp_value_test *t);
bool gpubp_value_passes(const struct gpubp_value_test *t, u64 value);

#endif /* _GPUBP_LIB_VALUE_TEST_H */
