/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A halted wave has all of its record in registers, which are saved with it: what
 * is rebuilt from these is what the handler stored.
 */
#ifndef TESTS_HOST_KEPT_RECORD_H
#define TESTS_HOST_KEPT_RECORD_H

#include <string.h>
#include <linux/gpubp_isa.h>
#include "isa/gfx9/regs.h"
#include "isa/gfx9/trap.h"
#include "providers/sim/wave/wave.h"

/* as providers show it, of a wave that is parked by its own handler, too */
static u64 kept_pc(const struct sim_wave *w)
{
	return gfx9_is_parked(w->tba, w->pc) ?
	       gfx9_parked_pc(&w->s[GFX9_PARK_REG], false) : w->pc;
}

static u32 kept_control(const struct sim_wave *w, unsigned int reg)
{
	switch (reg) {
	case HWREG_MODE:
		return w->mode;
	case HWREG_STATUS:
		return w->status;
	case HWREG_TRAPSTS:
		return w->trapsts;
	case HWREG_PC_LO:
		return kept_pc(w);
	case HWREG_PC_HI:
		return kept_pc(w) >> 32;
	default:
		return 0x55555555;	/* is not of use */
	}
}

static void kept_values(const struct sim_wave *w,
			const struct gpubp_reg_req *req, u32 **out)
{
	unsigned int n;

	for (n = 0; n < req->count; n++)
		*(*out)++ = req->file == GPUBP_REG_SCALAR ?
			    w->s[req->first + n] :
			    kept_control(w, req->first + n);
}

/* @index: number of the record; @rec: what the handler stored there */
static bool kept_record(const struct sim_wave *w, const struct gpubp_isa *isa,
			u32 index, const struct gpubp_trap_record *rec)
{
	u32 values[GPUBP_MAX_RECORD_VALUES], *end = values;
	struct gpubp_trap_record rebuilt;
	unsigned int n;

	for (n = 0; n < isa->nr_record_regs; n++)
		kept_values(w, &isa->record_regs[n], &end);
	return !isa->record_rebuild(values, &rebuilt) &&
	       !memcmp(&rebuilt, rec, sizeof(rebuilt)) &&
	       w->s[isa->mark_reg.first] == isa->record_mark(index, rec->seq) &&
	       (w->s[isa->mark_reg.first] & isa->mark_index) == index;
}

#endif /* TESTS_HOST_KEPT_RECORD_H */
