// SPDX-License-Identifier: GPL-2.0
/*
 * Stepping: instructions that cannot be executed at another address, and their
 * simulation.
 *
 * Only SALU and program control instructions use the pc: no memory instruction
 * addresses by it, and s_getreg has no id for it. Instructions that change how
 * the following ones are executed (s_set_gpr_idx_on, s_setvskip, and s_nop and
 * s_waitcnt before dependent instructions) still do so if the handler runs in
 * between, as it uses neither vector instructions nor relative registers.
 *
 * Operands: AMD "Vega" ISA document, chapter on the scalar ALU. It does not
 * define jumps to odd register pairs, or to constants that are no integers:
 * such instructions are not stepped (GPUBP_STEP_NEVER).
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include "regs.h"
#include "step.h"

/* the pc is dword aligned, and has 48 bits */
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

/* isa_priv; its first entry is used by access.c */
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

/* else a stepped wave would not stop after it, or its effect would be undone */
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

static enum gpubp_step_class inst_step_class(const struct gfx9_inst *i)
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

/* ---- input registers ----------------------------------------------------- */

static bool step_need_regs(struct gpubp_insn *insn, enum gpubp_regfile file,
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

/* are there @count consecutive registers; none follows m0 */
static bool is_sreg(unsigned int code, unsigned int count)
{
	return code + count <= 128 && code % count == 0 &&
	       code + count - 1 != GFX9_SRC_M0 + 1;
}

static bool is_int(unsigned int code)
{
	return code >= 128 && code <= 208;
}

/* false: the operand is not defined */
static bool step_need_source(struct gpubp_insn *insn, unsigned int code,
			     unsigned int count)
{
	if (is_int(code) || code == GFX9_SRC_LITERAL)
		return true;
	if (!is_sreg(code, count))
		return false;
	/* outside of the handler, ttmps read as zero */
	return is_ttmp(code) ||
	       step_need_regs(insn, GPUBP_REG_SCALAR, code, count);
}

static bool is_target(unsigned int code)
{
	return is_sreg(code, 2) && !is_ttmp(code);
}

static bool step_need_exec(struct gpubp_insn *insn)
{
	return step_need_regs(insn, GPUBP_REG_SCALAR, GFX9_SRC_EXEC, 2);
}

static bool step_need_control(struct gpubp_insn *insn, unsigned int id)
{
	return step_need_regs(insn, GPUBP_REG_CONTROL, id, 1);
}

static bool step_need_sopp(const struct gfx9_inst *i, struct gpubp_insn *insn)
{
	switch (i->op) {
	case BRANCH:
		return true;
	case VCCZ:
	case VCCNZ:
		return step_need_regs(insn, GPUBP_REG_SCALAR, GFX9_SRC_VCC, 2);
	case EXECZ:
	case EXECNZ:
		return step_need_exec(insn);
	default:
		return step_need_control(insn, HWREG_STATUS);
	}
}

static bool step_need_sopk(const struct gfx9_inst *i, struct gpubp_insn *insn)
{
	switch (i->op) {
	case CALL:
		return is_target(i->dst);
	case I_FORK:
		return step_need_source(insn, i->dst, 2) &&
		       step_need_exec(insn) &&
		       step_need_control(insn, HWREG_MODE);
	case SETREG:
		return step_need_source(insn, i->dst, 1) &&
		       step_need_control(insn, HWREG_MODE);
	default:
		return step_need_control(insn, HWREG_MODE);
	}
}

static bool step_need_sop1(const struct gfx9_inst *i, struct gpubp_insn *insn)
{
	switch (i->op) {
	case GETPC:
		return is_target(i->dst);
	case SETPC:
		return step_need_source(insn, i->src[0], 2);
	case SWAPPC:
		return is_target(i->dst) &&
		       step_need_source(insn, i->src[0], 2);
	default:
		return step_need_source(insn, i->src[0], 1) &&
		       step_need_control(insn, HWREG_MODE) &&
		       step_need_regs(insn, GPUBP_REG_SCALAR, 0, STACK_REGS);
	}
}

static bool step_need_sop2(const struct gfx9_inst *i, struct gpubp_insn *insn)
{
	return step_need_source(insn, i->src[0], 2) &&
	       step_need_source(insn, i->src[1], 2) && step_need_exec(insn) &&
	       step_need_control(insn, HWREG_MODE);
}

static bool step_need_inputs(const struct gfx9_inst *i, struct gpubp_insn *insn)
{
	switch (i->fmt) {
	case GFX9_SOPP:
		return step_need_sopp(i, insn);
	case GFX9_SOPK:
		return step_need_sopk(i, insn);
	case GFX9_SOP1:
		return step_need_sop1(i, insn);
	default:
		return step_need_sop2(i, insn);
	}
}

void gfx9_step_describe(const struct gfx9_inst *inst, const u32 *words,
			struct gpubp_insn *insn)
{
	insn->step = inst_step_class(inst);
	if (insn->step != GPUBP_STEP_SIMULATED)
		return;
	insn->isa_priv[PRIV_WORD0] = words[0];
	insn->isa_priv[PRIV_WORD1] = inst->len > 4 ? words[1] : 0;
	insn->isa_priv[PRIV_ARCH] = inst->arch;
	if (step_need_inputs(inst, insn))
		return;
	insn->step = GPUBP_STEP_NEVER;
	insn->nr_step_regs = 0;
}

/* ---- simulation ---------------------------------------------------------- */

/**
 * struct sim - an instruction being simulated
 * @i: the instruction, decoded again
 * @insn: its description, with the input registers
 * @regs: values of the input registers
 * @next: pc of the following instruction
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

/* value of an input register */
static u32 sim_get(const struct sim *s, enum gpubp_regfile file,
		   unsigned int reg)
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

static u64 sim_get64(const struct sim *s, unsigned int reg)
{
	return sim_get(s, GPUBP_REG_SCALAR, reg) |
	       (u64)sim_get(s, GPUBP_REG_SCALAR, reg + 1) << 32;
}

static s64 int_value(unsigned int code)
{
	return code <= 192 ? (s64)code - 128 : 192 - (s64)code;
}

static u64 sim_source64(const struct sim *s, unsigned int code)
{
	if (is_int(code))
		return int_value(code);
	return code == GFX9_SRC_LITERAL ? s->i.literal : sim_get64(s, code);
}

static u32 sim_source32(const struct sim *s, unsigned int code)
{
	if (is_int(code))
		return int_value(code);
	return code == GFX9_SRC_LITERAL ? s->i.literal :
					  sim_get(s, GPUBP_REG_SCALAR, code);
}

static void sim_put(struct sim *s, enum gpubp_regfile file, unsigned int reg,
		    unsigned int count, const u32 *values)
{
	unsigned int n;

	s->out->reg[s->out->nr++] = (struct gpubp_reg_req) {
		.file = file, .first = reg, .count = count,
	};
	for (n = 0; n < count; n++)
		s->out->value[s->nr_values++] = values[n];
}

static void sim_put64(struct sim *s, unsigned int reg, u64 value)
{
	u32 values[] = { value, value >> 32 };

	sim_put(s, GPUBP_REG_SCALAR, reg, 2, values);
}

static void sim_put_mode(struct sim *s, u32 mode)
{
	sim_put(s, GPUBP_REG_CONTROL, HWREG_MODE, 1, &mode);
}

static void sim_jump(struct sim *s, u64 pc)
{
	s->out->pc = pc & PC_MASK;
}

static u64 sim_branch_target(const struct sim *s)
{
	return (s->next + (s64)(s16)s->i.simm16 * 4) & PC_MASK;
}

static bool sim_branch_is_taken(const struct sim *s)
{
	u32 status = sim_get(s, GPUBP_REG_CONTROL, HWREG_STATUS);
	bool user = status & STATUS_COND_DBG_USER;
	bool sys = status & STATUS_COND_DBG_SYS;

	switch (s->i.op) {
	case SCC0:		return !(status & STATUS_SCC);
	case SCC1:		return status & STATUS_SCC;
	case VCCZ:		return !sim_get64(s, GFX9_SRC_VCC);
	case VCCNZ:		return sim_get64(s, GFX9_SRC_VCC);
	case EXECZ:		return !sim_get64(s, GFX9_SRC_EXEC);
	case EXECNZ:		return sim_get64(s, GFX9_SRC_EXEC);
	case CDBGSYS:		return sys;
	case CDBGUSER:		return user;
	case CDBGSYS_OR_USER:	return sys || user;
	case CDBGSYS_AND_USER:	return sys && user;
	default:		return true;
	}
}

static u32 sim_get_mode(const struct sim *s)
{
	return sim_get(s, GPUBP_REG_CONTROL, HWREG_MODE);
}

static u32 mode_with_depth(u32 mode, unsigned int depth)
{
	return (mode & ~MODE_CSP) | depth << MODE_CSP_SHIFT;
}

static void sim_push(struct sim *s, u64 mask, u64 pc)
{
	u32 level[] = { mask, mask >> 32, pc, pc >> 32 };
	unsigned int depth = sim_get_mode(s) >> MODE_CSP_SHIFT;

	sim_put(s, GPUBP_REG_SCALAR, depth * LEVEL_REGS, LEVEL_REGS, level);
	sim_put_mode(s, mode_with_depth(sim_get_mode(s), depth + 1));
}

/* jump to @target for lanes in @cond; the side with fewer lanes runs first */
static int sim_diverge(struct sim *s, u64 cond, u64 target)
{
	u64 exec = sim_get64(s, GFX9_SRC_EXEC);
	u64 pass = cond & exec, fail = ~cond & exec;
	bool pass_first = hweight64(pass) <= hweight64(fail);

	if (pass == exec)
		sim_jump(s, target);
	if (pass == exec || fail == exec)
		return 0;
	if (sim_get_mode(s) >> MODE_CSP_SHIFT == MAX_LEVELS - 1)
		return -EILSEQ;
	sim_push(s, pass_first ? fail : pass,
		 pass_first ? s->next : target & PC_MASK);
	sim_put64(s, GFX9_SRC_EXEC, pass_first ? pass : fail);
	if (pass_first)
		sim_jump(s, target);
	return 0;
}

/* run the other side, or continue after the join */
static int sim_join(struct sim *s)
{
	unsigned int depth = sim_get_mode(s) >> MODE_CSP_SHIFT;
	unsigned int reg = (depth - 1) * LEVEL_REGS;

	if (depth == sim_source32(s, s->i.src[0]))
		return 0;
	if (!depth)
		return -EILSEQ;
	sim_put64(s, GFX9_SRC_EXEC, sim_get64(s, reg));
	sim_put_mode(s, mode_with_depth(sim_get_mode(s), depth - 1));
	sim_jump(s, sim_get64(s, reg + 2));
	return 0;
}

static int sim_setreg(struct sim *s, u32 value)
{
	u32 mask = field_mask(s->i.simm16);

	value <<= HWREG_OFFSET(s->i.simm16);
	sim_put_mode(s, (sim_get_mode(s) & ~mask) | (value & mask));
	return 0;
}

static int sim_run_sopk(struct sim *s)
{
	switch (s->i.op) {
	case I_FORK:
		return sim_diverge(s, sim_source64(s, s->i.dst),
				   sim_branch_target(s));
	case SETREG:
		return sim_setreg(s, sim_source32(s, s->i.dst));
	case SETREG_IMM:
		return sim_setreg(s, s->i.literal);
	default:
		sim_put64(s, s->i.dst, s->next);
		sim_jump(s, sim_branch_target(s));
		return 0;
	}
}

static int sim_run_sop1(struct sim *s)
{
	if (s->i.op == JOIN)
		return sim_join(s);
	if (s->i.op != SETPC)
		sim_put64(s, s->i.dst, s->next);
	if (s->i.op != GETPC)
		sim_jump(s, sim_source64(s, s->i.src[0]));
	return 0;
}

static int sim_run(struct sim *s)
{
	switch (s->i.fmt) {
	case GFX9_SOPP:
		if (sim_branch_is_taken(s))
			sim_jump(s, sim_branch_target(s));
		return 0;
	case GFX9_SOPK:
		return sim_run_sopk(s);
	case GFX9_SOP1:
		return sim_run_sop1(s);
	default:
		return sim_diverge(s, sim_source64(s, s->i.src[0]),
				   sim_source64(s, s->i.src[1]));
	}
}

/**
 * gfx9_simulate() - gpubp_isa.simulate
 * @insn: GPUBP_STEP_SIMULATED
 * @pc: its address
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
	    sim_run(&s))
		return -EILSEQ;
	*out = effect;
	return 0;
}
