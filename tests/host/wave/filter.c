// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that the trap handler of isa/gfx9 decides: random accesses, of which the
 * core's own functions say what they touch, for each of its images.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../tap.h"
#include "hits.h"

#define BOUNDARY	0x2200000000ull		/* of 4 GiB */
#define S_TRAP_7	0xbf920007
#define TRAPSTS_AFTER_INST (1u << 25)		/* gfx942: a step was made */

/* random hits of one image */
struct sums {
	unsigned int verdicts[BROKEN + 1];
	unsigned int reasons[NR_REASONS];
	unsigned int wrong;
};

static void random_one(struct sums *s)
{
	struct gpubp_insn insn;
	enum verdict v, want;
	enum reason reason;
	struct hit h;
	bool access = random_hit(&h, &insn);

	reason = reason_of(&h, access, &insn);
	want = reason != DECIDED ? REPORTED : verdict_of(&h, is_touched(&h, &insn));
	v = hit_handle(&h);
	s->verdicts[v]++;
	s->reasons[reason]++;
	if (v != want && s->wrong++ < 5)
		hit_print(&h, reason_names[reason], v, want);
}

/* each reason occurs, but for the one that gfx942 does not have */
static bool all_reasons(const struct sums *s)
{
	unsigned int n;

	for (n = 0; n < NR_REASONS; n++)
		if (!s->reasons[n] != (n == NV_BIT && image->gfx942))
			return false;
	return true;
}

static bool random_hits(unsigned int nr)
{
	struct sums s = {};
	unsigned int n;

	for (n = 0; n < nr; n++) {
		if (n % 64 == 0)
			random_regs();
		pick_arch(n);
		start = once_in(4) ? CODE_LIKE_PARK : CODE;
		random_one(&s);
	}
	start = CODE;
	printf("# %s: %u strays, %u counted, %u recorded, %u reported, %u at the limit; undecided %u in 1000:",
	       image->name, s.verdicts[STRAY], s.verdicts[COUNTED], s.verdicts[RECORDED],
	       s.verdicts[REPORTED], s.verdicts[AT_LIMIT], (nr - s.reasons[DECIDED]) * 1000 / nr);
	for (n = 1; n < NR_REASONS; n++)
		printf(" %u %s%s", s.reasons[n], reason_names[n],
		       n == NR_REASONS - 1 ? "\n" : ",");
	return !s.wrong && s.verdicts[STRAY] > nr / 5 && s.verdicts[COUNTED] > nr / 8 &&
	       s.reasons[DECIDED] > nr * 7 / 10 && (nr < 4000 || all_reasons(&s));
}

/* ---- one lane, one range ---------------------------------------------------- */

static enum verdict range_verdict(struct hit h, u64 first, u64 last, u32 kinds)
{
	h.filter.range[0] = (struct gpubp_handler_range) {
		first, last | (u64)kinds << GPUBP_HANDLER_KINDS_SHIFT,
	};
	return hit_handle(&h);
}

/* its width and kind are those of the core's table */
static bool row_agrees(const struct gfx9_op *row, u32 word0, u32 word1)
{
	struct hit h = plain_hit(word0, word1);
	u32 kind = 1u << (row->kind - GFX9_MEM_LOAD), n;
	bool ok = true;

	for (n = 1; n <= GPUBP_ACCESS_ATOMIC; n *= 2)
		ok &= range_verdict(h, ADDR + row->width - 1, ADDR + 64, n) ==
		      (n == kind ? COUNTED : STRAY);
	return ok && range_verdict(h, ADDR + row->width, ADDR + 64, 7) == STRAY &&
	       range_verdict(h, ADDR, ADDR, 7) == COUNTED &&
	       range_verdict(h, ADDR - 9, ADDR - 1, 7) == STRAY;
}

/* and so are the registers that it writes */
static bool returned_agree(u32 word0, u32 word1)
{
	struct gpubp_insn insn;
	struct hit h;
	u32 dst, acc;
	bool ok = true;

	for (dst = VADDR - 6; dst < VADDR + 4; dst++)
		for (acc = 0; acc <= BIT_ACC; acc += BIT_ACC) {
			h = plain_hit(word0, word1 | dst << 24 | acc);
			if (isa->access_before(h.words, 8, &insn) != 8)
				continue;
			ok &= (hit_handle(&h) == REPORTED) ==
			      (insn.clobbers_addr || acc_overlaps(&h));
		}
	return ok;
}

static bool opcode_agrees(unsigned int seg, unsigned int op)
{
	const struct gfx9_op *row = gfx9_op_find(arch, GFX9_FLAT, seg, op);
	u32 word0 = FLAT(op, seg), word1 = (seg ? SADDR_OFF : 0) | VADDR;
	struct hit h = plain_hit(word0, word1 | 30 << 24);

	if (seg == GFX9_SEG_SCRATCH || (!row && !has_opcode(image, seg, op) &&
					!has_opcode(image, seg ^ 2, op)))
		return hit_handle(&h) == REPORTED;
	if (!row)	/* of a processor that it is not on */
		return true;
	sim_set_pair(w, SBASE, ADDR - 7);
	w->v[30][0] = 7;
	return row_agrees(row, word0, word1 | 30 << 24) &&
	       returned_agree(word0, word1) && returned_agree(word0 | BIT_GLC, word1) &&
	       (!seg || (row_agrees(row, word0, SBASE << 16 | 50 << 24 | 30) &&
			 returned_agree(word0 | BIT_GLC, SBASE << 16 | VADDR)));
}

static bool opcodes_agree(void)
{
	unsigned int n, seg, op;
	bool ok = true;

	for (n = 0; n < image->nr_arch; n++) {
		pick_arch(n);
		for (op = 0; op < 128; op++)
			for (seg = GFX9_SEG_FLAT; seg <= GFX9_SEG_GLOBAL; seg++)
				if (!opcode_agrees(seg, op)) {
					printf("# %s: opcode %u, segment %u\n", isa->name,
					       op, seg);
					ok = false;
				}
	}
	return ok;
}

/* a base is a pair of SGPRs, or none */
static bool bases_agree(void)
{
	unsigned int n;
	bool ok = true;

	w->v[30][0] = 7;
	for (n = 0; n < 127; n++) {
		struct hit h = plain_hit(FLAT(28, GFX9_SEG_GLOBAL), n << 16 | 30);
		bool plain = n <= LAST_SADDR && n % 2 == 0;

		sim_set_pair(w, 0, ADDR - 7);	/* what is read beyond the last */
		if (n < GFX9_SRC_TTMP)
			sim_set_pair(w, n, ADDR - 7);
		ok &= hit_handle(&h) == (plain ? COUNTED : REPORTED);
	}
	return ok;
}

/* the last bytes of an access are behind a 4 GiB boundary, where its address is not */
static bool crosses_boundary(void)
{
	struct hit h = plain_hit(FLAT(31, GFX9_SEG_GLOBAL), SADDR_OFF | VADDR);
	u64 at = BOUNDARY - 8;
	bool ok;

	h.filter.range[0] = (struct gpubp_handler_range) {
		BOUNDARY + 7, (BOUNDARY + 7) | 7ull << GPUBP_HANDLER_KINDS_SHIFT,
	};
	set_lane0(at);
	ok = hit_handle(&h) == COUNTED;
	set_lane0(at - 1);
	ok &= hit_handle(&h) == STRAY;
	h.words[1] = SBASE << 16 | 30;
	w->v[30][0] = 0;
	sim_set_pair(w, SBASE, at);
	ok &= hit_handle(&h) == COUNTED;
	sim_set_pair(w, SBASE, at - 1);
	return ok && hit_handle(&h) == STRAY;
}

/* an s_trap in front of such a boundary: the wave goes on behind it */
static bool traps_at_boundary(void)
{
	struct hit h = { { S_NOP, S_NOP }, .exec = 1 };
	bool ok;

	start = BOUNDARY - 12;
	hit_prepare(&h, 0);
	memcpy(machine_at(start + 8, 8), (u32[]){ S_TRAP_7, S_NOP }, 8);
	hit_run();
	ok = w->pc == BOUNDARY && state_kept() &&
	     !(w->status & STATUS_HALT) == image->second;
	start = CODE;
	return ok;
}

/* ---- as without a filter ----------------------------------------------------- */

static bool without_ranges(void)
{
	struct hit h = store_hit();
	bool ok;

	set_lane0(0);
	h.filter.nr = 0;
	h.words[0] = S_NOP;
	ok = hit_handle(&h) == COUNTED;
	h.counter.limit = 0;
	return ok && hit_handle(&h) == REPORTED;
}

static bool at_a_limit(void)
{
	struct hit h = store_hit();

	h.counter.limit = h.counter.value;
	if (image->second)
		return hit_handle(&h) == COUNTED;
	return hit_handle(&h) == AT_LIMIT && !counter(h.slot)->value;
}

/* both are reported, and neither is counted or a stray */
static bool two_at_once(void)
{
	struct hit h = store_hit();

	set_lane0(ADDR + 32);
	hit_prepare(&h, slot_bit(h.slot) | slot_bit(0));
	*filter(0) = h.filter;
	memcpy(tma_before, tma, TMA_SIZE);
	return hit_run() == SIM_STOP_HALTED &&
	       hit_reported(1u << h.slot | 1) == REPORTED && state_kept() &&
	       memory_kept(h.slot) && filter(h.slot)->strays == h.filter.strays &&
	       counter(h.slot)->value == h.counter.value && w->trapsts == STICKY;
}

/* the step's bit of TRAPSTS, where there is one, is not left behind */
static bool step_is_reported(u32 mode)
{
	bool has_bit = image->gfx942 && image->nr_slots == 4;
	struct hit h = store_hit();

	set_lane0(ADDR + 32);
	hit_prepare(&h, slot_bit(h.slot));
	before.mode = w->mode |= mode;
	w->trapsts |= has_bit ? TRAPSTS_AFTER_INST : 0;
	if (image->gfx942)
		before.s[SIM_TTMP_FIRST + 13] = *ttmp(13) |= GFX942_TTMP13_STEPPED;
	else
		before.s[SIM_TTMP_FIRST + 11] = *ttmp(11) |= GFX9_TTMP11_STEPPED;
	return hit_run() == SIM_STOP_HALTED && state_kept() && memory_kept(h.slot) &&
	       filter(h.slot)->strays == h.filter.strays && w->trapsts == STICKY;
}

/* gfx942: also if the instruction that was stepped has cleared MODE.DEBUG_EN */
static bool in_a_step(void)
{
	return step_is_reported(MODE_DEBUG_EN) && (!image->gfx942 || step_is_reported(0));
}

/* no lane is active: no lane touches anything */
static bool no_lanes(void)
{
	struct hit h = store_hit();

	h.exec = 0;
	return hit_handle(&h) == STRAY;
}

/* the process's waves can write it: the handler ends, whatever it decides */
static bool forged(void)
{
	struct hit h = store_hit();
	unsigned int n;

	for (n = 0; n < 100; n++) {
		h.filter.nr = n ? (u32)rnd() : ~0u;
		for (unsigned int r = 0; r < GPUBP_HANDLER_RANGES; r++) {
			h.filter.range[r].first = rnd();
			h.filter.range[r].last = rnd();
		}
		if (hit_handle(&h) == BROKEN)
			return false;
	}
	return true;
}

/* ---- what it takes ------------------------------------------------------------ */

static unsigned int insts(struct hit *h, enum verdict want)
{
	return hit_handle(h) == want ? nr_insts : 0;
}

/* ranges in front of which the lane is */
static unsigned int insts_of_stray(u32 word1, unsigned int nr)
{
	struct hit h = plain_hit(FLAT(28, GFX9_SEG_GLOBAL), word1);
	unsigned int n;

	h.filter.nr = nr;
	for (n = 0; n < nr; n++)
		h.filter.range[n] = (struct gpubp_handler_range) {
			ADDR + 16, (ADDR + 16) | 7ull << GPUBP_HANDLER_KINDS_SHIFT,
		};
	return insts(&h, STRAY);
}

static bool costs(void)
{
	u32 pair = SADDR_OFF | VADDR, based = SBASE << 16 | 30;
	unsigned int stray[2], more[2], kind, counted[2], plain;
	struct hit h = store_hit();

	sim_set_pair(w, SBASE, ADDR - 7);
	w->v[30][0] = 7;
	stray[0] = insts_of_stray(pair, 1);
	stray[1] = insts_of_stray(based, 1);
	more[0] = DIV_ROUND_UP(insts_of_stray(pair, 8) - stray[0], 7);
	more[1] = DIV_ROUND_UP(insts_of_stray(based, 8) - stray[1], 7);
	counted[0] = insts(&h, COUNTED);
	h.words[1] = based;
	counted[1] = insts(&h, COUNTED);
	h.filter.range[0].last &= ~((u64)GPUBP_ACCESS_STORE << GPUBP_HANDLER_KINDS_SHIFT);
	kind = insts(&h, STRAY);
	h.filter.nr = 0;
	plain = insts(&h, COUNTED);
	printf("# %s, %s: wave instructions: a stray %u, with a base %u, of another kind %u\n",
	       image->name, isa->name, stray[0], stray[1], kind);
	printf("#   each further range %u, with a base %u; counted %u, with a base %u\n",
	       more[0], more[1], counted[0], counted[1]);
	printf("#   counted without ranges %u\n", plain);
	return stray[1] && kind && counted[1] && plain &&
	       cost_is_within(stray[0], MAX_STRAY) &&
	       cost_is_within(counted[0], MAX_COUNTED) &&
	       more[0] <= MAX_FURTHER;
}

static void image_test(const char *nr)
{
	tap_ok(random_hits(nr ? atoi(nr) : 4000), "%s: random hits", image->name);
	tap_ok(opcodes_agree(), "%s: each opcode", image->name);
	pick_arch(image->nr_arch - 1);
	tap_ok(bases_agree(), "%s: each base", image->name);
	tap_ok(crosses_boundary(), "%s: bytes behind a boundary of 4 GiB", image->name);
	tap_ok(traps_at_boundary(), "%s: s_trap in front of it", image->name);
	tap_ok(without_ranges(), "%s: no ranges: counted, reported", image->name);
	tap_ok(at_a_limit(), "%s: the limit", image->name);
	tap_ok(two_at_once(), "%s: two comparators at once", image->name);
	tap_ok(in_a_step(), "%s: in a step", image->name);
	tap_ok(no_lanes(), "%s: no lane is active", image->name);
	tap_ok(forged(), "%s: any memory", image->name);
	tap_ok(in_each_arch(costs), "%s: what it takes", image->name);
}

int main(void)
{
	const char *nr = getenv("FILTER_HITS");
	unsigned int n;

	tap_plan(12 * NR_IMAGES);
	for (n = 0; n < NR_IMAGES; n++) {
		image_load(&images[n]);
		machine_map(BOUNDARY - 12, 16);
		image_test(nr);
	}
	return tap_status();
}
