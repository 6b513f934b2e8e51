/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Atomic operations of the interpreter's waves (sim_env_rmw()) on memory that other
 * processors may access.
 */
#ifndef TOOLS_WAVE_RMW_H
#define TOOLS_WAVE_RMW_H

#include <linux/types.h>

#define WAVE_RMW(type, at, fn, data, old)				\
do {									\
	type was_ = __atomic_load_n((type *)(at), __ATOMIC_SEQ_CST);	\
									\
	while (!__atomic_compare_exchange_n((type *)(at), &was_,	\
			(type)(fn)(was_, data), false,			\
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))		\
		;							\
	*(old) = was_;							\
} while (0)

/** wave_rmw() - of @len bytes, 4 or 8, at @at, which is aligned; see sim_env_rmw() */
static inline void wave_rmw(void *at, unsigned int len, u64 (*fn)(u64 old, const void *data),
			    const void *data, u64 *old)
{
	if (len == 4)
		WAVE_RMW(u32, at, fn, data, old);
	else
		WAVE_RMW(u64, at, fn, data, old);
}

#endif /* TOOLS_WAVE_RMW_H */
