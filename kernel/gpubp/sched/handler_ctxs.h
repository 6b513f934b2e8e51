/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts whose trap handler decides hits (handler_filter.h, handler_count.h): the list
 * that the committer walks, and what becomes of a run that cannot access the memory
 * of a handler.
 *
 * A provider may find that memory busy for a moment (-EAGAIN of ops->mem_rw). Then
 * nothing is committed, and the run is tried again, a hundred times at most.
 */
#ifndef _GPUBP_SCHED_HANDLER_CTXS_H
#define _GPUBP_SCHED_HANDLER_CTXS_H

#include <linux/list.h>
#include <linux/time64.h>
#include <linux/types.h>

struct gpubp_commit;
struct gpubp_ctx;
struct gpubp_device;

#define GPUBP_HANDLER_RETRY_NS	(10 * NSEC_PER_MSEC)

/**
 * struct gpubp_handler_ctx - part of a context
 * @ctx: the context
 * @node: in gpubp_handler_ctxs.list, while its handler may decide something; under the
 *	device lock
 * @round: number of the last walk that visited the context; likewise
 * @busy_run: the last run that could not access the handler's memory; committer only
 * @nr_busy: how many in a row could not; likewise
 */
struct gpubp_handler_ctx {
	struct gpubp_ctx *ctx;
	struct list_head node;
	u64 round;
	u64 busy_run;
	unsigned int nr_busy;
};

/**
 * struct gpubp_handler_ctxs - part of a device; the committer only, but @list
 * @list: gpubp_handler_ctx.node; under the device lock
 * @round: number of the last walk
 * @run: number of the last run
 * @programmed: what that run chose is in hardware
 * @nr_begins: how often filters and counts of that could not begin
 */
struct gpubp_handler_ctxs {
	struct list_head list;
	u64 round;
	u64 run;
	bool programmed;
	unsigned int nr_begins;
};

void gpubp_handler_ctxs_init(struct gpubp_device *dev);
void gpubp_handler_ctx_init(struct gpubp_ctx *ctx);
void gpubp_handler_ctx_add(struct gpubp_ctx *ctx);
void gpubp_handler_ctx_del(struct gpubp_ctx *ctx);

void gpubp_handlers_walk(struct gpubp_device *dev);
struct gpubp_ctx *gpubp_handlers_next(struct gpubp_device *dev, bool always);

void gpubp_handlers_chosen(struct gpubp_device *dev);
bool gpubp_handler_is_busy(struct gpubp_ctx *ctx, int err);
void gpubp_handler_not_ended(struct gpubp_commit *c, struct gpubp_ctx *ctx,
			     int err);
bool gpubp_handlers_begin_again(struct gpubp_device *dev);

#endif /* _GPUBP_SCHED_HANDLER_CTXS_H */
