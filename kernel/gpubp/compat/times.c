// SPDX-License-Identifier: GPL-2.0
/*
 * Times: an event's time enabled and time running in perf.
 *
 * perf counts time enabled while the task is on a CPU, and tools multiply the
 * count by enabled / running. A GPU goes on while the task sleeps, and counts
 * only while a context is resident. So the clock of an event is that of its
 * contexts: time enabled is the time that they were resident while the event
 * was enabled, as a CPU event's is the time that its task was on a CPU; time
 * running is the time armed. Both only increase, so the rule holds between any
 * two reads, and for sums: of children, most of which own no queue, and of the
 * start of an application, when no context is resident.
 *
 * perf core adds to both by its own clock while an event is ACTIVE, and calls
 * ->read or ->del before the sum can be read: readers hold the context's mutex
 * and wait for the interrupt that calls ->read. While the task is off the CPU a
 * read calls nothing: a worker updates the times. It does so within a few
 * milliseconds anyhow, so a context switch corrects the times of an event at
 * most once a jiffy, and of MAX_CORRECTIONS events, and otherwise only prevents
 * perf from adding to them.
 *
 * An event that was just enabled has no bindings before a worker makes them. When it
 * is read before, and the GPU may have executed something, it is a nanosecond that it
 * was enabled and not running, rather than none.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "perf.h"
#include "target.h"
#include "times.h"

/*
 * A member of a group on CPU counters counts while the group is on them, and is
 * read with the leader's times: it keeps perf's clock.
 */
static bool on_perf_clock(const struct perf_event *event)
{
	return gpubp_perf_on_cpu_counters(event);
}

/*
 * perf_event_time() is not exported. The time of a context, or of a cgroup on a
 * CPU, is a u64, or the first of two structs that begin with one: total time,
 * and guest time.
 */
#define TIME_OF(clock, event)                                                \
	times_read_clock((const u64 *)&(clock)->time, sizeof((clock)->time), \
			 event)

static u64 times_read_clock(const u64 *time, size_t size,
			    const struct perf_event *event)
{
	const size_t guest = size / sizeof(u64);

	if (guest > 1 && event->attr.exclude_guest)
		return time[0] - time[guest];
	return time[0];
}

static u64 context_time(const struct perf_event *event)
{
#ifdef CONFIG_CGROUP_PERF
	if (event->cgrp)
		return TIME_OF(per_cpu_ptr(event->cgrp->info, event->cpu),
			       event);
#endif
	return TIME_OF(event->ctx, event);
}

/* account since the last call */
static struct gpubp_account times_take_account(struct gpubp_event *gev)
{
	struct gpubp_account old = gev->times.acc, *acc = &gev->times.acc;

	gpubp_event_time_read(gev, acc);
	return (struct gpubp_account) {
		.resident = acc->resident - old.resident,
		.armed = acc->armed - old.armed,
		.lost = acc->lost - old.lost,
		.unseen = acc->unseen - old.unseen,
	};
}

/* hits may be missing: bindings that it wants are not made yet; 1 or 0 ns */
static u64 times_unbound(const struct gpubp_event *gev)
{
	const void *done = READ_ONCE(gev->reconciled_target), *key;
	struct gpubp_target t;
	u64 maybe;

	if (!gpubp_contexts_exist())
		return 0;
	guard(rcu)();
	key = gpubp_target_key(gev);
	if (!key || key == done)
		return 0;
	gpubp_target_of(gev, &t);
	gpubp_times_enabled_since(gev, gpubp_target_task_pid(&t), &maybe);
	return gpubp_target_may_use_ctx(gev, maybe);
}

/* drops that may be its hits count as lost samples */
static struct gpubp_account times_take_passed(struct gpubp_event *gev)
{
	struct gpubp_account passed = times_take_account(gev);

	if (passed.lost)
		gpubp_perf_lost_own(gev, passed.lost);
	return passed;
}

static void times_save(struct gpubp_event *gev)
{
	gev->times.enabled = gev->event->total_time_enabled;
	gev->times.running = gev->event->total_time_running;
	gev->times.saved_in = jiffies;
}

/*
 * Use the clock of the contexts instead of what perf added. If it did not
 * advance, add one nanosecond to both: tools take a time of 0 for "not
 * counted", which is correct only for an event that never had a context.
 */
static void times_use_ctx_clock(struct gpubp_event *gev,
				const struct gpubp_account *passed)
{
	const struct gpubp_times *t = &gev->times;
	u64 stopped = READ_ONCE(gev->event_time.bound) && !passed->resident;

	gev->event->total_time_enabled =
		t->enabled + passed->resident + stopped;
	gev->event->total_time_running = t->running + passed->armed + stopped;
}

/* scale the time that perf counted by the share of time armed */
static void times_scale_perf_clock(struct gpubp_event *gev,
				   const struct gpubp_account *passed)
{
	struct perf_event *event = gev->event;
	u64 run = event->total_time_running - gev->times.running;

	if (passed->resident)
		event->total_time_running = gev->times.running +
			mul_u64_u64_div_u64(run, passed->armed,
					    passed->resident);
}

/* replace the times that perf counted; the event is ACTIVE, on this CPU */
static void times_correct(struct gpubp_event *gev)
{
	bool perf_clock = on_perf_clock(gev->event);
	struct gpubp_account passed;

	/*
	 * For a sample, perf reads group members without updating their time.
	 */
	if (perf_clock &&
	    gev->event->total_time_running == gev->times.running)
		return;
	passed = times_take_passed(gev);
	passed.resident += times_unbound(gev);
	if (perf_clock)
		times_scale_perf_clock(gev, &passed);
	else
		times_use_ctx_clock(gev, &passed);
	times_save(gev);
}

/*
 * Update the times after the event was not ACTIVE. A copy for a CPU that the
 * task is not on gets no time running; its time enabled is perf's if that is
 * larger, so that it never decreases.
 */
static void times_catch_up(struct gpubp_event *gev, bool counts_here)
{
	struct gpubp_account passed = times_take_passed(gev);
	u64 enabled = gev->event->total_time_enabled;

	if (!on_perf_clock(gev->event)) {
		if (!counts_here)
			passed.armed = 0;
		times_use_ctx_clock(gev, &passed);
		if (gev->event->total_time_enabled < enabled)
			gev->event->total_time_enabled = enabled;
	}
	times_save(gev);
}

/* no other copy of it shares the task's time; ctx->lock is held */
static bool event_is_sole(const struct perf_event *event)
{
	return event->cpu < 0 || !event->ctx->task;
}

/* can it be in times_may_wait(), as far as it is constant */
static bool times_are_lazy(const struct gpubp_event *gev)
{
	struct perf_event *event = gev->event;

	return !(event->attr.sample_type & PERF_SAMPLE_READ) &&
	       !gev->spec.lost && (event->cpu < 0 || !event->hw.target);
}

/*
 * Does it need intervals: its leader is open if it is no child, else its parent
 * may have been moved to CPU counters.
 */
static bool times_need_intervals(const struct gpubp_event *gev)
{
	const struct gpubp_event *parent =
		gev->event->parent ? gev->event->parent->pmu_private : NULL;

	return on_perf_clock(gev->event) ||
	       (parent && READ_ONCE(parent->times.intervals));
}

/**
 * gpubp_times_init() - initialise the times of a new event, all zero
 * @gev: event being opened
 *
 * Return: 0 or -ENOMEM.
 */
int gpubp_times_init(struct gpubp_event *gev)
{
	gev->times.lazy = times_are_lazy(gev);
	gev->times.off_at = ktime_get_ns();
	if (!times_need_intervals(gev))
		return 0;
	gev->times.intervals = kzalloc(sizeof(*gev->times.intervals),
				       GFP_KERNEL_ACCOUNT);
	return gev->times.intervals ? 0 : -ENOMEM;
}

/*
 * May a correction of an event that perf has scheduled in wait: with the next
 * one, both times add up to the same. Not if the event counts what a correction
 * finds lost.
 */
static bool times_may_wait(const struct gpubp_event *gev)
{
	return gev->times.lazy &&
	       gev->event->pmu_ctx->pmu->task_ctx_nr == perf_sw_context;
}

/* enum event_type_t of perf core, which is not in a header */
#define CTX_FLEXIBLE	1
#define CTX_PINNED	2

/*
 * Is an event scheduled out because its whole context is. Else it is disabled
 * or removed, and its times may not be corrected again. Nor are those of an
 * exiting task's events, which perf schedules out with their context.
 */
static bool leaves_with_ctx(const struct perf_event *event)
{
	int active = event->attr.pinned ? CTX_PINNED : CTX_FLEXIBLE;

	return !(event->ctx->is_active & active) &&
	       !(current->flags & PF_EXITING);
}

static void times_note_on(struct gpubp_event *gev)
{
	WRITE_ONCE(gev->times.on_at, ktime_get_ns());
}

/* what passes until times_start_clock() is not the event's */
static void times_note_off(struct gpubp_event *gev)
{
	WRITE_ONCE(gev->times.off_at, ktime_get_ns());
	WRITE_ONCE(gev->times.on, false);
}

/*
 * What its bindings were accounted while it was disabled is dropped, but not what is
 * unseen: those were made because it is enabled.
 */
static void times_start_clock(struct gpubp_event *gev)
{
	struct gpubp_account dropped = times_take_account(gev);

	gev->times.acc.resident -= dropped.unseen;
	times_save(gev);
	WRITE_ONCE(gev->times.on, true);
}

/* begin an interval; readers of the oldest entry see none, or the new one */
static void times_interval_begin(struct gpubp_intervals *in)
{
	struct gpubp_interval *iv;

	if (!in)
		return;
	iv = &in->last[++in->nr % ARRAY_SIZE(in->last)];
	WRITE_ONCE(iv->to, 0);
	/* make it invalid, then change it; pairs with interval_covers() */
	smp_wmb();
	WRITE_ONCE(iv->from, ktime_get_ns());
	smp_store_release(&iv->to, U64_MAX);	/* likewise */
}

static void times_interval_end(struct gpubp_intervals *in)
{
	struct gpubp_interval *iv;

	if (!in)
		return;
	iv = &in->last[in->nr % ARRAY_SIZE(in->last)];
	if (iv->to == U64_MAX)
		WRITE_ONCE(iv->to, ktime_get_ns());
}

static bool interval_covers(const struct gpubp_interval *iv, u64 when)
{
	/* pairs with times_interval_begin() */
	return when <= smp_load_acquire(&iv->to) && when >= READ_ONCE(iv->from);
}

/**
 * gpubp_times_counts() - did an event count at a recent time
 * @gev: event that is enabled
 * @when: ns of CLOCK_MONOTONIC
 *
 * RCU section, any context. A hit is delivered to a group on CPU counters some
 * time after it happened: the worker that delivers it may have preempted the
 * group's task.
 */
bool gpubp_times_counts(const struct gpubp_event *gev, u64 when)
{
	const struct gpubp_intervals *in;
	unsigned int i;

	if (!on_perf_clock(gev->event))
		return true;
	/* pairs with times_add_intervals() */
	in = smp_load_acquire(&gev->times.intervals);
	if (!in)
		return READ_ONCE(gev->event->state) == PERF_EVENT_STATE_ACTIVE;
	for (i = 0; i < ARRAY_SIZE(in->last); i++)
		if (interval_covers(&in->last[i], when))
			return true;
	return false;
}

/* ---- pauses -------------------------------------------------------------- */

static struct gpubp_interval *pause_last(struct gpubp_pauses *pauses)
{
	return &pauses->last[pauses->nr % GPUBP_PAUSES];
}

/* readers of the oldest one see none, or the new one */
static void pause_begin(struct gpubp_pauses *pauses)
{
	struct gpubp_interval *pause;

	WRITE_ONCE(pauses->nr, pauses->nr + 1);
	pause = pause_last(pauses);
	WRITE_ONCE(pause->to, 0);
	/* make it empty, then change it; pairs with pause_has() */
	smp_wmb();
	WRITE_ONCE(pause->from, pauses->limit_at ?: ktime_get_ns());
	pauses->limit_at = 0;
	smp_store_release(&pause->to, U64_MAX);	/* likewise */
}

static bool pause_lasts(struct gpubp_pauses *pauses)
{
	return pause_last(pauses)->to == U64_MAX;
}

/* @to: when, or its beginning: then nothing is known of it */
static void pause_end(struct gpubp_pauses *pauses, u64 to)
{
	WRITE_ONCE(pause_last(pauses)->to, to);
}

static bool pause_has(const struct gpubp_interval *pause, u64 when)
{
	/* pairs with pause_begin() */
	return when < smp_load_acquire(&pause->to) &&
	       when > READ_ONCE(pause->from);
}

/**
 * gpubp_times_limit() - a hit was the last one of IOC_REFRESH
 * @gev: event, which is or will be disabled for that; interrupts off
 * @when: time of the hit, ns of CLOCK_MONOTONIC
 */
void gpubp_times_limit(struct gpubp_event *gev, u64 when)
{
	struct gpubp_pauses *pauses = &gev->pauses;

	if (pause_lasts(pauses))
		WRITE_ONCE(pause_last(pauses)->from, when);
	else
		pauses->limit_at = when;
}

/**
 * gpubp_times_paused_at() - when an event was disabled last
 * @gev: event
 *
 * Any context. Return: ns of CLOCK_MONOTONIC; 0 if that is not known.
 */
u64 gpubp_times_paused_at(const struct gpubp_event *gev)
{
	const struct gpubp_pauses *pauses = &gev->pauses;

	return READ_ONCE(pauses->last[READ_ONCE(pauses->nr) % GPUBP_PAUSES].from);
}

/**
 * gpubp_times_was_on() - was an event enabled at a recent time
 * @gev: event
 * @when: ns of CLOCK_MONOTONIC
 *
 * RCU section, any context. For hits that are found some time after they happened.
 */
bool gpubp_times_was_on(const struct gpubp_event *gev, u64 when)
{
	bool on = gpubp_perf_enabled(gev->event);
	unsigned int i;

	for (i = 0; i < GPUBP_PAUSES; i++) {
		const struct gpubp_interval *pause = &gev->pauses.last[i];

		/* it may have been enabled without a notification */
		if (pause_has(pause, when) &&
		    !(on && READ_ONCE(pause->to) == U64_MAX))
			return false;
	}
	return on || when <= gpubp_times_paused_at(gev);
}

static noinline void times_begin(struct gpubp_event *gev)
{
	if (on_perf_clock(gev->event))
		times_interval_begin(gev->times.intervals);
	if (gev->times.on)
		times_catch_up(gev,
			       event_is_sole(gev->event) || gev->times.counts_here);
	else
		times_start_clock(gev);
}

/**
 * gpubp_times_add() - update times when perf schedules an event in
 * @gev: event, just set ACTIVE; ctx->lock is held
 */
void gpubp_times_add(struct gpubp_event *gev)
{
	lockdep_assert_held(&gev->event->ctx->lock);
	gev->pauses.limit_at = 0;
	if (!gev->times.on)
		times_note_on(gev);
	if (pause_lasts(&gev->pauses))
		pause_end(&gev->pauses, ktime_get_ns());
	if (!gev->times.on || !times_may_wait(gev) ||
	    gev->event->total_time_enabled != gev->times.enabled)
		times_begin(gev);
}

/**
 * gpubp_times_read() - update times when perf reads an event
 * @gev: event, ACTIVE on this CPU; interrupts off
 *
 * ctx->lock is not held if a sample of the group's leader, or a BPF program,
 * reads the value; nothing else changes the times of an event that is ACTIVE.
 */
void gpubp_times_read(struct gpubp_event *gev)
{
	lockdep_assert_irqs_disabled();
	if (!in_nmi())
		times_correct(gev);
}

/* corrections in switches of a CPU that may wait, in a jiffy */
#define MAX_CORRECTIONS	64

struct times_corrections {
	unsigned long jiffy;
	unsigned int nr;
};

static DEFINE_PER_CPU(struct times_corrections, times_corrections);

/* a correction that may wait is made now; ctx->lock is held */
static bool times_correct_now(const struct gpubp_event *gev)
{
	struct times_corrections *made = this_cpu_ptr(&times_corrections);
	unsigned long now = jiffies;

	if (!time_after(now, gev->times.saved_in))
		return false;
	if (made->jiffy != now)
		*made = (struct times_corrections) { .jiffy = now };
	return made->nr++ < MAX_CORRECTIONS;
}

static noinline void times_end(struct gpubp_event *gev, u64 elapsed)
{
	struct perf_event *event = gev->event;

	times_interval_end(gev->times.intervals);
	if (on_perf_clock(event)) {
		event->total_time_enabled += elapsed;
		event->total_time_running += elapsed;
	}
	times_correct(gev);
	gev->times.counts_here = true;
}

/**
 * gpubp_times_del() - update times when perf schedules an event out
 * @gev: event, still ACTIVE; ctx->lock is held
 *
 * perf would update the times next. Doing it here leaves perf nothing to add,
 * so that lockless readers see no time that is subtracted later.
 */
void gpubp_times_del(struct gpubp_event *gev)
{
	struct perf_event *event = gev->event;
	u64 now = context_time(event), elapsed = now - event->tstamp;

	lockdep_assert_held(&event->ctx->lock);
	event->tstamp = now;
	if (!leaves_with_ctx(event)) {
		pause_begin(&gev->pauses);
		times_note_off(gev);
	}
	if (!times_may_wait(gev) || !leaves_with_ctx(event) ||
	    times_correct_now(gev))
		times_end(gev, elapsed);
}

/**
 * gpubp_times_enabled_since() - since when an event that is enabled is so
 * @gev: event
 * @pid: its task, or NULL
 * @maybe: (out) it may have been so since then, as a PMU is not notified of an event
 *	whose task is off the CPU
 *
 * perf schedules an event in when it is enabled while its task runs, or when the task
 * runs next. So one that was not before its task was seen running was enabled later.
 *
 * Any context. Return: it is known that it was, ns of CLOCK_MONOTONIC.
 */
u64 gpubp_times_enabled_since(const struct gpubp_event *gev, struct pid *pid,
			      u64 *maybe)
{
	u64 since = READ_ONCE(gev->times.on_at), ran_at;

	*maybe = READ_ONCE(gev->times.off_at);
	/* that was before the last time that it was disabled */
	if (since < *maybe || !READ_ONCE(gev->times.on))
		since = ktime_get_ns();
	if (!pid || gev->event->cpu >= 0)
		return since;
	ran_at = gpubp_owner_ran_at(pid);
	if (ran_at < since)
		*maybe = max(*maybe, ran_at);
	return since;
}

/**
 * gpubp_times_pauses() - is an event being disabled or removed
 * @event: event that perf schedules out; ctx->lock is held
 *
 * Return: false if its task only leaves the CPU.
 */
bool gpubp_times_pauses(const struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	return !leaves_with_ctx(event);
}

static void times_tick_off_cpu(struct gpubp_event *gev)
{
	struct perf_event *event = gev->event;
	struct perf_event_context *ctx = event->ctx;

	/* without a notification: since when is not known */
	if (pause_lasts(&gev->pauses))
		pause_end(&gev->pauses, gpubp_times_paused_at(gev));
	gev->times.counts_here = event_is_sole(event) ||
		(!ctx->is_active && event->cpu == task_cpu(ctx->task));
	if (!gev->times.on) {
		times_note_on(gev);
		times_start_clock(gev);
	}
	times_catch_up(gev, gev->times.counts_here);
}

/*
 * A counter joined its group after it was opened, which no callback reports.
 * Until then, or while there is no memory, it counts if it is ACTIVE.
 */
static struct gpubp_intervals *times_alloc_intervals(struct gpubp_event *gev)
{
	if (gev->times.intervals || !on_perf_clock(gev->event))
		return NULL;
	return kzalloc(sizeof(*gev->times.intervals), GPUBP_GFP_LOCKED);
}

static void times_add_intervals(struct gpubp_event *gev,
				struct gpubp_intervals *in)
{
	if (gev->event->state == PERF_EVENT_STATE_ACTIVE)
		times_interval_begin(in);
	/* the interval, then the pointer; pairs with gpubp_times_counts() */
	smp_store_release(&gev->times.intervals, in);
}

static void times_tick_locked(struct gpubp_event *gev,
			      struct gpubp_intervals *in)
{
	struct perf_event *event = gev->event;

	if (in)
		times_add_intervals(gev, in);
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		gpubp_perf_count_rest(event);
	if (!gpubp_perf_enabled(event))
		times_note_off(gev);
	else if (event->state == PERF_EVENT_STATE_INACTIVE &&
		 gpubp_target_key(gev))
		times_tick_off_cpu(gev);
}

/**
 * gpubp_times_tick() - periodic update of events that are not on a CPU
 * @gev: event
 *
 * RCU section, so that ctx stays valid. A context whose lock is contended is
 * updated by a later tick.
 */
void gpubp_times_tick(struct gpubp_event *gev)
{
	struct perf_event_context *ctx = READ_ONCE(gev->event->ctx);
	struct gpubp_intervals *in;
	unsigned long flags;

	if (!ctx)
		return;
	in = times_alloc_intervals(gev);
	if (!in && READ_ONCE(gev->event->state) == PERF_EVENT_STATE_ACTIVE)
		return;		/* nothing to update */
	local_irq_save(flags);
	if (raw_spin_trylock(&ctx->lock)) {
		/* while it is held the task does not go away, either */
		if (gev->event->ctx == ctx) {
			times_tick_locked(gev, in);
			in = NULL;
		}
		raw_spin_unlock(&ctx->lock);
	}
	local_irq_restore(flags);
	kfree(in);
}
