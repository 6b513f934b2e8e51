// SPDX-License-Identifier: GPL-2.0
/*
 * Which hits are out of bounds, and of which buffer.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "demangle.h"
#include "guard.h"
#include "item.h"
#include "launches.h"

/* ---- the kernel ----------------------------------------------------------- */

/*
 * @code: its code object, NULL unknown
 * @name: function of the instruction, NULL unknown
 * @start: where the function is in the code object
 * @offset: of the instruction in the code object
 * @kernel: what is known of its arguments, NULL nothing
 */
struct place {
	const struct guard_code *code;
	const char *name;
	uint64_t start;
	uint64_t offset;
	const struct guard_kernel *kernel;
};

static struct place place_of(const struct guard_map *map, uint32_t pid,
			     uint64_t pc)
{
	struct place place = { .code = guard_code_at(map, pid, pc) };

	if (!place.code)
		return place;
	place.offset = pc - place.code->va;
	if (place.code->code)
		place.name = grun_code_function(place.code->code, place.offset,
						&place.start);
	if (place.name)
		place.kernel = guard_kernel_find(map, pid, place.name);
	return place;
}

/* ---- legal or not --------------------------------------------------------- */

/*
 * A kernel that got a pointer to memory without a name: if that may be the memory
 * that was hit, as no buffer is in between, nothing can be said.
 */
static bool may_be_nameless(const struct guard_map *map,
			    const struct guard_kernel *kernel, uint64_t va)
{
	uint64_t low = 0, high = UINT64_MAX;
	const struct guard_buffer *b = map->buffers;
	size_t i;

	for (i = 0; i < map->nr_buffers; i++, b++) {
		if (b->pid != kernel->pid)
			continue;
		if (b->va + b->size <= va && b->va + b->size > low)
			low = b->va + b->size;
		if (b->va > va && b->va < high)
			high = b->va;
	}
	for (i = 0; i < kernel->nr; i++)
		if (kernel->pointers[i].va && kernel->pointers[i].va >= low &&
		    kernel->pointers[i].va < high)
			return true;
	return false;
}

/*
 * A code object's variables have names, too; which kernels use them no message says.
 *
 * @inside: out: the buffer that was hit, if any
 */
static bool is_legal(const struct guard_map *map, uint32_t pid,
		     const struct guard_kernel *kernel, uint64_t va,
		     const struct guard_buffer **inside)
{
	const struct guard_buffer *b = map->buffers;
	size_t i;

	*inside = NULL;
	if (guard_code_at(map, pid, va))
		return true;
	for (i = 0; i < map->nr_buffers; i++, b++) {
		if (b->pid != pid || !guard_holds(b, va))
			continue;
		if (!kernel || guard_may_use(map, kernel, b))
			return true;
		*inside = b;
	}
	return !*inside && kernel && may_be_nameless(map, kernel, va);
}

/* ---- next to which buffer ------------------------------------------------- */

static uint64_t distance_of(const struct guard_buffer *b, uint64_t va)
{
	return va < b->va ? b->va - va : va - (b->va + b->size);
}

/* the nearest one that the kernel uses, else the nearest one of all */
static const struct guard_buffer *nearest(const struct guard_map *map,
					  uint32_t pid,
					  const struct guard_kernel *kernel,
					  uint64_t va)
{
	const struct guard_buffer *b = map->buffers, *best = NULL;
	size_t i;

	for (i = 0; i < map->nr_buffers; i++, b++) {
		if (b->pid != pid || guard_holds(b, va) ||
		    (kernel && !guard_may_use(map, kernel, b)))
			continue;
		if (!best || distance_of(b, va) < distance_of(best, va))
			best = b;
	}
	return best || !kernel ? best : nearest(map, pid, NULL, va);
}

static void set_buffer(struct guard_finding *f, const struct guard_buffer *b,
		       uint64_t va)
{
	if (!b)
		return;
	memcpy(f->buffer, b->name, sizeof(f->buffer));
	f->size = b->size;
	f->behind = va >= b->va;
	f->distance = distance_of(b, va);
}

/* elements are as wide as the access */
static void set_inside(struct guard_finding *f, const struct guard_buffer *b,
		       uint64_t va, unsigned int width)
{
	uint64_t offset;

	if (!b)
		return;
	offset = va - b->va;
	if (width && !(offset % width))
		snprintf(f->inside, sizeof(f->inside), "%s[%" PRIu64 "]",
			 b->name, offset / width);
	else
		snprintf(f->inside, sizeof(f->inside), "%s+%#" PRIx64, b->name,
			 offset);
}

/* ---- where ---------------------------------------------------------------- */

static void set_where(struct guard_finding *f, const struct place *place,
		      uint64_t pc)
{
	char name[GRUN_KERNEL_NAME];
	struct line line;
	const char *file;

	if (place->name)
		snprintf(f->where, sizeof(f->where), "%s+%#" PRIx64,
			 demangle(place->name, name, sizeof(name)),
			 place->offset - place->start);
	else
		snprintf(f->where, sizeof(f->where), "%#" PRIx64, pc);
	if (!place->code || !lines_find(place->code->lines, place->offset, &line))
		return;
	file = strrchr(line.file, '/');
	snprintf(f->source, sizeof(f->source), "%s:%d",
		 file ? file + 1 : line.file, line.line);
}

static void set_item(struct guard_finding *f, const struct place *place,
		     const struct gpubp_hit_record *rec)
{
	if (place->name)
		f->has_item = item_of(f->item, NULL, grun_code_find(
			place->code->code, place->name), rec);
}

void guard_find_item(struct guard_finding *f, const struct guard_map *map,
		     const struct launches *launches)
{
	const struct launch *launch = launches_find(launches, &f->rec);
	struct place place = place_of(map, f->pid, f->rec.pc);
	const struct grun_kernel *kernel = NULL;

	if (place.name)
		kernel = grun_code_find(place.code->code, place.name);
	if (!launch || !(f->exact || f->violation) ||
	    (kernel && launch->kernel != place.code->va + kernel->descriptor))
		return;
	f->has_item = item_of(f->item, launch, kernel, &f->rec);
}

/* ---- findings ------------------------------------------------------------- */

static bool same_finding(const struct guard_finding *a,
			 const struct guard_finding *b)
{
	return a->violation == b->violation && !strcmp(a->where, b->where) &&
	       !strcmp(a->buffer, b->buffer);
}

/* the first one of which the address is known is more useful than the first one */
static void finding_refine(struct guard_finding *old,
			   const struct guard_finding *new)
{
	const uint64_t nr = old->nr;
	const unsigned int run = old->run;

	*old = *new;
	old->nr = nr;
	old->run = run;
}

static int findings_add(struct guard_findings *findings,
			const struct guard_finding *new)
{
	struct guard_finding *bigger;
	struct guard_finding *old = findings->list;
	size_t i;

	for (i = 0; i < findings->nr; i++, old++)
		if (same_finding(old, new)) {
			if (new->exact && !old->exact)
				finding_refine(old, new);
			old->nr++;
			return 0;
		}
	bigger = realloc(findings->list, (findings->nr + 1) * sizeof(*bigger));
	if (!bigger)
		return -1;
	findings->list = bigger;
	bigger[findings->nr] = *new;
	bigger[findings->nr].nr = 1;
	bigger[findings->nr++].run = findings->run;
	return 0;
}

int guard_judge(struct guard_findings *findings, const struct guard_map *map,
		uint32_t pid, const struct gpubp_hit_record *rec)
{
	struct guard_finding new = {
		.rec = *rec, .pid = pid, .known = true,
		.exact = rec->addr_state == GPUBP_ADDR_EXACT,
	};
	const struct guard_buffer *inside;
	struct place place;

	/* without an exact address, the record has that of the zone */
	if (rec->flags & GPUBP_HIT_POSSIBLE) {
		findings->nr_vague++;
		return 0;
	}
	place = place_of(map, pid, rec->pc);
	if (is_legal(map, pid, place.kernel, rec->addr, &inside)) {
		findings->nr_legal++;
		return 0;
	}
	set_where(&new, &place, rec->pc);
	if (new.exact)
		set_item(&new, &place, rec);
	set_buffer(&new, nearest(map, pid, place.kernel, rec->addr), rec->addr);
	if (new.exact)
		set_inside(&new, inside, rec->addr, rec->width);
	return findings_add(findings, &new);
}

int guard_violation(struct guard_findings *findings, const struct guard_map *map,
		    uint32_t pid, const struct gpubp_hit_record *rec)
{
	struct guard_finding new = {
		.rec = *rec, .pid = pid, .violation = true,
		.known = rec->addr_state != GPUBP_ADDR_UNKNOWN,
		.exact = rec->addr_state == GPUBP_ADDR_EXACT,
	};
	struct place place = place_of(map, pid, rec->pc);

	set_where(&new, &place, rec->pc);
	set_item(&new, &place, rec);
	if (new.known)
		set_buffer(&new, nearest(map, pid, place.kernel, rec->addr),
			   rec->addr);
	return findings_add(findings, &new);
}
