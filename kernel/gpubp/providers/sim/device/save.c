// SPDX-License-Identifier: GPL-2.0
/*
 * Save and restore: what a trap handler with SAVECTX (CWSR) and the dispatcher
 * do together, by the thread of the compute unit.
 *
 * A wave inside the trap handler is not saved: it is let run until it has left
 * it. Halted waves and those at a barrier are saved as they are. A workgroup
 * comes back as a whole, wherever there is room; what tells its waves' place
 * (HW_ID) changes, what names a stop (sim_slot.stop_id) does not.
 */
#include <linux/gpubp.h>
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "group.h"
#include "ih.h"
#include "queue.h"
#include "save.h"
#include "slice.h"
#include "stop.h"
#include "sweep.h"

/*
 * Memory: a queue's, as much as the workgroups of one dispatch can need at
 * once, since its dispatches run one after the other.
 */

static size_t vgpr_bytes(const struct sim_dispatch *dispatch)
{
	return dispatch->kernel.nr_vgprs * SIM_LANES * sizeof(u32);
}

static size_t lds_bytes(const struct sim_dispatch *dispatch)
{
	return ALIGN(dispatch->kernel.lds_size, 8);
}

static size_t need(const struct sim_dispatch *dispatch)
{
	return sim_dispatch_nr_waves(dispatch) *
	       (sizeof(struct sim_saved_wave) + vgpr_bytes(dispatch)) +
	       lds_bytes(dispatch);
}

static void free_room(struct sim_save *save)
{
	sim_vm_uncharge(&save->group.queue->ctx->vm,
			struct_size(save, data, save->size), 0);
	kvfree(save);
}

static void free_rooms(struct list_head *rooms)
{
	struct sim_save *save, *tmp;

	list_for_each_entry_safe(save, tmp, rooms, pool_node)
		free_room(save);
}

static u64 nr_missing(struct sim_queue *queue,
		      const struct sim_dispatch *dispatch)
{
	u64 nr = sim_dispatch_max_groups(dispatch);
	struct sim_save *save;

	nr = min(nr, dispatch->total);
	guard(mutex)(&queue->ctx->dev->lock);
	list_for_each_entry(save, &queue->saves, pool_node)
		if (nr && save->size >= need(dispatch))
			nr--;
	return nr;
}

static int add_room(struct sim_queue *queue,
		    const struct sim_dispatch *dispatch, struct list_head *rooms)
{
	size_t size = need(dispatch);
	struct sim_vm *vm = &queue->ctx->vm;
	struct sim_save *save;
	size_t bytes = struct_size(save, data, size);

	if (sim_vm_charge(vm, bytes, 0))
		return -ENOMEM;
	save = kvzalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (!save) {
		sim_vm_uncharge(vm, bytes, 0);
		return -ENOMEM;
	}
	save->size = size;
	save->group.queue = queue;
	list_add_tail(&save->pool_node, rooms);
	return 0;
}

/* what is too small for all dispatches that are left, and for the next one */
static void trim(struct sim_queue *queue, const struct sim_dispatch *next)
{
	const struct sim_dispatch *dispatch;
	size_t least = need(next);
	struct sim_save *save, *tmp;
	LIST_HEAD(rooms);

	scoped_guard(mutex, &queue->ctx->dev->lock) {
		list_for_each_entry(dispatch, &queue->dispatches, node)
			least = min(least, need(dispatch));
		list_for_each_entry_safe(save, tmp, &queue->saves, pool_node)
			if (!save->used && save->size < least)
				list_move(&save->pool_node, &rooms);
	}
	free_rooms(&rooms);
}

/**
 * sim_save_reserve() - whatever of a dispatch is on the GPU can be saved
 * @queue: its queue; sim_queue.submit is held
 * @dispatch: dispatch that is not in the queue yet
 *
 * Charged to the context's memory and to the caller's memory cgroup.
 *
 * Return: 0 or -ENOMEM.
 */
int sim_save_reserve(struct sim_queue *queue,
		     const struct sim_dispatch *dispatch)
{
	LIST_HEAD(rooms);
	u64 nr;

	lockdep_assert_held(&queue->submit);
	trim(queue, dispatch);
	for (nr = nr_missing(queue, dispatch); nr; nr--) {
		if (!add_room(queue, dispatch, &rooms))
			continue;
		free_rooms(&rooms);
		return -ENOMEM;
	}
	guard(mutex)(&queue->ctx->dev->lock);
	list_splice_tail(&rooms, &queue->saves);
	return 0;
}

/** sim_save_free_all() - @queue, which nobody uses any more, needs no room */
void sim_save_free_all(struct sim_queue *queue)
{
	free_rooms(&queue->saves);
}

/**
 * sim_save_take() - room for a workgroup of @dispatch
 * @queue: its queue
 * @dispatch: dispatch
 *
 * Return: NULL if as many as whole workgroups fit onto the GPU have one: those
 * at the end of a grid, and those of which waves have ended, are smaller, and others
 * wait. Rooms of earlier dispatches, of which more fitted, change nothing in that.
 */
struct sim_save *sim_save_take(struct sim_queue *queue,
			       const struct sim_dispatch *dispatch)
{
	struct sim_save *save;

	lockdep_assert_held(&queue->ctx->dev->lock);
	/* each group that has not ended has one */
	if (queue->nr_groups >= sim_dispatch_max_groups(dispatch))
		return NULL;
	list_for_each_entry(save, &queue->saves, pool_node) {
		if (save->used || save->size < need(dispatch))
			continue;
		save->used = true;
		return save;
	}
	return NULL;
}

/** sim_save_give() - the workgroup that had @save has ended */
void sim_save_give(struct sim_save *save)
{
	lockdep_assert_held(&save->group.queue->ctx->dev->lock);
	save->used = false;
}

static void lay_out(struct sim_save *save)
{
	const struct sim_group *group = &save->group;

	save->waves = (struct sim_saved_wave *)save->data;
	save->lds = &save->waves[group->nr_waves];
}

static void *vgprs_of(struct sim_save *save, unsigned int wave)
{
	const struct sim_dispatch *dispatch = save->group.dispatch;

	return save->lds + lds_bytes(dispatch) + wave * vgpr_bytes(dispatch);
}

/*
 * Saving
 */

/* who is in the handler has to leave it first, unless he cannot run at all */
static bool wave_can_go(struct sim_slot *slot)
{
	guard(raw_spinlock_irqsave)(&slot->cu->lock);
	return slot->state == SIM_SLOT_HALTED ||
	       slot->state == SIM_SLOT_BARRIER ||
	       !sim_slice_in_trap(&slot->wave);
}

static bool can_go(struct sim_group *group)
{
	struct sim_cu *cu = group->cu;
	int i;

	for (i = 0; i < SIM_CU_SLOTS; i++)
		if (cu->slot[i].group == group && !wave_can_go(&cu->slot[i]))
			return false;
	return true;
}

static void set_owes(struct sim_device *dev, struct sim_saved_wave *saved,
		     bool owes)
{
	lockdep_assert_held(&dev->sq_lock);
	/* what was there before is seen: pairs with sim_save_owes() */
	smp_store_release(&dev->nr_saved_owe,
			  dev->nr_saved_owe + owes - saved->owes);
	saved->owes = owes;
}

static bool wave_can_run(struct sim_saved_wave *saved)
{
	const struct sim_wave *wave = sim_saved_wave(saved);

	return !(wave->status & STATUS_HALT) && !wave->in_barrier;
}

static void set_can_run(struct sim_saved_wave *saved, bool can_run)
{
	struct sim_ctx *ctx = saved->save->group.queue->ctx;

	lockdep_assert_held(&ctx->dev->sq_lock);
	/* for sim_save_can_run(), which looks again after a kick */
	WRITE_ONCE(ctx->nr_can_run,
		   ctx->nr_can_run + can_run - saved->can_run);
	saved->can_run = can_run;
}

/** sim_save_wave_written() - the state of a saved wave changed; sq_lock is held */
void sim_save_wave_written(struct sim_device *dev, struct sim_saved_wave *saved)
{
	set_owes(dev, saved, sim_saved_wave(saved)->pending & TRAPSTS_WATCH);
	set_can_run(saved, wave_can_run(saved));
}

static void link_wave(struct sim_device *dev, struct sim_saved_wave *saved)
{
	saved->owes = false;
	saved->can_run = false;
	sim_save_wave_written(dev, saved);
	hash_add(dev->saved_waves, &saved->node, saved->stop_id);
	hash_add(dev->saved_ids, &saved->id_node, saved->wave_id);
	list_add_tail(&saved->ctx_node,
		      &saved->save->group.queue->ctx->saved_waves);
}

static void unlink_wave(struct sim_device *dev, struct sim_saved_wave *saved)
{
	WARN_ON_ONCE(saved->can_run != wave_can_run(saved));
	set_owes(dev, saved, false);
	set_can_run(saved, false);
	hash_del(&saved->node);
	hash_del(&saved->id_node);
	list_del(&saved->ctx_node);
}

/* at once for who reads its registers, or resumes it: at most 128 KiB */
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
	link_wave(dev, saved);
	sim_stop_leave(slot);
	/* behind nr_saved_owe: pairs with slot_owes() */
	smp_store_release(&slot->owes, false);
	slot->state = SIM_SLOT_FREE;
}

static void save_waves(struct sim_group *group, struct sim_save *save)
{
	struct sim_cu *cu = group->cu;
	unsigned int i, wave = 0;

	for (i = 0; i < SIM_CU_SLOTS; i++) {
		if (cu->slot[i].group != group)
			continue;
		save_wave(&cu->slot[i], &save->waves[wave],
			  vgprs_of(save, wave));
		wave++;
	}
}

static void sweep(struct sim_group *group)
{
	struct sim_cu *cu = group->cu;
	int i;

	for (i = 0; i < SIM_CU_SLOTS; i++)
		if (cu->slot[i].group == group)
			sim_sweep_slot(&cu->slot[i]);
}

static void save_group(struct sim_group *group)
{
	struct sim_save *save = group->save;
	struct sim_queue *queue = group->queue;
	struct sim_device *dev = group->cu->dev;

	/* what its waves sent, or failed to, is known by their places */
	sim_ih_flush(dev);
	sweep(group);
	save->group = *group;
	lay_out(save);
	save_waves(group, save);
	if (group->lds_size)
		memcpy(save->lds, sim_group_lds(group), group->lds_size);
	sim_group_vacate(group);
	sim_stat_inc(dev, SIM_STAT_SAVES);
	guard(mutex)(&dev->lock);
	sim_ctx_group_saved(queue->ctx, save);
	/* too late for whoever ended those that were saved already */
	if (queue->killed)
		sim_queue_kill(queue, queue->status, queue->pc, queue->addr);
}

/* killed waves end by themselves */
static bool has_to_go(const struct sim_group *group)
{
	return group->dispatch && !READ_ONCE(group->queue->killed) &&
	       READ_ONCE(group->queue->ctx->leaving) &&
	       !READ_ONCE(group->queue->ctx->stuck);
}

/**
 * sim_save_groups() - save what has to leave the GPU, and can
 * @cu: the calling thread's compute unit
 *
 * Return: whether something was saved.
 */
bool sim_save_groups(struct sim_cu *cu)
{
	bool busy = false;
	int i;

	/* a hint: who asks for it kicks this thread afterwards */
	if (!READ_ONCE(cu->dev->nr_leaving))
		return false;
	for (i = 0; i < SIM_CU_SLOTS; i++) {
		if (!has_to_go(&cu->group[i]) || !can_go(&cu->group[i]))
			continue;
		save_group(&cu->group[i]);
		busy = true;
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

/* the other way round, and as much at once */
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
	sim_stop_adopt(slot, slot->group->queue);
	slot->wave_id = saved->wave_id;
	slot->halts = saved->halts;
	slot->stop_id = saved->stop_id;
	slot->reported = saved->reported;
	slot->stepped = saved->stepped;
	slot->seen_insts = wave->nr_insts;
	slot->gave_up = 0;
	WRITE_ONCE(slot->owes, wave->pending & TRAPSTS_WATCH);
	slot->sent = false;
	slot->unhalt = false;
	slot->halted_at = ktime_get_mono_fast_ns();
	slot->halt = false;
	slot->state = restored_state(wave);
	unlink_wave(dev, saved);
}

/**
 * sim_save_restore() - the waves of a workgroup go on where they were
 * @group: workgroup that has all it needs and came out of its own room
 */
void sim_save_restore(struct sim_group *group)
{
	struct sim_save *save = group->save;
	struct sim_cu *cu = group->cu;
	unsigned int i, wave = 0;

	if (group->lds_size)
		memcpy(sim_group_lds(group), save->lds, group->lds_size);
	for (i = 0; i < SIM_CU_SLOTS; i++)
		if (cu->slot[i].group == group)
			restore_wave(&cu->slot[i], &save->waves[wave++]);
	if (sim_bank_tba(&group->queue->ctx->bank))
		sim_sweep_start(cu->dev);
	sim_stat_inc(cu->dev, SIM_STAT_RESTORES);
}

/*
 * Meanwhile
 */

/**
 * sim_save_can_run() - would a saved wave of @ctx run if it were restored?
 * @ctx: context
 *
 * Compute units ask often, and a user may have any number of halted waves.
 */
bool sim_save_can_run(const struct sim_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	return READ_ONCE(ctx->nr_can_run);
}

/** sim_save_recount() - saved waves of @ctx that would run, one by one */
unsigned int sim_save_recount(struct sim_ctx *ctx)
{
	struct sim_saved_wave *saved;
	unsigned int n = 0;

	lockdep_assert_held(&ctx->dev->sq_lock);
	list_for_each_entry(saved, &ctx->saved_waves, ctx_node)
		n += wave_can_run(saved);
	return n;
}

/**
 * sim_save_find() - the saved wave whose next or present stop is @stop_id
 * @dev: device
 * @stop_id: the stop
 */
struct sim_saved_wave *sim_save_find(struct sim_device *dev, u64 stop_id)
{
	struct sim_saved_wave *saved;

	lockdep_assert_held(&dev->sq_lock);
	hash_for_each_possible(dev->saved_waves, saved, node, stop_id)
		if (saved->stop_id == stop_id)
			return saved;
	return NULL;
}

/** sim_save_find_wave() - the saved wave whose id is @wave_id */
struct sim_saved_wave *sim_save_find_wave(struct sim_device *dev, u64 wave_id)
{
	struct sim_saved_wave *saved;

	lockdep_assert_held(&dev->sq_lock);
	hash_for_each_possible(dev->saved_ids, saved, id_node, wave_id)
		if (saved->wave_id == wave_id)
			return saved;
	return NULL;
}

/**
 * sim_save_owes() - is there a saved wave that has hit and not yet trapped?
 * @dev: device
 *
 * Waves that are saved or restored meanwhile may be seen or not.
 */
bool sim_save_owes(struct sim_device *dev)
{
	return smp_load_acquire(&dev->nr_saved_owe);	/* pairs with set_owes() */
}

static void drop_waves(struct sim_device *dev, struct sim_save *save)
{
	unsigned int i;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	for (i = 0; i < save->group.nr_waves; i++)
		unlink_wave(dev, &save->waves[i]);
}

/** sim_save_drop() - the saved workgroups of @queue, which is killed, end */
void sim_save_drop(struct sim_queue *queue)
{
	struct sim_ctx *ctx = queue->ctx;
	struct sim_save *save, *tmp;

	lockdep_assert_held(&ctx->dev->lock);
	list_for_each_entry_safe(save, tmp, &ctx->saved, node) {
		if (save->group.queue != queue)
			continue;
		drop_waves(ctx->dev, save);
		list_del(&save->node);
		sim_group_over(&save->group);
		WRITE_ONCE(queue->nr_groups, queue->nr_groups - 1);
	}
	sim_ctx_update_saved(ctx);
}
