// SPDX-License-Identifier: GPL-2.0
/*
 * Watches: equal requests share one object, found by address, armed or not.
 *
 * A watch exists while a binding of an event or of a set's member wants it. The
 * watches of a context are in an interval tree: the hit path finds those that
 * overlap an access, a binding finds an equal one. A new watch is charged to a
 * user, gets an entry in the device's fair queue and waits in .fresh until the
 * committer considers it. The committer alone changes @slots: from then on the
 * watch is in .armed, where it stays after it is disarmed until its copy has
 * aged, as hits in flight still need both. @old_slots and the times beside it
 * are kept for the same reason: a hit matches the watch by what its slots
 * compared at the time of the hit. A hit whose address is not known matches all
 * that its slots compared: the tree also finds watches by slots.
 *
 * Times and gaps are accounted to each binding at commits (@accounted and
 * @new_binding). The committer holds a reference to each watch that it handles
 * without the device lock, so that removing the last binding never waits for
 * it.
 *
 * All functions need the device lock unless they say otherwise.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/interval_tree_generic.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "../core/core.h"
#include "../trap/trap.h"
#include "coalesce.h"
#include "cover.h"
#include "sched.h"
#include "throttle.h"
#include "watch.h"

#define MAX_DEVICE_WATCHES	(4 << 20)	/* of all users; about 1 GiB */

#define WITHDRAW_MAX	256	/* watches dequeued with the device lock held */
#define WATCH_WEIGHT	1	/* in the fair queue: served once an epoch */

#define START(w)	((w)->start)
#define LAST(w)		((w)->last)

/* only its queries are used */
INTERVAL_TREE_DEFINE(struct gpubp_watch, rb, u64, subtree.last, START, LAST,
		     static inline, tree)

/*
 * Within this time after it was raised, a hit is reported. A later one has no
 * old value, and matches no watch that was disarmed since.
 */
#define HIT_DELAY_MAX_NS	(100 * NSEC_PER_MSEC)

static struct kmem_cache *watch_cache;

static u16 watch_all_slots(const struct gpubp_watch *w)
{
	return w->slots | w->old_slots | w->next_slots;
}

static struct gpubp_watch *rb_watch(struct rb_node *node)
{
	return rb_entry_safe(node, struct gpubp_watch, rb);
}

static void subtree_add(struct gpubp_watch_subtree *to, struct rb_node *node)
{
	const struct gpubp_watch *w = rb_watch(node);

	if (!w)
		return;
	to->last = max(to->last, w->subtree.last);
	to->slots |= w->subtree.slots;
}

/* true: nothing changed, so the parents need no update */
static bool subtree_update(struct gpubp_watch *w, bool exit)
{
	struct gpubp_watch_subtree now = { w->last, watch_all_slots(w) };

	subtree_add(&now, w->rb.rb_left);
	subtree_add(&now, w->rb.rb_right);
	if (exit && now.last == w->subtree.last &&
	    now.slots == w->subtree.slots)
		return true;
	w->subtree = now;
	return false;
}

RB_DECLARE_CALLBACKS(static, subtree_callbacks, struct gpubp_watch, rb, subtree,
		     subtree_update)

/* a removed watch is in no tree */
static void watch_slots_changed(struct gpubp_watch *w)
{
	if (!RB_EMPTY_NODE(&w->rb))
		subtree_callbacks_propagate(&w->rb, NULL);
}

/*
 * The interval tree requires order by start only. Watches are ordered by all
 * keys, so that an equal watch is found in O(log n) even if many overlap.
 */
static int watch_cmp(const struct gpubp_watch *w, u64 start, u64 last,
		     u8 access)
{
	if (w->start != start)
		return w->start < start ? -1 : 1;
	if (w->last != last)
		return w->last < last ? -1 : 1;
	return w->access - access;
}

/* the first watch that is not before these keys, or NULL */
static struct gpubp_watch *watch_from(struct gpubp_ctx *ctx, u64 start,
				      u64 last, u8 access)
{
	struct rb_node *node = ctx->watches.rb_root.rb_node;
	struct gpubp_watch *w, *found = NULL;

	while (node) {
		w = rb_entry(node, struct gpubp_watch, rb);
		if (watch_cmp(w, start, last, access) < 0) {
			node = node->rb_right;
		} else {
			found = w;
			node = node->rb_left;
		}
	}
	return found;
}

static struct gpubp_watch *watch_find(struct gpubp_ctx *ctx, u64 start,
				      u64 last, u8 access)
{
	struct gpubp_watch *w = watch_from(ctx, start, last, access);

	return w && !watch_cmp(w, start, last, access) ? w : NULL;
}

static void watch_insert(struct gpubp_watch *w, struct rb_root_cached *root)
{
	struct rb_node **link = &root->rb_root.rb_node, *parent = NULL;
	bool leftmost = true;

	while (*link) {
		struct gpubp_watch *p = rb_entry(*link, struct gpubp_watch, rb);

		parent = *link;
		p->subtree.last = max(p->subtree.last, w->last);
		if (watch_cmp(p, w->start, w->last, w->access) > 0) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	w->subtree = (struct gpubp_watch_subtree) { .last = w->last };
	rb_link_node(&w->rb, parent, link);
	rb_insert_augmented_cached(&w->rb, root, leftmost, &subtree_callbacks);
}

/**
 * gpubp_watch_cover() - compute the blocks that comparators compare for a watch
 * @watch: watch
 * @max: maximum number of blocks, 1 or 2
 * @block: result
 *
 * Return: number of blocks, or a negative errno; with a @max of 2 it cannot
 * fail for a watch that gpubp_watch_get() returned.
 */
int gpubp_watch_cover(const struct gpubp_watch *watch, unsigned int max,
		      struct gpubp_block block[GPUBP_MAX_BLOCKS])
{
	struct gpubp_block_caps cover = gpubp_device_cover(watch->ctx->dev);

	return gpubp_block_cover(&cover, watch->start,
				 watch->last - watch->start + 1, max, block);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_cover);

static struct gpubp_watch *watch_alloc(struct gpubp_ctx *ctx, u64 start,
				       u64 last, u8 access)
{
	struct gpubp_block block[GPUBP_MAX_BLOCKS];
	struct gpubp_watch *w;
	int nr;

	w = kmem_cache_zalloc(watch_cache, GPUBP_GFP_LOCKED);
	if (!w)
		return ERR_PTR(-ENOMEM);
	w->start = start;
	w->last = last;
	w->ctx = ctx;
	w->access = access;
	w->refs = 1;
	INIT_LIST_HEAD(&w->bindings);
	INIT_LIST_HEAD(&w->node);
	nr = gpubp_watch_cover(w, GPUBP_MAX_BLOCKS, block);
	if (nr < 0) {
		kmem_cache_free(watch_cache, w);
		return ERR_PTR(nr);
	}
	w->nr_blocks = nr;
	w->armed_from = ktime_get_ns();
	w->stats.since = ctx->dev->quantum + 1;
	return w;
}

static int watch_enqueue(struct gpubp_watch *w)
{
	if (!gpubp_ctx_can_arm(w->ctx))
		return 0;
	return gpubp_fairq_add(&w->ctx->dev->sched->policy.fairq,
			       &w->share->flow, &w->fq, WATCH_WEIGHT);
}

/* charge @w to @user, and queue it unless its context cannot be armed */
static int watch_charge(struct gpubp_watch *w, struct gpubp_user *user,
			bool reserved)
{
	int err;

	w->share = gpubp_user_charge(user, w->ctx->dev, reserved);
	if (IS_ERR(w->share))
		return PTR_ERR(w->share);
	err = watch_enqueue(w);
	if (err)
		gpubp_user_uncharge(w->share);
	return err;
}

static void watch_dequeue(struct gpubp_watch *w)
{
	if (w->fq.flow)
		gpubp_fairq_remove(&w->ctx->dev->sched->policy.fairq, &w->fq);
}

/**
 * gpubp_watch_get() - find the watch for these bytes, or create it
 * @ctx: context; the device lock is held
 * @start: first address
 * @len: bytes
 * @access: GPUBP_ACCESS_*
 * @user: charged for a new watch
 * @reserved: slots are reserved for the watch: ignore the user's limit
 *
 * The caller adds a binding, or calls gpubp_watch_free_unused().
 *
 * Return: the watch, or ERR_PTR: -ENOMEM, -EINVAL (wraps, or beyond the
 * device's addresses), -ERANGE (comparators cannot cover it), -EDQUOT (the
 * user's limit is reached), -ENOSPC (the device's limit is).
 */
struct gpubp_watch *gpubp_watch_get(struct gpubp_ctx *ctx, u64 start, u64 len,
				    u8 access, struct gpubp_user *user,
				    bool reserved)
{
	u64 last = start + len - 1;
	struct gpubp_watch *w;
	int err;

	KUNIT_STATIC_STUB_REDIRECT(gpubp_watch_get, ctx, start, len, access,
				   user, reserved);
	lockdep_assert_held(&ctx->dev->lock);
	if (!len || last < start)
		return ERR_PTR(-EINVAL);
	w = watch_find(ctx, start, last, access);
	if (w)
		return w;
	if (ctx->dev->nr_watches >= MAX_DEVICE_WATCHES)
		return ERR_PTR(-ENOSPC);
	w = watch_alloc(ctx, start, last, access);
	if (IS_ERR(w))
		return w;
	err = watch_charge(w, user, reserved);
	if (err) {
		kmem_cache_free(watch_cache, w);
		return ERR_PTR(err);
	}
	w->id = gpubp_new_id();
	watch_insert(w, &ctx->watches);
	ctx->trap->precise.watches++;
	gpubp_coalesce_add(w);
	gpubp_cover_watches(w->ctx, 1);
	ctx->dev->nr_watches++;
	return w;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_get);

/** gpubp_watch_binding_added() - account a new binding; device lock held */
void gpubp_watch_binding_added(struct gpubp_watch *watch)
{
	struct gpubp_device *dev = watch->ctx->dev;

	lockdep_assert_held(&dev->lock);
	watch->new_binding = true;
	if (list_empty(&watch->node))
		list_add_tail(&watch->node, &dev->fresh);
}

/**
 * gpubp_watch_is_wanted() - has the watch not been removed
 * @watch: watch; a reference and the device lock are held
 */
bool gpubp_watch_is_wanted(const struct gpubp_watch *watch)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	return !RB_EMPTY_NODE(&watch->rb);
}

/*
 * Dequeue some, from @from on, whose reference is dropped; NULL: from the first
 * one. Return: the next one, with a reference, or NULL.
 */
static struct gpubp_watch *withdraw_some(struct gpubp_ctx *ctx,
					 struct gpubp_watch *from)
{
	struct rb_node *node = rb_first_cached(&ctx->watches);
	unsigned int nr;

	lockdep_assert_held(&ctx->dev->lock);
	if (from) {
		if (gpubp_watch_is_wanted(from))
			node = &from->rb;
		gpubp_watch_put(from);
	}
	for (nr = 0; node && nr < WITHDRAW_MAX; node = rb_next(node), nr++)
		watch_dequeue(rb_entry(node, struct gpubp_watch, rb));
	if (!node)
		return NULL;
	from = rb_entry(node, struct gpubp_watch, rb);
	from->refs++;
	return from;
}

/**
 * gpubp_watches_withdraw() - dequeue watches that cannot be armed any more
 * @ctx: context for which gpubp_ctx_can_arm() is false; the device lock is not
 *	held
 *
 * Queued, they would waste slot time. May sleep.
 */
void gpubp_watches_withdraw(struct gpubp_ctx *ctx)
{
	struct gpubp_watch *next = NULL;

	do {
		scoped_guard(mutex, &ctx->dev->lock)
			next = withdraw_some(ctx, next);
		cond_resched();
	} while (next);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watches_withdraw);

/** gpubp_watch_dequeue() - do not arm it for a while; device lock held */
void gpubp_watch_dequeue(struct gpubp_watch *watch)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	watch_dequeue(watch);
}

/** gpubp_watch_enqueue() - undo gpubp_watch_dequeue(); false without memory */
bool gpubp_watch_enqueue(struct gpubp_watch *watch)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	return !watch_enqueue(watch);
}

static void watch_log_slots(const struct gpubp_watch *watch, u32 slots,
			    u64 time)
{
	struct gpubp_device *dev = watch->ctx->dev;

	gpubp_log_change(dev, dev->quantum, watch, slots, time);
}

/**
 * gpubp_watch_free_unused() - remove a watch that no event wants
 * @watch: watch; the device lock is held
 */
void gpubp_watch_free_unused(struct gpubp_watch *watch)
{
	struct gpubp_ctx *ctx = watch->ctx;

	lockdep_assert_held(&ctx->dev->lock);
	if (!list_empty(&watch->bindings) || !hlist_empty(&watch->members))
		return;
	gpubp_coalesce_remove(watch);
	gpubp_cover_watches(watch->ctx, -1);
	rb_erase_augmented_cached(&watch->rb, &ctx->watches,
				  &subtree_callbacks);
	RB_CLEAR_NODE(&watch->rb);
	list_del_init(&watch->node);
	watch_dequeue(watch);
	gpubp_throttle_free(watch);
	gpubp_user_uncharge(watch->share);
	ctx->dev->nr_watches--;
	if (watch->slots) {
		watch_log_slots(watch, 0, ktime_get_ns());
		trace_gpubp_disarm(ctx->dev->number, ctx->id, watch->id,
				   watch->start, watch->last, watch->slots);
	}
	gpubp_watch_put(watch);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_free_unused);

static void copy_set_read(struct gpubp_copy *copy)
{
	if (list_empty(&copy->node))
		return;
	list_del_init(&copy->node);
	copy->watch->ctx->nr_unread--;
}

static void watch_free_copy(struct gpubp_watch *watch)
{
	if (watch->copy)
		copy_set_read(watch->copy);
	kfree(watch->copy);
	watch->copy = NULL;
}

/** gpubp_watch_put() - drop a reference; the device lock is held */
void gpubp_watch_put(struct gpubp_watch *watch)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	if (--watch->refs)
		return;
	watch_free_copy(watch);
	kmem_cache_free(watch_cache, watch);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_put);

/** gpubp_watch_find() - the watch of [@start, @last] with this id, or NULL */
struct gpubp_watch *gpubp_watch_find(struct gpubp_ctx *ctx, u64 start,
				     u64 last, u64 id)
{
	struct gpubp_watch *w;
	struct rb_node *node;

	lockdep_assert_held(&ctx->dev->lock);
	for (w = watch_from(ctx, start, last, 0);
	     w && w->start == start && w->last == last;
	     w = rb_entry_safe(node, struct gpubp_watch, rb)) {
		if (w->id == id)
			return w;
		node = rb_next(&w->rb);
	}
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_find);

/** gpubp_watch_first() - first watch that overlaps [@start, @last], or NULL */
struct gpubp_watch *gpubp_watch_first(struct gpubp_ctx *ctx, u64 start,
				      u64 last)
{
	lockdep_assert_held(&ctx->dev->lock);
	return tree_iter_first(&ctx->watches, start, last);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_first);

/** gpubp_watch_next() - the one after @watch, likewise */
struct gpubp_watch *gpubp_watch_next(struct gpubp_watch *watch, u64 start,
				     u64 last)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	return tree_iter_next(watch, start, last);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_next);

static bool subtree_has_slots(struct rb_node *node, u32 slots)
{
	return node && rb_watch(node)->subtree.slots & slots;
}

/* the first watch in a subtree that has one */
static struct gpubp_watch *subtree_first(struct rb_node *node, u32 slots)
{
	bool left = subtree_has_slots(node->rb_left, slots);

	while (left || !(watch_all_slots(rb_watch(node)) & slots)) {
		node = left ? node->rb_left : node->rb_right;
		left = subtree_has_slots(node->rb_left, slots);
	}
	return rb_watch(node);
}

static struct gpubp_watch *subtree_next(struct rb_node *node, u32 slots)
{
	struct rb_node *child = NULL;	/* behind which to continue */

	for (; node; child = node, node = rb_parent(node)) {
		if (child && child == node->rb_right)
			continue;
		if (child && watch_all_slots(rb_watch(node)) & slots)
			return rb_watch(node);
		if (subtree_has_slots(node->rb_right, slots))
			return subtree_first(node->rb_right, slots);
	}
	return NULL;
}

/**
 * gpubp_watch_next_in_slots() - next watch that slots may have compared
 * @ctx: context; the device lock is held
 * @prev: the one before, or NULL
 * @slots: bitmap
 *
 * Return: a watch, by address, that one of @slots compares, will compare, or
 * compared so recently that hits may be unresolved, or NULL:
 * gpubp_watch_slots_at() tells at which times. The cost does not depend on how
 * many other watches there are, but for the depth of a tree.
 */
struct gpubp_watch *gpubp_watch_next_in_slots(struct gpubp_ctx *ctx,
					      struct gpubp_watch *prev,
					      u32 slots)
{
	struct rb_node *root = ctx->watches.rb_root.rb_node;

	lockdep_assert_held(&ctx->dev->lock);
	if (prev)
		return subtree_next(&prev->rb, slots);
	return subtree_has_slots(root, slots) ? subtree_first(root, slots) :
						NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_next_in_slots);

/**
 * gpubp_watch_slots_at() - bitmap of the slots that compared a watch at a time
 * @watch: watch; the device lock is held
 * @time: of a hit, ns of CLOCK_MONOTONIC
 */
u32 gpubp_watch_slots_at(const struct gpubp_watch *watch, u64 time)
{
	u32 slots = 0;

	lockdep_assert_held(&watch->ctx->dev->lock);
	if (watch->next_slots && time >= watch->ctx->dev->sched->commit_from)
		slots |= watch->next_slots;
	if (watch->slots && time >= watch->armed_from)
		slots |= watch->slots;
	if (watch->old_slots && time >= watch->old_from &&
	    time <= watch->old_to)
		slots |= watch->old_slots;
	return slots;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_slots_at);

/**
 * gpubp_watch_slots_certain() - bitmap of the slots that compared this watch at
 *	a time, and no other bytes around it
 * @watch: watch; the device lock is held
 * @time: of a hit, ns of CLOCK_MONOTONIC
 */
u32 gpubp_watch_slots_certain(const struct gpubp_watch *watch, u64 time)
{
	const struct gpubp_slot_changes *changes =
		watch->ctx->dev->sched->changes;
	unsigned long slots = gpubp_watch_slots_at(watch, time);
	u32 certain = 0;
	unsigned int s;

	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS)
		if (gpubp_slot_is_settled(&changes[s], time))
			certain |= BIT(s);
	return certain;
}

/**
 * gpubp_watch_set_next_slots() - a commit that programs slots for it begins
 * @watch: watch; the device lock is held
 * @slots: the slots; gpubp_watch_set_slots() follows
 *
 * A hit of the new program may be resolved before the commit is over.
 */
void gpubp_watch_set_next_slots(struct gpubp_watch *watch, u32 slots)
{
	BUILD_BUG_ON(BITS_PER_BYTE * sizeof(watch->slots) < GPUBP_MAX_SLOTS);
	lockdep_assert_held(&watch->ctx->dev->lock);
	watch->next_slots = slots;
	watch_slots_changed(watch);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_set_next_slots);

/**
 * gpubp_watch_set_slots() - set the slots that compare a watch after a commit
 * @watch: watch; the device lock is held
 * @slots: the slots from now on
 * @from: when the commit began
 * @to: when the last hit of the old program can have been raised
 */
void gpubp_watch_set_slots(struct gpubp_watch *watch, u32 slots, u64 from,
			   u64 to)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	watch->next_slots = 0;
	if (slots == watch->slots) {
		watch_slots_changed(watch);
		return;
	}
	if (watch->slots) {
		watch->old_slots = watch->slots;
		watch->old_from = watch->armed_from;
		watch->old_to = to;
	}
	watch->slots = slots;
	watch->armed_from = from;
	watch_slots_changed(watch);
	if (gpubp_watch_is_wanted(watch))
		watch_log_slots(watch, slots, from);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_set_slots);

/** gpubp_watch_update_list() - move it to its list; device lock held */
void gpubp_watch_update_list(struct gpubp_watch *watch)
{
	struct gpubp_device *dev = watch->ctx->dev;

	lockdep_assert_held(&dev->lock);
	if (gpubp_watch_is_wanted(watch) &&
	    (watch->slots || watch->old_slots || watch->copy))
		list_move_tail(&watch->node, &dev->armed);
	else
		list_del_init(&watch->node);
}

/**
 * gpubp_watch_gap() - how long a watch has been waiting to be armed
 * @watch: watch; the device lock is held
 */
struct gpubp_gap gpubp_watch_gap(const struct gpubp_watch *watch)
{
	u64 now = watch->ctx->dev->quantum;

	lockdep_assert_held(&watch->ctx->dev->lock);
	/* a watch that moves from slot to slot does not wait */
	if (watch->accounted || watch->slots || now <= watch->stats.since)
		return (struct gpubp_gap) {};
	return (struct gpubp_gap) {
		.quanta = now - watch->stats.since,
		.ns = ktime_get_ns() - watch->armed_from,
	};
}

/*
 * Account that the watch is armed or disarmed; returns how long it had waited.
 */
static struct gpubp_gap watch_note_quanta(struct gpubp_watch *watch, bool armed)
{
	u64 now = watch->ctx->dev->quantum;
	struct gpubp_gap gap = {};

	if (armed == watch->accounted)
		return gap;
	if (armed)
		gap = gpubp_watch_gap(watch);
	else
		watch->stats.quanta += now - watch->stats.since;
	gpubp_gap_raise(&watch->stats.gap, &gap);
	watch->stats.since = now;
	watch->accounted = armed;
	return gap;
}

/**
 * gpubp_watch_stats_now() - statistics of a watch up to now
 * @watch: watch; the device lock is held
 *
 * Return: the statistics, including the time for which it has been armed or
 * waiting.
 */
struct gpubp_watch_stats gpubp_watch_stats_now(const struct gpubp_watch *watch)
{
	struct gpubp_gap gap = gpubp_watch_gap(watch);
	struct gpubp_watch_stats stats = watch->stats;

	if (watch->accounted)
		stats.quanta += watch->ctx->dev->quantum - stats.since;
	gpubp_gap_raise(&stats.gap, &gap);
	return stats;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_stats_now);

/**
 * gpubp_watch_set_wide() - set whether slots compare more than the cover
 * @watch: watch; the device lock is held
 * @wide: they compare more than the cover, or will after this commit
 * @to: if not @wide: when the last hit of a wider block can have been raised
 */
void gpubp_watch_set_wide(struct gpubp_watch *watch, bool wide, u64 to)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	if (wide)
		watch->wide_to = U64_MAX;
	else if (watch->wide_to == U64_MAX)
		watch->wide_to = to;
}

static void member_account(struct gpubp_member_binding *mb, int by,
			   const struct gpubp_gap *gap)
{
	struct gpubp_set_binding *set_binding = mb->set_binding;
	struct gpubp_binding *b;

	set_binding->nr_armed += by;
	set_binding->considered = true;
	list_for_each_entry(b, &set_binding->bindings, watch_node) {
		gpubp_ctx_time_arm(&b->ctx_time, by);
		gpubp_ctx_time_add_gap(&b->ctx_time, gap);
	}
}

/**
 * gpubp_watch_account() - account a watch as armed or not to its bindings
 * @watch: watch; the device lock is held
 * @armed: a slot compares it, or it is throttled (throttle.c)
 */
void gpubp_watch_account(struct gpubp_watch *watch, bool armed)
{
	struct gpubp_member_binding *mb;
	int by = armed - watch->accounted;
	struct gpubp_binding *b;
	struct gpubp_gap gap;

	lockdep_assert_held(&watch->ctx->dev->lock);
	if (!by && !watch->new_binding)
		return;
	gap = watch_note_quanta(watch, armed);
	watch->new_binding = false;
	list_for_each_entry(b, &watch->bindings, watch_node)
		gpubp_binding_account(b, armed, &gap);
	hlist_for_each_entry(mb, &watch->members, watch_node)
		member_account(mb, by, &gap);
}

static struct gpubp_copy *copy_alloc(struct gpubp_watch *watch)
{
	struct gpubp_copy *copy = kzalloc(sizeof(*copy), GPUBP_GFP_LOCKED);

	if (!copy)
		return NULL;
	INIT_LIST_HEAD(&copy->node);
	copy->watch = watch;
	return copy;
}

static void copy_fill(struct gpubp_copy *copy, const struct gpubp_reading *read)
{
	const struct gpubp_watch *watch = copy->watch;
	u64 size =
		min_t(u64, watch->last - watch->start + 1, GPUBP_CHANGED_MAX);

	copy->read = *read;
	if (read->len == size) {
		copy_set_read(copy);
	} else if (list_empty(&copy->node)) {
		list_add_tail(&copy->node, &watch->ctx->unread);
		watch->ctx->nr_unread++;
	}
}

/**
 * gpubp_watch_set_copy() - set the copy of a watch that is being armed
 * @watch: watch; the device lock is held
 * @read: the first bytes; missing ones are not mapped, see
 *	gpubp_watch_catch_up()
 *
 * May sleep. Without memory hits have no old value, and each counts as a
 * change.
 */
void gpubp_watch_set_copy(struct gpubp_watch *watch,
			  const struct gpubp_reading *read)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	if (!watch->copy)
		watch->copy = copy_alloc(watch);
	if (!watch->copy)
		return;
	watch->copy->hit = 0;
	watch->copy->caught_up = false;
	copy_fill(watch->copy, read);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_set_copy);

/**
 * gpubp_watch_next_unread() - next watch whose bytes were not mapped
 * @ctx: context; the device lock is held
 *
 * Return: the least recently returned one, with a reference; NULL if there is
 * none.
 */
struct gpubp_watch *gpubp_watch_next_unread(struct gpubp_ctx *ctx)
{
	struct gpubp_copy *copy;

	lockdep_assert_held(&ctx->dev->lock);
	copy = list_first_entry_or_null(&ctx->unread, struct gpubp_copy, node);
	if (!copy)
		return NULL;
	list_move_tail(&copy->node, &ctx->unread);
	copy->watch->refs++;
	return copy->watch;
}

/**
 * gpubp_watch_catch_up() - set the copy of a watch whose bytes were not mapped
 * @watch: watch; the device lock is held
 * @read: the first bytes
 *
 * If a hit has set the copy since, it is newer and is kept.
 */
void gpubp_watch_catch_up(struct gpubp_watch *watch,
			  const struct gpubp_reading *read)
{
	struct gpubp_copy *copy = watch->copy;

	lockdep_assert_held(&watch->ctx->dev->lock);
	if (!copy || list_empty(&copy->node))
		return;
	if (copy->hit) {
		copy_set_read(copy);
		return;
	}
	copy->caught_up = true;
	copy_fill(copy, read);
}

/**
 * gpubp_watch_set_unmapped() - record whether nothing is mapped where a watch is
 * @watch: watch whose bytes were to be read; the device lock is held
 * @unmapped: nothing is
 *
 * If something was mapped there once, it had its chance of a hit, also if a
 * process frees its memory before it ends.
 */
void gpubp_watch_set_unmapped(struct gpubp_watch *watch, bool unmapped)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	watch->was_mapped |= !unmapped;
	watch->unmapped = !watch->was_mapped;
}

/** gpubp_watch_is_unmapped() - the device lock is held; false: also not known */
bool gpubp_watch_is_unmapped(const struct gpubp_watch *watch)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	return watch->unmapped;
}

/**
 * gpubp_watch_age() - forget what only old hits need
 * @watch: watch; the device lock is held
 * @resolved: all hits reported until then are resolved, ns of CLOCK_MONOTONIC
 *
 * That is its old slots and, unless it is armed, its copy.
 */
void gpubp_watch_age(struct gpubp_watch *watch, u64 resolved)
{
	lockdep_assert_held(&watch->ctx->dev->lock);
	if (resolved <= watch->old_to ||
	    resolved - watch->old_to <= HIT_DELAY_MAX_NS)
		return;
	if (watch->old_slots) {
		watch->old_slots = 0;
		watch_slots_changed(watch);
	}
	if (!watch->slots)
		watch_free_copy(watch);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_watch_age);

static bool watch_fits_slots(const struct gpubp_watch *w)
{
	return w->nr_blocks <= hweight32(gpubp_slots_usable(w->ctx->dev));
}

/** gpubp_watch_sync() - count a watch by its state; the device lock is held */
void gpubp_watch_sync(const struct gpubp_watch *w, struct gpubp_sync *sync)
{
	const struct gpubp_ctx *ctx = w->ctx;

	lockdep_assert_held(&ctx->dev->lock);
	sync->nr_watches++;
	if (ctx->fenced || ctx->handler_failed || ctx->dev->suspended)
		sync->nr_unserved++;
	else if (!w->slots && !watch_fits_slots(w))
		sync->nr_unserved++;
	else if (!w->slots)
		sync->nr_rotating++;
	else if (gpubp_clock_pending(ctx))
		sync->nr_pending++;
	else
		sync->nr_armed++;
}

/** gpubp_watch_init() - create the cache; 0 or -ENOMEM */
int gpubp_watch_init(void)
{
	gpubp_precise_set_find(gpubp_watch_find);
	watch_cache = KMEM_CACHE(gpubp_watch, SLAB_ACCOUNT);
	return watch_cache ? 0 : -ENOMEM;
}

/** gpubp_watch_exit() - destroy the cache; no watch is left */
void gpubp_watch_exit(void)
{
	kmem_cache_destroy(watch_cache);
}
