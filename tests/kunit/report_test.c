// SPDX-License-Identifier: GPL-2.0
/* Report: which hits are accepted, and the handling of a burst. */
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/workqueue.h>

#include "core/cell.h"
#include "mock.h"

#define ADDR	(MOCK_VA + 0x1000)
#define STORE	GPUBP_ACCESS_STORE

/* a context with an armed watch */
static struct mock_ctx *watched_ctx(struct kunit *test,
				    struct perf_event **event)
{
	struct mock_ctx *c = mock_ctx(test);

	*event = mock_open(test, ADDR, 4, STORE);
	mock_settle(c->m);
	KUNIT_ASSERT_NE(test, mock_slots(c, ADDR), 0u);
	return c;
}

struct identity_case {
	const char *name;
	u32 without;
	s32 vmid_off, pasid_off, doorbell_off;
	enum gpubp_verdict want;
};

static const struct identity_case identity_cases[] = {
	{ "all_is_told", 0, 0, 0, 0, GPUBP_TAKEN },
	{ "no_pasid", GPUBP_HITF_PASID, 0, 0, 0, GPUBP_TAKEN },
	{ "no_time", GPUBP_HITF_TIME, 0, 0, 0, GPUBP_TAKEN },
	{ "a_pasid_not_told_is_not_compared", GPUBP_HITF_PASID, 0, 1, 0,
	  GPUBP_TAKEN },
	{ "another_pasid", 0, 0, 1, 0, GPUBP_DROP },
	{ "no_vmid", GPUBP_HITF_VMID, 0, 0, 0, GPUBP_TAKEN },
	{ "neither_vmid_nor_doorbell", GPUBP_HITF_VMID | GPUBP_HITF_DOORBELL, 0,
	  0, 0, GPUBP_DROP },
	{ "nobody_has_that_vmid", 0, 5, 0, 0, GPUBP_DROP },
	{ "no_such_vmid", 0, 1000, 0, 0, GPUBP_DROP },
	{ "no_doorbell", GPUBP_HITF_DOORBELL, 0, 0, 0, GPUBP_TAKEN },
	{ "no_such_doorbell", 0, 0, 0, 100, GPUBP_DROP },
	{ "a_queue_of_another_context", 0, 0, 0, 1, GPUBP_DROP },
	{ "another_context_has_that_vmid", 0, 1, 0, 0, GPUBP_DROP },
};
KUNIT_ARRAY_PARAM_DESC(identity, identity_cases, name);

static void identified_by(struct kunit *test)
{
	const struct identity_case *i = test->param_value;
	struct perf_event *event;
	struct mock_ctx *c = watched_ctx(test, &event);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
		.slots = mock_slots(c, ADDR),
		.without = i->without,
	};
	struct gpubp_hit hit = mock_hit(c, &stop);
	bool taken = i->want == GPUBP_TAKEN;

	mock_ctx(test);		/* takes the next number of each kind */
	mock_lane_addr(c->m, 0, ADDR);
	hit.vmid += i->vmid_off;
	hit.pasid += i->pasid_off;
	hit.doorbell += i->doorbell_off;
	KUNIT_EXPECT_EQ(test, mock_report(c->m, &hit), i->want);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DROP_UNKNOWN), !taken);
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), taken);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DROP_UNKNOWN), !taken);
	KUNIT_EXPECT_EQ(test, mock_count(event), taken);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->m->done[hit.wave]), taken);
}

static void not_after_eviction(struct kunit *test)
{
	struct perf_event *event;
	struct mock_ctx *c = watched_ctx(test, &event);

	KUNIT_EXPECT_EQ(test, mock_store(c, ADDR), GPUBP_TAKEN);
	mock_quiesce(test);
	gpubp_ctx_evicted(c->ctx);
	KUNIT_EXPECT_EQ(test, mock_store(c, ADDR), GPUBP_DROP);
	c->vmid = 15;		/* becomes resident with another VMID */
	gpubp_ctx_resident(c->ctx, c->vmid);
	KUNIT_EXPECT_EQ(test, mock_store(c, ADDR), GPUBP_TAKEN);
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
}

/* a late hit finds neither context nor queue */
static void not_after_the_context_is_gone(struct kunit *test)
{
	struct perf_event *event;
	struct mock_ctx *c = watched_ctx(test, &event);

	mock_ctx_destroy(c);
	KUNIT_EXPECT_TRUE(test,
			  !rcu_access_pointer(c->m->dev->vmids[c->vmid]));
	KUNIT_EXPECT_EQ(test, mock_store(c, ADDR), GPUBP_DROP);
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DROP_UNKNOWN), 1);
}

/* without power there are no waves, whatever interrupts report */
static void not_while_the_device_is_suspended(struct kunit *test)
{
	struct perf_event *event;
	struct mock_ctx *c = watched_ctx(test, &event);

	gpubp_device_suspend(c->m->dev);
	KUNIT_EXPECT_EQ(test, mock_store(c, ADDR), GPUBP_DROP);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DROP_SUSPENDED), 1);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DROP_UNKNOWN), 0);
	KUNIT_EXPECT_EQ(test, gpubp_cells_in_use(c->m->dev), 0u);
	mock_resume(c->m);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, mock_store(c, ADDR), GPUBP_TAKEN);
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DROP_SUSPENDED), 1);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 1);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

/* the VMID now belongs to another context, and so do its hits */
static void a_vmid_changes_hands(struct kunit *test)
{
	struct perf_event *event;
	struct mock_ctx *old = watched_ctx(test, &event);
	struct mock_ctx *new = mock_ctx(test);

	gpubp_ctx_evicted(old->ctx);
	gpubp_ctx_evicted(new->ctx);
	new->vmid = old->vmid;
	gpubp_ctx_resident(new->ctx, new->vmid);
	mock_settle(new->m);
	KUNIT_EXPECT_EQ(test, mock_store(old, ADDR), GPUBP_DROP);
	KUNIT_EXPECT_EQ(test, mock_store(new, ADDR), GPUBP_TAKEN);
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

#define BURST	(GPUBP_NR_CELLS + 76u)

/* no free cell: hits are dropped and counted, and the waves resume */
static void a_burst_while_the_resolver_is_stuck(struct kunit *test)
{
	struct perf_event *event;
	struct mock_ctx *c;
	unsigned int i, taken = 0;

	mock_replace_all_cells(test);
	c = watched_ctx(test, &event);
	mock_gate_close(c->m);
	for (i = 0; i < BURST; i++)
		taken += mock_store(c, ADDR) == GPUBP_TAKEN;
	KUNIT_EXPECT_EQ(test, taken, (unsigned int)GPUBP_NR_CELLS);
	KUNIT_EXPECT_EQ(test, gpubp_cells_in_use(c->m->dev),
			(unsigned int)GPUBP_NR_CELLS);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DROP_CELLS),
			BURST - GPUBP_NR_CELLS);
	mock_gate_open(c->m);
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED), BURST);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DROP_CELLS),
			BURST - GPUBP_NR_CELLS);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED),
			GPUBP_NR_CELLS);
	KUNIT_EXPECT_EQ(test, mock_count(event), GPUBP_NR_CELLS);

	KUNIT_EXPECT_EQ(test, mock_store(c, ADDR), GPUBP_TAKEN);
}

struct interrupt {
	struct irq_work work;
	struct mock *m;
	struct gpubp_hit hit[20];
	unsigned int taken;
};

static void report_all(struct irq_work *work)
{
	struct interrupt *irq = container_of(work, struct interrupt, work);
	int i;

	for (i = 0; i < ARRAY_SIZE(irq->hit); i++)
		irq->taken += mock_report(irq->m, &irq->hit[i]) == GPUBP_TAKEN;
}

#define IN_INTERRUPT	ARRAY_SIZE(((struct interrupt *)NULL)->hit)

/* Return: how many hits were taken */
static unsigned int report_in_interrupt(struct kunit *test, struct mock_ctx *c)
{
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
		.slots = mock_slots(c, ADDR),
	};
	struct interrupt *irq = kunit_kzalloc(test, sizeof(*irq), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, irq);
	irq->work = IRQ_WORK_INIT_HARD(report_all);
	irq->m = c->m;
	mock_lane_addr(c->m, 0, ADDR);
	for (i = 0; i < IN_INTERRUPT; i++)
		irq->hit[i] = mock_hit(c, &stop);
	irq_work_queue(&irq->work);
	irq_work_sync(&irq->work);
	return irq->taken;
}

static void reported_in_a_hard_interrupt(struct kunit *test)
{
	struct perf_event *event;
	struct mock_ctx *c = watched_ctx(test, &event);

	KUNIT_EXPECT_EQ(test, report_in_interrupt(test, c), IN_INTERRUPT);
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), IN_INTERRUPT);
}

/* lockdep complains if the interrupt puts a reference to the context */
static void lost_in_a_hard_interrupt(struct kunit *test)
{
	struct perf_event *event;
	struct mock_ctx *c;
	unsigned int i;

	mock_replace_all_cells(test);
	c = watched_ctx(test, &event);
	mock_gate_close(c->m);
	for (i = 0; i < GPUBP_NR_CELLS; i++)
		KUNIT_EXPECT_EQ(test, mock_store(c, ADDR), GPUBP_TAKEN);
	KUNIT_EXPECT_EQ(test, report_in_interrupt(test, c), 0u);
	KUNIT_EXPECT_EQ(test, atomic64_read(&c->ctx->lost), IN_INTERRUPT);
	mock_gate_open(c->m);
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DROP_CELLS),
			IN_INTERRUPT);
	KUNIT_EXPECT_EQ(test, mock_count(event), GPUBP_NR_CELLS);
}

struct later {
	struct delayed_work work;
	struct mock *m;
};

static void open_gate(struct work_struct *work)
{
	struct later *l = container_of(work, struct later, work.work);

	mock_gate_open(l->m);
}

/* the mock complains about ops of a destroyed context */
static void a_context_leaves_with_hits_on_their_way(struct kunit *test)
{
	struct perf_event *event;
	struct mock_ctx *c = watched_ctx(test, &event);
	struct later l = { .m = c->m };
	int i;

	INIT_DELAYED_WORK_ONSTACK(&l.work, open_gate);
	mock_gate_close(c->m);
	for (i = 0; i < 50; i++)
		KUNIT_EXPECT_EQ(test, mock_store(c, ADDR), GPUBP_TAKEN);
	schedule_delayed_work(&l.work, msecs_to_jiffies(30));
	mock_ctx_destroy(c);
	flush_delayed_work(&l.work);
	destroy_delayed_work_on_stack(&l.work);
	for (i = 0; i < MOCK_WAVES; i++)
		if (atomic_read(&c->m->taken[i]) != atomic_read(&c->m->done[i]))
			KUNIT_FAIL(test, "wave %d has an unexpected state", i);
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_count(event),
			mock_stat(c->m, GPUBP_STAT_DELIVERED));
}

static struct kunit_case report_test_cases[] = {
	KUNIT_CASE_PARAM(identified_by, identity_gen_params),
	KUNIT_CASE(not_after_eviction),
	KUNIT_CASE(not_after_the_context_is_gone),
	KUNIT_CASE(not_while_the_device_is_suspended),
	KUNIT_CASE(a_vmid_changes_hands),
	KUNIT_CASE(a_burst_while_the_resolver_is_stuck),
	KUNIT_CASE(reported_in_a_hard_interrupt),
	KUNIT_CASE(lost_in_a_hard_interrupt),
	KUNIT_CASE(a_context_leaves_with_hits_on_their_way),
	{}
};

static struct kunit_suite report_test_suite = {
	.name = "gpubp_report",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = report_test_cases,
};

/* ---- a device without interrupts ----------------------------------------- */

#define WAIT_MS		60000	/* a guest may be stalled for long */
#define PAUSE_MS	20

static atomic_t polls;
static struct gpubp_ops polled_ops;

static void poll(void *dev)
{
	atomic_inc(&polls);
}

static int polled_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;

	caps.interrupts = false;
	polled_ops = mock_ops;
	polled_ops.poll = poll;
	return mock_init_ops(test, &polled_ops, &caps);
}

static bool is_polled(unsigned int wait_ms)
{
	int before = atomic_read(&polls);
	unsigned int ms;

	for (ms = 0; atomic_read(&polls) == before && ms < wait_ms; ms += 2)
		msleep(2);
	return atomic_read(&polls) != before;
}

/* also when no hit of an old program can arrive any more */
static void polled_while_an_event_exists(struct kunit *test)
{
	struct perf_event *event;
	struct mock_ctx *c = watched_ctx(test, &event);
	unsigned int i;

	while (ktime_get_ns() <= READ_ONCE(c->m->dev->poll_until))
		msleep(2);
	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_TRUE(test, is_polled(WAIT_MS));
	mock_close(c->m, event);
	for (i = 0; i < WAIT_MS / PAUSE_MS && is_polled(PAUSE_MS); i++)
		;
	KUNIT_EXPECT_LT(test, i, WAIT_MS / PAUSE_MS + 0u);
}

static struct kunit_case polled_test_cases[] = {
	KUNIT_CASE(polled_while_an_event_exists),
	{}
};

static struct kunit_suite polled_test_suite = {
	.name = "gpubp_polled",
	.init = polled_init,
	.exit = mock_exit,
	.test_cases = polled_test_cases,
};
kunit_test_suites(&report_test_suite, &polled_test_suite);
