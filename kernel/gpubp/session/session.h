/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The room of sessions: /dev/gpubp, for debuggers.
 *
 * A session is one open file. session.c dispatches its ioctls; attach.c checks
 * the rights that perf events give it in other processes. hold.c halts waves
 * and hold_reaper.c ends holds, when holding.c says so; catch.c has hits hold
 * waves, and notice.c has what a reader learns of all that; runctl.c,
 * displaced.c, regs.c, mem.c and dump.c implement run control. wait.c waits for
 * devices. sync.c, reason_cmd.c, filter_cmds.c, set_cmds.c and publish.c are the
 * ioctls on events, on refused events, on conditions, on watch sets and on
 * names.
 */
#ifndef _GPUBP_SESSION_SESSION_H
#define _GPUBP_SESSION_SESSION_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/semaphore.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "notice.h"

struct gpubp_event;
struct gpubp_user;
struct pid;

/**
 * struct gpubp_session - one open file
 * @opener: thread group that opened it, the only one that may use it
 * @user: user of the opener, charged for its holds and buffers; never changes
 * @lock: protects @attachments, @sets and @filters; nests outside gpubp_events_lock
 * @notices: what read() returns
 * @attached: its attachments with notices (notice.c)
 * @attachments: by the id of the event; attach.c
 * @nr_attachments: entries of @attachments; under @lock
 * @sets: watch sets that the session created
 * @filters: conditions that it created
 * @op_sem: serialises operations on its holds (hold.h). Not a mutex, as ops are
 *	called with it held. No function that a provider calls takes it
 * @nr_reserved: holds that are reserved for hits, spare or in use; under @lock
 * @holds: its holds, also those that ended; this and the following under
 *	gpubp_holds_lock
 * @spare_holds: holds for hits, by gpubp_hold.session_node
 * @caught_events: events that it catches (catch.c)
 * @nr_caught_events: entries of @caught_events
 * @holds_due: those whose time limit expired and that have not ended
 * @holdings_over: those whose holds are due (holding.c)
 * @due_node: in a list of holding.c, until the thread has seen what is due
 * @holds_ended: some of its holds are due and the thread has seen that: the
 *	holder of @op_sem ends them; also read without the lock
 */
struct gpubp_session {
	struct pid *opener;
	struct gpubp_user *user;
	struct mutex lock;
	struct gpubp_notices notices;
	struct list_head attached;
	struct xarray attachments;
	unsigned int nr_attachments;
	struct list_head sets;
	struct list_head filters;
	struct semaphore op_sem;
	unsigned int nr_reserved;
	struct list_head holds;
	struct list_head spare_holds;
	struct list_head caught_events;
	unsigned int nr_caught_events;
	struct list_head holds_due;
	struct list_head holdings_over;
	struct list_head due_node;
	bool holds_ended;
};

struct gpubp_event *gpubp_session_event(struct gpubp_session *session, u64 id);
void gpubp_session_ctx_created(struct gpubp_ctx *ctx);
void gpubp_session_ctx_destroyed(struct gpubp_ctx *ctx);
int gpubp_session_init(void);
void gpubp_session_exit(void);

/* dump.c */
extern const struct file_operations gpubp_waves_fops;

/* hold.c */
void gpubp_holds_exit_ctx(struct gpubp_ctx *ctx);
int gpubp_holds_init(void);
void gpubp_holds_exit(void);

#endif /* _GPUBP_SESSION_SESSION_H */
