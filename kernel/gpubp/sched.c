// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduler: from what is wanted to what the hardware compares.
 *
 * One worker a device. A run asks the policy who is armed next, builds the
 * desired table, hands the difference to the provider in one commit, and
 * writes down who was armed from when to when. While more is wanted than
 * there are comparators it runs again every quantum.
 */
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "context.h"
#include "device.h"
#include "handler.h"
#include "sched.h"
#include "tracepoint.h"
#include "value.h"
#include "watch.h"

static unsigned int quantum_us = 10000;
module_param(quantum_us, uint, 0644);
MODULE_PARM_DESC(quantum_us, "time between two rotations of a device's comparators, in us");

static unsigned int max_overhead_percent = 10;
module_param(max_overhead_percent, uint, 0644);
MODULE_PARM_DESC(max_overhead_percent, "share of time that rotation may take, 1 to 100; the quantum is stretched for it");

/**
 * struct commit - one run of the worker
 * @dev: device
 * @cands: what is wanted; a reference to each watch (cand.priv) is held
 * @nr_cands: entries of @cands
 * @prog: for the provider
 * @ctxs: the contexts of @prog.ctxs
 * @began: when the run began
 * @from: when the commit began
 * @to: when the last hit of the old program can have been raised
 * @failed: slots that could not be programmed
 */
struct commit {
	struct gpubp_device *dev;
	struct gpubp_cand *cands;
	unsigned int nr_cands;
	struct gpubp_program prog;
	struct gpubp_ctx **ctxs;
	u64 began;
	u64 from;
	u64 to;
	u32 failed;
};

/* ---- what is wanted ------------------------------------------------------ */

static void add_cand(struct commit *c, struct gpubp_watch *w)
{
	u32 modes = c->dev->desc.caps.modes;
	struct gpubp_cand *cand = &c->cands[c->nr_cands++];

	w->refs++;
	*cand = (struct gpubp_cand) {
		.id = w->id,
		.ctx = w->ctx->id,
		.mode = gpubp_mode_for(w->access, modes),
		.pinned = w->pinned,
		.nr_blocks = w->nr_blocks,
		.block = { w->block[0], w->block[1] },
		.last_armed = w->last_armed,
		.slots = w->slots,
		.priv = w,
	};
}

static int collect(struct commit *c)
{
	struct gpubp_device *dev = c->dev;
	struct gpubp_watch *w;
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	c->cands = kvcalloc(dev->nr_watches, sizeof(*c->cands), GFP_KERNEL);
	if (!c->cands && dev->nr_watches)
		return -ENOMEM;
	list_for_each_entry(ctx, &dev->ctxs, node) {
		if (ctx->dead || ctx->handler_failed)
			continue;
		for (w = gpubp_watch_first(ctx, 0, U64_MAX); w;
		     w = gpubp_watch_next(w, 0, U64_MAX))
			add_cand(c, w);
	}
	return 0;
}

static struct gpubp_policy_caps policy_caps(const struct gpubp_device *dev)
{
	return (struct gpubp_policy_caps) {
		.usable = dev->usable,
		.modes = dev->desc.caps.modes,
		.cntl_banked = dev->desc.caps.cntl_banked,
	};
}

/*
 * When pinned watches leave one slot, a watch of two blocks would never have
 * its turn: one block covers it with more strays.
 */
static void narrow_covers(struct commit *c, const struct gpubp_policy_caps *caps)
{
	struct gpubp_cover_caps cover = gpubp_device_cover(c->dev);
	unsigned int i;

	if (gpubp_policy_flexible_slots(caps, c->cands, c->nr_cands) > 1)
		return;
	for (i = 0; i < c->nr_cands; i++) {
		struct gpubp_cand *cand = &c->cands[i];
		struct gpubp_watch *w = cand->priv;
		struct gpubp_block block[GPUBP_MAX_BLOCKS];

		if (cand->pinned || cand->nr_blocks == 1 ||
		    gpubp_cover_range(&cover, w->start, w->last - w->start + 1,
				      1, block) != 1)
			continue;
		cand->nr_blocks = 1;
		cand->block[0] = block[0];
	}
}

static void ask_policy(struct commit *c)
{
	struct gpubp_policy_caps caps = policy_caps(c->dev);
	unsigned int i;

	narrow_covers(c, &caps);
	gpubp_policy_next(&c->dev->policy, &caps, c->cands, c->nr_cands);
	for (i = 0; i < c->nr_cands; i++) {
		struct gpubp_watch *w = c->cands[i].priv;

		w->last_armed = c->cands[i].last_armed;
	}
}

/* ---- the desired table --------------------------------------------------- */

static void program_block(struct commit *c, struct gpubp_ctx *ctx,
			  const struct gpubp_cand *cand, int i)
{
	u32 modes = c->dev->desc.caps.modes;
	struct gpubp_ctx_prog *next = &ctx->next;
	unsigned int slot = cand->slot[i];

	c->prog.slot[slot].value = cand->block[i].value;
	c->prog.slot[slot].used = true;
	if (next->valid & BIT(slot))
		next->mode[slot] = gpubp_mode_union(next->mode[slot],
						    cand->mode, modes);
	else
		next->mode[slot] = cand->mode;
	next->mask[slot] = cand->block[i].mask;
	next->valid |= BIT(slot);
}

static void reset_next(struct gpubp_ctx *ctx)
{
	memset(&ctx->next, 0, sizeof(ctx->next));
	ctx->next.ctx = ctx->priv;
}

/* traps stay on while anything is watched: waves take them at launch */
static void program_traps(struct gpubp_ctx *ctx)
{
	bool watched = !ctx->handler_failed &&
		       !RB_EMPTY_ROOT(&ctx->watches.rb_root);

	ctx->next.watch_traps = watched;
	ctx->next.precise = watched && ctx->dev->desc.caps.precise;
}

static u32 ctx_changes(const struct gpubp_ctx *ctx)
{
	const struct gpubp_ctx_prog *a = &ctx->prog, *b = &ctx->next;
	u32 changed = a->valid ^ b->valid;
	unsigned long both = a->valid & b->valid;
	unsigned int s;

	for_each_set_bit(s, &both, GPUBP_MAX_SLOTS)
		if (a->mask[s] != b->mask[s] || a->mode[s] != b->mode[s])
			changed |= BIT(s);
	return changed;
}

static u32 slot_changes(const struct commit *c)
{
	const struct gpubp_slot_prog *old = c->dev->prog.slot;
	const struct gpubp_slot_prog *new = c->prog.slot;
	u32 changed = 0;
	unsigned int s;

	for (s = 0; s < c->prog.nr_slots; s++)
		if (old[s].value != new[s].value || old[s].used != new[s].used)
			changed |= BIT(s);
	return changed;
}

static bool ctx_differs(const struct gpubp_ctx *ctx)
{
	return memcmp(&ctx->prog, &ctx->next, sizeof(ctx->prog));
}

static unsigned int count_ctxs(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;
	unsigned int n = 0;

	list_for_each_entry(ctx, &dev->ctxs, node)
		n++;
	return n;
}

static int list_changed_ctxs(struct commit *c)
{
	struct gpubp_device *dev = c->dev;
	unsigned int n = count_ctxs(dev);
	struct gpubp_ctx *ctx;

	c->ctxs = kvcalloc(n, sizeof(*c->ctxs), GFP_KERNEL);
	c->prog.ctxs = kvcalloc(n, sizeof(*c->prog.ctxs), GFP_KERNEL);
	if (n && (!c->ctxs || !c->prog.ctxs))
		return -ENOMEM;
	list_for_each_entry(ctx, &dev->ctxs, node) {
		if (ctx->dead || !ctx_differs(ctx))
			continue;
		c->prog.changed_slots |= ctx_changes(ctx);
		c->ctxs[c->prog.nr_ctxs] = ctx;
		c->prog.ctxs[c->prog.nr_ctxs++] = ctx->next;
	}
	return 0;
}

static int build_program(struct commit *c)
{
	struct gpubp_ctx *ctx;
	unsigned int i;
	int b;

	c->prog.nr_slots = c->dev->desc.caps.nr_slots;
	list_for_each_entry(ctx, &c->dev->ctxs, node)
		reset_next(ctx);
	for (i = 0; i < c->nr_cands; i++) {
		struct gpubp_watch *w = c->cands[i].priv;

		if (!c->cands[i].armed)
			continue;
		for (b = 0; b < c->cands[i].nr_blocks; b++)
			program_block(c, w->ctx, &c->cands[i], b);
	}
	list_for_each_entry(ctx, &c->dev->ctxs, node)
		program_traps(ctx);
	c->prog.changed_slots = slot_changes(c);
	return list_changed_ctxs(c);
}

static void forget_hardware(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;

	memset(dev->prog.slot, 0, sizeof(dev->prog.slot));
	list_for_each_entry(ctx, &dev->ctxs, node)
		memset(&ctx->prog, 0, sizeof(ctx->prog));
}

static int prepare(struct commit *c)
{
	struct gpubp_device *dev = c->dev;
	int err;

	guard(mutex)(&dev->lock);
	if (dev->stopped)
		return -ESHUTDOWN;
	if (xchg(&dev->lost, false))
		forget_hardware(dev);
	err = collect(c);
	if (err)
		return err;
	ask_policy(c);
	return build_program(c);
}

/* ---- the commit: no lock held, ops may sleep ----------------------------- */

/* false: some context cannot take it, ask the policy again without it */
static bool install_handlers(struct commit *c)
{
	bool all = true;
	unsigned int i;

	for (i = 0; i < c->prog.nr_ctxs; i++) {
		struct gpubp_ctx *ctx = c->ctxs[i];

		if (!c->prog.ctxs[i].watch_traps)
			continue;
		ctx->handler_failed = gpubp_handler_install(ctx);
		all &= !ctx->handler_failed;
	}
	return all;
}

static void take_copies(struct commit *c)
{
	u8 bytes[GPUBP_CHANGED_MAX];
	unsigned int i;

	for (i = 0; i < c->nr_cands; i++) {
		struct gpubp_watch *w = c->cands[i].priv;
		u8 len;

		if (!c->cands[i].armed || w->slots)
			continue;
		len = gpubp_value_read(w->ctx, w->start, w->last, bytes);
		mutex_lock(&c->dev->lock);
		memcpy(w->copy, bytes, len);
		w->copy_len = len;
		mutex_unlock(&c->dev->lock);
	}
}

static void note_result(struct commit *c, const struct gpubp_commit_result *res)
{
	unsigned int i;

	c->to = res->drained ? ktime_get_ns() : res->window_end;
	for (i = 0; i < c->prog.nr_slots; i++)
		if (res->slot_err[i])
			c->failed |= BIT(i);
	for (i = 0; i < c->prog.nr_ctxs; i++)
		if (i >= 64 || !(res->pending & BIT_ULL(i)))
			WRITE_ONCE(c->ctxs[i]->pending, false);
}

/* before the commit: a context may settle before the result is looked at */
static void presume_pending(struct commit *c)
{
	unsigned int i;

	for (i = 0; i < c->prog.nr_ctxs; i++)
		WRITE_ONCE(c->ctxs[i]->pending, true);
}

/* a watch that joins what a slot compares already changes no register */
static void commit(struct commit *c)
{
	struct gpubp_device *dev = c->dev;
	struct gpubp_commit_result res = {};

	take_copies(c);
	presume_pending(c);
	c->from = ktime_get_ns();
	c->to = c->from;
	if (!c->prog.nr_ctxs && !c->prog.changed_slots)
		return;
	dev->desc.ops->commit(dev->priv, &c->prog, &res);
	note_result(c, &res);
	atomic64_inc(&dev->nr_commits);
}

/* ---- what came of it ----------------------------------------------------- */

static void trace_change(struct gpubp_watch *w, u32 slots)
{
	struct gpubp_device *dev = w->ctx->dev;

	if (slots)
		trace_gpubp_arm(dev->number, w->ctx->id, w->id, w->start,
				w->last, slots);
	else
		trace_gpubp_disarm(dev->number, w->ctx->id, w->id, w->start,
				   w->last, w->slots);
}

static void settle_watch(struct commit *c, struct gpubp_cand *cand)
{
	u32 slots = cand->armed && !(cand->slots & c->failed) ? cand->slots : 0;
	struct gpubp_watch *w = cand->priv;

	if (slots == w->slots)
		return;
	trace_change(w, slots);
	gpubp_watch_set_slots(w, slots, c->from, c->to);
}

static unsigned int count_armed(const struct commit *c)
{
	unsigned int i, n = 0;

	for (i = 0; i < c->nr_cands; i++)
		n += c->cands[i].armed;
	return n;
}

static void settle(struct commit *c)
{
	struct gpubp_device *dev = c->dev;
	unsigned int i;

	guard(mutex)(&dev->lock);
	for (i = 0; i < c->nr_cands; i++)
		settle_watch(c, &c->cands[i]);
	for (i = 0; i < c->prog.nr_ctxs; i++)
		c->ctxs[i]->prog = c->prog.ctxs[i];
	memcpy(dev->prog.slot, c->prog.slot, sizeof(dev->prog.slot));
	dev->usable &= ~c->failed;
	trace_gpubp_rotate(dev->number, dev->policy.quantum, count_armed(c),
			   c->nr_cands, c->prog.changed_slots, c->to - c->from);
}

static void put_watches(struct commit *c)
{
	unsigned int i;

	guard(mutex)(&c->dev->lock);
	for (i = 0; i < c->nr_cands; i++)
		gpubp_watch_put(c->cands[i].priv);
}

static void commit_free(struct commit *c)
{
	put_watches(c);
	kvfree(c->cands);
	kvfree(c->ctxs);
	kvfree(c->prog.ctxs);
}

static void run_again(struct gpubp_device *dev, unsigned int us)
{
	kthread_queue_delayed_work(dev->committer, &dev->commit_work,
				   usecs_to_jiffies(us));
}

/* a device whose commits are slow rotates less often, not all the time */
static unsigned int next_quantum_us(const struct commit *c)
{
	unsigned int percent = clamp(READ_ONCE(max_overhead_percent), 1u, 100u);
	u64 cost_us = div_u64(ktime_get_ns() - c->began, NSEC_PER_USEC);
	u64 least = div_u64(cost_us * 100, percent);

	return clamp_t(u64, least, READ_ONCE(quantum_us), USEC_PER_SEC);
}

static void commit_fn(struct kthread_work *work)
{
	struct gpubp_device *dev = container_of(work, struct gpubp_device,
						commit_work.work);
	struct gpubp_policy_caps caps = policy_caps(dev);
	struct commit c = { .dev = dev, .began = ktime_get_ns() };
	bool again = false;
	int err;

	err = prepare(&c);
	if (err == -ENOMEM)
		run_again(dev, quantum_us);
	if (err)
		goto out;
	again = !install_handlers(&c);
	if (again)
		goto out;
	commit(&c);
	settle(&c);
	again = c.failed;
	if (!again && gpubp_policy_rotates(&caps, c.cands, c.nr_cands))
		run_again(dev, next_quantum_us(&c));
out:
	commit_free(&c);
	if (again)
		run_again(dev, 0);
	/* last: who waits must not take a run that goes on for a success */
	WRITE_ONCE(dev->unsettled, again);
}

/* ---- for the others ------------------------------------------------------ */

void gpubp_sched_init(struct gpubp_device *dev)
{
	kthread_init_delayed_work(&dev->commit_work, commit_fn);
}

/** gpubp_sched_kick() - something is wanted or not wanted any more; any context */
void gpubp_sched_kick(struct gpubp_device *dev)
{
	if (dev->desc.caps.nr_slots)
		kthread_mod_delayed_work(dev->committer, &dev->commit_work, 0);
}

/** gpubp_sched_flush() - a commit that runs or was asked for is done; may sleep */
void gpubp_sched_flush(struct gpubp_device *dev)
{
	kthread_flush_worker(dev->committer);
}

/**
 * gpubp_sched_wait() - what is wanted now is armed, as far as it can be
 * @dev: device
 *
 * May sleep, for one commit. Return: 0 or -EINTR.
 */
int gpubp_sched_wait(struct gpubp_device *dev)
{
	/* each round takes a slot or a context out that cannot serve */
	do {
		gpubp_sched_flush(dev);
	} while (READ_ONCE(dev->unsettled) && !fatal_signal_pending(current));
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/** gpubp_sched_stop() - no commit runs or will; may sleep */
void gpubp_sched_stop(struct gpubp_device *dev)
{
	mutex_lock(&dev->lock);
	dev->stopped = true;
	mutex_unlock(&dev->lock);
	kthread_cancel_delayed_work_sync(&dev->commit_work);
}

/** gpubp_sched_reset() - the hardware forgot everything; any context */
void gpubp_sched_reset(struct gpubp_device *dev)
{
	WRITE_ONCE(dev->lost, true);
	gpubp_sched_kick(dev);
}

void gpubp_ctx_settled(struct gpubp_ctx *ctx)
{
	WRITE_ONCE(ctx->pending, false);
}
EXPORT_SYMBOL_GPL(gpubp_ctx_settled);
