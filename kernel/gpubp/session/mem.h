/* SPDX-License-Identifier: GPL-2.0 */
/* Memory: sessions read and write memory of their targets, in all its spaces. */
#ifndef _GPUBP_SESSION_MEM_H
#define _GPUBP_SESSION_MEM_H

struct gpubp_session;

long gpubp_read_mem_cmd(struct gpubp_session *session, void *arg);
long gpubp_write_mem_cmd(struct gpubp_session *session, void *arg);

#endif /* _GPUBP_SESSION_MEM_H */
