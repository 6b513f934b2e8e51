/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The comparators of the GPU in the process, and which bytes in their blocks are watched:
 * the program that the agent acknowledged. Compiled with tools/Makefile.isa. No lock: the
 * caller's.
 */
#ifndef INPROC_WATCH_H
#define INPROC_WATCH_H

#include <linux/gpubp_agent.h>
#include "providers/sim/device/compare.h"

/* as silicon has them */
#define INPROC_SLOTS		4
#define INPROC_GRANULE		64
#define INPROC_MAX_BLOCK	(INPROC_GRANULE << 24)

/**
 * struct inproc_slot - a comparator
 * @cmp: what it compares
 * @counts: of its ranges, since they were written; the type, sequence number and slot are
 *	set
 */
struct inproc_slot {
	struct sim_comparator cmp;
	struct gpubp_agent_counts counts;
};

/**
 * struct inproc_watch - all of them
 * @program: what they are programmed with
 * @slot: by number
 */
struct inproc_watch {
	struct gpubp_agent_program program;
	struct inproc_slot slot[INPROC_SLOTS];
};

/**
 * struct inproc_touch - what an instruction has accessed of them
 * @slots: bitmap of comparators that match
 * @ranges: of each, the ranges with bytes that it accessed in one of their ways
 */
struct inproc_touch {
	u32 slots;
	u32 ranges[INPROC_SLOTS];
};

/** inproc_watch_program() - from now on; what was counted until now has been written */
void inproc_watch_program(struct inproc_watch *watch, const struct gpubp_agent_program *program);

/** inproc_watch_compare() - add an access, of which there may be several, to @touch */
void inproc_watch_compare(const struct inproc_watch *watch, const struct sim_request *req,
			  struct inproc_touch *touch);

/**
 * inproc_watch_decide() - count what need not be recorded
 * @watch: comparators
 * @touch: what the instruction has accessed
 * @known: the kernel can tell which bytes these were; else it records whatever hits
 *
 * Return: bitmap of comparators of which the hit is to be recorded.
 */
u32 inproc_watch_decide(struct inproc_watch *watch, const struct inproc_touch *touch, bool known);

/** inproc_watch_take() - counts of a comparator that were not taken; false if there are none */
bool inproc_watch_take(struct inproc_watch *watch, unsigned int slot,
		       struct gpubp_agent_counts *counts);

#endif /* INPROC_WATCH_H */
