// SPDX-License-Identifier: GPL-2.0
/* Holds: who keeps which waves halted, and who makes them move. */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/once.h>
#include <linux/siphash.h>
#include <linux/slab.h>

#include "../core/core.h"
#include "displaced.h"
#include "hold.h"
#include "session.h"

/* inside gpubp_events_lock, outside that of users; no op is called inside */
DEFINE_MUTEX(gpubp_holds_lock);
LIST_HEAD(gpubp_holds);
static DEFINE_HASHTABLE(table, 8);

/* moves that have ended, for who waits for one */
static atomic_t nr_moves = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(moves_wait);

/* ---- one hold ------------------------------------------------------------ */

/* with a secret: sessions may name any ids, and would choose those of one chain */
static u32 hash_wave(u64 wave)
{
	static siphash_key_t key __read_mostly;

	get_random_once(&key, sizeof(key));
	return siphash_1u64(wave, &key);
}

static struct gpubp_hold *find(const struct gpubp_holder *who, u64 wave)
{
	struct gpubp_hold *h;

	lockdep_assert_held(&gpubp_holds_lock);
	hash_for_each_possible(table, h, wave_node, hash_wave(wave))
		if (h->wave == wave && h->ctx == who->ctx &&
		    h->session == who->session)
			return h;
	return NULL;
}

static bool is_moving(struct gpubp_ctx *ctx, u64 wave)
{
	struct gpubp_hold *h;

	lockdep_assert_held(&gpubp_holds_lock);
	hash_for_each_possible(table, h, wave_node, hash_wave(wave))
		if (h->wave == wave && h->ctx == ctx && h->moving)
			return true;
	return false;
}

static void link(struct gpubp_hold *h)
{
	lockdep_assert_held(&gpubp_holds_lock);
	list_add_tail(&h->node, &gpubp_holds);
	INIT_LIST_HEAD(&h->over_node);
	hash_add(table, &h->wave_node, hash_wave(h->wave));
}

/** gpubp_hold_destroy() - it is over; gpubp_holds_lock is held */
void gpubp_hold_destroy(struct gpubp_hold *h)
{
	lockdep_assert_held(&gpubp_holds_lock);
	list_del(&h->node);
	list_del(&h->over_node);
	hash_del(&h->wave_node);
	gpubp_user_uncharge_hold(h->user);
	kfree(h->dstep);
	kfree(h);
}

/** gpubp_hold_moved() - whoever waits for a wave to have moved looks again */
void gpubp_hold_moved(void)
{
	atomic_inc(&nr_moves);
	wake_up_all(&moves_wait);
}

static int wait_for_move(int seen)
{
	return wait_event_killable(moves_wait, atomic_read(&nr_moves) != seen) ?
		-EINTR : 0;
}

/**
 * gpubp_hold_state() - who holds a wave
 * @who: who asks
 * @wave: its id
 */
struct gpubp_held gpubp_hold_state(const struct gpubp_holder *who, u64 wave)
{
	struct gpubp_held held = {};
	struct gpubp_hold *h;

	guard(mutex)(&gpubp_holds_lock);
	hash_for_each_possible(table, h, wave_node, hash_wave(wave)) {
		if (h->wave != wave || h->ctx != who->ctx)
			continue;
		held.nr++;
		held.mine |= h->session == who->session;
		held.displaced |= !!h->dstep;
	}
	return held;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hold_state);

/* ---- to hold ------------------------------------------------------------- */

/**
 * struct wish - waves that shall be held
 * @who: by whom
 * @until: until when
 * @spare: holds that may be needed
 * @fresh: waves that were not held before
 * @nr_fresh: entries of @fresh
 */
struct request {
	const struct gpubp_holder *who;
	u64 until;
	struct list_head spare;
	u64 *fresh;
	unsigned int nr_fresh;
};

static void wish_free(struct request *request)
{
	struct gpubp_hold *h, *tmp;

	list_for_each_entry_safe(h, tmp, &request->spare, node)
		kfree(h);
	kvfree(request->fresh);
}

static int wish_alloc(struct request *request, unsigned int nr)
{
	struct gpubp_hold *h;

	INIT_LIST_HEAD(&request->spare);
	request->fresh = kvmalloc_array(nr, sizeof(*request->fresh),
					GFP_KERNEL_ACCOUNT);
	if (!request->fresh)
		return -ENOMEM;
	while (nr--) {
		h = kzalloc(sizeof(*h), GFP_KERNEL_ACCOUNT);
		if (!h) {
			wish_free(request);
			return -ENOMEM;
		}
		list_add(&h->node, &request->spare);
	}
	return 0;
}

static int add_one(struct request *request, u64 wave)
{
	struct gpubp_hold *h = list_first_entry(&request->spare,
						struct gpubp_hold, node);
	struct gpubp_user *user = request->who->session->user;

	if (find(request->who, wave))
		return 0;
	if (gpubp_user_charge_hold(user))
		return -EDQUOT;
	list_del(&h->node);
	h->user = user;
	h->ctx = request->who->ctx;
	h->wave = wave;
	h->session = request->who->session;
	h->last = request->who->session;
	h->event = request->who->event;
	h->until = request->until;
	link(h);
	request->fresh[request->nr_fresh++] = wave;
	return 0;
}

static bool any_moving(const struct request *request, const u64 *waves,
		       unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (is_moving(request->who->ctx, waves[i]))
			return true;
	return false;
}

/* -EAGAIN: one moves; it did when @seen moves had ended */
static int try_add(struct request *request, const u64 *waves, unsigned int nr,
		   int *seen)
{
	unsigned int i;
	int err = 0;

	guard(mutex)(&gpubp_holds_lock);
	*seen = atomic_read(&nr_moves);
	if (any_moving(request, waves, nr))
		return -EAGAIN;
	for (i = 0; i < nr && !err; i++)
		err = add_one(request, waves[i]);
	return err;
}

/* whoever makes a wave move is its only holder, until it has moved */
static int add(struct request *request, const u64 *waves, unsigned int nr)
{
	int err, seen;

	do {
		err = try_add(request, waves, nr, &seen);
		if (err == -EAGAIN && wait_for_move(seen))
			return -EINTR;
	} while (err == -EAGAIN);
	return err;
}

static void undo(const struct request *request)
{
	unsigned int i;

	guard(mutex)(&gpubp_holds_lock);
	for (i = 0; i < request->nr_fresh; i++)
		gpubp_hold_destroy(find(request->who, request->fresh[i]));
}

static void confirm(const struct request *request, const u64 *waves,
		    unsigned int nr)
{
	struct gpubp_hold *h;
	unsigned int i;

	guard(mutex)(&gpubp_holds_lock);
	for (i = 0; i < nr; i++) {
		h = find(request->who, waves[i]);
		h->event = request->who->event;
		h->until = request->until;
	}
}

static int halt_fresh(const struct request *request)
{
	const struct gpubp_device *dev = request->who->ctx->dev;
	struct gpubp_waves waves = {
		.ctx = request->who->ctx->priv,
		.wave = request->fresh,
		.nr = request->nr_fresh,
	};

	int err;

	if (!waves.nr)
		return 0;	/* none would be all */
	err = dev->ops.halt(dev->priv, &waves);
	/* a hit that stopped one says where it goes on */
	if (!err)
		kthread_flush_worker(dev->resolver);
	return err;
}

/**
 * gpubp_hold_waves() - halt waves, on behalf of a session
 * @who: session
 * @waves: ids
 * @nr: how many
 * @until: for how long at most, ns of CLOCK_MONOTONIC
 *
 * Those that it holds are held until then. Return: 0; or nothing has changed:
 * -EINTR, -ENOMEM, -EDQUOT (its user's sessions hold as many as they may), and
 * what ops->halt says.
 */
int gpubp_hold_waves(const struct gpubp_holder *who, const u64 *waves,
		     unsigned int nr, u64 until)
{
	struct request request = { .who = who, .until = until };
	int err;

	if (!nr)
		return 0;
	err = wish_alloc(&request, nr);
	if (err)
		return err;
	err = add(&request, waves, nr) ?: halt_fresh(&request);
	if (err)
		undo(&request);
	else
		confirm(&request, waves, nr);
	wish_free(&request);
	gpubp_holds_check();
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hold_waves);

/* who is gone is no failure; how many are held */
static int hold_each(const struct gpubp_holder *who, const u64 *waves,
		     unsigned int nr, u64 until)
{
	unsigned int i;
	int err, n = 0;

	for (i = 0; i < nr; i++) {
		err = gpubp_ctx_op_check(who->ctx);
		if (err)
			return err;
		err = gpubp_hold_waves(who, &waves[i], 1, until);
		if (err && err != -ESRCH)
			return err;
		n += !err;
	}
	return n;
}

/**
 * gpubp_hold_all() - likewise, all waves of the context
 * @who: session
 * @until: as above
 *
 * Return: how many there are that it holds now, or as above; what was halted
 * until then it holds.
 */
int gpubp_hold_all(const struct gpubp_holder *who, u64 until)
{
	u64 *waves;
	int err, nr = gpubp_waves_ids(who->ctx, &waves);

	if (nr <= 0)
		return nr;
	err = gpubp_hold_waves(who, waves, nr, until);
	if (err == -ESRCH)
		nr = hold_each(who, waves, nr, until);
	kvfree(waves);
	return err && err != -ESRCH ? err : nr;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hold_all);

/* ---- to let go ----------------------------------------------------------- */

/** gpubp_hold_resume() - undo one halt of a wave; context visited */
int gpubp_hold_resume(struct gpubp_ctx *ctx, u64 wave)
{
	const struct gpubp_device *dev = ctx->dev;
	struct gpubp_waves waves = { .ctx = ctx->priv, .wave = &wave, .nr = 1 };

	return dev->ops.resume(dev->priv, &waves);
}

static bool is_held(const struct gpubp_holder *who, u64 wave)
{
	guard(mutex)(&gpubp_holds_lock);
	return find(who, wave);
}

/* there may be no such wave, or none any more */
static int not_held(const struct gpubp_holder *who, u64 wave)
{
	struct gpubp_wave_info info;

	return gpubp_waves_find(who->ctx, wave, &info) == -ESRCH ? -ESRCH :
								   -EBADFD;
}

/**
 * gpubp_hold_release() - a session lets a wave go
 * @who: session
 * @wave: id
 *
 * Return: 0; -ESRCH, it is gone, and so is the hold; -EBADFD, it is not held by
 * this session; -EINPROGRESS, its displaced step is to be completed; or what
 * ops->resume says, and it is held still.
 */
int gpubp_hold_release(const struct gpubp_holder *who, u64 wave)
{
	int err;

	if (!is_held(who, wave))
		return not_held(who, wave);
	if (gpubp_hold_dstep(who, wave))
		return -EINPROGRESS;
	err = gpubp_hold_resume(who->ctx, wave);
	if (err && err != -ESRCH)
		return err;
	guard(mutex)(&gpubp_holds_lock);
	gpubp_hold_destroy(find(who, wave));
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hold_release);

static bool is_mine(const struct gpubp_hold *h, const struct gpubp_holder *who)
{
	return h->ctx == who->ctx && h->session == who->session;
}

static unsigned int count_mine(const struct gpubp_holder *who)
{
	struct gpubp_hold *h;
	unsigned int nr = 0;

	guard(mutex)(&gpubp_holds_lock);
	list_for_each_entry(h, &gpubp_holds, node)
		nr += is_mine(h, who);
	return nr;
}

/**
 * gpubp_hold_list() - waves of the context that a session holds
 * @who: session
 * @waves: (out) their ids; the caller frees them, if any, with kvfree()
 *
 * Return: how many, or -ENOMEM.
 */
int gpubp_hold_list(const struct gpubp_holder *who, u64 **waves)
{
	unsigned int i = 0, nr = count_mine(who);
	struct gpubp_hold *h;

	*waves = NULL;
	if (!nr)
		return 0;
	*waves = kvmalloc_array(nr, sizeof(**waves), GFP_KERNEL);
	if (!*waves)
		return -ENOMEM;
	guard(mutex)(&gpubp_holds_lock);
	/* in a session's turn nobody adds to its holds */
	list_for_each_entry(h, &gpubp_holds, node)
		if (is_mine(h, who))
			(*waves)[i++] = h->wave;
	return i;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hold_list);

/* ---- to move ------------------------------------------------------------- */

static int try_move(const struct gpubp_holder *who, u64 wave)
{
	struct gpubp_hold *h, *other;

	guard(mutex)(&gpubp_holds_lock);
	h = find(who, wave);
	if (!h)
		return -EBADFD;
	hash_for_each_possible(table, other, wave_node, hash_wave(wave))
		if (other != h && other->wave == wave && other->ctx == who->ctx)
			return -EBUSY;
	h->moving = true;
	return 0;
}

/**
 * gpubp_move_begin() - a session that holds a wave alone will make it move
 * @who: session
 * @wave: id
 *
 * Whoever wants to hold it waits until gpubp_move_end() or gpubp_move_ended().
 * Return: 0, -ESRCH (there is no such wave), -EBADFD (it is not held by this
 * session), -EBUSY (others hold it).
 */
int gpubp_move_begin(const struct gpubp_holder *who, u64 wave)
{
	int err = try_move(who, wave);

	return err == -EBADFD ? not_held(who, wave) : err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_move_begin);

/** gpubp_move_end() - it stands still again */
void gpubp_move_end(const struct gpubp_holder *who, u64 wave)
{
	scoped_guard(mutex, &gpubp_holds_lock)
		find(who, wave)->moving = false;
	gpubp_hold_moved();
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_move_end);

/** gpubp_move_ended() - it ended, and nobody holds it any more */
void gpubp_move_ended(const struct gpubp_holder *who, u64 wave)
{
	struct gpubp_dstep *dstep = gpubp_hold_dstep(who, wave);

	if (dstep)
		gpubp_dstep_abandon(who->ctx, dstep);
	scoped_guard(mutex, &gpubp_holds_lock)
		gpubp_hold_destroy(find(who, wave));
	gpubp_hold_moved();
}

/* ---- displaced steps ----------------------------------------------------- */

/** gpubp_hold_dstep() - of a wave that a session holds; NULL if there is none */
struct gpubp_dstep *gpubp_hold_dstep(const struct gpubp_holder *who, u64 wave)
{
	struct gpubp_hold *h;

	guard(mutex)(&gpubp_holds_lock);
	h = find(who, wave);
	return h ? h->dstep : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hold_dstep);

/** gpubp_hold_set_dstep() - likewise; the caller had or has it otherwise */
void gpubp_hold_set_dstep(const struct gpubp_holder *who, u64 wave,
			  struct gpubp_dstep *dstep)
{
	guard(mutex)(&gpubp_holds_lock);
	find(who, wave)->dstep = dstep;
}

/** gpubp_holds_count() - how many there are */
unsigned int gpubp_holds_count(void)
{
	guard(mutex)(&gpubp_holds_lock);
	return list_count_nodes(&gpubp_holds);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_count);

/** gpubp_holds_on() - how many there are of waves of a device */
unsigned int gpubp_holds_on(const struct gpubp_device *dev)
{
	const struct gpubp_hold *h;
	unsigned int nr = 0;

	guard(mutex)(&gpubp_holds_lock);
	list_for_each_entry(h, &gpubp_holds, node)
		nr += h->ctx->dev == dev;
	return nr;
}
