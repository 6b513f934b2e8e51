// SPDX-License-Identifier: GPL-2.0
/*
 * Handler filters: what the trap handler knows of the watches of a comparator,
 * since when, and what becomes of the strays that it counted.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/limits.h>

#include "event/event.h"
#include "event/reconcile.h"
#include "handler_rig.h"
#include "sched/sched.h"

#define BLOCK		64
#define EDGE		(MOCK_VA + 2 * BLOCK)	/* of two blocks, and no larger one */
#define STORES		GPUBP_ACCESS_STORE
#define KINDS(_access)	((u64)(_access) << 48)

static struct perf_event *open_watch(struct kunit *test, struct mock_ctx *c,
				     u64 addr, u64 len, u32 access)
{
	struct perf_event *event = mock_open(test, addr, len, access);

	handler_rig_settle(c);
	return event;
}

/* of the slot that compares the byte at @addr */
static struct gpubp_handler_filter *filter_of(struct kunit *test,
					      struct mock_ctx *c, u64 addr)
{
	return handler_rig_filter(c, handler_rig_slot(test, c, addr));
}

static bool has_range(const struct gpubp_handler_filter *f, u64 first, u64 len,
		      u32 access)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		if (f->range[i].first == first &&
		    f->range[i].last == (KINDS(access) | (first + len - 1)))
			return true;
	return false;
}

static u32 any_on(struct mock_ctx *c)
{
	u32 s, nr = 0;

	for (s = 0; s < MOCK_SLOTS; s++)
		nr += handler_rig_filter(c, s)->nr;
	return nr;
}

static s64 strays_of(struct perf_event *event)
{
	struct gpubp_event *gev = event->pmu_private;

	return atomic64_read(&gev->strays);
}

static void what_is_watched(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_handler_filter *f;

	open_watch(test, c, MOCK_VA + 8, 4, STORES);
	f = filter_of(test, c, MOCK_VA);
	KUNIT_EXPECT_EQ(test, f->nr, 1);
	KUNIT_EXPECT_TRUE(test, has_range(f, MOCK_VA + 8, 4, STORES));
}

/* both comparators of a watch that crosses blocks know all of its bytes */
static void of_two_blocks(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u64 addr = EDGE - 2;

	open_watch(test, c, addr, 4, STORES);
	KUNIT_EXPECT_TRUE(test, has_range(filter_of(test, c, EDGE - 1), addr, 4,
					  STORES));
	KUNIT_EXPECT_TRUE(test, has_range(filter_of(test, c, EDGE), addr, 4,
					  STORES));
	KUNIT_EXPECT_EQ(test, any_on(c), 2);
}

static void of_several_watches(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u32 all = STORES | GPUBP_ACCESS_LOAD;
	struct gpubp_handler_filter *f;

	open_watch(test, c, MOCK_VA + 4, 4, STORES);
	open_watch(test, c, MOCK_VA + 12, 1, all);
	open_watch(test, c, MOCK_VA + 4, 4, all);
	f = filter_of(test, c, MOCK_VA);
	KUNIT_EXPECT_EQ(test, f->nr, 3);
	KUNIT_EXPECT_TRUE(test, has_range(f, MOCK_VA + 4, 4, STORES));
	KUNIT_EXPECT_TRUE(test, has_range(f, MOCK_VA + 12, 1, all));
	KUNIT_EXPECT_TRUE(test, has_range(f, MOCK_VA + 4, 4, all));
}

static void as_many_as_it_has_room_for(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_handler_filter *f;
	unsigned int i;

	for (i = 0; i < GPUBP_HANDLER_RANGES; i++)
		open_watch(test, c, MOCK_VA + 4 * i, 2, STORES);
	f = filter_of(test, c, MOCK_VA);
	KUNIT_EXPECT_EQ(test, f->nr, GPUBP_HANDLER_RANGES);
	for (i = 0; i < GPUBP_HANDLER_RANGES; i++)
		KUNIT_EXPECT_TRUE(test, has_range(f, MOCK_VA + 4 * i, 2,
						  STORES));
}

/* by eighths of the block, which is of 64 bytes: what is between them stops */
static void more_are_joined(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u64 second = MOCK_VA + BLOCK / 2 + 2;
	struct gpubp_handler_filter *f;
	unsigned int i;

	for (i = 0; i < GPUBP_HANDLER_RANGES; i++)
		open_watch(test, c, MOCK_VA + i, 1, STORES);
	open_watch(test, c, second, 1, STORES);
	open_watch(test, c, second + 3, 2, GPUBP_ACCESS_ATOMIC);
	f = filter_of(test, c, MOCK_VA);
	KUNIT_EXPECT_EQ(test, f->nr, 2);
	KUNIT_EXPECT_TRUE(test, has_range(f, MOCK_VA, GPUBP_HANDLER_RANGES,
					  STORES));
	KUNIT_EXPECT_TRUE(test, has_range(f, second, 5, STORES |
					  GPUBP_ACCESS_ATOMIC));
}

/* a watch from the block before it is in the first eighth */
static void joined_with_one_from_before(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_handler_filter *f;
	unsigned int i;

	open_watch(test, c, EDGE - 4, 8, STORES);
	for (i = 0; i < GPUBP_HANDLER_RANGES; i++)
		open_watch(test, c, EDGE + 32 + 2 * i, 1, STORES);
	f = filter_of(test, c, EDGE + 32);
	KUNIT_EXPECT_TRUE(test, has_range(f, EDGE - 4, 8, STORES));
	KUNIT_EXPECT_TRUE(test, has_range(f, EDGE + 32, 7, STORES));
	KUNIT_EXPECT_TRUE(test, has_range(f, EDGE + 40, 7, STORES));
	KUNIT_EXPECT_EQ(test, f->nr, 3);
}

static void not_where_all_hits_match(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_watch(test, c, MOCK_VA, BLOCK, STORES | GPUBP_ACCESS_ATOMIC);
	KUNIT_EXPECT_NE(test, mock_slots(c, MOCK_VA), 0);
	KUNIT_EXPECT_EQ(test, any_on(c), 0);
	/* the comparator also matches atomics */
	open_watch(test, c, MOCK_VA + SZ_4K, BLOCK, STORES);
	KUNIT_EXPECT_EQ(test, any_on(c), 1);
}

static void not_if_root_does_not_want_it(struct kunit *test)
{
	struct mock_ctx *c;

	mock_param(test, "handler_filters", 0);
	c = mock_ctx(test);
	open_watch(test, c, MOCK_VA, 4, STORES);
	KUNIT_EXPECT_EQ(test, any_on(c), 0);
}

/* a hit of the program before it would meet the filter of another */
static void not_before_hits_are_drained(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	c->m->keep_window = true;
	open_watch(test, c, MOCK_VA, 4, STORES);
	KUNIT_EXPECT_EQ(test, any_on(c), 0);
}

/* the device says until when: that is soon over, and nothing else happens */
static void but_after_it(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned long end = jiffies + 60 * HZ;

	c->m->window_ns = 20 * NSEC_PER_MSEC;
	open_watch(test, c, MOCK_VA, 4, STORES);
	while (!READ_ONCE(filter_of(test, c, MOCK_VA)->nr) &&
	       time_before(jiffies, end))
		msleep(1);
	KUNIT_EXPECT_EQ(test, any_on(c), 1);
	KUNIT_EXPECT_GE(test, ktime_get_ns(),
			c->m->commit_ended + 20 * NSEC_PER_MSEC);
}

/* in a commit: whatever is on fits what the comparators are to compare */
static void check_filters(struct mock *m, u64 seq)
{
	struct mock_ctx *c = &m->ctxs[0];
	const struct gpubp_handler_filter *f;
	unsigned int s, i;

	for (s = 0; c->tma && s < MOCK_SLOTS; s++) {
		f = handler_rig_filter(c, s);
		for (i = 0; i < f->nr; i++)
			if (!(c->prog.valid & BIT(s)) ||
			    (f->range[i].first & c->prog.mask[s]) !=
			    m->slot[s].value)
				mock_complain(m, "slot %u has another's filter",
					      s);
	}
}

static bool is_any_on(struct mock_ctx *c)
{
	return any_on(c);
}

/* each turn is a commit, which moves the time when hits before it are over */
static void in_turns_as_well(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	handler_rig_turns(test, c);
	c->m->in_commit = check_filters;
	KUNIT_EXPECT_GE(test, handler_rig_turns_with(c, 12, is_any_on), 6);
	c->m->in_commit = NULL;
}

/* waves stayed where they were in the last commit: another one finds them gone */
static void when_it_is_not_known_how_long_hits_come(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	c->m->keep_window = true;
	open_watch(test, c, MOCK_VA, 4, STORES);
	KUNIT_EXPECT_EQ(test, any_on(c), 0);
	c->m->keep_window = false;
	KUNIT_EXPECT_TRUE(test, handler_rig_wait(c, is_any_on));
}

static void gone_with_the_watch(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_watch(test, c, MOCK_VA, 4, STORES);
	struct gpubp_handler_filter *f;

	open_watch(test, c, MOCK_VA + 8, 4, STORES);
	f = filter_of(test, c, MOCK_VA);
	mock_close(c->m, event);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, f->nr, 1);
	KUNIT_EXPECT_TRUE(test, has_range(f, MOCK_VA + 8, 4, STORES));
}

/* without an event there is nothing to compare, and nothing to filter */
static void gone_with_the_last(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_watch(test, c, MOCK_VA, 4, STORES);

	KUNIT_EXPECT_EQ(test, any_on(c), 1);
	mock_close(c->m, event);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, any_on(c), 0);
}

static void off_while_its_slot_changes(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned int i;

	mock_param(test, "max_filter_percent", 0);
	mock_short_quanta(test);
	c->m->in_commit = check_filters;
	for (i = 0; i < 3 * MOCK_SLOTS; i++)
		mock_open(test, MOCK_VA + SZ_4K * i, 4, STORES);
	gpubp_events_reconcile();
	KUNIT_EXPECT_TRUE(test, mock_wait_commits(c->m, 50));
	c->m->in_commit = NULL;
}

static void on_again_after_a_reset(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_watch(test, c, MOCK_VA, 4, STORES);
	mock_reset(c->m);
	handler_rig_settle(c);
	KUNIT_EXPECT_EQ(test, any_on(c), 1);
}

/* with no memory to say it, hits are reported as without a filter */
static void memory_that_cannot_be_written(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;

	open_watch(test, c, MOCK_VA + SZ_4K, 4, STORES);
	c->m->mem_broken = true;
	event = open_watch(test, c, MOCK_VA, 4, STORES);
	c->m->mem_broken = false;
	KUNIT_EXPECT_EQ(test, filter_of(test, c, MOCK_VA)->nr, 0);
	KUNIT_EXPECT_EQ(test, filter_of(test, c, MOCK_VA + SZ_4K)->nr, 1);
	KUNIT_EXPECT_EQ(test, mock_store(c, MOCK_VA), GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

static unsigned int nr_commits;

static void count_commit(struct mock *m, u64 seq)
{
	nr_commits++;
}

/* no register changes, but waves may be in the handler with the ranges before it */
static void ranges_change_behind_a_drain(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_watch(test, c, MOCK_VA, 4, STORES);
	nr_commits = 0;
	c->m->in_commit = count_commit;
	open_watch(test, c, MOCK_VA + 8, 4, STORES);
	c->m->in_commit = NULL;
	KUNIT_EXPECT_GE(test, nr_commits, 1);
	KUNIT_EXPECT_EQ(test, filter_of(test, c, MOCK_VA)->nr, 2);
}

/* the same watches are the same filter, in whichever order the policy has them */
static void on_as_long_as_it_says_the_same(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned int i;

	for (i = 0; i < 6; i++)
		open_watch(test, c, MOCK_VA + 8 * i, 4, STORES);
	nr_commits = 0;
	c->m->in_commit = count_commit;
	for (i = 0; i < 20; i++) {
		/* of another comparator, which changes no filter */
		mock_close(c->m, open_watch(test, c, MOCK_VA + SZ_4K, BLOCK,
					    STORES | GPUBP_ACCESS_ATOMIC));
		handler_rig_settle(c);
	}
	c->m->in_commit = NULL;
	/* each of them was programmed once, and taken away once */
	KUNIT_EXPECT_LE(test, nr_commits, 40);
	KUNIT_EXPECT_EQ(test, filter_of(test, c, MOCK_VA)->nr, 6);
}

/* no watch counts as armed whose hits an old filter lets go on */
static void a_handler_out_of_reach(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	unsigned int commits;

	open_watch(test, c, MOCK_VA, 4, STORES);
	c->m->mem_broken = true;
	open_watch(test, c, MOCK_VA + 8, 4, STORES);
	KUNIT_EXPECT_EQ(test, mock_slots(c, MOCK_VA), 0);
	commits = mock_commits(c->m);
	msleep(50);
	KUNIT_EXPECT_EQ(test, mock_commits(c->m), commits);
	c->m->mem_broken = false;
	/* nor is it asked for strays any more */
	KUNIT_EXPECT_EQ(test, atomic_read(&c->m->dev->sched->filtering.nr), 0);
}

/* waves see what is written before the commit, or it is tried again */
static void complain_if_on(struct mock *m, u64 seq)
{
	if (any_on(&m->ctxs[0]))
		mock_complain(m, "a filter is on whose ranges change");
}

static void busy_for_a_moment(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;

	open_watch(test, c, MOCK_VA, 4, STORES);
	c->m->in_commit = complain_if_on;
	atomic_set(&c->m->mem_busy, 3);
	event = open_watch(test, c, MOCK_VA + 8, 4, STORES);
	c->m->in_commit = NULL;
	KUNIT_EXPECT_EQ(test, atomic_read(&c->m->mem_busy), 0);
	KUNIT_EXPECT_EQ(test, filter_of(test, c, MOCK_VA)->nr, 2);
	KUNIT_EXPECT_EQ(test, mock_store(c, MOCK_VA + 8), GPUBP_TAKEN);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

/* a process could keep it so for ever: others' watches do not wait that long */
static void busy_for_long(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_watch(test, c, MOCK_VA, 4, STORES);
	atomic_set(&c->m->mem_busy, INT_MAX);
	open_watch(test, c, MOCK_VA + 8, 4, STORES);
	KUNIT_EXPECT_EQ(test, mock_slots(c, MOCK_VA), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->m->dev->sched->filtering.nr), 0);
	atomic_set(&c->m->mem_busy, 0);
}

static void busy_when_it_is_installed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	atomic_set(&c->m->mem_busy, 3);
	open_watch(test, c, MOCK_VA, 4, STORES);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->m->mem_busy), 0);
	KUNIT_EXPECT_EQ(test, filter_of(test, c, MOCK_VA)->nr, 1);
}

static void busy_after_it(struct mock *m, u64 seq)
{
	atomic_set(&m->mem_busy, 2);
}

static void busy_when_it_is_switched_on(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	c->m->in_commit = busy_after_it;
	open_watch(test, c, MOCK_VA, 4, STORES);
	c->m->in_commit = NULL;
	KUNIT_EXPECT_TRUE(test, handler_rig_wait(c, is_any_on));
}

static void strays_are_counted(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *a = open_watch(test, c, MOCK_VA, 4, STORES);
	struct perf_event *b = open_watch(test, c, MOCK_VA + 4, 4, STORES);
	struct perf_event *other = open_watch(test, c, MOCK_VA + SZ_4K, 4,
					      STORES);

	WRITE_ONCE(filter_of(test, c, MOCK_VA)->strays, 5);
	handler_rig_collect(test, c);
	WRITE_ONCE(filter_of(test, c, MOCK_VA)->strays, 7);
	handler_rig_collect(test, c);
	handler_rig_collect(test, c);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_FILTERED), 7);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED), 7);
	KUNIT_EXPECT_EQ(test, strays_of(a), 7);
	KUNIT_EXPECT_EQ(test, strays_of(b), 7);
	KUNIT_EXPECT_EQ(test, strays_of(other), 0);
	KUNIT_EXPECT_EQ(test, mock_count(a), 0);
}

/* the counter in memory goes on from wherever it is */
static void strays_beyond_a_counters_end(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_handler_filter *f;

	open_watch(test, c, MOCK_VA, 4, STORES);
	f = filter_of(test, c, MOCK_VA);
	WRITE_ONCE(f->strays, U32_MAX);
	handler_rig_collect(test, c);
	WRITE_ONCE(f->strays, 9);
	handler_rig_collect(test, c);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_FILTERED),
			10 + (s64)U32_MAX);
}

static void strays_of_a_context_that_ends(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_watch(test, c, MOCK_VA, 4, STORES);
	WRITE_ONCE(filter_of(test, c, MOCK_VA)->strays, 3);
	mock_ctx_destroy(c);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_FILTERED), 3);
}

/* those of a watch that is gone are not another's */
static void strays_of_the_watch_before(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_watch(test, c, MOCK_VA, 4, STORES);
	struct perf_event *after;

	WRITE_ONCE(filter_of(test, c, MOCK_VA)->strays, 3);
	mock_close(c->m, event);
	after = open_watch(test, c, MOCK_VA + 8, 4, STORES);
	handler_rig_collect(test, c);
	KUNIT_EXPECT_EQ(test, strays_of(after), 0);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_FILTERED), 3);
}

static void strays_of_before_in_a_busy_handler(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_watch(test, c, MOCK_VA, 4, STORES);
	struct perf_event *after;

	WRITE_ONCE(filter_of(test, c, MOCK_VA)->strays, 3);
	c->m->in_commit = busy_after_it;
	after = mock_open(test, MOCK_VA + 8, 4, STORES);
	mock_close(c->m, event);
	handler_rig_settle(c);
	c->m->in_commit = NULL;
	KUNIT_EXPECT_TRUE(test, handler_rig_wait(c, is_any_on));
	handler_rig_collect(test, c);
	KUNIT_EXPECT_EQ(test, strays_of(after), 0);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_STRAY_FILTERED), 3);
}

static struct kunit_case handler_filter_test_cases[] = {
	KUNIT_CASE(what_is_watched),
	KUNIT_CASE(of_two_blocks),
	KUNIT_CASE(of_several_watches),
	KUNIT_CASE(as_many_as_it_has_room_for),
	KUNIT_CASE(more_are_joined),
	KUNIT_CASE(joined_with_one_from_before),
	KUNIT_CASE(not_where_all_hits_match),
	KUNIT_CASE(not_if_root_does_not_want_it),
	KUNIT_CASE(not_before_hits_are_drained),
	KUNIT_CASE(but_after_it),
	KUNIT_CASE(in_turns_as_well),
	KUNIT_CASE(when_it_is_not_known_how_long_hits_come),
	KUNIT_CASE(gone_with_the_watch),
	KUNIT_CASE(gone_with_the_last),
	KUNIT_CASE(off_while_its_slot_changes),
	KUNIT_CASE(on_again_after_a_reset),
	KUNIT_CASE(memory_that_cannot_be_written),
	KUNIT_CASE(ranges_change_behind_a_drain),
	KUNIT_CASE(on_as_long_as_it_says_the_same),
	KUNIT_CASE(a_handler_out_of_reach),
	KUNIT_CASE(busy_for_a_moment),
	KUNIT_CASE(busy_for_long),
	KUNIT_CASE(busy_when_it_is_installed),
	KUNIT_CASE(busy_when_it_is_switched_on),
	KUNIT_CASE(strays_are_counted),
	KUNIT_CASE(strays_beyond_a_counters_end),
	KUNIT_CASE(strays_of_a_context_that_ends),
	KUNIT_CASE(strays_of_the_watch_before),
	KUNIT_CASE(strays_of_before_in_a_busy_handler),
	{}
};

static struct kunit_suite handler_filter_test_suite = {
	.name = "gpubp_handler_filter",
	.init = handler_rig_init,
	.exit = mock_exit,
	.test_cases = handler_filter_test_cases,
};
kunit_test_suite(handler_filter_test_suite);
