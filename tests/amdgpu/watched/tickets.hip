// SPDX-License-Identifier: GPL-2.0
/* Atomics whose results the program uses, and some whose results it does not. */
#include "../hip/hip.h"

/* a cell for each 16 work-items, and what it was last used for */
enum { NEXT = 0, MOST = 4, OWNER = 8, BALANCE = 12, NR_CELLS = 16, USE = 1 };

__global__ void serve(int *cells, unsigned long long *wide, int *served, int round)
{
	int *cell = cells + threadIdx.x / 16 * 4;

	if (threadIdx.x == 9) {
		served[0] = atomicAdd(cell, 3);
		cell[USE] = round;
	}
	if (threadIdx.x == 17) {
		served[1] = atomicMax(cell, round * round - 2);
		cell[USE] = round;
	}
	if (threadIdx.x == 33)
		served[2] = atomicCAS(cell, round * 2, round + 1);
	if (threadIdx.x == 40)
		served[3] = atomicExch(&wide[0], 0x100000000ull * round + 5) >> 32;
	if (threadIdx.x == 50)
		atomicSub(cell, 7);
}

int main(void)
{
	array<unsigned long long> wide(1);
	array<int> cell(NR_CELLS), served(16);
	int i, wrong = 0;

	tap_plan(2);
	cell[BALANCE] = 100;
	cell.to_gpu();
	for (i = 0; i < 4; i++)
		serve<<<1, 64>>>(cell.gpu, wide.gpu, served.gpu + i * 4, i);
	must_run();
	cell.to_cpu();
	served.to_cpu();
	tap_ok(cell[NEXT] == 12 && cell[MOST] == 7 && cell[OWNER] == 1 && cell[BALANCE] == 72,
	       "cells");
	for (i = 0; i < 4; i++)
		wrong += served[i * 4] != 3 * i || served[i * 4 + 1] != (i < 3 ? 0 : 2) ||
			 served[i * 4 + 2] != !!i || served[i * 4 + 3] != (i > 1 ? i - 1 : 0);
	tap_ok(!wrong, "what was there");
	return tap_status();
}
