/* SPDX-License-Identifier: GPL-2.0 */
// Instructions of every encoding and with every kind of operand and modifier
// that all processors share.

	s_mov_b32 s0, s1
	s_mov_b32 s0, 0x12345678
	s_mov_b64 exec, -1
	s_mov_b64 s[2:3], vcc
	s_not_b32 m0, s5
	s_brev_b32 s0, 1.0
	s_bcnt1_i32_b64 s0, exec
	s_ff1_i32_b64 s0, s[2:3]
	s_flbit_i32_b32 s0, s1
	s_sext_i32_i16 s0, s1
	s_bitset1_b32 s0, 13
	s_getpc_b64 s[4:5]
	s_setpc_b64 s[4:5]
	s_swappc_b64 s[4:5], s[6:7]
	s_rfe_b64 s[4:5]
	s_and_saveexec_b64 s[0:1], vcc
	s_or_saveexec_b64 s[0:1], s[2:3]
	s_xor_saveexec_b64 s[0:1], s[2:3]
	s_andn2_saveexec_b64 s[0:1], vcc
	s_movrels_b32 s0, s1
	s_add_u32 s0, s1, 0x1000
	s_add_u32 s0, 0x1000, s1
	s_addc_u32 s0, s1, -1
	s_lshl_b64 s[0:1], s[2:3], 8
	s_bfe_u32 s0, s1, 0x90000
	s_mul_hi_u32 s0, s1, s2
	s_lshl3_add_u32 s0, s1, s2
	s_pack_ll_b32_b16 s0, s1, s2
	s_cselect_b64 s[0:1], -1, 0
	s_movk_i32 s0, 0x7fff
	s_cmpk_lg_u32 s0, 0xffff
	s_addk_i32 s0, -5
	s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS, 7, 1)
	s_setreg_b32 hwreg(HW_REG_MODE, 19, 1), s0
	s_setreg_imm32_b32 hwreg(HW_REG_STATUS, 13, 1), 1
	s_call_b64 s[0:1], 16
	s_cmp_eq_u32 s0, 0x12345
	s_cmp_lg_u64 s[0:1], 0
	s_bitcmp1_b32 s0, 31
	s_set_gpr_idx_on s0, gpr_idx(SRC0,DST)
	s_set_gpr_idx_off
	s_nop 7
	s_branch -4
	s_cbranch_execz 4
	s_cbranch_vccnz 4
	s_cbranch_scc0 4
	s_barrier
	s_waitcnt vmcnt(3) lgkmcnt(1)
	s_sethalt 1
	s_sleep 2
	s_sendmsg sendmsg(MSG_INTERRUPT)
	s_sendmsg sendmsg(MSG_GET_DOORBELL)
	s_trap 1
	s_icache_inv
	s_endpgm
	s_endpgm_saved

	s_load_dword s0, s[2:3], 0x10
	s_load_dword s0, s[2:3], s4
	s_load_dwordx2 s[0:1], s[2:3], -8
	s_load_dwordx4 s[0:3], s[4:5], 0x0 glc
	s_load_dwordx8 s[8:15], s[4:5], 0x0
	s_load_dwordx16 s[16:31], s[4:5], 0x0
	s_buffer_load_dword s0, s[4:7], 0x10
	s_store_dword s0, s[2:3], 0x10
	s_store_dwordx4 ttmp[4:7], ttmp[14:15], 0x10
	s_atomic_add s0, s[2:3], 0x0
	s_memtime s[0:1]
	s_memrealtime s[0:1]
	s_dcache_inv
	s_dcache_wb

	v_nop
	v_mov_b32 v0, v1
	v_mov_b32 v0, s1
	v_mov_b32 v0, 0x12345678
	v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1
	v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
	v_mov_b32_e64 v0, s1
	v_readfirstlane_b32 s0, v1
	v_cvt_f32_u32 v0, v1
	v_cvt_f64_i32 v[0:1], v2
	v_rcp_iflag_f32 v0, v1
	v_rcp_f64 v[0:1], v[2:3]
	v_sqrt_f32_e64 v0, |v1| mul:2
	v_ffbh_u32 v0, v1
	v_swap_b32 v0, v1
	v_clrexcp
	v_add_f32 v0, 1.0, v1
	v_add_f32_e64 v0, -v1, |v2| clamp
	v_add_f32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:BYTE_2
	v_add_f32_sdwa v0, s1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:BYTE_2
	v_mul_f32 v0, 0x40490fdb, v1
	v_mul_u32_u24 v0, v1, v2
	v_lshlrev_b32 v0, 2, v1
	v_ashrrev_i32 v0, 31, v1
	v_and_b32 v0, 0xff00, v1
	v_lshrrev_b16 v0, 8, v1
	v_add_co_u32 v0, vcc, v1, v2
	v_add_co_u32_e64 v0, s[2:3], v1, v2
	v_addc_co_u32 v0, vcc, v1, v2, vcc
	v_addc_co_u32_e64 v0, s[2:3], v1, v2, s[4:5]
	v_subrev_co_u32 v0, vcc, v1, v2
	v_add_u32 v0, v1, v2
	v_add_u32_dpp v0, v1, v2 row_shl:2 row_mask:0xf bank_mask:0xf
	v_cndmask_b32 v0, v1, v2, vcc
	v_cndmask_b32_e64 v0, v1, v2, s[2:3]
	v_cmp_gt_i32 vcc, s0, v0
	v_cmp_eq_u64 vcc, v[0:1], v[2:3]
	v_cmp_lt_f32_e64 s[2:3], -v1, |v2|
	v_cmp_ne_u32_sdwa vcc, v1, v2 src0_sel:BYTE_0 src1_sel:DWORD
	v_cmp_ne_u32_sdwa s[2:3], v1, v2 src0_sel:BYTE_0 src1_sel:DWORD
	v_cmpx_le_u32 vcc, v0, v1
	v_cmp_class_f32_e64 vcc, v1, v2

	v_mad_u32_u24 v0, v1, s2, v3
	v_bfe_u32 v0, v1, 8, 8
	v_bfi_b32 v0, v1, v2, v3
	v_fma_f32 v0, -v1, v2, v3 clamp
	v_fma_f64 v[0:1], v[2:3], v[4:5], -v[6:7]
	v_alignbit_b32 v0, v1, v2, 8
	v_med3_i32 v0, v1, v2, v3
	v_div_scale_f32 v0, vcc, v1, v2, v1
	v_div_scale_f64 v[0:1], s[2:3], v[2:3], v[4:5], v[2:3]
	v_div_fmas_f32 v0, v1, v2, v3
	v_div_fixup_f64 v[0:1], v[2:3], v[4:5], v[6:7]
	v_mad_u64_u32 v[0:1], s[2:3], v2, v3, v[4:5]
	v_mad_i64_i32 v[0:1], vcc, v2, v3, v[4:5]
	v_perm_b32 v0, v1, v2, s3
	v_xad_u32 v0, v1, v2, v3
	v_lshl_add_u32 v0, s6, 6, v0
	v_add_lshl_u32 v0, v1, v2, 2
	v_add3_u32 v0, v1, v2, v3
	v_lshl_or_b32 v0, v1, 16, v3
	v_and_or_b32 v0, v1, v2, v3
	v_or3_b32 v0, v1, v2, v3
	v_add_f64 v[0:1], v[2:3], v[4:5]
	v_ldexp_f64 v[0:1], v[2:3], v4
	v_mul_lo_u32 v0, v1, v2
	v_mul_hi_u32 v0, v1, v2
	v_readlane_b32 s0, v1, 5
	v_writelane_b32 v0, s1, 5
	v_mbcnt_lo_u32_b32 v0, -1, v1
	v_mbcnt_hi_u32_b32 v0, s1, v1
	v_lshlrev_b64 v[0:1], 2, v[2:3]
	v_lshrrev_b64 v[0:1], v4, v[2:3]
	v_ashrrev_i64 v[0:1], 3, v[2:3]
	v_bfm_b32 v0, v1, v2
	v_sub_i32 v0, v1, v2
	v_pk_add_f16 v0, v1, v2 op_sel:[0,1]
	v_pk_mul_lo_u16 v0, v1, v2

	ds_add_u32 v0, v1 offset:16
	ds_add_rtn_u32 v0, v1, v2
	ds_cmpst_rtn_b32 v0, v1, v2, v3
	ds_write_b32 v0, v1
	ds_write2_b32 v0, v1, v2 offset0:1 offset1:2
	ds_write2st64_b64 v0, v[2:3], v[4:5] offset0:1 offset1:2
	ds_write_b8 v0, v1
	ds_write_b128 v0, v[4:7]
	ds_read_b32 v0, v1 gds
	ds_read2_b32 v[0:1], v2 offset1:1
	ds_read_u8_d16_hi v0, v1
	ds_read_b64 v[0:1], v2
	ds_read_b128 v[4:7], v2
	ds_bpermute_b32 v0, v1, v2
	ds_swizzle_b32 v0, v1 offset:0x8000

	flat_load_dword v0, v[2:3]
	global_load_ubyte v0, v[2:3], off
	global_load_sshort v0, v[2:3], off offset:-16
	global_load_short_d16_hi v0, v[2:3], off
	global_load_dword v0, v2, s[4:5] offset:4095
	global_load_dwordx3 v[0:2], v[4:5], off
	global_store_byte v[2:3], v0, off
	global_store_dwordx4 v[2:3], v[4:7], off
	global_store_dwordx2 v2, v[4:5], s[6:7]
	global_atomic_add v[2:3], v0, off
	global_atomic_umax_x2 v[2:3], v[4:5], off
	scratch_load_dword v0, v1, off
	scratch_load_dword v0, off, s1 offset:16
	scratch_store_dwordx2 off, v[2:3], s1

	buffer_load_dword v0, off, s[0:3], s4
	buffer_load_dword v0, v1, s[0:3], s4 offen offset:4095
	buffer_load_dwordx2 v[0:1], v2, s[0:3], 0 idxen
	buffer_load_dwordx4 v[4:7], v[2:3], s[0:3], 16 idxen offen
	buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen
	buffer_store_dword v0, off, s[0:3], s4 offset:4
	buffer_store_byte v0, v1, s[0:3], 0 offen
	buffer_atomic_add v0, v1, s[0:3], 0 offen
	buffer_wbinvl1
	buffer_wbinvl1_vol

