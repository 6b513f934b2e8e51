// SPDX-License-Identifier: GPL-2.0
/* Names of buffers and code objects. */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <uapi/linux/gpubp.h>

#include "../event/reconcile.h"
#include "../trap/insn_map.h"
#include "buffers.h"
#include "device.h"

static struct gpubp_name *name_alloc(u64 va, u64 size, const char *name)
{
	size_t len = strlen(name);
	struct gpubp_name *n;

	n = kzalloc(struct_size(n, name, len + 1), GFP_KERNEL_ACCOUNT);
	if (!n)
		return NULL;
	n->va = va;
	n->size = size;
	n->hash = gpubp_name_hash(name);
	memcpy(n->name, name, len + 1);
	return n;
}

static void name_free(struct gpubp_name *n)
{
	kfree(n->spans);
	kfree(n);
}

static struct gpubp_name *code_alloc(u64 va, u64 size, const char *label)
{
	struct gpubp_name *n = name_alloc(va, size, label);

	if (!n)
		return NULL;
	n->code = true;
	n->spans = gpubp_spans_alloc(size);
	if (n->spans)
		return n;
	name_free(n);
	return NULL;
}

static int name_check(u64 va, u64 size, const char *name)
{
	if (!*name || strnlen(name, GPUBP_NAME_MAX) == GPUBP_NAME_MAX ||
	    va + size < va)
		return -EINVAL;
	return 0;
}

static void name_del(struct gpubp_ctx *ctx, struct gpubp_name *n)
{
	ctx->nr_names--;
	list_del(&n->node);
	name_free(n);
}

static void name_withdraw(struct gpubp_ctx *ctx, const char *name)
{
	struct gpubp_name *n, *tmp;

	lockdep_assert_held(&ctx->dev->lock);
	list_for_each_entry_safe(n, tmp, &ctx->names, node)
		if (!n->code && !strcmp(n->name, name))
			name_del(ctx, n);
}

static int name_add(struct gpubp_ctx *ctx, struct gpubp_name *n)
{
	lockdep_assert_held(&ctx->dev->lock);
	if (ctx->nr_names == GPUBP_NAMES_MAX)
		return -ENOSPC;
	ctx->nr_names++;
	list_add_tail(&n->node, &ctx->names);
	return 0;
}

/* @n: NULL: there shall be none */
static int name_replace(struct gpubp_ctx *ctx, const char *name,
			struct gpubp_name *n)
{
	guard(mutex)(&ctx->dev->lock);
	name_withdraw(ctx, name);
	return n ? name_add(ctx, n) : 0;
}

int gpubp_buffer_name(struct gpubp_ctx *ctx, u64 va, u64 size,
		      const char *name)
{
	int err = name_check(va, size, name);
	struct gpubp_name *n = NULL;

	if (err)
		return err;
	if (size) {
		n = name_alloc(va, size, name);
		if (!n)
			return -ENOMEM;
	}
	err = name_replace(ctx, name, n);
	if (err)
		name_free(n);
	else
		gpubp_ctx_changed(ctx);
	return err;
}
EXPORT_SYMBOL_GPL(gpubp_buffer_name);

static struct gpubp_name *code_find(struct gpubp_ctx *ctx, u64 va)
{
	struct gpubp_name *n;

	lockdep_assert_held(&ctx->dev->lock);
	list_for_each_entry(n, &ctx->names, node)
		if (n->code && n->va == va)
			return n;
	return NULL;
}

/* where breaks may be, and what is there, has changed */
static void code_changed(struct gpubp_ctx *ctx)
{
	lockdep_assert_held(&ctx->dev->lock);
	ctx->traps.changes++;
	if (ctx->traps.nr[GPUBP_KIND_BREAK] || ctx->escalate.nr_exact)
		gpubp_request_ctx(ctx);
}

static int code_add(struct gpubp_ctx *ctx, struct gpubp_name *n)
{
	int err;

	guard(mutex)(&ctx->dev->lock);
	if (code_find(ctx, n->va))
		return -EEXIST;
	if (gpubp_name_is_going(ctx, n->va, n->size))
		return -EBUSY;
	err = name_add(ctx, n);
	if (err)
		return err;
	code_changed(ctx);
	n->spans->id = ctx->traps.changes;
	return 0;
}

/* the memory that was there goes, and other memory has come already */
static int add_later(struct gpubp_ctx *ctx, struct gpubp_name *n)
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
	int err = size ? name_check(va, size, label) : -EINVAL;
	struct gpubp_name *n;

	if (err)
		return err;
	n = code_alloc(va, size, label);
	if (!n)
		return -ENOMEM;
	err = code_add(ctx, n);
	if (err == -EBUSY)
		err = add_later(ctx, n);
	if (err)
		name_free(n);
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
		name_del(ctx, n);
		code_changed(ctx);
	}
	mutex_unlock(&ctx->dev->lock);
	gpubp_ctx_changed(ctx);
}
EXPORT_SYMBOL_GPL(gpubp_code_destroy);

/** gpubp_name_is_going() - is any of these bytes unmapped now; device lock held */
bool gpubp_name_is_going(const struct gpubp_ctx *ctx, u64 va, u64 size)
{
	const struct gpubp_going *going = &ctx->going;

	lockdep_assert_held(&ctx->dev->lock);
	return size && going->size && va <= going->start + (going->size - 1) &&
	       going->start <= va + (size - 1);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_name_is_going);

static bool any_code_going(const struct gpubp_ctx *ctx)
{
	const struct gpubp_name *n;

	list_for_each_entry(n, &ctx->names, node)
		if (n->code && gpubp_name_is_going(ctx, n->va, n->size))
			return true;
	return false;
}

/**
 * gpubp_names_going() - nothing of the core's may come into memory from now on
 * @ctx: context; its @unmapping is held
 * @va: first address
 * @size: bytes
 *
 * May sleep. Return: there is code in it, into which something may be on its way.
 */
bool gpubp_names_going(struct gpubp_ctx *ctx, u64 va, u64 size)
{
	guard(mutex)(&ctx->dev->lock);
	ctx->going = (struct gpubp_going) { va, size };
	if (!any_code_going(ctx))
		return false;
	code_changed(ctx);
	return ctx->traps.nr[GPUBP_KIND_BREAK] || ctx->escalate.nr ||
	       ctx->escalate.nr_exact;
}

/** gpubp_names_stay() - nothing is unmapped any more; likewise */
void gpubp_names_stay(struct gpubp_ctx *ctx)
{
	guard(mutex)(&ctx->dev->lock);
	/* what was not to be there may be */
	if (any_code_going(ctx))
		code_changed(ctx);
	ctx->going = (struct gpubp_going) {};
}

/**
 * gpubp_names_gone() - code objects that memory has taken with it
 * @ctx: context; its @unmapping is held
 *
 * May sleep.
 */
void gpubp_names_gone(struct gpubp_ctx *ctx)
{
	struct gpubp_name *n, *tmp;
	LIST_HEAD(gone);

	scoped_guard(mutex, &ctx->dev->lock)
		list_for_each_entry_safe(n, tmp, &ctx->names, node)
			if (n->code && gpubp_name_is_going(ctx, n->va, n->size)) {
				ctx->nr_names--;
				list_move(&n->node, &gone);
			}
	if (list_empty(&gone))
		return;
	gpubp_names_free(&gone);
	gpubp_ctx_changed(ctx);
}

/**
 * gpubp_name_next() - ranges published under a hash
 * @ctx: context; the device lock is held
 * @hash: gpubp_name_hash()
 * @after: the last one found, NULL to start
 */
struct gpubp_name *gpubp_name_next(struct gpubp_ctx *ctx, u32 hash,
				   struct gpubp_name *after)
{
	struct gpubp_name *n;

	lockdep_assert_held(&ctx->dev->lock);
	n = after ?: list_entry(&ctx->names, struct gpubp_name, node);
	list_for_each_entry_continue(n, &ctx->names, node)
		if (n->hash == hash)
			return n;
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_name_next);

/** gpubp_names_free() - names that nobody finds any more; there may be many */
void gpubp_names_free(struct list_head *names)
{
	struct gpubp_name *n, *tmp;

	list_for_each_entry_safe(n, tmp, names, node) {
		name_free(n);
		cond_resched();
	}
}
