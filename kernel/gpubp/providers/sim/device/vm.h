/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A GPU address space: buffers of the device, ranges of a process's memory,
 * and memory that belongs to the device or to the core.
 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_VM_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_VM_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/maple_tree.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

/* range for programs; mappings of the device itself are below it */
#define SIM_VA_START		0x100000000ULL
#define SIM_VA_END		0x800000000000ULL
#define SIM_VA_PRIVATE_START	0x10000ULL

/**
 * enum sim_map_kind - kind of memory of a mapping
 * @SIM_MAP_BO: buffer, owned by its file
 * @SIM_MAP_INVISIBLE: buffer that the CPU cannot map
 * @SIM_MAP_USERPTR: memory of the process
 * @SIM_MAP_SCRATCH: private memory of work-items, not mapped by the CPU
 * @SIM_MAP_CODE: memory of the core or the device: user code may read and
 *	execute it
 */
enum sim_map_kind {
	SIM_MAP_BO,
	SIM_MAP_INVISIBLE,
	SIM_MAP_USERPTR,
	SIM_MAP_SCRATCH,
	SIM_MAP_CODE,
};

/**
 * struct sim_map - a mapping and its memory
 * @ref: held by the address space, each CPU mapping, and accesses to a userptr
 * @kind: enum sim_map_kind
 * @readonly: not writable by waves
 * @va: GPU address
 * @nr_pages: size in pages
 * @pages: memory, unless @kind is SIM_MAP_USERPTR
 * @kernel: their address in the kernel, or NULL, see sim_vm_map_code(); under
 *	sim_vm.lock
 * @mm: address space of the process of a userptr; a reference by mmgrab()
 * @cpu_addr: address in @mm
 * @vm: address space to which it is charged until freed, or NULL
 * @cost: bytes charged
 * @gone: completed after the last access to a userptr
 */
struct sim_map {
	struct kref ref;
	enum sim_map_kind kind;
	bool readonly;
	u64 va;
	unsigned long nr_pages;
	struct page **pages;
	void *kernel;
	struct mm_struct *mm;
	unsigned long cpu_addr;
	struct sim_vm *vm;
	u64 cost;
	struct completion *gone;
};

/**
 * struct sim_vm - an address space
 * @lock: protects changes of @maps
 * @charge_lock: protects @used, @nr_maps; innermost
 * @maps: struct sim_map by page number; read under RCU
 * @seq: set to a new unique number when a mapping is removed
 * @code_seq: set to a new unique number when instructions are read from memory again
 * @used: bytes of buffers, including those with CPU mappings only, scratch
 *	memory, save areas, and kernel memory for userptrs
 * @nr_maps: number of mappings
 * @nr_userptrs: of these, userptrs
 * @user: user to which @used is charged; constant
 * @unlimited: no limit of the user applies; constant
 */
struct sim_vm {
	struct mutex lock;
	spinlock_t charge_lock;
	struct maple_tree maps;
	u64 seq;
	u64 code_seq;
	u64 used;
	unsigned int nr_maps;
	unsigned int nr_userptrs;
	struct sim_user *user;
	bool unlimited;
};

/* translations of a compute unit; thread only */
#define SIM_TLB_ENTRIES		32

/**
 * struct sim_tlb_entry - translation of one page, not of a userptr
 * @vm: address space
 * @seq: sim_vm.seq at lookup
 * @page: page number
 * @addr: kernel address
 * @map: its mapping; valid as long as @seq is
 */
struct sim_tlb_entry {
	const struct sim_vm *vm;
	u64 seq;
	u64 page;
	void *addr;
	const struct sim_map *map;
};

/**
 * struct sim_pin - a pinned page of a userptr
 * @map: its mapping, with a reference; NULL if empty
 * @page: number of the page in @map
 * @memory: the page
 * @writable: pinned for writing
 */
struct sim_pin {
	struct sim_map *map;
	unsigned long page;
	struct page *memory;
	bool writable;
};

#define SIM_NO_INST		U64_MAX

/*
 * Most pages of an instruction: each dword of each lane's 16 bytes may span two
 * pages.
 */
#define SIM_NR_PINS		(64 * 4 * 2)

/**
 * struct sim_tlb - translation cache of a compute unit
 * @entry: direct mapped
 * @pin: pages of userptrs, pinned for one instruction, which executes only with
 *	all of them
 * @nr_pins: entries of @pin
 * @last_pin: index of the entry used last
 * @inst: instruction for which they are pinned
 */
struct sim_tlb {
	struct sim_tlb_entry entry[SIM_TLB_ENTRIES];
	struct sim_pin pin[SIM_NR_PINS];
	unsigned int nr_pins;
	unsigned int last_pin;
	u64 inst;
};

/*
 * Timeout of a page fault: a page from a disk or another process (userfaultfd)
 * may take long, or for ever.
 */
#define SIM_PAGE_TIMEOUT	HZ

/* flags of sim_vm_access() */
#define SIM_ACCESS_WRITE	0x1
#define SIM_ACCESS_PRIV		0x2	/* by the trap handler or the core */
#define SIM_ACCESS_NOWAIT	0x4	/* do not wait for pages: -EAGAIN */

struct sim_user;
struct vm_area_struct;

void sim_vm_init(struct sim_vm *vm, struct sim_user *user);
void sim_vm_flush_code(struct sim_vm *vm);
void sim_vm_exit(struct sim_vm *vm);
int sim_vm_alloc(struct sim_vm *vm, enum sim_map_kind kind, u64 size, u64 *va);
int sim_vm_userptr(struct sim_vm *vm, unsigned long cpu_addr, u64 size,
		   bool readonly, u64 *va);
u64 sim_vm_size(struct sim_vm *vm, u64 va);
int sim_vm_unmap(struct sim_vm *vm, u64 va, u64 size);
void *sim_vm_map_code(struct sim_vm *vm, u64 va);
void sim_vm_free(struct sim_vm *vm, u64 va);
int sim_vm_mmap(struct sim_vm *vm, struct vm_area_struct *vma);
bool sim_vm_is_buffer(const struct vm_area_struct *vma);

/* charge.c */
int sim_vm_charge(struct sim_vm *vm, u64 size, unsigned int maps);
void sim_vm_uncharge(struct sim_vm *vm, u64 size, unsigned int maps);

/* copy.c */
int sim_vm_copy(struct sim_vm *vm, u64 dst, u64 src, u64 size,
		const bool *gone);

/* access.c */
ssize_t sim_vm_rw(struct sim_vm *vm, struct sim_tlb *tlb, u64 va, void *buf,
		  size_t len, unsigned int flags);
size_t sim_vm_access(struct sim_vm *vm, struct sim_tlb *tlb, u64 va, void *buf,
		     size_t len, unsigned int flags);
int sim_vm_rmw(struct sim_vm *vm, struct sim_tlb *tlb, u64 va,
	       unsigned int len, u64 (*fn)(u64 old, const void *data),
	       const void *data, unsigned int flags, u64 *old);
bool sim_vm_may_wait(const struct sim_vm *vm);
int sim_vm_need(struct sim_vm *vm, struct sim_tlb *tlb, u64 va, u64 len,
		unsigned int flags, u64 *missing);
int sim_vm_fault_in(struct sim_vm *vm, u64 va, bool write);
void sim_tlb_instruction(struct sim_tlb *tlb, u64 inst);
void sim_tlb_slice_end(struct sim_tlb *tlb);

/* map.c */
struct sim_map *sim_map_alloc(enum sim_map_kind kind, u64 size);
struct sim_map *sim_map_userptr(unsigned long cpu_addr, u64 size,
				bool readonly);
void sim_map_put(struct sim_map *map);

/* userptr.c */
int sim_pin_get(struct sim_pin *pin, struct sim_map *map, unsigned long page,
		unsigned int flags);
void sim_pin_put(struct sim_pin *pin);
int sim_map_fault_in(struct sim_map *map, unsigned long page, bool write);

static inline void sim_map_get(struct sim_map *map)
{
	kref_get(&map->ref);
}

/** sim_map_last() - page number of its last page in the GPU address space */
static inline unsigned long sim_map_last(const struct sim_map *map)
{
	return (map->va >> PAGE_SHIFT) + map->nr_pages - 1;
}

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_VM_H */
