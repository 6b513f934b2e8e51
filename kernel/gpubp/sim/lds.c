// SPDX-License-Identifier: GPL-2.0
/*
 * LDS: the DS encoding, and FLAT accesses that land there. Comparators do not
 * see LDS. Reads out of range return zero, writes out of range are dropped.
 *
 * No locks: the environment runs the waves of a workgroup one at a time.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "vmem.h"

enum ds_op {
	DS_ADD_U32 = 0, DS_XOR_B32 = 11, DS_WRITE_B32 = 13, DS_WRITE2_B32,
	DS_WRITE2ST64_B32, DS_CMPST_B32, DS_NOP = 20, DS_WRITE_B8 = 30,
	DS_WRITE_B16, DS_RTN = 32, DS_WRXCHG_RTN_B32 = 45,
	DS_CMPST_RTN_B32 = 48, DS_READ_B32 = 54, DS_READ2_B32,
	DS_READ2ST64_B32, DS_READ_I8, DS_READ_U8, DS_READ_I16, DS_READ_U16,
	DS_SWIZZLE_B32, DS_PERMUTE_B32, DS_BPERMUTE_B32, DS_WIDE = 64,
	DS_WRITE_B96 = 222, DS_WRITE_B128, DS_READ_B96 = 254, DS_READ_B128,
};

/* FLAT opcodes of the operations DS_ADD_U32 to DS_XOR_B32; 0: none */
static const u8 ds_rmw[] = {
	66, 67, 0, 75, 76, 68, 70, 69, 71, 72, 73, 74,
};

#define FLAT_SWAP	64
#define FLAT_CMPSWAP	65
#define FLAT_WIDE	32

static u8 *lds_at(struct sim_wave *w, u64 off, unsigned int len)
{
	unsigned int size = 0;
	u8 *lds = sim_env_lds(w, &size);

	return lds && off + len <= size ? lds + off : NULL;
}

static void lds_rmw(struct sim_wave *w, const struct sim_vmem *m,
		    unsigned int lane, u8 *at)
{
	bool wide = m->op.width == 8;
	unsigned int step = wide ? 2 : 1;
	struct sim_rmw r = { .src = w->v[m->data][lane] };
	u64 old = 0, new;

	if (m->op.regs > step)
		r.cmp = w->v[m->data + step][lane];
	if (wide)
		r.src |= (u64)w->v[m->data + 1][lane] << 32;
	if (wide && m->op.regs > step)
		r.cmp |= (u64)w->v[m->data + 3][lane] << 32;
	memcpy(&old, at, m->op.width);
	new = m->rmw(old, &r);
	memcpy(at, &new, m->op.width);
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

	if (!at)
		return;
	if (m->op.kind == SIM_LOAD)
		memcpy(bytes, at, m->op.width);
	else if (m->op.kind == SIM_STORE)
		memcpy(at, bytes, m->op.width);
	else
		lds_rmw(w, m, lane, at);
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

static int ds_addrs(struct sim_wave *w, const struct gfx9_inst *i, u32 off)
{
	unsigned int lane, row;
	u64 left;

	if (sim_vreg(w, i->vaddr, 1, false, &row))
		return -EILSEQ;
	sim_for_each_lane(lane, left, sim_exec(w))
		w->work.addrs[lane] = (u64)w->v[row][lane] + off;
	return 0;
}

static int ds_move(struct sim_wave *w, const struct gfx9_inst *i,
		   struct sim_memop op)
{
	struct sim_vmem m = { .op = op, .lds = sim_exec(w) };
	bool load = op.kind == SIM_LOAD;

	if (sim_vreg(w, load ? i->dst : i->vdata, op.regs, i->acc,
		     load ? &m.dst : &m.data) || ds_addrs(w, i, i->offset))
		return -EILSEQ;
	return sim_vmem_run(w, &m);
}

static void move_addrs(struct sim_wave *w, s32 delta)
{
	unsigned int lane;

	for (lane = 0; lane < SIM_LANES; lane++)
		w->work.addrs[lane] += delta;
}

/* two elements at offsets of their own, in units of their size (times 64) */
static int ds_move2(struct sim_wave *w, const struct gfx9_inst *i,
		    enum sim_access kind, bool wide, bool st64)
{
	unsigned int regs = wide ? 2 : 1, unit = regs * (st64 ? 256 : 4);
	struct sim_vmem m = { .op = { kind, regs * 4, regs } };
	unsigned int off0 = (i->offset & 0xff) * unit;
	unsigned int off1 = (i->offset >> 8 & 0xff) * unit;
	unsigned int second;
	bool load = kind == SIM_LOAD;

	if (load ? sim_vreg(w, i->dst, 2 * regs, i->acc, &m.dst) :
		   sim_vreg(w, i->vdata, regs, i->acc, &m.data) ||
		   sim_vreg(w, i->vdata1, regs, i->acc, &second))
		return -EILSEQ;
	if (ds_addrs(w, i, off0))
		return -EILSEQ;
	m.lds = sim_exec(w);
	sim_vmem_run(w, &m);
	move_addrs(w, off1 - off0);
	if (load)
		m.dst += regs;
	else
		m.data = second;
	return sim_vmem_run(w, &m);
}

static unsigned int rmw_opcode(unsigned int op, bool wide)
{
	unsigned int base = op & 31;
	unsigned int flat = 0;

	if (op == DS_WRXCHG_RTN_B32)
		flat = FLAT_SWAP;
	else if (base < ARRAY_SIZE(ds_rmw))
		flat = ds_rmw[base];
	return flat && wide ? flat + FLAT_WIDE : flat;
}

static int ds_atomic(struct sim_wave *w, const struct gfx9_inst *i,
		     unsigned int op, bool wide)
{
	unsigned int flat = rmw_opcode(op, wide);
	struct sim_vmem m = { .returns = op & DS_RTN };

	if (!flat || sim_memop_find(flat, &m.op))
		return -EILSEQ;
	m.rmw = sim_rmw_find(flat);
	if (sim_vreg(w, i->vdata, m.op.regs, i->acc, &m.data) ||
	    (m.returns && sim_vreg(w, i->dst, m.op.regs, i->acc, &m.dst)) ||
	    ds_addrs(w, i, i->offset))
		return -EILSEQ;
	m.lds = sim_exec(w);
	return sim_vmem_run(w, &m);
}

static u64 pair_value(const struct sim_wave *w, unsigned int row,
		      unsigned int lane, bool wide)
{
	return w->v[row][lane] | (wide ? (u64)w->v[row + 1][lane] << 32 : 0);
}

static void cmpst_lane(struct sim_wave *w, const struct sim_vmem *m,
		       unsigned int src, unsigned int lane)
{
	bool wide = m->op.width == 8;
	u8 *at = lds_at(w, w->work.addrs[lane], m->op.width);
	u64 old = 0, cmp = pair_value(w, m->data, lane, wide);
	u64 new = pair_value(w, src, lane, wide);

	if (at)
		memcpy(&old, at, m->op.width);
	if (at && old == cmp)
		memcpy(at, &new, m->op.width);
	if (!m->returns)
		return;
	w->v[m->dst][lane] = (u32)old;
	if (wide)
		w->v[m->dst + 1][lane] = old >> 32;
}

/* other than FLAT's: DATA0 is what is compared, DATA1 what is stored */
static int ds_cmpst(struct sim_wave *w, const struct gfx9_inst *i,
		    unsigned int op, bool wide)
{
	struct sim_vmem m = { .returns = op == DS_CMPST_RTN_B32 };
	unsigned int regs = wide ? 2 : 1, src, lane;
	u64 left;

	m.op.width = 4 * regs;
	if (sim_vreg(w, i->vdata, regs, i->acc, &m.data) ||
	    sim_vreg(w, i->vdata1, regs, i->acc, &src) ||
	    (m.returns && sim_vreg(w, i->dst, regs, i->acc, &m.dst)) ||
	    ds_addrs(w, i, i->offset))
		return -EILSEQ;
	sim_for_each_lane(lane, left, sim_exec(w))
		cmpst_lane(w, &m, src, lane);
	return 0;
}

static void permute(struct sim_wave *w, const struct gfx9_inst *i, bool back,
		    const u32 *data)
{
	u32 *out = w->work.out;
	unsigned int lane, other;
	u64 left, exec = sim_exec(w);

	memset(out, 0, sizeof(w->work.out));
	sim_for_each_lane(lane, left, exec) {
		other = (w->work.addrs[lane] >> 2) & (SIM_LANES - 1);
		if (!back)
			out[other] = data[lane];
		else if (exec >> other & 1)
			out[lane] = data[other];
	}
}

/* lanes exchange values; no memory is involved */
static int ds_permute(struct sim_wave *w, const struct gfx9_inst *i)
{
	unsigned int data, dst, lane;
	u64 left;

	if (sim_vreg(w, i->vdata, 1, i->acc, &data) ||
	    sim_vreg(w, i->dst, 1, i->acc, &dst) || ds_addrs(w, i, i->offset))
		return -EILSEQ;
	permute(w, i, i->op == DS_BPERMUTE_B32, w->v[data]);
	sim_for_each_lane(lane, left, sim_exec(w))
		w->v[dst][lane] = w->work.out[lane];
	return 0;
}

static int ds_fixed(struct sim_wave *w, const struct gfx9_inst *i)
{
	switch (i->op) {
	case DS_NOP:
		return 0;
	case DS_WRITE_B8:
		return ds_move(w, i, (struct sim_memop){ SIM_STORE, 1, 1 });
	case DS_WRITE_B16:
		return ds_move(w, i, (struct sim_memop){ SIM_STORE, 2, 1 });
	case DS_READ_I8:
		return ds_move(w, i, (struct sim_memop){ SIM_LOAD, 1, 1, true });
	case DS_READ_U8:
		return ds_move(w, i, (struct sim_memop){ SIM_LOAD, 1, 1 });
	case DS_READ_I16:
		return ds_move(w, i, (struct sim_memop){ SIM_LOAD, 2, 1, true });
	case DS_READ_U16:
		return ds_move(w, i, (struct sim_memop){ SIM_LOAD, 2, 1 });
	case DS_PERMUTE_B32:
	case DS_BPERMUTE_B32:
		return ds_permute(w, i);
	case DS_WRITE_B96:
		return ds_move(w, i, (struct sim_memop){ SIM_STORE, 12, 3 });
	case DS_WRITE_B128:
		return ds_move(w, i, (struct sim_memop){ SIM_STORE, 16, 4 });
	case DS_READ_B96:
		return ds_move(w, i, (struct sim_memop){ SIM_LOAD, 12, 3 });
	case DS_READ_B128:
		return ds_move(w, i, (struct sim_memop){ SIM_LOAD, 16, 4 });
	default:
		return -EILSEQ;
	}
}

/* operations that exist for 32 and, 64 opcodes further, for 64 bits */
static int ds_sized(struct sim_wave *w, const struct gfx9_inst *i, bool wide)
{
	unsigned int op = i->op & (DS_WIDE - 1), regs = wide ? 2 : 1;

	switch (op) {
	case DS_WRITE_B32:
		return ds_move(w, i, (struct sim_memop)
			       { SIM_STORE, 4 * regs, regs });
	case DS_READ_B32:
		return ds_move(w, i, (struct sim_memop)
			       { SIM_LOAD, 4 * regs, regs });
	case DS_WRITE2_B32:
	case DS_WRITE2ST64_B32:
		return ds_move2(w, i, SIM_STORE, wide, op == DS_WRITE2ST64_B32);
	case DS_READ2_B32:
	case DS_READ2ST64_B32:
		return ds_move2(w, i, SIM_LOAD, wide, op == DS_READ2ST64_B32);
	case DS_CMPST_B32:
	case DS_CMPST_RTN_B32:
		return ds_cmpst(w, i, op, wide);
	case DS_ADD_U32 ... DS_XOR_B32:
	case DS_RTN ... DS_RTN + DS_XOR_B32:
	case DS_WRXCHG_RTN_B32:
		return ds_atomic(w, i, op, wide);
	default:
		return -EILSEQ;
	}
}

/*
 * sim_ds() - DS; GDS is not there
 */
int sim_ds(struct sim_wave *w, const struct gfx9_inst *i)
{
	int ret = -EILSEQ;

	if (i->gds)
		return ret;
	if (i->op < 2 * DS_WIDE)
		ret = ds_sized(w, i, i->op >= DS_WIDE);
	if (ret == -EILSEQ)
		ret = ds_fixed(w, i);
	return ret;
}
