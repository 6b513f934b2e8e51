/* SPDX-License-Identifier: GPL-2.0 */
// Instructions that only gfx942 has.

	v_mov_b64 v[0:1], v[2:3]
	v_mov_b64 v[0:1], s[2:3]
	v_mov_b64_dpp v[0:1], v[2:3] row_newbcast:1 row_mask:0xf bank_mask:0xf
	v_lshl_add_u64 v[0:1], v[2:3], 3, v[4:5]
	v_fmac_f64 v[0:1], v[2:3], v[4:5]
	v_fmamk_f32 v0, v1, 0x40490fdb, v2
	v_fmaak_f32 v0, v1, v2, 0x40490fdb
	v_accvgpr_mov_b32 a0, a1
	v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[0,1]
	v_cvt_f32_fp8 v0, v1
	v_cvt_f32_fp8_sdwa v0, v1 src0_sel:BYTE_2
	v_cvt_pk_f32_bf8_e64 v[0:1], v2
	v_cvt_pk_fp8_f32 v0, v1, -v2
	v_cvt_sr_bf8_f32 v0, v1, v2 op_sel:[0,0,1,0]
	v_mfma_f32_32x32x1_2b_f32 a[0:31], v0, v1, a[32:63]
	v_mfma_f32_16x16x8_xf32 a[0:3], v[2:3], v[4:5], a[6:9]
	v_mfma_f32_16x16x32_fp8_bf8 v[0:3], v[4:5], v[6:7], v[8:11]
	v_smfmac_f32_16x16x32_bf16 v[0:3], v[4:5], v[6:9], v10 cbsz:1
	ds_pk_add_rtn_bf16 v0, v1, v2
	ds_read_b32 a0, v1
	flat_load_dword v0, v[2:3] sc0 sc1 nt
	flat_atomic_add_f32 v[0:1], v2
	flat_atomic_pk_add_bf16 v0, v[2:3], v4 sc0
	global_load_dwordx2 a[0:1], v[2:3], off sc1
	global_load_lds_dword v[2:3], off
	global_load_lds_ubyte v2, s[4:5] offset:-4
	global_store_dword v1, a1, s[2:3] nt
	global_atomic_add_f64 v[0:1], v[2:3], v[4:5], off sc0 sc1
	scratch_load_dword v0, off, off offset:16
	scratch_load_dword v0, v1, off offset:16
	scratch_load_dword v0, off, s1
	scratch_load_dwordx2 v[2:3], v1, s1 offset:-8
	scratch_store_dword v1, a0, s1
	scratch_load_lds_dword v0, off
	buffer_load_dword a0, off, s[0:3], s4 sc0 sc1 nt
	buffer_load_dword off, s[0:3], s4 lds
	buffer_wbl2 sc0 sc1
	buffer_inv sc0 sc1
	s_getreg_b32 s0, hwreg(HW_REG_XCC_ID)
