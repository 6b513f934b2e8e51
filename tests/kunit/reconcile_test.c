// SPDX-License-Identifier: GPL-2.0
/*
 * Reconcile: bindings follow changes, and what others have is not looked at.
 */
#include <linux/err.h>

#include "core/ctx_owner.h"
#include "event/event.h"
#include "event/reconcile.h"
#include "event/revisit.h"
#include "mock.h"
#include "pmu_event.h"

#define ADDR	(MOCK_VA + 0x1000)
#define STORE	GPUBP_ACCESS_STORE
#define HANDLER_NS	4000	/* of a device that does not say */
#define MANY	300	/* more than are bound to a context at a time */

static bool armed(struct mock_ctx *c, u64 addr)
{
	mock_settle(c->m);
	return mock_slots(c, addr);
}

static struct gpubp_event *open_on(struct kunit *test,
				   struct task_struct *thread)
{
	struct perf_event_attr attr = mock_attr(ADDR, 4, STORE);
	struct perf_event *event = mock_open_attr(test, &attr, thread, NULL,
						  NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	return event->pmu_private;
}

static bool is_revisited(const struct gpubp_event *gev)
{
	guard(mutex)(&gpubp_events_lock);
	return !list_empty(&gev->revisit_node);
}

static void reconcile(void)
{
	while (!gpubp_events_reconcile())
		;
}

/* ---- what is looked at --------------------------------------------------- */

static void a_task_without_a_queue_costs_nothing(struct kunit *test)
{
	struct mock_ctx *mine = mock_ctx(test);
	struct gpubp_event *theirs = open_on(test, mock_thread(test));
	struct gpubp_event *gev = open_on(test, current);

	reconcile();
	KUNIT_EXPECT_FALSE(test, is_revisited(theirs));
	KUNIT_EXPECT_TRUE(test, is_revisited(gev));
	KUNIT_EXPECT_FALSE(test, list_empty(&gev->bindings));
	KUNIT_EXPECT_TRUE(test, armed(mine, ADDR));
}

static void a_task_that_creates_a_queue_is(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct gpubp_event *gev = open_on(test, thread);
	struct mock_ctx *theirs;

	reconcile();
	theirs = mock_ctx_of(test, task_pid(thread));
	reconcile();
	KUNIT_EXPECT_TRUE(test, is_revisited(gev));
	KUNIT_EXPECT_TRUE(test, armed(theirs, ADDR));
	mock_ctx_destroy(theirs);
	KUNIT_EXPECT_TRUE(test, list_empty(&gev->bindings));
	reconcile();
	KUNIT_EXPECT_FALSE(test, is_revisited(gev));
}

static void a_disabled_event_is_found_once_enabled(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(ADDR, 4, STORE);
	struct task_struct *thread = mock_thread(test);
	struct perf_event *event;
	struct gpubp_event *gev;

	mock_ctx_of(test, task_pid(thread));
	attr.disabled = 1;
	event = mock_open_attr(test, &attr, thread, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	gev = event->pmu_private;
	reconcile();
	KUNIT_EXPECT_TRUE(test, list_empty(&gev->bindings));
	KUNIT_EXPECT_TRUE(test, is_revisited(gev));
	perf_event_enable(event);
	reconcile();
	KUNIT_EXPECT_FALSE(test, list_empty(&gev->bindings));
	perf_event_disable(event);
	reconcile();
	KUNIT_EXPECT_TRUE(test, list_empty(&gev->bindings));
}

/* that of the devices that it was ever bound on, for what hits have cost */
static void the_time_of_a_hit_is_known_once_bound(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct gpubp_event *gev = open_on(test, thread);
	struct mock_ctx *theirs;

	reconcile();
	KUNIT_EXPECT_EQ(test, gev->handler_ns, 0);
	theirs = mock_ctx_of(test, task_pid(thread));
	reconcile();
	KUNIT_EXPECT_EQ(test, gev->handler_ns, HANDLER_NS);
	mock_ctx_destroy(theirs);
	KUNIT_EXPECT_EQ(test, gev->handler_ns, HANDLER_NS);
}

static void the_last_queue_of_a_task_goes(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct gpubp_event *gev = open_on(test, thread);
	struct mock_ctx *mine = mock_ctx(test);
	struct gpubp_queue *queue[2];
	int i;

	for (i = 0; i < 2; i++) {
		queue[i] = mock_queue(mine->ctx, task_pid(thread), 8 + i,
				      0x900 + i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(queue[i]));
	}
	KUNIT_EXPECT_TRUE(test, armed(mine, ADDR));
	gpubp_queue_destroy(queue[0]);
	KUNIT_EXPECT_TRUE(test, armed(mine, ADDR));
	gpubp_queue_destroy(queue[1]);
	KUNIT_EXPECT_FALSE(test, armed(mine, ADDR));
	KUNIT_EXPECT_TRUE(test, list_empty(&gev->bindings));
}

/* ---- many events of one context ------------------------------------------ */

static void open_many(struct kunit *test, struct perf_event **event, int nr)
{
	struct perf_event_attr attr = mock_attr(ADDR, 4, STORE);

	attr.type = pmu_event_type(test);
	for (; nr; nr--, event++)
		*event = perf_event_create_kernel_counter(&attr, -1, current,
							  NULL, NULL);
}

static void close_many(struct perf_event **event, int nr)
{
	for (; nr; nr--, event++)
		if (!IS_ERR(*event))
			perf_event_release_kernel(*event);
}

static int nr_bound(struct perf_event **event, int nr)
{
	struct gpubp_event *gev;
	int bound = 0;

	for (; nr; nr--, event++) {
		gev = (*event)->pmu_private;
		bound += !list_empty(&gev->bindings);
	}
	return bound;
}

static void a_context_for_many_events(struct kunit *test)
{
	struct perf_event **event = kunit_kcalloc(test, MANY, sizeof(*event),
						  GFP_KERNEL);
	struct mock_ctx *c;

	KUNIT_ASSERT_NOT_NULL(test, event);
	open_many(test, event, MANY);
	c = mock_ctx(test);
	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	KUNIT_EXPECT_EQ(test, nr_bound(event, MANY), MANY);
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 1u);
	close_many(event, MANY);
	KUNIT_EXPECT_FALSE(test, armed(c, ADDR));
}

/* ---- turns --------------------------------------------------------------- */

static void release_user(void *user)
{
	gpubp_user_put(user);
}

static struct gpubp_user *user_of(struct kunit *test, u32 uid)
{
	struct gpubp_user *user = gpubp_user_lookup(KUIDT_INIT(uid), false);

	KUNIT_ASSERT_NOT_NULL(test, user);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, release_user, user),
			0);
	return user;
}

static struct gpubp_event *events_of(struct kunit *test,
				     struct gpubp_user *user, int nr)
{
	struct gpubp_event *gev = kunit_kcalloc(test, nr, sizeof(*gev),
						GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, gev);
	for (i = 0; i < nr; i++) {
		gev[i].user = user;
		INIT_LIST_HEAD(&gev[i].revisit_node);
		gpubp_revisit_event(&gev[i]);
	}
	return gev;
}

/* the second event is the other user's, whatever the first one has */
static void users_take_turns(struct kunit *test)
{
	struct gpubp_user *one = user_of(test, 40001);
	struct gpubp_user *other = user_of(test, 40002);
	struct gpubp_event *many, *single, *gev;
	int i, tick, found;

	guard(mutex)(&gpubp_events_lock);
	many = events_of(test, one, 100);
	single = events_of(test, other, 1);
	for (tick = 0; tick < 10; tick++) {
		gpubp_revisit_tick();
		for (i = found = 0; i < 2; i++)
			found += gpubp_revisit_next_event() == single;
		KUNIT_EXPECT_EQ(test, found, 1);
	}
	gpubp_revisit_tick();
	for (i = found = 0; (gev = gpubp_revisit_next_event()); i++)
		found += gev == single;
	KUNIT_EXPECT_EQ(test, i, 101);
	KUNIT_EXPECT_EQ(test, found, 1);
	gpubp_revisit_event_end(single);
	for (i = 0; i < 100; i++)
		gpubp_revisit_event_end(&many[i]);
}

static struct kunit_case reconcile_test_cases[] = {
	KUNIT_CASE(a_task_without_a_queue_costs_nothing),
	KUNIT_CASE(a_task_that_creates_a_queue_is),
	KUNIT_CASE(a_disabled_event_is_found_once_enabled),
	KUNIT_CASE(the_time_of_a_hit_is_known_once_bound),
	KUNIT_CASE(the_last_queue_of_a_task_goes),
	KUNIT_CASE(a_context_for_many_events),
	KUNIT_CASE(users_take_turns),
	{}
};

static struct kunit_suite reconcile_test_suite = {
	.name = "gpubp_reconcile",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = reconcile_test_cases,
};
kunit_test_suite(reconcile_test_suite);
