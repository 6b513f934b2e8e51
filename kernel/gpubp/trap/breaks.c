// SPDX-License-Identifier: GPL-2.0
/*
 * Breaks: remove and insert them, once in each run of the committer. Breaks
 * that are not chosen any more are removed before the commit, which may switch
 * the traps of their context off. Chosen breaks are inserted after the commit,
 * when all waves of their context trap.
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

/* runs of the committer: a run fails on a busy device, or after a reset */
#define UNMAP_TRIES	8

static bool ctx_has_breaks(const struct gpubp_ctx *ctx)
{
	return !ctx->dead && (gpubp_traps_wanted(ctx) ||
			      gpubp_precise_any(ctx));
}

/* a wave without a trap handler would die of a break word */
static bool ctx_waves_trap(const struct gpubp_ctx *ctx)
{
	return gpubp_ctx_can_arm(ctx) && !gpubp_trap_enable_no_handler(ctx);
}

static bool ctx_is_to_walk(const struct gpubp_ctx *ctx, u32 from)
{
	return ctx->id >= from &&
	       ctx->trap->traps.walk != ctx->dev->trap->walks &&
	       ctx_has_breaks(ctx);
}

/*
 * Return: the context of this walk with the lowest id from @from on, or NULL.
 * Contexts are fetched one at a time because ops are called without the lock. A
 * context that is destroyed waits for the end of the committer's run.
 */
static struct gpubp_ctx *breaks_next_ctx(struct gpubp_device *dev, u32 from)
{
	struct gpubp_ctx *ctx, *lowest = NULL;

	guard(mutex)(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (ctx_is_to_walk(ctx, from) &&
		    (!lowest || ctx->id < lowest->id))
			lowest = ctx;
	if (lowest)
		lowest->trap->traps.walk = dev->trap->walks;
	return lowest;
}

/* ---- choosing breaks ----------------------------------------------------- */

/* forget errors that code or memory changes may have made out of date */
static void breaks_clear_errors(struct gpubp_ctx *ctx)
{
	struct gpubp_trap_point *trap;

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

/* a patch with only one of trap and point chosen is left to that one */
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
 * gpubp_breaks_choose() - choose the breaks in memory in the next quantum
 * @dev: device; its lock is held
 *
 * The committer only. Return: true if the next choice may differ although no
 * event changes.
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

/* ---- removing breaks ----------------------------------------------------- */

static void breaks_trace_disarm(const struct gpubp_ctx *ctx,
				const struct gpubp_patch *patch)
{
	u64 id = patch->trap ? patch->trap->id : 0;

	trace_gpubp_disarm(ctx->dev->number, ctx->id, id, patch->pc,
			   patch->pc + patch->insn.len - 1, 0);
}

/* Return: false: failed, the next run has to try again. */
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

/*
 * Return: gpubp_trap_point.checked or gpubp_precise_point.checked; NULL: the
 * patch is abandoned.
 */
static u64 *patch_checked(const struct gpubp_patch *patch)
{
	if (patch->trap)
		return &patch->trap->checked;
	return patch->point ? &patch->point->checked : NULL;
}

/*
 * True if code or memory changed since the patch was checked. *@changes is what
 * a check that begins now covers.
 */
static bool patch_needs_check(struct gpubp_ctx *ctx,
			      const struct gpubp_patch *patch, u64 *changes)
{
	const u64 *checked;

	guard(mutex)(&ctx->dev->lock);
	*changes = ctx->trap->traps.changes;
	checked = patch_checked(patch);
	return checked && *checked != *changes;
}

/* true if the patch is not chosen any more, or not valid after code changed */
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

/*
 * Free retired patches, and find their buffers that waves ended in: such a wave
 * never leaves its buffer. Return: true: none is left.
 */
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
 * gpubp_breaks_remove() - remove breaks that are not to be armed any more
 * @dev: device; no lock is held
 *
 * The committer only; may sleep. Return: false: some could not be removed, or
 * retired patches are left; run again.
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

/* ---- inserting breaks ---------------------------------------------------- */

/**
 * struct pending_break - a chosen break that has no patch yet
 * @id: gpubp_trap_point.id; the trap itself may be freed at any time
 * @pc: address of its instruction
 * @checked: an instruction is known to begin at @pc
 * @changes: gpubp_trap_ctx.changes when the break was looked at
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

static bool break_is_pending(const struct gpubp_trap_point *trap, u64 after)
{
	return trap->kind == GPUBP_KIND_BREAK && trap->chosen &&
	       !trap->patch && !trap->err && trap->id > after;
}

/*
 * Find the first pending break with an id above @pb->id, and fill in @pb. Traps
 * are listed by id. Return: false: there is none.
 */
static bool breaks_next_pending(struct gpubp_ctx *ctx, struct pending_break *pb)
{
	struct gpubp_trap_point *trap;

	guard(mutex)(&ctx->dev->lock);
	list_for_each_entry(trap, &ctx->trap->traps.traps, node) {
		if (!break_is_pending(trap, pb->id))
			continue;
		pb->id = trap->id;
		pb->pc = trap->key;
		pb->changes = ctx->trap->traps.changes;
		pb->checked = trap->checked == pb->changes;
		return true;
	}
	return false;
}

static struct gpubp_trap_point *
pending_break_trap(struct gpubp_ctx *ctx, const struct pending_break *pb)
{
	struct gpubp_trap_point *trap;

	trap = gpubp_trap_find(ctx, GPUBP_KIND_BREAK, pb->pc);
	return trap && trap->id == pb->id ? trap : NULL;
}

/*
 * Use the patch that a precise point has at this instruction. Return: 1: done;
 * 0: there is no patch; or -EBUSY.
 */
static int breaks_join_patch(struct gpubp_ctx *ctx,
			     const struct pending_break *pb)
{
	struct gpubp_patch *patch;
	struct gpubp_trap_point *trap;
	int err;

	guard(mutex)(&ctx->dev->lock);
	if (!gpubp_patch_is_at(ctx, pb->pc))
		return 0;
	patch = gpubp_patch_find(ctx, pb->pc, U64_MAX);
	trap = pending_break_trap(ctx, pb);
	if (!patch || !patch->point || !trap)
		return -EBUSY;
	err = gpubp_patch_get_buf(ctx, patch, GPUBP_XOL_BREAK);
	if (err)
		return err;
	gpubp_patch_set_trap(patch, trap);
	trap->checked = patch->point->checked;
	return 1;
}

/* Return: 0, or -EBUSY: no buffer is free now, or the trap was freed. */
static int breaks_link_patch(struct gpubp_ctx *ctx,
			     const struct pending_break *pb,
			     struct gpubp_patch *patch)
{
	struct gpubp_trap_point *trap;
	int err;

	guard(mutex)(&ctx->dev->lock);
	trap = pending_break_trap(ctx, pb);
	if (!trap || gpubp_patch_is_at(ctx, pb->pc))
		return -EBUSY;
	trap->checked = pb->changes;
	err = gpubp_patch_get_buf(ctx, patch, GPUBP_XOL_BREAK);
	if (err)
		return err;
	gpubp_patch_set_trap(patch, trap);
	gpubp_patch_add(ctx, patch);
	return 0;
}

static struct gpubp_patch *breaks_alloc_patch(struct gpubp_ctx *ctx,
					      const struct pending_break *pb)
{
	struct gpubp_patch *patch = kzalloc(sizeof(*patch), GFP_KERNEL);
	int err;

	if (!patch)
		return ERR_PTR(-ENOMEM);
	patch->pc = pb->pc;
	patch->insn = pb->insn;
	memcpy(patch->orig, pb->code, sizeof(patch->orig));
	err = breaks_link_patch(ctx, pb, patch);
	if (!err)
		return patch;
	kfree(patch);
	return ERR_PTR(err);
}

static int breaks_arm_new(struct gpubp_ctx *ctx, struct pending_break *pb)
{
	struct gpubp_patch *patch;
	int err;

	err = gpubp_patch_check(ctx, pb->pc, pb->checked ? NULL : pb->budget,
				pb->code, &pb->insn);
	if (err)
		return err;
	patch = breaks_alloc_patch(ctx, pb);
	if (IS_ERR(patch))
		return PTR_ERR(patch);
	err = gpubp_patch_install(ctx, patch);
	if (!err)
		trace_gpubp_arm(ctx->dev->number, ctx->id, pb->id, pb->pc,
				pb->pc + pb->insn.len - 1, 0);
	return err;
}

static int breaks_arm(struct gpubp_ctx *ctx, struct pending_break *pb)
{
	int joined = breaks_join_patch(ctx, pb);

	return joined ? min(joined, 0) : breaks_arm_new(ctx, pb);
}

static void breaks_refuse(struct gpubp_ctx *ctx, const struct pending_break *pb,
			  int err)
{
	struct gpubp_trap_point *trap;

	guard(mutex)(&ctx->dev->lock);
	trap = pending_break_trap(ctx, pb);
	if (!trap)
		return;
	trap->err = err;
	trap->tried = pb->changes;
	trap->chosen = false;
}

/* Return: false: some break has to be tried again. */
static bool breaks_arm_pending(struct gpubp_ctx *ctx, s64 *budget)
{
	struct pending_break pb = { .budget = budget };
	bool all = true;
	int err;

	while (breaks_next_pending(ctx, &pb)) {
		err = breaks_arm(ctx, &pb);
		if (gpubp_patch_may_retry(err))
			all = false;
		else if (err)
			breaks_refuse(ctx, &pb, err);
	}
	return all;
}

static bool ctx_may_keep_breaks(struct gpubp_ctx *ctx)
{
	guard(mutex)(&ctx->dev->lock);
	return ctx_waves_trap(ctx);
}

/*
 * After a reset: write buffers and break words again. A patch is removed if
 * memory has neither its break word nor its original bytes: the memory was
 * reused. All are removed if waves may run that were launched between the reset
 * and the commit, without traps: a break would kill them.
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

/* the commit does not know of the events that points were just added for: wait for the next */
static bool ctx_may_insert_breaks(struct gpubp_ctx *ctx)
{
	guard(mutex)(&ctx->dev->lock);
	return ctx_waves_trap(ctx) && ctx->prog.watch_traps &&
	       (ctx->trap->traps.nr[GPUBP_KIND_BREAK] || ctx->trap->precise.nr);
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

/* Return: false: the next run has to try again. */
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

/*
 * Insert the breaks of contexts with ids from @from on. The next run begins
 * after the context that used up the budget. Return: false: try again.
 */
static bool breaks_insert_from(struct gpubp_device *dev, u32 from, bool lost,
			       s64 *budget)
{
	struct gpubp_ctx *ctx;
	bool all = true;

	while ((ctx = breaks_next_ctx(dev, from))) {
		bool had_budget = *budget > 0;

		all &= breaks_insert_ctx(ctx, lost, budget);
		if (had_budget && *budget <= 0)
			dev->trap->decode_from = ctx->id + 1;
		guard(mutex)(&dev->lock);
		gpubp_traps_committed(ctx);
	}
	return all;
}

/**
 * gpubp_breaks_insert() - insert chosen breaks, and account all traps
 * @dev: device; no lock is held
 * @lost: the hardware lost its state: patches and buffers are written again
 *
 * The committer only, after its commit; may sleep. All contexts together decode
 * GPUBP_CODE_BUDGET bytes of code, and take turns at being the first.
 * Return: false: something has to be tried again.
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

/* ---- unmapping memory ---------------------------------------------------- */

/*
 * Wait until no patch is in the range. A run that has begun may still insert
 * one; the next run removes it.
 */
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

/* behind the unmapping: until then hits read the old bytes */
static void breaks_forget_values(struct gpubp_ctx *ctx, u64 va, u64 size)
{
	guard(mutex)(&ctx->dev->lock);
	gpubp_ctx_forget(ctx, va, size);
}

/**
 * gpubp_breaks_keep_out() - take breaks out of a range, and insert none there
 * @ctx: context; no lock is held
 * @va: first address
 * @size: bytes, not 0
 *
 * Until gpubp_breaks_let_in(), which is called after success only. No code is published
 * there before that. May sleep. Return: 0, -EINTR (a fatal signal), -EBUSY, or as
 * gpubp_request_wait().
 */
int gpubp_breaks_keep_out(struct gpubp_ctx *ctx, u64 va, u64 size)
{
	u64 last = va + (size - 1);
	int err = 0;

	if (mutex_lock_killable(&ctx->unmapping))
		return -EINTR;
	if (gpubp_code_unmap_begin(ctx, va, size) ||
	    gpubp_patch_any_in(ctx, va, last))
		err = breaks_wait_removed(ctx, va, last);
	if (err)
		gpubp_breaks_let_in(ctx);
	return err;
}

/** gpubp_breaks_let_in() - end of what gpubp_breaks_keep_out() began */
void gpubp_breaks_let_in(struct gpubp_ctx *ctx)
{
	gpubp_code_unmap_cancel(ctx);
	mutex_unlock(&ctx->unmapping);
}

int gpubp_mem_unmap(struct gpubp_ctx *ctx, u64 va, u64 size,
		    int (*unmap)(void *ctx, u64 va, u64 size))
{
	int err = gpubp_breaks_keep_out(ctx, va, size);

	if (err)
		return err;
	err = unmap(ctx->priv, va, size);
	if (!err) {
		gpubp_code_unmap_end(ctx);
		breaks_forget_values(ctx, va, size);
	}
	gpubp_breaks_let_in(ctx);
	return err;
}
EXPORT_SYMBOL_GPL(gpubp_mem_unmap);
