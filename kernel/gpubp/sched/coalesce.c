// SPDX-License-Identifier: GPL-2.0
/*
 * Coalescing: neighbouring watches share one comparator.
 *
 * The cover of a watch is widened to the largest block around it of which the
 * watches of the same mode watch at least one byte in max_stray. All watches in
 * that block are widened to the same block: if one had a larger block, it would
 * be the largest block of the others, too. So the policy sees watches with
 * equal covers, which share a slot.
 *
 * With ternary masks a block may have holes. Two watches may then lie in each
 * other's block and nevertheless have different blocks; they do not share a
 * slot.
 *
 * Each mode has a trie of its own: loads seen where only stores are watched
 * would be strays. Pinned watches are not widened: their reservation is for one
 * cover in all contexts of a process.
 */
#include <kunit/visibility.h>
#include <linux/bits.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "../core/core.h"
#include "coalesce.h"
#include "sched.h"
#include "watch.h"

unsigned int gpubp_max_stray;
EXPORT_SYMBOL_IF_KUNIT(gpubp_max_stray);
module_param_named(max_stray, gpubp_max_stray, uint, 0644);
MODULE_PARM_DESC(max_stray, "neighbouring watches share a comparator if at least one in this many of its bytes is watched; 1: all are, 0 (default): only in place of turns");

#define UPDATE_BATCH	1024	/* watches added or removed by a commit */

static struct kmem_cache *leaf_cache, *fork_cache;

static struct kmem_cache *coalesce_node_cache(size_t size)
{
	return size == gpubp_range_trie_leaf_size() ? leaf_cache : fork_cache;
}

static void *coalesce_node_alloc(size_t size)
{
	return kmem_cache_alloc(coalesce_node_cache(size), GPUBP_GFP_LOCKED);
}

static void coalesce_node_free(void *node, size_t size)
{
	kmem_cache_free(coalesce_node_cache(size), node);
}

static const struct gpubp_trie_mem trie_mem = {
	.alloc	= coalesce_node_alloc,
	.free	= coalesce_node_free,
};

/* NULL if the device's blocks have too many granules for a trie */
static struct gpubp_range_trie *watch_trie(const struct gpubp_watch *w)
{
	struct gpubp_ctx *ctx = w->ctx;
	int mode = gpubp_mode_for(w->access, ctx->dev->desc.caps.modes);
	struct gpubp_range_trie *tries = ctx->sched->coalescing.tries;

	lockdep_assert_held(&ctx->dev->lock);
	return mode >= 0 && tries[mode].mem ? &tries[mode] : NULL;
}

/** gpubp_coalesce_init_ctx() - initialise the tries of a new context */
void gpubp_coalesce_init_ctx(struct gpubp_ctx *ctx)
{
	struct gpubp_block_caps cover = gpubp_device_cover(ctx->dev);
	struct gpubp_coalescing *c = &ctx->sched->coalescing;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(c->tries); i++)
		gpubp_range_trie_init(&c->tries[i], &cover, &trie_mem);
	c->on = READ_ONCE(gpubp_max_stray);
}

/* ---- which watches are in the tries -------------------------------------- */

static void trie_add_watch(struct gpubp_watch *w)
{
	struct gpubp_range_trie *trie = watch_trie(w);

	w->coalesces = trie && !gpubp_range_trie_insert(trie, w->start,
							w->last - w->start + 1);
}

static void trie_remove_watch(struct gpubp_watch *w)
{
	if (!w->coalesces)
		return;
	gpubp_range_trie_remove(watch_trie(w), w->start,
				w->last - w->start + 1);
	w->coalesces = false;
}

static struct gpubp_watch *watch_after(struct gpubp_watch *w)
{
	return rb_entry_safe(rb_next(&w->rb), struct gpubp_watch, rb);
}

/** gpubp_coalesce_add() - add a new watch; without memory it widens no block */
void gpubp_coalesce_add(struct gpubp_watch *w)
{
	if (w->ctx->sched->coalescing.on)
		trie_add_watch(w);
}

/** gpubp_coalesce_remove() - remove a watch that is still among the context's */
void gpubp_coalesce_remove(struct gpubp_watch *w)
{
	struct gpubp_coalescing *c = &w->ctx->sched->coalescing;

	if (c->next == w)
		c->next = watch_after(w);
	trie_remove_watch(w);
}

/* the one that the watch is charged to */
static struct mem_cgroup *watch_memcg(struct gpubp_watch *w)
{
	const struct gpubp_member_binding *mb =
		hlist_entry_safe(w->members.first, typeof(*mb), watch_node);
	const struct gpubp_binding *b =
		list_first_entry_or_null(&w->bindings, typeof(*b), watch_node);

	if (mb)
		return mb->set_binding->set->memcg;
	return b ? b->event->memcg : NULL;
}

static void trie_add_old_watch(struct gpubp_watch *w)
{
	struct mem_cgroup *old;

	if (w->coalesces)
		return;
	old = set_active_memcg(watch_memcg(w));
	trie_add_watch(w);
	set_active_memcg(old);
}

static void ctx_set_coalescing(struct gpubp_ctx *ctx, bool on)
{
	struct gpubp_coalescing *c = &ctx->sched->coalescing;

	if (c->on == on)
		return;
	c->on = on;
	c->next = rb_entry_safe(rb_first_cached(&ctx->watches),
				struct gpubp_watch, rb);
}

static void ctx_update_coalescing(struct gpubp_ctx *ctx, unsigned int *budget)
{
	struct gpubp_coalescing *c = &ctx->sched->coalescing;
	struct gpubp_watch *w;

	while ((w = c->next) && *budget) {
		c->next = watch_after(w);
		if (c->on)
			trie_add_old_watch(w);
		else
			trie_remove_watch(w);
		--*budget;
	}
}

/**
 * gpubp_coalesce_update() - add or remove some watches if it is wanted, or not
 *	any more
 * @dev: device; its lock is held
 *
 * The committer only. Return: false if the next commit has to go on.
 */
bool gpubp_coalesce_update(struct gpubp_device *dev)
{
	bool on = READ_ONCE(gpubp_max_stray);
	unsigned int budget = UPDATE_BATCH;
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node) {
		ctx_set_coalescing(ctx, on || ctx->sched->cover.wanted);
		ctx_update_coalescing(ctx, &budget);
	}
	return budget;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_coalesce_update);

/* ---- covers -------------------------------------------------------------- */

static void block_widen(const struct gpubp_watch *w,
			const struct gpubp_range_trie *trie, u32 stray,
			struct gpubp_block *block)
{
	if (w->ctx->dev->desc.caps.ternary)
		gpubp_range_trie_widen_ternary(trie, block, stray);
	else
		gpubp_range_trie_widen(trie, block, stray);
}

/* the part with @own; without holes, as only such blocks are widened in place of turns */
static void block_limit(struct gpubp_block *block, const struct gpubp_block *own,
			u32 log)
{
	u64 size = max(BIT_ULL(log), gpubp_block_size(own));

	if (gpubp_block_size(block) <= size)
		return;
	block->mask = own->mask & ~(size - 1);
	block->value = own->value & block->mask;
}

/*
 * In place of turns, what loads is not widened: a load often overwrites the register
 * with its address, and is then a possible hit of each watch of the block.
 */
static u32 watch_stray(const struct gpubp_watch *w, u32 wide)
{
	return max(READ_ONCE(gpubp_max_stray),
		   w->access & GPUBP_ACCESS_LOAD ? 0 : wide);
}

/**
 * gpubp_coalesce_cover_as() - blocks that comparators would compare for a watch
 * @w: watch
 * @max: maximum number of blocks, 1 or 2
 * @wide: how far its context is widened in place of turns
 * @block: result
 *
 * Return: as gpubp_watch_cover().
 */
int gpubp_coalesce_cover_as(const struct gpubp_watch *w, unsigned int max,
			    struct gpubp_widening wide,
			    struct gpubp_block block[GPUBP_MAX_BLOCKS])
{
	int i, nr = gpubp_watch_cover(w, max, block);
	const struct gpubp_range_trie *trie = NULL;
	u32 stray = watch_stray(w, wide.stray);
	struct gpubp_block own;

	if (stray && !w->pinned && !w->ctx->sched->coalescing.next)
		trie = watch_trie(w);
	for (i = 0; trie && i < nr; i++) {
		own = block[i];
		block_widen(w, trie, stray, &block[i]);
		if (stray > READ_ONCE(gpubp_max_stray))
			block_limit(&block[i], &own, wide.log);
	}
	return nr == 2 && gpubp_block_is_same(&block[0], &block[1]) ? 1 : nr;
}

/**
 * gpubp_coalesce_cover() - widened blocks that comparators compare for a watch
 * @w: watch
 * @max: maximum number of blocks, 1 or 2
 * @block: result
 *
 * Return: as gpubp_watch_cover().
 */
int gpubp_coalesce_cover(const struct gpubp_watch *w, unsigned int max,
			 struct gpubp_block block[GPUBP_MAX_BLOCKS])
{
	const struct gpubp_cover *cover = &w->ctx->sched->cover;
	const struct gpubp_widening wide = { cover->stray, cover->log };

	return gpubp_coalesce_cover_as(w, max, wide, block);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_coalesce_cover);

/** gpubp_coalesce_is_wide() - do blocks compare more than the own cover */
bool gpubp_coalesce_is_wide(const struct gpubp_watch *w,
			    const struct gpubp_block *block, int nr)
{
	struct gpubp_block own[GPUBP_MAX_BLOCKS];
	int i, nr_own = gpubp_watch_cover(w, GPUBP_MAX_BLOCKS, own);
	u64 bytes = 0;

	for (i = 0; i < nr; i++)
		bytes += gpubp_block_size(&block[i]);
	for (i = 0; i < nr_own; i++)
		bytes -= gpubp_block_size(&own[i]);
	return bytes;
}

/**
 * gpubp_coalesce_init() - create the caches
 *
 * Return: 0 or -ENOMEM; gpubp_coalesce_exit() must be called in either case.
 */
int gpubp_coalesce_init(void)
{
	leaf_cache = kmem_cache_create("gpubp_range_trie_leaf",
				       gpubp_range_trie_leaf_size(), 0,
				       SLAB_ACCOUNT, NULL);
	fork_cache = kmem_cache_create("gpubp_range_trie_fork",
				       gpubp_range_trie_fork_size(), 0,
				       SLAB_ACCOUNT, NULL);
	return leaf_cache && fork_cache ? 0 : -ENOMEM;
}

/** gpubp_coalesce_exit() - destroy the caches; no context is left */
void gpubp_coalesce_exit(void)
{
	kmem_cache_destroy(fork_cache);
	kmem_cache_destroy(leaf_cache);
}
