// SPDX-License-Identifier: GPL-2.0
/* Random words: no crash, and the invariants of the headers hold for each. */
#include <stdlib.h>
#include <string.h>
#include <linux/errno.h>
#include <linux/gpubp_isa.h>
#include "gfx9.h"
#include "../tap.h"

#define ROUNDS	1000000

static u64 seed = 88172645463325252ULL;

static u32 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 16;
}

/* a heap copy of exactly @nr words: ASan detects reads beyond them */
static int decode_exactly(enum gfx9_arch arch, const u32 *words,
			  unsigned int nr, struct gfx9_inst *inst)
{
	u32 *copy = malloc(4 * nr + 1);
	int ret;

	memcpy(copy, words, 4 * nr);
	ret = gfx9_decode(arch, copy, nr, inst);
	free(copy);
	return ret;
}

static bool inst_ok(enum gfx9_arch arch, const u32 *words)
{
	struct gfx9_inst inst, again;
	int len = decode_exactly(arch, words, 2, &inst);

	if (!inst.name)
		return false;
	if (len < 0)
		return len == -EILSEQ && inst.fmt == GFX9_ILLEGAL &&
		       inst.len == 4;
	if ((len != 4 && len != 8) || inst.len != len ||
	    inst.fmt == GFX9_ILLEGAL)
		return false;
	/* exactly the words of the instruction are needed */
	return decode_exactly(arch, words, len / 4, &again) == len &&
	       !memcmp(&inst, &again, sizeof(inst)) &&
	       decode_exactly(arch, words, len / 4 - 1, &again) == -ENODATA;
}

/* exactly the values of requests */
static u32 *random_regs(const struct gpubp_reg_req *req, unsigned int nr_req)
{
	unsigned int n, nr = 0;
	u32 *regs;

	for (n = 0; n < nr_req; n++)
		nr += req[n].count *
		      (req[n].file == GPUBP_REG_VECTOR ? 64 : 1);
	regs = malloc(4 * nr + 1);
	for (n = 0; n < nr; n++)
		regs[n] = rnd();
	return regs;
}

static bool data_ok(const struct gpubp_insn *insn, bool loaded)
{
	const struct gpubp_reg_req *req = loaded ? &insn->loaded : &insn->stored;
	u32 *regs = random_regs(req, 1);
	u8 bytes[GPUBP_MAX_DATA];
	unsigned int nr = gpubp_isa_gfx90a.lane_data(insn, loaded, regs,
						     rnd() % 64, bytes);

	free(regs);
	return nr == (req->count ? insn->width : 0) &&
	       req->first + req->count <= 256;
}

static bool insn_ok(const u32 *words)
{
	u64 addrs[GPUBP_MAX_LANES], exec = rnd() | (u64)rnd() << 32, lanes;
	struct gpubp_insn insn;
	u32 *regs;

	if (gpubp_isa_gfx90a.access_before(words, 8, &insn) < 0)
		return true;
	if (!insn.is_access || insn.len != 8 || !insn.access || !insn.width ||
	    insn.nr_regs > GPUBP_MAX_REG_REQS || insn.changes_pc)
		return false;
	regs = random_regs(insn.regs, insn.nr_regs);
	lanes = gpubp_isa_gfx90a.lane_addrs(&insn, regs, exec, addrs);
	free(regs);
	return !(lanes & ~exec) && data_ok(&insn, false) && data_ok(&insn, true);
}

int main(void)
{
	bool inst = true, insn = true;
	unsigned int n;

	tap_plan(2);
	for (n = 0; n < ROUNDS && inst && insn; n++) {
		u32 words[2] = { rnd(), rnd() };

		if (n & 1)	/* memory instructions are rare otherwise */
			words[0] = (words[0] & 0x07ffffff) | 0xd8000000 |
				   (n & 2) << 28;
		inst = inst_ok(GFX9_GFX900, words) &&
		       inst_ok(GFX9_GFX90A, words);
		insn = insn_ok(words);
		if (!inst || !insn)
			tap_note("%08x %08x", words[0], words[1]);
	}
	tap_ok(inst, "random words decode as gfx9.h promises");
	tap_ok(insn, "random accesses are as gpubp_isa.h promises");
	return tap_status();
}
