/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tool has one of the process's threads ask for the agent.
 */
#ifndef GPUBP_ROCR_ATTACH_H
#define GPUBP_ROCR_ATTACH_H

#include <stdint.h>

/**
 * gpubp_rocr_attach() - begin to be watched
 * @asker: who asks the agent, as GPUBP_AGENT
 * @tool: socket, "@NAME", that gets names, or what became of that if the kernel asks; "" none
 * @result: out: 0; -EALREADY: there is an agent; or another negative errno
 *
 * It returns at once: the agent begins in a thread of its own.
 */
void gpubp_rocr_attach(const char *asker, const char *tool, int32_t *result);

#endif /* GPUBP_ROCR_ATTACH_H */
