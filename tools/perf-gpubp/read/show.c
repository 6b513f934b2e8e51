// SPDX-License-Identifier: GPL-2.0
/*
 * Names of the addresses of hits.
 */
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "item.h"
#include "show.h"
#include "types.h"

struct process {
	uint32_t pid;
	struct symmap map;
};

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* without a file addresses stay numbers */
static const struct symmap *read_process(struct show *show, uint32_t pid)
{
	struct process *process = calloc(1, sizeof(*process));
	struct grun_err ignored;

	if (!process || !tsearch(process, &show->maps, by_pid)) {
		free(process);
		return &show->map;
	}
	process->pid = pid;
	symmap_read_process(&process->map, pid, &ignored);
	return &process->map;
}

const struct symmap *show_map(struct show *show, const struct hit *hit)
{
	struct process key = { .pid = hit->pid }, *const *found;

	if (show->map_file)
		return &show->map;
	found = tfind(&key, &show->maps, by_pid);
	return found ? &(*found)->map : read_process(show, hit->pid);
}

static const char *name_text(const char *name, uint64_t off, uint64_t addr,
			     char *out, size_t len)
{
	if (name[0])
		snprintf(out, len, "%s+0x%" PRIx64, name, off);
	else
		snprintf(out, len, "0x%" PRIx64, addr);
	return out;
}

static const char *find_code(struct show *show, const struct hit *hit,
			     uint64_t *off)
{
	const struct sym *sym;

	*off = hit->sym_off;
	if (!show->map_file && hit->sym[0])
		return hit->sym;
	sym = symmap_find(show_map(show, hit), hit->rec.pc);
	*off = sym ? hit->rec.pc - sym->start : 0;
	return sym ? sym->name : "";
}

/* perf's own name is that of an address, not of those beside it */
static const char *find_data(struct show *show, const struct hit *hit,
			     uint64_t addr, uint64_t *off)
{
	const struct sym *sym = symmap_find(show_map(show, hit), addr);

	*off = sym ? addr - sym->start : hit->data_off;
	if (sym)
		return sym->name;
	return show->map_file || addr != hit_addr(hit) ? "" : hit->data;
}

const char *show_pc(struct show *show, const struct hit *hit, char *out,
		    size_t len)
{
	uint64_t off;
	const char *name = find_code(show, hit, &off);

	return name_text(name, off, hit->rec.pc, out, len);
}

const char *show_addr(struct show *show, const struct hit *hit, uint64_t addr,
		      char *out, size_t len)
{
	uint64_t off;
	const char *name = find_data(show, hit, addr, &off);

	return name_text(name, off, addr, out, len);
}

/*
 * Without a type, of a wide access to several elements, words: vectors of dwords are
 * what wide instructions are for. An access of 8 bytes may be of a double or of two
 * floats: a double.
 */
static unsigned int element_size(const struct hit *hit)
{
	const struct elem_type *type = hit_type(hit);
	const struct gpubp_hit_record *rec = &hit->rec;

	if (type)
		return type->size;
	if (!(rec->flags & GPUBP_HIT_BYTES))
		return rec->width;
	return rec->width > 8 && rec->hit_len >= 4 ? 4 : rec->hit_len;
}

const char *show_element(struct show *show, const struct hit *hit, char *out,
			 size_t len)
{
	unsigned int size = element_size(hit);
	uint64_t off, addr = hit_addr(hit);
	const char *name = find_data(show, hit, addr, &off);

	if (!name[0] || !size || off % size)
		return name_text(name, off, addr, out, len);
	snprintf(out, len, "%s[%" PRIu64 "]", name, off / size);
	return out;
}

bool show_place(struct show *show, const struct hit *hit, struct place *place)
{
	struct grun_err ignored;
	uint64_t off, value;

	place->function = find_code(show, hit, &off);
	if (!place->function[0])
		return false;
	place->object = show->code;
	if (!place->object && hit->dso[0] == '/')
		place->object = object_get(hit->dso, &ignored);
	if (!place->object || !grun_code_symbol(place->object->code,
						place->function, &value))
		return false;
	place->pc = value + off;
	return true;
}

bool show_source(struct show *show, const struct hit *hit, struct line *line)
{
	struct place place;

	return show_place(show, hit, &place) &&
	       lines_find(place.object->lines, place.pc, line);
}

bool show_item(struct show *show, const struct hit *hit, uint32_t item[3])
{
	struct place place;

	return hit->rec.addr_state == GPUBP_ADDR_EXACT &&
	       show_place(show, hit, &place) &&
	       item_of(item, place.object->code, place.function, &hit->rec);
}
