/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dispatches on the compute unit: several workgroups of a grid at a time. Compiled with
 * tools/Makefile.isa. No lock: the caller's.
 */
#ifndef INPROC_GRID_H
#define INPROC_GRID_H

#include <linux/gpubp_sim.h>
#include "unit.h"

/* workgroups on the unit at once: waves of each see what the others store */
#define INPROC_GROUPS		8

/* bytes of a packet */
#define INPROC_PACKET		64

/**
 * struct inproc_grid - a dispatch
 * @unit: where it is executed
 * @kernel: its descriptor
 * @launch: the next workgroup
 * @launched: all were
 * @group: those on the unit, or NULL
 * @next: which one is next
 */
struct inproc_grid {
	struct inproc_unit *unit;
	struct sim_kernel kernel;
	struct sim_launch launch;
	bool launched;
	struct inproc_group *group[INPROC_GROUPS];
	unsigned int next;
};

/**
 * inproc_grid_new() - a dispatch that has not begun
 * @unit: where it is executed
 * @args: as the software GPU takes them
 * @seq: its number
 * @packet: address of its packet, INPROC_PACKET bytes, which is written
 * @grid: out
 *
 * Return: 0, -EINVAL, -EFAULT (no descriptor), -ENOMEM.
 */
int inproc_grid_new(struct inproc_unit *unit, const struct gpubp_sim_dispatch *args, u64 seq,
		    u64 packet, struct inproc_grid **grid);

/** inproc_grid_free() - it has ended, or is killed */
void inproc_grid_free(struct inproc_grid *grid);

/**
 * inproc_grid_run() - a turn of a wave
 * @grid: dispatch
 * @end: out, of INPROC_FAILED: .status, .pc and .addr
 */
enum inproc_progress inproc_grid_run(struct inproc_grid *grid, struct gpubp_sim_wait *end);

#endif /* INPROC_GRID_H */
