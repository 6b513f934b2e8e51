// SPDX-License-Identifier: GPL-2.0
/*
 * Consumers: watches that other kernel code registers, with a callback.
 *
 * A consumer has one kernel perf event on its target task, or one on each CPU
 * if it watches every process. A sample of the event calls the callback.
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
#include "../event/job.h"
#include "../trap/trap.h"
#include "kernel_watch.h"
#include "pmu.h"
#include "sample.h"

/* DRAIN_MAX: as many hits as are drained when a task leaves its CPU */
#define DEFERRED_MAX	64

/**
 * struct deferred_hit - a hit whose callback waits for the scheduler's locks
 * @record: the hit
 * @pid: see struct gpubp_watch_hit
 * @tid: see struct gpubp_watch_hit
 */
struct deferred_hit {
	struct gpubp_hit_record record;
	pid_t pid;
	pid_t tid;
};

/**
 * struct gpubp_consumer - a registered watch
 * @fn: callback
 * @data: argument of @fn
 * @modify_lock: serialises registration, modification and release of @events;
 *	nests outside all locks of perf
 * @attr: the current attributes; under @modify_lock
 * @call_lock: held during callbacks, which may take the scheduler's locks
 * @dead: no callback is called any more; under @call_lock
 * @cpu: CPU that runs the callback, -1 if none; written under @call_lock
 * @rcu: frees the consumer after drains that may still use it
 * @deferred_lock: innermost, nests inside the scheduler's locks
 * @deferred: ring of hits whose callbacks are deferred; under @deferred_lock
 * @first_deferred: index of the oldest hit; under @deferred_lock
 * @nr_deferred: number of hits in @deferred; under @deferred_lock
 * @deferred_work: calls back for @deferred
 * @release: releases a consumer that was unregistered by its own callback
 * @nr_events: entries of @events
 * @events: kernel perf events
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
 * When perf takes the event off its CPU, locks of perf and the scheduler are
 * held. Callbacks must run without them: call back from an irq_work after
 * their release.
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

/* also for inherited events: perf copies overflow_handler_context to them */
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
	/* kernel consumers watch accesses only */
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

/* free a consumer after its last callback */
static void consumer_free(struct gpubp_consumer *c)
{
	consumer_release_events(c);
	irq_work_sync(&c->deferred_work);
	kfree_rcu(c, rcu);
}

/* false: a callback unregistered it, and consumer_release_fn() frees it */
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

	/* wait for the callback that unregistered it */
	consumer_end_calls(c);
	/* wait for a concurrent registration or modification */
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
 * No cpus_read_lock() here: opening an event takes it. A CPU that went offline
 * returns -ENODEV and needs no event.
 */
static int consumer_add_cpus(struct gpubp_consumer *c)
{
	int cpu, err = 0;

	for_each_online_cpu(cpu) {
		err = consumer_add_event(c, NULL, cpu);
		if (err && err != -ENODEV)
			return err;
	}
	return c->nr_events ? 0 : err;	/* -ENODEV of all: no such device */
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
	synchronize_rcu();	/* running callbacks queue their release */
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
		/* 0 is refused, as it has no bytes */
		.config2 = len <= GPUBP_CONFIG2_LEN ? len : 0,
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

/* all events or none: under the lock, what the undo needs is still free */
static int consumer_change_events(struct gpubp_consumer *c,
				  const struct perf_event_attr *attr)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < c->nr_events && !err; i++)
		err = event_change_attr(c->events[i], attr);
	if (!err)
		return 0;
	for (i--; i; i--)
		WARN_ON_ONCE(event_change_attr(c->events[i - 1], &c->attr));
	return err;
}

/**
 * struct consumer_call - change the events of a consumer
 * @c: consumer
 * @attr: of its events
 * @err: (out) 0 or a negative errno
 */
struct consumer_call {
	struct gpubp_consumer *c;
	const struct perf_event_attr *attr;
	int err;
};

static void consumer_fn(void *arg)
{
	struct consumer_call *call = arg;

	call->err = consumer_change_events(call->c, call->attr);
}

static int consumer_change(struct gpubp_consumer *c,
			   const struct perf_event_attr *attr)
{
	struct consumer_call call = { .c = c, .attr = attr };

	gpubp_job_run(consumer_fn, &call);
	return call.err;
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
	/* perf_event_disable() does not disable inherited events */
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

/** gpubp_consumers_init() - allocate the workqueue; 0 or -ENOMEM */
int gpubp_consumers_init(void)
{
	release_wq = alloc_workqueue("gpubp_consumers", WQ_UNBOUND, 0);
	return release_wq ? 0 : -ENOMEM;
}

/** gpubp_consumers_exit() - no consumer is left, as their modules pin ours */
void gpubp_consumers_exit(void)
{
	destroy_workqueue(release_wq);
	rcu_barrier();
}
