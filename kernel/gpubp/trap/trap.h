/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The room of traps: how waves are made to enter the kernel.
 *
 * handler.c installs the trap handler, trap_enable.c makes waves take traps that were
 * launched without; breaks.c puts breakpoints into code, as break_sched.c chooses
 * them, patch.c writes them and xol.c executes what was there; precise.c has breaks
 * of the kernel's own where comparators tell too little.
 */
#ifndef _GPUBP_TRAP_TRAP_H
#define _GPUBP_TRAP_TRAP_H

#include <linux/types.h>

#include "../core/core.h"
#include "patch.h"
#include "step.h"
#include "pending_access.h"
#include "precise.h"
#include "trap_enable.h"
#include "trap_point.h"
#include "xol.h"

struct gpubp_device_desc;

/**
 * struct gpubp_dev_trap - of a device
 * @dev: the device
 * @walks: walks over contexts for their breaks; committer only
 * @decode_from: gpubp_ctx.id from which on contexts have their code decoded first;
 *	likewise
 * @enable: of waves that were launched too early
 * @precise: breaks of the kernel's own
 */
struct gpubp_dev_trap {
	struct gpubp_device *dev;
	u64 walks;
	u32 decode_from;
	struct gpubp_trap_enable enable;
	struct gpubp_precise precise;
};

/**
 * struct gpubp_ctx_trap - of a context
 * @handler_va: the trap handler and its memory, 0 none; committer only
 * @tma: the handler's memory; written by the committer before the handler is
 *	installed, read by the resolver for hits that came out of it
 * @wanted: what a handler of the second level shall keep from the process's own;
 *	committer only
 * @written: what it was told of that; likewise
 * @enable: of waves that were launched too early
 * @traps: breaks, s_traps and exceptions that events want
 * @precise: breaks of the kernel's own
 */
struct gpubp_ctx_trap {
	u64 handler_va;
	u64 tma;
	struct gpubp_handler_wanted wanted;
	struct gpubp_handler_wanted written;
	struct gpubp_trap_enable_ctx enable;
	struct gpubp_trap_ctx traps;
	struct gpubp_precise_ctx precise;
};

/* is it noted of any wave what it is about to access; any context, may be old */
static inline bool gpubp_pending_accesses_any(const struct gpubp_ctx *ctx)
{
	return READ_ONCE(ctx->trap->precise.pending.nr);
}

int gpubp_trap_init_device(struct gpubp_device *dev,
			   const struct gpubp_device_desc *desc);
void gpubp_trap_exit_device(struct gpubp_device *dev);
int gpubp_trap_init_ctx(struct gpubp_ctx *ctx);
void gpubp_trap_exit_ctx(struct gpubp_ctx *ctx);

/* breaks.c */
bool gpubp_breaks_choose(struct gpubp_device *dev);
bool gpubp_breaks_remove(struct gpubp_device *dev);
bool gpubp_breaks_insert(struct gpubp_device *dev, bool lost);

/* handler.c */
int gpubp_handler_install(struct gpubp_ctx *ctx);
void gpubp_handler_choose(struct gpubp_ctx *ctx, u32 exceptions);
void gpubp_handlers_update(struct gpubp_device *dev);

#endif /* _GPUBP_TRAP_TRAP_H */
