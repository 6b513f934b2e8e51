// SPDX-License-Identifier: GPL-2.0
/* Workgroups: their waves run in turn, from barrier to barrier. */
#include <errno.h>
#include <stdlib.h>
#include "unit.h"

/*
 * Instructions of a wave in a turn, after which a new program is taken; while something is
 * watched fewer, so that others do not wait for the kernel as often as it hits.
 */
#define SLICE		256
#define WATCHED_SLICE	64

/* ---- beginning and end --------------------------------------------------- */

static size_t group_scratch_size(const struct inproc_group *group)
{
	return (size_t)group->nr * group->launch.kernel->private_size * SIM_LANES;
}

/* private memory, at its own address; rounded up, as nothing has no address */
static int group_alloc(struct inproc_group *group)
{
	const struct sim_kernel *kernel = group->launch.kernel;
	size_t size = group_scratch_size(group);

	group->wave = calloc(group->nr, sizeof(*group->wave));
	group->lds = calloc(1, kernel->lds_size + 1);
	if (!group->wave || !group->lds)
		return -ENOMEM;
	if (!size)
		return 0;
	group->scratch = calloc(1, size);
	return group->scratch ?
	       inproc_memory_add(group->unit->memory, (uintptr_t)group->scratch, size,
				 group->scratch) : -ENOMEM;
}

static int wave_launch(struct inproc_group *group, unsigned int n)
{
	const struct sim_kernel *kernel = group->launch.kernel;
	struct inproc_wave *wave = &group->wave[n];

	wave->group = group;
	wave->sim.arch = group->unit->arch;
	wave->sim.single_memop = true;
	wave->sim.v = calloc(kernel->nr_vgprs, sizeof(*wave->sim.v));
	if (!wave->sim.v)
		return -ENOMEM;
	group->launch.wave = n;
	group->launch.scratch_offset = n * kernel->private_size * SIM_LANES;
	sim_launch_wave(&group->launch, &wave->sim);
	return 0;
}

/** inproc_group_new() - the workgroup @launch->wg; NULL: no memory */
struct inproc_group *inproc_group_new(struct inproc_unit *unit, const struct sim_launch *launch)
{
	struct inproc_group *group = calloc(1, sizeof(*group));
	unsigned int n;
	int err;

	if (!group)
		return NULL;
	group->unit = unit;
	group->launch = *launch;
	group->nr = sim_launch_nr_waves(launch);
	err = group_alloc(group);
	group->launch.scratch = (uintptr_t)group->scratch;
	group->launch.scratch_size = group_scratch_size(group);
	for (n = 0; n < group->nr && !err; n++)
		err = wave_launch(group, n);
	if (!err)
		return group;
	inproc_group_free(group);
	return NULL;
}

void inproc_group_free(struct inproc_group *group)
{
	unsigned int n;

	for (n = 0; group->wave && n < group->nr; n++)
		free(group->wave[n].sim.v);
	if (group->scratch)
		inproc_memory_del(group->unit->memory, (uintptr_t)group->scratch);
	free(group->scratch);
	free(group->lds);
	free(group->wave);
	free(group);
}

/* ---- execution ----------------------------------------------------------- */

/* while something is watched, instruction by instruction: a hit has the registers then */
static enum sim_stop wave_turn(struct inproc_wave *wave)
{
	enum sim_stop stop = SIM_STOP_BUDGET;
	unsigned int n;

	if (!wave->group->unit->watch.program.valid)
		return sim_wave_run(&wave->sim, SLICE);
	for (n = 0; n < WATCHED_SLICE && stop == SIM_STOP_BUDGET; n++) {
		stop = sim_wave_run(&wave->sim, 1);
		if (wave->touch.slots)
			inproc_wave_hit(wave);
	}
	return stop;
}

static enum sim_stop wave_run(struct inproc_wave *wave)
{
	enum sim_stop stop = wave_turn(wave);

	wave->ended = stop == SIM_STOP_ENDED || stop == SIM_STOP_SAVED;
	wave->halted = stop == SIM_STOP_HALTED;
	return stop;
}

static bool wave_can_run(const struct inproc_wave *wave)
{
	return !wave->ended && !wave->halted && !wave->sim.in_barrier;
}

/* when each wave that has not ended waits there */
static void group_open_barrier(struct inproc_group *group)
{
	unsigned int n;

	for (n = 0; n < group->nr; n++)
		if (!group->wave[n].ended && !group->wave[n].sim.in_barrier)
			return;
	for (n = 0; n < group->nr; n++)
		group->wave[n].sim.in_barrier = false;
}

static bool group_has_ended(const struct inproc_group *group)
{
	unsigned int n;

	for (n = 0; n < group->nr; n++)
		if (!group->wave[n].ended)
			return false;
	return true;
}

/* the next wave that can run */
static struct inproc_wave *group_next(struct inproc_group *group)
{
	unsigned int n;

	for (n = 0; n < group->nr; n++) {
		struct inproc_wave *wave = &group->wave[group->next++ % group->nr];

		if (wave_can_run(wave))
			return wave;
	}
	return NULL;
}

/** inproc_group_run() - a turn of the next wave; *failed: that cannot go on */
enum inproc_progress inproc_group_run(struct inproc_group *group, const struct sim_wave **failed)
{
	struct inproc_wave *wave = group_next(group);

	if (!wave)
		return INPROC_STUCK;
	if (wave_run(wave) == SIM_STOP_FATAL) {
		*failed = &wave->sim;
		return INPROC_FAILED;
	}
	group_open_barrier(group);
	return group_has_ended(group) ? INPROC_ENDED : INPROC_RAN;
}
