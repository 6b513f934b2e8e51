/* SPDX-License-Identifier: GPL-2.0 */
/* A binding connects an event to a watch, a set binding or a trap. */
#ifndef _GPUBP_EVENT_BIND_H
#define _GPUBP_EVENT_BIND_H

#include <linux/err.h>

#include "../core/core.h"

/* in gpubp_event.reconciled_target; not the key of any target */
#define GPUBP_BEING_RECONCILED	ERR_PTR(-EINPROGRESS)

struct seq_file;

extern struct list_head gpubp_partial_events;

bool gpubp_bind(struct gpubp_event *gev, unsigned int *budget);
void gpubp_bind_again(struct gpubp_event *gev);
bool gpubp_bind_is_partial(const struct gpubp_event *gev);
bool gpubp_bind_ctx(struct gpubp_event *gev, struct gpubp_ctx *ctx,
		    unsigned int *budget);
void gpubp_bind_update_groups(struct gpubp_event *gev);
void gpubp_bind_update_pinned(struct gpubp_event *gev);
bool gpubp_bind_end_unwanted(struct gpubp_ctx *ctx, unsigned int max);
bool gpubp_unbind(struct gpubp_event *gev, unsigned int max);
bool gpubp_unbind_ctx(struct gpubp_ctx *ctx, unsigned int max);
void gpubp_binding_show(const struct gpubp_binding *b, struct seq_file *m);

#endif /* _GPUBP_EVENT_BIND_H */
