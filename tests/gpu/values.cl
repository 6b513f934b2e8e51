// SPDX-License-Identifier: GPL-2.0
/*
 * One access a lane, of any kind and width, at any address: those lanes of a workgroup
 * that mask has access at + stride * (their number & wrap), and store numbers that
 * follow from their own and from salt. In assembly, so that every compiler leaves the
 * same registers as they were.
 */
#include "gpu.h"

#define VALUE(i, n)	(((i) * 4 + (n) + 1 + salt) * 2654435761u)
#define VALUE1		VALUE(i, 0)
#define VALUE2		(uint2)(VALUE(i, 0), VALUE(i, 1))
#define VALUE4		(uint4)(VALUE(i, 0), VALUE(i, 1), VALUE(i, 2), VALUE(i, 3))
/* new memory is 0: a half of the lanes swaps there */
#define EXPECTED	(i & 1 ? 0 : VALUE(i, 2))

#define KERNEL(name, ...)						\
	__kernel WORKGROUP(64, 1)					\
	void name(bytes at, uint stride, uint wrap, ulong mask, uint salt,	\
		  __global volatile uint *to)				\
	{								\
		uint i = GLOBAL_X(64);					\
		bytes p = at + stride * (i & wrap);			\
									\
		if (mask >> LOCAL_X & 1) {				\
			__VA_ARGS__					\
		}							\
	}

#define STORE(name, op, value)						\
	KERNEL(name, __asm__ volatile(op " %0, %1, off"			\
				      :: "v"(p), "v"(value) : "memory");)

STORE(store8, "global_store_byte", VALUE1)
STORE(store16, "global_store_short", VALUE1)
STORE(store16_high, "global_store_short_d16_hi", VALUE1)
STORE(store32, "global_store_dword", VALUE1)
STORE(store64, "global_store_dwordx2", VALUE2)
STORE(store96, "global_store_dwordx3", VALUE4.xyz)
STORE(store128, "global_store_dwordx4", VALUE4)
/* the same from all lanes */
STORE(store_same, "global_store_dword", VALUE(0, 0))

KERNEL(store64_flat, __asm__ volatile("flat_store_dwordx2 %0, %1"
				      :: "v"(p), "v"(VALUE2) : "memory");)
KERNEL(store64_offset, __asm__ volatile("global_store_dwordx2 %0, %1, off offset:-12"
					:: "v"(p + 12), "v"(VALUE2) : "memory");)
KERNEL(store32_base, __asm__ volatile("global_store_dword %0, %1, %2"
				      :: "v"((uint)(p - at)), "v"(VALUE1), "s"(at) : "memory");)

#define WAIT	"\n\ts_waitcnt vmcnt(0) lgkmcnt(0)"

/* what is loaded goes to other memory */
#define LOAD(name, op, type, sum)					\
	KERNEL(name, type v;						\
	       __asm__ volatile(op " %0, %1, off" WAIT			\
				: "=&v"(v) : "v"(p) : "memory");	\
	       to[i] = sum;)

LOAD(load8, "global_load_ubyte", uint, v)
LOAD(load8_signed, "global_load_sbyte", uint, v)
LOAD(load16, "global_load_ushort", uint, v)
LOAD(load32, "global_load_dword", uint, v)
LOAD(load64, "global_load_dwordx2", uint2, v.x ^ v.y)
LOAD(load96, "global_load_dwordx3", uint3, v.x ^ v.y ^ v.z)
LOAD(load128, "global_load_dwordx4", uint4, v.x ^ v.y ^ v.z ^ v.w)

KERNEL(load16_high, uint v = 0;
       __asm__ volatile("global_load_short_d16_hi %0, %1, off" WAIT
			: "+&v"(v) : "v"(p) : "memory");
       to[i] = v;)
KERNEL(load64_flat, uint2 v;
       __asm__ volatile("flat_load_dwordx2 %0, %1" WAIT
			: "=&v"(v) : "v"(p) : "memory");
       to[i] = v.x ^ v.y;)
KERNEL(load32_base, uint v;
       __asm__ volatile("global_load_dword %0, %1, %2" WAIT
			: "=&v"(v) : "v"((uint)(p - at)), "s"(at) : "memory");
       to[i] = v;)
/* over its own address */
KERNEL(load32_eats, uint v;
       __asm__ volatile("global_load_dword v20, v[20:21], off" WAIT
			: "={v20}"(v) : "{v[20:21]}"(p) : "v21", "memory");
       to[i] = v;)

#define ATOMIC(name, op, value)						\
	KERNEL(name, __asm__ volatile("global_atomic_" op " %0, %1, off"	\
				      :: "v"(p), "v"(value) : "memory");)

ATOMIC(add32, "add", VALUE1)
ATOMIC(add64, "add_x2", VALUE2)
ATOMIC(swap32, "swap", VALUE1)
ATOMIC(cmpswap32, "cmpswap", (uint2)(VALUE1, EXPECTED))
ATOMIC(cmpswap64, "cmpswap_x2", (uint4)(VALUE2, EXPECTED, EXPECTED))

#define RETURNING(name, op, type, value, sum)				\
	KERNEL(name, type v;						\
	       __asm__ volatile("global_atomic_" op " %0, %1, %2, off " OLD WAIT	\
				: "=&v"(v) : "v"(p), "v"(value) : "memory");	\
	       to[i] = sum;)

RETURNING(add32_returning, "add", uint, VALUE1, v)
RETURNING(add64_returning, "add_x2", uint2, VALUE2, v.x ^ v.y)
RETURNING(swap32_returning, "swap", uint, VALUE1, v)
RETURNING(cmpswap32_returning, "cmpswap", uint, (uint2)(VALUE1, EXPECTED), v)
RETURNING(cmpswap64_returning, "cmpswap_x2", uint2,
	  (uint4)(VALUE2, EXPECTED, EXPECTED), v.x ^ v.y)

/* over its own operand */
KERNEL(add32_loses, uint v = VALUE1;
       __asm__ volatile("global_atomic_add %0, %1, %0, off " OLD WAIT
			: "+&v"(v) : "v"(p) : "memory");
       to[i] = v;)

/* the first lane of each workgroup stores numbers of its own to one word, in a loop */
__kernel WORKGROUP(64, 1)
void race(__global volatile uint *at, uint rounds, uint salt)
{
	uint n;

	if (LOCAL_X)
		return;
	for (n = 0; n < rounds; n++)
		*at = VALUE(GROUP_X * rounds + n, 0);
}
