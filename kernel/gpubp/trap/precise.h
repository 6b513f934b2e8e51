/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Precise points: breaks of the kernel's own at accesses to memory of which
 * comparators alone do not give exact hits. A wave stops there before the
 * access, when its address registers are unchanged and it has executed nothing
 * after the access.
 *
 * precise.c chooses the points, and for how long each is in memory;
 * hit/precise_stop.c reads the stopped waves and resolves their hits;
 * pending_access.c keeps what was read until the hit is reported.
 */
#ifndef _GPUBP_TRAP_PRECISE_H
#define _GPUBP_TRAP_PRECISE_H

#include <linux/gpubp.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "../lib/budget.h"
#include "pending_access.h"

struct gpubp_ctx;
struct gpubp_device;
struct gpubp_event;
struct gpubp_patch;
struct gpubp_watch;
struct seq_file;

#define GPUBP_PRECISE_REQUESTS	16	/* entries for requests of a context */

/**
 * struct gpubp_precise_watch - identifies a watch that may have been freed
 * @id: gpubp_watch.id; 0: none
 * @start: first address of the watch
 * @last: last address of the watch
 */
struct gpubp_precise_watch {
	u64 id;
	u64 start;
	u64 last;
};

/**
 * struct gpubp_precise_point - a precise point of a context; under device lock
 * @pc: address of its instruction; 0: this entry of the table is free
 * @patch: its patch, while it is in memory; else NULL
 * @watch: the watch that a wave at this point was about to access last, or that
 *	the point was requested for; the point is removed with it
 * @chosen: to be in memory in this quantum
 * @from_scan: found by the scan of code objects, and used by all events that
 *	want exact hits only; not requested for a hit
 * @gone: to be removed from the table as soon as it is out of memory: no watch
 *	needs it, or its throttling ended at least as long ago as it lasted
 * @throttled: not in memory until @backoff ends, since too many waves stopped
 *	that were not about to access watched bytes, or another point needed
 *	room
 * @backoff: end of the last throttling, and how often its length was doubled
 * @err: errno: why it cannot be in memory; 0: no error is known
 * @tried: gpubp_trap_ctx.changes when @err was found
 * @checked: gpubp_trap_ctx.changes when an instruction was found to begin at
 *	@pc
 * @active_ns: when a wave about to access watched bytes stopped here last, or
 *	when the point was put into memory, ns of CLOCK_MONOTONIC
 * @misses: stops of waves that were not about to access watched bytes, up to
 *	@misses_ns; decays by MAX_MISSES in MISSES_NS
 * @misses_ns: time of the last such stop, ns of CLOCK_MONOTONIC
 * @conclusive: all waves in its buffer were read, and each one about to access
 *	watched bytes has a pending access: a hit of another wave is of other
 *	bytes than watched ones
 * @watches: gpubp_precise_ctx.watches when @conclusive was set, which holds for
 *	the watches of that time only
 */
struct gpubp_precise_point {
	u64 pc;
	struct gpubp_patch *patch;
	struct gpubp_precise_watch watch;
	bool chosen;
	bool from_scan;
	bool gone;
	bool throttled;
	struct gpubp_backoff backoff;
	int err;
	u64 tried;
	u64 checked;
	u64 active_ns;
	unsigned int misses;
	u64 misses_ns;
	bool conclusive;
	u64 watches;
};

/**
 * struct gpubp_precise_request - a request for a point, after an inexact hit
 * @pc: address of the instruction, or where the wave stopped after it
 * @exact: @pc is the instruction
 * @kinds: GPUBP_ACCESS_* that @watch selects
 * @watch: the watch that was hit
 * @fresh: the committer has not processed it yet
 * @until: an equal request is ignored before this time, ns of CLOCK_MONOTONIC
 */
struct gpubp_precise_request {
	u64 pc;
	bool exact;
	u8 kinds;
	struct gpubp_precise_watch watch;
	bool fresh;
	u64 until;
};

/**
 * struct gpubp_precise_ctx - precise points of a context; under the device lock
 * @max: how many points may be in memory; the rest of @table is throttled or
 *	has an error
 * @nr: entries of @table in use; also read without the lock
 * @table: the points; NULL: none was requested yet
 * @request: requests of the resolver
 * @watches: changes whenever a watch is added to the context
 * @nr_exact: bindings of events that want exact hits only and may have points
 * @scanned: gpubp_trap_ctx.changes for which code is or was scanned for such
 *	events; 0: never
 * @scan_at: address where the scan goes on; U64_MAX: it is complete; committer
 *	only
 * @late_hits_until: until then a hit may be of an access before the last one
 *	that a precise stop read, ns of CLOCK_MONOTONIC
 * @pending: pending accesses of waves
 */
struct gpubp_precise_ctx {
	unsigned int max;
	unsigned int nr;
	struct gpubp_precise_point *table;
	struct gpubp_precise_request request[GPUBP_PRECISE_REQUESTS];
	u64 watches;
	unsigned int nr_exact;
	u64 scanned;
	u64 scan_at;
	u64 late_hits_until;
	struct gpubp_pending_accesses pending;
};

/**
 * struct gpubp_precise - precise points of a device: statistics; under its lock
 * @work: requests a commit when a point may have become idle
 * @armed: how often a point was put into memory
 * @throttled: how often a point was throttled
 * @stops: waves that stopped at a point
 * @matched: of @stops, waves that were about to access watched bytes
 * @lost: of @stops, waves whose registers could not be read or whose pending
 *	access found no room
 * @hits: hits that a pending access made exact
 * @strays: hits that were proven to be of other bytes than watched ones
 */
struct gpubp_precise {
	struct delayed_work work;
	u64 armed;
	u64 throttled;
	u64 stops;
	u64 matched;
	u64 lost;
	u64 hits;
	u64 strays;
};

extern unsigned int gpubp_max_precise_points;
extern unsigned int gpubp_precise_idle_ms;

/* returns the watch with these bytes and this id, or NULL; device lock held */
typedef struct gpubp_watch *(*gpubp_watch_find_fn)(struct gpubp_ctx *ctx,
						   u64 start, u64 last, u64 id);

/* for watches, for events that are bound, and for the resolver */
void gpubp_precise_set_find(gpubp_watch_find_fn find);
void gpubp_precise_binding_changed(struct gpubp_ctx *ctx,
				   const struct gpubp_event *gev, int by);
void gpubp_precise_request(struct gpubp_ctx *ctx,
			   const struct gpubp_watch *watch, u64 pc, bool exact,
			   bool certain);
struct gpubp_precise_point *
gpubp_precise_point_find(const struct gpubp_ctx *ctx, u64 pc);
void gpubp_precise_useful(struct gpubp_precise_point *point,
			  const struct gpubp_watch *watch);
void gpubp_precise_useless(struct gpubp_ctx *ctx,
			   struct gpubp_precise_point *point);
void gpubp_precise_stray(struct gpubp_precise_point *point);
void gpubp_precise_set_inconclusive(struct gpubp_ctx *ctx, u64 pc);

/* for the committer, except init, exit and show */
unsigned int gpubp_precise_buffers(void);
bool gpubp_precise_any(const struct gpubp_ctx *ctx);
void gpubp_precise_choose(struct gpubp_ctx *ctx, unsigned int nr_slots);
void gpubp_precise_add_points(struct gpubp_ctx *ctx, s64 *budget);
bool gpubp_precise_insert(struct gpubp_ctx *ctx, s64 *budget);
void gpubp_precise_exit_ctx(struct gpubp_ctx *ctx);
void gpubp_precise_init(struct gpubp_device *dev);
void gpubp_precise_exit(struct gpubp_device *dev);
void gpubp_precise_show(struct gpubp_device *dev, struct seq_file *m);

#endif /* _GPUBP_TRAP_PRECISE_H */
