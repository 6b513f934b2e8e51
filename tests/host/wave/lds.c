// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers, private memory and LDS.
 */
#include "unit.h"

/* where amdkfd has them on gfx9, not where the software GPU says it has them */
#define LDS_APERTURE		(1ull << 48)
#define PRIVATE_APERTURE	(2ull << 48)

static void descriptor(u64 base, u32 stride, u32 records, u32 word3)
{
	set_pair(4, base | (u64)stride << 48);
	w->s[6] = records;
	w->s[7] = word3;
}

static u32 lds_word(unsigned int off)
{
	u32 x;

	memcpy(&x, machine.lds + off, 4);
	return x;
}

static bool linear_buffer(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	fill_data();
	descriptor(DATA, 0, 0x80, 0);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = 4 * lane;
	ok = run("buf_load");
	/* the range check excludes the scalar offset */
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= w->v[0][lane] ==
			(4 * lane + 8 + 4 <= 0x80 ? word(4 * lane + 12) : 0);
	return ok;
}

static bool structured_buffer(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	fill_data();
	descriptor(DATA, 12, 50, 0);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = lane;
	ok = run("buf_store");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= (word(12 * lane) == w->v[4][lane]) == (lane < 50);
	for (lane = 0; lane < SIM_LANES; lane++)
		set_vpair(2, lane, lane | (u64)(lane % 13) << 32);
	w->s[2] = 0x100;
	ok &= run("buf_both");
	for (lane = 0; lane < SIM_LANES; lane++)
		/* an offset may reach into the next element */
		ok &= w->v[0][lane] == (lane < 50 ?
			(word(0x100 + 12 * lane + lane % 13) & 0xffff) : 0);
	return ok;
}

#define ADD_TID		0x00800000

/* a buffer whose index is the lane: as a trap handler saves registers to it */
static bool lane_buffer(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	fill_data();
	descriptor(DATA, 4, 60, ADD_TID);
	w->s[2] = 0x400;
	ok = run("buf_tid");
	for (lane = 0; lane < SIM_LANES; lane++) {
		ok &= (word(0x500 + 4 * lane) == w->v[4][lane]) == (lane < 60);
		w->v[1][lane] = lane % 3;
	}
	/* added to another index; the stride has further bits */
	descriptor(DATA, 4, ~0u, ADD_TID | 1 << 15);
	set_pair(GFX9_SRC_EXEC, 2);
	return ok && run("buf_tid_load") && w->v[0][1] == word(2 * 0x4004);
}

/* a load to LDS, a dword for each active lane; its register is kept */
static bool loads_to_lds(void)
{
	unsigned int lane;
	u32 old, x;
	bool ok;

	prepare(0xf0f);
	fill_data();
	memset(machine.lds, 0xee, LDS_SIZE);
	descriptor(DATA, 4, ~0u, ADD_TID);
	w->s[2] = 0x400;
	w->s[GFX9_SRC_M0] = 0x77770200;
	old = w->v[4][3];
	ok = run("buf_lds") && w->v[4][3] == old;
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= lds_word(0x300 + 4 * lane) ==
		      (active(0xf0f, lane) ? word(0x500 + 4 * lane) : 0xeeeeeeee);
	descriptor(DATA, 0, 0x20, 0);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = 4 * lane;
	ok &= run("buf_lds_short");
	for (lane = 0; lane < 12; lane++) {
		x = lane < 8 ? (u32)(s16)word(4 * lane) : 0;
		ok &= !active(0xf0f, lane) || lds_word(0x200 + 4 * lane) == x;
	}
	/* behind the end of LDS */
	w->s[GFX9_SRC_M0] = LDS_SIZE - 4;
	ok &= run("buf_lds_short") && lds_word(LDS_SIZE - 4) == (u32)(s16)word(0);
	memset(machine.lds, 0, LDS_SIZE);
	return ok && fails("bad_lds", TRAPSTS_ILLEGAL_INST);
}

/* dword n of all lanes is contiguous */
static bool private_memory(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	descriptor(DATA, 0, ~0u, 0x00e80000);
	w->s[5] |= 0x80000000;
	w->s[2] = 0x1000;
	set_pair(GFX9_SRC_FLAT_SCRATCH, DATA + 0x4000);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = 8;
	ok = run("buf_scratch") && run("scratch_st");
	for (lane = 0; lane < SIM_LANES; lane++) {
		ok &= word(0x1000 + 12 * 64 + 4 * lane) == w->v[4][lane] &&
		      word(0x4000 + 16 * 64 + 4 * lane) == w->v[4][lane];
		set_vpair(2, lane, PRIVATE_APERTURE + 4);
	}
	ok &= run("flat_private");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= word(0x4000 + 4 * 64 + 4 * lane) == w->v[4][lane];
	return ok;
}

/* elements of several dwords, and dwords in two of the swizzle */
static bool private_wide(void)
{
	unsigned int lane, k;
	u64 at;
	bool ok;

	prepare(~0ull);
	fill_data();
	set_pair(GFX9_SRC_FLAT_SCRATCH, DATA);
	for (lane = 0; lane < SIM_LANES; lane++) {
		w->v[1][lane] = 32 + lane % 4;
		set_vpair(2, lane, PRIVATE_APERTURE + 100 + 4 * (lane & 1));
	}
	ok = run("scratch_wide") && run("flat_private_wide");
	for (lane = 0; lane < SIM_LANES; lane++)
		for (k = 0; k < 16; k++) {
			at = 32 + lane % 4 + k;
			at = (at & ~3) * 64 + lane * 4 + (at & 3);
			ok &= data[at] == (u8)(w->v[8 + k / 4][lane] >> k % 4 * 8) &&
			      w->v[12 + k / 4][lane] == w->v[8 + k / 4][lane];
		}
	for (lane = 0; lane < SIM_LANES; lane++)
		for (k = 0; k < 2; k++)
			ok &= word((100 + 4 * (lane & 1) + 4 * k) * 64 +
				   4 * lane) == w->v[4 + k][lane] &&
			      w->v[6 + k][lane] == w->v[4 + k][lane];
	return ok;
}

/* each dword is compared at its own address, and no gaps are */
static bool private_watched(void)
{
	bool ok;

	prepare(1);
	set_pair(GFX9_SRC_FLAT_SCRATCH, DATA);
	set_vpair(2, 0, PRIVATE_APERTURE);
	machine.nr_hits = 0;
	machine.watch[0] = (struct watch){ true, DATA + 256, ~63ull, 3 };
	ok = run("flat_private_wide") && machine.nr_hits == 2;
	machine.watch[0].value = DATA + 128;
	ok &= run("flat_private_wide") && machine.nr_hits == 2;
	machine.watch[0].valid = false;
	return ok;
}

/* the store fails only in the lane without memory */
static bool private_fault(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	set_pair(GFX9_SRC_FLAT_SCRATCH, DATA + DATA_SIZE - 0x200);
	for (lane = 0; lane < SIM_LANES; lane++)
		set_vpair(2, lane, PRIVATE_APERTURE + (lane == 5 ? 4 : 0));
	ok = fails("flat_private_wide", TRAPSTS_MEM_VIOL);
	return ok && word(DATA_SIZE - 0x100) == w->v[5][0];
}

/* a 64-bit atomic cannot be split; a 32-bit one fits in an element */
static bool private_atomics(void)
{
	bool ok;

	prepare(1);
	set_pair(GFX9_SRC_FLAT_SCRATCH, DATA);
	set_vpair(2, 0, PRIVATE_APERTURE + 8);
	memcpy(data + 8 * 64, &(u32){ 5 }, 4);
	w->v[4][0] = 6;
	ok = run("flat_private_atomic") && word(8 * 64) == 11;
	return ok && fails("flat_private_atomic_x2", TRAPSTS_MEM_VIOL);
}

/* dwords beyond the end: loads return zero, stores are dropped */
static bool partly_in_range(void)
{
	unsigned int lane, k;
	u32 want;
	bool ok;

	prepare(~0ull);
	fill_data();
	descriptor(DATA, 0, 0x108, 0);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = 4 * lane;
	ok = run("buf_wide");
	for (lane = 0; lane < SIM_LANES; lane++)
		for (k = 0; k < 4; k++) {
			want = 4 * (lane + k) < 0x108 ? word(4 * (lane + k)) : 0;
			ok &= w->v[4 + k][lane] == want;
		}
	prepare(1ull << 63);
	fill_data();
	descriptor(DATA, 0, 0x108, 0);
	w->v[1][63] = 0x104;
	want = word(0x108);
	return ok && run("buf_wide_store") && word(0x104) == w->v[4][63] &&
	       word(0x108) == want;
}

/* of lanes out of range nothing is added, and zero is returned */
static bool atomic_out_of_range(const char *name, unsigned int width)
{
	u8 before[0x400];
	u64 old, add, now;
	unsigned int lane;
	bool in, ok;

	prepare(rnd());
	fill_data();
	memcpy(before, data, sizeof(before));
	descriptor(DATA, 0, 0x104, 0);
	for (lane = 0; lane < SIM_LANES; lane++) {
		w->v[1][lane] = 8 * lane;
		set_vpair(6, lane, vpair(4, lane));
	}
	ok = run(name);
	for (lane = 0; lane < SIM_LANES; lane++) {
		old = now = 0;
		memcpy(&old, before + 8 * lane, width);
		memcpy(&now, data + 8 * lane, width);
		in = 8 * lane + width <= 0x104;
		add = width == 8 ? vpair(6, lane) : w->v[6][lane];
		if (!active(pair(EXEC), lane)) {
			ok &= now == old && vpair(4, lane) == vpair(6, lane);
			continue;
		}
		ok &= now == (width == 8 ? old + (in ? add : 0) :
					   (u32)(old + (in ? add : 0)));
		ok &= (width == 8 ? vpair(4, lane) : w->v[4][lane]) ==
		      (in ? old : 0);
		ok &= width == 8 || w->v[5][lane] == w->v[7][lane];
	}
	return ok;
}

/* lanes add to one double, in order of lanes */
static bool float_atomics(void)
{
	unsigned int lane;
	double sum = 0.5, max;
	bool ok;

	prepare(0xff);
	memcpy(data, &sum, 8);
	for (lane = 0; lane < SIM_LANES; lane++) {
		set_vpair(2, lane, DATA);
		set_vpair(4, lane, double_bits(0.1 * lane));
	}
	ok = run("global_add_f64");
	for (lane = 0; lane < 8; lane++) {
		ok &= vpair(0, lane) == double_bits(sum);
		sum += dbl(vpair(4, lane));
	}
	ok &= !memcmp(data, &sum, 8) && run("global_max_f64");
	memcpy(&max, data, 8);
	ok &= max == sum;
	prepare(1);
	set_vpair(2, 0, DATA);
	memcpy(data, (float[]){ 1.25 }, 4);
	w->v[4][0] = float_bits(0.5);
	ok &= run("global_add_f32") && word(0) == float_bits(1.75);
	memcpy(data, (_Float16[]){ 1.5, -2 }, 4);
	w->v[4][0] = half_bits(0.25) | (u32)half_bits(3) << 16;
	return ok && run("global_pk_add") &&
	       word(0) == (half_bits(1.75) | (u32)half_bits(1) << 16);
}

static void buffers(void)
{
	tap_ok(float_atomics(), "global atomics on floats");
	tap_ok(partly_in_range(), "MUBUF, partly out of range");
	tap_ok(atomic_out_of_range("buf_add", 4) &&
	       atomic_out_of_range("buf_add_x2", 8),
	       "MUBUF, an atomic out of range returns zero");
	tap_ok(private_wide(), "private memory: wide and unaligned");
	tap_ok(private_watched(), "private memory: comparators");
	tap_ok(private_fault(), "private memory: a fault");
	tap_ok(private_atomics(), "private memory: atomics");
	tap_ok(linear_buffer(), "MUBUF, linear, range check");
	tap_ok(structured_buffer(), "MUBUF, index and stride");
	tap_ok(lane_buffer(), "MUBUF, the lane is the index");
	tap_ok(loads_to_lds(), "MUBUF to LDS");
	tap_ok(private_memory(), "private memory: MUBUF, SCRATCH, FLAT");
}

static bool lds_basics(void)
{
	unsigned int lane;
	bool ok;

	prepare(~0ull);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = 1024 + 8 * lane;
	ok = run("ds_write") && run("ds_roundtrip");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= vpair(0, lane) == vpair(4, lane) &&
		      lds_word(1024 + 8 * lane) == w->v[4][lane];
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = 4096 + 4 * lane;
	ok &= run("ds_two");
	/* the second read of a lane may see another lane's write: lane 63 */
	ok &= w->v[0][63] == w->v[5][63] && lds_word(4096 + 4 * 63 + 520) ==
		w->v[5][63];
	return ok;
}

static bool lds_atomics(void)
{
	u32 a, b, c;

	prepare(1);
	w->v[1][0] = 64;
	memcpy(machine.lds + 64, &(u32){ 100 }, 4);
	a = 100;
	b = a + w->v[4][0];
	c = (s32)b > (s32)w->v[5][0] ? b : w->v[5][0];
	if (!run("ds_atomic") || w->v[0][0] != a || w->v[6][0] != c)
		return false;
	return lds_word(64) == (c == w->v[4][0] ? w->v[5][0] : c);
}

static bool lds_range(void)
{
	bool ok;

	prepare(3);
	w->v[1][0] = LDS_SIZE - 1;
	w->v[1][1] = 0xffffffff;
	w->v[4][0] = 0x99;
	ok = run("ds_bytes") && machine.lds[LDS_SIZE - 1] == 0x99;
	ok &= run("ds_read_i8") && w->v[0][0] == 0xffffff99 && !w->v[0][1];
	set_vpair(2, 0, LDS_APERTURE + 128);
	set_vpair(2, 1, LDS_APERTURE + LDS_SIZE);
	return ok && run("flat_lds") && lds_word(128) == w->v[4][0];
}

static bool lane_exchange(void)
{
	unsigned int lane;
	u64 exec = ~0ull << 8;
	bool ok;

	prepare(exec);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = 4 * (lane ^ 9);
	ok = run("ds_bpermute");
	for (lane = 8; lane < SIM_LANES; lane++)
		ok &= w->v[0][lane] == (lane == 8 + 1 || (lane ^ 9) >= 8 ?
			(active(exec, lane ^ 9) ? w->v[4][lane ^ 9] : 0) : 0);
	ok &= run("ds_permute");
	for (lane = 8; lane < SIM_LANES; lane++)
		ok &= w->v[0][lane] == (active(exec, lane ^ 9) ?
					w->v[4][lane ^ 9] : 0);
	return ok;
}

/* base and offset wrap before they are compared with the size */
static bool lds_negative(void)
{
	bool ok;

	prepare(1);
	w->v[1][0] = -16;
	w->v[4][0] = 0x12345678;
	ok = run("ds_negative") && lds_word(2032 - 16) == 0x12345678;
	return ok && w->v[0][0] == lds_word(4) && w->v[1][0] == lds_word(8);
}

static bool lds_rmw(void)
{
	bool ok;

	prepare(1);
	w->v[1][0] = 0;
	w->v[4][0] = 0x0f0;
	w->v[5][0] = 0x105;
	memcpy(machine.lds, (u32[]){ 100, 0xff, 0x3fc00000, 7 }, 16);
	ok = run("ds_rsub") && lds_word(0) == 0x0f0 - 100;
	ok &= run("ds_mskor") && lds_word(4) == (0x0f | 0x105);
	ok &= run("ds_wrap") && w->v[0][0] == 7 && lds_word(12) == 7 + 0x105;
	w->v[4][0] = float_bits(2.25);
	ok &= run("ds_add_f32") && w->v[0][0] == float_bits(1.5) &&
	      lds_word(8) == float_bits(3.75);
	ok &= run("ds_min_f32") && lds_word(8) == float_bits(2.25);
	w->v[5][0] = float_bits(-1);
	return ok && run("ds_cmpst_f32") && lds_word(8) == float_bits(-1);
}

static bool lds_rmw_wide(void)
{
	double d;
	bool ok;

	prepare(1);
	w->v[1][0] = 64;
	d = 0.1;
	memcpy(machine.lds + 64, &d, 8);
	set_vpair(4, 0, double_bits(0.2));
	ok = run("ds_add_f64") && vpair(6, 0) == double_bits(0.1);
	memcpy(&d, machine.lds + 64, 8);
	ok &= d == 0.1 + 0.2;
	ok &= run("ds_max_f64") && vpair(6, 0) == double_bits(0.1 + 0.2);
	w->v[4][0] = 1;
	w->v[5][0] = 2;
	memcpy(machine.lds + 64 + 4, (u32[]){ 3, 4, 5 }, 12);
	ok &= run("ds_wrxchg2") && w->v[6][0] == 3 && w->v[7][0] == 5;
	return ok && lds_word(68) == 1 && lds_word(76) == 2;
}

static bool lds_d16(void)
{
	bool ok;

	prepare(1);
	w->v[1][0] = 256;
	w->v[4][0] = 0x8899aabb;
	w->v[0][0] = 0x11112222;
	ok = run("ds_d16") && machine.lds[256] == 0x99 &&
	     lds_word(260) >> 16 == 0 && (lds_word(260) & 0xffff) == 0x8899;
	return ok && w->v[0][0] == 0x8899ff99;
}

static bool swizzles(void)
{
	unsigned int lane, in;
	bool ok;

	prepare(~0ull);
	for (lane = 0; lane < SIM_LANES; lane++)
		w->v[1][lane] = lane + 100;
	ok = run("ds_swizzle_quad");	/* 3 2 1 0 */
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= w->v[0][lane] == (lane ^ 3) + 100;
	ok &= run("ds_swizzle_mask");	/* and 0x1c, or 1, xor 0x10 */
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= w->v[0][lane] == (((lane & 0x3c) | 1) ^ 0x10) + 100;
	ok &= run("ds_swizzle_rotate");	/* by 5 in groups of 8 */
	for (lane = 0; lane < SIM_LANES; lane++) {
		in = (lane & ~7u) | ((lane + 5) & 7);
		ok &= w->v[0][lane] == in + 100;
	}
	return ok;
}

/* the operand of the first active lane; M0 and the offset name the barrier */
static bool gws_operands(void)
{
	bool ok;

	prepare(0xf0);
	w->s[GFX9_SRC_M0] = 0x3e0000;
	w->v[4][4] = 77;
	w->v[4][5] = 78;
	ok = run("ds_gws_init") && machine.gws.init && machine.gws.resource == 0 &&
	     machine.gws.value == 77;
	w->s[GFX9_SRC_M0] = 0x50000;
	return ok && run("ds_gws_barrier") && !machine.gws.init &&
	       machine.gws.resource == 5 && machine.gws.value == 77;
}

static bool gws_waits(void)
{
	u64 pc = elf_symbol("ds_gws_barrier");
	unsigned int calls = machine.gws.calls;
	bool ok;

	prepare(~0ull);
	w->pc = pc;
	machine.gws_waits = true;
	ok = sim_wave_run(w, 10) == SIM_STOP_SLEEP && w->pc == pc &&
	     sim_wave_run(w, 10) == SIM_STOP_SLEEP && w->pc == pc &&
	     machine.gws.calls == calls + 2;
	machine.gws_waits = false;
	return ok && sim_wave_run(w, 10) == SIM_STOP_ENDED;
}

static void lds(void)
{
	tap_ok(lds_negative(), "negative base addresses");
	tap_ok(lds_rmw(), "ds_rsub, mskor, wrap, float atomics");
	tap_ok(lds_rmw_wide(), "ds_add_f64, max_f64, wrxchg2");
	tap_ok(lds_d16(), "ds with half registers");
	tap_ok(swizzles(), "ds_swizzle");
	tap_ok(lds_basics(), "ds_write, ds_read, two at once");
	tap_ok(lds_atomics(), "ds_add_rtn, ds_max, ds_cmpst");
	tap_ok(lds_range(), "LDS ends; FLAT finds it");
	tap_ok(lane_exchange(), "ds_permute, ds_bpermute");
	tap_ok(gws_operands(), "ds_gws_init, ds_gws_barrier");
	tap_ok(gws_waits(), "a barrier that is closed is executed again");
}

int main(int argc, char **argv)
{
	if (!set_up(argc, argv))
		return 2;
	tap_plan(12 + 11);
	buffers();
	lds();
	machine_reset();
	return tap_status();
}
