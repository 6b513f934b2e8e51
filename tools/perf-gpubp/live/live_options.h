/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The target options of the verbs that watch live.
 */
#ifndef PERF_GPUBP_LIVE_OPTIONS_H
#define PERF_GPUBP_LIVE_OPTIONS_H

#include <subcmd/parse-options.h>
#include "live.h"
#include "picks.h"

/* their rows in the table of a verb's options */
#define TARGET_OPTIONS(target)						\
	OPT_STRING('p', "pid", &(target)->pids, "PID", "watch processes"), \
	OPT_STRING('t', "tid", &(target)->tids, "TID", "watch threads"), \
	OPT_STRING('G', "cgroup", &(target)->cgroup, "NAME",		\
		   "watch the threads of a cgroup, and their children"), \
	OPT_STRING('C', "cpu", &(target)->cpus, "CPUS", "watch CPUs"),	\
	OPT_BOOLEAN('a', "all-cpus", &(target)->all, "watch all CPUs")

/**
 * live_pick() - open the events that the options pick
 * @live: out
 * @target: target
 * @picks: events, resolved here: watches of a whole buffer need a target that
 *	is one process which has names
 * @sampling: with samples
 *
 * Return: 0, or the exit status; then a sentence was printed.
 */
int live_pick(struct live **live, const struct live_target *target,
	      struct picks *picks, bool sampling);

/** live_complain() - the exit status of an error of picks.h or live.h, and print it */
int live_complain(int ret, const struct grun_err *err);

/** live_open_picks() - likewise, of events that are resolved */
int live_open_picks(struct live **live, const struct live_target *target,
		    const struct picks *picks, bool sampling);

/** live_need_session() - 0, or the exit status: without /dev/gpubp there are no statistics */
int live_need_session(const struct live *live);

/**
 * live_names() - the names that a process has now
 * @names: out, empty if there are none
 * @pid: process
 */
void live_names(struct symmap *names, int pid);

/** live_signals() - note SIGINT, SIGTERM (and SIGWINCH) from now on */
void live_signals(void);

/** live_signals_end() - undo live_signals() */
void live_signals_end(void);

/** live_interrupted() - was there a SIGINT or SIGTERM? */
bool live_interrupted(void);

/** live_pass_sigterm() - pass a SIGTERM on to the command, once */
void live_pass_sigterm(const struct live *live);

/** live_now() - seconds of a clock that always advances */
double live_now(void);

#endif /* PERF_GPUBP_LIVE_OPTIONS_H */
