// SPDX-License-Identifier: GPL-2.0
/*
 * Consumers: watches of other parts of the kernel, which are called back.
 *
 * A consumer's watch is an event of perf's without a file, or one for each CPU
 * if it is of every process; a sample of it is a call.
 */
#include <linux/cpumask.h>
#include <linux/bitfield.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/gpubp.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <uapi/linux/gpubp.h>

#include "../compat/perf.h"
#include "../core/core.h"
#include "../event/event.h"
#include "../trap/trap.h"
#include "kernel_watch.h"
#include "pmu.h"
#include "sample.h"

/* as many as a task that leaves its CPU is given at once (drain.c) */
#define DEFERRED_MAX	64

/**
 * struct deferred_hit - a hit whose call waits for the scheduler's locks to go
 * @record: the hit
 * @pid: see struct gpubp_watch_hit
 * @tid: likewise
 */
struct deferred_hit {
	struct gpubp_hit_record record;
	pid_t pid;
	pid_t tid;
};

/**
 * struct gpubp_consumer - a registered watch
 * @fn: callback
 * @data: for it
 * @modify_lock: registration, modifications, and the end of @events; outside of
 *	all of perf's locks
 * @attr: what was asked for last; under @modify_lock
 * @call_lock: held in calls, whose code may take the scheduler's locks
 * @dead: no more calls; under @call_lock
 * @cpu: where a call runs, -1 nowhere; written under @call_lock
 * @rcu: drains may still see it
 * @deferred_lock: innermost, also inside of the scheduler's locks
 * @deferred: hits to be called back, a ring; under @deferred_lock
 * @first_deferred: the oldest one; under @deferred_lock
 * @nr_deferred: how many; under @deferred_lock
 * @deferred_work: calls for @deferred
 * @release: for those that unregistered themselves
 * @nr_events: entries of @events
 * @events: perf's
 */
struct gpubp_consumer {
	gpubp_watch_fn fn;
	void *data;
	struct mutex modify_lock;
	struct perf_event_attr attr;
	raw_spinlock_t call_lock;
	bool dead;
	int cpu;
	struct rcu_head rcu;
	raw_spinlock_t deferred_lock;
	struct deferred_hit deferred[DEFERRED_MAX];
	unsigned int first_deferred;
	unsigned int nr_deferred;
	struct irq_work deferred_work;
	struct work_struct release;
	unsigned int nr_events;
	struct perf_event *events[] __counted_by(nr_events);
};

static struct workqueue_struct *release_wq;

/* ---- calls --------------------------------------------------------------- */

static void consumer_call(struct gpubp_consumer *c,
			  const struct gpubp_watch_hit *hit)
{
	lockdep_assert_irqs_disabled();
	guard(raw_spinlock)(&c->call_lock);
	if (c->dead)
		return;
	WRITE_ONCE(c->cpu, smp_processor_id());
	c->fn(c, hit, c->data);
	WRITE_ONCE(c->cpu, -1);
}

static bool consumer_in_own_call(const struct gpubp_consumer *c)
{
	return irqs_disabled() && READ_ONCE(c->cpu) == smp_processor_id();
}

static bool deferred_push(struct gpubp_consumer *c,
			  const struct gpubp_watch_hit *hit)
{
	guard(raw_spinlock)(&c->deferred_lock);
	if (c->nr_deferred == DEFERRED_MAX)
		return false;
	c->deferred[(c->first_deferred + c->nr_deferred++) % DEFERRED_MAX] =
		(struct deferred_hit){
			.record = *hit->record,
			.pid = hit->pid,
			.tid = hit->tid,
		};
	return true;
}

static bool deferred_pop(struct gpubp_consumer *c,
			 struct deferred_hit *deferred)
{
	guard(raw_spinlock)(&c->deferred_lock);
	if (!c->nr_deferred)
		return false;
	*deferred = c->deferred[c->first_deferred];
	c->first_deferred = (c->first_deferred + 1) % DEFERRED_MAX;
	c->nr_deferred--;
	return true;
}

static void deferred_fn(struct irq_work *work)
{
	struct gpubp_consumer *c = container_of(work, struct gpubp_consumer,
						deferred_work);
	struct deferred_hit deferred;

	while (deferred_pop(c, &deferred))
		consumer_call(c, &(struct gpubp_watch_hit) {
			.record = &deferred.record,
			.pid = deferred.pid,
			.tid = deferred.tid,
		});
}

/*
 * Where perf takes the event off its CPU, locks of perf's and the scheduler's
 * are held, which the callback must not find: the call comes when they are let
 * go.
 */
static void consumer_defer_call(struct gpubp_consumer *c,
				const struct gpubp_watch_hit *hit,
				struct perf_event *event)
{
	if (deferred_push(c, hit))
		irq_work_queue(&c->deferred_work);
	else
		gpubp_perf_lost(event, 1);
}

static pid_t owner_pid_nr(const struct gpubp_owner *owner)
{
	return owner ? pid_nr(owner->pid) : 0;
}

static void hit_set_owner(struct gpubp_watch_hit *hit,
			  const struct gpubp_sample_ids *ids)
{
	hit->pid = ids ? owner_pid_nr(ids->leader) : task_tgid_nr(current);
	hit->tid = ids ? owner_pid_nr(ids->owner) : task_pid_nr(current);
}

/* also for the events of children, which perf gave the same context */
static void consumer_overflow(struct perf_event *event,
			      struct perf_sample_data *data,
			      struct pt_regs *regs)
{
	struct gpubp_consumer *c = event->overflow_handler_context;
	const struct gpubp_event *gev = event->pmu_private;
	struct gpubp_watch_hit hit = { .record = &gev->cur->record };

	hit_set_owner(&hit, gev->cur->ids);
	if (gpubp_pmu_batch_leaving())
		consumer_defer_call(c, &hit, event);
	else
		consumer_call(c, &hit);
}

/* ---- registration -------------------------------------------------------- */

static int consumer_check_attr(const struct perf_event_attr *attr, bool wide)
{
	if (attr->type != gpubp_pmu_type())
		return -ENOENT;
	if (attr->freq || !attr->sample_period || attr->sigtrap ||
	    (attr->inherit && wide))
		return -EINVAL;
	/* what the kernel itself watches are accesses */
	return gpubp_kind_is_trap(FIELD_GET(GPUBP_CONFIG_KIND, attr->config)) ?
		-EOPNOTSUPP : 0;
}

static void consumer_release_events(struct gpubp_consumer *c)
{
	while (c->nr_events) {
		perf_event_release_kernel(c->events[c->nr_events - 1]);
		c->nr_events--;
	}
}

/* nothing is called any more */
static void consumer_free(struct gpubp_consumer *c)
{
	consumer_release_events(c);
	irq_work_sync(&c->deferred_work);
	kfree_rcu(c, rcu);
}

/* false: one of its own calls has, and consumer_release_fn() does the rest */
static bool consumer_end_calls(struct gpubp_consumer *c)
{
	bool first;

	guard(raw_spinlock_irq)(&c->call_lock);
	first = !c->dead;
	c->dead = true;
	return first;
}

static void consumer_release_fn(struct work_struct *work)
{
	struct gpubp_consumer *c = container_of(work, struct gpubp_consumer,
						release);

	consumer_end_calls(c);		/* the call that said so has returned */
	/* and who registers or modifies it meanwhile is done */
	scoped_guard(mutex, &c->modify_lock)
		consumer_release_events(c);
	consumer_free(c);
}

static struct gpubp_consumer *consumer_alloc(const struct perf_event_attr *attr,
					     gpubp_watch_fn fn, void *data,
					     unsigned int max_events)
{
	struct gpubp_consumer *c;

	c = kzalloc(struct_size(c, events, max_events), GFP_KERNEL);
	if (!c)
		return NULL;
	c->fn = fn;
	c->data = data;
	c->attr = *attr;
	c->cpu = -1;
	mutex_init(&c->modify_lock);
	raw_spin_lock_init(&c->call_lock);
	raw_spin_lock_init(&c->deferred_lock);
	c->deferred_work = IRQ_WORK_INIT_HARD(deferred_fn);
	INIT_WORK(&c->release, consumer_release_fn);
	return c;
}

static int consumer_add_event(struct gpubp_consumer *c,
			      struct task_struct *task, int cpu)
{
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&c->attr, cpu, task,
						 consumer_overflow, c);
	if (IS_ERR(event))
		return PTR_ERR(event);
	c->nr_events++;
	c->events[c->nr_events - 1] = event;
	return 0;
}

/*
 * Opening an event takes the lock that keeps CPUs where they are. One that goes
 * meanwhile is -ENODEV, and not needed.
 */
static int consumer_add_cpus(struct gpubp_consumer *c)
{
	int cpu, err = 0;

	for_each_online_cpu(cpu) {
		err = consumer_add_event(c, NULL, cpu);
		if (err && err != -ENODEV)
			return err;
	}
	return c->nr_events ? 0 : err;	/* no such device: for each of them */
}

struct gpubp_consumer *gpubp_register_watch(struct task_struct *target,
					    const struct perf_event_attr *attr,
					    gpubp_watch_fn fn, void *data)
{
	struct gpubp_consumer *c;
	bool unused = false;
	int err;

	err = fn ? consumer_check_attr(attr, !target) : -EINVAL;
	if (err)
		return ERR_PTR(err);
	c = consumer_alloc(attr, fn, data, target ? 1 : nr_cpu_ids);
	if (!c)
		return ERR_PTR(-ENOMEM);
	scoped_guard(mutex, &c->modify_lock) {
		err = target ? consumer_add_event(c, target, -1) :
			       consumer_add_cpus(c);
		unused = err && consumer_end_calls(c);
	}
	if (unused)
		consumer_free(c);
	return err ? ERR_PTR(err) : c;
}
EXPORT_SYMBOL_GPL(gpubp_register_watch);

void gpubp_unregister_watch(struct gpubp_consumer *consumer)
{
	if (consumer_in_own_call(consumer)) {
		consumer->dead = true;
		queue_work(release_wq, &consumer->release);
		return;
	}
	might_sleep();
	consumer_end_calls(consumer);
	consumer_free(consumer);
}
EXPORT_SYMBOL_GPL(gpubp_unregister_watch);

void gpubp_unregister_barrier(void)
{
	synchronize_rcu();	/* who is about to unregister itself has */
	flush_workqueue(release_wq);
}
EXPORT_SYMBOL_GPL(gpubp_unregister_barrier);

void gpubp_watch_attr_init(struct perf_event_attr *attr, u64 addr, u64 len,
			   u32 access)
{
	*attr = (struct perf_event_attr) {
		.type = gpubp_pmu_type(),
		.size = sizeof(*attr),
		.config = GPUBP_KIND_WATCH |
			  (u64)access << GPUBP_CONFIG_ACCESS_SHIFT,
		.config1 = addr,
		.config2 = len,
		.sample_period = 1,
		.pinned = 1,
	};
}
EXPORT_SYMBOL_GPL(gpubp_watch_attr_init);

/* ---- modification -------------------------------------------------------- */

static bool attr_may_change_to(const struct perf_event_attr *from,
			       const struct perf_event_attr *to)
{
	struct perf_event_attr attr = *from;

	attr.config = to->config;
	attr.config1 = to->config1;
	attr.config2 = to->config2;
	attr.disabled = to->disabled;
	return !memcmp(&attr, to, sizeof(attr));
}

static int event_change_attr(struct perf_event *event,
			     const struct perf_event_attr *attr)
{
	return gpubp_event_modify(event->pmu_private, attr->config,
				  attr->config1, attr->config2);
}

/* all of a watch's events or none: nobody else can take what was just left */
static int consumer_change(struct gpubp_consumer *c,
			   const struct perf_event_attr *attr)
{
	unsigned int i;
	int err = 0;

	guard(mutex)(&gpubp_events_lock);
	for (i = 0; i < c->nr_events && !err; i++)
		err = event_change_attr(c->events[i], attr);
	if (!err)
		return 0;
	for (i--; i; i--)
		WARN_ON_ONCE(event_change_attr(c->events[i - 1], &c->attr));
	return err;
}

static void consumer_switch(struct gpubp_consumer *c, bool off)
{
	unsigned int i;

	for (i = 0; i < c->nr_events; i++)
		if (off)
			perf_event_disable(c->events[i]);
		else
			perf_event_enable(c->events[i]);
}

int gpubp_modify_watch(struct gpubp_consumer *consumer,
		       const struct perf_event_attr *attr)
{
	int err;

	guard(mutex)(&consumer->modify_lock);
	if (!attr_may_change_to(&consumer->attr, attr))
		return -EINVAL;
	/* perf_event_disable() is not for children */
	if (attr->inherit && attr->disabled != consumer->attr.disabled)
		return -EOPNOTSUPP;
	err = consumer_change(consumer, attr);
	if (err)
		return err;
	if (attr->disabled != consumer->attr.disabled)
		consumer_switch(consumer, attr->disabled);
	consumer->attr = *attr;
	return 0;
}
EXPORT_SYMBOL_GPL(gpubp_modify_watch);

/** gpubp_consumers_init() - 0 or -ENOMEM */
int gpubp_consumers_init(void)
{
	release_wq = alloc_workqueue("gpubp_consumers", WQ_UNBOUND, 0);
	return release_wq ? 0 : -ENOMEM;
}

/** gpubp_consumers_exit() - no consumer is left: each used our symbols */
void gpubp_consumers_exit(void)
{
	destroy_workqueue(release_wq);
	rcu_barrier();
}
