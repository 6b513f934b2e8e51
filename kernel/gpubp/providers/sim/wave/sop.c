// SPDX-License-Identifier: GPL-2.0
/*
 * Scalar instructions with an immediate (SOPK), comparisons (SOPC) and
 * program control (SOPP).
 */
#include <linux/kernel.h>
#include "interp.h"
#include "salu.h"

/* M0 while MODE.GPR_IDX_EN: index, and which operands it is added to */
#define GPR_IDX_MODE_SHIFT	12

static bool sopc_compare(u32 a, u32 b, unsigned int op)
{
	switch (op) {
	case S_CMP_EQ_I32:
	case S_CMP_EQ_U32:	return a == b;
	case S_CMP_LG_I32:
	case S_CMP_LG_U32:	return a != b;
	case S_CMP_GT_I32:	return (s32)a > (s32)b;
	case S_CMP_GE_I32:	return (s32)a >= (s32)b;
	case S_CMP_LT_I32:	return (s32)a < (s32)b;
	case S_CMP_LE_I32:	return (s32)a <= (s32)b;
	case S_CMP_GT_U32:	return a > b;
	case S_CMP_GE_U32:	return a >= b;
	case S_CMP_LT_U32:	return a < b;
	default:		return a <= b;
	}
}

static int sopk_arith(struct sim_wave *w, const struct gfx9_inst *i)
{
	u32 d, old, imm = (s16)i->simm16;

	if (sim_sread(w, i, i->dst, &old))
		return -EILSEQ;
	d = i->op == S_ADDK_I32 ? old + imm : old * imm;
	if (sim_swrite(w, i->dst, d))
		return -EILSEQ;
	if (i->op == S_ADDK_I32)
		sim_set_scc(w, ~(old ^ imm) & (old ^ d) & 0x80000000);
	return 0;
}

static int sopk_compare(struct sim_wave *w, const struct gfx9_inst *i)
{
	bool is_signed = i->op < S_CMPK_EQ_U32;
	u32 a, imm = is_signed ? (u32)(s16)i->simm16 : i->simm16;

	if (sim_sread(w, i, i->dst, &a))
		return -EILSEQ;
	/* same order of comparisons as in SOPC */
	sim_set_scc(w, sopc_compare(a, imm, i->op - S_CMPK_EQ_I32));
	return 0;
}

static int sopk_getreg(struct sim_wave *w, const struct gfx9_inst *i)
{
	u32 val;

	return sim_getreg(w, i->simm16, &val) ?: sim_swrite(w, i->dst, val);
}

static int sopk_setreg(struct sim_wave *w, const struct gfx9_inst *i)
{
	u32 val;

	if (i->op == S_SETREG_IMM32_B32)
		return sim_setreg(w, i->simm16, i->literal);
	return sim_sread(w, i, i->dst, &val) ?: sim_setreg(w, i->simm16, val);
}

static u64 branch_target(const struct sim_wave *w, const struct gfx9_inst *i)
{
	return (w->pc + (s64)(s16)i->simm16 * 4) & SIM_PC_MASK;
}

static int sopk_call(struct sim_wave *w, const struct gfx9_inst *i)
{
	if (sim_swrite64(w, i->dst, w->pc))
		return -EILSEQ;
	sim_set_pc(w, branch_target(w, i));
	return 0;
}

/*
 * sim_sopk() - SOPK
 */
int sim_sopk(struct sim_wave *w, const struct gfx9_inst *i)
{
	switch (i->op) {
	case S_MOVK_I32:
		return sim_swrite(w, i->dst, (s16)i->simm16);
	case S_CMOVK_I32:
		return sim_scc(w) ? sim_swrite(w, i->dst, (s16)i->simm16) : 0;
	case S_CMPK_EQ_I32 ... S_CMPK_LE_U32:
		return sopk_compare(w, i);
	case S_ADDK_I32:
	case S_MULK_I32:
		return sopk_arith(w, i);
	case S_CBRANCH_I_FORK:
		return sim_fork_imm(w, i, branch_target(w, i));
	case S_GETREG_B32:
		return sopk_getreg(w, i);
	case S_SETREG_B32:
	case S_SETREG_IMM32_B32:
		return sopk_setreg(w, i);
	case S_CALL_B64:
		return sopk_call(w, i);
	default:
		return -EILSEQ;
	}
}

static void set_idx_mode(struct sim_wave *w, unsigned int mode)
{
	w->s[GFX9_SRC_M0] = (w->s[GFX9_SRC_M0] & 0xffff0fff) |
			    (mode & 15) << GPR_IDX_MODE_SHIFT;
}

static int set_idx_on(struct sim_wave *w, const struct gfx9_inst *i)
{
	u32 a;

	if (sim_sread(w, i, i->src[0], &a))
		return -EILSEQ;
	w->mode |= MODE_GPR_IDX_EN;
	w->s[GFX9_SRC_M0] = (w->s[GFX9_SRC_M0] & ~0xffu) | (a & 0xff);
	set_idx_mode(w, i->src[1]);
	return 0;
}

static int sopc_wide(struct sim_wave *w, const struct gfx9_inst *i)
{
	u64 a, b;

	if (sim_sread64(w, i, i->src[0], &a) ||
	    sim_sread64(w, i, i->src[1], &b))
		return -EILSEQ;
	sim_set_scc(w, (a == b) == (i->op == S_CMP_EQ_U64));
	return 0;
}

static int sopc_bitcmp(struct sim_wave *w, const struct gfx9_inst *i)
{
	bool wide = i->op == S_BITCMP0_B64 || i->op == S_BITCMP1_B64;
	bool want = i->op == S_BITCMP1_B32 || i->op == S_BITCMP1_B64;
	u64 a;
	u32 b, low;

	if (wide ? sim_sread64(w, i, i->src[0], &a) :
		   sim_sread(w, i, i->src[0], &low))
		return -EILSEQ;
	if (sim_sread(w, i, i->src[1], &b))
		return -EILSEQ;
	if (!wide)
		a = low;
	sim_set_scc(w, (a >> (b & (wide ? 63 : 31)) & 1) == want);
	return 0;
}

static int sopc_setvskip(struct sim_wave *w, const struct gfx9_inst *i)
{
	u32 a, b;

	if (sim_sread(w, i, i->src[0], &a) || sim_sread(w, i, i->src[1], &b))
		return -EILSEQ;
	w->mode &= ~MODE_VSKIP;
	w->mode |= a >> (b & 31) & 1 ? MODE_VSKIP : 0;
	return 0;
}

/*
 * sim_sopc() - SOPC
 */
int sim_sopc(struct sim_wave *w, const struct gfx9_inst *i)
{
	u32 a, b;

	switch (i->op) {
	case S_CMP_EQ_I32 ... S_CMP_LE_U32:
		if (sim_sread(w, i, i->src[0], &a) ||
		    sim_sread(w, i, i->src[1], &b))
			return -EILSEQ;
		sim_set_scc(w, sopc_compare(a, b, i->op));
		return 0;
	case S_BITCMP0_B32 ... S_BITCMP1_B64:
		return sopc_bitcmp(w, i);
	case S_CMP_EQ_U64:
	case S_CMP_LG_U64:
		return sopc_wide(w, i);
	case S_SETVSKIP:
		return sopc_setvskip(w, i);
	case S_SET_GPR_IDX_ON:
		return set_idx_on(w, i);
	default:
		return -EILSEQ;
	}
}

static bool branch_taken(const struct sim_wave *w, unsigned int op)
{
	bool user = w->status & STATUS_COND_DBG_USER;
	bool sys = w->status & STATUS_COND_DBG_SYS;

	switch (op) {
	case S_CBRANCH_SCC0:		return !sim_scc(w);
	case S_CBRANCH_SCC1:		return sim_scc(w);
	case S_CBRANCH_VCCZ:		return !sim_vcc(w);
	case S_CBRANCH_VCCNZ:		return sim_vcc(w);
	case S_CBRANCH_EXECZ:		return !sim_exec(w);
	case S_CBRANCH_EXECNZ:		return sim_exec(w);
	case S_CBRANCH_CDBGSYS:		return sys;
	case S_CBRANCH_CDBGUSER:	return user;
	case S_CBRANCH_CDBGSYS_OR_USER:	return sys || user;
	case S_CBRANCH_CDBGSYS_AND_USER: return sys && user;
	default:			return true;
	}
}

static int sopp_branch(struct sim_wave *w, const struct gfx9_inst *i)
{
	if (branch_taken(w, i->op))
		sim_set_pc(w, branch_target(w, i));
	return 0;
}

/*
 * A wave takes a pending trap before it ends, waits at a barrier or halts:
 * drains of commits wait for that trap.
 */
static bool trap_first(struct sim_wave *w)
{
	if (!sim_trap_due(w))
		return false;
	w->skid = 0;
	sim_set_pc(w, w->pc - 4);
	return true;
}

static int sopp_endpgm(struct sim_wave *w)
{
	return trap_first(w) ? 0 : SIM_STOP_ENDED;
}

static int sopp_endpgm_saved(struct sim_wave *w)
{
	return w->status & STATUS_PRIV ? SIM_STOP_SAVED : sopp_endpgm(w);
}

static int enter_barrier(struct sim_wave *w)
{
	/* no barrier in a workgroup of one wave */
	if (!(w->status & STATUS_IN_TG) || trap_first(w))
		return 0;
	w->in_barrier = true;
	w->status |= STATUS_IN_BARRIER;
	return SIM_STOP_BARRIER;
}

static void wave_set_halt(struct sim_wave *w, bool halt)
{
	w->status = (w->status & ~STATUS_HALT) | (halt ? STATUS_HALT : 0);
}

static int sopp_sethalt(struct sim_wave *w, const struct gfx9_inst *i)
{
	bool halt = i->simm16 & 1;

	if (!halt || !trap_first(w))
		wave_set_halt(w, halt);
	return 0;
}

static int sopp_sendmsg(struct sim_wave *w, const struct gfx9_inst *i)
{
	bool halts = i->op == S_SENDMSGHALT;

	if (halts && trap_first(w))
		return 0;
	sim_env_sendmsg(w, i->simm16);
	if (halts)
		wave_set_halt(w, true);
	return 0;
}

/*
 * sim_sopp() - SOPP
 */
int sim_sopp(struct sim_wave *w, const struct gfx9_inst *i)
{
	switch (i->op) {
	case S_BRANCH:
	case S_CBRANCH_SCC0 ... S_CBRANCH_EXECNZ:
	case S_CBRANCH_CDBGSYS ... S_CBRANCH_CDBGSYS_AND_USER:
		return sopp_branch(w, i);
	case S_WAITCNT:
	case S_NOP:
	case S_WAKEUP:
	case S_SETPRIO:
	case S_INCPERFLEVEL:
	case S_DECPERFLEVEL:
	case S_TTRACEDATA:
		return 0;
	case S_ICACHE_INV:
		sim_env_icache_inv(w);
		return 0;
	case S_SETKILL:
		return i->simm16 & 1 ? SIM_STOP_ENDED : 0;
	case S_ENDPGM:
	case S_ENDPGM_ORDERED_PS_DONE:
		return sopp_endpgm(w);
	case S_ENDPGM_SAVED:
		return sopp_endpgm_saved(w);
	case S_BARRIER:
		return enter_barrier(w);
	case S_SETHALT:
		return sopp_sethalt(w, i);
	case S_SLEEP:
		return SIM_STOP_SLEEP;
	case S_SENDMSG:
	case S_SENDMSGHALT:
		return sopp_sendmsg(w, i);
	case S_TRAP:
		return sim_trap(w, i->simm16 & 0xff);
	case S_SET_GPR_IDX_OFF:
		w->mode &= ~MODE_GPR_IDX_EN;
		return 0;
	case S_SET_GPR_IDX_MODE:
		set_idx_mode(w, i->simm16);
		return 0;
	default:
		return -EILSEQ;
	}
}
