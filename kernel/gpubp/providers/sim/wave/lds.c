// SPDX-License-Identifier: GPL-2.0
/* The DS encoding. */
#include <linux/kernel.h>
#include "vmem.h"

enum ds_op {
	DS_WRITE_B32 = 13, DS_WRITE2_B32, DS_WRITE2ST64_B32, DS_NOP = 20,
	DS_WRITE_ADDTID_B32 = 29, DS_WRITE_B8, DS_WRITE_B16,
	DS_READ_B32 = 54, DS_READ2_B32, DS_READ2ST64_B32, DS_READ_I8,
	DS_READ_U8, DS_READ_I16, DS_READ_U16, DS_SWIZZLE_B32, DS_PERMUTE_B32,
	DS_BPERMUTE_B32,
	DS_WIDE = 64, DS_WRITE_B8_D16_HI = 84, DS_WRITE_B16_D16_HI,
	DS_READ_U8_D16, DS_READ_U8_D16_HI, DS_READ_I8_D16, DS_READ_I8_D16_HI,
	DS_READ_U16_D16, DS_READ_U16_D16_HI, DS_READ_ADDTID_B32 = 182,
	DS_PK_ADD_RTN_F16, DS_PK_ADD_RTN_BF16,
	DS_WRITE_B96 = 222, DS_WRITE_B128, DS_READ_B96 = 254, DS_READ_B128,
};

/* moves of one element per lane */
static const struct sim_memop moves[] = {
	[DS_WRITE_B32] = { SIM_STORE, 4, 1 },
	[DS_WRITE_B8] = { SIM_STORE, 1, 1 },
	[DS_WRITE_B16] = { SIM_STORE, 2, 1 },
	[DS_READ_B32] = { SIM_LOAD, 4, 1 },
	[DS_READ_I8] = { SIM_LOAD, 1, 1, .is_signed = true },
	[DS_READ_U8] = { SIM_LOAD, 1, 1 },
	[DS_READ_I16] = { SIM_LOAD, 2, 1, .is_signed = true },
	[DS_READ_U16] = { SIM_LOAD, 2, 1 },
	[DS_WRITE_B32 + DS_WIDE] = { SIM_STORE, 8, 2 },
	[DS_WRITE_B8_D16_HI] = { SIM_STORE, 1, 1, .hi = true },
	[DS_WRITE_B16_D16_HI] = { SIM_STORE, 2, 1, .hi = true },
	[DS_READ_U8_D16] = { SIM_LOAD, 1, 1, .d16 = true },
	[DS_READ_U8_D16_HI] = { SIM_LOAD, 1, 1, .d16 = true, .hi = true },
	[DS_READ_I8_D16] = { SIM_LOAD, 1, 1, .is_signed = true, .d16 = true },
	[DS_READ_I8_D16_HI] = { SIM_LOAD, 1, 1, .is_signed = true,
				.d16 = true, .hi = true },
	[DS_READ_U16_D16] = { SIM_LOAD, 2, 1, .d16 = true },
	[DS_READ_U16_D16_HI] = { SIM_LOAD, 2, 1, .d16 = true, .hi = true },
	[DS_READ_B32 + DS_WIDE] = { SIM_LOAD, 8, 2 },
	[DS_WRITE_B96] = { SIM_STORE, 12, 3 },
	[DS_WRITE_B128] = { SIM_STORE, 16, 4 },
	[DS_READ_B96] = { SIM_LOAD, 12, 3 },
	[DS_READ_B128] = { SIM_LOAD, 16, 4 },
};

static int ds_move(struct sim_wave *w, const struct gfx9_inst *i,
		   struct sim_memop op)
{
	struct sim_vmem m = { .op = op, .lds = sim_exec(w) };
	bool load = op.kind == SIM_LOAD;

	if (sim_vreg(w, load ? i->dst : i->vdata, op.regs, i->acc,
		     load ? &m.dst : &m.data) || sim_ds_addrs(w, i, i->offset))
		return -EILSEQ;
	return sim_vmem_run(w, &m);
}

/* two elements at separate offsets, in units of their size (times 64) */
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
	if (sim_ds_addrs(w, i, off0))
		return -EILSEQ;
	m.lds = sim_exec(w);
	sim_vmem_run(w, &m);
	sim_ds_move_addrs(w, off1 - off0);
	if (load)
		m.dst += regs;
	else
		m.data = second;
	return sim_vmem_run(w, &m);
}

/* the lane number is used as address */
static int ds_addtid(struct sim_wave *w, const struct gfx9_inst *i,
		     enum sim_access kind)
{
	struct sim_vmem m = { .op = { kind, 4, 1 }, .lds = sim_exec(w) };
	bool load = kind == SIM_LOAD;
	unsigned int lane;

	if (sim_vreg(w, load ? i->dst : i->vdata, 1, i->acc,
		     load ? &m.dst : &m.data))
		return -EILSEQ;
	for (lane = 0; lane < SIM_LANES; lane++)
		w->work.addrs[lane] = (w->s[GFX9_SRC_M0] & 0xffff) +
				      (u32)i->offset + 4 * lane;
	return sim_vmem_run(w, &m);
}

static int ds_two(struct sim_wave *w, const struct gfx9_inst *i)
{
	bool wide = i->op >= DS_WIDE;

	switch (i->op & ~DS_WIDE) {
	case DS_WRITE2_B32:
		return ds_move2(w, i, SIM_STORE, wide, false);
	case DS_WRITE2ST64_B32:
		return ds_move2(w, i, SIM_STORE, wide, true);
	case DS_READ2_B32:
		return ds_move2(w, i, SIM_LOAD, wide, false);
	case DS_READ2ST64_B32:
		return ds_move2(w, i, SIM_LOAD, wide, true);
	default:
		return sim_ds_atomic(w, i);
	}
}

/* sim_ds() - DS; of GDS there is global wave sync only */
int sim_ds(struct sim_wave *w, const struct gfx9_inst *i)
{
	if (i->gds)
		return sim_gws(w, i);
	if (moves[i->op].width)
		return ds_move(w, i, moves[i->op]);
	switch (i->op) {
	case DS_NOP:
		return 0;
	case DS_WRITE_ADDTID_B32:
		return ds_addtid(w, i, SIM_STORE);
	case DS_READ_ADDTID_B32:
		return ds_addtid(w, i, SIM_LOAD);
	case DS_PK_ADD_RTN_F16:
	case DS_PK_ADD_RTN_BF16:
		return sim_ds_atomic(w, i);
	case DS_SWIZZLE_B32:
		return sim_ds_swizzle(w, i);
	case DS_PERMUTE_B32:
		return sim_ds_permute(w, i, false);
	case DS_BPERMUTE_B32:
		return sim_ds_permute(w, i, true);
	default:
		return i->op < 2 * DS_WIDE ? ds_two(w, i) : -EILSEQ;
	}
}
