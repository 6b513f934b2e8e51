// SPDX-License-Identifier: GPL-2.0
/*
 * Array of structures: strided stores, two per lane, that cannot be merged
 * because of a member in between.
 */
#include "gpu.h"

struct particle {
	float x, y, z;
	float mass;
	uint id;
};

__kernel WORKGROUP(64, 1)
void aos(__global struct particle *p, float dx, float dz)
{
	uint i = GLOBAL_X(64);

	p[i].x = (float)(int)i + dx;
	p[i].z = (float)(int)i + dz;
}

/* one 8-byte store that spans two members */
__kernel WORKGROUP(64, 1)
void aos_pair(__global struct particle *p, uint mass)
{
	uint i = GLOBAL_X(64);
	bytes at = (bytes)&p[i].mass;
	uint2 pair = (uint2)(mass, i);

	__asm__ volatile("global_store_dwordx2 %0, %1, off" :: "v"(at), "v"(pair) : "memory");
}
