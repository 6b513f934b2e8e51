/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Record rings: a hit that needs no stop is recorded by the wave itself, with the
 * registers of its access, in a ring of its context, and the wave goes on.
 *
 * Hits of a context's comparators are recorded from the end of a commit until the next
 * one that changes what the filter of one of them says or what it compares: recorded
 * hits are of one program. The commit ends it, waits until no wave is in the handler, and lets the
 * resolver take what is in the ring before the watches of the old program go.
 *
 * Hits are not resolved while very many wait for the task that gets them, unless they
 * would have no watch or owner after that.
 *
 * The ring is full if one place is left for each wave that can be in the handler:
 * then hits are reported, and stop their waves, as without a ring.
 */
#ifndef _GPUBP_SCHED_RECORD_RING_H
#define _GPUBP_SCHED_RECORD_RING_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/gpubp.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/types.h>

struct gpubp_candidate;
struct gpubp_commit;
struct gpubp_ctx;
struct gpubp_device;
struct gpubp_queue;
struct seq_file;

/**
 * struct gpubp_record_ring - ring of a context; the committer only, but
 *	@node, and what the resolver is said to have
 * @ctx: the context
 * @node: in gpubp_recording.rings, once there is memory; under the device lock
 * @round: number of the resolver's last walk that visited it; likewise
 * @barred: comparators with a watch whose hits must stop their wave
 * @next: comparators whose hits are recorded after this commit
 * @nr_left: bindings that may still be asked in this commit
 * @valued: of @next, those of which samples want the values of watched bytes
 * @on: gpubp_handler_ring.on, as it is in the handler's memory
 * @ending: a bit of @on was cleared since the last commit: all that is in it is to be
 *	resolved; read by the resolver
 * @since: by comparator: when its hits were first recorded, ns of CLOCK_MONOTONIC;
 *	likewise
 * @va: address of the first place, 0 without memory
 * @there: it has memory, and all that is known of it
 * @nr_places: places, a power of two
 * @places: these, in memory that waves may write at any time; resolver
 * @desc: likewise, what the handler knows of it
 * @allowed: comparators of which there may be records; read by the resolver
 * @gone_to: of the places before this number, those that are not published never
 *	will be: their waves are gone; likewise
 * @gone_at: no record before @gone_to is of later, ns of CLOCK_MONOTONIC; likewise
 * @tail: number of the next record to be resolved; resolver
 * @notify: gpubp_handler_ring.notify, as it is in the handler's memory; resolver
 * @awaited: number of a record that was not published when it was looked for; resolver
 * @awaited_since: when that was, ns of CLOCK_MONOTONIC; resolver
 * @stuck: it is not published for long: recording is to end for a moment; set by the
 *	resolver, cleared by the committer
 * @overtaken: a hit that was reported later waits for what is in it; resolver
 * @known: records before this number were there when the resolver looked; resolver
 * @target: the resolver's run takes records up to this number; resolver
 * @goal: what had been recorded at @looked_at are the records before this number;
 *	resolver
 * @looked_at: ns of CLOCK_MONOTONIC; resolver
 * @taken_at: the last @looked_at of which all records are taken; resolver, read by
 *	others
 * @wanted: latest time until which a task waits for what was recorded, likewise; any
 *	context
 * @part: the last part of a run of the resolver in which a reported hit waited for all that
 *	is in it; resolver
 * @held_back: very many hits wait for a task already; likewise
 * @flushing: callers that wait until all that is in it is resolved; likewise
 * @closed: a caller's queue is the last one, or its context ends: what is not published
 *	never will be; likewise
 * @queues: queues that were destroyed while records of theirs may be in it, struct
 *	gpubp_late_queue; under the device lock
 * @kept: copies of places, by number, if they are checked: of those that were taken,
 *	what was resolved; the resolver, once there is memory
 * @taken: bits of places behind one that is not published that were taken all the same,
 *	before a reported hit; the resolver, once there is memory
 * @stopped: single waves of the context are halted, which the device cannot do while
 *	others record: for good, as one of them may be stopped again and again; any
 *	context
 * @broken: its head is none that our handler wrote: it is not used any more; set by
 *	the resolver
 */
struct gpubp_record_ring {
	struct gpubp_ctx *ctx;
	struct list_head node;
	u64 round;
	u32 barred;
	u32 next;
	u32 valued;
	unsigned int nr_left;
	u32 on;
	bool ending;
	u64 since[GPUBP_MAX_SLOTS];
	u64 va;
	bool there;
	u32 nr_places;
	const void *places;
	const struct gpubp_handler_ring *desc;
	u32 allowed;
	u64 gone_to;
	u64 gone_at;
	u64 tail;
	u32 notify;
	u64 awaited;
	u64 awaited_since;
	bool stuck;
	bool overtaken;
	u64 known;
	u64 target;
	u64 goal;
	u64 looked_at;
	u64 taken_at;
	atomic64_t wanted;
	u64 part;
	bool held_back;
	atomic_t flushing;
	bool closed;
	struct list_head queues;
	void *kept;
	unsigned long *taken;
	bool stopped;
	bool broken;
};

/**
 * struct gpubp_late_queue - a queue that was destroyed, and that records name
 * @node: in gpubp_record_ring.queues
 * @queue: the queue; a reference is held
 * @until: by those before this number
 */
struct gpubp_late_queue {
	struct list_head node;
	struct gpubp_queue *queue;
	u64 until;
};

/**
 * struct gpubp_recording - record rings of a device
 * @rings: rings with memory; under the device lock
 * @memory: bytes of all rings; under the device lock
 * @round: number of the resolver's last walk of @rings; resolver
 * @found: its run has resolved records; likewise
 * @asked: number of the last request to take the rings that end; any context
 * @answered: of the last one that is done; resolver, read by others
 * @undrained: the last commit that ended recording did not wait until no wave was in the
 *	handler; committer
 * @chosen: hits are to be recorded after this commit; committer
 * @nr_notices: calls of gpubp_recorded(); any context
 * @nr_recorded: hits that were recorded, and resolved or dropped; any context
 */
struct gpubp_recording {
	struct list_head rings;
	u64 memory;
	u64 round;
	bool found;
	atomic64_t asked;
	s64 answered;
	bool undrained;
	bool chosen;
	atomic64_t nr_notices;
	atomic64_t nr_recorded;
};

/** gpubp_record_ring_index() - which place a number has */
static inline u32 gpubp_record_ring_index(const struct gpubp_record_ring *ring,
					  u64 number)
{
	return number & (ring->nr_places - 1);
}

void gpubp_records_init(struct gpubp_device *dev);
void gpubp_records_init_ctx(struct gpubp_ctx *ctx);
void gpubp_records_exit(struct gpubp_device *dev);
void gpubp_records_exit_ctx(struct gpubp_ctx *ctx);
void gpubp_records_reset(struct gpubp_ctx *ctx);
void gpubp_records_choose(struct gpubp_ctx *ctx,
			  const struct gpubp_candidate *cand);
void gpubp_records_chosen(struct gpubp_ctx *ctx);
void gpubp_records_end(struct gpubp_commit *c);
void gpubp_records_ended(struct gpubp_commit *c);
void gpubp_records_take(struct gpubp_commit *c);
void gpubp_records_begin(struct gpubp_commit *c);
void gpubp_records_flush(struct gpubp_ctx *ctx);
void gpubp_records_keep_queue(struct gpubp_queue *queue);
bool gpubp_records_stop(struct gpubp_ctx *ctx);
void gpubp_records_flush_device(struct gpubp_device *dev);
bool gpubp_records_exist(void);
bool gpubp_records_are_taken(struct gpubp_ctx *ctx, u64 before);
bool gpubp_records_are_held_back(struct gpubp_ctx *ctx);
void gpubp_records_want(struct gpubp_ctx *ctx, u64 before);
void gpubp_records_ask(struct gpubp_ctx *ctx, u64 before);
int gpubp_records_wait(struct gpubp_ctx *ctx, u64 before,
		       unsigned long timeout);
int gpubp_records_wait_signal(struct gpubp_ctx *ctx, u64 before,
			      unsigned long timeout);
struct gpubp_record_ring *gpubp_record_ring_next(struct gpubp_device *dev);
struct gpubp_queue *gpubp_record_ring_queue(struct gpubp_record_ring *ring,
					    u64 number, u32 doorbell);
/** gpubp_place_copy() - copy from a place, each u64 once: waves may write there */
static inline void gpubp_place_copy(u64 *to, const u64 *from, size_t size)
{
	size_t i;

	for (i = 0; i < size / sizeof(*to); i++)
		to[i] = READ_ONCE(from[i]);
}

int gpubp_record_ring_head(struct gpubp_record_ring *ring, u32 *head);
bool gpubp_record_ring_is_last(struct gpubp_record_ring *ring, u64 number);
u64 gpubp_record_ring_limit(const struct gpubp_record_ring *ring, u64 number);
bool gpubp_record_ring_is_published(const struct gpubp_record_ring *ring,
				    u64 number);
const void *gpubp_record_ring_place(struct gpubp_record_ring *ring, u64 number);
int gpubp_record_ring_keep_all(struct gpubp_record_ring *ring, u32 *head);
const void *gpubp_record_ring_kept(const struct gpubp_record_ring *ring,
				   u64 number);
void gpubp_record_ring_taken(struct gpubp_record_ring *ring, u64 tail);
bool gpubp_record_ring_ask_notice(struct gpubp_record_ring *ring);
void gpubp_record_ring_break(struct gpubp_record_ring *ring);
void gpubp_records_show(struct gpubp_device *dev, struct seq_file *m);

#endif /* _GPUBP_SCHED_RECORD_RING_H */
