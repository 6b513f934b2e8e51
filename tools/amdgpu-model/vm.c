// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "vm.h"

/* entries of page tables, as amdgpu_vm.h has them for gfx9 */
#define PTE_VALID	(1ull << 0)
#define PTE_SYSTEM	(1ull << 1)
#define PTE_READABLE	(1ull << 5)
#define PTE_WRITEABLE	(1ull << 6)
#define PDE_PTE		(1ull << 54)	/* of a directory: it is a page */
#define PTE_TF		(1ull << 56)	/* of the last directory: it is not */

#define PAGE_SIZE	4096ull
#define PTE_ADDRESS	0x0000fffffffff000ull
#define PDE_ADDRESS	0x0000ffffffffffc0ull

const struct vm vm_kernel = { .gart = true };

/* levels of a process's tables, the last one first */
static const uint8_t shifts[] = { 12, 21, 30, 39 };
#define NR_LEVELS	(sizeof(shifts) / sizeof(shifts[0]))
#define ENTRIES		512
#define VA_BITS		48

static void *vm_fail(struct vm_access *access, uint64_t va, int level,
		     uint64_t entry, bool write)
{
	access->fault = (struct vm_fault){
		.va = va, .level = level, .entry = entry, .write = write
	};
	return NULL;
}

/* memory behind a physical address */
static void *physical_at(const struct vm_access *access, uint64_t pa, bool system,
			 size_t len, bool write)
{
	return system ? dma_at(&access->mem->dma, pa, len, write) :
			memory_vram(access->mem, pa, len);
}

/*
 * The page of entry @entry of a table of that level. amdgpu makes large pages wherever
 * virtual addresses are aligned and memory is contiguous, whether or not the latter is
 * aligned, too.
 */
static void *page_at(struct vm_access *access, uint64_t va, uint64_t entry,
		     int level, size_t *len, bool write)
{
	unsigned int shift = shifts[level];
	uint64_t inside = va & ((1ull << shift) - 1);
	uint64_t pa = (entry & PTE_ADDRESS) + inside;
	void *memory;

	if (!(entry & (write ? PTE_WRITEABLE : PTE_READABLE)))
		return vm_fail(access, va, level, entry, write);
	/* DMA mappings need not cover the whole of a large page */
	*len = PAGE_SIZE - (pa & (PAGE_SIZE - 1));
	memory = physical_at(access, pa, entry & PTE_SYSTEM, *len, write);
	return memory ? memory : vm_fail(access, va, -1, entry, write);
}

/* whether an entry of a table of that level is a page */
static bool entry_is_page(int level, uint64_t entry)
{
	if (!level || entry & PDE_PTE)
		return true;
	return level == 1 && !(entry & PTE_TF);
}

static bool entry_read(const struct vm_access *access, uint64_t table,
		       unsigned int nr, uint64_t *entry)
{
	const void *at = physical_at(access, (table & PDE_ADDRESS) + nr * 8ull,
				     table & PTE_SYSTEM, 8, false);

	if (!at)
		return false;
	memcpy(entry, at, 8);
	return true;
}

static void *process_at(struct vm_access *access, const struct vm *vm,
			uint64_t va, size_t *len, bool write)
{
	uint64_t entry = vm->root;
	int level;

	/* the upper half is written sign extended, or without these bits */
	if (va >> VA_BITS && va >> (VA_BITS - 1) != UINT64_MAX >> (VA_BITS - 1))
		return vm_fail(access, va, NR_LEVELS - 1, 0, write);
	for (level = NR_LEVELS - 1; level >= 0; level--) {
		unsigned int nr = va >> shifts[level] & (ENTRIES - 1);

		if (!entry_read(access, entry, nr, &entry) ||
		    !(entry & PTE_VALID))
			return vm_fail(access, va, level, entry, write);
		if (entry_is_page(level, entry))
			return page_at(access, va, entry, level, len, write);
	}
	return vm_fail(access, va, 0, entry, write);
}

static void *gart_at(struct vm_access *access, uint64_t va, size_t *len,
		     bool write)
{
	const struct registers *r = access->regs;
	uint64_t start = reg_get64(r, R_GC_VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32,
				   R_GC_VM_CONTEXT0_PAGE_TABLE_START_ADDR_HI32);
	uint64_t end = reg_get64(r, R_GC_VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32,
				 R_GC_VM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32);
	uint64_t base = reg_get64(r, R_GC_VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32,
				  R_GC_VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32);
	uint64_t page = va / PAGE_SIZE, entry = 0;
	const void *at;

	if (page < start || page > end)
		return vm_fail(access, va, 0, 0, write);
	at = physical_at(access, (base & PDE_ADDRESS) + (page - start) * 8,
			 base & PTE_SYSTEM, 8, false);
	if (at)
		memcpy(&entry, at, 8);
	if (!(entry & PTE_VALID))
		return vm_fail(access, va, 0, entry, write);
	return page_at(access, va, entry, 0, len, write);
}

/* the aperture of VRAM; false: @va is not in it */
static bool aperture_offset(const struct registers *regs, uint64_t va,
			    uint64_t *offset)
{
	uint64_t base = (uint64_t)(reg_get(regs, R_GC_MC_VM_FB_LOCATION_BASE) &
				   0xffffff) << 24;
	uint64_t top = (uint64_t)(reg_get(regs, R_GC_MC_VM_FB_LOCATION_TOP) &
				  0xffffff) << 24 | 0xffffff;

	*offset = va - base;
	return va >= base && va <= top;
}

static void *kernel_at(struct vm_access *access, uint64_t va, size_t *len,
		       bool write)
{
	uint64_t offset;
	void *memory;

	if (!aperture_offset(access->regs, va, &offset))
		return gart_at(access, va, len, write);
	*len = PAGE_SIZE - (offset & (PAGE_SIZE - 1));
	memory = memory_vram(access->mem, offset, *len);
	return memory ? memory : vm_fail(access, va, -1, 0, write);
}

void *vm_at(struct vm_access *access, const struct vm *vm, uint64_t va,
	    size_t *len, bool write)
{
	return vm->gart ? kernel_at(access, va, len, write) :
			  process_at(access, vm, va, len, write);
}

bool vm_read(struct vm_access *access, const struct vm *vm, uint64_t va,
	     void *buf, size_t len)
{
	uint8_t *to = buf;
	size_t part;

	for (; len; va += part, to += part, len -= part) {
		const void *at = vm_at(access, vm, va, &part, false);

		if (!at) {
			memset(to, 0, len);
			return false;
		}
		if (part > len)
			part = len;
		memcpy(to, at, part);
	}
	return true;
}

bool vm_write(struct vm_access *access, const struct vm *vm, uint64_t va,
	      const void *buf, size_t len)
{
	const uint8_t *from = buf;
	size_t part;

	for (; len; va += part, from += part, len -= part) {
		void *at = vm_at(access, vm, va, &part, true);

		if (!at)
			return false;
		if (part > len)
			part = len;
		memcpy(at, from, part);
	}
	return true;
}

bool vm_read32(struct vm_access *access, const struct vm *vm, uint64_t va,
	       uint32_t *value)
{
	return vm_read(access, vm, va, value, sizeof(*value));
}

bool vm_read64(struct vm_access *access, const struct vm *vm, uint64_t va,
	       uint64_t *value)
{
	return vm_read(access, vm, va, value, sizeof(*value));
}

bool vm_write32(struct vm_access *access, const struct vm *vm, uint64_t va,
		uint32_t value)
{
	return vm_write(access, vm, va, &value, sizeof(value));
}

bool vm_write64(struct vm_access *access, const struct vm *vm, uint64_t va,
		uint64_t value)
{
	return vm_write(access, vm, va, &value, sizeof(value));
}
