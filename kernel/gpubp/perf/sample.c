// SPDX-License-Identifier: GPL-2.0
/*
 * Sample: write a match as a sample of an event.
 *
 * The check whether an event wants a match, and the statistics of delivered
 * matches, are shared with counting events.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math.h>
#include <linux/moduleparam.h>

#include "../compat/perf.h"
#include "../compat/times.h"
#include "../core/core.h"
#include "../event/event.h"
#include "../trap/trap.h"
#include "sample.h"

/* flags of what reveals the content of memory */
#define VALUES	(GPUBP_HIT_OLD_VALUE | GPUBP_HIT_NEW_VALUE | GPUBP_HIT_DATA | \
		 GPUBP_HIT_BEFORE | GPUBP_HIT_SEEN | GPUBP_HIT_NOW)

static unsigned int max_sample_rate = 100000;
module_param(max_sample_rate, uint, 0644);
MODULE_PARM_DESC(max_sample_rate, "maximum samples per second of one event");

/* the other fields of the record are those of watches hit at the same stop */
static void sample_fill_trap(struct gpubp_hit_record *rec,
			     const struct gpubp_hit_match *m)
{
	rec->pc = m->pc;
	rec->flags &= ~GPUBP_HIT_PC_EXACT;
	rec->flags |= m->flags;
	rec->addr_state = m->addr_state;
	rec->access = m->access;
	rec->width = m->width;
	if (m->kind == GPUBP_KIND_BREAK)
		rec->trap_id = 0;
}

/**
 * gpubp_sample_fill() - fill a sample from a match
 * @sample: (out) sample
 * @cell: the hit
 * @m: the match
 */
void gpubp_sample_fill(struct gpubp_sample *sample,
		       const struct gpubp_hit_cell *cell,
		       const struct gpubp_hit_match *m)
{
	struct gpubp_hit_record *rec = &sample->record;

	sample->sampled = false;
	sample->weight = m->weight;
	sample->credited = m->credited;
	*rec = cell->record;
	rec->watch = m->member ?: m->watch;
	rec->addr = m->addr;
	rec->lanes = m->lanes;
	rec->flags |= m->flags;
	rec->old_value = m->old_value;
	rec->new_value = m->new_value;
	rec->value_len = min_t(u8, m->read.len, sizeof(rec->new_value));
	rec->hit_addr = m->hit_addr;
	rec->hit_len = m->hit_len;
	rec->data = m->data;
	rec->before = m->before;
	rec->seen = m->seen;
	rec->now = m->now;
	rec->kind = m->kind;
	if (m->kind != GPUBP_KIND_EXCEPTION)
		rec->exceptions = 0;
	if (gpubp_kind_is_trap(m->kind))
		sample_fill_trap(rec, m);
}

static bool sample_over_rate(struct gpubp_event *gev)
{
	unsigned long tick = jiffies;
	unsigned int max = DIV_ROUND_UP_ULL(READ_ONCE(max_sample_rate), HZ);

	if (gev->tick != tick) {
		gev->tick = tick;
		gev->in_tick = 0;
	}
	return ++gev->in_tick > max;
}

/* true if the event is throttled: then the sample is counted as lost */
static bool sample_is_throttled(struct gpubp_event *gev, u64 weight)
{
	if (!gpubp_perf_stopped(gev->event) && !sample_over_rate(gev))
		return false;
	atomic64_add(weight, &gev->throttled);
	gpubp_perf_lost(gev->event, 1);
	return true;
}

static void cell_mark_delivered(struct gpubp_hit_cell *cell,
				const struct gpubp_hit_match *m)
{
	if (m->flags & GPUBP_HIT_POSSIBLE)
		WRITE_ONCE(cell->first->possible, true);
	else
		WRITE_ONCE(cell->first->delivered, true);
}

static void event_count_match(struct gpubp_event *gev,
			      const struct gpubp_hit_cell *cell,
			      const struct gpubp_hit_match *m)
{
	atomic64_add(m->weight, &gev->matched);
	atomic64_add(m->weight - 1, &gev->metered);
	if (cell->first->place)
		atomic64_inc(&gev->recorded);
	if (m->flags & GPUBP_HIT_POSSIBLE)
		atomic64_add(m->weight, &gev->possible);
}

/**
 * gpubp_match_delivered() - account a match that an event counted or sampled
 * @gev: event
 * @cell: the hit
 * @m: the match
 */
void gpubp_match_delivered(struct gpubp_event *gev, struct gpubp_hit_cell *cell,
			   const struct gpubp_hit_match *m)
{
	event_count_match(gev, cell, m);
	cell_mark_delivered(cell, m);
}

static bool match_is_precise_enough(const struct gpubp_spec *spec,
				    const struct gpubp_hit_cell *cell,
				    const struct gpubp_hit_match *m)
{
	bool addr = cell->record.addr_state == GPUBP_ADDR_EXACT;
	bool pc = cell->record.flags & GPUBP_HIT_PC_EXACT;

	if (gpubp_kind_is_trap(m->kind))
		return !spec->precise_ip || (m->flags & GPUBP_HIT_PC_EXACT);
	switch (spec->precise_ip) {
	case 0:
		return true;
	case 1:
		return pc || addr;
	default:
		/* exact, and known to meet the condition */
		return pc && addr && !(m->flags & GPUBP_HIT_POSSIBLE);
	}
}

/**
 * gpubp_event_would_want() - does an event want a match, if it met the condition
 *	and the bytes changed
 * @gev: event
 * @cell: the hit
 * @m: the match, of a watch or set member of the event
 *
 * RCU section.
 */
bool gpubp_event_would_want(const struct gpubp_event *gev,
			    const struct gpubp_hit_cell *cell,
			    const struct gpubp_hit_match *m)
{
	if (gev->event->attr.exclude_user)
		return false;	/* waves run in user mode */
	if (gev->spec.lost ||
	    (gev->spec.possible && !(m->flags & GPUBP_HIT_POSSIBLE)))
		return false;
	if (m->filter_serial != gev->filter_serial)
		return false;
	if (!gpubp_times_counts(gev, cell->hit.gpu_time))
		return false;
	return match_is_precise_enough(&gev->spec, cell, m);
}

static bool event_wants(const struct gpubp_event *gev,
			const struct gpubp_hit_cell *cell,
			const struct gpubp_hit_match *m)
{
	if (m->filtered || (READ_ONCE(gev->spec.changed) && m->unchanged))
		return false;
	return gpubp_event_would_want(gev, cell, m);
}

/**
 * gpubp_binding_has() - was a binding there when a hit was recorded?
 * @b: binding
 * @first: first cell of the hit
 *
 * A hit that stops its wave is delivered at once, to those who are there. Any context.
 */
bool gpubp_binding_has(const struct gpubp_binding *b,
		       const struct gpubp_hit_cell *first)
{
	u64 time = first->hit.gpu_time, until = READ_ONCE(b->until);

	if (!first->place)
		return !until;
	return time >= b->since && (!until || time <= until);
}

/**
 * gpubp_event_was_on() - was an event enabled when a hit happened?
 * @gev: event
 * @first: first cell of the hit
 *
 * Of one that stopped its wave: when it is delivered. RCU section, any context.
 */
bool gpubp_event_was_on(const struct gpubp_event *gev,
			const struct gpubp_hit_cell *first)
{
	return first->place ? gpubp_times_was_on(gev, first->hit.gpu_time) :
			      gpubp_perf_enabled(gev->event);
}

static bool match_is_of_set(struct gpubp_event *gev,
			    const struct gpubp_hit_cell *first,
			    const struct gpubp_hit_match *m)
{
	return m->member && m->set == READ_ONCE(gev->spec.code) &&
	       !(first->place &&
		 first->hit.gpu_time < READ_ONCE(gev->set_since));
}

/* of one that was unbound since, only hits before */
static bool match_is_of_watch(struct gpubp_event *gev,
			      const struct gpubp_hit_cell *first,
			      const struct gpubp_hit_match *m)
{
	void *bound = m->member ? NULL : xa_load(&gev->bound, m->watch);

	if (xa_is_value(bound))
		return first->number <= xa_to_value(bound);
	return bound && gpubp_binding_has(bound, first);
}

/* first match of a hit that belongs to the event and is wanted, or NULL */
static const struct gpubp_hit_match *
event_find_match(struct gpubp_event *gev, const struct gpubp_hit_cell *first,
		 bool (*belongs)(struct gpubp_event *gev,
				 const struct gpubp_hit_cell *first,
				 const struct gpubp_hit_match *m))
{
	const struct gpubp_hit_cell *cell;
	unsigned int i;

	for (cell = first; cell; cell = cell->next)
		for (i = 0; i < cell->nr_matches; i++)
			if (belongs(gev, first, &cell->matches[i]) &&
			    event_wants(gev, first, &cell->matches[i]))
				return &cell->matches[i];
	return NULL;
}

/**
 * gpubp_event_match() - find the match of a hit that an event wants
 * @gev: event
 * @cell: first cell of the hit
 *
 * RCU section. Return: the first match that the event wants, or NULL.
 */
const struct gpubp_hit_match *
gpubp_event_match(struct gpubp_event *gev,
		  const struct gpubp_hit_cell *cell)
{
	if (!READ_ONCE(gev->hits))
		return NULL;	/* never bound */
	if (gev->spec.kind != GPUBP_KIND_WATCH_SET)
		return event_find_match(gev, cell, match_is_of_watch);
	if (!gpubp_in_scope(&gev->spec, cell->dev))
		return NULL;
	return event_find_match(gev, cell, match_is_of_set);
}

/* only openers that may read the memory get values: see gpubp_event.blind */
static void sample_hide_values(struct gpubp_hit_record *rec)
{
	rec->flags &= ~VALUES;
	rec->old_value = 0;
	rec->new_value = 0;
	rec->value_len = 0;
	rec->data = 0;
	rec->before = 0;
	rec->seen = 0;
	rec->now = 0;
}

static bool event_is_active(const struct gpubp_event *gev)
{
	return gev->event->state == PERF_EVENT_STATE_ACTIVE;
}

static int sample_emit(struct gpubp_event *gev, struct gpubp_hit_cell *cell,
		       const struct gpubp_hit_match *m,
		       const struct gpubp_sample_ids *ids)
{
	struct gpubp_sample sample = { .ids = ids };
	int err;

	if (!sample_is_throttled(gev, m->weight)) {
		gpubp_sample_fill(&sample, cell, m);
		if (gev->blind)
			sample_hide_values(&sample.record);
		err = event_is_active(gev) ?
			      gpubp_perf_output(gev, &sample) :
			      gpubp_perf_output_late(gev, &sample);
		if (err)
			return err;
		trace_gpubp_deliver(gev->event->id, sample.record.watch,
				    ktime_get_ns() - cell->hit.gpu_time);
	}
	gpubp_match_delivered(gev, cell, m);
	return 0;
}

static u64 *event_last_sample(struct gpubp_event *gev,
			      const struct gpubp_hit_cell *cell)
{
	return &gev->hits->sample[cell->dev->number % GPUBP_LAST_HITS];
}

/**
 * gpubp_sample_is_written() - has an event its sample of a hit
 * @gev: event of current or of this CPU, active here or disabled since the hit
 * @cell: first cell of the hit
 */
bool gpubp_sample_is_written(struct gpubp_event *gev,
			     const struct gpubp_hit_cell *cell)
{
	return READ_ONCE(gev->hits) &&
	       *event_last_sample(gev, cell) == cell->number;
}

/**
 * gpubp_sample_output() - write a sample, or drop it if the event is throttled
 * @gev: event of current or of this CPU, active here or disabled since the hit
 * @cell: the hit
 * @m: the match
 * @ids: owner of the hit; NULL for current
 *
 * RCU section, interrupts off. If a ticket is continued because other events
 * could not take their samples, gpubp_sample_is_written() says which have it.
 * Return: 0, or an error of perf: try again later.
 */
int gpubp_sample_output(struct gpubp_event *gev, struct gpubp_hit_cell *cell,
			const struct gpubp_hit_match *m,
			const struct gpubp_sample_ids *ids)
{
	int err = sample_emit(gev, cell, m, ids);

	if (!err)
		*event_last_sample(gev, cell) = cell->number;
	return err;
}
