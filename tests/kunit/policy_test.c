// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: who is armed, and where. tests/host/policy goes through every small
 * world; this suite has the situations by name, with the kernel's sort().
 */
#include <kunit/test.h>

/* the room is linked into this module, too: the core exports nothing of it */
#include "../../kernel/gpubp/policy.c"

#define ALL_MODES	0xf
#define MANY		200

struct policy_world {
	struct gpubp_policy_caps caps;
	struct gpubp_policy_state st;
	struct gpubp_cand watches[MANY];
	unsigned int counts[MANY];
	unsigned int nr;
};

/* one watch of one granule; equal pages compare equal values */
static struct gpubp_cand *add(struct policy_world *w, u32 ctx, unsigned int page)
{
	struct gpubp_cand *c = &w->watches[w->nr];

	*c = (struct gpubp_cand) {
		.id = w->nr++,
		.ctx = ctx,
		.mode = GPUBP_MODE_NONREAD,
		.nr_blocks = 1,
		.block[0] = { page * 0x1000ULL, 0xffffffffffc0 },
	};
	return c;
}

static void add_second_block(struct gpubp_cand *c, unsigned int page)
{
	c->block[c->nr_blocks++] = (struct gpubp_block) {
		page * 0x1000ULL, 0xffffffffffc0
	};
}

static int by_id(const void *pa, const void *pb)
{
	const struct gpubp_cand *a = pa, *b = pb;

	return a->id < b->id ? -1 : a->id > b->id;
}

static void next(struct policy_world *w)
{
	unsigned int i;

	gpubp_policy_next(&w->st, &w->caps, w->watches, w->nr);
	sort(w->watches, w->nr, sizeof(w->watches[0]), by_id, NULL);
	for (i = 0; i < w->nr; i++)
		w->counts[i] += w->watches[i].armed;
}

static struct policy_world *new_world(struct kunit *test, u32 usable, bool banked)
{
	struct policy_world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->caps = (struct gpubp_policy_caps) { usable, ALL_MODES, banked };
	return w;
}

static void all_fit(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0xf, true);
	unsigned int i;

	for (i = 0; i < 4; i++)
		add(w, i, i + 1);
	next(w);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_TRUE(test, w->watches[i].armed);
		KUNIT_EXPECT_EQ(test, w->watches[i].slots,
				BIT(w->watches[i].slot[0]));
	}
	KUNIT_EXPECT_EQ(test, 0xfU, w->st.used);
	KUNIT_EXPECT_FALSE(test, gpubp_policy_rotates(&w->caps, w->watches, 4));
}

static void many_share_evenly(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0xf, true);
	unsigned int i;

	for (i = 0; i < MANY; i++)
		add(w, i % 5, i + 1);
	for (i = 0; i < 500; i++)
		next(w);
	/* 4 of 200 in each of 500 quanta */
	for (i = 0; i < MANY; i++)
		KUNIT_EXPECT_EQ(test, 10U, w->counts[i]);
	KUNIT_EXPECT_TRUE(test, gpubp_policy_rotates(&w->caps, w->watches, MANY));
}

static void pinned_stay_where_they_are(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0xf, false);
	unsigned int i, slot;

	for (i = 0; i < 40; i++)
		add(w, i, i + 1);
	w->watches[17].pinned = true;
	next(w);
	slot = w->watches[17].slot[0];
	for (i = 1; i < 100; i++) {
		next(w);
		KUNIT_EXPECT_EQ(test, slot, w->watches[17].slot[0]);
	}
	KUNIT_EXPECT_EQ(test, 100U, w->counts[17]);
}

static void a_failing_slot_is_left(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0xf, true);
	unsigned int gone;

	add(w, 1, 1);
	next(w);
	gone = w->watches[0].slot[0];
	w->caps.usable &= ~BIT(gone);
	next(w);
	KUNIT_EXPECT_TRUE(test, w->watches[0].armed);
	KUNIT_EXPECT_NE(test, gone, w->watches[0].slot[0]);
	w->caps.usable = 0;
	next(w);
	KUNIT_EXPECT_FALSE(test, w->watches[0].armed);
	KUNIT_EXPECT_FALSE(test, gpubp_policy_rotates(&w->caps, w->watches, 1));
}

static void half_a_watch_is_never_armed(struct kunit *test)
{
	struct policy_world *w = new_world(test, 0x3, true);
	struct gpubp_cand *broad;
	unsigned int i;

	add(w, 1, 1);
	add(w, 1, 2);
	broad = add(w, 1, 3);
	add_second_block(broad, 4);
	for (i = 0; i < 10; i++) {
		next(w);
		KUNIT_EXPECT_EQ(test, w->watches[2].armed ? 2U : 0U,
				hweight32(w->watches[2].slots));
	}
	KUNIT_EXPECT_EQ(test, 5U, w->counts[2]);
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
	struct gpubp_cand *second;

	w->caps.modes = c->modes;
	add(w, 1, 1);
	second = add(w, c->same_ctx ? 1 : 2, 1);
	second->mode = c->mode;
	if (!c->same_mask)
		second->block[0].mask <<= 4;
	next(w);
	KUNIT_EXPECT_TRUE(test, w->watches[0].armed);
	KUNIT_EXPECT_EQ(test, c->shared, w->watches[1].armed);
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

static struct kunit_case policy_test_cases[] = {
	KUNIT_CASE(all_fit),
	KUNIT_CASE(many_share_evenly),
	KUNIT_CASE(pinned_stay_where_they_are),
	KUNIT_CASE(a_failing_slot_is_left),
	KUNIT_CASE(half_a_watch_is_never_armed),
	KUNIT_CASE_PARAM(slots_are_shared_as_listed, share_gen_params),
	KUNIT_CASE(modes_are_chosen),
	{}
};

static struct kunit_suite policy_suite = {
	.name = "gpubp_policy",
	.test_cases = policy_test_cases,
};
kunit_test_suite(policy_suite);
