// SPDX-License-Identifier: GPL-2.0
/*
 * DPP: a source whose values come from other lanes.
 */
#include <linux/kernel.h>
#include "valu.h"

/* DPP dword */
#define DPP_CTRL(x)		(((x) >> 8) & 0x1ff)
#define DPP_BOUND_CTRL		0x00080000u
#define DPP_BANK_MASK(x)	(((x) >> 24) & 15)
#define DPP_ROW_MASK(x)		((x) >> 28)

/* 64-bit operations support one kind of DPP only */
static bool dpp_is_double(const struct sim_vop *o)
{
	return o->info.flags & (VF_WIDE0 | VF_WIDE1 | VF_WIDE2 | VF_WIDED);
}

static bool dpp_known(unsigned int ctrl, enum gfx9_arch arch, bool wide)
{
	if (wide)
		return arch != GFX9_GFX900 && ctrl >= 0x150 && ctrl <= 0x15f;
	switch (ctrl) {
	case 0x000 ... 0x0ff:	/* quad_perm */
	case 0x101 ... 0x10f:	/* row_shl */
	case 0x111 ... 0x11f:	/* row_shr */
	case 0x121 ... 0x12f:	/* row_ror */
	case 0x130: case 0x134: case 0x138: case 0x13c:	/* wave_* */
	case 0x140 ... 0x143:	/* row_mirror, row_half_mirror, row_bcast */
		return true;
	case 0x150 ... 0x15f:	/* row_newbcast */
		return arch != GFX9_GFX900;
	default:
		return false;
	}
}

/* the lane that @lane reads from, or an invalid lane number */
static unsigned int dpp_from_row(unsigned int ctrl, unsigned int lane)
{
	unsigned int row = lane & ~15u, in = lane & 15, n = ctrl & 15;

	switch (ctrl & 0x1f0) {
	case 0x100:
		return in + n < 16 ? lane + n : SIM_LANES;
	case 0x110:
		return in >= n ? lane - n : SIM_LANES;
	case 0x120:
		return row + ((in - n) & 15);
	default:
		return row + n;	/* row_newbcast */
	}
}

static unsigned int dpp_from(unsigned int ctrl, unsigned int lane)
{
	switch (ctrl) {
	case 0x000 ... 0x0ff:
		return (lane & ~3u) + (ctrl >> (2 * (lane & 3)) & 3);
	case 0x130:
		return lane + 1;
	case 0x134:
		return (lane + 1) & 63;
	case 0x138:
		return lane ? lane - 1 : SIM_LANES;
	case 0x13c:
		return (lane - 1) & 63;
	case 0x140:
		return lane ^ 15;
	case 0x141:
		return lane ^ 7;
	case 0x142:
		return lane >= 16 ? (lane & ~15u) - 1 : SIM_LANES;
	case 0x143:
		return lane >= 32 ? 31 : SIM_LANES;
	default:
		return dpp_from_row(ctrl, lane);
	}
}

static bool dpp_selected(u32 dpp, unsigned int lane)
{
	return (DPP_ROW_MASK(dpp) >> (lane / 16) & 1) &&
	       (DPP_BANK_MASK(dpp) >> (lane / 4 % 4) & 1);
}

/**
 * sim_dpp_source() - read source 0 from the lanes that the DPP dword selects
 * @w: wave
 * @o: instruction
 *
 * Lanes without a valid source are not written, or read zero.
 *
 * Return: 0 or -EILSEQ.
 */
int sim_dpp_source(struct sim_wave *w, struct sim_vop *o)
{
	u32 dpp = o->i->literal, *copy = w->work.copy[0];
	u32 *upper = w->work.copy_hi[0];
	bool wide = o->info.flags & VF_WIDE0;
	unsigned int lane, from;
	u64 exec = sim_exec(w);
	const struct sim_vsrc in = o->s[0];

	if (!dpp_known(DPP_CTRL(dpp), w->arch, dpp_is_double(o)))
		return -EILSEQ;
	for (lane = 0; lane < SIM_LANES; lane++) {
		from = dpp_from(DPP_CTRL(dpp), lane);
		copy[lane] = 0;
		upper[lane] = 0;
		if (from < SIM_LANES && (exec >> from & 1)) {
			copy[lane] = in.lo[from];
			upper[lane] = wide ? in.hi[from] : 0;
		} else if (!(dpp & DPP_BOUND_CTRL)) {
			o->lanes &= ~(1ull << lane);
		}
		if (!dpp_selected(dpp, lane))
			o->lanes &= ~(1ull << lane);
	}
	o->s[0] = (struct sim_vsrc){ copy, upper };
	return 0;
}
