// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "amd_compat.h"
#include "kfd_pm4_headers_ai.h"
#include "kfd_pm4_headers_aldebaran.h"

#include "compute.h"
#include "runlist.h"
#include "scheduler.h"

#define MS		1000000ull

/* of a process whose MAP_PROCESS has none, as amdkfd's have */
#define QUANTUM		10

/* what has nothing to do keeps its place so long */
#define IDLE		MS

/* ---- the list ------------------------------------------------------------ */

void runlist_clear(struct runlist *l, unsigned int limit)
{
	if (l->turns)
		log_line(l->engine->log, "hws", "%llu turns of queues",
			 (unsigned long long)l->turns);
	l->limit = limit;
	l->nr_processes = l->nr_queues = 0;
	l->turns = 0;
}

static uint64_t quantum_of(const struct runlist *l, const uint32_t *body)
{
	const struct pm4_mes_map_process_aldebaran *p = (const void *)(body - 1);
	unsigned int units = p->bitfields2.process_quantum;

	return (units ? units : QUANTUM) * l->unit_ms * MS;
}

bool runlist_add_process(struct runlist *l, const uint32_t *body, unsigned int nr)
{
	struct run_process *p = &l->process[l->nr_processes];

	if (!scheduler_process_is_whole(l->engine, nr))
		return false;
	if (nr > RUNLIST_PROCESS_WORDS || l->nr_processes == RUNLIST_PROCESSES) {
		log_fault(l->engine->log, "hws", "more than %u processes",
			  RUNLIST_PROCESSES);
		return false;
	}
	*p = (struct run_process){ .nr = nr, .quantum = quantum_of(l, body) };
	memcpy(p->body, body, nr * 4);
	l->nr_processes++;
	return true;
}

bool runlist_add_queue(struct runlist *l, const uint32_t *body)
{
	struct run_queue *q = &l->queue[l->nr_queues];

	if (!l->nr_processes)
		return false;
	if (l->nr_queues == RUNLIST_QUEUES) {
		log_fault(l->engine->log, "hws", "more than %u queues", RUNLIST_QUEUES);
		return false;
	}
	*q = (struct run_queue){ .owner = &l->process[l->nr_processes - 1] };
	memcpy(q->body, body, sizeof(q->body));
	l->nr_queues++;
	return true;
}

void runlist_drop(struct runlist *l, const uint32_t *body)
{
	unsigned int i;

	for (i = 0; i < l->nr_queues; i++) {
		struct run_queue *q = &l->queue[i];

		q->gone |= scheduler_selects(body, scheduler_doorbell(q->body),
					     scheduler_pasid(q->owner->body));
	}
	for (i = 0; i < l->nr_queues; i++)
		if (!l->queue[i].gone)
			return;
	runlist_clear(l, 0);
}

/* the engine may have taken it off for another reason */
static bool is_on(const struct run_queue *q)
{
	return q->queue && queue_is(q->queue, q->serial);
}

static bool waits(const struct run_queue *q)
{
	return !q->gone && !is_on(q);
}

bool runlist_has(const struct runlist *l, uint32_t doorbell)
{
	unsigned int i;

	for (i = 0; i < l->nr_queues; i++)
		if (waits(&l->queue[i]) &&
		    scheduler_doorbell(l->queue[i].body) == doorbell)
			return true;
	return false;
}

/* ---- onto the GPU -------------------------------------------------------- */

/* its VMID is another's if UNMAP_QUEUES has taken all its queues off */
static bool is_resident(const struct run_process *p)
{
	return p->process && p->process->mapped &&
	       p->process->vm.pasid == scheduler_pasid(p->body);
}

static unsigned int count_processes(const struct runlist *l)
{
	unsigned int i, nr = 0;

	for (i = 0; i < l->nr_processes; i++)
		nr += is_resident(&l->process[i]);
	return nr;
}

static unsigned int count_compute(const struct runlist *l)
{
	unsigned int i, nr = 0;

	for (i = 0; i < l->nr_queues; i++)
		nr += is_on(&l->queue[i]) && l->queue[i].queue->kind != QUEUE_SDMA;
	return nr;
}

static bool place_process(struct runlist *l, struct run_process *p)
{
	unsigned int nr = count_processes(l);

	if (is_resident(p))
		return true;
	if (nr && ((l->limit && nr >= l->limit) ||
		   !scheduler_has_vmid(l->engine, p->body)))
		return false;
	p->process = scheduler_map_process(l->engine, p->body, p->nr);
	p->since = clock_ns();
	return p->process;
}

static bool has_hardware_queue(const struct runlist *l, const struct run_queue *q)
{
	unsigned int nr = l->engine->hardware_queues;

	return !nr || scheduler_is_sdma(q->body) || count_compute(l) < nr;
}

static bool place_queue(struct runlist *l, struct run_queue *q)
{
	if (!has_hardware_queue(l, q) || !place_process(l, q->owner))
		return false;
	q->queue = scheduler_map_queue(l->engine, q->body, q->owner->process);
	q->since = clock_ns();
	q->gone = !q->queue;
	if (q->queue)
		q->serial = q->queue->serial;
	return !q->gone;
}

/* a process without a queue has a VMID only if there are enough */
bool runlist_start(struct runlist *l)
{
	unsigned int i, k;

	for (i = 0; i < l->nr_processes; i++) {
		struct run_process *p = &l->process[i];

		for (k = 0; k < l->nr_queues; k++)
			if (l->queue[k].owner == p)
				place_queue(l, &l->queue[k]);
	}
	for (i = 0; i < l->nr_processes; i++)
		place_process(l, &l->process[i]);
	return !l->nr_processes || count_processes(l);
}

/* ---- off the GPU --------------------------------------------------------- */

static bool has_nothing_to_do(const struct runlist *l, const struct queue *q)
{
	return q->stopped || (q->rptr == q->wptr &&
			      compute_state(l->engine->compute, q) == COMPUTE_NONE);
}

/* it was there since @since, and may go now */
static bool may_leave(uint64_t since, uint64_t quantum, bool idle)
{
	return clock_ns() - since >= (idle ? IDLE : quantum);
}

static bool process_is_idle(const struct runlist *l, const struct run_process *p)
{
	unsigned int i;

	for (i = 0; i < l->nr_queues; i++)
		if (l->queue[i].owner == p && is_on(&l->queue[i]) &&
		    !has_nothing_to_do(l, l->queue[i].queue))
			return false;
	return true;
}

static bool queue_may_leave(const struct runlist *l, const struct run_queue *q)
{
	return is_on(q) && q->queue->kind != QUEUE_SDMA &&
	       may_leave(q->since, q->owner->quantum, has_nothing_to_do(l, q->queue));
}

static void process_leaves(struct runlist *l, const struct run_process *p)
{
	unsigned int i;

	for (i = 0; i < l->nr_queues; i++)
		if (l->queue[i].owner == p && is_on(&l->queue[i]))
			l->queue[i].queue->leaving = true;
}

/* those that have no queue there any more give their VMIDs back */
static void release_processes(struct runlist *l)
{
	unsigned int i, k;

	scheduler_free_vmids(l->engine);
	for (i = 0; i < l->nr_processes; i++) {
		struct run_process *p = &l->process[i];

		for (k = 0; k < l->nr_queues; k++)
			if (l->queue[k].owner == p && is_on(&l->queue[k]))
				break;
		if (k == l->nr_queues)
			p->process = NULL;
	}
}

/* for one that has no VMID */
static void replace_process(struct runlist *l)
{
	struct run_process *oldest = NULL;
	unsigned int i;

	for (i = 0; i < l->nr_processes; i++) {
		struct run_process *p = &l->process[i];

		if (is_resident(p) && (!oldest || p->since < oldest->since) &&
		    may_leave(p->since, p->quantum, process_is_idle(l, p)))
			oldest = p;
	}
	if (!oldest)
		return;
	process_leaves(l, oldest);
	release_processes(l);
}

/* for one that has no hardware queue */
static void replace_queue(struct runlist *l)
{
	struct run_queue *oldest = NULL;
	unsigned int i;

	for (i = 0; i < l->nr_queues; i++) {
		struct run_queue *q = &l->queue[i];

		if (queue_may_leave(l, q) && (!oldest || q->since < oldest->since))
			oldest = q;
	}
	if (oldest)
		oldest->queue->leaving = true;
}

/* false: waves of some are being saved */
static bool take_off(struct runlist *l)
{
	bool left = false, all = true;
	unsigned int i;

	for (i = 0; i < l->nr_queues; i++) {
		struct run_queue *q = &l->queue[i];

		if (q->gone || !is_on(q) || !q->queue->leaving)
			continue;
		if (!scheduler_unmap_queue(l->engine, q->queue, false)) {
			all = false;
			continue;
		}
		q->queue = NULL;
		q->since = clock_ns();
		l->turns++;
		left = true;
	}
	if (left)
		release_processes(l);
	return all;
}

/* ---- turns --------------------------------------------------------------- */

static struct run_queue *find_oldest(struct runlist *l)
{
	struct run_queue *oldest = NULL;
	unsigned int i;

	for (i = 0; i < l->nr_queues; i++) {
		struct run_queue *q = &l->queue[i];

		if (waits(q) && (!oldest || q->since < oldest->since))
			oldest = q;
	}
	return oldest;
}

bool runlist_turn(struct runlist *l)
{
	struct run_queue *next = find_oldest(l);
	bool off;

	l->engine->in_turn = true;
	while ((off = take_off(l)) && next && place_queue(l, next))
		next = find_oldest(l);
	l->engine->in_turn = false;
	if (!next || !off)
		return next || !off;
	if (has_hardware_queue(l, next))
		replace_process(l);
	else
		replace_queue(l);
	return true;
}
