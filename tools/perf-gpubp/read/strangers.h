/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values that were there before an access, but that no hit had left there: something
 * that is not watched wrote in between. Pure.
 */
#ifndef PERF_GPUBP_STRANGERS_H
#define PERF_GPUBP_STRANGERS_H

#include "hits.h"

/* bytes whose values are compared: memory does not grow with what is watched */
#define SPOTS_MAX	16384

/**
 * struct stranger - the first value that no hit had left there
 * @nr: how many there are; the rest is only valid if it is not 0
 * @hit: a hit of these bytes, with the time of that which found it
 * @value: the value
 * @last: what the hit before had left there
 */
struct stranger {
	uint64_t nr;
	struct hit hit;
	uint64_t value;
	uint64_t last;
};

/**
 * struct strangers - what is known of values
 * @tree: by the bytes that were hit, which do not overlap; SPOTS_MAX at most
 * @nr: entries of @tree
 * @left_out: hits of other bytes, of which it would be known what they found there
 * @epoch: number of the last hits after which nothing older is known
 * @ended: found in bytes that are in no entry any more
 */
struct strangers {
	void *tree;
	size_t nr;
	uint64_t left_out;
	uint64_t epoch;
	struct stranger ended;
};

/**
 * strangers_add() - one more hit
 * @strangers: add to them
 * @hit: hit
 * @context: that has these bytes, 0 all (show_context())
 * @period: of the names at its address (show_period()): what lay there before was another
 *	buffer's
 *
 * Return: 0, -1 without memory.
 */
int strangers_add(struct strangers *strangers, const struct hit *hit, uint32_t context,
		  unsigned int period);

/** strangers_get() - what was found in all hits */
void strangers_get(const struct strangers *strangers, struct stranger *found);

/** strangers_free() - undo strangers_add() */
void strangers_free(struct strangers *strangers);

#endif /* PERF_GPUBP_STRANGERS_H */
