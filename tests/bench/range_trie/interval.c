// SPDX-License-Identifier: GPL-2.0
/* The kernel's interval tree; its nodes are embedded in the ranges. */
#include <stdlib.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/interval_tree_generic.h>

#include "bench.h"

struct range {
	struct rb_node rb;
	uint64_t start;
	uint64_t last;
	uint64_t subtree_last;
};

#define START(r)	((r)->start)
#define LAST(r)		((r)->last)

INTERVAL_TREE_DEFINE(struct range, rb, uint64_t, subtree_last, START, LAST,
		     static inline __attribute__((unused)), tree)

static struct rb_root_cached root;
static struct range *ranges;

static void init(unsigned int max)
{
	root = RB_ROOT_CACHED;
	free(ranges);
	ranges = calloc(max, sizeof(*ranges));
	if (!ranges)
		abort();
}

static void insert(unsigned int i, uint64_t addr, uint64_t len)
{
	ranges[i].start = addr;
	ranges[i].last = addr + len - 1;
	tree_insert(&ranges[i], &root);
}

static void drop(unsigned int i, uint64_t addr, uint64_t len)
{
	(void)addr;
	(void)len;
	tree_remove(&ranges[i], &root);
}

const struct tree_ops interval_tree = {
	"interval", init, insert, drop,
};
