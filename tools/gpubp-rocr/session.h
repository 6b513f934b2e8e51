/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The session on a node: this process debugs itself by amdkfd's ioctls, has a trap handler
 * in front of ROCr's, sets comparators, and reads the ring in which the handler records
 * their hits. It does not know who asks for that, nor who reads it.
 *
 * All functions but session_open() are called by one thread at a time.
 */
#ifndef GPUBP_ROCR_SESSION_H
#define GPUBP_ROCR_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "agent_wire.h"

struct session;
struct agent_kfd_queue;

/**
 * session_open() - begin
 * @session: out
 * @hello: out: .gfx and what a comparator can do; .err and .text if it fails
 *
 * When ROCr's runtime is enabled. Waves that run already trap for hits, too, from then on.
 *
 * Return: 0 or a negative errno.
 */
int session_open(struct session **session, struct agent_hello *hello);

/** session_close() - end; hits that were not read are gone */
void session_close(struct session *session);

/**
 * session_queues() - the GPU's queues that the process has
 * @session: session
 * @queues: out, of WAVES_MAX_QUEUES
 *
 * Return: how many, or a negative errno.
 */
int session_queues(const struct session *session, struct agent_kfd_queue *queues);

/** session_node() - ROCr's file of the GPU's render node */
int session_node(const struct session *session);

/**
 * session_time() - time of a hit
 * @session: session
 * @clock: what the wave read of the GPU's clock
 *
 * Return: ns of CLOCK_MONOTONIC, not in the future; now if the two clocks are not known well
 * enough yet.
 */
uint64_t session_time(struct session *session, uint64_t clock);

/**
 * session_set() - arm a comparator
 * @session: session
 * @n: number of the slot, which is free
 * @slot: what it is for
 *
 * Return: 0; -ENOMEM: other processes have all that are left; or a negative errno.
 */
int session_set(struct session *session, unsigned int n, const struct agent_slot *slot);

/**
 * session_update() - what is watched in a slot's block is to be something else
 * @session: session
 * @n: number of the slot
 * @slot: what it is for, with the block and the mode that it has
 *
 * It goes on comparing: each hit is one of before or one of afterwards, and during the
 * change all hits of the block are recorded. Its counts go on; and from then on hits are
 * recorded, whatever @slot says.
 *
 * Return: 0; -EINVAL: it has another block; or a negative errno, after which each hit of
 * the block may be recorded.
 */
int session_update(struct session *session, unsigned int n, const struct agent_slot *slot);

/**
 * session_clear() - free it; ignored if it is free
 *
 * All of its hits are in the ring when it returns.
 */
void session_clear(struct session *session, unsigned int n);

/**
 * session_counts() - of slot @n, since it was set; also after it was cleared
 *
 * Waves count in 32 bits: it is to be called now and then for slots that are set.
 */
void session_counts(struct session *session, unsigned int n, struct agent_counts *counts);

/**
 * session_read() - read hits
 * @session: session
 * @hits: out, but for .type and .counts
 * @places: out: places
 * @max: how many at most
 *
 * Return: how many.
 */
unsigned int session_read(struct session *session, struct agent_hits *hits,
			  unsigned char (*places)[AGENT_PLACE], unsigned int max);

/** session_head() - the number behind the last hit that a wave has begun to record */
uint32_t session_head(struct session *session);

/** session_is_drained() - were all hits before number @head read? */
bool session_is_drained(struct session *session, uint32_t head);

/** session_skip() - give up the next place: its wave was killed; it counts as lost */
void session_skip(struct session *session);

/**
 * session_fd() - a file that becomes readable when there is a hit to read
 *
 * session_sleep() has to be called before it is waited for.
 */
int session_fd(const struct session *session);

/** session_sleep() - ask for that; false: there is one to read */
bool session_sleep(struct session *session);

#endif /* GPUBP_ROCR_SESSION_H */
