// SPDX-License-Identifier: GPL-2.0
/*
 * Save and restore of workgroups by the thread of the compute unit, as a trap
 * handler with SAVECTX (CWSR) and the dispatcher do it.
 *
 * A wave inside the trap handler is not saved: it runs until it has left the
 * handler. Halted waves and those at a barrier are saved as they are. A
 * workgroup is restored as a whole, on any compute unit where it fits; the
 * position of its waves (HW_ID) changes, ids of stops (sim_slot.stop_id) do
 * not.
 */
#include <linux/ktime.h>
#include <linux/string.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "group.h"
#include "ih.h"
#include "queue.h"
#include "save.h"
#include "stop.h"
#include "sweep.h"

/* others do not wait for preempt_ms, for what will not come */
#define END_GRACE_MS	50

static void save_area_lay_out(struct sim_save_area *save)
{
	const struct sim_group *group = &save->group;

	save->waves = (struct sim_saved_wave *)save->data;
	save->lds = &save->waves[group->nr_waves];
}

static void *save_area_vgprs(struct sim_save_area *save, unsigned int wave)
{
	const struct sim_dispatch *dispatch = save->group.dispatch;

	return save->lds + sim_save_area_lds_bytes(dispatch) +
	       wave * sim_save_area_vgpr_bytes(dispatch);
}

/*
 * Saving
 */

/*
 * Silicon's waves save themselves, in the handler, which they do not enter at
 * their end. A wave that was halted before it had a handler is saved anyway.
 */
static bool wave_halts_at_end(struct sim_slot *slot)
{
	return slot->state == SIM_SLOT_HALTED && slot->wave.tba &&
	       !slot->cu->dev->config.end_halts &&
	       sim_wave_halts_at_end(&slot->wave);
}

/*
 * By its own program: no hit and no debugger resumes it, so that it is never
 * saved. What has stopped there and is not reported yet is, until END_GRACE_MS.
 */
static bool wave_ends_halted(struct sim_slot *slot)
{
	if (!wave_halts_at_end(slot))
		return false;
	guard(raw_spinlock_irqsave)(&slot->cu->dev->sq_lock);
	return !slot->halts && !slot->reported;
}

/* a wave in the handler has to leave it first, unless it cannot run */
static bool wave_can_be_saved(struct sim_slot *slot)
{
	if (wave_halts_at_end(slot))
		return false;
	guard(raw_spinlock_irqsave)(&slot->cu->lock);
	return slot->state == SIM_SLOT_HALTED ||
	       slot->state == SIM_SLOT_BARRIER ||
	       !sim_wave_in_trap(&slot->wave);
}

static bool group_can_be_saved(struct sim_group *group)
{
	struct sim_cu *cu = group->cu;
	int i;

	for (i = 0; i < SIM_CU_SLOTS; i++)
		if (cu->slot[i].group == group &&
		    !wave_can_be_saved(&cu->slot[i]))
			return false;
	return true;
}

static bool group_has_ended_halted(struct sim_group *group)
{
	struct sim_cu *cu = group->cu;
	int i;

	for (i = 0; i < SIM_CU_SLOTS; i++)
		if (cu->slot[i].group == group && wave_ends_halted(&cu->slot[i]))
			return true;
	return false;
}

/* atomic for readers of its registers and for resumes; at most 128 KiB */
static void save_wave(struct sim_slot *slot, struct sim_saved_wave *saved,
		      void *vgprs)
{
	struct sim_device *dev = slot->cu->dev;
	struct sim_wave *wave = &slot->wave;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	guard(raw_spinlock)(&slot->cu->lock);
	memcpy(saved->state, wave, SIM_WAVE_STATE);
	memcpy(vgprs, wave->v, wave->nr_vgprs * sizeof(*wave->v));
	sim_saved_wave(saved)->v = vgprs;
	saved->save = slot->group->save;
	saved->wave_id = slot->wave_id;
	saved->halts = slot->halts;
	saved->stop_id = slot->stop_id;
	saved->reported = slot->reported;
	saved->stepped = slot->stepped;
	sim_saved_link(dev, saved);
	sim_stop_detach(slot);
	/* after nr_saved_hit_pending: pairs with any_slot_hit_pending() */
	smp_store_release(&slot->hit_pending, false);
	slot->state = SIM_SLOT_FREE;
}

static void save_waves(struct sim_group *group, struct sim_save_area *save)
{
	struct sim_cu *cu = group->cu;
	unsigned int i, wave = 0;

	for (i = 0; i < SIM_CU_SLOTS; i++) {
		if (cu->slot[i].group != group)
			continue;
		save_wave(&cu->slot[i], &save->waves[wave],
			  save_area_vgprs(save, wave));
		wave++;
	}
}

static void sweep_group(struct sim_group *group)
{
	struct sim_cu *cu = group->cu;
	int i;

	for (i = 0; i < SIM_CU_SLOTS; i++)
		if (cu->slot[i].group == group)
			sim_sweep_slot(&cu->slot[i]);
}

/* account a workgroup that was saved to @save */
static void account_saved(struct sim_ctx *ctx, struct sim_save_area *save)
{
	lockdep_assert_held(&ctx->dev->lock);
	list_add_tail(&save->node, &ctx->saved);
	sim_ctx_update_saved(ctx);
	if (!--ctx->nr_groups)
		sim_vmid_work_ended(ctx);
}

static void save_group(struct sim_group *group)
{
	struct sim_save_area *save = group->save;
	struct sim_queue *queue = group->queue;
	struct sim_device *dev = group->cu->dev;

	/*
	 * Messages, and lost messages, are identified by position: report them
	 * now.
	 */
	sim_ih_flush(dev);
	sweep_group(group);
	save->group = *group;
	save_area_lay_out(save);
	scoped_guard(mutex, &dev->lds_lock) {
		save_waves(group, save);
		if (group->lds_size)
			memcpy(save->lds, sim_group_lds(group), group->lds_size);
	}
	sim_group_free(group);
	sim_stat_inc(dev, SIM_STAT_SAVES);
	guard(mutex)(&dev->lock);
	account_saved(queue->ctx, save);
	/* sim_queue_kill() before this point has not dropped this save area */
	if (queue->killed)
		sim_queue_kill(queue, queue->status, queue->pc, queue->addr);
}

/* killed waves end on the GPU */
static bool group_must_be_saved(const struct sim_group *group)
{
	return group->dispatch && !READ_ONCE(group->queue->killed) &&
	       READ_ONCE(group->queue->ctx->evicting) &&
	       !READ_ONCE(group->queue->ctx->stuck);
}

/**
 * sim_save_groups() - save workgroups that must leave the GPU and can be saved
 * @cu: the calling thread's compute unit
 *
 * Return: true if a workgroup was saved.
 */
bool sim_save_groups(struct sim_cu *cu)
{
	bool busy = false;
	int i;

	/* racy check: an eviction kicks this thread afterwards */
	if (!READ_ONCE(cu->dev->nr_evicting))
		return false;
	for (i = 0; i < SIM_CU_SLOTS; i++) {
		if (!group_must_be_saved(&cu->group[i]))
			continue;
		if (group_can_be_saved(&cu->group[i])) {
			save_group(&cu->group[i]);
			busy = true;
		} else if (group_has_ended_halted(&cu->group[i])) {
			sim_vmid_hurry(cu->group[i].queue->ctx, END_GRACE_MS);
		}
	}
	return busy;
}

/*
 * Restoring
 */

static enum sim_slot_state restored_state(const struct sim_wave *wave)
{
	if (wave->in_barrier)
		return SIM_SLOT_BARRIER;
	return wave->status & STATUS_HALT ? SIM_SLOT_HALTED : SIM_SLOT_READY;
}

/* the reverse of save_wave(), and atomic likewise */
static void restore_wave(struct sim_slot *slot, struct sim_saved_wave *saved)
{
	struct sim_device *dev = slot->cu->dev;
	struct sim_wave *wave = &slot->wave;
	struct sim_wave *from = sim_saved_wave(saved);

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	guard(raw_spinlock)(&slot->cu->lock);
	memcpy(wave, saved->state, SIM_WAVE_STATE);
	wave->v = sim_slot_vgprs(slot);
	memcpy(wave->v, from->v, wave->nr_vgprs * sizeof(*wave->v));
	wave->hw_id = sim_slot_hw_id(slot);
	sim_stop_attach(slot, slot->group->queue);
	slot->wave_id = saved->wave_id;
	slot->halts = saved->halts;
	slot->stop_id = saved->stop_id;
	slot->reported = saved->reported;
	slot->stepped = saved->stepped;
	slot->seen_insts = wave->nr_insts;
	slot->page_failed_inst = 0;
	WRITE_ONCE(slot->hit_pending, wave->pending & TRAPSTS_WATCH);
	slot->msg_sent = false;
	slot->unhalt_pending = false;
	slot->halted_at = ktime_get_mono_fast_ns();
	slot->halt_pending = false;
	slot->state = restored_state(wave);
	sim_saved_unlink(dev, saved);
}

/**
 * sim_save_restore() - restore the waves of a workgroup
 * @group: workgroup with its resources, copied from its own save area
 */
void sim_save_restore(struct sim_group *group)
{
	struct sim_save_area *save = group->save;
	struct sim_cu *cu = group->cu;
	unsigned int i, wave = 0;

	scoped_guard(mutex, &cu->dev->lds_lock) {
		if (group->lds_size)
			memcpy(sim_group_lds(group), save->lds, group->lds_size);
		for (i = 0; i < SIM_CU_SLOTS; i++)
			if (cu->slot[i].group == group)
				restore_wave(&cu->slot[i], &save->waves[wave++]);
	}
	if (sim_bank_tba(&group->queue->ctx->bank))
		sim_sweep_start(cu->dev);
	sim_stat_inc(cu->dev, SIM_STAT_RESTORES);
}
