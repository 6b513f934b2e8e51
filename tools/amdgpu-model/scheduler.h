/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler in the firmware of the compute engines: it gives VMIDs to
 * processes, loads their debug words, maps their queues, and takes all of this
 * back.
 *
 * There are more places for queues than any driver fills, so each queue of a run
 * list is mapped until it is unmapped; there is no time slicing.
 */
#ifndef AMDGPU_MODEL_SCHEDULER_H
#define AMDGPU_MODEL_SCHEDULER_H

#include "engine.h"

/** scheduler_set_resources() - SET_RESOURCES; @body is the packet without its header */
void scheduler_set_resources(struct engine *e, const uint32_t *body);

/** scheduler_map_process() - MAP_PROCESS of @nr dwords; the process, NULL without a VMID */
struct process *scheduler_map_process(struct engine *e, const uint32_t *body,
				      unsigned int nr);

/** scheduler_map_queue() - MAP_QUEUES, of @process or of the kernel (NULL) */
void scheduler_map_queue(struct engine *e, const uint32_t *body,
			 const struct process *process);

/** scheduler_unmap_queues() - UNMAP_QUEUES; false: once more, waves are not saved yet */
bool scheduler_unmap_queues(struct engine *e, const uint32_t *body);

#endif /* AMDGPU_MODEL_SCHEDULER_H */
