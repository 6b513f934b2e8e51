// SPDX-License-Identifier: GPL-2.0
/* Reserve: pinned events get a reserved comparator or are refused. */
#include <linux/err.h>

#include "event/event.h"
#include "mock.h"

#define ADDR(n)	(MOCK_VA + (n) * 0x1000ULL)
#define BROAD(n) (ADDR(n) - 8)		/* with 80 bytes: two blocks */
#define STORE	GPUBP_ACCESS_STORE

static struct perf_event *try_pinned(struct kunit *test, u64 addr, u64 len,
				     struct task_struct *task)
{
	struct perf_event_attr attr = mock_attr(addr, len, STORE);

	attr.pinned = 1;
	return mock_open_attr(test, &attr, task, NULL, NULL);
}

/* 0 or the errno */
static int pin(struct kunit *test, u64 addr, u64 len)
{
	return PTR_ERR_OR_ZERO(try_pinned(test, addr, len, current));
}

static void a_broad_watch_takes_two(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(0), 4), 0);
	KUNIT_EXPECT_EQ(test, pin(test, BROAD(2), 80), 0);
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(3), 4), -ENOSPC);
}

static void two_broad_watches_are_too_much(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pin(test, BROAD(1), 80), 0);
	KUNIT_EXPECT_EQ(test, pin(test, BROAD(2), 80), -ENOSPC);
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(3), 4), 0);
}

/* like perf record, which opens one copy per CPU */
static void copies_share_what_was_promised(struct kunit *test)
{
	struct perf_event *copy[8];
	int i;

	for (i = 0; i < ARRAY_SIZE(copy); i++) {
		copy[i] = try_pinned(test, ADDR(0), 4, current);
		KUNIT_ASSERT_FALSE(test, IS_ERR(copy[i]));
	}
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(1), 4), 0);
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(2), 4), 0);
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(3), 4), -ENOSPC);
	for (i = 1; i < ARRAY_SIZE(copy); i++)
		mock_close(test->priv, copy[i]);
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(3), 4), -ENOSPC);
	mock_close(test->priv, copy[0]);
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(3), 4), 0);
}

static void the_last_copy_gives_it_back(struct kunit *test)
{
	struct mock *m = test->priv;
	struct perf_event *copy[2];

	copy[0] = try_pinned(test, BROAD(1), 80, current);
	copy[1] = try_pinned(test, BROAD(1), 80, current);
	KUNIT_EXPECT_EQ(test, pin(test, BROAD(2), 80), -ENOSPC);
	mock_close(m, copy[0]);
	KUNIT_EXPECT_EQ(test, pin(test, BROAD(2), 80), -ENOSPC);
	mock_close(m, copy[1]);
	KUNIT_EXPECT_EQ(test, pin(test, BROAD(2), 80), 0);
}

struct differs_case {
	const char *name;
	u64 addr, len;
	u32 access;
};

static const struct differs_case differs_cases[] = {
	{ "another_address", ADDR(0) + 4, 4, STORE },
	{ "another_length", ADDR(0), 8, STORE },
	{ "another_access", ADDR(0), 4, GPUBP_ACCESS_LOAD },
};
KUNIT_ARRAY_PARAM_DESC(differs, differs_cases, name);

/* no copy, hence a reservation group of its own, though it could share */
static void unequal_watches_are_promised_each(struct kunit *test)
{
	const struct differs_case *d = test->param_value;
	struct perf_event_attr attr = mock_attr(d->addr, d->len, d->access);

	attr.pinned = 1;
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(0), 4), 0);
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(1), 4), 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mock_open_attr(test, &attr, current,
						       NULL, NULL)));
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(2), 4), -ENOSPC);
}

static void each_process_is_promised_its_own(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct perf_event *e;

	KUNIT_EXPECT_EQ(test, pin(test, ADDR(0), 4), 0);
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(1), 4), 0);
	e = try_pinned(test, ADDR(0), 4, thread);
	KUNIT_EXPECT_FALSE(test, IS_ERR(e));
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(2), 4), -ENOSPC);
}

/* its range may cross a boundary */
static void a_named_watch_takes_two(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(0, 4, STORE);

	attr.pinned = 1;
	attr.config |= GPUBP_CONFIG_NAMED | BIT_ULL(GPUBP_CONFIG_CODE_SHIFT);
	KUNIT_EXPECT_FALSE(test, IS_ERR(mock_open_attr(test, &attr, current,
						       NULL, NULL)));
	KUNIT_EXPECT_EQ(test, pin(test, BROAD(1), 80), -ENOSPC);
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(1), 4), 0);
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(2), 4), -ENOSPC);
}

static void a_refused_event_takes_nothing(struct kunit *test)
{
	int i;

	KUNIT_EXPECT_EQ(test, pin(test, BROAD(1), 80), 0);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, pin(test, BROAD(2), 80), -ENOSPC);
	KUNIT_EXPECT_EQ(test, pin(test, ADDR(3), 4), 0);
}

static struct kunit_case reserve_test_cases[] = {
	KUNIT_CASE(a_broad_watch_takes_two),
	KUNIT_CASE(two_broad_watches_are_too_much),
	KUNIT_CASE(copies_share_what_was_promised),
	KUNIT_CASE(the_last_copy_gives_it_back),
	KUNIT_CASE_PARAM(unequal_watches_are_promised_each, differs_gen_params),
	KUNIT_CASE(each_process_is_promised_its_own),
	KUNIT_CASE(a_named_watch_takes_two),
	KUNIT_CASE(a_refused_event_takes_nothing),
	{}
};

static struct kunit_suite reserve_test_suite = {
	.name = "gpubp_reserve",
	.suite_exit = mock_suite_exit,
	.init = mock_init_shared,
	.exit = mock_exit_shared,
	.test_cases = reserve_test_cases,
};
kunit_test_suite(reserve_test_suite);
