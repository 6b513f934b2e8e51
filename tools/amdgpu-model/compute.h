/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compute units: they execute the kernels that user queues dispatch.
 *
 * A unit has one workgroup at a time. Waves run a few instructions each in turn, in
 * the thread that serves the driver and in others (executor.h). Address translations
 * are remembered for one compute_run() only, so an invalidation that a driver forgets is
 * hardly seen.
 *
 * The waves of a queue that is taken off are saved to memory by its process's trap
 * handler, and restored by that, on other units, when it is mapped again. A queue
 * without a context save area, or a process without a handler, keeps its waves as
 * they are instead. What was not launched yet of a dispatch stays here in both cases.
 */
#ifndef AMDGPU_MODEL_COMPUTE_H
#define AMDGPU_MODEL_COMPUTE_H

#include <pthread.h>

#include "engine.h"
#include "sq.h"

struct executors;

/* dispatches at a time, one of each queue */
#define COMPUTE_DISPATCHES	64
/* shader engines times units of each */
#define COMPUTE_UNITS		128

/* threads that execute them, at most */
#define EXECUTORS_MAX		8

/* barriers of global wave sync */
#define COMPUTE_GWS		64

struct dispatch;
struct group;

/**
 * struct compute_packet - a kernel dispatch packet of AQL
 * @header: type, barrier bit, scopes of fences
 * @setup: dimensions
 * @workgroup: size of a workgroup, in work-items
 * @grid: size of the grid, same
 * @private_size: bytes of private memory of a work-item
 * @group_size: bytes of LDS of a workgroup
 * @object: address of the kernel descriptor
 * @kernarg: address of the arguments
 * @signal: of completion, 0 none
 */
struct compute_packet {
	uint16_t header;
	uint16_t setup;
	uint16_t workgroup[3];
	uint16_t reserved0;
	uint32_t grid[3];
	uint32_t private_size;
	uint32_t group_size;
	uint64_t object;
	uint64_t kernarg;
	uint64_t reserved2;
	uint64_t signal;
};

/* AQL's header: the scope of the acquire fence is not 0 (none) */
#define COMPUTE_ACQUIRES(header)	((header) >> 9 & 3)

/**
 * enum compute_state - of a queue's dispatch
 * @COMPUTE_NONE: it has none
 * @COMPUTE_RUNS: waves of it are there, or to be launched
 * @COMPUTE_ENDED: all its waves have ended
 * @COMPUTE_FAILED: a wave cannot go on; compute_end() tells why
 */
enum compute_state {
	COMPUTE_NONE,
	COMPUTE_RUNS,
	COMPUTE_ENDED,
	COMPUTE_FAILED,
};

/**
 * struct compute_gws - a barrier of global wave sync
 * @root: address space of the process that made it
 * @left: waves that have not come, but for the last one
 * @phase: counts how often it was opened
 */
struct compute_gws {
	uint64_t root;
	uint32_t left;
	uint32_t phase;
};

/**
 * struct compute - units
 * @log: what happens
 * @engine: queues and memory
 * @sq: where waves are seen
 * @access: memory, for what firmware does with waves
 * @executors: threads
 * @shared: of what waves of several workgroups change: interrupts, the log, single
 *	steps that go wrong, @gws
 * @arch: enum gfx9_arch of the waves
 * @granule: of comparators, in bytes
 * @nr_cu: units of a shader engine
 * @nr_units: all of them
 * @dispatch: dispatches, NULL: none
 * @group: workgroup of each unit, NULL: none
 * @next: unit that runs first
 * @place: where a unit is looked for first
 * @full: a workgroup found no unit, or no private memory
 * @gws: barriers; amdkfd gives all of them to one process
 * @waves: that were launched
 * @saved: that were saved
 * @restored: that came back
 * @insts: instructions that were executed by waves that are gone
 * @matches: of comparators
 */
struct compute {
	struct log *log;
	struct engine *engine;
	struct sq *sq;
	struct vm_access access;
	struct executors *executors;
	pthread_mutex_t shared;
	unsigned int arch;
	unsigned int granule;
	unsigned int nr_cu;
	unsigned int nr_units;
	struct dispatch *dispatch[COMPUTE_DISPATCHES];
	struct group *group[COMPUTE_UNITS];
	unsigned int next;
	unsigned int place;
	bool full;
	struct compute_gws gws[COMPUTE_GWS];
	uint64_t waves;
	uint64_t saved;
	uint64_t restored;
	uint64_t insts;
	uint64_t matches;
};

/**
 * compute_init() - the units of @personality, and @nr_threads that execute them
 *
 * @c has its pointers and its memory already. Return: false if there is no memory, or
 * no thread.
 */
bool compute_init(struct compute *c, const struct personality *personality,
		  unsigned int nr_threads);

/** compute_exit() - frees what compute_init() has allocated */
void compute_exit(struct compute *c);

/** compute_invalidate_code() - what was written to memory is executed from now on */
void compute_invalidate_code(struct compute *c);

/** compute_reset() - no dispatch is left */
void compute_reset(struct compute *c);

/** compute_state() - what the dispatch of @queue does */
enum compute_state compute_state(struct compute *c, const struct queue *queue);

/**
 * enum compute_begun - what became of a dispatch
 * @BEGUN: it executes
 * @BEGUN_FAULT: an access failed, which is in the engine's access then
 * @BEGUN_SCRATCH: the queue has too little private memory for it
 * @BEGUN_REFUSED: it cannot be executed
 */
enum compute_begun {
	BEGUN,
	BEGUN_FAULT,
	BEGUN_SCRATCH,
	BEGUN_REFUSED,
};

/** compute_begin() - dispatch @packet, which is at address @at of @queue; @why: it is refused */
enum compute_begun compute_begin(struct compute *c, const struct queue *queue,
				 uint64_t at, const struct compute_packet *packet,
				 const char **why);

/** compute_started() - when its dispatch was, in ticks of the GPU's clock */
uint64_t compute_started(struct compute *c, const struct queue *queue);

/** compute_end() - its dispatch is gone; why it failed, or NULL */
const char *compute_end(struct compute *c, const struct queue *queue);

/** compute_unmap() - @queue is taken off; false: once more, its waves are not saved yet */
bool compute_unmap(struct compute *c, struct queue *queue);

/** compute_mapped() - @queue is back, perhaps with another VMID */
void compute_mapped(struct compute *c, struct queue *queue);

/** compute_drop() - @queue is reset: its dispatch is gone */
void compute_drop(struct compute *c, struct queue *queue);

/** compute_can_run() - whether there is something for compute_run() */
bool compute_can_run(const struct compute *c);

/** compute_run() - launch workgroups, execute some instructions of their waves */
void compute_run(struct compute *c);

#endif /* AMDGPU_MODEL_COMPUTE_H */
