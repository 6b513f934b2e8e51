/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The room of hits: from the provider's interrupt to matched events.
 *
 * report.c fills a cell in the interrupt. In the device's resolver thread
 * resolve.c finds out why the wave stopped and what it accessed, and match.c
 * which watches and traps match; then the hit is passed to perf/.
 */
#ifndef _GPUBP_HIT_HIT_H
#define _GPUBP_HIT_HIT_H

#include <linux/types.h>

struct gpubp_device;
struct gpubp_hit_cell;

void gpubp_report_init(struct gpubp_device *dev);
int gpubp_resolve_init(struct gpubp_device *dev);
void gpubp_hit_set_catch(bool (*fn)(struct gpubp_hit_cell *cell, bool unsimulated));

#endif /* _GPUBP_HIT_HIT_H */
