// SPDX-License-Identifier: GPL-2.0
/*
 * Users: distinguished, limited, with a share of each device that they watch
 * on.
 */
#include <linux/err.h>

#include "core/quota.h"
#include "mock.h"

#define ONE	KUIDT_INIT(40001)
#define OTHER	KUIDT_INIT(40002)
#define LIMIT	5

static void leave_user(void *user)
{
	gpubp_user_put(user);
}

static struct gpubp_user *user_of(struct kunit *test, kuid_t uid,
				  bool unlimited)
{
	struct gpubp_user *user = gpubp_user_lookup(uid, unlimited);

	KUNIT_ASSERT_NOT_NULL(test, user);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, leave_user, user),
			0);
	return user;
}

static struct gpubp_user_share *charge(struct gpubp_user *user, struct mock *m,
				       bool reserved)
{
	guard(mutex)(&m->dev->lock);
	return gpubp_user_charge(user, m->dev, reserved);
}

static void uncharge(struct gpubp_user_share *share)
{
	guard(mutex)(&share->dev->lock);
	gpubp_user_uncharge(share);
}

static bool has_shares(struct mock *m)
{
	guard(mutex)(&m->dev->lock);
	return !list_empty(&m->dev->shares);
}

static unsigned int old_limit;

static int limit_init(struct kunit *test)
{
	old_limit = gpubp_max_watches_per_user;
	gpubp_max_watches_per_user = LIMIT;
	return mock_init(test);
}

static void limit_exit(struct kunit *test)
{
	mock_exit(test);
	gpubp_max_watches_per_user = old_limit;
}

/* up to the limit, alternating between two devices */
static void charge_all(struct kunit *test, struct gpubp_user *user,
		       struct mock *m[2], struct gpubp_user_share *share[LIMIT])
{
	int i;

	for (i = 0; i < LIMIT; i++) {
		share[i] = charge(user, m[i % 2], false);
		KUNIT_ASSERT_FALSE(test, IS_ERR(share[i]));
	}
}

static void uncharge_all(struct gpubp_user_share *share[LIMIT])
{
	int i;

	for (i = 0; i < LIMIT; i++)
		uncharge(share[i]);
}

static void users_are_told_apart_by_uid_and_right(struct kunit *test)
{
	struct gpubp_user *user = user_of(test, ONE, false);

	KUNIT_EXPECT_PTR_EQ(test, user_of(test, ONE, false), user);
	KUNIT_EXPECT_PTR_NE(test, user_of(test, ONE, true), user);
	KUNIT_EXPECT_PTR_NE(test, user_of(test, OTHER, false), user);
}

static void a_share_goes_with_its_last_watch(struct kunit *test)
{
	struct mock *m = test->priv;
	struct gpubp_user *user = user_of(test, ONE, false);
	struct gpubp_user_share *share = charge(user, m, false);

	KUNIT_ASSERT_FALSE(test, IS_ERR(share));
	KUNIT_EXPECT_EQ(test, share->flow.weight, 1u);
	KUNIT_EXPECT_PTR_EQ(test, charge(user, m, false), share);
	KUNIT_EXPECT_EQ(test, share->nr, 2u);
	uncharge(share);
	KUNIT_EXPECT_TRUE(test, has_shares(m));
	uncharge(share);
	KUNIT_EXPECT_FALSE(test, has_shares(m));
}

static void each_user_has_a_share_of_his_own(struct kunit *test)
{
	struct mock *m = test->priv;
	struct gpubp_user_share *a, *b;

	a = charge(user_of(test, ONE, false), m, false);
	b = charge(user_of(test, OTHER, false), m, false);
	KUNIT_ASSERT_FALSE(test, IS_ERR(a));
	KUNIT_ASSERT_FALSE(test, IS_ERR(b));
	KUNIT_EXPECT_PTR_NE(test, a, b);
	KUNIT_EXPECT_NE(test, a->flow.id, b->flow.id);
	uncharge(a);
	uncharge(b);
	KUNIT_EXPECT_FALSE(test, has_shares(m));
}

/* the opener may exit before a watch that other events want as well */
static void a_share_keeps_its_user(struct kunit *test)
{
	struct mock *m = test->priv;
	struct gpubp_user *user = gpubp_user_lookup(ONE, false);
	struct gpubp_user_share *share;

	KUNIT_ASSERT_NOT_NULL(test, user);
	share = charge(user, m, false);
	gpubp_user_put(user);
	KUNIT_ASSERT_FALSE(test, IS_ERR(share));
	KUNIT_EXPECT_PTR_EQ(test, user_of(test, ONE, false), share->user);
	uncharge(share);
}

static void the_limit_is_of_all_devices_together(struct kunit *test)
{
	struct mock *m[2] = { test->priv, mock_alloc(test) };
	struct gpubp_user *user = user_of(test, ONE, false);
	struct gpubp_user_share *share[LIMIT];
	int i;

	KUNIT_ASSERT_EQ(test, mock_register(m[1], &mock_caps), 0);
	charge_all(test, user, m, share);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, PTR_ERR(charge(user, m[i], false)),
				(long)-EDQUOT);
	uncharge(share[0]);
	share[0] = charge(user, m[1], false);
	KUNIT_ASSERT_FALSE(test, IS_ERR(share[0]));
	KUNIT_EXPECT_EQ(test, PTR_ERR(charge(user, m[0], false)),
			(long)-EDQUOT);
	uncharge_all(share);
	mock_unregister(m[1]);
}

static void the_limit_of_one_is_not_anothers(struct kunit *test)
{
	struct mock *m[2] = { test->priv, test->priv };
	struct gpubp_user_share *share[LIMIT], *other, *unlimited;

	charge_all(test, user_of(test, ONE, false), m, share);
	other = charge(user_of(test, OTHER, false), m[0], false);
	unlimited = charge(user_of(test, ONE, true), m[0], false);
	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	KUNIT_ASSERT_FALSE(test, IS_ERR(unlimited));
	uncharge(other);
	uncharge(unlimited);
	uncharge_all(share);
}

static void what_was_promised_is_not_refused_but_counts(struct kunit *test)
{
	struct mock *m[2] = { test->priv, test->priv };
	struct gpubp_user *user = user_of(test, ONE, false);
	struct gpubp_user_share *share[LIMIT], *reserved;

	charge_all(test, user, m, share);
	reserved = charge(user, m[0], true);
	KUNIT_ASSERT_FALSE(test, IS_ERR(reserved));
	uncharge(share[0]);
	KUNIT_EXPECT_EQ(test, PTR_ERR(charge(user, m[0], false)),
			(long)-EDQUOT);
	share[0] = reserved;
	uncharge_all(share);
}

static void who_may_is_not_limited(struct kunit *test)
{
	struct mock *m = test->priv;
	struct gpubp_user *user = user_of(test, ONE, true);
	struct gpubp_user_share *share = NULL;
	int i;

	for (i = 0; i < 2 * LIMIT; i++) {
		share = charge(user, m, false);
		KUNIT_ASSERT_FALSE(test, IS_ERR(share));
	}
	while (i--)
		uncharge(share);
	KUNIT_EXPECT_FALSE(test, has_shares(m));
}

/* existing watches stay */
static void the_limit_can_be_lowered_while_watches_exist(struct kunit *test)
{
	struct mock *m[2] = { test->priv, test->priv };
	struct gpubp_user *user = user_of(test, ONE, false);
	struct gpubp_user_share *share[LIMIT];

	charge_all(test, user, m, share);
	gpubp_max_watches_per_user = 1;
	KUNIT_EXPECT_EQ(test, share[0]->nr, (unsigned int)LIMIT);
	KUNIT_EXPECT_EQ(test, PTR_ERR(charge(user, m[0], false)),
			(long)-EDQUOT);
	uncharge_all(share);
	share[0] = charge(user, m[0], false);
	KUNIT_ASSERT_FALSE(test, IS_ERR(share[0]));
	KUNIT_EXPECT_EQ(test, PTR_ERR(charge(user, m[0], false)),
			(long)-EDQUOT);
	uncharge(share[0]);
}

static struct kunit_case user_cases[] = {
	KUNIT_CASE(users_are_told_apart_by_uid_and_right),
	KUNIT_CASE(a_share_goes_with_its_last_watch),
	KUNIT_CASE(each_user_has_a_share_of_his_own),
	KUNIT_CASE(a_share_keeps_its_user),
	KUNIT_CASE(the_limit_is_of_all_devices_together),
	KUNIT_CASE(the_limit_of_one_is_not_anothers),
	KUNIT_CASE(what_was_promised_is_not_refused_but_counts),
	KUNIT_CASE(who_may_is_not_limited),
	KUNIT_CASE(the_limit_can_be_lowered_while_watches_exist),
	{}
};

static struct kunit_suite user_suite = {
	.name = "gpubp_user",
	.init = limit_init,
	.exit = limit_exit,
	.test_cases = user_cases,
};
kunit_test_suite(user_suite);
