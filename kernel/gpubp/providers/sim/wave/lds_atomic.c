// SPDX-License-Identifier: GPL-2.0
/*
 * Atomic operations of the DS encoding.
 *
 * Bits of an opcode: 32 returns the old value, 64 has 64-bit operands; the rest
 * is the operation. Packed ones that return have bit 128, too.
 */
#include <linux/kernel.h>
#include "../softfloat/softfloat.h"
#include "valu.h"
#include "vmem.h"

#define DS_RTN			32
#define DS_WIDE			64

enum ds_base {
	DS_WRXCHG = 13, DS_WRXCHG2, DS_WRXCHG2ST64, DS_CMPST, DS_CMPST_F,
	DS_MIN_F, DS_MAX_F, DS_WRAP, DS_ADD_F32, DS_PK_ADD_F16 = 23,
	DS_PK_ADD_BF16, DS_ADD_F64 = 28,
};

/* operations with 32-bit and 64-bit forms */
static const u8 both[] = {
	SIM_RMW_ADD, SIM_RMW_SUB, SIM_RMW_RSUB, SIM_RMW_INC, SIM_RMW_DEC,
	SIM_RMW_SMIN, SIM_RMW_SMAX, SIM_RMW_UMIN, SIM_RMW_UMAX, SIM_RMW_AND,
	SIM_RMW_OR, SIM_RMW_XOR, SIM_RMW_MSKOR,
	[DS_WRXCHG ... DS_WRXCHG2ST64] = SIM_RMW_SWAP,
	[DS_CMPST] = SIM_RMW_CMPSWAP,
};

static unsigned int float_rmw(unsigned int base, bool rtn, bool wide)
{
	switch (base) {
	case DS_CMPST_F:
		return wide ? SIM_RMW_CMPSWAP_F64 : SIM_RMW_CMPSWAP_F32;
	case DS_MIN_F:
		return wide ? SIM_RMW_MIN_F64 : SIM_RMW_MIN_F32;
	case DS_MAX_F:
		return wide ? SIM_RMW_MAX_F64 : SIM_RMW_MAX_F32;
	case DS_WRAP:
		return rtn && !wide ? SIM_RMW_WRAP : 0;
	case DS_ADD_F32:
		return wide ? 0 : SIM_RMW_ADD_F32;
	case DS_PK_ADD_F16:
		return wide ? 0 : SIM_RMW_PK_ADD_F16;
	case DS_PK_ADD_BF16:
		return wide ? 0 : SIM_RMW_PK_ADD_BF16;
	case DS_ADD_F64:
		return wide ? SIM_RMW_ADD_F64 : 0;
	default:
		return 0;
	}
}

/* enum sim_rmw_op, or 0 */
static unsigned int find_rmw(unsigned int op)
{
	unsigned int base = op & 31;
	bool rtn = op & DS_RTN, wide = op & DS_WIDE;

	if (base >= ARRAY_SIZE(both))
		return float_rmw(base, rtn, wide);
	/* without a result these opcodes are writes */
	if (base >= DS_WRXCHG && base <= DS_WRXCHG2ST64 && !rtn)
		return 0;
	return both[base] + (wide ? SIM_RMW_WIDE : 0);
}

/* operations with DATA0 (compared, masked or subtracted) and DATA1 (stored) */
static bool has_two(unsigned int base)
{
	return base == DS_CMPST || base == DS_CMPST_F || base == DS_WRAP ||
	       both[base % ARRAY_SIZE(both)] == SIM_RMW_MSKOR;
}

/*
 * sim_lds_float_mode() - modes of an atomic in LDS: to nearest, denormals as MODE says,
 * but sums of binary64 never flush them
 */
unsigned int sim_lds_float_mode(const struct sim_wave *w, unsigned int op)
{
	unsigned int fm;

	switch (op) {
	case SIM_RMW_ADD_F64:
		return SF_NEAREST;
	case SIM_RMW_PK_ADD_F16:
	case SIM_RMW_MIN_F64:
	case SIM_RMW_MAX_F64:
	case SIM_RMW_CMPSWAP_F64:
		fm = sim_double_mode(w);
		break;
	default:
		fm = sim_float_mode(w);
	}
	return (fm & ~SF_ROUND) | SF_NEAREST;
}

static int ds_atomic_prepare(struct sim_wave *w, const struct gfx9_inst *i,
			     struct sim_vmem *m)
{
	unsigned int op = find_rmw(i->op), regs;

	if (!op || sim_rmw_memop(op, &m->op))
		return -EILSEQ;
	regs = m->op.width / 4;
	m->rmw = sim_rmw_find(op);
	m->returns = i->op & DS_RTN;
	m->lds = sim_exec(w);
	m->lds_fm = sim_lds_float_mode(w, op);
	if (sim_vreg(w, i->vdata, regs, i->acc, &m->data))
		return -EILSEQ;
	m->cmp = m->data;
	if (has_two(i->op & 31) &&
	    sim_vreg(w, i->vdata1, regs, i->acc, &m->data))
		return -EILSEQ;
	return 0;
}

/* exchanges at two offsets, in units of their size (times 64) */
static int ds_exchange2(struct sim_wave *w, const struct gfx9_inst *i,
			struct sim_vmem *m)
{
	unsigned int regs = m->op.regs, second;
	unsigned int unit = (i->op & 31) == DS_WRXCHG2 ? 4 : 256;
	unsigned int off0 = (i->offset & 0xff) * unit * regs;
	unsigned int off1 = (i->offset >> 8 & 0xff) * unit * regs;

	if (sim_vreg(w, i->dst, 2 * regs, i->acc, &m->dst) ||
	    sim_vreg(w, i->vdata1, regs, i->acc, &second) ||
	    sim_ds_addrs(w, i, off0))
		return -EILSEQ;
	sim_vmem_run(w, m);
	sim_ds_move_addrs(w, off1 - off0);
	m->data = second;
	m->dst += regs;
	return sim_vmem_run(w, m);
}

/* sim_ds_atomic() - DS opcodes below 128 and packed ones that are not moves */
int sim_ds_atomic(struct sim_wave *w, const struct gfx9_inst *i)
{
	unsigned int base = i->op & 31;
	struct sim_vmem m = {};

	if (ds_atomic_prepare(w, i, &m))
		return -EILSEQ;
	if (base == DS_WRXCHG2 || base == DS_WRXCHG2ST64)
		return ds_exchange2(w, i, &m);
	if ((m.returns &&
	     sim_vreg(w, i->dst, m.op.width / 4, i->acc, &m.dst)) ||
	    sim_ds_addrs(w, i, i->offset))
		return -EILSEQ;
	return sim_vmem_run(w, &m);
}
