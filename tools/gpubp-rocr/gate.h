/* SPDX-License-Identifier: GPL-2.0 */
/*
 * While a tool has a message of a dispatch, no thread has a packet in a queue that was not looked at:
 * comparators change then, for which queues are mapped again, and a packet processor that maps a
 * queue begins what is in it. The functions may be called by any thread.
 */
#ifndef GPUBP_ROCR_GATE_H
#define GPUBP_ROCR_GATE_H

#include <stdbool.h>

/** gate_use() - there is a tool: from now on threads wait in front of the gate */
void gate_use(void);

/**
 * gate_close() - threads get no places for packets
 * @is_quiet: do none have a place without a packet, or a packet that was not looked at? It is
 *	waited for, but not long: a thread may wait for another one
 * @arg: for that
 */
void gate_close(bool (*is_quiet)(void *arg), void *arg);

/** gate_open() - after gate_close() of the same thread */
void gate_open(void);

#endif /* GPUBP_ROCR_GATE_H */
