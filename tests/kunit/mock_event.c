// SPDX-License-Identifier: GPL-2.0
/* Real perf events of the PMU on threads, and threads for them. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/kthread.h>

#include "event/event.h"
#include "mock.h"
#include "pmu_event.h"

struct perf_event_attr mock_attr(u64 addr, u64 len, u32 access)
{
	return pmu_event_attr(addr, len, access);
}

static struct perf_event *open_event(struct kunit *test,
				     struct perf_event_attr *attr, int cpu,
				     struct task_struct *task,
				     perf_overflow_handler_t handler,
				     void *data)
{
	struct mock *m = test->priv;
	struct perf_event *event;

	KUNIT_ASSERT_LT(test, m->nr_events, (unsigned int)MOCK_EVENTS);
	attr->type = pmu_event_type(test);
	event = perf_event_create_kernel_counter(attr, cpu, task, handler,
						 data);
	if (!IS_ERR(event))
		m->events[m->nr_events++] = event;
	return event;
}

/* an event on @task, on any CPU; returns errors to the caller */
struct perf_event *mock_open_attr(struct kunit *test,
				  struct perf_event_attr *attr,
				  struct task_struct *task,
				  perf_overflow_handler_t handler, void *data)
{
	return open_event(test, attr, -1, task, handler, data);
}

/* an event on one CPU, like those of perf record; without a task CPU-wide */
struct perf_event *mock_open_attr_on(struct kunit *test,
				     struct perf_event_attr *attr,
				     struct task_struct *task, int cpu,
				     perf_overflow_handler_t handler,
				     void *data)
{
	return open_event(test, attr, cpu, task, handler, data);
}

struct perf_event *mock_open_on(struct kunit *test,
				struct perf_event_attr *attr,
				struct task_struct *task, int cpu)
{
	return mock_open_attr_on(test, attr, task, cpu, NULL, NULL);
}

/* a counting event on this thread; fails the test if it cannot be opened */
struct perf_event *mock_open(struct kunit *test, u64 addr, u64 len, u32 access)
{
	struct perf_event_attr attr = mock_attr(addr, len, access);
	struct perf_event *event = mock_open_attr(test, &attr, current, NULL,
						  NULL);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "event not opened: %ld",
			       PTR_ERR(event));
	return event;
}

static void destroy_condition(void *filter)
{
	gpubp_filter_destroy(filter);
}

/* a condition of this thread's user, destroyed at the end of the test */
struct gpubp_filter *mock_condition(struct kunit *test,
				    const struct gpubp_condition *condition)
{
	struct gpubp_filter *filter = gpubp_filter_create(condition);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(filter), "no condition: %ld",
			       PTR_ERR(filter));
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, destroy_condition,
							filter), 0);
	return filter;
}

/* attr.config2 of a watch with a condition */
u64 mock_with_condition(u64 len, const struct gpubp_filter *filter)
{
	return len | (u64)filter->id << GPUBP_CONFIG2_COND_SHIFT;
}

/* from now on this thread is that user, without capabilities */
const struct cred *mock_become(struct kunit *test, kuid_t uid,
			       struct cred **mine)
{
	struct cred *cred = prepare_creds();

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cred->uid = uid;
	cap_clear(cred->cap_effective);
	*mine = cred;
	return override_creds(cred);
}

void mock_become_root(const struct cred *old, struct cred *mine)
{
	revert_creds(old);
	put_cred(mine);
}

void mock_close(struct mock *m, struct perf_event *event)
{
	unsigned int i;

	for (i = 0; m->events[i] != event; i++)
		;
	m->events[i] = m->events[--m->nr_events];
	perf_event_release_kernel(event);
}

u64 mock_count(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

static int idle_thread(void *state)
{
	set_current_state((unsigned long)state);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state((unsigned long)state);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static void stop_thread(void *thread)
{
	kthread_stop_put(thread);
}

static struct task_struct *run_thread(struct kunit *test,
				      int (*fn)(void *arg), void *arg)
{
	struct task_struct *thread = kthread_run(fn, arg, "gpubp_kunit");

	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	get_task_struct(thread);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_thread,
							thread), 0);
	return thread;
}

/* for good: what is preempted on its way to sleep is on a run queue, too */
static bool is_asleep(struct task_struct *thread)
{
#ifdef CONFIG_SMP
	/* pairs with finish_task() */
	if (smp_load_acquire(&thread->on_cpu))
		return false;
#endif
	return !READ_ONCE(thread->on_rq);
}

struct task_struct *mock_thread_in(struct kunit *test, unsigned int state)
{
	struct task_struct *thread;

	thread = run_thread(test, idle_thread, (void *)(unsigned long)state);
	while (!is_asleep(thread))
		schedule_timeout_uninterruptible(1);
	return thread;
}

struct task_struct *mock_thread(struct kunit *test)
{
	return mock_thread_in(test, TASK_INTERRUPTIBLE);
}

static int moving_thread(void *unused)
{
	int cpu = 0;

	while (!kthread_should_stop()) {
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
		set_cpus_allowed_ptr(current, cpumask_of(cpu));
		cond_resched();
	}
	return 0;
}

/* a thread that migrates from CPU to CPU */
struct task_struct *mock_moving_thread(struct kunit *test)
{
	return run_thread(test, moving_thread, NULL);
}

void mock_thread_end(struct kunit *test, struct task_struct *thread)
{
	kunit_release_action(test, stop_thread, thread);
}

/** mock_keep() - overflow handler whose data is a struct mock_kept */
void mock_keep(struct perf_event *event, struct perf_sample_data *data,
	       struct pt_regs *regs)
{
	struct mock_kept *k = event->overflow_handler_context;

	memcpy(&k->rec, data->raw->frag.data, sizeof(k->rec));
	k->nr++;
}
