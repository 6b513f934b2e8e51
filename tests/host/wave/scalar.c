// SPDX-License-Identifier: GPL-2.0
/* Scalar operations against a line of C each, including SCC; control flow. */
#include "unit.h"

/* scalar: expression of a, b, scc_in; scc out, or -1 unchanged */
#define SOPS(X)								\
	X(s_add_u32, a + b, a + b < a) X(s_sub_u32, a - b, a < b)	\
	X(s_add_i32, a + b, out_of_s32((s64)(s32)a + (s32)b))		\
	X(s_sub_i32, a - b, out_of_s32((s64)(s32)a - (s32)b))		\
	X(s_addc_u32, a + b + scc, ((u64)a + b + scc) >> 32)		\
	X(s_subb_u32, a - b - scc, (u64)b + scc > a)			\
	X(s_min_i32, (s32)a < (s32)b ? a : b, (s32)a < (s32)b)		\
	X(s_max_u32, a > b ? a : b, a > b)				\
	X(s_cselect_b32, scc ? a : b, -1)				\
	X(s_and_b32, a & b, (a & b) != 0)				\
	X(s_andn2_b32, a & ~b, (a & ~b) != 0)				\
	X(s_orn2_b32, a | ~b, (a | ~b) != 0)				\
	X(s_nor_b32, ~(a | b), ~(a | b) != 0)				\
	X(s_lshl_b32, a << b % 32, a << b % 32 != 0)			\
	X(s_lshr_b32, a >> b % 32, a >> b % 32 != 0)			\
	X(s_ashr_i32, (s32)a >> b % 32, (s32)a >> b % 32 != 0)		\
	X(s_bfm_b32, ((1u << a % 32) - 1) << b % 32, -1)		\
	X(s_mul_i32, a * b, -1)						\
	X(s_mul_hi_u32, (u64)a * b >> 32, -1)				\
	X(s_mul_hi_i32, ((s64)(s32)a * (s32)b) >> 32, -1)		\
	X(s_bfe_u32, ubfe(a, b), ubfe(a, b) != 0)			\
	X(s_bfe_i32, sbfe(a, b), sbfe(a, b) != 0)			\
	X(s_absdiff_i32, (a - b) >> 31 ? ~(a - b) + 1 : a - b, a != b)	\
	X(s_lshl3_add_u32, (a << 3) + b, (((u64)a << 3) + b) >> 32 != 0) \
	X(s_pack_lh_b32_b16, (a & 0xffff) | (b >> 16 << 16), -1)	\
	X(s_pack_ll_b32_b16, (a & 0xffff) | (b << 16), -1)		\
	X(s_pack_hh_b32_b16, (a >> 16) | (b >> 16 << 16), -1)		\
	X(s_brev_b32, reverse(a), -1)					\
	X(s_ff0_b32, ~a ? __builtin_ctz(~a) : -1, -1)			\
	X(s_flbit_i32, sign_bits(a), -1)				\
	X(s_bcnt0_b32, 32 - __builtin_popcount(a), a != ~0u)		\
	X(s_sext_i8, (s8)a, -1)						\
	X(s_abs_i32, (s32)a < 0 ? -a : a, a != 0)			\
	X(s_bitset1, old | 1u << a % 32, -1)				\
	X(s_cmov, scc ? a : old, -1)					\
	X(s_quadmask, quads(a), quads(a) != 0)				\
	X(s_movk, 0xffff8001, -1)

static bool out_of_s32(s64 x)
{
	return x != (s32)x;
}

static u32 ubfe(u32 x, u32 ctl)
{
	unsigned int width = ctl >> 16 & 127;

	x >>= ctl & 31;
	return width >= 32 ? x : x & ((1u << width) - 1);
}

static u32 sbfe(u32 x, u32 ctl)
{
	unsigned int width = ctl >> 16 & 127;

	return bfe_i32(x, ctl & 31, width > 32 ? 32 : width);
}

static u32 quads(u32 x)
{
	u32 r = 0;
	int n;

	for (n = 0; n < 8; n++)
		r |= (x >> (4 * n) & 15 ? 1u : 0) << n;
	return r;
}

#define SOP_MODEL(name, expr, out)					\
	static u32 sop_##name(u32 a, u32 b, u32 old, bool scc, int *scc_out) \
	{								\
		*scc_out = out;						\
		return expr;						\
	}
SOPS(SOP_MODEL)

static const struct sop {
	const char *name;
	u32 (*model)(u32 a, u32 b, u32 old, bool scc, int *scc_out);
} sops[] = {
#define SOP_ROW(name, expr, out) { #name, sop_##name },
	SOPS(SOP_ROW)
};

#define NR_SOPS		(sizeof(sops) / sizeof(sops[0]))

static bool sop_round(const struct sop *op)
{
	u32 a, b, want;
	bool scc = rnd() & 1;
	int scc_out;

	prepare(~0ull);
	a = w->s[2];
	b = w->s[3];
	w->status |= scc;
	want = op->model(a, b, w->s[0], scc, &scc_out);
	if (scc_out < 0)
		scc_out = scc;
	if (run(op->name) && w->s[0] == want && (w->status & 1) == scc_out)
		return true;
	tap_note("%s(%08x, %08x) scc %d: %08x.%d, want %08x.%d", op->name, a, b,
		 scc, w->s[0], w->status & 1, want, scc_out);
	return false;
}

/* the same for 64 bits; the result of the bit counts has 32 */
#define SOPS64(X)							\
	X(s_and_b64, a & b, (a & b) != 0) X(s_or_b64, a | b, (a | b) != 0) \
	X(s_xor_b64, a ^ b, a != b)					\
	X(s_andn2_b64, a & ~b, (a & ~b) != 0)				\
	X(s_nand_b64, ~(a & b), ~(a & b) != 0)				\
	X(s_xnor_b64, ~(a ^ b), ~(a ^ b) != 0)				\
	X(s_cselect_b64, scc ? a : b, -1)				\
	X(s_lshl_b64, a << (b & 63), a << (b & 63) != 0)		\
	X(s_lshr_b64, a >> (b & 63), a >> (b & 63) != 0)		\
	X(s_ashr_i64, (s64)a >> (b & 63), (s64)a >> (b & 63) != 0)	\
	X(s_bfe_u64, bfe64(a, b, false), bfe64(a, b, false) != 0)	\
	X(s_bfe_i64, bfe64(a, b, true), bfe64(a, b, true) != 0)		\
	X(s_not_b64, ~a, ~a != 0) X(s_brev_b64, reverse64(a), -1)	\
	X(s_wqm_b64, wqm(a), a != 0)					\
	X(s_bcnt1_b64, high | __builtin_popcountll(a), a != 0)		\
	X(s_ff1_b64, high | (a ? __builtin_ctzll(a) : 0xffffffff), -1)	\
	X(s_flbit_i64, high | sign_bits64(a), -1)			\
	X(s_bitreplicate, twice(a), -1)					\
	X(s_mov64_neg, -5, -1) X(s_mov64_one, 0x3ff0000000000000, -1)	\
	X(s_mov64_lit, 0x89abcdef, -1)					\
	X(s_ashr64_lit, 0xfffffffff89abcde, 1)

static u64 reverse64(u64 x)
{
	return (u64)reverse(x) << 32 | reverse(x >> 32);
}

static u64 bfe64(u64 x, u32 ctl, bool is_signed)
{
	unsigned int width = ctl >> 16 & 127, shift = ctl & 63;
	unsigned __int128 wide = is_signed ? (__int128)(s64)x : x;

	if (!width)
		return 0;
	if (width > 64)
		width = 64;
	wide >>= shift;
	wide &= ((unsigned __int128)1 << width) - 1;
	if (is_signed && (wide >> (width - 1) & 1))
		wide |= ~(unsigned __int128)0 << width;
	return wide;
}

static u64 wqm(u64 x)
{
	u64 r = 0;
	int n;

	for (n = 0; n < 64; n += 4)
		r |= (x >> n & 15 ? 15ull : 0) << n;
	return r;
}

static u32 sign_bits64(u64 x)
{
	int n;

	for (n = 1; n < 64; n++)
		if ((x >> (63 - n) & 1) != x >> 63)
			return n;
	return -1;
}

static u64 twice(u32 x)
{
	u64 r = 0;
	int n;

	for (n = 0; n < 64; n++)
		r |= (u64)(x >> n / 2 & 1) << n;
	return r;
}

#define SOP64_MODEL(name, expr, out)					\
	static u64 sop64_##name(u64 a, u64 b, u64 high, bool scc, int *scc_out) \
	{								\
		*scc_out = out;						\
		return expr;						\
	}
SOPS64(SOP64_MODEL)

static const struct sop64 {
	const char *name;
	u64 (*model)(u64 a, u64 b, u64 high, bool scc, int *scc_out);
} sops64[] = {
#define SOP64_ROW(name, expr, out) { #name, sop64_##name },
	SOPS64(SOP64_ROW)
};

#define NR_SOPS64	(sizeof(sops64) / sizeof(sops64[0]))

static bool sop64_round(const struct sop64 *op)
{
	bool scc = rnd() & 1;
	int scc_out;
	u64 a, b, want;

	prepare(~0ull);
	a = pair(2);
	b = pair(4);
	w->status |= scc;
	want = op->model(a, b, (u64)w->s[1] << 32, scc, &scc_out);
	if (scc_out < 0)
		scc_out = scc;
	if (run(op->name) && pair(0) == want && (w->status & 1) == scc_out)
		return true;
	tap_note("%s(%llx, %llx) scc %d: %llx.%d, want %llx.%d", op->name, a, b,
		 scc, pair(0), w->status & 1, want, scc_out);
	return false;
}

static void scalar_ops(void)
{
	unsigned int n, r;
	bool ok;

	for (n = 0; n < NR_SOPS; n++) {
		for (ok = true, r = 0; r < 500 && ok; r++)
			ok = sop_round(&sops[n]);
		tap_ok(ok, "%s", sops[n].name);
	}
	for (n = 0; n < NR_SOPS64; n++) {
		for (ok = true, r = 0; r < 500 && ok; r++)
			ok = sop64_round(&sops64[n]);
		tap_ok(ok, "%s", sops64[n].name);
	}
}

static bool scalar_condition(const char *cond, bool lt, bool eq)
{
	return int_condition(!strcmp(cond, "lg") ? "ne" : cond, lt, eq);
}

static bool scalar_compare(const char *form, const char *cond, bool is_signed)
{
	bool imm = form[0] == 'k';
	char name[32];
	u32 a, b;

	snprintf(name, sizeof(name), "s_cmp%s_%s_%c32", form, cond,
		 is_signed ? 'i' : 'u');
	prepare(~0ull);
	if (!(rnd() & 3))
		w->s[3] = w->s[2];
	if (!(rnd() & 7))
		w->s[2] = is_signed ? 0xfffffffe : 0xfffe;
	a = w->s[2];
	b = !imm ? w->s[3] : is_signed ? 0xfffffffe : 0xfffe;
	return run(name) && (w->status & 1) ==
		scalar_condition(cond, is_signed ? (s32)a < (s32)b : a < b,
				 a == b);
}

static bool scalar_compares(void)
{
	static const char *const conds[] = { "eq", "lg", "gt", "ge", "lt", "le" };
	unsigned int c, r;
	bool ok = true;

	for (c = 0; c < 6; c++)
		for (r = 0; r < 200; r++)
			ok &= scalar_compare("", conds[c], r & 1) &&
			      scalar_compare("k", conds[c], r & 1);
	return ok;
}

static bool scalar_bit_tests(void)
{
	unsigned int r;
	bool ok = true;

	for (r = 0; r < 200; r++) {
		prepare(~0ull);
		ok &= run("s_bitcmp0") &&
		      (w->status & 1) == !(w->s[2] >> w->s[3] % 32 & 1);
		ok &= run("s_bitcmp1_64") &&
		      (w->status & 1) == (pair(2) >> w->s[4] % 64 & 1);
		if (r & 1)
			set_pair(4, pair(2));
		ok &= run("s_cmp_eq_u64") &&
		      (w->status & 1) == (pair(2) == pair(4));
	}
	return ok;
}

static bool immediates(void)
{
	unsigned int r;
	bool ok = true;

	for (r = 0; r < 200; r++) {
		u32 a;

		prepare(~0ull);
		a = w->s[2];
		ok &= run("s_addk") && w->s[2] == a + 0x7fff &&
		      (w->status & 1) == out_of_s32((s64)(s32)a + 0x7fff);
		a = w->s[2];
		ok &= run("s_mulk") && w->s[2] == a * -3;
	}
	return ok;
}

static bool divergent_branch(u64 cond)
{
	unsigned int lane;
	u64 exec = 0xfff0fff0fff0ffff;

	prepare(exec);
	set_pair(2, cond);
	if (!run("saveexec") || pair(EXEC) != exec || pair(0) != exec)
		return false;
	for (lane = 0; lane < SIM_LANES; lane++)
		if (w->v[0][lane] != (!active(exec, lane) ? MARK :
				      active(cond, lane) ? 1 : 2))
			return false;
	return true;
}

static bool calls_and_returns(void)
{
	prepare(~0ull);
	w->s[0] = 0;
	return run("call") && w->s[0] == 34;
}

static bool loops(void)
{
	u64 before;

	prepare(~0ull);
	w->s[2] = 101;
	before = w->nr_insts;
	return run("loop") && w->s[0] == 102 &&
	       w->nr_insts - before == 1 + 3 * 51 + 1;
}

static bool wrexec(void)
{
	u64 want;

	prepare(0x123456789abcdef0);
	want = ~pair(2) & pair(EXEC);
	return run("wrexec") && pair(EXEC) == want && pair(0) == want &&
	       (w->status & 1) == !!want;
}

static bool hardware_registers(void)
{
	bool ok;

	prepare(~0ull);
	w->hw_id = 0xabcdef12;
	ok = run("getreg") && w->s[0] == 0xf1;
	w->mode &= ~(0x1ff << MODE_EXCP_EN_SHIFT);
	w->s[2] = ~0u;
	w->tma = 0x123456789a00;
	ok &= run("setreg") && (w->mode & MODE_EXCP_EN_WATCH) &&
	      !(w->status & STATUS_TRAP_EN) && w->s[0] == 0 &&
	      w->trapsts == (TRAPSTS_EXCP_MASK | TRAPSTS_WATCH123);
	w->trapsts = 0;
	return ok;
}

/* the smaller side runs first: s12 = (3 + 1) * 2 */
static bool forks(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	w->mode &= ~(7u << 29);
	ok = run("forked") && w->s[12] == 8 && !(w->mode >> 29);
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= w->v[0][lane] == (lane < 10 ? 5 : 6);
	/* all lanes on one side: the other side is not executed */
	prepare(0x3f);
	return ok && run("forked") && w->s[12] == 4 && w->v[0][3] == 5;
}

static bool skips(void)
{
	prepare(~0ull);
	w->v[1][0] = 7;
	return run("skipping") && w->v[0][0] == MARK && w->v[1][0] == 1;
}

static bool kills(void)
{
	prepare(~0ull);
	return run("killed") && w->v[0][0] == 1;
}

static bool buffer_atomics(void)
{
	u32 old;

	prepare(~0ull);
	fill_data();
	set_pair(4, DATA);
	w->s[6] = 16;		/* the second access is out of range */
	w->s[2] = 5;
	old = word(8);
	memset(data + 16, 0, 4);
	return run("sbuffer_atomic") && w->s[2] == old && word(8) == old + 5 &&
	       word(16) == 0;
}

/* one register, flat_scratch behind the last one, and what does not exist */
static bool indexes_registers(void)
{
	bool ok;

	prepare(~0ull);
	w->s[20] = 10;
	ok = run("movrel") && pair(0) == pair(16) && pair(22) == pair(4);
	w->s[20] = GFX9_SRC_FLAT_SCRATCH - 6;
	set_pair(GFX9_SRC_FLAT_SCRATCH, 0x123456789);
	ok &= run("movrel") && pair(0) == 0x123456789;
	set_pair(12, 7);
	w->s[20] = 0xfffffffe;
	w->s[0] = 8;
	w->s[1] = 9;
	return ok && run("movrel") && pair(0) == (8 | 9ull << 32) &&
	       pair(12) == 7;
}

/* only what is named by M0 has to be an SGPR */
static bool indexes_into_others(void)
{
	prepare(~0ull);
	set_pair(16, 0xf00d);
	w->s[18] = 77;
	return run("movrels_to") && pair(GFX9_SRC_EXEC) == 0xf00d &&
	       w->s[GFX9_SRC_M0] == 77;
}

static void scalar_others(void)
{
	tap_ok(scalar_compares(), "s_cmp, s_cmpk");
	tap_ok(scalar_bit_tests(), "s_bitcmp, s_cmp_eq_u64");
	tap_ok(immediates(), "s_addk, s_mulk");
	tap_ok(divergent_branch(rnd()) && divergent_branch(0) &&
	       divergent_branch(~0ull), "s_and_saveexec, s_cbranch_execz");
	tap_ok(calls_and_returns(), "s_getpc, s_swappc, s_call, s_setpc");
	tap_ok(loops(), "s_cbranch_scc1 backwards, counted");
	tap_ok(wrexec(), "s_andn1_wrexec");
	tap_ok(forks(), "s_cbranch_i_fork, s_cbranch_join");
	tap_ok(skips(), "s_setvskip");
	tap_ok(kills(), "s_setkill");
	tap_ok(buffer_atomics(), "s_buffer_atomic");
	tap_ok(indexes_registers(), "s_movrels, s_movreld");
	tap_ok(indexes_into_others(), "s_movrels to exec and m0");
	tap_ok(hardware_registers(), "hwreg outside the trap handler");
}

int main(int argc, char **argv)
{
	if (!set_up(argc, argv))
		return 2;
	tap_plan(NR_SOPS + NR_SOPS64 + 14);
	scalar_ops();
	scalar_others();
	machine_reset();
	return tap_status();
}
