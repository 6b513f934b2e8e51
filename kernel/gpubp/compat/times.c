// SPDX-License-Identifier: GPL-2.0
/*
 * Times: what perf shows of an event as time enabled and time running.
 *
 * perf counts time enabled while the task is on a CPU, and tools multiply the
 * count by enabled / running. The GPU goes on when the task sleeps, and counts
 * only while a context is resident. So an event's clock is that of its
 * contexts: time enabled is the time that they were resident while the event
 * was enabled, as a CPU event's is the time that its task was on a CPU; time
 * running is the time armed. Both only ever have something added to them, so
 * the rule holds between any two reads, and for sums: of children, of which
 * most own no queue, and of an application's start, when nothing is resident.
 *
 * perf core adds its own idea of both while an event is ACTIVE, and tells us
 * in ->read and ->del, before anybody can see it: readers hold the context's
 * mutex and wait for the interrupt that calls ->read. While the task is off
 * the CPU nothing tells of a read: a worker brings the times up to date.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "perf.h"
#include "target.h"
#include "times.h"

/*
 * A member of a group on a CPU's counters counts while the group is on them,
 * and is read with the leader's times: it keeps perf's clock.
 */
static bool on_perf_clock(const struct perf_event *event)
{
	return gpubp_perf_on_cpu_counters(event);
}

/*
 * perf_event_time(), which is not exported. The time of a context, or of a
 * cgroup on a CPU, is a u64, or the first of two structs whose first member is:
 * all time, and a guest's of it.
 */
#define TIME_OF(clock, event) \
	read_time((const u64 *)&(clock)->time, sizeof((clock)->time), event)

static u64 read_time(const u64 *time, size_t size,
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

/* what passed since the last time */
static struct gpubp_account take_account(struct gpubp_event *gev)
{
	struct gpubp_account old = gev->times.acc, *acc = &gev->times.acc;

	gpubp_event_time_read(gev, acc);
	return (struct gpubp_account) {
		.resident = acc->resident - old.resident,
		.armed = acc->armed - old.armed,
		.lost = acc->lost - old.lost,
	};
}

/* as samples that found no room: hits that may have been its own */
static struct gpubp_account take_passed(struct gpubp_event *gev)
{
	struct gpubp_account passed = take_account(gev);

	if (passed.lost)
		gpubp_perf_lost_own(gev, passed.lost);
	return passed;
}

static void leave_times(struct gpubp_event *gev)
{
	gev->times.enabled = gev->event->total_time_enabled;
	gev->times.running = gev->event->total_time_running;
}

/*
 * The context's clock instead of what perf added. Where it stands still, one
 * nanosecond of both: tools take a time of 0 for an event that never counted. That
 * is what it is for one that no context was there for, ever.
 */
static void use_own_clock(struct gpubp_event *gev,
			  const struct gpubp_account *passed)
{
	const struct gpubp_times *t = &gev->times;
	u64 still = READ_ONCE(gev->event_time.bound) && !passed->resident;

	gev->event->total_time_enabled = t->enabled + passed->resident + still;
	gev->event->total_time_running = t->running + passed->armed + still;
}

/* of the time that perf counted, the share that it was armed */
static void scale_perf_clock(struct gpubp_event *gev,
			     const struct gpubp_account *passed)
{
	struct perf_event *event = gev->event;
	u64 run = event->total_time_running - gev->times.running;

	if (passed->resident)
		event->total_time_running = gev->times.running +
			mul_u64_u64_div_u64(run, passed->armed,
					    passed->resident);
}

/* the event is ACTIVE, on this CPU */
static void correct(struct gpubp_event *gev)
{
	bool perf_clock = on_perf_clock(gev->event);
	struct gpubp_account passed;

	/* for a sample, perf reads group members without adding their time */
	if (perf_clock &&
	    gev->event->total_time_running == gev->times.running)
		return;
	passed = take_passed(gev);
	if (perf_clock)
		scale_perf_clock(gev, &passed);
	else
		use_own_clock(gev, &passed);
	leave_times(gev);
}

/*
 * The event was not ACTIVE. A copy for a CPU where the task is not has no time
 * running; its time enabled is perf's where that is more, to never go back.
 */
static void catch_up(struct gpubp_event *gev, bool home)
{
	struct gpubp_account passed = take_passed(gev);
	u64 enabled = gev->event->total_time_enabled;

	if (!on_perf_clock(gev->event)) {
		if (!home)
			passed.armed = 0;
		use_own_clock(gev, &passed);
		if (gev->event->total_time_enabled < enabled)
			gev->event->total_time_enabled = enabled;
	}
	leave_times(gev);
}

/* no copy of it has a part of the same task's time; ctx->lock is held */
static bool is_sole(const struct perf_event *event)
{
	return event->cpu < 0 || !event->ctx->task;
}

static void start_clock(struct gpubp_event *gev)
{
	take_account(gev);
	leave_times(gev);
	gev->times.on = true;
}

/* who looks at the oldest one meanwhile sees none, or the new one */
static void note_on(struct gpubp_times *t)
{
	struct gpubp_on *on = &t->last[++t->nr % ARRAY_SIZE(t->last)];

	WRITE_ONCE(on->to, 0);
	smp_wmb();	/* it is none, then another; pairs with was_on() */
	WRITE_ONCE(on->from, ktime_get_ns());
	smp_store_release(&on->to, U64_MAX);	/* likewise */
}

static void note_off(struct gpubp_times *t)
{
	struct gpubp_on *on = &t->last[t->nr % ARRAY_SIZE(t->last)];

	if (on->to == U64_MAX)
		WRITE_ONCE(on->to, ktime_get_ns());
}

static bool was_on(const struct gpubp_on *on, u64 when)
{
	/* pairs with note_on() */
	return when <= smp_load_acquire(&on->to) && when >= READ_ONCE(on->from);
}

/**
 * gpubp_times_counts() - did an event count at a time not long ago
 * @gev: event that is enabled
 * @when: ns of CLOCK_MONOTONIC
 *
 * RCU section, any context. What a group on a CPU's counters is told of, it is
 * told some time after the hit: the one who tells may have taken the CPU from
 * it.
 */
bool gpubp_times_counts(const struct gpubp_event *gev, u64 when)
{
	const struct gpubp_times *t = &gev->times;
	unsigned int i;

	if (!on_perf_clock(gev->event))
		return true;
	for (i = 0; i < ARRAY_SIZE(t->last); i++)
		if (was_on(&t->last[i], when))
			return true;
	return false;
}

/**
 * gpubp_times_add() - perf schedules an event in; ctx->lock is held
 * @gev: event, ACTIVE since a moment ago
 */
void gpubp_times_add(struct gpubp_event *gev)
{
	lockdep_assert_held(&gev->event->ctx->lock);
	if (on_perf_clock(gev->event))
		note_on(&gev->times);
	if (gev->times.on)
		catch_up(gev, is_sole(gev->event) || gev->times.home);
	else
		start_clock(gev);
}

/**
 * gpubp_times_read() - perf reads an event; interrupts off
 * @gev: event, ACTIVE on this CPU
 *
 * ctx->lock is not held when a sample of the group's leader, or a BPF program,
 * wants the value; nobody else touches the times of an event that is ACTIVE.
 */
void gpubp_times_read(struct gpubp_event *gev)
{
	lockdep_assert_irqs_disabled();
	if (!in_nmi())
		correct(gev);
}

/**
 * gpubp_times_del() - perf schedules an event out; ctx->lock is held
 * @gev: event, still ACTIVE
 *
 * perf would update its times next. We do, so that it finds nothing to add,
 * and whoever reads without a lock sees no time that is taken back.
 */
void gpubp_times_del(struct gpubp_event *gev)
{
	struct perf_event *event = gev->event;
	u64 now = context_time(event), elapsed = now - event->tstamp;

	lockdep_assert_held(&event->ctx->lock);
	event->tstamp = now;
	note_off(&gev->times);
	if (on_perf_clock(event)) {
		event->total_time_enabled += elapsed;
		event->total_time_running += elapsed;
	}
	correct(gev);
	gev->times.home = true;
}

static void tick_off_cpu(struct gpubp_event *gev)
{
	struct perf_event *event = gev->event;
	struct perf_event_context *ctx = event->ctx;

	gev->times.home = is_sole(event) ||
		(!ctx->is_active && event->cpu == task_cpu(ctx->task));
	if (!gev->times.on)
		start_clock(gev);
	catch_up(gev, gev->times.home);
}

static void tick_locked(struct gpubp_event *gev)
{
	struct perf_event *event = gev->event;

	if (event->state != PERF_EVENT_STATE_ACTIVE)
		gpubp_perf_count_rest(event);
	if (!gpubp_perf_enabled(event))
		gev->times.on = false;
	else if (event->state == PERF_EVENT_STATE_INACTIVE &&
		 gpubp_target_key(gev))
		tick_off_cpu(gev);
}

/**
 * gpubp_times_tick() - now and then, for events that are not on a CPU
 * @gev: event
 *
 * RCU section, so that ctx stays. A context whose lock is taken has its turn
 * the next time.
 */
void gpubp_times_tick(struct gpubp_event *gev)
{
	struct perf_event_context *ctx = READ_ONCE(gev->event->ctx);
	unsigned long flags;

	if (!ctx)
		return;
	local_irq_save(flags);
	if (raw_spin_trylock(&ctx->lock)) {
		/* as long as it is held the task is not gone, either */
		if (gev->event->ctx == ctx)
			tick_locked(gev);
		raw_spin_unlock(&ctx->lock);
	}
	local_irq_restore(flags);
}
