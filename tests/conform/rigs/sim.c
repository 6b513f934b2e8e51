// SPDX-License-Identifier: GPL-2.0
/* Rig of the software GPU: calls it directly, from a kernel thread. */
#include <linux/err.h>
#include <linux/gpubp_conform.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <uapi/linux/gpubp_sim.h>

#include "../../../kernel/gpubp/providers/sim/device/ctx.h"
#include "../../../kernel/gpubp/providers/sim/device/device.h"
#include "../../../kernel/gpubp/providers/sim/device/queue.h"
#include "../../../kernel/gpubp/providers/sim/device/stop.h"
#include "code.h"

#define DATA_VA		0x200000000ULL
#define DATA_SIZE	0x10000
#define CODE_VA		0x300000000ULL
#define CODE_SIZE	0x100000
#define MAX_LOOPS	8
#define WAIT_NS		(60LL * NSEC_PER_SEC)

/**
 * struct rig - a context of the software GPU
 * @ctx: the device's context
 * @queue: for waves that end by themselves
 * @code: bytes of code used
 * @loop: queues of waves in endless loops
 * @nr_loops: entries of @loop
 */
struct rig {
	struct sim_ctx *ctx;
	u32 queue;
	u32 code;
	u32 loop[MAX_LOOPS];
	unsigned int nr_loops;
};

static struct gpubp_device *device(void *gpu)
{
	return gpubp_sim->core;
}

static int map(struct rig *rig)
{
	u64 data = DATA_VA, code = CODE_VA;

	return sim_vm_alloc(&rig->ctx->vm, SIM_MAP_BO, DATA_SIZE, &data) ?:
	       sim_vm_alloc(&rig->ctx->vm, SIM_MAP_BO, CODE_SIZE, &code) ?:
	       sim_queue_create(rig->ctx, &rig->queue);
}

static u32 doorbell_of(struct rig *rig, u32 id)
{
	struct sim_queue *queue = sim_queue_get(rig->ctx, id);
	u32 doorbell = queue->doorbell;

	sim_queue_put(queue);
	return doorbell;
}

static void ctx_destroy(struct gpubp_rig_ctx *ctx)
{
	struct rig *rig = ctx->priv;

	sim_ctx_destroy(rig->ctx);
	kfree(rig);
}

static int ctx_create(struct gpubp_rig_ctx *ctx)
{
	struct rig *rig;
	int err;

	if (ctx->fenced || ctx->max_stall_us)
		return -EOPNOTSUPP;
	rig = kzalloc(sizeof(*rig), GFP_KERNEL);
	if (!rig)
		return -ENOMEM;
	rig->ctx = sim_ctx_create(gpubp_sim);
	if (IS_ERR(rig->ctx)) {
		err = PTR_ERR(rig->ctx);
		kfree(rig);
		return err;
	}
	ctx->priv = rig;
	err = map(rig);
	if (err) {
		ctx_destroy(ctx);
		return err;
	}
	ctx->core = rig->ctx->core;
	ctx->doorbell = doorbell_of(rig, rig->queue);
	ctx->data = DATA_VA;
	ctx->size = DATA_SIZE;
	return 0;
}

static int write(struct rig *rig, u64 va, const void *buf, size_t len)
{
	return sim_vm_access(&rig->ctx->vm, NULL, va, (void *)buf, len,
			     SIM_ACCESS_WRITE) == len ? 0 : -EFAULT;
}

static int submit(struct rig *rig, u32 id, u64 kernel, u64 *seq)
{
	struct gpubp_sim_dispatch args = {
		.kernel_object = kernel,
		.grid = { 1, 1, 1 },
		.workgroup = { 1, 1, 1 },
	};
	struct sim_queue *queue = sim_queue_get(rig->ctx, id);
	int err = sim_dispatch_submit(queue, &args);

	sim_queue_put(queue);
	*seq = args.seq;
	return err;
}

/* code memory is not reused: a wave may still execute it */
static int launch(struct rig *rig, u32 queue, const struct gpubp_rig_access *acc,
		  unsigned int nr, bool loop, u64 *seq)
{
	u64 kernel = CODE_VA + rig->code;
	size_t size;
	u32 *words = rig_code(acc, nr, loop, &size);
	int err;

	if (!words)
		return -ENOMEM;
	if (size > CODE_SIZE - rig->code)
		err = -ENOSPC;
	else
		err = write(rig, kernel, words, size);
	kfree(words);
	rig->code += ALIGN(size, 256);
	return err ?: submit(rig, queue, kernel, seq);
}

static int wait(struct rig *rig, u32 id, u64 seq)
{
	struct gpubp_sim_wait args = { .seq = seq, .timeout_ns = WAIT_NS };
	struct sim_queue *queue = sim_queue_get(rig->ctx, id);
	int err = sim_queue_wait(queue, &args);

	sim_queue_put(queue);
	if (err == -ETIME)
		return -ETIMEDOUT;
	return err ?: args.status == GPUBP_SIM_DONE ? 0 : -EFAULT;
}

static int run(struct gpubp_rig_ctx *ctx, const struct gpubp_rig_access *acc,
	       unsigned int nr)
{
	struct rig *rig = ctx->priv;
	u64 seq;

	if (!rig->nr_loops)
		rig->code = 0;
	return launch(rig, rig->queue, acc, nr, false, &seq) ?:
	       wait(rig, rig->queue, seq);
}

/* a queue of its own: dispatches of one queue are serialized */
static int start(struct gpubp_rig_ctx *ctx, const struct gpubp_rig_access *acc,
		 unsigned int nr)
{
	struct rig *rig = ctx->priv;
	u32 *queue = &rig->loop[rig->nr_loops];
	u64 seq;
	int err;

	if (rig->nr_loops == MAX_LOOPS)
		return -ENOSPC;
	err = sim_queue_create(rig->ctx, queue) ?:
	      launch(rig, *queue, acc, nr, true, &seq);
	rig->nr_loops += !err;
	return err;
}

static void finish(struct gpubp_rig_ctx *ctx)
{
	struct rig *rig = ctx->priv;
	u32 word, end = RIG_END;
	u64 va;

	for (va = CODE_VA; va < CODE_VA + rig->code; va += sizeof(word)) {
		sim_vm_access(&rig->ctx->vm, NULL, va, &word, sizeof(word), 0);
		if (rig_is_branch(word))
			write(rig, va, &end, sizeof(end));
	}
	sim_vm_flush_code(&rig->ctx->vm);
}

static int wait_loops(struct gpubp_rig_ctx *ctx)
{
	struct rig *rig = ctx->priv;
	int err = 0;

	while (rig->nr_loops && !err)
		err = wait(rig, rig->loop[--rig->nr_loops], 1);
	return err;
}

static unsigned int nr_stopped(void *gpu)
{
	return sim_stop_count(gpubp_sim);
}

/* hits that did not fit into the ring were not reported */
static u64 raised(void *gpu)
{
	return atomic64_read(&gpubp_sim->stats[SIM_STAT_RAISED]) -
	       atomic64_read(&gpubp_sim->stats[SIM_STAT_LOST]);
}

static void refuse_suspend(void *gpu, bool refuse)
{
	WRITE_ONCE(gpubp_sim->faults.every[SIM_FAULT_SUSPEND], refuse);
}

static const struct gpubp_rig sim = {
	.name = "sim",
	.device = device,
	.ctx_create = ctx_create,
	.ctx_destroy = ctx_destroy,
	.run = run,
	.start = start,
	.finish = finish,
	.wait = wait_loops,
	.nr_stopped = nr_stopped,
	.raised = raised,
	.refuse_suspend = refuse_suspend,
};

gpubp_conform_suite(sim);

/* ---- cases for the software GPU only ------------------------------------- */

/*
 * a reference keeps a context that was destroyed; its memory stays charged to
 * the user until then
 */
static void memory_is_the_users_until_it_is_freed(struct kunit *test)
{
	struct sim_ctx *ctx = sim_ctx_create(gpubp_sim), *next;
	u64 va = DATA_VA;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ctx);
	KUNIT_EXPECT_EQ(test, sim_vm_alloc(&ctx->vm, SIM_MAP_BO, DATA_SIZE, &va), 0);
	kref_get(&ctx->ref);
	sim_ctx_destroy(ctx);
	next = sim_ctx_create(gpubp_sim);
	KUNIT_EXPECT_FALSE(test, IS_ERR(next));
	if (!IS_ERR(next)) {
		KUNIT_EXPECT_PTR_EQ(test, next->user, ctx->user);
		sim_ctx_destroy(next);
	}
	/* drops the last reference */
	sim_ctx_destroy(ctx);
}

static struct kunit_case own_cases[] = {
	KUNIT_CASE(memory_is_the_users_until_it_is_freed),
	{}
};

static struct kunit_suite own_suite = {
	.name = "gpubp_conform_sim_own",
	.test_cases = own_cases,
};

kunit_test_suite(own_suite);

MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("gpubp: conformance of the software GPU");
MODULE_LICENSE("GPL");
