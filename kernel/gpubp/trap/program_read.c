// SPDX-License-Identifier: GPL-2.0
/*
 * Program read: memory as the program wrote it, without the break words of
 * patches. Without patches in the context it is a plain read.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/sched/signal.h>

#include "../core/core.h"
#include "patch.h"
#include "program_read.h"
#include "trap.h"

#define READ_TRIES	64

/* 0 without patches in the range */
static u32 program_hash(struct gpubp_ctx *ctx, u64 va, size_t len)
{
	return gpubp_trap_ctx_any_patch(&ctx->trap->traps) ?
	       gpubp_patches_hash(ctx, va, len) : 0;
}

/**
 * gpubp_program_read() - read memory as the program wrote it
 * @ctx: context; no lock is held
 * @va: address
 * @buf: (out) bytes
 * @len: bytes to read
 * @how: GPUBP_MEM_WAIT or 0
 *
 * May sleep. Return: as ops->mem_rw; also -EAGAIN if patches in the range kept
 * changing, and -EINTR (a fatal signal).
 */
ssize_t gpubp_program_read(struct gpubp_ctx *ctx, u64 va, void *buf, size_t len,
			   unsigned int how)
{
	unsigned int tries = READ_TRIES;
	ssize_t n;
	u32 words;

	/*
	 * Compare the hash even if there is no patch now: the first one may be
	 * added and removed again during the read.
	 */
	do {
		words = program_hash(ctx, va, len);
		n = gpubp_ctx_global_rw(ctx, va, buf, len, how);
		if (n > 0 && gpubp_trap_ctx_any_patch(&ctx->trap->traps))
			gpubp_patches_hide(ctx, va, buf, n);
		if (words == program_hash(ctx, va, len))
			return n;
		if (fatal_signal_pending(current))
			return -EINTR;
	} while (--tries);
	return -EAGAIN;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_program_read);
