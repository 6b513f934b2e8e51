// SPDX-License-Identifier: GPL-2.0
/* gpubp: module init and exit. */
#include <linux/module.h>

#include "core/cell.h"
#include "core/quota.h"
#include "debugfs.h"
#include "event/event.h"
#include "event/reconcile.h"
#include "event/set.h"
#include "perf/drain.h"
#include "perf/kernel_watch.h"
#include "perf/pmu.h"
#include "sched/candidate.h"
#include "sched/coalesce.h"
#include "sched/watch.h"
#include "session/hold.h"
#include "session/session.h"

/* none is left, and none can come */
static void end_events(void)
{
	gpubp_pmu_exit();
	gpubp_reconcile_exit();
	gpubp_events_exit();
	gpubp_drain_exit();
	gpubp_cells_sync();
}

static int __init gpubp_init(void)
{
	int err;

	err = gpubp_watch_init();
	if (err)
		return err;
	err = gpubp_lift_init();
	if (err)
		goto exit_watch;
	err = gpubp_cands_init();
	if (err)
		goto exit_lift;
	err = gpubp_sets_init();
	if (err)
		goto exit_cands;
	err = gpubp_benches_init();
	if (err)
		goto exit_sets;
	err = gpubp_consumers_init();
	if (err)
		goto exit_benches;
	err = gpubp_holds_init();
	if (err)
		goto exit_consumers;
	gpubp_reconcile_init();
	gpubp_drain_init();
	gpubp_debugfs_init();
	err = gpubp_pmu_init();
	if (err)
		goto exit_debugfs;
	err = gpubp_session_init();
	if (err)
		goto exit_pmu;
	return 0;

exit_pmu:
	end_events();	/* some could be opened meanwhile */
exit_debugfs:
	gpubp_debugfs_exit();
	gpubp_holds_exit();
exit_consumers:
	gpubp_consumers_exit();
exit_benches:
	gpubp_benches_exit();
exit_sets:
	gpubp_sets_exit();
exit_cands:
	gpubp_cands_exit();
exit_lift:
	gpubp_lift_exit();
exit_watch:
	gpubp_watch_exit();
	return err;
}

/* no provider and no event is left: both held the module */
static void __exit gpubp_exit(void)
{
	gpubp_session_exit();
	gpubp_holds_exit();
	gpubp_consumers_exit();
	end_events();
	gpubp_debugfs_exit();
	rcu_barrier();
	gpubp_benches_exit();
	gpubp_sets_exit();
	gpubp_cands_exit();
	gpubp_lift_exit();
	gpubp_watch_exit();
	gpubp_users_exit();
}

module_init(gpubp_init);
module_exit(gpubp_exit);
MODULE_DESCRIPTION("GPU watch registers and trap slots as perf events");
MODULE_LICENSE("GPL");
