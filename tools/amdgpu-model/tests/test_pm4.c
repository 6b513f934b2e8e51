// SPDX-License-Identifier: GPL-2.0
/* The command processor: what each packet does, and what it does not. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amd_compat.h"
#include "soc15_int.h"
#include "soc15d.h"
#include "v9_structs.h"
#include "kfd_pm4_headers_ai.h"
#include "kfd_pm4_headers_aldebaran.h"
#include "kfd_pm4_opcodes.h"

#include "tap.h"
#include "world.h"

#define le32_to_cpu(value)	(value)

/* amdgpu's shifts of the sign bit are no C */
#undef PACKET3
#undef DATA_SEL
#define PACKET3(opcode, count)	(3u << 30 | (uint32_t)(opcode) << 8 | (uint32_t)(count) << 16)
#define DATA_SEL(select)	((uint32_t)(select) << 29)

#define DATA		(GUEST_GART + AT_DATA)
#define USER_DATA	(GUEST_USER + AT_DATA)
#define LO(va)		((uint32_t)(va))
#define HI(va)		((uint32_t)((uint64_t)(va) >> 32))
#define HOLE		(GUEST_GART + GUEST_BYTES)	/* not mapped */

/* of the process's queue */
#define AT_USER_RING	0x20000u
#define AT_USER_RPTR	0x21000u
#define AT_USER_WPTR	0x21040u
#define AT_MQD		0x22000u
#define AT_LIST		0x24000u
#define USER_DOORBELL	0x802u
#define USER_DWORDS	256u

static struct world w;
static uint32_t scratch;	/* index of SCRATCH_REG0 */

static bool ran_all(const struct queue *queue)
{
	return queue && !queue->stopped && !queue->waiting && queue->rptr == queue->wptr;
}

static void ring_start(uint32_t rptr)
{
	ring_begin(&w, rptr);
	memset(w.guest + AT_DATA, 0, 0x8000);
	reg_set(w.gpu->regs, R_GC_SCRATCH_REG0, 0);
	ih_drain(&w);
}

/* a ring with that in it: all of it is executed */
static bool runs(const uint32_t *dw, unsigned int nr)
{
	ring_start(0);
	ring_put(&w, dw, nr);
	ring_kick(&w);
	return ran_all(ring_queue(&w)) && *guest32(&w, AT_RPTR) == nr % RING_DWORDS;
}

#define RUNS(...)	runs((const uint32_t []){ __VA_ARGS__ },	\
			     sizeof((const uint32_t []){ __VA_ARGS__ }) / 4)

/* it is refused, and reported */
static bool fails(const uint32_t *dw, unsigned int nr)
{
	uint64_t faults = w.gpu->log.faults;

	return !runs(dw, nr) && ring_queue(&w) && ring_queue(&w)->stopped &&
	       w.gpu->log.faults > faults;
}

#define FAILS(...)	fails((const uint32_t []){ __VA_ARGS__ },	\
			      sizeof((const uint32_t []){ __VA_ARGS__ }) / 4)

/* ---- packets ------------------------------------------------------------- */

static void check_write_data(void)
{
	uint32_t many[4 + 61] = { PACKET3(PACKET3_WRITE_DATA, 63), WRITE_DATA_DST_SEL(5),
				  LO(DATA + 0xff8), HI(DATA) };
	unsigned int i, bad = 0;

	tap_ok(RUNS(PACKET3(PACKET3_WRITE_DATA, 3), WRITE_DATA_DST_SEL(5) | WR_CONFIRM,
		    LO(DATA), HI(DATA), 0x1234) &&
	       *guest32(&w, AT_DATA) == 0x1234 && !*guest32(&w, AT_DATA + 4),
	       "WRITE_DATA to memory");
	for (i = 0; i < 61; i++)
		many[4 + i] = i + 1;
	tap_ok(runs(many, 65), "of 61 dwords");
	for (i = 0; i < 62; i++)
		bad += *guest32(&w, AT_DATA + 0xff8 + i * 4) != (i < 61 ? i + 1 : 0);
	tap_ok(!bad, "over the end of a page");
	tap_ok(RUNS(PACKET3(PACKET3_WRITE_DATA, 4), WRITE_DATA_DST_SEL(0), scratch, 0,
		    7, 8) && mmio_read(&w, "GC SCRATCH_REG0") == 7 &&
	       mmio_read(&w, "GC SCRATCH_REG1") == 8, "to two registers");
	tap_ok(FAILS(PACKET3(PACKET3_WRITE_DATA, 3), WRITE_DATA_DST_SEL(5), LO(HOLE),
		     HI(HOLE), 1), "to no memory");
	tap_ok(FAILS(PACKET3(PACKET3_WRITE_DATA, 3), WRITE_DATA_DST_SEL(0), 0xffffffff, 0,
		     1) &&
	       FAILS(PACKET3(PACKET3_WRITE_DATA, 4), WRITE_DATA_DST_SEL(0),
		     MODEL_NR_REGISTERS - 1, 0, 1, 2), "to no register");
	tap_ok(FAILS(PACKET3(PACKET3_WRITE_DATA, 2), WRITE_DATA_DST_SEL(5), LO(DATA),
		     HI(DATA)), "of nothing");
	tap_ok(RUNS(PACKET3(PACKET3_SET_UCONFIG_REG, 2),
		    scratch - PACKET3_SET_UCONFIG_REG_START, 5, 6) &&
	       mmio_read(&w, "GC SCRATCH_REG0") == 5 &&
	       mmio_read(&w, "GC SCRATCH_REG1") == 6, "SET_UCONFIG_REG");
}

static bool release(uint32_t select, uint64_t data, uint32_t context)
{
	return RUNS(PACKET3(PACKET3_RELEASE_MEM, 6), EOP_TCL1_ACTION_EN | EOP_TC_ACTION_EN,
		    select, LO(DATA), HI(DATA), LO(data), HI(data), context);
}

static void check_release_mem(void)
{
	uint64_t before = clock_ns() / 10, *at = guest64(&w, AT_DATA);
	uint32_t entry[8];

	tap_ok(release(DATA_SEL(1), 0x1122334455667788, 0) && *at == 0x55667788 &&
	       !ih_next(&w, entry), "RELEASE_MEM: 32 bits");
	tap_ok(release(DATA_SEL(2), 0x1122334455667788, 0) && *at == 0x1122334455667788,
	       "64 bits");
	tap_ok(release(DATA_SEL(3), 5, 0) && *at >= before && *at <= clock_ns() / 10,
	       "the clock");
	tap_ok(release(DATA_SEL(2) | INT_SEL(2), 9, 0xabc) && *at == 9 &&
	       ih_next(&w, entry) && !ih_next(&w, entry + 0),
	       "with an interrupt");
	tap_ok(SOC15_CLIENT_ID_FROM_IH_ENTRY(entry) == SOC15_IH_CLIENTID_GRBM_CP &&
	       SOC15_SOURCE_ID_FROM_IH_ENTRY(entry) == SOC15_INTSRC_CP_END_OF_PIPE &&
	       SOC15_RING_ID_FROM_IH_ENTRY(entry) == 1 << 2 &&
	       SOC15_CONTEXT_ID0_FROM_IH_ENTRY(entry) == 0xabc &&
	       !SOC15_VMID_FROM_IH_ENTRY(entry) && !SOC15_PASID_FROM_IH_ENTRY(entry),
	       "of the end of a pipe");
	tap_ok(release(INT_SEL(1), 9, 0) && !*at && ih_next(&w, entry),
	       "an interrupt alone");
	tap_ok(release(DATA_SEL(2) | INT_SEL(3), 9, 0) && *at == 9 &&
	       !ih_next(&w, entry), "a confirmation is no interrupt");
	tap_ok(FAILS(PACKET3(PACKET3_RELEASE_MEM, 6), 0, DATA_SEL(2) | INT_SEL(2),
		     LO(HOLE), HI(HOLE), 1, 2, 3) && !ih_next(&w, entry),
	       "to no memory: nor is there an interrupt");
}

static void wait_for(uint32_t control, uint64_t at, uint32_t reference, uint32_t mask)
{
	const uint32_t dw[] = {
		PACKET3(PACKET3_WAIT_REG_MEM, 5), control, LO(at), HI(at), reference, mask,
		0x20,
		PACKET3(PACKET3_WRITE_DATA, 3), WRITE_DATA_DST_SEL(5), LO(DATA + 64),
		HI(DATA), 1
	};

	ring_put(&w, dw, sizeof(dw) / 4);
	ring_kick(&w);
}

static bool is_waiting(void)
{
	const struct queue *q = ring_queue(&w);

	return q && q->waiting && !q->stopped && !*guest32(&w, AT_DATA + 64) &&
	       q->wptr - q->rptr == 12;
}

static bool went_on(void)
{
	return ran_all(ring_queue(&w)) && *guest32(&w, AT_DATA + 64) == 1;
}

static bool compares(unsigned int function, uint32_t value)
{
	static const uint32_t reference = 0x80000005;

	switch (function) {
	case 1: return value < reference;
	case 2: return value <= reference;
	case 3: return value == reference;
	case 4: return value != reference;
	case 5: return value >= reference;
	case 6: return value > reference;
	default: return true;
	}
}

static void check_wait(void)
{
	static const uint32_t values[] = { 0, 4, 0x80000004, 0x80000005, 0x80000006,
		UINT32_MAX };
	unsigned int function, i, bad = 0;
	uint64_t faults;

	for (function = 0; function < 7; function++)
		for (i = 0; i < 12; i++) {
			uint32_t value = values[i % 6];
			bool met = compares(function, value & 0xf000000f);

			ring_start(250);
			*guest32(&w, AT_DATA) = i < 6 ? value : 0;
			if (i >= 6)
				reg_set(w.gpu->regs, R_GC_SCRATCH_REG0, value);
			wait_for(i < 6 ? WAIT_REG_MEM_MEM_SPACE(1) |
				 WAIT_REG_MEM_FUNCTION(function) :
				 WAIT_REG_MEM_FUNCTION(function),
				 i < 6 ? DATA : scratch, 0x80000005, 0xf000000f);
			bad += met ? !went_on() : !is_waiting();
		}
	tap_ok(!bad, "WAIT_REG_MEM compares");
	ring_start(0);
	wait_for(WAIT_REG_MEM_MEM_SPACE(1) | WAIT_REG_MEM_FUNCTION(3), DATA, 2, 0xff);
	*guest32(&w, AT_DATA) = 3;
	bad = gpu_look_again(w.gpu) < 0 || !is_waiting();
	*guest32(&w, AT_DATA) = 0x102;
	bad += gpu_look_again(w.gpu) >= 0 || !went_on();
	tap_ok(!bad, "it goes on when memory changes");
	ring_start(0);
	wait_for(WAIT_REG_MEM_FUNCTION(3), scratch, 2, 0xff);
	bad = gpu_look_again(w.gpu) < 0 || !is_waiting();
	mmio_write(&w, "GC SCRATCH_REG0", 2);
	bad += gpu_look_again(w.gpu) >= 0 || !went_on();
	tap_ok(!bad, "or a register");
	ring_start(0);
	wait_for(WAIT_REG_MEM_OPERATION(1) | WAIT_REG_MEM_FUNCTION(3),
		 register_index(&w, "GC VM_INVALIDATE_ENG3_REQ") |
		 (uint64_t)register_index(&w, "GC VM_INVALIDATE_ENG3_ACK") << 32,
		 0xf80004, 1 << 2);
	tap_ok(went_on() && mmio_read(&w, "GC VM_INVALIDATE_ENG3_REQ") == 0xf80004,
	       "one register is written, another one waited for");
	ring_start(0);
	wait_for(WAIT_REG_MEM_MEM_SPACE(1) | WAIT_REG_MEM_FUNCTION(3), HOLE, 2, 0xff);
	tap_ok(ring_queue(&w)->stopped, "no memory to wait for");
	ring_start(0);
	faults = w.gpu->log.faults;
	wait_for(WAIT_REG_MEM_FUNCTION(3), scratch, 2, 0xff);
	clock_advance(900000000);
	gpu_look_again(w.gpu);
	bad = w.gpu->log.faults != faults;
	clock_advance(200000000);
	for (i = 0; i < 5; i++)
		gpu_look_again(w.gpu);
	tap_ok(!bad && w.gpu->log.faults == faults + 1 &&
	       world_log(&w, "waits for GC SCRATCH_REG0 to become 0x2") == 1,
	       "a long wait is in the log, once");
}

static bool copies(uint32_t control, uint64_t from, uint64_t to)
{
	return RUNS(PACKET3(PACKET3_WRITE_DATA, 4), WRITE_DATA_DST_SEL(5), LO(DATA),
		    HI(DATA), 0x11111111, 0x22222222,
		    PACKET3(PACKET3_WRITE_DATA, 3), WRITE_DATA_DST_SEL(0), scratch, 0,
		    0x33333333,
		    PACKET3(PACKET3_COPY_DATA, 4), control, LO(from), HI(from), LO(to),
		    HI(to));
}

static void check_copy(void)
{
	uint64_t *at = guest64(&w, AT_DATA + 8), before = clock_ns() / 10;
	uint32_t wide = 1 << 16, to_memory = 5 << 8;

	tap_ok(copies(5 | to_memory, 0x4444444455555555, DATA + 8) && *at == 0x55555555,
	       "COPY_DATA: an immediate value to memory");
	tap_ok(copies(5 | to_memory | wide, 0x4444444455555555, DATA + 8) &&
	       *at == 0x4444444455555555, "of 64 bits");
	tap_ok(copies(1 | to_memory, DATA, DATA + 8) && *at == 0x11111111 &&
	       copies(2 | to_memory | wide, DATA, DATA + 8) && *at == 0x2222222211111111,
	       "memory to memory");
	tap_ok(copies(0 | to_memory, scratch, DATA + 8) && *at == 0x33333333,
	       "a register to memory");
	tap_ok(copies(1, DATA, scratch + 1) && mmio_read(&w, "GC SCRATCH_REG1") == 0x11111111,
	       "memory to a register");
	tap_ok(copies(9 | to_memory | wide, 0, DATA + 8) && *at >= before &&
	       *at <= clock_ns() / 10, "the clock to memory");
	tap_ok(!copies(1 | to_memory, HOLE, DATA + 8) && !copies(5 | to_memory, 1, HOLE) &&
	       !copies(7 | to_memory, 1, DATA + 8), "from or to nothing");
}

static uint32_t *indirect_at(unsigned int depth)
{
	return guest32(&w, AT_DATA + depth * 256);
}

/* @depth buffers, the last of which writes */
static bool indirect(unsigned int depth)
{
	const uint32_t write[] = { PACKET3(PACKET3_WRITE_DATA, 3), WRITE_DATA_DST_SEL(5),
				   LO(DATA), HI(DATA), 7 };
	unsigned int i;

	ring_start(RING_DWORDS - 2);
	for (i = 1; i <= depth; i++) {
		uint64_t next = DATA + (i + 1) * 256;
		const uint32_t call[] = { PACKET3(PACKET3_INDIRECT_BUFFER, 2), LO(next),
					  HI(next), (1 << 23) | 5,
					  PACKET3(PACKET3_NOP, 0x3fff) };

		memcpy(indirect_at(i), i == depth ? write : call, 20);
	}
	ring_put(&w, (const uint32_t []){ PACKET3(PACKET3_INDIRECT_BUFFER, 2),
		 LO(DATA + 256), HI(DATA), (1 << 23) | 5 }, 4);
	ring_kick(&w);
	return ran_all(ring_queue(&w)) && *guest32(&w, AT_DATA) == 7;
}

static void check_indirect(void)
{
	tap_ok(indirect(1), "INDIRECT_BUFFER");
	tap_ok(indirect(2), "in one");
	tap_ok(!indirect(3) && ring_queue(&w)->stopped, "in that one is refused");
	tap_ok(RUNS(PACKET3(PACKET3_INDIRECT_BUFFER, 2), LO(HOLE), HI(HOLE), 0),
	       "an empty one");
	tap_ok(FAILS(PACKET3(PACKET3_INDIRECT_BUFFER, 2), LO(HOLE), HI(HOLE), 1),
	       "one outside of memory");
	tap_ok(FAILS(PACKET3(PACKET3_INDIRECT_BUFFER, 2), 0, 0, 1), "one nowhere");
	ring_start(0);
	indirect_at(1)[0] = PACKET3(PACKET3_WRITE_DATA, 3);
	indirect_at(1)[1] = WRITE_DATA_DST_SEL(5);
	indirect_at(1)[2] = LO(DATA);
	indirect_at(1)[3] = HI(DATA);
	indirect_at(1)[4] = 7;
	ring_put(&w, (const uint32_t []){ PACKET3(PACKET3_INDIRECT_BUFFER, 2),
		 LO(DATA + 256), HI(DATA), 4 }, 4);
	ring_kick(&w);
	tap_ok(ring_queue(&w)->stopped && !*guest32(&w, AT_DATA),
	       "one that ends in a packet");
}

/* ---- where packets begin and end ----------------------------------------- */

/* packets that write @count dwords below AT_DATA, or interrupt */
static const struct sample {
	const char *name;
	unsigned int nr;
	uint32_t dw[8];
} samples[] = {
	{ "WRITE_DATA", 6, { PACKET3(PACKET3_WRITE_DATA, 4), WRITE_DATA_DST_SEL(5),
		LO(DATA), HI(DATA), 7, 8 } },
	{ "RELEASE_MEM", 8, { PACKET3(PACKET3_RELEASE_MEM, 6), 0,
		DATA_SEL(2) | INT_SEL(2), LO(DATA), HI(DATA), 7, 8, 9 } },
	{ "COPY_DATA", 6, { PACKET3(PACKET3_COPY_DATA, 4), 5 | 5 << 8 | 1 << 16, 7, 8,
		LO(DATA), HI(DATA) } },
	{ "QUERY_STATUS", 7, { PACKET3(PACKET3_QUERY_STATUS, 5), 0, 0, LO(DATA), HI(DATA),
		7, 8 } },
	{ "NOP", 4, { PACKET3(PACKET3_NOP, 2), 0xffffffff, 0xffffffff, 0xffffffff } },
};

#define NR_SAMPLES	(sizeof(samples) / sizeof(samples[0]))

static uint64_t sample_writes(const struct sample *sample)
{
	return strcmp(sample->name, "NOP") ? 0x800000007 : 0;
}

/* the write pointer in the middle of it, and then behind it */
static bool sample_splits(const struct sample *sample)
{
	unsigned int cut;

	for (cut = 1; cut < sample->nr; cut++) {
		ring_start(5);
		ring_put(&w, sample->dw, cut);
		ring_kick(&w);
		if (!ring_queue(&w)->stopped || *guest64(&w, AT_DATA) || ih_drain(&w) ||
		    ring_queue(&w)->rptr != 5)
			return false;
		/* an error is for ever */
		ring_put(&w, sample->dw + cut, sample->nr - cut);
		ring_kick(&w);
		if (*guest64(&w, AT_DATA) || ih_drain(&w))
			return false;
	}
	return true;
}

static bool sample_wraps(const struct sample *sample)
{
	unsigned int rptr;

	for (rptr = RING_DWORDS - sample->nr; rptr <= RING_DWORDS; rptr++) {
		ring_start(rptr);
		ring_put(&w, sample->dw, sample->nr);
		ring_kick(&w);
		if (!ran_all(ring_queue(&w)) ||
		    *guest64(&w, AT_DATA) != sample_writes(sample) ||
		    *guest32(&w, AT_RPTR) != (rptr + sample->nr) % RING_DWORDS)
			return false;
	}
	return true;
}

/* a count that is too small is refused, except where what is missing is optional */
static bool sample_short(const struct sample *sample)
{
	unsigned int count, optional = !strcmp(sample->name, "WRITE_DATA") ||
				       !strcmp(sample->name, "RELEASE_MEM");
	uint32_t dw[8];

	for (count = 1; count + optional < sample->nr - 1; count++) {
		memcpy(dw, sample->dw, sizeof(dw));
		dw[0] = PACKET3(dw[0] >> 8 & 0xff, count - 1);
		if (!fails(dw, count + 1) || *guest64(&w, AT_DATA))
			return false;
	}
	return true;
}

static void check_borders(void)
{
	uint32_t dw[80] = { PACKET3(PACKET3_WRITE_DATA, 64), WRITE_DATA_DST_SEL(5),
			    LO(DATA), HI(DATA) };
	unsigned int i;

	for (i = 0; i < NR_SAMPLES; i++) {
		tap_ok(sample_splits(&samples[i]), "%s, cut by the write pointer",
		       samples[i].name);
		tap_ok(sample_wraps(&samples[i]), "%s, over the end of the ring",
		       samples[i].name);
		if (sample_writes(&samples[i]))
			tap_ok(sample_short(&samples[i]), "%s, too short", samples[i].name);
	}
	tap_ok(fails(dw, 66) && !*guest32(&w, AT_DATA), "a packet that is too long");
	dw[0] = PACKET3(PACKET3_NOP, 70);
	tap_ok(runs(dw, 72), "but for a filler");
	tap_ok(RUNS(PACKET3(PACKET3_NOP, 0x3fff), 0x80000000, 0, 0x80000000, 0, 0),
	       "fillers of a dword, also at the end");
	tap_ok(FAILS(0x40000000) && FAILS(0x00000123, 0), "types that are none");
	tap_ok(FAILS(PACKET3(0xfe, 0), 0) && FAILS(PACKET3(PACKET3_WRITE_DATA, 0x3fff), 0),
	       "packets that are none");
	ring_start(0);
	w.wptr = RING_DWORDS + 1;
	ring_kick(&w);
	tap_ok(ring_queue(&w)->stopped, "a write pointer further than the ring is long");
	ring_start(RING_DWORDS * 2);
	w.wptr = 5;
	ring_kick(&w);
	tap_ok(ring_queue(&w)->stopped, "one that goes back");
	ring_start(0);
	for (i = 0; i < RING_DWORDS; i++)
		ring_put(&w, (const uint32_t []){ PACKET3(PACKET3_NOP, 0x3fff) }, 1);
	ring_kick(&w);
	tap_ok(ran_all(ring_queue(&w)), "a ring that is full");
}

/* ---- queues -------------------------------------------------------------- */

static void build_mqd(uint32_t rptr)
{
	struct v9_mqd *mqd = (struct v9_mqd *)(w.guest + AT_MQD);

	memset(mqd, 0, sizeof(*mqd));
	mqd->cp_hqd_pq_base_lo = LO((GUEST_USER + AT_USER_RING) >> 8);
	mqd->cp_hqd_pq_base_hi = (GUEST_USER + AT_USER_RING) >> 40;
	mqd->cp_hqd_pq_control = __builtin_ctz(USER_DWORDS) - 1;
	mqd->cp_hqd_pq_rptr_report_addr_lo = LO(GUEST_USER + AT_USER_RPTR);
	mqd->cp_hqd_pq_rptr_report_addr_hi = HI(GUEST_USER + AT_USER_RPTR);
	mqd->cp_hqd_pq_rptr = rptr;
	mqd->cp_hqd_cntl_stack_size = mqd->cp_hqd_cntl_stack_offset = 0x1000;
}

static unsigned int put_process(uint32_t *dw, uint32_t pasid, uint64_t root)
{
	struct pm4_mes_map_process_aldebaran p = { .ordinal1 = 0 };

	p.ordinal1 = PACKET3(IT_MAP_PROCESS, sizeof(p) / 4 - 2);
	p.bitfields2.pasid = pasid;
	p.vm_context_page_table_base_addr_lo32 = LO(root);
	p.vm_context_page_table_base_addr_hi32 = HI(root);
	p.sh_mem_bases = 0x60002000;
	p.sh_mem_config = 0xc00c;
	p.sq_shader_tba_lo = 0x11;
	p.sq_shader_tba_hi = 0x80000012;
	p.sq_shader_tma_lo = 0x13;
	p.sq_shader_tma_hi = 0x14;
	p.spi_gdbg_per_vmid_cntl = 0x808;
	p.tcp_watch_cntl[0] = 0xa0ffffff;
	p.tcp_watch_cntl[3] = 0x80000001;
	memcpy(dw, &p, sizeof(p));
	return sizeof(p) / 4;
}

static unsigned int put_queue(uint32_t *dw, uint32_t doorbell, uint64_t mqd,
			      uint64_t wptr)
{
	const uint32_t map[] = {
		PACKET3(PACKET3_MAP_QUEUES, 5), PACKET3_MAP_QUEUES_NUM_QUEUES(1),
		PACKET3_MAP_QUEUES_DOORBELL_OFFSET(doorbell), LO(mqd), HI(mqd), LO(wptr),
		HI(wptr)
	};

	memcpy(dw, map, sizeof(map));
	return sizeof(map) / 4;
}

/* the packets of the HIQ that begin a run list of one process with one queue */
static bool start_list(uint32_t rptr)
{
	uint32_t *list = guest32(&w, AT_LIST);
	unsigned int nr;

	build_mqd(rptr);
	nr = put_process(list, 0x8001, VRAM_ROOT | 1);
	nr += put_queue(list + nr, USER_DOORBELL, GUEST_GART + AT_MQD,
			GUEST_USER + AT_USER_WPTR);
	return RUNS(PACKET3(PACKET3_SET_RESOURCES, 6), 0xff00, 0, 0, 0, 0, 0, 0,
		    PACKET3(IT_RUN_LIST, 2), LO(GUEST_GART + AT_LIST),
		    HI(GUEST_GART + AT_LIST), nr | 1 << 24);
}

static struct queue *user_queue(void)
{
	return queue_find(&w.gpu->engine, USER_DOORBELL);
}

/* UNMAP_QUEUES: of all queues of processes */
static bool unmap(uint32_t select, uint32_t which)
{
	return RUNS(PACKET3(PACKET3_UNMAP_QUEUES, 4),
		    PACKET3_UNMAP_QUEUES_QUEUE_SEL(select) |
		    PACKET3_UNMAP_QUEUES_NUM_QUEUES(1), which, 0, 0, 0);
}

static bool process_words(unsigned int vmid)
{
	const struct registers *r = w.gpu->regs;

#define WORD(name)	(r->cell[r->index[R_GC_##name]].banks[vmid])
	return WORD(SH_MEM_BASES) == 0x60002000 && WORD(SH_MEM_CONFIG) == 0xc00c &&
	       WORD(SQ_SHADER_TBA_LO) == 0x11 && WORD(SQ_SHADER_TBA_HI) == 0x80000012 &&
	       WORD(SQ_SHADER_TMA_LO) == 0x13 && WORD(SQ_SHADER_TMA_HI) == 0x14 &&
	       WORD(SPI_GDBG_PER_VMID_CNTL) == 0x808 &&
	       WORD(TCP_WATCH0_CNTL) == 0xa0ffffff && !WORD(TCP_WATCH1_CNTL) &&
	       WORD(TCP_WATCH3_CNTL) == 0x80000001 && !WORD(TCP_WATCH2_CNTL);
#undef WORD
}

static void check_list(void)
{
	const struct process *p = &w.gpu->engine.process[8];
	const struct queue *q;

	*guest64(&w, AT_USER_WPTR) = 3;
	tap_ok(start_list(3) && w.gpu->engine.vmids == 0xff00, "RUN_LIST");
	tap_ok(p->mapped && p->vm.pasid == 0x8001 && p->vm.vmid == 8 &&
	       p->vm.root == (VRAM_ROOT | 1) && p->tba == 0x120000001100 &&
	       p->tma == 0x140000001300, "MAP_PROCESS takes the first VMID");
	tap_ok(process_words(8) && !process_words(9), "and loads its words");
	q = user_queue();
	tap_ok(q && q->user && q->kind == QUEUE_PM4 && q->size == USER_DWORDS &&
	       q->base == GUEST_USER + AT_USER_RING && q->rptr == 3 &&
	       q->vm.vmid == 8 && q->mqd == GUEST_GART + AT_MQD,
	       "MAP_QUEUES takes what the MQD says");
	tap_ok(RUNS(PACKET3(PACKET3_QUERY_STATUS, 5), 0, 0, LO(DATA), HI(DATA), 7, 8) &&
	       *guest64(&w, AT_DATA) == 0x800000007, "QUERY_STATUS");
	tap_ok(start_list(3) && !w.gpu->engine.process[9].mapped && user_queue() &&
	       user_queue()->vm.vmid == 8, "the same list once more: the same VMID");
	tap_ok(unmap(0, PACKET3_UNMAP_QUEUES_DOORBELL_OFFSET0(USER_DOORBELL + 2)) &&
	       unmap(1, 0x8002) && user_queue(), "UNMAP_QUEUES of others");
	tap_ok(unmap(0, PACKET3_UNMAP_QUEUES_DOORBELL_OFFSET0(USER_DOORBELL)) &&
	       !user_queue() && !p->mapped, "by doorbell; the VMID is free then");
	tap_ok(start_list(3) && unmap(1, 0x8001) && !user_queue(), "by PASID");
	tap_ok(start_list(3) && unmap(2, 0) && !user_queue() && ring_queue(&w) &&
	       start_list(3) && unmap(3, 0) && !user_queue() && ring_queue(&w),
	       "of all processes, the kernel's stay");
	tap_ok(FAILS(PACKET3(IT_RUN_LIST, 2), 0, 0, 4) && !user_queue(),
	       "a run list nowhere");
	tap_ok(FAILS(PACKET3(IT_RUN_LIST, 2), LO(HOLE), HI(HOLE), 4),
	       "one outside of memory");
}

/* more processes than VMIDs */
static void check_vmids(void)
{
	uint32_t *list = guest32(&w, AT_LIST);
	unsigned int i, nr = 0, bad = 0;

	RUNS(PACKET3(PACKET3_SET_RESOURCES, 6), 0x0c02, 0, 0, 0, 0, 0, 0);
	build_mqd(0);
	for (i = 0; i < 3; i++) {
		nr += put_process(list + nr, 0x8001 + i, VRAM_ROOT + i * 4096);
		nr += put_queue(list + nr, USER_DOORBELL + i * 2, GUEST_GART + AT_MQD, 0);
	}
	tap_ok(RUNS(PACKET3(IT_RUN_LIST, 2), LO(GUEST_GART + AT_LIST),
		    HI(GUEST_GART + AT_LIST), nr), "three processes");
	for (i = 0; i < 3; i++) {
		const struct queue *q = queue_find(&w.gpu->engine, USER_DOORBELL + i * 2);

		bad += !q || q->vm.vmid != (i ? 9 + i : 1) || q->vm.pasid != 0x8001 + i;
	}
	tap_ok(!bad, "get the VMIDs that the driver gave away");
	nr = put_process(list, 0x8009, VRAM_ROOT + 0x9000);
	tap_ok(FAILS(PACKET3(IT_RUN_LIST, 2), LO(GUEST_GART + AT_LIST),
		     HI(GUEST_GART + AT_LIST), nr), "a fourth one gets none");
	unmap(2, 0);
	tap_ok(RUNS(PACKET3(IT_RUN_LIST, 2), LO(GUEST_GART + AT_LIST),
		    HI(GUEST_GART + AT_LIST), nr) && w.gpu->engine.process[1].mapped,
	       "until they are gone");
	list[0] = PACKET3(IT_MAP_PROCESS, nr - 3);
	tap_ok(FAILS(PACKET3(IT_RUN_LIST, 2), LO(GUEST_GART + AT_LIST),
		     HI(GUEST_GART + AT_LIST), nr - 1), "MAP_PROCESS that is too short");
	unmap(2, 0);
}

/* the driver's own queues: KIQ maps KCQ */
static void check_kernel_queue(void)
{
	struct v9_mqd *mqd = (struct v9_mqd *)(w.guest + AT_MQD);
	const struct queue *q;
	uint32_t map[7], entry[8];

	build_mqd(0);
	mqd->cp_hqd_pq_base_lo = (GUEST_GART + AT_USER_RING) >> 8;
	mqd->cp_hqd_pq_base_hi = 0;
	mqd->cp_hqd_pq_rptr_report_addr_lo = LO(GUEST_GART + AT_USER_RPTR);
	mqd->cp_hqd_pq_rptr_report_addr_hi = 0;
	put_queue(map, USER_DOORBELL, GUEST_GART + AT_MQD, GUEST_GART + AT_USER_WPTR);
	map[1] |= PACKET3_MAP_QUEUES_QUEUE(3) | PACKET3_MAP_QUEUES_PIPE(2) |
		  PACKET3_MAP_QUEUES_ME(0);
	*guest64(&w, AT_USER_WPTR) = 0;
	tap_ok(runs(map, 7) && user_queue() && !user_queue()->user &&
	       user_queue()->vm.gart, "a queue of the kernel");
	memcpy(w.guest + AT_USER_RING, samples[1].dw, 32);
	ring_doorbell(&w, USER_DOORBELL, 8);
	q = user_queue();
	tap_ok(ran_all(q) && *guest64(&w, AT_DATA) == 0x800000007 && ih_next(&w, entry) &&
	       SOC15_RING_ID_FROM_IH_ENTRY(entry) == (3 << 4 | 1 << 2 | 2) &&
	       *guest32(&w, AT_USER_RPTR) == 8, "its interrupt names me, pipe and queue");
	tap_ok(unmap(2, 0) && user_queue(), "it is not of a process");
	tap_ok(unmap(0, PACKET3_UNMAP_QUEUES_DOORBELL_OFFSET0(USER_DOORBELL)) &&
	       !user_queue() && mqd->cp_hqd_pq_rptr == 8 &&
	       mqd->cp_hqd_cntl_stack_offset == mqd->cp_hqd_cntl_stack_size,
	       "what it was at is saved");
}

/* a queue goes on where it was; what came while it was off is not lost */
static void check_unmapped(void)
{
	unsigned int i, bad = 0;

	memset(w.guest + AT_USER_RING, 0, USER_DWORDS * 4);
	*guest64(&w, AT_USER_WPTR) = 0;
	bad = !start_list(0);
	for (i = 0; i < 3; i++)
		memcpy(w.guest + AT_USER_RING + i * 24, (const uint32_t []){
		       PACKET3(PACKET3_WRITE_DATA, 4), WRITE_DATA_DST_SEL(5),
		       LO(USER_DATA + i * 8), HI(USER_DATA), i + 1, 0 }, 24);
	*guest64(&w, AT_USER_WPTR) = 6;
	ring_doorbell(&w, USER_DOORBELL, 6);
	bad += !ran_all(user_queue()) || *guest32(&w, AT_DATA) != 1;
	unmap(2, 0);
	*guest64(&w, AT_USER_WPTR) = 18;
	ring_doorbell(&w, USER_DOORBELL, 18);
	bad += !start_list(((struct v9_mqd *)(w.guest + AT_MQD))->cp_hqd_pq_rptr);
	/* the test's memory was cleared */
	bad += *guest32(&w, AT_DATA) || *guest32(&w, AT_DATA + 8) != 2 ||
	       *guest32(&w, AT_DATA + 16) != 3 || !ran_all(user_queue());
	tap_ok(!bad, "a doorbell while a queue is off is not lost");
	unmap(2, 0);
	/* an MQD has 32 bits of the read pointer */
	*guest64(&w, AT_USER_WPTR) = 0x500000000 + 6;
	bad = !start_list(0) || *guest32(&w, AT_DATA) != 1 ||
	      user_queue()->rptr != 0x500000006;
	tap_ok(!bad, "a write pointer of more than 32 bits");
	unmap(2, 0);
}

/* ---- what a process may not ---------------------------------------------- */

static bool user_runs(const uint32_t *dw, unsigned int nr)
{
	uint64_t faults = w.gpu->log.faults;
	struct queue *q;
	bool ran;

	*guest64(&w, AT_USER_WPTR) = 0;
	start_list(0);
	memcpy(w.guest + AT_USER_RING, dw, nr * 4);
	ring_doorbell(&w, USER_DOORBELL, nr);
	q = user_queue();
	ran = ran_all(q);
	/* the driver is not to blame */
	if (w.gpu->log.faults != faults || (!ran && !(q && (q->stopped || q->waiting))))
		abort();
	return ran;
}

#define USER_RUNS(...)	user_runs((const uint32_t []){ __VA_ARGS__ },	\
				  sizeof((const uint32_t []){ __VA_ARGS__ }) / 4)

static void check_user(void)
{
	uint32_t entry[8], process[32];
	unsigned int nr = put_process(process, 1, 2);

	tap_ok(USER_RUNS(PACKET3(PACKET3_RELEASE_MEM, 6), 0, DATA_SEL(1) | INT_SEL(2),
			 LO(USER_DATA), HI(USER_DATA), 5, 0, 77) &&
	       *guest32(&w, AT_DATA) == 5 && ih_next(&w, entry) &&
	       SOC15_VMID_FROM_IH_ENTRY(entry) == 8 &&
	       SOC15_PASID_FROM_IH_ENTRY(entry) == 0x8001, "a process writes its memory");
	tap_ok(!USER_RUNS(PACKET3(PACKET3_WRITE_DATA, 3), WRITE_DATA_DST_SEL(5), LO(DATA),
			  HI(DATA), 1) && !*guest32(&w, AT_DATA) && ih_next(&w, entry) &&
	       SOC15_CLIENT_ID_FROM_IH_ENTRY(entry) == SOC15_IH_CLIENTID_UTCL2 &&
	       SOC15_SOURCE_ID_FROM_IH_ENTRY(entry) == SOC15_INTSRC_VMC_FAULT &&
	       SOC15_PASID_FROM_IH_ENTRY(entry) == 0x8001 &&
	       entry[4] == DATA >> 12 && entry[5] == 0x20,
	       "the kernel's is not in its address space");
	tap_ok(!USER_RUNS(PACKET3(PACKET3_WRITE_DATA, 3), WRITE_DATA_DST_SEL(0), scratch,
			  0, 1) &&
	       !USER_RUNS(PACKET3(PACKET3_SET_UCONFIG_REG, 1),
			  scratch - PACKET3_SET_UCONFIG_REG_START, 1) &&
	       !USER_RUNS(PACKET3(PACKET3_COPY_DATA, 4), 5, 1, 0, scratch, 0) &&
	       !USER_RUNS(PACKET3(PACKET3_WAIT_REG_MEM, 5), WAIT_REG_MEM_OPERATION(1),
			  scratch, scratch, 1, 1, 0) &&
	       !mmio_read(&w, "GC SCRATCH_REG0"), "it writes no register");
	tap_ok(!USER_RUNS(PACKET3(PACKET3_COPY_DATA, 4), 5 << 8, scratch, 0, LO(USER_DATA),
			  HI(USER_DATA)) &&
	       !USER_RUNS(PACKET3(PACKET3_WAIT_REG_MEM, 5), WAIT_REG_MEM_FUNCTION(3),
			  scratch, 0, 0, ~0u, 0), "and reads none");
	tap_ok(!USER_RUNS(PACKET3(PACKET3_SET_RESOURCES, 6), 0xfffe, 0, 0, 0, 0, 0, 0) &&
	       w.gpu->engine.vmids == 0xff00 &&
	       !user_runs(process, nr) &&
	       !USER_RUNS(PACKET3(PACKET3_MAP_QUEUES, 5), 0, 0, 0, 0, 0, 0) &&
	       !USER_RUNS(PACKET3(PACKET3_UNMAP_QUEUES, 4), 2 << 4, 0, 0, 0, 0) &&
	       user_queue() &&
	       !USER_RUNS(PACKET3(IT_RUN_LIST, 2), LO(USER_DATA), HI(USER_DATA), 1) &&
	       !USER_RUNS(PACKET3(PACKET3_QUERY_STATUS, 5), 0, 0, LO(USER_DATA),
			  HI(USER_DATA), 7, 8) && !*guest32(&w, AT_DATA),
	       "it schedules nothing");
	unmap(2, 0);
}

/* ---- queues that change their own ---------------------------------------- */

static void check_self(void)
{
	uint32_t dw[16] = { PACKET3(PACKET3_UNMAP_QUEUES, 4), 1 << 29,
			    PACKET3_UNMAP_QUEUES_DOORBELL_OFFSET0(RING_DOORBELL) };
	struct queue *q;

	memcpy(dw + 6, samples[0].dw, 24);
	ring_start(0);
	ring_put(&w, dw, 12);
	ring_kick(&w);
	tap_ok(!ring_queue(&w) && !*guest64(&w, AT_DATA),
	       "a queue that is taken off executes nothing more");
	/* the queue is another one after the first packet */
	ring_start(0);
	build_mqd(0);
	*guest64(&w, AT_USER_WPTR) = 0;
	put_queue(dw, RING_DOORBELL, GUEST_GART + AT_MQD, 0);
	memcpy(dw + 7, samples[0].dw, 24);
	ring_put(&w, dw, 13);
	ring_kick(&w);
	q = ring_queue(&w);
	tap_ok(q && q->base == GUEST_USER + AT_USER_RING && !q->rptr && !q->wptr &&
	       !*guest64(&w, AT_DATA), "nor one that another takes the place of");
	ring_start(0);
	tap_ok(ring_queue(&w) && ring_queue(&w)->base == GUEST_GART + AT_RING,
	       "registers map it once more");
	select_queue(&w, 2, 3, 3, 0);
	mmio_write(&w, "GC CP_HQD_DEQUEUE_REQUEST", 1);
	tap_ok(ring_queue(&w), "a place without a queue has none to take off");
	select_queue(&w, 1, 0, 0, 0);
	mmio_write(&w, "GC CP_HQD_DEQUEUE_REQUEST", 1);
	tap_ok(!ring_queue(&w) && !mmio_read(&w, "GC CP_HQD_ACTIVE"), "its own has");
	select_queue(&w, 0, 0, 0, 0);
}

/* a buffer of buffers: more work than a message may take */
static void check_work(void)
{
	uint64_t at = GUEST_GART + 0x100000, before;
	uint32_t call[4] = { PACKET3(PACKET3_INDIRECT_BUFFER, 2), LO(at + 0x100000),
			     HI(at), 0x40000 };
	unsigned int i;

	for (i = 0; i < 0x40000; i += 4)
		memcpy(w.guest + 0x100000 + i * 4, call, 16);
	for (i = 0; i < 0x40000; i++)
		*guest32(&w, 0x200000 + i * 4) = PACKET3(PACKET3_NOP, 0x3fff);
	call[1] = LO(at);
	before = clock_ns();
	ring_start(0);
	ring_put(&w, call, 4);
	ring_kick(&w);
	tap_ok(ring_queue(&w)->stopped && clock_ns() - before < 20000000000 &&
	       world_log(&w, "more work than"), "a buffer of buffers has an end");
	/* many that are each small enough: other messages are handled between */
	ring_start(0);
	call[1] = LO(at + 0x100000);
	for (i = 0; i < RING_DWORDS; i += 4)
		ring_put(&w, call, 4);
	ring_kick(&w);
	tap_ok(ring_queue(&w)->waiting && ring_queue(&w)->rptr < 16, "work is done in parts");
	for (i = 0; i < 100 && gpu_look_again(w.gpu) >= 0; i++)
		;
	tap_ok(i > 10 && i < 100 && ran_all(ring_queue(&w)), "all of them in the end");
}

int main(void)
{
	unsigned int fds = fds_open();

	alarm(60);
	tap_plan(8 + 8 + 6 + 7 + 7 + 2 * NR_SAMPLES + 4 + 8 + 12 + 5 + 4 + 2 + 5 + 5 + 3 +
		 1);
	world_create(&w, true);
	scratch = register_index(&w, "GC SCRATCH_REG0");
	check_write_data();
	check_release_mem();
	check_wait();
	check_copy();
	check_indirect();
	check_borders();
	check_list();
	check_vmids();
	check_kernel_queue();
	check_unmapped();
	check_user();
	check_self();
	check_work();
	world_destroy(&w);
	tap_ok(fds_open() == fds, "no descriptor is left");
	return tap_status();
}
