// SPDX-License-Identifier: GPL-2.0
/* What the room of traps has of a device and of a context, from begin to end. */
#include <linux/errno.h>
#include <linux/slab.h>

#include "handler.h"
#include "patch.h"
#include "trap.h"
#include "xol.h"

/**
 * gpubp_trap_init_device() - of a new device
 * @dev: device; frees it when it is freed
 * @desc: as the provider registers it, without the core's defaults
 *
 * Return: 0 or -ENOMEM.
 */
int gpubp_trap_init_device(struct gpubp_device *dev,
			   const struct gpubp_device_desc *desc)
{
	dev->trap = kzalloc(sizeof(*dev->trap), GFP_KERNEL);
	if (!dev->trap)
		return -ENOMEM;
	dev->trap->dev = dev;
	gpubp_trap_enable_init(&dev->trap->enable, desc);
	gpubp_precise_init(dev);
	return 0;
}

/** gpubp_trap_exit_device() - nothing of it runs, as no commit does; may sleep */
void gpubp_trap_exit_device(struct gpubp_device *dev)
{
	gpubp_trap_enable_exit(dev);
	gpubp_precise_exit(dev);
}

/** gpubp_trap_init_ctx() - of a new context, which frees it; 0 or -ENOMEM */
int gpubp_trap_init_ctx(struct gpubp_ctx *ctx)
{
	ctx->trap = kzalloc(sizeof(*ctx->trap), GFP_KERNEL_ACCOUNT);
	if (!ctx->trap)
		return -ENOMEM;
	gpubp_traps_init_ctx(ctx);
	return 0;
}

/**
 * gpubp_trap_exit_ctx() - its memory is as it was before
 * @ctx: context without waves; the committer and the resolver are done with it
 *
 * May sleep.
 */
void gpubp_trap_exit_ctx(struct gpubp_ctx *ctx)
{
	gpubp_patches_exit(ctx);
	gpubp_precise_exit_ctx(ctx);
	gpubp_xol_exit(ctx);
	gpubp_handler_exit(ctx);
}
