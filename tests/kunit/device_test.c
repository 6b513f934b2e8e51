// SPDX-License-Identifier: GPL-2.0
/* Devices: what a provider must promise to be registered. */
#include <linux/limits.h>

#include "mock.h"

struct fault_case {
	const char *name;
	void (*make)(struct gpubp_device_desc *desc, struct gpubp_ops *ops);
};

#define FAULT(_name, _what)						\
static void _name(struct gpubp_device_desc *desc, struct gpubp_ops *ops)	\
{									\
	_what;								\
}

FAULT(too_many_slots, desc->caps.nr_slots = GPUBP_MAX_SLOTS + 1)
FAULT(usable_slot_beyond_the_last, desc->caps.usable_slots = BIT(MOCK_SLOTS))
FAULT(granule_0, desc->caps.granule = 0)
FAULT(granule_no_power_of_2, desc->caps.granule = 96)
FAULT(max_block_0, desc->caps.max_block = 0)
FAULT(max_block_no_power_of_2, desc->caps.max_block = SZ_1G + 64)
FAULT(max_block_below_granule, desc->caps.max_block = 32)
FAULT(address_too_narrow, desc->caps.va_bits = 31)
FAULT(address_too_wide, desc->caps.va_bits = 65)
FAULT(no_mode_all, desc->caps.modes = BIT(GPUBP_MODE_READ))
FAULT(no_ops, desc->ops = NULL)
FAULT(no_quiesce, ops->quiesce = NULL)
FAULT(no_mem_rw, ops->mem_rw = NULL)
FAULT(no_interrupts_and_no_poll, desc->caps.interrupts = false)
FAULT(no_commit, ops->commit = NULL)
FAULT(no_read_wave, ops->read_wave = NULL)
FAULT(no_hit_done, ops->hit_done = NULL)
FAULT(no_isa, desc->isa = NULL)
FAULT(handler_but_no_trap_install, ops->trap_install = NULL)
FAULT(handler_but_no_trap_remove, ops->trap_remove = NULL)
FAULT(handler_but_no_code_alloc, ops->code_alloc = NULL)
FAULT(handler_but_no_code_free, ops->code_free = NULL)

#define CASE(_fault) { #_fault, _fault }

static const struct fault_case fault_cases[] = {
	CASE(too_many_slots),
	CASE(usable_slot_beyond_the_last),
	CASE(granule_0),
	CASE(granule_no_power_of_2),
	CASE(max_block_0),
	CASE(max_block_no_power_of_2),
	CASE(max_block_below_granule),
	CASE(address_too_narrow),
	CASE(address_too_wide),
	CASE(no_mode_all),
	CASE(no_ops),
	CASE(no_quiesce),
	CASE(no_mem_rw),
	CASE(no_interrupts_and_no_poll),
	CASE(no_commit),
	CASE(no_read_wave),
	CASE(no_hit_done),
	CASE(no_isa),
	CASE(handler_but_no_trap_install),
	CASE(handler_but_no_trap_remove),
	CASE(handler_but_no_code_alloc),
	CASE(handler_but_no_code_free),
};
KUNIT_ARRAY_PARAM_DESC(fault, fault_cases, name);

static struct gpubp_device_desc good_desc(const struct gpubp_ops *ops)
{
	return (struct gpubp_device_desc) {
		.name = "mock",
		.owner = THIS_MODULE,
		.isa = &gpubp_isa_gfx90a,
		.caps = mock_caps,
		.ops = ops,
	};
}

static void fault_is_refused(struct kunit *test)
{
	const struct fault_case *c = test->param_value;
	struct gpubp_ops ops = mock_ops;
	struct gpubp_device_desc desc = good_desc(&ops);
	struct mock *m = mock_alloc(test);
	struct gpubp_device *dev;

	c->make(&desc, &ops);
	dev = gpubp_device_register(&desc, m);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(dev), -EINVAL);
	KUNIT_EXPECT_EQ(test, m->acquired, 0u);
	if (!IS_ERR(dev))
		gpubp_device_unregister(dev);
}

/* what the edges of the table above allow */
static void edges_are_allowed(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;
	struct mock *m = mock_alloc(test);

	caps.nr_slots = GPUBP_MAX_SLOTS;
	caps.usable_slots = BIT(GPUBP_MAX_SLOTS - 1);
	caps.granule = 1;
	caps.max_block = 1;
	caps.va_bits = 64;
	caps.modes = BIT(GPUBP_MODE_ALL);
	KUNIT_ASSERT_EQ(test, mock_register(m, &caps), 0);
	KUNIT_EXPECT_EQ(test, m->acquired, (u32)BIT(GPUBP_MAX_SLOTS - 1));
	mock_unregister(m);
	KUNIT_EXPECT_EQ(test, m->acquired, 0u);
}

static void slots_taken_by_another_debugger(struct kunit *test)
{
	struct mock *m = mock_alloc(test);

	m->busy = -EBUSY;
	KUNIT_EXPECT_EQ(test, mock_register(m, &mock_caps), -EBUSY);
	KUNIT_EXPECT_EQ(test, m->acquired, 0u);
	KUNIT_EXPECT_EQ(test, m->quiesced, 0u);
	m->busy = 0;
	KUNIT_ASSERT_EQ(test, mock_register(m, &mock_caps), 0);
	KUNIT_EXPECT_EQ(test, m->acquired, mock_caps.usable_slots);
	mock_unregister(m);
}

static void without_slots_little_is_required(struct kunit *test)
{
	struct gpubp_ops ops = {
		.mem_rw = mock_ops.mem_rw,
		.quiesce = mock_ops.quiesce,
	};
	struct gpubp_device_desc desc = {
		.name = "mock",
		.owner = THIS_MODULE,
		.caps.interrupts = true,
		.ops = &ops,
	};
	struct mock *m = mock_alloc(test);
	struct gpubp_device *dev = gpubp_device_register(&desc, m);

	KUNIT_ASSERT_FALSE(test, IS_ERR(dev));
	gpubp_device_unregister(dev);
	KUNIT_EXPECT_EQ(test, m->quiesced, 1u);
}

static void acquire_and_release_are_optional(struct kunit *test)
{
	struct gpubp_ops ops = mock_ops;
	struct gpubp_device_desc desc = good_desc(&ops);
	struct mock *m = mock_alloc(test);
	struct gpubp_device *dev;

	ops.acquire = NULL;
	ops.release = NULL;
	dev = gpubp_device_register(&desc, m);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dev));
	gpubp_device_unregister(dev);
	KUNIT_EXPECT_EQ(test, m->quiesced, 1u);
}

static void numbers_are_not_used_twice(struct kunit *test)
{
	struct mock *a = mock_alloc(test), *b = mock_alloc(test);
	u32 first;

	KUNIT_ASSERT_EQ(test, mock_register(a, &mock_caps), 0);
	KUNIT_ASSERT_EQ(test, mock_register(b, &mock_caps), 0);
	first = gpubp_device_number(a->dev);
	KUNIT_EXPECT_GT(test, gpubp_device_number(b->dev), first);
	mock_unregister(a);
	KUNIT_ASSERT_EQ(test, mock_register(a, &mock_caps), 0);
	KUNIT_EXPECT_GT(test, gpubp_device_number(a->dev),
			gpubp_device_number(b->dev));
	mock_unregister(b);
	mock_unregister(a);
}

/* the description need not outlive the call */
static void the_name_is_copied(struct kunit *test)
{
	struct mock *m = mock_alloc(test);
	char name[] = "mock_of_a_name";
	struct gpubp_device_desc desc = good_desc(&mock_ops);
	struct gpubp_device *dev;

	desc.name = name;
	dev = gpubp_device_register(&desc, m);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dev));
	memset(name, 'x', sizeof(name) - 1);
	KUNIT_EXPECT_STREQ(test, dev->desc.name, "mock_of_a_name");
	gpubp_device_unregister(dev);
}

static struct kunit_case device_test_cases[] = {
	KUNIT_CASE_PARAM(fault_is_refused, fault_gen_params),
	KUNIT_CASE(edges_are_allowed),
	KUNIT_CASE(slots_taken_by_another_debugger),
	KUNIT_CASE(without_slots_little_is_required),
	KUNIT_CASE(acquire_and_release_are_optional),
	KUNIT_CASE(numbers_are_not_used_twice),
	KUNIT_CASE(the_name_is_copied),
	{}
};

static struct kunit_suite device_test_suite = {
	.name = "gpubp_device",
	.test_cases = device_test_cases,
};
kunit_test_suite(device_test_suite);
