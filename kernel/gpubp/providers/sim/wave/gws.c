// SPDX-License-Identifier: GPL-2.0
/* Global wave sync: DS instructions by which waves of several workgroups wait. */
#include <linux/kernel.h>
#include "vmem.h"

enum gws_op { DS_GWS_INIT = 153, DS_GWS_BARRIER = 157 };

#define GWS_RESOURCES	64
#define GWS_BYTES	8	/* of an instruction */

/* M0[21:16] and the offset select it */
static unsigned int gws_resource(const struct sim_wave *w, const struct gfx9_inst *i)
{
	return ((w->s[GFX9_SRC_M0] >> 16) + i->offset) % GWS_RESOURCES;
}

/*
 * sim_gws() - ds_gws_init, ds_gws_barrier
 *
 * A wave that waits executes the barrier again.
 */
int sim_gws(struct sim_wave *w, const struct gfx9_inst *i)
{
	unsigned int row, lane = sim_exec(w) ? __ffs64(sim_exec(w)) : 0;
	int err;

	if ((i->op != DS_GWS_INIT && i->op != DS_GWS_BARRIER) ||
	    sim_vreg(w, i->vaddr, 1, i->acc, &row))
		return -EILSEQ;
	err = sim_env_gws(w, i->op == DS_GWS_INIT, gws_resource(w, i), w->v[row][lane]);
	if (err != -EAGAIN)
		return err;
	sim_set_pc(w, w->pc - GWS_BYTES);
	return SIM_STOP_SLEEP;
}
