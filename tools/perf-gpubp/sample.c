// SPDX-License-Identifier: GPL-2.0
/*
 * Reading perf.data: samples, as far as their raw payload.
 */
#include <string.h>
#include "perf_file.h"

/* the fixed-size fields in front of PERF_SAMPLE_ID */
#define BEFORE_ID	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
			 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)

static bool event_has_id(const struct perf_file *file,
			 const struct perf_event_desc *event, uint64_t id)
{
	uint64_t i;

	if (event->ids.offset > file->size ||
	    event->ids.size > file->size - event->ids.offset)
		return false;
	for (i = 0; i + sizeof(id) <= event->ids.size; i += sizeof(id))
		if (!memcmp(file->image + event->ids.offset + i, &id, sizeof(id)))
			return true;
	return false;
}

/* perf makes sure that the id is at the same place in all events */
static int sample_event(const struct perf_file *file, struct perf_cursor c,
			unsigned int *event)
{
	uint64_t type = file->events[0].attr.sample_type;
	uint64_t id;

	*event = 0;
	if (file->nr_events == 1)
		return 0;
	if (!(type & PERF_SAMPLE_IDENTIFIER)) {
		if (!(type & PERF_SAMPLE_ID))
			return -1;
		perf_skip(&c, 8 * (uint64_t)__builtin_popcountll(type & BEFORE_ID));
	}
	id = perf_u64(&c);
	for (; *event < file->nr_events; ++*event)
		if (event_has_id(file, &file->events[*event], id))
			return c.bad ? -1 : 0;
	return -1;
}

static void skip_read(struct perf_cursor *c, uint64_t format)
{
	uint64_t words = 1, each = 1, nr = 1;

	if (format & PERF_FORMAT_ID)
		each++;
	if (format & PERF_FORMAT_LOST)
		each++;
	if (format & PERF_FORMAT_GROUP)
		nr = perf_u64(c);
	words = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		!!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	perf_skip(c, 8 * words);
	if (nr > UINT32_MAX)
		c->bad = true;
	perf_skip(c, 8 * nr * each);
}

static void skip_callchain(struct perf_cursor *c)
{
	uint64_t nr = perf_u64(c);

	if (nr > UINT32_MAX)
		c->bad = true;
	perf_skip(c, 8 * nr);
}

static void read_fields(struct perf_cursor *c, const struct perf_event_attr *attr,
			struct perf_sample *s)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		perf_u64(c);
	if (type & PERF_SAMPLE_IP)
		s->ip = perf_u64(c);
	if (type & PERF_SAMPLE_TID) {
		s->pid = perf_u32(c);
		s->tid = perf_u32(c);
	}
	if (type & PERF_SAMPLE_TIME)
		s->time = perf_u64(c);
	if (type & PERF_SAMPLE_ADDR)
		s->addr = perf_u64(c);
	if (type & PERF_SAMPLE_ID)
		perf_u64(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		perf_u64(c);
	if (type & PERF_SAMPLE_CPU) {
		s->cpu = perf_u32(c);
		perf_u32(c);
	}
	if (type & PERF_SAMPLE_PERIOD)
		perf_u64(c);
	if (type & PERF_SAMPLE_READ)
		skip_read(c, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		skip_callchain(c);
	if (type & PERF_SAMPLE_RAW) {
		s->raw_size = perf_u32(c);
		s->raw = perf_skip(c, s->raw_size);
	}
}

int perf_file_sample(const struct perf_file *file,
		     const struct perf_record *record,
		     struct perf_sample *sample, struct perf_err *err)
{
	struct perf_cursor c = {
		record->body, record->body + record->size, false,
	};

	memset(sample, 0, sizeof(*sample));
	if (sample_event(file, c, &sample->event))
		return perf_fail(err, "a sample of an event that is not listed");
	read_fields(&c, &file->events[sample->event].attr, sample);
	return c.bad ? perf_fail(err, "a sample is damaged") : 0;
}
