/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests: that the hardware be made equal to what is wanted, when a device's
 * worker runs for them, and waiting for it.
 *
 * Every request has a number. A run of the worker knows of all requests up to the
 * number with which it began; waiters compare theirs with the numbers of runs that
 * ended. What a run does is not known here: sched/ says so.
 *
 * Commits take no more than max_overhead_percent of the time, whether they are
 * made because a quantum is over or because users open and close events: what is
 * requested soon after a commit waits until that has been paid off, and while
 * watches take turns until the quantum is over, so that users do not choose its
 * length. A waiter waits for one quantum at most, or for four times what the last
 * commit took, then for the commit. What the hardware forgot is put back at once.
 */
#ifndef _GPUBP_CORE_REQUEST_H
#define _GPUBP_CORE_REQUEST_H

#include <linux/kthread.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>
#include <linux/wait.h>

struct gpubp_ctx;
struct gpubp_device;

/**
 * enum gpubp_urgency - how soon a run is wanted
 * @GPUBP_URGENCY_NONE: when the last commit is paid off
 * @GPUBP_URGENCY_WAIT: and after a quantum at the latest, as there is a waiter
 * @GPUBP_URGENCY_NOW: at once
 */
enum gpubp_urgency {
	GPUBP_URGENCY_NONE,
	GPUBP_URGENCY_WAIT,
	GPUBP_URGENCY_NOW,
};

/**
 * struct gpubp_requests - of a device; times in ns of CLOCK_MONOTONIC
 * @worker: runs @work and nothing else
 * @work: makes the hardware equal to what the events ask for
 * @lock: raw, interrupts off: protects what follows
 * @stopped: no run any more; written under gpubp_device.lock, too
 * @running: @work runs
 * @rotates: it runs again by itself
 * @urgency: enum gpubp_urgency of what was requested during that run
 * @due: when it runs next, U64_MAX: when something is requested
 * @charged: when the commits so far are paid off
 * @quantum_ends: a quantum after the last run, more if that took long
 * @requested: number of the last request
 * @requested_for_all: of the last one that concerns all contexts
 * @attempted: of the last one that nothing is to be tried for at once; by the
 *	worker, without @lock
 * @done: of the last one that is in the hardware; likewise
 * @waiters: for a change of either
 */
struct gpubp_requests {
	struct kthread_worker *worker;
	struct kthread_delayed_work work;
	raw_spinlock_t lock;
	bool stopped;
	bool running;
	bool rotates;
	u8 urgency;
	u64 due;
	u64 charged;
	u64 quantum_ends;
	u64 requested;
	u64 requested_for_all;
	u64 attempted;
	u64 done;
	wait_queue_head_t waiters;
};

/**
 * struct gpubp_run_result - how a run of the worker ended
 * @seq: number that gpubp_run_begin() returned
 * @began: when it began, ns of CLOCK_MONOTONIC
 * @next: when it is to run again, U64_MAX: when something is requested
 * @interval: from this commit to the next, ns
 * @quantum: for how long waiters may have to wait, ns
 */
struct gpubp_run_result {
	u64 seq;
	u64 began;
	u64 next;
	u64 interval;
	u64 quantum;
};

void gpubp_requests_init(struct gpubp_device *dev, kthread_work_func_t run);
int gpubp_requests_start(struct gpubp_device *dev);
void gpubp_requests_stop(struct gpubp_device *dev);
void gpubp_requests_exit(struct gpubp_device *dev);
void gpubp_requests_flush(struct gpubp_device *dev);

void gpubp_request(struct gpubp_device *dev);
void gpubp_request_ctx(struct gpubp_ctx *ctx);
void gpubp_request_now(struct gpubp_device *dev);
int gpubp_request_wait(struct gpubp_device *dev);
int gpubp_request_wait_ctx(struct gpubp_ctx *ctx);
int gpubp_request_wait_timeout(struct gpubp_device *dev, unsigned long timeout);

u64 gpubp_run_begin(struct gpubp_device *dev);
void gpubp_run_end(struct gpubp_device *dev,
		   const struct gpubp_run_result *run);
void gpubp_run_done(struct gpubp_device *dev, u64 seq, bool in_hardware);

#endif /* _GPUBP_CORE_REQUEST_H */
