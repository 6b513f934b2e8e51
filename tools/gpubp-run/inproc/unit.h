/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compute unit of the GPU in the process, and what it executes: workgroups, whose
 * waves are those of the software GPU's interpreter. One thread executes them, and they
 * have what a compute unit of silicon has of its own. Compiled with tools/Makefile.isa.
 */
#ifndef INPROC_UNIT_H
#define INPROC_UNIT_H

#include <linux/kernel.h>
#include <linux/gpubp_isa.h>
#include "providers/sim/wave/wave.h"
#include "memory.h"
#include "watch.h"

struct inproc_group;

/**
 * struct inproc_unit - the compute unit
 * @memory: what waves can access
 * @watch: comparators
 * @hit: a wave has hit what is to be recorded; NULL: nothing is
 * @hit_arg: for @hit
 * @isa: of the waves
 * @arch: likewise
 * @queue: number of the queue
 * @icache: instructions
 * @decoded: likewise, decoded
 */
struct inproc_unit {
	struct inproc_memory *memory;
	struct inproc_watch watch;
	void (*hit)(void *arg, struct gpubp_agent_hit *hit);
	void *hit_arg;
	const struct gpubp_isa *isa;
	enum gfx9_arch arch;
	u32 queue;
	struct sim_fetch_cache icache;
	struct sim_decoded decoded[SIM_NR_DECODED];
};

/**
 * struct inproc_wave - a wave
 * @sim: its registers
 * @group: its workgroup
 * @touch: what the instruction that it executes has accessed of what is watched
 * @ended: it is over
 * @halted: it has halted itself, and waits for the end of its queue
 */
struct inproc_wave {
	struct sim_wave sim;
	struct inproc_group *group;
	struct inproc_touch touch;
	bool ended;
	bool halted;
};

/**
 * struct inproc_group - a workgroup
 * @unit: where it is
 * @launch: of it, and its last wave
 * @nr: its waves
 * @next: which one is next
 * @wave: them
 * @scratch: their private memory, at the same address
 * @lds: LDS
 */
struct inproc_group {
	struct inproc_unit *unit;
	struct sim_launch launch;
	unsigned int nr;
	unsigned int next;
	struct inproc_wave *wave;
	char *scratch;
	char *lds;
};

static inline struct inproc_wave *inproc_wave_of(struct sim_wave *sim)
{
	return container_of(sim, struct inproc_wave, sim);
}

/**
 * enum inproc_progress - what became of workgroups
 * @INPROC_RAN: a wave was executed
 * @INPROC_STUCK: each one is halted or waits at a barrier
 * @INPROC_ENDED: all have ended
 * @INPROC_FAILED: a wave has an exception that nothing handles
 */
enum inproc_progress {
	INPROC_RAN,
	INPROC_STUCK,
	INPROC_ENDED,
	INPROC_FAILED,
};

/* env.c: CLOCK_MONOTONIC, ns */
u64 inproc_now(void);

/* group.c */
struct inproc_group *inproc_group_new(struct inproc_unit *unit, const struct sim_launch *launch);
void inproc_group_free(struct inproc_group *group);
enum inproc_progress inproc_group_run(struct inproc_group *group, const struct sim_wave **failed);

/* hit.c: the message of a hit of the instruction that @wave has just executed */
void inproc_wave_hit(struct inproc_wave *wave);

#endif /* INPROC_UNIT_H */
