/* SPDX-License-Identifier: GPL-2.0 */
/* Reserve: what pinned events were promised at open. */
#ifndef _GPUBP_RESERVE_H
#define _GPUBP_RESERVE_H

struct gpubp_event;

int gpubp_reserve(struct gpubp_event *gev);
void gpubp_unreserve(struct gpubp_event *gev);

#endif /* _GPUBP_RESERVE_H */
