/* SPDX-License-Identifier: GPL-2.0 */
/* Conditions of a session: the GPUBP_CONDITION_* ioctls. */
#ifndef _GPUBP_SESSION_FILTER_CMDS_H
#define _GPUBP_SESSION_FILTER_CMDS_H

struct gpubp_session;

long gpubp_filter_create_cmd(struct gpubp_session *session, void *arg);
long gpubp_filter_destroy_cmd(struct gpubp_session *session, void *arg);
void gpubp_filters_exit_session(struct gpubp_session *session);

#endif /* _GPUBP_SESSION_FILTER_CMDS_H */
