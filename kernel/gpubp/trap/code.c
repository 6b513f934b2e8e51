// SPDX-License-Identifier: GPL-2.0
/*
 * Code objects: a provider publishes and withdraws them, or unmaps their
 * memory.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>

#include "../core/core.h"
#include "code.h"
#include "insn_map.h"
#include "trap.h"

static struct gpubp_name *code_alloc(struct gpubp_ctx *ctx, u64 va, u64 size,
				     const char *label)
{
	struct gpubp_name *n = gpubp_name_alloc(ctx, va, size, label);

	if (!n)
		return NULL;
	n->code = true;
	n->spans = gpubp_spans_alloc(size);
	if (n->spans && !gpubp_name_charge(n, ctx->user, n->spans))
		return n;
	gpubp_name_free(n);
	return NULL;
}

static struct gpubp_name *code_find(struct gpubp_ctx *ctx, u64 va)
{
	struct gpubp_name *n;

	lockdep_assert_held(&ctx->dev->lock);
	list_for_each_entry(n, &ctx->names, node)
		if (n->code && n->va == va)
			return n;
	return NULL;
}

/*
 * Where breaks are possible, and what code is there, has changed: the committer
 * checks them.
 */
static void code_changed(struct gpubp_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	ctx->trap->traps.changes++;
	if (ctx->trap->traps.nr[GPUBP_KIND_BREAK] ||
	    ctx->trap->precise.nr_exact)
		gpubp_request_ctx(ctx);
}

static int code_add(struct gpubp_ctx *ctx, struct gpubp_name *n)
{
	int err;

	guard(mutex)(&ctx->dev->lock);
	if (code_find(ctx, n->va))
		return -EEXIST;
	if (gpubp_name_is_unmapping(ctx, n->va, n->size))
		return -EBUSY;
	err = gpubp_name_add(ctx, n);
	if (err)
		return err;
	code_changed(ctx);
	n->spans->id = ctx->trap->traps.changes;
	return 0;
}

/* wait for an unmapping of the range, where new memory may be mapped already */
static int code_add_after_unmap(struct gpubp_ctx *ctx, struct gpubp_name *n)
{
	int err;

	if (mutex_lock_killable(&ctx->unmapping))
		return -EINTR;
	err = code_add(ctx, n);
	mutex_unlock(&ctx->unmapping);
	return err;
}

int gpubp_code_create(struct gpubp_ctx *ctx, u64 va, u64 size,
		      const char *label)
{
	int err = size ? gpubp_name_check(va, size, label) : -EINVAL;
	struct gpubp_name *n;

	if (err)
		return err;
	n = code_alloc(ctx, va, size, label);
	if (!n)
		return -ENOMEM;
	err = code_add(ctx, n);
	if (err == -EBUSY)
		err = code_add_after_unmap(ctx, n);
	if (err)
		gpubp_name_free(n);
	else
		gpubp_ctx_changed(ctx);
	return err;
}
EXPORT_SYMBOL_GPL(gpubp_code_create);

void gpubp_code_destroy(struct gpubp_ctx *ctx, u64 va)
{
	struct gpubp_name *n;

	mutex_lock(&ctx->dev->lock);
	n = code_find(ctx, va);
	if (n) {
		gpubp_name_del(ctx, n);
		code_changed(ctx);
	}
	mutex_unlock(&ctx->dev->lock);
	gpubp_ctx_changed(ctx);
}
EXPORT_SYMBOL_GPL(gpubp_code_destroy);

static bool code_any_unmapping(const struct gpubp_ctx *ctx)
{
	const struct gpubp_name *n;

	list_for_each_entry(n, &ctx->names, node)
		if (n->code && gpubp_name_is_unmapping(ctx, n->va, n->size))
			return true;
	return false;
}

/**
 * gpubp_code_unmap_begin() - keep break words out of a range to be unmapped
 * @ctx: context; its @unmapping is held
 * @va: first address
 * @size: bytes
 *
 * Takes the device lock; may sleep.
 *
 * Return: true: the range contains code, where a break word may be or a run of
 * the committer may be writing one.
 */
bool gpubp_code_unmap_begin(struct gpubp_ctx *ctx, u64 va, u64 size)
{
	lockdep_assert_held(&ctx->unmapping);
	guard(mutex)(&ctx->dev->lock);
	ctx->unmap = (struct gpubp_unmap_range) { va, size };
	if (!code_any_unmapping(ctx))
		return false;
	code_changed(ctx);
	return ctx->trap->traps.nr[GPUBP_KIND_BREAK] ||
	       ctx->trap->precise.nr || ctx->trap->precise.nr_exact;
}

/** gpubp_code_unmap_cancel() - end of an unmapping, done or not; likewise */
void gpubp_code_unmap_cancel(struct gpubp_ctx *ctx)
{
	lockdep_assert_held(&ctx->unmapping);
	guard(mutex)(&ctx->dev->lock);
	/* breaks may be inserted there again */
	if (code_any_unmapping(ctx))
		code_changed(ctx);
	ctx->unmap = (struct gpubp_unmap_range) {};
}

/**
 * gpubp_code_unmap_end() - remove the code objects whose memory was unmapped
 * @ctx: context; its @unmapping is held
 *
 * May sleep.
 */
void gpubp_code_unmap_end(struct gpubp_ctx *ctx)
{
	struct gpubp_name *n, *tmp;
	LIST_HEAD(gone);

	lockdep_assert_held(&ctx->unmapping);
	scoped_guard(mutex, &ctx->dev->lock)
		list_for_each_entry_safe(n, tmp, &ctx->names, node) {
			if (!n->code ||
			    !gpubp_name_is_unmapping(ctx, n->va, n->size))
				continue;
			gpubp_name_unlist(ctx, n);
			list_add(&n->node, &gone);
		}
	if (list_empty(&gone))
		return;
	gpubp_names_free(&gone);
	gpubp_ctx_changed(ctx);
}
