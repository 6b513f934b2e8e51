/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of the newest kernel that older ones lack, down to 6.12. Differences in
 * fields of perf core only are in perf.c.
 */
#ifndef _GPUBP_COMPAT_VERSION_H
#define _GPUBP_COMPAT_VERSION_H

#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/version.h>
#include <linux/workqueue.h>

/*
 * 6.14, b04e317b5226 ("treewide: Introduce kthread_run_worker[_on_cpu]()"):
 * since then kthread_create_worker() leaves the worker asleep.
 */
#ifndef kthread_run_worker
#define kthread_run_worker kthread_create_worker
#endif

/*
 * 6.13, 908a1d775422 ("hrtimers: Introduce hrtimer_setup() to replace
 * hrtimer_init()"). A macro: a stable kernel may have the function.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void
gpubp_hrtimer_setup(struct hrtimer *timer,
		    enum hrtimer_restart (*function)(struct hrtimer *timer),
		    clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#define hrtimer_setup gpubp_hrtimer_setup
#endif

/*
 * 6.17, 128ea9f6ccfb ("workqueue: Add system_percpu_wq and system_dfl_wq");
 * 7.2, 64d8eae3f895 ("workqueue: Add warnings and fallback if
 * system_{unbound}_wq is used"). No macro says whether a stable kernel has
 * these; there, system_wq still works, but schedule_work() does not use it:
 * queue a work by one name only.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define system_percpu_wq system_wq
#define system_dfl_wq system_unbound_wq
#endif

#endif /* _GPUBP_COMPAT_VERSION_H */
