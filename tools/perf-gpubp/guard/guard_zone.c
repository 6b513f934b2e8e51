// SPDX-License-Identifier: GPL-2.0
/*
 * Which bytes at the ends of buffers are watched: for each dispatch that runs those
 * around its arguments, less what it may access, and then all of these together.
 */
#include <stdlib.h>
#include "guard.h"

/**
 * struct zones - ranges of addresses
 * @list: in any order
 * @nr: entries of @list
 * @max: room in @list
 */
struct zones {
	struct guard_zone *list;
	size_t nr;
	size_t max;
};

static bool zones_add(struct zones *zones, uint64_t start, uint64_t end)
{
	struct guard_zone *bigger;

	if (start >= end)
		return true;
	if (zones->nr == zones->max) {
		bigger = realloc(zones->list, (zones->max + 8) * 2 * sizeof(*bigger));
		if (!bigger)
			return false;
		zones->list = bigger;
		zones->max = (zones->max + 8) * 2;
	}
	zones->list[zones->nr++] = (struct guard_zone){ .start = start, .end = end };
	return true;
}

static int zone_compare(const void *a, const void *b)
{
	const struct guard_zone *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* in order, and what meets becomes one */
static void zones_merge(struct zones *zones)
{
	struct guard_zone *last = zones->list;
	size_t i;

	if (!zones->nr)
		return;
	qsort(zones->list, zones->nr, sizeof(*zones->list), zone_compare);
	for (i = 1; i < zones->nr; i++) {
		if (zones->list[i].start > last->end)
			*++last = zones->list[i];
		else if (zones->list[i].end > last->end)
			last->end = zones->list[i].end;
	}
	zones->nr = (size_t)(last - zones->list) + 1;
}

/* @from less @minus, both merged, to @zones */
static bool zones_subtract(struct zones *zones, const struct zones *from,
			   const struct zones *minus)
{
	uint64_t start;
	size_t i, m = 0;

	for (i = 0; i < from->nr; i++) {
		start = from->list[i].start;
		for (; m < minus->nr && minus->list[m].start < from->list[i].end; m++) {
			if (!zones_add(zones, start, minus->list[m].start))
				return false;
			if (minus->list[m].end > start)
				start = minus->list[m].end;
			/* it may go on in the next one */
			if (start >= from->list[i].end)
				break;
		}
		if (!zones_add(zones, start, from->list[i].end))
			return false;
	}
	return true;
}

static bool add_around(struct zones *around, const struct guard_buffer *b, uint64_t bytes)
{
	uint64_t end = b->va + b->size;

	return zones_add(around, b->va > bytes ? b->va - bytes : 0, b->va) &&
	       zones_add(around, end, end + bytes > end ? end + bytes : UINT64_MAX);
}

/* code objects are where the variables of the program are, for all its kernels */
static bool add_codes(struct zones *own, const struct guard_map *map, uint32_t pid)
{
	const struct guard_code *code = map->codes;
	size_t i;

	for (i = 0; i < map->nr_codes; i++, code++)
		if (code->pid == pid && !zones_add(own, code->va, code->va + code->size))
			return false;
	return true;
}

static bool add_arguments(struct zones *own, struct zones *around,
			  const struct guard_map *map, const struct guard_dispatch *d,
			  uint64_t bytes)
{
	const struct guard_argument *arg = d->args;
	size_t i;

	for (i = 0; i < d->nr; i++, arg++) {
		if (arg->is_const && !map->loads)
			continue;
		if (!zones_add(own, arg->buffer.va, arg->buffer.va + arg->buffer.size))
			return false;
		if (arg->buffer.name[0] && !add_around(around, &arg->buffer, bytes))
			return false;
	}
	return add_codes(own, map, d->pid);
}

static bool add_dispatch(struct zones *zones, const struct guard_map *map,
			 const struct guard_dispatch *d, uint64_t bytes)
{
	struct zones own = {}, around = {};
	bool ok = add_arguments(&own, &around, map, d, bytes);

	if (ok) {
		zones_merge(&own);
		zones_merge(&around);
		ok = zones_subtract(zones, &around, &own);
	}
	free(own.list);
	free(around.list);
	return ok;
}

ssize_t guard_plan(const struct guard_map *map, uint64_t bytes,
		   struct guard_zone **zones, size_t *left_out)
{
	const struct guard_dispatch *d;
	struct zones all = {};
	size_t n = 0;

	*left_out = 0;
	while ((d = guard_dispatch_running(map, &n))) {
		if (d->is_open || all.nr >= GUARD_ZONES) {
			++*left_out;
		} else if (!add_dispatch(&all, map, d, bytes)) {
			free(all.list);
			return -1;
		}
	}
	zones_merge(&all);
	*zones = all.list;
	return (ssize_t)all.nr;
}
