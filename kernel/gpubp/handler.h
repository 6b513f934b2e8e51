/* SPDX-License-Identifier: GPL-2.0 */
/* Handler: our trap handler in a context's address space. */
#ifndef _GPUBP_HANDLER_H
#define _GPUBP_HANDLER_H

struct gpubp_ctx;

int gpubp_handler_install(struct gpubp_ctx *ctx);
void gpubp_handler_remove(struct gpubp_ctx *ctx);

#endif /* _GPUBP_HANDLER_H */
