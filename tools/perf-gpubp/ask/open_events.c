// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "open_events.h"

#define BLANKS		" \n"

#define FIGURE(_name, _member)						\
	{ _name, offsetof(struct open_event, stats._member) }

static const struct {
	const char *name;
	size_t offset;
} figures[] = {
	FIGURE("event", id),
	FIGURE("matched", matched),
	FIGURE("possible", possible),
	FIGURE("throttled", throttled),
	FIGURE("strays", strays),
	FIGURE("stall_throttled", stall_throttled),
	FIGURE("resident_ns", resident_ns),
	FIGURE("armed_ns", armed_ns),
	FIGURE("wanted_quanta", wanted_quanta),
	FIGURE("armed_quanta", armed_quanta),
	FIGURE("longest_gap", longest_gap),
	FIGURE("longest_gap_ns", longest_gap_ns),
	FIGURE("metered", metered),
	FIGURE("lost", lost),
	FIGURE("stopped_ns", stopped_ns),
	FIGURE("stopped_armed_ns", stopped_armed_ns),
	FIGURE("unchanged", unchanged),
	FIGURE("filtered", filtered),
	FIGURE("elsewhere", elsewhere),
	FIGURE("places", places),
	FIGURE("unmapped", unmapped),
	FIGURE("recorded", recorded),
	{ "group", offsetof(struct open_event, group) },
}, texts[] = {
	{ "pid", offsetof(struct open_event, pid) },
	{ "comm", offsetof(struct open_event, comm) },
	{ "is", offsetof(struct open_event, is) },
};

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

/* the kernel escapes what would make more than one word, or none, of a name */
static void text_set(char *text, const char *value)
{
	static const char space[] = "\\040";
	size_t size = OPEN_EVENT_TEXT;

	for (; *value && size > 1; size--) {
		bool is_space = !strncmp(value, space, strlen(space));

		*text++ = is_space ? ' ' : *value;
		value += is_space ? strlen(space) : 1;
	}
	*text = '\0';
}

static void member_set(struct open_event *event, const char *name,
		       const char *value)
{
	uint64_t number = strtoull(value, NULL, 0);
	size_t i;

	for (i = 0; i < NR(figures); i++)
		if (!strcmp(figures[i].name, name))
			memcpy((char *)event + figures[i].offset, &number,
			       sizeof(number));
	for (i = 0; i < NR(texts); i++)
		if (!strcmp(texts[i].name, name))
			text_set((char *)event + texts[i].offset, value);
}

/* "name value name value ..." */
static void event_parse(struct open_event *event, char *line)
{
	char *rest, *name = strtok_r(line, BLANKS, &rest);
	char *value = strtok_r(NULL, BLANKS, &rest);

	*event = (struct open_event) { .pid = "-", .comm = "-", .is = "-" };
	while (name && value) {
		member_set(event, name, value);
		name = strtok_r(NULL, BLANKS, &rest);
		value = strtok_r(NULL, BLANKS, &rest);
	}
}

/* a watch is one, a watch set all of its members */
static void event_add_binding(struct open_event *event, const char *line)
{
	const char *members = strstr(line, " members "), *on = strstr(line, " dev ");
	unsigned long dev = on ? strtoul(on + strlen(" dev "), NULL, 0) : AGENTS_DEVICES;

	if (dev < AGENTS_DEVICES)
		event->devices[dev / 32] |= UINT32_C(1) << dev % 32;
	event->nr_watches += members ?
		strtoull(members + strlen(" members "), NULL, 0) : 1;
	event->nr_bound++;
	event->nr_pending += strstr(line, " pending") != NULL;
}

unsigned int open_events_read(FILE *in,
			      void (*each)(const struct open_event *event,
					   void *data),
			      void *data)
{
	struct open_event event;
	unsigned int n = 0;
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, in) > 0) {
		if (n && line[0] == ' ')
			event_add_binding(&event, line);
		if (strncmp(line, "event ", strlen("event ")))
			continue;
		if (n++)
			each(&event, data);
		event_parse(&event, line);
	}
	if (n)
		each(&event, data);
	free(line);
	return n;
}

void open_event_json(const struct open_event *event, void *data)
{
	FILE *out = data;
	uint64_t number;
	size_t i;

	fprintf(out, "{\"watches\":%llu", event->nr_watches);
	for (i = 0; i < NR(figures); i++) {
		memcpy(&number, (const char *)event + figures[i].offset,
		       sizeof(number));
		fprintf(out, ",\"%s\":%" PRIu64, figures[i].name, number);
	}
	for (i = 0; i < NR(texts); i++) {
		fprintf(out, ",\"%s\":", texts[i].name);
		json_string(out, (const char *)event + texts[i].offset);
	}
	fputs("}\n", out);
}
