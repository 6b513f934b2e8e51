// SPDX-License-Identifier: GPL-2.0
/* A graph that is captured once, and launched several times. */
#include "../hip/hip.h"

#define NR	64

__global__ void grow(int *values, int factor)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	values[i] = values[i] * factor + i;
}

__global__ void trim(int *values)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	values[i] &= 0xfff;
}

int main(void)
{
	hipGraphExec_t executable;
	array<int> values(NR);
	hipStream_t stream;
	hipGraph_t graph;
	int i, expected = 1;

	tap_plan(1);
	values[21] = 1;
	values.to_gpu();
	MUST(hipStreamCreate(&stream));
	MUST(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	grow<<<1, NR, 0, stream>>>(values.gpu, 37);
	trim<<<1, NR, 0, stream>>>(values.gpu);
	MUST(hipStreamEndCapture(stream, &graph));
	MUST(hipGraphInstantiate(&executable, graph, NULL, NULL, 0));
	for (i = 0; i < 3; i++)
		MUST(hipGraphLaunch(executable, stream));
	MUST(hipStreamSynchronize(stream));
	values.to_cpu();
	for (i = 0; i < 3; i++)
		expected = (expected * 37 + 21) & 0xfff;
	tap_ok(values[21] == expected, "after three launches: %d", values[21]);
	MUST(hipGraphExecDestroy(executable));
	MUST(hipGraphDestroy(graph));
	MUST(hipStreamDestroy(stream));
	return tap_status();
}
