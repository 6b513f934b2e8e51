// SPDX-License-Identifier: GPL-2.0
/*
 * Occupancy log: changes are found by number, the oldest are overwritten first.
 */
#include "core/occupancy_log.h"
#include "mock.h"
#include "sched/watch.h"

/* the fields of a watch that are logged; it is on no list */
static struct gpubp_watch some_watch(struct mock_ctx *c)
{
	return (struct gpubp_watch) {
		.ctx = c->ctx,
		.id = 77,
		.start = MOCK_VA + 4,
		.last = MOCK_VA + 7,
	};
}

static void change(struct mock_ctx *c, u64 quantum, u32 slots)
{
	struct gpubp_watch w = some_watch(c);
	struct gpubp_device *dev = c->m->dev;

	guard(mutex)(&dev->lock);
	gpubp_log_change(dev, quantum, &w, slots, 1000 * quantum);
}

/* returns 0 if there is no such change */
static u64 quantum_of(struct mock_ctx *c, u64 nr)
{
	struct gpubp_device *dev = c->m->dev;
	const struct gpubp_log_entry *change;

	guard(mutex)(&dev->lock);
	change = gpubp_log_at(&dev->log, nr);
	return change ? change->quantum : 0;
}

static u64 oldest(struct mock_ctx *c)
{
	guard(mutex)(&c->m->dev->lock);
	return gpubp_log_oldest(&c->m->dev->log);
}

static u32 size_of_log(struct mock_ctx *c)
{
	return c->m->dev->log.size;
}

static void an_empty_log_has_nothing(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	KUNIT_EXPECT_EQ(test, quantum_of(c, 0), 0);
	KUNIT_EXPECT_EQ(test, quantum_of(c, 1), 0);
}

static void a_change_says_who_when_and_where(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	const struct gpubp_log_entry *found;

	change(c, 9, 0x5);
	guard(mutex)(&c->m->dev->lock);
	found = gpubp_log_at(&c->m->dev->log, 1);
	KUNIT_ASSERT_NOT_NULL(test, found);
	KUNIT_EXPECT_EQ(test, found->quantum, 9);
	KUNIT_EXPECT_EQ(test, found->time, 9000);
	KUNIT_EXPECT_EQ(test, found->watch, 77);
	KUNIT_EXPECT_EQ(test, found->start, MOCK_VA + 4);
	KUNIT_EXPECT_EQ(test, found->last, MOCK_VA + 7);
	KUNIT_EXPECT_EQ(test, found->ctx, c->ctx->id);
	KUNIT_EXPECT_EQ(test, found->slots, 0x5u);
}

static void a_full_log_loses_the_oldest(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u32 size = size_of_log(c);
	u64 i;

	KUNIT_ASSERT_NE(test, size, 0u);
	for (i = 1; i <= size; i++)
		change(c, 100 + i, 1);
	KUNIT_EXPECT_EQ(test, oldest(c), 1);
	KUNIT_EXPECT_EQ(test, quantum_of(c, 1), 101);
	for (; i <= size + 3; i++)
		change(c, 100 + i, 1);
	KUNIT_EXPECT_EQ(test, oldest(c), 4);
	KUNIT_EXPECT_EQ(test, quantum_of(c, 3), 0);
	KUNIT_EXPECT_EQ(test, quantum_of(c, 4), 104);
	KUNIT_EXPECT_EQ(test, quantum_of(c, size + 3), size + 103);
	KUNIT_EXPECT_EQ(test, quantum_of(c, size + 4), 0);
}

static void a_log_of_no_size_keeps_nothing(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u32 size = size_of_log(c);

	c->m->dev->log.size = 0;
	change(c, 1, 1);
	KUNIT_EXPECT_EQ(test, quantum_of(c, 1), 0);
	c->m->dev->log.size = size;
}

/* the last change of an address, after the device has settled */
static struct gpubp_log_entry last_change(struct mock_ctx *c, u64 start)
{
	struct gpubp_log *log = &c->m->dev->log;
	const struct gpubp_log_entry *change;
	u64 nr;

	mock_settle(c->m);
	guard(mutex)(&c->m->dev->lock);
	for (nr = log->nr; (change = gpubp_log_at(log, nr)); nr--)
		if (change->start == start)
			return *change;
	return (struct gpubp_log_entry) {};
}

static void what_is_armed_and_disarmed_is_logged(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, MOCK_VA, 4,
					     GPUBP_ACCESS_STORE);
	struct gpubp_log_entry armed = last_change(c, MOCK_VA), disarmed;

	KUNIT_EXPECT_EQ(test, armed.slots, mock_slots(c, MOCK_VA));
	KUNIT_EXPECT_NE(test, armed.slots, 0u);
	KUNIT_EXPECT_EQ(test, armed.ctx, c->ctx->id);
	mock_close(c->m, event);
	disarmed = last_change(c, MOCK_VA);
	KUNIT_EXPECT_EQ(test, disarmed.watch, armed.watch);
	KUNIT_EXPECT_EQ(test, disarmed.slots, 0u);
	KUNIT_EXPECT_GT(test, disarmed.time, armed.time);
}

static struct kunit_case log_cases[] = {
	KUNIT_CASE(an_empty_log_has_nothing),
	KUNIT_CASE(a_change_says_who_when_and_where),
	KUNIT_CASE(a_full_log_loses_the_oldest),
	KUNIT_CASE(a_log_of_no_size_keeps_nothing),
	KUNIT_CASE(what_is_armed_and_disarmed_is_logged),
	{}
};

static struct kunit_suite log_suite = {
	.name = "gpubp_log",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = log_cases,
};
kunit_test_suite(log_suite);
