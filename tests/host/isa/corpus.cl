// SPDX-License-Identifier: GPL-2.0
/*
 * Compiled ordinary code, for the decoder: memory of every width, atomics, LDS,
 * private arrays, divergence, division, conversions.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

#define ID ((int)(__builtin_amdgcn_workgroup_id_x() * 64 + \
		  __builtin_amdgcn_workitem_id_x()))

kernel void widths(global uchar *a, global ushort *b, global uint *c,
		   global ulong *d, global uint4 *e, global char *f,
		   global short *g)
{
	int i = ID;

	a[i] = f[i + 1];
	b[i] = g[i] * a[i];
	c[i] = b[i] + a[i];
	d[i] = c[i] * d[i + 3] + (d[i] >> c[i]);
	e[i] = e[i] + e[i + 1];
}

kernel void atomics(global uint *a, global ulong *b, uint v)
{
	int i = ID;

	__sync_fetch_and_add(a + i, v);
	a[0] = __sync_fetch_and_xor(a + i, v);
	a[1] = __sync_val_compare_and_swap(a + i, v, v + 1);
	b[1] = __sync_val_compare_and_swap(b + i, (ulong)v, (ulong)v + 1);
	b[2] = __sync_fetch_and_or(b + i, (ulong)v);
	__sync_fetch_and_umax(a + 7, v);
}

kernel void reduce(global float *out, global const float *in, local float *tmp)
{
	int n = __builtin_amdgcn_workitem_id_x();

	tmp[n] = in[ID];
	for (int s = 32; s; s >>= 1) {
		__builtin_amdgcn_s_barrier();
		if (n < s)
			tmp[n] += tmp[n + s];
	}
	if (!n)
		out[__builtin_amdgcn_workgroup_id_x()] = tmp[0];
}

kernel void private_array(global int *out, global const int *in, int n)
{
	int t[32];

	for (int i = 0; i < 32; i++)
		t[i] = in[(ID + i) & n];
	for (int i = 0; i < n; i++)
		t[(i * 7) & 31] += t[i & 31];
	out[ID] = t[n & 31];
}

kernel void integers(global int *a, global uint *b, global long *c)
{
	int i = ID;

	a[i] = a[i] / (a[i + 1] | 1) + a[i] % 7;
	b[i] = b[i] / 10 + __builtin_popcount(b[i]) + __builtin_clz(b[i] | 1);
	c[i] = c[i] / (c[i + 1] | 1) - c[i] * 12345678901L;
	if (a[i] > 3 && b[i] < 7)
		c[i] = c[i] << (a[i] & 63);
}

kernel void floats(global float *a, global double *b, global half *c,
		   global int *d)
{
	int i = ID;

	a[i] = a[i] / (a[i + 1] + 1.0f) + a[i] * 3.5f;
	b[i] = b[i] / (b[i + 1] + 1.0) + __builtin_fma(b[i], 2.0, 0.25);
	c[i] = c[i] * c[i + 1] + (half)a[i];
	d[i] = (int)a[i] + (int)b[i] + (uint)a[i + 1];
	a[i + 2] = __builtin_sqrtf(a[i]) + (float)d[i + 1] + (float)b[i];
	a[i + 3] = a[i] < b[i] ? __builtin_floorf(a[i]) : __builtin_fabsf(a[i]);
}

kernel void chase(global ulong *p, global ulong *out, int n)
{
	global ulong *q = p + ID;

	while (n-- > 0)
		q = (global ulong *)*q;
	out[ID] = (ulong)q;
}

kernel void lanes(global uint *a, uint v)
{
	uint x = a[ID];

	a[0] = __builtin_amdgcn_readfirstlane(x);
	a[1] = __builtin_amdgcn_readlane(x, v);
	a[2] = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
	a[3] = __builtin_amdgcn_ds_bpermute(x, v);
	a[4] = __builtin_amdgcn_mov_dpp(x, 0x111, 0xf, 0xf, 0);
}

static void through_pointer(int *p, int n)
{
	while (n--)
		p[n] += n;
}

kernel void flat_pointer(global int *a, local int *b, int n)
{
	through_pointer(n & 1 ? (int *)a : (int *)b, n);
	if (n == 77)
		__builtin_trap();
	if (n == 78)
		__builtin_debugtrap();
}
