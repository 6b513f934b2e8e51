// SPDX-License-Identifier: GPL-2.0
/* Module init and exit. */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "core/core.h"
#include "debugfs.h"
#include "event/event.h"
#include "perf/perf.h"
#include "sched/sched.h"
#include "session/session.h"

/* the last event is freed, and none can be opened */
static void events_exit_all(void)
{
	gpubp_pmu_exit();
	gpubp_events_stop();
	gpubp_drain_exit();
	gpubp_cells_sync();
}

/* users come by the PMU and /dev/gpubp: init these last */
static int __init gpubp_init(void)
{
	int err;

	err = gpubp_sched_init();
	if (err)
		return err;
	err = gpubp_events_init();
	if (err)
		goto exit_sched;
	err = gpubp_perf_init();
	if (err)
		goto exit_events;
	err = gpubp_holds_init();
	if (err)
		goto exit_perf;
	gpubp_debugfs_init();
	err = gpubp_pmu_init();
	if (err)
		goto exit_debugfs;
	err = gpubp_session_init();
	if (err)
		goto exit_pmu;
	return 0;

exit_pmu:
	events_exit_all();	/* events may have been opened since gpubp_pmu_init() */
exit_debugfs:
	gpubp_debugfs_exit();
	gpubp_holds_exit();
exit_perf:
	gpubp_perf_exit();
exit_events:
	gpubp_events_exit();
exit_sched:
	gpubp_sched_exit();
	return err;
}

/* no provider and no event exists: both hold a module reference */
static void __exit gpubp_exit(void)
{
	gpubp_session_exit();
	gpubp_holds_exit();
	gpubp_perf_exit();
	events_exit_all();
	gpubp_debugfs_exit();
	rcu_barrier();
	gpubp_events_exit();
	gpubp_sched_exit();
	gpubp_users_exit();
}

module_init(gpubp_init);
module_exit(gpubp_exit);
MODULE_DESCRIPTION("GPU watch registers and trap slots as perf events");
MODULE_LICENSE("GPL");
MODULE_VERSION(GPUBP_VERSION);
