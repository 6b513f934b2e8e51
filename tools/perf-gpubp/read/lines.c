// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines from DWARF, by libdw.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <elfutils/libdw.h>
#include "lines.h"

struct lines {
	int fd;
	Dwarf *dwarf;
};

/* the path may be another user's word: opening a device or a pipe can have effects */
static int open_program(const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	return -1;
}

struct lines *lines_open(const char *path)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->fd = open_program(path);
	if (lines->fd >= 0)
		lines->dwarf = dwarf_begin(lines->fd, DWARF_C_READ);
	if (lines->dwarf)
		return lines;
	lines_close(lines);
	return NULL;
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	dwarf_end(lines->dwarf);
	if (lines->fd >= 0)
		close(lines->fd);
	free(lines);
}

/* the next unit's lines; @at is 0 at first */
static bool next_unit(const struct lines *lines, Dwarf_Off *at,
		      Dwarf_Lines **list, size_t *nr)
{
	Dwarf_Off next;
	size_t header;
	Dwarf_Die die;

	*nr = 0;
	if (dwarf_nextcu(lines->dwarf, *at, &next, &header, NULL, NULL, NULL))
		return false;
	if (dwarf_offdie(lines->dwarf, *at + header, &die) &&
	    dwarf_getsrclines(&die, list, nr))
		*nr = 0;
	*at = next;
	return true;
}

/* line @i, its address and whether it only ends a sequence */
static Dwarf_Line *get_row(Dwarf_Lines *list, size_t i, Dwarf_Addr *addr,
			   bool *end)
{
	Dwarf_Line *row = dwarf_onesrcline(list, i);

	if (!row || dwarf_lineaddr(row, addr) || dwarf_lineendsequence(row, end))
		return NULL;
	return row;
}

/* rows are in order of addresses; a row lasts until the next one */
static Dwarf_Line *find_row(Dwarf_Lines *list, size_t nr, uint64_t pc)
{
	Dwarf_Line *row, *found = NULL;
	Dwarf_Addr addr;
	bool end;
	size_t i;

	for (i = 0; i < nr; i++) {
		row = get_row(list, i, &addr, &end);
		if (!row)
			continue;
		if (addr > pc)
			return found;
		found = end ? NULL : row;
	}
	return NULL;
}

bool lines_find(const struct lines *lines, uint64_t pc, struct line *line)
{
	Dwarf_Lines *list;
	Dwarf_Off at = 0;
	Dwarf_Line *row = NULL;
	size_t nr;

	while (lines && !row && next_unit(lines, &at, &list, &nr))
		row = find_row(list, nr, pc);
	if (!row || dwarf_lineno(row, &line->line) || line->line <= 0)
		return false;
	line->file = dwarf_linesrc(row, NULL, NULL);
	return line->file != NULL;
}

const char *lines_text(const struct line *line, char *text, size_t len)
{
	FILE *file = fopen(line->file, "re");
	int i;

	text[0] = '\0';
	for (i = 0; file && i < line->line; i++)
		if (!fgets(text, (int)len, file)) {
			text[0] = '\0';
			break;
		}
	if (file)
		fclose(file);
	text[strcspn(text, "\n")] = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}
