// SPDX-License-Identifier: GPL-2.0
/*
 * Ctx op references: ops for a context, and the waits before it goes; its
 * waves.
 */
#include <kunit/visibility.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/gpubp.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/time64.h>
#include <linux/wait.h>

#include "context.h"
#include "ctx_ops.h"
#include "device.h"

/**
 * gpubp_ctx_op_begin() - get a ctx op reference
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
 * gpubp_ctx_op_check() - should a long operation end early
 * @ctx: context; a ctx op reference is held
 *
 * Return: 0 to go on; -ESRCH or -EAGAIN if the exit of the context or the
 * suspend of its device waits, see gpubp_ctx_op_begin(); -EINTR if current is
 * killed.
 */
int gpubp_ctx_op_check(struct gpubp_ctx *ctx)
{
	if (READ_ONCE(ctx->dead))
		return -ESRCH;
	if (READ_ONCE(ctx->dev->suspended))
		return -EAGAIN;
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/** gpubp_ctx_op_end() - put a ctx op reference; may sleep */
void gpubp_ctx_op_end(struct gpubp_ctx *ctx)
{
	struct gpubp_device *dev = ctx->dev;

	scoped_guard(mutex, &dev->lock) {
		/* pair with the waiters, which do not take the lock */
		smp_store_release(&ctx->nr_ctx_ops, ctx->nr_ctx_ops - 1);
		/* likewise */
		smp_store_release(&dev->nr_ctx_ops, dev->nr_ctx_ops - 1);
	}
	wake_up_all(&dev->ctx_ops_wait);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_ctx_op_end);

/** gpubp_ctx_ops_wait() - wait until a dead context has no ctx op; may sleep */
void gpubp_ctx_ops_wait(struct gpubp_ctx *ctx)
{
	/* pairs with gpubp_ctx_op_end() */
	wait_event(ctx->dev->ctx_ops_wait, !smp_load_acquire(&ctx->nr_ctx_ops));
}

/** gpubp_ctx_ops_wait_device() - likewise, of a suspended device; may sleep */
void gpubp_ctx_ops_wait_device(struct gpubp_device *dev)
{
	/* pairs with gpubp_ctx_op_end() */
	wait_event(dev->ctx_ops_wait, !smp_load_acquire(&dev->nr_ctx_ops));
}

/* ---- waves of a context -------------------------------------------------- */

/*
 * Waves may be launched while they are listed, or their memory cannot be accessed for a
 * moment: some 130 ms in all
 */
#define MAX_LIST_TRIES	8
#define SPARE_WAVES	64

/**
 * gpubp_waves_list_once() - list the waves of a context, without a wait
 * @ctx: context; ops may be called
 * @info: (out) as gpubp_waves_list()
 *
 * May sleep. Return: their number, -ENOMEM, -EAGAIN (waves were launched), or an error of
 * ops->list_waves.
 */
int gpubp_waves_list_once(struct gpubp_ctx *ctx, struct gpubp_wave_info **info)
{
	const struct gpubp_ops *ops = &ctx->dev->ops;
	int n, max = ops->list_waves(ctx->priv, NULL, 0);

	*info = NULL;
	if (max <= 0)
		return max;
	max += SPARE_WAVES;
	*info = kvmalloc_array(max, sizeof(**info),
			       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!*info)
		return -ENOMEM;
	n = ops->list_waves(ctx->priv, *info, max);
	return n > max ? -EAGAIN : n;
}

/**
 * gpubp_waves_list() - list the waves of a context
 * @ctx: context; ops may be called
 * @info: (out) the waves; the caller frees them, if any, with kvfree(), also
 *	after an error
 *
 * May sleep, for 130 ms more than ops->list_waves. Return: their number, -ENOMEM, -EAGAIN
 * (waves were launched in each try), or an error of ops->list_waves.
 */
int gpubp_waves_list(struct gpubp_ctx *ctx, struct gpubp_wave_info **info)
{
	int try, n = -EAGAIN;

	*info = NULL;
	for (try = 0; n == -EAGAIN && try < MAX_LIST_TRIES; try++) {
		if (try)
			fsleep(USEC_PER_MSEC << (try - 1));
		kvfree(*info);
		n = gpubp_waves_list_once(ctx, info);
	}
	return n;
}

/**
 * gpubp_waves_ids() - list the ids of the waves of a context
 * @ctx: context; ops may be called
 * @waves: (out) ids; the caller frees them with kvfree() if there are any
 *
 * Return: their number, or as gpubp_waves_list().
 */
int gpubp_waves_ids(struct gpubp_ctx *ctx, u64 **waves)
{
	struct gpubp_wave_info *info;
	int i, n = gpubp_waves_list(ctx, &info);

	*waves = NULL;
	if (n > 0)
		*waves = kvmalloc_array(n, sizeof(**waves), GFP_KERNEL_ACCOUNT);
	if (n > 0 && !*waves)
		n = -ENOMEM;
	for (i = 0; i < n; i++)
		(*waves)[i] = info[i].wave;
	kvfree(info);
	return n;
}

/** gpubp_wave_in_list() - find a wave among @n that were listed; NULL: it is not there */
const struct gpubp_wave_info *
gpubp_wave_in_list(const struct gpubp_wave_info *info, int n, u64 wave)
{
	for (; n > 0; n--, info++)
		if (info->wave == wave)
			return info;
	return NULL;
}

/**
 * gpubp_waves_find() - look up a wave of a context
 * @ctx: context; ops may be called
 * @wave: its id
 * @out: (out) the wave
 *
 * Return: 0, -ESRCH, or as gpubp_waves_list().
 */
int gpubp_waves_find(struct gpubp_ctx *ctx, u64 wave,
		     struct gpubp_wave_info *out)
{
	const struct gpubp_wave_info *found;
	struct gpubp_wave_info *info;
	int n = gpubp_waves_list(ctx, &info);

	found = gpubp_wave_in_list(info, n, wave);
	if (found)
		*out = *found;
	kvfree(info);
	if (n < 0)
		return n;
	return found ? 0 : -ESRCH;
}
