/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why an event counted what it counted: its figures in sentences. Pure.
 */
#ifndef PERF_GPUBP_WHY_H
#define PERF_GPUBP_WHY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/gpubp.h>

/**
 * struct why - what is known of an event
 * @stats: its statistics
 * @nr_bound: contexts that it is bound to now
 * @nr_pending: of these, contexts in which waves run without traps
 * @is_paused: its process gives way to a debugger of the GPU
 * @group: events of its group, if they were not armed together, else 0
 * @leader_share: part of the time that the leader of @group was armed
 * @named: it watches a name
 * @is_watch: it is a watch or a watch set
 * @access: GPUBP_ACCESS_* of a watch, 0 as in attr.config: stores and atomics
 * @is_part: it counts some of the hits only: possible or lost ones
 * @is_exact: it counts exact hits only (/pp)
 * @is_exception: it is of exceptions
 * @is_fp: some of them are of floating point
 * @clamped: kernels that begin with DX10_CLAMP, with commas; "" none, NULL
 *	unknown
 * @paths: what caps/paths has, "" unknown
 */
struct why {
	struct gpubp_event_stats stats;
	unsigned int nr_bound;
	unsigned int nr_pending;
	bool is_paused;
	unsigned int group;
	double leader_share;
	bool named;
	bool is_watch;
	unsigned int access;
	bool is_part;
	bool is_exact;
	bool is_exception;
	bool is_fp;
	const char *clamped;
	const char *paths;
};

/** why_is_unmapped() - it could have no hits: nothing was mapped there while it was armed */
bool why_is_unmapped(const struct why *why);

/** why_set_kind() - set what an event is of; @code: GPUBP_EXC_* of exceptions */
void why_set_kind(struct why *why, unsigned int kind, uint32_t code);

/** why_print() - a line a reason; returns how many */
unsigned int why_print(const struct why *why, FILE *out);

#endif /* PERF_GPUBP_WHY_H */
