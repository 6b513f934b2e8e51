// SPDX-License-Identifier: GPL-2.0
/* Compiled with the kernel's headers in user space (tests/host/shim). */
#include <linux/kernel.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>
#include "isa/gfx9/trap.h"
#include "place.h"

#define MAX_VALUES	(4 + 4 * GPUBP_MAX_LANES)
#define MAX_BYTES	8

static const struct gpubp_isa *isa_of(uint32_t gfx)
{
	return gfx == 90402 ? &gpubp_isa_gfx942 : &gpubp_isa_gfx90a;
}

static int parse_undecided(const struct gpubp_isa *isa, const void *place, u32 number,
			   struct gpubp_trap_record *rec)
{
	struct gpubp_recorded_place where;

	return isa == &gpubp_isa_gfx942 ?
	       gfx942_undecided_parse(place, number, rec, &where) :
	       gfx9_undecided_parse(place, number, rec, &where);
}

/* false: it is no hit */
static bool parse(const struct gpubp_isa *isa, const void *place, u32 number,
		  struct gpubp_trap_record *rec, bool *decided)
{
	struct gpubp_recorded_place where;

	*decided = !isa->recorded_parse(place, number, rec, &where);
	return *decided || !parse_undecided(isa, place, number, rec);
}

unsigned int place_comparator(uint32_t gfx, const void *place, uint32_t number)
{
	struct gpubp_trap_record rec;
	bool decided;

	if (!parse(isa_of(gfx), place, number, &rec, &decided) || !rec.slots ||
	    rec.slots >> AGENT_SLOTS)
		return AGENT_SLOTS;
	return __builtin_ctz(rec.slots);
}

/* the requests of an access, one after the other */
static bool read_regs(const struct gpubp_isa *isa, const void *place,
		      const struct gpubp_insn *insn, u32 *out)
{
	unsigned int n;

	for (n = 0; n < insn->nr_regs; n++) {
		if (isa->recorded_read(place, place, &insn->regs[n], out))
			return false;
		out += insn->regs[n].count *
		       (insn->regs[n].file == GPUBP_REG_VECTOR ? GPUBP_MAX_LANES : 1);
	}
	return true;
}

static u64 range_last(const struct agent_range *r)
{
	return r->last & ((1ull << AGENT_KINDS_SHIFT) - 1);
}

/* the first byte of an access that is watched, and how many behind; 0: none is */
static unsigned int watched(const struct agent_slot *slot, const struct gpubp_insn *insn,
			    u64 addr, u64 *first)
{
	unsigned int n;
	u64 last;

	for (n = 0; n < slot->nr; n++) {
		const struct agent_range *r = &slot->range[n];

		if (!(r->last >> AGENT_KINDS_SHIFT & insn->access) ||
		    addr > range_last(r) || addr + insn->width - 1 < r->first)
			continue;
		*first = max(addr, r->first);
		last = min(addr + insn->width - 1, range_last(r));
		return min(last - *first + 1, (u64)MAX_BYTES);
	}
	return 0;
}

/* the bytes at @hit->hit_addr, of its first lane */
static void decode_value(const struct gpubp_isa *isa, const void *place,
			 const struct gpubp_insn *insn, struct place_hit *hit)
{
	bool loaded = insn->access == GPUBP_ACCESS_LOAD;
	const struct gpubp_reg_req *req = loaded ? &insn->loaded : &insn->stored;
	u8 bytes[GPUBP_MAX_DATA];
	u32 regs[MAX_VALUES];
	unsigned int nr;

	if (!req->count || isa->recorded_read(place, place, req, regs))
		return;
	nr = isa->lane_data(insn, loaded, regs, __builtin_ctzll(hit->lanes), 1, bytes);
	if (hit->hit_addr - hit->addr + hit->hit_len > nr)
		return;
	memcpy(&hit->value, bytes + (hit->hit_addr - hit->addr), hit->hit_len);
	hit->has_value = true;
}

static void decode_access(const struct gpubp_isa *isa, const void *place,
			  const struct gpubp_insn *insn, const struct agent_slot *slot,
			  struct place_hit *hit)
{
	u64 addrs[GPUBP_MAX_LANES], lanes, first;
	unsigned int lane, len;
	u32 regs[MAX_VALUES];

	if (!read_regs(isa, place, insn, regs))
		return;
	lanes = isa->lane_addrs(insn, regs, hit->exec, addrs);
	for (lane = 0; lane < GPUBP_MAX_LANES; lane++) {
		if (!(lanes >> lane & 1))
			continue;
		len = watched(slot, insn, addrs[lane], &first);
		if (!len)
			continue;
		if (!hit->lanes) {
			hit->addr = addrs[lane];
			hit->hit_addr = first;
			hit->hit_len = len;
		}
		hit->lanes |= 1ull << lane;
	}
	if (hit->lanes)
		decode_value(isa, place, insn, hit);
}

bool place_decode(uint32_t gfx, const void *place, uint32_t number,
		  const struct agent_slot *slot, struct place_hit *hit)
{
	const struct gpubp_isa *isa = isa_of(gfx);
	const struct gpubp_handler *handler = isa->handler;
	struct gpubp_trap_record rec;
	struct gpubp_insn insn;
	bool decided;
	int len;

	if (!parse(isa, place, number, &rec, &decided))
		return false;
	*hit = (struct place_hit) {
		.slot = __builtin_ctz(rec.slots), .decided = decided, .pc = rec.pc,
		.exec = rec.exec, .has_coords = rec.has_coords && rec.has_dispatch,
		.wg = { rec.wg[0], rec.wg[1], rec.wg[2] }, .wave = rec.wave_in_group,
		.dispatch = rec.dispatch,
	};
	len = isa->access_before(place + handler->place_code, handler->place_code_len, &insn);
	if (len <= 0)
		return true;
	hit->pc -= len;
	hit->access = insn.access;
	hit->width = insn.width;
	if (decided)
		decode_access(isa, place, &insn, slot, hit);
	return true;
}
