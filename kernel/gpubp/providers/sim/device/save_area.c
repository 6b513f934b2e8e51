// SPDX-License-Identifier: GPL-2.0
/*
 * Save areas of a queue: enough for the workgroups of one dispatch that can be
 * on the GPU at once, since dispatches of a queue run one after the other. A
 * workgroup owns its save area and its scratch indices from its launch until it
 * has ended.
 */
#include <linux/gpubp.h>
#include <linux/mm.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "queue.h"
#include "save.h"

/** sim_save_area_vgpr_bytes() - bytes for the vector registers of one wave */
size_t sim_save_area_vgpr_bytes(const struct sim_dispatch *dispatch)
{
	return dispatch->kernel.nr_vgprs * SIM_LANES * sizeof(u32);
}

/** sim_save_area_lds_bytes() - bytes for the LDS of a workgroup */
size_t sim_save_area_lds_bytes(const struct sim_dispatch *dispatch)
{
	return ALIGN(dispatch->kernel.lds_size, 8);
}

static size_t save_area_bytes(const struct sim_dispatch *dispatch)
{
	return sim_dispatch_nr_waves(dispatch) *
		       (sizeof(struct sim_saved_wave) +
			sim_save_area_vgpr_bytes(dispatch)) +
	       sim_save_area_lds_bytes(dispatch);
}

static void save_area_free(struct sim_save_area *save)
{
	sim_vm_uncharge(&save->group.queue->ctx->vm,
			struct_size(save, data, save->size), 0);
	kvfree(save);
}

static void save_areas_free(struct list_head *areas)
{
	struct sim_save_area *save, *tmp;

	list_for_each_entry_safe(save, tmp, areas, pool_node)
		save_area_free(save);
}

static u64 nr_areas_missing(struct sim_queue *queue,
			    const struct sim_dispatch *dispatch)
{
	u64 nr = sim_dispatch_max_groups(dispatch);
	struct sim_save_area *save;

	nr = min(nr, dispatch->total);
	guard(mutex)(&queue->ctx->dev->lock);
	list_for_each_entry(save, &queue->save_areas, pool_node)
		if (nr && save->size >= save_area_bytes(dispatch))
			nr--;
	return nr;
}

static int save_area_add(struct sim_queue *queue,
			 const struct sim_dispatch *dispatch,
			 struct list_head *areas)
{
	size_t size = save_area_bytes(dispatch);
	struct sim_vm *vm = &queue->ctx->vm;
	struct sim_save_area *save;
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
	list_add_tail(&save->pool_node, areas);
	return 0;
}

/* free the areas that are too small for all queued dispatches and for @next */
static void save_areas_trim(struct sim_queue *queue,
			    const struct sim_dispatch *next)
{
	const struct sim_dispatch *dispatch;
	size_t least = save_area_bytes(next);
	struct sim_save_area *save, *tmp;
	LIST_HEAD(areas);

	scoped_guard(mutex, &queue->ctx->dev->lock) {
		list_for_each_entry(dispatch, &queue->dispatches, node)
			least = min(least, save_area_bytes(dispatch));
		list_for_each_entry_safe(save, tmp, &queue->save_areas,
					 pool_node)
			if (!save->used && save->size < least)
				list_move(&save->pool_node, &areas);
	}
	save_areas_free(&areas);
}

/**
 * sim_save_area_reserve() - allocate save areas for the workgroups of a
 *	dispatch
 * @queue: its queue; sim_queue.submit is held
 * @dispatch: dispatch that is not in the queue yet
 *
 * All workgroups of @dispatch that can be on the GPU at once can be saved then.
 * Charged to the context's memory and to the caller's memory cgroup.
 *
 * Return: 0 or -ENOMEM.
 */
int sim_save_area_reserve(struct sim_queue *queue,
			  const struct sim_dispatch *dispatch)
{
	LIST_HEAD(areas);
	u64 nr;

	lockdep_assert_held(&queue->submit);
	save_areas_trim(queue, dispatch);
	for (nr = nr_areas_missing(queue, dispatch); nr; nr--) {
		if (!save_area_add(queue, dispatch, &areas))
			continue;
		save_areas_free(&areas);
		return -ENOMEM;
	}
	guard(mutex)(&queue->ctx->dev->lock);
	list_splice_tail(&areas, &queue->save_areas);
	return 0;
}

/** sim_save_area_free_all() - free all save areas of @queue, which is unused */
void sim_save_area_free_all(struct sim_queue *queue)
{
	save_areas_free(&queue->save_areas);
}

/**
 * sim_save_area_claim() - claim a save area for a workgroup of @dispatch
 * @queue: its queue
 * @dispatch: dispatch
 *
 * Return: NULL if as many workgroups have one as whole workgroups fit on the
 * GPU. Workgroups at the end of a grid, and those of which waves have ended,
 * are smaller: others wait although they would fit. Save areas of earlier
 * dispatches do not raise this limit.
 */
struct sim_save_area *sim_save_area_claim(struct sim_queue *queue,
					  const struct sim_dispatch *dispatch)
{
	struct sim_save_area *save;

	lockdep_assert_held(&queue->ctx->dev->lock);
	/* each group that has not ended has claimed one */
	if (queue->nr_groups >= sim_dispatch_max_groups(dispatch))
		return NULL;
	list_for_each_entry(save, &queue->save_areas, pool_node) {
		if (save->used || save->size < save_area_bytes(dispatch))
			continue;
		save->used = true;
		return save;
	}
	return NULL;
}

/** sim_save_area_release() - release @save of a workgroup that has ended */
void sim_save_area_release(struct sim_save_area *save)
{
	lockdep_assert_held(&save->group.queue->ctx->dev->lock);
	save->used = false;
}

/** sim_save_area_release_scratch() - release the scratch indices of @group */
void sim_save_area_release_scratch(struct sim_group *group)
{
	while (group->nr_scratch)
		__clear_bit(group->scratch[--group->nr_scratch],
			    group->queue->scratch_map);
}

/**
 * sim_save_area_group_ended() - account the end of @group
 * @group: workgroup without waves, on the GPU or saved
 *
 * Under sim_device.lock.
 */
void sim_save_area_group_ended(struct sim_group *group)
{
	struct sim_ctx *ctx = group->queue->ctx;

	lockdep_assert_held(&ctx->dev->lock);
	sim_save_area_release_scratch(group);
	list_del(&group->save->group_node);
	sim_save_area_release(group->save);
	if (ctx->pending && !sim_ctx_has_untrapped_group(ctx)) {
		gpubp_ctx_settled(ctx->core, ctx->pending);
		ctx->pending = 0;
	}
}

static void save_area_drop_waves(struct sim_device *dev,
				 struct sim_save_area *save)
{
	unsigned int i;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	for (i = 0; i < save->group.nr_waves; i++)
		sim_saved_unlink(dev, &save->waves[i]);
}

/** sim_save_area_drop() - end the saved workgroups of a killed queue */
void sim_save_area_drop(struct sim_queue *queue)
{
	struct sim_ctx *ctx = queue->ctx;
	struct sim_save_area *save, *tmp;

	lockdep_assert_held(&ctx->dev->lock);
	list_for_each_entry_safe(save, tmp, &ctx->saved, node) {
		if (save->group.queue != queue)
			continue;
		save_area_drop_waves(ctx->dev, save);
		list_del(&save->node);
		sim_save_area_group_ended(&save->group);
		WRITE_ONCE(queue->nr_groups, queue->nr_groups - 1);
	}
	sim_ctx_update_saved(ctx);
}
