// SPDX-License-Identifier: GPL-2.0
/*
 * Stepping as described by the ISA table, against the interpreter: classes of
 * instructions, simulated ones, others at a different address.
 */
#include <stdlib.h>
#include <string.h>
#include "../tap.h"
#include "displace.h"

#define CODE		0x100000000ull
#define TOP		0xfffffffff000ull	/* the last page of a pc */
#define PAGE		0x1000
#define DATA		0x7f0000aa0000ull
#define NR_VGPRS	24
#define RANDOM		200000
#define VCC		GFX9_SRC_VCC
#define EXEC		GFX9_SRC_EXEC
#define MODE_CSP_OF(n)	((u32)(n) << MODE_CSP_SHIFT)
#define SIMM(x)		((u32)(x) & 0xffff)

/* words */
#define S_NOP			0xbf800000u
#define S_ENDPGM		0xbf810000u
#define S_BRANCH(x)		(0xbf820000u | SIMM(x))
#define S_CBRANCH(op, x)	(0xbf800000u | (op) << 16 | SIMM(x))
#define S_GETPC(d)		(0xbe801c00u | (d) << 16)
#define S_SETPC(s)		(0xbe801d00u | (s))
#define S_SWAPPC(d, s)		(0xbe801e00u | (d) << 16 | (s))
#define S_RFE(s)		(0xbe801f00u | (s))
#define S_JOIN(s)		(0xbe802e00u | (s))
#define S_CALL(d, x)		(0xba800000u | (d) << 16 | SIMM(x))
#define S_I_FORK(d, x)		(0xb8000000u | (d) << 16 | SIMM(x))
#define S_G_FORK(c, t)		(0x94800000u | (c) | (t) << 8)
#define S_SETREG(d, x)		(0xb9000000u | (d) << 16 | SIMM(x))
#define S_SETREG_IMM(x)		(0xba000000u | SIMM(x))
#define LITERAL			255

static unsigned long long seed = 0x5745b1d0c0ffee11;
static struct sim_wave *w, *other;
static u8 *data;

static u64 rnd(void)
{
	return tap_random(&seed);
}

static u64 pair(const struct sim_wave *of, unsigned int reg)
{
	return of->s[reg] | (u64)of->s[reg + 1] << 32;
}

static void set_pair(unsigned int reg, u64 value)
{
	w->s[reg] = value;
	w->s[reg + 1] = value >> 32;
}

/* ---- states ---------------------------------------------------------------- */

/* some bits, a few, none, all */
static u64 mask(void)
{
	switch (rnd() & 7) {
	case 0:
		return 0;
	case 1:
		return ~0ull;
	case 2:
		return 1ull << (rnd() & 63);
	default:
		return rnd() & rnd();
	}
}

static void random_state(void)
{
	unsigned int reg, lane;

	for (reg = 0; reg < 128; reg++)
		w->s[reg] = rnd() >> (rnd() & 31);
	for (reg = 0; reg < NR_VGPRS; reg++)
		for (lane = 0; lane < SIM_LANES; lane++)
			w->v[reg][lane] = reg & 1 ? DATA >> 32 :
					  (u32)DATA + rnd() % PAGE;
	set_pair(EXEC, mask());
	set_pair(VCC, mask());
	set_pair(4, DATA + (rnd() & 0xffc));
	w->mode = rnd() & ~MODE_DEBUG_EN;
	w->status = STATUS_VALID | (rnd() & (STATUS_SCC | STATUS_IN_TG |
					     STATUS_COND_DBG_USER |
					     STATUS_COND_DBG_SYS));
	w->trapsts = w->pending = w->skid = w->fatal_trapsts = 0;
	w->fatal_trap_id = 0;
	w->in_barrier = false;
	w->arch = rnd() & 1 ? GFX9_GFX90A : GFX9_GFX900;
}

/* the state of @w, with vectors of its own */
static void copy_wave(struct sim_wave *to)
{
	u32 (*v)[SIM_LANES] = to->v;

	memcpy(to, w, offsetof(struct sim_wave, work));
	to->v = v;
	memcpy(v, w->v, NR_VGPRS * sizeof(*v));
}

static bool same_waves(void)
{
	return !memcmp(w->s, other->s, sizeof(w->s)) &&
	       !memcmp(w->v, other->v, NR_VGPRS * sizeof(*w->v)) &&
	       w->pc == other->pc && w->mode == other->mode &&
	       w->status == other->status && w->trapsts == other->trapsts &&
	       w->pending == other->pending && w->skid == other->skid &&
	       w->in_barrier == other->in_barrier &&
	       w->fatal_trapsts == other->fatal_trapsts &&
	       w->fatal_trap_id == other->fatal_trap_id;
}

static void put_code(u64 pc, u32 word, u32 next)
{
	u8 *at = machine_at(pc, 4);

	memcpy(at, &word, 4);
	at = machine_at(pc + 4, 4);
	if (at)
		memcpy(at, &next, 4);
	w->pc = pc;
}

static bool decode(u32 word, u32 next, struct gpubp_insn *insn)
{
	u32 words[] = { word, next };

	return !displace_isa(w->arch)->decode(words, sizeof(words), insn);
}

/* ---- classes ----------------------------------------------------------------- */

static const char *const simulated[] = {
	"s_branch", "s_cbranch_scc0", "s_cbranch_scc1", "s_cbranch_vccz",
	"s_cbranch_vccnz", "s_cbranch_execz", "s_cbranch_execnz",
	"s_cbranch_cdbgsys", "s_cbranch_cdbguser", "s_cbranch_cdbgsys_or_user",
	"s_cbranch_cdbgsys_and_user", "s_getpc_b64", "s_setpc_b64",
	"s_swappc_b64", "s_call_b64", "s_cbranch_i_fork", "s_cbranch_g_fork",
	"s_cbranch_join",
};

static const char *const ends[] = {
	"s_endpgm", "s_endpgm_saved", "s_endpgm_ordered_ps_done",
};

static const char *const privileged[] = { "s_rfe_b64", "s_rfe_restore_b64" };

#define IS_ONE_OF(name, list)						\
	is_one_of(name, list, sizeof(list) / sizeof((list)[0]))

static bool is_one_of(const char *name, const char *const *list,
		      unsigned int nr)
{
	while (nr--)
		if (!strcmp(name, list[nr]))
			return true;
	return false;
}

/* instructions whose class depends on operands have separate tests */
static bool is_special(const char *name)
{
	return !strncmp(name, "s_setreg", 8) || !strcmp(name, "s_setkill");
}

static bool class_is_right(const char *name, const struct gpubp_insn *insn)
{
	if (IS_ONE_OF(name, simulated))
		return insn->step == GPUBP_STEP_SIMULATED ||
		       insn->step == GPUBP_STEP_NEVER;
	if (IS_ONE_OF(name, ends))
		return insn->step == GPUBP_STEP_END;
	if (IS_ONE_OF(name, privileged))
		return insn->step == GPUBP_STEP_NEVER;
	return is_special(name) || insn->step == GPUBP_STEP_DISPLACED;
}

/* number of opcodes, by class */
static unsigned int nr_of_class[4];

static bool one_class(u32 word)
{
	struct gpubp_insn insn;
	struct gfx9_inst inst;

	if (gfx9_decode(w->arch, (u32[]){ word, 0 }, 2, &inst) < 0)
		return true;
	if (!decode(word, 0, &insn) || !class_is_right(inst.name, &insn)) {
		tap_note("%s, %08x: %u", inst.name, word, insn.step);
		return false;
	}
	nr_of_class[insn.step]++;
	return true;
}

/* SOP1 has its opcode in bits 15 to 8, all others above */
static bool classes_of(u32 top)
{
	u32 low = 0x0604;
	bool ok = one_class(top | low) && one_class(top);

	if ((top & 0xff800000) == 0xbe800000)
		for (low = 0; low < 0x10000 && ok; low += 0x100)
			ok = one_class(top | low | 4);
	return ok;
}

static void classes(void)
{
	bool ok = true;
	u32 top;

	for (top = 0; top < 0x10000 && ok; top++) {
		w->arch = GFX9_GFX900;
		ok = classes_of(top << 16);
		w->arch = GFX9_GFX90A;
		ok &= classes_of(top << 16);
	}
	tap_ok(ok && nr_of_class[GPUBP_STEP_DISPLACED] > 10000 &&
	       nr_of_class[GPUBP_STEP_SIMULATED] > 100 &&
	       nr_of_class[GPUBP_STEP_END] > 2 * 3 &&
	       nr_of_class[GPUBP_STEP_NEVER] > 100, "each opcode has its class");
}

static bool has_class(u32 word, enum gpubp_step_class step)
{
	struct gpubp_insn insn;

	return decode(word, 0x1234, &insn) && insn.step == step;
}

static bool undecoded(void)
{
	struct gpubp_insn insn = {};

	return !decode(0xffffffff, 0, &insn) && insn.step == GPUBP_STEP_NEVER;
}

#define HWREG(id, offset, size)	((id) | (offset) << 6 | ((size) - 1) << 11)

static void odd_classes(void)
{
	static const u32 never[] = {
		S_SETPC(5), S_SETPC(124), S_SETPC(125), S_SETPC(240),
		S_SETPC(235), S_SETPC(253), S_GETPC(3), S_GETPC(108),
		S_GETPC(124), S_SWAPPC(7, 4), S_SWAPPC(4, 7), S_CALL(9, 1),
		S_CALL(122, 1), S_I_FORK(5, 1), S_G_FORK(5, 2), S_G_FORK(2, 5),
		S_JOIN(125), S_JOIN(253), S_RFE(4),
	};
	unsigned int n;
	bool ok = true;

	for (n = 0; n < sizeof(never) / sizeof(never[0]); n++)
		ok &= has_class(never[n], GPUBP_STEP_NEVER);
	tap_ok(ok, "operands without documentation");
	tap_ok(undecoded(), "what is no instruction");
	tap_ok(has_class(0xbf8b0000, GPUBP_STEP_DISPLACED) &&
	       has_class(0xbf8b0001, GPUBP_STEP_END), "s_setkill 0 and 1");
	tap_ok(has_class(S_SETREG(2, HWREG(1, 11, 1)), GPUBP_STEP_SIMULATED) &&
	       has_class(S_SETREG_IMM(HWREG(1, 0, 32)),
			 GPUBP_STEP_SIMULATED) &&
	       has_class(S_SETREG(2, HWREG(1, 12, 20)), GPUBP_STEP_DISPLACED) &&
	       has_class(S_SETREG_IMM(HWREG(1, 0, 11)), GPUBP_STEP_DISPLACED) &&
	       has_class(S_SETREG(2, HWREG(3, 0, 32)), GPUBP_STEP_DISPLACED),
	       "s_setreg of what makes it stop, and others");
}

/* ---- simulated instructions ---------------------------------------------------- */

static u32 simulated_word(void)
{
	static const u8 sopp[] = { 2, 4, 5, 6, 7, 8, 9, 23, 24, 25, 26 };
	u32 r = rnd(), d = (r >> 8) & 0x7e, s = (r >> 16) & 0xff;
	u32 hwreg = HWREG(1, (r >> 3) & 31, 1 + (r >> 20) % 32);

	if ((r >> 25) & 1)	/* registers, or small constants */
		s &= 0x9e;
	switch (r & 7) {
	case 0:
		return S_GETPC(d);
	case 1:
		return S_SETPC(s);
	case 2:
		return S_SWAPPC(d, s);
	case 3:
		return S_JOIN(s);
	case 4:
		return S_CALL(d, rnd());
	case 5:
		return S_I_FORK(d, rnd());
	case 6:
		return (r >> 24) & 1 ? S_G_FORK(s, (r >> 9) & 0x7e) :
		       (r >> 26) & 1 ? S_SETREG(d, hwreg) : S_SETREG_IMM(hwreg);
	default:
		return S_CBRANCH(sopp[rnd() % sizeof(sopp)], rnd());
	}
}

/* @insn is at @w's pc; false: it is illegal */
static bool simulate(const struct gpubp_insn *insn)
{
	struct gpubp_step_effect effect;
	u32 regs[GPUBP_MAX_STEP_VALUES];

	displace_read(w, insn->step_regs, insn->nr_step_regs, regs);
	if (displace_isa(w->arch)->simulate(insn, w->pc, regs, &effect))
		return false;
	displace_apply(w, &effect);
	return true;
}

/* simulated in one wave, executed in the other */
static bool agrees(const struct gpubp_insn *insn, bool *legal)
{
	copy_wave(other);
	sim_wave_run(other, 1);
	*legal = !(other->trapsts & TRAPSTS_ILLEGAL_INST);
	if (!simulate(insn))
		return !*legal;
	return *legal && same_waves();
}

/* anywhere, or where it wraps */
static u64 random_pc(void)
{
	u64 page = rnd() & 3 ? CODE : rnd() & 1 ? TOP : 0;

	return page + (rnd() & 1 ? 0 : rnd() & 1 ? PAGE - 8 : rnd() & 0xff8);
}

static bool one_simulation(unsigned int *nr_legal, unsigned int *nr_illegal)
{
	u32 word = simulated_word(), next = rnd();
	struct gpubp_insn insn;
	bool legal, ok;

	random_state();
	put_code(random_pc(), word, next);
	if (!decode(word, next, &insn) || insn.step != GPUBP_STEP_SIMULATED)
		return true;
	ok = agrees(&insn, &legal);
	*nr_legal += legal;
	*nr_illegal += !legal;
	if (!ok)
		tap_note("%08x %08x: pc %llx, should be %llx", word, next,
			 (unsigned long long)w->pc,
			 (unsigned long long)other->pc);
	return ok;
}

static void simulations(void)
{
	unsigned int n, legal = 0, illegal = 0;
	bool ok = true;

	for (n = 0; n < RANDOM && ok; n++)
		ok = one_simulation(&legal, &illegal);
	tap_ok(ok && legal > RANDOM / 4 && illegal,
	       "simulated as executed, %u times; illegal in both, %u times",
	       legal, illegal);
}

/* ---- simulated instructions: what they do ------------------------------------- */

static void quiet_state(void)
{
	memset(w->s, 0, sizeof(w->s));
	set_pair(EXEC, ~0ull);
	w->mode = 0;
	w->status = STATUS_VALID;
	w->trapsts = w->pending = 0;
	w->arch = GFX9_GFX90A;
}

/* from @pc with @word to @to, also in the interpreter */
static bool jumps(u64 pc, u32 word, u64 to)
{
	struct gpubp_insn insn;
	bool legal;

	put_code(pc, word, 0x00001000);
	return decode(word, 0x00001000, &insn) &&
	       insn.step == GPUBP_STEP_SIMULATED && agrees(&insn, &legal) &&
	       legal && w->pc == to;
}

static bool is_illegal(u32 word)
{
	struct gpubp_insn insn;
	bool legal;

	put_code(CODE, word, 0);
	return decode(word, 0, &insn) && agrees(&insn, &legal) && !legal;
}

static void branches(void)
{
	quiet_state();
	tap_ok(jumps(CODE + 64, S_BRANCH(-1), CODE + 64), "to itself");
	tap_ok(jumps(CODE + 64, S_BRANCH(-17), CODE) &&
	       jumps(CODE, S_BRANCH(15), CODE + 64) &&
	       jumps(CODE, S_BRANCH(0x7fff), CODE + 0x20000) &&
	       jumps(CODE, S_BRANCH(0x8000), CODE - 0x1fffc),
	       "backwards and forwards, as far as it goes");
	tap_ok(jumps(CODE, S_CBRANCH(4, 7), CODE + 32) &&
	       jumps(CODE, S_CBRANCH(5, 7), CODE + 4) &&
	       jumps(CODE, S_CBRANCH(6, 7), CODE + 32) &&
	       jumps(CODE, S_CBRANCH(7, 7), CODE + 4) &&
	       jumps(CODE, S_CBRANCH(8, 7), CODE + 4) &&
	       jumps(CODE, S_CBRANCH(9, 7), CODE + 32), "scc 0, vcc 0, exec all");
	set_pair(EXEC, 0);
	set_pair(VCC, 1ull << 63);
	w->status |= STATUS_SCC;
	tap_ok(jumps(CODE, S_CBRANCH(4, -9), CODE + 4) &&
	       jumps(CODE + 64, S_CBRANCH(5, -9), CODE + 32) &&
	       jumps(CODE, S_CBRANCH(6, -9), CODE + 4) &&
	       jumps(CODE + 64, S_CBRANCH(7, -9), CODE + 32) &&
	       jumps(CODE + 64, S_CBRANCH(8, -9), CODE + 32) &&
	       jumps(CODE, S_CBRANCH(9, -9), CODE + 4),
	       "scc 1, vcc of the last lane, exec 0");
	w->status |= STATUS_COND_DBG_USER;
	tap_ok(jumps(CODE, S_CBRANCH(23, 3), CODE + 4) &&
	       jumps(CODE, S_CBRANCH(24, 3), CODE + 16) &&
	       jumps(CODE, S_CBRANCH(25, 3), CODE + 16) &&
	       jumps(CODE, S_CBRANCH(26, 3), CODE + 4), "s_cbranch_cdbg*");
	tap_ok(jumps(TOP + PAGE - 4, S_BRANCH(3), 12) &&
	       jumps(0, S_BRANCH(-3), TOP + PAGE - 8) &&
	       jumps(TOP + PAGE - 4, S_CBRANCH(9, 3), 0), "pc has 48 bits");
}

static void calls(void)
{
	quiet_state();
	tap_ok(jumps(CODE, S_CALL(30, 63), CODE + 256) &&
	       pair(w, 30) == CODE + 4 &&
	       jumps(CODE + 256, S_CALL(32, -65), CODE) &&
	       pair(w, 32) == CODE + 260 &&
	       jumps(CODE, S_SETPC(32), CODE + 260) &&
	       jumps(CODE + 260, S_SETPC(30), CODE + 4), "a chain of calls");
	set_pair(30, CODE + 512);
	tap_ok(jumps(CODE, S_SWAPPC(30, 30), CODE + 512) &&
	       pair(w, 30) == CODE + 4, "s_swappc_b64 of a register with itself");
	tap_ok(jumps(CODE, S_GETPC(VCC), CODE + 4) && pair(w, VCC) == CODE + 4,
	       "s_getpc_b64");
	set_pair(8, 0xabcd000100000102);
	tap_ok(jumps(CODE, S_SETPC(8), 0x000100000100),
	       "only 48 bits of a pc, and whole words");
	tap_ok(jumps(CODE, S_SETPC(LITERAL), 0x1000) &&
	       jumps(CODE, S_SWAPPC(10, 128 + 20), 20) &&
	       pair(w, 10) == CODE + 4 && jumps(CODE, S_SETPC(193), TOP + PAGE - 4),
	       "constants");
	w->s[108] = 0x12340;
	tap_ok(jumps(CODE, S_SETPC(108), 0), "ttmps read as zero");
	tap_ok(jumps(TOP + PAGE - 4, S_GETPC(4), 0) && !pair(w, 4) &&
	       jumps(TOP + PAGE - 4, S_CALL(4, 1), 4) && !pair(w, 4),
	       "behind the last word comes the first");
}

static void mode_writes(void)
{
	quiet_state();
	w->mode = 0x0f5f2345;
	w->s[9] = 0xfffffff1;
	tap_ok(jumps(CODE, S_SETREG(9, HWREG(1, 8, 5)), CODE + 4) &&
	       w->mode == (0x0f5f2345u & ~0x1f00u) + (0x11 << 8) &&
	       jumps(CODE, S_SETREG_IMM(HWREG(1, 0, 32)), CODE + 8) &&
	       w->mode == 0x1000, "s_setreg of MODE");
}

/* ---- forks ---------------------------------------------------------------------- */

/* both forms, with the target in s[40:41] */
static bool forks(u64 pc, bool reg, unsigned int cond, u64 target, u64 to)
{
	s64 words = (s64)(target - pc - 4) / 4;

	set_pair(40, target);
	return jumps(pc, reg ? S_G_FORK(cond, 40) : S_I_FORK(cond, words), to);
}

static unsigned int csp(void)
{
	return w->mode >> MODE_CSP_SHIFT;
}

static bool uniform(bool reg)
{
	bool ok;

	quiet_state();
	set_pair(42, ~0ull);
	ok = forks(CODE, reg, 42, CODE + 64, CODE + 64);
	ok &= forks(CODE, reg, 44, CODE + 64, CODE + 4);
	set_pair(EXEC, 0);
	ok &= forks(CODE, reg, 44, CODE + 64, CODE + 64);
	return ok && !csp() && !pair(w, EXEC);
}

/* three of eight lanes branch: they run first, then the others */
static bool diverges(bool reg)
{
	bool ok;

	quiet_state();
	set_pair(EXEC, 0xff);
	set_pair(42, 0xffff07);
	ok = forks(CODE, reg, 42, CODE + 64, CODE + 64);
	ok &= pair(w, EXEC) == 0x07 && csp() == 1 && pair(w, 0) == 0xf8 &&
	      pair(w, 2) == CODE + 4;
	ok &= jumps(CODE + 64, S_JOIN(128), CODE + 4) &&
	      pair(w, EXEC) == 0xf8 && !csp();
	/* five of eight: the others run first */
	set_pair(EXEC, 0xff);
	set_pair(42, 0x1f);
	ok &= forks(CODE, reg, 42, CODE + 64, CODE + 4);
	ok &= pair(w, EXEC) == 0xe0 && csp() == 1 && pair(w, 0) == 0x1f &&
	      pair(w, 2) == CODE + 64;
	return ok && jumps(CODE + 4, S_JOIN(128), CODE + 64) &&
	       jumps(CODE + 64, S_JOIN(128), CODE + 68) &&
	       pair(w, EXEC) == 0x1f;
}

/* one lane of eight branches at each level; the eighth level does not fit */
static bool nests(bool reg)
{
	unsigned int level;
	bool ok = true;

	quiet_state();
	set_pair(42, 1);
	for (level = 0; level < 7; level++) {
		set_pair(EXEC, 0xff);
		ok &= forks(CODE, reg, 42, CODE + 64, CODE + 64) &&
		      csp() == level + 1;
	}
	set_pair(EXEC, 0xff);
	set_pair(40, CODE + 64);
	ok &= is_illegal(reg ? S_G_FORK(42, 40) : S_I_FORK(42, 15)) &&
	      csp() == 7;
	/* down to level 2 */
	w->s[50] = 2;
	for (level = 7; level > 2; level--)
		ok &= jumps(CODE + 64, S_JOIN(50), CODE + 4) &&
		      csp() == level - 1;
	return ok && jumps(CODE + 64, S_JOIN(50), CODE + 68) && csp() == 2;
}

static void fork_stack(void)
{
	bool reg;
	int i;

	for (i = 0; i < 2; i++) {
		const char *name = i ? "s_cbranch_g_fork" : "s_cbranch_i_fork";

		reg = i;
		tap_ok(uniform(reg), "%s: all lanes, or none", name);
		tap_ok(diverges(reg), "%s: the smaller side first", name);
		tap_ok(nests(reg), "%s: seven levels and no more", name);
	}
	quiet_state();
	tap_ok(is_illegal(S_JOIN(129)), "s_cbranch_join of an empty stack");
}

/* ---- displaced instructions ------------------------------------------------------ */

/* memory that both waves change, before and after the first one ran */
static u8 before[PAGE], after[PAGE], lds[LDS_SIZE];

static bool same_memory(unsigned int nr_messages)
{
	return !memcmp(data, after, PAGE) &&
	       !memcmp(machine.lds, lds, LDS_SIZE) &&
	       machine.nr_messages == nr_messages;
}

static void reset_memory(bool with_lds)
{
	memcpy(data, before, PAGE);
	if (with_lds)
		memset(machine.lds, 0x5a, LDS_SIZE);
	machine.nr_messages = 0;
	machine.time = 0;
}

/* DS, FLAT, MUBUF to LDS: LDS is large and few instructions access it */
static bool accesses_lds(u32 word)
{
	return word >> 26 == 0x36 || word >> 26 == 0x37 ||
	       (word >> 26 == 0x38 && (word >> 16 & 1));
}

/* in place, and in the buffer */
static bool same_elsewhere(u32 word)
{
	bool with_lds = accesses_lds(word);
	enum sim_stop here, there;
	unsigned int nr_messages;

	copy_wave(other);
	reset_memory(with_lds);
	here = sim_wave_run(other, 1);
	nr_messages = machine.nr_messages;
	memcpy(after, data, PAGE);
	if (with_lds)
		memcpy(lds, machine.lds, LDS_SIZE);
	reset_memory(with_lds);
	there = displace_step(w);
	return here == there && same_waves() && same_memory(nr_messages);
}

/* instructions of this class leave the pc at or behind themselves */
static bool keeps_pc(u32 word, const struct gpubp_insn *insn)
{
	bool trapped = w->pending || w->fatal_trap_id ||
		       (word >> 16) == 0xbf92;

	return w->pc == CODE + insn->len || (trapped && w->pc == CODE);
}

static u32 random_word(void)
{
	static const struct { u32 mask, match; } encodings[] = {
		{ 0xfe000000, 0x7e000000 }, { 0xfe000000, 0x7c000000 },
		{ 0x80000000, 0x00000000 }, { 0xff800000, 0xbe800000 },
		{ 0xff800000, 0xbf000000 }, { 0xff800000, 0xbf800000 },
		{ 0xf0000000, 0xb0000000 }, { 0xc0000000, 0x80000000 },
		{ 0xfc000000, 0xc0000000 }, { 0xff800000, 0xd3800000 },
		{ 0xfc000000, 0xd0000000 }, { 0xfc000000, 0xd8000000 },
		{ 0xfc000000, 0xdc000000 }, { 0xfc000000, 0xe0000000 },
	};
	u64 r = rnd();
	u32 word = r, n = (r >> 32) % 14;

	word = (word & ~encodings[n].mask) | encodings[n].match;
	return r >> 40 & 1 ? word & 0xfff71f1f : word;
}

static bool one_displaced(unsigned int *nr)
{
	u32 word = random_word(), next = rnd();
	struct gpubp_insn insn;

	if (rnd() & 1)
		next &= 0x1f7f1f1f;
	random_state();
	put_code(CODE, word, next);
	if (!decode(word, next, &insn))
		return true;
	++*nr;
	if (same_elsewhere(word) &&
	    (insn.step != GPUBP_STEP_DISPLACED || keeps_pc(word, &insn)))
		return true;
	tap_note("%08x %08x: pc %llx, should be %llx", word, next,
		 (unsigned long long)w->pc, (unsigned long long)other->pc);
	return false;
}

static void displaced(void)
{
	unsigned int n, nr = 0;
	bool ok = true;

	for (n = 0; n < PAGE; n++)
		before[n] = rnd();
	memset(lds, 0x5a, LDS_SIZE);
	memset(machine.lds, 0x5a, LDS_SIZE);
	for (n = 0; n < RANDOM && ok; n++)
		ok = one_displaced(&nr);
	tap_ok(ok && nr > RANDOM / 4, "the same elsewhere: %u instructions",
	       nr);
}

int main(void)
{
	machine_map(CODE, PAGE);
	data = machine_map(DATA, PAGE);
	w = machine_wave(NR_VGPRS);
	other = machine_wave(NR_VGPRS);
	w->acc_offset = other->acc_offset = 16;
	tap_plan(5 + 1 + 6 + 7 + 1 + 7 + 1);
	classes();
	odd_classes();
	displaced();
	machine_map(TOP, PAGE);
	machine_map(0, PAGE);
	simulations();
	branches();
	calls();
	mode_writes();
	fork_stack();
	machine_reset();
	return tap_status();
}
