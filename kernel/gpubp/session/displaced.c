// SPDX-License-Identifier: GPL-2.0
/*
 * Displaced steps: start, step, complete; and single steps past breaks.
 *
 * A displaced step never waits for an XOL buffer, as another session may keep
 * one for hours: without a free one it fails with -ENOBUFS. One user can have
 * at most half of the buffers that are for sessions: see xol.h.
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

/* how long to wait for traps, and how often to call gpubp_ctx_op_check() */
#define READY_TIMEOUT	(10 * HZ)
#define READY_SLICE	(HZ / 4)

/*
 * One step into a break, whose hit sends the wave into its buffer, and one in
 * the buffer. Each may execute nothing, several times: where a pending trap or
 * a context save takes its place.
 */
#define STEPS_MAX	16

static atomic64_t dstep_last_id = ATOMIC64_INIT(0);

/* ---- may waves of a context be stepped ----------------------------------- */

static bool step_want_traps(struct gpubp_ctx *ctx)
{
	guard(mutex)(&ctx->dev->lock);
	if (ctx->handler_failed)
		return false;
	ctx->stepped = true;
	return true;
}

static int step_traps_ready(struct gpubp_ctx *ctx)
{
	guard(mutex)(&ctx->dev->lock);
	if (ctx->handler_failed)
		return -EOPNOTSUPP;
	return ctx->prog.watch_traps && !gpubp_clock_pending(ctx) ? 0 : -EAGAIN;
}

static int step_traps_wait(struct gpubp_ctx *ctx)
{
	int i, err = -ETIMEDOUT;

	for (i = 0; err == -ETIMEDOUT && i < READY_TIMEOUT / READY_SLICE; i++) {
		err = gpubp_ctx_op_check(ctx) ?:
		      gpubp_request_wait_timeout(ctx->dev, READY_SLICE) ?:
		      gpubp_trap_enable_wait(ctx, READY_SLICE);
	}
	return err;
}

/**
 * step_prepare_ctx() - enable the trap handler for steps in a context
 * @ctx: context; a ctx op reference is held
 *
 * The trap handler stops a wave behind an instruction. It stays enabled, as
 * other sessions may be stepping. May sleep. Return: 0, -EOPNOTSUPP, -EAGAIN
 * (not now), -ESRCH (the context is being destroyed), -ERESTARTSYS.
 */
static int step_prepare_ctx(struct gpubp_ctx *ctx)
{
	int err = step_traps_ready(ctx);

	if (err != -EAGAIN)
		return err;
	if (!step_want_traps(ctx))
		return -EOPNOTSUPP;
	gpubp_request_ctx(ctx);
	err = step_traps_wait(ctx);
	return err == -ETIMEDOUT ? -EAGAIN : err ?: step_traps_ready(ctx);
}

/* ---- single step --------------------------------------------------------- */

static bool step_find_buf(struct gpubp_ctx *ctx, u64 pc,
			  struct gpubp_xol_place *place)
{
	guard(mutex)(&ctx->dev->lock);
	return gpubp_xol_find(ctx, pc, place);
}

static void step_leave_buf(struct gpubp_ctx *ctx, u64 pc)
{
	guard(mutex)(&ctx->dev->lock);
	gpubp_xol_leave(ctx, pc);
}

static int step_back_to_program(struct gpubp_ctx *ctx, u64 wave,
				const struct gpubp_xol_place *place)
{
	int err = gpubp_pc_write(ctx, wave, place->from + place->len);

	if (!err)
		step_leave_buf(ctx, place->to);
	return err;
}

static int step_issue(struct gpubp_ctx *ctx, u64 wave)
{
	const struct gpubp_device *dev = ctx->dev;
	struct gpubp_waves waves = { .ctx = ctx->priv, .wave = &wave, .nr = 1 };
	int err = dev->ops.step(dev->priv, &waves);

	/* a hit or a break in the step decides where the wave continues */
	kthread_flush_worker(dev->resolver);
	gpubp_pc_park(ctx, wave);
	return err;
}

/* read the pc of a wave; a wave at the end of its buffer is moved out first */
static int step_find_pc(struct gpubp_ctx *ctx, u64 wave, u64 *pc)
{
	struct gpubp_xol_place place;
	int err = gpubp_pc_read(ctx->dev, wave, pc);

	if (err || !step_find_buf(ctx, *pc, &place) ||
	    !gpubp_xol_is_behind(&place, *pc))
		return err;
	*pc = place.from + place.len;
	return step_back_to_program(ctx, wave, &place);
}

/* -EAGAIN: the wave met a break and has yet to execute the instruction */
static int step_check_break(struct gpubp_ctx *ctx, u64 wave)
{
	struct gpubp_xol_place place;
	u64 pc;
	int err = step_find_pc(ctx, wave, &pc);

	if (err)
		return err;
	return step_find_buf(ctx, pc, &place) && pc == place.to ? -EAGAIN : 0;
}

/* true if the pc is unchanged although the instruction should have moved it */
static bool step_changed_nothing(struct gpubp_ctx *ctx, u64 wave, u64 pc)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	u8 code[GPUBP_MAX_INSN];
	struct gpubp_insn insn;
	ssize_t n;
	u64 now;

	if (gpubp_pc_read(ctx->dev, wave, &now) || now != pc)
		return false;
	n = gpubp_program_read(ctx, pc, code, isa->insn_max, GPUBP_MEM_WAIT);
	return n > 0 && !isa->decode(code, n, &insn) &&
	       insn.step == GPUBP_STEP_DISPLACED;
}

/* -EAGAIN: executed nothing, try again, as debuggers do until the pc moves */
static int step_try(struct gpubp_ctx *ctx, u64 wave)
{
	u64 pc;
	int err;

	/* caught in front of an instruction that is simulated: this is the step */
	err = gpubp_pc_catch_up(ctx, wave);
	if (err)
		return min(err, 0);
	err = gpubp_pc_read(ctx->dev, wave, &pc) ?: step_issue(ctx, wave) ?:
	      step_check_break(ctx, wave);
	if (err)
		return err;
	return step_changed_nothing(ctx, wave, pc) ? -EAGAIN : 0;
}

/*
 * Steps through a break, too, which counts the wave; a guard is not counted as
 * an instruction. The first step may take a pending trap and execute nothing.
 */
static int step_in_program(struct gpubp_ctx *ctx, u64 wave)
{
	u64 pc;
	int i, err = step_find_pc(ctx, wave, &pc) ?: -EAGAIN;

	for (i = 0; err == -EAGAIN && i < STEPS_MAX; i++)
		err = step_try(ctx, wave);
	return err;
}

/* where the wave of a displaced step is */
enum dstep_state {
	DSTEP_PLACED,		/* in front of the instruction */
	DSTEP_DONE,		/* behind the instruction */
	DSTEP_SENT_BACK,	/* a hit behind it sent the wave back */
};

static bool dstep_pc_is_behind(const struct gpubp_dstep *d, u64 pc)
{
	return pc >= d->to + d->len && pc < d->to + GPUBP_XOL_SIZE;
}

static int dstep_find_state(struct gpubp_ctx *ctx, u64 wave,
			    const struct gpubp_dstep *d, enum dstep_state *p)
{
	u64 pc;
	int err;

	*p = d->simulated ? DSTEP_DONE : DSTEP_PLACED;
	if (!d->buf)
		return 0;
	err = gpubp_pc_read(ctx->dev, wave, &pc);
	if (err)
		return err;
	*p = pc == d->to		? DSTEP_PLACED :
	     dstep_pc_is_behind(d, pc)	? DSTEP_DONE :
					  DSTEP_SENT_BACK;
	return 0;
}

/*
 * Until the wave has left the place of the instruction. If the trap behind that
 * is lost, a guard of the buffer stops it.
 */
static int dstep_issue(struct gpubp_ctx *ctx, u64 wave,
		       const struct gpubp_dstep *d)
{
	enum dstep_state p = DSTEP_PLACED;
	int i, err = 0;

	for (i = 0; i < STEPS_MAX && !err && p == DSTEP_PLACED; i++)
		err = step_issue(ctx, wave) ?:
			dstep_find_state(ctx, wave, d, &p);
	return err;
}

/* the wave may have been caught in front of it, and wait in a buffer */
static int step_simulate(struct gpubp_ctx *ctx, u64 wave,
			 const struct gpubp_dstep *d)
{
	u64 pc;
	int err = gpubp_pc_read(ctx->dev, wave, &pc) ?:
		  gpubp_pc_simulate(ctx, wave, &d->insn, d->from);

	if (!err && pc != d->from)
		step_leave_buf(ctx, pc);
	return err;
}

static int step_displaced(struct gpubp_ctx *ctx, u64 wave,
			  struct gpubp_dstep *d)
{
	enum dstep_state p;
	int err = dstep_find_state(ctx, wave, d, &p);

	if (err)
		return err;
	if (p != DSTEP_PLACED)
		return -EINPROGRESS;
	if (d->buf)
		return dstep_issue(ctx, wave, d);
	err = step_simulate(ctx, wave, d);
	d->simulated = !err;
	return err;
}

/**
 * gpubp_wave_step() - let a wave execute one instruction
 * @holder: session that holds the wave, in a run control call
 * @wave: id of the wave
 *
 * Return: 0; -ESRCH, the wave ended and the hold is gone; -EBADFD, -EBUSY as
 * gpubp_move_begin(); -EINPROGRESS, its displaced step was executed but is not
 * completed; or an error of step_prepare_ctx().
 */
int gpubp_wave_step(const struct gpubp_holder *holder, u64 wave)
{
	struct gpubp_dstep *d;
	int err = gpubp_move_begin(holder, wave);

	if (err)
		return err;
	d = gpubp_hold_dstep(holder, wave);
	err = step_prepare_ctx(holder->ctx) ?:
	      d ? step_displaced(holder->ctx, wave, d) :
		  step_in_program(holder->ctx, wave);
	if (!err)
		gpubp_wave_notice(holder, wave, GPUBP_NOTICE_STEPPED);
	if (err == -ESRCH)
		gpubp_move_wave_ended(holder, wave);
	else
		gpubp_move_end(holder, wave);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_wave_step);

/* ---- buffers ------------------------------------------------------------- */

static bool dstep_below_quota(const struct gpubp_ctx *ctx,
			      const struct gpubp_user *user)
{
	const struct gpubp_dstep *d;
	unsigned int nr = 0;

	list_for_each_entry(d, &ctx->trap->traps.xol.steps, node)
		nr += d->user == user;
	return nr < gpubp_xol_quota(ctx);
}

static bool dstep_try_get_buf(const struct gpubp_holder *holder,
			      struct gpubp_dstep *d, const u8 *code)
{
	struct gpubp_ctx *ctx = holder->ctx;

	guard(mutex)(&ctx->dev->lock);
	if (!dstep_below_quota(ctx, holder->session->user))
		return false;
	d->buf = gpubp_xol_get(ctx, d->from, code, d->len, GPUBP_XOL_SESSION);
	if (!d->buf)
		return false;
	d->to = d->buf->to;
	d->user = holder->session->user;
	list_add(&d->node, &ctx->trap->traps.xol.steps);
	return true;
}

/* waves that ended inside their buffers may have left some to reclaim */
static bool dstep_get_buf(const struct gpubp_holder *holder,
			  struct gpubp_dstep *d, const u8 *code)
{
	if (dstep_try_get_buf(holder, d, code))
		return true;
	gpubp_xol_reclaim(holder->ctx);
	return dstep_try_get_buf(holder, d, code);
}

static void dstep_put_buf(struct gpubp_ctx *ctx, struct gpubp_dstep *d,
			  bool inside)
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
 * gpubp_dstep_abandon() - give up the displaced step of a wave that ended
 * @ctx: context; a ctx op reference is held
 * @d: the step
 */
void gpubp_dstep_abandon(struct gpubp_ctx *ctx, struct gpubp_dstep *d)
{
	/* gpubp_xol_reclaim() finds out whether the wave ended in the buffer */
	dstep_put_buf(ctx, d, false);
}

static u64 dstep_pc_after(const struct gpubp_dstep *d, enum dstep_state p)
{
	return p == DSTEP_DONE ? d->from + d->len : d->from;
}

/*
 * A break that has counted the wave must not count it again: a wave that was
 * in a buffer before the displaced step stays in it, as before the step.
 */
static bool dstep_keeps_pc(const struct gpubp_dstep *d, enum dstep_state p)
{
	return p == DSTEP_SENT_BACK || (p == DSTEP_PLACED && d->was_inside);
}

/**
 * gpubp_dstep_end() - move the wave of a displaced step back into the program
 * @ctx: context; a ctx op reference is held
 * @wave: id of the wave, which is halted
 * @d: the step; its buffer is put unless this fails
 * @done: (out) the instruction was executed
 *
 * Return: 0, -ESRCH (the wave ended, and the buffer was put), or an error of
 * the provider.
 */
int gpubp_dstep_end(struct gpubp_ctx *ctx, u64 wave, struct gpubp_dstep *d,
		    bool *done)
{
	enum dstep_state p;
	int err = dstep_find_state(ctx, wave, d, &p);

	if (!err && d->buf && !dstep_keeps_pc(d, p))
		err = gpubp_pc_write(ctx, wave, dstep_pc_after(d, p));
	if (err && err != -ESRCH)
		return err;
	*done = !err && p != DSTEP_PLACED;
	dstep_put_buf(ctx, d, !err && !dstep_keeps_pc(d, p));
	return err;
}

/* ---- start --------------------------------------------------------------- */

static_assert(GPUBP_INSN_MAX == GPUBP_MAX_INSN);

/**
 * struct insn_bytes - instruction at the pc, as given by the debugger
 * @len: bytes of @code
 * @code: the instruction, possibly followed by other bytes
 */
struct insn_bytes {
	unsigned int len;
	u8 code[GPUBP_MAX_INSN];
};

static ssize_t dstep_read_code(struct gpubp_ctx *ctx, u64 pc,
			       const struct insn_bytes *given, u8 *code)
{
	if (!given)
		return gpubp_program_read(ctx, pc, code,
					  ctx->dev->desc.isa->insn_max,
					  GPUBP_MEM_WAIT);
	memcpy(code, given->code, given->len);
	return given->len;
}

static int dstep_decode(struct gpubp_ctx *ctx, struct gpubp_dstep *d,
			const struct insn_bytes *given, u8 *code)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	ssize_t n = dstep_read_code(ctx, d->from, given, code);

	if (n <= 0)
		return -EFAULT;
	if (isa->decode(code, n, &d->insn) < 0 ||
	    d->insn.step == GPUBP_STEP_NEVER)
		return -EILSEQ;
	d->len = d->insn.len;
	return 0;
}

static void dstep_enter_buf(struct gpubp_ctx *ctx, const struct gpubp_dstep *d)
{
	guard(mutex)(&ctx->dev->lock);
	gpubp_xol_enter(d->buf, d->insn.step == GPUBP_STEP_END);
	gpubp_precise_set_inconclusive(ctx, d->from);
}

/* a wave that is already in the buffer of a break stays in it */
static int dstep_place(const struct gpubp_holder *holder, u64 wave,
		       struct gpubp_dstep *d, const u8 *code, u64 pc)
{
	struct gpubp_ctx *ctx = holder->ctx;
	int err = gpubp_xol_init(ctx);

	if (err)
		return err;
	if (!dstep_get_buf(holder, d, code))
		return -ENOBUFS;
	err = gpubp_xol_write(ctx, d->buf);
	if (!err && pc == d->to) {
		d->was_inside = true;
		return 0;
	}
	if (!err) {
		dstep_enter_buf(ctx, d);
		err = gpubp_pc_write(ctx, wave, d->to);
		if (!err && pc != d->from)
			step_leave_buf(ctx, pc);
		if (!err)
			return 0;
		step_leave_buf(ctx, d->to);
	}
	dstep_put_buf(ctx, d, false);
	return err;
}

static int dstep_prepare(const struct gpubp_holder *holder, u64 wave,
			 const struct insn_bytes *given, struct gpubp_dstep *d)
{
	struct gpubp_ctx *ctx = holder->ctx;
	u8 code[GPUBP_MAX_INSN];
	u64 pc;
	int err = step_find_pc(ctx, wave, &pc);

	if (err)
		return err;
	d->from = gpubp_pc_in_program(ctx, pc);
	err = dstep_decode(ctx, d, given, code);
	if (err)
		return err;
	if (d->insn.step == GPUBP_STEP_SIMULATED && given && pc != d->from)
		return -EILSEQ;	/* a break counted another instruction */
	if (d->insn.step == GPUBP_STEP_SIMULATED)
		return ctx->dev->desc.isa->simulate ? 0 : -EILSEQ;
	return dstep_place(holder, wave, d, code, pc);
}

static int dstep_check_start(const struct gpubp_holder *holder, u64 wave)
{
	const struct gpubp_device *dev = holder->ctx->dev;

	if (!dev->can_trap || !dev->desc.caps.can_step)
		return -EOPNOTSUPP;
	return gpubp_hold_dstep(holder, wave) ? -EALREADY : 0;
}

static void dstep_report(struct gpubp_displaced *arg,
			 const struct gpubp_dstep *d, bool done)
{
	arg->id = d->id;
	arg->from = d->from;
	arg->to = d->to;
	arg->len = d->len;
	arg->state = done ? GPUBP_DISPLACED_DONE : GPUBP_DISPLACED_PLACED;
}

static int dstep_start(const struct gpubp_holder *holder,
		       struct gpubp_displaced *arg,
		       const struct insn_bytes *given)
{
	struct gpubp_dstep *d = kzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);
	int err;

	if (!d)
		return -ENOMEM;
	d->id = atomic64_inc_return(&dstep_last_id);
	err = dstep_prepare(holder, arg->wave, given, d);
	if (err) {
		kfree(d);
		return err;
	}
	dstep_report(arg, d, false);
	gpubp_hold_set_dstep(holder, arg->wave, d);
	return 0;
}

static int dstep_start_halted(const struct gpubp_holder *holder,
			      struct gpubp_displaced *arg,
			      const struct insn_bytes *given)
{
	int err = dstep_check_start(holder, arg->wave) ?:
		  gpubp_move_begin(holder, arg->wave);

	if (err)
		return err;
	err = step_prepare_ctx(holder->ctx) ?: dstep_start(holder, arg, given);
	if (err == -ESRCH)
		gpubp_move_wave_ended(holder, arg->wave);
	else
		gpubp_move_end(holder, arg->wave);
	return err;
}

/* ---- complete, info ------------------------------------------------------ */

static struct gpubp_dstep *dstep_find(const struct gpubp_holder *holder,
				      const struct gpubp_displaced *arg)
{
	struct gpubp_dstep *d = gpubp_hold_dstep(holder, arg->wave);

	return d && d->id == arg->id ? d : NULL;
}

static int dstep_complete(const struct gpubp_holder *holder,
			  struct gpubp_displaced *arg,
			  const struct insn_bytes *given)
{
	struct gpubp_dstep *d = dstep_find(holder, arg);
	bool done;
	int err;

	if (!d)
		return -ENOENT;
	err = gpubp_dstep_end(holder->ctx, arg->wave, d, &done);
	if (err && err != -ESRCH)
		return err;
	dstep_report(arg, d, done);
	gpubp_hold_set_dstep(holder, arg->wave, NULL);
	kfree(d);
	return err;
}

static int dstep_info(const struct gpubp_holder *holder,
		      struct gpubp_displaced *arg,
		      const struct insn_bytes *given)
{
	const struct gpubp_dstep *d = dstep_find(holder, arg);
	enum dstep_state p;
	int err;

	if (!d)
		return -ENOENT;
	err = dstep_find_state(holder->ctx, arg->wave, d, &p);
	if (!err)
		dstep_report(arg, d, p != DSTEP_PLACED);
	return err;
}

static long dstep_run_cmd(struct gpubp_session *session,
			  struct gpubp_displaced *arg,
			  const struct insn_bytes *given,
			  int (*fn)(const struct gpubp_holder *holder,
				    struct gpubp_displaced *arg,
				    const struct insn_bytes *given))
{
	u32 rights = GPUBP_RIGHT_STOP | (given ? GPUBP_RIGHT_WRITE : 0);
	struct gpubp_holder holder;
	int err;

	err = gpubp_runctl_begin(session, arg->event, rights, arg->context,
				 &holder);
	if (err)
		return err;
	err = fn(&holder, arg, given);
	gpubp_runctl_end(&holder);
	return err;
}

static long dstep_start_given(struct gpubp_session *session,
			      struct gpubp_displaced *arg)
{
	struct insn_bytes given = { .len = arg->len };

	if (!given.len || given.len > sizeof(given.code))
		return -EINVAL;
	if (copy_from_user(given.code, u64_to_user_ptr(arg->insn), given.len))
		return -EFAULT;
	return dstep_run_cmd(session, arg, &given, dstep_start_halted);
}

/** gpubp_displaced_start_cmd() - GPUBP_DISPLACED_START */
long gpubp_displaced_start_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_displaced *d = arg;

	return d->insn ? dstep_start_given(session, d) :
			 dstep_run_cmd(session, d, NULL, dstep_start_halted);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_displaced_start_cmd);

static long dstep_run_cmd_no_insn(struct gpubp_session *session,
				  struct gpubp_displaced *arg,
				  int (*fn)(const struct gpubp_holder *holder,
					    struct gpubp_displaced *arg,
					    const struct insn_bytes *given))
{
	if (arg->insn)
		return -EINVAL;
	return dstep_run_cmd(session, arg, NULL, fn);
}

/** gpubp_displaced_complete_cmd() - GPUBP_DISPLACED_COMPLETE */
long gpubp_displaced_complete_cmd(struct gpubp_session *session, void *arg)
{
	return dstep_run_cmd_no_insn(session, arg, dstep_complete);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_displaced_complete_cmd);

/** gpubp_displaced_info_cmd() - GPUBP_DISPLACED_INFO */
long gpubp_displaced_info_cmd(struct gpubp_session *session, void *arg)
{
	return dstep_run_cmd_no_insn(session, arg, dstep_info);
}
