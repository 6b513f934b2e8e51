// SPDX-License-Identifier: GPL-2.0
/* The ISA table, case by case. Words are output of llvm-mc. */
#include <stdlib.h>
#include <string.h>
#include <linux/errno.h>
#include <linux/gpubp_isa.h>
#include <linux/kernel.h>
#include <uapi/linux/gpubp.h>
#include "gfx9.h"
#include "regs.h"
#include "../tap.h"

#define isa	gpubp_isa_gfx90a
#define LANES	GPUBP_MAX_LANES
#define LD	GPUBP_ACCESS_LOAD
#define ST	GPUBP_ACCESS_STORE
#define AT	GPUBP_ACCESS_ATOMIC

enum { RET = 1, CLOB = 2, JUMP = 4 };

static const struct decode_case {
	const char *text;
	u32 words[2];
	u8 len, access, width, flags;
} decode_cases[] = {
	{ "global_load_dword v6, v[4:5], off",
	  { 0xdc508000, 0x067f0004 }, 8, LD, 4, RET },
	{ "global_load_dword v4, v[4:5], off",
	  { 0xdc508000, 0x047f0004 }, 8, LD, 4, RET | CLOB },
	{ "global_load_dwordx4 v[2:5], v[4:5], off",
	  { 0xdc5c8000, 0x027f0004 }, 8, LD, 16, RET | CLOB },
	{ "global_load_dwordx4 v[0:3], v[4:5], off",
	  { 0xdc5c8000, 0x007f0004 }, 8, LD, 16, RET },
	{ "global_load_dword v5, v[4:5], off offset:-16",
	  { 0xdc509ff0, 0x057f0004 }, 8, LD, 4, RET | CLOB },
	{ "global_load_dword v2, v2, s[4:5] offset:16",
	  { 0xdc508010, 0x02040002 }, 8, LD, 4, RET | CLOB },
	{ "global_load_dwordx2 a[4:5], v[4:5], off",
	  { 0xdc548000, 0x04ff0004 }, 8, LD, 8, RET },
	{ "global_load_short_d16_hi v5, v[4:5], off",
	  { 0xdc948000, 0x057f0004 }, 8, LD, 2, RET | CLOB },
	{ "global_store_dword v[0:1], v2, off",
	  { 0xdc708000, 0x007f0200 }, 8, ST, 4, 0 },
	{ "global_store_dwordx4 v[4:5], v[4:7], off",
	  { 0xdc7c8000, 0x007f0404 }, 8, ST, 16, 0 },
	{ "global_atomic_add v[4:5], v4, off",
	  { 0xdd088000, 0x007f0404 }, 8, AT, 4, 0 },
	{ "global_atomic_add v4, v[4:5], v6, off glc",
	  { 0xdd098000, 0x047f0604 }, 8, AT, 4, RET | CLOB },
	{ "global_atomic_cmpswap v3, v[4:5], v[6:7], off glc",
	  { 0xdd058000, 0x037f0604 }, 8, AT, 4, RET },
	{ "global_atomic_cmpswap_x2 v[2:3], v[4:5], v[6:9], off glc",
	  { 0xdd858000, 0x027f0604 }, 8, AT, 8, RET },
	{ "global_atomic_cmpswap_x2 v[4:5], v[4:5], v[6:9], off glc",
	  { 0xdd858000, 0x047f0604 }, 8, AT, 8, RET | CLOB },
	{ "flat_load_dwordx2 v[0:1], v[0:1]",
	  { 0xdc540000, 0x00000000 }, 8, LD, 8, RET | CLOB },
	{ "flat_store_dword v[2:3], v0 offset:16",
	  { 0xdc700010, 0x00000002 }, 8, ST, 4, 0 },
	{ "scratch_store_dword v1, v2, off",
	  { 0xdc704000, 0x007f0201 }, 8, ST, 4, 0 },
	{ "buffer_load_dword v0, off, s[0:3], s4 offset:8",
	  { 0xe0500008, 0x04000000 }, 8, LD, 4, RET },
	{ "buffer_load_dword v1, v1, s[0:3], 0 offen offset:8",
	  { 0xe0501008, 0x80000101 }, 8, LD, 4, RET | CLOB },
	{ "buffer_store_dwordx2 v[0:1], v2, s[8:11], 16 idxen",
	  { 0xe0742000, 0x90020002 }, 8, ST, 8, 0 },
	{ "buffer_load_dword v0, v1, s[0:3], 0 offen lds",
	  { 0xe0511000, 0x80000001 }, 8, LD, 4, 0 },
	{ "buffer_load_format_x v0, v1, s[0:3], 0 idxen: width unknown",
	  { 0xe0002000, 0x80000001 }, 8, LD, 16, RET | CLOB },
	{ "buffer_wbl2", { 0xe0a00000, 0x00000000 }, 8, 0, 0, 0 },
	{ "buffer_wbl2", { 0xe0a0c000, 0x00000000 }, 8, 0, 0, 0 },
	{ "ds_write_b32 v0, v1", { 0xd81a0000, 0x00000100 }, 8, 0, 0, 0 },
	{ "s_load_dword s0, s[2:3], 0x10",
	  { 0xc0020001, 0x00000010 }, 8, 0, 0, 0 },
	{ "v_add_f64 v[0:1], v[2:3], v[4:5]",
	  { 0xd2800000, 0x00020902 }, 8, 0, 0, 0 },
	{ "s_mov_b32 s0, 0x12345678", { 0xbe8000ff, 0x12345678 }, 8, 0, 0, 0 },
	{ "s_nop 0", { 0xbf800000 }, 4, 0, 0, 0 },
	{ "s_getpc_b64 s[0:1]", { 0xbe801c00 }, 4, 0, 0, 0 },
	{ "s_trap 1", { 0xbf920001 }, 4, 0, 0, 0 },
	{ "s_branch 4", { 0xbf820004 }, 4, 0, 0, JUMP },
	{ "s_cbranch_execz 4", { 0xbf880004 }, 4, 0, 0, JUMP },
	{ "s_endpgm", { 0xbf810000 }, 4, 0, 0, JUMP },
	{ "s_setpc_b64 s[0:1]", { 0xbe801d00 }, 4, 0, 0, JUMP },
	{ "s_call_b64 s[0:1], 8", { 0xba800008 }, 4, 0, 0, JUMP },
};

#define NR_CASES	ARRAY_SIZE(decode_cases)

static bool decodes_as(const struct decode_case *c)
{
	struct gpubp_insn insn;

	return !isa.decode(c->words, 8, &insn) && insn.len == c->len &&
	       insn.is_access == !!c->access && insn.access == c->access &&
	       insn.width == c->width &&
	       /* only atomics must be aligned, only buffers check a range */
	       insn.align == (c->access == GPUBP_ACCESS_ATOMIC ? c->width :
								 !!c->access) &&
	       insn.may_drop == (c->access && c->text[0] == 'b') &&
	       insn.returns == !!(c->flags & RET) &&
	       insn.clobbers_addr == !!(c->flags & CLOB) &&
	       insn.changes_pc == !!(c->flags & JUMP);
}

static bool found_before(const struct decode_case *c)
{
	u32 code[4] = { 0xbf800000, 0xbf800000, c->words[0], c->words[1] };
	struct gpubp_insn insn;
	int len = isa.access_before(code, c->len == 8 ? 16 : 12, &insn);

	return c->access ? len == 8 && insn.access == c->access :
			   len == -ENOENT;
}

static void test_decode(void)
{
	const struct decode_case *c;

	for (c = decode_cases; c < decode_cases + NR_CASES; c++) {
		tap_ok(decodes_as(c), "decode: %s", c->text);
		tap_ok(found_before(c), "access before the stop: %s", c->text);
	}
}

/* which registers have the data: first and count */
static const struct data_case {
	const char *text;
	u32 words[2];
	struct {
		u16 first;
		u8 count;
	} stored, loaded;
} data_cases[] = {
	{ "global_store_dwordx2 v[0:1], v[2:3], off",
	  { 0xdc748000, 0x007f0200 }, { 2, 2 }, { 0, 0 } },
	{ "global_store_byte v[4:5], v9, off",
	  { 0xdc608000, 0x007f0904 }, { 9, 1 }, { 0, 0 } },
	{ "global_store_dwordx2 v[4:5], a[2:3], off",
	  { 0xdc748000, 0x00ff0204 }, { 0, 0 }, { 0, 0 } },
	{ "global_load_dwordx3 v[8:10], v[4:5], off",
	  { 0xdc588000, 0x087f0004 }, { 0, 0 }, { 8, 3 } },
	{ "global_load_dword a9, v[4:5], off",
	  { 0xdc508000, 0x09ff0004 }, { 0, 0 }, { 0, 0 } },
	{ "global_load_dword v4, v[4:5], off",
	  { 0xdc508000, 0x047f0004 }, { 0, 0 }, { 4, 1 } },
	{ "global_atomic_add v[4:5], v9, off",
	  { 0xdd088000, 0x007f0904 }, { 9, 1 }, { 0, 0 } },
	{ "global_atomic_add v8, v[4:5], v9, off glc",
	  { 0xdd098000, 0x087f0904 }, { 9, 1 }, { 8, 1 } },
	{ "global_atomic_add v9, v[4:5], v9, off glc",
	  { 0xdd098000, 0x097f0904 }, { 0, 0 }, { 9, 1 } },
	{ "global_atomic_cmpswap v[4:5], v[8:9], off",
	  { 0xdd048000, 0x007f0804 }, { 8, 1 }, { 0, 0 } },
	{ "global_atomic_cmpswap v9, v[4:5], v[8:9], off glc",
	  { 0xdd058000, 0x097f0804 }, { 8, 1 }, { 9, 1 } },
	{ "global_atomic_cmpswap v8, v[4:5], v[8:9], off glc",
	  { 0xdd058000, 0x087f0804 }, { 0, 0 }, { 8, 1 } },
	{ "global_atomic_cmpswap_x2 v[10:11], v[4:5], v[8:11], off glc",
	  { 0xdd858000, 0x0a7f0804 }, { 8, 2 }, { 10, 2 } },
	{ "global_atomic_pk_add_f16 v[4:5], v9, off",
	  { 0xdd388000, 0x007f0904 }, { 9, 1 }, { 0, 0 } },
	{ "flat_load_dwordx4 v[252:255], v[4:5]",
	  { 0xdc5c0000, 0xfc000004 }, { 0, 0 }, { 252, 4 } },
	{ "flat_load_dwordx4: a register behind the last one",
	  { 0xdc5c0000, 0xfd000004 }, { 0, 0 }, { 0, 0 } },
	{ "scratch_store_dword v4, v9, off",
	  { 0xdc704000, 0x007f0904 }, { 9, 1 }, { 0, 0 } },
	{ "buffer_store_dwordx4 v[8:11], off, s[0:3], 0",
	  { 0xe07c0000, 0x80000800 }, { 8, 4 }, { 0, 0 } },
	{ "buffer_load_dword v9, off, s[0:3], 0",
	  { 0xe0500000, 0x80000900 }, { 0, 0 }, { 9, 1 } },
	{ "buffer_load_dword v9, off, s[0:3], 0 lds",
	  { 0xe0510000, 0x80000900 }, { 0, 0 }, { 0, 0 } },
	{ "buffer_atomic_add v9, off, s[0:3], 0",
	  { 0xe1080000, 0x80000900 }, { 9, 1 }, { 0, 0 } },
	{ "buffer_atomic_add v9, off, s[0:3], 0 glc",
	  { 0xe1084000, 0x80000900 }, { 0, 0 }, { 9, 1 } },
	{ "buffer_atomic_cmpswap_x2 v[8:11], off, s[0:3], 0 glc",
	  { 0xe1844000, 0x80000800 }, { 0, 0 }, { 8, 2 } },
	{ "buffer_load_format_x v9, off, s[0:3], 0",
	  { 0xe0000000, 0x80000900 }, { 0, 0 }, { 0, 0 } },
	{ "buffer_store_format_xy v[8:9], off, s[0:3], 0",
	  { 0xe0140000, 0x80000800 }, { 0, 0 }, { 0, 0 } },
	{ "s_load_dwordx4 s[4:7], s[0:1], 0x0",
	  { 0xc00a0100, 0x00000000 }, { 0, 0 }, { 0, 0 } },
	{ "ds_write_b32 v0, v1",
	  { 0xd81a0000, 0x00000100 }, { 0, 0 }, { 0, 0 } },
};

/* bytes of a lane whose first register has 0x11223344, the next 0x55667788 */
static const struct bytes_case {
	const char *text;
	u32 words[2];
	bool loaded;
	unsigned int nr;
	u8 bytes[8];
} bytes_cases[] = {
	{ "global_store_byte v[4:5], v9, off",
	  { 0xdc608000, 0x007f0904 }, false, 1, { 0x44 } },
	{ "global_store_byte_d16_hi v[4:5], v9, off",
	  { 0xdc648000, 0x007f0904 }, false, 1, { 0x22 } },
	{ "global_store_short_d16_hi v[4:5], v9, off",
	  { 0xdc6c8000, 0x007f0904 }, false, 2, { 0x22, 0x11 } },
	{ "buffer_store_short_d16_hi v9, off, s[0:3], 0",
	  { 0xe06c0000, 0x80000900 }, false, 2, { 0x22, 0x11 } },
	{ "global_store_dwordx2 v[0:1], v[2:3], off",
	  { 0xdc748000, 0x007f0200 }, false, 8,
	  { 0x44, 0x33, 0x22, 0x11, 0x88, 0x77, 0x66, 0x55 } },
	{ "global_load_ubyte_d16 v9, v[4:5], off",
	  { 0xdc808000, 0x097f0004 }, true, 1, { 0x44 } },
	{ "global_load_sbyte_d16_hi v9, v[4:5], off",
	  { 0xdc8c8000, 0x097f0004 }, true, 1, { 0x22 } },
	{ "global_load_short_d16_hi v9, v[4:5], off",
	  { 0xdc948000, 0x097f0004 }, true, 2, { 0x22, 0x11 } },
	{ "global_load_dword v4, v[4:5], off",
	  { 0xdc508000, 0x047f0004 }, true, 4, { 0x44, 0x33, 0x22, 0x11 } },
	{ "global_load_dword v4, v[4:5], off",
	  { 0xdc508000, 0x047f0004 }, false, 0, { } },
	{ "global_load_dword a9, v[4:5], off",
	  { 0xdc508000, 0x09ff0004 }, true, 0, { } },
	{ "global_atomic_cmpswap v[4:5], v[8:9], off",
	  { 0xdd048000, 0x007f0804 }, false, 4, { 0x44, 0x33, 0x22, 0x11 } },
	{ "buffer_store_format_xy v[8:9], off, s[0:3], 0",
	  { 0xe0140000, 0x80000800 }, false, 0, { } },
};

#define NR_DATA_CASES	ARRAY_SIZE(data_cases)
#define NR_BYTES_CASES	ARRAY_SIZE(bytes_cases)

static bool has_data(const struct data_case *c)
{
	struct gpubp_insn insn;

	return !isa.decode(c->words, 8, &insn) &&
	       insn.stored.count == c->stored.count &&
	       (!c->stored.count || (insn.stored.first == c->stored.first &&
				     insn.stored.file == GPUBP_REG_VECTOR)) &&
	       insn.loaded.count == c->loaded.count &&
	       (!c->loaded.count || (insn.loaded.first == c->loaded.first &&
				     insn.loaded.file == GPUBP_REG_VECTOR));
}

static bool means_bytes(const struct bytes_case *c)
{
	u32 regs[2 * LANES] = { [3] = 0x11223344, [LANES + 3] = 0x55667788 };
	u8 bytes[GPUBP_MAX_DATA] = {};
	struct gpubp_insn insn;

	return !isa.decode(c->words, 8, &insn) &&
	       isa.lane_data(&insn, c->loaded, regs, 3, 1, bytes) == c->nr &&
	       !memcmp(bytes, c->bytes, sizeof(c->bytes));
}

static void test_data(void)
{
	const struct data_case *d;
	const struct bytes_case *b;

	for (d = data_cases; d < data_cases + NR_DATA_CASES; d++)
		tap_ok(has_data(d), "data: %s", d->text);
	for (b = bytes_cases; b < bytes_cases + NR_BYTES_CASES; b++)
		tap_ok(means_bytes(b), "bytes %s: %s",
		       b->loaded ? "loaded" : "stored", b->text);
}

static void test_decode_errors(void)
{
	static const u32 illegal[2] = { 0xffffffff, 0xffffffff };
	static const u32 load[2] = { 0xdc508000, 0x067f0004 };
	static const u32 literal[2] = { 0xbe8000ff, 0 };
	struct gpubp_insn insn;

	tap_ok(isa.decode(illegal, 8, &insn) == -EILSEQ, "illegal word");
	tap_ok(isa.decode(load, 4, &insn) == -ENODATA, "half an instruction");
	tap_ok(isa.decode(literal, 4, &insn) == -ENODATA, "literal missing");
	tap_ok(isa.decode(load, 0, &insn) == -ENODATA, "no code at all");
	tap_ok(isa.access_before(load, 4, &insn) == -ENOENT,
	       "no room for an access before the stop");
}

static void test_modifiers(void)
{
	/* v_add_f32_sdwa v0, s1, v2 src0_sel:WORD_0 src1_sel:BYTE_2 */
	static const u32 sdwa[2] = { 0x020004f9, 0x02840601 };
	/* v_mov_b32_dpp v0, v1 row_shr:1 */
	static const u32 dpp[2] = { 0x7e0002fa, 0xff011101 };
	/* v_addc_co_u32 v0, vcc, v1, v2, vcc */
	static const u32 addc[1] = { 0x38000501 };
	/* v_cmp_lt_f32_e64 s[2:3], -v1, |v2| */
	static const u32 cmp[2] = { 0xd0410202, 0x20020501 };
	enum gfx9_fmt fmt;
	unsigned int op;
	struct gfx9_inst i;

	gfx9_decode(GFX9_GFX90A, sdwa, 2, &i);
	tap_ok(i.sdwa && !i.dpp && i.src[0] == 1 && i.src[1] == 258 &&
	       i.literal == sdwa[1] && !i.has_literal, "SDWA: scalar source");
	gfx9_decode(GFX9_GFX90A, dpp, 2, &i);
	tap_ok(i.dpp && !i.sdwa && i.src[0] == 257 && i.literal == dpp[1],
	       "DPP: source from the extra dword");
	gfx9_decode(GFX9_GFX90A, addc, 1, &i);
	tap_ok(i.src[2] == GFX9_SRC_VCC && i.sdst == GFX9_SRC_VCC,
	       "VOP2 carry is VCC");
	gfx9_decode(GFX9_GFX90A, cmp, 2, &i);
	tap_ok(i.fmt == GFX9_VOP3 && i.dst == 2 && i.neg == 1 && i.abs == 2 &&
	       gfx9_vop3_base(i.op, &fmt, &op) && fmt == GFX9_VOPC && op == 65,
	       "VOPC as VOP3");
	tap_ok(!gfx9_vop3_base(448, &fmt, &op), "VOP3's own operation");
}

/* lane addresses: operands are stored in the registers that are asked for */

static struct {
	u32 s[128];
	u32 v[16][LANES];
} wave;

static u64 addrs[LANES];

static u32 *gather(const struct gpubp_insn *insn, u32 *to)
{
	unsigned int n, k;

	for (n = 0; n < insn->nr_regs; n++)
		for (k = 0; k < insn->regs[n].count; k++) {
			unsigned int reg = insn->regs[n].first + k;

			if (insn->regs[n].file == GPUBP_REG_SCALAR) {
				*to++ = wave.s[reg];
				continue;
			}
			memcpy(to, wave.v[reg], sizeof(wave.v[reg]));
			to += LANES;
		}
	return to;
}

static u64 lanes_of(u32 w0, u32 w1, u64 exec)
{
	u32 words[2] = { w0, w1 }, regs[LANES * 8];
	struct gpubp_insn insn;

	memset(addrs, 0xee, sizeof(addrs));
	if (isa.decode(words, 8, &insn))
		return 0xdeadbeef;
	gather(&insn, regs);
	return isa.lane_addrs(&insn, regs, exec, addrs);
}

static void set_v64(unsigned int reg, u64 base, u64 step)
{
	unsigned int lane;

	for (lane = 0; lane < LANES; lane++) {
		u64 addr = base + lane * step;

		wave.v[reg][lane] = addr;
		wave.v[reg + 1][lane] = addr >> 32;
	}
}

static bool lanes_at(u64 lanes, u64 base, u64 step)
{
	unsigned int lane;

	for (lane = 0; lane < LANES; lane++)
		if (lanes >> lane & 1 && addrs[lane] != base + lane * step)
			return false;
	return true;
}

static void test_global_lanes(void)
{
	u64 exec = 0xf0f0f0f000ff00ffULL;

	set_v64(4, 0x7ffffffff000, 12);
	tap_ok(lanes_of(0xdc508000, 0x067f0004, exec) == exec &&
	       lanes_at(exec, 0x7ffffffff000, 12), "global: 64-bit addresses");
	tap_ok(lanes_of(0xdc509ff0, 0x057f0004, exec) == exec &&
	       lanes_at(exec, 0x7ffffffff000 - 16, 12), "global: offset:-16");

	set_v64(2, 0xfffffff0, 4);	/* low half wraps: no carry, 32 bits */
	wave.s[4] = 0x1000;
	wave.s[5] = 0x12;
	tap_ok(lanes_of(0xdc508010, 0x02040002, ~0ULL) == ~0ULL &&
	       addrs[0] == 0x1200001010ULL + 0xfffffff0 &&
	       addrs[4] == 0x1200001010ULL, "global: SGPR base, VGPR offset");
}

static void test_flat_lanes(void)
{
	set_v64(2, 0x7f0000001000, 4);
	wave.v[3][5] = 0x00010000;	/* shared aperture */
	wave.v[3][6] = 0x00020000;	/* private aperture */
	tap_ok(lanes_of(0xdc700010, 0x00000002, 0xff) == 0x9f &&
	       addrs[0] == 0x7f0000001010ULL, "flat: apertures left out");
	tap_ok(!lanes_of(0xdc704000, 0x007f0201, ~0ULL), "scratch: no lanes");
}

static void set_buffer(unsigned int s, u64 base, u32 stride, u32 records,
		       u32 word3)
{
	wave.s[s] = base;
	wave.s[s + 1] = (base >> 32 & 0xffff) | stride << 16;
	wave.s[s + 2] = records;
	wave.s[s + 3] = word3;
}

static void set_v(unsigned int reg, u32 base, u32 step)
{
	unsigned int lane;

	for (lane = 0; lane < LANES; lane++)
		wave.v[reg][lane] = base + lane * step;
}

static void test_buffer_lanes(void)
{
	/* buffer_load_dword v1, v1, s[0:3], 0 offen offset:8 */
	set_buffer(0, 0x123400001000, 0, 8 + 4 * 10, 0);
	set_v(1, 0, 4);
	tap_ok(lanes_of(0xe0501008, 0x80000101, ~0ULL) == 0x3ff &&
	       lanes_at(0x3ff, 0x123400001008, 4), "buffer: raw, bytes checked");

	/* buffer_load_dword v0, off, s[0:3], s4 offset:8 */
	wave.s[4] = 0x20;
	tap_ok(lanes_of(0xe0500008, 0x04000000, 1) == 1 &&
	       addrs[0] == 0x123400001028, "buffer: SGPR offset");
	wave.s[4] = 0x28;
	tap_ok(lanes_of(0xe0500008, 0x04000000, 1) == 1 &&
	       addrs[0] == 0x123400001030, "buffer: SGPR offset not checked");

	/* buffer_store_dwordx2 v[0:1], v2, s[8:11], 16 idxen */
	set_buffer(8, 0x100000, 24, 7, 0);
	set_v(2, 0, 1);
	tap_ok(lanes_of(0xe0742000, 0x90020002, ~0ULL) == 0x7f &&
	       lanes_at(0x7f, 0x100010, 24), "buffer: indexed, elements checked");

	/* buffer_store_dword v0, v[2:3], s[8:11], s5 idxen offen offset:4 */
	wave.s[5] = 0x1000;
	set_v(3, 0, 100);
	tap_ok(lanes_of(0xe0703004, 0x05020002, ~0ULL) == 0x7f &&
	       lanes_at(0x7f, 0x101004, 124), "buffer: index and offset");

	/* index plus lane, stride extended by the format field */
	set_buffer(8, 0x100000, 8, 100, 1 << 23 | 1 << 15);
	set_v(2, 50, 0);
	tap_ok(lanes_of(0xe0742000, 0x90020002, ~0ULL) == (1ULL << 50) - 1 &&
	       addrs[1] == 0x100010 + 51 * (8 + (1 << 14)),
	       "buffer: lane number added");

	set_buffer(8, 0x100000, 8 | 1 << 15, 100, 0);
	tap_ok(!lanes_of(0xe0742000, 0x90020002, ~0ULL), "buffer: swizzled");
}

/* of the lanes that access memory, those that access all of their bytes */
static u64 whole_of(u32 w0, u32 w1)
{
	u32 words[2] = { w0, w1 }, regs[LANES * 8];
	struct gpubp_insn insn;

	if (isa.decode(words, 8, &insn))
		return 0xdeadbeef;
	gather(&insn, regs);
	return isa.lanes_whole(&insn, regs,
			       isa.lane_addrs(&insn, regs, ~0ULL, addrs));
}

static void test_whole_lanes(void)
{
	tap_ok(whole_of(0xdc508000, 0x067f0004) == ~0ULL, "whole: global");

	/* buffer_load_dwordx4 v[8:11], v1, s[0:3], s4 offen */
	set_v(1, 0, 4);
	set_buffer(0, 0x100000, 0, 42, 0);
	wave.s[4] = 0;
	tap_ok(lanes_of(0xe05c1000, 0x04000801, ~0ULL) == 0x7ff &&
	       whole_of(0xe05c1000, 0x04000801) == 0x7f,
	       "whole: raw, up to the last byte");
	wave.s[4] = 8;
	tap_ok(whole_of(0xe05c1000, 0x04000801) == 0x1f,
	       "whole: the scalar offset may be checked");
	wave.s[4] = 0xfffffff0;
	tap_ok(!whole_of(0xe05c1000, 0x04000801),
	       "whole: so may a large one");
	/* the same with offset:16: it wraps to 0 */
	set_v(1, 0xfffffff0, 0);
	wave.s[4] = 0;
	tap_ok(lanes_of(0xe05c1010, 0x04000801, 2) == 2 &&
	       addrs[1] == 0x100000 && !whole_of(0xe05c1010, 0x04000801),
	       "whole: an offset that wraps may be checked before");

	/* buffer_store_dwordx2 v[0:1], v2, s[8:11], 16 idxen */
	set_buffer(8, 0x100000, 24, 7, 0);
	set_v(2, 0, 1);
	tap_ok(whole_of(0xe0742000, 0x90020002) == 0x7f,
	       "whole: elements in range");

	/* buffer_store_dword v0, off, s[8:11], 0 */
	set_buffer(8, 0x100000, 4, 32, 1 << 23);
	tap_ok(lanes_of(0xe0700000, 0x80020000, ~0ULL) == 0xffffffff &&
	       whole_of(0xe0700000, 0x80020000) == 0xff,
	       "whole: an index that is the lane may count bytes");

	/* buffer_atomic_add_x2 v[0:1], v2, s[8:11], 0 offen */
	set_buffer(8, 0x100000, 0, 20, 0);
	set_v(2, 0, 8);
	tap_ok(lanes_of(0xe1881000, 0x80020002, ~0ULL) == 3 &&
	       whole_of(0xe1881000, 0x80020002) == 3,
	       "whole: no part of an atomic");
}

static unsigned int dropped_of(u32 w0, u32 w1, unsigned int lane)
{
	u32 words[2] = { w0, w1 }, regs[LANES * 8];
	struct gpubp_insn insn;

	if (isa.decode(words, 8, &insn))
		return 0xdead;
	gather(&insn, regs);
	return isa.lane_dropped(&insn, regs, lane);
}

static void test_dropped(void)
{
	tap_ok(!dropped_of(0xdc7c8000, 0x007f0200, 0), "dropped: global");

	/* buffer_store_dwordx4 v[8:11], v1, s[0:3], 0 offen */
	set_v(1, 0, 4);
	set_buffer(0, 0x100000, 0, 42, 0);
	tap_ok(!dropped_of(0xe07c1000, 0x80000801, 6) &&
	       !dropped_of(0xe07c1000, 0x80000801, 7) &&
	       dropped_of(0xe07c1000, 0x80000801, 8) == 4 &&
	       dropped_of(0xe07c1000, 0x80000801, 10) == 12,
	       "dropped: dwords behind the end");

	/* the same with idxen, of 8 elements */
	set_v(1, 0, 1);
	set_buffer(0, 0x100000, 16, 8, 0);
	tap_ok(!dropped_of(0xe07c2000, 0x80000801, 7), "dropped: elements");
}

static void test_record_index(void)
{
	static u8 seen[1024];
	bool unique = true;
	u32 cu, simd, slot;
	int n;

	for (cu = 0; cu < 16; cu++)
		for (simd = 0; simd < 4; simd++)
			for (slot = 0; slot < 16; slot++) {
				n = isa.record_index(0, 0, cu, simd, slot);
				unique &= n >= 0 && n < isa.nr_records &&
					  !seen[n]++;
			}
	tap_ok(unique, "records: one a wave slot");
	tap_ok(isa.record_index(0, 0, 2, 3, 5) == 2 * 64 + 3 * 16 + 5,
	       "records: as the handler numbers them");
	tap_ok(isa.record_index(1, 0, 0, 0, 0) == -ENOENT &&
	       isa.record_index(0, 1, 0, 0, 0) == -ENOENT &&
	       isa.record_index(0, 0, 16, 0, 0) == -ENOENT &&
	       isa.record_index(0, 0, 0, 4, 0) == -ENOENT &&
	       isa.record_index(0, 0, 0, 0, 16) == -ENOENT,
	       "records: positions that have none");
}

static void test_record_parse(void)
{
	u32 rec[16] = {
		8, 0x5080, 0x1000, 0x00001234, 0x89abcdef, 0x01234567,
		0, 0, 0, 0, 0x4000002a, 0, 11, 22, 33, 0x00800003,
	};
	struct gpubp_trap_record out;

	tap_ok(!isa.record_parse(rec, &out) && out.seq == 8 &&
	       out.pc == 0x123400001000 && out.exec == 0x0123456789abcdef,
	       "record: pc and exec");
	tap_ok(out.slots == 0xb && !out.exceptions && !out.other &&
	       !out.trap_id,
	       "record: comparators 0, 1, 3");
	tap_ok(out.has_coords && out.wg[0] == 11 && out.wg[1] == 22 &&
	       out.wg[2] == 33 && out.wave_in_group == 3 && out.has_dispatch &&
	       out.dispatch == 0x2a, "record: coordinates");

	rec[10] |= 1U << 31;
	isa.record_parse(rec, &out);
	tap_ok(!out.has_coords && !out.has_dispatch, "record: no coordinates");

	rec[1] = 0x0944;
	rec[3] |= 2 << 16;
	isa.record_parse(rec, &out);
	tap_ok(!out.slots && !out.other &&
	       out.exceptions == (GPUBP_EXC_FP_DIV0 | GPUBP_EXC_INT_DIV0 |
	       GPUBP_EXC_MEM_VIOL | GPUBP_EXC_ILLEGAL), "record: exceptions");
	tap_ok(out.trap_id == 2 && out.pc == 0x123400001004,
	       "record: goes on behind an s_trap");

	rec[1] = 0x097f;
	rec[7] = MODE_DX10_CLAMP;
	isa.record_parse(rec, &out);
	tap_ok(out.exceptions == (GPUBP_EXC_INT_DIV0 | GPUBP_EXC_MEM_VIOL |
	       GPUBP_EXC_ILLEGAL), "record: with DX10_CLAMP no float stops");

	rec[3] |= 1 << 24;
	isa.record_parse(rec, &out);
	tap_ok(!out.trap_id && out.pc == 0x123400001000, "record: host trap");

	rec[0] = 0;
	tap_ok(isa.record_parse(rec, &out) == -EINVAL, "record: never written");
}

static void test_table(void)
{
	struct gpubp_insn insn;
	const struct gpubp_handler *h = isa.handler;

	tap_ok(!isa.decode(&isa.break_word, 4, &insn) &&
	       insn.len == isa.break_len, "break word is an instruction");
	tap_ok(!isa.decode(&isa.drain_word, 4, &insn) &&
	       insn.len == isa.drain_len && !insn.is_access &&
	       insn.step == GPUBP_STEP_DISPLACED,
	       "what waits for accesses is an instruction");
	tap_ok(h->nr_words && !(h->record_offset % h->record_size) &&
	       h->image[h->nr_words - 1] == 0xbe801f6c,
	       "handler ends with s_rfe_b64 ttmp[0:1]");
}

static bool edits_for(const u32 from[3], bool watch, u32 exceptions,
		      const u32 to[3])
{
	u32 regs[3] = { from[0], from[1], from[2] };
	bool changed = isa.trap_edit(regs, watch, exceptions);

	return !memcmp(regs, to, sizeof(regs)) &&
	       changed == !!memcmp(regs, from, sizeof(regs));
}

static bool edits_to(const u32 from[3], bool watch, const u32 to[3])
{
	return edits_for(from, watch, 0, to);
}

static bool mutes_to(const u32 from[3], u32 exceptions, const u32 to[3])
{
	u32 regs[3] = { from[0], from[1], from[2] };
	bool changed = isa.trap_mute(regs, exceptions);

	return !memcmp(regs, to, sizeof(regs)) &&
	       changed == !!memcmp(regs, from, sizeof(regs));
}

#define REGS(...)	((const u32 [3]){ __VA_ARGS__ })

static void test_trap_edit(void)
{
	tap_ok(isa.nr_trap_regs == 3 && isa.trap_regs.first == HWREG_MODE &&
	       isa.trap_regs.count == 3 &&
	       isa.trap_regs.file == GPUBP_REG_CONTROL,
	       "traps: MODE, STATUS, TRAPSTS");
	tap_ok(edits_to(REGS(0x3f0, 0x10001, 0xe03f7981), true,
			REGS(0x803f0, 0x10041, 0xe03f0901)),
	       "traps: on, EXCP_CYCLE and all that is not ours stay");
	tap_ok(edits_to(REGS(0x3f0, 0x10001, 0x7181), true,
			REGS(0x803f0, 0x10041, 0x0101)),
	       "traps: on, and what matched before is forgotten");
	tap_ok(edits_to(REGS(0x803f0, 0x10001, 0x80), true,
			REGS(0x803f0, 0x10041, 0)), "traps: TRAP_EN was off");
	tap_ok(edits_to(REGS(0x3f0, 0x41, 0x4000), true,
			REGS(0x803f0, 0x41, 0)), "traps: EXCP_EN was off");
	tap_ok(edits_to(REGS(0x80000, 0x40, 0x7080), true,
			REGS(0x80000, 0x40, 0x7080)),
	       "traps: on already, hits on their way are kept");
	tap_ok(edits_to(REGS(0xff000, 0x40, 0x80), false,
			REGS(0x7f000, 0x40, 0x80)),
	       "traps: off, others stay enabled");
	tap_ok(edits_to(REGS(0, 0x40, 0), false, REGS(0, 0x40, 0)),
	       "traps: off already");
}

static void test_exceptions(void)
{
	const u32 fp = GPUBP_EXC_FP_INVALID | GPUBP_EXC_FP_INEXACT;

	tap_ok(edits_for(REGS(0x3f0, 0x10001, 0x7f), false, fp,
			 REGS(0x213f0, 0x10041, 0x5e)),
	       "exceptions: by bit, and what was raised before is forgotten");
	tap_ok(edits_for(REGS(0x3f0, 0x10001, 0x70ff), true, GPUBP_EXC_INT_DIV0,
			 REGS(0xc03f0 | 0x800, 0x10041, 0x3f)) ==
	       false, "exceptions: no bits but those asked for");
	tap_ok(edits_for(REGS(0x3f0, 0x10001, 0x70ff), true, GPUBP_EXC_INT_DIV0,
			 REGS(0xc03f0, 0x10041, 0x3f)),
	       "exceptions: beside comparators");
	tap_ok(edits_for(REGS(0x80000, 0x40, 0x7081), true, fp,
			 REGS(0xa1000, 0x40, 0x7080)),
	       "exceptions: hits on their way are kept");
	tap_ok(edits_for(REGS(0x21000, 0x40, 0x21), false, fp,
			 REGS(0x21000, 0x40, 0x21)),
	       "exceptions: and so are they, if they trapped already");
	tap_ok(edits_for(REGS(0, 0x40, 0x900), false, GPUBP_EXC_MEM_VIOL |
			 GPUBP_EXC_ILLEGAL, REGS(0x100000, 0x40, 0x900)),
	       "exceptions: what always traps is never forgotten");
	tap_ok(mutes_to(REGS(0xff3f0, 0x41, 0x7fff), fp,
			REGS(0xde3f0, 0x41, 0x7fff)),
	       "exceptions: off");
	tap_ok(mutes_to(REGS(0x803f0, 0x41, 0x3f), GPUBP_EXC_FP,
			REGS(0x803f0, 0x41, 0x3f)), "exceptions: off already");
}

int main(void)
{
	tap_plan(2 * NR_CASES + NR_DATA_CASES + NR_BYTES_CASES + 64);
	test_decode();
	test_data();
	test_decode_errors();
	test_modifiers();
	test_global_lanes();
	test_flat_lanes();
	test_buffer_lanes();
	test_whole_lanes();
	test_dropped();
	test_record_index();
	test_record_parse();
	test_trap_edit();
	test_exceptions();
	test_table();
	return tap_status();
}
