// SPDX-License-Identifier: GPL-2.0
/*
 * A histogram of 64 bins, and one value that is 64: it is counted in the buffer behind, which has
 * weights. A list is followed, too: each step overwrites the address that it loads from.
 */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define BINS	1024	/* 4096 bytes, so that weights are right behind */
#define VALUES	256
#define SPILLED	200	/* the value that is too large */
#define NODES	128

#define MUST(call)							\
do {									\
	hipError_t error_ = (call);					\
									\
	if (error_ != hipSuccess) {					\
		fprintf(stderr, "spill: %s: %s\n", #call, hipGetErrorString(error_)); \
		exit(2);						\
	}								\
} while (0)

struct node {
	struct node *next;
	unsigned long long weight;
};

template <typename T> __global__ void histogram(T *bins, const T *values)
{
	T value = values[blockIdx.x * blockDim.x + threadIdx.x];

	atomicAdd(&bins[value], 3);
}

extern "C" __global__ void follow(const struct node *node, struct node **last)
{
	node += threadIdx.x;	/* or the compiler reads it by scalar loads */
	while (node->next)
		node = node->next;
	*last = (struct node *)node;
}

static unsigned int values[VALUES], bins[BINS], weights[BINS];

static bool follow_list(void)
{
	static struct node nodes[NODES];
	struct node *gpu, **last, *found;
	int i;

	MUST(hipMalloc(&gpu, sizeof(nodes)));
	MUST(hipMalloc(&last, sizeof(*last)));
	for (i = 0; i < NODES - 1; i++)
		nodes[i].next = gpu + i + 1;
	MUST(hipMemcpy(gpu, nodes, sizeof(nodes), hipMemcpyHostToDevice));
	follow<<<1, 1>>>(gpu, last);
	MUST(hipMemcpy(&found, last, sizeof(found), hipMemcpyDeviceToHost));
	return found == gpu + NODES - 1;
}

int main(void)
{
	unsigned int *gpu_values, *gpu_bins, *gpu_weights, i, wrong = 0;

	for (i = 0; i < VALUES; i++)
		values[i] = i == SPILLED ? BINS : i % 64;
	MUST(hipMalloc(&gpu_values, sizeof(values)));
	MUST(hipMalloc(&gpu_bins, sizeof(bins)));
	MUST(hipMalloc(&gpu_weights, sizeof(weights)));
	MUST(hipMemcpy(gpu_values, values, sizeof(values), hipMemcpyHostToDevice));
	MUST(hipMemcpy(gpu_bins, bins, sizeof(bins), hipMemcpyHostToDevice));
	MUST(hipMemcpy(gpu_weights, weights, sizeof(weights), hipMemcpyHostToDevice));
	histogram<<<VALUES / 64, 64>>>(gpu_bins, gpu_values);
	MUST(hipDeviceSynchronize());
	MUST(hipMemcpy(bins, gpu_bins, sizeof(bins), hipMemcpyDeviceToHost));
	MUST(hipMemcpy(weights, gpu_weights, sizeof(weights), hipMemcpyDeviceToHost));
	for (i = 0; i < 64; i++)
		wrong += bins[i] != (i == SPILLED % 64 ? 9 : 12);
	printf("spill: %u bins are wrong, weights[0] is %u\n", wrong, weights[0]);
	printf("spill: the end of the list was %s\n", follow_list() ? "found" : "not found");
	return weights[0] ? 1 : 0;
}
