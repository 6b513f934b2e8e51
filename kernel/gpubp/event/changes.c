// SPDX-License-Identifier: GPL-2.0
/*
 * Changes: events and contexts that are known to have changed since bindings
 * were made to follow them.
 *
 * They are added in any context, and taken and removed under gpubp_events_lock:
 * what was taken cannot be freed before that is released.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/spinlock.h>

#include "../core/core.h"
#include "changes.h"
#include "event.h"

static DEFINE_RAW_SPINLOCK(changes_lock);	/* innermost; irqs off */
static LIST_HEAD(changed_events);
static LIST_HEAD(changed_ctxs);

static void change_add(struct list_head *node, struct list_head *changed)
{
	if (list_empty(node))
		list_add_tail(node, changed);
}

/** gpubp_changes_add_event() - an event changed; any context but NMI */
void gpubp_changes_add_event(struct gpubp_event *gev)
{
	guard(raw_spinlock_irqsave)(&changes_lock);
	change_add(&gev->change_node, &changed_events);
}

/** gpubp_changes_del_event() - an event is freed; gpubp_events_lock is held */
void gpubp_changes_del_event(struct gpubp_event *gev)
{
	lockdep_assert_held(&gpubp_events_lock);
	/* perf has removed it: it is added no more */
	if (list_empty_careful(&gev->change_node))
		return;
	guard(raw_spinlock_irqsave)(&changes_lock);
	list_del_init(&gev->change_node);
}

/**
 * gpubp_changes_take_event() - take the event that changed first
 *
 * gpubp_events_lock is held. Return: the event or NULL.
 */
struct gpubp_event *gpubp_changes_take_event(void)
{
	struct gpubp_event *gev;

	lockdep_assert_held(&gpubp_events_lock);
	guard(raw_spinlock_irqsave)(&changes_lock);
	gev = list_first_entry_or_null(&changed_events, struct gpubp_event,
				       change_node);
	if (gev)
		list_del_init(&gev->change_node);
	return gev;
}

/** gpubp_changes_add_ctx() - names, queues or owners of a context changed */
void gpubp_changes_add_ctx(struct gpubp_ctx *ctx)
{
	guard(raw_spinlock_irqsave)(&changes_lock);
	if (!ctx->withdrawn)
		change_add(&ctx->change_node, &changed_ctxs);
}

/**
 * gpubp_changes_withdraw_ctx() - changes of a dead context do not matter
 * @ctx: context; gpubp_events_lock is held
 */
void gpubp_changes_withdraw_ctx(struct gpubp_ctx *ctx)
{
	lockdep_assert_held(&gpubp_events_lock);
	guard(raw_spinlock_irqsave)(&changes_lock);
	ctx->withdrawn = true;
	list_del_init(&ctx->change_node);
}

/** gpubp_changes_take_ctx() - likewise of contexts */
struct gpubp_ctx *gpubp_changes_take_ctx(void)
{
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&gpubp_events_lock);
	guard(raw_spinlock_irqsave)(&changes_lock);
	ctx = list_first_entry_or_null(&changed_ctxs, struct gpubp_ctx,
				       change_node);
	if (ctx)
		list_del_init(&ctx->change_node);
	return ctx;
}

/** gpubp_changes_exist() - is there anything to take; any context */
bool gpubp_changes_exist(void)
{
	return !list_empty_careful(&changed_events) ||
	       !list_empty_careful(&changed_ctxs);
}
