/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The room of hits: from the provider's interrupt to what an event gets.
 *
 * report.c takes a cell in the interrupt. In the device's resolver thread resolve.c
 * finds out why the wave stopped and what it accessed, match.c whom that concerns;
 * then it is perf's.
 */
#ifndef _GPUBP_HIT_HIT_H
#define _GPUBP_HIT_HIT_H

struct gpubp_device;

void gpubp_report_init(struct gpubp_device *dev);
int gpubp_resolve_init(struct gpubp_device *dev);

#endif /* _GPUBP_HIT_HIT_H */
