// SPDX-License-Identifier: GPL-2.0
/*
 * Owners: one for each struct pid, and the order of its waiting tickets.
 *
 * The tickets here have no cell: this works only while no hit is in flight, so
 * that no thread looks for waiting tickets.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>

#include "core/cell.h"
#include "core/owner.h"

static bool owner_known(struct pid *pid)
{
	guard(rcu)();
	return gpubp_owner_find(pid);
}

static void a_task_has_one_owner(struct kunit *test)
{
	struct pid *pid = task_pid(current);
	struct gpubp_owner *a = gpubp_owner_get(pid);
	struct gpubp_owner *b = gpubp_owner_get(pid);
	struct gpubp_owner *init = gpubp_owner_get(find_pid_ns(1, &init_pid_ns));

	KUNIT_ASSERT_NOT_NULL(test, a);
	KUNIT_EXPECT_PTR_EQ(test, a, b);
	KUNIT_EXPECT_PTR_NE(test, a, init);
	/* their cells are charged to the same user */
	KUNIT_EXPECT_PTR_EQ(test, a->cell_user, init->cell_user);
	KUNIT_EXPECT_PTR_EQ(test, a->pid, pid);
	gpubp_owner_put(init);
	gpubp_owner_put(b);
	KUNIT_EXPECT_TRUE(test, owner_known(pid));
	gpubp_owner_put(a);
	KUNIT_EXPECT_FALSE(test, owner_known(pid));
}

static void nothing_is_put_for_nobody(struct kunit *test)
{
	gpubp_owner_put(NULL);
}

static void a_leader_leads_itself(struct kunit *test)
{
	struct gpubp_owner *owner = gpubp_owner_get(task_pid(current));
	struct gpubp_owner *leader;

	leader = gpubp_owner_get_leader(task_pid(current));
	KUNIT_EXPECT_PTR_EQ(test, owner, leader);
	gpubp_owner_put(leader);
	gpubp_owner_put(owner);
	KUNIT_EXPECT_FALSE(test, owner_known(task_pid(current)));
}

static int exits_at_once(void *unused)
{
	return 0;
}

static bool alive(struct pid *pid)
{
	guard(rcu)();
	return pid_task(pid, PIDTYPE_PID);
}

/* the pid of a thread that has exited */
static struct pid *dead_pid(struct kunit *test)
{
	struct task_struct *thread;
	struct pid *pid;

	thread = kthread_create(exits_at_once, NULL, "gpubp_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	pid = get_task_pid(thread, PIDTYPE_PID);
	kthread_stop(thread);
	while (alive(pid))
		msleep(1);
	return pid;
}

static void a_task_that_is_gone(struct kunit *test)
{
	struct pid *pid = dead_pid(test);
	struct gpubp_owner *owner = gpubp_owner_get(pid);

	KUNIT_EXPECT_NULL(test, gpubp_owner_get_leader(pid));
	KUNIT_EXPECT_NOT_NULL(test, owner);
	rcu_read_lock();
	KUNIT_EXPECT_NULL(test, gpubp_owner_task(owner));
	rcu_read_unlock();
	gpubp_owner_put(owner);
	put_pid(pid);
}

static void a_task_that_lives(struct kunit *test)
{
	struct gpubp_owner *owner = gpubp_owner_get(task_pid(current));

	rcu_read_lock();
	KUNIT_EXPECT_PTR_EQ(test, gpubp_owner_task(owner), current);
	rcu_read_unlock();
	gpubp_owner_put(owner);
}

#define NR	5

struct owner_fixture {
	struct gpubp_owner *owner;
	struct gpubp_ticket tickets[GPUBP_TICKETS_MAX + 1];
};

static void push_some(struct kunit *test, int nr)
{
	struct owner_fixture *f = test->priv;
	int i;

	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_TRUE(test, gpubp_tickets_push(&f->owner->tickets,
							   &f->tickets[i]));
}

/* pops tickets first .. NR - 1, then nothing */
static void expect_rest(struct kunit *test, int first)
{
	struct owner_fixture *f = test->priv;
	int i;

	for (i = first; i < NR; i++) {
		KUNIT_EXPECT_TRUE(test, gpubp_tickets_waiting());
		KUNIT_EXPECT_PTR_EQ(test, gpubp_tickets_pop(&f->owner->tickets),
				    &f->tickets[i]);
		gpubp_tickets_done(&f->owner->tickets, 0);
	}
	KUNIT_EXPECT_NULL(test, gpubp_tickets_pop(&f->owner->tickets));
	KUNIT_EXPECT_FALSE(test, gpubp_tickets_waiting());
}

static void the_oldest_is_popped_first(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, gpubp_tickets_waiting());
	push_some(test, NR);
	expect_rest(test, 0);
}

static void taking_leaves_the_younger(struct kunit *test)
{
	struct owner_fixture *f = test->priv;
	LIST_HEAD(list);

	push_some(test, NR);
	gpubp_tickets_take(&f->owner->tickets, &list, 2);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&list), 2u);
	KUNIT_EXPECT_PTR_EQ(test, list.next, &f->tickets[0].node);
	KUNIT_EXPECT_PTR_EQ(test, list.prev, &f->tickets[1].node);
	gpubp_tickets_done(&f->owner->tickets, 0);
	gpubp_tickets_done(&f->owner->tickets, 0);
	expect_rest(test, 2);
}

static void what_returns_is_the_oldest_again(struct kunit *test)
{
	struct owner_fixture *f = test->priv;
	LIST_HEAD(list);

	push_some(test, NR);
	gpubp_tickets_take(&f->owner->tickets, &list, 3);
	list_del(&f->tickets[0].node);
	gpubp_tickets_done(&f->owner->tickets, 0);
	gpubp_tickets_return(&f->owner->tickets, &list);
	expect_rest(test, 1);
}

static void more_is_asked_for_than_there_is(struct kunit *test)
{
	struct owner_fixture *f = test->priv;
	LIST_HEAD(list);

	push_some(test, NR);
	gpubp_tickets_take(&f->owner->tickets, &list, 64);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&list), (size_t)NR);
	KUNIT_EXPECT_NULL(test, gpubp_tickets_pop(&f->owner->tickets));
	gpubp_tickets_return(&f->owner->tickets, &list);
	expect_rest(test, 0);
}

/* tickets being served count: they hold cells */
static void one_owner_has_room_for_so_many(struct kunit *test)
{
	struct owner_fixture *f = test->priv;
	struct gpubp_ticket *last = &f->tickets[GPUBP_TICKETS_MAX];
	LIST_HEAD(list);

	push_some(test, GPUBP_TICKETS_MAX);
	KUNIT_EXPECT_FALSE(test, gpubp_tickets_push(&f->owner->tickets, last));
	gpubp_tickets_take(&f->owner->tickets, &list, 2);
	KUNIT_EXPECT_FALSE(test, gpubp_tickets_push(&f->owner->tickets, last));
	gpubp_tickets_done(&f->owner->tickets, 0);
	KUNIT_EXPECT_TRUE(test, gpubp_tickets_push(&f->owner->tickets, last));
	KUNIT_EXPECT_FALSE(test, gpubp_tickets_push(&f->owner->tickets, &f->tickets[0]));
	gpubp_tickets_done(&f->owner->tickets, 0);
}

static void returning_nothing(struct kunit *test)
{
	struct owner_fixture *f = test->priv;
	LIST_HEAD(list);

	gpubp_tickets_take(&f->owner->tickets, &list, 64);
	KUNIT_EXPECT_TRUE(test, list_empty(&list));
	gpubp_tickets_return(&f->owner->tickets, &list);
	KUNIT_EXPECT_FALSE(test, gpubp_tickets_waiting());
}

static int owner_init(struct kunit *test)
{
	struct owner_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	f->owner = gpubp_owner_get(task_pid(current));
	test->priv = f;
	return f->owner ? 0 : -ENOMEM;
}

static void owner_exit(struct kunit *test)
{
	struct owner_fixture *f = test->priv;

	while (gpubp_tickets_pop(&f->owner->tickets))
		gpubp_tickets_done(&f->owner->tickets, 0);
	gpubp_owner_put(f->owner);
}

static struct kunit_case owner_test_cases[] = {
	KUNIT_CASE(a_task_has_one_owner),
	KUNIT_CASE(nothing_is_put_for_nobody),
	KUNIT_CASE(a_leader_leads_itself),
	KUNIT_CASE(a_task_that_is_gone),
	KUNIT_CASE(a_task_that_lives),
	{}
};

static struct kunit_case ticket_test_cases[] = {
	KUNIT_CASE(the_oldest_is_popped_first),
	KUNIT_CASE(taking_leaves_the_younger),
	KUNIT_CASE(what_returns_is_the_oldest_again),
	KUNIT_CASE(more_is_asked_for_than_there_is),
	KUNIT_CASE(one_owner_has_room_for_so_many),
	KUNIT_CASE(returning_nothing),
	{}
};

static struct kunit_suite owner_test_suite = {
	.name = "gpubp_owner",
	.test_cases = owner_test_cases,
};

static struct kunit_suite ticket_test_suite = {
	.name = "gpubp_ticket",
	.init = owner_init,
	.exit = owner_exit,
	.test_cases = ticket_test_cases,
};
kunit_test_suites(&owner_test_suite, &ticket_test_suite);
