// SPDX-License-Identifier: GPL-2.0
/*
 * Compiled ordinary code; the models are in kernels.c. tests/gpu has more
 * kernels, with models that also count memory instructions.
 */
#pragma OPENCL FP_CONTRACT OFF

#define LX	((uint)__builtin_amdgcn_workitem_id_x())
#define LY	((uint)__builtin_amdgcn_workitem_id_y())
#define LZ	((uint)__builtin_amdgcn_workitem_id_z())
#define GX	((uint)__builtin_amdgcn_workgroup_id_x())
#define GY	((uint)__builtin_amdgcn_workgroup_id_y())
#define GZ	((uint)__builtin_amdgcn_workgroup_id_z())
#define WG(x, y, z)	__attribute__((reqd_work_group_size(x, y, z)))
#define ID	(GX * 64 + LX)

__kernel WG(64, 1, 1) void bytes_u8(__global const uchar *a,
				    __global const uchar *b,
				    __global uchar *o, int n)
{
	int i = ID;

	if (i < n)
		o[i] = (uchar)(a[i] * b[i] + (a[i] >> 3) - (b[i] ^ 0x55));
}

__kernel WG(64, 1, 1) void shorts(__global const short *a,
				  __global const ushort *b,
				  __global ushort *o, int n)
{
	int i = ID;
	short x;

	if (i >= n)
		return;
	x = a[i] >> (b[i] & 7);
	o[i] = (x > 100 ? x * 3 : x - (short)b[i]) + (b[i] << 2);
}

__kernel WG(64, 1, 1) void saturate(__global const uchar *a, __global char *o,
				    int n)
{
	int i = ID;
	int v = (int)a[i] * 3 - 200;

	if (i < n)
		o[i] = v > 127 ? 127 : v < -128 ? -128 : v;
}

__kernel WG(64, 1, 1) void wide(__global const ulong *a, __global const long *b,
				__global ulong *o, int n)
{
	int i = ID;
	ulong x;

	if (i >= n)
		return;
	x = a[i] * (ulong)b[i] + (a[i] >> (b[i] & 63));
	x ^= (ulong)(b[i] >> 5) - a[i];
	if (b[i] < (long)a[i])
		x = (x << 13) | (x >> 51);
	o[i] = x;
}

__kernel WG(64, 1, 1) void divide(__global const uint *a, __global const uint *b,
				  __global int *o, int n)
{
	int i = ID;

	if (i < n)
		o[i] = a[i] / (b[i] | 1) + (int)a[i] % (int)(b[i] | 1);
}

__kernel WG(64, 1, 1) void divide64(__global const ulong *a,
				    __global const ulong *b,
				    __global ulong *o, int n)
{
	int i = ID;

	if (i < n)
		o[i] = a[i] / (b[i] | 1) ^ a[i] % ((b[i] >> 40) | 1);
}

__kernel WG(64, 1, 1) void floats(__global const float *a,
				  __global const float *b,
				  __global float *o, int n)
{
	int i = ID;
	float x;

	if (i >= n)
		return;
	x = a[i] * b[i] - a[i];
	x = x < b[i] ? x + 0.5f : b[i] * 3.0f;
	o[i] = __builtin_fmaf(x, a[i], b[i]) + (float)i;
}

__kernel WG(64, 1, 1) void fdivide(__global const float *a,
				   __global const float *b,
				   __global float *o, int n)
{
	int i = ID;

	if (i < n)
		o[i] = a[i] / b[i];
}

__kernel WG(64, 1, 1) void fconvert(__global const float *a, __global int *o,
				    int n)
{
	int i = ID;
	float x;

	if (i >= n)
		return;
	x = a[i];
	o[i] = (int)x + (int)(uint)__builtin_fabsf(x) +
	       (int)__builtin_floorf(x) - (int)__builtin_rintf(x);
}

__kernel WG(64, 1, 1) void collatz(__global const uint *a, __global uint *o,
				   int n)
{
	int i = ID;
	uint x, steps = 0;

	if (i >= n)
		return;
	x = (a[i] & 1023) + 1;
	while (x != 1) {
		if (x & 1)
			x = 3 * x + 1;
		else
			x >>= 1;
		if (++steps > 200)
			break;
	}
	o[i] = steps;
}

__kernel WG(64, 1, 1) void switches(__global const uint *a, __global uint *o,
				    int n)
{
	int i = ID;
	uint x = a[i], r;

	if (i >= n)
		return;
	switch (x % 5) {
	case 0: r = x + 1; break;
	case 1: r = x * 7; break;
	case 2: r = __builtin_popcount(x); break;
	case 3: r = x >> 9; break;
	default: r = ~x; break;
	}
	o[i] = r;
}

__kernel WG(64, 1, 1) void prefix(__global const uint *a, __global uint *o)
{
	__local uint s[64];
	uint l = LX, d;

	s[l] = a[ID];
	__builtin_amdgcn_s_barrier();
	for (d = 1; d < 64; d *= 2) {
		uint v = l >= d ? s[l - d] : 0;

		__builtin_amdgcn_s_barrier();
		s[l] += v;
		__builtin_amdgcn_s_barrier();
	}
	o[ID] = s[l];
}

__kernel WG(256, 1, 1) void reduce(__global const uint *a, __global uint *o)
{
	__local uint s[256];
	uint l = LX, d;

	s[l] = a[GX * 256 + l];
	__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
	__builtin_amdgcn_s_barrier();
	for (d = 128; d; d /= 2) {
		if (l < d)
			s[l] += s[l + d];
		__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
		__builtin_amdgcn_s_barrier();
	}
	if (!l)
		o[GX] = s[0];
}

__kernel WG(64, 1, 1) void private_array(__global const uint *a,
					 __global uint *o, int n)
{
	int i = ID, k;
	volatile uint t[24];

	for (k = 0; k < 24; k++)
		t[k] = a[i] + k * k;
	o[i] = t[a[i] % 24] + t[(a[i] >> 8) % 24];
}

__kernel WG(64, 1, 1) void register_array(__global const uint *a,
					  __global uint *o, int n)
{
	uint t[8];
	int i = ID, k;

	for (k = 0; k < 8; k++)
		t[k] = a[i] >> k;
	t[n & 7] ^= 0x1000;
	t[(n + 3) & 7] += t[(n + 5) & 7];
	o[i] = t[0] + t[1] * 3 + t[2] * 5 + t[3] * 7 + t[4] + t[5] + t[6] + t[7];
}

__kernel WG(8, 4, 4) void three_dims(__global uint *o, uint w, uint h)
{
	uint x = GX * 8 + LX, y = GY * 4 + LY, z = GZ * 4 + LZ;

	o[(z * h + y) * w + x] = x + 100 * y + 10000 * z;
}

__kernel WG(64, 1, 1) void pairs(__global const float2 *a,
				 __global const float2 *b,
				 __global float2 *o, int n)
{
	int i = ID;

	if (i < n)
		o[i] = a[i] * b[i] + a[i] - b[i] * 2.0f;
}

__kernel WG(64, 1, 1) void cas_max(__global volatile uint *m,
				   __global const uint *a, int n)
{
	int i = ID;
	uint old;

	if (i >= n)
		return;
	old = *m;
	while (old < a[i] &&
	       !__atomic_compare_exchange_n(m, &old, a[i], 0, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

/* through generic pointers: FLAT; the compiler cannot know the address space */
__attribute__((noinline)) static uint sum4(const uint *p)
{
	return p[0] + p[1] + p[2] + p[3];
}

__kernel WG(64, 1, 1) void calls(__global const uint *a, __global uint *o,
				 int n)
{
	__local uint s[256];
	uint l = LX, k;

	for (k = 0; k < 4; k++)
		s[4 * l + k] = a[ID] ^ k;
	o[ID] = sum4((const uint *)(a + (ID & ~3u))) +
		sum4((const uint *)(s + 4 * l));
}

__kernel WG(64, 1, 1) void halves(__global const ushort2 *a,
				  __global const ushort2 *b,
				  __global ushort2 *o, int n)
{
	int i = ID;

	if (i < n)
		o[i] = (a[i] + b[i]) * a[i] - (b[i] >> (ushort)3);
}
