// SPDX-License-Identifier: GPL-2.0
/* Attrs: /sys/bus/event_source/devices/gpubp: format, caps. */
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
PMU_FORMAT_ATTR(len,		"config2:0-47");
PMU_FORMAT_ATTR(cond,		"config2:48-63");

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
	&format_attr_cond.attr,
	NULL,
};

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attrs,
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
	&gpubp_aliases_group,
	&caps_group,
	NULL,
};
