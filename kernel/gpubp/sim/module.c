// SPDX-License-Identifier: GPL-2.0
/* gpubp_sim: one software GPU, as long as the module is loaded. */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/module.h>

#include "device.h"

static unsigned int cus = 2;
module_param(cus, uint, 0444);
MODULE_PARM_DESC(cus, "Compute units, each a thread (1 to 16)");

static unsigned int ih_entries = 256;
module_param(ih_entries, uint, 0444);
MODULE_PARM_DESC(ih_entries, "Entries of the interrupt ring (1 to 65536)");

VISIBLE_IF_KUNIT struct sim_device *gpubp_sim;
EXPORT_SYMBOL_IF_KUNIT(gpubp_sim);

static int __init sim_init(void)
{
	struct sim_config config;

	sim_config_init(&config);
	config.nr_cus = cus;
	config.ih_entries = ih_entries;
	gpubp_sim = sim_device_create(0, &config);
	return PTR_ERR_OR_ZERO(gpubp_sim);
}

static void __exit sim_exit(void)
{
	sim_device_destroy(gpubp_sim);
}

module_init(sim_init);
module_exit(sim_exit);

MODULE_DESCRIPTION("gpubp: software GPU");
MODULE_LICENSE("GPL");
