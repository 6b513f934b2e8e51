// SPDX-License-Identifier: GPL-2.0
/* The toy's device: plugged, unplugged, suspended and reset. */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/string.h>

#include "toy.h"

static void wait_for_work(struct toy_gpu *gpu)
{
	set_current_state(TASK_INTERRUPTIBLE);
	if (!kthread_should_stop() && !toy_gpu_runnable(gpu))
		schedule();
	__set_current_state(TASK_RUNNING);
}

/*
 * sleeps between instructions, so that other threads can run and take gpu.run
 */
static int run(void *arg)
{
	struct toy_gpu *gpu = arg;

	while (!kthread_should_stop()) {
		wait_for_work(gpu);
		toy_gpu_run_one(gpu);
		usleep_range(20, 50);
	}
	return 0;
}

/* a wave may have become runnable; any context */
void toy_gpu_wake(struct toy_gpu *gpu)
{
	wake_up_process(gpu->thread);
}

int toy_gpu_plug(struct toy_gpu *gpu)
{
	WRITE_ONCE(gpu->registered, true);
	gpu->quiet = toy_fault(TOY_FAULT_STAYS_QUIET);
	gpu->core = gpubp_device_register(&gpu->desc, gpu);
	if (!IS_ERR(gpu->core))
		return 0;
	gpu->registered = false;
	return PTR_ERR(gpu->core);
}
EXPORT_SYMBOL_GPL(toy_gpu_plug);

static void check_no_pending_hits(struct toy_gpu *gpu)
{
	unsigned int i;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	for (i = 0; i < TOY_WAVES; i++)
		if (gpu->wave[i].id)
			toy_complain(gpu, "wave %llu never got its hit_done",
				     gpu->wave[i].id);
}

void toy_gpu_unplug(struct toy_gpu *gpu)
{
	gpubp_device_unregister(gpu->core);
	gpu->core = NULL;
	WRITE_ONCE(gpu->registered, false);
	if (!gpu->quiet)
		toy_complain(gpu, "unregistered without quiesce");
	if (gpu->acquired)
		toy_complain(gpu, "slots %x were not released", gpu->acquired);
	check_no_pending_hits(gpu);
}
EXPORT_SYMBOL_GPL(toy_gpu_unplug);

/* 0 or an errno; the provider has set the fields that it owns */
int toy_gpu_init(struct toy_gpu *gpu)
{
	int err;

	mutex_init(&gpu->run);
	raw_spin_lock_init(&gpu->lock);
	INIT_LIST_HEAD(&gpu->ctxs);
	gpu->thread = kthread_run(run, gpu, "%s", gpu->desc.name);
	if (IS_ERR(gpu->thread))
		return PTR_ERR(gpu->thread);
	err = toy_gpu_plug(gpu);
	if (err)
		kthread_stop(gpu->thread);
	return err;
}
EXPORT_SYMBOL_GPL(toy_gpu_init);

void toy_gpu_exit(struct toy_gpu *gpu)
{
	struct toy_ctx *ctx, *tmp;

	toy_gpu_unplug(gpu);
	kthread_stop(gpu->thread);
	list_for_each_entry_safe(ctx, tmp, &gpu->ctxs, node)
		toy_ctx_free(ctx);
	mutex_destroy(&gpu->run);
	if (atomic_read(&gpu->nr_complaints))
		pr_warn("%s: breach of the contract: %s\n", gpu->desc.name, gpu->complaint);
}
EXPORT_SYMBOL_GPL(toy_gpu_exit);

static void forget(struct toy_gpu *gpu)
{
	struct toy_ctx *ctx;

	lockdep_assert_held(&gpu->lock);
	gpu->forgot = true;
	memset(gpu->slot, 0, sizeof(gpu->slot));
	list_for_each_entry(ctx, &gpu->ctxs, node) {
		memset(&ctx->prog, 0, sizeof(ctx->prog));
		ctx->valid = 0;
	}
}

static void end_waves(struct toy_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < TOY_WAVES; i++)
		if (gpu->wave[i].id)
			toy_wave_end(&gpu->wave[i]);
}

/* like after a hang: no wave survives */
void toy_gpu_reset(struct toy_gpu *gpu)
{
	scoped_guard(mutex, &gpu->run) {
		guard(raw_spinlock_irqsave)(&gpu->lock);
		end_waves(gpu);
		forget(gpu);
	}
	if (!toy_fault(TOY_FAULT_UNTOLD))
		gpubp_device_reset(gpu->core);
}
EXPORT_SYMBOL_GPL(toy_gpu_reset);

/* waves are saved, comparators are lost */
void toy_gpu_suspend(struct toy_gpu *gpu)
{
	gpubp_device_suspend(gpu->core);
	guard(mutex)(&gpu->run);
	guard(raw_spinlock_irqsave)(&gpu->lock);
	gpu->suspended = true;
	forget(gpu);
}
EXPORT_SYMBOL_GPL(toy_gpu_suspend);

void toy_gpu_resume(struct toy_gpu *gpu)
{
	scoped_guard(raw_spinlock_irqsave, &gpu->lock)
		gpu->suspended = false;
	toy_gpu_wake(gpu);
	gpubp_device_resume(gpu->core);
}
EXPORT_SYMBOL_GPL(toy_gpu_resume);

static void go_on(struct toy_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < TOY_WAVES; i++)
		if (gpu->wave[i].id)
			memset(toy_wave_hold(&gpu->wave[i]), 0,
			       sizeof(struct toy_hold));
}

/* gpubp_ops.quiesce, for providers without other pending work */
void toy_gpu_quiesce(void *priv)
{
	struct toy_gpu *gpu = priv;

	might_sleep();
	if (!gpu->registered)
		toy_complain(gpu, "quiesce of a device that is not registered");
	guard(mutex)(&gpu->run);
	guard(raw_spinlock_irqsave)(&gpu->lock);
	gpu->quiet = true;
	go_on(gpu);
	toy_gpu_wake(gpu);
}
EXPORT_SYMBOL_GPL(toy_gpu_quiesce);

MODULE_DESCRIPTION("gpubp: toy GPU for test providers");
MODULE_LICENSE("GPL");
