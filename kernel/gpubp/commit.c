// SPDX-License-Identifier: GPL-2.0
/*
 * Commit: one run of a device's worker.
 *
 * Makes the table that is wanted, hands the difference to the provider in one
 * commit, and writes down who was armed from when to when.
 */
#include <linux/bits.h>
#include <linux/ktime.h>
#include <linux/mm.h>

#include "commit.h"
#include "context.h"
#include "device.h"
#include "handler.h"
#include "late.h"
#include "policy.h"
#include "poll.h"
#include "program.h"
#include "slots.h"
#include "tracepoint.h"
#include "value.h"
#include "watch.h"

/* ---- the commit: no lock held, ops may sleep ----------------------------- */

/* false: some context cannot take it, ask the policy again without it */
static bool install_handlers(struct gpubp_commit *c)
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

static void take_copies(struct gpubp_commit *c)
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
		gpubp_watch_set_copy(w, bytes, len);
		mutex_unlock(&c->dev->lock);
	}
}

/* of contexts that a result has no bit for, the worst is assumed if it can be cured */
static bool told_pending(struct gpubp_commit *c, const struct gpubp_commit_result *res,
			 unsigned int i)
{
	if (i < 64)
		return res->pending & BIT_ULL(i);
	return c->dev->late.able && c->prog.ctxs[i].watch_traps &&
	       (!c->ctxs[i]->prog.watch_traps ||
		gpubp_clock_pending(c->ctxs[i]));
}

static void note_result(struct gpubp_commit *c, const struct gpubp_commit_result *res)
{
	unsigned int i;

	c->to = res->drained ? ktime_get_ns() : res->window_end;
	for (i = 0; i < c->prog.nr_slots; i++)
		if (res->slot_err[i])
			c->failed |= BIT(i);
	for (i = 0; i < c->prog.nr_ctxs; i++) {
		bool pending = told_pending(c, res, i);

		gpubp_clock_commit_ends(c->ctxs[i], c->prog.seq,
					gpubp_late_pending(c->ctxs[i], pending));
		gpubp_late_start(c->ctxs[i]);
	}
}

/* who moves from one slot to another compares nothing in between */
static void retire(struct gpubp_commit *c)
{
	unsigned int i;

	guard(mutex)(&c->dev->lock);
	for (i = 0; i < c->nr_cands; i++) {
		struct gpubp_watch *w = c->cands[i].priv;

		if (w->slots && (c->lost || (w->slots & c->forgotten) ||
				 c->cands[i].slots != w->slots))
			gpubp_watch_account(w, false);
	}
}

/* a watch that joins what a slot compares already changes no register */
static void commit(struct gpubp_commit *c)
{
	struct gpubp_device *dev = c->dev;
	struct gpubp_commit_result res = {};

	take_copies(c);
	retire(c);
	c->from = ktime_get_ns();
	c->to = c->from;
	if (!c->prog.nr_ctxs && !c->prog.changed_slots)
		return;
	c->prog.seq = ++dev->prog.seq;
	dev->ops.commit(dev->priv, &c->prog, &res);
	note_result(c, &res);
	WRITE_ONCE(dev->poll_until, c->to);
	gpubp_poll_start(dev);
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

static void settle_watch(struct gpubp_commit *c, struct gpubp_cand *cand)
{
	u32 slots = cand->armed && !(cand->slots & c->failed) ? cand->slots : 0;
	struct gpubp_watch *w = cand->priv;

	gpubp_watch_account(w, slots);
	if (!slots && !w->slots)
		gpubp_watch_age_copy(w, c->from);
	if (slots == w->slots)
		return;
	trace_change(w, slots);
	gpubp_watch_set_slots(w, slots, c->from, c->to);
}

/* no handler, or it may not be stopped: nothing of it was asked for */
static void settle_unable(struct gpubp_commit *c, struct gpubp_ctx *ctx)
{
	struct gpubp_watch *w;

	for (w = gpubp_watch_first(ctx, 0, U64_MAX); w;
	     w = gpubp_watch_next(w, 0, U64_MAX)) {
		gpubp_watch_account(w, false);
		gpubp_watch_set_slots(w, 0, c->from, c->to);
	}
}

static unsigned int count_armed(const struct gpubp_commit *c)
{
	unsigned int i, n = 0;

	for (i = 0; i < c->nr_cands; i++)
		n += c->cands[i].armed;
	return n;
}

static void settle(struct gpubp_commit *c)
{
	struct gpubp_device *dev = c->dev;
	struct gpubp_ctx *ctx;
	unsigned int i;

	guard(mutex)(&dev->lock);
	if (c->lost)
		gpubp_clocks_go_on(dev);
	for (i = 0; i < c->nr_cands; i++)
		settle_watch(c, &c->cands[i]);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (ctx->handler_failed || ctx->fenced)
			settle_unable(c, ctx);
	for (i = 0; i < c->prog.nr_ctxs; i++)
		c->ctxs[i]->prog = c->prog.ctxs[i];
	memcpy(dev->prog.slot, c->prog.slot, sizeof(dev->prog.slot));
	gpubp_slots_quarantine(dev, c->failed);
	trace_gpubp_rotate(dev->number, dev->policy.quantum, count_armed(c),
			   c->nr_cands, c->prog.changed_slots, c->to - c->from);
}

static void put_watches(struct gpubp_commit *c)
{
	unsigned int i;

	guard(mutex)(&c->dev->lock);
	for (i = 0; i < c->nr_cands; i++)
		gpubp_watch_put(c->cands[i].priv);
}

static void commit_free(struct gpubp_commit *c)
{
	put_watches(c);
	kvfree(c->cands);
	kvfree(c->ctxs);
	kvfree(c->prog.ctxs);
}

/* nothing was committed: the next run must know what this one knew */
static void remember(struct gpubp_commit *c)
{
	if (c->lost)
		WRITE_ONCE(c->dev->lost, true);
	gpubp_slots_forget(c->dev, c->forgotten);
}

/**
 * gpubp_commit() - make the hardware equal to what is wanted
 * @dev: device
 *
 * The device's worker only. May sleep. Return: when to run again.
 */
enum gpubp_rerun gpubp_commit(struct gpubp_device *dev)
{
	enum gpubp_rerun rerun = GPUBP_RERUN_NEVER;
	struct gpubp_commit c = { .dev = dev };
	int err;

	err = gpubp_program_prepare(&c);
	if (err == -ENOMEM)
		rerun = GPUBP_RERUN_NOMEM;
	if (err)
		goto not_done;
	rerun = GPUBP_RERUN_NOW;
	if (!install_handlers(&c))
		goto not_done;
	commit(&c);
	settle(&c);
	if (c.failed)
		goto out;
	rerun = gpubp_policy_rotates(&c.caps, c.cands, c.nr_cands) ?
		GPUBP_RERUN_ROTATE : GPUBP_RERUN_NEVER;
	goto out;

not_done:
	remember(&c);
out:
	commit_free(&c);
	return rerun;
}
