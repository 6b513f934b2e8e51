// SPDX-License-Identifier: GPL-2.0
/* Contexts whose trap handler decides hits: see handler_ctxs.h. */
#include <linux/errno.h>
#include <linux/lockdep.h>

#include "../core/core.h"
#include "../trap/trap.h"
#include "commit.h"
#include "handler_ctxs.h"
#include "sched.h"

#define HANDLER_TRIES	100	/* in a row: about a second */

/** gpubp_handler_ctxs_init() - initialise a new device's part */
void gpubp_handler_ctxs_init(struct gpubp_device *dev)
{
	INIT_LIST_HEAD(&dev->sched->handlers.list);
}

/** gpubp_handler_ctx_init() - initialise a new context's part */
void gpubp_handler_ctx_init(struct gpubp_ctx *ctx)
{
	ctx->sched->handler.ctx = ctx;
	INIT_LIST_HEAD(&ctx->sched->handler.node);
}

/* ---- walks --------------------------------------------------------------- */

/** gpubp_handler_ctx_add() - its handler may decide something; device lock held */
void gpubp_handler_ctx_add(struct gpubp_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	if (list_empty(&ctx->sched->handler.node))
		list_add(&ctx->sched->handler.node,
			 &ctx->dev->sched->handlers.list);
}

/** gpubp_handler_ctx_del() - its handler decides nothing; device lock held */
void gpubp_handler_ctx_del(struct gpubp_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	list_del_init(&ctx->sched->handler.node);
}

/** gpubp_handlers_walk() - begin a walk; the committer's thread only, one at a time */
void gpubp_handlers_walk(struct gpubp_device *dev)
{
	dev->sched->handlers.round++;
}

/**
 * gpubp_handlers_next() - the next context of a walk
 * @dev: device; its lock is not held
 * @always: although the device is being suspended or removed, which waits for the
 *	run that has begun
 *
 * One that is not dead exists until the committer's run is over, so ops may be called for
 * it. Return: a context with a handler, or NULL.
 */
struct gpubp_ctx *gpubp_handlers_next(struct gpubp_device *dev, bool always)
{
	struct gpubp_handler_ctxs *ctxs = &dev->sched->handlers;
	struct gpubp_handler_ctx *handler;

	guard(mutex)(&dev->lock);
	if (!always && (dev->suspended || dev->requests.stopped))
		return NULL;
	while ((handler = list_first_entry_or_null(&ctxs->list, typeof(*handler),
						   node)) &&
	       handler->round != ctxs->round) {
		handler->round = ctxs->round;
		list_move_tail(&handler->node, &ctxs->list);
		if (!handler->ctx->dead && handler->ctx->trap->tma)
			return handler->ctx;
	}
	return NULL;
}

/* ---- busy handlers ------------------------------------------------------- */

/** gpubp_handlers_chosen() - a run has chosen what to program; committer only */
void gpubp_handlers_chosen(struct gpubp_device *dev)
{
	struct gpubp_handler_ctxs *ctxs = &dev->sched->handlers;

	ctxs->run++;
	ctxs->programmed = false;
	ctxs->nr_begins = 0;
}

/**
 * gpubp_handler_is_busy() - may the run be tried again after an error?
 * @ctx: the handler's context
 * @err: why the handler, or its memory, could not be written
 *
 * The committer only. False: there is no hope, or too many runs in a row have tried.
 */
bool gpubp_handler_is_busy(struct gpubp_ctx *ctx, int err)
{
	struct gpubp_handler_ctx *handler = &ctx->sched->handler;
	u64 run = ctx->dev->sched->handlers.run;

	if (err != -EAGAIN)
		return false;
	if (handler->busy_run + 1 < run)
		handler->nr_busy = 0;
	if (handler->busy_run != run)
		handler->nr_busy++;
	handler->busy_run = run;
	return handler->nr_busy <= HANDLER_TRIES;
}

/**
 * gpubp_handler_not_ended() - what a handler decides could not be ended
 * @c: the commit, which must not be made
 * @ctx: the handler's context
 * @err: why
 */
void gpubp_handler_not_ended(struct gpubp_commit *c, struct gpubp_ctx *ctx,
			     int err)
{
	if (gpubp_handler_is_busy(ctx, err))
		c->busy = true;
	else
		c->unreachable = ctx;
}

/**
 * gpubp_handlers_begin_again() - may filters and counts that could not begin be tried again?
 * @dev: device, a handler of which was busy
 *
 * The committer only. False: each of their hits is reported until the next run.
 */
bool gpubp_handlers_begin_again(struct gpubp_device *dev)
{
	return dev->sched->handlers.nr_begins++ < HANDLER_TRIES;
}
