// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "amd_compat.h"
#include "vega10_sdma_pkt_open.h"
#include "soc15_ih_clientid.h"
#include "ivsrcid/sdma0/irqsrcs_sdma0_4_0.h"
#include "sdma0/sdma0_4_2_sh_mask.h"

#include "field.h"
#include "sdma.h"
#include "stream.h"

#define MAX_DEPTH	1	/* indirect buffers name none */
#define COPY_PART	4096u
#define WINDOW_DWORDS	13	/* of the longest packet, but for what it carries */
/* of a copy: to two places */
#define BROADCAST	(1u << SDMA_PKT_COPY_LINEAR_HEADER_broadcast_shift)

static const uint8_t clients[MODEL_NR_SDMA] = {
	SOC15_IH_CLIENTID_SDMA0, SOC15_IH_CLIENTID_SDMA1,
	SOC15_IH_CLIENTID_SDMA2, SOC15_IH_CLIENTID_SDMA3,
	SOC15_IH_CLIENTID_SDMA4, SOC15_IH_CLIENTID_SDMA5,
	SOC15_IH_CLIENTID_SDMA6, SOC15_IH_CLIENTID_SDMA7,
};

/* ---- registers ----------------------------------------------------------- */

/* where, in words before "RB_CNTL" and the like */
struct ring_name {
	unsigned int engine;
	const char *prefix;
	enum sdma_ring ring;
};

static bool find_register(struct registers *regs, const struct ring_name *of,
			  const char *what, uint32_t *index)
{
	char name[64];

	snprintf(name, sizeof(name), "SDMA%u %s%s_%s", of->engine, of->prefix,
		 of->ring == SDMA_GFX ? "GFX" : "PAGE", what);
	*index = registers_find(regs, name);
	if (*index < MODEL_NR_REGISTERS) {
		regs->cell[*index].modelled = true;
		return true;
	}
	log_fault(regs->log, "registers", "there is no %s", name);
	return false;
}

static bool find_ring(struct registers *regs, const struct ring_name *of,
		      struct sdma_registers *r)
{
	return find_register(regs, of, "RB_CNTL", &r->rb_cntl) &&
	       find_register(regs, of, "RB_BASE", &r->rb_base) &&
	       find_register(regs, of, "RB_BASE_HI", &r->rb_base_hi) &&
	       find_register(regs, of, "RB_RPTR", &r->rb_rptr) &&
	       find_register(regs, of, "RB_RPTR_ADDR_LO",
			     &r->rb_rptr_addr_lo) &&
	       find_register(regs, of, "RB_RPTR_ADDR_HI",
			     &r->rb_rptr_addr_hi) &&
	       find_register(regs, of, "DOORBELL", &r->doorbell) &&
	       find_register(regs, of, "DOORBELL_OFFSET",
			     &r->doorbell_offset);
}

bool sdma_init(struct sdma *sdma, struct registers *regs,
	       const struct personality *personality)
{
	struct ring_name of = { .prefix = personality->sdma_prefix };

	sdma->nr = personality->nr_sdma;
	for (of.engine = 0; of.engine < sdma->nr; of.engine++)
		for (of.ring = 0; of.ring < SDMA_NR_RINGS; of.ring++)
			if (!find_ring(regs, &of, &sdma->ring[of.engine][of.ring]))
				return false;
	return true;
}

/* ---- packets ------------------------------------------------------------- */

static enum outcome check(struct engine *e, struct stream *s, bool done,
			  const char *what)
{
	if (done)
		return DONE;
	queue_fault(e, s->queue, what);
	return FAILED;
}

static bool copy_bytes(struct engine *e, const struct vm *vm, uint64_t from,
		       uint64_t to, uint64_t left)
{
	uint8_t part[COPY_PART];
	size_t len;

	for (; left; left -= len, from += len, to += len) {
		len = left < COPY_PART ? left : COPY_PART;
		if (!vm_read(e->access, vm, from, part, len) ||
		    !vm_write(e->access, vm, to, part, len))
			return false;
	}
	return true;
}

/* dw: header, count - 1, parameters, source, destination */
static enum outcome copy_linear(struct engine *e, struct stream *s,
				const uint32_t *dw)
{
	uint64_t from = join_halves(dw[3], dw[4]), to = join_halves(dw[5], dw[6]);
	uint64_t bytes = (uint64_t)(dw[1] & 0x3fffff) + 1;

	if (!queue_work(e, s->queue, bytes / 64))
		return FAILED;
	return check(e, s, copy_bytes(e, &s->queue->vm, from, to, bytes), "copy");
}

/* where row @y of layer @z begins; dw: address, x and y, z and pitch - 1, layer - 1 */
static uint64_t window_row(const uint32_t *dw, unsigned int shift, uint64_t y, uint64_t z)
{
	uint64_t layer = (dw[4] & 0xfffffff) + 1ull, pitch = (dw[3] >> 13) + 1ull;

	return join_halves(dw[0], dw[1]) +
	       (((z + (dw[3] & 0x7ff)) * layer + (y + (dw[2] >> 16 & 0x3fff)) * pitch +
		 (dw[2] & 0x3fff)) << shift);
}

/*
 * A part of an image: dw: header with the size of an element, source and destination
 * as above, width - 1 and height - 1, depth - 1
 */
static enum outcome copy_window(struct engine *e, struct stream *s,
				const uint32_t *dw)
{
	uint64_t height = (dw[11] >> 16 & 0x3fff) + 1, depth = (dw[12] & 0x7ff) + 1, y, z;
	unsigned int shift = dw[0] >> 29;
	uint64_t bytes = ((dw[11] & 0x3fff) + 1ull) << shift;

	for (z = 0; z < depth; z++) {
		for (y = 0; y < height; y++) {
			if (!queue_work(e, s->queue, 1 + bytes / 64))
				return FAILED;
			if (!copy_bytes(e, &s->queue->vm, window_row(dw + 1, shift, y, z),
					window_row(dw + 6, shift, y, z), bytes))
				return check(e, s, false, "copy");
		}
	}
	return DONE;
}

/* dw: header, destination, count - 1, data in the stream behind it */
static enum outcome write_linear(struct engine *e, struct stream *s, uint64_t nr,
				 const uint32_t *dw)
{
	uint32_t count = (dw[3] & 0xfffff) + 1, value, i;
	uint64_t to = join_halves(dw[1], dw[2]);

	for (i = 0; i < count; i++) {
		if (!stream_read(e, s, nr + 4 + i, &value))
			return FAILED;
		if (!vm_write32(e->access, &s->queue->vm, to + i * 4ull, value))
			return check(e, s, false, "write");
	}
	return DONE;
}

/* dw: header, destination, data, bytes - 1 */
static enum outcome const_fill(struct engine *e, struct stream *s,
			       const uint32_t *dw)
{
	uint64_t left = (uint64_t)(dw[4] & 0x3fffff) + 1, to = join_halves(dw[1], dw[2]);
	uint32_t part[COPY_PART / 4];
	bool good = true;
	size_t len, i;

	if (!queue_work(e, s->queue, left / 64))
		return FAILED;
	for (i = 0; i < COPY_PART / 4; i++)
		part[i] = dw[3];
	/* the count of fills by dwords is that of the last dword */
	if (dw[0] >> 30 == 2)
		left = (left + 3) & ~3ull;
	for (; left && good; left -= len, to += len) {
		len = left < COPY_PART ? left : COPY_PART;
		good = vm_write(e->access, &s->queue->vm, to, part, len);
	}
	return check(e, s, good, "fill");
}

/* dw: header, destination, mask, address of the first entry, increment, count - 1 */
static enum outcome page_entries(struct engine *e, struct stream *s,
				 const uint32_t *dw)
{
	uint64_t to = join_halves(dw[1], dw[2]), flags = join_halves(dw[3], dw[4]);
	uint64_t value = join_halves(dw[5], dw[6]), step = join_halves(dw[7], dw[8]);
	uint32_t count = (dw[9] & 0x7ffff) + 1, i;
	bool good = true;

	if (!queue_work(e, s->queue, count))
		return FAILED;
	for (i = 0; i < count && good; i++, value += step)
		good = vm_write64(e->access, &s->queue->vm, to + i * 8ull,
				  value | flags);
	return check(e, s, good, "page table");
}

static uint32_t register_at(uint32_t byte)
{
	return byte >> 2 & (MODEL_NR_REGISTERS - 1);
}

/*
 * dw: header, address, value, mask, retries; to flush HDP: header, register that tells
 * the end, register that begins it, value for both. A process has no registers: ROCr
 * flushes HDP by a poll of one that every value ends.
 */
static enum outcome poll_regmem(struct engine *e, struct stream *s,
				const uint32_t *dw)
{
	bool flush = dw[0] >> 26 & 1;
	uint32_t value;

	if (s->queue->user && (flush || !(dw[0] >> 31)))
		return flush || dw[0] >> 28 & 7 ? FAILED : DONE;
	if (flush)
		e->write_register(e->gpu, register_at(dw[2]), dw[3]);
	if (dw[0] >> 31) {
		if (!vm_read32(e->access, &s->queue->vm, join_halves(dw[1] & ~3u, dw[2]),
			       &value))
			return check(e, s, false, "poll");
	} else {
		value = register_get(e->regs, register_at(dw[1]));
	}
	if (compare_values(dw[0] >> 28 & 7, value & dw[4], dw[3]))
		return DONE;
	if (!s->depth) {
		queue_wait(e, s->queue, dw[0] >> 31 ? MODEL_NR_REGISTERS :
					register_at(dw[1]), dw[3]);
		return WAITS;
	}
	queue_error(e, s->queue, "SDMA waits in an indirect buffer, which is not modelled");
	return FAILED;
}

static enum outcome trap(struct engine *e, struct stream *s, const uint32_t *dw)
{
	queue_interrupt(e, s->queue, clients[s->queue->sdma],
			SDMA0_4_0__SRCID__SDMA_TRAP, dw[1] & 0xfffffff);
	return DONE;
}

/* dw: header, address, operand, compare value, interval; only 64-bit addition */
static enum outcome atomic(struct engine *e, struct stream *s, const uint32_t *dw)
{
	uint64_t va = join_halves(dw[1], dw[2]), value;

	/* SDMA_ATOMIC_ADD64 of ROCr */
	if (dw[0] >> 25 != 0x2f)
		return FAILED;
	return check(e, s, vm_read64(e->access, &s->queue->vm, va, &value) &&
			   vm_write64(e->access, &s->queue->vm, va,
				      value + join_halves(dw[3], dw[4])), "atomic");
}

static enum outcome timestamp(struct engine *e, struct stream *s,
			      const uint32_t *dw)
{
	return check(e, s, vm_write64(e->access, &s->queue->vm,
				      join_halves(dw[1], dw[2]), clock_ticks()),
		     "time stamp");
}

static enum outcome srbm_write(struct engine *e, struct stream *s,
			       const uint32_t *dw)
{
	if (s->queue->user)
		return FAILED;
	e->write_register(e->gpu, dw[1] & (MODEL_NR_REGISTERS - 1), dw[2]);
	return DONE;
}

static enum outcome run_one(struct engine *e, struct stream *s, uint64_t *nr);

static enum outcome indirect(struct engine *e, struct stream *s,
			     const uint32_t *dw)
{
	struct stream inner = stream_inner(s, join_halves(dw[1] & ~0x1fu, dw[2]),
					   dw[3] & 0xfffff);

	if (s->depth >= MAX_DEPTH || !inner.at)
		return FAILED;
	return stream_run(e, &inner, run_one);
}

/* dwords of a packet, but for what WRITE and NOP carry; 0: not modelled */
static unsigned int packet_dwords(uint32_t header)
{
	static const uint8_t dwords[] = {
		[SDMA_OP_NOP] = 1, [SDMA_OP_COPY] = 7, [SDMA_OP_WRITE] = 4,
		[SDMA_OP_INDIRECT] = 6, [SDMA_OP_FENCE] = 4, [SDMA_OP_TRAP] = 2,
		[SDMA_OP_POLL_REGMEM] = 6, [SDMA_OP_ATOMIC] = 8,
		[SDMA_OP_CONST_FILL] = 5, [SDMA_OP_PTEPDE] = 10,
		[SDMA_OP_TIMESTAMP] = 3, [SDMA_OP_SRBM_WRITE] = 3,
		[SDMA_OP_PRE_EXE] = 2,
	};
	unsigned int op = header & 0xff, sub = header >> 8 & 0xff;

	if (op >= sizeof(dwords))
		return 0;
	if (op == SDMA_OP_COPY && header & BROADCAST)
		return 0;
	if (op == SDMA_OP_COPY && sub == SDMA_SUBOP_COPY_LINEAR_SUB_WIND)
		return WINDOW_DWORDS;
	/* copies, writes and page entries have variants that are not modelled */
	if (sub && (op == SDMA_OP_COPY || op == SDMA_OP_WRITE ||
		    op == SDMA_OP_PTEPDE || op == SDMA_OP_POLL_REGMEM ||
		    op == SDMA_OP_CONST_FILL))
		return 0;
	return dwords[op];
}

static enum outcome run_packet(struct engine *e, struct stream *s, uint64_t nr,
			       const uint32_t *dw)
{
	switch (dw[0] & 0xff) {
	case SDMA_OP_NOP:
	case SDMA_OP_PRE_EXE:
		return DONE;
	case SDMA_OP_COPY:
		return dw[0] >> 8 & 0xff ? copy_window(e, s, dw) : copy_linear(e, s, dw);
	case SDMA_OP_WRITE:
		return write_linear(e, s, nr, dw);
	case SDMA_OP_INDIRECT:
		return indirect(e, s, dw);
	case SDMA_OP_FENCE:
		return check(e, s, vm_write32(e->access, &s->queue->vm,
					      join_halves(dw[1], dw[2]), dw[3]), "fence");
	case SDMA_OP_TRAP:
		return trap(e, s, dw);
	case SDMA_OP_POLL_REGMEM:
		return poll_regmem(e, s, dw);
	case SDMA_OP_ATOMIC:
		return atomic(e, s, dw);
	case SDMA_OP_CONST_FILL:
		return const_fill(e, s, dw);
	case SDMA_OP_PTEPDE:
		return page_entries(e, s, dw);
	case SDMA_OP_TIMESTAMP:
		return timestamp(e, s, dw);
	case SDMA_OP_SRBM_WRITE:
		return srbm_write(e, s, dw);
	default:
		return FAILED;
	}
}

/* dwords of the packet with all that it carries */
static uint64_t packet_length(const uint32_t *dw, unsigned int dwords)
{
	if ((dw[0] & 0xff) == SDMA_OP_NOP)
		return 1 + (dw[0] >> 16 & 0x3fff);
	if ((dw[0] & 0xff) == SDMA_OP_WRITE)
		return dwords + (dw[3] & 0xfffff) + 1;
	return dwords;
}

static enum outcome run_one(struct engine *e, struct stream *s, uint64_t *nr)
{
	uint32_t dw[WINDOW_DWORDS] = { 0 };
	unsigned int dwords, i;
	enum outcome outcome = FAILED;
	uint64_t length = 1;

	if (!stream_read(e, s, *nr, &dw[0]))
		return FAILED;
	dwords = packet_dwords(dw[0]);
	for (i = 1; i < dwords && *nr + i < s->size; i++)
		if (!stream_read(e, s, *nr + i, &dw[i]))
			return FAILED;
	if (dwords)
		length = packet_length(dw, dwords);
	if (length > s->size - *nr)
		queue_error(e, s->queue, "SDMA packet 0x%08x ends behind what is there",
			    dw[0]);
	else if (dwords && queue_work(e, s->queue, length))
		outcome = run_packet(e, s, *nr, dw);
	e->packets++;
	if (!queue_is(s->queue, s->serial))
		return GONE;
	if (outcome == FAILED && !s->queue->stopped)
		queue_error(e, s->queue, "SDMA packet 0x%08x is not modelled or wrong",
			    dw[0]);
	if (outcome == DONE)
		*nr += length;
	return outcome;
}

void sdma_run(struct engine *e, struct queue *queue)
{
	if (stream_run_ring(e, queue, run_one) && queue->rptr_addr)
		vm_write64(e->access, &queue->vm, queue->rptr_addr,
			   queue->rptr * 4);
}

/* ---- rings of the kernel ------------------------------------------------- */

static bool ring_has(const struct registers *regs, const struct sdma_registers *r,
		     uint32_t doorbell)
{
	return FIELD_GET(register_get(regs, r->rb_cntl), SDMA0_GFX_RB_CNTL,
			 RB_ENABLE) &&
	       FIELD_GET(register_get(regs, r->doorbell), SDMA0_GFX_DOORBELL,
			 ENABLE) &&
	       FIELD_GET(register_get(regs, r->doorbell_offset),
			 SDMA0_GFX_DOORBELL_OFFSET, OFFSET) == doorbell;
}

static struct queue ring_queue(const struct registers *regs,
			       const struct sdma_registers *r,
			       unsigned int engine, enum sdma_ring ring,
			       uint32_t doorbell)
{
	uint32_t cntl = register_get(regs, r->rb_cntl);

	return (struct queue){
		.kind = QUEUE_SDMA,
		.vm = vm_kernel,
		.base = join_halves(register_get(regs, r->rb_base),
			     register_get(regs, r->rb_base_hi)) << 8,
		.size = queue_size(FIELD_GET(cntl, SDMA0_GFX_RB_CNTL, RB_SIZE)),
		.rptr = register_get(regs, r->rb_rptr) / 4,
		.rptr_addr = FIELD_GET(cntl, SDMA0_GFX_RB_CNTL,
				       RPTR_WRITEBACK_ENABLE) ?
			join_halves(register_get(regs, r->rb_rptr_addr_lo) & ~3u,
			     register_get(regs, r->rb_rptr_addr_hi)) : 0,
		.doorbell = doorbell,
		.sdma = engine,
		.ring_id = ring == SDMA_GFX ? 0 : 3,
	};
}

static void ring_forget(struct engine *e, const struct sdma_registers *r)
{
	uint32_t offset = register_get(e->regs, r->doorbell_offset);
	struct queue *queue = queue_find(e,
		FIELD_GET(offset, SDMA0_GFX_DOORBELL_OFFSET, OFFSET));

	if (queue && queue->kind == QUEUE_SDMA && !queue->user)
		queue_remove(queue);
}

void sdma_written(struct engine *e, const struct sdma *sdma, uint32_t index)
{
	unsigned int engine, ring;

	for (engine = 0; engine < sdma->nr; engine++)
		for (ring = 0; ring < SDMA_NR_RINGS; ring++)
			if (sdma->ring[engine][ring].rb_cntl == index &&
			    !FIELD_GET(register_get(e->regs, index),
				       SDMA0_GFX_RB_CNTL, RB_ENABLE))
				ring_forget(e, &sdma->ring[engine][ring]);
}

bool sdma_doorbell(struct engine *e, const struct sdma *sdma, uint32_t doorbell,
		   uint64_t value)
{
	struct queue *old = queue_find(e, doorbell), q;
	unsigned int engine, ring;

	for (engine = 0; engine < sdma->nr; engine++)
		for (ring = 0; ring < SDMA_NR_RINGS; ring++)
			if (ring_has(e->regs, &sdma->ring[engine][ring], doorbell))
				goto found;
	return false;
found:
	q = ring_queue(e->regs, &sdma->ring[engine][ring], engine, ring, doorbell);
	/* the driver set the ring up once more, perhaps elsewhere */
	if (old && (old->base != q.base || old->size != q.size)) {
		queue_remove(old);
		old = NULL;
	}
	if (!old)
		old = queue_add(e, &q);
	if (old) {
		old->wptr = value / 4;
		old->kicked = true;
	}
	return true;
}
