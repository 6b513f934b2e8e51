// SPDX-License-Identifier: GPL-2.0
/* Pending accesses: a table of fixed size for each context. */
#include <kunit/visibility.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "../core/core.h"
#include "pending_access.h"
#include "trap.h"

static struct gpubp_pending_accesses *pending_of(const struct gpubp_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	return (struct gpubp_pending_accesses *)&ctx->trap->precise.pending;
}

/**
 * gpubp_pending_accesses_init() - allocate a context's table, if it has none
 * @ctx: context that is not destroyed during the call; no lock is held
 *
 * The committer only; may sleep. Return: 0 or -ENOMEM.
 */
int gpubp_pending_accesses_init(struct gpubp_ctx *ctx)
{
	struct gpubp_pending_access *entry;

	if (ctx->trap->precise.pending.entry)
		return 0;
	entry = kvcalloc(GPUBP_MAX_PENDING, sizeof(*entry),
			 GFP_KERNEL | __GFP_NOWARN);
	if (!entry)
		return -ENOMEM;
	guard(mutex)(&ctx->dev->lock);
	ctx->trap->precise.pending.entry = entry;
	return 0;
}

/** gpubp_pending_accesses_exit() - free the table of a context without users */
void gpubp_pending_accesses_exit(struct gpubp_ctx *ctx)
{
	kvfree(ctx->trap->precise.pending.entry);
	ctx->trap->precise.pending = (struct gpubp_pending_accesses) {};
}

static bool wave_key_equal(const struct gpubp_wave_key *a,
			   const struct gpubp_wave_key *b)
{
	return a->queue == b->queue && a->dispatch == b->dispatch &&
	       !memcmp(a->wg, b->wg, sizeof(a->wg)) &&
	       a->in_group == b->in_group;
}

static struct gpubp_pending_access *
pending_access_lookup(const struct gpubp_pending_accesses *pending,
		      const struct gpubp_wave_key *wave)
{
	unsigned int i;

	for (i = 0; i < pending->nr; i++)
		if (wave_key_equal(&pending->entry[i].wave, wave))
			return &pending->entry[i];
	return NULL;
}

static struct gpubp_pending_access *
pending_access_find_or_add(struct gpubp_pending_accesses *pending,
			   const struct gpubp_wave_key *wave)
{
	struct gpubp_pending_access *entry =
		pending_access_lookup(pending, wave);

	if (entry)
		return entry;
	if (!pending->entry || pending->nr == GPUBP_MAX_PENDING)
		return NULL;
	return &pending->entry[pending->nr++];
}

/**
 * gpubp_pending_access_add() - store what a wave is about to access
 * @ctx: context; the device lock is held
 * @wave: the wave; an entry that it has is overwritten
 * @pc: address of the instruction
 * @insn: the instruction
 * @access: the access
 *
 * Return: false: the table is full, or not allocated.
 */
bool gpubp_pending_access_add(struct gpubp_ctx *ctx,
			      const struct gpubp_wave_key *wave, u64 pc,
			      const struct gpubp_insn *insn,
			      const struct gpubp_access *access)
{
	struct gpubp_pending_access *entry =
		pending_access_find_or_add(pending_of(ctx), wave);

	if (!entry)
		return false;
	entry->wave = *wave;
	entry->pc = pc;
	entry->reported = false;
	entry->insn = *insn;
	entry->access = *access;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_pending_access_add);

/** gpubp_pending_access_find() - that of a wave, or NULL; device lock held */
struct gpubp_pending_access *
gpubp_pending_access_find(const struct gpubp_ctx *ctx,
			  const struct gpubp_wave_key *wave)
{
	return pending_access_lookup(pending_of(ctx), wave);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_pending_access_find);

/* the last entry replaces the deleted one */
static void pending_access_delete(struct gpubp_pending_accesses *pending,
				  struct gpubp_pending_access *entry)
{
	*entry = pending->entry[--pending->nr];
}

/** gpubp_pending_access_drop() - delete that of a wave; device lock held */
void gpubp_pending_access_drop(struct gpubp_ctx *ctx,
			       const struct gpubp_wave_key *wave)
{
	struct gpubp_pending_accesses *pending = pending_of(ctx);
	struct gpubp_pending_access *entry =
		pending_access_lookup(pending, wave);

	if (entry)
		pending_access_delete(pending, entry);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_pending_access_drop);

/**
 * gpubp_pending_accesses_drop_queue() - delete those of a queue's waves
 * @ctx: context; the device lock is held
 * @queue: queue whose waves have ended
 */
void gpubp_pending_accesses_drop_queue(struct gpubp_ctx *ctx,
				       const struct gpubp_queue *queue)
{
	struct gpubp_pending_accesses *pending = pending_of(ctx);
	unsigned int i = pending->nr;

	while (i--)
		if (pending->entry[i].wave.queue == queue)
			pending_access_delete(pending, &pending->entry[i]);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_pending_accesses_drop_queue);

/** gpubp_pending_accesses_drop_all() - no wave exists; device lock held */
void gpubp_pending_accesses_drop_all(struct gpubp_ctx *ctx)
{
	pending_of(ctx)->nr = 0;
}
