// SPDX-License-Identifier: GPL-2.0
/* A softmax of rows: one of them has no weight at all, and divides zero by zero. */
#include "../hip/hip.h"

#define ROWS	48
#define COLUMNS	64

__global__ void softmax(const float *logits, float *weights)
{
	__shared__ float part[COLUMNS];
	int row = blockIdx.x, me = threadIdx.x;
	float mine = expf(logits[row * COLUMNS + me]);

	part[me] = mine;
	__syncthreads();
	for (int step = COLUMNS / 2; step; step /= 2) {
		if (me < step)
			part[me] += part[me + step];
		__syncthreads();
	}
	weights[row * COLUMNS + me] = mine / part[0];
}

__global__ void average(const float *weights, float *mean)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	for (int i = 0; i < COLUMNS; i++)
		sum += weights[row * COLUMNS + i];
	mean[row] = sum / COLUMNS;
}

int main(void)
{
	array<float> logits(ROWS * COLUMNS), weights(ROWS * COLUMNS), mean(ROWS);
	int i, nan = 0;

	tap_plan(1);
	for (i = 0; i < ROWS * COLUMNS; i++)
		logits[i] = i / COLUMNS == 37 ? -1e4f : i % 10 * 0.1f;
	logits.to_gpu();
	softmax<<<ROWS, COLUMNS>>>(logits.gpu, weights.gpu);
	average<<<ROWS / 16, 16>>>(weights.gpu, mean.gpu);
	must_run();
	mean.to_cpu();
	for (i = 0; i < ROWS; i++)
		nan += mean[i] != mean[i];
	tap_ok(nan == 1, "one row is not a number");
	return tap_status();
}
