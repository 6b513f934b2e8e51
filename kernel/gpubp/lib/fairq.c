// SPDX-License-Identifier: GPL-2.0
/*
 * Fair queue: see fairq.h.
 *
 * Flows are queued by virtual time, as in weighted fair queueing. A flow that
 * becomes backlogged, or that had nothing to propose, starts at the virtual
 * time of the others, so it gains nothing by having waited. Draws do not
 * advance virtual time: else a flow with lucky draws would not be served in
 * order, and the waiting time of its entries would have no bound. Draws are
 * fair on average, by weight among all flows that can use one; a saturated flow
 * gets its part of later draws instead.
 *
 * In a flow of N entries of weight 1 each is served in any 2 N - 1 services of
 * the flow in a row, and at least n / N - 1 times in any n of them.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/rbtree_augmented.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fairq.h"

/* of gpubp_fairq_flow.vtime: one slot for a quantum at weight 1 */
#define SCALE		BIT_ULL(20)

/*
 * A deficit is made up as soon as the flow is not saturated, so it stays small.
 */
#define MAX_DEFICIT	(2 * SCALE)

/* unplaceable entries that are charged like one that is armed */
#define UNPLACEABLE_PER_SLOT	4

/* entries examined for an eligible one, at random and then in a row */
#define TRIES		16
#define SCAN		64

#define CHUNK		GPUBP_FAIRQ_CHUNK
#define MIN_CAPACITY	8

/* ---- random numbers ------------------------------------------------------ */

/**
 * gpubp_fairq_random() - a random number
 * @q: queue
 * @below: how many numbers there are to choose from
 *
 * Return: 0 to @below - 1, uniformly but for one in 2^64 / @below; 0 if @below
 * is 0.
 */
u64 gpubp_fairq_random(struct gpubp_fairq *q, u64 below)
{
	if (below < 2)
		return 0;
	return mul_u64_u64_shr(siphash_1u64(q->draws++, &q->key), below, 64);
}

/* ---- flows by virtual time ----------------------------------------------- */

static struct gpubp_fairq_flow *flow_of(const struct rb_node *node)
{
	return rb_entry(node, struct gpubp_fairq_flow, node);
}

static u64 node_sum(const struct rb_node *node)
{
	return node ? flow_of(node)->sum : 0;
}

static bool flow_compute_sum(struct gpubp_fairq_flow *flow, bool exit)
{
	u64 sum = flow->weight + node_sum(flow->node.rb_left) +
		  node_sum(flow->node.rb_right);

	if (exit && flow->sum == sum)
		return true;
	flow->sum = sum;
	return false;
}

RB_DECLARE_CALLBACKS(static, flow_sums, struct gpubp_fairq_flow, node, sum,
		     flow_compute_sum);

static bool flow_is_before(struct rb_node *na, const struct rb_node *nb)
{
	const struct gpubp_fairq_flow *a = flow_of(na), *b = flow_of(nb);

	return a->vtime != b->vtime ? a->vtime < b->vtime : a->id < b->id;
}

static void flow_enqueue(struct gpubp_fairq *q, struct gpubp_fairq_flow *flow)
{
	flow->sum = flow->weight;
	rb_add_augmented_cached(&flow->node, &q->flows, flow_is_before,
				&flow_sums);
}

static void flow_dequeue(struct gpubp_fairq *q, struct gpubp_fairq_flow *flow)
{
	rb_erase_augmented_cached(&flow->node, &q->flows, &flow_sums);
	RB_CLEAR_NODE(&flow->node);
}

static bool flow_is_queued(const struct gpubp_fairq_flow *flow)
{
	return !RB_EMPTY_NODE(&flow->node);
}

/*
 * An entry that needs more slots than the others leave might be deferred for
 * ever: as its flow is charged for smaller ones, the flow is never the first of
 * a quantum. So after some deferrals the flow is served nothing else in order
 * until it is the first.
 */
static bool flow_is_waiting(const struct gpubp_fairq_flow *flow)
{
	return flow->deferred && flow->deferrals == GPUBP_FAIRQ_MAX_DEFERRALS;
}

/**
 * gpubp_fairq_first_flow() - the flow to be served next
 * @q: queue
 *
 * Return: the flow with the least virtual time, or NULL.
 */
struct gpubp_fairq_flow *gpubp_fairq_first_flow(const struct gpubp_fairq *q)
{
	struct rb_node *first = rb_first_cached(&q->flows);

	return first ? flow_of(first) : NULL;
}

/* where a flow starts that was skipped: what it did not use is lost */
static u64 fairq_vtime(const struct gpubp_fairq *q)
{
	const struct gpubp_fairq_flow *first = gpubp_fairq_first_flow(q);

	return first ? first->vtime : q->vtime;
}

/*
 * A new flow starts behind the waiting ones: leaving and returning gains
 * nothing.
 */
static u64 fairq_start_vtime(const struct gpubp_fairq *q)
{
	return fairq_vtime(q) + 1;
}

static void flow_advance(struct gpubp_fairq *q, struct gpubp_fairq_flow *flow,
			 u64 by)
{
	flow_dequeue(q, flow);
	flow->vtime += div_u64(by, flow->weight);
	flow_enqueue(q, flow);
}

/**
 * gpubp_fairq_flow_charge() - an entry of a flow was served in order
 * @q: queue
 * @flow: not skipped
 * @slots: slots that it was given for a quantum
 */
void gpubp_fairq_flow_charge(struct gpubp_fairq *q,
			     struct gpubp_fairq_flow *flow, unsigned int slots)
{
	q->vtime = max(q->vtime, flow->vtime);
	flow_advance(q, flow, slots * SCALE);
}

/**
 * gpubp_fairq_flow_charge_unplaceable() - an entry that cannot be armed was
 *	served
 * @q: queue
 * @flow: not skipped
 *
 * If that were free, flows of which no entry can be armed would be examined
 * before all others in each quantum.
 */
void gpubp_fairq_flow_charge_unplaceable(struct gpubp_fairq *q,
					 struct gpubp_fairq_flow *flow)
{
	flow_advance(q, flow, SCALE / UNPLACEABLE_PER_SLOT);
}

/* ---- draws --------------------------------------------------------------- */

static bool flow_is_saturated(const struct gpubp_fairq *q,
			      const struct gpubp_fairq_flow *flow)
{
	return flow->quantum == q->quantum && flow->armed == flow->nr;
}

static void flow_add_deficit(struct gpubp_fairq *q,
			     struct gpubp_fairq_flow *flow, u64 part)
{
	flow->deficit = min(flow->deficit + part, MAX_DEFICIT);
	if (flow->deficit >= SCALE && list_empty(&flow->deficits))
		list_add_tail(&flow->deficits, &q->deficits);
}

static void flow_clear_deficit(struct gpubp_fairq_flow *flow)
{
	flow->deficit = 0;
	list_del_init(&flow->deficits);
}

/*
 * @drawn was given a draw of @slots. Each flow that took part in it had a part
 * by weight on average; each saturated one lost as much.
 */
static void fairq_add_deficits(struct gpubp_fairq *q,
			       const struct gpubp_fairq_flow *drawn,
			       unsigned int slots)
{
	struct gpubp_fairq_flow *flow;
	u64 others = q->weight;

	for (flow = q->saturated; flow; flow = flow->saturated)
		if (flow != drawn)
			others -= flow->weight;
	for (flow = q->saturated; flow; flow = flow->saturated)
		if (flow != drawn)
			flow_add_deficit(q, flow,
					 div64_u64(slots * SCALE * flow->weight,
						   others));
}

/**
 * gpubp_fairq_deficit_flow() - the flow to be given the next draw
 * @q: queue
 *
 * O(flows that are saturated, or skipped). Return: the first flow with a
 * deficit that can use a draw, or NULL.
 */
struct gpubp_fairq_flow *gpubp_fairq_deficit_flow(const struct gpubp_fairq *q)
{
	struct gpubp_fairq_flow *flow;

	list_for_each_entry(flow, &q->deficits, deficits)
		if (flow_is_queued(flow) && !flow_is_saturated(q, flow))
			return flow;
	return NULL;
}

/**
 * gpubp_fairq_flow_drawn() - a flow was given a draw
 * @q: queue
 * @flow: from gpubp_fairq_deficit_flow(), or drawn while there was none
 * @slots: slots that it was given for a quantum
 *
 * O(flows that are saturated).
 */
void gpubp_fairq_flow_drawn(struct gpubp_fairq *q,
			    struct gpubp_fairq_flow *flow, unsigned int slots)
{
	if (list_empty(&flow->deficits)) {
		fairq_add_deficits(q, flow, slots);
		return;
	}
	flow->deficit -= min(flow->deficit, slots * SCALE);
	if (flow->deficit < SCALE)
		list_del_init(&flow->deficits);
}

/**
 * gpubp_fairq_draw_flow() - draw a flow at random
 * @q: queue
 *
 * O(log flows). Return: a flow, with a probability in proportion to its weight,
 * or NULL if there are none.
 */
struct gpubp_fairq_flow *gpubp_fairq_draw_flow(struct gpubp_fairq *q)
{
	struct rb_node *node = q->flows.rb_root.rb_node;
	u64 ticket = gpubp_fairq_random(q, node_sum(node));

	while (node) {
		struct gpubp_fairq_flow *flow = flow_of(node);
		u64 before = node_sum(node->rb_left);

		if (ticket >= before && ticket - before < flow->weight)
			return flow;
		if (ticket < before) {
			node = node->rb_left;
		} else {
			ticket -= before + flow->weight;
			node = node->rb_right;
		}
	}
	return NULL;
}

/* ---- quanta and passes --------------------------------------------------- */

/**
 * gpubp_fairq_skip_flow() - a flow has nothing to propose in this pass
 * @q: queue
 * @flow: has entries
 */
void gpubp_fairq_skip_flow(struct gpubp_fairq *q,
			   struct gpubp_fairq_flow *flow)
{
	if (!flow_is_queued(flow))
		return;
	flow_dequeue(q, flow);
	flow->skipped = q->skipped;
	q->skipped = flow;
}

/**
 * gpubp_fairq_next_quantum() - begin a quantum: no entry is armed
 * @q: queue
 */
void gpubp_fairq_next_quantum(struct gpubp_fairq *q)
{
	q->quantum++;
	q->saturated = NULL;
}

/**
 * gpubp_fairq_pass_begin() - begin a pass: unplaceable entries are eligible
 *	again
 * @q: queue
 */
void gpubp_fairq_pass_begin(struct gpubp_fairq *q)
{
	q->pass++;
}

/**
 * gpubp_fairq_pass_end() - end a pass: no flow is skipped any more
 * @q: queue
 * @in_order: entries were served in order in it, not drawn
 *
 * Skipped flows do not keep their lag, except with deferred entries.
 */
void gpubp_fairq_pass_end(struct gpubp_fairq *q, bool in_order)
{
	u64 now = fairq_vtime(q);
	struct gpubp_fairq_flow *flow;

	while ((flow = q->skipped)) {
		q->skipped = flow->skipped;
		if (in_order && !flow->deferred)
			flow->vtime = max(flow->vtime, now);
		flow_enqueue(q, flow);
	}
}

/* ---- entries ------------------------------------------------------------- */

static void flow_set_entry(struct gpubp_fairq_flow *flow, u32 at,
			   struct gpubp_fairq_entry *entry)
{
	flow->chunks[at / CHUNK][at % CHUNK] = entry;
	entry->at = at;
}

/*
 * The three parts of the array: the entry at @at leaves its part. These return
 * the index behind that part which is free instead.
 */
static u32 flow_fill_hole(struct gpubp_fairq_flow *flow, u32 at, u32 last)
{
	if (at != last)
		flow_set_entry(flow, at, gpubp_fairq_flow_entry(flow, last));
	return last;
}

static u32 flow_leave_deferred(struct gpubp_fairq_flow *flow, u32 at)
{
	if (!at)
		flow->deferrals = 0;
	for (; at + 1 < flow->deferred; at++)
		flow_set_entry(flow, at, gpubp_fairq_flow_entry(flow, at + 1));
	return --flow->deferred;
}

static u32 flow_leave_pending(struct gpubp_fairq_flow *flow, u32 at)
{
	return flow_fill_hole(flow, at, --flow->pending);
}

static u32 flow_leave_served(struct gpubp_fairq_flow *flow, u32 at)
{
	return flow_fill_hole(flow, at, --flow->nr);
}

/**
 * gpubp_fairq_entry_is_eligible() - may it be proposed now?
 * @q: queue
 * @entry: entry
 *
 * Return: false if it is armed in this quantum, was unplaceable in this pass,
 * or is not queued at all.
 */
bool gpubp_fairq_entry_is_eligible(const struct gpubp_fairq *q,
				   const struct gpubp_fairq_entry *entry)
{
	return entry->flow && entry->quantum != (u32)q->quantum &&
	       entry->pass != (u32)q->pass;
}

/**
 * gpubp_fairq_entry_armed() - it is armed in this quantum: not eligible any
 *	more
 * @q: queue
 * @entry: queued; was not armed
 */
void gpubp_fairq_entry_armed(struct gpubp_fairq *q,
			     struct gpubp_fairq_entry *entry)
{
	struct gpubp_fairq_flow *flow = entry->flow;

	entry->quantum = q->quantum;
	if (flow->quantum != q->quantum)
		flow->armed = 0;
	flow->quantum = q->quantum;
	if (++flow->armed < flow->nr)
		return;
	flow->saturated = q->saturated;
	q->saturated = flow;
}

/* the first eligible entry of [@from, @to), from a random one on */
static struct gpubp_fairq_entry *entries_scan(struct gpubp_fairq *q,
					      const struct gpubp_fairq_flow *flow,
					      u32 from, u32 to)
{
	u32 start = gpubp_fairq_random(q, to - from);
	struct gpubp_fairq_entry *entry;
	u32 i, n = min_t(u32, to - from, SCAN);

	for (i = 0; i < n; i++) {
		entry = gpubp_fairq_flow_entry(flow, from + (start + i) %
							    (to - from));
		if (gpubp_fairq_entry_is_eligible(q, entry))
			return entry;
	}
	return NULL;
}

/*
 * A random eligible entry of [@from, @to), by weight if one of weight @heaviest
 * is accepted with certainty. In a long part nearly all are eligible; a short
 * one is scanned to its end.
 */
static struct gpubp_fairq_entry *entries_pick(struct gpubp_fairq *q,
					      const struct gpubp_fairq_flow *flow,
					      u32 from, u32 to, u8 heaviest)
{
	struct gpubp_fairq_entry *entry;
	unsigned int i;

	for (i = 0; i < TRIES && from < to; i++) {
		entry = gpubp_fairq_flow_entry(flow, from +
					       gpubp_fairq_random(q, to - from));
		if (gpubp_fairq_entry_is_eligible(q, entry) &&
		    gpubp_fairq_random(q, heaviest) < entry->weight)
			return entry;
	}
	return entries_scan(q, flow, from, to);
}

static struct gpubp_fairq_entry *
flow_first_deferred(const struct gpubp_fairq *q,
		    const struct gpubp_fairq_flow *flow)
{
	struct gpubp_fairq_entry *entry;
	u32 i;

	for (i = 0; i < flow->deferred; i++) {
		entry = gpubp_fairq_flow_entry(flow, i);
		if (gpubp_fairq_entry_is_eligible(q, entry))
			return entry;
	}
	return NULL;
}

/**
 * gpubp_fairq_flow_next() - the entry of a flow to be served next in order
 * @q: queue
 * @flow: has entries
 * @wait: no other entry is served while the flow waits for a deferred one
 *
 * Deferred entries come first, then those that are pending in this epoch, or in
 * a new one if all were served. If no such entry is eligible, one that was
 * served already is better than none: it is served once more.
 *
 * Return: an eligible entry, or NULL.
 */
struct gpubp_fairq_entry *gpubp_fairq_flow_next(struct gpubp_fairq *q,
						struct gpubp_fairq_flow *flow,
						bool wait)
{
	struct gpubp_fairq_entry *entry = flow_first_deferred(q, flow);

	if (wait && flow_is_waiting(flow))
		return entry == gpubp_fairq_flow_entry(flow, 0) ? entry : NULL;
	if (entry)
		return entry;
	if (!flow->pending) {
		flow->pending = flow->nr;
		flow->epoch++;
	}
	entry = entries_pick(q, flow, flow->deferred, flow->pending,
			     flow->heaviest);
	return entry ?: entries_scan(q, flow, flow->pending, flow->nr);
}

/**
 * gpubp_fairq_flow_draw() - draw an entry of a flow at random
 * @q: queue
 * @flow: has entries
 *
 * Return: an eligible entry, each with the same probability regardless of its
 * weight and of what was served before, or NULL.
 */
struct gpubp_fairq_entry *gpubp_fairq_flow_draw(struct gpubp_fairq *q,
						struct gpubp_fairq_flow *flow)
{
	return entries_pick(q, flow, 0, flow->nr, 1);
}

/**
 * gpubp_fairq_entry_served() - it was served in this epoch, if it was pending
 * @entry: queued
 */
void gpubp_fairq_entry_served(struct gpubp_fairq_entry *entry)
{
	struct gpubp_fairq_flow *flow = entry->flow;
	u32 at = entry->at;

	if (at >= flow->pending)
		return;
	if (at < flow->deferred)
		at = flow_leave_deferred(flow, at);
	if (++entry->served == entry->weight) {
		entry->served = 0;
		at = flow_leave_pending(flow, at);
	}
	flow_set_entry(flow, at, entry);
}

/**
 * gpubp_fairq_entry_defer() - it comes first in the next pass
 * @entry: queued
 *
 * Without effect if it is not pending, or if too many are deferred: it stays
 * pending then.
 */
void gpubp_fairq_entry_defer(struct gpubp_fairq_entry *entry)
{
	struct gpubp_fairq_flow *flow = entry->flow;

	if (flow->deferred && !entry->at)
		flow->deferrals = min(flow->deferrals + 1,
				      GPUBP_FAIRQ_MAX_DEFERRALS);
	if (entry->at < flow->deferred || entry->at >= flow->pending ||
	    flow->deferred == GPUBP_FAIRQ_MAX_DEFERRED)
		return;
	flow_set_entry(flow, entry->at,
		       gpubp_fairq_flow_entry(flow, flow->deferred));
	flow_set_entry(flow, flow->deferred++, entry);
}

/**
 * gpubp_fairq_entry_unplaceable() - it was proposed, but cannot be armed now
 * @q: queue
 * @entry: queued
 *
 * A flow with too many unplaceable entries in a pass is skipped.
 */
void gpubp_fairq_entry_unplaceable(struct gpubp_fairq *q,
				   struct gpubp_fairq_entry *entry)
{
	struct gpubp_fairq_flow *flow = entry->flow;

	entry->pass = q->pass;
	if (flow->pass != q->pass)
		flow->unplaceable = 0;
	flow->pass = q->pass;
	if (++flow->unplaceable == GPUBP_FAIRQ_MAX_UNPLACEABLE)
		gpubp_fairq_skip_flow(q, flow);
}

/* ---- add and remove ------------------------------------------------------ */

/* called with locks held that all users share: without reclaim */
#define GFP_ENTRIES	(GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT)

static int flow_grow_table(struct gpubp_fairq_flow *flow)
{
	u32 max = max_t(u32, 2 * flow->max_chunks, 1);
	struct gpubp_fairq_entry ***chunks;

	chunks = kcalloc(max, sizeof(*chunks), GFP_ENTRIES);
	if (!chunks)
		return -ENOMEM;
	if (flow->max_chunks)
		memcpy(chunks, flow->chunks,
		       flow->max_chunks * sizeof(*chunks));
	kfree(flow->chunks);
	flow->chunks = chunks;
	flow->max_chunks = max;
	return 0;
}

/* most flows have few entries: the first chunk begins small */
static int flow_grow_chunk(struct gpubp_fairq_flow *flow)
{
	u32 nr = max_t(u32, 2 * flow->capacity, MIN_CAPACITY);
	struct gpubp_fairq_entry **entries;

	entries = kmalloc_array(nr, sizeof(*entries), GFP_ENTRIES);
	if (!entries)
		return -ENOMEM;
	if (flow->nr)
		memcpy(entries, flow->chunks[0], flow->nr * sizeof(*entries));
	kfree(flow->chunks[0]);
	flow->chunks[0] = entries;
	flow->capacity = nr;
	return 0;
}

static int flow_add_chunk(struct gpubp_fairq_flow *flow)
{
	struct gpubp_fairq_entry **entries;

	entries = kmalloc_array(CHUNK, sizeof(*entries), GFP_ENTRIES);
	if (!entries)
		return -ENOMEM;
	flow->chunks[flow->capacity / CHUNK] = entries;
	flow->capacity += CHUNK;
	return 0;
}

static int flow_grow(struct gpubp_fairq_flow *flow)
{
	if (flow->nr < flow->capacity)
		return 0;
	if (flow->capacity > U32_MAX / 2)
		return -ENOMEM;
	if (flow->capacity == flow->max_chunks * CHUNK && flow_grow_table(flow))
		return -ENOMEM;
	return flow->capacity < CHUNK ? flow_grow_chunk(flow) :
					flow_add_chunk(flow);
}

static void flow_free_last_chunk(struct gpubp_fairq_flow *flow)
{
	u32 last = (flow->capacity - 1) / CHUNK;

	kfree(flow->chunks[last]);
	flow->chunks[last] = NULL;
	flow->capacity = last * CHUNK;
}

/* one empty chunk stays, so that it does not grow again soon */
static void flow_shrink(struct gpubp_fairq_flow *flow)
{
	if (flow->capacity > CHUNK && flow->nr + 2 * CHUNK <= flow->capacity)
		flow_free_last_chunk(flow);
}

/**
 * gpubp_fairq_init() - no flows, first quantum not begun
 * @q: queue
 * @key: of the random numbers
 */
void gpubp_fairq_init(struct gpubp_fairq *q, const siphash_key_t *key)
{
	*q = (struct gpubp_fairq) { .key = *key, .flows = RB_ROOT_CACHED };
	INIT_LIST_HEAD(&q->deficits);
}

/**
 * gpubp_fairq_flow_init() - a flow without entries
 * @flow: flow
 * @id: unique among those of a queue
 * @weight: 1 and more
 */
void gpubp_fairq_flow_init(struct gpubp_fairq_flow *flow, u64 id, u32 weight)
{
	*flow = (struct gpubp_fairq_flow) { .id = id, .weight = weight };
	RB_CLEAR_NODE(&flow->node);
	INIT_LIST_HEAD(&flow->deficits);
}

/**
 * gpubp_fairq_flow_exit() - free what a flow allocated
 * @flow: has no entries
 */
void gpubp_fairq_flow_exit(struct gpubp_fairq_flow *flow)
{
	while (flow->capacity)
		flow_free_last_chunk(flow);
	kfree(flow->chunks);
	flow->chunks = NULL;
	flow->max_chunks = 0;
}

static void flow_backlogged(struct gpubp_fairq *q,
			    struct gpubp_fairq_flow *flow)
{
	flow->vtime = max(flow->vtime, fairq_start_vtime(q));
	flow_enqueue(q, flow);
	q->weight += flow->weight;
	flow->heaviest = 0;
}

static void flow_idle(struct gpubp_fairq *q, struct gpubp_fairq_flow *flow)
{
	flow_dequeue(q, flow);
	q->weight -= flow->weight;
	flow_clear_deficit(flow);
}

/**
 * gpubp_fairq_add() - add an entry to a flow
 * @q: queue
 * @flow: flow
 * @entry: not queued
 * @weight: how often it is served in an epoch, 1 and more
 *
 * It is pending in the present epoch. A flow that had no entries starts at the
 * virtual time of the first flow, and behind that. O(1) but for an occasional
 * allocation, O(log flows) for the first entry of a flow. Not in a quantum.
 *
 * Return: 0 or -ENOMEM, and nothing changed then.
 */
int gpubp_fairq_add(struct gpubp_fairq *q, struct gpubp_fairq_flow *flow,
		    struct gpubp_fairq_entry *entry, u8 weight)
{
	int err = flow_grow(flow);

	if (err)
		return err;
	*entry = (struct gpubp_fairq_entry) { .flow = flow, .weight = weight };
	if (!flow->nr)
		flow_backlogged(q, flow);
	flow->heaviest = max(flow->heaviest, weight);
	if (flow->pending < flow->nr)
		flow_set_entry(flow, flow->nr,
			       gpubp_fairq_flow_entry(flow, flow->pending));
	flow_set_entry(flow, flow->pending++, entry);
	flow->nr++;
	q->nr++;
	return 0;
}

/**
 * gpubp_fairq_remove() - remove an entry
 * @q: queue
 * @entry: entry; nothing is done if it is not queued
 *
 * O(1), O(log flows) for the last entry of a flow. Not in a quantum.
 */
void gpubp_fairq_remove(struct gpubp_fairq *q, struct gpubp_fairq_entry *entry)
{
	struct gpubp_fairq_flow *flow = entry->flow;
	u32 at = entry->at;

	if (!flow)
		return;
	if (at < flow->deferred)
		at = flow_leave_deferred(flow, at);
	if (at < flow->pending)
		at = flow_leave_pending(flow, at);
	flow_leave_served(flow, at);
	if (!flow->nr)
		flow_idle(q, flow);
	flow_shrink(flow);
	entry->flow = NULL;
	q->nr--;
}
