// SPDX-License-Identifier: GPL-2.0
/* Atomics in memory, of integers and floating point, also by the CPU at the same time. */
#include "hip.h"

#define ITEMS	1024

enum { ADD, SUB, MIN, MAX, AND, OR, XOR, INC, DEC, CAS, EXCHANGE, NR_CELLS };

__global__ void integers(int *cell, unsigned long long *wide)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, was;

	atomicAdd(&cell[ADD], i);
	atomicSub(&cell[SUB], i);
	atomicMin(&cell[MIN], 500 - i);
	atomicMax(&cell[MAX], i * 3);
	atomicAnd(&cell[AND], ~(1 << i % 20));
	atomicOr(&cell[OR], 1 << i % 20);
	atomicXor(&cell[XOR], i);
	atomicInc((unsigned int *)&cell[INC], 99);
	atomicDec((unsigned int *)&cell[DEC], 99);
	do {
		was = cell[CAS];
	} while (atomicCAS(&cell[CAS], was, was + 2) != was);
	atomicExch(&cell[EXCHANGE], 7);
	atomicAdd(&wide[0], 1ull << 33);
	atomicMax(&wide[1], (unsigned long long)i << 32);
	atomicCAS(&wide[2], 0ull, 0x123456789abcull);
}

__global__ void floats(float *f, double *d)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	atomicAdd(&f[0], 0.5f);
	atomicAdd(&d[0], 0.25);
	unsafeAtomicAdd(&f[1], 2.0f);
	unsafeAtomicAdd(&d[1], 4.0);
	atomicMax(&f[2], (float)i);
	atomicMin(&d[2], -i / 2.0);
}

/* takes turns with the CPU */
__global__ void ping(int *turn, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		while (__hip_atomic_load(turn, __ATOMIC_ACQUIRE,
					 __HIP_MEMORY_SCOPE_SYSTEM) != 2 * i + 1)
			__builtin_amdgcn_s_sleep(1);
		__hip_atomic_store(turn, 2 * i + 2, __ATOMIC_RELEASE,
				   __HIP_MEMORY_SCOPE_SYSTEM);
	}
}

static void check_integers(void)
{
	static const int expected[NR_CELLS] = {
		ITEMS * (ITEMS - 1) / 2, -ITEMS * (ITEMS - 1) / 2, 500 - (ITEMS - 1),
		(ITEMS - 1) * 3, 0x7ff00000, 0xfffff, 0, ITEMS % 100,
		99 - (ITEMS - 1) % 100, 2 * ITEMS, 7,
	};
	array<unsigned long long> wide(3);
	array<int> cell(NR_CELLS);
	int i, wrong = 0;

	cell[AND] = 0x7fffffff;
	cell.to_gpu();
	integers<<<ITEMS / 128, 128>>>(cell.gpu, wide.gpu);
	must_run();
	cell.to_cpu();
	wide.to_cpu();
	for (i = 0; i < NR_CELLS; i++) {
		if (cell[i] == expected[i])
			continue;
		tap_note("cell %d: %d, not %d", i, cell[i], expected[i]);
		wrong++;
	}
	tap_ok(!wrong, "of 32 bits");
	tap_ok(wide[0] == (unsigned long long)ITEMS << 33 &&
	       wide[1] == (unsigned long long)(ITEMS - 1) << 32 &&
	       wide[2] == 0x123456789abcull, "of 64 bits");
}

static void check_floats(void)
{
	array<double> d(3);
	array<float> f(3);

	floats<<<ITEMS / 128, 128>>>(f.gpu, d.gpu);
	must_run();
	f.to_cpu();
	d.to_cpu();
	tap_ok(f[0] == ITEMS / 2 && d[0] == ITEMS / 4, "sums of floating point");
	tap_ok(f[1] == ITEMS * 2 && d[1] == ITEMS * 4, "... by one instruction");
	tap_ok(f[2] == ITEMS - 1 && d[2] == (1 - ITEMS) / 2.0, "extremes");
}

static void check_turns(void)
{
	int *turn, i;

	MUST(hipHostMalloc(&turn, sizeof(*turn), hipHostMallocCoherent));
	*turn = 0;
	ping<<<1, 1>>>(turn, 20);
	for (i = 0; i < 20; i++) {
		__atomic_store_n(turn, 2 * i + 1, __ATOMIC_RELEASE);
		while (__atomic_load_n(turn, __ATOMIC_ACQUIRE) != 2 * i + 2)
			;
	}
	must_run();
	tap_ok(*turn == 40, "turns of the GPU and the CPU");
	MUST(hipHostFree(turn));
}

int main(void)
{
	tap_plan(6);
	check_integers();
	check_floats();
	check_turns();
	return tap_status();
}
