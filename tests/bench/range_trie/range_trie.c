// SPDX-License-Identifier: GPL-2.0
/* Covers, with nodes from free lists as slabs have them. */
#include <stdlib.h>

#include "bench.h"
#include "lib/range_trie.h"

struct item {
	struct item *next;
};

static struct item *items[2];
static struct gpubp_covers covers;

static unsigned int list_of(size_t size)
{
	return size != gpubp_covers_leaf_size();
}

static void *take(size_t size)
{
	struct item *item = items[list_of(size)];

	if (!item)
		return malloc(size);
	items[list_of(size)] = item->next;
	return item;
}

static void give(void *node, size_t size)
{
	struct item *item = node;

	item->next = items[list_of(size)];
	items[list_of(size)] = item;
}

static const struct gpubp_covers_mem mem = { take, give };

static void give_all(struct gpubp_covers_node *n)
{
	if (n->order) {
		give_all(n->child[0]);
		give_all(n->child[1]);
	}
	give(n, n->order ? gpubp_covers_fork_size() : gpubp_covers_leaf_size());
}

static void init(unsigned int max)
{
	static const struct gpubp_block_caps caps = { 64, 1ULL << 30, 48 };

	(void)max;
	if (covers.root)
		give_all(covers.root);
	if (gpubp_covers_init(&covers, &caps, &mem))
		abort();
}

static void insert(unsigned int i, uint64_t addr, uint64_t len)
{
	(void)i;
	if (gpubp_covers_insert(&covers, addr, len))
		abort();
}

static void drop(unsigned int i, uint64_t addr, uint64_t len)
{
	(void)i;
	if (gpubp_covers_remove(&covers, addr, len))
		abort();
}

const struct tree_ops covers_tree = { "covers", init, insert, drop };
