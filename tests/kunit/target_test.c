// SPDX-License-Identifier: GPL-2.0
/* Targets: which hits belong to an event, and per-CPU events. */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/sched.h>

#include "compat/target.h"
#include "mock.h"

#define ADDR	(MOCK_VA + 0x1010)
#define STORE	GPUBP_ACCESS_STORE

/* ---- pure ---------------------------------------------------------------- */

/* tasks, never dereferenced */
#define ME	((struct task_struct *)16)
#define YOU	((struct task_struct *)32)

struct claim_case {
	const char *name;
	struct gpubp_target target;
	struct gpubp_owner_ids party;
	bool covers, claims;
};

#define TASK(t, on) { .kind = GPUBP_TARGET_TASK, .task = (t), .cpu = (on) }
#define CPU(on) { .kind = GPUBP_TARGET_CPU, .cpu = (on) }

static const struct claim_case claim_cases[] = {
	{ "a_task_s_own", TASK(ME, -1), { .task = ME, .cpu = 1 }, true, true },
	{ "another_task_s", TASK(ME, -1), { .task = YOU, .cpu = 1 } },
	{ "nobody_s_of_a_task", TASK(ME, -1), { .cpu = 1 } },
	{ "copy_where_it_is", TASK(ME, 1), { .task = ME, .cpu = 1 }, true, true },
	{ "copy_where_it_is_not", TASK(ME, 0), { .task = ME, .cpu = 1 }, true },
	{ "copy_of_another", TASK(YOU, 1), { .task = ME, .cpu = 1 } },
	{ "the_cpu_s", CPU(1), { .task = ME, .cpu = 1 }, true, true },
	{ "another_cpu_s", CPU(0), { .task = ME, .cpu = 1 }, true },
	{ "nobody_s_of_a_cpu", CPU(0), { .cpu = 0 }, true, true },
	{ "not_installed", { .cpu = -1 }, { .task = ME, .cpu = 0 } },
	{ "nobody_s_not_installed", { .cpu = -1 }, { .cpu = 0 } },
};
KUNIT_ARRAY_PARAM_DESC(claim, claim_cases, name);

static void a_hit_is_claimed(struct kunit *test)
{
	const struct claim_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, gpubp_target_covers(&c->target, &c->party),
			c->covers);
	KUNIT_EXPECT_EQ(test, gpubp_target_is_hit_owner(&c->target, &c->party),
			c->claims);
}

static void roads(struct kunit *test)
{
	const struct gpubp_target task = TASK(ME, 0), cpu = CPU(0);
	const struct gpubp_target cgroup = { .kind = GPUBP_TARGET_CGROUP };

	KUNIT_EXPECT_EQ(test, gpubp_target_delivery(&task),
			GPUBP_DELIVERY_TASK);
	KUNIT_EXPECT_EQ(test, gpubp_target_delivery(&cgroup),
			GPUBP_DELIVERY_TASK);
	KUNIT_EXPECT_EQ(test, gpubp_target_delivery(&cpu), GPUBP_DELIVERY_CPU);
}

static struct kunit_case target_test_cases[] = {
	KUNIT_CASE_PARAM(a_hit_is_claimed, claim_gen_params),
	KUNIT_CASE(roads),
	{}
};

static struct kunit_suite target_test_suite = {
	.name = "gpubp_target",
	.test_cases = target_test_cases,
};

/* ---- per-CPU events ------------------------------------------------------ */

#define COPIES	8

/**
 * struct copies - an event on each CPU
 * @event: events
 * @nr: number of events
 */
struct copies {
	struct perf_event *event[COPIES];
	int nr;
};

static struct copies *open_copies(struct kunit *test,
				  struct perf_event_attr attr)
{
	struct copies *copies =
		kunit_kzalloc(test, sizeof(*copies), GFP_KERNEL);
	struct perf_event *event;
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, copies);
	for_each_online_cpu(cpu) {
		if (copies->nr == COPIES)
			break;
		event = mock_open_on(test, &attr, NULL, cpu);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "%ld",
				       PTR_ERR(event));
		copies->event[copies->nr++] = event;
	}
	return copies;
}

static void expect_counted(struct kunit *test, struct copies *copies, u64 want)
{
	u64 sum = 0;
	int i;

	mock_expect_stats_balance(test);
	for (i = 0; i < copies->nr; i++)
		sum += mock_count(copies->event[i]);
	KUNIT_EXPECT_EQ(test, sum, want);
}

static void disabled_copies_watch_nothing(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct copies *copies = open_copies(test, mock_attr(ADDR, 4, STORE));
	int i;

	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 1u);
	for (i = 0; i < copies->nr; i++)
		perf_event_disable(copies->event[i]);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 0u);
	for (i = 0; i < copies->nr; i++)
		perf_event_enable(copies->event[i]);
	mock_settle(c->m);
	mock_store(c, ADDR);
	expect_counted(test, copies, 1);
}

static struct kunit_case cpu_wide_test_cases[] = {
	KUNIT_CASE(disabled_copies_watch_nothing),
	{}
};

static struct kunit_suite cpu_wide_test_suite = {
	.name = "gpubp_cpu_wide",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = cpu_wide_test_cases,
};
kunit_test_suites(&target_test_suite, &cpu_wide_test_suite);
