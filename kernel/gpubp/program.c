// SPDX-License-Identifier: GPL-2.0
/*
 * Program: from what is wanted to the table that the hardware shall compare.
 *
 * The first half of a run, under the device lock: whose turn it is, and what
 * of the table that makes different.
 */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "bind.h"
#include "commit.h"
#include "compat/perf.h"
#include "context.h"
#include "cover.h"
#include "device.h"
#include "event.h"
#include "policy.h"
#include "program.h"
#include "slots.h"
#include "watch.h"

/* ---- what is wanted ------------------------------------------------------ */

/* a watch of several groups has its turns with one of them */
static u64 group_of(const struct gpubp_watch *w)
{
	struct gpubp_binding *b;
	u64 group = 0;

	guard(rcu)();
	list_for_each_entry(b, &w->bindings, watch_node) {
		group = gpubp_perf_group(b->event->event);
		if (group)
			break;
	}
	return group;
}

static void add_cand(struct gpubp_commit *c, struct gpubp_watch *w)
{
	u32 modes = c->dev->desc.caps.modes;
	struct gpubp_cand *cand = &c->cands[c->nr_cands++];

	w->refs++;
	*cand = (struct gpubp_cand) {
		.id = w->id,
		.ctx = w->ctx->id,
		.group = group_of(w),
		.mode = gpubp_mode_for(w->access, modes),
		.pinned = w->pinned,
		.nr_blocks = w->nr_blocks,
		.last_armed = w->last_armed,
		.slots = w->slots,
		.priv = w,
	};
	gpubp_watch_cover(w, cand->block);
}

static void add_cands(struct gpubp_commit *c, struct list_head *turns)
{
	struct gpubp_watch *w;

	list_for_each_entry(w, turns, turn)
		if (!w->ctx->dead && !w->ctx->fenced &&
		    !w->ctx->handler_failed)
			add_cand(c, w);
}

/* in order of their turn, so that the policy need not sort them */
static int collect(struct gpubp_commit *c)
{
	struct gpubp_device *dev = c->dev;

	lockdep_assert_held(&dev->lock);
	c->cands = kvmalloc_array(dev->nr_watches, sizeof(*c->cands),
				  GFP_KERNEL | __GFP_NOWARN);
	if (!c->cands && dev->nr_watches)
		return -ENOMEM;
	add_cands(c, &dev->fresh);
	add_cands(c, &dev->turns);
	return 0;
}

/* what the policy must know of a device */
static struct gpubp_policy_caps policy_caps(struct gpubp_device *dev)
{
	return (struct gpubp_policy_caps) {
		.usable = gpubp_slots_usable(dev),
		.modes = dev->desc.caps.modes,
		.cntl_banked = dev->desc.caps.cntl_banked,
	};
}

/*
 * When pinned watches leave one slot, a watch of two blocks would never have
 * its turn: one block covers it with more strays.
 */
static void narrow_covers(struct gpubp_commit *c)
{
	struct gpubp_cover_caps cover = gpubp_device_cover(c->dev);
	unsigned int i;

	if (gpubp_policy_flexible_slots(&c->caps, c->cands, c->nr_cands) > 1)
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

/* the same promise, kept already in an older context of the process */
static bool is_copy(const struct gpubp_watch *w, const struct gpubp_watch *old)
{
	return old->pinned && old->ctx->id < w->ctx->id &&
	       old->ctx->pid == w->ctx->pid && old->start == w->start &&
	       old->last == w->last && old->access == w->access;
}

/*
 * A comparator whose control word has a VMID in it serves one context. For a
 * pinned watch one cover was promised: in its process's other contexts it takes
 * turns, or what was never promised would leave nothing to others.
 */
static void unpin_copies(struct gpubp_commit *c)
{
	unsigned int i, j;

	if (c->dev->desc.caps.cntl_banked)
		return;
	for (i = 0; i < c->nr_cands; i++)
		for (j = 0; c->cands[i].pinned && j < c->nr_cands; j++)
			if (is_copy(c->cands[i].priv, c->cands[j].priv))
				c->cands[i].pinned = false;
}

static void ask_policy(struct gpubp_commit *c)
{
	unsigned int i;

	c->caps = policy_caps(c->dev);
	unpin_copies(c);
	narrow_covers(c);
	gpubp_policy_next(&c->dev->policy, &c->caps, c->cands, c->nr_cands);
	for (i = 0; i < c->nr_cands; i++) {
		struct gpubp_watch *w = c->cands[i].priv;

		w->last_armed = c->cands[i].last_armed;
		if (c->cands[i].armed)
			list_move_tail(&w->turn, &c->dev->turns);
	}
}

/* ---- the desired table --------------------------------------------------- */

static void program_block(struct gpubp_commit *c, struct gpubp_ctx *ctx,
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
	bool watched = !ctx->handler_failed && !ctx->fenced &&
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

static int list_changed_ctxs(struct gpubp_commit *c)
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

static int build_program(struct gpubp_commit *c)
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

static void forget_slot(struct gpubp_device *dev, unsigned int slot)
{
	struct gpubp_ctx *ctx;

	dev->prog.slot[slot] = (struct gpubp_slot_prog) {};
	list_for_each_entry(ctx, &dev->ctxs, node) {
		ctx->prog.valid &= ~BIT(slot);
		ctx->prog.mask[slot] = 0;
		ctx->prog.mode[slot] = 0;
	}
}

static void forget(struct gpubp_commit *c)
{
	struct gpubp_device *dev = c->dev;
	unsigned long slots;
	unsigned int s;

	c->lost = xchg(&dev->lost, false);
	c->forgotten = gpubp_slots_forgotten(dev);
	slots = c->forgotten;
	if (c->lost)
		forget_hardware(dev);
	for_each_set_bit(s, &slots, GPUBP_MAX_SLOTS)
		forget_slot(dev, s);
}

/**
 * gpubp_program_prepare() - what is wanted, and the table for it
 * @c: commit of which only the device is known
 *
 * Takes the device lock. Return: 0, -ENOMEM, or -ESHUTDOWN if no op may be
 * called now. In each case the candidates are to be put.
 */
int gpubp_program_prepare(struct gpubp_commit *c)
{
	struct gpubp_device *dev = c->dev;
	int err;

	guard(mutex)(&dev->lock);
	if (dev->stopped || dev->suspended)
		return -ESHUTDOWN;
	forget(c);
	err = collect(c);
	if (err)
		return err;
	ask_policy(c);
	return build_program(c);
}
