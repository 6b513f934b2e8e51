// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gc/gc_9_4_2_sh_mask.h"
#include "oss/osssys_4_2_0_sh_mask.h"

#include "aql.h"
#include "cp.h"
#include "discovery_table.h"
#include "field.h"
#include "gpu.h"

#define BAR_VRAM	0
#define BAR_DOORBELLS	2
#define BAR_REGISTERS	5

/* of MM_INDEX: what it selects is in VRAM */
#define WINDOW_OF_VRAM	0x80000000u

/* rounds of the queues that kick each other */
#define MAX_ROUNDS	1000

/* ---- queues -------------------------------------------------------------- */

static void run_queue(struct engine *e, struct queue *queue)
{
	queue->kicked = false;
	e->work = e->packet_work = 0;
	if (queue->stopped || queue->leaving)
		return;
	switch (queue->kind) {
	case QUEUE_PM4:
		cp_run(e, queue);
		break;
	case QUEUE_AQL:
		aql_run(e, queue);
		break;
	case QUEUE_SDMA:
		sdma_run(e, queue);
		break;
	case QUEUE_FREE:
		break;
	}
}

/* a queue may map, unmap or kick others */
static void run_queues(struct gpu *gpu)
{
	struct engine *e = &gpu->engine;
	unsigned int i, round;
	bool ran = true;

	for (round = 0; ran && round < MAX_ROUNDS; round++) {
		ran = false;
		for (i = 0; i < MODEL_MAX_QUEUES; i++) {
			if (!e->queue[i].kicked)
				continue;
			run_queue(e, &e->queue[i]);
			ran = true;
		}
	}
}

/* how often queues that wait for memory are looked at */
#define LOOK_MS	1

int gpu_look_again(struct gpu *gpu)
{
	bool waits;
	unsigned int i;

	if (compute_can_run(&gpu->compute))
		compute_run(&gpu->compute);
	waits = runlist_turn(&gpu->runlist);
	for (i = 0; i < MODEL_MAX_QUEUES; i++)
		if (gpu->engine.queue[i].waiting)
			gpu->engine.queue[i].kicked = true;
	run_queues(gpu);
	for (i = 0; i < MODEL_MAX_QUEUES; i++)
		waits |= gpu->engine.queue[i].waiting;
	if (compute_can_run(&gpu->compute))
		return 0;
	return waits ? LOOK_MS : -1;
}

/* ---- doorbells ----------------------------------------------------------- */

/* the interrupt ring's read pointer comes by a doorbell of 32 bits */
static bool ring_ih(struct gpu *gpu, uint32_t dword)
{
	uint32_t r = reg_get(gpu->regs, R_OSSSYS_IH_DOORBELL_RPTR);

	if (!FIELD_GET(r, IH_DOORBELL_RPTR, ENABLE) ||
	    FIELD_GET(r, IH_DOORBELL_RPTR, OFFSET) != dword)
		return false;
	reg_set(gpu->regs, R_OSSSYS_IH_RB_RPTR, gpu->doorbell[dword]);
	return true;
}

static void ring_queue(struct gpu *gpu, uint32_t dword, uint64_t value)
{
	struct queue *queue;

	if (sdma_doorbell(&gpu->engine, &gpu->sdma, dword, value))
		return;
	queue = queue_find(&gpu->engine, dword);
	if (!queue) {
		if (!runlist_has(&gpu->runlist, dword))
			log_line(&gpu->log, "doorbell", "0x%x has no queue", dword);
		return;
	}
	queue->kicked = true;
	if (queue->kind == QUEUE_AQL)
		aql_doorbell(queue, value);
	else
		queue->wptr = queue->kind == QUEUE_SDMA ? value / 4 : value;
}

void gpu_ring(struct gpu *gpu, uint32_t offset, uint64_t value, uint32_t len)
{
	uint32_t dword = offset / 4, first = dword & ~1u;

	gpu->doorbell[dword] = value;
	if (len == 8)
		gpu->doorbell[dword + 1] = value >> 32;
	if (ring_ih(gpu, dword))
		return;
	ring_queue(gpu, first, gpu->doorbell[first] |
			       (uint64_t)gpu->doorbell[first + 1] << 32);
	run_queues(gpu);
}

/* ---- registers ----------------------------------------------------------- */

/* which invalidation engine's register @index is, from that of engine 0 */
static bool engine_of(const struct registers *regs, uint32_t index,
		      enum model_register first, unsigned int *nr)
{
	*nr = index - regs->index[first];
	return index >= regs->index[first] && *nr < MODEL_NR_INVALIDATE;
}

/* there is no TLB, so each request is done at once */
static void invalidate(struct registers *regs, uint32_t index,
		       enum model_register req, enum model_register ack,
		       uint32_t value)
{
	unsigned int nr;

	if (engine_of(regs, index, req, &nr))
		register_set(regs, regs->index[ack] + nr, value & 0xffff);
}

/* a semaphore that is read as 1 is taken, and no other client exists */
static bool is_semaphore(const struct registers *regs, uint32_t index)
{
	unsigned int nr;

	return engine_of(regs, index, R_GC_VM_INVALIDATE_ENG0_SEM, &nr) ||
	       engine_of(regs, index, R_MMHUB_VM_INVALIDATE_ENG0_SEM, &nr);
}

/* the window through which amdgpu accesses VRAM before it has mapped it */
static uint8_t *window_at(struct gpu *gpu)
{
	uint64_t at = (reg_get(gpu->regs, R_NBIO_MM_INDEX) & ~WINDOW_OF_VRAM) |
		      (uint64_t)reg_get(gpu->regs, R_NBIO_MM_INDEX_HI) << 31;

	return memory_vram(&gpu->mem, at, sizeof(uint32_t));
}

static uint32_t window_read(struct gpu *gpu)
{
	const uint8_t *at = window_at(gpu);
	uint32_t value = UINT32_MAX;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static void window_write(struct gpu *gpu, uint32_t value)
{
	uint8_t *at = window_at(gpu);

	if (at)
		memcpy(at, &value, sizeof(value));
}

static uint32_t read_value(struct gpu *gpu, uint32_t index)
{
	if (is_semaphore(gpu->regs, index))
		return 1;
	switch (register_id(gpu->regs, index)) {
	case R_NBIO_MM_DATA:
		return window_read(gpu);
	case R_GC_SQ_IND_DATA:
		return sq_read(&gpu->sq);
	default:
		return register_get(gpu->regs, index);
	}
}

uint32_t gpu_read_register(struct gpu *gpu, uint32_t index)
{
	uint32_t value;

	if (control_has(index))
		return control_read(&gpu->control, &gpu->engine, &gpu->sq, index);
	value = read_value(gpu, index);
	registers_count_read(gpu->regs, index, value);
	return value;
}

static void select_bank(struct registers *regs, uint32_t value)
{
	regs->pipe = FIELD_GET(value, GRBM_GFX_CNTL, PIPEID);
	regs->me = FIELD_GET(value, GRBM_GFX_CNTL, MEID);
	regs->vmid = FIELD_GET(value, GRBM_GFX_CNTL, VMID);
	regs->queue = FIELD_GET(value, GRBM_GFX_CNTL, QUEUEID);
}

static void capture_clock(struct registers *regs)
{
	uint64_t now = clock_ticks();

	reg_set(regs, R_GC_RLC_GPU_CLOCK_COUNT_LSB, now);
	reg_set(regs, R_GC_RLC_GPU_CLOCK_COUNT_MSB, now >> 32);
}

static void write_effect(struct gpu *gpu, uint32_t index, uint32_t value)
{
	struct registers *regs = gpu->regs;

	switch (register_id(regs, index)) {
	case R_GC_GRBM_GFX_CNTL:
		select_bank(regs, value);
		break;
	case R_GC_RLC_SAFE_MODE:
		/* RLC clears the command when it has obeyed */
		register_set(regs, index, value & ~RLC_SAFE_MODE__CMD_MASK);
		break;
	case R_GC_RLC_CAPTURE_GPU_CLOCK_COUNT:
		capture_clock(regs);
		break;
	case R_NBIO_GPU_HDP_FLUSH_REQ:
		/* writes are not posted here: all of them have arrived */
		reg_set(regs, R_NBIO_GPU_HDP_FLUSH_DONE, value);
		break;
	case R_GC_CP_HQD_ACTIVE:
		if (value & 1)
			cp_activate(&gpu->engine);
		break;
	case R_GC_CP_HQD_DEQUEUE_REQUEST:
		if (value)
			cp_deactivate(&gpu->engine);
		break;
	case R_GC_SQ_CMD:
		sq_command(&gpu->sq, value);
		break;
	case R_NBIO_MM_DATA:
		window_write(gpu, value);
		break;
	default:
		break;
	}
}

/* a comparator is in each compute unit: all must hear of it */
static void check_broadcast(struct gpu *gpu, uint32_t index)
{
	uint32_t all = GRBM_GFX_INDEX__SE_BROADCAST_WRITES_MASK |
		       GRBM_GFX_INDEX__SH_BROADCAST_WRITES_MASK |
		       GRBM_GFX_INDEX__INSTANCE_BROADCAST_WRITES_MASK;
	enum model_register id = register_id(gpu->regs, index);
	char buf[16];

	if (id < R_GC_TCP_WATCH0_ADDR_H || id > R_GC_TCP_WATCH3_CNTL)
		return;
	if ((reg_get(gpu->regs, R_GC_GRBM_GFX_INDEX) & all) != all)
		log_fault(&gpu->log, "registers",
			  "%s is written in a part of the GPU: GRBM_GFX_INDEX is 0x%x",
			  register_name(gpu->regs, index, buf),
			  reg_get(gpu->regs, R_GC_GRBM_GFX_INDEX));
}

#define TCP_WATCH_REGISTERS	3	/* ADDR_H, ADDR_L, CNTL of each comparator */

/* until the other half is written, a comparator matches what no driver asked for */
static void check_unused(struct gpu *gpu, uint32_t index)
{
	enum model_register id = register_id(gpu->regs, index);
	unsigned int nr, vmid;
	char buf[16];

	if (id < R_GC_TCP_WATCH0_ADDR_H || id > R_GC_TCP_WATCH3_CNTL)
		return;
	nr = (id - R_GC_TCP_WATCH0_ADDR_H) / TCP_WATCH_REGISTERS;
	id = R_GC_TCP_WATCH0_CNTL + nr * TCP_WATCH_REGISTERS;
	for (vmid = 1; vmid < MODEL_NR_VMIDS; vmid++)
		if (gpu->engine.process[vmid].mapped &&
		    FIELD_GET(reg_get_of_vmid(gpu->regs, id, vmid),
			      TCP_WATCH0_CNTL, VALID))
			log_fault(&gpu->log, "registers",
				  "%s is written while vmid %u uses the comparator",
				  register_name(gpu->regs, index, buf), vmid);
}

void gpu_write_register(struct gpu *gpu, uint32_t index, uint32_t value)
{
	if (control_has(index)) {
		control_write(&gpu->control, &gpu->engine, &gpu->sq, index, value);
		return;
	}
	registers_count_write(gpu->regs, index, value);
	check_broadcast(gpu, index);
	check_unused(gpu, index);
	register_set(gpu->regs, index, value);
	invalidate(gpu->regs, index, R_GC_VM_INVALIDATE_ENG0_REQ,
		   R_GC_VM_INVALIDATE_ENG0_ACK, value);
	invalidate(gpu->regs, index, R_MMHUB_VM_INVALIDATE_ENG0_REQ,
		   R_MMHUB_VM_INVALIDATE_ENG0_ACK, value);
	sdma_written(&gpu->engine, &gpu->sdma, index);
	write_effect(gpu, index, value);
}

static void write_from_packet(void *gpu, uint32_t index, uint32_t value)
{
	gpu_write_register(gpu, index, value);
}

/* ---- regions ------------------------------------------------------------- */

static int read_registers(struct gpu *gpu, uint64_t offset, uint8_t *buf,
			  uint32_t len)
{
	uint32_t i, value;

	/* as wide as the bus, in parts that it has */
	if (offset % 4 || len % 4)
		return -EINVAL;
	for (i = 0; i < len; i += 4) {
		value = gpu_read_register(gpu, (offset + i) / 4);
		memcpy(buf + i, &value, 4);
	}
	return 0;
}

static int write_registers(struct gpu *gpu, uint64_t offset, const uint8_t *buf,
			   uint32_t len)
{
	uint32_t i, value;

	if (offset % 4 || len % 4)
		return -EINVAL;
	for (i = 0; i < len; i += 4) {
		memcpy(&value, buf + i, 4);
		gpu_write_register(gpu, (offset + i) / 4, value);
	}
	return 0;
}

static int write_doorbells(struct gpu *gpu, uint64_t offset, const uint8_t *buf,
			   uint32_t len)
{
	uint64_t value = 0;

	if ((len != 4 && len != 8) || offset % len)
		return -EINVAL;
	memcpy(&value, buf, len);
	gpu_ring(gpu, offset, value, len);
	return 0;
}

static int region_read(void *priv, uint32_t region, uint64_t offset, void *buf,
		       uint32_t len)
{
	struct gpu *gpu = priv;

	switch (region) {
	case VFIO_PCI_BAR0_REGION_INDEX:
		memcpy(buf, gpu->mem.vram + offset, len);
		return 0;
	case VFIO_PCI_BAR2_REGION_INDEX:
		memcpy(buf, (uint8_t *)gpu->doorbell + offset, len);
		return 0;
	case VFIO_PCI_BAR5_REGION_INDEX:
		return read_registers(gpu, offset, buf, len);
	case VFIO_PCI_ROM_REGION_INDEX:
		memcpy(buf, gpu->rom + offset, len);
		return 0;
	case VFIO_PCI_CONFIG_REGION_INDEX:
		return pci_read(&gpu->pci, offset, buf, len);
	default:
		return -EINVAL;
	}
}

static int region_write(void *priv, uint32_t region, uint64_t offset,
			const void *buf, uint32_t len)
{
	struct gpu *gpu = priv;

	switch (region) {
	case VFIO_PCI_BAR0_REGION_INDEX:
		memcpy(gpu->mem.vram + offset, buf, len);
		return 0;
	case VFIO_PCI_BAR2_REGION_INDEX:
		return write_doorbells(gpu, offset, buf, len);
	case VFIO_PCI_BAR5_REGION_INDEX:
		return write_registers(gpu, offset, buf, len);
	case VFIO_PCI_CONFIG_REGION_INDEX:
		return pci_write(&gpu->pci, offset, buf, len);
	default:
		return -EINVAL;
	}
}

static int map_dma(void *priv, uint64_t iova, uint64_t size, int prot, int fd,
		   uint64_t offset)
{
	struct gpu *gpu = priv;
	const char *why = "";
	int err;

	/* ROMs and BARs: QEMU does not start without them, no engine sends DMA there */
	if (fd < 0)
		return 0;
	err = dma_map(&gpu->mem.dma, iova, size, prot, fd, offset, &why);
	log_line(&gpu->log, "dma", "map 0x%llx, 0x%llx bytes%s%s",
		 (unsigned long long)iova, (unsigned long long)size,
		 err ? ": " : "", err ? why : "");
	return err;
}

static int unmap_dma(void *priv, uint64_t iova, uint64_t size)
{
	struct gpu *gpu = priv;

	/* perhaps one without a file */
	dma_unmap(&gpu->mem.dma, iova, size);
	return 0;
}

static int unmap_all_dma(void *priv)
{
	struct gpu *gpu = priv;

	dma_unmap_all(&gpu->mem.dma);
	return 0;
}

static int set_irqs(void *priv, const struct vfu_irq_set *set)
{
	struct gpu *gpu = priv;

	if (set->index == VFIO_PCI_MSI_IRQ_INDEX)
		return irq_apply(&gpu->irq, 1, set);
	return set->index == VFIO_PCI_INTX_IRQ_INDEX ?
	       irq_apply(&gpu->intx, 1, set) : -EINVAL;
}

static int reset(void *priv)
{
	struct gpu *gpu = priv;

	log_line(&gpu->log, "gpu", "reset");
	pci_reset(&gpu->pci);
	registers_reset(gpu->regs, gpu->personality);
	memset(gpu->engine.queue, 0, sizeof(gpu->engine.queue));
	memset(gpu->engine.process, 0, sizeof(gpu->engine.process));
	gpu->engine.vmids = 0;
	gpu->engine.hardware_queues = 0;
	runlist_clear(&gpu->runlist, 0);
	gpu->control = (struct control){ 0 };
	memset(gpu->doorbell, 0, sizeof(gpu->doorbell));
	sq_drop(&gpu->sq, 0);
	compute_reset(&gpu->compute);
	return 0;
}

static void refused(void *priv, unsigned int command, int err, const char *why)
{
	struct gpu *gpu = priv;

	log_line(&gpu->log, "transport", "message %u refused: %s (%s)", command,
		 why, strerror(-err));
}

static const struct vfu_ops ops = {
	.region_read = region_read,
	.region_write = region_write,
	.dma_map = map_dma,
	.dma_unmap = unmap_dma,
	.dma_unmap_all = unmap_all_dma,
	.set_irqs = set_irqs,
	.reset = reset,
	.refused = refused,
};

/* ---- the whole ----------------------------------------------------------- */

static int init_pci(struct gpu *gpu)
{
	struct pci_desc desc = {
		.vendor = 0x1002,
		.device = gpu->personality->device,
		.subsystem_vendor = 0x1002,
		.subsystem = gpu->personality->subsystem,
		.class_code = gpu->personality->class_code,
		.bars = {
			[BAR_VRAM] = { gpu->mem.vram_size, true, true },
			[BAR_DOORBELLS] = { GPU_DOORBELL_BYTES, true, true },
			[BAR_REGISTERS] = { GPU_REGISTER_BYTES, false, false },
		},
		.rom_size = VBIOS_SIZE,
		.interrupt_pin = 1,
		.link_speed = 4,
		.link_width = 16,
	};

	return pci_init(&gpu->pci, &desc);
}

static void init_regions(struct gpu *gpu)
{
	uint32_t rw = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	struct vfu_region *r = gpu->region;
	unsigned int i;

	for (i = 0; i < VFIO_PCI_NUM_REGIONS; i++)
		r[i].fd = -1;
	r[VFIO_PCI_BAR0_REGION_INDEX] = (struct vfu_region){
		gpu->mem.vram_size, rw, gpu->mem.vram_fd, 0 };
	r[VFIO_PCI_BAR2_REGION_INDEX] = (struct vfu_region){
		GPU_DOORBELL_BYTES, rw, -1, 0 };
	r[VFIO_PCI_BAR5_REGION_INDEX] = (struct vfu_region){
		GPU_REGISTER_BYTES, rw, -1, 0 };
	r[VFIO_PCI_ROM_REGION_INDEX] = (struct vfu_region){
		VBIOS_SIZE, VFIO_REGION_INFO_FLAG_READ, -1, 0 };
	r[VFIO_PCI_CONFIG_REGION_INDEX] = (struct vfu_region){
		PCI_CONFIG_SIZE, rw, -1, 0 };
	gpu->irqs[VFIO_PCI_INTX_IRQ_INDEX] = (struct vfu_irq){
		1, VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_MASKABLE |
		   VFIO_IRQ_INFO_AUTOMASKED };
	gpu->irqs[VFIO_PCI_MSI_IRQ_INDEX] = (struct vfu_irq){
		1, VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_NORESIZE };
	gpu->device = (struct vfu_device){
		.ops = &ops, .priv = gpu,
		.regions = gpu->region, .nr_regions = VFIO_PCI_NUM_REGIONS,
		.irqs = gpu->irqs, .nr_irqs = VFIO_PCI_NUM_IRQS,
		.flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET,
	};
}

static void init_engines(struct gpu *gpu)
{
	gpu->access = (struct vm_access){ .mem = &gpu->mem, .regs = gpu->regs };
	gpu->ih = (struct ih){
		.log = &gpu->log, .access = &gpu->access, .regs = gpu->regs,
		.irq = &gpu->irq, .gc_node = gpu->personality->gc_node,
	};
	gpu->engine.log = &gpu->log;
	gpu->engine.access = &gpu->access;
	gpu->engine.regs = gpu->regs;
	gpu->engine.ih = &gpu->ih;
	gpu->engine.compute = &gpu->compute;
	gpu->engine.runlist = &gpu->runlist;
	gpu->runlist.engine = &gpu->engine;
	gpu->runlist.unit_ms = RUNLIST_UNIT_MS;
	gpu->engine.write_register = write_from_packet;
	gpu->engine.gpu = gpu;
	gpu->sq.log = &gpu->log;
	gpu->sq.regs = gpu->regs;
	gpu->sq.ih = &gpu->ih;
	gpu->compute.log = &gpu->log;
	gpu->compute.engine = &gpu->engine;
	gpu->compute.sq = &gpu->sq;
	gpu->compute.access = gpu->access;
}

struct gpu *gpu_create(const struct personality *personality, FILE *log_file,
		       unsigned int nr_threads)
{
	struct gpu *gpu = calloc(1, sizeof(*gpu));
	int err = -ENOMEM;

	if (!gpu)
		return NULL;
	gpu->personality = personality;
	log_open(&gpu->log, log_file);
	irq_init(&gpu->irq);
	irq_init(&gpu->intx);
	gpu->mem.vram_fd = -1;
	gpu->regs = registers_create(personality, &gpu->log);
	if (gpu->regs && sdma_init(&gpu->sdma, gpu->regs, personality))
		err = memory_init(&gpu->mem, personality->vram_size);
	if (!err)
		err = init_pci(gpu);
	if (!err) {
		init_engines(gpu);
		if (!compute_init(&gpu->compute, personality, nr_threads))
			err = -ENOMEM;
	}
	if (err) {
		gpu_destroy(gpu);
		errno = -err;
		return NULL;
	}
	vbios_build(gpu->rom, personality);
	discovery_table_write(&gpu->mem, personality);
	init_regions(gpu);
	return gpu;
}

void gpu_destroy(struct gpu *gpu)
{
	if (!gpu)
		return;
	compute_exit(&gpu->compute);
	irq_clear(&gpu->irq);
	irq_clear(&gpu->intx);
	memory_exit(&gpu->mem);
	registers_destroy(gpu->regs);
	free(gpu);
}

void gpu_summary(struct gpu *gpu)
{
	registers_summary(gpu->regs);
	log_line(&gpu->log, "gpu",
		 "%llu packets, %llu of them refused, %llu waves, %llu saved, %llu restored, %llu instructions, %llu matches, %llu interrupts, %llu lost, %llu waves went on, %llu faults",
		 (unsigned long long)gpu->engine.packets,
		 (unsigned long long)gpu->engine.unknown,
		 (unsigned long long)gpu->compute.waves,
		 (unsigned long long)gpu->compute.saved,
		 (unsigned long long)gpu->compute.restored,
		 (unsigned long long)gpu->compute.insts,
		 (unsigned long long)gpu->compute.matches,
		 (unsigned long long)gpu->ih.delivered,
		 (unsigned long long)gpu->ih.lost,
		 (unsigned long long)gpu->sq.resumed,
		 (unsigned long long)gpu->log.faults);
}
