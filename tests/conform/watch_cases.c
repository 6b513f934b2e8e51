// SPDX-License-Identifier: GPL-2.0
/* Watches: which accesses count, and how often. */
#include <linux/err.h>
#include <linux/kthread.h>

#include "conform.h"
#include "core/event_time.h"
#include "sched/coalesce.h"

/* the core knows the kind of each access */
static bool is_exact(struct conform *c)
{
	return (c->dev->desc.isa && c->caps.precise) ||
	       (c->caps.hit_fields & GPUBP_HITF_ADDR);
}

static void expect_count(struct kunit *test, struct perf_event *event, u64 want,
			 const char *what)
{
	struct conform *c = test->priv;

	conform_quiesce(test);
	if (is_exact(c))
		KUNIT_EXPECT_EQ_MSG(test, conform_count(event), want, "%s",
				    what);
	else
		KUNIT_EXPECT_GE_MSG(test, conform_count(event), want, "%s",
				    what);
}

void conform_a_device_without_comparators_refuses_watches(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx = conform_ctx(test);
	struct perf_event_attr attr = conform_attr(ctx->data, 4, STORE);
	struct perf_event *event;

	conform_need(test, !c->caps.nr_slots, "has comparators");
	attr.config |= (u64)(gpubp_device_number(c->dev) + 1) <<
		       GPUBP_CONFIG_DEVICE_SHIFT;
	event = conform_try_event(test, &attr);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -EOPNOTSUPP);

	/* without this, another device may serve the event */
	attr = conform_attr(ctx->data, 4, STORE);
	event = conform_try_event(test, &attr);
	KUNIT_EXPECT_TRUE(test, !IS_ERR(event) ||
			  PTR_ERR(event) == -EOPNOTSUPP);
	conform_store(test, ctx, ctx->data);
	KUNIT_EXPECT_EQ(test, conform_stat(c, GPUBP_STAT_RAISED), 0);
}

void conform_a_store_in_the_watch_counts_one(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;

	conform_need_slots(test);
	ctx = conform_ctx(test);
	event = conform_event(test, ctx->data + 0x100, 4, STORE);
	conform_armed(test);
	conform_store(test, ctx, ctx->data + 0x100);
	conform_quiesce(test);
	KUNIT_EXPECT_EQ(test, conform_count(event), 1);
	conform_store(test, ctx, ctx->data + 0x100);
	conform_store(test, ctx, ctx->data + 0x100);
	conform_quiesce(test);
	KUNIT_EXPECT_EQ(test, conform_count(event), 3);
}

void conform_accesses_outside_count_none(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	u64 block;

	conform_need_slots(test);
	ctx = conform_ctx(test);
	block = c->caps.granule;
	event = conform_event(test, ctx->data + 4 * block, block, STORE);
	conform_armed(test);
	conform_store(test, ctx, ctx->data + 4 * block - 4);
	conform_store(test, ctx, ctx->data + 5 * block);
	conform_store(test, ctx, ctx->data + 8 * block);
	conform_quiesce(test);
	KUNIT_EXPECT_EQ(test, conform_count(event), 0);
}

#define FIELDS	4

static unsigned int old_max_stray;

static void restore_max_stray(void *unused)
{
	WRITE_ONCE(gpubp_max_stray, old_max_stray);
}

static void neighbours_share(struct kunit *test)
{
	int err;

	old_max_stray = gpubp_max_stray;
	WRITE_ONCE(gpubp_max_stray, 1);
	err = kunit_add_action_or_reset(test, restore_max_stray, NULL);
	KUNIT_ASSERT_EQ(test, err, 0);
}

/* watches a field in the first of two granules, of each struct of an array */
void conform_holes_of_a_mask_compare_nothing(struct kunit *test)
{
	struct conform *c = test->priv;
	struct perf_event *event[FIELDS];
	struct gpubp_rig_ctx *ctx;
	u32 step = 2 * c->caps.granule, valid;
	int i;

	conform_need_slots(test);
	conform_need(test, c->caps.ternary, "masks have no holes");
	conform_need(test, c->caps.max_block >= FIELDS * step, "small blocks");
	neighbours_share(test);
	ctx = conform_ctx(test);
	for (i = 0; i < FIELDS; i++)
		event[i] = conform_event(test, ctx->data + i * step, 4, STORE);
	conform_armed(test);
	valid = READ_ONCE(ctx->core->prog.valid);
	KUNIT_EXPECT_EQ(test, hweight32(valid), 1);
	for (i = 0; i < FIELDS; i++) {
		conform_store(test, ctx, ctx->data + i * step);
		conform_store(test, ctx, ctx->data + i * step + step / 2);
	}
	conform_quiesce(test);
	for (i = 0; i < FIELDS; i++)
		KUNIT_EXPECT_EQ_MSG(test, conform_count(event[i]), 1,
				    "field %d", i);
	KUNIT_EXPECT_EQ(test, conform_stat(c, GPUBP_STAT_RAISED), FIELDS);
}

/* 0 means stores and atomics */
static const u32 masks[] = {
	0, LOAD, STORE, ATOMIC, LOAD | STORE, STORE | ATOMIC,
	LOAD | STORE | ATOMIC,
};

static const u8 kinds[] = { LOAD, STORE, ATOMIC };

static void try_mask(struct kunit *test, struct gpubp_rig_ctx *ctx, u32 mask)
{
	u32 asked = mask ?: STORE | ATOMIC;
	struct perf_event *event = conform_event(test, ctx->data, 4, mask);
	u64 want = 0;
	char what[32];
	int i;

	conform_armed(test);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		conform_access(test, ctx, ctx->data, 4, kinds[i]);
		want += !!(asked & kinds[i]);
		snprintf(what, sizeof(what), "access %u, kind %u", mask,
			 kinds[i]);
		expect_count(test, event, want, what);
	}
	conform_close(test, event);
}

void conform_each_kind_of_access_counts_where_it_is_asked_for(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx;
	int i;

	conform_need_slots(test);
	ctx = conform_ctx(test);
	for (i = 0; i < ARRAY_SIZE(masks); i++)
		try_mask(test, ctx, masks[i]);
}

struct straddle_row {
	u8 at;
	u8 len;
	bool hits;
};

/* the watch is [62, 66) */
static const struct straddle_row straddle_rows[] = {
	{ 60, 2, false },
	{ 61, 1, false },
	{ 62, 1, true },
	{ 63, 1, true },
	{ 64, 1, true },
	{ 65, 1, true },
	{ 66, 1, false },
	{ 66, 2, false },
	{ 64, 2, true },
	{ 60, 4, true },
	{ 64, 4, true },
	{ 68, 4, false },
	{ 56, 8, true },
	{ 64, 8, true },
	{ 61, 2, true },	/* also unaligned */
	{ 61, 4, true },
	{ 58, 4, false },
	{ 65, 4, true },
	{ 60, 8, true },
};

/* only the end of the access is in the comparator's block */
void conform_accesses_that_begin_outside_count(struct kunit *test)
{
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	u64 edge;

	conform_need_slots(test);
	ctx = conform_ctx(test);
	edge = ctx->data + 4 * c->caps.granule;
	event = conform_event(test, edge, 4, STORE);
	conform_armed(test);
	conform_access(test, ctx, edge - 4, 8, STORE);
	expect_count(test, event, 1, "8 bytes");
	conform_access(test, ctx, edge - 3, 4, STORE);
	expect_count(test, event, 2, "4 bytes");
	conform_access(test, ctx, edge - 8, 8, STORE);
	expect_count(test, event, 2, "before");
}

void conform_unaligned_and_straddling_accesses_count(struct kunit *test)
{
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	u64 base, want = 0;
	char what[32];
	int i;

	conform_need_slots(test);
	ctx = conform_ctx(test);
	base = ctx->data + 0x400;
	event = conform_event(test, base + 62, 4, STORE);
	conform_armed(test);
	for (i = 0; i < ARRAY_SIZE(straddle_rows); i++) {
		const struct straddle_row *row = &straddle_rows[i];

		conform_access(test, ctx, base + row->at, row->len, STORE);
		want += row->hits;
		snprintf(what, sizeof(what), "%u bytes at %u", row->len,
			 row->at);
		expect_count(test, event, want, what);
	}
}

void conform_two_slots_that_match_count_one(struct kunit *test)
{
	struct conform *c = test->priv;
	struct perf_event *left, *right, *all;
	struct gpubp_rig_ctx *ctx;
	u64 edge;

	conform_need_slots(test);
	conform_need(test, hweight32(c->caps.usable_slots) >= 2,
		     "one comparator");
	ctx = conform_ctx(test);
	edge = ctx->data + 4 * c->caps.granule;
	left = conform_event(test, edge - 4, 4, STORE);
	right = conform_event(test, edge, 4, STORE);
	all = conform_event(test, edge - 4, 4, LOAD | STORE | ATOMIC);
	conform_armed(test);
	conform_access(test, ctx, edge - 4, 8, STORE);
	conform_quiesce(test);
	KUNIT_EXPECT_EQ(test, conform_count(left), 1);
	KUNIT_EXPECT_EQ(test, conform_count(right), 1);
	KUNIT_EXPECT_EQ(test, conform_count(all), 1);
}

struct watched {
	struct perf_event *event;
	u64 truth;
};

static bool all_seen(const struct watched *watched, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!conform_count(watched[i].event))
			return false;
	return true;
}

/* a wave that stores once to each watch */
static void store_in_each(struct kunit *test, struct gpubp_rig_ctx *ctx,
			  struct watched *watched, unsigned int n)
{
	struct gpubp_rig_access access[2 * GPUBP_MAX_SLOTS + 1];
	unsigned int i;

	conform_need_run(test);
	for (i = 0; i < n; i++) {
		access[i] = (struct gpubp_rig_access) {
			.va = ctx->data + 0x200 * i,
			.len = 4,
			.kind = STORE,
		};
		watched[i].truth++;
	}
	KUNIT_ASSERT_EQ(test, ctx->rig->run(ctx, access, n), 0);
}

/* where no comparator fails, the gap between two turns is bounded */
static void expect_turns(struct kunit *test, const struct watched *watched,
			 unsigned int n)
{
	struct conform *c = test->priv;
	unsigned int i, slots = hweight32(c->caps.usable_slots);
	struct gpubp_service had;

	if (c->rig->fail || slots < 2)
		return;
	for (i = 0; i < n; i++) {
		gpubp_event_service(watched[i].event->pmu_private, &had);
		KUNIT_EXPECT_LE_MSG(test, had.gap.quanta,
				    (u64)(2 * n / (slots - 1)), "watch %u", i);
	}
}

void conform_more_watches_than_slots_are_all_seen(struct kunit *test)
{
	struct watched watched[2 * GPUBP_MAX_SLOTS + 1] = {};
	struct conform *c = test->priv;
	struct gpubp_rig_ctx *ctx;
	unsigned int i, n;

	conform_need_slots(test);
	n = 2 * c->caps.nr_slots + 1;
	ctx = conform_ctx(test);
	for (i = 0; i < n; i++)
		watched[i].event = conform_event(test, ctx->data + 0x200 * i, 4,
						 STORE);
	conform_settle(test);
	KUNIT_ASSERT_TRUE_MSG(test,
			      conform_wait((store_in_each(test, ctx, watched,
							  n),
					    all_seen(watched, n))),
			      "a watch was never scheduled");
	conform_quiesce(test);
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_LE_MSG(test, conform_count(watched[i].event),
				    watched[i].truth, "watch %u", i);
	expect_turns(test, watched, n);
}

struct stranger {
	const struct gpubp_rig *rig;
	int err;
};

#define STRANGER_MS	300

/*
 * long enough for a watch of another process to be armed, if that were possible
 */
static int store_for_a_while(struct gpubp_rig_ctx *ctx,
			     const struct gpubp_rig_access *access)
{
	ktime_t end = conform_in_ms(STRANGER_MS);
	int err;

	do {
		gpubp_ctx_wait_armed(ctx->core);
		err = ctx->rig->run(ctx, access, 1);
		msleep(5);
	} while (!err && ktime_before(ktime_get(), end));
	return err;
}

/* events treat a kernel thread as a process */
static int stranger(void *arg)
{
	struct stranger *s = arg;
	struct gpubp_rig_access access = { .len = 4, .kind = STORE };
	struct gpubp_rig_ctx ctx = { .rig = s->rig, .gpu = s->rig->gpu };

	int err = s->rig->ctx_create(&ctx);

	access.va = ctx.data;
	if (!err) {
		err = store_for_a_while(&ctx, &access);
		s->rig->ctx_destroy(&ctx);
	}
	WRITE_ONCE(s->err, err);
	while (!kthread_should_stop())
		msleep(1);
	return 0;
}

void conform_a_strangers_context_counts_nothing(struct kunit *test)
{
	struct conform *c = test->priv;
	struct stranger s = { .rig = c->rig, .err = 1 };
	struct gpubp_rig_ctx *ctx;
	struct perf_event *event;
	struct task_struct *thread;

	conform_need_slots(test);
	ctx = conform_ctx(test);
	event = conform_event(test, ctx->data, 4, STORE);
	conform_armed(test);
	conform_need_run(test);
	thread = kthread_run(stranger, &s, "gpubp_stranger");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	conform_wait(READ_ONCE(s.err) <= 0);
	kthread_stop(thread);
	KUNIT_EXPECT_EQ(test, s.err, 0);
	conform_quiesce(test);
	KUNIT_EXPECT_EQ(test, conform_count(event), 0);
	conform_store(test, ctx, ctx->data);
	conform_quiesce(test);
	KUNIT_EXPECT_EQ(test, conform_count(event), 1);
}
