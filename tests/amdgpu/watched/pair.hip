// SPDX-License-Identifier: GPL-2.0
/* Kernels that are made by a macro: they are on one line, and so are their launches. */
#include "../hip/hip.h"

#define NR	64

#define KERNEL(name, value) \
	__global__ void name(int *to) { int i = threadIdx.x; to[i] = (value); }

KERNEL(square, i * i) KERNEL(cube, i * i * i)

int main(void)
{
	array<int> to(NR);

	tap_plan(1);
	square<<<1, NR>>>(to.gpu); cube<<<1, NR>>>(to.gpu);
	must_run();
	to.to_cpu();
	tap_ok(to[11] == 1331, "the last one has run last");
	return tap_status();
}
