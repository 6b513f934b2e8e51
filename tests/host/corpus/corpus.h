/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the kernels of the corpus. Each is compiled for amdgcn. A kernel
 * that uses neither barriers nor cross-lane operations is compiled for the host
 * as well and is its own reference; the host runs the work-items one after
 * another.
 *
 * The kernels must avoid undefined behaviour of OpenCL: overflow in conversions
 * of floats, division by zero. They store NaNs through bits(), which makes them
 * canonical.
 */
#ifndef CORPUS_H
#define CORPUS_H

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#ifdef __AMDGCN__
#define LX	((uint)__builtin_amdgcn_workitem_id_x())
#define LY	((uint)__builtin_amdgcn_workitem_id_y())
#define LZ	((uint)__builtin_amdgcn_workitem_id_z())
#define GX	((uint)__builtin_amdgcn_workgroup_id_x())
#define GY	((uint)__builtin_amdgcn_workgroup_id_y())
#define GZ	((uint)__builtin_amdgcn_workgroup_id_z())
#define BARRIER do {							\
	__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");		\
	__builtin_amdgcn_s_barrier();					\
	__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");		\
} while (0)
#else
uint item_id(uint what);	/* native.c */
#define LX	item_id(0)
#define LY	item_id(1)
#define LZ	item_id(2)
#define GX	item_id(3)
#define GY	item_id(4)
#define GZ	item_id(5)
#endif

#define WG(x, y, z)	__attribute__((reqd_work_group_size(x, y, z)))
#define ID		(GX * 64 + LX)
#define RELAXED		__ATOMIC_RELAXED
#define NOINLINE	__attribute__((noinline))

/* arguments of every kernel of the corpus */
#define IN(type)	__global const type *
#define OUT(type)	__global type *

static inline uint rol32(uint x, uint n)
{
	return x << (n & 31) | x >> (-n & 31);
}

static inline ulong rol64(ulong x, uint n)
{
	return x << (n & 63) | x >> (-n & 63);
}

static inline uint bits(float x)
{
	return x == x ? as_uint(x) : 0x7fc00000;
}

static inline ulong bits64(double x)
{
	return x == x ? as_ulong(x) : 0x7ff8000000000000ul;
}

#endif /* CORPUS_H */
