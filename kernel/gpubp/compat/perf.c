// SPDX-License-Identifier: GPL-2.0
/* Access to perf core's objects from a module. */
#include <linux/cgroup.h>
#include <linux/fs.h>
#include <linux/hw_breakpoint.h>
#include <linux/magic.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/wait.h>
#include <asm/perf_event.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "perf.h"
#include "target.h"
#include "times.h"

static const struct pmu *our_pmu;

/**
 * gpubp_perf_enabled() - is the event enabled
 * @event: event
 *
 * RCU section, any context; racy, as no callback reports changes. A sibling
 * follows its leader: perf leaves it INACTIVE when only the leader is off.
 */
bool gpubp_perf_enabled(const struct perf_event *event)
{
	const struct perf_event *leader = READ_ONCE(event->group_leader);

	if (READ_ONCE(event->state) < PERF_EVENT_STATE_INACTIVE)
		return false;
	return !leader || leader == event ||
	       READ_ONCE(leader->state) >= PERF_EVENT_STATE_INACTIVE;
}

#ifdef CONFIG_CGROUP_PERF
/**
 * gpubp_perf_cgroup() - the perf cgroup of a task
 * @task: task
 *
 * RCU section, in which the cgroup is valid.
 */
struct cgroup *gpubp_perf_cgroup(struct task_struct *task)
{
	return task_css_check(task, perf_event_cgrp_id, true)->cgroup;
}

/** gpubp_perf_cgroup_below() - is @cgroup, or NULL, @above or below that */
bool gpubp_perf_cgroup_below(struct cgroup *cgroup, struct cgroup *above)
{
	return cgroup && cgroup_is_descendant(cgroup, above);
}

static struct cgroup *event_cgroup(const struct perf_event *event)
{
	const struct perf_cgroup *cgrp = READ_ONCE(event->cgrp);

	return cgrp ? cgrp->css.cgroup : NULL;
}
#else
struct cgroup *gpubp_perf_cgroup(struct task_struct *task)
{
	return NULL;
}

bool gpubp_perf_cgroup_below(struct cgroup *cgroup, struct cgroup *above)
{
	return false;
}

static struct cgroup *event_cgroup(const struct perf_event *event)
{
	return NULL;
}
#endif

/** gpubp_perf_set_pmu() - set the PMU of our events; before the first one */
void gpubp_perf_set_pmu(const struct pmu *pmu)
{
	our_pmu = pmu;
}

/**
 * gpubp_perf_any_of_task() - call a function for each of our events of a task
 * @task: task
 * @fn: function; a return value of true ends the iteration
 * @arg: for @fn
 *
 * RCU section, any context. An event that is removed during the iteration may
 * still be found, and one that is added may not. perf waits for readers before
 * it moves an event to another list.
 *
 * Return: true if a call returned true.
 */
bool gpubp_perf_any_of_task(struct task_struct *task,
			    bool (*fn)(struct gpubp_event *gev, void *arg),
			    void *arg)
{
	struct perf_event_context *ctx = READ_ONCE(task->perf_event_ctxp);
	struct perf_event *event;

	if (!ctx)
		return false;
	list_for_each_entry_rcu(event, &ctx->event_list, event_entry)
		if (event->pmu == our_pmu && fn(event->pmu_private, arg))
			return true;
	return false;
}

/** gpubp_perf_is_installed() - has perf assigned a context to an event */
bool gpubp_perf_is_installed(const struct perf_event *event)
{
	return READ_ONCE(event->ctx);
}

/**
 * gpubp_perf_target() - read an event's target
 * @event: event
 * @t: (out) target
 *
 * RCU section, any context. perf_event_open() sets an event's cgroup before it
 * installs it, and perf clears it when it disables the event for good.
 */
void gpubp_perf_target(const struct perf_event *event, struct gpubp_target *t)
{
	/* read its cgroup later; pairs with perf_install_in_context() */
	struct perf_event_context *ctx = smp_load_acquire(&event->ctx);

	*t = (struct gpubp_target) { .cpu = event->cpu };
	if (!ctx)
		return;
	t->task = READ_ONCE(ctx->task);
	if (t->task == (void *)-1L)	/* TASK_TOMBSTONE */
		return;
	if (t->task) {
		t->kind = GPUBP_TARGET_TASK;
		return;
	}
	t->cgroup = event_cgroup(event);
	t->kind = t->cgroup ? GPUBP_TARGET_CGROUP : GPUBP_TARGET_CPU;
}

/**
 * gpubp_perf_task() - the task that an event is scheduled with
 * @event: event being added; ctx->lock is held
 *
 * Return: to be compared only; NULL for an event of a CPU or a cgroup.
 */
const void *gpubp_perf_task(const struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	return event->ctx->task;
}

/**
 * gpubp_perf_delivery() - what perf schedules an event with
 * @event: event; ctx->lock is held
 *
 * Return: a task, or a CPU, which includes events of cgroups.
 */
enum gpubp_delivery gpubp_perf_delivery(const struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	return event->ctx->task ? GPUBP_DELIVERY_TASK : GPUBP_DELIVERY_CPU;
}

/* NULL: of none that rotates as one */
static const struct perf_event *group_leader(const struct perf_event *event)
{
	const struct perf_event *leader = READ_ONCE(event->group_leader);

	if (!leader || leader->attr.type != event->attr.type)
		return NULL;
	if (leader == event && !READ_ONCE(event->nr_siblings))
		return NULL;
	return leader;
}

/**
 * gpubp_perf_group() - key of the group that an event rotates with
 * @event: event
 *
 * RCU section. perf shows the times of a group's leader for all its members, so
 * members of a group whose leader is ours are armed together.
 *
 * Return: a number that the members have in common, 0 for none.
 */
u64 gpubp_perf_group(const struct perf_event *event)
{
	return (unsigned long)group_leader(event);
}

/**
 * gpubp_perf_group_id() - id of the leader of the group that an event rotates with
 * @event: event
 *
 * RCU section. Return: 0 for no group.
 */
u64 gpubp_perf_group_id(const struct perf_event *event)
{
	const struct perf_event *leader = group_leader(event);

	return leader ? leader->id : 0;
}

/**
 * gpubp_perf_file_event() - the perf_event of a file
 * @file: any file
 *
 * perf_fops is not exported. The names of anonymous inodes' files come from the
 * kernel's own code, and this one is perf's; private_data is constant and set
 * before the file is visible. If another file had that name, its private_data
 * would be the address of another object: it is only compared to the addresses
 * of our events, while those cannot be freed.
 *
 * Return: to be compared, never dereferenced; NULL if it is not perf's file.
 */
const void *gpubp_perf_file_event(const struct file *file)
{
	if (file_inode(file)->i_sb->s_magic != ANON_INODE_FS_MAGIC ||
	    strcmp(file->f_path.dentry->d_name.name, "[perf_event]"))
		return NULL;
	return file->private_data;
}

/**
 * gpubp_perf_is_valid() - is the event still on the task that it was opened on
 * @event: event on a task, not inherited by children; with a file, and in our
 *	list under gpubp_events_lock
 *
 * perf removes it when the task exits, when the task executes a program that is
 * not dumpable, or any program if attr.remove_on_exec, and when its file is
 * released. Its state is then EXIT or below, for good. An event that is not
 * inherited keeps its context, and the context keeps its task until it exits.
 */
bool gpubp_perf_is_valid(const struct perf_event *event)
{
	struct gpubp_target t;

	guard(rcu)();
	gpubp_perf_target(event, &t);
	return READ_ONCE(event->state) > PERF_EVENT_STATE_EXIT &&
	       t.kind == GPUBP_TARGET_TASK && t.task == event->hw.target;
}

/**
 * gpubp_perf_set_owner() - protect an event from an exec during its open
 * @gev: event being opened by current
 *
 * perf_event_open() first installs the event in its target's context and then
 * adds it to its owner's list (core.c of 6.12 and 7.2). An exec of the target
 * in between that removes it (attr.remove_on_exec) deletes a list entry that
 * was never added. That was seen once, on a 6.12.
 *
 * So the entry is initialised as an empty list. An event that perf_event_open()
 * lists after that exec has no owner any more, so perf does not remove it from
 * the list: gpubp_perf_clear_owner() does.
 */
void gpubp_perf_set_owner(struct gpubp_event *gev)
{
	INIT_LIST_HEAD(&gev->event->owner_entry);
	gev->owner = get_task_struct(current);
}

/**
 * gpubp_perf_clear_owner() - remove an event from its owner's list if perf did
 *	not
 * @gev: event being freed
 *
 * May sleep. The mutex also waits for an exiting owner that is removing the
 * event. perf core's order is that mutex, then ctx->mutex, which may be held
 * here by a task that exits with the last child; so, as in
 * perf_remove_from_owner(), it is only taken if there is something to remove.
 */
void gpubp_perf_clear_owner(struct gpubp_event *gev)
{
	struct perf_event *event = gev->event;
	const struct task_struct *owner;

	/*
	 * perf stores NULL when it has removed the event; kernel events are not
	 * listed.
	 */
	owner = smp_load_acquire(&event->owner);
	if ((owner && owner != (void *)-1L) ||	/* TASK_TOMBSTONE */
	    !list_empty(&event->owner_entry)) {
		mutex_lock_nested(&gev->owner->perf_event_mutex,
				  SINGLE_DEPTH_NESTING);
		list_del_init(&event->owner_entry);
		mutex_unlock(&gev->owner->perf_event_mutex);
	}
	put_task_struct(gev->owner);
}

/**
 * gpubp_perf_count() - add hits to an event's count
 * @event: event
 * @hits: number; of a sampling event, hits without a sample
 *
 * Any CPU: nothing else adds to the count of a counting event, and perf only
 * stores (IOC_RESET) or exchanges it (inherit_stat). perf core adds to the
 * count of a sampling event on the CPU where it is active: see
 * gpubp_perf_count_rest().
 */
void gpubp_perf_count(struct perf_event *event, u64 hits)
{
	struct gpubp_event *gev = event->pmu_private;

	BUILD_BUG_ON(sizeof(event->count) != sizeof(atomic_long_t));
	if (is_sampling_event(event))
		atomic64_add(hits, &gev->uncounted);
	else
		atomic_long_add(hits, (atomic_long_t *)&event->count);
}

/**
 * gpubp_perf_count_late() - likewise, to that of an event that was disabled since
 * @event: counting event
 * @hits: number
 *
 * When the task of a child exits, perf adds the child's count to its parent's, which
 * exists as long as the child.
 */
void gpubp_perf_count_late(struct perf_event *event, u64 hits)
{
	gpubp_perf_count(event->parent ?: event, hits);
}

/**
 * gpubp_perf_count_rest() - add uncounted hits to a sampling event's count
 * @event: event; active on this CPU with interrupts off, or not active with
 *	ctx->lock held
 */
void gpubp_perf_count_rest(struct perf_event *event)
{
	struct gpubp_event *gev = event->pmu_private;

	lockdep_assert_irqs_disabled();
	if (atomic64_read(&gev->uncounted))
		local64_add(atomic64_xchg(&gev->uncounted, 0), &event->count);
}

/**
 * gpubp_perf_block_swap() - prevent swapping of contexts at a task switch
 * @event: event being added, or deleted; interrupts off, ctx->lock held
 * @by: 1, or -1 to undo it
 *
 * A swap schedules a task in without calling the PMU, so its waiting hits would
 * not be delivered.
 */
void gpubp_perf_block_swap(struct perf_event *event, int by)
{
	struct perf_event_context *ctx = event->ctx;

	lockdep_assert_held(&ctx->lock);
	if (ctx->task)
		local_add(by, &ctx->nr_no_switch_fast);
}

/**
 * gpubp_perf_start_period() - start a period of a sampling event
 * @event: event being added
 */
void gpubp_perf_start_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left);

	hwc->last_period = hwc->sample_period;
	if (left >= 0)
		local64_set(&hwc->period_left, -(s64)hwc->sample_period);
}

/**
 * gpubp_perf_set_config() - set the config that future children inherit
 * @event: event
 * @config: attr.config
 * @config1: attr.config1
 * @config2: attr.config2
 *
 * perf copies a parent's attr in fork() without a lock of ours: a child fixes
 * its copy by gpubp_perf_copy_config() when it is added.
 */
void gpubp_perf_set_config(struct perf_event *event, u64 config, u64 config1,
			   u64 config2)
{
	WRITE_ONCE(event->attr.config, config);
	WRITE_ONCE(event->attr.config1, config1);
	WRITE_ONCE(event->attr.config2, config2);
}

/**
 * gpubp_perf_copy_config() - copy the config of another event
 * @event: event, a child that is being added
 * @from: its parent; gpubp_events_lock is held, so that its config is stable
 */
void gpubp_perf_copy_config(struct perf_event *event,
			    const struct perf_event *from)
{
	gpubp_perf_set_config(event, from->attr.config, from->attr.config1,
			      from->attr.config2);
}

/** gpubp_perf_lost() - count hits that an event may miss; any context */
void gpubp_perf_lost(struct perf_event *event, u64 hits)
{
	atomic64_add(hits, &event->lost_samples);
}

/**
 * gpubp_perf_lost_own() - count hits that an event may miss
 * @gev: event
 * @hits: number; also added to its count if it counts lost hits
 *
 * Any context.
 */
void gpubp_perf_lost_own(struct gpubp_event *gev, u64 hits)
{
	gpubp_perf_lost(gev->event, hits);
	if (gev->spec.lost)
		gpubp_perf_count(gev->event, hits);
}

/** gpubp_wake_interruptible() - wake up a task that sleeps interruptibly */
void gpubp_wake_interruptible(struct task_struct *task)
{
	wait_queue_entry_t wait = { .private = task };

	/* try_to_wake_up(task, TASK_INTERRUPTIBLE) by an exported function */
	default_wake_function(&wait, TASK_INTERRUPTIBLE, 0, NULL);
}

/**
 * gpubp_perf_on_cpu_counters() - is the event in a group with CPU counters
 * @event: event; if it is being opened, its leader is already open
 *
 * RCU section. perf schedules all members of such a group with its counters,
 * and shows the time of the counters for all of them.
 */
bool gpubp_perf_on_cpu_counters(const struct perf_event *event)
{
	const struct perf_event *leader = READ_ONCE(event->group_leader);
	const struct perf_event_pmu_context *epc;

	epc = READ_ONCE((leader ?: event)->pmu_ctx);
	return epc && epc->pmu->task_ctx_nr != perf_sw_context;
}

static unsigned int signal_pending_id(const struct perf_event *event)
{
	return READ_ONCE(event->pending_work);
}

static bool has_user_regs(void)
{
	return user_mode(task_pt_regs(current)) &&
	       !(current->flags & PF_KTHREAD);
}

/*
 * A CPU register file for perf: user mode of the owner, at the GPU's pc; only
 * the pc if the owner is not current. The pc must not change while a SIGTRAP is
 * pending, or perf core takes the signal for avoided; the ip of the sample is
 * data->ip.
 *
 * A BPF program runs before gpubp_perf_overflow() and does not see data->addr:
 * it gets the address from orig_ax, which perf neither shows nor needs.
 */
static void fill_regs(struct gpubp_event *gev,
		      const struct gpubp_sample *sample, struct pt_regs *regs)
{
	if (sample->ids || !has_user_regs())
		memset(regs, 0, sizeof(*regs));
	else
		*regs = *task_pt_regs(current);
	if (!signal_pending_id(gev->event))
		gev->pending_ip = sample->record.pc;
	instruction_pointer_set(regs, gev->pending_ip);
#ifdef CONFIG_X86
	regs->orig_ax = sample->record.addr;
	regs->cs = __USER_CS;
	regs->flags |= PERF_EFLAGS_EXACT;
#endif
}

static void after_sigtrap(struct perf_event *event, u64 addr)
{
	if (!event->attr.sigtrap || !signal_pending_id(event))
		return;
	if (!event->pending_addr)
		event->pending_addr = addr;
	/* as TWA_SIGNAL: a sleeping task takes the signal now */
	set_tsk_thread_flag(current, TIF_NOTIFY_SIGNAL);
}

/*
 * 6.17, 18dbcbfabfff ("perf: Fix the POLL_HUP delivery breakage") stops the
 * event at the last sample of IOC_REFRESH. Older kernels disable it in an
 * irq_work after this interrupt. No hit of later is its, also of those before it is
 * disabled.
 */
static void stop_at_limit(struct gpubp_event *gev,
			  const struct gpubp_sample *sample)
{
	if (!gev->event->pending_disable)
		return;
	gev->event->hw.state = PERF_HES_STOPPED;
	gpubp_times_limit(gev, sample->record.gpu_time);
}

/**
 * gpubp_perf_stopped() - would perf core drop a sample silently
 * @event: ACTIVE event on this CPU, interrupts off
 *
 * It does after the last sample of IOC_REFRESH, and in a group whose leader is
 * throttled: 6.16, 9734e25fbf5a ("perf: Fix the throttle logic for a group").
 */
bool gpubp_perf_stopped(const struct perf_event *event)
{
	return event->hw.state & PERF_HES_STOPPED;
}

/* is the next hit due for a sample, as perf_swevent_event() decides */
static bool sample_due(const struct perf_event *event, u64 weight)
{
	const struct hw_perf_event *hwc = &event->hw;

	if (!event->attr.freq && (hwc->sample_period == 1 ||
				  event->attr.sample_type & PERF_SAMPLE_PERIOD))
		return true;
	return local64_read(&hwc->period_left) >= -(s64)weight;
}

/* perf core does not report that a BPF program returned 0 */
static void count_suppressed(struct gpubp_event *gev,
			     const struct gpubp_sample *sample, bool due)
{
	if (due && !sample->sampled && READ_ONCE(gev->event->prog))
		atomic64_inc(&gev->suppressed);
}

/**
 * gpubp_perf_output() - pass one hit to perf core for an ACTIVE event
 * @gev: event of current or of this CPU, interrupts off
 * @sample: the hit
 *
 * Return: 0, or -EAGAIN while perf core is busy at this recursion level.
 */
int gpubp_perf_output(struct gpubp_event *gev, struct gpubp_sample *sample)
{
	struct perf_event *event = gev->event;
	u64 counted = sample->credited;
	bool due = sample_due(event, sample->weight + counted);
	struct pt_regs regs;
	int rctx;

	lockdep_assert_irqs_disabled();
	if (event->attr.sigtrap && (current->flags & PF_EXITING))
		return 0;	/* task work is refused; perf would warn */
	rctx = perf_swevent_get_recursion_context();
	if (rctx < 0)
		return -EAGAIN;
	fill_regs(gev, sample, &regs);
	gev->cur = sample;
	gpubp_perf_count_rest(event);
	/* already in the count; add them to the period now */
	local64_add(counted, &event->hw.period_left);
	perf_tp_event(gpubp_hit_event_type(), sample->weight, &sample->record,
		      sizeof(sample->record), &regs, &gev->head, rctx, NULL);
	gev->cur = NULL;
	count_suppressed(gev, sample, due);
	stop_at_limit(gev, sample);
	after_sigtrap(event, sample->record.addr);
	return 0;
}

/* how many samples, as perf_swevent_event() and perf_swevent_set_period() */
static u64 late_samples(struct perf_event *event, u64 weight,
			struct perf_sample_data *data)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 period = hwc->last_period, nr;

	if (event->attr.sample_type & PERF_SAMPLE_PERIOD && !event->attr.freq) {
		data->period = weight;
		return 1;
	}
	data->period = period;
	if (local64_add_negative(weight, &hwc->period_left) || !period)
		return 0;
	nr = div64_u64(period + local64_read(&hwc->period_left), period);
	local64_sub(nr * period, &hwc->period_left);
	return nr;
}

/* as perf_sample_save_raw_data(), whose arguments depend on the version */
static void late_set_raw(struct perf_sample_data *data,
			 struct perf_raw_record *raw)
{
	u32 size = round_up(raw->frag.size + sizeof(u32), sizeof(u64));

	raw->size = size - sizeof(u32);
	raw->frag.pad = raw->size - raw->frag.size;
	data->raw = raw;
	data->dyn_size += size;
	data->sample_flags |= PERF_SAMPLE_RAW;
}

/**
 * gpubp_perf_output_late() - pass a hit of before to an event that was disabled since
 * @gev: event of current, on its CPU if it has one, or of this CPU; interrupts off
 * @sample: the hit
 *
 * perf core writes no sample of an event that is not ACTIVE. None is due that a BPF
 * program would have to see. Return: 0, or -EAGAIN while perf core is busy at this
 * recursion level.
 */
int gpubp_perf_output_late(struct gpubp_event *gev, struct gpubp_sample *sample)
{
	struct perf_event *event = gev->event;
	struct perf_raw_record raw = {
		.frag = {
			.size = sizeof(sample->record),
			.data = &sample->record,
		},
	};
	struct perf_sample_data data;
	HLIST_HEAD(no_events);
	struct pt_regs regs;
	int rctx;
	u64 nr;

	lockdep_assert_irqs_disabled();
	rctx = perf_swevent_get_recursion_context();
	if (rctx < 0)
		return -EAGAIN;
	fill_regs(gev, sample, &regs);
	/* the header of the record; and what puts the context is not exported */
	perf_tp_event(gpubp_hit_event_type(), 0, &sample->record,
		      sizeof(sample->record), &regs, &no_events, rctx, NULL);
	gev->cur = sample;
	local64_add(sample->weight, &event->count);
	perf_sample_data_init(&data, 0, 0);
	nr = late_samples(event, sample->weight + sample->credited, &data);
	for (; nr && !event->prog && !event->pending_disable; nr--) {
		perf_sample_data_init(&data, 0, data.period);
		late_set_raw(&data, &raw);
		gpubp_perf_overflow(event, &data, &regs);
	}
	gev->cur = NULL;
	/* it is disabled already */
	if (event->pending_disable)
		gpubp_times_limit(gev, sample->record.gpu_time);
	event->pending_disable = 0;
	return 0;
}

static u64 sample_mem_op(const struct gpubp_hit_record *rec)
{
	/* an exception has the access of a memory violation, if it is known */
	if (gpubp_kind_is_trap(rec->kind) && !rec->access)
		return PERF_MEM_S(OP, EXEC) | PERF_MEM_S(LOCK, NA);
	switch (rec->access) {
	case GPUBP_ACCESS_LOAD:
		return PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LOCK, NA);
	case GPUBP_ACCESS_ATOMIC:
		return PERF_MEM_S(OP, LOAD) | PERF_MEM_S(OP, STORE) |
		       PERF_MEM_S(LOCK, LOCKED);
	default:
		return PERF_MEM_S(OP, STORE) | PERF_MEM_S(LOCK, NA);
	}
}

static u64 sample_mem_source(const struct gpubp_hit_record *rec)
{
	return PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA) |
	       PERF_MEM_S(TLB, NA) | sample_mem_op(rec);
}

/* number that perf uses for a task that is gone */
#define NO_PID	((u32)-1)

static u32 owner_nr_ns(const struct gpubp_owner *owner,
		       const struct perf_event *event)
{
	return owner ? pid_nr_ns(owner->pid, event->ns) : NO_PID;
}

#ifdef CONFIG_CGROUP_PERF
static u64 owner_cgroup_id(const struct gpubp_owner *owner)
{
	struct task_struct *task = owner ? pid_task(owner->pid, PIDTYPE_PID) :
					   NULL;
	struct cgroup *cgroup = task ? gpubp_perf_cgroup(task) : NULL;

	return cgroup ? cgroup_id(cgroup) : 0;
}
#endif

static bool sample_wants(const struct perf_event *event,
			 const struct perf_sample_data *data, u64 field)
{
	return event->attr.sample_type & ~data->sample_flags & field;
}

static bool sample_has_regs(const struct perf_regs *regs,
			    const struct perf_sample_data *data, u64 field)
{
	return data->sample_flags & field && regs->regs;
}

static unsigned int regs_size(u64 mask)
{
	return hweight64(mask) * sizeof(u64);
}

/* a GPU wave has no registers and no stack of the CPU */
static void sample_set_no_regs(const struct perf_event *event,
			       struct perf_sample_data *data)
{
	/* a BPF program may have had perf prepare them */
	if (sample_has_regs(&data->regs_user, data, PERF_SAMPLE_REGS_USER))
		data->dyn_size -= regs_size(event->attr.sample_regs_user);
	if (sample_has_regs(&data->regs_intr, data, PERF_SAMPLE_REGS_INTR))
		data->dyn_size -= regs_size(event->attr.sample_regs_intr);
	data->regs_user.regs = NULL;
	data->regs_user.abi = PERF_SAMPLE_REGS_ABI_NONE;
	data->regs_intr.regs = NULL;
	data->regs_intr.abi = PERF_SAMPLE_REGS_ABI_NONE;
	if (sample_wants(event, data, PERF_SAMPLE_REGS_USER))
		data->dyn_size += sizeof(u64);
	if (sample_wants(event, data, PERF_SAMPLE_REGS_INTR))
		data->dyn_size += sizeof(u64);
	data->sample_flags |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR;
}

#ifdef CONFIG_X86_64
/*
 * The registers of the owner itself, where unwinding its stack by debug
 * information starts; the GPU's pc is not in that stack.
 */
static void sample_set_user_regs(const struct perf_event *event,
				 struct perf_sample_data *data)
{
	struct pt_regs *regs = task_pt_regs(current);
	unsigned int nr = hweight64(event->attr.sample_regs_user);

	if (!has_user_regs()) {
		sample_set_no_regs(event, data);
		return;
	}
	data->regs_user.regs = regs;
	data->regs_user.abi = user_64bit_mode(regs) ?
		PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_32;
	if (sample_wants(event, data, PERF_SAMPLE_REGS_USER))
		data->dyn_size += (1 + nr) * sizeof(u64);
	data->sample_flags |= PERF_SAMPLE_REGS_USER;
}
#else
/* perf_reg_abi() is not exported: perf uses the registers of fill_regs() */
static void sample_set_user_regs(const struct perf_event *event,
				 struct perf_sample_data *data)
{
}
#endif

/*
 * Replace the interrupted task's callers: a BPF program may have fetched them.
 */
static void sample_set_callchain(const struct perf_event *event,
				 struct perf_sample_data *data,
				 struct gpubp_sample *sample)
{
	if (!(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return;
	if (data->sample_flags & PERF_SAMPLE_CALLCHAIN)
		data->dyn_size -= (data->callchain->nr + 1) * sizeof(u64);
	sample->chain[0] = ARRAY_SIZE(sample->chain) - 1;
	sample->chain[1] = PERF_CONTEXT_USER;
	sample->chain[2] = sample->record.pc;
	data->callchain = (struct perf_callchain_entry *)sample->chain;
	data->dyn_size += sizeof(sample->chain);
	data->sample_flags |= PERF_SAMPLE_CALLCHAIN;
}

/* the interrupted task is unrelated: set all that perf would take from it */
static void sample_set_owner(const struct perf_event *event,
			     struct perf_sample_data *data,
			     struct gpubp_sample *sample)
{
	data->tid_entry.pid = owner_nr_ns(sample->ids->leader, event);
	data->tid_entry.tid = owner_nr_ns(sample->ids->owner, event);
	data->sample_flags |= PERF_SAMPLE_TID;
#ifdef CONFIG_CGROUP_PERF
	data->cgroup = owner_cgroup_id(sample->ids->owner);
	data->sample_flags |= PERF_SAMPLE_CGROUP;
#endif
	sample_set_no_regs(event, data);
	sample_set_callchain(event, data, sample);
}

/**
 * gpubp_perf_overflow() - overflow handler: set the GPU's values, then call
 *	perf's
 * @event: event
 * @data: sample
 * @regs: as gpubp_perf_output() made them
 *
 * Sets what perf would take from the CPU's registers, and zeroes what it would
 * derive from a GPU address as if it were an address of current. The weight is
 * the number of matching lanes.
 */
void gpubp_perf_overflow(struct perf_event *event,
			 struct perf_sample_data *data, struct pt_regs *regs)
{
	struct gpubp_event *gev = event->pmu_private;
	struct gpubp_sample *sample = gev->cur;

	if (sample) {
		sample->sampled = true;
		data->ip = sample->record.pc;
		data->addr = sample->record.addr;
		data->data_src.val = sample_mem_source(&sample->record);
		data->weight.full = hweight64(sample->record.lanes);
		data->phys_addr = 0;
		data->data_page_size = 0;
		data->code_page_size = 0;
		data->sample_flags |= PERF_SAMPLE_IP | PERF_SAMPLE_ADDR |
			PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_TYPE |
			PERF_SAMPLE_PHYS_ADDR |
			PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE;
		if (sample->ids)
			sample_set_owner(event, data, sample);
		else
			sample_set_user_regs(event, data);
	}
	gev->orig_handler(event, data, regs);
}
