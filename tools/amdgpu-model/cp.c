// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "amd_compat.h"
#include "soc15d.h"
#include "kfd_pm4_headers_ai.h"
#include "kfd_pm4_opcodes.h"
#include "gc/gc_9_4_2_sh_mask.h"

#include "compute.h"
#include "cp.h"
#include "field.h"
#include "pm4.h"
#include "runlist.h"
#include "scheduler.h"
#include "stream.h"

/* an indirect buffer may name another one, that one none */
#define MAX_DEPTH	2

static bool stream_read_body(struct engine *e, struct stream *s, uint64_t nr,
			     uint32_t *body, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!stream_read(e, s, nr + i, &body[i]))
			return false;
	return true;
}

static enum outcome run_one(struct engine *e, struct stream *s, uint64_t *nr);

/* ---- packets ------------------------------------------------------------- */

static enum outcome write_memory(struct engine *e, struct stream *s, uint64_t va,
				 const void *data, size_t len)
{
	if (vm_write(e->access, &s->queue->vm, va, data, len))
		return DONE;
	queue_fault(e, s->queue, "write");
	return FAILED;
}

/* registers are the kernel's: a program that writes them does not get through */
static enum outcome write_registers(struct engine *e, struct stream *s,
				    uint32_t index, const uint32_t *values,
				    unsigned int nr)
{
	unsigned int i;

	if (s->queue->user) {
		queue_error(e, s->queue, "a program writes register 0x%x", index);
		return FAILED;
	}
	if (index >= MODEL_NR_REGISTERS || nr > MODEL_NR_REGISTERS - index)
		return FAILED;
	for (i = 0; i < nr; i++)
		e->write_register(e->gpu, index + i, values[i]);
	return DONE;
}

/* body: control, address, data */
static enum outcome write_data(struct engine *e, struct stream *s,
			       const uint32_t *body, unsigned int nr)
{
	uint64_t va;

	if (nr < 4)
		return FAILED;
	va = join_halves(body[1] & ~3u, body[2]);
	if ((body[0] >> 8 & 0xf) == 0)
		return write_registers(e, s, body[1], body + 3, nr - 3);
	return write_memory(e, s, va, body + 3, (nr - 3) * 4);
}

/* INT_SEL: the data are confirmed, and no interrupt is sent */
#define CONFIRM_ONLY	3

static enum outcome release_mem(struct engine *e, struct stream *s,
				const uint32_t *body, unsigned int nr)
{
	uint64_t va, data;
	enum outcome outcome = DONE;
	unsigned int kind, interrupt;

	if (nr < 6)
		return FAILED;
	kind = body[1] >> 29;
	interrupt = body[1] >> 24 & 7;
	va = join_halves(body[2], body[3]);
	data = join_halves(body[4], body[5]);
	if (kind == 3)
		data = clock_ticks();
	if (kind)
		outcome = write_memory(e, s, va, &data, kind == 1 ? 4 : 8);
	if (outcome == DONE && interrupt != CONFIRM_ONLY && interrupt)
		queue_end_of_pipe(e, s->queue, nr > 6 ? body[6] : 0);
	return outcome;
}

/* body: control, address or register, reference, mask, interval */
static enum outcome wait_reg_mem(struct engine *e, struct stream *s,
				 const uint32_t *body, unsigned int nr)
{
	bool memory, write;
	uint32_t value = 0, reference;

	if (nr < 6)
		return FAILED;
	reference = body[3];
	memory = body[0] >> 4 & 1;
	write = body[0] >> 6 & 1;	/* of the first register before the wait */
	if (s->queue->user && !memory)
		return FAILED;
	if (write && !memory) {
		if (write_registers(e, s, body[1], &body[3], 1) != DONE)
			return FAILED;
		value = register_get(e->regs, body[2] % MODEL_NR_REGISTERS);
		/* what is written has bits beside those that are waited for */
		reference &= body[4];
	} else if (!memory) {
		value = register_get(e->regs, body[1] % MODEL_NR_REGISTERS);
	} else if (!vm_read32(e->access, &s->queue->vm,
			      join_halves(body[1] & ~3u, body[2]), &value)) {
		queue_fault(e, s->queue, "wait");
		return FAILED;
	}
	if (compare_values(body[0] & 7, value & body[4], reference))
		return DONE;
	if (!s->depth) {
		queue_wait(e, s->queue, memory ? MODEL_NR_REGISTERS :
			   body[write ? 2 : 1] % MODEL_NR_REGISTERS, reference);
		return WAITS;
	}
	queue_error(e, s->queue, "a wait in an indirect buffer is not modelled");
	return FAILED;
}

/* body: control, source, destination */
static enum outcome copy_data(struct engine *e, struct stream *s,
			      const uint32_t *body, unsigned int nr)
{
	unsigned int from, to;
	uint64_t value = 0;
	size_t len;

	if (nr < 5)
		return FAILED;
	from = body[0] & 0xf;
	to = body[0] >> 8 & 0xf;
	len = body[0] >> 16 & 1 ? 8 : 4;
	switch (from) {
	case 0:
		if (s->queue->user)
			return FAILED;
		value = register_get(e->regs, body[1] % MODEL_NR_REGISTERS);
		break;
	case 1:
	case 2:
		if (!vm_read(e->access, &s->queue->vm, join_halves(body[1], body[2]),
			     &value, len)) {
			queue_fault(e, s->queue, "copy");
			return FAILED;
		}
		break;
	case 5:
		value = join_halves(body[1], body[2]);
		break;
	case 9:
		value = clock_ticks();
		break;
	default:
		return FAILED;
	}
	if (to == 0)
		return write_registers(e, s, body[3], (uint32_t *)&value, 1);
	return write_memory(e, s, join_halves(body[3], body[4]), &value, len);
}

static enum outcome indirect_buffer(struct engine *e, struct stream *s,
				    const uint32_t *body, unsigned int nr)
{
	struct stream inner = stream_inner(s, join_halves(body[0] & ~3u, body[1]),
					   body[2] & 0xfffff);

	if (nr < 3 || s->depth >= MAX_DEPTH || !inner.at)
		return FAILED;
	return stream_run(e, &inner, run_one);
}

static enum outcome run_list(struct engine *e, struct stream *s,
			     const uint32_t *body, unsigned int nr)
{
	struct stream inner = stream_inner(s, join_halves(body[0] & ~3u, body[1]),
					   body[2] & 0xfffff);

	if (nr < 3 || s->depth)
		return FAILED;
	log_line(e->log, "hws", "RUN_LIST of %llu dwords, %u processes",
		 (unsigned long long)inner.size, body[2] >> 24 & 0xf);
	runlist_clear(e->runlist, body[2] >> 24 & 0xf);
	/* a list of processes without queues is empty */
	if (!inner.size)
		return DONE;
	if (!inner.at || stream_run(e, &inner, run_one) != DONE ||
	    !runlist_start(e->runlist)) {
		runlist_clear(e->runlist, 0);
		return FAILED;
	}
	return DONE;
}

static enum outcome query_status(struct engine *e, struct stream *s,
				 const uint32_t *body, unsigned int nr)
{
	if (nr < 6)
		return FAILED;
	return write_memory(e, s, join_halves(body[2] & ~3u, body[3]), &body[4], 8);
}

static enum outcome map_process(struct engine *e, const struct stream *s,
				const uint32_t *body, unsigned int nr)
{
	return s->depth && runlist_add_process(e->runlist, body, nr) ? DONE : FAILED;
}

static enum outcome map_queues(struct engine *e, const struct stream *s,
			       const uint32_t *body, unsigned int nr)
{
	if (nr < 6)
		return FAILED;
	if (s->depth)
		return runlist_add_queue(e->runlist, body) ? DONE : FAILED;
	scheduler_map_queue(e, body, NULL);
	return DONE;
}

static enum outcome unmap_queues(struct engine *e, const uint32_t *body,
				 unsigned int nr)
{
	uint32_t padded[6] = { 0 };

	memcpy(padded, body, (nr < 5 ? nr : 5) * 4);
	return scheduler_unmap_queues(e, padded) ? DONE : WAITS;
}

static enum outcome set_resources(struct engine *e, const uint32_t *body,
				  unsigned int nr)
{
	if (nr < 7)
		return FAILED;
	scheduler_set_resources(e, body);
	return DONE;
}

/* what only the kernel's queues may have */
static enum outcome run_kernel_packet(struct engine *e, struct stream *s,
				      unsigned int opcode, const uint32_t *body,
				      unsigned int nr)
{
	if (s->queue->user)
		return FAILED;
	switch (opcode) {
	case PACKET3_SET_UCONFIG_REG:
		return write_registers(e, s, PACKET3_SET_UCONFIG_REG_START +
				       (body[0] & 0xffff), body + 1, nr - 1);
	case PACKET3_SET_CONFIG_REG:
		return write_registers(e, s, PACKET3_SET_CONFIG_REG_START +
				       (body[0] & 0xffff), body + 1, nr - 1);
	case PACKET3_SET_RESOURCES:
		return set_resources(e, body, nr);
	case IT_MAP_PROCESS:
		return map_process(e, s, body, nr);
	case PACKET3_MAP_QUEUES:
		return map_queues(e, s, body, nr);
	case PACKET3_UNMAP_QUEUES:
		return unmap_queues(e, body, nr);
	case PACKET3_QUERY_STATUS:
		return query_status(e, s, body, nr);
	case IT_RUN_LIST:
		/* in a list: more than fits, which takes turns (runlist.h) */
		return s->depth ? DONE : run_list(e, s, body, nr);
	case PACKET3_INVALIDATE_TLBS:
		return DONE;
	default:
		return FAILED;
	}
}

/* of all caches that it can name, there is one for instructions */
static enum outcome acquire_mem(struct engine *e, const uint32_t *body,
				unsigned int nr)
{
	if (nr && body[0] & PACKET3_ACQUIRE_MEM_CP_COHER_CNTL_SH_ICACHE_ACTION_ENA(1u))
		compute_invalidate_code(e->compute);
	return DONE;
}

static enum outcome run_packet(struct engine *e, struct stream *s,
			       unsigned int opcode, const uint32_t *body,
			       unsigned int nr)
{
	switch (opcode) {
	case PACKET3_ACQUIRE_MEM:
		return acquire_mem(e, body, nr);
	case PACKET3_NOP:
	case PACKET3_EVENT_WRITE:
	case PACKET3_CLEAR_STATE:
		return DONE;
	case PACKET3_WRITE_DATA:
		return write_data(e, s, body, nr);
	case PACKET3_RELEASE_MEM:
		return release_mem(e, s, body, nr);
	case PACKET3_WAIT_REG_MEM:
		return wait_reg_mem(e, s, body, nr);
	case PACKET3_COPY_DATA:
		return copy_data(e, s, body, nr);
	case PACKET3_INDIRECT_BUFFER:
		return indirect_buffer(e, s, body, nr);
	default:
		return run_kernel_packet(e, s, opcode, body, nr);
	}
}

/* ---- streams ------------------------------------------------------------- */

static enum outcome run_one(struct engine *e, struct stream *s, uint64_t *nr)
{
	uint32_t header, body[64];
	unsigned int count, have;
	enum outcome outcome;

	if (!stream_read(e, s, *nr, &header))
		return FAILED;
	/* memory that was cleared is fillers, too */
	count = header ? pm4_body(header) : 0;
	if (!queue_work(e, s->queue, count + 1))
		return FAILED;
	if (s->size - *nr <= count) {
		queue_error(e, s->queue, "packet 0x%08x of %u dwords ends behind what is there",
			    header, count + 1);
		return FAILED;
	}
	if (pm4_type(header) != 3) {
		if (header && pm4_type(header) != 2)
			queue_error(e, s->queue, "packet 0x%08x of type %u", header,
				    pm4_type(header));
		*nr += 1;
		return s->queue->stopped ? FAILED : DONE;
	}
	have = count < 64 ? count : 64;
	memset(body, 0, sizeof(body));
	/* fillers are as long as they like */
	if (pm4_opcode(header) != PACKET3_NOP &&
	    (count > have || !stream_read_body(e, s, *nr + 1, body, have))) {
		if (count > have)
			queue_error(e, s->queue, "packet 0x%08x is too long", header);
		return FAILED;
	}
	e->packets++;
	outcome = count || pm4_opcode(header) == PACKET3_NOP ?
		  run_packet(e, s, pm4_opcode(header), body, have) : FAILED;
	if (!queue_is(s->queue, s->serial))
		return GONE;
	if (outcome == FAILED && !s->queue->stopped)
		queue_error(e, s->queue, "packet 0x%08x (0x%02x) is not modelled or wrong: 0x%x 0x%x 0x%x",
			    header, pm4_opcode(header), body[0], body[1], body[2]);
	if (outcome == DONE)
		*nr += count + 1;
	return outcome;
}

static void report_rptr(struct engine *e, struct queue *queue)
{
	if (queue->rptr_addr)
		vm_write32(e->access, &queue->vm, queue->rptr_addr,
			   queue->rptr & (queue->size - 1));
}

void cp_run(struct engine *e, struct queue *queue)
{
	if (stream_run_ring(e, queue, run_one))
		report_rptr(e, queue);
}

enum outcome cp_run_buffer(struct engine *e, struct queue *queue,
			   const uint32_t *packet)
{
	struct stream stream = { .queue = queue, .serial = queue->serial };

	if (pm4_type(packet[0]) == 3 && pm4_body(packet[0]) == 3 &&
	    pm4_opcode(packet[0]) == PACKET3_INDIRECT_BUFFER)
		return indirect_buffer(e, &stream, packet + 1, 3);
	queue_error(e, queue, "packet 0x%08x is no indirect buffer", packet[0]);
	return FAILED;
}

/* ---- queues that the driver maps by registers ---------------------------- */

void cp_activate(struct engine *e)
{
	const struct registers *r = e->regs;
	uint32_t doorbell = reg_get(r, R_GC_CP_HQD_PQ_DOORBELL_CONTROL);
	uint32_t control = reg_get(r, R_GC_CP_HQD_PQ_CONTROL);
	struct queue q = {
		.kind = QUEUE_PM4,
		.vm = vm_kernel,
		.base = reg_get64(r, R_GC_CP_HQD_PQ_BASE,
				  R_GC_CP_HQD_PQ_BASE_HI) << 8,
		.size = queue_size(FIELD_GET(control, CP_HQD_PQ_CONTROL,
					     QUEUE_SIZE)) * 2,
		.rptr = reg_get(r, R_GC_CP_HQD_PQ_RPTR),
		.wptr = reg_get(r, R_GC_CP_HQD_PQ_RPTR),
		.rptr_addr = reg_get64(r, R_GC_CP_HQD_PQ_RPTR_REPORT_ADDR,
				       R_GC_CP_HQD_PQ_RPTR_REPORT_ADDR_HI),
		.doorbell = FIELD_GET(doorbell, CP_HQD_PQ_DOORBELL_CONTROL,
				      DOORBELL_OFFSET),
		.mqd = reg_get64(r, R_GC_CP_MQD_BASE_ADDR,
				 R_GC_CP_MQD_BASE_ADDR_HI),
		.ring_id = r->queue << 4 | r->me << 2 | r->pipe,
	};
	struct queue *old = queue_find(e, q.doorbell);

	if (old)
		queue_remove(old);
	if (!queue_add(e, &q))
		return;
	log_line(e->log, "cp", "queue me %u pipe %u queue %u: doorbell 0x%x base 0x%llx size %u",
		 r->me, r->pipe, r->queue, q.doorbell,
		 (unsigned long long)q.base, q.size);
}

void cp_deactivate(struct engine *e)
{
	uint32_t doorbell = reg_get(e->regs, R_GC_CP_HQD_PQ_DOORBELL_CONTROL);
	struct queue *queue = queue_find(e,
		FIELD_GET(doorbell, CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_OFFSET));

	if (!(reg_get(e->regs, R_GC_CP_HQD_ACTIVE) & 1))
		return;
	reg_set(e->regs, R_GC_CP_HQD_ACTIVE, 0);
	if (queue && !queue->user)
		queue_remove(queue);
}
