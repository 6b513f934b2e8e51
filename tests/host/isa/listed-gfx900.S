/* SPDX-License-Identifier: GPL-2.0 */
// Instructions that only gfx900 has.

	v_mul_legacy_f32 v0, v1, v2
	v_mul_legacy_f32_e64 v0, v1, v2
	v_mad_mix_f32 v0, v1, v2, v3
	ds_add_src2_u32 v0
	buffer_load_dword v0, off, s[0:3], s4 tfe
