/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ranges: the filters of a device whose hits are not decided by the core's handler
 * (caps.ranges). Its provider has them as a part of the program, and may keep them
 * for as long as hits are counted by them.
 *
 * Each commit chooses them from the plans of handler_filter.c. If they are what they
 * were, the object is, too: then the program has not changed.
 */
#ifndef _GPUBP_SCHED_RANGES_H
#define _GPUBP_SCHED_RANGES_H

struct gpubp_ctx;
struct gpubp_ranges;

/**
 * struct gpubp_ctx_ranges - ranges of a context; the committer only
 * @next: chosen last; a reference is held
 * @programmed: of the last commit; likewise
 */
struct gpubp_ctx_ranges {
	struct gpubp_ranges *next;
	struct gpubp_ranges *programmed;
};

void gpubp_ranges_choose(struct gpubp_ctx *ctx);
void gpubp_ranges_programmed(struct gpubp_ctx *ctx);
void gpubp_ranges_finish(struct gpubp_ctx *ctx);

#endif /* _GPUBP_SCHED_RANGES_H */
