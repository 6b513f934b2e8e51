/* SPDX-License-Identifier: GPL-2.0 */
/* Modify: what an event watches, changed in place. */
#ifndef _GPUBP_MODIFY_H
#define _GPUBP_MODIFY_H

#include <linux/types.h>

struct gpubp_event;

int gpubp_event_modify(struct gpubp_event *gev, u64 config, u64 config1,
		       u64 config2);

#endif /* _GPUBP_MODIFY_H */
