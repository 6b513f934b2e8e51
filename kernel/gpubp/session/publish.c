// SPDX-License-Identifier: GPL-2.0
/*
 * GPUBP_PUBLISH: a process names ranges of its own contexts, where the driver's
 * own interface has no names.
 */
#include <linux/errno.h>
#include <linux/gpubp.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "publish.h"
#include "session.h"

static int publish_check(const struct gpubp_publish *p)
{
	if (p->kind > GPUBP_PUBLISH_CODE || p->device > GPUBP_DEVICE_MAX + 1)
		return -EINVAL;
	return gpubp_name_check(p->va, p->size, p->name);
}

static int publish_code(struct gpubp_ctx *ctx, const struct gpubp_publish *p)
{
	gpubp_code_destroy(ctx, p->va);
	return p->size ? gpubp_code_create(ctx, p->va, p->size, p->name) : 0;
}

/* the ctx op reference keeps the context's names until its end */
static int publish_in(struct gpubp_ctx *ctx, const struct gpubp_publish *p)
{
	int err = gpubp_ctx_op_begin(ctx);

	if (err)
		return err;
	err = p->kind == GPUBP_PUBLISH_CODE ?
		publish_code(ctx, p) :
		gpubp_buffer_name(ctx, p->va, p->size, p->name);
	gpubp_ctx_op_end(ctx);
	return err;
}

/* ... and what is wanted of it is armed: a range has its name when that is done */
static int publish_and_wait(struct gpubp_ctx *ctx, const struct gpubp_publish *p)
{
	int err;

	gpubp_clock_holds(ctx, 1);
	err = publish_in(ctx, p);
	if (!err && p->size)
		err = gpubp_ctx_wait_armed(ctx);
	gpubp_clock_holds(ctx, -1);
	return err;
}

static bool publish_is_for(const struct gpubp_publish *p,
			   const struct gpubp_ctx *ctx)
{
	return !p->device || p->device == ctx->dev->number + 1;
}

/** gpubp_publish_cmd() - GPUBP_PUBLISH; independent of what the session has */
long gpubp_publish_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_publish *p = arg;
	struct gpubp_ctx *ctx;
	int err = publish_check(p);
	u32 id = 0;

	p->nr = 0;
	while (!err && (ctx = gpubp_ctx_next_of(session->opener, id))) {
		id = ctx->id;
		if (publish_is_for(p, ctx)) {
			err = publish_and_wait(ctx, p);
			p->nr += !err;
			if (err == -ESRCH)	/* it is going */
				err = 0;
		}
		gpubp_ctx_put(ctx);
	}
	return err ?: p->nr ? 0 : -ESRCH;
}
