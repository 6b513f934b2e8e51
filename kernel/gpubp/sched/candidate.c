// SPDX-License-Identifier: GPL-2.0
/*
 * Candidates: watches as the policy sees them.
 *
 * The policy takes entries from the fair queue until the comparators are used
 * up, and asks for the description of each watch only then. So the cost of a
 * run depends on the number of armed watches, not on the number that wait.
 */
#include <linux/list_sort.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "../core/core.h"
#include "../lib/placement.h"
#include "../lib/policy.h"
#include "candidate.h"
#include "coalesce.h"
#include "commit.h"
#include "cover.h"
#include "sched.h"
#include "throttle.h"
#include "watch.h"

/*
 * A large block may contain very many watches that need other blocks. Watches
 * that the search does not reach are served later, from the queue.
 */
#define MAX_EXAMINED	2048	/* watches for each compared block */

static struct kmem_cache *candidate_cache;

static struct gpubp_watch *entry_watch(struct gpubp_fairq_entry *entry)
{
	return container_of(entry, struct gpubp_watch, fq);
}

static struct gpubp_candidate *cand_new(struct gpubp_watch *w,
					unsigned int max_blocks)
{
	u32 modes = w->ctx->dev->desc.caps.modes;
	struct gpubp_candidate *cand;
	int nr;

	cand = kmem_cache_alloc(candidate_cache, GPUBP_GFP_LOCKED);
	if (!cand)
		return NULL;
	*cand = (struct gpubp_candidate) {
		.fq = &w->fq,
		.ctx = w->ctx->id,
		.mode = gpubp_mode_for(w->access, modes),
		.slots = w->slots,
		.priv = w,
	};
	nr = gpubp_coalesce_cover(w, max_blocks, cand->block);
	if (nr < 0)
		nr = gpubp_coalesce_cover(w, GPUBP_MAX_BLOCKS, cand->block);
	cand->nr_blocks = nr;
	w->refs++;
	return cand;
}

static void cand_free(struct gpubp_candidate *cand)
{
	gpubp_watch_put(cand->priv);
	kmem_cache_free(candidate_cache, cand);
}

/*
 * If pinned watches leave one slot, a watch of two blocks would never be armed:
 * use one larger block, which has more strays.
 */
static unsigned int max_blocks(const struct gpubp_commit *c)
{
	return c->dev->sched->policy.flexible == 1 ? 1 : GPUBP_MAX_BLOCKS;
}

static struct gpubp_candidate *cand_describe(struct gpubp_fairq_entry *entry,
					     void *arg)
{
	struct gpubp_watch *w = entry_watch(entry);

	/* it may not be dequeued yet */
	return gpubp_ctx_can_arm(w->ctx) ? cand_new(w, max_blocks(arg)) : NULL;
}

static void cand_drop(struct gpubp_candidate *cand, void *arg)
{
	cand_free(cand);
}

/* ---- groups -------------------------------------------------------------- */

/* pinned watches do not rotate */
static u64 watch_group(const struct gpubp_watch *w)
{
	struct gpubp_binding *b;

	if (w->pinned || RB_EMPTY_ROOT(&w->ctx->grouped))
		return 0;
	list_for_each_entry(b, &w->bindings, watch_node)
		if (b->group)
			return b->group;
	return 0;
}

/* a watch of several groups is scheduled with the first of them only */
static struct gpubp_fairq_entry *
cand_group_next(struct gpubp_fairq_entry *entry, struct gpubp_fairq_entry *prev,
		void *arg)
{
	struct gpubp_watch *w = entry_watch(entry);
	u64 group = watch_group(w);

	if (!group)
		return prev ? NULL : entry;
	w = gpubp_group_next(w->ctx, group, prev ? entry_watch(prev) : NULL);
	return w ? &w->fq : NULL;
}

/* ---- watches that share a slot ------------------------------------------- */

static struct gpubp_ctx *device_ctx_by_id(struct gpubp_device *dev, u32 id)
{
	struct gpubp_ctx *ctx;

	list_for_each_entry(ctx, &dev->ctxs, node)
		if (ctx->id == id)
			return ctx;
	return NULL;
}

/* @id first, then the other contexts if control words are banked */
static struct gpubp_ctx *block_next_ctx(struct gpubp_commit *c, u32 id,
					struct gpubp_ctx *prev)
{
	struct gpubp_device *dev = c->dev;
	struct gpubp_ctx *ctx;

	if (!c->caps.cntl_banked)
		return NULL;
	ctx = prev->id == id ? list_entry(&dev->ctxs, typeof(*ctx), node) :
			       prev;
	list_for_each_entry_continue(ctx, &dev->ctxs, node)
		if (ctx->id != id)
			return ctx;
	return NULL;
}

/* @w lies in a hole of a ternary block */
static bool watch_is_in_hole(const struct gpubp_watch *w, u32 id,
			     const struct gpubp_block *block)
{
	return w->ctx->id == id && !gpubp_block_contains(block, w->start) &&
	       !gpubp_block_contains(block, w->last);
}

/* within a context a slot has a single mask, so the masks must be equal, too */
static bool watch_is_served(const struct gpubp_commit *c, struct gpubp_watch *w,
			    u32 id, const struct gpubp_block *block)
{
	struct gpubp_block own[GPUBP_MAX_BLOCKS];
	int i, nr;

	if (watch_is_in_hole(w, id, block))
		return false;
	nr = gpubp_coalesce_cover(w, max_blocks(c), own);
	for (i = 0; i < nr; i++)
		if (own[i].value == block->value &&
		    (w->ctx->id != id || own[i].mask == block->mask))
			return true;
	return false;
}

static struct gpubp_watch *block_next_watch(struct gpubp_ctx *ctx,
					    struct gpubp_watch *prev,
					    const struct gpubp_block *block)
{
	u64 last = gpubp_block_last(block);

	return prev ? gpubp_watch_next(prev, block->value, last) :
		      gpubp_watch_first(ctx, block->value, last);
}

static struct gpubp_fairq_entry *
cand_share_next(u32 id, const struct gpubp_block *block,
		struct gpubp_fairq_entry *prev, void *arg)
{
	struct gpubp_commit *c = arg;
	struct gpubp_watch *w = prev ? entry_watch(prev) : NULL;
	struct gpubp_ctx *ctx = w ? w->ctx : device_ctx_by_id(c->dev, id);

	if (!prev)
		c->nr_examined = 0;
	for (; ctx; ctx = block_next_ctx(c, id, ctx), w = NULL)
		while ((w = block_next_watch(ctx, w, block))) {
			if (c->nr_examined++ == MAX_EXAMINED)
				return NULL;
			if (watch_is_served(c, w, id, block))
				return &w->fq;
		}
	return NULL;
}

static const struct gpubp_policy_ops ops = {
	.describe	= cand_describe,
	.drop		= cand_drop,
	.group_next	= cand_group_next,
	.share_next	= cand_share_next,
};

/* ---- pinned watches ------------------------------------------------------ */

/**
 * struct pin_usage - comparators that a reservation uses in this quantum
 * @reservation: the reservation
 * @nr: used entries of @value and @ctx
 * @value: values of the blocks for which a comparator is used
 * @ctx: context that uses it, if control words are not banked
 */
struct pin_usage {
	const struct gpubp_reservation *reservation;
	unsigned int nr;
	u64 value[GPUBP_MAX_BLOCKS];
	u32 ctx[GPUBP_MAX_BLOCKS];
};

static struct gpubp_binding *
cand_pinned_binding(const struct gpubp_candidate *cand)
{
	const struct gpubp_watch *w = cand->priv;
	struct gpubp_binding *b;

	list_for_each_entry(b, &w->bindings, watch_node)
		if (!list_empty(&b->pin_node))
			return b;
	return NULL;
}

static bool usage_has_block(const struct gpubp_commit *c,
			    const struct pin_usage *usage,
			    const struct gpubp_candidate *cand,
			    unsigned int block)
{
	unsigned int i;

	for (i = 0; i < usage->nr; i++)
		if (usage->value[i] == cand->block[block].value &&
		    (c->caps.cntl_banked || usage->ctx[i] == cand->ctx))
			return true;
	return false;
}

static bool usage_add_cand(const struct gpubp_commit *c,
			   struct pin_usage *usage,
			   const struct gpubp_candidate *cand,
			   unsigned int reserved)
{
	unsigned int old_nr = usage->nr, i;

	for (i = 0; i < cand->nr_blocks; i++) {
		if (usage_has_block(c, usage, cand, i))
			continue;
		if (usage->nr == min(reserved, GPUBP_MAX_BLOCKS)) {
			usage->nr = old_nr;
			return false;
		}
		usage->ctx[usage->nr] = cand->ctx;
		usage->value[usage->nr++] = cand->block[i].value;
	}
	return true;
}

/*
 * One comparator is never reserved, so there are fewer reservations than slots.
 */
static struct pin_usage *usage_of(struct pin_usage all[GPUBP_MAX_SLOTS],
				  const struct gpubp_reservation *reservation)
{
	unsigned int i;

	for (i = 0; i < GPUBP_MAX_SLOTS; i++) {
		if (!all[i].reservation)
			all[i].reservation = reservation;
		if (all[i].reservation == reservation)
			return &all[i];
	}
	return NULL;
}

/*
 * A reservation is for one cover. An event may need more covers: for other
 * contexts of the process, for contexts of children and for each range of a
 * name. Drop the candidates that exceed the reservation, oldest watches first
 * served: they are scheduled with all other watches, which would otherwise be
 * starved.
 */
static void drop_unreserved(struct gpubp_commit *c)
{
	struct pin_usage all[GPUBP_MAX_SLOTS] = {};
	struct gpubp_candidate *cand, *tmp;

	list_for_each_entry_safe(cand, tmp, &c->pinned, node) {
		struct gpubp_binding *b = cand_pinned_binding(cand);
		struct pin_usage *usage = usage_of(all, b->reservation);

		if (usage && usage_add_cand(c, usage, cand, b->reserved))
			continue;
		list_del(&cand->node);
		cand_free(cand);
	}
}

static int cand_cmp_age(void *priv, const struct list_head *a,
			const struct list_head *b)
{
	const struct gpubp_watch *wa =
		list_entry(a, struct gpubp_candidate, node)->priv;
	const struct gpubp_watch *wb =
		list_entry(b, struct gpubp_candidate, node)->priv;

	if (wa->ctx->id != wb->ctx->id)
		return wa->ctx->id > wb->ctx->id;
	return wa->id > wb->id;
}

/* if slots are lost, pinned watches rotate among themselves */
static int cand_cmp_quantum(void *priv, const struct list_head *a,
			    const struct list_head *b)
{
	const struct gpubp_candidate *ca =
		list_entry(a, struct gpubp_candidate, node);
	const struct gpubp_candidate *cb =
		list_entry(b, struct gpubp_candidate, node);

	return (s32)(ca->fq->quantum - cb->fq->quantum) > 0;
}

static int collect_pinned(struct gpubp_commit *c)
{
	struct gpubp_binding *b;
	struct gpubp_candidate *cand;

	list_for_each_entry(b, &c->dev->pinned, pin_node) {
		if (!gpubp_ctx_can_arm(b->ctx) ||
		    gpubp_watch_is_throttled(b->watch))
			continue;
		cand = cand_new(b->watch, GPUBP_MAX_BLOCKS);
		if (!cand)
			return -ENOMEM;
		list_add_tail(&cand->node, &c->pinned);
	}
	list_sort(NULL, &c->pinned, cand_cmp_age);
	drop_unreserved(c);
	list_sort(NULL, &c->pinned, cand_cmp_quantum);
	return 0;
}

/* ---- for commits --------------------------------------------------------- */

/* the device as the policy sees it */
static struct gpubp_policy_caps device_policy_caps(struct gpubp_device *dev)
{
	return (struct gpubp_policy_caps) {
		.usable = gpubp_slots_usable(dev),
		.modes = dev->desc.caps.modes,
		.cntl_banked = dev->desc.caps.cntl_banked,
		.kind = READ_ONCE(dev->sched->policy_kind),
	};
}

/**
 * gpubp_candidates_choose() - choose the watches to arm in the next quantum
 * @c: commit; the device lock is held
 *
 * Return: 0, or -ENOMEM if a pinned watch could not become a candidate: the
 * caller must not arm others in its place.
 */
int gpubp_candidates_choose(struct gpubp_commit *c)
{
	struct gpubp_policy *policy = &c->dev->sched->policy;
	struct gpubp_candidate *cand, *tmp;
	bool coalesced;
	int err;

	lockdep_assert_held(&c->dev->lock);
	c->caps = device_policy_caps(c->dev);
	gpubp_covers_update(c->dev);
	coalesced = gpubp_coalesce_update(c->dev);
	err = collect_pinned(c);
	if (err)
		return err;
	coalesced &= gpubp_covers_choose(c);
	gpubp_policy_next(policy, &c->caps, &ops, c, &c->pinned, &c->armed);
	gpubp_clocks_quantum(c->dev, policy->fairq.quantum);
	list_for_each_entry_safe(cand, tmp, &c->pinned, node)
		if (cand->armed)
			list_move(&cand->node, &c->armed);
	c->nr_armed = list_count_nodes(&c->armed);
	c->nr_wanted = policy->fairq.nr;
	c->rotates = gpubp_policy_rotates(policy) || !coalesced ||
		     (c->caps.usable && !list_empty(&c->pinned));
	return 0;
}

/** gpubp_candidates_put() - free a commit's candidates; device lock held */
void gpubp_candidates_put(struct gpubp_commit *c)
{
	struct gpubp_candidate *cand, *tmp;

	lockdep_assert_held(&c->dev->lock);
	list_splice_init(&c->pinned, &c->armed);
	list_for_each_entry_safe(cand, tmp, &c->armed, node)
		cand_free(cand);
	INIT_LIST_HEAD(&c->armed);
}

/** gpubp_candidates_init() - create the cache; 0 or -ENOMEM */
int gpubp_candidates_init(void)
{
	candidate_cache = KMEM_CACHE(gpubp_candidate, 0);
	return candidate_cache ? 0 : -ENOMEM;
}

/** gpubp_candidates_exit() - destroy the cache; no device is left */
void gpubp_candidates_exit(void)
{
	kmem_cache_destroy(candidate_cache);
}
