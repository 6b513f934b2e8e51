// SPDX-License-Identifier: GPL-2.0
/* Record: what is known of a stop before anything is looked up. */
#include "../core/core.h"
#include "../trap/trap.h"
#include "resolution.h"

static bool read_record(struct gpubp_hit_cell *cell,
			struct gpubp_trap_record *trap)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;
	const struct gpubp_handler *handler = isa->handler;
	const struct gpubp_hit *hit = &cell->hit;
	u64 tma = READ_ONCE(cell->ctx->trap->tma);
	u8 raw[128];
	int index;

	if (!tma || !(hit->valid & GPUBP_HITF_POSITION) ||
	    WARN_ON_ONCE(handler->record_size > sizeof(raw)))
		return false;
	index = isa->record_index(hit->se, hit->sh, hit->cu, hit->simd,
				  hit->wave_slot);
	if (index < 0)
		return false;
	if (gpubp_ctx_global_rw(cell->ctx, tma + handler->record_offset +
				(u64)index * handler->record_size, raw,
				handler->record_size, 0) != handler->record_size)
		return false;
	return !isa->record_parse(raw, trap);
}

/*
 * Records are found by the place where the wave was when it stopped. Once a
 * wave that is stopped can be saved, another one may come to that place and
 * stop there: its record has another number.
 */
static bool is_own_record(struct gpubp_hit_cell *cell,
			  const struct gpubp_trap_record *trap)
{
	const struct gpubp_device *dev = cell->dev;
	const struct gpubp_isa *isa = dev->desc.isa;
	u32 seq;

	if (!dev->desc.caps.saves_waves || !isa->seq_reg.count)
		return true;
	return !dev->ops.read_wave(dev->priv, cell->hit.wave, &isa->seq_reg, 1,
				   &seq) && seq == trap->seq;
}

/*
 * Who came to that place may have begun to store his record while this one was
 * read: the number is read once more behind the rest.
 */
static bool is_whole_record(struct gpubp_hit_cell *cell,
			    struct gpubp_trap_record *trap)
{
	const struct gpubp_trap_record first = *trap;
	bool same;

	if (!cell->dev->desc.caps.saves_waves)
		return true;
	same = read_record(cell, trap) && trap->seq == first.seq;
	*trap = first;
	return same;
}

/* a device whose waves run no handler of ours tells by itself */
static bool told_record(const struct gpubp_hit *hit,
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
	};
	return true;
}

/**
 * gpubp_record_find() - what the trap handler stored of a stop
 * @cell: the hit
 * @trap: (out) the record
 *
 * The resolver only; may sleep. Return: false if it cannot be read, or is not
 * that of this wave any more.
 */
bool gpubp_record_find(struct gpubp_hit_cell *cell,
		       struct gpubp_trap_record *trap)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;

	if (!isa || !isa->handler)
		return told_record(&cell->hit, trap);
	return read_record(cell, trap) && is_own_record(cell, trap) &&
	       is_whole_record(cell, trap);
}
