// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the policy as compiled for this kernel, with its trees, lists and SipHash,
 * decides what it does in user space. tests/host/policy is about what it decides.
 */
#include <kunit/test.h>

/*
 * the files are linked into this module as well: the core does not export them
 */
#include "../../kernel/gpubp/lib/placement.c"
#include "../../kernel/gpubp/lib/fairq.c"
#include "../../kernel/gpubp/lib/policy.c"
#include "policy_replay.h"

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

static struct kunit_case policy_test_cases[] = {
	KUNIT_CASE(quanta_are_those_of_user_space),
	{}
};

static struct kunit_suite policy_suite = {
	.name = "gpubp_policy",
	.test_cases = policy_test_cases,
};
kunit_test_suite(policy_suite);
