// SPDX-License-Identifier: GPL-2.0
/* Times: what perf shows as time enabled and time running. */
#include <linux/delay.h>

#include "event/event.h"
#include "mock.h"

#define ADDR(n)	(MOCK_VA + (n) * 0x1000ULL)
#define STORE	GPUBP_ACCESS_STORE
#define WHILE	40	/* ms for which a clock is observed */

struct times {
	u64 enabled;
	u64 running;
};

static unsigned long switches(void)
{
	return current->nvcsw + current->nivcsw;
}

/* perf core reads one time, then the other: prevent a switch in between */
static struct times times_of(struct perf_event *event)
{
	unsigned long before;
	struct times t;

	do {
		before = switches();
		perf_event_read_value(event, &t.enabled, &t.running);
	} while (switches() != before);
	return t;
}

static struct times observe_times(struct perf_event *event)
{
	struct times before = times_of(event), after;

	msleep(WHILE);
	after = times_of(event);
	return (struct times) {
		.enabled = after.enabled - before.enabled,
		.running = after.running - before.running,
	};
}

static void of_a_running_target(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR(0), 4, STORE);
	struct times t;

	mock_settle(c->m);
	t = observe_times(event);
	/* a guest's jiffies may lag, and a sleep may be short */
	KUNIT_EXPECT_GE(test, t.enabled, WHILE / 2 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, t.running, t.enabled);
	gpubp_ctx_evicted(c->ctx);
	times_of(event);
	t = observe_times(event);
	KUNIT_EXPECT_GT(test, t.running, 0);
	KUNIT_EXPECT_LT(test, t.running, 1000);
	KUNIT_EXPECT_EQ(test, t.running, t.enabled);
}

static void of_a_sleeping_target(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(ADDR(0), 4, STORE);
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *c = mock_ctx_of(test, task_pid(thread));
	struct perf_event *event;
	struct times t;

	event = mock_open_attr(test, &attr, thread, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	mock_settle(c->m);
	msleep(WHILE);
	t = observe_times(event);
	KUNIT_EXPECT_GE(test, t.enabled, WHILE / 4 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, t.running, t.enabled);

	perf_event_disable(event);
	msleep(WHILE);
	t = observe_times(event);
	KUNIT_EXPECT_EQ_MSG(test, t.enabled, 0, "disabled");
	perf_event_enable(event);
	mock_settle(c->m);
	msleep(WHILE);
	KUNIT_EXPECT_GT(test, observe_times(event).running, 0);
}

static void without_a_context(struct kunit *test)
{
	struct perf_event *event = mock_open(test, ADDR(0), 4, STORE);
	struct times t = observe_times(event);

	KUNIT_EXPECT_EQ_MSG(test, t.running, 0, "<not counted> rather than 0");
	KUNIT_EXPECT_EQ(test, t.running, t.enabled);
	mock_settle(mock_ctx(test)->m);
	msleep(WHILE);
	KUNIT_EXPECT_GT(test, observe_times(event).running, 0);
}

static struct perf_event *open_lost(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(ADDR(0), 4, STORE);
	struct perf_event *event;

	attr.config |= GPUBP_CONFIG_LOST;
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	return event;
}

static u64 lost(struct perf_event *event)
{
	observe_times(event);
	return atomic64_read(&event->lost_samples);
}

/* hits of the event's contexts while it was enabled */
static void dropped_hits_are_lost_by_events(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test), *other = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR(0), 4, STORE);
	struct perf_event *counter = open_lost(test), *later;

	mock_settle(c->m);
	observe_times(event);
	KUNIT_EXPECT_EQ(test, lost(event), 0ULL);
	atomic64_add(3, &c->ctx->lost);
	later = mock_open(test, ADDR(1), 4, STORE);
	mock_settle(c->m);
	atomic64_add(4, &other->ctx->lost);
	KUNIT_EXPECT_EQ(test, lost(event), 7ULL);
	KUNIT_EXPECT_EQ(test, lost(later), 4ULL);
	KUNIT_EXPECT_EQ(test, lost(counter), 7ULL);
	KUNIT_EXPECT_EQ(test, mock_count(counter), 7ULL);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0ULL);
	perf_event_disable(event);
	atomic64_inc(&c->ctx->lost);
	observe_times(event);
	perf_event_enable(event);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, lost(event), 7ULL);
	KUNIT_EXPECT_EQ(test, lost(later), 5ULL);
}

/* read by one thread, for a thread that migrates all the time */
static void never_decrease(struct kunit *test)
{
	struct task_struct *thread = mock_moving_thread(test);
	struct mock_ctx *c = mock_ctx_of(test, task_pid(thread));
	struct perf_event *event[6];
	struct times old[6] = {};
	int i, n;

	mock_short_quanta(test);
	for (i = 0; i < 6; i++) {
		struct perf_event_attr attr = mock_attr(ADDR(i), 4, STORE);

		event[i] = mock_open_attr(test, &attr, thread, NULL, NULL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event[i]));
	}
	mock_settle(c->m);
	for (n = 0; n < 3000; n++) {
		struct times t = times_of(event[n % 6]);

		KUNIT_EXPECT_GE(test, t.enabled, old[n % 6].enabled);
		KUNIT_EXPECT_GE(test, t.running, old[n % 6].running);
		old[n % 6] = t;
		cond_resched();
	}
	/* where commits are slow, each watch keeps its slot for a while */
	for (i = 0; i < 6; i++) {
		for (n = 0; n < 200 && old[i].running == old[i].enabled; n++) {
			msleep(20);
			old[i] = times_of(event[i]);
		}
		KUNIT_EXPECT_LT(test, old[i].running, old[i].enabled);
	}
	mock_thread_end(test, thread);
}

struct shown {
	struct times times;
	struct gpubp_account acc;
};

/* of an event of this thread: as perf core last saved it, and as it is shown */
static struct shown shown_by(struct perf_event *event)
{
	struct gpubp_event *gev = event->pmu_private;
	struct shown s;

	times_of(event);
	local_irq_disable();
	s.acc = gev->times.acc;
	s.times.enabled = event->total_time_enabled;
	s.times.running = event->total_time_running;
	local_irq_enable();
	return s;
}

/* over any interval; a clock that was stopped may differ by nanoseconds */
static void tell_the_account(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event[6];
	struct shown old, new;
	int i;

	for (i = 0; i < 6; i++)
		event[i] = mock_open(test, ADDR(i), 4, STORE);
	mock_settle(c->m);
	for (i = 0; i < 6; i++) {
		old = shown_by(event[i]);
		msleep(WHILE);
		new = shown_by(event[i]);
		KUNIT_EXPECT_LT(test, new.times.enabled - old.times.enabled -
				(new.acc.resident - old.acc.resident), 1000);
		KUNIT_EXPECT_LT(test, new.times.running - old.times.running -
				(new.acc.armed - old.acc.armed), 1000);
		KUNIT_EXPECT_GT(test, new.acc.resident, old.acc.resident);
	}
}

static struct kunit_case times_test_cases[] = {
	KUNIT_CASE(of_a_running_target),
	KUNIT_CASE(of_a_sleeping_target),
	KUNIT_CASE(without_a_context),
	KUNIT_CASE(dropped_hits_are_lost_by_events),
	KUNIT_CASE(never_decrease),
	KUNIT_CASE(tell_the_account),
	{}
};

static struct kunit_suite times_test_suite = {
	.name = "gpubp_times",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = times_test_cases,
};
kunit_test_suite(times_test_suite);
