// SPDX-License-Identifier: GPL-2.0
/*
 * Reserve: a pinned event is promised its comparators when it is opened, or
 * refused. What was promised is never taken back.
 *
 * The per-CPU copies that perf record opens, and inherited children, are one
 * family: (process, watch). So are all events for no task in particular,
 * whose watch is the same in every context: perf tells whether it is a cgroup's
 * only after it was opened. A family reserves the worst-case cover of its
 * watch once, on every device: 1 comparator, or 2 where the bytes may straddle
 * a block. One comparator of each device stays flexible.
 *
 * Copies are modified one after another. The family goes with the first one,
 * and holds for who wants what it holds for: a copy is flexible between the
 * modification of the first and its own. Two reservations at a time, even for
 * a moment, could be refused.
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
 * struct gpubp_reservation - copies of one pinned event; all under families_lock
 * @node: in families
 * @pid: thread group of the root target, NULL of CPU-wide and cgroup events
 * @uid: who opened it
 * @spec: the watch; written under gpubp_events_lock, too
 * @members: events, by gpubp_event.reservation_node
 * @nr_slots: comparators reserved on each device; of a break, trap slots in each
 *	context
 */
struct gpubp_reservation {
	struct list_head node;
	struct pid *pid;
	kuid_t uid;
	struct gpubp_spec spec;
	struct list_head members;
	unsigned int nr_slots;
};

static LIST_HEAD(families);
static DEFINE_MUTEX(families_lock);

static bool same_watch(const struct gpubp_spec *a, const struct gpubp_spec *b)
{
	return a->kind == b->kind && a->access == b->access &&
	       a->named == b->named && a->serial == b->serial &&
	       a->code == b->code && a->addr == b->addr && a->len == b->len;
}

static struct gpubp_reservation *family_find(struct pid *pid,
					     const struct gpubp_spec *spec)
{
	struct gpubp_reservation *f;

	list_for_each_entry(f, &families, node)
		if (f->pid == pid && same_watch(&f->spec, spec))
			return f;
	return NULL;
}

static bool is_break(const struct gpubp_spec *spec)
{
	return spec->kind == GPUBP_KIND_BREAK;
}

static unsigned int promised(const struct gpubp_reservation *except)
{
	struct gpubp_reservation *f;
	unsigned int n = 0;

	list_for_each_entry(f, &families, node)
		if (f != except && !is_break(&f->spec))
			n += f->nr_slots;
	return n;
}

static unsigned int promised_to(kuid_t uid,
				const struct gpubp_reservation *except)
{
	struct gpubp_reservation *f;
	unsigned int n = 0;

	list_for_each_entry(f, &families, node)
		if (f != except && uid_eq(f->uid, uid) && !is_break(&f->spec))
			n += f->nr_slots;
	return n;
}

/*
 * Trap slots are a context's own. Who may name several processes may have their
 * breaks in each of them.
 */
static unsigned int promised_breaks(struct pid *pid,
				    const struct gpubp_reservation *except)
{
	struct gpubp_reservation *f;
	unsigned int n = 0;

	list_for_each_entry(f, &families, node)
		if (f != except && is_break(&f->spec) &&
		    (!pid || !f->pid || f->pid == pid))
			n += f->nr_slots;
	return n;
}

static unsigned int objects_named(struct gpubp_ctx *ctx, u32 hash)
{
	struct gpubp_name *name = NULL;
	unsigned int n = 0;

	while ((name = gpubp_name_next(ctx, hash, name)))
		n += name->code;
	return n;
}

/* instructions in one context: of each object that has the name now */
static unsigned int places(const struct gpubp_spec *spec, const struct pid *pid)
{
	unsigned int most = 1;
	struct gpubp_device *dev;
	struct gpubp_ctx *ctx;

	if (!spec->named)
		return most;
	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node) {
		if (!gpubp_in_scope(spec, dev))
			continue;
		guard(mutex)(&dev->lock);
		list_for_each_entry(ctx, &dev->ctxs, node)
			if (!pid || ctx->pid == pid)
				most = max(most,
					   objects_named(ctx, spec->code));
	}
	return most;
}

/*
 * Trap slots, of which one of each context's stays flexible; or -ENOSPC. Those that
 * @own has, if not NULL, are its own already.
 */
static int break_slots_needed(const struct gpubp_spec *spec, struct pid *pid,
			      const struct gpubp_reservation *own)
{
	unsigned int need = places(spec, pid);

	if (own && need <= own->nr_slots)
		return need;
	return promised_breaks(pid, own) + need + 1 > gpubp_xol_new_slots() ?
		-ENOSPC : (int)need;
}

/*
 * Comparators that @spec needs on every device in its scope, or an errno;
 * those that @own has, if not NULL, are its own already.
 */
static int slots_needed(const struct gpubp_spec *spec,
			const struct gpubp_reservation *own)
{
	unsigned int taken = promised(own);
	unsigned int has = own ? own->nr_slots : 0;
	struct gpubp_device *dev;
	int need = 1, n;

	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node) {
		if (!gpubp_in_scope(spec, dev) || !dev->desc.caps.nr_slots)
			continue;
		n = gpubp_scope_cover(spec, dev);
		if (n < 0)
			return n;
		if (n > has &&
		    taken + n + 1 > hweight32(gpubp_slots_granted(dev)))
			return -ENOSPC;
		need = max(need, n);
	}
	return need;
}

/* either, as far as the user may have it; without CAP_PERFMON that is one comparator */
static int needed(const struct gpubp_spec *spec, kuid_t uid, struct pid *pid,
		  const struct gpubp_reservation *own)
{
	int n;

	if (is_break(spec))
		return break_slots_needed(spec, pid, own);
	n = slots_needed(spec, own);
	if (n <= (own ? (int)own->nr_slots : 0))
		return n;
	return promised_to(uid, own) + n > 1 && !perfmon_capable() ? -ENOSPC :
								     n;
}

static struct gpubp_reservation *family_new(struct pid *pid,
					    const struct gpubp_spec *spec)
{
	kuid_t uid = gpubp_uid_of(current_cred());
	struct gpubp_reservation *f;
	int n = needed(spec, uid, pid, NULL);

	if (n < 0)
		return ERR_PTR(n);
	f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);
	if (!f)
		return ERR_PTR(-ENOMEM);
	f->pid = get_pid(pid);
	f->uid = uid;
	f->spec = *spec;
	f->nr_slots = n;
	INIT_LIST_HEAD(&f->members);
	list_add(&f->node, &families);
	return f;
}

static void family_join(struct gpubp_event *gev, struct gpubp_reservation *f)
{
	gev->reservation = f;
	list_add_tail(&gev->reservation_node, &f->members);
}

static void family_leave(struct gpubp_event *gev)
{
	struct gpubp_reservation *f = gev->reservation;

	gev->reservation = NULL;
	list_del(&gev->reservation_node);
	if (!list_empty(&f->members))
		return;
	list_del(&f->node);
	put_pid(f->pid);
	kfree(f);
}

static struct gpubp_reservation *family_get(const struct gpubp_event *gev)
{
	struct task_struct *target = gev->event->hw.target;
	struct pid *pid = target ? gpubp_target_pid(gev->event) : NULL;
	struct gpubp_reservation *f;

	if (target && !pid)
		return ERR_PTR(-ESRCH);
	f = family_find(pid, &gev->spec) ?: family_new(pid, &gev->spec);
	put_pid(pid);
	return f;
}

/**
 * gpubp_needs_reservation() - is an event to be armed whenever it is on
 * @event: event being opened, no child
 *
 * Pinned; or, as perf knows no pinned members of groups, in a group on a CPU's
 * counters: it is read with their time, of which it must have all.
 */
bool gpubp_needs_reservation(const struct perf_event *event)
{
	guard(rcu)();
	return event->attr.pinned || gpubp_perf_on_cpu_counters(event);
}

/* an s_trap or an exception takes no slot: it is always armed */
static bool needs_none(const struct gpubp_spec *spec)
{
	return gpubp_kind_is_trap(spec->kind) && !is_break(spec);
}

/**
 * gpubp_reserve() - promise an event its comparators, if it needs them
 * @gev: event being opened, no child; perf holds a reference to its target,
 *	if it has one
 *
 * May sleep. Return: 0, -ENOSPC (more than one comparator of a user needs
 * CAP_PERFMON), -ESRCH, -ERANGE, -ENOMEM.
 */
int gpubp_reserve(struct gpubp_event *gev)
{
	struct gpubp_reservation *f;

	if (!gpubp_needs_reservation(gev->event) || needs_none(&gev->spec))
		return 0;
	guard(mutex)(&families_lock);
	f = family_get(gev);
	if (IS_ERR(f))
		return PTR_ERR(f);
	family_join(gev, f);
	return 0;
}

/** gpubp_reserve_inherit() - a child shares what its parent was promised */
void gpubp_reserve_inherit(struct gpubp_event *child,
			   struct gpubp_event *parent)
{
	lockdep_assert_held(&gpubp_events_lock);
	guard(mutex)(&families_lock);
	if (parent->reservation)
		family_join(child, parent->reservation);
}

/** gpubp_unreserve() - the last of a family gives its comparators back */
void gpubp_unreserve(struct gpubp_event *gev)
{
	guard(mutex)(&families_lock);
	if (gev->reservation)
		family_leave(gev);
}

/**
 * gpubp_reserve_slots() - what is an event promised on each device
 * @gev: event; gpubp_events_lock is held
 *
 * Return: comparators, for all events of its family together; 0 if it is not
 * pinned, or the promise is for another watch.
 */
unsigned int gpubp_reserve_slots(const struct gpubp_event *gev)
{
	lockdep_assert_held(&gpubp_events_lock);
	if (!gev->reservation ||
	    !same_watch(&gev->reservation->spec, &gev->spec))
		return 0;
	return gev->reservation->nr_slots;
}

/* ---- modification -------------------------------------------------------- */

/* what perf opens for each CPU at a time is closed and modified alike */
static bool is_copy(const struct gpubp_event *a, const struct gpubp_event *b)
{
	return a->opener == b->opener && a->event->cpu != b->event->cpu;
}

/* is nobody in its family who has another reason to be there; not children */
static bool may_take_along(const struct gpubp_event *gev)
{
	const struct gpubp_event *other;

	list_for_each_entry(other, &gev->reservation->members, reservation_node)
		if (other != gev && !other->event->parent &&
		    !is_copy(other, gev))
			return false;
	return true;
}

/* what it was promised stays its own, also if it needs less now */
static int family_move(struct gpubp_reservation *f,
		       const struct gpubp_spec *spec)
{
	int n = needed(spec, f->uid, f->pid, f);

	if (n < 0)
		return n;
	f->nr_slots = max_t(unsigned int, f->nr_slots, n);
	f->spec = *spec;
	return 0;
}

static void change_family(struct gpubp_event *gev, void *reservation)
{
	family_leave(gev);
	family_join(gev, reservation);
}

/**
 * gpubp_reserve_modify() - promise a pinned event comparators for another watch
 * @gev: event, no child; gpubp_events_lock is held
 * @spec: what it will ask for
 *
 * May sleep. Return: as gpubp_reserve(); nothing has changed if not 0.
 */
int gpubp_reserve_modify(struct gpubp_event *gev, const struct gpubp_spec *spec)
{
	struct gpubp_reservation *f = gev->reservation;

	lockdep_assert_held(&gpubp_events_lock);
	if (!f)
		return 0;
	guard(mutex)(&families_lock);
	if (same_watch(&f->spec, spec))
		return 0;
	f = family_find(f->pid, spec);
	if (!f && may_take_along(gev))
		return family_move(gev->reservation, spec);
	if (!f)
		f = family_new(gev->reservation->pid, spec);
	if (IS_ERR(f))
		return PTR_ERR(f);
	gpubp_event_for_inherited(gev, change_family, f);
	return 0;
}
