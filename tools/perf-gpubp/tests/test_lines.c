// SPDX-License-Identifier: GPL-2.0
/* Source lines of this program itself, by address and back. */
#include <stdlib.h>
#include <string.h>
#include "lines.h"
#include "tap.h"

#define MAX	16

static const int here = __LINE__ + 1;
__attribute__((noipa)) static int plain(int n) { return n * 3; }

/* each address of a line has that line */
static bool all_of_line(const struct lines *lines, int no)
{
	uint64_t pcs[MAX];
	size_t i, nr = lines_addresses(lines, "tests/test_lines.c", no, pcs, MAX);
	struct line line;

	for (i = 0; i < nr && i < MAX; i++)
		if (!lines_find(lines, pcs[i], &line) || line.line != no ||
		    !strstr(line.file, "tests/test_lines.c"))
			return false;
	return nr > 0;
}

static bool text_is(const char *file, int no, const char *want)
{
	struct line line = { file, no };
	char text[80];

	return !strcmp(lines_text(&line, text, sizeof(text)), want);
}

static bool text_of_plain(const struct lines *lines)
{
	struct line line;
	uint64_t pc;

	return lines_addresses(lines, "test_lines.c", here, &pc, 1) &&
	       lines_find(lines, pc, &line) &&
	       text_is(line.file, here,
		       "__attribute__((noipa)) static int plain(int n) { return n * 3; }");
}

int main(void)
{
	struct lines *lines = lines_open("/proc/self/exe");
	struct line line;
	uint64_t pc;

	tap_plan(8);
	tap_ok(lines && plain(1) == 3, "a program with lines");
	tap_ok(all_of_line(lines, here), "the addresses of a line have that line");
	tap_ok(text_of_plain(lines), "its text");
	tap_ok(!lines_addresses(lines, "test_lines.c", 100000, &pc, 1) &&
	       !lines_addresses(lines, "est_lines.c", here, &pc, 1),
	       "a line, and a file, that are not there");
	tap_ok(!lines_find(lines, UINT64_MAX, &line) && !lines_find(lines, 1, &line),
	       "an address outside");
	tap_ok(!lines_find(NULL, 1, &line) && !lines_addresses(NULL, "x", 1, &pc, 1),
	       "without lines");
	lines_close(lines);
	tap_ok(!lines_open("/dev/null") && !lines_open("/none"), "no ELF file");
	tap_ok(text_is("/none", 1, "") && text_is("/proc/self/comm", 2, ""),
	       "no such file, no such line");
	return tap_status();
}
