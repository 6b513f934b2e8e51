/* SPDX-License-Identifier: GPL-2.0 */
// Instructions that only gfx90a has.

	v_fmac_f64 v[0:1], v[2:3], v[4:5]
	v_fmac_f32 v0, v1, v2
	v_fmac_f32_e64 v0, v1, -v2
	v_xnor_b32 v0, v1, v2
	v_rcp_f64_dpp v[0:1], v[2:3] row_newbcast:1 row_mask:0xf bank_mask:0xf
	v_accvgpr_mov_b32 a0, a1
	v_accvgpr_read_b32 v0, a1
	v_accvgpr_write_b32 a0, v1
	v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]
	v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[0,1]
	v_fma_mix_f32 v0, v1, v2, v3
	v_dot2_f32_f16 v0, v1, v2, v3
	v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[32:63]
	ds_add_f64 v0, v[2:3]
	ds_read_b32 a0, v1
	flat_atomic_add_f64 v[0:1], v[2:3]
	global_load_dwordx2 a[0:1], v[2:3], off
	global_store_dword v[2:3], a1, off
	global_atomic_add_f32 v[2:3], v0, off
	global_atomic_add_f64 v[0:1], v[2:3], v[4:5], off glc
	buffer_load_dword a0, off, s[0:3], s4
	buffer_wbl2
	buffer_invl2
