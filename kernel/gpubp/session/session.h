/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: one open file of /dev/gpubp, and what its process may name.
 */
#ifndef _GPUBP_SESSION_H
#define _GPUBP_SESSION_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/semaphore.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct gpubp_event;
struct gpubp_user;
struct pid;

/**
 * struct gpubp_session - one open file
 * @opener: thread group that opened it, the only one that it serves
 * @user: whose it is, for good
 * @lock: protects the lists; outside gpubp_events_lock
 * @attachments: by the id of the event; attach.c
 * @nr_attachments: entries of @attachments; under @lock
 * @sets: watch sets that it made
 * @turn: of whoever does something to its holds (hold.h), one at a time. No
 *	mutex: ops are called in it. Nothing that a provider calls takes it
 * @over: some of its holds were over when somebody else had the turn, who looks
 *	at its end; under gpubp_holds_lock
 */
struct gpubp_session {
	struct pid *opener;
	struct gpubp_user *user;
	struct mutex lock;
	struct xarray attachments;
	unsigned int nr_attachments;
	struct list_head sets;
	struct semaphore turn;
	bool over;
};

struct gpubp_event *gpubp_session_event(struct gpubp_session *session, u64 id);
int gpubp_session_init(void);
void gpubp_session_exit(void);

#endif /* _GPUBP_SESSION_H */
