// SPDX-License-Identifier: GPL-2.0
/*
 * s_cbranch_i_fork, s_cbranch_g_fork, s_cbranch_join: divergence with a stack
 * of four scalar registers a level (mask, then pc), its depth in MODE.CSP. The
 * side with fewer lanes runs first.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include "interp.h"
#include "salu.h"

#define LEVEL_REGS	4
#define MAX_LEVELS	8

static unsigned int fork_depth(const struct sim_wave *w)
{
	return w->mode >> MODE_CSP_SHIFT;
}

static void fork_set_depth(struct sim_wave *w, unsigned int level)
{
	w->mode &= ~((MAX_LEVELS - 1u) << MODE_CSP_SHIFT);
	w->mode |= level << MODE_CSP_SHIFT;
}

static void fork_push(struct sim_wave *w, u64 mask, u64 pc)
{
	unsigned int reg = fork_depth(w) * LEVEL_REGS;

	sim_set_pair(w, reg, mask);
	sim_set_pair(w, reg + 2, pc);
	fork_set_depth(w, fork_depth(w) + 1);
}

/* to @target where @cond is set; pc is behind the instruction */
static int fork_diverge(struct sim_wave *w, u64 cond, u64 target)
{
	u64 exec = sim_exec(w), pass = cond & exec, fail = ~cond & exec;
	bool pass_first = hweight64(pass) <= hweight64(fail);

	if (pass == exec) {
		sim_set_pc(w, target);
		return 0;
	}
	if (fail == exec)
		return 0;
	if (fork_depth(w) == MAX_LEVELS - 1)
		return -EILSEQ;
	fork_push(w, pass_first ? fail : pass, pass_first ? w->pc : target);
	sim_set_pair(w, GFX9_SRC_EXEC, pass_first ? pass : fail);
	if (pass_first)
		sim_set_pc(w, target);
	return 0;
}

/*
 * sim_fork_imm() - s_cbranch_i_fork
 */
int sim_fork_imm(struct sim_wave *w, const struct gfx9_inst *i, u64 target)
{
	u64 cond;

	return sim_sread64(w, i, i->dst, &cond) ?:
						  fork_diverge(w, cond, target);
}

/*
 * sim_fork() - s_cbranch_g_fork
 */
int sim_fork(struct sim_wave *w, const struct gfx9_inst *i)
{
	u64 cond, target;

	if (sim_sread64(w, i, i->src[0], &cond) ||
	    sim_sread64(w, i, i->src[1], &target))
		return -EILSEQ;
	return fork_diverge(w, cond, target & SIM_PC_MASK);
}

/*
 * sim_join() - s_cbranch_join: run the other side, or go on after it
 */
int sim_join(struct sim_wave *w, const struct gfx9_inst *i)
{
	unsigned int reg;
	u32 level;

	if (sim_sread(w, i, i->src[0], &level))
		return -EILSEQ;
	if (fork_depth(w) == level)
		return 0;
	if (!fork_depth(w))
		return -EILSEQ;
	fork_set_depth(w, fork_depth(w) - 1);
	reg = fork_depth(w) * LEVEL_REGS;
	sim_set_pair(w, GFX9_SRC_EXEC, sim_pair(w, reg));
	sim_set_pc(w, sim_pair(w, reg + 2) & SIM_PC_MASK);
	return 0;
}
