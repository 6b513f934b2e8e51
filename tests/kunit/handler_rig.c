// SPDX-License-Identifier: GPL-2.0
#include <linux/jiffies.h>

#include "event/reconcile.h"
#include "handler_rig.h"
#include "sched/handler_count.h"

int handler_rig_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;

	caps.atomics = true;
	return mock_init_with(test, &caps);
}

void handler_rig_settle(struct mock_ctx *c)
{
	gpubp_events_reconcile();
	mock_settle(c->m);
}

void handler_rig_collect(struct kunit *test, struct mock_ctx *c)
{
	KUNIT_EXPECT_EQ(test, gpubp_handler_counts_wait(c->m->dev, 60 * HZ), 0);
}

void *handler_rig_memory(struct mock_ctx *c, u32 offset)
{
	return c->code + (c->tma - MOCK_HANDLER_VA) + offset;
}

u32 handler_rig_slot(struct kunit *test, struct mock_ctx *c, u64 addr)
{
	u32 slots = mock_slots(c, addr);

	KUNIT_ASSERT_EQ(test, hweight32(slots), 1);
	return __ffs(slots);
}

struct gpubp_handler_filter *handler_rig_filter(struct mock_ctx *c, u32 slot)
{
	u32 offset = gpubp_isa_gfx90a.handler->filter_offset;

	return (struct gpubp_handler_filter *)handler_rig_memory(c, offset) +
	       slot;
}
