/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in. */
#ifndef _SHIM_LOG2_H
#define _SHIM_LOG2_H

#include <linux/bitops.h>
#include <linux/types.h>

#define ilog2(n)		(63 - __builtin_clzll(n))

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return 1UL << (n > 1 ? fls64(n - 1) : 0);
}

static inline int order_base_2(unsigned long n)
{
	return n > 1 ? fls64(n - 1) : 0;
}

#endif
