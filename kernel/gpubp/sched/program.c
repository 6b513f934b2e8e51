// SPDX-License-Identifier: GPL-2.0
/*
 * Program: from wanted watches and traps to the table for the hardware.
 *
 * The first half of a run, under the device lock: choose what to arm, and find
 * what differs from the table that is programmed.
 */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../core/core.h"
#include "../lib/placement.h"
#include "../trap/trap.h"
#include "candidate.h"
#include "commit.h"
#include "program.h"
#include "sched.h"
#include "throttle.h"
#include "watch.h"

/* ---- table to program ---------------------------------------------------- */

static void ctx_program_block(struct gpubp_commit *c, struct gpubp_ctx *ctx,
			      const struct gpubp_candidate *cand, int i)
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

static void program_cand(struct gpubp_commit *c,
			 const struct gpubp_candidate *cand)
{
	struct gpubp_watch *w = cand->priv;
	int i;

	gpubp_handler_filter_choose(w->ctx, cand);
	gpubp_handler_counts_choose(w->ctx, cand);
	gpubp_records_choose(w->ctx, cand);
	for (i = 0; i < cand->nr_blocks; i++)
		ctx_program_block(c, w->ctx, cand, i);
}

static void ctx_reset_next(struct gpubp_ctx *ctx)
{
	memset(&ctx->next, 0, sizeof(ctx->next));
	memset(ctx->sched->counts.next, 0, sizeof(ctx->sched->counts.next));
	gpubp_handler_filters_reset(ctx);
	gpubp_records_reset(ctx);
	ctx->next.ctx = ctx->priv;
}

/*
 * Waves take the trap enables at launch: keep them on while anything is wanted.
 */
static void ctx_program_traps(struct gpubp_ctx *ctx)
{
	bool able = !ctx->handler_failed && !ctx->fenced;
	bool watched = able && !RB_EMPTY_ROOT(&ctx->watches.rb_root);
	u32 exceptions = able ? gpubp_exceptions_wanted(ctx) : 0;

	ctx->next.watch_traps = watched ||
		(able && (ctx->stepped || gpubp_traps_wanted(ctx)));
	ctx->next.exceptions = exceptions;
	/*
	 * Precise memory also makes a violation the last access before the pc.
	 */
	ctx->next.precise = ctx->dev->desc.caps.precise &&
			    (watched || (exceptions & GPUBP_EXC_MEM_VIOL));
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

static u32 slot_changes(const struct gpubp_commit *c)
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

/* contexts that may be created during alloc_ctxs() */
#define SPARE_CTXS	8

/*
 * Before the policy serves entries: a failure must not cost a watch its
 * quantum. No lock is held.
 */
static int alloc_ctxs(struct gpubp_commit *c)
{
	unsigned int n;

	scoped_guard(mutex, &c->dev->lock)
		n = count_ctxs(c->dev);
	n += SPARE_CTXS;
	c->ctxs = kvcalloc(n, sizeof(*c->ctxs), GFP_KERNEL);
	c->prog.ctxs = kvcalloc(n, sizeof(*c->prog.ctxs), GFP_KERNEL);
	c->max_ctxs = n;
	return c->ctxs && c->prog.ctxs ? 0 : -ENOMEM;
}

static void list_changed_ctxs(struct gpubp_commit *c)
{
	struct gpubp_device *dev = c->dev;
	struct gpubp_ctx *ctx;

	list_for_each_entry(ctx, &dev->ctxs, node) {
		if (ctx->dead)
			continue;
		gpubp_handler_choose(ctx, ctx->next.exceptions);
		if (!ctx_differs(ctx)) {
			gpubp_trap_enable_retry(ctx);
			continue;
		}
		c->prog.changed_slots |= ctx_changes(ctx);
		c->ctxs[c->prog.nr_ctxs] = ctx;
		c->prog.ctxs[c->prog.nr_ctxs++] = ctx->next;
	}
}

static void build_program(struct gpubp_commit *c)
{
	struct gpubp_candidate *cand;
	struct gpubp_ctx *ctx;

	c->prog.nr_slots = c->dev->desc.caps.nr_slots;
	list_for_each_entry(ctx, &c->dev->ctxs, node)
		ctx_reset_next(ctx);
	list_for_each_entry(cand, &c->armed, node)
		program_cand(c, cand);
	list_for_each_entry(ctx, &c->dev->ctxs, node) {
		gpubp_handler_filters_chosen(ctx);
		gpubp_records_chosen(ctx);
		gpubp_ranges_choose(ctx);
		ctx_program_traps(ctx);
	}
	c->prog.changed_slots = slot_changes(c);
	list_changed_ctxs(c);
}

static void program_forget_all(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;

	memset(dev->prog.slot, 0, sizeof(dev->prog.slot));
	list_for_each_entry(ctx, &dev->ctxs, node)
		memset(&ctx->prog, 0, sizeof(ctx->prog));
}

static void program_forget_slot(struct gpubp_device *dev, unsigned int slot)
{
	struct gpubp_ctx *ctx;

	dev->prog.slot[slot] = (struct gpubp_slot_prog) {};
	list_for_each_entry(ctx, &dev->ctxs, node) {
		ctx->prog.valid &= ~BIT(slot);
		ctx->prog.mask[slot] = 0;
		ctx->prog.mode[slot] = 0;
	}
}

static void program_forget_lost(struct gpubp_commit *c)
{
	struct gpubp_device *dev = c->dev;
	unsigned long slots;
	unsigned int s;

	c->lost = xchg(&dev->lost, false);
	c->forgotten = gpubp_slots_forgotten(dev);
	slots = c->forgotten;
	if (c->lost)
		program_forget_all(dev);
	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS)
		program_forget_slot(dev, s);
}

/**
 * gpubp_program_prepare() - choose what to arm, and build the table for it
 * @c: commit of which only the device is set
 *
 * Takes the device lock. Return: 0, -ENOMEM, -EAGAIN if slots must be acquired
 * first, or -ESHUTDOWN if no op may be called now. In each case the caller must
 * put the candidates, and on failure return the watches in c->fresh to the
 * device.
 */
int gpubp_program_prepare(struct gpubp_commit *c)
{
	struct gpubp_device *dev = c->dev;
	int err = alloc_ctxs(c);

	if (err)
		return err;
	guard(mutex)(&dev->lock);
	if (dev->requests.stopped || dev->suspended)
		return -ESHUTDOWN;
	/* the first watch came since the run looked for one */
	if (dev->nr_watches && !gpubp_slots_are_acquired(dev))
		return -EAGAIN;
	c->idle = !dev->nr_watches;
	program_forget_lost(c);
	gpubp_throttle_choose(dev);
	list_splice_tail_init(&dev->fresh, &c->fresh);
	/* more contexts than spare ones came since: the next run has all */
	if (count_ctxs(dev) > c->max_ctxs)
		return -ENOMEM;
	err = gpubp_candidates_choose(c);
	if (err)
		return err;
	c->rotates |= gpubp_breaks_choose(dev);
	build_program(c);
	return 0;
}
