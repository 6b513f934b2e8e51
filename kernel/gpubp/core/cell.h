/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pending hit: one preallocated cell, from the interrupt that reports the hit
 * until the last event has it.
 */
#ifndef _GPUBP_CORE_CELL_H
#define _GPUBP_CORE_CELL_H

#include <linux/atomic.h>
#include <linux/gpubp.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <uapi/linux/gpubp.h>

#include "context.h"
#include "stats.h"

struct gpubp_ctx;
struct gpubp_device;
struct gpubp_filter;
struct gpubp_owner;
struct gpubp_queue;

#define GPUBP_NR_CELLS		2048U	/* at least, if waves stop; 2.5 KiB each */
#define GPUBP_CELL_MATCHES	8
#define GPUBP_HIT_CELLS		128	/* per hit, to leave some for others */
#define GPUBP_HIT_CATCHES	16	/* per hit: events that sessions catch */

/**
 * struct gpubp_hit_match - a watch or a trap that a hit matches; written by the
 *	resolver only, constant once gpubp_deliver() has issued the hit's
 *	tickets
 * @hit: number of the hit
 * @kind: enum gpubp_kind of the match
 * @watch: id of the watch or the trap
 * @member: id of the matching member of a set, 0 for events on watches
 * @set: id of that set
 * @start: first watched address; of a trap, its key
 * @last: last watched address
 * @addr: address of the first matching lane; of a trap, of the instruction; of
 *	a memory violation as in struct gpubp_hit_record
 * @lanes: matching lanes
 * @touching: those, and lanes that do not meet the condition
 * @hit_addr: as in struct gpubp_hit_record, like the next
 * @data: likewise
 * @before: likewise
 * @seen: likewise
 * @now: likewise
 * @old_value: first watched bytes when they were last read, zero-extended
 * @new_value: the same bytes now
 * @weight: number of hits that it represents
 * @credited: of the same period, hits that were already reported to its event
 * @pc: of a trap, the pc of its sample
 * @flags: GPUBP_HIT_POSSIBLE, and which of the values are valid
 * @width: of a trap, bytes accessed per lane
 * @access: of a trap, one GPUBP_ACCESS_* or 0
 * @addr_state: of a trap, enum gpubp_addr_state
 * @hit_len: watched bytes from @hit_addr on that the first lane accessed; 0 if
 *	the access is not exact
 * @filter: the condition of the events that it is for, while they are to be
 *	tested; else NULL. A reference is held
 * @filter_serial: its serial; 0 if it is for the events without one
 * @filtered: no lane meets it
 * @unchanged: all watched bytes have their old values
 * @read: the first watched bytes when the hit was resolved; of a recorded hit, those of
 *	@left: as the access left them
 * @late: they were read after the wave had gone on
 * @latest: if @late: no hit that was recorded later, and none that is reported already, is
 *	in them
 * @touched: if @late: bits of these bytes that the access touched
 * @left: bits of those of which it is known what it left there
 */
struct gpubp_hit_match {
	u64 hit;
	u64 watch;
	u64 member;
	u64 start;
	u64 last;
	u64 addr;
	u64 lanes;
	u64 touching;
	u64 hit_addr;
	u64 data;
	u64 before;
	u64 seen;
	u64 now;
	u64 old_value;
	u64 new_value;
	u64 weight;
	u64 credited;
	u64 pc;
	struct gpubp_filter *filter;
	u64 filter_serial;
	u32 set;
	u16 flags;
	u16 width;
	u8 kind;
	u8 access;
	u8 addr_state;
	u8 hit_len;
	bool filtered;
	bool unchanged;
	struct gpubp_reading read;
	bool late;
	bool latest;
	u64 touched;
	u64 left;
};

/**
 * struct gpubp_hit_caught - an event that has a hit, and that a session catches
 * @event: its id
 * @match: the match that it has of the hit
 */
struct gpubp_hit_caught {
	u64 event;
	const struct gpubp_hit_match *match;
};

/**
 * struct gpubp_sample_ids - tasks whose ids a sample gets, if not those of
 *	current
 * @owner: the task, NULL if it is gone
 * @leader: its thread group leader, likewise
 */
struct gpubp_sample_ids {
	const struct gpubp_owner *owner;
	const struct gpubp_owner *leader;
};

/**
 * enum gpubp_delivery - how a sample gets to an event
 * @GPUBP_DELIVERY_TASK: written in the owner's context
 * @GPUBP_DELIVERY_CPU: written on the event's CPU, with the owner's ids
 * @GPUBP_NR_DELIVERIES: number of deliveries
 */
enum gpubp_delivery {
	GPUBP_DELIVERY_TASK,
	GPUBP_DELIVERY_CPU,
	GPUBP_NR_DELIVERIES,
};

/* the ticket is for an event with attr.sigtrap, among others */
#define GPUBP_TICKET_SIGNALS	BIT(2)

/* likewise, for one that was disabled after its wave had recorded the hit */
#define GPUBP_TICKET_LATE	BIT(3)

/**
 * struct gpubp_ticket - a cell waits for a task or a CPU
 * @node: in the struct gpubp_tickets of that task or CPU
 * @cell: the cell; a reference is held
 * @ids: owner of the hit; the cell's queue or context has references
 * @since: since when it waits, ns of CLOCK_MONOTONIC: a hit that its wave recorded may be
 *	much older
 * @more: cells of the hit without the first
 * @scopes: events that it is for: bit 0 those of the owner's own queues, bit 1
 *	those of every queue of its process; and GPUBP_TICKET_*
 * @misses: times that its owner's events were scheduled in and none matched
 */
struct gpubp_ticket {
	struct list_head node;
	struct gpubp_hit_cell *cell;
	struct gpubp_sample_ids ids;
	u64 since;
	u16 more;
	u8 scopes;
	u8 misses;
};

/**
 * struct gpubp_hit_cell - a hit, or the continuation of one
 * @lnode: in gpubp_device.free_cells or .reported
 * @dev: its device; constant
 * @first: the hit's first cell; the others hold matches beyond
 *	GPUBP_CELL_MATCHES, and are freed with it
 * @number: number of the hit on this device; first cell only
 * @next: further cell of the hit, or NULL; added by the resolver
 * @nr_more: further cells of the hit; first cell only
 * @refs: users of the hit; at 0 the hit is accounted and its cells are freed
 * @delivered: delivered to an event as exact
 * @possible: delivered to an event as possible
 * @outcome: counter to account it in if neither; first cell only
 * @hit: as reported
 * @place: what the wave recorded when it went on, to be read by the resolver only, while
 *	it resolves the hit; NULL: it reported the hit
 * @crowded: many hits wait for one of those who get it; set by the resolver
 * @stopped_at: what gpubp_stopped_time_begin() returned; first cell only
 * @ctx: context; a reference is held
 * @queue: queue; a reference is held, NULL if unknown
 * @record: what all matches have in common
 * @nr_caught: entries of @caught; written by gpubp_deliver(), first cell only
 * @nr_matches: entries of @matches
 * @matches: matching watches and traps
 * @caught: events that have the hit, and that sessions catch
 * @tickets: per delivery, for the queue's creator and for its thread group
 *	leader; first cell only
 *
 * Who writes what. gpubp_report(), in an interrupt, writes @hit, @stopped_at,
 * @ctx and @queue, and @outcome of a hit that it drops; it publishes the cell
 * by adding it to .reported. From then on the resolver is the only writer,
 * without a lock, up to the end of gpubp_deliver(): @record, @matches,
 * @nr_matches, @next and @outcome. Issuing a ticket publishes all these to the
 * drains, which run in tasks and interrupts of any CPU and only read them.
 * After that:
 *
 *  - @delivered and @possible become true, in the resolver for counting events
 *    (before tickets are issued) and in drains for samples; they never become
 *    false.
 *  - @outcome is overwritten by a drain that drops a ticket. Two drains may do
 *    so at the same time: either value is right.
 *  - The last gpubp_cell_put(), in any context, reads all three: @delivered
 *    takes precedence over @possible, and both over @outcome.
 */
struct gpubp_hit_cell {
	struct llist_node lnode;
	struct gpubp_device *dev;
	struct gpubp_hit_cell *first;
	u64 number;
	struct gpubp_hit_cell *next;
	unsigned int nr_more;
	atomic_t refs;
	bool delivered;
	bool possible;
	enum gpubp_stat outcome;
	struct gpubp_hit hit;
	const void *place;
	bool crowded;
	u64 stopped_at;
	struct gpubp_ctx *ctx;
	struct gpubp_queue *queue;
	struct gpubp_hit_record record;
	unsigned int nr_caught;
	unsigned int nr_matches;
	struct gpubp_hit_match matches[GPUBP_CELL_MATCHES];
	struct gpubp_hit_caught caught[GPUBP_HIT_CATCHES];
	struct gpubp_ticket tickets[GPUBP_NR_DELIVERIES][2];
};

unsigned int gpubp_cells_needed(const struct gpubp_caps *caps);
int gpubp_cells_alloc(struct gpubp_device *dev);
void gpubp_cells_free(struct gpubp_device *dev);
void gpubp_cells_drain(struct gpubp_device *dev);
struct gpubp_hit_cell *gpubp_cell_alloc(struct gpubp_device *dev);
struct gpubp_hit_cell *gpubp_cell_extend(struct gpubp_hit_cell *cell);
void gpubp_cell_put(struct gpubp_hit_cell *cell);
void gpubp_cells_sync(void);
struct llist_node *gpubp_hits_take(struct gpubp_device *dev);
void gpubp_hits_part_done(struct gpubp_device *dev, u64 asked);
void gpubp_hits_done(struct gpubp_device *dev, u64 asked);
u64 gpubp_hits_mark(const struct gpubp_device *dev);
int gpubp_hits_wait(struct gpubp_device *dev, unsigned long timeout);
int gpubp_reports_wait(struct gpubp_device *dev, unsigned long timeout);
bool gpubp_hits_passed(const struct gpubp_device *dev, u64 mark);
unsigned int gpubp_cells_in_use(struct gpubp_device *dev);

/** gpubp_cell_went_on() - did the wave go on, so that memory may have what came behind? */
static inline bool gpubp_cell_went_on(const struct gpubp_hit_cell *cell)
{
	return cell->hit.stopped == GPUBP_STOPS_NONE;
}

/** gpubp_cell_wave() - id of the wave for users, as it is listed; 0: it went on */
static inline u64 gpubp_cell_wave(const struct gpubp_hit_cell *cell)
{
	if (gpubp_cell_went_on(cell))
		return 0;
	return cell->hit.listed ?: cell->hit.wave;
}

static inline void gpubp_cell_get(struct gpubp_hit_cell *cell)
{
	atomic_inc(&cell->refs);
}

#endif /* _GPUBP_CORE_CELL_H */
