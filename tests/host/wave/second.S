// SPDX-License-Identifier: GPL-2.0
//
// For second.c: programs, a first level that saves nothing and forwards all
// like amdkfd's does, and a third that records what it was passed.
//
// The first level's memory: TBA and TMA of the second. The third's: what it found
// in ttmp14/15, STATUS as ttmp12 has it, ttmp0/1, the number of its entries.

.set IB_STS_REPLAY,	0x1f8000
.set TO_TTMP11,		11
.set TTMP11_REPLAY,	0xfc000000
.set SPI_PRIO_ECC,	0x20006

store:
	global_store_dword v[2:3], v4, off
after_store:
	v_mov_b32 v0, 5
	s_endpgm

store_last:
	global_store_dword v[2:3], v4, off
after_store_last:
	s_endpgm

user_trap:
	s_trap 7
after_trap:
	s_mov_b32 s20, 7
	s_endpgm

user_break:
	s_trap 1
	s_endpgm

multiply:
	v_mul_f32 v0, v6, v7
after_multiply:
	s_mov_b32 s20, 7
	s_endpgm

moves:
	s_mov_b32 s20, 1
	s_mov_b32 s21, 2
	s_endpgm

	.p2align 8
first_level:
	s_getreg_b32	ttmp12, hwreg(HW_REG_STATUS)
	s_andn2_b32	ttmp12, ttmp12, SPI_PRIO_ECC
	s_getreg_b32	ttmp2, hwreg(HW_REG_IB_STS)
	s_and_b32	ttmp2, ttmp2, IB_STS_REPLAY
	s_lshl_b32	ttmp2, ttmp2, TO_TTMP11
	s_andn2_b32	ttmp11, ttmp11, TTMP11_REPLAY
	s_or_b32	ttmp11, ttmp11, ttmp2
	s_setreg_imm32_b32 hwreg(HW_REG_IB_STS, 15, 6), 0
	s_getreg_b32	ttmp14, hwreg(18)
	s_getreg_b32	ttmp15, hwreg(19)
	s_lshl_b64	ttmp[14:15], ttmp[14:15], 8
	s_sext_i32_i16	ttmp15, ttmp15
	s_load_dwordx2	ttmp[2:3], ttmp[14:15], 0x0 glc
	s_waitcnt	lgkmcnt(0)
	s_load_dwordx2	ttmp[14:15], ttmp[14:15], 0x8 glc
	s_waitcnt	lgkmcnt(0)
	s_setpc_b64	ttmp[2:3]

	.p2align 8
third_level:
	s_store_dwordx2	ttmp[14:15], ttmp[14:15], 0x0 glc
	s_store_dword	ttmp12, ttmp[14:15], 0x8 glc
	s_store_dwordx2	ttmp[0:1], ttmp[14:15], 0x10 glc
	s_mov_b32	ttmp2, 1
	s_atomic_add	ttmp2, ttmp[14:15], 0x18 glc
	s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 6), 0
	s_and_b32	ttmp2, ttmp1, 0xff0000
	s_cbranch_scc0	third_done
	s_add_u32	ttmp0, ttmp0, 4
	s_addc_u32	ttmp1, ttmp1, 0
third_done:
	s_and_b32	ttmp1, ttmp1, 0xffff
	s_lshr_b32	ttmp2, ttmp11, 26
	s_setreg_b32	hwreg(HW_REG_IB_STS, 15, 6), ttmp2
	s_setreg_b32	hwreg(HW_REG_STATUS, 0, 1), ttmp12
	s_rfe_b64	ttmp[0:1]
