/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs of unit.S whose result is v0, on rare operands and in random modes. A model
 * is a line of C on the bits of v1, v2 and v3, what v0 held, and MODE.
 */
#ifndef TESTS_WAVE_ROWS_H
#define TESTS_WAVE_ROWS_H

#include "unit.h"

#define MODES		0x3ff	/* rounding, denormals, DX10_CLAMP, IEEE */

struct row {
	const char *name;
	u32 (*model)(u32 a, u32 b, u32 c, u32 old, u32 mode);
};

#define ROW_MODEL(name, expr)						\
	static u32 m_##name(u32 a, u32 b, u32 c, u32 old, u32 mode)	\
	{								\
		return expr;						\
	}
#define ROW_ENTRY(name, expr) { #name, m_##name },

/* a result of 16 bits that does not change the other half */
static inline u32 low(u32 old, u32 val)
{
	return (old & 0xffff0000) | (val & 0xffff);
}

/* an operand as MODE says: denormals are zero, or not */
static inline u32 input32(u32 x, u32 mode)
{
	return x << 1 >> 24 || mode & 0x10 ? x : x & 0x80000000;
}

/* zeros, denormals, their neighbours, infinities, NaNs of binary32 and binary16 */
static const u32 specials[] = {
	0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
	0x80800000, 0x3f000000, 0xbf000000, 0x3effffff, 0x3f800000, 0xbf800000,
	0x4b000001, 0xcb000001, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000,
	0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
	0x7f800001, 0xffa00000, 0x80007c00, 0xfc000001, 0x7e008000, 0x7c0103ff,
	0x83ff0400, 0x84003c00, 0xbc003800, 0x77ff7bff, 0xfbfff7ff, 0x7fff8000,
	0xffff0001, 0x00017fff, 0x8000ffff, 0x00ff0100, 0x01008001,
	/* upper halves of binary64 */
	0x7ff00000, 0xfff00000, 0x7ff00001, 0xfff80000, 0x000fffff, 0x800fffff,
	0x00100000, 0x7fefffff,
};

static inline u32 special(void)
{
	u64 r = rnd();

	/* often zeros: the sign of a median is that of several operands */
	return r & 1 ? specials[r & 14 ? (r >> 8) % (sizeof(specials) / sizeof(specials[0])) :
				   r >> 8 & 3] : operand();
}

/* v8: an address in LDS, v[8:9] the same in the flat aperture */
static inline void prepare_mode(u64 exec)
{
	unsigned int reg, lane;

	prepare(exec);
	w->mode = rnd() & MODES;
	for (reg = 0; reg < 8; reg++)
		for (lane = 0; lane < SIM_LANES; lane++)
			w->v[reg][lane] = special();
	for (lane = 0; lane < SIM_LANES; lane++)
		set_vpair(8, lane, (1ull << 48) + 8 * lane);
	set_pair(VCC, 0);
}

/* all NaNs are equal; a model writes 0x7e00 for those of binary16 */
static inline bool same_result16(u16 got, u16 want)
{
	return got == want || (want == 0x7e00 && (got & 0x7fff) > 0x7c00);
}

static inline bool same_result(u32 got, u32 want)
{
	return same_value(got, want) ||
	       (same_result16(got, want) && same_result16(got >> 16, want >> 16));
}

static inline bool row_round(const struct row *row, u64 exec)
{
	u32 in[4][SIM_LANES], want;
	unsigned int lane;

	prepare_mode(exec);
	memcpy(in, w->v, sizeof(in));
	if (!run(row->name)) {
		tap_note("%s did not run", row->name);
		return false;
	}
	for (lane = 0; lane < SIM_LANES; lane++) {
		want = active(exec, lane) ?
			row->model(in[1][lane], in[2][lane], in[3][lane],
				   in[0][lane], w->mode) : in[0][lane];
		if (same_result(w->v[0][lane], want))
			continue;
		tap_note("%s(%08x, %08x, %08x), old %08x, mode %03x: %08x, want %08x",
			 row->name, in[1][lane], in[2][lane], in[3][lane],
			 in[0][lane], w->mode, w->v[0][lane], want);
		return false;
	}
	return true;
}

static inline void all_rows(const struct row *rows, unsigned int nr)
{
	unsigned int n, r;
	bool ok;

	for (n = 0; n < nr; n++) {
		ok = row_round(&rows[n], ~0ull);
		for (r = 0; r < 4 * ROUNDS && ok; r++)
			ok = row_round(&rows[n], rnd());
		tap_ok(ok, "%s", rows[n].name);
	}
}

#endif /* TESTS_WAVE_ROWS_H */
