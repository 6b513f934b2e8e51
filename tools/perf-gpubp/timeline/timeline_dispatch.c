// SPDX-License-Identifier: GPL-2.0
/*
 * Dispatches, as far as hits tell: from the first hit of each to its last. A queue
 * can run several dispatches at once, so it has as many tracks as it needs: no two
 * dispatches of a track overlap.
 */
#include <stdlib.h>
#include "timeline.h"

static uint64_t context_key(uint8_t device, uint32_t context)
{
	return (uint64_t)device << 32 | context;
}

/* grow ARRAY, which has NR entries, at powers of two; 0 or -1 */
static int room_for(void **array, size_t nr, size_t size)
{
	void *bigger;

	if (nr & (nr - 1))
		return 0;
	bigger = realloc(*array, (nr ? 2 * nr : 1) * size);
	if (!bigger)
		return -1;
	*array = bigger;
	return 0;
}

static int dispatch_new(struct timeline *tl, const struct timeline_event *hit)
{
	uint64_t number = (uint64_t)hit->queue << 32 | hit->dispatch;

	if (room_for((void **)&tl->dispatches, tl->nr_dispatches,
		     sizeof(*tl->dispatches)) ||
	    timeline_index_set(&tl->dispatch_index,
			       context_key(hit->device, hit->context), number,
			       tl->nr_dispatches))
		return -1;
	tl->dispatches[tl->nr_dispatches++] = (struct timeline_dispatch){
		.device = hit->device, .context = hit->context,
		.queue = hit->queue, .number = hit->dispatch, .pc = hit->pc,
		.from = hit->time, .to = hit->time, .nr_hits = 1,
	};
	return 0;
}

int timeline_dispatch_add(struct timeline *tl, const struct timeline_event *hit)
{
	struct timeline_dispatch *d;
	size_t i;

	if (!hit->has_dispatch)
		return 0;
	i = timeline_index_get(&tl->dispatch_index,
			       context_key(hit->device, hit->context),
			       (uint64_t)hit->queue << 32 | hit->dispatch);
	if (i == TIMELINE_NOT_FOUND)
		return dispatch_new(tl, hit);
	d = &tl->dispatches[i];
	d->to = hit->time;
	d->nr_hits++;
	return 0;
}

/* ---- tracks --------------------------------------------------------------- */

static int dispatch_compare(const void *a, const void *b)
{
	const struct timeline_dispatch *p = a, *q = b;

	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	return p->number < q->number ? -1 : p->number > q->number;
}

static int track_new(struct timeline *tl, struct timeline_index *index,
		     const struct timeline_dispatch *d, uint32_t lane)
{
	if (room_for((void **)&tl->tracks, tl->nr_tracks, sizeof(*tl->tracks)) ||
	    timeline_index_set(index, context_key(d->device, d->context),
			       (uint64_t)d->queue << 32 | lane, tl->nr_tracks))
		return -1;
	tl->tracks[tl->nr_tracks++] = (struct timeline_track){
		.device = d->device, .context = d->context,
		.queue = d->queue, .lane = lane,
	};
	return 0;
}

/* the first track of its queue that is free when it begins */
static int track_take(struct timeline *tl, struct timeline_index *index,
		      struct timeline_dispatch *d)
{
	uint64_t context = context_key(d->device, d->context);
	uint32_t lane;

	for (lane = 0; ; lane++) {
		d->track = timeline_index_get(index, context,
					      (uint64_t)d->queue << 32 | lane);
		if (d->track == TIMELINE_NOT_FOUND)
			break;
		if (tl->tracks[d->track].busy <= d->from)
			break;
	}
	if (d->track == TIMELINE_NOT_FOUND) {
		d->track = tl->nr_tracks;
		if (track_new(tl, index, d, lane))
			return -1;
	}
	tl->tracks[d->track].busy = d->to;
	return 0;
}

int timeline_dispatch_tracks(struct timeline *tl)
{
	struct timeline_index index = {};
	int err = 0;
	size_t i;

	if (tl->nr_dispatches)
		qsort(tl->dispatches, tl->nr_dispatches, sizeof(*tl->dispatches),
		      dispatch_compare);
	for (i = 0; !err && i < tl->nr_dispatches; i++)
		err = track_take(tl, &index, &tl->dispatches[i]);
	timeline_index_free(&index);
	return err;
}
