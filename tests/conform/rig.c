// SPDX-License-Identifier: GPL-2.0
/* Setup of each case, and the checks of what a case must leave behind. */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "conform.h"
#include "core/cell.h"
#include "event/event.h"
#include "sched/sched.h"
#include "sched/watch.h"

int conform_timeout_ms = 60000;
module_param_named(timeout_ms, conform_timeout_ms, int, 0644);
MODULE_PARM_DESC(timeout_ms, "timeout of each wait in ms");

struct conform_entry {
	const char *name;
	void (*run)(struct kunit *test);
};

#define ENTRY(_name) { #_name, conform_##_name },

static const struct conform_entry entries[] = {
	GPUBP_CONFORM_CASES(ENTRY)
};

/** gpubp_conform_case() - run the case that has the running test's name */
void gpubp_conform_case(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(entries); i++)
		if (!strcmp(entries[i].name, test->name)) {
			entries[i].run(test);
			return;
		}
	KUNIT_FAIL(test, "the suite has no such case");
}
EXPORT_SYMBOL_GPL(gpubp_conform_case);

/* the statistics are compared from here on */
void conform_device_plugged(struct conform *c)
{
	int s;

	c->dev = c->rig->device(c->rig->gpu);
	c->caps = c->dev->desc.caps;
	c->raised = c->rig->raised(c->rig->gpu);
	c->recorded = atomic64_read(&c->dev->sched->recording.nr_recorded);
	for (s = 0; s < GPUBP_NR_STATS; s++)
		c->stat[s] = atomic64_read(&c->dev->stats.v[s]);
}

/** gpubp_conform_init() - kunit_suite.init for the suite of @rig */
int gpubp_conform_init(struct kunit *test, const struct gpubp_rig *rig)
{
	struct conform *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	if (!c)
		return -ENOMEM;
	c->rig = rig;
	if (IS_ERR_OR_NULL(rig->device(rig->gpu)))
		return -ENODEV;
	conform_device_plugged(c);
	test->priv = c;
	return 0;
}
EXPORT_SYMBOL_GPL(gpubp_conform_init);

/* difference since the case began */
s64 conform_stat(struct conform *c, enum gpubp_stat s)
{
	return atomic64_read(&c->dev->stats.v[s]) - c->stat[s];
}

/* likewise, hits that waves recorded, and that the device knows nothing of */
static s64 conform_recorded(struct conform *c)
{
	return atomic64_read(&c->dev->sched->recording.nr_recorded) - c->recorded;
}

s64 conform_commits(struct conform *c)
{
	gpubp_request_wait(c->dev);
	return atomic64_read(&c->dev->nr_commits);
}

struct gpubp_rig_ctx *conform_ctx_as(struct kunit *test, bool fenced,
				     u32 max_stall_us)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx = &c->ctx[c->nr_ctxs];
	int err;

	KUNIT_ASSERT_LT(test, c->nr_ctxs, (unsigned int)CONFORM_CTXS);
	if (!c->dev && c->rig->own_devices) {
		KUNIT_ASSERT_NOT_NULL(test, c->rig->device(c->rig->gpu));
		conform_device_plugged(c);
	}
	*ctx = (struct gpubp_rig_ctx) {
		.rig = c->rig,
		.gpu = c->rig->gpu,
		.fenced = fenced,
		.max_stall_us = max_stall_us,
	};
	err = c->rig->ctx_create(ctx);
	conform_need(test, !fenced || err != -EOPNOTSUPP, "no fenced contexts");
	KUNIT_ASSERT_EQ_MSG(test, err, 0, "no context");
	KUNIT_EXPECT_GE(test, ctx->size, 0x8000ULL);
	c->nr_ctxs++;
	return ctx;
}

struct gpubp_rig_ctx *conform_ctx(struct kunit *test)
{
	return conform_ctx_as(test, false, 0);
}

void conform_destroy_ctxs(struct kunit *test)
{
	struct conform *c = test->priv;

	if (c->nr_ctxs && c->rig->own_devices)
		c->dev = NULL;
	while (c->nr_ctxs)
		c->rig->ctx_destroy(&c->ctx[--c->nr_ctxs]);
}

/* wait until the hardware has what the events ask for, as far as possible */
void conform_settle(struct kunit *test)
{
	struct conform *c = test->priv;
	unsigned int i;

	for (i = 0; i < c->nr_ctxs; i++)
		gpubp_ctx_wait_armed(c->ctx[i].core);
	gpubp_request_wait(c->dev);
	kthread_flush_worker(c->dev->requests.worker);
}

static bool range_is_armed(struct gpubp_ctx *ctx, u64 first, u64 last)
{
	struct gpubp_watch *w;

	lockdep_assert_held(&ctx->dev->lock);
	for (w = gpubp_watch_first(ctx, first, last); w;
	     w = gpubp_watch_next(w, first, last))
		if (!w->slots)
			return false;
	return gpubp_watch_first(ctx, first, last);
}

static bool all_armed(struct conform *c)
{
	unsigned int i;

	guard(mutex)(&c->dev->lock);
	for (i = 0; i < c->nr_ctxs; i++)
		if (c->ctx[i].core->dev == c->dev &&
		    !range_is_armed(c->ctx[i].core, 0, U64_MAX))
			return false;
	return true;
}

/* wait until all watches of every context are armed at the same time */
void conform_armed(struct kunit *test)
{
	struct conform *c = test->priv;

	conform_settle(test);
	KUNIT_ASSERT_TRUE_MSG(test, conform_wait(all_armed(c)),
			      "watches were never armed");
}

static bool byte_is_armed(struct gpubp_ctx *ctx, u64 va)
{
	guard(mutex)(&ctx->dev->lock);
	return range_is_armed(ctx, va, va);
}

/* wait until the watches of one byte are armed, regardless of the others */
void conform_armed_at(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va)
{
	conform_settle(test);
	KUNIT_ASSERT_TRUE_MSG(test, conform_wait(byte_is_armed(ctx->core, va)),
			      "the watch was never armed");
}

/* wait until every reported hit is accounted */
void conform_quiesce(struct kunit *test)
{
	struct conform *c = test->priv;
	unsigned int i;

	for (i = 0; c->rig->settle && i < c->nr_ctxs; i++)
		c->rig->settle(&c->ctx[i]);
	KUNIT_EXPECT_EQ(test, gpubp_hits_wait(c->dev, 60 * HZ), 0);
	kthread_flush_worker(c->dev->resolver);
	if (!conform_wait((gpubp_cells_sync(), !gpubp_cells_in_use(c->dev))))
		KUNIT_FAIL(test, "hits stay in flight");
}

/*
 * hits raised in the core = sum of all other statistics = hits raised by the rig and
 * those that its trap handler let go on
 */
void conform_expect_stats(struct kunit *test)
{
	struct conform *c = test->priv;
	s64 sum = 0;
	int s;

	conform_quiesce(test);
	for (s = 0; s < GPUBP_NR_STATS; s++)
		if (s != GPUBP_STAT_RAISED)
			sum += conform_stat(c, s);
	KUNIT_EXPECT_EQ_MSG(test, conform_stat(c, GPUBP_STAT_RAISED), sum,
			    "the statistics do not balance");
	KUNIT_EXPECT_EQ_MSG(test, conform_stat(c, GPUBP_STAT_RAISED) -
				  conform_stat(c, GPUBP_STAT_STRAY_FILTERED) -
				  conform_recorded(c),
			    (s64)(c->rig->raised(c->rig->gpu) - c->raised),
			    "hits got lost between device and core");
}

static void close_events(struct kunit *test)
{
	struct conform *c = test->priv;

	while (c->nr_events)
		conform_close(test, c->event[0]);
}

static bool nothing_armed(struct conform *c)
{
	unsigned int s;

	guard(mutex)(&c->dev->lock);
	for (s = 0; s < c->caps.nr_slots; s++)
		if (c->dev->prog.slot[s].used)
			return false;
	return !c->dev->nr_watches;
}

static void clean_up(struct kunit *test)
{
	struct conform *c = test->priv;
	const struct gpubp_rig *rig = c->rig;

	close_events(test);
	if (c->dev) {
		KUNIT_EXPECT_TRUE_MSG(test, conform_wait(nothing_armed(c)),
				      "slots are in use for closed events");
		conform_expect_stats(test);
		KUNIT_EXPECT_TRUE_MSG(test,
				      conform_wait(!rig->nr_stopped(rig->gpu)),
				      "waves stay stopped");
	}
	conform_destroy_ctxs(test);
}

/** gpubp_conform_exit() - kunit_suite.exit of every such suite */
void gpubp_conform_exit(struct kunit *test)
{
	struct conform *c = test->priv;
	const struct gpubp_rig *rig;
	const char *complaint;

	if (!c)
		return;
	rig = c->rig;
	if (rig->slow_reads)
		rig->slow_reads(rig->gpu, 0);
	if (rig->fail)
		rig->fail(rig->gpu, 0);
	if (rig->refuse_suspend)
		rig->refuse_suspend(rig->gpu, false);
	clean_up(test);
	if (!c->dev && rig->plug)
		KUNIT_EXPECT_EQ(test, rig->plug(rig->gpu), 0);
	complaint = rig->complaint ? rig->complaint(rig->gpu) : NULL;
	KUNIT_EXPECT_NULL_MSG(test, complaint, "%s: %s", rig->name, complaint);
}
EXPORT_SYMBOL_GPL(gpubp_conform_exit);

/* expands like MODULE_IMPORT_NS(), which takes an identifier or a string */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("gpubp: conformance suite for providers");
MODULE_LICENSE("GPL");
