// SPDX-License-Identifier: GPL-2.0
/*
 * Late: a context with waves that trap nothing is taken off the GPU, its waves
 * are changed, and it goes on.
 *
 * Runs in the device's worker, behind a commit. A context that is destroyed
 * meanwhile waits for the worker; a reset meanwhile asks for another commit,
 * which begins all over.
 */
#include <linux/gpubp.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>

#include "account.h"
#include "context.h"
#include "device.h"
#include "late.h"

static unsigned int suspend_grace_ms = 1000;
module_param(suspend_grace_ms, uint, 0644);
MODULE_PARM_DESC(suspend_grace_ms, "how long waves of a context may take to save themselves when something attaches to it, in ms");

#define FIRST_WAIT	(20 * NSEC_PER_MSEC)
#define MAX_DOUBLINGS	9	/* ten seconds */

/* waves may be killed while they are listed and changed, never launched */
#define MAX_ROUNDS	4

/**
 * struct batch - contexts that are taken off the GPU together
 * @dev: device
 * @ctxs: contexts, alive while the worker runs
 * @privs: the provider's pointers of them
 * @nr: entries of both
 */
struct batch {
	struct gpubp_device *dev;
	struct gpubp_ctx **ctxs;
	void **privs;
	unsigned int nr;
};

/**
 * gpubp_late_init() - what a device can do
 * @late: the device's, zeroed
 * @desc: as the provider registers it, without the core's defaults
 */
void gpubp_late_init(struct gpubp_late *late,
		     const struct gpubp_device_desc *desc)
{
	const struct gpubp_ops *ops = desc->ops;
	const struct gpubp_isa *isa = desc->isa;

	late->able = ops->ctx_suspend && ops->list_waves && ops->read_wave &&
		     ops->write_wave && isa && isa->trap_edit &&
		     isa->nr_trap_regs &&
		     isa->nr_trap_regs <= GPUBP_MAX_TRAP_REGS;
}

/* ---- the waves of a context that is off the GPU -------------------------- */

/* 1: changed, 0: nothing to do, or an errno */
static int edit_wave(struct gpubp_device *dev, u64 wave)
{
	const struct gpubp_isa *isa = dev->desc.isa;
	u32 regs[GPUBP_MAX_TRAP_REGS];
	int err;

	err = dev->ops.read_wave(dev->priv, wave, &isa->trap_regs, 1, regs);
	if (err || !isa->trap_edit(regs, true))
		return err;
	err = dev->ops.write_wave(dev->priv, wave, &isa->trap_regs, 1, regs);
	return err ?: 1;
}

/* -EAGAIN: one that was listed is gone */
static int edit_waves(struct gpubp_device *dev,
		      const struct gpubp_wave_info *info, int nr)
{
	int i, ret, gone = 0;

	for (i = 0; i < nr; i++) {
		ret = edit_wave(dev, info[i].wave);
		if (ret < 0 && ret != -ESRCH)
			return ret;
		if (ret < 0)
			gone = -EAGAIN;
		dev->late.nr_waves += ret == 1;
	}
	return gone;
}

/* how many; the array is freed by the caller */
static int list_waves(struct gpubp_ctx *ctx, struct gpubp_wave_info **info)
{
	const struct gpubp_ops *ops = &ctx->dev->ops;
	int n, max;

	*info = NULL;
	max = ops->list_waves(ctx->priv, NULL, 0);
	if (max <= 0)
		return max;
	*info = kvmalloc_array(max, sizeof(**info), GFP_KERNEL | __GFP_NOWARN);
	if (!*info)
		return -ENOMEM;
	n = ops->list_waves(ctx->priv, *info, max);
	return n > max ? -EAGAIN : n;
}

static int edit_once(struct gpubp_ctx *ctx)
{
	struct gpubp_wave_info *info;
	int ret = list_waves(ctx, &info);

	if (ret > 0)
		ret = edit_waves(ctx->dev, info, ret);
	kvfree(info);
	return ret;
}

/* 0, or why a wave may be left that traps nothing */
static int edit_ctx(struct gpubp_ctx *ctx)
{
	int round, err = -EAGAIN;

	for (round = 0; err == -EAGAIN && round < MAX_ROUNDS; round++)
		err = edit_once(ctx);
	return err;
}

/* ---- contexts ------------------------------------------------------------ */

static void succeeded(struct gpubp_ctx *ctx)
{
	ctx->late = (struct gpubp_late_ctx) { .done = true };
	ctx->dev->late.nr_ctxs++;
	gpubp_ctx_settled(ctx);
}

static void failed(struct gpubp_ctx *ctx, int err)
{
	struct gpubp_late_ctx *late = &ctx->late;
	unsigned int doublings = min(late->nr_failed, MAX_DOUBLINGS);

	late->nr_failed++;
	late->err = err;
	late->next = ktime_get_ns() + (FIRST_WAIT << doublings);
	ctx->dev->late.nr_failed++;
}

static void edit_ctxs(const struct batch *b)
{
	unsigned int i;

	for (i = 0; i < b->nr; i++)
		b->ctxs[i]->late.err = edit_ctx(b->ctxs[i]);
}

static void fail_ctxs(const struct batch *b, int err)
{
	unsigned int i;

	for (i = 0; i < b->nr; i++)
		b->ctxs[i]->late.err = err;
}

static void note_batch(const struct batch *b)
{
	unsigned int i;

	guard(mutex)(&b->dev->lock);
	for (i = 0; i < b->nr; i++) {
		struct gpubp_ctx *ctx = b->ctxs[i];

		if (ctx->late.err)
			failed(ctx, ctx->late.err);
		else
			succeeded(ctx);
	}
}

static void settle_batch(const struct batch *b)
{
	struct gpubp_device *dev = b->dev;
	int err;

	if (!b->nr)
		return;
	err = dev->ops.ctx_suspend(dev->priv, b->privs, b->nr,
				   READ_ONCE(suspend_grace_ms));
	if (err) {
		fail_ctxs(b, err);
	} else {
		edit_ctxs(b);
		dev->ops.ctx_resume(dev->priv, b->privs, b->nr);
	}
	note_batch(b);
}

/* ---- whose turn it is ---------------------------------------------------- */

static bool concerns(const struct gpubp_ctx *ctx)
{
	return !ctx->dead && gpubp_clock_pending(ctx);
}

static void add(struct batch *b, struct gpubp_ctx *ctx)
{
	b->ctxs[b->nr] = ctx;
	b->privs[b->nr++] = ctx->priv;
}

static struct gpubp_ctx *longest_due(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx, *due = NULL;
	u64 now = ktime_get_ns();

	list_for_each_entry(ctx, &dev->ctxs, node)
		if (concerns(ctx) && ctx->late.nr_failed &&
		    ctx->late.next <= now &&
		    (!due || ctx->late.next < due->late.next))
			due = ctx;
	return due;
}

static bool may_run(const struct gpubp_device *dev)
{
	lockdep_assert_held(&dev->lock);
	return !dev->stopped && !dev->suspended;
}

static unsigned int count_pending(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;
	unsigned int n = 0;

	list_for_each_entry(ctx, &dev->ctxs, node)
		n += concerns(ctx);
	return n;
}

/* all at once, as each suspension may stop more than what was asked for */
static int collect_new(struct batch *b)
{
	struct gpubp_device *dev = b->dev;
	struct gpubp_ctx *ctx;
	unsigned int n;

	guard(mutex)(&dev->lock);
	n = may_run(dev) ? count_pending(dev) : 0;
	if (!n)
		return 0;
	b->ctxs = kvcalloc(n, sizeof(*b->ctxs), GFP_KERNEL | __GFP_NOWARN);
	b->privs = kvcalloc(n, sizeof(*b->privs), GFP_KERNEL | __GFP_NOWARN);
	if (!b->ctxs || !b->privs)
		return -ENOMEM;
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (concerns(ctx) && !ctx->late.nr_failed)
			add(b, ctx);
	return n;
}

/* one that failed is tried alone: it may be what the others failed for */
static void collect_retry(struct batch *b)
{
	struct gpubp_ctx *ctx;

	b->nr = 0;
	guard(mutex)(&b->dev->lock);
	ctx = may_run(b->dev) ? longest_due(b->dev) : NULL;
	if (ctx)
		add(b, ctx);
}

/**
 * gpubp_late_settle() - change waves that would slip past what is armed
 * @dev: device
 *
 * The committer only, behind a commit; no lock is held. May sleep, for two
 * suspensions.
 */
void gpubp_late_settle(struct gpubp_device *dev)
{
	struct batch b = { .dev = dev };

	if (dev->late.able && collect_new(&b) > 0) {
		settle_batch(&b);
		collect_retry(&b);
		settle_batch(&b);
	}
	kvfree(b.privs);
	kvfree(b.ctxs);
}

/**
 * gpubp_late_next() - when a context is to be tried again
 * @dev: device
 *
 * The committer only. Return: ns of CLOCK_MONOTONIC, U64_MAX never.
 */
u64 gpubp_late_next(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;
	u64 next = U64_MAX;

	if (!dev->late.able)
		return next;
	guard(mutex)(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (concerns(ctx))
			next = min(next, ctx->late.next);
	return next;
}

/**
 * gpubp_late_pending() - has a context waves without traps after a commit
 * @ctx: context that it changed; its old program is still in place
 * @pending: what the provider says, who need not know of waves that we changed
 */
bool gpubp_late_pending(struct gpubp_ctx *ctx, bool pending)
{
	/* what was launched without traps before may have been launched since */
	if (!ctx->prog.watch_traps)
		ctx->late = (struct gpubp_late_ctx) {};
	return pending && !ctx->late.done;
}

/* ---- for users ----------------------------------------------------------- */

static void show_ctx(const struct gpubp_ctx *ctx, struct seq_file *m)
{
	seq_printf(m, "pending context %u: ", ctx->id);
	if (!ctx->dev->late.able)
		seq_puts(m, "running waves cannot be changed\n");
	else if (!ctx->late.nr_failed)
		seq_puts(m, "not tried yet\n");
	else
		seq_printf(m, "tried %u times, error %d\n",
			   ctx->late.nr_failed, ctx->late.err);
}

/** gpubp_late_show() - figures, and why contexts are pending; device lock held */
void gpubp_late_show(struct gpubp_device *dev, struct seq_file *m)
{
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	seq_printf(m, "late_contexts %llu\n", dev->late.nr_ctxs);
	seq_printf(m, "late_waves %llu\n", dev->late.nr_waves);
	seq_printf(m, "late_failed %llu\n", dev->late.nr_failed);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (concerns(ctx))
			show_ctx(ctx, m);
}
