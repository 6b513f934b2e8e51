// SPDX-License-Identifier: GPL-2.0
/* Execution out of line: owners of buffers, their content, waves in them. */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../core/core.h"
#include "handler.h"
#include "trap.h"
#include "xol.h"

#define MAX_BREAK_SLOTS		1024
#define FLUSH_TIMEOUT_MS	1000

/* sessions have half as many buffers as there are slots, at least these */
#define MIN_SESSIONS		2

/* a spare buffer in the share of precise points */
#define NR_KERNEL		1

/*
 * A slot needs several buffers: a break that is rotated out keeps its buffer
 * until the last wave that executed it was handled. That may take two quanta,
 * in which other breaks already need theirs.
 */
#define GENERATIONS		3

unsigned int gpubp_break_slots = 32;
EXPORT_SYMBOL_IF_KUNIT(gpubp_break_slots);
module_param_named(break_slots, gpubp_break_slots, uint, 0644);
MODULE_PARM_DESC(break_slots, "trap slots of a context: breaks in its memory at a time (1-1024); applies to contexts without one yet");

/* ---- the pool ------------------------------------------------------------ */

/** gpubp_xol_new_slots() - trap slots that a context gets if it has none yet */
unsigned int gpubp_xol_new_slots(void)
{
	return clamp(READ_ONCE(gpubp_break_slots), 1u, MAX_BREAK_SLOTS + 0u);
}

/* a share of its own: a debugger may keep its buffers for hours */
static unsigned int xol_session_share(unsigned int slots)
{
	return max(slots / 2, MIN_SESSIONS + 0u);
}

static unsigned int xol_pool_nr(unsigned int slots)
{
	return slots * GENERATIONS + xol_session_share(slots) + NR_KERNEL +
	       gpubp_precise_buffers();
}

static u64 xol_pool_size(unsigned int nr)
{
	return PAGE_ALIGN((u64)nr * GPUBP_XOL_SIZE);
}

static void xol_pool_set_addresses(struct gpubp_xol_buf *buf, unsigned int nr,
				   u64 va)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		buf[i].to = va + (u64)i * GPUBP_XOL_SIZE;
}

/* Return: false: another caller published a pool first. */
static bool xol_pool_publish(struct gpubp_ctx *ctx, struct gpubp_xol_buf *buf,
			     unsigned int nr, unsigned int slots, u64 va)
{
	struct gpubp_xol *xol = &ctx->trap->traps.xol;

	guard(mutex)(&ctx->dev->lock);
	if (xol->buf)
		return false;
	xol_pool_set_addresses(buf, nr, va);
	xol->buf = buf;
	xol->nr = nr;
	INIT_LIST_HEAD(&xol->steps);
	xol->share[GPUBP_XOL_BREAK] = slots * GENERATIONS;
	xol->share[GPUBP_XOL_SESSION] = xol_session_share(slots);
	xol->share[GPUBP_XOL_PRECISE] = nr - slots * GENERATIONS -
				       xol_session_share(slots);
	/* last: pairs with the acquire in gpubp_xol_may_contain() */
	smp_store_release(&xol->va, va);
	return true;
}

/**
 * gpubp_xol_init() - allocate the buffers of a context, if it has none yet
 * @ctx: context that is not dead, and not destroyed during the call; no lock is
 *	held
 *
 * May sleep. Return: 0, -ENOMEM, or the provider's errno.
 */
int gpubp_xol_init(struct gpubp_ctx *ctx)
{
	const struct gpubp_ops *ops = &ctx->dev->ops;
	unsigned int slots = gpubp_xol_new_slots();
	unsigned int nr = xol_pool_nr(slots);
	struct gpubp_xol_buf *buf;
	u64 va;
	int err;

	if (READ_ONCE(ctx->trap->traps.xol.va))
		return 0;
	buf = kvcalloc(nr, sizeof(*buf), GFP_KERNEL_ACCOUNT);
	if (!buf)
		return -ENOMEM;
	err = ops->code_alloc(ctx->priv, xol_pool_size(nr), &va);
	if (!err && xol_pool_publish(ctx, buf, nr, slots, va))
		return 0;
	if (!err)
		ops->code_free(ctx->priv, va);
	kvfree(buf);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_init);

/** gpubp_xol_exit() - free the buffers of a context without waves */
void gpubp_xol_exit(struct gpubp_ctx *ctx)
{
	struct gpubp_xol *xol = &ctx->trap->traps.xol;

	if (!xol->buf)
		return;
	ctx->dev->ops.code_free(ctx->priv, xol->va);
	kvfree(xol->buf);
	*xol = (struct gpubp_xol) {};
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_exit);

/* ---- owners -------------------------------------------------------------- */

static unsigned int xol_buf_nr_owners(const struct gpubp_xol_buf *buf)
{
	return buf->owners[GPUBP_XOL_BREAK] + buf->owners[GPUBP_XOL_SESSION] +
	       buf->owners[GPUBP_XOL_PRECISE];
}

static bool xol_buf_is_free(const struct gpubp_xol_buf *buf)
{
	return !xol_buf_nr_owners(buf) && !buf->inside && !buf->entering &&
	       !buf->may_end;
}

static unsigned int xol_nr_owned(const struct gpubp_xol *xol,
				 enum gpubp_xol_user user)
{
	unsigned int i, n = 0;

	for (i = 0; i < xol->nr; i++)
		n += !!xol->buf[i].owners[user];
	return n;
}

/* free buffers that must be left to the shares of other kinds of owners */
static unsigned int xol_nr_reserved(const struct gpubp_xol *xol,
				    enum gpubp_xol_user user)
{
	unsigned int other, taken, n = 0;

	for (other = 0; other < GPUBP_XOL_NR_USERS; other++) {
		taken = xol_nr_owned(xol, other);
		if (other != user && taken < xol->share[other])
			n += xol->share[other] - taken;
	}
	return n;
}

/*
 * A buffer that is shared with another kind of owner counts fully for each
 * kind: when the other owners leave it, this kind is its only owner.
 */
static bool xol_may_own(const struct gpubp_xol *xol,
			const struct gpubp_xol_buf *owned,
			enum gpubp_xol_user user)
{
	return (owned && owned->owners[user]) ||
	       xol_nr_owned(xol, user) < xol->share[user];
}

static bool xol_buf_is_for(const struct gpubp_xol_buf *buf, u64 pc,
			   const void *code, u8 len)
{
	return buf->from == pc && buf->len == len &&
	       !memcmp(buf->code, code, len);
}

static struct gpubp_xol_buf *xol_find_owned(struct gpubp_xol *xol, u64 pc,
					    const void *code, u8 len)
{
	unsigned int i;

	for (i = 0; i < xol->nr; i++)
		if (xol_buf_nr_owners(&xol->buf[i]) &&
		    xol_buf_is_for(&xol->buf[i], pc, code, len))
			return &xol->buf[i];
	return NULL;
}

static struct gpubp_xol_buf *xol_find_free(struct gpubp_xol *xol,
					   enum gpubp_xol_user user)
{
	unsigned int i, n = 0, least = xol_nr_reserved(xol, user);
	struct gpubp_xol_buf *found = NULL;

	for (i = 0; i < xol->nr; i++) {
		if (!xol_buf_is_free(&xol->buf[i]))
			continue;
		found = found ?: &xol->buf[i];
		n++;
	}
	return n > least ? found : NULL;
}

/**
 * gpubp_xol_get() - get a buffer for an instruction
 * @ctx: context with buffers; the device lock is held
 * @pc: address of the instruction
 * @code: its bytes
 * @len: number of bytes
 * @user: kind of the owner
 *
 * Owners of the same bytes at the same address share a buffer, which may be
 * written already. Other bytes at this address (code that was replaced, or that
 * a debugger passed) get another buffer. gpubp_xol_put() follows.
 *
 * Return: the buffer, or NULL: none is free for @user now.
 */
struct gpubp_xol_buf *gpubp_xol_get(struct gpubp_ctx *ctx, u64 pc,
				    const void *code, u8 len,
				    enum gpubp_xol_user user)
{
	struct gpubp_xol *xol = &ctx->trap->traps.xol;
	struct gpubp_xol_buf *buf = xol_find_owned(xol, pc, code, len);

	lockdep_assert_held(&ctx->dev->lock);
	if (!xol_may_own(xol, buf, user))
		return NULL;
	if (!buf) {
		buf = xol_find_free(xol, user);
		if (!buf)
			return NULL;
		buf->from = pc;
		buf->len = len;
		memcpy(buf->code, code, len);
		buf->written = false;
		buf->unsure_since = 0;
	}
	buf->owners[user]++;
	return buf;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_get);

/**
 * gpubp_xol_put() - an owner gives its buffer back
 * @buf: buffer; waves may still be inside
 * @user: kind of the owner, as in gpubp_xol_get()
 *
 * The caller holds the device lock. A buffer does not know its device: patch.c
 * asserts the lock where a patch is unlinked, session/displaced.c takes it.
 */
void gpubp_xol_put(struct gpubp_xol_buf *buf, enum gpubp_xol_user user)
{
	WARN_ON_ONCE(!buf->owners[user]);
	buf->owners[user]--;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_put);

/* ---- content ------------------------------------------------------------- */

static bool code_is_access(const struct gpubp_isa *isa, const void *code,
			   u8 len)
{
	struct gpubp_insn insn;

	return !isa->decode(code, len, &insn) && insn.is_access;
}

/* Return: bytes of the instruction and of the wait that follows an access. */
static unsigned int xol_image_put_insn(const struct gpubp_isa *isa, u8 *image,
				       const void *code, u8 len)
{
	memcpy(image, code, len);
	if (!isa->drain_len || !code_is_access(isa, code, len))
		return len;
	memcpy(image + len, &isa->drain_word, isa->drain_len);
	return len + isa->drain_len;
}

static_assert(GPUBP_MAX_INSN + 2 * sizeof(u32) <= GPUBP_XOL_SIZE);

/* guards fill the rest: a wave traps wherever it goes after the instruction */
static void xol_image_fill(const struct gpubp_isa *isa, u8 *image,
			   const void *code, u8 len)
{
	unsigned int at;

	for (at = xol_image_put_insn(isa, image, code, len);
	     at + isa->break_len <= GPUBP_XOL_SIZE; at += isa->break_len)
		memcpy(image + at, &isa->break_word, isa->break_len);
}

static int xol_image_write(struct gpubp_ctx *ctx, u64 to, const void *code,
			   u8 len)
{
	u8 image[GPUBP_XOL_SIZE] = {};

	xol_image_fill(ctx->dev->desc.isa, image, code, len);
	if (gpubp_ctx_global_rw(ctx, to, image, sizeof(image),
				GPUBP_MEM_WRITE) != sizeof(image))
		return -EFAULT;
	return ctx->dev->ops.flush(ctx->priv, GPUBP_FLUSH_CODE,
				   FLUSH_TIMEOUT_MS);
}

/**
 * gpubp_xol_write() - write the instruction into its buffer
 * @ctx: context; no lock is held
 * @buf: buffer that the caller owns
 *
 * May sleep. Does nothing if it was written for another owner. Return: 0,
 * -EFAULT, or the errno of the provider's flush.
 */
int gpubp_xol_write(struct gpubp_ctx *ctx, struct gpubp_xol_buf *buf)
{
	int err;

	/* pairs with the release below */
	if (smp_load_acquire(&buf->written))
		return 0;
	err = xol_image_write(ctx, buf->to, buf->code, buf->len);
	if (!err)	/* pairs with the acquire above, in each owner */
		smp_store_release(&buf->written, true);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_write);

/*
 * Buffers of breaks and precise points change in the committer only, so it can
 * rewrite them. A session may take and free its own at any time: they are
 * marked as not written, and written when they are owned next.
 */
static bool xol_buf_needs_rewrite(struct gpubp_ctx *ctx,
				  struct gpubp_xol_buf *buf)
{
	guard(mutex)(&ctx->dev->lock);
	if (!buf->owners[GPUBP_XOL_BREAK] && !buf->owners[GPUBP_XOL_PRECISE])
		WRITE_ONCE(buf->written, false);
	return buf->written;
}

/**
 * gpubp_xol_rewrite() - write buffers again after a reset lost the memory
 * @ctx: context without older waves; no lock is held
 *
 * The committer only. May sleep. Return: 0 or an errno.
 */
int gpubp_xol_rewrite(struct gpubp_ctx *ctx)
{
	struct gpubp_xol *xol = &ctx->trap->traps.xol;
	unsigned int i;
	int err = 0;

	for (i = 0; i < READ_ONCE(xol->nr) && !err; i++)
		if (xol_buf_needs_rewrite(ctx, &xol->buf[i]))
			err = xol_image_write(ctx, xol->buf[i].to,
					      xol->buf[i].code,
					      xol->buf[i].len);
	return err;
}

/* ---- waves in buffers ---------------------------------------------------- */

/**
 * gpubp_xol_enter() - a wave is about to be sent into a buffer
 * @buf: buffer; the device lock is held: session/displaced.c takes it
 * @may_end: the instruction may end the wave
 */
void gpubp_xol_enter(struct gpubp_xol_buf *buf, bool may_end)
{
	buf->inside++;
	buf->may_end |= may_end;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_enter);

static struct gpubp_xol_buf *xol_buf_at(const struct gpubp_ctx *ctx, u64 pc)
{
	const struct gpubp_xol *xol = &ctx->trap->traps.xol;
	u64 n = pc - xol->va;

	lockdep_assert_held(&ctx->dev->lock);
	if (!xol->va || pc < xol->va)
		return NULL;
	n /= GPUBP_XOL_SIZE;
	return n < xol->nr && xol->buf[n].len ? &xol->buf[n] : NULL;
}

/** gpubp_xol_leave() - a wave left the buffer at @pc; device lock held */
void gpubp_xol_leave(struct gpubp_ctx *ctx, u64 pc)
{
	struct gpubp_xol_buf *buf = xol_buf_at(ctx, pc);

	if (buf && buf->inside)
		buf->inside--;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_leave);

/**
 * gpubp_xol_enter_begin() - a wave is about to be sent into a buffer of others
 * @buf: buffer, which its owners may put at any time; the device lock is held,
 *	as gpubp_patch_find() in the caller asserts
 * @may_end: the instruction may end the wave
 *
 * gpubp_xol_enter_end() follows when its pc was written.
 */
void gpubp_xol_enter_begin(struct gpubp_xol_buf *buf, bool may_end)
{
	gpubp_xol_enter(buf, may_end);
	buf->entering++;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_enter_begin);

/**
 * gpubp_xol_enter_end() - the pc of the wave was written, or could not be
 * @ctx: context; the device lock is held
 * @to: address of the buffer
 * @there: the wave was sent there; false: it is elsewhere, or gone
 */
void gpubp_xol_enter_end(struct gpubp_ctx *ctx, u64 to, bool there)
{
	struct gpubp_xol_buf *buf = xol_buf_at(ctx, to);

	if (WARN_ON_ONCE(!buf || !buf->entering))
		return;
	buf->entering--;
	if (!there)
		gpubp_xol_leave(ctx, to);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_enter_end);

/**
 * gpubp_xol_find() - find the buffer that contains a pc
 * @ctx: context; the device lock is held
 * @pc: pc of a wave
 * @place: (out) the buffer, and the instruction it is for
 *
 * Return: false: @pc is in no buffer.
 */
bool gpubp_xol_find(const struct gpubp_ctx *ctx, u64 pc,
		    struct gpubp_xol_place *place)
{
	const struct gpubp_xol_buf *buf = xol_buf_at(ctx, pc);

	if (!buf)
		return false;
	*place = (struct gpubp_xol_place) {
		.from = buf->from, .to = buf->to, .len = buf->len,
	};
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_find);

/** gpubp_xol_overlaps() - do these bytes overlap the pool; device lock held */
bool gpubp_xol_overlaps(const struct gpubp_ctx *ctx, u64 va, u64 len)
{
	const struct gpubp_xol *xol = &ctx->trap->traps.xol;

	lockdep_assert_held(&ctx->dev->lock);
	return xol->va && va < xol->va + xol_pool_size(xol->nr) &&
	       xol->va < va + len;
}

/* ---- waves that ended in a buffer ---------------------------------------- */

/* without owners, and a wave that is counted inside may have ended */
static bool xol_buf_is_unsure(const struct gpubp_xol_buf *buf)
{
	return !xol_buf_nr_owners(buf) && !buf->entering &&
	       (buf->inside || buf->may_end);
}

static void xol_buf_update_unsure(struct gpubp_xol_buf *buf, u64 round)
{
	if (!xol_buf_is_unsure(buf))
		buf->unsure_since = 0;
	else if (!buf->unsure_since)
		buf->unsure_since = round;
}

/* Return: the number of the round; 0: no buffer is unsure. */
static u64 xol_round_begin(struct gpubp_ctx *ctx)
{
	struct gpubp_xol *xol = &ctx->trap->traps.xol;
	bool any = false;
	unsigned int i;

	guard(mutex)(&ctx->dev->lock);
	xol->rounds++;
	for (i = 0; i < xol->nr; i++) {
		xol_buf_update_unsure(&xol->buf[i], xol->rounds);
		any |= xol->buf[i].unsure_since;
	}
	return any ? xol->rounds : 0;
}

static bool xol_buf_contains(const struct gpubp_xol_buf *buf, u64 pc)
{
	return pc >= buf->to && pc < buf->to + GPUBP_XOL_SIZE;
}

static unsigned int xol_buf_count_waves(const struct gpubp_xol_buf *buf,
					const struct gpubp_wave_info *info,
					int nr)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < nr; i++)
		n += xol_buf_contains(buf, info[i].pc);
	return n;
}

static bool xol_pool_contains(const struct gpubp_ctx *ctx, u64 pc)
{
	const struct gpubp_xol *xol = &ctx->trap->traps.xol;

	return pc >= xol->va && pc - xol->va < xol_pool_size(xol->nr);
}

static bool pc_is_in_code(const struct gpubp_ctx *ctx, u64 pc)
{
	const struct gpubp_name *n;

	list_for_each_entry(n, &ctx->names, node)
		if (n->code && pc >= n->va && pc - n->va < n->size)
			return true;
	return false;
}

/*
 * A wave in a trap handler, the core's or another, may return to a buffer: its
 * pc says nothing. The core's handler is checked first, since a provider may
 * publish it as code. If it is the first-level handler there is no other one,
 * so that any other pc is where the wave is, in published code or not.
 */
static bool pc_is_known(const struct gpubp_ctx *ctx, u64 pc)
{
	if (xol_pool_contains(ctx, pc))
		return true;
	if (gpubp_handler_overlaps(ctx, pc, 1))
		return false;
	return ctx->dev->desc.caps.trap_level == GPUBP_TRAP_FIRST ||
	       pc_is_in_code(ctx, pc);
}

static bool all_pcs_known(const struct gpubp_ctx *ctx,
			  const struct gpubp_wave_info *info, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (!pc_is_known(ctx, info[i].pc))
			return false;
	return true;
}

/*
 * No wave is sent into a buffer without owners, and such a buffer is not owned
 * again while waves are inside. The list was made after the buffer became
 * unsure, so it contains all waves that can be inside. Buffers that a
 * concurrent round found unsure after this round began are skipped: the list
 * may be too old.
 */
static void xol_round_end(struct gpubp_ctx *ctx,
			  const struct gpubp_wave_info *info, int nr, u64 round)
{
	struct gpubp_xol *xol = &ctx->trap->traps.xol;
	unsigned int i;

	guard(mutex)(&ctx->dev->lock);
	if (!all_pcs_known(ctx, info, nr))
		return;
	for (i = 0; i < xol->nr; i++) {
		struct gpubp_xol_buf *buf = &xol->buf[i];

		if (!buf->unsure_since || buf->unsure_since > round ||
		    !xol_buf_is_unsure(buf))
			continue;
		buf->inside = xol_buf_count_waves(buf, info, nr);
		buf->may_end = false;
		buf->unsure_since = 0;
	}
}

/**
 * gpubp_xol_reclaim() - free buffers whose waves have ended inside
 * @ctx: context; no lock is held
 *
 * Called before breaks are inserted, and when a session finds no buffer. May
 * sleep. Where the provider cannot list waves, a buffer in which a wave ended
 * stays out of use. Nothing is freed while some wave is in a trap handler; with
 * another first-level handler, while some wave is outside of known code.
 */
void gpubp_xol_reclaim(struct gpubp_ctx *ctx)
{
	struct gpubp_wave_info *info;
	u64 round = xol_round_begin(ctx);
	int n;

	if (!round)
		return;
	n = gpubp_waves_list_once(ctx, &info);
	if (n >= 0)
		xol_round_end(ctx, info, n, round);
	kvfree(info);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_reclaim);

/** gpubp_xol_any_inside() - may waves be in buffers; the device lock is held */
bool gpubp_xol_any_inside(const struct gpubp_ctx *ctx)
{
	const struct gpubp_xol *xol = &ctx->trap->traps.xol;
	unsigned int i;

	lockdep_assert_held(&ctx->dev->lock);
	for (i = 0; i < xol->nr; i++)
		if (xol->buf[i].inside)
			return true;
	return false;
}

/** gpubp_xol_slots() - trap slots of a context; the device lock is held */
unsigned int gpubp_xol_slots(const struct gpubp_ctx *ctx)
{
	const struct gpubp_xol *xol = &ctx->trap->traps.xol;

	lockdep_assert_held(&ctx->dev->lock);
	return xol->nr ? xol->share[GPUBP_XOL_BREAK] / GENERATIONS :
			 gpubp_xol_new_slots();
}

/** gpubp_xol_quota() - buffers that a user's steps can own; device lock held */
unsigned int gpubp_xol_quota(const struct gpubp_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	return ctx->trap->traps.xol.share[GPUBP_XOL_SESSION] / 2;
}

/** gpubp_xol_in_use() - buffers that are not free; the device lock is held */
unsigned int gpubp_xol_in_use(const struct gpubp_ctx *ctx)
{
	const struct gpubp_xol *xol = &ctx->trap->traps.xol;
	unsigned int i, n = 0;

	lockdep_assert_held(&ctx->dev->lock);
	for (i = 0; i < xol->nr; i++)
		n += !xol_buf_is_free(&xol->buf[i]);
	return n;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_in_use);
