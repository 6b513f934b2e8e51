// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: bindings of a context that rotate together, found by group.
 *
 * A tree by group and by the watch's id: the watches of a group are in a row,
 * and so are the bindings of each. The policy asks for the next watch of a
 * group for each watch that it looks at.
 */
#include <kunit/visibility.h>
#include <linux/lockdep.h>
#include <linux/rbtree.h>

#include "../core/core.h"
#include "sched.h"

static struct gpubp_binding *node_binding(const struct rb_node *node)
{
	return rb_entry(node, struct gpubp_binding, group_node);
}

static bool binding_is_before(const struct gpubp_binding *b, u64 group, u64 id)
{
	return b->group != group ? b->group < group : b->watch_id < id;
}

static bool group_node_less(struct rb_node *a, const struct rb_node *b)
{
	return binding_is_before(node_binding(a), node_binding(b)->group,
				 node_binding(b)->watch_id);
}

/**
 * gpubp_group_set() - set the group that a binding rotates with
 * @b: binding of a watch; the device lock is held
 * @group: key of the group, 0 for none
 */
void gpubp_group_set(struct gpubp_binding *b, u64 group)
{
	lockdep_assert_held(&b->ctx->dev->lock);
	if (b->group == group)
		return;
	if (b->group)
		rb_erase(&b->group_node, &b->ctx->grouped);
	b->group = group;
	if (group)
		rb_add(&b->group_node, &b->ctx->grouped, group_node_less);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_group_set);

/* the first binding of @group whose watch has at least this id, or NULL */
static struct gpubp_binding *group_find_from(const struct gpubp_ctx *ctx,
					     u64 group, u64 id)
{
	struct rb_node *node = ctx->grouped.rb_node;
	struct gpubp_binding *b, *found = NULL;

	while (node) {
		b = node_binding(node);
		if (binding_is_before(b, group, id)) {
			node = node->rb_right;
		} else {
			found = b;
			node = node->rb_left;
		}
	}
	return found && found->group == group ? found : NULL;
}

/**
 * gpubp_group_next() - iterate over the watches of a group
 * @ctx: context; the device lock is held
 * @group: key of the group
 * @prev: a watch of it, or NULL
 *
 * O(log bindings). Return: the next one that is not pinned, or NULL.
 */
struct gpubp_watch *gpubp_group_next(const struct gpubp_ctx *ctx, u64 group,
				     const struct gpubp_watch *prev)
{
	struct gpubp_binding *b;

	lockdep_assert_held(&ctx->dev->lock);
	b = group_find_from(ctx, group, prev ? prev->id + 1 : 0);
	while (b && b->watch->pinned)
		b = group_find_from(ctx, group, b->watch_id + 1);
	return b ? b->watch : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_group_next);
