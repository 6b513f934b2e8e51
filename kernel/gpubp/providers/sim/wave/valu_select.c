// SPDX-License-Identifier: GPL-2.0
/*
 * Operands of vector instructions: registers, broadcast scalars, or copies that
 * modifiers, SDWA and DPP create.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "valu.h"
#include "vmem.h"

/* SDWA dword */
#define SDWA_DST_SEL(x)		(((x) >> 8) & 7)
#define SDWA_DST_UNUSED(x)	(((x) >> 11) & 3)
#define SDWA_SRC_SEL(x, n)	(((x) >> ((n) ? 24 : 16)) & 7)
#define SDWA_SRC_SEXT(x, n)	(((x) >> ((n) ? 27 : 19)) & 1)
#define SEL_WORD0		4
#define SEL_WORD1		5
#define SEL_DWORD		6

enum { UNUSED_PAD, UNUSED_SEXT, UNUSED_PRESERVE };

#define SRC_FIRST_FLOAT		240
#define SRC_LAST_FLOAT		248

static bool is_float_const(unsigned int code)
{
	return code >= SRC_FIRST_FLOAT && code <= SRC_LAST_FLOAT;
}

static void fill_lanes(u32 *lanes, u32 val)
{
	unsigned int lane;

	for (lane = 0; lane < SIM_LANES; lane += 4) {
		lanes[lane] = val;
		lanes[lane + 1] = val;
		lanes[lane + 2] = val;
		lanes[lane + 3] = val;
	}
}

/* sim_vsrc_fill() - make source @n the same in all lanes */
void sim_vsrc_fill(struct sim_wave *w, struct sim_vsrc *s, unsigned int n,
		   u64 val)
{
	fill_lanes(w->work.copy[n], val);
	s->lo = w->work.copy[n];
	s->hi = w->work.zero;
	if (!(val >> 32))
		return;
	fill_lanes(w->work.copy_hi[n], val >> 32);
	s->hi = w->work.copy_hi[n];
}

static noinline int scalar_source(struct sim_wave *w, const struct gfx9_inst *i,
				  unsigned int n, bool wide, struct sim_vsrc *s)
{
	u32 low;
	u64 val;

	if (wide ? sim_sread64(w, i, i->src[n], &val) :
		   sim_sread(w, i, i->src[n], &low))
		return -EILSEQ;
	sim_vsrc_fill(w, s, n, wide ? val : low);
	return 0;
}

static inline int plain_source(struct sim_wave *w, const struct gfx9_inst *i,
			       unsigned int n, bool wide, struct sim_vsrc *s)
{
	unsigned int code = i->src[n], row;

	if (code < GFX9_SRC_VGPR)
		return scalar_source(w, i, n, wide, s);
	code += sim_gpr_index(w, n) - GFX9_SRC_VGPR;
	if (sim_vreg(w, code, wide ? 2 : 1, false, &row))
		return -EILSEQ;
	s->lo = w->v[row];
	s->hi = wide ? w->v[row + 1] : w->work.zero;
	return 0;
}

/**
 * sim_vsrc() - lanes of source @n without modifiers
 * @w: wave
 * @i: instruction
 * @n: source
 * @wide: it has 64 bits
 * @s: the result
 *
 * Return: 0 or -EILSEQ.
 */
int sim_vsrc(struct sim_wave *w, const struct gfx9_inst *i, unsigned int n,
	     bool wide, struct sim_vsrc *s)
{
	return plain_source(w, i, n, wide, s);
}

/* a writable copy of a source */
static u32 *own_copy(struct sim_wave *w, struct sim_vsrc *s, unsigned int n)
{
	u32 *copy = w->work.copy[n];

	if (s->lo != copy)
		memcpy(copy, s->lo, sizeof(w->work.copy[n]));
	s->lo = copy;
	return copy;
}

/* the same of its upper half */
static u32 *own_upper(struct sim_wave *w, struct sim_vsrc *s, unsigned int n)
{
	u32 *copy = w->work.copy_hi[n];

	if (s->hi != copy)
		memcpy(copy, s->hi, sizeof(w->work.copy_hi[n]));
	s->hi = copy;
	return copy;
}

static u32 sdwa_part(u32 x, unsigned int sel, bool sext)
{
	if (sel == SEL_DWORD)
		return x;
	if (sel >= SEL_WORD0) {
		x >>= 16 * (sel - SEL_WORD0);
		return sext ? (u32)(s16)x : x & 0xffff;
	}
	x >>= 8 * sel;
	return sext ? (u32)(s8)x : x & 0xff;
}

static int sdwa_source(struct sim_wave *w, struct sim_vop *o, unsigned int n)
{
	unsigned int sel = SDWA_SRC_SEL(o->i->literal, n), lane;
	bool sext = SDWA_SRC_SEXT(o->i->literal, n);
	u32 *copy;

	if (sel > SEL_DWORD)
		return -EILSEQ;
	if (sel == SEL_DWORD)
		return 0;
	copy = own_copy(w, &o->s[n], n);
	for (lane = 0; lane < SIM_LANES; lane++)
		copy[lane] = sdwa_part(copy[lane], sel, sext);
	return 0;
}

/* a writable copy of the dwords that hold the signs of a source */
static u32 *sign_dwords(struct sim_wave *w, struct sim_vop *o, unsigned int n)
{
	struct sim_vsrc *s = &o->s[n];

	return o->info.flags & (VF_WIDE0 << n) ? own_upper(w, s, n) :
						 own_copy(w, s, n);
}

static void float_mods(struct sim_wave *w, struct sim_vop *o, unsigned int n)
{
	u32 sign = o->info.flags & VF_HALF ? 0x8000 : 0x80000000;
	u32 and = o->i->abs >> n & 1 ? ~sign : ~0u;
	u32 xor = o->i->neg >> n & 1 ? sign : 0;
	unsigned int lane;
	u32 *copy;

	if (and == ~0u && !xor)
		return;
	copy = sign_dwords(w, o, n);
	for (lane = 0; lane < SIM_LANES; lane++)
		copy[lane] = (copy[lane] & and) ^ xor;
}

static void upper_half(struct sim_wave *w, struct sim_vop *o, unsigned int n)
{
	unsigned int lane;
	u32 *copy;

	if (!(o->i->op_sel >> n & 1))
		return;
	copy = own_copy(w, &o->s[n], n);
	for (lane = 0; lane < SIM_LANES; lane++)
		copy[lane] >>= 16;
}

/* 0.5 -0.5 1.0 -1.0 2.0 -2.0 4.0 -4.0 1/(2 pi) */
static const u16 half_consts[] = {
	0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
};

/*
 * Constants of floating-point operations have the precision of the operation, in the
 * lowest bits. Of 16-bit integer operations they are binary32, as LLVM's
 * getInlineEncodingV216() says.
 */
static void adapt_constant(struct sim_wave *w, struct sim_vop *o, unsigned int n)
{
	unsigned int code = o->i->src[n];
	struct sim_vsrc *s = &o->s[n];

	if ((o->info.flags & VF_HALF) && is_float_const(code))
		sim_vsrc_fill(w, s, n, half_consts[code - SRC_FIRST_FLOAT]);
	/* a literal is the upper half of a double */
	if ((o->info.flags & VF_DOUBLE) && code == GFX9_SRC_LITERAL &&
	    (o->info.flags & (VF_WIDE0 << n)))
		sim_vsrc_fill(w, s, n, (u64)o->i->literal << 32);
}

static int vop_source(struct sim_wave *w, struct sim_vop *o, unsigned int n)
{
	bool wide = o->info.flags & (VF_WIDE0 << n);

	if (plain_source(w, o->i, n, wide, &o->s[n]))
		return -EILSEQ;
	if (o->i->src[n] < GFX9_SRC_VGPR)
		adapt_constant(w, o, n);
	return 0;
}

static int modify_source(struct sim_wave *w, struct sim_vop *o, unsigned int n)
{
	if (n == 0 && o->i->dpp && sim_dpp_source(w, o))
		return -EILSEQ;
	if (o->i->sdwa && sdwa_source(w, o, n))
		return -EILSEQ;
	if (o->info.flags & VF_OP_SEL)
		upper_half(w, o, n);
	if (o->info.flags & VF_MODS)
		float_mods(w, o, n);
	return 0;
}

#define WIDE_ANY	(VF_WIDE0 | VF_WIDE1 | VF_WIDE2 | VF_WIDED)

/* bits of op_sel that select something */
static unsigned int op_sel_bits(const struct sim_vop *o)
{
	/* the third source of v_mad_u32_u16 has 32 bits */
	unsigned int nr = o->info.group == VG_INT3 ? 2 : o->info.nr_src;
	unsigned int bits = o->info.flags & VF_OP_SEL ? (1u << nr) - 1 : 0;

	return bits | (o->info.flags & VF_SEL_DST ? 8 : 0);
}

/* refuse modifiers that are not modelled: hardware may support them */
static bool bad_modifiers(const struct sim_vop *o)
{
	const struct gfx9_inst *i = o->i;
	u16 flags = o->info.flags;

	if ((i->abs || i->neg) && !(flags & VF_MODS))
		return true;
	if (i->omod && !(flags & (VF_MODS | VF_OMOD)))
		return true;
	if (i->clamp && !(flags & (VF_CLAMP | VF_INEXACT)))
		return true;
	if (i->sdwa && (flags & WIDE_ANY))
		return true;
	return i->op_sel & ~op_sel_bits(o);
}

static bool sdwa_partial(const struct sim_vop *o)
{
	return o->i->sdwa && o->i->fmt != GFX9_VOPC &&
	       SDWA_DST_SEL(o->i->literal) != SEL_DWORD;
}

static bool writes_upper_half(const struct sim_vop *o)
{
	return o->i->op_sel & 8;
}

static int modify_operands(struct sim_wave *w, struct sim_vop *o)
{
	unsigned int n;

	if (bad_modifiers(o) ||
	    (o->i->sdwa && SDWA_DST_SEL(o->i->literal) > SEL_DWORD &&
	     o->i->fmt != GFX9_VOPC))
		return -EILSEQ;
	for (n = 0; n < o->info.nr_src; n++)
		if (modify_source(w, o, n))
			return -EILSEQ;
	o->merged |= sdwa_partial(o) || writes_upper_half(o);
	return 0;
}

static bool has_modifiers(const struct gfx9_inst *i)
{
	return i->abs | i->neg | i->omod | i->op_sel | i->clamp | i->sdwa |
	       i->dpp;
}

/**
 * sim_vop_sources() - set up @o->s and @o->merged
 * @w: wave
 * @o: instruction; @o->i, @o->op, @o->info, @o->lanes are set
 *
 * If @o->merged, executors write to work.out, and sim_vop_merge() is called afterwards.
 *
 * Return: 0 or -EILSEQ.
 */
int sim_vop_sources(struct sim_wave *w, struct sim_vop *o)
{
	unsigned int n;

	for (n = 0; n < o->info.nr_src; n++)
		if (vop_source(w, o, n))
			return -EILSEQ;
	for (; n < 3; n++)
		o->s[n] = (struct sim_vsrc){ w->work.zero, w->work.zero };
	o->merged = o->info.flags & VF_KEEP;
	return has_modifiers(o->i) ? modify_operands(w, o) : 0;
}

static u32 sdwa_merge(u32 sdwa, u32 old, u32 val)
{
	unsigned int sel = SDWA_DST_SEL(sdwa);
	unsigned int bits = sel >= SEL_WORD0 ? 16 : 8;
	unsigned int shift = sel >= SEL_WORD0 ? 16 * (sel - SEL_WORD0) :
						8 * sel;
	u32 ones = (1u << bits) - 1, field = (val & ones) << shift;

	switch (SDWA_DST_UNUSED(sdwa)) {
	case UNUSED_SEXT:
		/* below the field: zero */
		return (u32)sign_extend32(val & ones, bits - 1) << shift;
	case UNUSED_PRESERVE:
		return (old & ~(ones << shift)) | field;
	default:
		return field;
	}
}

static void merge_halves(const struct sim_vop *o, u32 *dst, const u32 *out)
{
	unsigned int shift = writes_upper_half(o) ? 16 : 0, lane;
	u32 kept = shift ? 0xffff : 0xffff0000;
	u64 left;

	sim_for_each_lane(lane, left, o->lanes)
		dst[lane] = (dst[lane] & kept) | (out[lane] & 0xffff) << shift;
}

/**
 * sim_vop_merge() - merge work.out into the destination
 * @w: wave
 * @o: instruction
 * @dst: lanes of the destination
 */
void sim_vop_merge(struct sim_wave *w, const struct sim_vop *o, u32 *dst)
{
	const u32 *out = w->work.out;
	unsigned int lane;
	u64 left;

	if (!sdwa_partial(o)) {
		merge_halves(o, dst, out);
		return;
	}
	sim_for_each_lane(lane, left, o->lanes)
		dst[lane] = sdwa_merge(o->i->literal, dst[lane], out[lane]);
}
