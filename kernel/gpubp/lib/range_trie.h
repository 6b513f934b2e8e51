/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Covers: how much of an aligned block is watched, kept up to date as watches
 * come and go, and the largest block that is watched enough.
 *
 * A binary trie of granules, path compressed, of which only the first and the
 * last granule of a watched range are leaves. A *fork* is where two leaves
 * part: the smallest aligned block that holds both. What lies between the ends
 * of a range is not stored but counted at the forks beside its two paths:
 *
 *	- a node's *slot* is the half of the fork above it that it is in;
 *	- full: ranges that have no end in the slot, and all of it between them;
 *	- fill: ranges that leave the slot on its left (have their last granule
 *	  in the node), or on its right (have their first): what the slot has on
 *	  that side of the node's block is watched, and no leaf.
 *
 * So a range takes one leaf and one fork if it is within a granule, else two
 * of each at most, however long it is: 40 and 56 bytes on 64 bits. An update
 * visits the forks above both ends.
 *
 * Pure: no lock, no time; compiles in user space. The caller serializes.
 */
#ifndef _GPUBP_COVERS_H
#define _GPUBP_COVERS_H

#include <linux/types.h>

#include "block_cover.h"

#define GPUBP_COVERS_ORDER	26	/* log2 of the largest block's granules */
#define GPUBP_COVERS_LOOKS	128	/* into the tree, to lift with holes */

/**
 * struct gpubp_covers_node - a fork, or a leaf; all numbers count granules
 * @first: first one of its block
 * @watched: watched ones in its block
 * @full: see above
 * @fill: see above; [0] left, [1] right
 * @ends: of a leaf: ranges that begin or end in it; those of one granule once
 * @order: log2 of its block's size; 0 is a leaf, which ends here
 * @child: halves of a fork
 */
struct gpubp_covers_node {
	u64 first;
	u64 watched;
	u32 full;
	u32 fill[2];
	u32 ends;
	u8 order;
	struct gpubp_covers_node *child[2];
};

/**
 * struct gpubp_covers_mem - where nodes come from
 * @alloc: a node; NULL: there is no memory
 * @free: give it back
 *
 * There are two sizes: gpubp_covers_leaf_size() and gpubp_covers_fork_size().
 */
struct gpubp_covers_mem {
	void *(*alloc)(size_t size);
	void (*free)(void *node, size_t size);
};

/**
 * struct gpubp_covers - watched ranges
 * @root: NULL if there are none
 * @mem: where nodes come from
 * @shift: log2 of the granule
 * @max_order: log2 of the granules of the largest block
 * @va_bits: bits of an address
 */
struct gpubp_covers {
	struct gpubp_covers_node *root;
	const struct gpubp_covers_mem *mem;
	u8 shift;
	u8 max_order;
	u8 va_bits;
};

int gpubp_covers_init(struct gpubp_covers *c,
		      const struct gpubp_block_caps *caps,
		      const struct gpubp_covers_mem *mem);
size_t gpubp_covers_leaf_size(void);
size_t gpubp_covers_fork_size(void);

int gpubp_covers_insert(struct gpubp_covers *c, u64 addr, u64 len);
int gpubp_covers_remove(struct gpubp_covers *c, u64 addr, u64 len);

u64 gpubp_covers_watched(const struct gpubp_covers *c,
			 const struct gpubp_block *block);
void gpubp_covers_lift(const struct gpubp_covers *c, struct gpubp_block *block,
		       u32 max_stray);
void gpubp_covers_lift_holes(const struct gpubp_covers *c,
			     struct gpubp_block *block, u32 max_stray);

#endif /* _GPUBP_COVERS_H */
