// SPDX-License-Identifier: GPL-2.0
/*
 * Modify: an event gets a new address in place; waiting for that. See also
 * tests/selftests/modify.c.
 */
#include <linux/err.h>
#include <linux/sched/signal.h>

#include "event/event.h"
#include "mock.h"
#include "sched/sched.h"

#define OLD	(MOCK_VA + 0x1000)
#define NEW	(MOCK_VA + 0x2000)
#define AT(n)	(MOCK_VA + (n) * 0x1000ULL)
#define STORE	GPUBP_ACCESS_STORE

static int modify_attr(struct perf_event *event,
		       const struct perf_event_attr *attr)
{
	guard(mutex)(&gpubp_events_lock);
	return gpubp_event_modify(event->pmu_private, attr->config,
				  attr->config1, attr->config2);
}

static int modify(struct perf_event *event, u64 addr, u64 len, u32 access)
{
	struct perf_event_attr attr = mock_attr(addr, len, access);

	return modify_attr(event, &attr);
}

static bool armed(struct mock_ctx *c, u64 addr)
{
	mock_settle(c->m);
	return mock_slots(c, addr);
}

/* without a scan of other events */
static void wanted_when_the_call_returns(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, OLD, 4, STORE);

	KUNIT_EXPECT_TRUE(test, armed(c, OLD));
	KUNIT_EXPECT_EQ(test, modify(event, NEW, 4, STORE), 0);
	KUNIT_EXPECT_EQ(test, gpubp_request_wait_timeout(c->m->dev, 60 * HZ), 0);
	KUNIT_EXPECT_TRUE(test, mock_slots(c, NEW));
	KUNIT_EXPECT_FALSE(test, mock_slots(c, OLD));
}

static void to_changes_only(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(OLD, 4, STORE);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, OLD, 4, STORE);

	KUNIT_EXPECT_TRUE(test, armed(c, OLD));
	mock_store(c, OLD);
	mock_quiesce(test);
	attr.config |= GPUBP_CONFIG_CHANGED;
	KUNIT_EXPECT_EQ(test, modify_attr(event, &attr), 0);
	mock_settle(c->m);
	mock_store(c, OLD);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ_MSG(test, mock_count(event), 1, "not changed");
	c->mem[OLD - MOCK_VA] ^= 1;
	mock_store(c, OLD);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
}

/* ---- reservations -------------------------------------------------------- */

static struct perf_event *pinned(struct kunit *test, u64 addr, u64 len, int cpu)
{
	struct perf_event_attr attr = mock_attr(addr, len, STORE);
	struct perf_event *event;

	attr.pinned = 1;
	event = mock_open_on(test, &attr, current, cpu);
	return event;
}

static void what_was_promised_is_kept(struct kunit *test)
{
	struct perf_event *event = pinned(test, AT(1) - 8, 80, -1);

	KUNIT_ASSERT_FALSE(test, IS_ERR(pinned(test, AT(3), 4, -1)));
	KUNIT_EXPECT_EQ(test, modify(event, AT(2), 4, STORE), 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(pinned(test, AT(4), 4, -1)),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, modify(event, AT(2) - 8, 80, STORE), 0);
}

static void a_second_comparator_may_be_refused(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event[3];
	int i;

	for (i = 0; i < 3; i++)
		event[i] = pinned(test, AT(i + 1), 4, -1);
	KUNIT_EXPECT_EQ(test, modify(event[0], AT(5) - 8, 80, STORE), -ENOSPC);
	KUNIT_EXPECT_TRUE(test, armed(c, AT(1)));
	KUNIT_EXPECT_FALSE(test, armed(c, AT(5)));
	mock_close(c->m, event[1]);
	KUNIT_EXPECT_EQ(test, modify(event[0], AT(5) - 8, 80, STORE), 0);
	KUNIT_EXPECT_TRUE(test, armed(c, AT(5)));
}

/* ---- waiting ------------------------------------------------------------- */

static void waits_no_longer_than_told(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_device *dev = c->m->dev;
	struct perf_event *event = mock_open(test, OLD, 4, STORE);
	unsigned int nr_commits;

	KUNIT_EXPECT_TRUE(test, armed(c, OLD));
	/* no commit ends before it is released */
	mutex_lock(&c->m->lock);
	nr_commits = c->m->nr_commits;
	KUNIT_EXPECT_EQ(test, modify(event, NEW, 4, STORE), 0);
	KUNIT_EXPECT_EQ(test, gpubp_request_wait_timeout(dev, 0), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, gpubp_request_wait_timeout(dev, 1), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, c->m->nr_commits, nr_commits);
	mutex_unlock(&c->m->lock);
	KUNIT_EXPECT_EQ(test, gpubp_request_wait_timeout(dev, 60 * HZ), 0);
	KUNIT_EXPECT_TRUE(test, mock_slots(c, NEW));
	KUNIT_EXPECT_EQ(test, gpubp_request_wait_timeout(dev, 0), 0);
}

static void a_signal_ends_the_wait(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, OLD, 4, STORE);

	KUNIT_EXPECT_TRUE(test, armed(c, OLD));
	mutex_lock(&c->m->lock);
	KUNIT_EXPECT_EQ(test, modify(event, NEW, 4, STORE), 0);
	allow_signal(SIGUSR1);
	send_sig(SIGUSR1, current, 1);
	KUNIT_EXPECT_EQ(test, gpubp_request_wait_timeout(c->m->dev, 60 * HZ),
			-ERESTARTSYS);
	flush_signals(current);
	disallow_signal(SIGUSR1);
	mutex_unlock(&c->m->lock);
	KUNIT_EXPECT_EQ(test, gpubp_request_wait_timeout(c->m->dev, 60 * HZ), 0);
}

static struct kunit_case modify_test_cases[] = {
	KUNIT_CASE(wanted_when_the_call_returns),
	KUNIT_CASE(to_changes_only),
	KUNIT_CASE(what_was_promised_is_kept),
	KUNIT_CASE(a_second_comparator_may_be_refused),
	KUNIT_CASE(waits_no_longer_than_told),
	KUNIT_CASE(a_signal_ends_the_wait),
	{}
};

static struct kunit_suite modify_test_suite = {
	.name = "gpubp_modify",
	.suite_exit = mock_suite_exit,
	.init = mock_init_shared,
	.exit = mock_exit_shared,
	.test_cases = modify_test_cases,
};
kunit_test_suite(modify_test_suite);
