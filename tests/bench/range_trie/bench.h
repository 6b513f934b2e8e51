/* SPDX-License-Identifier: GPL-2.0 */
/* Two trees of ranges with a common interface. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>

/**
 * struct tree_ops - a tree of ranges
 * @name: for output
 * @init: for at most this many ranges, which are numbered
 * @insert: insert a range with a number
 * @remove: remove the range with that number
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
