// SPDX-License-Identifier: GPL-2.0
/*
 * For launches.hip: OpenCL C 2.0 lets the end of a grid cut workgroups, as HIP does not.
 * The size of the others is an argument.
 */
kernel void mark_cut(global uint *to, uint width, uint size_x, uint size_y, uint value)
{
	uint x = __builtin_amdgcn_workgroup_id_x() * size_x + __builtin_amdgcn_workitem_id_x();
	uint y = __builtin_amdgcn_workgroup_id_y() * size_y + __builtin_amdgcn_workitem_id_y();

	to[y * width + x] = value;
}
