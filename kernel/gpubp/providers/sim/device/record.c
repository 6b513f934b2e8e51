// SPDX-License-Identifier: GPL-2.0
/*
 * Records that the trap handler writes for the last stop at each wave position,
 * and whether they were reported.
 */
#include <linux/gpubp.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "record.h"

/* longest record of a handler, bytes */
#define MAX_RECORD		128

/**
 * sim_record_read() - read the handler's record of a wave position
 * @slot: position; sim_device.sq_lock is held
 * @out: result
 *
 * Does not sleep: the record is in device memory.
 */
bool sim_record_read(struct sim_slot *slot, struct gpubp_trap_record *out)
{
	const struct gpubp_isa *isa = sim_config_isa(&slot->cu->dev->config);
	const struct gpubp_handler *handler = isa->handler;
	u64 tma = sim_bank_tma(&slot->ctx->bank);
	u8 raw[MAX_RECORD];
	u64 va;

	lockdep_assert_held(&slot->cu->dev->sq_lock);
	if (!tma || WARN_ON_ONCE(handler->record_size > sizeof(raw)))
		return false;
	va = tma + handler->record_offset + (u64)handler->record_size *
	     isa->record_index(0, 0, slot->cu->nr, slot->simd, slot->nr);
	if (sim_vm_access(&slot->ctx->vm, NULL, va, raw, handler->record_size,
			  SIM_ACCESS_PRIV) != handler->record_size)
		return false;
	return !isa->record_parse(raw, out);
}

/*
 * sim_record_is_step() - does the record show only a step for which sim_step()
 * waits?
 */
bool sim_record_is_step(const struct sim_slot *slot,
			const struct gpubp_trap_record *record)
{
	return slot->stepped && record->other == GPUBP_TRAP_STEP &&
	       !record->slots && !record->exceptions && !record->trap_id;
}

/**
 * sim_record_sent_step() - does the handler's message report a single step
 *	only?
 * @slot: the wave
 */
bool sim_record_sent_step(struct sim_slot *slot)
{
	struct gpubp_trap_record record;

	/* set before the wave resumes, so not racy */
	if (!READ_ONCE(slot->stepped))
		return false;
	guard(raw_spinlock_irqsave)(&slot->cu->dev->sq_lock);
	return slot->stepped && sim_record_read(slot, &record) &&
	       sim_record_is_step(slot, &record);
}

/** sim_record_set_seen() - mark the current record as reported */
void sim_record_set_seen(struct sim_slot *slot)
{
	struct gpubp_trap_record record;

	if (slot->ctx)
		slot->seen_seq = sim_record_read(slot, &record) ? record.seq :
								  0;
}
