// SPDX-License-Identifier: GPL-2.0
/* The interpreter loop: fetch, decode, execute. */
#include <linux/kernel.h>
#include <linux/string.h>
#include "interp.h"

/* the program does not replace instructions of the trap handler */
static struct sim_decoded *decoded_entry(const struct sim_wave *w,
					 struct sim_decoded *decoded)
{
	unsigned int half = SIM_NR_DECODED / 2;
	unsigned int nr = (w->pc / 4) & (half - 1);

	return &decoded[w->status & STATUS_PRIV ? half + nr : nr];
}

/* @words are as many as @e has, if @nr says so */
static bool decoded_is(const struct sim_decoded *e, enum gfx9_arch arch,
		       const u32 *words, unsigned int nr)
{
	return nr && nr == e->nr && e->inst.arch == arch &&
	       e->words[0] == words[0] &&
	       (nr == 1 || e->words[1] == words[1]);
}

static int decoded_fill(struct sim_decoded *e, enum gfx9_arch arch,
			const u32 *words, unsigned int nr)
{
	int len;

	e->nr = 0;
	len = gfx9_decode(arch, words, nr, &e->inst);
	if (len < 0)
		return len;
	e->nr = len / sizeof(*words);
	memcpy(e->words, words, len);
	return 0;
}

/* A page may become present between the fetch and sim_env_need(). */
static noinline int decode_inst(struct sim_wave *w, struct sim_decoded *e)
{
	u32 words[SIM_INST_WORDS];
	unsigned int nr;
	int err, had = -1;

	for (;;) {
		nr = 0;
		sim_env_fetch(w, w->pc, words, ARRAY_SIZE(words), &nr);
		err = decoded_fill(e, w->arch, words, nr);
		if (err != -ENODATA)
			return err;
		if ((int)nr == had)
			return -EFAULT;
		had = nr;
		if (sim_env_need(w, w->pc + nr * sizeof(*words), sizeof(*words),
				 false))
			return SIM_STOP_PAGE;
	}
}

/*
 * 0, -EILSEQ, -EFAULT if not all of the instruction can be read, or
 * SIM_STOP_PAGE
 */
static int fetch_inst(struct sim_wave *w, struct sim_decoded *e)
{
	u32 words[SIM_INST_WORDS];
	unsigned int nr = 0;

	if (e->nr)
		sim_env_fetch(w, w->pc, words, e->nr, &nr);
	return decoded_is(e, w->arch, words, nr) ? 0 : decode_inst(w, e);
}

/* MODE.VSKIP: vector instructions are skipped */
static bool is_skipped(const struct sim_wave *w, const struct gfx9_inst *i)
{
	return (w->mode & MODE_VSKIP) && i->fmt >= GFX9_VOP1;
}

static int execute_inst(struct sim_wave *w, const struct gfx9_inst *i)
{
	if (is_skipped(w, i))
		return 0;
	switch (i->fmt) {
	case GFX9_SOP1:
	case GFX9_SOP2:
		return sim_salu(w, i);
	case GFX9_SOPK:
		return sim_sopk(w, i);
	case GFX9_SOPC:
		return sim_sopc(w, i);
	case GFX9_SOPP:
		return sim_sopp(w, i);
	case GFX9_SMEM:
		return sim_smem(w, i);
	case GFX9_VOP1:
	case GFX9_VOP2:
	case GFX9_VOPC:
	case GFX9_VOP3:
		return sim_valu(w, i);
	case GFX9_VOP3P:
		return sim_vop3p(w, i);
	case GFX9_FLAT:
		return sim_flat(w, i);
	case GFX9_MUBUF:
		return sim_mubuf(w, i);
	case GFX9_DS:
		return sim_ds(w, i);
	default:
		return -EILSEQ;
	}
}

static bool single_step(const struct sim_wave *w)
{
	return (w->mode & MODE_DEBUG_EN) && !(w->status & STATUS_PRIV);
}

/*
 * A pending hit does not wait for a page: it traps before the instruction,
 * whatever its skid.
 */
static int again_later(struct sim_wave *w, u64 pc)
{
	sim_set_pc(w, pc);
	w->nr_insts--;
	if (!sim_trap_due(w))
		return SIM_STOP_PAGE;
	w->skid = 0;
	return 0;
}

/* execute the instruction at pc; fatal_pc records the pc of its exceptions */
static int step_inst(struct sim_wave *w, struct sim_decoded *decoded, bool traps)
{
	struct sim_decoded *e = decoded_entry(w, decoded);
	u64 pc = w->pc;
	u32 before = w->pending;
	int ret;

	w->nr_insts++;
	ret = fetch_inst(w, e);
	if (!ret) {
		sim_set_pc(w, (pc + e->inst.len) & SIM_PC_MASK);
		ret = execute_inst(w, &e->inst);
	}
	if (ret == SIM_STOP_PAGE)
		return again_later(w, pc);
	if (ret < 0) {
		sim_set_pc(w, pc);
		if (ret == -EFAULT)
			sim_mem_viol(w, pc, true);
		else
			sim_raise(w, TRAPSTS_ILLEGAL_INST);
	}
	if (w->pending & ~before)
		w->fatal_pc = pc;
	if (ret >= 0 && traps && !(w->status & STATUS_PRIV))
		w->pending |= SIM_PENDING_STEP;
	return ret < 0 ? 0 : ret;
}

static int next_inst(struct sim_wave *w, struct sim_decoded *decoded)
{
	enum sim_step step;

	if (!single_step(w))
		return step_inst(w, decoded, false);
	step = sim_env_step(w);
	if (step != SIM_STEP_SPURIOUS)
		return step_inst(w, decoded, step == SIM_STEP_DONE);
	w->pending |= SIM_PENDING_STEP;
	return 0;
}

/* returns 0 if an instruction can be executed */
static int before_step(struct sim_wave *w)
{
	if ((w->trapsts & TRAPSTS_SAVECTX) && sim_save_due(w))
		sim_take_save(w);
	if (w->in_barrier)
		return SIM_STOP_BARRIER;
	w->status &= ~STATUS_IN_BARRIER;
	if (sim_is_halted(w))
		return SIM_STOP_HALTED;
	return w->pending ? sim_take_pending(w) : 0;
}

enum sim_stop sim_wave_run(struct sim_wave *w, unsigned int budget)
{
	struct sim_decoded *decoded = sim_env_decoded(w);
	int stop = SIM_STOP_BUDGET;

	while (!stop && budget--) {
		stop = before_step(w);
		if (!stop)
			stop = next_inst(w, decoded);
	}
	return stop;
}
