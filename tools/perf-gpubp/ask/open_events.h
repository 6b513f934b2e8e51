/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's list of open events, debugfs gpubp/events.
 */
#ifndef PERF_GPUBP_OPEN_EVENTS_H
#define PERF_GPUBP_OPEN_EVENTS_H

#include <stdio.h>
#include <linux/gpubp.h>
#include "agents.h"

/* root can read it */
#define OPEN_EVENTS	"/sys/kernel/debug/gpubp/events"

#define OPEN_EVENT_TEXT	256

/**
 * struct open_event - an event, and what it is bound to
 * @stats: its figures; what is missing is 0
 * @group: id of the leader of its group, 0 none
 * @nr_watches: watches, members of a set each
 * @nr_bound: watches, or sets, in a context each
 * @nr_pending: of these, in contexts with waves that run without traps
 * @devices: bitmap of the devices that these contexts are of
 * @pid: process that opened it, "-" unknown; likewise for what follows
 * @comm: its name
 * @is: the event as perf takes it
 */
struct open_event {
	struct gpubp_event_stats stats;
	__u64 group;
	__u64 nr_watches;
	unsigned int nr_bound;
	unsigned int nr_pending;
	uint32_t devices[AGENTS_DEVICES / 32];
	char pid[OPEN_EVENT_TEXT];
	char comm[OPEN_EVENT_TEXT];
	char is[OPEN_EVENT_TEXT];
};

/**
 * open_events_read() - read the list
 * @in: as the kernel writes it; names that are not known are skipped
 * @each: called for each event
 * @data: for @each
 *
 * Return: how many events.
 */
unsigned int open_events_read(FILE *in,
			      void (*each)(const struct open_event *event,
					   void *data),
			      void *data);

/** event_armed_share() - part of the resident time that it was armed */
static inline double event_armed_share(const struct gpubp_event_stats *s)
{
	return s->resident_ns ? (double)s->armed_ns / (double)s->resident_ns : 0;
}

/** open_event_json() - print an event as an object of JSON, in a line; @data is the FILE */
void open_event_json(const struct open_event *event, void *data);

#endif /* PERF_GPUBP_OPEN_EVENTS_H */
