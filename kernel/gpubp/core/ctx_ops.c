// SPDX-License-Identifier: GPL-2.0
/* Calls of ops for a context, which waits for them before it goes; its waves. */
#include <kunit/visibility.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/gpubp.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "context.h"
#include "ctx_ops.h"
#include "device.h"

/**
 * gpubp_ctx_op_begin() - begin one
 * @ctx: context; a reference is held, no lock
 *
 * Between this and gpubp_ctx_op_end() ops may be called for the context. May
 * sleep. Return: 0, -ESRCH (it is going), -EAGAIN (its device is suspended).
 */
int gpubp_ctx_op_begin(struct gpubp_ctx *ctx)
{
	struct gpubp_device *dev = ctx->dev;

	guard(mutex)(&dev->lock);
	if (ctx->dead || dev->gone)
		return -ESRCH;
	if (dev->suspended)
		return -EAGAIN;
	ctx->nr_ctx_ops++;
	dev->nr_ctx_ops++;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_op_begin);

/**
 * gpubp_ctx_op_check() - shall a visit that takes long end early
 * @ctx: context, visited
 *
 * Return: 0; -ESRCH or -EAGAIN: somebody waits for it, see gpubp_ctx_op_begin(); -EINTR:
 * current is killed.
 */
int gpubp_ctx_op_check(struct gpubp_ctx *ctx)
{
	if (READ_ONCE(ctx->dead))
		return -ESRCH;
	if (READ_ONCE(ctx->dev->suspended))
		return -EAGAIN;
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/** gpubp_ctx_op_end() - end it; may sleep */
void gpubp_ctx_op_end(struct gpubp_ctx *ctx)
{
	struct gpubp_device *dev = ctx->dev;

	scoped_guard(mutex, &dev->lock) {
		/* pair with those who wait without the lock */
		smp_store_release(&ctx->nr_ctx_ops, ctx->nr_ctx_ops - 1);
		/* likewise */
		smp_store_release(&dev->nr_ctx_ops, dev->nr_ctx_ops - 1);
	}
	wake_up_all(&dev->ctx_ops_wait);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_op_end);

/** gpubp_ctx_ops_wait() - no visit to a dead context is left; may sleep */
void gpubp_ctx_ops_wait(struct gpubp_ctx *ctx)
{
	/* pairs with gpubp_ctx_op_end() */
	wait_event(ctx->dev->ctx_ops_wait, !smp_load_acquire(&ctx->nr_ctx_ops));
}

/** gpubp_ctx_ops_wait_device() - likewise, of a device that is suspended */
void gpubp_ctx_ops_wait_device(struct gpubp_device *dev)
{
	/* pairs with gpubp_ctx_op_end() */
	wait_event(dev->ctx_ops_wait, !smp_load_acquire(&dev->nr_ctx_ops));
}

/* ---- waves of a context ---------------------------------------------------- */

/* waves may be launched while they are listed */
#define MAX_ROUNDS	8
#define ROOM_FOR_MORE	64

static int list_once(struct gpubp_ctx *ctx, struct gpubp_wave_info **info)
{
	const struct gpubp_ops *ops = &ctx->dev->ops;
	int n, max = ops->list_waves(ctx->priv, NULL, 0);

	*info = NULL;
	if (max <= 0)
		return max;
	max += ROOM_FOR_MORE;
	*info = kvmalloc_array(max, sizeof(**info), GFP_KERNEL | __GFP_NOWARN);
	if (!*info)
		return -ENOMEM;
	n = ops->list_waves(ctx->priv, *info, max);
	return n > max ? -EAGAIN : n;
}

/**
 * gpubp_waves_list() - waves of a context
 * @ctx: context; ops may be called
 * @info: (out) the waves; the caller frees them, if any, with kvfree(), also
 *	after an error
 *
 * May sleep. Return: how many, or -ENOMEM, -EAGAIN (there were more each time),
 * and what ops->list_waves says.
 */
int gpubp_waves_list(struct gpubp_ctx *ctx, struct gpubp_wave_info **info)
{
	int round, n = -EAGAIN;

	*info = NULL;
	for (round = 0; n == -EAGAIN && round < MAX_ROUNDS; round++) {
		kvfree(*info);
		n = list_once(ctx, info);
	}
	return n;
}

/**
 * gpubp_waves_ids() - their ids alone
 * @ctx: context; ops may be called
 * @waves: (out) ids; the caller frees them with kvfree() if there are any
 *
 * Return: how many, or as gpubp_waves_list().
 */
int gpubp_waves_ids(struct gpubp_ctx *ctx, u64 **waves)
{
	struct gpubp_wave_info *info;
	int i, n = gpubp_waves_list(ctx, &info);

	*waves = NULL;
	if (n > 0)
		*waves = kvmalloc_array(n, sizeof(**waves), GFP_KERNEL);
	if (n > 0 && !*waves)
		n = -ENOMEM;
	for (i = 0; i < n; i++)
		(*waves)[i] = info[i].wave;
	kvfree(info);
	return n;
}

/**
 * gpubp_waves_find() - what is said of one
 * @ctx: context; ops may be called
 * @wave: its id
 * @out: (out) the wave
 *
 * Return: 0, -ESRCH, or as gpubp_waves_list().
 */
int gpubp_waves_find(struct gpubp_ctx *ctx, u64 wave,
		     struct gpubp_wave_info *out)
{
	struct gpubp_wave_info *info;
	int i, n = gpubp_waves_list(ctx, &info);
	int err = n < 0 ? n : -ESRCH;

	for (i = 0; i < n && err; i++) {
		if (info[i].wave != wave)
			continue;
		*out = info[i];
		err = 0;
	}
	kvfree(info);
	return err;
}
