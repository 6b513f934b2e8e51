// SPDX-License-Identifier: GPL-2.0
/* Waves that are off the GPU: found by id, and what they would do if restored. */
#include <linux/hashtable.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "queue.h"
#include "save.h"

static void set_hit_pending(struct sim_device *dev,
			    struct sim_saved_wave *saved, bool hit_pending)
{
	lockdep_assert_held(&dev->sq_lock);
	/* what was there before is seen: pairs with sim_saved_has_pending_hits() */
	smp_store_release(&dev->nr_saved_hit_pending,
			  dev->nr_saved_hit_pending + hit_pending -
				  saved->hit_pending);
	saved->hit_pending = hit_pending;
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
	/* for sim_saved_can_run(), which looks again after a kick */
	WRITE_ONCE(ctx->nr_can_run,
		   ctx->nr_can_run + can_run - saved->can_run);
	saved->can_run = can_run;
}

/** sim_saved_written() - the state of a saved wave changed; sq_lock is held */
void sim_saved_written(struct sim_device *dev, struct sim_saved_wave *saved)
{
	set_hit_pending(dev, saved,
			sim_saved_wave(saved)->pending & TRAPSTS_WATCH);
	set_can_run(saved, wave_can_run(saved));
}

/** sim_saved_link() - a wave is off the GPU now; sq_lock is held */
void sim_saved_link(struct sim_device *dev, struct sim_saved_wave *saved)
{
	saved->hit_pending = false;
	saved->can_run = false;
	sim_saved_written(dev, saved);
	hash_add(dev->saved_waves, &saved->node, saved->stop_id);
	hash_add(dev->saved_ids, &saved->id_node, saved->wave_id);
	list_add_tail(&saved->ctx_node,
		      &saved->save->group.queue->ctx->saved_waves);
}

/** sim_saved_unlink() - not any more; sq_lock is held */
void sim_saved_unlink(struct sim_device *dev, struct sim_saved_wave *saved)
{
	WARN_ON_ONCE(saved->can_run != wave_can_run(saved));
	set_hit_pending(dev, saved, false);
	set_can_run(saved, false);
	hash_del(&saved->node);
	hash_del(&saved->id_node);
	list_del(&saved->ctx_node);
}

/**
 * sim_saved_can_run() - would a saved wave of @ctx run if it were restored?
 * @ctx: context
 *
 * Compute units ask often, and a user may have any number of halted waves.
 */
bool sim_saved_can_run(const struct sim_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	return READ_ONCE(ctx->nr_can_run);
}

/** sim_saved_recount() - saved waves of @ctx that would run, one by one */
unsigned int sim_saved_recount(struct sim_ctx *ctx)
{
	struct sim_saved_wave *saved;
	unsigned int n = 0;

	lockdep_assert_held(&ctx->dev->sq_lock);
	list_for_each_entry(saved, &ctx->saved_waves, ctx_node)
		n += wave_can_run(saved);
	return n;
}

/**
 * sim_saved_find_stop() - the saved wave whose next or present stop is @stop_id
 * @dev: device
 * @stop_id: the stop
 */
struct sim_saved_wave *sim_saved_find_stop(struct sim_device *dev, u64 stop_id)
{
	struct sim_saved_wave *saved;

	lockdep_assert_held(&dev->sq_lock);
	hash_for_each_possible(dev->saved_waves, saved, node, stop_id)
		if (saved->stop_id == stop_id)
			return saved;
	return NULL;
}

/** sim_saved_find() - the saved wave whose id is @wave_id */
struct sim_saved_wave *sim_saved_find(struct sim_device *dev, u64 wave_id)
{
	struct sim_saved_wave *saved;

	lockdep_assert_held(&dev->sq_lock);
	hash_for_each_possible(dev->saved_ids, saved, id_node, wave_id)
		if (saved->wave_id == wave_id)
			return saved;
	return NULL;
}

/**
 * sim_saved_has_pending_hits() - is there a saved wave that has hit and not yet trapped?
 * @dev: device
 *
 * Waves that are saved or restored meanwhile may be seen or not.
 */
bool sim_saved_has_pending_hits(struct sim_device *dev)
{
	return smp_load_acquire(&dev->nr_saved_hit_pending);	/* pairs with set_hit_pending() */
}
