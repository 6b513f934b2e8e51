// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "events.h"

#define BLANKS	" \n"

enum figure {
	EVENT,
	WATCHES,	/* of ours: its lines */
	MATCHED,
	POSSIBLE,
	THROTTLED,
	STRAYS,
	STALL_THROTTLED,
	RESIDENT,
	ARMED,
	WANTED_QUANTA,
	ARMED_QUANTA,
	GAP,
	GAP_NS,
	STOPPED_ARMED,
	NR_FIGURES,
};

static const char * const names[NR_FIGURES] = {
	[EVENT]		= "event",
	[MATCHED]	= "matched",
	[POSSIBLE]	= "possible",
	[THROTTLED]	= "throttled",
	[STRAYS]	= "strays",
	[STALL_THROTTLED] = "stall_throttled",
	[RESIDENT]	= "resident_ns",
	[ARMED]		= "armed_ns",
	[WANTED_QUANTA]	= "wanted_quanta",
	[ARMED_QUANTA]	= "armed_quanta",
	[GAP]		= "longest_gap",
	[GAP_NS]	= "longest_gap_ns",
	[STOPPED_ARMED]	= "stopped_armed_ns",
};

static void set_figure(uint64_t *figures, const char *name, const char *value)
{
	int i;

	for (i = 0; i < NR_FIGURES; i++)
		if (names[i] && !strcmp(names[i], name))
			figures[i] = strtoull(value, NULL, 0);
}

/* "name value name value ..." */
static void parse(uint64_t *figures, char *line)
{
	char *rest, *name = strtok_r(line, BLANKS, &rest);
	char *value = strtok_r(NULL, BLANKS, &rest);

	memset(figures, 0, NR_FIGURES * sizeof(*figures));
	while (name && value) {
		set_figure(figures, name, value);
		name = strtok_r(NULL, BLANKS, &rest);
		value = strtok_r(NULL, BLANKS, &rest);
	}
}

/* a watch is one, a watch set all of its members */
static uint64_t nr_watches(const char *line)
{
	const char *members = strstr(line, " members ");

	return members ? strtoull(members + strlen(" members "), NULL, 0) : 1;
}

/* as perf shows it; "-" where nothing was resident or wanted as yet */
static void show_share(uint64_t part, uint64_t whole, FILE *out)
{
	if (whole)
		fprintf(out, " %7.2f%%", 100.0 * (double)part / (double)whole);
	else
		fprintf(out, " %8s", "-");
}

static void show(const uint64_t *f, FILE *out)
{
	fprintf(out, "%8" PRIu64 " %8" PRIu64, f[EVENT], f[WATCHES]);
	show_share(f[ARMED], f[RESIDENT], out);
	show_share(f[ARMED_QUANTA], f[WANTED_QUANTA], out);
	fprintf(out, " %8" PRIu64 " %11.3f", f[GAP], (double)f[GAP_NS] / 1e6);
	fprintf(out, " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64,
		f[MATCHED], f[POSSIBLE], f[THROTTLED], f[STRAYS]);
	fprintf(out, " %8" PRIu64, f[STALL_THROTTLED]);
	show_share(f[STOPPED_ARMED], f[ARMED], out);
	fputc('\n', out);
}

static void show_title(FILE *out)
{
	fprintf(out, "%8s %8s %8s %8s %8s %11s %10s %10s %10s %10s %8s %8s\n", "EVENT",
		"WATCHES", "ARMED", "QUANTA", "GAP", "GAP/ms", "HITS",
		"POSSIBLE", "THROTTLED", "STRAYS", "STALLS", "STOPPED");
}

unsigned int events_show(FILE *in, FILE *out)
{
	uint64_t figures[NR_FIGURES];
	unsigned int n = 0;
	char *line = NULL;
	size_t size = 0;

	show_title(out);
	while (getline(&line, &size, in) > 0) {
		if (n && line[0] == ' ')
			figures[WATCHES] += nr_watches(line);
		if (strncmp(line, "event ", strlen("event ")))
			continue;
		if (n++)
			show(figures, out);
		parse(figures, line);
	}
	if (n)
		show(figures, out);
	free(line);
	return n;
}
