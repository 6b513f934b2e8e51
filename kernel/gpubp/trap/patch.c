// SPDX-License-Identifier: GPL-2.0
/*
 * Patches: write the break word over an instruction, and restore it.
 *
 * A patch is in the list of its context from before its word is written until
 * after the original bytes are back, and then among the retired ones until no
 * hit of it can be pending (gpubp_patches_expire()). The lists are changed by
 * the committer only, under the device lock, so that the committer may walk
 * them between two ops without it; ops are called without the lock. The
 * resolver and readers of memory hold the lock to look a patch up.
 *
 * The state of a patch says what may be in memory: it becomes GPUBP_PATCH_READY
 * before the word is written and GPUBP_PATCH_RETIRED after the instruction
 * caches are flushed, so that a wave that executes the word always finds its
 * patch. A write or a flush may fail. If that cannot be undone, the state stays
 * as it is, the patch is abandoned, without break and point, and later runs try
 * again to remove it.
 *
 * traps.seq changes with every change of the lists or of a state: a reader that
 * must leave the lock to read memory compares it afterwards.
 */
#include <kunit/visibility.h>
#include <linux/bits.h>
#include <linux/export.h>
#include <linux/jhash.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../core/core.h"
#include "handler.h"
#include "insn_map.h"
#include "patch.h"
#include "precise.h"
#include "program_read.h"
#include "trap.h"
#include "trap_point.h"

#define FLUSH_TIMEOUT_MS	1000

/*
 * A wave that fetched a break word has been reported as a hit after this time.
 */
unsigned int gpubp_patch_keep_ms = 5;
EXPORT_SYMBOL_IF_KUNIT(gpubp_patch_keep_ms);

/* ---- finding patches ----------------------------------------------------- */

/**
 * gpubp_patch_find() - find the patch that a wave executed
 * @ctx: context; the device lock is held
 * @pc: pc of the stopped wave
 * @time: time of the hit, ns of CLOCK_MONOTONIC
 *
 * Return: the patch that was at @pc at @time, retired since or not; NULL: there
 * was none.
 */
struct gpubp_patch *gpubp_patch_find(const struct gpubp_ctx *ctx, u64 pc,
				     u64 time)
{
	struct gpubp_patch *patch;

	lockdep_assert_held(&ctx->dev->lock);
	/* oldest first */
	list_for_each_entry(patch, &ctx->trap->traps.retired, node)
		if (patch->pc == pc && patch->retired_ns >= time)
			return patch;
	list_for_each_entry(patch, &ctx->trap->traps.patches, node)
		if (patch->pc == pc && patch->state != GPUBP_PATCH_NEW)
			return patch;
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_patch_find);

/**
 * gpubp_patch_find_retired() - find the patch that was retired last at a pc
 * @ctx: context; the device lock is held
 * @pc: pc of a wave that stopped at a break word, which is not in memory now
 *
 * The time of the hit cannot tell: a wave may stop some time after the word
 * that it fetched was removed. Return: the patch or NULL.
 */
struct gpubp_patch *gpubp_patch_find_retired(const struct gpubp_ctx *ctx,
					     u64 pc)
{
	struct gpubp_patch *patch;

	lockdep_assert_held(&ctx->dev->lock);
	list_for_each_entry_reverse(patch, &ctx->trap->traps.retired, node)
		if (patch->pc == pc)
			return patch;
	return NULL;
}

/**
 * gpubp_patch_is_at() - is there a patch at a pc, in whatever state
 * @ctx: context; the device lock is held
 * @pc: address of an instruction
 *
 * Retired patches do not count.
 */
bool gpubp_patch_is_at(const struct gpubp_ctx *ctx, u64 pc)
{
	const struct gpubp_patch *patch;

	lockdep_assert_held(&ctx->dev->lock);
	list_for_each_entry(patch, &ctx->trap->traps.patches, node)
		if (patch->pc == pc)
			return true;
	return false;
}

/**
 * gpubp_patch_any_in() - does the break word of any patch overlap a range
 * @ctx: context; no lock is held
 * @va: first address
 * @last: last address
 *
 * Retired patches do not count. May sleep.
 */
bool gpubp_patch_any_in(struct gpubp_ctx *ctx, u64 va, u64 last)
{
	const u32 len = ctx->dev->desc.isa ? ctx->dev->desc.isa->break_len : 0;
	const struct gpubp_patch *patch;

	guard(mutex)(&ctx->dev->lock);
	list_for_each_entry(patch, &ctx->trap->traps.patches, node)
		if (patch->pc <= last && patch->pc + len > va)
			return true;
	return false;
}

/** gpubp_patch_is_break() - do these bytes begin with the break word */
bool gpubp_patch_is_break(const struct gpubp_ctx *ctx, const void *code)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;

	return !memcmp(code, &isa->break_word, isa->break_len);
}

/* replace the bytes of one patch's break word in @buf by the original ones */
static void patch_hide_one(const struct gpubp_ctx *ctx,
			   const struct gpubp_patch *patch, u64 va, u8 *buf,
			   size_t len)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	const u8 *word = (const u8 *)&isa->break_word;
	u64 first = max(va, patch->pc);
	u64 end = min(va + len, patch->pc + isa->break_len);

	if (patch->state == GPUBP_PATCH_NEW || first >= end)
		return;
	if (!memcmp(buf + (first - va), word + (first - patch->pc),
		    end - first))
		memcpy(buf + (first - va), patch->orig + (first - patch->pc),
		       end - first);
}

/**
 * gpubp_patches_hide() - replace break words by the original bytes
 * @ctx: context; no lock is held
 * @va: address that @buf was read from
 * @buf: bytes
 * @len: bytes in @buf
 *
 * May sleep. A patch may have been removed since the bytes were read:
 * gpubp_program_read() checks for that.
 */
void gpubp_patches_hide(struct gpubp_ctx *ctx, u64 va, void *buf, size_t len)
{
	const struct gpubp_patch *patch;

	guard(mutex)(&ctx->dev->lock);
	list_for_each_entry(patch, &ctx->trap->traps.patches, node)
		patch_hide_one(ctx, patch, va, buf, len);
}

/**
 * gpubp_patches_hash() - hash the patches that overlap a range
 * @ctx: context; no lock is held
 * @va: start
 * @len: bytes
 *
 * May sleep. Return: a hash, another one if one of them was added, removed or
 * changed its state in between; 0: there are none.
 */
u32 gpubp_patches_hash(struct gpubp_ctx *ctx, u64 va, size_t len)
{
	const u32 word_len = ctx->dev->desc.isa->break_len;
	const struct gpubp_patch *patch;
	u32 hash = 0;

	guard(mutex)(&ctx->dev->lock);
	list_for_each_entry(patch, &ctx->trap->traps.patches, node)
		if (patch->pc + word_len > va && patch->pc < va + len)
			hash = jhash_3words(lower_32_bits(patch->pc),
					    upper_32_bits(patch->pc),
					    patch->seq, hash);
	return hash;
}

/* ---- checking an instruction --------------------------------------------- */

static bool is_core_memory(struct gpubp_ctx *ctx, u64 pc, u32 len)
{
	guard(mutex)(&ctx->dev->lock);
	return gpubp_xol_overlaps(ctx, pc, len) ||
	       gpubp_handler_overlaps(ctx, pc, len);
}

/*
 * Reject memory that other processes execute, or get a copy of: they would
 * execute the break word without a trap handler. These are shared mappings, and
 * pages of the process itself, which a child that it forks gets copies of.
 */
static int patch_check_mapping(struct gpubp_ctx *ctx, u64 pc)
{
	struct gpubp_where where = { .space = GPUBP_SPACE_GLOBAL, .va = pc };
	struct gpubp_mapping map;
	int err = ctx->dev->ops.mem_translate(ctx->priv, &where, &map);

	if (err == -EOPNOTSUPP)
		return 0;
	if (!err && (map.flags & (GPUBP_MAP_SHARED | GPUBP_MAP_USERPTR)))
		return -EOPNOTSUPP;
	return err;
}

static int patch_read_insn(struct gpubp_ctx *ctx, u64 pc, void *code,
			   struct gpubp_insn *insn)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	ssize_t n = gpubp_program_read(ctx, pc, code, isa->insn_max, 0);

	if (n < (ssize_t)isa->break_len)
		return n == -EAGAIN ? -EAGAIN : -EFAULT;
	if (isa->decode(code, n, insn) || insn->len < isa->break_len)
		return -EOPNOTSUPP;
	return insn->step == GPUBP_STEP_NEVER ? -EOPNOTSUPP : 0;
}

/**
 * gpubp_patch_check() - check whether an instruction can have a break word
 * @ctx: context; no lock is held
 * @pc: address of the instruction
 * @budget: bytes of code that may be decoded, see gpubp_code_check_pc(); NULL:
 *	an instruction is known to begin at @pc
 * @code: (out) its bytes, room for GPUBP_MAX_INSN
 * @insn: (out) the instruction
 *
 * The committer only; may sleep.
 *
 * Return: 0; -EOPNOTSUPP: other processes have this memory or may get a copy of
 * it, or it is the core's own, or the instruction cannot be executed elsewhere;
 * -ENOENT: not in a published code object; -EFAULT; -EAGAIN; or as
 * gpubp_code_check_pc().
 */
int gpubp_patch_check(struct gpubp_ctx *ctx, u64 pc, s64 *budget, void *code,
		      struct gpubp_insn *insn)
{
	u32 len = ctx->dev->desc.isa->break_len;
	int err;

	if (is_core_memory(ctx, pc, len))
		return -EOPNOTSUPP;
	if (!gpubp_code_contains(ctx, pc, len))
		return -ENOENT;
	err = patch_check_mapping(ctx, pc);
	if (!err && budget)
		err = gpubp_code_check_pc(ctx, pc, len, budget);
	return err ?: patch_read_insn(ctx, pc, code, insn);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_patch_check);

/* ---- writing break words ------------------------------------------------- */

static void patch_set_state(struct gpubp_ctx *ctx, struct gpubp_patch *patch,
			    enum gpubp_patch_state state)
{
	guard(mutex)(&ctx->dev->lock);
	patch->state = state;
	patch->seq = ++ctx->trap->traps.seq;
}

static int patch_store_word(struct gpubp_ctx *ctx, u64 pc, const void *word,
			    unsigned int how)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	u8 bytes[GPUBP_MAX_INSN];
	ssize_t n;

	memcpy(bytes, word, isa->break_len);
	n = gpubp_ctx_global_rw(ctx, pc, bytes, isa->break_len,
				how | GPUBP_MEM_WRITE);
	if (n != isa->break_len)
		return n == -EAGAIN ? -EAGAIN : -EFAULT;
	return 0;
}

static int patch_flush_code(struct gpubp_ctx *ctx)
{
	return ctx->dev->ops.flush(ctx->priv, GPUBP_FLUSH_CODE,
				   FLUSH_TIMEOUT_MS);
}

static int patch_write_word(struct gpubp_ctx *ctx, u64 pc, const void *word)
{
	return patch_store_word(ctx, pc, word, 0) ?: patch_flush_code(ctx);
}

/**
 * patch_write_break() - write the buffer of a new patch, then its break word
 * @ctx: context; no lock is held
 * @patch: new patch with its instruction and its buffer
 *
 * The committer only; may sleep. Return: 0 or an errno. After an errno nothing
 * of the patch is in memory if it is GPUBP_PATCH_NEW; else the break word may
 * be in memory and has to be removed.
 */
static int patch_write_break(struct gpubp_ctx *ctx, struct gpubp_patch *patch)
{
	int err = gpubp_xol_write(ctx, patch->buf);

	if (err)
		return err;
	/* before a wave can execute the word: the resolver must find it */
	patch_set_state(ctx, patch, GPUBP_PATCH_READY);
	err = patch_write_word(ctx, patch->pc, &ctx->dev->desc.isa->break_word);
	if (!err)
		patch_set_state(ctx, patch, GPUBP_PATCH_INSTALLED);
	else if (!patch_write_word(ctx, patch->pc, patch->orig))
		patch_set_state(ctx, patch, GPUBP_PATCH_NEW);
	return err;
}

/*
 * Return: 0: the break word is in memory; -ENOENT: it is not, and what is there
 * is not the core's; -EAGAIN: the memory cannot be read now.
 */
static int patch_check_word(struct gpubp_ctx *ctx,
			    const struct gpubp_patch *patch, unsigned int how)
{
	u32 len = ctx->dev->desc.isa->break_len;
	u8 word[GPUBP_MAX_INSN];
	ssize_t n = gpubp_ctx_global_rw(ctx, patch->pc, word, len, how);

	if (n != len)
		return n == -EAGAIN ? -EAGAIN : -ENOENT;
	return gpubp_patch_is_break(ctx, word) ? 0 : -ENOENT;
}

/**
 * gpubp_patch_is_valid() - check a patch again after code objects changed
 * @ctx: context; no lock is held
 * @patch: patch
 *
 * The committer only; may sleep.
 *
 * Return: 0: its break word is in memory and may stay; -EAGAIN: unknown now; or
 * another errno: its memory is in no code object any more, was overwritten, or
 * is shared with other processes by now.
 */
int gpubp_patch_is_valid(struct gpubp_ctx *ctx, const struct gpubp_patch *patch)
{
	if (!gpubp_code_contains(ctx, patch->pc, ctx->dev->desc.isa->break_len))
		return -ENOENT;
	return patch_check_mapping(ctx, patch->pc) ?:
		       patch_check_word(ctx, patch, 0);
}

static int patch_write_orig(struct gpubp_ctx *ctx, struct gpubp_patch *patch,
			    unsigned int how)
{
	int err;

	if (patch->state == GPUBP_PATCH_NEW)
		return 0;
	err = patch_check_word(ctx, patch, how);
	if (!err)
		err = patch_store_word(ctx, patch->pc, patch->orig, how);
	if (!err || err == -ENOENT)
		err = patch_flush_code(ctx);
	if (err)
		return err;
	patch->retired_ns = ktime_get_ns();
	patch_set_state(ctx, patch, GPUBP_PATCH_RETIRED);
	return 0;
}

/**
 * gpubp_patch_uninstall() - write the original bytes back
 * @ctx: context; no lock is held
 * @patch: patch; after success the caller calls gpubp_patch_retire()
 *
 * The committer only; may sleep.
 *
 * Return: 0: no wave fetches the break word any more; or an errno: try again.
 * After an errno waves may still fetch the word whatever is in memory: an
 * earlier try may have written the bytes and failed to flush the instruction
 * caches.
 */
int gpubp_patch_uninstall(struct gpubp_ctx *ctx, struct gpubp_patch *patch)
{
	return patch_write_orig(ctx, patch, 0);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_patch_uninstall);

/**
 * gpubp_patch_reinstall() - write the break word again after a device reset
 * @ctx: context; no lock is held
 * @patch: patch
 *
 * The committer only; may sleep.
 *
 * Return: 0: the break word is in memory; -ENOENT: neither the word nor the
 * original bytes were there; or another errno.
 */
int gpubp_patch_reinstall(struct gpubp_ctx *ctx, struct gpubp_patch *patch)
{
	u32 len = ctx->dev->desc.isa->break_len;
	u8 word[GPUBP_MAX_INSN];
	int err = patch_check_word(ctx, patch, 0);

	if (err != -ENOENT)
		return err;
	if (gpubp_ctx_global_rw(ctx, patch->pc, word, len, 0) != len ||
	    memcmp(word, patch->orig, len))
		return -ENOENT;
	return patch_write_word(ctx, patch->pc,
				&ctx->dev->desc.isa->break_word);
}

/* ---- users of a patch ---------------------------------------------------- */

/**
 * gpubp_patch_get_buf() - get the XOL buffer of a patch for a trap or a point
 * @ctx: context; the device lock is held
 * @patch: patch with its instruction
 * @user: GPUBP_XOL_BREAK or GPUBP_XOL_PRECISE; the one that comes second shares
 *	the buffer of the first
 *
 * Return: 0, or -EBUSY: no buffer is free for @user now.
 */
int gpubp_patch_get_buf(struct gpubp_ctx *ctx, struct gpubp_patch *patch,
			enum gpubp_xol_user user)
{
	struct gpubp_xol_buf *buf;

	lockdep_assert_held(&ctx->dev->lock);
	buf = gpubp_xol_get(ctx, patch->pc, patch->orig, patch->insn.len, user);
	if (!buf)
		return -EBUSY;
	WARN_ON_ONCE(patch->buf && patch->buf != buf);
	patch->buf = buf;
	patch->buf_users |= BIT(user);
	return 0;
}

static void patch_put_buf(struct gpubp_patch *patch, enum gpubp_xol_user user)
{
	if (!(patch->buf_users & BIT(user)))
		return;
	gpubp_xol_put(patch->buf, user);
	patch->buf_users &= ~BIT(user);
}

/**
 * gpubp_patch_set_trap() - link a patch and the break of events at its pc
 * @patch: patch that owns its buffer for GPUBP_XOL_BREAK
 * @trap: break; the device lock is held
 */
void gpubp_patch_set_trap(struct gpubp_patch *patch,
			  struct gpubp_trap_point *trap)
{
	lockdep_assert_held(&trap->ctx->dev->lock);
	patch->trap = trap;
	patch->trap_point_id = trap->id;
	trap->patch = patch;
}

/**
 * gpubp_patch_set_precise() - link a patch and the precise point at its pc
 * @patch: patch that owns its buffer for GPUBP_XOL_PRECISE
 * @point: precise point; the device lock is held, as gpubp_patch_get_buf() in
 *	the caller asserts
 */
void gpubp_patch_set_precise(struct gpubp_patch *patch,
			     struct gpubp_precise_point *point)
{
	patch->point = point;
	point->patch = patch;
}

static void patch_unlink_trap(struct gpubp_patch *patch)
{
	if (patch->trap)
		patch->trap->patch = NULL;
	patch->trap = NULL;
}

static void patch_unlink_point(struct gpubp_patch *patch)
{
	if (patch->point)
		patch->point->patch = NULL;
	patch->point = NULL;
}

/**
 * gpubp_patch_clear_trap() - unlink a patch from its break: the point is left
 * @patch: patch; the device lock is held, as gpubp_breaks_choose() asserts
 */
void gpubp_patch_clear_trap(struct gpubp_patch *patch)
{
	patch_unlink_trap(patch);
	patch->trap_point_id = 0;
	patch_put_buf(patch, GPUBP_XOL_BREAK);
}

/**
 * gpubp_patch_clear_precise() - unlink a patch from its point: the break is
 * left
 * @patch: patch; the device lock is held, as gpubp_breaks_choose() asserts
 */
void gpubp_patch_clear_precise(struct gpubp_patch *patch)
{
	patch_unlink_point(patch);
	patch_put_buf(patch, GPUBP_XOL_PRECISE);
}

/**
 * gpubp_patch_abandon() - give up a patch whose write failed
 * @ctx: context; no lock is held
 * @patch: patch; what is in memory is unknown
 *
 * It loses its trap and its point, so that the committer's next run removes it.
 */
void gpubp_patch_abandon(struct gpubp_ctx *ctx, struct gpubp_patch *patch)
{
	guard(mutex)(&ctx->dev->lock);
	patch_unlink_trap(patch);
	patch_unlink_point(patch);
}

/**
 * gpubp_patch_add() - add a new patch to its context
 * @ctx: context; the device lock is held
 * @patch: patch with its instruction and its buffer
 *
 * The resolver does not find it before gpubp_patch_install().
 */
void gpubp_patch_add(struct gpubp_ctx *ctx, struct gpubp_patch *patch)
{
	lockdep_assert_held(&ctx->dev->lock);
	patch->seq = ++ctx->trap->traps.seq;
	list_add_tail(&patch->node, &ctx->trap->traps.patches);
	WRITE_ONCE(ctx->trap->traps.nr_patches,
		   ctx->trap->traps.nr_patches + 1);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_patch_add);

static void patch_unlink(struct gpubp_ctx *ctx, struct gpubp_patch *patch)
{
	lockdep_assert_held(&ctx->dev->lock);
	patch_unlink_trap(patch);
	patch_unlink_point(patch);
	list_del(&patch->node);
	WRITE_ONCE(ctx->trap->traps.nr_patches,
		   ctx->trap->traps.nr_patches - 1);
	ctx->trap->traps.seq++;
}

static void patch_free(struct gpubp_patch *patch)
{
	patch_put_buf(patch, GPUBP_XOL_BREAK);
	patch_put_buf(patch, GPUBP_XOL_PRECISE);
	kfree(patch);
}

/**
 * patch_free_unseen() - remove and free a patch that no wave can have executed
 * @ctx: context; the device lock is held
 * @patch: patch
 */
static void patch_free_unseen(struct gpubp_ctx *ctx, struct gpubp_patch *patch)
{
	patch_unlink(ctx, patch);
	patch_free(patch);
}

/**
 * gpubp_patch_install() - install a patch that was added, or get rid of it
 * @ctx: context; no lock is held
 * @patch: patch; after an errno the caller must not use it any more
 *
 * After an errno the patch is freed if nothing of it is in memory, and
 * abandoned otherwise: the next run removes it.
 *
 * The committer only; may sleep. Return: 0 or an errno.
 */
int gpubp_patch_install(struct gpubp_ctx *ctx, struct gpubp_patch *patch)
{
	int err = patch_write_break(ctx, patch);

	if (!err)
		return 0;
	if (patch->state != GPUBP_PATCH_NEW) {
		gpubp_patch_abandon(ctx, patch);
		return err;
	}
	guard(mutex)(&ctx->dev->lock);
	patch_free_unseen(ctx, patch);
	return err;
}

/**
 * gpubp_patch_retire() - keep a removed patch for waves that executed it before
 * @ctx: context; the device lock is held
 * @patch: patch; freed at once if its break word never was in memory
 */
void gpubp_patch_retire(struct gpubp_ctx *ctx, struct gpubp_patch *patch)
{
	lockdep_assert_held(&ctx->dev->lock);
	patch_unlink(ctx, patch);
	if (patch->state == GPUBP_PATCH_RETIRED)
		list_add_tail(&patch->node, &ctx->trap->traps.retired);
	else
		patch_free(patch);
}

/*
 * True if every hit at the patch was reported (gpubp_patch_keep_ms after it was
 * retired) and resolved (the resolver has passed the mark that was then taken).
 */
static bool patch_is_expired(const struct gpubp_ctx *ctx,
			     struct gpubp_patch *patch)
{
	u64 keep = gpubp_patch_keep_ms * NSEC_PER_MSEC;

	if (ktime_get_ns() < patch->retired_ns + keep)
		return false;
	if (!patch->hits_mark)
		patch->hits_mark = gpubp_hits_mark(ctx->dev);
	return gpubp_hits_passed(ctx->dev, patch->hits_mark);
}

/**
 * gpubp_patches_expire() - free retired patches that no pending hit can be at
 * @ctx: context; the device lock is held
 *
 * The committer only. Return: false: some retired patches are left.
 */
bool gpubp_patches_expire(struct gpubp_ctx *ctx)
{
	struct gpubp_patch *patch, *tmp;

	lockdep_assert_held(&ctx->dev->lock);
	list_for_each_entry_safe(patch, tmp, &ctx->trap->traps.retired, node) {
		if (!patch_is_expired(ctx, patch))
			continue;
		list_del(&patch->node);
		ctx->trap->traps.seq++;
		patch_free(patch);
	}
	return list_empty(&ctx->trap->traps.retired);
}

/**
 * gpubp_patches_exit() - restore the code of a context that is destroyed
 * @ctx: context without waves; no other op of it is called
 *
 * The original bytes must be back, since memory of the process itself outlives
 * the context. May sleep.
 */
void gpubp_patches_exit(struct gpubp_ctx *ctx)
{
	struct gpubp_patch *patch, *tmp;

	list_for_each_entry_safe(patch, tmp, &ctx->trap->traps.patches, node) {
		/* an error is final: there is no later run to try again */
		patch_write_orig(ctx, patch, GPUBP_MEM_WAIT);
		guard(mutex)(&ctx->dev->lock);
		patch_free_unseen(ctx, patch);
	}
	guard(mutex)(&ctx->dev->lock);
	list_for_each_entry_safe(patch, tmp, &ctx->trap->traps.retired, node) {
		list_del(&patch->node);
		patch_free(patch);
	}
}
