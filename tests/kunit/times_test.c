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
	/* nor if the worker that looks at times does not see that it was disabled */
	perf_event_disable(event);
	atomic64_inc(&c->ctx->lost);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, lost(event), 7ULL);
	KUNIT_EXPECT_EQ(test, lost(later), 6ULL);
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
	KUNIT_CASE(dropped_hits_are_lost_by_events),
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
