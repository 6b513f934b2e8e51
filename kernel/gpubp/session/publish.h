/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_SESSION_PUBLISH_H
#define _GPUBP_SESSION_PUBLISH_H

struct gpubp_session;

long gpubp_publish_cmd(struct gpubp_session *session, void *arg);

#endif /* _GPUBP_SESSION_PUBLISH_H */
