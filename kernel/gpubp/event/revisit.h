/* SPDX-License-Identifier: GPL-2.0 */
/* Revisit: events and contexts that are looked at again, as they may change. */
#ifndef _GPUBP_EVENT_REVISIT_H
#define _GPUBP_EVENT_REVISIT_H

#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_event;

void gpubp_revisit_event(struct gpubp_event *gev);
void gpubp_revisit_event_end(struct gpubp_event *gev);
void gpubp_revisit_tick(void);
struct gpubp_event *gpubp_revisit_next_event(void);
void gpubp_revisit_ctx(struct gpubp_ctx *ctx);
void gpubp_revisit_ctx_end(struct gpubp_ctx *ctx);
struct gpubp_ctx *gpubp_revisit_next_ctx(void);
bool gpubp_revisit_any(void);

#endif /* _GPUBP_EVENT_REVISIT_H */
