/* SPDX-License-Identifier: GPL-2.0 */
/* Drain: write pending hits as samples and signals. */
#ifndef _GPUBP_PERF_DRAIN_H
#define _GPUBP_PERF_DRAIN_H

#include <linux/types.h>

#include "../compat/target.h"

struct gpubp_event;
struct gpubp_owner;
struct gpubp_ticket;
struct perf_event;
struct task_struct;

bool gpubp_drain_queue(struct gpubp_owner *owner, struct task_struct *task,
		       struct gpubp_ticket *ticket);
bool gpubp_drain_queue_cpu(int cpu, struct gpubp_ticket *ticket);
void gpubp_drain_on_add(const struct perf_event *event);
void gpubp_drain_retry_later(void);
void gpubp_drain_soon(void);
void gpubp_drain_disabled(const struct perf_event *event);
void gpubp_drain_before_del(enum gpubp_delivery delivery);
bool gpubp_drain_pending(void);
void gpubp_drain_init(void);

#endif /* _GPUBP_PERF_DRAIN_H */
