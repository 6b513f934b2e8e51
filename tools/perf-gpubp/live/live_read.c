// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a running target: counts, statistics, samples.
 */
#include <errno.h>
#include <perf/evlist.h>
#include <perf/event.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <string.h>
#include <sys/ioctl.h>
#include <poll.h>
#include <time.h>
#include "live_impl.h"

/* ids of an event */
static const uint64_t *event_ids(const struct live *live, unsigned int event)
{
	return live->ids + live_index(live, event, 0, 0);
}

static size_t ids_per_event(const struct live *live)
{
	return (size_t)live->nr_cpus * (size_t)live->nr_threads;
}

int live_stats(struct live *live, unsigned int event,
	       struct gpubp_event_stats *stats)
{
	const uint64_t *ids = event_ids(live, event);
	struct gpubp_event_stats one;
	size_t i;

	memset(stats, 0, sizeof(*stats));
	if (live->session < 0)
		return -ENODEV;
	for (i = 0; i < ids_per_event(live); i++) {
		one = (struct gpubp_event_stats) { .id = ids[i] };
		if (ioctl(live->session, GPUBP_STATS, &one))
			return -errno;
		live_add_stats(stats, &one);
	}
	return 0;
}

static void add_sync(struct gpubp_sync *sum, const struct gpubp_sync *more)
{
	sum->nr_watches += more->nr_watches;
	sum->nr_armed += more->nr_armed;
	sum->nr_rotating += more->nr_rotating;
	sum->nr_pending += more->nr_pending;
	sum->nr_unserved += more->nr_unserved;
	sum->nr_lost += more->nr_lost;
}

int live_sync(struct live *live, unsigned int event, unsigned int timeout_ms,
	      struct gpubp_sync *sync)
{
	const uint64_t *ids = event_ids(live, event);
	struct gpubp_sync one;
	size_t i;

	memset(sync, 0, sizeof(*sync));
	if (live->session < 0)
		return -ENODEV;
	for (i = 0; i < ids_per_event(live); i++) {
		one = (struct gpubp_sync) { .id = ids[i],
					    .timeout_ms = timeout_ms };
		if (ioctl(live->session, GPUBP_SYNC, &one))
			return -errno;
		add_sync(sync, &one);
	}
	return 0;
}

void live_wait(struct live *live, int timeout_ms)
{
	const struct timespec time = {
		.tv_sec = timeout_ms / 1000,
		.tv_nsec = timeout_ms % 1000 * 1000000L,
	};

	if (!live->sampling) {
		nanosleep(&time, NULL);
		return;
	}
	/* threads that have exited would wake it at once */
	if (perf_evlist__poll(live->evlist, timeout_ms) > 0)
		perf_evlist__filter_pollfd(live->evlist, POLLERR | POLLHUP);
}

/* as LIVE_SAMPLE_TYPE says */
struct raw_sample {
	uint64_t id;
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint32_t size;
	unsigned char raw[];
} __attribute__((packed));

static bool find_event(const struct live *live, uint64_t id, unsigned int *event)
{
	size_t i, per_event = ids_per_event(live);

	for (i = 0; i < live->nr * per_event; i++)
		if (live->ids[i] == id) {
			*event = (unsigned int)(i / per_event);
			return true;
		}
	return false;
}

static bool read_sample(const struct live *live, const union perf_event *event,
			struct live_sample *sample)
{
	const struct raw_sample *raw = (const void *)event->sample.array;
	size_t have = event->header.size - sizeof(event->header);

	if (have < sizeof(*raw) || have - sizeof(*raw) < raw->size ||
	    !find_event(live, raw->id, &sample->event))
		return false;
	sample->pid = raw->pid;
	sample->tid = raw->tid;
	sample->time = raw->time;
	memset(&sample->rec, 0, sizeof(sample->rec));
	memcpy(&sample->rec, raw->raw, raw->size < sizeof(sample->rec) ?
				       raw->size : sizeof(sample->rec));
	return true;
}

static void drain_ring(struct live *live, struct perf_mmap *ring,
		       void (*fn)(const struct live_sample *sample, void *arg),
		       void *arg)
{
	struct live_sample sample;
	union perf_event *event;

	if (perf_mmap__read_init(ring))
		return;
	while ((event = perf_mmap__read_event(ring))) {
		if (event->header.type == PERF_RECORD_LOST)
			live->lost += event->lost.lost;
		else if (event->header.type == PERF_RECORD_SAMPLE &&
			 read_sample(live, event, &sample))
			fn(&sample, arg);
		perf_mmap__consume(ring);
	}
	perf_mmap__read_done(ring);
}

void live_drain(struct live *live,
		void (*fn)(const struct live_sample *sample, void *arg),
		void *arg)
{
	struct perf_mmap *ring;

	perf_evlist__for_each_mmap(live->evlist, ring, false)
		drain_ring(live, ring, fn, arg);
}

uint64_t live_lost(const struct live *live)
{
	return live->lost;
}
