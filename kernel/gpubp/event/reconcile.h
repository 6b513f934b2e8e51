/* SPDX-License-Identifier: GPL-2.0 */
/* Reconcile: when bindings are made to follow what the events want. */
#ifndef _GPUBP_EVENT_RECONCILE_H
#define _GPUBP_EVENT_RECONCILE_H

#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_event;

void gpubp_event_added(struct gpubp_event *gev);
void gpubp_event_changed(struct gpubp_event *gev);
void gpubp_event_withdraw(struct gpubp_event *gev);
bool gpubp_events_reconcile(void);
bool gpubp_ctx_is_reconciled(struct gpubp_ctx *ctx);
void gpubp_event_spec_changed(struct gpubp_event *gev);
void gpubp_reconcile_init(void);
void gpubp_reconcile_exit(void);

#endif /* _GPUBP_EVENT_RECONCILE_H */
