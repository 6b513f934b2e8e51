// SPDX-License-Identifier: GPL-2.0
/*
 * An index of two numbers: a hash table with open addressing, half full at most.
 */
#include <stdlib.h>
#include "timeline.h"

struct timeline_place {
	uint64_t a;
	uint64_t b;
	size_t value;	/* plus one; 0: empty */
};

static struct timeline_place *place_of(const struct timeline_index *index,
				       uint64_t a, uint64_t b)
{
	uint64_t hash = (a * 0x9e3779b97f4a7c15 ^ b) * 0xbf58476d1ce4e5b9;
	size_t i = (hash ^ hash >> 32) & (index->room - 1);

	while (index->places[i].value &&
	       (index->places[i].a != a || index->places[i].b != b))
		i = (i + 1) & (index->room - 1);
	return &index->places[i];
}

static int index_grow(struct timeline_index *index)
{
	struct timeline_index bigger = { .room = index->room ? 2 * index->room : 16 };
	struct timeline_place *place;
	size_t i;

	bigger.places = calloc(bigger.room, sizeof(*bigger.places));
	if (!bigger.places)
		return -1;
	for (i = 0; i < index->room; i++) {
		place = &index->places[i];
		if (place->value)
			*place_of(&bigger, place->a, place->b) = *place;
	}
	bigger.nr = index->nr;
	free(index->places);
	*index = bigger;
	return 0;
}

size_t timeline_index_get(const struct timeline_index *index, uint64_t a, uint64_t b)
{
	/* an empty place is one below zero, which is not found */
	return index->room ? place_of(index, a, b)->value - 1 : TIMELINE_NOT_FOUND;
}

int timeline_index_set(struct timeline_index *index, uint64_t a, uint64_t b,
		       size_t value)
{
	struct timeline_place *place;

	if (2 * index->nr >= index->room && index_grow(index))
		return -1;
	place = place_of(index, a, b);
	index->nr += !place->value;
	*place = (struct timeline_place){ .a = a, .b = b, .value = value + 1 };
	return 0;
}

void timeline_index_free(struct timeline_index *index)
{
	free(index->places);
	*index = (struct timeline_index){};
}
