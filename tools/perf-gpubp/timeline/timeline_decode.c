// SPDX-License-Identifier: GPL-2.0
/*
 * Raw events, read by libtraceevent as the formats of the kernel say: a field is
 * found by its name.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <linux/gpubp.h>
#include "timeline.h"

/* ---- fields --------------------------------------------------------------- */

/* 0 if the event has no such field */
static uint64_t field_of(struct tep_event *event, struct tep_record *record,
			 const char *name)
{
	unsigned long long value = 0;

	if (tep_get_field_val(NULL, event, name, record, &value, 0))
		return 0;
	return value;
}

static bool has_field(struct tep_event *event, const char *name)
{
	return tep_find_field(event, name);
}

static void read_hit(struct timeline_event *hit, struct tep_event *event,
		     struct tep_record *record)
{
	hit->start = field_of(event, record, "addr");
	hit->access = (uint8_t)field_of(event, record, "access");
	hit->exact = field_of(event, record, "addr_state") == GPUBP_ADDR_EXACT &&
		     !(field_of(event, record, "flags") & GPUBP_HIT_POSSIBLE);
	hit->pc = field_of(event, record, "pc");
	hit->has_dispatch = field_of(event, record, "flags") & GPUBP_HIT_DISPATCH;
	hit->queue = (uint32_t)field_of(event, record, "queue");
	hit->dispatch = (uint32_t)field_of(event, record, "dispatch");
}

static struct timeline_event read_event(struct tep_event *event,
					struct tep_record *record)
{
	struct timeline_event out = {
		.name = event->name, .time = record->ts,
		.device = (uint8_t)field_of(event, record, "device"),
		.context = (uint32_t)field_of(event, record, "context"),
		.watch = field_of(event, record, "watch"),
		.start = field_of(event, record, "start"),
		.last = field_of(event, record, "last"),
		.slots = (uint32_t)field_of(event, record, "slots"),
		.level = (uint32_t)field_of(event, record, "level"),
	};

	if (has_field(event, "addr_state"))
		read_hit(&out, event, record);
	return out;
}

/* ---- names ---------------------------------------------------------------- */

/* processes of contexts, as their hits say */
struct owners {
	struct {
		uint8_t device;
		uint32_t context;
		uint32_t pid;
	} *list;
	size_t nr;
	struct timeline_index index;	/* by device and context */
};

static void owner_add(struct owners *owners, const struct timeline_event *hit,
		      uint32_t pid)
{
	void *bigger;

	if (!pid || timeline_index_get(&owners->index, hit->device,
				       hit->context) != TIMELINE_NOT_FOUND)
		return;
	bigger = realloc(owners->list, (owners->nr + 1) * sizeof(*owners->list));
	if (!bigger)
		return;
	owners->list = bigger;
	if (timeline_index_set(&owners->index, hit->device, hit->context, owners->nr))
		return;
	owners->list[owners->nr].device = hit->device;
	owners->list[owners->nr].context = hit->context;
	owners->list[owners->nr++].pid = pid;
}

/* the only process is that of a context without hits, too */
static uint32_t owner_of(const struct owners *owners, uint8_t device,
			 uint32_t context, uint32_t only)
{
	size_t i = timeline_index_get(&owners->index, device, context);

	return i == TIMELINE_NOT_FOUND ? only : owners->list[i].pid;
}

static uint32_t only_map(const struct timeline_raw *raw)
{
	uint32_t pid = 0;
	size_t i;

	for (i = 0; i < raw->nr_texts; i++) {
		if (!raw->texts[i].pid)
			continue;
		if (pid)
			return 0;
		pid = raw->texts[i].pid;
	}
	return pid;
}

/* "ADDRESS SIZE NAME": the watches in that range get the name */
static void name_apply(struct timeline *tl, const struct timeline_text *text,
		       const char *line, const struct owners *owners,
		       uint32_t only)
{
	struct timeline_watch *w;
	uint64_t start, size;
	char name[64], offset[24];
	size_t i;

	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %63s", &start, &size, name) != 3)
		return;
	for (i = 0; i < tl->nr_watches; i++) {
		w = &tl->watches[i];
		if (w->start - start >= size ||
		    owner_of(owners, w->device, w->context, only) != text->pid)
			continue;
		snprintf(offset, sizeof(offset), "+0x%" PRIx64, w->start - start);
		snprintf(w->label, sizeof(w->label), "%s%s/%" PRIu64, name,
			 w->start == start ? "" : offset, w->last - w->start + 1);
	}
}

static void names_apply(struct timeline *tl, const struct timeline_text *text,
			const struct owners *owners, uint32_t only)
{
	const char *line, *end;

	for (line = text->text; (end = strchr(line, '\n')); line = end + 1)
		name_apply(tl, text, line, owners, only);
}

/* the last name at @pc in the map of a process, as it is the newest */
static void kernel_name(const struct timeline_raw *raw, uint32_t pid,
			uint64_t pc, char *kernel)
{
	const char *line, *end;
	uint64_t start, size;
	char name[64];
	size_t i;

	for (i = 0; i < raw->nr_texts; i++) {
		if (!raw->texts[i].pid || raw->texts[i].pid != pid)
			continue;
		for (line = raw->texts[i].text; (end = strchr(line, '\n')); line = end + 1)
			if (sscanf(line, "%" SCNx64 " %" SCNx64 " %63s", &start,
				   &size, name) == 3 && pc - start < size)
				snprintf(kernel, TIMELINE_LABEL, "%s", name);
	}
}

/* each instruction is looked up once */
static int kernels_apply(struct timeline *tl, const struct timeline_raw *raw,
			 const struct owners *owners)
{
	uint32_t pid, only = only_map(raw);
	struct timeline_index known = {};
	struct timeline_dispatch *d;
	size_t i, same;
	int err = 0;

	for (i = 0; !err && i < tl->nr_dispatches; i++) {
		d = &tl->dispatches[i];
		pid = owner_of(owners, d->device, d->context, only);
		same = timeline_index_get(&known, pid, d->pc);
		if (same != TIMELINE_NOT_FOUND) {
			memcpy(d->kernel, tl->dispatches[same].kernel, sizeof(d->kernel));
			continue;
		}
		kernel_name(raw, pid, d->pc, d->kernel);
		err = timeline_index_set(&known, pid, d->pc, i);
	}
	timeline_index_free(&known);
	return err;
}

/* ---- all ------------------------------------------------------------------ */

static const char *parse_formats(struct tep_handle *tep,
				 const struct timeline_raw *raw)
{
	size_t i;

	for (i = 0; i < raw->nr_texts; i++)
		if (!raw->texts[i].pid &&
		    tep_parse_event(tep, raw->texts[i].text, raw->texts[i].size,
				    "gpubp"))
			return "a format of an event is malformed";
	return NULL;
}

/* NULL: without a format, or shorter than the format says */
static struct tep_event *event_of(struct tep_handle *tep,
				  struct tep_record *record)
{
	struct tep_event *event;
	struct tep_format_field *field;

	if (record->size < (int)(sizeof(uint64_t)))
		return NULL;
	event = tep_find_event_by_record(tep, record);
	if (!event)
		return NULL;
	for (field = event->format.fields; field; field = field->next)
		if (field->offset < 0 || field->size < 0 ||
		    field->offset > record->size - field->size)
			return NULL;
	return event;
}

static const char *decode_records(struct tep_handle *tep,
				  const struct timeline_raw *raw,
				  struct timeline *tl, struct owners *owners)
{
	struct timeline_event decoded;
	struct tep_record record = {};
	struct tep_event *event;
	size_t i;

	for (i = 0; i < raw->nr_records; i++) {
		record.ts = raw->records[i].time;
		record.cpu = (int)raw->records[i].cpu;
		record.size = (int)raw->records[i].size;
		record.data = raw->records[i].data;
		event = event_of(tep, &record);
		if (!event)
			return "an event is not as its format says";
		decoded = read_event(event, &record);
		if (has_field(event, "pid"))
			owner_add(owners, &decoded,
				  (uint32_t)field_of(event, &record, "pid"));
		if (tl && timeline_add(tl, &decoded))
			return "out of memory";
	}
	return NULL;
}

static const char *decode_all(const struct timeline_raw *raw, struct timeline *tl,
			      struct owners *owners)
{
	struct tep_handle *tep = tep_alloc();
	const char *err;

	if (!tep)
		return "out of memory";
	/* how it would print the events is not needed */
	tep_set_loglevel(TEP_LOG_NONE);
	err = parse_formats(tep, raw);
	if (!err)
		err = decode_records(tep, raw, tl, owners);
	tep_free(tep);
	return err;
}

const char *timeline_decode(struct timeline *tl, struct timeline_raw *raw)
{
	struct owners owners = {};
	const char *err;
	size_t i;

	timeline_raw_sort(raw);
	tl->lost = raw->lost;
	err = decode_all(raw, tl, &owners);
	for (i = 0; !err && i < raw->nr_texts; i++)
		if (raw->texts[i].pid)
			names_apply(tl, &raw->texts[i], &owners, only_map(raw));
	if (!err && (kernels_apply(tl, raw, &owners) || timeline_finish(tl)))
		err = "out of memory";
	free(owners.list);
	timeline_index_free(&owners.index);
	return err;
}

const char *timeline_decode_pids(const struct timeline_raw *raw,
				 void (*see)(uint32_t pid, void *data),
				 void *data)
{
	struct owners owners = {};
	const char *err = decode_all(raw, NULL, &owners);
	size_t i;

	for (i = 0; !err && i < owners.nr; i++)
		see(owners.list[i].pid, data);
	free(owners.list);
	timeline_index_free(&owners.index);
	return err;
}
