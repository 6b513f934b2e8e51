/* SPDX-License-Identifier: GPL-2.0 */
/* Watch sets of a session: the GPUBP_SET_* ioctls. */
#ifndef _GPUBP_SESSION_SET_CMDS_H
#define _GPUBP_SESSION_SET_CMDS_H

struct gpubp_session;

long gpubp_set_create_cmd(struct gpubp_session *session, void *arg);
long gpubp_set_destroy_cmd(struct gpubp_session *session, void *arg);
long gpubp_set_update_cmd(struct gpubp_session *session, void *arg);
long gpubp_set_read_cmd(struct gpubp_session *session, void *arg);
void gpubp_sets_exit_session(struct gpubp_session *session);

#endif /* _GPUBP_SESSION_SET_CMDS_H */
