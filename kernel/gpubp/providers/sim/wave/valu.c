// SPDX-License-Identifier: GPL-2.0
/*
 * Vector arithmetic: from an instruction to its executor.
 */
#include <linux/kernel.h>
#include "../softfloat/softfloat.h"
#include "valu.h"
#include "vmem.h"

static unsigned int vop_number(const struct gfx9_inst *i)
{
	switch (i->fmt) {
	case GFX9_VOP2:
		return VOP2_BASE + i->op;
	case GFX9_VOP1:
		return VOP1_BASE + i->op;
	default:
		return i->op;	/* VOPC, VOP3 */
	}
}

static int run_group(struct sim_wave *w, struct sim_vop *o)
{
	switch (o->info.group) {
	case VG_INT:	return sim_vop_int(w, o);
	case VG_INT3:	return sim_vop_int3(w, o);
	case VG_CARRY:	return sim_vop_carry(w, o);
	case VG_B16:	return sim_vop_b16(w, o);
	case VG_WIDE:	return sim_vop_wide(w, o);
	case VG_CMP:	return sim_vop_cmp(w, o);
	case VG_FLOAT:	return sim_vop_float(w, o);
	case VG_CVT:	return sim_vop_cvt(w, o);
	case VG_DIV:	return sim_vop_div(w, o);
	case VG_F64:	return sim_vop_f64(w, o);
	case VG_F16:	return sim_vop_f16(w, o);
	case VG_TRANS:	return sim_vop_trans(w, o);
	default:	return -EILSEQ;
	}
}

static int dst_row(const struct sim_wave *w, const struct sim_vop *o,
		   unsigned int *row)
{
	unsigned int reg = o->i->dst + sim_gpr_index(w, SIM_GPR_IDX_DST);

	return sim_vreg(w, reg, o->info.flags & VF_WIDED ? 2 : 1, false, row);
}

static void vop_set_dst(struct sim_wave *w, struct sim_vop *o, unsigned int row)
{
	o->d = o->merged ? w->work.out : w->v[row];
	o->dhi = o->info.flags & VF_WIDED ? w->v[row + 1] : NULL;
	if (!(o->info.flags & VF_DST_IN))
		return;
	o->s[2] = (struct sim_vsrc){ w->v[row], o->dhi };
}

static int run_to_vgpr(struct sim_wave *w, struct sim_vop *o)
{
	unsigned int row;
	int ret;

	/* nothing is written if it is M0 that leads out of range */
	if (dst_row(w, o, &row))
		return sim_gpr_index(w, SIM_GPR_IDX_DST) ? 0 : -EILSEQ;
	vop_set_dst(w, o, row);
	ret = run_group(w, o);
	if (!ret && o->merged)
		sim_vop_merge(w, o, w->v[row]);
	return ret;
}

/* two bits of MODE.FP_ROUND and two of FP_DENORM */
static unsigned int mode_to_fm(const struct sim_wave *w, unsigned int round,
			       unsigned int denorm)
{
	return (round & SF_ROUND) | (denorm & 1 ? 0 : SF_FLUSH_IN) |
	       (denorm & 2 ? 0 : SF_FLUSH_OUT) |
	       (w->mode & MODE_IEEE ? SF_IEEE : 0);
}

/* sim_float_mode() - softfloat mode of the wave for binary32 */
unsigned int sim_float_mode(const struct sim_wave *w)
{
	return mode_to_fm(w, w->mode, w->mode >> 4);
}

/* sim_double_mode() - softfloat mode for binary64 and binary16 */
unsigned int sim_double_mode(const struct sim_wave *w)
{
	return mode_to_fm(w, w->mode >> 2, w->mode >> 6);
}

/* INEXACT is set in TRAPSTS already, and does not trap */
static unsigned int known_inexact(const struct sim_wave *w)
{
	u32 excp_en = w->mode >> MODE_EXCP_EN_SHIFT;

	return w->trapsts & ~excp_en & SF_INEXACT ? SF_KNOWN_INEXACT : 0;
}

/* sim_vop_modes() - set the modes and exception flags of an operation */
void sim_vop_modes(const struct sim_wave *w, struct sim_vop *o)
{
	unsigned int known = known_inexact(w);

	o->exceptions.raised = 0;
	o->fm = sf_gather(sim_float_mode(w) | known, &o->exceptions);
	o->fm64 = sf_gather(sim_double_mode(w) | known, &o->exceptions);
}

/* sim_vop_raise() - raise the exceptions of a completed operation */
void sim_vop_raise(struct sim_wave *w, const struct sim_vop *o)
{
	static_assert(SF_INVALID == BIT(0) && SF_INEXACT == BIT(5));

	if (o->exceptions.raised)
		sim_raise(w, o->exceptions.raised);
}

/* one opcode is another operation on gfx900 */
static unsigned int vop_operation(const struct sim_wave *w,
				  const struct gfx9_inst *i)
{
	unsigned int op = vop_number(i);

	return op == V_FMAC_F64 && w->arch == GFX9_GFX900 ? V_MUL_LEGACY_F32 :
							    op;
}

/*
 * sim_valu() - VOP1, VOP2, VOPC, VOP3
 */
int sim_valu(struct sim_wave *w, const struct gfx9_inst *i)
{
	struct sim_vop o;	/* what is not used is not written */
	int ret;

	o.i = i;
	o.op = vop_operation(w, i);
	o.info = sim_vop_info(o.op);
	o.lanes = sim_exec(w);
	if (o.info.group == VG_NONE)
		return -EILSEQ;
	if (o.info.group == VG_LANE)
		return sim_vop_lane(w, i, o.op);
	if (sim_vop_sources(w, &o))
		return -EILSEQ;
	if (o.info.group <= VG_WIDE)
		return run_to_vgpr(w, &o);
	sim_vop_modes(w, &o);
	ret = o.info.group == VG_CMP ? sim_vop_cmp(w, &o) : run_to_vgpr(w, &o);
	if ((o.info.flags & VF_INEXACT) && !i->clamp)
		o.exceptions.raised &= ~SF_INEXACT;
	if (!ret)
		sim_vop_raise(w, &o);
	return ret;
}
