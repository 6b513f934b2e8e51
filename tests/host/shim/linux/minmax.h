/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in. Arguments are evaluated once. */
#ifndef _SHIM_MINMAX_H
#define _SHIM_MINMAX_H

#define __shim_cmp(op, a, b) ({				\
	__typeof__(a) __a = (a);			\
	__typeof__(b) __b = (b);			\
	__a op __b ? __a : __b; })

#define min(a, b)		__shim_cmp(<, a, b)
#define max(a, b)		__shim_cmp(>, a, b)
#define min_t(type, a, b)	__shim_cmp(<, (type)(a), (type)(b))
#define max_t(type, a, b)	__shim_cmp(>, (type)(a), (type)(b))
#define clamp(v, lo, hi)	min((__typeof__(v))max(v, lo), hi)
#define clamp_t(type, v, lo, hi) min_t(type, max_t(type, v, lo), hi)
#define swap(a, b) \
	do { __typeof__(a) __t = (a); (a) = (b); (b) = __t; } while (0)

#endif
