// SPDX-License-Identifier: GPL-2.0
/* Holds: sessions keep waves halted, and move a wave that one of them holds. */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/once.h>
#include <linux/sched/signal.h>
#include <linux/siphash.h>
#include <linux/slab.h>

#include "../core/core.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "catch.h"
#include "displaced.h"
#include "hold.h"
#include "holding.h"
#include "notice.h"
#include "session.h"

static DEFINE_HASHTABLE(hold_table, 12);
static unsigned int nr_holds;

/* nests inside gpubp_events_lock, outside the lock of users; no op is called */
DEFINE_MUTEX(gpubp_holds_lock);
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_lock);

/* number of moves that have ended, and those waiting for the next one */
static atomic_t nr_moves = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(moves_wait);

/* ---- one hold ------------------------------------------------------------ */

/*
 * gpubp_hold_hash() - hash of the id of a wave or of an event
 *
 * Keyed: a session may name any ids and could choose them to share a bucket.
 */
u32 gpubp_hold_hash(u64 id)
{
	static siphash_key_t key __read_mostly;

	get_random_once(&key, sizeof(key));
	return siphash_1u64(id, &key);
}

/* not one that is being released: a hit may stop the wave before that has returned */
static struct gpubp_hold *hold_find(const struct gpubp_holder *holder, u64 wave)
{
	struct gpubp_hold *h;

	lockdep_assert_held(&gpubp_holds_lock);
	hash_for_each_possible(hold_table, h, wave_node, gpubp_hold_hash(wave))
		if (h->wave == wave && h->ctx == holder->ctx &&
		    h->session == holder->session && !h->ending)
			return h;
	return NULL;
}

static bool wave_is_moving(struct gpubp_ctx *ctx, u64 wave)
{
	struct gpubp_hold *h;

	lockdep_assert_held(&gpubp_holds_lock);
	hash_for_each_possible(hold_table, h, wave_node, gpubp_hold_hash(wave))
		if (h->wave == wave && h->ctx == ctx && h->moving)
			return true;
	return false;
}

static void hold_link(struct gpubp_hold *h)
{
	lockdep_assert_held(&gpubp_holds_lock);
	list_add_tail(&h->session_node, &h->session->holds);
	list_add_tail(&h->ctx_node, &h->ctx->holds);
	INIT_LIST_HEAD(&h->ended_node);
	timerqueue_init(&h->limit);
	hash_add(hold_table, &h->wave_node, gpubp_hold_hash(h->wave));
	WRITE_ONCE(nr_holds, nr_holds + 1);
	h->ctx->dev->nr_holds++;
}

static void hold_free(struct gpubp_hold *h)
{
	gpubp_user_uncharge_hold(h->user);
	kfree(h);
}

/* to the reserve that it is of; it stays charged there */
static void hold_put_back(struct gpubp_hold *h)
{
	struct gpubp_session *reserve = h->reserve;

	if (!reserve)
		return hold_free(h);
	*h = (struct gpubp_hold) { .user = h->user, .reserve = reserve };
	list_add(&h->session_node, &reserve->spare_holds);
}

/** gpubp_hold_destroy() - unlink and free a hold; gpubp_holds_lock is held */
void gpubp_hold_destroy(struct gpubp_hold *h)
{
	lockdep_assert_held(&gpubp_holds_lock);
	gpubp_hold_leave(h);
	list_del(&h->session_node);
	list_del(&h->ctx_node);
	list_del(&h->ended_node);
	hash_del(&h->wave_node);
	WRITE_ONCE(nr_holds, nr_holds - 1);
	h->ctx->dev->nr_holds--;
	kfree(h->dstep);
	hold_put_back(h);
}

/** gpubp_moves_wake() - a move ended; wake up those that wait for one */
void gpubp_moves_wake(void)
{
	atomic_inc(&nr_moves);
	wake_up_all(&moves_wait);
}

static int hold_wait_move(int seen)
{
	return wait_event_killable(moves_wait, atomic_read(&nr_moves) != seen) ?
		-EINTR : 0;
}

/**
 * gpubp_hold_state() - which sessions hold a wave
 * @holder: the calling session and its context
 * @wave: id of the wave
 */
struct gpubp_held gpubp_hold_state(const struct gpubp_holder *holder, u64 wave)
{
	struct gpubp_held held = {};
	struct gpubp_hold *h;

	guard(mutex)(&gpubp_holds_lock);
	hash_for_each_possible(hold_table, h, wave_node, gpubp_hold_hash(wave)) {
		if (h->wave != wave || h->ctx != holder->ctx)
			continue;
		held.nr++;
		held.mine |= h->session == holder->session;
		held.caught |= h->caught && h->session == holder->session;
		held.displaced |= !!h->dstep;
	}
	return held;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hold_state);

/* ---- notices ------------------------------------------------------------- */

/**
 * gpubp_hold_notice() - put a notice: the session holds a wave
 * @h: hold of a session; gpubp_holds_lock is held
 * @event: id of the attachment
 * @why: enum gpubp_stop_why
 */
void gpubp_hold_notice(const struct gpubp_hold *h, u64 event, u32 why)
{
	struct gpubp_any_notice notice = {
		.stop = {
			.head = {
				.size = sizeof(notice.stop),
				.type = GPUBP_NOTICE_STOP,
			},
			.event = event,
			.wave = h->wave,
			.context = h->ctx->id,
			.why = why,
		},
	};

	gpubp_notice_put(h->session, &notice);
}

/**
 * gpubp_wave_notice() - put a notice: a wave was stepped, or has ended
 * @holder: session that holds it, or held it
 * @wave: id of the wave
 * @type: enum gpubp_notice_type
 */
void gpubp_wave_notice(const struct gpubp_holder *holder, u64 wave, u32 type)
{
	struct gpubp_any_notice notice = {
		.wave = {
			.head = { .size = sizeof(notice.wave), .type = type },
			.event = holder->event,
			.wave = wave,
			.context = holder->ctx->id,
		},
	};

	gpubp_notice_put(holder->session, &notice);
}

/* ---- hold waves ---------------------------------------------------------- */

/**
 * struct hold_request - one call that holds waves
 * @holder: the session, its attachment and the context
 * @until: end of the holds, ns of CLOCK_MONOTONIC
 * @spare: preallocated holds
 * @holding: that the holds join, once one did
 * @spare_holding: preallocated, for that
 * @check: the thread must be woken up, as a limit or a holding is new
 * @new_waves: waves that the session did not hold before
 * @nr_new: entries of @new_waves
 */
struct hold_request {
	const struct gpubp_holder *holder;
	u64 until;
	struct list_head spare;
	struct gpubp_holding *holding;
	struct gpubp_holding *spare_holding;
	bool check;
	u64 *new_waves;
	unsigned int nr_new;
};

static void hold_request_free(struct hold_request *req)
{
	struct gpubp_hold *h, *tmp;

	list_for_each_entry_safe(h, tmp, &req->spare, session_node)
		kfree(h);
	kfree(req->spare_holding);
	kvfree(req->new_waves);
}

static int hold_request_alloc(struct hold_request *req, unsigned int nr)
{
	struct gpubp_hold *h;

	INIT_LIST_HEAD(&req->spare);
	req->new_waves = kvmalloc_array(nr, sizeof(*req->new_waves),
					GPUBP_GFP_USER);
	req->spare_holding = kzalloc(sizeof(*req->spare_holding),
				     GPUBP_GFP_USER);
	if (!req->new_waves || !req->spare_holding)
		goto err;
	while (nr--) {
		h = kzalloc(sizeof(*h), GPUBP_GFP_USER);
		if (!h)
			goto err;
		list_add(&h->session_node, &req->spare);
	}
	return 0;

err:
	hold_request_free(req);
	return -ENOMEM;
}

static struct gpubp_holding *hold_request_holding(struct hold_request *req)
{
	const struct gpubp_holder *holder = req->holder;

	if (!req->holding)
		req->holding = gpubp_holding_find(holder->session,
						  holder->event);
	if (!req->holding) {
		swap(req->holding, req->spare_holding);
		gpubp_holding_open(req->holding, holder->session,
				   holder->event);
		req->check = true;
	}
	return req->holding;
}

static void hold_set_terms(struct hold_request *req, struct gpubp_hold *h)
{
	gpubp_hold_join(h, hold_request_holding(req));
	req->check |= gpubp_hold_set_until(h, req->until);
}

static int hold_add_one(struct hold_request *req, u64 wave)
{
	struct gpubp_hold *h = list_first_entry(&req->spare,
						struct gpubp_hold,
						session_node);
	struct gpubp_user *user = req->holder->session->user;

	if (hold_find(req->holder, wave))
		return 0;
	if (gpubp_user_charge_hold(user))
		return -EDQUOT;
	list_del(&h->session_node);
	h->user = user;
	h->ctx = req->holder->ctx;
	h->wave = wave;
	h->session = req->holder->session;
	hold_link(h);
	hold_set_terms(req, h);
	req->new_waves[req->nr_new++] = wave;
	return 0;
}

static bool hold_any_moving(const struct hold_request *req, const u64 *waves,
			    unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (wave_is_moving(req->holder->ctx, waves[i]))
			return true;
	return false;
}

/* -EAGAIN: a wave is moving; @seen is the value of nr_moves at that time */
static int hold_try_add(struct hold_request *req, const u64 *waves,
			unsigned int nr, int *seen)
{
	unsigned int i;
	int err = 0;

	guard(mutex)(&gpubp_holds_lock);
	*seen = atomic_read(&nr_moves);
	if (hold_any_moving(req, waves, nr))
		return -EAGAIN;
	for (i = 0; i < nr && !err; i++)
		err = hold_add_one(req, waves[i]);
	return err;
}

/* a wave that is moving has one holder: wait until the move has ended */
static int hold_add(struct hold_request *req, const u64 *waves, unsigned int nr)
{
	int err, seen;

	do {
		err = hold_try_add(req, waves, nr, &seen);
		if (err == -EAGAIN && hold_wait_move(seen))
			return -EINTR;
	} while (err == -EAGAIN);
	return err;
}

static void hold_undo(const struct hold_request *req)
{
	unsigned int i;

	guard(mutex)(&gpubp_holds_lock);
	for (i = 0; i < req->nr_new; i++) {
		struct gpubp_hold *h = hold_find(req->holder,
						 req->new_waves[i]);

		/* a hit may have made it one of its own */
		if (!h->halts)
			gpubp_hold_destroy(h);
	}
}

static void hold_confirm(struct hold_request *req, const u64 *waves,
			 unsigned int nr)
{
	struct gpubp_hold *h;
	unsigned int i;

	guard(mutex)(&gpubp_holds_lock);
	for (i = 0; i < req->nr_new; i++) {
		h = hold_find(req->holder, req->new_waves[i]);
		h->halts++;
		gpubp_hold_notice(h, req->holder->event, GPUBP_WHY_HALT);
	}
	for (i = 0; i < nr; i++)
		hold_set_terms(req, hold_find(req->holder, waves[i]));
}

/**
 * gpubp_halt_waves() - ops->halt of single waves
 * @ctx: their context; a ctx op reference is held
 * @waves: the waves
 *
 * If need be the waves of @ctx record no hits from then on. May sleep. Return: as
 * ops->halt.
 */
int gpubp_halt_waves(struct gpubp_ctx *ctx, const struct gpubp_waves *waves)
{
	const struct gpubp_device *dev = ctx->dev;
	int err = dev->ops.halt(dev->priv, waves);

	if (err == -EBUSY && gpubp_records_stop(ctx))
		err = dev->ops.halt(dev->priv, waves);
	return err;
}

static int hold_halt_new(const struct hold_request *req)
{
	struct gpubp_ctx *ctx = req->holder->ctx;
	const struct gpubp_device *dev = ctx->dev;
	struct gpubp_waves waves = {
		.ctx = ctx->priv,
		.wave = req->new_waves,
		.nr = req->nr_new,
	};
	unsigned int i;
	int err;

	if (!waves.nr)
		return 0;	/* for the provider, 0 means all waves */
	err = gpubp_halt_waves(ctx, &waves);
	if (err)
		return err;
	/* a hit that stopped one of the waves decides where it continues */
	kthread_flush_worker(dev->resolver);
	for (i = 0; i < waves.nr; i++)
		gpubp_pc_park(ctx, waves.wave[i]);
	return 0;
}

/**
 * gpubp_hold_waves() - halt waves for a session
 * @holder: session, its attachment and the context
 * @waves: ids of the waves
 * @nr: entries of @waves
 * @until: end of the holds at the latest, ns of CLOCK_MONOTONIC
 *
 * Waves that the session already holds are held until @until. Return: 0; or,
 * with nothing changed, -EINTR, -ENOMEM, -EDQUOT (the sessions of its user hold
 * as many waves as they may), or an error of ops->halt.
 */
int gpubp_hold_waves(const struct gpubp_holder *holder, const u64 *waves,
		     unsigned int nr, u64 until)
{
	struct hold_request req = { .holder = holder, .until = until };
	int err;

	if (!nr)
		return 0;
	err = hold_request_alloc(&req, nr);
	if (err)
		return err;
	err = hold_add(&req, waves, nr) ?: hold_halt_new(&req);
	if (err)
		hold_undo(&req);
	else
		hold_confirm(&req, waves, nr);
	hold_request_free(&req);
	if (req.check)
		gpubp_holds_check();
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hold_waves);

/* number of waves held; a wave that ended is skipped */
static int hold_one_by_one(const struct gpubp_holder *holder, const u64 *waves,
			   unsigned int nr, u64 until)
{
	unsigned int i;
	int err, n = 0;

	for (i = 0; i < nr; i++) {
		err = gpubp_ctx_op_check(holder->ctx);
		if (err)
			return err;
		err = gpubp_hold_waves(holder, &waves[i], 1, until);
		if (err && err != -ESRCH)
			return err;
		n += !err;
	}
	return n;
}

/**
 * gpubp_hold_all() - halt all waves of a context for a session
 * @holder: session, its attachment and the context
 * @until: as for gpubp_hold_waves()
 *
 * Return: number of waves that are held now, or an error of gpubp_hold_waves().
 * After an error, waves that were halted before it may remain held.
 */
int gpubp_hold_all(const struct gpubp_holder *holder, u64 until)
{
	u64 *waves;
	int err, nr = gpubp_waves_ids(holder->ctx, &waves);

	if (nr <= 0)
		return nr;
	err = gpubp_hold_waves(holder, waves, nr, until);
	if (err == -ESRCH)
		nr = hold_one_by_one(holder, waves, nr, until);
	kvfree(waves);
	return err && err != -ESRCH ? err : nr;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hold_all);

/* ---- hold the waves of hits ---------------------------------------------- */

/*
 * The resolver must neither wait for a session nor allocate: holds for that, and what
 * they are charged to, are reserved.
 */

static struct gpubp_hold *reserve_alloc(struct gpubp_session *session, int *err)
{
	struct gpubp_hold *h = kzalloc(sizeof(*h), GPUBP_GFP_USER);

	*err = h ? gpubp_user_charge_hold(session->user) : -ENOMEM;
	if (*err) {
		kfree(h);
		return NULL;
	}
	h->user = session->user;
	h->reserve = session;
	return h;
}

static int reserve_add(struct gpubp_session *session)
{
	int err;
	struct gpubp_hold *h = reserve_alloc(session, &err);

	if (!h)
		return err;
	guard(mutex)(&gpubp_holds_lock);
	list_add(&h->session_node, &session->spare_holds);
	return 0;
}

static struct gpubp_hold *reserve_take(struct gpubp_session *session)
{
	struct gpubp_hold *h;

	lockdep_assert_held(&gpubp_holds_lock);
	h = list_first_entry_or_null(&session->spare_holds, struct gpubp_hold,
				     session_node);
	if (h)
		list_del(&h->session_node);
	return h;
}

/**
 * gpubp_holds_unreserve() - give up spare holds, as many as there are at most
 * @session: session
 * @nr: how many
 */
void gpubp_holds_unreserve(struct gpubp_session *session, unsigned int nr)
{
	struct gpubp_hold *h;

	for (; nr; nr--) {
		scoped_guard(mutex, &gpubp_holds_lock)
			h = reserve_take(session);
		if (!h)
			return;
		hold_free(h);
		cond_resched();
	}
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_unreserve);

/**
 * gpubp_holds_reserve() - reserve holds for hits
 * @session: session
 * @nr: how many more
 *
 * May sleep. Return: 0; or, with nothing changed, -ENOMEM, -EDQUOT, -EINTR.
 */
int gpubp_holds_reserve(struct gpubp_session *session, unsigned int nr)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr; i++) {
		err = fatal_signal_pending(current) ? -EINTR :
						      reserve_add(session);
		if (err)
			break;
		cond_resched();
	}
	if (err)
		gpubp_holds_unreserve(session, i);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_reserve);

/* another session steps or changes it; not: a thread resumes it */
static bool wave_is_moved(const struct gpubp_holder *holder, u64 wave)
{
	struct gpubp_hold *h;

	hash_for_each_possible(hold_table, h, wave_node, gpubp_hold_hash(wave))
		if (h->wave == wave && h->ctx == holder->ctx && h->moving &&
		    h->session)
			return true;
	return false;
}

/**
 * gpubp_hold_needs_halt() - is a wave to be halted for the hit that stops it
 * @holder: session, and the wave's context; gpubp_holds_lock is held
 * @wave: id of the wave
 * @err: (out) if not: 0, the session holds it already; -EBUSY, another one steps it;
 *	-ENOSPC, its reserve is used up
 */
bool gpubp_hold_needs_halt(const struct gpubp_holder *holder, u64 wave, int *err)
{
	const struct gpubp_hold *h;

	lockdep_assert_held(&gpubp_holds_lock);
	h = hold_find(holder, wave);
	*err = 0;
	if (h)
		return !h->halts;	/* GPUBP_HALT is about to */
	*err = wave_is_moved(holder, wave)			? -EBUSY :
	       list_empty(&holder->session->spare_holds)	? -ENOSPC :
								  0;
	return !*err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hold_needs_halt);

/**
 * gpubp_hold_caught() - hold a wave that was halted for the hit that stops it
 * @holder: session, and the wave's context; gpubp_holds_lock is held
 * @wave: id of the wave, for which gpubp_hold_needs_halt()
 * @ce: the event of the hit
 * @unsimulated: the wave may need gpubp_pc_catch_up()
 *
 * The halt is the hold's from now on. The session does not move the wave before the hit
 * is done.
 */
void gpubp_hold_caught(const struct gpubp_holder *holder, u64 wave,
		       struct gpubp_caught_event *ce, bool unsimulated)
{
	struct gpubp_hold *h = hold_find(holder, wave);
	bool is_new = !h;

	lockdep_assert_held(&gpubp_holds_lock);
	if (is_new)
		h = reserve_take(holder->session);
	h->halts++;
	h->caught = true;
	h->unsimulated = unsimulated;
	if (!is_new)
		return;
	h->ctx = holder->ctx;
	h->wave = wave;
	h->session = holder->session;
	hold_link(h);
	gpubp_caught_event_join(ce, h);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hold_caught);

/* ---- release waves ------------------------------------------------------- */

/* the hold that has to see to it, if not this one: that which is resumed last */
static struct gpubp_hold *hold_next(const struct gpubp_hold *h)
{
	struct gpubp_hold *other;

	lockdep_assert_held(&gpubp_holds_lock);
	hash_for_each_possible(hold_table, other, wave_node,
			       gpubp_hold_hash(h->wave))
		if (other != h && other->wave == h->wave &&
		    other->ctx == h->ctx && !other->ending)
			return other;
	return NULL;
}

/* number of halts to undo; @unsimulated: after that instruction */
static unsigned int hold_resume_begin(struct gpubp_hold *h, bool *unsimulated)
{
	struct gpubp_hold *next;

	guard(mutex)(&gpubp_holds_lock);
	h->ending = true;
	next = h->unsimulated ? hold_next(h) : NULL;
	if (next) {
		next->unsimulated = true;
		h->unsimulated = false;
	}
	*unsimulated = h->unsimulated;
	return h->halts;
}

static int hold_resume_halts(struct gpubp_hold *h, unsigned int *halts)
{
	const struct gpubp_device *dev = h->ctx->dev;
	struct gpubp_waves waves = {
		.ctx = h->ctx->priv, .wave = &h->wave, .nr = 1,
	};
	int err = 0;

	for (; *halts && !err; *halts -= !err)
		err = dev->ops.resume(dev->priv, &waves);
	return err;
}

/**
 * gpubp_hold_resume() - undo what a hold has halted
 * @h: hold that no other task resumes; a ctx op reference is held
 *
 * May sleep. Return: 0, or an error of ops->resume and, of what was caught in front of an
 * instruction that is simulated, of ops->read_wave and ops->write_wave.
 */
int gpubp_hold_resume(struct gpubp_hold *h)
{
	bool unsimulated;
	unsigned int halts = hold_resume_begin(h, &unsimulated);
	int err = unsimulated ? gpubp_pc_catch_up(h->ctx, h->wave) : 0;

	if (err >= 0)
		err = hold_resume_halts(h, &halts);
	if (!err)
		return 0;
	guard(mutex)(&gpubp_holds_lock);
	h->halts = halts;
	h->ending = false;
	return err;
}

/* op_sem and a ctx op reference are held: nothing else destroys it */
static struct gpubp_hold *hold_get(const struct gpubp_holder *holder, u64 wave)
{
	guard(mutex)(&gpubp_holds_lock);
	return hold_find(holder, wave);
}

/* -ESRCH: the wave does not exist (any more); -EBADFD: it is not held */
static int hold_missing_error(const struct gpubp_holder *holder, u64 wave)
{
	struct gpubp_wave_info info;

	return gpubp_waves_find(holder->ctx, wave, &info) == -ESRCH ? -ESRCH :
								   -EBADFD;
}

/**
 * gpubp_hold_release() - end the hold of a session on a wave
 * @holder: session and context
 * @wave: id of the wave
 *
 * Return: 0; -ESRCH, the wave ended and the hold is gone; -EBADFD, this session
 * does not hold it; -EINPROGRESS, its displaced step is not completed; or an
 * error of ops->resume, and the wave is still held.
 */
int gpubp_hold_release(const struct gpubp_holder *holder, u64 wave)
{
	struct gpubp_hold *h = hold_get(holder, wave);
	int err;

	if (!h)
		return hold_missing_error(holder, wave);
	if (h->dstep)
		return -EINPROGRESS;
	err = gpubp_hold_resume(h);
	if (err && err != -ESRCH)
		return err;
	if (err)
		gpubp_wave_notice(holder, wave, GPUBP_NOTICE_ENDED);
	guard(mutex)(&gpubp_holds_lock);
	gpubp_hold_destroy(h);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hold_release);

/* the session's list has those that ended, too */
static bool hold_is_mine(const struct gpubp_hold *h,
			 const struct gpubp_holder *holder)
{
	return h->ctx == holder->ctx && h->session == holder->session;
}

static unsigned int hold_count_mine(const struct gpubp_holder *holder)
{
	struct gpubp_hold *h;
	unsigned int nr = 0;

	guard(mutex)(&gpubp_holds_lock);
	list_for_each_entry(h, &holder->session->holds, session_node)
		nr += hold_is_mine(h, holder);
	return nr;
}

/**
 * gpubp_hold_list() - list the waves of a context that a session holds
 * @holder: session and context
 * @waves: (out) their ids, to be freed with kvfree(); NULL if there are none
 *
 * Return: number of waves, or -ENOMEM.
 */
int gpubp_hold_list(const struct gpubp_holder *holder, u64 **waves)
{
	unsigned int i = 0, nr = hold_count_mine(holder);
	struct gpubp_hold *h;

	*waves = NULL;
	if (!nr)
		return 0;
	*waves = kvmalloc_array(nr, sizeof(**waves), GFP_KERNEL_ACCOUNT);
	if (!*waves)
		return -ENOMEM;
	guard(mutex)(&gpubp_holds_lock);
	/* op_sem is held: no other call adds holds of this session, but hits do */
	list_for_each_entry(h, &holder->session->holds, session_node)
		if (i < nr && hold_is_mine(h, holder))
			(*waves)[i++] = h->wave;
	return i;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hold_list);

/* ---- move waves ---------------------------------------------------------- */

/* @caught: a hit of the wave may not be done */
static int move_try_begin(const struct gpubp_holder *holder, u64 wave,
			  bool *caught)
{
	struct gpubp_hold *h, *other;

	guard(mutex)(&gpubp_holds_lock);
	h = hold_find(holder, wave);
	if (!h)
		return -EBADFD;
	hash_for_each_possible(hold_table, other, wave_node, gpubp_hold_hash(wave))
		if (other != h && other->wave == wave &&
		    other->ctx == holder->ctx)
			return -EBUSY;
	h->moving = true;
	*caught = h->caught;
	h->caught = false;
	return 0;
}

/**
 * gpubp_move_begin() - begin to step or change a wave that only we hold
 * @holder: session and context
 * @wave: id of the wave
 *
 * Calls that hold the wave wait until the end of the move.
 * Return: 0, -ESRCH (there is no such wave), -EBADFD (this session does not
 * hold it), -EBUSY (other sessions hold it, too).
 */
int gpubp_move_begin(const struct gpubp_holder *holder, u64 wave)
{
	bool caught = false;
	int err = move_try_begin(holder, wave, &caught);

	if (caught)
		kthread_flush_worker(holder->ctx->dev->resolver);
	return err == -EBADFD ? hold_missing_error(holder, wave) : err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_move_begin);

/** gpubp_move_end() - end of a move: the wave is halted again */
void gpubp_move_end(const struct gpubp_holder *holder, u64 wave)
{
	scoped_guard(mutex, &gpubp_holds_lock)
		hold_find(holder, wave)->moving = false;
	gpubp_moves_wake();
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_move_end);

/** gpubp_move_wave_ended() - end of a move: the wave ended, destroy its hold */
void gpubp_move_wave_ended(const struct gpubp_holder *holder, u64 wave)
{
	struct gpubp_dstep *dstep = gpubp_hold_dstep(holder, wave);

	if (dstep)
		gpubp_dstep_abandon(holder->ctx, dstep);
	gpubp_wave_notice(holder, wave, GPUBP_NOTICE_ENDED);
	scoped_guard(mutex, &gpubp_holds_lock)
		gpubp_hold_destroy(hold_find(holder, wave));
	gpubp_moves_wake();
}

/* ---- displaced steps ----------------------------------------------------- */

/** gpubp_hold_dstep() - displaced step of a held wave, NULL if there is none */
struct gpubp_dstep *gpubp_hold_dstep(const struct gpubp_holder *holder,
				     u64 wave)
{
	struct gpubp_hold *h;

	guard(mutex)(&gpubp_holds_lock);
	h = hold_find(holder, wave);
	return h ? h->dstep : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_hold_dstep);

/** gpubp_hold_set_dstep() - set it; the caller frees the previous one */
void gpubp_hold_set_dstep(const struct gpubp_holder *holder, u64 wave,
			  struct gpubp_dstep *dstep)
{
	guard(mutex)(&gpubp_holds_lock);
	hold_find(holder, wave)->dstep = dstep;
}

/** gpubp_holds_count() - number of holds; any context */
unsigned int gpubp_holds_count(void)
{
	return READ_ONCE(nr_holds);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holds_count);
