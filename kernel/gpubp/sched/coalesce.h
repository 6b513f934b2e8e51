/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Coalescing: neighbouring watches share a comparator. All under the device
 * lock.
 *
 * What is watched is known for a context only while max_stray is in use, or
 * comparators may be widened in place of turns (cover.h): that takes as much
 * memory as half of a watch. When that begins or ends each commit adds, or
 * removes, some watches; none is widened until all are added.
 */
#ifndef _GPUBP_SCHED_COALESCE_H
#define _GPUBP_SCHED_COALESCE_H

#include <linux/types.h>

#include "../lib/block_cover.h"
#include "../lib/placement.h"
#include "../lib/range_trie.h"

struct gpubp_ctx;
struct gpubp_device;
struct gpubp_watch;

/**
 * struct gpubp_coalescing - what the watches of a context watch
 * @tries: their bytes, by the enum gpubp_mode that they need
 * @on: a new watch is added
 * @next: next watch to be added, or removed unless @on; NULL: all are
 */
struct gpubp_coalescing {
	struct gpubp_range_trie tries[GPUBP_MODE_ALL + 1];
	bool on;
	struct gpubp_watch *next;
};

/**
 * struct gpubp_widening - how far blocks of a context are widened in place of turns
 * @stray: at least one in so many bytes of a block is watched; 0: not at all
 * @log: logarithm of the bytes of a widened block, at most
 */
struct gpubp_widening {
	u32 stray;
	u32 log;
};

extern unsigned int gpubp_max_stray;

void gpubp_coalesce_init_ctx(struct gpubp_ctx *ctx);
void gpubp_coalesce_add(struct gpubp_watch *w);
void gpubp_coalesce_remove(struct gpubp_watch *w);
bool gpubp_coalesce_update(struct gpubp_device *dev);
int gpubp_coalesce_cover(const struct gpubp_watch *w, unsigned int max,
			 struct gpubp_block block[GPUBP_MAX_BLOCKS]);
int gpubp_coalesce_cover_as(const struct gpubp_watch *w, unsigned int max,
			    struct gpubp_widening wide,
			    struct gpubp_block block[GPUBP_MAX_BLOCKS]);
bool gpubp_coalesce_is_wide(const struct gpubp_watch *w,
			    const struct gpubp_block *block, int nr);
int gpubp_coalesce_init(void);
void gpubp_coalesce_exit(void);

#endif /* _GPUBP_SCHED_COALESCE_H */
