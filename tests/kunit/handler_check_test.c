// SPDX-License-Identifier: GPL-2.0
/*
 * handler_check: waves that stop behind what the trap handler decided. What it should
 * have decided is found out as of any hit.
 */
#include <linux/bits.h>
#include <linux/unaligned.h>

#include "handler_rig.h"
#include "sched/sched.h"

#define AT		(MOCK_VA + 8)
#define NEAR		(MOCK_VA + 16)		/* in the same block */
#define STORES		GPUBP_ACCESS_STORE
#define DATA		7

/* of the handler's record */
#define STRAY		BIT(28)
#define COUNTED		BIT(29)
#define RECORDED	BIT(30)

static int suite_init(struct kunit *test)
{
	int err = handler_rig_init_records(test);
	struct mock *m = test->priv;

	if (err)
		return err;
	mock_param(test, "handler_check", 1);
	m->checked = true;
	handler_rig_stop_poll(m);
	return 0;
}

static struct perf_event *count(struct kunit *test, struct mock_ctx *c)
{
	struct perf_event *event = mock_open(test, AT, 4, STORES);

	handler_rig_settle(c);
	return event;
}

/* lane 0 stored DATA at @addr; the handler decided so, and the wave stopped */
static void decided(struct kunit *test, struct mock_ctx *c, u32 decision,
		    u64 addr)
{
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
		.slots = mock_slots(c, AT),
		.trapsts = decision,
	};

	mock_lane_addr(c->m, 0, addr);
	c->m->vgprs[2][0] = DATA;
	mock_raise(c, &stop);
	mock_quiesce(test);
}

/* the next wave recorded that it stored DATA at AT */
static struct handler_rig_place *record(struct kunit *test, struct mock_ctx *c,
					u32 *number)
{
	unsigned int index = mock_record(atomic_read(&c->m->next_wave) + 1);
	struct handler_rig_place *p;

	*number = handler_rig_take(test, c);
	p = handler_rig_fill(c, *number, handler_rig_slot(test, c, AT), AT);
	p->hw_id = index % 16 | index / 16 % 4 << 4 | index / 64 << 8;
	p->data[0][0] = DATA;
	return p;
}

static void expect(struct kunit *test, s64 checked, s64 differed)
{
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_stat(test->priv, GPUBP_STAT_CHECKED), checked);
	KUNIT_EXPECT_EQ(test, mock_stat(test->priv, GPUBP_STAT_DIFFERED), differed);
}

static void a_stray(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c);

	decided(test, c, STRAY, NEAR);
	expect(test, 1, 0);
	decided(test, c, STRAY, AT);
	expect(test, 1, 1);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
}

static void a_count(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c);

	decided(test, c, COUNTED, AT);
	expect(test, 1, 0);
	decided(test, c, COUNTED, NEAR);
	expect(test, 1, 1);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
}

static void a_record(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c);
	u32 number;

	record(test, c, &number);
	handler_rig_publish(c, number);
	decided(test, c, RECORDED, AT);
	expect(test, 1, 0);
	KUNIT_EXPECT_EQ(test, gpubp_ctx_work_done(c->ctx), 0);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	mock_expect_stats_balance(test);
}

/* it is delivered, and the wave stops */
static void a_record_that_was_taken(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = count(test, c);
	u32 number;

	record(test, c, &number);
	handler_rig_publish(c, number);
	KUNIT_EXPECT_EQ(test, gpubp_ctx_work_done(c->ctx), 0);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	decided(test, c, RECORDED, AT);
	expect(test, 1, 0);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

static void other_address(struct handler_rig_place *p)
{
	p->addr[0][0] += 4;
}

static void other_data(struct handler_rig_place *p)
{
	p->data[0][0]++;
}

static void other_pc(struct handler_rig_place *p)
{
	p->pc_lo += 8;
}

static void other_lanes(struct handler_rig_place *p)
{
	p->exec |= 2;
}

static void other_code(struct handler_rig_place *p)
{
	p->code[1] ^= 0x100;	/* v3 is stored */
}

static void other_wave(struct handler_rig_place *p)
{
	p->hw_id ^= 1;
}

static void other_workgroup(struct handler_rig_place *p)
{
	p->ttmp[0]++;
}

static const struct other_case {
	const char *name;
	void (*make)(struct handler_rig_place *p);
} other_cases[] = {
	{ "address", other_address },
	{ "data", other_data },
	{ "pc", other_pc },
	{ "lanes", other_lanes },
	{ "code", other_code },
	{ "wave", other_wave },
	{ "workgroup", other_workgroup },
};
KUNIT_ARRAY_PARAM_DESC(other, other_cases, name);

static void a_record_of_something_else(struct kunit *test)
{
	const struct other_case *other = test->param_value;
	struct mock_ctx *c = mock_ctx(test);
	u32 number;

	count(test, c);
	other->make(record(test, c, &number));
	handler_rig_publish(c, number);
	decided(test, c, RECORDED, AT);
	expect(test, 0, 1);
	KUNIT_EXPECT_EQ(test, gpubp_ctx_work_done(c->ctx), 0);
	mock_expect_stats_balance(test);
}

static void no_record(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	count(test, c);
	decided(test, c, RECORDED, AT);
	expect(test, 0, 1);
}

/* an address that cannot be known cannot have been decided */
static void an_address_that_is_lost(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_LOAD_CLOBBER),
		.exec = 1,
		.trapsts = STRAY,
	};

	count(test, c);
	stop.slots = mock_slots(c, AT);
	mock_raise(c, &stop);
	mock_quiesce(test);
	expect(test, 0, 1);
}

static u32 image_word(struct mock_ctx *c, u32 offset)
{
	return get_unaligned_le32(c->code + offset);
}

/* the handler's image is another one, of contexts whose first watch comes then */
static void only_if_root_says_so(struct kunit *test)
{
	const struct gpubp_handler *h = gpubp_isa_gfx90a.handler;
	struct mock_ctx *before, *c;
	struct mock *m = test->priv;
	u32 i;

	mock_param(test, "handler_check", 0);
	WRITE_ONCE(m->checked, false);
	before = mock_ctx(test);
	count(test, before);
	mock_param(test, "handler_check", 1);
	WRITE_ONCE(m->checked, true);
	c = mock_ctx(test);
	count(test, c);
	KUNIT_ASSERT_GT(test, h->nr_checks, 0);
	for (i = 0; i < h->nr_checks; i += 2) {
		KUNIT_EXPECT_EQ(test, image_word(before, h->checks[i]),
				h->image[h->checks[i] / 4]);
		KUNIT_EXPECT_EQ(test, image_word(c, h->checks[i]),
				h->checks[i + 1]);
	}
}

static struct kunit_case handler_check_test_cases[] = {
	KUNIT_CASE(a_stray),
	KUNIT_CASE(a_count),
	KUNIT_CASE(a_record),
	KUNIT_CASE(a_record_that_was_taken),
	KUNIT_CASE_PARAM(a_record_of_something_else, other_gen_params),
	KUNIT_CASE(no_record),
	KUNIT_CASE(an_address_that_is_lost),
	KUNIT_CASE(only_if_root_says_so),
	{}
};

static struct kunit_suite handler_check_test_suite = {
	.name = "gpubp_handler_check",
	.init = suite_init,
	.exit = mock_exit,
	.test_cases = handler_check_test_cases,
};
kunit_test_suite(handler_check_test_suite);
