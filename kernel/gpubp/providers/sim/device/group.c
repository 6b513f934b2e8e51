// SPDX-License-Identifier: GPL-2.0
/*
 * Workgroups: allocation of wave slots, registers and LDS; barrier; end.
 *
 * Hardware resources are preallocated, so that a launch allocates no memory and
 * cannot fail half-way.
 */
#include <linux/bitmap.h>
#include <linux/string.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "group.h"
#include "queue.h"
#include "save.h"

static unsigned int nr_blocks(const struct sim_dispatch *dispatch)
{
	return DIV_ROUND_UP(dispatch->kernel.nr_vgprs, SIM_VGPR_BLOCK);
}

/*
 * Slots
 */

static struct sim_slot *find_free_slot(struct sim_cu *cu, unsigned int simd)
{
	struct sim_slot *slot = &cu->slot[simd * SIM_SIMD_SLOTS];
	unsigned int i;

	for (i = 0; i < cu->dev->config.simd_slots; i++)
		if (!slot[i].group)
			return &slot[i];
	return NULL;
}

static struct sim_slot *alloc_slot_on(struct sim_cu *cu, unsigned int simd,
				      unsigned int blocks)
{
	struct sim_slot *slot = find_free_slot(cu, simd);
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

/* waves of a group are placed on the SIMDs round robin, or where they fit */
static struct sim_slot *alloc_slot(struct sim_cu *cu, unsigned int wave,
				   unsigned int blocks)
{
	struct sim_slot *slot = NULL;
	int i;

	for (i = 0; !slot && i < SIM_NR_SIMDS; i++)
		slot = alloc_slot_on(cu, (wave + i) % SIM_NR_SIMDS, blocks);
	return slot;
}

static void release_slot(struct sim_slot *slot)
{
	bitmap_clear(slot->cu->vgpr_map[slot->simd], slot->vgpr_block,
		     slot->nr_vgpr_blocks);
	slot->group = NULL;
	sim_cu_place_soon(slot->cu);
}

static void release_slots(struct sim_group *group)
{
	struct sim_cu *cu = group->cu;
	int i;

	for (i = 0; i < SIM_CU_SLOTS; i++)
		if (cu->slot[i].group == group)
			release_slot(&cu->slot[i]);
}

static bool alloc_slots(struct sim_group *group, unsigned int nr,
			unsigned int blocks)
{
	unsigned int wave;

	for (wave = 0; wave < nr; wave++) {
		struct sim_slot *slot = alloc_slot(group->cu, wave, blocks);

		if (!slot) {
			release_slots(group);
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

static bool alloc_lds(struct sim_group *group, u32 size)
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
	/* do not leak data of another process */
	memset(sim_group_lds(group), 0, lds_blocks(group) * SIM_LDS_BLOCK);
	return true;
}

static void release_lds(struct sim_group *group)
{
	if (group->lds_size)
		bitmap_clear(group->cu->lds_map, group->lds_block,
			     lds_blocks(group));
}

/**
 * sim_group_alloc() - slots, registers and LDS for a workgroup
 * @group: workgroup
 * @nr_waves: number of its waves
 *
 * Return: false if it does not fit, and nothing is allocated.
 */
bool sim_group_alloc(struct sim_group *group, unsigned int nr_waves)
{
	if (!alloc_slots(group, nr_waves, nr_blocks(group->dispatch)))
		return false;
	if (alloc_lds(group, group->dispatch->kernel.lds_size))
		return true;
	release_slots(group);
	return false;
}

/** sim_slot_hw_id() - HW_ID of the wave in a slot: its current position */
u32 sim_slot_hw_id(const struct sim_slot *slot)
{
	unsigned int tg = slot->group - slot->cu->group;

	return slot->nr | slot->simd << 4 | slot->cu->nr << 8 |
	       (tg & 0xf) << 16 | slot->group->queue->ctx->vmid << 20;
}

/*
 * Barrier and end
 */

/** sim_group_barrier() - check the barrier after a wave arrived or ended */
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

/** sim_group_free() - free the resources of @group */
void sim_group_free(struct sim_group *group)
{
	release_slots(group);
	release_lds(group);
	group->dispatch = NULL;
}

static void end_group(struct sim_group *group)
{
	struct sim_queue *queue = group->queue;

	sim_group_free(group);
	guard(mutex)(&queue->ctx->dev->lock);
	sim_save_area_group_ended(group);
	sim_queue_group_ended(queue);
}

/** sim_group_wave_ended() - free the slot of a wave that ended or was killed */
void sim_group_wave_ended(struct sim_slot *slot)
{
	struct sim_group *group = slot->group;

	release_slot(slot);
	group->nr_waves--;
	if (group->nr_waves)
		sim_group_barrier(group);
	else
		end_group(group);
}
