// SPDX-License-Identifier: GPL-2.0
/*
 * Vector instructions that are not per lane: between a lane and a scalar
 * register, between registers, no-ops.
 */
#include <linux/kernel.h>
#include "valu.h"
#include "vmem.h"

/* the lane with the lowest number; lane 0 if none is active */
static unsigned int first_lane(const struct sim_wave *w)
{
	u64 exec = sim_exec(w);

	return exec ? __ffs64(exec) : 0;
}

static int read_lane(struct sim_wave *w, const struct gfx9_inst *i,
		     unsigned int lane)
{
	struct sim_vsrc s;

	if (sim_vsrc(w, i, 0, false, &s))
		return -EILSEQ;
	return sim_swrite(w, i->dst, s.lo[lane]);
}

/* a scalar operand selects the lane; EXEC is ignored */
static int lane_select(const struct sim_wave *w, const struct gfx9_inst *i,
		       u32 *lane)
{
	if (sim_sread(w, i, i->src[1], lane))
		return -EILSEQ;
	*lane &= SIM_LANES - 1;
	return 0;
}

static int write_lane(struct sim_wave *w, const struct gfx9_inst *i)
{
	unsigned int row;
	u32 lane, val;

	if (lane_select(w, i, &lane) || sim_sread(w, i, i->src[0], &val) ||
	    sim_vreg(w, i->dst, 1, false, &row))
		return -EILSEQ;
	w->v[row][lane] = val;
	return 0;
}

static int swap_regs(struct sim_wave *w, const struct gfx9_inst *i)
{
	unsigned int a, b, lane;
	u64 left;

	if (i->src[0] < GFX9_SRC_VGPR || i->sdwa || i->dpp ||
	    sim_vreg(w, i->dst, 1, false, &a) ||
	    sim_vreg(w, i->src[0] - GFX9_SRC_VGPR, 1, false, &b))
		return -EILSEQ;
	sim_for_each_lane(lane, left, sim_exec(w)) {
		u32 old = w->v[a][lane];

		w->v[a][lane] = w->v[b][lane];
		w->v[b][lane] = old;
	}
	return 0;
}

/* both are accumulation registers */
static int acc_move(struct sim_wave *w, const struct gfx9_inst *i)
{
	unsigned int dst, src, lane;
	u64 left;

	if (i->src[0] < GFX9_SRC_VGPR || i->sdwa || i->dpp ||
	    sim_vreg(w, i->dst, 1, true, &dst) ||
	    sim_vreg(w, i->src[0] - GFX9_SRC_VGPR, 1, true, &src))
		return -EILSEQ;
	sim_for_each_lane(lane, left, sim_exec(w))
		w->v[dst][lane] = w->v[src][lane];
	return 0;
}

/*
 * sim_vop_lane() - the instructions of this file
 */
int sim_vop_lane(struct sim_wave *w, const struct gfx9_inst *i, unsigned int op)
{
	u32 lane;

	switch (op) {
	case V_NOP:
	case V_CLREXCP:		/* no exceptions are pending outside TRAPSTS */
		return 0;
	case V_READFIRSTLANE_B32:
		return read_lane(w, i, first_lane(w));
	case V_READLANE_B32:
		return lane_select(w, i, &lane) ?: read_lane(w, i, lane);
	case V_WRITELANE_B32:
		return write_lane(w, i);
	case V_SWAP_B32:
		return swap_regs(w, i);
	case V_ACCVGPR_MOV_B32:
		return acc_move(w, i);
	default:
		return -EILSEQ;
	}
}
