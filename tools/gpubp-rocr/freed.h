/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that the program has freed: who frees it waits until the agent has said so, behind
 * the hits of before.
 */
#ifndef GPUBP_ROCR_FREED_H
#define GPUBP_ROCR_FREED_H

#include <stddef.h>
#include <stdint.h>

/**
 * freed_wait() - memory was freed, and is no other buffer's yet
 * @at: first address
 * @size: bytes
 *
 * Any thread but the agent's, without a lock that the agent's takes. Returns when the agent has
 * said it, or at once if none listens.
 */
void freed_wait(const void *at, size_t size);

/** freed_listen() - an agent listens; a file that is readable when there is something, or -1 */
int freed_listen(void);

/** freed_is_heard_here() - by this thread, which never waits: it says it, or frees nothing of others */
void freed_is_heard_here(void);

/** freed_take() - say what there is: @say is called for each, without a lock */
void freed_take(void (*say)(uint64_t at, uint64_t size));

/** freed_deaf() - the agent does not listen any more; ignored if it did not */
void freed_deaf(void);

#endif /* GPUBP_ROCR_FREED_H */
