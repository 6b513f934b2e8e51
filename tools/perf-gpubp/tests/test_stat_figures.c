// SPDX-License-Identifier: GPL-2.0
/* The places of a line of source in one row. */
#include <stdlib.h>
#include <string.h>
#include "stat_figures.h"
#include "tap.h"

/**
 * struct place - figures of an event
 * @matched: hits
 * @resident: ns on the GPU
 * @armed: of these
 */
struct place {
	uint64_t matched, resident, armed;
};

static const struct row {
	const char *what;
	struct place places[3];
	const char *line;
} rows[] = {
	{ "armed all the time", { { 20, 100, 100 }, { 3, 100, 100 }, { 0, 100, 100 } },
	  "23,0,100.00,23,23,23,0,0,0,0.00,2,3,loop.cl:17\n" },
	{ "a place that was never on the GPU", { { 20, 100, 100 }, {}, {} },
	  "20,0,100.00,20,20,20,0,0,0,0.00,1,1,loop.cl:17\n" },
	{ "it is the first one", { {}, {}, { 20, 100, 100 } },
	  "20,0,100.00,20,20,20,0,0,0,0.00,1,1,loop.cl:17\n" },
	{ "none of them was", { {}, {}, {} },
	  "0,0,0.00,,,,0,0,0,0.00,,,loop.cl:17\n" },
	{ "intervals add up", { { 9999, 10000, 9999 }, { 9999, 10000, 9999 }, { 1, 1000, 1000 } },
	  "19999,0,99.99,20001,19999,20005,0,0,0,0.00,3,3,loop.cl:17\n" },
	{ "lower bounds, too", { { 4, 1000, 900 }, { 4, 1000, 1000 }, { 0, 1000, 900 } },
	  "8,0,93.33,,8,,0,0,0,0.00,2,3,loop.cl:17\n" },
	{ "one that was never armed", { { 20, 100, 100 }, { 0, 100, 0 }, {} },
	  "20,0,50.00,,20,,0,0,0,0.00,1,1,loop.cl:17\n" },
};

#define NR_ROWS	(sizeof(rows) / sizeof(rows[0]))

static struct figures figures_of(const struct place *place)
{
	const struct watch_reading seen = {
		.hits = place->matched, .armed = place->armed,
	};
	struct turns turns = {};
	struct figures f = {
		.name = "loop.cl:17", .place = "",
		.stats = {
			.matched = place->matched, .resident_ns = place->resident,
			.armed_ns = place->armed,
		},
	};

	turns_add(&turns, &seen);
	f.known = estimate_hits(&f.estimate, place->resident, &seen, &turns, false);
	return f;
}

static char *print(const struct figures *f, const char *separator)
{
	struct stat_style style = { .separator = separator, .json = !separator };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	stat_print(out, &style, f, 1, 0);
	fclose(out);
	return text;
}

static void test_row(const struct row *row)
{
	struct figures sum = figures_of(&row->places[0]), more;
	char *text;
	int i;

	for (i = 1; i < 3; i++) {
		more = figures_of(&row->places[i]);
		figures_add(&sum, &more);
	}
	text = print(&sum, ",");
	if (!tap_ok(text && !strcmp(text, row->line), "%s", row->what))
		tap_note("%s", text);
	free(text);
}

static void test_place(void)
{
	static const struct place place = { 20, 100, 100 };
	struct figures f = figures_of(&place);
	char *csv, *json;

	f.place = "loop+0x50";
	csv = print(&f, ",");
	json = print(&f, NULL);
	tap_ok(csv && strstr(csv, ",loop.cl:17 loop+0x50\n"), "a place in CSV");
	tap_ok(json && strstr(json, "{\"event\":\"loop.cl:17\",\"place\":\"loop+0x50\","),
	       "and in JSON");
	free(csv);
	free(json);
}

/* no number with two digits after the point of a lower bound, anywhere */
static void test_bound(void)
{
	static const struct place place = { 4, 1000, 900 };
	struct figures f = figures_of(&place);
	struct stat_style style = {};
	char *json = print(&f, NULL), *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	tap_ok(json && strstr(json, ",\"at_least\":4,\"because\":\"few\",\"turns\":1,\"turns_hit\":1,") &&
	       !strstr(json, "estimate"), "a lower bound in JSON");
	free(json);
	if (out) {
		stat_print(out, &style, &f, 1, 0);
		fclose(out);
	}
	tap_ok(text && strstr(text, " >= 4, few, 1 of 1 turns ") &&
	       strstr(text, "\nfew: ") && !strstr(text, "\nslowed: "),
	       "and in the table, with a note");
	free(text);
}

static void test_unarmed(void)
{
	static const struct place place = { 0, 1000, 0 };
	struct figures f = figures_of(&place);
	struct stat_style style = {};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out) {
		stat_print(out, &style, &f, 1, 0);
		fclose(out);
	}
	tap_ok(text && strstr(text, " not counted, unarmed ") &&
	       strstr(text, "\nunarmed: it had no turn"), "never armed, in the table");
	free(text);
}

int main(void)
{
	size_t i;

	tap_plan(NR_ROWS + 5);
	for (i = 0; i < NR_ROWS; i++)
		test_row(&rows[i]);
	test_place();
	test_bound();
	test_unarmed();
	return tap_status();
}
