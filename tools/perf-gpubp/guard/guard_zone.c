// SPDX-License-Identifier: GPL-2.0
/*
 * Which bytes at the ends of buffers are watched.
 */
#include <stdlib.h>
#include "guard.h"

/*
 * @cuts: where a zone or a buffer begins or ends; between two of them all bytes
 *	are equal
 */
struct plan {
	const struct guard_map *map;
	uint64_t bytes;
	uint64_t *cuts;
	size_t nr_cuts;
};

static int va_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t zone_start(const struct plan *plan, const struct guard_buffer *b)
{
	return b->va > plan->bytes ? b->va - plan->bytes : 0;
}

static uint64_t zone_end(const struct plan *plan, const struct guard_buffer *b)
{
	uint64_t end = b->va + b->size;

	return end + plan->bytes > end ? end + plan->bytes : UINT64_MAX;
}

static bool plan_cut(struct plan *plan)
{
	const struct guard_buffer *b = plan->map->buffers;
	size_t i;

	plan->cuts = calloc(4 * plan->map->nr_buffers + 1, sizeof(*plan->cuts));
	if (!plan->cuts)
		return false;
	for (i = 0; i < plan->map->nr_buffers; i++, b++) {
		plan->cuts[plan->nr_cuts++] = zone_start(plan, b);
		plan->cuts[plan->nr_cuts++] = b->va;
		plan->cuts[plan->nr_cuts++] = b->va + b->size;
		plan->cuts[plan->nr_cuts++] = zone_end(plan, b);
	}
	if (plan->nr_cuts)
		qsort(plan->cuts, plan->nr_cuts, sizeof(*plan->cuts), va_compare);
	return true;
}

/* may the kernel access the byte in one of its process's buffers? */
static bool byte_is_legal(const struct guard_map *map,
			  const struct guard_kernel *kernel, uint64_t va)
{
	size_t i;

	/* its variables */
	if (guard_code_at(map, kernel->pid, va))
		return true;
	for (i = 0; i < map->nr_buffers; i++)
		if (map->buffers[i].pid == kernel->pid &&
		    guard_holds(&map->buffers[i], va) &&
		    guard_may_use(map, kernel, &map->buffers[i]))
			return true;
	return false;
}

/* could the kernel reach the byte from a buffer that it was given? */
static bool byte_is_near(const struct plan *plan,
			 const struct guard_kernel *kernel, uint64_t va)
{
	const struct guard_buffer *b = plan->map->buffers;
	size_t i;

	for (i = 0; i < plan->map->nr_buffers; i++, b++)
		if (b->pid == kernel->pid && va >= zone_start(plan, b) &&
		    va < zone_end(plan, b) && guard_may_use(plan->map, kernel, b))
			return true;
	return false;
}

static bool byte_is_watched(const struct plan *plan, uint64_t va)
{
	const struct guard_kernel *kernel = plan->map->kernels;
	size_t i;

	for (i = 0; i < plan->map->nr_kernels; i++, kernel++)
		if (byte_is_near(plan, kernel, va) &&
		    !byte_is_legal(plan->map, kernel, va))
			return true;
	return false;
}

static bool is_edge(const struct guard_map *map, uint64_t va)
{
	size_t i;

	for (i = 0; i < map->nr_buffers; i++)
		if (map->buffers[i].va == va ||
		    map->buffers[i].va + map->buffers[i].size == va)
			return true;
	return false;
}

/* zones in different buffers are not joined: each may become legal alone */
static void zone_add(const struct guard_map *map, struct guard_zone *zones,
		     ssize_t *nr, uint64_t start, uint64_t end)
{
	if (*nr && zones[*nr - 1].end == start && !is_edge(map, start)) {
		zones[*nr - 1].end = end;
		return;
	}
	zones[(*nr)++] = (struct guard_zone){ .start = start, .end = end };
}

ssize_t guard_zones(const struct guard_map *map, uint64_t bytes,
		    struct guard_zone **zones)
{
	struct plan plan = { .map = map, .bytes = bytes };
	ssize_t nr = 0;
	size_t i;

	*zones = calloc(4 * map->nr_buffers + 1, sizeof(**zones));
	if (!*zones || !plan_cut(&plan)) {
		free(*zones);
		return -1;
	}
	for (i = 0; i + 1 < plan.nr_cuts; i++)
		if (plan.cuts[i] < plan.cuts[i + 1] &&
		    byte_is_watched(&plan, plan.cuts[i]))
			zone_add(map, *zones, &nr, plan.cuts[i], plan.cuts[i + 1]);
	free(plan.cuts);
	return nr;
}
