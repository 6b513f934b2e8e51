// SPDX-License-Identifier: GPL-2.0
/* Tracepoints: their definition, and checks of their layout. */
#include <linux/build_bug.h>
#include <linux/stddef.h>

#define CREATE_TRACE_POINTS
#include "tracepoint.h"

#define SAME_OFFSET(field)						\
	static_assert(offsetof(struct trace_event_raw_gpubp_hit, field) ==	\
		      offsetof(struct gpubp_hit_record, field))

SAME_OFFSET(addr);
SAME_OFFSET(wave);
SAME_OFFSET(context);
SAME_OFFSET(width);
SAME_OFFSET(addr_state);
SAME_OFFSET(wave_in_group);
SAME_OFFSET(exceptions);
SAME_OFFSET(kind);
SAME_OFFSET(trap_id);
SAME_OFFSET(hit_addr);
SAME_OFFSET(unused2);
static_assert(sizeof(struct gpubp_hit_record) % 8 == 4);
/* no padding: it would leak old buffer content */
static_assert(offsetofend(struct trace_event_raw_gpubp_hit, cpu) ==
	      sizeof(struct trace_event_raw_gpubp_hit));

/** gpubp_hit_event_type() - id of gpubp:gpubp_hit, as raw records carry it */
u16 gpubp_hit_event_type(void)
{
	return event_gpubp_hit.event.type;
}
