// SPDX-License-Identifier: GPL-2.0
/* Patches: the break word goes into a program's code, and out of it. */
#include <kunit/visibility.h>
#include <linux/bits.h>
#include <linux/export.h>
#include <linux/jhash.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../core/core.h"
#include "handler.h"
#include "insn_map.h"
#include "patch.h"
#include "precise.h"
#include "trap.h"
#include "trap_point.h"

#define FLUSH_TIMEOUT_MS	1000
#define READ_TRIES		64

/* what a wave takes from a word that it has fetched to our list of hits */
unsigned int gpubp_patch_keep_ms = 5;
EXPORT_SYMBOL_IF_KUNIT(gpubp_patch_keep_ms);

/* ---- what is there ------------------------------------------------------- */

/**
 * gpubp_patch_find() - which patch a wave met
 * @ctx: context; the device lock is held
 * @pc: where it stands
 * @time: since when, ns of CLOCK_MONOTONIC
 *
 * Return: the patch, or NULL: none was there then, as far as time tells.
 */
struct gpubp_patch *gpubp_patch_find(const struct gpubp_ctx *ctx, u64 pc,
				     u64 time)
{
	struct gpubp_patch *patch;

	lockdep_assert_held(&ctx->dev->lock);
	/* in the order in which they left */
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
 * gpubp_patch_find_retired() - the last patch that was taken out at a pc, or NULL
 * @ctx: context; the device lock is held
 * @pc: where a wave stands that has fetched a word, which is not there any more
 *
 * It may stop for that somewhat later than the word was taken out.
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

/** gpubp_patch_is_at() - is there a patch at all, seen or not; device lock held */
bool gpubp_patch_is_at(const struct gpubp_ctx *ctx, u64 pc)
{
	const struct gpubp_patch *patch;

	lockdep_assert_held(&ctx->dev->lock);
	list_for_each_entry(patch, &ctx->trap->traps.patches, node)
		if (patch->pc == pc)
			return true;
	return false;
}

/** gpubp_patch_any_in() - is there one in these bytes; no lock is held, may sleep */
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

/** gpubp_patch_is_break() - does an instruction begin with the break word */
bool gpubp_patch_is_break(const struct gpubp_ctx *ctx, const void *code)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;

	return !memcmp(code, &isa->break_word, isa->break_len);
}

/* what of the word lies in [va, va + len) of @buf, if it is there at all */
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
 * patch_hide() - bytes of memory as the program has them
 * @ctx: context; no lock is held
 * @va: where they were read
 * @buf: bytes; in them, our words are replaced by what was there
 * @len: how many
 *
 * May sleep. A patch may have gone since they were read: see gpubp_patch_read().
 */
static void patch_hide(struct gpubp_ctx *ctx, u64 va, void *buf, size_t len)
{
	const struct gpubp_patch *patch;

	guard(mutex)(&ctx->dev->lock);
	list_for_each_entry(patch, &ctx->trap->traps.patches, node)
		patch_hide_one(ctx, patch, va, buf, len);
}

/*
 * Which words are in [va, va + len), as a number that differs if others are, or were
 * meanwhile.
 */
static u32 patches_hash(struct gpubp_ctx *ctx, u64 va, size_t len)
{
	const u32 word_len = ctx->dev->desc.isa->break_len;
	const struct gpubp_patch *patch;
	u32 hash = 0;

	if (!gpubp_trap_ctx_any_patch(&ctx->trap->traps))
		return 0;
	guard(mutex)(&ctx->dev->lock);
	list_for_each_entry(patch, &ctx->trap->traps.patches, node)
		if (patch->pc + word_len > va && patch->pc < va + len)
			hash = jhash_3words(lower_32_bits(patch->pc),
					    upper_32_bits(patch->pc),
					    patch->seq, hash);
	return hash;
}

/**
 * gpubp_patch_read() - memory as the program has it
 * @ctx: context; no lock is held
 * @va: address
 * @buf: where to
 * @len: bytes
 * @how: GPUBP_MEM_WAIT or 0
 *
 * May sleep. Return: as ops->mem_rw; -EAGAIN, too, if breaks come and go there all the
 * time, and -EINTR.
 */
ssize_t gpubp_patch_read(struct gpubp_ctx *ctx, u64 va, void *buf, size_t len,
			 unsigned int how)
{
	unsigned int tries = READ_TRIES;
	ssize_t n;
	u32 words;

	/* also the first one may come while this reads, and be gone behind it */
	do {
		words = patches_hash(ctx, va, len);
		n = gpubp_ctx_global_rw(ctx, va, buf, len, how);
		if (n > 0 && gpubp_trap_ctx_any_patch(&ctx->trap->traps))
			patch_hide(ctx, va, buf, n);
		if (words == patches_hash(ctx, va, len))
			return n;
		if (fatal_signal_pending(current))
			return -EINTR;
	} while (--tries);
	return -EAGAIN;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_patch_read);

/* ---- may it be patched --------------------------------------------------- */

static bool is_core_memory(struct gpubp_ctx *ctx, u64 pc, u32 len)
{
	guard(mutex)(&ctx->dev->lock);
	return gpubp_xol_overlaps(ctx, pc, len) ||
	       gpubp_handler_overlaps(ctx, pc, len);
}

/*
 * Other processes would execute it, too, and have no handler: those that have the memory,
 * and of a process's own pages those that it forks, which keep a copy.
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
	ssize_t n = gpubp_patch_read(ctx, pc, code, isa->insn_max, 0);

	if (n < (ssize_t)isa->break_len)
		return n == -EAGAIN ? -EAGAIN : -EFAULT;
	if (isa->decode(code, n, insn) || insn->len < isa->break_len)
		return -EOPNOTSUPP;
	return insn->step == GPUBP_STEP_NEVER ? -EOPNOTSUPP : 0;
}

/**
 * gpubp_patch_check() - may an instruction be replaced by the break word
 * @ctx: context; no lock is held
 * @pc: where
 * @budget: bytes of code that may be decoded, see gpubp_code_check_pc(); NULL: an
 *	instruction is known to begin there
 * @code: (out) its bytes, room for GPUBP_MAX_INSN
 * @insn: (out) the instruction
 *
 * The committer only; may sleep. Return: 0, -EOPNOTSUPP (other processes have
 * this memory, too, or may have a copy; it is our own; or the instruction cannot be executed
 * elsewhere), -EFAULT, or as gpubp_code_check_pc().
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

/* ---- in and out ---------------------------------------------------------- */

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
 * patch_write_break() - waves trap from now on
 * @ctx: context; no lock is held
 * @patch: new patch with its instruction and its buffer
 *
 * The committer only; may sleep. Return: 0 or an errno; then nothing of it is in
 * memory if it is GPUBP_PATCH_NEW, or the word may be, and has to be taken out.
 */
static int patch_write_break(struct gpubp_ctx *ctx, struct gpubp_patch *patch)
{
	int err = gpubp_xol_write(ctx, patch->buf);

	if (err)
		return err;
	/* before the first wave can meet it */
	patch_set_state(ctx, patch, GPUBP_PATCH_READY);
	err = patch_write_word(ctx, patch->pc, &ctx->dev->desc.isa->break_word);
	if (!err)
		patch_set_state(ctx, patch, GPUBP_PATCH_INSTALLED);
	else if (!patch_write_word(ctx, patch->pc, patch->orig))
		patch_set_state(ctx, patch, GPUBP_PATCH_NEW);
	return err;
}

/*
 * -ENOENT: it is not what is in memory; whatever that is, it is not ours. -EAGAIN:
 * nobody knows now.
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
 * gpubp_patch_is_valid() - is it still what breaks the instruction that it is for
 * @ctx: context; no lock is held
 * @patch: patch
 *
 * The committer only, when code came or went; may sleep. Return: 0; -EAGAIN: nobody knows
 * now; or another errno: its memory is no code's any more, was written to, or became that
 * of other processes, too.
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
 * gpubp_patch_uninstall() - waves do not trap any more; the original bytes are back
 * @ctx: context; no lock is held
 * @patch: patch; gpubp_patch_retire() follows, if this succeeds
 *
 * The committer only; may sleep. Return: 0, or an errno: to be tried again. Waves
 * may still fetch the word then, whatever is in memory: a try before this one may
 * have written it and not have got it flushed.
 */
int gpubp_patch_uninstall(struct gpubp_ctx *ctx, struct gpubp_patch *patch)
{
	return patch_write_orig(ctx, patch, 0);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_patch_uninstall);

/**
 * gpubp_patch_reinstall() - the hardware may have forgotten what is in memory
 * @ctx: context; no lock is held
 * @patch: patch
 *
 * The committer only; may sleep. Return: 0: the word is in memory; or -ENOENT:
 * neither that nor what it replaced is, or another errno.
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

/* ---- for whom ------------------------------------------------------------ */

/**
 * gpubp_patch_get_buf() - let a patch have a buffer for somebody
 * @ctx: context; the device lock is held
 * @patch: patch with its instruction
 * @user: for whom; who comes second shares it
 *
 * Return: 0, or -EBUSY: none is free for @user now.
 */
int gpubp_patch_get_buf(struct gpubp_ctx *ctx, struct gpubp_patch *patch,
			enum gpubp_xol_user user)
{
	struct gpubp_xol_buf *buf;

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

/** gpubp_patch_set_trap() - an event's, too, after gpubp_patch_get_buf(); lock held */
void gpubp_patch_set_trap(struct gpubp_patch *patch, struct gpubp_trap *trap)
{
	patch->trap = trap;
	patch->trap_id = trap->id;
	trap->patch = patch;
}

/** gpubp_patch_set_precise() - the kernel's own, too; likewise */
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

/** gpubp_patch_clear_trap() - it is an escalation's alone; device lock held */
void gpubp_patch_clear_trap(struct gpubp_patch *patch)
{
	patch_unlink_trap(patch);
	patch->trap_id = 0;
	patch_put_buf(patch, GPUBP_XOL_BREAK);
}

/** gpubp_patch_clear_precise() - it is a break's alone; device lock held */
void gpubp_patch_clear_precise(struct gpubp_patch *patch)
{
	patch_unlink_point(patch);
	patch_put_buf(patch, GPUBP_XOL_KERNEL);
}

/**
 * gpubp_patch_abandon() - what is in memory nobody knows
 * @ctx: context; no lock is held
 * @patch: patch: nobody's any more, and the committer's next run tries to take it
 *	out
 */
void gpubp_patch_abandon(struct gpubp_ctx *ctx, struct gpubp_patch *patch)
{
	guard(mutex)(&ctx->dev->lock);
	patch_unlink_trap(patch);
	patch_unlink_point(patch);
}

/**
 * gpubp_patch_add() - a new one that nobody sees as yet
 * @ctx: context; the device lock is held
 * @patch: patch with its instruction and its buffer
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
	patch_put_buf(patch, GPUBP_XOL_KERNEL);
	kfree(patch);
}

/**
 * patch_free_unseen() - a patch that no wave has seen is not needed any more
 * @ctx: context; the device lock is held
 * @patch: patch
 */
static void patch_free_unseen(struct gpubp_ctx *ctx, struct gpubp_patch *patch)
{
	patch_unlink(ctx, patch);
	patch_free(patch);
}

/**
 * gpubp_patch_install() - a patch that was added goes into memory, or away
 * @ctx: context; no lock is held
 * @patch: patch; only valid on return if that is 0
 *
 * The committer only; may sleep. Return: as patch_write_break().
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
 * gpubp_patch_retire() - it is out, but for the waves that met it before
 * @ctx: context; the device lock is held
 * @patch: patch
 */
void gpubp_patch_retire(struct gpubp_ctx *ctx, struct gpubp_patch *patch)
{
	patch_unlink(ctx, patch);
	if (patch->state == GPUBP_PATCH_RETIRED)
		list_add_tail(&patch->node, &ctx->trap->traps.retired);
	else
		patch_free(patch);
}

/* whoever met it has been reported by then, and resolved some time later */
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
 * gpubp_patches_expire() - forget those that no wave can have met
 * @ctx: context; the device lock is held
 *
 * The committer only. Return: false, some are left.
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
 * gpubp_patches_exit() - a context goes: its code is as it was before
 * @ctx: context without waves; no op but ours is called
 *
 * The memory may outlive it: its process's own. May sleep.
 */
void gpubp_patches_exit(struct gpubp_ctx *ctx)
{
	struct gpubp_patch *patch, *tmp;

	list_for_each_entry_safe(patch, tmp, &ctx->trap->traps.patches, node) {
		/* what cannot be written now never can */
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
