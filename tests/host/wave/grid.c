// SPDX-License-Identifier: GPL-2.0
/* Run a kernel over a grid, workgroup by workgroup, waves round robin. */
#include <stdlib.h>
#include <string.h>
#include "displace.h"

#define BUDGET		100	/* instructions per turn */
#define MAX_TURNS	100000
#define MAX_WAVES	16
#define SCRATCH_VA	0x7700000000ull
#define SCRATCH_WAVE	0x140000	/* 20 KiB a lane, more than clang assumes */

static struct sim_wave *group[MAX_WAVES];

static struct sim_wave *new_wave(const struct sim_launch *l,
				 const struct grid *g)
{
	struct sim_wave *w = malloc(sizeof(*w));

	memset(w, 0xa5, sizeof(*w));
	w->v = malloc(l->kernel->nr_vgprs * sizeof(*w->v));
	w->arch = g->arch;
	w->tba = g->tba;
	w->tma = g->tma;
	w->hw_id = 1 << 20;	/* VMID 1 */
	w->single_memop = true;
	sim_launch_wave(l, w);
	return w;
}

static bool all_at_barrier(unsigned int nr)
{
	unsigned int n;

	for (n = 0; n < nr; n++)
		if (group[n] && !group[n]->in_barrier)
			return false;
	return true;
}

static void release_barrier(unsigned int nr)
{
	unsigned int n;

	for (n = 0; n < nr; n++)
		if (group[n])
			group[n]->in_barrier = false;
}

static void end_wave(unsigned int n)
{
	free(group[n]->v);
	free(group[n]);
	group[n] = NULL;
}

/* false: the grid stops here, because of @stop */
static bool turn(struct grid *g, unsigned int n, enum sim_stop *stop)
{
	do
		*stop = displace_run(group[n], BUDGET);
	while (*stop == SIM_STOP_PAGE);
	if (*stop == SIM_STOP_ENDED)
		end_wave(n);
	if (*stop == SIM_STOP_FATAL && g->fatal)
		g->fatal(group[n], g);
	if (*stop == SIM_STOP_FATAL || (*stop == SIM_STOP_HALTED && !g->halted))
		return false;
	if (*stop == SIM_STOP_HALTED) {
		g->nr_halts++;
		g->halted(group[n], g);
	}
	return true;
}

static unsigned int nr_left(unsigned int nr)
{
	unsigned int n, left = 0;

	for (n = 0; n < nr; n++)
		left += group[n] != NULL;
	return left;
}

static enum sim_stop run_group(struct grid *g, unsigned int nr)
{
	enum sim_stop stop = SIM_STOP_ENDED;
	unsigned int n, turns = 0;

	while (nr_left(nr)) {
		if (turns++ > MAX_TURNS)
			return SIM_STOP_BUDGET;
		for (n = 0; n < nr; n++)
			if (group[n] && !turn(g, n, &stop))
				return stop;
		if (nr_left(nr) && all_at_barrier(nr))
			release_barrier(nr);
	}
	return SIM_STOP_ENDED;
}

static enum sim_stop one_group(struct grid *g, struct sim_launch *l)
{
	unsigned int nr = sim_launch_nr_waves(l), n;
	enum sim_stop stop;

	for (n = 0; n < nr; n++) {
		l->wave = n;
		l->scratch_offset = n * SCRATCH_WAVE;
		group[n] = new_wave(l, g);
	}
	stop = run_group(g, nr);
	for (n = 0; n < nr; n++)
		if (group[n])
			end_wave(n);
	return stop;
}

static u32 groups(const struct grid *g, unsigned int dim)
{
	return (g->size[dim] + g->workgroup[dim] - 1) / g->workgroup[dim];
}

static struct sim_launch prepare(const struct grid *g, const char *kernel,
				 struct sim_kernel *k)
{
	struct sim_launch l = {
		.kernel = k, .kernarg = g->kernarg,
		.dispatch_ptr = g->dispatch_ptr,
		.trap_en = g->trap_en, .ttmps = g->ttmps, .excp_en = g->excp_en, .dispatch_id = 7,
		.scratch = SCRATCH_VA, .scratch_size = MAX_WAVES * SCRATCH_WAVE,
	};
	char desc[128];

	strcat(strcpy(desc, kernel), ".kd");
	l.desc_va = elf_symbol(desc);
	memcpy(l.grid, g->size, sizeof(l.grid));
	memcpy(l.workgroup, g->workgroup, sizeof(l.workgroup));
	if (!machine_at(SCRATCH_VA, 1))
		machine_map(SCRATCH_VA, l.scratch_size);
	return l;
}

enum sim_stop grid_run(struct grid *g, const char *kernel)
{
	enum sim_stop stop = SIM_STOP_ENDED;
	struct sim_kernel k;
	struct sim_launch l = prepare(g, kernel, &k);
	u32 x, y, z;

	if (!l.desc_va ||
	    sim_kernel_parse(machine_at(l.desc_va, SIM_DESC_SIZE), g->arch, &k))
		return SIM_STOP_FATAL;
	for (z = 0; z < groups(g, 2); z++)
		for (y = 0; y < groups(g, 1); y++)
			for (x = 0; x < groups(g, 0) && stop == SIM_STOP_ENDED;
			     x++) {
				memcpy(l.wg, (u32[]){ x, y, z }, sizeof(l.wg));
				stop = one_group(g, &l);
			}
	return stop;
}
