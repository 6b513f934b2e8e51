/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Holdings: the holds that a session has by one of its attachments, and when
 * they end. All is under gpubp_holds_lock.
 */
#ifndef _GPUBP_SESSION_HOLDING_H
#define _GPUBP_SESSION_HOLDING_H

#include <linux/list.h>
#include <linux/types.h>

struct gpubp_caught_event;
struct gpubp_hold;
struct gpubp_session;

/**
 * struct gpubp_holding - exists while it has a hold
 * @node: entry in the list of all, or in &gpubp_session.holdings_over
 * @event_node: entry in the hash table by @event, unless it is over
 * @session: session
 * @event: id of the attachment
 * @caught: the event whose hits hold its waves, NULL: it is no catch, or not any more
 * @round: when it was last looked at
 * @holds: its holds, by &gpubp_hold.holding_node
 */
struct gpubp_holding {
	struct list_head node;
	struct hlist_node event_node;
	struct gpubp_session *session;
	u64 event;
	struct gpubp_caught_event *caught;
	u64 round;
	struct list_head holds;
};

struct gpubp_holding *gpubp_holding_find(const struct gpubp_session *session,
					 u64 event);
void gpubp_holding_open(struct gpubp_holding *holding,
			struct gpubp_session *session, u64 event);
void gpubp_hold_join(struct gpubp_hold *h, struct gpubp_holding *holding);
bool gpubp_hold_set_until(struct gpubp_hold *h, u64 until);
void gpubp_holding_set_over(struct gpubp_holding *holding);
void gpubp_hold_leave(struct gpubp_hold *h);

bool gpubp_session_is_alive(const struct gpubp_session *session);
void gpubp_holdings_event_removed(u64 event);
void gpubp_holdings_detached(struct gpubp_session *session, u64 event);
unsigned long gpubp_holdings_look(void);
unsigned long gpubp_holds_expire(u64 now);

void gpubp_session_set_due(struct gpubp_session *session);
struct gpubp_session *gpubp_session_next_due(void);
struct gpubp_hold *gpubp_session_due_hold(struct gpubp_session *session);

#endif /* _GPUBP_SESSION_HOLDING_H */
