/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which of many names had an address at a time: a tree over the sorted list of names of
 * each context.
 *
 * A search costs the logarithm of all names for each range that the address was ever in,
 * however many names the range had one after the other.
 */
#ifndef PERF_GPUBP_LIFETIMES_INDEX_H
#define PERF_GPUBP_LIFETIMES_INDEX_H

#include "lifetimes.h"

/**
 * struct lifetimes_part - what the names of a part of the list have
 * @end_min: lowest end of a range
 * @end_max: highest one
 * @from_min: earliest time at which one was given
 * @from_max: latest one
 * @until_max: latest time at which one was withdrawn
 */
struct lifetimes_part {
	uint64_t end_min;
	uint64_t end_max;
	uint64_t from_min;
	uint64_t from_max;
	uint64_t until_max;
};

/** lifetimes_index() - sort the list, and fill @parts, which has as many entries */
void lifetimes_index(struct lifetimes *lives);

/**
 * lifetimes_context() - the names of a context
 * @lives: names
 * @context: it; without names of its own, those of all contexts
 * @end: out: behind the last one
 *
 * Return: the first one.
 */
size_t lifetimes_context(const struct lifetimes *lives, uint32_t context, size_t *end);

/**
 * lifetimes_best() - the best name of an address that is in @state at a time, or NULL
 * @context: of those that lifetimes_context() says
 */
const struct lifetime *lifetimes_best(const struct lifetimes *lives, uint32_t context,
				      uint64_t addr, uint64_t time,
				      enum name_state state);

/** lifetimes_count() - likewise, how many were given until a time */
size_t lifetimes_count(const struct lifetimes *lives, uint32_t context, uint64_t addr,
		       uint64_t time);

#endif /* PERF_GPUBP_LIFETIMES_INDEX_H */
