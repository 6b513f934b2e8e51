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
#include "demangle.h"
#include "timeline_names.h"

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

/* ask for the names of watches and of the kernels of dispatches */
static int names_ask(struct timeline_names *names, const struct timeline *tl,
		     const struct owners *owners, uint32_t only)
{
	const struct timeline_watch *w;
	const struct timeline_dispatch *d;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < tl->nr_watches; i++) {
		w = &tl->watches[i];
		err = timeline_names_ask(names, owner_of(owners, w->device, w->context,
							 only), w->start);
	}
	for (i = 0; !err && i < tl->nr_dispatches; i++) {
		d = &tl->dispatches[i];
		err = timeline_names_ask(names, owner_of(owners, d->device, d->context,
							 only), d->pc);
	}
	return err;
}

static void watch_name(struct timeline_watch *w, const struct timeline_names *names,
		       uint32_t pid)
{
	char name[TIMELINE_NAME], offset[24];
	uint64_t start;

	if (!timeline_names_get(names, pid, w->start, &start, name))
		return;
	snprintf(offset, sizeof(offset), "+0x%" PRIx64, w->start - start);
	snprintf(w->label, sizeof(w->label), "%s%s/%" PRIu64, name,
		 w->start == start ? "" : offset, w->last - w->start + 1);
}

static int names_apply(struct timeline *tl, const struct timeline_raw *raw,
		       const struct owners *owners)
{
	struct timeline_names names = {};
	uint32_t only = only_map(raw);
	struct timeline_dispatch *d;
	struct timeline_watch *w;
	char name[TIMELINE_NAME];
	uint64_t start;
	int err;
	size_t i;

	err = names_ask(&names, tl, owners, only) || timeline_names_answer(&names, raw);
	for (i = 0; !err && i < tl->nr_watches; i++) {
		w = &tl->watches[i];
		watch_name(w, &names, owner_of(owners, w->device, w->context, only));
	}
	for (i = 0; !err && i < tl->nr_dispatches; i++) {
		d = &tl->dispatches[i];
		if (timeline_names_get(&names, owner_of(owners, d->device, d->context,
							only), d->pc, &start, name))
			demangle(name, d->kernel, sizeof(d->kernel));
	}
	tl->nr_looks += names.nr_looks;
	timeline_names_free(&names);
	return err ? -1 : 0;
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

	timeline_raw_sort(raw);
	tl->lost = raw->lost;
	err = decode_all(raw, tl, &owners);
	if (!err && (names_apply(tl, raw, &owners) || timeline_finish(tl)))
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
