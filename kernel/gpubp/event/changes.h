/* SPDX-License-Identifier: GPL-2.0 */
/* Changes: events and contexts that are known to have changed. */
#ifndef _GPUBP_EVENT_CHANGES_H
#define _GPUBP_EVENT_CHANGES_H

#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_event;

void gpubp_changes_add_event(struct gpubp_event *gev);
void gpubp_changes_del_event(struct gpubp_event *gev);
struct gpubp_event *gpubp_changes_take_event(void);
void gpubp_changes_add_ctx(struct gpubp_ctx *ctx);
void gpubp_changes_withdraw_ctx(struct gpubp_ctx *ctx);
struct gpubp_ctx *gpubp_changes_take_ctx(void);
bool gpubp_changes_exist(void);

#endif /* _GPUBP_EVENT_CHANGES_H */
