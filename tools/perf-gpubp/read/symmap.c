// SPDX-License-Identifier: GPL-2.0
/*
 * /tmp/perf-PID.map: "<hexadecimal address> <hexadecimal size> <name>" lines.
 */
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"
#include "symmap.h"
#include "sysfile.h"

/* of a file that another user may have made */
#define SYMS_MAX	(1 << 20)

static int by_start(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

int symmap_add(struct symmap *map, const struct sym *sym)
{
	struct sym *grown = map->syms;

	if (!(map->nr & (map->nr - 1)))
		grown = realloc(grown, (map->nr ? 2 * map->nr : 1) * sizeof(*grown));
	if (!grown)
		return -1;
	map->syms = grown;
	map->syms[map->nr++] = *sym;
	return 0;
}

/* names are printed on terminals */
static bool is_printable(const char *name)
{
	while (*name && !iscntrl((unsigned char)*name))
		name++;
	return !*name;
}

static int read_lines(struct symmap *map, FILE *file)
{
	struct sym sym;
	char line[256];
	int ret = 0;

	while (!ret && map->nr < SYMS_MAX && fgets(line, sizeof(line), file))
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %95s", &sym.start,
			   &sym.size, sym.name) == 3 && is_printable(sym.name))
			ret = symmap_add(map, &sym);
	if (map->nr)
		qsort(map->syms, map->nr, sizeof(*map->syms), by_start);
	return ret;
}

int symmap_read_file(struct symmap *map, FILE *file, struct grun_err *err)
{
	memset(map, 0, sizeof(*map));
	return read_lines(map, file) ? grun_fail(err, -1, "out of memory") : 0;
}

static int read_file(struct symmap *map, const char *path, FILE *file,
		     struct grun_err *err)
{
	int ret;

	memset(map, 0, sizeof(*map));
	if (!file)
		return grun_fail(err, -1, "%s: %s", path, strerror(errno));
	ret = symmap_read_file(map, file, err);
	fclose(file);
	return ret;
}

int symmap_read(struct symmap *map, const char *path, struct grun_err *err)
{
	return read_file(map, path, fopen(path, "re"), err);
}

int symmap_read_process(struct symmap *map, uint32_t pid, struct grun_err *err)
{
	char path[32];

	snprintf(path, sizeof(path), GRUN_PERF_MAP, pid);
	return read_file(map, path, sys_fopen(path), err);
}

void symmap_each_process(const char *root,
			 void (*fn)(uint32_t pid, const char *path, void *data),
			 void *data)
{
	char pattern[PATH_MAX];
	const char *name;
	uint32_t pid;
	glob_t found;
	size_t i;
	int end;

	snprintf(pattern, sizeof(pattern), "%s/tmp/perf-*.map", root);
	if (glob(pattern, GLOB_NOSORT, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++) {
		name = strrchr(found.gl_pathv[i], '/');
		end = 0;
		if (sscanf(name, "/perf-%" SCNu32 ".map%n", &pid, &end) == 1 &&
		    end && !name[end])
			fn(pid, found.gl_pathv[i], data);
	}
	globfree(&found);
}

void symmap_free(struct symmap *map)
{
	free(map->syms);
	memset(map, 0, sizeof(*map));
}

/* names may be stale and overlap: the nearest one before @addr wins */
const struct sym *symmap_find(const struct symmap *map, uint64_t addr)
{
	size_t low = 0, high = map->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (map->syms[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	while (low--)
		if (addr - map->syms[low].start < map->syms[low].size)
			return &map->syms[low];
	return NULL;
}

const char *symmap_text(const struct symmap *map, uint64_t addr, char *out,
			size_t len)
{
	const struct sym *sym = symmap_find(map, addr);

	if (sym)
		snprintf(out, len, "%s+0x%" PRIx64, sym->name, addr - sym->start);
	else
		snprintf(out, len, "0x%" PRIx64, addr);
	return out;
}

static const struct sym *symmap_ending(const struct symmap *map, uint64_t end)
{
	size_t i;

	for (i = 0; i < map->nr; i++)
		if (map->syms[i].start + map->syms[i].size == end)
			return &map->syms[i];
	return NULL;
}

const char *symmap_beside(const struct symmap *map, uint64_t addr, char *out,
			  size_t len)
{
	const struct sym *sym = symmap_find(map, addr), *prev, *next;
	uint64_t behind, before;

	out[0] = 0;
	if (!sym)
		return out;
	prev = symmap_ending(map, sym->start);
	next = symmap_find(map, sym->start + sym->size);
	behind = addr - sym->start;
	before = sym->start + sym->size - addr;
	if (prev && (!next || behind < before))
		snprintf(out, len, "%" PRIu64 " bytes behind the end of %s",
			 behind, prev->name);
	else if (next)
		snprintf(out, len, "%" PRIu64 " bytes in front of %s", before,
			 next->name);
	return out;
}
