// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses to LDS, of DS and of FLAT. Comparators do not see LDS. Reads out of
 * range return zero, writes out of range are dropped.
 *
 * No locks: the environment runs the waves of a workgroup one at a time.
 */
#include <linux/string.h>
#include "vmem.h"

static u8 *lds_at(struct sim_wave *w, u64 off, unsigned int len)
{
	unsigned int size = 0;
	u8 *lds = sim_env_lds(w, &size);

	return lds && off + len <= size ? lds + off : NULL;
}

static u64 pair_value(const struct sim_wave *w, unsigned int row,
		      unsigned int lane, bool wide)
{
	return w->v[row][lane] | (wide ? (u64)w->v[row + 1][lane] << 32 : 0);
}

/* out of range reads return zero, writes are dropped */
static void lds_rmw(struct sim_wave *w, const struct sim_vmem *m,
		    unsigned int lane, u8 *at)
{
	bool wide = m->op.width == 8;
	struct sim_rmw r = { .fm = m->lds_fm };
	u64 old = 0, new;

	r.src = pair_value(w, m->data, lane, wide);
	r.cmp = pair_value(w, m->cmp, lane, wide);
	if (at) {
		memcpy(&old, at, m->op.width);
		new = m->rmw(old, &r);
		memcpy(at, &new, m->op.width);
	}
	if (!m->returns)
		return;
	w->v[m->dst][lane] = (u32)old;
	if (wide)
		w->v[m->dst + 1][lane] = old >> 32;
}

static void lds_lane(struct sim_wave *w, const struct sim_vmem *m,
		     unsigned int lane)
{
	u8 *at = lds_at(w, w->work.addrs[lane], m->op.width);
	u8 *bytes = (u8 *)w->work.data + lane * m->op.width;

	if (m->op.kind == SIM_ATOMIC)
		lds_rmw(w, m, lane, at);
	else if (at && m->op.kind == SIM_LOAD)
		memcpy(bytes, at, m->op.width);
	else if (at)
		memcpy(at, bytes, m->op.width);
}

/**
 * sim_lds_access() - accesses of lanes @m->lds
 * @w: wave; work.addrs holds offsets, work.data what is stored or loaded
 * @m: instruction
 */
void sim_lds_access(struct sim_wave *w, struct sim_vmem *m)
{
	unsigned int lane;
	u64 left;

	sim_for_each_lane(lane, left, m->lds)
		lds_lane(w, m, lane);
}

/** sim_lds_store() - store a dword; dropped out of range */
void sim_lds_store(struct sim_wave *w, u32 off, u32 val)
{
	u8 *at = lds_at(w, off, sizeof(val));

	if (at)
		memcpy(at, &val, sizeof(val));
}

/**
 * sim_ds_addrs() - addresses of DS into work.addrs
 * @w: wave
 * @i: instruction
 * @off: added
 *
 * Return: 0 or -EILSEQ.
 */
int sim_ds_addrs(struct sim_wave *w, const struct gfx9_inst *i, u32 off)
{
	unsigned int lane, row;
	u64 left;

	if (sim_vreg(w, i->vaddr, 1, false, &row))
		return -EILSEQ;
	/* the sum wraps before it is compared with the size */
	sim_for_each_lane(lane, left, sim_exec(w))
		w->work.addrs[lane] = w->v[row][lane] + off;
	return 0;
}

/** sim_ds_move_addrs() - to another offset */
void sim_ds_move_addrs(struct sim_wave *w, s32 delta)
{
	unsigned int lane;

	for (lane = 0; lane < SIM_LANES; lane++)
		w->work.addrs[lane] = (u32)(w->work.addrs[lane] + delta);
}
