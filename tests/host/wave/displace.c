// SPDX-License-Identifier: GPL-2.0
/* Out-of-line execution, for a machine that has only the interpreter. */
#include <stdlib.h>
#include <string.h>
#include "displace.h"

const struct gpubp_isa *displace_isa(enum gfx9_arch arch)
{
	switch (arch) {
	case GFX9_GFX900:
		return &gpubp_isa_gfx900;
	case GFX9_GFX942:
		return &gpubp_isa_gfx942;
	default:
		return &gpubp_isa_gfx90a;
	}
}

static u32 *control(struct sim_wave *w, unsigned int id)
{
	switch (id) {
	case HWREG_MODE:
		return &w->mode;
	case HWREG_STATUS:
		return &w->status;
	default:
		abort();	/* no caller requests others */
	}
}

static u32 *reg_of(struct sim_wave *w, const struct gpubp_reg_req *req,
		   unsigned int n)
{
	if (req->file == GPUBP_REG_CONTROL)
		return control(w, req->first + n);
	if (req->file != GPUBP_REG_SCALAR || req->first + n >= 128)
		abort();
	return &w->s[req->first + n];
}

void displace_read(const struct sim_wave *w, const struct gpubp_reg_req *req,
		   unsigned int nr, u32 *out)
{
	unsigned int n;

	for (; nr; nr--, req++)
		for (n = 0; n < req->count; n++)
			*out++ = *reg_of((struct sim_wave *)w, req, n);
}

void displace_apply(struct sim_wave *w, const struct gpubp_step_effect *effect)
{
	const u32 *value = effect->value;
	unsigned int i, n;

	for (i = 0; i < effect->nr; i++)
		for (n = 0; n < effect->reg[i].count; n++)
			*reg_of(w, &effect->reg[i], n) = *value++;
	w->pc = effect->pc;
}

static bool simulate(struct sim_wave *w, const struct gpubp_isa *isa,
		     const struct gpubp_insn *insn)
{
	struct gpubp_step_effect effect;
	u32 regs[GPUBP_MAX_STEP_VALUES];

	displace_read(w, insn->step_regs, insn->nr_step_regs, regs);
	if (isa->simulate(insn, w->pc, regs, &effect))
		return false;
	displace_apply(w, &effect);
	w->nr_insts++;
	return true;
}

static u8 *buffer(void)
{
	return machine_at(DISPLACE_BUF, DISPLACE_SIZE) ?:
	       machine_map(DISPLACE_BUF, DISPLACE_SIZE);
}

static u64 back(u64 pc, u64 from)
{
	return pc - DISPLACE_BUF < DISPLACE_SIZE ? pc - DISPLACE_BUF + from :
						   pc;
}

static enum sim_stop elsewhere(struct sim_wave *w, const void *code, u8 len,
			       u32 guard)
{
	u8 *buf = buffer();
	u64 from = w->pc;
	enum sim_stop stop;

	memcpy(buf, code, len);
	memcpy(buf + len, &guard, sizeof(guard));
	w->pc = DISPLACE_BUF;
	stop = sim_wave_run(w, 1);
	w->pc = back(w->pc, from);
	w->fatal_pc = back(w->fatal_pc, from);
	return stop;
}

enum sim_stop displace_step(struct sim_wave *w)
{
	const struct gpubp_isa *isa = displace_isa(w->arch);
	unsigned int avail = machine_at(w->pc, 8) ? 8 : 4;
	const void *code = machine_at(w->pc, avail);
	struct gpubp_insn insn;

	if (!code || w->pending || w->in_barrier ||
	    (w->status & (STATUS_PRIV | STATUS_HALT)) ||
	    isa->decode(code, avail, &insn) ||
	    insn.step == GPUBP_STEP_NEVER)
		return sim_wave_run(w, 1);
	if (insn.step == GPUBP_STEP_SIMULATED && simulate(w, isa, &insn))
		return SIM_STOP_BUDGET;
	return elsewhere(w, code, insn.len, isa->break_word);
}

static bool is_asked_for(void)
{
	static int asked = -1;

	if (asked < 0)
		asked = getenv("DISPLACED") != NULL;
	return asked;
}

enum sim_stop displace_run(struct sim_wave *w, unsigned int budget)
{
	enum sim_stop stop = SIM_STOP_BUDGET;

	if (!is_asked_for())
		return sim_wave_run(w, budget);
	while (stop == SIM_STOP_BUDGET && budget--)
		stop = displace_step(w);
	return stop;
}
