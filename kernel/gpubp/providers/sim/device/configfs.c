// SPDX-License-Identifier: GPL-2.0
/*
 * Software GPUs through configfs: a directory in /sys/kernel/config/gpubp_sim
 * is a configuration, its file "live" creates the device.
 */
#include <linux/configfs.h>
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "configfs.h"
#include "device.h"
#include "field.h"

/**
 * struct gpu_item - a configfs directory
 * @item: configfs item
 * @lock: protects the members below
 * @config: configuration
 * @dev: the device while "live" is 1, else NULL
 */
struct gpu_item {
	struct config_item item;
	struct mutex lock;
	struct sim_config config;
	struct sim_device *dev;
};

static struct gpu_item *to_gpu(struct config_item *item)
{
	return container_of(item, struct gpu_item, item);
}

static ssize_t gpu_field_show(struct config_item *item, enum sim_field_nr nr,
			      char *page)
{
	struct gpu_item *gpu = to_gpu(item);
	char text[SIM_FIELD_TEXT];

	guard(mutex)(&gpu->lock);
	sim_field_show(&gpu->config, &sim_fields[nr], text, sizeof(text));
	return sysfs_emit(page, "%s\n", text);
}

static ssize_t gpu_field_store(struct config_item *item, enum sim_field_nr nr,
			       const char *page, size_t count)
{
	struct gpu_item *gpu = to_gpu(item);

	guard(mutex)(&gpu->lock);
	if (gpu->dev)
		return -EBUSY;
	return sim_field_set(&gpu->config, &sim_fields[nr], page) ?: count;
}

#define FIELD_ATTR(_name, _field)					     \
static ssize_t gpu_##_name##_show(struct config_item *item, char *page)	     \
{									     \
	return gpu_field_show(item, _field, page);			     \
}									     \
									     \
static ssize_t gpu_##_name##_store(struct config_item *item,		     \
				   const char *page, size_t count)	     \
{									     \
	return gpu_field_store(item, _field, page, count);		     \
}									     \
CONFIGFS_ATTR(gpu_, _name)

FIELD_ATTR(personality, SIM_FIELD_PERSONALITY);
FIELD_ATTR(residency, SIM_FIELD_RESIDENCY);
FIELD_ATTR(cus, SIM_FIELD_CUS);
FIELD_ATTR(simd_slots, SIM_FIELD_SIMD_SLOTS);
FIELD_ATTR(watches, SIM_FIELD_WATCHES);
FIELD_ATTR(granule, SIM_FIELD_GRANULE);
FIELD_ATTR(vmids, SIM_FIELD_VMIDS);
FIELD_ATTR(ih_entries, SIM_FIELD_IH_ENTRIES);
FIELD_ATTR(skid, SIM_FIELD_SKID);
FIELD_ATTR(quantum_ms, SIM_FIELD_QUANTUM_MS);
FIELD_ATTR(preempt_ms, SIM_FIELD_PREEMPT_MS);
FIELD_ATTR(ternary, SIM_FIELD_TERNARY);
FIELD_ATTR(ttmps, SIM_FIELD_TTMPS);
FIELD_ATTR(end_halts, SIM_FIELD_END_HALTS);

/* N of /dev/gpubp_simN */
static ssize_t gpu_number_show(struct config_item *item, char *page)
{
	struct gpu_item *gpu = to_gpu(item);

	guard(mutex)(&gpu->lock);
	return sysfs_emit(page, "%d\n", gpu->dev ? (int)gpu->dev->nr : -1);
}
CONFIGFS_ATTR_RO(gpu_, number);

static ssize_t gpu_live_show(struct config_item *item, char *page)
{
	struct gpu_item *gpu = to_gpu(item);

	guard(mutex)(&gpu->lock);
	return sysfs_emit(page, "%d\n", !!gpu->dev);
}

static int gpu_make_live(struct gpu_item *gpu)
{
	struct sim_device *dev;

	lockdep_assert_held(&gpu->lock);
	if (gpu->dev)
		return 0;
	dev = sim_device_create(&gpu->config);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	gpu->dev = dev;
	return 0;
}

static int gpu_make_dead(struct gpu_item *gpu)
{
	int err;

	lockdep_assert_held(&gpu->lock);
	if (!gpu->dev)
		return 0;
	err = sim_device_remove_idle(gpu->dev);
	if (!err)
		gpu->dev = NULL;
	return err;
}

static ssize_t gpu_live_store(struct config_item *item, const char *page,
			      size_t count)
{
	struct gpu_item *gpu = to_gpu(item);
	bool live;
	int err = kstrtobool(page, &live);

	if (err)
		return err;
	guard(mutex)(&gpu->lock);
	return (live ? gpu_make_live(gpu) : gpu_make_dead(gpu)) ?: count;
}
CONFIGFS_ATTR(gpu_, live);

static struct configfs_attribute *gpu_attrs[] = {
	&gpu_attr_personality,
	&gpu_attr_residency,
	&gpu_attr_cus,
	&gpu_attr_simd_slots,
	&gpu_attr_watches,
	&gpu_attr_granule,
	&gpu_attr_vmids,
	&gpu_attr_ih_entries,
	&gpu_attr_skid,
	&gpu_attr_quantum_ms,
	&gpu_attr_preempt_ms,
	&gpu_attr_ternary,
	&gpu_attr_ttmps,
	&gpu_attr_end_halts,
	&gpu_attr_number,
	&gpu_attr_live,
	NULL
};

static_assert(ARRAY_SIZE(gpu_attrs) == SIM_NR_FIELDS + 3);

/* rmdir cannot fail: the device is removed although it may be open */
static void gpu_release(struct config_item *item)
{
	struct gpu_item *gpu = to_gpu(item);

	if (gpu->dev)
		sim_device_remove(gpu->dev);
	mutex_destroy(&gpu->lock);
	kfree(gpu);
}

static struct configfs_item_operations gpu_item_ops = {
	.release = gpu_release,
};

static const struct config_item_type gpu_type = {
	.ct_owner	= THIS_MODULE,
	.ct_item_ops	= &gpu_item_ops,
	.ct_attrs	= gpu_attrs,
};

static struct config_item *gpu_make_item(struct config_group *group,
					 const char *name)
{
	struct gpu_item *gpu = kzalloc(sizeof(*gpu), GFP_KERNEL);

	if (!gpu)
		return ERR_PTR(-ENOMEM);
	mutex_init(&gpu->lock);
	sim_config_init(&gpu->config);
	config_item_init_type_name(&gpu->item, name, &gpu_type);
	return &gpu->item;
}

static struct configfs_group_operations root_ops = {
	.make_item = gpu_make_item,
};

static const struct config_item_type root_type = {
	.ct_owner	= THIS_MODULE,
	.ct_group_ops	= &root_ops,
};

static struct configfs_subsystem subsystem = {
	.su_group.cg_item = {
		.ci_namebuf	= "gpubp_sim",
		.ci_type	= &root_type,
	},
	.su_mutex = __MUTEX_INITIALIZER(subsystem.su_mutex),
};

/** sim_configfs_register() - register the configfs subsystem; 0 or an errno */
int sim_configfs_register(void)
{
	config_group_init(&subsystem.su_group);
	return configfs_register_subsystem(&subsystem);
}

/*
 * sim_configfs_unregister() - unregister it; no configuration exists any more
 */
void sim_configfs_unregister(void)
{
	configfs_unregister_subsystem(&subsystem);
}
