/* SPDX-License-Identifier: GPL-2.0 */
/* Modify: what an event watches, changed in place. */
#ifndef _GPUBP_MODIFY_H
#define _GPUBP_MODIFY_H

#include <linux/types.h>

struct gpubp_event;
struct gpubp_session;

int gpubp_event_modify(struct gpubp_event *gev, u64 config, u64 config1,
		       u64 config2);
long gpubp_modify_cmd(struct gpubp_session *session, void *arg);

#endif /* _GPUBP_MODIFY_H */
