// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of libclc, one a kernel; test_library.c has the models.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define KERNEL(name, value)							\
__kernel void name(__global const float *a, __global const float *b,		\
		   __global float *out)						\
{										\
	size_t i = get_global_id(0);						\
	float x = a[i], y = b[i];						\
										\
	(void)x, (void)y;							\
	out[i] = value;								\
}

KERNEL(k_exp, exp(x))
KERNEL(k_exp2, exp2(x))
KERNEL(k_log, log(x))
KERNEL(k_log2, log2(x))
KERNEL(k_pow, pow(x, y))
KERNEL(k_pown, pown(x, (int)y))
KERNEL(k_sin, sin(x))
KERNEL(k_cos, cos(x))
KERNEL(k_tan, tan(x))
KERNEL(k_asin, asin(x / 50))
KERNEL(k_atan2, atan2(x, y))
KERNEL(k_tanh, tanh(x))
KERNEL(k_fmod, fmod(x, y))
KERNEL(k_hypot, hypot(x, y))
KERNEL(k_step, step(x, y))
KERNEL(k_smoothstep, smoothstep(-10.0f, 20.0f, x))
KERNEL(k_sign, sign(x) * copysign(2.0f, y))
KERNEL(k_ldexp, ldexp(x, convert_int_rtn(y)))
KERNEL(k_select, select(x, y, isless(x, y)))
KERNEL(k_normalize, normalize((float4)(x, y, 1, 2)).y)
KERNEL(k_cross, cross((float4)(x, y, 1, 0), (float4)(y, 3, x, 0)).y)
KERNEL(k_fma, fma((float2)(x, y), (float2)(y, y), (float2)(x, 1)).x)
KERNEL(k_vload4, vload4(i / 4, a).wzyx[i % 4])
KERNEL(k_popcount, popcount((int4)(0, (int)x, 1, 2)).y + clz((short)3))
KERNEL(k_rotate, rotate((uint4)(int)x, (uint4)3).w >> 8)
KERNEL(k_abs, abs((int4)(int)x).z + abs_diff((int)x, (int)y))
KERNEL(k_isnan, isnan((double)log(x)) - isinf((float2)(y, x) * 2).y)
KERNEL(k_convert, convert_uchar_sat(x) + convert_int_rte(y))
KERNEL(k_native, native_exp(x / 50) * native_cos(y / 500))
KERNEL(k_double, exp((double)x) * sin((double)y))

__kernel void k_vstore4(__global const float *a, __global const float *b,
			__global float *out)
{
	size_t i = get_global_id(0);

	if (i % 4 == 0)
		vstore4((float4)(b[i], a[i], a[i + 1], a[i + 2]), i / 4, out);
}

/* what is behind pointers into private memory */
__kernel void k_sincos(__global const float *a, __global const float *b,
		       __global float *out)
{
	size_t i = get_global_id(0);
	float whole, cosine, sine = sincos(a[i], &cosine);

	out[i] = sine * cosine + modf(b[i], &whole) + whole;
}
