// SPDX-License-Identifier: GPL-2.0
//
// Programs and small handlers for trap.c. v[2:3]: address, v4: data.

.macro op name, insn:vararg
\name:
	\insn
	s_endpgm
.endm

store:
	global_store_dword v[2:3], v4, off
after_store:
	v_mov_b32 v0, 5
	s_mov_b32 s20, 7
	s_endpgm

two_stores:
	global_store_dword v[2:3], v4, off
	s_nop 0
	s_nop 0
	s_nop 0
	global_store_dword v[2:3], v5, off
	s_endpgm

skidding:
	global_store_dword v[2:3], v4, off
	s_nop 0
	s_nop 0
skid_wait:
	s_waitcnt vmcnt(0)
skid_end:
	s_nop 0
	s_nop 0
	s_nop 0
	s_nop 0
	s_nop 0
	s_endpgm

store_then_load:
	global_store_dword v[2:3], v4, off
	global_load_dword v0, v[2:3], off
	s_endpgm

no_wait:
	global_store_dword v[2:3], v4, off
no_wait_end:
	s_endpgm

store_then_halt:
	global_store_dword v[2:3], v4, off
store_then_halt_end:
	s_sethalt 1
	s_endpgm

store_then_msghalt:
	global_store_dword v[2:3], v4, off
store_then_msghalt_end:
	s_sendmsghalt sendmsg(MSG_INTERRUPT)
	s_endpgm

load:
	global_load_dword v0, v[2:3], off
	s_endpgm

multiply:
	v_mul_f32 v0, v6, v7
after_multiply:
	s_mov_b32 s20, 7
	s_endpgm

op multiply_half, v_mul_f16 v0, v6, v7
op multiply_packed, v_pk_mul_f16 v0, v6, v7
op reciprocal, v_rcp_f32 v0, v6
op divisor, v_rcp_iflag_f32 v0, v6
op compare, v_cmp_lt_f32 vcc, v6, v7
op compare_all, v_cmp_lt_f32_e64 vcc, v6, v7 clamp
op minimum, v_min_f32 v0, v6, v7
op moved, v_mov_b32 v0, v6

multiply_inside:
	v_mul_f32 v0, v6, v7
	s_getreg_b32 s20, hwreg(HW_REG_TRAPSTS)
	s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 7), 0
	s_getreg_b32 s21, hwreg(HW_REG_TRAPSTS)
	v_mul_f32 v0, v6, v7
	s_endpgm

atomic:
	global_atomic_add v[2:3], v4, off
	s_endpgm

scalar:
	s_store_dword s20, s[4:5], 0x0
	s_load_dword s21, s[4:5], 0x0
	s_endpgm

user_trap:
	s_trap 7
after_trap:
	s_mov_b32 s20, 7
	s_endpgm

user_msg:
	s_mov_b32 m0, 0x1234
	s_sendmsg sendmsg(MSG_INTERRUPT)
	s_endpgm

op user_rfe, s_rfe_b64 s[4:5]
op user_ttmp, s_mov_b32 ttmp6, 1
op user_ttmp64, s_and_saveexec_b64 ttmp[6:7], vcc
op user_ttmp_load, s_load_dword ttmp6, s[4:5], 0x0
op user_ttmp_vector, v_readfirstlane_b32 ttmp6, v0
op user_ttmp_cmp, v_cmp_eq_u32 ttmp[6:7], v0, v0
op user_ttmp_read, s_mov_b32 s20, ttmp6
op user_illegal, .long 0xffffffff
user_halt:
	s_sethalt 1
	s_nop 0
	s_endpgm
user_halt_end:
	s_sethalt 1
user_halted_end:
	s_endpgm
user_barrier:
	s_nop 0
user_at_barrier:
	s_barrier
	s_endpgm
user_saved:
	s_endpgm_saved

// what is saved where EXEC says: pc, STATUS, TRAPSTS
saving:
	s_getreg_b32 ttmp4, hwreg(HW_REG_STATUS)
	s_getreg_b32 ttmp5, hwreg(HW_REG_TRAPSTS)
	s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 10, 1), 0
	s_mov_b64 exec, 0
	s_sendmsg sendmsg(MSG_SAVEWAVE)
saving_waits:
	s_sleep 2
	s_cbranch_execz saving_waits
	s_mov_b64 ttmp[6:7], exec
	s_store_dwordx2 ttmp[0:1], ttmp[6:7], 0x0
	s_store_dwordx2 ttmp[4:5], ttmp[6:7], 0x8
	s_endpgm_saved

// nothing is saved: the next entry is for that
busy:
	s_add_u32 s20, s20, 1
	s_and_b32 ttmp1, ttmp1, 0xffff
	s_cmp_eq_u32 s20, 5
	s_cbranch_scc0 busy_returns
	s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 10, 1), 0
busy_returns:
	s_rfe_b64 ttmp[0:1]
user_enables:
	global_store_dword v[2:3], v4, off
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 19, 1), 1
	s_nop 0
	s_endpgm
user_clears:
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 19, 1), 0
	global_store_dword v[2:3], v4, off
	s_endpgm

stepped:
	s_mov_b32 s20, 1
stepped_1:
	s_mov_b32 s21, 2
stepped_2:
	s_branch stepped_to
	s_nop 0
stepped_to:
	s_mov_b32 s22, 3
stepped_end:
	s_endpgm

waiting:
	s_barrier
waiting_1:
	s_endpgm

sleeping:
	s_sleep 1
sleeping_1:
	s_endpgm

	.p2align 8
// only counts its entries: TRAPSTS bits stay set
.macro count_entry
	s_getreg_b32 ttmp14, hwreg(18)
	s_getreg_b32 ttmp15, hwreg(19)
	s_lshl_b64 ttmp[14:15], ttmp[14:15], 8
	s_mov_b32 ttmp13, 1
	s_atomic_add ttmp13, ttmp[14:15], 0x0 glc
.endm
.macro return
	s_and_b32 ttmp1, ttmp1, 0xffff
	s_rfe_b64 ttmp[0:1]
.endm

counter:
	count_entry
	return

	.p2align 8
// its own store hits as well, the first time
storing:
	count_entry
	s_cmp_eq_u32 ttmp13, 0
	s_cbranch_scc0 storing_done
	global_store_dword v[2:3], v5, off
storing_done:
	return

	.p2align 8
// the same, but it clears its own hit
clearing:
	count_entry
	s_cmp_eq_u32 ttmp13, 0
	s_cbranch_scc0 clearing_done
	global_store_dword v[2:3], v5, off
	s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 7, 1), 0
clearing_done:
	return

	.p2align 8
op broken, .long 0xffffffff

	.p2align 8
op nested, s_trap 3

	.p2align 8
wild:
	s_load_dword ttmp4, s[4:5], 0x0
	return

	.p2align 8
// HALT does not stop it in the handler; TBA and TMA can be read
halting:
	s_sethalt 1
	s_nop 0
	s_getreg_b32 s24, hwreg(16)
	s_getreg_b32 s25, hwreg(17)
	s_mov_b32 s26, ttmp1
	s_setreg_imm32_b32 hwreg(HW_REG_STATUS, 5, 1), 0
	s_mov_b32 ttmp2, 1
	return
