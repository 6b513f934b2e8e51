// SPDX-License-Identifier: GPL-2.0
/* A kernel that prints what it stores. */
#include "../hip/hip.h"

#define NR	64

__global__ void collatz(int *steps)
{
	int i = threadIdx.x, nr = 0;

	for (int n = i + 1; n != 1; n = n % 2 ? 3 * n + 1 : n / 2)
		nr++;
	if (nr > 110)
		printf("# %d takes %d steps\n", i + 1, nr);
	steps[i] = nr;
}

int main(void)
{
	array<int> steps(NR);

	tap_plan(1);
	collatz<<<1, NR>>>(steps.gpu);
	must_run();
	steps.to_cpu();
	tap_ok(steps[26] == 111 && steps[53] == 112, "steps of 27 and 54");
	return tap_status();
}
