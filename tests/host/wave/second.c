// SPDX-License-Identifier: GPL-2.0
/*
 * The trap handler of isa/gfx9 behind a first level that saves waves, and
 * before the process's own handler.
 */
#include <string.h>
#include <uapi/linux/gpubp.h>
#include "../kept_record.h"
#include "../tap.h"
#include "isa/gfx9/excp.h"
#include "isa/gfx9/trap.h"
#include "machine.h"
#include "providers/sim/wave/interp.h"

#define CODE		0x100000000ull
#define DATA		0x7f0000aa0000ull
#define DATA_SIZE	0x1000
#define HANDLER		0x600000100000ull
#define FIRST_TMA	0x600000200000ull
#define TMA		0x600000300000ull
#define THIRD_TMA	0x600000400000ull
#define PAGE		0x1000
#define HEADER		0xa80
#define TMA_SIZE	(HEADER + 64 * GFX9_NR_RECORDS)
#define NR_VGPRS	8
#define HW_ID		(5 | 2 << 4 | 3 << 8 | 9 << 20)
#define RECORD_INDEX	(3 * 64 + 2 * 16 + 5)
#define RECORD		(HEADER + 64 * RECORD_INDEX)
#define IB_STS		0x1a8000	/* as if accesses were to be replayed */
#define TTMP11_REPLAY	0xfc000000

static struct sim_wave *w, before;
static u8 *data, *tma;
static u64 *first, *third;

static struct gpubp_handler_counter *counter(unsigned int slot)
{
	return (void *)(tma + gfx9_handler.counter_offset +
			slot * sizeof(struct gpubp_handler_counter));
}

static struct gpubp_handler_wanted *wanted(void)
{
	return (void *)(tma + gfx9_handler.wanted_offset);
}

static void set_third(u64 tba, u64 its_tma)
{
	u64 *at = (u64 *)(tma + gfx9_handler.third_offset);

	at[0] = tba;
	at[1] = its_tma;
}

static void set_pair(unsigned int reg, u64 val)
{
	w->s[reg] = val;
	w->s[reg + 1] = val >> 32;
}

static void set_lanes(void)
{
	unsigned int lane;

	for (lane = 0; lane < SIM_LANES; lane++) {
		u64 va = DATA + 4 * lane;

		w->v[2][lane] = va;
		w->v[3][lane] = va >> 32;
		w->v[4][lane] = 0x40000000 + lane;
		w->v[6][lane] = 0;		/* 0 * inf is invalid */
		w->v[7][lane] = 0x7f800000;
	}
}

/* a wave at @name, with all levels installed */
static void prepare(const char *name)
{
	unsigned int reg;

	memset(machine.watch, 0, sizeof(machine.watch));
	memset(tma, 0, TMA_SIZE);
	memset(third, 0, PAGE);
	machine.nr_messages = 0;
	first[0] = HANDLER;
	first[1] = TMA;
	set_third(elf_symbol("third_level"), THIRD_TMA);
	for (reg = 0; reg < 128; reg++)
		w->s[reg] = 0x11111111 * (reg % 16);
	set_pair(GFX9_SRC_EXEC, ~0ull);
	set_lanes();
	w->pc = elf_symbol(name);
	w->mode = MODE_FP_DENORM | MODE_EXCP_EN_WATCH;
	w->status = STATUS_VALID | STATUS_TRAP_EN | STATUS_SCC;
	w->trapsts = 0;
	w->pending = 0;
	w->skid = 0;
	w->hw_id = HW_ID;
	w->ib_sts = IB_STS;
	w->tba = elf_symbol("first_level");
	w->tma = FIRST_TMA;
	w->single_memop = true;
	w->fatal_trapsts = 0;
	w->fatal_trap_id = 0;
	memcpy(&before, w, sizeof(before));
}

static void watch(unsigned int slot)
{
	machine.watch[slot] = (struct watch){ true, DATA, ~63ull, 1 };
}

static enum sim_stop run(void)
{
	return sim_wave_run(w, 2000);
}

/* registers of the wave, its driver and its debugger are unchanged */
static bool kept(void)
{
	u32 *ttmp = &w->s[SIM_TTMP_FIRST];
	u32 *was = &before.s[SIM_TTMP_FIRST];

	return !memcmp(w->s, before.s, 20 * 4) &&
	       !memcmp(&w->s[22], &before.s[22], (108 - 22) * 4) &&
	       !memcmp(&w->s[124], &before.s[124], 16) &&
	       !memcmp(&ttmp[6], &was[6], 5 * 4) && ttmp[13] == was[13] &&
	       !((ttmp[11] ^ was[11]) & ~TTMP11_REPLAY) &&
	       w->mode == before.mode && w->ib_sts == before.ib_sts &&
	       !((w->status ^ before.status) & ~STATUS_HALT);
}

static unsigned int thirds(void)
{
	return third[3];
}

/* the registers by which it is found when it was saved and restored, too */
static bool has_record(const struct gpubp_trap_record *rec)
{
	return kept_record(w, &gpubp_isa_gfx90a, RECORD_INDEX, rec);
}

/* halted by our handler, after or at @pc, and reported */
static bool stopped_at(u64 pc, struct gpubp_trap_record *rec)
{
	return w->pc == pc && machine.nr_messages == 1 && !thirds() && kept() &&
	       (w->status & (STATUS_HALT | STATUS_PRIV)) == STATUS_HALT &&
	       !gfx9_record_parse(tma + RECORD, rec) && rec->pc == pc &&
	       has_record(rec);
}

static bool goes_on(void)
{
	w->status &= ~STATUS_HALT;
	return run() == SIM_STOP_ENDED && machine.nr_messages == 1;
}

static bool hit_is_ours(void)
{
	struct gpubp_trap_record rec;

	prepare("store");
	watch(2);
	return run() == SIM_STOP_HALTED &&
	       stopped_at(elf_symbol("after_store"), &rec) &&
	       rec.slots == 4 && !rec.at_limit && !rec.exceptions &&
	       !w->trapsts && goes_on();
}

/* right before s_endpgm: ttmp7, which has a provider's name of the wave, is kept */
static bool hit_is_parked(void)
{
	u64 pc = elf_symbol("after_store_last");
	struct gpubp_trap_record rec;

	prepare("store_last");
	watch(2);
	return run() == SIM_STOP_HALTED && w->pc == HANDLER + GFX9_PARK &&
	       !gfx9_record_parse(tma + RECORD, &rec) && rec.pc == pc &&
	       gfx9_parked_pc(&w->s[GFX9_PARK_REG], true) == pc &&
	       w->s[GFX9_PARK_REG] == before.s[GFX9_PARK_REG] && goes_on();
}

/* without end: behind PCIe nothing counts modulo a period */
static bool hits_are_counted(void)
{
	u32 n;

	prepare("store");
	watch(2);
	counter(2)->limit = ~0u;
	counter(2)->value = ~0u - 2;
	for (n = ~0u - 1; n != 2; n++) {
		if (run() != SIM_STOP_ENDED || machine.nr_messages ||
		    counter(2)->value != n || !kept() || w->trapsts)
			return false;
		w->pc = elf_symbol("store");
	}
	return gfx9_handler.second_counts_on;
}

static bool hits_are_not_counted(void)
{
	struct gpubp_trap_record rec;

	prepare("store");
	watch(2);
	counter(1)->limit = ~0u;
	return run() == SIM_STOP_HALTED &&
	       stopped_at(elf_symbol("after_store"), &rec) && !rec.at_limit &&
	       !counter(1)->value && !counter(2)->value && goes_on();
}

static bool break_is_ours(void)
{
	struct gpubp_trap_record rec;

	prepare("user_break");
	return run() == SIM_STOP_HALTED &&
	       stopped_at(elf_symbol("user_break"), &rec) && rec.trap_id == 1;
}

static bool trap_is_ours(u32 wanted_id)
{
	struct gpubp_trap_record rec;

	prepare("user_trap");
	wanted()->traps[wanted_id / 32] = 1u << wanted_id % 32;
	return run() == SIM_STOP_HALTED &&
	       stopped_at(elf_symbol("after_trap"), &rec) && rec.trap_id == 7 &&
	       goes_on() && w->s[20] == 7;
}

/* entered with its own TMA and the state of a trap without our handler */
static bool third_has(u64 pc, u32 id)
{
	return thirds() == 1 && third[0] == THIRD_TMA &&
	       (u32)third[1] == (before.status | STATUS_PRIV) &&
	       (third[2] & 0xffffffffffffull) == pc &&
	       (third[2] >> 48 & 0xff) == id && !machine.nr_messages &&
	       !w->s[gpubp_isa_gfx90a.mark_reg.first] && kept();
}

static bool trap_is_anothers(void)
{
	prepare("user_trap");
	memset(wanted()->traps, 0xff, sizeof(wanted()->traps));
	wanted()->traps[0] &= ~(1u << 7);
	return run() == SIM_STOP_ENDED && w->s[20] == 7 &&
	       third_has(elf_symbol("user_trap"), 7);
}

static bool exception_is_anothers(void)
{
	prepare("multiply");
	w->mode |= 1 << MODE_EXCP_EN_SHIFT;
	before.mode = w->mode;
	wanted()->reasons = ~1u;
	return run() == SIM_STOP_ENDED && w->s[20] == 7 &&
	       third_has(elf_symbol("after_multiply"), 0);
}

static bool exception_is_ours(void)
{
	struct gpubp_trap_record rec;

	prepare("multiply");
	w->mode |= 1 << MODE_EXCP_EN_SHIFT;
	before.mode = w->mode;
	wanted()->reasons = gfx9_excp_en(GPUBP_EXC_FP_INVALID);
	return run() == SIM_STOP_HALTED &&
	       stopped_at(elf_symbol("after_multiply"), &rec) &&
	       rec.exceptions == GPUBP_EXC_FP_INVALID && !w->trapsts &&
	       goes_on();
}

static bool step_is_ours(void)
{
	struct gpubp_trap_record rec;

	prepare("moves");
	w->mode |= MODE_DEBUG_EN;
	w->s[SIM_TTMP_FIRST + 11] |= GFX9_TTMP11_STEPPED;
	memcpy(&before, w, sizeof(before));
	return run() == SIM_STOP_HALTED &&
	       stopped_at(elf_symbol("moves") + 4, &rec) &&
	       rec.other == GPUBP_TRAP_STEP && w->s[20] == 1 && w->s[21] != 2;
}

/* like amdkfd's first level without a second level */
static bool trap_is_unused(void)
{
	prepare("user_trap");
	set_third(0, 0);
	return run() == SIM_STOP_ENDED && w->s[20] == 7 && !thirds() &&
	       !machine.nr_messages && kept();
}

static bool exception_is_unused(void)
{
	prepare("multiply");
	w->mode |= 1 << MODE_EXCP_EN_SHIFT;
	before.mode = w->mode;
	set_third(0, 0);
	return run() == SIM_STOP_HALTED && !machine.nr_messages &&
	       w->pc == elf_symbol("after_multiply") - 8 &&
	       w->trapsts == 1 && kept() &&
	       !w->s[gpubp_isa_gfx90a.mark_reg.first];
}

/* a program with DEBUG_EN set by itself */
static bool step_is_unused(void)
{
	prepare("moves");
	w->mode |= MODE_DEBUG_EN;
	w->s[SIM_TTMP_FIRST + 11] &= ~GFX9_TTMP11_STEPPED;
	memcpy(&before, w, sizeof(before));
	set_third(0, 0);
	return run() == SIM_STOP_ENDED && w->s[21] == 2 &&
	       !machine.nr_messages && kept();
}

int main(int argc, char **argv)
{
	if (argc < 2 || !elf_load(argv[1], CODE))
		return 2;
	data = machine_map(DATA, DATA_SIZE);
	tma = machine_map(TMA, TMA_SIZE);
	first = (u64 *)machine_map(FIRST_TMA, PAGE);
	third = (u64 *)machine_map(THIRD_TMA, PAGE);
	memcpy(machine_map(HANDLER, gfx9_handler.nr_second * 4),
	       gfx9_handler.second, gfx9_handler.nr_second * 4);
	w = machine_wave(NR_VGPRS);
	tap_plan(14);
	tap_ok(hit_is_ours(), "second level: a hit is reported");
	tap_ok(hit_is_parked(), "second level: it is parked before the end");
	tap_ok(hits_are_counted(), "second level: hits are counted");
	tap_ok(hits_are_not_counted(), "second level: not those of others");
	tap_ok(break_is_ours(), "second level: a break, without being asked for");
	tap_ok(trap_is_ours(7), "second level: s_trap with an id that is ours");
	tap_ok(trap_is_anothers(), "third level: s_trap with another");
	tap_ok(exception_is_ours(), "second level: an exception that is ours");
	tap_ok(exception_is_anothers(), "third level: another one");
	tap_ok(step_is_ours(), "second level: a step");
	tap_ok(trap_is_unused(), "no third level: s_trap does nothing");
	tap_ok(exception_is_unused(),
	       "no third level: an exception halts the wave");
	tap_ok(step_is_unused(), "no third level: its own steps go on");
	prepare("user_trap");
	wanted()->traps[1] = 1 << 7;	/* id 39 */
	tap_ok(run() == SIM_STOP_ENDED && thirds() == 1, "ids have 8 bits");
	return tap_status();
}
