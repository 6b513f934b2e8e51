// SPDX-License-Identifier: GPL-2.0
/* Record: what the trap handler, or the device, recorded of a stop. */
#include <linux/delay.h>
#include <linux/ktime.h>

#include "../core/core.h"
#include "../trap/trap.h"
#include "resolution.h"

/* longer than a GPU takes to restore a workgroup */
#define RESTORE_NS	(250 * NSEC_PER_MSEC)

static int record_index(const struct gpubp_hit_cell *cell)
{
	const struct gpubp_hit *hit = &cell->hit;

	if (!(hit->valid & GPUBP_HITF_POSITION))
		return -ENOENT;
	return cell->dev->desc.isa->record_index(hit->se, hit->sh, hit->cu,
						 hit->simd, hit->wave_slot);
}

static bool record_read(struct gpubp_hit_cell *cell,
			struct gpubp_trap_record *trap)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;
	const struct gpubp_handler *handler = isa->handler;
	u64 tma = READ_ONCE(cell->ctx->trap->tma);
	int index = record_index(cell);
	u8 raw[128];
	u64 va;

	if (!tma || index < 0 || WARN_ON_ONCE(handler->record_size > sizeof(raw)))
		return false;
	va = tma + handler->record_offset + (u64)index * handler->record_size;
	if (gpubp_ctx_global_rw(cell->ctx, va, raw, handler->record_size,
				0) != handler->record_size)
		return false;
	return !isa->record_parse(raw, trap);
}

/*
 * Records are indexed by the wave slot in which the wave stopped. If stopped
 * waves can be saved, another wave may run in that slot and stop there: its
 * record has another sequence number.
 */
static bool record_is_own(struct gpubp_hit_cell *cell,
			  const struct gpubp_trap_record *trap)
{
	const struct gpubp_device *dev = cell->dev;
	const struct gpubp_isa *isa = dev->desc.isa;
	u32 mark;

	if (!dev->desc.caps.saves_waves || !isa->mark_reg.count)
		return true;
	return !dev->ops.read_wave(dev->priv, cell->hit.wave, &isa->mark_reg, 1,
				   &mark) &&
	       mark == isa->record_mark(record_index(cell), trap->seq);
}

/*
 * Another wave may have been placed in this slot and be overwriting the record:
 * read the sequence number again after the rest.
 */
static bool record_is_whole(struct gpubp_hit_cell *cell,
			    struct gpubp_trap_record *trap)
{
	const struct gpubp_trap_record first = *trap;
	bool same;

	if (!cell->dev->desc.caps.saves_waves)
		return true;
	same = record_read(cell, trap) && trap->seq == first.seq;
	*trap = first;
	return same;
}

/*
 * A record is overwritten only after its wave was saved, which happens outside of
 * the handler: then the wave has all of it in registers that are saved with it.
 * The handler that restores it uses some of them until it is done.
 */
static bool record_rebuild(struct gpubp_hit_cell *cell,
			   struct gpubp_trap_record *trap)
{
	const struct gpubp_device *dev = cell->dev;
	const struct gpubp_isa *isa = dev->desc.isa;
	u64 end = ktime_get_ns() + RESTORE_NS;
	u32 values[GPUBP_MAX_RECORD_VALUES];
	int err;

	if (!dev->desc.caps.saves_waves || !isa->nr_record_regs)
		return false;
	do {
		if (dev->ops.read_wave(dev->priv, cell->hit.wave,
				       isa->record_regs, isa->nr_record_regs,
				       values))
			return false;
		err = isa->record_rebuild(values, trap);
		if (err == -EAGAIN)
			usleep_range(50, 100);
	} while (err == -EAGAIN && ktime_get_ns() < end);
	return !err;
}

/* a device without our trap handler reports the record with the hit */
static bool record_from_hit(const struct gpubp_hit *hit,
			    struct gpubp_trap_record *trap)
{
	if (!(hit->valid & GPUBP_HITF_PC))
		return false;
	*trap = (struct gpubp_trap_record) {
		.pc = hit->pc,
		.exec = hit->valid & GPUBP_HITF_EXEC ? hit->exec : U64_MAX,
		.slots = hit->valid & GPUBP_HITF_SLOTS ? hit->slots : 0,
		.exceptions = hit->valid & GPUBP_HITF_EXCEPTIONS ?
			      hit->exceptions : 0,
		.has_dispatch = hit->valid & GPUBP_HITF_DISPATCH,
		.dispatch = hit->dispatch,
		.has_coords = hit->valid & GPUBP_HITF_COORDS,
		.wg = { hit->wg[0], hit->wg[1], hit->wg[2] },
		.wave_in_group = hit->wave_in_group,
	};
	return true;
}

/**
 * gpubp_record_find() - read the record that the trap handler stored for a stop
 * @cell: the hit
 * @trap: (out) the record
 *
 * The resolver only; may sleep. Return: false if it cannot be read, and the wave is
 * gone or was not stopped by our handler.
 */
bool gpubp_record_find(struct gpubp_hit_cell *cell,
		       struct gpubp_trap_record *trap)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;

	if (!isa || !isa->handler)
		return record_from_hit(&cell->hit, trap);
	return (record_read(cell, trap) && record_is_own(cell, trap) &&
		record_is_whole(cell, trap)) || record_rebuild(cell, trap);
}
