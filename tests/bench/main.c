// SPDX-License-Identifier: GPL-2.0
/*
 * usage: bench ROWS [FIGURE...]
 *
 * Measure all figures, or the named ones. Prints a line for each and writes it,
 * separated by tabs, to the file ROWS. With BENCH_INSTRUCTIONS in the
 * environment the clock counts instructions, and there is one processor.
 */
#include <stdio.h>
#include <string.h>
#include "bench.h"

static const struct {
	const char *name;
	void (*measure)(void);
} figures[] = {
	{ "thread", bench_threads },
	{ "enable", bench_enables },
	{ "open", bench_opens },
	{ "switch", bench_switches },
	{ "commit", bench_commits },
	{ "hit", bench_hits },
	{ "background", bench_background },
	{ "beside", bench_beside },
	{ "inexact", bench_inexact },
	{ "irqs_off", bench_irqs_off },
	{ "one_word", bench_one_word },
	{ "set_close", bench_set_close },
	{ "quanta", bench_quanta },
	{ "set_memory", bench_set_memory },
	{ "churn", bench_churn },
	{ "crowd", bench_crowd },
	{ "fairness", bench_fairness },
	{ "recorded", bench_recorded },
	{ "holds", bench_holds },
};

static bool is_wanted(const char *name, int argc, char **argv)
{
	bool wanted = argc <= 2;
	int i;

	for (i = 2; i < argc; i++)
		wanted |= !strcmp(name, argv[i]);
	return wanted;
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc < 2) {
		fprintf(stderr, "usage: bench ROWS [FIGURE...]\n");
		return 2;
	}
	bench_init(argv[1]);
	printf("%-44s %10s %10s %10s %10s %10s\n", "ns", "nothing", "dummy",
	       "breakpoint", "gpubp", "armed");
	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		if (is_wanted(figures[i].name, argc, argv))
			figures[i].measure();
	return 0;
}
