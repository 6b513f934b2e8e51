/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hits added up: those of one instruction and one event in one process, to memory that
 * belonged to the same buffers, are a culprit.
 */
#ifndef PERF_GPUBP_CULPRITS_H
#define PERF_GPUBP_CULPRITS_H

#include "hits.h"

/* memory does not grow with the number of buffers either */
#define CULPRITS_MAX	16384

/**
 * struct culprit - the hits of one instruction and one event in one process
 * @first: the first hit
 * @last: the last one
 * @context: that has what was hit, 0 all: show_context()
 * @period: of names there: show_period()
 * @nr: hits
 * @possible: of these, hits that may have touched other bytes of the block
 * @lanes: lanes of all of them
 * @low: lowest address that was hit
 * @high: highest address
 * @places: instructions, more than one after culprits_join_breaks()
 */
struct culprit {
	struct hit first;
	struct hit last;
	uint32_t context;
	unsigned int period;
	uint64_t nr;
	uint64_t possible;
	uint64_t lanes;
	uint64_t low;
	uint64_t high;
	uint64_t places;
};

/**
 * struct culprits - all of them
 * @tree: by instruction
 * @list: by number of hits, after culprits_sort()
 * @nr: entries of @list, CULPRITS_MAX at most
 * @hits: hits of all of them
 * @more: hits of others, which came when the list was full
 */
struct culprits {
	void *tree;
	struct culprit **list;
	size_t nr;
	uint64_t hits;
	uint64_t more;
};

/** culprits_add() - one more hit, in a period of a context's names; 0, -1 without memory */
int culprits_add(struct culprits *culprits, const struct hit *hit, uint32_t context,
		 unsigned int period);

/**
 * culprits_join_breaks() - make one of those that are breaks of the same name in
 *	the same process: of a line of source that is at several places
 */
void culprits_join_breaks(struct culprits *culprits);

/** culprits_sort() - most hits first */
void culprits_sort(struct culprits *culprits);

/** culprits_sort_by_time() - that with the first hit first */
void culprits_sort_by_time(struct culprits *culprits);

/** culprits_more() - say how many hits are not in the list, "" if all are */
const char *culprits_more(const struct culprits *culprits, char *out, size_t len);

/** culprits_free() - undo culprits_add() */
void culprits_free(struct culprits *culprits);

#endif /* PERF_GPUBP_CULPRITS_H */
