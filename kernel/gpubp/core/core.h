/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core: the objects of the subsystem, independent of what events ask for.
 *
 * Devices, their contexts and queues, and the names of buffers in them; users
 * and what is charged to them; pending hits (cell.c, tickets.c) and the tasks
 * that own them; clocks, counters and the occupancy log; requests that the
 * commit worker runs. types.h has the data structures of events and watches.
 * The core makes no policy decision, and it calls a room above only by
 * registered callbacks.
 */
#ifndef _GPUBP_CORE_CORE_H
#define _GPUBP_CORE_CORE_H

#include "event_time.h"
#include "buffers.h"
#include "cell.h"
#include "context.h"
#include "ctx_ops.h"
#include "ctx_owner.h"
#include "device.h"
#include "occupancy_log.h"
#include "owner.h"
#include "poll.h"
#include "quota.h"
#include "request.h"
#include "ring_poll.h"
#include "room.h"
#include "slots.h"
#include "stats.h"
#include "tickets.h"
#include "tracepoint.h"
#include "types.h"

#endif /* _GPUBP_CORE_CORE_H */
