// SPDX-License-Identifier: GPL-2.0
/* Watches: one object for equal requests, the interval tree, arming history. */
#include <linux/err.h>

#include "core/quota.h"
#include "event/bind.h"
#include "mock.h"
#include "sched/sched.h"
#include "sched/watch.h"

#define STORE	GPUBP_ACCESS_STORE
#define LOAD	GPUBP_ACCESS_LOAD

/* a watch with a binding instead of an event */
static struct gpubp_watch *get(struct mock_ctx *c, struct gpubp_binding *b,
			       u64 start, u64 len, u8 access)
{
	struct gpubp_user *user = gpubp_user_lookup(GLOBAL_ROOT_UID, true);
	struct gpubp_watch *w;

	if (!user)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&c->m->dev->lock);
	w = gpubp_watch_get(c->ctx, start, len, access, user, false);
	if (!IS_ERR(w) && b)
		list_add(&b->watch_node, &w->bindings);
	mutex_unlock(&c->m->dev->lock);
	gpubp_user_put(user);
	return w;
}

static void put(struct mock_ctx *c, struct gpubp_watch *w,
		struct gpubp_binding *b)
{
	guard(mutex)(&c->m->dev->lock);
	list_del(&b->watch_node);
	gpubp_watch_free_unused(w);
}

static struct gpubp_watch *find(struct mock_ctx *c, u64 start, u64 len, u64 id)
{
	guard(mutex)(&c->m->dev->lock);
	return gpubp_watch_find(c->ctx, start, start + len - 1, id);
}

static void equal_wishes_share_one_watch(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_binding b[2];
	struct gpubp_watch *w = get(c, &b[0], MOCK_VA, 4, STORE);
	u64 id;

	KUNIT_ASSERT_FALSE(test, IS_ERR(w));
	id = w->id;
	KUNIT_EXPECT_PTR_EQ(test, get(c, &b[1], MOCK_VA, 4, STORE), w);
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 1u);
	put(c, w, &b[0]);
	KUNIT_EXPECT_PTR_EQ(test, find(c, MOCK_VA, 4, id), w);
	put(c, w, &b[1]);
	KUNIT_EXPECT_NULL(test, find(c, MOCK_VA, 4, id));
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 0u);
}

static void unequal_wishes_do_not(struct kunit *test)
{
	static const struct { u64 start, len; u8 access; } request[] = {
		{ MOCK_VA, 4, STORE },
		{ MOCK_VA, 8, STORE },
		{ MOCK_VA, 4, LOAD },
		{ MOCK_VA + 4, 4, STORE },
	};
	struct mock_ctx *c = mock_ctx(test), *other = mock_ctx(test);
	struct gpubp_watch *w[ARRAY_SIZE(request) + 1];
	struct gpubp_binding *b = kunit_kcalloc(test, ARRAY_SIZE(w), sizeof(*b),
						GFP_KERNEL);
	int i, j;

	KUNIT_ASSERT_NOT_NULL(test, b);
	for (i = 0; i < ARRAY_SIZE(request); i++)
		w[i] = get(c, &b[i], request[i].start, request[i].len,
			   request[i].access);
	w[i] = get(other, &b[i], MOCK_VA, 4, STORE);
	for (i = 0; i < ARRAY_SIZE(w); i++) {
		KUNIT_ASSERT_FALSE(test, IS_ERR(w[i]));
		for (j = 0; j < i; j++) {
			KUNIT_EXPECT_PTR_NE(test, w[i], w[j]);
			KUNIT_EXPECT_NE(test, w[i]->id, w[j]->id);
		}
	}
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches,
			(unsigned int)ARRAY_SIZE(w));
	for (i = 0; i < ARRAY_SIZE(w); i++)
		put(i < ARRAY_SIZE(request) ? c : other, w[i], &b[i]);
}

static void found_by_id_among_those_that_overlap(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_binding b[3];
	struct gpubp_watch *w[3];
	int i;

	w[0] = get(c, &b[0], MOCK_VA, 64, STORE);
	w[1] = get(c, &b[1], MOCK_VA + 8, 4, STORE);
	w[2] = get(c, &b[2], MOCK_VA + 8, 4, LOAD);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_PTR_EQ(test, find(c, w[i]->start, i ? 4 : 64,
					       w[i]->id), w[i]);
	KUNIT_EXPECT_NULL(test, find(c, w[2]->start, 4, w[2]->id + 1000));
	KUNIT_EXPECT_NULL(test, find(c, w[2]->start, 5, w[2]->id));
	for (i = 0; i < 3; i++)
		put(c, w[i], &b[i]);
}

#define ALIKE	100

static int nr_at(struct mock_ctx *c, u64 addr)
{
	struct gpubp_watch *w;
	int n = 0;

	guard(mutex)(&c->m->dev->lock);
	for (w = gpubp_watch_first(c->ctx, addr, addr); w;
	     w = gpubp_watch_next(w, addr, addr))
		n++;
	return n;
}

/* many overlapping watches: the tree's query finds each once, in order */
static void many_that_start_alike(struct kunit *test)
{
	struct gpubp_binding *b = kunit_kcalloc(test, ALIKE, sizeof(*b),
						GFP_KERNEL);
	struct gpubp_watch *w[ALIKE];
	struct mock_ctx *c = mock_ctx(test);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	/* not in the order of their lengths */
	for (i = 0; i < ALIKE; i++)
		w[i] = get(c, &b[i], MOCK_VA, 1 + i * 37 % ALIKE, STORE);
	for (i = 0; i < ALIKE; i++)
		KUNIT_EXPECT_PTR_EQ(test, find(c, MOCK_VA, 1 + i * 37 % ALIKE,
					       w[i]->id), w[i]);
	for (i = 0; i < ALIKE; i++)
		KUNIT_EXPECT_EQ(test, nr_at(c, MOCK_VA + i), ALIKE - i);
	for (i = 0; i < ALIKE; i++)
		put(c, w[i], &b[i]);
}

/* the committer's reference keeps it during the commit */
static void a_reference_outlives_the_last_event(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_binding b;
	struct gpubp_watch *w = get(c, &b, MOCK_VA, 4, STORE);
	u64 id = w->id;

	mutex_lock(&c->m->dev->lock);
	w->refs++;
	mutex_unlock(&c->m->dev->lock);
	put(c, w, &b);
	KUNIT_EXPECT_NULL(test, find(c, MOCK_VA, 4, id));
	mutex_lock(&c->m->dev->lock);
	KUNIT_EXPECT_EQ(test, w->id, id);	/* KASAN checks */
	gpubp_watch_put(w);
	mutex_unlock(&c->m->dev->lock);
}

struct query_case {
	const char *name;
	u64 first, last;
	u32 want;	/* bitmap of the expected watches */
};

/* [0x1000,0x1003] [0x1002,0x1041] [0x1040,0x1040] [0x2000,0x2fff] */
static const struct { u64 start, len; } queried[] = {
	{ 0x1000, 4 }, { 0x1002, 64 }, { 0x1040, 1 }, { 0x2000, 0x1000 },
};

static const struct query_case query_cases[] = {
	{ "everything", 0, U64_MAX, 0xf },
	{ "before_all", 0, 0xfff, 0 },
	{ "after_all", 0x3000, U64_MAX, 0 },
	{ "between", 0x1042, 0x1fff, 0 },
	{ "first_byte_of_one", 0x1000, 0x1000, 0x1 },
	{ "last_byte_of_two", 0x1003, 0x1003, 0x3 },
	{ "inside_the_long_one", 0x1010, 0x1013, 0x2 },
	{ "one_byte_watch_and_what_holds_it", 0x1040, 0x1040, 0x6 },
	{ "ends_where_it_starts", 0x1ff0, 0x2000, 0x8 },
	{ "around_all_of_one", 0x1fff, 0x3000, 0x8 },
};
KUNIT_ARRAY_PARAM_DESC(query, query_cases, name);

static u32 query_range(struct mock_ctx *c, struct gpubp_watch **w, u64 first,
		       u64 last)
{
	struct gpubp_watch *at;
	u32 found = 0;
	int i;

	guard(mutex)(&c->m->dev->lock);
	for (at = gpubp_watch_first(c->ctx, first, last); at;
	     at = gpubp_watch_next(at, first, last))
		for (i = 0; i < ARRAY_SIZE(queried); i++)
			if (w[i] == at)
				found ^= BIT(i);
	return found;
}

static void interval_query(struct kunit *test)
{
	const struct query_case *q = test->param_value;
	struct gpubp_binding b[ARRAY_SIZE(queried)];
	struct gpubp_watch *w[ARRAY_SIZE(queried)];
	struct mock_ctx *c = mock_ctx(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(queried); i++)
		w[i] = get(c, &b[i], queried[i].start, queried[i].len, STORE);
	KUNIT_EXPECT_EQ(test, query_range(c, w, q->first, q->last), q->want);
	for (i = 0; i < ARRAY_SIZE(queried); i++)
		put(c, w[i], &b[i]);
}

/* ---- arming history ------------------------------------------------------ */

struct step {
	u32 slots;
	u64 from, to;
};

struct time_case {
	const char *name;
	struct step steps[3];
	u64 time;
	u32 want;
};

/* a commit starts at .from; hits of the previous program arrive until .to */
static const struct time_case time_cases[] = {
	{ "never_armed", { }, 100, 0 },
	{ "armed_and_hit", { { 0x1, 100, 110 } }, 150, 0x1 },
	{ "hit_while_the_commit_ran", { { 0x1, 100, 110 } }, 105, 0x1 },
	{ "hit_at_the_start_of_the_commit", { { 0x1, 100, 110 } }, 100, 0x1 },
	{ "hit_before_it_was_armed", { { 0x1, 100, 110 } }, 99, 0 },
	{ "disarmed_and_hit",
	  { { 0x1, 100, 110 }, { 0, 200, 210 } }, 211, 0 },
	{ "hit_of_the_old_program_in_the_window",
	  { { 0x1, 100, 110 }, { 0, 200, 210 } }, 210, 0x1 },
	{ "hit_before_the_disarming_commit",
	  { { 0x1, 100, 110 }, { 0, 200, 210 } }, 150, 0x1 },
	{ "hit_before_the_old_program",
	  { { 0x1, 100, 110 }, { 0, 200, 210 } }, 99, 0 },
	{ "moved_both_in_the_window",
	  { { 0x1, 100, 110 }, { 0x6, 200, 210 } }, 205, 0x7 },
	{ "moved_old_before",
	  { { 0x1, 100, 110 }, { 0x6, 200, 210 } }, 199, 0x1 },
	{ "moved_new_after",
	  { { 0x1, 100, 110 }, { 0x6, 200, 210 } }, 211, 0x6 },
	{ "away_and_back",
	  { { 0x1, 100, 110 }, { 0, 200, 210 }, { 0x8, 300, 310 } }, 305, 0x8 },
	{ "in_the_gap_between",
	  { { 0x1, 100, 110 }, { 0, 200, 210 }, { 0x8, 300, 310 } }, 250, 0 },
	{ "the_old_program_is_kept_over_the_gap",
	  { { 0x1, 100, 110 }, { 0, 200, 210 }, { 0x8, 300, 310 } }, 205, 0x1 },
	{ "the_same_slots_again_change_nothing",
	  { { 0x1, 100, 110 }, { 0x1, 200, 210 } }, 150, 0x1 },
};
KUNIT_ARRAY_PARAM_DESC(time, time_cases, name);

static void apply_steps(struct gpubp_watch *w, const struct time_case *t)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(t->steps) && t->steps[i].from; i++)
		gpubp_watch_set_slots(w, t->steps[i].slots, t->steps[i].from,
				      t->steps[i].to);
}

static void slots_at_a_time(struct kunit *test)
{
	const struct time_case *t = test->param_value;
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_binding b;
	struct gpubp_watch *w = get(c, &b, MOCK_VA, 4, STORE);

	mutex_lock(&c->m->dev->lock);
	apply_steps(w, t);
	KUNIT_EXPECT_EQ(test, gpubp_watch_slots_at(w, t->time), t->want);
	mutex_unlock(&c->m->dev->lock);
	put(c, w, &b);
}

struct change_case {
	const char *name;
	u64 changes[6][2];	/* from, to */
	u64 time;
	bool want;
};

static const struct change_case change_cases[] = {
	{ "never_changed", {}, 100, true },
	{ "before", { { 100, 110 } }, 99, true },
	{ "at_its_start", { { 100, 110 } }, 100, false },
	{ "at_its_end", { { 100, 110 } }, 110, false },
	{ "after", { { 100, 110 } }, 111, true },
	{ "not_over", { { 100, U64_MAX } }, 1000000, false },
	{ "between_two", { { 100, 110 }, { 200, 210 } }, 150, true },
	{ "in_the_first_of_two", { { 100, 110 }, { 200, 210 } }, 105, false },
	{ "the_first_lasts_longer", { { 100, 300 }, { 200, 210 } }, 250,
	  false },
	{ "the_oldest_that_is_known",
	  { { 1, 2 }, { 3, 4 }, { 5, 8 }, { 9, 10 }, { 11, 12 }, { 13, 14 } },
	  7, false },
	{ "right_after_that",
	  { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 9, 10 }, { 11, 12 }, { 13, 14 } },
	  8, true },
	{ "too_long_ago",
	  { { 1, 2 }, { 10, 11 }, { 20, 21 }, { 30, 31 }, { 40, 41 },
	    { 50, 51 } }, 15, false },
};
KUNIT_ARRAY_PARAM_DESC(change, change_cases, name);

static void a_slot_is_settled(struct kunit *test)
{
	const struct change_case *t = test->param_value;
	struct gpubp_slot_changes changes = {};
	int i;

	for (i = 0; i < ARRAY_SIZE(t->changes) && t->changes[i][0]; i++) {
		u64 now = t->changes[i][0];

		gpubp_slot_change_begin(&changes, now);
		KUNIT_EXPECT_FALSE(test, gpubp_slot_is_settled(&changes, now));
		gpubp_slot_change_end(&changes, t->changes[i][1]);
	}
	KUNIT_EXPECT_EQ(test, gpubp_slot_is_settled(&changes, t->time),
			t->want);
}

static void old_times_of_a_watch_that_moves(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_binding b;
	struct gpubp_watch *w = get(c, &b, MOCK_VA, 4, STORE);

	mutex_lock(&c->m->dev->lock);
	gpubp_watch_set_slots(w, 0x1, 100, 110);
	gpubp_watch_set_slots(w, 0x2, 150, 160);
	KUNIT_EXPECT_EQ(test, w->old_slots, 0x1);
	KUNIT_EXPECT_EQ(test, w->old_from, 100);
	KUNIT_EXPECT_EQ(test, w->old_to, 160);
	gpubp_watch_set_slots(w, 0, 250, 260);
	KUNIT_EXPECT_EQ(test, w->old_from, 150);
	gpubp_watch_set_slots(w, 0x4, 1000, 1010);	/* was not armed */
	KUNIT_EXPECT_EQ(test, w->old_to, 260);
	gpubp_watch_set_slots(w, 0x4, 2000, 2010);	/* stays */
	KUNIT_EXPECT_EQ(test, w->armed_from, 1000);
	mutex_unlock(&c->m->dev->lock);
	put(c, w, &b);
}

/* more than are dequeued with the device lock held */
static void withdrawn_in_pieces(struct kunit *test)
{
	enum { NR = 600 };
	struct mock_ctx *c = mock_ctx(test), *other = mock_ctx(test);
	struct gpubp_watch **w = kunit_kcalloc(test, NR, sizeof(*w),
					       GFP_KERNEL);
	struct gpubp_binding *b = kunit_kcalloc(test, NR + 1, sizeof(*b),
						GFP_KERNEL);
	unsigned int i, queued = 0;
	struct gpubp_watch *stays;

	KUNIT_ASSERT_NOT_NULL(test, w);
	KUNIT_ASSERT_NOT_NULL(test, b);
	stays = get(other, &b[NR], MOCK_VA, 4, STORE);
	KUNIT_ASSERT_FALSE(test, IS_ERR(stays));
	for (i = 0; i < NR; i++) {
		w[i] = get(c, &b[i], MOCK_VA + 64 * i, 4, STORE);
		KUNIT_ASSERT_FALSE(test, IS_ERR(w[i]));
	}
	scoped_guard(mutex, &c->m->dev->lock)
		c->ctx->fenced = true;
	gpubp_watches_withdraw(c->ctx);
	for (i = 0; i < NR; i++)
		queued += !!w[i]->fq.flow;
	KUNIT_EXPECT_EQ(test, queued, 0u);
	KUNIT_EXPECT_NOT_NULL(test, stays->fq.flow);
	for (i = 0; i < NR; i++)
		put(c, w[i], &b[i]);
	put(other, stays, &b[NR]);
}

static struct kunit_case watch_test_cases[] = {
	KUNIT_CASE(equal_wishes_share_one_watch),
	KUNIT_CASE(unequal_wishes_do_not),
	KUNIT_CASE(found_by_id_among_those_that_overlap),
	KUNIT_CASE(many_that_start_alike),
	KUNIT_CASE(a_reference_outlives_the_last_event),
	KUNIT_CASE_PARAM(interval_query, query_gen_params),
	KUNIT_CASE_PARAM(slots_at_a_time, time_gen_params),
	KUNIT_CASE_PARAM(a_slot_is_settled, change_gen_params),
	KUNIT_CASE(old_times_of_a_watch_that_moves),
	KUNIT_CASE(withdrawn_in_pieces),
	{}
};

static struct kunit_suite watch_test_suite = {
	.name = "gpubp_watch",
	.suite_exit = mock_suite_exit,
	.init = mock_init_shared,
	.exit = mock_exit_shared,
	.test_cases = watch_test_cases,
};
kunit_test_suite(watch_test_suite);
