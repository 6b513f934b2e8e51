/* SPDX-License-Identifier: GPL-2.0 */
/* In place of HIP's: what tests/amdgpu/guest/hits.c looks for, each in a line of its own. */
int atomicCAS(int* address, int compare, int val) { __hip_atomic_compare_exchange_strong( }
int atomicAdd(int* address, int val) { return __hip_atomic_fetch_add( }
unsigned int atomicAdd(unsigned int* address, unsigned int val) { return __hip_atomic_fetch_add( }
int atomicSub(int* address, int val) { return __hip_atomic_fetch_add( }
unsigned long long atomicExch(unsigned long long* address) { return __hip_atomic_exchange( }
int atomicMax(int* address) { return __hip_atomic_fetch_max(address, val, __ATOMIC_RELAXED, __HIP }
