/* SPDX-License-Identifier: GPL-2.0 */
/* Dump: position, registers and code of waves. */
#ifndef _GPUBP_SESSION_DUMP_H
#define _GPUBP_SESSION_DUMP_H

#include <linux/fs.h>

struct gpubp_session;

long gpubp_dump_wave_cmd(struct gpubp_session *session, void *arg);
#endif /* _GPUBP_SESSION_DUMP_H */
