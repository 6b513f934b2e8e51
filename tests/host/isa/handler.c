// SPDX-License-Identifier: GPL-2.0
/*
 * The trap handler's code, run by the software GPU's interpreter: what it
 * stores and reports, and that the interrupted wave's state is unchanged.
 */
#include <string.h>
#include <linux/errno.h>
#include <linux/gpubp_isa.h>
#include <uapi/linux/gpubp.h>
#include "../kept_record.h"
#include "../tap.h"
#include "regs.h"
#include "trap.h"
#include "../../../kernel/gpubp/providers/sim/wave/wave.h"

#define CODE	0x100000000ULL
#define TBA	0x7ffff0000000ULL
#define TMA	0x7ffff0010000ULL
#define M0	124
#define TTMP(n)	(108 + (n))

/* HW_ID: CU 2, SIMD 3, WAVE 5; the other fields are arbitrary */
#define HW_ID	0xeeef0235U
#define RECORD	(2 * 64 + 3 * 16 + 5)

static u32 code[16];
#define HEADER	0xa80	/* of the handler's memory */

static u8 tma[HEADER + 64 * 1024];
static u32 vgprs[SIM_NR_VGPRS][SIM_LANES];
static struct sim_wave w;

/**
 * struct processor - one that has a handler of its own
 * @arch: it
 * @plain: with silicon's handler
 * @sixteen: with the one for sixteen comparators
 */
static const struct processor {
	enum gfx9_arch arch;
	const struct gpubp_isa *plain, *sixteen;
} processors[] = {
	{ GFX9_GFX90A, &gpubp_isa_gfx90a, &gpubp_isa_gfx90a_16 },
	{ GFX9_GFX942, &gpubp_isa_gfx942, &gpubp_isa_gfx942_16 },
};

/* under test */
static const struct processor *cpu = &processors[0];
static const struct gpubp_isa *isa = &gpubp_isa_gfx90a;

/* interrupts of the handler, and events injected during one */
static unsigned int nr_interrupts;
static u32 payload;
static u32 slots;
static u32 late_trapsts;
static bool resume_at_once;

static void *at(u64 va, unsigned int len)
{
	if (va >= CODE && va + len <= CODE + sizeof(code))
		return (u8 *)code + (va - CODE);
	if (va >= TBA && va + len <= TBA + 4 * isa->handler->nr_words)
		return (u8 *)isa->handler->image + (va - TBA);
	if (va >= TMA && va + len <= TMA + sizeof(tma))
		return tma + (va - TMA);
	return NULL;
}

bool sim_env_may_wait(struct sim_wave *wave)
{
	return false;
}

int sim_env_need(struct sim_wave *wave, u64 va, u64 len, bool write)
{
	return 0;
}

int sim_env_fetch(struct sim_wave *wave, u64 pc, u32 *words, unsigned int max,
		  unsigned int *nr)
{
	for (*nr = 0; *nr < max && at(pc, 4); pc += 4)
		memcpy(&words[(*nr)++], at(pc, 4), 4);
	return *nr ? 0 : -EFAULT;
}

int sim_env_read(struct sim_wave *wave, u64 va, void *buf, unsigned int len)
{
	if (!at(va, len))
		return -EFAULT;
	memcpy(buf, at(va, len), len);
	return 0;
}

int sim_env_write(struct sim_wave *wave, u64 va, const void *buf,
		  unsigned int len)
{
	if (va < TMA || !at(va, len))
		return -EFAULT;
	memcpy(at(va, len), buf, len);
	/* an access in flight hits while the handler stores its record */
	if (wave->status & STATUS_PRIV)
		wave->trapsts |= late_trapsts;
	return 0;
}

int sim_env_rmw(struct sim_wave *wave, u64 va, unsigned int len,
		u64 (*fn)(u64 old, const void *data), const void *data,
		u64 *old)
{
	u32 val;

	if (len != sizeof(val) || va < TMA || !at(va, len))
		return -EFAULT;
	memcpy(&val, at(va, len), len);
	*old = val;
	val = fn(val, data);
	memcpy(at(va, len), &val, len);
	return 0;
}

u32 sim_env_watch(struct sim_wave *wave, enum sim_access kind,
		  unsigned int width, u64 lanes, const u64 *addrs)
{
	return slots;
}

/* of the next single step; those after it are done */
static enum sim_step next_step;

enum sim_step sim_env_step(struct sim_wave *wave)
{
	enum sim_step step = next_step;

	next_step = SIM_STEP_DONE;
	return step;
}

struct sim_decoded *sim_env_decoded(struct sim_wave *wave)
{
	static struct sim_decoded decoded[SIM_NR_DECODED];

	return decoded;
}

void sim_env_icache_inv(struct sim_wave *wave)
{
}

int sim_env_gws(struct sim_wave *wave, bool init, unsigned int resource, u32 value)
{
	return -EILSEQ;
}

void sim_env_sendmsg(struct sim_wave *wave, u32 msg)
{
	if (msg == MSG_GET_DOORBELL)
		wave->s[126] = 0x12a;
	if (msg != MSG_INTERRUPT)
		return;
	nr_interrupts++;
	payload = wave->s[M0];
	if (resume_at_once)
		wave->status &= ~STATUS_HALT;
}

u64 sim_env_time(struct sim_wave *wave, bool realtime)
{
	return 0;
}

void *sim_env_lds(struct sim_wave *wave, unsigned int *size)
{
	*size = 0;
	return NULL;
}

static const u32 *record(void)
{
	return (const u32 *)(tma + HEADER + 64 * RECORD);
}

/* of the halted wave, which has it in registers, too */
static int stop_record(struct gpubp_trap_record *out)
{
	int err = isa->record_parse(record(), out);

	return err ?: kept_record(&w, isa, RECORD, out) ? 0 : -EBADE;
}

/* a wave about to execute @w0, @w1, s_nop and then s_endpgm */
static void wave_start(u32 w0, u32 w1)
{
	unsigned int n;

	memset(&w, 0, sizeof(w));
	memset(tma, 0, sizeof(tma));
	code[0] = w0;
	code[1] = w1;
	code[2] = 0xbf800000;	/* s_nop 0 */
	code[3] = 0xbf810000;
	for (n = 0; n < 128; n++)
		w.s[n] = 0x1000 + n;
	w.v = vgprs;
	w.nr_vgprs = 32;
	w.acc_offset = 32;
	w.pc = CODE;
	w.status = STATUS_TRAP_EN | STATUS_VALID | STATUS_SCC;
	w.mode = MODE_EXCP_EN_WATCH;
	w.hw_id = HW_ID;
	w.tba = TBA;
	w.tma = TMA;
	w.single_memop = true;
	w.arch = cpu->arch;
	nr_interrupts = 0;
	slots = 0;
	late_trapsts = 0;
	resume_at_once = false;
}

/* global_store_dword v[0:1], v2, off to the end of the handler's memory */
static void store_start(void)
{
	unsigned int lane;
	u64 va = TMA + sizeof(tma) - 4;

	wave_start(0xdc708000, 0x007f0200);
	for (lane = 0; lane < SIM_LANES; lane++) {
		vgprs[0][lane] = va;
		vgprs[1][lane] = va >> 32;
	}
}

static bool same_user_state(const struct sim_wave *was)
{
	return !memcmp(w.s, was->s, sizeof(u32) * 108) &&
	       !memcmp(&w.s[TTMP(6)], &was->s[TTMP(6)], sizeof(u32) * 6) &&
	       !((w.s[isa->step_reg.first] ^ was->s[isa->step_reg.first]) &
		 isa->step_bits) &&
	       !memcmp(&w.s[M0], &was->s[M0], sizeof(u32) * 4) &&
	       w.mode == was->mode && w.ib_sts == was->ib_sts &&
	       !((w.status ^ was->status) & STATUS_SCC);
}

static void test_watch_hit(void)
{
	struct gpubp_trap_record out;
	struct sim_wave was;
	enum sim_stop stop;

	store_start();
	slots = 0xf;
	w.trapsts = 0x20;	/* inexact: not enabled, hence no reason */
	w.ib_sts = 0x1f8000;
	was = w;
	stop = sim_wave_run(&w, 1000);

	tap_ok(stop == SIM_STOP_HALTED && w.pc == CODE + 8 &&
	       (w.status & (STATUS_HALT | STATUS_PRIV)) == STATUS_HALT,
	       "watch hit: halted behind the store, outside the handler");
	tap_ok(nr_interrupts == 1 && payload == (0x12a | 0x02 << 10),
	       "watch hit: one interrupt, doorbell and code");
	tap_ok(!stop_record(&out) && out.seq == 2 &&
	       out.slots == 0xf && !out.exceptions && !out.other &&
	       !out.trap_id &&
	       out.pc == CODE + 8 &&
	       out.exec == (was.s[126] | (u64)was.s[127] << 32),
	       "watch hit: record");
	tap_ok(out.has_coords && out.wg[0] == was.s[TTMP(8)] &&
	       out.wg[2] == was.s[TTMP(10)] && record()[8] == HW_ID &&
	       record()[6] == (was.status | STATUS_PRIV) &&
	       record()[7] == was.mode, "watch hit: rest of the record");
	tap_ok(w.trapsts == 0x20, "watch hit: only its bits are cleared");
	tap_ok(same_user_state(&was), "watch hit: the wave notices nothing");

	w.status &= ~STATUS_HALT;
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_ENDED && nr_interrupts == 1,
	       "watch hit: resumed, it ends");
}

static void test_scc_clear(void)
{
	struct sim_wave was;

	store_start();
	slots = 1;
	w.status &= ~STATUS_SCC;
	was = w;
	sim_wave_run(&w, 1000);
	tap_ok(nr_interrupts == 1 && same_user_state(&was),
	       "watch hit: SCC clear stays clear");
}

static void test_seq(void)
{
	store_start();
	slots = 1;
	*(u32 *)(tma + HEADER + 64 * RECORD) = 40;
	sim_wave_run(&w, 1000);
	tap_ok(record()[0] == 42, "records count their stops by twos");

	/* a wave was killed in the handler: the record's number stays odd */
	store_start();
	slots = 1;
	*(u32 *)(tma + HEADER + 64 * RECORD) = 41;
	sim_wave_run(&w, 1000);
	tap_ok(record()[0] == 42, "an unfinished record is finished");

	/* the wave has 16 bits of the number */
	store_start();
	slots = 1;
	*(u32 *)(tma + HEADER + 64 * RECORD) = 0xfffdfffc;
	sim_wave_run(&w, 1000);
	tap_ok(record()[0] == 0xfffdfffe &&
	       w.s[isa->mark_reg.first] == isa->record_mark(RECORD, 0xfffdfffe) &&
	       isa->record_mark(RECORD, 0xfffdfffe) == (0xffff8000 | RECORD),
	       "a wave is marked by its record's number and place");
}

static void test_array_base(void)
{
	static const u32 first = 512;

	store_start();
	slots = 1;
	memcpy(tma + 4 * (HW_ID >> 12 & 0xf), &first, sizeof(first));
	sim_wave_run(&w, 1000);
	tap_ok(!record()[0] && record()[512 * 16] == 2,
	       "another shader array's records");
}

static void test_late_bit(void)
{
	store_start();
	slots = 1;
	late_trapsts = 0x2000;	/* watch 2 */
	sim_wave_run(&w, 1000);
	tap_ok(record()[1] == TRAPSTS_WATCH0 && w.trapsts == 0x2000,
	       "a bit set after the read survives");
}

static void test_resume_race(void)
{
	store_start();
	slots = 1;
	resume_at_once = true;
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_ENDED && nr_interrupts == 1,
	       "resumed while in the handler: not halted for ever");
}

static void test_trap(void)
{
	struct gpubp_trap_record out;
	struct sim_wave was;

	wave_start(0xbf920002, 0xbf800000);	/* s_trap 2 */
	was = w;
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_HALTED && w.pc == CODE + 4 &&
	       !stop_record(&out) && out.trap_id == 2 &&
	       out.pc == w.pc && !out.slots && same_user_state(&was),
	       "s_trap: halted behind it");
}

static void test_illegal(void)
{
	struct gpubp_trap_record out;

	wave_start(0xffffffff, 0xffffffff);
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_HALTED &&
	       !stop_record(&out) &&
	       out.exceptions == GPUBP_EXC_ILLEGAL && !out.slots,
	       "illegal instruction");
}

static void test_spurious(void)
{
	struct sim_wave was;

	wave_start(0xbf800000, 0xbf800000);
	w.pc = TBA;		/* entered without a reason */
	w.status |= STATUS_PRIV;
	w.s[TTMP(0)] = (u32)CODE;
	w.s[TTMP(1)] = CODE >> 32;
	was = w;
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_ENDED && !nr_interrupts &&
	       !record()[0] && same_user_state(&was),
	       "no reason: no record, no interrupt");
}

/* resumed, the wave stops at @pc with one more interrupt, for these reasons */
static bool steps_to(u64 pc, u32 other, u32 hit, u8 trap_id)
{
	struct gpubp_trap_record out;
	unsigned int told_before = nr_interrupts;

	w.status &= ~STATUS_HALT;
	return sim_wave_run(&w, 1000) == SIM_STOP_HALTED && w.pc == pc &&
	       nr_interrupts == told_before + 1 &&
	       !stop_record(&out) && out.pc == pc &&
	       out.other == other && out.slots == hit &&
	       out.trap_id == trap_id;
}

/* like the kernel when it steps a wave */
static void set_step(void)
{
	w.mode |= MODE_DEBUG_EN;
	w.s[isa->step_reg.first] |= isa->step_bits;
}

static void test_step(void)
{
	struct sim_wave was;

	wave_start(0xbe800081, 0xbe810082);	/* s_mov_b32 s0, 1; s1, 2 */
	set_step();
	was = w;
	was.s[0] = 1;
	tap_ok(steps_to(CODE + 4, GPUBP_TRAP_STEP, 0, 0) &&
	       same_user_state(&was), "step: halted behind one instruction");
	tap_ok(steps_to(CODE + 8, GPUBP_TRAP_STEP, 0, 0) && w.s[1] == 2,
	       "step: and behind the next");
	was = w;
	if (isa->park_offset)
		gfx9_park_edit(&was.s[GFX9_PARK_REG], CODE + 12,
			       false);
	w.status &= ~STATUS_HALT;
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_HALTED &&
	       w.pc == (isa->park_offset ? TBA + isa->park_offset : CODE + 12) && same_user_state(&was) &&
	       nr_interrupts == 3, "step: before the end it is parked");
	w.status &= ~STATUS_HALT;
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_ENDED && nr_interrupts == 3,
	       "step: the end is no stop");
}

static void test_step_off(void)
{
	u32 regs[] = { MODE_DEBUG_EN | MODE_EXCP_EN_WATCH, 0, 0x55 };

	tap_ok(isa->step_edit(regs, false) && regs[0] == MODE_EXCP_EN_WATCH &&
	       !isa->step_edit(regs, false) && isa->step_edit(regs, true) &&
	       regs[0] == (MODE_DEBUG_EN | MODE_EXCP_EN_WATCH) &&
	       regs[1] == STATUS_TRAP_EN && regs[2] == 0x55 &&
	       !isa->step_edit(regs, true), "step: switched off and on");
}

/* a step that coincides with another reason is one stop */
static void test_step_with(void)
{
	store_start();
	slots = 0x5;
	set_step();
	tap_ok(steps_to(CODE + 8, GPUBP_TRAP_STEP, 0x5, 0),
	       "step: with a watch hit");
	wave_start(0xbf920003, 0xbf800000);	/* s_trap 3 */
	set_step();
	tap_ok(steps_to(CODE + 4, GPUBP_TRAP_STEP, 0, 3) &&
	       steps_to(CODE + 8, GPUBP_TRAP_STEP, 0, 0), "step: with s_trap");
	wave_start(0xffffffff, 0xffffffff);
	set_step();
	tap_ok(steps_to(CODE, GPUBP_TRAP_STEP, 0, 0),
	       "step: with an illegal instruction");
}

/* in a step of the program's own, other reasons are reported as usual */
static void test_step_of_its_own(void)
{
	wave_start(0xbe800081, 0xbe810082);	/* s_mov_b32 s0, 1; s1, 2 */
	w.mode |= MODE_DEBUG_EN;
	w.s[isa->step_reg.first] &= ~isa->step_bits;
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_ENDED && !nr_interrupts &&
	       !record()[0] && w.s[0] == 1 && w.s[1] == 2,
	       "step: a program's own is ignored");
	store_start();
	slots = 0x5;
	w.mode |= MODE_DEBUG_EN;
	w.s[isa->step_reg.first] &= ~isa->step_bits;
	tap_ok(steps_to(CODE + 8, 0, 0x5, 0), "step: but a hit is one");
}

/* a host trap at the same time replaces the step trap */
static void test_step_missed(void)
{
	wave_start(0xbf800000, 0xbf800000);
	set_step();
	w.pc = TBA;
	w.status |= STATUS_PRIV;
	w.s[TTMP(0)] = (u32)CODE;
	w.s[TTMP(1)] = CODE >> 32 | 1 << 24 | 9 << 16;
	tap_ok(steps_to(CODE, GPUBP_TRAP_STEP, 0, 0),
	       "step: told, whatever the handler was entered for");
}

/* what silicon makes of a step where something else comes in between */
static void test_step_disturbed(void)
{
	wave_start(0xbe800081, 0xbe810082);	/* s_mov_b32 s0, 1; s1, 2 */
	set_step();
	next_step = SIM_STEP_SPURIOUS;
	tap_ok(steps_to(CODE, GPUBP_TRAP_STEP, 0, 0) && w.s[0] != 1 &&
	       steps_to(CODE + 4, GPUBP_TRAP_STEP, 0, 0) && w.s[0] == 1,
	       "step: one that executes nothing, and again");
	wave_start(0xbe800081, 0xbe810082);
	set_step();
	next_step = SIM_STEP_LOST;
	tap_ok(steps_to(CODE + 8, GPUBP_TRAP_STEP, 0, 0) && w.s[1] == 2,
	       "step: a lost one stops behind the next");
}

/* likewise, where the wave is parked */
static bool steps_to_park(u64 pc)
{
	struct gpubp_trap_record out;

	return sim_wave_run(&w, 1000) == SIM_STOP_HALTED &&
	       !isa->record_parse(record(), &out) && out.pc == pc &&
	       out.other == GPUBP_TRAP_STEP && w.pc == TBA + GFX9_PARK;
}

/* ---- parked waves -------------------------------------------------------- */

/* halted where its end is saved as any other instruction, with its pc kept */
static bool is_parked_at(u64 pc)
{
	return w.pc == TBA + GFX9_PARK && gfx9_is_parked(TBA, w.pc) &&
	       gfx9_parked_pc(&w.s[GFX9_PARK_REG], false) == pc &&
	       (w.status & (STATUS_HALT | STATUS_PRIV)) == STATUS_HALT;
}

/* a hit of a store right before s_endpgm */
static bool hit_at_end(void)
{
	store_start();
	code[2] = 0xbf810000;
	slots = 1;
	return sim_wave_run(&w, 1000) == SIM_STOP_HALTED;
}

static bool record_is(u64 pc, u32 hit, u32 exceptions)
{
	struct gpubp_trap_record out;

	return !isa->record_parse(record(), &out) && out.pc == pc &&
	       out.slots == hit && out.exceptions == exceptions;
}

static void test_park(void)
{
	tap_ok(hit_at_end() && is_parked_at(CODE + 8) &&
	       record_is(CODE + 8, 1, 0), "park: before s_endpgm");
	w.status &= ~STATUS_HALT;
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_ENDED && nr_interrupts == 1,
	       "park: resumed, it ends");
	wave_start(0xbf920003, 0xbf810000);	/* s_trap 3; s_endpgm */
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_HALTED &&
	       is_parked_at(CODE + 4), "park: behind s_trap");
	wave_start(0xbf920003, 0xbf800000);	/* s_trap 3; s_nop 0 */
	w.trapsts = TRAPSTS_MEM_VIOL;
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_HALTED && w.pc == CODE + 4 &&
	       record_is(CODE + 4, 0, GPUBP_EXC_MEM_VIOL),
	       "park: not for what a program wrote to TRAPSTS");
	store_start();
	w.trapsts = w.pending = TRAPSTS_MEM_VIOL;
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_HALTED && is_parked_at(CODE) &&
	       record_is(CODE, 0, GPUBP_EXC_MEM_VIOL),
	       "park: code that may not be readable");
}

static struct gpubp_handler_filter *filter(unsigned int slot)
{
	return (struct gpubp_handler_filter *)(tma + isa->handler->filter_offset) + slot;
}

/* whatever makes a parked wave enter, its pc is that of its program */
static void test_park_again(void)
{
	hit_at_end();
	w.status &= ~STATUS_HALT;
	w.trapsts = w.pending = TRAPSTS_WATCH0 << 5;	/* comparator 1 */
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_HALTED &&
	       is_parked_at(CODE + 8) && record_is(CODE + 8, 2, 0) &&
	       nr_interrupts == 2, "park: another hit");
	hit_at_end();
	w.status &= ~STATUS_HALT;
	w.trapsts = w.pending = TRAPSTS_WATCH0;
	filter(0)->nr = 1;
	filter(0)->range[0].first = 1ull << 40;
	filter(0)->range[0].last = 1ull << 40 | 7ull << GPUBP_HANDLER_KINDS_SHIFT;
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_ENDED && nr_interrupts == 1 &&
	       filter(0)->strays == 1, "park: another hit, of bytes that are not watched");
	hit_at_end();
	set_step();
	w.status &= ~STATUS_HALT;
	tap_ok(sim_wave_run(&w, 1000) == SIM_STOP_ENDED && nr_interrupts == 1,
	       "park: a step is the end");
	hit_at_end();
	set_step();
	w.status &= ~STATUS_HALT;
	w.status |= STATUS_PRIV;
	w.s[TTMP(0)] = (u32)w.pc;
	w.s[TTMP(1)] = w.pc >> 32;
	w.pc = TBA;		/* a context save in between */
	tap_ok(steps_to_park(CODE + 8), "park: a step that was none");
}

/* ---- counting ------------------------------------------------------------ */

static struct gpubp_handler_counter *counter(unsigned int slot)
{
	return (struct gpubp_handler_counter *)(tma + isa->handler->counter_offset) +
	       slot;
}

/* one hit of a store; returns true if it was reported */
static bool hit_again(u32 hit)
{
	unsigned int before = nr_interrupts;

	w.pc = CODE;
	slots = hit;
	w.status &= ~STATUS_HALT;
	sim_wave_run(&w, 1000);
	return nr_interrupts > before;
}

/*
 * the counter wraps once per period, exactly at its end; the wave sees nothing
 */
static bool counts_to(unsigned int slot, u32 limit, unsigned int hits)
{
	struct gpubp_trap_record out;
	unsigned int n, due, reported = 0;
	struct sim_wave was;
	bool ok = true;

	store_start();
	w.ib_sts = 0x1f8000;
	counter(slot)->limit = limit;
	was = w;
	for (n = 1; n <= hits; n++) {
		due = n % (limit + 1) == 0;
		ok &= hit_again(1u << slot) == due;
		ok &= counter(slot)->value == n % (limit + 1);
		ok &= !(w.trapsts & TRAPSTS_WATCH) && same_user_state(&was);
		reported += due;
		if (due)
			ok &= !stop_record(&out) &&
			      out.at_limit && out.slots == 1u << slot &&
			      out.pc == CODE + 8 && !out.exceptions;
	}
	return ok && nr_interrupts == reported && counter(slot)->limit == limit;
}

static void test_counts(void)
{
	bool ok = true;
	int n;

	tap_ok(counts_to(0, 1, 9) && counts_to(1, 2, 9) && counts_to(2, 6, 30) &&
	       counts_to(3, 30, 29), "count: only the last of a period stops");
	isa = cpu->sixteen;
	for (n = 0; n < 16; n++)
		ok &= counts_to(n, 3, 9);
	isa = cpu->plain;
	tap_ok(ok, "count: each of sixteen comparators has its own counter");
}

/* a reported hit is not counted, and counting continues from the same value */
static bool is_reported(u32 hit, u32 mode, u32 step_bits)
{
	struct gpubp_trap_record out;

	store_start();
	counter(0)->limit = 4;
	if (hit_again(1) || counter(0)->value != 1)
		return false;
	w.mode |= mode;
	w.s[isa->step_reg.first] |= step_bits;
	if (!hit_again(hit) || stop_record(&out) ||
	    out.at_limit || out.slots != hit || counter(0)->value != 1)
		return false;
	w.mode &= ~mode;
	w.s[isa->step_reg.first] &= ~step_bits;
	return !hit_again(1) && counter(0)->value == 2;
}

static void test_counts_not(void)
{
	tap_ok(is_reported(0x3, 0, 0) && is_reported(0xe, 0, 0),
	       "count: not two comparators at once");
	tap_ok(is_reported(0x2, 0, 0), "count: not one without a limit");
	tap_ok(is_reported(0x1, MODE_DEBUG_EN, isa->step_bits),
	       "count: not in a step");
	store_start();
	counter(0)->limit = 4;
	w.mode |= MODE_DEBUG_EN;
	w.s[isa->step_reg.first] &= ~isa->step_bits;
	tap_ok(!hit_again(1) && counter(0)->value == 1,
	       "count: but in one of the program's own");
}

/* the value may exceed a limit that the host lowered */
static void test_count_beyond(void)
{
	struct gpubp_trap_record out;

	store_start();
	counter(2)->limit = 4;
	counter(2)->value = 9;
	tap_ok(hit_again(4) && !stop_record(&out) &&
	       out.at_limit && !counter(2)->value, "count: beyond the limit");
	store_start();
	counter(2)->limit = ~0u;
	counter(2)->value = ~0u - 1;
	tap_ok(!hit_again(4) && counter(2)->value == ~0u && hit_again(4) &&
	       !counter(2)->value, "count: up to 2^32");
}

static bool reports_slots(const struct gpubp_isa *of, u32 hit, u32 want)
{
	struct gpubp_trap_record out;

	isa = of;
	store_start();
	if (of == &gpubp_isa_gfx900_16)
		w.arch = GFX9_GFX900;
	slots = hit;
	if (sim_wave_run(&w, 1000) != SIM_STOP_HALTED ||
	    stop_record(&out))
		return false;
	return out.slots == want && out.pc == CODE + 8 &&
	       !(w.trapsts & TRAPSTS_WATCH) == (hit == want);
}

/* on silicon, bits above the fourth are EXCP_CYCLE and others */
static void test_sixteen(void)
{
	bool ok = true;
	int n;

	for (n = 0; n < 16; n++)
		ok &= reports_slots(cpu->sixteen, 1u << n, 1u << n) &&
		      reports_slots(&gpubp_isa_gfx900_16, 1u << n, 1u << n);
	tap_ok(ok, "sixteen comparators: each");
	tap_ok(reports_slots(&gpubp_isa_gfx900_16, 0xffff, 0xffff),
	       "sixteen comparators: all at once");
	tap_ok(reports_slots(cpu->plain, 0xfff5, 0x5) &&
	       w.trapsts == TRAPSTS_WATCH4_15,
	       "four comparators: other bits are none of its business");
	isa = cpu->plain;
}

static void all_tests(void)
{
	isa = cpu->plain;
	test_watch_hit();
	test_scc_clear();
	test_seq();
	test_array_base();
	test_late_bit();
	test_resume_race();
	test_trap();
	test_illegal();
	test_spurious();
	test_step();
	test_step_off();
	test_step_with();
	test_step_of_its_own();
	test_step_missed();
	test_step_disturbed();
	if (isa->park_offset) {
		test_park();
		test_park_again();
	}
	test_sixteen();
	test_counts();
	test_counts_not();
	test_count_beyond();
}

/* gfx942: TTMPs of the dispatcher, and several XCCs */
static void test_dispatch(void)
{
	struct gpubp_trap_record out;

	store_start();
	slots = 1;
	w.s[TTMP(11)] = 0x1abcdef << 6 | 0x15;
	sim_wave_run(&w, 1000);
	tap_ok(!stop_record(&out) && out.has_dispatch &&
	       out.dispatch == 0x1abcdef && out.wave_in_group == 0x15 &&
	       out.wg[1] == w.s[TTMP(9)], "gfx942: number of the dispatch");
}

/* XCC 5 has the records of XCC 1 where there are two: one further in each array */
static bool finds_record(u32 xcc, u32 mask, u32 place)
{
	u32 *xccs = (u32 *)(tma + GFX942_XCCS_OFFSET);
	struct gpubp_trap_record out;

	store_start();
	slots = 1;
	w.xcc_id = xcc;
	xccs[0] = mask;
	xccs[1] = 64;
	sim_wave_run(&w, 1000);
	return !isa->record_parse(record() + 16 * 64 * place, &out) &&
	       kept_record(&w, isa, RECORD + 64 * place, &out) &&
	       out.slots == 1 && record()[16 * 64 * place + 11] == xcc &&
	       record()[16 * 64 * place + 7] == w.mode &&
	       (!place || !record()[0]);
}

static void test_xccs(void)
{
	tap_ok(finds_record(0, 0, 0) && finds_record(3, 0, 0) &&
	       finds_record(1, 3, 1) && finds_record(3, 3, 3) &&
	       finds_record(5, 3, 1), "gfx942: records of each XCC");
}

/* a step sets a TRAPSTS bit, which only a step clears */
static void test_step_bit(void)
{
	wave_start(0xbe800081, 0xbe810082);
	set_step();
	w.trapsts = 0x02000000;
	tap_ok(steps_to(CODE + 4, GPUBP_TRAP_STEP, 0, 0) && !w.trapsts,
	       "gfx942: TRAPSTS says a step no more");
	store_start();
	slots = 1;
	w.trapsts = 0x02000000;
	sim_wave_run(&w, 1000);
	tap_ok(nr_interrupts == 1 && w.trapsts == 0x02000000,
	       "gfx942: but if it was not ours");
}

int main(void)
{
	tap_plan(2 * 41 + 9 + 4);
	for (cpu = processors; cpu < processors + 2; cpu++)
		all_tests();
	cpu = &processors[1];
	test_dispatch();
	test_xccs();
	test_step_bit();
	return tap_status();
}
