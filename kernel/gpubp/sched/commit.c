// SPDX-License-Identifier: GPL-2.0
/*
 * Commit: one run of a device's worker.
 *
 * Builds the table to program, passes the difference to the provider in one
 * commit, and records from when to when each watch was armed.
 */
#include <linux/bits.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>

#include "../core/core.h"
#include "../lib/policy.h"
#include "../trap/trap.h"
#include "candidate.h"
#include "coalesce.h"
#include "commit.h"
#include "old_value.h"
#include "program.h"
#include "sched.h"
#include "throttle.h"
#include "watch.h"

/* ---- the commit: no lock held, ops may sleep ----------------------------- */

static void ctx_handler_failed(struct gpubp_ctx *ctx)
{
	scoped_guard(mutex, &ctx->dev->lock)
		ctx->handler_failed = true;
	gpubp_watches_withdraw(ctx);
}

/* false: a context cannot have a handler; run the policy again without it */
static bool commit_install_handlers(struct gpubp_commit *c)
{
	bool all = true;
	unsigned int i;
	int err;

	for (i = 0; i < c->prog.nr_ctxs; i++) {
		err = c->prog.ctxs[i].watch_traps ?
		      gpubp_handler_install(c->ctxs[i]) : 0;
		if (!err)
			continue;
		if (gpubp_handler_is_busy(c->ctxs[i], err))
			c->busy = true;
		else
			ctx_handler_failed(c->ctxs[i]);
		all = false;
	}
	return all;
}

static void commit_copy_values(struct gpubp_commit *c)
{
	struct gpubp_candidate *cand;

	list_for_each_entry(cand, &c->armed, node) {
		struct gpubp_watch *w = cand->priv;
		struct gpubp_reading read;
		bool unmapped;

		if (w->slots)
			continue;
		gpubp_value_read(w->ctx, w->start, w->last, &read, 0);
		unmapped = !read.len &&
			   gpubp_value_is_unmapped(w->ctx, w->start, w->last);
		mutex_lock(&c->dev->lock);
		gpubp_watch_set_copy(w, &read);
		gpubp_watch_set_unmapped(w, unmapped);
		mutex_unlock(&c->dev->lock);
	}
}

/*
 * A result has bits for 64 contexts only. Of further contexts assume that waves
 * still run without the new traps, provided that such waves can be changed.
 */
static bool result_is_pending(struct gpubp_commit *c,
			      const struct gpubp_commit_result *res,
			      unsigned int i)
{
	if (i < 64)
		return res->pending & BIT_ULL(i);
	return c->dev->trap->enable.supported && c->prog.ctxs[i].watch_traps &&
	       (!c->ctxs[i]->prog.watch_traps ||
		(c->prog.ctxs[i].exceptions & ~c->ctxs[i]->prog.exceptions) ||
		gpubp_clock_pending(c->ctxs[i]));
}

static void commit_read_result(struct gpubp_commit *c,
			       const struct gpubp_commit_result *res)
{
	unsigned int i;

	c->drained = res->drained;
	c->to = res->drained ? ktime_get_ns() : res->window_end;
	for (i = 0; i < c->prog.nr_slots; i++)
		if (res->slot_err[i])
			c->failed |= BIT(i);
	for (i = 0; i < c->prog.nr_ctxs; i++) {
		bool pending = result_is_pending(c, res, i);

		gpubp_clock_commit_ends(c->ctxs[i], c->prog.seq,
					gpubp_trap_enable_pending(c->ctxs[i],
								  pending));
		gpubp_trap_enable_start(c->ctxs[i]);
	}
}

/* a slot compares nothing while its block is changed */
static bool cand_same_blocks(const struct gpubp_commit *c,
			     const struct gpubp_candidate *cand)
{
	const struct gpubp_watch *w = cand->priv;
	unsigned int i, slot;

	for (i = 0; i < cand->nr_blocks; i++) {
		slot = cand->slot[i];
		if (c->dev->prog.slot[slot].value != cand->block[i].value ||
		    w->ctx->prog.mask[slot] != cand->block[i].mask)
			return false;
	}
	return true;
}

static bool cand_is_unchanged(const struct gpubp_commit *c,
			      const struct gpubp_candidate *cand)
{
	const struct gpubp_watch *w = cand->priv;

	return !c->lost && !(w->slots & c->forgotten) &&
	       cand->slots == w->slots && cand_same_blocks(c, cand);
}

static bool cand_is_wide(const struct gpubp_candidate *cand)
{
	return gpubp_coalesce_is_wide(cand->priv, cand->block, cand->nr_blocks);
}

/*
 * A watch that changes slots is disarmed during the move. The outgoing watches
 * count as armed until the commit is over, the incoming ones from then on: what
 * the GPU stores during the commit meets old comparators or waits for new ones.
 * If the time of commits were charged to no watch, shares would sum to less
 * than 1 and perf would over-scale the counts.
 */
static void account_old(struct gpubp_commit *c)
{
	struct gpubp_candidate *cand;
	struct gpubp_watch *w;

	list_for_each_entry(cand, &c->armed, node) {
		w = cand->priv;
		if (w->slots && !cand_is_unchanged(c, cand))
			gpubp_watch_account(w, false);
		if (cand_is_wide(cand))
			gpubp_watch_set_wide(w, true, 0);
		gpubp_watch_set_next_slots(w, cand->slots);
	}
}

static unsigned long commit_changed_slots(const struct gpubp_commit *c)
{
	return c->prog.changed_slots | c->forgotten;
}

static void commit_begin(struct gpubp_commit *c)
{
	unsigned long slots = commit_changed_slots(c);
	struct gpubp_device *dev = c->dev;
	unsigned int s;

	guard(mutex)(&dev->lock);
	account_old(c);
	c->from = ktime_get_ns();
	c->to = c->from;
	dev->sched->commit_from = c->from;
	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS)
		gpubp_slot_change_begin(&dev->sched->changes[s], c->from);
}

/*
 * A watch that shares a programmed slot changes no register: then skip the
 * provider, unless it has to wait for waves that are in the handler.
 */
static void commit_apply(struct gpubp_commit *c)
{
	struct gpubp_device *dev = c->dev;
	struct gpubp_commit_result res = {};
	u64 began = ktime_get_ns();

	commit_copy_values(c);
	commit_begin(c);
	if (!c->prog.nr_ctxs && !c->prog.changed_slots && !c->barrier)
		return;
	c->committed = true;
	c->prog.seq = ++dev->prog.seq;
	dev->ops.commit(dev->priv, &c->prog, &res);
	c->cost += ktime_get_ns() - began;
	commit_read_result(c, &res);
	WRITE_ONCE(dev->poll_until, c->to);
	gpubp_poll_start(dev);
}

/* ---- after the commit ---------------------------------------------------- */

/* a watch removed during the commit was traced by gpubp_watch_free_unused() */
static void watch_trace_slots(struct gpubp_watch *w, u32 slots)
{
	struct gpubp_device *dev = w->ctx->dev;

	if (!gpubp_watch_is_wanted(w))
		return;
	if (slots)
		trace_gpubp_arm(dev->number, w->ctx->id, w->id, w->start,
				w->last, slots);
	else
		trace_gpubp_disarm(dev->number, w->ctx->id, w->id, w->start,
				   w->last, w->slots);
}

static void finish_watch(struct gpubp_commit *c, struct gpubp_watch *w,
			 u32 slots, bool wide)
{
	gpubp_watch_set_wide(w, wide, c->to);
	/*
	 * A throttled watch counts as armed: perf must not scale up for
	 * the hits that are dropped on purpose.
	 */
	gpubp_watch_account(w, slots || gpubp_watch_is_throttled(w));
	if (slots != w->slots)
		watch_trace_slots(w, slots);
	gpubp_watch_set_slots(w, slots, c->from, c->to);
	gpubp_watch_age(w, c->dev->sched->resolved);
	gpubp_watch_update_list(w);
}

static void finish_cand(struct gpubp_commit *c,
			const struct gpubp_candidate *cand)
{
	if (!(cand->slots & c->failed)) {
		finish_watch(c, cand->priv, cand->slots, cand_is_wide(cand));
		return;
	}
	finish_watch(c, cand->priv, 0, false);
	c->nr_armed--;
}

/*
 * First the watches that were armed or are new, then those that are armed now.
 */
static void finish_watches(struct gpubp_commit *c)
{
	struct gpubp_watch *w, *tmp;
	struct gpubp_candidate *cand;
	LIST_HEAD(old);

	list_splice_init(&c->dev->armed, &old);
	list_splice_init(&c->fresh, &old);
	list_for_each_entry(cand, &c->armed, node) {
		w = cand->priv;
		list_del_init(&w->node);
	}
	list_for_each_entry_safe(w, tmp, &old, node)
		finish_watch(c, w, 0, false);
	list_for_each_entry(cand, &c->armed, node)
		finish_cand(c, cand);
}

/* the hits reported until an earlier commit may be resolved by now */
static void commit_note_resolved(struct gpubp_commit *c)
{
	struct gpubp_dev_sched *sched = c->dev->sched;

	if (!gpubp_hits_passed(c->dev, sched->hits_mark))
		return;
	sched->resolved = sched->marked_at;
	sched->hits_mark = gpubp_hits_mark(c->dev);
	sched->marked_at = c->from;
}

static void commit_finish(struct gpubp_commit *c)
{
	unsigned long slots = commit_changed_slots(c);
	struct gpubp_device *dev = c->dev;
	unsigned int i;

	guard(mutex)(&dev->lock);
	if (c->lost)
		gpubp_clocks_resume(dev);
	commit_note_resolved(c);
	finish_watches(c);
	for_each_set_bit(i, &slots, GPUBP_MAX_SLOTS)
		gpubp_slot_change_end(&dev->sched->changes[i], c->to);
	for (i = 0; i < c->prog.nr_ctxs; i++) {
		c->ctxs[i]->prog = c->prog.ctxs[i];
		gpubp_ranges_programmed(c->ctxs[i]);
	}
	gpubp_throttle_programmed(dev, c->prog.changed_slots, c->from);
	memcpy(dev->prog.slot, c->prog.slot, sizeof(dev->prog.slot));
	gpubp_slots_quarantine(dev, c->failed);
	/*
	 * Last: a reader that sees the new number sees the times of all
	 * watches.
	 */
	if (c->prog.seq)
		atomic64_inc(&dev->nr_commits);
	trace_gpubp_rotate(dev->number, dev->sched->policy.fairq.quantum,
			   c->nr_armed, c->nr_wanted, c->prog.changed_slots,
			   c->to - c->from);
}

static void commit_begin_later(struct gpubp_commit *c, u64 ns)
{
	kthread_mod_delayed_work(c->dev->requests.worker, &c->dev->sched->again,
				 nsecs_to_jiffies(min(ns, NSEC_PER_SEC)) + 1);
}

/*
 * What the handler does with hits is of the new program: not while a hit of the
 * old one may be in flight, but after that.
 */
static void commit_begin_handlers(struct gpubp_commit *c)
{
	struct gpubp_dev_sched *sched = c->dev->sched;
	u64 now = ktime_get_ns();

	if (!sched->counting.chosen && !sched->counting.nr &&
	    !sched->filtering.chosen && !sched->recording.chosen &&
	    !sched->recording.undrained)
		return;
	if (now < sched->hits_until) {
		commit_begin_later(c, sched->hits_until - now);
		return;
	}
	gpubp_handler_filters_begin(c);
	gpubp_handler_counts_begin(c);
	gpubp_records_begin(c);
	if (c->busy && gpubp_handlers_begin_again(c->dev))
		commit_begin_later(c, GPUBP_HANDLER_RETRY_NS);
	else if (c->unsettled)
		commit_begin_later(c, sched->window);
}

static void commit_update_handlers(struct gpubp_commit *c)
{
	struct gpubp_dev_sched *sched = c->dev->sched;

	if (c->committed) {
		sched->hits_until = c->drained ? 0 : c->to;
		sched->window = c->drained ? 0 : c->to - c->from;
	}
	sched->handlers.programmed = !c->failed;
	commit_begin_handlers(c);
}

/**
 * gpubp_commit_begin_again() - begin what could not begin when it was programmed
 * @dev: device
 *
 * No watch has a turn for that. The committer's thread only; may sleep.
 */
void gpubp_commit_begin_again(struct gpubp_device *dev)
{
	struct gpubp_commit c = { .dev = dev };

	/* what was chosen since is not in hardware, or not all of it: a run is due */
	if (!dev->sched->handlers.programmed)
		return;
	if (dev->sched->hits_until != U64_MAX) {
		commit_begin_handlers(&c);
		return;
	}
	/* waves did not leave the handler in the last commit: maybe in another one */
	dev->sched->barrier = true;
	gpubp_request(dev);
}

/* ---- breaks -------------------------------------------------------------- */

static void commit_remove_breaks(struct gpubp_commit *c)
{
	u64 began = ktime_get_ns();

	if (!c->dev->can_trap)
		return;
	c->rotates |= !gpubp_breaks_remove(c->dev);
	c->breaks_cost = ktime_get_ns() - began;
}

static void commit_insert_breaks(struct gpubp_commit *c)
{
	u64 began = ktime_get_ns();

	if (!c->dev->can_trap && !c->dev->desc.caps.exceptions)
		return;
	c->rotates |= !gpubp_breaks_insert(c->dev, c->lost);
	c->breaks_cost += ktime_get_ns() - began;
}

static void commit_free(struct gpubp_commit *c)
{
	mutex_lock(&c->dev->lock);
	gpubp_candidates_put(c);
	mutex_unlock(&c->dev->lock);
	kvfree(c->ctxs);
	kvfree(c->prog.ctxs);
}

/* nothing was committed: keep what the next run must know */
static void commit_abort(struct gpubp_commit *c)
{
	struct gpubp_device *dev = c->dev;

	if (c->lost)
		WRITE_ONCE(dev->lost, true);
	dev->sched->barrier |= c->barrier;
	gpubp_slots_forget(dev, c->forgotten);
	guard(mutex)(&dev->lock);
	list_splice_init(&c->fresh, &dev->fresh);
}

/**
 * gpubp_commit() - program the hardware as the events require
 * @dev: device
 * @cost: time that the choice of watches, the provider and the changes of
 *	breaks took, ns
 *
 * The device's worker only; may sleep. Return: when to run again.
 */
enum gpubp_rerun gpubp_commit(struct gpubp_device *dev, u64 *cost)
{
	enum gpubp_rerun rerun = GPUBP_RERUN_NEVER;
	struct gpubp_commit c = {
		.dev = dev,
		.pinned = LIST_HEAD_INIT(c.pinned),
		.armed = LIST_HEAD_INIT(c.armed),
		.fresh = LIST_HEAD_INIT(c.fresh),
		.barrier = xchg(&dev->sched->barrier, false),
	};
	u64 began;
	int err;

	gpubp_slots_acquire(dev);
	began = ktime_get_ns();
	err = gpubp_program_prepare(&c);
	c.cost = ktime_get_ns() - began;
	if (err == -ENOMEM)
		rerun = GPUBP_RERUN_NOMEM;
	if (err == -EAGAIN)
		rerun = GPUBP_RERUN_NOW;
	if (err)
		goto not_done;
	gpubp_handlers_chosen(dev);
	rerun = GPUBP_RERUN_NOW;
	if (!commit_install_handlers(&c))
		goto not_done;
	c.rotates |= !gpubp_handlers_update(dev);
	gpubp_handler_counts_end(&c);
	gpubp_records_end(&c);
	gpubp_handler_filters_end(&c);
	if (c.unreachable)
		ctx_handler_failed(c.unreachable);
	if (c.unreachable || c.busy)
		goto not_done;
	commit_remove_breaks(&c);
	commit_apply(&c);
	gpubp_records_ended(&c);
	commit_finish(&c);
	gpubp_records_take(&c);
	if (c.idle)
		gpubp_slots_release(dev);
	commit_update_handlers(&c);
	commit_insert_breaks(&c);
	if (c.failed)
		goto out;
	rerun = c.rotates ? GPUBP_RERUN_ROTATE : GPUBP_RERUN_NEVER;
	goto out;

not_done:
	if (c.busy)
		rerun = GPUBP_RERUN_BUSY;
	commit_abort(&c);
out:
	*cost = c.cost + c.breaks_cost;
	commit_free(&c);
	return rerun;
}
