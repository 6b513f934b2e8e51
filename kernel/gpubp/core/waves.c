// SPDX-License-Identifier: GPL-2.0
/* Waves: lists of those that a context has. */
#include <linux/errno.h>
#include <linux/gpubp.h>
#include <linux/mm.h>

#include "context.h"
#include "device.h"
#include "waves.h"

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
