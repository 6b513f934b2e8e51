/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/gpubp: the ioctls; errors are returned as negative errno. */
#ifndef SELFTESTS_SESSION_H
#define SELFTESTS_SESSION_H

#include <stdint.h>
#include <linux/gpubp.h>

/** session_open() - a session, or a negative errno */
int session_open(void);

/** session_call() - call any ioctl; 0 or a negative errno */
int session_call(int session, unsigned long cmd, void *arg);

/** session_id() - perf's id of an event; 0 if it is no event */
uint64_t session_id(int event);

/** session_context() - the context of the caller, who opened @event on itself; 0 or a negative errno */
int session_context(int session, int event, struct gpubp_context *context);

/** session_modify() - modify an event to watch [addr, addr + 4) for stores */
int session_modify(int session, int event, uint64_t addr);

/**
 * session_sync() - wait until an event is armed
 * @session: session
 * @event: event
 * @seconds: longest wait
 * @sync: out: the counts; or NULL
 */
int session_sync(int session, int event, unsigned int seconds,
		 struct gpubp_sync *sync);

/** session_armed() - wait for an event: how many watches it has if all are armed, or 0 */
unsigned int session_armed(int session, int event, unsigned int seconds);

/**
 * session_set() - create a watch set
 * @session: session
 * @set: out: its id
 */
int session_set(int session, uint32_t *set);

/** session_drop_set() - destroy a watch set */
int session_drop_set(int session, uint32_t set);

/**
 * session_condition_create() - create a condition
 * @session: session
 * @condition: condition
 * @id: out: its id
 */
int session_condition_create(int session, const struct gpubp_condition *condition,
			     uint32_t *id);

/** session_condition_destroy() - destroy a condition */
int session_condition_destroy(int session, uint32_t id);

/**
 * session_update() - load, change and remove members
 * @session: session
 * @set: set
 * @watches: entries
 * @nr: number of entries
 * @bad: out: the entry that was refused; or NULL
 */
int session_update(int session, uint32_t set, struct gpubp_set_watch *watches,
		   uint32_t nr, uint32_t *bad);

/**
 * session_read() - read members and their counts
 * @session: session
 * @set: set
 * @after: return members with greater ids
 * @watches: buffer
 * @nr: entries of @watches
 *
 * Return: how many, or a negative errno.
 */
int session_read(int session, uint32_t set, uint64_t after,
		 struct gpubp_set_watch *watches, uint32_t nr);

/** session_stats() - GPUBP_STATS of an event; 0 or a negative errno */
int session_stats(int session, int event, struct gpubp_event_stats *stats);

/** session_stall_throttled() - GPUBP_STATS' stall_throttled, -1 on failure */
int64_t session_stall_throttled(int session, int event);

/** session_matched() - GPUBP_STATS' matched, -1 on failure */
int64_t session_matched(int session, int event);

#endif /* SELFTESTS_SESSION_H */
