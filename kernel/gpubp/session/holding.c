// SPDX-License-Identifier: GPL-2.0
/*
 * Holdings: when the holds of a session end.
 *
 * A hold ends when its time limit expires, or with its holding: when the
 * attachment is detached, its event is removed or no longer valid, or the
 * process of the session exits. The limits are in a queue, the first one first.
 * Detaching and removing are reported where they happen, and find the holdings
 * by the event.
 *
 * Two things happen without a call: an exec that ends the rights of an event
 * whose file is open still, and the exit of a process whose session another
 * process has open. For them holdings are looked at, one by one and a limited
 * number at a time.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timerqueue.h>

#include "../event/event.h"
#include "../event/job.h"
#include "attach.h"
#include "catch.h"
#include "hold.h"
#include "holding.h"
#include "notice.h"
#include "session.h"

#define LOOK_PERIOD	(HZ / 4)
#define LOOK_AGAIN	(HZ / 50)	/* after this many, for the rest */
#define MAX_LOOKS	128
#define MAX_EXPIRED	1024

/* those that are not over; those that were looked at last are the last */
static LIST_HEAD(holdings);
static DEFINE_HASHTABLE(event_table, 10);
static u64 look_round = 1;
static unsigned long next_round = INITIAL_JIFFIES;	/* when it begins */
static struct timerqueue_head limits = { .rb_root = RB_ROOT_CACHED };
static LIST_HEAD(due_sessions);

/* ---- holds of a holding -------------------------------------------------- */

/** gpubp_holding_find() - a session's holding by its own calls that is not over, or NULL */
struct gpubp_holding *gpubp_holding_find(const struct gpubp_session *session,
					 u64 event)
{
	struct gpubp_holding *holding;

	lockdep_assert_held(&gpubp_holds_lock);
	hash_for_each_possible(event_table, holding, event_node,
			       gpubp_hold_hash(event))
		if (holding->session == session && holding->event == event &&
		    !holding->caught)
			return holding;
	return NULL;
}

/** gpubp_holding_open() - initialise a holding; a hold joins it next */
void gpubp_holding_open(struct gpubp_holding *holding,
			struct gpubp_session *session, u64 event)
{
	lockdep_assert_held(&gpubp_holds_lock);
	holding->session = session;
	holding->event = event;
	holding->round = 0;	/* looked at first: the event may be gone */
	INIT_LIST_HEAD(&holding->holds);
	list_add(&holding->node, &holdings);
	hash_add(event_table, &holding->event_node, gpubp_hold_hash(event));
}

static void holding_remove_hold(struct gpubp_holding *holding,
				struct gpubp_hold *h)
{
	list_del(&h->holding_node);
	if (!list_empty(&holding->holds))
		return;
	list_del(&holding->node);
	hash_del(&holding->event_node);
	if (holding->caught)
		gpubp_caught_event_emptied(holding->caught);
	else
		kfree(holding);
}

/** gpubp_hold_join() - a hold is of this holding from now on, and of no other */
void gpubp_hold_join(struct gpubp_hold *h, struct gpubp_holding *holding)
{
	lockdep_assert_held(&gpubp_holds_lock);
	if (h->holding == holding)
		return;
	if (h->holding)
		holding_remove_hold(h->holding, h);
	h->holding = holding;
	list_add_tail(&h->holding_node, &holding->holds);
}

static void hold_clear_until(struct gpubp_hold *h)
{
	if (timerqueue_node_queued(&h->limit))
		timerqueue_del(&limits, &h->limit);
	else
		list_del_init(&h->ended_node);	/* it may be due */
}

/**
 * gpubp_hold_set_until() - set the time limit of a hold that has not ended
 * @h: hold
 * @until: ns of CLOCK_MONOTONIC, U64_MAX for none
 *
 * Return: true if this is the first limit of all.
 */
bool gpubp_hold_set_until(struct gpubp_hold *h, u64 until)
{
	lockdep_assert_held(&gpubp_holds_lock);
	hold_clear_until(h);
	if (until > KTIME_MAX)
		return false;
	h->limit.expires = until;
	return timerqueue_add(&limits, &h->limit);
}

/** gpubp_hold_leave() - a hold that has not ended has no holding and no limit */
void gpubp_hold_leave(struct gpubp_hold *h)
{
	lockdep_assert_held(&gpubp_holds_lock);
	hold_clear_until(h);
	if (h->holding)
		holding_remove_hold(h->holding, h);
	h->holding = NULL;
}

/* ---- holds that are due -------------------------------------------------- */

/** gpubp_session_set_due() - a session may have holds that are due */
void gpubp_session_set_due(struct gpubp_session *session)
{
	lockdep_assert_held(&gpubp_holds_lock);
	if (list_empty(&session->due_node))
		list_add_tail(&session->due_node, &due_sessions);
}

/** gpubp_session_next_due() - take the next one of them; NULL if there is none */
struct gpubp_session *gpubp_session_next_due(void)
{
	struct gpubp_session *session;

	lockdep_assert_held(&gpubp_holds_lock);
	session = list_first_entry_or_null(&due_sessions, struct gpubp_session,
					   due_node);
	if (session)
		list_del_init(&session->due_node);
	return session;
}

/** gpubp_session_due_hold() - a hold of a session that is due, or NULL */
struct gpubp_hold *gpubp_session_due_hold(struct gpubp_session *session)
{
	struct gpubp_holding *over;

	lockdep_assert_held(&gpubp_holds_lock);
	if (!list_empty(&session->holds_due))
		return list_first_entry(&session->holds_due, struct gpubp_hold,
					ended_node);
	over = list_first_entry_or_null(&session->holdings_over,
					struct gpubp_holding, node);
	return over ? list_first_entry(&over->holds, struct gpubp_hold,
				       holding_node) : NULL;
}

/**
 * gpubp_holding_set_over() - the holds of a holding are due
 * @holding: holding; a later attachment by the same event has another one
 */
void gpubp_holding_set_over(struct gpubp_holding *holding)
{
	lockdep_assert_held(&gpubp_holds_lock);
	hash_del(&holding->event_node);
	list_move_tail(&holding->node, &holding->session->holdings_over);
	gpubp_session_set_due(holding->session);
}

static bool holdings_end(u64 event, const struct gpubp_session *session)
{
	struct gpubp_holding *holding;
	struct hlist_node *next;
	bool any = false;

	guard(mutex)(&gpubp_holds_lock);
	hash_for_each_possible_safe(event_table, holding, next, event_node,
				    gpubp_hold_hash(event)) {
		if (holding->event != event ||
		    (session && holding->session != session))
			continue;
		gpubp_holding_set_over(holding);
		any = true;
	}
	return any;
}

/** gpubp_holdings_event_removed() - an event is gone; may sleep */
void gpubp_holdings_event_removed(u64 event)
{
	gpubp_attached_end(NULL, event, GPUBP_DETACH_CLOSED);
	if (gpubp_caught_events_end(event, NULL))
		gpubp_holds_check();
	/* a holding that is added now is looked at, and the event not found */
	if (!list_empty(&holdings) && holdings_end(event, NULL))
		gpubp_holds_check();
}

/** gpubp_holdings_detached() - a session has detached an event; may sleep */
void gpubp_holdings_detached(struct gpubp_session *session, u64 event)
{
	bool any = gpubp_caught_events_end(event, session);

	if (holdings_end(event, session) || any)
		gpubp_holds_check();
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_holdings_detached);

/**
 * gpubp_holds_expire() - find holds whose time limit expired
 * @now: ns of CLOCK_MONOTONIC
 *
 * Return: when to call again, in jiffies; MAX_SCHEDULE_TIMEOUT: there is none.
 */
unsigned long gpubp_holds_expire(u64 now)
{
	struct timerqueue_node *first;
	struct gpubp_hold *h;
	unsigned int i;

	guard(mutex)(&gpubp_holds_lock);
	for (i = 0; i < MAX_EXPIRED; i++) {
		first = timerqueue_getnext(&limits);
		if (!first)
			return MAX_SCHEDULE_TIMEOUT;
		if ((u64)first->expires > now)
			return nsecs_to_jiffies(first->expires - now) + 1;
		timerqueue_del(&limits, first);
		h = container_of(first, struct gpubp_hold, limit);
		list_add_tail(&h->ended_node, &h->session->holds_due);
		gpubp_session_set_due(h->session);
	}
	return 0;
}

/* ---- what happens without a call ----------------------------------------- */

/** gpubp_session_is_alive() - has the process that opened a session not exited */
bool gpubp_session_is_alive(const struct gpubp_session *session)
{
	struct task_struct *leader;

	guard(rcu)();
	leader = pid_task(session->opener, PIDTYPE_TGID);
	return leader && (!READ_ONCE(leader->exit_state) ||
			  !thread_group_empty(leader));
}

/* next holding to be looked at in this round, NULL if there is none */
static struct gpubp_holding *look_next(void)
{
	struct gpubp_holding *holding;

	lockdep_assert_held(&gpubp_holds_lock);
	holding = list_first_entry_or_null(&holdings, struct gpubp_holding,
					   node);
	return holding && holding->round != look_round ? holding : NULL;
}

static bool look_is_due(void)
{
	guard(mutex)(&gpubp_holds_lock);
	if (time_after_eq(jiffies, next_round)) {
		look_round++;
		next_round = jiffies + LOOK_PERIOD;
	}
	return look_next();
}

/* @done: (out) none is left */
static void look_at_some(void *done)
{
	struct gpubp_holding *holding;
	unsigned int i;

	guard(mutex)(&gpubp_holds_lock);
	for (i = 0; i < MAX_LOOKS; i++) {
		holding = look_next();
		if (!holding)
			break;
		holding->round = look_round;
		if (gpubp_session_is_alive(holding->session) &&
		    gpubp_attachment_is_valid(holding->session, holding->event))
			list_move_tail(&holding->node, &holdings);
		else if (holding->caught)
			gpubp_caught_event_end(holding->caught);
		else
			gpubp_holding_set_over(holding);
	}
	*(bool *)done = !look_next();
}

/**
 * gpubp_holdings_look() - find holdings that are over
 *
 * The thread only; may sleep. Return: when to call again, in jiffies;
 * MAX_SCHEDULE_TIMEOUT: there is no holding.
 */
unsigned long gpubp_holdings_look(void)
{
	unsigned long now;
	bool done = true;

	if (look_is_due())
		gpubp_job_run(look_at_some, &done);
	if (!done)
		return LOOK_AGAIN;
	if (list_empty(&holdings))
		return MAX_SCHEDULE_TIMEOUT;
	now = jiffies;
	return time_before(now, next_round) ? next_round - now : 0;
}
