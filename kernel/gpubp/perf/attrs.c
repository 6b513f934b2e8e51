// SPDX-License-Identifier: GPL-2.0
/* Attrs: /sys/bus/event_source/devices/gpubp: format, events, caps. */
#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#include "../core/core.h"
#include "pmu.h"

PMU_FORMAT_ATTR(kind,		"config:0-7");
PMU_FORMAT_ATTR(access,		"config:8-10");
PMU_FORMAT_ATTR(process,	"config:16");
PMU_FORMAT_ATTR(possible,	"config:17");
PMU_FORMAT_ATTR(changed,	"config:18");
PMU_FORMAT_ATTR(named,		"config:19");
PMU_FORMAT_ATTR(meter,		"config:20");
PMU_FORMAT_ATTR(lost,		"config:21");
PMU_FORMAT_ATTR(device,		"config:24-31");
PMU_FORMAT_ATTR(code,		"config:32-63");
PMU_FORMAT_ATTR(addr,		"config1:0-63");
PMU_FORMAT_ATTR(len,		"config2:0-63");

static struct attribute *format_attrs[] = {
	&format_attr_kind.attr,
	&format_attr_access.attr,
	&format_attr_process.attr,
	&format_attr_possible.attr,
	&format_attr_changed.attr,
	&format_attr_named.attr,
	&format_attr_meter.attr,
	&format_attr_lost.attr,
	&format_attr_device.attr,
	&format_attr_code.attr,
	&format_attr_addr.attr,
	&format_attr_len.attr,
	NULL,
};

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attrs,
};

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
static struct attribute *event_attrs[] = {
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

static const struct attribute_group events_group = {
	.name = "events",
	.attrs = event_attrs,
};

/*
 * Each file is an array of one type, with one value per device, in the same
 * order in all files. The PMU serves all devices; perf reads one line of each
 * file in caps/ and no directories below it.
 */
static ssize_t show_devices(char *buf,
			    int (*show)(const struct gpubp_device *dev,
					char *buf, int at))
{
	struct gpubp_device *dev;
	int at = 0;

	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node) {
		if (at)
			at += sysfs_emit_at(buf, at, " ");
		at += show(dev, buf, at);
	}
	return at + sysfs_emit_at(buf, at, "\n");
}

#define CAP(_name)							\
static ssize_t _name##_show(struct device *d,				\
			    struct device_attribute *attr, char *buf)	\
{									\
	return show_devices(buf, emit_##_name);				\
}									\
static DEVICE_ATTR_RO(_name)

static int emit_slots(const struct gpubp_device *dev, char *buf, int at)
{
	return sysfs_emit_at(buf, at, "%u", dev->desc.caps.nr_slots);
}
CAP(slots);

static int emit_granule(const struct gpubp_device *dev, char *buf, int at)
{
	return sysfs_emit_at(buf, at, "%u", dev->desc.caps.granule);
}
CAP(granule);

static int emit_max_block(const struct gpubp_device *dev, char *buf, int at)
{
	return sysfs_emit_at(buf, at, "%llu", dev->desc.caps.max_block);
}
CAP(max_block);

static int emit_precise(const struct gpubp_device *dev, char *buf, int at)
{
	return sysfs_emit_at(buf, at, "%d", dev->desc.caps.precise);
}
CAP(precise);

/* GPUBP_EXC_* that exception events of the device may select */
static int emit_exceptions(const struct gpubp_device *dev, char *buf, int at)
{
	return sysfs_emit_at(buf, at, "0x%x", dev->desc.caps.exceptions);
}
CAP(exceptions);

static int emit_devices(const struct gpubp_device *dev, char *buf, int at)
{
	return sysfs_emit_at(buf, at, "%u", dev->number);
}
CAP(devices);

static int emit_names(const struct gpubp_device *dev, char *buf, int at)
{
	return sysfs_emit_at(buf, at, "%s", dev->name);
}
CAP(names);

static int emit_isas(const struct gpubp_device *dev, char *buf, int at)
{
	return sysfs_emit_at(buf, at, "%s",
			     dev->desc.isa ? dev->desc.isa->name : "-");
}
CAP(isas);

/* access paths that the comparators see; other accesses are not watched */
static int emit_paths(const struct gpubp_device *dev, char *buf, int at)
{
	static const char * const names[] = {
		"vector", "scalar", "lds", "dma", "cp"
	};
	int start = at, i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (dev->desc.caps.paths & BIT(i))
			at += sysfs_emit_at(buf, at, "%s%s",
					    at > start ? "," : "", names[i]);
	return at > start ? at - start : sysfs_emit_at(buf, at, "-");
}
CAP(paths);

static ssize_t version_show(struct device *d, struct device_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "1\n");
}
static DEVICE_ATTR_RO(version);

static struct attribute *caps_attrs[] = {
	&dev_attr_version.attr,
	&dev_attr_devices.attr,
	&dev_attr_names.attr,
	&dev_attr_isas.attr,
	&dev_attr_slots.attr,
	&dev_attr_granule.attr,
	&dev_attr_max_block.attr,
	&dev_attr_precise.attr,
	&dev_attr_exceptions.attr,
	&dev_attr_paths.attr,
	NULL,
};

static const struct attribute_group caps_group = {
	.name = "caps",
	.attrs = caps_attrs,
};

const struct attribute_group *gpubp_attr_groups[] = {
	&format_group,
	&events_group,
	&caps_group,
	NULL,
};
