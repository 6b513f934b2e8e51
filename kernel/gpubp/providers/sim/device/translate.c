// SPDX-License-Identifier: GPL-2.0
/* Lookup of the mapping at an address. */
#include <linux/errno.h>
#include <linux/gpubp.h>
#include <linux/rcupdate.h>

#include "ctx.h"
#include "provider.h"

static struct sim_map *map_get_at(struct sim_vm *vm, u64 va)
{
	struct sim_map *map;

	guard(rcu)();
	map = mtree_load(&vm->maps, va >> PAGE_SHIFT);
	return map && kref_get_unless_zero(&map->ref) ? map : NULL;
}

/*
 * A buffer belongs to one file: no other maps it as a userptr, see
 * vma_may_access().
 */
static u32 map_flags(const struct sim_map *map)
{
	u32 flags = GPUBP_MAP_READ | GPUBP_MAP_EXEC |
		    (map->readonly ? 0 : GPUBP_MAP_WRITE);

	if (map->kind == SIM_MAP_USERPTR)
		return flags | GPUBP_MAP_USERPTR | GPUBP_MAP_CPU;
	return flags | GPUBP_MAP_DEVICE |
	       (map->kind == SIM_MAP_BO ? GPUBP_MAP_CPU : 0);
}

/**
 * sim_mem_translate() - gpubp_ops.mem_translate
 * @priv: context
 * @where: address to look up
 * @out: the mapping
 *
 * May sleep. Return: 0, -EFAULT, or -EOPNOTSUPP if it is not a global memory
 * address.
 */
int sim_mem_translate(void *priv, const struct gpubp_where *where,
		      struct gpubp_mapping *out)
{
	struct sim_ctx *ctx = priv;
	struct sim_map *map;

	if (where->space != GPUBP_SPACE_GLOBAL)
		return -EOPNOTSUPP;
	map = map_get_at(&ctx->vm, where->va);
	if (!map)
		return -EFAULT;
	*out = (struct gpubp_mapping) {
		.start = map->va,
		.size = (u64)map->nr_pages << PAGE_SHIFT,
		.flags = map_flags(map),
	};
	sim_map_put(map);
	return 0;
}
