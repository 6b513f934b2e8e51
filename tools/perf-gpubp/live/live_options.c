// SPDX-License-Identifier: GPL-2.0
/*
 * What the verbs that watch live have in common.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "attach.h"
#include "live_options.h"
#include "verb.h"

static volatile sig_atomic_t interrupted;

static void note_signal(int sig)
{
	if (sig != SIGWINCH)
		interrupted = sig;
}

static const int signals[] = { SIGINT, SIGTERM, SIGWINCH };

#define NR_SIGNALS	(sizeof(signals) / sizeof(signals[0]))

static struct sigaction before[NR_SIGNALS];

void live_signals(void)
{
	/* without SA_RESTART: they end live_wait() */
	struct sigaction action = { .sa_handler = note_signal };
	size_t i;

	for (i = 0; i < NR_SIGNALS; i++)
		sigaction(signals[i], &action, &before[i]);
}

void live_signals_end(void)
{
	size_t i;

	for (i = 0; i < NR_SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
}

bool live_interrupted(void)
{
	return interrupted;
}

void live_pass_sigterm(const struct live *live)
{
	static bool passed_on;

	if (interrupted == SIGTERM && !passed_on)
		passed_on = !kill(live_command(live), SIGTERM);
}

double live_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void live_names(struct symmap *names, int pid)
{
	struct grun_err err;

	symmap_read_process(names, (uint32_t)pid, &err);
}

static int resolve_picks(struct picks *picks, const struct live_target *target,
			 struct grun_err *err)
{
	struct symmap names = {};
	int ret;

	if (target->pids && !strchr(target->pids, ','))
		live_names(&names, atoi(target->pids));
	picks->command = target->command;
	ret = picks_resolve(picks, names.nr ? &names : NULL, err);
	symmap_free(&names);
	return ret;
}

static int open_picks(struct live **live, const struct live_target *target,
		      const struct picks *picks, bool sampling,
		      struct grun_err *err)
{
	struct perf_event_attr *attrs = picks_attrs(picks);
	unsigned int i;
	int ret = attrs ? 0 : grun_fail(err, -ENOMEM, "out of memory");

	for (i = 0; !ret && i < picks->nr; i++)
		ret = live_prepare(&attrs[i], sampling, err);
	if (!ret)
		ret = live_open(live, target, attrs, picks->nr, err);
	free(attrs);
	return ret;
}

int live_complain(int ret, const struct grun_err *err)
{
	if (!ret)
		return 0;
	/* what is wrong on the command line, and files that are not there */
	return ret == -EINVAL || ret == -ENOENT ? misuse("%s", err->text) :
						  complain("%s", err->text);
}

int live_need_session(const struct live *live)
{
	if (live_session(live) >= 0)
		return 0;
	return complain("/dev/gpubp cannot be opened: see perf-gpubp doctor");
}

int live_open_picks(struct live **live, const struct live_target *target,
		    const struct picks *picks, bool sampling)
{
	struct grun_err err;
	int ret = open_picks(live, target, picks, sampling, &err);

	return live_complain(ret, &err);
}

int live_pick(struct live **live, const struct live_target *target,
	      struct picks *picks, bool sampling)
{
	struct grun_err err;
	int ret = attach_for_kernel(target->pids, &err);

	ret = ret ? ret : resolve_picks(picks, target, &err);
	if (!ret)
		ret = open_picks(live, target, picks, sampling, &err);
	return live_complain(ret, &err);
}
