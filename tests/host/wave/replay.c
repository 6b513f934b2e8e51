// SPDX-License-Identifier: GPL-2.0
/*
 * The trap handlers of isa/gfx9 as hardware may execute their scalar accesses: again,
 * with all that follow each other (a clause), when a page was missing (XNACK). Until
 * a load is done, nothing may change its address: neither its own result, of which
 * parts may be there, nor another instruction. A single dword may come in place of
 * its offset: it comes as a whole. An atomic is in no clause with others, because it
 * must not be done twice.
 */
#include <stdio.h>
#include <string.h>
#include "../tap.h"
#include "hits.h"

#define MAX_LOADS	8	/* that are in flight */

struct regs {
	unsigned int first, nr;
};

/**
 * struct load - a scalar load
 * @to: where to
 * @base: of the address
 * @offset: a register, or none
 */
struct load {
	struct regs to, base, offset;
};

/* of one image, in the order of its text */
struct walk {
	struct load flying[MAX_LOADS];
	unsigned int nr_flying, nr_loads, nr_waits, nr_atomics;
	bool behind_smem, behind_atomic, ok;
};

static bool overlap(struct regs a, struct regs b)
{
	return a.first < b.first + b.nr && b.first < a.first + a.nr;
}

/* dwords of a load, 0: it is none */
static unsigned int loaded(const struct gfx9_inst *inst)
{
	unsigned int nr = 1;

	if (inst->fmt != GFX9_SMEM || strncmp(inst->name, "s_load_dword", 12))
		return 0;
	sscanf(inst->name, "s_load_dwordx%u", &nr);
	return nr;
}

static struct load load_of(const struct gfx9_inst *inst, unsigned int nr)
{
	return (struct load) {
		.to = { inst->dst, nr },
		.base = { inst->saddr, 2 },
		.offset = { inst->soffset, inst->soe || !inst->imm },
	};
}

static bool keeps_own_address(const struct load *l)
{
	return !overlap(l->to, l->base) && (l->to.nr == 1 || !overlap(l->to, l->offset));
}

static bool spares_flying(const struct walk *w, struct regs written)
{
	unsigned int n;

	for (n = 0; n < w->nr_flying; n++)
		if (overlap(written, w->flying[n].base) ||
		    overlap(written, w->flying[n].offset))
			return false;
	return true;
}

static bool is_scalar_result(const struct gfx9_inst *inst)
{
	return (inst->fmt == GFX9_SOP1 || inst->fmt == GFX9_SOP2 || inst->fmt == GFX9_SOPK) &&
	       strncmp(inst->name, "s_setreg", 8) && strncmp(inst->name, "s_setpc", 7);
}

/* scalar registers that it writes at once; compares write masks of 64 lanes */
static struct regs written(const struct gfx9_inst *inst)
{
	unsigned int nr = 0;

	if (inst->fmt == GFX9_VOP3 && !strncmp(inst->name, "v_cmp", 5))
		nr = 2;
	else if (is_scalar_result(inst))
		nr = strstr(inst->name, "64") ? 2 : 1;
	return (struct regs) { inst->dst, nr };
}

static bool waits_for_all(const struct gfx9_inst *inst)
{
	return inst->fmt == GFX9_SOPP && !strcmp(inst->name, "s_waitcnt") &&
	       !(inst->simm16 >> 8 & 0xf);
}

static void walk_clause(struct walk *w, const struct gfx9_inst *inst)
{
	bool smem = inst->fmt == GFX9_SMEM;
	bool atomic = smem && !strncmp(inst->name, "s_atomic", 8);

	if (smem && (w->behind_atomic || (atomic && w->behind_smem)))
		w->ok = false;
	w->behind_smem = smem;
	w->behind_atomic = atomic;
	w->nr_atomics += atomic;
}

static void walk_inst(struct walk *w, const struct gfx9_inst *inst)
{
	unsigned int nr = loaded(inst);
	struct load l;

	walk_clause(w, inst);
	if (waits_for_all(inst)) {
		w->nr_waits += !!w->nr_flying;
		w->nr_flying = 0;
	}
	if (!spares_flying(w, written(inst)))
		w->ok = false;
	if (!nr)
		return;
	l = load_of(inst, nr);
	w->nr_loads++;
	w->ok &= keeps_own_address(&l) && spares_flying(w, l.to) && w->nr_flying < MAX_LOADS;
	if (w->ok)
		w->flying[w->nr_flying++] = l;
}

/* the table of opcodes in it has no loads: they have zeroes in front */
static bool loads_can_be_replayed(const u32 *words, unsigned int nr)
{
	struct walk w = { .ok = true };
	struct gfx9_inst inst;
	unsigned int n;

	for (n = 0; n < nr && w.ok; n += inst.len / 4) {
		if (gfx9_decode(arch, words + n, nr - n, &inst) > 0)
			walk_inst(&w, &inst);
	}
	printf("# %s: %u loads, waited for %u times, %u atomics\n", image->name, w.nr_loads,
	       w.nr_waits, w.nr_atomics);
	if (!w.ok)
		printf("# not in front of %x\n", n * 4);
	return w.ok && w.nr_loads > 10 && w.nr_waits > 5 && w.nr_atomics > 3;
}

int main(void)
{
	unsigned int n, a;

	tap_plan(NR_IMAGES);
	for (n = 0; n < NR_IMAGES; n++) {
		bool ok = true;

		image_load(&images[n]);
		for (a = 0; a < image->nr_arch; a++) {
			const struct gpubp_handler *h = image->isa[a]->handler;

			pick_arch(a);
			ok &= loads_can_be_replayed(image->second ? h->second : h->image,
						    image->second ? h->nr_second :
								    h->nr_words);
		}
		tap_ok(ok, "%s: what it accesses can be accessed again", image->name);
	}
	return tap_status();
}
