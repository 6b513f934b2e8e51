/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What this machine has of AMD: its GPUs as amdkfd lists them, the driver, ROCm. Looks at
 * files only.
 */
#ifndef PERF_GPUBP_AMD_H
#define PERF_GPUBP_AMD_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct amd_gpu - a GPU
 * @node: number of its node
 * @gfx: its version: major * 10000 + minor * 100 + stepping
 * @minor: of its render node
 * @watches: its comparators
 * @debugs: amdkfd debugs its waves
 * @precise: it has precise memory: the address of a hit can be known
 */
struct amd_gpu {
	unsigned int node;
	unsigned int gfx;
	unsigned int minor;
	unsigned int watches;
	bool debugs;
	bool precise;
};

/**
 * amd_gpu_find() - a GPU
 * @root: directory with sys, "" this machine
 * @node: number from which it is looked for
 * @gpu: out
 *
 * Return: is there one of that number, or a higher one?
 */
bool amd_gpu_find(const char *root, unsigned int node, struct amd_gpu *gpu);

/** amd_gpu_name() - as compilers have it: gfx90a */
void amd_gpu_name(const struct amd_gpu *gpu, char name[16]);

/** amd_print() - lines about all of that, and the kernel */
void amd_print(const char *root, FILE *out);

#endif /* PERF_GPUBP_AMD_H */
