// SPDX-License-Identifier: GPL-2.0
/*
 * Random words as programs: for any of them the interpreter returns within its
 * budget, does not access host memory, and keeps privileged state as specified.
 * Some words are changed to have a known encoding, or most would be illegal.
 */
#include <stdlib.h>
#include <string.h>
#include "../tap.h"
#include "machine.h"

#define CODE		0x100000000ull
#define CODE_WORDS	64
#define DATA		0x7f0000aa0000ull
#define DATA_SIZE	0x4000
#define HANDLER		0x600000100000ull
#define NR_VGPRS	24
#define BUDGET		400
#define PROGRAMS	60000

static unsigned long long seed = 0xabcdef0123456789;
static struct sim_wave *w;
static u8 *code, *handler;

static u64 rnd(void)
{
	return tap_random(&seed);
}

/* mask and value of the encodings; vector encodings more often */
static const struct { u32 mask, match; } encodings[] = {
	{ 0xfe000000, 0x7e000000 }, { 0xfe000000, 0x7c000000 },
	{ 0x80000000, 0x00000000 }, { 0xff800000, 0xbe800000 },
	{ 0xff800000, 0xbf000000 }, { 0xff800000, 0xbf800000 },
	{ 0xf0000000, 0xb0000000 }, { 0xc0000000, 0x80000000 },
	{ 0xfc000000, 0xc0000000 }, { 0xff800000, 0xd3800000 },
	{ 0xfc000000, 0xd0000000 }, { 0xfc000000, 0xd8000000 },
	{ 0xfc000000, 0xdc000000 }, { 0xfc000000, 0xe0000000 },
	{ 0xfffe0000, 0xd1000000 }, { 0xff000000, 0xd1000000 },
};

static u32 random_word(void)
{
	u64 r = rnd();
	u32 word = r, n = (r >> 32) % (2 * sizeof(encodings) /
				       sizeof(encodings[0]));

	if (n < sizeof(encodings) / sizeof(encodings[0]))
		word = (word & ~encodings[n].mask) | encodings[n].match;
	/* small register numbers, which are more often legal */
	if (r >> 40 & 1)
		word &= 0xfff71f1f;
	return word;
}

static void random_program(u8 *to, unsigned int nr)
{
	u32 word;

	while (nr--) {
		word = random_word();
		memcpy(to + 4 * nr, &word, 4);
	}
}

static void random_state(bool traps)
{
	unsigned int reg, lane;

	for (reg = 0; reg < 128; reg++)
		w->s[reg] = rnd() >> (rnd() & 31);
	for (reg = 0; reg < NR_VGPRS; reg++)
		for (lane = 0; lane < SIM_LANES; lane++)
			w->v[reg][lane] = rnd();
	for (reg = 0; reg < NR_VGPRS; reg += 2)
		for (lane = 0; lane < SIM_LANES; lane++)
			if (!(lane & 3)) {
				w->v[reg][lane] = (u32)DATA + rnd() % DATA_SIZE;
				w->v[reg + 1][lane] = DATA >> 32;
			}
	w->mode = rnd();
	w->status = STATUS_VALID | (traps ? STATUS_TRAP_EN : 0) | (rnd() & 0x801);
	w->trapsts = w->pending = w->skid = 0;
	w->in_barrier = false;
	w->single_memop = rnd() & 1;
	w->tba = traps ? HANDLER : 0;
	w->tma = DATA;
	w->arch = rnd() & 1 ? GFX9_GFX90A : GFX9_GFX900;
	w->pc = CODE;
}

static bool one_program(bool traps)
{
	u64 before = w->nr_insts;
	u32 ttmps[16], tma_lo = w->tma;
	enum sim_stop stop;

	random_program(code, CODE_WORDS);
	random_program(handler, CODE_WORDS);
	random_state(traps);
	memcpy(ttmps, &w->s[108], sizeof(ttmps));
	stop = sim_wave_run(w, BUDGET);
	if (w->nr_insts - before > BUDGET || stop > SIM_STOP_FATAL)
		return false;
	if (!traps && (memcmp(ttmps, &w->s[108], sizeof(ttmps)) ||
		       (w->status & STATUS_PRIV)))
		return false;
	return (w->status & STATUS_VALID) && (tma_lo || w->tma == DATA);
}

/* each encoding with every opcode once, all other bits random */
static bool sweep(void)
{
	unsigned int n, op, k;
	u32 words[2];

	for (n = 0; n < sizeof(encodings) / sizeof(encodings[0]); n++)
		for (op = 0; op < 4096; op++) {
			random_state(op & 1);
			words[0] = (rnd() & 0x0000ffff) | op << 16;
			words[0] = (words[0] & ~encodings[n].mask) |
				   encodings[n].match;
			words[1] = rnd();
			for (k = 0; k < 2; k++)
				if (op & 2)
					words[k] &= 0xffff1f1f;
			memcpy(code, words, 8);
			sim_wave_run(w, 1);
		}
	return true;
}

#define SINGLES		1000000
#define S_TRAP		0xbf920000

/* results of an instruction that are allowed; others are interpreter bugs */
static bool ended_well(enum sim_stop stop)
{
	const u32 events = TRAPSTS_ILLEGAL_INST | TRAPSTS_MEM_VIOL |
			   TRAPSTS_WATCH;

	if (stop == SIM_STOP_FATAL && !w->fatal_trapsts)
		return (((u32 *)code)[0] & 0xffff0000) == S_TRAP;
	if (stop == SIM_STOP_FATAL)
		return w->fatal_trapsts & events;
	return stop <= SIM_STOP_BARRIER;
}

/* one instruction from a random state; an illegal one must not change it */
static bool single(unsigned int n, unsigned int *nr_legal)
{
	enum sim_stop stop;
	u32 before[128];

	random_program(code, 3);
	if (n % 16 == 0)
		random_state(false);
	w->pc = CODE;
	w->trapsts = w->pending = w->skid = w->fatal_trapsts = 0;
	w->in_barrier = false;
	w->status &= ~STATUS_HALT;
	memcpy(before, w->s, sizeof(before));
	stop = sim_wave_run(w, 1);
	if (w->trapsts & TRAPSTS_ILLEGAL_INST)
		return w->pc == CODE && !memcmp(before, w->s, sizeof(before));
	++*nr_legal;
	return ended_well(stop) && (w->status & STATUS_VALID) &&
	       !(w->status & STATUS_PRIV);
}

static void singles(void)
{
	unsigned int n, nr_legal = 0;
	bool ok = true;

	for (n = 0; n < SINGLES && ok; n++) {
		ok = single(n, &nr_legal);
		if (!ok)
			tap_note("%08x %08x", ((u32 *)code)[0], ((u32 *)code)[1]);
	}
	tap_ok(ok && nr_legal > SINGLES / 10, "%u instructions, %u legal", n,
	       nr_legal);
}

int main(int argc, char **argv)
{
	unsigned int n;
	bool ok;

	code = machine_map(CODE, CODE_WORDS * 4);
	handler = machine_map(HANDLER, CODE_WORDS * 4);
	machine_map(DATA, DATA_SIZE);
	machine.watch[0] = (struct watch){ true, DATA, ~0xfffull, 3 };
	w = machine_wave(NR_VGPRS);
	w->acc_offset = 16;
	tap_plan(4);
	tap_ok(sweep(), "every opcode of every encoding");
	for (ok = true, n = 0; n < PROGRAMS && ok; n++)
		ok = one_program(false);
	tap_ok(ok, "random programs, no handler");
	for (ok = true, n = 0; n < PROGRAMS && ok; n++)
		ok = one_program(true);
	tap_ok(ok, "random programs, random handlers");
	singles();
	machine_reset();
	return tap_status();
}
