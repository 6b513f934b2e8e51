/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Times: an event's time enabled and time running in perf.
 *
 * All of it is replaced by: a PMU capability "has a clock of its own", and a
 * callback for perf core to read both times in any state of the event.
 */
#ifndef _GPUBP_COMPAT_TIMES_H
#define _GPUBP_COMPAT_TIMES_H

#include "../core/core.h"

struct pid;

int gpubp_times_init(struct gpubp_event *gev);
void gpubp_times_add(struct gpubp_event *gev);
void gpubp_times_read(struct gpubp_event *gev);
void gpubp_times_del(struct gpubp_event *gev);
void gpubp_times_tick(struct gpubp_event *gev);
bool gpubp_times_counts(const struct gpubp_event *gev, u64 when);
bool gpubp_times_was_on(const struct gpubp_event *gev, u64 when);
void gpubp_times_limit(struct gpubp_event *gev, u64 when);
u64 gpubp_times_paused_at(const struct gpubp_event *gev);
u64 gpubp_times_enabled_since(const struct gpubp_event *gev, struct pid *pid,
			      u64 *maybe);
bool gpubp_times_pauses(const struct perf_event *event);

#endif /* _GPUBP_COMPAT_TIMES_H */
