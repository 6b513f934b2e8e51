// SPDX-License-Identifier: GPL-2.0
/*
 * Program write: write memory as the program has it. Breaks are kept out of what is
 * written, a page at a time, and the committer inserts them again, with the
 * instructions that are there then. Old values of watches there are read again.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/mm.h>

#include "../core/core.h"
#include "program_write.h"
#include "trap.h"

static ssize_t write_in_page(struct gpubp_ctx *ctx, u64 va, void *buf,
			     size_t len)
{
	ssize_t n = gpubp_breaks_keep_out(ctx, va, len);

	if (n)
		return n;
	n = gpubp_ctx_global_rw(ctx, va, buf, len,
				GPUBP_MEM_WRITE | GPUBP_MEM_WAIT);
	scoped_guard(mutex, &ctx->dev->lock)
		gpubp_ctx_forget(ctx, va, len);
	gpubp_breaks_let_in(ctx);
	return n;
}

/**
 * gpubp_program_write() - write memory as the program has it
 * @ctx: context; no lock is held
 * @va: address
 * @buf: bytes
 * @len: how many
 *
 * May sleep. Breaks in a page are not armed while it is written. Return: bytes
 * written, fewer at the end of a mapping; as ops->mem_rw; also -EBUSY if breaks
 * could not be taken out, and -EINTR (a fatal signal).
 */
ssize_t gpubp_program_write(struct gpubp_ctx *ctx, u64 va, const void *buf,
			    size_t len)
{
	size_t done = 0, size;
	ssize_t n;

	do {
		size = min(len - done, PAGE_SIZE - offset_in_page(va + done));
		n = write_in_page(ctx, va + done, (void *)buf + done, size);
		if (n > 0)
			done += n;
	} while (n == size && done < len);
	return done ?: n;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_program_write);
