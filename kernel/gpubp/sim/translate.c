// SPDX-License-Identifier: GPL-2.0
/* What is mapped at an address, and whether anybody else has it, too. */
#include <linux/errno.h>
#include <linux/gpubp.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>

#include "ctx.h"
#include "provider.h"

static struct sim_map *get_map(struct sim_vm *vm, u64 va)
{
	struct sim_map *map;

	guard(rcu)();
	map = mtree_load(&vm->maps, va >> PAGE_SHIFT);
	return map && kref_get_unless_zero(&map->ref) ? map : NULL;
}

/* what another process maps it may give to its own contexts: same pages */
static int look_if_shared(struct mm_struct *mm, unsigned long addr, u32 *flags)
{
	struct vm_area_struct *vma;

	if (!mmap_read_trylock(mm))
		return -EAGAIN;
	vma = vma_lookup(mm, addr);
	if (vma && (vma->vm_flags & VM_MAYSHARE))
		*flags |= GPUBP_MAP_SHARED;
	mmap_read_unlock(mm);
	return 0;
}

static int userptr_flags(const struct sim_map *map, u64 va, u32 *flags)
{
	int err;

	*flags |= GPUBP_MAP_USERPTR | GPUBP_MAP_CPU;
	if (!mmget_not_zero(map->mm))
		return 0;
	err = look_if_shared(map->mm, map->cpu_addr + (va - map->va), flags);
	mmput_async(map->mm);
	return err;
}

/* buffers are their file's alone: no other address space can have them */
static int flags_of(const struct sim_map *map, u64 va, u32 *flags)
{
	*flags = GPUBP_MAP_READ | GPUBP_MAP_EXEC |
		 (map->readonly ? 0 : GPUBP_MAP_WRITE);
	if (map->kind == SIM_MAP_USERPTR)
		return userptr_flags(map, va, flags);
	*flags |= GPUBP_MAP_DEVICE |
		  (map->kind == SIM_MAP_BO ? GPUBP_MAP_CPU : 0);
	return 0;
}

/**
 * sim_mem_translate() - gpubp_ops.mem_translate
 * @priv: context
 * @where: address
 * @out: the mapping
 *
 * May sleep. Return: 0, -EFAULT, -EAGAIN, or -EOPNOTSUPP: no address of memory.
 */
int sim_mem_translate(void *priv, const struct gpubp_where *where,
		      struct gpubp_mapping *out)
{
	struct sim_ctx *ctx = priv;
	struct sim_map *map;
	int err;

	if (where->space != GPUBP_SPACE_GLOBAL)
		return -EOPNOTSUPP;
	map = get_map(&ctx->vm, where->va);
	if (!map)
		return -EFAULT;
	*out = (struct gpubp_mapping) {
		.start = map->va,
		.size = (u64)map->nr_pages << PAGE_SHIFT,
	};
	err = flags_of(map, where->va, &out->flags);
	sim_map_put(map);
	return err;
}
