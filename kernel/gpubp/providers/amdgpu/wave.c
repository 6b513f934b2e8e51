// SPDX-License-Identifier: GPL-2.0
/*
 * Stopped waves: counting their holds, and resuming them.
 *
 * The location of a wave is reused once the wave was resumed or its queue was
 * taken off the GPU; the id of a wave is a serial number and never reused.
 */
#include <linux/delay.h>
#include <linux/slab.h>

#include "provider.h"

/* longer than resolving a hit takes; a debugger may hold a wave for hours */
#define WAIT_FOR_HITS	(HZ / 10)

/*
 * Longer than the firmware takes to restore waves, and so many searches; other hits
 * wait as long.
 */
#define WAIT_FOR_WAVE	(HZ / 20)
#define WAIT_SEARCHES	5

/* searches, before the provider is gone, for waves that are not where they were */
#define QUIESCE_TRIES	8

/**
 * struct wave - a stopped wave
 * @link: in node->stopped, node->resuming or node->lost
 * @id: unique serial number
 * @ctx: its context
 * @at: its location, and what tells it from others
 * @moved: it is not there any more
 * @holds: hits and halts that keep it stopped
 * @failed: it is not resumed: amdkfd takes it off the GPU, for a page fault
 */
struct wave {
	struct list_head link;
	u64 id;
	struct gpubp_amd_ctx *ctx;
	struct gpubp_amd_found at;
	bool moved;
	unsigned int holds;
	bool failed;
};

/* ---- stopped waves ------------------------------------------------------- */

static struct wave *wave_find(struct gpubp_amd_node *n, u64 id)
{
	struct wave *w;

	lockdep_assert_held(&n->stop_lock);
	list_for_each_entry(w, &n->stopped, link)
		if (w->id == id)
			return w;
	return NULL;
}

/* likewise, for a context: ids from sessions are not checked */
static struct wave *wave_find_of(struct gpubp_amd_node *n, void *ctx, u64 id)
{
	struct wave *w = wave_find(n, id);

	return w && w->ctx == ctx ? w : NULL;
}

static bool wave_get(struct gpubp_amd_node *n, u64 id,
		     struct gpubp_amd_found *at)
{
	struct wave *w;

	guard(spinlock)(&n->stop_lock);
	w = wave_find(n, id);
	if (w)
		*at = w->at;
	return w;
}

/* it is not where it was, if it still exists */
static void wave_set_moved(struct gpubp_amd_node *n, u64 id)
{
	struct wave *w;

	guard(spinlock)(&n->stop_lock);
	w = wave_find(n, id);
	if (w)
		w->moved = true;
}

/* -EAGAIN: it has moved */
static int wave_read(struct gpubp_amd_node *n, u64 wave,
		     const struct gpubp_reg_req *req, unsigned int nr, u32 *out)
{
	struct gpubp_amd_found at;

	if (!wave_get(n, wave, &at))
		return -ESRCH;
	if (!gpubp_amd_sq_read(n, &at, req, nr, out)) {
		wave_set_moved(n, wave);
		return -EAGAIN;
	}
	/* the wave may have been lost with its queue during the read */
	return wave_get(n, wave, &at) ? 0 : -ESRCH;
}

/* a wave that was saved is restored within milliseconds, if its queue is mapped */
int gpubp_amd_read_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
			unsigned int nr, u32 *out)
{
	unsigned long deadline = jiffies + WAIT_FOR_WAVE;
	struct gpubp_amd_node *n = dev;
	unsigned int tries;
	int err;

	if (!gpubp_amd_sq_has(req, nr))
		return -EINVAL;
	for (tries = 0; ; tries++) {
		err = wave_read(n, wave, req, nr, out);
		if (err != -EAGAIN)
			return err;
		if (tries >= WAIT_SEARCHES && time_after(jiffies, deadline))
			break;
		gpubp_amd_find_now(n);
		usleep_range(500, 1000);
	}
	gpubp_amd_find_later(n);
	return -ESRCH;
}

/* ---- resuming ------------------------------------------------------------ */

static struct wave *wave_find_in(struct list_head *list, u64 id)
{
	struct wave *w;

	list_for_each_entry(w, list, link)
		if (w->id == id)
			return w;
	return NULL;
}

/* the first of those to be resumed, if amdkfd does not take it off the GPU anyway */
static u64 resume_first(struct gpubp_amd_node *n, struct gpubp_amd_found *at)
{
	struct wave *w, *next;

	guard(spinlock)(&n->stop_lock);
	list_for_each_entry_safe(w, next, &n->resuming, link) {
		if (!w->failed) {
			*at = w->at;
			return w->id;
		}
		list_del(&w->link);
		kfree(w);
	}
	return 0;
}

static void resume_end(struct gpubp_amd_node *n, u64 id, bool resumed)
{
	struct wave *w;

	guard(spinlock)(&n->stop_lock);
	w = wave_find_in(&n->resuming, id);
	if (!w)
		return;
	if (resumed) {
		list_del(&w->link);
		kfree(w);
		return;
	}
	list_move_tail(&w->link, &n->lost);
}

static void resume_work(struct work_struct *work)
{
	struct gpubp_amd_node *n =
		container_of(work, struct gpubp_amd_node, resume_work);
	struct gpubp_amd_found at;
	bool resumed;
	u64 id;

	while ((id = resume_first(n, &at))) {
		resumed = gpubp_amd_sq_resume(n, &at);
		resume_end(n, id, resumed);
		if (!resumed)
			gpubp_amd_find_later(n);
	}
}

/** gpubp_amd_waves_init() - initialise a node that reports no hits yet */
void gpubp_amd_waves_init(struct gpubp_amd_node *n)
{
	spin_lock_init(&n->stop_lock);
	INIT_LIST_HEAD(&n->stopped);
	INIT_LIST_HEAD(&n->resuming);
	INIT_LIST_HEAD(&n->lost);
	init_waitqueue_head(&n->none_stopped);
	INIT_WORK(&n->resume_work, resume_work);
}

/* without a record, a wave is the one that stopped at its place */
static bool wave_is(const struct wave *w, const struct gpubp_amd_ctx *ctx,
		    const struct gpubp_amd_found *found)
{
	if (!found->mark.record)
		return !w->at.mark.record &&
		       !memcmp(&w->at.place, &found->place,
			       sizeof(found->place));
	return w->ctx == ctx && w->at.mark.record == found->mark.record;
}

static struct wave *wave_find_marked(struct list_head *list,
				     const struct gpubp_amd_ctx *ctx,
				     const struct gpubp_amd_found *found)
{
	struct wave *w;

	list_for_each_entry(w, list, link)
		if (wave_is(w, ctx, found))
			return w;
	return NULL;
}

/** gpubp_amd_wave_is_known() - is this a wave that was reported */
bool gpubp_amd_wave_is_known(struct gpubp_amd_node *n,
			     const struct gpubp_amd_ctx *ctx,
			     const struct gpubp_amd_found *found)
{
	guard(spinlock)(&n->stop_lock);
	return wave_find_marked(&n->stopped, ctx, found) ||
	       (found->mark.record &&
		(wave_find_marked(&n->resuming, ctx, found) ||
		 wave_find_marked(&n->lost, ctx, found)));
}

/**
 * gpubp_amd_wave_moved() - a halted wave is here
 * @n: node
 * @ctx: its context
 * @found: which wave, and where
 *
 * Return: it was reported before. Then its location is updated, and it is resumed if
 * that had to wait.
 */
bool gpubp_amd_wave_moved(struct gpubp_amd_node *n,
			  const struct gpubp_amd_ctx *ctx,
			  const struct gpubp_amd_found *found)
{
	struct wave *w;

	guard(spinlock)(&n->stop_lock);
	w = wave_find_marked(&n->lost, ctx, found);
	if (w) {
		list_move_tail(&w->link, &n->resuming);
		schedule_work(&n->resume_work);
	} else {
		w = wave_find_marked(&n->stopped, ctx, found) ?:
		    wave_find_marked(&n->resuming, ctx, found);
	}
	if (!w)
		return false;
	w->at = *found;
	w->moved = false;
	return true;
}

/** gpubp_amd_waves_are_lost() - is a wave not where it was */
bool gpubp_amd_waves_are_lost(struct gpubp_amd_node *n)
{
	struct wave *w;

	guard(spinlock)(&n->stop_lock);
	list_for_each_entry(w, &n->stopped, link)
		if (w->moved)
			return true;
	return !list_empty(&n->lost);
}

/**
 * gpubp_amd_wave_add() - register a wave that stopped
 * @n: node
 * @ctx: its context
 * @found: which wave, and where
 *
 * Return: its id, with one hold; 0 if the node is quiescing, or without memory.
 */
u64 gpubp_amd_wave_add(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
		       const struct gpubp_amd_found *found)
{
	struct wave *w = kzalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return 0;
	w->ctx = ctx;
	w->at = *found;
	w->holds = 1;
	guard(spinlock)(&n->stop_lock);
	if (n->quiesced) {
		kfree(w);
		return 0;
	}
	w->id = ++n->last_wave;
	list_add_tail(&w->link, &n->stopped);
	return w->id;
}

static void wave_put(struct gpubp_amd_node *n, struct wave *w)
{
	lockdep_assert_held(&n->stop_lock);
	if (--w->holds)
		return;
	list_move_tail(&w->link, &n->resuming);
	schedule_work(&n->resume_work);
	if (list_empty(&n->stopped))
		wake_up_all(&n->none_stopped);
}

/** gpubp_amd_wave_put() - drop a hold of a wave; does not sleep */
void gpubp_amd_wave_put(struct gpubp_amd_node *n, u64 wave)
{
	struct wave *w;

	guard(spinlock)(&n->stop_lock);
	w = wave_find(n, wave);
	if (w)
		wave_put(n, w);
}

/**
 * gpubp_amd_waves_wait() - wait for a short time until no wave is stopped
 * @n: node, whose queues are about to be taken off the GPU
 *
 * A wave that is still stopped then is restored at another location, where it has to
 * be searched for.
 */
void gpubp_amd_waves_wait(struct gpubp_amd_node *n)
{
	wait_event_timeout(n->none_stopped, list_empty_careful(&n->stopped),
			   WAIT_FOR_HITS);
	flush_work(&n->resume_work);
}

/** gpubp_amd_waves_any() - is a wave of a context stopped */
bool gpubp_amd_waves_any(struct gpubp_amd_node *n,
			 const struct gpubp_amd_ctx *ctx)
{
	struct wave *w;

	guard(spinlock)(&n->stop_lock);
	list_for_each_entry(w, &n->stopped, link)
		if (w->ctx == ctx)
			return true;
	return false;
}

static void waves_drop_from(struct list_head *list,
			    const struct gpubp_amd_ctx *ctx)
{
	struct wave *w, *next;

	list_for_each_entry_safe(w, next, list, link) {
		if (ctx && w->ctx != ctx)
			continue;
		list_del(&w->link);
		kfree(w);
	}
}

/* pairs with gpubp_amd_interrupt(): reports in progress have ended on return */
static void waves_report_end(struct gpubp_amd_node *n)
{
	down_write(&n->report_lock);
	scoped_guard(spinlock, &n->stop_lock)
		n->quiesced = true;
	up_write(&n->report_lock);
}

/**
 * gpubp_amd_waves_drop() - forget the waves of a context, or all
 * @n: node
 * @ctx: context; NULL for all
 *
 * They do not exist any more: none is resumed.
 */
void gpubp_amd_waves_drop(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx)
{
	guard(spinlock)(&n->stop_lock);
	waves_drop_from(&n->stopped, ctx);
	waves_drop_from(&n->resuming, ctx);
	waves_drop_from(&n->lost, ctx);
	if (list_empty(&n->stopped))
		wake_up_all(&n->none_stopped);
}

/** gpubp_amd_waves_give_up() - waves that were not found do not exist */
void gpubp_amd_waves_give_up(struct gpubp_amd_node *n,
			     const struct gpubp_amd_ctx *ctx)
{
	struct wave *w;

	guard(spinlock)(&n->stop_lock);
	waves_drop_from(&n->lost, ctx);
	list_for_each_entry(w, &n->stopped, link)
		if (w->ctx == ctx)
			w->moved = false;
}

/** gpubp_amd_waves_stop() - the GPU loses all waves; no hit is reported */
void gpubp_amd_waves_stop(struct gpubp_amd_node *n)
{
	waves_report_end(n);
	gpubp_amd_find_stop(n);
	cancel_work_sync(&n->resume_work);
	gpubp_amd_waves_drop(n, NULL);
}

/** gpubp_amd_waves_start() - undo gpubp_amd_waves_stop() */
void gpubp_amd_waves_start(struct gpubp_amd_node *n)
{
	guard(spinlock)(&n->stop_lock);
	n->quiesced = false;
}

void gpubp_amd_hit_done(void *dev, const struct gpubp_hit *hit)
{
	struct gpubp_amd_node *n = dev;
	struct wave *w;

	guard(spinlock)(&n->stop_lock);
	w = wave_find(n, hit->wave);
	if (!w)
		return;
	if (hit->exceptions & GPUBP_EXC_MEM_VIOL)
		w->failed = gpubp_amd_fault_resolved(w->ctx);
	wave_put(n, w);
}

/* what was saved with its queue, too */
static void waves_resume_lost(struct gpubp_amd_node *n)
{
	unsigned int tries;

	for (tries = 0; tries < QUIESCE_TRIES && gpubp_amd_find_wants(n);
	     tries++) {
		gpubp_amd_find_now(n);
		flush_work(&n->resume_work);
		usleep_range(500, 1000);
	}
}

void gpubp_amd_quiesce(void *dev)
{
	struct gpubp_amd_node *n = dev;
	struct wave *w;

	waves_report_end(n);
	scoped_guard(spinlock, &n->stop_lock) {
		list_for_each_entry(w, &n->stopped, link)
			w->holds = 0;
		list_splice_tail_init(&n->stopped, &n->resuming);
	}
	schedule_work(&n->resume_work);
	flush_work(&n->resume_work);
	waves_resume_lost(n);
	gpubp_amd_find_stop(n);
}

/* ---- halting ------------------------------------------------------------- */

/*
 * Halt all waves of a context: its queues are taken off the GPU. A stopped wave
 * would be restored at another location, where it could not be found.
 */
static int ctx_halt(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&n->lock);
	if (gpubp_amd_waves_any(n, ctx) || gpubp_amd_ctx_evict(ctx))
		return -EBUSY;
	ctx->nr_halts++;
	return 0;
}

static int ctx_resume(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&n->lock);
	if (!ctx->nr_halts)
		return -ESRCH;
	ctx->nr_halts--;
	gpubp_amd_ctx_restore(ctx);
	return 0;
}

/* waves that have an id are stopped already: add a hold */
int gpubp_amd_halt(void *dev, const struct gpubp_waves *waves)
{
	struct gpubp_amd_node *n = dev;
	unsigned int i;

	if (!waves->nr)
		return ctx_halt(n, waves->ctx);
	guard(spinlock)(&n->stop_lock);
	for (i = 0; i < waves->nr; i++)
		if (!wave_find_of(n, waves->ctx, waves->wave[i]))
			return -ESRCH;
	for (i = 0; i < waves->nr; i++)
		wave_find_of(n, waves->ctx, waves->wave[i])->holds++;
	return 0;
}

int gpubp_amd_resume(void *dev, const struct gpubp_waves *waves)
{
	struct gpubp_amd_node *n = dev;
	unsigned int i;
	int err = 0;

	if (!waves->nr)
		return ctx_resume(n, waves->ctx);
	guard(spinlock)(&n->stop_lock);
	for (i = 0; i < waves->nr; i++) {
		struct wave *w = wave_find_of(n, waves->ctx, waves->wave[i]);

		if (w)
			wave_put(n, w);
		else
			err = -ESRCH;
	}
	return err;
}
