// SPDX-License-Identifier: GPL-2.0
/* Compiled with the kernel's headers in user space (tests/host/shim). */
#include <linux/kernel.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>
#include "agent_place.h"
#include "place.h"

#define MAX_VALUES	(4 + 4 * GPUBP_MAX_LANES)
#define MAX_BYTES	8

unsigned int place_comparator(uint32_t gfx, const void *place, uint32_t number)
{
	struct gpubp_recorded_place where;
	struct gpubp_trap_record rec;
	bool decided;

	if (!agent_place_parse(agent_isa(gfx), place, number, &rec, &where, &decided) || !rec.slots ||
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
	const struct gpubp_isa *isa = agent_isa(gfx);
	const struct gpubp_handler *handler = isa->handler;
	struct gpubp_recorded_place where;
	struct gpubp_trap_record rec;
	struct gpubp_insn insn;
	bool decided;
	int len;

	if (!agent_place_parse(isa, place, number, &rec, &where, &decided))
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
