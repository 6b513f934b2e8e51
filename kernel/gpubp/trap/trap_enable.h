/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Late: waves that were launched before their context's first watch.
 *
 * A wave keeps the exceptions that it was launched with, so the commit that
 * arms the first watch of a context leaves it *pending* while such waves run.
 * Where the provider can take a context off the GPU, its waves are saved, each
 * is told to trap from now on, and the context is settled. Until then it stays
 * pending: never is something claimed to be armed that a wave can slip past.
 */
#ifndef _GPUBP_LATE_H
#define _GPUBP_LATE_H

#include <linux/cleanup.h>
#include <linux/kthread.h>
#include <linux/types.h>
#include <linux/wait.h>

struct gpubp_ctx;
struct gpubp_device;
struct gpubp_device_desc;
struct seq_file;

/**
 * struct gpubp_late_ctx - of a context; under the device lock
 * @busy: an attempt is under way; without the lock to wait for its end
 * @stale: it began before traps were switched on anew
 * @done: no wave of it is without traps, whatever the provider says, until
 *	traps are switched off or the hardware forgets
 * @deaf: if it is pending: waves may be without a trap handler; else they have
 *	one, and lack exceptions only
 * @nr_failed: attempts in a row that failed
 * @exceptions: GPUBP_EXC_* that waves are to trap for
 * @muted: what a wave was told not to trap for when nobody wanted it, since the
 *	attempt that is under way began, or the last one
 * @curing: likewise before that; the attempt tells waves to trap for it again
 * @err: why the last one did
 * @next: when it is tried again, ns of CLOCK_MONOTONIC
 */
struct gpubp_late_ctx {
	bool busy;
	bool stale;
	bool done;
	bool deaf;
	unsigned int nr_failed;
	u32 exceptions;
	u32 muted;
	u32 curing;
	int err;
	u64 next;
};

/**
 * struct gpubp_late - of a device
 * @able: provider and ISA have what it takes; constant
 * @worker: runs @work and nothing else; NULL if not @able
 * @work: makes the attempts
 * @wait: whoever waits for one
 * @edit: bit 0: somebody reads registers of a wave and writes what he made of
 *	them: gpubp_edit_begin()
 * @nr_ctxs: times that a context was settled; for users, as the others
 * @nr_waves: waves that were changed for it
 * @nr_failed: attempts that failed
 */
struct gpubp_late {
	bool able;
	struct kthread_worker *worker;
	struct kthread_delayed_work work;
	wait_queue_head_t wait;
	unsigned long edit;
	u64 nr_ctxs;
	u64 nr_waves;
	u64 nr_failed;
};

void gpubp_late_init(struct gpubp_late *late,
		     const struct gpubp_device_desc *desc);
bool gpubp_late_pending(struct gpubp_ctx *ctx, bool pending);
bool gpubp_late_deaf(const struct gpubp_ctx *ctx);
void gpubp_late_start(struct gpubp_ctx *ctx);
void gpubp_edit_begin(struct gpubp_device *dev);
void gpubp_edit_end(struct gpubp_device *dev);
DEFINE_GUARD(gpubp_edit, struct gpubp_device *, gpubp_edit_begin(_T),
	     gpubp_edit_end(_T))

u32 gpubp_late_mute(struct gpubp_ctx *ctx, u32 exceptions);
void gpubp_late_again(struct gpubp_ctx *ctx);
bool gpubp_late_owed(const struct gpubp_ctx *ctx);
int gpubp_late_wait(struct gpubp_ctx *ctx, unsigned long timeout);
int gpubp_late_hold(struct gpubp_ctx *ctx);
void gpubp_late_leave(struct gpubp_ctx *ctx);
void gpubp_late_flush(struct gpubp_device *dev);
int gpubp_late_start_worker(struct gpubp_device *dev);
void gpubp_late_stop(struct gpubp_device *dev);
void gpubp_late_show(struct gpubp_device *dev, struct seq_file *m);

#endif /* _GPUBP_LATE_H */
