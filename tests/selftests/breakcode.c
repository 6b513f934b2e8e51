// SPDX-License-Identifier: GPL-2.0
/* Machine code for breaks: see breakcode.h. */
#include <assert.h>
#include <string.h>
#include "breakcode.h"
#include "rawgpu.h"

#define DATA_USED	(3 * 256)	/* bytes */
#define ARGS		2048	/* of the arguments from the page's start */

static const uint32_t code[] = {
	/* loop_kernel: */
	0xc00a0100, 0x00000000,	/* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
	0x7e000280,		/* v_mov_b32 v0, 0 */
	0x7e020281,		/* v_mov_b32 v1, 1 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xbf800000,		/* s_nop 0 */
	/* loop: */
	0xdd088000, 0x00040100,	/* global_atomic_add v0, v1, s[4:5] */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0xbf800000,		/* s_nop 0 */
	0xbf800001,		/* s_nop 1 */
	0x80868106,		/* s_sub_u32 s6, s6, 1 */
	0xbf078006,		/* s_cmp_lg_u32 s6, 0 */
	0xbf85fff8,		/* s_cbranch_scc1 loop */
	0xbf8a0000,		/* s_barrier */
	0xdd088004, 0x00040100,	/* global_atomic_add v0, v1, s[4:5] offset:4 */
	0xbf810000,		/* s_endpgm */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	/* sum_kernel: */
	0xc00a0100, 0x00000000,	/* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
	0xc0060200, 0x00000010,	/* s_load_dwordx2 s[8:9], s[0:1], 0x10 */
	0x7e000280,		/* v_mov_b32 v0, 0 */
	0x7e040280,		/* v_mov_b32 v2, 0 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	/* sum: */
	0xdc518000, 0x01080000,	/* global_load_dword v1, v0, s[8:9] glc */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0x68040302,		/* v_add_u32 v2, v2, v1 */
	0x68000084,		/* v_add_u32 v0, 4, v0 */
	0x80868106,		/* s_sub_u32 s6, s6, 1 */
	0xbf078006,		/* s_cmp_lg_u32 s6, 0 */
	0xbf85fff8,		/* s_cbranch_scc1 sum */
	0x7e000280,		/* v_mov_b32 v0, 0 */
	0xdc708000, 0x00040200,	/* global_store_dword v0, v2, s[4:5] */
	0xbf810000,		/* s_endpgm */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	/* trap_kernel: */
	0xc00a0100, 0x00000000,	/* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
	0x7e000280,		/* v_mov_b32 v0, 0 */
	0x7e020281,		/* v_mov_b32 v1, 1 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	/* traps: */
	0xbf920001,		/* s_trap 1 */
	0xbf920003,		/* s_trap 3 */
	0xbf9200c8,		/* s_trap 0xc8 */
	0x80868106,		/* s_sub_u32 s6, s6, 1 */
	0xbf078006,		/* s_cmp_lg_u32 s6, 0 */
	0xbf85fffa,		/* s_cbranch_scc1 traps */
	0xdd088000, 0x00040100,	/* global_atomic_add v0, v1, s[4:5] */
	0xbf810000,		/* s_endpgm */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	/* call_kernel: */
	0xc00a0100, 0x00000000,	/* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
	0x7e000280,		/* v_mov_b32 v0, 0 */
	0x7e020281,		/* v_mov_b32 v1, 1 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	/* calls: */
	0xbe8a1c00,		/* s_getpc_b64 s[10:11] */
	0x800a9c0a,		/* s_add_u32 s10, s10, 28 */
	0x820b800b,		/* s_addc_u32 s11, s11, 0 */
	0xbe8c1e0a,		/* s_swappc_b64 s[12:13], s[10:11] */
	0x80868106,		/* s_sub_u32 s6, s6, 1 */
	0xbf078006,		/* s_cmp_lg_u32 s6, 0 */
	0xbf85fff9,		/* s_cbranch_scc1 calls */
	0xbf810000,		/* s_endpgm */
	0xdd088000, 0x00040100,	/* global_atomic_add v0, v1, s[4:5] */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0xbe801d0c,		/* s_setpc_b64 s[12:13] */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	/* beat_kernel: */
	0xc00a0100, 0x00000000,	/* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
	0x7e000280,		/* v_mov_b32_e32 v0, 0 */
	0x7e020281,		/* v_mov_b32_e32 v1, 1 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	/* beats: */
	0xbf920003,		/* s_trap 3 */
	0xdd088000, 0x00040100,	/* global_atomic_add v0, v1, s[4:5] */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0x80868106,		/* s_sub_u32 s6, s6, 1 */
	0xbf078006,		/* s_cmp_lg_u32 s6, 0 */
	0xbf85fff9,		/* s_cbranch_scc1 beats */
	0xbf810000,		/* s_endpgm */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	/* self_kernel: */
	0xbf82ffff,		/* s_branch self_kernel */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	/* edges_kernel: */
	0xc00a0100, 0x00000000,	/* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
	0x7e040280,		/* v_mov_b32_e32 v2, 0 */
	0x260600bf,		/* v_and_b32_e32 v3, 63, v0 */
	0x24080682,		/* v_lshlrev_b32_e32 v4, 2, v3 */
	0xbe940080,		/* s_mov_b32 s20, 0 */
	0xbe9c0080,		/* s_mov_b32 s28, 0 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xbea80104,		/* s_mov_b64 s[40:41], s[4:5] */
	0xbeaa0006,		/* s_mov_b32 s42, s6 */
	/* edges: */
	0xba9e0026,		/* s_call_b64 s[30:31], first */
	0xbf970024,		/* s_cbranch_cdbgsys edges_end */
	0xbe96017e,		/* s_mov_b64 s[22:23], exec */
	0xbefe0180,		/* s_mov_b64 exec, 0 */
	0xbf890021,		/* s_cbranch_execnz edges_end */
	0x680404ff, 0x00001000,	/* v_add_u32_e32 v2, 0x1000, v2 */
	0xdd088000, 0x00280204,	/* global_atomic_add v4, v2, s[40:41] */
	0xbf880001,		/* s_cbranch_execz inactive */
	0xbf810000,		/* s_endpgm */
	/* inactive: */
	0xbefe0116,		/* s_mov_b64 exec, s[22:23] */
	0x7d980694,		/* v_cmp_gt_u32_e32 vcc, 20, v3 */
	0xbf860018,		/* s_cbranch_vccz edges_end */
	0xd0cc001a, 0x000206b2,	/* v_cmp_gt_u32_e64 s[26:27], 50, v3 */
	0xbe981c00,		/* s_getpc_b64 s[24:25] */
	/* behind: */
	0x8018ff18, 0x00000028,	/* s_add_u32 s24, s24, 40 */
	0x82198019,		/* s_addc_u32 s25, s25, 0 */
	0x9480186a,		/* s_cbranch_g_fork vcc, s[24:25] */
	0x68040482,		/* v_add_u32_e32 v2, 2, v2 */
	0xb81a0002,		/* s_cbranch_i_fork s[26:27], side2 */
	0x68040484,		/* v_add_u32_e32 v2, 4, v2 */
	0xbf820003,		/* s_branch meet */
	/* side2: */
	0x68040488,		/* v_add_u32_e32 v2, 8, v2 */
	0xbf820001,		/* s_branch meet */
	/* side: */
	0x68040490,		/* v_add_u32_e32 v2, 16, v2 */
	/* meet: */
	0xbe802e1c,		/* s_cbranch_join s28 */
	0xbefe0116,		/* s_mov_b64 exec, s[22:23] */
	0x80aa812a,		/* s_sub_u32 s42, s42, 1 */
	0xbf06802a,		/* s_cmp_eq_u32 s42, 0 */
	0xbf84ffdf,		/* s_cbranch_scc0 edges */
	0x7e0a0214,		/* v_mov_b32_e32 v5, s20 */
	0xdd088100, 0x00280204,	/* global_atomic_add v4, v2, s[40:41] offset:256 */
	0xdd088200, 0x00280504,	/* global_atomic_add v4, v5, s[40:41] offset:512 */
	/* edges_end: */
	0xbf810000,		/* s_endpgm */
	/* first: */
	0x80148114,		/* s_add_u32 s20, s20, 1 */
	0xbea01c00,		/* s_getpc_b64 s[32:33] */
	/* behind1: */
	0x8020ff20, 0x00000018,	/* s_add_u32 s32, s32, 24 */
	0x82218021,		/* s_addc_u32 s33, s33, 0 */
	0xbea21e20,		/* s_swappc_b64 s[34:35], s[32:33] */
	0x80148114,		/* s_add_u32 s20, s20, 1 */
	0xbe801d1e,		/* s_setpc_b64 s[30:31] */
	/* second: */
	0x80149014,		/* s_add_u32 s20, s20, 16 */
	0xbe801d22,		/* s_setpc_b64 s[34:35] */
};

static_assert(sizeof(code) == BC_TEXT_SIZE, "the end of the text");

/* where each kernel begins */
static const unsigned int entries[] = {
	[BC_LOOP] = 0x00, [BC_SUM] = 0x80, [BC_TRAP] = 0x100, [BC_CALL] = 0x140,
	[BC_BEAT] = 0x1c0, [BC_SELF] = 0x200, [BC_EDGES] = 0x240,
};

struct args {
	uint64_t out;
	uint64_t loops;
	uint64_t extra;
};

/* 8 vector registers, all scalar ones, kernel arguments in s[0:1], one id of three */
static struct raw_descriptor descriptor_of(unsigned int kernel)
{
	return (struct raw_descriptor) {
		.kernarg_size = sizeof(struct args),
		.entry = BC_TEXT + entries[kernel] -
			 kernel * sizeof(struct raw_descriptor),
		.rsrc3 = 1,
		.rsrc1 = 0x00af0181,
		.rsrc2 = 2 << 1 | 1 << 7,
		.properties = 0x8,
	};
}

void bc_fill(const struct breakcode *bc)
{
	unsigned int i;

	for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		struct raw_descriptor d = descriptor_of(i);

		memcpy(bc->page + i * sizeof(d), &d, sizeof(d));
	}
	memcpy(bc->page + BC_TEXT, code, sizeof(code));
}

uint64_t bc_object(enum bc_kernel kernel)
{
	return BC_CODE_VA + kernel * sizeof(struct raw_descriptor);
}

uint64_t bc_arguments(const struct breakcode *bc, uint32_t loops, uint64_t extra)
{
	struct args args = { BC_DATA_VA, loops, extra };

	memset((void *)bc->data, 0, DATA_USED);
	memcpy(bc->page + ARGS, &args, sizeof(args));
	return BC_CODE_VA + ARGS;
}

int bc_run(struct breakcode *bc, enum bc_kernel kernel, unsigned int groups,
	   uint32_t loops)
{
	return bc_start(bc, kernel, groups, loops, 0) ?: bc_wait(bc, -1);
}

volatile uint32_t *bc_word(const struct breakcode *bc, unsigned int at)
{
	return (volatile uint32_t *)(bc->page + BC_TEXT + at);
}

uint32_t bc_text(const struct breakcode *bc, unsigned int at)
{
	return *bc_word(bc, at);
}

uint32_t bc_original(unsigned int at)
{
	return code[at / 4];
}

bool bc_intact(const struct breakcode *bc)
{
	unsigned int at;

	for (at = 0; at < BC_TEXT_SIZE; at += 4)
		if (bc_text(bc, at) != bc_original(at))
			return false;
	return true;
}

/*
 * In each loop iteration: a call of a function that calls another; code with
 * EXEC = 0; s_cbranch_g_fork for the lanes below 20, s_cbranch_i_fork for those
 * below 50.
 */
static uint32_t edge_of(unsigned int lane)
{
	return lane < 20 ? 16 : lane < 50 ? 2 + 8 : 2 + 4;
}

bool bc_edges(const struct breakcode *bc, unsigned int waves, uint32_t loops)
{
	const volatile uint32_t *sides = bc->data + 64, *calls = bc->data + 128;
	unsigned int i;

	for (i = 0; i < BC_LANES; i++)
		if (bc->data[i] || sides[i] != waves * loops * edge_of(i) ||
		    calls[i] != waves * loops * 18)
			return false;
	return true;
}
