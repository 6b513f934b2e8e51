// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines: the line tables of code objects, by libdw.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <elfutils/libdw.h>
#include "expr.h"
#include "internal.h"

/**
 * struct line_query - which line is looked for
 * @file: as the user gave it
 * @line: number
 * @inside: the row before was of the line
 */
struct line_query {
	const char *file;
	unsigned int line;
	bool inside;
};

/* "stencil.cl" is "/home/me/stencil.cl" */
static bool line_is_of_file(const char *path, const char *file)
{
	size_t len, all = strlen(path);

	while (!strncmp(file, "./", 2))
		file += 2;
	len = strlen(file);
	return len <= all && !strcmp(path + all - len, file) &&
	       (len == all || path[all - len - 1] == '/');
}

static int line_add(struct gexpr_lines *lines, uint64_t offset)
{
	uint64_t *grown = lines->offsets;
	size_t i;

	for (i = 0; i < lines->nr; i++)
		if (lines->offsets[i] == offset)
			return 0;
	grown = realloc(grown, (lines->nr + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	lines->offsets = grown;
	lines->offsets[lines->nr++] = offset;
	return 0;
}

/* only the first of successive rows of a line begins it */
static int line_read_row(struct gexpr_lines *lines, struct line_query *q,
			 Dwarf_Line *row)
{
	const char *path = dwarf_linesrc(row, NULL, NULL);
	bool begins = false, ends = true, before = q->inside;
	Dwarf_Addr addr = 0;
	int n = 0;

	q->inside = false;
	if (!path || !line_is_of_file(path, q->file) || dwarf_lineno(row, &n) ||
	    dwarf_lineaddr(row, &addr) || dwarf_linebeginstatement(row, &begins) ||
	    dwarf_lineendsequence(row, &ends) || ends)
		return 0;
	lines->has_file = true;
	if (begins && n > (int)q->line && (!lines->next || (unsigned int)n < lines->next))
		lines->next = (unsigned int)n;
	if (n != (int)q->line || (!begins && !before))
		return 0;
	q->inside = true;
	return before ? 0 : line_add(lines, addr);
}

static int line_read_unit(struct gexpr_lines *lines, struct line_query *q,
			  Dwarf_Die *unit)
{
	Dwarf_Lines *rows;
	size_t nr = 0, i;
	int ret = 0;

	if (dwarf_getsrclines(unit, &rows, &nr))
		return 0;
	lines->has_tables |= nr;
	q->inside = false;
	for (i = 0; !ret && i < nr; i++)
		ret = line_read_row(lines, q, dwarf_onesrcline(rows, i));
	return ret;
}

static int line_read_units(struct gexpr_lines *lines, struct line_query *q,
			   Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	int ret = 0;

	while (!ret && !dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL))
		ret = line_read_unit(lines, q, &unit);
	return ret;
}

int gexpr_lines_read(struct gexpr_lines *lines, const struct grun_code *code,
		     const char *file, unsigned int line)
{
	struct line_query q = { .file = file, .line = line };
	Dwarf *dwarf;
	Elf *elf;
	int ret = 0;

	elf_version(EV_CURRENT);
	elf = elf_memory(code->image, code->elf.size);
	dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (dwarf)
		ret = line_read_units(lines, &q, dwarf);
	dwarf_end(dwarf);
	elf_end(elf);
	return ret;
}
