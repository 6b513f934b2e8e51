/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel of try.c: each wave of 64 work-items stores to the same 64 words. */
kernel void gpubp_try(global uint *words, uint value)
{
	words[__builtin_amdgcn_workitem_id_x()] = value + __builtin_amdgcn_workitem_id_x();
}
