// SPDX-License-Identifier: GPL-2.0
/*
 * Bindings: what an event wants now, and the watches and benches it has.
 *
 * A round of reconciliation marks what is still wanted, binds what is new and
 * unbinds the rest.
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

#define MAX_RANGES	1024	/* of one name in a context: others want their turn */

static u32 round;		/* of reconciliation; under gpubp_events_lock */
static bool incomplete;		/* of the event being bound; under gpubp_events_lock */
static struct gpubp_binding *found;	/* last, of the event being bound; likewise */

static bool is_watch_of(const struct gpubp_watch *watch,
			const struct gpubp_spec *spec, u64 start)
{
	return watch->start == start && watch->access == spec->access &&
	       watch->last - start == spec->len - 1;
}

static bool is_trap_of(const struct gpubp_trap *trap,
		       const struct gpubp_spec *spec, u64 addr)
{
	return trap->kind == spec->kind &&
	       trap->key == gpubp_trap_key(spec, addr);
}

static bool is_binding_of(const struct gpubp_binding *b,
			  const struct gpubp_event *gev, struct gpubp_ctx *ctx,
			  u64 start)
{
	if (b->ctx != ctx)
		return false;
	if (b->set_binding)
		return b->set_binding->set == gev->set;
	return b->watch ? is_watch_of(b->watch, &gev->spec, start) :
			  is_trap_of(b->trap, &gev->spec, start);
}

/* in the list they have the order in which they are wanted: the next one first */
static struct gpubp_binding *binding_find(struct gpubp_event *gev,
					  struct gpubp_ctx *ctx, u64 start)
{
	struct gpubp_binding *b = list_prepare_entry(found, &gev->bindings,
						     event_node);

	list_for_each_entry_continue(b, &gev->bindings, event_node)
		if (is_binding_of(b, gev, ctx, start))
			return found = b;
	if (!found)
		return NULL;
	list_for_each_entry(b, &gev->bindings, event_node) {
		if (is_binding_of(b, gev, ctx, start))
			return found = b;
		if (b == found)
			break;
	}
	return NULL;
}

static void watch_refresh(struct gpubp_watch *watch)
{
	struct gpubp_binding *b;

	watch->pinned = false;
	list_for_each_entry(b, &watch->bindings, watch_node) {
		list_del_init(&b->pin_node);
		b->promised = gpubp_reserve_slots(b->event);
		b->reservation = b->event->reservation;
		if (watch->pinned || !b->promised)
			continue;
		watch->pinned = true;
		list_add_tail(&b->pin_node, &watch->ctx->dev->pinned);
	}
}

static void trap_refresh(struct gpubp_trap *trap)
{
	struct gpubp_binding *b;

	trap->pinned = false;
	list_for_each_entry(b, &trap->bindings, watch_node)
		trap->pinned |= gpubp_reserve_slots(b->event) > 0;
}

/* nobody tells when an event joins a group or a group falls apart */
static void look_at_group(struct gpubp_binding *b)
{
	scoped_guard(rcu)
		b->group = gpubp_perf_group(b->event->event);
	if (!b->group)
		list_del_init(&b->group_node);
	else if (list_empty(&b->group_node))
		list_add_tail(&b->group_node, &b->ctx->grouped);
}

static void seat_take(struct gpubp_binding *b)
{
	gpubp_ctx_time_join(&b->event->event_time, &b->ctx_time, b->ctx);
	gpubp_ctx_time_resize(&b->ctx_time, 1, 0);
	gpubp_precise_binding_changed(b->ctx, b->event, 1);
	if (b->watch)
		gpubp_watch_binding_added(b->watch);
	else
		gpubp_trap_binding_added(b->trap);
}

/* for how long what it wants has been waiting; of a bench nobody can tell */
static struct gpubp_gap binding_waits(const struct gpubp_binding *b)
{
	return b->watch ? gpubp_watch_gap(b->watch) :
			  gpubp_trap_gap(b->trap);
}

static void seat_release(struct gpubp_binding *b)
{
	struct gpubp_gap gap;

	if (!b->set_binding) {
		gap = binding_waits(b);
		gpubp_ctx_time_add_gap(&b->ctx_time, &gap);
		gpubp_ctx_time_resize(&b->ctx_time, -1, -b->armed);
	}
	gpubp_precise_binding_changed(b->ctx, b->event, -1);
	gpubp_ctx_time_leave(&b->event->event_time, &b->ctx_time);
}

static void leave_watch(struct gpubp_watch *watch)
{
	watch_refresh(watch);
	gpubp_request_ctx(watch->ctx);
	gpubp_watch_free_unused(watch);
}

static void leave_trap(struct gpubp_trap *trap)
{
	trap_refresh(trap);
	gpubp_request_ctx(trap->ctx);
	gpubp_trap_free_unused(trap);
}

/* the bench, if this was the last event that wanted it: to be freed */
static struct gpubp_set_binding *unbind(struct gpubp_binding *b)
{
	struct gpubp_set_binding *set_binding = b->set_binding;

	lockdep_assert_held(&b->ctx->dev->lock);
	seat_release(b);
	if (!set_binding)
		xa_erase(&b->event->bound, b->watch_id);
	list_del(&b->watch_node);
	list_del(&b->pin_node);
	list_del(&b->group_node);
	list_del_rcu(&b->event_node);
	if (b->watch)
		leave_watch(b->watch);
	if (b->trap)
		leave_trap(b->trap);
	kfree_rcu(b, rcu);
	return set_binding && list_empty(&set_binding->bindings) ? set_binding :
								   NULL;
}

/* for want of memory it is tried again at the next reconciliation */
static void not_bound(struct gpubp_event *gev, int err)
{
	gev->unserved++;
	incomplete |= err == -ENOMEM;
}

static struct gpubp_binding *binding_alloc(struct gpubp_event *gev,
					   struct gpubp_ctx *ctx)
{
	struct gpubp_binding *b;

	/* as in benches, whose memory is short is not killed for it */
	b = kzalloc(sizeof(*b), GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL |
		    __GFP_NOWARN);
	if (!b) {
		not_bound(gev, -ENOMEM);
		return NULL;
	}
	b->event = gev;
	b->ctx = ctx;
	b->round = round;
	INIT_LIST_HEAD(&b->pin_node);
	INIT_LIST_HEAD(&b->group_node);
	return b;
}

/* one that was allocated in vain */
static void drop_binding(struct gpubp_event *gev, struct gpubp_binding *b,
			 int err)
{
	not_bound(gev, err);
	kfree(b);
}

/* not a bench's: hits find the event's bindings from then on; 0 or -ENOMEM */
static int list_binding(struct gpubp_event *gev, struct gpubp_binding *b,
			u64 id)
{
	int err = xa_insert(&gev->bound, id, b, GFP_KERNEL |
			    __GFP_RETRY_MAYFAIL | __GFP_NOWARN);

	if (err)
		return err;
	b->watch_id = id;
	list_add_tail_rcu(&b->event_node, &gev->bindings);
	return 0;
}

static void bind(struct gpubp_event *gev, struct gpubp_ctx *ctx, u64 start)
{
	struct gpubp_binding *b = binding_alloc(gev, ctx);
	struct gpubp_watch *watch;

	if (!b)
		return;
	watch = gpubp_watch_get(ctx, start, gev->spec.len, gev->spec.access,
				gev->user, gpubp_reserve_slots(gev));
	if (IS_ERR(watch)) {
		drop_binding(gev, b, PTR_ERR(watch));
		return;
	}
	if (list_binding(gev, b, watch->id)) {
		drop_binding(gev, b, -ENOMEM);
		gpubp_watch_free_unused(watch);
		return;
	}
	b->watch = watch;
	list_add_tail(&b->watch_node, &watch->bindings);
	seat_take(b);
	watch_refresh(watch);
	look_at_group(b);
	gpubp_request_ctx(ctx);
}

static void bind_trap(struct gpubp_event *gev, struct gpubp_ctx *ctx, u64 addr)
{
	struct gpubp_binding *b = binding_alloc(gev, ctx);
	struct gpubp_trap *trap;

	if (!b)
		return;
	trap = gpubp_trap_get(ctx, gev->spec.kind,
			      gpubp_trap_key(&gev->spec, addr), gev->user,
			      gpubp_reserve_slots(gev));
	if (IS_ERR(trap)) {
		drop_binding(gev, b, PTR_ERR(trap));
		return;
	}
	if (list_binding(gev, b, trap->id)) {
		drop_binding(gev, b, -ENOMEM);
		gpubp_trap_free_unused(trap);
		return;
	}
	b->trap = trap;
	list_add_tail(&b->watch_node, &trap->bindings);
	seat_take(b);
	trap_refresh(trap);
	gpubp_request_ctx(ctx);
}

static void want(struct gpubp_event *gev, struct gpubp_ctx *ctx, u64 start)
{
	struct gpubp_binding *b = binding_find(gev, ctx, start);

	if (b)
		b->round = round;
	if (b && b->watch)
		look_at_group(b);
	else if (!b && gpubp_kind_is_trap(gev->spec.kind))
		bind_trap(gev, ctx, start);
	else if (!b)
		bind(gev, ctx, start);
}

/* of a trap, as long as the range has a byte for it */
static bool lies_in(const struct gpubp_spec *spec,
		    const struct gpubp_name *name)
{
	return spec->addr < name->size &&
	       spec->len <= name->size - spec->addr;
}

/* offsets are checked against the range that has the name: no neighbours */
static void want_named(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	const struct gpubp_spec *spec = &gev->spec;
	struct gpubp_name *name = NULL;
	unsigned int nr = 0;

	while ((name = gpubp_name_next(ctx, spec->code, name))) {
		if (!lies_in(spec, name))
			continue;
		if (nr++ < MAX_RANGES)
			want(gev, ctx, name->va + spec->addr);
		else
			not_bound(gev, -ENOSPC);
	}
}

static void bind_bench(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	struct gpubp_binding *b = binding_alloc(gev, ctx);

	if (!b)
		return;
	b->set_binding = gpubp_set_binding_get(gev->set, ctx);
	if (!b->set_binding) {
		drop_binding(gev, b, -ENOMEM);
		return;
	}
	gpubp_ctx_time_join(&gev->event_time, &b->ctx_time, ctx);
	gpubp_precise_binding_changed(ctx, gev, 1);
	gpubp_set_binding_join(b->set_binding, b);
	list_add_tail_rcu(&b->event_node, &gev->bindings);
}

static void want_set(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	struct gpubp_binding *b = binding_find(gev, ctx, 0);

	if (b)
		b->round = round;
	else
		bind_bench(gev, ctx);
}

static void want_in_ctx(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	if (gev->set)
		want_set(gev, ctx);
	else if (gev->spec.named)
		want_named(gev, ctx);
	else
		want(gev, ctx, gev->spec.addr);
}

static bool concerns(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	struct gpubp_target target;

	guard(rcu)();
	gpubp_target_of(gev, &target);
	return gpubp_target_includes_ctx(&target, gev->spec.process, ctx);
}

static void want_on_device(struct gpubp_event *gev, struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;

	/* what cannot serve leaves the event to those that can */
	if (!gpubp_in_scope(&gev->spec, dev) ||
	    !gpubp_may_serve(&gev->spec, dev))
		return;
	guard(mutex)(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (!ctx->dead && concerns(gev, ctx))
			want_in_ctx(gev, ctx);
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
		unused = unbind(b);
		mutex_unlock(&dev->lock);
		if (unused)
			gpubp_set_binding_free(unused);
	}
}

static bool outdated(struct gpubp_binding *b, void *arg)
{
	return b->round != round;
}

static bool any(struct gpubp_binding *b, void *arg)
{
	return true;
}

static bool in_ctx(struct gpubp_binding *b, void *arg)
{
	return b->ctx == arg;
}

static const void *enabled_key(struct gpubp_event *gev)
{
	guard(rcu)();
	return gpubp_target_enabled_key(gev);
}

static void fill_benches(struct gpubp_event *gev, unsigned int *budget)
{
	struct gpubp_binding *b;

	list_for_each_entry(b, &gev->bindings, event_node)
		if (b->set_binding &&
		    !gpubp_set_binding_fill(b->set_binding, budget))
			incomplete = true;
}

/** gpubp_bind_round() - a round begins; gpubp_events_lock is held */
void gpubp_bind_round(void)
{
	lockdep_assert_held(&gpubp_events_lock);
	round++;
}

/* whoever runs this: it is at the expense of who opened the event */
static void want_on_devices(struct gpubp_event *gev)
{
	struct mem_cgroup *old = set_active_memcg(gev->memcg);
	struct gpubp_device *dev;

	found = NULL;
	mutex_lock(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node)
		want_on_device(gev, dev);
	mutex_unlock(&gpubp_devices_lock);
	set_active_memcg(old);
}

/*
 * Who the event is for now. If that is not what it was judged by, its bindings
 * are about to change: whoever enables it meanwhile is either seen here or sees
 * that it is not judged, and waits (gpubp_ctx_is_reconciled()).
 */
static const void *begin_judging(struct gpubp_event *gev)
{
	const void *key = enabled_key(gev);

	if (key == gev->reconciled_owners)
		return key;
	WRITE_ONCE(gev->reconciled_owners, GPUBP_BEING_JUDGED);
	smp_mb();	/* that, then the look; pairs with gpubp_ctx_is_reconciled() */
	return enabled_key(gev);
}

/**
 * gpubp_bind() - bind an event to what it wants now
 * @gev: event; gpubp_events_lock is held
 * @budget: how many members may still be bound in this round
 */
void gpubp_bind(struct gpubp_event *gev, unsigned int *budget)
{
	const void *key = begin_judging(gev);

	gev->unserved = 0;
	incomplete = false;
	if (key)
		want_on_devices(gev);
	unbind_if(gev, outdated, NULL);
	fill_benches(gev, budget);
	gpubp_event_time_unserved(&gev->event_time, gev->unserved);
	/* the bindings, then that they are all; pairs with is_content() */
	smp_store_release(&gev->incomplete, incomplete);
	/* all that, then who it is for; pairs with is_content() */
	smp_store_release(&gev->reconciled_owners, key);
	guard(rcu)();
	gpubp_times_tick(gev);
}

/** gpubp_unbind() - an event is going; gpubp_events_lock is held */
void gpubp_unbind(struct gpubp_event *gev)
{
	unbind_if(gev, any, NULL);
}

/** gpubp_unbind_ctx() - a context is going; gpubp_events_lock is held */
void gpubp_unbind_ctx(struct gpubp_event *gev, struct gpubp_ctx *ctx)
{
	unbind_if(gev, in_ctx, ctx);
}

/**
 * gpubp_bind_refresh() - whether an event is pinned may have changed
 * @gev: event without a watch set; gpubp_events_lock is held
 */
void gpubp_bind_refresh(struct gpubp_event *gev)
{
	struct gpubp_binding *b;

	list_for_each_entry(b, &gev->bindings, event_node) {
		guard(mutex)(&b->ctx->dev->lock);
		if (b->trap)
			trap_refresh(b->trap);
		else
			watch_refresh(b->watch);
		gpubp_request_ctx(b->ctx);
	}
}

/**
 * gpubp_bind_update_gaps() - gaps that have not ended are an event's, too
 * @gev: event; gpubp_events_lock is held
 *
 * There may be too many members of sets to look at theirs.
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
		gap = binding_waits(b);
		gpubp_ctx_time_add_gap(&b->ctx_time, &gap);
	}
}

static void show_trap(const struct gpubp_binding *b, struct seq_file *m)
{
	const struct gpubp_trap *trap = b->trap;

	guard(mutex)(&b->ctx->dev->lock);
	seq_printf(m, " trap %llu dev %u ctx %u kind %u key 0x%llx%s%s",
		   trap->id, b->ctx->dev->number, b->ctx->id, trap->kind,
		   trap->key, trap->accounted ? " armed" : "",
		   gpubp_clock_pending(b->ctx) ? " pending" : "");
	seq_printf(m, " err %d quanta %llu longest_gap %llu longest_gap_ns %llu\n",
		   trap->err, trap->quanta, trap->gap.quanta, trap->gap.ns);
}

/** gpubp_binding_show() - a line of a binding; gpubp_events_lock is held */
void gpubp_binding_show(const struct gpubp_binding *b, struct seq_file *m)
{
	const struct gpubp_watch *w = b->watch;
	struct gpubp_watch_stats stats;

	if (b->set_binding) {
		seq_printf(m, " set %u members %u dev %u ctx %u%s\n",
			   b->set_binding->set->id, b->set_binding->set->nr,
			   b->ctx->dev->number, b->ctx->id,
			   b->set_binding->next == GPUBP_BENCH_FULL ? "" : " filling");
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
	seq_printf(m, " quanta %llu longest_gap %llu longest_gap_ns %llu strays %llu\n",
		   stats.quanta, stats.gap.quanta, stats.gap.ns, stats.strays);
}
