// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "isa/gfx9/regs.h"
#include "grid.h"

#define MAX_WORKGROUP		1024
#define KERNARG_ALIGN		16
#define PACKET_TYPE_DISPATCH	2

/* HSA kernel dispatch packet; only fields that kernels read */
struct packet {
	u16 header;
	u16 setup;
	u16 workgroup[3];
	u16 reserved;
	u32 grid[3];
	u32 private_size;
	u32 group_size;
	u64 kernel_object;
	u64 kernarg;
};

/* ---- beginning and end --------------------------------------------------- */

static bool grid_sizes_are_valid(const struct gpubp_sim_dispatch *args)
{
	u64 items = 1;
	int i;

	for (i = 0; i < 3; i++) {
		if (!args->grid[i] || !args->workgroup[i] || args->workgroup[i] > MAX_WORKGROUP)
			return false;
		items *= args->workgroup[i];
	}
	return items <= MAX_WORKGROUP && !args->flags && IS_ALIGNED(args->kernarg, KERNARG_ALIGN);
}

static int grid_read_kernel(struct inproc_grid *grid, u64 descriptor)
{
	u8 desc[SIM_DESC_SIZE] __aligned(8);
	int err;

	if (inproc_memory_move(grid->unit->memory, descriptor, desc, sizeof(desc), false) !=
	    sizeof(desc))
		return -EFAULT;
	err = sim_kernel_parse(desc, grid->unit->arch, &grid->kernel);
	if (!err)
		sim_kernel_add_stack(&grid->kernel);
	return err;
}

static void grid_write_packet(struct inproc_grid *grid)
{
	const struct sim_launch *launch = &grid->launch;
	struct packet packet = {
		.header = PACKET_TYPE_DISPATCH,
		.setup = 3,
		.private_size = grid->kernel.private_size,
		.group_size = grid->kernel.lds_size,
		.kernel_object = launch->desc_va,
		.kernarg = launch->kernarg,
	};
	int i;

	for (i = 0; i < 3; i++) {
		packet.workgroup[i] = launch->workgroup[i];
		packet.grid[i] = launch->grid[i];
	}
	inproc_memory_move(grid->unit->memory, launch->dispatch_ptr, &packet, sizeof(packet),
			   true);
}

int inproc_grid_new(struct inproc_unit *unit, const struct gpubp_sim_dispatch *args, u64 seq,
		    u64 packet, struct inproc_grid **out)
{
	struct inproc_grid *grid;
	int err;

	if (!grid_sizes_are_valid(args))
		return -EINVAL;
	grid = calloc(1, sizeof(*grid));
	if (!grid)
		return -ENOMEM;
	grid->unit = unit;
	err = grid_read_kernel(grid, args->kernel_object);
	if (err) {
		free(grid);
		return err;
	}
	grid->launch = (struct sim_launch) {
		.kernel = &grid->kernel, .desc_va = args->kernel_object,
		.kernarg = args->kernarg, .dispatch_ptr = packet, .dispatch_id = seq,
	};
	memcpy(grid->launch.grid, args->grid, sizeof(args->grid));
	memcpy(grid->launch.workgroup, args->workgroup, sizeof(args->workgroup));
	grid_write_packet(grid);
	*out = grid;
	return 0;
}

void inproc_grid_free(struct inproc_grid *grid)
{
	unsigned int n;

	for (n = 0; n < INPROC_GROUPS; n++)
		if (grid->group[n])
			inproc_group_free(grid->group[n]);
	free(grid);
}

/* ---- execution ----------------------------------------------------------- */

/* the coordinates of the next workgroup */
static void grid_advance(struct inproc_grid *grid)
{
	struct sim_launch *launch = &grid->launch;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if ((u64)++launch->wg[i] * launch->workgroup[i] < launch->grid[i])
			return;
		launch->wg[i] = 0;
	}
	grid->launched = true;
}

/* without memory for another one, when there are others it may be there later */
static bool grid_fill(struct inproc_grid *grid)
{
	unsigned int n, nr = 0;

	for (n = 0; n < INPROC_GROUPS; n++) {
		if (!grid->group[n] && !grid->launched) {
			grid->group[n] = inproc_group_new(grid->unit, &grid->launch);
			if (grid->group[n])
				grid_advance(grid);
		}
		nr += !!grid->group[n];
	}
	return nr;
}

static u32 wave_status(const struct sim_wave *sim)
{
	if (sim->fatal_trap_id)
		return GPUBP_SIM_TRAP;
	return sim->fatal_trapsts & TRAPSTS_ILLEGAL_INST ? GPUBP_SIM_ILLEGAL_INST :
							    GPUBP_SIM_MEM_VIOL;
}

static enum inproc_progress group_turn(struct inproc_grid *grid, unsigned int n,
				       struct gpubp_sim_wait *end)
{
	const struct sim_wave *failed;
	enum inproc_progress progress = inproc_group_run(grid->group[n], &failed);

	if (progress == INPROC_FAILED) {
		end->status = wave_status(failed);
		end->pc = failed->fatal_pc;
		end->addr = failed->fatal_addr;
	} else if (progress == INPROC_ENDED) {
		inproc_group_free(grid->group[n]);
		grid->group[n] = NULL;
		progress = INPROC_RAN;
	}
	return progress;
}

enum inproc_progress inproc_grid_run(struct inproc_grid *grid, struct gpubp_sim_wait *end)
{
	enum inproc_progress progress = INPROC_STUCK;
	unsigned int i;

	if (!grid_fill(grid)) {
		end->status = GPUBP_SIM_KILLED;
		return grid->launched ? INPROC_ENDED : INPROC_FAILED;
	}
	for (i = 0; i < INPROC_GROUPS && progress == INPROC_STUCK; i++) {
		unsigned int n = grid->next++ % INPROC_GROUPS;

		if (grid->group[n])
			progress = group_turn(grid, n, end);
	}
	return progress;
}
