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
 */
struct place {
	const struct guard_code *code;
	const char *name;
	uint64_t start;
	uint64_t offset;
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
	return place;
}

/* ---- legal or not --------------------------------------------------------- */

/* by which a hit is judged: @dispatch is NULL if it is not known */
struct judge {
	struct guard_map *map;
	uint32_t pid;
	const struct guard_dispatch *dispatch;
	bool is_load;
};

static struct judge judge_of(struct guard_map *map, uint32_t pid,
			     const struct gpubp_hit_record *rec)
{
	return (struct judge){
		.map = map, .pid = pid, .dispatch = guard_dispatch_of(map, pid, rec),
		.is_load = rec->access == GPUBP_ACCESS_LOAD,
	};
}

static bool judge_may_use(const struct judge *j, const struct guard_argument *arg)
{
	return j->is_load || !arg->is_const;
}

/* the named buffer with the byte, "" none; false: no memory */
static bool judge_buffer(const struct judge *j, uint64_t va, struct guard_buffer *b)
{
	return guard_buffer_of(&j->map->buffers, j->pid, va, b);
}

/*
 * A code object's variables are in it; which kernels use them no message says. Without
 * its dispatch a hit is legal in all buffers.
 */
static bool byte_is_legal(const struct judge *j, uint64_t va)
{
	const struct guard_dispatch *d = j->dispatch;
	struct guard_buffer b;
	size_t i;

	if (guard_code_at(j->map, j->pid, va) || (d && d->is_open))
		return true;
	if (!d)
		return !judge_buffer(j, va, &b) || b.name[0];
	for (i = 0; i < d->nr; i++)
		if (judge_may_use(j, &d->args[i]) &&
		    guard_buffer_holds(&d->args[i].buffer, va))
			return true;
	return false;
}

/*
 * Which bytes of the access of the first lane are out of bounds.
 *
 * @first: out: the first one of them
 *
 * Return: how many.
 */
static unsigned int bytes_outside(const struct judge *j, const struct gpubp_hit_record *rec,
				  uint64_t *first)
{
	unsigned int i, nr = 0;
	unsigned int width = rec->addr_state == GPUBP_ADDR_EXACT && rec->width ? rec->width : 1;

	for (i = 0; i < width; i++)
		if (!byte_is_legal(j, rec->addr + i) && !nr++)
			*first = rec->addr + i;
	return nr;
}

/* ---- what became of them --------------------------------------------------- */

/* are the values of @rec that are out of bounds the same in @a and @b? */
static bool bytes_are_same(const struct judge *j, const struct gpubp_hit_record *rec,
			   uint64_t a, uint64_t b)
{
	unsigned int i;

	for (i = 0; i < rec->hit_len && i < sizeof(a); i++)
		if (((a ^ b) >> 8 * i & 0xff) && !byte_is_legal(j, rec->hit_addr + i))
			return false;
	return true;
}

/* of more than eight bytes only a change can be known */
static enum guard_change change_of(const struct judge *j, const struct gpubp_hit_record *rec)
{
	const bool old = rec->flags & (GPUBP_HIT_BEFORE | GPUBP_HIT_SEEN);
	const bool stored = rec->access == GPUBP_ACCESS_STORE && rec->flags & GPUBP_HIT_DATA;

	if (rec->access == GPUBP_ACCESS_LOAD)
		return GUARD_UNCHANGED;
	if (!(rec->flags & GPUBP_HIT_BYTES) || !old ||
	    !(stored || rec->flags & GPUBP_HIT_NOW))
		return GUARD_CHANGE_UNKNOWN;
	if (!bytes_are_same(j, rec, rec->flags & GPUBP_HIT_BEFORE ? rec->before : rec->seen,
			    stored ? rec->data : rec->now))
		return GUARD_CHANGED;
	return rec->hit_len <= 8 ? GUARD_UNCHANGED : GUARD_CHANGE_UNKNOWN;
}

/* ---- next to which buffer ------------------------------------------------- */

/* bytes from its end or, negative, from its begin: addresses may wrap below 0 */
static int64_t distance_of(const struct guard_buffer *b, uint64_t va)
{
	int64_t from_start = (int64_t)(va - b->va);

	return from_start < 0 ? from_start : (int64_t)(va - (b->va + b->size));
}

static bool is_nearer(const struct guard_buffer *b, const struct guard_buffer *than,
		      uint64_t va)
{
	return !than || llabs(distance_of(b, va)) < llabs(distance_of(than, va));
}

/* the nearest one that the dispatch may use */
static const struct guard_buffer *nearest_own(const struct judge *j, uint64_t va)
{
	const struct guard_buffer *best = NULL;
	const struct guard_argument *arg;
	size_t i;

	for (i = 0; j->dispatch && i < j->dispatch->nr; i++) {
		arg = &j->dispatch->args[i];
		if (arg->buffer.name[0] && judge_may_use(j, arg) &&
		    !guard_buffer_holds(&arg->buffer, va) &&
		    is_nearer(&arg->buffer, best, va))
			best = &arg->buffer;
	}
	return best;
}

/* else the nearest one of its process */
static const struct guard_buffer *nearest(const struct judge *j, uint64_t va)
{
	const struct guard_buffer *b, *best = nearest_own(j, va);
	size_t i;

	if (best)
		return best;
	for (i = 0; i < j->map->buffers.nr; i++) {
		b = &j->map->buffers.list[i];
		if (b->pid == j->pid && !guard_buffer_holds(b, va) && is_nearer(b, best, va))
			best = b;
	}
	return best;
}

static void set_buffer(struct guard_finding *f, const struct guard_buffer *b,
		       uint64_t va)
{
	if (!b)
		return;
	memcpy(f->buffer, b->name, sizeof(f->buffer));
	f->size = b->size;
	f->distance = distance_of(b, va);
}

/* elements are as wide as the access, if that is all in there */
static void set_inside(struct guard_finding *f, const struct judge *j, uint64_t va)
{
	const unsigned int width = f->rec.width;
	struct guard_buffer b;
	uint64_t offset;

	if (!judge_buffer(j, va, &b) || !b.name[0])
		return;
	offset = va - b.va;
	if (width && f->outside == width && !(offset % width))
		snprintf(f->inside, sizeof(f->inside), "%s[%" PRIu64 "]",
			 b.name, offset / width);
	else
		snprintf(f->inside, sizeof(f->inside), "%s+%#" PRIx64, b.name,
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

static void set_place(struct guard_finding *f, const struct judge *j)
{
	struct place place = place_of(j->map, j->pid, f->rec.pc);
	const char *kernel = j->dispatch ? j->dispatch->kernel : place.name;
	char name[GRUN_KERNEL_NAME];

	if (kernel)
		snprintf(f->kernel, sizeof(f->kernel), "%s",
			 demangle(kernel, name, sizeof(name)));
	set_where(f, &place, f->rec.pc);
	if (f->exact || f->violation)
		set_item(f, &place, &f->rec);
}

int guard_judge(struct guard_findings *findings, struct guard_map *map,
		uint32_t pid, const struct gpubp_hit_record *rec)
{
	const struct judge j = judge_of(map, pid, rec);
	struct guard_finding new = {
		.rec = *rec, .pid = pid, .known = true,
		.exact = rec->addr_state == GPUBP_ADDR_EXACT,
	};
	uint64_t first = rec->addr;

	/* without an exact address, the record has that of the zone */
	if (rec->flags & GPUBP_HIT_POSSIBLE) {
		findings->nr_vague++;
		return 0;
	}
	new.outside = bytes_outside(&j, rec, &first);
	if (!new.outside) {
		findings->nr_legal++;
		return 0;
	}
	set_place(&new, &j);
	set_buffer(&new, nearest(&j, first), first);
	if (new.exact) {
		set_inside(&new, &j, first);
		new.change = change_of(&j, rec);
	}
	return guard_findings_add(findings, &new);
}

int guard_violation(struct guard_findings *findings, struct guard_map *map,
		    uint32_t pid, const struct gpubp_hit_record *rec)
{
	const struct judge j = judge_of(map, pid, rec);
	struct guard_finding new = {
		.rec = *rec, .pid = pid, .violation = true, .outside = rec->width,
		.known = rec->addr_state != GPUBP_ADDR_UNKNOWN,
		.exact = rec->addr_state == GPUBP_ADDR_EXACT,
	};

	set_place(&new, &j);
	if (new.known)
		set_buffer(&new, nearest(&j, rec->addr), rec->addr);
	return guard_findings_add(findings, &new);
}
