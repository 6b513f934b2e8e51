/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets of the scheduler in the firmware of the compute engines: it gives VMIDs to
 * processes, loads their debug words, maps their queues, and takes all of this
 * back. runlist.h says when.
 */
#ifndef AMDGPU_MODEL_SCHEDULER_H
#define AMDGPU_MODEL_SCHEDULER_H

#include "engine.h"

/* All: @body is a packet without its header */

/** scheduler_set_resources() - SET_RESOURCES */
void scheduler_set_resources(struct engine *e, const uint32_t *body);

/** scheduler_process_is_whole() - is this a MAP_PROCESS of @nr dwords */
bool scheduler_process_is_whole(struct engine *e, unsigned int nr);

/** scheduler_pasid() - of a MAP_PROCESS */
uint32_t scheduler_pasid(const uint32_t *body);

/** scheduler_has_vmid() - one of its own, or one that is free */
bool scheduler_has_vmid(struct engine *e, const uint32_t *body);

/** scheduler_map_process() - MAP_PROCESS of @nr dwords; the process, NULL without a VMID */
struct process *scheduler_map_process(struct engine *e, const uint32_t *body,
				      unsigned int nr);

/** scheduler_doorbell() - of a MAP_QUEUES */
uint32_t scheduler_doorbell(const uint32_t *body);

/** scheduler_is_sdma() - whether it is for an SDMA engine */
bool scheduler_is_sdma(const uint32_t *body);

/** scheduler_map_queue() - MAP_QUEUES, of @process or of the kernel (NULL); NULL: it cannot be */
struct queue *scheduler_map_queue(struct engine *e, const uint32_t *body,
				  const struct process *process);

/** scheduler_selects() - does an UNMAP_QUEUES concern a queue of a process */
bool scheduler_selects(const uint32_t *body, uint32_t doorbell, uint32_t pasid);

/** scheduler_unmap_queue() - take @queue off; false: once more, its waves are not saved yet */
bool scheduler_unmap_queue(struct engine *e, struct queue *queue, bool reset);

/** scheduler_free_vmids() - those of processes without a queue */
void scheduler_free_vmids(struct engine *e);

/** scheduler_unmap_queues() - UNMAP_QUEUES; false: once more, waves are not saved yet */
bool scheduler_unmap_queues(struct engine *e, const uint32_t *body);

#endif /* AMDGPU_MODEL_SCHEDULER_H */
