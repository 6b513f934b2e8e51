// SPDX-License-Identifier: GPL-2.0
/*
 * Waves that stopped: who holds them, and letting them go on.
 *
 * A place is another wave's once its wave has gone on or its queue was taken
 * off the GPU; a wave's id, which has a number in it, is never reused.
 */
#include <linux/slab.h>

#include "provider.h"

/* longer than a hit takes to be resolved; a debugger may hold one for hours */
#define WAIT_FOR_HITS	(HZ / 10)

/**
 * struct wave - a stopped wave
 * @link: in node->stopped or node->going
 * @id: a number that only it has
 * @ctx: its context
 * @place: where it is
 * @vmid: its VMID
 * @holds: hits and halts that hold it
 */
struct wave {
	struct list_head link;
	u64 id;
	struct gpubp_amd_ctx *ctx;
	struct gpubp_amd_place place;
	u8 vmid;
	unsigned int holds;
};

/* ---- who is stopped --------------------------------------------------------------- */

static struct wave *find(struct gpubp_amd_node *n, u64 id)
{
	struct wave *w;

	lockdep_assert_held(&n->stop_lock);
	list_for_each_entry(w, &n->stopped, link)
		if (w->id == id)
			return w;
	return NULL;
}

/* likewise, of a context: sessions name any ids */
static struct wave *find_of(struct gpubp_amd_node *n, void *ctx, u64 id)
{
	struct wave *w = find(n, id);

	return w && w->ctx == ctx ? w : NULL;
}

static bool get_place(struct gpubp_amd_node *n, u64 id,
		      struct gpubp_amd_place *place)
{
	struct wave *w;

	guard(spinlock)(&n->stop_lock);
	w = find(n, id);
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
	if (!get_place(n, wave, &place))
		return -ESRCH;
	gpubp_amd_sq_read(n, &place, req, nr, out);
	/* it may have been lost with its queue in the meantime */
	return get_place(n, wave, &place) ? 0 : -ESRCH;
}

/* ---- going on ------------------------------------------------------------------------ */

static void go_work(struct work_struct *work)
{
	struct gpubp_amd_node *n =
		container_of(work, struct gpubp_amd_node, go_work);
	struct wave *w, *next;
	LIST_HEAD(going);

	scoped_guard(spinlock, &n->stop_lock)
		list_splice_init(&n->going, &going);
	list_for_each_entry_safe(w, next, &going, link) {
		gpubp_amd_sq_go(n, &w->place, w->vmid);
		kfree(w);
	}
}

/** gpubp_amd_waves_init() - of a node that reports nothing yet */
void gpubp_amd_waves_init(struct gpubp_amd_node *n)
{
	spin_lock_init(&n->stop_lock);
	INIT_LIST_HEAD(&n->stopped);
	INIT_LIST_HEAD(&n->going);
	init_waitqueue_head(&n->none_stopped);
	INIT_WORK(&n->go_work, go_work);
}

/**
 * gpubp_amd_wave_add() - a wave stopped
 * @n: node
 * @ctx: its context
 * @place: where it is
 * @vmid: its VMID
 *
 * Return: its id, held once; 0: nothing is to be reported, or no memory.
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
	if (n->quiet) {
		kfree(w);
		return 0;
	}
	w->id = ++n->last_wave;
	list_add_tail(&w->link, &n->stopped);
	return w->id;
}

static void put(struct gpubp_amd_node *n, struct wave *w)
{
	lockdep_assert_held(&n->stop_lock);
	if (--w->holds)
		return;
	list_move_tail(&w->link, &n->going);
	schedule_work(&n->go_work);
	if (list_empty(&n->stopped))
		wake_up_all(&n->none_stopped);
}

/** gpubp_amd_wave_put() - a hold of it ends; does not sleep */
void gpubp_amd_wave_put(struct gpubp_amd_node *n, u64 wave)
{
	struct wave *w;

	guard(spinlock)(&n->stop_lock);
	w = find(n, wave);
	if (w)
		put(n, w);
}

/**
 * gpubp_amd_waves_wait() - until no wave is stopped, but not for long
 * @n: node, whose queues are about to be taken off the GPU
 *
 * A wave that is stopped then is lost: it comes back at another place.
 */
void gpubp_amd_waves_wait(struct gpubp_amd_node *n)
{
	wait_event_timeout(n->none_stopped, list_empty_careful(&n->stopped),
			   WAIT_FOR_HITS);
	flush_work(&n->go_work);
}

/**
 * gpubp_amd_waves_drop() - waves are gone, with their context or with all
 * @n: node
 * @ctx: context; NULL: all
 */
void gpubp_amd_waves_drop(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx)
{
	struct wave *w, *next;

	guard(spinlock)(&n->stop_lock);
	list_for_each_entry_safe(w, next, &n->stopped, link) {
		if (ctx && w->ctx != ctx)
			continue;
		list_del(&w->link);
		kfree(w);
	}
}

void gpubp_amd_hit_done(void *dev, const struct gpubp_hit *hit)
{
	gpubp_amd_wave_put(dev, hit->wave);
}

void gpubp_amd_quiesce(void *dev)
{
	struct gpubp_amd_node *n = dev;
	struct wave *w;

	/* pairs with gpubp_amd_interrupt(): a report that began has ended */
	down_write(&n->report_lock);
	scoped_guard(spinlock, &n->stop_lock) {
		n->quiet = true;
		list_for_each_entry(w, &n->stopped, link)
			w->holds = 0;
		list_splice_tail_init(&n->stopped, &n->going);
	}
	up_write(&n->report_lock);
	schedule_work(&n->go_work);
	flush_work(&n->go_work);
}

/* ---- halting ---------------------------------------------------------------------------- */

static bool has_stopped(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx)
{
	struct wave *w;

	guard(spinlock)(&n->stop_lock);
	list_for_each_entry(w, &n->stopped, link)
		if (w->ctx == ctx)
			return true;
	return false;
}

/*
 * Everything of a context: its queues are taken off the GPU. A wave that is
 * stopped would come back elsewhere, and nobody would find it.
 */
static int halt_all(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&n->lock);
	if (has_stopped(n, ctx) || gpubp_amd_ctx_evict(ctx))
		return -EBUSY;
	ctx->nr_halts++;
	return 0;
}

static int resume_all(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx)
{
	guard(mutex)(&n->lock);
	if (!ctx->nr_halts)
		return -ESRCH;
	ctx->nr_halts--;
	gpubp_amd_ctx_restore(ctx);
	return 0;
}

/* waves that have an id are stopped already: one more holds them */
int gpubp_amd_halt(void *dev, const struct gpubp_waves *waves)
{
	struct gpubp_amd_node *n = dev;
	unsigned int i;

	if (!waves->nr)
		return halt_all(n, waves->ctx);
	guard(spinlock)(&n->stop_lock);
	for (i = 0; i < waves->nr; i++)
		if (!find_of(n, waves->ctx, waves->wave[i]))
			return -ESRCH;
	for (i = 0; i < waves->nr; i++)
		find_of(n, waves->ctx, waves->wave[i])->holds++;
	return 0;
}

int gpubp_amd_resume(void *dev, const struct gpubp_waves *waves)
{
	struct gpubp_amd_node *n = dev;
	unsigned int i;
	int err = 0;

	if (!waves->nr)
		return resume_all(n, waves->ctx);
	guard(spinlock)(&n->stop_lock);
	for (i = 0; i < waves->nr; i++) {
		struct wave *w = find_of(n, waves->ctx, waves->wave[i]);

		if (w)
			put(n, w);
		else
			err = -ESRCH;
	}
	return err;
}
