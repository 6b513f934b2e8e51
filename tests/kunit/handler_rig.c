// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
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

bool handler_rig_wait(struct mock_ctx *c, bool (*has)(struct mock_ctx *c))
{
	unsigned long end = jiffies + 60 * HZ;

	while (!has(c) && time_before(jiffies, end))
		msleep(1);
	return has(c);
}

void handler_rig_turns(struct kunit *test, struct mock_ctx *c)
{
	unsigned int i;

	mock_param(test, "max_filter_percent", 0);
	mock_param(test, "quantum_us", 200 * USEC_PER_MSEC);
	mock_param(test, "max_overhead_percent", 100);
	c->m->window_ns = 20 * NSEC_PER_MSEC;
	for (i = 0; i < 2 * MOCK_SLOTS; i++)
		mock_open(test, MOCK_CODE + SZ_1K * i, 4, GPUBP_ACCESS_STORE);
	handler_rig_settle(c);
}

unsigned int handler_rig_turns_with(struct mock_ctx *c, unsigned int nr,
				    bool (*has)(struct mock_ctx *c))
{
	unsigned int i, commits, with = 0;

	for (i = 0; i < nr; i++) {
		commits = mock_commits(c->m);
		while (mock_commits(c->m) == commits && !has(c))
			msleep(1);
		with += has(c);
		mock_wait_commits(c->m, commits + 1);
	}
	return with;
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
