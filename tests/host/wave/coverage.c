// SPDX-License-Identifier: GPL-2.0
/*
 * Every opcode that the decoder knows is executed by the interpreter or listed
 * here with a reason: one instruction each, for each processor.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include "isa/gfx9/ops.h"
#include "../tap.h"
#include "machine.h"

#define CODE		0x100000000ull
#define DATA		0x7f0000a00000ull
#define DATA_SIZE	0x40000
#define NR_VGPRS	256
#define ARCHS		GFX9_ANY

/* legal for the decoder and on silicon, illegal for the interpreter */
static const struct left_out {
	const char *pattern, *reason;
} left_outs[] = {
	{ "v_mfma_*", "matrix operations on accumulation registers" },
	{ "v_smfmac_*", "sparse matrices" },
	{ "v_cvt_*fp8*", "floats of 8 bits" },
	{ "v_cvt_*bf8*", "floats of 8 bits" },
	{ "v_dot*", "dot products of packed numbers" },
	{ "v_pk_fmac_f16", "not in any program of LLVM's" },
	{ "v_cube*", "graphics" },
	{ "v_screen_partition_4se_b32", "graphics" },
	{ "v_cvt_norm_*", "packing of colours" },
	{ "v_cvt_pknorm_*", "packing of colours" },
	{ "v_cvt_pk_u8_f32", "packing of colours" },
	{ "v_cvt_pkaccum_u8_f32", "packing of colours" },
	{ "v_qsad_pk_u16_u8", "video" },
	{ "v_mqsad_*", "video" },
	{ "s_rfe_restore_b64", "not in amdgpu's nor ROCr's handlers" },
	{ "s_atc_probe*", "address translation without an access" },
	{ "s_scratch_*", "scalar access to private memory" },
	{ "ds_gws_sema_*", "semaphores of global wave sync" },
	{ "ds_*_src2_*", "LDS to LDS" },
	{ "ds_condxchg32_rtn_b64", "ordered LDS exchange" },
	{ "ds_consume", "append and consume counters" },
	{ "ds_append", "append and consume counters" },
	{ "ds_ordered_count", "GDS" },
	{ "buffer_*_format_*", "typed buffers" },
	{ "buffer_store_lds_dword", "memory to LDS and back" },
};

#define NR_LEFT_OUTS	(sizeof(left_outs) / sizeof(left_outs[0]))

static unsigned int used[NR_LEFT_OUTS];
static struct sim_wave *w;
static u8 *code;

static const struct left_out *left_out(const char *name)
{
	unsigned int n;

	for (n = 0; n < NR_LEFT_OUTS; n++)
		if (!fnmatch(left_outs[n].pattern, name, 0)) {
			used[n]++;
			return &left_outs[n];
		}
	return NULL;
}

static void set_pair(unsigned int reg, u64 val)
{
	w->s[reg] = val;
	w->s[reg + 1] = val >> 32;
}

/* v[0:1] and s[8:9] address memory, s[24:27] describe it, v2 is an offset */
static void prepare(enum gfx9_arch arch)
{
	unsigned int lane;

	memset(w->s, 0, sizeof(w->s));
	memset(w->v, 0, NR_VGPRS * sizeof(*w->v));
	for (lane = 0; lane < SIM_LANES; lane++) {
		w->v[0][lane] = (u32)DATA + 64 * lane;
		w->v[1][lane] = DATA >> 32;
		w->v[2][lane] = 64 * lane;
	}
	set_pair(8, DATA);
	set_pair(24, DATA);
	w->s[26] = DATA_SIZE;
	set_pair(GFX9_SRC_FLAT_SCRATCH, DATA);
	set_pair(GFX9_SRC_EXEC, ~0ull);
	w->arch = arch;
	w->acc_offset = NR_VGPRS / 2;
	w->status = STATUS_VALID | STATUS_PRIV;
	w->mode = MODE_FP_DENORM | MODE_IEEE | MODE_DX10_CLAMP;
	w->trapsts = w->pending = w->fatal_trapsts = 0;
	w->in_barrier = false;
	w->pc = CODE;
}

static bool executes(enum gfx9_arch arch, u32 w0, u32 w1)
{
	u32 words[3] = { w0, w1, 0 };

	memcpy(code, words, sizeof(words));
	prepare(arch);
	sim_wave_run(w, 1);
	return !(w->trapsts & TRAPSTS_ILLEGAL_INST);
}

#define V(n)		(GFX9_SRC_VGPR + (n))
#define PATTERNS	7

/**
 * struct form - how to encode the opcodes of an encoding
 * @fmt: encoding
 * @seg: segment
 * @base: first dword
 * @shift: position of its opcode
 * @nr: opcodes
 * @bits: other operands; an opcode counts as executed if it is with one of them
 */
static const struct form {
	enum gfx9_fmt fmt;
	unsigned int seg;
	u32 base;
	unsigned int shift, nr;
	struct { u32 w0, w1; } bits[PATTERNS];
} forms[] = {
	{ GFX9_SOP1, 0, 0xbe800000, 8, 256, { { 4 << 16 | 8 } } },
	{ GFX9_SOP2, 0, 0x80000000, 23, 96, { { 4 << 16 | 10 << 8 | 8 } } },
	{ GFX9_SOPK, 0, 0xb0000000, 23, 29, { { 4 << 16 | 1 } } },
	{ GFX9_SOPC, 0, 0xbf000000, 16, 128, { { 10 << 8 | 8 } } },
	{ GFX9_SOPP, 0, 0xbf800000, 16, 128, { { 0 } } },
	{ GFX9_SMEM, 0, 0xc0000000, 18, 256,
	  { { 0x20000 | 32 << 6 | 4 }, { 0x20000 | 32 << 6 | 12 }, { 0 } } },
	{ GFX9_VOP1, 0, 0x7e000000, 9, 256, { { 4 << 17 | V(8) }, { 0 } } },
	{ GFX9_VOP2, 0, 0x00000000, 25, 62, { { 4 << 17 | 10 << 9 | V(8) } } },
	{ GFX9_VOPC, 0, 0x7c000000, 17, 256, { { 10 << 9 | V(8) } } },
	{ GFX9_VOP3, 0, 0xd0000000, 16, 896,
	  { { 4, V(8) | V(10) << 9 | V(12) << 18 },
	    { 4, V(8) | V(10) << 9 | 12 << 18 },
	    { 4, V(8) | V(10) << 9 },
	    { 4, V(8) | 10 << 9 },
	    { 4, 8 | 10 << 9 },
	    { 4, V(8) },
	    { 0, 0 } } },
	{ GFX9_VOP3P, 0, 0xd3800000, 16, 128,
	  { { 4, V(8) | V(10) << 9 | V(12) << 18 },
	    { 4, V(8) | V(10) << 9 },
	    { 4, V(8) } } },
	{ GFX9_DS, 0, 0xd8000000, 17, 256,
	  { { 0, 2 | 8 << 8 | 12 << 16 | 16 << 24 },
	    { 0, 2 | 8 << 8 | 12 << 16 },
	    { 0, 2 | 8 << 8 | 16 << 24 },
	    { 0, 2 | 8 << 8 },
	    { 0, 2 | 16 << 24 },
	    { 0, 0 },
	    { 0x10000, 2 } } },
	{ GFX9_FLAT, GFX9_SEG_FLAT, 0xdc000000, 18, 128,
	  { { 0, 8 << 8 | 16 << 24 } } },
	{ GFX9_FLAT, GFX9_SEG_SCRATCH, 0xdc004000, 18, 128,
	  { { 0, 2 | 8 << 8 | 0x7f << 16 | 16 << 24 } } },
	{ GFX9_FLAT, GFX9_SEG_GLOBAL, 0xdc008000, 18, 128,
	  { { 0, 8 << 8 | 0x7f << 16 | 16 << 24 } } },
	{ GFX9_MUBUF, 0, 0xe0000000, 18, 128,
	  { { 0x1000, 2 | 8 << 8 | 6 << 16 | 128u << 24 } } },
};

#define NR_FORMS	(sizeof(forms) / sizeof(forms[0]))

static bool any_executes(enum gfx9_arch arch, const struct form *f,
			 unsigned int op)
{
	unsigned int n;

	for (n = 0; n < PATTERNS; n++)
		if (executes(arch, f->base | op << f->shift | f->bits[n].w0,
			     f->bits[n].w1))
			return true;
	return false;
}

/* opcodes that are left out must not execute: the list is exact */
static bool as_promised(enum gfx9_arch arch, const struct form *f,
			unsigned int op, const char *name)
{
	const struct left_out *l = left_out(name);
	bool does = any_executes(arch, f, op);

	if (does == !l)
		return true;
	tap_note("%s: %s", name, l ? "listed as left out, but executes" :
				      "illegal instruction");
	return false;
}

static bool form_covered(enum gfx9_arch arch, const struct form *f,
			 unsigned int *nr)
{
	const struct gfx9_op *row;
	unsigned int op;
	bool ok = true;

	for (op = 0; op < f->nr; op++) {
		row = gfx9_op_find(arch, f->fmt, f->seg, op);
		if (!row || !(row->arch & ARCHS))
			continue;
		++*nr;
		ok &= as_promised(arch, f, op, row->name);
	}
	return ok;
}

static void processor(enum gfx9_arch arch, const char *name)
{
	unsigned int n, nr = 0;
	bool ok = true;

	for (n = 0; n < NR_FORMS; n++)
		ok &= form_covered(arch, &forms[n], &nr);
	tap_ok(ok && nr > 900, "%s: %u opcodes", name, nr);
}

int main(void)
{
	unsigned int n;
	bool ok = true;

	code = machine_map(CODE, 64);
	machine_map(DATA, DATA_SIZE);
	w = machine_wave(NR_VGPRS);
	tap_plan(4);
	processor(GFX9_GFX900, "gfx900");
	processor(GFX9_GFX90A, "gfx90a");
	processor(GFX9_GFX942, "gfx942");
	for (n = 0; n < NR_LEFT_OUTS; n++)
		ok &= used[n] > 0;
	tap_ok(ok, "what is left out exists");
	machine_reset();
	return tap_status();
}
