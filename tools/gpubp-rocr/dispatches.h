/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dispatches of a queue, for a tool that gets each one before it begins.
 */
#ifndef GPUBP_ROCR_DISPATCHES_H
#define GPUBP_ROCR_DISPATCHES_H

#include <hsa.h>
#include <stdbool.h>
#include <stdint.h>

struct dispatches;

/** dispatches_are_wanted() - is there such a tool? GPUBP_DISPATCHES is 1 then */
bool dispatches_are_wanted(void);

/** dispatches_on_say() - @before is called before each message of a dispatch */
void dispatches_on_say(void (*before)(void));

/**
 * dispatches_init() - before the others
 *
 * Without a lock that a thread may have in a constructor.
 */
void dispatches_init(void);

/**
 * dispatches_new() - a queue
 * @hsa: it
 * @queue: its number, as hits have it
 *
 * Return: its dispatches, or NULL: no tool gets them.
 */
struct dispatches *dispatches_new(hsa_queue_t *hsa, uint32_t queue);

/** dispatches_get() - for one dispatches_ring(), before the queue may be destroyed; or NULL */
struct dispatches *dispatches_get(struct dispatches *dispatches);

/**
 * dispatches_header() - header of a packet, which may be held
 * @dispatches: those of the queue; or NULL
 * @index: index of the packet
 * @header: where it is
 */
uint16_t dispatches_header(const struct dispatches *dispatches, uint64_t index,
			   const uint16_t *header);

/* rings a doorbell: a function of ROCr */
typedef void dispatches_ring_fn(hsa_signal_t doorbell, hsa_signal_value_t value);

/**
 * dispatches_ring() - the doorbell is about to be rung
 * @dispatches: what dispatches_get() returned; NULL is ignored
 * @last: index of the last packet of the caller's
 * @end: write index of the queue
 * @ring: of ROCr, to ring for one packet after the other
 *
 * For each kernel that is new, the tool has answered before it begins; then the caller rings.
 */
void dispatches_ring(struct dispatches *dispatches, uint64_t last, uint64_t end,
		     dispatches_ring_fn *ring);

/**
 * dispatches_end() - the queue is destroyed; NULL is ignored
 * @dispatches: its dispatches
 * @rocr: ROCr is there yet
 */
void dispatches_end(struct dispatches *dispatches, bool rocr);

#endif /* GPUBP_ROCR_DISPATCHES_H */
