// SPDX-License-Identifier: GPL-2.0
/*
 * Covers: what to leave for the next quantum, if not all can be watched well.
 *
 * To leave watches costs their weight, to cover them costs strays. Here a
 * *price* tells how many stray granules a weight is worth, and the sum is made
 * least: exactly, in one pass over the tree. The prices between two points
 * found lead to the one between them, if there is one, and so to all vertices
 * of the convex hull of (strays, lost). A point that only a mixture of two
 * vertices betters is not found; in the long run turns mix them anyway.
 *
 * Where a range crosses the middle of a fork its two ends stand or fall
 * together, and with them all of the fork: it is covered as a whole or left as
 * a whole. Watches of a granule cross nothing, so for these the choice is free.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "covers.h"

#define MAX_ROWS	64	/* one for each size of a fork, and a leaf's */

/**
 * struct choice - what is covered of a node, and what is left
 * @strays: granules compared that nobody watches
 * @lost: weight of what is left
 * @nr: blocks
 * @block: granule and size of each: twice the number of its first, and its
 *	size added
 */
struct choice {
	u32 strays;
	u32 lost;
	u32 nr;
	u64 block[GPUBP_COVERS_MAX];
};

/**
 * struct front - a pass over the tree
 * @c: covers
 * @k: blocks at most
 * @price: see struct gpubp_covers_point
 * @row: choices with at most 0, 1, ... @k blocks, of nodes whose fork is still
 *	to come
 * @nr_rows: how many
 */
struct front {
	const struct gpubp_covers *c;
	unsigned int k;
	u32 price[2];
	struct choice *row;
	unsigned int nr_rows;
};

/** gpubp_covers_scratch() - bytes that trade and front need to work in */
size_t gpubp_covers_scratch(unsigned int max_blocks)
{
	unsigned int k = min_t(unsigned int, max_blocks, GPUBP_COVERS_MAX);

	/* the spare one is where two rows become one */
	return (MAX_ROWS + 1) * (k + 1) * sizeof(struct choice);
}

static struct choice *row_at(const struct front *f, unsigned int i)
{
	return f->row + (size_t)i * (f->k + 1);
}

/* no sum overflows: strays are below 2^31, the others below 2^32 */
static u64 worth(const struct front *f, u32 strays, u32 lost)
{
	return (u64)strays * f->price[1] + (u64)lost * f->price[0];
}

static bool better(const struct front *f, u32 strays, u32 lost,
		   const struct choice *than)
{
	u64 a = worth(f, strays, lost), b = worth(f, than->strays, than->lost);

	if (a != b)
		return a < b;
	return lost != than->lost ? lost < than->lost : strays < than->strays;
}

/* a range begins in its left half and goes on in the right one, or further */
static bool is_crossed(const struct gpubp_covers_node *n)
{
	return n->order && n->child[0]->fill[1];
}

/* cover all of it with at most @k blocks, if that is better than @to */
static void consider_all(const struct front *f,
			 const struct gpubp_covers_node *n, unsigned int k,
			 struct choice *to)
{
	struct gpubp_block block[GPUBP_COVERS_MAX];
	u32 cost = gpubp_covers_own(n)[k - 1];
	unsigned int i;

	if (cost == GPUBP_COVERS_NEVER || !better(f, cost - n->watched, 0, to))
		return;
	*to = (struct choice) { .strays = cost - n->watched };
	to->nr = gpubp_covers_emit(f->c, n, k, block);
	for (i = 0; i < to->nr; i++)
		to->block[i] = 2 * (block[i].value >> f->c->shift) +
			       (gpubp_block_size(&block[i]) >> f->c->shift);
}

/* left or covered as a whole */
static void push_whole(struct front *f, const struct gpubp_covers_node *n)
{
	struct choice *row = row_at(f, f->nr_rows++);
	unsigned int k;

	row[0] = (struct choice) { .lost = n->weight };
	for (k = 1; k <= f->k; k++) {
		row[k] = row[k - 1];
		consider_all(f, n, k, &row[k]);
	}
}

static void join(struct choice *to, const struct choice *a,
		 const struct choice *b)
{
	to->strays = a->strays + b->strays;
	to->lost = a->lost + b->lost;
	to->nr = a->nr + b->nr;
	memcpy(to->block, a->block, a->nr * sizeof(*a->block));
	memcpy(to->block + a->nr, b->block, b->nr * sizeof(*b->block));
}

/* the last two rows are the halves of @n; they become its own */
static void merge(struct front *f, const struct gpubp_covers_node *n)
{
	struct choice *b = row_at(f, --f->nr_rows);
	struct choice *a = row_at(f, f->nr_rows - 1);
	struct choice *to = row_at(f, MAX_ROWS);
	unsigned int i, k;

	for (k = 0; k <= f->k; k++) {
		join(&to[k], &a[0], &b[k]);
		for (i = 1; i <= k; i++)
			if (better(f, a[i].strays + b[k - i].strays,
				   a[i].lost + b[k - i].lost, &to[k]))
				join(&to[k], &a[i], &b[k - i]);
		if (k)
			consider_all(f, n, 1, &to[k]);
	}
	memcpy(a, to, (f->k + 1) * sizeof(*to));
}

/**
 * struct walk - forks on the way down
 * @node: fork
 * @both: its left half is done, and its right half is being done
 */
struct walk {
	const struct gpubp_covers_node *node;
	bool both;
};

/* down to the left, then the right, then the fork itself */
static void look_at_all(struct front *f)
{
	const struct gpubp_covers_node *n = f->c->root;
	struct walk up[MAX_ROWS];
	unsigned int nr = 0;

	while (n) {
		if (n->order && !is_crossed(n)) {
			up[nr++] = (struct walk) { n, false };
			n = n->child[0];
			continue;
		}
		push_whole(f, n);
		while (nr && up[nr - 1].both)
			merge(f, up[--nr].node);
		n = NULL;
		if (nr) {
			up[nr - 1].both = true;
			n = up[nr - 1].node->child[1];
		}
	}
}

static int give_blocks(const struct front *f, const struct choice *best,
		       struct gpubp_block *out)
{
	unsigned int i, order;

	for (i = 0; i < best->nr; i++) {
		order = __ffs64(best->block[i]) + f->c->shift;
		out[i].mask = GENMASK_ULL(f->c->va_bits - 1, order);
		out[i].value = best->block[i] >> 1 << f->c->shift &
			       out[i].mask;
	}
	return best->nr;
}

/**
 * gpubp_covers_trade() - the best choice of what to cover at a price
 * @c: covers
 * @max_blocks: comparators to use at most
 * @scratch: gpubp_covers_scratch() bytes to work in
 * @point: in: the price; out: strays and lost. Of those that are equally good,
 *	the one that loses least.
 * @out: the blocks, by address; may be NULL
 *
 * Return: number of blocks.
 */
int gpubp_covers_trade(const struct gpubp_covers *c, unsigned int max_blocks,
		       void *scratch, struct gpubp_covers_point *point,
		       struct gpubp_block *out)
{
	struct front f = {
		.c = c,
		.k = min_t(unsigned int, max_blocks, c->max_blocks),
		.price = { point->price[0], point->price[1] },
		.row = scratch,
	};
	const struct choice *best;

	point->strays = 0;
	point->lost = 0;
	if (!c->root)
		return 0;
	look_at_all(&f);
	best = row_at(&f, 0) + f.k;
	point->strays = (u64)best->strays << c->shift;
	point->lost = best->lost;
	return out ? give_blocks(&f, best, out) : (int)best->nr;
}

/* Return: whether @point is below the line from @a to @b, and they differ */
static bool between(const struct gpubp_covers *c, unsigned int max_blocks,
		    void *scratch, const struct gpubp_covers_point *a,
		    const struct gpubp_covers_point *b,
		    struct gpubp_covers_point *point)
{
	u64 strays, lost, best;

	point->price[0] = (b->strays - a->strays) >> c->shift;
	point->price[1] = a->lost - b->lost;
	if (!point->price[0] || !point->price[1])
		return false;
	gpubp_covers_trade(c, max_blocks, scratch, point, NULL);
	strays = (a->strays >> c->shift) * point->price[1];
	lost = (u64)a->lost * point->price[0];
	best = (point->strays >> c->shift) * point->price[1] +
	       (u64)point->lost * point->price[0];
	return best < strays + lost;
}

/**
 * gpubp_covers_front() - which strays buy what
 * @c: covers
 * @max_blocks: comparators to use at most
 * @scratch: gpubp_covers_scratch() bytes to work in
 * @point: the vertices of the convex hull, those with fewer strays first; the
 *	last one loses least
 * @room: points at most, 2 or more; if all are used there may be more, before
 *	the last one
 *
 * Each takes at most two passes over all ranges, so this is for small sets, or
 * not for every quantum.
 *
 * Return: number of points, 0 if nothing is watched.
 */
int gpubp_covers_front(const struct gpubp_covers *c, unsigned int max_blocks,
		       void *scratch, struct gpubp_covers_point *point,
		       unsigned int room)
{
	unsigned int nr = 1, i = 0;

	if (!c->root || room < 2)
		return 0;
	point[0].price[0] = 0;
	point[0].price[1] = 1;
	gpubp_covers_trade(c, max_blocks, scratch, &point[0], NULL);
	point[1].price[0] = 1;
	point[1].price[1] = 0;
	gpubp_covers_trade(c, max_blocks, scratch, &point[1], NULL);
	if (point[1].lost != point[0].lost)
		nr = 2;
	while (i + 1 < nr && nr < room) {
		struct gpubp_covers_point mid;

		if (!between(c, max_blocks, scratch, &point[i], &point[i + 1],
			     &mid)) {
			i++;
			continue;
		}
		memmove(&point[i + 2], &point[i + 1],
			(nr - i - 1) * sizeof(*point));
		point[i + 1] = mid;
		nr++;
	}
	return nr;
}
