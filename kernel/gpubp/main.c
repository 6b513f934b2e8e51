// SPDX-License-Identifier: GPL-2.0
/* gpubp: module init and exit. */
#include <linux/module.h>

#include "debugfs.h"
#include "deliver.h"
#include "event.h"
#include "hit.h"
#include "pmu.h"

static int __init gpubp_init(void)
{
	int err;

	gpubp_deliver_init();
	gpubp_debugfs_init();
	err = gpubp_pmu_init();
	if (err)
		gpubp_debugfs_exit();
	return err;
}

/* no provider and no event is left: both held the module */
static void __exit gpubp_exit(void)
{
	gpubp_pmu_exit();
	gpubp_events_exit();
	gpubp_deliver_exit();
	gpubp_cells_sync();
	gpubp_debugfs_exit();
	rcu_barrier();
}

module_init(gpubp_init);
module_exit(gpubp_exit);
MODULE_DESCRIPTION("GPU watch registers and trap slots as perf events");
MODULE_LICENSE("GPL");
