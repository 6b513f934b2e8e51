// SPDX-License-Identifier: GPL-2.0
/* The device: initialised from the inside out, torn down in reverse order. */
#include <linux/err.h>
#include <linux/slab.h>

#include "ctx.h"
#include "cu.h"
#include "debugfs.h"
#include "device.h"
#include "file.h"
#include "provider.h"
#include "reset.h"
#include "rounds.h"
#include "stop.h"
#include "sweep.h"
#include "user.h"

static DEFINE_IDA(numbers);

static void device_init_fields(struct sim_device *dev, unsigned int nr)
{
	dev->nr = nr;
	snprintf(dev->name, sizeof(dev->name), "gpubp_sim%u", nr);
	refcount_set(&dev->users, 1);
	mutex_init(&dev->lock);
	mutex_init(&dev->lds_lock);
	raw_spin_lock_init(&dev->sq_lock);
	INIT_LIST_HEAD(&dev->user_list);
	INIT_LIST_HEAD(&dev->ctxs);
	INIT_LIST_HEAD(&dev->queues);
	INIT_LIST_HEAD(&dev->runq);
	sim_vmid_init(dev);
	sim_preempt_init(dev);
	ida_init(&dev->doorbells);
	ida_init(&dev->pasids);
	sim_sweep_init(dev);
	sim_reset_init(dev);
	sim_regs_init(&dev->regs, &dev->config);
	dev->root.gfx_index = GFX_INDEX_BROADCAST;
}

static void destroy_cus(struct sim_device *dev)
{
	while (dev->nr_cus)
		sim_cu_destroy(dev->cu[--dev->nr_cus]);
}

static int create_cus(struct sim_device *dev, unsigned int nr)
{
	while (dev->nr_cus < nr) {
		struct sim_cu *cu = sim_cu_create(dev, dev->nr_cus,
						  sim_rounds_thread);

		if (IS_ERR(cu)) {
			destroy_cus(dev);
			return PTR_ERR(cu);
		}
		dev->cu[dev->nr_cus++] = cu;
	}
	sim_stop_init(dev);
	return 0;
}

static int device_set_up_parts(struct sim_device *dev)
{
	int err = create_cus(dev, dev->config.nr_cus);

	if (err)
		return err;
	err = sim_ih_init(dev, dev->config.ih_entries, sim_stop_interrupt,
			  sim_sweep_now);
	if (err)
		goto destroy_cus;
	err = sim_provider_register(dev);
	if (err)
		goto exit_ih;
	sim_debugfs_add(dev);
	err = sim_file_register(dev);
	if (!err)
		return 0;
	sim_debugfs_del(dev);
	sim_provider_unregister(dev);
exit_ih:
	sim_ih_exit(dev);
destroy_cus:
	destroy_cus(dev);
	return err;
}

/* the device is not open and cannot be opened any more */
static void device_teardown(struct sim_device *dev)
{
	sim_debugfs_del(dev);
	sim_provider_unregister(dev);
	sim_preempt_exit(dev);
	sim_ih_exit(dev);
	destroy_cus(dev);
	sim_users_free(dev);
	ida_destroy(&dev->doorbells);
	ida_destroy(&dev->pasids);
	mutex_destroy(&dev->reset_lock);
	mutex_destroy(&dev->lock);
	/* its names are free: another device may get the number */
	ida_free(&numbers, dev->nr);
	kfree(dev);
}

static struct sim_device *device_setup(unsigned int nr,
				       const struct sim_config *config)
{
	struct sim_device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int err;

	if (!dev)
		return ERR_PTR(-ENOMEM);
	dev->config = *config;
	dev->destroy = device_teardown;
	device_init_fields(dev, nr);
	err = device_set_up_parts(dev);
	if (!err)
		return dev;
	kfree(dev);
	return ERR_PTR(err);
}

/**
 * sim_device_create() - create a software GPU with the lowest free number
 * @config: configuration, copied
 *
 * Return: the device or an ERR_PTR; -ENOSPC if there are SIM_MAX_DEVICES.
 */
struct sim_device *sim_device_create(const struct sim_config *config)
{
	int err = sim_config_check(config);
	struct sim_device *dev;
	int nr;

	if (err)
		return ERR_PTR(err);
	nr = ida_alloc_max(&numbers, SIM_MAX_DEVICES - 1, GFP_KERNEL);
	if (nr < 0)
		return ERR_PTR(nr);
	dev = device_setup(nr, config);
	if (IS_ERR(dev))
		ida_free(&numbers, nr);
	return dev;
}

/**
 * sim_device_remove() - remove a device that may be in use
 * @dev: device; open files and their memory stay, without a GPU
 */
void sim_device_remove(struct sim_device *dev)
{
	sim_file_unregister(dev);
	sim_ctx_end_all(dev);
	sim_device_put(dev);
}

/**
 * sim_device_remove_idle() - remove the device if it is not open
 * @dev: device
 *
 * Return: 0 and @dev is freed, or -EBUSY.
 */
int sim_device_remove_idle(struct sim_device *dev)
{
	if (!refcount_dec_if_one(&dev->users))
		return -EBUSY;
	sim_file_unregister(dev);
	device_teardown(dev);
	return 0;
}
