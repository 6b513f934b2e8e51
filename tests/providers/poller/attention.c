// SPDX-License-Identifier: GPL-2.0
/* Attention: bits that the core polls. */
#include <linux/bitops.h>

#include "poller.h"

/* toy_gpu.stopped: the core is not notified before the next poll */
void poller_stopped(struct toy_gpu *gpu, const struct gpubp_hit *hit)
{
	struct poller *p = container_of(gpu, struct poller, toy);
	struct toy_wave *wave;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	wave = toy_wave_find(gpu, hit->wave);
	if (!wave)
		return;
	p->hit[wave - gpu->wave] = *hit;
	p->attention |= BIT(wave - gpu->wave);
}

static bool take_attention(struct poller *p, struct gpubp_hit *hit)
{
	unsigned int bit;

	guard(raw_spinlock_irqsave)(&p->toy.lock);
	if (!p->attention || p->toy.quiet)
		return false;
	bit = __ffs(p->attention);
	p->attention &= ~BIT(bit);
	*hit = p->hit[bit];
	return true;
}

/* stops of waves that ended before the poll are not reported */
static bool is_alive(struct toy_gpu *gpu, u64 id)
{
	struct toy_wave *wave;

	guard(raw_spinlock_irqsave)(&gpu->lock);
	wave = toy_wave_find(gpu, id);
	if (!wave || !wave->ended)
		return wave;
	wave->id = 0;
	wave->hit_pending = false;
	return false;
}

/* gpubp_ops.poll */
void poller_poll(void *priv)
{
	struct poller *p = container_of(priv, struct poller, toy);
	struct gpubp_hit hit;

	toy_check_op(&p->toy, "poll");
	while (take_attention(p, &hit))
		if (is_alive(&p->toy, hit.wave))
			toy_hit_report(&p->toy, &hit);
}

/* gpubp_ops.quiesce: drop stops that were not polled */
void poller_quiesce(void *priv)
{
	struct poller *p = container_of(priv, struct poller, toy);
	unsigned int bit;

	toy_gpu_quiesce(&p->toy);
	guard(raw_spinlock_irqsave)(&p->toy.lock);
	for_each_set_bit(bit, &p->attention, TOY_WAVES) {
		p->toy.wave[bit].hit_pending = false;
		if (p->toy.wave[bit].ended)
			p->toy.wave[bit].id = 0;
	}
	p->attention = 0;
}
