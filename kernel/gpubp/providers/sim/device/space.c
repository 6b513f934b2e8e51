// SPDX-License-Identifier: GPL-2.0
/*
 * Address spaces: memory of a context, and LDS and private memory of its waves.
 *
 * Other waves of a workgroup may run and access its LDS during a copy, as they do without
 * a debugger. Private memory is in a queue's scratch memory, with the lanes' dwords
 * next to each other.
 */
#include <linux/gpubp.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "../wave/wave.h"
#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "place.h"
#include "queue.h"
#include "save.h"
#include "space.h"

#define LDS_PIECE	1024	/* bytes copied with interrupts off */

static ssize_t global_rw(struct sim_ctx *ctx, u64 va, void *buf, size_t len,
			 unsigned int how)
{
	return sim_vm_rw(&ctx->vm, NULL, va, buf, len,
			 SIM_ACCESS_PRIV |
			 (how & GPUBP_MEM_WRITE ? SIM_ACCESS_WRITE : 0) |
			 (how & GPUBP_MEM_WAIT ? 0 : SIM_ACCESS_NOWAIT));
}

/* a stopped wave of the context; sq_lock is held */
static bool find_wave(struct sim_ctx *ctx, u64 id, struct sim_place *p)
{
	return sim_place_find_stopped(ctx->dev, id, p) &&
	       sim_place_queue(p)->ctx == ctx;
}

/* ---- LDS ----------------------------------------------------------------- */

static void *place_lds(const struct sim_place *p)
{
	return p->slot ? sim_group_lds(p->slot->group) : p->saved->save->lds;
}

static ssize_t lds_piece(struct sim_ctx *ctx, u64 wave, u64 at, void *buf,
			 size_t len, bool write)
{
	struct sim_place p;
	void *lds;
	u32 size;

	guard(raw_spinlock_irqsave)(&ctx->dev->sq_lock);
	if (!find_wave(ctx, wave, &p))
		return -ESRCH;
	lds = place_lds(&p);
	size = sim_place_group(&p)->lds_size;
	if (at >= size)
		return -EFAULT;
	len = min3(len, (size_t)(size - at), (size_t)LDS_PIECE);
	if (write)
		memcpy(lds + at, buf, len);
	else
		memcpy(buf, lds + at, len);
	return len;
}

static ssize_t lds_rw(struct sim_ctx *ctx, const struct gpubp_where *where,
		      void *buf, size_t len, bool write)
{
	size_t done = 0;
	ssize_t n;

	guard(mutex)(&ctx->dev->lds_lock);
	do {
		n = lds_piece(ctx, where->wave, where->va + done, buf + done,
			      len - done, write);
		if (n > 0)
			done += n;
	} while (n > 0 && done < len);
	return done ?: n;
}

/* ---- private memory ------------------------------------------------------ */

/* Return: bytes that each lane has, at @va of the wave; or -ESRCH. */
static int private_find(struct sim_ctx *ctx, u64 wave, u64 *va)
{
	struct sim_place p;

	guard(raw_spinlock_irqsave)(&ctx->dev->sq_lock);
	if (!find_wave(ctx, wave, &p))
		return -ESRCH;
	*va = sim_place_wave(&p)->private_va;
	return sim_place_wave(&p)->private_size;
}

static ssize_t private_rw(struct sim_ctx *ctx, const struct gpubp_where *where,
			  void *buf, size_t len, unsigned int how)
{
	u64 va = 0, at = where->va, end;
	int size = private_find(ctx, where->wave, &va);
	size_t part;
	ssize_t n = 0;

	if (size < 0)
		return size;
	if (at >= size)
		return -EFAULT;
	end = min(at + len, size);
	for (; at < end; at += part) {
		part = min(end - at, 4 - (at & 3));
		n = global_rw(ctx, sim_swizzled_va(va, at, where->lane),
			      buf + (at - where->va), part, how);
		if (n < 0)
			break;
	}
	return at - where->va ?: n;
}

/** sim_mem_rw() - gpubp_ops.mem_rw */
ssize_t sim_mem_rw(void *priv, const struct gpubp_where *where, void *buf,
		   size_t len, unsigned int how)
{
	struct sim_ctx *ctx = priv;

	switch (where->space) {
	case GPUBP_SPACE_GLOBAL:
		return global_rw(ctx, where->va, buf, len, how);
	case GPUBP_SPACE_LDS:
		return lds_rw(ctx, where, buf, len, how & GPUBP_MEM_WRITE);
	case GPUBP_SPACE_PRIVATE:
		return private_rw(ctx, where, buf, len, how);
	default:
		return -EOPNOTSUPP;
	}
}
