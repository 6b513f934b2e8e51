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
#ifndef _GPUBP_TRAP_TRAP_ENABLE_H
#define _GPUBP_TRAP_TRAP_ENABLE_H

#include <linux/cleanup.h>
#include <linux/kthread.h>
#include <linux/types.h>
#include <linux/wait.h>

struct gpubp_ctx;
struct gpubp_device;
struct gpubp_device_desc;
struct seq_file;

/**
 * struct gpubp_trap_enable_ctx - of a context; under the device lock
 * @busy: an attempt is under way; without the lock to wait for its end
 * @stale: it began before traps were switched on anew
 * @done: no wave of it is without traps, whatever the provider says, until
 *	traps are switched off or the hardware forgets
 * @no_handler: if it is pending: waves may be without a trap handler; else they have
 *	one, and lack exceptions only
 * @nr_failed: attempts in a row that failed
 * @exceptions: GPUBP_EXC_* that waves are to trap for
 * @masked: what a wave was told not to trap for when nobody wanted it, since the
 *	attempt that is under way began, or the last one
 * @unmasking: likewise before that; the attempt tells waves to trap for it again
 * @err: why the last one did
 * @retry_ns: when it is tried again, ns of CLOCK_MONOTONIC
 */
struct gpubp_trap_enable_ctx {
	bool busy;
	bool stale;
	bool done;
	bool no_handler;
	unsigned int nr_failed;
	u32 exceptions;
	u32 masked;
	u32 unmasking;
	int err;
	u64 retry_ns;
};

/**
 * struct gpubp_trap_enable - of a device
 * @supported: provider and ISA have what it takes; constant
 * @worker: runs @work and nothing else; NULL if not @supported
 * @work: makes the attempts
 * @wait: whoever waits for one
 * @regs_lock: bit 0: somebody reads registers of a wave and writes what he made of
 *	them: gpubp_wave_regs_lock()
 * @nr_ctxs: times that a context was settled; for users, as the others
 * @nr_waves: waves that were changed for it
 * @nr_failed: attempts that failed
 */
struct gpubp_trap_enable {
	bool supported;
	struct kthread_worker *worker;
	struct kthread_delayed_work work;
	wait_queue_head_t wait;
	unsigned long regs_lock;
	u64 nr_ctxs;
	u64 nr_waves;
	u64 nr_failed;
};

void gpubp_trap_enable_init(struct gpubp_trap_enable *enable,
			    const struct gpubp_device_desc *desc);
bool gpubp_trap_enable_pending(struct gpubp_ctx *ctx, bool pending);
bool gpubp_trap_enable_no_handler(const struct gpubp_ctx *ctx);
void gpubp_trap_enable_start(struct gpubp_ctx *ctx);
void gpubp_wave_regs_lock(struct gpubp_device *dev);
void gpubp_wave_regs_unlock(struct gpubp_device *dev);
DEFINE_GUARD(gpubp_wave_regs, struct gpubp_device *, gpubp_wave_regs_lock(_T),
	     gpubp_wave_regs_unlock(_T))

u32 gpubp_trap_enable_mask(struct gpubp_ctx *ctx, u32 exceptions);
void gpubp_trap_enable_retry(struct gpubp_ctx *ctx);
bool gpubp_trap_enable_needed(const struct gpubp_ctx *ctx);
int gpubp_trap_enable_wait(struct gpubp_ctx *ctx, unsigned long timeout);
int gpubp_trap_enable_wait_older(struct gpubp_ctx *ctx);
void gpubp_trap_enable_exit_ctx(struct gpubp_ctx *ctx);
void gpubp_trap_enable_flush(struct gpubp_device *dev);
int gpubp_trap_enable_start_worker(struct gpubp_device *dev);
void gpubp_trap_enable_exit(struct gpubp_device *dev);
void gpubp_trap_enable_show(struct gpubp_device *dev, struct seq_file *m);

#endif /* _GPUBP_TRAP_TRAP_ENABLE_H */
