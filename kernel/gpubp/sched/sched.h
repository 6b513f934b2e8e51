/* SPDX-License-Identifier: GPL-2.0 */
/* Scheduler: the worker that arms what is wanted, and its policy. */
#ifndef _GPUBP_SCHED_H
#define _GPUBP_SCHED_H

struct gpubp_device;

void gpubp_sched_init(struct gpubp_device *dev);
void gpubp_sched_suspended(struct gpubp_device *dev);
const char *gpubp_sched_policy(const struct gpubp_device *dev);
int gpubp_sched_set_policy(struct gpubp_device *dev, const char *name);

#endif /* _GPUBP_SCHED_H */
