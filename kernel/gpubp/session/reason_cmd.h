/* SPDX-License-Identifier: GPL-2.0 */
/* GPUBP_REASON: why the last event was refused. */
#ifndef _GPUBP_SESSION_REASON_CMD_H
#define _GPUBP_SESSION_REASON_CMD_H

struct gpubp_session;

long gpubp_reason_cmd(struct gpubp_session *session, void *arg);

#endif /* _GPUBP_SESSION_REASON_CMD_H */
