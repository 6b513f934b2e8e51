// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions that cannot be executed elsewhere, and what they do.
 *
 * Nothing but SALU and program control knows the pc: no memory instruction
 * addresses by it, s_getreg has no id for it, and those that change how others
 * are executed (s_set_gpr_idx_on, s_setvskip, s_nop and s_waitcnt before what
 * depends on them) do so whatever executes in between, as the handler, which
 * is entered there, uses neither vector instructions nor relative registers.
 *
 * Operands: AMD "Vega" ISA document, chapter on the scalar ALU. It does not say
 * what odd register pairs, or constants that are no integers, are to a jump:
 * who has them is left alone (GPUBP_STEP_NEVER).
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include "regs.h"
#include "step.h"

/* the pc is a dword's, and has 48 bits */
#define PC_MASK			0xfffffffffffcull

/* the stack of s_cbranch_*_fork: levels of mask and pc, from s0 on */
#define LEVEL_REGS		4
#define MAX_LEVELS		8
#define STACK_REGS		((MAX_LEVELS - 1) * LEVEL_REGS)

/* s_cbranch_join: level, MODE, the stack; *_fork: a level, MODE, exec */
static_assert(2 + STACK_REGS <= GPUBP_MAX_STEP_VALUES);
static_assert(LEVEL_REGS + 3 <= GPUBP_MAX_EFFECT_VALUES);

enum sop1 { GETPC = 28, SETPC = 29, SWAPPC = 30, RFE = 31, JOIN = 46 };
enum sop2 { G_FORK = 41, RFE_RESTORE = 43 };
enum sopk { I_FORK = 16, SETREG = 18, SETREG_IMM = 20, CALL = 21 };
enum sopp {
	ENDPGM = 1, BRANCH = 2, SCC0 = 4, SCC1, VCCZ, VCCNZ, EXECZ, EXECNZ,
	SETKILL = 11, CDBGSYS = 23, CDBGUSER, CDBGSYS_OR_USER,
	CDBGSYS_AND_USER, ENDPGM_SAVED, ENDPGM_ORDERED = 30,
};

/* isa_priv; its first belongs to access.c */
enum { PRIV_WORD0 = 1, PRIV_WORD1, PRIV_ARCH };

#define HWREG_ID(simm16)	((simm16) & 0x3f)
#define HWREG_OFFSET(simm16)	(((simm16) >> 6) & 0x1f)
#define HWREG_SIZE(simm16)	((((simm16) >> 11) & 0x1f) + 1)

/* ---- classes ------------------------------------------------------------- */

static enum gpubp_step_class sopp_class(const struct gfx9_inst *i)
{
	switch (i->op) {
	case BRANCH:
	case SCC0 ... EXECNZ:
	case CDBGSYS ... CDBGSYS_AND_USER:
		return GPUBP_STEP_SIMULATED;
	case ENDPGM:
	case ENDPGM_SAVED:
	case ENDPGM_ORDERED:
		return GPUBP_STEP_END;
	case SETKILL:
		return i->simm16 & 1 ? GPUBP_STEP_END : GPUBP_STEP_DISPLACED;
	default:
		return GPUBP_STEP_DISPLACED;
	}
}

static u32 field_mask(unsigned int simm16)
{
	return GENMASK(HWREG_SIZE(simm16) - 1, 0) << HWREG_OFFSET(simm16);
}

/* a stepped wave would not stop behind it, or it would be undone */
static bool sets_debug_en(const struct gfx9_inst *i)
{
	return HWREG_ID(i->simm16) == HWREG_MODE &&
	       (field_mask(i->simm16) & MODE_DEBUG_EN);
}

static enum gpubp_step_class sopk_class(const struct gfx9_inst *i)
{
	switch (i->op) {
	case I_FORK:
	case CALL:
		return GPUBP_STEP_SIMULATED;
	case SETREG:
	case SETREG_IMM:
		return sets_debug_en(i) ? GPUBP_STEP_SIMULATED :
					  GPUBP_STEP_DISPLACED;
	default:
		return GPUBP_STEP_DISPLACED;
	}
}

static enum gpubp_step_class sop1_class(const struct gfx9_inst *i)
{
	switch (i->op) {
	case GETPC:
	case SETPC:
	case SWAPPC:
	case JOIN:
		return GPUBP_STEP_SIMULATED;
	case RFE:
		return GPUBP_STEP_NEVER;
	default:
		return GPUBP_STEP_DISPLACED;
	}
}

static enum gpubp_step_class sop2_class(const struct gfx9_inst *i)
{
	switch (i->op) {
	case G_FORK:
		return GPUBP_STEP_SIMULATED;
	case RFE_RESTORE:
		return GPUBP_STEP_NEVER;
	default:
		return GPUBP_STEP_DISPLACED;
	}
}

static enum gpubp_step_class class_of(const struct gfx9_inst *i)
{
	switch (i->fmt) {
	case GFX9_ILLEGAL:
		return GPUBP_STEP_NEVER;
	case GFX9_SOPP:
		return sopp_class(i);
	case GFX9_SOPK:
		return sopk_class(i);
	case GFX9_SOP1:
		return sop1_class(i);
	case GFX9_SOP2:
		return sop2_class(i);
	default:
		return GPUBP_STEP_DISPLACED;
	}
}

/* ---- registers that are needed ------------------------------------------- */

static bool need(struct gpubp_insn *insn, enum gpubp_regfile file,
		 unsigned int first, unsigned int count)
{
	insn->step_regs[insn->nr_step_regs++] = (struct gpubp_reg_req) {
		.file = file, .first = first, .count = count,
	};
	return true;
}

static bool is_ttmp(unsigned int code)
{
	return code >= GFX9_SRC_TTMP && code < GFX9_SRC_TTMP + 16;
}

/* @count consecutive registers; behind m0 there is none */
static bool is_sreg(unsigned int code, unsigned int count)
{
	return code + count <= 128 && code % count == 0 &&
	       code + count - 1 != GFX9_SRC_M0 + 1;
}

static bool is_int(unsigned int code)
{
	return code >= 128 && code <= 208;
}

/* false: it is not known what the operand is */
static bool need_source(struct gpubp_insn *insn, unsigned int code,
			unsigned int count)
{
	if (is_int(code) || code == GFX9_SRC_LITERAL)
		return true;
	if (!is_sreg(code, count))
		return false;
	/* outside of the handler they read as zero */
	return is_ttmp(code) || need(insn, GPUBP_REG_SCALAR, code, count);
}

static bool is_target(unsigned int code)
{
	return is_sreg(code, 2) && !is_ttmp(code);
}

static bool need_exec(struct gpubp_insn *insn)
{
	return need(insn, GPUBP_REG_SCALAR, GFX9_SRC_EXEC, 2);
}

static bool need_control(struct gpubp_insn *insn, unsigned int id)
{
	return need(insn, GPUBP_REG_CONTROL, id, 1);
}

static bool need_sopp(const struct gfx9_inst *i, struct gpubp_insn *insn)
{
	switch (i->op) {
	case BRANCH:
		return true;
	case VCCZ:
	case VCCNZ:
		return need(insn, GPUBP_REG_SCALAR, GFX9_SRC_VCC, 2);
	case EXECZ:
	case EXECNZ:
		return need_exec(insn);
	default:
		return need_control(insn, HWREG_STATUS);
	}
}

static bool need_sopk(const struct gfx9_inst *i, struct gpubp_insn *insn)
{
	switch (i->op) {
	case CALL:
		return is_target(i->dst);
	case I_FORK:
		return need_source(insn, i->dst, 2) && need_exec(insn) &&
		       need_control(insn, HWREG_MODE);
	case SETREG:
		return need_source(insn, i->dst, 1) &&
		       need_control(insn, HWREG_MODE);
	default:
		return need_control(insn, HWREG_MODE);
	}
}

static bool need_sop1(const struct gfx9_inst *i, struct gpubp_insn *insn)
{
	switch (i->op) {
	case GETPC:
		return is_target(i->dst);
	case SETPC:
		return need_source(insn, i->src[0], 2);
	case SWAPPC:
		return is_target(i->dst) && need_source(insn, i->src[0], 2);
	default:
		return need_source(insn, i->src[0], 1) &&
		       need_control(insn, HWREG_MODE) &&
		       need(insn, GPUBP_REG_SCALAR, 0, STACK_REGS);
	}
}

static bool need_sop2(const struct gfx9_inst *i, struct gpubp_insn *insn)
{
	return need_source(insn, i->src[0], 2) &&
	       need_source(insn, i->src[1], 2) && need_exec(insn) &&
	       need_control(insn, HWREG_MODE);
}

static bool need_regs(const struct gfx9_inst *i, struct gpubp_insn *insn)
{
	switch (i->fmt) {
	case GFX9_SOPP:
		return need_sopp(i, insn);
	case GFX9_SOPK:
		return need_sopk(i, insn);
	case GFX9_SOP1:
		return need_sop1(i, insn);
	default:
		return need_sop2(i, insn);
	}
}

void gfx9_step_describe(const struct gfx9_inst *inst, const u32 *words,
			struct gpubp_insn *insn)
{
	insn->step = class_of(inst);
	if (insn->step != GPUBP_STEP_SIMULATED)
		return;
	insn->isa_priv[PRIV_WORD0] = words[0];
	insn->isa_priv[PRIV_WORD1] = inst->len > 4 ? words[1] : 0;
	insn->isa_priv[PRIV_ARCH] = inst->arch;
	if (need_regs(inst, insn))
		return;
	insn->step = GPUBP_STEP_NEVER;
	insn->nr_step_regs = 0;
}

/* ---- simulation ---------------------------------------------------------- */

/**
 * struct sim - an instruction that is simulated
 * @i: decoded again
 * @insn: what it asked for
 * @regs: what it got
 * @next: pc of the instruction behind it
 * @out: result
 * @nr_values: used entries of @out->value
 */
struct sim {
	struct gfx9_inst i;
	const struct gpubp_insn *insn;
	const u32 *regs;
	u64 next;
	struct gpubp_step_effect *out;
	unsigned int nr_values;
};

/* one of those that were asked for */
static u32 get(const struct sim *s, enum gpubp_regfile file, unsigned int reg)
{
	const struct gpubp_reg_req *req = s->insn->step_regs;
	const u32 *value = s->regs;
	unsigned int n;

	for (n = 0; n < s->insn->nr_step_regs; n++, req++) {
		if (req->file == file && reg >= req->first &&
		    reg < req->first + req->count)
			return value[reg - req->first];
		value += req->count;
	}
	return 0;
}

static u64 get64(const struct sim *s, unsigned int reg)
{
	return get(s, GPUBP_REG_SCALAR, reg) |
	       (u64)get(s, GPUBP_REG_SCALAR, reg + 1) << 32;
}

static s64 int_value(unsigned int code)
{
	return code <= 192 ? (s64)code - 128 : 192 - (s64)code;
}

static u64 source64(const struct sim *s, unsigned int code)
{
	if (is_int(code))
		return int_value(code);
	return code == GFX9_SRC_LITERAL ? s->i.literal : get64(s, code);
}

static u32 source32(const struct sim *s, unsigned int code)
{
	if (is_int(code))
		return int_value(code);
	return code == GFX9_SRC_LITERAL ? s->i.literal :
					  get(s, GPUBP_REG_SCALAR, code);
}

static void put(struct sim *s, enum gpubp_regfile file, unsigned int reg,
		unsigned int count, const u32 *values)
{
	unsigned int n;

	s->out->reg[s->out->nr++] = (struct gpubp_reg_req) {
		.file = file, .first = reg, .count = count,
	};
	for (n = 0; n < count; n++)
		s->out->value[s->nr_values++] = values[n];
}

static void put64(struct sim *s, unsigned int reg, u64 value)
{
	u32 values[] = { value, value >> 32 };

	put(s, GPUBP_REG_SCALAR, reg, 2, values);
}

static void put_mode(struct sim *s, u32 mode)
{
	put(s, GPUBP_REG_CONTROL, HWREG_MODE, 1, &mode);
}

static void go(struct sim *s, u64 pc)
{
	s->out->pc = pc & PC_MASK;
}

static u64 branch_target(const struct sim *s)
{
	return (s->next + (s64)(s16)s->i.simm16 * 4) & PC_MASK;
}

static bool is_taken(const struct sim *s)
{
	u32 status = get(s, GPUBP_REG_CONTROL, HWREG_STATUS);
	bool user = status & STATUS_COND_DBG_USER;
	bool sys = status & STATUS_COND_DBG_SYS;

	switch (s->i.op) {
	case SCC0:		return !(status & STATUS_SCC);
	case SCC1:		return status & STATUS_SCC;
	case VCCZ:		return !get64(s, GFX9_SRC_VCC);
	case VCCNZ:		return get64(s, GFX9_SRC_VCC);
	case EXECZ:		return !get64(s, GFX9_SRC_EXEC);
	case EXECNZ:		return get64(s, GFX9_SRC_EXEC);
	case CDBGSYS:		return sys;
	case CDBGUSER:		return user;
	case CDBGSYS_OR_USER:	return sys || user;
	case CDBGSYS_AND_USER:	return sys && user;
	default:		return true;
	}
}

static u32 get_mode(const struct sim *s)
{
	return get(s, GPUBP_REG_CONTROL, HWREG_MODE);
}

static u32 mode_at(u32 mode, unsigned int depth)
{
	return (mode & ~MODE_CSP) | depth << MODE_CSP_SHIFT;
}

static void push(struct sim *s, u64 mask, u64 pc)
{
	u32 level[] = { mask, mask >> 32, pc, pc >> 32 };
	unsigned int depth = get_mode(s) >> MODE_CSP_SHIFT;

	put(s, GPUBP_REG_SCALAR, depth * LEVEL_REGS, LEVEL_REGS, level);
	put_mode(s, mode_at(get_mode(s), depth + 1));
}

/* to @target where @cond is set; of two sides that with fewer lanes is first */
static int diverge(struct sim *s, u64 cond, u64 target)
{
	u64 exec = get64(s, GFX9_SRC_EXEC);
	u64 pass = cond & exec, fail = ~cond & exec;
	bool pass_first = hweight64(pass) <= hweight64(fail);

	if (pass == exec)
		go(s, target);
	if (pass == exec || fail == exec)
		return 0;
	if (get_mode(s) >> MODE_CSP_SHIFT == MAX_LEVELS - 1)
		return -EILSEQ;
	push(s, pass_first ? fail : pass,
	     pass_first ? s->next : target & PC_MASK);
	put64(s, GFX9_SRC_EXEC, pass_first ? pass : fail);
	if (pass_first)
		go(s, target);
	return 0;
}

/* run the other side, or go on behind it */
static int join(struct sim *s)
{
	unsigned int depth = get_mode(s) >> MODE_CSP_SHIFT;
	unsigned int reg = (depth - 1) * LEVEL_REGS;

	if (depth == source32(s, s->i.src[0]))
		return 0;
	if (!depth)
		return -EILSEQ;
	put64(s, GFX9_SRC_EXEC, get64(s, reg));
	put_mode(s, mode_at(get_mode(s), depth - 1));
	go(s, get64(s, reg + 2));
	return 0;
}

static int setreg(struct sim *s, u32 value)
{
	u32 mask = field_mask(s->i.simm16);

	value <<= HWREG_OFFSET(s->i.simm16);
	put_mode(s, (get_mode(s) & ~mask) | (value & mask));
	return 0;
}

static int simulate_sopk(struct sim *s)
{
	switch (s->i.op) {
	case I_FORK:
		return diverge(s, source64(s, s->i.dst), branch_target(s));
	case SETREG:
		return setreg(s, source32(s, s->i.dst));
	case SETREG_IMM:
		return setreg(s, s->i.literal);
	default:
		put64(s, s->i.dst, s->next);
		go(s, branch_target(s));
		return 0;
	}
}

static int simulate_sop1(struct sim *s)
{
	if (s->i.op == JOIN)
		return join(s);
	if (s->i.op != SETPC)
		put64(s, s->i.dst, s->next);
	if (s->i.op != GETPC)
		go(s, source64(s, s->i.src[0]));
	return 0;
}

static int simulate(struct sim *s)
{
	switch (s->i.fmt) {
	case GFX9_SOPP:
		if (is_taken(s))
			go(s, branch_target(s));
		return 0;
	case GFX9_SOPK:
		return simulate_sopk(s);
	case GFX9_SOP1:
		return simulate_sop1(s);
	default:
		return diverge(s, source64(s, s->i.src[0]),
			       source64(s, s->i.src[1]));
	}
}

/**
 * gfx9_simulate() - gpubp_isa.simulate
 * @insn: GPUBP_STEP_SIMULATED
 * @pc: where it stands
 * @regs: values of its step_regs
 * @out: result
 *
 * Return: 0, or -EILSEQ: the stack of s_cbranch_*_fork is full, or empty at
 * s_cbranch_join.
 */
int gfx9_simulate(const struct gpubp_insn *insn, u64 pc, const u32 *regs,
		  struct gpubp_step_effect *out)
{
	struct gpubp_step_effect effect = {
		.pc = (pc + insn->len) & PC_MASK,
	};
	struct sim s = {
		.insn = insn, .regs = regs, .next = effect.pc, .out = &effect,
	};

	if (insn->step != GPUBP_STEP_SIMULATED ||
	    gfx9_decode(insn->isa_priv[PRIV_ARCH],
			&insn->isa_priv[PRIV_WORD0], 2, &s.i) < 0 ||
	    simulate(&s))
		return -EILSEQ;
	*out = effect;
	return 0;
}
