/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The agent: a session for who asks for it by messages (agent_wire.h).
 */
#ifndef GPUBP_ROCR_AGENT_H
#define GPUBP_ROCR_AGENT_H

#include <stdbool.h>
#include <stdint.h>

struct agent_hello;

/**
 * agent_attach() - begin, also if it was not asked for by GPUBP_AGENT, or is over
 * @asker: who asks, as GPUBP_AGENT
 * @hello: out: .err, and .text why
 *
 * Return: 0 or a negative errno; -EALREADY if it has begun.
 */
int agent_attach(const char *asker, struct agent_hello *hello);

/** agent_is_asked() - does an agent run in this process, and is who asks it still there? */
bool agent_is_asked(void);

/**
 * agent_drain() - who asks gets all hits that were recorded until now
 *
 * By any thread; ignored if there is no agent.
 */
void agent_drain(void);

/** agent_end() - end it; ignored if there is none */
void agent_end(void);

/* of ROCr's tools, which HSA_TOOLS_LIB names: the runtime is there; it ends */
bool OnLoad(void *table, uint64_t version, uint64_t nr_failed, const char *const *failed);
void OnUnload(void);

#endif /* GPUBP_ROCR_AGENT_H */
