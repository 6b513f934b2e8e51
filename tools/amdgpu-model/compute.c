// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gc/gc_9_4_2_sh_mask.h"

#include "executor.h"
#include "field.h"

/* instructions of a wave before the next one's turn; waves of a compute_run(), by thread */
#define WAVE_INSTS	250
#define RUN_WAVES	16

/*
 * ROCr's amd_queue_t around the read index that the packet processor reports to: what
 * of it concerns private memory
 */
struct amd_queue {
	uint8_t other[128];
	uint64_t read_index;
	uint32_t read_index_offset;
	uint32_t tmpring_size;
	uint32_t scratch_descriptor[4];
	uint64_t scratch;
	uint64_t scratch_size;
	uint32_t scratch_lane_size;
};

bool compute_init(struct compute *c, const struct personality *personality,
		  unsigned int nr_threads)
{
	unsigned int nr = personality->nr_se * personality->nr_cu;

	pthread_mutex_init(&c->shared, NULL);
	c->executors = executors_create(&c->access, nr_threads);
	c->arch = personality->arch;
	c->granule = personality->granule;
	c->nr_cu = personality->nr_cu;
	c->nr_units = nr < COMPUTE_UNITS ? nr : COMPUTE_UNITS;
	/* units of waves that come back are not those of the first ones */
	c->place = c->nr_units / 2;
	return c->executors;
}

void compute_exit(struct compute *c)
{
	compute_reset(c);
	executors_destroy(c->executors);
	pthread_mutex_destroy(&c->shared);
}

void compute_invalidate_code(struct compute *c)
{
	executors_invalidate(c->executors);
}

/* ---- dispatches ---------------------------------------------------------- */

struct dispatch **dispatch_find(struct compute *c, const struct queue *queue)
{
	unsigned int i;

	for (i = 0; i < COMPUTE_DISPATCHES; i++) {
		const struct dispatch *d = c->dispatch[i];

		if (d && d->vm.root == queue->vm.root &&
		    d->vm.pasid == queue->vm.pasid && d->base == queue->base)
			return &c->dispatch[i];
	}
	return NULL;
}

/* there is room again where it was */
void unit_free(struct compute *c, unsigned int unit)
{
	group_free(c->group[unit]);
	c->group[unit] = NULL;
	c->full = false;
}

static void free_groups(struct dispatch *d)
{
	struct compute *c = d->compute;
	unsigned int i;

	for (i = 0; i < c->nr_units; i++)
		if (c->group[i] && c->group[i]->dispatch == d)
			unit_free(c, i);
	while (d->parked) {
		struct group *group = d->parked;

		d->parked = group->next;
		group_free(group);
	}
	d->nr_groups = d->nr_saved = 0;
}

void dispatch_free(struct dispatch **at)
{
	free_groups(*at);
	free(*at);
	*at = NULL;
}

void compute_reset(struct compute *c)
{
	unsigned int i;

	for (i = 0; i < COMPUTE_DISPATCHES; i++)
		if (c->dispatch[i])
			dispatch_free(&c->dispatch[i]);
}

enum compute_state compute_state(struct compute *c, const struct queue *queue)
{
	struct dispatch **at = dispatch_find(c, queue);

	return at ? (*at)->state : COMPUTE_NONE;
}

/* a free place; that of a queue that was taken off, if need be: it may be gone */
static struct dispatch **place_find(struct compute *c)
{
	struct dispatch **off = NULL;
	unsigned int i;

	for (i = 0; i < COMPUTE_DISPATCHES; i++) {
		if (!c->dispatch[i])
			return &c->dispatch[i];
		if (c->dispatch[i]->off)
			off = &c->dispatch[i];
	}
	if (off)
		dispatch_free(off);
	return off;
}

static bool sizes_are_right(const struct compute_packet *p)
{
	uint64_t items = (uint64_t)p->workgroup[0] * p->workgroup[1] * p->workgroup[2];

	return items && items <= GROUP_MAX_WAVES * SIM_LANES && p->grid[0] &&
	       p->grid[1] && p->grid[2];
}

/* private memory, as ROCr has given it to the queue */
static enum compute_begun scratch_init(struct dispatch *d, const struct queue *queue)
{
	uint64_t at = queue->rptr_addr - offsetof(struct amd_queue, read_index);
	struct engine *e = d->compute->engine;
	struct amd_queue amd;
	uint64_t bytes;

	d->launch.queue_ptr = at;
	if (!d->kernel.private_size)
		return BEGUN;
	if (!vm_read(e->access, &queue->vm, at, &amd, sizeof(amd)))
		return BEGUN_FAULT;
	bytes = dispatch_scratch_bytes(d);
	d->launch.scratch = amd.scratch;
	d->launch.scratch_size = amd.scratch_size;
	d->scratch_waves = amd.scratch_size / bytes < SCRATCH_MAX_WAVES ?
			   amd.scratch_size / bytes : SCRATCH_MAX_WAVES;
	/* for one workgroup at least */
	return d->scratch_waves >= sim_launch_nr_waves(&d->launch) &&
	       d->kernel.private_size <= amd.scratch_lane_size ? BEGUN : BEGUN_SCRATCH;
}

/* what the process's VMID has: the debugger's wishes for new waves */
static void launch_follow(struct dispatch *d)
{
	const struct registers *regs = d->compute->engine->regs;
	uint32_t debug = reg_get_of_vmid(regs, R_GC_SPI_GDBG_PER_VMID_CNTL, d->vm.vmid);

	/* RSRC2.TRAP_PRESENT is what the firmware makes of it */
	d->launch.trap_en = d->tba;
	d->launch.ttmps = FIELD_GET(debug, SPI_GDBG_PER_VMID_CNTL, TRAP_EN);
	d->launch.excp_en = FIELD_GET(debug, SPI_GDBG_PER_VMID_CNTL, EXCP_EN);
	d->launch.excp_replace = FIELD_GET(debug, SPI_GDBG_PER_VMID_CNTL, EXCP_REPLACE);
}

void dispatch_follow(struct dispatch *d, const struct queue *queue)
{
	const struct process *p = &d->compute->engine->process[queue->vm.vmid];

	d->vm = queue->vm;
	d->doorbell = DOORBELL_NUMBER(queue->doorbell);
	d->tba = p->tba;
	d->tma = p->tma;
	d->single_memop = p->single_memop;
	launch_follow(d);
}

static void launch_init(struct dispatch *d, const struct queue *queue, uint64_t at,
			const struct compute_packet *p)
{
	d->launch = (struct sim_launch){
		.kernel = &d->kernel,
		.desc_va = p->object,
		.kernarg = p->kernarg,
		.dispatch_ptr = at,
		.dispatch_id = queue->rptr,
		.grid = { p->grid[0], p->grid[1], p->grid[2] },
		.workgroup = { p->workgroup[0], p->workgroup[1], p->workgroup[2] },
	};
}

/* why a dispatch is refused, NULL: it is not */
static const char *kernel_init(struct dispatch *d, const struct compute_packet *p,
			       const uint8_t *descriptor)
{
	if (!sizes_are_right(p))
		return "a dispatch of no, or too many, work-items";
	if (sim_kernel_parse(descriptor, d->compute->arch, &d->kernel))
		return "a kernel descriptor that this GPU cannot execute";
	if (p->group_size > SIM_LDS_SIZE || p->private_size > SIM_PRIVATE_SIZE)
		return "a dispatch that needs too much LDS or private memory";
	if (d->kernel.lds_size < p->group_size)
		d->kernel.lds_size = p->group_size;
	if (d->kernel.private_size < p->private_size)
		d->kernel.private_size = p->private_size;
	return NULL;
}

static enum compute_begun dispatch_init(struct dispatch *d, const struct queue *queue,
					uint64_t at, const struct compute_packet *packet,
					const char **why)
{
	uint8_t descriptor[SIM_DESC_SIZE];

	d->base = queue->base;
	d->packet = queue->rptr;
	d->state = COMPUTE_RUNS;
	d->started = clock_ticks();
	d->area = queue->area;
	launch_init(d, queue, at, packet);
	dispatch_follow(d, queue);
	if (!vm_read(d->compute->engine->access, &queue->vm, packet->object, descriptor,
		     sizeof(descriptor)))
		return BEGUN_FAULT;
	*why = kernel_init(d, packet, descriptor);
	if (*why)
		return BEGUN_REFUSED;
	return scratch_init(d, queue);
}

enum compute_begun compute_begin(struct compute *c, const struct queue *queue,
				 uint64_t at, const struct compute_packet *packet,
				 const char **why)
{
	struct dispatch **place = place_find(c), *d;
	enum compute_begun begun;

	*why = "more dispatches at a time than are modelled";
	d = place ? calloc(1, sizeof(*d)) : NULL;
	if (!d)
		return BEGUN_REFUSED;
	d->compute = c;
	begun = dispatch_init(d, queue, at, packet, why);
	if (begun != BEGUN) {
		free(d);
		return begun;
	}
	*place = d;
	if (COMPUTE_ACQUIRES(packet->header))
		compute_invalidate_code(c);
	return begun;
}

uint64_t compute_started(struct compute *c, const struct queue *queue)
{
	struct dispatch **at = dispatch_find(c, queue);

	return at ? (*at)->started : clock_ticks();
}

const char *compute_end(struct compute *c, const struct queue *queue)
{
	struct dispatch **at = dispatch_find(c, queue);
	static char why[sizeof((*at)->why)];
	bool failed;

	if (!at)
		return NULL;
	failed = (*at)->state == COMPUTE_FAILED;
	memcpy(why, (*at)->why, sizeof(why));
	dispatch_free(at);
	return failed ? why : NULL;
}

/* ---- execution ----------------------------------------------------------- */

/* the coordinates of the next workgroup */
static void launch_advance(struct dispatch *d)
{
	struct sim_launch *l = &d->launch;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		uint64_t next = (uint64_t)++l->wg[i] * l->workgroup[i];

		if (next < l->grid[i])
			return;
		l->wg[i] = 0;
	}
	d->launched = true;
}

static bool is_stalled(const struct dispatch *d)
{
	uint32_t debug = reg_get_of_vmid(d->compute->engine->regs,
					 R_GC_SPI_GDBG_PER_VMID_CNTL, d->vm.vmid);

	return FIELD_GET(debug, SPI_GDBG_PER_VMID_CNTL, STALL_VMID);
}

static bool can_launch(const struct dispatch *d)
{
	return d && d->state == COMPUTE_RUNS && !d->off && !d->saving &&
	       !d->launched && !is_stalled(d);
}

/* the next dispatch that has workgroups to launch, those before had theirs */
static struct dispatch *next_to_launch(struct compute *c, unsigned int *at)
{
	unsigned int i;

	for (i = 0; i < COMPUTE_DISPATCHES; i++) {
		*at = (*at + 1) % COMPUTE_DISPATCHES;
		if (can_launch(c->dispatch[*at]))
			return c->dispatch[*at];
	}
	return NULL;
}

/* those that were there before come first */
static void launch_groups(struct compute *c)
{
	unsigned int i, at = COMPUTE_DISPATCHES - 1;
	struct dispatch *d;

	for (i = 0; i < COMPUTE_DISPATCHES; i++)
		if (c->dispatch[i])
			place_groups(c->dispatch[i]);
	for (i = 0; i < c->nr_units && !c->full; i++) {
		struct group *group;

		if (c->group[i])
			continue;
		d = next_to_launch(c, &at);
		if (!d)
			break;
		group = group_launch(d);
		c->full = !group;
		if (!group)
			break;
		d->nr_groups++;
		launch_advance(d);
		c->group[i] = group;
		group_enter(group, i);
	}
}

static void kick_queue(struct dispatch *d)
{
	struct engine *e = d->compute->engine;
	unsigned int i;

	for (i = 0; i < MODEL_MAX_QUEUES; i++)
		if (e->queue[i].kind == QUEUE_AQL && e->queue[i].base == d->base &&
		    e->queue[i].vm.root == d->vm.root)
			e->queue[i].kicked = true;
}

void dispatch_fail(struct dispatch *d, const char *why)
{
	snprintf(d->why, sizeof(d->why), "%s", why);
	d->state = COMPUTE_FAILED;
	free_groups(d);
	kick_queue(d);
}

/* a workgroup that has no waves left is gone, and with the last one the dispatch */
void unit_clean(struct compute *c, unsigned int unit)
{
	struct dispatch *d = c->group[unit]->dispatch;

	if (d->state == COMPUTE_RUNS && group_waves(c->group[unit]))
		return;
	unit_free(c, unit);
	d->nr_groups--;
	if (d->state == COMPUTE_FAILED)
		free_groups(d);
	else if (d->launched && !d->nr_groups)
		d->state = COMPUTE_ENDED;
	if (d->state != COMPUTE_RUNS)
		kick_queue(d);
}

static bool unit_can_run(const struct compute *c, unsigned int unit)
{
	return c->group[unit] && group_can_run(c->group[unit]);
}

bool compute_can_run(const struct compute *c)
{
	unsigned int i, nr_free = 0;

	for (i = 0; i < c->nr_units; i++) {
		if (unit_can_run(c, i))
			return true;
		nr_free += !c->group[i];
	}
	for (i = 0; i < COMPUTE_DISPATCHES && nr_free && !c->full; i++) {
		const struct dispatch *d = c->dispatch[i];

		if (can_launch(d) || (d && dispatch_waits(d)))
			return true;
	}
	return false;
}

/* units that have their turn, and their workgroups; how many */
static unsigned int take_turns(struct compute *c, unsigned int *unit, struct group **group)
{
	unsigned int i, nr = 0, waves = 0, most = RUN_WAVES * executors_nr(c->executors);

	for (i = 0; i < c->nr_units && waves < most; i++) {
		unsigned int next = c->next;

		c->next = (next + 1) % c->nr_units;
		if (!unit_can_run(c, next))
			continue;
		waves += group_waves(c->group[next]);
		unit[nr] = next;
		group[nr++] = c->group[next];
	}
	return nr;
}

void compute_run(struct compute *c)
{
	struct group *group[COMPUTE_UNITS];
	unsigned int unit[COMPUTE_UNITS], nr, i;

	executors_forget(c->executors);
	launch_groups(c);
	nr = take_turns(c, unit, group);
	executors_run(c->executors, group, nr, WAVE_INSTS);
	/* a dispatch that fails loses all of them */
	for (i = 0; i < nr; i++)
		if (c->group[unit[i]])
			unit_clean(c, unit[i]);
}
