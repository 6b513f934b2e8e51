/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User queues of AQL packets: kernels, barriers, buffers of PM4, and signals that
 * tell of their end. A packet begins when the one before has ended, with and without
 * a barrier bit. Compute units (compute.h) execute kernels.
 */
#ifndef AMDGPU_MODEL_AQL_H
#define AMDGPU_MODEL_AQL_H

#include "engine.h"

/** aql_doorbell() - the process wrote @value */
void aql_doorbell(struct queue *queue, uint64_t value);

/** aql_run() - process what @queue (QUEUE_AQL) has */
void aql_run(struct engine *e, struct queue *queue);

#endif /* AMDGPU_MODEL_AQL_H */
