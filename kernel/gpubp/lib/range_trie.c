// SPDX-License-Identifier: GPL-2.0
/* Covers: the trie of what is watched. */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/log2.h>
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

/* ---- counts ----------------------------------------------------------------- */

static u64 seen_watched(const struct gpubp_covers_node *n, unsigned int order)
{
	u64 slot = gpubp_covers_size(order), size = gpubp_covers_size(n->order);
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

	while (n && gpubp_covers_holds(n, granule)) {
		p->node[nr++] = n;
		n = n->order ? n->child[gpubp_covers_half(n, granule)] : NULL;
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

	while (nr && !gpubp_covers_holds(p->node[nr - 1], granule))
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
	return walk_on(last->child[gpubp_covers_half(last, granule)], granule,
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
	return &up->child[gpubp_covers_half(up, granule)];
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
	fork->first = leaf->first & ~(gpubp_covers_size(fork->order) - 1);
	half = gpubp_covers_half(fork, leaf->first);
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
	other = fork->child[!gpubp_covers_half(fork, leaf->first)];
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
		      const struct gpubp_cover_caps *caps,
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
