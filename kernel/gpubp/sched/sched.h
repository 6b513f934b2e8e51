/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scheduler: the worker that arms what is wanted, and waiting for it.
 *
 * Commits take no more than max_overhead_percent of the time, whether they are
 * made because a quantum is over or because users open and close events: what
 * is asked for soon after a commit waits until that has been paid off, and while
 * watches take turns until the quantum is over: its length is not for users to
 * choose. Somebody who waits for it waits for one quantum at most, or for four
 * times what the last commit took, then for the commit. What the hardware forgot
 * is put back at once.
 */
#ifndef _GPUBP_SCHED_H
#define _GPUBP_SCHED_H

#include <linux/spinlock_types.h>
#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_device;

/**
 * enum gpubp_haste - how soon a run is wanted
 * @GPUBP_HASTE_NONE: when the last commit is paid off
 * @GPUBP_HASTE_WAIT: and after a quantum at the latest, as somebody waits
 * @GPUBP_HASTE_NOW: at once
 */
enum gpubp_haste {
	GPUBP_HASTE_NONE,
	GPUBP_HASTE_WAIT,
	GPUBP_HASTE_NOW,
};

/**
 * struct gpubp_pace - when a device's worker runs; times in ns of CLOCK_MONOTONIC
 * @lock: raw, interrupts off: protects the rest
 * @running: it runs
 * @rotates: it runs again by itself
 * @haste: enum gpubp_haste of what was asked for during that run
 * @due: when it runs next, U64_MAX: when something is asked for
 * @paid: when the commits so far are paid off
 * @quantum_ends: a quantum after the last run, more if that took long
 */
struct gpubp_pace {
	raw_spinlock_t lock;
	bool running;
	bool rotates;
	u8 haste;
	u64 due;
	u64 paid;
	u64 quantum_ends;
};

void gpubp_sched_init(struct gpubp_device *dev);
void gpubp_sched_stop(struct gpubp_device *dev);
void gpubp_sched_kick(struct gpubp_device *dev);
void gpubp_sched_kick_ctx(struct gpubp_ctx *ctx);
void gpubp_sched_kick_now(struct gpubp_device *dev);
void gpubp_sched_flush(struct gpubp_device *dev);
int gpubp_sched_wait(struct gpubp_device *dev);
int gpubp_sched_wait_ctx(struct gpubp_ctx *ctx);
void gpubp_sched_suspended(struct gpubp_device *dev);
int gpubp_sched_wait_timeout(struct gpubp_device *dev, unsigned long timeout);
void gpubp_sched_reset(struct gpubp_device *dev);
const char *gpubp_sched_policy(const struct gpubp_device *dev);
int gpubp_sched_set_policy(struct gpubp_device *dev, const char *name);

#endif /* _GPUBP_SCHED_H */
