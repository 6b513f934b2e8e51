// SPDX-License-Identifier: GPL-2.0
/* Delivery: the owner of a hit, and the events that count it. */
#include <linux/err.h>

#include "core/cell.h"
#include "mock.h"
#include "perf/perf.h"

#define ADDR	(MOCK_VA + 0x1010)
#define STORE	GPUBP_ACCESS_STORE
#define LOAD	GPUBP_ACCESS_LOAD
#define BELL	0x900	/* doorbell of a second queue */

static void expect_booked(struct kunit *test, enum gpubp_stat want, s64 nr)
{
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_stat(test->priv, want), nr);
}

static struct perf_event *open_with(struct kunit *test,
				    struct perf_event_attr attr,
				    struct task_struct *task)
{
	struct perf_event *event = mock_open_attr(test, &attr, task, NULL,
						  NULL);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "event not opened: %ld",
			       PTR_ERR(event));
	return event;
}

/* a store through the queue with this doorbell */
static void store_from(struct mock_ctx *c, u64 addr, u32 doorbell)
{
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
		.slots = mock_slots(c, addr),
	};
	struct gpubp_hit hit = mock_hit(c, &stop);

	hit.doorbell = doorbell;
	mock_lane_addr(c->m, 0, addr);
	mock_report(c->m, &hit);
}

static void every_tool_counts_every_hit(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *a = mock_open(test, ADDR, 4, STORE);
	struct perf_event *b = mock_open(test, ADDR, 4, STORE);
	struct perf_event *wider = mock_open(test, ADDR - 8, 16, STORE);
	int i;

	mock_settle(c->m);
	for (i = 0; i < 5; i++)
		mock_store(c, ADDR);
	expect_booked(test, GPUBP_STAT_DELIVERED, 5);
	mock_store(c, ADDR - 8);
	expect_booked(test, GPUBP_STAT_DELIVERED, 6);
	KUNIT_EXPECT_EQ(test, mock_count(a), 5);
	KUNIT_EXPECT_EQ(test, mock_count(b), 5);
	KUNIT_EXPECT_EQ(test, mock_count(wider), 6);
}

/* for hits that were reported before, and no longer than it was asked to */
static void waiting_for_hits(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_device *dev = c->m->dev;

	mock_open(test, ADDR, 4, STORE);
	mock_settle(c->m);
	mock_gate_close(c->m);
	mock_store(c, ADDR);
	KUNIT_EXPECT_EQ(test, gpubp_hits_wait(dev, 1), -ETIMEDOUT);
	mock_gate_open(c->m);
	KUNIT_EXPECT_EQ(test, gpubp_hits_wait(dev, 60 * HZ), 0);
	expect_booked(test, GPUBP_STAT_DELIVERED, 1);
}

#define MOVES	500

/* the owner may migrate between two matches of copies, but a hit has one CPU */
static void the_owner_moves_from_cpu_to_cpu(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(ADDR, 4, STORE);
	struct task_struct *thread = mock_moving_thread(test);
	struct mock_ctx *c = mock_ctx_of(test, task_pid(thread));
	struct perf_event *copy[2];
	int i;

	if (num_online_cpus() != 2 || !cpu_online(1))
		kunit_skip(test, "needs CPUs 0 and 1 and no others");
	copy[0] = mock_open_on(test, &attr, thread, 0);
	for (i = 0; i < 40; i++)	/* the commits take time */
		open_with(test, attr, thread);
	copy[1] = mock_open_on(test, &attr, thread, 1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(copy[0]) || IS_ERR(copy[1]));
	mock_settle(c->m);
	for (i = 0; i < MOVES; i++) {
		mock_store(c, ADDR);
		kthread_flush_worker(c->m->dev->resolver);
	}
	expect_booked(test, GPUBP_STAT_DELIVERED, MOVES);
	KUNIT_EXPECT_EQ(test, mock_count(copy[0]) + mock_count(copy[1]), MOVES);
}

/* two threads work in one context: the queue's creator owns its hits */
static void the_creator_of_the_queue_owns(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *mine = mock_open(test, ADDR, 4, STORE);
	struct perf_event *theirs = open_with(test, mock_attr(ADDR, 4, STORE),
					      thread);
	struct gpubp_queue *queue;

	queue = mock_queue(c->ctx, task_pid(thread), 8, BELL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(queue));
	mock_settle(c->m);
	mock_store(c, ADDR);
	store_from(c, ADDR, BELL);
	store_from(c, ADDR, BELL);
	expect_booked(test, GPUBP_STAT_DELIVERED, 3);
	KUNIT_EXPECT_EQ(test, mock_count(mine), 1);
	KUNIT_EXPECT_EQ(test, mock_count(theirs), 2);

	mock_close(c->m, theirs);
	store_from(c, ADDR, BELL);
	expect_booked(test, GPUBP_STAT_STRAY_OWNER, 1);
	KUNIT_EXPECT_EQ(test, mock_count(mine), 1);
	gpubp_queue_destroy(queue);
}

static void the_owner_is_gone(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *mine = mock_open(test, ADDR, 4, STORE);
	struct gpubp_queue *queue;

	queue = mock_queue(c->ctx, task_pid(thread), 8, BELL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(queue));
	mock_settle(c->m);
	mock_thread_end(test, thread);
	store_from(c, ADDR, BELL);
	expect_booked(test, GPUBP_STAT_STRAY_OWNER, 1);
	KUNIT_EXPECT_EQ(test, mock_count(mine), 0);
	gpubp_queue_destroy(queue);
}

/* a wave runs in user mode */
static void user_mode_is_excluded(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(ADDR, 4, STORE);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;

	attr.exclude_user = 1;
	event = open_with(test, attr, current);
	mock_settle(c->m);
	mock_store(c, ADDR);
	expect_booked(test, GPUBP_STAT_STRAY_OWNER, 1);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
}

/* one instruction counts once, though the event has two watches */
static void both_of_two_ranges_with_one_name(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(0, 4, STORE);
	struct mock_ctx *c = mock_ctx(test);
	struct mock_stop stop = { .exec = 3 };
	struct perf_event *event;
	int i;

	/* both names have the same hash */
	gpubp_buffer_name(c->ctx, MOCK_VA, 64, "ydtrd");
	gpubp_buffer_name(c->ctx, MOCK_VA + 4096, 64, "gckxr");
	attr.config |= GPUBP_CONFIG_NAMED | (u64)gpubp_name_hash("ydtrd") <<
					    GPUBP_CONFIG_CODE_SHIFT;
	event = open_with(test, attr, current);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, c->m->dev->nr_watches, 2u);
	stop.slots = mock_slots(c, MOCK_VA) | mock_slots(c, MOCK_VA + 4096);
	stop.pc = mock_put_insn(c, INSN_STORE);
	mock_lane_addr(c->m, 0, MOCK_VA);
	mock_lane_addr(c->m, 1, MOCK_VA + 4096);
	for (i = 1; i <= 3; i++) {
		mock_raise(c, &stop);
		expect_booked(test, GPUBP_STAT_DELIVERED, i);
		KUNIT_EXPECT_EQ(test, mock_count(event), i);
	}
}

static void process_counts_the_leader_s_queues_once(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(ADDR, 4, STORE);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *process, *own;

	own = mock_open(test, ADDR, 4, STORE);
	attr.config |= GPUBP_CONFIG_PROCESS;
	process = open_with(test, attr, current);
	mock_settle(c->m);
	mock_store(c, ADDR);
	expect_booked(test, GPUBP_STAT_DELIVERED, 1);
	KUNIT_EXPECT_EQ(test, mock_count(process), 1);
	KUNIT_EXPECT_EQ(test, mock_count(own), 1);
}

/* the old value was read when the watch was armed */
static void only_if_the_bytes_changed(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(ADDR, 4, STORE);
	struct mock_ctx *c = mock_ctx(test);
	u8 *byte = c->mem + (ADDR - MOCK_VA) + 3;
	struct perf_event *event;

	attr.config |= GPUBP_CONFIG_CHANGED;
	event = open_with(test, attr, current);
	mock_settle(c->m);
	mock_store(c, ADDR);
	expect_booked(test, GPUBP_STAT_STRAY_VALUE, 1);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
	*byte = 1;
	mock_store(c, ADDR);
	expect_booked(test, GPUBP_STAT_DELIVERED, 1);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	mock_store(c, ADDR);
	expect_booked(test, GPUBP_STAT_STRAY_VALUE, 2);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

struct precise_case {
	const char *name;
	u32 insn[2];
	u8 precise_ip;
	bool counted;
};

static const struct precise_case precise_cases[] = {
	{ "all_exact_0", { INSN_LOAD }, 0, true },
	{ "all_exact_1", { INSN_LOAD }, 1, true },
	{ "all_exact_2", { INSN_LOAD }, 2, true },
	{ "all_exact_3", { INSN_LOAD }, 3, true },
	{ "pc_exact_0", { INSN_LOAD_CLOBBER }, 0, true },
	{ "pc_exact_1", { INSN_LOAD_CLOBBER }, 1, true },
	{ "pc_exact_2", { INSN_LOAD_CLOBBER }, 2, false },
	{ "pc_exact_3", { INSN_LOAD_CLOBBER }, 3, false },
	{ "nothing_exact_0", { INSN_NOPS }, 0, true },
	{ "nothing_exact_1", { INSN_NOPS }, 1, false },
	{ "nothing_exact_2", { INSN_NOPS }, 2, false },
};
KUNIT_ARRAY_PARAM_DESC(precise, precise_cases, name);

static void as_precise_as_asked(struct kunit *test)
{
	const struct precise_case *p = test->param_value;
	struct perf_event_attr attr = mock_attr(ADDR, 4, LOAD);
	struct mock_ctx *c = mock_ctx(test);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, p->insn[0], p->insn[1]),
		.exec = 1,
	};
	struct perf_event *event;

	attr.precise_ip = p->precise_ip;
	event = open_with(test, attr, current);
	mock_settle(c->m);
	stop.slots = mock_slots(c, ADDR);
	mock_lane_addr(c->m, 0, ADDR);
	mock_raise(c, &stop);
	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), p->counted);
}

static struct kunit_case deliver_test_cases[] = {
	KUNIT_CASE(every_tool_counts_every_hit),
	KUNIT_CASE(waiting_for_hits),
	KUNIT_CASE(the_owner_moves_from_cpu_to_cpu),
	KUNIT_CASE(the_creator_of_the_queue_owns),
	KUNIT_CASE(the_owner_is_gone),
	KUNIT_CASE(user_mode_is_excluded),
	KUNIT_CASE(both_of_two_ranges_with_one_name),
	KUNIT_CASE(process_counts_the_leader_s_queues_once),
	KUNIT_CASE(only_if_the_bytes_changed),
	KUNIT_CASE_PARAM(as_precise_as_asked, precise_gen_params),
	{}
};

static struct kunit_suite deliver_test_suite = {
	.name = "gpubp_deliver",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = deliver_test_cases,
};
kunit_test_suite(deliver_test_suite);
