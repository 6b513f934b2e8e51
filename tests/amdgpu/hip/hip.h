/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the programs of this folder: HIP programs as a user writes them, each of which
 * compares what the GPU leaves with what the CPU computes, and prints TAP.
 */
#ifndef TESTS_AMDGPU_HIP_H
#define TESTS_AMDGPU_HIP_H

#include <hip/hip_runtime.h>

#include "tap.h"

/* it succeeds, or the program ends */
#define MUST(call)							\
do {									\
	hipError_t error_ = (call);					\
									\
	if (error_ != hipSuccess) {					\
		printf("Bail out! %s: %s\n", #call, hipGetErrorString(error_)); \
		exit(1);						\
	}								\
} while (0)

/* memory of the GPU with @nr elements, and the same elements on the CPU */
template <typename T> struct array {
	int nr;
	T *gpu, *cpu;

	explicit array(int number) : nr(number)
	{
		cpu = (T *)calloc(number, sizeof(T));
		MUST(hipMalloc(&gpu, number * sizeof(T)));
		to_gpu();
	}

	~array()
	{
		MUST(hipFree(gpu));
		free(cpu);
	}

	void to_gpu()
	{
		MUST(hipMemcpy(gpu, cpu, nr * sizeof(T), hipMemcpyHostToDevice));
	}

	void to_cpu()
	{
		MUST(hipMemcpy(cpu, gpu, nr * sizeof(T), hipMemcpyDeviceToHost));
	}

	T &operator[](int i)
	{
		return cpu[i];
	}
};

/* a kernel was launched: it ends without an error */
static inline void must_run(void)
{
	MUST(hipGetLastError());
	MUST(hipDeviceSynchronize());
}

#endif /* TESTS_AMDGPU_HIP_H */
