// SPDX-License-Identifier: GPL-2.0
/*
 * What opencl.h has, used as programs use it; test_functions.c has the models.
 */
#define NR_IDS	33

/* all that a work-item knows of its place */
__kernel void ids(__global uint *out)
{
	size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) *
		   get_global_size(0) + get_global_id(0);
	uint dim;

	out += i * NR_IDS;
	for (dim = 0; dim < 4; dim++, out += 8) {
		out[0] = get_global_id(dim);
		out[1] = get_local_id(dim);
		out[2] = get_group_id(dim);
		out[3] = get_global_size(dim);
		out[4] = get_local_size(dim);
		out[5] = get_enqueued_local_size(dim);
		out[6] = get_num_groups(dim);
		out[7] = get_global_offset(dim);
	}
	*out = get_work_dim();
}

/* more work-items than elements */
__kernel void guarded(__global const int *in, __global int *out, int n)
{
	int i = get_global_id(0);

	if (i < n)
		out[i] = in[i] + 1;
}

/* the sum of each workgroup, of several waves */
__kernel void sums(__global const int *in, __global int *out)
{
	__local int part[256];
	uint l = get_local_id(0), d;

	part[l] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (d = 128; d; d /= 2) {
		if (l < d && l + d < get_local_size(0))
			part[l] += part[l + d];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (!l)
		out[get_group_id(0)] = part[0];
}

__kernel void atomics(__global int *i, __global uint *u, __global ulong *q,
		      __global uint *olds, __global float *f)
{
	__local uint count;
	int id = get_global_id(0);

	if (!get_local_id(0))
		count = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&i[0], id);
	atomic_sub(&i[1], id);
	atomic_min(&i[2], 50 - id);
	atomic_max(&i[3], id - 50);
	atomic_and(&u[0], ~(1u << (id & 15)));
	atomic_or(&u[1], 1u << (id & 31));
	atomic_xor(&u[2], id * 0x9e3779b9u);
	atomic_min(&u[3], 0xffffffffu - id);
	atomic_max(&u[4], 0x80000000u + id);
	atomic_dec(&u[5]);
	olds[atomic_inc(&u[6])] = atomic_xchg(&u[7], id);
	if (atomic_cmpxchg(&u[8], 7, 8) == 7)
		atomic_inc(&u[9]);
	atomic_xchg(f, 2.5f);
	atom_add(&q[0], 1ul << 40);
	atom_max(&q[1], (ulong)id << 33);
	atom_inc(&q[2]);
	atomic_inc(&count);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (!get_local_id(0))
		atomic_add(&u[10], count);
}

#define NR_FLOATS	20

__kernel void floats(__global const float *in, __global float *out)
{
	uint i = get_global_id(0);
	float a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
	float4 v = (float4)(a, b, c, 1.0f), w = max(v, 0.0f);

	out += NR_FLOATS * i;
	out[0] = fabs(a);
	out[1] = sqrt(fabs(a));
	out[2] = floor(a);
	out[3] = ceil(a);
	out[4] = trunc(a);
	out[5] = rint(a);
	out[6] = round(a);
	out[7] = mad(a, b, c);
	out[8] = mix(a, b, 0.25f);
	out[9] = fmin(a, b);
	out[10] = fmax(a, b);
	out[11] = clamp(a, -1.0f, 1.0f);
	out[12] = min(a, b);
	out[13] = fma(a, b, c);
	out[14] = dot(v, w);
	out[15] = length(v.xy);
	out[16] = convert_float(convert_int(a));
	out[17] = fabs(v).y + clamp(v, -2.0f, 2.0f).z;
	out[18] = isnan(a) + 2 * isinf(a);
	out[19] = native_rsqrt(fabs(a) + 1.0f);
}

#define NR_INTS		16

__kernel void ints(__global const int *in, __global int *out)
{
	uint i = get_global_id(0);
	int a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
	int4 v = convert_int4(convert_float4((int4)(a, b, c, i) >> 9));

	out += NR_INTS * i;
	out[0] = min(a, b);
	out[1] = max(a, b);
	out[2] = clamp(a, -1000, 1000);
	out[3] = min((uint)a, (uint)b);
	out[4] = max((uint)a, (uint)b);
	out[5] = mul24(a, b);
	out[6] = mad24(a, b, c);
	out[7] = abs(a);
	out[8] = popcount(a);
	out[9] = clz(a);
	out[10] = rotate(a, b);
	out[11] = mul_hi(a, b);
	out[12] = mul_hi((uint)a, (uint)b);
	out[13] = max(v, 0).x + min(v, v.yzwx).y;
	out[14] = clamp((long)a * b, -5l, (long)c) >> 1;
	out[15] = (int)abs((short)a) + clz((long)b);
}
