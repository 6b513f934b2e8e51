/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A queue of AQL packets of a process, in the guest's memory: its process has the
 * PASID 0x8003 and, if nothing else is mapped, the VMID 8.
 */
#ifndef TESTS_USER_QUEUE_H
#define TESTS_USER_QUEUE_H

#include "amd_compat.h"
#include "v9_structs.h"

#include "world.h"

#define LO(va)		((uint32_t)(va))
#define HI(va)		((uint32_t)((uint64_t)(va) >> 32))
#define USER(at)	(GUEST_USER + (at))

/* places in the guest's memory */
#define AT_PACKETS	0x20000u
#define AT_READ		0x24000u
#define AT_WRITE	0x24800u
#define AT_SIGNALS	0x25000u
#define AT_MQD		0x26000u
#define AT_LIST		0x28000u
#define DOORBELL	0x804u
#define NR_PACKETS	64u
#define USER_PASID	0x8003u
#define USER_VMID	8u

enum { TYPE_VENDOR, TYPE_INVALID, TYPE_DISPATCH, TYPE_AND, TYPE_AGENT, TYPE_OR };

/** user_process - dwords of MAP_PROCESS; those of the header, PASID and page table are set by queue_map() */
extern uint32_t user_process[21];

/** user_queue() - the queue, NULL: it is not mapped */
struct queue *user_queue(struct world *w);

/** queue_map() - the process, with user_process, and the queue */
void queue_map(struct world *w);

/** queue_unmap() - all queues of processes */
void queue_unmap(struct world *w);

/** queue_begin() - a new queue, the first packet of which has index @first */
void queue_begin(struct world *w, uint32_t first);

/** packet_put() - a packet of @type and zeros, with @signal */
void packet_put(struct world *w, unsigned int nr, unsigned int type, uint64_t signal);

/** packet_at() - place of packet @nr in the guest's memory */
uint32_t packet_at(unsigned int nr);

/** queue_kick() - the doorbell, with the index of the last packet */
void queue_kick(struct world *w, uint64_t written);

/** signal_at() - address of signal @nr */
uint64_t signal_at(unsigned int nr);

/** signal_value() - its value */
int64_t *signal_value(struct world *w, unsigned int nr);

/** queue_is_idle() - it is mapped, and has done what is before @rptr */
bool queue_is_idle(struct world *w, uint64_t rptr);

#endif /* TESTS_USER_QUEUE_H */
