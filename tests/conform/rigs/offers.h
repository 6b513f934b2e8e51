/* SPDX-License-Identifier: GPL-2.0 */
/* Contexts that processes offer to cases: functions of struct gpubp_rig for them. */
#ifndef _GPUBP_CONFORM_OFFERS_H
#define _GPUBP_CONFORM_OFFERS_H

#include <linux/gpubp_conform.h>
#include <linux/miscdevice.h>

/* the file by which they are offered; the module of the rig registers it */
extern struct miscdevice offers_file;

/* that of the context which the next case takes first; waits for it, NULL: none came */
struct gpubp_device *offers_first_device(void);

int offers_ctx_create(struct gpubp_rig_ctx *ctx);
void offers_ctx_destroy(struct gpubp_rig_ctx *ctx);
struct task_struct *offers_task(struct gpubp_rig_ctx *ctx);
int offers_run(struct gpubp_rig_ctx *ctx, const struct gpubp_rig_access *acc,
	       unsigned int nr);
int offers_start(struct gpubp_rig_ctx *ctx, const struct gpubp_rig_access *acc,
		 unsigned int nr);
void offers_finish(struct gpubp_rig_ctx *ctx);
int offers_wait(struct gpubp_rig_ctx *ctx);
void offers_settle(struct gpubp_rig_ctx *ctx);

/* call @fn for the contexts that cases have taken */
void offers_for_each(void (*fn)(struct gpubp_ctx *core, void *data), void *data);

#endif /* _GPUBP_CONFORM_OFFERS_H */
