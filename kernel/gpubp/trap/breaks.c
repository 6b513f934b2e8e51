// SPDX-License-Identifier: GPL-2.0
/*
 * Breaks: in and out, in one run of a device's worker. What is not to be armed any
 * more is taken out before a commit, which may end the traps of its context; what is
 * to be armed is put in behind it, when all waves of its context trap.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/gpubp.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "../core/core.h"
#include "break_sched.h"
#include "code.h"
#include "insn_map.h"
#include "patch.h"
#include "precise.h"
#include "trap.h"
#include "trap_point.h"
#include "xol.h"

/* commits: the device may be busy or forget what it was told */
#define UNMAP_TRIES	8

static bool ctx_has_breaks(const struct gpubp_ctx *ctx)
{
	return !ctx->dead && (gpubp_traps_wanted(ctx) ||
			      gpubp_precise_any(ctx));
}

/* a wave that does not trap would die of a break */
static bool ctx_waves_trap(const struct gpubp_ctx *ctx)
{
	return gpubp_ctx_serves(ctx) && !gpubp_trap_enable_no_handler(ctx);
}

/*
 * Contexts one by one, as ops are called without the lock: those whose id is @from
 * or above. One that goes waits for the run to be over.
 */
static struct gpubp_ctx *breaks_next_ctx(struct gpubp_device *dev, u32 from)
{
	struct gpubp_ctx *ctx;

	guard(mutex)(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node) {
		if (ctx->id < from ||
		    ctx->trap->traps.walk == dev->trap->walks ||
		    !ctx_has_breaks(ctx))
			continue;
		ctx->trap->traps.walk = dev->trap->walks;
		return ctx;
	}
	return NULL;
}

/* ---- who ----------------------------------------------------------------- */

/* what was refused may be all right since something changed */
static void breaks_clear_errors(struct gpubp_ctx *ctx)
{
	struct gpubp_trap *trap;

	list_for_each_entry(trap, &ctx->trap->traps.traps, node)
		if (trap->err && trap->tried != ctx->trap->traps.changes)
			trap->err = 0;
}

static bool patch_keeps_trap(const struct gpubp_patch *patch)
{
	return patch->trap && patch->trap->chosen;
}

static bool patch_keeps_point(const struct gpubp_patch *patch)
{
	return patch->point && patch->point->chosen;
}

/* who stays keeps what the other one leaves */
static void patch_mark_removal(struct gpubp_patch *patch)
{
	bool trap = patch_keeps_trap(patch), point = patch_keeps_point(patch);

	patch->removing = !trap && !point;
	if (trap && !point)
		gpubp_patch_clear_precise(patch);
	if (point && !trap)
		gpubp_patch_clear_trap(patch);
}

static void patches_mark_removal(struct gpubp_ctx *ctx)
{
	struct gpubp_patch *patch;

	list_for_each_entry(patch, &ctx->trap->traps.patches, node)
		patch_mark_removal(patch);
}

static bool breaks_choose_ctx(struct gpubp_ctx *ctx)
{
	unsigned int nr_slots = ctx_waves_trap(ctx) ? gpubp_xol_slots(ctx) : 0;
	bool rotates;

	breaks_clear_errors(ctx);
	rotates = gpubp_break_sched_choose(ctx, nr_slots);
	gpubp_precise_choose(ctx, nr_slots);
	patches_mark_removal(ctx);
	return rotates;
}

/**
 * gpubp_breaks_choose() - whose breaks are in memory in the next quantum
 * @dev: device; its lock is held
 *
 * The committer only. Return: whether another quantum may be different.
 */
bool gpubp_breaks_choose(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;
	bool rotates = false;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (ctx_has_breaks(ctx))
			rotates |= breaks_choose_ctx(ctx);
	return rotates;
}

/* ---- out ----------------------------------------------------------------- */

static void breaks_trace_disarm(const struct gpubp_ctx *ctx,
				const struct gpubp_patch *patch)
{
	u64 id = patch->trap ? patch->trap->id : 0;

	trace_gpubp_disarm(ctx->dev->number, ctx->id, id, patch->pc,
			   patch->pc + patch->insn.len - 1, 0);
}

/* false: to be tried again */
static bool breaks_remove_patch(struct gpubp_ctx *ctx,
				struct gpubp_patch *patch)
{
	if (gpubp_patch_uninstall(ctx, patch)) {
		gpubp_patch_abandon(ctx, patch);
		return false;
	}
	guard(mutex)(&ctx->dev->lock);
	breaks_trace_disarm(ctx, patch);
	gpubp_patch_retire(ctx, patch);
	return true;
}

/* NULL: nobody's */
static u64 *patch_checked(const struct gpubp_patch *patch)
{
	if (patch->trap)
		return &patch->trap->checked;
	return patch->point ? &patch->point->checked : NULL;
}

/* @changes: up to which it will have been looked at */
static bool patch_needs_check(struct gpubp_ctx *ctx,
			      const struct gpubp_patch *patch, u64 *changes)
{
	const u64 *checked;

	guard(mutex)(&ctx->dev->lock);
	*changes = ctx->trap->traps.changes;
	checked = patch_checked(patch);
	return checked && *checked != *changes;
}

/* where code came or went there may be other code by now, or none */
static bool patch_needs_removal(struct gpubp_ctx *ctx,
				const struct gpubp_patch *patch)
{
	u64 changes, *checked;
	int err;

	if (READ_ONCE(patch->removing))
		return true;
	if (!patch_needs_check(ctx, patch, &changes))
		return false;
	err = gpubp_patch_is_valid(ctx, patch);
	if (err == -EAGAIN)
		gpubp_request_ctx(ctx);
	if (err)
		return err != -EAGAIN;
	guard(mutex)(&ctx->dev->lock);
	checked = patch_checked(patch);
	if (checked)
		*checked = changes;
	return false;
}

/* waves that ended in the buffers of what is forgotten have given nothing back */
static bool breaks_expire_patches(struct gpubp_ctx *ctx)
{
	bool all;

	scoped_guard(mutex, &ctx->dev->lock) {
		if (list_empty(&ctx->trap->traps.retired))
			return true;
		all = gpubp_patches_expire(ctx);
	}
	gpubp_xol_reclaim(ctx);
	return all;
}

static bool breaks_remove_ctx(struct gpubp_ctx *ctx)
{
	struct gpubp_patch *patch, *tmp;
	bool all = true;

	list_for_each_entry_safe(patch, tmp, &ctx->trap->traps.patches, node)
		if (patch_needs_removal(ctx, patch))
			all &= breaks_remove_patch(ctx, patch);
	return breaks_expire_patches(ctx) && all;
}

/**
 * gpubp_breaks_remove() - take out what is not to be armed any more
 * @dev: device; no lock is held
 *
 * The committer only; may sleep. Return: false, something is to be tried again.
 */
bool gpubp_breaks_remove(struct gpubp_device *dev)
{
	struct gpubp_ctx *ctx;
	bool all = true;

	dev->trap->walks++;
	while ((ctx = breaks_next_ctx(dev, 0)))
		all &= breaks_remove_ctx(ctx);
	return all;
}

/* ---- in ------------------------------------------------------------------ */

/**
 * struct pending_break - a break on its way in
 * @id: of the trap, which may go at any time
 * @pc: where
 * @checked: an instruction is known to begin there
 * @changes: gpubp_trap_ctx.changes when it was looked at
 * @budget: bytes of code that may still be decoded in this run
 * @insn: the instruction
 * @code: its bytes
 */
struct pending_break {
	u64 id;
	u64 pc;
	bool checked;
	u64 changes;
	s64 *budget;
	struct gpubp_insn insn;
	u8 code[GPUBP_MAX_INSN];
};

static bool break_is_pending(const struct gpubp_trap *trap, u64 after)
{
	return trap->kind == GPUBP_KIND_BREAK && trap->chosen &&
	       !trap->patch && !trap->err && trap->id > after;
}

/* the first of them whose id is above @a->id; ids only grow */
static bool breaks_next_pending(struct gpubp_ctx *ctx, struct pending_break *a)
{
	struct gpubp_trap *trap;

	guard(mutex)(&ctx->dev->lock);
	list_for_each_entry(trap, &ctx->trap->traps.traps, node) {
		if (!break_is_pending(trap, a->id))
			continue;
		a->id = trap->id;
		a->pc = trap->key;
		a->changes = ctx->trap->traps.changes;
		a->checked = trap->checked == a->changes;
		return true;
	}
	return false;
}

static struct gpubp_trap *pending_break_trap(struct gpubp_ctx *ctx,
					     const struct pending_break *a)
{
	struct gpubp_trap *trap;

	trap = gpubp_trap_find(ctx, GPUBP_KIND_BREAK, a->pc);
	return trap && trap->id == a->id ? trap : NULL;
}

/* the kernel has a break there: 1; 0: it has none; or -EBUSY */
static int breaks_join_patch(struct gpubp_ctx *ctx,
			     const struct pending_break *a)
{
	struct gpubp_patch *patch;
	struct gpubp_trap *trap;
	int err;

	guard(mutex)(&ctx->dev->lock);
	if (!gpubp_patch_is_at(ctx, a->pc))
		return 0;
	patch = gpubp_patch_find(ctx, a->pc, U64_MAX);
	trap = pending_break_trap(ctx, a);
	if (!patch || !patch->point || !trap)
		return -EBUSY;
	err = gpubp_patch_get_buf(ctx, patch, GPUBP_XOL_BREAK);
	if (err)
		return err;
	gpubp_patch_set_trap(patch, trap);
	trap->checked = patch->point->checked;
	return 1;
}

/* -EBUSY: no buffer is free now, or nobody wants it any more */
static int breaks_link_patch(struct gpubp_ctx *ctx,
			     const struct pending_break *a,
			     struct gpubp_patch *patch)
{
	struct gpubp_trap *trap;
	int err;

	guard(mutex)(&ctx->dev->lock);
	trap = pending_break_trap(ctx, a);
	if (!trap || gpubp_patch_is_at(ctx, a->pc))
		return -EBUSY;
	trap->checked = a->changes;
	err = gpubp_patch_get_buf(ctx, patch, GPUBP_XOL_BREAK);
	if (err)
		return err;
	gpubp_patch_set_trap(patch, trap);
	gpubp_patch_add(ctx, patch);
	return 0;
}

static struct gpubp_patch *breaks_alloc_patch(struct gpubp_ctx *ctx,
					      const struct pending_break *a)
{
	struct gpubp_patch *patch = kzalloc(sizeof(*patch), GFP_KERNEL);
	int err;

	if (!patch)
		return ERR_PTR(-ENOMEM);
	patch->pc = a->pc;
	patch->insn = a->insn;
	memcpy(patch->orig, a->code, sizeof(patch->orig));
	err = breaks_link_patch(ctx, a, patch);
	if (!err)
		return patch;
	kfree(patch);
	return ERR_PTR(err);
}

static int breaks_arm_new(struct gpubp_ctx *ctx, struct pending_break *a)
{
	struct gpubp_patch *patch;
	int err;

	err = gpubp_patch_check(ctx, a->pc, a->checked ? NULL : a->budget,
				a->code, &a->insn);
	if (err)
		return err;
	patch = breaks_alloc_patch(ctx, a);
	if (IS_ERR(patch))
		return PTR_ERR(patch);
	err = gpubp_patch_install(ctx, patch);
	if (!err)
		trace_gpubp_arm(ctx->dev->number, ctx->id, a->id, a->pc,
				a->pc + a->insn.len - 1, 0);
	return err;
}

static int breaks_arm(struct gpubp_ctx *ctx, struct pending_break *a)
{
	int joined = breaks_join_patch(ctx, a);

	return joined ? min(joined, 0) : breaks_arm_new(ctx, a);
}

static void breaks_refuse(struct gpubp_ctx *ctx, const struct pending_break *a,
			  int err)
{
	struct gpubp_trap *trap;

	guard(mutex)(&ctx->dev->lock);
	trap = pending_break_trap(ctx, a);
	if (!trap)
		return;
	trap->err = err;
	trap->tried = a->changes;
	trap->chosen = false;
}

/* false: somebody is to be tried again */
static bool breaks_arm_pending(struct gpubp_ctx *ctx, s64 *budget)
{
	struct pending_break a = { .budget = budget };
	bool all = true;
	int err;

	while (breaks_next_pending(ctx, &a)) {
		err = breaks_arm(ctx, &a);
		if (gpubp_patch_may_retry(err))
			all = false;
		else if (err)
			breaks_refuse(ctx, &a, err);
	}
	return all;
}

static bool ctx_may_keep_breaks(struct gpubp_ctx *ctx)
{
	guard(mutex)(&ctx->dev->lock);
	return ctx_waves_trap(ctx);
}

/*
 * What neither is there any more nor what it replaced is nobody's. What was
 * launched between the reset and the commit would die of a break.
 */
static void breaks_restore_lost(struct gpubp_ctx *ctx)
{
	struct gpubp_patch *patch, *tmp;
	bool stay = !gpubp_xol_rewrite(ctx) && ctx_may_keep_breaks(ctx);

	scoped_guard(mutex, &ctx->dev->lock)
		gpubp_pending_accesses_drop_all(ctx);
	list_for_each_entry_safe(patch, tmp, &ctx->trap->traps.patches, node)
		if (!stay || gpubp_patch_reinstall(ctx, patch))
			breaks_remove_patch(ctx, patch);
}

static bool ctx_may_insert_breaks(struct gpubp_ctx *ctx)
{
	guard(mutex)(&ctx->dev->lock);
	return ctx_waves_trap(ctx) && (ctx->trap->traps.nr[GPUBP_KIND_BREAK] ||
				       ctx->trap->precise.nr);
}

static bool ctx_has_abandoned(struct gpubp_ctx *ctx)
{
	const struct gpubp_patch *patch;

	guard(mutex)(&ctx->dev->lock);
	list_for_each_entry(patch, &ctx->trap->traps.patches, node)
		if (!patch->trap && !patch->point)
			return true;
	return false;
}

/* false: the next run has to look again */
static bool breaks_insert_ctx(struct gpubp_ctx *ctx, bool lost, s64 *budget)
{
	bool all;
	int err;

	if (lost)
		breaks_restore_lost(ctx);
	gpubp_precise_add_points(ctx, budget);
	if (!ctx_may_insert_breaks(ctx))
		return !gpubp_trap_ctx_any_patch(&ctx->trap->traps);
	err = gpubp_xol_init(ctx);
	if (err)
		return false;
	gpubp_xol_reclaim(ctx);
	all = breaks_arm_pending(ctx, budget);
	all &= gpubp_precise_insert(ctx, budget);
	return all && !ctx_has_abandoned(ctx);
}

/* from @from on; the next run begins behind the one that used up the budget */
static bool breaks_insert_from(struct gpubp_device *dev, u32 from, bool lost,
			       s64 *budget)
{
	struct gpubp_ctx *ctx;
	bool all = true;

	while ((ctx = breaks_next_ctx(dev, from))) {
		bool service = *budget > 0;

		all &= breaks_insert_ctx(ctx, lost, budget);
		if (service && *budget <= 0)
			dev->trap->decode_from = ctx->id + 1;
		guard(mutex)(&dev->lock);
		gpubp_traps_committed(ctx);
	}
	return all;
}

/**
 * gpubp_breaks_insert() - put in what is to be armed, and account all traps
 * @dev: device; no lock is held
 * @lost: the hardware had forgotten everything
 *
 * The committer only, behind its commit; may sleep. All contexts together decode
 * GPUBP_CODE_BUDGET, and take turns at being first. Return: false, something is to
 * be tried again.
 */
bool gpubp_breaks_insert(struct gpubp_device *dev, bool lost)
{
	s64 budget = GPUBP_CODE_BUDGET;
	bool all;

	dev->trap->walks++;
	all = breaks_insert_from(dev, dev->trap->decode_from, lost, &budget);
	all &= breaks_insert_from(dev, 0, lost, &budget);
	return all;
}

/* ---- memory that goes ---------------------------------------------------- */

/* a run that had begun may put something in, and the next one takes it out */
static int breaks_wait_removed(struct gpubp_ctx *ctx, u64 va, u64 last)
{
	int tries = UNMAP_TRIES, err;

	do {
		gpubp_request_ctx(ctx);
		err = gpubp_request_wait(ctx->dev);
		if (err)
			return err;
		if (!gpubp_patch_any_in(ctx, va, last))
			return 0;
	} while (--tries);
	return -EBUSY;
}

int gpubp_mem_unmap(struct gpubp_ctx *ctx, u64 va, u64 size,
		    int (*unmap)(void *ctx, u64 va, u64 size))
{
	u64 last = va + (size - 1);
	int err = 0;

	if (mutex_lock_killable(&ctx->unmapping))
		return -EINTR;
	if (gpubp_code_unmap_begin(ctx, va, size) ||
	    gpubp_patch_any_in(ctx, va, last))
		err = breaks_wait_removed(ctx, va, last);
	if (!err)
		err = unmap(ctx->priv, va, size);
	if (!err)
		gpubp_code_unmap_end(ctx);
	gpubp_code_unmap_cancel(ctx);
	mutex_unlock(&ctx->unmapping);
	return err;
}
EXPORT_SYMBOL_GPL(gpubp_mem_unmap);
