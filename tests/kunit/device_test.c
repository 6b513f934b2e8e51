// SPDX-License-Identifier: GPL-2.0
/* Devices: what a provider must provide to be registered. */
#include <linux/limits.h>

#include "core/cell.h"
#include "core/device.h"
#include "core/slots.h"
#include "core/tickets.h"
#include "mock.h"

/* ops that exist and are never called */
static int some_ctx_suspend(void *dev, void * const *ctxs, unsigned int nr,
			    unsigned int grace_ms)
{
	return 0;
}

static void some_ctx_resume(void *dev, void * const *ctxs, unsigned int nr)
{
}

static int some_control(void *dev, const struct gpubp_waves *waves)
{
	return 0;
}

static void some_poll(void *dev)
{
}

struct fault_case {
	const char *name;
	void (*make)(struct gpubp_device_desc *desc, struct gpubp_ops *ops);
};

#define FAULT(_name, _what)                               \
	static void _name(struct gpubp_device_desc *desc, \
			  struct gpubp_ops *ops)          \
	{                                                 \
		_what;                                    \
	}

FAULT(too_many_slots, desc->caps.nr_slots = GPUBP_MAX_SLOTS + 1)
FAULT(usable_slot_beyond_the_last, desc->caps.usable_slots = BIT(MOCK_SLOTS))
FAULT(too_many_waves, desc->caps.nr_waves = GPUBP_MAX_WAVES + 1)
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

static void ternary_but_no_bit_for_a_hole(struct gpubp_device_desc *desc,
					  struct gpubp_ops *ops)
{
	desc->caps.ternary = true;
	desc->caps.max_block = desc->caps.granule;
}

/* a provider that halts waves */
static void halting(struct gpubp_device_desc *desc, struct gpubp_ops *ops)
{
	desc->caps.stops = GPUBP_STOPS_WAVE;
	ops->halt = some_control;
	ops->resume = some_control;
}

/* and single-steps them */
static void stepping(struct gpubp_device_desc *desc, struct gpubp_ops *ops)
{
	halting(desc, ops);
	desc->caps.can_step = true;
	ops->step = some_control;
}

/* and lets sessions hold the waves of hits */
static void catching(struct gpubp_device_desc *desc, struct gpubp_ops *ops)
{
	halting(desc, ops);
	desc->caps.can_catch = true;
}

/* without a known ISA: hits report their details themselves */
static void telling(struct gpubp_device_desc *desc, u32 what)
{
	desc->isa = NULL;
	desc->caps.hit_fields = what;
}

static void without_slots(struct gpubp_device_desc *desc)
{
	desc->caps.nr_slots = 0;
	desc->caps.usable_slots = 0;
}

/* and reports exceptions only */
static void excepting(struct gpubp_device_desc *desc)
{
	without_slots(desc);
	telling(desc, GPUBP_HITF_PC | GPUBP_HITF_EXCEPTIONS);
	desc->caps.exceptions = GPUBP_EXC_ILLEGAL;
}

static void polled(struct gpubp_device_desc *desc, struct gpubp_ops *ops)
{
	without_slots(desc);
	telling(desc, GPUBP_HITF_PC);
	desc->caps.interrupts = false;
	ops->poll = some_poll;
}

#define PC_AND_SLOTS	(GPUBP_HITF_PC | GPUBP_HITF_SLOTS)
#define NO_STOPS	(GPUBP_STOPS_CTX + 1)
#define NO_RESIDENCY	(GPUBP_RESIDENCY_FIRMWARE + 1)
#define NO_TRAP_LEVEL	(GPUBP_TRAP_SECOND + 1)

FAULT(slots_but_none_exist, desc->caps.nr_slots = 0)
FAULT(acquire_but_no_release, ops->release = NULL)
FAULT(release_but_no_acquire, ops->acquire = NULL)
FAULT(ctx_suspend_but_no_ctx_resume, ops->ctx_suspend = some_ctx_suspend)
FAULT(ctx_resume_but_no_ctx_suspend, ops->ctx_resume = some_ctx_resume)
FAULT(stops_but_no_halt, desc->caps.stops = GPUBP_STOPS_WAVE)
FAULT(halt_but_no_resume, halting(desc, ops); ops->resume = NULL)
FAULT(halt_but_stops_nothing, halting(desc, ops); desc->caps.stops = 0)
FAULT(resume_but_no_halt, ops->resume = some_control)
FAULT(no_such_stops, halting(desc, ops); desc->caps.stops = NO_STOPS)
FAULT(no_such_residency, desc->caps.residency = NO_RESIDENCY)
FAULT(no_such_trap_level, desc->caps.trap_level = NO_TRAP_LEVEL)
FAULT(can_step_but_no_step, stepping(desc, ops); ops->step = NULL)
FAULT(step_but_cannot_step, stepping(desc, ops); desc->caps.can_step = false)
FAULT(step_but_no_halt, desc->caps.can_step = true; ops->step = some_control)
FAULT(can_catch_but_no_halt, desc->caps.can_catch = true)
FAULT(can_catch_but_no_list, catching(desc, ops); ops->list_waves = NULL)
FAULT(no_isa_and_hits_without_pc, telling(desc, GPUBP_HITF_SLOTS))
FAULT(no_isa_and_hits_without_slots, telling(desc, GPUBP_HITF_PC))
FAULT(no_isa_and_no_hit_done, telling(desc, PC_AND_SLOTS); ops->hit_done = NULL)
FAULT(polled_but_no_hit_done, polled(desc, ops); ops->hit_done = NULL)
FAULT(exceptions_but_no_commit, excepting(desc); ops->commit = NULL)
FAULT(exceptions_but_no_hit_done, excepting(desc); ops->hit_done = NULL)
FAULT(exceptions_untold, excepting(desc); telling(desc, GPUBP_HITF_PC))
FAULT(breaks_but_no_hit_done, without_slots(desc); ops->hit_done = NULL)

#define CASE(_fault) { #_fault, _fault }

static const struct fault_case fault_cases[] = {
	CASE(too_many_slots),
	CASE(too_many_waves),
	CASE(usable_slot_beyond_the_last),
	CASE(granule_0),
	CASE(granule_no_power_of_2),
	CASE(max_block_0),
	CASE(max_block_no_power_of_2),
	CASE(max_block_below_granule),
	CASE(ternary_but_no_bit_for_a_hole),
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
	CASE(slots_but_none_exist),
	CASE(acquire_but_no_release),
	CASE(release_but_no_acquire),
	CASE(ctx_suspend_but_no_ctx_resume),
	CASE(ctx_resume_but_no_ctx_suspend),
	CASE(stops_but_no_halt),
	CASE(halt_but_no_resume),
	CASE(halt_but_stops_nothing),
	CASE(resume_but_no_halt),
	CASE(no_such_stops),
	CASE(no_such_residency),
	CASE(no_such_trap_level),
	CASE(can_catch_but_no_halt),
	CASE(can_catch_but_no_list),
	CASE(can_step_but_no_step),
	CASE(step_but_cannot_step),
	CASE(step_but_no_halt),
	CASE(no_isa_and_hits_without_pc),
	CASE(no_isa_and_hits_without_slots),
	CASE(no_isa_and_no_hit_done),
	CASE(polled_but_no_hit_done),
	CASE(exceptions_but_no_commit),
	CASE(exceptions_but_no_hit_done),
	CASE(exceptions_untold),
	CASE(breaks_but_no_hit_done),
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

static void no_handler(struct gpubp_ops *ops)
{
	ops->trap_install = NULL;
	ops->trap_remove = NULL;
	ops->code_alloc = NULL;
	ops->code_free = NULL;
	ops->read_wave = NULL;
}

static void saving(struct gpubp_ops *ops)
{
	ops->ctx_suspend = some_ctx_suspend;
	ops->ctx_resume = some_ctx_resume;
}

FAULT(just_counts, telling(desc, PC_AND_SLOTS); no_handler(ops))
FAULT(just_polls, polled(desc, ops); no_handler(ops); ops->commit = NULL)
FAULT(has_no_isa, telling(desc, PC_AND_SLOTS))
FAULT(just_excepts, excepting(desc); no_handler(ops))
FAULT(stops_and_steps, stepping(desc, ops))
FAULT(saves_contexts, saving(ops))

static const struct fault_case good_cases[] = {
	CASE(just_counts),
	CASE(just_polls),
	CASE(has_no_isa),
	CASE(just_excepts),
	CASE(stops_and_steps),
	CASE(saves_contexts),
};
KUNIT_ARRAY_PARAM_DESC(good, good_cases, name);

/* each kind of provider that the contract mentions */
static void registers(struct kunit *test)
{
	const struct fault_case *c = test->param_value;
	struct gpubp_ops ops = mock_ops;
	struct gpubp_device_desc desc = good_desc(&ops);
	struct mock *m = mock_alloc(test);
	struct gpubp_device *dev;

	c->make(&desc, &ops);
	dev = gpubp_device_register(&desc, m);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(dev), 0);
	KUNIT_EXPECT_EQ(test, dev->can_trap, desc.isa && ops.commit &&
			ops.read_wave && ops.write_wave);
	gpubp_device_unregister(dev);
	KUNIT_EXPECT_EQ(test, m->quiesced, 1u);
	KUNIT_EXPECT_EQ(test, m->acquired, 0u);
}

/* values at the limits of the table above */
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
	KUNIT_EXPECT_EQ(test, gpubp_slots_usable(m->dev),
			(u32)BIT(GPUBP_MAX_SLOTS - 1));
	mock_unregister(m);
}

/* of which there may be very many: no cells for waves that do not stop */
static void a_device_that_stops_no_wave(struct kunit *test)
{
	struct gpubp_caps caps = mock_caps;
	struct mock *m = mock_alloc(test);

	mock_all_cells(test);
	caps.nr_waves = 64;
	caps.stops = GPUBP_STOPS_NONE;
	KUNIT_ASSERT_EQ(test, mock_register(m, &caps), 0);
	KUNIT_EXPECT_EQ(test, m->dev->nr_cells,
			GPUBP_TICKETS_MAX + GPUBP_HIT_CELLS + 64u);
	mock_unregister(m);
}

/* and as many cells as without them for pending hits */
static void each_wave_has_a_cell(struct kunit *test)
{
	const unsigned int nr = 4096,
			   waiting = GPUBP_TICKETS_MAX + GPUBP_HIT_CELLS;
	struct gpubp_hit_cell **cells;
	struct gpubp_caps caps = mock_caps;
	struct mock *m = mock_alloc(test);
	unsigned int i;

	mock_all_cells(test);
	caps.nr_waves = nr;
	KUNIT_ASSERT_EQ(test, mock_register(m, &caps), 0);
	cells = kunit_kcalloc(test, nr + waiting, sizeof(*cells), GFP_KERNEL);
	for (i = 0; cells && i < nr + waiting; i++) {
		cells[i] = gpubp_cell_alloc(m->dev);
		if (!cells[i])
			break;
	}
	KUNIT_EXPECT_EQ(test, i, nr + waiting);
	while (i)
		gpubp_cell_put(cells[--i]);
	gpubp_cells_sync();
	KUNIT_EXPECT_EQ(test, gpubp_cells_in_use(m->dev), 0u);
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
	const struct gpubp_ops *got;

	KUNIT_ASSERT_FALSE(test, IS_ERR(dev));
	KUNIT_EXPECT_FALSE(test, dev->can_trap);
	/* slots are free, memory is coherent, all else is refused */
	got = &dev->ops;
	KUNIT_EXPECT_EQ(test, got->acquire(m, 5), 5);
	KUNIT_EXPECT_EQ(test, got->flush(NULL, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, got->ctx_suspend(m, NULL, 0, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, got->mem_translate(NULL, NULL, NULL), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, got->list_waves(NULL, NULL, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, got->read_wave(m, 0, NULL, 0, NULL), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, got->write_wave(m, 0, NULL, 0, NULL), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, got->halt(m, NULL), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, got->resume(m, NULL), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, got->step(m, NULL), -EOPNOTSUPP);
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

static void numbers_are_not_used_again_soon(struct kunit *test)
{
	struct mock *a = mock_alloc(test), *b = mock_alloc(test);
	u32 first;

	KUNIT_ASSERT_EQ(test, mock_register(a, &mock_caps), 0);
	KUNIT_ASSERT_EQ(test, mock_register(b, &mock_caps), 0);
	first = gpubp_device_number(a->dev);
	KUNIT_EXPECT_NE(test, gpubp_device_number(b->dev), first);
	mock_unregister(a);
	KUNIT_ASSERT_EQ(test, mock_register(a, &mock_caps), 0);
	KUNIT_EXPECT_NE(test, gpubp_device_number(a->dev), first);
	KUNIT_EXPECT_NE(test, gpubp_device_number(a->dev),
			gpubp_device_number(b->dev));
	mock_unregister(b);
	mock_unregister(a);
}

/* by a temporary context of this process */
static bool armed(struct kunit *test, u64 addr)
{
	struct mock_ctx *c = mock_ctx(test);
	bool armed;

	mock_settle(c->m);
	armed = mock_slots(c, addr);
	mock_ctx_destroy(c);
	return armed;
}

static struct perf_event *open_naming(struct kunit *test, u8 number, u64 addr)
{
	struct perf_event_attr attr = mock_attr(addr, 4, GPUBP_ACCESS_STORE);

	attr.config |= (u64)(number + 1) << GPUBP_CONFIG_DEVICE_SHIFT;
	return mock_open_attr(test, &attr, current, NULL, NULL);
}

/* an event stays with the device that it named, even if the number is reused */
static void a_number_that_is_used_again(struct kunit *test)
{
	struct mock *m = mock_alloc(test);
	struct perf_event *old, *new;
	u8 number;

	KUNIT_ASSERT_EQ(test, mock_register(m, &mock_caps), 0);
	test->priv = m;
	number = gpubp_device_number(m->dev);
	old = open_naming(test, number, MOCK_VA);
	KUNIT_ASSERT_FALSE(test, IS_ERR(old));
	KUNIT_EXPECT_TRUE(test, armed(test, MOCK_VA));
	mock_unregister(m);
	/* as after 254 other devices */
	gpubp_next_number = number;
	KUNIT_ASSERT_EQ(test, mock_register(m, &mock_caps), 0);
	KUNIT_EXPECT_EQ(test, gpubp_device_number(m->dev), number);

	new = open_naming(test, number, MOCK_VA + 4096);
	KUNIT_ASSERT_FALSE(test, IS_ERR(new));
	KUNIT_EXPECT_TRUE(test, armed(test, MOCK_VA + 4096));
	KUNIT_EXPECT_FALSE(test, armed(test, MOCK_VA));
	mock_close(m, new);
	mock_close(m, old);
	mock_unregister(m);
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
	KUNIT_CASE_PARAM(registers, good_gen_params),
	KUNIT_CASE(edges_are_allowed),
	KUNIT_CASE(a_device_that_stops_no_wave),
	KUNIT_CASE(each_wave_has_a_cell),
	KUNIT_CASE(without_slots_little_is_required),
	KUNIT_CASE(acquire_and_release_are_optional),
	KUNIT_CASE(numbers_are_not_used_again_soon),
	KUNIT_CASE(a_number_that_is_used_again),
	KUNIT_CASE(the_name_is_copied),
	{}
};

static struct kunit_suite device_test_suite = {
	.name = "gpubp_device",
	.test_cases = device_test_cases,
};
kunit_test_suite(device_test_suite);
