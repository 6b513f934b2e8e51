/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of live.h share.
 */
#ifndef PERF_GPUBP_LIVE_IMPL_H
#define PERF_GPUBP_LIVE_IMPL_H

#include "live_command.h"

#define LIVE_SAMPLE_TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | \
				 PERF_SAMPLE_TIME | PERF_SAMPLE_RAW)

/**
 * struct live - see live.h
 * @evlist: libperf's list of the events, which owns its maps and @evsels
 * @session: /dev/gpubp, -1 none
 * @command: the command
 * @name: of the command
 * @tasks: target of -p, -t, -G
 * @on_exec: the target is the command
 * @sampling: with samples
 * @lost: sum of the records of lost samples
 * @nr: number of events
 * @nr_cpus: entries of the map of CPUs
 * @nr_threads: entries of the map of threads
 * @ids: perf ids: of an event on each thread, on each CPU, of each event
 * @evsels: the events in order
 */
struct live {
	struct perf_evlist *evlist;
	int session;
	struct live_command command;
	const char *name;
	struct live_tasks tasks;
	bool on_exec;
	bool sampling;
	uint64_t lost;
	unsigned int nr;
	int nr_cpus;
	int nr_threads;
	uint64_t *ids;
	struct perf_evsel *evsels[];
};

/** live_index() - index into ids */
static inline size_t live_index(const struct live *live, unsigned int event,
				int cpu, int thread)
{
	return ((size_t)event * (size_t)live->nr_cpus + (size_t)cpu) *
	       (size_t)live->nr_threads + (size_t)thread;
}

#endif /* PERF_GPUBP_LIVE_IMPL_H */
