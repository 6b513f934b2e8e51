// SPDX-License-Identifier: GPL-2.0
/*
 * Scalar operands: registers, inline constants, literals.
 */
#include <linux/kernel.h>
#include "interp.h"

#define SRC_SHARED_BASE		235
#define SRC_SHARED_LIMIT	236
#define SRC_PRIVATE_BASE	237
#define SRC_PRIVATE_LIMIT	238
#define SRC_FIRST_FLOAT		240
#define SRC_LAST_FLOAT		248

/* 0.5 -0.5 1.0 -1.0 2.0 -2.0 4.0 -4.0 1/(2 pi) */
static const u32 float_consts[] = {
	0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
	0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983,
};

static const u64 double_consts[] = {
	0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
	0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
	0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882,
};

static bool is_ttmp(unsigned int reg)
{
	return reg >= SIM_TTMP_FIRST && reg <= SIM_TTMP_LAST;
}

/* operand code 125 is reserved */
static bool is_sreg(unsigned int code)
{
	return code < 128 && code != GFX9_SRC_M0 + 1;
}

static bool is_int_const(unsigned int code)
{
	return code >= 128 && code <= 208;
}

static s32 int_const(unsigned int code)
{
	return code <= 192 ? (s32)code - 128 : 192 - (s32)code;
}

static u32 sreg_value(const struct sim_wave *w, unsigned int reg)
{
	if (is_ttmp(reg) && !(w->status & STATUS_PRIV))
		return 0;
	return w->s[reg];
}

static int special_value(const struct sim_wave *w, const struct gfx9_inst *i,
			 unsigned int code, u32 *val)
{
	switch (code) {
	case GFX9_SRC_VCCZ:
		*val = !sim_vcc(w);
		return 0;
	case GFX9_SRC_EXECZ:
		*val = !sim_exec(w);
		return 0;
	case GFX9_SRC_SCC:
		*val = sim_scc(w);
		return 0;
	case GFX9_SRC_LITERAL:
		*val = i->literal;
		return i->has_literal ? 0 : -EILSEQ;
	default:
		return -EILSEQ;
	}
}

/**
 * sim_sread() - value of a 32-bit scalar operand
 * @w: wave
 * @i: its instruction, for the literal
 * @code: operand code
 * @val: the value
 *
 * Return: 0 or -EILSEQ.
 */
int sim_sread(const struct sim_wave *w, const struct gfx9_inst *i,
	      unsigned int code, u32 *val)
{
	if (is_sreg(code))
		*val = sreg_value(w, code);
	else if (is_int_const(code))
		*val = int_const(code);
	else if (code >= SRC_FIRST_FLOAT && code <= SRC_LAST_FLOAT)
		*val = float_consts[code - SRC_FIRST_FLOAT];
	else
		return special_value(w, i, code, val);
	return 0;
}

static int special_value64(const struct sim_wave *w, const struct gfx9_inst *i,
			   unsigned int code, u64 *val)
{
	u32 low;

	switch (code) {
	case SRC_SHARED_BASE:
		*val = SIM_SHARED_BASE;
		return 0;
	case SRC_SHARED_LIMIT:
		*val = SIM_SHARED_BASE + SIM_APERTURE_SIZE - 1;
		return 0;
	case SRC_PRIVATE_BASE:
		*val = SIM_PRIVATE_BASE;
		return 0;
	case SRC_PRIVATE_LIMIT:
		*val = SIM_PRIVATE_BASE + SIM_APERTURE_SIZE - 1;
		return 0;
	}
	if (special_value(w, i, code, &low))
		return -EILSEQ;
	*val = low;
	return 0;
}

/*
 * sim_sread64() - value of a 64-bit scalar operand; literals are zero-extended
 */
int sim_sread64(const struct sim_wave *w, const struct gfx9_inst *i,
		unsigned int code, u64 *val)
{
	if (code < 128) {
		if ((code & 1) || !is_sreg(code) || !is_sreg(code + 1))
			return -EILSEQ;
		*val = sreg_value(w, code) | (u64)sreg_value(w, code + 1) << 32;
	} else if (is_int_const(code)) {
		*val = (s64)int_const(code);
	} else if (code >= SRC_FIRST_FLOAT && code <= SRC_LAST_FLOAT) {
		*val = double_consts[code - SRC_FIRST_FLOAT];
	} else {
		return special_value64(w, i, code, val);
	}
	return 0;
}

/*
 * sim_sread_s64() - the same for signed operations: literals are sign-extended
 */
int sim_sread_s64(const struct sim_wave *w, const struct gfx9_inst *i,
		  unsigned int code, u64 *val)
{
	int err = sim_sread64(w, i, code, val);

	if (!err && code == GFX9_SRC_LITERAL)
		*val = (s64)(s32)*val;
	return err;
}

/**
 * sim_swritable() - may the wave write these scalar registers?
 * @w: wave
 * @reg: first register
 * @nr: registers
 *
 * Return: 0 or -EILSEQ.
 */
int sim_swritable(const struct sim_wave *w, unsigned int reg, unsigned int nr)
{
	unsigned int r;

	for (r = reg; r < reg + nr; r++) {
		if (!is_sreg(r))
			return -EILSEQ;
		if (is_ttmp(r) && !(w->status & STATUS_PRIV))
			return -EILSEQ;
	}
	return 0;
}

int sim_swrite(struct sim_wave *w, unsigned int reg, u32 val)
{
	if (sim_swritable(w, reg, 1))
		return -EILSEQ;
	w->s[reg] = val;
	return 0;
}

int sim_swrite64(struct sim_wave *w, unsigned int reg, u64 val)
{
	if ((reg & 1) || sim_swritable(w, reg, 2))
		return -EILSEQ;
	sim_set_pair(w, reg, val);
	return 0;
}
