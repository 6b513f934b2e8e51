// SPDX-License-Identifier: GPL-2.0
/*
 * Trap enable: suspend a pending context, enable traps in its waves, resume it.
 *
 * This is a work item of its own: a suspension may take long, and neither
 * commits nor dispatches of other contexts can wait for it. Commits go on
 * during an attempt. A commit that switches on the traps of a context (the
 * first time, again, or after a reset) makes a running attempt stale and
 * requests another one. Destroying a context waits until no attempt uses it;
 * suspending and unregistering a device wait for the work item.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/gpubp.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>
#include <linux/wait_bit.h>

#include "../compat/version.h"
#include "../core/core.h"
#include "trap.h"
#include "trap_enable.h"
#include "trap_point.h"

static unsigned int suspend_grace_ms = 1000;
module_param(suspend_grace_ms, uint, 0644);
MODULE_PARM_DESC(suspend_grace_ms, "how long waves of a context may take to save themselves when their traps are enabled, in ms");

#define FIRST_RETRY_NS	(20 * NSEC_PER_MSEC)
#define MAX_DOUBLINGS	9	/* caps the delay at about ten seconds */

/*
 * Passes over the waves of a context: waves may be killed between listing and
 * writing them, but none is launched while the context is suspended.
 */
#define MAX_ROUNDS	4

/**
 * struct attempt - to enable traps in the waves of one context
 * @ctx: context; it is not freed while gpubp_trap_enable_ctx.busy is set
 * @exceptions: GPUBP_EXC_* that its waves have to trap for
 * @err: (result) 0, or an errno: some waves may still lack traps
 */
struct attempt {
	struct gpubp_ctx *ctx;
	u32 exceptions;
	int err;
};

/**
 * struct batch - contexts that are suspended together
 * @dev: device
 * @attempts: one for each context
 * @privs: the provider's private pointers of the contexts, for ops
 * @nr: entries of @attempts and @privs in use
 */
struct batch {
	struct gpubp_device *dev;
	struct attempt *attempts;
	void **privs;
	unsigned int nr;
};

static void trap_enable_work_fn(struct kthread_work *work);

/**
 * gpubp_trap_enable_init() - find out whether a device can change running waves
 * @enable: zeroed state of the device
 * @desc: description as the provider passed it, without the core's defaults
 */
void gpubp_trap_enable_init(struct gpubp_trap_enable *enable,
			    const struct gpubp_device_desc *desc)
{
	const struct gpubp_ops *ops = desc->ops;
	const struct gpubp_isa *isa = desc->isa;

	enable->supported = ops->ctx_suspend && ops->list_waves &&
			    ops->read_wave && ops->write_wave && isa &&
			    isa->trap_edit && isa->nr_trap_regs &&
			    isa->nr_trap_regs <= GPUBP_MAX_TRAP_REGS;
	init_waitqueue_head(&enable->wait);
	kthread_init_delayed_work(&enable->work, trap_enable_work_fn);
}

/* ---- exclusive access to wave registers ---------------------------------- */

/**
 * gpubp_wave_regs_lock() - serialise read-modify-write of wave registers
 * @dev: device
 *
 * Without it, a writer could overwrite registers with values that it computed
 * from a read before another writer's change. This is a bit wait and not a
 * mutex because ops are called until gpubp_wave_regs_unlock(). It does not
 * nest. The device lock may be taken inside. May sleep.
 */
void gpubp_wave_regs_lock(struct gpubp_device *dev)
{
	wait_on_bit_lock(&dev->trap->enable.regs_lock, 0, TASK_UNINTERRUPTIBLE);
}

/** gpubp_wave_regs_unlock() - end of what gpubp_wave_regs_lock() began */
void gpubp_wave_regs_unlock(struct gpubp_device *dev)
{
	clear_and_wake_up_bit(0, &dev->trap->enable.regs_lock);
}

/* ---- waves of a suspended context ---------------------------------------- */

/* Return: 1: changed; 0: no change needed; or an errno. */
static int wave_enable_traps(struct gpubp_device *dev, u64 wave, u32 exceptions)
{
	const struct gpubp_isa *isa = dev->desc.isa;
	u32 regs[GPUBP_MAX_TRAP_REGS];
	int err;

	guard(gpubp_wave_regs)(dev);
	err = dev->ops.read_wave(dev->priv, wave, &isa->trap_regs, 1, regs);
	if (err || !isa->trap_edit(regs, true, exceptions))
		return err;
	err = dev->ops.write_wave(dev->priv, wave, &isa->trap_regs, 1, regs);
	return err ?: 1;
}

/* Return: 0; -EAGAIN: a listed wave is gone, list again; or an errno. */
static int waves_enable_traps(struct gpubp_device *dev,
			      const struct gpubp_wave_info *info, int nr,
			      u32 exceptions)
{
	int i, ret, gone = 0;

	for (i = 0; i < nr; i++) {
		ret = wave_enable_traps(dev, info[i].wave, exceptions);
		if (ret < 0 && ret != -ESRCH)
			return ret;
		if (ret < 0)
			gone = -EAGAIN;
		dev->trap->enable.nr_waves += ret == 1;
	}
	return gone;
}

static int attempt_edit_once(const struct attempt *a)
{
	struct gpubp_wave_info *info;
	int ret = gpubp_waves_list(a->ctx, &info);

	if (ret > 0)
		ret = waves_enable_traps(a->ctx->dev, info, ret, a->exceptions);
	kvfree(info);
	return ret;
}

/* Return: 0, or an errno: some waves may still lack traps. */
static int attempt_edit_waves(const struct attempt *a)
{
	int round, err = -EAGAIN;

	for (round = 0; err == -EAGAIN && round < MAX_ROUNDS; round++)
		err = attempt_edit_once(a);
	return err;
}

/* ---- contexts ------------------------------------------------------------ */

/* breaks are inserted only once all waves trap: the next run may insert them */
static void ctx_request_breaks(struct gpubp_ctx *ctx)
{
	if (READ_ONCE(ctx->trap->traps.nr[GPUBP_KIND_BREAK]))
		gpubp_request_ctx(ctx);
}

void gpubp_ctx_settled(struct gpubp_ctx *ctx, u64 seq)
{
	gpubp_clock_settle_seq(ctx, seq);
	ctx_request_breaks(ctx);
}
EXPORT_SYMBOL_GPL(gpubp_ctx_settled);

static void attempt_succeeded(struct gpubp_ctx *ctx)
{
	struct gpubp_trap_enable_ctx *enable = &ctx->trap->enable;

	/* not one assignment of the struct: busy is read without the lock */
	enable->done = true;
	enable->err = 0;
	enable->retry_ns = 0;
	WRITE_ONCE(enable->nr_failed, 0);
	ctx->dev->trap->enable.nr_ctxs++;
	gpubp_clock_settle(ctx);
	ctx_request_breaks(ctx);
}

static void attempt_failed(struct gpubp_ctx *ctx, int err)
{
	struct gpubp_trap_enable_ctx *enable = &ctx->trap->enable;
	unsigned int doublings = min(enable->nr_failed, MAX_DOUBLINGS);

	enable->err = err;
	enable->retry_ns = ktime_get_ns() + (FIRST_RETRY_NS << doublings);
	WRITE_ONCE(enable->nr_failed, enable->nr_failed + 1);
	ctx->dev->trap->enable.nr_failed++;
}

static void batch_edit_waves(const struct batch *b)
{
	unsigned int i;

	for (i = 0; i < b->nr; i++)
		b->attempts[i].err = attempt_edit_waves(&b->attempts[i]);
}

static void batch_set_error(const struct batch *b, int err)
{
	unsigned int i;

	for (i = 0; i < b->nr; i++)
		b->attempts[i].err = err;
}

/*
 * End an attempt. The result of a stale attempt is ignored: waves that were
 * launched since it began may lack traps.
 */
static void attempt_finish(const struct attempt *a)
{
	struct gpubp_ctx *ctx = a->ctx;
	struct gpubp_trap_enable_ctx *enable = &ctx->trap->enable;

	if (enable->stale || a->err)
		enable->masked |= enable->unmasking;
	enable->unmasking = 0;
	if (!enable->stale && a->err)
		attempt_failed(ctx, a->err);
	else if (!enable->stale)
		attempt_succeeded(ctx);
	enable->stale = false;
	/* pairs with gpubp_trap_enable_exit_ctx(): the context may be freed */
	smp_store_release(&enable->busy, false);
}

static void batch_finish(const struct batch *b)
{
	unsigned int i;

	scoped_guard(mutex, &b->dev->lock)
		for (i = 0; i < b->nr; i++)
			attempt_finish(&b->attempts[i]);
	wake_up_all(&b->dev->trap->enable.wait);
}

static void batch_run(const struct batch *b)
{
	struct gpubp_device *dev = b->dev;
	int err;

	if (!b->nr)
		return;
	err = dev->ops.ctx_suspend(dev->priv, b->privs, b->nr,
				   READ_ONCE(suspend_grace_ms));
	if (err) {
		batch_set_error(b, err);
	} else {
		batch_edit_waves(b);
		dev->ops.ctx_resume(dev->priv, b->privs, b->nr);
	}
	batch_finish(b);
}

/* ---- choosing the contexts of an attempt --------------------------------- */

static bool ctx_needs_attempt(const struct gpubp_ctx *ctx)
{
	return !ctx->dead && gpubp_clock_pending(ctx);
}

/* exceptions that are masked from here on are left to the next attempt */
static void batch_add(struct batch *b, struct gpubp_ctx *ctx)
{
	struct gpubp_trap_enable_ctx *enable = &ctx->trap->enable;

	enable->busy = true;
	enable->unmasking = enable->masked & enable->exceptions;
	enable->masked &= ~enable->unmasking;
	b->attempts[b->nr] = (struct attempt) {
		.ctx = ctx,
		.exceptions = enable->exceptions,
	};
	b->privs[b->nr++] = ctx->priv;
}

static struct gpubp_ctx *ctx_longest_due(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx, *due = NULL;
	u64 now = ktime_get_ns();

	list_for_each_entry(ctx, &dev->ctxs, node)
		if (ctx_needs_attempt(ctx) && ctx->trap->enable.nr_failed &&
		    ctx->trap->enable.retry_ns <= now &&
		    (!due ||
		     ctx->trap->enable.retry_ns < due->trap->enable.retry_ns))
			due = ctx;
	return due;
}

static bool attempts_may_run(const struct gpubp_device *dev)
{
	lockdep_assert_held(&dev->lock);
	return !dev->requests.stopped && !dev->suspended;
}

static unsigned int count_pending_ctxs(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;
	unsigned int n = 0;

	list_for_each_entry(ctx, &dev->ctxs, node)
		n += ctx_needs_attempt(ctx);
	return n;
}

/*
 * All new contexts together: suspending one context may stop others too, so
 * each suspension costs all of them. Return: pending contexts, 0, or -ENOMEM.
 */
static int batch_collect_new(struct batch *b)
{
	struct gpubp_device *dev = b->dev;
	struct gpubp_ctx *ctx;
	unsigned int n;

	guard(mutex)(&dev->lock);
	n = attempts_may_run(dev) ? count_pending_ctxs(dev) : 0;
	if (!n)
		return 0;
	b->attempts = kvcalloc(n, sizeof(*b->attempts), GPUBP_GFP_LOCKED);
	b->privs = kvcalloc(n, sizeof(*b->privs), GPUBP_GFP_LOCKED);
	if (!b->attempts || !b->privs)
		return -ENOMEM;
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (ctx_needs_attempt(ctx) && !ctx->trap->enable.nr_failed)
			batch_add(b, ctx);
	return n;
}

/* retry a context alone: it may be why a batch failed */
static void batch_collect_retry(struct batch *b)
{
	struct gpubp_ctx *ctx;

	b->nr = 0;
	guard(mutex)(&b->dev->lock);
	ctx = attempts_may_run(b->dev) ? ctx_longest_due(b->dev) : NULL;
	if (ctx)
		batch_add(b, ctx);
}

static void trap_enable_run(struct gpubp_device *dev)
{
	struct batch b = { .dev = dev };

	if (batch_collect_new(&b) > 0) {
		batch_run(&b);
		batch_collect_retry(&b);
		batch_run(&b);
	}
	kvfree(b.privs);
	kvfree(b.attempts);
}

/* Return: time of the next attempt, in ns; U64_MAX: no context is pending. */
static u64 next_attempt_ns(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;
	u64 retry_ns = U64_MAX;

	guard(mutex)(&dev->lock);
	if (!attempts_may_run(dev))
		return retry_ns;
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (ctx_needs_attempt(ctx))
			retry_ns = min(retry_ns, ctx->trap->enable.retry_ns);
	return retry_ns;
}

/* no effect if the work is queued already: it then runs at once */
static void queue_next_attempt(struct gpubp_device *dev)
{
	u64 retry_ns = next_attempt_ns(dev), now = ktime_get_ns();
	u64 wait = FIRST_RETRY_NS;

	if (retry_ns == U64_MAX)
		return;
	if (retry_ns > now)
		wait = max(wait, retry_ns - now);
	kthread_queue_delayed_work(dev->trap->enable.worker,
				   &dev->trap->enable.work,
				   nsecs_to_jiffies(wait));
}

static void trap_enable_work_fn(struct kthread_work *work)
{
	struct gpubp_device *dev = container_of(work, struct gpubp_dev_trap,
						enable.work.work)->dev;

	trap_enable_run(dev);
	queue_next_attempt(dev);
	/* contexts that are not pending any more have waiters, too */
	wake_up_all(&dev->trap->enable.wait);
}

/* ---- called by the committer --------------------------------------------- */

/* true if a wave that has all its traps now may lack one after this commit */
static bool commit_adds_traps(const struct gpubp_ctx *ctx)
{
	return !ctx->prog.watch_traps ||
	       (ctx->next.exceptions & ~ctx->prog.exceptions) ||
	       (ctx->next.exceptions & ctx->trap->enable.masked);
}

/* forget earlier results: waves launched since then may lack traps */
static void attempts_restart(struct gpubp_ctx *ctx)
{
	struct gpubp_trap_enable_ctx *enable = &ctx->trap->enable;

	enable->stale = enable->busy;
	enable->done = false;
	enable->err = 0;
	enable->retry_ns = 0;
	WRITE_ONCE(enable->nr_failed, 0);
}

/* true if some waves may have been launched without a handler */
static bool ctx_may_lack_handler(const struct gpubp_ctx *ctx)
{
	return !ctx->prog.watch_traps || gpubp_trap_enable_no_handler(ctx);
}

/**
 * gpubp_trap_enable_pending() - is a context pending after a commit
 * @ctx: context that the commit changed; ctx->prog is still its old program
 * @pending: the provider reports it pending. The provider does not know which
 *	waves the core has changed.
 *
 * The committer only; takes the device lock. If the commit switched traps on,
 * an attempt that began before it becomes stale.
 *
 * Return: true if a wave of the context may lack a trap.
 */
bool gpubp_trap_enable_pending(struct gpubp_ctx *ctx, bool pending)
{
	guard(mutex)(&ctx->dev->lock);
	if (commit_adds_traps(ctx))
		attempts_restart(ctx);
	ctx->trap->enable.exceptions = ctx->next.exceptions;
	pending |= ctx->next.exceptions &
		   (ctx->trap->enable.masked | ctx->trap->enable.unmasking);
	pending = pending && !ctx->trap->enable.done;
	ctx->trap->enable.no_handler = pending && ctx_may_lack_handler(ctx);
	return pending;
}

/**
 * gpubp_trap_enable_no_handler() - may waves of a context lack the trap handler
 * @ctx: context with a program that has traps; the device lock is held
 *
 * Such a wave would die of an s_trap. False for a context that is pending only
 * because some waves lack the enables of some exceptions.
 */
bool gpubp_trap_enable_no_handler(const struct gpubp_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	return ctx->trap->enable.no_handler && gpubp_clock_pending(ctx);
}

/**
 * gpubp_trap_enable_mask() - waves stop trapping for exceptions without events
 * @ctx: context of the wave whose registers the caller changes
 * @exceptions: GPUBP_EXC_* to mask: the wave raised them, and no event wanted
 *	them
 *
 * Call it between gpubp_wave_regs_lock(), before the registers of the wave are
 * read, and gpubp_wave_regs_unlock(), after they are written. An event that
 * wants one of the exceptions later is then bound after this call, so the next
 * commit sees them in gpubp_trap_enable_ctx.masked, and the attempt that this
 * commit starts writes the registers last. The provider does not take part in
 * this.
 *
 * Takes the device lock. Return: those of @exceptions that no event wants now.
 */
u32 gpubp_trap_enable_mask(struct gpubp_ctx *ctx, u32 exceptions)
{
	WARN_ON_ONCE(!test_bit(0, &ctx->dev->trap->enable.regs_lock));
	guard(mutex)(&ctx->dev->lock);
	exceptions &= ~gpubp_exceptions_wanted(ctx);
	ctx->trap->enable.masked |= exceptions;
	return exceptions;
}

static bool ctx_has_masked_wanted(const struct gpubp_ctx *ctx)
{
	return ctx->trap->enable.masked & ctx->trap->enable.exceptions;
}

/* true if an attempt will begin anyway; one that is running does not unmask */
static bool next_attempt_unmasks(const struct gpubp_ctx *ctx)
{
	const struct gpubp_trap_enable_ctx *enable = &ctx->trap->enable;

	return gpubp_clock_pending(ctx) && (!enable->busy || enable->stale);
}

/**
 * gpubp_trap_enable_retry() - make waves trap again for masked exceptions
 * @ctx: context that the next commit does not change; the device lock is held
 *
 * The events of the context want the same exceptions as at the last commit. In
 * between an exception may have had no event, and been masked in some waves.
 */
void gpubp_trap_enable_retry(struct gpubp_ctx *ctx)
{
	struct gpubp_trap_enable *enable = &ctx->dev->trap->enable;

	lockdep_assert_held(&ctx->dev->lock);
	if (!ctx_has_masked_wanted(ctx) || next_attempt_unmasks(ctx))
		return;
	attempts_restart(ctx);
	/* masking leaves the handler as it is */
	ctx->trap->enable.no_handler = gpubp_trap_enable_no_handler(ctx);
	gpubp_clock_set_pending(ctx);
	kthread_mod_delayed_work(enable->worker, &enable->work, 0);
}

/**
 * gpubp_trap_enable_start() - start an attempt for a context that needs one
 * @ctx: context, after its commit
 *
 * The committer only. Does not wait. A context whose last attempt failed waits
 * for its retry time instead.
 */
void gpubp_trap_enable_start(struct gpubp_ctx *ctx)
{
	struct gpubp_trap_enable *enable = &ctx->dev->trap->enable;

	if (enable->supported && gpubp_clock_pending(ctx) &&
	    !READ_ONCE(ctx->trap->enable.nr_failed))
		kthread_mod_delayed_work(enable->worker, &enable->work, 0);
}

/* ---- waiting for an attempt ---------------------------------------------- */

/**
 * gpubp_trap_enable_needed() - has a pending context had no attempt yet
 * @ctx: context
 *
 * Any context; takes no lock, so the answer may be out of date.
 */
bool gpubp_trap_enable_needed(const struct gpubp_ctx *ctx)
{
	const struct gpubp_device *dev = ctx->dev;

	return dev->trap->enable.supported && gpubp_clock_pending(ctx) &&
	       !READ_ONCE(ctx->trap->enable.nr_failed) &&
	       !READ_ONCE(ctx->dead) && !READ_ONCE(dev->suspended) &&
	       !READ_ONCE(dev->requests.stopped);
}

/**
 * gpubp_trap_enable_wait() - wait until a context is settled, or an attempt
 *	failed
 * @ctx: context; the caller has a reference
 * @timeout: jiffies
 *
 * Ends also when the context dies or the device is suspended or unregistered.
 * May sleep. Return: 0, -ETIMEDOUT, or -ERESTARTSYS (a fatal signal).
 */
int gpubp_trap_enable_wait(struct gpubp_ctx *ctx, unsigned long timeout)
{
	long left;

	if (!gpubp_trap_enable_needed(ctx))
		return 0;
	if (!timeout)
		return -ETIMEDOUT;
	left = wait_event_killable_timeout(ctx->dev->trap->enable.wait,
					   !gpubp_trap_enable_needed(ctx),
					   timeout);
	return gpubp_wait_error(left);
}

/**
 * gpubp_trap_enable_wait_older() - delay a dispatch until older waves trap
 * @ctx: context of the dispatch
 * @limit: jiffies; MAX_SCHEDULE_TIMEOUT: none of the caller's
 *
 * The waves of the dispatch trap from their launch. The wait only makes counts
 * complete, so it ends after the time that waves have to save themselves.
 *
 * May sleep, for suspend_grace_ms at most. Return: 0 or -EINTR (a fatal
 * signal).
 */
int gpubp_trap_enable_wait_older(struct gpubp_ctx *ctx, unsigned long limit)
{
	unsigned int ms = READ_ONCE(suspend_grace_ms);
	int err = gpubp_trap_enable_wait(ctx, min(msecs_to_jiffies(ms), limit));

	if (err == -ETIMEDOUT)
		return 0;
	return err ? -EINTR : 0;
}

/**
 * gpubp_trap_enable_exit_ctx() - wait until no attempt uses a context
 * @ctx: dead context
 *
 * May sleep.
 */
void gpubp_trap_enable_exit_ctx(struct gpubp_ctx *ctx)
{
	wait_event(ctx->dev->trap->enable.wait,
		   /* pairs with the release in attempt_finish() */
		   !smp_load_acquire(&ctx->trap->enable.busy));
}

/** gpubp_trap_enable_flush() - wait for attempts that began; may sleep */
void gpubp_trap_enable_flush(struct gpubp_device *dev)
{
	/* kthread_flush_work() of a work whose timer runs would never return */
	if (dev->trap->enable.supported)
		kthread_flush_worker(dev->trap->enable.worker);
}

/**
 * gpubp_trap_enable_start_worker() - start the thread that makes attempts
 * @dev: device; nothing is done if it cannot change running waves
 *
 * May sleep. Return: 0 or an errno.
 */
int gpubp_trap_enable_start_worker(struct gpubp_device *dev)
{
	struct kthread_worker *worker;

	if (!dev->trap->enable.supported)
		return 0;
	worker = kthread_run_worker(0, "gpubp%u/late", dev->number);
	if (IS_ERR(worker))
		return PTR_ERR(worker);
	dev->trap->enable.worker = worker;
	return 0;
}

/** gpubp_trap_enable_exit() - end the worker; no commit runs; may sleep */
void gpubp_trap_enable_exit(struct gpubp_device *dev)
{
	if (!dev->trap->enable.supported)
		return;
	kthread_cancel_delayed_work_sync(&dev->trap->enable.work);
	kthread_destroy_worker(dev->trap->enable.worker);
}

/* ---- debugfs ------------------------------------------------------------- */

static void show_pending_ctx(const struct gpubp_ctx *ctx, struct seq_file *m)
{
	seq_printf(m, "pending context %u: ", ctx->id);
	if (!ctx->dev->trap->enable.supported)
		seq_puts(m, "running waves cannot be changed\n");
	else if (!ctx->trap->enable.nr_failed)
		seq_puts(m, "not tried yet\n");
	else
		seq_printf(m, "tried %u times, error %d\n",
			   ctx->trap->enable.nr_failed, ctx->trap->enable.err);
}

/**
 * gpubp_trap_enable_show() - print statistics and why contexts are pending
 * @dev: device; its lock is held
 * @m: debugfs file
 */
void gpubp_trap_enable_show(struct gpubp_device *dev, struct seq_file *m)
{
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	seq_printf(m, "late_contexts %llu\n", dev->trap->enable.nr_ctxs);
	seq_printf(m, "late_waves %llu\n", dev->trap->enable.nr_waves);
	seq_printf(m, "late_failed %llu\n", dev->trap->enable.nr_failed);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (ctx_needs_attempt(ctx))
			show_pending_ctx(ctx, m);
}
