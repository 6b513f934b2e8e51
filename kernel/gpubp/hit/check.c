// SPDX-License-Identifier: GPL-2.0
/*
 * Check: decide again what the trap handler has decided.
 *
 * With handler_check, a wave also stops at a hit that the handler found to be a stray,
 * counted or recorded. What it has done stays done: here it is only compared with what
 * is found out as of any other hit, from the wave's registers and its code in memory.
 */
#include <linux/gpubp_isa.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "../core/core.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "resolution.h"

static const char * const decisions[] = {
	[GPUBP_DECIDED_STRAY]		= "let go on",
	[GPUBP_DECIDED_COUNTED]		= "counted",
	[GPUBP_DECIDED_RECORDED]	= "recorded",
};

static bool place_is_of(const struct gpubp_recorded_place *where,
			const struct gpubp_hit *hit)
{
	return where->se == hit->se && where->sh == hit->sh &&
	       where->cu == hit->cu && where->simd == hit->simd &&
	       where->wave_slot == hit->wave_slot;
}

/* the latest record of the wave slot: its wave has stopped since it made it */
static const void *place_find(const struct gpubp_hit_cell *cell,
			      struct gpubp_trap_record *rec)
{
	struct gpubp_record_ring *ring = &cell->ctx->sched->ring;
	const struct gpubp_isa *isa = cell->dev->desc.isa;
	struct gpubp_recorded_place where;
	u32 i, head;

	if (!ring->kept || gpubp_record_ring_keep_all(ring, &head))
		return NULL;
	for (i = 0; i < ring->nr_places; i++) {
		const void *place = gpubp_record_ring_kept(ring, --head);

		if (!isa->recorded_parse(place, head, rec, &where) &&
		    place_is_of(&where, &cell->hit))
			return place;
	}
	return NULL;
}

static bool records_agree(const struct gpubp_trap_record *a,
			  const struct gpubp_trap_record *b)
{
	return a->pc == b->pc && a->exec == b->exec && a->slots == b->slots &&
	       a->has_coords == b->has_coords &&
	       a->has_dispatch == b->has_dispatch &&
	       !memcmp(a->wg, b->wg, sizeof(a->wg)) &&
	       a->wave_in_group == b->wave_in_group &&
	       a->dispatch == b->dispatch;
}

static bool code_agrees(struct gpubp_hit_cell *cell,
			const struct gpubp_resolution *res, const void *place)
{
	const struct gpubp_handler *handler = cell->dev->desc.isa->handler;
	u32 len = handler->place_code_len;
	u8 code[GPUBP_MAX_INSN];

	return gpubp_program_read(cell->ctx, res->trap.pc - len, code, len,
				  0) == len &&
	       !memcmp(code, place + handler->place_code, len);
}

/* vectors of lanes that were not active are not recorded */
static bool values_agree(const struct gpubp_isa *isa, bool vector, u64 exec,
			 const u32 *a, const u32 *b)
{
	unsigned int i, nr = vector ? isa->nr_lanes : 1;

	for (i = 0; i < nr; i++)
		if (a[i] != b[i] && (!vector || exec >> i & 1))
			return false;
	return true;
}

/* also if the record does not have them */
static bool regs_agree(struct gpubp_hit_cell *cell,
		       const struct gpubp_resolution *res, const void *place,
		       const struct gpubp_reg_req *reqs, unsigned int nr)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;
	u32 own[GPUBP_MAX_LANES], recorded[GPUBP_MAX_LANES];
	unsigned int i, n;

	for (i = 0; i < nr; i++)
		for (n = 0; n < reqs[i].count; n++) {
			struct gpubp_reg_req one = reqs[i];

			one.first += n;
			one.count = 1;
			one.lanes = res->trap.exec;
			if (isa->recorded_read(place, place, &one, recorded))
				continue;
			if (!gpubp_hit_read_regs(cell, res, &one, 1, own) ||
			    !values_agree(isa, one.file == GPUBP_REG_VECTOR,
					  res->trap.exec, own, recorded))
				return false;
		}
	return true;
}

static const char *check_recorded(struct gpubp_hit_cell *cell,
				  const struct gpubp_resolution *res)
{
	const struct gpubp_insn *insn = &res->insn;
	struct gpubp_trap_record rec;
	const void *place = place_find(cell, &rec);

	if (!place)
		return "there is no record";
	if (!records_agree(&rec, &res->trap))
		return "the record is another one's";
	if (!code_agrees(cell, res, place))
		return "the code is not what was recorded";
	if (!regs_agree(cell, res, place, insn->regs, insn->nr_regs) ||
	    !regs_agree(cell, res, place, &insn->stored, 1) ||
	    !regs_agree(cell, res, place, &insn->loaded, 1))
		return "the registers are not what was recorded";
	return NULL;
}

static const char *decision_check(struct gpubp_hit_cell *cell,
				  struct gpubp_resolution *res)
{
	bool touched;

	gpubp_access_find(cell, res);
	gpubp_access_find_lanes(cell, res, false);
	if (res->access.addr_state != GPUBP_ADDR_EXACT)
		return "its address is not known";
	touched = gpubp_match_any_watch(cell, res);
	switch (res->trap.decision) {
	case GPUBP_DECIDED_STRAY:
		return touched ? "it touched a watch" : NULL;
	case GPUBP_DECIDED_COUNTED:
		return touched ? NULL : "it touched no watch";
	default:
		return check_recorded(cell, res);
	}
}

/**
 * gpubp_check_decision() - decide a hit again that the trap handler has decided
 * @cell: the hit; (out) ->outcome
 * @res: its resolution, with the record
 *
 * What it did otherwise is a defect, or an attack by the process, and is logged. The
 * resolver only; may sleep; takes the device lock.
 */
void gpubp_check_decision(struct gpubp_hit_cell *cell,
			  struct gpubp_resolution *res)
{
	const char *why = decision_check(cell, res);

	cell->outcome = why ? GPUBP_STAT_DIFFERED : GPUBP_STAT_CHECKED;
	if (why)
		pr_warn_ratelimited("gpubp: %s: the trap handler %s a hit before %#llx in context %u, but %s\n",
				    cell->dev->name,
				    decisions[res->trap.decision],
				    res->trap.pc, cell->ctx->id, why);
}
