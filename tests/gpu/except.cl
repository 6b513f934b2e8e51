// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels that raise arithmetic exceptions and continue; they have no model: a
 * test chooses the operands, and so knows the exceptions.
 */
#include "gpu.h"

/* MODE: 1 with DX10_CLAMP, denormals in and out */
#define SET_MODE(clamp)							\
	do {								\
		__asm__ volatile("s_setreg_imm32_b32 "			\
				 "hwreg(HW_REG_MODE, 4, 4), 0xf");	\
		if (clamp)						\
			__asm__ volatile("s_setreg_imm32_b32 "		\
				"hwreg(HW_REG_MODE, 8, 1), 1");		\
		else							\
			__asm__ volatile("s_setreg_imm32_b32 "		\
				"hwreg(HW_REG_MODE, 8, 1), 0");		\
	} while (0)

#define MULTIPLY(x, a, b)						\
	__asm__ volatile("v_mul_f32 %0, %1, %2"				\
			 : "=v"(x) : "v"(a), "v"(b))

/* multiplies two floats, given as bits, in a loop */
__kernel WORKGROUP(64, 1)
void multiply(__global uint *out, uint a, uint b, uint loops, uint clamp)
{
	uint i, x, sum = 0;

	SET_MODE(clamp);
	for (i = 0; i < loops; i++) {
		MULTIPLY(x, a, b);
		sum += x;
	}
	out[GLOBAL_X(64)] = sum;
}

/* the reciprocal of a float */
__kernel WORKGROUP(64, 1)
void reciprocal(__global uint *out, uint a, uint loops)
{
	uint i, x, sum = 0;

	SET_MODE(0);
	for (i = 0; i < loops; i++) {
		__asm__ volatile("v_rcp_f32 %0, %1" : "=v"(x) : "v"(a));
		sum += x;
	}
	out[GLOBAL_X(64)] = sum;
}

/* divides integers */
__kernel WORKGROUP(64, 1)
void divide(__global uint *out, uint n, uint d, uint loops)
{
	uint i, sum = 0;

	for (i = 0; i < loops; i++) {
		/* hide the divisor from the compiler: divide each time */
		__asm__ volatile("" : "+v"(d));
		sum += n / d;
	}
	out[GLOBAL_X(64)] = sum;
}

/* multiplies until the CPU sets stop, and reports the count so far */
__kernel WORKGROUP(64, 1)
void multiply_on(__global volatile uint *out, uint a, uint b,
		 __global volatile uint *stop)
{
	uint i = GLOBAL_X(64), n = 0, x;

	SET_MODE(0);
	do {
		MULTIPLY(x, a, b);
		out[i] = ++n;
	} while (!*stop);
}
