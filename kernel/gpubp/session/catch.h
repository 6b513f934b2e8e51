/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Catches: hits of perf events that hold their waves for a session. All is under
 * gpubp_holds_lock.
 */
#ifndef _GPUBP_SESSION_CATCH_H
#define _GPUBP_SESSION_CATCH_H

#include <linux/list.h>
#include <linux/types.h>

struct gpubp_hold;
struct gpubp_holding;
struct gpubp_session;
struct pid;

/**
 * struct gpubp_caught_event - an event whose hits a session catches
 * @event_node: in the hash table by @event
 * @attachment_node: in the hash table by @attachment
 * @session_node: in &gpubp_session.caught_events
 * @session: session
 * @pid: thread group of the target, whose contexts the session has rights in
 * @event: id of the event; at most one session catches it
 * @attachment: id of the attachment
 * @timeout_ns: how long a wave is held at most, U64_MAX: for ever
 * @missed: hits that did not hold their wave
 * @holding: the holds of its hits, NULL if there are none
 * @spare: preallocated, for that
 */
struct gpubp_caught_event {
	struct hlist_node event_node;
	struct hlist_node attachment_node;
	struct list_head session_node;
	struct gpubp_session *session;
	struct pid *pid;
	u64 event;
	u64 attachment;
	u64 timeout_ns;
	u64 missed;
	struct gpubp_holding *holding;
	struct gpubp_holding *spare;
};

void gpubp_caught_event_join(struct gpubp_caught_event *ce, struct gpubp_hold *h);
void gpubp_caught_event_emptied(struct gpubp_caught_event *ce);
void gpubp_caught_event_end(struct gpubp_caught_event *ce);
bool gpubp_caught_events_end(u64 event, const struct gpubp_session *session);

long gpubp_catch_cmd(struct gpubp_session *session, void *arg);
long gpubp_uncatch_cmd(struct gpubp_session *session, void *arg);
void gpubp_catches_exit_session(struct gpubp_session *session);
void gpubp_catch_init(void);

#endif /* _GPUBP_SESSION_CATCH_H */
