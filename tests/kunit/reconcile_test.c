// SPDX-License-Identifier: GPL-2.0
/*
 * Reconcile: bindings follow changes, and what others have is not looked at.
 */
#include <kunit/static_stub.h>
#include <linux/err.h>

#include "compat/target.h"
#include "core/ctx_owner.h"
#include "event/bind.h"
#include "event/event.h"
#include "event/job.h"
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

/* not by all queues of others, under a lock of all users */
static void who_created_a_queue_is_known_at_once(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct gpubp_queue *queue[3];
	struct mock_ctx *mine = mock_ctx(test);
	unsigned int i, cost = 0;
	u64 ran_at;

	for (i = 0; i < ARRAY_SIZE(queue); i++) {
		queue[i] = mock_queue(mine->ctx, task_pid(i ? thread : current),
				      8 + i, 0x900 + i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(queue[i]));
	}
	for (i = 0; i < ARRAY_SIZE(queue); i++) {
		KUNIT_EXPECT_FALSE(test,
				   gpubp_ctx_is_inherited(mine->ctx,
							  task_pid(thread),
							  &ran_at, &cost));
		/* it has no queue any more: others are looked at */
		KUNIT_EXPECT_EQ(test, cost, i < 2 ? 0 : 2);
		gpubp_queue_destroy(queue[2 - i]);
	}
}

/* ---- many events of one context ------------------------------------------ */

/* of a task that sleeps: for one that runs, perf schedules all of them for each new one */
static void open_many(struct kunit *test, struct task_struct *task,
		      struct perf_event **event, int nr)
{
	struct perf_event_attr attr = mock_attr(ADDR, 4, STORE);

	attr.type = pmu_event_type(test);
	for (; nr; nr--, event++)
		*event = perf_event_create_kernel_counter(&attr, -1, task,
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
	struct task_struct *task = mock_thread(test);
	struct mock_ctx *c;

	KUNIT_ASSERT_NOT_NULL(test, event);
	open_many(test, task, event, MANY);
	c = mock_ctx_of(test, task_pid(task));
	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	KUNIT_EXPECT_EQ(test, nr_bound(event, MANY), MANY);
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 1u);
	close_many(event, MANY);
	KUNIT_EXPECT_FALSE(test, armed(c, ADDR));
}

/* ---- many names ---------------------------------------------------------- */

#define NAMES	40	/* in each context */
#define CTXS	6
#define BUDGET	50	/* more than a context's */
/* that, and all that a last context has: those wanted and those not any more */
#define PIECE	(BUDGET + 2 * NAMES)

/*
 * Bindings follow this in the thread of the test alone. The worker finds the event
 * disabled: gpubp_events_lock is held wherever that matters.
 */
static const void *enabled_here(const struct gpubp_event *gev)
{
	return gpubp_target_key(gev);
}

static struct gpubp_event *open_disabled_named(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(0, 4, STORE);
	struct perf_event *event;

	attr.config |= GPUBP_CONFIG_NAMED |
		       (u64)gpubp_name_hash("many") << GPUBP_CONFIG_CODE_SHIFT;
	attr.disabled = 1;
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	return event->pmu_private;
}

static int publish(struct mock_ctx *c, int i)
{
	return gpubp_code_create(c->ctx, MOCK_CODE + 64 * i, 64, "many");
}

static void ctxs_with_names(struct kunit *test, struct mock_ctx *c[CTXS])
{
	int i, n;

	for (i = 0; i < CTXS; i++) {
		c[i] = mock_ctx(test);
		for (n = 0; n < NAMES; n++)
			KUNIT_ASSERT_EQ(test, publish(c[i], n), 0);
	}
	reconcile();
}

static int nr_bindings(const struct gpubp_event *gev)
{
	return list_count_nodes((struct list_head *)&gev->bindings);
}

static int nr_in_ctx(const struct gpubp_event *gev, const struct mock_ctx *c)
{
	struct gpubp_binding *b;
	int nr = 0;

	list_for_each_entry(b, &gev->bindings, event_node)
		nr += b->ctx == c->ctx;
	return nr;
}

/* Return: how many bindings more, or less */
static int bind_piece(struct gpubp_event *gev)
{
	unsigned int budget = BUDGET;
	int before = nr_bindings(gev);

	gpubp_bind(gev, &budget);
	return abs(nr_bindings(gev) - before);
}

/* Return: how many pieces it took */
static int bind_round(struct kunit *test, struct gpubp_event *gev)
{
	int nr = 0;

	do {
		KUNIT_EXPECT_LE(test, bind_piece(gev), PIECE);
		nr++;
	} while (gev->round.running);
	return nr;
}

static void expect_bound(struct kunit *test, const struct gpubp_event *gev,
			 struct mock_ctx *c[CTXS], int in_first)
{
	int i;

	KUNIT_EXPECT_EQ(test, nr_in_ctx(gev, c[0]), in_first);
	for (i = 1; i < CTXS; i++)
		KUNIT_EXPECT_EQ(test, nr_in_ctx(gev, c[i]), NAMES);
	KUNIT_EXPECT_EQ(test, gev->unserved, 0u);
	KUNIT_EXPECT_FALSE(test, gpubp_bind_is_partial(gev));
}

static void close_in_pieces(struct kunit *test, struct gpubp_event *gev)
{
	int left = nr_bindings(gev);

	while (!gpubp_unbind(gev, BUDGET)) {
		KUNIT_EXPECT_EQ(test, nr_bindings(gev), left - BUDGET);
		left -= BUDGET;
	}
	KUNIT_EXPECT_LE(test, left, BUDGET);
	KUNIT_EXPECT_EQ(test, nr_bindings(gev), 0);
}

/* what is done at a time does not depend on how many there are */
static void names_are_bound_in_pieces(struct kunit *test)
{
	struct gpubp_event *gev = open_disabled_named(test);
	struct mock_ctx *c[CTXS];

	ctxs_with_names(test, c);
	guard(mutex)(&gpubp_events_lock);
	KUNIT_EXPECT_EQ(test, nr_bindings(gev), 0);
	kunit_activate_static_stub(test, gpubp_target_enabled_key, enabled_here);
	KUNIT_EXPECT_GT(test, bind_round(test, gev), 2);
	expect_bound(test, gev, c, NAMES);
	/* once more: all are found again */
	KUNIT_EXPECT_GT(test, bind_round(test, gev), 2);
	expect_bound(test, gev, c, NAMES);
	kunit_deactivate_static_stub(test, gpubp_target_enabled_key);
	KUNIT_EXPECT_GT(test, bind_round(test, gev), 2);
	KUNIT_EXPECT_EQ(test, nr_bindings(gev), 0);
	kunit_activate_static_stub(test, gpubp_target_enabled_key, enabled_here);
	bind_round(test, gev);
	kunit_deactivate_static_stub(test, gpubp_target_enabled_key);
	close_in_pieces(test, gev);
}

/* in contexts that the round visited before, and in one that it did not */
static void names_change_during_a_round(struct kunit *test)
{
	struct gpubp_event *gev = open_disabled_named(test);
	unsigned int budget = BUDGET;
	struct mock_ctx *c[CTXS];

	ctxs_with_names(test, c);
	guard(mutex)(&gpubp_events_lock);
	kunit_activate_static_stub(test, gpubp_target_enabled_key, enabled_here);
	bind_piece(gev);
	KUNIT_EXPECT_TRUE(test, gev->round.running);
	KUNIT_EXPECT_EQ(test, nr_in_ctx(gev, c[CTXS - 1]), 0);
	KUNIT_EXPECT_FALSE(test, gpubp_ctx_is_reconciled(c[CTXS - 1]->ctx));
	KUNIT_EXPECT_EQ(test, publish(c[0], NAMES), 0);
	gpubp_code_destroy(c[0]->ctx, MOCK_CODE);
	gpubp_code_destroy(c[0]->ctx, MOCK_CODE + 64);
	gpubp_bind_ctx(gev, c[0]->ctx, &budget);
	KUNIT_EXPECT_EQ(test, nr_in_ctx(gev, c[0]), NAMES - 1);
	KUNIT_EXPECT_TRUE(test, gev->round.running);
	budget = BUDGET;
	gpubp_bind_ctx(gev, c[CTXS - 1]->ctx, &budget);
	KUNIT_EXPECT_EQ(test, nr_in_ctx(gev, c[CTXS - 1]), NAMES);
	bind_round(test, gev);
	expect_bound(test, gev, c, NAMES - 1);
	kunit_deactivate_static_stub(test, gpubp_target_enabled_key);
	bind_round(test, gev);
	KUNIT_EXPECT_EQ(test, nr_bindings(gev), 0);
}

/* a context goes, and the event is disabled: the round is another one */
static void a_round_that_begins_again(struct kunit *test)
{
	struct gpubp_event *gev = open_disabled_named(test);
	struct mock_ctx *c[CTXS];

	ctxs_with_names(test, c);
	scoped_guard(mutex, &gpubp_events_lock) {
		kunit_activate_static_stub(test, gpubp_target_enabled_key,
					   enabled_here);
		bind_piece(gev);
		bind_piece(gev);
		KUNIT_EXPECT_TRUE(test, gev->round.running);
		kunit_deactivate_static_stub(test, gpubp_target_enabled_key);
	}
	mock_ctx_destroy(c[0]);
	reconcile();
	guard(mutex)(&gpubp_events_lock);
	bind_round(test, gev);
	KUNIT_EXPECT_EQ(test, nr_bindings(gev), 0);
}

static void a_user_has_so_many_bindings(struct kunit *test)
{
	unsigned int budget = BUDGET;
	struct mock_ctx *c[CTXS];
	struct gpubp_event *gev;
	const struct cred *old;
	struct cred *cred;

	mock_param(test, "max_bindings_per_user", 2 * NAMES);
	old = mock_become(test, KUIDT_INIT(40003), &cred);
	gev = open_disabled_named(test);
	mock_become_root(old, cred);
	ctxs_with_names(test, c);
	guard(mutex)(&gpubp_events_lock);
	kunit_activate_static_stub(test, gpubp_target_enabled_key, enabled_here);
	bind_round(test, gev);
	KUNIT_EXPECT_EQ(test, nr_bindings(gev), 2 * NAMES);
	KUNIT_EXPECT_EQ(test, gev->unserved, (CTXS - 2) * NAMES + 0u);
	KUNIT_EXPECT_TRUE(test, gpubp_bind_is_partial(gev));
	KUNIT_EXPECT_FALSE_MSG(test, gev->incomplete, "a dispatch would wait");
	gpubp_max_bindings_per_user = CTXS * NAMES;
	/* the event is retried, and this context does not wait for the others */
	gpubp_bind_ctx(gev, c[CTXS - 1]->ctx, &budget);
	KUNIT_EXPECT_TRUE(test, gev->round.running);
	KUNIT_EXPECT_EQ(test, nr_in_ctx(gev, c[CTXS - 1]), NAMES);
	bind_round(test, gev);
	expect_bound(test, gev, c, NAMES);
	kunit_deactivate_static_stub(test, gpubp_target_enabled_key);
	bind_round(test, gev);
	KUNIT_EXPECT_EQ(test, nr_bindings(gev), 0);
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

static void users_take_turns_with_jobs(struct kunit *test)
{
	/* of each, the user and the place in the order */
	static const struct { uid_t uid; unsigned int at; } order[] = {
		{ 1, 0 }, { 1, 3 }, { 1, 5 }, { 2, 1 }, { 3, 2 }, { 2, 4 }, { 1, 6 },
	};
	static struct gpubp_jobs jobs = GPUBP_JOBS_INIT(jobs);
	struct gpubp_job job[ARRAY_SIZE(order)];
	unsigned int i, nr;

	for (i = 0; i < ARRAY_SIZE(job); i++) {
		job[i].uid = KUIDT_INIT(order[i].uid);
		INIT_LIST_HEAD(&job[i].others);
		gpubp_jobs_add(&jobs, &job[i]);
	}
	for (nr = 0; nr < ARRAY_SIZE(job); nr++) {
		i = gpubp_jobs_next(&jobs) - job;
		KUNIT_ASSERT_LT(test, i, ARRAY_SIZE(job));
		KUNIT_EXPECT_EQ(test, order[i].at, nr);
	}
	KUNIT_EXPECT_NULL(test, gpubp_jobs_next(&jobs));
}

static struct kunit_case reconcile_test_cases[] = {
	KUNIT_CASE(a_task_without_a_queue_costs_nothing),
	KUNIT_CASE(a_task_that_creates_a_queue_is),
	KUNIT_CASE(a_disabled_event_is_found_once_enabled),
	KUNIT_CASE(the_time_of_a_hit_is_known_once_bound),
	KUNIT_CASE(the_last_queue_of_a_task_goes),
	KUNIT_CASE(who_created_a_queue_is_known_at_once),
	KUNIT_CASE(a_context_for_many_events),
	KUNIT_CASE(names_are_bound_in_pieces),
	KUNIT_CASE(names_change_during_a_round),
	KUNIT_CASE(a_round_that_begins_again),
	KUNIT_CASE(a_user_has_so_many_bindings),
	KUNIT_CASE(users_take_turns),
	KUNIT_CASE(users_take_turns_with_jobs),
	{}
};

static struct kunit_suite reconcile_test_suite = {
	.name = "gpubp_reconcile",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = reconcile_test_cases,
};
kunit_test_suite(reconcile_test_suite);
