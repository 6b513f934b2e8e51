/* SPDX-License-Identifier: GPL-2.0 */
/*
 * GPUs in KFD's topology.
 */
#ifndef GPUBP_ROCR_NODE_H
#define GPUBP_ROCR_NODE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct node - a GPU
 * @gpu_id: KFD's number of it
 * @gfx: its version
 * @waves: that can be on it at a time
 * @xccs: parts of it that save waves by themselves
 * @render: minor number of its render node
 */
struct node {
	uint32_t gpu_id;
	uint32_t gfx;
	uint32_t waves;
	uint32_t xccs;
	uint32_t render;
};

/**
 * node_next() - the next GPU
 * @n: number of a node from which on to look; on return of the one behind it
 * @node: out
 *
 * Return: false if there is none.
 */
bool node_next(unsigned int *n, struct node *node);

/** node_of() - the GPU of that number; all 0 if there is none */
struct node node_of(uint32_t gpu_id);

#endif /* GPUBP_ROCR_NODE_H */
