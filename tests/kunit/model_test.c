// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: policy and slot set against a reference, at random, with the kernel's
 * trees and lists. tests/host/sched runs forty times as many steps.
 */
#include <kunit/test.h>
#include <linux/sched.h>

#include "model.h"

/* linked into this module, too: the core exports nothing of it */
#include "../../kernel/gpubp/lib/slotset.c"

#define STEPS	25000
#define WORLD	5000	/* steps */

static void every_quantum_keeps_the_rules(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	for (i = 0; i < STEPS / WORLD; i++) {
		if (!model_run(m, i, WORLD))
			KUNIT_FAIL(test, "seed %u, step %llu: %s", i, m->step,
				   m->broken);
		cond_resched();
	}
}

static struct kunit_case model_cases[] = {
	KUNIT_CASE_SLOW(every_quantum_keeps_the_rules),
	{}
};

static struct kunit_suite model_suite = {
	.name = "gpubp_model",
	.test_cases = model_cases,
};
kunit_test_suite(model_suite);
