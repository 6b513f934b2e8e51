/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts whose trap handler decides hits (handler_filter.h, handler_count.h): the list
 * that the committer walks.
 */
#ifndef _GPUBP_SCHED_HANDLER_CTXS_H
#define _GPUBP_SCHED_HANDLER_CTXS_H

#include <linux/list.h>
#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_device;

/**
 * struct gpubp_handler_ctx - part of a context
 * @ctx: the context
 * @node: in gpubp_handler_ctxs.list, while its handler may decide something; under the
 *	device lock
 * @round: number of the last walk that visited the context; likewise
 */
struct gpubp_handler_ctx {
	struct gpubp_ctx *ctx;
	struct list_head node;
	u64 round;
};

/**
 * struct gpubp_handler_ctxs - part of a device; the committer only, but @list
 * @list: gpubp_handler_ctx.node; under the device lock
 * @round: number of the last walk
 * @programmed: what the last run chose is in hardware
 */
struct gpubp_handler_ctxs {
	struct list_head list;
	u64 round;
	bool programmed;
};

void gpubp_handler_ctxs_init(struct gpubp_device *dev);
void gpubp_handler_ctx_init(struct gpubp_ctx *ctx);
void gpubp_handler_ctx_add(struct gpubp_ctx *ctx);
void gpubp_handler_ctx_del(struct gpubp_ctx *ctx);

void gpubp_handlers_walk(struct gpubp_device *dev);
struct gpubp_ctx *gpubp_handlers_next(struct gpubp_device *dev, bool always);

#endif /* _GPUBP_SCHED_HANDLER_CTXS_H */
