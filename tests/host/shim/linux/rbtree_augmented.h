/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in, see <linux/rbtree.h> here. */
#ifndef _SHIM_RBTREE_AUGMENTED_H
#define _SHIM_RBTREE_AUGMENTED_H

#include <linux/rbtree.h>

#define RB_DECLARE_CALLBACKS(rbstatic, name, type, field, augmented, compute) \
static void name ## _update(struct rb_node *node)			\
{									\
	compute(rb_entry(node, type, field), false);			\
}									\
rbstatic const struct rb_augment_callbacks name = {			\
	.update = name ## _update,					\
}

static inline struct rb_node *
rb_add_augmented_cached(struct rb_node *node, struct rb_root_cached *tree,
			bool (*less)(struct rb_node *, const struct rb_node *),
			const struct rb_augment_callbacks *augment)
{
	shim_rb_add(node, &tree->rb_root, less, augment);
	return NULL;
}

static inline void
rb_erase_augmented_cached(struct rb_node *node, struct rb_root_cached *root,
			  const struct rb_augment_callbacks *augment)
{
	shim_rb_erase(node, &root->rb_root, augment);
}

#endif
