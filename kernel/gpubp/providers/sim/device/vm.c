// SPDX-License-Identifier: GPL-2.0
/*
 * Address spaces: insertion and removal of mappings. A removed mapping is not
 * accessible to any wave before its memory is freed and the call returns:
 * lookups run under RCU, accesses to userptrs take a reference.
 */
#include <kunit/visibility.h>
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "user.h"
#include "vm.h"

/*
 * A userptr keeps the mm_struct and the page directory of its process, 8 to 12
 * KiB, even when the process has ended.
 */
#define USERPTR_COST	SZ_16K

static atomic64_t last_seq = ATOMIC64_INIT(0);

static void new_seq(struct sim_vm *vm)
{
	/*
	 * Readers of the new number do not find the mapping: pairs with
	 * find_page().
	 */
	smp_store_release(&vm->seq, atomic64_inc_return(&last_seq));
}

/**
 * sim_vm_init() - initialise an empty address space
 * @vm: address space
 * @user: user to which its memory is charged
 *
 * CAP_SYS_RESOURCE of the calling process lifts the limit of the user.
 */
void sim_vm_init(struct sim_vm *vm, struct sim_user *user)
{
	sim_user_get(user);
	vm->user = user;
	vm->unlimited = capable(CAP_SYS_RESOURCE);
	mutex_init(&vm->lock);
	spin_lock_init(&vm->charge_lock);
	mt_init_flags(&vm->maps, MT_FLAGS_ALLOC_RANGE | MT_FLAGS_USE_RCU);
	new_seq(vm);
	sim_vm_flush_code(vm);
}

/** sim_vm_flush_code() - caches have no instructions of an address space; any context */
void sim_vm_flush_code(struct sim_vm *vm)
{
	WRITE_ONCE(vm->code_seq, atomic64_inc_return(&last_seq));
}
EXPORT_SYMBOL_IF_KUNIT(sim_vm_flush_code);

/** sim_vm_exit() - free all mappings; no wave uses the address space */
void sim_vm_exit(struct sim_vm *vm)
{
	unsigned long index = 0;
	struct sim_map *map;

	mt_for_each(&vm->maps, map, index, ULONG_MAX)
		sim_map_put(map);
	mtree_destroy(&vm->maps);
	mutex_destroy(&vm->lock);
	sim_user_put(vm->user);
}

static bool is_private(enum sim_map_kind kind)
{
	return kind == SIM_MAP_SCRATCH || kind == SIM_MAP_CODE;
}

/* memory of the core and the device is bounded by its use, and not charged */
static u64 map_cost(enum sim_map_kind kind, u64 size)
{
	return kind == SIM_MAP_CODE ? 0 : size;
}

/* find a free address range; it stays free while the lock is held */
static int find_free_range(struct sim_vm *vm, const struct sim_map *map,
			   u64 *va)
{
	u64 start = is_private(map->kind) ? SIM_VA_PRIVATE_START : SIM_VA_START;
	u64 end = is_private(map->kind) ? SIM_VA_START : SIM_VA_END;
	MA_STATE(mas, &vm->maps, 0, 0);
	int err;

	lockdep_assert_held(&vm->lock);
	mtree_lock(&vm->maps);
	err = mas_empty_area(&mas, start >> PAGE_SHIFT, (end >> PAGE_SHIFT) - 1,
			     map->nr_pages);
	mtree_unlock(&vm->maps);
	*va = (u64)mas.index << PAGE_SHIFT;
	return err ? -ENOMEM : 0;
}

/* read by compute units without the lock: count before insertion */
static void count_userptr(struct sim_vm *vm, const struct sim_map *map, int by)
{
	lockdep_assert_held(&vm->lock);
	if (map->kind == SIM_MAP_USERPTR)
		WRITE_ONCE(vm->nr_userptrs, vm->nr_userptrs + by);
}

/* set the address before insertion makes the mapping visible to lookups */
static int map_insert_at(struct sim_vm *vm, struct sim_map *map, u64 va)
{
	int err = va ? 0 : find_free_range(vm, map, &va);

	if (err)
		return err;
	map->va = va;
	return mtree_insert_range(&vm->maps, va >> PAGE_SHIFT,
				  sim_map_last(map), map, GFP_KERNEL_ACCOUNT);
}

/* @map may be unmapped and freed at any time afterwards */
static int map_insert(struct sim_vm *vm, struct sim_map *map, u64 *va)
{
	int err;

	guard(mutex)(&vm->lock);
	count_userptr(vm, map, 1);
	err = map_insert_at(vm, map, *va);
	if (err)
		count_userptr(vm, map, -1);
	else
		*va = map->va;
	return err;
}

/* insert @map or free it; @cost was charged, and is uncharged with @map */
static int map_add(struct sim_vm *vm, struct sim_map *map, u64 cost, u64 *va)
{
	int err;

	if (IS_ERR(map)) {
		sim_vm_uncharge(vm, cost, 1);
		return PTR_ERR(map);
	}
	map->vm = vm;
	map->cost = cost;
	err = map_insert(vm, map, va);
	if (err)
		sim_map_put(map);
	return err;
}

/* check an address (0: any) and a size given by a program */
static int check_range(u64 va, u64 size)
{
	if (!size || !PAGE_ALIGNED(va) || !PAGE_ALIGNED(size) ||
	    size > SIM_VA_END - SIM_VA_START)
		return -EINVAL;
	if (va && (va < SIM_VA_START || va > SIM_VA_END - size))
		return -EINVAL;
	return 0;
}

/**
 * sim_vm_alloc() - allocate and map zeroed memory
 * @vm: address space
 * @kind: not SIM_MAP_USERPTR
 * @size: in bytes, rounded up to whole pages
 * @va: in: address of a buffer, or 0 for any; out: address
 *
 * Return: 0, -EINVAL, -EEXIST, -ENOMEM, -EINTR.
 */
int sim_vm_alloc(struct sim_vm *vm, enum sim_map_kind kind, u64 size, u64 *va)
{
	int err;

	if (size > SIM_VA_END)
		return -EINVAL;
	size = PAGE_ALIGN(size);
	err = check_range(*va, size);
	if (err)
		return err;
	err = sim_vm_charge(vm, map_cost(kind, size), 1);
	if (err)
		return err;
	return map_add(vm, sim_map_alloc(kind, size), map_cost(kind, size), va);
}
EXPORT_SYMBOL_IF_KUNIT(sim_vm_alloc);

/**
 * sim_vm_userptr() - map memory of the calling process
 * @vm: address space
 * @cpu_addr: page-aligned
 * @size: in bytes, whole pages
 * @readonly: waves may not write
 * @va: in: address, or 0 for any; out: address
 *
 * Return: 0, -EINVAL, -EEXIST, -ENOMEM.
 */
int sim_vm_userptr(struct sim_vm *vm, unsigned long cpu_addr, u64 size,
		   bool readonly, u64 *va)
{
	int err = check_range(*va, size);

	if (err)
		return err;
	if (!PAGE_ALIGNED(cpu_addr) ||
	    !access_ok((void __user *)cpu_addr, size))
		return -EINVAL;
	err = sim_vm_charge(vm, USERPTR_COST, 1);
	if (err)
		return err;
	return map_add(vm, sim_map_userptr(cpu_addr, size, readonly),
		       USERPTR_COST, va);
}

static u64 map_bytes(const struct sim_map *map)
{
	return (u64)map->nr_pages << PAGE_SHIFT;
}

static struct sim_map *map_remove(struct sim_vm *vm, u64 va, u64 size,
				  bool private)
{
	struct sim_map *map;

	guard(mutex)(&vm->lock);
	map = mtree_load(&vm->maps, va >> PAGE_SHIFT);
	if (!map || map->va != va || is_private(map->kind) != private ||
	    (size && map_bytes(map) != size))
		return NULL;
	mtree_erase(&vm->maps, va >> PAGE_SHIFT);
	count_userptr(vm, map, -1);
	new_seq(vm);
	return map;
}

/*
 * sim_vm_size() - size of the program's mapping at @va, 0 if none starts there
 */
u64 sim_vm_size(struct sim_vm *vm, u64 va)
{
	struct sim_map *map;

	guard(mutex)(&vm->lock);
	map = mtree_load(&vm->maps, va >> PAGE_SHIFT);
	if (!map || map->va != va || is_private(map->kind))
		return 0;
	return map_bytes(map);
}

/* put a removed mapping, and wait until no wave can access its memory */
static void map_retire(struct sim_map *map)
{
	enum sim_map_kind kind = map->kind;
	DECLARE_COMPLETION_ONSTACK(gone);

	synchronize_rcu_expedited();
	if (kind == SIM_MAP_USERPTR)
		map->gone = &gone;
	sim_map_put(map);
	if (kind == SIM_MAP_USERPTR)
		wait_for_completion(&gone);
}

/**
 * sim_vm_unmap() - remove a mapping of a program
 * @vm: address space
 * @va: start address
 * @size: its size in bytes; 0: any
 *
 * No wave can access it on return.
 *
 * Return: 0 or -ENOENT.
 */
int sim_vm_unmap(struct sim_vm *vm, u64 va, u64 size)
{
	struct sim_map *map = map_remove(vm, va, size, false);

	if (!map)
		return -ENOENT;
	map_retire(map);
	return 0;
}

/** sim_vm_free() - remove memory of the device or the core */
void sim_vm_free(struct sim_vm *vm, u64 va)
{
	struct sim_map *map = map_remove(vm, va, 0, true);

	if (!WARN_ON_ONCE(!map))
		map_retire(map);
}

/**
 * sim_vm_map_code() - map memory of the core in the kernel, until it is removed
 * @vm: address space
 * @va: GPU address in a mapping of SIM_MAP_CODE
 *
 * May sleep. Return: the kernel's address of it, or NULL.
 */
void *sim_vm_map_code(struct sim_vm *vm, u64 va)
{
	struct sim_map *map;

	guard(mutex)(&vm->lock);
	map = mtree_load(&vm->maps, va >> PAGE_SHIFT);
	if (!map || map->kind != SIM_MAP_CODE)
		return NULL;
	if (!map->kernel)
		map->kernel = vmap(map->pages, map->nr_pages, VM_MAP, PAGE_KERNEL);
	return map->kernel ? map->kernel + (va - map->va) : NULL;
}

/*
 * CPU mappings keep the memory and its charge after the GPU mapping is removed.
 * The file keeps the address space.
 */

static void vma_open(struct vm_area_struct *vma)
{
	sim_map_get(vma->vm_private_data);
}

static void vma_close(struct vm_area_struct *vma)
{
	sim_map_put(vma->vm_private_data);
}

static vm_fault_t vma_fault(struct vm_fault *vmf)
{
	struct sim_map *map = vmf->vma->vm_private_data;
	unsigned long i = vmf->pgoff - (map->va >> PAGE_SHIFT);

	if (i >= map->nr_pages)
		return VM_FAULT_SIGBUS;
	get_page(map->pages[i]);
	vmf->page = map->pages[i];
	return 0;
}

static const struct vm_operations_struct vm_ops = {
	.open	= vma_open,
	.close	= vma_close,
	.fault	= vma_fault,
};

/*
 * sim_vm_is_buffer() - is @vma a CPU mapping of a buffer of any context on any
 * device?
 */
bool sim_vm_is_buffer(const struct vm_area_struct *vma)
{
	return vma->vm_ops == &vm_ops;
}

static struct sim_map *find_bo(struct sim_vm *vm, struct vm_area_struct *vma)
{
	struct sim_map *map = mtree_load(&vm->maps, vma->vm_pgoff);

	lockdep_assert_held(&vm->lock);
	if (map && map->kind == SIM_MAP_INVISIBLE)
		return ERR_PTR(-EACCES);
	if (!map || map->kind != SIM_MAP_BO ||
	    vma_pages(vma) > sim_map_last(map) - vma->vm_pgoff + 1)
		return ERR_PTR(-EINVAL);
	return map;
}

/**
 * sim_vm_mmap() - map a buffer for the CPU
 * @vm: address space
 * @vma: its offset is the buffer's GPU address
 *
 * Return: 0, -EINVAL, or -EACCES if the buffer is invisible.
 */
int sim_vm_mmap(struct sim_vm *vm, struct vm_area_struct *vma)
{
	struct sim_map *map;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	guard(mutex)(&vm->lock);
	map = find_bo(vm, vma);
	if (IS_ERR(map))
		return PTR_ERR(map);
	sim_map_get(map);
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_private_data = map;
	vma->vm_ops = &vm_ops;
	return 0;
}
