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

#include "../compat/version.h"
#include "../debugfs.h"
#include "../event/event.h"
#include "../hit/resolve.h"
#include "../sched/sched.h"
#include "cell.h"
#include "context.h"
#include "ctx_ops.h"
#include "device.h"
#include "ops.h"
#include "poll.h"
#include "slots.h"

LIST_HEAD(gpubp_devices);
DEFINE_MUTEX(gpubp_devices_lock);

#define NUMBERS		XA_LIMIT(0, GPUBP_DEVICE_MAX)

static_assert(GPUBP_DEVICE_MAX + 1 ==
	      GPUBP_CONFIG_DEVICE >> GPUBP_CONFIG_DEVICE_SHIFT);

static DEFINE_XARRAY_ALLOC(numbers);
static u64 last_serial;		/* under gpubp_devices_lock */

/* the number that is tried first for a new device; likewise */
u32 gpubp_next_number;
EXPORT_SYMBOL_IF_KUNIT(gpubp_next_number);

static u32 all_slots(const struct gpubp_caps *caps)
{
	return caps->nr_slots ? GENMASK(caps->nr_slots - 1, 0) : 0;
}

static const char *enums_fault(const struct gpubp_caps *caps)
{
	if ((unsigned int)caps->residency > GPUBP_RESIDENCY_FIRMWARE)
		return "no such residency";
	if ((unsigned int)caps->stops > GPUBP_STOPS_CTX)
		return "no such scope of stops";
	if ((unsigned int)caps->trap_level > GPUBP_TRAP_SECOND)
		return "no such level of trap handlers";
	if (caps->nr_waves > GPUBP_MAX_WAVES)
		return "more waves than there can be";
	return NULL;
}

static const char *slots_fault(const struct gpubp_caps *caps)
{
	if (caps->nr_slots > GPUBP_MAX_SLOTS)
		return "too many comparators";
	if (caps->usable_slots & ~all_slots(caps))
		return "usable comparators that do not exist";
	if (!caps->nr_slots)
		return NULL;
	if (!is_power_of_2(caps->granule) || !is_power_of_2(caps->max_block) ||
	    caps->max_block < caps->granule)
		return "granule or largest block";
	if (caps->ternary && caps->max_block == caps->granule)
		return "masks with holes, and no bit that may be one";
	if (caps->va_bits < 32 || caps->va_bits > 64)
		return "bits of a virtual address";
	if (!(caps->modes & BIT(GPUBP_MODE_ALL)))
		return "mode ALL, the one that every event can fall back to, is missing";
	return NULL;
}

static int check_desc(const struct gpubp_device_desc *desc)
{
	const char *fault = slots_fault(&desc->caps) ?: enums_fault(&desc->caps) ?:
			    gpubp_ops_fault(desc);

	if (!fault)
		return 0;
	pr_err("gpubp: %s not registered: %s\n", desc->name, fault);
	return -EINVAL;
}

static int start_workers(struct gpubp_device *dev)
{
	int err;

	err = gpubp_requests_start(dev);
	if (err)
		return err;
	dev->resolver = kthread_run_worker(0, "gpubp%u/resolve", dev->number);
	err = PTR_ERR_OR_ZERO(dev->resolver);
	if (err)
		goto stop_committer;
	err = gpubp_late_start_worker(dev);
	if (!err)
		return 0;
	kthread_destroy_worker(dev->resolver);
stop_committer:
	gpubp_requests_exit(dev);
	return err;
}

static bool can_trap(const struct gpubp_device_desc *desc)
{
	const struct gpubp_ops *ops = desc->ops;
	const struct gpubp_isa *isa = desc->isa;

	return isa && isa->handler && isa->break_len && isa->pc_reg.count &&
	       ops->commit && ops->read_wave && ops->write_wave;
}

static void init_fields(struct gpubp_device *dev,
			const struct gpubp_device_desc *desc, void *priv)
{
	dev->desc = *desc;
	strscpy(dev->name, desc->name, sizeof(dev->name));
	dev->desc.name = dev->name;
	dev->ops = *desc->ops;
	dev->traps = can_trap(desc);
	gpubp_late_init(&dev->late, desc);
	gpubp_ops_complete(&dev->ops);
	dev->desc.ops = NULL;
	dev->priv = priv;
	kref_init(&dev->ref);
	mutex_init(&dev->lock);
	INIT_LIST_HEAD(&dev->ctxs);
	INIT_LIST_HEAD(&dev->shares);
	init_waitqueue_head(&dev->visits_wait);
	raw_spin_lock_init(&dev->table_lock);
	xa_init_flags(&dev->doorbells, XA_FLAGS_LOCK_IRQ);
	raw_spin_lock_init(&dev->cell_lock);
	dev->prog.nr_slots = desc->caps.nr_slots;
	gpubp_slotset_init(&dev->slots, desc->caps.usable_slots);
	gpubp_sched_init(dev);
	gpubp_meters_init(dev);
	gpubp_poll_init(dev);
	gpubp_stall_init(dev);
	gpubp_escalate_init(dev);
}

/* not that of a device that went lately: a user may still mean that one */
static int take_number(struct gpubp_device *dev)
{
	u32 number;
	int err;

	guard(mutex)(&gpubp_devices_lock);
	err = xa_alloc_cyclic(&numbers, &number, dev, NUMBERS,
			      &gpubp_next_number, GFP_KERNEL);
	if (err < 0)
		return err == -EBUSY ? -ENOSPC : err;
	dev->number = number;
	dev->serial = ++last_serial;
	return 0;
}

struct gpubp_device *gpubp_device_register(const struct gpubp_device_desc *desc,
					   void *priv)
{
	struct gpubp_device *dev;
	int err = check_desc(desc);

	if (err)
		return ERR_PTR(err);
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return ERR_PTR(-ENOMEM);
	init_fields(dev, desc, priv);
	err = gpubp_log_init(&dev->log) ?: gpubp_resolve_init(dev) ?:
	      gpubp_cells_alloc(dev);
	if (err)
		goto free_dev;
	err = take_number(dev);
	if (err)
		goto free_cells;
	err = start_workers(dev);
	if (err)
		goto free_number;
	err = gpubp_slots_acquire(dev);
	if (err)
		goto stop_workers;

	gpubp_debugfs_add_device(dev);
	mutex_lock(&gpubp_devices_lock);
	list_add_tail(&dev->node, &gpubp_devices);
	mutex_unlock(&gpubp_devices_lock);
	return dev;

stop_workers:
	gpubp_late_stop(dev);
	kthread_destroy_worker(dev->resolver);
	gpubp_requests_exit(dev);
free_number:
	xa_erase(&numbers, dev->number);
free_cells:
	gpubp_cells_free(dev);
free_dev:
	gpubp_resolve_exit(dev);
	gpubp_log_exit(&dev->log);
	kfree(dev);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(gpubp_device_register);

static void device_free(struct kref *ref)
{
	struct gpubp_device *dev = container_of(ref, struct gpubp_device, ref);

	gpubp_cells_free(dev);
	gpubp_resolve_exit(dev);
	gpubp_log_exit(&dev->log);
	xa_destroy(&dev->doorbells);
	kfree(dev);
}

void gpubp_device_put(struct gpubp_device *dev)
{
	kref_put(&dev->ref, device_free);
}

void gpubp_device_unregister(struct gpubp_device *dev)
{
	mutex_lock(&gpubp_devices_lock);
	list_del(&dev->node);
	mutex_unlock(&gpubp_devices_lock);

	mutex_lock(&dev->lock);
	dev->gone = true;
	WARN_ON_ONCE(!list_empty(&dev->ctxs));
	mutex_unlock(&dev->lock);

	gpubp_requests_stop(dev);
	gpubp_meters_quit(dev);
	gpubp_late_stop(dev);
	gpubp_stall_stop(dev);
	gpubp_escalate_stop(dev);
	gpubp_poll_stop(dev);
	dev->ops.quiesce(dev->priv);
	kthread_destroy_worker(dev->resolver);
	gpubp_requests_exit(dev);
	gpubp_cells_drain(dev);
	gpubp_slots_release(dev);
	gpubp_debugfs_del_device(dev);
	xa_erase(&numbers, dev->number);
	gpubp_device_put(dev);
}
EXPORT_SYMBOL_GPL(gpubp_device_unregister);

u8 gpubp_device_number(const struct gpubp_device *dev)
{
	return dev->number;
}
EXPORT_SYMBOL_GPL(gpubp_device_number);

void gpubp_device_reset(struct gpubp_device *dev)
{
	gpubp_clocks_stop(dev);
	gpubp_request_now(dev);
}
EXPORT_SYMBOL_GPL(gpubp_device_reset);

void gpubp_device_suspend(struct gpubp_device *dev)
{
	mutex_lock(&dev->lock);
	WRITE_ONCE(dev->suspended, true);	/* reports look without the lock */
	mutex_unlock(&dev->lock);
	synchronize_rcu();	/* reports that came before have queued their hits */
	gpubp_requests_flush(dev);
	gpubp_late_flush(dev);
	gpubp_visits_wait_device(dev);
	gpubp_sched_suspended(dev);
	kthread_flush_worker(dev->resolver);
}
EXPORT_SYMBOL_GPL(gpubp_device_suspend);

void gpubp_device_resume(struct gpubp_device *dev)
{
	mutex_lock(&dev->lock);
	/* before anything is committed */
	gpubp_clocks_stop(dev);
	WRITE_ONCE(dev->suspended, false);
	mutex_unlock(&dev->lock);
	gpubp_device_reset(dev);
	gpubp_poll_start(dev);
}
EXPORT_SYMBOL_GPL(gpubp_device_resume);
