// SPDX-License-Identifier: GPL-2.0
/* Compares traces; knows why some differ. */
#include <linux/kernel.h>
#include <linux/string.h>

#include "differ.h"

#define INVALID	"both write VALID 0 first: amdgpu with the new mask, mode and VMID, we with none, since we invalidate all comparators before any is changed"
#define LOW	"amdgpu writes the address as it is given, low bits that the field does not have included; we write the field"

struct difference differences[] = {
	{
		" gfx9.0 ", "set_address_watch", "TCP_WATCH0_CNTL", 0,
		DIFF_BITS, 0x6fffffff, INVALID
	}, {
		" gfx10.1 gfx10.3 ", "set_address_watch", "TCP_WATCH0_CNTL", 0,
		DIFF_BITS, 0x6f7fffff, INVALID
	}, {
		" gfx10.1 gfx10.3 ", "set_address_watch", "SQ_WATCH0_CNTL", 0,
		DIFF_BITS, 0x6fffffff, INVALID
	}, {
		" gfx10.3 ", "set_address_watch", "SQ_WATCH0_CNTL", 1,
		DIFF_BITS, 0x60000000,
		"amdgpu programs gfx10.3 with the code of gfx10.1; the header of gfx10.3 has no MODE in this register, so we leave the bits 0"
	}, {
		" gfx9.0 gfx9.4.2 ", "set_address_watch", "TCP_WATCH0_ADDR_L",
		0, DIFF_BITS, 0x3f, LOW
	}, {
		" gfx9.4.3 gfx10.1 gfx10.3 gfx11 gfx12 ", "set_address_watch",
		"TCP_WATCH0_ADDR_L", 0, DIFF_BITS, 0x7f, LOW
	}, {
		" gfx10.1 gfx10.3 ", "set_address_watch", "SQ_WATCH0_ADDR_L",
		0, DIFF_BITS, 0x3f, LOW
	}, {
		" gfx9.4.2 ", "clear_address_watch", "TCP_WATCH0_CNTL", 0,
		DIFF_THEIRS, 0,
		"amdgpu calls the function of gfx9.0 here; firmware loads this register from the control word, which is 0, when it maps the process, and no queue is mapped while we change comparators"
	}, {
		" gfx9.4.2 ", "disable_debug_trap", "control word", 0,
		DIFF_BITS, 0x8,
		"amdgpu switches trap handlers off in processes whose runtime has not asked for them; ours is in use until it is removed"
	},
};

const unsigned int nr_differences = ARRAY_SIZE(differences);

/* how often the register of entry number @i was written before it */
static unsigned int nth(const struct trace *trace, unsigned int i)
{
	unsigned int j, n = 0;

	for (j = 0; j < i; j++)
		n += trace->entry[j].kind == TRACE_WRITE &&
		     trace->entry[j].reg == trace->entry[i].reg;
	return n;
}

static bool names_gen(const char *gens, const char *gen)
{
	char name[16];

	scnprintf(name, sizeof(name), " %s ", gen);
	return strstr(gens, name);
}

static const char *reg_name(const struct gpubp_amd_gen *gen,
			    const struct trace_entry *e)
{
	unsigned int slot;

	return e->kind == TRACE_RETURN ? "control word" :
	       trace_name(gen, e, &slot);
}

/* the difference that entry @i of @trace belongs to */
static struct difference *find(const struct gpubp_amd_gen *gen,
			       const char *call, const struct trace *trace,
			       unsigned int i, u8 kind)
{
	const char *reg = reg_name(gen, &trace->entry[i]);
	struct difference *d;

	for (d = differences; d < differences + nr_differences; d++)
		if (d->kind == kind && reg && !strcmp(d->reg, reg) &&
		    d->nth == nth(trace, i) && !strcmp(d->call, call) &&
		    names_gen(d->gens, gen->name))
			return d;
	return NULL;
}

/*
 * amdgpu writes comparators under no lock: in whatever part of the GPU is selected
 * by GRBM_GFX_INDEX then. We hold the lock of that register.
 */
static u8 our_locks(const struct trace_entry *theirs)
{
	return theirs->kind == TRACE_WRITE && !theirs->locks ? TRACE_GRBM :
							       theirs->locks;
}

static bool same_place(const struct trace_entry *theirs,
		       const struct trace_entry *ours)
{
	return theirs->kind == ours->kind && theirs->reg == ours->reg &&
	       theirs->xcc == ours->xcc && theirs->vmid == ours->vmid &&
	       our_locks(theirs) == ours->locks;
}

struct cursor {
	const struct gpubp_amd_gen *gen;
	const char *call;
	const struct trace *theirs;
	const struct trace *ours;
	unsigned int i;
	unsigned int j;
};

static bool align_same(struct cursor *c, struct pair *pair)
{
	u32 bits = pair->theirs->value ^ pair->ours->value;

	c->i++;
	c->j++;
	if (!bits)
		return true;
	pair->why = find(c->gen, c->call, c->theirs, c->i - 1, DIFF_BITS);
	if (!pair->why)
		return false;
	pair->why->seen |= bits;
	return !(bits & ~pair->why->bits);
}

/* one of them does something that the other one does not */
static bool align_skip(struct cursor *c, struct pair *pair)
{
	struct difference *only_they = !pair->theirs ? NULL :
		find(c->gen, c->call, c->theirs, c->i, DIFF_THEIRS);
	struct difference *only_we = !pair->ours ? NULL :
		find(c->gen, c->call, c->ours, c->j, DIFF_OURS);

	pair->why = only_they ?: only_we;
	if (only_they) {
		pair->ours = NULL;
		c->i++;
	} else if (only_we) {
		pair->theirs = NULL;
		c->j++;
	} else {
		c->i += !!pair->theirs;
		c->j += !!pair->ours;
		return false;
	}
	pair->why->seen = ~0U;
	return true;
}

static const struct trace_entry *entry(const struct trace *trace,
				       unsigned int i)
{
	return i < trace->nr ? &trace->entry[i] : NULL;
}

/**
 * traces_align() - put two traces side by side
 * @gen: generation
 * @call: function
 * @theirs: amdgpu's trace
 * @ours: ours
 * @pairs: PAIRS_MAX of them
 * @nr: how many were written
 *
 * Return: they are equal, but for differences that there should be, which are
 * marked as seen.
 */
bool traces_align(const struct gpubp_amd_gen *gen, const char *call,
		  const struct trace *theirs, const struct trace *ours,
		  struct pair *pairs, unsigned int *nr)
{
	struct cursor c = {
		.gen = gen, .call = call, .theirs = theirs, .ours = ours,
	};
	bool good = !theirs->overflow && !ours->overflow;

	for (*nr = 0; c.i < theirs->nr || c.j < ours->nr; ++*nr) {
		struct pair *pair = &pairs[*nr];

		if (*nr == PAIRS_MAX)
			return false;
		*pair = (struct pair){
			.theirs = entry(theirs, c.i), .ours = entry(ours, c.j),
		};
		if (pair->theirs && pair->ours &&
		    same_place(pair->theirs, pair->ours))
			good &= align_same(&c, pair);
		else
			good &= align_skip(&c, pair);
	}
	return good;
}
