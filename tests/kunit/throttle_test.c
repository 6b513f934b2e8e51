// SPDX-License-Identifier: GPL-2.0
/* Throttling: watches whose hits stop waves for too long. */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include "event/event.h"
#include "mock.h"
#include "sched/sched.h"
#include "sched/throttle.h"
#include "sched/watch.h"

#define ADDR(n)	(MOCK_VA + (n) * 0x1000ULL)
#define STORE	GPUBP_ACCESS_STORE
#define LONG_MS	60000	/* a guest may be stalled for long */
#define ONE	100	/* percent: one wave at all times */
#define AGES_MS	5000

static unsigned int old_percent;

static int throttle_init(struct kunit *test)
{
	old_percent = gpubp_max_stall_percent;
	gpubp_max_stall_percent = ONE;
	return mock_init(test);
}

static void throttle_exit(struct kunit *test)
{
	mock_exit(test);
	gpubp_max_stall_percent = old_percent;
}

/* a wave that stored to @addr @ms ago and was stopped until now */
static void raise_stalled(struct mock_ctx *c, u64 addr, unsigned int ms)
{
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
		.slots = mock_slots(c, addr),
		.time = ktime_get_ns() - ms * NSEC_PER_MSEC,
	};

	mock_lane_addr(c->m, 0, addr);
	mock_raise(c, &stop);
	kthread_flush_worker(c->m->dev->resolver);
}

/* @nr such waves, of a watch that was armed for the whole time */
static void raise_many_stalled(struct mock_ctx *c, u64 addr, unsigned int nr,
			       unsigned int ms)
{
	msleep(ms + 10);
	while (nr--)
		raise_stalled(c, addr, ms);
}

static void set_armed_long_ago(struct gpubp_ctx *ctx)
{
	guard(raw_spinlock_irqsave)(&ctx->sched->throttle.lock);
	memset(ctx->sched->throttle.since, 0,
	       sizeof(ctx->sched->throttle.since));
}

/* two waves at all times where one is allowed, however slow the guest is */
static void stall_watch(struct mock_ctx *c, u64 addr)
{
	set_armed_long_ago(c->ctx);
	raise_stalled(c, addr, AGES_MS);
	raise_stalled(c, addr, AGES_MS);
}

static bool is_armed(struct mock_ctx *c, u64 addr)
{
	int ms;

	/* asked once a turn: the next one may be another watch's */
	for (ms = 0; ms < LONG_MS; ms += 2) {
		if (mock_slots(c, addr))
			return true;
		msleep(2);
	}
	return false;
}

static u64 nr_throttled(struct perf_event *event)
{
	struct gpubp_event *gev = event->pmu_private;

	return atomic64_read(&gev->stall_throttled);
}

/*
 * by the counter: a guest may be stalled for as long as the watch is throttled
 */
static bool was_throttled(struct perf_event *event, u64 times)
{
	int ms;

	for (ms = 0; nr_throttled(event) < times && ms < LONG_MS; ms += 2)
		msleep(2);
	return nr_throttled(event) >= times;
}

/*
 * true if the first watch of a context is armed and not about to be throttled
 */
static bool is_not_throttled(struct mock_ctx *c)
{
	struct gpubp_watch *w;

	guard(mutex)(&c->m->dev->lock);
	w = gpubp_watch_first(c->ctx, 0, U64_MAX);
	return w && w->slots && !gpubp_watch_is_throttled(w);
}

static bool is_rearmed(struct mock_ctx *c)
{
	int ms;

	for (ms = 0; !is_not_throttled(c) && ms < LONG_MS; ms += 2)
		msleep(2);
	return is_not_throttled(c);
}

static u64 nr_throttled_watches(struct mock *m)
{
	guard(mutex)(&m->dev->lock);
	return m->dev->sched->throttle.nr;
}

static struct perf_event *open_armed(struct kunit *test, struct mock_ctx *c,
				     unsigned int n)
{
	struct perf_event *event = mock_open(test, ADDR(n), 4, STORE);

	mock_settle(c->m);
	KUNIT_EXPECT_TRUE(test, is_armed(c, ADDR(n)));
	return event;
}

/* ---- watches that are throttled ------------------------------------------ */

static void that_time_counts_as_running(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *hot = open_armed(test, c, 0);
	struct gpubp_account from, to;

	gpubp_event_time_read(hot->pmu_private, &from);
	stall_watch(c, ADDR(0));
	KUNIT_EXPECT_TRUE(test, was_throttled(hot, 1));
	kthread_flush_worker(c->m->dev->requests.worker);
	KUNIT_EXPECT_TRUE(test, is_rearmed(c));
	kthread_flush_worker(c->m->dev->requests.worker);
	gpubp_event_time_read(hot->pmu_private, &to);
	/* but for the commits in between; the watch was throttled for 100 ms */
	KUNIT_EXPECT_GT(test, (to.resident - from.resident) / 2,
			to.resident - from.resident - (to.armed - from.armed));
	KUNIT_EXPECT_LE(test, to.armed, to.resident);
	KUNIT_EXPECT_EQ(test, atomic64_read(&hot->lost_samples),
			(s64)nr_throttled(hot));
}

static void another_context_is_not_concerned(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test), *d = mock_ctx(test);
	struct perf_event *hot = open_armed(test, c, 0);

	KUNIT_EXPECT_TRUE(test, is_armed(d, ADDR(0)));
	stall_watch(c, ADDR(0));
	KUNIT_EXPECT_TRUE(test, was_throttled(hot, 1));
	KUNIT_EXPECT_NE(test, mock_slots(d, ADDR(0)), 0u);
}

static void a_pinned_one_too(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event_attr attr = mock_attr(ADDR(0), 4, STORE);
	struct perf_event *event;

	attr.pinned = 1;
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	mock_settle(c->m);
	KUNIT_EXPECT_TRUE(test, is_rearmed(c));
	stall_watch(c, ADDR(0));
	KUNIT_EXPECT_TRUE(test, was_throttled(event, 1));
	KUNIT_EXPECT_TRUE(test, is_rearmed(c));
}

/* more than there are comparators */
static void others_go_on_taking_turns(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *hot;
	int i;

	gpubp_max_stall_percent = 1;
	hot = mock_open(test, ADDR(0), 4, STORE);
	for (i = 1; i < MOCK_SLOTS + 2; i++)
		mock_open(test, ADDR(i), 4, STORE);
	mock_settle(c->m);
	for (i = 0; i < 100 && !nr_throttled(hot); i++) {
		KUNIT_EXPECT_TRUE(test, is_armed(c, ADDR(0)));
		raise_stalled(c, ADDR(0), 3);
		mock_settle(c->m);
	}
	KUNIT_EXPECT_GE(test, nr_throttled(hot), 1ULL);
	for (i = 0; i < MOCK_SLOTS + 2; i++)
		KUNIT_EXPECT_TRUE(test, is_armed(c, ADDR(i)));
}

/* ---- watches that are not ------------------------------------------------ */

static u64 stopped_ns(struct mock_ctx *c)
{
	return gpubp_stopped_time_ns(&c->ctx->stopped_time, ktime_get_ns());
}

static void within_the_budget(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_armed(test, c, 0);
	raise_many_stalled(c, ADDR(0), 9, 1);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, nr_throttled_watches(c->m), 0ULL);
	KUNIT_EXPECT_GE(test, stopped_ns(c), 9ULL * NSEC_PER_MSEC);
}

/* the slot has another watch when the hit is resolved */
static void who_came_later_is_not_to_blame(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *old = open_armed(test, c, 0);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
		.slots = mock_slots(c, ADDR(0)),
		.time = ktime_get_ns(),
	};

	msleep(250);
	mock_close(c->m, old);
	mock_settle(c->m);
	open_armed(test, c, 1);
	KUNIT_EXPECT_EQ(test, mock_slots(c, ADDR(1)), stop.slots);
	mock_raise(c, &stop);
	kthread_flush_worker(c->m->dev->resolver);
	mock_settle(c->m);
	KUNIT_EXPECT_GE(test, stopped_ns(c), 250ULL * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, nr_throttled_watches(c->m), 0ULL);
}

/* it stopped for another reason: no watch is charged */
static void a_trap_of_its_own(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock_stop stop = {
		.pc = MOCK_CODE + 4,
		.exec = 1,
		.trap_id = 1,
		.time = ktime_get_ns() - 5 * NSEC_PER_SEC,
	};

	open_armed(test, c, 0);
	set_armed_long_ago(c->ctx);
	mock_raise(c, &stop);
	kthread_flush_worker(c->m->dev->resolver);
	mock_settle(c->m);
	KUNIT_EXPECT_NULL(test,
			  memchr_inv(c->ctx->sched->throttle.stall_ns, 0,
				     sizeof(c->ctx->sched->throttle.stall_ns)));
	KUNIT_EXPECT_EQ(test, nr_throttled_watches(c->m), 0ULL);
}

/* the record is lost; the stall time still counts */
static void a_hit_without_a_record(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock_stop stop = {
		.pc = MOCK_CODE + 8,
		.exec = 1,
		.no_record = true,
	};
	struct perf_event *hot = open_armed(test, c, 0);

	set_armed_long_ago(c->ctx);
	stop.time = ktime_get_ns() - AGES_MS * NSEC_PER_MSEC;
	/* two waves at all times where one is allowed */
	mock_raise(c, &stop);
	mock_raise(c, &stop);
	mock_raise(c, &stop);
	KUNIT_EXPECT_TRUE(test, was_throttled(hot, 1));
}

/* the device reports accesses, and goes on: nothing waits */
static void hits_that_stop_nothing(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock_stop stop = { .exec = 1, .pc = mock_put_insn(c, INSN_STORE) };
	struct perf_event *event = open_armed(test, c, 0);
	struct gpubp_hit hit;
	unsigned int i;

	set_armed_long_ago(c->ctx);
	stop.slots = mock_slots(c, ADDR(0));
	stop.time = ktime_get_ns() - AGES_MS * NSEC_PER_MSEC;
	mock_lane_addr(c->m, 0, ADDR(0));
	for (i = 0; i < 3; i++) {
		hit = mock_hit(c, &stop);
		hit.stopped = GPUBP_STOPS_NONE;
		KUNIT_EXPECT_EQ(test, mock_report(c->m, &hit), GPUBP_TAKEN);
		kthread_flush_worker(c->m->dev->resolver);
	}
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, nr_throttled(event), 0ULL);
	KUNIT_EXPECT_EQ(test, nr_throttled_watches(c->m), 0ULL);
	KUNIT_EXPECT_EQ(test, stopped_ns(c), 0ULL);
}

/* ---- during throttling --------------------------------------------------- */

static struct perf_event *throttled_event(struct kunit *test,
					  struct mock_ctx *c)
{
	struct perf_event *event = open_armed(test, c, 0);

	stall_watch(c, ADDR(0));
	KUNIT_EXPECT_TRUE(test, was_throttled(event, 1));
	/* the throttling is reported in the middle of a commit */
	kthread_flush_worker(c->m->dev->requests.worker);
	return event;
}

static void its_event_is_closed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	mock_close(c->m, throttled_event(test, c));
	mock_settle(c->m);
	guard(mutex)(&c->m->dev->lock);
	KUNIT_EXPECT_TRUE(test,
			  list_empty(&c->m->dev->sched->throttle.watches));
}

static void a_second_event_comes(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	throttled_event(test, c);
	mock_open(test, ADDR(0), 4, STORE);
	mock_settle(c->m);
	KUNIT_EXPECT_TRUE(test, is_rearmed(c));
}

static void its_context_goes(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	throttled_event(test, c);
	mock_ctx_destroy(c);
	guard(mutex)(&c->m->dev->lock);
	KUNIT_EXPECT_TRUE(test,
			  list_empty(&c->m->dev->sched->throttle.watches));
}

static void the_device_is_reset(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	throttled_event(test, c);
	mock_reset(c->m);
	mock_settle(c->m);
	KUNIT_EXPECT_TRUE(test, is_rearmed(c));
}

static void the_device_goes(struct kunit *test)
{
	throttled_event(test, mock_ctx(test));
}

static struct kunit_case throttle_test_cases[] = {
	KUNIT_CASE(that_time_counts_as_running),
	KUNIT_CASE(another_context_is_not_concerned),
	KUNIT_CASE(a_pinned_one_too),
	KUNIT_CASE(others_go_on_taking_turns),
	KUNIT_CASE(within_the_budget),
	KUNIT_CASE(who_came_later_is_not_to_blame),
	KUNIT_CASE(a_trap_of_its_own),
	KUNIT_CASE(a_hit_without_a_record),
	KUNIT_CASE(hits_that_stop_nothing),
	KUNIT_CASE(its_event_is_closed),
	KUNIT_CASE(a_second_event_comes),
	KUNIT_CASE(its_context_goes),
	KUNIT_CASE(the_device_is_reset),
	KUNIT_CASE(the_device_goes),
	{}
};

static struct kunit_suite throttle_test_suite = {
	.name = "gpubp_throttle",
	.init = throttle_init,
	.exit = throttle_exit,
	.test_cases = throttle_test_cases,
};
kunit_test_suite(throttle_test_suite);
