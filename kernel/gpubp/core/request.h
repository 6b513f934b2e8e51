/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests: to bring the hardware to what events ask for; when a device's
 * worker runs for them, and waiting for it.
 *
 * Every request has a number. A run of the worker covers all requests up to the
 * number with which it began; waiters compare their numbers with those of
 * completed runs. The work of a run is defined in sched/.
 *
 * Commits take no more than max_overhead_percent of the time, no matter if they
 * are made at the end of a quantum or because users open and close events: a
 * request soon after a commit waits until the cost of that commit is paid off
 * and, while watches rotate, until the end of the quantum, so that users cannot
 * choose the length of quanta. A waiter waits for at most one quantum, or for
 * four times the last commit's duration, then for the commit. Recovery from a
 * reset starts at once.
 */
#ifndef _GPUBP_CORE_REQUEST_H
#define _GPUBP_CORE_REQUEST_H

#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/spinlock_types.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/wait.h>

/*
 * Within that a commit is paid off, however long it took: one that took seconds, as its
 * GPU hung, does not end the rotation for many minutes.
 */
#define GPUBP_MAX_DEBT_NS	(10ULL * NSEC_PER_SEC)

struct gpubp_ctx;
struct gpubp_device;

/**
 * enum gpubp_urgency - how soon a run is needed
 * @GPUBP_URGENCY_NONE: when the last commit is paid off
 * @GPUBP_URGENCY_WAIT: likewise, but within a quantum, as there is a waiter
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
 * @timer: queues @work at @due; not armed while nothing is due
 * @lock: raw, interrupts off: protects the following
 * @stopped: no further run; written under gpubp_device.lock, too
 * @running: @work runs
 * @rotates: the worker has scheduled its next run itself
 * @urgency: enum gpubp_urgency of requests made during the run
 * @due: time of the next run, U64_MAX: when there is a request
 * @charged: when the commits so far are paid off
 * @quantum_ends: end of the quantum after the last run, later if that took long
 * @requested: number of the last request
 * @requested_for_all: number of the last request that concerns all contexts
 * @attempted: number of the last request that needs no further immediate try;
 *	written by the worker, without @lock
 * @done: number of the last request that is in the hardware; likewise
 * @waiters: for a change of @attempted or @done
 */
struct gpubp_requests {
	struct kthread_worker *worker;
	struct kthread_work work;
	struct hrtimer timer;
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
 * struct gpubp_run_result - result of a run of the worker
 * @seq: number that gpubp_run_begin() returned
 * @began: when it began, ns of CLOCK_MONOTONIC
 * @next: time of the next run, U64_MAX: when there is a request
 * @interval: from this commit to the next, ns
 * @quantum: how long waiters may have to wait, ns
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
int gpubp_request_wait_ctx(struct gpubp_ctx *ctx, unsigned long limit);
int gpubp_request_wait_timeout(struct gpubp_device *dev, unsigned long timeout);

u64 gpubp_run_begin(struct gpubp_device *dev, u64 *due);
void gpubp_run_end(struct gpubp_device *dev,
		   const struct gpubp_run_result *run);
void gpubp_run_done(struct gpubp_device *dev, u64 seq, bool in_hardware);

#endif /* _GPUBP_CORE_REQUEST_H */
