// SPDX-License-Identifier: GPL-2.0
/* Watches: one object for equal wishes, found by address, armed or not. */
#include <kunit/visibility.h>
#include <linux/interval_tree_generic.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "context.h"
#include "device.h"
#include "watch.h"

#define START(w)	((w)->start)
#define LAST(w)		((w)->last)

INTERVAL_TREE_DEFINE(struct gpubp_watch, rb, u64, subtree_last, START, LAST,
		     static inline, tree)

static atomic64_t last_id = ATOMIC64_INIT(0);

static struct gpubp_watch *watch_find(struct gpubp_ctx *ctx, u64 start,
				      u64 last, u8 access)
{
	struct gpubp_watch *w;

	for (w = tree_iter_first(&ctx->watches, start, start); w;
	     w = tree_iter_next(w, start, start))
		if (w->start == start && w->last == last && w->access == access)
			return w;
	return NULL;
}

static int watch_cover(struct gpubp_watch *w)
{
	struct gpubp_cover_caps cover = gpubp_device_cover(w->ctx->dev);
	int nr = gpubp_cover_range(&cover, w->start, w->last - w->start + 1,
				   ARRAY_SIZE(w->block), w->block);

	if (nr < 0)
		return nr;
	w->nr_blocks = nr;
	return 0;
}

/**
 * gpubp_watch_get() - the watch for these bytes, made if there is none
 * @ctx: context; the device lock is held
 * @start: first address
 * @len: bytes
 * @access: GPUBP_ACCESS_*
 *
 * The caller adds a binding, or calls gpubp_watch_forget_if_unused().
 *
 * Return: the watch, or ERR_PTR: -ENOMEM, -EINVAL (wraps, or beyond the
 * device's addresses), -ERANGE (comparators cannot cover it).
 */
struct gpubp_watch *gpubp_watch_get(struct gpubp_ctx *ctx, u64 start, u64 len,
				    u8 access)
{
	u64 last = start + len - 1;
	struct gpubp_watch *w;
	int err;

	lockdep_assert_held(&ctx->dev->lock);
	if (!len || last < start)
		return ERR_PTR(-EINVAL);
	w = watch_find(ctx, start, last, access);
	if (w)
		return w;
	w = kzalloc(sizeof(*w), GFP_KERNEL);
	if (!w)
		return ERR_PTR(-ENOMEM);
	w->start = start;
	w->last = last;
	w->ctx = ctx;
	w->access = access;
	w->refs = 1;
	INIT_LIST_HEAD(&w->bindings);
	err = watch_cover(w);
	if (err) {
		kfree(w);
		return ERR_PTR(err);
	}
	w->id = atomic64_inc_return(&last_id);
	tree_insert(w, &ctx->watches);
	ctx->dev->nr_watches++;
	return w;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_get);

/**
 * gpubp_watch_forget_if_unused() - forget a watch that no event wants
 * @watch: watch; the device lock is held
 */
void gpubp_watch_forget_if_unused(struct gpubp_watch *watch)
{
	struct gpubp_ctx *ctx = watch->ctx;

	lockdep_assert_held(&ctx->dev->lock);
	if (!list_empty(&watch->bindings))
		return;
	tree_remove(watch, &ctx->watches);
	ctx->dev->nr_watches--;
	gpubp_watch_put(watch);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_forget_if_unused);

void gpubp_watch_put(struct gpubp_watch *watch)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	if (!--watch->refs)
		kfree(watch);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_put);

/** gpubp_watch_find() - the watch with this id, which starts at @start */
struct gpubp_watch *gpubp_watch_find(struct gpubp_ctx *ctx, u64 start, u64 id)
{
	struct gpubp_watch *w;

	lockdep_assert_held(&ctx->dev->lock);
	for (w = tree_iter_first(&ctx->watches, start, start); w;
	     w = tree_iter_next(w, start, start))
		if (w->id == id)
			return w;
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_find);

struct gpubp_watch *gpubp_watch_first(struct gpubp_ctx *ctx, u64 start,
				      u64 last)
{
	lockdep_assert_held(&ctx->dev->lock);
	return tree_iter_first(&ctx->watches, start, last);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_first);

struct gpubp_watch *gpubp_watch_next(struct gpubp_watch *watch, u64 start,
				     u64 last)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	return tree_iter_next(watch, start, last);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_next);

/**
 * gpubp_watch_slots_at() - which slots compared it when a hit was raised
 * @watch: watch; the device lock is held
 * @time: of the hit
 */
u32 gpubp_watch_slots_at(const struct gpubp_watch *watch, u64 time)
{
	u32 slots = 0;

	lockdep_assert_held(&watch->ctx->dev->lock);
	if (watch->slots && time >= watch->armed_from)
		slots |= watch->slots;
	if (watch->old_slots && time >= watch->old_from &&
	    time <= watch->old_to)
		slots |= watch->old_slots;
	return slots;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_slots_at);

/**
 * gpubp_watch_set_slots() - a commit changed what compares a watch
 * @watch: watch; the device lock is held
 * @slots: the slots from now on
 * @from: when the commit began
 * @to: when the last hit of the old program can have been raised
 */
void gpubp_watch_set_slots(struct gpubp_watch *watch, u32 slots, u64 from,
			   u64 to)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	if (slots == watch->slots)
		return;
	if (watch->slots) {
		watch->old_slots = watch->slots;
		watch->old_from = watch->armed_from;
		watch->old_to = to;
		watch->armed_ns += from - watch->armed_from;
	}
	watch->slots = slots;
	watch->armed_from = from;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_set_slots);
