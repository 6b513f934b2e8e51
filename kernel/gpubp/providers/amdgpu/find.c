// SPDX-License-Identifier: GPL-2.0
/*
 * Search for halted waves that were saved: they are restored in another wave slot, and
 * perhaps with another VMID.
 *
 * Their context is taken off the GPU, so that all of its waves are in memory. Looking
 * through all wave slots for them takes ten thousand register reads, and a wave may be
 * saved again before it is found. A wave that our handler halted has in two registers
 * which record is its own, and the number of that record. Both are saved with the wave.
 */
#include <linux/mm.h>

#include "amdgpu.h"

#include "wave.h"

/* until the first search is repeated, then twice as long each time */
#define FIND_DELAY_MIN	1
#define FIND_DELAY_MAX	HZ

/* searches before a wave is given up; all take some seconds */
#define FIND_TRIES	16

/* the wave of a record, if it is to go on; it is in no list then */
static struct gpubp_amd_wave *find_take(struct gpubp_amd_node *n,
					const struct gpubp_amd_ctx *ctx,
					const struct gpubp_amd_mark *mark)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = gpubp_amd_wave_find_stopped(n, ctx, mark);
	if (!w || w->holds || w->failed)
		return NULL;
	gpubp_amd_wave_move(w, NULL);
	return w;
}

static void find_go_on(struct gpubp_amd_node *n, struct gpubp_amd_wave *w,
		       const struct gpubp_amd_record *rec)
{
	int err = gpubp_amd_edits_apply(w, rec) ?:
		  gpubp_amd_saved_halt(w->ctx, rec, false);

	guard(spinlock)(&n->stop_lock);
	if (err)
		gpubp_amd_wave_move(w, &n->lost);
	else
		gpubp_amd_wave_release(n, w);
}

/*
 * One that has stopped, and was saved before its interrupt was read. Return: false: it
 * cannot be reported.
 */
static bool find_report(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
			const struct gpubp_amd_mark *mark)
{
	const struct gpubp_amd_found found = { .mark = *mark };

	/* no interrupt is between finding its wave and making it known */
	guard(rwsem_write)(&n->report_lock);
	if (atomic_read(&ctx->unseen) <= 0 || gpubp_amd_wave_is_known(n, ctx, &found))
		return true;
	return gpubp_amd_hit_found(n, ctx, &found);
}

static void find_record(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
			const struct gpubp_amd_saved_wave *saved)
{
	const struct gpubp_amd_record *rec = &saved->rec;
	struct gpubp_amd_wave *w;
	struct gpubp_amd_mark mark;
	struct gpubp_amd_tail tail;

	lockdep_assert_held(&ctx->records_lock);
	if (gpubp_amd_saved_tail(ctx, rec, &tail) ||
	    !gpubp_amd_tail_is_halted(&tail))
		return;
	mark = gpubp_amd_tail_mark(n, &tail, saved->doorbell);
	w = find_take(n, ctx, &mark);
	if (w)
		find_go_on(n, w, rec);
	else if (!find_report(n, ctx, &mark))
		gpubp_amd_saved_halt(ctx, rec, false);
}

static void find_saved(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx)
{
	struct gpubp_amd_saved_wave *saved;
	int i, nr = gpubp_amd_saved_list(ctx, &saved);

	for (i = 0; i < nr; i++)
		find_record(n, ctx, &saved[i]);
	kvfree(saved);
}

/**
 * gpubp_amd_find_in_ctx() - let waves go on that are not on the GPU, or have changes
 * @n: node with a handler of ours
 * @ctx: their context, used
 *
 * And others of the context that are to go on; and report hits whose interrupt was read
 * too late. May sleep; takes DQM's lock, and report_lock.
 */
void gpubp_amd_find_in_ctx(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&ctx->records_lock);
	if (gpubp_amd_ctx_evict(ctx))
		return;
	find_saved(n, ctx);
	gpubp_amd_ctx_restore(ctx);
}

static bool ctx_wants(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx)
{
	return atomic_read(&ctx->unseen) > 0 || gpubp_amd_waves_are_lost(n, ctx);
}

/* the next context that has something to be searched for; used */
static struct gpubp_amd_ctx *find_next_ctx(struct gpubp_amd_node *n, u64 pass)
{
	struct gpubp_amd_ctx *ctx;

	guard(rwsem_read)(&n->report_lock);
	list_for_each_entry(ctx, &n->ctxs, link) {
		if (ctx->find_pass == pass || !ctx_wants(n, ctx))
			continue;
		ctx->find_pass = pass;
		guard(spinlock)(&n->stop_lock);
		gpubp_amd_ctx_use(ctx);
		return ctx;
	}
	return NULL;
}

/**
 * gpubp_amd_find_now() - search in all contexts
 * @n: node
 *
 * May sleep; takes report_lock and DQM's lock.
 */
void gpubp_amd_find_now(struct gpubp_amd_node *n)
{
	struct gpubp_amd_ctx *ctx;

	guard(mutex)(&n->find_lock);
	if (!n->isa)
		return;
	n->find_pass++;
	while ((ctx = find_next_ctx(n, n->find_pass))) {
		gpubp_amd_find_in_ctx(n, ctx);
		gpubp_amd_ctx_unuse(ctx);
	}
}

/**
 * gpubp_amd_find_wants() - is there a wave to be searched for
 * @n: node
 *
 * One that is to go on and is not where it was, or one that has sent an interrupt and
 * was not found since.
 */
bool gpubp_amd_find_wants(struct gpubp_amd_node *n)
{
	struct gpubp_amd_ctx *ctx;

	guard(rwsem_read)(&n->report_lock);
	list_for_each_entry(ctx, &n->ctxs, link)
		if (ctx_wants(n, ctx))
			return true;
	return false;
}

/* what was not found does not exist */
static void find_give_up(struct gpubp_amd_node *n)
{
	struct gpubp_amd_ctx *ctx;

	guard(rwsem_read)(&n->report_lock);
	list_for_each_entry(ctx, &n->ctxs, link) {
		atomic_set(&ctx->unseen, 0);
		gpubp_amd_waves_give_up(n, ctx);
	}
}

static void find_work(struct work_struct *work)
{
	struct gpubp_amd_node *n = container_of(to_delayed_work(work),
						struct gpubp_amd_node, find_work);
	unsigned int tries;

	gpubp_amd_find_now(n);
	if (!gpubp_amd_find_wants(n))
		return;
	tries = atomic_inc_return(&n->find_tries);
	if (tries < FIND_TRIES)
		schedule_delayed_work(&n->find_work,
				      min(FIND_DELAY_MIN << tries,
					  FIND_DELAY_MAX));
	else
		find_give_up(n);
}

/** gpubp_amd_find_init() - initialise a node that searches nothing */
void gpubp_amd_find_init(struct gpubp_amd_node *n)
{
	mutex_init(&n->find_lock);
	INIT_DELAYED_WORK(&n->find_work, find_work);
}

/**
 * gpubp_amd_find_later() - search soon, as often as it takes
 * @n: node; nothing is done while it is quiesced, as the GPU may be suspended
 *
 * Any context.
 */
void gpubp_amd_find_later(struct gpubp_amd_node *n)
{
	if (READ_ONCE(n->quiesced))
		return;
	atomic_set(&n->find_tries, 0);
	cancel_delayed_work(&n->find_work);
	schedule_delayed_work(&n->find_work, FIND_DELAY_MIN);
}

/** gpubp_amd_find_stop() - on return no search runs */
void gpubp_amd_find_stop(struct gpubp_amd_node *n)
{
	cancel_delayed_work_sync(&n->find_work);
}
