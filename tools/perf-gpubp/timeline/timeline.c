// SPDX-License-Identifier: GPL-2.0
/*
 * From events to bars and hits.
 */
#include <stdlib.h>
#include <string.h>
#include <linux/gpubp.h>
#include "timeline.h"

#define NOT_FOUND	((size_t)-1)

/* grow ARRAY, which has NR entries, by one; 0 or -1 */
static int array_grow(void **array, size_t nr, size_t size)
{
	void *bigger;

	if (nr & (nr - 1))
		return 0;	/* it grows at powers of two */
	bigger = realloc(*array, (nr ? 2 * nr : 1) * size);
	if (!bigger)
		return -1;
	*array = bigger;
	return 0;
}

static struct timeline_span *span_get(struct timeline *tl, uint8_t device,
				      uint32_t context, uint64_t time)
{
	size_t i = timeline_index_get(&tl->span_index, device, context);

	if (i != NOT_FOUND)
		return &tl->spans[i];
	if (array_grow((void **)&tl->spans, tl->nr_spans, sizeof(*tl->spans)) ||
	    timeline_index_set(&tl->span_index, device, context, tl->nr_spans))
		return NULL;
	tl->spans[tl->nr_spans] = (struct timeline_span){
		.device = device, .context = context, .from = time, .to = time,
	};
	return &tl->spans[tl->nr_spans++];
}

static uint64_t context_key(const struct timeline_event *event)
{
	return (uint64_t)event->device << 32 | event->context;
}

static size_t watch_find(const struct timeline *tl,
			 const struct timeline_event *event)
{
	return timeline_index_get(&tl->watch_index, context_key(event), event->watch);
}

struct watch_search {
	const struct timeline *tl;
	uint64_t addr;
	size_t found;
};

/* better one that is armed; else the newest one */
static void watch_consider(size_t watch, void *data)
{
	struct watch_search *search = data;
	const struct timeline_watch *w = &search->tl->watches[watch];
	bool is_armed = search->found != NOT_FOUND &&
			search->tl->watches[search->found].slots;

	if (search->addr < w->start || search->addr > w->last)
		return;
	if (search->found == NOT_FOUND || (w->slots && !is_armed) ||
	    (w->slots ? watch < search->found : !is_armed && watch > search->found))
		search->found = watch;
}

/*
 * The hit of a member of a watch set has the id of the member, that of a break no
 * watch: then it is that of the watch that has its bytes.
 */
static size_t watch_find_hit(struct timeline *tl,
			     const struct timeline_event *event)
{
	struct watch_search search = {
		.tl = tl, .addr = event->start, .found = watch_find(tl, event),
	};

	if (search.found == NOT_FOUND)
		timeline_ranges_each(&tl->ranges, context_key(event), event->start,
				     watch_consider, &search);
	return search.found;
}

static size_t watch_get(struct timeline *tl, const struct timeline_event *event,
			const struct timeline_span *span)
{
	size_t i = watch_find(tl, event);

	if (i != NOT_FOUND)
		return i;
	if (array_grow((void **)&tl->watches, tl->nr_watches,
		       sizeof(*tl->watches)) ||
	    timeline_index_set(&tl->watch_index, context_key(event), event->watch,
			       tl->nr_watches) ||
	    timeline_ranges_add(&tl->ranges, context_key(event), event->start,
				event->last, tl->nr_watches))
		return NOT_FOUND;
	tl->watches[tl->nr_watches] = (struct timeline_watch){
		.device = event->device, .context = event->context,
		.id = event->watch, .start = event->start, .last = event->last,
		.unarmed = span->from, .span = (size_t)(span - tl->spans),
	};
	return tl->nr_watches++;
}

/* the time without a comparator ends */
static void gap_end(struct timeline_watch *w, uint64_t time)
{
	if (time - w->unarmed > w->longest_gap)
		w->longest_gap = time - w->unarmed;
}

static int bar_end(struct timeline *tl, size_t watch, uint64_t time)
{
	struct timeline_watch *w = &tl->watches[watch];

	if (!w->slots)
		return 0;
	if (array_grow((void **)&tl->bars, tl->nr_bars, sizeof(*tl->bars)))
		return -1;
	tl->bars[tl->nr_bars++] = (struct timeline_bar){
		.watch = watch, .slots = w->slots, .from = w->since, .to = time,
	};
	w->nr_bars++;
	w->armed_ns += time - w->since;
	w->slots = 0;
	w->unarmed = time;
	return 0;
}

static int mark_add(struct timeline *tl, size_t watch,
		    const struct timeline_event *event, bool stall)
{
	struct timeline_watch *w = &tl->watches[watch];

	if (array_grow((void **)&tl->marks, tl->nr_marks, sizeof(*tl->marks)))
		return -1;
	tl->marks[tl->nr_marks++] = (struct timeline_mark){
		.watch = watch, .time = event->time, .slots = w->slots,
		.stall = stall, .level = event->level,
		.possible = !event->exact, .access = event->access,
		.addr = event->start, .pc = event->pc,
	};
	if (stall)
		w->nr_stalls++;
	else
		w->nr_hits++;
	return 0;
}

static int early_add(struct timeline *tl, const struct timeline_event *event)
{
	if (array_grow((void **)&tl->early, tl->nr_early, sizeof(*tl->early)))
		return -1;
	tl->early[tl->nr_early++] = *event;
	return 0;
}

/* the hits that came before the first word of their watches */
static int early_take(struct timeline *tl)
{
	size_t i, watch;

	for (i = 0; i < tl->nr_early; i++) {
		watch = watch_find_hit(tl, &tl->early[i]);
		if (watch == NOT_FOUND)
			continue;
		if (mark_add(tl, watch, &tl->early[i], false))
			return -1;
		tl->marks[tl->nr_marks - 1].slots = tl->watches[watch].first_slots;
	}
	return 0;
}

static void slots_set(struct timeline_watch *w, uint32_t slots, uint64_t time)
{
	w->slots = slots;
	w->since = time;
	if (!w->first_slots)
		w->first_slots = slots;
}

static int watch_arm(struct timeline *tl, size_t watch,
		     const struct timeline_event *event)
{
	struct timeline_watch *w = &tl->watches[watch];

	/* it got other comparators */
	if (bar_end(tl, watch, event->time))
		return -1;
	gap_end(w, event->time);
	slots_set(w, event->slots, event->time);
	return 0;
}

static int watch_disarm(struct timeline *tl, size_t watch,
			const struct timeline_event *event)
{
	struct timeline_watch *w = &tl->watches[watch];

	/* it was armed before the first event */
	if (!w->slots && !w->nr_bars)
		slots_set(w, event->slots, tl->begin);
	return bar_end(tl, watch, event->time);
}

static int add_slots(struct timeline *tl, const struct timeline_event *event)
{
	struct timeline_span *span = span_get(tl, event->device, event->context,
					      event->time);
	size_t watch;

	if (!span)
		return -1;
	span->to = event->time;
	watch = watch_get(tl, event, span);
	if (watch == NOT_FOUND)
		return -1;
	if (!strcmp(event->name, "gpubp_arm"))
		return watch_arm(tl, watch, event);
	if (!strcmp(event->name, "gpubp_disarm"))
		return watch_disarm(tl, watch, event);
	return mark_add(tl, watch, event, true);
}

static int add_hit(struct timeline *tl, const struct timeline_event *event)
{
	size_t watch = watch_find_hit(tl, event);

	if (timeline_dispatch_add(tl, event))
		return -1;
	if (watch == NOT_FOUND)
		return early_add(tl, event);
	return mark_add(tl, watch, event, false);
}

int timeline_add(struct timeline *tl, const struct timeline_event *event)
{
	if (!tl->begin)
		tl->begin = event->time;
	tl->end = event->time;
	if (!strcmp(event->name, "gpubp_rotate")) {
		tl->nr_commits++;
		return 0;
	}
	if (!strcmp(event->name, "gpubp_hit"))
		return add_hit(tl, event);
	/* breaks have no comparators */
	if (!event->slots && strcmp(event->name, "gpubp_stall"))
		return 0;
	return add_slots(tl, event);
}

/* ---- the end -------------------------------------------------------------- */

static int watch_compare(const void *a, const void *b)
{
	const struct timeline_watch *v = a, *w = b;

	if (v->device != w->device)
		return v->device < w->device ? -1 : 1;
	if (v->context != w->context)
		return v->context < w->context ? -1 : 1;
	if (v->start != w->start)
		return v->start < w->start ? -1 : 1;
	return v->id < w->id ? -1 : v->id > w->id;
}

/* @place: out: where each watch is after sorting, by where it is now */
static void watches_sort(struct timeline *tl, size_t *place)
{
	size_t i;

	/* where it was is kept in a field that is no longer used */
	for (i = 0; i < tl->nr_watches; i++)
		tl->watches[i].since = i;
	if (tl->nr_watches)
		qsort(tl->watches, tl->nr_watches, sizeof(*tl->watches),
		      watch_compare);
	for (i = 0; i < tl->nr_watches; i++)
		place[tl->watches[i].since] = i;
}

static void watch_label(struct timeline_watch *w)
{
	if (!w->label[0])
		snprintf(w->label, sizeof(w->label), "0x%llx/%llu",
			 (unsigned long long)w->start,
			 (unsigned long long)(w->last - w->start + 1));
}

int timeline_finish(struct timeline *tl)
{
	size_t i, *place = calloc(tl->nr_watches + 1, sizeof(*place));
	struct timeline_watch *w;
	int err = place ? early_take(tl) : -1;

	for (i = 0; !err && i < tl->nr_watches; i++) {
		w = &tl->watches[i];
		if (w->slots) {
			tl->spans[w->span].to = tl->end;
			err = bar_end(tl, i, tl->end);
		} else {
			gap_end(w, timeline_span_of(tl, w)->to);
		}
		watch_label(w);
	}
	if (!err)
		watches_sort(tl, place);
	for (i = 0; !err && i < tl->nr_bars; i++)
		tl->bars[i].watch = place[tl->bars[i].watch];
	for (i = 0; !err && i < tl->nr_marks; i++)
		tl->marks[i].watch = place[tl->marks[i].watch];
	free(place);
	return err || timeline_tracks(tl) || timeline_dispatch_tracks(tl) ? -1 : 0;
}

void timeline_free(struct timeline *tl)
{
	free(tl->watches);
	free(tl->bars);
	free(tl->marks);
	free(tl->spans);
	free(tl->early);
	free(tl->dispatches);
	free(tl->tracks);
	timeline_index_free(&tl->dispatch_index);
	timeline_index_free(&tl->span_index);
	timeline_index_free(&tl->watch_index);
	timeline_ranges_free(&tl->ranges);
	*tl = (struct timeline){};
}

/* ---- questions ------------------------------------------------------------ */

const struct timeline_span *timeline_span_of(const struct timeline *tl,
					     const struct timeline_watch *watch)
{
	return &tl->spans[watch->span];
}

double timeline_share(const struct timeline *tl,
		      const struct timeline_watch *watch)
{
	const struct timeline_span *span = timeline_span_of(tl, watch);
	uint64_t ns = span->to - span->from;

	return ns ? (double)watch->armed_ns / (double)ns : 0;
}

unsigned int timeline_nr_slots(const struct timeline *tl, uint8_t device)
{
	uint32_t used = 0;
	size_t i;

	for (i = 0; i < tl->nr_bars; i++)
		if (tl->watches[tl->bars[i].watch].device == device)
			used |= tl->bars[i].slots;
	return used ? 32 - (unsigned int)__builtin_clz(used) : 0;
}
