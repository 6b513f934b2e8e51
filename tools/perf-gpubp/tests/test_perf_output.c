// SPDX-License-Identifier: GPL-2.0
/* Where perf record writes and what it records: command lines, and their -o and -p. */
#include <string.h>
#include "perf_output.h"
#include "tap.h"

#define WORDS	12

static const struct {
	const char *args[WORDS];
	const char *output;
} table[] = {
	{ { NULL }, NULL },
	{ { "./app" }, NULL },
	{ { "-o", "a", "--", "./app" }, "a" },
	{ { "-oa", "./app" }, "a" },
	{ { "--output", "a", "./app" }, "a" },
	{ { "--output=a", "./app" }, "a" },
	{ { "--out", "a", "./app" }, "a" },
	{ { "--outp=a=b", "./app" }, "a=b" },
	{ { "-o", "-", "./app" }, "-" },
	{ { "-o", "a", "-o", "b", "./app" }, "b" },
	{ { "-o", "a", "--no-output", "./app" }, NULL },
	/* that of the command */
	{ { "--", "./app", "-o", "a" }, NULL },
	{ { "./app", "-o", "a" }, NULL },
	{ { "-R", "gcc", "-oa" }, NULL },
	{ { "-", "-o", "a" }, NULL },
	/* in a group */
	{ { "-go", "a", "./app" }, "a" },
	{ { "-agoa", "./app" }, "a" },
	{ { "-aR", "-o", "a" }, "a" },
	/* a value that looks so */
	{ { "-e", "-o", "./app", "-o", "a" }, NULL },
	{ { "-ge", "-o", "-o", "a" }, "a" },
	{ { "-eo", "./app" }, NULL },
	{ { "-F", "99", "-o", "a", "./app" }, "a" },
	{ { "-c1", "-o", "a", "./app" }, "a" },
	{ { "--event", "--output=x", "--output=a", "./app" }, "a" },
	{ { "--call-graph", "dwarf", "-o", "a", "./app" }, "a" },
	{ { "--call-graph=dwarf", "-o", "a", "./app" }, "a" },
	{ { "--call", "fp", "-o", "a", "./app" }, "a" },
	{ { "--control", "fd:3", "--max-size", "1M", "-o", "a", "./app" }, "a" },
	/* a value that is optional is in the same word */
	{ { "-I", "-o", "a", "./app" }, "a" },
	{ { "-Io", "./app" }, NULL },
	{ { "-zo", "-o", "a" }, "a" },
	{ { "-S", "./app", "-o", "a" }, NULL },
	{ { "--switch-output", "-o", "a", "./app" }, "a" },
	{ { "--switch-output=1M", "-o", "a", "./app" }, "a" },
	{ { "--switch-output-event", "-o", "-o", "a" }, "a" },
	{ { "--off-cpu", "-o", "a", "./app" }, "a" },
	{ { "--off-cpu-thresh", "5", "-o", "a", "./app" }, "a" },
	{ { "--aio", "--threads", "-o", "a", "./app" }, "a" },
	{ { "--overwrite", "-o", "a", "./app" }, "a" },
	{ { "--all-cpus", "--per-thread", "-o", "a" }, "a" },
	/* no value: perf refuses it */
	{ { "-o" }, NULL },
	{ { "--output" }, NULL },
};

static const struct {
	const char *args[WORDS];
	const char *pids;
} pids[] = {
	{ { "-o", "a", "-p", "5,6" }, "5,6" },
	{ { "-p5", "--no-inherit" }, "5" },
	{ { "--pid=5", "-o", "p" }, "5" },
	{ { "-ep", "-agp", "5" }, "5" },
	{ { "./app", "-p", "5" }, NULL },
	{ { "--", "./app", "-p5" }, NULL },
	{ { "-o", "-p", "-a" }, NULL },
};

static void line_of(const char *const *args, char line[256])
{
	*line = 0;
	for (; *args; args++) {
		strcat(line, " ");
		strcat(line, *args);
	}
}

static void test_value(const char *const *args, const char *got, const char *want,
		       const char *none)
{
	char line[256];

	line_of(args, line);
	tap_ok(got && want ? !strcmp(got, want) : got == want, "perf record%s: %s", line,
	       got ? got : none);
}

int main(void)
{
	const size_t nr = sizeof(table) / sizeof(table[0]), nr_pids = sizeof(pids) / sizeof(pids[0]);
	size_t i;

	tap_plan((int)(nr + nr_pids));
	for (i = 0; i < nr; i++)
		test_value(table[i].args, perf_output(table[i].args), table[i].output, "no -o");
	for (i = 0; i < nr_pids; i++)
		test_value(pids[i].args, perf_pids(pids[i].args), pids[i].pids, "no -p");
	return tap_status();
}
