// SPDX-License-Identifier: GPL-2.0
/* The kernel's list of events: understood, also a newer or a damaged one. */
#include <stdlib.h>
#include <string.h>
#include "events.h"
#include "open_events.h"
#include "tap.h"

static unsigned int nr;

/* what becomes of a list; to be freed */
static char *shown(const char *list)
{
	char *text = NULL;
	size_t size;
	FILE *in = fmemopen((void *)list, strlen(list), "r");
	FILE *out = open_memstream(&text, &size);

	nr = events_show(in, out);
	fclose(in);
	fclose(out);
	return text;
}

/* likewise, as JSON */
static char *shown_as_json(const char *list)
{
	char *text = NULL;
	size_t size;
	FILE *in = fmemopen((void *)list, strlen(list), "r");
	FILE *out = open_memstream(&text, &size);

	nr = open_events_read(in, open_event_json, out);
	fclose(in);
	fclose(out);
	return text;
}

/* the @n-th line has these words */
static bool line_is(const char *text, unsigned int n, const char *words)
{
	char line[256], squeezed[256] = "", *word, *rest;

	while (n-- && text)
		text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
	if (!text || !strchr(text, '\n'))
		return !words;
	snprintf(line, sizeof(line), "%.*s", (int)(strchr(text, '\n') - text),
		 text);
	for (word = strtok_r(line, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		strcat(squeezed, squeezed[0] ? " " : "");
		strcat(squeezed, word);
	}
	return words && !strcmp(squeezed, words);
}

#define FIRST	"event 7 matched 502 possible 3 throttled 4 resident_ns 1000 " \
		"armed_ns 249 wanted_quanta 400 armed_quanta 101 longest_gap 12 " \
		"longest_gap_ns 8125000 strays 17 stall_throttled 6 " \
		"stopped_armed_ns 83 pid 77 comm my\\040app\\033[1m " \
		"is gpubp/watch_w,addr=0x100,len=4/D\n"

int main(void)
{
	char *text;

	tap_plan(8);
	text = shown("\n");

	tap_ok(nr == 0 && line_is(text, 1, NULL), "no event");
	free(text);

	text = shown(FIRST
		     " watch 9 dev 0 ctx 1 [0x100-0x103] access 2 slots 0x1\n"
		     " watch 10 dev 0 ctx 2 [0x100-0x103] access 2 slots 0x0\n"
		     "event 8 matched 1\n"
		     " set 1 members 1000 dev 0 ctx 1 filling\n");
	tap_ok(nr == 2, "two events");
	tap_ok(line_is(text, 1, "7 2 24.90% 25.25% 12 8.125 502 3 4 17 6 33.33% "
		      "77 my app\\033[1m gpubp/watch_w,addr=0x100,len=4/D"),
	      "each figure, the opener and the event");
	tap_ok(line_is(text, 2, "8 1000 - - 0 0.000 1 0 0 0 0 - - - -"),
	      "members of a set, and what is missing");
	tap_ok(line_is(text, 3, NULL), "and no more");
	free(text);

	text = shown("event 7 colour 3 matched 5 matched\n");
	tap_ok(line_is(text, 1, "7 0 - - 0 0.000 5 0 0 0 0 - - - -"),
	      "a name that is not known, and one without a value");
	free(text);

	text = shown(" watch 9 before any event\n\nevents 3\nevent");
	tap_ok(nr == 0, "lines that are no events");
	free(text);

	text = shown_as_json("event 7 matched 5 longest_gap_ns 9 comm a\"b is x/y/\n"
			     " watch 9 dev 0 ctx 1 [0x100-0x103]\n");
	tap_ok(nr == 1 && !strcmp(text,
	       "{\"watches\":1,\"event\":7,\"matched\":5,\"possible\":0,"
	       "\"throttled\":0,\"strays\":0,\"stall_throttled\":0,"
	       "\"resident_ns\":0,\"armed_ns\":0,\"wanted_quanta\":0,"
	       "\"armed_quanta\":0,\"longest_gap\":0,\"longest_gap_ns\":9,"
	       "\"metered\":0,\"lost\":0,\"stopped_ns\":0,"
	       "\"stopped_armed_ns\":0,\"unchanged\":0,\"filtered\":0,\"elsewhere\":0,\"places\":0,"
	       "\"unmapped\":0,\"recorded\":0,\"group\":0,\"pid\":\"-\","
	       "\"comm\":\"a\\\"b\","
	       "\"is\":\"x/y/\"}\n"), "as JSON");
	free(text);
	return tap_status();
}
