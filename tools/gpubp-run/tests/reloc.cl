// SPDX-License-Identifier: GPL-2.0
/*
 * Initialised pointers and variables: relocations, and a segment of data.
 */
__constant int table[4] = { 1, 2, 3, 4 };
__constant int *__constant pointers[2] = { table, table + 2 };
__global int counter = 5;

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void reloc(__global int *out)
{
	int i = __builtin_amdgcn_workitem_id_x();

	out[i] = *pointers[i & 1] + counter;
}
