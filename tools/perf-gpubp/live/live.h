/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of a running target, by libperf: counts, statistics, and samples as
 * they come.
 *
 *	live_open()	the command exists, but executes nothing yet
 *	live_start()	it does, and the events count
 *	live_running()	again and again, with live_stats(), live_wait()
 *			and live_drain()
 *	live_close()	exit status of the command
 */
#ifndef PERF_GPUBP_LIVE_H
#define PERF_GPUBP_LIVE_H

#include <linux/gpubp.h>
#include <linux/perf_event.h>
#include <sys/types.h>
#include "gpubp_run.h"

/**
 * struct live_target - what to watch, as the options of perf
 * @command: arguments of a command, NULL none. It is the target unless there
 *	is another; then it only says how long that is watched
 * @messages: its standard error, 0 ours
 * @pids: -p, process ids with commas in between, or NULL, as all that follow
 * @tids: -t, thread ids
 * @cgroup: -G, the threads that are in the cgroup now, and their children
 * @cpus: -C, a list of CPUs
 * @all: -a, all CPUs
 */
struct live_target {
	const char **command;
	int messages;
	const char *pids;
	const char *tids;
	const char *cgroup;
	const char *cpus;
	bool all;
};

/**
 * struct live_sample - a sample
 * @event: number of the event
 * @pid: process of the owner of the hit
 * @tid: its thread
 * @time: when it was written, ns
 * @rec: the record; members that the kernel does not have are 0
 */
struct live_sample {
	unsigned int event;
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	struct gpubp_hit_record rec;
};

struct live;

/**
 * live_prepare() - an attr for live_open(), of which only config, config1,
 *	config2 and what precise_ip and pinned say is set: as perf itself opens
 *	it
 * @attr: the attr
 * @sampling: with a sample of each hit
 * @err: error: there is no PMU
 */
int live_prepare(struct perf_event_attr *attr, bool sampling,
		 struct grun_err *err);

/**
 * live_open() - open events
 * @live: out
 * @target: the target
 * @attrs: of live_prepare(), all of them sampling or none
 * @nr: entries of @attrs
 * @err: a sentence; that of the kernel where it has one (GPUBP_REASON)
 *
 * Return: 0; -EINVAL if @target makes no sense; else the errno of what failed.
 */
int live_open(struct live **live, const struct live_target *target,
	      const struct perf_event_attr *attrs, unsigned int nr,
	      struct grun_err *err);

/** live_start() - start the command, enable the events */
int live_start(struct live *live, struct grun_err *err);

/** live_running() - false once the command, or else the target, has ended */
bool live_running(struct live *live);

/** live_command() - process id of the command, 0 without one */
pid_t live_command(const struct live *live);

/** live_signal() - signal that ended the command, 0 none */
int live_signal(const struct live *live);

/**
 * live_stats() - GPUBP_STATS of @event, summed; the gaps are the longest.
 *	-ENODEV if /dev/gpubp cannot be opened
 */
int live_stats(struct live *live, unsigned int event,
	       struct gpubp_event_stats *stats);

/** live_add_stats() - add statistics to @sum; of gaps the longer is kept */
void live_add_stats(struct gpubp_event_stats *sum,
		    const struct gpubp_event_stats *more);

/** live_sync() - GPUBP_SYNC of @event: wait until it is armed; sums */
int live_sync(struct live *live, unsigned int event, unsigned int timeout_ms,
	      struct gpubp_sync *sync);

/** live_session() - fd of the session, -1 if there is none */
int live_session(const struct live *live);

/** live_wait() - wait for samples, a signal, or the time */
void live_wait(struct live *live, int timeout_ms);

/** live_drain() - hand all new samples to @fn, of one CPU after another */
void live_drain(struct live *live,
		void (*fn)(const struct live_sample *sample, void *arg),
		void *arg);

/** live_lost() - samples that the kernel could not write, up to live_drain() */
uint64_t live_lost(const struct live *live);

/**
 * live_close() - undo live_open(), in the end wait for the command
 *
 * Return: its exit status, 128 + the signal that killed it, 0 without a
 * command. A command that was never started ends without executing anything.
 */
int live_close(struct live *live);

#endif /* PERF_GPUBP_LIVE_H */
