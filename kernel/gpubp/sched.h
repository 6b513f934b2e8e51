/* SPDX-License-Identifier: GPL-2.0 */
/* Scheduler: the worker that arms what is wanted, and waiting for it. */
#ifndef _GPUBP_SCHED_H
#define _GPUBP_SCHED_H

struct gpubp_ctx;
struct gpubp_device;

void gpubp_sched_init(struct gpubp_device *dev);
void gpubp_sched_stop(struct gpubp_device *dev);
void gpubp_sched_kick(struct gpubp_device *dev);
void gpubp_sched_flush(struct gpubp_device *dev);
int gpubp_sched_wait(struct gpubp_device *dev);
void gpubp_sched_suspended(struct gpubp_device *dev);
int gpubp_sched_wait_timeout(struct gpubp_device *dev, unsigned long timeout);
void gpubp_sched_reset(struct gpubp_device *dev);

#endif /* _GPUBP_SCHED_H */
