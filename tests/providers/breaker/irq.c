// SPDX-License-Identifier: GPL-2.0
/* The interrupt: a ring of stops, reported in hard interrupt context. */
#include "breaker.h"

/* each wave has one unreported stop at most: the ring never overflows */
void breaker_stopped(struct toy_gpu *gpu, const struct gpubp_hit *hit)
{
	struct breaker *b = container_of(gpu, struct breaker, toy);

	scoped_guard(raw_spinlock_irqsave, &gpu->lock)
		b->ring[b->head++ % TOY_WAVES] = *hit;
	irq_work_queue(&b->irq);
}

static bool take(struct breaker *b, struct gpubp_hit *hit)
{
	guard(raw_spinlock_irqsave)(&b->toy.lock);
	if (b->head == b->tail)
		return false;
	*hit = b->ring[b->tail++ % TOY_WAVES];
	return true;
}

void breaker_irq(struct irq_work *irq)
{
	struct breaker *b = container_of(irq, struct breaker, irq);
	struct gpubp_hit hit;

	while (take(b, &hit))
		toy_hit_report(&b->toy, &hit);
}

/* gpubp_ops.quiesce: stop execution, then the interrupt */
void breaker_quiesce(void *priv)
{
	struct breaker *b = container_of(priv, struct breaker, toy);

	toy_gpu_quiesce(&b->toy);
	irq_work_sync(&b->irq);
}
