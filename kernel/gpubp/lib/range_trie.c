// SPDX-License-Identifier: GPL-2.0
/* Covers: the trie of what is watched. */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "range_trie.h"

#define MAX_BITS	62	/* of a granule's number: sizes are u64, twice too */
#define LEFT		0
#define RIGHT		1

/**
 * struct trail - forks from the root down, and the leaf if there is one
 * @nr: used entries
 * @node: each smaller than the one before
 */
struct trail {
	unsigned int nr;
	struct gpubp_covers_node *node[MAX_BITS + 1];
};

/* ---- nodes ------------------------------------------------------------------- */

static u64 size_of_order(unsigned int order)
{
	return 1ULL << order;
}

static bool node_holds(const struct gpubp_covers_node *n, u64 granule)
{
	return !((granule ^ n->first) >> n->order);
}

/* which half of a fork */
static unsigned int half_of(const struct gpubp_covers_node *n, u64 granule)
{
	return granule >> (n->order - 1) & 1;
}

/* ---- counts ----------------------------------------------------------------- */

static u64 seen_watched(const struct gpubp_covers_node *n, unsigned int order)
{
	u64 slot = size_of_order(order), size = size_of_order(n->order);
	u64 before = n->first & (slot - 1), watched = n->watched;

	if (n->full)
		return slot;
	if (n->fill[LEFT])
		watched += before;
	if (n->fill[RIGHT])
		watched += slot - before - size;
	return watched;
}

static void recount(struct gpubp_covers_node *fork)
{
	unsigned int order = fork->order - 1;

	fork->watched = seen_watched(fork->child[LEFT], order) +
			seen_watched(fork->child[RIGHT], order);
}

/* forks of a trail from @from on down; what is in them has changed */
static void recount_trail(const struct trail *p, unsigned int from)
{
	unsigned int i = p->nr;

	while (i-- > from)
		if (p->node[i]->order)
			recount(p->node[i]);
}

/*
 * One leaf came or went below the last of the first @nr forks: above it there
 * are only granules to add, up to where all of a slot is watched anyway.
 */
static void recount_above(const struct trail *p, unsigned int nr)
{
	u64 was, more;

	if (!nr--)
		return;
	was = p->node[nr]->watched;
	recount(p->node[nr]);
	more = p->node[nr]->watched - was;
	while (more && !p->node[nr]->full && nr--)
		p->node[nr]->watched += more;
}

/* ---- trails ------------------------------------------------------------------- */

/*
 * On from the nodes that the trail has. Return: what is in the way below the
 * last one, NULL: nothing.
 */
static struct gpubp_covers_node *walk_on(struct gpubp_covers_node *n,
					 u64 granule, struct trail *p)
{
	unsigned int nr = p->nr;

	while (n && node_holds(n, granule)) {
		p->node[nr++] = n;
		n = n->order ? n->child[half_of(n, granule)] : NULL;
	}
	p->nr = nr;
	return n;
}

static struct gpubp_covers_node *walk(const struct gpubp_covers *c, u64 granule,
				      struct trail *p)
{
	p->nr = 0;
	return walk_on(c->root, granule, p);
}

/* how many nodes of a trail have a granule that it need not lead to */
static unsigned int nr_holding(const struct trail *p, u64 granule)
{
	unsigned int nr = p->nr;

	while (nr && !node_holds(p->node[nr - 1], granule))
		nr--;
	return nr;
}

/* the same as walk(), with the first @common nodes known from another trail */
static struct gpubp_covers_node *walk_along(const struct gpubp_covers *c,
					    u64 granule, struct trail *p,
					    const struct trail *other,
					    unsigned int common)
{
	struct gpubp_covers_node *last;

	if (!common)
		return walk(c, granule, p);
	last = other->node[common - 1];
	memcpy(p->node, other->node, common * sizeof(*p->node));
	p->nr = common;
	if (!last->order)
		return NULL;
	return walk_on(last->child[half_of(last, granule)], granule,
		       p);
}

static struct gpubp_covers_node *trail_leaf(const struct trail *p)
{
	struct gpubp_covers_node *n = p->nr ? p->node[p->nr - 1] : NULL;

	return n && !n->order ? n : NULL;
}

/* what points to the node in a trail that is @depth below the root */
static struct gpubp_covers_node **link_at(struct gpubp_covers *c,
					  const struct trail *p,
					  unsigned int depth, u64 granule)
{
	struct gpubp_covers_node *up;

	if (!depth)
		return &c->root;
	up = p->node[depth - 1];
	return &up->child[half_of(up, granule)];
}

/* ---- leaves come and go ------------------------------------------------------- */

/* the size of its part without a fork's fields */
size_t gpubp_covers_leaf_size(void)
{
	return offsetof(struct gpubp_covers_node, child);
}

size_t gpubp_covers_fork_size(void)
{
	return sizeof(struct gpubp_covers_node);
}

static void free_node(struct gpubp_covers *c, struct gpubp_covers_node *n)
{
	c->mem->free(n, n->order ? gpubp_covers_fork_size() :
				   gpubp_covers_leaf_size());
}

static struct gpubp_covers_node *new_node(struct gpubp_covers *c, size_t size)
{
	struct gpubp_covers_node *n = c->mem->alloc(size);

	if (n)
		memset(n, 0, size);
	return n;
}

/*
 * A range that leaves @at towards @leaf has all of the leaf's new slot. What
 * the new fork has that is watched is what was there before the leaf.
 */
static void part(struct gpubp_covers_node *fork, struct gpubp_covers_node *at,
		 struct gpubp_covers_node *leaf)
{
	unsigned int half;

	fork->order = fls64(leaf->first ^ at->first);
	fork->first = leaf->first & ~(size_of_order(fork->order) - 1);
	half = half_of(fork, leaf->first);
	fork->child[half] = leaf;
	fork->child[!half] = at;
	fork->full = at->full;
	at->full = 0;
	fork->watched = seen_watched(at, fork->order);
	fork->fill[LEFT] = at->fill[LEFT];
	fork->fill[RIGHT] = at->fill[RIGHT];
	leaf->full = at->fill[half];
}

/* @at is in the way at the end of the path, or nothing is in the tree */
static int add_leaf(struct gpubp_covers *c, u64 granule, struct trail *p,
		    struct gpubp_covers_node *at)
{
	struct gpubp_covers_node **link = link_at(c, p, p->nr, granule);
	struct gpubp_covers_node *leaf, *fork;

	leaf = new_node(c, gpubp_covers_leaf_size());
	if (!leaf)
		return -ENOMEM;
	leaf->first = granule;
	leaf->watched = 1;
	if (at) {
		fork = new_node(c, gpubp_covers_fork_size());
		if (!fork) {
			free_node(c, leaf);
			return -ENOMEM;
		}
		part(fork, at, leaf);
		p->node[p->nr++] = fork;
	}
	*link = at ? fork : leaf;
	p->node[p->nr++] = leaf;
	return 0;
}

static void del_leaf(struct gpubp_covers *c, struct trail *p)
{
	struct gpubp_covers_node *leaf = p->node[--p->nr], *fork, *other;

	if (!p->nr) {
		c->root = NULL;
		free_node(c, leaf);
		return;
	}
	fork = p->node[--p->nr];
	other = fork->child[!half_of(fork, leaf->first)];
	other->full = fork->full;
	*link_at(c, p, p->nr, leaf->first) = other;
	free_node(c, leaf);
	free_node(c, fork);
}

/* at the end of a trail, where @at is in the way */
static int add_end(struct gpubp_covers *c, u64 granule, struct trail *p,
		   struct gpubp_covers_node *at)
{
	if (!trail_leaf(p)) {
		int err = add_leaf(c, granule, p, at);

		if (err)
			return err;
	}
	trail_leaf(p)->ends++;
	return 0;
}

static void del_end(struct gpubp_covers *c, struct trail *p)
{
	if (!--trail_leaf(p)->ends)
		del_leaf(c, p);
}

/* ---- ranges -------------------------------------------------------------------- */

/* @by is 1 or -1; below the fork where the ends part, from @from on */
static void count_side(const struct trail *p, unsigned int from,
		       unsigned int side, u32 by)
{
	unsigned int i;

	for (i = from; i < p->nr; i++) {
		struct gpubp_covers_node *n = p->node[i];

		n->fill[side] += by;
		if (n->order && p->node[i + 1] != n->child[side])
			n->child[side]->full += by;
	}
}

static void count_range(const struct trail *a, const struct trail *b,
			unsigned int common, u32 by)
{
	count_side(a, common, RIGHT, by);
	count_side(b, common, LEFT, by);
}

static void recount_range(const struct trail *a, const struct trail *b,
			  unsigned int common)
{
	recount_trail(a, common);
	recount_trail(b, 0);
}

static int insert_one(struct gpubp_covers *c, u64 granule)
{
	struct trail p;
	int err = add_end(c, granule, &p, walk(c, granule, &p));

	if (err)
		return err;
	if (trail_leaf(&p)->ends == 1)
		recount_above(&p, p.nr - 1);
	return 0;
}

static int insert_two(struct gpubp_covers *c, u64 first, u64 last)
{
	struct gpubp_covers_node *at;
	struct trail a, b;
	unsigned int common;
	int err;

	err = add_end(c, first, &a, walk(c, first, &a));
	if (err)
		return err;
	at = walk_along(c, last, &b, &a, nr_holding(&a, last));
	err = add_end(c, last, &b, at);
	if (err) {
		del_end(c, &a);
		return err;
	}
	/* a new fork may be in the trail of both */
	common = nr_holding(&b, first);
	walk_along(c, first, &a, &b, common);
	count_range(&a, &b, common, 1);
	recount_range(&a, &b, common);
	return 0;
}

static int remove_one(struct gpubp_covers *c, u64 granule)
{
	struct trail p;

	walk(c, granule, &p);
	if (!trail_leaf(&p))
		return -ENOENT;
	if (!--trail_leaf(&p)->ends) {
		del_leaf(c, &p);
		recount_above(&p, p.nr);
	}
	return 0;
}

/* forks that were in both trails may go with either end */
static void del_ends(struct gpubp_covers *c, u64 first, u64 last,
		     struct trail *a, struct trail *b)
{
	del_end(c, a);
	walk_along(c, last, b, a, nr_holding(a, last));
	del_end(c, b);
	walk_along(c, first, a, b, nr_holding(b, first));
}

static int remove_two(struct gpubp_covers *c, u64 first, u64 last)
{
	struct trail a, b;

	walk(c, first, &a);
	walk_along(c, last, &b, &a, nr_holding(&a, last));
	if (!trail_leaf(&a) || !trail_leaf(&b))
		return -ENOENT;
	count_range(&a, &b, nr_holding(&a, last), -1);
	del_ends(c, first, last, &a, &b);
	recount_range(&a, &b, nr_holding(&b, first));
	return 0;
}

static bool range_valid(const struct gpubp_covers *c, u64 addr, u64 len)
{
	u64 last = addr + len - 1;

	return len && last >= addr && last <= GENMASK_ULL(c->va_bits - 1, 0);
}

/**
 * gpubp_covers_insert() - a range is watched
 * @c: covers
 * @addr: first byte
 * @len: bytes
 *
 * Ranges may overlap and be equal.
 *
 * Return: 0, -EINVAL (no bytes, a wrap, an address that the device does not
 * have) or -ENOMEM: nothing has changed then.
 */
int gpubp_covers_insert(struct gpubp_covers *c, u64 addr, u64 len)
{
	u64 first = addr >> c->shift, last = (addr + len - 1) >> c->shift;

	if (!range_valid(c, addr, len))
		return -EINVAL;
	if (first == last)
		return insert_one(c, first);
	return insert_two(c, first, last);
}

/**
 * gpubp_covers_remove() - a range that was inserted is not watched any more
 * @c: covers
 * @addr: first byte
 * @len: bytes
 *
 * Return: 0. -EINVAL or -ENOENT for most ranges that are not there, not for
 * all: what was not inserted must not be removed.
 */
int gpubp_covers_remove(struct gpubp_covers *c, u64 addr, u64 len)
{
	u64 first = addr >> c->shift, last = (addr + len - 1) >> c->shift;

	if (!range_valid(c, addr, len))
		return -EINVAL;
	if (first == last)
		return remove_one(c, first);
	return remove_two(c, first, last);
}

/**
 * gpubp_covers_init() - nothing is watched
 * @c: covers
 * @caps: blocks that the device can compare
 * @mem: where nodes come from
 *
 * Return: 0 or -EINVAL: a block of too many granules.
 */
int gpubp_covers_init(struct gpubp_covers *c,
		      const struct gpubp_block_caps *caps,
		      const struct gpubp_covers_mem *mem)
{
	unsigned int shift = ilog2(caps->granule), order;

	order = min_t(unsigned int, ilog2(caps->max_block), caps->va_bits - 1);
	if (order < shift || order - shift > GPUBP_COVERS_ORDER ||
	    caps->va_bits - shift > MAX_BITS)
		return -EINVAL;
	*c = (struct gpubp_covers) {
		.mem = mem,
		.shift = shift,
		.max_order = order - shift,
		.va_bits = caps->va_bits,
	};
	return 0;
}

/* ---- lift --------------------------------------------------------------------- */

/* of a block that is in the slot of @n, but not in its block */
static u64 watched_beside(const struct gpubp_covers_node *n, u64 first,
			  unsigned int order)
{
	u64 size = size_of_order(order);
	u64 end = n->first + size_of_order(n->order);
	u64 watched;

	if ((n->first ^ first) >> order)
		return n->fill[first > n->first] ? size : 0;
	watched = n->watched;
	if (n->fill[0])
		watched += n->first - first;
	if (n->fill[1])
		watched += first + size - end;
	return watched;
}

/* granules of an aligned block that are watched */
static u64 watched_in(const struct gpubp_covers *c, u64 first,
		      unsigned int order)
{
	const struct gpubp_covers_node *n = c->root;

	if (!n)
		return 0;
	for (;;) {
		if (n->full)
			return size_of_order(order);
		if (order >= n->order || !node_holds(n, first))
			return watched_beside(n, first, order);
		n = n->child[half_of(n, first)];
	}
}

/**
 * gpubp_covers_watched() - how much of a block is watched
 * @c: covers
 * @block: block of at least a granule
 *
 * Return: bytes, in whole granules.
 */
u64 gpubp_covers_watched(const struct gpubp_covers *c,
			 const struct gpubp_block *block)
{
	unsigned int order = ilog2(gpubp_block_size(block)) - c->shift;

	return watched_in(c, block->value >> c->shift, order) << c->shift;
}

static bool is_enough(const struct gpubp_covers *c, u64 granule,
		      unsigned int order, u32 max_stray)
{
	u64 size = size_of_order(order);

	return watched_in(c, granule & ~(size - 1), order) * max_stray >= size;
}

/* where no stray will do, the halves of a block must do */
static unsigned int lifted_order(const struct gpubp_covers *c, u64 granule,
				 unsigned int order, u32 max_stray)
{
	unsigned int o = c->max_order;

	if (max_stray == 1) {
		while (order < o && is_enough(c, granule, order + 1, 1))
			order++;
		return order;
	}
	while (o > order && !is_enough(c, granule, o, max_stray))
		o--;
	return max(o, order);
}

/**
 * gpubp_covers_lift() - the largest block around one that is watched enough
 * @c: covers
 * @block: block of at least a granule; in: what must be covered
 * @max_stray: at least one byte of so many is watched, in whole granules; with
 *	1 all are. 0 lifts nothing.
 *
 * It has all of @block in any case: where nothing larger is watched enough it
 * stays as it is.
 */
void gpubp_covers_lift(const struct gpubp_covers *c, struct gpubp_block *block,
		       u32 max_stray)
{
	unsigned int least = ilog2(gpubp_block_size(block)) - c->shift, order;

	order = lifted_order(c, block->value >> c->shift, least, max_stray);
	if (order > least) {
		block->mask = GENMASK_ULL(c->va_bits - 1, order + c->shift);
		block->value &= block->mask;
	}
}

/* ---- lift with holes ----------------------------------------------------------- */

/*
 * First it grows as it does without holes. Then bits that are still compared are
 * let go, the lowest first, where the other half that this adds has something
 * that is watched, and both together have enough. Last, halves in which nobody
 * watches anything are left out. So a field of every second struct of an array
 * is one block without strays.
 *
 * Blocks that grow into the same one without holes become the same one with
 * them, so there are not more different ones than without. Which bits are let go
 * first matters: it need not be the best one.
 *
 * What a block with holes has is counted part by part, a part being what lies
 * between two holes: GPUBP_COVERS_LOOKS in all, then it stays as it is. That is
 * enough for an array of 128 structs.
 */

/**
 * struct holed - a block while it changes
 * @c: covers
 * @block: what it is so far
 * @watched: granules of it that are, at least
 * @looks: parts that may still be looked at
 */
struct holed {
	const struct gpubp_covers *c;
	struct gpubp_block block;
	u64 watched;
	unsigned int looks;
};

static u64 granules(const struct gpubp_covers *c, const struct gpubp_block *b)
{
	return gpubp_block_size(b) >> c->shift;
}

/*
 * Watched granules of a block, up to the part with which they are @enough. 0 if
 * they are fewer than @need, or that would take too many looks.
 */
static u64 count_parts(struct holed *h, const struct gpubp_block *b, u64 need,
		       u64 enough)
{
	u64 size = b->mask & -b->mask, hole = 0, found = 0;
	u64 holes = gpubp_block_last(b) & ~b->value & ~(size - 1);
	u64 left = granules(h->c, b);
	struct gpubp_block part = {
		.mask = GENMASK_ULL(h->c->va_bits - 1, 0) & -size,
	};

	do {
		if (!h->looks || found + left < need)
			return 0;
		h->looks--;
		part.value = b->value | hole;
		found += gpubp_covers_watched(h->c, &part) >> h->c->shift;
		left -= size >> h->c->shift;
		hole = (hole - holes) & holes;
	} while (hole && found < enough);
	return found < need ? 0 : found;
}

/* what the other half must have, so that both are watched enough */
static u64 need_of_half(const struct holed *h, u32 max_stray)
{
	u64 need = div_u64(2 * granules(h->c, &h->block) + max_stray - 1,
			   max_stray);

	return need > h->watched ? need - h->watched : 1;
}

static void let_go(struct holed *h, u64 bit, u32 max_stray)
{
	struct gpubp_block half = {
		.value = h->block.value ^ bit, .mask = h->block.mask,
	};
	u64 more;

	more = count_parts(h, &half, need_of_half(h, max_stray), U64_MAX);
	if (!more)
		return;
	h->watched += more;
	h->block.mask &= ~bit;
	h->block.value &= ~bit;
}

/* of the two halves, the one in which @own is not */
static void leave_out(struct holed *h, u64 bit, const struct gpubp_block *own)
{
	struct gpubp_block half = {
		.value = h->block.value | (bit & ~own->value),
		.mask = h->block.mask | bit,
	};

	/* without a look left it may have something */
	if (count_parts(h, &half, 1, 1) || !h->looks)
		return;
	h->block.mask |= bit;
	h->block.value |= bit & own->value;
}

/**
 * gpubp_covers_lift_holes() - the same as gpubp_covers_lift(), with holes
 * @c: covers
 * @block: block of at least a granule without holes; in: what must be covered
 * @max_stray: see there
 *
 * It is watched enough as there, and holes are between the granule and the
 * largest block.
 */
void gpubp_covers_lift_holes(const struct gpubp_covers *c,
			     struct gpubp_block *block, u32 max_stray)
{
	unsigned int least = ilog2(gpubp_block_size(block)), bit;
	struct holed h = {
		.c = c, .block = *block, .looks = GPUBP_COVERS_LOOKS,
	};

	if (!max_stray)
		return;
	gpubp_covers_lift(c, &h.block, max_stray);
	h.watched = gpubp_covers_watched(c, &h.block) >> c->shift;
	for (bit = least; bit < c->shift + c->max_order; bit++)
		if (h.block.mask & BIT_ULL(bit))
			let_go(&h, BIT_ULL(bit), max_stray);
	/* the largest halves have the fewest parts */
	while (max_stray > 1 && bit-- > least)
		if (!(h.block.mask & BIT_ULL(bit)))
			leave_out(&h, BIT_ULL(bit), block);
	*block = h.block;
}
