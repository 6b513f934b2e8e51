/* SPDX-License-Identifier: GPL-2.0 */
// Instructions of gfx900 and gfx90a that gfx942 does not have, or not with these
// modifiers.

	v_madak_f32 v0, v1, v2, 0x40490fdb
	v_madmk_f32 v0, v1, 0x40490fdb, v2
	v_mac_f32 v0, v1, v2
	v_mad_f32 v0, v1, v2, v3
	flat_load_dwordx2 v[0:1], v[2:3] offset:16 glc
	flat_store_dword v[2:3], v0 slc
	flat_atomic_add v0, v[2:3], v4 glc
	flat_atomic_cmpswap_x2 v[0:1], v[2:3], v[4:7] glc
	global_load_dwordx4 v[0:3], v[4:5], off glc slc
	global_atomic_add v0, v[2:3], v1, off glc
	global_atomic_cmpswap v0, v[2:3], v[4:5], off glc
	buffer_load_ubyte v0, off, s[0:3], m0 glc
	buffer_store_dwordx3 v[0:2], v4, s[0:3], 0 offen slc
	buffer_atomic_cmpswap v[0:1], v2, s[0:3], 0 offen glc
	buffer_load_dword v0, off, s[0:3], s4 lds
