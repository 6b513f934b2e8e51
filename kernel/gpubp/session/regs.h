/* SPDX-License-Identifier: GPL-2.0 */
/* Registers of a wave, as a session reads and writes them. */
#ifndef _GPUBP_SESSION_REGS_H
#define _GPUBP_SESSION_REGS_H

#include <linux/types.h>

struct gpubp_holder;
struct gpubp_reg_req;
struct gpubp_session;


long gpubp_read_regs_cmd(struct gpubp_session *session, void *arg);
long gpubp_write_regs_cmd(struct gpubp_session *session, void *arg);

#endif /* _GPUBP_SESSION_REGS_H */
