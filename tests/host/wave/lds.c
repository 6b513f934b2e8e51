// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers, private memory and LDS.
 */
#include "unit.h"

static void descriptor(u64 base, u32 stride, u32 records, u32 word3)
{
	set_pair(4, base | (u64)stride << 48);
	w->s[6] = records;
	w->s[7] = word3;
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
	/* range is checked without the scalar offset */
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
		ok &= w->v[0][lane] == (lane < 50 && lane % 13 + 2 <= 12 ?
			(word(0x100 + 12 * lane + lane % 13) & 0xffff) : 0);
	return ok;
}

/* dword n of all lanes lies together */
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
		set_vpair(2, lane, SIM_PRIVATE_BASE + 4);
	}
	ok &= run("flat_private");
	for (lane = 0; lane < SIM_LANES; lane++)
		ok &= word(0x4000 + 4 * 64 + 4 * lane) == w->v[4][lane];
	return ok;
}

static void buffers(void)
{
	tap_ok(linear_buffer(), "MUBUF, linear, range check");
	tap_ok(structured_buffer(), "MUBUF, index and stride");
	tap_ok(private_memory(), "private memory: MUBUF, SCRATCH, FLAT");
}

static u32 lds_word(unsigned int off)
{
	u32 x;

	memcpy(&x, machine.lds + off, 4);
	return x;
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
	/* the second read of one lane may see what another one wrote: lane 63 */
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
	set_vpair(2, 0, SIM_SHARED_BASE + 128);
	set_vpair(2, 1, SIM_SHARED_BASE + LDS_SIZE);
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

static void lds(void)
{
	tap_ok(lds_basics(), "ds_write, ds_read, two at once");
	tap_ok(lds_atomics(), "ds_add_rtn, ds_max, ds_cmpst");
	tap_ok(lds_range(), "LDS ends; FLAT finds it");
	tap_ok(lane_exchange(), "ds_permute, ds_bpermute");
}

int main(int argc, char **argv)
{
	if (!set_up(argc, argv))
		return 2;
	tap_plan(3 + 4);
	buffers();
	lds();
	machine_reset();
	return tap_status();
}
