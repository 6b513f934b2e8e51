// SPDX-License-Identifier: GPL-2.0
/*
 * usage: bench [KIND RANGES [TREE]]
 *
 * The cost to insert a range and remove another, depending on the number of
 * ranges: in the range trie and in the kernel's interval tree, alternating in
 * one run. A line for each kind of range and each number:
 *
 *	KIND RANGES INTERVAL TRIE RATIO
 *
 * in ns of processor time, the minimum of all rounds. With TREE only "interval"
 * or "trie" is run, to count instructions in measure(); it prints the number of
 * pairs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

#define PAIRS	2000
#define ROUNDS	90

struct range {
	uint64_t addr;
	uint64_t len;
};

/**
 * struct kind - of ranges, in a heap of 64 GiB
 * @longest: bytes
 * @align: of addresses
 */
static const struct kind {
	const char *name;
	uint64_t longest;
	uint64_t align;
} kinds[] = {
	{ "words", 8, 8 },
	{ "fields", 64, 4 },
	{ "arrays", 4096, 4 },
};

static uint64_t random64(void)
{
	static uint64_t s = 0x9e3779b97f4a7c15ULL;

	s ^= s >> 12;
	s ^= s << 25;
	s ^= s >> 27;
	return s * 0x2545f4914f6cdd1dULL;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void fill(struct range *r, unsigned int nr, const struct kind *kind)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		r[i].addr = (1ULL << 40) +
			    random64() % (1ULL << 36) / kind->align * kind->align;
		r[i].len = kind->longest == kind->align ? kind->longest :
			   1 + random64() % kind->longest;
	}
}

/*
 * keeps @nr consecutive ranges inserted: each step adds one and removes the
 * oldest
 */
__attribute__((noinline))
static double measure(const struct tree_ops *tree, const struct range *r,
		      unsigned int nr, unsigned int first)
{
	uint64_t ns = now_ns();
	unsigned int i, all = nr + PAIRS;

	for (i = first; i < first + PAIRS; i++) {
		unsigned int in = (i + nr) % all, out = i % all;

		tree->insert(in, r[in].addr, r[in].len);
		tree->remove(out, r[out].addr, r[out].len);
	}
	return (double)(now_ns() - ns) / PAIRS;
}

static void begin(const struct tree_ops *tree, const struct range *r,
		  unsigned int nr)
{
	unsigned int i;

	tree->init(nr + PAIRS);
	for (i = 0; i < nr; i++)
		tree->insert(i, r[i].addr, r[i].len);
}

static struct range *ranges_of(const struct kind *kind, unsigned int nr)
{
	struct range *r = calloc(nr + PAIRS, sizeof(*r));

	if (!r)
		abort();
	fill(r, nr + PAIRS, kind);
	return r;
}

static void compare(const struct kind *kind, unsigned int nr)
{
	const struct tree_ops *trees[2] = { &interval_tree, &range_trie_tree };
	struct range *r = ranges_of(kind, nr);
	double best[2] = { 1e12, 1e12 };
	unsigned int t, round;

	for (t = 0; t < 2; t++)
		begin(trees[t], r, nr);
	for (round = 0; round < ROUNDS; round++)
		for (t = 0; t < 2; t++) {
			double ns = measure(trees[t], r, nr, round * PAIRS);

			best[t] = ns < best[t] ? ns : best[t];
		}
	printf("%-8s %8u %8.0f %8.0f %6.2f\n", kind->name, nr, best[0],
	       best[1], best[1] / best[0]);
	fflush(stdout);
	free(r);
}

static void run_one(const struct kind *kind, unsigned int nr, const char *name)
{
	const struct tree_ops *tree = &range_trie_tree;
	struct range *r = ranges_of(kind, nr);

	if (strcmp(name, tree->name))
		tree = &interval_tree;
	begin(tree, r, nr);
	measure(tree, r, nr, 0);
	printf("%u\n", PAIRS);
	free(r);
}

int main(int argc, char **argv)
{
	static const unsigned int sizes[] = { 1000, 10000, 100000 };
	unsigned int k, i;

	for (k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		if (argc > 1 && strcmp(argv[1], kinds[k].name))
			continue;
		if (argc > 3)
			run_one(&kinds[k], atoi(argv[2]), argv[3]);
		else if (argc > 2)
			compare(&kinds[k], atoi(argv[2]));
		for (i = 0; argc < 3 && i < 3; i++)
			compare(&kinds[k], sizes[i]);
	}
	return 0;
}
