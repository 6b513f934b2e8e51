/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fair queue: in which order the entries of several flows are served.
 *
 * Two levels. Flows (users, say) share the slots of a device in proportion to
 * their weights by weighted fair queueing: each flow has a virtual time, which
 * advances by the slots that it was given divided by its weight, and the flow
 * with the least virtual time is served next. Within a flow entries are served
 * by *epochs*: in an epoch each entry is served once for each unit of its own
 * weight, in an order that is drawn anew for every epoch.
 *
 * Beside that, an entry can be *drawn* at random, first a flow by weight, then
 * any of its entries. A flow that is *saturated*, all of whose entries are
 * armed, cannot use a draw. What it loses is its *deficit*, and it is given the
 * next draws once it is not saturated any more.
 *
 * In units of one slot for a quantum (scaled, see fairq.c):
 *
 *	vtime(f) += slots / weight(f)		f is served in order
 *	vtime(f) = max(vtime(f), least + 1)	f gets its first entry
 *	deficit(f) += slots * weight(f) / W	another flow is given a draw
 *						while f is saturated
 *	deficit(f) -= slots			f is given a draw for it
 *
 * where least is the least virtual time of all flows, and W the sum of weights
 * of the flows that could use the draw.
 *
 * No operation is O(entries): the deferred, the pending and the served entries
 * of a flow are three parts of one array; an entry changes parts by a swap. The
 * array consists of chunks of a page, which can be allocated without reclaim.
 *
 * Pure: no lock, no time; compiles in user space. Memory is allocated when
 * entries are added. Random numbers are SipHash of a counter: without the key
 * they cannot be predicted from earlier ones, with it everything can be
 * replayed.
 */
#ifndef _GPUBP_LIB_FAIRQ_H
#define _GPUBP_LIB_FAIRQ_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/siphash.h>
#include <linux/types.h>

/* deferred entries of a flow at a time; they stay in order */
#define GPUBP_FAIRQ_MAX_DEFERRED	4

#define GPUBP_FAIRQ_CHUNK	512	/* entries of a chunk */

/* unplaceable entries in a pass after which the flow is skipped in it */
#define GPUBP_FAIRQ_MAX_UNPLACEABLE	16

/* deferrals of the first deferred entry after which its flow waits for it */
#define GPUBP_FAIRQ_MAX_DEFERRALS	4

struct gpubp_fairq_flow;

/**
 * struct gpubp_fairq_entry - the queue's part of a watch; may be very many
 * @flow: its flow; NULL: it is not queued
 * @at: index in the array of the flow, see gpubp_fairq_flow_entry()
 * @weight: how often it is served in an epoch, 1 to 255
 * @served: how often it was served in this epoch
 * @quantum: last quantum in which it was armed, 0 never; modulo 2^32: after so
 *	many quanta without being armed it is not eligible in one
 * @pass: last pass in which it was unplaceable, 0 never; likewise
 */
struct gpubp_fairq_entry {
	struct gpubp_fairq_flow *flow;
	u32 at;
	u32 quantum;
	u32 pass;
	u8 weight;
	u8 served;
};

/**
 * struct gpubp_fairq_flow - a user's watches of a device
 * @node: in gpubp_fairq.flows, while it has entries and is not skipped
 * @skipped: next flow that is skipped in this pass
 * @saturated: next flow that is saturated in this quantum
 * @deficits: in gpubp_fairq.deficits, if @deficit is at least one slot quantum
 * @deficit: draws that it lost while saturated: slot quanta, scaled
 * @id: unique; the order among equals
 * @weight: 1 and more
 * @sum: weights of all flows in the subtree below @node
 * @vtime: virtual time: slot quanta that it was given, divided by @weight,
 *	scaled
 * @quantum: last quantum in which an entry was armed, 0 never
 * @chunks: of the array of entries: the deferred ones, then those that are
 *	pending in this epoch, then those that were served in it
 * @armed: entries armed in quantum @quantum
 * @nr: used entries of the array
 * @pending: of them, deferred or pending
 * @deferred: of them, deferred
 * @deferrals: how often the first of them was deferred again, up to
 *	GPUBP_FAIRQ_MAX_DEFERRALS
 * @capacity: allocated entries of the array; a single chunk may be smaller
 * @max_chunks: allocated entries of @chunks
 * @heaviest: no entry weighs more
 * @unplaceable: proposals of pass @pass that were unplaceable
 * @pass: see @unplaceable
 * @epoch: number of the present epoch
 */
struct gpubp_fairq_flow {
	struct rb_node node;
	struct gpubp_fairq_flow *skipped;
	struct gpubp_fairq_flow *saturated;
	struct list_head deficits;
	u64 id;
	u32 weight;
	u32 deficit;
	u64 sum;
	u64 vtime;
	u64 quantum;
	struct gpubp_fairq_entry ***chunks;
	u32 armed;
	u32 nr;
	u32 pending;
	u32 deferred;
	u8 deferrals;
	u32 capacity;
	u32 max_chunks;
	u8 heaviest;
	u8 unplaceable;
	u64 pass;
	u64 epoch;
};

/**
 * struct gpubp_fairq - the flows of a device
 * @key: of the random numbers
 * @draws: random numbers used
 * @quantum: number of the present quantum, from 1
 * @pass: number of the present pass: proposals among which none is repeated
 * @vtime: system virtual time: the largest that a flow had when it was served
 *	in order, before it was charged; used while no flow is queued
 * @flows: flows with entries, by gpubp_fairq_flow.vtime
 * @skipped: flows without anything to propose in this pass
 * @saturated: flows that are saturated in this quantum
 * @deficits: flows that get the next draws
 * @weight: of all flows with entries
 * @nr: entries of all flows
 */
struct gpubp_fairq {
	siphash_key_t key;
	u64 draws;
	u64 quantum;
	u64 pass;
	u64 vtime;
	struct rb_root_cached flows;
	struct gpubp_fairq_flow *skipped;
	struct gpubp_fairq_flow *saturated;
	struct list_head deficits;
	u64 weight;
	unsigned int nr;
};

static inline struct gpubp_fairq_entry *
gpubp_fairq_flow_entry(const struct gpubp_fairq_flow *flow, u32 at)
{
	return flow->chunks[at / GPUBP_FAIRQ_CHUNK][at % GPUBP_FAIRQ_CHUNK];
}

void gpubp_fairq_init(struct gpubp_fairq *q, const siphash_key_t *key);
void gpubp_fairq_flow_init(struct gpubp_fairq_flow *flow, u64 id, u32 weight);
void gpubp_fairq_flow_exit(struct gpubp_fairq_flow *flow);

int gpubp_fairq_add(struct gpubp_fairq *q, struct gpubp_fairq_flow *flow,
		    struct gpubp_fairq_entry *entry, u8 weight);
void gpubp_fairq_remove(struct gpubp_fairq *q,
			struct gpubp_fairq_entry *entry);

u64 gpubp_fairq_random(struct gpubp_fairq *q, u64 below);

/* for the policy, in a quantum */
void gpubp_fairq_next_quantum(struct gpubp_fairq *q);
void gpubp_fairq_pass_begin(struct gpubp_fairq *q);
void gpubp_fairq_pass_end(struct gpubp_fairq *q, bool in_order);
struct gpubp_fairq_flow *gpubp_fairq_first_flow(const struct gpubp_fairq *q);
struct gpubp_fairq_flow *gpubp_fairq_deficit_flow(const struct gpubp_fairq *q);
struct gpubp_fairq_flow *gpubp_fairq_draw_flow(struct gpubp_fairq *q);
void gpubp_fairq_skip_flow(struct gpubp_fairq *q,
			   struct gpubp_fairq_flow *flow);

struct gpubp_fairq_entry *gpubp_fairq_flow_next(struct gpubp_fairq *q,
						struct gpubp_fairq_flow *flow,
						bool wait);
struct gpubp_fairq_entry *gpubp_fairq_flow_draw(struct gpubp_fairq *q,
						struct gpubp_fairq_flow *flow);
void gpubp_fairq_flow_charge(struct gpubp_fairq *q,
			     struct gpubp_fairq_flow *flow,
			     unsigned int slots);
void gpubp_fairq_flow_charge_unplaceable(struct gpubp_fairq *q,
					 struct gpubp_fairq_flow *flow);
void gpubp_fairq_flow_drawn(struct gpubp_fairq *q,
			    struct gpubp_fairq_flow *flow, unsigned int slots);

bool gpubp_fairq_entry_is_eligible(const struct gpubp_fairq *q,
				   const struct gpubp_fairq_entry *entry);
void gpubp_fairq_entry_armed(struct gpubp_fairq *q,
			     struct gpubp_fairq_entry *entry);
void gpubp_fairq_entry_served(struct gpubp_fairq_entry *entry);
void gpubp_fairq_entry_defer(struct gpubp_fairq_entry *entry);
void gpubp_fairq_entry_unplaceable(struct gpubp_fairq *q,
				   struct gpubp_fairq_entry *entry);

#endif /* _GPUBP_LIB_FAIRQ_H */
