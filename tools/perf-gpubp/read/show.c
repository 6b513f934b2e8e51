// SPDX-License-Identifier: GPL-2.0
/*
 * Names of the addresses of hits.
 */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"
#include "item.h"
#include "show.h"
#include "site.h"
#include "types.h"
#include "verb.h"

struct process {
	uint32_t pid;
	struct names names;
};

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* a file of names with times, or a map of perf */
static int names_read(struct names *names, FILE *file, struct grun_err *err)
{
	int ret = lifetimes_read(&names->lives, file, err);

	rewind(file);
	if (ret > 0)
		ret = symmap_read_file(&names->map, file, err);
	else if (!ret)
		launches_read(&names->launches, file);
	fclose(file);
	return ret;
}

static void say_missing(const struct names *names, const char *whose)
{
	if (names->lives.is_cut)
		complain("%s: names after line %u are missing, hits of that time get none",
			 whose, NAME_RECORDS_MAX);
}

int show_read_map(struct show *show, struct grun_err *err)
{
	FILE *file = fopen(show->map_file, "re");
	int ret;

	if (!file)
		return grun_fail(err, -1, "%s: %s", show->map_file, strerror(errno));
	ret = names_read(&show->names, file, err);
	say_missing(&show->names, show->map_file);
	return ret;
}

void show_free(struct show *show)
{
	recorded_free(&show->recorded);
	lifetimes_free(&show->names.lives);
	launches_free(&show->names.launches);
	symmap_free(&show->names.map);
}

/* of the process on this machine */
static void names_read_local(struct names *names, const struct local_names *local,
			     uint32_t pid)
{
	struct grun_err ignored;
	FILE *file = local_names_open(local, pid, GRUN_PERF_MAP);

	if (file) {
		symmap_read_file(&names->map, file, &ignored);
		fclose(file);
	}
	file = local_names_open(local, pid, GRUN_NAMES);
	if (!file)
		return;
	if (!lifetimes_read(&names->lives, file, &ignored)) {
		rewind(file);
		launches_read(&names->launches, file);
	}
	fclose(file);
}

/*
 * What is in the recording is right: of a process of that number here it may be
 * another one. Without names addresses stay numbers.
 */
static const struct names *read_process(struct show *show, uint32_t pid)
{
	struct process *process = calloc(1, sizeof(*process));
	struct grun_err ignored;
	char whose[32];
	FILE *file;

	if (!process || !tsearch(process, &show->processes, by_pid)) {
		free(process);
		return &show->names;
	}
	process->pid = pid;
	file = recorded_open(&show->recorded, pid);
	if (file)
		names_read(&process->names, file, &ignored);
	else
		names_read_local(&process->names, &show->recorded.local, pid);
	snprintf(whose, sizeof(whose), "process %u", pid);
	say_missing(&process->names, whose);
	return &process->names;
}

static const struct names *show_names(struct show *show, const struct hit *hit)
{
	struct process key = { .pid = hit->pid }, *const *found;

	if (show->map_file)
		return &show->names;
	found = tfind(&key, &show->processes, by_pid);
	return found ? &(*found)->names : read_process(show, hit->pid);
}

/* the name of an address at a hit */
static const struct sym *names_find(const struct names *names,
				    const struct hit *hit, uint64_t addr)
{
	const struct lifetime *life;
	enum name_state state;

	life = lifetimes_find(&names->lives, hit->rec.context, addr, hit->rec.gpu_time,
			      &state);
	/* the map does not say of which context a name is */
	if (!life && state != NAME_MISSING && !names->lives.by_context)
		return symmap_find(&names->map, addr);
	return life && state == NAME_VALID ? &life->sym : NULL;
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
	sym = names_find(show_names(show, hit), hit, hit->rec.pc);
	*off = sym ? hit->rec.pc - sym->start : 0;
	return sym ? sym->name : "";
}

/* perf's own name is that of an address, not of those beside it, and of no time or context */
static const char *find_data(struct show *show, const struct hit *hit,
			     uint64_t addr, uint64_t *off)
{
	const struct names *names = show_names(show, hit);
	const struct sym *sym = names_find(names, hit, addr);
	enum name_state state;

	*off = sym ? addr - sym->start : hit->data_off;
	if (sym)
		return sym->name;
	if (show->map_file || addr != hit_addr(hit) || names->lives.by_context ||
	    lifetimes_find(&names->lives, 0, addr, hit->rec.gpu_time, &state) ||
	    state == NAME_MISSING)
		return "";
	return hit->data;
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

static const char *element_text(const struct hit *hit, const char *name,
				uint64_t off, uint64_t addr, char *out, size_t len)
{
	unsigned int size = hit_element_size(hit);

	if (!name[0] || !size || off % size)
		return name_text(name, off, addr, out, len);
	snprintf(out, len, "%s[%" PRIu64 "]", name, off / size);
	return out;
}

const char *show_element(struct show *show, const struct hit *hit, char *out,
			 size_t len)
{
	uint64_t off, addr = hit_addr(hit);
	const char *name = find_data(show, hit, addr, &off);

	return element_text(hit, name, off, addr, out, len);
}

/* the lifetime of what was hit, in @state; NULL not known */
static const struct lifetime *show_lifetime(struct show *show,
					    const struct hit *hit,
					    enum name_state state)
{
	const struct lifetimes *lives = &show_names(show, hit)->lives;
	const struct lifetime *life;
	enum name_state is;

	life = lifetimes_find(lives, hit->rec.context, hit_addr(hit), hit->rec.gpu_time,
			      &is);
	return hit_has_address(hit) && is == state ? life : NULL;
}

static const char *duration_text(uint64_t ns, char *out, size_t len)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
	unsigned int i = 0;

	while ((double)ns < units[i].ns && i < 3)
		i++;
	snprintf(out, len, "%.3g %s", (double)ns / units[i].ns, units[i].name);
	return out;
}

const char *show_freed(struct show *show, const struct hit *hit, char *out,
		       size_t len)
{
	const struct lifetime *life = show_lifetime(show, hit, NAME_ENDED);
	char before[32], name[160], site[256];
	size_t at;

	out[0] = '\0';
	if (!life)
		return out;
	at = (size_t)snprintf(out, len, "freed %s before", duration_text(
		hit->rec.gpu_time - life->until, before, sizeof(before)));
	if (life->withdrawn_at[0] && at < len)
		at += (size_t)snprintf(out + at, len - at, " at %s", site_text(
			life->withdrawn_at, false, site, sizeof(site)));
	if (at < len)
		at += (size_t)snprintf(out + at, len - at, ", was %s", element_text(
			hit, life->sym.name, hit_addr(hit) - life->sym.start,
			hit_addr(hit), name, sizeof(name)));
	if (life->named_at[0] && at < len)
		snprintf(out + at, len - at, ", allocated at %s", site_text(
			life->named_at, false, site, sizeof(site)));
	return out;
}

const char *show_allocated(struct show *show, const struct hit *hit, char *out,
			   size_t len)
{
	const struct lifetime *life = show_lifetime(show, hit, NAME_VALID);

	out[0] = '\0';
	return life && life->named_at[0] ?
	       site_text(life->named_at, true, out, len) : out;
}

unsigned int show_period(struct show *show, const struct hit *hit)
{
	return hit_has_address(hit) ?
	       lifetimes_period(&show_names(show, hit)->lives, hit->rec.context,
				hit_addr(hit), hit->rec.gpu_time) : 0;
}

uint32_t show_context(struct show *show, const struct hit *hit)
{
	return hit_has_address(hit) && !hit_is_stop(hit) &&
	       show_names(show, hit)->lives.by_context ? hit->rec.context : 0;
}

const char *show_beside(struct show *show, const struct hit *hit, char *out,
			size_t len)
{
	const struct names *names = show_names(show, hit);
	struct symmap map;

	if (!names->lives.nr)
		return symmap_beside(&names->map, hit_addr(hit), out, len);
	out[0] = '\0';
	if (!lifetimes_at(&names->lives, hit->rec.context, hit->rec.gpu_time, &map))
		symmap_beside(&map, hit_addr(hit), out, len);
	symmap_free(&map);
	return out;
}

/*
 * perf has demangled the name: that in the file is found by the address. Both are
 * of one function if the offsets in it agree.
 */
static bool place_in_file(const struct hit *hit, struct place *place)
{
	struct grun_err ignored;
	struct object *object = NULL;
	const char *function = NULL;
	uint64_t start;

	if (hit->code_off && hit->dso[0] == '/')
		object = object_get(hit->dso, &ignored);
	if (object && grun_code_loaded(object->code, hit->code_off, &place->pc))
		function = grun_code_function(object->code, place->pc, &start);
	if (!function || (hit->sym[0] && place->pc - start != hit->sym_off))
		return false;
	place->object = object;
	place->function = function;
	return true;
}

/* in the code object that was asked for, or in that which perf knows */
static bool place_by_name(struct show *show, const struct hit *hit, uint64_t off,
			  struct place *place)
{
	struct grun_err ignored;
	uint64_t value;

	place->object = show->code;
	if (!place->object && hit->dso[0] == '/')
		place->object = object_get(hit->dso, &ignored);
	if (!place->object || !grun_code_symbol(place->object->code,
						place->function, &value))
		return false;
	place->pc = value + off;
	return true;
}

bool show_place(struct show *show, const struct hit *hit, struct place *place)
{
	bool in_file = !show->map_file && place_in_file(hit, place);
	uint64_t off;

	place->name = find_code(show, hit, &off);
	if (!in_file)
		place->function = place->name;
	if (in_file && !show->code)
		return true;
	return place->function[0] && place_by_name(show, hit, off, place);
}

bool show_source(struct show *show, const struct hit *hit, struct line *line)
{
	struct place place;

	return show_place(show, hit, &place) &&
	       lines_find(place.object->lines, place.pc, line);
}

/* the launch of a hit, which its code may contradict */
static const struct launch *show_launch(struct show *show, const struct hit *hit,
					const struct place *place,
					const struct grun_kernel *kernel)
{
	const struct launch *launch = launches_find(&show_names(show, hit)->launches,
						    &hit->rec);

	return launch && kernel &&
	       launch->kernel != hit->rec.pc - place->pc + kernel->descriptor ?
	       NULL : launch;
}

/* NULL: in no code that is known, or not in a kernel */
static const struct grun_kernel *place_kernel(const struct place *place)
{
	return place->object ? grun_code_find(place->object->code, place->function) : NULL;
}

static const struct launch *show_where(struct show *show, const struct hit *hit,
				       const struct grun_kernel **kernel)
{
	struct place place;

	if (!show_place(show, hit, &place))
		place.object = NULL;
	*kernel = place_kernel(&place);
	return show_launch(show, hit, &place, *kernel);
}

const char *show_launched(struct show *show, const struct hit *hit, char *out,
			  size_t len)
{
	const struct grun_kernel *kernel;
	const struct launch *launch = show_where(show, hit, &kernel);

	out[0] = '\0';
	return launch && launch->site[0] ? site_text(launch->site, true, out, len) : out;
}

bool show_item(struct show *show, const struct hit *hit, uint32_t item[3])
{
	const struct grun_kernel *kernel;
	const struct launch *launch = show_where(show, hit, &kernel);

	return hit->rec.addr_state == GPUBP_ADDR_EXACT &&
	       item_of(item, launch, kernel, &hit->rec);
}
