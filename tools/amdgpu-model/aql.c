// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "aql.h"
#include "compute.h"
#include "cp.h"

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

/* vendor packets of these formats: an indirect buffer of PM4 packets, a barrier */
#define VENDOR_PM4		1
#define VENDOR_BARRIER_VALUE	2

struct aql_pm4 {
	uint16_t header;
	uint16_t format;
	uint32_t command[4];
	uint32_t left;
	uint32_t reserved[8];
	uint64_t signal;
};

/* it ends when a signal compares with a value */
struct aql_barrier_value {
	uint16_t header;
	uint16_t format;
	uint32_t reserved0;
	uint64_t dependency;
	int64_t value;
	int64_t mask;
	uint32_t condition;
	uint32_t reserved1;
	uint64_t reserved2[2];
	uint64_t signal;
};

enum signal_condition { SIGNAL_EQ, SIGNAL_NE, SIGNAL_LT, SIGNAL_GTE };

/* ROCr's amd_signal_t, what of it the hardware reads and writes */
struct amd_signal {
	uint64_t kind;
	int64_t value;
	uint64_t mailbox;
	uint32_t event;
	uint32_t reserved;
	uint64_t start;
	uint64_t end;
};

/* of ROCr's amd_queue_t, from the read index on */
#define QUEUE_PROPERTIES_AT	(180 - 128)
#define QUEUE_PROFILES		(1u << 3)	/* of the properties */
#define INACTIVE_SIGNAL_AT	(192 - 128)

/* a new value, and the interrupt for it */
static bool signal_store(struct engine *e, struct queue *queue, uint64_t at,
			 const struct amd_signal *signal, int64_t value)
{
	if (!vm_write64(e->access, &queue->vm,
			at + offsetof(struct amd_signal, value), value))
		return false;
	if (!signal->mailbox)
		return true;
	if (!vm_write64(e->access, &queue->vm, signal->mailbox, signal->event))
		return false;
	queue_end_of_pipe(e, queue, signal->event);
	return true;
}

static bool signal_set(struct engine *e, struct queue *queue, uint64_t at,
		       int64_t value)
{
	struct amd_signal signal;

	return vm_read(e->access, &queue->vm, at, &signal, sizeof(signal)) &&
	       signal_store(e, queue, at, &signal, value);
}

/* how long its packet took, where the queue is profiled */
static bool signal_stamp(struct engine *e, struct queue *queue, uint64_t at,
			 uint64_t started)
{
	uint64_t times[2] = { started, clock_ticks() };
	uint32_t properties = 0;

	if (queue->rptr_addr &&
	    !vm_read32(e->access, &queue->vm, queue->rptr_addr + QUEUE_PROPERTIES_AT,
		       &properties))
		return false;
	return !(properties & QUEUE_PROFILES) ||
	       vm_write(e->access, &queue->vm, at + offsetof(struct amd_signal, start),
			times, sizeof(times));
}

/* the time before the value, which tells that it is there */
static bool signal_complete(struct engine *e, struct queue *queue, uint64_t at,
			    uint64_t started)
{
	struct amd_signal signal;

	return signal_stamp(e, queue, at, started) &&
	       vm_read(e->access, &queue->vm, at, &signal, sizeof(signal)) &&
	       signal_store(e, queue, at, &signal, signal.value - 1);
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
			  uint64_t signal, uint64_t started)
{
	uint16_t header = AQL_INVALID;

	if (!vm_write(e->access, &queue->vm, at, &header, sizeof(header)) ||
	    (signal && !signal_complete(e, queue, signal, started)))
		return false;
	queue->rptr++;
	e->packets++;
	return !queue->rptr_addr ||
	       vm_write64(e->access, &queue->vm, queue->rptr_addr, queue->rptr);
}

/* true: it is done, @signal is to be completed */
static bool run_pm4(struct engine *e, struct queue *queue,
		    const struct aql_pm4 *packet, uint64_t *signal)
{
	enum outcome outcome = cp_run_buffer(e, queue, packet->command);

	if (outcome == FAILED && !queue->stopped)
		queue_error(e, queue, "AQL vendor packet names no indirect buffer");
	queue->waiting = outcome == WAITS;
	*signal = packet->signal;
	return outcome == DONE;
}

/* likewise */
static bool run_barrier(struct engine *e, struct queue *queue,
			const struct aql_barrier *packet, uint64_t *signal)
{
	bool all = (packet->header & 0xff) == AQL_BARRIER_AND, met;

	if (!dependencies_met(e, queue, packet, all, &met)) {
		queue_fault(e, queue, "AQL signal");
		return false;
	}
	queue->waiting = !met;
	*signal = packet->signal;
	return met;
}

static bool compare_signal(int64_t value, int64_t with, uint32_t condition)
{
	switch (condition) {
	case SIGNAL_EQ:		return value == with;
	case SIGNAL_NE:		return value != with;
	case SIGNAL_LT:		return value < with;
	default:		return value >= with;
	}
}

/* likewise */
static bool run_barrier_value(struct engine *e, struct queue *queue,
			      const struct aql_barrier_value *packet, uint64_t *signal)
{
	int64_t value;

	*signal = packet->signal;
	if (!packet->dependency)
		return true;
	if (packet->condition > SIGNAL_GTE) {
		queue_error(e, queue, "AQL barrier with condition %u", packet->condition);
		return false;
	}
	if (!vm_read(e->access, &queue->vm, packet->dependency +
		     offsetof(struct amd_signal, value), &value, sizeof(value))) {
		queue_fault(e, queue, "AQL signal");
		return false;
	}
	queue->waiting = !compare_signal(value & packet->mask, packet->value,
					 packet->condition);
	return !queue->waiting;
}

/* likewise */
static bool run_vendor(struct engine *e, struct queue *queue, const void *packet,
		       uint64_t *signal)
{
	unsigned int format = ((const struct aql_pm4 *)packet)->format;

	switch (format) {
	case VENDOR_PM4:
		return run_pm4(e, queue, packet, signal);
	case VENDOR_BARRIER_VALUE:
		return run_barrier_value(e, queue, packet, signal);
	default:
		queue_error(e, queue, "AQL vendor packet of format %u is not modelled",
			    format);
		return false;
	}
}

/*
 * ROCr is asked for more private memory by the signal of its amd_queue_t that tells of
 * inactive queues, and sets it back to 0 when the queue has it.
 */
#define INACTIVE_SCRATCH	1

static void ask_for_scratch(struct engine *e, struct queue *queue)
{
	if (!vm_read64(e->access, &queue->vm, queue->rptr_addr + INACTIVE_SIGNAL_AT,
		       &queue->inactive))
		queue_fault(e, queue, "queue_inactive_signal");
	else if (!queue->inactive)
		queue_error(e, queue, "too little private memory");
	else if (!signal_set(e, queue, queue->inactive, INACTIVE_SCRATCH))
		queue_fault(e, queue, "queue_inactive_signal");
	else
		queue->waiting = true;
}

/* true: ROCr has not set the signal back yet, or there is no signal any more */
static bool is_inactive(struct engine *e, struct queue *queue)
{
	uint64_t value;

	if (!queue->inactive)
		return false;
	if (!vm_read64(e->access, &queue->vm, queue->inactive +
		       offsetof(struct amd_signal, value), &value)) {
		queue_fault(e, queue, "queue_inactive_signal");
		return true;
	}
	queue->waiting = value;
	if (!value)
		queue->inactive = 0;
	return value;
}

static void begin_kernel(struct engine *e, struct queue *queue, uint64_t at,
			 const struct compute_packet *packet)
{
	const char *why;

	if (is_inactive(e, queue))
		return;
	switch (compute_begin(e->compute, queue, at, packet, &why)) {
	case BEGUN:
		log_line(e->log, "aql",
			 "doorbell 0x%x packet %llu: kernel 0x%llx grid %u %u %u workgroup %u %u %u, signal 0x%llx",
			 queue->doorbell, (unsigned long long)queue->rptr,
			 (unsigned long long)packet->object, packet->grid[0],
			 packet->grid[1], packet->grid[2], packet->workgroup[0],
			 packet->workgroup[1], packet->workgroup[2],
			 (unsigned long long)packet->signal);
		break;
	case BEGUN_FAULT:
		queue_fault(e, queue, "AQL kernel");
		break;
	case BEGUN_SCRATCH:
		ask_for_scratch(e, queue);
		break;
	case BEGUN_REFUSED:
		queue_error(e, queue, "%s", why);
		break;
	}
}

/* likewise; compute units kick the queue when the kernel has ended */
static bool run_kernel(struct engine *e, struct queue *queue, uint64_t at,
		       const struct compute_packet *packet, uint64_t *signal,
		       uint64_t *started)
{
	const char *why;

	switch (compute_state(e->compute, queue)) {
	case COMPUTE_NONE:
		begin_kernel(e, queue, at, packet);
		return false;
	case COMPUTE_RUNS:
		return false;
	default:
		break;
	}
	*signal = packet->signal;
	*started = compute_started(e->compute, queue);
	why = compute_end(e->compute, queue);
	if (why)
		queue_error(e, queue, "%s", why);
	return !why;
}

/* one packet; true: the next one */
static bool run_packet(struct engine *e, struct queue *queue)
{
	uint64_t at = queue->base + (queue->rptr & (queue->size - 1)) * AQL_BYTES;
	union {
		struct aql_barrier barrier;
		struct compute_packet kernel;
		struct aql_pm4 pm4;
		struct aql_barrier_value value;
	} packet;
	unsigned int type;
	uint64_t signal, started = clock_ticks();
	bool done;

	if (!vm_read(e->access, &queue->vm, at, &packet, sizeof(packet))) {
		queue_fault(e, queue, "AQL packet");
		return false;
	}
	type = packet.barrier.header & 0xff;
	if (type == AQL_INVALID)
		return false;
	if (type == AQL_VENDOR) {
		done = run_vendor(e, queue, &packet, &signal);
	} else if (type == AQL_KERNEL_DISPATCH) {
		done = run_kernel(e, queue, at, &packet.kernel, &signal, &started);
	} else if (type == AQL_BARRIER_AND || type == AQL_BARRIER_OR) {
		done = run_barrier(e, queue, &packet.barrier, &signal);
	} else {
		queue_error(e, queue, "AQL packet of type %u is not modelled", type);
		return false;
	}
	if (!done)
		return false;
	/* a dispatch has done that when it began */
	if (type != AQL_KERNEL_DISPATCH && COMPUTE_ACQUIRES(packet.barrier.header))
		compute_invalidate_code(e->compute);
	if (!packet_retire(e, queue, at, signal, started)) {
		queue_fault(e, queue, "AQL packet or signal");
		return false;
	}
	log_line(e->log, "aql", "doorbell 0x%x packet %llu: %s, signal 0x%llx",
		 queue->doorbell, (unsigned long long)queue->rptr - 1,
		 type == AQL_VENDOR ? packet.pm4.format == VENDOR_PM4 ? "PM4" : "barrier" :
		 type == AQL_KERNEL_DISPATCH ? "the kernel has ended" : "barrier",
		 (unsigned long long)signal);
	return true;
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
