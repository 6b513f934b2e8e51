/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A GPU as amdgpu leaves it when its engines run: the guest's memory behind the
 * GART and behind the page tables of a process, a ring of the kernel, and the
 * ring of interrupts. All is reached through the callbacks that the transport uses.
 */
#ifndef TESTS_WORLD_H
#define TESTS_WORLD_H

#include "gpu.h"

/* the guest's memory: size, and its address on the bus, in the GART, and in the
 * address space of the process */
#define GUEST_BYTES	0x400000ull
#define GUEST_BUS	0x10000000ull
#define GUEST_GART	0x1000000ull
#define GUEST_USER	0x7f0012200000ull
/* the process has this much of it, by pages of 4 KiB */
#define USER_BYTES	0x200000ull
/* pages behind that one are not mapped in the GART */
#define GART_PAGES	2048u

/* places in VRAM */
#define VRAM_GART	0x100000u
#define VRAM_ROOT	0x200000u
#define VRAM_BASE	0x8000000000ull	/* of its aperture */

/* places in the guest's memory */
#define AT_RING		0x0u		/* of the kernel */
#define AT_RPTR		0x4000u		/* its read pointer */
#define AT_IH		0x8000u
#define AT_IH_WPTR	0xc000u
#define AT_DATA		0x10000u	/* the test's */

#define RING_DWORDS	256u
#define RING_DOORBELL	0u
#define IH_BYTES	1024u

/* entries of page tables, by bits that amdgpu_vm.h has */
#define BIT_VALID	(1ull << 0)
#define BIT_SYSTEM	(1ull << 1)
#define BIT_READ	(1ull << 5)
#define BIT_WRITE	(1ull << 6)
#define BIT_PDE_PTE	(1ull << 54)
#define BIT_TF		(1ull << 56)

/**
 * struct world - it
 * @gpu: device
 * @guest: memory
 * @guest_fd: its file
 * @event: eventfd of the MSI
 * @text: log
 * @text_len: of it
 * @log: file that writes it, NULL if nothing is kept
 * @wptr: of the kernel's ring, in dwords
 * @ih_rptr: where the test reads the ring of interrupts
 */
struct world {
	struct gpu *gpu;
	uint8_t *guest;
	int guest_fd;
	int event;
	char *text;
	size_t text_len;
	FILE *log;
	uint64_t wptr;
	uint32_t ih_rptr;
};

/** world_gpu() - which GPU is tested: that of the environment's MODEL_GPU, or gfx90a */
const struct personality *world_gpu(void);

/** world_threads() - likewise, of MODEL_THREADS: that execute waves; 1 if it is not set */
unsigned int world_threads(void);

/** put_handler() - amdkfd's trap handler of that GPU, at @at in guest memory */
void put_handler(struct world *w, uint64_t at);

/** world_create() - @log: the log is kept */
void world_create(struct world *w, bool log);

/** world_start() - what world_create() did after gpu_create(), once more after a reset */
void world_start(struct world *w);

/** world_destroy() - and nothing is left */
void world_destroy(struct world *w);

/** world_log() - how often the log has @text */
unsigned int world_log(struct world *w, const char *text);

/** guest32() - dword of the guest's memory */
uint32_t *guest32(struct world *w, uint32_t at);

/** guest64() - two */
uint64_t *guest64(struct world *w, uint32_t at);

/** vram64() - of VRAM */
uint64_t *vram64(struct world *w, uint32_t at);

/** register_index() - by name, which must exist */
uint32_t register_index(struct world *w, const char *name);

/** bar_write() - the guest writes @value, of @len bytes, to a region */
int bar_write(struct world *w, unsigned int region, uint64_t at, uint64_t value,
	      uint32_t len);

/** mmio_write() - the guest writes a register */
void mmio_write(struct world *w, const char *name, uint32_t value);

/** mmio_read() - and reads it */
uint32_t mmio_read(struct world *w, const char *name);

/** select_queue() - GRBM_GFX_CNTL */
void select_queue(struct world *w, unsigned int me, unsigned int pipe,
		  unsigned int queue, unsigned int vmid);

/** ring_doorbell() - of 64 bits */
void ring_doorbell(struct world *w, uint32_t dword, uint64_t value);

/** ring_begin() - the kernel's ring, empty, with the read pointer at @rptr */
void ring_begin(struct world *w, uint32_t rptr);

/** ring_put() - dwords behind the write pointer */
void ring_put(struct world *w, const uint32_t *dw, unsigned int nr);

/** ring_kick() - the doorbell for what was put there */
void ring_kick(struct world *w);

/** ring_queue() - the kernel's queue, NULL if there is none */
struct queue *ring_queue(struct world *w);

/** ih_next() - take an entry of the ring of interrupts; false: there is none */
bool ih_next(struct world *w, uint32_t entry[8]);

/** ih_drain() - take all of them; how many */
unsigned int ih_drain(struct world *w);

/** fds_open() - of this process */
unsigned int fds_open(void);

#endif /* TESTS_WORLD_H */
