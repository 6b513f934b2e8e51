// SPDX-License-Identifier: GPL-2.0
/*
 * SPI, the part of silicon that launches waves: finds a workgroup of a queue,
 * or a saved one, that fits on a compute unit, allocates its resources, and
 * launches or restores its waves.
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

static struct sim_group *find_free_group(struct sim_cu *cu)
{
	int i;

	for (i = 0; i < SIM_CU_SLOTS; i++)
		if (!cu->group[i].dispatch)
			return &cu->group[i];
	return NULL;
}

/*
 * A scratch index for each wave, kept until the group has ended. There is a
 * free one: sim_save_area_claim() admits no more groups than fit with all their
 * waves alive.
 */
static bool claim_scratch(struct sim_group *group)
{
	unsigned long place, nr = sim_device_nr_waves(group->cu->dev);
	unsigned long *map = group->queue->scratch_map;

	group->nr_scratch = 0;
	while (group->nr_scratch < group->nr_waves) {
		place = find_first_zero_bit(map, nr);
		if (WARN_ON_ONCE(place >= nr)) {
			sim_save_area_release_scratch(group);
			return false;
		}
		__set_bit(place, map);
		group->scratch[group->nr_scratch++] = place;
	}
	return true;
}

/* the next workgroup of @dispatch: grid coordinates and resources */
static bool claim_next_group(struct sim_group *group,
			     struct sim_dispatch *dispatch)
{
	struct sim_launch launch = dispatch->launch;

	group->queue = dispatch->queue;
	group->dispatch = dispatch;
	group->nr_waiting = 0;
	sim_dispatch_wg(dispatch, dispatch->next, group->wg);
	memcpy(launch.wg, group->wg, sizeof(launch.wg));
	if (!sim_group_alloc(group, sim_launch_nr_waves(&launch))) {
		group->dispatch = NULL;
		return false;
	}
	if (claim_scratch(group))
		return true;
	sim_group_free(group);
	return false;
}

/* trap setup that waves latch at launch */
static void latch_trap_setup(struct sim_group *group, struct sim_ctx *ctx)
{
	struct sim_bank *bank = &group->bank;

	sim_bank_read(ctx->dev, ctx->vmid, bank);
	group->save->traps = sim_bank_tba(bank) &&
			     (bank->per_vmid_cntl & PER_VMID_CNTL_TRAP_EN) ?
			     bank->per_vmid_cntl : 0;
	list_add(&group->save->group_node, &ctx->groups);
}

/* the next workgroup of @queue with its resources, or NULL */
static struct sim_group *claim_group_of(struct sim_cu *cu,
					struct sim_queue *queue)
{
	struct sim_dispatch *dispatch = sim_queue_next(queue);
	struct sim_group *group = find_free_group(cu);
	struct sim_save_area *save;

	/* saved workgroups are restored first */
	if (sim_ctx_first_saved(queue->ctx) || !sim_vmid_get(queue->ctx))
		return NULL;
	save = sim_save_area_claim(queue, dispatch);
	if (!save)
		return NULL;
	if (!group || !claim_next_group(group, dispatch)) {
		sim_save_area_release(save);
		sim_vmid_not_placed(queue->ctx, cu->nr);
		return NULL;
	}
	sim_vmid_placed(queue->ctx);
	group->save = save;
	latch_trap_setup(group, queue->ctx);
	sim_queue_launched(queue, dispatch);
	return group;
}

/* the workgroup in @save is on the GPU again */
static void account_restored(struct sim_ctx *ctx, struct sim_save_area *save)
{
	lockdep_assert_held(&ctx->dev->lock);
	list_del(&save->node);
	sim_ctx_update_saved(ctx);
	ctx->nr_groups++;
}

/* false if it does not fit there */
static bool group_from_area(struct sim_group *group,
			    const struct sim_save_area *save)
{
	struct sim_cu *cu = group->cu;

	*group = save->group;
	group->cu = cu;
	if (sim_group_alloc(group, group->nr_waves))
		return true;
	group->dispatch = NULL;
	return false;
}

/* a saved workgroup of @ctx with its resources, or NULL */
static struct sim_group *claim_saved_of(struct sim_cu *cu, struct sim_ctx *ctx)
{
	struct sim_save_area *save = sim_ctx_first_saved(ctx);
	struct sim_group *group = find_free_group(cu);

	/* halted waves alone do not get a VMID, but keep the one they have */
	if ((!ctx->vmid && !sim_saved_can_run(ctx)) || !sim_vmid_get(ctx))
		return NULL;
	if (!group || !group_from_area(group, save)) {
		sim_vmid_not_placed(ctx, cu->nr);
		return NULL;
	}
	sim_vmid_placed(ctx);
	account_restored(ctx, save);
	return group;
}

static struct sim_group *claim_saved(struct sim_cu *cu)
{
	struct sim_device *dev = cu->dev;
	struct sim_group *group = NULL;
	struct sim_ctx *ctx, *tmp;

	guard(mutex)(&dev->lock);
	list_for_each_entry_safe(ctx, tmp, &dev->saved_ctxs, saved_node) {
		group = claim_saved_of(cu, ctx);
		if (group)
			break;
	}
	return group;
}

static struct sim_group *claim_group(struct sim_cu *cu)
{
	struct sim_device *dev = cu->dev;
	struct sim_group *group = NULL;
	struct sim_queue *queue, *tmp;

	guard(mutex)(&dev->lock);
	if (dev->resetting)
		return NULL;
	list_for_each_entry_safe(queue, tmp, &dev->runq, run_node) {
		group = claim_group_of(cu, queue);
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
	wave->xcc_id = 0;
	wave->max_skid = cu->dev->config.skid;
	wave->v = sim_slot_vgprs(slot);
	sim_launch_wave(launch, wave);
	wave->hw_id = sim_slot_hw_id(slot);
	sim_stop_begin(slot, slot->group->queue);
	slot->seen_insts = wave->nr_insts;
	slot->page_failed_inst = 0;
	scoped_guard(raw_spinlock_irqsave, &cu->lock) {
		slot->msg_sent = false;
		slot->unhalt_pending = false;
		slot->halt_pending = false;
		slot->state = SIM_SLOT_READY;
	}
	/* publish: from here on the wave can be halted by id */
	scoped_guard(raw_spinlock_irqsave, &cu->dev->sq_lock)
		slot->wave_id = new_wave_id(cu->dev);
	sim_stat_inc(cu->dev, SIM_STAT_WAVES);
}

static void launch_group(struct sim_group *group)
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
	group = claim_saved(cu);
	if (group)
		sim_save_restore(group);
	return group;
}

static bool launch_one(struct sim_cu *cu)
{
	struct sim_group *group;

	if (list_empty(&cu->dev->runq))
		return false;
	group = claim_group(cu);
	if (group)
		launch_group(group);
	return group;
}

/**
 * sim_spi_place() - launch a workgroup or restore one, if one fits
 * @cu: compute unit
 *
 * The lists are read without a lock: code that appends to them kicks this
 * thread afterwards.
 *
 * Return: true if a workgroup was placed.
 */
bool sim_spi_place(struct sim_cu *cu)
{
	return restore_one(cu) || launch_one(cu);
}
