// SPDX-License-Identifier: GPL-2.0
/* Kernel watches: watches with a callback. */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hardirq.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "core/owner.h"
#include "event/event.h"
#include "mock.h"

#define AT(n)	(MOCK_VA + 0x1000 * (n) + 0x10)
#define ADDR	AT(1)
#define STORE	GPUBP_ACCESS_STORE

/**
 * struct calls - what a callback was passed; outlives its watch
 * @nr: calls
 * @running: calls in progress; never more than one
 * @wrong: calls outside of an interrupt, concurrent ones, or ones of another
 *	owner
 * @last: the last record
 * @owner: expected owner of the hits
 * @consumer: as passed to the callback
 * @unregister_at: number of the call that unregisters its watch, 0 none
 * @us: duration of each call
 */
struct calls {
	atomic_t nr;
	atomic_t running;
	atomic_t wrong;
	struct gpubp_hit_record last;
	struct task_struct *owner;
	struct gpubp_consumer *consumer;
	int unregister_at;
	unsigned int us;
};

static bool is_as_expected(const struct calls *h,
			   const struct gpubp_watch_hit *hit)
{
	return irqs_disabled() && hit->pid == task_tgid_nr(h->owner) &&
	       hit->tid == task_pid_nr(h->owner);
}

static void on_hit(struct gpubp_consumer *consumer,
		   const struct gpubp_watch_hit *hit, void *data)
{
	struct calls *h = data;
	int nr = atomic_inc_return(&h->nr);

	if (atomic_inc_return(&h->running) != 1 || !is_as_expected(h, hit))
		atomic_inc(&h->wrong);
	h->last = *hit->record;
	h->consumer = consumer;
	udelay(h->us);
	if (nr == h->unregister_at)
		gpubp_unregister_watch(consumer);
	atomic_dec(&h->running);
}

static struct calls *calls(struct kunit *test, struct task_struct *owner)
{
	struct calls *h = kunit_kzalloc(test, sizeof(*h), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, h);
	h->owner = owner;
	return h;
}

/* watches of the running test */
static struct gpubp_consumer *live[MOCK_SLOTS];

static struct gpubp_consumer *try_attr(struct calls *h,
				       const struct perf_event_attr *attr)
{
	return gpubp_register_watch(h->owner, attr, on_hit, h);
}

static int try_without(const struct perf_event_attr *attr)
{
	return PTR_ERR_OR_ZERO(gpubp_register_watch(current, attr, NULL, NULL));
}

static int try_wide(const struct perf_event_attr *attr)
{
	return PTR_ERR_OR_ZERO(gpubp_register_watch(NULL, attr, on_hit, NULL));
}

static void keep_until_exit(struct kunit *test, struct gpubp_consumer *c)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(live) && live[i]; i++)
		;
	KUNIT_ASSERT_LT(test, i, ARRAY_SIZE(live));
	live[i] = c;
}

static void end(struct gpubp_consumer *c)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(live); i++)
		if (live[i] == c)
			live[i] = NULL;
	gpubp_unregister_watch(c);
}

/* unregistered at the end of the test, if it does not unregister itself */
static struct gpubp_consumer *watch_attr(struct kunit *test, struct calls *h,
					 const struct perf_event_attr *attr)
{
	struct gpubp_consumer *c = try_attr(h, attr);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(c), "not registered: %ld",
			       PTR_ERR(c));
	if (!h->unregister_at)
		keep_until_exit(test, c);
	return c;
}

static struct perf_event_attr attr_of(u64 addr)
{
	struct perf_event_attr attr;

	gpubp_watch_attr_init(&attr, addr, 4, STORE);
	return attr;
}

static struct gpubp_consumer *watch(struct kunit *test, struct calls *h,
				    u64 addr)
{
	struct perf_event_attr attr = attr_of(addr);

	return watch_attr(test, h, &attr);
}

static void stores(struct kunit *test, struct mock_ctx *c, u64 addr, int nr)
{
	while (nr--)
		mock_store(c, addr);
	mock_quiesce(test);
}

static void expect_calls(struct kunit *test, const struct calls *h, int nr)
{
	KUNIT_EXPECT_EQ(test, atomic_read(&h->nr), nr);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&h->wrong), 0,
			    "another owner, concurrent, or interrupts on");
}

static bool armed(struct mock_ctx *c, u64 addr)
{
	mock_settle(c->m);
	return mock_slots(c, addr);
}

static int nr_armed(struct mock_ctx *c)
{
	mock_settle(c->m);
	return hweight32(mock_valid(c->m));
}

/* ---- calls --------------------------------------------------------------- */

static void every_hit_is_a_call(struct kunit *test)
{
	struct calls *h = calls(test, current);
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_consumer *w = watch(test, h, ADDR);

	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	stores(test, c, ADDR, 20);
	mock_expect_stats_balance(test);
	expect_calls(test, h, 20);
	KUNIT_EXPECT_PTR_EQ(test, h->consumer, w);
	KUNIT_EXPECT_EQ(test, h->last.addr, ADDR);
	KUNIT_EXPECT_EQ(test, h->last.pc, MOCK_CODE);
	KUNIT_EXPECT_EQ(test, h->last.access, STORE);
	KUNIT_EXPECT_EQ(test, h->last.lanes, 1);
	KUNIT_EXPECT_EQ(test, h->last.context, gpubp_ctx_id(c->ctx));
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 20);
}

static void every_third_hit_is_one(struct kunit *test)
{
	struct perf_event_attr attr = attr_of(ADDR);
	struct calls *h = calls(test, current);
	struct mock_ctx *c = mock_ctx(test);

	attr.sample_period = 3;
	watch_attr(test, h, &attr);
	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	stores(test, c, ADDR, 8);
	expect_calls(test, h, 2);
}

static void the_target_sleeps(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *c = mock_ctx_of(test, task_pid(thread));
	struct calls *h = calls(test, thread);

	watch(test, h, ADDR);
	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	stores(test, c, ADDR, 5);
	expect_calls(test, h, 5);
}

/* migrating between CPUs: many calls wait until scheduler locks are released */
static void the_target_moves(struct kunit *test)
{
	struct task_struct *thread = mock_moving_thread(test);
	struct mock_ctx *c = mock_ctx_of(test, task_pid(thread));
	struct calls *h = calls(test, thread);
	int i;

	mock_never_throttle(test);
	watch(test, h, ADDR);
	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	for (i = 0; i < 10; i++)
		stores(test, c, ADDR, 30);
	mock_expect_stats_balance(test);
	expect_calls(test, h, mock_stat(c->m, GPUBP_STAT_DELIVERED));
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 300);
}

static void the_target_exits(struct kunit *test)
{
	struct task_struct *thread = mock_thread_in(test, TASK_IDLE);
	struct mock_ctx *c = mock_ctx_of(test, task_pid(thread));
	struct calls *h = calls(test, thread);
	struct gpubp_consumer *w = watch(test, h, ADDR);

	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	stores(test, c, ADDR, 0);
	mock_thread_end(test, thread);
	KUNIT_EXPECT_FALSE(test, armed(c, ADDR));
	stores(test, c, ADDR, 1);
	expect_calls(test, h, 0);
	end(w);
}

static struct gpubp_consumer *watch_all(struct kunit *test, struct calls *h,
					u64 addr)
{
	struct perf_event_attr attr = attr_of(addr);
	struct gpubp_consumer *c;

	c = gpubp_register_watch(NULL, &attr, on_hit, h);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(c), "not registered: %ld",
			       PTR_ERR(c));
	if (!h->unregister_at)
		keep_until_exit(test, c);
	return c;
}

/* one event per CPU; each hit belongs to one of them */
static void every_process(struct kunit *test)
{
	struct task_struct *thread = mock_moving_thread(test);
	struct mock_ctx *c = mock_ctx_of(test, task_pid(thread));
	struct calls *h = calls(test, thread);
	struct gpubp_consumer *w = watch_all(test, h, ADDR);
	struct perf_event_attr attr = attr_of(AT(2));
	int i;

	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	for (i = 0; i < 10; i++)
		stores(test, c, ADDR, 10);
	expect_calls(test, h, 100);
	KUNIT_EXPECT_EQ(test, h->last.addr, ADDR);
	KUNIT_EXPECT_EQ(test, gpubp_modify_watch(w, &attr), 0);
	KUNIT_EXPECT_TRUE(test, armed(c, AT(2)));
	KUNIT_EXPECT_FALSE(test, armed(c, ADDR));
	stores(test, c, AT(2), 10);
	expect_calls(test, h, 110);
	mock_expect_stats_balance(test);
	end(w);
	KUNIT_EXPECT_FALSE(test, armed(c, AT(2)));
}

/* @h unregisters in the callback of the third hit */
static void expect_third_is_last(struct kunit *test, struct mock_ctx *c,
				 const struct calls *h)
{
	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	stores(test, c, ADDR, 10);
	expect_calls(test, h, 3);
	gpubp_unregister_barrier();
	KUNIT_EXPECT_FALSE(test, armed(c, ADDR));
}

static void every_process_until_its_third(struct kunit *test)
{
	struct calls *h = calls(test, current);
	struct mock_ctx *c = mock_ctx(test);

	h->unregister_at = 3;
	watch_all(test, h, ADDR);
	expect_third_is_last(test, c, h);
}

static void two_of_one_watch(struct kunit *test)
{
	struct calls *a = calls(test, current);
	struct calls *b = calls(test, current);
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_consumer *w = watch(test, a, ADDR);

	KUNIT_EXPECT_EQ(test, nr_armed(c), 1);
	watch(test, b, ADDR);
	KUNIT_EXPECT_EQ(test, nr_armed(c), 1);
	stores(test, c, ADDR, 3);
	end(w);
	KUNIT_EXPECT_EQ(test, nr_armed(c), 1);
	stores(test, c, ADDR, 4);
	expect_calls(test, a, 3);
	expect_calls(test, b, 7);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 7);
}

/* ---- unregistration ------------------------------------------------------ */

static void no_call_after_unregistration(struct kunit *test)
{
	struct calls *h = calls(test, current);
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_consumer *w = watch(test, h, ADDR);

	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	stores(test, c, ADDR, 2);
	end(w);
	stores(test, c, ADDR, 2);
	expect_calls(test, h, 2);
	KUNIT_EXPECT_FALSE(test, armed(c, ADDR));
}

static void out_of_its_own_callback(struct kunit *test)
{
	struct calls *h = calls(test, current);
	struct mock_ctx *c = mock_ctx(test);

	h->unregister_at = 3;
	watch(test, h, ADDR);
	expect_third_is_last(test, c, h);
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 0u);
}

static void the_other_of_one_watch_stays(struct kunit *test)
{
	struct calls *a = calls(test, current);
	struct calls *b = calls(test, current);
	struct mock_ctx *c = mock_ctx(test);

	a->unregister_at = 1;
	watch(test, a, ADDR);
	watch(test, b, ADDR);
	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	stores(test, c, ADDR, 4);
	gpubp_unregister_barrier();
	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	stores(test, c, ADDR, 4);
	expect_calls(test, a, 1);
	expect_calls(test, b, 8);
}

static int storing_thread(void *data)
{
	struct mock_ctx *c = data;

	while (!kthread_should_stop()) {
		mock_store(c, ADDR);
		usleep_range(50, 100);
	}
	return 0;
}

/* with hits and calls on other CPUs at the same time */
static void while_calls_run_elsewhere(struct kunit *test)
{
	struct task_struct *thread = mock_moving_thread(test);
	struct mock_ctx *c = mock_ctx_of(test, task_pid(thread));
	struct task_struct *storer;
	int round;

	storer = kthread_run(storing_thread, c, "gpubp_storer");
	KUNIT_ASSERT_FALSE(test, IS_ERR(storer));
	for (round = 0; round < 20; round++) {
		struct calls *h = calls(test, thread);
		struct gpubp_consumer *w;
		int nr, tries;

		h->us = 20;
		w = watch(test, h, ADDR);
		for (tries = 0; tries < 60000 && !atomic_read(&h->nr); tries++)
			usleep_range(500, 1000);
		KUNIT_EXPECT_LT(test, 0, atomic_read(&h->nr));
		end(w);
		KUNIT_EXPECT_EQ(test, atomic_read(&h->running), 0);
		nr = atomic_read(&h->nr);
		usleep_range(500, 1000);
		expect_calls(test, h, nr);
	}
	kthread_stop(storer);
	mock_quiesce(test);
}

/* ---- modification -------------------------------------------------------- */

static void the_watch_moves(struct kunit *test)
{
	struct perf_event_attr attr = attr_of(AT(2));
	struct calls *h = calls(test, current);
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_consumer *w = watch(test, h, ADDR);

	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	KUNIT_EXPECT_EQ(test, gpubp_modify_watch(w, &attr), 0);
	KUNIT_EXPECT_TRUE(test, armed(c, AT(2)));
	KUNIT_EXPECT_FALSE(test, armed(c, ADDR));
	stores(test, c, AT(2), 2);
	expect_calls(test, h, 2);
	KUNIT_EXPECT_EQ(test, h->last.addr, AT(2));
}

static void to_what_it_is(struct kunit *test)
{
	struct perf_event_attr attr = attr_of(ADDR);
	struct calls *h = calls(test, current);
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_consumer *w = watch(test, h, ADDR);
	unsigned int commits;
	int i;

	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	commits = mock_commits(c->m);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, gpubp_modify_watch(w, &attr), 0);
	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	KUNIT_EXPECT_EQ(test, mock_commits(c->m), commits);
}

/* disable, enable: the reservation is kept */
static void off_and_on(struct kunit *test)
{
	struct perf_event_attr attr = attr_of(ADDR);
	struct calls *h = calls(test, current);
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_consumer *w = watch(test, h, ADDR);
	int i;

	for (i = 2; i < MOCK_SLOTS; i++)
		watch(test, calls(test, current), AT(i));
	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	attr.disabled = 1;
	KUNIT_EXPECT_EQ(test, gpubp_modify_watch(w, &attr), 0);
	KUNIT_EXPECT_FALSE(test, armed(c, ADDR));
	stores(test, c, ADDR, 1);
	attr = attr_of(AT(5));
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(try_attr(h, &attr)), -ENOSPC);
	KUNIT_EXPECT_EQ(test, gpubp_modify_watch(w, &attr), 0);
	KUNIT_EXPECT_TRUE(test, armed(c, AT(5)));
	stores(test, c, AT(5), 2);
	expect_calls(test, h, 2);
}

static void registered_disabled(struct kunit *test)
{
	struct perf_event_attr attr = attr_of(ADDR);
	struct calls *h = calls(test, current);
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_consumer *w;

	attr.disabled = 1;
	w = watch_attr(test, h, &attr);
	KUNIT_EXPECT_FALSE(test, armed(c, ADDR));
	attr.disabled = 0;
	KUNIT_EXPECT_EQ(test, gpubp_modify_watch(w, &attr), 0);
	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	stores(test, c, ADDR, 1);
	expect_calls(test, h, 1);
}

/* ---- refusals ------------------------------------------------------------ */

struct refused_case {
	const char *name;
	void (*spoil)(struct perf_event_attr *attr);
	int err;
	int modify_err;
};

static void no_type(struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_SOFTWARE;
}

static void no_bytes(struct perf_event_attr *attr)
{
	attr->config2 = 0;
}

static void undefined_bit(struct perf_event_attr *attr)
{
	attr->config |= BIT(22);
}

static void not_served(struct perf_event_attr *attr)
{
	attr->config = GPUBP_KIND_BREAK;
}

static void no_device(struct perf_event_attr *attr)
{
	attr->config |= 200ULL << GPUBP_CONFIG_DEVICE_SHIFT;
}

static void too_wide(struct perf_event_attr *attr)
{
	attr->config2 = 3 * (u64)SZ_1G;
}

static void no_period(struct perf_event_attr *attr)
{
	attr->sample_period = 0;
}

static void frequency(struct perf_event_attr *attr)
{
	attr->freq = 1;
}

static void signals(struct perf_event_attr *attr)
{
	attr->sigtrap = 1;
}

/* no block of the size of both parts covers them */
static void two_to_pin(struct perf_event_attr *attr)
{
	attr->config1 = MOCK_VA + 0x8000 - 8;
	attr->config2 = 80;
}

static const struct refused_case refused_cases[] = {
	{ "another_pmu", no_type, -ENOENT, -EINVAL },
	{ "no_bytes", no_bytes, -EINVAL, -EINVAL },
	{ "undefined_bit", undefined_bit, -EINVAL, -EINVAL },
	{ "kind_not_served", not_served, -EOPNOTSUPP, -EINVAL },
	{ "no_such_device", no_device, -ENODEV, -EINVAL },
	{ "wider_than_any_cover", too_wide, -EOPNOTSUPP, -EOPNOTSUPP },
	{ "counting", no_period, -EINVAL, -EINVAL },
	{ "frequency", frequency, -EINVAL, -EINVAL },
	{ "signals", signals, -EINVAL, -EINVAL },
	{ "no_comparator_left", two_to_pin, -ENOSPC, -ENOSPC },
};
KUNIT_ARRAY_PARAM_DESC(refused, refused_cases, name);

/* the call fails and changes nothing */
static void refused(struct kunit *test)
{
	const struct refused_case *r = test->param_value;
	struct perf_event_attr attr = attr_of(ADDR);
	struct calls *h = calls(test, current);
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_consumer *w = watch(test, h, ADDR);

	watch(test, calls(test, current), AT(2));
	watch(test, calls(test, current), AT(3));
	r->spoil(&attr);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(try_attr(h, &attr)), r->err);
	KUNIT_EXPECT_EQ(test, gpubp_modify_watch(w, &attr), r->modify_err);
	KUNIT_EXPECT_TRUE(test, armed(c, ADDR));
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 3u);
	stores(test, c, ADDR, 1);
	expect_calls(test, h, 1);
}

static void more_refused(struct kunit *test)
{
	struct perf_event_attr attr = attr_of(ADDR);
	struct calls *h = calls(test, current);
	struct gpubp_consumer *w;

	KUNIT_EXPECT_EQ(test, try_without(&attr), -EINVAL);
	attr.inherit = 1;
	KUNIT_EXPECT_EQ(test, try_wide(&attr), -EINVAL);
	w = watch_attr(test, h, &attr);
	attr.disabled = 1;
	KUNIT_EXPECT_EQ(test, gpubp_modify_watch(w, &attr), -EOPNOTSUPP);
	attr = attr_of(ADDR);
	KUNIT_EXPECT_EQ_MSG(test, gpubp_modify_watch(w, &attr), -EINVAL,
			    "no .inherit");
}

static struct kunit_case kernel_watch_test_cases[] = {
	KUNIT_CASE(every_hit_is_a_call),
	KUNIT_CASE(every_third_hit_is_one),
	KUNIT_CASE(the_target_sleeps),
	KUNIT_CASE(the_target_moves),
	KUNIT_CASE(the_target_exits),
	KUNIT_CASE(every_process),
	KUNIT_CASE(every_process_until_its_third),
	KUNIT_CASE(two_of_one_watch),
	KUNIT_CASE(no_call_after_unregistration),
	KUNIT_CASE(out_of_its_own_callback),
	KUNIT_CASE(the_other_of_one_watch_stays),
	KUNIT_CASE(while_calls_run_elsewhere),
	KUNIT_CASE(the_watch_moves),
	KUNIT_CASE(to_what_it_is),
	KUNIT_CASE(off_and_on),
	KUNIT_CASE(registered_disabled),
	KUNIT_CASE_PARAM(refused, refused_gen_params),
	KUNIT_CASE(more_refused),
	{}
};

static void consumer_exit(struct kunit *test)
{
	unsigned int i;

	gpubp_unregister_barrier();
	for (i = 0; i < ARRAY_SIZE(live); i++)
		if (live[i])
			end(live[i]);
	mock_exit(test);
}

static struct kunit_suite kernel_watch_test_suite = {
	.name = "gpubp_kernel_watch",
	.init = mock_init,
	.exit = consumer_exit,
	.test_cases = kernel_watch_test_cases,
};
kunit_test_suite(kernel_watch_test_suite);
