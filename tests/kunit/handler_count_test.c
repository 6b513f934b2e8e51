// SPDX-License-Identifier: GPL-2.0
/*
 * Handler counts: limits in the handler's memory, how the counter values found
 * there are accounted, reports of whole periods, and what a second-level
 * handler reads.
 */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/limits.h>

#include "event/event.h"
#include "event/reconcile.h"
#include "handler_rig.h"
#include "mock_trap_enable.h"

#define AT_LIMIT	BIT(31)		/* of the record's reasons */
#define PERIOD		BIT_ULL(32)	/* of a counting event */
#define BLOCK		64

static struct perf_event *open_counting(struct kunit *test, struct mock_ctx *c,
					u64 addr, u64 len, u32 access)
{
	struct perf_event_attr attr = mock_attr(addr, len, access);
	struct perf_event *event;

	attr.config |= GPUBP_CONFIG_METER;
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	handler_rig_settle(c);
	return event;
}

static struct perf_event *open_block(struct kunit *test, struct mock_ctx *c)
{
	return open_counting(test, c, MOCK_VA, BLOCK,
			     GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC);
}

static struct gpubp_handler_counter *counter(struct mock_ctx *c, u32 slot)
{
	return (struct gpubp_handler_counter *)
		handler_rig_memory(c, gpubp_isa_gfx90a.handler->counter_offset) + slot;
}

/* of the slot that compares the block */
static struct gpubp_handler_counter *block_counter(struct kunit *test,
						   struct mock_ctx *c)
{
	return counter(c, handler_rig_slot(test, c, MOCK_VA));
}

static u32 limits(struct mock_ctx *c)
{
	u32 s, any = 0;

	for (s = 0; s < MOCK_SLOTS; s++)
		any |= counter(c, s)->limit;
	return any;
}

static void report(struct kunit *test, struct mock_ctx *c, u64 addr,
		   u32 trapsts)
{
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
		.slots = mock_slots(c, MOCK_VA),
		.trapsts = trapsts,
	};

	mock_lane_addr(c->m, 0, addr);
	KUNIT_EXPECT_EQ(test, mock_raise(c, &stop), GPUBP_TAKEN);
	mock_quiesce(test);
}

/* a period ends: the counter is updated before the report arrives */
static void nothing_goes_back(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_block(test, c);
	struct gpubp_handler_counter *counter = block_counter(test, c);

	WRITE_ONCE(counter->value, 9);
	handler_rig_collect(test, c);
	WRITE_ONCE(counter->value, 3);
	handler_rig_collect(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 9);
	report(test, c, MOCK_VA, AT_LIMIT);
	KUNIT_EXPECT_EQ(test, mock_count(event), PERIOD);
	handler_rig_collect(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), PERIOD + 3);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 1);
}

static void what_ended_it_may_be_a_stray(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_block(test, c);

	report(test, c, MOCK_VA + BLOCK, AT_LIMIT);
	KUNIT_EXPECT_EQ(test, mock_count(event), PERIOD - 1);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_BYTES), 1);
}

static void other_reports_are_one_hit(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_block(test, c);

	report(test, c, MOCK_VA + 8, 0);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	WRITE_ONCE(block_counter(test, c)->value, 4);
	handler_rig_collect(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 5);
}

/* each hit is reported from then on: the other event wants all of them */
static void until_another_event_wants_the_hits(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_block(test, c);

	WRITE_ONCE(block_counter(test, c)->value, 4);
	mock_open(test, MOCK_VA + SZ_4K, 4, GPUBP_ACCESS_STORE);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, block_counter(test, c)->limit, U32_MAX);
	mock_open(test, MOCK_VA, BLOCK,
		  GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, limits(c), 0);
	KUNIT_EXPECT_EQ(test, mock_count(event), 4);
}

static void what_a_context_counted_before_its_end(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_block(test, c);

	WRITE_ONCE(block_counter(test, c)->value, 7);
	mock_ctx_destroy(c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 7);
}

static void periods_of_a_sampling_event(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(MOCK_VA, BLOCK,
						GPUBP_ACCESS_STORE |
						GPUBP_ACCESS_ATOMIC);
	struct mock_ctx *c = mock_ctx(test);

	attr.config |= GPUBP_CONFIG_METER;
	attr.sample_period = 10;
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mock_open_attr(test, &attr, current,
							  NULL, NULL));
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, block_counter(test, c)->limit, 9);
}

static struct gpubp_handler_filter *filter_at(struct kunit *test,
					      struct mock_ctx *c)
{
	return handler_rig_filter(c, handler_rig_slot(test, c, MOCK_VA));
}

/* what the handler's filter lets through is all of one watch */
static void a_part_of_a_block(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_counting(test, c, MOCK_VA + 4, 2,
						 GPUBP_ACCESS_STORE);

	KUNIT_EXPECT_EQ(test, filter_at(test, c)->nr, 1);
	/* only when no wave can be in the handler that has not seen the filter */
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, block_counter(test, c)->limit, U32_MAX);
	WRITE_ONCE(block_counter(test, c)->value, 6);
	handler_rig_collect(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 6);
}

/* without the filter strays would be counted */
static void a_part_only_with_its_filter(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_counting(test, c, MOCK_VA + 4, 2, GPUBP_ACCESS_STORE);
	mock_param(test, "handler_filters", 0);
	mock_open(test, MOCK_VA + SZ_4K, 4, GPUBP_ACCESS_STORE);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, filter_at(test, c)->nr, 0);
	KUNIT_EXPECT_EQ(test, limits(c), 0);
}

/* rearmed after a reset: its value is kept and nothing is reported twice */
static void armed_again(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_block(test, c);
	struct gpubp_handler_counter *counter = block_counter(test, c);

	WRITE_ONCE(counter->value, 7);
	handler_rig_collect(test, c);
	mock_reset(c->m);
	handler_rig_settle(c);
	counter = block_counter(test, c);
	KUNIT_EXPECT_EQ(test, counter->limit, U32_MAX);
	KUNIT_EXPECT_EQ(test, counter->value, 7);
	KUNIT_EXPECT_EQ(test, mock_count(event), 7);
	WRITE_ONCE(counter->value, 8);
	handler_rig_collect(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 8);
}

/*
 * hits of the previous program may still arrive and be counted for another
 * watch
 */
static void not_before_hits_are_drained(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	c->m->keep_window = true;
	open_block(test, c);
	KUNIT_EXPECT_EQ(test, limits(c), 0);
}

static bool counts(struct mock_ctx *c)
{
	return limits(c);
}

static void in_turns_as_well(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	handler_rig_turns(test, c);
	open_block(test, c);
	/* it has four of nine */
	KUNIT_EXPECT_GE(test, handler_rig_turns_with(c, 24, counts), 6);
}

/* without a commit between its filter and its count */
static void a_part_in_turns_as_well(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	handler_rig_turns(test, c);
	open_counting(test, c, MOCK_VA + 4, 2, GPUBP_ACCESS_STORE);
	KUNIT_EXPECT_GE(test, handler_rig_turns_with(c, 24, counts), 6);
}

/* the core has the count until the handler does not count any more */
static void until_a_busy_handler_has_seen_it(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_block(test, c);

	WRITE_ONCE(block_counter(test, c)->value, 4);
	atomic_set(&c->m->mem_busy, 3);
	mock_open(test, MOCK_VA, BLOCK,
		  GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->m->mem_busy), 0);
	KUNIT_EXPECT_EQ(test, limits(c), 0);
	KUNIT_EXPECT_EQ(test, mock_count(event), 4);
}

/* it may count for ever: then its comparators must not compare */
static void a_count_that_does_not_end(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_block(test, c);
	c->m->mem_broken = true;
	mock_open(test, MOCK_VA, BLOCK,
		  GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, mock_slots(c, MOCK_VA), 0);
	KUNIT_EXPECT_TRUE(test, mock_is_idle(c->m));
	c->m->mem_broken = false;
}

static void busy_after_it(struct mock *m, u64 seq)
{
	atomic_set(&m->mem_busy, 4);
}

static bool is_read(struct mock_ctx *c)
{
	return mock_count(c->m->events[0]) == 4;
}

static void what_was_counted_is_read_later(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_block(test, c);
	WRITE_ONCE(block_counter(test, c)->value, 4);
	/* its comparator changes */
	c->m->in_commit = busy_after_it;
	mock_open(test, MOCK_VA, BLOCK,
		  GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE);
	handler_rig_settle(c);
	c->m->in_commit = NULL;
	KUNIT_EXPECT_TRUE(test, handler_rig_wait(c, is_read));
}

static void begins_when_it_is_not_busy(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	c->m->in_commit = busy_after_it;
	open_block(test, c);
	c->m->in_commit = NULL;
	KUNIT_EXPECT_TRUE(test, handler_rig_wait(c, counts));
}

/* who waits for counts has them all */
static void read_when_it_is_not_busy(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_block(test, c);

	WRITE_ONCE(block_counter(test, c)->value, 9);
	atomic_set(&c->m->mem_busy, 3);
	handler_rig_collect(test, c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 9);
}

static void what_a_busy_context_counted_before_its_end(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_block(test, c);

	WRITE_ONCE(block_counter(test, c)->value, 7);
	atomic_set(&c->m->mem_busy, 3);
	mock_ctx_destroy(c);
	KUNIT_EXPECT_EQ(test, mock_count(event), 7);
}

static struct completion first_commit, second_events, suspending;

static void wait_in_commit(struct mock *m, u64 seq)
{
	m->in_commit = NULL;
	complete(&first_commit);
	wait_for_completion(&second_events);
}

static void complain_if_it_counts(struct mock *m, u64 seq)
{
	if (limits(&m->ctxs[0]))
		mock_complain(m, "a count is on whose watch has two events");
}

/* as gpubp_device_suspend() begins, in a run that it then waits for */
static void suspend_begins(struct mock *m)
{
	m->in_code_alloc = NULL;
	m->in_commit = complain_if_it_counts;
	WRITE_ONCE(m->dev->suspended, true);
	complete(&suspending);
}

static void not_over_the_last_commit_before_a_suspend(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock *m = c->m;

	init_completion(&first_commit);
	init_completion(&second_events);
	init_completion(&suspending);
	open_block(test, c);
	/* the run behind this commit ends the count, and installs a handler */
	m->in_commit = wait_in_commit;
	mock_open(test, MOCK_VA + SZ_4K, 4, GPUBP_ACCESS_STORE);
	gpubp_events_reconcile();
	wait_for_completion(&first_commit);
	m->in_code_alloc = suspend_begins;
	mock_ctx(test);
	mock_open(test, MOCK_VA, BLOCK,
		  GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC);
	gpubp_events_reconcile();
	complete(&second_events);
	wait_for_completion(&suspending);
	gpubp_device_suspend(m->dev);
	m->in_commit = NULL;
	mock_resume(m);
	handler_rig_settle(c);
}

static struct kunit_case handler_count_test_cases[] = {
	KUNIT_CASE(nothing_goes_back),
	KUNIT_CASE(what_ended_it_may_be_a_stray),
	KUNIT_CASE(other_reports_are_one_hit),
	KUNIT_CASE(until_another_event_wants_the_hits),
	KUNIT_CASE(what_a_context_counted_before_its_end),
	KUNIT_CASE(periods_of_a_sampling_event),
	KUNIT_CASE(a_part_of_a_block),
	KUNIT_CASE(a_part_only_with_its_filter),
	KUNIT_CASE(armed_again),
	KUNIT_CASE(not_before_hits_are_drained),
	KUNIT_CASE(in_turns_as_well),
	KUNIT_CASE(a_part_in_turns_as_well),
	KUNIT_CASE(until_a_busy_handler_has_seen_it),
	KUNIT_CASE(a_count_that_does_not_end),
	KUNIT_CASE(what_was_counted_is_read_later),
	KUNIT_CASE(begins_when_it_is_not_busy),
	KUNIT_CASE(read_when_it_is_not_busy),
	KUNIT_CASE(what_a_busy_context_counted_before_its_end),
	KUNIT_CASE(not_over_the_last_commit_before_a_suspend),
	{}
};

static struct kunit_suite handler_count_test_suite = {
	.name = "gpubp_handler_count",
	.init = handler_rig_init,
	.exit = mock_exit,
	.test_cases = handler_count_test_cases,
};

/* ---- the second level ---------------------------------------------------- */

static int second_level_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;

	caps.trap_level = GPUBP_TRAP_SECOND;
	caps.exceptions = GPUBP_EXC_FP | GPUBP_EXC_ILLEGAL;
	return trap_enable_init_with(test, &caps);
}

static struct perf_event *open_trap(struct kunit *test, struct mock_ctx *c,
				    u8 kind, u64 code)
{
	struct perf_event_attr attr = mock_attr(0, 0, 0);
	struct perf_event *event;

	attr.config = kind | code << GPUBP_CONFIG_CODE_SHIFT;
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	handler_rig_settle(c);
	return event;
}

static void raise_and_wait(struct kunit *test, struct mock_ctx *c,
			   const struct mock_stop *stop)
{
	KUNIT_EXPECT_EQ(test, mock_raise(c, stop), GPUBP_TAKEN);
	mock_quiesce(test);
}

/* the second-level handler is the one the mock was given, else it complains */
static void hits_are_as_at_the_first(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *watch = mock_open(test, MOCK_VA, 4,
					     GPUBP_ACCESS_STORE);
	struct perf_event *trap = open_trap(test, c, GPUBP_KIND_TRAP, 35);
	struct perf_event *exc = open_trap(test, c, GPUBP_KIND_EXCEPTION,
					   GPUBP_EXC_ILLEGAL);
	struct mock_stop at_trap = { .pc = MOCK_CODE,
				     .exec = 1,
				     .trap_id = 35 };
	struct mock_stop illegal = { .pc = MOCK_CODE, .exec = 1,
				     .illegal = true };

	KUNIT_EXPECT_EQ(test, mock_store(c, MOCK_VA), GPUBP_TAKEN);
	mock_quiesce(test);
	raise_and_wait(test, c, &at_trap);
	raise_and_wait(test, c, &illegal);
	at_trap.trap_id = 36;
	raise_and_wait(test, c, &at_trap);
	KUNIT_EXPECT_EQ(test, mock_count(watch), 1);
	KUNIT_EXPECT_EQ(test, mock_count(trap), 1);
	KUNIT_EXPECT_EQ(test, mock_count(exc), 1);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_TRAP), 1);
}

static void the_rest_is_for_the_third(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_handler_wanted *wanted;
	struct perf_event *illegal, *div0;

	mock_open(test, MOCK_VA, 4, GPUBP_ACCESS_STORE);
	handler_rig_settle(c);
	KUNIT_ASSERT_NE(test, c->tma, 0);
	wanted = handler_rig_memory(c, gpubp_isa_gfx90a.handler->wanted_offset);
	KUNIT_EXPECT_EQ(test, wanted->reasons, 0);
	KUNIT_EXPECT_EQ(test, wanted->traps[1], 0);
	open_trap(test, c, GPUBP_KIND_TRAP, 35);
	KUNIT_EXPECT_EQ(test, wanted->traps[1], BIT(3));
	KUNIT_EXPECT_EQ(test, wanted->reasons, 0);
	illegal = open_trap(test, c, GPUBP_KIND_EXCEPTION, GPUBP_EXC_ILLEGAL);
	KUNIT_EXPECT_EQ(test, wanted->reasons, BIT(11));
	div0 = open_trap(test, c, GPUBP_KIND_EXCEPTION, GPUBP_EXC_FP_DIV0);
	KUNIT_EXPECT_EQ(test, wanted->reasons, BIT(11) | BIT(2));
	/* waves trap for a division until it is masked in each */
	mock_close(c->m, illegal);
	mock_close(c->m, div0);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, wanted->reasons, BIT(2));
}

static struct kunit_case second_test_cases[] = {
	KUNIT_CASE(the_rest_is_for_the_third),
	KUNIT_CASE(hits_are_as_at_the_first),
	{}
};

static struct kunit_suite second_test_suite = {
	.name = "gpubp_second",
	.init = second_level_init,
	.exit = trap_enable_exit,
	.test_cases = second_test_cases,
};

kunit_test_suites(&handler_count_test_suite, &second_test_suite);
