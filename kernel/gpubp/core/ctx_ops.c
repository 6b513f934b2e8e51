// SPDX-License-Identifier: GPL-2.0
/* Visits: calls of ops that contexts and devices wait for before they go. */
#include <kunit/visibility.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "context.h"
#include "ctx_ops.h"
#include "device.h"

/**
 * gpubp_visit() - begin one
 * @ctx: context; a reference is held, no lock
 *
 * Between this and gpubp_visit_end() ops may be called for the context. May
 * sleep. Return: 0, -ESRCH (it is going), -EAGAIN (its device is suspended).
 */
int gpubp_visit(struct gpubp_ctx *ctx)
{
	struct gpubp_device *dev = ctx->dev;

	guard(mutex)(&dev->lock);
	if (ctx->dead || dev->gone)
		return -ESRCH;
	if (dev->suspended)
		return -EAGAIN;
	ctx->nr_visits++;
	dev->nr_visits++;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_visit);

/**
 * gpubp_visit_check() - shall a visit that takes long end early
 * @ctx: context, visited
 *
 * Return: 0; -ESRCH or -EAGAIN: somebody waits for it, see gpubp_visit(); -EINTR:
 * current is killed.
 */
int gpubp_visit_check(struct gpubp_ctx *ctx)
{
	if (READ_ONCE(ctx->dead))
		return -ESRCH;
	if (READ_ONCE(ctx->dev->suspended))
		return -EAGAIN;
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/** gpubp_visit_end() - end it; may sleep */
void gpubp_visit_end(struct gpubp_ctx *ctx)
{
	struct gpubp_device *dev = ctx->dev;

	scoped_guard(mutex, &dev->lock) {
		/* pair with those who wait without the lock */
		smp_store_release(&ctx->nr_visits, ctx->nr_visits - 1);
		/* likewise */
		smp_store_release(&dev->nr_visits, dev->nr_visits - 1);
	}
	wake_up_all(&dev->visits_wait);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_visit_end);

/** gpubp_visits_wait_ctx() - no visit to a dead context is left; may sleep */
void gpubp_visits_wait_ctx(struct gpubp_ctx *ctx)
{
	/* pairs with gpubp_visit_end() */
	wait_event(ctx->dev->visits_wait, !smp_load_acquire(&ctx->nr_visits));
}

/** gpubp_visits_wait_device() - likewise, of a device that is suspended */
void gpubp_visits_wait_device(struct gpubp_device *dev)
{
	/* pairs with gpubp_visit_end() */
	wait_event(dev->visits_wait, !smp_load_acquire(&dev->nr_visits));
}
