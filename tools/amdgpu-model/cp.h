/* SPDX-License-Identifier: GPL-2.0 */
/* The command processor: rings of PM4 packets, of the kernel (KIQ, KCQ, HIQ) and of processes. */
#ifndef AMDGPU_MODEL_CP_H
#define AMDGPU_MODEL_CP_H

#include "stream.h"

/** cp_activate() - the driver wrote 1 to CP_HQD_ACTIVE: the selected queue begins */
void cp_activate(struct engine *e);

/** cp_deactivate() - it wrote to CP_HQD_DEQUEUE_REQUEST: the selected queue ends */
void cp_deactivate(struct engine *e);

/** cp_run() - execute what @queue (QUEUE_PM4) has */
void cp_run(struct engine *e, struct queue *queue);

/** cp_run_buffer() - execute the indirect buffer that INDIRECT_BUFFER @packet, 4 dwords, names */
enum outcome cp_run_buffer(struct engine *e, struct queue *queue,
			   const uint32_t *packet);

#endif /* AMDGPU_MODEL_CP_H */
