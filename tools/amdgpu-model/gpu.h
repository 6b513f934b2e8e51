/* SPDX-License-Identifier: GPL-2.0 */
/* The device: regions of the PCI function, what is behind them, and what they do. */
#ifndef AMDGPU_MODEL_GPU_H
#define AMDGPU_MODEL_GPU_H

#include "compute.h"
#include "control.h"
#include "engine.h"
#include "pci.h"
#include "runlist.h"
#include "sdma.h"
#include "sq.h"
#include "vbios.h"
#include "vfio_user.h"

#define GPU_DOORBELL_BYTES	(2u << 20)
#define GPU_REGISTER_BYTES	(MODEL_NR_REGISTERS * 4)

/**
 * struct gpu - one GPU
 * @log: what happens
 * @personality: which GPU
 * @pci: configuration space
 * @rom: VBIOS
 * @mem: memory
 * @regs: registers
 * @access: of address spaces
 * @irq: MSI
 * @intx: the interrupt pin, which amdgpu does not use
 * @ih: interrupts
 * @engine: queues
 * @sdma: SDMA engines
 * @sq: waves
 * @compute: what executes them
 * @runlist: queues of processes, and which are mapped
 * @control: what tests ask for
 * @doorbell: what was written
 * @indirect: register that PCIE_INDEX2 selects, for the log
 * @region: for the client
 * @irqs: same
 * @device: same
 */
struct gpu {
	struct log log;
	const struct personality *personality;
	struct pci_config pci;
	uint8_t rom[VBIOS_SIZE];
	struct memory mem;
	struct registers *regs;
	struct vm_access access;
	struct irq_line irq;
	struct irq_line intx;
	struct ih ih;
	struct engine engine;
	struct sdma sdma;
	struct sq sq;
	struct compute compute;
	struct runlist runlist;
	struct control control;
	uint32_t doorbell[GPU_DOORBELL_BYTES / 4];
	uint32_t indirect;
	struct vfu_region region[VFIO_PCI_NUM_REGIONS];
	struct vfu_irq irqs[VFIO_PCI_NUM_IRQS];
	struct vfu_device device;
};

/**
 * gpu_create() - a GPU
 * @personality: which
 * @log_file: what happens is written there, NULL: nothing is
 * @nr_threads: that execute its waves, with the caller's
 *
 * Return: NULL with errno set.
 */
struct gpu *gpu_create(const struct personality *personality, FILE *log_file,
		       unsigned int nr_threads);

/** gpu_destroy() - NULL is ignored */
void gpu_destroy(struct gpu *gpu);

/** gpu_read_register() - as the driver does, at @index in dwords */
uint32_t gpu_read_register(struct gpu *gpu, uint32_t index);

/** gpu_write_register() - same */
void gpu_write_register(struct gpu *gpu, uint32_t index, uint32_t value);

/** gpu_ring() - a doorbell: @len (4 or 8) bytes at @offset */
void gpu_ring(struct gpu *gpu, uint32_t offset, uint64_t value, uint32_t len);

/**
 * gpu_look_again() - at queues that wait for memory, and execute waves for a while
 *
 * Return: in how many ms it is to be called again; -1: when the driver did something.
 */
int gpu_look_again(struct gpu *gpu);

/** gpu_summary() - tell the figures */
void gpu_summary(struct gpu *gpu);

#endif /* AMDGPU_MODEL_GPU_H */
