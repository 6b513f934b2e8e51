/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The run list of the scheduler in the firmware: the processes and queues that the
 * driver wants to run, and which of them are on the GPU.
 *
 * If there are more processes than VMIDs, or than the list allows at a time, or more
 * compute queues than hardware queues, they take turns: what waits longest replaces
 * what was on the GPU longest, after a quantum, or sooner if that has nothing to do.
 * Waves of a queue that is replaced are saved and restored like those of any other
 * queue that is taken off. The driver is not notified of turns.
 */
#ifndef AMDGPU_MODEL_RUNLIST_H
#define AMDGPU_MODEL_RUNLIST_H

#include "engine.h"

#define RUNLIST_PROCESSES	64
#define RUNLIST_QUEUES		512
#define RUNLIST_PROCESS_WORDS	32
#define RUNLIST_QUEUE_WORDS	6

/*
 * The unit of quanta: silicon's is not documented, a millisecond perhaps. A driver in a
 * VM reads registers 20 to 60 times slower than of silicon.
 */
#define RUNLIST_UNIT_MS		20

/**
 * struct run_process - a process of the list
 * @body: its MAP_PROCESS without the header
 * @nr: dwords of it
 * @since: when it came to the GPU, ns
 * @quantum: that it has at least, ns
 * @process: NULL: it is not on the GPU
 */
struct run_process {
	uint32_t body[RUNLIST_PROCESS_WORDS];
	unsigned int nr;
	uint64_t since;
	uint64_t quantum;
	const struct process *process;
};

/**
 * struct run_queue - a queue of the list
 * @body: its MAP_QUEUES without the header
 * @owner: its process
 * @since: when it came to the GPU or left it, ns
 * @queue: NULL: it is not on the GPU
 * @serial: of @queue
 * @gone: it is not of the list any more, or cannot be mapped
 */
struct run_queue {
	uint32_t body[RUNLIST_QUEUE_WORDS];
	struct run_process *owner;
	uint64_t since;
	struct queue *queue;
	uint64_t serial;
	bool gone;
};

/**
 * struct runlist - it
 * @engine: where its queues are mapped
 * @unit_ms: unit of quanta
 * @limit: processes at a time, besides the limit of VMIDs
 * @nr_processes: entries of @process
 * @nr_queues: entries of @queue
 * @turns: queues that were replaced
 * @process: in the order of the list
 * @queue: same
 */
struct runlist {
	struct engine *engine;
	unsigned int unit_ms;
	unsigned int limit;
	unsigned int nr_processes;
	unsigned int nr_queues;
	uint64_t turns;
	struct run_process process[RUNLIST_PROCESSES];
	struct run_queue queue[RUNLIST_QUEUES];
};

/** runlist_clear() - an empty list, of at most @limit processes at a time, 0: no limit */
void runlist_clear(struct runlist *l, unsigned int limit);

/** runlist_add_process() - MAP_PROCESS of @nr dwords; false: it is none */
bool runlist_add_process(struct runlist *l, const uint32_t *body, unsigned int nr);

/** runlist_add_queue() - MAP_QUEUES, of the process before it; false: there is none */
bool runlist_add_queue(struct runlist *l, const uint32_t *body);

/** runlist_start() - map what there is room for; false: not even the first process */
bool runlist_start(struct runlist *l);

/** runlist_drop() - UNMAP_QUEUES @body: what it selects is not of the list any more */
void runlist_drop(struct runlist *l, const uint32_t *body);

/** runlist_has() - does a queue with this doorbell wait */
bool runlist_has(const struct runlist *l, uint32_t doorbell);

/** runlist_turn() - replace what had its quantum; false: nothing waits */
bool runlist_turn(struct runlist *l);

#endif /* AMDGPU_MODEL_RUNLIST_H */
