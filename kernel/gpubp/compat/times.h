/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Times: what perf shows of an event as time enabled and time running.
 *
 * All of it is replaced by: a PMU capability "has a clock of its own", and a
 * callback that perf core asks for both times, whatever the event's state.
 */
#ifndef _GPUBP_COMPAT_TIMES_H
#define _GPUBP_COMPAT_TIMES_H

#include <linux/types.h>

#include "../core/account.h"

struct gpubp_event;

/**
 * struct gpubp_on - a time that perf had an event scheduled in; any context
 * @from: ns of CLOCK_MONOTONIC
 * @to: likewise; U64_MAX as long as it is on, 0 it never was
 */
struct gpubp_on {
	u64 from;
	u64 to;
};

/**
 * struct gpubp_times - where we left an event's times; under perf's ctx->lock
 * @enabled: perf_event.total_time_enabled
 * @running: perf_event.total_time_running
 * @acc: the account that they show
 * @on: the event has been enabled since then
 * @home: hits are counted here, not by another CPU's copy
 * @last: the last times that it was on, of an event that counts only then
 * @nr: of them, there were so many
 */
struct gpubp_times {
	u64 enabled;
	u64 running;
	struct gpubp_account acc;
	bool on;
	bool home;
	struct gpubp_on last[16];
	unsigned int nr;
};

void gpubp_times_add(struct gpubp_event *gev);
void gpubp_times_read(struct gpubp_event *gev);
void gpubp_times_del(struct gpubp_event *gev);
void gpubp_times_tick(struct gpubp_event *gev);
bool gpubp_times_counts(const struct gpubp_event *gev, u64 when);

#endif /* _GPUBP_COMPAT_TIMES_H */
