// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels that user queues dispatch: what they do to memory, how they end, faults,
 * traps, comparators, and queues that are taken off while they run. What
 * instructions do is tested where the interpreter is (tests/host/wave).
 */
#include <string.h>
#include <unistd.h>

#include "gc/gc_9_4_2_offset.h"
#include "gc/gc_9_4_2_sh_mask.h"
#include "soc15_int.h"
#include "sq_words.h"

#include "field.h"
#include "tap.h"
#include "user_queue.h"

#define le32_to_cpu(value)	(value)

/* places in the guest's memory */
#define AT_DESCRIPTOR	0x30000u
#define AT_CODE		0x30100u
#define AT_HANDLER	0x31000u
#define AT_KERNARG	0x32000u
#define AT_OUT		0x34000u

#define DESC_KERNARG_PTR	(1u << 3)
#define RSRC2_USER_SGPRS(nr)	((nr) << 1)
#define RSRC2_WORKGROUP_X	(1u << 7)
#define RSRC2_EXCP_EN_WATCH	(1u << 13)

/* dwords of MAP_PROCESS */
enum { PROCESS_TBA_LO = 6, PROCESS_TBA_HI = 7 };

static struct world w;

/* out[x] = x of the work-item; the workgroup is in s2 */
static const uint32_t store_ids[] = {
	0xc0060000, 0x00000000,	/* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
	0xd1fd0000, 0x04010c02,	/* v_lshl_add_u32 v0, s2, 6, v0 */
	0x24020082,		/* v_lshlrev_b32 v1, 2, v0 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xdc708000, 0x00000001,	/* global_store_dword v1, v0, s[0:1] */
	0xbf810000,		/* s_endpgm */
};

/* out[0] += 20, in twenty steps */
static const uint32_t count[] = {
	0xc0060000, 0x00000000,	/* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
	0x7e020280,		/* v_mov_b32 v1, 0 */
	0x7e040281,		/* v_mov_b32 v2, 1 */
	0xbe830094,		/* s_mov_b32 s3, 20 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xdd088000, 0x00000201,	/* global_atomic_add v1, v2, s[0:1] */
	0x80838103,		/* s_sub_u32 s3, s3, 1 */
	0xbf078003,		/* s_cmp_lg_u32 s3, 0 */
	0xbf85fffb,		/* s_cbranch_scc1 to the atomic */
	0xbf810000,		/* s_endpgm */
};

#define COUNT_INSTS	(5 + 20 * 4 + 1)	/* of a wave */

/* out[0] = 7 when out[16] is not 0 */
static const uint32_t wait_word[] = {
	0xc0060000, 0x00000000,	/* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
	0x7e020280,		/* v_mov_b32 v1, 0 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xdc518040, 0x00000001,	/* global_load_dword v0, v1, s[0:1] offset:64 glc */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0x7d940080,		/* v_cmp_eq_u32 vcc, 0, v0 */
	0xbf87fffb,		/* s_cbranch_vccnz to the load */
	0x7e000287,		/* v_mov_b32 v0, 7 */
	0xdc708000, 0x00000001,	/* global_store_dword v1, v0, s[0:1] */
	0xbf810000,		/* s_endpgm */
};

/* a barrier for four waves, of any workgroups */
static const uint32_t gws_init[] = {
	0xbefc0080,		/* s_mov_b32 m0, 0 */
	0x7e040283,		/* v_mov_b32 v2, 3 */
	0xd9330000, 0x00000002,	/* ds_gws_init v2 gds */
	0xbf810000,		/* s_endpgm */
};

/* out[0] = 1, the barrier, out[16 + workgroup] = out[0] */
static const uint32_t gws_barrier[] = {
	0xc0060000, 0x00000000,	/* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
	0xbefc0080,		/* s_mov_b32 m0, 0 */
	0x7e020280,		/* v_mov_b32 v1, 0 */
	0x7e040283,		/* v_mov_b32 v2, 3 */
	0x7e060281,		/* v_mov_b32 v3, 1 */
	0xbefe0181,		/* s_mov_b64 exec, 1 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xdc708000, 0x00000301,	/* global_store_dword v1, v3, s[0:1] */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0xd93b0000, 0x00000002,	/* ds_gws_barrier v2 gds */
	0x8e038202,		/* s_lshl_b32 s3, s2, 2 */
	0xdc518000, 0x00000001,	/* global_load_dword v0, v1, s[0:1] glc */
	0x7e020203,		/* v_mov_b32 v1, s3 */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0xdc708040, 0x00000001,	/* global_store_dword v1, v0, s[0:1] offset:64 */
	0xbf810000,		/* s_endpgm */
};

static const uint32_t wild_store[] = {
	0x7e000280,		/* v_mov_b32 v0, 0 */
	0x7e020290,		/* v_mov_b32 v1, 16 */
	0x7e040281,		/* v_mov_b32 v2, 1 */
	0xdc708000, 0x007f0200,	/* global_store_dword v[0:1], v2, off */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0xbf800000, 0xbf800000,	/* s_nop 0 */
	0xbf810000,		/* s_endpgm */
};

static const uint32_t trap[] = {
	0xbe8400ff, 0x00001234,	/* s_mov_b32 s4, 0x1234 */
	0xbf920003,		/* s_trap 3 */
	0xbf810000,		/* s_endpgm */
};

/* send 0x2108, halt, go on behind s_trap */
static const uint32_t trap_handler[] = {
	0xbefc00ff, 0x00002108,	/* s_mov_b32 m0, 0x2108 */
	0xbf900001,		/* s_sendmsg sendmsg(MSG_INTERRUPT) */
	0x866dff6d, 0x0000ffff,	/* s_and_b32 ttmp1, ttmp1, 0xffff */
	0xbf8d0001,		/* s_sethalt 1 */
	0x806c846c,		/* s_add_u32 ttmp0, ttmp0, 4 */
	0x826d806d,		/* s_addc_u32 ttmp1, ttmp1, 0 */
	0xbe801f6c,		/* s_rfe_b64 ttmp[0:1] */
};

/* the same for what is behind the instruction already */
static const uint32_t watch_handler[] = {
	0xbefc00ff, 0x00002108,	/* s_mov_b32 m0, 0x2108 */
	0xbf900001,		/* s_sendmsg sendmsg(MSG_INTERRUPT) */
	0x866dff6d, 0x0000ffff,	/* s_and_b32 ttmp1, ttmp1, 0xffff */
	0xbf8d0001,		/* s_sethalt 1 */
	0xbe801f6c,		/* s_rfe_b64 ttmp[0:1] */
};

/* out[0] = f(), wait for out[256], out[1] = f() */
static const uint32_t call_twice[] = {
	0xc0060000, 0x00000000,	/* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
	0x7e020280,		/* v_mov_b32 v1, 0 */
	0xbe841c00,		/* s_getpc_b64 s[4:5] */
	0x8004ff04, 0x00000050,	/* s_add_u32 s4, s4, 0x50 */
	0x82058005,		/* s_addc_u32 s5, s5, 0 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xbe861e04,		/* s_swappc_b64 s[6:7], s[4:5] */
	0xdc708000, 0x00000301,	/* global_store_dword v1, v3, s[0:1] */
	0xdc518400, 0x02000001,	/* w: global_load_dword v2, v1, s[0:1] offset:1024 glc */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0x7d940480,		/* v_cmp_eq_u32 vcc, 0, v2 */
	0xbf87fffb,		/* s_cbranch_vccnz w */
	0xbf800000,		/* s_nop 0, or s_icache_inv */
	0xbe861e04,		/* s_swappc_b64 s[6:7], s[4:5] */
	0xdc708004, 0x00000301,	/* global_store_dword v1, v3, s[0:1] offset:4 */
	0xbf810000,		/* s_endpgm */
	0xbf800000, 0xbf800000, 0xbf800000, /* s_nop 0 */
	0x7e060285,		/* f: v_mov_b32 v3, 5 */
	0xbe801d06,		/* s_setpc_b64 s[6:7] */
};
#define CALL_TWICE_INV	16	/* dwords */
#define CALL_TWICE_F	24
#define S_ICACHE_INV	0xbf930000
#define V_MOV_V3(value)	(0x7e060280 + (value))

/* ---- dispatches ---------------------------------------------------------- */

static struct compute_packet *kernel_at(unsigned int nr)
{
	return (struct compute_packet *)(w.guest + packet_at(nr));
}

static uint32_t *descriptor(unsigned int byte)
{
	return guest32(&w, AT_DESCRIPTOR + byte);
}

/* a kernel of @words with @size work-items in groups of 64, as packet @nr */
static void put_kernel(unsigned int nr, const uint32_t *words, size_t bytes,
		       uint32_t size)
{
	struct compute_packet *p;

	memset(w.guest + AT_DESCRIPTOR, 0, 64);
	*descriptor(16) = AT_CODE - AT_DESCRIPTOR;
	*descriptor(52) = RSRC2_USER_SGPRS(2) | RSRC2_WORKGROUP_X;
	*descriptor(56) = DESC_KERNARG_PTR;
	memcpy(w.guest + AT_CODE, words, bytes);
	*guest64(&w, AT_KERNARG) = USER(AT_OUT);
	packet_put(&w, nr, TYPE_DISPATCH, signal_at(nr));
	*signal_value(&w, nr) = 1;
	p = kernel_at(nr);
	p->setup = 1;
	p->workgroup[0] = 64;
	p->workgroup[1] = p->workgroup[2] = 1;
	p->grid[0] = size;
	p->grid[1] = p->grid[2] = 1;
	p->object = USER(AT_DESCRIPTOR);
	p->kernarg = USER(AT_KERNARG);
}

#define PUT_KERNEL(nr, words, size)	put_kernel(nr, words, sizeof(words), size)

/* until nothing can run */
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

static void begin(void)
{
	memset(user_process, 0, sizeof(user_process));
	memset(w.guest + AT_OUT, 0, 0x8000);
	queue_begin(&w, 0);
}

static void set_handler(const uint32_t *words, size_t bytes)
{
	memset(user_process, 0, sizeof(user_process));
	memset(w.guest + AT_OUT, 0, 0x8000);
	memcpy(w.guest + AT_HANDLER, words, bytes);
	user_process[PROCESS_TBA_LO] = LO(USER(AT_HANDLER) >> 8);
	user_process[PROCESS_TBA_HI] = USER(AT_HANDLER) >> 40;
	queue_begin(&w, 0);
}

/* ---- what kernels do ----------------------------------------------------- */

static bool ids_are_stored(uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr && *guest32(&w, AT_OUT + i * 4) == i; i++)
		;
	return i == nr && !*guest32(&w, AT_OUT + nr * 4);
}

static void check_results(void)
{
	static const uint32_t sizes[] = { 1, 63, 64, 65, 1000, 8000 };
	unsigned int i, bad = 0;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		begin();
		PUT_KERNEL(0, store_ids, sizes[i]);
		packet_put(&w, 1, TYPE_AND, signal_at(1));
		queue_kick(&w, 2);
		bad += *signal_value(&w, 1) || *signal_value(&w, 0) != 1;
		run_waves();
		bad += !ids_are_stored(sizes[i]) || *signal_value(&w, 0) ||
		       *signal_value(&w, 1) != -1 || !queue_is_idle(&w, 2);
	}
	tap_ok(!bad, "grids of each size, and what is behind them waits");
	tap_ok(w.gpu->compute.waves == 1 + 1 + 1 + 2 + 16 + 125 && !w.gpu->sq.view,
	       "a wave for 64 work-items, and none is left");
	begin();
	for (i = 0; i < 20; i++)
		PUT_KERNEL(i, store_ids, 256);
	queue_kick(&w, 20);
	run_waves();
	for (i = 0; i < 20; i++)
		bad += *signal_value(&w, i) != 0;
	tap_ok(!bad && queue_is_idle(&w, 20), "one after the other");
}

/* ---- what cannot be dispatched ------------------------------------------- */

static bool refused(const char *why)
{
	unsigned int before = world_log(&w, why);

	queue_kick(&w, 1);
	run_waves();
	return user_queue(&w)->stopped && *signal_value(&w, 0) == 1 &&
	       world_log(&w, why) == before + 1;
}

static void check_refusals(void)
{
	unsigned int bad = 0;

	begin();
	PUT_KERNEL(0, store_ids, 64);
	kernel_at(0)->object = GUEST_USER - 64;
	bad += !refused("AQL kernel");
	begin();
	PUT_KERNEL(0, store_ids, 0);
	bad += !refused("no, or too many, work-items");
	begin();
	PUT_KERNEL(0, store_ids, 64);
	kernel_at(0)->workgroup[1] = 17;
	bad += !refused("no, or too many, work-items");
	begin();
	PUT_KERNEL(0, store_ids, 64);
	*descriptor(56) |= 1u << 15;
	bad += !refused("descriptor that this GPU cannot execute");
	begin();
	PUT_KERNEL(0, store_ids, 64);
	kernel_at(0)->group_size = 65537;
	bad += !refused("too much LDS");
	begin();
	PUT_KERNEL(0, store_ids, 64);
	kernel_at(0)->private_size = 4;
	bad += !refused("too little private memory");	/* and no signal */
	tap_ok(!bad, "what cannot be dispatched stops the queue");
}

/* what of ROCr's amd_queue_t is behind the read index */
#define AT_SCRATCH		(AT_READ + 32)
#define AT_SCRATCH_SIZE		(AT_READ + 40)
#define AT_SCRATCH_LANE_SIZE	(AT_READ + 48)
#define AT_INACTIVE		(AT_READ + 64)

static void check_scratch(void)
{
	unsigned int bad;

	begin();
	PUT_KERNEL(0, store_ids, 256);
	kernel_at(0)->private_size = 32;
	*guest64(&w, AT_INACTIVE) = signal_at(7);
	queue_kick(&w, 1);
	run_waves();
	bad = *signal_value(&w, 7) != 1 || *signal_value(&w, 0) != 1;
	tap_ok(!bad && gpu_look_again(w.gpu) > 0, "a kernel waits for private memory");
	*guest64(&w, AT_SCRATCH) = USER(AT_OUT) + 0x4000;
	*guest64(&w, AT_SCRATCH_SIZE) = 2 * 2048;
	*guest32(&w, AT_SCRATCH_LANE_SIZE) = 32;
	*signal_value(&w, 7) = 0;
	run_for_a_while();
	run_waves();
	tap_ok(!*signal_value(&w, 0) && ids_are_stored(256) && queue_is_idle(&w, 1),
	       "and runs when the queue has some, two waves at a time");
}

/* each workgroup is executed once, by one of the threads */
static void check_counts(void)
{
	uint64_t before = w.gpu->compute.insts;

	begin();
	PUT_KERNEL(0, count, 64 * 500);
	queue_kick(&w, 1);
	run_waves();
	tap_ok(*guest32(&w, AT_OUT) == 64 * 500 * 20 && queue_is_idle(&w, 1),
	       "many workgroups count in one place: %u", *guest32(&w, AT_OUT));
	tap_ok(w.gpu->compute.insts - before == 500 * COUNT_INSTS,
	       "and execute %u instructions each", COUNT_INSTS);
}

/* ---- faults and traps ---------------------------------------------------- */

/* so many workgroups of a wave: what they store behind the barrier, or 0 */
static bool have_met(unsigned int groups, uint32_t seen)
{
	unsigned int i, bad = 0;

	begin();
	PUT_KERNEL(0, gws_barrier, 64 * groups);
	queue_kick(&w, 1);
	run_for_a_while();
	for (i = 0; i < groups; i++)
		bad += *guest32(&w, AT_OUT + 64 + 4 * i) != seen;
	return !bad;
}

static void check_gws(void)
{
	bool closed;

	begin();
	PUT_KERNEL(0, gws_barrier, 64);
	queue_kick(&w, 1);
	run_waves();
	tap_ok(user_queue(&w)->stopped, "a barrier that no process made");
	begin();
	PUT_KERNEL(0, gws_init, 64);
	queue_kick(&w, 1);
	run_waves();
	closed = queue_is_idle(&w, 1) && have_met(4, 1) && queue_is_idle(&w, 1) &&
		 have_met(4, 1);
	tap_ok(closed && queue_is_idle(&w, 1), "four workgroups wait for each other, twice");
	tap_ok(have_met(3, 0) && !queue_is_idle(&w, 1), "three wait for the fourth");
	queue_unmap(&w);
	compute_reset(&w.gpu->compute);
}

static void check_faults(void)
{
	unsigned int before = world_log(&w, "no trap handler");
	uint32_t entry[8];

	begin();
	PUT_KERNEL(0, wild_store, 64);
	queue_kick(&w, 1);
	run_waves();
	tap_ok(ih_next(&w, entry) &&
	       SOC15_CLIENT_ID_FROM_IH_ENTRY(entry) == SOC15_IH_CLIENTID_UTCL2 &&
	       SOC15_VMID_FROM_IH_ENTRY(entry) == USER_VMID &&
	       SOC15_PASID_FROM_IH_ENTRY(entry) == USER_PASID &&
	       entry[4] == 0x1000000 && !(entry[5] & 0xf) && !ih_next(&w, entry),
	       "64 lanes store where nothing is: one interrupt");
	tap_ok(user_queue(&w)->stopped && *signal_value(&w, 0) == 1 && !w.gpu->sq.view &&
	       world_log(&w, "no trap handler") == before + 1,
	       "without a trap handler the queue stops");
	begin();
	PUT_KERNEL(0, trap, 64);
	queue_kick(&w, 1);
	run_waves();
	tap_ok(user_queue(&w)->stopped && world_log(&w, "trap 3") == 1,
	       "and at s_trap");
}

static uint32_t wave_word(unsigned int index)
{
	mmio_write(&w, "GC GRBM_GFX_INDEX", 0);
	mmio_write(&w, "GC SQ_IND_INDEX", FIELD_PUT(SQ_IND_INDEX, INDEX, index));
	return mmio_read(&w, "GC SQ_IND_DATA");
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

static bool wave_interrupts(void)
{
	uint32_t entry[8];

	return ih_next(&w, entry) &&
	       SOC15_SOURCE_ID_FROM_IH_ENTRY(entry) == SOC15_INTSRC_SQ_INTERRUPT_MSG &&
	       SOC15_CLIENT_ID_FROM_IH_ENTRY(entry) == SOC15_IH_CLIENTID_SE0SH &&
	       SOC15_PASID_FROM_IH_ENTRY(entry) == USER_PASID &&
	       KFD_CONTEXT_ID_GET_SQ_INT_DATA(entry[4], entry[5]) == 0x2108 &&
	       !ih_next(&w, entry);
}

static void check_traps(void)
{
	uint64_t resumed = w.gpu->sq.resumed;

	set_handler(trap_handler, sizeof(trap_handler));
	PUT_KERNEL(0, trap, 64);
	queue_kick(&w, 1);
	run_waves();
	tap_ok(wave_interrupts() && *signal_value(&w, 0) == 1,
	       "a trap handler interrupts, its wave is halted");
	tap_ok(wave_word(ixSQ_WAVE_PC_LO) == LO(USER(AT_CODE)) + 12 &&
	       wave_word(ixSQ_WAVE_PC_HI) == HI(USER(AT_CODE)) &&
	       wave_word(0x200 + 4) == 0x1234 &&
	       wave_word(ixSQ_WAVE_STATUS) & SQ_WAVE_STATUS__HALT_MASK &&
	       wave_word(ixSQ_WAVE_HW_ID) >> 20 == USER_VMID &&
	       wave_word(ixSQ_WAVE_INST_DW0) == 0xbf810000,
	       "its registers can be read");
	set_halt(1);
	run_waves();
	tap_ok(*signal_value(&w, 0) == 1 && w.gpu->sq.resumed == resumed,
	       "halted twice is halted");
	set_halt(0);
	run_waves();
	tap_ok(!*signal_value(&w, 0) && w.gpu->sq.resumed == resumed + 1 &&
	       !w.gpu->sq.view && queue_is_idle(&w, 1), "a command lets it go on");
}

/* as many as the ring of interrupts has room for, on a unit each */
static void check_many_traps(void)
{
	unsigned int nr = 30, found;

	set_handler(trap_handler, sizeof(trap_handler));
	PUT_KERNEL(0, trap, 64 * nr);
	queue_kick(&w, 1);
	run_waves();
	found = ih_drain(&w);
	tap_ok(found == nr && *signal_value(&w, 0) == 1, "an interrupt of each wave: %u", found);
	queue_unmap(&w);
	compute_reset(&w.gpu->compute);
}

static void set_comparator(unsigned int nr, uint64_t address)
{
	char name[40];

	snprintf(name, sizeof(name), "GC TCP_WATCH%u_ADDR_H", nr);
	mmio_write(&w, name, address >> 32);
	snprintf(name, sizeof(name), "GC TCP_WATCH%u_ADDR_L", nr);
	mmio_write(&w, name, address);
	reg_set_of_vmid(w.gpu->regs, R_GC_TCP_WATCH0_CNTL + 3 * nr, USER_VMID,
			0xa0ffffff);
}

/* one of 256 stores is to the 64 bytes, by 16 lanes of the third wave */
static void check_watch(void)
{
	set_handler(watch_handler, sizeof(watch_handler));
	mmio_write(&w, "GC GRBM_GFX_INDEX", 0xe0000000);
	set_comparator(2, USER(AT_OUT) + 2 * 256);
	PUT_KERNEL(0, store_ids, 256);
	*descriptor(52) |= RSRC2_EXCP_EN_WATCH;
	queue_kick(&w, 1);
	run_waves();
	tap_ok(w.gpu->compute.matches == 1 && *signal_value(&w, 0) == 1,
	       "a store matches a comparator");
	tap_ok(wave_interrupts(), "its wave traps, the others do not");
	set_halt(0);
	run_waves();
	tap_ok(!*signal_value(&w, 0) && ids_are_stored(256), "and goes on");
}

/* ---- queues come and go -------------------------------------------------- */

static void check_mapped(void)
{
	struct sq_place place = { 0 };
	unsigned int bad;

	begin();
	PUT_KERNEL(0, wait_word, 64);
	queue_kick(&w, 1);
	run_for_a_while();
	bad = *signal_value(&w, 0) != 1 || sq_place_is_free(&w.gpu->sq, &place);
	queue_unmap(&w);
	bad += !sq_place_is_free(&w.gpu->sq, &place) || gpu_look_again(w.gpu) >= 0;
	*guest32(&w, AT_OUT + 64) = 1;
	run_for_a_while();
	tap_ok(!bad && !*guest32(&w, AT_OUT), "waves of a queue that is off do not run");
	queue_map(&w);
	run_waves();
	tap_ok(*guest32(&w, AT_OUT) == 7 && !*signal_value(&w, 0) && queue_is_idle(&w, 1),
	       "and go on when it is back");
	begin();
	PUT_KERNEL(0, wait_word, 64);
	queue_kick(&w, 1);
	run_for_a_while();
	queue_begin(&w, 5);
	PUT_KERNEL(5, store_ids, 64);
	queue_kick(&w, 6);
	run_waves();
	tap_ok(ids_are_stored(64) && !*signal_value(&w, 5),
	       "another queue at its place has none of them");
	begin();
	PUT_KERNEL(0, wait_word, 64);
	queue_kick(&w, 1);
	run_for_a_while();
	bad = !w.gpu->sq.view;
	w.gpu->device.ops->reset(w.gpu);
	tap_ok(!bad && !w.gpu->sq.view && gpu_look_again(w.gpu) < 0,
	       "waves that never end are gone after a reset");
}

static void check_stall(void)
{
	begin();
	PUT_KERNEL(0, store_ids, 64);
	reg_set_of_vmid(w.gpu->regs, R_GC_SPI_GDBG_PER_VMID_CNTL, USER_VMID,
			FIELD_PUT(SPI_GDBG_PER_VMID_CNTL, STALL_VMID, 1));
	queue_kick(&w, 1);
	run_for_a_while();
	tap_ok(gpu_look_again(w.gpu) < 0 && *signal_value(&w, 0) == 1,
	       "a VMID that is stalled launches no waves");
	reg_set_of_vmid(w.gpu->regs, R_GC_SPI_GDBG_PER_VMID_CNTL, USER_VMID, 0);
	run_waves();
	tap_ok(!*signal_value(&w, 0), "until it is not, any more");
}

/* ---- code that is written ------------------------------------------------ */

static uint32_t *call_twice_word(unsigned int nr)
{
	return guest32(&w, AT_CODE + nr * 4);
}

/* packet @nr: f returns @value, and after the first call @next is written there */
static void run_call_twice(unsigned int nr, uint32_t inv, uint32_t header,
			   uint32_t value, uint32_t next)
{
	PUT_KERNEL(nr, call_twice, 64);
	*guest32(&w, packet_at(nr)) = TYPE_DISPATCH | header;
	*call_twice_word(CALL_TWICE_INV) = inv;
	*call_twice_word(CALL_TWICE_F) = V_MOV_V3(value);
	*guest32(&w, AT_OUT + 1024) = 0;
	queue_kick(&w, nr + 1);
	run_for_a_while();
	*call_twice_word(CALL_TWICE_F) = V_MOV_V3(next);
	*guest32(&w, AT_OUT + 1024) = 1;
	run_waves();
}

static bool has_returned(unsigned int nr, uint32_t first, uint32_t second)
{
	return !*signal_value(&w, nr) && *guest32(&w, AT_OUT) == first &&
	       *guest32(&w, AT_OUT + 4) == second;
}

static void check_icache(void)
{
	const uint32_t none = 0x100, agent = 0x300, nop = 0xbf800000;

	begin();
	run_call_twice(0, nop, agent, 5, 6);
	tap_ok(has_returned(0, 5, 5), "code that is written is not executed at once");
	run_call_twice(1, nop, none, 7, 7);
	tap_ok(has_returned(1, 5, 5), "nor by a dispatch that acquires nothing");
	run_call_twice(2, nop, agent, 8, 8);
	tap_ok(has_returned(2, 8, 8), "but by one that does");
	begin();
	run_call_twice(0, S_ICACHE_INV, none, 9, 10);
	tap_ok(has_returned(0, 9, 10), "of a queue that was mapped, and behind s_icache_inv");
}

int main(void)
{
	unsigned int fds = fds_open();

	alarm(60);
	tap_plan(3 + 1 + 2 + 3 + 2 + 3 + 4 + 1 + 3 + 2 + 4 + 4 + 1);
	world_create(&w, true);
	check_results();
	check_refusals();
	check_scratch();
	check_gws();
	check_counts();
	check_faults();
	check_traps();
	check_many_traps();
	check_watch();
	check_stall();
	check_icache();
	check_mapped();
	world_destroy(&w);
	tap_ok(fds_open() == fds, "no descriptor is left");
	return tap_status();
}
