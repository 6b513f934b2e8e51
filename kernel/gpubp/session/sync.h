/* SPDX-License-Identifier: GPL-2.0 */
/* Sync: wait until the watches of an event are armed; read its statistics. */
#ifndef _GPUBP_SESSION_SYNC_H
#define _GPUBP_SESSION_SYNC_H

struct gpubp_session;

long gpubp_sync_cmd(struct gpubp_session *session, void *arg);
long gpubp_stats_cmd(struct gpubp_session *session, void *arg);
long gpubp_modify_cmd(struct gpubp_session *session, void *arg);

#endif /* _GPUBP_SESSION_SYNC_H */
