// SPDX-License-Identifier: GPL-2.0
/*
 * SPI, as silicon calls what launches waves: finds a workgroup that fits onto a
 * compute unit, of a queue or a saved one, gives it all it needs, launches its
 * waves or restores them.
 */
#include <linux/bitmap.h>
#include <linux/string.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "group.h"
#include "place.h"
#include "queue.h"
#include "save.h"
#include "spi.h"
#include "stop.h"
#include "sweep.h"

static struct sim_group *free_group(struct sim_cu *cu)
{
	int i;

	for (i = 0; i < SIM_CU_SLOTS; i++)
		if (!cu->group[i].dispatch)
			return &cu->group[i];
	return NULL;
}

/*
 * A place for each wave, kept until the group is over. sim_room_take() launches no more
 * groups than fit when all of their waves live, so there is one.
 */
static bool take_scratch(struct sim_group *group)
{
	unsigned long place, nr = sim_device_nr_waves(group->cu->dev);
	unsigned long *map = group->queue->scratch_map;

	group->nr_scratch = 0;
	while (group->nr_scratch < group->nr_waves) {
		place = find_first_zero_bit(map, nr);
		if (WARN_ON_ONCE(place >= nr)) {
			sim_room_give_scratch(group);
			return false;
		}
		__set_bit(place, map);
		group->scratch[group->nr_scratch++] = place;
	}
	return true;
}

/* the next workgroup of @dispatch: where in the grid, and room for it */
static bool take_next(struct sim_group *group, struct sim_dispatch *dispatch)
{
	struct sim_launch launch = dispatch->launch;

	group->queue = dispatch->queue;
	group->dispatch = dispatch;
	group->nr_waiting = 0;
	sim_dispatch_wg(dispatch, dispatch->next, group->wg);
	memcpy(launch.wg, group->wg, sizeof(launch.wg));
	if (!sim_group_take_room(group, sim_launch_nr_waves(&launch))) {
		group->dispatch = NULL;
		return false;
	}
	if (take_scratch(group))
		return true;
	sim_group_vacate(group);
	return false;
}

/* what waves take at their launch, and keep */
static void take_trap_setup(struct sim_group *group, struct sim_ctx *ctx)
{
	struct sim_bank *bank = &group->bank;

	sim_bank_read(ctx->dev, ctx->vmid, bank);
	group->save->traps = sim_bank_tba(bank) &&
			     (bank->per_vmid_cntl & PER_VMID_CNTL_TRAP_EN) ?
			     bank->per_vmid_cntl : 0;
	list_add(&group->save->group_node, &ctx->groups);
}

/* a workgroup of @queue, with all it needs, or NULL */
static struct sim_group *take_group_of(struct sim_cu *cu,
				       struct sim_queue *queue)
{
	struct sim_dispatch *dispatch = sim_queue_next(queue);
	struct sim_group *group = free_group(cu);
	struct sim_save *save;

	/* those that were on the GPU come first */
	if (sim_ctx_first_saved(queue->ctx) || !sim_vmid_get(queue->ctx))
		return NULL;
	save = sim_room_take(queue, dispatch);
	if (!save)
		return NULL;
	if (!group || !take_next(group, dispatch)) {
		sim_room_give(save);
		sim_vmid_no_room(queue->ctx, cu->nr);
		return NULL;
	}
	sim_vmid_placed(queue->ctx);
	group->save = save;
	take_trap_setup(group, queue->ctx);
	sim_queue_launched(queue, dispatch);
	return group;
}

/* the workgroup in @save has a place again */
static void note_restored(struct sim_ctx *ctx, struct sim_save *save)
{
	lockdep_assert_held(&ctx->dev->lock);
	list_del(&save->node);
	sim_ctx_update_saved(ctx);
	ctx->nr_groups++;
}

/* false: it finds no room there */
static bool put_back(struct sim_group *group, const struct sim_save *save)
{
	struct sim_cu *cu = group->cu;

	*group = save->group;
	group->cu = cu;
	if (sim_group_take_room(group, group->nr_waves))
		return true;
	group->dispatch = NULL;
	return false;
}

/* a saved workgroup of @ctx, likewise */
static struct sim_group *take_saved_of(struct sim_cu *cu, struct sim_ctx *ctx)
{
	struct sim_save *save = sim_ctx_first_saved(ctx);
	struct sim_group *group = free_group(cu);

	/* for halted waves alone it takes no VMID, and keeps the one it has */
	if ((!ctx->vmid && !sim_saved_can_run(ctx)) || !sim_vmid_get(ctx))
		return NULL;
	if (!group || !put_back(group, save)) {
		sim_vmid_no_room(ctx, cu->nr);
		return NULL;
	}
	sim_vmid_placed(ctx);
	note_restored(ctx, save);
	return group;
}

static struct sim_group *take_saved(struct sim_cu *cu)
{
	struct sim_device *dev = cu->dev;
	struct sim_group *group = NULL;
	struct sim_ctx *ctx, *tmp;

	guard(mutex)(&dev->lock);
	list_for_each_entry_safe(ctx, tmp, &dev->saved_ctxs, saved_node) {
		group = take_saved_of(cu, ctx);
		if (group)
			break;
	}
	return group;
}

static struct sim_group *take_group(struct sim_cu *cu)
{
	struct sim_device *dev = cu->dev;
	struct sim_group *group = NULL;
	struct sim_queue *queue, *tmp;

	guard(mutex)(&dev->lock);
	if (dev->resetting)
		return NULL;
	list_for_each_entry_safe(queue, tmp, &dev->runq, run_node) {
		group = take_group_of(cu, queue);
		if (group)
			break;
	}
	return group;
}

static u64 new_wave_id(struct sim_device *dev)
{
	lockdep_assert_held(&dev->sq_lock);
	return SIM_WAVE_ID | ++dev->nr_wave_ids;
}

static void launch_wave(struct sim_slot *slot, const struct sim_launch *launch)
{
	struct sim_cu *cu = slot->cu;
	struct sim_wave *wave = &slot->wave;

	wave->arch = sim_config_arch(&cu->dev->config);
	wave->max_skid = cu->dev->config.skid;
	wave->v = sim_slot_vgprs(slot);
	sim_launch_wave(launch, wave);
	wave->hw_id = sim_slot_hw_id(slot);
	sim_stop_begin(slot, slot->group->queue);
	slot->seen_insts = wave->nr_insts;
	slot->gave_up = 0;
	scoped_guard(raw_spinlock_irqsave, &cu->lock) {
		slot->sent = false;
		slot->unhalt = false;
		slot->halt = false;
		slot->state = SIM_SLOT_READY;
	}
	/* who finds it can command it */
	scoped_guard(raw_spinlock_irqsave, &cu->dev->sq_lock)
		slot->wave_id = new_wave_id(cu->dev);
	sim_stat_inc(cu->dev, SIM_STAT_WAVES);
}

static void launch(struct sim_group *group)
{
	const struct sim_dispatch *dispatch = group->dispatch;
	struct sim_launch launch = dispatch->launch;
	struct sim_cu *cu = group->cu;
	int i;

	memcpy(launch.wg, group->wg, sizeof(launch.wg));
	launch.trap_en = group->bank.per_vmid_cntl & PER_VMID_CNTL_TRAP_EN;
	launch.ttmps = cu->dev->config.ttmps;
	launch.excp_en = sim_bank_excp_en(&group->bank);
	launch.excp_replace = group->bank.per_vmid_cntl &
			      PER_VMID_CNTL_EXCP_REPLACE;
	for (i = 0; i < SIM_CU_SLOTS; i++) {
		struct sim_slot *slot = &cu->slot[i];

		if (slot->group != group)
			continue;
		launch.scratch_offset = group->scratch[launch.wave] *
					group->queue->scratch_wave;
		launch_wave(slot, &launch);
		launch.wave++;
	}
	if (sim_bank_tba(&group->bank))
		sim_sweep_start(cu->dev);
}

static bool restore_one(struct sim_cu *cu)
{
	struct sim_group *group;

	if (list_empty(&cu->dev->saved_ctxs))
		return false;
	group = take_saved(cu);
	if (group)
		sim_save_restore(group);
	return group;
}

static bool launch_one(struct sim_cu *cu)
{
	struct sim_group *group;

	if (list_empty(&cu->dev->runq))
		return false;
	group = take_group(cu);
	if (group)
		launch(group);
	return group;
}

/**
 * sim_spi_place() - launch a workgroup or restore one, if one fits
 * @cu: compute unit
 *
 * The lists are looked at without a lock: who appends to them kicks this
 * thread afterwards.
 *
 * Return: whether there was one.
 */
bool sim_spi_place(struct sim_cu *cu)
{
	return restore_one(cu) || launch_one(cu);
}
