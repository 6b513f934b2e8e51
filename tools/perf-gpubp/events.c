// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "events.h"

#define BLANKS		" \n"
#define TEXT_SIZE	256

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

enum text { PID, COMM, DESCRIPTION, NR_TEXTS };

static const char * const text_names[NR_TEXTS] = { "pid", "comm", "is" };

/**
 * struct event - a line of the list, and those of its watches
 * @figures: numbers
 * @texts: words, "-" for what is missing
 */
struct event {
	uint64_t figures[NR_FIGURES];
	char texts[NR_TEXTS][TEXT_SIZE];
};

/* the kernel escapes what would make more than one word, or none, of a name */
static void set_text(char *text, const char *value)
{
	static const char space[] = "\\040";
	size_t size = TEXT_SIZE;

	for (; *value && size > 1; size--) {
		bool is_space = !strncmp(value, space, strlen(space));

		*text++ = is_space ? ' ' : *value;
		value += is_space ? strlen(space) : 1;
	}
	*text = '\0';
}

static void set_figure(struct event *event, const char *name, const char *value)
{
	int i;

	for (i = 0; i < NR_FIGURES; i++)
		if (names[i] && !strcmp(names[i], name))
			event->figures[i] = strtoull(value, NULL, 0);
	for (i = 0; i < NR_TEXTS; i++)
		if (!strcmp(text_names[i], name))
			set_text(event->texts[i], value);
}

/* "name value name value ..." */
static void parse(struct event *event, char *line)
{
	char *rest, *name = strtok_r(line, BLANKS, &rest);
	char *value = strtok_r(NULL, BLANKS, &rest);

	*event = (struct event) { .texts = { "-", "-", "-" } };
	while (name && value) {
		set_figure(event, name, value);
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

static void show(const struct event *event, FILE *out)
{
	const uint64_t *f = event->figures;

	fprintf(out, "%8" PRIu64 " %8" PRIu64, f[EVENT], f[WATCHES]);
	show_share(f[ARMED], f[RESIDENT], out);
	show_share(f[ARMED_QUANTA], f[WANTED_QUANTA], out);
	fprintf(out, " %8" PRIu64 " %11.3f", f[GAP], (double)f[GAP_NS] / 1e6);
	fprintf(out, " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64,
		f[MATCHED], f[POSSIBLE], f[THROTTLED], f[STRAYS]);
	fprintf(out, " %8" PRIu64, f[STALL_THROTTLED]);
	show_share(f[STOPPED_ARMED], f[ARMED], out);
	fprintf(out, " %8s %-15s %s\n", event->texts[PID], event->texts[COMM],
		event->texts[DESCRIPTION]);
}

static void show_title(FILE *out)
{
	fprintf(out, "%8s %8s %8s %8s %8s %11s %10s %10s %10s %10s %8s %8s %8s %-15s %s\n", "EVENT",
		"WATCHES", "ARMED", "QUANTA", "GAP", "GAP/ms", "HITS",
		"POSSIBLE", "THROTTLED", "STRAYS", "STALLS", "STOPPED", "PID",
		"COMM", "DESCRIPTION");
}

unsigned int events_show(FILE *in, FILE *out)
{
	struct event event;
	unsigned int n = 0;
	char *line = NULL;
	size_t size = 0;

	show_title(out);
	while (getline(&line, &size, in) > 0) {
		if (n && line[0] == ' ')
			event.figures[WATCHES] += nr_watches(line);
		if (strncmp(line, "event ", strlen("event ")))
			continue;
		if (n++)
			show(&event, out);
		parse(&event, line);
	}
	if (n)
		show(&event, out);
	free(line);
	return n;
}
