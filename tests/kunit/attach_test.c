// SPDX-License-Identifier: GPL-2.0
/* Rights of event openers: every combination, against perf's own check. */
#include <kunit/test.h>

#include "event/rights.h"

#define NR_OPENINGS	BIT(6)

/* one combination: the opener's credentials and the target's namespace */
struct situation {
	struct gpubp_opener_creds opening;
	bool below;	/* the target is in a user namespace */
	bool made;	/* created by the opener, which has CAP_KILL there */
};

static struct situation situation(unsigned int i)
{
	return (struct situation) {
		.opening = {
			.tracer = i & BIT(0),
			.self = i & BIT(1),
			.perfmon = i & BIT(2),
			.kill = i & BIT(3),
		},
		.below = i & BIT(4),
		.made = i & BIT(5),
	};
}

/* perf_check_permission(): true if the ptrace access check was made */
static bool asked(const struct situation *s)
{
	bool kill = s->opening.kill || (s->below && s->made);

	return s->opening.tracer && !(s->opening.perfmon && kill);
}

static u32 rights(const struct situation *s)
{
	struct gpubp_opener_rights opener_rights =
		gpubp_rights_of_opener(&s->opening);

	return opener_rights.init_ns && s->below ? 0 : opener_rights.rights;
}

static void nothing_for_who_was_not_asked(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < NR_OPENINGS; i++) {
		struct situation s = situation(i);

		if (!asked(&s) && !s.opening.self)
			KUNIT_EXPECT_EQ_MSG(test, rights(&s), 0u,
					    "situation 0x%x", i);
	}
}

static void all_for_who_was_asked_and_found_good(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < NR_OPENINGS; i++) {
		struct situation s = situation(i);

		/*
		 * in a user namespace it is unknown whether CAP_PERFMON was
		 * checked
		 */
		if (!asked(&s) || (s.below && s.opening.perfmon))
			continue;
		KUNIT_EXPECT_EQ_MSG(test, rights(&s), GPUBP_RIGHTS_ALL,
				    "situation 0x%x", i);
	}
}

static void its_own_process_is_open_to_everybody(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < NR_OPENINGS; i++) {
		struct situation s = situation(i);

		if (s.opening.self)
			KUNIT_EXPECT_EQ_MSG(test, rights(&s),
					    s.opening.tracer ?
						    GPUBP_RIGHTS_ALL :
						    GPUBP_RIGHT_READ,
					    "situation 0x%x", i);
	}
}

/* only openers that could write to the target's memory without gpubp */
static void breaks_for_who_may_write(struct kunit *test)
{
	unsigned int i, ptrace;

	for (i = 0; i < 2 * NR_OPENINGS; i++) {
		struct situation s = situation(i / 2);
		bool may;

		ptrace = i % 2;
		may = gpubp_may_patch(&s.opening, ptrace, !s.below);
		if (s.opening.self || (s.opening.perfmon && ptrace))
			KUNIT_EXPECT_TRUE_MSG(test, may, "situation 0x%x", i);
		else if (!asked(&s))
			KUNIT_EXPECT_FALSE_MSG(test, may, "situation 0x%x", i);
		else if (!s.opening.perfmon)
			KUNIT_EXPECT_TRUE_MSG(test, may, "situation 0x%x", i);
	}
}

static struct kunit_case attach_test_cases[] = {
	KUNIT_CASE(nothing_for_who_was_not_asked),
	KUNIT_CASE(breaks_for_who_may_write),
	KUNIT_CASE(all_for_who_was_asked_and_found_good),
	KUNIT_CASE(its_own_process_is_open_to_everybody),
	{}
};

static struct kunit_suite attach_test_suite = {
	.name = "gpubp_attach",
	.test_cases = attach_test_cases,
};
kunit_test_suite(attach_test_suite);
