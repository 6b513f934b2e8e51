// SPDX-License-Identifier: GPL-2.0
/* Source lines of this program itself, by address and back. */
#include <stdlib.h>
#include <string.h>
#include "lines.h"
#include "tap.h"

static const int here = __LINE__ + 1;
__attribute__((noipa)) static int plain(int n) { return n * 3; }

/* of a program that can be anywhere, addresses in the file begin at 0 */
extern const char __ehdr_start[];

static uint64_t plain_pc(void)
{
	return (uintptr_t)plain - (uintptr_t)__ehdr_start;
}

static bool text_is(const char *file, int no, const char *want)
{
	struct line line = { file, no };
	char text[80];

	return !strcmp(lines_text(&line, text, sizeof(text)), want);
}

int main(void)
{
	struct lines *lines = lines_open("/proc/self/exe");
	struct line line = {};

	tap_plan(7);
	tap_ok(lines && plain(1) == 3, "a program with lines");
	tap_ok(lines_find(lines, plain_pc(), &line) && line.line == here &&
	       strstr(line.file, "tests/test_lines.c"), "the line of an address");
	tap_ok(line.file &&
	       text_is(line.file, here,
		       "__attribute__((noipa)) static int plain(int n) { return n * 3; }"),
	       "its text");
	tap_ok(!lines_find(lines, UINT64_MAX, &line) && !lines_find(lines, 1, &line),
	       "an address outside");
	tap_ok(!lines_find(NULL, 1, &line), "without lines");
	lines_close(lines);
	tap_ok(!lines_open("/dev/null") && !lines_open("/none"), "no ELF file");
	tap_ok(text_is("/none", 1, "") && text_is("/proc/self/comm", 2, ""),
	       "no such file, no such line");
	return tap_status();
}
