/* SPDX-License-Identifier: GPL-2.0 */
/* Registers: a session reads and writes those of a wave. */
#ifndef _GPUBP_SESSION_REGS_H
#define _GPUBP_SESSION_REGS_H

#include <linux/types.h>

struct gpubp_holder;
struct gpubp_reg_req;
struct gpubp_session;

long gpubp_read_regs_cmd(struct gpubp_session *session, void *arg);
long gpubp_write_regs_cmd(struct gpubp_session *session, void *arg);

#endif /* _GPUBP_SESSION_REGS_H */
