// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>

#include "soc15_ih_clientid.h"
#include "ivsrcid/gfx/irqsrcs_gfx_9_0.h"

#include "engine.h"

struct queue *queue_add(struct engine *e, const struct queue *queue)
{
	unsigned int i;

	for (i = 0; i < MODEL_MAX_QUEUES; i++) {
		if (e->queue[i].kind != QUEUE_FREE)
			continue;
		e->queue[i] = *queue;
		e->queue[i].serial = ++e->serial;
		return &e->queue[i];
	}
	log_fault(e->log, "queue", "more than %u", MODEL_MAX_QUEUES);
	return NULL;
}

struct queue *queue_find(struct engine *e, uint32_t doorbell)
{
	unsigned int i;

	for (i = 0; i < MODEL_MAX_QUEUES; i++)
		if (e->queue[i].kind != QUEUE_FREE &&
		    e->queue[i].doorbell == doorbell)
			return &e->queue[i];
	return NULL;
}

void queue_remove(struct queue *queue)
{
	queue->kind = QUEUE_FREE;
	queue->kicked = queue->waiting = false;
}

bool queue_is(const struct queue *queue, uint64_t serial)
{
	return queue->kind != QUEUE_FREE && queue->serial == serial;
}

bool queue_begin_packet(struct engine *e)
{
	e->packet_work = e->work;
	return e->work < MODEL_WORK;
}

bool queue_work(struct engine *e, struct queue *queue, uint64_t units)
{
	e->work += units;
	if (e->work - e->packet_work <= MODEL_PACKET_WORK)
		return true;
	if (!queue->stopped)
		queue_error(e, queue, "more work than a packet may take");
	return false;
}

uint32_t queue_size(unsigned int order)
{
	return 1u << (order < 28 ? order : 28);
}

void queue_interrupt(struct engine *e, const struct queue *queue, uint8_t client,
		     uint8_t source, uint32_t context)
{
	struct ih_entry entry = {
		.client = client,
		.source = source,
		.ring = queue->ring_id,
		.vmid = queue->vm.vmid,
		.pasid = queue->vm.pasid,
		.data = { context },
	};

	ih_raise(e->ih, &entry);
}

void queue_end_of_pipe(struct engine *e, const struct queue *queue,
		       uint32_t context)
{
	queue_interrupt(e, queue, SOC15_IH_CLIENTID_GRBM_CP,
			GFX_9_0__SRCID__CP_EOP_INTERRUPT, context);
}

static void queue_stop(struct queue *queue)
{
	queue->stopped = true;
	queue->kicked = queue->waiting = false;
}

void queue_fault(struct engine *e, struct queue *queue, const char *what)
{
	const struct vm_fault *f = &e->access->fault;

	queue_stop(queue);
	if (queue->vm.gart) {
		log_fault(e->log, "vm", "doorbell 0x%x: %s: 0x%llx is not mapped",
			  queue->doorbell, what, (unsigned long long)f->va);
		return;
	}
	log_line(e->log, "vm",
		 "fault: pasid 0x%x vmid %u doorbell 0x%x: %s of 0x%llx, level %d, entry 0x%llx",
		 queue->vm.pasid, queue->vm.vmid, queue->doorbell, what,
		 (unsigned long long)f->va, f->level, (unsigned long long)f->entry);
	ih_raise_fault(e->ih, &queue->vm, f);
}

void queue_error(struct engine *e, struct queue *queue, const char *format, ...)
{
	char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	queue_stop(queue);
	e->unknown++;
	/* a program can do this to its own queue, the driver must not */
	if (queue->user)
		log_line(e->log, "queue", "error: doorbell 0x%x: %s",
			 queue->doorbell, text);
	else
		log_fault(e->log, "queue", "doorbell 0x%x: %s", queue->doorbell,
			  text);
}

/* waits that are longer are logged, once */
#define WAIT_NS		1000000000ull
#define WAIT_TOLD	UINT64_MAX

void queue_wait(struct engine *e, struct queue *queue, uint32_t index,
		uint32_t reference)
{
	char buf[16];

	if (!queue->wait_ns)
		queue->wait_ns = clock_ns();
	if (queue->wait_ns == WAIT_TOLD || clock_ns() - queue->wait_ns < WAIT_NS)
		return;
	queue->wait_ns = WAIT_TOLD;
	if (index < MODEL_NR_REGISTERS)
		log_fault(e->log, "queue", "doorbell 0x%x waits for %s to become 0x%x",
			  queue->doorbell, register_name(e->regs, index, buf),
			  reference);
	else
		log_line(e->log, "queue", "doorbell 0x%x waits for memory to become 0x%x",
			 queue->doorbell, reference);
}

bool queue_dword(struct engine *e, struct queue *queue, uint64_t nr,
		 uint32_t *value)
{
	uint64_t at = (queue->rptr + nr) & (queue->size - 1);

	if (vm_read32(e->access, &queue->vm, queue->base + at * 4, value))
		return true;
	queue_fault(e, queue, "read of the ring");
	return false;
}
