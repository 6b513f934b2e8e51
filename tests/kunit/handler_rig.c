// SPDX-License-Identifier: GPL-2.0
#include <linux/build_bug.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <uapi/linux/gpubp.h>

#include "event/reconcile.h"
#include "handler_rig.h"
#include "sched/handler_count.h"
#include "sched/sched.h"

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

/* ---- recorded hits ------------------------------------------------------- */

static_assert(offsetof(struct handler_rig_place, pc_lo) == 0x10);
static_assert(offsetof(struct handler_rig_place, base) == 0x40);
static_assert(offsetof(struct handler_rig_place, code) == 0x50);
static_assert(offsetof(struct handler_rig_place, addr) == 0x100);
static_assert(sizeof(struct handler_rig_place) == 2048);

int handler_rig_init_records(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;

	caps.atomics = true;
	caps.records = true;
	caps.nr_waves = RIG_WAVES;
	return mock_init_with(test, &caps);
}

struct gpubp_handler_ring *handler_rig_ring(struct mock_ctx *c)
{
	return handler_rig_memory(c, gpubp_isa_gfx90a.handler->ring_offset);
}

struct handler_rig_place *handler_rig_place(struct mock_ctx *c, u32 number)
{
	return (struct handler_rig_place *)c->ring +
	       (number & handler_rig_ring(c)->mask);
}

u32 handler_rig_take(struct kunit *test, struct mock_ctx *c)
{
	struct gpubp_handler_ring *ring = handler_rig_ring(c);
	u32 number = ring->head;

	KUNIT_ASSERT_EQ(test, ring->base, MOCK_RING_VA);
	KUNIT_ASSERT_LT_MSG(test, number - READ_ONCE(ring->tail), ring->limit,
			    "the ring is full");
	WRITE_ONCE(ring->head, number + 1);
	return number;
}

void handler_rig_access(struct handler_rig_place *p, u32 word0, u32 word1)
{
	p->code[0] = word0;
	p->code[1] = word1;
}

struct handler_rig_place *handler_rig_fill(struct mock_ctx *c, u32 number,
					   u32 slot, u64 addr)
{
	struct handler_rig_place *p = handler_rig_place(c, number);
	u64 pc = MOCK_CODE + 8;

	memset_after(p, 0, seq);
	p->doorbell = c->doorbell;
	p->pc_lo = lower_32_bits(pc);
	p->pc_hi = upper_32_bits(pc) |
		   GPUBP_ACCESS_STORE << RIG_KINDS_SHIFT |
		   slot << RIG_COMPARATOR_SHIFT;
	p->exec = 1;
	p->ttmp6 = 0x55;	/* dispatch */
	p->ttmp[0] = 1;		/* workgroup */
	p->ttmp[1] = 2;
	p->ttmp[2] = 3;
	p->ttmp[3] = 4;		/* wave in it */
	p->time = ktime_get_ns();
	handler_rig_access(p, INSN_STORE);
	p->addr[0][0] = lower_32_bits(addr);
	p->addr[1][0] = upper_32_bits(addr);
	p->data[0][0] = number;
	return p;
}

void handler_rig_publish(struct mock_ctx *c, u32 number)
{
	/* what is in the place before what says so */
	smp_store_release(&handler_rig_place(c, number)->seq, 2 * number + 1);
}

u32 handler_rig_record(struct kunit *test, struct mock_ctx *c, u32 slot,
		       u64 addr)
{
	u32 number = handler_rig_take(test, c);

	handler_rig_fill(c, number, slot, addr);
	handler_rig_publish(c, number);
	return number;
}

u32 handler_rig_store(struct kunit *test, struct mock_ctx *c, u64 addr)
{
	u32 slot = handler_rig_slot(test, c, addr);

	KUNIT_ASSERT_TRUE_MSG(test, handler_rig_ring(c)->on & BIT(slot),
			      "the wave stops at its hit");
	return handler_rig_record(test, c, slot, addr);
}

void handler_rig_stop_poll(struct mock *m)
{
	struct kthread_delayed_work *work = &m->dev->ring_poll.work;

	kthread_cancel_delayed_work_sync(work);
	/* nor does anything queue it again */
	scoped_guard(raw_spinlock_irqsave, &m->dev->resolver->lock)
		work->work.canceling = 1;
}
