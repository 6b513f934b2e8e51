// SPDX-License-Identifier: GPL-2.0
/*
 * Aliases: /sys/bus/event_source/devices/gpubp/events
 *
 * An alias is listed if some device can serve its event. While there is no
 * device all are: an event may be opened before the first device appears.
 */
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/container_of.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>
#include <uapi/linux/gpubp.h>

#include "../event/event.h"
#include "perf.h"
#include "pmu.h"

#define DIRECTORY	"events"

/*
 * perf ORs the values of an alias with the user's terms, so an alias has only
 * terms that a user never needs to override. period=1 makes every hit a sample
 * unless the user gives a period with -c or freq=.
 */
#define WATCH_ALIAS(_name, _access)					\
	PMU_EVENT_ATTR_STRING(_name, event_attr_##_name,		\
			      "kind=0x1,access=" _access ",addr=?,len=?,period=1")

WATCH_ALIAS(watch,		"0x6");
WATCH_ALIAS(watch_r,		"0x1");
WATCH_ALIAS(watch_w,		"0x2");
WATCH_ALIAS(watch_rw,		"0x7");
WATCH_ALIAS(watch_atomic,	"0x4");

PMU_EVENT_ATTR_STRING(gpu_break, event_attr_gpu_break,
		      "kind=0x2,addr=?,period=1");
PMU_EVENT_ATTR_STRING(gpu_trap, event_attr_gpu_trap,
		      "kind=0x3,code=?,period=1");

#define EXCEPTION_ALIAS(_name, _code)					\
	PMU_EVENT_ATTR_STRING(_name, event_attr_##_name,		\
			      "kind=0x0,code=" _code ",period=1")

EXCEPTION_ALIAS(exc_mem_viol,		"0x1");
EXCEPTION_ALIAS(exc_illegal_inst,	"0x2");
EXCEPTION_ALIAS(exc_int_div0,		"0x4");
EXCEPTION_ALIAS(exc_fp,			"0x1f8");
EXCEPTION_ALIAS(exc_fp_invalid,		"0x8");
EXCEPTION_ALIAS(exc_fp_denormal,	"0x10");
EXCEPTION_ALIAS(exc_fp_div0,		"0x20");
EXCEPTION_ALIAS(exc_fp_overflow,	"0x40");
EXCEPTION_ALIAS(exc_fp_underflow,	"0x80");
EXCEPTION_ALIAS(exc_fp_inexact,		"0x100");
EXCEPTION_ALIAS(exc_wave_start,		"0x200");
EXCEPTION_ALIAS(exc_wave_end,		"0x400");

/*
 * No alias has the name of the PMU: perf 6.1 would then parse neither the other
 * aliases nor the tracepoints of gpubp.
 */
static struct attribute *aliases[] = {
	&event_attr_watch.attr.attr,
	&event_attr_watch_r.attr.attr,
	&event_attr_watch_w.attr.attr,
	&event_attr_watch_rw.attr.attr,
	&event_attr_watch_atomic.attr.attr,
	&event_attr_gpu_break.attr.attr,
	&event_attr_gpu_trap.attr.attr,
	&event_attr_exc_mem_viol.attr.attr,
	&event_attr_exc_illegal_inst.attr.attr,
	&event_attr_exc_int_div0.attr.attr,
	&event_attr_exc_fp.attr.attr,
	&event_attr_exc_fp_invalid.attr.attr,
	&event_attr_exc_fp_denormal.attr.attr,
	&event_attr_exc_fp_div0.attr.attr,
	&event_attr_exc_fp_overflow.attr.attr,
	&event_attr_exc_fp_underflow.attr.attr,
	&event_attr_exc_fp_inexact.attr.attr,
	&event_attr_exc_wave_start.attr.attr,
	&event_attr_exc_wave_end.attr.attr,
	NULL,
};

const struct attribute_group gpubp_aliases_group = {
	.name = DIRECTORY,
	.attrs = aliases,
};

/* the PMU is registered with all of them, before the first device */
static unsigned long hidden[BITS_TO_LONGS(ARRAY_SIZE(aliases))];
/* outside of gpubp_devices_lock; the last update sees the last change */
static DEFINE_MUTEX(aliases_lock);

/* would a minimal event of the alias, on any device, be refused */
static bool alias_is_served(const struct attribute *attr)
{
	const struct perf_pmu_events_attr *alias =
		container_of_const(attr, struct perf_pmu_events_attr, attr.attr);
	struct gpubp_spec spec = { .len = 1 };
	int kind, code = 0;

	if (sscanf(alias->event_str, "kind=%i,code=%i", &kind, &code) < 1)
		return true;
	spec.kind = kind;
	spec.code = code;
	return !gpubp_scope_reason(&spec);
}

static void alias_show(struct kobject *pmu, unsigned int i)
{
	if (!sysfs_add_file_to_group(pmu, aliases[i], DIRECTORY))
		__clear_bit(i, hidden);
}

static void alias_hide(struct kobject *pmu, unsigned int i)
{
	sysfs_remove_file_from_group(pmu, aliases[i], DIRECTORY);
	__set_bit(i, hidden);
}

/**
 * gpubp_aliases_update() - list the aliases that devices can serve now
 *
 * Called after a device was listed or unlisted; may sleep. Not by
 * sysfs_update_group(): it removes each file for a moment, even one that stays,
 * and perf would not find it.
 */
void gpubp_aliases_update(void)
{
	struct kobject *pmu = gpubp_pmu_kobj();
	unsigned int i;

	guard(mutex)(&aliases_lock);
	for (i = 0; aliases[i]; i++) {
		bool served = alias_is_served(aliases[i]);

		if (served && test_bit(i, hidden))
			alias_show(pmu, i);
		else if (!served && !test_bit(i, hidden))
			alias_hide(pmu, i);
	}
}
