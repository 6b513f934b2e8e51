// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "gc/gc_9_4_2_offset.h"
#include "gc/gc_9_4_2_sh_mask.h"
#include "isa/gfx9/regs.h"

#include "field.h"
#include "group.h"

#define SIM_TTMPS	108	/* of sim_wave.s */

/* instructions until a wave traps for a comparator, without SINGLE_MEMOP */
#define MAX_SKID	4

struct dispatch *dispatch_of(const struct sim_wave *sim)
{
	return container_of(sim, struct wave, sim)->group->dispatch;
}

static struct wave *wave_of_view(const struct sq_view *view)
{
	return container_of(view, struct wave, view);
}

/* ---- what SQ has of a wave ----------------------------------------------- */

static uint32_t read_code(const struct wave *wave, uint64_t va)
{
	struct dispatch *d = wave->group->dispatch;
	uint32_t word;

	vm_read32(&d->compute->access, &d->vm, va, &word);
	return word;
}

static uint32_t wave_word(const struct wave *wave, unsigned int index)
{
	const struct sim_wave *sim = &wave->sim;

	switch (index) {
	case ixSQ_WAVE_MODE:		return sim->mode;
	case ixSQ_WAVE_STATUS:		return sim->status;
	case ixSQ_WAVE_TRAPSTS:		return sim->trapsts;
	case ixSQ_WAVE_HW_ID:		return sim->hw_id;
	case ixSQ_WAVE_GPR_ALLOC:	return sim->gpr_alloc;
	case ixSQ_WAVE_LDS_ALLOC:	return sim->lds_alloc;
	case ixSQ_WAVE_IB_STS:		return sim->ib_sts;
	case ixSQ_WAVE_PC_LO:		return sim->pc;
	case ixSQ_WAVE_PC_HI:		return sim->pc >> 32;
	case ixSQ_WAVE_INST_DW0:	return read_code(wave, sim->pc);
	case ixSQ_WAVE_INST_DW1:	return read_code(wave, sim->pc + 4);
	case ixSQ_WAVE_EXEC_LO:		return sim->s[GFX9_SRC_EXEC];
	case ixSQ_WAVE_EXEC_HI:		return sim->s[GFX9_SRC_EXEC + 1];
	default:			return 0;
	}
}

static uint32_t wave_read(const struct sq_view *view, unsigned int index,
			  unsigned int lane)
{
	const struct wave *wave = wave_of_view(view);
	const struct sim_wave *sim = &wave->sim;

	if (index >= SQ_INDEX_VGPR)
		return index - SQ_INDEX_VGPR < sim->nr_vgprs ?
		       sim->v[index - SQ_INDEX_VGPR][lane % SIM_LANES] : 0;
	if (index == SQ_INDEX_M0)
		return sim->s[GFX9_SRC_M0];
	if (index >= SQ_INDEX_TTMP && index < SQ_INDEX_TTMP + SQ_NR_TTMPS)
		return sim->s[SIM_TTMPS + index - SQ_INDEX_TTMP];
	if (index >= SQ_INDEX_SGPR && index < SQ_INDEX_SGPR + SQ_NR_SGPRS)
		return sim->s[index - SQ_INDEX_SGPR];
	return wave_word(wave, index);
}

static bool wave_halt(struct sq_view *view, bool halt)
{
	struct wave *wave = wave_of_view(view);
	bool was = wave->sim.status & STATUS_HALT;

	if (halt)
		wave->sim.status |= STATUS_HALT;
	else
		wave->sim.status &= ~STATUS_HALT;
	wave->halted = false;
	return was && !halt;
}

/* ---- waves --------------------------------------------------------------- */

/* a wave's part of the private memory; false: none is free */
static bool scratch_take(struct dispatch *d, unsigned int *part)
{
	*part = 0;
	if (!d->kernel.private_size)
		return true;
	while (*part < d->scratch_waves && d->scratch_used[*part])
		++*part;
	if (*part == d->scratch_waves)
		return false;
	d->scratch_used[*part] = true;
	return true;
}

static void wave_free(struct wave *wave)
{
	struct dispatch *d = wave->group->dispatch;

	sq_hide(d->compute->sq, &wave->view);
	/* a wave in memory keeps its private memory */
	if (wave->save != SAVE_DONE)
		d->scratch_used[wave->scratch] = false;
	d->compute->insts += wave->sim.nr_insts;
	free(wave->sim.v);
	free(wave);
}

uint64_t dispatch_scratch_bytes(const struct dispatch *d)
{
	return (d->kernel.private_size * (uint64_t)SIM_LANES + 1023) & ~1023ull;
}

struct wave *wave_create(struct group *group, uint32_t nr_vgprs)
{
	struct wave *wave = calloc(1, sizeof(*wave));

	if (wave)
		wave->sim.v = calloc(nr_vgprs, sizeof(*wave->sim.v));
	if (!wave || !wave->sim.v) {
		free(wave);
		return NULL;
	}
	wave->group = group;
	wave->view = (struct sq_view){
		.vm = &group->dispatch->vm, .read = wave_read, .halt = wave_halt,
	};
	wave->sim.arch = group->dispatch->compute->arch;
	wave->sim.max_skid = MAX_SKID;
	return wave;
}

static struct wave *wave_launch(struct group *group, unsigned int nr)
{
	struct dispatch *d = group->dispatch;
	struct wave *wave = wave_create(group, d->kernel.nr_vgprs);

	if (!wave || !scratch_take(d, &wave->scratch)) {
		if (wave)
			free(wave->sim.v);
		free(wave);
		return NULL;
	}
	d->launch.wave = nr;
	d->launch.scratch_offset = wave->scratch * dispatch_scratch_bytes(d);
	sim_launch_wave(&d->launch, &wave->sim);
	/* more than the kernel wants, as operands are numbers here: VCC is s106 */
	wave->sim.gpr_alloc = sim_gpr_alloc(wave->sim.arch, d->kernel.nr_vgprs,
					    d->kernel.acc_offset, GROUP_NR_SGPRS);
	return wave;
}

/* with what the scheduler has given to the process, perhaps not what it had before */
static void wave_enter(struct wave *wave, unsigned int nr)
{
	const struct group *group = wave->group;
	const struct dispatch *d = group->dispatch;
	struct compute *c = d->compute;

	wave->view.place = (struct sq_place){
		.se = group->unit / c->nr_cu, .cu = group->unit % c->nr_cu,
		.simd = nr % GROUP_SIMDS, .slot = nr / GROUP_SIMDS,
	};
	wave->sim.tba = d->tba;
	wave->sim.tma = d->tma;
	wave->sim.single_memop = d->single_memop;
	wave->sim.hw_id = sq_hw_id(&wave->view.place, d->vm.vmid);
	sq_show(c->sq, &wave->view);
}

/* ---- workgroups ---------------------------------------------------------- */

void group_enter(struct group *group, unsigned int unit)
{
	unsigned int i;

	group->unit = unit;
	for (i = 0; i < group->nr_waves; i++)
		if (group->wave[i])
			wave_enter(group->wave[i], i);
}

void group_leave(struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr_waves; i++)
		if (group->wave[i])
			sq_hide(group->dispatch->compute->sq, &group->wave[i]->view);
}

static bool launch_waves(struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr_waves; i++) {
		group->wave[i] = wave_launch(group, i);
		if (!group->wave[i])
			return false;
	}
	return true;
}

struct group *group_create(struct dispatch *d, unsigned int nr_waves)
{
	struct group *group = calloc(1, sizeof(*group));

	if (!group)
		return NULL;
	group->dispatch = d;
	group->nr_waves = nr_waves;
	group->lds_size = d->kernel.lds_size;
	if (group->lds_size)
		group->lds = calloc(1, group->lds_size);
	if (!group->lds_size || group->lds)
		return group;
	free(group);
	return NULL;
}

struct group *group_launch(struct dispatch *d)
{
	struct group *group = group_create(d, sim_launch_nr_waves(&d->launch));

	if (!group)
		return NULL;
	if (!launch_waves(group)) {
		group_free(group);
		return NULL;
	}
	d->compute->waves += group->nr_waves;
	return group;
}

void group_free(struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr_waves; i++)
		if (group->wave[i])
			wave_free(group->wave[i]);
	free(group->lds);
	free(group);
}

unsigned int group_waves(const struct group *group)
{
	unsigned int i, nr = 0;

	for (i = 0; i < group->nr_waves; i++)
		nr += group->wave[i] != NULL;
	return nr;
}

/* ---- execution ----------------------------------------------------------- */

/* ADDR_H, ADDR_L and CNTL of a comparator follow each other */
static void read_comparators(struct group *group)
{
	const struct dispatch *d = group->dispatch;
	const struct registers *regs = d->compute->engine->regs;
	unsigned int i;

	group->valid = 0;
	for (i = 0; i < MODEL_NR_WATCHES; i++) {
		enum model_register first = R_GC_TCP_WATCH0_ADDR_H + 3 * i;
		uint32_t cntl = reg_get_of_vmid(regs, first + 2, d->vm.vmid);

		if (!FIELD_GET(cntl, TCP_WATCH0_CNTL, VALID))
			continue;
		group->valid |= 1u << i;
		sim_comparator_read(&group->comparator[i], d->compute->granule,
				    reg_get(regs, first), reg_get(regs, first + 1),
				    cntl);
	}
}

static void wave_failed(struct wave *wave)
{
	struct dispatch *d = wave->group->dispatch;
	const struct sim_wave *sim = &wave->sim;

	d->state = COMPUTE_FAILED;
	snprintf(d->why, sizeof(d->why),
		 "a wave has no trap handler for pc 0x%llx: TRAPSTS 0x%x, trap %u, address 0x%llx",
		 (unsigned long long)sim->pc, sim->fatal_trapsts,
		 sim->fatal_trap_id, (unsigned long long)sim->fatal_addr);
}

/* one that is to be saved does not wait at a barrier any more */
static bool wave_can_run(const struct wave *wave)
{
	if (!wave || wave->ended || wave->save == SAVE_READY || wave->save == SAVE_DONE)
		return false;
	return wave->save == SAVE_ASKED ||
	       (!wave->halted && !wave->sim.in_barrier);
}

static void wave_run(struct group *group, unsigned int nr, unsigned int insts)
{
	struct wave *wave = group->wave[nr];

	switch (sim_wave_run(&wave->sim, insts)) {
	case SIM_STOP_ENDED:
		wave->ended = true;
		break;
	case SIM_STOP_SAVED:
		wave->save = SAVE_DONE;
		break;
	case SIM_STOP_HALTED:
		wave->halted = true;
		break;
	case SIM_STOP_FATAL:
		group->failed = wave;
		break;
	default:
		break;
	}
}

/* it is open when each wave that has not ended, nor is saved, waits there */
static void open_barrier(struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr_waves; i++)
		if (group->wave[i] && !group->wave[i]->ended &&
		    group->wave[i]->save != SAVE_DONE &&
		    !group->wave[i]->sim.in_barrier)
			return;
	for (i = 0; i < group->nr_waves; i++)
		if (group->wave[i])
			group->wave[i]->sim.in_barrier = false;
}

bool group_can_run(const struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr_waves; i++)
		if (wave_can_run(group->wave[i]))
			return true;
	return false;
}

void group_execute(struct group *group, struct executor *executor, unsigned int insts)
{
	unsigned int i;

	group->executor = executor;
	read_comparators(group);
	for (i = 0; i < group->nr_waves && !group->failed; i++)
		if (wave_can_run(group->wave[i]))
			wave_run(group, i, insts);
	open_barrier(group);
}

void group_reap(struct group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr_waves; i++) {
		if (!group->wave[i] || !group->wave[i]->ended)
			continue;
		wave_free(group->wave[i]);
		group->wave[i] = NULL;
	}
	if (group->failed && group->dispatch->state == COMPUTE_RUNS)
		wave_failed(group->failed);
}
