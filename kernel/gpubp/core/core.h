/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core: what exists, whatever is wanted of it.
 *
 * Devices, their contexts and queues, and the names of buffers in them; users and
 * what is charged to them; hits on their way (cell.c, tickets.c) and the tasks that
 * own them; clocks, counters and the log; requests of runs of the worker that
 * commits. types.h has the data of what events want. Nothing here decides anything,
 * and nothing calls a room above but by callbacks that were registered.
 */
#ifndef _GPUBP_CORE_CORE_H
#define _GPUBP_CORE_CORE_H

#include "event_time.h"
#include "buffers.h"
#include "cell.h"
#include "context.h"
#include "ctx_ops.h"
#include "device.h"
#include "occupancy_log.h"
#include "owner.h"
#include "poll.h"
#include "quota.h"
#include "request.h"
#include "slots.h"
#include "stats.h"
#include "tickets.h"
#include "tracepoint.h"
#include "types.h"

#endif /* _GPUBP_CORE_CORE_H */
