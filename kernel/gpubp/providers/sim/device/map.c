// SPDX-License-Identifier: GPL-2.0
/* Memory of a mapping: pages of the device, or a range of a process. */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "vm.h"

static void map_free_pages(struct sim_map *map)
{
	unsigned long i;

	for (i = 0; i < map->nr_pages && map->pages[i]; i++) {
		put_page(map->pages[i]);
		cond_resched();
	}
	kvfree(map->pages);
}

/* stop at a fatal signal: buffers may be many gigabytes */
static int map_alloc_pages(struct sim_map *map)
{
	unsigned long i;

	for (i = 0; i < map->nr_pages; i++) {
		if (fatal_signal_pending(current))
			return -EINTR;
		map->pages[i] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!map->pages[i])
			return -ENOMEM;
		cond_resched();
	}
	return 0;
}

static struct sim_map *map_alloc(enum sim_map_kind kind, u64 size)
{
	struct sim_map *map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);

	if (!map)
		return NULL;
	kref_init(&map->ref);
	map->kind = kind;
	map->nr_pages = size >> PAGE_SHIFT;
	return map;
}

/**
 * sim_map_alloc() - allocate zeroed memory of the device
 * @kind: not SIM_MAP_USERPTR
 * @size: in bytes, whole pages
 *
 * Return: a mapping with one reference, not inserted yet, or an ERR_PTR.
 */
struct sim_map *sim_map_alloc(enum sim_map_kind kind, u64 size)
{
	struct sim_map *map = map_alloc(kind, size);
	int err = -ENOMEM;

	if (!map)
		return ERR_PTR(-ENOMEM);
	map->readonly = kind == SIM_MAP_CODE;
	map->pages = kvcalloc(map->nr_pages, sizeof(*map->pages),
			      GFP_KERNEL_ACCOUNT);
	if (map->pages)
		err = map_alloc_pages(map);
	if (!err)
		return map;
	sim_map_put(map);
	return ERR_PTR(err);
}

/**
 * sim_map_userptr() - create a mapping of memory of the calling process
 * @cpu_addr: page-aligned
 * @size: in bytes, whole pages
 * @readonly: not writable by waves
 *
 * Return: a mapping with one reference, not inserted yet, or an ERR_PTR.
 */
struct sim_map *sim_map_userptr(unsigned long cpu_addr, u64 size,
				bool readonly)
{
	struct sim_map *map = map_alloc(SIM_MAP_USERPTR, size);

	if (!map)
		return ERR_PTR(-ENOMEM);
	map->readonly = readonly;
	map->cpu_addr = cpu_addr;
	map->mm = current->mm;
	mmgrab(map->mm);
	return map;
}

static void map_release(struct kref *ref)
{
	struct sim_map *map = container_of(ref, struct sim_map, ref);

	vunmap(map->kernel);
	if (map->pages)
		map_free_pages(map);
	if (map->mm)
		mmdrop(map->mm);
	if (map->vm)
		sim_vm_uncharge(map->vm, map->cost, 1);
	if (map->gone)
		complete(map->gone);
	kfree(map);
}

/** sim_map_put() - drop a reference; may sleep */
void sim_map_put(struct sim_map *map)
{
	kref_put(&map->ref, map_release);
}
