/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-in: the kernel's interface on top of a treap, which is
 * simple to balance. Only what the pure files use.
 */
#ifndef _SHIM_RBTREE_H
#define _SHIM_RBTREE_H

#include <stdbool.h>
#include <linux/kernel.h>

struct rb_node {
	struct rb_node *rb_left;
	struct rb_node *rb_right;
	struct rb_node *parent;
	unsigned int rank;	/* no child has a higher rank */
};

struct rb_root {
	struct rb_node *rb_node;
};

struct rb_root_cached {
	struct rb_root rb_root;
};

/* updates the data that a node accumulates over its children */
struct rb_augment_callbacks {
	void (*update)(struct rb_node *node);
};

#define RB_ROOT			((struct rb_root) {})
#define RB_ROOT_CACHED		((struct rb_root_cached) {})
#define rb_entry(ptr, type, member) container_of(ptr, type, member)
#define RB_EMPTY_ROOT(root)	((root)->rb_node == NULL)
#define RB_EMPTY_NODE(node)	((node)->parent == (node))
#define RB_CLEAR_NODE(node)	((node)->parent = (node))

static inline void shim_rb_update(struct rb_node *node,
				  const struct rb_augment_callbacks *augment)
{
	for (; node && augment; node = node->parent)
		augment->update(node);
}

static inline void shim_rb_replace(struct rb_root *root, struct rb_node *old,
				   struct rb_node *new)
{
	struct rb_node *parent = old->parent;

	if (!parent)
		root->rb_node = new;
	else if (parent->rb_left == old)
		parent->rb_left = new;
	else
		parent->rb_right = new;
	if (new)
		new->parent = parent;
}

/* rotates @node above its parent */
static inline void shim_rb_rotate(struct rb_root *root, struct rb_node *node)
{
	struct rb_node *parent = node->parent, *inner;

	shim_rb_replace(root, parent, node);
	if (parent->rb_left == node) {
		inner = node->rb_right;
		parent->rb_left = inner;
		node->rb_right = parent;
	} else {
		inner = node->rb_left;
		parent->rb_right = inner;
		node->rb_left = parent;
	}
	if (inner)
		inner->parent = parent;
	parent->parent = node;
}

static inline unsigned int shim_rb_rank(void)
{
	static unsigned int state = 1;

	state = state * 1664525 + 1013904223;
	return state >> 8;
}

static inline void shim_rb_add(struct rb_node *node, struct rb_root *root,
			       bool (*less)(struct rb_node *,
					    const struct rb_node *),
			       const struct rb_augment_callbacks *augment)
{
	struct rb_node **link = &root->rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = less(node, parent) ? &parent->rb_left :
					    &parent->rb_right;
	}
	*node = (struct rb_node) { .parent = parent, .rank = shim_rb_rank() };
	*link = node;
	while (node->parent && node->parent->rank < node->rank) {
		parent = node->parent;
		shim_rb_rotate(root, node);
		if (augment)
			augment->update(parent);
	}
	shim_rb_update(node, augment);
}

static inline void shim_rb_erase(struct rb_node *node, struct rb_root *root,
				 const struct rb_augment_callbacks *augment)
{
	while (node->rb_left && node->rb_right)
		shim_rb_rotate(root, node->rb_left->rank > node->rb_right->rank ?
				     node->rb_left : node->rb_right);
	shim_rb_replace(root, node, node->rb_left ?: node->rb_right);
	shim_rb_update(node->parent, augment);
}

static inline void rb_add(struct rb_node *node, struct rb_root *tree,
			  bool (*less)(struct rb_node *, const struct rb_node *))
{
	shim_rb_add(node, tree, less, NULL);
}

static inline void rb_erase(struct rb_node *node, struct rb_root *tree)
{
	shim_rb_erase(node, tree, NULL);
}

static inline struct rb_node *rb_first(const struct rb_root *root)
{
	struct rb_node *node = root->rb_node;

	while (node && node->rb_left)
		node = node->rb_left;
	return node;
}

static inline struct rb_node *rb_first_cached(const struct rb_root_cached *tree)
{
	return rb_first(&tree->rb_root);
}

static inline struct rb_node *rb_next(const struct rb_node *node)
{
	struct rb_node *next = node->rb_right;

	if (next) {
		while (next->rb_left)
			next = next->rb_left;
		return next;
	}
	for (next = node->parent; next && next->rb_right == node;
	     next = next->parent)
		node = next;
	return next;
}

#endif
