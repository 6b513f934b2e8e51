// SPDX-License-Identifier: GPL-2.0
/*
 * A hostile guest: registers, doorbells, configuration space, memory, mappings,
 * interrupts and resets in any order. Nothing crashes, each message is answered
 * soon, no descriptor is lost. The same in each run.
 *
 * usage: fuzz_gpu [ROUNDS [SEED]]
 */
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"
#include "world.h"

static struct world w;
static unsigned long long seed = 0x69f0;
static uint64_t slowest;

static unsigned int pick(unsigned int below)
{
	return tap_random(&seed) % below;
}

static uint64_t random_value(void)
{
	static const uint64_t edges[] = { 0, 1, 3, 0x20, 0xff, 0x1000, 0xffff, 0x10000,
		0x7fffffff, 0x80000000, 0xffffffff, 1ull << 40, UINT64_MAX,
		GUEST_GART, GUEST_GART >> 8, GUEST_BUS, VRAM_BASE, VRAM_BASE >> 24 };

	return pick(3) ? edges[pick(sizeof(edges) / 8)] + (pick(4) ? 0 : pick(64)) :
	       tap_random(&seed) >> pick(64);
}

/* ---- registers ----------------------------------------------------------- */

static uint32_t random_register(void)
{
	const struct registers *r = w.gpu->regs;
	const uint32_t *sdma = (const uint32_t *)&w.gpu->sdma.ring[pick(5)][pick(2)];

	switch (pick(8)) {
	case 0:
		return pick(MODEL_NR_REGISTERS);
	case 1:
		return sdma[pick(sizeof(struct sdma_registers) / 4)];
	case 2:
		return CONTROL_BASE + pick(CONTROL_NR + 1);
	default:
		return r->index[1 + pick(R_NR - 1)];
	}
}

static void poke_register(void)
{
	bar_write(&w, VFIO_PCI_BAR5_REGION_INDEX, random_register() * 4ull, random_value(),
		  pick(16) ? 4 : 8 * pick(2));
}

static void peek_register(void)
{
	uint8_t buf[64];
	uint64_t at = random_register() * 4ull;
	uint32_t len = pick(8) ? 4 : pick(64);

	if (at + len <= GPU_REGISTER_BYTES)
		w.gpu->device.ops->region_read(w.gpu, VFIO_PCI_BAR5_REGION_INDEX, at, buf,
					       len);
}

/* a queue at a place of the guest's memory */
static void activate_queue(void)
{
	select_queue(&w, pick(4), pick(4), pick(8), pick(16));
	mmio_write(&w, "GC CP_HQD_PQ_BASE", (GUEST_GART + pick(8) * 4096) >> 8);
	mmio_write(&w, "GC CP_HQD_PQ_BASE_HI", pick(16) ? 0 : random_value());
	mmio_write(&w, "GC CP_HQD_PQ_CONTROL", pick(4) ? pick(12) : random_value());
	mmio_write(&w, "GC CP_HQD_PQ_DOORBELL_CONTROL", pick(16) << 3);
	mmio_write(&w, "GC CP_HQD_ACTIVE", 1);
}

static void activate_ring(void)
{
	const struct sdma_registers *r = &w.gpu->sdma.ring[pick(5)][pick(2)];

	gpu_write_register(w.gpu, r->rb_base, (GUEST_GART + pick(8) * 4096) >> 8);
	gpu_write_register(w.gpu, r->rb_base_hi, 0);
	gpu_write_register(w.gpu, r->doorbell, 1u << 28);
	gpu_write_register(w.gpu, r->doorbell_offset, pick(16) << 3);
	gpu_write_register(w.gpu, r->rb_cntl, 1 | pick(12) << 1 | pick(2) << 12);
}

/* ---- the rest of the device ---------------------------------------------- */

static void ring_any(void)
{
	uint32_t len = pick(8) ? 8 : pick(2) ? 4 : pick(16);
	uint32_t at = pick(8) ? pick(32) * 8 : pick(GPU_DOORBELL_BYTES / 8) * 8;
	struct queue *q = &w.gpu->engine.queue[pick(8)];
	uint64_t value = random_value();

	if (q->kind != QUEUE_FREE && pick(2)) {
		at = q->doorbell * 4;
		value = q->rptr + pick(64);
		if (q->kind == QUEUE_SDMA)
			value *= 4;
	}
	if ((uint64_t)at + len <= GPU_DOORBELL_BYTES)
		bar_write(&w, VFIO_PCI_BAR2_REGION_INDEX, at, value, len);
}

static void access_config(void)
{
	uint8_t buf[8];
	uint32_t at = pick(4) ? pick(256) : pick(PCI_CONFIG_SIZE), len = 1 << pick(4);

	if (pick(2))
		w.gpu->device.ops->region_read(w.gpu, VFIO_PCI_CONFIG_REGION_INDEX, at, buf,
					       len);
	else
		bar_write(&w, VFIO_PCI_CONFIG_REGION_INDEX, at, random_value(), len);
}

/* dwords that begin packets, or name memory */
static uint32_t random_dword(void)
{
	static const uint8_t opcodes[] = { 0x10, 0x37, 0x49, 0x3c, 0x40, 0x3f, 0x79, 0xa0,
		0xa1, 0xa2, 0xa3, 0xa4, 0xa5 };

	switch (pick(4)) {
	case 0:
		return 3u << 30 | opcodes[pick(sizeof(opcodes))] << 8 | pick(24) << 16;
	case 1:
		return pick(16) | pick(2) << 31;
	case 2:
		return GUEST_GART + (pick(0x10000) & ~3u);
	default:
		return random_value();
	}
}

static void poke_memory(void)
{
	unsigned int i, at = pick(0x10000) & ~3u;

	for (i = 0; i < 32; i++)
		*guest32(&w, at + i * 4) = pick(4) ? random_dword() : 0;
}

static void poke_vram(void)
{
	uint64_t flags = pick(8) ? 0x63 : random_value();

	bar_write(&w, VFIO_PCI_BAR0_REGION_INDEX, pick(2) ? VRAM_ROOT + pick(2048) * 8 :
		  VRAM_GART + pick(64) * 8,
		  (pick(4) ? GUEST_BUS + pick(2048) * 4096 : random_value()) | flags, 8);
}

static void change_mapping(void)
{
	const struct vfu_ops *ops = w.gpu->device.ops;
	uint64_t at = GUEST_BUS + pick(4) * 0x100000;

	if (!pick(32)) {
		ops->dma_unmap_all(w.gpu);
	} else if (pick(2)) {
		ops->dma_unmap(w.gpu, GUEST_BUS, GUEST_BYTES);
		ops->dma_unmap(w.gpu, at, 0x100000);
	} else {
		ops->dma_map(w.gpu, at, pick(4) ? 0x100000 : GUEST_BYTES,
			     pick(4) ? PROT_READ | PROT_WRITE : PROT_READ,
			     pick(8) ? w.guest_fd : -1, at - GUEST_BUS);
	}
}

static void change_irqs(void)
{
	int fds[1] = { pick(2) ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : dup(w.guest_fd) };
	const struct vfu_irq_set set = {
		.index = pick(2) ? VFIO_PCI_MSI_IRQ_INDEX : pick(VFIO_PCI_NUM_IRQS),
		.count = 1, .action = VFIO_IRQ_SET_ACTION_TRIGGER,
		.data = VFIO_IRQ_SET_DATA_EVENTFD, .fds = fds,
	};

	w.gpu->device.ops->set_irqs(w.gpu, &set);
	if (fds[0] >= 0)
		close(fds[0]);
}

static void reset_all(void)
{
	if (!pick(100))
		w.gpu->device.ops->reset(w.gpu);
	w.gpu->device.ops->dma_unmap_all(w.gpu);
	w.gpu->device.ops->dma_map(w.gpu, GUEST_BUS, GUEST_BYTES, PROT_READ | PROT_WRITE,
				   w.guest_fd, 0);
	world_start(&w);
}

/* what a driver does */
static void use_ring(void)
{
	uint32_t dw[] = { 3u << 30 | 0x49 << 8 | 6 << 16, 0, 2u << 29 | 2 << 24,
			  GUEST_GART + AT_DATA, 0, 1, 0, 0 };

	if (!pick(4))
		dw[pick(8)] ^= 1u << pick(32);
	ring_begin(&w, pick(RING_DWORDS));
	ring_put(&w, dw, 8);
	ring_kick(&w);
}

static void look_again(void)
{
	gpu_look_again(w.gpu);
}

static const struct {
	void (*act)(void);
	unsigned int weight;
} acts[] = {
	{ poke_register, 30 }, { peek_register, 10 }, { activate_queue, 4 },
	{ activate_ring, 4 }, { ring_any, 40 }, { access_config, 4 }, { poke_memory, 20 },
	{ poke_vram, 6 }, { change_mapping, 1 }, { change_irqs, 1 }, { look_again, 2 },
	{ use_ring, 4 }, { reset_all, 4 },
};

static void act_once(void)
{
	unsigned int i, sum = 0, at;
	uint64_t before = clock_ns();

	for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		sum += acts[i].weight;
	at = pick(sum);
	for (i = 0; at >= acts[i].weight; i++)
		at -= acts[i].weight;
	acts[i].act();
	before = clock_ns() - before;
	if (before > slowest)
		slowest = before;
}

/* ---- a reset ------------------------------------------------------------- */

static bool state_same(const struct gpu *a, const struct gpu *b)
{
	unsigned int i;

	for (i = 0; i < MODEL_NR_REGISTERS; i++) {
		const struct register_cell *x = &a->regs->cell[i], *y = &b->regs->cell[i];
		size_t len = (x->bank == BANK_QUEUE ? MODEL_NR_QUEUES : MODEL_NR_VMIDS) * 4;

		if (x->value != y->value || (x->banks && memcmp(x->banks, y->banks, len)))
			return false;
	}
	return registers_bank(a->regs) == registers_bank(b->regs) &&
	       a->regs->vmid == b->regs->vmid && a->engine.vmids == b->engine.vmids &&
	       !memcmp(a->engine.queue, b->engine.queue, sizeof(a->engine.queue)) &&
	       !memcmp(a->engine.process, b->engine.process, sizeof(a->engine.process)) &&
	       !memcmp(a->doorbell, b->doorbell, sizeof(a->doorbell)) &&
	       !memcmp(&a->control, &b->control, sizeof(a->control)) &&
	       !memcmp(a->pci.bytes, b->pci.bytes, sizeof(a->pci.bytes)) &&
	       sq_count(&a->sq) == sq_count(&b->sq);
}

static void check_reset(void)
{
	struct gpu *other = gpu_create(world_gpu(), NULL, world_threads());
	const struct sq_wave wave = { .vm.vmid = 8 };
	bool differs;

	/* SET_RESOURCES and the registers of tests, if chance did not */
	w.gpu->engine.vmids = 0xff00;
	gpu_write_register(w.gpu, CONTROL_BASE + CONTROL_CODE, 5);
	sq_add(&w.gpu->sq, &wave);
	differs = !state_same(w.gpu, other);
	w.gpu->device.ops->reset(w.gpu);
	tap_ok(differs && state_same(w.gpu, other), "after a reset it is as after power-on");
	gpu_destroy(other);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000, i;
	unsigned int fds = fds_open();

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0) | 1;
	alarm(argc > 1 ? 3000 : 300);
	tap_plan(5);
	world_create(&w, false);
	for (i = 0; i < rounds; i++)
		act_once();
	tap_note("%llu packets, %llu refused, %llu interrupts, %llu lost, %llu faults, the slowest took %llu us",
		 (unsigned long long)w.gpu->engine.packets,
		 (unsigned long long)w.gpu->engine.unknown,
		 (unsigned long long)w.gpu->ih.delivered,
		 (unsigned long long)w.gpu->ih.lost, (unsigned long long)w.gpu->log.faults,
		 (unsigned long long)slowest / 1000);
	tap_ok(slowest < 10000000000, "%lu acts of a hostile guest", rounds);
	tap_ok(w.gpu->engine.packets > rounds / 100 && w.gpu->ih.delivered > rounds / 2000,
	       "some of them have an effect");
	check_reset();
	reset_all();
	tap_ok(ih_drain(&w) == 0 && ring_queue(&w), "it can be used again");
	world_destroy(&w);
	tap_ok(fds_open() == fds, "no descriptor is left");
	return tap_status();
}
