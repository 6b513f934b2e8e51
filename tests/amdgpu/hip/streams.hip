// SPDX-License-Identifier: GPL-2.0
/* Streams that wait for each other, events, copies beside kernels, a graph. */
#include "hip.h"

#define NR	4096
#define STREAMS	4

__global__ void scale(int *values, int factor, int add)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	values[i] = values[i] * factor + add;
}

/* for a while */
__global__ void spin(int *values, int rounds)
{
	int value = values[0];

	for (int i = 0; i < rounds; i++)
		value = value * 3 + 1;
	values[0] = value;
}

static void count_call(hipStream_t stream, hipError_t status, void *arg)
{
	(void)stream;
	if (status == hipSuccess)
		++*(int *)arg;
}

/* copy, kernel, copy in each of some streams; memory of the CPU that the GPU reads */
static void check_streams(void)
{
	hipStream_t stream[STREAMS];
	int *cpu[STREAMS], *gpu[STREAMS], i, j, wrong = 0, calls = 0;

	for (i = 0; i < STREAMS; i++) {
		MUST(hipStreamCreate(&stream[i]));
		MUST(hipHostMalloc(&cpu[i], NR * sizeof(int), 0));
		MUST(hipMalloc(&gpu[i], NR * sizeof(int)));
		for (j = 0; j < NR; j++)
			cpu[i][j] = i + j;
	}
	for (i = 0; i < STREAMS; i++) {
		MUST(hipMemcpyAsync(gpu[i], cpu[i], NR * sizeof(int),
				    hipMemcpyHostToDevice, stream[i]));
		scale<<<NR / 256, 256, 0, stream[i]>>>(gpu[i], 2 + i, i);
		MUST(hipMemcpyAsync(cpu[i], gpu[i], NR * sizeof(int),
				    hipMemcpyDeviceToHost, stream[i]));
		MUST(hipStreamAddCallback(stream[i], count_call, &calls, 0));
	}
	MUST(hipDeviceSynchronize());
	for (i = 0; i < STREAMS; i++) {
		for (j = 0; j < NR; j++)
			wrong += cpu[i][j] != (i + j) * (2 + i) + i;
		MUST(hipStreamDestroy(stream[i]));
		MUST(hipHostFree(cpu[i]));
		MUST(hipFree(gpu[i]));
	}
	tap_ok(!wrong, "copies and kernels of %d streams", STREAMS);
	tap_ok(calls == STREAMS, "a call for each of them");
}

/* what the second one reads the first one has written */
static void check_order(void)
{
	hipStream_t first, second;
	hipEvent_t begun, ended;
	array<int> values(NR);
	float time = 0;
	int i, wrong = 0;

	MUST(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
	MUST(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
	MUST(hipEventCreate(&begun));
	MUST(hipEventCreate(&ended));
	MUST(hipEventRecord(begun, first));
	spin<<<1, 1, 0, first>>>(values.gpu + 1, 20000);
	MUST(hipMemsetAsync(values.gpu, 0, NR * sizeof(int), first));
	scale<<<NR / 256, 256, 0, first>>>(values.gpu, 1, 3);
	MUST(hipEventRecord(ended, first));
	MUST(hipStreamWaitEvent(second, ended, 0));
	scale<<<NR / 256, 256, 0, second>>>(values.gpu, 5, 0);
	MUST(hipStreamSynchronize(second));
	values.to_cpu();
	for (i = 0; i < NR; i++)
		wrong += values[i] != 15;
	tap_ok(!wrong, "a stream waits for an event of another one");
	MUST(hipEventElapsedTime(&time, begun, ended));
	tap_note("%.3f ms", time);
	tap_ok(hipEventQuery(ended) == hipSuccess && time > 0 && time < 60000,
	       "the time between two events");
	MUST(hipEventDestroy(begun));
	MUST(hipEventDestroy(ended));
	MUST(hipStreamDestroy(first));
	MUST(hipStreamDestroy(second));
}

/* what was captured runs as often as it is launched */
static void check_graph(void)
{
	hipGraphExec_t executable;
	array<int> values(NR);
	hipStream_t stream;
	hipGraph_t graph;
	int i, wrong = 0;

	MUST(hipStreamCreate(&stream));
	MUST(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	scale<<<NR / 256, 256, 0, stream>>>(values.gpu, 2, 1);
	scale<<<NR / 256, 256, 0, stream>>>(values.gpu, 1, 10);
	MUST(hipStreamEndCapture(stream, &graph));
	MUST(hipGraphInstantiate(&executable, graph, NULL, NULL, 0));
	for (i = 0; i < 3; i++)
		MUST(hipGraphLaunch(executable, stream));
	MUST(hipStreamSynchronize(stream));
	values.to_cpu();
	for (i = 0; i < NR; i++)
		wrong += values[i] != 77;
	tap_ok(!wrong, "a graph, three times");
	MUST(hipGraphExecDestroy(executable));
	MUST(hipGraphDestroy(graph));
	MUST(hipStreamDestroy(stream));
}

int main(void)
{
	tap_plan(5);
	check_streams();
	check_order();
	check_graph();
	return tap_status();
}
