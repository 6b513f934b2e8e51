/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notices: what read() of a session returns; and the attachments that they are about.
 */
#ifndef _GPUBP_SESSION_NOTICE_H
#define _GPUBP_SESSION_NOTICE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <uapi/linux/gpubp.h>

struct file;
struct gpubp_ctx;
struct gpubp_session;
struct pid;
struct poll_table_struct;

/**
 * struct gpubp_any_notice - a record of any type
 * @head: what all begin with; .size and .type are set by who makes it
 * @stop: %GPUBP_NOTICE_STOP
 * @wave: %GPUBP_NOTICE_STEPPED, %GPUBP_NOTICE_ENDED
 * @context: %GPUBP_NOTICE_CONTEXT
 * @detached: %GPUBP_NOTICE_DETACHED
 * @lost: %GPUBP_NOTICE_LOST
 * @fault: %GPUBP_NOTICE_FAULT
 */
struct gpubp_any_notice {
	union {
		struct gpubp_notice head;
		struct gpubp_notice_stop stop;
		struct gpubp_notice_wave wave;
		struct gpubp_notice_context context;
		struct gpubp_notice_detached detached;
		struct gpubp_notice_lost lost;
		struct gpubp_notice_fault fault;
	};
};

/**
 * struct gpubp_notices - records that a session has not read yet
 * @lock: protects all but @wait and @reading; any context but interrupts, innermost
 * @wait: for a record
 * @reading: serialises readers
 * @ring: NOTICES records, NULL before the first attachment
 * @head: records that were put
 * @tail: records that were taken
 * @seq: number of the last record that there was, kept or not
 * @next: number of the one that a reader gets next: if no record has it, some are lost
 */
struct gpubp_notices {
	spinlock_t lock;
	wait_queue_head_t wait;
	struct mutex reading;
	struct gpubp_any_notice *ring;
	unsigned int head;
	unsigned int tail;
	u64 seq;
	u64 next;
};

/**
 * struct gpubp_attached - an attachment with notices; under attached_lock of notice.c
 * @node: in the list of all, in the order in which they are looked at
 * @pid_node: in the hash table by @pid
 * @event_node: in the hash table by @event
 * @session_node: in &gpubp_session.attached
 * @session: session
 * @event: id of the event
 * @pid: thread group of the target
 * @round: when it was last looked at
 */
struct gpubp_attached {
	struct list_head node;
	struct hlist_node pid_node;
	struct hlist_node event_node;
	struct list_head session_node;
	struct gpubp_session *session;
	u64 event;
	struct pid *pid;
	u64 round;
};

void gpubp_notices_init(struct gpubp_session *session);
void gpubp_notices_exit(struct gpubp_session *session);
int gpubp_notices_alloc(struct gpubp_session *session);
void gpubp_notice_put(struct gpubp_session *session,
		      const struct gpubp_any_notice *notice);
u64 gpubp_notice_next(struct gpubp_session *session);
ssize_t gpubp_notices_read(struct file *file, char __user *buf, size_t len,
			   loff_t *pos);
__poll_t gpubp_notices_poll(struct file *file, struct poll_table_struct *wait);

void gpubp_attached_add(struct gpubp_attached *attached,
			struct gpubp_session *session, u64 event,
			struct pid *pid, u64 *seq);
void gpubp_attached_end(struct gpubp_session *session, u64 event, u32 why);
void gpubp_attached_exit_session(struct gpubp_session *session);
unsigned long gpubp_attached_look(void);

#endif /* _GPUBP_SESSION_NOTICE_H */
