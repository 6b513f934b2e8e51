// SPDX-License-Identifier: GPL-2.0
// hipcc: -mcode-object-version=5
/* Paths of work-items: branches, calls, atomics that are tried again. */
#include "kernels.h"

#define REGION	1024	/* bytes of each case */

/* five cases, each with a region of its own */
KERNEL hip_switch(char *to)
{
	int i = item_x();

	switch (i % 5) {
	case 0:
		((char *)to)[i] = i;
		break;
	case 1:
		((short *)(to + REGION))[i] = i;
		break;
	case 2:
		((int *)(to + 2 * REGION))[i] = i;
		break;
	case 3:
		((long long *)(to + 3 * REGION))[i] = i;
		break;
	}
}

/* on its way back, each level of the recursion stores a word */
extern "C" __device__ __attribute__((noinline)) int hip_recurse_level(int *to, int level, int depth)
{
	int below;

	if (level == depth)
		return 0;
	below = hip_recurse_level(to, level + 1, depth);
	to[level] = below;
	return below * 3 + level;
}

KERNEL hip_recurse(int *to, int *sums)
{
	int i = item_x();

	sums[i] = hip_recurse_level(to + 8 * i, 0, i % 7);
}

extern "C" {

__device__ __attribute__((noinline)) void hip_table_byte(char *to, int i)
{
	to[i] = i;
}

__device__ __attribute__((noinline)) void hip_table_word(char *to, int i)
{
	((int *)(to + REGION))[i] = 3 * i;
}

__device__ __attribute__((noinline)) void hip_table_long(char *to, int i)
{
	((long long *)(to + 2 * REGION))[i] = 5LL * i << 32;
}

}

typedef void (*function)(char *, int);

static __device__ function functions[] = { hip_table_byte, hip_table_word, hip_table_long };

KERNEL hip_table(char *to, const int *which)
{
	int i = item_x();

	functions[which[i] % 3](to, i);
}

struct shape {
	__device__ virtual void put(int *to, int i) const = 0;
};

struct square : shape {
	__device__ __attribute__((noinline)) void put(int *to, int i) const override
	{
		to[i] = i * i;
	}
};

struct line : shape {
	__device__ __attribute__((noinline)) void put(int *to, int i) const override
	{
		to[REGION / 4 + i] = i;
	}
};

KERNEL hip_virtual(int *to, const int *which)
{
	int i = item_x();
	square a;
	line b;
	const shape *one = which[i] & 1 ? (const shape *)&a : (const shape *)&b;

	one->put(to, i);
}

/* four neighbours share a sum, of which there is no atomic: of squares, modulo 1000003 */
KERNEL hip_cas(unsigned int *sums)
{
	unsigned int i = item_x(), old = sums[i / 4], was;

	do {
		was = old;
		old = atomicCAS(&sums[i / 4], was, (was + i * i) % 1000003);
	} while (old != was);
}

KERNEL hip_atomics(int *words, unsigned long long *longs)
{
	int i = item_x();

	atomicAdd(&words[4 * i], i);
	atomicMax(&words[4 * i + 1], i);
	atomicOr(&words[4 * i + 2], 0x10000 + i);
	atomicAdd(&longs[i], 1ull << 40);
}
