/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the test kernels. They are compiled without device libraries, so
 * get_global_id() and the atomics are written with clang's builtins.
 *
 * Each kernel but that of items.cl has a fixed workgroup size, and a model in
 * model_*.c that knows which memory instructions its waves execute. Where the
 * compiler could merge, split, move or scalarise an access, the kernel uses
 * volatile or inline assembly, so that every clang emits the same instructions.
 */
#ifndef TESTS_GPU_H
#define TESTS_GPU_H

#pragma OPENCL FP_CONTRACT OFF

#define WORKGROUP(x, y)	__attribute__((reqd_work_group_size(x, y, 1)))

#define LOCAL_X		((uint)__builtin_amdgcn_workitem_id_x())
#define LOCAL_Y		((uint)__builtin_amdgcn_workitem_id_y())
#define GROUP_X		((uint)__builtin_amdgcn_workgroup_id_x())
#define GROUP_Y		((uint)__builtin_amdgcn_workgroup_id_y())
#define GLOBAL_X(size)	(GROUP_X * (size) + LOCAL_X)
#define GLOBAL_Y(size)	(GROUP_Y * (size) + LOCAL_Y)

#define RELAXED		__ATOMIC_RELAXED

/* how assembler writes that an atomic returns the old value */
#ifdef __gfx942__
#define OLD "sc0"
#else
#define OLD "glc"
#endif

typedef __global uchar *bytes;

#endif /* TESTS_GPU_H */
