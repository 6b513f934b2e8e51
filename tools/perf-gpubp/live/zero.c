// SPDX-License-Identifier: GPL-2.0
/*
 * An event without hits: its figures say whether it was armed; the names that
 * there are, whether it could be.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "zero.h"

static const struct sym *name_find(const struct symmap *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->nr; i++)
		if (!strcmp(names->syms[i].name, name))
			return &names->syms[i];
	return NULL;
}

/* a name that is there twice is printed twice: it is two buffers */
static void print_names(const struct symmap *names, FILE *out)
{
	size_t i;

	if (!names->nr)
		fputs("the target published no names\n", out);
	for (i = 0; i < names->nr; i++)
		fprintf(out, "%s%s%s", i ? ", " : "the buffers and kernels are ",
			names->syms[i].name, i + 1 < names->nr ? "" : "\n");
}

static void print_name(const struct zero *zero, FILE *out)
{
	const struct sym *sym = name_find(&zero->names, zero->name);
	uint64_t first = zero->attr->config1, len = zero->attr->config2 & GPUBP_CONFIG2_LEN;

	if (!sym) {
		fprintf(out, "  * no buffer was named '%s': ", zero->name);
		print_names(&zero->names, out);
	} else if (first > sym->size || len > sym->size - first) {
		fprintf(out, "  * bytes %" PRIu64 " to %" PRIu64
			" are watched, but '%s' has %" PRIu64 "\n", first,
			first + len - 1, zero->name, sym->size);
	}
}

void zero_print(const struct zero *zero, FILE *out)
{
	fprintf(out, "no hits of %s:\n", zero->text);
	if (zero->name[0])
		print_name(zero, out);
	why_print(&zero->why, out);
	if (zero->why.is_watch && zero->why.stats.armed_ns &&
	    !why_is_unmapped(&zero->why))
		fputs("  * comparators never see scalar loads, LDS, copy engines and instruction fetch\n",
		      out);
}

static void names_append(struct symmap *names, const struct symmap *more)
{
	struct sym *grown = realloc(names->syms, (names->nr + more->nr) *
				    sizeof(*grown));

	if (!grown)
		return;
	names->syms = grown;
	memcpy(grown + names->nr, more->syms, more->nr * sizeof(*grown));
	names->nr += more->nr;
}

struct recent_names {
	struct symmap *names;
	time_t since;
};

static void names_add(uint32_t pid, const char *path, void *data)
{
	const struct recent_names *recent = data;
	struct symmap more;
	struct grun_err err;
	struct stat st;

	if (stat(path, &st) || st.st_mtime < recent->since ||
	    symmap_read_process(&more, pid, &err))
		return;
	if (more.nr)
		names_append(recent->names, &more);
	symmap_free(&more);
}

void zero_names(struct symmap *names, time_t since)
{
	struct recent_names recent = { names, since };

	memset(names, 0, sizeof(*names));
	symmap_each_process("", names_add, &recent);
}
