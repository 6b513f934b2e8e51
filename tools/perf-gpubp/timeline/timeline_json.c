// SPDX-License-Identifier: GPL-2.0
/*
 * Trace events as chrome://tracing and ui.perfetto.dev read them: a process for the
 * comparators of each device, with a thread for each lane of a comparator, and one
 * for its watches, with a thread for each watch, and one for the dispatches that had
 * hits, with a thread for each track of a queue. No two slices of a thread overlap.
 */
#include <inttypes.h>
#include <linux/gpubp.h>
#include "json.h"
#include "timeline.h"

/* process ids: there are fewer devices */
#define WATCHES_OF	1000
#define QUEUES_OF	2000
/* thread ids of a comparator */
#define LANES_OF	1000000

struct json {
	const struct timeline *tl;
	FILE *out;
	bool more;
};

/* "{"name":NAME,"ph":PHASE,...: the caller goes on */
static void event_begin(struct json *json, const char *name, char phase,
			unsigned int pid, uint64_t tid)
{
	fputs(json->more ? ",\n{\"name\":" : "\n{\"name\":", json->out);
	json->more = true;
	json_string(json->out, name);
	fprintf(json->out, ",\"ph\":\"%c\",\"pid\":%u,\"tid\":%" PRIu64, phase, pid,
		tid);
}

/* microseconds since the first event */
static void put_us(struct json *json, const char *key, uint64_t ns)
{
	fprintf(json->out, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000,
		(unsigned int)(ns % 1000));
}

static void put_name(struct json *json, const char *what, unsigned int pid,
		     uint64_t tid, const char *name)
{
	event_begin(json, what, 'M', pid, tid);
	fputs(",\"args\":{\"name\":", json->out);
	json_string(json->out, name);
	fputs("}}", json->out);
}

/* the lanes of a comparator are next to each other */
static uint64_t lane_tid(unsigned int slot, unsigned int lane)
{
	return (uint64_t)slot * LANES_OF + lane;
}

static void put_comparator(struct json *json, uint8_t device, unsigned int slot)
{
	unsigned int i, nr = timeline_nr_lanes(json->tl, device, slot);
	char name[64];

	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), i ? "comparator %u, shared %u" :
			 "comparator %u", slot, i);
		put_name(json, "thread_name", device + 1, lane_tid(slot, i), name);
	}
}

static void put_device(struct json *json, uint8_t device)
{
	unsigned int i, nr = timeline_nr_slots(json->tl, device);
	char name[64];

	snprintf(name, sizeof(name), "GPU %u comparators", device);
	put_name(json, "process_name", device + 1, 0, name);
	snprintf(name, sizeof(name), "GPU %u watches", device);
	put_name(json, "process_name", WATCHES_OF + device, 0, name);
	for (i = 0; i < nr; i++)
		put_comparator(json, device, i);
}

static void put_names(struct json *json)
{
	const struct timeline_watch *w = json->tl->watches;
	size_t i;

	for (i = 0; i < json->tl->nr_watches; i++) {
		if (!i || w[i].device != w[i - 1].device)
			put_device(json, w[i].device);
		put_name(json, "thread_name", WATCHES_OF + w[i].device, i,
			 w[i].label);
	}
}

static void put_tracks(struct json *json)
{
	const struct timeline_track *t = json->tl->tracks;
	bool named[UINT8_MAX + 1] = {};
	char name[96];
	size_t i;

	for (i = 0; i < json->tl->nr_tracks; i++) {
		snprintf(name, sizeof(name), "GPU %u dispatches, first to last hit",
			 t[i].device);
		if (!named[t[i].device])
			put_name(json, "process_name", QUEUES_OF + t[i].device, 0, name);
		named[t[i].device] = true;
		snprintf(name, sizeof(name), t[i].lane ?
			 "queue %u of context %u, at once %u" :
			 "queue %u of context %u", t[i].queue, t[i].context, t[i].lane);
		put_name(json, "thread_name", QUEUES_OF + t[i].device, i, name);
	}
}

static void put_dispatch(struct json *json, const struct timeline_dispatch *d)
{
	char name[TIMELINE_LABEL + 32];

	snprintf(name, sizeof(name), "%s #%u", d->kernel[0] ? d->kernel : "dispatch",
		 d->number);
	event_begin(json, name, 'X', QUEUES_OF + d->device, d->track);
	put_us(json, "ts", d->from - json->tl->begin);
	put_us(json, "dur", d->to - d->from);
	fprintf(json->out, ",\"args\":{\"span\":\"first to last hit\",\"hits\":%" PRIu64
		",\"queue\":%u,\"dispatch\":%u,\"context\":%u,\"pc\":\"0x%" PRIx64 "\"}}",
		d->nr_hits, d->queue, d->number, d->context, d->pc);
}

static void put_bar(struct json *json, const struct timeline_bar *bar,
		    unsigned int pid, uint64_t tid)
{
	const struct timeline_watch *w = &json->tl->watches[bar->watch];

	event_begin(json, w->label, 'X', pid, tid);
	put_us(json, "ts", bar->from - json->tl->begin);
	put_us(json, "dur", bar->to - bar->from);
	fprintf(json->out, ",\"args\":{\"watch\":%" PRIu64 ",\"context\":%u,"
		"\"start\":\"0x%" PRIx64 "\",\"last\":\"0x%" PRIx64 "\"}}",
		w->id, w->context, w->start, w->last);
}

static void put_bars(struct json *json, const struct timeline_bar *bar)
{
	uint8_t device = json->tl->watches[bar->watch].device;
	uint32_t slots;

	for (slots = bar->slots; slots; slots &= slots - 1)
		put_bar(json, bar, device + 1,
			lane_tid((unsigned int)__builtin_ctz(slots), bar->lane));
	put_bar(json, bar, WATCHES_OF + device, bar->watch);
}

static void put_mark(struct json *json, const struct timeline_mark *mark)
{
	uint8_t device = json->tl->watches[mark->watch].device;

	event_begin(json, mark->stall ? "throttled" :
		    mark->possible ? "possible hit" : "hit", 'i',
		    WATCHES_OF + device, mark->watch);
	put_us(json, "ts", mark->time - json->tl->begin);
	if (mark->stall)
		fprintf(json->out, ",\"s\":\"t\",\"args\":{\"level\":%u}}",
			mark->level);
	else
		fprintf(json->out, ",\"s\":\"t\",\"args\":{\"addr\":\"0x%" PRIx64
			"\",\"pc\":\"0x%" PRIx64 "\"%s}}", mark->addr, mark->pc,
			mark->outside ? ",\"armed\":false" : "");
}

void timeline_json(const struct timeline *tl, FILE *out)
{
	struct json json = { .tl = tl, .out = out };
	size_t i;

	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
	put_names(&json);
	put_tracks(&json);
	for (i = 0; i < tl->nr_bars; i++)
		put_bars(&json, &tl->bars[i]);
	for (i = 0; i < tl->nr_dispatches; i++)
		put_dispatch(&json, &tl->dispatches[i]);
	for (i = 0; i < tl->nr_marks; i++)
		put_mark(&json, &tl->marks[i]);
	fprintf(out, "\n],\"otherData\":{\"lost\":%" PRIu64 "}}\n", tl->lost);
}
