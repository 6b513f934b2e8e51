/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernels of sim_uapi.c as machine words, for tests without a code object.
 * Assembled by llvm-mc --arch=amdgcn --mcpu=gfx90a; each line of words has its
 * instruction.
 *
 * Arguments: 64-bit address, 32-bit value. User SGPRs are set up as
 * sim_descriptor() requests: by default s[0:1] points at the arguments; the
 * workgroup's number follows.
 */
#ifndef SELFTESTS_SIM_KERNELS_H
#define SELFTESTS_SIM_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * enum sim_kernel - kernels
 * @SIM_FILL: dst[i] = value + i
 * @SIM_COUNT: atomically adds 1 to dst[0]
 * @SIM_LOOP: never ends
 * @SIM_LOOP_OR_TRAP: s_trap 2 in workgroup 5, elsewhere never ends
 * @SIM_TRAP: s_nop, s_trap 2
 * @SIM_ILLEGAL: s_nop, then an invalid instruction
 * @SIM_MESSAGE: sends a message like a trap handler's
 * @SIM_HALT: halts itself
 * @SIM_SWAP: two waves; dst[i] = i, barrier, dst[128 + i] = dst[i ^ 64]
 * @SIM_PACKET: dst[0] = grid size from the dispatch packet
 * @SIM_SCRATCH: dst[i] = i, through private memory
 * @SIM_SLEEP: sleeps again and again
 * @SIM_DEADLOCK: two waves; the first waits for the second, which never comes
 * @SIM_PAGES: never ends; loads, of each lane, from the 8 last bytes of page 2
 *	* i and the 8 first of the next one
 * @SIM_FIRST_HALTS: some waves; the first halts itself, the others end
 */
enum sim_kernel {
	SIM_FILL,
	SIM_COUNT,
	SIM_LOOP,
	SIM_LOOP_OR_TRAP,
	SIM_TRAP,
	SIM_ILLEGAL,
	SIM_MESSAGE,
	SIM_HALT,
	SIM_SWAP,
	SIM_PACKET,
	SIM_SCRATCH,
	SIM_SLEEP,
	SIM_DEADLOCK,
	SIM_PAGES,
	SIM_FIRST_HALTS,
	SIM_NR_KERNELS,
};

#define SIM_KERNEL_SIZE		1024
#define SIM_KERNEL_OFFSET(k)	((k) * SIM_KERNEL_SIZE)
#define SIM_CODE_OFFSET		256	/* of the code from the descriptor */
#define SIM_CODE_PAGES		4
#define SIM_FILL_STORE		0x2c	/* the store from the code's start */

static const uint32_t sim_code[SIM_NR_KERNELS][SIM_KERNEL_SIZE / 8] = {
	[SIM_FILL] = {
		0xc0060100, 0x00000000,	/* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
		0xc0020180, 0x00000008,	/* s_load_dword s6, s[0:1], 0x8 */
		0x260000ff, 0x000003ff,	/* v_and_b32 v0, 0x3ff, v0 */
		0x8e078602,		/* s_lshl_b32 s7, s2, 6 */
		0x68000007,		/* v_add_u32 v0, s7, v0 */
		0x24020082,		/* v_lshlrev_b32 v1, 2, v0 */
		0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
		0x68040006,		/* v_add_u32 v2, s6, v0 */
		0xdc708000, 0x00040201,	/* global_store_dword v1, v2, s[4:5] */
		0xbf810000,		/* s_endpgm */
	},
	[SIM_COUNT] = {
		0xc0060100, 0x00000000,	/* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
		0x7e020280,		/* v_mov_b32 v1, 0 */
		0x7e040281,		/* v_mov_b32 v2, 1 */
		0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
		0xdd088000, 0x00040201,	/* global_atomic_add v1, v2, s[4:5] */
		0xbf810000,		/* s_endpgm */
	},
	[SIM_LOOP] = {
		0xbf82ffff,		/* s_branch -1 */
	},
	[SIM_LOOP_OR_TRAP] = {
		0xbf068502,		/* s_cmp_eq_u32 s2, 5 */
		0xbf84ffff,		/* s_cbranch_scc0 -1 */
		0xbf920002,		/* s_trap 2 */
		0xbf810000,		/* s_endpgm */
	},
	[SIM_TRAP] = {
		0xbf800000,		/* s_nop 0 */
		0xbf920002,		/* s_trap 2 */
		0xbf810000,		/* s_endpgm */
	},
	[SIM_ILLEGAL] = {
		0xbf800000,		/* s_nop 0 */
		0xffffffff,
	},
	[SIM_MESSAGE] = {
		0xbefc00ff, 0x00000803,	/* s_mov_b32 m0, 0x803 */
		0xbf800000,		/* s_nop 0 */
		0xbf900001,		/* s_sendmsg sendmsg(MSG_INTERRUPT) */
		0xbf810000,		/* s_endpgm */
	},
	[SIM_HALT] = {
		0xbf8d0001,		/* s_sethalt 1 */
		0xbf810000,		/* s_endpgm */
	},
	[SIM_SWAP] = {
		0xc0060100, 0x00000000,	/* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
		0x260000ff, 0x000003ff,	/* v_and_b32 v0, 0x3ff, v0 */
		0x24020082,		/* v_lshlrev_b32 v1, 2, v0 */
		0x2a0602ff, 0x00000100,	/* v_xor_b32 v3, 0x100, v1 */
		0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
		0xdc708000, 0x00040001,	/* global_store_dword v1, v0, s[4:5] */
		0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
		0xbf8a0000,		/* s_barrier */
		0xdc508000, 0x02040003,	/* global_load_dword v2, v3, s[4:5] */
		0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
		0xdc708200, 0x00040201,	/* global_store_dword v1, v2, s[4:5] offset:512 */
		0xbf810000,		/* s_endpgm */
	},
	[SIM_PACKET] = {
		0xc0020180, 0x0000000c,	/* s_load_dword s6, s[0:1], 0xc */
		0xc0060101, 0x00000000,	/* s_load_dwordx2 s[4:5], s[2:3], 0x0 */
		0x7e020280,		/* v_mov_b32 v1, 0 */
		0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
		0x7e040206,		/* v_mov_b32 v2, s6 */
		0xdc708000, 0x00040201,	/* global_store_dword v1, v2, s[4:5] */
		0xbf810000,		/* s_endpgm */
	},
	[SIM_SCRATCH] = {
		0x80000700,		/* s_add_u32 s0, s0, s7 */
		0x82018001,		/* s_addc_u32 s1, s1, 0 */
		0xc0060202, 0x00000000,	/* s_load_dwordx2 s[8:9], s[4:5], 0x0 */
		0x260000ff, 0x000003ff,	/* v_and_b32 v0, 0x3ff, v0 */
		0x8e0a8606,		/* s_lshl_b32 s10, s6, 6 */
		0x6800000a,		/* v_add_u32 v0, s10, v0 */
		0xe0700004, 0x80000000,	/* buffer_store_dword v0, off, s[0:3], 0 offset:4 */
		0x24020082,		/* v_lshlrev_b32 v1, 2, v0 */
		0xbf8c0070,		/* s_waitcnt vmcnt(0) lgkmcnt(0) */
		0xe0500004, 0x80000200,	/* buffer_load_dword v2, off, s[0:3], 0 offset:4 */
		0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
		0xdc708000, 0x00080201,	/* global_store_dword v1, v2, s[8:9] */
		0xbf810000,		/* s_endpgm */
	},
	[SIM_SLEEP] = {
		0xbf8e007f,		/* s_sleep 127 */
		0xbf82fffe,		/* s_branch -2 */
	},
	[SIM_DEADLOCK] = {
		0x7e060500,		/* v_readfirstlane_b32 s3, v0 */
		0xbf800004,		/* s_nop 4 */
		0xbf0ac003,		/* s_cmp_lt_u32 s3, 64 */
		0xbf850002,		/* s_cbranch_scc1 2 */
		0xbf8e000a,		/* s_sleep 10 */
		0xbf82fffe,		/* s_branch -2 */
		0xbf8a0000,		/* s_barrier */
		0xbf810000,		/* s_endpgm */
	},
	[SIM_PAGES] = {
		0xc0060100, 0x00000000,	/* s_load_dwordx2 s[4:5], s[0:1], 0x0 */
		0x260000ff, 0x000003ff,	/* v_and_b32 v0, 0x3ff, v0 */
		0x2402008d,		/* v_lshlrev_b32 v1, 13, v0 */
		0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
		0xdc5c8ff8, 0x04040001,	/* global_load_dwordx4 v[4:7], v1, s[4:5] offset:4088 */
		0xbf82fffd,		/* s_branch -3 */
	},
	[SIM_FIRST_HALTS] = {
		0x7e060500,		/* v_readfirstlane_b32 s3, v0 */
		0xbf800004,		/* s_nop 4 */
		0xbf0ac003,		/* s_cmp_lt_u32 s3, 64 */
		0xbf840001,		/* s_cbranch_scc0 1 */
		0xbf8d0001,		/* s_sethalt 1 */
		0xbf810000,		/* s_endpgm */
	},
};

/* amd_kernel_descriptor_t */
struct sim_descriptor {
	uint32_t group_size;
	uint32_t private_size;
	uint32_t kernarg_size;
	uint32_t reserved0;
	int64_t entry;
	uint8_t reserved1[20];
	uint32_t rsrc3;
	uint32_t rsrc1;
	uint32_t rsrc2;
	uint16_t properties;
	uint8_t reserved2[6];
};

#define SIM_PROP_SCRATCH	0x1	/* 4 SGPRs */
#define SIM_PROP_DISPATCH_PTR	0x2	/* 2 SGPRs */
#define SIM_PROP_KERNARG_PTR	0x8	/* 2 SGPRs */

static inline uint16_t sim_properties(enum sim_kernel kernel)
{
	if (kernel == SIM_SCRATCH)
		return SIM_PROP_SCRATCH | SIM_PROP_KERNARG_PTR;
	if (kernel == SIM_PACKET)
		return SIM_PROP_DISPATCH_PTR | SIM_PROP_KERNARG_PTR;
	return SIM_PROP_KERNARG_PTR;
}

static inline struct sim_descriptor sim_descriptor(enum sim_kernel kernel)
{
	uint16_t properties = sim_properties(kernel);
	unsigned int scratch = !!(properties & SIM_PROP_SCRATCH);
	unsigned int sgprs = 2 + 4 * scratch +
			     (properties & SIM_PROP_DISPATCH_PTR ? 2 : 0);

	return (struct sim_descriptor){
		.private_size = scratch ? 16 : 0,
		.kernarg_size = 12,
		.entry = SIM_CODE_OFFSET,
		.rsrc3 = 3,			/* 16 ordinary registers */
		.rsrc1 = 0x00af0041,		/* 16 vector registers */
		.rsrc2 = scratch | sgprs << 1 | 1 << 7,	/* workgroup x */
		.properties = properties,
	};
}

/* @memory: SIM_CODE_PAGES pages */
static inline void sim_kernels_load(uint8_t *memory)
{
	unsigned int k;

	for (k = 0; k < SIM_NR_KERNELS; k++) {
		struct sim_descriptor desc = sim_descriptor(k);
		uint8_t *at = memory + SIM_KERNEL_OFFSET(k);

		memcpy(at, &desc, sizeof(desc));
		memcpy(at + SIM_CODE_OFFSET, sim_code[k], sizeof(sim_code[k]));
	}
}

#endif /* SELFTESTS_SIM_KERNELS_H */
