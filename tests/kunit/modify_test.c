// SPDX-License-Identifier: GPL-2.0
/* Modify: an event gets a new address in place; waiting for that. */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/sched/signal.h>

#include "event/event.h"
#include "mock.h"
#include "sched/sched.h"
#include "sched/watch.h"

#define OLD	(MOCK_VA + 0x1000)
#define NEW	(MOCK_VA + 0x2000)
#define AT(n)	(MOCK_VA + (n) * 0x1000ULL)
#define STORE	GPUBP_ACCESS_STORE
#define LOAD	GPUBP_ACCESS_LOAD

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

static void the_watch_moves_and_the_count_stays(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, OLD, 4, STORE);

	KUNIT_EXPECT_TRUE(test, armed(c, OLD));
	mock_store(c, OLD);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, modify(event, NEW, 4, STORE), 0);
	KUNIT_EXPECT_TRUE(test, armed(c, NEW));
	KUNIT_EXPECT_FALSE(test, armed(c, OLD));
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 1u);
	mock_store(c, NEW);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 2);
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

static void to_what_it_is(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, OLD, 4, STORE);
	unsigned int commits;

	KUNIT_EXPECT_TRUE(test, armed(c, OLD));
	commits = mock_commits(c->m);
	KUNIT_EXPECT_EQ(test, modify(event, OLD, 4, STORE), 0);
	KUNIT_EXPECT_TRUE(test, armed(c, OLD));
	KUNIT_EXPECT_EQ(test, mock_commits(c->m), commits);
}

static void only_length_or_access(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, OLD, 4, STORE);

	KUNIT_EXPECT_TRUE(test, armed(c, OLD));
	KUNIT_EXPECT_EQ(test, modify(event, OLD, 256, STORE), 0);
	KUNIT_EXPECT_TRUE(test, armed(c, OLD + 255));
	KUNIT_EXPECT_EQ(test, modify(event, OLD, 256, LOAD), 0);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, c->prog.mode[__ffs(mock_slots(c, OLD))],
			GPUBP_MODE_READ);
	KUNIT_EXPECT_EQ(test, modify(event, OLD, 4, LOAD), 0);
	KUNIT_EXPECT_FALSE(test, armed(c, OLD + 255));
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 1u);
}

/* perf copies the attr to inherited events */
static void the_attr_goes_along(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(NEW, 8, LOAD);
	struct perf_event *event = mock_open(test, OLD, 4, STORE);

	KUNIT_EXPECT_EQ(test, modify_attr(event, &attr), 0);
	KUNIT_EXPECT_EQ(test, event->attr.config, attr.config);
	KUNIT_EXPECT_EQ(test, event->attr.config1, NEW);
	KUNIT_EXPECT_EQ(test, event->attr.config2, 8);
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

struct refused_case {
	const char *name;
	u64 config;	/* exclusive or */
	u64 addr, len;
	int want;
};

static const struct refused_case refused_cases[] = {
	{ "undefined_bit", BIT(22), NEW, 4, -EINVAL },
	{ "a_break", GPUBP_KIND_WATCH ^ GPUBP_KIND_BREAK, NEW, 4, -EINVAL },
	{ "kind_unknown", GPUBP_KIND_WATCH ^ 4, NEW, 4, -EINVAL },
	{ "another_process", GPUBP_CONFIG_PROCESS, NEW, 4, -EINVAL },
	{ "another_device", BIT_ULL(GPUBP_CONFIG_DEVICE_SHIFT), NEW, 4, -EINVAL },
	{ "no_bytes", 0, NEW, 0, -EINVAL },
	{ "range_wraps", 0, U64_MAX, 4, -EINVAL },
	{ "beyond_all_addresses", 0, BIT_ULL(50), 4, -EINVAL },
	{ "wider_than_any_cover", 0, NEW, 3 * (u64)SZ_1G, -EOPNOTSUPP },
	{ "changed_of_too_many", GPUBP_CONFIG_CHANGED, NEW, 65, -EINVAL },
};
KUNIT_ARRAY_PARAM_DESC(refused, refused_cases, name);

static void refused(struct kunit *test)
{
	const struct refused_case *r = test->param_value;
	struct perf_event_attr attr = mock_attr(r->addr, r->len, STORE);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, OLD, 4, STORE);

	attr.config ^= r->config;
	KUNIT_EXPECT_EQ(test, modify_attr(event, &attr), r->want);
	KUNIT_EXPECT_EQ(test, event->attr.config1, OLD);
	KUNIT_EXPECT_TRUE(test, armed(c, OLD));
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 1u);
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

static bool is_pinned(struct mock_ctx *c, u64 addr)
{
	struct gpubp_watch *w;

	mock_settle(c->m);
	guard(mutex)(&c->m->dev->lock);
	w = gpubp_watch_first(c->ctx, addr, addr);
	return w && w->pinned;
}

/* all comparators that may be reserved are: each step stays within its own */
static void copies_go_one_after_another(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *copy[2];
	int i;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	for (i = 0; i < 2; i++)
		copy[i] = pinned(test, AT(1), 4, i);
	for (i = 2; i < MOCK_SLOTS; i++)
		KUNIT_ASSERT_FALSE(test, IS_ERR(pinned(test, AT(i), 4, -1)));
	KUNIT_EXPECT_EQ(test, modify(copy[0], AT(8), 4, STORE), 0);
	/* one watch at a time holds the reservation */
	KUNIT_EXPECT_TRUE(test, is_pinned(c, AT(8)));
	KUNIT_EXPECT_FALSE(test, is_pinned(c, AT(1)));
	KUNIT_EXPECT_EQ(test, modify(copy[1], AT(8), 4, STORE), 0);
	KUNIT_EXPECT_TRUE(test, is_pinned(c, AT(8)));
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(pinned(test, AT(9), 4, -1)),
			-ENOSPC);
	/* one reservation group: another copy is opened */
	KUNIT_EXPECT_FALSE(test, IS_ERR(pinned(test, AT(8), 4, -1)));
	KUNIT_EXPECT_TRUE(test, armed(c, AT(8)));
}

static void events_that_are_no_copies_part(struct kunit *test)
{
	struct perf_event *a = pinned(test, AT(1), 4, -1);
	struct perf_event *b = pinned(test, AT(1), 4, -1);
	struct mock_ctx *c = mock_ctx(test);

	KUNIT_EXPECT_EQ(test, modify(a, AT(2), 4, STORE), 0);
	KUNIT_EXPECT_TRUE(test, is_pinned(c, AT(1)));
	KUNIT_EXPECT_TRUE(test, is_pinned(c, AT(2)));
	KUNIT_ASSERT_FALSE(test, IS_ERR(pinned(test, AT(3), 4, -1)));
	/* no comparator is free for a third group */
	KUNIT_ASSERT_FALSE(test, IS_ERR(pinned(test, AT(2), 4, -1)));
	KUNIT_EXPECT_EQ(test, modify(a, AT(4), 4, STORE), -ENOSPC);
	KUNIT_EXPECT_TRUE(test, is_pinned(c, AT(2)));
	/* in one group again, which frees a comparator */
	KUNIT_EXPECT_EQ(test, modify(b, AT(2), 4, STORE), 0);
	KUNIT_EXPECT_FALSE(test, IS_ERR(pinned(test, AT(5), 4, -1)));
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
			-EINTR);
	flush_signals(current);
	disallow_signal(SIGUSR1);
	mutex_unlock(&c->m->lock);
	KUNIT_EXPECT_EQ(test, gpubp_request_wait_timeout(c->m->dev, 60 * HZ), 0);
}

static struct kunit_case modify_test_cases[] = {
	KUNIT_CASE(the_watch_moves_and_the_count_stays),
	KUNIT_CASE(wanted_when_the_call_returns),
	KUNIT_CASE(to_what_it_is),
	KUNIT_CASE(only_length_or_access),
	KUNIT_CASE(the_attr_goes_along),
	KUNIT_CASE(to_changes_only),
	KUNIT_CASE_PARAM(refused, refused_gen_params),
	KUNIT_CASE(copies_go_one_after_another),
	KUNIT_CASE(events_that_are_no_copies_part),
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
