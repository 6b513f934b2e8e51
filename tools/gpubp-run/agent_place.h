/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A place of the trap handler's ring, as the core's description of the ISA has it. For files
 * that are compiled with tools/Makefile.isa.
 */
#ifndef GPUBP_AGENT_PLACE_H
#define GPUBP_AGENT_PLACE_H

#include "isa/gfx9/trap.h"

/** agent_isa() - of the version of a GPU that has an agent, as KFD's topology has it */
static inline const struct gpubp_isa *agent_isa(u32 gfx)
{
	return gfx == 90402 ? &gpubp_isa_gfx942 : &gpubp_isa_gfx90a;
}

/**
 * agent_place_parse() - what the wave recorded
 * @isa: the GPU's
 * @place: the place, aligned as a u64
 * @number: its number
 * @rec: out
 * @where: out
 * @decided: out: it accessed watched bytes; otherwise the wave could not tell, and it may have
 *
 * Return: false if it is no hit.
 */
static inline bool agent_place_parse(const struct gpubp_isa *isa, const void *place, u32 number,
				     struct gpubp_trap_record *rec,
				     struct gpubp_recorded_place *where, bool *decided)
{
	*decided = !isa->recorded_parse(place, number, rec, where);
	if (*decided)
		return true;
	return isa == &gpubp_isa_gfx942 ?
	       !gfx942_undecided_parse(place, number, rec, where) :
	       !gfx9_undecided_parse(place, number, rec, where);
}

#endif /* GPUBP_AGENT_PLACE_H */
