// SPDX-License-Identifier: GPL-2.0
/* Saved waves: lookup by id, and whether they would execute if restored. */
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
	/*
	 * Earlier writes are visible: pairs with sim_saved_has_pending_hits().
	 */
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
	/* for sim_saved_can_run(), which is called again after a kick */
	WRITE_ONCE(ctx->nr_can_run,
		   ctx->nr_can_run + can_run - saved->can_run);
	saved->can_run = can_run;
}

/*
 * sim_saved_written() - update after a change of a saved wave; sq_lock is held
 */
void sim_saved_written(struct sim_device *dev, struct sim_saved_wave *saved)
{
	set_hit_pending(dev, saved,
			sim_saved_wave(saved)->pending & TRAPSTS_WATCH);
	set_can_run(saved, wave_can_run(saved));
}

/** sim_saved_link() - add a saved wave; sq_lock is held */
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

/*
 * sim_saved_unlink() - remove a wave that is restored or ended; sq_lock is held
 */
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
 * sim_saved_can_run() - would a saved wave of @ctx execute if restored?
 * @ctx: context
 *
 * A counter, since compute units call this often and a user may have any number
 * of halted waves.
 */
bool sim_saved_can_run(const struct sim_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	return READ_ONCE(ctx->nr_can_run);
}

/** sim_saved_recount() - count saved waves of @ctx that would execute */
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
 * sim_saved_find_stop() - the saved wave whose current or next stop is @stop_id
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
 * sim_saved_has_pending_hits() - does any saved wave have a hit for which it
 *	has not trapped?
 * @dev: device
 *
 * Waves that are saved or restored concurrently may be missed.
 */
bool sim_saved_has_pending_hits(struct sim_device *dev)
{
	/* pairs with set_hit_pending() */
	return smp_load_acquire(&dev->nr_saved_hit_pending);
}
