// SPDX-License-Identifier: GPL-2.0
/* Which workgroups have units, while queues come and go (compute.h). */
#include <string.h>

#include "executor.h"
#include "save.h"

/* so long a queue that is taken off has before the packet is looked at again later */
#define SAVE_ROUNDS	256
#define SAVE_INSTS	250

/* ---- workgroups that had a unit before ----------------------------------- */

bool dispatch_waits(const struct dispatch *d)
{
	return !d->off && !d->saving && d->state == COMPUTE_RUNS &&
	       (d->parked || d->nr_saved);
}

/* a unit, behind the one that was found last; false: none is free */
static bool find_unit(struct compute *c, unsigned int *unit)
{
	unsigned int i;

	for (i = 0; i < c->nr_units; i++) {
		*unit = c->place = (c->place + 1) % c->nr_units;
		if (!c->group[*unit])
			return true;
	}
	return false;
}

static struct group *take_parked(struct dispatch *d)
{
	struct group *group = d->parked;

	d->parked = group->next;
	return group;
}

static struct group *take_saved(struct dispatch *d)
{
	struct group *group = save_restore(d);

	if (group) {
		d->nr_saved--;
		return group;
	}
	dispatch_fail(d, "the control stack is not that of its waves");
	return NULL;
}

/* what has no unit is tried again when a workgroup has ended */
void place_groups(struct dispatch *d)
{
	struct compute *c = d->compute;
	struct group *group;
	unsigned int unit;

	while (dispatch_waits(d)) {
		c->full = !find_unit(c, &unit);
		if (c->full)
			return;
		group = d->parked ? take_parked(d) : take_saved(d);
		if (!group)
			return;
		c->group[unit] = group;
		group_enter(group, unit);
	}
}

/* ---- a queue is taken off ------------------------------------------------ */

/* the next unit with a workgroup of @d, from *@unit on */
static struct group *next_group(const struct dispatch *d, unsigned int *unit)
{
	const struct compute *c = d->compute;

	for (; *unit < c->nr_units; ++*unit)
		if (c->group[*unit] && c->group[*unit]->dispatch == d)
			return c->group[*unit];
	return NULL;
}

static unsigned int count_waves(const struct dispatch *d)
{
	const struct group *group;
	unsigned int unit, nr = 0;

	for (unit = 0; (group = next_group(d, &unit)); unit++)
		nr += group_waves(group);
	return nr;
}

static void save_begin(struct dispatch *d)
{
	struct group *group;
	unsigned int unit;

	d->saving = true;
	for (unit = 0; (group = next_group(d, &unit)); unit++)
		save_ask(group);
}

static bool all_are_ready(const struct dispatch *d)
{
	const struct group *group;
	unsigned int unit;

	for (unit = 0; (group = next_group(d, &unit)); unit++)
		if (!save_is_ready(group))
			return false;
	return true;
}

static void place_all(struct dispatch *d)
{
	struct group *group;
	unsigned int unit;

	for (unit = 0; (group = next_group(d, &unit)); unit++) {
		if (save_place(group))
			continue;
		log_fault(d->compute->log, "save",
			  "doorbell 0x%x: a context save area of 0x%x bytes, control stack 0x%x, is too small",
			  d->doorbell, d->area.size, d->area.stack_size);
		dispatch_fail(d, "its waves cannot be saved");
		return;
	}
}

/* a few instructions of each wave */
static void save_round(struct dispatch *d)
{
	struct compute *c = d->compute;
	struct group *group;
	unsigned int unit;

	for (unit = 0; (group = next_group(d, &unit)); unit++) {
		executors_run(c->executors, &group, 1, SAVE_INSTS);
		if (d->state == COMPUTE_RUNS && group_waves(group) && save_is_done(group)) {
			c->saved += group_waves(group);
			d->nr_saved++;
			unit_free(c, unit);
		} else {
			unit_clean(c, unit);
		}
	}
	if (d->state == COMPUTE_RUNS && all_are_ready(d))
		place_all(d);
}

static void save_end(struct dispatch *d)
{
	struct compute *c = d->compute;

	d->saving = false;
	if (d->state != COMPUTE_RUNS)
		save_area_clear(&d->area);
	if (save_area_is_empty(&d->area))
		return;
	if (!save_push_header(&d->area, &c->access))
		log_fault(c->log, "save", "doorbell 0x%x: no control stack", d->doorbell);
	log_line(c->log, "save",
		 "doorbell 0x%x: %u workgroups are saved, %u bytes and a control stack of %u",
		 d->doorbell, d->nr_saved, d->area.state_offset - d->area.stack_size,
		 d->area.stack_size - d->area.stack_offset);
}

static bool any_is_refused(const struct dispatch *d)
{
	const struct group *group;
	unsigned int unit;

	for (unit = 0; (group = next_group(d, &unit)); unit++)
		if (save_is_refused(group))
			return true;
	return false;
}

static void log_unsaved(const struct dispatch *d)
{
	struct log *log = d->compute->log;

	if (any_is_refused(d))
		log_fault(log, "save", "doorbell 0x%x: a wave is halted at s_endpgm",
			  d->doorbell);
	else
		log_line(log, "save", "doorbell 0x%x: %u waves are not saved yet",
			 d->doorbell, count_waves(d));
}

/* false: some waves do not come out of their handlers yet */
static bool dispatch_save(struct dispatch *d)
{
	struct compute *c = d->compute;
	bool begins = !d->saving;
	unsigned int round;

	executors_forget(c->executors);
	if (begins)
		save_begin(d);
	for (round = 0; round < SAVE_ROUNDS && count_waves(d); round++)
		save_round(d);
	if (!count_waves(d)) {
		save_end(d);
		return true;
	}
	if (begins)
		log_unsaved(d);
	return false;
}

static void dispatch_park(struct dispatch *d)
{
	struct compute *c = d->compute;
	struct group *group;
	unsigned int unit;

	for (unit = 0; (group = next_group(d, &unit)); unit++) {
		group_leave(group);
		group->next = d->parked;
		d->parked = group;
		c->group[unit] = NULL;
		c->full = false;
	}
}

bool compute_unmap(struct compute *c, struct queue *queue)
{
	struct dispatch **at = dispatch_find(c, queue);

	if (!at || (*at)->off)
		return true;
	if (!save_is_possible(*at))
		dispatch_park(*at);
	else if (!dispatch_save(*at))
		return false;
	(*at)->off = true;
	queue->area = (*at)->area;
	return true;
}

/* ---- it is back ---------------------------------------------------------- */

/* false: another queue, at the same place */
static bool is_its_queue(const struct dispatch *d, const struct queue *queue)
{
	return d->packet == queue->rptr &&
	       !d->nr_saved == save_area_is_empty(&queue->area);
}

static void dispatch_back(struct dispatch *d, const struct queue *queue)
{
	d->off = false;
	d->area = queue->area;
	dispatch_follow(d, queue);
	if (d->nr_saved && !save_pop_header(&d->area, &d->compute->access))
		dispatch_fail(d, "the control stack has no header");
	place_groups(d);
}

void compute_mapped(struct compute *c, struct queue *queue)
{
	struct dispatch **at = dispatch_find(c, queue);
	bool lost = queue->area.base && !save_area_is_empty(&queue->area);

	compute_invalidate_code(c);
	if (at && (*at)->off && is_its_queue(*at, queue)) {
		dispatch_back(*at, queue);
	} else {
		if (at && (*at)->off)
			dispatch_free(at);
		if (lost)
			log_fault(c->log, "save", "doorbell 0x%x: a control stack of unknown waves",
				  queue->doorbell);
	}
	save_area_clear(&queue->area);
}

void compute_drop(struct compute *c, struct queue *queue)
{
	struct dispatch **at = dispatch_find(c, queue);

	if (at)
		dispatch_free(at);
	save_area_clear(&queue->area);
}
