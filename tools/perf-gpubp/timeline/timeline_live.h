/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Raw events of a timeline from the running kernel.
 */
#ifndef PERF_GPUBP_TIMELINE_LIVE_H
#define PERF_GPUBP_TIMELINE_LIVE_H

#include "timeline.h"

struct perf_evlist;

/**
 * timeline_live_begin() - record the tracepoints of gpubp on all CPUs
 * @raw: gets their formats
 * @pages: of the ring buffer of each CPU, a power of two
 *
 * Return: to be read and ended; or NULL after a message.
 */
struct perf_evlist *timeline_live_begin(struct timeline_raw *raw, int pages);

/** timeline_live_read() - wait for events at most this long, and take them; 0 or -1 (memory) */
int timeline_live_read(struct perf_evlist *events, struct timeline_raw *raw,
		       int wait_ms);

/** timeline_live_end() - undo timeline_live_begin(); @raw gets the number of lost events */
void timeline_live_end(struct perf_evlist *events, struct timeline_raw *raw);

#endif /* PERF_GPUBP_TIMELINE_LIVE_H */
