// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints of gpubp, recorded on all CPUs by libperf.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <perf/cpumap.h>
#include <perf/event.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include "timeline_live.h"
#include "verb.h"

/* what is in a sample, in this order */
#define SAMPLE_TYPE	(PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW)

struct raw_sample {
	struct perf_event_header header;
	uint64_t time;
	uint32_t cpu;
	uint32_t reserved;
	uint32_t size;
	char data[];
};

static const char * const tracepoints[] = {
	"gpubp_arm", "gpubp_disarm", "gpubp_rotate", "gpubp_stall", "gpubp_hit",
};

/* "" if there is none */
static const char *tracefs(void)
{
	static const char * const places[] = {
		"/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events",
	};
	size_t i;

	for (i = 0; i < 2; i++)
		if (!access(places[i], R_OK))
			return places[i];
	return "";
}

static unsigned long long read_id(const char *path)
{
	unsigned long long id = 0;
	FILE *in = fopen(path, "re");

	if (in && fscanf(in, "%llu", &id) != 1)
		id = 0;
	if (in)
		fclose(in);
	return id;
}

static int add_tracepoint(struct perf_evlist *events, struct timeline_raw *raw,
			  const char *name)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
		.sample_type = SAMPLE_TYPE, .sample_period = 1, .disabled = 1,
		.read_format = PERF_FORMAT_LOST,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
	};
	struct perf_evsel *event;
	char path[128];

	snprintf(path, sizeof(path), "%s/gpubp/%s/format", tracefs(), name);
	if (timeline_raw_file(raw, 0, path))
		return complain("%s: %s: is gpubp loaded, and may you read tracefs?",
				path, strerror(errno));
	snprintf(path, sizeof(path), "%s/gpubp/%s/id", tracefs(), name);
	attr.config = read_id(path);
	event = attr.config ? perf_evsel__new(&attr) : NULL;
	if (!event)
		return complain("%s cannot be used", path);
	perf_evlist__add(events, event);
	return 0;
}

static int open_events(struct perf_evlist *events, int pages)
{
	struct perf_cpu_map *cpus = perf_cpu_map__new_online_cpus();
	int err;

	perf_evlist__set_maps(events, cpus, NULL);
	perf_cpu_map__put(cpus);
	err = perf_evlist__open(events);
	if (err)
		return complain("the tracepoints of gpubp cannot be opened: %s%s",
				strerror(-err), err == -EACCES || err == -EPERM ?
				": they need root or CAP_PERFMON" : "");
	err = perf_evlist__mmap(events, pages);
	if (err)
		return complain("no ring buffers of %d pages: %s", pages,
				strerror(-err));
	perf_evlist__enable(events);
	return 0;
}

static void delete_events(struct perf_evlist *events)
{
	perf_evlist__munmap(events);
	perf_evlist__close(events);
	perf_evlist__delete(events);
}

struct perf_evlist *timeline_live_begin(struct timeline_raw *raw, int pages)
{
	struct perf_evlist *events;
	int err = 0;
	size_t i;

	events = perf_evlist__new();
	if (!events) {
		complain("out of memory");
		return NULL;
	}
	for (i = 0; !err && i < sizeof(tracepoints) / sizeof(tracepoints[0]); i++)
		err = add_tracepoint(events, raw, tracepoints[i]);
	if (!err)
		err = open_events(events, pages);
	if (!err)
		return events;
	delete_events(events);
	return NULL;
}

static int take_event(const union perf_event *event, struct timeline_raw *raw)
{
	const struct raw_sample *sample = (const void *)event;

	if (event->header.type != PERF_RECORD_SAMPLE)
		return 0;
	return timeline_raw_add(raw, sample->time, sample->cpu, sample->data,
				sample->size);
}

int timeline_live_read(struct perf_evlist *events, struct timeline_raw *raw,
		       int wait_ms)
{
	struct perf_mmap *ring;
	union perf_event *event;
	int err = 0;

	perf_evlist__poll(events, wait_ms);
	perf_evlist__for_each_mmap(events, ring, false) {
		if (perf_mmap__read_init(ring) < 0)
			continue;
		while (!err && (event = perf_mmap__read_event(ring))) {
			err = take_event(event, raw);
			perf_mmap__consume(ring);
		}
		perf_mmap__read_done(ring);
	}
	return err;
}

/* a record of lost events comes with the next event only; so ask */
static uint64_t count_lost(struct perf_evlist *events)
{
	struct perf_counts_values values;
	struct perf_evsel *event;
	uint64_t lost = 0;
	int cpu;

	perf_evlist__for_each_evsel(events, event)
		for (cpu = 0; cpu < perf_cpu_map__nr(perf_evsel__cpus(event)); cpu++)
			if (!perf_evsel__read(event, cpu, 0, &values))
				lost += values.lost;
	return lost;
}

void timeline_live_end(struct perf_evlist *events, struct timeline_raw *raw)
{
	raw->lost = count_lost(events);
	perf_evlist__disable(events);
	delete_events(events);
}
