// SPDX-License-Identifier: GPL-2.0
/*
 * Reports of hits: GPUBP_TAKEN is followed by one hit_done, GPUBP_DROP by none.
 */
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/minmax.h>

#include "toy.h"

static void clear_hit(struct toy_wave *wave)
{
	struct toy_hold *hold = toy_wave_hold(wave);

	if (hold->hit && hold->wave == wave->id &&
	    !toy_fault(TOY_FAULT_HIT_DONE) && !toy_fault(TOY_FAULT_LINGERS))
		hold->hit = false;
	if (toy_fault(TOY_FAULT_DONE_RESUMES))
		hold->halts = 0;
	wave->hit_pending = false;
	if (wave->ended)
		wave->id = 0;
}

/* returns true if a hit of this wave was pending */
static bool finish_hit(struct toy_gpu *gpu, u64 id)
{
	struct toy_wave *wave;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	wave = toy_wave_find(gpu, id);
	if (!wave || !wave->hit_pending)
		return false;
	clear_hit(wave);
	toy_gpu_wake(gpu);
	return true;
}

static void resume_wave(struct toy_gpu *gpu, u64 id)
{
	struct toy_wave *wave;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	wave = toy_wave_find(gpu, id);
	if (wave)
		toy_wave_hold(wave)->hit = false;
	toy_gpu_wake(gpu);
}

/* faults that report a hit more than once */
static void report_again(struct toy_gpu *gpu, const struct gpubp_hit *hit)
{
	unsigned int n = toy_fault(TOY_FAULT_TWICE);

	if (toy_fault(TOY_FAULT_PER_SLOT))
		n = max(hweight32(hit->slots), 1U) - 1;
	while (n--)
		gpubp_report(gpu->core, hit);
}

/**
 * toy_hit_report() - report a stop to the core
 * @gpu: device
 * @hit: the hit
 *
 * Any context. hit_done may come before gpubp_report() returns.
 */
void toy_hit_report(struct toy_gpu *gpu, const struct gpubp_hit *hit)
{
	scoped_guard(raw_spinlock_irqsave, &gpu->lock)
		gpu->raised++;
	report_again(gpu, hit);
	if (gpubp_report(gpu->core, hit) == GPUBP_TAKEN) {
		if (toy_fault(TOY_FAULT_GOES_ON))
			resume_wave(gpu, hit->wave);
		return;
	}
	if (!finish_hit(gpu, hit->wave))
		toy_complain(gpu, "hit_done of a hit that was dropped");
}
EXPORT_SYMBOL_GPL(toy_hit_report);

/* gpubp_ops.hit_done */
void toy_hit_done(void *priv, const struct gpubp_hit *hit)
{
	struct toy_gpu *gpu = priv;

	if (!READ_ONCE(gpu->registered))
		toy_complain(gpu,
			     "hit_done of a device that is not registered");
	if (!finish_hit(gpu, hit->wave))
		toy_complain(gpu,
			     "hit_done of wave %llu, which has no pending hit",
			     hit->wave);
}
EXPORT_SYMBOL_GPL(toy_hit_done);
