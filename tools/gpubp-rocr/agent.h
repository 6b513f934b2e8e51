/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The agent: a session for who asks for it by messages (agent_wire.h).
 */
#ifndef GPUBP_ROCR_AGENT_H
#define GPUBP_ROCR_AGENT_H

#include <stdbool.h>
#include <stdint.h>

/* of ROCr's tools, which HSA_TOOLS_LIB names: the runtime is there; it ends */
bool OnLoad(void *table, uint64_t version, uint64_t nr_failed, const char *const *failed);
void OnUnload(void);

#endif /* GPUBP_ROCR_AGENT_H */
