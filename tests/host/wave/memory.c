// SPDX-License-Identifier: GPL-2.0
/*
 * Scalar and global memory: every width, stride and execution mask; faults.
 */
#include "unit.h"

static bool smem_loads(void)
{
	unsigned int n;
	bool ok;

	prepare(~0ull);
	set_pair(2, DATA + 0x100);
	w->s[6] = 0x203;	/* the lowest bits are ignored */
	ok = run("smem_load") && w->s[8] == word(0x104) &&
	     w->s[10] == word(0xf8) && w->s[11] == word(0xfc);
	for (n = 0; n < 4; n++)
		ok &= w->s[12 + n] == word(0x300 + 4 * n);
	for (n = 0; n < 8; n++)
		ok &= w->s[16 + n] == word(0x100 + 4 * n);
	for (n = 0; n < 16; n++)
		ok &= w->s[24 + n] == word(0x100 + 4 * n);
	return ok;
}

static bool smem_stores(void)
{
	prepare(~0ull);
	set_pair(2, DATA + 0x100);
	w->s[6] = 0x40;
	return run("smem_store") && word(0x100) == w->s[8] &&
	       word(0x108) == w->s[10] && word(0x10c) == w->s[11] &&
	       word(0x140) == w->s[12] && word(0x14c) == w->s[15];
}

static bool smem_buffer(void)
{
	prepare(~0ull);
	set_pair(4, DATA | 0ull << 48);
	w->s[6] = 16;	/* bytes: dwords 2 and 3 are in, 4 and 5 are not */
	w->s[7] = 0;
	return run("smem_buffer") && w->s[12] == word(8) &&
	       w->s[13] == word(12) && !w->s[14] && !w->s[15];
}

static bool smem_atomics(void)
{
	u32 old, add;

	prepare(~0ull);
	set_pair(2, DATA + 0x40);
	old = word(0x40);
	add = w->s[8];
	w->s[11] = word(0x44);
	return run("smem_atomic") && word(0x40) == old + add &&
	       w->s[8] == old && word(0x44) == w->s[10];
}

static bool smem_misaligned_atomic(void)
{
	prepare(~0ull);
	set_pair(2, DATA + 0x44);
	return fails("smem_atomic_x2", TRAPSTS_MEM_VIOL) &&
	       !(w->trapsts & TRAPSTS_XNACK_ERROR);
}

static bool smem_times(void)
{
	prepare(~0ull);
	machine.time = 0x100000000;
	return run("smem_time") && pair(0) == 0x100000010 &&
	       pair(2) == 0x100000011;
}

static bool smem_fault(void)
{
	prepare(~0ull);
	set_pair(2, DATA - 0x1000);
	return fails("smem_wild", TRAPSTS_MEM_VIOL) &&
	       w->fatal_addr == DATA - 0x1000 &&
	       (w->trapsts & TRAPSTS_XNACK_ERROR);
}

static void scalar_memory(void)
{
	tap_ok(smem_loads(), "s_load");
	tap_ok(smem_stores(), "s_store");
	tap_ok(smem_buffer(), "s_buffer_load, range check");
	tap_ok(smem_atomics(), "s_atomic");
	tap_ok(smem_misaligned_atomic(), "s_atomic, misaligned");
	tap_ok(smem_times(), "s_memtime, s_memrealtime");
	tap_ok(smem_fault(), "s_load from nowhere");
}

/* lane addresses @stride bytes apart from @off */
static void point(u64 off, int stride)
{
	unsigned int lane;

	for (lane = 0; lane < SIM_LANES; lane++)
		set_vpair(2, lane, DATA + off + (s64)stride * lane);
}

/**
 * struct store - one store instruction
 * @width: bytes
 * @delta: its offset
 * @shift: bits of v4 that are not stored
 */
static const struct store {
	const char *name;
	unsigned int width;
	int delta;
	unsigned int shift;
} stores[] = {
	{ "st_byte", 1, 0, 0 }, { "st_byte_hi", 1, 0, 16 },
	{ "st_short", 2, -2, 0 }, { "st_short_hi", 2, 0, 16 },
	{ "st_x1", 4, 4, 0 }, { "st_x2", 8, 0, 0 }, { "st_x3", 12, 0, 0 },
	{ "st_x4", 16, 0, 0 }, { "st_flat", 8, 16, 0 },
};

static bool store_round(const struct store *s, u64 exec, int stride)
{
	static u8 want[DATA_SIZE];
	unsigned int lane;
	u64 start = 0x8000;
	u32 val[4];

	prepare(exec);
	fill_data();
	memcpy(want, data, DATA_SIZE);
	point(start, stride);
	for (lane = 0; lane < SIM_LANES; lane++) {
		val[0] = w->v[4][lane] >> s->shift;
		val[1] = w->v[5][lane];
		val[2] = w->v[6][lane];
		val[3] = w->v[7][lane];
		if (active(exec, lane))
			memcpy(want + start + stride * (int)lane + s->delta, val,
			       s->width);
	}
	return run(s->name) && !memcmp(want, data, DATA_SIZE);
}

static void vector_stores(void)
{
	static const int strides[] = { 0, 1, 3, 4, 8, 16, 100, -16, -1 };
	unsigned int n, k;
	bool ok;

	for (n = 0; n < sizeof(stores) / sizeof(stores[0]); n++) {
		ok = true;
		for (k = 0; k < 9; k++)
			ok &= store_round(&stores[n], ~0ull, strides[k]) &&
			      store_round(&stores[n], rnd(), strides[k]) &&
			      store_round(&stores[n], 0, strides[k]);
		tap_ok(ok, "%s", stores[n].name);
	}
}

/* expected value of v4 (v[4:7]) after a load of @b */
static bool loaded(const char *name, const u8 *b, unsigned int lane, u32 old)
{
	u32 x[4];
	u32 got = w->v[4][lane];

	memcpy(x, b, 16);
	if (!strcmp(name, "ld_ubyte"))
		return got == b[0];
	if (!strcmp(name, "ld_sbyte"))
		return got == (u32)(s8)b[0];
	if (!strcmp(name, "ld_ushort"))
		return got == (x[0] & 0xffff);
	if (!strcmp(name, "ld_sshort"))
		return got == (u32)(s16)x[0];
	if (!strcmp(name, "ld_d16"))
		return got == ((old & 0xffff0000) | (x[0] & 0xffff));
	if (!strcmp(name, "ld_d16_hi"))
		return got == ((old & 0xffff) | (u32)(s8)b[0] << 16);
	if (!strcmp(name, "ld_x2"))
		return vpair(2, lane) == (x[0] | (u64)x[1] << 32);
	if (!strcmp(name, "ld_acc"))
		return w->v[ACC + 1][lane] == x[0];
	if (!strcmp(name, "ld_x3"))
		return got == x[0] && w->v[5][lane] == x[1] &&
		       w->v[6][lane] == x[2];
	if (!strcmp(name, "ld_x4"))
		return got == x[0] && w->v[5][lane] == x[1] &&
		       w->v[6][lane] == x[2] && w->v[7][lane] == x[3];
	return got == x[0];
}

static bool load_round(const char *name, u64 exec, int stride)
{
	u32 before[8][SIM_LANES];
	unsigned int lane;
	bool ok;

	prepare(exec);
	fill_data();
	point(0x8000, stride);
	memcpy(before, w->v, sizeof(before));
	ok = run(name);
	for (lane = 0; lane < SIM_LANES; lane++) {
		if (active(exec, lane))
			ok &= loaded(name, data + 0x8000 + stride * (int)lane,
				     lane, before[4][lane]);
		else
			ok &= w->v[4][lane] == before[4][lane] &&
			      w->v[2][lane] == before[2][lane];
	}
	return ok;
}

static void vector_loads(void)
{
	static const char *const loads[] = {
		"ld_ubyte", "ld_sbyte", "ld_ushort", "ld_sshort", "ld_x1",
		"ld_x2", "ld_x3", "ld_x4", "ld_d16", "ld_d16_hi", "ld_acc",
	};
	static const int strides[] = { 0, 1, 4, 8, 12, 16, -20 };
	unsigned int n, k;
	bool ok;

	for (n = 0; n < sizeof(loads) / sizeof(loads[0]); n++) {
		ok = true;
		for (k = 0; k < 7; k++)
			ok &= load_round(loads[n], ~0ull, strides[k]) &&
			      load_round(loads[n], rnd(), strides[k]);
		tap_ok(ok, "%s", loads[n]);
	}
}

static bool scalar_base(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	set_pair(2, DATA + 0x1000);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[0][lane] = 0x10 * lane;
	ok = run("st_saddr");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= word(0x1008 + 0x10 * lane) == w->v[4][lane];
	return ok;
}

/* the last 16 lanes are beyond the end: the others are stored nevertheless */
static bool partial_fault(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	fill_data();
	point(DATA_SIZE - 48 * 4 - 4, 4);
	ok = fails("st_x1", TRAPSTS_MEM_VIOL) &&
	     w->fatal_addr == DATA + DATA_SIZE;
	for (lane = 0; lane < 48; lane++)
		ok &= word(DATA_SIZE - 48 * 4 + 4 * lane) == w->v[4][lane];
	return ok;
}

#define ATOMICS(X)							\
	X(swap, src) X(add, old + src) X(sub, old - src)		\
	X(smin, S(old) < S(src) ? old : src)				\
	X(umin, old < src ? old : src)					\
	X(smax, S(old) > S(src) ? old : src)				\
	X(umax, old > src ? old : src)					\
	X(and, old & src) X(or, old | src) X(xor, old ^ src)		\
	X(inc, old >= src ? 0 : old + 1)				\
	X(dec, old == 0 || old > src ? src : old - 1)

#define S(x)	(sizeof(x) == 4 ? (s32)(x) : (s64)(x))
#define ATOMIC_MODEL(name, expr)					\
	static u64 at_##name(u64 old_, u64 src_, bool wide)		\
	{								\
		if (wide) {						\
			u64 __attribute__((unused)) old = old_, src = src_; \
									\
			return expr;					\
		}							\
		u32 __attribute__((unused)) old = old_, src = src_;	\
									\
		return (u32)(expr);					\
	}
ATOMICS(ATOMIC_MODEL)

static const struct atomic {
	const char *name;
	u64 (*model)(u64 old, u64 src, bool wide);
} atomics[] = {
#define ATOMIC_ROW(name, expr) { #name, at_##name },
	ATOMICS(ATOMIC_ROW)
};

#define NR_ATOMICS	(sizeof(atomics) / sizeof(atomics[0]))

/* lanes share addresses, so that their order is visible */
static bool atomic_round(const struct atomic *at, bool wide)
{
	u64 mem[4], old, exec = rnd();
	unsigned int lane, size = wide ? 8 : 4;
	char name[32];
	bool ok;

	snprintf(name, sizeof(name), "at_%s%s", at->name, wide ? "_x2" : "");
	prepare(exec);
	for (lane = 0; lane < 4; lane++) {
		mem[lane] = wide ? (u64)operand() << 32 | operand() : operand();
		memcpy(data + 0x40 + lane * size, &mem[lane], size);
	}
	for (lane = 0; lane < SIM_LANES; lane++)
		set_vpair(2, lane, DATA + 0x40 + lane % 4 * size);
	ok = run(name);
	for (lane = 0; lane < SIM_LANES; lane++) {
		if (!active(exec, lane)) {
			ok &= w->v[0][lane] == MARK;
			continue;
		}
		old = mem[lane % 4];
		mem[lane % 4] = at->model(old, wide ? vpair(4, lane) :
					  w->v[4][lane], wide);
		ok &= wide ? vpair(0, lane) == old : w->v[0][lane] == (u32)old;
	}
	for (lane = 0; lane < 4; lane++)
		ok &= !memcmp(data + 0x40 + lane * size, &mem[lane], size);
	return ok;
}

/* the operand goes to memory, the old value is returned or not */
static bool scalar_round(const struct atomic *at, bool wide, const char *form,
			 bool returns)
{
	unsigned int size = wide ? 8 : 4;
	u64 old, src, mem = 0, got;
	char name[32];

	snprintf(name, sizeof(name), "%s_%s%s", form, at->name,
		 wide ? "_x2" : "");
	prepare(0);	/* exec is ignored */
	set_pair(2, DATA + 0x80);
	set_pair(4, DATA + 0x80);
	w->s[6] = 0x100;
	w->s[7] = 0;
	w->s[20] = 0x40;
	old = wide ? (u64)operand() << 32 | operand() : operand();
	memcpy(data + 0xc0, &old, size);
	w->s[8] = operand();
	w->s[9] = operand();
	src = wide ? pair(8) : w->s[8];
	if (!run(name))
		return false;
	memcpy(&mem, data + 0xc0, size);
	got = wide ? pair(8) : w->s[8];
	return mem == at->model(old, src, wide) && got == (returns ? old : src);
}

static bool scalar_atomics(const struct atomic *at)
{
	bool ok = true;
	int r;

	for (r = 0; r < ROUNDS; r++)
		ok &= scalar_round(at, r & 1, "sat", true) &&
		      scalar_round(at, r & 1, "sbat", true) &&
		      scalar_round(at, r & 1, "sqat", false);
	return ok;
}

/* a buffer that ends before the address */
static bool scalar_atomic_out_of_range(void)
{
	prepare(~0ull);
	set_pair(4, DATA + 0x80);
	w->s[6] = 0x43;
	w->s[7] = 0;
	w->s[20] = 0x40;
	memset(data + 0xc0, 0x55, 4);
	return run("sbat_add") && word(0xc0) == 0x55555555 && !w->s[8];
}

static bool scalar_compare_and_swap(void)
{
	bool ok;

	prepare(~0ull);
	set_pair(2, DATA + 0x80);
	w->s[20] = 0x40;
	memcpy(data + 0xc0, (u32 []){ 5 }, 4);
	w->s[8] = 7;	/* new */
	w->s[9] = 5;	/* compared */
	ok = run("sat_cmpswap") && word(0xc0) == 7 && w->s[8] == 5;
	w->s[8] = 9;
	w->s[9] = 5;
	ok &= run("sat_cmpswap") && word(0xc0) == 7 && w->s[8] == 7;
	memcpy(data + 0xc4, (u32 []){ 1 }, 4);
	set_pair(8, 0x1122334455667788);
	set_pair(10, 0x100000007);
	return ok && run("sat_cmpswap_x2") && word(0xc0) == 0x55667788 &&
	       word(0xc4) == 0x11223344 && pair(8) == 0x100000007;
}

static bool compare_and_swap(void)
{
	bool ok;

	prepare(6);
	point(0x100, 0);
	memcpy(data + 0x100, (u32[]){ 5, 0, 0, 0 }, 16);
	w->v[4][1] = 7;		/* new */
	w->v[5][1] = 5;		/* compared */
	w->v[4][2] = 9;
	w->v[5][2] = 5;
	ok = run("at_cmpswap") && word(0x100) == 7 && w->v[0][1] == 5 &&
	     w->v[0][2] == 7;
	set_vpair(4, 1, 0x1122334455667788);
	set_vpair(6, 1, 7);
	set_vpair(4, 2, 1);
	set_vpair(6, 2, 0x1122334455667788);
	return ok && run("at_cmpswap_x2") && word(0x100) == 1 && !word(0x104) &&
	       vpair(0, 1) == 7 && vpair(0, 2) == 0x1122334455667788;
}

static bool misaligned_atomic(void)
{
	prepare(1);
	point(0x102, 0);
	return fails("at_add", TRAPSTS_MEM_VIOL) &&
	       !(w->trapsts & TRAPSTS_XNACK_ERROR) &&
	       w->fatal_addr == DATA + 0x102;
}

static void vector_atomics(void)
{
	unsigned int n, r;
	bool ok;

	for (n = 0; n < NR_ATOMICS; n++) {
		for (ok = true, r = 0; r < ROUNDS; r++)
			ok &= atomic_round(&atomics[n], r & 1);
		tap_ok(ok, "atomic_%s, _x2", atomics[n].name);
	}
	for (n = 0; n < NR_ATOMICS; n++)
		tap_ok(scalar_atomics(&atomics[n]),
		       "s_atomic_%s, s_buffer_atomic_%s, _x2", atomics[n].name,
		       atomics[n].name);
	tap_ok(scalar_compare_and_swap(), "s_atomic_cmpswap, _x2");
	tap_ok(scalar_atomic_out_of_range(), "s_buffer_atomic, out of range");
	tap_ok(compare_and_swap(), "atomic_cmpswap, _x2");
	tap_ok(misaligned_atomic(), "misaligned atomic");
	tap_ok(scalar_base(), "global access with scalar base");
	tap_ok(partial_fault(), "lanes that fault do not stop the others");
}

int main(int argc, char **argv)
{
	if (!set_up(argc, argv))
		return 2;
	tap_plan(7 + 9 + 11 + 2 * NR_ATOMICS + 6);
	scalar_memory();
	vector_stores();
	vector_loads();
	vector_atomics();
	machine_reset();
	return tap_status();
}
