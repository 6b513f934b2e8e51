// SPDX-License-Identifier: GPL-2.0
/*
 * Watch sets: bindings, batches, memory. Counts, updates and rights are in
 * tests/selftests/sets.c.
 */
#include <kunit/static_stub.h>
#include <linux/cgroup.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>

#include "core/cell.h"
#include "event/event.h"
#include "event/reconcile.h"
#include "event/set.h"
#include "mock.h"
#include "sched/sched.h"
#include "sched/watch.h"

#define AT(n)	(MOCK_VA + (n) * 0x100ULL)
#define STORE	GPUBP_ACCESS_STORE
#define MANY	4200	/* more than are bound in one batch */

static void destroy_set(void *set)
{
	gpubp_set_destroy(set);
}

static struct gpubp_watch_set *make_set(struct kunit *test)
{
	struct gpubp_watch_set *set = gpubp_set_create();

	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, destroy_set, set),
			0);
	return set;
}

static struct perf_event *try_open_on(struct kunit *test, u32 set,
				      struct task_struct *task, int cpu)
{
	struct perf_event_attr attr = mock_attr(0, 0, 0);

	attr.config = GPUBP_KIND_WATCH_SET |
		      (u64)set << GPUBP_CONFIG_CODE_SHIFT;
	return mock_open_attr_on(test, &attr, task, cpu, NULL, NULL);
}

static struct perf_event *try_open(struct kunit *test, u32 set)
{
	return try_open_on(test, set, current, -1);
}

static struct perf_event *open_set(struct kunit *test,
				   struct gpubp_watch_set *set)
{
	struct perf_event *event = try_open(test, set->id);

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	return event;
}

static struct gpubp_set_watch dword(u64 addr)
{
	return (struct gpubp_set_watch) {
		.addr = addr, .len = 4, .access = STORE,
	};
}

static int update(struct gpubp_watch_set *set, struct gpubp_set_watch *w,
		  unsigned int nr)
{
	unsigned int bad;

	return gpubp_set_update(set, w, nr, &bad, NULL, NULL);
}

/* dwords at AT(0), AT(1), ... */
static void load(struct kunit *test, struct gpubp_watch_set *set,
		 struct gpubp_set_watch *w, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		w[i] = dword(AT(i));
	KUNIT_ASSERT_EQ(test, update(set, w, nr), 0);
}

static s64 count_of(struct gpubp_watch_set *set, u64 id)
{
	struct gpubp_member *member = xa_load(&set->members, id);

	return member ? atomic64_read(&member->count) : -1;
}

static bool armed(struct mock_ctx *c, u64 addr)
{
	mock_settle(c->m);
	return mock_slots(c, addr);
}

static void store(struct kunit *test, struct mock_ctx *c, u64 addr)
{
	mock_settle(c->m);
	mock_store(c, addr);
	mock_quiesce(test);
}

static unsigned int nr_watches(struct mock_ctx *c)
{
	mock_settle(c->m);
	return c->m->dev->nr_watches;
}

/* more matches than fit in a cell, while the owner migrates between CPUs */
static void a_hit_of_many_members_is_of_one_copy(struct kunit *test)
{
	struct task_struct *thread = mock_moving_thread(test);
	struct mock_ctx *c = mock_ctx_of(test, task_pid(thread));
	struct gpubp_watch_set *set = make_set(test);
	struct gpubp_set_watch w[4 * GPUBP_CELL_MATCHES];
	struct perf_event *copy[8];
	unsigned int nr = 0, i;
	u64 sum = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		KUNIT_ASSERT_LT(test, nr, ARRAY_SIZE(copy));
		copy[nr] = try_open_on(test, set->id, thread, cpu);
		KUNIT_ASSERT_FALSE(test, IS_ERR(copy[nr]));
		nr++;
	}
	for (i = 0; i < ARRAY_SIZE(w); i++)
		w[i] = dword(AT(0) + i % 4);
	KUNIT_ASSERT_EQ(test, update(set, w, ARRAY_SIZE(w)), 0);
	KUNIT_EXPECT_EQ(test, nr_watches(c), 4u);
	for (i = 0; i < 500; i++)
		store(test, c, AT(0) + 3);
	for (i = 0; i < nr; i++)
		sum += mock_count(copy[i]);
	KUNIT_EXPECT_EQ(test, sum, 500);
	mock_expect_stats_balance(test);
}

/* more matches than fit in a cell */
static void a_hit_of_many_members_is_one(struct kunit *test)
{
	struct gpubp_watch_set *set = make_set(test);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = open_set(test, set);
	const int nr = 5 * GPUBP_MAX_SLOTS;
	struct gpubp_set_watch *w;
	int i;

	w = kunit_kcalloc(test, nr, sizeof(*w), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w);
	for (i = 0; i < nr; i++)
		w[i] = dword(AT(0) + i % 4);
	KUNIT_ASSERT_EQ(test, update(set, w, nr), 0);
	KUNIT_EXPECT_EQ_MSG(test, nr_watches(c), 4u, "equal members share");
	store(test, c, AT(0) + 3);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, count_of(set, w[i].id), 1);
	mock_expect_stats_balance(test);
}

static void beside_a_watch_of_the_same_bytes(struct kunit *test)
{
	struct gpubp_watch_set *set = make_set(test);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, AT(0), 4, STORE);
	struct gpubp_set_watch w[1];
	struct perf_event *of_set;

	load(test, set, w, 1);
	of_set = open_set(test, set);
	KUNIT_EXPECT_EQ(test, nr_watches(c), 1u);
	store(test, c, AT(0));
	mock_close(c->m, event);
	KUNIT_EXPECT_EQ(test, nr_watches(c), 1u);
	store(test, c, AT(0));
	KUNIT_EXPECT_EQ(test, mock_count(of_set), 2);
	KUNIT_EXPECT_EQ(test, count_of(set, w[0].id), 2);
}

static void time_of_an_event_that_joins_an_armed_set(struct kunit *test)
{
	struct gpubp_watch_set *set = make_set(test);
	struct gpubp_account before, after;
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_set_watch w[2];
	struct perf_event *event;

	load(test, set, w, 2);
	open_set(test, set);
	KUNIT_EXPECT_TRUE(test, armed(c, AT(1)));
	event = open_set(test, set);
	mock_settle(c->m);
	gpubp_event_time_read(event->pmu_private, &before);
	msleep(20);
	gpubp_event_time_read(event->pmu_private, &after);
	KUNIT_EXPECT_GT(test, after.armed, before.armed);
}

/* a member that cannot be covered is not armed, the others are */
static void a_member_that_cannot_be_covered(struct kunit *test)
{
	struct gpubp_watch_set *set = make_set(test);
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_set_watch w[3] = {
		dword(AT(0)),
		{ .addr = 0, .len = 3 * (u64)SZ_1G },
		{ .addr = BIT_ULL(60), .len = 4 },
	};

	KUNIT_ASSERT_EQ(test, update(set, w, 3), 0);
	open_set(test, set);
	KUNIT_EXPECT_EQ(test, nr_watches(c), 1u);
	KUNIT_EXPECT_TRUE(test, armed(c, AT(0)));
	w[1] = dword(AT(1));
	w[1].id = w[0].id + 1;
	KUNIT_EXPECT_EQ(test, update(set, &w[1], 1), 0);
	KUNIT_EXPECT_TRUE(test, armed(c, AT(1)));
}

static void a_set_larger_than_a_batch(struct kunit *test)
{
	struct gpubp_watch_set *set = make_set(test);
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;
	struct gpubp_set_watch *w;
	int i;

	w = kvcalloc(MANY, sizeof(*w), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w);
	for (i = 0; i < MANY; i++)
		w[i] = dword(MOCK_VA + i);
	KUNIT_EXPECT_EQ(test, update(set, w, MANY), 0);
	event = open_set(test, set);
	KUNIT_EXPECT_EQ(test, nr_watches(c), (unsigned int)MANY);
	for (i = 0; i < MANY; i += 2)
		w[i].len = 0;
	KUNIT_EXPECT_EQ(test, update(set, w, MANY), 0);
	KUNIT_EXPECT_EQ(test, nr_watches(c), (unsigned int)MANY / 2);
	mock_close(c->m, event);
	KUNIT_EXPECT_EQ(test, nr_watches(c), 0u);
	kvfree(w);
}

static bool reconcile(struct perf_event *event)
{
	return gpubp_event_reconcile(event->pmu_private,
				     gpubp_event_new_pass());
}

/* an event waits for its own set only, though another user's is larger */
static void another_s_set_is_not_waited_for(struct kunit *test)
{
	struct task_struct *thread = mock_thread(test);
	struct perf_event_attr attr = mock_attr(0, 0, 0);
	struct gpubp_watch_set *theirs = make_set(test);
	struct gpubp_watch_set *mine = make_set(test);
	struct perf_event *event, *other;
	struct gpubp_set_watch w[1];
	struct gpubp_set_watch *many;
	unsigned int nr;
	bool done;

	mock_ctx(test);
	mock_ctx_of(test, task_pid(thread));
	many = kunit_kcalloc(test, 2 * MANY, sizeof(*many), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, many);
	load(test, theirs, many, 2 * MANY);
	load(test, mine, w, 1);
	attr.disabled = 1;
	attr.config = GPUBP_KIND_WATCH_SET |
		      (u64)theirs->id << GPUBP_CONFIG_CODE_SHIFT;
	other = mock_open_attr(test, &attr, thread, NULL, NULL);
	attr.config = GPUBP_KIND_WATCH_SET |
		      (u64)mine->id << GPUBP_CONFIG_CODE_SHIFT;
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(other) || IS_ERR(event));
	guard(mutex)(&gpubp_events_lock);
	perf_event_enable(other);
	perf_event_enable(event);
	done = reconcile(event);
	KUNIT_EXPECT_TRUE(test, done);
	KUNIT_EXPECT_FALSE(test, list_empty(&mine->set_bindings));
	KUNIT_EXPECT_TRUE(test, list_empty(&theirs->set_bindings));
	done = reconcile(other);
	KUNIT_EXPECT_FALSE(test, done);
	for (nr = 0; !done && nr < MANY; nr++)
		done = reconcile(other);
	KUNIT_EXPECT_TRUE(test, done);
}

/* removed members make room for added ones */
static void no_more_than_fit(struct kunit *test)
{
	struct gpubp_watch_set *set = make_set(test);
	struct gpubp_set_watch w[3];
	unsigned int bad;

	load(test, set, w, 1);
	set->nr = GPUBP_SET_MAX - 1;	/* pretend */
	w[1] = dword(AT(1));
	w[2] = dword(AT(2));
	KUNIT_EXPECT_EQ(test, gpubp_set_update(set, w, 3, &bad, NULL, NULL),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, bad, 2u);
	w[0].len = 0;
	KUNIT_EXPECT_EQ(test, update(set, w, 3), 0);
	KUNIT_EXPECT_EQ(test, set->nr, (unsigned int)GPUBP_SET_MAX);
	set->nr = 2;
}

static struct gpubp_watch *no_memory(struct gpubp_ctx *ctx, u64 start, u64 len,
				     u8 access, struct gpubp_user *user,
				     bool reserved)
{
	return ERR_PTR(-ENOMEM);
}

/* members whose allocation failed are bound at the next opportunity */
static void memory_comes_back(struct kunit *test)
{
	struct gpubp_watch_set *set = make_set(test);
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_set_watch w[3];
	int i;

	open_set(test, set);
	load(test, set, w, 3);
	KUNIT_EXPECT_EQ(test, nr_watches(c), 3u);
	kunit_activate_static_stub(test, gpubp_watch_get, no_memory);
	for (i = 0; i < 3; i++)
		w[i].addr = AT(i + 8);
	KUNIT_EXPECT_EQ(test, update(set, w, 3), 0);
	kunit_deactivate_static_stub(test, gpubp_watch_get);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_FALSE(test, armed(c, AT(i)));
		KUNIT_EXPECT_TRUE(test, armed(c, AT(i + 8)));
	}
	KUNIT_EXPECT_EQ(test, nr_watches(c), 3u);
}

/* ---- memory accounting --------------------------------------------------- */

#define GROUP	"/gpubp_kunit"	/* created by tests/kunit/guest */

#ifdef CONFIG_MEMCG
static void put_css(void *css)
{
	css_put(css);
}

static struct mem_cgroup *memcg_of_guest(struct kunit *test)
{
	struct cgroup_subsys_state *css;
	struct cgroup *group = cgroup_get_from_path(GROUP);

	if (IS_ERR(group))
		kunit_skip(test, "no cgroup " GROUP);
	css = cgroup_get_e_css(group, &memory_cgrp_subsys);
	cgroup_put(group);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, put_css, css), 0);
	return mem_cgroup_from_css(css);
}

static unsigned long bytes_of(struct mem_cgroup *memcg)
{
	return page_counter_read(&memcg->memory) * PAGE_SIZE;
}
#else
static struct mem_cgroup *memcg_of_guest(struct kunit *test)
{
	kunit_skip(test, "no CONFIG_MEMCG");
	return NULL;
}

static unsigned long bytes_of(struct mem_cgroup *memcg)
{
	return 0;
}
#endif

#ifdef CONFIG_MEMCG
/* a limit that leaves room for few watches beside the margin of 1 MiB */
static void limit_to(struct mem_cgroup *memcg, unsigned long bytes)
{
	WRITE_ONCE(memcg->memory.max, bytes / PAGE_SIZE);
}

static void unlimit(void *memcg)
{
	limit_to(memcg, PAGE_COUNTER_MAX * PAGE_SIZE);
}
#else
static void limit_to(struct mem_cgroup *memcg, unsigned long bytes)
{
}

static void unlimit(void *memcg)
{
}
#endif

static bool all_bound(struct mock_ctx *c, unsigned int nr)
{
	int i;

	for (i = 0; i < 1000 && nr_watches(c) < nr; i++)
		msleep(20);
	return nr_watches(c) == nr;
}

/* a set of MANY charged to @memcg, which has no room for all of it */
static struct gpubp_watch_set *squeezed_set(struct kunit *test,
					    struct mem_cgroup *memcg)
{
	struct mem_cgroup *old = set_active_memcg(memcg);
	struct gpubp_watch_set *set = make_set(test);
	struct gpubp_set_watch *w;

	set_active_memcg(old);
	w = kunit_kcalloc(test, MANY, sizeof(*w), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w);
	load(test, set, w, MANY);
	limit_to(memcg, bytes_of(memcg) + SZ_1M + SZ_256K);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, unlimit, memcg),
			0);
	return set;
}

/* the margin is left to the tasks of the cgroup, which meet no OOM killer */
static void the_margin_of_a_memory_cgroup_is_left(struct kunit *test)
{
	struct mem_cgroup *memcg = memcg_of_guest(test);
	struct gpubp_watch_set *set = squeezed_set(test, memcg);
	unsigned long before = bytes_of(memcg);
	struct mock_ctx *c = mock_ctx(test);

	open_set(test, set);
	KUNIT_EXPECT_LT(test, nr_watches(c), (unsigned int)MANY);
	/* beside what CPUs hold in stock */
	KUNIT_EXPECT_LT(test, bytes_of(memcg), before + SZ_1M - SZ_256K);
	unlimit(memcg);
	KUNIT_EXPECT_TRUE(test, all_bound(c, MANY));
}

/* how long each attempt takes depends on the machine */
static bool attempt_ends(struct mock_ctx *c)
{
	int i;

	for (i = 0; i < 3000; i++) {
		msleep(20);
		if (gpubp_ctx_is_reconciled(c->ctx))
			return true;
	}
	return false;
}

/* no dispatch waits for memory that cannot be made free */
static void another_s_memory_is_not_waited_for(struct kunit *test)
{
	struct mem_cgroup *memcg = memcg_of_guest(test);
	struct gpubp_watch_set *set = squeezed_set(test, memcg);
	struct mock_ctx *c = mock_ctx(test);
	int i;

	open_set(test, set);
	for (i = 0; i < 10; i++)
		KUNIT_ASSERT_TRUE(test, attempt_ends(c));
	KUNIT_ASSERT_LT(test, nr_watches(c), (unsigned int)MANY);
	mock_open(test, AT(0) + 64, 4, STORE);
	mock_settle(c->m);
	guard(mutex)(&c->m->dev->lock);
	KUNIT_EXPECT_NOT_NULL(test, gpubp_watch_first(c->ctx, AT(0) + 64,
						      AT(0) + 67));
}

/* ---- freeing ------------------------------------------------------------- */

static unsigned int nr_watches_now(struct mock_ctx *c)
{
	guard(mutex)(&gpubp_events_lock);
	return READ_ONCE(c->m->dev->nr_watches);
}

struct closer {
	struct mock_ctx *c;
	struct perf_event *event;
	struct completion done;
};

static int close_fn(void *arg)
{
	struct closer *closer = arg;

	mock_close(closer->c->m, closer->event);
	complete(&closer->done);
	return 0;
}

/* others get gpubp_events_lock while a large set is unbound */
static void a_large_set_is_unbound_in_pieces(struct kunit *test)
{
	struct gpubp_watch_set *set = make_set(test);
	struct closer closer = { .c = mock_ctx(test) };
	struct gpubp_set_watch *w;
	unsigned int n, pieces = 0;

	if (num_online_cpus() < 2 && !IS_ENABLED(CONFIG_PREEMPTION))
		kunit_skip(test, "the other one runs between ticks");
	w = kunit_kcalloc(test, MANY, sizeof(*w), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w);
	load(test, set, w, MANY);
	closer.event = open_set(test, set);
	KUNIT_ASSERT_TRUE(test, all_bound(closer.c, MANY));
	init_completion(&closer.done);
	kthread_run(close_fn, &closer, "closer");
	do {
		n = nr_watches_now(closer.c);
		pieces += n && n < MANY;
		cond_resched();
	} while (n);
	wait_for_completion(&closer.done);
	KUNIT_EXPECT_GT(test, pieces, 1u);
}

/* what is left of it is used again, and what was unbound is bound again */
static void a_set_comes_back_before_it_is_freed(struct kunit *test)
{
	struct gpubp_watch_set *set = make_set(test);
	struct mock_ctx *c = mock_ctx(test);
	struct gpubp_set_watch *w;
	struct perf_event *event;
	int i;

	w = kunit_kcalloc(test, MANY, sizeof(*w), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w);
	load(test, set, w, MANY);
	event = open_set(test, set);
	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_TRUE(test, all_bound(c, MANY));
		perf_event_disable(event);
		gpubp_events_reconcile();
		perf_event_enable(event);
	}
	KUNIT_EXPECT_TRUE(test, all_bound(c, MANY));
	mock_close(c->m, event);
	KUNIT_EXPECT_EQ(test, nr_watches(c), 0u);
}

/* a member is in an update once, also when 2^32 updates were made */
static void an_update_number_that_is_used_again(struct kunit *test)
{
	struct gpubp_watch_set *set = make_set(test);
	struct gpubp_set_watch w[2], both[2];

	load(test, set, w, 2);		/* number 1 */
	KUNIT_EXPECT_EQ(test, update(set, w, 1), 0);
	set->update = U32_MAX;
	KUNIT_EXPECT_EQ_MSG(test, update(set, w + 1, 1), 0,
			    "never updated");
	KUNIT_EXPECT_EQ(test, update(set, w, 1), 0);
	KUNIT_EXPECT_EQ(test, update(set, w, 2), 0);
	both[0] = w[0];
	both[1] = w[0];
	KUNIT_EXPECT_EQ(test, update(set, both, 2), -EINVAL);
}

#define OTHER	KUIDT_INIT(40002)

static struct gpubp_watch_set *make_as_other(struct kunit *test)
{
	struct gpubp_watch_set *set;
	const struct cred *old;
	struct cred *cred;

	old = mock_become(test, OTHER, &cred);
	set = gpubp_set_create();
	mock_become_root(old, cred);
	return set;
}

/* and one that is destroyed counts while an event has it */
static void a_user_makes_so_many(struct kunit *test)
{
	struct gpubp_watch_set *set[2];
	struct perf_event *event;
	unsigned int i;

	mock_param(test, "max_sets_per_user", 2);
	for (i = 0; i < 2; i++) {
		set[i] = make_as_other(test);
		KUNIT_ASSERT_FALSE(test, IS_ERR(set[i]));
	}
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(make_as_other(test)), -EDQUOT);
	event = open_set(test, set[0]);
	gpubp_set_destroy(set[0]);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(make_as_other(test)), -EDQUOT);
	gpubp_set_destroy(set[1]);
	set[1] = make_as_other(test);
	KUNIT_ASSERT_FALSE(test, IS_ERR(set[1]));
	/* others, and those with CAP_PERFMON, may */
	for (i = 0; i < 3; i++)
		make_set(test);
	mock_close(test->priv, event);
	gpubp_set_destroy(set[1]);
}

#define IN_A_MIB	20000	/* more members than that */

static int update_as_other(struct kunit *test, struct gpubp_watch_set *set,
			   unsigned int nr)
{
	struct gpubp_set_watch *w = kunit_kcalloc(test, nr, sizeof(*w),
						  GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	for (i = 0; i < nr; i++)
		w[i] = (struct gpubp_set_watch) { .addr = 64 * i, .len = 4 };
	return update(set, w, nr);
}

/* in all sets together, whatever is allowed for each */
static void a_user_has_so_much_memory_for_members(struct kunit *test)
{
	struct gpubp_watch_set *set[2], *of_root = make_set(test);
	unsigned int i;

	mock_param(test, "max_memory_mb_per_user", 1);
	for (i = 0; i < 2; i++) {
		set[i] = make_as_other(test);
		KUNIT_ASSERT_FALSE(test, IS_ERR(set[i]));
	}
	KUNIT_EXPECT_EQ(test, update_as_other(test, set[0], IN_A_MIB), -ENOMEM);
	/* nothing of that is left */
	KUNIT_EXPECT_EQ(test, update_as_other(test, set[0], IN_A_MIB / 3), 0);
	KUNIT_EXPECT_EQ(test, update_as_other(test, set[1], 2 * IN_A_MIB / 3),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test, update_as_other(test, of_root, IN_A_MIB), 0);
	for (i = 0; i < 2; i++)
		gpubp_set_destroy(set[i]);
}

static struct kunit_case set_test_cases[] = {
	KUNIT_CASE(a_hit_of_many_members_is_one),
	KUNIT_CASE(a_hit_of_many_members_is_of_one_copy),
	KUNIT_CASE(beside_a_watch_of_the_same_bytes),
	KUNIT_CASE(time_of_an_event_that_joins_an_armed_set),
	KUNIT_CASE(a_member_that_cannot_be_covered),
	KUNIT_CASE(a_set_larger_than_a_batch),
	KUNIT_CASE(another_s_set_is_not_waited_for),
	KUNIT_CASE(no_more_than_fit),
	KUNIT_CASE(an_update_number_that_is_used_again),
	KUNIT_CASE(a_user_makes_so_many),
	KUNIT_CASE(a_user_has_so_much_memory_for_members),
	KUNIT_CASE(memory_comes_back),
	KUNIT_CASE(the_margin_of_a_memory_cgroup_is_left),
	KUNIT_CASE(another_s_memory_is_not_waited_for),
	KUNIT_CASE(a_large_set_is_unbound_in_pieces),
	KUNIT_CASE(a_set_comes_back_before_it_is_freed),
	{}
};

static struct kunit_suite set_test_suite = {
	.name = "gpubp_set",
	.suite_exit = mock_suite_exit,
	.init = mock_init_shared,
	.exit = mock_exit_shared,
	.test_cases = set_test_cases,
};
kunit_test_suite(set_test_suite);
