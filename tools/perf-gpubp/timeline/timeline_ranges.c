// SPDX-License-Identifier: GPL-2.0
/*
 * Watches by an address. A level has cells of 2^level bytes; a watch is in the one or
 * two cells that it touches on the first level where a cell is not smaller. So few
 * watches are in a cell that do not overlap, and there are few levels to look at.
 */
#include <stdlib.h>
#include "timeline.h"

#define CONTEXT_BITS	40	/* of a device and a context */
#define NO_CELL		TIMELINE_NOT_FOUND

struct timeline_cell {
	size_t watch;
	size_t next;	/* of the same cell */
};

static unsigned int level_of(uint64_t start, uint64_t last)
{
	uint64_t bytes = last - start;	/* less one */

	return bytes ? 64 - (unsigned int)__builtin_clzll(bytes) : 0;
}

static uint64_t level_key(uint64_t context, unsigned int level)
{
	return (uint64_t)level << CONTEXT_BITS | context;
}

static uint64_t cell_number(uint64_t addr, unsigned int level)
{
	return level < 64 ? addr >> level : 0;
}

static int cell_add(struct timeline_ranges *ranges, uint64_t key, uint64_t number,
		    size_t watch)
{
	size_t first = timeline_index_get(&ranges->first, key, number);
	struct timeline_cell *cells = ranges->cells;

	if (!(ranges->nr & (ranges->nr - 1)))
		cells = realloc(cells, (ranges->nr ? 2 * ranges->nr : 1) * sizeof(*cells));
	if (!cells)
		return -1;
	ranges->cells = cells;
	if (timeline_index_set(&ranges->first, key, number, ranges->nr))
		return -1;
	cells[ranges->nr++] = (struct timeline_cell){ .watch = watch, .next = first };
	return 0;
}

int timeline_ranges_add(struct timeline_ranges *ranges, uint64_t context,
			uint64_t start, uint64_t last, size_t watch)
{
	unsigned int level = level_of(start, last);
	uint64_t key = level_key(context, level);
	uint64_t low = cell_number(start, level), high = cell_number(last, level);

	ranges->levels[level] = true;
	return cell_add(ranges, key, low, watch) ||
	       (high != low && cell_add(ranges, key, high, watch)) ? -1 : 0;
}

void timeline_ranges_each(struct timeline_ranges *ranges, uint64_t context,
			  uint64_t addr, void (*see)(size_t watch, void *data),
			  void *data)
{
	unsigned int level;
	size_t i;

	for (level = 0; level < TIMELINE_LEVELS; level++) {
		if (!ranges->levels[level])
			continue;
		ranges->nr_looks++;
		i = timeline_index_get(&ranges->first, level_key(context, level),
				       cell_number(addr, level));
		for (; i != NO_CELL; i = ranges->cells[i].next) {
			ranges->nr_looks++;
			see(ranges->cells[i].watch, data);
		}
	}
}

void timeline_ranges_free(struct timeline_ranges *ranges)
{
	timeline_index_free(&ranges->first);
	free(ranges->cells);
	*ranges = (struct timeline_ranges){};
}
