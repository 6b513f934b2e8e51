// SPDX-License-Identifier: GPL-2.0
/* Range trie: see range_trie.h. */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "range_trie.h"

#define MAX_BITS	62	/* of a granule's number: twice a size fits in u64 */
#define LEFT		0
#define RIGHT		1

/**
 * struct trie_path - forks from the root down, and the leaf if there is one
 * @nr: used entries
 * @node: each smaller than the one before
 */
struct trie_path {
	unsigned int nr;
	struct gpubp_trie_node *node[MAX_BITS + 1];
};

/* ---- nodes --------------------------------------------------------------- */

static u64 order_size(unsigned int order)
{
	return 1ULL << order;
}

static bool node_contains(const struct gpubp_trie_node *n, u64 granule)
{
	return !((granule ^ n->first) >> n->order);
}

/* which half of a fork */
static unsigned int fork_half(const struct gpubp_trie_node *n, u64 granule)
{
	return granule >> (n->order - 1) & 1;
}

/** gpubp_range_trie_leaf_size() - bytes of a leaf: the first part of a node */
size_t gpubp_range_trie_leaf_size(void)
{
	return offsetof(struct gpubp_trie_node, child);
}

/** gpubp_range_trie_fork_size() - bytes of an inner node */
size_t gpubp_range_trie_fork_size(void)
{
	return sizeof(struct gpubp_trie_node);
}

static void trie_node_free(struct gpubp_range_trie *t,
			   struct gpubp_trie_node *n)
{
	t->mem->free(n, n->order ? gpubp_range_trie_fork_size() :
				   gpubp_range_trie_leaf_size());
}

static struct gpubp_trie_node *trie_node_alloc(struct gpubp_range_trie *t,
					       size_t size)
{
	struct gpubp_trie_node *n = t->mem->alloc(size);

	if (n)
		memset(n, 0, size);
	return n;
}

/* ---- counts -------------------------------------------------------------- */

/* watched granules of the half, of size @order, that a node lies in */
static u64 half_watched(const struct gpubp_trie_node *n, unsigned int order)
{
	u64 half = order_size(order), size = order_size(n->order);
	u64 before = n->first & (half - 1), watched = n->watched;

	if (n->spans)
		return half;
	if (n->reach[LEFT])
		watched += before;
	if (n->reach[RIGHT])
		watched += half - before - size;
	return watched;
}

static void fork_recount(struct gpubp_trie_node *fork)
{
	unsigned int order = fork->order - 1;

	fork->watched = half_watched(fork->child[LEFT], order) +
			half_watched(fork->child[RIGHT], order);
}

/* recount the forks of a path from @from on down */
static void path_recount(const struct trie_path *p, unsigned int from)
{
	unsigned int i = p->nr;

	while (i-- > from)
		if (p->node[i]->order)
			fork_recount(p->node[i]);
}

/*
 * One leaf was added or removed below the last of the first @nr forks: that one
 * is recounted. The forks above change by the difference, up to a half that is
 * spanned: it is watched entirely in any case.
 */
static void path_propagate(const struct trie_path *p, unsigned int nr)
{
	u64 old, diff;

	if (!nr--)
		return;
	old = p->node[nr]->watched;
	fork_recount(p->node[nr]);
	diff = p->node[nr]->watched - old;
	while (diff && !p->node[nr]->spans && nr--)
		p->node[nr]->watched += diff;
}

/* ---- paths --------------------------------------------------------------- */

/*
 * Extend a path from @n towards a granule. Return: the node below the last one
 * that does not contain it, or NULL if there is none.
 */
static struct gpubp_trie_node *path_extend(struct gpubp_trie_node *n,
					   u64 granule, struct trie_path *p)
{
	unsigned int nr = p->nr;

	while (n && node_contains(n, granule)) {
		p->node[nr++] = n;
		n = n->order ? n->child[fork_half(n, granule)] : NULL;
	}
	p->nr = nr;
	return n;
}

static struct gpubp_trie_node *path_find(const struct gpubp_range_trie *t,
					 u64 granule, struct trie_path *p)
{
	p->nr = 0;
	return path_extend(t->root, granule, p);
}

/* nodes of a path, from the root on, that contain a granule */
static unsigned int path_nr_common(const struct trie_path *p, u64 granule)
{
	unsigned int nr = p->nr;

	while (nr && !node_contains(p->node[nr - 1], granule))
		nr--;
	return nr;
}

/* path_find() with the first @common nodes taken from another path */
static struct gpubp_trie_node *path_find_from(const struct gpubp_range_trie *t,
					      u64 granule, struct trie_path *p,
					      const struct trie_path *other,
					      unsigned int common)
{
	struct gpubp_trie_node *last;

	if (!common)
		return path_find(t, granule, p);
	last = other->node[common - 1];
	memcpy(p->node, other->node, common * sizeof(*p->node));
	p->nr = common;
	if (!last->order)
		return NULL;
	return path_extend(last->child[fork_half(last, granule)], granule, p);
}

static struct gpubp_trie_node *path_leaf(const struct trie_path *p)
{
	struct gpubp_trie_node *n = p->nr ? p->node[p->nr - 1] : NULL;

	return n && !n->order ? n : NULL;
}

/* the pointer to the node that is @depth below the root on a path */
static struct gpubp_trie_node **path_link(struct gpubp_range_trie *t,
					  const struct trie_path *p,
					  unsigned int depth, u64 granule)
{
	struct gpubp_trie_node *parent;

	if (!depth)
		return &t->root;
	parent = p->node[depth - 1];
	return &parent->child[fork_half(parent, granule)];
}

/* ---- leaves -------------------------------------------------------------- */

/*
 * A new fork above @at and a new leaf. Ranges that reach from @at towards the
 * leaf span the leaf's half. What is watched in the fork is counted without the
 * leaf: path_propagate() adds the difference above.
 */
static void trie_fork_init(struct gpubp_trie_node *fork,
			   struct gpubp_trie_node *at,
			   struct gpubp_trie_node *leaf)
{
	unsigned int half;

	fork->order = fls64(leaf->first ^ at->first);
	fork->first = leaf->first & ~(order_size(fork->order) - 1);
	half = fork_half(fork, leaf->first);
	fork->child[half] = leaf;
	fork->child[!half] = at;
	fork->spans = at->spans;
	at->spans = 0;
	fork->watched = half_watched(at, fork->order);
	fork->reach[LEFT] = at->reach[LEFT];
	fork->reach[RIGHT] = at->reach[RIGHT];
	leaf->spans = at->reach[half];
}

/* @at is the node that path_find() ended at, or NULL in an empty trie */
static int leaf_add(struct gpubp_range_trie *t, u64 granule,
		    struct trie_path *p, struct gpubp_trie_node *at)
{
	struct gpubp_trie_node **link = path_link(t, p, p->nr, granule);
	struct gpubp_trie_node *leaf, *fork;

	leaf = trie_node_alloc(t, gpubp_range_trie_leaf_size());
	if (!leaf)
		return -ENOMEM;
	leaf->first = granule;
	leaf->watched = 1;
	if (at) {
		fork = trie_node_alloc(t, gpubp_range_trie_fork_size());
		if (!fork) {
			trie_node_free(t, leaf);
			return -ENOMEM;
		}
		trie_fork_init(fork, at, leaf);
		p->node[p->nr++] = fork;
	}
	*link = at ? fork : leaf;
	p->node[p->nr++] = leaf;
	return 0;
}

static void leaf_del(struct gpubp_range_trie *t, struct trie_path *p)
{
	struct gpubp_trie_node *leaf = p->node[--p->nr], *fork, *sibling;

	if (!p->nr) {
		t->root = NULL;
		trie_node_free(t, leaf);
		return;
	}
	fork = p->node[--p->nr];
	sibling = fork->child[!fork_half(fork, leaf->first)];
	sibling->spans = fork->spans;
	*path_link(t, p, p->nr, leaf->first) = sibling;
	trie_node_free(t, leaf);
	trie_node_free(t, fork);
}

/* one more range end in a granule; @at as for leaf_add() */
static int end_add(struct gpubp_range_trie *t, u64 granule,
		   struct trie_path *p, struct gpubp_trie_node *at)
{
	if (!path_leaf(p)) {
		int err = leaf_add(t, granule, p, at);

		if (err)
			return err;
	}
	path_leaf(p)->ends++;
	return 0;
}

static void end_del(struct gpubp_range_trie *t, struct trie_path *p)
{
	if (!--path_leaf(p)->ends)
		leaf_del(t, p);
}

/* ---- ranges -------------------------------------------------------------- */

/*
 * Add @by (1 or -1) to the counts of a range on the path to one of its ends,
 * below the fork where the two paths part.
 */
static void path_count_side(const struct trie_path *p, unsigned int from,
			    unsigned int side, u32 by)
{
	unsigned int i;

	for (i = from; i < p->nr; i++) {
		struct gpubp_trie_node *n = p->node[i];

		n->reach[side] += by;
		if (n->order && p->node[i + 1] != n->child[side])
			n->child[side]->spans += by;
	}
}

static void range_count(const struct trie_path *a, const struct trie_path *b,
			unsigned int common, u32 by)
{
	path_count_side(a, common, RIGHT, by);
	path_count_side(b, common, LEFT, by);
}

static void range_recount(const struct trie_path *a, const struct trie_path *b,
			  unsigned int common)
{
	path_recount(a, common);
	path_recount(b, 0);
}

static int insert_granule(struct gpubp_range_trie *t, u64 granule)
{
	struct trie_path p;
	int err = end_add(t, granule, &p, path_find(t, granule, &p));

	if (err)
		return err;
	if (path_leaf(&p)->ends == 1)
		path_propagate(&p, p.nr - 1);
	return 0;
}

static int insert_range(struct gpubp_range_trie *t, u64 first, u64 last)
{
	struct gpubp_trie_node *at;
	struct trie_path a, b;
	unsigned int common;
	int err;

	err = end_add(t, first, &a, path_find(t, first, &a));
	if (err)
		return err;
	at = path_find_from(t, last, &b, &a, path_nr_common(&a, last));
	err = end_add(t, last, &b, at);
	if (err) {
		end_del(t, &a);
		return err;
	}
	/* a new fork may be on both paths */
	common = path_nr_common(&b, first);
	path_find_from(t, first, &a, &b, common);
	range_count(&a, &b, common, 1);
	range_recount(&a, &b, common);
	return 0;
}

static int remove_granule(struct gpubp_range_trie *t, u64 granule)
{
	struct trie_path p;

	path_find(t, granule, &p);
	if (!path_leaf(&p))
		return -ENOENT;
	if (!--path_leaf(&p)->ends) {
		leaf_del(t, &p);
		path_propagate(&p, p.nr);
	}
	return 0;
}

/* each end may take a fork with it that was on both paths */
static void end_del_both(struct gpubp_range_trie *t, u64 first, u64 last,
			 struct trie_path *a, struct trie_path *b)
{
	end_del(t, a);
	path_find_from(t, last, b, a, path_nr_common(a, last));
	end_del(t, b);
	path_find_from(t, first, a, b, path_nr_common(b, first));
}

static int remove_range(struct gpubp_range_trie *t, u64 first, u64 last)
{
	struct trie_path a, b;

	path_find(t, first, &a);
	path_find_from(t, last, &b, &a, path_nr_common(&a, last));
	if (!path_leaf(&a) || !path_leaf(&b))
		return -ENOENT;
	range_count(&a, &b, path_nr_common(&a, last), -1);
	end_del_both(t, first, last, &a, &b);
	range_recount(&a, &b, path_nr_common(&b, first));
	return 0;
}

static bool trie_range_is_valid(const struct gpubp_range_trie *t, u64 addr,
				u64 len)
{
	u64 last = addr + len - 1;

	return len && last >= addr && last <= GENMASK_ULL(t->va_bits - 1, 0);
}

/**
 * gpubp_range_trie_insert() - add a watched range
 * @t: trie
 * @addr: first byte
 * @len: bytes
 *
 * Ranges may overlap and be equal.
 *
 * Return: 0, -EINVAL (empty range, wrap-around, address beyond the device's) or
 * -ENOMEM; nothing has changed then.
 */
int gpubp_range_trie_insert(struct gpubp_range_trie *t, u64 addr, u64 len)
{
	u64 first = addr >> t->shift, last = (addr + len - 1) >> t->shift;

	if (!trie_range_is_valid(t, addr, len))
		return -EINVAL;
	if (first == last)
		return insert_granule(t, first);
	return insert_range(t, first, last);
}

/**
 * gpubp_range_trie_remove() - remove a range that was inserted
 * @t: trie
 * @addr: first byte
 * @len: bytes
 *
 * Return: 0. Of ranges that were not inserted most, but not all, are refused
 * with -EINVAL or -ENOENT; the others corrupt the counts.
 */
int gpubp_range_trie_remove(struct gpubp_range_trie *t, u64 addr, u64 len)
{
	u64 first = addr >> t->shift, last = (addr + len - 1) >> t->shift;

	if (!trie_range_is_valid(t, addr, len))
		return -EINVAL;
	if (first == last)
		return remove_granule(t, first);
	return remove_range(t, first, last);
}

/**
 * gpubp_range_trie_init() - an empty trie
 * @t: trie; nothing need be freed when all ranges have been removed
 * @caps: blocks that the device can match
 * @mem: allocator of nodes
 *
 * Return: 0 or -EINVAL: the largest block has too many granules.
 */
int gpubp_range_trie_init(struct gpubp_range_trie *t,
			  const struct gpubp_block_caps *caps,
			  const struct gpubp_trie_mem *mem)
{
	unsigned int shift = ilog2(caps->granule), order;

	order = min_t(unsigned int, ilog2(caps->max_block), caps->va_bits - 1);
	if (order < shift || order - shift > GPUBP_TRIE_MAX_ORDER ||
	    caps->va_bits - shift > MAX_BITS)
		return -EINVAL;
	*t = (struct gpubp_range_trie) {
		.mem = mem,
		.shift = shift,
		.max_order = order - shift,
		.va_bits = caps->va_bits,
	};
	return 0;
}

/* ---- watched bytes of a block -------------------------------------------- */

/* of a block within the half that @n lies in, but not within the block of @n */
static u64 watched_around(const struct gpubp_trie_node *n, u64 first,
			  unsigned int order)
{
	u64 size = order_size(order);
	u64 end = n->first + order_size(n->order);
	u64 watched;

	if ((n->first ^ first) >> order)
		return n->reach[first > n->first] ? size : 0;
	watched = n->watched;
	if (n->reach[LEFT])
		watched += n->first - first;
	if (n->reach[RIGHT])
		watched += first + size - end;
	return watched;
}

/* watched granules of an aligned block */
static u64 block_watched(const struct gpubp_range_trie *t, u64 first,
			 unsigned int order)
{
	const struct gpubp_trie_node *n = t->root;

	if (!n)
		return 0;
	for (;;) {
		if (n->spans)
			return order_size(order);
		if (order >= n->order || !node_contains(n, first))
			return watched_around(n, first, order);
		n = n->child[fork_half(n, first)];
	}
}

/**
 * gpubp_range_trie_watched() - how much of a block is watched
 * @t: trie
 * @block: block without holes, of at least a granule
 *
 * Return: bytes, in whole granules.
 */
u64 gpubp_range_trie_watched(const struct gpubp_range_trie *t,
			     const struct gpubp_block *block)
{
	unsigned int order = ilog2(gpubp_block_size(block)) - t->shift;

	return block_watched(t, block->value >> t->shift, order) << t->shift;
}

/* ---- widen --------------------------------------------------------------- */

static bool block_is_dense(const struct gpubp_range_trie *t, u64 granule,
			   unsigned int order, u32 max_stray)
{
	u64 size = order_size(order);

	return block_watched(t, granule & ~(size - 1), order) * max_stray >=
	       size;
}

/* without strays, a block can be dense only if both of its halves are */
static unsigned int widened_order(const struct gpubp_range_trie *t,
				  u64 granule, unsigned int order,
				  u32 max_stray)
{
	unsigned int o = t->max_order;

	if (max_stray == 1) {
		while (order < o && block_is_dense(t, granule, order + 1, 1))
			order++;
		return order;
	}
	while (o > order && !block_is_dense(t, granule, o, max_stray))
		o--;
	return max(o, order);
}

/**
 * gpubp_range_trie_widen() - the largest dense block around one
 * @t: trie
 * @block: in: block of at least a granule that must be covered; out: the
 *	largest block that contains it and is dense, or as it was
 * @max_stray: a block is dense if at least one byte of so many is watched, in
 *	whole granules; 1: all are; 0: no block is
 */
void gpubp_range_trie_widen(const struct gpubp_range_trie *t,
			    struct gpubp_block *block, u32 max_stray)
{
	unsigned int least = ilog2(gpubp_block_size(block)) - t->shift, order;

	order = widened_order(t, block->value >> t->shift, least, max_stray);
	if (order > least) {
		block->mask = GENMASK_ULL(t->va_bits - 1, order + t->shift);
		block->value &= block->mask;
	}
}

/* ---- widen with holes ---------------------------------------------------- */

/*
 * First the block is widened as without holes. Then bits that are still
 * compared are opened, the lowest first, where the half that this adds has
 * anything watched and both halves together are dense. Last, halves in which
 * nothing is watched are closed. So one field of every second struct of an
 * array becomes one block without strays.
 *
 * Blocks that are widened to the same one without holes are widened to the same
 * one with them, so there are not more different blocks than without. The order
 * in which bits are opened matters; the result need not be the best one.
 *
 * A block with holes is counted in parts, the contiguous blocks between the
 * holes. At most GPUBP_TRIE_MAX_LOOKUPS parts are counted, then the block stays
 * as it is: that suffices for an array of 128 structs.
 */

/**
 * struct widening - a block while it changes
 * @t: trie
 * @block: what it is so far
 * @watched: granules of it that are watched, at least
 * @lookups: parts that may still be counted
 */
struct widening {
	const struct gpubp_range_trie *t;
	struct gpubp_block block;
	u64 watched;
	unsigned int lookups;
};

static u64 block_granules(const struct gpubp_range_trie *t,
			  const struct gpubp_block *b)
{
	return gpubp_block_size(b) >> t->shift;
}

/*
 * Watched granules of a block with holes, counted up to the part with which
 * they are @enough. 0 if they are fewer than @need, or if no lookups are left.
 */
static u64 count_parts(struct widening *w, const struct gpubp_block *b,
		       u64 need, u64 enough)
{
	u64 size = b->mask & -b->mask, hole = 0, found = 0;
	u64 holes = gpubp_block_last(b) & ~b->value & ~(size - 1);
	u64 left = block_granules(w->t, b);
	struct gpubp_block part = {
		.mask = GENMASK_ULL(w->t->va_bits - 1, 0) & -size,
	};

	do {
		if (!w->lookups || found + left < need)
			return 0;
		w->lookups--;
		part.value = b->value | hole;
		found += gpubp_range_trie_watched(w->t, &part) >> w->t->shift;
		left -= size >> w->t->shift;
		hole = (hole - holes) & holes;
	} while (hole && found < enough);
	return found < need ? 0 : found;
}

/*
 * Watched granules that the other half needs, so that both together are dense.
 */
static u64 need_of_half(const struct widening *w, u32 max_stray)
{
	u64 need = div_u64(2 * block_granules(w->t, &w->block) + max_stray - 1,
			   max_stray);

	return need > w->watched ? need - w->watched : 1;
}

static void open_bit(struct widening *w, u64 bit, u32 max_stray)
{
	struct gpubp_block half = {
		.value = w->block.value ^ bit, .mask = w->block.mask,
	};
	u64 more;

	more = count_parts(w, &half, need_of_half(w, max_stray), U64_MAX);
	if (!more)
		return;
	w->watched += more;
	w->block.mask &= ~bit;
	w->block.value &= ~bit;
}

/* drop the half that does not contain @own, if nothing in it is watched */
static void close_bit(struct widening *w, u64 bit,
		      const struct gpubp_block *own)
{
	struct gpubp_block half = {
		.value = w->block.value | (bit & ~own->value),
		.mask = w->block.mask | bit,
	};

	/* without a lookup left it is not known whether anything is watched */
	if (count_parts(w, &half, 1, 1) || !w->lookups)
		return;
	w->block.mask |= bit;
	w->block.value |= bit & own->value;
}

/**
 * gpubp_range_trie_widen_ternary() - gpubp_range_trie_widen(), with holes
 * @t: trie
 * @block: block of at least a granule without holes; in: what must be covered
 * @max_stray: as for gpubp_range_trie_widen()
 *
 * The result is dense likewise; its holes are between the granule and the
 * largest block.
 */
void gpubp_range_trie_widen_ternary(const struct gpubp_range_trie *t,
				    struct gpubp_block *block, u32 max_stray)
{
	unsigned int least = ilog2(gpubp_block_size(block)), bit;
	struct widening w = {
		.t = t, .block = *block, .lookups = GPUBP_TRIE_MAX_LOOKUPS,
	};

	if (!max_stray)
		return;
	gpubp_range_trie_widen(t, &w.block, max_stray);
	w.watched = gpubp_range_trie_watched(t, &w.block) >> t->shift;
	for (bit = least; bit < t->shift + t->max_order; bit++)
		if (w.block.mask & BIT_ULL(bit))
			open_bit(&w, BIT_ULL(bit), max_stray);
	/* the largest halves have the fewest parts */
	while (max_stray > 1 && bit-- > least)
		if (!(w.block.mask & BIT_ULL(bit)))
			close_bit(&w, BIT_ULL(bit), block);
	*block = w.block;
}
