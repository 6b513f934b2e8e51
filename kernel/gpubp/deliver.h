/* SPDX-License-Identifier: GPL-2.0 */
/* Deliver: a resolved hit becomes counts, samples and signals. */
#ifndef _GPUBP_DELIVER_H
#define _GPUBP_DELIVER_H

#include <linux/types.h>
#include <uapi/linux/gpubp.h>

struct gpubp_event;
struct gpubp_hit_cell;
struct gpubp_hit_match;

/**
 * struct gpubp_emission - one sample being written
 * @record: the raw record, which perf writes to the ring; perf rewrites its
 *	first 8 bytes
 */
struct gpubp_emission {
	struct gpubp_hit_record record;
};

void gpubp_deliver(struct gpubp_hit_cell *cell);
void gpubp_drain_soon(void);
void gpubp_drain_before_del(void);
bool gpubp_drain_pending(void);
void gpubp_deliver_init(void);
void gpubp_deliver_exit(void);

#endif /* _GPUBP_DELIVER_H */
