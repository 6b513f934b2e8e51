// SPDX-License-Identifier: GPL-2.0
/* Refusals: a cause has an errno and a sentence; devices without abilities. */
#include <linux/err.h>
#include <linux/string.h>

#include "event/event.h"
#include "mock.h"

static void each_reason_has_an_errno_and_a_sentence(struct kunit *test)
{
	enum gpubp_reason reason;
	const char *text;

	KUNIT_EXPECT_EQ(test, gpubp_reason_error(GPUBP_REASON_NONE), 0);
	for (reason = GPUBP_REASON_NONE + 1; reason < GPUBP_NR_REASONS;
	     reason++) {
		text = gpubp_reason_text(reason);
		KUNIT_EXPECT_GT_MSG(test, gpubp_reason_error(reason), 0,
				    "reason %d", reason);
		KUNIT_ASSERT_NOT_NULL_MSG(test, text, "reason %d", reason);
		KUNIT_EXPECT_LT_MSG(test, strlen(text),
				    (size_t)GPUBP_REASON_TEXT, "reason %d",
				    reason);
	}
}

static void no_two_sentences_are_equal(struct kunit *test)
{
	int a, b;

	for (a = 1; a < GPUBP_NR_REASONS; a++)
		for (b = 1; b < a; b++)
			KUNIT_EXPECT_STRNEQ(test, gpubp_reason_text(a),
					    gpubp_reason_text(b));
}

/* reports exceptions and nothing else: it has no comparators and no ISA */
static int unable_init(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;
	struct mock *m = mock_alloc(test);

	caps.nr_slots = 0;
	caps.usable_slots = 0;
	caps.exceptions = GPUBP_EXC_ILLEGAL;
	caps.hit_fields = GPUBP_HITF_PC | GPUBP_HITF_EXCEPTIONS;
	m->isa = NULL;
	test->priv = m;
	return mock_register(m, &caps);
}

/* an event of a kind that the device cannot serve */
static enum gpubp_reason why_not(struct kunit *test, u64 config, u64 len)
{
	struct perf_event_attr attr = mock_attr(MOCK_VA, len, 0);
	struct perf_event *event;

	attr.config = config;
	if (config != GPUBP_KIND_WATCH)
		attr.config1 = 0;
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -EOPNOTSUPP);
	return gpubp_refusal_take();
}

static void no_comparators(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, why_not(test, GPUBP_KIND_WATCH, 4),
			GPUBP_REASON_NO_COMPARATORS);
}

static void no_traps(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, why_not(test, GPUBP_KIND_BREAK, 0),
			GPUBP_REASON_NO_TRAPS);
	KUNIT_EXPECT_EQ(test,
			why_not(test, GPUBP_KIND_TRAP |
				1ULL << GPUBP_CONFIG_CODE_SHIFT, 0),
			GPUBP_REASON_NO_TRAPS);
}

static struct kunit_case reason_test_cases[] = {
	KUNIT_CASE(each_reason_has_an_errno_and_a_sentence),
	KUNIT_CASE(no_two_sentences_are_equal),
	{}
};

static struct kunit_suite reason_test_suite = {
	.name = "gpubp_reason",
	.test_cases = reason_test_cases,
};

static struct kunit_case refusal_test_cases[] = {
	KUNIT_CASE(no_comparators),
	KUNIT_CASE(no_traps),
	{}
};

static struct kunit_suite refusal_test_suite = {
	.name = "gpubp_refusal",
	.init = unable_init,
	.exit = mock_exit,
	.test_cases = refusal_test_cases,
};
kunit_test_suites(&reason_test_suite, &refusal_test_suite);
