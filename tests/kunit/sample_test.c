// SPDX-License-Identifier: GPL-2.0
/* Samples: written with current being the owner, one for each hit. */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/sched.h>

#include "core/owner.h"
#include "event/event.h"
#include "mock.h"
#include "perf/perf.h"
#include "sched/throttle.h"

#define ADDR	(MOCK_VA + 0x1010)
#define STORE	GPUBP_ACCESS_STORE
#define KEPT	64

/**
 * struct samples - samples seen by an event's overflow handler
 * @nr: number of samples
 * @owner: expected current
 * @strangers: samples with another current, or outside of hard interrupts
 * @kept: the raw records of the first samples
 * @ip: their ip
 * @addr: their addr
 */
struct samples {
	atomic_t nr;
	struct task_struct *owner;
	atomic_t strangers;
	struct gpubp_hit_record kept[KEPT];
	u64 ip[KEPT];
	u64 addr[KEPT];
};

static void keep_sample(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct samples *s = event->overflow_handler_context;
	int n = atomic_inc_return(&s->nr) - 1;

	if (current != s->owner || !irqs_disabled())
		atomic_inc(&s->strangers);
	if (n >= KEPT)
		return;
	memcpy(&s->kept[n], data->raw->frag.data, sizeof(s->kept[n]));
	s->ip[n] = data->ip;
	s->addr[n] = data->addr;
}

static struct samples *sample(struct kunit *test, struct task_struct *task,
			      u32 access, u64 period)
{
	struct perf_event_attr attr = mock_attr(ADDR, 4, access);
	struct samples *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct perf_event *event;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->owner = task;
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_ADDR;
	event = mock_open_attr(test, &attr, task, keep_sample, s);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	return s;
}

static void expect_samples(struct kunit *test, const struct samples *s, int nr)
{
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->nr), nr);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&s->strangers), 0,
			    "not the owner, or not in an interrupt");
}

static void the_record_tells_all(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	const struct gpubp_hit_record *r;
	struct samples *s;
	u64 pc;

	c->mem[ADDR - MOCK_VA] = 0x11;
	s = sample(test, current, STORE, 1);
	r = &s->kept[0];
	mock_settle(c->m);
	c->mem[ADDR - MOCK_VA] = 0x22;
	c->m->vgprs[2][0] = 0x33;
	mock_store(c, ADDR);
	expect_samples(test, s, 1);
	pc = MOCK_CODE;
	KUNIT_EXPECT_EQ(test, s->ip[0], pc);
	KUNIT_EXPECT_EQ(test, s->addr[0], ADDR);
	KUNIT_EXPECT_EQ(test, r->addr, ADDR);
	KUNIT_EXPECT_EQ(test, r->pc, pc);
	KUNIT_EXPECT_EQ(test, r->lanes, 1);
	KUNIT_EXPECT_EQ(test, r->exec, 1);
	KUNIT_EXPECT_EQ(test, r->old_value, 0x11);
	KUNIT_EXPECT_EQ(test, r->new_value, 0x22);
	KUNIT_EXPECT_EQ(test, r->value_len, 4);
	KUNIT_EXPECT_EQ(test, r->context, gpubp_ctx_id(c->ctx));
	KUNIT_EXPECT_EQ(test, r->queue, 7);
	KUNIT_EXPECT_EQ(test, r->dispatch, 0x55);
	KUNIT_EXPECT_EQ(test, r->wg_x, 1);
	KUNIT_EXPECT_EQ(test, r->wg_y, 2);
	KUNIT_EXPECT_EQ(test, r->wg_z, 3);
	KUNIT_EXPECT_EQ(test, r->wave_in_group, 4);
	KUNIT_EXPECT_EQ(test, r->width, 4);
	KUNIT_EXPECT_EQ(test, r->access, STORE);
	KUNIT_EXPECT_EQ(test, r->addr_state, GPUBP_ADDR_EXACT);
	KUNIT_EXPECT_EQ(test, r->device, gpubp_device_number(c->m->dev));
	KUNIT_EXPECT_EQ(test, r->nr_merged, 1);
	KUNIT_EXPECT_EQ(test, r->exceptions, 0);
	KUNIT_EXPECT_EQ(test, r->kind, GPUBP_KIND_WATCH);
	KUNIT_EXPECT_EQ(test, r->trap_id, 0);
	KUNIT_EXPECT_EQ(test, r->hit_addr, ADDR);
	KUNIT_EXPECT_EQ(test, r->hit_len, 4);
	KUNIT_EXPECT_EQ(test, r->data, 0x33);
	KUNIT_EXPECT_EQ(test, r->before, 0);
	KUNIT_EXPECT_EQ(test, r->seen, 0x11);
	KUNIT_EXPECT_EQ(test, r->now, 0x22);
	KUNIT_EXPECT_EQ(test, r->flags,
			GPUBP_HIT_PC_EXACT | GPUBP_HIT_COORDS |
			GPUBP_HIT_DISPATCH | GPUBP_HIT_OLD_VALUE |
			GPUBP_HIT_NEW_VALUE | GPUBP_HIT_BYTES |
			GPUBP_HIT_DATA | GPUBP_HIT_SEEN | GPUBP_HIT_NOW);
}

/* a wrong address is never reported as exact */
static void a_clobbered_address_is_only_possible(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct samples *s = sample(test, current, GPUBP_ACCESS_LOAD, 1);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_LOAD_CLOBBER),
		.exec = 0x5,
	};

	mock_settle(c->m);
	stop.slots = mock_slots(c, ADDR);
	mock_lane_addr(c->m, 0, 0xdeadbeef);
	mock_raise(c, &stop);
	expect_samples(test, s, 1);
	KUNIT_EXPECT_EQ(test, s->kept[0].addr, ADDR);
	KUNIT_EXPECT_EQ(test, s->kept[0].lanes, 0x5);
	KUNIT_EXPECT_EQ(test, s->kept[0].addr_state, GPUBP_ADDR_BLOCK);
	KUNIT_EXPECT_TRUE(test, s->kept[0].flags & GPUBP_HIT_POSSIBLE);
	KUNIT_EXPECT_TRUE(test, s->kept[0].flags & GPUBP_HIT_PC_EXACT);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_POSSIBLE), 1);
}

static void every_third_hit(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct samples *s = sample(test, current, STORE, 3);
	int i;

	mock_settle(c->m);
	for (i = 0; i < 8; i++)
		mock_store(c, ADDR);
	expect_samples(test, s, 2);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 8);
}

/* an owner that must not be woken gets the sample when it runs */
static void the_owner_cannot_be_woken(struct kunit *test)
{
	struct task_struct *thread = mock_thread_in(test, TASK_IDLE);
	struct mock_ctx *c = mock_ctx_of(test, task_pid(thread));
	struct samples *s = sample(test, thread, STORE, 1);

	mock_settle(c->m);
	mock_store(c, ADDR);
	kthread_flush_worker(c->m->dev->resolver);
	msleep(20);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->nr), 0);
	wake_up_process(thread);
	expect_samples(test, s, 1);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 1);
}

static void the_event_goes_before_its_hits(struct kunit *test)
{
	struct task_struct *thread = mock_thread_in(test, TASK_IDLE);
	struct mock_ctx *c = mock_ctx_of(test, task_pid(thread));
	struct samples *s = sample(test, thread, STORE, 1);
	int i;

	mock_settle(c->m);
	for (i = 0; i < 100; i++)
		mock_store(c, ADDR);
	kthread_flush_worker(c->m->dev->resolver);
	mock_close(c->m, c->m->events[0]);
	expect_samples(test, s, 0);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DROP_EXITED), 100);
}

static void the_owner_exits_before_its_hits(struct kunit *test)
{
	struct task_struct *thread = mock_thread_in(test, TASK_IDLE);
	struct mock_ctx *c = mock_ctx_of(test, task_pid(thread));
	struct samples *s = sample(test, thread, STORE, 1);
	int i, nr;

	mock_settle(c->m);
	for (i = 0; i < 100; i++)
		mock_store(c, ADDR);
	kthread_flush_worker(c->m->dev->resolver);
	mock_thread_end(test, thread);
	mock_quiesce(test);
	nr = atomic_read(&s->nr);
	expect_samples(test, s, nr);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), nr);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DROP_EXITED), 100 - nr);
}

#define BURST	(GPUBP_TICKETS_MAX + 100)

/*
 * Samples cut by the rate limit are counted, and their hits stay matched. Hits
 * that exceed the owner's ticket limit are dropped.
 */
static void a_burst_of_samples(struct kunit *test)
{
	struct gpubp_event *gev;
	s64 throttled, delivered;
	struct samples *s;
	struct mock_ctx *c;
	int i;

	mock_replace_all_cells(test);
	c = mock_ctx(test);
	s = sample(test, current, STORE, 1);
	gev = c->m->events[0]->pmu_private;
	mock_settle(c->m);
	mock_gate_close(c->m);
	for (i = 0; i < BURST; i++)
		KUNIT_EXPECT_EQ(test, mock_store(c, ADDR), GPUBP_TAKEN);
	mock_gate_open(c->m);
	mock_quiesce(test);
	throttled = atomic64_read(&gev->throttled);
	delivered = mock_stat(c->m, GPUBP_STAT_DELIVERED);
	KUNIT_EXPECT_LT(test, throttled, delivered);
	expect_samples(test, s, delivered - throttled);
	KUNIT_EXPECT_EQ(test, atomic64_read(&gev->matched), delivered);
	KUNIT_EXPECT_EQ(test, atomic64_read(&gev->possible), 0);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DROP_UNREACHABLE),
			BURST - delivered);
	KUNIT_EXPECT_GE(test, delivered, GPUBP_TICKETS_MAX);
}

/* a kernel thread never returns to user mode, where the rest would be drained */
static void run_until_drained(struct mock *m, struct task_struct *thread)
{
	int turns;

	for (turns = 0; turns < 1000 && gpubp_cells_in_use(m->dev); turns++) {
		wake_up_process(thread);
		usleep_range(500, 1000);
	}
}

/* an owner that does not run must not take all cells of the device */
static void more_hits_than_the_owner_has_room_for(struct kunit *test)
{
	struct task_struct *thread = mock_thread_in(test, TASK_IDLE);
	struct gpubp_event *gev;
	struct samples *s;
	struct mock_ctx *c;
	int i;

	mock_replace_all_cells(test);
	c = mock_ctx_of(test, task_pid(thread));
	s = sample(test, thread, STORE, 1);
	gev = c->m->events[0]->pmu_private;
	mock_settle(c->m);
	for (i = 0; i < GPUBP_TICKETS_MAX + 10; i++)
		mock_store(c, ADDR);
	kthread_flush_worker(c->m->dev->resolver);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DROP_UNREACHABLE), 10);
	run_until_drained(c->m, thread);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, atomic64_read(&gev->matched), GPUBP_TICKETS_MAX);
	expect_samples(test, s, GPUBP_TICKETS_MAX -
		       atomic64_read(&gev->throttled));
}

/* more matches than fit in a cell, each with its own ticket */
static void many_sampling_events_hit_at_once(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event_attr attr;
	struct samples *s = kunit_kcalloc(test, 20, sizeof(*s), GFP_KERNEL);
	struct perf_event *event;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	for (i = 0; i < 20; i++) {
		s[i].owner = current;
		attr = mock_attr(ADDR, 4 + i, STORE);
		attr.sample_period = 1;
		attr.sample_type = PERF_SAMPLE_RAW;
		event = mock_open_attr(test, &attr, current, keep_sample, &s[i]);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	}
	mock_settle(c->m);
	mock_store(c, ADDR);
	for (i = 0; i < 20; i++)
		expect_samples(test, &s[i], 1);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 1);
}

#define CROWD	256	/* events */
#define WAITING	16	/* hits */
#define DRAIN	342	/* samples that a drain may write */

/**
 * struct rounds - number of samples written with interrupts off
 * @work: runs between drains when interrupts are on
 * @nr: samples since it ran
 * @most: largest @nr
 * @all: all samples
 */
struct rounds {
	struct irq_work work;
	unsigned int nr;
	unsigned int most;
	atomic_t all;
};

/**
 * struct one_of_many - the samples of one event
 * @rounds: of all events
 * @nr: number of samples
 * @disorder: samples of hits that are not the one behind the last sample's
 * @wave: wave of the last hit; each hit is of the next one
 */
struct one_of_many {
	struct rounds *rounds;
	unsigned int nr;
	unsigned int disorder;
	u64 wave;
};

static void round_ends(struct irq_work *work)
{
	container_of(work, struct rounds, work)->nr = 0;
}

static void count_round(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	const struct gpubp_hit_record *rec = data->raw->frag.data;
	struct one_of_many *one = event->overflow_handler_context;
	struct rounds *r = one->rounds;

	if (one->nr++ && rec->wave != one->wave + 1)
		one->disorder++;
	one->wave = rec->wave;
	atomic_inc(&r->all);
	r->most = max(r->most, ++r->nr);
	irq_work_queue(&r->work);
}

/* drained in several pieces: each event gets each hit once, in their order */
static void hits_that_many_events_sample(struct kunit *test)
{
	struct task_struct *thread = mock_thread_in(test, TASK_IDLE);
	struct perf_event_attr attr = mock_attr(ADDR, 4, STORE);
	struct rounds *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	struct one_of_many *one = kunit_kcalloc(test, CROWD, sizeof(*one),
						GFP_KERNEL);
	struct perf_event *event;
	struct mock_ctx *c;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_ASSERT_NOT_NULL(test, one);
	mock_replace_all_cells(test);
	c = mock_ctx_of(test, task_pid(thread));
	r->work = IRQ_WORK_INIT_HARD(round_ends);
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	for (i = 0; i < CROWD; i++) {
		one[i].rounds = r;
		event = mock_open_attr(test, &attr, thread, count_round,
				       &one[i]);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	}
	mock_settle(c->m);
	for (i = 0; i < WAITING; i++)
		mock_store(c, ADDR);
	kthread_flush_worker(c->m->dev->resolver);
	run_until_drained(c->m, thread);
	mock_expect_stats_balance(test);
	irq_work_sync(&r->work);
	KUNIT_EXPECT_EQ(test, atomic_read(&r->all), CROWD * WAITING);
	for (i = 0; i < CROWD; i++) {
		KUNIT_EXPECT_EQ(test, one[i].nr, WAITING);
		KUNIT_EXPECT_EQ(test, one[i].disorder, 0);
	}
	/* there an irq_work waits for a tick */
	if (IS_ENABLED(CONFIG_UML))
		return;
	/* two drains, one of them as the thread was switched out */
	KUNIT_EXPECT_LE(test, r->most, 2 * DRAIN);
	KUNIT_EXPECT_GE(test, r->most, DRAIN / 2);
	KUNIT_EXPECT_GT(test, gpubp_drain_longest(), 0);
}

static struct kunit_case sample_test_cases[] = {
	KUNIT_CASE(the_record_tells_all),
	KUNIT_CASE(a_clobbered_address_is_only_possible),
	KUNIT_CASE(every_third_hit),
	KUNIT_CASE(the_owner_cannot_be_woken),
	KUNIT_CASE(the_event_goes_before_its_hits),
	KUNIT_CASE(the_owner_exits_before_its_hits),
	KUNIT_CASE(a_burst_of_samples),
	KUNIT_CASE(more_hits_than_the_owner_has_room_for),
	KUNIT_CASE(many_sampling_events_hit_at_once),
	KUNIT_CASE(hits_that_many_events_sample),
	{}
};

static unsigned int old_percent;

/* in a slow guest a thousand waves may be stopped for long */
static int sample_init(struct kunit *test)
{
	old_percent = gpubp_max_stall_percent;
	gpubp_max_stall_percent = 0;
	return mock_init(test);
}

static void sample_exit(struct kunit *test)
{
	mock_exit(test);
	gpubp_max_stall_percent = old_percent;
}

static struct kunit_suite sample_test_suite = {
	.name = "gpubp_sample",
	.init = sample_init,
	.exit = sample_exit,
	.test_cases = sample_test_cases,
};
kunit_test_suite(sample_test_suite);
