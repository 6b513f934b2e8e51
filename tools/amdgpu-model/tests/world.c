// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gc/gc_9_4_2_sh_mask.h"
#include "oss/osssys_4_2_0_sh_mask.h"
#include "cwsr_trap_handler.h"

#include "field.h"
#include "world.h"

static void *must_have(void *what)
{
	if (!what || what == MAP_FAILED)
		abort();
	return what;
}

uint32_t *guest32(struct world *w, uint32_t at)
{
	return (uint32_t *)(w->guest + at);
}

uint64_t *guest64(struct world *w, uint32_t at)
{
	return (uint64_t *)(w->guest + at);
}

uint64_t *vram64(struct world *w, uint32_t at)
{
	return (uint64_t *)(w->gpu->mem.vram + at);
}

/* ---- registers ----------------------------------------------------------- */

/* all worlds have the same registers, and there are many */
uint32_t register_index(struct world *w, const char *name)
{
	static struct {
		char name[64];
		uint32_t index;
	} known[1024];
	unsigned int hash = 0;
	const char *at;

	for (at = name; *at; at++)
		hash = hash * 31 + *at;
	hash %= 1024;
	if (strcmp(known[hash].name, name)) {
		known[hash].index = registers_find(w->gpu->regs, name);
		snprintf(known[hash].name, sizeof(known[hash].name), "%s", name);
	}
	if (known[hash].index == MODEL_NR_REGISTERS)
		abort();
	return known[hash].index;
}

int bar_write(struct world *w, unsigned int region, uint64_t at, uint64_t value,
	      uint32_t len)
{
	return w->gpu->device.ops->region_write(w->gpu, region, at, &value, len);
}

void mmio_write(struct world *w, const char *name, uint32_t value)
{
	if (bar_write(w, VFIO_PCI_BAR5_REGION_INDEX,
		      register_index(w, name) * 4ull, value, 4))
		abort();
}

uint32_t mmio_read(struct world *w, const char *name)
{
	uint32_t value;

	if (w->gpu->device.ops->region_read(w->gpu, VFIO_PCI_BAR5_REGION_INDEX,
					    register_index(w, name) * 4ull,
					    &value, 4))
		abort();
	return value;
}

void select_queue(struct world *w, unsigned int me, unsigned int pipe,
		  unsigned int queue, unsigned int vmid)
{
	mmio_write(w, "GC GRBM_GFX_CNTL",
		   FIELD_PUT(GRBM_GFX_CNTL, MEID, me) |
		   FIELD_PUT(GRBM_GFX_CNTL, PIPEID, pipe) |
		   FIELD_PUT(GRBM_GFX_CNTL, QUEUEID, queue) |
		   FIELD_PUT(GRBM_GFX_CNTL, VMID, vmid));
}

void ring_doorbell(struct world *w, uint32_t dword, uint64_t value)
{
	if (bar_write(w, VFIO_PCI_BAR2_REGION_INDEX, dword * 4ull, value, 8))
		abort();
}

/* ---- address spaces ------------------------------------------------------ */

static void start_gart(struct world *w)
{
	uint64_t last = GUEST_GART / 4096 + GART_PAGES - 1;
	unsigned int i;

	for (i = 0; i < GUEST_BYTES / 4096; i++)
		*vram64(w, VRAM_GART + i * 8) = (GUEST_BUS + i * 4096ull) |
			BIT_VALID | BIT_SYSTEM | BIT_READ | BIT_WRITE;
	mmio_write(w, "GC VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32", GUEST_GART / 4096);
	mmio_write(w, "GC VM_CONTEXT0_PAGE_TABLE_START_ADDR_HI32", 0);
	mmio_write(w, "GC VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32", last);
	mmio_write(w, "GC VM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32", 0);
	mmio_write(w, "GC VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32", VRAM_GART | 1);
	mmio_write(w, "GC VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32", 0);
}

/* four levels, each table behind the one before */
static void start_process(struct world *w)
{
	static const unsigned int shift[] = { 39, 30, 21 };
	unsigned int i, table = VRAM_ROOT;

	for (i = 0; i < 3; i++, table += 4096)
		*vram64(w, table + (GUEST_USER >> shift[i] & 511) * 8) =
			(table + 4096) | BIT_VALID | BIT_TF;
	for (i = 0; i < USER_BYTES / 4096; i++)
		*vram64(w, table + i * 8) = (GUEST_BUS + i * 4096ull) |
			BIT_VALID | BIT_SYSTEM | BIT_READ | BIT_WRITE;
}

/* ---- interrupts ---------------------------------------------------------- */

static void start_ih(struct world *w)
{
	w->ih_rptr = *guest32(w, AT_IH_WPTR) = 0;
	mmio_write(w, "OSSSYS IH_RB_BASE", (GUEST_GART + AT_IH) >> 8);
	mmio_write(w, "OSSSYS IH_RB_BASE_HI", 0);
	mmio_write(w, "OSSSYS IH_RB_WPTR_ADDR_LO", GUEST_GART + AT_IH_WPTR);
	mmio_write(w, "OSSSYS IH_RB_WPTR_ADDR_HI", 0);
	mmio_write(w, "OSSSYS IH_RB_RPTR", 0);
	mmio_write(w, "OSSSYS IH_RB_WPTR", 0);
	mmio_write(w, "OSSSYS IH_RB_CNTL",
		   FIELD_PUT(IH_RB_CNTL, RB_ENABLE, 1) |
		   FIELD_PUT(IH_RB_CNTL, ENABLE_INTR, 1) |
		   FIELD_PUT(IH_RB_CNTL, WPTR_WRITEBACK_ENABLE, 1) |
		   FIELD_PUT(IH_RB_CNTL, MC_SPACE, 4) |
		   FIELD_PUT(IH_RB_CNTL, RB_SIZE, __builtin_ctz(IH_BYTES / 4)));
}

bool ih_next(struct world *w, uint32_t entry[8])
{
	if (*guest32(w, AT_IH_WPTR) == w->ih_rptr)
		return false;
	memcpy(entry, w->guest + AT_IH + w->ih_rptr, 32);
	w->ih_rptr = (w->ih_rptr + 32) % IH_BYTES;
	mmio_write(w, "OSSSYS IH_RB_RPTR", w->ih_rptr);
	return true;
}

unsigned int ih_drain(struct world *w)
{
	uint32_t entry[8];
	unsigned int nr = 0;

	while (ih_next(w, entry))
		nr++;
	return nr;
}

/* ---- the kernel's ring --------------------------------------------------- */

void ring_begin(struct world *w, uint32_t rptr)
{
	select_queue(w, 1, 0, 0, 0);
	mmio_write(w, "GC CP_HQD_DEQUEUE_REQUEST", 1);
	mmio_write(w, "GC CP_HQD_PQ_DOORBELL_CONTROL",
		   FIELD_PUT(CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_OFFSET,
			     RING_DOORBELL) |
		   FIELD_PUT(CP_HQD_PQ_DOORBELL_CONTROL, DOORBELL_EN, 1));
	mmio_write(w, "GC CP_HQD_PQ_BASE", (GUEST_GART + AT_RING) >> 8);
	mmio_write(w, "GC CP_HQD_PQ_BASE_HI", 0);
	mmio_write(w, "GC CP_HQD_PQ_CONTROL",
		   FIELD_PUT(CP_HQD_PQ_CONTROL, QUEUE_SIZE,
			     __builtin_ctz(RING_DWORDS) - 1));
	mmio_write(w, "GC CP_HQD_PQ_RPTR", rptr);
	mmio_write(w, "GC CP_HQD_PQ_RPTR_REPORT_ADDR", GUEST_GART + AT_RPTR);
	mmio_write(w, "GC CP_HQD_PQ_RPTR_REPORT_ADDR_HI", 0);
	mmio_write(w, "GC CP_HQD_ACTIVE", 1);
	select_queue(w, 0, 0, 0, 0);
	w->wptr = rptr;
}

void ring_put(struct world *w, const uint32_t *dw, unsigned int nr)
{
	for (; nr--; dw++)
		*guest32(w, AT_RING + w->wptr++ % RING_DWORDS * 4) = *dw;
}

void ring_kick(struct world *w)
{
	ring_doorbell(w, RING_DOORBELL, w->wptr);
}

struct queue *ring_queue(struct world *w)
{
	return queue_find(&w->gpu->engine, RING_DOORBELL);
}

/* ---- the whole ----------------------------------------------------------- */

void world_start(struct world *w)
{
	start_gart(w);
	start_process(w);
	start_ih(w);
	ring_begin(w, 0);
}

const struct personality *world_gpu(void)
{
	const char *name = getenv("MODEL_GPU");

	return must_have((void *)personality_find(name ? name : "gfx90a"));
}

unsigned int world_threads(void)
{
	const char *nr = getenv("MODEL_THREADS");

	return nr ? atoi(nr) : 1;
}

void put_handler(struct world *w, uint64_t at)
{
	if (world_gpu() == &personality_gfx942)
		memcpy(w->guest + at, cwsr_trap_gfx9_4_3_hex,
		       sizeof(cwsr_trap_gfx9_4_3_hex));
	else
		memcpy(w->guest + at, cwsr_trap_aldebaran_hex,
		       sizeof(cwsr_trap_aldebaran_hex));
}

void world_create(struct world *w, bool log)
{
	*w = (struct world){ .event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	w->log = must_have(log ? open_memstream(&w->text, &w->text_len) :
			   fopen("/dev/null", "w"));
	w->gpu = must_have(gpu_create(world_gpu(), w->log, world_threads()));
	w->gpu->irq.fd = dup(w->event);
	w->guest_fd = memfd_create("guest", MFD_CLOEXEC);
	if (ftruncate(w->guest_fd, GUEST_BYTES))
		abort();
	w->guest = must_have(mmap(NULL, GUEST_BYTES, PROT_READ | PROT_WRITE,
				  MAP_SHARED, w->guest_fd, 0));
	if (w->gpu->device.ops->dma_map(w->gpu, GUEST_BUS, GUEST_BYTES,
					PROT_READ | PROT_WRITE, w->guest_fd, 0))
		abort();
	world_start(w);
}

void world_destroy(struct world *w)
{
	gpu_destroy(w->gpu);
	fclose(w->log);
	free(w->text);
	munmap(w->guest, GUEST_BYTES);
	close(w->guest_fd);
	close(w->event);
}

unsigned int world_log(struct world *w, const char *text)
{
	unsigned int nr = 0;
	const char *at;

	fflush(w->log);
	for (at = w->text; at && (at = strstr(at, text)); at++)
		nr++;
	return nr;
}

unsigned int fds_open(void)
{
	DIR *dir = must_have(opendir("/proc/self/fd"));
	unsigned int nr = 0;

	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}
