// SPDX-License-Identifier: GPL-2.0
/*
 * Run control: a session lists, halts, resumes and steps waves of its target,
 * and reads the target's memory.
 *
 * Each call runs between gpubp_runctl_begin() and gpubp_runctl_end(): it takes
 * the op_sem of the session, gets a ctx op reference and then checks the
 * rights. Until the end the context can neither go away nor become that of
 * another program.
 */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/semaphore.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../trap/trap.h"
#include "attach.h"
#include "displaced.h"
#include "entry.h"
#include "hold.h"
#include "runctl.h"
#include "session.h"

static_assert((int)GPUBP_SCOPE_NONE == (int)GPUBP_STOPS_NONE);
static_assert((int)GPUBP_SCOPE_WAVE == (int)GPUBP_STOPS_WAVE);
static_assert((int)GPUBP_SCOPE_UNIT == (int)GPUBP_STOPS_UNIT);
static_assert((int)GPUBP_SCOPE_QUEUE == (int)GPUBP_STOPS_QUEUE);
static_assert((int)GPUBP_SCOPE_CONTEXT == (int)GPUBP_STOPS_CTX);

/* ---- contexts ------------------------------------------------------------ */

/**
 * struct found - contexts of a target
 * @pid: its thread group
 * @ctx: the contexts, as many as fit
 * @max: entries of @ctx
 * @nr: number of contexts, which may exceed @max
 */
struct found {
	struct pid *pid;
	struct gpubp_context *ctx;
	u32 max;
	u32 nr;
};

static struct gpubp_context context_entry(const struct gpubp_ctx *ctx)
{
	const struct gpubp_caps *caps = &ctx->dev->desc.caps;

	return (struct gpubp_context) {
		.id = ctx->id,
		.device = ctx->dev->number,
		.scope = (u32)caps->stops,
		.flags = (ctx->fenced ? GPUBP_CONTEXT_FENCED : 0) |
			 (caps->can_step ? GPUBP_CONTEXT_STEPS : 0) |
			 (caps->can_catch ? GPUBP_CONTEXT_CATCHES : 0),
	};
}

static void found_add_device(struct gpubp_device *dev, struct found *found)
{
	struct gpubp_ctx *ctx;

	guard(mutex)(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node) {
		if (ctx->pid != found->pid || ctx->dead)
			continue;
		if (found->nr < found->max)
			found->ctx[found->nr] = context_entry(ctx);
		found->nr++;
	}
}

static void found_collect(struct found *found)
{
	struct gpubp_device *dev;

	found->nr = 0;
	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node)
		found_add_device(dev, found);
}

static long contexts_put(struct gpubp_session *session,
			 struct gpubp_contexts *c, struct found *found)
{
	u32 nr;
	int err;

	found_collect(found);
	err = gpubp_session_may(session, c->event, GPUBP_RIGHT_READ,
				found->pid);
	if (err)
		return err;
	nr = min(found->nr, found->max);
	c->nr = found->nr;
	return gpubp_entries_put(c->contexts, nr, c->entry_len, found->ctx,
				 sizeof(*found->ctx));
}

/** gpubp_contexts_cmd() - GPUBP_CONTEXTS */
long gpubp_contexts_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_contexts *c = arg;
	struct found found = { .max = min(c->nr, GPUBP_CONTEXTS_MAX) };
	long err = gpubp_entry_check(c->entry_len, sizeof(*found.ctx));

	if (err || c->reserved)
		return err ?: -EINVAL;
	found.pid = gpubp_session_target(session, c->event);
	if (IS_ERR(found.pid))
		return PTR_ERR(found.pid);
	found.ctx = kvcalloc(max(found.max, 1u), sizeof(*found.ctx),
			     GFP_KERNEL_ACCOUNT);
	err = found.ctx ? contexts_put(session, c, &found) : -ENOMEM;
	kvfree(found.ctx);
	put_pid(found.pid);
	return err;
}

/* ---- begin and end a call ------------------------------------------------ */

/* errors of the attachment take precedence, also over a context that is gone */
static int runctl_enter_ctx(struct gpubp_holder *holder, u32 right)
{
	struct gpubp_ctx *ctx = holder->ctx;
	int op = gpubp_ctx_op_begin(ctx);
	int err = gpubp_session_may(holder->session, holder->event, right,
				    ctx->pid);

	if (op)
		return err == -ENOENT || err == -ESRCH ? err : op;
	if (err)
		gpubp_ctx_op_end(ctx);
	return err;
}

/* likewise for an unknown context id */
static int runctl_no_ctx(struct gpubp_session *session, u64 event)
{
	struct pid *pid = gpubp_session_target(session, event);

	if (IS_ERR(pid))
		return PTR_ERR(pid);
	put_pid(pid);
	return -ESRCH;
}

/**
 * gpubp_runctl_begin() - begin a call of a session on a context
 * @session: session
 * @event: id of its attachment
 * @right: GPUBP_RIGHT_* bits, all of which are needed
 * @context: id of the context
 * @holder: (out) for the functions of hold.h
 *
 * May sleep. Return: 0, or an error of the table at "Run control" in the uapi
 * header.
 */
int gpubp_runctl_begin(struct gpubp_session *session, u64 event, u32 right,
		       u32 context, struct gpubp_holder *holder)
{
	int err;

	if (down_killable(&session->op_sem))
		return -EINTR;
	*holder = (struct gpubp_holder) { .session = session, .event = event };
	holder->ctx = gpubp_ctx_find(context);
	err = holder->ctx ? runctl_enter_ctx(holder, right) :
			    runctl_no_ctx(session, event);
	if (!err)
		return 0;
	if (holder->ctx)
		gpubp_ctx_put(holder->ctx);
	gpubp_holds_unlock(session);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_runctl_begin);

/** gpubp_runctl_end() - end a call of a session on a context */
void gpubp_runctl_end(struct gpubp_holder *holder)
{
	gpubp_ctx_op_end(holder->ctx);
	gpubp_ctx_put(holder->ctx);
	gpubp_holds_unlock(holder->session);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_runctl_end);

/**
 * gpubp_wave_check_stopped() - check that a wave is stopped
 * @holder: session and context
 * @wave: id of the wave
 * @info: (out) the provider's description of the wave
 *
 * Return: 0, -EBADFD (the wave runs), -ESRCH.
 */
int gpubp_wave_check_stopped(const struct gpubp_holder *holder, u64 wave,
			     struct gpubp_wave_info *info)
{
	int err = gpubp_waves_find(holder->ctx, wave, info);

	return err ?: info->stopped ? 0 : -EBADFD;
}

/**
 * gpubp_wave_missing_error() - why an op found no such stopped wave
 * @holder: session and context
 * @wave: id of the wave
 *
 * Providers return -ESRCH for a wave that ended, and for one that runs. Return: -EBADFD
 * (it runs), -ESRCH.
 */
int gpubp_wave_missing_error(const struct gpubp_holder *holder, u64 wave)
{
	struct gpubp_wave_info info;

	return gpubp_waves_find(holder->ctx, wave, &info) ?: -EBADFD;
}

/* ---- waves --------------------------------------------------------------- */

/** gpubp_wave_queue() - id of the queue with a doorbell, 0 if unknown */
u32 gpubp_wave_queue(struct gpubp_ctx *ctx, u32 doorbell)
{
	struct gpubp_queue *queue = gpubp_queue_by_doorbell(ctx->dev, doorbell);
	u32 id;

	if (!queue)
		return 0;
	id = queue->id;
	gpubp_queue_put(queue);
	return id;
}

/** gpubp_wave_flags() - GPUBP_WAVE_* of a listed wave */
u32 gpubp_wave_flags(const struct gpubp_wave_info *info,
		     const struct gpubp_held *held)
{
	return (info->stopped ? GPUBP_WAVE_STOPPED : 0) |
	       (held->nr ? GPUBP_WAVE_HELD : 0) |
	       (held->mine ? GPUBP_WAVE_MINE : 0) |
	       (held->caught ? GPUBP_WAVE_CAUGHT : 0) |
	       (held->displaced ? GPUBP_WAVE_DISPLACED : 0);
}

/* where it is, and whether it is stopped there */
static void wave_entry_move(const struct gpubp_holder *holder,
			    const struct gpubp_wave_info *info,
			    struct gpubp_wave_entry *entry)
{
	entry->pc = gpubp_pc_in_program(holder->ctx, info->pc);
	entry->flags &= ~GPUBP_WAVE_STOPPED;
	entry->flags |= info->stopped ? GPUBP_WAVE_STOPPED : 0;
}

static void wave_entry_fill(const struct gpubp_holder *holder,
			    const struct gpubp_wave_info *info,
			    struct gpubp_wave_entry *entry)
{
	struct gpubp_held held = gpubp_hold_state(holder, info->wave);

	*entry = (struct gpubp_wave_entry) {
		.wave = info->wave,
		.queue = gpubp_wave_queue(holder->ctx, info->doorbell),
		.flags = gpubp_wave_flags(info, &held),
		.nr_holders = held.nr,
	};
	wave_entry_move(holder, info, entry);
}

/*
 * A hold may be newer than what was listed of its wave, which ran then: look again. So one
 * that is caught is where it was caught.
 */
static void wave_entries_look_again(const struct gpubp_holder *holder,
				    struct gpubp_wave_entry *entries, int nr)
{
	const struct gpubp_wave_info *now;
	struct gpubp_wave_info *info;
	int i, n = gpubp_waves_list(holder->ctx, &info);

	for (i = 0; i < nr; i++) {
		if (!(entries[i].flags & GPUBP_WAVE_HELD))
			continue;
		now = gpubp_wave_in_list(info, n, entries[i].wave);
		if (now)
			wave_entry_move(holder, now, &entries[i]);
	}
	kvfree(info);
}

/**
 * gpubp_wave_entries() - list the waves of a context
 * @holder: session and context
 * @entries: (out) the waves; the caller frees them with kvfree()
 *
 * May sleep. Return: their number, or a negative errno.
 */
int gpubp_wave_entries(const struct gpubp_holder *holder,
		       struct gpubp_wave_entry **entries)
{
	struct gpubp_wave_info *info;
	int i, n = gpubp_waves_list(holder->ctx, &info);
	u32 flags = 0;

	*entries = NULL;
	if (n > 0)
		*entries = kvcalloc(n, sizeof(**entries), GFP_KERNEL_ACCOUNT);
	if (n > 0 && !*entries)
		n = -ENOMEM;
	for (i = 0; i < n; i++) {
		wave_entry_fill(holder, &info[i], &(*entries)[i]);
		flags |= (*entries)[i].flags;
	}
	kvfree(info);
	if (flags & GPUBP_WAVE_HELD)
		wave_entries_look_again(holder, *entries, n);
	return n;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_wave_entries);

/* after gpubp_runctl_end(): a fault on user memory may wait */
static int wave_entries_put(struct gpubp_wave_list *l,
			    const struct gpubp_wave_entry *entries, int n)
{
	int err = gpubp_entries_put(l->waves, min_t(u32, n, l->nr),
				    l->entry_len, entries, sizeof(*entries));

	if (!err)
		l->nr = n;
	return err;
}

/** gpubp_waves_cmd() - GPUBP_WAVES */
long gpubp_waves_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_wave_list *l = arg;
	struct gpubp_wave_entry *entries;
	struct gpubp_holder holder;
	int err, n;

	err = gpubp_entry_check(l->entry_len, sizeof(*entries)) ?:
		      gpubp_runctl_begin(session, l->event, GPUBP_RIGHT_READ,
					 l->context, &holder);
	if (err)
		return err;
	n = gpubp_wave_entries(&holder, &entries);
	gpubp_runctl_end(&holder);
	err = n < 0 ? n : wave_entries_put(l, entries, n);
	kvfree(entries);
	return err;
}

/* ---- halt, resume, step -------------------------------------------------- */

/**
 * struct job - a GPUBP_HALT, GPUBP_RESUME or GPUBP_STEP being executed
 * @holder: session and context
 * @run: argument of the ioctl
 * @waves: ids of the waves, NULL if none is named
 */
struct job {
	struct gpubp_holder holder;
	struct gpubp_run *run;
	u64 *waves;
};

static int job_copy_waves(struct gpubp_run *run, u64 **waves)
{
	*waves = NULL;
	if (run->nr > GPUBP_WAVES_MAX)
		return -EINVAL;
	if (!run->nr)
		return 0;
	*waves = vmemdup_array_user(u64_to_user_ptr(run->waves), run->nr,
				    sizeof(**waves));
	return PTR_ERR_OR_ZERO(*waves);
}

static long job_run(struct gpubp_session *session, struct gpubp_run *run,
		    int (*fn)(struct job *job))
{
	struct job job = { .run = run };
	int err = job_copy_waves(run, &job.waves);

	if (err)
		return err;
	run->nr_done = 0;
	run->scope = 0;
	err = gpubp_runctl_begin(session, run->event, GPUBP_RIGHT_STOP,
				 run->context, &job.holder);
	if (!err) {
		run->scope = job.holder.ctx->dev->desc.caps.stops;
		run->seq = gpubp_notice_next(session);
		err = fn(&job);
		gpubp_runctl_end(&job.holder);
	}
	kvfree(job.waves);
	return err;
}

static u64 job_deadline(const struct gpubp_run *run)
{
	return run->timeout_ms ? ktime_get_ns() +
		(u64)run->timeout_ms * NSEC_PER_MSEC : U64_MAX;
}

static int wave_id_cmp(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* sort and drop duplicates; return the number of ids left */
static unsigned int wave_ids_unique(u64 *waves, unsigned int nr)
{
	unsigned int i, n = 0;

	sort(waves, nr, sizeof(*waves), wave_id_cmp, NULL);
	for (i = 0; i < nr; i++)
		if (!n || waves[i] != waves[n - 1])
			waves[n++] = waves[i];
	return n;
}

/*
 * The named waves are held in one call, in which each may appear only once.
 * Steps and resumes are done one by one, so that repeated ids are repeated
 * operations.
 */
static int job_halt_named(struct job *job, u64 until)
{
	unsigned int nr = wave_ids_unique(job->waves, job->run->nr);
	int err = gpubp_hold_waves(&job->holder, job->waves, nr, until);

	return err ?: (int)job->run->nr;
}

static int job_halt(struct job *job)
{
	const struct gpubp_ctx *ctx = job->holder.ctx;
	u64 until = job_deadline(job->run);
	int n;

	if (ctx->fenced || ctx->dev->desc.caps.stops == GPUBP_STOPS_NONE)
		return -EOPNOTSUPP;
	n = job->run->nr ? job_halt_named(job, until) :
			   gpubp_hold_all(&job->holder, until);
	job->run->nr_done = max(n, 0);
	return min(n, 0);
}

/** gpubp_halt_cmd() - GPUBP_HALT */
long gpubp_halt_cmd(struct gpubp_session *session, void *arg)
{
	return job_run(session, arg, job_halt);
}

static int job_resume_each(struct job *job, const u64 *waves, unsigned int nr)
{
	unsigned int i;
	int err, first = 0;

	for (i = 0; i < nr; i++)
		if (gpubp_hold_dstep(&job->holder, waves[i]))
			return -EINPROGRESS;
	for (i = 0; i < nr; i++) {
		err = gpubp_hold_release(&job->holder, waves[i]);
		job->run->nr_done += !err;
		first = first ?: err;
	}
	return first;
}

static int job_resume(struct job *job)
{
	u64 *mine;
	int n, err;

	if (job->run->timeout_ms)
		return -EINVAL;
	if (job->run->nr)
		return job_resume_each(job, job->waves, job->run->nr);
	n = gpubp_hold_list(&job->holder, &mine);
	err = n < 0 ? n : job_resume_each(job, mine, n);
	kvfree(mine);
	return err;
}

/** gpubp_resume_cmd() - GPUBP_RESUME */
long gpubp_resume_cmd(struct gpubp_session *session, void *arg)
{
	return job_run(session, arg, job_resume);
}

static int job_step(struct job *job)
{
	unsigned int i;
	int err = 0;

	if (!job->run->nr || job->run->timeout_ms)
		return -EINVAL;
	if (!job->holder.ctx->dev->can_trap ||
	    !job->holder.ctx->dev->desc.caps.can_step)
		return -EOPNOTSUPP;
	for (i = 0; !err && i < job->run->nr; i++) {
		err = gpubp_ctx_op_check(job->holder.ctx) ?:
		      gpubp_wave_step(&job->holder, job->waves[i]);
		job->run->nr_done += !err;
	}
	/* a restart would step again those that are done */
	return err == -ERESTARTSYS && job->run->nr_done ? -EINTR : err;
}

/** gpubp_step_cmd() - GPUBP_STEP */
long gpubp_step_cmd(struct gpubp_session *session, void *arg)
{
	return job_run(session, arg, job_step);
}
