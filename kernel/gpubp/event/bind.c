// SPDX-License-Identifier: GPL-2.0
/*
 * Bindings: connect an event to watches, set bindings and traps.
 *
 * A round of reconciliation marks the bindings that are still wanted, adds the
 * missing ones and removes the others.
 */
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../compat/perf.h"
#include "../compat/target.h"
#include "../compat/times.h"
#include "../core/core.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "bind.h"
#include "event.h"
#include "reserve.h"
#include "scope.h"
#include "set.h"

/* ranges of one name bound in a context; limits the load on other events */
#define MAX_RANGES	1024

/* all under gpubp_events_lock */
static u32 bind_round;		/* number of the current reconciliation round */
static bool bind_incomplete;	/* bindings of the event are to be retried */
/* the last binding found, of the event being bound */
static struct gpubp_binding *bind_last_found;

static bool watch_has_spec(const struct gpubp_watch *watch,
			   const struct gpubp_spec *spec, u64 start)
{
	return watch->start == start && watch->access == spec->access &&
	       watch->last - start == spec->len - 1;
}

static bool trap_has_spec(const struct gpubp_trap_point *trap,
			  const struct gpubp_spec *spec, u64 addr)
{
	return trap->kind == spec->kind &&
	       trap->key == gpubp_trap_key(spec, addr);
}

static bool binding_matches(const struct gpubp_binding *b,
			    const struct gpubp_event *gev,
			    struct gpubp_ctx *ctx, u64 start)
{
	if (b->ctx != ctx)
		return false;
	if (b->set_binding)
		return b->set_binding->set == gev->set;
	return b->watch ? watch_has_spec(b->watch, &gev->spec, start) :
			  trap_has_spec(b->trap, &gev->spec, start);
}

/*
 * Bindings are listed in the order in which reconciliation asks for them: begin
 * the search behind the last one found.
 */
static struct gpubp_binding *binding_find(struct gpubp_event *gev,
					  struct gpubp_ctx *ctx, u64 start)
{
	struct gpubp_binding *b =
		list_prepare_entry(bind_last_found, &gev->bindings, event_node);

	list_for_each_entry_continue(b, &gev->bindings, event_node)
		if (binding_matches(b, gev, ctx, start))
			return bind_last_found = b;
	if (!bind_last_found)
		return NULL;
	list_for_each_entry(b, &gev->bindings, event_node) {
		if (binding_matches(b, gev, ctx, start))
			return bind_last_found = b;
		if (b == bind_last_found)
			break;
	}
	return NULL;
}

static void watch_update_pinned(struct gpubp_watch *watch)
{
	struct gpubp_binding *b;

	watch->pinned = false;
	list_for_each_entry(b, &watch->bindings, watch_node) {
		list_del_init(&b->pin_node);
		b->reserved = gpubp_reserve_slots(b->event);
		b->reservation = b->event->reservation;
		if (watch->pinned || !b->reserved)
			continue;
		watch->pinned = true;
		list_add_tail(&b->pin_node, &watch->ctx->dev->pinned);
	}
}

static void trap_update_pinned(struct gpubp_trap_point *trap)
{
	struct gpubp_binding *b;

	trap->pinned = false;
	list_for_each_entry(b, &trap->bindings, watch_node)
		trap->pinned |= gpubp_reserve_slots(b->event) > 0;
}

/* perf core does not notify a PMU when an event joins or leaves a group */
static void binding_update_group(struct gpubp_binding *b)
{
	u64 group;

	scoped_guard(rcu)
		group = gpubp_perf_group(b->event->event);
	gpubp_group_set(b, group);
}

/* bind_set() does this for set bindings */
static void binding_account_begin(struct gpubp_binding *b)
{
	gpubp_ctx_time_join(&b->event->event_time, &b->ctx_time, b->ctx);
	gpubp_ctx_time_resize(&b->ctx_time, 1, 0);
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

static void watch_unbound(struct gpubp_watch *watch)
{
	watch_update_pinned(watch);
	gpubp_request_ctx(watch->ctx);
	gpubp_watch_free_unused(watch);
}

static void trap_unbound(struct gpubp_trap_point *trap)
{
	trap_update_pinned(trap);
	gpubp_request_ctx(trap->ctx);
	gpubp_trap_free_unused(trap);
}

/* Return: the set binding to be freed if @b was its last binding, or NULL. */
static struct gpubp_set_binding *binding_remove(struct gpubp_binding *b)
{
	struct gpubp_set_binding *set_binding = b->set_binding;

	lockdep_assert_held(&b->ctx->dev->lock);
	binding_account_end(b);
	if (!set_binding)
		xa_erase(&b->event->bound, b->watch_id);
	list_del(&b->watch_node);
	list_del(&b->pin_node);
	gpubp_group_set(b, 0);
	list_del_rcu(&b->event_node);
	if (b->watch)
		watch_unbound(b->watch);
	if (b->trap)
		trap_unbound(b->trap);
	kfree_rcu(b, rcu);
	return set_binding && list_empty(&set_binding->bindings) ? set_binding :
								   NULL;
}

/* after -ENOMEM the event is retried when room was made, see core/room.h */
static void count_unserved(struct gpubp_event *gev, int err)
{
	gev->unserved++;
	if (err == -ENOMEM)
		bind_incomplete |= gpubp_room_short(gev->memcg);
}

static bool event_alloc_hits(struct gpubp_event *gev)
{
	if (!gev->hits)
		WRITE_ONCE(gev->hits,
			   kzalloc(sizeof(*gev->hits), GPUBP_GFP_LOCKED));
	return gev->hits;
}

static struct gpubp_binding *binding_alloc(struct gpubp_event *gev,
					   struct gpubp_ctx *ctx)
{
	struct gpubp_binding *b = NULL;

	if (gpubp_room_left(gev->memcg) && event_alloc_hits(gev))
		b = kzalloc(sizeof(*b), GPUBP_GFP_LOCKED);
	if (!b) {
		count_unserved(gev, -ENOMEM);
		return NULL;
	}
	b->event = gev;
	b->ctx = ctx;
	b->round = bind_round;
	INIT_LIST_HEAD(&b->pin_node);
	return b;
}

/* free a binding that was not added */
static void binding_abort(struct gpubp_event *gev, struct gpubp_binding *b,
			  int err)
{
	count_unserved(gev, err);
	kfree(b);
}

/*
 * Add the binding of a watch or a trap: hits find it from now on. Return: 0 or
 * -ENOMEM.
 */
static int binding_insert(struct gpubp_event *gev, struct gpubp_binding *b,
			  u64 id)
{
	int err = xa_insert(&gev->bound, id, b, GPUBP_GFP_LOCKED);

	if (err)
		return err;
	b->watch_id = id;
	list_add_tail_rcu(&b->event_node, &gev->bindings);
	return 0;
}

static void bind_watch(struct gpubp_event *gev, struct gpubp_ctx *ctx,
		       u64 start)
{
	struct gpubp_binding *b = binding_alloc(gev, ctx);
	struct gpubp_watch *watch;

	if (!b)
		return;
	watch = gpubp_watch_get(ctx, start, gev->spec.len, gev->spec.access,
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
	list_add_tail(&b->watch_node, &watch->bindings);
	binding_account_begin(b);
	watch_update_pinned(watch);
	binding_update_group(b);
	gpubp_request_ctx(ctx);
}

static void bind_trap(struct gpubp_event *gev, struct gpubp_ctx *ctx, u64 addr)
{
	struct gpubp_binding *b = binding_alloc(gev, ctx);
	struct gpubp_trap_point *trap;

	if (!b)
		return;
	trap = gpubp_trap_get(ctx, gev->spec.kind,
			      gpubp_trap_key(&gev->spec, addr), gev->user,
			      gpubp_reserve_slots(gev));
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
	list_add_tail(&b->watch_node, &trap->bindings);
	binding_account_begin(b);
	trap_update_pinned(trap);
	gpubp_request_ctx(ctx);
}

static void ensure_binding(struct gpubp_event *gev, struct gpubp_ctx *ctx,
			   u64 start)
{
	struct gpubp_binding *b = binding_find(gev, ctx, start);

	if (b)
		b->round = bind_round;
	if (b && b->watch)
		binding_update_group(b);
	else if (!b && gpubp_kind_is_trap(gev->spec.kind))
		bind_trap(gev, ctx, start);
	else if (!b)
		bind_watch(gev, ctx, start);
}

/* does the range contain all bytes of a watch, or the address of a trap */
static bool spec_fits_name(const struct gpubp_spec *spec,
			   const struct gpubp_name *name)
{
	return spec->addr < name->size &&
	       spec->len <= name->size - spec->addr;
}

/* only where the offset lies in the named range, never in a neighbour */
static void ensure_named_bindings(struct gpubp_event *gev,
				  struct gpubp_ctx *ctx)
{
	const struct gpubp_spec *spec = &gev->spec;
	struct gpubp_name *name = NULL;
	unsigned int nr = 0;

	while ((name = gpubp_name_next(ctx, spec->code, name))) {
		if (!spec_fits_name(spec, name))
			continue;
		if (nr++ < MAX_RANGES)
			ensure_binding(gev, ctx, name->va + spec->addr);
		else
			count_unserved(gev, -ENOSPC);
	}
}

static void bind_set(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	struct gpubp_binding *b = binding_alloc(gev, ctx);

	if (!b)
		return;
	b->set_binding = gpubp_set_binding_get(gev->set, ctx);
	if (!b->set_binding) {
		binding_abort(gev, b, -ENOMEM);
		return;
	}
	gpubp_ctx_time_join(&gev->event_time, &b->ctx_time, ctx);
	gpubp_precise_binding_changed(ctx, gev, 1);
	gpubp_set_binding_join(b->set_binding, b);
	list_add_tail_rcu(&b->event_node, &gev->bindings);
}

static void ensure_set_binding(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	struct gpubp_binding *b = binding_find(gev, ctx, 0);

	if (b)
		b->round = bind_round;
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
		ensure_binding(gev, ctx, gev->spec.addr);
}

static bool event_concerns_ctx(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	struct gpubp_target target;

	guard(rcu)();
	gpubp_target_of(gev, &target);
	return gpubp_target_includes_ctx(&target, gev->spec.process, ctx);
}

static void ensure_device_bindings(struct gpubp_event *gev,
				   struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;

	/* a device that cannot serve the event is skipped; others may serve */
	if (!gpubp_in_scope(&gev->spec, dev) ||
	    !gpubp_may_serve(&gev->spec, dev))
		return;
	guard(mutex)(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (!ctx->dead && event_concerns_ctx(gev, ctx))
			ensure_ctx_bindings(gev, ctx);
}

static void unbind_if(struct gpubp_event *gev,
		      bool (*pred)(struct gpubp_binding *b, void *arg),
		      void *arg)
{
	struct gpubp_binding *b, *tmp;

	list_for_each_entry_safe(b, tmp, &gev->bindings, event_node) {
		struct gpubp_device *dev = b->ctx->dev;
		struct gpubp_set_binding *unused;

		if (!pred(b, arg))
			continue;
		mutex_lock(&dev->lock);
		unused = binding_remove(b);
		mutex_unlock(&dev->lock);
		if (unused)
			gpubp_set_binding_free(unused);
	}
}

static bool binding_is_outdated(struct gpubp_binding *b, void *arg)
{
	return b->round != bind_round;
}

static bool binding_is_any(struct gpubp_binding *b, void *arg)
{
	return true;
}

static bool binding_is_in_ctx(struct gpubp_binding *b, void *arg)
{
	return b->ctx == arg;
}

static const void *enabled_key(struct gpubp_event *gev)
{
	guard(rcu)();
	return gpubp_target_enabled_key(gev);
}

static void fill_set_bindings(struct gpubp_event *gev, unsigned int *budget)
{
	struct gpubp_binding *b;

	list_for_each_entry(b, &gev->bindings, event_node)
		if (b->set_binding &&
		    !gpubp_set_binding_fill(b->set_binding, budget))
			bind_incomplete = true;
}

/** gpubp_bind_round() - begin a round; gpubp_events_lock is held */
void gpubp_bind_round(void)
{
	lockdep_assert_held(&gpubp_events_lock);
	bind_round++;
}

/* charge allocations to the opener's memcg, not to current */
static void ensure_bindings(struct gpubp_event *gev)
{
	struct mem_cgroup *old = set_active_memcg(gev->memcg);
	struct gpubp_device *dev;

	bind_last_found = NULL;
	mutex_lock(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node)
		ensure_device_bindings(gev, dev);
	mutex_unlock(&gpubp_devices_lock);
	set_active_memcg(old);
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
 * gpubp_bind() - bring the bindings of an event up to date
 * @gev: event; gpubp_events_lock is held
 * @budget: members of sets that may still be bound in this round
 */
void gpubp_bind(struct gpubp_event *gev, unsigned int *budget)
{
	const void *key;

	lockdep_assert_held(&gpubp_events_lock);
	key = reconcile_begin(gev);
	gev->unserved = 0;
	bind_incomplete = false;
	if (key)
		ensure_bindings(gev);
	unbind_if(gev, binding_is_outdated, NULL);
	fill_set_bindings(gev, budget);
	gpubp_event_time_unserved(&gev->event_time, gev->unserved);
	/* bindings, then the flag; pairs with event_is_reconciled() */
	smp_store_release(&gev->incomplete, bind_incomplete);
	/* both, then the key; pairs with event_is_reconciled() */
	smp_store_release(&gev->reconciled_target, key);
	guard(rcu)();
	gpubp_times_tick(gev);
}

/** gpubp_unbind() - remove an event's bindings; gpubp_events_lock is held */
void gpubp_unbind(struct gpubp_event *gev)
{
	lockdep_assert_held(&gpubp_events_lock);
	unbind_if(gev, binding_is_any, NULL);
}

/**
 * gpubp_unbind_ctx() - remove the bindings of an event to a context
 * @gev: event; gpubp_events_lock is held
 * @ctx: context
 */
void gpubp_unbind_ctx(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	lockdep_assert_held(&gpubp_events_lock);
	unbind_if(gev, binding_is_in_ctx, ctx);
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
			trap_update_pinned(b->trap);
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

static void show_trap(const struct gpubp_binding *b, struct seq_file *m)
{
	const struct gpubp_trap_point *trap = b->trap;

	guard(mutex)(&b->ctx->dev->lock);
	seq_printf(m, " trap %llu dev %u ctx %u kind %u key 0x%llx%s%s",
		   trap->id, b->ctx->dev->number, b->ctx->id, trap->kind,
		   trap->key, trap->accounted ? " armed" : "",
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
