/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Range trie: how many bytes of an aligned block are watched, kept up to date
 * as ranges are added and removed, and the largest block around a given one
 * that is watched densely enough for one comparator.
 *
 * A binary trie of granules, path compressed; only the first and the last
 * granule of each range are leaves. A *fork* is the smallest aligned block that
 * contains two leaves. What lies between the ends of a range is not stored, but
 * counted in the nodes beside the paths to its two ends. A node lies in one
 * *half* of its parent fork, and because of the path compression its block may
 * be smaller than that half:
 *
 *	- spans: ranges that contain the whole half and have no end in it;
 *	- reach: ranges with an end in the node that go on to the half's left or
 *	  right edge: between that edge and the node's block all is watched, and
 *	  there is no leaf.
 *
 * So a range of any length costs at most two leaves of 40 bytes and two forks
 * of 56 bytes (64-bit), one of each if it is within a granule. An update visits
 * the forks above both ends.
 *
 * Pure: no lock, no time; compiles in user space. The caller serializes.
 */
#ifndef _GPUBP_LIB_RANGE_TRIE_H
#define _GPUBP_LIB_RANGE_TRIE_H

#include <linux/types.h>

#include "block_cover.h"

#define GPUBP_TRIE_MAX_ORDER	26	/* log2 of the largest block's granules */
#define GPUBP_TRIE_MAX_LOOKUPS	128	/* to widen one block with holes */

/**
 * struct gpubp_trie_node - a fork, or a leaf; all numbers count granules
 * @first: first granule of its block
 * @watched: watched granules in its block
 * @spans: see above
 * @reach: see above; [0] to the left edge, [1] to the right one
 * @ends: of a leaf: range ends in it; a range within one granule counts once
 * @order: log2 of its block's size; 0 is a leaf, which is allocated up to here
 * @child: halves of a fork
 */
struct gpubp_trie_node {
	u64 first;
	u64 watched;
	u32 spans;
	u32 reach[2];
	u32 ends;
	u8 order;
	struct gpubp_trie_node *child[2];
};

/**
 * struct gpubp_trie_mem - allocator of nodes
 * @alloc: allocate a node, or return NULL
 * @free: free a node
 *
 * There are two sizes: gpubp_range_trie_leaf_size(),
 * gpubp_range_trie_fork_size().
 */
struct gpubp_trie_mem {
	void *(*alloc)(size_t size);
	void (*free)(void *node, size_t size);
};

/**
 * struct gpubp_range_trie - watched ranges
 * @root: NULL if there are none
 * @mem: allocator of nodes
 * @shift: log2 of the granule in bytes
 * @max_order: log2 of the largest block in granules
 * @va_bits: address bits
 */
struct gpubp_range_trie {
	struct gpubp_trie_node *root;
	const struct gpubp_trie_mem *mem;
	u8 shift;
	u8 max_order;
	u8 va_bits;
};

int gpubp_range_trie_init(struct gpubp_range_trie *t,
			  const struct gpubp_block_caps *caps,
			  const struct gpubp_trie_mem *mem);
size_t gpubp_range_trie_leaf_size(void);
size_t gpubp_range_trie_fork_size(void);

int gpubp_range_trie_insert(struct gpubp_range_trie *t, u64 addr, u64 len);
int gpubp_range_trie_remove(struct gpubp_range_trie *t, u64 addr, u64 len);

u64 gpubp_range_trie_watched(const struct gpubp_range_trie *t,
			     const struct gpubp_block *block);
void gpubp_range_trie_widen(const struct gpubp_range_trie *t,
			    struct gpubp_block *block, u32 max_stray);
void gpubp_range_trie_widen_ternary(const struct gpubp_range_trie *t,
				    struct gpubp_block *block, u32 max_stray);

#endif /* _GPUBP_LIB_RANGE_TRIE_H */
