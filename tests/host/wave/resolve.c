// SPDX-License-Identifier: GPL-2.0
/*
 * The ISA table's description of a memory access against the interpreter: the
 * kind, the width, the lanes with their addresses, how many bytes each of them
 * accesses, and which certainly access all, from the registers before the
 * instruction. Random instructions of FLAT, GLOBAL, SCRATCH and MUBUF, each
 * opcode of gfx90a.
 */
#include <stdlib.h>
#include <string.h>
#include <linux/gpubp_isa.h>
#include <uapi/linux/gpubp.h>
#include "isa/gfx9/ops.h"
#include "../tap.h"
#include "machine.h"

#define CODE		0x100000000ull
#define DATA		0x7f0000a00000ull
#define DATA_SIZE	0x40000
#define NR_VGPRS	64
#define ROUNDS		60

static unsigned long long seed = 0x1dea1dea1dea1dea;
static struct sim_wave *w;
static u8 *code;

static u64 rnd(void)
{
	return tap_random(&seed);
}

/*
 * What was compared with the comparators: lanes, those of them that accessed the
 * whole width at once, the bytes of each, and the first addresses
 */
static struct {
	unsigned int nr;
	enum sim_access kind;
	unsigned int width;
	u64 lanes;
	u64 full;
	unsigned int bytes[SIM_LANES];
	u64 addrs[SIM_LANES];
} seen;

/* lanes of buffers that accessed all bytes, those that were known to, and others */
static u64 nr_full, nr_whole, nr_parts;

u32 resolve_watch(struct sim_wave *wave, enum sim_access kind,
		  unsigned int width, u64 lanes, const u64 *addrs)
{
	unsigned int lane;

	seen.nr++;
	seen.kind = kind;
	for (lane = 0; lane < SIM_LANES; lane++) {
		if (lanes & ~seen.lanes & 1ull << lane)
			seen.addrs[lane] = addrs[lane];
		if (lanes & 1ull << lane)
			seen.bytes[lane] += width;
	}
	if (width == seen.width)
		seen.full |= lanes & ~seen.lanes;
	seen.lanes |= lanes;
	return 0;
}

static void set_pair(unsigned int reg, u64 val)
{
	w->s[reg] = val;
	w->s[reg + 1] = val >> 32;
}

/* v[0:1] flat addresses, v2 offsets, v3 and v4 index and offset */
static void addresses(unsigned int lane, u64 align)
{
	static const u64 bases[] = { DATA, DATA, DATA, SIM_SHARED_BASE,
				     SIM_PRIVATE_BASE };
	u64 va = bases[rnd() % 5] + (rnd() % 0x8000 & ~15ull);

	w->v[0][lane] = va;
	w->v[1][lane] = va >> 32;
	w->v[2][lane] = (rnd() % (rnd() & 1 ? 0x4000 : 0x700)) & ~(align - 1);
	w->v[3][lane] = rnd() % 64;
	w->v[4][lane] = rnd() % 0x400 & ~(align - 1);
	/* with the instruction's own one it is 0, or a little more */
	if (rnd() % 16 == 0)
		w->v[4][lane] = -16u;
}

/* s[24:27]: linear, with or without a stride, and perhaps the lane in the index */
static void descriptor(void)
{
	static const u32 records[] = { 40, 0x600, 0x604, 0x5fa };

	set_pair(24, DATA | (rnd() & 1 ? 48ull << 48 : 0));
	w->s[26] = records[rnd() % 4];
	w->s[27] = rnd() % 4 ? 0 : 0x00800000;
	w->s[28] = rnd() & 1 ? 0 : rnd() & 0x7f0;
}

static void prepare(enum gfx9_arch arch, u64 align)
{
	unsigned int lane, reg;

	for (reg = 5; reg < NR_VGPRS; reg++)
		for (lane = 0; lane < SIM_LANES; lane++)
			w->v[reg][lane] = rnd();
	for (lane = 0; lane < SIM_LANES; lane++)
		addresses(lane, align);
	set_pair(8, DATA + (rnd() & 0x1ff0));
	descriptor();
	set_pair(GFX9_SRC_FLAT_SCRATCH, DATA + 0x10000);
	set_pair(GFX9_SRC_EXEC, rnd());
	w->arch = arch;
	w->acc_offset = NR_VGPRS / 2;
	w->status = STATUS_VALID;
	w->mode = MODE_FP_DENORM;
	w->trapsts = w->pending = w->fatal_trapsts = 0;
	w->pc = CODE;
}

/* the registers that the table requests, as the core reads them */
static unsigned int gather(const struct gpubp_insn *insn, u32 *regs)
{
	unsigned int n, k, lane, at = 0;

	for (n = 0; n < insn->nr_regs; n++)
		for (k = 0; k < insn->regs[n].count; k++) {
			unsigned int reg = insn->regs[n].first + k;

			if (insn->regs[n].file == GPUBP_REG_SCALAR) {
				regs[at++] = w->s[reg];
				continue;
			}
			for (lane = 0; lane < SIM_LANES; lane++)
				regs[at++] = w->v[reg][lane];
		}
	return at;
}

static unsigned int access_of(enum sim_access kind)
{
	return kind == SIM_LOAD ? GPUBP_ACCESS_LOAD :
	       kind == SIM_STORE ? GPUBP_ACCESS_STORE : GPUBP_ACCESS_ATOMIC;
}

static bool in_private_ring(u64 va)
{
	return va >= DATA + 0x10000;
}

/* and where the table says that a lane accesses all bytes, it does */
static bool whole_agrees(const struct gpubp_insn *insn, const u32 *regs,
			 u64 lanes)
{
	u64 whole = gpubp_isa_gfx90a.lanes_whole(insn, regs, lanes);

	if (insn->may_drop) {
		nr_full += __builtin_popcountll(seen.full);
		nr_whole += __builtin_popcountll(whole);
	}
	return !(whole & ~lanes) && !(whole & ~seen.full);
}

static bool dropped_agree(const struct gpubp_insn *insn, const u32 *regs,
			  u64 lanes)
{
	unsigned int lane, dropped;

	for (lane = 0; lane < SIM_LANES; lane++) {
		if (!(lanes >> lane & 1))
			continue;
		dropped = gpubp_isa_gfx90a.lane_dropped(insn, regs, lane);
		if (seen.bytes[lane] != insn->width - dropped)
			return false;
		nr_parts += dropped != 0;
	}
	return true;
}

/* lanes in the table that the interpreter did not access */
static bool lanes_agree(u64 lanes, const u64 *addrs)
{
	unsigned int lane;

	for (lane = 0; lane < SIM_LANES; lane++) {
		bool did = (seen.lanes >> lane & 1) &&
			   !in_private_ring(seen.addrs[lane]);

		if (did != (lanes >> lane & 1))
			return false;
		if (did && addrs[lane] != seen.addrs[lane])
			return false;
	}
	return true;
}

static bool check(const struct gfx9_op *row, u32 w0, u32 w1)
{
	const struct gpubp_isa *isa = &gpubp_isa_gfx90a;
	static u32 regs[GPUBP_MAX_REG_REQS * 4 * SIM_LANES];
	u32 words[2] = { w0, w1 };
	u64 addrs[GPUBP_MAX_LANES], lanes, exec;
	struct gpubp_insn insn;

	memcpy(code, words, sizeof(words));
	prepare(GFX9_GFX90A, row->kind == GFX9_MEM_ATOMIC ? row->width : 4);
	exec = w->s[GFX9_SRC_EXEC] | (u64)w->s[GFX9_SRC_EXEC + 1] << 32;
	if (isa->access_before(words, 8, &insn) < 0 || !insn.is_access ||
	    insn.width != row->width)
		return false;
	gather(&insn, regs);
	lanes = isa->lane_addrs(&insn, regs, exec, addrs);
	memset(&seen, 0, sizeof(seen));
	seen.width = row->width;
	sim_wave_run(w, 1);
	if (w->trapsts & TRAPSTS_ILLEGAL_INST)
		return false;
	if (!seen.nr)
		return !lanes;
	return access_of(seen.kind) == insn.access &&
	       lanes_agree(lanes, addrs) && whole_agrees(&insn, regs, lanes) &&
	       dropped_agree(&insn, regs, lanes);
}

static const struct form {
	enum gfx9_fmt fmt;
	unsigned int seg;
	u32 base;
	struct { u32 w0, w1; } bits[4];
	unsigned int nr;
} forms[] = {
	{ GFX9_FLAT, GFX9_SEG_FLAT, 0xdc000000, { { 0, 8 << 8 | 16 << 24 } }, 1 },
	{ GFX9_FLAT, GFX9_SEG_GLOBAL, 0xdc008000,
	  { { 0x10, 2 | 8 << 8 | 8 << 16 | 16 << 24 } }, 1 },
	{ GFX9_FLAT, GFX9_SEG_SCRATCH, 0xdc004000,
	  { { 0, 2 | 8 << 8 | 0x7f << 16 | 16 << 24 } }, 1 },
	{ GFX9_MUBUF, 0, 0xe0000000,
	  { { 0x1010, 2 | 8 << 8 | 6 << 16 | 28u << 24 },	/* offen */
	    { 0x2000, 3 | 8 << 8 | 6 << 16 | 144u << 24 },	/* idxen */
	    { 0x3010, 3 | 8 << 8 | 6 << 16 | 28u << 24 },	/* both */
	    { 0x0020, 8 << 8 | 6 << 16 | 28u << 24 } }, 4 },
};

static bool opcode_agrees(const struct form *f, unsigned int op,
			  const struct gfx9_op *row)
{
	unsigned int n, r;

	for (n = 0; n < f->nr; n++)
		for (r = 0; r < ROUNDS; r++)
			if (!check(row, f->base | op << 18 | f->bits[n].w0,
				   f->bits[n].w1)) {
				tap_note("%s, form %u", row->name, n);
				return false;
			}
	return true;
}

static void form(const struct form *f, const char *name)
{
	const struct gfx9_op *row;
	unsigned int op, nr = 0;
	bool ok = true;

	for (op = 16; op < 128; op++) {
		row = gfx9_op_find(GFX9_GFX90A, f->fmt, f->seg, op);
		/* typed buffers and LDS stores are not executed */
		if (!row || !row->width || !row->regs)
			continue;
		nr++;
		ok &= opcode_agrees(f, op, row);
	}
	tap_ok(ok && nr >= 22, "%s: %u opcodes", name, nr);
}

int main(void)
{
	static const char *const names[] = {
		"flat", "global", "scratch", "buffer",
	};
	unsigned int n;

	code = machine_map(CODE, 64);
	machine_map(DATA, DATA_SIZE);
	machine.watch_fn = resolve_watch;
	w = machine_wave(NR_VGPRS);
	tap_plan(6);
	for (n = 0; n < 4; n++)
		form(&forms[n], names[n]);
	tap_ok(nr_whole > nr_full / 2,
	       "of %llu lanes that accessed all bytes, %llu are known to",
	       (unsigned long long)nr_full, (unsigned long long)nr_whole);
	tap_ok(nr_parts > 1000, "%llu lanes had a part of an access dropped",
	       (unsigned long long)nr_parts);
	machine_reset();
	return tap_status();
}
