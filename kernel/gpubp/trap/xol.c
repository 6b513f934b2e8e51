// SPDX-License-Identifier: GPL-2.0
/* Execution out of line: whose the buffers are, and who is in them. */
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
#define MIN_SESSIONS		2	/* buffers of sessions, else half as many as breaks' */
#define NR_KERNEL		1	/* and of the kernel's own steps */
#define FLUSH_TIMEOUT_MS	1000

/*
 * Breaks that take turns leave their buffers when the last wave that met them has
 * been dealt with: that may take two quanta, in which others need theirs.
 */
#define GENERATIONS		3

unsigned int gpubp_break_slots = 32;
EXPORT_SYMBOL_IF_KUNIT(gpubp_break_slots);
module_param_named(break_slots, gpubp_break_slots, uint, 0644);
MODULE_PARM_DESC(break_slots, "breaks that can be in a context's memory at a time, 1 to 1024; of contexts that have none as yet");

/* ---- the page ------------------------------------------------------------ */

/** gpubp_xol_new_slots() - breaks that a context can have from now on, at a time */
unsigned int gpubp_xol_new_slots(void)
{
	return clamp(READ_ONCE(gpubp_break_slots), 1u, MAX_BREAK_SLOTS + 0u);
}

/* a debugger may keep its buffers for hours: they are none of the breaks' */
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

/* false: somebody was faster */
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
	xol->share[GPUBP_XOL_KERNEL] = nr - slots * GENERATIONS -
				       xol_session_share(slots);
	/* all of it, then where it is; pairs with gpubp_xol_may_contain() */
	smp_store_release(&xol->va, va);
	return true;
}

/**
 * gpubp_xol_init() - let a context have buffers, if it has none yet
 * @ctx: context that is not dead, and is not destroyed meanwhile; no lock is
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

/** gpubp_xol_exit() - the context goes; no wave exists any more */
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

/* ---- who has which ------------------------------------------------------- */

static unsigned int xol_buf_nr_owners(const struct gpubp_xol_buf *buf)
{
	return buf->owners[GPUBP_XOL_BREAK] + buf->owners[GPUBP_XOL_SESSION] +
	       buf->owners[GPUBP_XOL_KERNEL];
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

/* of those that are free, how many are for others */
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
 * One that is a break's, too, is a session's alone when the break has gone: it
 * counts from the beginning.
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
 * gpubp_xol_get() - a buffer for an instruction
 * @ctx: context with buffers; the device lock is held
 * @pc: of the instruction
 * @code: the instruction
 * @len: bytes of it
 * @user: for whom
 *
 * Equal instructions of one place share theirs: it may be written already. What
 * the place had before, or a debugger says it has, is another one.
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
 * gpubp_xol_put() - an owner leaves its buffer; the device lock is held
 * @buf: buffer; waves may still be inside
 * @user: as it was taken
 */
void gpubp_xol_put(struct gpubp_xol_buf *buf, enum gpubp_xol_user user)
{
	WARN_ON_ONCE(!buf->owners[user]);
	buf->owners[user]--;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_put);

/* ---- what is in them ----------------------------------------------------- */

static bool code_is_access(const struct gpubp_isa *isa, const void *code,
			   u8 len)
{
	struct gpubp_insn insn;

	return !isa->decode(code, len, &insn) && insn.is_access;
}

/* returns how far the instruction and what waits for it reach */
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

/* the rest is guards: whatever a wave does behind the instruction, it traps */
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
 * gpubp_xol_write() - put the instruction into its buffer
 * @ctx: context; no lock is held
 * @buf: buffer that the caller has taken
 *
 * May sleep. Does nothing if that was done for another owner. Return: 0,
 * -EFAULT or what the provider's flush returned.
 */
int gpubp_xol_write(struct gpubp_ctx *ctx, struct gpubp_xol_buf *buf)
{
	int err;

	/* pairs with the one who wrote it */
	if (smp_load_acquire(&buf->written))
		return 0;
	err = xol_image_write(ctx, buf->to, buf->code, buf->len);
	if (!err)	/* pairs with the load above, of who steps there, too */
		smp_store_release(&buf->written, true);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_write);

/*
 * Buffers of breaks, events' or the kernel's, are the committer's own. Another one may
 * be taken for another instruction at any time: it is written when it is taken next.
 */
static bool xol_buf_needs_rewrite(struct gpubp_ctx *ctx,
				  struct gpubp_xol_buf *buf)
{
	guard(mutex)(&ctx->dev->lock);
	if (!buf->owners[GPUBP_XOL_BREAK] && !buf->owners[GPUBP_XOL_KERNEL])
		WRITE_ONCE(buf->written, false);
	return buf->written;
}

/**
 * gpubp_xol_rewrite() - the hardware forgot its memory, and no wave is left
 * @ctx: context; no lock is held
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

/* ---- waves --------------------------------------------------------------- */

/**
 * gpubp_xol_enter() - a wave is about to be sent into a buffer
 * @buf: buffer; the device lock is held
 * @may_end: the instruction may end it
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

/** gpubp_xol_leave() - a wave at @pc, in a buffer, was sent out of it; likewise */
void gpubp_xol_leave(struct gpubp_ctx *ctx, u64 pc)
{
	struct gpubp_xol_buf *buf = xol_buf_at(ctx, pc);

	if (buf && buf->inside)
		buf->inside--;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_leave);

/**
 * gpubp_xol_enter_begin() - a wave is to go into a buffer that its owners may leave
 * @buf: buffer; the device lock is held
 * @may_end: the instruction may end it
 *
 * gpubp_xol_enter_end() follows.
 */
void gpubp_xol_enter_begin(struct gpubp_xol_buf *buf, bool may_end)
{
	gpubp_xol_enter(buf, may_end);
	buf->entering++;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_enter_begin);

/**
 * gpubp_xol_enter_end() - its pc says where it is
 * @ctx: context; the device lock is held
 * @to: where the buffer is
 * @there: it was sent there; else it is elsewhere, or gone
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
 * gpubp_xol_find() - which instruction of the program a pc stands for
 * @ctx: context; the device lock is held
 * @pc: of a wave
 * @place: (out) where it is and where it would be
 *
 * Return: false, it is in no buffer.
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

/** gpubp_xol_overlaps() - is any of these bytes a buffer's; device lock held */
bool gpubp_xol_overlaps(const struct gpubp_ctx *ctx, u64 va, u64 len)
{
	const struct gpubp_xol *xol = &ctx->trap->traps.xol;

	lockdep_assert_held(&ctx->dev->lock);
	return xol->va && va < xol->va + xol_pool_size(xol->nr) &&
	       xol->va < va + len;
}

/* ---- waves that did not come out ----------------------------------------- */

/* left by its owners, and some wave may not have come out for it has ended */
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

/* the round that begins; 0: there is nothing to find out */
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
 * A wave in a trap handler, ours or another's, may come from anywhere. Of ours,
 * whoever publishes code may say that it is his. Where there is none but ours, a wave
 * outside of it is where it is, in code that was published or not.
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
 * Nobody is sent into a buffer without owners, and nobody takes it while somebody
 * is inside, so what was listed since it was doubted is all that can be there. What
 * another round has doubted since this one began is not in our list.
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

static int xol_list_waves(struct gpubp_ctx *ctx, struct gpubp_wave_info **info)
{
	const struct gpubp_ops *ops = &ctx->dev->ops;
	int n, max = ops->list_waves(ctx->priv, NULL, 0);

	*info = NULL;
	if (max <= 0)
		return max;
	max += max / 4 + 16;	/* more may be launched meanwhile */
	*info = kvmalloc_array(max, sizeof(**info), GFP_KERNEL | __GFP_NOWARN);
	if (!*info)
		return -ENOMEM;
	n = ops->list_waves(ctx->priv, *info, max);
	return n > max ? -EAGAIN : n;
}

/**
 * gpubp_xol_reclaim() - find out which buffers nobody is in any more
 * @ctx: context; no lock is held
 *
 * Before breaks are put in, and when a session finds no buffer. May sleep.
 * Where waves cannot be listed, a buffer stays out of use if a wave did not come
 * out of it; likewise while some wave is in a trap handler, which with one in front
 * of ours may be wherever no code is known to be.
 */
void gpubp_xol_reclaim(struct gpubp_ctx *ctx)
{
	struct gpubp_wave_info *info;
	u64 round = xol_round_begin(ctx);
	int n;

	if (!round)
		return;
	n = xol_list_waves(ctx, &info);
	if (n >= 0)
		xol_round_end(ctx, info, n, round);
	kvfree(info);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_xol_reclaim);

/** gpubp_xol_any_inside() - as far as is known; the device lock is held */
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

/** gpubp_xol_slots() - breaks that a context can have at a time; device lock held */
unsigned int gpubp_xol_slots(const struct gpubp_ctx *ctx)
{
	const struct gpubp_xol *xol = &ctx->trap->traps.xol;

	lockdep_assert_held(&ctx->dev->lock);
	return xol->nr ? xol->share[GPUBP_XOL_BREAK] / GENERATIONS :
			 gpubp_xol_new_slots();
}

/** gpubp_xol_quota() - steps of a user's that can have buffers; device lock held */
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
