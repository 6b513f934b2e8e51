/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Address spaces of the GPU, and the page tables behind them.
 *
 * That of VMID 0 is the kernel's: VRAM where the aperture of the frame buffer
 * is, and one flat table (GART) for the rest. Those of processes have tables of four
 * levels. There is no TLB: each access walks, so an invalidation that a driver
 * forgets is not seen.
 *
 * Page tables are the guest's and may hold anything. Memory outside of VRAM and of
 * what the guest mapped for DMA is never touched.
 */
#ifndef AMDGPU_MODEL_VM_H
#define AMDGPU_MODEL_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"
#include "registers.h"

/**
 * struct vm - an address space
 * @gart: the kernel's; the rest does not matter then
 * @root: address of the root page directory, as MAP_PROCESS has it
 * @vmid: that it has now
 * @pasid: of the process
 */
struct vm {
	bool gart;
	uint64_t root;
	uint8_t vmid;
	uint16_t pasid;
};

extern const struct vm vm_kernel;

/**
 * struct vm_fault - an access that failed
 * @va: address
 * @level: of the table whose entry was invalid: 3 the root, 0 the last; -1 where
 *	the memory behind it does not exist
 * @entry: that one
 * @write: it was to be written
 */
struct vm_fault {
	uint64_t va;
	int level;
	uint64_t entry;
	bool write;
};

/**
 * struct vm_access - what a walk needs
 * @mem: memory
 * @regs: registers: apertures, the root of the GART
 * @fault: of the last access that failed
 */
struct vm_access {
	const struct memory *mem;
	const struct registers *regs;
	struct vm_fault fault;
};

/**
 * vm_at() - find memory
 * @access: memory and registers
 * @vm: address space
 * @va: address
 * @len: out: bytes from there to the end of the page
 * @write: it is to be written
 *
 * Return: pointer, or NULL with access->fault set.
 */
void *vm_at(struct vm_access *access, const struct vm *vm, uint64_t va,
	    size_t *len, bool write);

/** vm_read() - @len bytes at @va to @buf; false with access->fault set, @buf is zeroed then */
bool vm_read(struct vm_access *access, const struct vm *vm, uint64_t va,
	     void *buf, size_t len);

/** vm_write() - same, the other way; what lies before the fault is written */
bool vm_write(struct vm_access *access, const struct vm *vm, uint64_t va,
	      const void *buf, size_t len);

/** vm_read32() - a dword; 0 on a fault */
bool vm_read32(struct vm_access *access, const struct vm *vm, uint64_t va,
	       uint32_t *value);

/** vm_read64() - two */
bool vm_read64(struct vm_access *access, const struct vm *vm, uint64_t va,
	       uint64_t *value);

/** vm_write32() - a dword */
bool vm_write32(struct vm_access *access, const struct vm *vm, uint64_t va,
		uint32_t value);

/** vm_write64() - two */
bool vm_write64(struct vm_access *access, const struct vm *vm, uint64_t va,
		uint64_t value);

#endif /* AMDGPU_MODEL_VM_H */
