// SPDX-License-Identifier: GPL-2.0
/*
 * Displaced steps: start, step, complete; and single steps past breaks.
 *
 * Nobody waits for a buffer, as whoever has one may keep it for hours: it is
 * -ENOBUFS. A user can have half of those that are for sessions: see xol.h.
 */
#include <kunit/visibility.h>
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/gpubp.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../trap/trap.h"
#include "displaced.h"
#include "hold.h"
#include "runctl.h"
#include "session.h"

/* how long to wait for traps, and how often to look whether it is in vain */
#define READY_TIMEOUT	(10 * HZ)
#define READY_SLICE	(HZ / 4)

/*
 * One into a break, whose hit sends the wave into its buffer, and one there; either may
 * execute nothing.
 */
#define MAX_STEPS	4

static atomic64_t last_id = ATOMIC64_INIT(0);

/* ---- may waves of a context be stepped ----------------------------------- */

static bool want_traps(struct gpubp_ctx *ctx)
{
	guard(mutex)(&ctx->dev->lock);
	if (ctx->handler_failed)
		return false;
	ctx->stepped = true;
	return true;
}

static int are_ready(struct gpubp_ctx *ctx)
{
	guard(mutex)(&ctx->dev->lock);
	if (ctx->handler_failed)
		return -EOPNOTSUPP;
	return ctx->prog.watch_traps && !gpubp_clock_pending(ctx) ? 0 : -EAGAIN;
}

static int wait_ready(struct gpubp_ctx *ctx)
{
	int i, err = -ETIMEDOUT;

	for (i = 0; err == -ETIMEDOUT && i < READY_TIMEOUT / READY_SLICE; i++) {
		err = gpubp_ctx_op_check(ctx);
		if (!err)
			err = gpubp_request_wait_timeout(ctx->dev, READY_SLICE) ?:
				      gpubp_trap_enable_wait(ctx, READY_SLICE);
	}
	return err;
}

/**
 * steps_ready() - let waves of a context have what a step takes
 * @ctx: context, visited
 *
 * The trap handler, that is, which stops a wave behind an instruction; for good,
 * as others may be stepping. May sleep. Return: 0, -EOPNOTSUPP, -EAGAIN (not
 * now), -ESRCH (the context is going), -EINTR.
 */
static int steps_ready(struct gpubp_ctx *ctx)
{
	int err = are_ready(ctx);

	if (err != -EAGAIN)
		return err;
	if (!want_traps(ctx))
		return -EOPNOTSUPP;
	gpubp_request_ctx(ctx);
	err = wait_ready(ctx);
	return err == -ETIMEDOUT ? -EAGAIN : err ?: are_ready(ctx);
}

/* ---- single step --------------------------------------------------------- */

static bool find_place(struct gpubp_ctx *ctx, u64 pc,
		       struct gpubp_xol_place *place)
{
	guard(mutex)(&ctx->dev->lock);
	return gpubp_xol_find(ctx, pc, place);
}

static void leave(struct gpubp_ctx *ctx, u64 pc)
{
	guard(mutex)(&ctx->dev->lock);
	gpubp_xol_leave(ctx, pc);
}

static int come_out(struct gpubp_ctx *ctx, u64 wave,
		    const struct gpubp_xol_place *place)
{
	int err = gpubp_pc_write(ctx->dev, wave, place->from + place->len);

	if (!err)
		leave(ctx, place->to);
	return err;
}

static int step_once(struct gpubp_ctx *ctx, u64 wave)
{
	const struct gpubp_device *dev = ctx->dev;
	struct gpubp_waves waves = { .ctx = ctx->priv, .wave = &wave, .nr = 1 };
	int err = dev->ops.step(dev->priv, &waves);

	/* what hit in the step, or met a break, is where it goes on */
	kthread_flush_worker(dev->resolver);
	return err;
}

/* where a wave is, which leaves the buffer where it is done in there */
static int find_pc(struct gpubp_ctx *ctx, u64 wave, u64 *pc)
{
	struct gpubp_xol_place place;
	int err = gpubp_pc_read(ctx->dev, wave, pc);

	if (err || !find_place(ctx, *pc, &place) ||
	    !gpubp_xol_is_behind(&place, *pc))
		return err;
	*pc = place.from + place.len;
	return come_out(ctx, wave, &place);
}

/* -EAGAIN: it met a break, and has the instruction still before it */
static int after_step(struct gpubp_ctx *ctx, u64 wave)
{
	struct gpubp_xol_place place;
	u64 pc;
	int err = find_pc(ctx, wave, &pc);

	if (err)
		return err;
	return find_place(ctx, pc, &place) && pc == place.to ? -EAGAIN : 0;
}

/* is it where it was, and no instruction that may leave it there */
static bool has_stayed(struct gpubp_ctx *ctx, u64 wave, u64 pc)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	u8 code[GPUBP_MAX_INSN];
	struct gpubp_insn insn;
	ssize_t n;
	u64 now;

	if (gpubp_pc_read(ctx->dev, wave, &now) || now != pc)
		return false;
	n = gpubp_patch_read(ctx, pc, code, isa->insn_max, GPUBP_MEM_WAIT);
	return n > 0 && !isa->decode(code, n, &insn) &&
	       insn.step == GPUBP_STEP_DISPLACED;
}

/* -EAGAIN: the next one may do it; as for debuggers, who ask until it moved */
static int try_step(struct gpubp_ctx *ctx, u64 wave)
{
	u64 pc;
	int err;

	err = gpubp_pc_read(ctx->dev, wave, &pc) ?: step_once(ctx, wave) ?:
	      after_step(ctx, wave);
	if (err)
		return err;
	return has_stayed(ctx, wave, pc) ? -EAGAIN : 0;
}

/*
 * Through a break, too, which counts it; a guard is no instruction. A trap that the
 * wave had yet to take may come in place of the instruction.
 */
static int step_in_program(struct gpubp_ctx *ctx, u64 wave)
{
	u64 pc;
	int i, err = find_pc(ctx, wave, &pc) ?: -EAGAIN;

	for (i = 0; err == -EAGAIN && i < MAX_STEPS; i++)
		err = try_step(ctx, wave);
	return err;
}

/* where the wave of a displaced step is */
enum progress {
	PLACED,		/* in front of the instruction */
	DONE,		/* behind it */
	OUT,		/* a hit behind it has sent it back into the program */
};

static bool is_done(const struct gpubp_dstep *d, u64 pc)
{
	return pc >= d->to + d->len && pc < d->to + GPUBP_XOL_SIZE;
}

static int progress(struct gpubp_ctx *ctx, u64 wave,
		    const struct gpubp_dstep *d, enum progress *p)
{
	u64 pc;
	int err;

	*p = d->simulated ? DONE : PLACED;
	if (!d->buf)
		return 0;
	err = gpubp_pc_read(ctx->dev, wave, &pc);
	if (err)
		return err;
	*p = pc == d->to ? PLACED : is_done(d, pc) ? DONE : OUT;
	return 0;
}

static int step_displaced(struct gpubp_ctx *ctx, u64 wave,
			  struct gpubp_dstep *d)
{
	enum progress p;
	int err = progress(ctx, wave, d, &p);

	if (err)
		return err;
	if (p != PLACED)
		return -EINPROGRESS;
	if (d->buf)
		return step_once(ctx, wave);
	err = gpubp_pc_simulate(ctx->dev, wave, &d->insn, d->from);
	d->simulated = !err;
	return err;
}

/**
 * gpubp_wave_step() - let a wave execute one instruction
 * @who: session at work, which holds the wave
 * @wave: its id
 *
 * Return: 0; -ESRCH, it ended, and is not held any more; -EBADFD, -EBUSY;
 * -EINPROGRESS, its displaced step is to be completed; and as
 * steps_ready().
 */
int gpubp_wave_step(const struct gpubp_holder *who, u64 wave)
{
	struct gpubp_dstep *d;
	int err = gpubp_move_begin(who, wave);

	if (err)
		return err;
	d = gpubp_hold_dstep(who, wave);
	err = steps_ready(who->ctx) ?:
	      d ? step_displaced(who->ctx, wave, d) :
		  step_in_program(who->ctx, wave);
	if (err == -ESRCH)
		gpubp_move_ended(who, wave);
	else
		gpubp_move_end(who, wave);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_wave_step);

/* ---- buffers ------------------------------------------------------------- */

static bool may_have_more(const struct gpubp_ctx *ctx,
			  const struct gpubp_user *user)
{
	const struct gpubp_dstep *d;
	unsigned int nr = 0;

	list_for_each_entry(d, &ctx->trap->traps.xol.steps, node)
		nr += d->user == user;
	return nr < gpubp_xol_quota(ctx);
}

static bool try_take(const struct gpubp_holder *who, struct gpubp_dstep *d,
		     const u8 *code)
{
	struct gpubp_ctx *ctx = who->ctx;

	guard(mutex)(&ctx->dev->lock);
	if (!may_have_more(ctx, who->session->user))
		return false;
	d->buf = gpubp_xol_get(ctx, d->from, code, d->len, GPUBP_XOL_SESSION);
	if (!d->buf)
		return false;
	d->to = d->buf->to;
	d->user = who->session->user;
	list_add(&d->node, &ctx->trap->traps.xol.steps);
	return true;
}

/* waves that ended in theirs may have left some */
static bool take(const struct gpubp_holder *who, struct gpubp_dstep *d,
		 const u8 *code)
{
	if (try_take(who, d, code))
		return true;
	gpubp_xol_reclaim(who->ctx);
	return try_take(who, d, code);
}

static void give_back(struct gpubp_ctx *ctx, struct gpubp_dstep *d, bool inside)
{
	if (!d->buf)
		return;
	guard(mutex)(&ctx->dev->lock);
	if (inside)
		gpubp_xol_leave(ctx, d->to);
	gpubp_xol_put(d->buf, GPUBP_XOL_SESSION);
	list_del(&d->node);
	d->buf = NULL;
}

/**
 * gpubp_dstep_abandon() - the wave of a displaced step is gone
 * @ctx: context, visited
 * @d: the step
 */
void gpubp_dstep_abandon(struct gpubp_ctx *ctx, struct gpubp_dstep *d)
{
	/* whether it was inside when it ended finds out who needs the buffer */
	give_back(ctx, d, false);
}

static u64 pc_after(const struct gpubp_dstep *d, enum progress p)
{
	return p == DONE ? d->from + d->len : d->from;
}

/*
 * A break that has counted the wave shall not meet it again: it stays in the
 * buffer that it was in, as if nothing had been.
 */
static bool stays(const struct gpubp_dstep *d, enum progress p)
{
	return p == OUT || (p == PLACED && d->was_inside);
}

/**
 * gpubp_dstep_end() - move the wave of a displaced step back into the program
 * @ctx: context, visited
 * @wave: its id; it is halted
 * @d: the step; its buffer is given back unless this fails
 * @done: (out) the instruction was executed
 *
 * Return: 0, -ESRCH (the wave is gone, and the buffer given back), or what the
 * provider says.
 */
int gpubp_dstep_end(struct gpubp_ctx *ctx, u64 wave, struct gpubp_dstep *d,
		    bool *done)
{
	enum progress p;
	int err = progress(ctx, wave, d, &p);

	if (!err && d->buf && !stays(d, p))
		err = gpubp_pc_write(ctx->dev, wave, pc_after(d, p));
	if (err && err != -ESRCH)
		return err;
	*done = !err && p != PLACED;
	give_back(ctx, d, !err && !stays(d, p));
	return err;
}

/* ---- start --------------------------------------------------------------- */

static_assert(GPUBP_INSN_MAX == GPUBP_MAX_INSN);

/**
 * struct bytes - an instruction that a debugger says is at the pc
 * @len: bytes of @code
 * @code: the instruction, and perhaps more
 */
struct bytes {
	unsigned int len;
	u8 code[GPUBP_MAX_INSN];
};

static ssize_t read_code(struct gpubp_ctx *ctx, u64 pc,
			 const struct bytes *told, u8 *code)
{
	if (!told)
		return gpubp_patch_read(ctx, pc, code,
					ctx->dev->desc.isa->insn_max,
					GPUBP_MEM_WAIT);
	memcpy(code, told->code, told->len);
	return told->len;
}

static int decode(struct gpubp_ctx *ctx, struct gpubp_dstep *d,
		  const struct bytes *told, u8 *code)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	ssize_t n = read_code(ctx, d->from, told, code);

	if (n <= 0)
		return -EFAULT;
	if (isa->decode(code, n, &d->insn) < 0 ||
	    d->insn.step == GPUBP_STEP_NEVER)
		return -EILSEQ;
	d->len = d->insn.len;
	return 0;
}

static void enter(struct gpubp_ctx *ctx, const struct gpubp_dstep *d)
{
	guard(mutex)(&ctx->dev->lock);
	gpubp_xol_enter(d->buf, d->insn.step == GPUBP_STEP_END);
	gpubp_precise_doubt(ctx, d->from);
}

/* a wave that is in a break's buffer goes on from there */
static int place(const struct gpubp_holder *who, u64 wave,
		 struct gpubp_dstep *d, const u8 *code, u64 pc)
{
	struct gpubp_ctx *ctx = who->ctx;
	int err = gpubp_xol_init(ctx);

	if (err)
		return err;
	if (!take(who, d, code))
		return -ENOBUFS;
	err = gpubp_xol_write(ctx, d->buf);
	if (!err && pc == d->to) {
		d->was_inside = true;
		return 0;
	}
	if (!err) {
		enter(ctx, d);
		err = gpubp_pc_write(ctx->dev, wave, d->to);
		if (!err && pc != d->from)
			leave(ctx, pc);
		if (!err)
			return 0;
		leave(ctx, d->to);
	}
	give_back(ctx, d, false);
	return err;
}

static int prepare(const struct gpubp_holder *who, u64 wave,
		   const struct bytes *told, struct gpubp_dstep *d)
{
	struct gpubp_ctx *ctx = who->ctx;
	u8 code[GPUBP_MAX_INSN];
	u64 pc;
	int err = find_pc(ctx, wave, &pc);

	if (err)
		return err;
	d->from = gpubp_pc_shown(ctx, pc);
	err = decode(ctx, d, told, code);
	if (err)
		return err;
	if (d->insn.step == GPUBP_STEP_SIMULATED && pc == d->from)
		return ctx->dev->desc.isa->simulate ? 0 : -EILSEQ;
	if (d->insn.step == GPUBP_STEP_SIMULATED && told)
		return -EILSEQ;	/* of another one a break has counted it */
	return place(who, wave, d, code, pc);
}

static int check_start(const struct gpubp_holder *who, u64 wave)
{
	const struct gpubp_device *dev = who->ctx->dev;

	if (!dev->can_trap || !dev->desc.caps.can_step)
		return -EOPNOTSUPP;
	return gpubp_hold_dstep(who, wave) ? -EALREADY : 0;
}

static void tell(struct gpubp_displaced *arg, const struct gpubp_dstep *d,
		 bool done)
{
	arg->id = d->id;
	arg->from = d->from;
	arg->to = d->to;
	arg->len = d->len;
	arg->state = done ? GPUBP_DISPLACED_DONE : GPUBP_DISPLACED_PLACED;
}

static int start(const struct gpubp_holder *who, struct gpubp_displaced *arg,
		 const struct bytes *told)
{
	struct gpubp_dstep *d = kzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);
	int err;

	if (!d)
		return -ENOMEM;
	d->id = atomic64_inc_return(&last_id);
	err = prepare(who, arg->wave, told, d);
	if (err) {
		kfree(d);
		return err;
	}
	tell(arg, d, false);
	gpubp_hold_set_dstep(who, arg->wave, d);
	return 0;
}

static int start_moving(const struct gpubp_holder *who,
			struct gpubp_displaced *arg, const struct bytes *told)
{
	int err = check_start(who, arg->wave) ?:
		  gpubp_move_begin(who, arg->wave);

	if (err)
		return err;
	err = steps_ready(who->ctx) ?: start(who, arg, told);
	if (err == -ESRCH)
		gpubp_move_ended(who, arg->wave);
	else
		gpubp_move_end(who, arg->wave);
	return err;
}

/* ---- complete, info ------------------------------------------------------ */

static struct gpubp_dstep *find(const struct gpubp_holder *who,
				const struct gpubp_displaced *arg)
{
	struct gpubp_dstep *d = gpubp_hold_dstep(who, arg->wave);

	return d && d->id == arg->id ? d : NULL;
}

static int complete_step(const struct gpubp_holder *who,
			 struct gpubp_displaced *arg, const struct bytes *told)
{
	struct gpubp_dstep *d = find(who, arg);
	bool done;
	int err;

	if (!d)
		return -ENOENT;
	err = gpubp_dstep_end(who->ctx, arg->wave, d, &done);
	if (err && err != -ESRCH)
		return err;
	tell(arg, d, done);
	gpubp_hold_set_dstep(who, arg->wave, NULL);
	kfree(d);
	return err;
}

static int info(const struct gpubp_holder *who, struct gpubp_displaced *arg,
		const struct bytes *told)
{
	const struct gpubp_dstep *d = find(who, arg);
	enum progress p;
	int err;

	if (!d)
		return -ENOENT;
	err = progress(who->ctx, arg->wave, d, &p);
	if (!err)
		tell(arg, d, p != PLACED);
	return err;
}

static long work(struct gpubp_session *session, struct gpubp_displaced *arg,
		 const struct bytes *told,
		 int (*fn)(const struct gpubp_holder *who,
			   struct gpubp_displaced *arg,
			   const struct bytes *told))
{
	u32 rights = GPUBP_RIGHT_STOP | (told ? GPUBP_RIGHT_WRITE : 0);
	struct gpubp_holder who;
	int err;

	err = gpubp_runctl_begin(session, arg->event, rights, arg->context,
				 &who);
	if (err)
		return err;
	err = fn(&who, arg, told);
	gpubp_runctl_end(&who);
	return err;
}

static long start_as_told(struct gpubp_session *session,
			  struct gpubp_displaced *arg)
{
	struct bytes told = { .len = arg->len };

	if (!told.len || told.len > sizeof(told.code))
		return -EINVAL;
	if (copy_from_user(told.code, u64_to_user_ptr(arg->insn), told.len))
		return -EFAULT;
	return work(session, arg, &told, start_moving);
}

/** gpubp_displaced_start_cmd() - GPUBP_DISPLACED_START */
long gpubp_displaced_start_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_displaced *d = arg;

	return d->insn ? start_as_told(session, d) :
			 work(session, d, NULL, start_moving);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_displaced_start_cmd);

static long work_on(struct gpubp_session *session, struct gpubp_displaced *arg,
		    int (*fn)(const struct gpubp_holder *who,
			      struct gpubp_displaced *arg,
			      const struct bytes *told))
{
	if (arg->insn)
		return -EINVAL;
	return work(session, arg, NULL, fn);
}

/** gpubp_displaced_complete_cmd() - GPUBP_DISPLACED_COMPLETE */
long gpubp_displaced_complete_cmd(struct gpubp_session *session, void *arg)
{
	return work_on(session, arg, complete_step);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_displaced_complete_cmd);

/** gpubp_displaced_info_cmd() - GPUBP_DISPLACED_INFO */
long gpubp_displaced_info_cmd(struct gpubp_session *session, void *arg)
{
	return work_on(session, arg, info);
}
