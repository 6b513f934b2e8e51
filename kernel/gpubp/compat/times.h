/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Times: what perf shows of an event as time enabled and time running.
 *
 * All of it is replaced by: a PMU capability "has a clock of its own", and a
 * callback that perf core asks for both times, whatever the event's state.
 */
#ifndef _GPUBP_COMPAT_TIMES_H
#define _GPUBP_COMPAT_TIMES_H

#include "../core/core.h"

void gpubp_times_add(struct gpubp_event *gev);
void gpubp_times_read(struct gpubp_event *gev);
void gpubp_times_del(struct gpubp_event *gev);
void gpubp_times_tick(struct gpubp_event *gev);
bool gpubp_times_counts(const struct gpubp_event *gev, u64 when);

#endif /* _GPUBP_COMPAT_TIMES_H */
