// SPDX-License-Identifier: GPL-2.0
/*
 * The range trie against the reference: every subset of a small address space,
 * random ranges of larger ones, every order of adding and removing.
 *
 * GPUBP_SOAK=N repeats the random parts N times.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "../tap.h"
#include "judge.h"
#include "parts.h"

#define MAX_RANGES	64

static unsigned long long rnd = 0x9e3779b97f4a7c15ULL;
static unsigned long nr_checked;

unsigned long soak = 1;

unsigned int random_below(unsigned int n)
{
	return (tap_random(&rnd) >> 32) % n;
}

/* ---- node allocation: counted, and failing on request -------------------- */

static long nr_nodes, node_bytes, fail_in = -1;

static void *count_alloc(size_t size)
{
	if (!fail_in)
		return NULL;
	fail_in -= fail_in > 0;
	nr_nodes++;
	node_bytes += size;
	return malloc(size);
}

static void count_free(void *node, size_t size)
{
	nr_nodes--;
	node_bytes -= size;
	free(node);
}

const struct gpubp_trie_mem mem = { count_alloc, count_free };

/* ---- a tree and its map ------------------------------------------------------ */

struct pair {
	struct gpubp_block_caps caps;
	struct gpubp_range_trie tree;
	struct map map;
};

static void pair_init(struct pair *p, u32 granule, u32 va_bits, u64 base,
		      unsigned int size, unsigned int max_order)
{
	memset(p, 0, sizeof(*p));
	p->caps.granule = granule;
	p->caps.max_block = (u64)granule << max_order;
	p->caps.va_bits = va_bits;
	p->map.base = base;
	p->map.size = size;
	p->map.max_order = max_order;
	if (gpubp_range_trie_init(&p->tree, &p->caps, &mem))
		abort();
}

/* random bytes that touch exactly the granules of the range */
static void bytes_of(const struct pair *p, const struct range *r, u64 *addr,
		     u64 *len)
{
	u64 granule = p->caps.granule;
	u64 first = p->map.base + r->first * granule;
	u64 last = p->map.base + r->last * granule + granule - 1;

	first += (r->skew * 7) % granule;
	last -= (r->skew * 13) % granule;
	if (last < first)
		last = first;
	*addr = first;
	*len = last - first + 1;
}

static int pair_insert(struct pair *p, const struct range *r)
{
	u64 addr, len;
	int err;

	bytes_of(p, r, &addr, &len);
	err = gpubp_range_trie_insert(&p->tree, addr, len);
	if (err)
		return err;
	map_add(&p->map, r, 1);
	return 0;
}

static bool pair_remove(struct pair *p, const struct range *r)
{
	u64 addr, len;

	bytes_of(p, r, &addr, &len);
	map_add(&p->map, r, -1);
	return !gpubp_range_trie_remove(&p->tree, addr, len);
}

/* ---- checks ------------------------------------------------------------------ */

static bool block_ok(const struct pair *p, const struct gpubp_block *b)
{
	u64 size = gpubp_block_size(b);

	return size >= p->caps.granule && size <= p->caps.max_block &&
	       !(b->value & ~b->mask) &&
	       b->mask == (GENMASK_ULL(p->caps.va_bits - 1, 0) & -size);
}

static struct gpubp_block block_at(const struct pair *p, unsigned int granule,
				   unsigned int order)
{
	u64 size = (u64)p->caps.granule << order;
	u64 mask = GENMASK_ULL(p->caps.va_bits - 1, 0) & -size;

	return (struct gpubp_block) {
		.value = (p->map.base + (u64)granule * p->caps.granule) & mask,
		.mask = mask,
	};
}

static bool watched_is(const struct pair *p, unsigned int granule,
		       unsigned int order)
{
	struct gpubp_block b = block_at(p, granule, order);

	nr_checked++;
	return gpubp_range_trie_watched(&p->tree, &b) ==
	       map_watched(&p->map, granule, order) * p->caps.granule;
}

/* over all blocks that a comparator supports */
static bool all_watched(const struct pair *p)
{
	unsigned int order, g;

	for (order = 0; order <= p->map.max_order; order++)
		for (g = 0; g < p->map.size; g += 1U << order)
			if (!watched_is(p, g, order))
				return false;
	return true;
}

static bool widening_is(const struct pair *p, unsigned int granule,
			unsigned int order, u32 max_stray)
{
	struct gpubp_block b = block_at(p, granule, order), was = b;
	unsigned int to = map_widen(&p->map, granule, order, max_stray);

	nr_checked++;
	gpubp_range_trie_widen(&p->tree, &b, max_stray);
	return gpubp_block_size(&b) == (u64)p->caps.granule << to &&
	       gpubp_block_contains(&b, was.value) &&
	       (to == order ? b.mask == was.mask : block_ok(p, &b));
}

static bool random_widenings(const struct pair *p, int n)
{
	while (n--) {
		unsigned int order = random_below(p->map.max_order + 1);

		if (!widening_is(p, random_below(p->map.size), order,
				 random_below(5)))
			return false;
	}
	return true;
}

/* ---- every subset -------------------------------------------------------------- */

/* adds or removes one granule at a time: Gray code */
static bool subsets_by_granule(unsigned int max_order)
{
	struct range one = { .skew = 1 };
	unsigned int i, set = 0;
	struct pair p;
	bool ok = true;

	pair_init(&p, 64, 48, 0x7f0000000000, 16, max_order);
	for (i = 1; i <= 1U << 16 && ok; i++) {
		unsigned int bit = i < 1U << 16 ? __ffs(i) : 15;

		one.first = bit;
		one.last = bit;
		set ^= 1U << bit;
		if (set >> bit & 1)
			ok = !pair_insert(&p, &one);
		else
			ok = pair_remove(&p, &one);
		ok = ok && all_watched(&p);
	}
	return ok && !set && !p.tree.root && !nr_nodes;
}

/* one range for each run, or two overlapping ones */
static int runs_of(unsigned int set, struct range *r)
{
	unsigned int g;
	int nr = 0;

	for (g = 0; g < 16; g++) {
		if (!(set >> g & 1))
			continue;
		r[nr].skew = g + 1;
		r[nr].first = g;
		while (g < 15 && set >> (g + 1) & 1)
			g++;
		r[nr++].last = g;
		if (g - r[nr - 1].first > 1 && set % 3 == 0) {
			r[nr] = r[nr - 1];
			r[nr - 1].last--;
			r[nr].first++;
			nr++;
		}
	}
	return nr;
}

static bool subset_by_runs(struct pair *p, unsigned int set)
{
	struct range r[16];
	int nr = runs_of(set, r), i;
	bool ok = true;

	for (i = 0; i < nr; i++)
		ok = ok && !pair_insert(p, &r[i]);
	ok = ok && all_watched(p) && random_widenings(p, 4);
	for (i = nr; i--;)
		ok = ok && pair_remove(p, &r[i]);
	return ok && !p->tree.root;
}

static bool subsets_by_runs(unsigned int max_order)
{
	unsigned int set;
	struct pair p;
	bool ok = true;

	pair_init(&p, 128, 57, 0x1000000, 16, max_order);
	for (set = 0; set < 1U << 16 && ok; set++)
		ok = subset_by_runs(&p, set);
	return ok && !nr_nodes;
}

static void every_subset(void)
{
	unsigned int order;
	bool ok = true;

	for (order = 0; order <= 4; order++)
		ok = ok && subsets_by_granule(order);
	tap_ok(ok, "every subset of 16 granules, one granule a step");
	for (order = 0; order <= 4; order++)
		ok = ok && subsets_by_runs(order);
	tap_ok(ok, "every subset of 16 granules, as ranges of its runs");
}

/* ---- random ranges --------------------------------------------------------------- */

static struct range random_range(unsigned int size)
{
	unsigned int len = 1U << random_below(fls(size) + 1);
	struct range r = { .first = random_below(size) };

	len = random_below(2) ? 1 : 1 + random_below(len);
	r.last = min(r.first + len, size) - 1;
	r.skew = random_below(4) ? 1 : random_below(100);
	return r;
}

/* adds and removes ranges; compares tree and map */
static bool random_life(struct pair *p, int steps, int every)
{
	struct range r[MAX_RANGES];
	int nr = 0, i;
	bool ok = true;

	for (i = 0; i < steps && ok; i++) {
		if (nr < MAX_RANGES && (int)random_below(MAX_RANGES) > nr * 2 / 3) {
			r[nr] = random_range(p->map.size);
			ok = !pair_insert(p, &r[nr++]);
		} else {
			int which = random_below(nr);

			ok = pair_remove(p, &r[which]);
			r[which] = r[--nr];
		}
		if (i % every == 0)
			ok = ok && all_watched(p) && random_widenings(p, 3);
	}
	while (nr && ok)
		ok = pair_remove(p, &r[--nr]);
	return ok && !p->tree.root && !nr_nodes;
}

static void random_sets(void)
{
	static const struct {
		u32 granule, va_bits;
		u64 base;
		u8 order, max_order;
	} t[] = {
		{ 64, 48, 0x123400000000, 12, 12 },
		{ 64, 48, 0x7fff00000000, 12, 25 },
		{ 128, 57, 0, 12, 7 },
		{ 64, 64, -(64ULL << 12), 12, 10 },
		{ 128, 64, 1ULL << 63, 8, 4 },
		{ 64, 48, 0, 8, 3 },
		{ 64, 12, 0, 6, 5 },
	};
	unsigned long n;
	bool ok = true;
	struct pair p;
	size_t i;

	for (n = 0; n < soak; n++)
		for (i = 0; i < ARRAY_SIZE(t); i++) {
			pair_init(&p, t[i].granule, t[i].va_bits, t[i].base,
				  1U << t[i].order, t[i].max_order);
			ok = ok && random_life(&p, 12000, 1U << t[i].order >> 6);
		}
	tap_ok(ok, "random ranges in up to 2^12 granules");
}

/* ---- every order ----------------------------------------------------------------- */

static bool next_permutation(int *a, int n)
{
	int i = n - 1, j = n - 1;

	while (i && a[i - 1] > a[i])
		i--;
	if (!i)
		return false;
	while (a[j] < a[i - 1])
		j--;
	swap(a[i - 1], a[j]);
	for (j = n - 1; i < j; i++, j--)
		swap(a[i], a[j]);
	return true;
}

static bool orders_of(struct pair *p, const struct range *r, int n)
{
	int in[8], out[8], i;
	bool ok = true;

	for (i = 0; i < n; i++)
		in[i] = i;
	do {
		for (i = 0; i < n; i++)
			out[i] = i;
		do {
			for (i = 0; i < n; i++)
				ok = ok && !pair_insert(p, &r[in[i]]);
			for (i = 0; i < n; i++)
				ok = ok && all_watched(p) &&
				     pair_remove(p, &r[out[i]]);
			ok = ok && !p->tree.root && !nr_nodes;
		} while (ok && next_permutation(out, n));
	} while (ok && next_permutation(in, n));
	return ok;
}

static void every_order(void)
{
	struct range r[4];
	bool ok = true;
	struct pair p;
	unsigned long n;
	int i;

	for (n = 0; n < 60 * soak && ok; n++) {
		pair_init(&p, 64, 48, 64 << 5, 32, random_below(6));
		for (i = 0; i < 4; i++)
			r[i] = random_range(32);
		ok = orders_of(&p, r, 4);
	}
	tap_ok(ok, "every order in which 4 ranges come and go");
}

/* ---- no memory --------------------------------------------------------------------- */

static bool fails_well(struct pair *p, const struct range *r, long in)
{
	long before = nr_nodes;
	int err;

	fail_in = in;
	err = pair_insert(p, r);
	fail_in = -1;
	if (!err)
		return pair_remove(p, r) && nr_nodes == before && all_watched(p);
	return err == -ENOMEM && nr_nodes == before && all_watched(p) &&
	       random_widenings(p, 2);
}

static void no_memory(void)
{
	struct range r[MAX_RANGES], more;
	bool ok = true;
	struct pair p;
	int i, n;

	pair_init(&p, 64, 48, 0, 256, 6);
	for (i = 0; i < MAX_RANGES; i++) {
		r[i] = random_range(256);
		for (n = 0; n < 5; n++) {
			more = random_range(256);
			ok = ok && fails_well(&p, &more, n);
		}
		ok = ok && !pair_insert(&p, &r[i]);
	}
	for (i = 0; i < MAX_RANGES; i++)
		ok = ok && pair_remove(&p, &r[i]) && all_watched(&p);
	tap_ok(ok && !nr_nodes, "an insert without memory changes nothing");
}

/* ---- edges --------------------------------------------------------------------------- */

static void what_is_refused(void)
{
	struct gpubp_block_caps caps = { 64, 1ULL << 40, 48 };
	struct gpubp_range_trie c;
	bool ok;

	ok = gpubp_range_trie_init(&c, &caps, &mem) == -EINVAL;
	caps.max_block = 1ULL << 31;
	ok = ok && !gpubp_range_trie_init(&c, &caps, &mem) &&
	     gpubp_range_trie_insert(&c, 1ULL << 48, 1) == -EINVAL &&
	     gpubp_range_trie_insert(&c, (1ULL << 48) - 1, 2) == -EINVAL &&
	     gpubp_range_trie_insert(&c, 5, 0) == -EINVAL &&
	     gpubp_range_trie_insert(&c, -1ULL, 2) == -EINVAL &&
	     gpubp_range_trie_remove(&c, 0, 1) == -ENOENT &&
	     gpubp_range_trie_remove(&c, 0, 0) == -EINVAL &&
	     !gpubp_range_trie_insert(&c, 0, 1) &&
	     gpubp_range_trie_remove(&c, 0, 100) == -ENOENT &&
	     !gpubp_range_trie_remove(&c, 0, 1) && !c.root && !nr_nodes;
	tap_ok(ok, "what is refused");
}

/* all of 48 bits and more is watched */
static void very_long_ranges(void)
{
	struct gpubp_block_caps caps = { 64, 1ULL << 31, 64 };
	struct gpubp_block b = { 1ULL << 63, GENMASK_ULL(63, 31) };
	struct gpubp_block low = { 3ULL << 31, b.mask };
	struct gpubp_range_trie c;
	bool ok;

	ok = !gpubp_range_trie_init(&c, &caps, &mem) &&
	     !gpubp_range_trie_insert(&c, 1, -2ULL) && nr_nodes == 3 &&
	     gpubp_range_trie_watched(&c, &b) == 1ULL << 31 &&
	     !gpubp_range_trie_insert(&c, 1ULL << 40, 1) &&
	     !gpubp_range_trie_remove(&c, 1, -2ULL) &&
	     gpubp_range_trie_watched(&c, &b) == 0 &&
	     !gpubp_range_trie_insert(&c, 3ULL << 31, 4ULL << 31) &&
	     !gpubp_range_trie_remove(&c, 1ULL << 40, 1) &&
	     gpubp_range_trie_watched(&c, &low) == 1ULL << 31 &&
	     !gpubp_range_trie_remove(&c, 3ULL << 31, 4ULL << 31);
	tap_ok(ok && !nr_nodes, "ranges larger than the largest block");
}

/*
 * @nr ranges of @len bytes, a page apart; returns true if memory is as expected
 */
static bool range_per_page(struct gpubp_range_trie *c, unsigned int nr,
			   u64 addr, u64 len, long leaves)
{
	bool ok = true;
	unsigned int i;

	for (i = 0; i < nr; i++)
		ok = ok && !gpubp_range_trie_insert(c, addr + i * 4096ULL, len);
	return ok && node_bytes == leaves * 40 + (leaves - 1) * 56;
}

static bool drop_per_page(struct gpubp_range_trie *c, unsigned int nr, u64 addr,
			  u64 len)
{
	bool ok = true;
	unsigned int i;

	for (i = 0; i < nr; i++)
		ok = ok && !gpubp_range_trie_remove(c, addr + i * 4096ULL, len);
	return ok;
}

/* the memory bound stated at the top of range_trie.h */
static void memory_of_a_range(void)
{
	struct gpubp_block_caps caps = { 64, 1ULL << 31, 48 };
	struct gpubp_range_trie c;
	bool ok;

	gpubp_range_trie_init(&c, &caps, &mem);
	ok = range_per_page(&c, 1000, 0, 8, 1000) &&
	     range_per_page(&c, 1000, 32, 256, 2000) &&
	     range_per_page(&c, 1000, 4, 8, 2000) &&
	     drop_per_page(&c, 1000, 0, 8) &&
	     drop_per_page(&c, 1000, 32, 256) &&
	     drop_per_page(&c, 1000, 4, 8);
	tap_ok(ok && !c.root && !nr_nodes && !node_bytes, "memory of a range");
}

int main(void)
{
	const char *s = getenv("GPUBP_SOAK");

	if (s)
		soak = strtoul(s, NULL, 0);
	tap_plan(8 + HOLES_TESTS);
	every_subset();
	random_sets();
	every_order();
	no_memory();
	what_is_refused();
	very_long_ranges();
	memory_of_a_range();
	holes_tests();
	tap_note("%lu blocks and lifts compared", nr_checked);
	return tap_status();
}
