// SPDX-License-Identifier: GPL-2.0
/* The device: built from the inside out, torn down in the exact reverse. */
#include <linux/err.h>
#include <linux/slab.h>

#include "cu.h"
#include "debugfs.h"
#include "device.h"
#include "file.h"
#include "provider.h"
#include "stop.h"

static void init_fields(struct sim_device *dev, unsigned int nr)
{
	snprintf(dev->name, sizeof(dev->name), "gpubp_sim%u", nr);
	mutex_init(&dev->lock);
	raw_spin_lock_init(&dev->sq_lock);
	INIT_LIST_HEAD(&dev->runq);
	INIT_LIST_HEAD(&dev->resident);
	INIT_LIST_HEAD(&dev->vmid_waiters);
	ida_init(&dev->doorbells);
	ida_init(&dev->pasids);
	sim_regs_init(&dev->regs);
}

static void destroy_cus(struct sim_device *dev)
{
	while (dev->nr_cus)
		sim_cu_destroy(dev->cu[--dev->nr_cus]);
}

static int create_cus(struct sim_device *dev, unsigned int nr)
{
	while (dev->nr_cus < nr) {
		struct sim_cu *cu = sim_cu_create(dev, dev->nr_cus);

		if (IS_ERR(cu)) {
			destroy_cus(dev);
			return PTR_ERR(cu);
		}
		dev->cu[dev->nr_cus++] = cu;
	}
	sim_stop_init(dev);
	return 0;
}

static int set_up(struct sim_device *dev)
{
	int err = create_cus(dev, dev->config.nr_cus);

	if (err)
		return err;
	err = sim_ih_init(dev, dev->config.ih_entries);
	if (err)
		goto destroy_cus;
	err = sim_provider_register(dev);
	if (err)
		goto fini_ih;
	sim_debugfs_add(dev);
	err = sim_file_register(dev);
	if (!err)
		return 0;
	sim_debugfs_del(dev);
	sim_provider_unregister(dev);
fini_ih:
	sim_ih_fini(dev);
destroy_cus:
	destroy_cus(dev);
	return err;
}

/**
 * sim_device_create() - a software GPU appears
 * @nr: number, for its name
 * @config: what it is, copied
 *
 * Return: the device or an ERR_PTR.
 */
struct sim_device *sim_device_create(unsigned int nr,
				     const struct sim_config *config)
{
	int err = sim_config_check(config);
	struct sim_device *dev;

	if (err)
		return ERR_PTR(err);
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return ERR_PTR(-ENOMEM);
	dev->config = *config;
	init_fields(dev, nr);
	err = set_up(dev);
	if (!err)
		return dev;
	kfree(dev);
	return ERR_PTR(err);
}

/** sim_device_destroy() - a software GPU without open files goes */
void sim_device_destroy(struct sim_device *dev)
{
	sim_file_unregister(dev);
	sim_debugfs_del(dev);
	sim_provider_unregister(dev);
	sim_ih_fini(dev);
	destroy_cus(dev);
	ida_destroy(&dev->doorbells);
	ida_destroy(&dev->pasids);
	mutex_destroy(&dev->lock);
	kfree(dev);
}
