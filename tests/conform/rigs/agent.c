// SPDX-License-Identifier: GPL-2.0
/*
 * Rig of agents: processes with a provider in user space, each of which is a device with
 * one context (kernel/gpubp/providers/agent). For a kernel without KUnit, as a
 * distribution's amdgpu.ko has it.
 */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/gpubp_conform.h>

#include "core/context.h"
#include "core/device.h"
#include "offers.h"

/* of the context that the running case takes first, or has */
static struct gpubp_device *first;

static struct gpubp_device *device(void *gpu)
{
	if (!first)
		first = offers_first_device();
	return first;
}

static void ctx_destroy(struct gpubp_rig_ctx *ctx)
{
	if (ctx->core->dev == first)
		first = NULL;
	offers_ctx_destroy(ctx);
}

/* an agent stops no wave */
static unsigned int nr_stopped(void *gpu)
{
	return 0;
}

/* as of amdgpu, nothing else counts them; but for those that waves counted */
static u64 raised(void *gpu)
{
	struct gpubp_stats *stats = &device(gpu)->stats;

	return atomic64_read(&stats->v[GPUBP_STAT_RAISED]) -
	       atomic64_read(&stats->v[GPUBP_STAT_STRAY_FILTERED]);
}

static const struct gpubp_rig agent = {
	.name = "agent",
	.own_devices = true,
	.read_only = true,
	.device = device,
	.ctx_create = offers_ctx_create,
	.ctx_destroy = ctx_destroy,
	.task = offers_task,
	.run = offers_run,
	.start = offers_start,
	.finish = offers_finish,
	.wait = offers_wait,
	.settle = offers_settle,
	.nr_stopped = nr_stopped,
	.raised = raised,
};

gpubp_conform_suite(agent);

/* the kernel itself would run no suite of a module */
static struct kunit_suite *suites[] = { &agent_conform_suite };

static int __init agent_rig_init(void)
{
	int err = misc_register(&offers_file);

	if (err)
		return err;
	err = __kunit_test_suites_init(suites, ARRAY_SIZE(suites));
	if (err)
		misc_deregister(&offers_file);
	return err;
}

static void __exit agent_rig_exit(void)
{
	__kunit_test_suites_exit(suites, ARRAY_SIZE(suites));
	misc_deregister(&offers_file);
}

module_init(agent_rig_init);
module_exit(agent_rig_exit);

MODULE_DESCRIPTION("gpubp: conformance of providers in user space");
MODULE_LICENSE("GPL");
