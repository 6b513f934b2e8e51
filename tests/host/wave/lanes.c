// SPDX-License-Identifier: GPL-2.0
/*
 * Vector comparisons, lanes that exchange values, and other special
 * instructions.
 */
#include "unit.h"

static bool int_compare(const char *cond, const char *type, unsigned int lane)
{
	u32 a = w->v[1][lane], b = w->v[2][lane];
	u64 x = vpair(2, lane), y = vpair(4, lane);

	if (!strcmp(type, "i32"))
		return int_condition(cond, (s32)a < (s32)b, a == b);
	if (!strcmp(type, "u32"))
		return int_condition(cond, a < b, a == b);
	if (!strcmp(type, "i16"))
		return int_condition(cond, (s16)a < (s16)b, (s16)a == (s16)b);
	if (!strcmp(type, "u16"))
		return int_condition(cond, (u16)a < (u16)b, (u16)a == (u16)b);
	if (!strcmp(type, "i64"))
		return int_condition(cond, (s64)x < (s64)y, x == y);
	return int_condition(cond, x < y, x == y);
}

static bool float_compare(const char *cond, const char *type, unsigned int lane)
{
	static const char *const conds[] = {
		"f", "lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg",
		"ngt", "nle", "neq", "nlt", "tru",
	};
	float a = fl(w->v[1][lane]), b = fl(w->v[2][lane]);
	const bool want[] = {
		false, a < b, a == b, a <= b, a > b, a < b || a > b, a >= b,
		!isnan(a) && !isnan(b), isnan(a) || isnan(b), !(a >= b),
		!(a < b || a > b), !(a > b), !(a <= b), a != b, !(a < b), true,
	};
	unsigned int n;

	for (n = 0; strcmp(conds[n], cond); n++)
		;
	return want[n];
}

static bool compare_round(const char *cond, const char *type, u64 exec,
			  bool (*model)(const char *, const char *, unsigned int))
{
	char name[32];
	unsigned int lane;
	u64 want = 0;

	snprintf(name, sizeof(name), "v_cmp_%s_%s", cond, type);
	prepare(exec);
	for (lane = 0; lane < SIM_LANES; lane += 3)
		memcpy(&w->v[2][lane], &w->v[1][lane], 4);
	for (lane = 0; lane < SIM_LANES; lane += 5)
		set_vpair(4, lane, vpair(2, lane));
	for (lane = 0; lane < SIM_LANES; lane++)
		want |= (u64)(active(exec, lane) && model(cond, type, lane))
			<< lane;
	return run(name) && pair(VCC) == want;
}

static void compares(void)
{
	static const char *const ints[] = {
		"lt", "eq", "le", "gt", "ne", "ge", "t", "f",
	};
	static const char *const types[] = {
		"i32", "u32", "i16", "u16", "i64", "u64",
	};
	static const char *const floats[] = {
		"f", "lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg",
		"ngt", "nle", "neq", "nlt", "tru",
	};
	unsigned int t, c, r;
	bool ok;

	for (t = 0; t < 6; t++) {
		for (ok = true, c = 0; c < 8; c++)
			for (r = 0; r < ROUNDS && ok; r++)
				ok = compare_round(ints[c], types[t], rnd(),
						   int_compare);
		tap_ok(ok, "v_cmp_*_%s", types[t]);
	}
	for (ok = true, c = 0; c < 16; c++)
		for (r = 0; r < ROUNDS && ok; r++)
			ok = compare_round(floats[c], "f32", rnd(),
					   float_compare);
	tap_ok(ok, "v_cmp_*_f32");
}

static bool cmpx_sets_exec(void)
{
	u64 want = 0;
	unsigned int lane;

	prepare(0x00ff00ff00ff00ff);
	for (lane = 0; lane < SIM_LANES; lane++)
		want |= (u64)(w->v[1][lane] > w->v[2][lane]) << lane;
	want &= pair(EXEC);
	return run("v_cmpx") && pair(VCC) == want && pair(EXEC) == want;
}

static bool class_of_floats(void)
{
	static const u32 samples[] = {
		0x7f800001, 0x7fc00000, 0xff800000, 0xc0000000, 0x80000001,
		0x80000000, 0, 1, 0x40000000, 0x7f800000,
	};
	unsigned int n;
	bool ok = true;

	for (n = 0; n < 10; n++) {
		prepare(1);
		w->v[1][0] = samples[n];
		w->v[2][0] = 1 << n;
		ok &= run("v_class") && pair(VCC) == 1;
		w->v[2][0] = ~(1 << n);
		ok &= run("v_class") && pair(VCC) == 0;
	}
	return ok;
}

/* DPP: the lane that each lane reads; -1 invalid */
static int from_quad(int l) { return (l & ~3) + "\2\3\0\1"[l & 3]; }
static int from_shr(int l) { return l % 16 < 3 ? -1 : l - 3; }
static int from_shl(int l) { return l % 16 == 15 ? -1 : l + 1; }
static int from_ror(int l) { return (l & ~15) + (l + 11) % 16; }
static int from_mirror(int l) { return l / 16 * 16 + 15 - l % 16; }
static int from_half(int l) { return l / 8 * 8 + 7 - l % 8; }
static int from_wshr(int l) { return l - 1; }
static int from_bcast15(int l) { return l < 16 ? -1 : l / 16 * 16 - 1; }
static int from_bcast31(int l) { return l < 32 ? -1 : 31; }

static const struct dpp {
	const char *name;
	int (*from)(int lane);
	unsigned int rows, banks;
	bool zero;	/* bound_ctrl: invalid lanes read zero */
} dpps[] = {
	{ "dpp_quad", from_quad, 15, 15 }, { "dpp_shr", from_shr, 15, 15 },
	{ "dpp_shl0", from_shl, 15, 15, true },
	{ "dpp_ror", from_ror, 5, 6 }, { "dpp_mirror", from_mirror, 15, 15 },
	{ "dpp_half", from_half, 15, 15 }, { "dpp_wshr", from_wshr, 15, 15 },
	{ "dpp_bcast15", from_bcast15, 10, 15 },
	{ "dpp_bcast31", from_bcast31, 12, 15 },
};

static u32 dpp_want(const struct dpp *d, u64 exec, int lane)
{
	int from = d->from(lane);
	bool valid = from >= 0 && active(exec, from);

	if (!active(exec, lane) || !(d->rows >> lane / 16 & 1) ||
	    !(d->banks >> lane / 4 % 4 & 1) || (!valid && !d->zero))
		return MARK;
	return (valid ? w->v[1][from] : 0) + (d->zero ? w->v[2][lane] : 0);
}

static bool dpp_round(const struct dpp *d, u64 exec)
{
	int lane;

	prepare(exec);
	if (!run(d->name))
		return false;
	for (lane = 0; lane < SIM_LANES; lane++)
		if (w->v[0][lane] != dpp_want(d, exec, lane))
			return false;
	return true;
}

static void dpp(void)
{
	unsigned int n;

	for (n = 0; n < sizeof(dpps) / sizeof(dpps[0]); n++)
		tap_ok(dpp_round(&dpps[n], ~0ull) && dpp_round(&dpps[n], rnd()),
		       "%s", dpps[n].name);
}

static bool lanes_and_scalars(void)
{
	bool ok;

	prepare(1ull << 40 | 1ull << 50);
	w->s[2] = 64 + 13;
	ok = run("v_readlane") && w->s[0] == w->v[1][13];
	ok &= run("v_readfirst") && w->s[0] == w->v[1][40];
	set_pair(EXEC, 0);
	ok &= run("v_readfirst") && w->s[0] == w->v[1][0];
	ok &= run("v_writelane") && w->v[0][37] == w->s[3] &&
	      w->v[0][36] == MARK;
	return ok;
}

static bool counts_lanes_below(void)
{
	unsigned int lane;
	u64 mask;

	prepare(~0ull);
	mask = pair(2);
	if (!run("mbcnt"))
		return false;
	for (lane = 0; lane < SIM_LANES; lane++)
		if (w->v[0][lane] != w->v[1][lane] +
		    __builtin_popcountll(mask & ((1ull << lane) - 1)))
			return false;
	return true;
}

static bool carries_from_any_pair(void)
{
	unsigned int lane;
	u64 sel;

	prepare(~0ull);
	sel = pair(4);
	if (!run("v_cndmask64"))
		return false;
	for (lane = 0; lane < SIM_LANES; lane++)
		if (w->v[0][lane] != (sel >> lane & 1 ?
				      w->v[2][lane] & ~0x80000000 :
				      w->v[1][lane] ^ 0x80000000))
			return false;
	return true;
}

static bool overlapping_registers(void)
{
	u32 a[SIM_LANES];
	u64 x[SIM_LANES];
	unsigned int lane;
	bool ok = true;

	prepare(~0ull);
	for (lane = 0; lane < SIM_LANES; lane++) {
		a[lane] = w->v[1][lane];
		x[lane] = vpair(4, lane);
	}
	ok = run("v_in_place") && run("v_shift_overlap");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= w->v[1][lane] == 2 * a[lane] &&
		      vpair(4, lane) == x[lane] << (x[lane] & 63);
	return ok;
}

static bool swaps_registers(void)
{
	u32 a[SIM_LANES], b[SIM_LANES];
	unsigned int lane;
	bool ok;

	prepare(0xffff0000ffff0000);
	memcpy(a, w->v[1], sizeof(a));
	memcpy(b, w->v[2], sizeof(b));
	ok = run("v_swap");
	for (lane = 0; lane < SIM_LANES; lane++) {
		bool on = active(pair(EXEC), lane);

		ok &= w->v[1][lane] == (on ? b[lane] : a[lane]) &&
		      w->v[2][lane] == (on ? a[lane] : b[lane]);
	}
	return ok;
}

static bool indexes_registers(void)
{
	prepare(~0ull);
	w->s[2] = 3;
	w->v[4][9] = 0x44;
	w->v[2][9] = 0x22;
	return run("gpr_idx") && w->v[0][9] == 0x44 && w->v[7][9] == 0x22 &&
	       w->v[4][9] == 0x44 && !(w->mode & 0x08000000);
}

/* behind the last ordinary register: no accumulation register is written */
static bool indexes_out_of_range(void)
{
	prepare(~0ull);
	w->s[2] = ACC - 1;
	w->v[2][9] = 0x22;
	w->v[ACC][9] = 0x33;
	return run("gpr_idx_out") && w->v[ACC][9] == 0x33;
}

static bool has_accumulation_registers(void)
{
	bool ok;

	prepare(~0ull);
	w->v[1][5] = 77;
	ok = run("acc_move") && w->v[ACC + 3][5] == 77;
	w->v[ACC + 3][5] = 78;
	return ok && run("acc_read") && w->v[0][5] == 78;
}

static bool indexes_accumulation_registers(void)
{
	prepare(~0ull);
	w->s[2] = 5;
	w->v[1][7] = 0x77;
	w->v[ACC + 6][7] = 0x66;
	return run("acc_idx") && w->v[ACC + 5][7] == 0x77 && w->v[0][7] == 0x66;
}

static void vector_others(void)
{
	tap_ok(cmpx_sets_exec(), "v_cmpx writes exec");
	tap_ok(class_of_floats(), "v_cmp_class_f32");
	tap_ok(lanes_and_scalars(), "readlane, readfirstlane, writelane");
	tap_ok(counts_lanes_below(), "mbcnt");
	tap_ok(carries_from_any_pair(), "cndmask from an SGPR pair, modifiers");
	tap_ok(overlapping_registers(), "result over an operand");
	tap_ok(swaps_registers(), "v_swap_b32");
	tap_ok(indexes_registers(), "s_set_gpr_idx_on");
	tap_ok(indexes_out_of_range(), "and what is out of range");
	tap_ok(has_accumulation_registers(), "accvgpr read and write");
	tap_ok(indexes_accumulation_registers(), "and with s_set_gpr_idx_on");
	prepare(~0ull);
	tap_ok(fails("bad_vgpr", TRAPSTS_ILLEGAL_INST) &&
	       fails("bad_acc", TRAPSTS_ILLEGAL_INST),
	       "registers that the wave does not have");
}

int main(int argc, char **argv)
{
	if (!set_up(argc, argv))
		return 2;
	tap_plan(7 + 9 + 12);
	compares();
	dpp();
	vector_others();
	machine_reset();
	return tap_status();
}
