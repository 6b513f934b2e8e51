/* SPDX-License-Identifier: GPL-2.0 */
//
// First-level trap handler of gfx9 (gfx900 to gfx90a): turns a watch hit, an
// exception, an s_trap or a single step into a record in memory, an interrupt
// and a halted wave.
//
// On entry the hardware has put the interrupted pc, the trap id and the
// host-trap flag into ttmp0/1 and set STATUS.PRIV. ttmp6-11 hold what the
// dispatcher left there for debuggers, and bit 24 of ttmp11 that somebody steps
// the wave: programs can set MODE.DEBUG_EN, but no ttmp. User registers, vcc, exec, m0 and
// STATUS leave as they came. Ours: ttmp2-5, ttmp12-15.
//
// The handler's memory (TMA):
//	0x00	16 words: number of the first record of shader array n = SE * 2
//		+ SH. Zeroed memory fits a device of one shader array; who
//		serves more writes their numbers here and gives more memory.
//	0x40	records of 64 bytes, a cache line each, because scalar caches
//		of different CUs may write neighbours. Within an array the
//		number is CU * 64 + SIMD * 16 + WAVE.
//
// A record (byte offsets; isa.c parses it):
//	0x00	seq: odd while the record is being written, then two more than
//		before; ttmp14 of the stopped wave keeps it, so that a record
//		can be told from one that a later wave of this place left
//	0x04	reasons: TRAPSTS bits that were enabled, cleared by us
//	0x08	ttmp0/1: pc of an s_trap itself (where the wave goes on if its id
//		is BREAK_ID, else behind it), else of the next instruction;
//		trap id in [55:48]
//	0x10	exec
//	0x18	STATUS, MODE
//	0x20	HW_ID, TRAPSTS
//	0x28	ttmp6-11
//
// With WATCH16 defined it serves the software GPU's sixteen comparators: bit
// 12 + n of TRAPSTS for comparator n > 3. Silicon has EXCP_CYCLE and other
// things there.
//
// Not handled: SAVECTX. Below a first level that saves contexts another
// beginning is needed, as STATUS and TMA come in ttmp12 and ttmp14/15 there.

.set MODE_EXCP_EN,	12 | (9 << 16)		// s_bfe field
.set MODE_DEBUG_EN,	11
.set TTMP11_STEPPED,	24
.set EXCP_WATCH,	7			// of EXCP_EN and TRAPSTS
.set TRAPSTS_ALWAYS,	0x900			// mem_viol, illegal_inst
.ifdef WATCH16
.set TRAPSTS_WATCH1_N,	0x0fff7000
.else
.set TRAPSTS_WATCH1_N,	0x7000
.endif
.set TTMP1_TRAP_ID,	0x00ff0000
.set TTMP1_HOST_TRAP,	24
.set BREAK_ID,		1			// s_trap 1
.set HWREG_TMA_LO,	18			// llvm-mc has no name for them
.set HWREG_TMA_HI,	19
.set RECORDS,		0x40
.set CODE_WAVE_TRAP,	0x02 << 10

// One scalar store at a time: concurrent ones of one wave are suspected of
// overtaking each other on this hardware (amdkfd's handler waits as well).
.macro store op, data, offset
	\op	\data, ttmp[14:15], RECORDS + \offset glc
	s_waitcnt	lgkmcnt(0)
.endm

.macro clear, bit
	s_bitcmp1_b32	ttmp2, \bit
	s_cbranch_scc0	kept_\bit
	s_setreg_imm32_b32	hwreg(HW_REG_TRAPSTS, \bit, 1), 0
kept_\bit:
.endm

trap_handler:
	s_getreg_b32	ttmp12, hwreg(HW_REG_STATUS)	// before SCC changes
	s_getreg_b32	ttmp2, hwreg(HW_REG_TRAPSTS)
	s_getreg_b32	ttmp3, hwreg(HW_REG_MODE)

	// TRAPSTS also collects exceptions that are not enabled: not ours.
	// EXCP_EN lies as TRAPSTS does, but for the watches from 1 on, which
	// have no enable bit of their own.
	s_bfe_u32	ttmp4, ttmp3, MODE_EXCP_EN
	s_or_b32	ttmp4, ttmp4, TRAPSTS_ALWAYS
	s_bitcmp1_b32	ttmp4, EXCP_WATCH
	s_cbranch_scc0	mask_done
	s_or_b32	ttmp4, ttmp4, TRAPSTS_WATCH1_N
mask_done:
	s_and_b32	ttmp2, ttmp2, ttmp4
	s_cbranch_scc1	report
	// No TRAPSTS bit of gfx9 tells of a step. Who is stepped and comes here
	// has made one, or comes for something else that took the step's place
	// (a context save, a host trap): better told once too often than lost.
	// A program that steps itself is nobody's business, and goes on.
	s_bitcmp1_b32	ttmp3, MODE_DEBUG_EN
	s_cbranch_scc0	not_stepped
	s_bitcmp1_b32	ttmp11, TTMP11_STEPPED
	s_cbranch_scc1	report
not_stepped:
	s_bitcmp1_b32	ttmp1, TTMP1_HOST_TRAP
	s_cbranch_scc1	return
	s_and_b32	ttmp4, ttmp1, TTMP1_TRAP_ID
	s_cbranch_scc0	return

report:
	// Scalar loads need a clean XNACK replay state; the interrupted code
	// needs its own back.
	s_getreg_b32	ttmp13, hwreg(HW_REG_IB_STS, 15, 6)
	s_setreg_imm32_b32	hwreg(HW_REG_IB_STS, 15, 6), 0

	// TMA is address >> 8, of 48 bits, sign-extended
	s_getreg_b32	ttmp14, hwreg(HWREG_TMA_LO)
	s_getreg_b32	ttmp15, hwreg(HWREG_TMA_HI)
	s_lshl_b64	ttmp[14:15], ttmp[14:15], 8
	s_sext_i32_i16	ttmp15, ttmp15

	// ttmp[14:15] += 64 * (first record of the array + wave in the array)
	s_getreg_b32	ttmp4, hwreg(HW_REG_HW_ID, 12, 4)	// SE, SH
	s_lshl_b32	ttmp4, ttmp4, 2
	s_load_dword	ttmp5, ttmp[14:15], ttmp4 glc
	s_getreg_b32	ttmp4, hwreg(HW_REG_HW_ID, 8, 4)	// CU
	s_lshl_b32	ttmp4, ttmp4, 6
	s_waitcnt	lgkmcnt(0)
	s_add_u32	ttmp5, ttmp5, ttmp4
	s_getreg_b32	ttmp4, hwreg(HW_REG_HW_ID, 0, 6)	// SIMD, WAVE
	s_add_u32	ttmp5, ttmp5, ttmp4
	s_lshl_b32	ttmp5, ttmp5, 6
	s_add_u32	ttmp14, ttmp14, ttmp5
	s_addc_u32	ttmp15, ttmp15, 0

	s_load_dword	ttmp4, ttmp[14:15], RECORDS glc
	s_waitcnt	lgkmcnt(0)
	s_or_b32	ttmp4, ttmp4, 1
	store	s_store_dword, ttmp4, 0
	s_dcache_wb
	s_waitcnt	lgkmcnt(0)
	store	s_store_dword, ttmp2, 0x04
	store	s_store_dwordx2, ttmp[0:1], 0x08
	s_mov_b64	ttmp[4:5], exec
	store	s_store_dwordx2, ttmp[4:5], 0x10
	store	s_store_dword, ttmp12, 0x18
	store	s_store_dword, ttmp3, 0x1c
	s_getreg_b32	ttmp4, hwreg(HW_REG_HW_ID)
	s_getreg_b32	ttmp5, hwreg(HW_REG_TRAPSTS)
	store	s_store_dwordx2, ttmp[4:5], 0x20
	store	s_store_dwordx2, ttmp[6:7], 0x28
	store	s_store_dwordx4, ttmp[8:11], 0x30
	s_load_dword	ttmp4, ttmp[14:15], RECORDS glc
	s_waitcnt	lgkmcnt(0)
	s_add_u32	ttmp4, ttmp4, 1
	store	s_store_dword, ttmp4, 0
	s_dcache_wb
	s_waitcnt	lgkmcnt(0)
	s_mov_b32	ttmp14, ttmp4

	// Clear the bits that were read, each with a write of its own: a bit
	// that an access still in flight sets meanwhile must survive, it is
	// the reason of the next entry.
	.irp	bit, 0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14
	clear	\bit
	.endr
.ifdef WATCH16
	.irp	bit, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
	clear	\bit
	.endr
.endif

	// Halt takes effect when s_rfe leaves the handler: a wave that waits
	// inside would block context save. It is set before the interrupt
	// and not written again, so that who answers the interrupt at once
	// can resume the wave while it still is in here.
	s_setreg_imm32_b32	hwreg(HW_REG_STATUS, 13, 1), 1

	// gfx9 answers MSG_GET_DOORBELL in exec_lo, bit 31 clear
	s_mov_b64	ttmp[4:5], exec
	s_mov_b32	ttmp3, m0
	s_mov_b32	exec_lo, 0x80000000
	s_sendmsg	sendmsg(MSG_GET_DOORBELL)
wait_doorbell:
	s_nop		7
	s_bitcmp0_b32	exec_lo, 31
	s_cbranch_scc0	wait_doorbell
	s_and_b32	ttmp2, exec_lo, 0x3ff
	s_mov_b64	exec, ttmp[4:5]
	s_or_b32	m0, ttmp2, CODE_WAVE_TRAP
	s_nop		0			// m0 to s_sendmsg: one wait state
	s_sendmsg	sendmsg(MSG_INTERRUPT)
	s_waitcnt	lgkmcnt(0)		// m0 is free once it is sent
	s_mov_b32	m0, ttmp3
	s_setreg_b32	hwreg(HW_REG_IB_STS, 15, 6), ttmp13

	// Hardware stands at the s_trap; go on behind it. A break stands for an
	// instruction that was not executed: stay, and whoever lets the wave
	// go without having done something about it meets it again.
	s_bitcmp1_b32	ttmp1, TTMP1_HOST_TRAP
	s_cbranch_scc1	return
	s_and_b32	ttmp2, ttmp1, TTMP1_TRAP_ID
	s_cbranch_scc0	return
	s_cmp_eq_u32	ttmp2, BREAK_ID << 16
	s_cbranch_scc1	return
	s_add_u32	ttmp0, ttmp0, 4
	s_addc_u32	ttmp1, ttmp1, 0

return:
	// Of STATUS only SCC has changed (and HALT, on purpose): write no
	// more than that back. EXECZ follows exec.
	s_and_b32	ttmp1, ttmp1, 0xffff
	s_setreg_b32	hwreg(HW_REG_STATUS, 0, 1), ttmp12
	s_rfe_b64	ttmp[0:1]
