// SPDX-License-Identifier: GPL-2.0
/*
 * Reserve: a pinned event is promised its comparators when it is opened, or
 * refused. What was promised is never taken back.
 *
 * The per-CPU copies that perf record opens, and inherited children, are one
 * family: (process, watch). A family reserves the worst-case cover of its
 * watch once, on every device: 1 comparator, or 2 where the bytes may straddle
 * a block. One comparator of each device stays flexible.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "device.h"
#include "event.h"
#include "reserve.h"
#include "scope.h"

/**
 * struct gpubp_family - copies of one pinned event; all under families_lock
 * @node: in families
 * @pid: thread group of the root target
 * @uid: who opened it
 * @spec: the watch
 * @nr: events
 * @nr_slots: comparators reserved on each device
 */
struct gpubp_family {
	struct list_head node;
	struct pid *pid;
	kuid_t uid;
	struct gpubp_spec spec;
	unsigned int nr;
	unsigned int nr_slots;
};

static LIST_HEAD(families);
static DEFINE_MUTEX(families_lock);

static bool same_watch(const struct gpubp_spec *a, const struct gpubp_spec *b)
{
	return a->kind == b->kind && a->access == b->access &&
	       a->named == b->named && a->device == b->device &&
	       a->code == b->code && a->addr == b->addr && a->len == b->len;
}

static struct gpubp_family *family_find(struct pid *pid,
					const struct gpubp_spec *spec)
{
	struct gpubp_family *f;

	list_for_each_entry(f, &families, node)
		if (f->pid == pid && same_watch(&f->spec, spec))
			return f;
	return NULL;
}

static unsigned int promised(void)
{
	struct gpubp_family *f;
	unsigned int n = 0;

	list_for_each_entry(f, &families, node)
		n += f->nr_slots;
	return n;
}

static unsigned int promised_to(kuid_t uid)
{
	struct gpubp_family *f;
	unsigned int n = 0;

	list_for_each_entry(f, &families, node)
		if (uid_eq(f->uid, uid))
			n += f->nr_slots;
	return n;
}

/* comparators that @spec needs on every device in its scope, or an errno */
static int slots_needed(const struct gpubp_spec *spec)
{
	unsigned int taken = promised();
	struct gpubp_device *dev;
	int need = 1, n;

	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node) {
		if (!gpubp_in_scope(spec, dev) || !dev->desc.caps.nr_slots)
			continue;
		n = gpubp_scope_cover(spec, dev);
		if (n < 0)
			return n;
		if (taken + n + 1 > hweight32(dev->desc.caps.usable_slots))
			return -ENOSPC;
		need = max(need, n);
	}
	return need;
}

static struct gpubp_family *family_new(struct pid *pid,
				       const struct gpubp_spec *spec)
{
	kuid_t uid = current_uid();
	struct gpubp_family *f;
	int n = slots_needed(spec);

	if (n < 0)
		return ERR_PTR(n);
	if (promised_to(uid) + n > 1 && !perfmon_capable())
		return ERR_PTR(-EACCES);
	f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);
	if (!f)
		return ERR_PTR(-ENOMEM);
	f->pid = get_pid(pid);
	f->uid = uid;
	f->spec = *spec;
	f->nr_slots = n;
	list_add(&f->node, &families);
	return f;
}

/* perf has the task, but it may be reaped, and its pid with it */
static struct pid *target_pid(const struct perf_event *event)
{
	guard(rcu)();
	return get_pid(task_tgid(event->hw.target));
}

static struct gpubp_family *family_get(struct gpubp_event *gev)
{
	struct perf_event *parent = gev->event->parent;
	struct gpubp_family *f;
	struct pid *pid;

	if (parent) {
		f = ((struct gpubp_event *)parent->pmu_private)->family;
	} else {
		pid = target_pid(gev->event);
		if (!pid)
			return ERR_PTR(-ESRCH);
		f = family_find(pid, &gev->spec);
		if (!f)
			f = family_new(pid, &gev->spec);
		put_pid(pid);
	}
	if (!IS_ERR(f))
		f->nr++;
	return f;
}

/**
 * gpubp_reserve() - promise an event its comparators, if it is pinned
 * @gev: event being opened; perf holds a reference to its target
 *
 * May sleep. Return: 0, -ENOSPC, -EACCES (more than one comparator of a user
 * needs CAP_PERFMON), -ESRCH, -ERANGE, -ENOMEM.
 */
int gpubp_reserve(struct gpubp_event *gev)
{
	struct gpubp_family *f;

	if (!gev->event->attr.pinned)
		return 0;
	guard(mutex)(&families_lock);
	f = family_get(gev);
	if (IS_ERR(f))
		return PTR_ERR(f);
	gev->family = f;
	return 0;
}

/** gpubp_unreserve() - the last of a family gives its comparators back */
void gpubp_unreserve(struct gpubp_event *gev)
{
	struct gpubp_family *f = gev->family;

	if (!f)
		return;
	guard(mutex)(&families_lock);
	if (--f->nr)
		return;
	list_del(&f->node);
	put_pid(f->pid);
	kfree(f);
}
