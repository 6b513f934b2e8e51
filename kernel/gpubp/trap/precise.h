/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Escalation: a break of the kernel's own at an access of which comparators tell
 * too little. Who comes there is looked at before the access, when the registers
 * that say where it goes are still there and nothing has moved on.
 *
 * Who finds what where: precise.c says where such breaks are, and for how long;
 * hit/precise_stop.c looks at the waves that come there, and at their hits; pending_access.c keeps
 * what was seen in between.
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

#define GPUBP_PRECISE_REQUESTS	16	/* of a context, at a time */

/**
 * struct gpubp_precise_watch - a watch for which something is done
 * @id: of the watch
 * @start: its first address
 * @last: its last address
 */
struct gpubp_precise_watch {
	u64 id;
	u64 start;
	u64 last;
};

/**
 * struct gpubp_precise_point - a place; all under the device lock
 * @pc: of the instruction; 0: nothing is here
 * @patch: what is in memory for it, or NULL
 * @watch: the watch that had the last of it
 * @chosen: it is to be in memory in this quantum
 * @from_scan: it is there for all events that want exact hits only, before anybody hit
 * @gone: its watch is gone: it is forgotten when it is out of memory
 * @throttled: it was in vain: it is out of memory until @backoff says so
 * @backoff: see @throttled
 * @err: why it cannot be in memory
 * @tried: gpubp_trap_ctx.changes when that was found out
 * @checked: gpubp_trap_ctx.changes when an instruction was found to begin there
 * @active_ns: when a wave came last that was about to meet watched bytes, or it came
 *	to memory, ns of CLOCK_MONOTONIC
 * @misses: waves that came lately and were not, less what was earned by @misses_ns
 * @misses_ns: ns of CLOCK_MONOTONIC
 * @conclusive: all waves in its buffer were looked at, and whoever was to meet
 *	watched bytes has a note
 * @watches: if @conclusive: of the watches that there were then
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
 * struct gpubp_precise_request - a hit that told too little
 * @pc: of the instruction, or where the wave stopped some instructions behind it
 * @exact: the former
 * @kinds: GPUBP_ACCESS_* that are watched
 * @watch: by which watch
 * @fresh: the committer has not seen it yet
 * @until: when it is wished again at the earliest, ns of CLOCK_MONOTONIC
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
 * struct gpubp_precise_ctx - of a context; under the device lock
 * @max: entries of @table that can be in memory
 * @nr: entries of @table, some of which rest
 * @table: NULL: nothing was wished as yet
 * @request: what the resolver wishes
 * @watches: changes whenever there is a new one
 * @nr_exact: bindings of events that want exact hits only, and may have it
 * @scanned: gpubp_trap_ctx.changes for which code is, or was, looked through for
 *	them; 0 never
 * @scan_at: address to go on from; U64_MAX: all was looked at; committer only
 * @late_hits_until: until then a hit may come that is of an access before the last one
 *	that was looked at, ns of CLOCK_MONOTONIC
 * @pending: of waves
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
 * struct gpubp_precise - of a device; under its lock
 * @work: asks for a commit when one may have become cold
 * @armed: how often one came to memory
 * @throttled: how often one was taken out as it was in vain
 * @stops: waves that stopped for one
 * @pending: of them, those that were about to meet watched bytes
 * @lost: of those, how many found no room for a note, or could not be read
 * @hits: that a note made exact
 * @strays: that were proven to concern no watch
 */
struct gpubp_precise {
	struct delayed_work work;
	u64 armed;
	u64 throttled;
	u64 stops;
	u64 pending;
	u64 lost;
	u64 hits;
	u64 strays;
};

extern unsigned int gpubp_max_precise_points;
extern unsigned int gpubp_precise_idle_ms;

/* the watch with these bytes and this id, or NULL; the device lock is held */
typedef struct gpubp_watch *(*gpubp_watch_find_fn)(struct gpubp_ctx *ctx,
						   u64 start, u64 last, u64 id);

/* for watches, for opening events and for the resolver */
void gpubp_precise_set_find(gpubp_watch_find_fn find);
void gpubp_precise_binding_changed(struct gpubp_ctx *ctx,
				   const struct gpubp_event *gev, int by);
void gpubp_precise_request(struct gpubp_ctx *ctx,
			   const struct gpubp_watch *watch, u64 pc, bool exact,
			   bool certain);
struct gpubp_precise_point *
gpubp_precise_point_find(const struct gpubp_ctx *ctx, u64 pc);
void gpubp_precise_hit(struct gpubp_precise_point *point,
		       const struct gpubp_watch *watch);
void gpubp_precise_miss(struct gpubp_ctx *ctx,
			struct gpubp_precise_point *point);
void gpubp_precise_stray(struct gpubp_precise_point *point);
void gpubp_precise_set_inconclusive(struct gpubp_ctx *ctx, u64 pc);

/* and for the committer */
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
