// SPDX-License-Identifier: GPL-2.0
#include "isa/gfx9/regs.h"

#include "save.h"

/* the second word of amdkfd's handler jumps to what restores a wave */
#define RESTORE_ENTRY		4

/* EXEC is the address of the record, and this */
#define EXEC_FIRST_WAVE		(1ull << 58)

bool save_is_possible(const struct dispatch *d)
{
	return d->area.base && d->tba && d->launch.trap_en;
}

bool save_is_refused(const struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr_waves; i++)
		if (group->wave[i] && sim_wave_halts_at_end(&group->wave[i]->sim))
			return true;
	return false;
}

void save_ask(struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr_waves; i++) {
		struct wave *wave = group->wave[i];

		if (!wave)
			continue;
		wave->save = SAVE_ASKED;
		wave->halted = false;
		wave->sim.trapsts |= TRAPSTS_SAVECTX;
	}
}

static bool waves_are(const struct group *group, enum wave_save save)
{
	unsigned int i;

	for (i = 0; i < group->nr_waves; i++)
		if (group->wave[i] && group->wave[i]->save != save)
			return false;
	return true;
}

bool save_is_ready(const struct group *group)
{
	return waves_are(group, SAVE_READY);
}

bool save_is_done(const struct group *group)
{
	return waves_are(group, SAVE_DONE);
}

static void set_exec(struct wave *wave, uint64_t value)
{
	wave->sim.s[GFX9_SRC_EXEC] = value;
	wave->sim.s[GFX9_SRC_EXEC + 1] = value >> 32;
}

static bool place_wave(struct wave *wave, const struct save_shape *shape,
		       bool first, bool last)
{
	const struct save_wave saved = {
		.first = first, .last = last, .scratch = wave->scratch,
	};
	struct dispatch *d = wave->group->dispatch;
	uint64_t record = save_record(&d->area, shape, first);

	if (!record || !save_push_wave(&d->area, &d->compute->access, &saved))
		return false;
	set_exec(wave, record | (first ? EXEC_FIRST_WAVE : 0));
	wave->save = SAVE_GOES;
	return true;
}

static struct save_shape shape_of(const struct dispatch *d)
{
	return (struct save_shape){
		.nr_vgprs = d->kernel.nr_vgprs,
		.acc_offset = d->kernel.acc_offset,
		.nr_sgprs = GROUP_NR_SGPRS,
		.lds_bytes = (d->kernel.lds_size + SIM_LDS_BLOCK - 1) &
			     ~(SIM_LDS_BLOCK - 1u),
	};
}

/* the first wave at the top, with LDS */
bool save_place(struct group *group)
{
	struct dispatch *d = group->dispatch;
	struct save_shape shape = shape_of(d);
	unsigned int i, left = group_waves(group), nr = left;

	for (i = group->nr_waves; i--;) {
		if (!group->wave[i])
			continue;
		if (!place_wave(group->wave[i], &shape, left == 1, left == nr))
			return false;
		left--;
	}
	return save_push_shape(&d->area, &d->compute->access, &shape);
}

/* ---- restore ------------------------------------------------------------- */

static void wave_restart(struct wave *wave, const struct save_shape *shape,
			 uint64_t exec)
{
	const struct group *group = wave->group;
	struct sim_wave *sim = &wave->sim;

	sim->nr_vgprs = shape->nr_vgprs;
	sim->acc_offset = shape->acc_offset;
	sim->gpr_alloc = sim_gpr_alloc(sim->arch, shape->nr_vgprs,
				       shape->acc_offset, shape->nr_sgprs);
	sim->lds_alloc = shape->lds_bytes / SIM_LDS_BLOCK * 2 << 12;
	sim->status = STATUS_VALID | STATUS_TRAP_EN | STATUS_PRIV;
	sim->skid_state = (uint32_t)exec | 1;
	sim_set_pc(sim, group->dispatch->tba + RESTORE_ENTRY);
	set_exec(wave, exec);
}

static bool restore_wave(struct group *group, const struct save_shape *shape,
			 struct save_wave *saved)
{
	struct dispatch *d = group->dispatch;
	uint64_t record = save_pop_wave(&d->area, &d->compute->access, shape, saved);
	struct wave *wave;

	if (!record || (d->kernel.private_size && saved->scratch >= d->scratch_waves))
		return false;
	wave = wave_create(group, shape->nr_vgprs);
	if (!wave)
		return false;
	group->wave[group->nr_waves++] = wave;
	wave->scratch = d->kernel.private_size ? saved->scratch : 0;
	wave_restart(wave, shape, record | (saved->first ? EXEC_FIRST_WAVE : 0));
	return true;
}

/* how many waves it has is known when all were seen */
static void set_in_group(struct group *group)
{
	unsigned int i;

	for (i = 0; group->nr_waves > 1 && i < group->nr_waves; i++)
		group->wave[i]->sim.status |= STATUS_IN_TG;
}

static bool restore_waves(struct group *group)
{
	struct dispatch *d = group->dispatch;
	struct save_wave saved = { 0 };
	struct save_shape shape;

	if (!save_pop_shape(&d->area, &d->compute->access, &shape) ||
	    shape.nr_vgprs > SIM_NR_VGPRS || !shape.nr_sgprs)
		return false;
	while (!saved.last)
		if (group->nr_waves == GROUP_MAX_WAVES ||
		    !restore_wave(group, &shape, &saved) ||
		    saved.first != (group->nr_waves == 1))
			return false;
	set_in_group(group);
	return true;
}

struct group *save_restore(struct dispatch *d)
{
	struct group *group = group_create(d, 0);

	if (!group)
		return NULL;
	if (!restore_waves(group)) {
		group_free(group);
		return NULL;
	}
	d->compute->restored += group->nr_waves;
	return group;
}
