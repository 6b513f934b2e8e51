// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU: callbacks of perf core.
 *
 * perf schedules our events with their CPU task, but a watch is a candidate
 * for a comparator as long as its event is enabled. So ->add and ->del do not
 * arm or disarm anything. They maintain the list of events for which samples
 * can be written on this CPU, and do next to nothing for a counting event.
 */
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <uapi/linux/gpubp.h>

#include "../compat/perf.h"
#include "../compat/target.h"
#include "../compat/times.h"
#include "../core/core.h"
#include "../event/event.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "drain.h"
#include "kernel_watch.h"
#include "perf.h"
#include "pmu.h"

static struct pmu gpubp_pmu;
static struct kmem_cache *event_cache;

static DEFINE_PER_CPU(struct list_head, active_events);

/*
 * Set for each delivery while perf takes a batch of events off this CPU: the
 * ->del of the first event drained the hits of all of them.
 */
static DEFINE_PER_CPU(bool [GPUBP_NR_DELIVERIES], batches_leaving);

static bool *batch_leaving(const struct perf_event *event)
{
	return &(*this_cpu_ptr(&batches_leaving))[gpubp_perf_delivery(event)];
}

/** gpubp_pmu_active_list() - events scheduled on this CPU; interrupts off */
struct list_head *gpubp_pmu_active_list(void)
{
	return this_cpu_ptr(&active_events);
}

/** gpubp_pmu_batch_ended() - perf has taken off its batch; interrupts off */
void gpubp_pmu_batch_ended(void)
{
	memset(this_cpu_ptr(&batches_leaving), 0, sizeof(batches_leaving));
}

/** gpubp_pmu_batch_leaving() - may locks of perf and the scheduler be held */
bool gpubp_pmu_batch_leaving(void)
{
	const bool *by_delivery = *this_cpu_ptr(&batches_leaving);

	return by_delivery[GPUBP_DELIVERY_TASK] ||
	       by_delivery[GPUBP_DELIVERY_CPU];
}

/** gpubp_pmu_type() - perf_event_attr.type of our events */
u32 gpubp_pmu_type(void)
{
	return gpubp_pmu.type;
}

/** gpubp_pmu_kobj() - its directory in sysfs, while it is registered */
struct kobject *gpubp_pmu_kobj(void)
{
	return &gpubp_pmu.dev->kobj;
}

/* put the references to the opener: memcg, user and thread group */
static void opener_put(struct gpubp_event *gev)
{
	mem_cgroup_put(gev->memcg);
	gpubp_user_put(gev->user);
	put_pid(gev->opener);
	gpubp_rights_put(gev);
}

static void event_free_memory(struct gpubp_event *gev)
{
	kfree(gev->hits);
	kfree(gev->times.intervals);
	kmem_cache_free(event_cache, gev);
}

static void event_free_rcu(struct rcu_head *rcu)
{
	event_free_memory(container_of(rcu, struct gpubp_event, rcu));
}

/* what event_init() gave to it, but for its entry in the list of events */
static void event_free(struct gpubp_event *gev)
{
	xa_destroy(&gev->bound);
	gpubp_count_sink_detach(gev->sink);
	gpubp_unreserve(gev);
	gpubp_set_put(gev->set);
	gpubp_filter_put(gev->filter);
	if (gev->owner)
		gpubp_perf_clear_owner(gev);
	opener_put(gev);
	call_rcu(&gev->rcu, event_free_rcu);
}

static void event_destroy(struct perf_event *event)
{
	struct gpubp_event *gev = event->pmu_private;

	gpubp_bind_take_records(gev);
	gpubp_event_remove(gev);
	event_free(gev);
}

/*
 * perf copies the overflow handler of a parent to its children. That is ours
 * already; only the parent stores the original one.
 */
static perf_overflow_handler_t event_original_handler(struct perf_event *event)
{
	struct gpubp_event *parent;

	if (!event->parent)
		return event->overflow_handler;
	parent = event->parent->pmu_private;
	return parent->orig_handler;
}

static int opener_init(struct gpubp_event *gev)
{
	gev->user = gpubp_user_current();
	if (!gev->user)
		return -ENOMEM;
	gev->memcg = get_mem_cgroup_from_mm(current->mm);
	gev->opener = get_pid(task_tgid(current));
	/* perf checks access to one target task, but not to all tasks */
	gev->blind = !gev->event->hw.target && !perfmon_capable();
	gpubp_rights_opened(gev);
	return 0;
}

/* inherited event: current is the forking task, so copy the parent's opener */
static void opener_inherit(struct gpubp_event *gev,
			   const struct gpubp_event *parent)
{
	gpubp_user_get(parent->user);
	gev->user = parent->user;
	if (mem_cgroup_tryget(parent->memcg))
		gev->memcg = parent->memcg;
	gev->opener = get_pid(parent->opener);
}

/* what only some events need, and what a child has from its parent */
static int event_alloc_parts(struct gpubp_event *gev)
{
	if (gpubp_times_init(gev))
		return -ENOMEM;
	if (gev->event->parent) {
		opener_inherit(gev, gev->event->parent->pmu_private);
		return 0;
	}
	if (gev->spec.kind == GPUBP_KIND_WATCH) {
		gev->sink = gpubp_count_sink_alloc(gev);
		if (!gev->sink)
			return -ENOMEM;
	}
	return opener_init(gev);
}

static struct gpubp_event *event_alloc(struct perf_event *event,
				       const struct gpubp_spec *spec)
{
	struct gpubp_event *gev = kmem_cache_zalloc(event_cache, GFP_KERNEL);

	if (!gev)
		return NULL;
	gev->event = event;
	gev->spec = *spec;
	gev->orig_handler = event_original_handler(event);
	if (event_alloc_parts(gev)) {
		gpubp_count_sink_detach(gev->sink);
		event_free_memory(gev);
		return NULL;
	}
	gpubp_event_time_init(&gev->event_time);
	INIT_LIST_HEAD(&gev->bindings);
	xa_init_flags(&gev->bound, XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&gev->active_node);
	hlist_add_head(&event->hlist_entry, &gev->head);
	return gev;
}

static int event_check_attr(const struct perf_event *event)
{
	if (has_branch_stack((struct perf_event *)event))
		return gpubp_refuse(GPUBP_REASON_BRANCH_STACK);
	return gpubp_refuse(event->attr.exclusive ? GPUBP_REASON_EXCLUSIVE :
						    GPUBP_REASON_NONE);
}

static int event_take_filter(struct gpubp_event *gev)
{
	struct gpubp_filter *filter;

	if (!gev->spec.condition)
		return 0;
	filter = gpubp_filter_get(gev->spec.condition);
	if (!filter)
		return gpubp_refuse(GPUBP_REASON_NO_SUCH_COND);
	gpubp_event_set_filter(gev, filter);
	return 0;
}

/* reservation or watch set; an inherited event gets its parent's when added */
static int event_reserve(struct gpubp_event *gev)
{
	struct gpubp_watch_set *set;

	if (gev->spec.kind != GPUBP_KIND_WATCH_SET)
		return gpubp_reserve(gev);
	if (gpubp_needs_reservation(gev->event))
		return gpubp_refuse(GPUBP_REASON_SET_GROUP);
	set = gpubp_set_get(gev->spec.code);
	if (IS_ERR(set))
		return PTR_ERR(set);
	gev->set = set;
	return 0;
}

/* perf core has no check for events that write to the memory of their target */
static int event_check_rights(const struct perf_event *event,
			      const struct gpubp_spec *spec)
{
	if (spec->kind == GPUBP_KIND_BREAK && !gpubp_opener_may_patch(event))
		return gpubp_refuse(GPUBP_REASON_BREAK_RIGHTS);
	return 0;
}

/* a child must not make fork() fail: its parent was checked */
static int event_check(const struct perf_event *event, struct gpubp_spec *spec)
{
	if (event->parent)
		return 0;
	gpubp_refusal_take();	/* of the event before */
	return event_check_attr(event) ?:
	       gpubp_refuse(gpubp_spec_decode(&event->attr, spec)) ?:
	       gpubp_scope_check(spec) ?:
	       event_check_rights(event, spec);
}

static int event_no_memory(const struct perf_event *event)
{
	return event->parent ? -ENOMEM : gpubp_refuse(GPUBP_REASON_NO_MEMORY);
}

static int event_init(struct perf_event *event)
{
	struct gpubp_event *gev;
	struct gpubp_spec spec = {};
	int err;

	if (event->attr.type != gpubp_pmu.type)
		return -ENOENT;
	err = event_check(event, &spec);
	if (err)
		return err;
	gev = event_alloc(event, &spec);
	if (!gev)
		return event_no_memory(event);
	event->pmu_private = gev;
	err = event->parent ? 0 : event_take_filter(gev) ?:
				  gpubp_event_may_want(gev, &spec) ?:
				  event_reserve(gev);
	if (err) {
		event_free(gev);
		return err;
	}
	gpubp_event_add(gev);
	if (!event->parent)
		gpubp_perf_set_owner(gev);
	event->overflow_handler = gpubp_perf_overflow;
	event->destroy = event_destroy;
	return 0;
}

/* only sampling events are in the list: they alone have hits to drain */
static void sampling_add(struct perf_event *event)
{
	struct gpubp_event *gev = event->pmu_private;

	gpubp_perf_start_period(event);
	gpubp_perf_count_rest(event);
	*batch_leaving(event) = false;
	list_add(&gev->active_node, gpubp_pmu_active_list());
}

/*
 * Drain only once per batch: a hit that is queued in between would miss the
 * events that are off already, so it waits until all are back.
 */
static void sampling_del(struct perf_event *event)
{
	struct gpubp_event *gev = event->pmu_private;

	if (!*batch_leaving(event)) {
		*batch_leaving(event) = true;
		gpubp_drain_before_del(gpubp_perf_delivery(event));
	}
	list_del_init(&gev->active_node);
	gpubp_perf_count_rest(event);
}

static int event_add(struct perf_event *event, int flags)
{
	struct gpubp_event *gev = event->pmu_private;

	if (is_sampling_event(event))
		sampling_add(event);
	gpubp_perf_block_swap(event, 1);
	event->hw.state = flags & PERF_EF_START ? 0 : PERF_HES_STOPPED;
	gpubp_times_add(gev);
	perf_event_update_userpage(event);
	gpubp_event_scheduled(gev);
	if (is_sampling_event(event))
		gpubp_drain_on_add(event);
	return 0;
}

static void event_del(struct perf_event *event, int flags)
{
	if (is_sampling_event(event))
		sampling_del(event);
	gpubp_times_del(event->pmu_private);
	if (gpubp_times_pauses(event))
		gpubp_drain_disabled(event);
	gpubp_perf_block_swap(event, -1);
}

/*
 * Also called by perf core during an overflow. PERF_EF_RELOAD starts a period
 * that was changed while the event was stopped.
 */
static void event_start(struct perf_event *event, int flags)
{
	if (flags & PERF_EF_RELOAD && is_sampling_event(event))
		gpubp_perf_start_period(event);
	event->hw.state = 0;
}

static void event_stop(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED;
}

/* counting events are updated at each hit, so the count is current */
static void event_read(struct perf_event *event)
{
	gpubp_perf_count_rest(event);
	gpubp_times_read(event->pmu_private);
}

static void pmu_enable(struct pmu *pmu)
{
	gpubp_pmu_batch_ended();
	if (gpubp_drain_pending())
		gpubp_drain_soon();
}

static void pmu_disable(struct pmu *pmu)
{
}

/* else perf disables and enables the PMU around each group */
static void pmu_start_txn(struct pmu *pmu, unsigned int flags)
{
}

static int pmu_commit_txn(struct pmu *pmu)
{
	return 0;
}

static void pmu_cancel_txn(struct pmu *pmu)
{
}

static struct pmu gpubp_pmu = {
	.module		= THIS_MODULE,
	.capabilities	= PERF_PMU_CAP_NO_NMI,
	.task_ctx_nr	= perf_sw_context,
	.attr_groups	= gpubp_attr_groups,
	.event_init	= event_init,
	.add		= event_add,
	.del		= event_del,
	.start		= event_start,
	.stop		= event_stop,
	.read		= event_read,
	.pmu_enable	= pmu_enable,
	.pmu_disable	= pmu_disable,
	.start_txn	= pmu_start_txn,
	.commit_txn	= pmu_commit_txn,
	.cancel_txn	= pmu_cancel_txn,
};

/** gpubp_perf_init() - initialise, before gpubp_pmu_init(); 0 or -ENOMEM */
int gpubp_perf_init(void)
{
	int err;

	gpubp_drain_init();
	event_cache = KMEM_CACHE(gpubp_event, SLAB_ACCOUNT);
	if (!event_cache)
		return -ENOMEM;
	err = gpubp_consumers_init();
	if (err)
		kmem_cache_destroy(event_cache);
	return err;
}

/** gpubp_perf_exit() - undo gpubp_perf_init(); no event is left, no consumer */
void gpubp_perf_exit(void)
{
	gpubp_consumers_exit();
	rcu_barrier();	/* event_free_rcu() */
	kmem_cache_destroy(event_cache);
}

/** gpubp_pmu_init() - register the PMU; 0 or a negative errno */
int gpubp_pmu_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(per_cpu_ptr(&active_events, cpu));
	gpubp_perf_set_pmu(&gpubp_pmu);
	return perf_pmu_register(&gpubp_pmu, "gpubp", -1);
}

/** gpubp_pmu_exit() - unregister the PMU; open events pin the module */
void gpubp_pmu_exit(void)
{
	perf_pmu_unregister(&gpubp_pmu);
}
