// SPDX-License-Identifier: GPL-2.0
/*
 * Workgroups: find one that fits, give it wave slots, registers and LDS,
 * launch its waves, synchronize them, take everything back.
 *
 * What hardware gives out is finite and there from the start, so that a
 * launch allocates nothing and cannot fail half-way.
 */
#include <linux/bitmap.h>
#include <linux/gpubp.h>
#include <linux/string.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "group.h"
#include "queue.h"
#include "save.h"
#include "stop.h"
#include "sweep.h"
#include "wavectl.h"

static unsigned int nr_blocks(const struct sim_dispatch *dispatch)
{
	return DIV_ROUND_UP(dispatch->kernel.nr_vgprs, SIM_VGPR_BLOCK);
}

/*
 * Slots
 */

static struct sim_slot *free_slot(struct sim_cu *cu, unsigned int simd)
{
	struct sim_slot *slot = &cu->slot[simd * SIM_SIMD_SLOTS];
	unsigned int i;

	for (i = 0; i < cu->dev->config.simd_slots; i++)
		if (!slot[i].group)
			return &slot[i];
	return NULL;
}

static struct sim_slot *take_slot_of(struct sim_cu *cu, unsigned int simd,
				     unsigned int blocks)
{
	struct sim_slot *slot = free_slot(cu, simd);
	unsigned long first;

	first = bitmap_find_next_zero_area(cu->vgpr_map[simd], SIM_SIMD_BLOCKS,
					   0, blocks, 0);
	if (!slot || first >= SIM_SIMD_BLOCKS)
		return NULL;
	bitmap_set(cu->vgpr_map[simd], first, blocks);
	slot->vgpr_block = first;
	slot->nr_vgpr_blocks = blocks;
	return slot;
}

/* waves of a group go to the SIMDs in turn, or where there is room */
static struct sim_slot *take_slot(struct sim_cu *cu, unsigned int wave,
				  unsigned int blocks)
{
	struct sim_slot *slot = NULL;
	int i;

	for (i = 0; !slot && i < SIM_NR_SIMDS; i++)
		slot = take_slot_of(cu, (wave + i) % SIM_NR_SIMDS, blocks);
	return slot;
}

static void give_slot_back(struct sim_slot *slot)
{
	bitmap_clear(slot->cu->vgpr_map[slot->simd], slot->vgpr_block,
		     slot->nr_vgpr_blocks);
	slot->group = NULL;
	sim_cu_place_soon(slot->cu);
}

static void give_slots_back(struct sim_group *group)
{
	struct sim_cu *cu = group->cu;
	int i;

	for (i = 0; i < SIM_CU_SLOTS; i++)
		if (cu->slot[i].group == group)
			give_slot_back(&cu->slot[i]);
}

static bool take_slots(struct sim_group *group, unsigned int nr,
		       unsigned int blocks)
{
	unsigned int wave;

	for (wave = 0; wave < nr; wave++) {
		struct sim_slot *slot = take_slot(group->cu, wave, blocks);

		if (!slot) {
			give_slots_back(group);
			return false;
		}
		slot->group = group;
	}
	group->nr_waves = nr;
	return true;
}

/*
 * LDS
 */

static unsigned int lds_blocks(const struct sim_group *group)
{
	return DIV_ROUND_UP(group->lds_size, SIM_LDS_BLOCK);
}

static bool take_lds(struct sim_group *group, u32 size)
{
	struct sim_cu *cu = group->cu;
	unsigned long first;

	group->lds_size = size;
	if (!size)
		return true;
	first = bitmap_find_next_zero_area(cu->lds_map, SIM_LDS_BLOCKS, 0,
					   lds_blocks(group), 0);
	if (first >= SIM_LDS_BLOCKS)
		return false;
	bitmap_set(cu->lds_map, first, lds_blocks(group));
	group->lds_block = first;
	/* what another process left there is none of this one's business */
	memset(sim_group_lds(group), 0, lds_blocks(group) * SIM_LDS_BLOCK);
	return true;
}

static void give_lds_back(struct sim_group *group)
{
	if (group->lds_size)
		bitmap_clear(group->cu->lds_map, group->lds_block,
			     lds_blocks(group));
}

/** sim_group_lds() - the group's LDS */
void *sim_group_lds(const struct sim_group *group)
{
	return group->cu->lds + group->lds_block * SIM_LDS_BLOCK;
}

/*
 * Launch
 */

static struct sim_group *free_group(struct sim_cu *cu)
{
	int i;

	for (i = 0; i < SIM_CU_SLOTS; i++)
		if (!cu->group[i].dispatch)
			return &cu->group[i];
	return NULL;
}

static bool take_room(struct sim_group *group, unsigned int nr_waves)
{
	if (!take_slots(group, nr_waves, nr_blocks(group->dispatch)))
		return false;
	if (take_lds(group, group->dispatch->kernel.lds_size))
		return true;
	give_slots_back(group);
	return false;
}

static void give_scratch_back(struct sim_group *group)
{
	while (group->nr_scratch)
		__clear_bit(group->scratch[--group->nr_scratch],
			    group->queue->scratch_map);
}

/*
 * A place for each wave, kept until the group is over. sim_save_take() launches no more
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
			give_scratch_back(group);
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
	if (!take_room(group, sim_launch_nr_waves(&launch))) {
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
	save = sim_save_take(queue, dispatch);
	if (!save)
		return NULL;
	if (!group || !take_next(group, dispatch)) {
		sim_save_give(save);
		sim_vmid_no_room(queue->ctx, cu->nr);
		return NULL;
	}
	sim_vmid_placed(queue->ctx);
	group->save = save;
	take_trap_setup(group, queue->ctx);
	sim_queue_launched(queue, dispatch);
	return group;
}

/* false: it finds no room there */
static bool put_back(struct sim_group *group, const struct sim_save *save)
{
	struct sim_cu *cu = group->cu;

	*group = save->group;
	group->cu = cu;
	if (take_room(group, group->nr_waves))
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
	if ((!ctx->vmid && !sim_save_can_run(ctx)) || !sim_vmid_get(ctx))
		return NULL;
	if (!group || !put_back(group, save)) {
		sim_vmid_no_room(ctx, cu->nr);
		return NULL;
	}
	sim_vmid_placed(ctx);
	sim_ctx_group_restored(ctx, save);
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

/** sim_slot_hw_id() - HW_ID of the wave in a slot: where it is now */
u32 sim_slot_hw_id(const struct sim_slot *slot)
{
	unsigned int tg = slot->group - slot->cu->group;

	return slot->nr | slot->simd << 4 | slot->cu->nr << 8 |
	       (tg & 0xf) << 16 | slot->group->queue->ctx->vmid << 20;
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
		slot->wave_id = sim_wavectl_new_id(cu->dev);
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
 * sim_group_place() - launch a workgroup or restore one, if one fits
 * @cu: compute unit
 *
 * The lists are looked at without a lock: who appends to them kicks this
 * thread afterwards.
 *
 * Return: whether there was one.
 */
bool sim_group_place(struct sim_cu *cu)
{
	return restore_one(cu) || launch_one(cu);
}

/*
 * Barrier and end
 */

/** sim_group_barrier() - one more wave waits, or one less can come */
void sim_group_barrier(struct sim_group *group)
{
	struct sim_cu *cu = group->cu;
	int i;

	if (!group->nr_waiting || group->nr_waiting < group->nr_waves)
		return;
	group->nr_waiting = 0;
	guard(raw_spinlock_irqsave)(&cu->lock);
	for (i = 0; i < SIM_CU_SLOTS; i++) {
		struct sim_slot *slot = &cu->slot[i];

		if (slot->group == group && slot->state == SIM_SLOT_BARRIER) {
			slot->wave.in_barrier = false;
			slot->state = slot->wave.status & STATUS_HALT ?
				SIM_SLOT_HALTED : SIM_SLOT_READY;
		}
	}
}

/** sim_group_vacate() - the waves of @group have left their slots */
void sim_group_vacate(struct sim_group *group)
{
	give_slots_back(group);
	give_lds_back(group);
	group->dispatch = NULL;
}

/**
 * sim_group_over() - no wave of @group exists any more
 * @group: on the GPU or in its room
 *
 * Under sim_device.lock.
 */
void sim_group_over(struct sim_group *group)
{
	struct sim_ctx *ctx = group->queue->ctx;

	lockdep_assert_held(&ctx->dev->lock);
	give_scratch_back(group);
	list_del(&group->save->group_node);
	sim_save_give(group->save);
	if (ctx->pending && !sim_ctx_is_untrapped(ctx)) {
		gpubp_ctx_settled(ctx->core, ctx->pending);
		ctx->pending = 0;
	}
}

static void end_group(struct sim_group *group)
{
	struct sim_queue *queue = group->queue;

	sim_group_vacate(group);
	guard(mutex)(&queue->ctx->dev->lock);
	sim_group_over(group);
	sim_queue_group_ended(queue);
}

/** sim_group_wave_ended() - the wave in @slot is gone */
void sim_group_wave_ended(struct sim_slot *slot)
{
	struct sim_group *group = slot->group;

	give_slot_back(slot);
	group->nr_waves--;
	if (group->nr_waves)
		sim_group_barrier(group);
	else
		end_group(group);
}
