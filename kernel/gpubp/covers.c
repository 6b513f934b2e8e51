// SPDX-License-Identifier: GPL-2.0
/* Covers: the trie of what is watched, and what it costs to cover it. */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "covers.h"

#define MAX_BITS	62	/* of a granule's number: sizes are u64, twice too */
#define LEFT		0
#define RIGHT		1

const u32 gpubp_covers_leaf[GPUBP_COVERS_MAX] = {
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
};

/**
 * struct trail - forks from the root down, and the leaf if there is one
 * @nr: used entries
 * @node: each smaller than the one before
 */
struct trail {
	unsigned int nr;
	struct gpubp_covers_node *node[MAX_BITS + 1];
};

/* ---- costs ------------------------------------------------------------------ */

/** gpubp_covers_need() - blocks for a size all of which is watched */
unsigned int gpubp_covers_need(const struct gpubp_covers *c,
			       unsigned int order)
{
	if (order <= c->max_order)
		return 1;
	return 1U << min(order - c->max_order, 31U);
}

/* @cost of the block around a watched part: now with its watched other half */
static void fold_level(const struct gpubp_covers *c, unsigned int order,
		       u32 *cost)
{
	unsigned int need = gpubp_covers_need(c, order), k;
	u32 one = gpubp_covers_one(c, order + 1);

	for (k = c->max_blocks; k; k--) {
		u32 both = GPUBP_COVERS_NEVER;

		if (k > need)
			both = cost[k - need - 1] + (1U << order);
		cost[k - 1] = min(one, both);
	}
}

/** gpubp_covers_fold() - from the cost of a node to that of the block around it */
void gpubp_covers_fold(const struct gpubp_covers *c,
		       const struct gpubp_covers_node *n, unsigned int order,
		       u32 *cost)
{
	unsigned int o;

	memcpy(cost, gpubp_covers_own(n), c->max_blocks * sizeof(*cost));
	for (o = n->order; o < order; o++)
		if (n->fill[!(n->first >> o & 1)])
			fold_level(c, o, cost);
}

static void full_cost(const struct gpubp_covers *c, unsigned int order,
		      u32 *cost)
{
	unsigned int need = gpubp_covers_need(c, order), k;

	for (k = 1; k <= c->max_blocks; k++)
		cost[k - 1] = k >= need ? 1U << order : GPUBP_COVERS_NEVER;
}

/** gpubp_covers_seen() - cost of all that is watched in a slot of this size */
const u32 *gpubp_covers_seen(const struct gpubp_covers *c,
			     const struct gpubp_covers_node *n,
			     unsigned int order, u32 *buf)
{
	if (n->full)
		full_cost(c, order, buf);
	else if (n->order != order && (n->fill[LEFT] || n->fill[RIGHT]))
		gpubp_covers_fold(c, n, order, buf);
	else
		return gpubp_covers_own(n);
	return buf;
}

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

/* @cost of a fork from those of its halves; whether that changes it */
static bool combine(const u32 *a, const u32 *b, u32 one, u32 *cost,
		    unsigned int nr)
{
	u32 changed = cost[0] ^ one;
	unsigned int i, k;

	cost[0] = one;
	for (k = 1; k < nr; k++) {
		u32 best = one;

		for (i = 0; i < k; i++)
			best = min(best, a[i] + b[k - 1 - i]);
		changed |= cost[k] ^ best;
		cost[k] = best;
	}
	return changed;
}

/* the same for four comparators: that is what there is */
static bool combine4(const u32 *a, const u32 *b, u32 one, u32 *cost)
{
	u32 two = min(one, a[0] + b[0]);
	u32 three = min3(one, a[0] + b[1], a[1] + b[0]);
	u32 four = min(min(one, a[0] + b[2]), min(a[1] + b[1], a[2] + b[0]));
	bool changed = (cost[0] ^ one) | (cost[1] ^ two) | (cost[2] ^ three) |
		       (cost[3] ^ four);

	cost[0] = one;
	cost[1] = two;
	cost[2] = three;
	cost[3] = four;
	return changed;
}

static bool refresh_cost(const struct gpubp_covers *c,
			 struct gpubp_covers_node *n, const u32 *a,
			 const u32 *b)
{
	u32 one = gpubp_covers_one(c, n->order);

	if (c->max_blocks == 4)
		return combine4(a, b, one, n->cost);
	return combine(a, b, one, n->cost, c->max_blocks);
}

static bool refresh_beside(const struct gpubp_covers *c,
			   struct gpubp_covers_node *n)
{
	struct gpubp_covers_node *left = n->child[LEFT];
	struct gpubp_covers_node *right = n->child[RIGHT];
	u32 buf[2][GPUBP_COVERS_MAX];
	unsigned int order = n->order - 1;

	n->watched = seen_watched(left, order) + seen_watched(right, order);
	return refresh_cost(c, n, gpubp_covers_seen(c, left, order, buf[LEFT]),
			    gpubp_covers_seen(c, right, order, buf[RIGHT]));
}

static bool is_alone(const struct gpubp_covers_node *n)
{
	return !(n->full | n->fill[LEFT] | n->fill[RIGHT]);
}

/* Return: whether its cost changes */
static bool refresh_fork(const struct gpubp_covers *c,
			 struct gpubp_covers_node *n)
{
	struct gpubp_covers_node *left = n->child[LEFT];
	struct gpubp_covers_node *right = n->child[RIGHT];

	if (!is_alone(left) || !is_alone(right))
		return refresh_beside(c, n);
	n->watched = left->watched + right->watched;
	return refresh_cost(c, n, gpubp_covers_own(left),
			    gpubp_covers_own(right));
}

/* all forks from @from on down: what is counted beside the path has changed */
static void refresh_below(const struct gpubp_covers *c, const struct trail *p,
			  unsigned int from)
{
	unsigned int i = p->nr;

	while (i-- > from)
		if (p->node[i]->order)
			refresh_fork(c, p->node[i]);
}

/*
 * What changed below the last of the first @nr forks is told to all above it.
 * The cost of few blocks depends on few forks, so it soon is what it was; then
 * there are only granules to add.
 */
static void refresh_above(const struct gpubp_covers *c, const struct trail *p,
			  unsigned int nr, bool changed, u32 weight)
{
	u64 more = 0;

	while (nr--) {
		struct gpubp_covers_node *n = p->node[nr];

		n->weight += weight;
		if (changed) {
			u64 was = n->watched;

			changed = refresh_fork(c, n);
			more = n->watched - was;
		} else {
			n->watched += more;
		}
		/* what is in it makes no difference to the fork above */
		if (n->full)
			more = 0;
	}
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

size_t gpubp_covers_fork_size(unsigned int max_blocks)
{
	return offsetof(struct gpubp_covers_node, cost) +
	       max_blocks * sizeof(u32);
}

static void free_node(struct gpubp_covers *c, struct gpubp_covers_node *n)
{
	c->mem->free(n, n->order ? gpubp_covers_fork_size(c->max_blocks) :
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
 * the new fork has that is watched is what was there before the leaf; its costs
 * are still to be found: no cost is 0.
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
	fork->weight = at->weight;
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
		fork = new_node(c, gpubp_covers_fork_size(c->max_blocks));
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

static void refresh_range(struct gpubp_covers *c, const struct trail *a,
			  const struct trail *b, unsigned int common,
			  u32 weight)
{
	refresh_below(c, a, common);
	refresh_below(c, b, common);
	refresh_above(c, a, common, true, weight);
}

static int insert_one(struct gpubp_covers *c, u64 granule, u32 weight)
{
	struct trail p;
	int err = add_end(c, granule, &p, walk(c, granule, &p));

	if (err)
		return err;
	trail_leaf(&p)->weight += weight;
	refresh_above(c, &p, p.nr - 1, trail_leaf(&p)->ends == 1, weight);
	return 0;
}

static int insert_two(struct gpubp_covers *c, u64 first, u64 last, u32 weight)
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
	refresh_range(c, &a, &b, common, weight);
	return 0;
}

static int remove_one(struct gpubp_covers *c, u64 granule, u32 weight)
{
	struct gpubp_covers_node *leaf;
	struct trail p;

	walk(c, granule, &p);
	leaf = trail_leaf(&p);
	if (!leaf)
		return -ENOENT;
	if (leaf->ends > 1) {
		leaf->ends--;
		leaf->weight -= weight;
		refresh_above(c, &p, p.nr - 1, false, -weight);
	} else {
		del_leaf(c, &p);
		refresh_above(c, &p, p.nr, true, -weight);
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

static int remove_two(struct gpubp_covers *c, u64 first, u64 last, u32 weight)
{
	struct trail a, b;

	walk(c, first, &a);
	walk_along(c, last, &b, &a, nr_holding(&a, last));
	if (!trail_leaf(&a) || !trail_leaf(&b))
		return -ENOENT;
	count_range(&a, &b, nr_holding(&a, last), -1);
	del_ends(c, first, last, &a, &b);
	refresh_range(c, &a, &b, nr_holding(&b, first), -weight);
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
 * @weight: what it is worth to cover it
 *
 * Ranges may overlap and be equal.
 *
 * Return: 0, -EINVAL (no bytes, a wrap, an address that the device does not
 * have), -EOVERFLOW (of all weights) or -ENOMEM: nothing has changed then.
 */
int gpubp_covers_insert(struct gpubp_covers *c, u64 addr, u64 len, u32 weight)
{
	u64 first = addr >> c->shift, last = (addr + len - 1) >> c->shift;

	if (!range_valid(c, addr, len))
		return -EINVAL;
	if (c->root && c->root->weight + weight < weight)
		return -EOVERFLOW;
	if (first == last)
		return insert_one(c, first, weight);
	return insert_two(c, first, last, weight);
}

/**
 * gpubp_covers_remove() - a range that was inserted is not watched any more
 * @c: covers
 * @addr: first byte
 * @len: bytes
 * @weight: as it was inserted
 *
 * Return: 0. -EINVAL or -ENOENT for most ranges that are not there, not for
 * all: what was not inserted must not be removed.
 */
int gpubp_covers_remove(struct gpubp_covers *c, u64 addr, u64 len, u32 weight)
{
	u64 first = addr >> c->shift, last = (addr + len - 1) >> c->shift;

	if (!range_valid(c, addr, len))
		return -EINVAL;
	if (first == last)
		return remove_one(c, first, weight);
	return remove_two(c, first, last, weight);
}

/**
 * gpubp_covers_init() - nothing is watched
 * @c: covers
 * @caps: blocks that the device can compare
 * @max_blocks: of a cover, 1 to GPUBP_COVERS_MAX
 * @mem: where nodes come from
 *
 * Return: 0 or -EINVAL: @max_blocks, or a block of too many granules.
 */
int gpubp_covers_init(struct gpubp_covers *c,
		      const struct gpubp_cover_caps *caps,
		      unsigned int max_blocks,
		      const struct gpubp_covers_mem *mem)
{
	unsigned int shift = ilog2(caps->granule), order;

	order = min_t(unsigned int, ilog2(caps->max_block), caps->va_bits - 1);
	if (!max_blocks || max_blocks > GPUBP_COVERS_MAX || order < shift ||
	    order - shift > GPUBP_COVERS_ORDER ||
	    caps->va_bits - shift > MAX_BITS)
		return -EINVAL;
	*c = (struct gpubp_covers) {
		.mem = mem,
		.shift = shift,
		.max_order = order - shift,
		.va_bits = caps->va_bits,
		.max_blocks = max_blocks,
	};
	return 0;
}

/** gpubp_covers_exit() - forget all ranges; by rotation, so without a stack */
void gpubp_covers_exit(struct gpubp_covers *c)
{
	struct gpubp_covers_node *n = c->root, *left;

	while (n) {
		left = n->order ? n->child[LEFT] : NULL;
		if (left && left->order) {
			n->child[LEFT] = left->child[RIGHT];
			left->child[RIGHT] = n;
			n = left;
			continue;
		}
		if (left)
			free_node(c, left);
		left = n->order ? n->child[RIGHT] : NULL;
		free_node(c, n);
		n = left;
	}
	c->root = NULL;
}
