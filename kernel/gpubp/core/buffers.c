// SPDX-License-Identifier: GPL-2.0
/* Published names of ranges: buffers here, code objects in trap/code.c. */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <uapi/linux/gpubp.h>

#include "buffers.h"
#include "device.h"
#include "room.h"

/**
 * gpubp_name_charge() - charge memory of a name
 * @n: name
 * @user: user of its context
 * @mem: the memory, of kmalloc()
 *
 * Return: 0, to be undone by gpubp_name_free(), or -ENOMEM.
 */
int gpubp_name_charge(struct gpubp_name *n, struct gpubp_user *user,
		      const void *mem)
{
	size_t size = ksize(mem);
	int err = gpubp_user_charge_memory(user, size);

	if (err)
		return err;
	n->user = user;
	n->charged += size;
	return 0;
}

/**
 * gpubp_name_alloc() - allocate a name that is not published yet
 * @ctx: context
 * @va: first address
 * @size: bytes
 * @name: checked by gpubp_name_check()
 *
 * May sleep. Return: the name, for gpubp_name_add() or gpubp_name_free(); NULL
 * without memory.
 */
struct gpubp_name *gpubp_name_alloc(struct gpubp_ctx *ctx, u64 va, u64 size,
				    const char *name)
{
	size_t len = strlen(name);
	struct gpubp_name *n;

	n = kzalloc(struct_size(n, name, len + 1), GPUBP_GFP_USER);
	if (!n)
		return NULL;
	if (gpubp_name_charge(n, ctx->user, n)) {
		kfree(n);
		return NULL;
	}
	n->va = va;
	n->size = size;
	n->hash = gpubp_name_hash(name);
	memcpy(n->name, name, len + 1);
	return n;
}

/** gpubp_name_free() - free a name that is not published */
void gpubp_name_free(struct gpubp_name *n)
{
	gpubp_user_uncharge_memory(n->user, n->charged);
	kfree(n->spans);
	kfree(n);
}

static struct gpubp_name *name_at(const struct rb_node *node)
{
	return rb_entry_safe(node, struct gpubp_name, hash_node);
}

/* by hash, then in the order in which they were published */
static bool name_less(struct rb_node *a, const struct rb_node *b)
{
	return name_at(a)->hash < name_at(b)->hash;
}

static int name_cmp(const void *hash, const struct rb_node *node)
{
	u32 a = *(const u32 *)hash, b = name_at(node)->hash;

	return (a > b) - (a < b);
}

/** gpubp_name_check() - check a name and its range; 0 or -EINVAL */
int gpubp_name_check(u64 va, u64 size, const char *name)
{
	if (!*name || strnlen(name, GPUBP_NAME_MAX) == GPUBP_NAME_MAX ||
	    va + size < va)
		return -EINVAL;
	return 0;
}

/** gpubp_name_unlist() - unpublish a name; the device lock is held */
void gpubp_name_unlist(struct gpubp_ctx *ctx, struct gpubp_name *n)
{
	lockdep_assert_held(&ctx->dev->lock);
	ctx->nr_names--;
	list_del(&n->node);
	rb_erase(&n->hash_node, &ctx->names_by_hash);
}

/** gpubp_name_del() - unpublish and free a name; the device lock is held */
void gpubp_name_del(struct gpubp_ctx *ctx, struct gpubp_name *n)
{
	gpubp_name_unlist(ctx, n);
	gpubp_name_free(n);
}

static bool name_has_same_range(const struct gpubp_name *a,
				const struct gpubp_name *b)
{
	return b && a->va == b->va && a->size == b->size;
}

/* a name that @next takes somewhere else, or that is removed, leaves memory */
static void buffer_names_del(struct gpubp_ctx *ctx, const char *name,
			     const struct gpubp_name *next)
{
	u32 hash = gpubp_name_hash(name);
	struct gpubp_name *n, *after;

	lockdep_assert_held(&ctx->dev->lock);
	for (n = gpubp_name_next(ctx, hash, NULL); n; n = after) {
		after = gpubp_name_next(ctx, hash, n);
		if (n->code || strcmp(n->name, name))
			continue;
		if (!name_has_same_range(n, next))
			gpubp_ctx_forget(ctx, n->va, n->size);
		gpubp_name_del(ctx, n);
	}
}

/** gpubp_name_add() - publish a name; the device lock is held; 0 or -ENOSPC */
int gpubp_name_add(struct gpubp_ctx *ctx, struct gpubp_name *n)
{
	lockdep_assert_held(&ctx->dev->lock);
	if (ctx->nr_names == GPUBP_NAMES_MAX)
		return -ENOSPC;
	ctx->nr_names++;
	n->since = ktime_get_ns();
	list_add_tail(&n->node, &ctx->names);
	rb_add(&n->hash_node, &ctx->names_by_hash, name_less);
	return 0;
}

/* replace all buffers called @name by @n, or by nothing if it is NULL */
static int buffer_name_replace(struct gpubp_ctx *ctx, const char *name,
			       struct gpubp_name *n)
{
	guard(mutex)(&ctx->dev->lock);
	buffer_names_del(ctx, name, n);
	return n ? gpubp_name_add(ctx, n) : 0;
}

int gpubp_buffer_name(struct gpubp_ctx *ctx, u64 va, u64 size,
		      const char *name)
{
	int err = gpubp_name_check(va, size, name);
	struct gpubp_name *n = NULL;

	if (err)
		return err;
	if (size) {
		n = gpubp_name_alloc(ctx, va, size, name);
		if (!n)
			return -ENOMEM;
	}
	err = buffer_name_replace(ctx, name, n);
	if (err)
		gpubp_name_free(n);
	else
		gpubp_ctx_changed(ctx);
	return err;
}
EXPORT_SYMBOL_GPL(gpubp_buffer_name);

/**
 * gpubp_name_is_unmapping() - does a range overlap one that is being unmapped
 * @ctx: context; the device lock is held
 * @va: first address
 * @size: bytes
 */
bool gpubp_name_is_unmapping(const struct gpubp_ctx *ctx, u64 va, u64 size)
{
	const struct gpubp_unmap_range *unmap = &ctx->unmap;

	lockdep_assert_held(&ctx->dev->lock);
	return size && unmap->size && va <= unmap->start + (unmap->size - 1) &&
	       unmap->start <= va + (size - 1);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_name_is_unmapping);

/**
 * gpubp_name_next() - iterate over the ranges published under a hash
 * @ctx: context; the device lock is held
 * @hash: gpubp_name_hash()
 * @after: the previous one, NULL to start
 *
 * Return: the next name with that hash, or NULL.
 */
struct gpubp_name *gpubp_name_next(struct gpubp_ctx *ctx, u32 hash,
				   struct gpubp_name *after)
{
	struct gpubp_name *n;

	lockdep_assert_held(&ctx->dev->lock);
	if (!after)
		return name_at(rb_find_first(&hash, &ctx->names_by_hash,
					     name_cmp));
	n = name_at(rb_next(&after->hash_node));
	return n && n->hash == hash ? n : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_name_next);

/** gpubp_names_free() - free a list of unpublished names; there may be many */
void gpubp_names_free(struct list_head *names)
{
	struct gpubp_name *n, *tmp;

	list_for_each_entry_safe(n, tmp, names, node) {
		gpubp_name_free(n);
		cond_resched();
	}
}
