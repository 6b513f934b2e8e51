// SPDX-License-Identifier: GPL-2.0
/*
 * Reading perf.data: header, events, features, records.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perf_file.h"

#define FILE_MAGIC		"PERFILE2"
#define PIPE_HEADER		16
#define FEATURE_PMU_MAPPINGS	16
#define MAX_EVENTS		4096

/* records that perf itself writes */
#define RECORD_AUXTRACE		71
#define RECORD_COMPRESSED	81
#define RECORD_COMPRESSED2	83

struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct perf_section attrs;
	struct perf_section data;
	struct perf_section event_types;
	uint64_t features[4];
};

int perf_fail(struct perf_err *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -1;
}

const unsigned char *perf_skip(struct perf_cursor *c, uint64_t len)
{
	const unsigned char *pos = c->pos;

	if (c->bad || (uint64_t)(c->end - pos) < len) {
		c->bad = true;
		return NULL;
	}
	c->pos += len;
	return pos;
}

uint32_t perf_u32(struct perf_cursor *c)
{
	const unsigned char *p = perf_skip(c, sizeof(uint32_t));
	uint32_t n = 0;

	if (p)
		memcpy(&n, p, sizeof(n));
	return n;
}

uint64_t perf_u64(struct perf_cursor *c)
{
	const unsigned char *p = perf_skip(c, sizeof(uint64_t));
	uint64_t n = 0;

	if (p)
		memcpy(&n, p, sizeof(n));
	return n;
}

/* a cursor over a section; empty if the file does not have all of it */
static struct perf_cursor file_section(const struct perf_file *file,
				       const struct perf_section *s)
{
	struct perf_cursor c = { file->image, file->image, false };

	if (s->offset > file->size || s->size > file->size - s->offset) {
		c.bad = true;
		return c;
	}
	c.pos += s->offset;
	c.end = c.pos + s->size;
	return c;
}

/* attr_size has grown over time: older files have less, newer ones more */
static void read_event(struct perf_cursor *c, uint64_t attr_size,
		       struct perf_event_desc *event)
{
	uint64_t len = attr_size - sizeof(event->ids);
	const unsigned char *p = perf_skip(c, len);

	if (p)
		memcpy(&event->attr, p, len < sizeof(event->attr) ?
		       len : sizeof(event->attr));
	event->ids.offset = perf_u64(c);
	event->ids.size = perf_u64(c);
}

static int read_events(struct perf_file *file, const struct file_header *hdr,
		       struct perf_err *err)
{
	struct perf_cursor c = file_section(file, &hdr->attrs);
	uint64_t i, nr;

	if (hdr->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct perf_section) ||
	    hdr->attr_size > 4096)
		return perf_fail(err, "events of %llu bytes",
				 (unsigned long long)hdr->attr_size);
	nr = hdr->attrs.size / hdr->attr_size;
	if (c.bad || !nr || nr > MAX_EVENTS)
		return perf_fail(err, "the list of events is damaged");
	file->events = calloc(nr, sizeof(*file->events));
	if (!file->events)
		return perf_fail(err, "out of memory");
	for (i = 0; i < nr; i++)
		read_event(&c, hdr->attr_size, &file->events[i]);
	file->nr_events = (unsigned int)nr;
	return c.bad ? perf_fail(err, "the list of events is damaged") : 0;
}

int perf_file_open(struct perf_file *file, const void *image, size_t size,
		   struct perf_err *err)
{
	struct file_header hdr;

	memset(file, 0, sizeof(*file));
	file->image = image;
	file->size = size;
	if (size < PIPE_HEADER || memcmp(image, FILE_MAGIC, sizeof(hdr.magic)))
		return perf_fail(err, "not a perf.data file of this byte order");
	memcpy(&hdr, image, size < sizeof(hdr) ? size : sizeof(hdr));
	if (hdr.size == PIPE_HEADER)
		return perf_fail(err, "written to a pipe: record to a file instead");
	if (size < sizeof(hdr) || hdr.size < sizeof(hdr))
		return perf_fail(err, "the header is truncated");
	file->data = hdr.data;
	file->features = hdr.features[0];
	if (!file->data.size)
		return perf_fail(err, "the recording was not finished");
	if (file_section(file, &file->data).bad)
		return perf_fail(err, "truncated: the file has %zu bytes, the records end at %llu",
				 size, (unsigned long long)(hdr.data.offset + hdr.data.size));
	if (read_events(file, &hdr, err)) {
		perf_file_close(file);
		return -1;
	}
	return 0;
}

void perf_file_close(struct perf_file *file)
{
	free(file->events);
	file->events = NULL;
	file->nr_events = 0;
}

/* the sections stand in order of feature bits; empty cursor if there is none */
static struct perf_cursor file_feature(const struct perf_file *file,
				       unsigned int feature)
{
	uint64_t before = file->features & ((1ULL << feature) - 1);
	struct perf_section where = {
		.offset = file->data.offset + file->data.size +
			  sizeof(where) * (uint64_t)__builtin_popcountll(before),
		.size = sizeof(where),
	}, section;
	struct perf_cursor c = file_section(file, &where);

	if (!(file->features & 1ULL << feature))
		c.bad = true;
	section.offset = perf_u64(&c);
	section.size = perf_u64(&c);
	return c.bad ? c : file_section(file, &section);
}

bool perf_file_pmu(const struct perf_file *file, const char *name,
		   uint32_t *type)
{
	struct perf_cursor c = file_feature(file, FEATURE_PMU_MAPPINGS);
	uint32_t nr = perf_u32(&c);

	while (nr-- && !c.bad) {
		uint32_t number = perf_u32(&c);
		uint32_t len = perf_u32(&c);
		const unsigned char *text = perf_skip(&c, len);

		/* padded with zeroes */
		if (text && len > strlen(name) &&
		    !memcmp(text, name, strlen(name) + 1)) {
			*type = number;
			return true;
		}
	}
	return false;
}

/* these have a payload that the size in the header does not count */
static int skip_auxtrace(struct perf_cursor *c, const struct perf_record *r)
{
	struct perf_cursor body = { r->body, r->body + r->size, false };
	uint64_t len = perf_u64(&body);

	return body.bad || !perf_skip(c, len) ? -1 : 0;
}

int perf_file_next(const struct perf_file *file, uint64_t *pos,
		   struct perf_record *record, struct perf_err *err)
{
	struct perf_cursor c = file_section(file, &file->data);
	struct perf_event_header hdr;
	const unsigned char *p, *begin = c.pos;

	perf_skip(&c, *pos);
	if (c.pos == c.end)
		return 0;
	p = perf_skip(&c, sizeof(hdr));
	if (p)
		memcpy(&hdr, p, sizeof(hdr));
	if (!p || hdr.size < sizeof(hdr))
		return perf_fail(err, "a record is damaged");
	record->type = hdr.type;
	record->misc = hdr.misc;
	record->size = hdr.size - sizeof(hdr);
	record->body = perf_skip(&c, record->size);
	if (!record->body ||
	    (hdr.type == RECORD_AUXTRACE && skip_auxtrace(&c, record)))
		return perf_fail(err, "a record is damaged");
	if (hdr.type == RECORD_COMPRESSED || hdr.type == RECORD_COMPRESSED2)
		return perf_fail(err, "compressed: record without -z");
	*pos = (uint64_t)(c.pos - begin);
	return 1;
}
