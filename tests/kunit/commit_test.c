// SPDX-License-Identifier: GPL-2.0
/*
 * Commits that fail, take long or get lost; contexts destroyed during a commit.
 */
#include <linux/delay.h>

#include "core/slots.h"
#include "mock.h"
#include "sched/sched.h"

#define ADDR(n)	(MOCK_VA + (n) * 0x1000ULL)
#define STORE	GPUBP_ACCESS_STORE

/*
 * blocks of different size, so that rotation changes the contexts' masks as
 * well
 */
static void open_watches(struct kunit *test, struct mock_ctx *c, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		mock_open(test, ADDR(i), 64 << i, STORE);
		mock_probe(c, ADDR(i));
	}
}

static unsigned int nr_armed(struct mock_ctx *c, int nr)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < nr; i++)
		n += !!mock_slots(c, ADDR(i));
	return n;
}

static void a_failing_slot_is_left_alone(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	int i;

	c->m->failing = BIT(1);
	open_watches(test, c, 4);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, gpubp_slots_usable(c->m->dev), 0xdu);
	mock_probes_restart(c->m);
	KUNIT_ASSERT_TRUE(test, mock_wait_commits(c->m, 40));
	mutex_lock(&c->m->lock);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_GE_MSG(test, c->m->probes[i].armed + 1,
				    c->m->nr_quanta * (3 - 1) / 4, "watch %d",
				    i);
	for (i = 0; i < c->m->nr_ctxs; i++)
		KUNIT_EXPECT_FALSE(test, c->m->ctxs[i].prog.valid & BIT(1));
	mutex_unlock(&c->m->lock);
}

static void a_slot_fails_after_a_while(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	int i;

	open_watches(test, c, 6);
	mock_settle(c->m);
	KUNIT_ASSERT_TRUE(test, mock_wait_commits(c->m, 10));
	mutex_lock(&c->m->lock);
	c->m->failing = BIT(2) | BIT(3);
	mutex_unlock(&c->m->lock);
	KUNIT_ASSERT_TRUE(test, mock_wait_commits(c->m, 20));
	mock_probes_restart(c->m);
	KUNIT_ASSERT_TRUE(test, mock_wait_commits(c->m, 40));
	KUNIT_EXPECT_EQ(test, gpubp_slots_usable(c->m->dev), 0x3u);
	mutex_lock(&c->m->lock);
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_GE_MSG(test, c->m->probes[i].armed + 1,
				    c->m->nr_quanta * (2 - 1) / 6, "watch %d",
				    i);
	mutex_unlock(&c->m->lock);
}

static void every_slot_fails(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	c->m->failing = GENMASK(MOCK_SLOTS - 1, 0);
	open_watches(test, c, 6);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, nr_armed(c, 6), 0u);
	KUNIT_EXPECT_EQ(test, gpubp_slots_usable(c->m->dev), 0u);
	KUNIT_EXPECT_TRUE_MSG(test, mock_is_idle(c->m),
			      "it keeps retrying what cannot succeed");
}

/* the first dispatch must not run before its watch is armed in another slot */
static void holding_lasts_until_another_slot_has_it(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	c->m->failing = BIT(0) | BIT(1);
	c->m->commit_ms = 50;
	mock_open(test, ADDR(0), 4, STORE);
	KUNIT_EXPECT_EQ(test, gpubp_ctx_wait_armed(c->ctx), 0);
	KUNIT_EXPECT_NE(test, mock_slots(c, ADDR(0)), 0u);
}

static void a_reset_re_arms_everything(struct kunit *test)
{
	struct mock_ctx *a = mock_ctx(test), *b = mock_ctx(test);
	int i;

	open_watches(test, a, 4);
	mock_settle(a->m);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, nr_armed(a, 4), 4u);
		KUNIT_EXPECT_EQ(test, nr_armed(b, 4), 4u);
		mock_reset(a->m);
		mock_settle(a->m);
		KUNIT_EXPECT_FALSE_MSG(test, a->m->forgot, "no new program");
	}
	KUNIT_EXPECT_EQ(test, nr_armed(a, 4), 4u);
	KUNIT_EXPECT_EQ(test, nr_armed(b, 4), 4u);
}

static void a_reset_with_nothing_armed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	mock_reset(c->m);
	kthread_flush_worker(c->m->dev->requests.worker);
	KUNIT_EXPECT_EQ(test, mock_valid(c->m), 0u);
	open_watches(test, c, 1);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, nr_armed(c, 1), 1u);
}

static void resets_while_it_rotates(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	int i;

	c->m->loose = true;
	open_watches(test, c, 6);
	mock_settle(c->m);
	for (i = 0; i < 10; i++) {
		mock_probes_restart(c->m);
		KUNIT_ASSERT_TRUE(test, mock_wait_commits(c->m, 3));
		gpubp_device_reset(c->m->dev);
	}
	mock_probes_restart(c->m);
	KUNIT_ASSERT_TRUE(test, mock_wait_commits(c->m, 10));
	mutex_lock(&c->m->lock);
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_GE(test, c->m->probes[i].armed + 1,
				c->m->nr_quanta * (4 - 1) / 6);
	mutex_unlock(&c->m->lock);
}

/* ---- the trap handler ---------------------------------------------------- */

static void one_handler_for_all_events(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test), *idle;
	struct task_struct *thread = mock_thread(test);
	int i;

	idle = mock_ctx_of(test, task_pid(thread));
	for (i = 0; i < 5; i++) {
		struct perf_event *e = mock_open(test, ADDR(i), 4, STORE);

		mock_settle(c->m);
		KUNIT_EXPECT_NE(test, c->tma, 0);
		mock_close(c->m, e);
		mock_settle(c->m);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&c->code_allocs), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&idle->code_allocs), 0);
	mock_ctx_destroy(c);
	KUNIT_EXPECT_EQ(test, c->tma, 0);
	KUNIT_EXPECT_EQ(test, c->code_size, (size_t)0);
}

/* only its context is not watched; others are, and no thread busy-loops */
static void a_handler_that_cannot_be_installed(struct kunit *test)
{
	struct mock_ctx *good = mock_ctx(test), *bad = mock_ctx(test);

	bad->code_err = -ENOMEM;
	open_watches(test, good, 1);
	mock_settle(good->m);
	KUNIT_EXPECT_EQ(test, nr_armed(good, 1), 1u);
	KUNIT_EXPECT_EQ(test, nr_armed(bad, 1), 0u);
	KUNIT_EXPECT_EQ_MSG(test, good->m->dev->sched->policy.fairq.nr, 1u,
			    "quanta are lost to contexts that cannot be armed");
	KUNIT_EXPECT_TRUE_MSG(test, mock_is_idle(good->m),
			      "it retries without a delay");
}

static void a_handler_that_cannot_be_written(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	c->m->mem_broken = true;
	open_watches(test, c, 1);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, nr_armed(c, 1), 0u);
	KUNIT_EXPECT_EQ(test, c->tma, 0);
	KUNIT_EXPECT_EQ(test, c->code_size, (size_t)0);
}

/* ---- time ---------------------------------------------------------------- */

static void waves_without_traps_are_pending(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	c->m->pending = BIT(0);
	open_watches(test, c, 1);
	mock_settle(c->m);
	KUNIT_EXPECT_TRUE(test, c->ctx->clock.pending);
	gpubp_ctx_settled(c->ctx, c->m->seq);
	KUNIT_EXPECT_FALSE(test, c->ctx->clock.pending);
	c->m->pending = 0;
	mock_open(test, ADDR(1), 4, STORE);
	mock_settle(c->m);
	KUNIT_EXPECT_FALSE(test, c->ctx->clock.pending);
}

/* old queues are destroyed while a newer commit waits for others */
static void what_settles_an_old_commit_settles_no_new_one(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u64 first;

	c->m->pending = BIT(0);
	open_watches(test, c, 1);
	mock_settle(c->m);
	first = c->m->seq;
	mock_open(test, ADDR(1), 4, STORE);
	mock_settle(c->m);
	KUNIT_ASSERT_GT(test, c->m->seq, first);
	gpubp_ctx_settled(c->ctx, first);
	KUNIT_EXPECT_TRUE(test, c->ctx->clock.pending);
	gpubp_ctx_settled(c->ctx, c->m->seq);
	KUNIT_EXPECT_FALSE(test, c->ctx->clock.pending);
	/* once more, out of order */
	gpubp_ctx_settled(c->ctx, first);
	KUNIT_EXPECT_FALSE(test, c->ctx->clock.pending);
}

static void settle_this(struct mock *m, u64 seq)
{
	gpubp_ctx_settled(m->ctxs[0].ctx, seq);
}

static void settle_the_one_before(struct mock *m, u64 seq)
{
	gpubp_ctx_settled(m->ctxs[0].ctx, seq - 1);
}

static void waves_end_while_they_are_told_of(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	c->m->pending = BIT(0);
	c->m->in_commit = settle_this;
	open_watches(test, c, 1);
	mock_settle(c->m);
	KUNIT_EXPECT_FALSE(test, c->ctx->clock.pending);
	c->m->in_commit = settle_the_one_before;
	mock_open(test, ADDR(1), 4, STORE);
	mock_settle(c->m);
	KUNIT_EXPECT_TRUE(test, c->ctx->clock.pending);
	c->m->in_commit = NULL;
}

static void holding_waits_for_a_slow_commit(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	c->m->commit_ms = 50;
	open_watches(test, c, 1);
	KUNIT_EXPECT_EQ(test, gpubp_ctx_wait_armed(c->ctx), 0);
	KUNIT_EXPECT_EQ(test, nr_armed(c, 1), 1u);
}

/* its watch and its binding are removed while the committer uses them */
static void an_event_closed_during_a_commit(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	int i;

	c->m->commit_ms = 20;
	open_watches(test, c, 5);	/* rotates: some commit always runs */
	mock_settle(c->m);
	for (i = 0; i < 10; i++) {
		struct perf_event *e = mock_open(test, ADDR(6), 4, STORE);

		msleep(i * 3);
		mock_close(c->m, e);
	}
}

static void contexts_destroyed_while_commits_run(struct kunit *test)
{
	struct mock_ctx *stays = mock_ctx(test);
	int i;

	stays->m->commit_ms = 10;
	open_watches(test, stays, 6);
	mock_settle(stays->m);
	for (i = 0; i < MOCK_CTXS - 1; i++) {
		struct mock_ctx *c = mock_ctx(test);

		gpubp_ctx_wait_armed(c->ctx);
		msleep(i % 4 * 4);
		mock_ctx_destroy(c);
	}
	mock_probes_restart(stays->m);
	KUNIT_ASSERT_TRUE(test, mock_wait_commits(stays->m, 6));
	mutex_lock(&stays->m->lock);
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_GT(test, stays->m->probes[i].armed, 1u);
	mutex_unlock(&stays->m->lock);
}

/* the device is unregistered first: its events stay open and count no more */
static void the_device_leaves_with_events_open(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;

	open_watches(test, c, 6);
	event = c->m->events[0];
	mock_settle(c->m);
	mock_ctx_destroy(c);
	mock_unregister(c->m);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
	while (c->m->nr_events)
		mock_close(c->m, c->m->events[0]);
}

/* another debugger overwrites slots */
static void mock_steal(struct mock_ctx *c, u32 slots)
{
	unsigned int s;

	guard(mutex)(&c->m->lock);
	for (s = 0; s < MOCK_SLOTS; s++) {
		if (!(slots & BIT(s)))
			continue;
		c->m->slot[s] = (struct gpubp_slot_prog) {};
		c->prog.mask[s] = 0;
		c->prog.mode[s] = 0;
	}
	c->prog.valid &= ~slots;
	c->valid &= ~slots;
}

/* no commit in between: the overhead limit delays the next one */
static void a_slot_that_was_somebody_elses(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;
	u32 slots;

	mock_param(test, "max_overhead_percent", 1);
	c->m->commit_ms = 10;
	event = mock_open(test, ADDR(0), 64, STORE);
	mock_settle(c->m);
	slots = mock_slots(c, ADDR(0));
	KUNIT_ASSERT_NE(test, slots, 0u);
	/* a commit in between would change the stolen slots */
	c->m->loose = true;
	mock_steal(c, slots);
	gpubp_slots_lost(c->m->dev, slots);
	gpubp_slots_returned(c->m->dev, slots);
	mock_settle(c->m);
	KUNIT_EXPECT_NE(test, mock_slots(c, ADDR(0)), 0u);
	mock_store(c, ADDR(0));
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

static void slots_are_acquired_for_watches_only(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *first, *second;

	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, c->m->acquired, 0u);
	first = mock_open(test, ADDR(0), 64, STORE);
	second = mock_open(test, ADDR(1), 64, STORE);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, c->m->acquired, mock_caps.usable_slots);
	mock_close(c->m, first);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, c->m->acquired, mock_caps.usable_slots);
	mock_close(c->m, second);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, c->m->acquired, 0u);
	KUNIT_EXPECT_TRUE(test, mock_is_idle(c->m));
	mock_open(test, ADDR(0), 64, STORE);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, c->m->acquired, mock_caps.usable_slots);
	KUNIT_EXPECT_NE(test, mock_slots(c, ADDR(0)), 0u);
}

/*
 * The mock complains about a program that uses slots which were not acquired:
 * of a watch that came when the commit had found none.
 */
static void watches_come_as_commits_begin(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	int i;

	for (i = 0; i < 300; i++) {
		struct perf_event *event = mock_open(test, ADDR(0), 64, STORE);

		gpubp_slots_lost(c->m->dev, 0);
		mock_close(c->m, event);
		gpubp_slots_lost(c->m->dev, 0);
		udelay(i % 100);
	}
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, c->m->acquired, 0u);
}

/* another debugger has them all, then gives back some */
static void slots_taken_by_another_debugger(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock *m = c->m;
	struct perf_event *event;

	m->busy = -EBUSY;
	event = mock_open(test, ADDR(0), 64, STORE);
	mock_settle(m);
	KUNIT_EXPECT_EQ(test, gpubp_slots_usable(m->dev), 0u);
	KUNIT_EXPECT_EQ(test, mock_slots(c, ADDR(0)), 0u);
	m->acquired = 0x5;
	gpubp_slots_returned(m->dev, 0x5);
	KUNIT_EXPECT_EQ(test, gpubp_slots_usable(m->dev), 0x5u);
	mock_settle(m);
	KUNIT_EXPECT_NE(test, mock_slots(c, ADDR(0)) & 0x5, 0u);
	mock_close(m, event);
	mock_settle(m);
	KUNIT_EXPECT_EQ(test, m->acquired, 0u);
}

static void some_slots_taken(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock *m = c->m;

	m->elsewhere = 0x6;
	mock_open(test, ADDR(0), 64, STORE);
	mock_settle(m);
	KUNIT_EXPECT_EQ(test, gpubp_slots_usable(m->dev),
			mock_caps.usable_slots & ~0x6);
	/* slots that do not exist cannot be returned */
	m->loose = true;	/* the armed slot is programmed again */
	m->acquired = mock_caps.usable_slots;
	gpubp_slots_returned(m->dev, ~0u);
	KUNIT_EXPECT_EQ(test, gpubp_slots_usable(m->dev),
			mock_caps.usable_slots);
}

/* a provider that returns slots of no watch: they are acquired once more */
static void slots_returned_to_an_idle_device(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock *m = c->m;

	gpubp_slots_returned(m->dev, mock_caps.usable_slots);
	m->elsewhere = mock_caps.usable_slots & ~BIT(0);
	mock_open(test, ADDR(0), 64, STORE);
	mock_settle(m);
	KUNIT_EXPECT_EQ(test, gpubp_slots_usable(m->dev), (u32)BIT(0));
	KUNIT_EXPECT_EQ(test, mock_slots(c, ADDR(0)), (u32)BIT(0));
}

static void acquire_fails(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock *m = c->m;
	struct perf_event *event;

	m->busy = -EIO;
	event = mock_open(test, ADDR(0), 64, STORE);
	mock_settle(m);
	KUNIT_EXPECT_EQ(test, mock_slots(c, ADDR(0)), 0u);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0u);
	mock_close(m, event);
	mock_settle(m);
	m->busy = 0;
	mock_open(test, ADDR(0), 64, STORE);
	mock_settle(m);
	KUNIT_EXPECT_NE(test, mock_slots(c, ADDR(0)), 0u);
}

static struct kunit_case commit_test_cases[] = {
	KUNIT_CASE(a_failing_slot_is_left_alone),
	KUNIT_CASE(a_slot_fails_after_a_while),
	KUNIT_CASE(every_slot_fails),
	KUNIT_CASE(holding_lasts_until_another_slot_has_it),
	KUNIT_CASE(a_reset_re_arms_everything),
	KUNIT_CASE(a_reset_with_nothing_armed),
	KUNIT_CASE(resets_while_it_rotates),
	KUNIT_CASE(one_handler_for_all_events),
	KUNIT_CASE(a_handler_that_cannot_be_installed),
	KUNIT_CASE(a_handler_that_cannot_be_written),
	KUNIT_CASE(waves_without_traps_are_pending),
	KUNIT_CASE(what_settles_an_old_commit_settles_no_new_one),
	KUNIT_CASE(waves_end_while_they_are_told_of),
	KUNIT_CASE(holding_waits_for_a_slow_commit),
	KUNIT_CASE(an_event_closed_during_a_commit),
	KUNIT_CASE(contexts_destroyed_while_commits_run),
	KUNIT_CASE(the_device_leaves_with_events_open),
	KUNIT_CASE(a_slot_that_was_somebody_elses),
	KUNIT_CASE(slots_are_acquired_for_watches_only),
	KUNIT_CASE(watches_come_as_commits_begin),
	KUNIT_CASE(slots_taken_by_another_debugger),
	KUNIT_CASE(some_slots_taken),
	KUNIT_CASE(slots_returned_to_an_idle_device),
	KUNIT_CASE(acquire_fails),
	{}
};

static struct kunit_suite commit_test_suite = {
	.name = "gpubp_commit",
	.init = mock_init_short,
	.exit = mock_exit,
	.test_cases = commit_test_cases,
};
kunit_test_suite(commit_test_suite);
