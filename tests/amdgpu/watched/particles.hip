// SPDX-License-Identifier: GPL-2.0
/* Structures: members of several types, stored alone and as a whole. */
#include "../hip/hip.h"

#define NR	80

struct particle {
	float4 at;
	float mass;
	int id;
	short cell;
	short flags;
	int hits;
};

__global__ void create(particle *all, int nr)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= nr)
		return;
	all[i].at = make_float4(i, i * 0.5f, -i, 1);
	all[i].mass = 1.0f / (1 << i % 8);
	all[i].id = 1000 + i;
	all[i].cell = i / 8;
}

__global__ void move(particle *all, int nr)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= nr)
		return;
	all[i].at.y += all[i].mass;
	if (i % 10 == 3)
		all[i].hits = all[i].id - i;
}

int main(void)
{
	array<particle> all(NR);
	int i, wrong = 0;

	tap_plan(1);
	create<<<2, 64>>>(all.gpu, NR);
	move<<<2, 64>>>(all.gpu, NR);
	must_run();
	all.to_cpu();
	for (i = 0; i < NR; i++)
		wrong += all[i].at.x != i || all[i].at.z != -i ||
			 all[i].at.y != i * 0.5f + 1.0f / (1 << i % 8) ||
			 all[i].hits != (i % 10 == 3 ? 1000 : 0) || all[i].cell != i / 8;
	tap_ok(!wrong, "each particle");
	return tap_status();
}
