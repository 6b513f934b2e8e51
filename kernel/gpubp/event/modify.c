// SPDX-License-Identifier: GPL-2.0
/*
 * Modify: what an event watches, changed in place.
 *
 * perf core keeps the event, its counts and its state; what changes is our
 * spec, and the attr from which perf makes the children that are forked later.
 */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <uapi/linux/gpubp.h>

#include "../compat/perf.h"
#include "event.h"
#include "reconcile.h"
#include "reserve.h"
#include "scope.h"
#include "set.h"

static int decode(const struct gpubp_event *gev, u64 config, u64 config1,
		  u64 config2, struct gpubp_spec *spec)
{
	struct perf_event_attr attr = gev->event->attr;
	int err;

	attr.config = config;
	attr.config1 = config1;
	attr.config2 = config2;
	err = gpubp_spec_decode(&attr, spec);
	if (err)
		return err;
	if (spec->kind != gev->spec.kind ||
	    spec->process != gev->spec.process ||
	    spec->possible != gev->spec.possible ||
	    spec->lost != gev->spec.lost ||
	    spec->device != gev->spec.device)
		return -EINVAL;
	spec->serial = gev->spec.serial;
	return gpubp_event_may_want(gev, spec);
}

/* the hit road reads without a lock: field by field, and only what changes */
static void spec_write(struct gpubp_spec *to, const struct gpubp_spec *from)
{
	to->access = from->access;
	WRITE_ONCE(to->changed, from->changed);
	to->named = from->named;
	WRITE_ONCE(to->code, from->code);
	to->addr = from->addr;
	to->len = from->len;
}

static void take_set(struct gpubp_event *gev, void *arg)
{
	struct gpubp_watch_set *set = arg, *old = gev->set;

	kref_get(&set->ref);
	gev->set = set;
	/* its benches keep it until they are left */
	gpubp_set_put(old);
}

static int change_set(struct gpubp_event *gev, u32 id)
{
	struct gpubp_watch_set *set = gpubp_set_get(id);

	if (IS_ERR(set))
		return PTR_ERR(set);
	gpubp_event_for_family(gev, take_set, set);
	gpubp_set_put(set);
	return 0;
}

static int prepare(struct gpubp_event *gev, struct gpubp_spec *spec)
{
	int err = gpubp_scope_check(spec);

	if (err)
		return err;
	if (spec->kind == GPUBP_KIND_WATCH_SET)
		return change_set(gev, spec->code);
	return gpubp_reserve_modify(gev, spec);
}

static void copy_spec(struct gpubp_event *gev, void *arg)
{
	struct gpubp_event *from = arg;

	if (gev == from)
		return;
	spec_write(&gev->spec, &from->spec);
	gpubp_perf_copy_config(gev->event, from->event);
}

/**
 * gpubp_event_modify() - let an event and its children watch something else
 * @gev: event, no child; gpubp_events_lock is held
 * @config: as attr.config
 * @config1: as attr.config1
 * @config2: as attr.config2
 *
 * May sleep. On return the change is wanted; see gpubp_request_wait().
 *
 * Return: 0; or, with nothing changed, what opening such an event returns, and
 * -EINVAL if kind, process, possible, lost or device differ.
 */
int gpubp_event_modify(struct gpubp_event *gev, u64 config, u64 config1,
		       u64 config2)
{
	struct gpubp_spec spec;
	int err;

	lockdep_assert_held(&gpubp_events_lock);
	err = decode(gev, config, config1, config2, &spec);
	if (err || gpubp_spec_equal(&gev->spec, &spec))
		return err;
	err = prepare(gev, &spec);
	if (err)
		return err;
	spec_write(&gev->spec, &spec);
	gpubp_perf_set_config(gev->event, config, config1, config2);
	gpubp_event_for_family(gev, copy_spec, gev);
	gpubp_event_respecified(gev);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_event_modify);
