// SPDX-License-Identifier: GPL-2.0
/*
 * The order in which bars and marks are drawn. Watches can share a comparator: each
 * comparator has as many lanes as watches at once, and no two bars of a lane overlap.
 */
#include <stdlib.h>
#include <string.h>
#include "timeline.h"

#define NR_DEVICES	(UINT8_MAX + 1)

/* when the last bar of each lane of each comparator ends */
struct lanes {
	uint64_t (*busy)[TIMELINE_SLOTS];
	unsigned int nr;
};

static int bar_compare(const void *a, const void *b)
{
	const struct timeline_bar *p = a, *q = b;

	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	if (p->to != q->to)
		return p->to < q->to ? -1 : 1;
	return p->watch < q->watch ? -1 : p->watch > q->watch;
}

static int mark_compare(const void *a, const void *b)
{
	const struct timeline_mark *p = a, *q = b;

	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	return p->watch < q->watch ? -1 : p->watch > q->watch;
}

static bool lane_is_free(const struct lanes *lanes, unsigned int lane,
			 const struct timeline_bar *bar)
{
	uint32_t slots;

	for (slots = bar->slots; slots; slots &= slots - 1)
		if (lanes->busy[lane][__builtin_ctz(slots)] > bar->from)
			return false;
	return true;
}

static int lane_add(struct lanes *lanes)
{
	void *bigger = realloc(lanes->busy,
			       (lanes->nr + 1) * sizeof(*lanes->busy));

	if (!bigger)
		return -1;
	lanes->busy = bigger;
	memset(lanes->busy[lanes->nr++], 0, sizeof(*lanes->busy));
	return 0;
}

/* the first lane that is free in all comparators of the bar */
static int lane_take(struct lanes *lanes, struct timeline_bar *bar)
{
	uint32_t slots;

	while (bar->lane < lanes->nr && !lane_is_free(lanes, bar->lane, bar))
		bar->lane++;
	if (bar->lane == lanes->nr && lane_add(lanes))
		return -1;
	for (slots = bar->slots; slots; slots &= slots - 1)
		lanes->busy[bar->lane][__builtin_ctz(slots)] = bar->to;
	return 0;
}

static int lanes_take(struct timeline *tl)
{
	struct lanes *lanes = calloc(NR_DEVICES, sizeof(*lanes));
	int err = lanes ? 0 : -1;
	size_t i;

	for (i = 0; !err && i < tl->nr_bars; i++)
		err = lane_take(&lanes[tl->watches[tl->bars[i].watch].device],
				&tl->bars[i]);
	for (i = 0; lanes && i < NR_DEVICES; i++)
		free(lanes[i].busy);
	free(lanes);
	return err;
}

/* the bars of one watch do not overlap: the last that began decides */
static int marks_place(struct timeline *tl)
{
	uint64_t *to = calloc(tl->nr_watches + 1, sizeof(*to));
	struct timeline_mark *mark;
	size_t i, bar = 0;

	if (!to)
		return -1;
	for (i = 0; i < tl->nr_marks; i++) {
		mark = &tl->marks[i];
		for (; bar < tl->nr_bars && tl->bars[bar].from <= mark->time; bar++)
			to[tl->bars[bar].watch] = tl->bars[bar].to;
		mark->outside = to[mark->watch] < mark->time;
	}
	free(to);
	return 0;
}

int timeline_tracks(struct timeline *tl)
{
	if (tl->nr_bars)
		qsort(tl->bars, tl->nr_bars, sizeof(*tl->bars), bar_compare);
	if (tl->nr_marks)
		qsort(tl->marks, tl->nr_marks, sizeof(*tl->marks), mark_compare);
	return lanes_take(tl) || marks_place(tl) ? -1 : 0;
}

unsigned int timeline_nr_lanes(const struct timeline *tl, uint8_t device,
			       unsigned int slot)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < tl->nr_bars; i++)
		if (tl->watches[tl->bars[i].watch].device == device &&
		    tl->bars[i].slots & 1u << slot && tl->bars[i].lane >= nr)
			nr = tl->bars[i].lane + 1;
	return nr;
}
