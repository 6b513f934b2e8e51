// SPDX-License-Identifier: GPL-2.0
/*
 * Watches by slots: what a hit at an unknown address may match is found by the
 * slots that hit, among any number of other watches.
 */
#include <linux/err.h>
#include <linux/prandom.h>

#include "core/quota.h"
#include "mock.h"
#include "sched/sched.h"
#include "sched/watch.h"

#define STORE		GPUBP_ACCESS_STORE
#define SOME		12	/* watches of a small world */
#define STEPS		4000
#define MANY		3000
#define HIT_DELAY	(100 * NSEC_PER_MSEC)

/**
 * struct program - slots that compared a watch
 * @slots: bitmap
 * @from: since when
 * @to: time of their last hit
 */
struct program {
	u32 slots;
	u64 from;
	u64 to;
};

/**
 * struct hidden - a watch, and what the hardware compared for it
 * @w: NULL while it does not exist
 * @b: its binding
 * @now: its program
 * @old: the one before
 * @next: slots of the commit that runs
 */
struct hidden {
	struct gpubp_watch *w;
	struct gpubp_binding b;
	struct program now;
	struct program old;
	u32 next;
};

/**
 * struct world - a small one
 * @c: context
 * @rnd: random numbers
 * @watches: by address
 * @now: time
 * @commit: start of the commit that runs, 0: none does
 * @resolved: hits reported until then are resolved
 */
struct world {
	struct mock_ctx *c;
	struct rnd_state rnd;
	struct hidden watches[SOME];
	u64 now;
	u64 commit;
	u64 resolved;
};

static u32 below(struct world *world, u32 n)
{
	return prandom_u32_state(&world->rnd) % n;
}

/* none, or some of four slots */
static u32 some_slots(struct world *world)
{
	return below(world, 2) ? 0 : 1 + below(world, 15);
}

static struct gpubp_watch *watch_get(struct mock_ctx *c,
				     struct gpubp_binding *b, u64 start)
{
	struct gpubp_user *user = gpubp_user_lookup(GLOBAL_ROOT_UID, true);
	struct gpubp_watch *w;

	if (!user)
		return NULL;
	w = gpubp_watch_get(c->ctx, start, 4, STORE, user, false);
	gpubp_user_put(user);
	if (IS_ERR(w))
		return NULL;
	list_add(&b->watch_node, &w->bindings);
	return w;
}

static void watch_put(struct gpubp_watch *w, struct gpubp_binding *b)
{
	list_del(&b->watch_node);
	gpubp_watch_free_unused(w);
}

static void hidden_create(struct world *world, struct hidden *h)
{
	u64 start = MOCK_VA + (h - world->watches) * 16;

	memset(h, 0, sizeof(*h));
	h->w = watch_get(world->c, &h->b, start);
}

static void hidden_remove(struct hidden *h)
{
	watch_put(h->w, &h->b);
	h->w = NULL;
}

static void hidden_set(struct world *world, struct hidden *h, u32 slots)
{
	u64 to = world->now + below(world, 3) * NSEC_PER_MSEC;

	gpubp_watch_set_slots(h->w, slots, world->commit, to);
	gpubp_watch_age(h->w, world->resolved);
	h->next = 0;
	if (slots == h->now.slots)
		return;
	if (h->now.slots) {
		h->old = h->now;
		h->old.to = to;
	}
	h->now = (struct program) { slots, world->commit, U64_MAX };
}

static void commit_begin(struct world *world)
{
	struct hidden *h;

	world->commit = world->now;
	world->c->m->dev->sched->commit_from = world->now;
	for (h = world->watches; h < world->watches + SOME; h++) {
		if (!h->w)
			continue;
		h->next = some_slots(world);
		gpubp_watch_set_next_slots(h->w, h->next);
	}
}

static void commit_end(struct world *world)
{
	struct hidden *h;

	for (h = world->watches; h < world->watches + SOME; h++)
		if (h->w)
			hidden_set(world, h, h->next);
	world->resolved = world->commit - below(world, 20) * NSEC_PER_MSEC;
	world->commit = 0;
}

/* a watch is created or removed, or a commit begins or ends */
static void world_step(struct world *world)
{
	struct hidden *h = &world->watches[below(world, SOME)];

	world->now += (1 + below(world, 30)) * NSEC_PER_MSEC;
	if (!below(world, 4)) {
		if (h->w)
			hidden_remove(h);
		else
			hidden_create(world, h);
	} else if (world->commit) {
		commit_end(world);
	} else {
		commit_begin(world);
	}
}

static bool program_compared(const struct program *p, u32 slots, u64 time)
{
	return p->slots & slots && time >= p->from && time <= p->to;
}

static bool hidden_was_hit(const struct world *world, const struct hidden *h,
			   u32 slots, u64 time)
{
	return h->w && (program_compared(&h->now, slots, time) ||
			program_compared(&h->old, slots, time) ||
			(world->commit && time >= world->commit &&
			 h->next & slots));
}

static u32 world_hit(const struct world *world, u32 slots, u64 time)
{
	u32 watches = 0;
	int i;

	for (i = 0; i < SOME; i++)
		if (hidden_was_hit(world, &world->watches[i], slots, time))
			watches |= BIT(i);
	return watches;
}

static u32 watch_bit(const struct gpubp_watch *w)
{
	return BIT((w->start - MOCK_VA) / 16);
}

/* by address, each once: the bits become larger */
static u32 found_in_slots(struct kunit *test, struct world *world, u32 slots,
			  u64 time)
{
	struct gpubp_watch *w = NULL;
	u32 watches = 0;

	while ((w = gpubp_watch_next_in_slots(world->c->ctx, w, slots))) {
		if (!(gpubp_watch_slots_at(w, time) & slots))
			continue;
		KUNIT_EXPECT_GT(test, watch_bit(w), watches);
		watches |= watch_bit(w);
	}
	return watches;
}

/* by looking at each watch of the context */
static u32 found_in_context(struct world *world, u32 slots, u64 time)
{
	struct gpubp_watch *w;
	u32 watches = 0;

	for (w = gpubp_watch_first(world->c->ctx, 0, U64_MAX); w;
	     w = gpubp_watch_next(w, 0, U64_MAX))
		if (gpubp_watch_slots_at(w, time) & slots)
			watches |= watch_bit(w);
	return watches;
}

/* hits that may be unresolved were raised since then */
static u64 oldest_hit(const struct world *world)
{
	return world->resolved > HIT_DELAY ? world->resolved - HIT_DELAY : 1;
}

static void check_hits(struct kunit *test, struct world *world)
{
	u64 oldest = oldest_hit(world);
	u32 ms = (world->now - oldest) / NSEC_PER_MSEC;
	int i;

	for (i = 0; i < 8; i++) {
		u64 time = world->now - below(world, ms + 1) * NSEC_PER_MSEC;
		u32 slots = 1 + below(world, 15);
		u32 want = world_hit(world, slots, time);

		KUNIT_EXPECT_EQ(test, found_in_context(world, slots, time),
				want);
		KUNIT_EXPECT_EQ(test, found_in_slots(test, world, slots, time),
				want);
	}
}

static void world_end(struct world *world)
{
	struct hidden *h;

	for (h = world->watches; h < world->watches + SOME; h++)
		if (h->w)
			hidden_remove(h);
}

static void no_match_of_a_small_world_is_lost(struct kunit *test)
{
	struct world *world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, world);
	world->c = mock_ctx(test);
	world->now = NSEC_PER_SEC;
	prandom_seed_state(&world->rnd, 19);
	guard(mutex)(&world->c->m->dev->lock);
	for (i = 0; i < STEPS; i++) {
		world_step(world);
		check_hits(test, world);
	}
	world_end(world);
}

static unsigned int nr_in_slots(struct mock_ctx *c, u32 slots)
{
	struct gpubp_watch *w = NULL;
	unsigned int n = 0;

	while ((w = gpubp_watch_next_in_slots(c->ctx, w, slots)))
		n++;
	return n;
}

/**
 * struct crowd - many watches
 * @w: the watches
 * @b: their bindings
 */
struct crowd {
	struct gpubp_watch *w[MANY];
	struct gpubp_binding b[MANY];
};

static struct crowd *crowd_create(struct kunit *test, struct mock_ctx *c)
{
	struct crowd *crowd = kvzalloc(sizeof(*crowd), GFP_KERNEL);
	int i;

	for (i = 0; crowd && i < MANY; i++) {
		crowd->w[i] = watch_get(c, &crowd->b[i], MOCK_VA + i * 8);
		KUNIT_EXPECT_NOT_NULL(test, crowd->w[i]);
	}
	return crowd;
}

static void crowd_free(struct crowd *crowd)
{
	int i;

	for (i = 0; i < MANY; i++)
		if (crowd->w[i])
			watch_put(crowd->w[i], &crowd->b[i]);
	kvfree(crowd);
}

/* each takes slot 0 for a quantum of 10 ms, then nothing is changed any more */
static void crowd_rotate(struct crowd *crowd)
{
	u64 now = 0;
	int i, k;

	for (i = 0; i < MANY; i++) {
		now += 10 * NSEC_PER_MSEC;
		gpubp_watch_set_slots(crowd->w[i], 1, now, now);
		if (i)
			gpubp_watch_set_slots(crowd->w[i - 1], 0, now, now);
		for (k = max(i - 20, 0); k < i; k++)
			gpubp_watch_age(crowd->w[k], now);
	}
}

/* what is examined is what the slots contain, or contained a moment ago */
static void others_are_not_examined(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct crowd *crowd;

	guard(mutex)(&c->m->dev->lock);
	crowd = crowd_create(test, c);
	KUNIT_ASSERT_NOT_NULL(test, crowd);
	KUNIT_EXPECT_EQ(test, nr_in_slots(c, U32_MAX), 0);
	gpubp_watch_set_slots(crowd->w[MANY / 3], 0x6, 100, 100);
	gpubp_watch_set_slots(crowd->w[MANY - 1], 0x4, 100, 100);
	KUNIT_EXPECT_EQ(test, nr_in_slots(c, 0x1), 0);
	KUNIT_EXPECT_EQ(test, nr_in_slots(c, 0x2), 1);
	KUNIT_EXPECT_EQ(test, nr_in_slots(c, 0x4), 2);
	KUNIT_EXPECT_EQ(test, nr_in_slots(c, 0xf), 2);
	gpubp_watch_set_slots(crowd->w[MANY / 3], 0, 200, 200);
	gpubp_watch_set_slots(crowd->w[MANY - 1], 0, 200, 200);
	KUNIT_EXPECT_EQ(test, nr_in_slots(c, 0xf), 2);
	gpubp_watch_age(crowd->w[MANY / 3], 200 + HIT_DELAY);
	gpubp_watch_age(crowd->w[MANY - 1], 201 + HIT_DELAY);
	KUNIT_EXPECT_EQ(test, nr_in_slots(c, 0xf), 1);
	gpubp_watch_age(crowd->w[MANY / 3], 201 + HIT_DELAY);
	KUNIT_EXPECT_EQ(test, nr_in_slots(c, 0xf), 0);
	crowd_rotate(crowd);
	KUNIT_EXPECT_EQ(test, nr_in_slots(c, 0x1), 12);
	KUNIT_EXPECT_EQ(test, nr_in_slots(c, 0xe), 0);
	crowd_free(crowd);
}

static struct kunit_case watch_slots_test_cases[] = {
	KUNIT_CASE(no_match_of_a_small_world_is_lost),
	KUNIT_CASE(others_are_not_examined),
	{}
};

static struct kunit_suite watch_slots_test_suite = {
	.name = "gpubp_watch_slots",
	.suite_exit = mock_suite_exit,
	.init = mock_init_shared,
	.exit = mock_exit_shared,
	.test_cases = watch_slots_test_cases,
};
kunit_test_suite(watch_slots_test_suite);
