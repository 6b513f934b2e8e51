/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User queues of AQL packets: barriers, and signals that tell of their end.
 *
 * Kernels are not executed: nothing here runs waves. A queue stops at a packet
 * that dispatches one; the log has that.
 */
#ifndef AMDGPU_MODEL_AQL_H
#define AMDGPU_MODEL_AQL_H

#include "engine.h"

/** aql_doorbell() - the process wrote @value */
void aql_doorbell(struct queue *queue, uint64_t value);

/** aql_run() - process what @queue (QUEUE_AQL) has */
void aql_run(struct engine *e, struct queue *queue);

#endif /* AMDGPU_MODEL_AQL_H */
