// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: which watches are armed, and in which slots. tests/host/policy runs
 * all small configurations and large ones; this suite has the situations by
 * name, with the kernel's trees, lists and SipHash.
 */
#include <kunit/test.h>

/*
 * the files are linked into this module as well: the core does not export them
 */
#include "../../kernel/gpubp/lib/placement.c"
#include "../../kernel/gpubp/lib/fairq.c"
#include "../../kernel/gpubp/lib/policy.c"
#include "policy_replay.h"

#define ALL_MODES	0xf
#define MANY		200
#define SHARERS		1024	/* of one granule */
#define USERS		3

struct policy_watch {
	struct gpubp_fairq_entry fq;
	struct gpubp_candidate wants;
	struct gpubp_candidate asked;
	bool pinned;
	bool armed;
	unsigned int group;
	unsigned int count;
};

struct policy_world {
	struct gpubp_policy_caps caps;
	struct gpubp_policy p;
	struct gpubp_fairq_flow users[USERS];
	struct policy_watch watches[SHARERS + MANY];
	unsigned int nr;
};

/* ---- the policy's view of a device --------------------------------------- */

static struct policy_watch *policy_watch_of(struct gpubp_fairq_entry *entry)
{
	return container_of(entry, struct policy_watch, fq);
}

static struct gpubp_candidate *world_describe(struct gpubp_fairq_entry *entry,
					      void *arg)
{
	struct policy_watch *x = policy_watch_of(entry);

	x->asked = x->wants;
	return &x->asked;
}

static void world_drop(struct gpubp_candidate *cand, void *arg)
{
}

static struct gpubp_fairq_entry *
world_group_next(struct gpubp_fairq_entry *entry,
		 struct gpubp_fairq_entry *prev, void *arg)
{
	struct policy_watch *x = policy_watch_of(entry);
	struct policy_world *w = arg;
	struct policy_watch *m = prev ? policy_watch_of(prev) + 1 : w->watches;

	for (; x->group && m < w->watches + w->nr; m++)
		if (m->group == x->group)
			return &m->fq;
	return NULL;
}

static struct gpubp_fairq_entry *
world_share_next(u32 ctx, const struct gpubp_block *block,
		 struct gpubp_fairq_entry *prev, void *arg)
{
	struct policy_world *w = arg;
	struct policy_watch *m = prev ? policy_watch_of(prev) + 1 : w->watches;

	for (; m < w->watches + w->nr; m++)
		if (m->wants.block[0].value == block->value)
			return &m->fq;
	return NULL;
}

static const struct gpubp_policy_ops world_ops = {
	.describe = world_describe,
	.drop = world_drop,
	.group_next = world_group_next,
	.share_next = world_share_next,
};

static void free_world(void *w)
{
	kvfree(w);
}

static struct policy_world *new_world(struct kunit *test, u32 usable,
				      bool banked)
{
	struct policy_world *w = kvzalloc(sizeof(*w), GFP_KERNEL);
	const siphash_key_t key = { { 1, 2 } };
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, free_world, w));
	w->caps = (struct gpubp_policy_caps) { usable, ALL_MODES, banked };
	gpubp_policy_init(&w->p, &key);
	for (i = 0; i < USERS; i++)
		gpubp_fairq_flow_init(&w->users[i], i, 1);
	return w;
}

static void end_world(struct policy_world *w)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		gpubp_fairq_remove(&w->p.fairq, &w->watches[i].fq);
	for (i = 0; i < USERS; i++)
		gpubp_fairq_flow_exit(&w->users[i]);
}

/*
 * a watch of one granule; equal pages compare equal values; @user NULL: pinned
 */
static struct policy_watch *add(struct kunit *test, struct policy_world *w,
				struct gpubp_fairq_flow *user, u32 ctx,
				unsigned int page)
{
	struct policy_watch *x = &w->watches[w->nr++];

	x->wants = (struct gpubp_candidate) {
		.fq = &x->fq,
		.ctx = ctx,
		.mode = GPUBP_MODE_NONREAD,
		.nr_blocks = 1,
		.block[0] = { page * 0x1000ULL, 0xffffffffffc0 },
	};
	x->pinned = !user;
	if (user)
		KUNIT_EXPECT_EQ(test, 0, gpubp_fairq_add(&w->p.fairq, user,
							 &x->fq, 1));
	return x;
}

static void take_slots(struct list_head *cands)
{
	struct gpubp_candidate *c;

	list_for_each_entry(c, cands, node) {
		struct policy_watch *x = policy_watch_of(c->fq);

		x->wants.slots = c->slots;
		x->wants.slot[0] = c->slot[0];
		x->armed = c->armed;
		x->count += c->armed;
	}
}

static void next(struct policy_world *w)
{
	LIST_HEAD(pinned);
	LIST_HEAD(armed);
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		struct policy_watch *x = &w->watches[i];

		if (x->pinned)
			list_add_tail(&world_describe(&x->fq, w)->node,
				      &pinned);
	}
	gpubp_policy_next(&w->p, &w->caps, &world_ops, w, &pinned, &armed);
	for (i = 0; i < w->nr; i++) {
		w->watches[i].wants.slots = 0;
		w->watches[i].armed = false;
	}
	take_slots(&pinned);
	take_slots(&armed);
}

static void next_many(struct policy_world *w, unsigned int quanta)
{
	while (quanta--)
		next(w);
}

/* ---- scheduling ---------------------------------------------------------- */

static void all_fit(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0xf, true);
	unsigned int i;

	for (i = 0; i < 4; i++)
		add(test, w, &w->users[0], i, i + 1);
	next(w);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_TRUE(test, w->watches[i].armed);
		KUNIT_EXPECT_EQ(test, w->watches[i].wants.slots,
				BIT(w->watches[i].wants.slot[0]));
	}
	KUNIT_EXPECT_EQ(test, 0xfU, w->p.now.used);
	KUNIT_EXPECT_FALSE(test, gpubp_policy_rotates(&w->p));
	end_world(w);
}

static void many_have_their_turns(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0xf, true);
	unsigned int i, sum = 0;

	for (i = 0; i < MANY; i++)
		add(test, w, &w->users[0], i % 5, i + 1);
	next_many(w, 2000);
	/* three slots rotate in order: 30 epochs of 200 */
	for (i = 0; i < MANY; i++) {
		KUNIT_EXPECT_GE(test, w->watches[i].count, 29U);
		sum += w->watches[i].count;
	}
	KUNIT_EXPECT_EQ(test, 4U * 2000, sum);
	KUNIT_EXPECT_TRUE(test, gpubp_policy_rotates(&w->p));
	end_world(w);
}

static void users_have_the_same(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0x3, true);
	struct policy_watch *single;
	unsigned int i;

	for (i = 0; i < 100; i++)
		add(test, w, &w->users[0], 0, i + 1);
	single = add(test, w, &w->users[1], 0, MANY);
	next_many(w, 1000);
	/* every other turn, and the random slot in every other quantum */
	KUNIT_EXPECT_GE(test, single->count, 1000U - 2);
	end_world(w);
}

static void a_weight_counts(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0x7, true);
	unsigned int i, u, got[USERS] = {};

	for (u = 0; u < USERS; u++) {
		gpubp_fairq_flow_init(&w->users[u], u, u + 1);
		for (i = 0; i < 30; i++)
			add(test, w, &w->users[u], 0, w->nr + 1);
	}
	next_many(w, 3000);
	for (i = 0; i < w->nr; i++)
		got[i / 30] += w->watches[i].count;
	for (u = 0; u < USERS; u++) {
		KUNIT_EXPECT_GE(test, got[u], 1500 * (u + 1) - 140);
		KUNIT_EXPECT_LE(test, got[u], 1500 * (u + 1) + 140);
	}
	end_world(w);
}

static void who_goes_has_no_turns(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0xf, true);
	unsigned int i;

	for (i = 0; i < 20; i++)
		add(test, w, &w->users[0], 0, i + 1);
	for (i = 0; i < 20; i++) {
		next(w);
		gpubp_fairq_remove(&w->p.fairq, &w->watches[i].fq);
		w->watches[i].count = 0;
	}
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, 0U, w->watches[i].count);
	KUNIT_EXPECT_EQ(test, 0U, w->p.fairq.nr);
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_ROOT(&w->p.fairq.flows.rb_root));
	end_world(w);
}

/* ---- slots --------------------------------------------------------------- */

static void pinned_stay_where_they_are(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0xf, false);
	struct policy_watch *pinned;
	unsigned int i, slot;

	for (i = 0; i < 40; i++)
		add(test, w, &w->users[0], i, i + 1);
	pinned = add(test, w, NULL, 50, 50);
	next(w);
	slot = pinned->wants.slot[0];
	for (i = 1; i < 100; i++) {
		next(w);
		KUNIT_EXPECT_EQ(test, slot, pinned->wants.slot[0]);
	}
	KUNIT_EXPECT_EQ(test, 100U, pinned->count);
	KUNIT_EXPECT_EQ(test, 3U, w->p.flexible);
	end_world(w);
}

static void a_failing_slot_is_left(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0xf, true);
	struct policy_watch *x = add(test, w, &w->users[0], 1, 1);
	unsigned int gone;

	next(w);
	gone = x->wants.slot[0];
	w->caps.usable &= ~BIT(gone);
	next(w);
	KUNIT_EXPECT_TRUE(test, x->armed);
	KUNIT_EXPECT_NE(test, gone, x->wants.slot[0]);
	w->caps.usable = 0;
	next(w);
	KUNIT_EXPECT_FALSE(test, x->armed);
	KUNIT_EXPECT_FALSE(test, gpubp_policy_rotates(&w->p));
	end_world(w);
}

static void half_a_watch_is_never_armed(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0x3, true);
	struct policy_watch *broad;
	unsigned int i;

	add(test, w, &w->users[0], 1, 1);
	add(test, w, &w->users[0], 1, 2);
	broad = add(test, w, &w->users[0], 1, 3);
	broad->wants.nr_blocks = 2;
	broad->wants.block[1] = (struct gpubp_block) { 0x4000, 0xffffffffffc0 };
	for (i = 0; i < 30; i++) {
		next(w);
		KUNIT_EXPECT_EQ(test, broad->armed ? 2U : 0U,
				hweight32(broad->wants.slots));
	}
	/* an epoch has three turns of a quantum each */
	KUNIT_EXPECT_GE(test, broad->count, 9U);
	end_world(w);
}

static void a_group_is_armed_as_one(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0xf, true);
	unsigned int i, q;

	for (i = 0; i < 12; i++)
		add(test, w, &w->users[0], 1, i + 1)->group = i < 3;
	for (q = 0; q < 100; q++) {
		next(w);
		for (i = 1; i < 3; i++)
			KUNIT_EXPECT_EQ(test, w->watches[0].armed,
					w->watches[i].armed);
	}
	KUNIT_EXPECT_GE(test, w->watches[0].count, 20U);
	end_world(w);
}

struct share_case {
	const char *name;
	bool banked;
	bool same_ctx;
	bool same_mask;
	u8 mode;
	u32 modes;
	bool shared;
};

static const struct share_case share_cases[] = {
	{ "two_contexts_banked", true, false, true, GPUBP_MODE_NONREAD,
	  ALL_MODES, true },
	{ "two_contexts_and_masks_banked", true, false, false,
	  GPUBP_MODE_NONREAD, ALL_MODES, true },
	{ "two_contexts_not_banked", false, false, true, GPUBP_MODE_NONREAD,
	  ALL_MODES, false },
	{ "one_context_one_mask", false, true, true, GPUBP_MODE_NONREAD,
	  ALL_MODES, true },
	{ "one_context_two_masks", true, true, false, GPUBP_MODE_NONREAD,
	  ALL_MODES, false },
	{ "one_context_two_modes", true, true, true, GPUBP_MODE_READ,
	  ALL_MODES, true },
	{ "no_mode_for_both", true, true, true, GPUBP_MODE_READ,
	  BIT(GPUBP_MODE_READ) | BIT(GPUBP_MODE_NONREAD), false },
};

static void share_name(const struct share_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(share, share_cases, share_name);

static void slots_are_shared_as_listed(struct kunit *test)
{
	const struct share_case *c = test->param_value;
	struct policy_world *w = new_world(test, 0x1, c->banked);
	struct policy_watch *second;

	w->caps.modes = c->modes;
	add(test, w, &w->users[0], 1, 1);
	second = add(test, w, &w->users[1], c->same_ctx ? 1 : 2, 1);
	second->wants.mode = c->mode;
	if (!c->same_mask)
		second->wants.block[0].mask <<= 4;
	next(w);
	KUNIT_EXPECT_TRUE(test, w->watches[0].armed);
	KUNIT_EXPECT_EQ(test, c->shared, second->armed);
	end_world(w);
}

static unsigned int count_armed(const struct policy_world *w)
{
	unsigned int i, n = 0;

	for (i = 0; i < w->nr; i++)
		n += w->watches[i].armed;
	return n;
}

static void whoever_is_served_is_armed(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0xf, true);
	unsigned int i, q;

	for (i = 0; i < SHARERS; i++)
		add(test, w, &w->users[i % USERS], 1, 1);
	for (q = 0; q < 10; q++) {
		next(w);
		KUNIT_EXPECT_EQ(test, (unsigned int)SHARERS, count_armed(w));
		KUNIT_EXPECT_FALSE(test, gpubp_policy_rotates(&w->p));
	}
	end_world(w);
}

/* all sharers fit in one slot; the others remain for other watches */
static void sharers_take_one_slot(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0xf, true);
	unsigned int i, q;

	for (i = 0; i < SHARERS; i++)
		add(test, w, &w->users[0], 1, 1);
	for (i = 0; i < MANY; i++)
		add(test, w, &w->users[1], 1, 2 + i);
	for (q = 0; q < 100; q++) {
		next(w);
		KUNIT_EXPECT_EQ(test, SHARERS + 3U, count_armed(w));
	}
	KUNIT_EXPECT_TRUE(test, gpubp_policy_rotates(&w->p));
	end_world(w);
}

static void modes_are_chosen(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, (int)GPUBP_MODE_READ,
			gpubp_mode_for(GPUBP_ACCESS_LOAD, ALL_MODES));
	KUNIT_EXPECT_EQ(test, (int)GPUBP_MODE_NONREAD,
			gpubp_mode_for(GPUBP_ACCESS_STORE, ALL_MODES));
	KUNIT_EXPECT_EQ(test, (int)GPUBP_MODE_ATOMIC,
			gpubp_mode_for(GPUBP_ACCESS_ATOMIC, ALL_MODES));
	KUNIT_EXPECT_EQ(test, (int)GPUBP_MODE_ALL,
			gpubp_mode_for(GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE,
				       ALL_MODES));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			gpubp_mode_for(GPUBP_ACCESS_LOAD,
				       BIT(GPUBP_MODE_NONREAD)));
	KUNIT_EXPECT_EQ(test, -EINVAL, gpubp_mode_for(0, ALL_MODES));
}

/* ---- randomness ---------------------------------------------------------- */

static void quanta_are_those_of_user_space(struct kunit *test)
{
	static const siphash_key_t key = REPLAY_KEY;
	struct replay *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	struct gpubp_fairq t;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, r);
	gpubp_fairq_init(&t, &key);
	for (i = 0; i < ARRAY_SIZE(replay_numbers); i++)
		KUNIT_EXPECT_EQ(test, (u64)replay_numbers[i],
				gpubp_fairq_random(&t, 1000));
	KUNIT_EXPECT_EQ(test, 0, replay_init(r));
	for (i = 0; i < REPLAY_QUANTA; i++)
		KUNIT_EXPECT_EQ(test, replay_armed[i], replay_next(r));
	replay_exit(r);
}

static void quanta_are_dithered(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0, false);
	unsigned int i, least = ~0, most = 0, sum = 0;

	for (i = 0; i < 1000; i++) {
		u32 us = gpubp_policy_dither(&w->p, 1000);

		least = min(least, us);
		most = max(most, us);
		sum += us;
	}
	KUNIT_EXPECT_GE(test, sum / i, 950U);
	KUNIT_EXPECT_LE(test, sum / i, 1050U);
	KUNIT_EXPECT_GE(test, least, 500U);
	KUNIT_EXPECT_LE(test, least, 520U);
	KUNIT_EXPECT_LE(test, most, 1500U);
	KUNIT_EXPECT_GE(test, most, 1480U);
	end_world(w);
}

static struct kunit_case policy_test_cases[] = {
	KUNIT_CASE(all_fit),
	KUNIT_CASE(many_have_their_turns),
	KUNIT_CASE(users_have_the_same),
	KUNIT_CASE(a_weight_counts),
	KUNIT_CASE(who_goes_has_no_turns),
	KUNIT_CASE(pinned_stay_where_they_are),
	KUNIT_CASE(a_failing_slot_is_left),
	KUNIT_CASE(half_a_watch_is_never_armed),
	KUNIT_CASE(a_group_is_armed_as_one),
	KUNIT_CASE_PARAM(slots_are_shared_as_listed, share_gen_params),
	KUNIT_CASE(whoever_is_served_is_armed),
	KUNIT_CASE(sharers_take_one_slot),
	KUNIT_CASE(modes_are_chosen),
	KUNIT_CASE(quanta_are_those_of_user_space),
	KUNIT_CASE(quanta_are_dithered),
	{}
};

static struct kunit_suite policy_suite = {
	.name = "gpubp_policy",
	.test_cases = policy_test_cases,
};
kunit_test_suite(policy_suite);
