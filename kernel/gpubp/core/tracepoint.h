/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints; gpubp_hit also defines the raw record of samples. */
#ifndef _GPUBP_CORE_TRACEPOINT_H
#define _GPUBP_CORE_TRACEPOINT_H

#include <linux/types.h>
#include <trace/events/gpubp.h>

u16 gpubp_hit_event_type(void);

#endif /* _GPUBP_CORE_TRACEPOINT_H */
