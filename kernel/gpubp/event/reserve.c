// SPDX-License-Identifier: GPL-2.0
/*
 * Reserve: opening a pinned event reserves its comparators, or fails. A
 * reservation is never revoked.
 *
 * The per-CPU copies that perf record opens, and inherited children, share one
 * reservation, whose key is (process, watch). So do all events that have no
 * target task and the same watch: perf sets the cgroup of an event only after
 * the PMU has accepted it. A reservation has the worst-case cover of its watch
 * once on every device: 1 comparator, or 2 where the bytes may straddle a
 * block. One comparator of each device stays flexible.
 *
 * Breaks need trap slots instead, of which each context has its own. A break by
 * name of a process has one in each of its contexts for each code object of
 * that name there at the time, or is refused. An event without a target task
 * has one in each context: neither the names nor the pinned breaks of a process
 * are a reason to refuse it. The breaks in further objects rotate, and in a
 * context whose own pinned breaks leave no slot, its first one does, too.
 *
 * Copies are modified one after another. The reservation moves to the new watch
 * with the first copy and is valid only for events that want that watch: any
 * other copy is flexible until it is modified, too. A second reservation
 * besides the first, even for a short time, could be refused.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../compat/perf.h"
#include "../compat/target.h"
#include "../core/core.h"
#include "../trap/trap.h"
#include "event.h"
#include "reserve.h"
#include "scope.h"

/**
 * struct gpubp_reservation - slots reserved for the copies of one pinned event
 * @node: in reservations
 * @pid: thread group of the root target, NULL for CPU-wide and cgroup events
 * @uid: user who opened the first event
 * @spec: the watch or break; written under gpubp_events_lock, too
 * @members: events, by gpubp_event.reservation_node
 * @nr_slots: comparators reserved on each device; for a break, trap slots in
 *	each context
 *
 * All under reservations_lock.
 */
struct gpubp_reservation {
	struct list_head node;
	struct pid *pid;
	kuid_t uid;
	struct gpubp_spec spec;
	struct list_head members;
	unsigned int nr_slots;
};

static LIST_HEAD(reservations);
static DEFINE_MUTEX(reservations_lock);

static bool same_watch(const struct gpubp_spec *a, const struct gpubp_spec *b)
{
	return a->kind == b->kind && a->access == b->access &&
	       a->named == b->named && a->serial == b->serial &&
	       a->code == b->code && a->addr == b->addr && a->len == b->len;
}

static struct gpubp_reservation *reservation_find(struct pid *pid,
						  const struct gpubp_spec *spec)
{
	struct gpubp_reservation *r;

	list_for_each_entry(r, &reservations, node)
		if (r->pid == pid && same_watch(&r->spec, spec))
			return r;
	return NULL;
}

static bool is_break(const struct gpubp_spec *spec)
{
	return spec->kind == GPUBP_KIND_BREAK;
}

static unsigned int reserved_comparators(const struct gpubp_reservation *except)
{
	struct gpubp_reservation *r;
	unsigned int n = 0;

	list_for_each_entry(r, &reservations, node)
		if (r != except && !is_break(&r->spec))
			n += r->nr_slots;
	return n;
}

static unsigned int reserved_for_user(kuid_t uid,
				      const struct gpubp_reservation *except)
{
	struct gpubp_reservation *r;
	unsigned int n = 0;

	list_for_each_entry(r, &reservations, node)
		if (r != except && uid_eq(r->uid, uid) && !is_break(&r->spec))
			n += r->nr_slots;
	return n;
}

/*
 * Trap slots that reservations other than @except may use in one context of
 * @pid. Each context has its own. CPU-wide and cgroup events (no pid) may have
 * their breaks in every process, but those of processes come first in theirs.
 */
static unsigned int reserved_trap_slots(struct pid *pid,
					const struct gpubp_reservation *except)
{
	struct gpubp_reservation *r;
	unsigned int n = 0;

	list_for_each_entry(r, &reservations, node)
		if (r != except && is_break(&r->spec) &&
		    (!r->pid || r->pid == pid))
			n += r->nr_slots;
	return n;
}

static unsigned int nr_objects_named(struct gpubp_ctx *ctx, u32 hash)
{
	struct gpubp_name *name = NULL;
	unsigned int n = 0;

	while ((name = gpubp_name_next(ctx, hash, name)))
		n += name->code;
	return n;
}

/*
 * Breaks in one context at most: one in each object that has the name now. What
 * has it is for the processes to say, so without @pid it is the first object.
 */
static unsigned int max_breaks(const struct gpubp_spec *spec,
			       const struct pid *pid)
{
	unsigned int most = 1;
	struct gpubp_device *dev;
	struct gpubp_ctx *ctx;

	if (!spec->named || !pid)
		return most;
	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node) {
		if (!gpubp_in_scope(spec, dev))
			continue;
		guard(mutex)(&dev->lock);
		list_for_each_entry(ctx, &dev->ctxs, node)
			if (ctx->pid == pid)
				most = max(most,
					   nr_objects_named(ctx, spec->code));
	}
	return most;
}

/*
 * Return: trap slots that @spec needs in each context, or -ENOSPC. One trap
 * slot of each context stays flexible. @own: the reservation that is to be
 * moved, whose slots are available, or NULL.
 */
static int trap_slots_needed(const struct gpubp_spec *spec, struct pid *pid,
			     const struct gpubp_reservation *own)
{
	unsigned int need = max_breaks(spec, pid);

	if (own && need <= own->nr_slots)
		return need;
	if (reserved_trap_slots(pid, own) + need + 1 > gpubp_xol_new_slots())
		return gpubp_refuse(GPUBP_REASON_PINNED_BREAKS);
	return need;
}

static int refuse_range(int err)
{
	return gpubp_refuse(err == -ERANGE ? GPUBP_REASON_PINNED_TOO_LONG :
					     GPUBP_REASON_RANGE_BEYOND);
}

/*
 * Return: comparators that @spec needs on each device in its scope, or an
 * errno. @own: the reservation that is to be moved, whose comparators are
 * available, or NULL.
 */
static int comparators_needed(const struct gpubp_spec *spec,
			      const struct gpubp_reservation *own)
{
	unsigned int taken = reserved_comparators(own);
	unsigned int has = own ? own->nr_slots : 0;
	struct gpubp_device *dev;
	int need = 1, n;

	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node) {
		if (!gpubp_in_scope(spec, dev) || !dev->desc.caps.nr_slots)
			continue;
		n = gpubp_scope_cover(spec, dev);
		if (n < 0)
			return refuse_range(n);
		if (n > has &&
		    taken + n + 1 > hweight32(gpubp_slots_granted(dev)))
			return gpubp_refuse(GPUBP_REASON_PINNED_COMPARATORS);
		need = max(need, n);
	}
	return need;
}

/*
 * Return: nr_slots of a reservation for @spec, or an errno. Without CAP_PERFMON
 * a user may reserve only one comparator.
 */
static int reservation_size(const struct gpubp_spec *spec, kuid_t uid,
			    struct pid *pid,
			    const struct gpubp_reservation *own)
{
	int n;

	if (is_break(spec))
		return trap_slots_needed(spec, pid, own);
	n = comparators_needed(spec, own);
	if (n <= (own ? (int)own->nr_slots : 0))
		return n;
	if (reserved_for_user(uid, own) + n > 1 && !perfmon_capable())
		return gpubp_refuse(GPUBP_REASON_PINNED_USER);
	return n;
}

/*
 * @spare: zeroed memory for it that was allocated without locks; set to NULL if
 * it is used
 */
static struct gpubp_reservation *
reservation_create(struct pid *pid, const struct gpubp_spec *spec,
		   struct gpubp_reservation **spare)
{
	kuid_t uid = gpubp_uid_of(current_cred());
	struct gpubp_reservation *r = *spare;
	int n = reservation_size(spec, uid, pid, NULL);

	if (n < 0)
		return ERR_PTR(n);
	if (!r)
		return ERR_PTR(gpubp_refuse(GPUBP_REASON_NO_MEMORY));
	*spare = NULL;
	r->pid = get_pid(pid);
	r->uid = uid;
	r->spec = *spec;
	r->nr_slots = n;
	INIT_LIST_HEAD(&r->members);
	list_add(&r->node, &reservations);
	return r;
}

static void reservation_join(struct gpubp_event *gev,
			     struct gpubp_reservation *r)
{
	gev->reservation = r;
	list_add_tail(&gev->reservation_node, &r->members);
}

static void reservation_leave(struct gpubp_event *gev)
{
	struct gpubp_reservation *r = gev->reservation;

	gev->reservation = NULL;
	list_del(&gev->reservation_node);
	if (!list_empty(&r->members))
		return;
	list_del(&r->node);
	put_pid(r->pid);
	kfree(r);
}

static struct gpubp_reservation *
reservation_get(const struct gpubp_event *gev, struct gpubp_reservation **spare)
{
	struct task_struct *target = gev->event->hw.target;
	struct pid *pid = target ? gpubp_target_pid(gev->event) : NULL;
	struct gpubp_reservation *r;

	if (target && !pid)
		return ERR_PTR(gpubp_refuse(GPUBP_REASON_TARGET_EXITED));
	r = reservation_find(pid, &gev->spec) ?:
	    reservation_create(pid, &gev->spec, spare);
	put_pid(pid);
	return r;
}

/**
 * gpubp_needs_reservation() - must an event be armed whenever it is enabled
 * @event: event being opened, no child
 *
 * Return: true if it is pinned, or in a group on a CPU's counters. perf has no
 * pinned group members, but such an event is read with the group's times and so
 * must be armed for all of its time running.
 */
bool gpubp_needs_reservation(const struct perf_event *event)
{
	guard(rcu)();
	return event->attr.pinned || gpubp_perf_on_cpu_counters(event);
}

/* s_trap and exception events take no slot and are always armed */
static bool needs_no_slot(const struct gpubp_spec *spec)
{
	return gpubp_kind_is_trap(spec->kind) && !is_break(spec);
}

/**
 * gpubp_reserve() - reserve the comparators of an event, if it needs them
 * @gev: event being opened, no child; perf holds a reference to its target,
 *	if it has one
 *
 * May sleep. Return: 0, -ENOSPC (more than one comparator of a user needs
 * CAP_PERFMON), -ESRCH, -ERANGE, -ENOMEM.
 */
int gpubp_reserve(struct gpubp_event *gev)
{
	struct gpubp_reservation *r, *spare;

	if (!gpubp_needs_reservation(gev->event) || needs_no_slot(&gev->spec))
		return 0;
	spare = kzalloc(sizeof(*spare), GPUBP_GFP_USER);
	scoped_guard(mutex, &reservations_lock) {
		r = reservation_get(gev, &spare);
		if (!IS_ERR(r))
			reservation_join(gev, r);
	}
	kfree(spare);
	return PTR_ERR_OR_ZERO(r);
}

/** gpubp_reserve_inherit() - let a child share its parent's reservation */
void gpubp_reserve_inherit(struct gpubp_event *child,
			   struct gpubp_event *parent)
{
	lockdep_assert_held(&gpubp_events_lock);
	if (!parent->reservation)
		return;
	guard(mutex)(&reservations_lock);
	reservation_join(child, parent->reservation);
}

/**
 * gpubp_unreserve() - leave the reservation; the last event frees it
 * @gev: event that is in no list of events any more
 */
void gpubp_unreserve(struct gpubp_event *gev)
{
	if (!gev->reservation)
		return;
	guard(mutex)(&reservations_lock);
	reservation_leave(gev);
}

/**
 * gpubp_reserve_slots() - comparators reserved for an event on each device
 * @gev: event; gpubp_events_lock is held
 *
 * Return: comparators (of a break: trap slots) of all events of its reservation
 * together; 0 if it has none, or one for another watch.
 */
unsigned int gpubp_reserve_slots(const struct gpubp_event *gev)
{
	lockdep_assert_held(&gpubp_events_lock);
	if (!gev->reservation ||
	    !same_watch(&gev->reservation->spec, &gev->spec))
		return 0;
	return gev->reservation->nr_slots;
}

/**
 * gpubp_reserve_is_of_process() - is it in contexts of one process, and of
 *	those that inherit the event
 * @gev: event; gpubp_events_lock is held
 */
bool gpubp_reserve_is_of_process(const struct gpubp_event *gev)
{
	lockdep_assert_held(&gpubp_events_lock);
	return gev->reservation && gev->reservation->pid;
}

/**
 * gpubp_reserve_for_members() - call a function for the events that share a
 *	reservation
 * @gev: one of them, or an event without a reservation; gpubp_events_lock is
 *	held
 * @fn: function
 */
void gpubp_reserve_for_members(const struct gpubp_event *gev,
			       void (*fn)(struct gpubp_event *gev))
{
	struct gpubp_event *member;

	lockdep_assert_held(&gpubp_events_lock);
	guard(mutex)(&reservations_lock);
	if (!gev->reservation)
		return;
	list_for_each_entry(member, &gev->reservation->members,
			    reservation_node)
		fn(member);
}

/* ---- modification -------------------------------------------------------- */

/* copies that perf opens for each CPU are modified and closed together */
static bool is_cpu_copy(const struct gpubp_event *a,
			const struct gpubp_event *b)
{
	return a->opener == b->opener && a->event->cpu != b->event->cpu;
}

/* has the reservation only copies of @gev, and children */
static bool may_move_reservation(const struct gpubp_event *gev)
{
	const struct gpubp_event *other;

	list_for_each_entry(other, &gev->reservation->members, reservation_node)
		if (other != gev && !other->event->parent &&
		    !is_cpu_copy(other, gev))
			return false;
	return true;
}

/* nr_slots does not shrink, even if the new watch needs less */
static int reservation_move(struct gpubp_reservation *r,
			    const struct gpubp_spec *spec)
{
	int n = reservation_size(spec, r->uid, r->pid, r);

	if (n < 0)
		return n;
	r->nr_slots = max_t(unsigned int, r->nr_slots, n);
	r->spec = *spec;
	return 0;
}

static void event_change_reservation(struct gpubp_event *gev, void *reservation)
{
	reservation_leave(gev);
	reservation_join(gev, reservation);
}

/**
 * gpubp_reserve_modify() - reserve comparators for another watch of an event
 * @gev: event, no child; gpubp_events_lock is held
 * @spec: what it will ask for
 *
 * Does nothing for an event without a reservation. May sleep. Return: as
 * gpubp_reserve(); if not 0, nothing has changed.
 */
int gpubp_reserve_modify(struct gpubp_event *gev, const struct gpubp_spec *spec)
{
	struct gpubp_reservation *r = gev->reservation, *spare;

	lockdep_assert_held(&gpubp_events_lock);
	if (!r)
		return 0;
	guard(mutex)(&reservations_lock);
	if (same_watch(&r->spec, spec))
		return 0;
	r = reservation_find(r->pid, spec);
	if (!r && may_move_reservation(gev))
		return reservation_move(gev->reservation, spec);
	if (!r) {
		spare = kzalloc(sizeof(*spare), GPUBP_GFP_LOCKED);
		r = reservation_create(gev->reservation->pid, spec, &spare);
		kfree(spare);
	}
	if (IS_ERR(r))
		return PTR_ERR(r);
	gpubp_event_for_inherited(gev, event_change_reservation, r);
	return 0;
}
