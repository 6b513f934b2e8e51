// SPDX-License-Identifier: GPL-2.0
/* Devices: registration, checks of what a provider promises, lifetime. */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <uapi/linux/gpubp.h>

#include "cell.h"
#include "device.h"
#include "room.h"
#include "ops.h"

struct list_head gpubp_devices = LIST_HEAD_INIT(gpubp_devices);
EXPORT_SYMBOL_IF_KUNIT(gpubp_devices);
/* gpubp_devices and numbers; the lock order is in device.h */
DEFINE_MUTEX(gpubp_devices_lock);
EXPORT_SYMBOL_IF_KUNIT(gpubp_devices_lock);

#define NUMBER_LIMIT		XA_LIMIT(0, GPUBP_DEVICE_MAX)

static_assert(GPUBP_DEVICE_MAX + 1 ==
	      GPUBP_CONFIG_DEVICE >> GPUBP_CONFIG_DEVICE_SHIFT);

static DEFINE_XARRAY_ALLOC(numbers);
static u64 last_serial;		/* under gpubp_devices_lock */

/* the number that is tried first for a new device; under gpubp_devices_lock */
u32 gpubp_next_number;
EXPORT_SYMBOL_IF_KUNIT(gpubp_next_number);

static u32 caps_all_slots(const struct gpubp_caps *caps)
{
	return caps->nr_slots ? GENMASK(caps->nr_slots - 1, 0) : 0;
}

static const char *caps_enums_fault(const struct gpubp_caps *caps)
{
	if ((unsigned int)caps->residency > GPUBP_RESIDENCY_FIRMWARE)
		return "no such residency";
	if ((unsigned int)caps->stops > GPUBP_STOPS_CTX)
		return "no such scope of stops";
	if ((unsigned int)caps->trap_level > GPUBP_TRAP_SECOND)
		return "no such level of trap handlers";
	if (caps->nr_waves > GPUBP_MAX_WAVES)
		return "too many waves";
	return NULL;
}

static const char *caps_slots_fault(const struct gpubp_caps *caps)
{
	if (caps->nr_slots > GPUBP_MAX_SLOTS)
		return "too many comparators";
	if (caps->usable_slots & ~caps_all_slots(caps))
		return "usable comparators that do not exist";
	if (!caps->nr_slots)
		return NULL;
	if (!is_power_of_2(caps->granule) || !is_power_of_2(caps->max_block) ||
	    caps->max_block < caps->granule)
		return "invalid granule or largest block";
	if (caps->ternary && caps->max_block == caps->granule)
		return "masks with holes need blocks of several sizes";
	if (caps->va_bits < 32 || caps->va_bits > 64)
		return "invalid number of address bits";
	if (!(caps->modes & BIT(GPUBP_MODE_ALL)))
		return "mode ALL is missing";
	return NULL;
}

static int desc_check(const struct gpubp_device_desc *desc)
{
	const char *fault = caps_slots_fault(&desc->caps) ?:
			    caps_enums_fault(&desc->caps) ?:
			    gpubp_ops_fault(desc);

	if (!fault)
		return 0;
	pr_err("gpubp: %s not registered: %s\n", desc->name, fault);
	return -EINVAL;
}

static bool desc_can_trap(const struct gpubp_device_desc *desc)
{
	const struct gpubp_ops *ops = desc->ops;
	const struct gpubp_isa *isa = desc->isa;

	return isa && isa->handler && isa->break_len && isa->pc_reg.count &&
	       ops->commit && ops->read_wave && ops->write_wave;
}

static void device_init_fields(struct gpubp_device *dev,
			       const struct gpubp_device_desc *desc, void *priv)
{
	dev->desc = *desc;
	strscpy(dev->name, desc->name, sizeof(dev->name));
	dev->desc.name = dev->name;
	dev->ops = *desc->ops;
	dev->can_trap = desc_can_trap(desc);
	gpubp_ops_complete(&dev->ops);
	dev->desc.ops = NULL;
	dev->priv = priv;
	kref_init(&dev->ref);
	mutex_init(&dev->lock);
	INIT_LIST_HEAD(&dev->ctxs);
	INIT_LIST_HEAD(&dev->shares);
	init_waitqueue_head(&dev->ctx_ops_wait);
	raw_spin_lock_init(&dev->table_lock);
	xa_init_flags(&dev->doorbells, XA_FLAGS_LOCK_IRQ | XA_FLAGS_ACCOUNT);
	raw_spin_lock_init(&dev->cell_lock);
	dev->prog.nr_slots = desc->caps.nr_slots;
	gpubp_slotset_init(&dev->slots, desc->caps.usable_slots);
}

/* not one that was freed recently: a user may still refer to the old device */
static int device_get_number(struct gpubp_device *dev)
{
	u32 number;
	int err;

	guard(mutex)(&gpubp_devices_lock);
	err = xa_alloc_cyclic(&numbers, &number, dev, NUMBER_LIMIT,
			      &gpubp_next_number, GPUBP_GFP_LOCKED);
	if (err < 0)
		return err == -EBUSY ? -ENOSPC : err;
	dev->number = number;
	dev->serial = ++last_serial;
	return 0;
}

/**
 * gpubp_device_alloc() - check and number a new device; it is not listed yet
 * @desc: what the provider registers
 * @priv: provider's data
 *
 * May sleep. Return: the device; gpubp_device_put_number() and
 * gpubp_device_put() free it. Or -EINVAL, -ENOMEM or -ENOSPC.
 */
struct gpubp_device *gpubp_device_alloc(const struct gpubp_device_desc *desc,
					void *priv)
{
	struct gpubp_device *dev;
	int err = desc_check(desc);

	if (err)
		return ERR_PTR(err);
	dev = kzalloc(sizeof(*dev), GFP_KERNEL_ACCOUNT);
	if (!dev)
		return ERR_PTR(-ENOMEM);
	device_init_fields(dev, desc, priv);
	err = gpubp_log_init(&dev->log) ?: gpubp_cells_alloc(dev) ?:
	      device_get_number(dev);
	if (!err)
		return dev;
	gpubp_device_put(dev);
	return ERR_PTR(err);
}

/** gpubp_device_put_number() - free its number for other devices; may sleep */
void gpubp_device_put_number(struct gpubp_device *dev)
{
	xa_erase(&numbers, dev->number);
}

/** gpubp_device_list() - make a device visible; may sleep */
void gpubp_device_list(struct gpubp_device *dev)
{
	guard(mutex)(&gpubp_devices_lock);
	list_add_tail(&dev->node, &gpubp_devices);
}

/** gpubp_device_unlist() - remove a device without contexts; may sleep */
void gpubp_device_unlist(struct gpubp_device *dev)
{
	scoped_guard(mutex, &gpubp_devices_lock)
		list_del(&dev->node);
	guard(mutex)(&dev->lock);
	dev->gone = true;
	WARN_ON_ONCE(!list_empty(&dev->ctxs));
}

static void device_free(struct kref *ref)
{
	struct gpubp_device *dev = container_of(ref, struct gpubp_device, ref);

	gpubp_cells_free(dev);
	kvfree(dev->resolution);
	kfree(dev->sched);
	kfree(dev->trap);
	gpubp_log_exit(&dev->log);
	xa_destroy(&dev->doorbells);
	kfree(dev);
}

/**
 * gpubp_device_put() - put a reference to a device
 * @dev: device
 *
 * Any context but NMI, as gpubp_ctx_put(): a hit that waits for its owner keeps
 * its context, and so the device, after gpubp_device_unregister().
 */
void gpubp_device_put(struct gpubp_device *dev)
{
	kref_put(&dev->ref, device_free);
}

u8 gpubp_device_number(const struct gpubp_device *dev)
{
	return dev->number;
}
EXPORT_SYMBOL_GPL(gpubp_device_number);
