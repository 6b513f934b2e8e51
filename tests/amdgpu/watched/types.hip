// SPDX-License-Identifier: GPL-2.0
/* Elements of one, two and eight bytes, of integers and floating point. */
#include "../hip/hip.h"

#include <hip/hip_fp16.h>

#define NR	64

__global__ void convert(const float *from, __half *h, double *d, signed char *c,
			long long *l)
{
	int i = threadIdx.x;

	h[i] = __float2half(from[i]);
	d[i] = from[i] * 1e100;
	c[i] = (signed char)(int)from[i];
	l[i] = (long long)from[i] << 40;
}

int main(void)
{
	array<signed char> c(NR);
	array<long long> l(NR);
	array<__half> h(NR);
	array<double> d(NR);
	array<float> from(NR);
	int i, wrong = 0;

	tap_plan(1);
	for (i = 0; i < NR; i++)
		from[i] = (i - 30) * 1.5f;
	from.to_gpu();
	convert<<<1, NR>>>(from.gpu, h.gpu, d.gpu, c.gpu, l.gpu);
	must_run();
	c.to_cpu();
	d.to_cpu();
	l.to_cpu();
	h.to_cpu();
	for (i = 0; i < NR; i++)
		wrong += c[i] != (int)from[i] || d[i] != from[i] * 1e100 ||
			 l[i] != ((long long)from[i] << 40) || __half2float(h[i]) != from[i];
	tap_ok(!wrong, "all types");
	return tap_status();
}
