// SPDX-License-Identifier: GPL-2.0
/*
 * 64-bit vector operations, with carry, and packed floats.
 */
#include "unit.h"

/* 64-bit vector operations; a carry out is in vcc */
#define WIDE(X)								\
	X(v_lshlrev_b64, b << (a & 63), false)				\
	X(v_lshrrev_b64, b >> (a & 63), false)				\
	X(v_ashrrev_i64, (s64)b >> (a & 63), false)			\
	X(v_mad_u64_u32, (u64)(u32)a * (u32)b + c,			\
	  ((unsigned __int128)(u64)(u32)a * (u32)b + c) >> 64)		\
	X(v_mad_i64_i32, (u64)((s64)(s32)a * (s32)b) + c,		\
	  (((__int128)(s32)a * (s32)b + (s64)c) >> 64) & 1)		\
	X(add64, a + b, a + b < a) X(sub64, a - b, a < b)		\
	X(subrev64, b - a, b < a)					\
	X(pk_add_f32, two(fl(a) + fl(b), fl(a >> 32) + fl(b >> 32)), false) \
	X(pk_mul_sel, two(-fl(a >> 32) * fl(b), fl(a) * -fl(b >> 32)), false) \
	X(pk_fma_f32, two(fmaf(fl(a), fl(b), fl(c)),			\
	  fmaf(fl(a >> 32), fl(b >> 32), fl(c >> 32))), false)		\
	X(pk_add_const, two(fl(a) + 1, fl(a >> 32) + 1), false)		\
	X(pk_mul_sgpr, two(fl(a) * fl(w->s[2]), fl(a >> 32) * fl(w->s[3])), false) \
	X(pk_mov, (a >> 32) | b << 32, false)

static u64 two(float low, float high)
{
	return float_bits(low) | (u64)float_bits(high) << 32;
}

#define WIDE_MODEL(name, expr, out)					\
	static u64 wide_##name(u64 a, u64 b, u64 c, bool *carry)	\
	{								\
		*carry = out;						\
		return expr;						\
	}
WIDE(WIDE_MODEL)

static const struct wide {
	const char *name;
	u64 (*model)(u64 a, u64 b, u64 c, bool *carry);
	bool has_carry;
} wides[] = {
#define WIDE_ROW(name, expr, out) { #name, wide_##name, #out[0] != 'f' },
	WIDE(WIDE_ROW)
};

#define NR_WIDES	(sizeof(wides) / sizeof(wides[0]))

static bool wide_lane(const struct wide *op, const u64 in[3], u64 exec,
		      unsigned int lane)
{
	bool carry, got = pair(VCC) >> lane & 1;
	u64 want = op->model(in[0], in[1], in[2], &carry);

	if (!active(exec, lane))
		return vpair(0, lane) == (MARK | (u64)MARK << 32) &&
		       !(op->has_carry && got);
	if (same_value(vpair(0, lane), want) &&
	    same_value(vpair(0, lane) >> 32, want >> 32) &&
	    (!op->has_carry || got == carry))
		return true;
	tap_note("%s(%llx, %llx, %llx): %llx.%d, want %llx.%d", op->name, in[0],
		 in[1], in[2], vpair(0, lane), got, want, carry);
	return false;
}

static bool wide_round(const struct wide *op, u64 exec)
{
	u64 in[SIM_LANES][3];
	unsigned int lane;

	prepare(exec);
	for (lane = 0; lane < SIM_LANES; lane++) {
		w->v[1][lane] = MARK;
		in[lane][0] = vpair(2, lane);
		in[lane][1] = vpair(4, lane);
		in[lane][2] = vpair(6, lane);
	}
	if (!run(op->name))
		return false;
	for (lane = 0; lane < SIM_LANES; lane++)
		if (!wide_lane(op, in[lane], exec, lane))
			return false;
	return true;
}

static void wide_ops(void)
{
	unsigned int n, r;
	bool ok;

	for (n = 0; n < NR_WIDES; n++) {
		ok = wide_round(&wides[n], ~0ull);
		for (r = 0; r < ROUNDS && ok; r++)
			ok = wide_round(&wides[n], rnd());
		tap_ok(ok, "%s", wides[n].name);
	}
}

int main(int argc, char **argv)
{
	if (!set_up(argc, argv))
		return 2;
	tap_plan(NR_WIDES);
	wide_ops();
	machine_reset();
	return tap_status();
}
