// SPDX-License-Identifier: GPL-2.0
/* Instruction cache (fetch.h). */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "fetch.h"

#define LINE_BYTES	(SIM_FETCH_LINE_WORDS * sizeof(u32))

static struct sim_fetch_line *fetch_line_at(struct sim_fetch_cache *cache,
					    u64 va)
{
	return &cache->line[(va / LINE_BYTES) & (SIM_FETCH_LINES - 1)];
}

static bool fetch_line_is(const struct sim_fetch_line *line, u64 space, u64 va)
{
	return line->nr && line->space == space && line->va == va;
}

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
	struct sim_fetch_line *line = fetch_line_at(cache, va), *next;

	if (fetch_line_is(line, space, va) && line->nr >= nr)
		return line;
	fetch_line_fill(line, space, va, read, arg);
	va += LINE_BYTES;
	next = fetch_line_at(cache, va);
	if (!fetch_line_is(next, space, va))
		fetch_line_fill(next, space, va, read, arg);
	return line;
}

/* line by line */
static unsigned int fetch_lines(struct sim_fetch_cache *cache, u64 space,
				u64 pc, u32 *words, unsigned int max,
				sim_fetch_fn read, void *arg)
{
	unsigned int done = 0, first, nr;
	const struct sim_fetch_line *line;
	u64 va;

	while (done < max) {
		va = pc + done * sizeof(u32);
		first = va % LINE_BYTES / sizeof(u32);
		line = fetch_line_get(cache, space, va - va % LINE_BYTES,
				      first + 1, read, arg);
		if (line->nr <= first)
			break;
		nr = min(line->nr - first, max - done);
		memcpy(words + done, line->words + first, nr * sizeof(u32));
		done += nr;
	}
	return done;
}

unsigned int sim_fetch(struct sim_fetch_cache *cache, u64 space, u64 pc,
		       u32 *words, unsigned int max, sim_fetch_fn read,
		       void *arg)
{
	unsigned int first = pc % LINE_BYTES / sizeof(u32), n;
	const struct sim_fetch_line *line = fetch_line_at(cache, pc);

	/* mostly all of it is in one line, which is there */
	if (!fetch_line_is(line, space, pc - pc % LINE_BYTES) ||
	    line->nr < first + max)
		return fetch_lines(cache, space, pc, words, max, read, arg);
	for (n = 0; n < max; n++)
		words[n] = line->words[first + n];
	return max;
}

void sim_fetch_invalidate(struct sim_fetch_cache *cache)
{
	unsigned int i;

	for (i = 0; i < SIM_FETCH_LINES; i++)
		cache->line[i].nr = 0;
}
