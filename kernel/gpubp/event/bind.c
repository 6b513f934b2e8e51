// SPDX-License-Identifier: GPL-2.0
/*
 * Bindings: connect an event to watches, set bindings and traps.
 *
 * A visit marks the bindings of an event that are still wanted in a context,
 * adds the missing ones and removes the others. A round visits all contexts that
 * the event is, or was, to have bindings in, by their numbers. It may be made in
 * pieces, with gpubp_events_lock released between them: names and contexts are
 * for users to make, and there may be very many.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "../compat/perf.h"
#include "../compat/target.h"
#include "../compat/times.h"
#include "../core/core.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "bind.h"
#include "event.h"
#include "job.h"
#include "reserve.h"
#include "scope.h"
#include "set.h"

/* ranges of one name bound in a context; limits the load on other events */
#define MAX_RANGES	1024

/* longest wait for hits that were recorded before a binding or an event went */
#define LINGER_NS	(200 * NSEC_PER_MSEC)

/*
 * Mark of entries of gpubp_event.bound that are not bound any more, and how many there
 * may be: then samples that wait are lost
 */
#define UNBOUND		XA_MARK_1
#define UNBOUND_MAX	(64 << 10)
#define EXPIRE_MAX	16	/* at a time, under locks; one is added at a time */

/* all under gpubp_events_lock */
LIST_HEAD(gpubp_partial_events);
static u64 bind_visit;		/* number of the current visit */
static unsigned int bind_cost;	/* bindings, names and queues that it looked at */
static bool bind_changed;	/* a binding was added or removed */

/* ---- the index of an event's bindings ------------------------------------ */

static struct gpubp_binding_key key_of_spec(const struct gpubp_event *gev,
					    const struct gpubp_ctx *ctx,
					    u64 start, u64 len)
{
	struct gpubp_binding_key key = { .ctx = ctx->id };

	if (gev->set) {
		key.what = gev->set->id;
	} else if (gpubp_kind_is_trap(gev->spec.kind)) {
		key.start = gpubp_trap_key(&gev->spec, start);
	} else {
		key.start = start;
		key.len = len;
		key.what = gev->spec.access;
	}
	return key;
}

static int u64_cmp(u64 a, u64 b)
{
	return (a > b) - (a < b);
}

static int key_cmp(const void *key, const struct rb_node *node)
{
	const struct gpubp_binding_key *a = key, *b =
		&rb_entry(node, struct gpubp_binding, index_node)->key;

	return u64_cmp(a->ctx, b->ctx) ?: u64_cmp(a->start, b->start) ?:
	       u64_cmp(a->len, b->len) ?: u64_cmp(a->what, b->what);
}

static struct gpubp_binding *binding_at(struct rb_node *node)
{
	return rb_entry_safe(node, struct gpubp_binding, index_node);
}

static struct gpubp_binding *binding_find(struct gpubp_event *gev,
					  struct gpubp_ctx *ctx, u64 start,
					  u64 len)
{
	struct gpubp_binding_key key = key_of_spec(gev, ctx, start, len);

	return binding_at(rb_find(&key, &gev->index, key_cmp));
}

/* the first binding of a context, or else of the next one by number, or NULL */
static struct gpubp_binding *binding_first_from(struct gpubp_event *gev, u32 id)
{
	struct rb_node *node = gev->index.rb_node, *found = NULL;

	while (node) {
		if (binding_at(node)->key.ctx < id) {
			node = node->rb_right;
		} else {
			found = node;
			node = node->rb_left;
		}
	}
	return binding_at(found);
}

static struct gpubp_binding *binding_next(struct gpubp_binding *b)
{
	return binding_at(rb_next(&b->index_node));
}

static bool key_less(struct rb_node *a, const struct rb_node *b)
{
	return key_cmp(&binding_at(a)->key, b) < 0;
}

/* ---- what a watch or a trap has of its bindings -------------------------- */

static void binding_read_reservation(struct gpubp_binding *b)
{
	b->reserved = gpubp_reserve_slots(b->event);
	b->reservation = b->event->reservation;
}

static void watch_pin_for(struct gpubp_watch *watch, struct gpubp_binding *b)
{
	watch->pinned = true;
	list_add_tail(&b->pin_node, &watch->ctx->dev->pinned);
}

/* bindings with reserved comparators are first in the list */
static void watch_add_binding(struct gpubp_watch *watch,
			      struct gpubp_binding *b)
{
	binding_read_reservation(b);
	watch->sampled |= is_sampling_event(b->event->event);
	watch->filtered |= !!b->event->filter;
	if (!b->reserved) {
		list_add_tail(&b->watch_node, &watch->bindings);
		return;
	}
	list_add(&b->watch_node, &watch->bindings);
	if (!watch->pinned)
		watch_pin_for(watch, b);
}

/* if the watch was pinned for @b, pin it for another binding, if there is one */
static void watch_del_binding(struct gpubp_watch *watch,
			      struct gpubp_binding *b)
{
	list_del(&b->watch_node);
	if (list_empty(&b->pin_node))
		return;
	list_del_init(&b->pin_node);
	watch->pinned = false;
	b = list_first_entry_or_null(&watch->bindings, struct gpubp_binding,
				     watch_node);
	if (b && b->reserved)
		watch_pin_for(watch, b);
}

/* the reservation of one of its events changed */
static void watch_update_pinned(struct gpubp_watch *watch)
{
	struct gpubp_binding *b, *tmp;
	LIST_HEAD(bindings);

	list_splice_init(&watch->bindings, &bindings);
	watch->pinned = false;
	list_for_each_entry_safe(b, tmp, &bindings, watch_node) {
		list_del_init(&b->pin_node);
		watch_add_binding(watch, b);
	}
}

/* the first objects of a name have the slots of the reservation */
static bool trap_is_reserved(const struct gpubp_event *gev, unsigned int nth)
{
	return nth < gpubp_reserve_slots(gev);
}

/* a trap may have very many bindings: it counts those that pin it */
static void binding_pin_trap(struct gpubp_binding *b, bool pins, bool first)
{
	struct gpubp_trap_point *trap = b->trap;

	trap->nr_pinning += pins - b->pins;
	trap->nr_pinning_first += first - b->pins_first;
	b->pins = pins;
	b->pins_first = first;
	trap->pinned = trap->nr_pinning;
	trap->pinned_first = trap->nr_pinning_first;
}

static void binding_update_pinned(struct gpubp_binding *b)
{
	bool pins = trap_is_reserved(b->event, b->nth);

	binding_pin_trap(b, pins, pins && gpubp_reserve_is_of_process(b->event));
}

static void binding_update_group(struct gpubp_binding *b)
{
	u64 group;

	scoped_guard(rcu)
		group = gpubp_perf_group(b->event->event);
	if (b->event->group != group)
		b->event->group = GPUBP_GROUPS_DIFFER;
	gpubp_group_set(b, group);
}

/* what is bound in a visit is wanted since then; under gpubp_events_lock */
static struct gpubp_unseen bind_unseen;

/* before the context, or what is named in it, was there, nothing was wanted */
static void unseen_begins(struct gpubp_unseen *unseen,
			  const struct gpubp_ctx *ctx, u64 at)
{
	unseen->held |= at > unseen->since && gpubp_clock_holds_back(ctx);
	unseen->since = max(unseen->since, at);
	unseen->maybe = max(unseen->maybe, at);
}

/*
 * Hits of a thread become its leader's when it exits: not before it was seen running
 * last. An event of a process had them before.
 */
static void unseen_after_thread(struct gpubp_unseen *unseen,
				const struct gpubp_event *gev,
				struct gpubp_ctx *ctx, struct pid *pid)
{
	u64 ran_at = 0;

	if (!pid || gev->spec.process ||
	    !gpubp_ctx_is_inherited(ctx, pid, &ran_at, &bind_cost))
		return;
	unseen->since = ktime_get_ns();
	unseen->maybe = max(unseen->maybe, ran_at);
}

/* which of the event's being enabled and modified, and the context's queue was last */
static struct gpubp_unseen visit_unseen(struct gpubp_event *gev,
					struct gpubp_ctx *ctx)
{
	struct pid *pid = gpubp_target_owner(gev);
	struct gpubp_unseen unseen = {};

	unseen.since = gpubp_times_enabled_since(gev, pid, &unseen.maybe);
	unseen.since = max(unseen.since, gev->modified_at);
	unseen.maybe = max(unseen.maybe, gev->modified_at);
	unseen_begins(&unseen, ctx, gpubp_ctx_owned_since(ctx, pid));
	unseen_after_thread(&unseen, gev, ctx, pid);
	put_pid(pid);
	return unseen;
}

/* bind_set() does this for set bindings */
static void binding_account_begin(struct gpubp_binding *b,
				  const struct gpubp_unseen *unseen)
{
	gpubp_ctx_time_join(&b->event->event_time, &b->ctx_time, b->ctx);
	gpubp_ctx_time_begin(&b->ctx_time, unseen, 1, 0);
	gpubp_precise_binding_changed(b->ctx, b->event, 1);
	if (b->watch)
		gpubp_watch_binding_added(b->watch);
	else
		gpubp_trap_binding_added(b->trap);
}

/* how long the watch or trap of @b, no set binding, waits to be armed */
static struct gpubp_gap binding_gap(const struct gpubp_binding *b)
{
	return b->watch ? gpubp_watch_gap(b->watch) :
			  gpubp_trap_gap(b->trap);
}

static void binding_account_end(struct gpubp_binding *b)
{
	struct gpubp_gap gap;

	if (!b->set_binding) {
		gap = binding_gap(b);
		gpubp_ctx_time_add_gap(&b->ctx_time, &gap);
		gpubp_ctx_time_resize(&b->ctx_time, -1, -b->armed);
	}
	gpubp_precise_binding_changed(b->ctx, b->event, -1);
	gpubp_ctx_time_leave(&b->event->event_time, &b->ctx_time);
}

static void watch_unbound(struct gpubp_watch *watch, struct gpubp_binding *b)
{
	watch_del_binding(watch, b);
	gpubp_group_set(b, 0);
	gpubp_request_ctx(watch->ctx);
	gpubp_watch_free_unused(watch);
}

static void trap_unbound(struct gpubp_trap_point *trap, struct gpubp_binding *b)
{
	list_del(&b->watch_node);
	binding_pin_trap(b, false, false);
	gpubp_request_ctx(trap->ctx);
	gpubp_trap_free_unused(trap);
}

/* the oldest first */
static void bound_expire(struct gpubp_event *gev)
{
	unsigned int left = EXPIRE_MAX;
	unsigned long id;
	void *last;

	xa_for_each_marked(&gev->bound, id, last, UNBOUND) {
		if (!left--)
			return;
		xa_erase(&gev->bound, id);
		gev->nr_unbound--;
	}
}

/*
 * Samples of hits before may still wait, for which the id of their watch or trap is
 * looked up. The last of these hits stays in its place, so no memory is needed.
 */
static void bound_remove(struct gpubp_event *gev, const struct gpubp_binding *b)
{
	bool waiting = is_sampling_event(gev->event) && gpubp_tickets_waiting();
	u64 last = gev->hits->hit[b->ctx->dev->number % GPUBP_LAST_HITS];

	if (!waiting || gev->nr_unbound >= UNBOUND_MAX)
		bound_expire(gev);
	if (!waiting) {
		xa_erase(&gev->bound, b->watch_id);
		return;
	}
	xa_store(&gev->bound, b->watch_id, xa_mk_value(last), GFP_NOWAIT);
	xa_set_mark(&gev->bound, b->watch_id, UNBOUND);
	gev->nr_unbound++;
}

static void places_add(struct gpubp_places *places, const struct gpubp_binding *b)
{
	places->nr++;
	places->unmapped += gpubp_watch_is_unmapped(b->watch);
}

/* Return: the set binding to be freed if @b was its last binding, or NULL. */
static struct gpubp_set_binding *binding_remove(struct gpubp_binding *b)
{
	struct gpubp_set_binding *set_binding = b->set_binding;

	lockdep_assert_held(&b->ctx->dev->lock);
	binding_account_end(b);
	bind_changed = true;
	if (b->until)
		WRITE_ONCE(b->ctx->nr_unwanted, b->ctx->nr_unwanted - 1);
	list_del(&b->ctx_node);
	list_del_rcu(&b->event_node);
	b->event->nr_bindings--;
	rb_erase(&b->index_node, &b->event->index);
	if (!set_binding)
		bound_remove(b->event, b);
	if (b->watch) {
		places_add(&b->event->past, b);
		watch_unbound(b->watch, b);
	} else if (b->trap) {
		trap_unbound(b->trap, b);
	} else {
		list_del(&b->watch_node);
	}
	gpubp_user_uncharge_binding(b->event->user);
	kfree_rcu(b, rcu);
	return set_binding && list_empty(&set_binding->bindings) ? set_binding :
								   NULL;
}

/* after -ENOMEM the event is retried when room was made, see core/room.h */
static void count_unserved(struct gpubp_event *gev, int err)
{
	if (gev->round.running)
		gev->round.unserved++;
	else
		gev->unserved++;
	if (err == -ENOMEM)
		gev->round.incomplete |= gpubp_room_short(gev->memcg);
}

/* what an event without bindings does not need */
static bool event_prepare(struct gpubp_event *gev)
{
	gpubp_rights_bound(gev);
	if (!gev->hits)
		WRITE_ONCE(gev->hits,
			   kzalloc(sizeof(*gev->hits), GPUBP_GFP_LOCKED));
	return gev->hits;
}

static struct gpubp_binding *binding_alloc(struct gpubp_event *gev,
					   struct gpubp_ctx *ctx, u64 start,
					   u64 len)
{
	struct gpubp_binding *b = NULL;

	/* what was promised is not refused */
	if (gpubp_user_charge_binding(gev->user, gpubp_reserve_slots(gev))) {
		count_unserved(gev, -EDQUOT);
		return NULL;
	}
	if (gpubp_room_left(gev->memcg) && event_prepare(gev))
		b = kzalloc(sizeof(*b), GPUBP_GFP_LOCKED);
	if (!b) {
		gpubp_user_uncharge_binding(gev->user);
		count_unserved(gev, -ENOMEM);
		return NULL;
	}
	b->event = gev;
	b->ctx = ctx;
	b->key = key_of_spec(gev, ctx, start, len);
	b->visit = bind_visit;
	b->since = ktime_get_ns();
	INIT_LIST_HEAD(&b->pin_node);
	gev->handler_ns = max(gev->handler_ns, gpubp_record_ns(ctx->dev));
	return b;
}

/* free a binding that was not added */
static void binding_abort(struct gpubp_event *gev, struct gpubp_binding *b,
			  int err)
{
	count_unserved(gev, err);
	gpubp_user_uncharge_binding(gev->user);
	kfree(b);
}

static void binding_list(struct gpubp_event *gev, struct gpubp_binding *b)
{
	bind_changed = true;
	list_add_tail(&b->ctx_node, &b->ctx->bindings);
	list_add_tail_rcu(&b->event_node, &gev->bindings);
	gev->nr_bindings++;
	rb_add(&b->index_node, &gev->index, key_less);
}

/*
 * Add the binding of a watch or a trap: hits find it from now on. Return: 0 or
 * -ENOMEM.
 */
static int binding_insert(struct gpubp_event *gev, struct gpubp_binding *b,
			  u64 id)
{
	/* it may have been bound before */
	int err = xa_err(xa_store(&gev->bound, id, b, GPUBP_GFP_LOCKED));

	if (err)
		return err;
	if (xa_get_mark(&gev->bound, id, UNBOUND)) {
		xa_clear_mark(&gev->bound, id, UNBOUND);
		gev->nr_unbound--;
	}
	b->watch_id = id;
	binding_list(gev, b);
	return 0;
}

static void bind_watch(struct gpubp_event *gev, struct gpubp_ctx *ctx,
		       u64 start, u64 len, const struct gpubp_unseen *unseen)
{
	struct gpubp_binding *b = binding_alloc(gev, ctx, start, len);
	struct gpubp_watch *watch;

	if (!b)
		return;
	watch = gpubp_watch_get(ctx, start, len, gev->spec.access,
				gev->user, gpubp_reserve_slots(gev));
	if (IS_ERR(watch)) {
		binding_abort(gev, b, PTR_ERR(watch));
		return;
	}
	if (binding_insert(gev, b, watch->id)) {
		binding_abort(gev, b, -ENOMEM);
		gpubp_watch_free_unused(watch);
		return;
	}
	b->watch = watch;
	watch_add_binding(watch, b);
	binding_account_begin(b, unseen);
	binding_update_group(b);
	gpubp_request_ctx(ctx);
}

static void bind_trap(struct gpubp_event *gev, struct gpubp_ctx *ctx, u64 addr,
		      unsigned int nth, const struct gpubp_unseen *unseen)
{
	struct gpubp_binding *b = binding_alloc(gev, ctx, addr, 0);
	struct gpubp_trap_point *trap;

	if (!b)
		return;
	trap = gpubp_trap_get(ctx, gev->spec.kind,
			      gpubp_trap_key(&gev->spec, addr), gev->user,
			      trap_is_reserved(gev, nth));
	if (IS_ERR(trap)) {
		binding_abort(gev, b, PTR_ERR(trap));
		return;
	}
	if (binding_insert(gev, b, trap->id)) {
		binding_abort(gev, b, -ENOMEM);
		gpubp_trap_free_unused(trap);
		return;
	}
	b->trap = trap;
	b->nth = nth;
	list_add_tail(&b->watch_node, &trap->bindings);
	binding_account_begin(b, unseen);
	binding_update_pinned(b);
	gpubp_request_ctx(ctx);
}

/* objects before it may have gone */
static void binding_update_nth(struct gpubp_binding *b, unsigned int nth)
{
	if (b->nth == nth)
		return;
	b->nth = nth;
	binding_update_pinned(b);
	gpubp_request_ctx(b->ctx);
}

/* it may be wanted again */
static void binding_keep(struct gpubp_binding *b)
{
	struct gpubp_ctx *ctx = b->ctx;

	b->visit = bind_visit;
	if (!b->until)
		return;
	WRITE_ONCE(b->until, 0);
	WRITE_ONCE(ctx->nr_unwanted, ctx->nr_unwanted - 1);
	list_move_tail(&b->ctx_node, &ctx->bindings);
}

/* these are the first ones of their context */
static void binding_set_unwanted(struct gpubp_binding *b, u64 now)
{
	struct gpubp_ctx *ctx = b->ctx;

	WRITE_ONCE(b->until, now);
	WRITE_ONCE(ctx->nr_unwanted, ctx->nr_unwanted + 1);
	list_move(&b->ctx_node, &ctx->bindings);
}

static void ensure_binding(struct gpubp_event *gev, struct gpubp_ctx *ctx,
			   u64 start, u64 len, unsigned int nth,
			   const struct gpubp_unseen *unseen)
{
	struct gpubp_binding *b = binding_find(gev, ctx, start, len);

	if (b)
		binding_keep(b);
	if (b && b->watch)
		binding_update_group(b);
	else if (b && b->trap)
		binding_update_nth(b, nth);
	else if (!b && gpubp_kind_is_trap(gev->spec.kind))
		bind_trap(gev, ctx, start, nth, unseen);
	else if (!b)
		bind_watch(gev, ctx, start, len, unseen);
}

/* does the range contain all bytes of a watch, or the address of a trap */
static bool spec_fits_name(const struct gpubp_spec *spec,
			   const struct gpubp_name *name)
{
	return spec->addr < name->size &&
	       spec->len <= name->size - spec->addr;
}

/* without a length, all from the offset on */
static u64 spec_len_in(const struct gpubp_spec *spec,
		       const struct gpubp_name *name)
{
	bool rest = spec->kind == GPUBP_KIND_WATCH && !spec->len;

	return rest ? name->size - spec->addr : spec->len;
}

/* only where the offset lies in the named range, never in a neighbour */
static void ensure_named_bindings(struct gpubp_event *gev,
				  struct gpubp_ctx *ctx)
{
	const struct gpubp_spec *spec = &gev->spec;
	struct gpubp_name *name = NULL;
	unsigned int nr = 0, nr_code = 0;

	while ((name = gpubp_name_next(ctx, spec->code, name))) {
		struct gpubp_unseen unseen = bind_unseen;
		unsigned int nth;

		bind_cost++;
		if (!spec_fits_name(spec, name))
			continue;
		nth = name->code ? nr_code++ : UINT_MAX;
		unseen_begins(&unseen, ctx, name->since);
		if (nr++ < MAX_RANGES)
			ensure_binding(gev, ctx, name->va + spec->addr,
				       spec_len_in(spec, name), nth, &unseen);
		else
			count_unserved(gev, -ENOSPC);
	}
}

static void bind_set(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	struct gpubp_binding *b = binding_alloc(gev, ctx, 0, 0);

	if (!b)
		return;
	b->set_binding = gpubp_set_binding_get(gev->set, ctx);
	if (!b->set_binding) {
		binding_abort(gev, b, -ENOMEM);
		return;
	}
	gpubp_ctx_time_join(&gev->event_time, &b->ctx_time, ctx);
	gpubp_ctx_time_begin(&b->ctx_time, &bind_unseen, b->set_binding->nr,
			     b->set_binding->nr_armed);
	gpubp_precise_binding_changed(ctx, gev, 1);
	gpubp_set_binding_join(b->set_binding, b);
	if (!gev->set_since)
		WRITE_ONCE(gev->set_since, ktime_get_ns());
	binding_list(gev, b);
}

static void ensure_set_binding(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	struct gpubp_binding *b = binding_find(gev, ctx, 0, 0);

	if (b)
		binding_keep(b);
	else
		bind_set(gev, ctx);
}

static void ensure_ctx_bindings(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	if (gev->set)
		ensure_set_binding(gev, ctx);
	else if (gev->spec.named)
		ensure_named_bindings(gev, ctx);
	else
		ensure_binding(gev, ctx, gev->spec.addr, gev->spec.len, 0,
			       &bind_unseen);
}

static bool event_concerns_ctx(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	struct gpubp_target target;

	guard(rcu)();
	gpubp_target_of(gev, &target);
	return gpubp_target_includes_ctx(&target, gev->spec.process, ctx);
}

/* does it have queues, none of which can have hits of the event */
static bool ctx_is_of_others(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	scoped_guard(rcu)
		if (!list_first_or_null_rcu(&ctx->queues, struct gpubp_queue,
					    node))
			return false;
	return !event_concerns_ctx(gev, ctx);
}

/**
 * gpubp_bind_elsewhere() - contexts of its process that an event is not bound to
 * @gev: event
 *
 * As other threads created their queues. Takes no lock. Return: how many.
 */
unsigned int gpubp_bind_elsewhere(struct gpubp_event *gev)
{
	struct pid *process = gpubp_target_process(gev);
	struct gpubp_ctx *ctx;
	unsigned int nr = 0;
	u32 id = 0;

	while (process && (ctx = gpubp_ctx_next_of(process, id))) {
		id = ctx->id;
		nr += ctx_is_of_others(gev, ctx);
		gpubp_ctx_put(ctx);
	}
	put_pid(process);
	return nr;
}

/* a device that cannot serve the event is skipped; others may serve */
static bool event_may_use(struct gpubp_event *gev, struct gpubp_device *dev)
{
	return gpubp_in_scope(&gev->spec, dev) &&
	       gpubp_may_serve(&gev->spec, dev);
}

/* the device lock is held */
static void ensure_in_ctx(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	if (!ctx->dead && event_concerns_ctx(gev, ctx))
		ensure_ctx_bindings(gev, ctx);
}

static void binding_unbind(struct gpubp_binding *b)
{
	struct gpubp_device *dev = b->ctx->dev;
	struct gpubp_set_binding *unused;

	mutex_lock(&dev->lock);
	unused = binding_remove(b);
	mutex_unlock(&dev->lock);
	if (unused)
		gpubp_set_binding_free(unused);
}

/*
 * Hits that were recorded while it was wanted may be in a ring: it stays until they are
 * taken.
 */
static bool binding_lingers(struct gpubp_binding *b)
{
	u64 now = ktime_get_ns();

	if (b->trap || b->event->modified)
		return false;
	if (!b->until)
		binding_set_unwanted(b, now);
	if (now - b->until > LINGER_NS ||
	    gpubp_records_are_taken(b->ctx, b->until))
		return false;
	gpubp_records_ask(b->ctx, b->until);
	return true;
}

/* those in a context that the visit did not mark */
static void unbind_outdated(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	struct gpubp_binding *b = binding_first_from(gev, ctx->id), *next;

	for (; b && b->ctx == ctx; b = next) {
		next = binding_next(b);
		bind_cost++;
		if (b->visit == bind_visit)
			continue;
		if (binding_lingers(b))
			gev->round.lingers = true;
		else
			binding_unbind(b);
	}
}

/* @wanted: by an event that is enabled */
static void ctx_visit(struct gpubp_event *gev, struct gpubp_ctx *ctx,
		      bool wanted)
{
	/* charge allocations to the opener's memcg, not to current */
	struct mem_cgroup *old = set_active_memcg(gev->memcg);

	bind_visit++;
	bind_cost++;
	if (wanted && event_may_use(gev, ctx->dev)) {
		bind_unseen = visit_unseen(gev, ctx);
		guard(mutex)(&ctx->dev->lock);
		ensure_in_ctx(gev, ctx);
	}
	set_active_memcg(old);
	unbind_outdated(gev, ctx);
}

static const void *enabled_key(struct gpubp_event *gev)
{
	guard(rcu)();
	return gpubp_target_enabled_key(gev);
}

static void fill_set_bindings(struct gpubp_event *gev, unsigned int *budget)
{
	struct gpubp_binding *b;

	if (!gev->set)
		return;
	list_for_each_entry(b, &gev->bindings, event_node)
		if (b->set_binding &&
		    !gpubp_set_binding_fill(b->set_binding, budget))
			gev->round.incomplete = true;
}

/* @pid: the task that owns them, or NULL: of all tasks */
static struct gpubp_ctx *next_ctx_of(struct pid *pid, unsigned long after)
{
	return pid ? gpubp_owner_next_ctx(pid, &after) :
		     gpubp_ctx_next_of(NULL, after);
}

/* the next one in which bindings may be wanted, or are; with a reference */
static struct gpubp_ctx *round_next_ctx(struct gpubp_event *gev,
					struct pid *pid)
{
	u32 after = gev->round.ctx;
	struct gpubp_ctx *ctx = gev->round.key ? next_ctx_of(pid, after) : NULL;
	struct gpubp_binding *b = binding_first_from(gev, after + 1);

	if (!b || (ctx && ctx->id <= b->key.ctx))
		return ctx;
	if (ctx)
		gpubp_ctx_put(ctx);
	kref_get(&b->ctx->ref);
	return b->ctx;
}

/* visit some contexts, one at least; Return: false if more are left */
static bool round_visit(struct gpubp_event *gev, struct pid *pid,
			unsigned int *budget)
{
	struct gpubp_ctx *ctx;

	while ((ctx = round_next_ctx(gev, pid))) {
		bind_cost = 0;
		ctx_visit(gev, ctx, gev->round.key);
		gev->round.ctx = ctx->id;
		gpubp_ctx_put(ctx);
		*budget -= min(*budget, bind_cost);
		if (!*budget)
			return false;
	}
	return true;
}

/*
 * perf may have swapped the task that the event was opened on, of which it has
 * a reference, with another one: then search all contexts.
 */
static bool round_go_on(struct gpubp_event *gev, unsigned int *budget)
{
	struct pid *pid = gpubp_target_owner(gev);
	bool done = round_visit(gev, pid, budget);

	put_pid(pid);
	return done;
}

/*
 * Return the key of the event's enabled target. If it differs from that of the
 * last reconciliation, the bindings are about to change: mark the event, then
 * read the key again. A task that enables the event during this reconciliation
 * is either seen here, or sees the mark and waits (gpubp_ctx_is_reconciled()).
 */
static const void *reconcile_begin(struct gpubp_event *gev)
{
	const void *key = enabled_key(gev);

	if (key == gev->reconciled_target)
		return key;
	WRITE_ONCE(gev->reconciled_target, GPUBP_BEING_RECONCILED);
	/* the mark, then the key; pairs with gpubp_ctx_is_reconciled() */
	smp_mb();
	return enabled_key(gev);
}

/**
 * gpubp_bind_is_partial() - does an event lack bindings that it wants
 * @gev: event; gpubp_events_lock is held
 *
 * For lack of memory, quota or comparators, or as a set is being filled: to be
 * tried again. Or as its round goes on.
 */
bool gpubp_bind_is_partial(const struct gpubp_event *gev)
{
	lockdep_assert_held(&gpubp_events_lock);
	return gev->incomplete || gev->round.running ||
	       !list_empty(&gev->partial_node);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_bind_is_partial);

static bool event_lacks_bindings(const struct gpubp_event *gev)
{
	const struct gpubp_binding *b;

	if (gev->unserved || !gev->set)
		return gev->unserved;
	list_for_each_entry(b, &gev->bindings, event_node)
		if (b->set_binding->next != GPUBP_SET_BINDING_FULL)
			return true;
	return false;
}

static void event_update_partial(struct gpubp_event *gev)
{
	list_del_init(&gev->partial_node);
	if (event_lacks_bindings(gev))
		list_add_tail(&gev->partial_node, &gpubp_partial_events);
}

/* unless the one that is running is for the same target */
static void round_begin(struct gpubp_event *gev, const void *key)
{
	if (gev->round.running && gev->round.key == key)
		return;
	gev->round = (struct gpubp_round) { .running = true, .key = key };
}

/* after its contexts, or one that changed, were visited */
static void bindings_done(struct gpubp_event *gev, unsigned int *budget)
{
	gev->modified = false;
	gev->lingers = gev->round.lingers;
	fill_set_bindings(gev, budget);
	gpubp_event_time_unserved(&gev->event_time, gev->unserved);
	event_update_partial(gev);
}

static void round_end(struct gpubp_event *gev, unsigned int *budget)
{
	gev->round.running = false;
	gev->unserved = gev->round.unserved;
	bindings_done(gev, budget);
	/* bindings, then the flag; pairs with event_is_reconciled() */
	smp_store_release(&gev->incomplete, gev->round.incomplete);
	/* both, then the key; pairs with event_is_reconciled() */
	smp_store_release(&gev->reconciled_target, gev->round.key);
}

/**
 * gpubp_bind() - bring the bindings of an event up to date, or a part of them
 * @gev: event; gpubp_events_lock is held
 * @budget: names, bindings, and members of sets that may still be looked at; on
 *	return, what is left of it
 *
 * If nothing is left of the budget, more of its round may be: the next call goes
 * on. A context is visited at once, so the budget may be exceeded by that.
 * Return: true if bindings were added or removed.
 */
bool gpubp_bind(struct gpubp_event *gev, unsigned int *budget)
{
	lockdep_assert_held(&gpubp_events_lock);
	bind_changed = false;
	round_begin(gev, reconcile_begin(gev));
	if (round_go_on(gev, budget))
		round_end(gev, budget);
	scoped_guard(rcu)
		gpubp_times_tick(gev);
	return bind_changed;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_bind);

/**
 * gpubp_bind_again() - what an event asks for has changed
 * @gev: event; gpubp_events_lock is held
 *
 * A round that is running begins again.
 */
void gpubp_bind_again(struct gpubp_event *gev)
{
	lockdep_assert_held(&gpubp_events_lock);
	gev->round.running = false;
}

static bool bound_elsewhere_too(struct gpubp_event *gev)
{
	return !gev->lingers && gev->reconciled_target == enabled_key(gev) &&
	       !gpubp_bind_is_partial(gev);
}

/* the rest of its round does not visit the context if it did so before */
static bool bind_in_ctx(struct gpubp_event *gev, struct gpubp_ctx *ctx,
			unsigned int *budget)
{
	bool running = gev->round.running;

	bind_changed = false;
	bind_cost = 0;
	if (!running)
		gev->round = (struct gpubp_round) {};
	ctx_visit(gev, ctx,
		  running ? gev->round.key : gev->reconciled_target);
	*budget -= min(*budget, bind_cost);
	if (!running) {
		bindings_done(gev, budget);
		WRITE_ONCE(gev->incomplete, gev->round.incomplete);
	}
	scoped_guard(rcu)
		gpubp_times_tick(gev);
	return bind_changed;
}

/**
 * gpubp_bind_ctx() - bring the bindings of an event to one context up to date
 * @gev: event; gpubp_events_lock is held
 * @ctx: context that changed, not dead
 * @budget: as of gpubp_bind()
 *
 * If the event changed, too, its bindings to other contexts are brought up to
 * date as well; if these are many, some may be left for the calls of gpubp_bind()
 * that follow. Return: true if bindings were added or removed.
 */
bool gpubp_bind_ctx(struct gpubp_event *gev, struct gpubp_ctx *ctx,
		    unsigned int *budget)
{
	bool changed = false;

	lockdep_assert_held(&gpubp_events_lock);
	if (!gev->round.running && !bound_elsewhere_too(gev)) {
		changed = gpubp_bind(gev, budget);
		if (!gev->round.running || gev->round.ctx >= ctx->id)
			return changed;
	}
	return bind_in_ctx(gev, ctx, budget) || changed;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_bind_ctx);

/**
 * gpubp_bind_end_unwanted() - remove bindings that waited for records
 * @ctx: context that is not dead; gpubp_events_lock is held
 * @max: at most so many
 *
 * Their watches have comparators that the others need. Return: true if none is left that
 * need not wait any more.
 */
bool gpubp_bind_end_unwanted(struct gpubp_ctx *ctx, unsigned int max)
{
	struct gpubp_binding *b, *tmp;

	lockdep_assert_held(&gpubp_events_lock);
	list_for_each_entry_safe(b, tmp, &ctx->bindings, ctx_node) {
		if (!b->until)
			break;
		if (!max--)
			return false;
		if (!binding_lingers(b))
			binding_unbind(b);
	}
	return true;
}

/**
 * struct records_of - look for hits of an event that were recorded
 * @gev: event
 * @before: until then, ns of CLOCK_MONOTONIC
 * @found: a context whose ring may have some, with a reference, or NULL
 */
struct records_of {
	struct gpubp_event *gev;
	u64 before;
	struct gpubp_ctx *found;
};

static void records_find(void *arg)
{
	struct records_of *of = arg;
	struct gpubp_binding *b;

	list_for_each_entry(b, &of->gev->bindings, event_node) {
		if (b->trap || gpubp_records_are_taken(b->ctx, of->before))
			continue;
		kref_get(&b->ctx->ref);
		of->found = b->ctx;
		return;
	}
}

static struct gpubp_ctx *ctx_with_records(struct gpubp_event *gev, u64 before)
{
	struct records_of of = { .gev = gev, .before = before };

	gpubp_job_run(records_find, &of);
	return of.found;
}

static bool event_is_enabled(const struct gpubp_event *gev)
{
	guard(rcu)();
	return gpubp_perf_enabled(gev->event);
}

/**
 * gpubp_bind_take_records() - wait until an event has its hits that were recorded
 * @gev: event that is being removed; no lock is held
 *
 * Not if its task is killed, for a fraction of a second at most, and not while very
 * many hits wait for a task: hits of after that are not its.
 */
void gpubp_bind_take_records(struct gpubp_event *gev)
{
	u64 now = ktime_get_ns();
	u64 before = event_is_enabled(gev) ? now : gpubp_times_paused_at(gev);
	struct gpubp_ctx *ctx;
	int err = 0;

	while (!err && gpubp_records_exist() &&
	       (ctx = ctx_with_records(gev, before))) {
		err = gpubp_records_wait(ctx, before,
					 nsecs_to_jiffies(LINGER_NS)) ?:
		      gpubp_records_are_held_back(ctx) ? -EBUSY : 0;
		gpubp_ctx_put(ctx);
	}
}

/**
 * gpubp_unbind() - remove some of an event's bindings
 * @gev: event that is removed; gpubp_events_lock is held
 * @max: at most so many
 *
 * Return: true if none is left.
 */
bool gpubp_unbind(struct gpubp_event *gev, unsigned int max)
{
	struct gpubp_binding *b, *tmp;

	lockdep_assert_held(&gpubp_events_lock);
	list_for_each_entry_safe(b, tmp, &gev->bindings, event_node) {
		if (!max--)
			return false;
		binding_unbind(b);
	}
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_unbind);

/**
 * gpubp_unbind_ctx() - remove some bindings to a context
 * @ctx: context that is dead; gpubp_events_lock is held
 * @max: at most so many
 *
 * Return: true if none is left.
 */
bool gpubp_unbind_ctx(struct gpubp_ctx *ctx, unsigned int max)
{
	struct gpubp_binding *b, *tmp;

	lockdep_assert_held(&gpubp_events_lock);
	list_for_each_entry_safe(b, tmp, &ctx->bindings, ctx_node) {
		if (!max--)
			return false;
		binding_unbind(b);
	}
	return true;
}

/**
 * gpubp_bind_update_groups() - look up again which groups an event rotates with
 * @gev: event; gpubp_events_lock is held
 *
 * perf core does not notify a PMU when an event joins or leaves a group.
 */
void gpubp_bind_update_groups(struct gpubp_event *gev)
{
	struct gpubp_binding *b;
	u64 group;

	lockdep_assert_held(&gpubp_events_lock);
	scoped_guard(rcu)
		group = gpubp_perf_group(gev->event);
	/* it may have very many, and is looked at again and again */
	if (gev->group == group)
		return;
	list_for_each_entry(b, &gev->bindings, event_node) {
		if (!b->watch || b->group == group)
			continue;
		guard(mutex)(&b->ctx->dev->lock);
		gpubp_group_set(b, group);
	}
	gev->group = group;
}

/**
 * gpubp_bind_update_pinned() - update whether watches and traps are pinned
 * @gev: event without a watch set, whose reservation may have changed;
 *	gpubp_events_lock is held
 */
void gpubp_bind_update_pinned(struct gpubp_event *gev)
{
	struct gpubp_binding *b;

	lockdep_assert_held(&gpubp_events_lock);
	list_for_each_entry(b, &gev->bindings, event_node) {
		guard(mutex)(&b->ctx->dev->lock);
		if (b->trap)
			binding_update_pinned(b);
		else
			watch_update_pinned(b->watch);
		gpubp_request_ctx(b->ctx);
	}
}

/**
 * gpubp_bind_update_gaps() - account gaps that have not ended to an event
 * @gev: event; gpubp_events_lock is held
 *
 * Set bindings are skipped, as they may have too many members.
 */
void gpubp_bind_update_gaps(struct gpubp_event *gev)
{
	struct gpubp_binding *b;
	struct gpubp_gap gap;

	lockdep_assert_held(&gpubp_events_lock);
	list_for_each_entry(b, &gev->bindings, event_node) {
		if (b->set_binding)
			continue;
		guard(mutex)(&b->ctx->dev->lock);
		gap = binding_gap(b);
		gpubp_ctx_time_add_gap(&b->ctx_time, &gap);
	}
}

/**
 * gpubp_bind_places() - count the watches that an event has and had
 * @gev: event; gpubp_events_lock is held
 * @places: (in, out) they are added
 */
void gpubp_bind_places(const struct gpubp_event *gev,
		       struct gpubp_places *places)
{
	struct gpubp_binding *b;

	lockdep_assert_held(&gpubp_events_lock);
	places->nr += gev->past.nr;
	places->unmapped += gev->past.unmapped;
	list_for_each_entry(b, &gev->bindings, event_node) {
		if (!b->watch)
			continue;
		guard(mutex)(&b->ctx->dev->lock);
		places_add(places, b);
	}
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_bind_places);

static void show_trap(const struct gpubp_binding *b, struct seq_file *m)
{
	const struct gpubp_trap_point *trap = b->trap;

	guard(mutex)(&b->ctx->dev->lock);
	seq_printf(m, " trap %llu dev %u ctx %u kind %u key 0x%llx%s%s",
		   trap->id, b->ctx->dev->number, b->ctx->id, trap->kind,
		   trap->key, trap->accounted && !trap->err ? " armed" : "",
		   gpubp_clock_pending(b->ctx) ? " pending" : "");
	seq_printf(m, " err %d quanta %llu longest_gap %llu longest_gap_ns %llu\n",
		   trap->err, trap->quanta, trap->gap.quanta, trap->gap.ns);
}

/** gpubp_binding_show() - print a binding; gpubp_events_lock is held */
void gpubp_binding_show(const struct gpubp_binding *b, struct seq_file *m)
{
	const struct gpubp_watch *w = b->watch;
	struct gpubp_watch_stats stats;

	lockdep_assert_held(&gpubp_events_lock);
	if (b->set_binding) {
		seq_printf(m, " set %u members %u dev %u ctx %u%s\n",
			   b->set_binding->set->id, b->set_binding->set->nr,
			   b->ctx->dev->number, b->ctx->id,
			   b->set_binding->next == GPUBP_SET_BINDING_FULL ?
				   "" : " filling");
		return;
	}
	if (b->trap)
		return show_trap(b, m);
	guard(mutex)(&b->ctx->dev->lock);
	stats = gpubp_watch_stats_now(w);
	seq_printf(m, " watch %llu dev %u ctx %u [0x%llx-0x%llx] access %u slots 0x%x%s",
		   b->watch_id, b->ctx->dev->number, b->ctx->id, w->start,
		   w->last, w->access, w->slots,
		   gpubp_clock_pending(b->ctx) ? " pending" : "");
	seq_printf(m, " quanta %llu longest_gap %llu longest_gap_ns %llu strays %u\n",
		   stats.quanta, stats.gap.quanta, stats.gap.ns, w->strays);
}
