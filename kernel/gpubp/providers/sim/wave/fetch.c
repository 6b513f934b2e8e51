// SPDX-License-Identifier: GPL-2.0
/* Instruction cache (fetch.h). */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "fetch.h"

static void fetch_line_fill(struct sim_fetch_line *line, u64 space, u64 va,
			    sim_fetch_fn read, void *arg)
{
	line->space = space;
	line->va = va;
	line->nr = read(arg, va, line->words, SIM_FETCH_LINE_WORDS);
}

/* a line that memory did not fill is read again: there may be more by now */
static const struct sim_fetch_line *
fetch_line_get(struct sim_fetch_cache *cache, u64 space, u64 va,
	       unsigned int nr, sim_fetch_fn read, void *arg)
{
	struct sim_fetch_line *line = sim_fetch_line_at(cache, va), *next;

	if (sim_fetch_line_is(line, space, va) && line->nr >= nr)
		return line;
	fetch_line_fill(line, space, va, read, arg);
	va += SIM_FETCH_LINE_BYTES;
	next = sim_fetch_line_at(cache, va);
	if (!sim_fetch_line_is(next, space, va))
		fetch_line_fill(next, space, va, read, arg);
	return line;
}

unsigned int sim_fetch_lines(struct sim_fetch_cache *cache, u64 space, u64 pc,
			     u32 *words, unsigned int max, sim_fetch_fn read,
			     void *arg)
{
	unsigned int done = 0, first, nr;
	const struct sim_fetch_line *line;
	u64 va;

	while (done < max) {
		va = pc + done * sizeof(u32);
		first = va % SIM_FETCH_LINE_BYTES / sizeof(u32);
		line = fetch_line_get(cache, space, va - va % SIM_FETCH_LINE_BYTES,
				      first + 1, read, arg);
		if (line->nr <= first)
			break;
		nr = min(line->nr - first, max - done);
		memcpy(words + done, line->words + first, nr * sizeof(u32));
		done += nr;
	}
	return done;
}

void sim_fetch_invalidate(struct sim_fetch_cache *cache)
{
	unsigned int i;

	for (i = 0; i < SIM_FETCH_LINES; i++)
		cache->line[i].nr = 0;
}
