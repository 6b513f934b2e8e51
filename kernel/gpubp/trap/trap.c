// SPDX-License-Identifier: GPL-2.0
/* State that trap/ has for each device and context: init and exit. */
#include <linux/errno.h>
#include <linux/slab.h>

#include "handler.h"
#include "patch.h"
#include "trap.h"
#include "xol.h"

/**
 * gpubp_trap_init_device() - allocate the trap state of a new device
 * @dev: device; frees the state when it is freed itself
 * @desc: description as the provider passed it, without the core's defaults
 *
 * Return: 0 or -ENOMEM.
 */
int gpubp_trap_init_device(struct gpubp_device *dev,
			   const struct gpubp_device_desc *desc)
{
	dev->trap = kzalloc(sizeof(*dev->trap), GFP_KERNEL_ACCOUNT);
	if (!dev->trap)
		return -ENOMEM;
	dev->trap->dev = dev;
	gpubp_trap_enable_init(&dev->trap->enable, desc);
	gpubp_precise_init(dev);
	return 0;
}

/** gpubp_trap_exit_device() - stop the workers; no commit runs; may sleep */
void gpubp_trap_exit_device(struct gpubp_device *dev)
{
	gpubp_trap_enable_exit(dev);
	gpubp_precise_exit(dev);
}

/** gpubp_trap_init_ctx() - allocate the state of a new context; 0 or -ENOMEM */
int gpubp_trap_init_ctx(struct gpubp_ctx *ctx)
{
	ctx->trap = kzalloc(sizeof(*ctx->trap), GFP_KERNEL_ACCOUNT);
	if (!ctx->trap)
		return -ENOMEM;
	gpubp_traps_init_ctx(ctx);
	return 0;
}

/**
 * gpubp_trap_exit_ctx() - restore a context's code, free memory of trap/ in it
 * @ctx: context without waves, which committer and resolver do not use any more
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
