// SPDX-License-Identifier: GPL-2.0
/*
 * Packets at random, in rings of the kernel and of a process, in indirect buffers, of
 * the command processor, SDMA and AQL. None takes long; those of a process change no
 * register and no memory that is not in its address space. The same in each run.
 *
 * usage: fuzz_packets [ROUNDS [SEED]]
 */
#include <string.h>
#include <unistd.h>

#include "amd_compat.h"
#include "vega10_sdma_pkt_open.h"

#include "tap.h"
#include "world.h"

#define AT_USER		0x40000u	/* the process's ring */
#define AT_BUFFER	0x50000u	/* buffers that packets name */
#define USER_DWORDS	256u
#define USER_DOORBELL	0x700u
/* behind what the process has */
#define AT_CANARY	0x200000u
#define CANARY		0xa5

static struct world w;
static unsigned long long seed = 0xf022;
static uint64_t slowest;
static unsigned long ran, stopped, waited, bad;

static unsigned int pick(unsigned int below)
{
	return tap_random(&seed) % below;
}

/* ---- values -------------------------------------------------------------- */

static uint64_t random_va(bool user)
{
	uint64_t base = user ? GUEST_USER : GUEST_GART;

	switch (pick(12)) {
	case 0:
		return tap_random(&seed);
	case 1:
		return VRAM_BASE + pick(0x400000);
	case 2:
		return base + (user ? USER_BYTES : GUEST_BYTES) - pick(64);
	case 3:
		return user ? GUEST_GART + pick(0x100000) : GUEST_USER;
	case 4:
		return 0;
	default:
		/* the test's, with the buffers */
		return base + AT_BUFFER + (pick(0x8000) & ~3u);
	}
}

static uint32_t random_word(void)
{
	static const uint32_t edges[] = { 0, 1, 2, 3, 4, 7, 8, 0xf, 0x3f, 0xff, 0xfff,
		0x3fff, 0xfffff, 0x3fffff, 0x7fffffff, 0x80000000, 0xffffffff };

	return pick(3) ? edges[pick(sizeof(edges) / 4)] : tap_random(&seed);
}

static uint32_t random_register(void)
{
	const struct registers *r = w.gpu->regs;

	return pick(8) ? r->index[1 + pick(R_NR - 1)] : random_word();
}

/* ---- packets: @dw has room for 32 dwords --------------------------------- */

static unsigned int pm4_packet(uint32_t *dw, bool user)
{
	static const uint8_t opcodes[] = { 0x10, 0x37, 0x49, 0x3c, 0x40, 0x3f, 0x79, 0x68,
		0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0x98, 0x58, 0x46, 0x12 };
	static const uint8_t lens[] = { 3, 5, 8, 7, 6, 4, 4, 4, 8, 21, 7, 6, 7, 4, 2, 7, 2, 2 };
	unsigned int kind = pick(sizeof(opcodes)), nr = lens[kind], i;
	uint64_t va = random_va(user);

	for (i = 1; i < 32; i++)
		dw[i] = random_word();
	dw[0] = 3u << 30 | opcodes[kind] << 8 | (nr - 2) << 16;
	switch (opcodes[kind]) {
	case 0x37:
		dw[1] = pick(3) ? 5 << 8 : 0;
		dw[2] = pick(3) ? va : random_register();
		dw[3] = va >> 32;
		break;
	case 0x49:
		dw[2] = pick(5) << 29 | pick(4) << 24;
		dw[3] = va;
		dw[4] = va >> 32;
		break;
	case 0x3c:
		dw[1] = pick(8) | pick(2) << 4 | pick(2) << 6;
		dw[2] = pick(2) ? va : random_register();
		dw[3] = pick(2) ? va >> 32 : random_register();
		break;
	case 0x40:
		dw[1] = pick(10) | pick(6) << 8 | pick(2) << 16;
		dw[2] = va;
		dw[3] = va >> 32;
		va = random_va(user);
		dw[4] = va;
		dw[5] = va >> 32;
		break;
	case 0x3f:
	case 0xa5:
		dw[1] = va;
		dw[2] = va >> 32;
		dw[3] = pick(64);
		break;
	case 0xa1:
		dw[3] = pick(4) ? VRAM_ROOT | 1 : dw[3];
		dw[4] = pick(4) ? 0 : dw[4];
		break;
	case 0xa2:
		dw[2] = pick(4) ? pick(16) << 3 : dw[2];
		dw[4] = va;
		dw[5] = va >> 32;
		break;
	}
	return nr;
}

/* a kind of SDMA_OP_COPY, not the operation of this number */
#define COPY_WINDOW	16

static unsigned int sdma_packet(uint32_t *dw, bool user)
{
	static const uint8_t lens[] = { 1, 7, 8, 1, 6, 4, 2, 1, 6, 1, 8, 5, 10, 3, 3, 2, 13 };
	unsigned int op = pick(17), i;
	uint64_t va = random_va(user), to = random_va(user);

	for (i = 1; i < 32; i++)
		dw[i] = random_word();
	dw[0] = op;
	dw[1] = va;
	dw[2] = va >> 32;
	switch (op) {
	case SDMA_OP_COPY:
		dw[1] = pick(8) ? pick(0x3000) : dw[9];
		dw[3] = va;
		dw[4] = va >> 32;
		dw[5] = to;
		dw[6] = to >> 32;
		break;
	case COPY_WINDOW:
		dw[0] = SDMA_OP_COPY | 4 << 8 | pick(8) << 29;
		dw[6] = to;
		dw[7] = to >> 32;
		/* mostly near to it: the rings that follow should be there */
		for (i = 3; i < 12 && pick(16); i += 5) {
			dw[i] = pick(16) | pick(16) << 16;
			dw[i + 1] = pick(2) | pick(64) << 13;
			dw[i + 2] = pick(256);
		}
		dw[11] = pick(30) | pick(8) << 16;
		dw[12] = pick(3);
		break;
	case SDMA_OP_WRITE:
		dw[3] = 3;
		break;
	case SDMA_OP_INDIRECT:
		dw[3] = pick(64);
		break;
	case SDMA_OP_POLL_REGMEM:
		dw[0] |= pick(8) << 28 | pick(2) << 31 | (pick(4) ? 0 : 1 << 26);
		break;
	case SDMA_OP_ATOMIC:
		dw[0] |= 0x2fu << 25;
		break;
	case SDMA_OP_CONST_FILL:
		dw[0] |= pick(4) << 30;
		dw[4] = pick(8) ? pick(0x3000) : dw[4];
		break;
	case SDMA_OP_PTEPDE:
		dw[9] = pick(8) ? pick(300) : dw[9];
		break;
	case SDMA_OP_SRBM_WRITE:
		dw[1] = random_register();
		break;
	}
	if (!pick(16))
		dw[0] ^= 1u << pick(32);
	return lens[op];
}

static unsigned int aql_packet(uint32_t *dw, bool user)
{
	unsigned int i;
	uint64_t va;

	for (i = 0; i < 16; i += 2) {
		va = pick(3) ? 0 : random_va(user);
		dw[i] = va;
		dw[i + 1] = va >> 32;
	}
	dw[0] = pick(8) ? 3 + 2 * pick(2) : random_word();
	return 16;
}

typedef unsigned int packet_maker(uint32_t *dw, bool user);

static packet_maker * const makers[] = {
	[QUEUE_PM4] = pm4_packet, [QUEUE_AQL] = aql_packet, [QUEUE_SDMA] = sdma_packet,
};

static unsigned int mutated_packet(enum queue_kind kind, uint32_t *dw, bool user)
{
	unsigned int nr = makers[kind](dw, user);

	if (kind == QUEUE_AQL)
		return nr;
	while (!pick(4))
		dw[pick(nr)] ^= 1u << pick(32);
	if (!pick(16))
		nr = 1 + pick(nr);
	return nr;
}

/* ---- queues -------------------------------------------------------------- */

static struct queue fresh_queue(enum queue_kind kind, bool user)
{
	struct queue q = {
		.kind = kind, .user = user, .vm = vm_kernel, .doorbell = USER_DOORBELL,
		.base = (user ? GUEST_USER : GUEST_GART) + AT_USER,
		.size = kind == QUEUE_AQL ? USER_DWORDS / 16 : USER_DWORDS,
		.rptr = pick(1000), .sdma = pick(5), .ring_id = 4,
	};

	q.rptr_addr = pick(4) ? q.base + USER_DWORDS * 4 : random_va(user);
	q.wptr = q.rptr;
	if (user)
		q.vm = (struct vm){ .root = VRAM_ROOT | 1, .vmid = 8, .pasid = 0x8001 };
	return q;
}

static void fill_buffers(enum queue_kind kind, bool user)
{
	uint32_t dw[32];
	unsigned int i, at;

	for (i = 0; i < 8; i++) {
		unsigned int nr = mutated_packet(kind, dw, user);

		at = AT_BUFFER + (pick(0x8000 - 128) & ~3u);
		memcpy(w.guest + at, dw, nr * 4);
	}
}

static void run_round(enum queue_kind kind, bool user)
{
	struct queue q = fresh_queue(kind, user), *queue;
	unsigned int i, nr, packets = 1 + pick(6);
	uint64_t at = q.rptr, before, took;
	uint32_t dw[32];

	memset(w.gpu->engine.queue, 0, sizeof(w.gpu->engine.queue));
	queue = queue_add(&w.gpu->engine, &q);
	fill_buffers(kind, user);
	while (packets--) {
		nr = mutated_packet(kind, dw, user);
		for (i = 0; i < nr; i++, at++)
			*guest32(&w, AT_USER + (kind == QUEUE_AQL ?
				 (q.rptr * 16 + (at - q.rptr)) : at) % USER_DWORDS * 4) =
				dw[i];
	}
	if (kind == QUEUE_AQL)
		at = q.rptr + (at - q.rptr) / 16 - 1;
	before = clock_ns();
	ring_doorbell(&w, USER_DOORBELL, kind == QUEUE_SDMA ? at * 4 : at);
	gpu_look_again(w.gpu);
	took = clock_ns() - before;
	if (took > slowest)
		slowest = took;
	ran += queue->rptr != q.rptr;
	stopped += queue->stopped;
	waited += queue->waiting;
	ih_drain(&w);
}

/* ---- what a process must not reach --------------------------------------- */

static bool canaries_right(void)
{
	unsigned int i;

	for (i = AT_CANARY; i < GUEST_BYTES; i++)
		if (w.guest[i] != CANARY)
			return false;
	return mmio_read(&w, "GC SCRATCH_REG0") == 0x1234 &&
	       w.gpu->engine.vmids == 0x5500;
}

static uint64_t registers_hash(void)
{
	uint64_t hash = 0;
	unsigned int id;

	for (id = 1; id < R_NR; id++)
		if (id < R_GC_VM_L2_PROTECTION_FAULT_CNTL ||
		    id > R_GC_VM_L2_PROTECTION_FAULT_STATUS)
			hash = hash * 31 + reg_get(w.gpu->regs, id);
	return hash;
}

static void fuzz_process(enum queue_kind kind, unsigned long rounds)
{
	unsigned long i;
	uint64_t hash, unknown;

	world_create(&w, false);
	memset(w.guest + AT_CANARY, CANARY, GUEST_BYTES - AT_CANARY);
	mmio_write(&w, "GC SCRATCH_REG0", 0x1234);
	w.gpu->engine.vmids = 0x5500;
	/* interrupts change registers of their ring */
	mmio_write(&w, "OSSSYS IH_RB_CNTL", 0);
	hash = registers_hash();
	unknown = w.gpu->log.faults;
	for (i = 0; i < rounds; i++) {
		run_round(kind, true);
		if (registers_hash() != hash || (i % 1024 == 0 && !canaries_right())) {
			tap_note("round %lu: a process changed what is not its own", i);
			bad++;
			hash = registers_hash();
		}
	}
	bad += !canaries_right() || w.gpu->log.faults != unknown;
	world_destroy(&w);
}

/*
 * The driver may do anything, but the world is put right now and then; and made once
 * more, as all rings are empty after what some packets do to page tables.
 */
static void fuzz_kernel(enum queue_kind kind, unsigned long rounds)
{
	unsigned long i;

	world_create(&w, false);
	for (i = 0; i < rounds; i++) {
		if (i && i % 512 == 0) {
			world_destroy(&w);
			world_create(&w, false);
		}
		if (i % 32 == 0)
			world_start(&w);
		run_round(kind, false);
	}
	world_destroy(&w);
}

int main(int argc, char **argv)
{
	static const char * const names[] = { "", "PM4", "AQL", "SDMA" };
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 30000;
	unsigned int fds = fds_open(), kind, user;

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0) | 1;
	alarm(argc > 1 ? 3000 : 300);
	tap_plan(6 + 1);
	for (kind = QUEUE_PM4; kind <= QUEUE_SDMA; kind++)
		for (user = 0; user < 2; user++) {
			ran = stopped = waited = bad = slowest = 0;
			(user ? fuzz_process : fuzz_kernel)(kind, rounds);
			tap_note("%lu ran, %lu stopped, %lu waited, the slowest took %llu us",
				 ran, stopped, waited,
				 (unsigned long long)slowest / 1000);
			tap_ok(!bad && slowest < 10000000000 && ran > rounds / 20 &&
			       stopped > rounds / 20, "%lu rings of %s, of %s", rounds,
			       names[kind], user ? "a process" : "the kernel");
		}
	tap_ok(fds_open() == fds, "no descriptor is left");
	return tap_status();
}
