// SPDX-License-Identifier: GPL-2.0
/*
 * Revisit: events and contexts that are looked at again and again, because
 * perf and the kernel notify gpubp of some changes only: see reconcile.c.
 *
 * A tick looks at a bounded number of events. Users take turns, and so do the
 * events of a user: another user's events do not delay the changes of one's
 * own.
 *
 * All of it is under gpubp_events_lock.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/lockdep.h>

#include "../core/core.h"
#include "event.h"
#include "revisit.h"

static LIST_HEAD(users);	/* gpubp_revisits.node */
static LIST_HEAD(ctxs);		/* gpubp_ctx.revisit_node */
/* it may wrap: an event that was last looked at then waits for one tick more */
static unsigned int tick;

/** gpubp_revisit_event() - an event may change without a notification */
void gpubp_revisit_event(struct gpubp_event *gev)
{
	struct gpubp_revisits *r = gpubp_user_revisits(gev->user);

	lockdep_assert_held(&gpubp_events_lock);
	if (!list_empty(&gev->revisit_node))
		return;
	list_add_tail(&gev->revisit_node, &r->events);
	if (list_empty(&r->node))
		list_add_tail(&r->node, &users);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_revisit_event);

/** gpubp_revisit_event_end() - its changes do not matter, or it is freed */
void gpubp_revisit_event_end(struct gpubp_event *gev)
{
	struct gpubp_revisits *r = gpubp_user_revisits(gev->user);

	lockdep_assert_held(&gpubp_events_lock);
	if (list_empty(&gev->revisit_node))
		return;
	list_del_init(&gev->revisit_node);
	if (list_empty(&r->events))
		list_del_init(&r->node);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_revisit_event_end);

/** gpubp_revisit_tick() - each event may be looked at once more */
void gpubp_revisit_tick(void)
{
	lockdep_assert_held(&gpubp_events_lock);
	tick++;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_revisit_tick);

/* the next user with an event that had no turn in this tick */
static struct gpubp_revisits *next_user(void)
{
	struct gpubp_revisits *r;
	struct gpubp_event *gev;

	list_for_each_entry(r, &users, node) {
		gev = list_first_entry(&r->events, struct gpubp_event,
				       revisit_node);
		if (gev->revisited != tick)
			return r;
	}
	return NULL;
}

/**
 * gpubp_revisit_next_event() - the next event to look at
 *
 * Return: the event, or NULL if each had its turn in this tick.
 */
struct gpubp_event *gpubp_revisit_next_event(void)
{
	struct gpubp_revisits *r;
	struct gpubp_event *gev;

	lockdep_assert_held(&gpubp_events_lock);
	r = next_user();
	if (!r)
		return NULL;
	gev = list_first_entry(&r->events, struct gpubp_event, revisit_node);
	gev->revisited = tick;
	list_rotate_left(&r->events);
	list_move_tail(&r->node, &users);
	return gev;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_revisit_next_event);

/** gpubp_revisit_ctx() - owners of a context may change without notification */
void gpubp_revisit_ctx(struct gpubp_ctx *ctx)
{
	lockdep_assert_held(&gpubp_events_lock);
	if (list_empty(&ctx->revisit_node))
		list_add_tail(&ctx->revisit_node, &ctxs);
}

/** gpubp_revisit_ctx_end() - the context is dead */
void gpubp_revisit_ctx_end(struct gpubp_ctx *ctx)
{
	lockdep_assert_held(&gpubp_events_lock);
	list_del_init(&ctx->revisit_node);
}

/** gpubp_revisit_next_ctx() - the next context to look at, or NULL */
struct gpubp_ctx *gpubp_revisit_next_ctx(void)
{
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&gpubp_events_lock);
	ctx = list_first_entry_or_null(&ctxs, struct gpubp_ctx, revisit_node);
	if (ctx)
		list_move_tail(&ctx->revisit_node, &ctxs);
	return ctx;
}

/** gpubp_revisit_any() - is there an event to look at again */
bool gpubp_revisit_any(void)
{
	lockdep_assert_held(&gpubp_events_lock);
	return !list_empty(&users);
}
