// SPDX-License-Identifier: GPL-2.0
/*
 * One access a lane, of any width, at any address: a lane accesses
 * at + stride * its number, and stores numbers that follow from its own.
 */
#include "gpu.h"

#define VALUE(i, n)	(((i) * 4 + (n) + 1) * 2654435761u)

#define LANE(type)	((__global volatile type *)(at + stride * i))

#define STORE(name, type, value)					\
	__kernel WORKGROUP(64, 1)					\
	void name(bytes at, uint stride)				\
	{								\
		uint i = GLOBAL_X(64);					\
									\
		*LANE(type) = value;					\
	}

STORE(store8, uchar, (uchar)VALUE(i, 0))
STORE(store16, ushort, (ushort)VALUE(i, 0))
STORE(store32, uint, VALUE(i, 0))
STORE(store64, uint2, (uint2)(VALUE(i, 0), VALUE(i, 1)))
STORE(store128, uint4, (uint4)(VALUE(i, 0), VALUE(i, 1), VALUE(i, 2), VALUE(i, 3)))

/* the same from all lanes */
STORE(store_same, uint, VALUE(0, 0))

/* the first lane of each workgroup only */
__kernel WORKGROUP(64, 1)
void store_first(bytes at, uint stride)
{
	uint i = GLOBAL_X(64);

	if (!LOCAL_X)
		*LANE(uint) = VALUE(i, 0);
}

/* what is loaded goes behind what can be watched */
#define LOAD(name, type, kept)						\
	__kernel WORKGROUP(64, 1)					\
	void name(bytes at, uint stride, __global volatile kept *to)	\
	{								\
		uint i = GLOBAL_X(64);					\
									\
		to[i] = *LANE(type);					\
	}

LOAD(load8, uchar, uint)
LOAD(load16, ushort, uint)
LOAD(load32, uint, uint)
LOAD(load128, uint4, uint4)

__kernel WORKGROUP(64, 1)
void add32(bytes at, uint stride)
{
	uint i = GLOBAL_X(64);

	__atomic_fetch_add((__global uint *)(at + stride * i), VALUE(i, 0), RELAXED);
}

/* the compiler makes it one that returns */
__kernel WORKGROUP(64, 1)
void add32_returning(bytes at, uint stride, __global volatile uint *to)
{
	uint i = GLOBAL_X(64);

	to[i] = __atomic_fetch_add((__global uint *)(at + stride * i), VALUE(i, 0),
				   RELAXED);
}
