// SPDX-License-Identifier: GPL-2.0
/*
 * Exceptions, and the trap handler of isa/gfx9 as a wave runs it.
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
#define TMA		0x600000200000ull
#define HEADER		0xa80
#define TMA_SIZE	(HEADER + 64 * GFX9_NR_RECORDS)
#define NR_VGPRS	8
#define HW_ID		(5 | 2 << 4 | 3 << 8 | 9 << 20)
#define RECORD_INDEX	(3 * 64 + 2 * 16 + 5)
#define RECORD		(HEADER + 64 * RECORD_INDEX)

static struct sim_wave *w;
static u8 *data, *tma;

static void set_pair(unsigned int reg, u64 val)
{
	w->s[reg] = val;
	w->s[reg + 1] = val >> 32;
}

static void point(u64 off)
{
	unsigned int lane;

	for (lane = 0; lane < SIM_LANES; lane++) {
		u64 va = DATA + off + 4 * lane;

		w->v[2][lane] = va;
		w->v[3][lane] = va >> 32;
		w->v[4][lane] = 0x40000000 + lane;
		w->v[5][lane] = 0x50000000 + lane;
	}
}

static void watch(unsigned int slot, u64 addr, unsigned int mode)
{
	machine.watch[slot] = (struct watch){
		true, addr & ~63ull, ~63ull, mode,
	};
}

/* a wave at @name, launched while something is watched */
static void prepare(const char *name, u64 tba)
{
	unsigned int reg;

	memset(machine.watch, 0, sizeof(machine.watch));
	memset(data, 0, DATA_SIZE);
	memset(tma, 0, TMA_SIZE);
	machine.nr_messages = 0;
	for (reg = 0; reg < 128; reg++)
		w->s[reg] = 0x11111111 * (reg % 16);
	set_pair(GFX9_SRC_EXEC, ~0ull);
	set_pair(4, DATA);
	point(0);
	w->pc = elf_symbol(name);
	w->mode = MODE_FP_DENORM | MODE_EXCP_EN_WATCH;
	w->status = STATUS_VALID | STATUS_TRAP_EN;
	w->trapsts = 0;
	w->pending = 0;
	w->skid = 0;
	w->hw_id = HW_ID;
	w->tba = tba;
	w->tma = TMA;
	w->single_memop = true;
	w->fatal_trapsts = 0;
	w->fatal_trap_id = 0;
}

static enum sim_stop run(void)
{
	return sim_wave_run(w, 2000);
}

static unsigned int entries(void)
{
	u32 n;

	memcpy(&n, tma, 4);
	return n;
}

/*
 * s_getreg(TMA), s_rfe and ttmps are the handler's: other state must not change
 */
static bool user_state_kept(const struct sim_wave *before)
{
	return !memcmp(w->s, before->s, 108 * 4) &&
	       !memcmp(&w->s[124], &before->s[124], 16) &&
	       w->mode == before->mode && w->ib_sts == before->ib_sts &&
	       (w->status | STATUS_HALT) == (before->status | STATUS_HALT);
}

/* of the halted wave, which has it in registers, too */
static int stop_record(struct gpubp_trap_record *rec)
{
	int err = gfx9_record_parse(tma + RECORD, rec);

	return err ?: !kept_record(w, &gpubp_isa_gfx90a, RECORD_INDEX, rec);
}

/* where the wave is, or would be if it were not parked to end there */
static u64 wave_pc(void)
{
	return gfx9_is_parked(HANDLER, w->pc) ?
	       gfx9_parked_pc(&w->s[GFX9_PARK_REG], false) : w->pc;
}

static bool reports(const char *name, unsigned int slot, unsigned int mode)
{
	struct gpubp_trap_record rec;
	struct sim_wave before;
	bool ok;

	prepare(name, HANDLER);
	watch(slot, DATA + 64, mode);
	w->status |= STATUS_SCC;
	w->ib_sts = 0x5a00;
	set_pair(GFX9_SRC_EXEC, 0x00ff00ff0ff0ull);
	memcpy(&before, w, sizeof(before));
	ok = run() == SIM_STOP_HALTED && !(w->status & STATUS_PRIV) &&
	     user_state_kept(&before) && !w->trapsts &&
	     wave_pc() == elf_symbol(name) + 8;
	ok &= machine.nr_messages == 1 && machine.message[0].priv &&
	      machine.message[0].msg == MSG_INTERRUPT &&
	      machine.message[0].m0 == (DOORBELL | DBG_CODE_WAVE_TRAP << 10);
	ok &= !stop_record(&rec) && rec.seq == 2 &&
	      rec.slots == 1u << slot && !rec.exceptions && rec.pc == wave_pc() &&
	      rec.exec == 0x00ff00ff0ff0ull;
	w->status &= ~STATUS_HALT;
	return ok && run() == SIM_STOP_ENDED;
}

static bool resumes(void)
{
	u32 first;

	prepare("store", HANDLER);
	watch(0, DATA, 1);
	if (run() != SIM_STOP_HALTED || w->s[20] == 7 || w->v[0][0] == 5)
		return false;
	memcpy(&first, data, 4);	/* the trap is taken after the access */
	if (first != 0x40000000 || run() != SIM_STOP_HALTED)
		return false;
	w->status &= ~STATUS_HALT;
	return run() == SIM_STOP_ENDED && w->s[20] == 7 && w->v[0][0] == 5 &&
	       machine.nr_messages == 1;
}

static bool counts_stops(void)
{
	struct gpubp_trap_record rec;
	unsigned int n;

	prepare("two_stores", HANDLER);
	watch(1, DATA, 1);
	watch(3, DATA + 64, 3);
	for (n = 1; n <= 2; n++) {
		if (run() != SIM_STOP_HALTED ||
		    stop_record(&rec) || rec.seq != 2 * n ||
		    rec.slots != 0xa)
			return false;
		w->status &= ~STATUS_HALT;
	}
	return run() == SIM_STOP_ENDED && machine.nr_messages == 2;
}

static bool no_hit(const char *name, u64 addr, unsigned int mode, u64 exec)
{
	prepare(name, HANDLER);
	watch(0, addr, mode);
	set_pair(GFX9_SRC_EXEC, exec);
	return run() == SIM_STOP_ENDED && !w->trapsts && !machine.nr_messages;
}

/* the bit is set, no trap is taken */
static bool only_sticky(u32 mode, u32 status, u64 tba)
{
	prepare("store", tba);
	watch(0, DATA, 1);
	w->mode = mode;
	w->status = status;
	w->trapsts = TRAPSTS_INT_DIV0;
	return run() == SIM_STOP_ENDED &&
	       w->trapsts == (TRAPSTS_INT_DIV0 | TRAPSTS_WATCH0) &&
	       !machine.nr_messages;
}

/* nothing but its data and the number of its strays shows that a hit went on */
static bool strays_go_on(void)
{
	struct gpubp_handler_filter *filter =
		(void *)(tma + gfx9_handler.filter_offset);
	u32 last;

	prepare("store", HANDLER);
	watch(0, DATA, 1);
	filter->nr = 1;
	filter->range[0].first = DATA + 256;
	filter->range[0].last = (DATA + 511) |
		(u64)GPUBP_ACCESS_STORE << GPUBP_HANDLER_KINDS_SHIFT;
	if (run() != SIM_STOP_ENDED || machine.nr_messages || filter->strays != 1 ||
	    w->trapsts)
		return false;
	memcpy(&last, data + 252, 4);
	w->pc = elf_symbol("store");
	filter->range[0].first--;
	return last == 0x40000000 + 63 && run() == SIM_STOP_HALTED &&
	       machine.nr_messages == 1 && filter->strays == 1;
}

static void watch_hits(void)
{
	const u32 mode = MODE_FP_DENORM, on = mode | MODE_EXCP_EN_WATCH;
	const u32 status = STATUS_VALID, en = STATUS_VALID | STATUS_TRAP_EN;
	unsigned int slot;

	for (slot = 0; slot < 4; slot++)
		tap_ok(reports("store", slot, 1), "a store hits slot %u", slot);
	tap_ok(reports("load", 0, 0), "a load");
	tap_ok(reports("atomic", 2, 2), "an atomic");
	tap_ok(resumes(), "the wave stands behind the store and goes on");
	tap_ok(counts_stops(), "two hits, two slots at once");
	tap_ok(no_hit("store", DATA + 0x800, 3, ~0ull), "another address");
	tap_ok(no_hit("store", DATA, 0, ~0ull), "loads are watched, this is none");
	tap_ok(no_hit("store", DATA, 2, ~0ull), "a store is no atomic");
	tap_ok(no_hit("store", DATA, 3, 0), "no lane is active");
	tap_ok(no_hit("store", DATA, 3, ~0xffffull), "the lane is not active");
	tap_ok(no_hit("scalar", DATA, 3, ~0ull), "scalar memory is not watched");
	tap_ok(only_sticky(mode, en, HANDLER), "not enabled in MODE");
	tap_ok(only_sticky(on, status, HANDLER), "STATUS.TRAP_EN is clear");
	tap_ok(only_sticky(on, en, 0), "no handler");
	tap_ok(strays_go_on(), "a byte that is not watched");
}

/* number of entries of a small handler, and how the program ended */
static bool enters(const char *name, const char *handler, unsigned int want)
{
	prepare(name, elf_symbol(handler));
	watch(0, DATA, 1);
	return run() == SIM_STOP_ENDED && entries() == want;
}

static bool old_bit_is_no_event(void)
{
	bool ok = enters("store", "counter", 1);

	ok &= w->trapsts == TRAPSTS_WATCH0;
	w->pc = elf_symbol("user_ttmp_read");
	return ok && run() == SIM_STOP_ENDED && entries() == 1;
}

static bool late_enable(void)
{
	prepare("user_enables", elf_symbol("counter"));
	watch(0, DATA, 1);
	w->mode &= ~MODE_EXCP_EN_WATCH;
	return run() == SIM_STOP_ENDED && !entries() &&
	       w->trapsts == TRAPSTS_WATCH0;
}

static bool single_step(void)
{
	prepare("stepped", elf_symbol("counter"));
	w->mode |= MODE_DEBUG_EN;
	return run() == SIM_STOP_ENDED && entries() == 4 && w->s[22] == 3;
}

static void set_step(void)
{
	w->mode |= MODE_DEBUG_EN;
	w->s[SIM_TTMP_FIRST + 11] |= GFX9_TTMP11_STEPPED;
}

/* one step of a halted wave, like a driver does it with our handler */
static enum sim_stop one_step(void)
{
	enum sim_stop stop;

	set_step();
	w->status &= ~STATUS_HALT;
	stop = run();
	w->mode &= ~MODE_DEBUG_EN;
	return stop;
}

/* the expected pc and additional reasons; no other report */
static bool steps_to(const char *name, u32 slots, u8 trap_id)
{
	struct gpubp_trap_record rec;

	machine.nr_messages = 0;
	return one_step() == SIM_STOP_HALTED && wave_pc() == elf_symbol(name) &&
	       machine.nr_messages == 1 &&
	       !gfx9_record_parse(tma + RECORD, &rec) && rec.pc == wave_pc() &&
	       rec.other == GPUBP_TRAP_STEP && rec.slots == slots &&
	       rec.trap_id == trap_id;
}

static bool steps_through(void)
{
	prepare("stepped", HANDLER);
	return steps_to("stepped_1", 0, 0) && w->s[20] == 1 && w->s[21] != 2 &&
	       steps_to("stepped_2", 0, 0) && w->s[21] == 2 &&
	       steps_to("stepped_to", 0, 0) && w->s[22] != 3 &&
	       steps_to("stepped_end", 0, 0) && w->s[22] == 3 &&
	       one_step() == SIM_STOP_ENDED;
}

static bool steps_onto_a_hit(bool precise)
{
	prepare("store", HANDLER);
	watch(2, DATA, 1);
	w->single_memop = precise;
	w->max_skid = 9;
	return steps_to("after_store", 1 << 2, 0) && w->s[20] != 7;
}

/* without active lanes the wave still advances to the next instruction */
static bool steps_without_lanes(void)
{
	prepare("store", HANDLER);
	watch(2, DATA, 1);
	set_pair(GFX9_SRC_EXEC, 0);
	return steps_to("after_store", 0, 0);
}

/* in_barrier is cleared by the environment; the step ends behind the barrier */
static bool steps_into_a_barrier(void)
{
	prepare("waiting", HANDLER);
	w->status |= STATUS_IN_TG;
	if (one_step() != SIM_STOP_BARRIER ||
	    w->pc != elf_symbol("waiting_1"))
		return false;
	w->in_barrier = false;
	set_step();
	return run() == SIM_STOP_HALTED && wave_pc() == elf_symbol("waiting_1");
}

static bool steps_to_sleep(void)
{
	enum sim_stop stop;

	prepare("sleeping", HANDLER);
	set_step();
	stop = run();
	return stop == SIM_STOP_SLEEP && run() == SIM_STOP_HALTED &&
	       wave_pc() == elf_symbol("sleeping_1");
}

/* the program halts itself: the step ends at that pc */
static bool steps_onto_a_halt(void)
{
	prepare("user_halt", HANDLER);
	return one_step() == SIM_STOP_HALTED && !machine.nr_messages &&
	       w->pc == elf_symbol("user_halt") + 4;
}

/* vector instructions are skipped, and register indices are relative */
static bool stops_in_any_mode(void)
{
	struct gpubp_trap_record rec;
	u32 mode = MODE_EXCP_EN_WATCH | MODE_GPR_IDX_EN | MODE_VSKIP;
	bool ok;

	prepare("user_trap", HANDLER);
	w->mode = mode;
	w->s[GFX9_SRC_M0] = 0xf007;
	ok = run() == SIM_STOP_HALTED && w->pc == elf_symbol("after_trap") &&
	     !stop_record(&rec) && rec.trap_id == 7;
	return ok && w->mode == mode && w->s[GFX9_SRC_M0] == 0xf007;
}

static void steps(void)
{
	tap_ok(stops_in_any_mode(), "s_trap with VSKIP and relative registers");
	tap_ok(steps_through(), "steps over moves and a branch, to the end");
	tap_ok(steps_onto_a_hit(true) && steps_onto_a_hit(false),
	       "a step that hits is one stop, and does not skid");
	tap_ok(steps_without_lanes(), "a step without lanes");
	prepare("user_trap", HANDLER);
	tap_ok(steps_to("after_trap", 0, 7), "a step onto s_trap");
	tap_ok(steps_into_a_barrier(), "a step that waits for others");
	tap_ok(steps_to_sleep(), "a step that sleeps");
	tap_ok(steps_onto_a_halt(), "a step that halts");
	prepare("no_wait_end", HANDLER);
	tap_ok(one_step() == SIM_STOP_ENDED && !machine.nr_messages,
	       "a step to the end");
}

/* ---- arithmetic ---------------------------------------------------------- */

#define FP_ALL		(TRAPSTS_FP << MODE_EXCP_EN_SHIFT)
#define EVEN		0x5555555555555555ull

/* operands of the even lanes; the odd ones have 1.0 */
static void compute(const char *name, u32 a, u32 b, u32 mode)
{
	unsigned int lane;

	prepare(name, HANDLER);
	for (lane = 0; lane < SIM_LANES; lane++) {
		w->v[6][lane] = lane & 1 ? 0x3f800000 : a;
		w->v[7][lane] = lane & 1 ? 0x3f800000 : b;
	}
	w->mode = MODE_FP_DENORM | mode;
}

/* if enabled: halted behind it; else only the bit is set */
static bool raises(const char *name, u32 a, u32 b, u32 bits)
{
	struct gpubp_trap_record rec;
	u32 enable = bits << MODE_EXCP_EN_SHIFT, result;

	compute(name, a, b, 0);
	if (run() != SIM_STOP_ENDED || w->trapsts != bits || machine.nr_messages)
		return false;
	result = w->v[0][0];
	compute(name, a, b, enable);
	if (run() != SIM_STOP_HALTED || w->trapsts ||
	    stop_record(&rec) || rec.slots ||
	    gfx9_excp_en(rec.exceptions) != bits || rec.pc <= elf_symbol(name) || rec.pc > elf_symbol(name) + 8)
		return false;
	w->status &= ~STATUS_HALT;
	return run() == SIM_STOP_ENDED && w->v[0][0] == result &&
	       machine.nr_messages == 1;
}

static bool nothing_raised(const char *name, u32 a, u32 b)
{
	compute(name, a, b, FP_ALL);
	return run() == SIM_STOP_ENDED && !w->trapsts && !machine.nr_messages;
}

static bool only_active_lanes(void)
{
	compute("multiply", 0x7f7fffff, 0x40000000, FP_ALL);
	set_pair(GFX9_SRC_EXEC, ~EVEN);
	return run() == SIM_STOP_ENDED && !w->trapsts && !machine.nr_messages;
}

/* the bits can be read; none of them traps */
static bool clamp_hides(void)
{
	compute("multiply", 0x7f7fffff, 0x40000000, FP_ALL | MODE_DX10_CLAMP);
	return run() == SIM_STOP_ENDED &&
	       w->trapsts == (TRAPSTS_FP & (8 | 32)) && !machine.nr_messages;
}

static bool clamp_hides_no_integers(void)
{
	compute("divisor", 0, 0, MODE_DX10_CLAMP |
		TRAPSTS_INT_DIV0 << MODE_EXCP_EN_SHIFT);
	return run() == SIM_STOP_HALTED && machine.nr_messages == 1;
}

static bool user_clears_flags(void)
{
	compute("multiply_inside", 0x7f7fffff, 0x40000000, 0);
	return run() == SIM_STOP_ENDED && w->s[20] == (8 | 32) && !w->s[21] &&
	       w->trapsts == (8 | 32);
}

static bool flushing_hides_denormals(void)
{
	compute("multiply", 1, 0x3f800000, 0);
	w->mode = 0;
	return run() == SIM_STOP_ENDED && !w->trapsts;
}

static void arithmetic(void)
{
	tap_ok(raises("multiply", 0, 0x7f800000, 1), "0 * inf is invalid");
	tap_ok(raises("multiply", 1, 0x3f800000, 2), "a denormal operand");
	tap_ok(raises("reciprocal", 0, 0, 4), "a division by zero");
	tap_ok(raises("multiply", 0x7f7fffff, 0x40000000, 8 | 32),
	       "overflow, and inexact");
	tap_ok(raises("multiply", 0x00800001, 0x3f000000, 16 | 32),
	       "underflow, and inexact");
	tap_ok(raises("multiply", 0x3f800001, 0x3f800001, 32), "inexact");
	tap_ok(raises("multiply_half", 0x7bff, 0x4000, 8 | 32), "of binary16");
	tap_ok(raises("multiply_packed", 0x7bff0000, 0x40000000, 8 | 32),
	       "of its upper half");
	tap_ok(raises("divisor", 0, 0, TRAPSTS_INT_DIV0),
	       "an integer division by zero is no float's");
	tap_ok(nothing_raised("divisor", 0x40400000, 0),
	       "the estimate of a reciprocal is not inexact to an integer");
	tap_ok(raises("compare", 0x7f800001, 0, 1), "a signalling NaN compared");
	tap_ok(nothing_raised("compare", 0x7fc00000, 0), "not a quiet one");
	tap_ok(raises("compare_all", 0x7fc00000, 0, 1), "but with CLAMP");
	tap_ok(raises("minimum", 0x7f800001, 0, 1), "a signalling NaN, minimum");
	tap_ok(nothing_raised("moved", 0x7f800001, 0), "a move is no arithmetic");
	tap_ok(only_active_lanes(), "lanes that are off raise nothing");
	tap_ok(clamp_hides(), "DX10_CLAMP: bits, but no traps");
	tap_ok(clamp_hides_no_integers(), "of integers, traps");
	tap_ok(user_clears_flags(), "a program reads and clears its bits");
	tap_ok(flushing_hides_denormals(), "what is flushed is no denormal");
}

/* run until the handler has halted the wave, or until the end */
static bool skid(const char *name, u32 max, u32 state)
{
	prepare(name, HANDLER);
	watch(0, DATA, 1);
	watch(2, DATA, 0);
	w->single_memop = false;
	w->max_skid = max;
	w->skid_state = state;
	return run() == SIM_STOP_HALTED;
}

/* every number of instructions up to the limit, with and without s_waitcnt */
static bool skids_by(u32 max)
{
	u64 first = elf_symbol("skidding") + 8;
	u32 state, seen = 0;

	for (state = 1; state < 200; state++) {
		if (!skid("skidding", max, state) || w->pc < first ||
		    w->pc > first + 4 * max)
			return false;
		seen |= 1u << (w->pc - first) / 4;
	}
	return seen == (2u << max) - 1;
}

static bool skids_again(void)
{
	u64 pc;

	if (!skid("skidding", 4, 77))
		return false;
	pc = w->pc;
	return skid("skidding", 4, 77) && w->pc == pc;
}

/* a second hit before the trap shares its entry, or has its own */
static bool merges(void)
{
	struct gpubp_trap_record rec;
	unsigned int merged = 0, apart = 0;
	u32 state;

	for (state = 1; state < 200; state++) {
		if (!skid("store_then_load", 3, state) ||
		    stop_record(&rec) || !(rec.slots & 1))
			return false;
		merged += rec.slots == 5;
		apart += rec.slots == 1;
		w->status &= ~STATUS_HALT;
		if (rec.slots == 1 &&
		    (run() != SIM_STOP_HALTED ||
		     stop_record(&rec) || rec.slots != 4))
			return false;
		w->status &= ~STATUS_HALT;
		if (run() != SIM_STOP_ENDED)
			return false;
	}
	return merged && apart && merged + apart == 199;
}

/* the trap is taken before the instruction by which the program halts */
static bool traps_before_halt(const char *name, const char *end)
{
	if (!skid(name, 64, 1) || w->pc != elf_symbol(end) || w->pending)
		return false;
	w->status &= ~STATUS_HALT;
	if (run() != SIM_STOP_HALTED || w->pc != elf_symbol(end) + 4)
		return false;
	w->status &= ~STATUS_HALT;
	return run() == SIM_STOP_ENDED;
}

static void events(void)
{
	tap_ok(old_bit_is_no_event(), "an old bit does not trap again");
	tap_ok(enters("two_stores", "counter", 2), "a set bit set again does");
	tap_ok(enters("store", "storing", 2), "a hit in the handler waits");
	tap_ok(enters("store", "clearing", 1), "unless the handler clears it");
	tap_ok(late_enable(), "enabling later does not take old events");
	tap_ok(enters("user_clears", "counter", 0), "user code may clear MODE");
	tap_ok(single_step(), "MODE.DEBUG_EN");
	tap_ok(skids_by(0), "without precise memory, no skid");
	tap_ok(skids_by(1), "a skid of up to one instruction");
	tap_ok(skids_by(7), "one of up to seven, past s_waitcnt");
	tap_ok(skids_again(), "the same wave skids the same way");
	tap_ok(skid("no_wait", 64, 1) && wave_pc() == elf_symbol("no_wait_end"),
	       "not past s_endpgm");
	tap_ok(traps_before_halt("store_then_halt", "store_then_halt_end"),
	       "nor past s_sethalt");
	tap_ok(traps_before_halt("store_then_msghalt", "store_then_msghalt_end"),
	       "nor past s_sendmsghalt");
	tap_ok(merges(), "two hits in one entry, or in one each");
}

/* with our handler: reported, and halted */
static bool exception(const char *name, u32 class, u64 pc)
{
	struct gpubp_trap_record rec;

	prepare(name, HANDLER);
	if (class == GPUBP_EXC_MEM_VIOL)
		point(0x100000);
	return run() == SIM_STOP_HALTED &&
	       !stop_record(&rec) && rec.exceptions == class &&
	       !rec.slots && rec.pc == pc && wave_pc() == pc;
}

static bool illegal(const char *name)
{
	u32 ttmp6;

	prepare(name, HANDLER);
	ttmp6 = w->s[108 + 6];
	return run() == SIM_STOP_HALTED && wave_pc() == elf_symbol(name) &&
	       w->s[108 + 6] == ttmp6 && machine.nr_messages == 1 &&
	       exception(name, GPUBP_EXC_ILLEGAL, elf_symbol(name));
}

static bool fatal(const char *name, u32 trapsts, bool wild)
{
	prepare(name, 0);
	if (wild)
		point(0x100000);
	return run() == SIM_STOP_FATAL && w->fatal_trapsts == trapsts &&
	       w->fatal_pc == elf_symbol(name) &&
	       (!wild || w->fatal_addr == DATA + 0x100000) &&
	       run() == SIM_STOP_FATAL;
}

static bool user_trap(void)
{
	struct gpubp_trap_record rec;
	bool ok;

	prepare("user_trap", HANDLER);
	ok = run() == SIM_STOP_HALTED &&
	     !stop_record(&rec) && rec.trap_id == 7 &&
	     rec.pc == elf_symbol("after_trap") && !rec.slots;
	w->status &= ~STATUS_HALT;
	ok &= run() == SIM_STOP_ENDED && w->s[20] == 7;
	prepare("user_trap", 0);
	return ok && run() == SIM_STOP_FATAL && w->fatal_trap_id == 7 &&
	       !w->fatal_trapsts && w->fatal_pc == elf_symbol("user_trap");
}

/* an exception in the handler stops the wave for good */
static bool double_fault(const char *handler, u32 trapsts, unsigned int id)
{
	prepare("user_trap", elf_symbol(handler));
	set_pair(4, DATA - 0x100000);
	return run() == SIM_STOP_FATAL && w->fatal_trapsts == trapsts &&
	       w->fatal_trap_id == id && w->fatal_pc == elf_symbol(handler);
}

static bool handler_privileges(void)
{
	prepare("user_illegal", elf_symbol("halting"));
	return run() == SIM_STOP_HALTED && !(w->status & STATUS_PRIV) &&
	       w->s[24] == (u32)(w->tba >> 8) && w->s[25] == w->tba >> 40 &&
	       w->s[26] == ((u32)(w->pc >> 32) & 0xffff) &&
	       w->pc == elf_symbol("user_illegal");
}

static bool user_reads_zero(void)
{
	prepare("user_ttmp_read", HANDLER);
	return run() == SIM_STOP_ENDED && w->s[20] == 0;
}

static bool user_halts(void)
{
	prepare("user_halt", HANDLER);
	if (run() != SIM_STOP_HALTED || run() != SIM_STOP_HALTED)
		return false;
	w->status &= ~STATUS_HALT;
	return run() == SIM_STOP_ENDED;
}

static bool user_message(void)
{
	prepare("user_msg", HANDLER);
	return run() == SIM_STOP_ENDED && machine.nr_messages == 1 &&
	       !machine.message[0].priv && machine.message[0].m0 == 0x1234;
}

static bool runs_off_the_end(void)
{
	prepare("store", 0);
	w->pc = DATA + DATA_SIZE;
	return run() == SIM_STOP_FATAL && w->fatal_trapsts == TRAPSTS_MEM_VIOL &&
	       w->fatal_addr == DATA + DATA_SIZE;
}

static void exceptions(void)
{
	static const char *const forbidden[] = {
		"user_rfe", "user_ttmp", "user_ttmp64", "user_ttmp_load",
		"user_ttmp_vector", "user_ttmp_cmp", "user_illegal",
	};
	unsigned int n;

	for (n = 0; n < 7; n++)
		tap_ok(illegal(forbidden[n]) &&
		       fatal(forbidden[n], TRAPSTS_ILLEGAL_INST, false),
		       "%s is an illegal instruction", forbidden[n]);
	tap_ok(exception("store", GPUBP_EXC_MEM_VIOL, elf_symbol("after_store")),
	       "memory violation, reported behind the store");
	tap_ok(fatal("store", TRAPSTS_MEM_VIOL, true), "and without handler");
	tap_ok(user_trap(), "s_trap with and without handler");
	tap_ok(double_fault("broken", TRAPSTS_ILLEGAL_INST, 0),
	       "illegal instruction in the handler");
	tap_ok(double_fault("nested", 0, 3), "s_trap in the handler");
	tap_ok(double_fault("wild", TRAPSTS_MEM_VIOL, 0),
	       "memory violation in the handler");
	tap_ok(handler_privileges(), "HALT waits for s_rfe, TBA, PRIV stays");
	tap_ok(user_reads_zero(), "ttmps read as zero outside");
	tap_ok(user_halts(), "s_sethalt");
	tap_ok(user_message(), "a user's s_sendmsg is a user's");
	tap_ok(runs_off_the_end(), "a program without an end");
}

/* the record of a wave launched with these settings, trapping only later */
static bool launched(bool trap_en, bool ttmps, struct gpubp_trap_record *rec)
{
	struct sim_kernel k = { .nr_vgprs = NR_VGPRS, .acc_offset = NR_VGPRS };
	struct sim_launch l = {
		.kernel = &k, .dispatch_id = 0x2000000 + 77, .wave = 1,
		.grid = { 1024, 8, 1 }, .workgroup = { 128, 1, 1 },
		.wg = { 5, 7, 0 }, .trap_en = trap_en, .ttmps = ttmps,
	};

	prepare("store", HANDLER);
	sim_launch_wave(&l, w);
	w->pc = elf_symbol("store");
	w->hw_id = HW_ID;
	w->mode |= MODE_EXCP_EN_WATCH;
	w->status |= STATUS_TRAP_EN;
	point(0);
	watch(0, DATA, 1);
	return run() == SIM_STOP_HALTED &&
	       !stop_record(rec) && rec->slots == 1;
}

static bool is_unknown(const struct gpubp_trap_record *rec)
{
	return !rec->has_coords && !rec->has_dispatch && !rec->dispatch &&
	       !rec->wg[0] && !rec->wave_in_group;
}

static void launches(void)
{
	struct gpubp_trap_record rec;

	tap_ok(launched(true, true, &rec) && rec.has_coords &&
	       rec.has_dispatch && rec.dispatch == 77 && rec.wg[0] == 5 &&
	       rec.wg[1] == 7 && rec.wave_in_group == 1,
	       "ttmps say which wave it is");
	tap_ok(launched(true, false, &rec) && is_unknown(&rec),
	       "unless they are not set up");
	tap_ok(launched(false, true, &rec) && is_unknown(&rec),
	       "as of a wave that was launched without traps");
}

#define SAVED	0x800		/* in data */

/* a wave whose save is requested: it waits for the address, stores and is gone */
static bool saves(u64 pc, u32 status, u32 trapsts)
{
	u64 at;
	u32 words[2];

	w->trapsts |= TRAPSTS_SAVECTX;
	if (run() != SIM_STOP_SLEEP || run() != SIM_STOP_SLEEP ||
	    machine.nr_messages != 1 || machine.message[0].msg != MSG_SAVEWAVE)
		return false;
	set_pair(GFX9_SRC_EXEC, DATA + SAVED);
	if (run() != SIM_STOP_SAVED || w->trapsts & TRAPSTS_SAVECTX)
		return false;
	memcpy(&at, data + SAVED, sizeof(at));
	memcpy(words, data + SAVED + 8, sizeof(words));
	return at == pc && (words[0] & (STATUS_HALT | STATUS_PRIV)) == status &&
	       words[1] == (trapsts | TRAPSTS_SAVECTX);
}

static bool saves_halted(void)
{
	prepare("user_halt", elf_symbol("saving"));
	return run() == SIM_STOP_HALTED &&
	       saves(w->pc, STATUS_HALT | STATUS_PRIV, 0);
}

static bool saves_at_barrier(void)
{
	prepare("user_barrier", elf_symbol("saving"));
	w->status |= STATUS_IN_TG;
	return run() == SIM_STOP_BARRIER && run() == SIM_STOP_BARRIER &&
	       saves(elf_symbol("user_at_barrier"), STATUS_PRIV, 0) &&
	       !(w->status & STATUS_IN_BARRIER);
}

/* it would never end: a wave that is halted there has ended, for the hardware */
static bool saves_at_end(void)
{
	prepare("user_halt_end", elf_symbol("saving"));
	if (run() != SIM_STOP_HALTED)
		return false;
	w->trapsts |= TRAPSTS_SAVECTX;
	if (run() != SIM_STOP_HALTED || machine.nr_messages ||
	    w->pc != elf_symbol("user_halted_end"))
		return false;
	w->status &= ~STATUS_HALT;
	return saves(elf_symbol("user_halted_end"), STATUS_PRIV, 0);
}

/* our handler halts it elsewhere, with that handler's own end before it */
static bool saves_parked(void)
{
	prepare("no_wait", HANDLER);
	watch(0, DATA, 1);
	if (run() != SIM_STOP_HALTED || !gfx9_is_parked(HANDLER, w->pc) ||
	    wave_pc() != elf_symbol("no_wait_end"))
		return false;
	machine.nr_messages = 0;
	w->tba = elf_symbol("saving");
	return saves(HANDLER + GFX9_PARK, STATUS_HALT | STATUS_PRIV, 0);
}

/* a hit that skids is in the same entry */
static bool saves_with_hit(void)
{
	prepare("skidding", elf_symbol("saving"));
	w->single_memop = false;
	w->max_skid = 4;
	w->skid_state = 2;
	watch(0, DATA, 1);
	if (sim_wave_run(w, 1) != SIM_STOP_BUDGET || !w->pending || !w->skid)
		return false;
	return saves(w->pc, STATUS_PRIV, TRAPSTS_WATCH0) && !w->pending;
}

/* each return from a handler enters it again, until it has seen to it */
static bool saves_after_handler(void)
{
	prepare("user_halt", elf_symbol("busy"));
	w->s[20] = 0;
	w->status |= STATUS_PRIV;
	w->trapsts = TRAPSTS_SAVECTX;
	/* halted, but in a handler */
	if (sim_wave_run(w, 1) != SIM_STOP_BUDGET || w->s[20])
		return false;
	w->status &= ~STATUS_PRIV;
	return run() == SIM_STOP_HALTED && w->s[20] == 5;
}

static bool without_handler(void)
{
	prepare("store", 0);
	w->trapsts = TRAPSTS_SAVECTX;
	if (run() != SIM_STOP_ENDED)
		return false;
	prepare("store", elf_symbol("saving"));
	w->status &= ~STATUS_TRAP_EN;
	w->trapsts = TRAPSTS_SAVECTX;
	return run() == SIM_STOP_ENDED && !machine.nr_messages;
}

static void context_saves(void)
{
	prepare("store", elf_symbol("saving"));
	tap_ok(saves(elf_symbol("store"), STATUS_PRIV, 0),
	       "SAVECTX: a wave that runs");
	tap_ok(saves_halted(), "SAVECTX: a wave that is halted");
	tap_ok(saves_at_end(), "SAVECTX: a wave that is halted at its end");
	tap_ok(saves_parked(), "SAVECTX: a wave with a hit right before its end");
	tap_ok(saves_at_barrier(), "SAVECTX: a wave at a barrier");
	tap_ok(saves_with_hit(), "SAVECTX: a wave with a hit");
	tap_ok(saves_after_handler(), "SAVECTX: a wave in a handler");
	tap_ok(without_handler(), "SAVECTX: a wave without a handler");
	prepare("user_saved", HANDLER);
	tap_ok(run() == SIM_STOP_ENDED, "s_endpgm_saved of a program ends it");
}

int main(int argc, char **argv)
{
	if (argc < 2 || !elf_load(argv[1], CODE))
		return 2;
	data = machine_map(DATA, DATA_SIZE);
	tma = machine_map(TMA, TMA_SIZE);
	memcpy(machine_map(HANDLER, gfx9_handler.nr_words * 4),
	       gfx9_handler.image, gfx9_handler.nr_words * 4);
	w = machine_wave(NR_VGPRS);
	tap_plan(18 + 13 + 22 + 18 + 3 + 9 + 9);
	watch_hits();
	arithmetic();
	events();
	exceptions();
	launches();
	steps();
	context_saves();
	return tap_status();
}
