// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "kfd.h"
#include "node.h"

/* CPUs have nodes, too */
#define MAX_NODES	(2 * KFD_MAX_GPUS)

static FILE *node_open(unsigned int n, const char *file)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/topology/nodes/%u/%s", n, file);
	return fopen(path, "re");
}

/* 0: it is none of a GPU, or none for this process */
static uint32_t node_gpu(unsigned int n)
{
	FILE *file = node_open(n, "gpu_id");
	uint32_t id = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%u", &id) != 1)
		id = 0;
	fclose(file);
	return id;
}

static void node_read(unsigned int n, struct node *node)
{
	FILE *file = node_open(n, "properties");
	unsigned long long value;
	uint32_t simds = 0, waves = 0;
	char name[64];

	if (!file)
		return;
	while (fscanf(file, "%63s %llu", name, &value) == 2) {
		if (!strcmp(name, "gfx_target_version"))
			node->gfx = (uint32_t)value;
		else if (!strcmp(name, "simd_count"))
			simds = (uint32_t)value;
		else if (!strcmp(name, "max_waves_per_simd"))
			waves = (uint32_t)value;
		else if (!strcmp(name, "num_xcc"))
			node->xccs = (uint32_t)value;
		else if (!strcmp(name, "drm_render_minor"))
			node->render = (uint32_t)value;
	}
	node->waves = simds * waves;
	fclose(file);
}

bool node_next(unsigned int *n, struct node *node)
{
	for (; *n < MAX_NODES; (*n)++) {
		*node = (struct node){ .gpu_id = node_gpu(*n), .xccs = 1 };
		if (!node->gpu_id)
			continue;
		node_read((*n)++, node);
		return true;
	}
	return false;
}

struct node node_of(uint32_t gpu_id)
{
	struct node node;
	unsigned int n = 0;

	while (node_next(&n, &node))
		if (node.gpu_id == gpu_id)
			return node;
	return (struct node){ 0 };
}
