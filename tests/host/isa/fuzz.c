// SPDX-License-Identifier: GPL-2.0
/* Random words: no crash, and the invariants of the headers hold for each. */
#include <stdlib.h>
#include <string.h>
#include <linux/errno.h>
#include <linux/gpubp_isa.h>
#include "gfx9.h"
#include "../tap.h"

#define ROUNDS	1000000
#define PLACES	100000

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
						     rnd() % 64, 1, bytes);

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

/* ---- places of the handler's ring --------------------------------------------- */

static const struct gpubp_isa *const recorders[] = {
	&gpubp_isa_gfx900, &gpubp_isa_gfx90a, &gpubp_isa_gfx942,
};

static unsigned int nr_parsed, nr_read;

/* most could be what a handler stored, but for a bit here and there */
static u32 *random_place(const struct gpubp_isa *isa, u32 number)
{
	u32 size = isa->handler->place_size, *place = malloc(size);
	u32 *code = place + isa->handler->place_code / 4;
	unsigned int n;

	for (n = 0; n < size / 4; n++)
		place[n] = rnd();
	place[0] = 2 * number + 1;
	place[4] &= ~3u;
	place[5] = (place[5] & ~(7u << 16)) | 1u << (16 + rnd() % 3);
	code[0] = (code[0] & 0x03ff9fff) | 0xdc000000;
	if (rnd() % 4 == 0)
		code[1] |= 0x7f << 16;
	if (rnd() % 4 == 0)
		place[rnd() % 24] ^= 1u << rnd() % 32;
	return place;
}

static bool parsed_ok(const struct gpubp_trap_record *rec,
		      const struct gpubp_recorded_place *where, u32 number)
{
	return rec->exec && !(rec->pc & 3) && !(rec->pc >> 48) && rec->slots &&
	       !(rec->slots & (rec->slots - 1)) && !(rec->slots >> 16) &&
	       !rec->exceptions && !rec->other && !rec->trap_id &&
	       rec->seq == 2 * number + 1 && where->cu < 16 && where->simd < 4 &&
	       where->wave_slot < 16 && where->sh < 2;
}

/* exactly the values of the request are written */
static bool request_ok(const struct gpubp_isa *isa, const u32 *place,
		       const struct gpubp_reg_req *req)
{
	u32 *regs = random_regs(req, 1);
	int err = isa->recorded_read(place, place, req, regs);

	free(regs);
	nr_read += !err;
	return !err || err == -ENOENT;
}

static bool any_request_ok(const struct gpubp_isa *isa, const u32 *place)
{
	struct gpubp_reg_req req = {
		.file = rnd() % 4, .count = rnd() % (rnd() % 8 ? 8 : 256),
		.first = rnd() % 2 ? rnd() : rnd() % 256, .lanes = rnd(),
	};

	return request_ok(isa, place, &req);
}

/* of the access that the place has, or of any other one */
static bool insn_requests_ok(const struct gpubp_isa *isa, const u32 *place)
{
	const u8 *code = (const u8 *)place + isa->handler->place_code;
	u32 words[2] = { rnd(), rnd() };
	struct gpubp_insn insn;
	unsigned int n;
	bool ok = true;

	if (isa->access_before(rnd() % 4 ? code : (const u8 *)words,
			       isa->handler->place_code_len, &insn) < 0)
		return true;
	for (n = 0; n < insn.nr_regs; n++)
		ok &= request_ok(isa, place, &insn.regs[n]);
	return ok && request_ok(isa, place, &insn.stored) &&
	       request_ok(isa, place, &insn.loaded);
}

static bool recorded_ok(void)
{
	const struct gpubp_isa *isa = recorders[rnd() % 3];
	struct gpubp_recorded_place where;
	struct gpubp_trap_record rec;
	u32 number = rnd(), *place = random_place(isa, number);
	int err = isa->recorded_parse(place, number, &rec, &where);
	bool ok;

	nr_parsed += !err;
	ok = err ? err == -EINVAL || err == -EAGAIN : parsed_ok(&rec, &where, number);
	ok = ok && (err == -EAGAIN) == (place[0] != 2 * number + 1) &&
	     any_request_ok(isa, place) && insn_requests_ok(isa, place);
	free(place);
	return ok;
}

static bool places_ok(void)
{
	unsigned int n;
	bool ok = true;

	for (n = 0; n < PLACES && ok; n++)
		ok = recorded_ok();
	tap_note("%u places parsed, %u requests read", nr_parsed, nr_read);
	return ok && nr_parsed > PLACES / 2 && nr_parsed < PLACES && nr_read > PLACES / 2;
}

int main(void)
{
	bool inst = true, insn = true;
	unsigned int n;

	tap_plan(3);
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
	tap_ok(places_ok(), "random places of the ring are, too");
	return tap_status();
}
