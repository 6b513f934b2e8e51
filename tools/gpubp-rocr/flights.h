/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dispatches of a queue that may not have ended, by their completion signals. But for
 * flights_forget_signal() the functions are called by one thread at a time, of a queue.
 */
#ifndef GPUBP_ROCR_FLIGHTS_H
#define GPUBP_ROCR_FLIGHTS_H

#include <hsa.h>
#include <stdbool.h>
#include <stdint.h>

#define FLIGHTS_NONE	UINT64_MAX

struct flights;

/**
 * flights_init() - find ROCr's functions
 *
 * Before the others, and without a lock that a thread may have in a constructor.
 *
 * Return: false if it lacks one.
 */
bool flights_init(void);

/** flights_new() - none; NULL: no memory */
struct flights *flights_new(void);

/**
 * flights_free() - the queue is destroyed
 * @flights: NULL is ignored
 * @rocr: ROCr is there: signals of those that have ended are given back to it
 */
void flights_free(struct flights *flights, bool rocr);

/**
 * flights_add() - a dispatch is about to begin
 * @flights: those of its queue
 * @index: index of its packet
 * @packet: the packet. One without a signal gets one, unless it may have begun
 * @began: it may have
 */
void flights_add(struct flights *flights, uint64_t index, hsa_kernel_dispatch_packet_t *packet,
		 bool began);

/**
 * flights_first() - index of the first one that may run, or FLIGHTS_NONE
 * @flights: those of the queue
 * @signal: of a packet that is new: what had it before has ended, unless it counts several
 */
uint64_t flights_first(struct flights *flights, hsa_signal_t signal);

/**
 * flights_wait() - wait until all have ended
 * @flights: those of the queue
 * @signal: as above
 * @timeout_ms: that long at most
 *
 * Return: false if some have not.
 */
bool flights_wait(struct flights *flights, hsa_signal_t signal, int timeout_ms);

/** flights_forget_signal() - the program destroys a signal; by any thread */
void flights_forget_signal(hsa_signal_t signal);

#endif /* GPUBP_ROCR_FLIGHTS_H */
