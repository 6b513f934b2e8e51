// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "aql.h"

#define AQL_BYTES	64
#define NR_DEPENDENCIES	5

/* types of the HSA platform system architecture specification, 2.9 */
enum aql_type {
	AQL_VENDOR, AQL_INVALID, AQL_KERNEL_DISPATCH, AQL_BARRIER_AND,
	AQL_AGENT_DISPATCH, AQL_BARRIER_OR
};

/* a barrier packet */
struct aql_barrier {
	uint16_t header;
	uint16_t reserved0;
	uint32_t reserved1;
	uint64_t dependency[NR_DEPENDENCIES];
	uint64_t reserved2;
	uint64_t signal;
};

/* ROCr's amd_signal_t, what of it the hardware reads and writes */
struct amd_signal {
	uint64_t kind;
	int64_t value;
	uint64_t mailbox;
	uint32_t event;
};

static bool signal_complete(struct engine *e, struct queue *queue, uint64_t at)
{
	struct amd_signal signal;

	if (!vm_read(e->access, &queue->vm, at, &signal, sizeof(signal)) ||
	    !vm_write64(e->access, &queue->vm,
			at + offsetof(struct amd_signal, value), signal.value - 1))
		return false;
	if (!signal.mailbox)
		return true;
	if (!vm_write64(e->access, &queue->vm, signal.mailbox, signal.event))
		return false;
	queue_end_of_pipe(e, queue, signal.event);
	return true;
}

/* AND: all are 0; OR: one is; those that are not used do not count */
static bool dependencies_met(struct engine *e, struct queue *queue,
			     const struct aql_barrier *packet, bool all,
			     bool *met)
{
	unsigned int i, zero = 0, used = 0;
	int64_t value;

	for (i = 0; i < NR_DEPENDENCIES; i++) {
		if (!packet->dependency[i])
			continue;
		if (!vm_read(e->access, &queue->vm, packet->dependency[i] +
			     offsetof(struct amd_signal, value), &value,
			     sizeof(value)))
			return false;
		used++;
		zero += !value;
	}
	*met = all ? zero == used : zero || !used;
	return true;
}

static bool packet_retire(struct engine *e, struct queue *queue, uint64_t at,
			  uint64_t signal)
{
	uint16_t header = AQL_INVALID;

	if (!vm_write(e->access, &queue->vm, at, &header, sizeof(header)) ||
	    (signal && !signal_complete(e, queue, signal)))
		return false;
	queue->rptr++;
	e->packets++;
	return !queue->rptr_addr ||
	       vm_write64(e->access, &queue->vm, queue->rptr_addr, queue->rptr);
}

/* one packet; true: the next one */
static bool run_packet(struct engine *e, struct queue *queue)
{
	uint64_t at = queue->base + (queue->rptr & (queue->size - 1)) * AQL_BYTES;
	struct aql_barrier packet;
	unsigned int type;
	bool met;

	if (!vm_read(e->access, &queue->vm, at, &packet, sizeof(packet)))
		goto fault;
	type = packet.header & 0xff;
	if (type == AQL_INVALID)
		return false;
	if (type != AQL_BARRIER_AND && type != AQL_BARRIER_OR) {
		queue_error(e, queue, "AQL packet of type %u is not modelled", type);
		return false;
	}
	if (!dependencies_met(e, queue, &packet, type == AQL_BARRIER_AND, &met))
		goto fault;
	queue->waiting = !met;
	if (!met)
		return false;
	if (!packet_retire(e, queue, at, packet.signal))
		goto fault;
	log_line(e->log, "aql", "doorbell 0x%x packet %llu: barrier, signal 0x%llx",
		 queue->doorbell, (unsigned long long)queue->rptr - 1,
		 (unsigned long long)packet.signal);
	return true;
fault:
	queue_fault(e, queue, "AQL packet or signal");
	return false;
}

void aql_doorbell(struct queue *queue, uint64_t value)
{
	/* the index of the last packet */
	if ((int64_t)(value + 1 - queue->wptr) > 0)
		queue->wptr = value + 1;
}

void aql_run(struct engine *e, struct queue *queue)
{
	queue->waiting = false;
	while (!queue->stopped && queue->rptr < queue->wptr) {
		/* a signal can be such that it writes the packet once more */
		if (!queue_begin_packet(e)) {
			queue->waiting = true;
			break;
		}
		queue_work(e, queue, AQL_BYTES / 4);
		if (!run_packet(e, queue))
			break;
	}
}
