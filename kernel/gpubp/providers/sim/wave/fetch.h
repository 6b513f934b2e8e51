/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instruction cache, for environments of the interpreter: lines of 64 bytes, each
 * of which is filled with the one behind it. What is written to memory is executed
 * only after an invalidation, as on silicon.
 *
 * No lock: one thread uses a cache.
 */
#ifndef _GPUBP_PROVIDERS_SIM_WAVE_FETCH_H
#define _GPUBP_PROVIDERS_SIM_WAVE_FETCH_H

#include <linux/types.h>

#define SIM_FETCH_LINE_WORDS	16
#define SIM_FETCH_LINE_BYTES	(SIM_FETCH_LINE_WORDS * sizeof(u32))
#define SIM_FETCH_LINES		512	/* 32 KiB, as gfx9 has it */

/**
 * struct sim_fetch_line - a line
 * @space: address space that it is of
 * @va: address, aligned
 * @nr: number of @words, fewer where memory ends; 0: empty
 * @words: what was in memory when it was filled
 */
struct sim_fetch_line {
	u64 space;
	u64 va;
	u32 nr;
	u32 words[SIM_FETCH_LINE_WORDS];
};

struct sim_fetch_cache {
	struct sim_fetch_line line[SIM_FETCH_LINES];
};

/** sim_fetch_fn - read up to @max dwords of memory at @va; returns how many */
typedef unsigned int (*sim_fetch_fn)(void *arg, u64 va, u32 *words,
				     unsigned int max);

static inline struct sim_fetch_line *
sim_fetch_line_at(struct sim_fetch_cache *cache, u64 va)
{
	return &cache->line[(va / SIM_FETCH_LINE_BYTES) &
			    (SIM_FETCH_LINES - 1)];
}

static inline bool sim_fetch_line_is(const struct sim_fetch_line *line,
				     u64 space, u64 va)
{
	return line->nr && line->space == space && line->va == va;
}

/* sim_fetch() where it has to read memory, or two lines */
unsigned int sim_fetch_lines(struct sim_fetch_cache *cache, u64 space, u64 pc,
			     u32 *words, unsigned int max, sim_fetch_fn read,
			     void *arg);

/**
 * sim_fetch() - read instructions
 * @cache: cache
 * @space: number of the address space
 * @pc: address, dword aligned
 * @words: (out) dwords
 * @max: how many
 * @read: reads memory
 * @arg: for @read
 *
 * Return: dwords read.
 */
static inline unsigned int
sim_fetch(struct sim_fetch_cache *cache, u64 space, u64 pc, u32 *words,
	  unsigned int max, sim_fetch_fn read, void *arg)
{
	unsigned int first = pc % SIM_FETCH_LINE_BYTES / sizeof(u32), n;
	const struct sim_fetch_line *line = sim_fetch_line_at(cache, pc);

	if (!sim_fetch_line_is(line, space, pc - pc % SIM_FETCH_LINE_BYTES) ||
	    line->nr < first + max)
		return sim_fetch_lines(cache, space, pc, words, max, read, arg);
	for (n = 0; n < max; n++)
		words[n] = line->words[first + n];
	return max;
}

/** sim_fetch_invalidate() - forget all lines */
void sim_fetch_invalidate(struct sim_fetch_cache *cache);

#endif /* _GPUBP_PROVIDERS_SIM_WAVE_FETCH_H */
