/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the rigs of the toy's providers. */
#ifndef _GPUBP_CONFORM_TOY_H
#define _GPUBP_CONFORM_TOY_H

#include <linux/gpubp_conform.h>

#include "../../providers/toy/toy.h"

struct gpubp_device *toy_rig_device(void *gpu);
int toy_rig_ctx_create(struct gpubp_rig_ctx *ctx);
void toy_rig_ctx_destroy(struct gpubp_rig_ctx *ctx);
int toy_rig_run(struct gpubp_rig_ctx *ctx,
		const struct gpubp_rig_access *accesses, unsigned int nr);
int toy_rig_start(struct gpubp_rig_ctx *ctx,
		  const struct gpubp_rig_access *accesses, unsigned int nr);
void toy_rig_finish(struct gpubp_rig_ctx *ctx);
int toy_rig_wait(struct gpubp_rig_ctx *ctx);
int toy_rig_run_break(struct gpubp_rig_ctx *ctx);
unsigned int toy_rig_nr_stopped(void *gpu);
u64 toy_rig_raised(void *gpu);
const char *toy_rig_complaint(void *gpu);
void toy_rig_reset(void *gpu);
void toy_rig_suspend(void *gpu);
void toy_rig_resume(void *gpu);
void toy_rig_unplug(void *gpu);
int toy_rig_plug(void *gpu);
void toy_rig_slow_reads(void *gpu, unsigned int ms);

void toy_rig_refuse_suspend(void *gpu, bool refuse);

#define TOY_RIG								\
	.device = toy_rig_device,					\
	.ctx_create = toy_rig_ctx_create,				\
	.ctx_destroy = toy_rig_ctx_destroy,				\
	.run = toy_rig_run,						\
	.start = toy_rig_start,						\
	.finish = toy_rig_finish,					\
	.wait = toy_rig_wait,						\
	.nr_stopped = toy_rig_nr_stopped,				\
	.raised = toy_rig_raised,					\
	.complaint = toy_rig_complaint,					\
	.reset = toy_rig_reset,						\
	.suspend = toy_rig_suspend,					\
	.resume = toy_rig_resume,					\
	.unplug = toy_rig_unplug,					\
	.plug = toy_rig_plug,						\
	.slow_reads = toy_rig_slow_reads,				\
	.refuse_suspend = toy_rig_refuse_suspend

#endif /* _GPUBP_CONFORM_TOY_H */
