/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run control like in a debugger: sessions that hold waves.
 *
 * All functions that can fail return a negative errno.
 */
#ifndef SELFTESTS_WAVES_H
#define SELFTESTS_WAVES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/gpubp.h>

#define MAX_WAVES	64

/**
 * struct owner - a session that holds waves
 * @session: session
 * @fd: event on the target
 * @id: attachment: id of the event
 * @ctx: the target's only context
 * @scope: scope returned by the last call
 * @nr_done: count returned by the last call
 */
struct owner {
	int session;
	int fd;
	uint64_t id;
	uint32_t ctx;
	uint32_t scope;
	uint32_t nr_done;
};

/** owner_open() - attach to a process, as a tracer or for reading only */
int owner_open(struct owner *o, pid_t pid, bool tracer);

void owner_close(struct owner *o);

/** contexts() - list contexts of the target; returns how many */
int contexts(struct owner *o, struct gpubp_context *c, uint32_t nr);

/** list() - list waves; returns how many */
int list(struct owner *o, struct gpubp_wave_entry *e, uint32_t nr);

/** find_waves() - ids of waves, MAX_WAVES at most; returns how many */
int find_waves(struct owner *o, uint64_t *w);

/** entry() - entry of a wave; all zero if it does not exist */
struct gpubp_wave_entry entry(struct owner *o, uint64_t wave);

bool has_stopped(struct owner *o, uint64_t wave);

/** goes_on() - wait until it runs; false: timeout */
bool goes_on(struct owner *o, uint64_t wave);

/** run() - GPUBP_HALT, GPUBP_RESUME or GPUBP_STEP */
int run(struct owner *o, unsigned long cmd, const uint64_t *waves, uint32_t nr,
	uint32_t timeout_ms);

int halt(struct owner *o, uint64_t wave);
int halt_all(struct owner *o);

/** halt_started() - halt all once there are @nr waves, and @stored is not 0; @w: (out) ids */
int halt_started(struct owner *o, int nr, const volatile uint32_t *stored, uint64_t *w);

int resume(struct owner *o, uint64_t wave);
int step(struct owner *o, uint64_t wave);

/** step_to() - step a halted wave until it is at @pc, 64 times at most */
int step_to(struct owner *o, uint64_t wave, uint64_t pc);

/** range() - range of registers */
struct gpubp_reg_range range(uint32_t file, uint32_t first, uint32_t nr);

/** regs() - GPUBP_READ_REGS or GPUBP_WRITE_REGS */
int regs(struct owner *o, unsigned long cmd, uint64_t wave,
	 struct gpubp_reg_range range, uint32_t *values, uint32_t nr);

/** get_s() - a scalar register of a halted wave; 0 if it is not halted */
uint32_t get_s(struct owner *o, uint64_t wave, unsigned int reg);

/** get_pc() - pc of a halted wave; 0 if it is not halted */
uint64_t get_pc(struct owner *o, uint64_t wave);

int set_pc(struct owner *o, uint64_t wave, uint64_t pc);

/** peek() - read memory; returns the bytes read */
int64_t peek(struct owner *o, uint64_t addr, void *buf, uint64_t len);

/** poke() - write memory; returns the bytes written */
int64_t poke(struct owner *o, uint64_t addr, const void *buf, uint64_t len);

/**
 * struct space - which memory
 * @wave: id of a wave; 0 for GPUBP_MEM_SPACE_GLOBAL
 * @space: GPUBP_MEM_SPACE_*
 * @lane: lane of private memory
 * @flags: GPUBP_MEM_*
 */
struct space {
	uint64_t wave;
	uint32_t space;
	uint32_t lane;
	uint32_t flags;
};

/** memory() - GPUBP_READ_MEM or GPUBP_WRITE_MEM; returns the bytes */
int64_t memory(struct owner *o, unsigned long cmd, struct space in, uint64_t addr,
	       void *buf, uint64_t len);

int dump(struct owner *o, uint64_t wave, struct gpubp_wave_dump *d);

/** displaced() - GPUBP_DISPLACED_*; @d->id is passed in and out */
int displaced(struct owner *o, unsigned long cmd, uint64_t wave,
	      struct gpubp_displaced *d);

/** displaced_as() - GPUBP_DISPLACED_START with a given instruction */
int displaced_as(struct owner *o, uint64_t wave, const void *insn, uint32_t len,
		 struct gpubp_displaced *d);

#endif /* SELFTESTS_WAVES_H */
