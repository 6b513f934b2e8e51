// SPDX-License-Identifier: GPL-2.0
/* Scalar instructions with 64-bit operands, including execution mask and pc. */
#include <linux/kernel.h>
#include "interp.h"
#include "salu.h"

static u64 bit_reverse64(u64 x)
{
	u64 r = 0;
	int n;

	for (n = 0; n < 64; n++)
		r |= (x >> n & 1) << (63 - n);
	return r;
}

static u32 find_low64(u64 x)
{
	return x ? __ffs64(x) : -1;
}

static u32 count_high64(u64 x)
{
	return x ? 64 - fls64(x) : -1;
}

static u64 whole_quads64(u64 x)
{
	x |= x >> 1;
	x |= x >> 2;
	return (x & 0x1111111111111111ull) * 15;
}

static u64 quad_mask64(u64 x)
{
	u64 mask = 0;
	int q;

	for (q = 0; q < 16; q++)
		mask |= (u64)!!(x >> (4 * q) & 15) << q;
	return mask;
}

/* each bit twice */
static u64 bit_replicate(u32 x)
{
	u64 r = 0;
	int n;

	for (n = 0; n < 32; n++)
		r |= (u64)(x >> n & 1) * 3 << (2 * n);
	return r;
}

static u64 bit_field64(u64 x, u32 ctl, bool is_signed)
{
	unsigned int shift = ctl & 63, width = (ctl >> 16) & 127;

	if (!width)
		return 0;
	if (is_signed)
		x = (s64)x >> shift;
	else
		x >>= shift;
	if (width >= 64 || (is_signed && shift + width >= 64))
		return x;
	x &= (1ull << width) - 1;
	return is_signed ? sign_extend64(x, width - 1) : x;
}

static u64 sop2_logic64(unsigned int op, u64 a, u64 b)
{
	switch (op) {
	case S_AND_B64:		return a & b;
	case S_OR_B64:		return a | b;
	case S_XOR_B64:		return a ^ b;
	case S_ANDN2_B64:	return a & ~b;
	case S_ORN2_B64:	return a | ~b;
	case S_NAND_B64:	return ~(a & b);
	case S_NOR_B64:		return ~(a | b);
	default:		return ~(a ^ b);
	}
}

static int sop2_two_wide(struct sim_wave *w, const struct gfx9_inst *i)
{
	u64 a, b, d;

	if (sim_sread64(w, i, i->src[0], &a) ||
	    sim_sread64(w, i, i->src[1], &b))
		return -EILSEQ;
	if (i->op == S_CSELECT_B64)
		return sim_swrite64(w, i->dst, sim_scc(w) ? a : b);
	d = sop2_logic64(i->op, a, b);
	if (sim_swrite64(w, i->dst, d))
		return -EILSEQ;
	sim_set_scc(w, d);
	return 0;
}

static bool is_signed_op(unsigned int op)
{
	return op == S_ASHR_I64 || op == S_BFE_I64;
}

/* the second operand has 32 bits */
static int sop2_shift(struct sim_wave *w, const struct gfx9_inst *i)
{
	u64 a, d;
	u32 b;
	int err = is_signed_op(i->op) ? sim_sread_s64(w, i, i->src[0], &a) :
					sim_sread64(w, i, i->src[0], &a);

	if (err || sim_sread(w, i, i->src[1], &b))
		return -EILSEQ;
	switch (i->op) {
	case S_LSHL_B64:	d = a << (b & 63); break;
	case S_LSHR_B64:	d = a >> (b & 63); break;
	case S_ASHR_I64:	d = (s64)a >> (b & 63); break;
	case S_BFE_U64:		d = bit_field64(a, b, false); break;
	default:		d = bit_field64(a, b, true); break;
	}
	if (sim_swrite64(w, i->dst, d))
		return -EILSEQ;
	sim_set_scc(w, d);
	return 0;
}

static int sop2_bfm64(struct sim_wave *w, const struct gfx9_inst *i)
{
	u32 a, b;

	if (sim_sread(w, i, i->src[0], &a) || sim_sread(w, i, i->src[1], &b))
		return -EILSEQ;
	return sim_swrite64(w, i->dst, ((1ull << (a & 63)) - 1) << (b & 63));
}

/*
 * sim_sop2_wide() - SOP2 with a 64-bit result
 */
int sim_sop2_wide(struct sim_wave *w, const struct gfx9_inst *i)
{
	if (i->op == S_BFM_B64)
		return sop2_bfm64(w, i);
	if (i->op >= S_LSHL_B64)
		return sop2_shift(w, i);
	return sop2_two_wide(w, i);
}

static u64 saved_exec(unsigned int op, u64 a, u64 exec)
{
	switch (op) {
	case S_AND_SAVEEXEC_B64:	return a & exec;
	case S_OR_SAVEEXEC_B64:		return a | exec;
	case S_XOR_SAVEEXEC_B64:	return a ^ exec;
	case S_ANDN2_SAVEEXEC_B64:
	case S_ANDN2_WREXEC_B64:	return a & ~exec;
	case S_ORN2_SAVEEXEC_B64:	return a | ~exec;
	case S_NAND_SAVEEXEC_B64:	return ~(a & exec);
	case S_NOR_SAVEEXEC_B64:	return ~(a | exec);
	case S_XNOR_SAVEEXEC_B64:	return ~(a ^ exec);
	case S_ANDN1_SAVEEXEC_B64:
	case S_ANDN1_WREXEC_B64:	return ~a & exec;
	default:			return ~a | exec; /* orn1_saveexec */
	}
}

/* the destination gets the old mask; of wrexec the new one */
static int sop1_saveexec(struct sim_wave *w, const struct gfx9_inst *i)
{
	bool wrexec = i->op == S_ANDN1_WREXEC_B64 ||
		      i->op == S_ANDN2_WREXEC_B64;
	u64 old = sim_exec(w), a, new;

	if (sim_sread64(w, i, i->src[0], &a))
		return -EILSEQ;
	new = saved_exec(i->op, a, old);
	if (sim_swrite64(w, i->dst, wrexec ? new : old))
		return -EILSEQ;
	sim_set_pair(w, GFX9_SRC_EXEC, new);
	sim_set_scc(w, new);
	return 0;
}

static int sop1_jump(struct sim_wave *w, const struct gfx9_inst *i)
{
	u64 next = w->pc, target;

	if (i->op == S_GETPC_B64)
		return sim_swrite64(w, i->dst, next);
	if (sim_sread64(w, i, i->src[0], &target))
		return -EILSEQ;
	if (i->op == S_RFE_B64)
		return sim_rfe(w, target);
	if (i->op == S_SWAPPC_B64 && sim_swrite64(w, i->dst, next))
		return -EILSEQ;
	sim_set_pc(w, target & SIM_PC_MASK);
	return 0;
}

/* 64 bits in, 32 bits out; @scc: SCC = the result is not zero */
static bool sop1_count64(unsigned int op, u64 a, u32 *d, bool *scc)
{
	*scc = op == S_BCNT0_I32_B64 || op == S_BCNT1_I32_B64;
	switch (op) {
	case S_BCNT0_I32_B64:	*d = 64 - hweight64(a); break;
	case S_BCNT1_I32_B64:	*d = hweight64(a); break;
	case S_FF0_I32_B64:	*d = find_low64(~a); break;
	case S_FF1_I32_B64:	*d = find_low64(a); break;
	case S_FLBIT_I32_B64:	*d = count_high64(a); break;
	case S_FLBIT_I32_I64:
		*d = count_high64(a ^ (u64)((s64)a >> 63));
		break;
	default:
		return false;
	}
	return true;
}

static bool sop1_map64(unsigned int op, u64 a, u64 *d, bool *scc)
{
	*scc = op != S_MOV_B64 && op != S_BREV_B64;
	switch (op) {
	case S_MOV_B64:		*d = a; break;
	case S_BREV_B64:	*d = bit_reverse64(a); break;
	case S_NOT_B64:		*d = ~a; break;
	case S_WQM_B64:		*d = whole_quads64(a); break;
	case S_QUADMASK_B64:	*d = quad_mask64(a); break;
	default:
		return false;
	}
	return true;
}

static int sop1_from_wide(struct sim_wave *w, const struct gfx9_inst *i)
{
	u64 a, d;
	u32 n;
	bool scc;
	int err = -EILSEQ;

	if (sim_sread64(w, i, i->src[0], &a))
		return -EILSEQ;
	if (i->op == S_CMOV_B64)
		return sim_scc(w) ? sim_swrite64(w, i->dst, a) : 0;
	if (sop1_count64(i->op, a, &n, &scc)) {
		d = n;
		err = sim_swrite(w, i->dst, n);
	} else if (sop1_map64(i->op, a, &d, &scc)) {
		err = sim_swrite64(w, i->dst, d);
	}
	if (!err && scc)
		sim_set_scc(w, d);
	return err;
}

/* 32 bits in, 64 bits out */
static int sop1_to_wide(struct sim_wave *w, const struct gfx9_inst *i)
{
	u64 d;
	u32 a;

	if (sim_sread(w, i, i->src[0], &a) || sim_sread64(w, i, i->dst, &d))
		return -EILSEQ;
	if (i->op == S_BITREPLICATE_B64_B32)
		return sim_swrite64(w, i->dst, bit_replicate(a));
	if (i->op == S_BITSET0_B64)
		return sim_swrite64(w, i->dst, d & ~(1ull << (a & 63)));
	return sim_swrite64(w, i->dst, d | 1ull << (a & 63));
}

/*
 * sim_sop1_wide() - SOP1 with a 64-bit operand
 */
int sim_sop1_wide(struct sim_wave *w, const struct gfx9_inst *i)
{
	switch (i->op) {
	case S_GETPC_B64 ... S_RFE_B64:
		return sop1_jump(w, i);
	case S_AND_SAVEEXEC_B64 ... S_XNOR_SAVEEXEC_B64:
	case S_ANDN1_SAVEEXEC_B64 ... S_ANDN2_WREXEC_B64:
		return sop1_saveexec(w, i);
	case S_BITSET0_B64:
	case S_BITSET1_B64:
	case S_BITREPLICATE_B64_B32:
		return sop1_to_wide(w, i);
	default:
		return sop1_from_wide(w, i);
	}
}
