// SPDX-License-Identifier: GPL-2.0
/* The range trie, with nodes from free lists like those of slabs. */
#include <stdlib.h>

#include "bench.h"
#include "lib/range_trie.h"

struct item {
	struct item *next;
};

static struct item *items[2];
static struct gpubp_range_trie trie;

static unsigned int list_of(size_t size)
{
	return size != gpubp_range_trie_leaf_size();
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

static const struct gpubp_trie_mem mem = { take, give };

static void give_all(struct gpubp_trie_node *n)
{
	if (n->order) {
		give_all(n->child[0]);
		give_all(n->child[1]);
	}
	give(n, n->order ? gpubp_range_trie_fork_size() :
			   gpubp_range_trie_leaf_size());
}

static void init(unsigned int max)
{
	static const struct gpubp_block_caps caps = { 64, 1ULL << 30, 48 };

	(void)max;
	if (trie.root)
		give_all(trie.root);
	if (gpubp_range_trie_init(&trie, &caps, &mem))
		abort();
}

static void insert(unsigned int i, uint64_t addr, uint64_t len)
{
	(void)i;
	if (gpubp_range_trie_insert(&trie, addr, len))
		abort();
}

static void drop(unsigned int i, uint64_t addr, uint64_t len)
{
	(void)i;
	if (gpubp_range_trie_remove(&trie, addr, len))
		abort();
}

const struct tree_ops range_trie_tree = { "trie", init, insert, drop };
