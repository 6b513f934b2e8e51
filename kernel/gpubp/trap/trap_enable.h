/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trap enable: make running waves trap that were launched without traps.
 *
 * A wave keeps the exception enables that it was launched with. The commit that
 * arms the first watch of a context therefore leaves the context *pending*
 * while older waves run. Where the provider can suspend a context, an attempt
 * suspends it, enables traps in each of its saved waves and resumes it; then
 * the context is settled. Until then it stays pending: the core never reports a
 * watch as armed that a wave could pass without a trap.
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
 * struct gpubp_trap_enable_ctx - trap enable state of a context; under the
 *	device lock
 * @busy: an attempt on the context is running; read without the lock by
 *	gpubp_trap_enable_exit_ctx(), which waits for its end
 * @stale: the running attempt began before traps were last switched on: its
 *	result is ignored
 * @done: every wave has its traps enabled, even if the provider reports the
 *	context pending; until traps are switched off or the hardware is reset
 * @no_handler: valid while the context is pending: waves may lack the trap
 *	handler; if false, they lack the enables of some exceptions only
 * @nr_failed: attempts in a row that failed; also read without the lock
 * @exceptions: GPUBP_EXC_* that waves have to trap for since the last commit
 * @masked: GPUBP_EXC_* that gpubp_trap_enable_mask() disabled in some wave
 *	since the running attempt began, or since the last attempt
 * @unmasking: GPUBP_EXC_* that were in @masked when the running attempt began;
 *	the attempt enables them again
 * @err: errno of the last attempt if it failed, else 0
 * @retry_ns: time of the next attempt after a failure, ns of CLOCK_MONOTONIC;
 *	0: the last attempt did not fail
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
 * struct gpubp_trap_enable - trap enable state of a device
 * @supported: provider and ISA can suspend contexts and change the trap
 *	registers of their waves; constant
 * @worker: runs @work and nothing else; NULL if not @supported
 * @work: makes the attempts
 * @wait: waiters for the end of an attempt
 * @regs_lock: bit 0 is set while wave registers are read, modified and written;
 *	see gpubp_wave_regs_lock()
 * @nr_ctxs: attempts that settled their context; this and the next two are
 *	statistics
 * @nr_waves: waves that attempts changed
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
int gpubp_trap_enable_wait_older(struct gpubp_ctx *ctx, unsigned long limit);
void gpubp_trap_enable_exit_ctx(struct gpubp_ctx *ctx);
void gpubp_trap_enable_flush(struct gpubp_device *dev);
int gpubp_trap_enable_start_worker(struct gpubp_device *dev);
void gpubp_trap_enable_exit(struct gpubp_device *dev);
void gpubp_trap_enable_show(struct gpubp_device *dev, struct seq_file *m);

#endif /* _GPUBP_TRAP_TRAP_ENABLE_H */
