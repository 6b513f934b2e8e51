// SPDX-License-Identifier: GPL-2.0
/*
 * Stopped waves: counting their holds, and resuming them.
 *
 * The location of a wave is reused once the wave was resumed or its queue was
 * taken off the GPU; the id of a wave is a serial number and never reused.
 */
#include <linux/slab.h>

#include "provider.h"

/* longer than resolving a hit takes; a debugger may hold a wave for hours */
#define WAIT_FOR_HITS	(HZ / 10)

/**
 * struct wave - a stopped wave
 * @link: in node->stopped or node->resuming
 * @id: unique serial number
 * @ctx: its context
 * @place: its location
 * @vmid: its VMID
 * @holds: hits and halts that keep it stopped
 * @failed: it is not resumed: amdkfd takes it off the GPU, for a page fault
 */
struct wave {
	struct list_head link;
	u64 id;
	struct gpubp_amd_ctx *ctx;
	struct gpubp_amd_place place;
	u8 vmid;
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

static bool wave_get_place(struct gpubp_amd_node *n, u64 id,
			   struct gpubp_amd_place *place)
{
	struct wave *w;

	guard(spinlock)(&n->stop_lock);
	w = wave_find(n, id);
	if (w)
		*place = w->place;
	return w;
}

int gpubp_amd_read_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
			unsigned int nr, u32 *out)
{
	struct gpubp_amd_node *n = dev;
	struct gpubp_amd_place place;

	if (!gpubp_amd_sq_has(req, nr))
		return -EINVAL;
	if (!wave_get_place(n, wave, &place))
		return -ESRCH;
	gpubp_amd_sq_read(n, &place, req, nr, out);
	/* the wave may have been lost with its queue during the read */
	return wave_get_place(n, wave, &place) ? 0 : -ESRCH;
}

/* ---- resuming ------------------------------------------------------------ */

static void resume_work(struct work_struct *work)
{
	struct gpubp_amd_node *n =
		container_of(work, struct gpubp_amd_node, resume_work);
	struct wave *w, *next;
	LIST_HEAD(resuming);

	scoped_guard(spinlock, &n->stop_lock)
		list_splice_init(&n->resuming, &resuming);
	list_for_each_entry_safe(w, next, &resuming, link) {
		if (!w->failed)
			gpubp_amd_sq_resume(n, &w->place, w->vmid);
		kfree(w);
	}
}

/** gpubp_amd_waves_init() - initialise a node that reports no hits yet */
void gpubp_amd_waves_init(struct gpubp_amd_node *n)
{
	spin_lock_init(&n->stop_lock);
	INIT_LIST_HEAD(&n->stopped);
	INIT_LIST_HEAD(&n->resuming);
	init_waitqueue_head(&n->none_stopped);
	INIT_WORK(&n->resume_work, resume_work);
}

/** gpubp_amd_wave_is_stopped() - is this a wave that was reported */
bool gpubp_amd_wave_is_stopped(struct gpubp_amd_node *n,
			       const struct gpubp_amd_place *place)
{
	struct wave *w;

	guard(spinlock)(&n->stop_lock);
	list_for_each_entry(w, &n->stopped, link)
		if (!memcmp(&w->place, place, sizeof(*place)))
			return true;
	return false;
}

/**
 * gpubp_amd_wave_add() - register a wave that stopped
 * @n: node
 * @ctx: its context
 * @place: its location
 * @vmid: its VMID
 *
 * Return: its id, with one hold; 0 if the node is quiescing, or without memory.
 */
u64 gpubp_amd_wave_add(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
		       const struct gpubp_amd_place *place, u32 vmid)
{
	struct wave *w = kzalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return 0;
	w->ctx = ctx;
	w->place = *place;
	w->vmid = vmid;
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
 * A wave that is still stopped then is lost: it is restored at another
 * location.
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
	if (list_empty(&n->stopped))
		wake_up_all(&n->none_stopped);
}

/** gpubp_amd_waves_stop() - the GPU loses all waves; no hit is reported */
void gpubp_amd_waves_stop(struct gpubp_amd_node *n)
{
	waves_report_end(n);
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
