/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in. */
#ifndef _SHIM_BITOPS_H
#define _SHIM_BITOPS_H

#include <linux/bits.h>
#include <linux/types.h>

#define hweight8(x)		((unsigned int)__builtin_popcount((u8)(x)))
#define hweight32(x)		((unsigned int)__builtin_popcount(x))
#define hweight64(x)		((unsigned long)__builtin_popcountll(x))

static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline unsigned long __ffs(unsigned long x)
{
	return __builtin_ctzl(x);
}

static inline unsigned long __ffs64(u64 x)
{
	return __builtin_ctzll(x);
}

/* maps of one word only */
#define for_each_set_bit(bit, map, size)				\
	for ((bit) = 0; (bit) < (size); (bit)++)			\
		if (!(*(map) >> (bit) & 1)) {} else

static inline u32 rol32(u32 x, unsigned int n)
{
	return (x << (n & 31)) | (x >> (-n & 31));
}

static inline s32 sign_extend32(u32 value, int index)
{
	return (s32)(value << (31 - index)) >> (31 - index);
}

static inline s64 sign_extend64(u64 value, int index)
{
	return (s64)(value << (63 - index)) >> (63 - index);
}

#endif
