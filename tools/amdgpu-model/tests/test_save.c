// SPDX-License-Identifier: GPL-2.0
/*
 * Waves that are saved and restored by amdkfd's own trap handler: what is in memory,
 * as a debugger reads and changes it, and what comes back.
 */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "gc/gc_9_4_2_offset.h"
#include "gc/gc_9_4_2_sh_mask.h"

#include "field.h"
#include "provider_walk.h"
#include "second_handler.h"
#include "tap.h"
#include "user_queue.h"

/* places in the guest's memory; the control stack is a page behind the MQD */
#define AT_STACK	(AT_MQD + 0x1000)
#define STACK_BYTES	0x1000u
#define AT_DESCRIPTOR	0x30000u
#define AT_CODE		0x30100u
#define AT_KERNARG	0x32000u
#define AT_OUT		0x34000u
#define AT_GO		(AT_OUT + 0x400)
#define AT_HANDLER	0x40000u
#define AT_TMA		0x42000u
#define AT_SECOND_TMA	0x43000u
#define AT_SECOND	0x48000u	/* more than a page */
#define AT_SAVE		0x80000u
#define SAVE_BYTES	0x100000u

#define DESC_KERNARG_PTR	(1u << 3)
#define RSRC1_VGPRS(nr)		((nr) / 8 - 1)
#define RSRC3_ACC_OFFSET(nr)	((nr) / 4 - 1)
#define RSRC2_USER_SGPRS(nr)	((nr) << 1)
#define RSRC2_WORKGROUP_X	(1u << 7)
#define RSRC2_EXCP_EN_WATCH	(1u << 13)

/* dwords of MAP_PROCESS */
enum { PROCESS_TBA_LO = 6, PROCESS_TBA_HI, PROCESS_TMA_LO, PROCESS_TMA_HI,
       PROCESS_WATCH1_CNTL = 16 };

static struct world w;

#define NR_VGPRS	48u
#define ACC_OFFSET	40u
#define FEW_VGPRS	8u
#define FEW_ORDINARY	4u
#define NR_SGPRS	112u
#define LDS_BYTES	1024u

/* all registers and LDS get values; it halts, and tells what the other wave has in LDS */
static const uint32_t fill[] = {
	0xc0060000, 0x00000000,	/* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
	0x24020082,		/* v_lshlrev_b32 v1, 2, v0 */
	0x8e048802,		/* s_lshl_b32 s4, s2, 8 */
	0x87048204,		/* s_or_b32 s4, s4, 2 */
	0xbf110804,		/* v: s_set_gpr_idx_on s4, gpr_idx(DST) */
	0x2a000204,		/* v_xor_b32 v0, s4, v1 */
	0xbf9c0000,		/* s_set_gpr_idx_off */
	0x80048104,		/* s_add_u32 s4, s4, 1 */
	0x8603ff04, 0x000000ff,	/* s_and_b32 s3, s4, 0xff */
	0xbf0aa803,		/* s_cmp_lt_u32 s3, 40 */
	0xbf85fff8,		/* s_cbranch_scc1 v */
	0xbe840080,		/* s_mov_b32 s4, 0 */
	0xbf110804,		/* a: s_set_gpr_idx_on s4, gpr_idx(DST) */
	0xd3d94000, 0x18000127,	/* v_accvgpr_write_b32 a0, v39 */
	0xbf9c0000,		/* s_set_gpr_idx_off */
	0x684e4e83,		/* v_add_u32 v39, 3, v39 */
	0x80048104,		/* s_add_u32 s4, s4, 1 */
	0xbf0a8804,		/* s_cmp_lt_u32 s4, 8 */
	0xbf85fff8,		/* s_cbranch_scc1 a */
	0xbefc0085,		/* s_mov_b32 m0, 5 */
	0x9203ff7c, 0x01010101,	/* s: s_mul_i32 s3, m0, 0x1010101 */
	0xbe802c03,		/* s_movreld_b32 s0, s3 */
	0x807c817c,		/* s_add_u32 m0, m0, 1 */
	0xbf0aff7c, 0x00000066,	/* s_cmp_lt_u32 m0, 0x66 */
	0xbf85fff9,		/* s_cbranch_scc1 s */
	0xd81a0000, 0x00000201,	/* ds_write_b32 v1, v2 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xbee60192,		/* s_mov_b64 flat_scratch, 18 */
	0xbeea0114,		/* s_mov_b64 vcc, s[20:21] */
	0xba001801, 0x00000005,	/* s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5 */
	0xbf8a0000,		/* s_barrier */
	0xbefc00ff, 0x00005a5a,	/* s_mov_b32 m0, 0x5a5a */
	0xbefe01ff, 0x00000f0f,	/* s_mov_b64 exec, 0xf0f */
	0xbf060404,		/* s_cmp_eq_u32 s4, s4 */
	0xbf8d0001,		/* s_sethalt 1 */
	0xbefe01c1,		/* s_mov_b64 exec, -1 */
	0x2a0602ff, 0x00000100,	/* v_xor_b32 v3, 0x100, v1 */
	0xd86c0000, 0x04000003,	/* ds_read_b32 v4, v3 */
	0x8e048902,		/* s_lshl_b32 s4, s2, 9 */
	0x80000400,		/* s_add_u32 s0, s0, s4 */
	0x82018001,		/* s_addc_u32 s1, s1, 0 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xdc708000, 0x00000401,	/* global_store_dword v1, v4, s[0:1] */
	0xbf810000,		/* s_endpgm */
};

/* of 128 work-items: the second wave waits at the barrier, the first one for memory */
static const uint32_t barrier[] = {
	0xc0060000, 0x00000000,	/* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
	0x7e020280,		/* v_mov_b32 v1, 0 */
	0x7d9200bf,		/* v_cmp_lt_u32 vcc, 63, v0 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xbf870009,		/* s_cbranch_vccnz b */
	0xdc518400, 0x02000001,	/* w: global_load_dword v2, v1, s[0:1] offset:1024 glc */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0x7d940480,		/* v_cmp_eq_u32 vcc, 0, v2 */
	0xbf87fffb,		/* s_cbranch_vccnz w */
	0x7e060289,		/* v_mov_b32 v3, 9 */
	0xd81a0000, 0x00000301,	/* ds_write_b32 v1, v3 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xbf8a0000,		/* b: s_barrier */
	0xd86c0000, 0x03000001,	/* ds_read_b32 v3, v1 */
	0x24020082,		/* v_lshlrev_b32 v1, 2, v0 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xdc708000, 0x00000301,	/* global_store_dword v1, v3, s[0:1] */
	0xbf810000,		/* s_endpgm */
};

/* two stores to what is watched */
static const uint32_t store_twice[] = {
	0xc0060000, 0x00000000,	/* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
	0x24020082,		/* v_lshlrev_b32 v1, 2, v0 */
	0x7e060285,		/* v_mov_b32 v3, 5 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xdc708000, 0x00000301,	/* global_store_dword v1, v3, s[0:1] */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000, /* s_nop 0 */
	0x7e060286,		/* v_mov_b32 v3, 6 */
	0xdc708000, 0x00000301,	/* global_store_dword v1, v3, s[0:1] */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000, /* s_nop 0 */
	0xbf810000,		/* s_endpgm */
};

/* what comes last is a store to what is watched */
static const uint32_t store_last[] = {
	0xc0060000, 0x00000000,	/* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
	0x24020082,		/* v_lshlrev_b32 v1, 2, v0 */
	0x7e060286,		/* v_mov_b32 v3, 6 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xdc708000, 0x00000301,	/* global_store_dword v1, v3, s[0:1] */
	0xbf810000,		/* s_endpgm */
};

static const uint32_t trap[] = {
	0xbf920003,		/* s_trap 3 */
	0xbf810000,		/* s_endpgm */
};

/* registers get values, nothing is at 16 */
static const uint32_t wild_store[] = {
	0x7e000280,		/* v_mov_b32 v0, 0 */
	0x7e020290,		/* v_mov_b32 v1, 16 */
	0x7e0a02ff, 0x00001234,	/* v_mov_b32 v5, 0x1234 */
	0x7e0e02ff, 0x00005678,	/* v_mov_b32 v7, 0x5678 */
	0xdc708000, 0x007f0500,	/* global_store_dword v[0:1], v5, off */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0xbf800000, 0xbf800000, 0xbf800000,	/* s_nop 0 */
	0xbf810000,		/* s_endpgm */
};

/* a second level: report a hit, forget it, halt the wave */
static const uint32_t report[] = {
	0xbef0007c,		/* s_mov_b32 ttmp4, m0 */
	0xbefc00ff, 0x00002108,	/* s_mov_b32 m0, 0x2108 */
	0xbf900001,		/* s_sendmsg sendmsg(MSG_INTERRUPT) */
	0xbefc0070,		/* s_mov_b32 m0, ttmp4 */
	0xba001303, 0x00000000,	/* s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 12, 3), 0 */
	0x8778ff78, 0x00002000,	/* s_or_b32 ttmp12, ttmp12, 0x2000 */
	0x866dff6d, 0x0000ffff,	/* s_and_b32 ttmp1, ttmp1, 0xffff */
	0x86fe7e7e,		/* s_and_b64 exec, exec, exec */
	0x86ea6a6a,		/* s_and_b64 vcc, vcc, vcc */
	0xb978f802,		/* s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12 */
	0xbe801f6c,		/* s_rfe_b64 ttmp[0:1] */
};

/* another one: wait for memory, go on behind s_trap */
static const uint32_t busy[] = {
	0xc0031bbd, 0x00000000,	/* w: s_load_dword ttmp2, ttmp[14:15], 0x0 glc */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xbf06806e,		/* s_cmp_eq_u32 ttmp2, 0 */
	0xbf85fffb,		/* s_cbranch_scc1 w */
	0x866dff6d, 0x0000ffff,	/* s_and_b32 ttmp1, ttmp1, 0xffff */
	0x806c846c,		/* s_add_u32 ttmp0, ttmp0, 4 */
	0x826d806d,		/* s_addc_u32 ttmp1, ttmp1, 0 */
	0x86fe7e7e,		/* s_and_b64 exec, exec, exec */
	0x86ea6a6a,		/* s_and_b64 vcc, vcc, vcc */
	0xb978f802,		/* s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12 */
	0xbe801f6c,		/* s_rfe_b64 ttmp[0:1] */
};

/* ---- a process, its queue, a kernel -------------------------------------- */

static struct v9_mqd *mqd(void)
{
	return (struct v9_mqd *)(w.guest + AT_MQD);
}

static uint32_t *descriptor(unsigned int byte)
{
	return guest32(&w, AT_DESCRIPTOR + byte);
}

/* as amdkfd makes it, with the area and its stack empty */
static void add_area(uint32_t bytes)
{
	mqd()->cp_hqd_ctx_save_base_addr_lo = LO(USER(AT_SAVE));
	mqd()->cp_hqd_ctx_save_base_addr_hi = HI(USER(AT_SAVE));
	mqd()->cp_hqd_ctx_save_size = bytes;
	mqd()->cp_hqd_cntl_stack_size = STACK_BYTES;
	mqd()->cp_hqd_cntl_stack_offset = STACK_BYTES;
	mqd()->cp_hqd_wg_state_offset = STACK_BYTES;
}

static void set_handlers(const uint32_t *second, size_t bytes)
{
	memset(user_process, 0, sizeof(user_process));
	put_handler(&w, AT_HANDLER);
	memset(w.guest + AT_TMA, 0, 0x1000);
	memset(w.guest + AT_SECOND_TMA, 0, 0x1000);
	*guest64(&w, AT_TMA) = second ? USER(AT_SECOND) : 0;
	*guest64(&w, AT_TMA + 8) = USER(AT_SECOND_TMA);
	if (second)
		memcpy(w.guest + AT_SECOND, second, bytes);
	user_process[PROCESS_TBA_LO] = LO(USER(AT_HANDLER) >> 8);
	user_process[PROCESS_TBA_HI] = USER(AT_HANDLER) >> 40;
	user_process[PROCESS_TMA_LO] = LO(USER(AT_TMA) >> 8);
	user_process[PROCESS_TMA_HI] = USER(AT_TMA) >> 40;
}

static void run_waves(void)
{
	while (!gpu_look_again(w.gpu))
		;
}

static void run_for_a_while(void)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		gpu_look_again(w.gpu);
}

/* of the next kernels: exceptions; whether they have but a few vector registers */
static uint32_t rsrc2;
static bool small;
static uint32_t few = FEW_VGPRS;

/* @size work-items in groups of @group */
static void put_kernel(const uint32_t *words, size_t bytes, uint32_t size,
		       uint32_t group)
{
	struct compute_packet *p = (struct compute_packet *)(w.guest + packet_at(0));

	memset(w.guest + AT_DESCRIPTOR, 0, 64);
	*descriptor(0) = LDS_BYTES;
	*descriptor(16) = AT_CODE - AT_DESCRIPTOR;
	*descriptor(44) = RSRC3_ACC_OFFSET(small ? few : ACC_OFFSET);
	*descriptor(48) = RSRC1_VGPRS(small ? FEW_VGPRS : NR_VGPRS);
	*descriptor(52) = RSRC2_USER_SGPRS(2) | RSRC2_WORKGROUP_X | rsrc2;
	*descriptor(56) = DESC_KERNARG_PTR;
	memcpy(w.guest + AT_CODE, words, bytes);
	*guest64(&w, AT_KERNARG) = USER(AT_OUT);
	packet_put(&w, 0, TYPE_DISPATCH, signal_at(0));
	*signal_value(&w, 0) = 1;
	p->setup = 1;
	p->workgroup[0] = group;
	p->workgroup[1] = p->workgroup[2] = 1;
	p->grid[0] = size;
	p->grid[1] = p->grid[2] = 1;
	p->object = USER(AT_DESCRIPTOR);
	p->kernarg = USER(AT_KERNARG);
}

/* the kernel has begun and runs until nothing can */
static void begin(const uint32_t *words, size_t bytes, uint32_t size, uint32_t group,
		  uint32_t area)
{
	queue_begin(&w, 0);
	queue_unmap(&w);
	memset(w.guest + AT_OUT, 0, 0x8000);
	memset(w.guest + AT_SAVE, 0xee, SAVE_BYTES);
	add_area(area);
	queue_map(&w);
	put_kernel(words, bytes, size, group);
	queue_kick(&w, 1);
}

#define BEGIN(words, size, group)	\
	begin(words, sizeof(words), size, group, SAVE_BYTES)

static bool has_ended(void)
{
	return !*signal_value(&w, 0) && queue_is_idle(&w, 1) && !w.gpu->sq.view;
}

static void set_halt(unsigned int halt)
{
	mmio_write(&w, "GC GRBM_GFX_INDEX",
		   FIELD_PUT(GRBM_GFX_INDEX, SE_BROADCAST_WRITES, 1) |
		   FIELD_PUT(GRBM_GFX_INDEX, SH_BROADCAST_WRITES, 1) |
		   FIELD_PUT(GRBM_GFX_INDEX, INSTANCE_BROADCAST_WRITES, 1));
	mmio_write(&w, "GC SQ_CMD", FIELD_PUT(SQ_CMD, CMD, 1) | FIELD_PUT(SQ_CMD, MODE, 1) |
		   FIELD_PUT(SQ_CMD, DATA, halt));
}

/* ---- what SQ shows of waves ---------------------------------------------- */

#define MAX_WAVES	16

/* what a program and a trap handler see of a wave */
struct shown {
	struct sq_place place;
	uint32_t word[16];
	uint32_t scalar[NR_SGPRS - 4];
	uint32_t ttmp[6];
	uint32_t vector[NR_VGPRS][64];
};

static const uint16_t words[] = {
	ixSQ_WAVE_MODE, ixSQ_WAVE_STATUS, ixSQ_WAVE_TRAPSTS, ixSQ_WAVE_GPR_ALLOC,
	ixSQ_WAVE_LDS_ALLOC, ixSQ_WAVE_IB_STS, ixSQ_WAVE_PC_LO, ixSQ_WAVE_PC_HI,
	ixSQ_WAVE_INST_DW0, ixSQ_WAVE_EXEC_LO, ixSQ_WAVE_EXEC_HI, SQ_INDEX_M0,
};
enum { WORD_MODE, WORD_STATUS, WORD_PC_LO = 6 };

static uint32_t read_wave(const struct sq_place *place, unsigned int index,
			  unsigned int lane)
{
	mmio_write(&w, "GC GRBM_GFX_INDEX",
		   FIELD_PUT(GRBM_GFX_INDEX, SE_INDEX, place->se) |
		   FIELD_PUT(GRBM_GFX_INDEX, INSTANCE_INDEX, place->cu));
	mmio_write(&w, "GC SQ_IND_INDEX", FIELD_PUT(SQ_IND_INDEX, INDEX, index) |
		   FIELD_PUT(SQ_IND_INDEX, SIMD_ID, place->simd) |
		   FIELD_PUT(SQ_IND_INDEX, WAVE_ID, place->slot) |
		   FIELD_PUT(SQ_IND_INDEX, THREAD_ID, lane));
	return mmio_read(&w, "GC SQ_IND_DATA");
}

static void show(const struct sq_view *view, struct shown *s)
{
	unsigned int i, lane;

	memset(s, 0, sizeof(*s));
	s->place = view->place;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		s->word[i] = read_wave(&s->place, words[i], 0);
	for (i = 0; i < NR_SGPRS - 4; i++)
		s->scalar[i] = read_wave(&s->place, SQ_INDEX_SGPR + i, 0);
	for (i = 0; i < 6; i++)
		s->ttmp[i] = read_wave(&s->place, SQ_INDEX_TTMP + 6 + i, 0);
	for (i = 0; i < NR_VGPRS; i++)
		for (lane = 0; lane < 64; lane++)
			s->vector[i][lane] = read_wave(&s->place, SQ_INDEX_VGPR + i, lane);
}

static unsigned int show_all(struct shown *s)
{
	const struct sq_view *view;
	unsigned int nr = 0;

	for (view = w.gpu->sq.view; view && nr < MAX_WAVES; view = view->next)
		show(view, &s[nr++]);
	return view ? 0 : nr;
}

static bool same_place(const struct sq_place *a, const struct sq_place *b)
{
	return a->se == b->se && a->cu == b->cu && a->simd == b->simd &&
	       a->slot == b->slot;
}

/* each of @a is one of @b but for its place, which is another one */
static bool same_waves(const struct shown *a, const struct shown *b, unsigned int nr)
{
	unsigned int i, k, moved = 0;

	for (i = 0; i < nr; i++) {
		for (k = 0; k < nr; k++)
			if (!memcmp(a[i].word, b[k].word, sizeof(a[i]) -
				    offsetof(struct shown, word)))
				break;
		if (k == nr)
			return false;
		moved += !same_place(&a[i].place, &b[k].place);
	}
	return moved == nr;
}

/* ---- what a debugger finds in memory ------------------------------------- */

/**
 * struct found - a wave in the save area: places in the guest's memory
 * @first: of its workgroup
 * @last: same
 * @vgprs: ordinary vector registers
 * @accs: accumulation registers
 * @sgprs: scalar registers
 * @hwregs: M0, pc, EXEC, STATUS, TRAPSTS, XNACK_MASK, MODE
 * @ttmps: ttmp0 to ttmp15
 * @lds: of its workgroup, 0: not here
 */
struct found {
	bool first;
	bool last;
	uint32_t vgprs;
	uint32_t accs;
	uint32_t sgprs;
	uint32_t hwregs;
	uint32_t ttmps;
	uint32_t lds;
};

enum { HWREG_M0, HWREG_PC_LO, HWREG_PC_HI, HWREG_EXEC_LO, HWREG_EXEC_HI, HWREG_STATUS,
       HWREG_TRAPSTS, HWREG_MODE = 9 };

#define BITS(word, low, high)	((word) >> (low) & ((1u << ((high) - (low) + 1)) - 1))

/* the amdgpu provider finds the same waves in the same places */
static bool provider_agrees(const struct found *f, unsigned int nr)
{
	struct walked walked[MAX_WAVES + 1];
	uint64_t moved = USER(AT_SAVE) - AT_SAVE;
	unsigned int i;

	if (provider_walk(USER(AT_SAVE), SAVE_BYTES, guest32(&w, AT_STACK), STACK_BYTES,
			  mqd()->cp_hqd_cntl_stack_offset, mqd()->cp_hqd_wg_state_offset,
			  walked, MAX_WAVES + 1) != nr)
		return false;
	for (i = 0; i < nr; i++)
		if (walked[i].at != f[i].vgprs + moved ||
		    walked[i].accs != f[i].accs + moved ||
		    walked[i].hwregs != f[i].hwregs + moved)
			return false;
	return true;
}

/*
 * As ROCdbgapi's walk, from the end of the area down; 0: what is there makes no sense, or
 * the provider sees something else.
 */
static unsigned int find_waves(struct found *f)
{
	uint32_t at = AT_SAVE + mqd()->cp_hqd_wg_state_offset, state = 0, i;
	const uint32_t *stack = guest32(&w, AT_STACK + mqd()->cp_hqd_cntl_stack_offset);
	uint32_t nr_words = (STACK_BYTES - mqd()->cp_hqd_cntl_stack_offset) / 4;
	unsigned int nr = 0, arch, acc, scalars;

	for (i = 2; i < nr_words && nr < MAX_WAVES; i++) {
		if (BITS(stack[i], 30, 30))
			continue;
		if (BITS(stack[i], 31, 31)) {
			state = stack[i];
			continue;
		}
		arch = (BITS(state, 24, 29) + 1) * 4;
		acc = (BITS(state, 0, 5) + 1) * 8 - arch;
		scalars = (BITS(state, 6, 8) + 1) * 16 - 16;
		f[nr].first = BITS(stack[i], 17, 17);
		f[nr].last = BITS(stack[i], 16, 16);
		at -= 64;
		if (f[nr].first)
			at -= BITS(state, 9, 17) * 512;
		f[nr].lds = f[nr].first ? at : 0;
		f[nr].ttmps = at - 64;
		f[nr].hwregs = f[nr].ttmps - 64;
		f[nr].sgprs = f[nr].hwregs - scalars * 4;
		f[nr].accs = f[nr].sgprs - acc * 256;
		at = f[nr].vgprs = f[nr].accs - arch * 256;
		nr++;
	}
	return at == AT_SAVE + STACK_BYTES && provider_agrees(f, nr) ? nr : 0;
}

static uint32_t hwreg(const struct found *f, unsigned int nr)
{
	return *guest32(&w, f->hwregs + nr * 4);
}

static bool is_in_memory(const struct shown *s, const struct found *f)
{
	return !memcmp(s->vector, w.guest + f->vgprs, ACC_OFFSET * 256) &&
	       !memcmp(s->vector[ACC_OFFSET], w.guest + f->accs,
		       (NR_VGPRS - ACC_OFFSET) * 256) &&
	       !memcmp(s->scalar, w.guest + f->sgprs, sizeof(s->scalar)) &&
	       !memcmp(&s->ttmp[0], w.guest + f->ttmps + 6 * 4, 4) &&
	       hwreg(f, HWREG_M0) == 0x5a5a && hwreg(f, HWREG_EXEC_LO) == 0xf0f &&
	       !hwreg(f, HWREG_EXEC_HI) && hwreg(f, HWREG_MODE) == s->word[WORD_MODE] &&
	       hwreg(f, HWREG_PC_LO) == s->word[WORD_PC_LO] &&
	       hwreg(f, HWREG_PC_HI) == s->word[WORD_PC_LO + 1] &&
	       hwreg(f, HWREG_STATUS) & SQ_WAVE_STATUS__HALT_MASK;
}

static unsigned int count_in_memory(const struct shown *s, unsigned int nr,
				    const struct found *f)
{
	unsigned int i, k, found = 0;

	for (i = 0; i < nr; i++)
		for (k = 0; k < nr; k++)
			found += is_in_memory(&s[i], &f[k]);
	return found;
}

/* ---- a round trip -------------------------------------------------------- */

static struct shown before[MAX_WAVES], after[MAX_WAVES];
static struct found found[MAX_WAVES];

/* the second group of two waves is the one that has the number 1 in s2 */
static bool lds_is_in_memory(void)
{
	unsigned int i, item, bad = 0, nr = 0;

	for (i = 0; i < 4; i++) {
		uint32_t group = *guest32(&w, found[i].sgprs + 2 * 4);

		if (!found[i].first)
			continue;
		nr++;
		for (item = 0; item < 128; item++)
			bad += *guest32(&w, found[i].lds + item * 4) !=
			       (item * 4 ^ (group << 8 | 2));
	}
	return nr == 2 && !bad;
}

static bool output_is_right(void)
{
	unsigned int i, bad = 0;

	for (i = 0; i < 256; i++)
		bad += *guest32(&w, AT_OUT + i * 4) !=
		       ((i % 128 ^ 64) * 4 ^ (i / 128 << 8 | 2));
	return !bad;
}

static void check_round_trip(void)
{
	unsigned int nr;

	set_handlers(NULL, 0);
	BEGIN(fill, 256, 128);
	run_waves();
	nr = show_all(before);
	queue_unmap(&w);
	tap_ok(nr == 4 && !w.gpu->sq.view && gpu_look_again(w.gpu) < 0 &&
	       w.gpu->compute.saved == 4, "waves of a queue that is off are not on the GPU");
	tap_ok(mqd()->cp_hqd_cntl_stack_offset == STACK_BYTES - 8 * 4 &&
	       find_waves(found) == 4 && found[0].first && found[1].last &&
	       found[2].first && found[3].last, "the control stack names them");
	tap_ok(count_in_memory(before, 4, found) == 4, "their registers are in memory");
	tap_ok(lds_is_in_memory(), "and LDS with the first wave of each workgroup");
	queue_map(&w);
	run_waves();
	tap_ok(show_all(after) == 4 && same_waves(before, after, 4),
	       "all of it comes back, elsewhere");
	tap_ok(*signal_value(&w, 0) == 1, "they are still halted");
	set_halt(0);
	run_waves();
	tap_ok(has_ended() && output_is_right(), "go on when a command lets them");
	queue_unmap(&w);
	tap_ok(mqd()->cp_hqd_cntl_stack_offset == STACK_BYTES &&
	       mqd()->cp_hqd_wg_state_offset == STACK_BYTES, "nothing is left of them");
}

/* as ROCdbgapi writes registers, and lets a wave go on elsewhere */
static void check_changes(void)
{
	struct found *f = found;

	set_handlers(NULL, 0);
	BEGIN(fill, 64, 64);
	run_waves();
	queue_unmap(&w);
	find_waves(f);
	*guest32(&w, f->vgprs + 5 * 256 + 3 * 4) = 0xabcd;
	*guest32(&w, f->accs + 256 + 63 * 4) = 0xef01;
	*guest32(&w, f->sgprs + 30 * 4) = 0x3030;
	*guest32(&w, f->sgprs + 106 * 4) = 0x0bcc;
	*guest32(&w, f->hwregs + HWREG_MODE * 4) ^= 1u << 19;
	*guest32(&w, f->hwregs + HWREG_M0 * 4) = 0x77;
	*guest32(&w, f->hwregs + HWREG_PC_LO * 4) += 4;
	*guest32(&w, f->lds + 64 * 4) = 0x1d5;
	queue_map(&w);
	run_waves();
	tap_ok(show_all(after) == 1 && after->vector[5][3] == 0xabcd &&
	       after->vector[ACC_OFFSET + 1][63] == 0xef01 &&
	       after->scalar[30] == 0x3030 && after->scalar[106] == 0x0bcc &&
	       after->word[WORD_MODE] & 1u << 19 && after->word[11] == 0x77 &&
	       after->word[WORD_PC_LO] == hwreg(f, HWREG_PC_LO),
	       "what a debugger wrote is what comes back");
	*guest32(&w, f->vgprs + 5 * 256 + 3 * 4) = 1;
	queue_unmap(&w);
	find_waves(f);
	tap_ok(*guest32(&w, f->vgprs + 5 * 256 + 3 * 4) == 0xabcd,
	       "and is saved once more");
	*guest32(&w, f->hwregs + HWREG_STATUS * 4) &= ~SQ_WAVE_STATUS__HALT_MASK;
	*guest32(&w, f->hwregs + HWREG_PC_LO * 4) -= 4;
	queue_map(&w);
	run_waves();
	tap_ok(has_ended() && *guest32(&w, AT_OUT) == 0x1d5,
	       "a wave whose HALT a debugger clears goes on");
}

/* ---- waves that run, wait, or are in a handler --------------------------- */

static bool all_nines(void)
{
	unsigned int i, bad = 0;

	for (i = 0; i < 128; i++)
		bad += *guest32(&w, AT_OUT + i * 4) != 9;
	return !bad;
}

static void check_barrier(void)
{
	unsigned int i, bad = 0;

	set_handlers(NULL, 0);
	BEGIN(barrier, 128, 128);
	for (i = 0; i < 20; i++) {
		run_for_a_while();
		queue_unmap(&w);
		bad += w.gpu->sq.view || find_waves(found) != 2;
		queue_map(&w);
	}
	tap_ok(!bad && *signal_value(&w, 0) == 1, "a wave at a barrier is saved, too");
	*guest32(&w, AT_GO) = 1;
	run_waves();
	tap_ok(has_ended() && all_nines(), "and waits there when it is back");
	BEGIN(barrier, 128, 128);
	run_for_a_while();
	for (i = 0; i < 20; i++) {
		queue_unmap(&w);
		bad += find_waves(found) != 2;
		queue_map(&w);
		gpu_look_again(w.gpu);
	}
	*guest32(&w, AT_GO) = 1;
	run_waves();
	tap_ok(!bad && has_ended() && all_nines(), "while they are restored, too");
}

static void watch_output(void)
{
	mmio_write(&w, "GC TCP_WATCH1_ADDR_H", HI(USER(AT_OUT)));
	mmio_write(&w, "GC TCP_WATCH1_ADDR_L", LO(USER(AT_OUT)));
	user_process[PROCESS_WATCH1_CNTL] = 0xa0ffffff;
}

/* two hits, each halts the wave; the queue is taken off before, between and after them */
static void check_hits(void)
{
	unsigned int off, i, bad = 0, hits = 0;

	rsrc2 = RSRC2_EXCP_EN_WATCH;
	for (off = 0; off < 40; off++) {
		set_handlers(report, sizeof(report));
		mmio_write(&w, "GC GRBM_GFX_INDEX", 0xe0000000);
		watch_output();
		BEGIN(store_twice, 64, 64);
		for (i = 0; i < 3; i++) {
			if (i == off % 3)
				gpu_look_again(w.gpu);
			queue_unmap(&w);
			bad += w.gpu->sq.view != NULL;
			queue_map(&w);
			run_waves();
			set_halt(0);
		}
		run_waves();
		bad += !has_ended() || *guest32(&w, AT_OUT) != 6;
		hits += ih_drain(&w);
	}
	rsrc2 = 0;
	tap_ok(!bad && hits == 2 * 40, "each hit halts its wave once: %u interrupts", hits);
}

static void begin_last(const uint32_t *second, size_t bytes)
{
	set_handlers(second, bytes);
	mmio_write(&w, "GC GRBM_GFX_INDEX", 0xe0000000);
	watch_output();
	rsrc2 = RSRC2_EXCP_EN_WATCH;
	BEGIN(store_last, 64, 64);
	rsrc2 = 0;
	run_waves();
	set_halt(1);
}

/* before gfx942, a wave that is halted where s_endpgm is next is not saved */
static void check_refused_end(void)
{
	queue_unmap(&w);
	run_for_a_while();
	tap_ok(w.gpu->sq.view && ring_queue(&w)->waiting &&
	       world_log(&w, "halted at s_endpgm") == 1,
	       "a wave that is halted at its end is not saved");
	set_halt(0);
	run_waves();
	queue_map(&w);
	run_waves();
	tap_ok(has_ended(), "but when it goes on");
}

/* returns where it is */
static uint32_t check_saved_end(void)
{
	uint32_t end;

	queue_unmap(&w);
	end = find_waves(found) == 1 ? hwreg(found, HWREG_PC_LO) : 0;
	tap_ok(!w.gpu->sq.view && end && *guest32(&w, end - (uint32_t)USER(0)) == 0xbf810000,
	       "a wave that is halted at its end is saved");
	queue_map(&w);
	run_waves();
	set_halt(0);
	run_waves();
	tap_ok(has_ended(), "and ends, restored");
	return end;
}

/* what the next interrupt says: the code of its handler, ~0 if there is none */
static uint32_t next_code(void)
{
	uint32_t e[8];

	if (!ih_next(&w, e))
		return UINT32_MAX;
	/* KFD_CONTEXT_ID_GET_SQ_INT_DATA(), above the number of the doorbell */
	return ((e[4] & 0xfff) | (e[4] >> 16 & 0xf000) | (e[5] << 16 & 0xff0000)) >> 10;
}

static void check_last_hit(void)
{
	bool saved = world_gpu() == &personality_gfx942;
	uint32_t where = second_handler_park(USER(AT_SECOND));
	size_t bytes;
	const uint32_t *second = second_handler(world_gpu()->arch, &bytes);

	begin_last(report, sizeof(report));
	if (saved)
		where = check_saved_end();
	else
		check_refused_end();
	ih_drain(&w);
	begin_last(second, bytes);
	queue_unmap(&w);
	tap_ok(next_code() == second_handler_code(),
	       "an interrupt of our handler, which no other one sends");
	tap_ok(!w.gpu->sq.view && find_waves(found) == 1 && !ih_drain(&w) &&
	       hwreg(found, HWREG_PC_LO) == where,
	       saved ? "our handler halts it there" : "our handler halts it elsewhere");
	queue_map(&w);
	run_waves();
	tap_ok(show_all(after) == 1 && after->word[WORD_PC_LO] == where,
	       "where it is, restored");
	set_halt(0);
	run_waves();
	tap_ok(has_ended() && *guest32(&w, AT_OUT) == 6, "and ends from there");
}

static void check_busy_handler(void)
{
	set_handlers(busy, sizeof(busy));
	BEGIN(trap, 64, 64);
	run_for_a_while();
	queue_unmap(&w);
	tap_ok(w.gpu->sq.view && user_queue(&w) && ring_queue(&w)->waiting &&
	       world_log(&w, "1 waves are not saved yet") == 1,
	       "a wave in a handler is waited for");
	run_for_a_while();
	tap_ok(w.gpu->sq.view && !gpu_look_again(w.gpu), "and others run");
	*guest32(&w, AT_SECOND_TMA) = 1;
	run_waves();
	tap_ok(!w.gpu->sq.view && !user_queue(&w) && find_waves(found) == 1 &&
	       hwreg(found, HWREG_PC_LO) == LO(USER(AT_CODE)) + 4,
	       "it is saved when it comes out of that");
	queue_map(&w);
	run_waves();
	tap_ok(has_ended(), "and goes on");
}

/*
 * The first level halts the wave. The handler stores by scalar instructions then, and
 * the first four of the accumulation registers only: s_set_gpr_idx_on is for
 * v_readlane, too.
 */
static void check_fault(void)
{
	set_handlers(NULL, 0);
	small = true;
	BEGIN(wild_store, 64, 64);
	run_waves();
	show_all(before);
	queue_unmap(&w);
	queue_map(&w);
	run_waves();
	tap_ok(show_all(after) == 1 && same_waves(before, after, 1) &&
	       after->vector[5][0] == 0x1234 && after->vector[7][63] == 0x5678 &&
	       after->word[WORD_STATUS] & SQ_WAVE_STATUS__HALT_MASK,
	       "a wave with a memory violation");
	small = false;
}

/* ---- more waves than units ----------------------------------------------- */

static void check_few_units(void)
{
	unsigned int units = w.gpu->compute.nr_units, i, bad = 0;

	set_handlers(NULL, 0);
	BEGIN(barrier, 128 * 6, 128);
	run_for_a_while();
	queue_unmap(&w);
	bad += find_waves(found) != 12;
	w.gpu->compute.nr_units = 2;
	for (i = 0; i < 10; i++) {
		queue_map(&w);
		run_for_a_while();
		bad += !w.gpu->sq.view;
		queue_unmap(&w);
		bad += find_waves(found) != 12;
	}
	tap_ok(!bad, "what is not restored yet stays in memory");
	queue_map(&w);
	*guest32(&w, AT_GO) = 1;
	run_waves();
	tap_ok(has_ended() && all_nines(), "all of it is in the end");
	w.gpu->compute.nr_units = units;
	small = true;
	few = FEW_ORDINARY;
	BEGIN(barrier, 128 * 200, 128);
	for (i = 0; i < 5; i++) {
		run_for_a_while();
		queue_unmap(&w);
		queue_map(&w);
	}
	*guest32(&w, AT_GO) = 1;
	run_waves();
	tap_ok(has_ended() && all_nines() && w.gpu->compute.waves >= 400,
	       "a grid that is not launched yet goes on");
	few = FEW_VGPRS;
	small = false;
}

/* ---- what cannot be ------------------------------------------------------ */

static void check_refusals(void)
{
	uint64_t restored;

	set_handlers(NULL, 0);
	begin(barrier, sizeof(barrier), 128, 128, STACK_BYTES + 0x2000);
	run_for_a_while();
	queue_unmap(&w);
	queue_map(&w);
	run_waves();
	tap_ok(!w.gpu->sq.view && user_queue(&w)->stopped &&
	       world_log(&w, "is too small") == 1, "an area that is too small");
	BEGIN(barrier, 128, 128);
	run_for_a_while();
	queue_unmap(&w);
	*guest32(&w, AT_STACK + mqd()->cp_hqd_cntl_stack_offset + 8) = 1u << 16;
	queue_map(&w);
	run_waves();
	tap_ok(!w.gpu->sq.view && user_queue(&w)->stopped &&
	       world_log(&w, "control stack is not that of its waves") == 1,
	       "a control stack that does not name them stops the queue");
	BEGIN(barrier, 128, 128);
	run_for_a_while();
	queue_unmap(&w);
	mqd()->cp_hqd_cntl_stack_offset = mqd()->cp_hqd_wg_state_offset = STACK_BYTES;
	restored = w.gpu->compute.restored;
	queue_map(&w);
	run_for_a_while();
	tap_ok(w.gpu->sq.view && w.gpu->compute.restored == restored,
	       "without its control stack a kernel begins again");
}

int main(void)
{
	alarm(60);
	tap_plan(8 + 3 + 3 + 1 + 6 + 4 + 1 + 3 + 3);
	world_create(&w, true);
	check_round_trip();
	check_changes();
	check_barrier();
	check_hits();
	check_last_hit();
	check_busy_handler();
	check_fault();
	check_few_units();
	check_refusals();
	world_destroy(&w);
	return tap_status();
}
