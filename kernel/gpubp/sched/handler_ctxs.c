// SPDX-License-Identifier: GPL-2.0
/* Contexts whose trap handler decides hits: see handler_ctxs.h. */
#include <linux/lockdep.h>

#include "../core/core.h"
#include "../trap/trap.h"
#include "handler_ctxs.h"
#include "sched.h"

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
