// SPDX-License-Identifier: GPL-2.0
/*
 * Candidates: watches as the policy sees them.
 *
 * The policy names turns, one after the other, until the comparators are used
 * up; what it must know of their watches is filled in then. So a run costs what
 * is armed, however many wait.
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
#include "sched.h"
#include "throttle.h"
#include "watch.h"

/*
 * A large block may have very many watches in it that compare other blocks: who
 * is not found waits for his turn.
 */
#define MAX_LOOKS	2048	/* for each block that is compared */

static struct kmem_cache *cand_cache;

static struct gpubp_watch *watch_of(struct gpubp_fairq_entry *entry)
{
	return container_of(entry, struct gpubp_watch, fq);
}

static struct gpubp_candidate *cand_new(struct gpubp_watch *w,
					unsigned int max_blocks)
{
	u32 modes = w->ctx->dev->desc.caps.modes;
	struct gpubp_candidate *cand;
	int nr;

	cand = kmem_cache_alloc(cand_cache, GFP_KERNEL | __GFP_NOWARN);
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
	kmem_cache_free(cand_cache, cand);
}

/*
 * When pinned watches leave one slot, a watch of two blocks would never have
 * its turn: one block covers it with more strays.
 */
static unsigned int max_blocks(const struct gpubp_commit *c)
{
	return c->dev->sched->policy.flexible == 1 ? 1 : GPUBP_MAX_BLOCKS;
}

static struct gpubp_candidate *cand_describe(struct gpubp_fairq_entry *entry,
					     void *arg)
{
	return cand_new(watch_of(entry), max_blocks(arg));
}

static void cand_drop(struct gpubp_candidate *cand, void *arg)
{
	cand_free(cand);
}

/* ---- groups -------------------------------------------------------------- */

/* its first binding in @group, or in any for 0; pinned ones do not take turns */
static struct gpubp_binding *grouped(const struct gpubp_watch *w, u64 group)
{
	struct gpubp_binding *b;

	if (w->pinned)
		return NULL;
	list_for_each_entry(b, &w->bindings, watch_node)
		if (b->group && (!group || b->group == group))
			return b;
	return NULL;
}

/* behind @b; of each watch one binding counts */
static struct gpubp_binding *next_grouped(struct gpubp_ctx *ctx,
					  struct list_head *behind, u64 group)
{
	struct gpubp_binding *b = list_entry(behind, typeof(*b), group_node);

	list_for_each_entry_continue(b, &ctx->grouped, group_node)
		if (b->group == group && grouped(b->watch, group) == b)
			return b;
	return NULL;
}

/* a watch of several groups has its turns with one of them */
static struct gpubp_fairq_entry *
cand_group_next(struct gpubp_fairq_entry *entry, struct gpubp_fairq_entry *prev,
		void *arg)
{
	struct gpubp_watch *w = watch_of(entry);
	struct gpubp_ctx *ctx = w->ctx;
	struct gpubp_binding *b;
	u64 group;

	b = list_empty(&ctx->grouped) ? NULL : grouped(w, 0);
	if (!b)
		return prev ? NULL : entry;
	group = b->group;
	if (prev)
		b = next_grouped(ctx,
				 &grouped(watch_of(prev), group)->group_node,
				 group);
	else
		b = next_grouped(ctx, &ctx->grouped, group);
	return b ? &b->watch->fq : NULL;
}

/* ---- who is served by what is compared anyway ---------------------------- */

static struct gpubp_ctx *ctx_by_id(struct gpubp_device *dev, u32 id)
{
	struct gpubp_ctx *ctx;

	list_for_each_entry(ctx, &dev->ctxs, node)
		if (ctx->id == id)
			return ctx;
	return NULL;
}

/* the one in question, then the others where each has a bank of its own */
static struct gpubp_ctx *next_ctx(struct gpubp_commit *c, u32 id,
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

/* between the parts of a block with holes there are watches of others */
static bool is_beside(const struct gpubp_watch *w, u32 id,
		      const struct gpubp_block *block)
{
	return w->ctx->id == id && !gpubp_block_contains(block, w->start) &&
	       !gpubp_block_contains(block, w->last);
}

/* in its own context a slot has one mask */
static bool is_served(const struct gpubp_commit *c, struct gpubp_watch *w,
		      u32 id, const struct gpubp_block *block)
{
	struct gpubp_block own[GPUBP_MAX_BLOCKS];
	int i, nr;

	if (is_beside(w, id, block))
		return false;
	nr = gpubp_coalesce_cover(w, max_blocks(c), own);
	for (i = 0; i < nr; i++)
		if (own[i].value == block->value &&
		    (w->ctx->id != id || own[i].mask == block->mask))
			return true;
	return false;
}

static struct gpubp_watch *next_in_block(struct gpubp_ctx *ctx,
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
	struct gpubp_watch *w = prev ? watch_of(prev) : NULL;
	struct gpubp_ctx *ctx = w ? w->ctx : ctx_by_id(c->dev, id);

	if (!prev)
		c->nr_looked = 0;
	for (; ctx; ctx = next_ctx(c, id, ctx), w = NULL)
		while ((w = next_in_block(ctx, w, block))) {
			if (c->nr_looked++ == MAX_LOOKS)
				return NULL;
			if (is_served(c, w, id, block))
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
 * struct promise - what a family was promised, and has in this quantum
 * @reservation: who
 * @nr: used entries of @place
 * @place: blocks for which a comparator is used
 * @ctx: for whom, if not for all contexts
 */
struct promise {
	const struct gpubp_reservation *reservation;
	unsigned int nr;
	u64 place[GPUBP_MAX_BLOCKS];
	u32 ctx[GPUBP_MAX_BLOCKS];
};

static struct gpubp_binding *pinned_for(const struct gpubp_candidate *cand)
{
	const struct gpubp_watch *w = cand->priv;
	struct gpubp_binding *b;

	list_for_each_entry(b, &w->bindings, watch_node)
		if (!list_empty(&b->pin_node))
			return b;
	return NULL;
}

static bool has_place(const struct gpubp_commit *c, const struct promise *p,
		      const struct gpubp_candidate *cand, unsigned int block)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		if (p->place[i] == cand->block[block].value &&
		    (c->caps.cntl_banked || p->ctx[i] == cand->ctx))
			return true;
	return false;
}

static bool use_promise(const struct gpubp_commit *c, struct promise *p,
			const struct gpubp_candidate *cand,
			unsigned int promised)
{
	unsigned int service = p->nr, i;

	for (i = 0; i < cand->nr_blocks; i++) {
		if (has_place(c, p, cand, i))
			continue;
		if (p->nr == min(promised, GPUBP_MAX_BLOCKS)) {
			p->nr = service;
			return false;
		}
		p->ctx[p->nr] = cand->ctx;
		p->place[p->nr++] = cand->block[i].value;
	}
	return true;
}

/* one comparator is never promised, so there are fewer families than slots */
static struct promise *promise_of(struct promise all[GPUBP_MAX_SLOTS],
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
 * A promise is for one cover. Other contexts of a process, children's, and all
 * ranges of a name but one may need more: they take turns, or what was never
 * promised would leave nothing to others. Those that are oldest have it.
 */
static void drop_unpromised(struct gpubp_commit *c)
{
	struct promise all[GPUBP_MAX_SLOTS] = {};
	struct gpubp_candidate *cand, *tmp;

	list_for_each_entry_safe(cand, tmp, &c->pinned, node) {
		struct gpubp_binding *b = pinned_for(cand);
		struct promise *p = promise_of(all, b->reservation);

		if (p && use_promise(c, p, cand, b->promised))
			continue;
		list_del(&cand->node);
		cand_free(cand);
	}
}

static int by_age(void *priv, const struct list_head *a,
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

/* should slots be lost, pinned watches take turns with each other */
static int by_turn(void *priv, const struct list_head *a,
		   const struct list_head *b)
{
	const struct gpubp_candidate *ca =
		list_entry(a, struct gpubp_candidate, node);
	const struct gpubp_candidate *cb =
		list_entry(b, struct gpubp_candidate, node);

	return ca->fq->quantum > cb->fq->quantum;
}

static int collect_pinned(struct gpubp_commit *c)
{
	struct gpubp_binding *b;
	struct gpubp_candidate *cand;

	list_for_each_entry(b, &c->dev->pinned, pin_node) {
		if (!gpubp_ctx_serves(b->ctx) ||
		    gpubp_watch_is_throttled(b->watch))
			continue;
		cand = cand_new(b->watch, GPUBP_MAX_BLOCKS);
		if (!cand)
			return -ENOMEM;
		list_add_tail(&cand->node, &c->pinned);
	}
	list_sort(NULL, &c->pinned, by_age);
	drop_unpromised(c);
	list_sort(NULL, &c->pinned, by_turn);
	return 0;
}

/* ---- for commits --------------------------------------------------------- */

/* what the policy must know of a device */
static struct gpubp_policy_caps policy_caps(struct gpubp_device *dev)
{
	return (struct gpubp_policy_caps) {
		.usable = gpubp_slots_usable(dev),
		.modes = dev->desc.caps.modes,
		.cntl_banked = dev->desc.caps.cntl_banked,
		.kind = READ_ONCE(dev->sched->policy_kind),
	};
}

/**
 * gpubp_candidates_choose() - who is armed in the next quantum
 * @c: commit; the device lock is held
 *
 * Return: 0, or -ENOMEM: no promise is broken for want of memory.
 */
int gpubp_candidates_choose(struct gpubp_commit *c)
{
	struct gpubp_policy *policy = &c->dev->sched->policy;
	struct gpubp_candidate *cand, *tmp;
	int err;

	lockdep_assert_held(&c->dev->lock);
	c->caps = policy_caps(c->dev);
	err = collect_pinned(c);
	if (err)
		return err;
	gpubp_policy_next(policy, &c->caps, &ops, c, &c->pinned, &c->armed);
	gpubp_clocks_quantum(c->dev, policy->fairq.quantum);
	list_for_each_entry_safe(cand, tmp, &c->pinned, node)
		if (cand->armed)
			list_move(&cand->node, &c->armed);
	c->nr_armed = list_count_nodes(&c->armed);
	c->nr_wanted = policy->fairq.nr;
	c->rotates = gpubp_policy_rotates(policy) ||
		     (c->caps.usable && !list_empty(&c->pinned));
	return 0;
}

/** gpubp_candidates_put() - the commit is over; the device lock is held */
void gpubp_candidates_put(struct gpubp_commit *c)
{
	struct gpubp_candidate *cand, *tmp;

	lockdep_assert_held(&c->dev->lock);
	list_splice_init(&c->pinned, &c->armed);
	list_for_each_entry_safe(cand, tmp, &c->armed, node)
		cand_free(cand);
	INIT_LIST_HEAD(&c->armed);
}

/** gpubp_candidates_init() - 0 or -ENOMEM */
int gpubp_candidates_init(void)
{
	cand_cache = KMEM_CACHE(gpubp_candidate, 0);
	return cand_cache ? 0 : -ENOMEM;
}

/** gpubp_candidates_exit() - no device is left */
void gpubp_candidates_exit(void)
{
	kmem_cache_destroy(cand_cache);
}
