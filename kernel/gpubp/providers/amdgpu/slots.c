// SPDX-License-Identifier: GPL-2.0
/*
 * Comparators: the KFD allocates them by number, to debuggers and to this
 * provider alike, first come, first served.
 */
#include "kfd_priv.h"

#include "provider.h"

int gpubp_amd_acquire(void *dev, u32 slots)
{
	struct gpubp_amd_node *n = dev;
	u32 granted;

	guard(spinlock)(&n->node->watch_points_lock);
	granted = slots & ~n->node->alloc_watch_ids;
	n->node->alloc_watch_ids |= granted;
	n->owned |= granted;
	n->wanted |= slots & ~n->owned;
	return granted;
}

void gpubp_amd_release(void *dev, u32 slots)
{
	struct gpubp_amd_node *n = dev;

	guard(spinlock)(&n->node->watch_points_lock);
	n->node->alloc_watch_ids &= ~(slots & n->owned);
	n->owned &= ~slots;
	n->wanted &= ~slots;
}

void gpubp_amd_watch_freed(struct kfd_node *node, u32 watch_id)
{
	struct gpubp_amd_node *n = node->gpubp;
	u32 slot = BIT(watch_id);

	lockdep_assert_held(&node->watch_points_lock);
	if (!n || !(n->wanted & slot))
		return;
	n->wanted &= ~slot;
	n->owned |= slot;
	node->alloc_watch_ids |= slot;
	gpubp_slots_returned(n->core, slot);
}
