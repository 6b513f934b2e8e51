/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trap/: how waves are made to enter the kernel.
 *
 * handler.c installs the trap handler; trap_enable.c changes running waves that
 * were launched without traps; trap_point.c has breaks, s_traps and exceptions
 * that events want. Breaks: break_sched.c chooses them, breaks.c inserts and
 * removes them, patch.c writes the break words, insn_map.c finds instruction
 * boundaries in code objects (code.c), xol.c has the buffers for execution out
 * of line, and step.c moves waves through them. precise.c has precise points,
 * breaks of the kernel's own where hits of comparators are not exact, and
 * pending_access.c what waves are about to access there.
 */
#ifndef _GPUBP_TRAP_TRAP_H
#define _GPUBP_TRAP_TRAP_H

#include <linux/types.h>

#include "../core/core.h"
#include "patch.h"
#include "step.h"
#include "pending_access.h"
#include "precise.h"
#include "program_read.h"
#include "program_write.h"
#include "trap_enable.h"
#include "trap_point.h"
#include "xol.h"

struct gpubp_device_desc;

/**
 * struct gpubp_dev_trap - traps of a device
 * @dev: the device
 * @walks: number of the committer's current walk over contexts with breaks;
 *	committer only
 * @decode_from: gpubp_ctx.id where the next walk begins, so that contexts take
 *	turns at decoding their code first; committer only
 * @enable: changes of running waves
 * @precise: statistics of precise points
 */
struct gpubp_dev_trap {
	struct gpubp_device *dev;
	u64 walks;
	u32 decode_from;
	struct gpubp_trap_enable enable;
	struct gpubp_precise precise;
};

/**
 * struct gpubp_ctx_trap - traps of a context
 * @handler_va: address of the trap handler and its memory; 0: none; committer
 *	only
 * @tma: address of the handler's memory (AMD: trap memory address); written by
 *	the committer before the handler is installed, read by the resolver for
 *	records of hits
 * @checks: waves stop at hits that the handler decided, too; written by the committer
 *	before the handler is installed
 * @wanted: traps that a second-level handler has to report instead of passing
 *	them to the process's own handler; committer only
 * @written: what of that is in the handler's memory; committer only
 * @enable: changes of running waves
 * @traps: breaks, s_traps and exceptions that events want
 * @precise: precise points
 */
struct gpubp_ctx_trap {
	u64 handler_va;
	u64 tma;
	bool checks;
	struct gpubp_handler_wanted wanted;
	struct gpubp_handler_wanted written;
	struct gpubp_trap_enable_ctx enable;
	struct gpubp_trap_ctx traps;
	struct gpubp_precise_ctx precise;
};

/* any context, may be out of date: does any wave have a pending access */
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
int gpubp_breaks_keep_out(struct gpubp_ctx *ctx, u64 va, u64 size);
void gpubp_breaks_let_in(struct gpubp_ctx *ctx);

/* handler.c */
int gpubp_handler_read(struct gpubp_ctx *ctx, u32 offset, void *buf,
		       size_t len);
int gpubp_handler_write(struct gpubp_ctx *ctx, u32 offset, const void *buf,
			size_t len);
int gpubp_handler_flush(struct gpubp_ctx *ctx);
int gpubp_handler_install(struct gpubp_ctx *ctx);
void gpubp_handler_choose(struct gpubp_ctx *ctx, u32 exceptions);
bool gpubp_handlers_update(struct gpubp_device *dev);

#endif /* _GPUBP_TRAP_TRAP_H */
