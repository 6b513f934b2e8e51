// SPDX-License-Identifier: GPL-2.0
//
// One program for each case of vector.c, wide.c, lanes.c, scalar.c, memory.c,
// lds.c, double.c, half.c, modes.c, corners.c and numbers.c. Vector operands are v1,
// v2, v3 (wide: v[2:3], v[4:5], v[6:7]), results v0 (v[0:1]); scalar ones s2, s3
// (s[2:3], s[4:5]), results s0 (s[0:1]).

.macro op name, insn:vararg
\name:
	\insn
	s_endpgm
.endm

.macro vop1 name
op \name, \name v0, v1
.endm

.macro vop2 name
op \name, \name v0, v1, v2
.endm

.macro vop3 name
op \name, \name v0, v1, v2, v3
.endm

.macro cmp32 name
op \name, \name vcc, v1, v2
.endm

.macro cmp64 name
op \name, \name vcc, v[2:3], v[4:5]
.endm

.macro sop2 name
op \name, \name s0, s2, s3
.endm

.macro sop2w name
op \name, \name s[0:1], s[2:3], s[4:5]
.endm

.macro sopc name
op \name, \name s2, s3
.endm

.irp n, v_not_b32, v_bfrev_b32, v_ffbh_u32, v_ffbl_b32, v_ffbh_i32, v_mov_b32
vop1 \n
.endr
.irp n, v_cvt_f32_ubyte1, v_cvt_f32_ubyte3, v_sat_pk_u8_i16
vop1 \n
.endr
.irp n, v_add_u32, v_sub_u32, v_subrev_u32, v_min_i32, v_max_i32, v_min_u32
vop2 \n
.endr
.irp n, v_max_u32, v_lshrrev_b32, v_ashrrev_i32, v_lshlrev_b32, v_and_b32
vop2 \n
.endr
.irp n, v_or_b32, v_xor_b32, v_xnor_b32, v_mul_i32_i24, v_mul_hi_i32_i24
vop2 \n
.endr
.irp n, v_mul_u32_u24, v_mul_hi_u32_u24, v_mul_lo_u32, v_mul_hi_u32
vop2 \n
.endr
.irp n, v_mul_hi_i32, v_add_u16, v_sub_u16, v_subrev_u16, v_mul_lo_u16
vop2 \n
.endr
.irp n, v_lshlrev_b16, v_lshrrev_b16, v_ashrrev_i16, v_max_i16, v_min_u16
vop2 \n
.endr
.irp n, v_bcnt_u32_b32, v_bfm_b32, v_cvt_pk_u16_u32, v_cvt_pk_i16_i32
vop2 \n
.endr
.irp n, v_add_i32, v_sub_i16, v_pack_b32_f16
vop2 \n
.endr
.irp n, v_mad_i32_i24, v_mad_u32_u24, v_bfe_u32, v_bfe_i32, v_bfi_b32
vop3 \n
.endr
.irp n, v_alignbit_b32, v_alignbyte_b32, v_min3_i32, v_max3_u32, v_med3_i32
vop3 \n
.endr
.irp n, v_med3_u32, v_perm_b32, v_lshl_add_u32, v_add_lshl_u32, v_add3_u32
vop3 \n
.endr
.irp n, v_lshl_or_b32, v_and_or_b32, v_or3_b32, v_xad_u32, v_sad_u32, v_sad_u8
vop3 \n
.endr
.irp n, v_mad_u16, v_mad_legacy_u16, v_med3_i16, v_mad_u32_u16, v_mad_i32_i16
vop3 \n
.endr

op v_add_u32_clamp, v_add_u32_e64 v0, v1, v2 clamp
op v_sub_u32_clamp, v_sub_u32_e64 v0, v1, v2 clamp
op v_add_i32_clamp, v_add_i32 v0, v1, v2 clamp
op v_sub_u16_clamp, v_sub_u16_e64 v0, v1, v2 clamp
op v_literal, v_add_u32 v0, 0x12345678, v1
op v_inline, v_sub_u32_e64 v0, -16, v1
op v_scalar, v_xor_b32 v0, s2, v1
op v_in_place, v_add_u32 v1, v1, v1
op v_mad_u16_hi, v_mad_u16 v0, v1, v2, v3 op_sel:[1,0,1,1]
op v_madmk, v_madmk_f32 v0, v1, 0x40490fdb, v2
op v_swap, v_swap_b32 v1, v2
op v_nop, v_nop

op sdwa_b1_w1, v_add_u32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_1
op sdwa_sext, v_add_u32_sdwa v0, sext(v1), sext(v2) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:WORD_0
op sdwa_preserve, v_or_b32_sdwa v0, v1, v2 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:BYTE_3
op sdwa_byte, v_add_u32_sdwa v0, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_0
op sdwa_keep, v_add_u32_sdwa v0, v1, v2 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
op sdwa_pad, v_mul_lo_u16_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:BYTE_2
op sdwa_dsext, v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_2
op sdwa_sgpr, v_and_b32_sdwa v0, s2, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
op sdwa_neg, v_add_f32_sdwa v0, -v1, |v2| dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD

op sdwa_cmp, v_cmp_eq_u16_sdwa s[4:5], v1, v2 src0_sel:BYTE_0 src1_sel:BYTE_1
op dpp_quad, v_mov_b32_dpp v0, v1 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
op dpp_shr, v_mov_b32_dpp v0, v1 row_shr:3 row_mask:0xf bank_mask:0xf
op dpp_shl0, v_add_u32_dpp v0, v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
op dpp_ror, v_mov_b32_dpp v0, v1 row_ror:5 row_mask:0x5 bank_mask:0x6
op dpp_mirror, v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0xf
op dpp_half, v_mov_b32_dpp v0, v1 row_half_mirror row_mask:0xf bank_mask:0xf
op dpp_wshr, v_mov_b32_dpp v0, v1 wave_shr:1 row_mask:0xf bank_mask:0xf
op dpp_bcast15, v_mov_b32_dpp v0, v1 row_bcast:15 row_mask:0xa bank_mask:0xf
op dpp_bcast31, v_mov_b32_dpp v0, v1 row_bcast:31 row_mask:0xc bank_mask:0xf

op v_lshlrev_b64, v_lshlrev_b64 v[0:1], v2, v[4:5]
op v_lshrrev_b64, v_lshrrev_b64 v[0:1], v2, v[4:5]
op v_ashrrev_i64, v_ashrrev_i64 v[0:1], v2, v[4:5]
op v_mad_u64_u32, v_mad_u64_u32 v[0:1], vcc, v2, v4, v[6:7]
op v_mad_i64_i32, v_mad_i64_i32 v[0:1], vcc, v2, v4, v[6:7]
op v_shift_overlap, v_lshlrev_b64 v[4:5], v4, v[4:5]
add64:
	v_add_co_u32 v0, vcc, v2, v4
	v_addc_co_u32 v1, vcc, v3, v5, vcc
	s_endpgm
sub64:
	v_sub_co_u32 v0, s[4:5], v2, v4
	v_subb_co_u32 v1, s[6:7], v3, v5, s[4:5]
	s_mov_b64 vcc, s[6:7]
	s_endpgm
subrev64:
	v_subrev_co_u32 v0, vcc, v2, v4
	v_subbrev_co_u32 v1, vcc, v3, v5, vcc
	s_endpgm

.irp n, lt, eq, le, gt, ne, ge, t, f
cmp32 v_cmp_\n\()_i32
cmp32 v_cmp_\n\()_u32
cmp32 v_cmp_\n\()_i16
cmp32 v_cmp_\n\()_u16
cmp64 v_cmp_\n\()_i64
cmp64 v_cmp_\n\()_u64
.endr
.irp n, f, lt, eq, le, gt, lg, ge, o, u, nge, nlg, ngt, nle, neq, nlt, tru
cmp32 v_cmp_\n\()_f32
.endr
op v_cmpx, v_cmpx_gt_u32 vcc, v1, v2
op v_cmp_sgpr, v_cmp_lt_i32 s[8:9], v1, v2
op v_class, v_cmp_class_f32 vcc, v1, v2
op v_cndmask, v_cndmask_b32 v0, v1, v2, vcc
op v_cndmask64, v_cndmask_b32 v0, -v1, |v2|, s[4:5]

op v_readlane, v_readlane_b32 s0, v1, s2
op v_readfirst, v_readfirstlane_b32 s0, v1
op v_writelane, v_writelane_b32 v0, s3, 37
mbcnt:
	v_mbcnt_lo_u32_b32 v0, s2, v1
	v_mbcnt_hi_u32_b32 v0, s3, v0
	s_endpgm

.irp n, v_add_f32, v_sub_f32, v_subrev_f32, v_mul_f32, v_min_f32, v_max_f32
vop2 \n
.endr
op v_fma_f32, v_fma_f32 v0, v1, v2, v3
op v_fma_mods, v_fma_f32 v0, -v1, |v2|, -|v3|
op v_add_clamp, v_add_f32_e64 v0, v1, v2 clamp
op v_mul_omod, v_mul_f32_e64 v0, v1, v2 mul:4
op v_add_mul2, v_add_f32_e64 v0, v1, v2 mul:2
op v_add_div2, v_add_f32_e64 v0, v1, v2 div:2
op v_mul_half, v_mul_f32_e64 v0, v1, 0.5
op v_fmac, v_fmac_f32 v0, v1, v2
op pk_add_f32, v_pk_add_f32 v[0:1], v[2:3], v[4:5]
op pk_mul_sel, v_pk_mul_f32 v[0:1], v[2:3], v[4:5] op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0] neg_hi:[0,1]
op pk_fma_f32, v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]
op pk_add_const, v_pk_add_f32 v[0:1], v[2:3], 1.0
op pk_mul_sgpr, v_pk_mul_f32 v[0:1], v[2:3], s[2:3]
op pk_mov, v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[1,0]
op pk_add_u16, v_pk_add_u16 v0, v1, v2
op pk_sub_i16_sat, v_pk_sub_i16 v0, v1, v2 clamp
op pk_mad_u16, v_pk_mad_u16 v0, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[0,1,1]
op pk_lshl, v_pk_lshlrev_b16 v0, v1, v2
op pk_ashr, v_pk_ashrrev_i16 v0, v1, v2
op acc_move, v_accvgpr_write_b32 a3, v1
op acc_read, v_accvgpr_read_b32 v0, a3
acc_trip:
	v_accvgpr_write_b32 a3, v1
	v_accvgpr_mov_b32 a1, a3
	v_accvgpr_read_b32 v0, a1
	s_endpgm
acc_idx:
	s_set_gpr_idx_on s2, gpr_idx(DST)
	v_accvgpr_write_b32 a0, v1
	s_set_gpr_idx_off
	s_set_gpr_idx_on s2, gpr_idx(SRC0)
	v_accvgpr_read_b32 v0, a1
	s_set_gpr_idx_off
	s_endpgm
gpr_idx_out:
	s_set_gpr_idx_on s2, gpr_idx(DST)
	v_mov_b32 v1, v2
	s_set_gpr_idx_off
	s_endpgm
gpr_idx:
	s_set_gpr_idx_on s2, gpr_idx(SRC0)
	v_mov_b32 v0, v1
	s_set_gpr_idx_off
	s_set_gpr_idx_on s2, gpr_idx(DST)
	v_mov_b32 v4, v2
	s_set_gpr_idx_off
	s_endpgm

.irp n, s_add_u32, s_sub_u32, s_add_i32, s_sub_i32, s_addc_u32, s_subb_u32
sop2 \n
.endr
.irp n, s_min_i32, s_max_u32, s_cselect_b32, s_and_b32, s_andn2_b32, s_nor_b32
sop2 \n
.endr
.irp n, s_lshl_b32, s_lshr_b32, s_ashr_i32, s_bfm_b32, s_mul_i32, s_bfe_u32
sop2 \n
.endr
.irp n, s_bfe_i32, s_absdiff_i32, s_mul_hi_u32, s_mul_hi_i32, s_lshl3_add_u32
sop2 \n
.endr
.irp n, s_pack_lh_b32_b16, s_pack_ll_b32_b16, s_pack_hh_b32_b16, s_orn2_b32
sop2 \n
.endr
.irp n, s_and_b64, s_or_b64, s_xor_b64, s_andn2_b64, s_nand_b64, s_xnor_b64
sop2w \n
.endr
op s_cselect_b64, s_cselect_b64 s[0:1], s[2:3], s[4:5]
op s_lshl_b64, s_lshl_b64 s[0:1], s[2:3], s4
op s_lshr_b64, s_lshr_b64 s[0:1], s[2:3], s4
op s_ashr_i64, s_ashr_i64 s[0:1], s[2:3], s4
op s_bfe_u64, s_bfe_u64 s[0:1], s[2:3], s4
op s_bfe_i64, s_bfe_i64 s[0:1], s[2:3], s4
movrel:
	s_mov_b32 m0, s20
	s_movrels_b64 s[0:1], s[6:7]
	s_movreld_b64 s[12:13], s[4:5]
	s_endpgm
movrels_to:
	s_mov_b32 m0, 10
	s_movrels_b64 exec, s[6:7]
	s_movrels_b32 m0, s8
	s_endpgm
op s_not_b64, s_not_b64 s[0:1], s[2:3]
op s_brev_b64, s_brev_b64 s[0:1], s[2:3]
op s_wqm_b64, s_wqm_b64 s[0:1], s[2:3]
op s_bcnt1_b64, s_bcnt1_i32_b64 s0, s[2:3]
op s_ff1_b64, s_ff1_i32_b64 s0, s[2:3]
op s_flbit_i64, s_flbit_i32_i64 s0, s[2:3]
op s_brev_b32, s_brev_b32 s0, s2
op s_ff0_b32, s_ff0_i32_b32 s0, s2
op s_flbit_i32, s_flbit_i32 s0, s2
op s_bcnt0_b32, s_bcnt0_i32_b32 s0, s2
op s_sext_i8, s_sext_i32_i8 s0, s2
op s_abs_i32, s_abs_i32 s0, s2
op s_bitset1, s_bitset1_b32 s0, s2
op s_quadmask, s_quadmask_b32 s0, s2
op s_cmov, s_cmov_b32 s0, s2
op s_bitreplicate, s_bitreplicate_b64_b32 s[0:1], s2
op s_mov64_neg, s_mov_b64 s[0:1], -5
op s_mov64_one, s_mov_b64 s[0:1], 1.0
op s_mov64_lit, s_mov_b64 s[0:1], 0x89abcdef
op s_ashr64_lit, s_ashr_i64 s[0:1], 0x89abcdef, 4
.irp n, eq, lg, gt, ge, lt, le
sopc s_cmp_\n\()_i32
sopc s_cmp_\n\()_u32
op s_cmpk_\n\()_i32, s_cmpk_\n\()_i32 s2, 0xfffe
op s_cmpk_\n\()_u32, s_cmpk_\n\()_u32 s2, 0xfffe
.endr
op s_bitcmp0, s_bitcmp0_b32 s2, s3
op s_bitcmp1_64, s_bitcmp1_b64 s[2:3], s4
op s_cmp_eq_u64, s_cmp_eq_u64 s[2:3], s[4:5]
op s_movk, s_movk_i32 s0, 0x8001
op s_addk, s_addk_i32 s2, 0x7fff
op s_mulk, s_mulk_i32 s2, -3

saveexec:
	s_and_saveexec_b64 s[0:1], s[2:3]
	s_cbranch_execz saveexec_end
	v_mov_b32 v0, 1
saveexec_end:
	s_xor_b64 exec, exec, s[0:1]
	v_mov_b32 v0, 2
	s_mov_b64 exec, s[0:1]
	s_endpgm
wrexec:
	s_andn1_wrexec_b64 s[0:1], s[2:3]
	s_endpgm

call:
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, callee-call-4
	s_addc_u32 s5, s5, 0
	s_swappc_b64 s[6:7], s[4:5]
	s_add_u32 s0, s0, 1
	s_call_b64 s[6:7], callee
	s_add_u32 s0, s0, 1
	s_endpgm
callee:
	s_add_u32 s0, s0, 16
	s_setpc_b64 s[6:7]

loop:
	s_mov_b32 s0, 0
loop_again:
	s_add_u32 s0, s0, 2
	s_cmp_lt_u32 s0, s2
	s_cbranch_scc1 loop_again
	s_endpgm

smem_load:
	s_load_dword s8, s[2:3], 0x4
	s_load_dwordx2 s[10:11], s[2:3], -0x8
	s_load_dwordx4 s[12:15], s[2:3], s6
	s_load_dwordx8 s[16:23], s[2:3], 0x0
	s_load_dwordx16 s[24:39], s[2:3], 0x3
	s_endpgm
smem_store:
	s_store_dword s8, s[2:3], 0x0
	s_store_dwordx2 s[10:11], s[2:3], 0x8
	s_store_dwordx4 s[12:15], s[2:3], s6
	s_dcache_wb
	s_endpgm
smem_buffer:
	s_buffer_load_dwordx4 s[12:15], s[4:7], 0x8
	s_endpgm
smem_atomic:
	s_atomic_add s8, s[2:3], 0x0 glc
	s_atomic_cmpswap s[10:11], s[2:3], 0x4
	s_endpgm
// s[8:9]: data; s[2:3]: address, s[4:7]: buffer, s20: offset
.irp name, swap, add, sub, smin, umin, smax, umax, and, or, xor, inc, dec
op sat_\name, s_atomic_\name s8, s[2:3], s20 glc
op sat_\name\()_x2, s_atomic_\name\()_x2 s[8:9], s[2:3], s20 glc
op sbat_\name, s_buffer_atomic_\name s8, s[4:7], s20 glc
op sbat_\name\()_x2, s_buffer_atomic_\name\()_x2 s[8:9], s[4:7], s20 glc
op sqat_\name, s_atomic_\name s8, s[2:3], s20
op sqat_\name\()_x2, s_atomic_\name\()_x2 s[8:9], s[2:3], s20
.endr
op sat_cmpswap, s_atomic_cmpswap s[8:9], s[2:3], s20 glc
op sat_cmpswap_x2, s_atomic_cmpswap_x2 s[8:11], s[2:3], s20 glc
op smem_atomic_x2, s_atomic_add_x2 s[8:9], s[2:3], 0x0
smem_time:
	s_memtime s[0:1]
	s_memrealtime s[2:3]
	s_endpgm
smem_wild:
	s_load_dwordx2 s[8:9], s[2:3], 0x0
	s_endpgm

// global memory: v[2:3] address, v[4:7] data
op st_byte, global_store_byte v[2:3], v4, off
op st_byte_hi, global_store_byte_d16_hi v[2:3], v4, off
op st_short, global_store_short v[2:3], v4, off offset:-2
op st_short_hi, global_store_short_d16_hi v[2:3], v4, off
op st_x1, global_store_dword v[2:3], v4, off offset:4
op st_x2, global_store_dwordx2 v[2:3], v[4:5], off
op st_x3, global_store_dwordx3 v[2:3], v[4:6], off
op st_x4, global_store_dwordx4 v[2:3], v[4:7], off
op st_saddr, global_store_dword v0, v4, s[2:3] offset:8
op st_flat, flat_store_dwordx2 v[2:3], v[4:5] offset:16
op ld_ubyte, global_load_ubyte v4, v[2:3], off
op ld_sbyte, global_load_sbyte v4, v[2:3], off
op ld_ushort, global_load_ushort v4, v[2:3], off
op ld_sshort, global_load_sshort v4, v[2:3], off
op ld_x1, global_load_dword v4, v[2:3], off
op ld_x2, global_load_dwordx2 v[2:3], v[2:3], off
op ld_x3, global_load_dwordx3 v[4:6], v[2:3], off
op ld_x4, flat_load_dwordx4 v[4:7], v[2:3]
op ld_d16, global_load_short_d16 v4, v[2:3], off
op ld_d16_hi, global_load_sbyte_d16_hi v4, v[2:3], off
op ld_acc, global_load_dword a1, v[2:3], off

.irp n, swap, add, sub, smin, umin, smax, umax, and, or, xor, inc, dec
op at_\n, global_atomic_\n v0, v[2:3], v4, off glc
op at_\n\()_x2, global_atomic_\n\()_x2 v[0:1], v[2:3], v[4:5], off glc
.endr
op at_cmpswap, global_atomic_cmpswap v0, v[2:3], v[4:5], off glc
op at_cmpswap_x2, flat_atomic_cmpswap_x2 v[0:1], v[2:3], v[4:7] glc
op at_noret, global_atomic_add v[2:3], v4, off

op buf_load, buffer_load_dword v0, v1, s[4:7], 4 offen offset:8
op buf_store, buffer_store_dword v4, v1, s[4:7], 0 idxen
op buf_both, buffer_load_ushort v0, v[2:3], s[4:7], s2 idxen offen
op buf_tid, buffer_store_dword v4, off, s[4:7], s2 offset:256
op buf_tid_load, buffer_load_dword v0, v1, s[4:7], 0 idxen
op buf_lds, buffer_load_dword v4, off, s[4:7], s2 offset:256 lds
op buf_lds_short, buffer_load_sshort v4, v1, s[4:7], 0 offen lds
op bad_lds, .long 0xe0551000, 0x80010401	// buffer_load_dwordx2 ... lds
op buf_scratch, buffer_store_dword v4, v1, s[4:7], s2 offen offset:4
op scratch_st, scratch_store_dword v1, v4, off offset:8
op flat_private, flat_store_dword v[2:3], v4

op ds_write, ds_write_b32 v1, v4 offset:4
op ds_gws_init, ds_gws_init v4 offset:2 gds
op ds_gws_barrier, ds_gws_barrier v4 gds
ds_roundtrip:
	ds_write_b64 v1, v[4:5]
	ds_read_b64 v[0:1], v1
	s_endpgm
ds_two:
	ds_write2_b32 v1, v4, v5 offset0:1 offset1:130
	ds_read2_b32 v[0:1], v1 offset0:130 offset1:1
	s_endpgm
ds_atomic:
	ds_add_rtn_u32 v0, v1, v4
	ds_max_i32 v1, v5
	ds_cmpst_rtn_b32 v6, v1, v4, v5
	s_endpgm
op ds_bytes, ds_write_b8 v1, v4
op ds_read_i8, ds_read_i8 v0, v1
op ds_bpermute, ds_bpermute_b32 v0, v1, v4
op ds_permute, ds_permute_b32 v0, v1, v4
op flat_lds, flat_store_dword v[2:3], v4

op getreg, s_getreg_b32 s0, hwreg(HW_REG_HW_ID, 4, 8)
setreg:
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 9), 0x180
	s_setreg_b32 hwreg(HW_REG_STATUS, 6, 1), s2
	s_setreg_b32 hwreg(HW_REG_TRAPSTS), s2
	s_getreg_b32 s0, hwreg(18)
	s_endpgm
op bad_acc, global_load_dword a16, v[2:3], off
op bad_vgpr, v_mov_b32 v200, v1

vop3 v_msad_u8

// binary64: v_rcp_f64 v[0:1], v[2:3] and so on
.irp n, v_rcp_f64, v_rsq_f64, v_sqrt_f64, v_trunc_f64, v_ceil_f64, v_rndne_f64
op \n, \n v[0:1], v[2:3]
.endr
.irp n, v_floor_f64, v_fract_f64, v_frexp_mant_f64
op \n, \n v[0:1], v[2:3]
.endr
.irp n, v_add_f64, v_mul_f64, v_min_f64, v_max_f64, v_fmac_f64
op \n, \n v[0:1], v[2:3], v[4:5]
.endr
op v_fma_f64, v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]
op v_fma_f64_mods, v_fma_f64 v[0:1], -v[2:3], |v[4:5]|, -|v[6:7]|
op v_add_f64_overlap, v_add_f64 v[2:3], v[2:3], v[4:5]
op v_add_f64_inline, v_add_f64 v[0:1], v[2:3], 1.0
op v_add_f64_int, v_add_f64 v[0:1], v[2:3], 1
op v_add_f64_sgpr, v_add_f64 v[0:1], v[2:3], s[2:3]
op v_add_f64_clamp, v_add_f64 v[0:1], v[2:3], v[4:5] clamp
op v_add_f64_mul2, v_add_f64 v[0:1], v[2:3], v[4:5] mul:2
op v_ldexp_f64, v_ldexp_f64 v[0:1], v[2:3], v4
op v_trig_preop_f64, v_trig_preop_f64 v[0:1], v[2:3], v4
op v_floor_f64_literal, v_floor_f64 v[0:1], 0x40490fdb
op v_floor_f64_dpp, v_floor_f64_dpp v[0:1], v[2:3] row_newbcast:3 row_mask:0xf bank_mask:0xf
op v_cvt_f64_i32, v_cvt_f64_i32 v[0:1], v2
op v_cvt_f64_u32, v_cvt_f64_u32 v[0:1], v2
op v_cvt_f64_f32, v_cvt_f64_f32 v[0:1], v2
op v_cvt_i32_f64, v_cvt_i32_f64 v0, v[2:3]
op v_cvt_u32_f64, v_cvt_u32_f64 v0, v[2:3]
op v_cvt_f32_f64, v_cvt_f32_f64 v0, v[2:3]
op v_frexp_exp_i32_f64, v_frexp_exp_i32_f64 v0, v[2:3]
.irp n, f, lt, eq, le, gt, lg, ge, o, u, nge, nlg, ngt, nle, neq, nlt, tru
op v_cmp_\n\()_f64, v_cmp_\n\()_f64 vcc, v[2:3], v[4:5]
.endr
op v_cmp_class_f64, v_cmp_class_f64 vcc, v[2:3], v4
div_f64:
	v_div_scale_f64 v[8:9], s[4:5], v[4:5], v[4:5], v[2:3]
	v_rcp_f64 v[10:11], v[8:9]
	v_fma_f64 v[12:13], -v[8:9], v[10:11], 1.0
	v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11]
	v_fma_f64 v[12:13], -v[8:9], v[10:11], 1.0
	v_fma_f64 v[10:11], v[10:11], v[12:13], v[10:11]
	v_div_scale_f64 v[12:13], vcc, v[2:3], v[4:5], v[2:3]
	v_mul_f64 v[14:15], v[12:13], v[10:11]
	v_fma_f64 v[8:9], -v[8:9], v[14:15], v[12:13]
	v_div_fmas_f64 v[8:9], v[8:9], v[10:11], v[14:15]
	v_div_fixup_f64 v[0:1], v[8:9], v[4:5], v[2:3]
	s_endpgm

// binary16
.irp n, v_rcp_f16, v_sqrt_f16, v_floor_f16, v_ceil_f16, v_trunc_f16
vop1 \n
.endr
.irp n, v_rndne_f16, v_cvt_f16_u16, v_cvt_f16_i16, v_cvt_u16_f16, v_cvt_i16_f16
vop1 \n
.endr
.irp n, v_add_f16, v_sub_f16, v_subrev_f16, v_mul_f16
vop2 \n
.endr
vop3 v_fma_f16
op v_fma_f16_sel, v_fma_f16 v0, v1, -v2, |v3| op_sel:[1,0,1,1]
op v_add_f16_const, v_add_f16 v0, 1.0, v1
op v_add_f16_sdwa, v_add_f16_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0
op v_cmp_lt_f16, v_cmp_lt_f16 vcc, v1, v2

// approximations
.irp n, v_exp_f32, v_log_f32, v_rcp_f32, v_rcp_iflag_f32, v_rsq_f32, v_sqrt_f32
vop1 \n
.endr
.irp n, v_sin_f32, v_cos_f32, v_exp_f16, v_log_f16, v_rsq_f16, v_sin_f16
vop1 \n
.endr
op v_mul_legacy, v_mul_legacy_f32 v0, v1, v2

// private memory, element by element
scratch_wide:
	scratch_store_dwordx4 v1, v[8:11], off
	scratch_load_dwordx4 v[12:15], v1, off
	s_endpgm
flat_private_wide:
	flat_store_dwordx2 v[2:3], v[4:5]
	flat_load_dwordx2 v[6:7], v[2:3]
	s_endpgm
op flat_private_atomic, flat_atomic_add v[2:3], v4
op flat_private_atomic_x2, flat_atomic_add_x2 v[2:3], v[4:5]
op global_add_f64, global_atomic_add_f64 v[0:1], v[2:3], v[4:5], off glc
op global_max_f64, global_atomic_max_f64 v[2:3], v[4:5], off
op global_add_f32, global_atomic_add_f32 v[2:3], v4, off
op global_pk_add, global_atomic_pk_add_f16 v[2:3], v4, off
op buf_wide, buffer_load_dwordx4 v[4:7], v1, s[4:7], 0 offen
op buf_wide_store, buffer_store_dwordx2 v[4:5], v1, s[4:7], 0 offen
op buf_add, buffer_atomic_add v4, v1, s[4:7], 0 offen glc
op buf_add_x2, buffer_atomic_add_x2 v[4:5], v1, s[4:7], 0 offen glc

ds_negative:
	ds_write_b32 v1, v4 offset:2032
	ds_read2_b32 v[0:1], v1 offset0:5 offset1:6
	s_endpgm
op ds_rsub, ds_rsub_u32 v1, v4
op ds_mskor, ds_mskor_b32 v1, v4, v5 offset:4
op ds_wrap, ds_wrap_rtn_b32 v0, v1, v4, v5 offset:12
op ds_add_f32, ds_add_rtn_f32 v0, v1, v4 offset:8
op ds_min_f32, ds_min_f32 v1, v4 offset:8
op ds_cmpst_f32, ds_cmpst_f32 v1, v4, v5 offset:8
op ds_add_f64, ds_add_rtn_f64 v[6:7], v1, v[4:5]
op ds_max_f64, ds_max_rtn_f64 v[6:7], v1, v[4:5]
op ds_wrxchg2, ds_wrxchg2_rtn_b32 v[6:7], v1, v4, v5 offset0:1 offset1:3
ds_d16:
	ds_write_b8_d16_hi v1, v4
	ds_write_b16_d16_hi v1, v4 offset:4
	ds_read_i8_d16 v0, v1
	ds_read_u16_d16_hi v0, v1 offset:4
	s_endpgm
op ds_swizzle_quad, ds_swizzle_b32 v0, v1 offset:0x801b
op ds_swizzle_mask, ds_swizzle_b32 v0, v1 offset:0x403c
op ds_swizzle_rotate, ds_swizzle_b32 v0, v1 offset:0xc0b8

op pk_add_f16, v_pk_add_f16 v0, v1, v2
op pk_mul_f16_const, v_pk_mul_f16 v0, v1, 2.0 op_sel_hi:[1,0]
op pk_fma_f16, v_pk_fma_f16 v0, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[0,1,1] neg_lo:[0,1,0] neg_hi:[0,0,1]
op pk_max_f16, v_pk_max_f16 v0, v1, v2
op fma_mix, v_fma_mix_f32 v0, v1, -v2, |v3| op_sel:[1,0,0] op_sel_hi:[1,1,0]
mix_both:
	v_fma_mixlo_f16 v0, v1, v2, v3
	v_fma_mixhi_f16 v0, v1, v2, v3 clamp
	s_endpgm

// lanes below 10 (the smaller side, so first) add 1, the others 2; all add 4
forked:
	v_mov_b32 v0, 0
	s_mov_b64 s[4:5], 0x3ff
	s_mov_b64 s[6:7], exec
	s_mov_b32 s12, 3
	s_mov_b32 s13, 0
	s_cbranch_i_fork s[4:5], forked_few
	v_add_u32 v0, 2, v0
	s_add_u32 s12, s12, s12
	s_branch forked_end
forked_few:
	v_add_u32 v0, 1, v0
	s_add_u32 s12, s12, 1
forked_end:
	s_cbranch_join s13
	s_mov_b64 exec, s[6:7]
	v_add_u32 v0, 4, v0
	s_endpgm
skipping:
	s_mov_b32 s2, 4
	s_setvskip s2, 2
	v_mov_b32 v0, 1
	s_setvskip s2, 1
	v_mov_b32 v1, 1
	s_endpgm
killed:
	s_setkill 0
	v_mov_b32 v0, 1
	s_setkill 1
	v_mov_b32 v0, 2
	s_endpgm
sbuffer_atomic:
	s_buffer_atomic_add s2, s[4:7], 0x8 glc
	s_buffer_atomic_or s3, s[4:7], 0x10
	s_waitcnt lgkmcnt(0)
	s_endpgm

// corners.c, numbers.c. An encoding that the assembler refuses: opcode, op_sel, clamp, sources
.macro raw3 name, opcode, sel, clamp, src0, src1, src2
\name:
	.long 0xd0000000 | (\opcode) << 16 | (\clamp) << 15 | (\sel) << 11
	.long (\src0) | (\src1) << 9 | (\src2) << 18
	s_endpgm
.endm
.set V1, 0x101
.set V2, 0x102
.set V3, 0x103
.set ONE, 242		// 1.0
.set INV_2PI, 248

op pack_one, v_pack_b32_f16 v0, v1, 1.0
op pack_inv_2pi, v_pack_b32_f16 v0, 0.15915494, v2
op pack_minus_one, v_pack_b32_f16 v0, -1, v2 op_sel:[1,1,0]
op pack_upper_of_one, v_pack_b32_f16 v0, 1.0, v2 op_sel:[1,0,0]
op pack_mods, v_pack_b32_f16 v0, -v1, |v2| op_sel:[1,0,0]
op pack_sgpr, v_pack_b32_f16 v0, s2, -v2 op_sel:[1,0,0]
raw3 add_u16_half, 294, 0, 0, ONE, V1, 0
raw3 mad_u16_upper_half, 516, 1, 0, ONE, V1, V2
raw3 max_i16_const, 304, 0, 0, V1, INV_2PI, 0
pk_add_u16_const:
	.long 0xd38a4000, ONE | V1 << 9 | 3 << 27
	s_endpgm

.irp n, mad_u16, mad_i16, mad_legacy_u16, mad_legacy_i16, med3_u16, mad_i32_i24
op \n\()_clamp, v_\n v0, v1, v2, v3 clamp
.endr
.irp n, mad_u32_u24, mad_u32_u16, mad_i32_i16, sad_u8, msad_u8, sad_hi_u8, sad_u16
op \n\()_clamp, v_\n v0, v1, v2, v3 clamp
.endr
op sad_u32_clamp, v_sad_u32 v0, v1, v2, v3 clamp
op add_co_clamp, v_add_co_u32_e64 v0, vcc, v1, v2 clamp
add_co_clamp_carry:
	v_add_co_u32_e64 v0, vcc, v1, v2 clamp
	v_cndmask_b32 v0, 0, 1, vcc
	s_endpgm
op subrev_co_clamp, v_subrev_co_u32_e64 v0, vcc, v1, v2 clamp
subb_co_clamp:
	v_cmp_lt_u32 vcc, v3, v1
	v_subb_co_u32_e64 v0, vcc, v1, v2, vcc clamp
	s_endpgm
subb_co_clamp_borrow:
	v_cmp_lt_u32 vcc, v3, v1
	v_subb_co_u32_e64 v0, vcc, v1, v2, vcc clamp
	v_cndmask_b32 v0, 0, 1, vcc
	s_endpgm
.macro mad64 name, insn, half
\name:
	\insn v[4:5], vcc, v1, v2, v[2:3] clamp
	v_mov_b32 v0, \half
	s_endpgm
.endm
mad64 mad_u64_clamp_low, v_mad_u64_u32, v4
mad64 mad_u64_clamp_high, v_mad_u64_u32, v5
mad64 mad_i64_clamp_low, v_mad_i64_i32, v4
mad64 mad_i64_clamp_high, v_mad_i64_i32, v5
op pk_mad_u16_clamp, v_pk_mad_u16 v0, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[0,1,1] clamp
op pk_mad_i16_clamp, v_pk_mad_i16 v0, v1, v2, v3 clamp
op pk_mul_lo_u16_clamp, v_pk_mul_lo_u16 v0, v1, v2 clamp
op pk_max_i16_clamp, v_pk_max_i16 v0, v1, v2 clamp

op mad_i16_low, v_mad_i16 v0, v1, v2, v3
op mad_u16_high, v_mad_u16 v0, v1, v2, v3 op_sel:[1,0,0,1]
op mad_legacy_i16, v_mad_legacy_i16 v0, v1, v2, v3
op add_i16_low, v_add_i16 v0, v1, v2
op sub_i16_high, v_sub_i16 v0, v1, v2 op_sel:[1,0,1]
op min3_u16_low, v_min3_u16 v0, v1, v2, v3 op_sel:[0,0,1,0]
op max3_i16_low, v_max3_i16 v0, v1, v2, v3
op mad_u32_u16_sel, v_mad_u32_u16 v0, v1, v2, v3 op_sel:[1,0,0]
op mad_i32_i16_sel, v_mad_i32_i16 v0, v1, v2, v3 op_sel:[0,1,0]
.irp n, fma, mad, div_fixup, min3, max3, med3, fma_legacy, mad_legacy
op half_\n, v_\n\()_f16 v0, v1, v2, v3
.endr
op half_div_fixup_legacy, v_div_fixup_legacy_f16 v0, v1, v2, v3

vop1 v_cvt_flr_i32_f32
vop1 v_cvt_rpi_i32_f32
op cvt_flr_minus, v_cvt_flr_i32_f32_e64 v0, -|v1|
op cvt_i32, v_cvt_i32_f32 v0, v1
op cvt_i32_clamp, v_cvt_i32_f32_e64 v0, v1 clamp
op cvt_u32_f64_clamp, v_cvt_u32_f64_e64 v0, v[2:3] clamp
op cvt_i16_f16_clamp, v_cvt_i16_f16_e64 v0, v1 clamp

.macro class name, insn:vararg
\name:
	\insn
	v_cndmask_b32 v0, 0, 1, vcc
	s_endpgm
.endm
class class_f32, v_cmp_class_f32 vcc, v1, v2
class class_f32_minus, v_cmp_class_f32 vcc, -|v1|, v2
class class_f16, v_cmp_class_f16 vcc, v1, v2
class class_f64, v_cmp_class_f64 vcc, v[2:3], v1

// LDS: a or {c, b} is combined with b or {a, old}
.macro lds32 name, insn:vararg
\name:
	ds_write_b32 v8, v1
	\insn
	ds_read_b32 v0, v8
	s_endpgm
.endm
.macro lds64 name, half, insn:vararg
\name:
	ds_write_b64 v8, v[2:3]
	\insn
	ds_read_b64 v[10:11], v8
	v_mov_b32 v0, \half
	s_endpgm
.endm
lds32 lds_min_f32, ds_min_f32 v8, v2
lds32 lds_max_f32, ds_max_rtn_f32 v10, v8, v2
lds32 lds_cmpst_f32, ds_cmpst_f32 v8, v2, v3
lds64 lds_min_f64_low, v10, ds_min_f64 v8, v[0:1]
lds64 lds_min_f64_high, v11, ds_min_f64 v8, v[0:1]
lds64 lds_max_f64_low, v10, ds_max_f64 v8, v[0:1]
lds64 lds_max_f64_high, v11, ds_max_f64 v8, v[0:1]
lds64 lds_add_f64_low, v10, ds_add_f64 v8, v[0:1]
lds64 lds_add_f64_high, v11, ds_add_f64 v8, v[0:1]
lds64 flat_lds_min_f64, v11, flat_atomic_min_f64 v[8:9], v[0:1]

vop3 v_min3_f32
vop3 v_max3_f32
vop3 v_med3_f32

op div_fmas, v_div_fmas_f32 v0, v1, v2, v3
op div_fmas_clamp, v_div_fmas_f32 v0, v1, v2, v3 clamp
op div_fixup_clamp, v_div_fixup_f32 v0, v1, v2, v3 clamp

// v[0:1], v[2:3], v6, v[4:5]
raw3 lshl_add_u64, 520, 0, 0, V2, 0x106, 0x104
// v_mad_mix or v_fma_mix: v0, v1, v2, v3
op mix_low, v_fma_mixlo_f16 v0, v1, v2, v3
op mix_high, v_fma_mixhi_f16 v0, v1, v2, v3
op mix_halves, v_fma_mix_f32 v0, v1, v2, v3 op_sel_hi:[1,1,0]

op cvt_f16_f32_clamp, v_cvt_f16_f32_e64 v0, v1 clamp
.irp n, v_cvt_f16_f32, v_cvt_f32_f16, v_cvt_f32_i32, v_cvt_f32_u32, v_cvt_i32_f32
vop1 \n
.endr
.irp n, v_cvt_u32_f32, v_cvt_off_f32_i4, v_cvt_f32_ubyte0, v_cvt_f32_ubyte2
vop1 \n
.endr
.irp n, v_floor_f32, v_ceil_f32, v_trunc_f32, v_rndne_f32, v_fract_f32
vop1 \n
.endr
.irp n, v_frexp_mant_f32, v_frexp_exp_i32_f32, v_frexp_exp_i16_f16
vop1 \n
.endr
.irp n, v_cvt_pkrtz_f16_f32, v_ldexp_f32, v_ldexp_f16, v_mul_legacy_f32
vop2 \n
.endr
op mul_f32_mul4, v_mul_f32_e64 v0, v1, v2 mul:4
op mul_f32_mods, v_mul_f32_e64 v0, -v1, |v2| clamp
op mad_f32, v_mad_f32 v0, v1, v2, v3
op add_f16_sdwa_mods, v_add_f16_sdwa v0, -v1, |v2| clamp dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0
class cmp_lt_f32, v_cmp_lt_f32 vcc, v1, v2
class cmp_nlg_f32, v_cmp_nlg_f32 vcc, v1, v2
class cmp_ge_f16, v_cmp_ge_f16 vcc, v1, v2
class cmp_neq_f16, v_cmp_neq_f16 vcc, v1, v2
op pk_add_f16_clamp, v_pk_add_f16 v0, v1, v2 clamp
op pk_add_f16_one, v_pk_add_f16 v0, v1, 1.0
op pk_min_f16, v_pk_min_f16 v0, v1, v2

vop3 v_lerp_u8
vop3 v_max3_i32
vop3 v_min3_u32
op max3_u16_sel, v_max3_u16 v0, v1, v2, v3 op_sel:[1,1,0,0]
op min3_i16_low, v_min3_i16 v0, v1, v2, v3
op sub_i32_clamp, v_sub_i32 v0, v1, v2 clamp
op add_i16_clamp, v_add_i16 v0, v1, v2 clamp
op pk_min_i16_sel, v_pk_min_i16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]
op pk_lshrrev, v_pk_lshrrev_b16 v0, v1, v2
op pk_sub_u16_clamp, v_pk_sub_u16 v0, v1, v2 clamp
op pk_add_i16_minus, v_pk_add_i16 v0, v1, -1
op add_u16_sdwa_clamp, v_add_u16_sdwa v0, v1, v2 clamp dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3 src1_sel:WORD_0
op sub_u32_sdwa_sext, v_sub_u32_sdwa v0, sext(v1), sext(v2) dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_1 src1_sel:WORD_1
.irp n, v_max_u16, v_min_i16, v_min_f16, v_max_f16, v_mac_f32, v_mac_f16
vop2 \n
.endr
vop1 v_frexp_mant_f16
op madak_f32, v_madak_f32 v0, v1, v2, 0x40490fdb
op madmk_f16, v_madmk_f16 v0, v1, 0x4248, v2
op mad_f16, v_mad_f16 v0, v1, v2, v3

op mul_i32_i24_clamp, v_mul_i32_i24_e64 v0, v1, v2 clamp
op mul_u32_u24_clamp, v_mul_u32_u24_e64 v0, v1, v2 clamp
op cvt_f32_i32_mul4, v_cvt_f32_i32_e64 v0, v1 mul:4
op cvt_f16_u16_div2, v_cvt_f16_u16_e64 v0, v1 div:2

// binary64: {c, b} and {a, old}
.macro wide name, half, insn:vararg
\name:
	\insn
	v_mov_b32 v0, \half
	s_endpgm
.endm
wide min_f64_low, v10, v_min_f64 v[10:11], v[2:3], v[0:1]
wide max_f64_high, v11, v_max_f64 v[10:11], v[2:3], v[0:1]
wide ldexp_f64_low, v10, v_ldexp_f64 v[10:11], v[2:3], v1
wide ldexp_f64_high, v11, v_ldexp_f64 v[10:11], v[2:3], v1
wide ceil_f64_high, v11, v_ceil_f64 v[10:11], v[2:3]
wide floor_f64_high, v11, v_floor_f64 v[10:11], v[2:3]
wide rndne_f64_low, v10, v_rndne_f64 v[10:11], v[2:3]
wide cvt_f64_f32_low, v10, v_cvt_f64_f32 v[10:11], v1
wide cvt_f64_f32_high, v11, v_cvt_f64_f32 v[10:11], v1
op cvt_f32_f64, v_cvt_f32_f64 v0, v[2:3]
