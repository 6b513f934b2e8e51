// SPDX-License-Identifier: GPL-2.0
/* Event time: resident and armed time of events. */
#include <linux/delay.h>

#include "core/ctx_owner.h"
#include "event/event.h"
#include "mock.h"
#include "sched/sched.h"

#define ADDR(n)	(MOCK_VA + (n) * 0x1000ULL)
#define STORE	GPUBP_ACCESS_STORE
#define WHILE	12	/* ms for which a clock is observed */

static struct gpubp_account account_of(struct perf_event *event)
{
	struct gpubp_account acc;

	gpubp_event_time_read(event->pmu_private, &acc);
	return acc;
}

/* time accounted during an interval, of at least @least ns */
static struct gpubp_account observe_for(struct perf_event *event, u64 *least)
{
	struct gpubp_account before = account_of(event), after;
	u64 began = ktime_get_ns();

	msleep(WHILE);
	*least = ktime_get_ns() - began;
	after = account_of(event);
	return (struct gpubp_account) {
		.resident = after.resident - before.resident,
		.armed = after.armed - before.armed,
		.stopped = after.stopped - before.stopped,
		.stopped_armed = after.stopped_armed - before.stopped_armed,
	};
}

static struct gpubp_account observe(struct perf_event *event)
{
	u64 unused;

	return observe_for(event, &unused);
}

/* ---- clocks -------------------------------------------------------------- */

static void armed_while_resident(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR(0), 4, STORE);
	struct gpubp_account acc;
	u64 least;

	mock_settle(c->m);
	acc = observe_for(event, &least);
	KUNIT_EXPECT_GE(test, acc.resident, least);
	KUNIT_EXPECT_EQ(test, acc.armed, acc.resident);
}

static void stands_still_while_evicted(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR(0), 4, STORE);
	struct gpubp_account acc;

	mock_settle(c->m);
	gpubp_ctx_evicted(c->ctx);
	acc = observe(event);
	KUNIT_EXPECT_EQ(test, acc.resident, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, 0);
	gpubp_ctx_resident(c->ctx, c->vmid);
	gpubp_ctx_resident(c->ctx, c->vmid);	/* reported twice */
	KUNIT_EXPECT_GT(test, observe(event).armed, 0);
	gpubp_ctx_evicted(c->ctx);
	KUNIT_EXPECT_EQ(test, observe(event).resident, 0);
}

static void a_vmid_taken_by_another_context(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *c = mock_ctx(test);
	struct mock_ctx *other = mock_ctx_of(test, task_pid(thread));
	struct perf_event *event = mock_open(test, ADDR(0), 4, STORE);

	mock_settle(c->m);
	gpubp_ctx_resident(other->ctx, c->vmid);
	KUNIT_EXPECT_EQ(test, observe(event).resident, 0);
}

/* its waves run without traps; the caller resets c->m->pending */
static struct perf_event *open_pending(struct kunit *test, struct mock_ctx *c)
{
	struct perf_event *event;

	c->m->pending = BIT(0);
	event = mock_open(test, ADDR(0), 4, STORE);
	mock_settle(c->m);
	return event;
}

static void pending_is_not_armed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_pending(test, c);
	struct gpubp_account acc;

	acc = observe(event);
	KUNIT_EXPECT_GT(test, acc.resident, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, 0);
	gpubp_ctx_settled(c->ctx, c->m->seq);
	acc = observe(event);
	KUNIT_EXPECT_GT(test, acc.armed, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, acc.resident);
	c->m->pending = 0;
}

static void a_failed_slot_is_not_armed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_account acc;
	struct perf_event *event;

	c->m->failing = GENMASK(MOCK_SLOTS - 1, 0);
	event = mock_open(test, ADDR(0), 4, STORE);
	mock_settle(c->m);
	acc = observe(event);
	KUNIT_EXPECT_GT(test, acc.resident, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, 0);
	c->m->failing = 0;
}

static void no_handler_is_not_armed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_account acc;
	struct perf_event *event;

	c->code_err = -ENOMEM;
	event = mock_open(test, ADDR(0), 4, STORE);
	mock_settle(c->m);
	acc = observe(event);
	KUNIT_EXPECT_GT(test, acc.resident, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, 0);
}

static void a_fenced_context_is_not_armed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_account acc;
	struct perf_event *event;

	c->ctx->fenced = true;
	event = mock_open(test, ADDR(0), 4, STORE);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, c->m->dev->sched->policy.fairq.nr, 0u);
	acc = observe(event);
	KUNIT_EXPECT_GT(test, acc.resident, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, 0);
}

static void a_suspended_device_is_not_armed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR(0), 4, STORE);

	mock_settle(c->m);
	gpubp_device_suspend(c->m->dev);
	KUNIT_EXPECT_EQ(test, observe(event).armed, 0);
	mock_resume(c->m);
	mock_settle(c->m);
	KUNIT_EXPECT_GT(test, observe(event).armed, 0);
}

/* from the reset on, not only from the commit that repairs it */
static void a_reset_device_is_not_armed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR(0), 4, STORE);
	struct gpubp_account acc;

	c->m->loose = true;
	mock_settle(c->m);
	KUNIT_EXPECT_GT(test, observe(event).armed, 0);
	/* blocks the commit */
	mutex_lock(&c->m->lock);
	gpubp_device_reset(c->m->dev);
	acc = observe(event);
	mutex_unlock(&c->m->lock);
	KUNIT_EXPECT_GT(test, acc.resident, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, 0);
	mock_settle(c->m);
	KUNIT_EXPECT_GT(test, observe(event).armed, 0);
}

struct hidden_residency {
	const char *name;
	enum gpubp_residency how;
};

static const struct hidden_residency hidden[] = {
	{ "reserved", GPUBP_RESIDENCY_RESERVED },
	{ "firmware", GPUBP_RESIDENCY_FIRMWARE },
};
KUNIT_ARRAY_PARAM_DESC(hidden, hidden, name);

static void resident_means_has_queues(struct kunit *test)
{
	const struct hidden_residency *residency = test->param_value;
	struct gpubp_caps caps = mock_caps;
	struct perf_event *event;
	struct mock_ctx *c;

	caps.residency = residency->how;
	mock_replace(test, &caps);
	c = mock_ctx(test);
	event = mock_open(test, ADDR(0), 4, STORE);
	mock_settle(c->m);
	gpubp_ctx_evicted(c->ctx);
	KUNIT_EXPECT_GT(test, observe(event).armed, 0);
	gpubp_queue_destroy(c->queue);
	c->queue = NULL;
	KUNIT_EXPECT_EQ(test, observe(event).resident, 0);
}

/* armed until the end; time without a binding is not counted */
static void unbound_all_armed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR(0), 4, STORE);
	struct gpubp_account acc;
	int i;

	for (i = 0; i < 5; i++) {
		perf_event_enable(event);
		mock_settle(c->m);
		perf_event_disable(event);
		mock_settle(c->m);
	}
	acc = account_of(event);
	KUNIT_EXPECT_GT(test, acc.armed, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, acc.resident);
}

/* unbinding an event keeps its accumulated time */
static void a_context_that_goes_leaves_its_time(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR(0), 4, STORE);
	struct gpubp_account acc;

	mock_settle(c->m);
	observe(event);
	acc = account_of(event);
	mock_ctx_destroy(c);
	KUNIT_EXPECT_GE(test, account_of(event).resident, acc.resident);
	KUNIT_EXPECT_GE(test, account_of(event).armed, acc.armed);
	KUNIT_EXPECT_EQ(test, observe(event).resident, 0);
}

/* ---- before the first commit --------------------------------------------- */

static void await_binding(struct perf_event *event)
{
	struct gpubp_event *gev = event->pmu_private;

	while (!READ_ONCE(gev->event_time.bound))
		msleep(1);
}

/* its watch is bound, and not armed before commits_go_on() */
static struct perf_event *open_before_the_commit(struct kunit *test,
						 struct mock_ctx *c)
{
	struct perf_event *event;

	mutex_lock(&c->m->lock);
	event = mock_open(test, ADDR(0), 4, STORE);
	await_binding(event);
	return event;
}

static void commits_go_on(struct mock_ctx *c)
{
	mutex_unlock(&c->m->lock);
	mock_settle(c->m);
}

static void a_dispatch_that_did_not_wait_for_it(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_account acc;
	struct perf_event *event;
	u64 least;

	mock_settle(c->m);
	gpubp_ctx_dispatch_begins(c->ctx);
	event = open_before_the_commit(test, c);
	acc = observe_for(event, &least);
	KUNIT_EXPECT_GE(test, acc.resident, least);
	KUNIT_EXPECT_EQ(test, acc.armed, 0);
	gpubp_ctx_dispatch_ended(c->ctx);
	KUNIT_EXPECT_EQ_MSG(test, observe(event).resident, 0,
			    "whatever is dispatched waits");
	commits_go_on(c);
	acc = observe(event);
	KUNIT_EXPECT_GT(test, acc.armed, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, acc.resident);
	acc = account_of(event);
	KUNIT_EXPECT_LT(test, acc.armed, acc.resident);
	KUNIT_EXPECT_GE(test, acc.unseen, least);
	KUNIT_EXPECT_EQ(test, acc.resident - acc.armed, acc.unseen);
}

static void a_dispatch_that_waits_for_it(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_account acc;
	struct perf_event *event;

	mock_settle(c->m);
	gpubp_ctx_dispatch_begins(c->ctx);
	gpubp_ctx_dispatch_ended(c->ctx);
	event = open_before_the_commit(test, c);
	acc = observe(event);
	KUNIT_EXPECT_EQ(test, acc.resident, 0);
	commits_go_on(c);
	gpubp_ctx_dispatch_begins(c->ctx);
	observe(event);
	gpubp_ctx_dispatch_ended(c->ctx);
	acc = account_of(event);
	KUNIT_EXPECT_GT(test, acc.armed, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, acc.resident);
	KUNIT_EXPECT_EQ(test, acc.unseen, 0);
}

/* not resident: it has a dispatch, and no wave */
static void a_dispatch_that_is_not_on_the_gpu(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;

	mock_settle(c->m);
	gpubp_ctx_evicted(c->ctx);
	gpubp_ctx_dispatch_begins(c->ctx);
	event = open_before_the_commit(test, c);
	KUNIT_EXPECT_EQ(test, observe(event).resident, 0);
	gpubp_ctx_resident(c->ctx, c->vmid);
	KUNIT_EXPECT_GT(test, observe(event).resident, 0);
	KUNIT_EXPECT_EQ(test, account_of(event).armed, 0);
	commits_go_on(c);
	gpubp_ctx_dispatch_ended(c->ctx);
}

/* what a context time has when it begins */
static void expect_unseen(struct kunit *test, struct mock_ctx *c,
			  const struct gpubp_unseen *unseen, u64 least, u64 most)
{
	struct gpubp_event *gev = kunit_kzalloc(test, sizeof(*gev), GFP_KERNEL);
	struct gpubp_ctx_time ctx_time = {};
	struct gpubp_account acc;

	KUNIT_ASSERT_NOT_NULL(test, gev);
	gpubp_event_time_init(&gev->event_time);
	gpubp_ctx_time_join(&gev->event_time, &ctx_time, c->ctx);
	gpubp_ctx_time_begin(&ctx_time, unseen, 1, 0);
	gpubp_ctx_time_arm(&ctx_time, 1);
	gpubp_ctx_time_leave(&gev->event_time, &ctx_time);
	gpubp_event_time_read(gev, &acc);
	KUNIT_EXPECT_EQ(test, acc.resident - acc.armed, acc.unseen);
	KUNIT_EXPECT_GE(test, acc.unseen, least);
	KUNIT_EXPECT_LE(test, acc.unseen, most);
}

#define EXPECT_UNSEEN(least, most, ...) \
	expect_unseen(test, c, &(struct gpubp_unseen) { __VA_ARGS__ }, least, most)

static void a_dispatch_that_ended_before_it_was_bound(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u64 before, from, to, now;

	mock_settle(c->m);
	before = ktime_get_ns();
	EXPECT_UNSEEN(0, 0, .since = before, .maybe = before);
	msleep(1);
	from = ktime_get_ns();
	gpubp_ctx_dispatch_begins(c->ctx);
	msleep(WHILE);
	gpubp_ctx_dispatch_ended(c->ctx);
	to = ktime_get_ns();
	msleep(1);
	now = ktime_get_ns();
	EXPECT_UNSEEN(WHILE * NSEC_PER_MSEC, to - from, .since = before, .maybe = before);
	EXPECT_UNSEEN(1, to - from - NSEC_PER_MSEC, .since = from + NSEC_PER_MSEC,
		      .maybe = before);
	/* it may have been enabled in time */
	EXPECT_UNSEEN(1, 1, .since = now, .maybe = from);
	EXPECT_UNSEEN(0, 0, .since = now, .maybe = now);
	EXPECT_UNSEEN(0, 0, .since = before, .maybe = before, .held = true);
	KUNIT_EXPECT_TRUE(test, gpubp_clocks_loose_since(from));
}

/* its dispatches do not wait */
static struct mock_ctx *hasty_ctx(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;

	caps.residency = GPUBP_RESIDENCY_FIRMWARE;
	caps.dispatch_waits = false;
	mock_replace(test, &caps);
	return mock_ctx(test);
}

static void a_context_that_does_not_wait(struct kunit *test)
{
	struct mock_ctx *c = hasty_ctx(test);
	struct gpubp_account acc;
	struct perf_event *event;

	event = open_before_the_commit(test, c);
	acc = observe(event);
	KUNIT_EXPECT_GT(test, acc.resident, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, 0);
	commits_go_on(c);
	acc = observe(event);
	KUNIT_EXPECT_GT(test, acc.armed, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, acc.resident);
}

static struct gpubp_queue *held_queue(struct kunit *test, struct mock_ctx *c, u32 id)
{
	struct gpubp_queue_desc desc = {
		.creator = task_pid(current), .id = id, .doorbell = 0x80 + id,
		.held = true,
	};
	struct gpubp_queue *queue = gpubp_queue_create(c->ctx, &desc);

	KUNIT_ASSERT_FALSE(test, IS_ERR(queue));
	return queue;
}

/* may the test's queues execute what an event wants since then, and does not have */
static void expect_use(struct kunit *test, u64 since, bool use)
{
	guard(rcu)();
	KUNIT_EXPECT_EQ(test, gpubp_owner_uses_ctx(task_pid(current), since), use);
}

/* the first queue of a program that was started to be watched */
static void a_queue_that_is_held(struct kunit *test)
{
	struct mock_ctx *c = hasty_ctx(test);
	struct gpubp_account acc;
	u64 since;
	struct perf_event *event;

	gpubp_queue_destroy(c->queue);
	mock_settle(c->m);
	event = mock_open(test, ADDR(0), 4, STORE);
	/* as if it had waves: it has none */
	c->m->pending = BIT(0);
	since = ktime_get_ns();
	c->queue = held_queue(test, c, 1);
	expect_use(test, since, false);
	await_binding(event);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, observe(event).resident, 0);
	gpubp_ctx_settled(c->ctx, c->m->seq);
	c->m->pending = 0;
	expect_use(test, since, false);
	/* an event that was opened later need not be the reason, but nothing executes yet */
	since = ktime_get_ns();
	expect_use(test, since, false);
	KUNIT_EXPECT_EQ(test, gpubp_queue_wait_armed(c->queue), 0);
	expect_use(test, since, true);
	KUNIT_EXPECT_GT(test, observe(event).armed, 0);
	acc = account_of(event);
	KUNIT_EXPECT_EQ(test, acc.unseen, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, acc.resident);
	KUNIT_EXPECT_EQ(test, c->ctx->clock.holds, 0u);
}

/* the wait ends in time, whatever the commit waits for: what is missing from then on is */
static void a_wait_that_ends_before_the_commit(struct kunit *test)
{
	struct mock_ctx *c = hasty_ctx(test);
	struct gpubp_account acc;
	struct gpubp_queue *next;
	struct perf_event *event;
	u64 least;

	gpubp_queue_destroy(c->queue);
	event = mock_open(test, ADDR(0), 4, STORE);
	mock_param(test, "queue_wait_ms", WHILE);
	mutex_lock(&c->m->lock);
	c->queue = held_queue(test, c, 1);
	await_binding(event);
	KUNIT_EXPECT_EQ(test, observe(event).resident, 0);
	KUNIT_EXPECT_EQ(test, gpubp_queue_wait_armed(c->queue), -ETIMEDOUT);
	acc = observe_for(event, &least);
	KUNIT_EXPECT_GE(test, acc.resident, least);
	KUNIT_EXPECT_EQ(test, account_of(event).armed, 0);
	/* that another one is held changes nothing for the first */
	next = held_queue(test, c, 2);
	acc = observe_for(event, &least);
	KUNIT_EXPECT_GE(test, acc.resident, least);
	KUNIT_EXPECT_FALSE(test, gpubp_clock_holds_back(c->ctx));
	commits_go_on(c);
	mock_param(test, "queue_wait_ms", 60000);
	KUNIT_EXPECT_EQ(test, gpubp_queue_wait_armed(next), 0);
	KUNIT_EXPECT_FALSE(test, c->ctx->clock.overdue);
	acc = observe(event);
	KUNIT_EXPECT_EQ(test, acc.armed, acc.resident);
	KUNIT_EXPECT_LT(test, account_of(event).armed, account_of(event).resident);
	gpubp_queue_destroy(next);
}

/* by another thread than the one that waits */
static void a_queue_that_is_destroyed_while_it_is_held(struct kunit *test)
{
	struct mock_ctx *c = hasty_ctx(test);
	struct gpubp_queue *queue;
	struct gpubp_account acc;
	struct perf_event *event;

	event = open_before_the_commit(test, c);
	queue = held_queue(test, c, 1);
	gpubp_queue_destroy(queue);
	KUNIT_EXPECT_EQ(test, c->ctx->clock.holds, 0u);
	acc = observe(event);
	KUNIT_EXPECT_GT_MSG(test, acc.resident, 0, "the other queue executes");
	KUNIT_EXPECT_EQ(test, acc.armed, 0);
	commits_go_on(c);
	KUNIT_EXPECT_EQ(test, gpubp_queue_wait_armed(queue), 0);
	acc = observe(event);
	KUNIT_EXPECT_GT(test, acc.armed, 0);
	KUNIT_EXPECT_EQ(test, acc.armed, acc.resident);
}

/* ---- stopped waves ------------------------------------------------------- */

static void two_waves_are_stopped(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR(0), 4, STORE);
	struct gpubp_stopped_time *st = &c->ctx->stopped_time;
	u64 since[2];
	struct gpubp_account acc;
	int i;

	mock_settle(c->m);
	for (i = 0; i < 2; i++)
		since[i] = gpubp_stopped_time_begin(st, ktime_get_ns());
	acc = observe(event);
	KUNIT_EXPECT_EQ(test, acc.stopped, 2 * acc.resident);
	KUNIT_EXPECT_EQ(test, acc.stopped_armed, 2 * acc.armed);
	gpubp_stopped_time_end(st, since[0]);
	acc = observe(event);
	KUNIT_EXPECT_EQ(test, acc.stopped, acc.resident);
	gpubp_stopped_time_end(st, since[1]);
	acc = observe(event);
	KUNIT_EXPECT_GT(test, acc.resident, 0);
	KUNIT_EXPECT_EQ(test, acc.stopped, 0);
	KUNIT_EXPECT_EQ(test, acc.stopped_armed, 0);
}

/* a time in which no watch could be armed is charged to no watch */
static void stopped_while_not_armed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_pending(test, c);
	struct gpubp_account acc;
	u64 since;

	since = gpubp_stopped_time_begin(&c->ctx->stopped_time, ktime_get_ns());
	acc = observe(event);
	KUNIT_EXPECT_EQ(test, acc.stopped, acc.resident);
	KUNIT_EXPECT_EQ(test, acc.stopped_armed, 0);
	gpubp_ctx_evicted(c->ctx);
	KUNIT_EXPECT_EQ(test, observe(event).stopped, 0);
	gpubp_stopped_time_end(&c->ctx->stopped_time, since);
	gpubp_ctx_resident(c->ctx, c->vmid);
	KUNIT_EXPECT_EQ(test, observe(event).stopped, 0);
	c->m->pending = 0;
}

/*
 * reported late: counts from @since, but a @since in the future counts nothing
 */
static void stopped_since_another_time(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR(0), 4, STORE);
	struct gpubp_stopped_time *st = &c->ctx->stopped_time;
	struct gpubp_account before, acc;
	u64 since;

	mock_settle(c->m);
	before = account_of(event);
	since = gpubp_stopped_time_begin(st, ktime_get_ns() - NSEC_PER_SEC);
	acc = account_of(event);
	KUNIT_EXPECT_GE(test, acc.stopped - before.stopped, NSEC_PER_SEC);
	gpubp_stopped_time_end(st, since);

	before = account_of(event);
	since = gpubp_stopped_time_begin(st, ktime_get_ns() + NSEC_PER_SEC);
	acc = account_of(event);
	gpubp_stopped_time_end(st, since);
	KUNIT_EXPECT_LE(test, acc.stopped - before.stopped,
			acc.resident - before.resident);
}

static void no_wave_is_stopped(struct mock *m)
{
	if (m->ctxs[0].ctx->stopped_time.nr)
		mock_complain(m, "a wave resumes while it counts as stopped");
}

/* from the report until just before the wave resumes and may stop again */
static void a_hit_stops_a_wave(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR(0), 4, STORE);
	struct gpubp_account acc;

	mock_settle(c->m);
	c->m->in_hit_done = no_wave_is_stopped;
	KUNIT_ASSERT_EQ(test, (int)mock_store(c, ADDR(0)), (int)GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, c->ctx->stopped_time.nr, 0u);
	acc = account_of(event);
	KUNIT_EXPECT_GT(test, acc.stopped, 0);
	KUNIT_EXPECT_EQ(test, acc.stopped_armed, acc.stopped);
	KUNIT_EXPECT_EQ(test, observe(event).stopped, 0);
}

/* ---- rotation ------------------------------------------------------------ */

/* ---- time per context ---------------------------------------------------- */

/* 250 of 1000 armed is a quarter, but for the rounding of each read */
static void expect_a_quarter(struct kunit *test, struct gpubp_event *gev,
			     const struct gpubp_account *before)
{
	struct gpubp_account now;

	gpubp_event_time_read(gev, &now);
	KUNIT_EXPECT_GT(test, now.resident, before->resident);
	KUNIT_EXPECT_LE(test, abs((s64)((now.armed - before->armed) * 4 -
					(now.resident - before->resident))), 8);
}

static void a_seat_of_many(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_event *gev = kunit_kzalloc(test, sizeof(*gev), GFP_KERNEL);
	struct gpubp_account acc;
	struct gpubp_ctx_time ctx_time = {};
	int i;

	KUNIT_ASSERT_NOT_NULL(test, gev);
	gpubp_event_time_init(&gev->event_time);
	gpubp_ctx_time_join(&gev->event_time, &ctx_time, c->ctx);
	gpubp_ctx_time_resize(&ctx_time, 1000, 0);
	msleep(1);
	gpubp_event_time_read(gev, &acc);
	KUNIT_EXPECT_EQ_MSG(test, acc.resident, 0,
			    "accounted before it was armed");
	for (i = 0; i < 10; i++)
		gpubp_ctx_time_arm(&ctx_time, 25);
	gpubp_event_time_read(gev, &acc);
	for (i = 0; i < 50; i++) {
		fsleep(100);
		expect_a_quarter(test, gev, &acc);
	}
	/* as if it were not read for years */
	c->ctx->clock.ticks.resident += BIT_ULL(60);
	c->ctx->clock.ticks.ready += BIT_ULL(60);
	expect_a_quarter(test, gev, &acc);
	gpubp_event_time_read(gev, &acc);
	gpubp_ctx_time_leave(&gev->event_time, &ctx_time);
	KUNIT_EXPECT_GE(test, gev->event_time.past.resident, acc.resident);
}

/* no event exists, so that no commit begins a quantum in between */
static void begin_quantum(struct mock_ctx *c, u64 nr)
{
	mock_settle(c->m);
	gpubp_clocks_quantum(c->m->dev, nr);
}

static void a_seat_counts_quanta(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_event *gev = kunit_kzalloc(test, sizeof(*gev), GFP_KERNEL);
	struct gpubp_service service;
	struct gpubp_ctx_time ctx_time = {};

	KUNIT_ASSERT_NOT_NULL(test, gev);
	gpubp_event_time_init(&gev->event_time);
	begin_quantum(c, 10);
	gpubp_ctx_time_join(&gev->event_time, &ctx_time, c->ctx);
	gpubp_ctx_time_resize(&ctx_time, 3, 0);
	begin_quantum(c, 11);
	gpubp_ctx_time_arm(&ctx_time, 2);
	gpubp_event_service(gev, &service);
	KUNIT_EXPECT_EQ_MSG(test, service.wanted, 0,
			    "the first quantum is still running");
	begin_quantum(c, 14);
	gpubp_ctx_time_arm(&ctx_time, -1);
	begin_quantum(c, 15);
	gpubp_event_service(gev, &service);
	KUNIT_EXPECT_EQ(test, service.wanted, 4 * 3);
	KUNIT_EXPECT_EQ(test, service.armed, 3 * 2 + 1);
	gpubp_ctx_time_leave(&gev->event_time, &ctx_time);
	begin_quantum(c, 20);
	gpubp_event_service(gev, &service);
	KUNIT_EXPECT_EQ(test, service.wanted, 4 * 3);
}

static void a_seat_did_not_wait_before_it_was_taken(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_event *gev = kunit_kzalloc(test, sizeof(*gev), GFP_KERNEL);
	const struct gpubp_gap long_ago = { .quanta = 100, .ns = U64_MAX };
	const struct gpubp_gap lately = { .quanta = 3, .ns = 1 };
	struct gpubp_service service;
	struct gpubp_ctx_time ctx_time = {};
	u64 from = ktime_get_ns(), joined;

	KUNIT_ASSERT_NOT_NULL(test, gev);
	gpubp_event_time_init(&gev->event_time);
	begin_quantum(c, 10);
	gpubp_ctx_time_join(&gev->event_time, &ctx_time, c->ctx);
	gpubp_ctx_time_add_gap(&ctx_time, &long_ago);
	gpubp_event_service(gev, &service);
	KUNIT_EXPECT_EQ(test, service.gap.quanta, 0);
	begin_quantum(c, 15);
	/* a coarse clock has to move for a gap of 1 ns to be possible */
	joined = ktime_get_ns();
	while (ktime_get_ns() == joined)
		cpu_relax();
	gpubp_ctx_time_add_gap(&ctx_time, &lately);
	gpubp_event_service(gev, &service);
	KUNIT_EXPECT_EQ(test, service.gap.quanta, 3);
	KUNIT_EXPECT_EQ(test, service.gap.ns, 1);
	gpubp_ctx_time_add_gap(&ctx_time, &long_ago);
	gpubp_event_service(gev, &service);
	KUNIT_EXPECT_EQ(test, service.gap.quanta, 4);
	KUNIT_EXPECT_LE(test, service.gap.ns, ktime_get_ns() - from);
	gpubp_ctx_time_leave(&gev->event_time, &ctx_time);
}

static struct gpubp_service turns_of(struct perf_event *event)
{
	struct gpubp_service service;

	gpubp_event_service(event->pmu_private, &service);
	return service;
}

static void who_has_a_slot_waits_no_more(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR(0), 4, STORE);
	struct gpubp_service then, now;
	int i;

	mock_settle(c->m);
	then = turns_of(event);
	for (i = 1; i < 4; i++) {
		mock_open(test, ADDR(i), 4, STORE);
		mock_settle(c->m);
	}
	now = turns_of(event);
	KUNIT_EXPECT_GT(test, now.wanted, then.wanted);
	KUNIT_EXPECT_EQ(test, now.armed - then.armed, now.wanted - then.wanted);
	KUNIT_EXPECT_EQ(test, now.gap.quanta, then.gap.quanta);
}

static void unserved_is_not_armed(struct kunit *test)
{
	struct gpubp_event *gev = kunit_kzalloc(test, sizeof(*gev), GFP_KERNEL);
	struct gpubp_account acc, then;

	KUNIT_ASSERT_NOT_NULL(test, gev);
	gpubp_event_time_init(&gev->event_time);
	gpubp_event_time_unserved(&gev->event_time, 2);
	msleep(2);
	gpubp_event_time_unserved(&gev->event_time, 0);
	gpubp_event_time_read(gev, &acc);
	KUNIT_EXPECT_GE(test, acc.resident, NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, acc.armed, 0);
	msleep(2);
	gpubp_event_time_read(gev, &then);
	KUNIT_EXPECT_EQ(test, then.resident, acc.resident);
}

static struct kunit_case event_time_test_cases[] = {
	KUNIT_CASE(armed_while_resident),
	KUNIT_CASE(stands_still_while_evicted),
	KUNIT_CASE(a_vmid_taken_by_another_context),
	KUNIT_CASE(pending_is_not_armed),
	KUNIT_CASE(a_failed_slot_is_not_armed),
	KUNIT_CASE(no_handler_is_not_armed),
	KUNIT_CASE(a_fenced_context_is_not_armed),
	KUNIT_CASE(a_suspended_device_is_not_armed),
	KUNIT_CASE(a_reset_device_is_not_armed),
	KUNIT_CASE_PARAM(resident_means_has_queues, hidden_gen_params),
	KUNIT_CASE(unbound_all_armed),
	KUNIT_CASE(a_context_that_goes_leaves_its_time),
	KUNIT_CASE(a_dispatch_that_did_not_wait_for_it),
	KUNIT_CASE(a_dispatch_that_waits_for_it),
	KUNIT_CASE(a_dispatch_that_is_not_on_the_gpu),
	KUNIT_CASE(a_dispatch_that_ended_before_it_was_bound),
	KUNIT_CASE(a_context_that_does_not_wait),
	KUNIT_CASE(a_queue_that_is_held),
	KUNIT_CASE(a_wait_that_ends_before_the_commit),
	KUNIT_CASE(a_queue_that_is_destroyed_while_it_is_held),
	KUNIT_CASE(two_waves_are_stopped),
	KUNIT_CASE(stopped_while_not_armed),
	KUNIT_CASE(stopped_since_another_time),
	KUNIT_CASE(a_hit_stops_a_wave),
	KUNIT_CASE(who_has_a_slot_waits_no_more),
	KUNIT_CASE(a_seat_of_many),
	KUNIT_CASE(a_seat_counts_quanta),
	KUNIT_CASE(a_seat_did_not_wait_before_it_was_taken),
	KUNIT_CASE(unserved_is_not_armed),
	{}
};

static struct kunit_suite event_time_test_suite = {
	.name = "gpubp_event_time",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = event_time_test_cases,
};
kunit_test_suite(event_time_test_suite);
