// SPDX-License-Identifier: GPL-2.0
/*
 * Lift: watches side by side share one comparator.
 *
 * A watch's cover is lifted to the largest block around it that the watches of
 * its mode want anyway. Whoever is in that block is lifted to the same one: were
 * another larger, it would be the first one's, too. So to the policy they are
 * watches with equal covers, which one place serves.
 *
 * Where masks may have holes a block takes in others beside it. There two watches
 * may be in each other's block and yet have different ones: one of them is not
 * served by the other's, no more than without holes.
 *
 * Each mode has a tree of its own: to see loads where only stores are watched
 * would be strays. Pinned watches are not lifted: what was promised to them in
 * all contexts of a process is one cover.
 */
#include <kunit/visibility.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../core/core.h"
#include "../lib/placement.h"
#include "../lib/range_trie.h"
#include "coalesce.h"
#include "sched.h"
#include "watch.h"

unsigned int gpubp_max_stray;
EXPORT_SYMBOL_IF_KUNIT(gpubp_max_stray);
module_param_named(max_stray, gpubp_max_stray, uint, 0644);
MODULE_PARM_DESC(max_stray, "neighbouring watches share a comparator if at least one of so many bytes that it compares is watched; 1 all, 0 (default) they do not");

static struct kmem_cache *leaf_cache, *fork_cache;

static struct kmem_cache *cache_of(size_t size)
{
	return size == gpubp_range_trie_leaf_size() ? leaf_cache : fork_cache;
}

static void *node_alloc(size_t size)
{
	return kmem_cache_alloc(cache_of(size), GFP_KERNEL |
				__GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

static void node_free(void *node, size_t size)
{
	kmem_cache_free(cache_of(size), node);
}

static const struct gpubp_trie_mem mem = {
	.alloc	= node_alloc,
	.free	= node_free,
};

/* NULL: the device's blocks have too many granules for a trie */
static struct gpubp_range_trie *trie_of(const struct gpubp_watch *w)
{
	struct gpubp_ctx *ctx = w->ctx;
	int mode = gpubp_mode_for(w->access, ctx->dev->desc.caps.modes);

	lockdep_assert_held(&ctx->dev->lock);
	return mode >= 0 && ctx->sched->tries[mode].mem ?
		       &ctx->sched->tries[mode] :
		       NULL;
}

/** gpubp_coalesce_ctx() - for a new context */
void gpubp_coalesce_ctx(struct gpubp_ctx *ctx)
{
	struct gpubp_block_caps cover = gpubp_device_cover(ctx->dev);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ctx->sched->tries); i++)
		gpubp_range_trie_init(&ctx->sched->tries[i], &cover, &mem);
}

/** gpubp_coalesce_join() - one more watch; without memory it coalesces nobody */
void gpubp_coalesce_join(struct gpubp_watch *w)
{
	struct gpubp_range_trie *c = trie_of(w);

	w->coalesces = c && !gpubp_range_trie_insert(c, w->start,
						     w->last - w->start + 1);
}

/** gpubp_coalesce_leave() - a watch that joined goes */
void gpubp_coalesce_leave(struct gpubp_watch *w)
{
	if (!w->coalesces)
		return;
	gpubp_range_trie_remove(trie_of(w), w->start, w->last - w->start + 1);
	w->coalesces = false;
}

static void lift(const struct gpubp_watch *w, const struct gpubp_range_trie *c,
		 u32 stray, struct gpubp_block *block)
{
	if (w->ctx->dev->desc.caps.ternary)
		gpubp_range_trie_widen_ternary(c, block, stray);
	else
		gpubp_range_trie_widen(c, block, stray);
}

static bool is_same(const struct gpubp_block *a, const struct gpubp_block *b)
{
	return a->value == b->value && a->mask == b->mask;
}

/**
 * gpubp_coalesce_cover() - the blocks that comparators compare for it, lifted
 * @w: watch
 * @max: at most so many, 1 or 2
 * @block: result
 *
 * Return: as gpubp_watch_cover().
 */
int gpubp_coalesce_cover(const struct gpubp_watch *w, unsigned int max,
			 struct gpubp_block block[GPUBP_MAX_BLOCKS])
{
	const struct gpubp_range_trie *c = w->pinned ? NULL : trie_of(w);
	int i, nr = gpubp_watch_cover(w, max, block);
	u32 stray = READ_ONCE(gpubp_max_stray);

	for (i = 0; c && i < nr; i++)
		lift(w, c, stray, &block[i]);
	return nr == 2 && is_same(&block[0], &block[1]) ? 1 : nr;
}

/** gpubp_coalesce_is_wide() - blocks compare more than the watch's own cover */
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

/** gpubp_coalesce_init() - 0 or -ENOMEM; gpubp_coalesce_exit() in any case */
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

/** gpubp_coalesce_exit() - no context is left */
void gpubp_coalesce_exit(void)
{
	kmem_cache_destroy(fork_cache);
	kmem_cache_destroy(leaf_cache);
}
