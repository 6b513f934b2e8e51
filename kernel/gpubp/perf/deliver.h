/* SPDX-License-Identifier: GPL-2.0 */
/* Deliver: a resolved hit becomes counts, and tickets for samples. */
#ifndef _GPUBP_DELIVER_H
#define _GPUBP_DELIVER_H

struct gpubp_hit_cell;

void gpubp_deliver(struct gpubp_hit_cell *first);

#endif /* _GPUBP_DELIVER_H */
