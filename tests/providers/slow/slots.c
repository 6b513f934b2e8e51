// SPDX-License-Identifier: GPL-2.0
/* Ownership of the comparators, and their failures. */
#include <linux/export.h>

#include "slow.h"

#define REPAIR_DELAY	(HZ / 20)

/* gpubp_ops.acquire: another debugger may own some of them */
int slow_acquire(void *priv, u32 slots)
{
	struct slow *s = container_of(priv, struct slow, toy);

	toy_check_op(&s->toy, "acquire");
	guard(raw_spinlock_irqsave)(&s->toy.lock);
	s->wanted = slots;
	slots &= ~s->lost;
	s->toy.acquired |= slots;
	return slots;
}

/* gpubp_ops.release */
void slow_release(void *priv, u32 slots)
{
	struct slow *s = container_of(priv, struct slow, toy);

	toy_check_op(&s->toy, "release");
	guard(raw_spinlock_irqsave)(&s->toy.lock);
	if (slots != s->wanted)
		toy_complain(&s->toy, "release of slots %x, but %x were acquired",
			     slots, s->wanted);
	s->wanted = 0;
	if (!toy_fault(TOY_FAULT_KEEPS_SLOTS))
		s->toy.acquired &= ~slots;
}

/* a linear congruential generator: the same failures in every run */
static bool fails_at_random(struct slow *s)
{
	s->random = s->random * 1664525 + 1013904223;
	return (s->random >> 16) % 100 < slow_fail_percent;
}

/* slots that another debugger owns */
u32 slow_lost(const struct slow *s)
{
	return s->lost && toy_fault(TOY_FAULT_LOSE_ALL) ? U32_MAX : s->lost;
}

/*
 * toy.lock must be held. Returns 0 or the reason why the slot cannot be
 * programmed.
 */
int slow_try_slot(struct slow *s, unsigned int slot)
{
	lockdep_assert_held(&s->toy.lock);
	if (slow_lost(s) & BIT(slot))
		return -EBUSY;
	if (s->failing & BIT(slot))
		return -EIO;
	if (!fails_at_random(s))
		return 0;
	s->failed |= BIT(slot);
	schedule_delayed_work(&s->repair, REPAIR_DELAY);
	return -EIO;
}

void slow_repair(struct work_struct *work)
{
	struct slow *s = container_of(work, struct slow, repair.work);
	u32 slots;

	scoped_guard(raw_spinlock_irqsave, &s->toy.lock) {
		slots = s->failed & ~s->lost;
		s->failed = 0;
	}
	if (slots)
		gpubp_slots_returned(s->toy.core, slots);
}

/* gpubp_ops.quiesce: no further commits; cancel the repair */
void slow_quiesce(void *priv)
{
	struct slow *s = container_of(priv, struct slow, toy);

	cancel_delayed_work_sync(&s->repair);
	s->failed = 0;
	toy_gpu_quiesce(&s->toy);
}

/* another user takes comparators, whether in use or not */
void slow_lose(u32 slots)
{
	struct slow *s = &gpubp_slow;
	struct toy_ctx *ctx;

	scoped_guard(raw_spinlock_irqsave, &s->toy.lock) {
		s->lost |= slots;
		s->toy.acquired &= ~slots;
		list_for_each_entry(ctx, &s->toy.ctxs, node)
			ctx->valid &= ~slow_lost(s);
	}
	gpubp_slots_lost(s->toy.core, slots);
}
EXPORT_SYMBOL_GPL(slow_lose);

void slow_give_back(u32 slots)
{
	struct slow *s = &gpubp_slow;

	scoped_guard(raw_spinlock_irqsave, &s->toy.lock) {
		s->lost &= ~slots;
		s->toy.acquired |= slots & s->wanted;
	}
	if (!toy_fault(TOY_FAULT_RETURN_UNTOLD))
		gpubp_slots_returned(s->toy.core, slots);
}
EXPORT_SYMBOL_GPL(slow_give_back);

/* these slots cannot be programmed from now on */
void slow_fail(u32 slots)
{
	guard(raw_spinlock_irqsave)(&gpubp_slow.toy.lock);
	gpubp_slow.failing = slots;
}
EXPORT_SYMBOL_GPL(slow_fail);
