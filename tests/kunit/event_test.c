// SPDX-License-Identifier: GPL-2.0
/*
 * Events: real perf events of the PMU, and what they bind to. Names are in
 * tests/selftests/named.c, refused events in reason.c.
 */
#include <kunit/static_stub.h>
#include <linux/err.h>

#include "compat/target.h"
#include "event/event.h"
#include "event/reconcile.h"
#include "mock.h"

#define ADDR	(MOCK_VA + 0x1000)
#define STORE	GPUBP_ACCESS_STORE
#define LOAD	GPUBP_ACCESS_LOAD

static bool armed(struct mock_ctx *c, u64 addr)
{
	mock_settle(c->m);
	return mock_slots(c, addr);
}

/* gpubp_active is balanced after any number of opens and closes */
static void opened_and_closed_all_the_time(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;
	int i;

	for (i = 0; i < 100; i++) {
		event = mock_open(test, ADDR, 4, STORE);
		KUNIT_EXPECT_EQ(test, static_key_count(&gpubp_active.key), 1);
		mock_close(c->m, event);
	}
	KUNIT_EXPECT_LE(test, static_key_count(&gpubp_active.key), 1);
}

/* context switches use perf's fast path again, as far as gpubp controls that */
static void contexts_are_exchanged_again(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *first = mock_open(test, ADDR, 4, STORE), *second;
	struct perf_event_context *pctx = first->ctx;
	long before = local_read(&pctx->nr_no_switch_fast);

	KUNIT_EXPECT_GT(test, before, 0);
	second = mock_open(test, ADDR + 8, 4, STORE);
	KUNIT_EXPECT_PTR_EQ(test, second->ctx, pctx);
	mock_close(c->m, second);
	KUNIT_EXPECT_EQ(test, local_read(&pctx->nr_no_switch_fast), before);
	perf_event_disable(first);
	KUNIT_EXPECT_LT(test, local_read(&pctx->nr_no_switch_fast), before);
	perf_event_enable(first);
	KUNIT_EXPECT_EQ(test, local_read(&pctx->nr_no_switch_fast), before);
}

static void equal_events_share_a_watch(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *a = mock_open(test, ADDR, 4, STORE);
	struct perf_event *b = mock_open(test, ADDR, 4, STORE);

	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 1u);
	KUNIT_EXPECT_EQ(test, hweight32(mock_valid(c->m)), 1u);
	mock_close(c->m, a);
	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	mock_close(c->m, b);
	KUNIT_EXPECT_FALSE(test, armed(c, ADDR));
}

/* one comparator serves both; excess hits are filtered later */
static void load_and_store_share_a_slot(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u32 slots;

	mock_open(test, ADDR, 4, STORE);
	mock_settle(c->m);
	slots = mock_slots(c, ADDR);
	KUNIT_ASSERT_EQ(test, hweight32(slots), 1u);
	KUNIT_EXPECT_EQ(test, c->prog.mode[__ffs(slots)], GPUBP_MODE_NONREAD);
	mock_open(test, ADDR + 8, 4, LOAD);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, mock_slots(c, ADDR), slots);
	KUNIT_EXPECT_EQ(test, mock_valid(c->m), slots);
	KUNIT_EXPECT_EQ(test, c->prog.mode[__ffs(slots)], GPUBP_MODE_ALL);
}

/* the bindings do not change while the list of events is locked */
static void others_changes_are_not_waited_for(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(ADDR, 4, STORE);
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *mine = mock_ctx(test);
	struct mock_ctx *theirs = mock_ctx_of(test, task_pid(thread));
	struct perf_event *event;

	mock_open(test, ADDR, 4, STORE);
	attr.disabled = 1;
	event = mock_open_attr(test, &attr, thread, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_TRUE(test, armed(mine, ADDR));
	KUNIT_EXPECT_TRUE(test, gpubp_ctx_is_reconciled(theirs->ctx));
	scoped_guard(mutex, &gpubp_events_lock) {
		perf_event_enable(event);
		KUNIT_EXPECT_FALSE(test, gpubp_ctx_is_reconciled(theirs->ctx));
		KUNIT_EXPECT_TRUE(test, gpubp_ctx_is_reconciled(mine->ctx));
	}
	KUNIT_EXPECT_TRUE(test, armed(theirs, ADDR));
	scoped_guard(mutex, &gpubp_events_lock) {
		KUNIT_EXPECT_EQ(test, 0, gpubp_buffer_name(theirs->ctx, ADDR, 4, "a"));
		KUNIT_EXPECT_FALSE(test, gpubp_ctx_is_reconciled(theirs->ctx));
		KUNIT_EXPECT_TRUE(test, gpubp_ctx_is_reconciled(mine->ctx));
	}
}

static void opened_disabled(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(ADDR, 4, STORE);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;

	attr.disabled = 1;
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_FALSE(test, armed(c, ADDR));
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&c->code_allocs), 0,
			    "a handler without a user");
	perf_event_enable(event);
	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	perf_event_disable(event);
	KUNIT_EXPECT_FALSE(test, armed(c, ADDR));
}

/* ---- names --------------------------------------------------------------- */

static void open_named(struct kunit *test, const char *name, u64 offset,
		       u64 len)
{
	struct perf_event_attr attr = mock_attr(offset, len, STORE);

	attr.config |= GPUBP_CONFIG_NAMED |
		       (u64)gpubp_name_hash(name) << GPUBP_CONFIG_CODE_SHIFT;
	KUNIT_ASSERT_FALSE(test, IS_ERR(mock_open_attr(test, &attr, current,
						       NULL, NULL)));
}

static void names_that_hash_alike_are_all_watched(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_named(test, "ydtrd", 0, 4);
	gpubp_buffer_name(c->ctx, MOCK_VA, 256, "ydtrd");
	gpubp_buffer_name(c->ctx, MOCK_VA + 4096, 256, "gckxr");
	KUNIT_EXPECT_TRUE(test, armed(c, MOCK_VA));
	KUNIT_EXPECT_TRUE(test, armed(c, MOCK_VA + 4096));
	gpubp_buffer_name(c->ctx, 0, 0, "ydtrd");
	KUNIT_EXPECT_FALSE(test, armed(c, MOCK_VA));
	KUNIT_EXPECT_TRUE(test, armed(c, MOCK_VA + 4096));
}

static void a_whole_buffer_has_the_size_of_its_name(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	open_named(test, "ydtrd", 64, 0);
	gpubp_buffer_name(c->ctx, MOCK_VA, 256, "ydtrd");
	gpubp_buffer_name(c->ctx, MOCK_VA + 4096, 128, "gckxr");
	KUNIT_EXPECT_TRUE(test, armed(c, MOCK_VA + 255));
	KUNIT_EXPECT_FALSE(test, armed(c, MOCK_VA + 63));
	KUNIT_EXPECT_TRUE(test, armed(c, MOCK_VA + 4096 + 127));
	KUNIT_EXPECT_FALSE(test, armed(c, MOCK_VA + 4096 + 128));
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 2u);
	/* it is another one with another size, and none if the offset is behind it */
	gpubp_buffer_name(c->ctx, MOCK_VA, 128, "ydtrd");
	KUNIT_EXPECT_TRUE(test, armed(c, MOCK_VA + 127));
	KUNIT_EXPECT_FALSE(test, armed(c, MOCK_VA + 255));
	gpubp_buffer_name(c->ctx, MOCK_VA, 64, "ydtrd");
	KUNIT_EXPECT_FALSE(test, armed(c, MOCK_VA + 127));
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 1u);
}

/* ---- enabled right after it was found disabled --------------------------- */

/**
 * struct enabler - enables an event right after it was found disabled
 * @c: context of its target
 * @nr: how often it is still to be found disabled
 * @trusted: after the last time, a dispatch would not have waited
 * @inside: the check is made by that dispatch
 */
static struct enabler {
	struct mock_ctx *c;
	unsigned int nr;
	bool trusted;
	bool inside;
} enabler;

static const void *disabled_until_now(const struct gpubp_event *gev)
{
	if (enabler.inside || !enabler.nr)
		return gpubp_target_key(gev);
	if (!--enabler.nr) {
		enabler.inside = true;
		enabler.trusted = gpubp_ctx_is_reconciled(enabler.c->ctx);
		enabler.inside = false;
	}
	return NULL;
}

/* a dispatch right after the enable either waits or finds the event bound */
static void enabled_meanwhile(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR, 4, STORE);
	struct gpubp_event *gev = event->pmu_private;
	unsigned int nr;

	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	kunit_activate_static_stub(test, gpubp_target_enabled_key,
				   disabled_until_now);
	for (nr = 1; nr <= 2; nr++) {
		enabler.c = c;
		enabler.nr = nr;
		scoped_guard(mutex, &gpubp_events_lock)
			gpubp_event_reconcile(gev, gpubp_event_new_pass());
		KUNIT_EXPECT_EQ(test, enabler.nr, 0u);
		KUNIT_EXPECT_EQ(test, enabler.trusted, nr == 1);
		KUNIT_EXPECT_TRUE(test, !enabler.trusted ||
				  !list_empty(&gev->bindings));
		enabler.nr = 0;
		scoped_guard(mutex, &gpubp_events_lock)
			gpubp_event_reconcile(gev, gpubp_event_new_pass());
		KUNIT_EXPECT_FALSE(test, list_empty(&gev->bindings));
	}
	kunit_deactivate_static_stub(test, gpubp_target_enabled_key);
}

static struct kunit_case event_test_cases[] = {
	KUNIT_CASE(enabled_meanwhile),
	KUNIT_CASE(equal_events_share_a_watch),
	KUNIT_CASE(load_and_store_share_a_slot),
	KUNIT_CASE(others_changes_are_not_waited_for),
	KUNIT_CASE(opened_disabled),
	KUNIT_CASE(opened_and_closed_all_the_time),
	KUNIT_CASE(contexts_are_exchanged_again),
	KUNIT_CASE(names_that_hash_alike_are_all_watched),
	KUNIT_CASE(a_whole_buffer_has_the_size_of_its_name),
	{}
};

static struct kunit_suite event_test_suite = {
	.name = "gpubp_event",
	.suite_exit = mock_suite_exit,
	.init = mock_init_shared,
	.exit = mock_exit_shared,
	.test_cases = event_test_cases,
};
kunit_test_suite(event_test_suite);
