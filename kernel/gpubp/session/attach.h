/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attachments: the rights of a session in another process, from a perf event
 * that its own process opened on it.
 */
#ifndef _GPUBP_SESSION_ATTACH_H
#define _GPUBP_SESSION_ATTACH_H

#include <linux/types.h>
#include <uapi/linux/gpubp.h>

struct gpubp_event;
struct gpubp_session;
struct pid;

int gpubp_session_may(struct gpubp_session *session, u64 id, u32 right,
		      struct pid *pid);
struct pid *gpubp_session_target(struct gpubp_session *session, u64 id);
int gpubp_attach_check(const struct gpubp_event *gev);
struct gpubp_event *gpubp_attached_event(struct gpubp_session *session, u64 id);
bool gpubp_attachment_is_valid(struct gpubp_session *session, u64 id);

void gpubp_attachments_init(struct gpubp_session *session);
void gpubp_attachments_exit(struct gpubp_session *session);
long gpubp_attach_cmd(struct gpubp_session *session, void *arg);
long gpubp_detach_cmd(struct gpubp_session *session, void *arg);
long gpubp_rights_cmd(struct gpubp_session *session, void *arg);

#endif /* _GPUBP_SESSION_ATTACH_H */
