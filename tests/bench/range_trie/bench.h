/* SPDX-License-Identifier: GPL-2.0 */
/* Two trees of the same ranges: what both must be able to do. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>

/**
 * struct tree_ops - a tree of ranges
 * @name: what it is
 * @init: of so many ranges at most, which are known by number
 * @insert: one
 * @remove: one, with the same numbers
 */
struct tree_ops {
	const char *name;
	void (*init)(unsigned int max);
	void (*insert)(unsigned int i, uint64_t addr, uint64_t len);
	void (*remove)(unsigned int i, uint64_t addr, uint64_t len);
};

extern const struct tree_ops interval_tree;	/* the kernel's */
extern const struct tree_ops range_trie_tree;

#endif /* BENCH_H */
