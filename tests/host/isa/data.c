// SPDX-License-Identifier: GPL-2.0
/*
 * The registers with the data of an access, and the bytes that they mean: every
 * opcode of the vector memory encodings, with every flag and, where it matters,
 * every distance of the destination from the operand, on every processor. One
 * lane executes each in the interpreter, with random registers; then memory must
 * be what the bytes say. Which registers they are is derived from the mnemonic.
 */
#include <fnmatch.h>
#include <string.h>
#include <linux/bits.h>
#include <linux/gpubp_isa.h>
#include <linux/kernel.h>
#include "../tap.h"
#include "../wave/machine.h"
#include "mnemonic.h"
#include "isa/gfx9/ops.h"
#include "providers/sim/softfloat/softfloat.h"
#include "providers/sim/wave/vmem.h"

#define CODE		0x100000000ULL
#define BASE		0x7f0000a00000ULL
#define SIZE		0x2000
#define REACH		1024	/* of addresses, behind BASE */
#define NR_OPS		128
#define NR_REGS		40	/* registers with random values */
#define ROUNDS		3

#define VADDR		4
#define VDATA		20
#define DISTANCE	4	/* registers of the longest operand */
#define SADDR		8
#define SOFFSET		10
#define SRSRC		24
#define STRIDE		16

#define BIT55		BIT(23)	/* NV or TFE on gfx900, else ACC */
#define FLAT_SVE	BIT(13)
#define FLAT_GLC	BIT(16)
#define OFFEN		BIT(12)
#define IDXEN		BIT(13)
#define GLC		BIT(14)
#define LDS		BIT(16)

/* opcodes that have their data in no register, or not as it is in memory */
static const struct {
	const char *pattern, *reason;
} no_data[] = {
	{ "buffer_*_format_*", "the descriptor's format converts it" },
	{ "*_load_lds_*", "LDS has it" },
	{ "buffer_store_lds_dword", "LDS has it" },
};

static unsigned int nr_matches[ARRAY_SIZE(no_data)];

static const struct {
	const char *name;
	enum gfx9_arch arch;
	const struct gpubp_isa *isa;
} cpus[] = {
	{ "gfx900", GFX9_GFX900, &gpubp_isa_gfx900 },
	{ "gfx90a", GFX9_GFX90A, &gpubp_isa_gfx90a },
	{ "gfx942", GFX9_GFX942, &gpubp_isa_gfx942 },
};

/**
 * struct trial - an instruction, and what is expected of it
 * @words: it
 * @inst: decoded
 * @insn: likewise, under test
 * @dst: register of what it loads
 * @glc: an atomic returns
 * @in_regs: no flag takes its data away from the registers
 */
struct trial {
	u32 words[2];
	struct gfx9_inst inst;
	struct gpubp_insn insn;
	unsigned int dst;
	bool glc;
	bool in_regs;
};

static unsigned int cpu;
static struct sim_wave *w;
static u8 *code, *memory;
static u8 expected[SIZE];
static u32 before[NR_REGS][SIM_LANES];
static unsigned int lane;
static unsigned long long seed = 0x2545f4914f6cdd1dULL;
static unsigned int nr_stored, nr_loaded, nr_none;

static u64 rnd(void)
{
	return tap_random(&seed) >> 16;
}

static bool is_listed(const char *name)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(no_data); n++)
		if (!fnmatch(no_data[n].pattern, name, 0)) {
			nr_matches[n]++;
			return true;
		}
	return false;
}

static unsigned int want_loaded(const struct trial *t)
{
	const char *name = t->inst.name;

	return t->in_regs && (has(name, "_load_") ||
			      (has(name, "_atomic_") && t->glc)) ?
	       data_regs(name) : 0;
}

static unsigned int want_stored(const struct trial *t)
{
	const char *name = t->inst.name;
	unsigned int nr = data_regs(name);

	if (!t->in_regs || has(name, "_load_"))
		return 0;
	if (has(name, "_atomic_") && t->glc && t->dst < VDATA + nr &&
	    VDATA < t->dst + nr)
		return 0;
	return nr;
}

static void set_v64(unsigned int reg, u64 val)
{
	w->v[reg][lane] = val;
	w->v[reg + 1][lane] = val >> 32;
}

static void set_s64(unsigned int reg, u64 val)
{
	w->s[reg] = val;
	w->s[reg + 1] = val >> 32;
}

static void set_flat_addr(const struct trial *t, u64 off)
{
	if (t->inst.seg == GFX9_SEG_SCRATCH) {
		w->v[VADDR][lane] = off % 60;
		w->s[SADDR] = t->inst.sve ? 4 : off % 60;
	} else if (t->inst.saddr == GFX9_SADDR_OFF) {
		set_v64(VADDR, BASE + off);
	} else {
		set_s64(SADDR, BASE);
		w->v[VADDR][lane] = off;
	}
}

static void set_buffer_addr(const struct trial *t, u64 off)
{
	unsigned int offset_reg = VADDR + t->inst.idxen;

	set_s64(SRSRC, BASE | (t->inst.idxen ? (u64)STRIDE << 48 : 0));
	w->s[SRSRC + 2] = SIZE;
	w->s[SRSRC + 3] = 0;
	w->s[SOFFSET] = t->inst.offen ? 0 : off;
	if (t->inst.idxen)
		w->v[VADDR][lane] = rnd() % (REACH / STRIDE);
	if (t->inst.offen)
		w->v[offset_reg][lane] = off;
}

/* so that compare-and-swap finds what it compares with, mostly */
static void set_comparand(const struct trial *t)
{
	unsigned int reg, nr = data_regs(t->inst.name);

	if (!has(t->inst.name, "cmpswap"))
		return;
	for (reg = 0; reg < nr; reg++)
		w->v[VDATA + nr + reg][lane] = 0x01010101 * (rnd() % 2);
	memset(memory, 1, SIZE);
}

/* any state in which the addresses are BASE to BASE + SIZE */
static void set_state(const struct trial *t)
{
	u64 off = rnd() % REACH & ~(t->insn.align - 1ULL);
	unsigned int reg, l;

	for (reg = 0; reg < NR_REGS; reg++)
		for (l = 0; l < SIM_LANES; l++)
			w->v[reg][l] = rnd();
	for (reg = 0; reg < SIZE; reg++)
		memory[reg] = rnd();
	lane = rnd() % SIM_LANES;
	if (t->inst.fmt == GFX9_FLAT)
		set_flat_addr(t, off);
	else
		set_buffer_addr(t, off);
	set_comparand(t);
	set_s64(GFX9_SRC_FLAT_SCRATCH, BASE);
	set_s64(GFX9_SRC_EXEC, BIT_ULL(lane));
	w->arch = cpus[cpu].arch;
	w->status = STATUS_VALID;
	w->trapsts = w->pending = w->fatal_trapsts = 0;
	w->pc = CODE;
	memcpy(code, t->words, sizeof(t->words));
	memcpy(before, w->v, sizeof(before));
	memcpy(expected, memory, SIZE);
}

static u32 *gather(const struct gpubp_reg_req *req, u32 *to)
{
	unsigned int n;

	for (n = 0; n < req->count; n++) {
		if (req->file == GPUBP_REG_SCALAR) {
			*to++ = w->s[req->first + n];
			continue;
		}
		memcpy(to, before[req->first + n], sizeof(before[0]));
		to += SIM_LANES;
	}
	return to;
}

/* of the lane; the state is that before the access */
static u64 lane_addr(const struct trial *t)
{
	u32 regs[8 * SIM_LANES], *to = regs;
	u64 addrs[GPUBP_MAX_LANES];
	unsigned int n;

	for (n = 0; n < t->insn.nr_regs; n++)
		to = gather(&t->insn.regs[n], to);
	if (cpus[cpu].isa->lane_addrs(&t->insn, regs, BIT_ULL(lane), addrs) !=
	    BIT_ULL(lane))
		return 0;
	return addrs[lane];
}

/* the ISA table knows no address of private memory */
static u64 private_offset(const struct trial *t)
{
	return (t->inst.sve ? before[VADDR][lane] : 0) +
	       (t->inst.saddr == GFX9_SADDR_OFF ? 0 : w->s[SADDR]);
}

/* where the bytes of the lane are in memory[]; false: nowhere */
static bool find_bytes(const struct trial *t, unsigned int *places)
{
	bool scratch = t->inst.fmt == GFX9_FLAT &&
		       t->inst.seg == GFX9_SEG_SCRATCH;
	u64 at = scratch ? private_offset(t) : lane_addr(t) - BASE;
	unsigned int n;

	for (n = 0; n < t->insn.width; n++, at++) {
		places[n] = scratch ? (at & ~3) * SIM_LANES + lane * 4 + at % 4 :
				      at;
		if (at >= SIZE || places[n] >= SIZE)
			return false;
	}
	return true;
}

/* what the table says of the registers' values, before or after the access */
static unsigned int bytes_of(const struct trial *t, bool loaded,
			     u32 (*v)[SIM_LANES], u8 *bytes)
{
	const struct gpubp_reg_req *req = loaded ? &t->insn.loaded :
						   &t->insn.stored;

	return cpus[cpu].isa->lane_data(&t->insn, loaded, v[req->first], lane,
					1, bytes);
}

static u64 value_of(const u8 *bytes, unsigned int width)
{
	u64 val = 0;

	memcpy(&val, bytes, width);
	return val;
}

/* an atomic: the new value, from the old one and the operand */
static void expect_atomic(const struct trial *t, const u8 *old, u8 *bytes)
{
	struct sim_rmw r = {
		.src = value_of(bytes, t->insn.width),
		.cmp = 0x0101010101010101ULL,
		.fm = t->inst.op == SIM_RMW_ADD_F32 ? SF_FLUSH : 0,
	};
	unsigned int nr = data_regs(t->inst.name);
	u64 val = value_of(old, t->insn.width);

	if (has(t->inst.name, "cmpswap"))
		r.cmp = before[VDATA + nr][lane] |
			(u64)before[VDATA + 2 * nr - 1][lane] << 32;
	val = sim_rmw_find(t->inst.op)(val, &r);
	memcpy(bytes, &val, t->insn.width);
}

static bool stored_ok(const struct trial *t, const unsigned int *places,
		      const u8 *old)
{
	const struct gpubp_reg_req *req = &t->insn.stored;
	u8 bytes[GPUBP_MAX_DATA];
	unsigned int n;

	if (!req->count)
		return true;
	nr_stored++;
	if (memcmp(before[req->first], w->v[req->first],
		   req->count * sizeof(*before)) ||
	    bytes_of(t, false, w->v, bytes) != t->insn.width)
		return false;
	if (has(t->inst.name, "_atomic_"))
		expect_atomic(t, old, bytes);
	for (n = 0; n < t->insn.width; n++)
		expected[places[n]] = bytes[n];
	return !memcmp(expected, memory, SIZE);
}

static bool loaded_ok(const struct trial *t, const u8 *old)
{
	u8 bytes[GPUBP_MAX_DATA];

	if (!t->insn.loaded.count)
		return true;
	nr_loaded++;
	return bytes_of(t, true, w->v, bytes) == t->insn.width &&
	       !memcmp(bytes, old, t->insn.width);
}

static bool executes_as_told(const struct trial *t)
{
	unsigned int places[GPUBP_MAX_DATA], n;
	u8 old[GPUBP_MAX_DATA];

	set_state(t);
	if (!find_bytes(t, places))
		return false;
	for (n = 0; n < t->insn.width; n++)
		old[n] = memory[places[n]];
	sim_wave_run(w, 1);
	return !w->trapsts && stored_ok(t, places, old) && loaded_ok(t, old);
}

static bool is_request(const struct gpubp_reg_req *req, unsigned int first,
		       unsigned int count)
{
	return req->count == count &&
	       (!count || (req->file == GPUBP_REG_VECTOR && req->first == first));
}

static bool has_none(const struct trial *t)
{
	u32 v[1][SIM_LANES] = {};
	u8 bytes[GPUBP_MAX_DATA];

	nr_none++;
	return !cpus[cpu].isa->lane_data(&t->insn, false, *v, lane, 1, bytes) &&
	       !cpus[cpu].isa->lane_data(&t->insn, true, *v, lane, 1, bytes);
}

static bool trial_passes(const struct trial *t)
{
	unsigned int n;

	if (!is_request(&t->insn.stored, VDATA, want_stored(t)) ||
	    !is_request(&t->insn.loaded, t->dst, want_loaded(t)))
		return false;
	if (!t->insn.stored.count && !t->insn.loaded.count)
		return has_none(t);
	for (n = 0; n < ROUNDS; n++)
		if (!executes_as_told(t))
			return false;
	return true;
}

/* the registers with data that an opcode has in any of its forms */
static unsigned int found[NR_OPS];

static bool try(u32 w0, u32 w1, unsigned int dst, bool glc, bool in_regs)
{
	struct trial t = { .words = { w0, w1 }, .dst = dst, .glc = glc };

	if (cpus[cpu].isa->decode(t.words, 8, &t.insn) || !t.insn.is_access)
		return true;
	gfx9_decode(cpus[cpu].arch, t.words, 2, &t.inst);
	t.in_regs = in_regs && !is_listed(t.inst.name);
	found[t.inst.op] += t.insn.stored.count + t.insn.loaded.count;
	if (trial_passes(&t))
		return true;
	tap_note("%s %s %08x %08x: stored v%u, %u; loaded v%u, %u",
		 cpus[cpu].name, t.inst.name, w0, w1, t.insn.stored.first,
		 t.insn.stored.count, t.insn.loaded.first, t.insn.loaded.count);
	return false;
}

static bool flats(unsigned int op, unsigned int seg, u32 saddr, u32 flags,
		  u32 bit55)
{
	bool acc = bit55 && cpus[cpu].arch != GFX9_GFX900, ok = true;
	unsigned int dst;

	for (dst = VDATA - DISTANCE; dst <= VDATA + DISTANCE; dst++)
		ok &= try(0xdc000000 | op << 18 | seg << 14 | flags,
			  dst << 24 | bit55 | saddr << 16 | VDATA << 8 | VADDR,
			  dst, flags & FLAT_GLC, !acc);
	return ok;
}

static bool all_flats(unsigned int op, unsigned int seg, u32 saddr, u32 sve)
{
	bool ok = true;
	unsigned int n;

	for (n = 0; n < 4; n++)
		ok &= flats(op, seg, saddr, sve | (n & 1 ? FLAT_GLC : 0),
			    n & 2 ? BIT55 : 0);
	return ok;
}

static bool flat_op(unsigned int op)
{
	return all_flats(op, GFX9_SEG_FLAT, 0, 0);
}

static bool global_op(unsigned int op)
{
	return all_flats(op, GFX9_SEG_GLOBAL, GFX9_SADDR_OFF, 0) &
	       all_flats(op, GFX9_SEG_GLOBAL, SADDR, 0);
}

/* gfx942 has FLAT_SVE; for others the words are illegal */
static bool scratch_op(unsigned int op)
{
	return all_flats(op, GFX9_SEG_SCRATCH, GFX9_SADDR_OFF, 0) &
	       all_flats(op, GFX9_SEG_SCRATCH, SADDR, 0) &
	       all_flats(op, GFX9_SEG_SCRATCH, GFX9_SADDR_OFF, FLAT_SVE) &
	       all_flats(op, GFX9_SEG_SCRATCH, SADDR, FLAT_SVE);
}

static bool buffer_op(unsigned int op)
{
	bool ok = true;
	unsigned int n;

	for (n = 0; n < 32; n++)
		ok &= try(0xe0000000 | op << 18 | (n & 1 ? OFFEN : 0) |
			  (n & 2 ? IDXEN : 0) | (n & 4 ? GLC : 0) |
			  (n & 8 ? LDS : 0),
			  (u32)SOFFSET << 24 | (n & 16 ? BIT55 : 0) |
			  SRSRC / 4 << 16 | VDATA << 8 | VADDR,
			  VDATA, n & 4, !(n & (8 | 16)));
	return ok;
}

static const struct {
	const char *name;
	enum gfx9_fmt fmt;
	unsigned int seg;
	bool (*try)(unsigned int op);
} encodings[] = {
	{ "FLAT", GFX9_FLAT, GFX9_SEG_FLAT, flat_op },
	{ "GLOBAL", GFX9_FLAT, GFX9_SEG_GLOBAL, global_op },
	{ "SCRATCH", GFX9_FLAT, GFX9_SEG_SCRATCH, scratch_op },
	{ "MUBUF", GFX9_MUBUF, 0, buffer_op },
};

/* one opcode in all its forms; without data exactly if it is listed */
static bool op_ok(unsigned int e, unsigned int op, unsigned int *nr)
{
	const struct gfx9_op *row = gfx9_op_find(cpus[cpu].arch,
						 encodings[e].fmt,
						 encodings[e].seg, op);

	if (!row || row->kind == GFX9_MEM_NONE)
		return true;
	++*nr;
	found[op] = 0;
	if (!encodings[e].try(op))
		return false;
	if (!found[op] == is_listed(row->name))
		return true;
	tap_note("%s: %s", row->name,
		 found[op] ? "is listed, but has data" : "has no data");
	return false;
}

static void encoding(unsigned int e, unsigned int least)
{
	unsigned int op, nr = 0;
	bool ok = true;

	for (op = 0; op < NR_OPS; op++)
		ok &= op_ok(e, op, &nr);
	tap_ok(ok && nr >= least, "%s, %s: %u opcodes", cpus[cpu].name,
	       encodings[e].name, nr);
}

int main(void)
{
	static const unsigned int least[] = { 48, 48, 22, 67 };
	unsigned int n;

	code = machine_map(CODE, 64);
	memory = machine_map(BASE, SIZE);
	w = machine_wave(SIM_NR_VGPRS);
	w->acc_offset = SIM_NR_VGPRS / 2;
	tap_plan(ARRAY_SIZE(cpus) * ARRAY_SIZE(encodings) +
		 ARRAY_SIZE(no_data) + 1);
	for (cpu = 0; cpu < ARRAY_SIZE(cpus); cpu++)
		for (n = 0; n < ARRAY_SIZE(encodings); n++)
			encoding(n, least[n]);
	for (n = 0; n < ARRAY_SIZE(no_data); n++)
		tap_ok(nr_matches[n], "no data: %s: %s", no_data[n].pattern,
		       no_data[n].reason);
	tap_ok(nr_stored > 5000 && nr_loaded > 5000 && nr_none > 1000,
	       "%u times stored, %u loaded, %u forms without data", nr_stored,
	       nr_loaded, nr_none);
	machine_reset();
	return tap_status();
}
